//! The texts of messages, from the templates in `templates/mail`.

use askama::Template;

use crate::{domain::language::Language, words::Words};

/// A message in words: the plain text comes first, and HTML is the alternative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// What a sign-in message says.
#[derive(Debug, Clone)]
pub struct SignIn {
    pub code: String,
    pub link: String,
    /// The recipient.
    pub email: String,
    pub language: Language,
    /// `None` if the address is known to several institutions.
    pub institution_name: Option<String>,
}

#[derive(Template)]
#[template(path = "mail/sign_in.txt", escape = "none")]
struct SignInText<'a> {
    words: Words,
    mail: &'a SignIn,
    why: String,
}

#[derive(Template)]
#[template(path = "mail/sign_in.html")]
struct SignInHtml<'a> {
    words: Words,
    mail: &'a SignIn,
    /// Escaped.
    why: String,
}

pub fn sign_in(mail: &SignIn) -> askama::Result<Rendered> {
    let words = Words::new(mail.language);
    let isolated = SignIn {
        institution_name: mail.institution_name.as_ref().map(|name| format!("\u{2068}{name}\u{2069}")),
        ..mail.clone()
    };
    let institution = mail.institution_name.as_deref().unwrap_or("Endonym");
    let why = words.one("mail-sign-in-why", "email", &mail.email);
    let why_html = words.one_html("mail-sign-in-why", "email", &mail.email);
    Ok(Rendered {
        subject: without_isolates(&words.one("mail-sign-in-subject", "institution", institution)),
        text: SignInText { words, mail: &isolated, why }.render()?,
        html: SignInHtml { words, mail, why: why_html }.render()?,
    })
}

#[derive(Template)]
#[template(path = "mail/test.txt", escape = "none")]
struct TestText {
    words: Words,
}

#[derive(Template)]
#[template(path = "mail/test.html")]
struct TestHtml {
    words: Words,
}

pub fn test(language: Language) -> askama::Result<Rendered> {
    let words = Words::new(language);
    Ok(Rendered {
        subject: words.text("mail-test-subject"),
        text: TestText { words }.render()?,
        html: TestHtml { words }.render()?,
    })
}

/// Some programs show these characters of a subject as boxes.
fn without_isolates(text: &str) -> String {
    text.replace(['\u{2068}', '\u{2069}'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(language: Language) -> SignIn {
        SignIn {
            code: "K7PX4MQA".into(),
            link: "https://names.example.edu/sign-in/link/abc?a=1&b=2".into(),
            email: "ana<b>@example.edu".into(),
            language,
            institution_name: Some("جامعة <المثال>".into()),
        }
    }

    #[test]
    fn a_sign_in_message_has_code_and_link_in_both_forms() {
        let rendered = sign_in(&mail(Language::English)).unwrap();
        assert!(rendered.text.contains("    K7PX4MQA\n"), "{}", rendered.text);
        assert!(rendered.text.contains("    https://names.example.edu/sign-in/link/abc?a=1&b=2\n"));
        assert!(rendered.html.contains("K7PX4MQA"));
        assert!(
            rendered.html.contains("href=\"https://names.example.edu/sign-in/link/abc?a=1&#38;b=2\""),
            "{}",
            rendered.html
        );
    }

    #[test]
    fn foreign_names_are_isolated_and_markup_is_escaped() {
        let rendered = sign_in(&mail(Language::English)).unwrap();
        assert!(rendered.text.contains("\u{2068}جامعة <المثال>\u{2069}"));
        assert!(rendered.text.contains("\u{2068}ana<b>@example.edu\u{2069}"));
        assert!(rendered.html.contains("<bdi>جامعة &#60;المثال&#62;</bdi>"), "{}", rendered.html);
        assert!(rendered.html.contains("<bdi>ana&lt;b&gt;@example.edu</bdi>"), "{}", rendered.html);
        assert_eq!(rendered.subject, "Your code to sign in: جامعة <المثال>");
    }

    #[test]
    fn the_root_names_language_and_direction() {
        let english = sign_in(&mail(Language::English)).unwrap().html;
        assert!(english.contains("<html lang=\"en\" dir=\"ltr\">"), "{english}");
        let arabic = test(Language::Arabic).unwrap().html;
        assert!(arabic.contains("<html lang=\"ar\" dir=\"rtl\">"), "{arabic}");
    }
}

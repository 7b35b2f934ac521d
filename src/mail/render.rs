//! The texts of messages, from the templates in `templates/mail`.

use askama::Template;
use jiff::tz::TimeZone;

use crate::{
    domain::{
        email::Email,
        language::Language,
        mail_text::{self, MailText, PageMailKind, Piece, Placeholder},
        message::{Notice, Warning},
        moment::Moment,
    },
    words::{Arg, Words},
};

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
    let bare =
        SignIn { institution_name: mail.institution_name.as_deref().map(without_isolates), ..mail.clone() };
    let in_text = SignIn { institution_name: bare.institution_name.as_deref().map(isolated), ..mail.clone() };
    let institution = mail.institution_name.as_deref().unwrap_or("Endonym");
    let why = words.one("mail-sign-in-why", "email", &mail.email);
    let why_html = words.one_html("mail-sign-in-why", "email", &mail.email);
    Ok(Rendered {
        subject: without_isolates(&words.one("mail-sign-in-subject", "institution", institution)),
        text: SignInText { words, mail: &in_text, why }.render()?,
        html: isolating(&SignInHtml { words, mail: &bare, why: why_html }.render()?),
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
        html: isolating(&TestHtml { words }.render()?),
    })
}

#[derive(Template)]
#[template(path = "mail/warning.txt", escape = "none")]
struct WarningText<'a> {
    what: String,
    then: String,
    link: &'a str,
}

#[derive(Template)]
#[template(path = "mail/warning.html")]
struct WarningHtml<'a> {
    words: Words,
    subject: &'a str,
    /// Escaped, like `then`.
    what: String,
    then: String,
    link: &'a str,
}

/// Tells a person what has happened to their data.
pub fn warning(
    about: &Warning,
    institution: &str,
    base_url: &str,
    language: Language,
) -> askama::Result<Rendered> {
    let words = Words::new(language);
    let (subject, what, then, args) = match about {
        Warning::AddressChanged { old, new, .. } => (
            "mail-address-subject",
            "mail-address-what",
            "mail-address-then",
            [("old", Arg::Text(old)), ("new", Arg::Text(new)), ("institution", Arg::Text(institution))],
        ),
        Warning::RecordingReplaced { page, until } => (
            "mail-replaced-subject",
            "mail-replaced-what",
            "mail-replaced-then",
            [("page", Arg::Text(page)), ("date", Arg::Text(until)), ("institution", Arg::Text(institution))],
        ),
    };
    let link = format!("{base_url}/me");
    let subject = without_isolates(&words.one(subject, "institution", institution));
    let text =
        WarningText { what: words.with(what, &args), then: words.with(then, &args), link: &link }.render()?;
    let (what, then) = (words.html(what, &args), words.html(then, &args));
    let html = WarningHtml { words, subject: &subject, what, then, link: &link }.render()?;
    Ok(Rendered { subject, text, html })
}

#[derive(Template)]
#[template(path = "mail/notice.txt", escape = "none")]
struct NoticeText {
    what: String,
    then: String,
}

#[derive(Template)]
#[template(path = "mail/notice.html")]
struct NoticeHtml<'a> {
    words: Words,
    subject: &'a str,
    /// Escaped, like `then`.
    what: String,
    then: String,
}

/// Tells a person about a merge.
pub fn notice(about: Notice, institution: &str, page: &str, language: Language) -> askama::Result<Rendered> {
    let words = Words::new(language);
    let what = match about {
        Notice::MergedIntoOwn => "mail-merged-own",
        Notice::MergedIntoOther => "mail-merged-other",
    };
    let then = "mail-merged-then";
    let args: [(&'static str, Arg<'_>); 2] = [("institution", institution.into()), ("page", page.into())];
    let subject = without_isolates(&words.one("mail-merged-subject", "institution", institution));
    let text = NoticeText { what: words.with(what, &args), then: words.with(then, &args) }.render()?;
    let html =
        NoticeHtml { words, subject: &subject, what: words.html(what, &args), then: words.html(then, &args) };
    let html = html.render()?;
    Ok(Rendered { subject, text, html })
}

/// What a mail about a name page says. It is collected when the mail is sent.
#[derive(Debug, Clone)]
pub struct PageMail {
    pub to: Email,
    /// The recipient's name, if it is known.
    pub name: Option<String>,
    pub institution_name: String,
    pub page_title: String,
    /// A path that starts with `/`, to which the base URL of the message is added, or a whole URL.
    pub link: String,
    /// The recipient's.
    pub language: Language,
    /// The last moment for recording, in words.
    pub closes: Option<String>,
    /// Why a recording was not accepted.
    pub reason: Option<String>,
    /// The day on which recordings are deleted, in words.
    pub date: Option<String>,
}

impl PageMail {
    /// The value of a placeholder, on one line.
    fn value(&self, placeholder: Placeholder) -> Option<String> {
        let value = match placeholder {
            Placeholder::Name => self.name.as_deref(),
            Placeholder::Page => Some(self.page_title.as_str()),
            Placeholder::Institution => Some(self.institution_name.as_str()),
            Placeholder::Link => Some(self.link.as_str()),
            Placeholder::Closes => self.closes.as_deref(),
            Placeholder::Reason => self.reason.as_deref(),
            Placeholder::Date => self.date.as_deref(),
        };
        let line = without_isolates(value?).split_whitespace().collect::<Vec<_>>().join(" ");
        (!line.is_empty()).then_some(line)
    }
}

/// A date with its time to the minute, in a form that every language reads.
pub fn minute(at: Moment, zone: &TimeZone) -> String {
    at.shown_in(zone).chars().take("2027-01-31T17:00".len()).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

/// A part of a line.
enum Part {
    Text(String),
    Value(String),
    Link,
}

impl Part {
    const fn is_link(&self) -> bool {
        matches!(self, Self::Link)
    }

    const fn is_value(&self) -> bool {
        matches!(self, Self::Value(_))
    }

    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Value(text) => text,
            Self::Link => "",
        }
    }
}

#[derive(Default)]
struct Paragraph {
    lines: Vec<Vec<Part>>,
}

impl Paragraph {
    /// Only the link, which becomes a button.
    fn is_link(&self) -> bool {
        matches!(&self.lines[..], [line] if matches!(&line[..], [Part::Link]))
    }

    fn plain(&self, link: &str) -> String {
        let line = |line: &Vec<Part>| {
            line.iter()
                .map(|part| match part {
                    Part::Text(text) => text.clone(),
                    Part::Value(value) => isolated(value),
                    Part::Link => link.to_owned(),
                })
                .collect::<String>()
        };
        self.lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[derive(Template)]
#[template(path = "mail/page_mail.txt", escape = "none")]
struct PageMailText<'a> {
    words: Words,
    institution: String,
    body: String,
    why: String,
    unsubscribe: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "mail/page_mail.html")]
struct PageMailHtml<'a> {
    words: Words,
    subject: &'a str,
    institution: &'a str,
    paragraphs: &'a [Paragraph],
    link: &'a str,
    button: String,
    /// Escaped.
    why: String,
    unsubscribe: Option<&'a str>,
}

/// A page mail with this text, which may be the institution's own.
pub fn page_mail(
    kind: PageMailKind,
    mail: &PageMail,
    text: &MailText,
    unsubscribe: Option<&str>,
) -> askama::Result<Rendered> {
    let words = Words::new(mail.language);
    let paragraphs = filled(kind, mail, &text.text);
    let subject = filled_subject(mail, &text.subject);
    let body: Vec<String> = paragraphs.iter().map(|paragraph| paragraph.plain(&mail.link)).collect();
    let institution = &*without_isolates(&mail.institution_name);
    let plain = PageMailText {
        words,
        institution: isolated(institution),
        body: body.join("\n\n"),
        why: words.one("page-mail-why", "institution", institution),
        unsubscribe,
    };
    let html = PageMailHtml {
        words,
        subject: &subject,
        institution,
        paragraphs: &paragraphs,
        link: &mail.link,
        button: button(kind, words),
        why: words.one_html("page-mail-why", "institution", institution),
        unsubscribe,
    };
    let (text, html) = (plain.render()?, isolating(&html.render()?));
    Ok(Rendered { subject, text, html })
}

fn button(kind: PageMailKind, words: Words) -> String {
    match kind {
        PageMailKind::Invitation
        | PageMailKind::Reminder
        | PageMailKind::Rejection
        | PageMailKind::RecordingRequest => words.text("page-mail-button-record"),
        PageMailKind::EntryRejection | PageMailKind::Retention => words.text("page-mail-button-page"),
    }
}

/// The text that comes with the software, with placeholders, so that an institution can change it.
pub fn built_in(kind: PageMailKind, language: Language) -> MailText {
    let words = Words::new(language);
    let (subject, text) = match kind {
        PageMailKind::Invitation => ("page-mail-invitation-subject", "page-mail-invitation-text"),
        PageMailKind::Reminder => ("page-mail-reminder-subject", "page-mail-reminder-text"),
        PageMailKind::Rejection => ("page-mail-rejection-subject", "page-mail-rejection-text"),
        PageMailKind::EntryRejection => {
            ("page-mail-entry-rejection-subject", "page-mail-entry-rejection-text")
        }
        PageMailKind::RecordingRequest => ("page-mail-request-subject", "page-mail-request-text"),
        PageMailKind::Retention => ("page-mail-retention-subject", "page-mail-retention-text"),
    };
    let args = |permitted: &[Placeholder]| -> Vec<(&'static str, Arg<'static>)> {
        permitted.iter().map(|one| (name(*one), Arg::Text(one.written()))).collect()
    };
    MailText {
        subject: words.plain(subject, &args(&Placeholder::IN_SUBJECTS)),
        text: words.plain(text, &args(kind.placeholders())),
    }
}

/// The name of a placeholder's argument in the catalogs.
const fn name(placeholder: Placeholder) -> &'static str {
    match placeholder {
        Placeholder::Name => "name",
        Placeholder::Page => "page",
        Placeholder::Institution => "institution",
        Placeholder::Link => "link",
        Placeholder::Closes => "closes",
        Placeholder::Reason => "reason",
        Placeholder::Date => "date",
    }
}

/// The paragraphs of a text. A line with a placeholder that has no value is left out.
fn filled(kind: PageMailKind, mail: &PageMail, text: &str) -> Vec<Paragraph> {
    let mut paragraphs = vec![Paragraph::default()];
    for line in text.lines().map(str::trim) {
        if line.is_empty() {
            paragraphs.push(Paragraph::default());
        } else if let (Some(parts), Some(last)) = (filled_line(kind, mail, line), paragraphs.last_mut()) {
            last.lines.push(parts);
        }
    }
    paragraphs.retain(|paragraph| !paragraph.lines.is_empty());
    paragraphs
}

fn filled_line(kind: PageMailKind, mail: &PageMail, line: &str) -> Option<Vec<Part>> {
    let part = |piece| match piece {
        Piece::Text(text) => Some(Part::Text(text.to_owned())),
        Piece::Value(Placeholder::Link) => Some(Part::Link),
        Piece::Value(placeholder) => mail.value(placeholder).map(Part::Value),
    };
    mail_text::pieces(line, kind.placeholders()).into_iter().map(part).collect()
}

fn filled_subject(mail: &PageMail, subject: &str) -> String {
    let part = |piece| match piece {
        Piece::Text(text) => text.to_owned(),
        Piece::Value(placeholder) => mail.value(placeholder).unwrap_or_default(),
    };
    mail_text::pieces(subject, &Placeholder::IN_SUBJECTS).into_iter().map(part).collect()
}

/// The HTML form of a message, in which each `<bdi>` has isolates inside as well: Gmail and Outlook ignore the element. Those with a direction are codes
/// and links, which are copied.
fn isolating(html: &str) -> String {
    let mut pieces = html.split("<bdi>");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |done, piece| done + "<bdi>\u{2068}" + &piece.replacen("</bdi>", "\u{2069}</bdi>", 1))
}

/// A text in a line that may run in the other direction.
fn isolated(text: &str) -> String {
    format!("\u{2068}{}\u{2069}", without_isolates(text))
}

/// Some programs show these characters of a subject as boxes.
fn without_isolates(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\u{2066}'..='\u{2069}')).collect()
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
        assert!(
            rendered.html.contains("<bdi>\u{2068}جامعة &#60;المثال&#62;\u{2069}</bdi>"),
            "{}",
            rendered.html
        );
        assert!(
            rendered.html.contains("<bdi>\u{2068}ana&lt;b&gt;@example.edu\u{2069}</bdi>"),
            "{}",
            rendered.html
        );
        assert_eq!(rendered.subject, "Your code to sign in: جامعة <المثال>");
    }

    /// Programs that ignore `<bdi>` see only the isolates, so each element has a pair of them, whatever the name contains.
    #[test]
    fn every_name_is_isolated_in_html_as_well() {
        for language in Language::ALL {
            let hostile = |name: &str| Some(format!("{name}\u{2069}\u{2067}"));
            let sign_in = sign_in(&SignIn { institution_name: hostile("جامعة"), ..mail(language) }).unwrap();
            let pages = PageMailKind::ALL.map(|kind| {
                let some = some_page_mail(language);
                let odd =
                    PageMail {
                        institution_name: hostile("جامعة").unwrap(), name: hostile("Ana"), ..some
                    };
                page_mail(kind, &odd, &built_in(kind, language), Some("https://x.org/u/1")).unwrap()
            });
            for html in pages.into_iter().chain([sign_in, test(language).unwrap()]).map(|one| one.html) {
                let of_names: Vec<&str> = html.split("<bdi>").skip(1).collect();
                for name in &of_names {
                    let inside = name.split("</bdi>").next().unwrap();
                    let bare = inside.strip_prefix('\u{2068}').and_then(|rest| rest.strip_suffix('\u{2069}'));
                    assert!(
                        bare.is_some_and(|bare| !bare.contains(['\u{2067}', '\u{2068}', '\u{2069}'])),
                        "{html}"
                    );
                }
                assert_eq!(
                    html.matches(['\u{2066}', '\u{2067}', '\u{2068}']).count(),
                    of_names.len(),
                    "{html}"
                );
            }
        }
    }

    fn some_page_mail(language: Language) -> PageMail {
        PageMail {
            to: Email::parse("ana@example.edu").unwrap(),
            name: Some("Ana <b>\u{2069}{link}".into()),
            institution_name: "جامعة <المثال>".into(),
            page_title: "Class & friends".into(),
            link: "https://names.example.edu/i/7-abc?a=1&b=2".into(),
            language,
            closes: Some("31 January 2027".into()),
            reason: Some("Too quiet,\n\nplease try again".into()),
            date: Some("2027-01-31".into()),
        }
    }

    #[test]
    fn every_page_mail_in_every_language_has_all_it_needs_and_can_be_edited_as_it_is() {
        for language in Language::ALL {
            for kind in PageMailKind::ALL {
                let text = built_in(kind, language);
                assert_eq!(
                    MailText::parse(kind, &text.subject, &text.text),
                    Ok(text.clone()),
                    "{language:?}"
                );
                for placeholder in kind.placeholders() {
                    let is_there = text.text.contains(placeholder.written());
                    assert!(is_there || *placeholder == Placeholder::Institution, "{language:?} {text:?}");
                }
                let stop = Some("https://names.example.edu/u/xyz");
                let rendered = page_mail(kind, &some_page_mail(language), &text, stop).unwrap();
                assert!(
                    rendered.text.contains("\nhttps://names.example.edu/i/7-abc?a=1&b=2\n"),
                    "{rendered:?}"
                );
                assert!(rendered.text.contains("    https://names.example.edu/u/xyz"), "{rendered:?}");
                assert!(rendered.text.starts_with("\u{2068}جامعة <المثال>\u{2069}\n\n"), "{rendered:?}");
                assert!(rendered.html.contains("href=\"https://names.example.edu/i/7-abc?a=1&#38;b=2\""));
                assert!(rendered.html.contains("href=\"https://names.example.edu/u/xyz\""));
                let root = format!("<html lang=\"{}\" dir=\"{}\">", language.tag(), language.direction());
                assert!(rendered.html.contains(&root), "{rendered:?}");
                assert!(rendered.subject.contains("Class & friends"), "{rendered:?}");
                assert!(!rendered.subject.contains(['\u{2068}', '{']), "{rendered:?}");
            }
        }
    }

    #[test]
    fn values_are_isolated_escaped_and_never_filled_in_themselves() {
        let text = MailText {
            subject: "{page} at {institution}".into(),
            text: "Hello {name},\n<i>see</i> {link} & more.\n\n{reason}".into(),
        };
        let rendered =
            page_mail(PageMailKind::Rejection, &some_page_mail(Language::English), &text, None).unwrap();
        assert_eq!(rendered.subject, "Class & friends at جامعة <المثال>");
        assert!(rendered.text.contains("Hello \u{2068}Ana <b>{link}\u{2069},\n"), "{rendered:?}");
        assert!(rendered.text.contains("\u{2068}Too quiet, please try again\u{2069}"), "{rendered:?}");
        assert!(
            rendered.html.contains("Hello <bdi>\u{2068}Ana &#60;b&#62;{link}\u{2069}</bdi>,<br>"),
            "{rendered:?}"
        );
        assert!(rendered.html.contains("&#60;i&#62;see&#60;/i&#62; <a href="), "{rendered:?}");
        assert!(!rendered.text.contains("/u/") && !rendered.html.contains("/u/"), "{rendered:?}");
    }

    #[test]
    fn a_line_without_its_value_is_left_out() {
        let text = MailText {
            subject: "S".into(),
            text: "Hello {name},\n\nUntil {closes}.\nPlease record.\n\nOr not: {closes}\n\n{link}".into(),
        };
        let bare = PageMail { name: Some(" ".into()), closes: None, ..some_page_mail(Language::English) };
        let rendered = page_mail(PageMailKind::Invitation, &bare, &text, None).unwrap();
        let body = "\n\nPlease record.\n\nhttps://names.example.edu/i/7-abc?a=1&b=2\n\n";
        assert!(rendered.text.contains(body), "{rendered:?}");
    }

    #[test]
    fn a_time_is_shown_to_the_minute() {
        let at = Moment::from_micros(1_767_225_600_000_000);
        assert_eq!(minute(at, &TimeZone::UTC), "2026-01-01 00:00");
    }

    #[test]
    fn the_root_names_language_and_direction() {
        let english = sign_in(&mail(Language::English)).unwrap().html;
        assert!(english.contains("<html lang=\"en\" dir=\"ltr\">"), "{english}");
        let arabic = test(Language::Arabic).unwrap().html;
        assert!(arabic.contains("<html lang=\"ar\" dir=\"rtl\">"), "{arabic}");
    }
}

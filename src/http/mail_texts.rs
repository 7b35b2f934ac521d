//! The form with which an institution replaces the subject and the text of a message, and a preview (`templates/parts/mail_text.html`):
//! in the console, and on name pages.

use axum::http::StatusCode;

use super::form::Form;
use crate::{
    app::{Actor, App, Error, Result, mail_texts},
    domain::{
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        ids::InstitutionId,
        language::Language,
        mail_text::{MailText, PageMailKind, Placeholder, SUBJECT, TEXT},
    },
    mail::Rendered,
    words::Words,
};

/// Which text is shown.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    pub kind: PageMailKind,
    pub language: Language,
}

impl Asked {
    /// From a query or a form. Without one, the first message in the visitor's language.
    pub fn read(form: &Form, visitor: Language) -> Self {
        Self {
            kind: form.get("message").and_then(PageMailKind::parse).unwrap_or(PageMailKind::Invitation),
            language: form.get("language").and_then(Language::parse).unwrap_or(visitor),
        }
    }

    pub fn query(self) -> String {
        format!("message={}&language={}", self.kind.word(), self.language.tag())
    }
}

/// What has been entered and not saved, and what is wrong with it.
#[derive(Default)]
pub struct Entered {
    text: Option<MailText>,
    errors: FieldErrors,
    /// Identifies the text that the form was about. It stays until somebody is told that theirs is not the newest.
    version: Option<String>,
    is_outdated: bool,
}

/// What became of a form.
pub enum Sent {
    /// The word with which the page says so.
    Done(&'static str),
    /// Nothing is saved: the page shows what was entered.
    Again(StatusCode, Entered),
}

/// Saves what was typed, goes back to the original text, or only checks what was typed, for a preview.
pub async fn send(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    asked: Asked,
    form: &Form,
) -> Result<Sent> {
    let (typed, version) = (typed(form), form.get("version").unwrap_or_default().to_owned());
    let again = |status, text, errors, version| {
        Sent::Again(status, Entered { text, errors, version, is_outdated: status == StatusCode::CONFLICT })
    };
    if form.get("do") == Some("preview") {
        let (status, errors) = match MailText::parse(asked.kind, &typed.subject, &typed.text) {
            Ok(_) => (StatusCode::OK, FieldErrors::default()),
            Err(errors) => (StatusCode::UNPROCESSABLE_ENTITY, errors),
        };
        return Ok(again(status, Some(typed), errors, Some(version)));
    }
    let is_reset = form.get("do") == Some("reset");
    let (place, wanted) = ((asked.kind, asked.language), (!is_reset).then_some(typed));
    let base = Some(version.clone());
    match mail_texts::replace(app, actor, institution, place, wanted.as_ref(), base).await {
        Ok(()) => Ok(Sent::Done(if is_reset { "reset" } else { "saved" })),
        Err(Error::Invalid(errors)) if errors.has(&Field::Version) => {
            Ok(again(StatusCode::CONFLICT, wanted, FieldErrors::default(), None))
        }
        Err(Error::Invalid(errors)) => {
            Ok(again(StatusCode::UNPROCESSABLE_ENTITY, wanted, errors, Some(version)))
        }
        Err(error) => Err(error),
    }
}

/// Browsers send line breaks as CRLF. A subject has one line, and an input of two, where all of it can be seen on a phone.
fn typed(form: &Form) -> MailText {
    let text = |name| form.get(name).unwrap_or_default().replace("\r\n", "\n");
    MailText { subject: text("subject").replace('\n', " "), text: text("text") }
}

/// An entry of a menu.
pub struct Choice {
    pub word: &'static str,
    pub label: String,
    pub is_chosen: bool,
}

pub struct MailTextView {
    pub asked: Asked,
    pub kinds: Vec<Choice>,
    pub languages: Vec<Choice>,
    /// The institution has replaced the text that comes with the software.
    pub is_own: bool,
    /// What is shown has been entered, and not saved.
    pub is_unsaved: bool,
    pub subject: String,
    pub text: String,
    pub subject_fault: Option<String>,
    pub text_fault: Option<String>,
    pub subject_help: String,
    pub text_help: String,
    pub preview: Option<Rendered>,
    /// Identifies the text that the form is about.
    pub version: String,
    /// What somebody else has saved meanwhile, after a sentence about it.
    pub other: Option<(String, MailText)>,
}

impl MailTextView {
    pub async fn find(
        app: &App,
        actor: &Actor,
        institution: InstitutionId,
        words: Words,
        asked: Asked,
        entered: Entered,
    ) -> Result<Self> {
        let (Asked { kind, language }, Entered { text: typed, errors, version, is_outdated }) =
            (asked, entered);
        let in_force = mail_texts::find(app, actor, institution, kind, language).await?;
        let preview = match errors.is_empty() {
            true => Some(mail_texts::preview(app, actor, institution, kind, language, typed.clone()).await?),
            false => None,
        };
        let is_unsaved = typed.is_some();
        let other = is_outdated.then(|| {
            let told = match (is_unsaved, in_force.is_own) {
                (true, true) => "page-mail-page-outdated",
                (true, false) => "page-mail-page-outdated-reset",
                // They wanted the original text.
                (false, true) => "page-mail-page-not-reset",
                (false, false) => "page-mail-page-was-reset",
            };
            (words.text(told), in_force.text.clone())
        });
        let MailText { subject, text } = typed.unwrap_or_else(|| in_force.text.clone());
        let said = |field: &Field| errors.said(field, |fault| sentence(words, fault));
        Ok(Self {
            asked,
            kinds: PageMailKind::ALL.into_iter().map(|one| kind_choice(words, one, kind)).collect(),
            languages: Language::ALL.into_iter().map(|one| language_choice(one, language)).collect(),
            is_own: in_force.is_own,
            is_unsaved,
            subject,
            text,
            subject_fault: said(&SUBJECT),
            text_fault: said(&TEXT),
            subject_help: help(words, "page-mail-page-subject-help", &Placeholder::IN_SUBJECTS),
            text_help: help(words, "page-mail-page-text-help", kind.placeholders()),
            preview,
            version: version.unwrap_or_else(|| mail_texts::version(&in_force.text)),
            other,
        })
    }
}

fn kind_choice(words: Words, kind: PageMailKind, chosen: PageMailKind) -> Choice {
    let label = words.text(match kind {
        PageMailKind::Invitation => "page-mail-kind-invitation",
        PageMailKind::Reminder => "page-mail-kind-reminder",
        PageMailKind::Rejection => "page-mail-kind-rejection",
        PageMailKind::EntryRejection => "page-mail-kind-entry-rejection",
        PageMailKind::RecordingRequest => "page-mail-kind-request",
        PageMailKind::Retention => "page-mail-kind-retention",
    });
    Choice { word: kind.word(), label, is_chosen: kind == chosen }
}

fn language_choice(language: Language, chosen: Language) -> Choice {
    Choice { word: language.tag(), label: language.own_name().to_owned(), is_chosen: language == chosen }
}

/// Each placeholder is isolated from the others, so that their list runs from right to left in Arabic.
fn help(words: Words, id: &str, permitted: &[Placeholder]) -> String {
    let comma = match words.language() {
        Language::Arabic => "، ",
        Language::Chinese => "、",
        Language::English
        | Language::Spanish
        | Language::French
        | Language::German
        | Language::Portuguese => ", ",
    };
    let written: Vec<&str> = permitted.iter().map(|one| one.written()).collect();
    // No placeholder has a line break.
    let help = words.one(id, "placeholders", &written.join("\n"));
    help.replace('\n', &format!("\u{2069}{comma}\u{2068}"))
}

fn sentence(words: Words, fault: &Fault) -> String {
    match fault {
        Fault::Blank => words.text("page-mail-fault-blank"),
        Fault::TooLong { most } => words.one("page-mail-fault-long", "most", *most as u64),
        Fault::Setup(SetupFault::UnknownPlaceholder(given)) => {
            words.one("page-mail-fault-unknown", "placeholder", given)
        }
        Fault::Setup(SetupFault::MissingPlaceholder(written)) => {
            words.one("page-mail-fault-missing", "placeholder", *written)
        }
        _ => words.text("page-mail-fault-characters"),
    }
}

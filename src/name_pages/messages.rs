//! `/p/{slug}/messages`: administrators replace the subjects and texts of messages, see a preview in each language, and send
//! themselves a test message.

use askama::Template;
use axum::{
    extract::{RawQuery, State},
    http::StatusCode,
    response::Response,
};

use super::visit::{Managed, Visit};
use crate::{
    app::{Actor, App, Error, Result, mail_texts},
    domain::{
        email::Email,
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        ids::InstitutionId,
        language::Language,
        mail_text::{LetterKind, MailText, Placeholder, SUBJECT, TEXT},
    },
    http::{form::Form, html::root, notice, page::Page, reply, session::OwnForm},
    mail::Rendered,
    words::Words,
};

/// An entry of a menu.
struct Choice {
    word: &'static str,
    label: String,
    is_chosen: bool,
}

#[derive(Template)]
#[template(path = "name_pages/messages.html")]
struct MessagesPage<'a> {
    page: Page<'a>,
    slug: &'a str,
    /// The institution's name is in it. Escaped.
    lead: String,
    kinds: Vec<Choice>,
    languages: Vec<Choice>,
    asked: Asked,
    is_own: bool,
    /// What is shown has been entered, and not saved.
    is_unsaved: bool,
    subject: String,
    text: String,
    subject_faults: Vec<String>,
    text_faults: Vec<String>,
    subject_help: String,
    text_help: String,
    preview: Option<Rendered>,
    /// Where a test message goes. Escaped.
    test_lead: String,
    done: Option<String>,
}

/// Which text is shown.
#[derive(Debug, Clone, Copy)]
struct Asked {
    kind: LetterKind,
    language: Language,
}

impl Asked {
    /// From a query or a form. Without one, the first message in the visitor's language.
    fn read(form: &Form, visit: &Visit) -> Self {
        Self {
            kind: form.get("message").and_then(LetterKind::parse).unwrap_or(LetterKind::Invitation),
            language: form.get("language").and_then(Language::parse).unwrap_or(visit.language),
        }
    }
}

/// What has been entered, and what is wrong with it.
#[derive(Default)]
struct Entered {
    text: Option<MailText>,
    errors: FieldErrors,
}

pub async fn show(State(app): State<App>, Managed(visit): Managed, RawQuery(query): RawQuery) -> Response {
    let query = Form::from_query(query.as_deref().unwrap_or_default());
    let done = query.get("done").and_then(|word| match word {
        "saved" => Some("letters-page-saved"),
        "reset" => Some("letters-page-was-reset"),
        "tested" => Some("letters-page-tested"),
        _ => None,
    });
    let asked = Asked::read(&query, &visit);
    shown(&app, &visit, asked, Entered::default(), done, StatusCode::OK).await
}

pub async fn send(
    State(app): State<App>,
    Managed(visit): Managed,
    OwnForm { signed_in, form }: OwnForm,
) -> Response {
    let asked = Asked::read(&form, &visit);
    let Some((_, actor, person)) = visit.person().filter(|_| !signed_in.is_restricted()) else {
        return notice::restricted(&app, &signed_in);
    };
    let (institution, entered) = (visit.public.institution.id, entered(&form));
    let done = match form.get("do") {
        Some("preview") => return preview(&app, &visit, asked, entered).await,
        Some("reset") => {
            mail_texts::reset(&app, actor, institution, asked.kind, asked.language).await.map(|_| "reset")
        }
        Some("test") => match Email::parse(&person.email_key) {
            Some(to) => {
                let sent = mail_texts::send_test(&app, actor, institution, asked.kind, asked.language, to);
                sent.await.map(|()| "tested")
            }
            None => Ok("tested"),
        },
        _ => save(&app, actor, institution, asked, &entered).await.map(|()| "saved"),
    };
    match done {
        Ok(word) => {
            let (kind, language) = (asked.kind.word(), asked.language.tag());
            let path = visit.path("/messages");
            reply::see_other(&format!(
                "{}{path}?message={kind}&language={language}&done={word}",
                root(&app.links)
            ))
        }
        Err(Error::Invalid(errors)) => {
            let entered = Entered { text: Some(entered), errors };
            shown(&app, &visit, asked, entered, None, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(error) => fault(&app, &visit, &error),
    }
}

/// Browsers send line breaks as CRLF. A subject has one line, and an input of two, where all of it can be seen on a phone.
fn entered(form: &Form) -> MailText {
    let text = |name| form.get(name).unwrap_or_default().replace("\r\n", "\n");
    MailText { subject: text("subject").replace('\n', " "), text: text("text") }
}

async fn save(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    asked: Asked,
    entered: &MailText,
) -> Result<()> {
    let MailText { subject, text } = entered;
    mail_texts::set(app, actor, institution, asked.kind, asked.language, subject, text).await.map(|_| ())
}

/// The page with what has been entered, and nothing saved.
async fn preview(app: &App, visit: &Visit, asked: Asked, entered: MailText) -> Response {
    let (errors, status) = match MailText::parse(asked.kind, &entered.subject, &entered.text) {
        Ok(_) => (FieldErrors::default(), StatusCode::OK),
        Err(errors) => (errors, StatusCode::UNPROCESSABLE_ENTITY),
    };
    shown(app, visit, asked, Entered { text: Some(entered), errors }, None, status).await
}

async fn shown(
    app: &App,
    visit: &Visit,
    asked: Asked,
    entered: Entered,
    done: Option<&str>,
    status: StatusCode,
) -> Response {
    let path = format!(
        "{}?message={}&language={}",
        visit.path("/messages"),
        asked.kind.word(),
        asked.language.tag()
    );
    match page(app, visit, asked, entered, done, &path).await {
        Ok(shown) => visit.show_plain(app, status, &shown),
        Err(error) => fault(app, visit, &error),
    }
}

fn fault(app: &App, visit: &Visit, error: &Error) -> Response {
    let path = visit.path("");
    notice::fault(visit.page(app, &path), error)
}

async fn page<'a>(
    app: &'a App,
    visit: &'a Visit,
    asked: Asked,
    entered: Entered,
    done: Option<&str>,
    path: &'a str,
) -> Result<MessagesPage<'a>> {
    let Asked { kind, language } = asked;
    let institution = &visit.public.institution;
    let Some((_, actor, person)) = visit.person() else {
        return Err(Error::Unauthorized);
    };
    let in_force = mail_texts::find(app, actor, institution.id, kind, language).await?;
    let preview = match entered.errors.is_empty() {
        true => {
            let draft = entered.text.clone();
            Some(mail_texts::preview(app, actor, institution.id, kind, language, draft).await?)
        }
        false => None,
    };
    let page = visit.page(app, path);
    let words = page.words;
    let is_unsaved = entered.text.is_some();
    let MailText { subject, text } = entered.text.unwrap_or(in_force.text);
    Ok(MessagesPage {
        lead: words.one_html("letters-page-lead", "institution", &institution.name),
        kinds: LetterKind::ALL.into_iter().map(|one| kind_choice(words, one, kind)).collect(),
        languages: Language::ALL.into_iter().map(|one| language_choice(one, language)).collect(),
        is_own: in_force.is_own,
        is_unsaved,
        subject_faults: faults(words, &entered.errors, &SUBJECT),
        text_faults: faults(words, &entered.errors, &TEXT),
        subject_help: help(words, "letters-page-subject-help", &Placeholder::IN_SUBJECTS),
        text_help: help(words, "letters-page-text-help", kind.placeholders()),
        test_lead: words.one_html("letters-page-test-lead", "email", &person.email_key),
        done: done.map(|id| words.text(id)),
        slug: &visit.public.page.slug,
        subject,
        text,
        asked,
        preview,
        page,
    })
}

fn kind_choice(words: Words, kind: LetterKind, chosen: LetterKind) -> Choice {
    let label = words.text(match kind {
        LetterKind::Invitation => "letters-kind-invitation",
        LetterKind::Reminder => "letters-kind-reminder",
        LetterKind::Rejection => "letters-kind-rejection",
        LetterKind::RecordingRequest => "letters-kind-request",
        LetterKind::Retention => "letters-kind-retention",
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

/// What is wrong with an input.
fn faults(words: Words, errors: &FieldErrors, field: &Field) -> Vec<String> {
    let of_field = errors.iter().filter(|(found, _)| *found == field);
    of_field.flat_map(|(_, faults)| faults).map(|fault| sentence(words, fault)).collect()
}

fn sentence(words: Words, fault: &Fault) -> String {
    match fault {
        Fault::Blank => words.text("letters-fault-blank"),
        Fault::TooLong { most } => words.one("letters-fault-long", "most", *most as u64),
        Fault::Setup(SetupFault::UnknownPlaceholder(given)) => {
            words.one("letters-fault-unknown", "placeholder", given)
        }
        Fault::Setup(SetupFault::MissingPlaceholder(written)) => {
            words.one("letters-fault-missing", "placeholder", *written)
        }
        _ => words.text("letters-fault-characters"),
    }
}

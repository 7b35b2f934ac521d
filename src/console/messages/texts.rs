//! `/console/{slug}/messages/texts`: the subjects and texts of messages, with a preview in each language.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use crate::{
    app::{App, Error, Result, mail_texts},
    console::{
        inputs::is_outdated,
        rule::{Least, Rule},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        language::Language,
        mail_text::{LetterKind, MailText, Placeholder, SUBJECT, TEXT},
        section::Section,
    },
    http::{form::Form, page::Page},
    mail::Rendered,
    words::Words,
};

const PATH: &str = "/console/{slug}/messages/texts";

pub fn rules() -> Vec<Rule> {
    vec![Rule::get(PATH, Least::Admin, show), Rule::post(PATH, Least::Admin, send)]
}

/// An entry of a menu.
struct Choice {
    word: &'static str,
    label: String,
    is_chosen: bool,
}

#[derive(Template)]
#[template(path = "console/message_texts.html")]
struct TextsPage<'a> {
    page: Page<'a>,
    nav: Nav,
    asked: Asked,
    kinds: Vec<Choice>,
    languages: Vec<Choice>,
    is_own: bool,
    is_unsaved: bool,
    subject: String,
    text: String,
    subject_fault: Option<String>,
    text_fault: Option<String>,
    subject_help: String,
    text_help: String,
    version: String,
    /// What somebody else has saved meanwhile.
    other: Option<MailText>,
    preview: Option<Rendered>,
    done: Option<String>,
}

/// Which text is shown.
#[derive(Debug, Clone, Copy)]
struct Asked {
    kind: LetterKind,
    language: Language,
}

impl Asked {
    /// Without a choice, the first message in the visitor's language.
    fn read(form: &Form, console: &Console) -> Self {
        Self {
            kind: form.get("message").and_then(LetterKind::parse).unwrap_or(LetterKind::Invitation),
            language: form.get("language").and_then(Language::parse).unwrap_or(console.who.language()),
        }
    }

    fn query(self) -> String {
        format!("message={}&language={}", self.kind.word(), self.language.tag())
    }
}

/// What was typed and not saved.
#[derive(Default)]
struct Entered {
    text: Option<MailText>,
    errors: FieldErrors,
    is_outdated: bool,
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("saved") => Some("letters-page-saved"),
        Some("reset") => Some("letters-page-was-reset"),
        _ => None,
    };
    let asked = Asked::read(&query, &console);
    draw(&app, &console, StatusCode::OK, asked, Entered::default(), done).await
}

async fn draw(
    app: &App,
    console: &Console,
    status: StatusCode,
    asked: Asked,
    entered: Entered,
    done: Option<&str>,
) -> Response {
    let path = console.path(&format!("/messages/texts?{}", asked.query()));
    match view(app, console, &path, asked, entered, done).await {
        Ok(shown) => console.show(status, &shown),
        Err(error) => console.fault(app, &error),
    }
}

async fn view<'a>(
    app: &'a App,
    console: &Console,
    path: &'a str,
    asked: Asked,
    entered: Entered,
    done: Option<&str>,
) -> Result<TextsPage<'a>> {
    let (actor, id, Asked { kind, language }) = (&console.actor, console.id(), asked);
    let in_force = mail_texts::find(app, actor, id, kind, language).await?;
    let Entered { text: typed, errors, is_outdated } = entered;
    let preview = match errors.is_empty() {
        true => Some(mail_texts::preview(app, actor, id, kind, language, typed.clone()).await?),
        false => None,
    };
    let page = console.page(app, path);
    let words = page.words;
    let (version, is_unsaved) = (mail_texts::version(&in_force.text), typed.is_some());
    let other = is_outdated.then(|| in_force.text.clone());
    let MailText { subject, text } = typed.unwrap_or(in_force.text);
    Ok(TextsPage {
        nav: console.nav(app, Section::Messages),
        asked,
        kinds: LetterKind::ALL.into_iter().map(|one| kind_choice(words, one, kind)).collect(),
        languages: Language::ALL.into_iter().map(|one| language_choice(one, language)).collect(),
        is_own: in_force.is_own,
        is_unsaved,
        subject,
        text,
        subject_fault: fault(words, &errors, &SUBJECT),
        text_fault: fault(words, &errors, &TEXT),
        subject_help: help(words, "letters-page-subject-help", &Placeholder::IN_SUBJECTS),
        text_help: help(words, "letters-page-text-help", kind.placeholders()),
        version,
        other,
        preview,
        done: done.map(|id| words.text(id)),
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

fn help(words: Words, id: &str, permitted: &[Placeholder]) -> String {
    let written: Vec<&str> = permitted.iter().map(|one| one.written()).collect();
    words.one(id, "placeholders", &written.join(", "))
}

fn fault(words: Words, errors: &FieldErrors, field: &Field) -> Option<String> {
    let (_, faults) = errors.iter().find(|(found, _)| *found == field)?;
    let sentences: Vec<String> = faults.iter().map(|fault| sentence(words, fault)).collect();
    Some(sentences.join(" "))
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

async fn send(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let asked = Asked::read(&form, &console);
    // Browsers send line breaks as CRLF, and a subject has one line.
    let text = |name| form.get(name).unwrap_or_default().replace("\r\n", "\n");
    let typed = MailText { subject: text("subject").replace('\n', " "), text: text("text") };
    let (actor, id, Asked { kind, language }) = (&console.actor, console.id(), asked);
    if form.get("do") == Some("preview") {
        let (errors, status) = match MailText::parse(kind, &typed.subject, &typed.text) {
            Ok(_) => (FieldErrors::default(), StatusCode::OK),
            Err(errors) => (errors, StatusCode::UNPROCESSABLE_ENTITY),
        };
        let entered = Entered { text: Some(typed), errors, is_outdated: false };
        return draw(&app, &console, status, asked, entered, None).await;
    }
    let is_reset = form.get("do") == Some("reset");
    let (wanted, base) = ((!is_reset).then_some(&typed), form.get("version").unwrap_or_default());
    match mail_texts::replace(&app, actor, id, (kind, language), wanted, base.to_owned()).await {
        Ok(()) => {
            let done = if is_reset { "reset" } else { "saved" };
            console.go(&app, &format!("/messages/texts?{}&done={done}", asked.query()))
        }
        Err(Error::Invalid(errors)) if is_outdated(&errors) => {
            let text = (!is_reset).then_some(typed);
            let entered = Entered { text, is_outdated: true, ..Entered::default() };
            draw(&app, &console, StatusCode::CONFLICT, asked, entered, None).await
        }
        Err(Error::Invalid(errors)) => {
            let entered = Entered { text: Some(typed), errors, is_outdated: false };
            draw(&app, &console, StatusCode::UNPROCESSABLE_ENTITY, asked, entered, None).await
        }
        Err(error) => console.fault(&app, &error),
    }
}

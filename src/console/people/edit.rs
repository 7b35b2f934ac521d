//! Changing an entry. What was typed is kept when something is wrong, and when somebody else has changed the entry meanwhile.

use std::collections::HashMap;

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{IdPath, REJECTED, path_of, sentence, shown_name};
use crate::{
    app::{
        App, Error,
        people_entry::{self, EntryView},
    },
    console::{
        inputs::{is_outdated, shown_version},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{
        directory_hold,
        fault::Field,
        field_errors::FieldErrors,
        ids::ParticipantId,
        participant::{Draft, Given, LegalNames, TEXT_FIELDS, TextKind},
        section::Section,
        text::Lines,
    },
    http::{faults::Input, field_labels::label_id, form::Form, page::Page, path::Path},
    words::Words,
};

#[derive(Template)]
#[template(path = "console/person_edit.html")]
struct EditView<'a> {
    page: Page<'a>,
    nav: Nav,
    id: ParticipantId,
    name: String,
    version: String,
    inputs: Vec<TextInput>,
    /// Email and identifier, which nobody changes.
    fixed: Vec<(String, String)>,
    has_hold: bool,
    hold_before: bool,
    hold_fault: Option<String>,
    is_in_course: bool,
    /// Somebody else has changed the entry.
    is_changed: bool,
}

struct TextInput {
    name: String,
    label: String,
    value: String,
    /// What was there when the form was shown, and the name of the hidden input that says so.
    stored: String,
    before: String,
    is_long: bool,
    is_phone: bool,
    fault: Option<String>,
    /// What is there now, if somebody else has changed it.
    theirs: Option<String>,
    has_focus: bool,
}

/// What was sent, and what is wrong with it.
struct Rejected<'a> {
    form: &'a Form,
    errors: &'a FieldErrors,
}

pub async fn form(State(app): State<App>, console: Console, Path(path): Path<IdPath>) -> Response {
    match people_entry::find(&app, &console.actor, console.id(), path.id()).await {
        Ok(entry) => draw(&app, &console, &entry, None),
        Err(error) => console.fault(&app, &error),
    }
}

fn draw(app: &App, console: &Console, entry: &EntryView, rejected: Option<&Rejected<'_>>) -> Response {
    let id = entry.person.id;
    let path = console.path(&format!("{}/edit", path_of(id)));
    let page = console.page(app, &path);
    let (words, person) = (page.words, &entry.person);
    let fixed = [("import-field-email", &person.email), ("import-field-id", &person.identifier)];
    let typed_hold = rejected.and_then(|rejected| rejected.form.get(directory_hold::KEY));
    let fixed = fixed.into_iter().filter_map(|(id, value)| Some((words.text(id), value.clone()?)));
    let shown = EditView {
        nav: console.nav(app, Section::People),
        id,
        name: shown_name(words, person.full_name(), person.email.as_deref()),
        version: shown_version(rejected.map(|one| (one.form, one.errors)), entry.version.to_string()),
        inputs: inputs(words, console, entry, rejected),
        fixed: fixed.collect(),
        has_hold: typed_hold.and_then(directory_hold::parse).unwrap_or(person.directory_hold),
        hold_before: person.directory_hold,
        hold_fault: rejected
            .filter(|rejected| rejected.errors.has(&Field::DirectoryHold))
            .map(|_| words.text("console-people-hold-elsewhere")),
        is_in_course: entry.is_in_course,
        is_changed: rejected.is_some_and(|rejected| is_outdated(rejected.errors)),
        page,
    };
    console.show(if rejected.is_some() { REJECTED } else { StatusCode::OK }, &shown)
}

/// The values of an entry by the names of their inputs.
fn stored(console: &Console, entry: &EntryView) -> Vec<(String, String)> {
    let has_legal = console.institution.multiple_recordings;
    let texts = entry.person.texts();
    let texts =
        texts.filter(|(field, _)| field.kind != TextKind::Identifier && (has_legal || !field.is_legal));
    let mut all: Vec<(String, String)> =
        texts.map(|(field, value)| (field.key.to_owned(), value.unwrap_or_default().to_owned())).collect();
    all.push(("phone_number".to_owned(), entry.phone_number.clone().unwrap_or_default()));
    for field in &entry.fields {
        let value = entry.person.custom.0.get(&field.id).cloned().unwrap_or_default();
        all.push((field.import_key(), value));
    }
    all
}

/// The name of the hidden input with what an input began with.
fn before(name: &str) -> String {
    format!("was_{name}")
}

fn inputs(
    words: Words,
    console: &Console,
    entry: &EntryView,
    rejected: Option<&Rejected<'_>>,
) -> Vec<TextInput> {
    let labels: HashMap<String, &str> =
        entry.fields.iter().map(|field| (field.import_key(), field.label.as_str())).collect();
    let is_told = rejected.is_some_and(|rejected| is_outdated(rejected.errors));
    let input = |(name, stored): (String, String)| {
        let text = TEXT_FIELDS.iter().find(|field| field.key == name);
        let is_phone = name == "phone_number";
        let label = match (text, labels.get(&name)) {
            (Some(_), _) => words.text(label_id(&name)),
            (None, Some(label)) => (*label).to_owned(),
            (None, None) => words.text("import-field-phone"),
        };
        let field = match text {
            Some(field) => field.field.clone(),
            None if is_phone => Field::PhoneNumber,
            None => Field::Custom(name.clone()),
        };
        let kind = if is_phone { Input::PhoneNumber } else { Input::CustomField };
        let sent = rejected.map(|rejected| rejected.form);
        let typed = sent.and_then(|form| form.get(&name)).map(|text| text.replace("\r\n", "\n"));
        let seen = sent.and_then(|form| form.get(&before(&name))).map(|text| text.replace("\r\n", "\n"));
        // As the version, this stays until they are told that somebody else has changed the entry.
        let stored = seen.clone().filter(|_| !is_told).unwrap_or(stored);
        // What was not touched follows what is there. What somebody else has changed is shown beside what was typed.
        let typed = typed.filter(|typed| seen.as_ref() != Some(typed));
        let is_changed = seen.is_some_and(|seen| seen != stored);
        let is_theirs = is_changed && typed.as_ref().is_some_and(|typed| *typed != stored);
        TextInput {
            label,
            is_long: text.is_some_and(|field| field.kind.lines() == Lines::Many),
            is_phone,
            fault: rejected.and_then(|rejected| sentence(words, rejected.errors, &field, kind)),
            theirs: is_theirs.then(|| stored.clone()),
            value: typed.unwrap_or_else(|| stored.clone()),
            before: before(&name),
            stored,
            has_focus: false,
            name,
        }
    };
    let mut inputs: Vec<TextInput> = stored(console, entry).into_iter().map(input).collect();
    if let Some(first) = inputs.iter_mut().find(|input| input.fault.is_some()) {
        first.has_focus = true;
    }
    inputs
}

/// Reads what has changed. A phone number that is the same would count as a new one, and what somebody else may have changed in the
/// meantime is left alone.
fn draft(form: &Form, console: &Console) -> Draft {
    let legal = match console.institution.multiple_recordings {
        true => LegalNames::Permitted,
        false => LegalNames::Ignored,
    };
    let mut draft = Draft::read(form, legal);
    let is_same = |name: &str| {
        let plain = |text: &str| text.replace("\r\n", "\n");
        form.get(name).map(plain) == form.get(&before(name)).map(plain)
    };
    if is_same("phone_number") {
        draft.phone_number = Given::Absent;
        draft.errors.retain(|field| *field != Field::PhoneNumber);
    }
    if is_same(directory_hold::KEY) { draft } else { draft.with_directory_hold(form) }
}

pub async fn send(
    State(app): State<App>,
    Path(path): Path<IdPath>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let id: ParticipantId = path.id();
    let version = super::number(form.get("version").unwrap_or_default());
    let draft = draft(&form, &console);
    let errors = match people_entry::update(&app, &console.actor, console.id(), (id, version), draft).await {
        Ok(()) => return console.go(&app, &format!("{}?done=saved", path_of(id))),
        Err(Error::Invalid(errors)) => errors,
        Err(error) => return console.fault(&app, &error),
    };
    match people_entry::find(&app, &console.actor, console.id(), id).await {
        Ok(entry) => draw(&app, &console, &entry, Some(&Rejected { form: &form, errors: &errors })),
        Err(error) => console.fault(&app, &error),
    }
}

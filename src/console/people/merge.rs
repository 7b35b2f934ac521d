//! Merging two entries of one person: the differences side by side, and which one is kept.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{REJECTED, date, number, path_of, query_of, shown_name};
use crate::{
    app::{
        App, Error,
        people_merge::{self, Hindrance, MergeView},
    },
    console::{
        inputs::is_outdated,
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{
        fault::Field,
        ids::ParticipantId,
        participant::{Participant, Recording},
        section::Section,
    },
    http::{field_labels::label_id, page::Page},
    words::Words,
};

#[derive(Template)]
#[template(path = "console/people_merge.html")]
struct MergePage<'a> {
    page: Page<'a>,
    nav: Nav,
    kept: Side,
    other: Side,
    rows: Vec<Row>,
    is_other_in_course: bool,
    /// The email that is given up, if the two have different ones.
    given_up: Option<String>,
    /// Why the two cannot be merged.
    hindrance: Option<String>,
    fault: Option<String>,
}

struct Side {
    id: ParticipantId,
    version: i64,
    name: String,
}

/// A field with the values of both entries, and what it becomes.
struct Row {
    label: String,
    own: String,
    theirs: String,
    result: String,
    is_taken: bool,
}

pub async fn ask(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = query_of(&request);
    if query.get("keep").is_none() {
        // Two people are chosen in the list.
        return console.go(&app, "/people");
    }
    let ids = ["keep", "other"].map(|name| number(query.get(name).unwrap_or_default()));
    draw(&app, &console, ids, StatusCode::OK, None).await
}

async fn draw(
    app: &App,
    console: &Console,
    [kept, other]: [ParticipantId; 2],
    status: StatusCode,
    fault: Option<String>,
) -> Response {
    let view = match people_merge::preview(app, &console.actor, console.id(), (kept, other)).await {
        Ok(view) => view,
        Err(error) => return console.fault(app, &error),
    };
    let path = console.path(&format!("/people/merge?keep={kept}&other={other}"));
    let page = console.page(app, &path);
    let words = page.words;
    let side = |person: &Participant, version: i64| Side {
        id: person.id,
        version,
        name: shown_name(words, person.full_name(), person.email.as_deref()),
    };
    let given_up = view
        .other
        .email
        .clone()
        .filter(|email| view.kept.email.as_ref().is_some_and(|own| !own.eq_ignore_ascii_case(email)));
    let shown = MergePage {
        nav: console.nav(app, Section::People),
        kept: side(&view.kept, view.versions.0),
        other: side(&view.other, view.versions.1),
        rows: rows(words, console, &view),
        is_other_in_course: view.is_other_in_course,
        given_up,
        hindrance: view.hindrance.map(|hindrance| words.text(hindrance_id(hindrance))),
        fault,
        page,
    };
    console.show(status, &shown)
}

const fn hindrance_id(hindrance: Hindrance) -> &'static str {
    match hindrance {
        Hindrance::NeedsAdministrator => "console-people-merge-admin",
        Hindrance::Paused => "console-people-merge-paused",
    }
}

fn row(label: String, own: Option<&str>, theirs: Option<&str>, taken: Option<&str>) -> Option<Row> {
    if own.is_none() && theirs.is_none() {
        return None;
    }
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    Some(Row {
        label,
        own: text(own),
        theirs: text(theirs),
        result: text(taken.or(own)),
        is_taken: taken.is_some(),
    })
}

fn rows(words: Words, console: &Console, view: &MergeView) -> Vec<Row> {
    let MergeView { kept, other, plan, fields, .. } = view;
    let mut rows = Vec::new();
    let pages = (kept.page.title.as_str(), other.page.title.as_str());
    rows.push(row(words.text("console-people-page"), Some(pages.0), Some(pages.1), None));
    let email = other.email.as_deref();
    let taken = email.filter(|_| plan.takes_email);
    rows.push(row(words.text("import-field-email"), kept.email.as_deref(), email, taken));
    let has_legal = console.institution.multiple_recordings;
    for ((field, own), (_, theirs)) in kept.texts().zip(other.texts()) {
        if field.is_legal && !has_legal {
            continue;
        }
        let taken = match field.key {
            "institution_id" => theirs.filter(|_| plan.takes_identifier),
            _ => plan.text(field.column),
        };
        rows.push(row(words.text(label_id(field.key)), own, theirs, taken));
    }
    for field in fields {
        let [own, theirs] = [kept, other].map(|one| one.custom.0.get(&field.id).map(String::as_str));
        let taken = plan.custom.get(&field.id).map(String::as_str);
        rows.push(row(field.label.clone(), own, theirs, taken));
    }
    let recorded =
        |recording: &Option<Recording>| recording.as_ref().map(|one| date(console, one.recorded_at));
    for (id, own, theirs, is_taken, is_shown) in [
        ("console-people-recording", &kept.recording, &other.recording, plan.takes_recording, true),
        (
            "console-people-legal-recording",
            &kept.legal.recording,
            &other.legal.recording,
            plan.takes_legal_recording,
            has_legal,
        ),
    ] {
        let (own, theirs) = (recorded(own), recorded(theirs));
        let taken = theirs.as_deref().filter(|_| is_taken);
        rows.push(row(words.text(id), own.as_deref(), theirs.as_deref(), taken).filter(|_| is_shown));
    }
    rows.into_iter().flatten().collect()
}

pub async fn merge(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let ids: [ParticipantId; 2] = ["keep", "other"].map(|name| number(form.get(name).unwrap_or_default()));
    let versions: [i64; 2] =
        ["keep_version", "other_version"].map(|name| number(form.get(name).unwrap_or_default()));
    let (pair, versions) = ((ids[0], ids[1]), (versions[0], versions[1]));
    let errors = match people_merge::merge(&app, &console.actor, console.id(), pair, versions).await {
        Ok(()) => return console.go(&app, &format!("{}?done=merged", path_of(ids[0]))),
        Err(Error::Invalid(errors)) => errors,
        Err(error) => return console.fault(&app, &error),
    };
    let words = console.words();
    let fault = if is_outdated(&errors) {
        Some(words.text("console-people-merge-changed"))
    } else if errors.has(&Field::Courses) {
        Some(words.text("console-people-merge-course"))
    } else if errors.has(&Field::Audience) {
        Some(words.text(hindrance_id(Hindrance::Paused)))
    } else {
        None
    };
    draw(&app, &console, ids, REJECTED, fault).await
}

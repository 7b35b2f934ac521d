//! `/console/{slug}/custom-fields`: which custom fields there are, in which order, and new ones.

mod form;
mod one;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use self::form::{FieldForm, Values, edited_by, kinds};
use super::{
    inputs::{Faults, Labels, askings, label_of},
    rule::{Least, Rule},
    visit::{Console, ConsoleForm, Nav},
};
use crate::{
    app::{
        App, Error, Result,
        custom_fields::{self, Direction},
    },
    domain::{
        custom_field::{CustomField, sort_for_pages},
        field_errors::FieldErrors,
        section::Section,
    },
    http::{form::Form, page::Page, path::Path},
    words::Words,
};

pub fn rules() -> Vec<Rule> {
    const ALL: &str = "/console/{slug}/custom-fields";
    const ONE: &str = "/console/{slug}/custom-fields/{name}";
    const DELETE: &str = "/console/{slug}/custom-fields/{name}/delete";
    vec![
        Rule::get(ALL, Least::Admin, list),
        Rule::post(ALL, Least::Admin, create),
        Rule::get(ONE, Least::Admin, one::show),
        Rule::post(ONE, Least::Admin, one::save),
        Rule::post("/console/{slug}/custom-fields/{name}/move", Least::Admin, reorder),
        Rule::post("/console/{slug}/custom-fields/{name}/pages", Least::Admin, one::ask_on_page),
        Rule::get(DELETE, Least::Admin.fresh(), one::delete_form),
        Rule::post(DELETE, Least::Admin.fresh(), one::delete),
    ]
}

#[derive(Template)]
#[template(path = "console/custom_fields.html")]
struct ListView<'a> {
    page: Page<'a>,
    nav: Nav,
    rows: Vec<Row>,
    form: FieldForm,
    /// Something is wrong with the form.
    is_rejected: bool,
    done: Option<String>,
}

struct Row {
    name: String,
    label: String,
    kind: String,
    edited_by: String,
    asked: String,
}

async fn list(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("created") => Some("console-field-created"),
        Some("deleted") => Some("console-field-deleted"),
        _ => None,
    };
    draw(&app, &console, StatusCode::OK, None, done).await
}

async fn draw(
    app: &App,
    console: &Console,
    status: StatusCode,
    sent: Option<(&Form, &FieldErrors)>,
    done: Option<&str>,
) -> Response {
    let fields = match all(app, console).await {
        Ok(fields) => fields,
        Err(error) => return console.fault(app, &error),
    };
    let path = console.path("/custom-fields");
    let page = console.page(app, &path);
    let words = page.words;
    let values = sent.map_or_else(Values::default, |(form, _)| Values::sent(form));
    let faults = Faults { words, errors: sent.map(|(_, errors)| errors) };
    let shown = ListView {
        nav: console.nav(app, Section::CustomFields),
        rows: fields.iter().map(|field| row(words, field)).collect(),
        form: FieldForm::new(&values, faults, None),
        is_rejected: sent.is_some(),
        done: done.map(|id| words.text(id)),
        page,
    };
    console.show(status, &shown)
}

async fn all(app: &App, console: &Console) -> Result<Vec<CustomField>> {
    let mut fields = custom_fields::all(app, &console.actor.access(console.id())?).await?;
    sort_for_pages(&mut fields);
    Ok(fields)
}

fn row(words: Words, field: &CustomField) -> Row {
    let label = |all: Labels, wanted: &str| label_of(words, &all, wanted).unwrap_or_default();
    Row {
        name: field.name.clone(),
        label: field.label.clone(),
        kind: label(kinds(), field.kind.word()),
        edited_by: label(edited_by(), form::editor(field.editable)),
        asked: label(askings(), field.asked.word()),
    }
}

async fn create(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let new = Values::sent(&form).new_field();
    match custom_fields::create(&app, &console.actor, console.id(), new).await {
        Ok(_) => console.go(&app, "/custom-fields?done=created"),
        Err(Error::Invalid(errors)) => {
            draw(&app, &console, StatusCode::UNPROCESSABLE_ENTITY, Some((&form, &errors)), None).await
        }
        Err(error) => console.fault(&app, &error),
    }
}

async fn reorder(
    State(app): State<App>,
    Path((_, name)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let direction = if form.get("direction") == Some("up") { Direction::Up } else { Direction::Down };
    match custom_fields::reorder(&app, &console.actor, console.id(), name, direction).await {
        Ok(()) => console.go(&app, "/custom-fields"),
        Err(error) => console.fault(&app, &error),
    }
}

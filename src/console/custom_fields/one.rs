//! `/console/{slug}/custom-fields/{name}`: one custom field, the pages that ask for it, and deleting it.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    super::{
        inputs::{
            BY_DEFAULT, Faults, Input, Shape, TYPED, Texts, askings, base, chosen, confirmation, is_outdated,
            label_of, mistyped, shown_version,
        },
        visit::{Console, ConsoleForm, Nav},
    },
    form::{FieldForm, Values},
};
use crate::{
    app::{
        App, Error, Missing, Result,
        custom_fields::{self, Usage},
        page_lists::{self, Filter},
        page_settings,
    },
    domain::{
        custom_field::CustomField,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        ids::NamePageId,
        name_page::{NamePage, NamePageRef},
        page_settings::Asking,
        section::Section,
    },
    http::{form::Form, page::Page, path::Path},
    words::Words,
};

#[derive(Template)]
#[template(path = "console/custom_field.html")]
struct FieldView<'a> {
    page: Page<'a>,
    nav: Nav,
    field: &'a CustomField,
    version: String,
    form: FieldForm,
    /// The pages that say themselves how they ask for it.
    asking: Vec<AskingPage>,
    name_page: Input,
    how: Input,
    is_outdated: bool,
    is_rejected: bool,
    done: Option<String>,
}

struct AskingPage {
    id: NamePageId,
    title: String,
    how: String,
}

/// What was sent, and what is wrong with it.
#[derive(Clone, Copy)]
enum Sent<'a> {
    Nothing,
    /// The form of the field.
    Field(&'a Form, &'a FieldErrors),
    /// The form of one page.
    OnPage(&'a Form, &'a FieldErrors),
}

pub(super) async fn show(
    State(app): State<App>,
    console: Console,
    Path((_, name)): Path<(String, String)>,
    request: Request,
) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("saved") => Some("console-field-saved"),
        Some("page") => Some("console-page-saved"),
        _ => None,
    };
    draw(&app, &console, StatusCode::OK, &name, Sent::Nothing, done).await
}

async fn draw(
    app: &App,
    console: &Console,
    status: StatusCode,
    name: &str,
    sent: Sent<'_>,
    done: Option<&str>,
) -> Response {
    let (actor, institution) = (&console.actor, console.id());
    let read = async {
        let field = custom_fields::find(app, actor, institution, name).await?;
        let asking = custom_fields::pages(app, actor, institution, name).await?;
        let pages = page_lists::list(app, actor, institution, &Filter::default(), None).await?;
        Ok::<_, Error>((field, asking, pages))
    };
    let (field, asking, pages) = match read.await {
        Ok(read) => read,
        Err(error) => return console.fault(app, &error),
    };
    let path = console.path(&format!("/custom-fields/{name}"));
    let page = console.page(app, &path);
    let words = page.words;
    let now = Values::stored(&field);
    let rejected = match sent {
        Sent::Field(form, errors) => Some((form, errors)),
        Sent::Nothing | Sent::OnPage(..) => None,
    };
    let values = rejected.map_or_else(|| now.clone(), |(form, _)| Values::sent(form));
    let errors = rejected.map(|(_, errors)| errors);
    let is_outdated = errors.is_some_and(is_outdated);
    let suggested = pages.pages.into_iter().map(|(page, ..)| (page.slug, page.title)).collect();
    let (name_page, how) = on_page(words, sent, suggested);
    let shown = FieldView {
        nav: console.nav(app, Section::CustomFields),
        version: shown_version(rejected, custom_fields::version(&field)),
        form: FieldForm::new(&values, Faults { words, errors }, is_outdated.then_some(&now)),
        asking: asking.into_iter().map(|(page, how)| asking_page(words, page, how)).collect(),
        name_page,
        how,
        is_outdated,
        is_rejected: errors.is_some() && !is_outdated,
        done: done.map(|id| words.text(id)),
        field: &field,
        page,
    };
    console.show(status, &shown)
}

const NAME_PAGE: Texts = ("name_page", "console-field-page", "console-field-page-hint");

/// The form with which one page is told how to ask. The slugs and titles of some pages are suggested.
fn on_page(words: Words, sent: Sent<'_>, suggested: Vec<(String, String)>) -> (Input, Input) {
    let (form, errors) = match sent {
        Sent::OnPage(form, errors) => (Some(form), Some(errors)),
        Sent::Nothing | Sent::Field(..) => (None, None),
    };
    let typed = |name: &str| form.and_then(|form| form.get(name)).unwrap_or_default().to_owned();
    let mut all = askings();
    all.push((BY_DEFAULT, "console-asked-default"));
    let how = Some(typed("how")).filter(|how| !how.is_empty());
    let how = how.unwrap_or_else(|| Asking::Optional.word().to_owned());
    let faults = Faults { words, errors };
    let page = faults.input(&Field::NamePage, NAME_PAGE, Shape::Suggested(suggested), typed("name_page"));
    let label = words.text("console-field-how");
    let how = chosen(words, ("how", label), Shape::Menu, all, &how, None);
    (Input { is_first: true, ..page }, how)
}

fn asking_page(words: Words, page: NamePage, how: Asking) -> AskingPage {
    let how = label_of(words, &askings(), how.word()).unwrap_or_default();
    AskingPage { id: page.id, title: page.title, how }
}

pub(super) async fn save(
    State(app): State<App>,
    Path((_, name)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let change = Values::sent(&form).change(base(&form));
    match custom_fields::update(&app, &console.actor, console.id(), name.clone(), change).await {
        Ok(_) => console.go(&app, &format!("/custom-fields/{name}?done=saved")),
        Err(Error::Invalid(errors)) => {
            let status =
                if is_outdated(&errors) { StatusCode::CONFLICT } else { StatusCode::UNPROCESSABLE_ENTITY };
            draw(&app, &console, status, &name, Sent::Field(&form, &errors), None).await
        }
        Err(error) => console.fault(&app, &error),
    }
}

/// How one page asks for the field.
pub(super) async fn ask_on_page(
    State(app): State<App>,
    Path((_, name)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let errors = match tell_page(&app, &console, &name, &form).await {
        Ok(()) => return console.go(&app, &format!("/custom-fields/{name}?done=page")),
        Err(Error::Invalid(errors)) => errors,
        Err(Error::Missing(Missing::NamePage)) => FieldErrors::one(Field::NamePage, Fault::NotFound),
        Err(error) => return console.fault(&app, &error),
    };
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    draw(&app, &console, status, &name, Sent::OnPage(&form, &errors), None).await
}

async fn tell_page(app: &App, console: &Console, name: &str, form: &Form) -> Result<()> {
    let (actor, institution) = (&console.actor, console.id());
    let field = custom_fields::find(app, actor, institution, name).await?;
    let page = NamePageRef::parse(form.get("name_page").unwrap_or_default());
    let page = page.ok_or(Error::Missing(Missing::NamePage))?;
    let mut change = page_settings::Change::default();
    match form.get("how").and_then(Asking::parse) {
        Some(asking) => change.asked.push((field.import_key(), asking)),
        None => change.asked_by_default.push(field.name),
    }
    page_settings::update(app, actor, institution, &page, change).await.map(drop)
}

#[derive(Template)]
#[template(path = "console/custom_field_delete.html")]
struct DeleteView<'a> {
    page: Page<'a>,
    nav: Nav,
    field: &'a CustomField,
    /// How many people have a value.
    loss: String,
    typed: Input,
}

pub(super) async fn delete_form(
    State(app): State<App>,
    console: Console,
    Path((_, name)): Path<(String, String)>,
) -> Response {
    draw_delete(&app, &console, StatusCode::OK, &name, None).await
}

/// `typed` is not the name.
async fn draw_delete(
    app: &App,
    console: &Console,
    status: StatusCode,
    name: &str,
    typed: Option<&str>,
) -> Response {
    let (actor, institution) = (&console.actor, console.id());
    let read = async {
        let field = custom_fields::find(app, actor, institution, name).await?;
        Ok::<_, Error>((field, custom_fields::usage(app, actor, institution, name).await?))
    };
    let (field, usage) = match read.await {
        Ok(read) => read,
        Err(error) => return console.fault(app, &error),
    };
    let path = console.path(&format!("/custom-fields/{name}/delete"));
    let words = console.words();
    let shown = DeleteView {
        page: console.page(app, &path),
        nav: console.nav(app, Section::CustomFields),
        loss: loss(words, usage),
        typed: confirmation(
            words,
            TYPED,
            words.one("console-set-type-name", "name", &field.name),
            Shape::Code,
            typed,
        ),
        field: &field,
    };
    console.show(status, &shown)
}

fn loss(words: Words, usage: Usage) -> String {
    let Usage { values, people, is_partial } = usage;
    if is_partial {
        words.with("console-field-values-partial", &[("count", values.into()), ("people", people.into())])
    } else {
        words.one("console-field-values", "count", values)
    }
}

pub(super) async fn delete(
    State(app): State<App>,
    Path((_, name)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    if let Some(typed) = mistyped(&form, TYPED, &name) {
        return draw_delete(&app, &console, StatusCode::UNPROCESSABLE_ENTITY, &name, Some(typed)).await;
    }
    match custom_fields::delete(&app, &console.actor, console.id(), name).await {
        Ok(()) => console.go(&app, "/custom-fields?done=deleted"),
        Err(error) => console.fault(&app, &error),
    }
}

//! `/console/{slug}/name-pages`: the name pages that a member runs, and new ones.

mod acts;
mod form;
mod one;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use jiff::tz::TimeZone;

use super::{
    inputs::{Choice, Faults, Input, Shape, Texts},
    rule::{Least, Rule},
    visit::{Console, ConsoleForm, Nav},
};
use crate::{
    app::{
        App, Error, Missing, name_pages,
        page_lists::{self, Filter, PageList},
        page_settings::Change,
    },
    domain::{
        fault::Field, field_errors::FieldErrors, ids::NamePageId, moment::Moment, page_settings::PageState,
        section::Section,
    },
    http::{form::Form, page::Page},
    words::Words,
};

pub fn rules() -> Vec<Rule> {
    const ONE: &str = "/console/{slug}/name-pages/{id}";
    const COPY: &str = "/console/{slug}/name-pages/{id}/copy";
    const DELETE: &str = "/console/{slug}/name-pages/{id}/delete";
    vec![
        Rule::get("/console/{slug}/name-pages", Least::Manager, list),
        Rule::get("/console/{slug}/name-pages/new", Least::Admin, new),
        Rule::post("/console/{slug}/name-pages/new", Least::Admin, create),
        Rule::get(ONE, Least::Manager, one::show),
        Rule::post(ONE, Least::Manager, one::save),
        Rule::get(COPY, Least::Manager, acts::copy_form),
        Rule::post(COPY, Least::Manager, acts::copy),
        Rule::post("/console/{slug}/name-pages/{id}/archive", Least::Manager, acts::archive),
        Rule::get(DELETE, Least::Admin.fresh(), acts::delete_form),
        Rule::post(DELETE, Least::Admin.fresh(), acts::delete),
    ]
}

#[derive(Template)]
#[template(path = "console/name_pages.html")]
struct ListView<'a> {
    page: Page<'a>,
    nav: Nav,
    rows: Vec<Row>,
    text: String,
    states: Input,
    /// Not all pages are wanted.
    is_filtered: bool,
    is_start: bool,
    may_create: bool,
    /// The query of the next part.
    next: Option<String>,
    /// The query of the first part.
    start: String,
    done: Option<String>,
}

struct Row {
    id: NamePageId,
    title: String,
    date: Option<String>,
    registered: i64,
    recorded: i64,
    invited: i64,
    state: String,
}

const STATES: [PageState; 3] = [PageState::Open, PageState::Closed, PageState::Archived];

const fn state_word(state: PageState) -> &'static str {
    match state {
        PageState::Open => "open",
        PageState::Closed => "closed",
        PageState::Archived => "archived",
    }
}

const fn state_label(state: PageState) -> &'static str {
    match state {
        PageState::Open => "console-page-open",
        PageState::Closed => "console-page-closed",
        PageState::Archived => "console-page-archived",
    }
}

async fn list(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let state = STATES.into_iter().find(|state| query.get("state") == Some(state_word(*state)));
    let filter = Filter { text: query.text("q").unwrap_or_default(), state };
    let after = query.get("after").and_then(|id| id.parse::<NamePageId>().ok());
    let found = match page_lists::list(&app, &console.actor, console.id(), &filter, after).await {
        Ok(found) => found,
        Err(error) => return console.fault(&app, &error),
    };
    let path = console.path("/name-pages");
    let (words, now) = (console.words(), app.clock.now());
    let PageList { pages, next } = found;
    let rows = pages.into_iter().map(|(page, settings, figures)| Row {
        id: page.id,
        title: page.title,
        date: settings.date.map(|date| date.to_string()),
        registered: figures.registered,
        recorded: figures.recorded,
        invited: figures.invited,
        state: words.text(state_label(settings.state(now))),
    });
    let shown = ListView {
        page: console.page(&app, &path),
        nav: console.nav(&app, Section::NamePages),
        rows: rows.collect(),
        states: states(words, state),
        is_filtered: state.is_some() || !filter.text.is_empty(),
        is_start: after.is_none(),
        may_create: console.member.role.has_all_pages(),
        next: next.map(|next| filter_query(&filter, Some(next))),
        start: filter_query(&filter, None),
        done: (query.get("done") == Some("deleted")).then(|| words.text("console-page-deleted")),
        text: filter.text,
    };
    console.show(StatusCode::OK, &shown)
}

fn states(words: Words, chosen: Option<PageState>) -> Input {
    let any = Choice { word: "", label: words.text("console-pages-any") };
    let one = |state: PageState| Choice { word: state_word(state), label: words.text(state_label(state)) };
    let choices = [any].into_iter().chain(STATES.map(one)).collect();
    let label = words.text("console-pages-state");
    Input::new("state", label, Shape::Menu(choices), chosen.map_or("", state_word))
}

fn filter_query(filter: &Filter, after: Option<NamePageId>) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    if !filter.text.is_empty() {
        query.append_pair("q", &filter.text);
    }
    if let Some(state) = filter.state {
        query.append_pair("state", state_word(state));
    }
    if let Some(after) = after {
        query.append_pair("after", &after.to_string());
    }
    query.finish()
}

const TITLE: Texts = ("title", "console-page-title", "console-page-title-hint");
const SLUG: Texts = ("slug", "console-page-slug", "console-page-slug-hint");
const DATE: Texts = ("date", "console-page-date", "console-page-date-hint");
const ACCESS_CODE: Texts = ("access_code", "console-page-access-code", "console-page-access-code-hint");

#[derive(Template)]
#[template(path = "console/name_page_new.html")]
struct NewView<'a> {
    page: Page<'a>,
    nav: Nav,
    inputs: [Input; 4],
}

async fn new(State(app): State<App>, console: Console) -> Response {
    draw_new(&app, &console, StatusCode::OK, &Form::default(), None)
}

fn draw_new(
    app: &App,
    console: &Console,
    status: StatusCode,
    form: &Form,
    errors: Option<&FieldErrors>,
) -> Response {
    let path = console.path("/name-pages/new");
    let faults = Faults { words: console.words(), errors };
    let input = |field: Field, texts: Texts, shape: Shape| {
        faults.input(&field, texts, shape, form.get(texts.0).unwrap_or_default())
    };
    let shown = NewView {
        page: console.page(app, &path),
        nav: console.nav(app, Section::NamePages),
        inputs: [
            input(Field::Title, TITLE, Shape::Line),
            input(Field::Date, DATE, Shape::Date),
            input(Field::Slug, SLUG, Shape::Code),
            input(Field::AccessCode, ACCESS_CODE, Shape::Code),
        ],
    };
    console.show(status, &shown)
}

async fn create(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let new = name_pages::New {
        title: trimmed(&form, "title"),
        slug: form.text("slug").map(|slug| slug.trim().to_owned()),
        access_code: form.text("access_code"),
        allow_v2: false,
    };
    let settings = Change { date: form.text("date"), ..Change::default() };
    match name_pages::create_with(&app, &console.actor, console.id(), new, settings).await {
        Ok(made) => console.go(&app, &format!("/name-pages/{}?done=created", made.id)),
        Err(Error::Invalid(errors)) => {
            draw_new(&app, &console, StatusCode::UNPROCESSABLE_ENTITY, &form, Some(&errors))
        }
        Err(error) => console.fault(&app, &error),
    }
}

fn trimmed(form: &Form, name: &str) -> String {
    form.get(name).unwrap_or_default().trim().to_owned()
}

/// A page that a manager does not run looks like one that does not exist.
fn refused(app: &App, console: &Console, error: &Error) -> Response {
    match error {
        Error::Forbidden(_) => console.fault(app, &Error::Missing(Missing::NamePage)),
        error => console.fault(app, error),
    }
}

/// Such as `2027-05-31T18:00`, with seconds if there are any.
fn local_time(moment: Moment, zone: &TimeZone) -> String {
    let shown: String = moment.shown_in(zone).chars().take(19).collect();
    match shown.strip_suffix(":00") {
        Some(short) => short.to_owned(),
        None => shown,
    }
}

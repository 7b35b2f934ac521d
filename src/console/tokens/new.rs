//! `/console/{slug}/tokens/new`: creates an access token.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{Choice, PATH, scope_name, show_made};
use crate::{
    app::{App, Error, Result, name_pages, tokens},
    console::visit::{Console, ConsoleForm, Nav},
    domain::{
        access::TokenScope,
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        name_page::NamePage,
        section::Section,
    },
    http::{
        faults::{self, Input},
        form::Form,
        page::Page,
    },
    words::Words,
};

#[derive(Template)]
#[template(path = "console/token_new.html")]
struct NewPage<'a> {
    page: Page<'a>,
    nav: Nav,
    name: String,
    name_fault: Option<String>,
    scopes: Vec<ScopeChoice>,
    is_limited: bool,
    pages: Vec<Choice>,
    pages_fault: Option<String>,
    newest_only: bool,
    lives: Vec<Choice>,
}

struct ScopeChoice {
    word: &'static str,
    name: &'static str,
    hint: &'static str,
    is_chosen: bool,
}

/// What was typed.
struct Entered {
    name: String,
    scope: TokenScope,
    is_limited: bool,
    newest_only: bool,
    days: Option<u32>,
}

/// Days that a token may work. Beside them, it may work forever.
const LIVES: [u32; 5] = [7, 30, 90, 365, 730];
const DEFAULT_LIFE: u32 = 365;

impl Default for Entered {
    fn default() -> Self {
        Self {
            name: String::new(),
            scope: TokenScope::Read,
            is_limited: false,
            newest_only: false,
            days: Some(DEFAULT_LIFE),
        }
    }
}

impl Entered {
    fn read(form: &Form) -> Self {
        let days = match form.get("days") {
            Some("never") => None,
            days => {
                let days = days.and_then(|days| days.parse().ok()).filter(|days| LIVES.contains(days));
                Some(days.unwrap_or(DEFAULT_LIFE))
            }
        };
        Self {
            name: form.get("name").unwrap_or_default().trim().to_owned(),
            scope: form.get("scope").and_then(TokenScope::parse).unwrap_or(TokenScope::Read),
            is_limited: form.get("pages") == Some("some"),
            newest_only: form.get("newest") == Some("yes"),
            days,
        }
    }
}

/// The name of a page's checkbox.
fn box_of(page: &NamePage) -> String {
    format!("page-{}", page.id)
}

pub async fn show(State(app): State<App>, console: Console) -> Response {
    match all_pages(&app, &console).await {
        Ok(pages) => draw(&app, &console, &Entered::default(), &Form::default(), &pages, None),
        Err(error) => console.fault(&app, &error),
    }
}

pub async fn create(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let (entered, pages) = (Entered::read(&form), all_pages(&app, &console).await);
    let pages = match pages {
        Ok(pages) => pages,
        Err(error) => return console.fault(&app, &error),
    };
    match make(&app, &console, &entered, &form, &pages).await {
        Ok((made, secret)) => show_made(&app, &console, &made, secret, None),
        Err(Error::Invalid(errors)) => draw(&app, &console, &entered, &form, &pages, Some(&errors)),
        Err(error) => console.fault(&app, &error),
    }
}

async fn all_pages(app: &App, console: &Console) -> Result<Vec<NamePage>> {
    let all = name_pages::all(app, &console.actor, console.id()).await?;
    Ok(all.into_iter().map(|(page, _)| page).collect())
}

async fn make(
    app: &App,
    console: &Console,
    entered: &Entered,
    form: &Form,
    pages: &[NamePage],
) -> Result<(crate::domain::token::Token, String)> {
    let ticked: Vec<NamePage> =
        pages.iter().filter(|page| form.get(&box_of(page)).is_some()).cloned().collect();
    if entered.is_limited && ticked.is_empty() {
        return Err(Error::invalid(Field::NamePages, Fault::Blank));
    }
    let new = tokens::New {
        name: entered.name.clone(),
        expires_in_days: entered.days,
        scope: entered.scope,
        pages: entered.is_limited.then_some(ticked),
        newest_only: entered.newest_only,
    };
    tokens::create_with(app, &console.actor, console.id(), new).await
}

fn draw(
    app: &App,
    console: &Console,
    entered: &Entered,
    form: &Form,
    pages: &[NamePage],
    errors: Option<&FieldErrors>,
) -> Response {
    let (path, words) = (console.path(&format!("{PATH}/new")), console.words());
    let [name_fault, pages_fault] = [Field::Name, Field::NamePages]
        .map(|field| errors.and_then(|errors| sentence(words, errors, &field)));
    let view = NewPage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::Tokens),
        name: entered.name.clone(),
        name_fault,
        scopes: scopes(entered.scope),
        is_limited: entered.is_limited,
        pages: pages
            .iter()
            .map(|page| Choice {
                value: page.id.to_string(),
                label: page.title.clone(),
                is_chosen: form.get(&box_of(page)).is_some(),
            })
            .collect(),
        pages_fault,
        newest_only: entered.newest_only,
        lives: lives(words, entered.days),
    };
    console.show(if errors.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK }, &view)
}

fn sentence(words: Words, errors: &FieldErrors, field: &Field) -> Option<String> {
    Some(match errors.of(field).first()? {
        Fault::Setup(SetupFault::TooManyNamePages { most }) => {
            words.one("console-tokens-pages-many", "most", *most as u64)
        }
        Fault::Blank if *field == Field::NamePages => words.text("console-tokens-pages-none"),
        fault => faults::fault(words, Input::LinkTitle, fault),
    })
}

fn scopes(chosen: TokenScope) -> Vec<ScopeChoice> {
    let hint = |scope| match scope {
        TokenScope::Read => "console-tokens-read-hint",
        TokenScope::Write => "console-tokens-write-hint",
        TokenScope::Sync => "console-tokens-sync-hint",
        TokenScope::All => "console-tokens-everything-hint",
    };
    let choice = |scope: TokenScope| ScopeChoice {
        word: scope.word(),
        name: scope_name(scope),
        hint: hint(scope),
        is_chosen: scope == chosen,
    };
    [TokenScope::Read, TokenScope::Write, TokenScope::Sync, TokenScope::All].map(choice).into()
}

fn lives(words: Words, chosen: Option<u32>) -> Vec<Choice> {
    let days = |days: u32| Choice {
        value: days.to_string(),
        label: words.one("console-tokens-days", "count", u64::from(days)),
        is_chosen: chosen == Some(days),
    };
    let never = Choice {
        value: "never".to_owned(),
        label: words.text("console-tokens-forever"),
        is_chosen: chosen.is_none(),
    };
    LIVES.map(days).into_iter().chain([never]).collect()
}

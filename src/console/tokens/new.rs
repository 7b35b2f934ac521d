//! `/console/{slug}/tokens/new`: creates an access token.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{Choice, PATH, scope_name, show_made};
use crate::{
    app::{App, Error, Missing, Result, members, name_pages, tokens},
    console::{
        page_choices::{PageChoices, chosen_pages},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{
        access::{MAX_PAGES, TokenScope},
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        name_page::NamePage,
        section::Section,
        token::name_fault,
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
    pages: PageChoices,
    newest_only: bool,
    include_held: bool,
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
    /// The ids of pages.
    pages: Vec<String>,
    /// Slugs or codes of other pages.
    more: String,
    newest_only: bool,
    include_held: bool,
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
            pages: Vec::new(),
            more: String::new(),
            newest_only: false,
            include_held: false,
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
            pages: form.all("page").map(str::to_owned).collect(),
            more: form.get("more").unwrap_or_default().trim().to_owned(),
            newest_only: form.get("newest") == Some("yes"),
            include_held: form.get("held") == Some("yes"),
            days,
        }
    }
}

/// What is wrong, for each input.
#[derive(Default)]
struct Faults {
    name: Option<String>,
    pages: Option<String>,
}

impl Faults {
    fn of(words: Words, errors: &FieldErrors) -> Self {
        let first = |field: Field| errors.of(&field).first().map(|fault| sentence(words, &field, fault));
        Self { name: first(Field::Name), pages: first(Field::NamePages) }
    }

    const fn is_empty(&self) -> bool {
        self.name.is_none() && self.pages.is_none()
    }
}

pub async fn show(State(app): State<App>, console: Console) -> Response {
    draw(&app, &console, Entered::default(), None).await
}

pub async fn create(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let (entered, words) = (Entered::read(&form), console.words());
    // What is wrong with the name and with the pages is told at once.
    let name = name_fault(&entered.name).map(|fault| sentence(words, &Field::Name, &fault));
    let (pages, faults) = match chosen(&app, &console, &entered).await {
        Ok(pages) => (pages, Faults { name, pages: None }),
        Err(Error::Invalid(errors)) => (None, Faults { name, ..Faults::of(words, &errors) }),
        Err(Error::Missing(Missing::NamePage)) => {
            (None, Faults { name, pages: Some(words.text("console-members-page-unknown")) })
        }
        Err(error) => return console.fault(&app, &error),
    };
    if !faults.is_empty() {
        return draw(&app, &console, entered, Some(faults)).await;
    }
    let new = tokens::New {
        name: entered.name.clone(),
        expires_in_days: entered.days,
        scope: entered.scope,
        pages,
        newest_only: entered.newest_only,
        include_held: entered.include_held,
    };
    match tokens::create_with(&app, &console.actor, console.id(), new).await {
        Ok((made, secret)) => show_made(&app, &console, &made, secret, None),
        Err(Error::Invalid(errors)) => draw(&app, &console, entered, Some(Faults::of(words, &errors))).await,
        Err(error) => console.fault(&app, &error),
    }
}

/// The pages that the token is limited to, or `None` for all.
async fn chosen(app: &App, console: &Console, entered: &Entered) -> Result<Option<Vec<NamePage>>> {
    if !entered.is_limited {
        return Ok(None);
    }
    let wanted = chosen_pages(&entered.pages, &entered.more)?;
    if wanted.is_empty() {
        return Err(Error::invalid(Field::NamePages, Fault::Blank));
    }
    // Each of them is looked up, so there must not be any number of them.
    if wanted.len() > MAX_PAGES {
        return Err(Error::invalid(Field::NamePages, SetupFault::TooManyNamePages { most: MAX_PAGES }));
    }
    let mut pages = Vec::with_capacity(wanted.len());
    for page in &wanted {
        pages.push(name_pages::find(app, &console.actor, console.id(), page).await?);
    }
    Ok(Some(pages))
}

/// `faults` are those of a form that was sent.
async fn draw(app: &App, console: &Console, entered: Entered, faults: Option<Faults>) -> Response {
    let drawn = filled(app, console, entered, faults).await;
    drawn.unwrap_or_else(|error| console.fault(app, &error))
}

async fn filled(app: &App, console: &Console, entered: Entered, faults: Option<Faults>) -> Result<Response> {
    let own = members::own_pages(app, &console.actor, &console.member.person).await?;
    let (path, words) = (console.path(&format!("{PATH}/new")), console.words());
    let status = if faults.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let faults = faults.unwrap_or_default();
    let (ticked, more) = (&entered.pages, entered.more);
    let pages = PageChoices::find(app, console, (&own, &[]), ticked, more, faults.pages).await?;
    let view = NewPage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::Tokens),
        name: entered.name,
        name_fault: faults.name,
        scopes: scopes(entered.scope),
        is_limited: entered.is_limited,
        pages,
        newest_only: entered.newest_only,
        include_held: entered.include_held,
        lives: lives(words, entered.days),
    };
    Ok(console.show(status, &view))
}

fn sentence(words: Words, field: &Field, fault: &Fault) -> String {
    match fault {
        Fault::Setup(SetupFault::TooManyNamePages { most }) => {
            words.one("console-tokens-pages-many", "most", *most as u64)
        }
        Fault::Blank if *field == Field::NamePages => words.text("console-tokens-pages-none"),
        fault => faults::fault(words, Input::LinkTitle, fault),
    }
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

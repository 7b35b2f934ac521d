//! `/console/{slug}/tokens`: access tokens, how often they are used, and how they end.

mod new;

use std::time::Duration;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    rule::{Least, Rule},
    visit::{Console, ConsoleForm, Nav},
};
use crate::{
    app::{App, Error, Missing, Result, tokens},
    domain::{
        access::TokenScope,
        ids::TokenId,
        section::Section,
        token::{Maker, Token, TokenState},
    },
    http::{chart, form::Form, page::Page, path::Path, when},
    words::{Arg, Words},
};

pub fn rules() -> Vec<Rule> {
    vec![
        Rule::get("/console/{slug}/tokens", Least::Admin, list),
        Rule::get("/console/{slug}/tokens/new", Least::Admin.fresh(), new::show),
        Rule::post("/console/{slug}/tokens/new", Least::Admin.fresh(), new::create),
        Rule::get("/console/{slug}/tokens/{id}", Least::Admin, show),
        Rule::post("/console/{slug}/tokens/{id}/rotate", Least::Admin.fresh(), rotate),
        // Without a fresh sign-in: whoever notices that a token has leaked should not have to wait for a mail.
        Rule::post("/console/{slug}/tokens/{id}/revoke", Least::Admin, revoke),
    ]
}

const PATH: &str = "/tokens";

#[derive(Template)]
#[template(path = "console/tokens.html")]
struct TokensPage<'a> {
    page: Page<'a>,
    nav: Nav,
    done: Option<&'static str>,
    rows: Vec<TokenRow>,
    /// Expired and revoked tokens are shown, too.
    is_all: bool,
    /// There are expired or revoked tokens.
    has_ended: bool,
}

struct TokenRow {
    id: String,
    name: String,
    facts: TokenFacts,
    requests: u64,
}

/// What is shown of a token in the list and on its own page.
struct TokenFacts {
    scope: &'static str,
    /// `None` for all pages.
    pages: Option<String>,
    newest_only: bool,
    include_held: bool,
    maker: String,
    maker_has_left: bool,
    created: String,
    age: String,
    last_used: Option<String>,
    expires: Option<String>,
    expires_soon: bool,
    state: &'static str,
}

impl TokenFacts {
    fn new(app: &App, console: &Console, token: &Token) -> Self {
        let (now, zone, words) = (app.clock.now(), &console.institution.time_zone, console.words());
        Self {
            scope: scope_name(token.scope),
            pages: token.pages.as_ref().map(|slugs| slugs.join(", ")),
            newest_only: token.newest_only,
            include_held: token.include_held,
            maker: maker_name(words, &token.maker),
            maker_has_left: token.maker.has_left && token.works(now),
            created: when::minute(token.created_at, zone),
            age: words.one("console-tokens-days", "count", token.days(now)),
            last_used: when::minute_or_none(token.last_used_at, zone),
            expires: when::minute_or_none(token.expires_at, zone),
            expires_soon: token.expires_within(tokens::EXPIRES_SOON, now),
            state: match token.state(now) {
                TokenState::Active => "console-tokens-active",
                TokenState::Replaced => "console-tokens-replaced",
                TokenState::Expired => "console-tokens-expired",
                TokenState::Revoked => "console-tokens-revoked",
            },
        }
    }
}

fn maker_name(words: Words, maker: &Maker) -> String {
    match (&maker.name, &maker.email_key) {
        (Some(email), Some(_)) => email.clone(),
        // A command on the server, or the demonstration.
        (Some(_), None) => words.text("console-audit-by-operator"),
        (None, _) => words.text("console-tokens-maker-unknown"),
    }
}

fn scope_name(scope: TokenScope) -> &'static str {
    match scope {
        TokenScope::Read => "console-tokens-read",
        TokenScope::Write => "console-tokens-write",
        TokenScope::Sync => "console-tokens-sync",
        TokenScope::All => "console-tokens-everything",
    }
}

async fn list(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let is_all = query.get("state") == Some("all");
    let read = async {
        let all = tokens::all(&app, &console.actor, console.id()).await?;
        Ok::<_, Error>((all, tokens::requests(&app, &console.actor, console.id()).await?))
    };
    let (all, requests) = match read.await {
        Ok(found) => found,
        Err(error) => return console.fault(&app, &error),
    };
    let now = app.clock.now();
    let has_ended = all.iter().any(|token| is_ended(token.state(now)));
    let shown = all.iter().rev().filter(|token| is_all || !is_ended(token.state(now)));
    let row = |token: &Token| TokenRow {
        id: token.id.to_string(),
        name: token.name.clone(),
        facts: TokenFacts::new(&app, &console, token),
        requests: requests.get(&token.id).copied().unwrap_or(0),
    };
    let path = console.path(PATH);
    let view = TokensPage {
        page: console.page(&app, &path),
        nav: console.nav(&app, Section::Tokens),
        done: (query.get("done") == Some("revoked")).then_some("console-tokens-done-revoked"),
        rows: shown.map(row).collect(),
        is_all,
        has_ended,
    };
    console.show(StatusCode::OK, &view)
}

const fn is_ended(state: TokenState) -> bool {
    matches!(state, TokenState::Expired | TokenState::Revoked)
}

#[derive(Template)]
#[template(path = "console/token.html")]
struct TokenPage<'a> {
    page: Page<'a>,
    nav: Nav,
    id: String,
    name: String,
    facts: TokenFacts,
    /// The page of the token that has replaced this one.
    replaced_by: Option<String>,
    is_active: bool,
    is_ended: bool,
    sum: String,
    chart: Option<RequestsChart>,
    overlaps: Vec<Choice>,
    revoke_fault: Option<&'static str>,
}

struct RequestsChart {
    bars: String,
    label: String,
    first_day: String,
    /// Days with requests, the newest first.
    by_day: Vec<(String, u64)>,
}

/// An entry of a menu.
struct Choice {
    value: String,
    label: String,
    is_chosen: bool,
}

async fn show(State(app): State<App>, console: Console, Path((_, id)): Path<(String, String)>) -> Response {
    draw(&app, &console, &id, None).await
}

/// `revoke_fault` is what is wrong with the form to revoke the token.
async fn draw(app: &App, console: &Console, id: &str, revoke_fault: Option<&'static str>) -> Response {
    let read = async {
        let id = parsed(id)?;
        let token = tokens::find(app, &console.actor, console.id(), id).await?;
        Ok::<_, Error>((token, tokens::requests_by_day(app, &console.actor, console.id(), id).await?))
    };
    let (token, days) = match read.await {
        Ok(found) => found,
        Err(error) => return console.fault(app, &error),
    };
    let (words, state) = (console.words(), token.state(app.clock.now()));
    let sum: u64 = days.iter().map(|(_, requests)| requests).sum();
    let most = days.iter().map(|(_, requests)| *requests).max().unwrap_or(0);
    let chart = (sum > 0).then(|| RequestsChart {
        bars: chart::bars(&days, most),
        label: words.one("console-tokens-chart", "most", most),
        first_day: days.first().map(|(day, _)| day.to_string()).unwrap_or_default(),
        by_day: days
            .iter()
            .rev()
            .filter(|(_, requests)| *requests > 0)
            .map(|(day, requests)| (day.to_string(), *requests))
            .collect(),
    });
    let path = console.path(&format!("{PATH}/{}", token.id));
    let view = TokenPage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::Tokens),
        id: token.id.to_string(),
        facts: TokenFacts::new(app, console, &token),
        replaced_by: token.replaced_by.map(|id| id.to_string()),
        is_active: state == TokenState::Active,
        is_ended: is_ended(state),
        sum: words.one("console-tokens-requests-sum", "count", sum),
        chart,
        overlaps: overlaps(words),
        revoke_fault,
        name: token.name,
    };
    let status = if revoke_fault.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    console.show(status, &view)
}

/// The id in a path. One that is no number is that of no token.
fn parsed(id: &str) -> Result<TokenId> {
    id.parse().map_err(|_| Error::Missing(Missing::Token))
}

/// For how many hours the old secret may go on working.
const OVERLAPS: [u64; 6] = [0, 1, 24, 72, 168, 720];
const DEFAULT_OVERLAP: u64 = 24;

fn overlaps(words: Words) -> Vec<Choice> {
    let label = |hours: u64| match hours {
        0 => words.text("console-tokens-overlap-none"),
        1..=24 => words.one("console-tokens-hours", "count", hours),
        _ => words.one("console-tokens-days", "count", hours / 24),
    };
    let choice = |hours: u64| Choice {
        value: hours.to_string(),
        label: label(hours),
        is_chosen: hours == DEFAULT_OVERLAP,
    };
    OVERLAPS.into_iter().map(choice).collect()
}

async fn rotate(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let hours = form.get("overlap").and_then(|hours| hours.parse().ok());
    let hours = hours.filter(|hours| OVERLAPS.contains(hours)).unwrap_or(DEFAULT_OVERLAP);
    let rotated = async {
        let (id, overlap) = (parsed(&id)?, Duration::from_secs(hours * 3_600));
        let (made, secret) = tokens::rotate(&app, &console.actor, console.id(), id, overlap).await?;
        // The secret is shown only now, whether this can be read or not.
        let old = tokens::find(&app, &console.actor, console.id(), id).await.ok();
        Ok::<_, Error>((made, secret, old.and_then(|old| old.expires_at)))
    };
    match rotated.await {
        Ok((made, secret, end)) => {
            let until = when::minute_or_none(end, &console.institution.time_zone);
            show_made(&app, &console, &made, secret, until.filter(|_| hours > 0))
        }
        Err(error) => console.fault(&app, &error),
    }
}

async fn revoke(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    if form.get("confirm") != Some("yes") {
        return draw(&app, &console, &id, Some("console-tokens-revoke-unconfirmed")).await;
    }
    let revoked = async { tokens::revoke(&app, &console.actor, console.id(), parsed(&id)?).await };
    match revoked.await {
        Ok(()) => console.go(&app, &format!("{PATH}?done=revoked")),
        Err(error) => console.fault(&app, &error),
    }
}

#[derive(Template)]
#[template(path = "console/token_made.html")]
struct MadePage<'a> {
    page: Page<'a>,
    nav: Nav,
    id: String,
    name: String,
    secret: String,
    curl: String,
    /// The command has names in it that have to be replaced.
    is_sync: bool,
    /// How long the old secret works, as a sentence.
    overlap: Option<String>,
}

/// The answer to a form, and not a page of its own: the secret is nowhere else.
fn show_made(
    app: &App,
    console: &Console,
    made: &Token,
    secret: String,
    old_until: Option<String>,
) -> Response {
    let (path, words) = (console.path(PATH), console.words());
    let view = MadePage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::Tokens),
        id: made.id.to_string(),
        name: made.name.clone(),
        curl: curl(app.links.base(), made.scope, &secret),
        secret,
        is_sync: made.scope == TokenScope::Sync,
        overlap: old_until.map(|until| words.with("console-tokens-overlap", &[("until", Arg::Text(&until))])),
    };
    console.show(StatusCode::OK, &view)
}

/// A request that this token permits.
fn curl(base: &str, scope: TokenScope, secret: &str) -> String {
    match scope {
        TokenScope::Read | TokenScope::Write | TokenScope::All => {
            format!("curl -H 'Authorization: {secret}' '{base}/api/private/v5/participants'")
        }
        TokenScope::Sync => format!(
            "curl -H 'Authorization: {secret}' -H 'Content-Type: application/json' \
             -d '{{\"api_token\": \"API_TOKEN\", \"external_course_ids\": [\"COURSE_ID\"]}}' \
             '{base}/api/private/v5/lti/lms/courses/synchronize'"
        ),
    }
}

//! `/console/{slug}/settings`: what an institution decides about itself. Each group of settings has a form of its own, so that one
//! mistake does not stop the others.

mod connection_form;
mod consent;
mod delete;
mod groups;
mod sign_on;
mod sso_only;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use serde::Deserialize;

use self::groups::{Entered, Group, GroupForm, Setting, Settings};
use super::{
    inputs::is_outdated,
    rule::{Least, Rule},
    visit::{Console, ConsoleForm, Nav},
};
use crate::{
    app::{App, Error, Result, institutions},
    domain::{
        fault::{Fault, Field},
        field_errors::FieldErrors,
        member::Role,
        section::Section,
    },
    http::{
        csrf,
        form::Form,
        multipart::MultipartForm,
        notice,
        page::Page,
        path::Path,
        session::{SentForm, forged_by},
    },
    words::{Arg, Words},
};

/// Logos are scaled down, so this is generous.
const LARGEST_LOGO: usize = 8 << 20;

pub fn rules() -> Vec<Rule> {
    let own = vec![
        Rule::get("/console/{slug}/settings", Least::Admin, show),
        Rule::post("/console/{slug}/settings/look", Least::Admin, save_look),
        Rule::post("/console/{slug}/settings/groups/{group}", Least::Admin, save),
    ];
    [own, consent::rules(), sign_on::rules(), sso_only::rules(), delete::rules()]
        .into_iter()
        .flatten()
        .collect()
}

#[derive(Template)]
#[template(path = "console/settings.html")]
struct SettingsPage<'a> {
    page: Page<'a>,
    nav: Nav,
    forms: Vec<GroupForm>,
    /// Labels and values of what is in force and cannot be changed here.
    facts: Vec<(String, String)>,
    is_owner: bool,
    is_done: bool,
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let is_done = query.get("done") == Some("saved");
    match Settings::find(&app, &console).await {
        Ok(settings) => draw(&app, &console, StatusCode::OK, &settings, None, is_done),
        Err(error) => console.fault(&app, &error),
    }
}

fn draw(
    app: &App,
    console: &Console,
    status: StatusCode,
    settings: &Settings,
    entered: Option<&Entered>,
    is_done: bool,
) -> Response {
    let path = console.path("/settings");
    let page = console.page(app, &path);
    let words = page.words;
    let shown = SettingsPage {
        nav: console.nav(app, Section::Settings),
        forms: Group::ALL.into_iter().map(|group| groups::form(words, group, settings, entered)).collect(),
        facts: facts(app, words, settings),
        is_owner: console.member.role == Role::Owner,
        is_done,
        page,
    };
    console.show(status, &shown)
}

/// What the operator decides.
fn facts(app: &App, words: Words, settings: &Settings) -> Vec<(String, String)> {
    let institution = settings.institution();
    let policy = app.limiter.policy();
    let (source, requests) = match institution.rate_limit {
        Some(own) => ("console-settings-rate-limit-own", own),
        None => ("console-settings-rate-limit-default", policy.ceiling),
    };
    let rate_limit = words.with(
        source,
        &[("requests", Arg::Number(u64::from(requests))), ("seconds", Arg::Number(policy.window.as_secs()))],
    );
    let since = institution.created_at.date_in(&institution.time_zone).to_string();
    let export_days = (app.export_life.as_secs() / (24 * 3_600)).max(1);
    vec![
        (words.text("console-settings-short-name"), institution.slug.clone()),
        (words.text("console-settings-access-code"), institution.access_code.clone()),
        (words.text("console-settings-created"), since),
        (words.text("console-settings-rate-limit"), rate_limit),
        (words.text("console-settings-retention"), words.text("console-settings-retention-value")),
        (
            words.text("console-settings-exports-kept"),
            words.one("console-settings-exports-kept-value", "days", export_days),
        ),
    ]
}

#[derive(Deserialize)]
struct GroupPath {
    group: String,
}

async fn save(
    State(app): State<App>,
    Path(GroupPath { group }): Path<GroupPath>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    // The look has a file, and an address of its own.
    let Some(group) = Group::parse(&group).filter(|group| *group != Group::Look) else {
        return nothing(&app, &console);
    };
    let typed = |setting: &Setting| {
        let value = form.get(setting.word()).unwrap_or_default().replace("\r\n", "\n");
        (*setting, value)
    };
    let values = group.settings().iter().map(typed).collect();
    let version = form.get("version").unwrap_or_default();
    let entered = Entered { group, values, errors: FieldErrors::default(), is_outdated: false };
    finish(&app, &console, entered, version, None).await
}

fn nothing(app: &App, console: &Console) -> Response {
    let path = console.path("/settings");
    let page = console.page(app, &path);
    notice::show(StatusCode::NOT_FOUND, page, "shared-nothing-title", "shared-nothing")
}

async fn save_look(State(app): State<App>, console: Console, request: Request) -> Response {
    let (sent, request) = match SentForm::check(request, &app).await {
        Ok(checked) => checked,
        Err(refusal) => return refusal,
    };
    let mut form = match MultipartForm::read(request, console.id(), LARGEST_LOGO).await {
        Ok(form) => form,
        Err(StatusCode::PAYLOAD_TOO_LARGE) => return too_large(&app, &console).await,
        Err(status) => {
            let path = console.path("/settings");
            let page = console.page(&app, &path);
            return notice::show(status, page, "shared-unreadable-title", "shared-unreadable");
        }
    };
    if !sent.is_own(form.text(csrf::FIELD)) {
        return forged_by(&app, &sent.signed_in);
    }
    let logo = form.take(Setting::Logo.word()).filter(|file| !file.is_empty());
    let text = |setting: Setting| (setting, form.text(setting.word()).unwrap_or_default().to_owned());
    let values = vec![text(Setting::Accent), text(Setting::NoLogo)];
    let entered = Entered { group: Group::Look, values, errors: FieldErrors::default(), is_outdated: false };
    let version = form.text("version").unwrap_or_default();
    finish(&app, &console, entered, version, logo).await
}

/// The body was not read, so nothing is known of what was typed.
async fn too_large(app: &App, console: &Console) -> Response {
    let settings = match Settings::find(app, console).await {
        Ok(settings) => settings,
        Err(error) => return console.fault(app, &error),
    };
    let errors = FieldErrors::one(Field::Logo, Fault::TooLong { most: LARGEST_LOGO });
    let values = vec![(Setting::Accent, settings.accent())];
    let entered = Entered { group: Group::Look, values, errors, is_outdated: false };
    draw(app, console, StatusCode::PAYLOAD_TOO_LARGE, &settings, Some(&entered), false)
}

/// Saves what was typed, or shows it again with what is wrong, or with what somebody else has saved meanwhile.
async fn finish(
    app: &App,
    console: &Console,
    mut entered: Entered,
    version: &str,
    logo: Option<Vec<u8>>,
) -> Response {
    let settings = match Settings::find(app, console).await {
        Ok(settings) => settings,
        Err(error) => return console.fault(app, &error),
    };
    if settings.version(entered.group) != version {
        return tell(app, console, &settings, entered);
    }
    let mut change = entered.change(&settings);
    if let Some(logo) = logo {
        change.look.logo = Some(Some(logo));
    }
    match update(app, console, change).await {
        Ok(()) => console.go(app, "/settings?done=saved"),
        // At the same moment.
        Err(Error::Invalid(errors)) if is_outdated(&errors) => match Settings::find(app, console).await {
            Ok(settings) => tell(app, console, &settings, entered),
            Err(error) => console.fault(app, &error),
        },
        Err(Error::Invalid(errors)) => {
            entered.errors = errors;
            draw(app, console, StatusCode::UNPROCESSABLE_ENTITY, &settings, Some(&entered), false)
        }
        Err(error) => console.fault(app, &error),
    }
}

/// Shows what was typed, and what somebody else has saved meanwhile.
fn tell(app: &App, console: &Console, settings: &Settings, mut entered: Entered) -> Response {
    entered.is_outdated = true;
    draw(app, console, StatusCode::CONFLICT, settings, Some(&entered), false)
}

async fn update(app: &App, console: &Console, change: institutions::Change) -> Result<()> {
    institutions::update(app, &console.actor, &console.institution.slug, change).await.map(drop)
}

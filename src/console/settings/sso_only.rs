//! `/console/{slug}/settings/sign-on/only`: who must sign in through the provider, and gets no code by mail. For owners.

use axum::{extract::State, http::StatusCode, response::Response};

use super::sign_on::FormPage;
use crate::{
    app::{App, Error, Result, institutions},
    console::{
        inputs::{Choice, Input, Shape, is_outdated},
        rule::{Least, Rule},
        visit::{Console, ConsoleForm},
    },
    domain::{
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        section::Section,
        sso::SsoOnly,
    },
    words::Words,
};

const PATH: &str = "/console/{slug}/settings/sign-on/only";
/// The name of the input.
const ONLY: &str = "sso_only";

pub fn rules() -> Vec<Rule> {
    vec![Rule::get(PATH, Least::Owner.fresh(), show), Rule::post(PATH, Least::Owner.fresh(), save)]
}

/// The id of the label of a choice.
pub const fn label(only: SsoOnly) -> &'static str {
    match only {
        SsoOnly::Off => "console-settings-sso-only-off",
        SsoOnly::Members => "console-settings-sso-only-members",
        SsoOnly::Everybody => "console-settings-sso-only-everybody",
    }
}

/// What was chosen and not saved.
#[derive(Default)]
struct Entered {
    chosen: Option<SsoOnly>,
    errors: FieldErrors,
    is_outdated: bool,
}

async fn find(app: &App, console: &Console) -> Result<institutions::Settings> {
    institutions::settings::find(app, &console.actor, &console.institution.slug).await
}

async fn show(State(app): State<App>, console: Console) -> Response {
    match find(&app, &console).await {
        Ok(settings) => draw(&app, &console, StatusCode::OK, settings.sso_only, Entered::default()),
        Err(error) => console.fault(&app, &error),
    }
}

fn draw(app: &App, console: &Console, status: StatusCode, stored: SsoOnly, entered: Entered) -> Response {
    let path = console.path("/settings/sign-on/only");
    let page = console.page(app, &path);
    let (words, nav) = (page.words, console.nav(app, Section::Settings));
    let choices = SsoOnly::ALL.map(|one| Choice { word: one.word(), label: words.text(label(one)) });
    let title = words.text("console-settings-sso-only");
    let input = Input {
        hint: Some(words.text("console-settings-sso-only-hint")),
        fault: entered.errors.said(&Field::Parameter(ONLY), |fault| sentence(words, fault)),
        ..Input::new(
            ONLY,
            title.clone(),
            Shape::Radios(choices.into()),
            entered.chosen.unwrap_or(stored).word(),
        )
    };
    let shown = FormPage {
        others: vec![(title.clone(), words.text(label(stored)))],
        title,
        action: format!("{}/settings/sign-on/only", nav.home()),
        inputs: vec![input],
        version: stored.word().to_owned(),
        is_outdated: entered.is_outdated,
        removal: None,
        nav,
        page,
    };
    console.show(status, &shown)
}

async fn save(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let seen = match find(&app, &console).await {
        Ok(seen) => seen,
        Err(error) => return console.fault(&app, &error),
    };
    let stored = seen.sso_only;
    let given = form.get(ONLY).unwrap_or_default();
    let entered = Entered { chosen: SsoOnly::parse(given), ..Entered::default() };
    if form.get("version") != Some(stored.word()) {
        return tell(&app, &console, stored, entered);
    }
    let change = institutions::Change {
        sso_only: Some(given.to_owned()),
        based_on: Some(seen),
        ..institutions::Change::default()
    };
    match institutions::update(&app, &console.actor, &console.institution.slug, change).await {
        Ok(_) => console.go(&app, "/settings/sign-on?done=saved"),
        // At the same moment.
        Err(Error::Invalid(errors)) if is_outdated(&errors) => match find(&app, &console).await {
            Ok(now) => tell(&app, &console, now.sso_only, entered),
            Err(error) => console.fault(&app, &error),
        },
        Err(Error::Invalid(errors)) => {
            let entered = Entered { errors, ..entered };
            draw(&app, &console, StatusCode::UNPROCESSABLE_ENTITY, stored, entered)
        }
        Err(error) => console.fault(&app, &error),
    }
}

/// Shows what was chosen, and what somebody else has saved meanwhile.
fn tell(app: &App, console: &Console, stored: SsoOnly, entered: Entered) -> Response {
    let entered = Entered { is_outdated: true, ..entered };
    draw(app, console, StatusCode::CONFLICT, stored, entered)
}

fn sentence(words: Words, fault: &Fault) -> String {
    match fault {
        Fault::Setup(SetupFault::ConnectionNeeded) => words.text("console-settings-sso-only-fault"),
        _ => words.text("console-settings-sso-only-choose"),
    }
}

//! `/console/{slug}/learning-systems/{id}/edit`: changes a learning system.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{
    PATH,
    fields::{self, Roles},
    found,
    one::schedule_name,
};
use crate::{
    app::{
        App, Error,
        tool_consumers::{self, Change, ListChange},
    },
    console::{
        inputs::{self, Input, Shape, is_outdated, said},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{
        fault::Field,
        field_errors::FieldErrors,
        roster::Role,
        schedule::Schedule,
        section::Section,
        tool_consumer::{LmsKind, ToolConsumer},
    },
    http::{form::Form, page::Page, path::Path},
    words::Words,
};

#[derive(Template)]
#[template(path = "console/system_edit.html")]
struct EditPage<'a> {
    page: Page<'a>,
    nav: Nav,
    id: String,
    name: String,
    inputs: Vec<Input>,
    roles: Roles,
    schedule: Input,
    version: String,
    is_changed: bool,
}

/// What is in the form.
#[derive(Clone)]
struct Entered {
    /// What was stored when the form was shown. If it differs when the form is sent, somebody else has changed it.
    version: String,
    name: String,
    access_token: String,
    deployments: String,
    auth_url: String,
    token_url: String,
    jwks_url: String,
    frame_ancestors: String,
    roles: Vec<Role>,
    schedule: Schedule,
}

impl Entered {
    fn of(system: &ToolConsumer) -> Self {
        let lti = system.lti.as_ref();
        let lines = |list: Option<&Vec<String>>| list.map(|list| list.join("\n")).unwrap_or_default();
        Self {
            version: tool_consumers::version(system),
            name: system.name.clone(),
            access_token: String::new(),
            deployments: lines(lti.map(|lti| &lti.deployments)),
            auth_url: lti.map(|lti| lti.auth_url.clone()).unwrap_or_default(),
            token_url: lti.map(|lti| lti.token_url.clone()).unwrap_or_default(),
            jwks_url: lti.map(|lti| lti.jwks_url.clone()).unwrap_or_default(),
            frame_ancestors: lines(lti.map(|lti| &lti.frame_ancestors)),
            roles: system.roles.clone(),
            schedule: system.schedule,
        }
    }

    fn read(form: &Form) -> Self {
        let text = |name| fields::text(form, name);
        Self {
            version: form.get("version").unwrap_or_default().to_owned(),
            name: text("name"),
            access_token: text("access_token"),
            deployments: fields::lines(&text("deployments")).join("\n"),
            auth_url: text("auth_url"),
            token_url: text("token_url"),
            jwks_url: text("jwks_url"),
            frame_ancestors: fields::lines(&text("frame_ancestors")).join("\n"),
            roles: fields::roles(form),
            schedule: form.get("schedule").and_then(Schedule::parse).unwrap_or_default(),
        }
    }

    fn change(&self, system: &ToolConsumer) -> Change {
        let mut change = Change {
            name: Some(self.name.clone()),
            roles: Some(self.roles.clone()),
            schedule: Some(self.schedule),
            access_token: Some(self.access_token.clone()).filter(|token| !token.is_empty()),
            ..Change::default()
        };
        if let Some(lti) = &system.lti {
            change.deployments = difference(&lti.deployments, &self.deployments);
            change.frame_ancestors = difference(&lti.frame_ancestors, &self.frame_ancestors);
            change.auth_url = Some(self.auth_url.clone()).filter(|url| *url != lti.auth_url);
            change.token_url = Some(self.token_url.clone()).filter(|url| *url != lti.token_url);
            change.jwks_url = Some(self.jwks_url.clone()).filter(|url| *url != lti.jwks_url);
        }
        change
    }
}

fn difference(stored: &[String], entered: &str) -> ListChange {
    let entered = fields::lines(entered);
    ListChange {
        remove: stored.iter().filter(|one| !entered.contains(one)).cloned().collect(),
        add: entered.into_iter().filter(|one| !stored.contains(one)).collect(),
    }
}

pub async fn show(
    State(app): State<App>,
    console: Console,
    Path((_, id)): Path<(String, String)>,
) -> Response {
    match found(&app, &console, &id).await {
        Ok(system) => draw(&app, &console, &system, &Entered::of(&system), &FieldErrors::default(), false),
        Err(error) => console.fault(&app, &error),
    }
}

pub async fn save(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let system = match found(&app, &console, &id).await {
        Ok(system) => system,
        Err(error) => return console.fault(&app, &error),
    };
    let entered = Entered::read(&form);
    let change = Change { base: Some(entered.version.clone()), ..entered.change(&system) };
    match tool_consumers::update(&app, &console.actor, system.id, change).await {
        Ok(system) => console.go(&app, &format!("{PATH}/{}?done=saved", system.id)),
        Err(Error::Invalid(errors)) if is_outdated(&errors) => match found(&app, &console, &id).await {
            Ok(now) => {
                let entered = Entered { version: tool_consumers::version(&now), ..entered };
                draw(&app, &console, &now, &entered, &FieldErrors::default(), true)
            }
            Err(error) => console.fault(&app, &error),
        },
        Err(Error::Invalid(errors)) => draw(&app, &console, &system, &entered, &errors, false),
        Err(error) => console.fault(&app, &error),
    }
}

fn draw(
    app: &App,
    console: &Console,
    system: &ToolConsumer,
    entered: &Entered,
    errors: &FieldErrors,
    is_changed: bool,
) -> Response {
    let (path, words) = (console.path(&format!("{PATH}/{}/edit", system.id)), console.words());
    let theirs = is_changed.then(|| Entered::of(system));
    let schedule = |one: Schedule| inputs::Choice { word: one.word(), label: words.text(schedule_name(one)) };
    let view = EditPage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::LearningSystems),
        id: system.id.to_string(),
        name: system.name.clone(),
        inputs: text_inputs(words, system.kind, entered, errors, theirs.as_ref()),
        roles: Roles::new(words, &entered.roles, errors),
        schedule: Input::new(
            "schedule",
            words.text("console-systems-schedule"),
            Shape::Menu(Schedule::ALL.map(schedule).into()),
            entered.schedule.word(),
        ),
        version: entered.version.clone(),
        is_changed,
    };
    let status = match (is_changed, errors.is_empty()) {
        (true, _) => StatusCode::CONFLICT,
        (false, false) => StatusCode::UNPROCESSABLE_ENTITY,
        (false, true) => StatusCode::OK,
    };
    console.show(status, &view)
}

fn text_inputs(
    words: Words,
    kind: LmsKind,
    entered: &Entered,
    errors: &FieldErrors,
    theirs: Option<&Entered>,
) -> Vec<Input> {
    let input =
        |name: &'static str, label: &str, shape: Shape, read: fn(&Entered) -> &String, field: &Field| {
            let value = read(entered);
            let now = theirs.map(read).filter(|now| *now != value);
            Input::new(name, words.text(label), shape, value)
                .fault(fields::fault(words, errors, field))
                .now(now.map(|now| said(words, now)))
        };
    let name = input("name", "console-systems-name", Shape::Line, |one| &one.name, &Field::Name);
    if kind != LmsKind::Lti {
        let label = words.text("console-systems-token");
        let token = Input::new("access_token", label, Shape::Secret, &entered.access_token)
            .hint(words.text("console-systems-token-unchanged"))
            .fault(fields::fault(words, errors, &Field::AccessToken));
        return vec![name, token];
    }
    vec![
        name,
        input(
            "deployments",
            "console-systems-deployments",
            Shape::CodeLines,
            |one| &one.deployments,
            &Field::DeploymentId,
        )
        .hint(words.text("console-systems-lines-hint")),
        input("auth_url", "console-systems-auth-url", Shape::Code, |one| &one.auth_url, &Field::AuthUrl),
        input("token_url", "console-systems-token-url", Shape::Code, |one| &one.token_url, &Field::TokenUrl),
        input("jwks_url", "console-systems-jwks-url", Shape::Code, |one| &one.jwks_url, &Field::JwksUrl),
        input(
            "frame_ancestors",
            "console-systems-frames",
            Shape::CodeLines,
            |one| &one.frame_ancestors,
            &Field::FrameAncestor,
        )
        .hint(words.text("console-systems-frames-hint")),
    ]
}

//! `/console/{slug}/learning-systems/new`: connects a learning system. Canvas and Moodle are checked before that.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    CheckView, PATH,
    fields::{self, Roles},
    issuer::Unconfirmed,
    kind_name,
};
use crate::{
    app::{
        App, Error, Result,
        platforms::{self, DiscoveryError, Endpoints},
        tool_consumers,
    },
    console::{
        inputs::{Input, Shape},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        lti::ToolUrls,
        roster::Role,
        section::Section,
        tool_consumer::{LmsKind, Registration, ToolConsumer},
    },
    http::{form::Form, page::Page},
    lms::{Checked, StepResult},
    words::Words,
};

#[derive(Template)]
#[template(path = "console/system_new.html")]
struct NewPage<'a> {
    page: Page<'a>,
    nav: Nav,
    kind: LmsKind,
    title: &'static str,
    about: &'static str,
    inputs: Vec<Input>,
    /// For LTI: the platform asks for them before it assigns a client id.
    urls: Option<ToolUrls>,
    roles: Roles,
    checked: Option<CheckView>,
    /// The check has failed, and the visitor may connect the system all the same.
    is_doubtful: bool,
}

/// What was typed.
struct Entered {
    kind: LmsKind,
    name: String,
    url: String,
    access_token: String,
    client_id: String,
    deployments: String,
    auth_url: String,
    token_url: String,
    jwks_url: String,
    roles: Vec<Role>,
}

impl Entered {
    fn read(form: &Form) -> Self {
        let text = |name| fields::text(form, name);
        let kind = LmsKind::ALL.into_iter().find(|kind| Some(kind.word()) == form.get("kind"));
        Self {
            kind: kind.unwrap_or(LmsKind::Canvas),
            name: text("name"),
            url: text("url"),
            access_token: text("access_token"),
            client_id: text("client_id"),
            deployments: text("deployments"),
            auth_url: text("auth_url"),
            token_url: text("token_url"),
            jwks_url: text("jwks_url"),
            roles: fields::roles(form),
        }
    }

    /// What nobody can leave out.
    fn blanks(&self) -> FieldErrors {
        let credentials = match self.kind {
            LmsKind::Canvas | LmsKind::Moodle => (Field::AccessToken, &self.access_token),
            LmsKind::Lti => (Field::ClientId, &self.client_id),
        };
        let mut errors = FieldErrors::default();
        for (field, text) in [(Field::Name, &self.name), (Field::Url, &self.url), credentials] {
            if text.is_empty() {
                errors.add(field, Fault::Blank);
            }
        }
        tool_consumers::role_fault(&self.roles, &mut errors);
        errors
    }

    /// For an LTI platform, endpoints that are not given are read from its configuration document.
    async fn to_new(&self, app: &App) -> Result<tool_consumers::New> {
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let mut new = tool_consumers::New {
            name: self.name.clone(),
            kind: self.kind,
            url: self.url.clone(),
            product: None,
            roles: self.roles.clone(),
            access_token: given(&self.access_token),
            lti: None,
        };
        if self.kind == LmsKind::Lti {
            let endpoints = Endpoints {
                auth_url: given(&self.auth_url),
                token_url: given(&self.token_url),
                token_audience: None,
                jwks_url: given(&self.jwks_url),
            };
            let found = platforms::complete(app, self.url.clone(), None, endpoints).await;
            let found = found.map_err(undiscovered)?;
            (new.url, new.product) = (found.issuer, found.product);
            new.lti = Some(Registration {
                client_id: self.client_id.clone(),
                deployments: fields::lines(&self.deployments),
                auth_url: found.auth_url,
                token_url: found.token_url,
                token_audience: found.token_audience,
                jwks_url: found.jwks_url,
                frame_ancestors: Vec::new(),
            });
        }
        Ok(new)
    }
}

fn undiscovered(error: DiscoveryError) -> Error {
    Error::invalid(Field::Url, SetupFault::Address(error.to_string()))
}

pub async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let mut entered = Entered::read(&Form::from_query(request.uri().query().unwrap_or_default()));
    entered.roles = vec![Role::Student];
    draw(&app, &console, &entered, &FieldErrors::default(), None)
}

pub async fn connect(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let entered = Entered::read(&form);
    let errors = entered.blanks();
    if !errors.is_empty() {
        return draw(&app, &console, &entered, &errors, None);
    }
    match attempt(&app, &console, &entered, &form).await {
        Ok(Attempt::Checked(checked)) => {
            draw(&app, &console, &entered, &FieldErrors::default(), Some(&checked))
        }
        Ok(Attempt::Connected(made, api_token)) => show_made(&app, &console, &made, api_token),
        Err(Error::Invalid(errors)) => draw(&app, &console, &entered, &errors, None),
        Err(error) => console.fault(&app, &error),
    }
}

enum Attempt {
    /// Nothing was connected.
    Checked(Checked),
    Connected(Box<ToolConsumer>, String),
}

async fn attempt(app: &App, console: &Console, entered: &Entered, form: &Form) -> Result<Attempt> {
    let new = entered.to_new(app).await?;
    let is_only_check = form.get("do") == Some("check");
    if new.kind != LmsKind::Lti && form.get("anyway") != Some("yes") {
        let checked = tool_consumers::check_new(app, &console.actor, console.id(), &new).await?;
        if is_only_check || has_failed(&checked) {
            return Ok(Attempt::Checked(checked));
        }
    }
    let (made, api_token) = tool_consumers::create(app, &console.actor, console.id(), new).await?;
    Ok(Attempt::Connected(Box::new(made), api_token))
}

fn has_failed(checked: &Checked) -> bool {
    checked.steps.iter().any(|(_, result)| *result == StepResult::Failed)
}

fn draw(
    app: &App,
    console: &Console,
    entered: &Entered,
    errors: &FieldErrors,
    checked: Option<&Checked>,
) -> Response {
    let (path, words) = (console.path(&format!("{PATH}/new?kind={}", entered.kind.word())), console.words());
    let is_doubtful = checked.is_some_and(has_failed);
    let about = match entered.kind {
        LmsKind::Canvas => "console-systems-canvas-about",
        LmsKind::Moodle => "console-systems-moodle-about",
        LmsKind::Lti => "console-systems-lti-about",
    };
    let view = NewPage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::LearningSystems),
        kind: entered.kind,
        title: kind_name(entered.kind),
        about,
        inputs: inputs(words, entered, errors),
        urls: (entered.kind == LmsKind::Lti)
            .then(|| ToolUrls::of(app.links.base(), &console.institution.slug)),
        roles: Roles::new(words, &entered.roles, errors),
        checked: checked.map(CheckView::new),
        is_doubtful,
    };
    let is_faulty = is_doubtful || !errors.is_empty();
    console.show(if is_faulty { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK }, &view)
}

fn inputs(words: Words, entered: &Entered, errors: &FieldErrors) -> Vec<Input> {
    let url_hint = match entered.kind {
        LmsKind::Canvas => "console-systems-canvas-url",
        LmsKind::Moodle => "console-systems-moodle-url",
        LmsKind::Lti => "console-systems-issuer-hint",
    };
    let input = |name: &'static str, label: &str, shape: Shape, value: &String, field: &Field| {
        Input::new(name, words.text(label), shape, value).fault(fields::fault(words, errors, field))
    };
    let mut inputs = vec![
        input("name", "console-systems-name", Shape::Line, &entered.name, &Field::Name)
            .hint(words.text("console-systems-name-hint")),
        input("url", "console-systems-url", Shape::Code, &entered.url, &Field::Url)
            .hint(words.text(url_hint)),
    ];
    if entered.kind != LmsKind::Lti {
        let token = &entered.access_token;
        inputs.push(
            input("access_token", "console-systems-token", Shape::Secret, token, &Field::AccessToken)
                .hint(words.text("console-systems-token-hint")),
        );
        return inputs;
    }
    let endpoint = |name: &'static str, label: &str, value: &String, field: &Field| {
        let hint = words.text("console-systems-endpoint-hint");
        input(name, label, Shape::Code, value, field).hint(hint)
    };
    inputs.extend([
        input("client_id", "console-systems-client", Shape::Code, &entered.client_id, &Field::ClientId),
        input(
            "deployments",
            "console-systems-deployments",
            Shape::CodeLines,
            &entered.deployments,
            &Field::DeploymentId,
        )
        .hint(words.text("console-systems-lines-hint")),
        endpoint("auth_url", "console-systems-auth-url", &entered.auth_url, &Field::AuthUrl),
        endpoint("token_url", "console-systems-token-url", &entered.token_url, &Field::TokenUrl),
        endpoint("jwks_url", "console-systems-jwks-url", &entered.jwks_url, &Field::JwksUrl),
    ]);
    inputs
}

#[derive(Template)]
#[template(path = "console/system_made.html")]
struct MadePage<'a> {
    page: Page<'a>,
    nav: Nav,
    id: String,
    name: String,
    unconfirmed: Option<Unconfirmed>,
    api_token: String,
}

/// The answer to the form, and not a page of its own: the token is nowhere else.
fn show_made(app: &App, console: &Console, made: &ToolConsumer, api_token: String) -> Response {
    let path = console.path(PATH);
    let view = MadePage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::LearningSystems),
        id: made.id.to_string(),
        name: made.name.clone(),
        unconfirmed: Unconfirmed::of(console.words(), made),
        api_token,
    };
    console.show(StatusCode::OK, &view)
}

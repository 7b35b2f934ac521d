//! `/p/{slug}/register`: somebody who has proven their address says who they are.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    details::{Faults, Inputs},
    page::code_query,
    visit::Visit,
};
use crate::{
    app::{
        App, Error, Result,
        registrations::{self, Outcome, PageDetails},
    },
    domain::field_errors::FieldErrors,
    http::{form::Form, html::root, notice, page::Page, reply, session::OwnForm},
    words::Words,
};

#[derive(Template)]
#[template(path = "name_pages/register.html")]
struct RegisterView<'a> {
    page: Page<'a>,
    slug: &'a str,
    title: &'a str,
    email: &'a str,
    inputs: Inputs,
    /// An event code that is right, and need not be typed.
    known_code: Option<String>,
    code: Option<CodeInput>,
}

struct CodeInput {
    value: String,
    fault: Option<&'static str>,
    has_focus: bool,
}

/// Whether the form asks for the event code.
enum CodeAsked {
    No,
    /// With the id of the sentence that says what is wrong with the one that was typed.
    Yes(Option<&'static str>),
}

pub async fn form(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let Some((who, actor, person)) = visit.person() else { return leave(&app, &visit, &query) };
    if who.is_restricted() {
        return notice::restricted(&app, who);
    }
    let code = query.text("code");
    let found = async {
        if registrations::find(&app, actor, person, &visit.public).await?.is_some() {
            return Ok(Some(Outcome::Registered));
        }
        registrations::refusal(&app, actor, person, &visit.public, code.as_deref()).await
    };
    match found.await {
        Ok(Some(Outcome::Registered)) => to_entry(&app, &visit, ""),
        Ok(Some(Outcome::Closed | Outcome::NotPermitted)) => leave(&app, &visit, &query),
        Ok(Some(Outcome::WrongCode)) => {
            let fault = code.is_some().then_some("page-event-code-wrong");
            draw(&app, &visit, &query, None, CodeAsked::Yes(fault)).await
        }
        Ok(None) => draw(&app, &visit, &query, None, CodeAsked::No).await,
        Err(error) => failed(&app, &visit, &error),
    }
}

pub async fn send(State(app): State<App>, visit: Visit, OwnForm { form, .. }: OwnForm) -> Response {
    let Some((who, actor, person)) = visit.person() else { return leave(&app, &visit, &form) };
    if who.is_restricted() {
        return notice::restricted(&app, who);
    }
    let (is_vouched, code, details) = (who.session.is_vouched, form.text("code"), PageDetails::read(&form));
    match registrations::register(&app, actor, person, &visit.public, is_vouched, code.as_deref(), details)
        .await
    {
        Ok(Outcome::Registered) => to_entry(&app, &visit, "?done=registered"),
        Ok(Outcome::Closed | Outcome::NotPermitted) => leave(&app, &visit, &form),
        Ok(Outcome::WrongCode) => {
            let fault = if code.is_some() { "page-event-code-wrong" } else { "page-event-code-missing" };
            // Everything that is wrong is said at once.
            match registrations::faults(&app, &visit.public, PageDetails::read(&form)).await {
                Ok(errors) => draw(&app, &visit, &form, Some(&errors), CodeAsked::Yes(Some(fault))).await,
                Err(error) => failed(&app, &visit, &error),
            }
        }
        Err(Error::Invalid(errors)) => draw(&app, &visit, &form, Some(&errors), CodeAsked::No).await,
        Err(error) => failed(&app, &visit, &error),
    }
}

/// To the page, which says what the matter is, or asks who they are.
fn leave(app: &App, visit: &Visit, given: &Form) -> Response {
    let query = given.text("code").map(|code| format!("?{}", code_query(&code))).unwrap_or_default();
    reply::see_other(&format!("{}{}{query}", root(&app.links), visit.path("")))
}

fn to_entry(app: &App, visit: &Visit, query: &str) -> Response {
    reply::see_other(&format!("{}{}{query}", root(&app.links), visit.path("/own")))
}

fn failed(app: &App, visit: &Visit, error: &Error) -> Response {
    let path = visit.path("");
    notice::fault(visit.page(app, &path), error)
}

/// The form, with what was sent.
async fn draw(
    app: &App,
    visit: &Visit,
    given: &Form,
    errors: Option<&FieldErrors>,
    asked: CodeAsked,
) -> Response {
    let path = visit.path("/register");
    let code = given.text("code");
    let is_rejected = errors.is_some() || matches!(asked, CodeAsked::Yes(Some(_)));
    let status = if is_rejected { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    match view(app, visit, &path, given, errors).await {
        Ok(mut shown) => {
            match asked {
                CodeAsked::Yes(fault) => {
                    // The details come first on the page.
                    let has_focus = fault.is_some() && !shown.inputs.has_focus();
                    shown.code = Some(CodeInput { value: code.unwrap_or_default(), fault, has_focus });
                }
                CodeAsked::No => shown.known_code = code,
            }
            visit.show_plain(app, status, &shown)
        }
        Err(error) => failed(app, visit, &error),
    }
}

async fn view<'a>(
    app: &'a App,
    visit: &'a Visit,
    path: &'a str,
    given: &Form,
    errors: Option<&FieldErrors>,
) -> Result<RegisterView<'a>> {
    let public = &visit.public;
    let fields = registrations::asked_fields(app, public).await?;
    let faults = Faults { words: Words::new(visit.language), errors };
    Ok(RegisterView {
        page: visit.page(app, path),
        slug: &public.page.slug,
        title: &public.page.title,
        email: visit.who.as_ref().map_or("", |who| &who.session.person.email_key),
        inputs: Inputs::of_new(public, &fields, given, &faults),
        known_code: None,
        code: None,
    })
}

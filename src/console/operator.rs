//! The operator's console at `/console`, and what leads there. Its session is of its own (`app/operators.rs`): nobody who has signed in as
//! a person sees any of this.

pub mod link;

use askama::Template;
use axum::{
    extract::{FromRequest, Request, State},
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::Response,
};

use super::{faults, visit::nothing};
use crate::{
    app::{
        Actor, App, Error, Result,
        doctor::{
            self,
            wording::{FindingText, worded},
        },
        installation::{self, Size, State as InstallationState},
        institutions, operators,
        sessions::Secret,
    },
    domain::{fault::Field, field_errors::FieldErrors, language::Language},
    http::{
        cookie::FirstParty,
        csrf,
        form::{self, Form},
        html::root,
        notice,
        page::{self, Microphone, Page},
        policy::{Forms, Policy},
        reply,
        session::{SignedIn, forged, preferred},
    },
    words::{Arg, Words},
};

const COOKIE: FirstParty = FirstParty("endonym-operator");
/// How many institutions a page has.
const PER_PAGE: i64 = 100;
const PATH: &str = "/console";

/// The operator, with a session.
struct Operator {
    secret: Secret,
    language: Language,
}

impl Operator {
    async fn find(parts: &Parts, app: &App) -> Result<Option<Self>> {
        let secret = operators::find(app, &COOKIE.read(&app.links, &parts.headers)).await?;
        let language = preferred(parts).language(None, Language::default());
        Ok(secret.map(|secret| Self { secret, language }))
    }

    fn page<'a>(&self, app: &'a App, path: &'a str) -> Page<'a> {
        Page { csrf: csrf::token(&self.secret), ..Page::new(&app.links, self.language, path) }
    }

    /// Only a session makes one.
    const fn actor(&self) -> Actor {
        Actor::Operator
    }
}

fn show(status: StatusCode, shown: &impl Template) -> Response {
    let policy = Policy { forms: Forms::SelfOnly, ..Policy::default() };
    page::private(status, shown, policy, Microphone::Unused)
}

/// Sets the cookie; one that lasts 0 seconds is deleted.
fn set_cookie(app: &App, response: &mut Response, value: &str, seconds: i64) {
    let cookie: Option<HeaderValue> = COOKIE.set(&app.links, value, seconds);
    if let Some(cookie) = cookie {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

/// `/console`: the operator's console, or the way to that of the member's institution.
pub async fn home(State(app): State<App>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    match Operator::find(&parts, &app).await {
        Ok(Some(operator)) => {
            let query = Form::from_query(parts.uri.query().unwrap_or_default());
            draw(&app, &operator, &query, Typed::default(), FieldErrors::default()).await
        }
        Ok(None) => to_institution(&app, &parts).await,
        Err(error) => failed(&app, preferred(&parts).language(None, Language::default()), &error),
    }
}

fn failed(app: &App, language: Language, error: &Error) -> Response {
    notice::fault(Page::new(&app.links, language, "/"), error)
}

async fn to_institution(app: &App, parts: &Parts) -> Response {
    let language = preferred(parts).language(None, Language::default());
    let who = match SignedIn::find(parts, app).await {
        Ok(Some(who)) => who,
        Ok(None) => {
            return reply::see_other(&format!("{}/sign-in?return_to=%2Fconsole", root(&app.links)));
        }
        Err(error) => return failed(app, language, &error),
    };
    let slug = match who.member_actor(app).await {
        Ok(Actor::Member(member)) => institutions::by_id(app, member.person.institution).await,
        Ok(_) => return nothing(app, &who),
        Err(error) => Err(error),
    };
    match slug {
        Ok(institution) => reply::see_other(&format!("{}/console/{}", root(&app.links), institution.slug)),
        Err(error) => failed(app, language, &error),
    }
}

/// What is in the inputs of the form.
#[derive(Default)]
struct Typed {
    name: String,
    slug: String,
    zone: String,
    email: String,
}

impl Typed {
    fn of(form: &Form) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
        Self { name: text("name"), slug: text("slug"), zone: text("zone"), email: text("email") }
    }
}

#[derive(Template)]
#[template(path = "console/operator.html")]
struct OperatorPage<'a> {
    page: Page<'a>,
    state: InstallationState,
    institutions: Vec<Size>,
    /// The address of the next institutions, if there may be more.
    more: Option<String>,
    findings: Vec<FindingText>,
    /// Other servers were asked, too.
    is_thorough: bool,
    typed: Typed,
    name_fault: Option<String>,
    slug_fault: Option<String>,
    zone_fault: Option<String>,
    email_fault: Option<String>,
}

impl OperatorPage<'_> {
    fn minutes(&self, id: &str, time: &std::time::Duration) -> String {
        self.page.words.with(id, &[("minutes", Arg::Number(time.as_secs() / 60))])
    }

    fn gigabytes(&self, bytes: &u64) -> String {
        format!("{:.1} GB", *bytes as f64 / 1e9)
    }
}

async fn draw(app: &App, operator: &Operator, query: &Form, typed: Typed, errors: FieldErrors) -> Response {
    match read(app, operator, query, typed, errors).await {
        Ok(response) => response,
        Err(error) => failed(app, operator.language, &error),
    }
}

async fn read(
    app: &App,
    operator: &Operator,
    query: &Form,
    typed: Typed,
    errors: FieldErrors,
) -> Result<Response> {
    let (actor, words) = (operator.actor(), Words::new(operator.language));
    let behind = query.get("after").unwrap_or_default();
    let institutions = installation::institutions(app, &actor, behind, PER_PAGE).await?;
    let is_full = institutions.len() as i64 == PER_PAGE;
    let last = institutions.last().filter(|_| is_full);
    let more = last.map(|last| format!("{}{PATH}?after={}", root(&app.links), last.slug));
    let is_thorough = query.get("check") == Some("all");
    let findings = doctor::examine(app, &actor, is_thorough).await?;
    let fault = |field: Field| faults::of(words, &errors, &field);
    let shown = OperatorPage {
        page: operator.page(app, PATH),
        state: installation::state(app, &actor).await?,
        institutions,
        more,
        findings: findings.into_iter().map(worded).collect(),
        is_thorough,
        typed,
        name_fault: fault(Field::Name),
        slug_fault: fault(Field::Slug),
        zone_fault: fault(Field::TimeZone),
        email_fault: fault(Field::Email),
    };
    let status = if errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(show(status, &shown))
}

/// A form that the operator sent from their own page.
pub struct OperatorForm {
    operator: Operator,
    form: Form,
}

impl FromRequest<App> for OperatorForm {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        let (parts, body) = request.into_parts();
        let language = preferred(&parts);
        let found = Operator::find(&parts, app).await;
        let found =
            found.map_err(|error| failed(app, language.language(None, Language::default()), &error))?;
        // Whoever has no session learns nothing.
        let Some(operator) = found else {
            return Err(reply::see_other(&format!("{}{PATH}", root(&app.links))));
        };
        if csrf::is_cross_origin(&app.links, &parts.headers) {
            return Err(forged(app, language));
        }
        let read = form::read_anonymous(Request::from_parts(parts, body)).await;
        let form = read.map_err(|_| forged(app, language))?;
        let is_own = form.get(csrf::FIELD).is_some_and(|token| csrf::is_token(&operator.secret, token));
        if is_own { Ok(Self { operator, form }) } else { Err(forged(app, language)) }
    }
}

#[derive(Template)]
#[template(path = "console/operator_founded.html")]
struct FoundedPage<'a> {
    page: Page<'a>,
    name: &'a str,
    email: &'a str,
    link: &'a str,
}

/// Creates an institution. The link of its owner is shown once: this page is not stored anywhere.
pub async fn found(State(app): State<App>, OperatorForm { operator, form }: OperatorForm) -> Response {
    let typed = Typed::of(&form);
    let new = institutions::New {
        name: typed.name.clone(),
        slug: Some(typed.slug.clone()).filter(|slug| !slug.is_empty()),
        time_zone: typed.zone.clone(),
        multiple_recordings: form.get("legal_names") == Some("1"),
        phone_language: String::new(),
    };
    match installation::found(&app, &operator.actor(), new, &typed.email).await {
        Ok(founded) => {
            let (name, email) = (&founded.institution.name, &typed.email);
            let page = operator.page(&app, PATH);
            show(StatusCode::OK, &FoundedPage { page, name, email, link: &founded.link })
        }
        Err(Error::Invalid(errors)) => draw(&app, &operator, &Form::default(), typed, errors).await,
        Err(error) => failed(&app, operator.language, &error),
    }
}

pub async fn sign_out(State(app): State<App>, OperatorForm { operator, .. }: OperatorForm) -> Response {
    if let Err(error) = operators::end(&app, &operator.secret).await {
        return failed(&app, operator.language, &error);
    }
    let mut response = reply::see_other(&format!("{}/", root(&app.links)));
    set_cookie(&app, &mut response, "", 0);
    response
}

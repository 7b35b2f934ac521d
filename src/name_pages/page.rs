//! `/p/{slug}`: what the page is about, what is asked of visitors, and how they get in. Everybody gets the same answer, whether
//! their address may register or not.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use jiff::tz::TimeZone;

use super::visit::Visit;
use crate::{
    app::{
        Actor, App, Result, institutions,
        name_pages::PublicPage,
        registrations::{self, Answer},
        sign_in, sso,
    },
    domain::{
        consent::paragraphs,
        custom_field::CustomField,
        email::Email,
        moment::Moment,
        name_page::code_key,
        page_settings::{Asking, PageState, Register},
        sso::SsoOnly,
    },
    http::{
        form::Form,
        html::root,
        notice,
        page::Page,
        policy::{Forms, Policy},
        reply,
        session::VisitorForm,
    },
    words::{Arg, Words},
};

#[derive(Template)]
#[template(path = "name_pages/page.html")]
struct PublicView<'a> {
    page: Page<'a>,
    slug: &'a str,
    title: &'a str,
    description: Vec<String>,
    date: Option<String>,
    /// The page is closed or archived, or will be closed.
    state: Option<String>,
    is_open: bool,
    asked: Vec<AskedItem>,
    entrance: Entrance,
    /// They may listen.
    may_listen: bool,
    is_manager: bool,
}

/// One of the things that are asked of visitors.
pub struct AskedItem {
    pub label: String,
    pub is_optional: bool,
}

/// How a visitor gets to their entry.
enum Entrance {
    /// They are registered.
    Own,
    /// They are signed in, and can register.
    Register { address: String },
    /// They are signed in, and the page is for others.
    Others { email: String },
    /// In a frame. On another site, forms do not work there; and nobody may frame the pages that others lead to.
    Window,
    /// Everybody else proves an address.
    Ask(Box<AskForm>),
    /// Nobody gets in any more who is not signed in.
    Nothing,
}

struct AskForm {
    /// The id of the sentence above the form.
    lead: &'static str,
    email: String,
    /// The id of the sentence that says what is wrong.
    email_fault: Option<&'static str>,
    /// The domains of addresses that may register.
    domains: Option<String>,
    code: Option<CodeInput>,
    /// OpenID providers of the institution: names and paths.
    providers: Vec<(String, String)>,
    /// The path that signs in through the institution's own proxy.
    proxy: Option<String>,
    /// Where people sign in who are registered and have no event code.
    known: Option<String>,
    /// Whoever enters their address gets a code. Otherwise, everybody signs in in another way.
    is_mailed: bool,
}

struct CodeInput {
    value: String,
    fault: Option<&'static str>,
}

/// What was typed, and what is wrong with it.
#[derive(Default)]
struct Typed {
    email: String,
    email_fault: Option<&'static str>,
    code: String,
    code_fault: Option<&'static str>,
}

impl Typed {
    fn is_rejected(&self) -> bool {
        self.email_fault.is_some() || self.code_fault.is_some()
    }
}

pub async fn show(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let path = visit.path("");
    if request.uri().path() != path {
        return reply::see_other(&canonical(&app, &visit, request.uri().path(), &query));
    }
    let code = query.get("code").unwrap_or_default().to_owned();
    draw(&app, &visit, Typed { code, ..Typed::default() }).await
}

/// The address with the slug, for somebody who came by the event code: they know it.
fn canonical(app: &App, visit: &Visit, path: &str, query: &Form) -> String {
    let event_code = &visit.public.page.event_code;
    let came_by_code = path.strip_prefix("/p/").is_some_and(|given| code_key(given) == code_key(event_code));
    let code = if came_by_code { Some(event_code.as_str()) } else { query.get("code") };
    let address = format!("{}{}", root(&app.links), visit.path(""));
    match code {
        Some(code) => format!("{address}?{}", code_query(code)),
        None => address,
    }
}

/// The query that carries an event code.
pub fn code_query(code: &str) -> String {
    form_urlencoded::Serializer::new(String::new()).append_pair("code", code).finish()
}

pub async fn ask(
    State(app): State<App>,
    visit: Visit,
    VisitorForm { visitor, form }: VisitorForm,
) -> Response {
    let [email, code] = ["email", "code"].map(|name| form.get(name).unwrap_or_default().to_owned());
    match is_mailed(&app, &visit).await {
        Ok(true) => {}
        // The page has no form for it.
        Ok(false) => return draw(&app, &visit, Typed { code, ..Typed::default() }).await,
        Err(error) => return notice::fault(visit.page(&app, &visit.path("")), &error),
    }
    let Some(parsed) = Email::parse(&email) else {
        let fault = if email.trim().is_empty() { "sign-in-email-missing" } else { "sign-in-email-invalid" };
        return draw(&app, &visit, Typed { email, email_fault: Some(fault), code, code_fault: None }).await;
    };
    let given = (!code.trim().is_empty()).then_some(code.as_str());
    let asker = visitor.asker(&app);
    let asked = registrations::ask(&app, &asker, &visit.public, parsed, given, visit.language);
    match asked.await {
        Ok(Answer::Accepted) => reply::see_other(&format!("{}{}", root(&app.links), visit.path("/code"))),
        Ok(Answer::WrongCode) => {
            let fault = if given.is_none() { "page-event-code-missing" } else { "page-event-code-wrong" };
            draw(&app, &visit, Typed { email, email_fault: None, code, code_fault: Some(fault) }).await
        }
        Ok(Answer::TooMany(wait)) => {
            notice::too_many_mails(&app, visit.page(&app, &visit.path("")), &visitor.secret, wait).await
        }
        Ok(Answer::Later(wait)) => {
            let fault = Some("page-ask-later");
            let mut response =
                draw(&app, &visit, Typed { email, email_fault: fault, code, code_fault: None }).await;
            if response.status() == StatusCode::UNPROCESSABLE_ENTITY {
                *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
            }
            reply::with_retry_after(response, wait.seconds)
        }
        Err(error) => notice::fault(visit.page(&app, &visit.path("")), &error),
    }
}

async fn draw(app: &App, visit: &Visit, typed: Typed) -> Response {
    let path = visit.path("");
    let status = if typed.is_rejected() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    match view(app, visit, &path, typed).await {
        Ok(shown) => {
            let policy = Policy { forms: Forms::SelfOnly, ..Policy::default() };
            visit.show_framed(app, status, &shown, policy)
        }
        Err(error) => notice::fault(visit.page(app, &path), &error),
    }
}

async fn view<'a>(app: &'a App, visit: &'a Visit, path: &'a str, typed: Typed) -> Result<PublicView<'a>> {
    let page = visit.page(app, path);
    let PublicPage { page: name_page, settings, .. } = &visit.public;
    let fields = registrations::asked_fields(app, &visit.public).await?;
    Ok(PublicView {
        slug: &name_page.slug,
        title: &name_page.title,
        description: settings.description.as_deref().map(paragraphs).unwrap_or_default(),
        date: settings.date.map(|date| date.to_string()),
        state: state(page.words, &visit.public, app.clock.now()),
        is_open: settings.state(app.clock.now()) == PageState::Open,
        asked: asked_items(page.words, &visit.public, &fields),
        entrance: entrance(app, visit, typed).await?,
        may_listen: visit.may_listen(app).await,
        is_manager: visit.is_manager() && !visit.is_framed,
        page,
    })
}

/// A sentence about the closing time, or about the end of the page.
pub fn state(words: Words, public: &PublicPage, now: Moment) -> Option<String> {
    let zone = &public.institution.time_zone;
    let at = |id: &str, moment: Moment| {
        let name = zone.iana_name().unwrap_or("UTC");
        words.with(id, &[("time", Arg::Text(&shown_time(moment, zone))), ("zone", Arg::Text(name))])
    };
    match public.settings.state(now) {
        PageState::Archived => Some(words.text("page-archived")),
        PageState::Closed => public.settings.closes_at.map(|moment| at("page-closed", moment)),
        PageState::Open => public.settings.closes_at.map(|moment| at("page-closes", moment)),
    }
}

/// Such as `2027-05-31 18:00`.
fn shown_time(moment: Moment, zone: &TimeZone) -> String {
    moment.shown_in(zone).chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

/// What is asked of visitors, the recording first.
pub fn asked_items(words: Words, public: &PublicPage, fields: &[CustomField]) -> Vec<AskedItem> {
    let asked = &public.settings.asked;
    let item = |label: String, asking: Asking| {
        asking.is_asked().then(|| AskedItem { label, is_optional: !asking.is_required() })
    };
    let custom = fields.iter().map(|field| item(field.label.clone(), asked.of(field)));
    let before = [
        item(words.text("page-asked-recording"), Asking::Required),
        item(words.text("page-asked-name"), asked.name),
        item(words.text("me-phonetic"), asked.phonetic),
    ];
    let after =
        [item(words.text("page-asked-photo"), asked.photo), item(words.text("me-notes"), asked.notes)];
    before.into_iter().chain(custom).chain(after).flatten().collect()
}

async fn entrance(app: &App, visit: &Visit, typed: Typed) -> Result<Entrance> {
    if visit.is_framed {
        return Ok(Entrance::Window);
    }
    let now = app.clock.now();
    if let Some((_, actor, person)) = visit.person() {
        if registrations::find(app, actor, person, &visit.public).await?.is_some() {
            return Ok(Entrance::Own);
        }
        let given = (!typed.code.is_empty()).then_some(typed.code.as_str());
        return Ok(match registrations::refusal(app, actor, person, &visit.public, given).await? {
            // Without the event code, the next page asks for it.
            None | Some(registrations::Outcome::WrongCode | registrations::Outcome::Registered) => {
                let query = given.map(|code| format!("?{}", code_query(code))).unwrap_or_default();
                Entrance::Register { address: format!("{}{query}", visit.path("/register")) }
            }
            Some(registrations::Outcome::NotPermitted) => {
                Entrance::Others { email: person.email_key.clone() }
            }
            Some(registrations::Outcome::Closed) => Entrance::Nothing,
        });
    }
    let settings = &visit.public.settings;
    let is_open = settings.state(now) == PageState::Open;
    let lead = match settings.register {
        _ if !is_open => "page-ask-closed",
        Register::Invited => "page-ask-invited",
        Register::Domain | Register::Code | Register::Open => "page-ask-lead",
    };
    let has_code = is_open && settings.register == Register::Code;
    let has_domains = is_open && settings.register == Register::Domain;
    let domains = || settings.domains.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let return_to = match typed.code.as_str() {
        "" => visit.path("/own"),
        code => format!("{}?{}", visit.path("/own"), code_query(code)),
    };
    Ok(Entrance::Ask(Box::new(AskForm {
        lead,
        email: typed.email,
        email_fault: typed.email_fault,
        domains: has_domains.then(domains),
        code: has_code.then_some(CodeInput { value: typed.code, fault: typed.code_fault }),
        providers: providers(app, visit, &return_to).await?,
        proxy: proxy(app, visit, &return_to),
        known: has_code.then(|| visit.sign_in_address(app, &visit.path("/own"))),
        is_mailed: is_mailed(app, visit).await?,
    })))
}

/// May anybody of the institution get a code by mail?
async fn is_mailed(app: &App, visit: &Visit) -> Result<bool> {
    Ok(institutions::sso_only(app, visit.public.institution.id).await? != SsoOnly::Everybody)
}

fn return_query(return_to: &str) -> String {
    form_urlencoded::Serializer::new(String::new()).append_pair("return_to", return_to).finish()
}

async fn providers(app: &App, visit: &Visit, return_to: &str) -> Result<Vec<(String, String)>> {
    let institution = visit.public.institution.id;
    let offered = sso::offered(app, &Actor::Visitor(institution), institution).await?;
    let path = |id| format!("{}/sso/{id}/start?{}", root(&app.links), return_query(return_to));
    Ok(offered.into_iter().map(|one| (one.name, path(one.id))).collect())
}

fn proxy(app: &App, visit: &Visit, return_to: &str) -> Option<String> {
    let proxy = app.sign_in.proxy.as_ref()?;
    (visit.public.institution.slug == proxy.institution)
        .then(|| format!("{}/sign-in/proxy?{}", root(&app.links), return_query(return_to)))
}

#[derive(Template)]
#[template(path = "name_pages/code.html")]
struct CodeView<'a> {
    page: Page<'a>,
    slug: &'a str,
    title: &'a str,
}

/// Where the code of the message is entered. The form leads to the page for signing in, which is the same for everybody.
pub async fn code(State(app): State<App>, visit: Visit) -> Response {
    let path = visit.path("/code");
    match sign_in::is_waiting(&app, &visit.visitor.secret).await {
        Ok(true) if visit.who.is_none() => {
            let shown = CodeView {
                page: visit.page(&app, &path),
                slug: &visit.public.page.slug,
                title: &visit.public.page.title,
            };
            visit.show_plain(&app, StatusCode::OK, &shown)
        }
        Ok(_) => reply::see_other(&format!("{}{}", root(&app.links), visit.path(""))),
        Err(error) => notice::fault(visit.page(&app, &path), &error),
    }
}

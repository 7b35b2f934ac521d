//! Who visits the console of which institution.

use std::sync::Arc;

use askama::Template;
use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderMap, Method, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use serde::Deserialize;

use super::rule::Needs;
use crate::{
    app::{Actor, App, Error, institutions},
    domain::{
        ids::InstitutionId,
        institution::Institution,
        member::{Member, Role},
        section::Section,
        sign_in::ReturnTo,
    },
    http::{
        form::Form,
        html::root,
        notice::{self, Way},
        page::{self, Microphone, Page},
        path::Path,
        policy::{Forms, Policy},
        reply,
        session::{OwnForm, SignedIn, preferred, sign_in_page, signed_out},
    },
    words::Words,
};

/// A member with the role that the route needs, in the console of their institution.
pub struct Console {
    pub who: SignedIn,
    pub actor: Actor,
    pub member: Arc<Member>,
    pub institution: Institution,
}

/// The menu of the console.
pub struct Nav {
    root: String,
    slug: String,
    /// `None` on pages that belong to no section.
    current: Option<Section>,
    role: Role,
}

impl Nav {
    pub fn sections(&self) -> impl Iterator<Item = &'static Section> {
        let role = self.role;
        const ALL: &[Section] = &Section::ALL;
        ALL.iter().filter(move |section| section.is_for(role))
    }

    /// Readers have no menu and no search.
    pub fn has_menu(&self) -> bool {
        self.sections().next().is_some()
    }

    pub fn is_current(&self, section: &Section) -> bool {
        self.current == Some(*section)
    }

    pub fn address(&self, section: &Section) -> String {
        format!("{}/console/{}{}", self.root, self.slug, section.path())
    }

    /// The start of all paths of this console, with the site's root.
    pub fn home(&self) -> String {
        format!("{}/console/{}", self.root, self.slug)
    }

    /// What is above the content of a page. Like parts of other layouts, it is compiled once, and not for each page.
    pub fn top<'a>(&'a self, page: &'a Page<'a>) -> ConsoleTop<'a> {
        ConsoleTop { nav: self, page }
    }

    pub fn bottom<'a>(&'a self, page: &'a Page<'a>) -> ConsoleBottom<'a> {
        ConsoleBottom { nav: self, page }
    }

    /// The id of a section's name in the catalogs.
    pub fn title(&self, section: &Section) -> &'static str {
        match section {
            Section::Overview => "console-overview",
            Section::People => "console-people",
            Section::NamePages => "console-name-pages",
            Section::Moderation => "console-moderation",
            Section::CustomFields => "console-custom-fields",
            Section::Tokens => "console-tokens",
            Section::LearningSystems => "console-learning-systems",
            Section::Directories => "console-scim",
            Section::Phone => "console-phone",
            Section::Messages => "console-messages",
            Section::Jobs => "console-jobs",
            Section::Settings => "console-settings",
            Section::Members => "console-members",
            Section::Audit => "console-audit",
        }
    }
}

#[derive(Template)]
#[template(path = "console/parts/top.html")]
pub struct ConsoleTop<'a> {
    nav: &'a Nav,
    page: &'a Page<'a>,
}

#[derive(Template)]
#[template(path = "console/parts/bottom.html")]
pub struct ConsoleBottom<'a> {
    nav: &'a Nav,
    page: &'a Page<'a>,
}

impl Console {
    pub fn id(&self) -> InstitutionId {
        self.institution.id
    }

    pub fn words(&self) -> Words {
        Words::new(self.who.language())
    }

    /// The frame of a page at this path (`self.path`).
    pub fn page<'a>(&self, app: &'a App, path: &'a str) -> Page<'a> {
        self.who.page(app, path)
    }

    pub fn nav(&self, app: &App, current: impl Into<Option<Section>>) -> Nav {
        Nav {
            root: root(&app.links).to_owned(),
            slug: self.institution.slug.clone(),
            current: current.into(),
            role: self.member.role,
        }
    }

    /// The path of a page of this console, without the site's root: `console.path("/people")`.
    pub fn path(&self, below: &str) -> String {
        format!("/console/{}{below}", self.institution.slug)
    }

    /// To a page of this console, after a form (POST/redirect/GET).
    pub fn go(&self, app: &App, below: &str) -> Response {
        reply::see_other(&format!("{}{}", root(&app.links), self.path(below)))
    }

    pub fn show(&self, status: StatusCode, shown: &impl Template) -> Response {
        self.show_media(status, shown, None)
    }

    /// A page with recordings or pictures. `media_of` is their origin, if it is not ours.
    pub fn show_media(&self, status: StatusCode, shown: &impl Template, media_of: Option<&str>) -> Response {
        let policy =
            Policy { scripts: true, asks: true, forms: Forms::SelfOnly, media_of, ..Policy::default() };
        page::private(status, shown, policy, Microphone::Unused)
    }

    /// The page about an error that is not shown next to an input.
    pub fn fault(&self, app: &App, error: &Error) -> Response {
        notice::fault(self.page(app, &self.path("")), error)
    }
}

/// The part of the path that all pages have.
#[derive(Deserialize)]
struct ConsolePath {
    slug: String,
}

impl FromRequestParts<App> for Console {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let path = Path::<ConsolePath>::from_request_parts(parts, app).await;
        let Path(ConsolePath { slug }) = path.map_err(IntoResponse::into_response)?;
        let Some(needs) = parts.extensions.get::<Needs>().copied() else {
            tracing::error!(path = parts.uri.path(), "a route of the console has no rule");
            return Err(StatusCode::NOT_FOUND.into_response());
        };
        let language = preferred(parts).language(None, Default::default());
        let found = SignedIn::find(parts, app).await;
        let found = found.map_err(|error| notice::fault(Page::new(&app.links, language, "/"), &error))?;
        let Some(who) = found else {
            let is_script = reply::is_json_wanted(&parts.headers);
            return Err(if is_script { signed_out(language) } else { sign_in(app, parts, &slug) });
        };
        let actor = who.member_actor(app).await;
        let actor = actor.map_err(|error| notice::fault(who.page(app, "/me"), &error))?;
        // Nobody learns which institutions exist.
        let Actor::Member(member) = &actor else { return Err(nothing(app, &who)) };
        let institution = institutions::by_id(app, member.person.institution).await;
        let institution = institution.map_err(|error| notice::fault(who.page(app, "/me"), &error))?;
        if institution.slug != slug {
            return Err(nothing(app, &who));
        }
        let member = member.clone();
        if !needs.role.includes(member.role) {
            return Err(forbidden(app, &who));
        }
        if needs.is_fresh && !who.is_fresh(app) {
            return Err(ask_again(app, parts, needs, &who, &slug));
        }
        Ok(Self { who, actor, member, institution })
    }
}

/// The page that somebody sees who is not a member of the institution.
pub(super) fn nothing(app: &App, who: &SignedIn) -> Response {
    if who.is_script {
        return reply::message(StatusCode::NOT_FOUND, &Words::new(who.language()).text("shared-nothing"));
    }
    let page = who.page(app, "/me");
    notice::show_with(StatusCode::NOT_FOUND, page, "shared-nothing-title", "shared-nothing", Way::SignIn)
}

fn forbidden(app: &App, who: &SignedIn) -> Response {
    if who.is_script {
        return reply::message(StatusCode::FORBIDDEN, &Words::new(who.language()).text("console-forbidden"));
    }
    let page = who.page(app, "/me");
    notice::show(StatusCode::FORBIDDEN, page, "console-forbidden-title", "console-forbidden")
}

/// To the sign-in page of the institution, and back. Only a GET request is repeated.
fn sign_in(app: &App, parts: &Parts, slug: &str) -> Response {
    let path = parts.uri.path_and_query().filter(|_| parts.method == Method::GET);
    let path = path.map_or_else(|| format!("/console/{slug}"), |path| path.as_str().to_owned());
    reply::see_other(&sign_in_page(app, slug, &path, None))
}

/// The visitor has to sign in again, and comes back to this page, or to the one with the form or with the link to the file.
fn ask_again(app: &App, parts: &Parts, needs: Needs, who: &SignedIn, slug: &str) -> Response {
    let is_page = parts.method == Method::GET && needs.file_of.is_none();
    let path = match is_page {
        true => parts.uri.path_and_query().map(|path| path.as_str().to_owned()),
        false => referring_path(app, &parts.headers),
    };
    let path = path.unwrap_or_else(|| format!("/console/{slug}{}", needs.file_of.unwrap_or_default()));
    who.ask_again(app, slug, &path)
}

/// The path of the page with the form, without the site's root. Our own pages send it (`same-origin`).
fn referring_path(app: &App, headers: &HeaderMap) -> Option<String> {
    let address = headers.get(header::REFERER)?.to_str().ok()?;
    let path = crate::http::html::path_of(address);
    let path = path.strip_prefix(root(&app.links))?;
    ReturnTo::parse(path)
        .filter(|path| path.as_str().starts_with("/console/"))
        .map(|path| path.as_str().to_owned())
}

/// A form without files that the member sent from a page of the console, or the request of a script.
pub struct ConsoleForm {
    pub console: Console,
    pub form: Form,
}

impl FromRequest<App> for ConsoleForm {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let console = Console::from_request_parts(&mut parts, app).await?;
        let OwnForm { form, .. } = OwnForm::from_request(Request::from_parts(parts, body), app).await?;
        Ok(Self { console, form })
    }
}

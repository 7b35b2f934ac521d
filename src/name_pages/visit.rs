//! Who visits which name page.

use askama::Template;
use axum::{
    extract::FromRequestParts,
    http::{Method, StatusCode, request::Parts},
    response::{IntoResponse, Response},
};
use serde::Deserialize;

use crate::{
    app::{
        Actor, App, Result as AppResult, invitations, listening, looks, members,
        name_pages::{self, PublicPage},
    },
    domain::{language::Language, session::PersonId},
    http::{
        csrf,
        html::root,
        notice,
        page::{self, Look, Microphone, Page},
        path::Path,
        policy::{Forms, Frames, Policy},
        reply,
        session::{SignedIn, Visitor, set_visitor, signed_out},
    },
};

/// A request for a name page, by somebody with or without a session. An unknown page is answered with 404.
pub struct Visit {
    pub public: PublicPage,
    /// A person of the page's institution. Sessions of other institutions do not count here.
    pub who: Option<SignedIn>,
    /// The same person, with their role. A device that was let in by a QR code or by an invitation has none.
    pub actor: Option<Actor>,
    pub look: Look,
    pub language: Language,
    /// For the forms of somebody without a session.
    pub visitor: Visitor,
    /// The page is in a frame. On another site, no cookie works there.
    pub is_framed: bool,
    /// The browser opens the page in a tab of its own. A script's request does not say where its page is.
    pub is_in_tab: bool,
}

impl Visit {
    /// The frame of a page at this path.
    pub fn page<'a>(&self, app: &'a App, path: &'a str) -> Page<'a> {
        let institution = self.public.institution.id;
        let page = Page {
            look: self.look.clone(),
            administers_name_page: self
                .actor
                .as_ref()
                .is_some_and(|actor| actor.administer(institution).is_ok()),
            ..Page::new(&app.links, self.language, path)
        };
        match &self.who {
            Some(who) => Page {
                csrf: csrf::token(&who.secret),
                signed_in: Some(who.session.person.email_key.clone()),
                ..page
            },
            None => Page { csrf: csrf::token(&self.visitor.secret), ..page },
        }
    }

    /// The path of this page, or of one below it: `visit.path("/own")`.
    pub fn path(&self, below: &str) -> String {
        format!("/p/{}{below}", self.public.page.slug)
    }

    /// A page that nobody may frame: another site must not lead people to press its buttons.
    pub fn show(
        &self,
        app: &App,
        status: StatusCode,
        shown: &impl Template,
        policy: Policy<'_>,
        microphone: Microphone,
    ) -> Response {
        let mut response = page::private(status, shown, policy, microphone);
        if self.who.is_none() {
            set_visitor(app, &mut response, &self.visitor.secret);
        }
        response
    }

    /// A page for everybody, which the institution's own sites may frame.
    pub fn show_framed(
        &self,
        app: &App,
        status: StatusCode,
        shown: &impl Template,
        policy: Policy<'_>,
    ) -> Response {
        let origins = &self.public.institution.allowed_origins;
        let frames = if origins.is_empty() { Frames::Nobody } else { Frames::Of(origins) };
        self.show(app, status, shown, Policy { frames, ..policy }, Microphone::Unused)
    }

    /// `show` for a page without scripts.
    pub fn show_plain(&self, app: &App, status: StatusCode, shown: &impl Template) -> Response {
        let policy = Policy { forms: Forms::SelfOnly, ..Policy::default() };
        self.show(app, status, shown, policy, Microphone::Unused)
    }

    /// The person who has signed in, with their role.
    pub fn person(&self) -> Option<(&SignedIn, &Actor, &PersonId)> {
        let (who, actor) = (self.who.as_ref()?, self.actor.as_ref()?);
        Some((who, actor, &who.session.person))
    }

    /// May the visitor run this page?
    pub fn is_manager(&self) -> bool {
        let PublicPage { institution, page, .. } = &self.public;
        self.actor.as_ref().is_some_and(|actor| actor.manage(institution.id, page.id).is_ok())
    }

    /// May the visitor listen to the people of this page? A restricted session is for recording only.
    pub async fn may_listen(&self, app: &App) -> bool {
        let is_restricted = self.who.as_ref().is_some_and(SignedIn::is_restricted);
        let listener = self.actor.as_ref().filter(|_| !is_restricted);
        listening::check(app, listener, &self.public).await.is_ok()
    }

    /// To the sign-in page of the institution, and back to this path.
    pub fn sign_in(&self, app: &App, return_to: &str) -> Response {
        reply::see_other(&self.sign_in_address(app, return_to))
    }

    /// For a file with the data of people: the response to somebody who has not signed in just now. They come back to this page, which
    /// has the link.
    pub fn ask_again(&self, app: &App, below: &str) -> Option<Response> {
        let who = self.who.as_ref().filter(|who| !who.is_fresh(app))?;
        Some(who.ask_again(app, &self.public.institution.slug, &self.path(below)))
    }

    pub fn sign_in_address(&self, app: &App, return_to: &str) -> String {
        let query: String = form_urlencoded::Serializer::new(String::new())
            .append_pair("institution", &self.public.institution.slug)
            .append_pair("return_to", return_to)
            .finish();
        format!("{}/sign-in?{query}", root(&app.links))
    }
}

/// The part of the path that all pages have. Others are ignored.
#[derive(Deserialize)]
struct PagePath {
    slug: String,
}

impl FromRequestParts<App> for Visit {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let path = Path::<PagePath>::from_request_parts(parts, app).await;
        let Path(PagePath { slug }) = path.map_err(IntoResponse::into_response)?;
        let Ok(visitor) = Visitor::from_request_parts(parts, app).await;
        let language = visitor.language();
        let found = find(parts, app, &slug, visitor).await;
        found.map_err(|error| notice::fault(Page::new(&app.links, language, "/"), &error))
    }
}

async fn find(parts: &Parts, app: &App, slug: &str, visitor: Visitor) -> AppResult<Visit> {
    let public = name_pages::public(app, slug).await?;
    let institution = public.institution.id;
    let mut who = SignedIn::find(parts, app).await?;
    if let Some(found) = &who
        && !is_for(app, found, &public).await?
    {
        who = None;
    }
    let actor = match &who {
        Some(who) if who.is_restricted() => Some(who.actor()),
        Some(who) => Some(members::actor_of(app, &who.session.person).await?),
        None => None,
    };
    let language = match &who {
        Some(who) => who.language(),
        None => visitor.language_or(public.institution.language.unwrap_or_default()),
    };
    // Without its look, a page is still useful.
    let look = looks::find(app, institution).await.ok();
    let look = look.as_ref().map(Look::of).unwrap_or_default();
    let destination = parts.headers.get("sec-fetch-dest");
    let is_framed = destination.is_some_and(|value| value == "iframe" || value == "frame");
    // Old browsers do not send it.
    let is_in_tab = destination.is_none_or(|value| value == "document");
    Ok(Visit { public, who, actor, look, language, visitor, is_framed, is_in_tab })
}

/// Does this session count on this page? One of another institution does not, and one that an invitation has opened is for the pages
/// that the person is invited to.
async fn is_for(app: &App, who: &SignedIn, public: &PublicPage) -> AppResult<bool> {
    let person = &who.session.person;
    if person.institution != public.institution.id {
        return Ok(false);
    }
    Ok(!who.is_invited() || invitations::admits(app, person, public.page.id).await?)
}

/// A visit of somebody who may run the page. Everybody else learns nothing: visitors are asked to sign in, and people without the
/// role find no page.
pub struct Managed(pub Visit);

impl FromRequestParts<App> for Managed {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let visit = Visit::from_request_parts(parts, app).await?;
        if visit.is_manager() {
            return Ok(Self(visit));
        }
        if visit.who.is_some() {
            let path = visit.path("");
            let page = visit.page(app, &path);
            let (title, sentence) = ("shared-nothing-title", "shared-nothing");
            return Err(notice::show(StatusCode::NOT_FOUND, page, title, sentence));
        }
        if reply::is_json_wanted(&parts.headers) {
            return Err(signed_out(visit.language));
        }
        // Only a GET request is repeated.
        let path = parts.uri.path_and_query().filter(|_| parts.method == Method::GET);
        let path = path.map_or_else(|| visit.path(""), |path| path.as_str().to_owned());
        Err(visit.sign_in(app, &path))
    }
}

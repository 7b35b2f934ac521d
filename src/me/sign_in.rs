//! `/sign-in`: a person enters their email and gets a message with a code and a link. The pages are the same for everybody, known
//! or not (ADR 20).

pub mod choose;
pub mod code;
pub mod link;
pub mod proxy;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    notice,
    session::{Visitor, VisitorForm, begun, set_visitor},
};
use crate::{
    app::{
        Actor, App, Error, institutions, looks,
        sign_in::{self, Answer, MailRequest, Proof},
        sso::{self, Offered},
    },
    domain::{
        email::Email,
        institution::Institution,
        language::Language,
        mail_limit::Wait,
        sign_in::{AGAIN, BY_CODE, ReturnTo},
        sso::SsoOnly,
    },
    http::{
        form::Form,
        html::root,
        page::{Look, Page},
        reply,
    },
    words::Words,
};

#[derive(Template)]
#[template(path = "me/sign_in.html")]
struct SignInPage<'a> {
    page: Page<'a>,
    /// As it was typed.
    email: &'a str,
    /// The id of the sentence that says what is wrong.
    fault: Option<&'static str>,
    institution: &'a str,
    return_to: &'a str,
    why: Option<Why>,
    /// The path that signs in through the institution's own proxy.
    proxy: Option<String>,
    /// OpenID providers of the institution: names and paths.
    providers: Vec<(&'a str, String)>,
    /// There is a form for a mailed code.
    is_mailed: bool,
    /// Whoever has a role must sign in in another way.
    is_for_members: bool,
}

/// Why somebody who is signed in has to prove again who they are: before a dangerous act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Again,
    /// Their provider was to do it, and has not. A mailed code remains.
    ByCode,
}

impl Why {
    /// The value of `why`.
    const fn word(self) -> &'static str {
        match self {
            Self::Again => AGAIN,
            Self::ByCode => BY_CODE,
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Again, Self::ByCode].into_iter().find(|why| why.word() == word)
    }

    /// The id of the sentence on the page.
    const fn sentence(self) -> &'static str {
        match self {
            Self::Again => "console-again",
            Self::ByCode => "sign-in-by-code",
        }
    }
}

/// What the form says besides the email: the same in the query and in the form.
struct Target {
    /// The one that was named, or else the only one there is.
    institution: Option<Institution>,
    is_named: bool,
    /// The OpenID providers of the institution.
    offered: Vec<Offered>,
    sso_only: SsoOnly,
    /// The institution's language, for visitors who prefer none of ours.
    language: Language,
    look: Look,
    return_to: Option<ReturnTo>,
    why: Option<Why>,
}

impl Target {
    async fn of(app: &App, form: &Form) -> Result<Self, Error> {
        let slug = form.text("institution");
        let is_named = slug.is_some();
        let institution = match slug {
            Some(slug) => Some(institutions::public(app, &slug).await?),
            None => institutions::only(app).await?,
        };
        let language = institution.as_ref().and_then(|found| found.language);
        let offered = match &institution {
            Some(institution) => sso::offered(app, &Actor::Visitor(institution.id), institution.id).await?,
            None => Vec::new(),
        };
        let sso_only = match &institution {
            Some(institution) => institutions::sso_only(app, institution.id).await?,
            None => SsoOnly::Off,
        };
        let look = match &institution {
            Some(institution) => Look::of(&looks::find(app, institution.id).await?),
            None => Look::default(),
        };
        Ok(Self {
            look,
            institution,
            is_named,
            offered,
            sso_only,
            language: language.unwrap_or_default(),
            return_to: form.get("return_to").and_then(ReturnTo::parse),
            why: form.get("why").and_then(Why::parse),
        })
    }

    /// The institution that was named: only this one is a part of the request.
    fn named(&self) -> Option<&Institution> {
        self.institution.as_ref().filter(|_| self.is_named)
    }

    /// May anybody get a code by mail here?
    fn is_mailed(&self) -> bool {
        self.sso_only != SsoOnly::Everybody
    }

    /// The path of the form with this target.
    fn path(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        if let Some(institution) = self.named() {
            query.append_pair("institution", &institution.slug);
        }
        if let Some(return_to) = &self.return_to {
            query.append_pair("return_to", return_to.as_str());
        }
        query.extend_pairs(self.why.map(|why| ("why", why.word())));
        let query = query.finish();
        if query.is_empty() { "/sign-in".to_owned() } else { format!("/sign-in?{query}") }
    }

    /// The path that signs in through the proxy, if it authenticates for this target.
    fn proxy(&self, app: &App) -> Option<String> {
        // Nobody can tell when it has asked who somebody is.
        let proxy = app.sign_in.proxy.as_ref().filter(|_| self.why.is_none())?;
        if self.institution.as_ref().is_some_and(|institution| institution.slug != proxy.institution) {
            return None;
        }
        Some(format!("{}/sign-in/proxy?{}", root(&app.links), self.return_query()))
    }

    fn return_query(&self) -> String {
        let return_to = self.return_to.clone().unwrap_or_default();
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("return_to", return_to.as_str());
        query.extend_pairs(self.why.map(|why| ("why", why.word())));
        query.finish()
    }

    /// The name of each OpenID provider, and the path that signs in through it.
    fn providers(&self, app: &App) -> Vec<(&str, String)> {
        if self.why == Some(Why::ByCode) && self.is_mailed() {
            return Vec::new();
        }
        let path = |id| format!("{}/sso/{id}/start?{}", root(&app.links), self.return_query());
        self.offered.iter().map(|one| (one.name.as_str(), path(one.id))).collect()
    }

    fn show(&self, app: &App, visitor: &Visitor, email: &str, fault: Option<&'static str>) -> Response {
        let path = self.path();
        let shown = SignInPage {
            page: Page {
                look: self.look.clone(),
                words: Words::new(visitor.language_or(self.language)),
                ..visitor.page(app, &path)
            },
            email,
            fault,
            institution: self.named().map_or("", |one| &one.slug),
            return_to: self.return_to.as_ref().map_or("", ReturnTo::as_str),
            why: self.why,
            proxy: self.proxy(app),
            providers: self.providers(app),
            is_mailed: self.is_mailed(),
            is_for_members: self.sso_only == SsoOnly::Members,
        };
        let status = if fault.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
        visitor.show(app, status, &shown)
    }
}

pub async fn form(State(app): State<App>, visitor: Visitor, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    match Target::of(&app, &query).await {
        Ok(target) => target.show(&app, &visitor, "", None),
        Err(error) => notice::fault(visitor.page(&app, "/sign-in"), &error),
    }
}

pub async fn ask(State(app): State<App>, VisitorForm { visitor, form }: VisitorForm) -> Response {
    let target = match Target::of(&app, &form).await {
        Ok(target) => target,
        Err(error) => return notice::fault(visitor.page(&app, "/sign-in"), &error),
    };
    if !target.is_mailed() {
        // The page has no form for it.
        return target.show(&app, &visitor, "", None);
    }
    let typed = form.get("email").unwrap_or_default();
    let Some(email) = Email::parse(typed) else {
        let fault = if typed.trim().is_empty() { "sign-in-email-missing" } else { "sign-in-email-invalid" };
        return target.show(&app, &visitor, typed, Some(fault));
    };
    let wanted = MailRequest {
        email,
        institution: target.named().map(|institution| institution.id),
        language: visitor.language_or(target.language),
        return_to: target.return_to,
        name_page: None,
    };
    match sign_in::ask(&app, &visitor.asker(&app), wanted).await {
        Ok(Answer::Accepted) => reply::see_other(&format!("{}/sign-in/code", root(&app.links))),
        Ok(Answer::TooMany(wait)) => too_many(&app, &visitor, wait).await,
        Err(error) => notice::fault(visitor.page(&app, "/sign-in"), &error),
    }
}

/// A code that was sent before stays valid: this browser can enter it.
async fn too_many(app: &App, visitor: &Visitor, wait: Wait) -> Response {
    let page = visitor.page(app, "/sign-in");
    let mut response = notice::too_many_mails(app, page, &visitor.secret, wait).await;
    set_visitor(app, &mut response, &visitor.secret);
    response
}

/// A message with a way to the sign-in page.
fn start_again(app: &App, visitor: &Visitor, status: StatusCode, title: &str, sentence: &str) -> Response {
    let page = visitor.page(app, "/sign-in");
    let mut response = notice::show_with(status, page, title, sentence, notice::Way::SignIn);
    set_visitor(app, &mut response, &visitor.secret);
    response
}

/// Continues after a proof. `wrong` is the response to a wrong one.
fn proceed(
    app: &App,
    visitor: &Visitor,
    proof: Result<Proof, Error>,
    wrong: impl FnOnce() -> Response,
) -> Response {
    match proof {
        Ok(Proof::Wrong) => wrong(),
        Ok(Proof::Choice(browser)) => {
            let mut response = reply::see_other(&format!("{}/sign-in/choose", root(&app.links)));
            set_visitor(app, &mut response, &browser);
            response
        }
        Ok(Proof::SignedIn { opened, return_to }) => begun(app, &visitor.headers, &opened, &return_to),
        Err(error) => notice::fault(visitor.page(app, "/sign-in"), &error),
    }
}

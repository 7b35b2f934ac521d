//! `/sso/{id}/start`, `/sso/callback` and `/sso/callback/{institution}`: signing in through the institution's OpenID provider, and signing out there (ADR 21).

use askama::Template;
use axum::{
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

use super::{
    notice,
    session::{SignedIn, Visitor, begin_sso},
};
use crate::{
    app::{
        App,
        sso::{self, Callback, Refusal, Refused, SignOut},
    },
    domain::sign_in::{AGAIN, ReturnTo},
    http::{
        form::Form,
        page::{self, Look, Microphone, Page},
        path::Path,
        policy::{Forms, Policy},
        reply,
    },
    sso::Error as ProviderError,
    words::Arg,
};

pub async fn start(
    State(app): State<App>,
    Path(id): Path<String>,
    visitor: Visitor,
    request: Request,
) -> Response {
    let Ok(id) = id.parse() else {
        let page = visitor.page(&app, "/sign-in");
        return notice::show(StatusCode::NOT_FOUND, page, "shared-nothing-title", "shared-nothing");
    };
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let return_to = query.get("return_to").and_then(ReturnTo::parse);
    let again = query.get("why") == Some(AGAIN);
    match sso::start(&app, visitor.client, &visitor.secret, id, return_to, again).await {
        Ok(address) => visitor.redirect(&app, &address),
        Err(refused) => refuse(&app, &visitor, refused),
    }
}

pub async fn callback(State(app): State<App>, visitor: Visitor, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let callback = Callback {
        path: request.uri().path(),
        state: query.get("state").unwrap_or_default(),
        code: query.get("code"),
        error: query.get("error"),
        issuer: query.get("iss"),
    };
    match sso::finish(&app, &visitor.secret, callback).await {
        Ok(signed_in) => match begin_sso(&app, &visitor.headers, signed_in).await {
            Ok(response) => response,
            Err(error) => notice::fault(visitor.page(&app, "/sign-in"), &error),
        },
        Err(refused) => refuse(&app, &visitor, refused),
    }
}

#[derive(Template)]
#[template(path = "me/sso_refused.html")]
struct RefusedPage<'a> {
    page: Page<'a>,
    title: String,
    /// HTML.
    sentence: String,
    /// The path of the sign-in page.
    sign_in: &'a str,
}

fn refuse(app: &App, visitor: &Visitor, refused: Refused) -> Response {
    let Refused { by, why } = refused;
    if let Refusal::Failed(error) = &why {
        return notice::fault(visitor.page(app, "/sign-in"), error);
    }
    let (title, sentence, status) = words(&why);
    let email = match &why {
        Refusal::EmailDomain(email) | Refusal::NotRegistered(email) => email.as_given(),
        _ => "",
    };
    let sign_in = match &by {
        Some((_, institution)) => format!("/sign-in?institution={}", institution.slug),
        None => "/sign-in".to_owned(),
    };
    let name = by.as_ref().map_or("", |(connection, _)| connection.name.as_str());
    let args = [("name", Arg::Text(name)), ("email", Arg::Text(email))];
    let look =
        Look { institution: by.as_ref().map(|(_, institution)| institution.name.clone()), ..Look::default() };
    let page = Page { look, ..visitor.page(app, &sign_in) };
    let (title, sentence) = (page.words.with(title, &args), page.words.html(sentence, &args));
    let response = visitor.show(app, status, &RefusedPage { page, title, sentence, sign_in: &sign_in });
    match why {
        Refusal::TooMany { retry_after } => reply::with_retry_after(response, retry_after),
        _ => response,
    }
}

/// The ids of the title and of the sentence.
fn words(why: &Refusal) -> (&'static str, &'static str, StatusCode) {
    let (forbidden, unavailable) = (StatusCode::FORBIDDEN, StatusCode::SERVICE_UNAVAILABLE);
    match why {
        Refusal::TooMany { .. } => ("sso-wait-title", "sso-wait", StatusCode::TOO_MANY_REQUESTS),
        Refusal::State => ("sso-over-title", "sso-over", forbidden),
        Refusal::Denied => ("sso-denied-title", "sso-denied", forbidden),
        Refusal::Provider(ProviderError::Unavailable(_)) => ("sso-away-title", "sso-away", unavailable),
        Refusal::Provider(ProviderError::Setup(_)) => ("sso-setup-title", "sso-setup", unavailable),
        Refusal::Provider(ProviderError::Refused(_)) | Refusal::Forged => {
            ("sso-forged-title", "sso-forged", forbidden)
        }
        Refusal::NoEmail => ("sso-no-email-title", "sso-no-email", forbidden),
        Refusal::UnverifiedEmail => ("sso-unverified-title", "sso-unverified", forbidden),
        Refusal::EmailDomain(_) => ("sso-domain-title", "sso-domain", forbidden),
        Refusal::Tenant => ("sso-domain-title", "sso-tenant", forbidden),
        Refusal::NotRegistered(_) => ("sso-unknown-title", "sso-unknown", forbidden),
        Refusal::Unconfirmed => ("sso-unconfirmed-title", "sso-unconfirmed", forbidden),
        Refusal::Failed(_) => ("shared-trouble-title", "shared-trouble", unavailable),
    }
}

#[derive(Template)]
#[template(path = "me/sso_signed_out.html")]
struct SignedOutPage<'a> {
    page: Page<'a>,
    name: &'a str,
    address: &'a str,
}

/// The page between signing out here and signing out at the provider. Not a redirect: Chromium applies `form-action` to redirects
/// after a form, and the provider is another origin.
pub fn signed_out(app: &App, person: &SignedIn, next: &SignOut) -> Response {
    let page = Page::new(&app.links, person.language(), "/sign-in");
    let shown = SignedOutPage { page, name: &next.name, address: &next.address };
    // The menu of languages is a form.
    let policy = Policy { forms: Forms::SelfOnly, ..Policy::default() };
    let mut response = page::private(StatusCode::OK, &shown, policy, Microphone::Unused);
    if let Ok(refresh) = HeaderValue::try_from(format!("0; url={}", next.address)) {
        response.headers_mut().insert(header::REFRESH, refresh);
    }
    response
}

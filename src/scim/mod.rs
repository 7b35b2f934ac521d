//! SCIM 2.0 for the directories of institutions (RFC 7644): `/scim/v2/{institution slug}`. See docs/scim.md.

mod discovery;
mod groups;
mod problem;
mod users;
mod wire;

use std::{collections::HashMap, future::Future, sync::Arc};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{FromRequestParts, Request},
    http::{HeaderMap, Method, StatusCode, header, request::Parts},
    response::Response,
    routing::{any, get, post},
};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;

use self::problem::Problem;
use crate::{
    app::{
        Actor, App,
        limiter::LimitKey,
        scim::{Authenticated, Query, connections},
    },
    domain::{
        ids::InstitutionId,
        scim::{Fault, filter::Filter, resource::Selection, schema::ResourceType},
    },
    http::{
        body::{self, BufferedBody},
        client,
        form::Form,
        path::Path,
        refusal::Refusal,
        routing::Endpoint,
    },
};

pub fn routes() -> Router<App> {
    Router::new()
        .route("/scim/v2/{institution}/Users", get(on(users::list)).post(on(users::create)))
        .route(
            "/scim/v2/{institution}/Users/{id}",
            get(on(users::find)).put(on(users::replace)).patch(on(users::patch)).delete(on(users::delete)),
        )
        .route("/scim/v2/{institution}/Groups", get(on(groups::list)).post(on(groups::create)))
        .route(
            "/scim/v2/{institution}/Groups/{id}",
            get(on(groups::find))
                .put(on(groups::replace))
                .patch(on(groups::patch))
                .delete(on(groups::delete)),
        )
        .route("/scim/v2/{institution}/ServiceProviderConfig", get(on(discovery::configuration)))
        .route("/scim/v2/{institution}/Schemas", get(on(discovery::schemas)))
        .route("/scim/v2/{institution}/Schemas/{id}", get(on(discovery::schema)))
        .route("/scim/v2/{institution}/ResourceTypes", get(on(discovery::resource_types)))
        .route("/scim/v2/{institution}/ResourceTypes/{id}", get(on(discovery::resource_type)))
        .route("/scim/v2/{institution}/Me", any(on(unsupported)))
        .route("/scim/v2/{institution}/Bulk", post(on(unsupported)))
        .route("/scim/v2/{institution}/.search", post(on(unsupported)))
        .route("/scim/v2/{institution}/Users/.search", post(on(unsupported)))
        .route("/scim/v2/{institution}/Groups/.search", post(on(unsupported)))
        .route("/scim", any(unknown))
        .route("/scim/{*rest}", any(unknown))
        .method_not_allowed_fallback(wrong_method)
}

/// Renders what no handler serves.
pub fn refuse(refusal: Refusal) -> Response {
    problem::error(refusal.status(), None, refusal.message())
}

async fn unknown() -> Response {
    problem::show(Problem::NoSuchEndpoint)
}

async fn wrong_method(method: Method) -> Response {
    let detail = format!("{method} is not possible here");
    problem::error(StatusCode::METHOD_NOT_ALLOWED, None, &detail)
}

async fn unsupported(_: ScimRequest) -> Result<Response, Problem> {
    Err(Problem::Unsupported)
}

/// A request of a directory whose token was accepted.
struct ScimRequest {
    app: App,
    actor: Actor,
    institution: InstitutionId,
    /// The URL of the institution's resources.
    base: String,
    /// The id in the path, or an empty text.
    id: String,
    query: Form,
    body: Bytes,
}

impl ScimRequest {
    fn json(&self) -> Result<Value, Problem> {
        let unreadable = |error: serde_json::Error| Fault::syntax(format!("the body is not JSON: {error}"));
        Ok(serde_json::from_slice(&self.body).map_err(unreadable)?)
    }

    fn selection(&self, kind: &'static ResourceType) -> Selection {
        Selection::parse(kind, self.query.get("attributes"), self.query.get("excludedAttributes"))
    }

    /// The part of a list that is wanted. The first resource has the index 1.
    fn list_query(&self) -> Result<ListQuery, Problem> {
        let filter = self.query.get("filter").filter(|filter| !filter.trim().is_empty());
        let filter = filter.map(Filter::parse).transpose()?;
        let start = number(self.query.get("startIndex"), "startIndex")?.unwrap_or(1).max(1);
        let count =
            number(self.query.get("count"), "count")?.unwrap_or(DEFAULT_COUNT).clamp(0, MOST_RESOURCES);
        let query = Query {
            filter,
            skipped: usize::try_from(start - 1).unwrap_or(usize::MAX),
            most: usize::try_from(count).unwrap_or_default(),
        };
        Ok(ListQuery { start, query })
    }
}

struct ListQuery {
    start: i64,
    query: Query,
}

const DEFAULT_COUNT: i64 = 100;
const MOST_RESOURCES: i64 = 200;

fn number(given: Option<&str>, name: &str) -> Result<Option<i64>, Fault> {
    let Some(given) = given.map(str::trim).filter(|given| !given.is_empty()) else { return Ok(None) };
    given.parse().map(Some).map_err(|_| Fault::value(format!("{name} must be a number")))
}

/// A type-erased handler.
type ScimHandler = Arc<dyn Fn(ScimRequest) -> BoxFuture<'static, Result<Response, Problem>> + Send + Sync>;

fn on<Fut>(handler: impl Fn(ScimRequest) -> Fut + Send + Sync + 'static) -> Endpoint
where
    Fut: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    served_by(Arc::new(move |request| handler(request).boxed()))
}

fn served_by(handler: ScimHandler) -> Endpoint {
    Endpoint::new(move |app, request| {
        let handler = handler.clone();
        async move { served(app, request, handler).await.unwrap_or_else(problem::show) }.boxed()
    })
}

/// Handles one request: token, rate limit, body, handler.
async fn served(app: App, request: Request, handler: ScimHandler) -> Result<Response, Problem> {
    let (mut parts, body) = request.into_parts();
    let place: HashMap<String, String> = match Path::from_request_parts(&mut parts, &app).await {
        Ok(Path(place)) => place,
        Err(_) => return Err(Problem::NoSuchEndpoint),
    };
    let slug = place.get("institution").map(String::as_str).unwrap_or_default();
    let found = authenticated(&app, slug, &parts).await;
    let found = match found {
        Ok(found) => found,
        Err(problem) => {
            if has_body(&parts.method) {
                body::discard_anonymous(&parts.extensions, body).await;
            }
            return Err(problem);
        }
    };
    let limit_key = LimitKey::Scim(found.connection.id);
    let quota = app.limiter.take(limit_key, found.institution.rate_limit, app.clock.instant()).await;
    if let Some(retry_after) = quota.retry_after {
        if has_body(&parts.method) {
            body::discard(&parts.extensions, body).await;
        }
        return Err(Problem::TooMany { retry_after });
    }
    let BufferedBody { bytes, reservation } = read(&parts, found.institution.id, body).await?;
    let request = ScimRequest {
        actor: found.actor(),
        institution: found.institution.id,
        base: format!("{}/scim/v2/{}", app.links.base(), found.institution.slug),
        id: place.get("id").cloned().unwrap_or_default(),
        query: Form::from_query(parts.uri.query().unwrap_or_default()),
        body: bytes,
        app,
    };
    let response = handler(request).await;
    drop(reservation);
    response
}

fn has_body(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD)
}

async fn authenticated(app: &App, slug: &str, parts: &Parts) -> Result<Authenticated, Problem> {
    let address = client::address(&parts.extensions);
    Ok(connections::authenticate(app, slug, bearer(&parts.headers), address).await?)
}

async fn read(parts: &Parts, institution: InstitutionId, body: Body) -> Result<BufferedBody, Problem> {
    let body = if has_body(&parts.method) { body } else { Body::empty() };
    Ok(Box::pin(body::read(&parts.extensions, institution, body)).await?)
}

/// The token after `Bearer`; empty if there is none.
fn bearer(headers: &HeaderMap) -> &str {
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match value.trim().split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn the_token_follows_bearer() {
        for (value, token) in
            [("Bearer abc", "abc"), (" bearer  abc ", "abc"), ("abc", ""), ("Basic abc", ""), ("", "")]
        {
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(value))]);
            assert_eq!(bearer(&headers), token, "{value}");
        }
        assert_eq!(bearer(&HeaderMap::new()), "");
    }

    #[test]
    fn numbers_of_a_list_are_read() {
        assert_eq!(number(Some(" 7 "), "count"), Ok(Some(7)));
        assert_eq!(number(Some(""), "count"), Ok(None));
        assert_eq!(number(None, "count"), Ok(None));
        assert!(number(Some("x"), "count").is_err());
    }
}

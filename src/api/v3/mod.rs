//! Version 3: lookups with a token and usually an access code among the parameters.

pub mod names;
pub mod problem;

use std::{future::Future, sync::Arc};

use axum::{Router, extract::Request, response::Response, routing::get};
use futures_util::{FutureExt, future::BoxFuture};

use super::{
    at, kept,
    legacy::{self, LegacyRequest, PARTICIPANTS, Version},
    problem::Problem,
};
use crate::{
    app::{App, Caller, Error, callers, limiter::LimitKey},
    domain::{
        access::{Access, Action},
        institution::Institution,
    },
    http::{params::Params, reply, routing::Endpoint},
};

pub const ROOT: &str = "/api/private/v3";
const SEARCH: &str = "/v5/participants/search";

pub fn routes() -> Router<App> {
    let list = || get(on(names::list, PARTICIPANTS));
    let person = || get(on(names::person, PARTICIPANTS));
    let search = || get(on(names::search, SEARCH)).post(on(names::search, SEARCH));
    let routes = [
        ("/names", list()),
        ("/name", person()),
        ("/names/search", search()),
        // The documented base URL already ends in `/names`, so some clients append the paths to it.
        ("/names/names", list()),
        ("/names/name", person()),
        ("/names/names/search", search()),
    ];
    at(ROOT, routes.map(|(path, route)| (path, route.options(legacy::preflight))))
}

/// The kept answer to a GET, if there is one.
pub fn at_once(app: &App, request: &Request) -> Option<Response> {
    let uri = request.uri();
    let (_, immediate) = kept::at_once(app, token_in(uri.query()?)?, uri.path_and_query()?)?;
    let successor = if uri.path().ends_with("/search") { SEARCH } else { PARTICIPANTS };
    let finish = |response, quota| Version::V3.finish(app, response, successor, Some(quota));
    Some(immediate.finish(problem::show, finish))
}

/// The token, if it is there as most clients write it. If it is not the one that `Params` finds, nothing is kept for it.
fn token_in(query: &str) -> Option<&str> {
    let token = query.split('&').find_map(|pair| pair.strip_prefix("auth_token="))?;
    token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)).then_some(token)
}

/// An authenticated request.
pub struct Lookup {
    caller: Arc<Caller>,
    pub params: Params,
}

impl Lookup {
    pub fn institution(&self) -> &Arc<Institution> {
        &self.caller.institution
    }

    /// What the caller's token may access, as `Actor::access` returns it.
    pub fn access(&self) -> &Access {
        &self.caller.access
    }
}

/// A type-erased handler.
type LookupHandler = Arc<dyn Fn(App, Lookup) -> BoxFuture<'static, Result<Response, Problem>> + Send + Sync>;

fn on<Fut>(handler: impl Fn(App, Lookup) -> Fut + Send + Sync + 'static, successor: &'static str) -> Endpoint
where
    Fut: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    let handler: LookupHandler = Arc::new(move |app, lookup| handler(app, lookup).boxed());
    served_by(handler, successor)
}

fn served_by(handler: LookupHandler, successor: &'static str) -> Endpoint {
    Endpoint::new(move |app, request| serve(app, request, handler.clone(), successor).boxed())
}

/// Handles one request: body, token, rate limit, access check, handler, headers. This version only reads.
async fn serve(app: App, request: Request, handler: LookupHandler, successor: &str) -> Response {
    let mut call = LegacyRequest::read(&app, request).await;
    let fault = call.fault.take();
    let token = call.params.text("auth_token").unwrap_or_default().into_owned();
    let (result, quota) = match callers::authenticate(&app, &token, call.client).await {
        Ok(caller) => {
            let (key, ceiling) = (LimitKey::Token(caller.token_id), caller.institution.rate_limit);
            let quota = app.limiter.take(key, ceiling, app.clock.instant()).await;
            let result = match fault {
                _ if quota.retry_after.is_some() => Err(Problem::TooMany),
                Some(fault) => Err(fault),
                None => match caller.check(Action::Read) {
                    Ok(()) => {
                        let lookup = Lookup { caller: caller.clone(), params: call.params };
                        let make = || handler(app.clone(), lookup);
                        kept::or_make(&app, &caller, call.target.as_ref(), call.route.as_ref(), make).await
                    }
                    Err(forbidden) => Err(forbidden.into()),
                },
            };
            (result, Some(quota))
        }
        // The token may have been in the body that could not be read.
        Err(Error::Unauthorized) if token.is_empty() => {
            (Err(fault.unwrap_or(Problem::App(Error::Unauthorized))), None)
        }
        Err(error) => (Err(error.into()), None),
    };
    let response = result.unwrap_or_else(problem::show);
    let response = Version::V3.finish(&app, response, successor, quota);
    reply::with_route(call.route, response)
}

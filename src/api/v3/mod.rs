//! Version 3: look-ups with a token and, mostly, an access code among the parameters.

pub mod names;
pub mod problem;
pub mod wire;

use std::{future::Future, sync::Arc};

use axum::{
    Router,
    extract::{Request, State},
    response::Response,
    routing::get,
};
use futures_util::FutureExt;

use super::{
    at, face,
    legacy::{self, Call, PARTICIPANTS, Version},
    problem::Problem,
};
use crate::http::reply;
use crate::{
    app::{App, Caller, Error, callers, limiter::Whose},
    domain::{
        access::{Access, Action},
        institution::Institution,
    },
    http::params::Params,
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
        // The contract's root ends in `/names` already, and whoever takes it at its word puts the paths behind that.
        ("/names/names", list()),
        ("/names/name", person()),
        ("/names/names/search", search()),
    ];
    at(ROOT, routes.map(|(path, route)| (path, route.options(legacy::preflight))))
}

/// A request whose token is good.
pub struct Lookup {
    caller: Arc<Caller>,
    pub params: Params,
}

impl Lookup {
    pub fn institution(&self) -> &Arc<Institution> {
        &self.caller.institution
    }

    /// What the caller's token reaches.
    pub fn access(&self) -> &Access {
        &self.caller.access
    }
}

fn on<F, Fut>(handler: F, successor: &'static str) -> impl face::Route
where
    F: FnOnce(App, Lookup) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    move |State(app): State<App>, request: Request| serve(app, request, handler.clone(), successor).boxed()
}

/// Runs one handler: body, token, rate limit, scope, handler, headers. All of this version is reading.
async fn serve<F, Fut>(app: App, request: Request, handler: F, successor: &str) -> Response
where
    F: FnOnce(App, Lookup) -> Fut,
    Fut: Future<Output = Result<Response, Problem>>,
{
    let mut call = Call::read(&app, request).await;
    let fault = call.fault.take();
    let token = call.params.text("auth_token").unwrap_or_default().into_owned();
    let (answered, standing) = match callers::authenticate(&app, &token, call.client).await {
        Ok(caller) => {
            let (whose, ceiling) = (Whose::Token(caller.token_id), caller.institution.rate_limit);
            let standing = app.limiter.take(whose, ceiling, app.clock.instant()).await;
            let answered = match fault {
                _ if standing.retry_after.is_some() => Err(Problem::TooMany),
                Some(fault) => Err(fault),
                None => match caller.check(Action::Read) {
                    Ok(()) => handler(app.clone(), Lookup { caller, params: call.params }).await,
                    Err(forbidden) => Err(forbidden.into()),
                },
            };
            (answered, Some(standing))
        }
        // The token may have been in the body that nobody could read.
        Err(Error::Unauthorized) if token.is_empty() => {
            (Err(fault.unwrap_or(Problem::App(Error::Unauthorized))), None)
        }
        Err(error) => (Err(error.into()), None),
    };
    let response = answered.unwrap_or_else(problem::show);
    let response = Version::V3.finish(&app, response, successor, standing);
    reply::named(call.route, response)
}

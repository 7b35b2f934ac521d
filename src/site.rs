//! The one place that joins all faces into a router. Nothing else knows more than one face.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::Method,
    middleware,
    response::Response,
};
use futures_util::{FutureExt, future::BoxFuture};
use tower_service::Service as _;

use crate::{
    api,
    app::App,
    hooks,
    http::{
        compression::{self, AcceptEncoding},
        refusal::Refusal,
        reply,
        service::{Draining, Service, Shared},
    },
    lti, ops, pages,
};

pub use ops::metrics::Metrics;

struct Site {
    app: App,
    router: Router,
}

/// Reports of exports have the shape of version 4's records.
pub use api::v4::report_format;

/// Everything that can be asked of us.
pub fn site(app: App, draining: Draining, metrics: Metrics) -> Shared {
    let router = router(app.clone(), draining, metrics);
    Arc::new(Site { app, router })
}

/// `/metrics` and nothing else, for a port of its own.
pub fn metrics_alone(app: App) -> Shared {
    let router = ops::metrics_alone().layer(middleware::from_fn(reply::name_route)).with_state(app.clone());
    Arc::new(Site { app, router })
}

fn router(app: App, draining: Draining, metrics: Metrics) -> Router {
    let html = Router::new()
        .merge(pages::routes())
        .merge(ops::routes(draining, metrics))
        .merge(hooks::routes())
        .merge(lti::routes())
        .method_not_allowed_fallback(pages::wrong_method)
        // The routes of the API are named by `api::face`, which costs nothing.
        .layer(middleware::from_fn(reply::name_route));
    html.merge(api::routes()).fallback(pages::unknown).with_state(app)
}

impl Service for Site {
    fn call(&self, request: Request) -> BoxFuture<'static, Response> {
        let app = self.app.clone();
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        // Recordings are what is asked for most; they need no look at the table of routes.
        if is_read && request.uri().path().starts_with("/audio/") {
            return pages::files::audio(State(app), request).boxed();
        }
        let mut router = self.router.clone();
        let (accepts, is_head) = (AcceptEncoding::of(request.headers()), *request.method() == Method::HEAD);
        let uri = request.uri().clone();
        async move {
            let mut response = router.call(request).await.unwrap_or_else(|never| match never {});
            if let Some(refusal) = response.extensions().get::<Refusal>().copied() {
                let refused = refuse(&app, uri.path(), refusal);
                let extensions = std::mem::take(response.extensions_mut());
                response = refused;
                response.extensions_mut().extend(extensions);
            }
            compression::encode(response, &accepts, is_head).await
        }
        .boxed()
    }

    fn refuse(&self, path: &str, refusal: Refusal) -> Response {
        refuse(&self.app, path, refusal)
    }
}

/// In the words of the face that the path belongs to.
fn refuse(app: &App, path: &str, refusal: Refusal) -> Response {
    let face = path.split('/').nth(1).unwrap_or_default();
    match face {
        "lti" => lti::refuse(app, refusal),
        "phone" => hooks::refuse(refusal),
        // A request that could not be parsed has no path that can be relied on; the API answers it.
        "api" => api::refuse(path, refusal),
        _ if matches!(refusal, Refusal::Panicked | Refusal::NotFound) => pages::refuse(app, refusal),
        _ => api::refuse(path, refusal),
    }
}

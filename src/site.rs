//! The one place that joins all faces into a router. Nothing else knows more than one face.

use std::sync::Arc;

use axum::{
    Extension, Router,
    extract::{Request, State},
    http::{HeaderValue, Method, header},
    middleware,
    response::Response,
};
use futures_util::{FutureExt, future::BoxFuture};
use tower_service::Service as _;

use crate::{
    api,
    app::{App, audit},
    console,
    domain::{audit::Origin, client_address::Client, language::Language},
    hooks,
    http::{
        compression::{self, AcceptEncoding},
        language,
        refusal::Refusal,
        reply,
        service::{Draining, Service, Shared},
    },
    lti, me, name_pages, ops, pages, scim,
};

struct Site {
    app: App,
    router: Router,
    /// False for the metrics listener, which must serve neither recordings nor the API.
    is_public: bool,
}

/// Reports have the format of version 4 records.
pub use api::v4::report_format;

/// The main listener: all faces.
pub fn site(app: App, draining: Draining) -> Shared {
    let router = router(app.clone(), draining);
    Arc::new(Site { app, router, is_public: true })
}

/// Only `/metrics`, for a separate listener.
pub fn metrics_only(app: App) -> Shared {
    let router = ops::metrics_only().layer(middleware::from_fn(reply::set_route)).with_state(app.clone());
    Arc::new(Site { app, router, is_public: false })
}

fn router(app: App, draining: Draining) -> Router {
    let html = Router::new()
        .merge(pages::routes())
        .merge(ops::routes(draining.clone()))
        .merge(hooks::routes())
        .merge(scim::routes())
        .merge(lti::routes())
        .merge(me::routes().layer(middleware::from_fn_with_state(app.clone(), language::prefer)))
        .merge(
            console::routes()
                .layer(Extension(draining.clone()))
                .layer(middleware::from_fn_with_state(app.clone(), language::prefer)),
        )
        .merge(name_pages::routes().layer(middleware::from_fn_with_state(app.clone(), language::prefer)))
        .method_not_allowed_fallback(pages::wrong_method)
        // `api::face` sets the routes of the API itself, which is cheaper.
        .layer(middleware::from_fn(reply::set_route));
    html.merge(api::routes()).fallback(pages::unknown).with_state(app)
}

impl Service for Site {
    fn call(&self, request: Request) -> BoxFuture<'static, Response> {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        // Recordings are the most frequent requests; they skip the router.
        if self.is_public && is_read && request.uri().path().starts_with("/audio/") {
            return match pages::files::kept_audio(&self.app, &request) {
                Some(response) => std::future::ready(response).boxed(),
                None => pages::files::audio(State(self.app.clone()), request).boxed(),
            };
        }
        // Lookups of the API are the next most frequent, and change nothing.
        let is_lookup = is_read && request.uri().path().starts_with("/api/");
        if self.is_public
            && is_lookup
            && let Some(response) = api::at_once(&self.app, &request)
        {
            let accepts = AcceptEncoding::of(request.headers());
            return async move { compression::encode(response, &accepts, false).await }.boxed();
        }
        let app = self.app.clone();
        let mut router = self.router.clone();
        let (accepts, is_head) = (AcceptEncoding::of(request.headers()), *request.method() == Method::HEAD);
        let uri = request.uri().clone();
        let languages = request.headers().get(header::ACCEPT_LANGUAGE).cloned();
        let client = request.extensions().get::<Client>();
        let origin = client.map_or(Origin::Unknown, |client| Origin::Network(client.address));
        async move {
            let serving = router.call(request);
            let served = if is_lookup { serving.await } else { audit::within(origin, serving).await };
            let mut response = served.unwrap_or_else(|never| match never {});
            if let Some(refusal) = response.extensions().get::<Refusal>().copied() {
                let refused = refuse(&app, uri.path(), languages.as_ref(), refusal);
                let extensions = std::mem::take(response.extensions_mut());
                response = refused;
                response.extensions_mut().extend(extensions);
            }
            compression::encode(response, &accepts, is_head).await
        }
        .boxed()
    }

    fn refuse(&self, path: &str, accept_language: Option<&HeaderValue>, refusal: Refusal) -> Response {
        refuse(&self.app, path, accept_language, refusal)
    }
}

/// Rendered by the face that owns the path.
fn refuse(app: &App, path: &str, accept_language: Option<&HeaderValue>, refusal: Refusal) -> Response {
    let face = path.split('/').nth(1).unwrap_or_default();
    let language = || {
        let accepted = accept_language.and_then(|value| value.to_str().ok()).and_then(Language::accepted);
        accepted.unwrap_or_default()
    };
    match face {
        "lti" => lti::refuse(app, language(), refusal),
        "language" | "me" | "sign-in" | "sign-out" | "sso" => me::refuse(app, language(), refusal),
        "i" | "p" | "u" => name_pages::refuse(app, language(), refusal),
        "console" | "operator" => console::refuse(app, language(), refusal),
        "phone" => hooks::refuse(refusal),
        "scim" => scim::refuse(refusal),
        // An unparsable request has no reliable path; the API answers it.
        "api" => api::refuse(path, refusal),
        _ if matches!(refusal, Refusal::Panicked | Refusal::NotFound) => {
            pages::refuse(app, language(), refusal)
        }
        _ => api::refuse(path, refusal),
    }
}

//! The pages that people see, the health checks, and the router that joins everything.

pub mod assets;
pub mod badge;
mod docs;
mod files;
mod health;
mod images;
pub mod metrics;
pub mod page;
mod phone;
mod player;
mod vcard;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::Method,
    middleware,
    routing::get,
};
use futures_util::FutureExt;
use tower_service::Service;

use crate::{
    api::{
        self,
        compression::{self, Codings},
    },
    app::App,
    lti,
    server::{self, Draining, Site},
};
use metrics::Metrics;

/// The pages, the API and the files. A recording is what is asked for most, and needs no look at the table of routes.
pub fn site(app: App, draining: Draining, metrics: Metrics) -> Site {
    let router = router(app.clone(), draining, metrics);
    Arc::new(move |request: Request| {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        if is_read && request.uri().path().starts_with("/audio/") {
            return files::audio(State(app.clone()), request).boxed();
        }
        let mut router = router.clone();
        let (codings, is_head) = (Codings::of(request.headers()), *request.method() == Method::HEAD);
        async move {
            let response = router.call(request).await.unwrap_or_else(|never| match never {});
            compression::encode(response, codings, is_head).await
        }
        .boxed()
    })
}

fn router(app: App, draining: Draining, metrics: Metrics) -> Router {
    let pages = Router::new()
        .route("/", get(page::home))
        .route("/docs", get(docs::newest))
        .route("/docs/{version}", get(docs::of_version))
        .route("/players/{institution}/{token}", get(player::show).options(files::preflight))
        .route("/badges/{institution}/{token}", get(badge::show))
        .route(files::AUDIO, get(files::audio).options(files::preflight))
        .route(files::PHOTOS, get(files::photo).options(files::preflight))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(move |state| health::ready(state, draining)))
        .merge(assets::routes())
        .merge(images::routes())
        .merge(phone::routes())
        .merge(lti::routes())
        .merge(metrics.routes())
        .method_not_allowed_fallback(page::wrong_method)
        // What is asked of the API is named by `api::face`, which costs nothing.
        .layer(middleware::from_fn(server::name_route));
    pages.merge(api::routes()).fallback(page::unknown).with_state(app)
}

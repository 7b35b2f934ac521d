//! `get` and `post` as axum has them, but they erase the type of the handler. axum's are compiled to dozens of functions for each type of
//! handler, and for each of them the compiler walks through everything that the handler awaits, to prove that it is `Send`.
//! Join methods of a path with `merge`: `get(show).merge(post(send))`.

use std::sync::Arc;

use axum::{
    extract::Request,
    handler::Handler,
    response::Response,
    routing::{self, MethodRouter},
};
use futures_util::future::BoxFuture;

use crate::app::App;

type Serve = dyn Fn(App, Request) -> BoxFuture<'static, Response> + Send + Sync;

/// A type-erased handler.
#[derive(Clone)]
pub struct Endpoint(Arc<Serve>);

impl Endpoint {
    pub fn new(serve: impl Fn(App, Request) -> BoxFuture<'static, Response> + Send + Sync + 'static) -> Self {
        Self(Arc::new(serve))
    }

    /// For a function whose arguments are extractors. Its future is boxed already.
    fn of<T>(handler: impl Handler<T, App, Future = BoxFuture<'static, Response>>) -> Self {
        Self::new(move |app, request| handler.clone().call(request, app))
    }
}

impl Handler<(), App> for Endpoint {
    type Future = BoxFuture<'static, Response>;

    fn call(self, request: Request, app: App) -> Self::Future {
        (self.0)(app, request)
    }
}

pub fn get<T>(handler: impl Handler<T, App, Future = BoxFuture<'static, Response>>) -> MethodRouter<App> {
    routing::get(Endpoint::of(handler))
}

pub fn post<T>(handler: impl Handler<T, App, Future = BoxFuture<'static, Response>>) -> MethodRouter<App> {
    routing::post(Endpoint::of(handler))
}

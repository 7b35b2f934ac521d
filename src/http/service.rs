//! The service that `server` runs, and its replies to requests that never reach a handler.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{extract::Request, http::HeaderValue, response::Response};
use futures_util::future::BoxFuture;

use super::refusal::Refusal;

pub trait Service: Send + Sync {
    fn call(&self, request: Request) -> BoxFuture<'static, Response>;

    /// The response to a request that no handler serves, rendered by the face that owns the path, in a language of the
    /// `Accept-Language` header.
    fn refuse(&self, path: &str, accept_language: Option<&HeaderValue>, refusal: Refusal) -> Response;
}

pub type Shared = Arc<dyn Service>;

/// Set during graceful shutdown, so that the load balancer takes this node out.
#[derive(Debug, Clone, Default)]
pub struct Draining(Arc<AtomicBool>);

impl Draining {
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

//! What `server` serves: everything that can be asked of us, and how requests are refused that never got there.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{extract::Request, response::Response};
use futures_util::future::BoxFuture;

use super::refusal::Refusal;

pub trait Service: Send + Sync {
    fn call(&self, request: Request) -> BoxFuture<'static, Response>;

    /// The response to a request that no handler answers, in the words of the face that the path belongs to.
    fn refuse(&self, path: &str, refusal: Refusal) -> Response;
}

pub type Shared = Arc<dyn Service>;

/// Set while the server takes no new work, for the load balancer to see.
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

//! The API reference.

use axum::response::Response;

pub async fn show() -> Response {
    super::page::unknown().await
}

pub async fn style() -> Response {
    super::page::unknown().await
}

//! Files that are made while they are sent.

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, header},
    response::Response,
};
use futures_util::stream;

use crate::app::{Result, streams::Chunks};

#[derive(Debug, Clone, Copy)]
pub struct Kind<'a> {
    pub content_type: &'static str,
    /// To save it under. Without one, it is shown or played.
    pub file_name: Option<&'a str>,
    /// What is sent, for the log.
    pub subject: &'static str,
}

/// Makes the first chunk before it responds: until then, a failure can have a status of its own.
pub async fn send(mut file: impl Chunks, kind: Kind<'_>) -> Result<Response> {
    let first = file.next().await?;
    let subject = kind.subject;
    let chunks = stream::try_unfold((file, first), move |(mut file, first)| async move {
        let chunk = match first {
            Some(first) => Ok(Some(first)),
            None => file.next().await,
        };
        // The connection breaks, so that nobody takes the file for complete.
        let chunk = chunk.inspect_err(|error| tracing::error!(%error, subject, "sending a file failed"))?;
        Ok::<_, crate::app::Error>(chunk.map(|chunk: Bytes| (chunk, (file, None))))
    });
    let mut response = Response::new(Body::from_stream(chunks));
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, kind.content_type),
        (header::ACCEPT_RANGES, "none"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::HeaderName::from_static("x-robots-tag"), "noindex"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(file_name) = kind.file_name {
        let disposition = HeaderValue::try_from(format!("attachment; filename=\"{file_name}\""));
        let disposition = disposition.unwrap_or(HeaderValue::from_static("attachment"));
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    Ok(response)
}

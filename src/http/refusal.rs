//! Requests that no handler serves. `site.rs` picks the face that renders the refusal by path.

use axum::{
    body::Body,
    http::StatusCode,
    response::{IntoResponse, Response},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    NotFound,
    /// The handler panicked; the panic hook has logged why.
    Panicked,
    /// No `Host` header, or more than one.
    Host,
    /// hyper could not parse the request.
    Malformed,
    UriTooLong,
    HeadTooLarge,
}

impl Refusal {
    /// Did hyper reject it, before there was a request?
    pub const fn is_unparsed(self) -> bool {
        matches!(self, Self::Malformed | Self::UriTooLong | Self::HeadTooLarge)
    }

    pub const fn status(self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Host | Self::Malformed => StatusCode::BAD_REQUEST,
            Self::UriTooLong => StatusCode::URI_TOO_LONG,
            Self::HeadTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        }
    }

    /// For faces that answer with a status and a message.
    pub const fn message(self) -> &'static str {
        match self {
            Self::NotFound => "Not Found",
            Self::Panicked => super::reply::INTERNAL,
            Self::Host => "Bad Request: a request must have exactly one Host header",
            Self::Malformed => "Bad Request",
            Self::UriTooLong => {
                "URI Too Long: a request line may have 64 KB at most; send the lists in a POST"
            }
            Self::HeadTooLarge => "Request Header Fields Too Large",
        }
    }
}

/// An empty response, which `site.rs` replaces with that of the face.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status();
        response.extensions_mut().insert(self);
        response
    }
}

//! A request as handlers see it: the caller and the parameters.

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::{FromRequestParts, MatchedPath, RawPathParams},
    http::{HeaderMap, HeaderName, HeaderValue, Method, header, request::Parts, uri::PathAndQuery},
};
use serde_json::{Map, Value};

use super::problem::Problem;
use crate::{
    app::{Actor, Caller, Error},
    domain::{
        access::Access,
        idempotency::{KeyFault, RequestKey},
        institution::Institution,
        name_page::NamePageRef,
    },
    http::{
        compression::{AcceptEncoding, Coding},
        params::Params,
    },
};

const MAX_PARTS: usize = 500_000;
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Query and body of a request, without the caller.
pub struct RequestInput {
    query: String,
    is_form: bool,
    accepts: AcceptEncoding,
    body: Bytes,
}

impl RequestInput {
    pub fn new(parts: &Parts, body: Bytes) -> Self {
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let accepts = AcceptEncoding::of(&parts.headers);
        Self { query, is_form: is_form(&parts.headers), accepts, body }
    }

    /// Parameters of the query string only.
    pub fn query(&self) -> Params {
        Params::from_query(&self.query)
    }

    /// Parsing a body of very many elements would take a multiple of its size in memory.
    fn check_parts(&self) -> Result<(), Problem> {
        let parts = self.body.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{' | b'&')).count();
        if parts > MAX_PARTS { Err(Problem::Malformed) } else { Ok(()) }
    }

    /// Parameters of the body (JSON or form) and of the query. The body wins where both set one.
    pub fn params(&self) -> Result<Params, Problem> {
        let body = match self.body.trim_ascii() {
            [] => Params::default(),
            // Some clients send JSON with a form content type, because their HTTP library sets it by default.
            [b'{' | b'[', ..] => Params::from_json(self.json()?),
            text if self.is_form => {
                self.check_parts()?;
                Params::from_query(&String::from_utf8_lossy(text))
            }
            _ => return Err(Problem::Malformed),
        };
        Ok(body.over(self.query()))
    }

    /// The body as a JSON object.
    pub fn json(&self) -> Result<Map<String, Value>, Problem> {
        self.check_parts()?;
        match serde_json::from_slice(&self.body) {
            Ok(Value::Object(object)) => Ok(object),
            _ => Err(Problem::Malformed),
        }
    }

    /// Like `json`, but frees the body: both it and the parsed value may be large.
    pub fn take_json(&mut self) -> Result<Map<String, Value>, Problem> {
        let read = self.json();
        self.body = Bytes::new();
        read
    }
}

/// What the `Idempotency-Key` of a request is parsed from.
struct SentKey {
    /// At least one.
    values: Vec<HeaderValue>,
    access_token: String,
}

impl SentKey {
    fn of(parts: &Parts) -> Option<Self> {
        if parts.method != Method::POST {
            return None;
        }
        let values: Vec<HeaderValue> = parts.headers.get_all(IDEMPOTENCY_KEY).iter().cloned().collect();
        let access_token = crate::http::client::access_token(&parts.headers);
        (!values.is_empty()).then(|| Self { values, access_token: access_token.to_owned() })
    }
}

pub struct ApiRequest {
    pub caller: Arc<Caller>,
    /// As sent.
    pub target: Option<PathAndQuery>,
    pub route: Option<MatchedPath>,
    path: Vec<(String, String)>,
    /// `None` unless it is a POST that has one.
    sent_key: Option<SentKey>,
    input: RequestInput,
}

impl ApiRequest {
    pub async fn new(parts: &mut Parts, caller: Arc<Caller>, body: Bytes) -> Self {
        let path = match RawPathParams::from_request_parts(parts, &()).await {
            Ok(params) => params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            Err(_) => Vec::new(),
        };
        let target = parts.uri.path_and_query().cloned();
        let route = parts.extensions.get::<MatchedPath>().cloned();
        Self {
            caller,
            target,
            route,
            path,
            sent_key: SentKey::of(parts),
            input: RequestInput::new(parts, body),
        }
    }

    pub fn institution(&self) -> &Arc<Institution> {
        &self.caller.institution
    }

    pub fn actor(&self) -> Actor {
        Actor::Token(self.caller.clone())
    }

    /// What the caller's token may access: `actor().access(…)` for its own institution, without a copy.
    pub fn access(&self) -> &Access {
        &self.caller.access
    }

    /// A path parameter; empty if it is not valid UTF-8.
    pub fn path(&self, name: &str) -> &str {
        self.path.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The content coding that the client prefers for a streamed response.
    pub fn stream_coding(&self) -> Coding {
        self.input.accepts.preferred_for_stream()
    }

    pub fn query(&self) -> Params {
        self.input.query()
    }

    pub fn params(&self) -> Result<Params, Problem> {
        self.input.params()
    }

    pub fn json(&self) -> Result<Map<String, Value>, Problem> {
        self.input.json()
    }

    pub fn take_json(&mut self) -> Result<Map<String, Value>, Problem> {
        self.input.take_json()
    }

    /// The `Idempotency-Key` with this request, for handlers that create something. To be called before the body is taken.
    pub fn idempotency_key(&self) -> Result<Option<RequestKey>, Problem> {
        let Some(SentKey { values, access_token }) = &self.sent_key else { return Ok(None) };
        let [value] = values.as_slice() else {
            return Err(Error::IdempotencyKey(KeyFault::Malformed).into());
        };
        let owner = (self.institution().id, self.caller.token_id);
        let target = self.target.as_ref().map_or("", PathAndQuery::as_str);
        let key = RequestKey::parse(value.as_bytes(), owner, access_token, target, &self.input.body);
        Ok(Some(key.map_err(Error::IdempotencyKey)?))
    }

    /// The name page in the path.
    pub fn name_page(&self) -> Option<NamePageRef> {
        NamePageRef::parse(self.path("name_page_id"))
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).map(|value| value.as_bytes().to_ascii_lowercase());
    kind.is_some_and(|kind| kind.starts_with(b"application/x-www-form-urlencoded"))
}

pub fn has_body(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD)
}

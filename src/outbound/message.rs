//! Requests and responses.

use std::time::Duration;

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{
    Method, StatusCode, Url,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use serde_json::Value;

use super::{Error, Result};

const MAX_RESPONSE: usize = 16 << 20;

/// A request.
#[derive(Clone)]
pub struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
    pub(super) most: usize,
    pub(super) within: Option<Duration>,
    pub(super) a_part_will_do: bool,
}

/// A response whose body has been read.
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// The final URL, after redirects.
    pub url: Url,
    /// False if the body was cut off at the size limit.
    pub whole: bool,
}

impl Request {
    fn new(method: Method, url: Url) -> Self {
        Self {
            method,
            url,
            headers: HeaderMap::new(),
            body: None,
            most: MAX_RESPONSE,
            within: None,
            a_part_will_do: false,
        }
    }

    pub fn get(url: Url) -> Self {
        Self::new(Method::GET, url)
    }

    pub fn form(url: Url, pairs: &[(&str, &str)]) -> Self {
        Self::new(Method::POST, url).holding("application/x-www-form-urlencoded", Bytes::from(written(pairs)))
    }

    pub fn json(url: Url, body: &Value) -> Self {
        Self::new(Method::POST, url).holding("application/json", Bytes::from(body.to_string()))
    }

    fn holding(mut self, kind: &'static str, body: Bytes) -> Self {
        self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        self.body = Some(body);
        self
    }

    /// Silently drops values that are not valid in a header: a token with a line break is not a token.
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(mut value) = HeaderValue::from_str(value) {
            value.set_sensitive(name == header::AUTHORIZATION);
            self.headers.insert(name, value);
        }
        self
    }

    pub fn bearer(self, token: &str) -> Self {
        self.header(header::AUTHORIZATION, &format!("Bearer {token}"))
    }

    pub fn accept(self, kind: &str) -> Self {
        self.header(header::ACCEPT, kind)
    }

    /// Maximum size of the response body.
    pub fn at_most(mut self, bytes: usize) -> Self {
        self.most = bytes;
        self
    }

    /// Accept a truncated body instead of failing if the response is too large.
    pub fn allow_truncated(mut self) -> Self {
        self.a_part_will_do = true;
        self
    }

    pub fn within(mut self, time: Duration) -> Self {
        self.within = Some(time);
        self
    }
}

impl Answer {
    pub fn header(&self, name: HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// True for an HTML page. APIs answer JSON, so a page comes from a proxy in front of the system, not from the system.
    pub fn is_page(&self) -> bool {
        let kind = self.header(header::CONTENT_TYPE).unwrap_or_default().trim_start();
        let is_html = kind.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("text/html"));
        is_html || self.body.trim_ascii_start().starts_with(b"<")
    }

    /// Turns every status other than 2xx into an error.
    pub fn good(self) -> Result<Self> {
        let place = place(&self.url);
        match self.status {
            status if status.is_success() => Ok(self),
            status if status.is_redirection() => {
                Err(Error::Unavailable(format!("{place} sends us elsewhere, where we do not follow")))
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(Error::Denied(format!("{place} refuses us ({})", self.status.as_u16())))
            }
            StatusCode::NOT_FOUND | StatusCode::GONE => Err(Error::Missing),
            status => Err(Error::Unavailable(format!("{place} answers {}", status.as_u16()))),
        }
    }

    /// The code of an OAuth error response, such as `invalid_client`. `None` if it is not a plain word.
    pub fn oauth_error(&self) -> Option<String> {
        let body = self.value().ok()?;
        let word = body["error"].as_str()?;
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == ' ';
        (word.len() <= 60 && word.chars().all(is_word)).then(|| word.to_owned())
    }

    /// The body as JSON, regardless of the status.
    pub fn value(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).map_err(|_| {
            Error::Unavailable(format!("{} answers something that is no JSON", place(&self.url)))
        })
    }
}

/// The origin of a URL, safe to show: path and query may contain secrets.
pub fn place(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or_default())
}

const ENCODE_SET: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn written(pairs: &[(&str, &str)]) -> String {
    let escape = |text: &str| utf8_percent_encode(text, ENCODE_SET).to_string();
    let pieces = pairs.iter().map(|(name, value)| format!("{}={}", escape(name), escape(value)));
    pieces.collect::<Vec<_>>().join("&")
}

//! The HTTP client for addresses supplied by others, guarded against SSRF: https to public addresses, and to the networks that
//! the operator lists, where plain http is allowed too. We resolve names ourselves and drop addresses that are not permitted,
//! so nothing can change between the check and the connection (DNS rebinding). Responses are bounded in size and time.
//! Redirects are followed only within the same origin.

mod error;
mod message;
mod networks;
mod retry;

use std::{
    net::IpAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::Bytes;
use reqwest::{
    Client, Method, Response, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{self, HeaderName},
    redirect,
};
use serde_json::Value;

use crate::{clock::Clock, domain::address::is_printable};
pub use error::{Error, Result};
pub use message::{Answer, Request, place};
pub use networks::Allowed;
use networks::is_public;
pub use retry::Retries;

pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(5);
pub const MAX_REDIRECTS: usize = 3;

/// Timeouts and the initial backoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Timeout of a whole request, until its response has been read.
    pub request: Duration,
    /// Timeout for interactive requests, where a person waits.
    pub question: Duration,
    /// Backoff after the first attempt. It doubles with every attempt.
    pub pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(30),
            question: Duration::from_secs(8),
            pause: Duration::from_millis(250),
        }
    }
}

#[derive(Clone)]
pub struct Outbound(Arc<Inner>);

struct Inner {
    allowed: Allowed,
    limits: Limits,
    /// For https: public addresses and listed networks.
    secure: OnceLock<Client>,
    /// For plain http: listed networks only.
    plain: OnceLock<Client>,
    clock: Clock,
}

/// Omits the HTTP clients.
impl std::fmt::Debug for Outbound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbound").field("allowed", &self.0.allowed).finish_non_exhaustive()
    }
}

impl Outbound {
    pub fn new(allowed: Allowed) -> Result<Self, String> {
        Self::with_limits(allowed, Limits::default())
    }

    pub fn with_limits(allowed: Allowed, limits: Limits) -> Result<Self, String> {
        let (secure, plain, clock) = Default::default();
        Ok(Self(Arc::new(Inner { allowed, limits, secure, plain, clock })))
    }

    /// The same rules with another clock. Open connections are not shared.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        let (secure, plain) = Default::default();
        let Inner { allowed, limits, .. } = &*self.0;
        Self(Arc::new(Inner { allowed: allowed.clone(), limits: *limits, secure, plain, clock }))
    }

    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// Parses a URL and checks everything that needs no DNS lookup.
    pub fn address(&self, text: &str) -> Result<Url> {
        let url = parsed(text).map_err(|fault| Error::Refused(format!("the address {fault}")))?;
        self.check(&url)?;
        Ok(url)
    }

    fn check(&self, url: &Url) -> Result<()> {
        self.fault(url).map_or(Ok(()), |fault| Err(Error::Refused(format!("{} {fault}", place(url)))))
    }

    /// What is wrong with a URL, phrased to follow its origin in a message.
    fn fault(&self, url: &Url) -> Option<&'static str> {
        let plain = match url.scheme() {
            "https" => false,
            "http" => true,
            _ => return Some("must begin with https://"),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Some("must not contain a user name or password");
        }
        host_ip(url).filter(|ip| !self.0.allowed.permits(*ip, plain)).map(|_| rule(url))
    }

    /// Checks a URL before it is stored. A name that does not resolve yet is accepted for https, because it may resolve later;
    /// for plain http it must resolve to a permitted address now. The error message omits the URL, because the caller names
    /// the field.
    pub async fn permits(&self, url: &str) -> Result<()> {
        let refused = |fault: &str| Err(Error::Refused(fault.to_owned()));
        let url = match parsed(url) {
            Ok(url) => url,
            Err(fault) => return refused(fault),
        };
        if let Some(fault) = self.fault(&url) {
            return refused(fault);
        }
        let (Some(host), None) = (url.host_str(), host_ip(&url)) else { return Ok(()) };
        let plain = url.scheme() == "http";
        let looking = tokio::net::lookup_host((host, 0));
        let Ok(Ok(mut found)) = tokio::time::timeout(RESOLVE_TIMEOUT, looking).await else {
            let fault = "uses plain http, and its name cannot be looked up now";
            return if plain { refused(fault) } else { Ok(()) };
        };
        if found.any(|address| self.0.allowed.permits(address.ip(), plain)) {
            Ok(())
        } else {
            refused(rule(&url))
        }
    }

    /// Sends a request. A `GET` follows redirects within its origin. A redirect to another origin is returned as the response.
    pub async fn send(&self, ask: Request) -> Result<Answer> {
        let a_part_will_do = ask.a_part_will_do;
        let answer = self.exchange(ask).await?;
        if answer.whole || a_part_will_do {
            Ok(answer)
        } else {
            Err(Error::Unavailable(format!("{} gives an answer that is too large", place(&answer.url))))
        }
    }

    /// Like `send`, but accepts a truncated response: check `Answer::whole`.
    pub async fn exchange(&self, ask: Request) -> Result<Answer> {
        let mut url = ask.url.clone();
        let mut followed = 0;
        loop {
            self.check(&url)?;
            let client = self.client(url.scheme() == "http")?;
            let mut request = client.request(ask.method.clone(), url.clone()).headers(ask.headers.clone());
            if let Some(body) = &ask.body {
                request = request.body(body.clone());
            }
            if let Some(time) = ask.within {
                request = request.timeout(time);
            }
            let response = request.send().await.map_err(|error| failure(&url, &error))?;
            let next = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
            let next = next.and_then(|to| url.join(to).ok()).filter(|to| to.origin() == url.origin());
            match next {
                Some(next)
                    if response.status().is_redirection()
                        && ask.method == Method::GET
                        && followed < MAX_REDIRECTS =>
                {
                    (url, followed) = (next, followed + 1);
                }
                _ => return read(response, url, ask.most).await,
            }
        }
    }

    /// Created on first use: loading the trusted root certificates is slow, and most commands send nothing.
    fn client(&self, plain: bool) -> Result<&Client> {
        let kept = if plain { &self.0.plain } else { &self.0.secure };
        if let Some(client) = kept.get() {
            return Ok(client);
        }
        // Plain http needs no root certificates.
        let builder = Client::builder();
        let builder = if plain { builder.tls_certs_only([]) } else { builder };
        let client = builder
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(self.0.limits.request)
            // Between two chunks of a response that may take longer in total.
            .read_timeout(self.0.limits.request)
            // We follow redirects ourselves, and ignore proxy settings from the environment: both would bypass the address
            // check.
            .redirect(redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .https_only(!plain)
            .user_agent(concat!("Endonym/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(Arc::new(Lookup { allowed: self.0.allowed.clone(), plain }))
            .build()
            .map_err(|error| Error::Unavailable(format!("no client for learning systems: {error}")))?;
        Ok(kept.get_or_init(|| client))
    }

    /// Fetches a JSON document. Any status other than 2xx is an error.
    pub async fn json(&self, url: &str, headers: &[(HeaderName, &str)]) -> Result<Value> {
        let ask = Request::get(self.address(url)?).accept("application/json");
        let ask = headers.iter().fold(ask, |ask, (name, value)| ask.header(name.clone(), value));
        self.send(ask).await?.good()?.value()
    }

    /// Posts JSON. Returns the response whatever its status.
    pub async fn post_json(&self, url: &str, headers: &[(HeaderName, &str)], body: &Value) -> Result<Answer> {
        let ask = Request::json(self.address(url)?, body).accept("application/json");
        self.send(headers.iter().fold(ask, |ask, (name, value)| ask.header(name.clone(), value))).await
    }

    /// Posts a form. Returns the response whatever its status.
    pub async fn post_form(&self, url: &str, pairs: &[(&str, &str)]) -> Result<Answer> {
        self.send(Request::form(self.address(url)?, pairs).accept("application/json")).await
    }
}

impl Allowed {
    fn permits(&self, ip: IpAddr, plain: bool) -> bool {
        self.lists(ip) || (!plain && is_public(ip))
    }
}

/// DNS resolver that returns only permitted addresses.
struct Lookup {
    allowed: Allowed,
    plain: bool,
}

/// The name resolves to no permitted address.
#[derive(Debug, thiserror::Error)]
#[error("its address is not permitted")]
struct Forbidden;

impl Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        let (allowed, plain) = (self.allowed.clone(), self.plain);
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let may: Vec<_> = found.filter(|address| allowed.permits(address.ip(), plain)).collect();
            if may.is_empty() {
                return Err(Box::new(Forbidden) as Box<dyn std::error::Error + Send + Sync>);
            }
            Ok(Box::new(may.into_iter()) as Addrs)
        })
    }
}

/// The host if it is an IP literal rather than a name. `Url` has already normalized its notation.
fn host_ip(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

async fn read(mut response: Response, url: Url, most: usize) -> Result<Answer> {
    let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
    let (body, whole) = read_body(response, most).await.map_err(|error| failure(&url, &error))?;
    Ok(Answer { status, headers, body, url, whole })
}

/// Reads in chunks, so that an endless response stops at the limit. Returns false if the body was cut off there.
pub async fn read_body(mut response: Response, most: usize) -> reqwest::Result<(Bytes, bool)> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if body.len() + piece.len() > most {
            return Ok((body.into(), false));
        }
        body.extend_from_slice(&piece);
    }
    Ok((body.into(), true))
}

fn parsed(text: &str) -> Result<Url, &'static str> {
    if !is_printable(text) {
        return Err("must not contain blanks, line breaks or control characters");
    }
    Url::parse(text.trim()).map_err(|_| "is not a web address: write it like https://lms.example.edu")
}

/// The rule that this URL violates.
fn rule(url: &Url) -> &'static str {
    if url.scheme() == "http" {
        "uses plain http, which is only allowed to networks named in ENDONYM_OUTBOUND_ALLOW: use https, or add its network there"
    } else {
        "is not on the public internet: if it is your own learning system, add its network to ENDONYM_OUTBOUND_ALLOW, for \
         example 10.20.0.0/16"
    }
}

/// Reports the innermost cause, such as "connection refused", and never the full URL.
fn failure(url: &Url, error: &reqwest::Error) -> Error {
    let mut words = String::new();
    let mut below = std::error::Error::source(error);
    while let Some(one) = below {
        if one.is::<Forbidden>() {
            return Error::Refused(format!("{} {}", place(url), rule(url)));
        }
        words = one.to_string();
        below = one.source();
    }
    if error.is_timeout() {
        words = "no answer in time".to_owned();
    }
    if words.trim().is_empty() {
        words = "the connection has failed".to_owned();
    }
    Error::Unavailable(format!("{} cannot be reached: {words}", place(url)))
}

//! The HTTP client for addresses that others give us, guarded against SSRF: https to public addresses, and to the networks
//! that the operator lists, where plain http is allowed too. We resolve names ourselves and drop addresses that are not
//! permitted, so nothing can change between the check and the connection (DNS rebinding). Answers are bounded in size and
//! time; redirects are followed within their origin alone.

mod error;
mod message;
mod networks;
mod retry;

use std::{
    net::IpAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use reqwest::{
    Client, Method, Response, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{self, HeaderName},
    redirect,
};
use serde_json::Value;

use crate::{clock::Clock, domain::address::is_printable};
pub use error::{Error, Result, Transient};
pub use message::{Answer, Ask, place};
pub use networks::Allowed;
use networks::is_public;
pub use retry::Retries;

const TO_CONNECT: Duration = Duration::from_secs(5);
const TO_RESOLVE: Duration = Duration::from_secs(5);
const MOST_REDIRECTS: usize = 3;

/// How long we wait, and for how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A request from its beginning to the end of its answer.
    pub request: Duration,
    /// One that somebody waits for.
    pub question: Duration,
    /// Between the first attempt and the second; each next pause is twice as long.
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
    /// To public addresses and listed ones.
    secure: OnceLock<Client>,
    /// To listed ones alone.
    plain: OnceLock<Client>,
    clock: Clock,
}

/// Without the settings of the HTTP clients.
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

    /// The same rules by another clock, with no connection open.
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

    /// Reads an address, and says at once what can be said without asking anybody.
    pub fn address(&self, text: &str) -> Result<Url> {
        let url = parsed(text).map_err(|fault| Error::Refused(format!("the address {fault}")))?;
        self.check(&url)?;
        Ok(url)
    }

    fn check(&self, url: &Url) -> Result<()> {
        self.fault(url).map_or(Ok(()), |fault| Err(Error::Refused(format!("{} {fault}", place(url)))))
    }

    /// What is wrong with an address, as it is said behind its name.
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

    /// May we go there? For whoever writes an address down: a name that nobody knows yet may be known later, but over plain
    /// http only what is known now is good. What is wrong is said without the address, which has a name there.
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
        let Ok(Ok(mut found)) = tokio::time::timeout(TO_RESOLVE, looking).await else {
            let fault = "uses plain http, and its name cannot be looked up now";
            return if plain { refused(fault) } else { Ok(()) };
        };
        if found.any(|address| self.0.allowed.permits(address.ip(), plain)) {
            Ok(())
        } else {
            refused(rule(&url))
        }
    }

    /// Sends it, and follows a `GET` within its own origin. What leads elsewhere is answered as it came.
    pub async fn send(&self, ask: Ask) -> Result<Answer> {
        let a_part_will_do = ask.a_part_will_do;
        let answer = self.exchange(ask).await?;
        if answer.whole || a_part_will_do {
            Ok(answer)
        } else {
            Err(Error::Unavailable(format!("{} gives an answer that is too large", place(&answer.url))))
        }
    }

    /// The same for an answer of any size: `Answer::whole` says whether it is all of it.
    pub async fn exchange(&self, ask: Ask) -> Result<Answer> {
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
                        && followed < MOST_REDIRECTS =>
                {
                    (url, followed) = (next, followed + 1);
                }
                _ => return read(response, url, ask.most).await,
            }
        }
    }

    /// Made when it is first needed: to read whom to trust takes a while, and most who start us send nothing.
    fn client(&self, plain: bool) -> Result<&Client> {
        let kept = if plain { &self.0.plain } else { &self.0.secure };
        if let Some(client) = kept.get() {
            return Ok(client);
        }
        // Plain http trusts nobody.
        let builder = Client::builder();
        let builder = if plain { builder.tls_certs_only([]) } else { builder };
        let client = builder
            .connect_timeout(TO_CONNECT)
            .timeout(self.0.limits.request)
            // Between two pieces of an answer that may take longer.
            .read_timeout(self.0.limits.request)
            // We follow by ourselves, and nobody in the environment stands between.
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

    /// A JSON document that is there.
    pub async fn json(&self, url: &str, headers: &[(HeaderName, &str)]) -> Result<Value> {
        let ask = Ask::get(self.address(url)?).accept("application/json");
        let ask = headers.iter().fold(ask, |ask, (name, value)| ask.header(name.clone(), value));
        self.send(ask).await?.good()?.value()
    }

    /// Sends JSON. The answer is whatever came.
    pub async fn post_json(&self, url: &str, headers: &[(HeaderName, &str)], body: &Value) -> Result<Answer> {
        let ask = Ask::json(self.address(url)?, body).accept("application/json");
        self.send(headers.iter().fold(ask, |ask, (name, value)| ask.header(name.clone(), value))).await
    }

    /// Sends a form. The answer is whatever came.
    pub async fn post_form(&self, url: &str, pairs: &[(&str, &str)]) -> Result<Answer> {
        self.send(Ask::form(self.address(url)?, pairs).accept("application/json")).await
    }
}

impl Allowed {
    fn permits(&self, ip: IpAddr, plain: bool) -> bool {
        self.lists(ip) || (!plain && is_public(ip))
    }
}

/// Looks names up for a client, and tells it only of addresses that it may go to.
struct Lookup {
    allowed: Allowed,
    plain: bool,
}

/// A name resolves to no address that is permitted.
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

/// The host where it is an address and no name, in whatever form it was written: `Url` has made it one.
fn host_ip(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Read in pieces, so that one without end ends.
async fn read(mut response: Response, url: Url, most: usize) -> Result<Answer> {
    let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
    let (mut body, mut whole) = (Vec::new(), true);
    while let Some(piece) = response.chunk().await.map_err(|error| failure(&url, &error))? {
        if body.len() + piece.len() > most {
            whole = false;
            break;
        }
        body.extend_from_slice(&piece);
    }
    Ok(Answer { status, headers, body: body.into(), url, whole })
}

fn parsed(text: &str) -> Result<Url, &'static str> {
    if !is_printable(text) {
        return Err("must not contain blanks, line breaks or control characters");
    }
    Url::parse(text.trim()).map_err(|_| "is not a web address: write it like https://lms.example.edu")
}

/// Why we may not go there.
fn rule(url: &Url) -> &'static str {
    if url.scheme() == "http" {
        "uses plain http, which is only allowed to networks named in ENDONYM_OUTBOUND_ALLOW: use https, or add its network there"
    } else {
        "is not on the public internet: if it is your own learning system, add its network to ENDONYM_OUTBOUND_ALLOW, for \
         example 10.20.0.0/16"
    }
}

/// What lies below tells: "connection refused" and the like, and never the whole address.
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

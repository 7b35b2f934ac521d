//! Client of the vendor's API. Credentials are sent only to its own host.
//!
//! It shares the bounds of `outbound`, but not its SSRF guard: the operator sets the address in the same settings that list the
//! networks which the guard allows, and nobody else can change it. A vendor-compatible server in a private network, or one
//! behind the proxy in the environment, is a legitimate choice. There are no retries here either: a repeated request could
//! place a second call, so the jobs and the call attempts decide what to repeat.

use std::time::Duration;

use bytes::Bytes;
use jiff::{Timestamp, tz::TimeZone};
use reqwest::{Method, RequestBuilder, StatusCode, Url, header, redirect};

use super::{
    Settings, Vendor, form,
    responses::{Call, Calls, Recordings, bytes, cause, error_message, read, success},
};
use crate::{
    domain::moment::Moment,
    outbound::{CONNECT_TIMEOUT, MAX_REDIRECTS},
};

const TIMEOUT: Duration = Duration::from_secs(20);
/// Connections that the vendor may already have closed are not reused: a failed request on one would leave it unknown
/// whether a call was placed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Ten seconds of telephone audio are 160 KB.
const MAX_RECORDING: usize = 4 << 20;
/// Clock skew.
const SKEW: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub struct Client {
    settings: Settings,
    /// Follows redirects within the API.
    reading: reqwest::Client,
    /// Follows no redirects: writes are sent once.
    writing: reqwest::Client,
}

/// Omits the client's settings.
impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Client").field(&self.settings).finish()
    }
}

/// A call that was not placed, or whose state is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreateError {
    /// No call was placed.
    Refused(String),
    /// A call may have been placed.
    Ambiguous(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchError {
    /// Not available yet, or already deleted.
    NotThere,
    /// Permanently unusable.
    Unusable(String),
    Failed(String),
}

/// What a call executes.
#[derive(Debug, Clone)]
pub enum Instructions {
    /// The vendor requests each step from us and reports status changes.
    Callbacks { url: String, status: String },
    /// A fixed document, without callbacks.
    Document(String),
}

/// Is it a vendor's identifier that is safe in a URL?
pub fn is_sid(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl Client {
    pub fn new(settings: Settings) -> Result<Self, String> {
        let api = settings.api.clone();
        let within = redirect::Policy::custom(move |to| {
            if to.url().origin() == api.origin() && to.previous().len() <= MAX_REDIRECTS {
                to.follow()
            } else {
                to.stop()
            }
        });
        let client = |policy| {
            let builder = reqwest::Client::builder()
                .connect_timeout(CONNECT_TIMEOUT)
                .timeout(TIMEOUT)
                .pool_idle_timeout(IDLE_TIMEOUT)
                .redirect(policy);
            builder.build().map_err(|error| format!("cannot create the HTTP client: {error}"))
        };
        Ok(Self { settings, reading: client(within)?, writing: client(redirect::Policy::none())? })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Checks that the API is reachable and accepts our credentials.
    pub async fn check(&self) -> Result<(), String> {
        let mut url = self.settings.api.clone();
        let root = self.address(&[]);
        url.set_path(&format!("{}.json", root.path().trim_end_matches('/')));
        let response = self.ask(Method::GET, url).send().await.map_err(|error| cause(&error))?;
        match response.status() {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err("the account or its token was rejected".to_owned())
            }
            status if status.is_server_error() => Err(error_message(response).await),
            _ => Ok(()),
        }
    }

    /// A URL below the account. Each segment is percent-encoded.
    fn address(&self, parts: &[&str]) -> Url {
        let root: &[&str] = match self.settings.vendor {
            Vendor::Twilio => &["2010-04-01", "Accounts"],
            Vendor::SignalWire => &["api", "laml", "2010-04-01", "Accounts"],
        };
        let mut url = self.settings.api.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.clear().extend(root).push(&self.settings.account).extend(parts);
        }
        url
    }

    fn ask(&self, method: Method, url: Url) -> RequestBuilder {
        let client = if method == Method::GET { &self.reading } else { &self.writing };
        client.request(method, url).basic_auth(&self.settings.account, Some(&self.settings.token))
    }

    fn send_form(&self, url: Url, pairs: &[(&str, &str)]) -> RequestBuilder {
        self.ask(Method::POST, url)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form::written(pairs.iter().copied()))
    }

    /// Places a call and returns the vendor's id of it.
    pub async fn create_call(
        &self,
        to: &str,
        ring_seconds: u32,
        instructions: &Instructions,
    ) -> Result<String, CreateError> {
        let ring = ring_seconds.to_string();
        let mut pairs = vec![("To", to), ("From", self.settings.from.as_str()), ("Timeout", &ring)];
        match instructions {
            Instructions::Callbacks { url, status } => {
                pairs.extend([("Url", url.as_str()), ("Method", "POST")]);
                pairs.extend([("StatusCallback", status.as_str()), ("StatusCallbackMethod", "POST")]);
                let events = ["initiated", "ringing", "answered", "completed"];
                pairs.extend(events.map(|event| ("StatusCallbackEvent", event)));
            }
            Instructions::Document(twiml) => pairs.push(("Twiml", twiml)),
        }
        let sent = self.send_form(self.address(&["Calls.json"]), &pairs).send().await;
        let response = sent.map_err(|error| {
            let why = cause(&error);
            // Without a connection nothing was sent.
            if error.is_connect() || error.is_builder() {
                CreateError::Refused(why)
            } else {
                CreateError::Ambiguous(why)
            }
        })?;
        let status = response.status();
        if status.is_client_error() && status != StatusCode::REQUEST_TIMEOUT {
            return Err(CreateError::Refused(error_message(response).await));
        }
        if status.is_redirection() {
            return Err(CreateError::Refused(format!("the telephony service sent a redirect ({status})")));
        }
        if !status.is_success() {
            return Err(CreateError::Ambiguous(error_message(response).await));
        }
        let unclear =
            |why: String| CreateError::Ambiguous(format!("the response of the telephony service: {why}"));
        let call: Call = read(response).await.map_err(unclear)?;
        if is_sid(&call.sid) { Ok(call.sid) } else { Err(unclear("invalid call id".to_owned())) }
    }

    /// The state of a call; `None` if the vendor does not know it.
    pub async fn call(&self, sid: &str) -> Result<Option<Call>, String> {
        let url = self.address(&["Calls", &format!("{sid}.json")]);
        match success(self.ask(Method::GET, url).send().await, &[StatusCode::NOT_FOUND]).await? {
            Some(response) => read(response).await.map(Some),
            None => Ok(None),
        }
    }

    /// Calls to a number since this time, newest first.
    pub async fn find_since(&self, to: &str, started: Moment) -> Result<Vec<Call>, String> {
        let earliest = Moment::from_micros(started.micros() - micros(SKEW));
        // All vendors support filtering by day; the rest is filtered here.
        let day = Timestamp::from_microsecond(earliest.micros())
            .map(|timestamp| timestamp.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d").to_string())
            .unwrap_or_default();
        let mut url = self.address(&["Calls.json"]);
        url.set_query(Some(&form::written([("To", to), ("StartTime>", &day), ("PageSize", "50")])));
        let Some(response) = success(self.ask(Method::GET, url).send().await, &[]).await? else {
            return Ok(Vec::new());
        };
        let mut calls = read::<Calls>(response).await?.calls;
        calls.retain(|call| {
            is_sid(&call.sid) && call.started_at().is_none_or(|started_at| started_at >= earliest)
        });
        Ok(calls)
    }

    /// Ends a call. Idempotent: ended and unknown calls are fine.
    pub async fn hang_up(&self, sid: &str) -> Result<(), String> {
        let mut why = String::new();
        // Retries, because its state may change concurrently.
        for _ in 0..3 {
            let status = match self.call(sid).await? {
                None => return Ok(()),
                Some(call) if call.is_over() => return Ok(()),
                Some(call) if call.status == "in-progress" => "completed",
                Some(_) => "canceled",
            };
            let url = self.address(&["Calls", &format!("{sid}.json")]);
            let sent = self.send_form(url, &[("Status", status)]).send().await;
            match success(sent, &[StatusCode::NOT_FOUND]).await {
                Ok(_) => return Ok(()),
                Err(error) => why = error,
            }
        }
        Err(why)
    }

    /// Downloads a recording, always from the API host, whatever URL the callback contains.
    pub async fn fetch(&self, address: &str, sid: &str) -> Result<Bytes, FetchError> {
        if !is_sid(sid) {
            return Err(FetchError::Unusable("invalid recording id".to_owned()));
        }
        let given = Url::parse(address).ok().filter(|url| url.origin() == self.settings.api.origin());
        let url = given.unwrap_or_else(|| self.address(&["Recordings", &format!("{sid}.wav")]));
        let sent = self.ask(Method::GET, url).send().await;
        let found = success(sent, &[StatusCode::NOT_FOUND]).await.map_err(FetchError::Failed)?;
        let response = found.ok_or(FetchError::NotThere)?;
        match bytes(response, MAX_RECORDING).await {
            Ok(Some(sound)) => Ok(sound),
            Ok(None) => Err(FetchError::Unusable("the recording is too large".to_owned())),
            Err(why) => Err(FetchError::Failed(why)),
        }
    }

    /// The recordings of a call; empty if the vendor has no such list.
    pub async fn recordings(&self, call: &str) -> Result<Vec<String>, String> {
        let url = self.address(&["Calls", call, "Recordings.json"]);
        let none = [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED];
        let Some(response) = success(self.ask(Method::GET, url).send().await, &none).await? else {
            return Ok(Vec::new());
        };
        let found = read::<Recordings>(response).await?.recordings;
        Ok(found.into_iter().map(|one| one.sid).filter(|sid| is_sid(sid)).collect())
    }

    /// Idempotent.
    pub async fn delete_recording(&self, sid: &str) -> Result<(), String> {
        if !is_sid(sid) {
            return Ok(());
        }
        let url = self.address(&["Recordings", &format!("{sid}.json")]);
        success(self.ask(Method::DELETE, url).send().await, &[StatusCode::NOT_FOUND]).await.map(|_| ())
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::is_sid;

    #[test]
    fn names_that_lead_elsewhere_are_none() {
        assert!(is_sid("RE0123456789abcdef0123456789abcdef") && is_sid("0b1f-22"));
        for bad in ["", "../Accounts", "a/b", "a.json", "é", &"x".repeat(65)] {
            assert!(!is_sid(bad), "{bad}");
        }
    }
}

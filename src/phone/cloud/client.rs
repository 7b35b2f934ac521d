//! The vendor's API. Credentials go to its own host and nowhere else.

use std::time::Duration;

use bytes::Bytes;
use jiff::{Timestamp, tz::TimeZone};
use reqwest::{Method, RequestBuilder, StatusCode, Url, header, redirect};

use super::{
    Settings, Vendor,
    answers::{Call, Calls, Recordings, answered, bytes, cause, complaint, read},
    form,
};
use crate::domain::moment::Moment;

const TO_CONNECT: Duration = Duration::from_secs(5);
const IN_ALL: Duration = Duration::from_secs(20);
/// A connection that the vendor may have closed by now is not used again: whether a call was made on it would not be known.
const IDLE: Duration = Duration::from_secs(5);
const MOST_REDIRECTS: usize = 3;
/// Ten seconds of a phone call are 160 KB.
const LARGEST_SOUND: usize = 4 << 20;
/// Clocks differ.
const SKEW: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub struct Client {
    settings: Settings,
    /// Follows the API to other addresses of its own.
    reading: reqwest::Client,
    /// Follows nobody: what is written is written once.
    writing: reqwest::Client,
}

/// Without the client's own pile of settings.
impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Client").field(&self.settings).finish()
    }
}

/// A call that was not made, or nobody knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreateError {
    /// There is no call.
    Refused(String),
    /// There may be one.
    Ambiguous(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchError {
    /// It is not there yet, or no longer.
    NotThere,
    /// It can never be used.
    Unusable(String),
    Failed(String),
}

/// What a call is to do.
#[derive(Debug, Clone)]
pub enum Instructions {
    /// The vendor asks us, and tells us what happens.
    Callbacks { url: String, status: String },
    /// It does this, and tells nobody.
    Document(String),
}

/// Is it a vendor's name for something, which may stand in an address?
pub fn is_sid(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl Client {
    pub fn new(settings: Settings) -> Result<Self, String> {
        let api = settings.api.clone();
        let within = redirect::Policy::custom(move |to| {
            if to.url().origin() == api.origin() && to.previous().len() <= MOST_REDIRECTS {
                to.follow()
            } else {
                to.stop()
            }
        });
        let client = |policy| {
            let builder = reqwest::Client::builder()
                .connect_timeout(TO_CONNECT)
                .timeout(IN_ALL)
                .pool_idle_timeout(IDLE)
                .redirect(policy);
            builder.build().map_err(|error| format!("no client for the cloud: {error}"))
        };
        Ok(Self { settings, reading: client(within)?, writing: client(redirect::Policy::none())? })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Is it there, and does it know us?
    pub async fn check(&self) -> Result<(), String> {
        let mut url = self.settings.api.clone();
        let root = self.address(&[]);
        url.set_path(&format!("{}.json", root.path().trim_end_matches('/')));
        let response = self.ask(Method::GET, url).send().await.map_err(|error| cause(&error))?;
        match response.status() {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err("it refuses the account or its token".to_owned())
            }
            status if status.is_server_error() => Err(complaint(response).await),
            _ => Ok(()),
        }
    }

    /// Below the account. Each part is encoded.
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

    /// Has somebody called. Says the vendor's name for the call.
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
            // Nothing was sent without a connection.
            if error.is_connect() || error.is_builder() {
                CreateError::Refused(why)
            } else {
                CreateError::Ambiguous(why)
            }
        })?;
        let status = response.status();
        if status.is_client_error() && status != StatusCode::REQUEST_TIMEOUT {
            return Err(CreateError::Refused(complaint(response).await));
        }
        if status.is_redirection() {
            return Err(CreateError::Refused(format!("the cloud sends us elsewhere ({status})")));
        }
        if !status.is_success() {
            return Err(CreateError::Ambiguous(complaint(response).await));
        }
        let unclear = |why: String| CreateError::Ambiguous(format!("the cloud's answer: {why}"));
        let call: Call = read(response).await.map_err(unclear)?;
        if is_sid(&call.sid) { Ok(call.sid) } else { Err(unclear("no good name for the call".to_owned())) }
    }

    /// How a call is doing. `None` where the vendor knows no such call.
    pub async fn call(&self, sid: &str) -> Result<Option<Call>, String> {
        let url = self.address(&["Calls", &format!("{sid}.json")]);
        match answered(self.ask(Method::GET, url).send().await, &[StatusCode::NOT_FOUND]).await? {
            Some(response) => read(response).await.map(Some),
            None => Ok(None),
        }
    }

    /// Calls to a number that began then or later, the newest first.
    pub async fn find_since(&self, to: &str, started: Moment) -> Result<Vec<Call>, String> {
        let earliest = Moment::from_micros(started.micros() - micros(SKEW));
        // Days are what every vendor understands; the rest is ours.
        let day = Timestamp::from_microsecond(earliest.micros())
            .map(|timestamp| timestamp.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d").to_string())
            .unwrap_or_default();
        let mut url = self.address(&["Calls.json"]);
        url.set_query(Some(&form::written([("To", to), ("StartTime>", &day), ("PageSize", "50")])));
        let Some(response) = answered(self.ask(Method::GET, url).send().await, &[]).await? else {
            return Ok(Vec::new());
        };
        let mut calls = read::<Calls>(response).await?.calls;
        calls.retain(|call| is_sid(&call.sid) && call.begun().is_none_or(|begun| begun >= earliest));
        Ok(calls)
    }

    /// Ends a call. One that is over, or that nobody knows, is fine.
    pub async fn hang_up(&self, sid: &str) -> Result<(), String> {
        let mut why = String::new();
        // It may be answered, or end by itself, while we speak.
        for _ in 0..3 {
            let status = match self.call(sid).await? {
                None => return Ok(()),
                Some(call) if call.is_over() => return Ok(()),
                Some(call) if call.status == "in-progress" => "completed",
                Some(_) => "canceled",
            };
            let url = self.address(&["Calls", &format!("{sid}.json")]);
            let sent = self.send_form(url, &[("Status", status)]).send().await;
            match answered(sent, &[StatusCode::NOT_FOUND]).await {
                Ok(_) => return Ok(()),
                Err(error) => why = error,
            }
        }
        Err(why)
    }

    /// The sound of a recording, from the API and nobody else, whatever address the vendor has told.
    pub async fn fetch(&self, address: &str, sid: &str) -> Result<Bytes, FetchError> {
        if !is_sid(sid) {
            return Err(FetchError::Unusable("a recording has a name that cannot be".to_owned()));
        }
        let told = Url::parse(address).ok().filter(|url| url.origin() == self.settings.api.origin());
        let url = told.unwrap_or_else(|| self.address(&["Recordings", &format!("{sid}.wav")]));
        let sent = self.ask(Method::GET, url).send().await;
        let found = answered(sent, &[StatusCode::NOT_FOUND]).await.map_err(FetchError::Failed)?;
        let response = found.ok_or(FetchError::NotThere)?;
        match bytes(response, LARGEST_SOUND).await {
            Ok(Some(sound)) => Ok(sound),
            Ok(None) => Err(FetchError::Unusable("a recording is larger than any name can be".to_owned())),
            Err(why) => Err(FetchError::Failed(why)),
        }
    }

    /// What was recorded in a call. Where the vendor has no such list, nothing.
    pub async fn recordings(&self, call: &str) -> Result<Vec<String>, String> {
        let url = self.address(&["Calls", call, "Recordings.json"]);
        let none = [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED];
        let Some(response) = answered(self.ask(Method::GET, url).send().await, &none).await? else {
            return Ok(Vec::new());
        };
        let found = read::<Recordings>(response).await?.recordings;
        Ok(found.into_iter().map(|one| one.sid).filter(|sid| is_sid(sid)).collect())
    }

    /// One that is gone already is fine.
    pub async fn delete_recording(&self, sid: &str) -> Result<(), String> {
        if !is_sid(sid) {
            return Ok(());
        }
        let url = self.address(&["Recordings", &format!("{sid}.json")]);
        answered(self.ask(Method::DELETE, url).send().await, &[StatusCode::NOT_FOUND]).await.map(|_| ())
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

//! A fake cloud vendor, written from its documentation: its API, and a person at the other end of each call who follows
//! our TwiML and a script. Signatures and documents are checked with the vendor's own library.

mod api;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
};

use axum::Router;

use super::{
    person::{Act, Person},
    vendor_library::{self, Verb},
};

pub const ACCOUNT: &str = "AC0123456789abcdef0123456789abcdef";
pub const TOKEN: &str = "t0ken/with+signs";
const SIGNING_KEY: &str = "PSK_0123";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Twilio,
    SignalWire,
}

/// The response to a request for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Create {
    Good,
    /// An empty response. Is the call made?
    Fails {
        made: bool,
    },
    /// No response at all. Is the call made?
    Cut {
        made: bool,
    },
    Refuses,
    /// A redirect to another host.
    Redirects,
    /// The call is made, but reported only when the test says so.
    Waits,
}

#[derive(Debug, Clone)]
pub struct Call {
    pub sid: String,
    pub form: Vec<(String, String)>,
    pub status: String,
}

impl Call {
    pub fn given(&self, name: &str) -> &str {
        self.form.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}

#[derive(Debug, Clone)]
pub struct Recording {
    pub call: String,
    pub sound: Vec<u8>,
    /// The number of 404s before it is available.
    pub missing: usize,
    pub fetched: usize,
    pub deleted: bool,
}

pub struct Inner {
    pub calls: Vec<Call>,
    pub recordings: BTreeMap<String, Recording>,
    pub people: VecDeque<Person>,
    pub create: Create,
    /// The number of 404s for a new recording before it is available.
    pub late_by: usize,
    /// The origin in the URLs of recordings, if it is not this one.
    pub recordings_at: Option<String>,
    /// Where requests for recordings are redirected to.
    pub recordings_go_to: Option<String>,
    /// The prompts and texts that people heard.
    pub said: Vec<String>,
    /// The audio that was played.
    pub heard: Vec<Vec<u8>>,
    pub problems: Vec<String>,
    pub updates: Vec<(String, String)>,
    number: usize,
}

#[derive(Clone)]
pub struct Vendor {
    pub api: String,
    pub dialect: Dialect,
    /// A load balancer: requests to the first address go to the second.
    pub reroute: Arc<Mutex<Option<(String, String)>>>,
    pub go_on: Arc<tokio::sync::Notify>,
    inner: Arc<Mutex<Inner>>,
    client: reqwest::Client,
}

impl Vendor {
    pub async fn start(dialect: Dialect) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let vendor = Self {
            api: format!("http://{}", listener.local_addr().unwrap()),
            dialect,
            reroute: Arc::default(),
            go_on: Arc::default(),
            inner: Arc::new(Mutex::new(Inner {
                calls: Vec::new(),
                recordings: BTreeMap::new(),
                people: VecDeque::new(),
                create: Create::Good,
                late_by: 0,
                recordings_at: None,
                recordings_go_to: None,
                said: Vec::new(),
                heard: Vec::new(),
                problems: Vec::new(),
                updates: Vec::new(),
                number: 0,
            })),
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
        };
        let router = Router::new().fallback(api::answer).with_state(vendor.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        vendor
    }

    pub fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    /// The person who is called next.
    pub fn next_person(&self, person: Person) {
        self.inner().people.push_back(person);
    }

    pub fn phone_url(&self) -> String {
        let host = self.api.trim_start_matches("http://");
        let token = TOKEN.replace('/', "%2F").replace('+', "%2B");
        match self.dialect {
            Dialect::Twilio => format!("twilio://{ACCOUNT}:{token}@{host}?from=%2B12025550100&scheme=http"),
            Dialect::SignalWire => format!(
                "signalwire://{ACCOUNT}:{token}@{host}?from=%2B12025550100&scheme=http&signing_key={SIGNING_KEY}"
            ),
        }
    }

    fn key(&self) -> &'static str {
        if self.dialect == Dialect::Twilio { TOKEN } else { SIGNING_KEY }
    }

    pub fn signature_header(&self) -> &'static str {
        if self.dialect == Dialect::Twilio { "X-Twilio-Signature" } else { "X-SignalWire-Signature" }
    }

    fn root(&self) -> String {
        let below = if self.dialect == Dialect::Twilio { "" } else { "/api/laml" };
        format!("{below}/2010-04-01/Accounts/{ACCOUNT}/")
    }

    /// The parameters of every webhook about a call, and these.
    pub fn params(&self, call: &Call, more: &[(&str, &str)]) -> Vec<(String, String)> {
        let known = [
            ("AccountSid", ACCOUNT),
            ("ApiVersion", "2010-04-01"),
            ("CallSid", &call.sid),
            ("CallStatus", &call.status),
            ("Direction", "outbound-api"),
            ("From", call.given("From")),
            ("To", call.given("To")),
        ];
        let kept = known.iter().filter(|(name, _)| !more.iter().any(|(other, _)| other == name));
        kept.chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    /// A signed request, like the vendor's.
    pub async fn post(&self, url: &str, params: &[(String, String)]) -> reqwest::Response {
        let signature = vendor_library::sign(self.key(), url, params).await;
        self.send(url, params, Some(&signature)).await
    }

    /// A request with this signature, or without one.
    pub async fn send(
        &self,
        url: &str,
        params: &[(String, String)],
        signature: Option<&str>,
    ) -> reqwest::Response {
        let goes_to = self.routed(url);
        let mut form = reqwest::Url::parse("http://x/").unwrap();
        form.query_pairs_mut().extend_pairs(params);
        let mut request = self
            .client
            .post(goes_to)
            .header("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
            .body(form.query().unwrap_or_default().to_owned());
        if let Some(signature) = signature {
            request = request.header(self.signature_header(), signature);
        }
        request.send().await.unwrap()
    }

    pub fn call(&self, sid: &str) -> Call {
        self.inner().calls.iter().find(|call| call.sid == sid).unwrap().clone()
    }

    fn set_status(&self, sid: &str, status: &str) -> Call {
        let mut inner = self.inner();
        let call = inner.calls.iter_mut().find(|call| call.sid == sid).unwrap();
        status.clone_into(&mut call.status);
        call.clone()
    }

    fn is_over(&self, sid: &str) -> bool {
        let status = self.call(sid).status;
        ["completed", "canceled", "busy", "no-answer", "failed"].contains(&status.as_str())
    }

    /// Reports the status of a call.
    pub async fn report_status(&self, sid: &str, status: &str, more: &[(&str, &str)]) {
        let call = self.set_status(sid, status);
        let answer = self.post(call.given("StatusCallback"), &self.params(&call, more)).await;
        if !answer.status().is_success() {
            self.inner().problems.push(format!("status {status}: {}", answer.status()));
        }
    }

    /// Fetches a document, which must be valid.
    pub async fn ask(&self, call: &Call, url: &str, more: &[(&str, &str)]) -> Option<Vec<Verb>> {
        let answer = self.post(url, &self.params(call, more)).await;
        let (status, kind) = (answer.status(), answer.headers().get("content-type").cloned());
        let text = answer.text().await.unwrap();
        if status != 200 || !kind.is_some_and(|kind| kind.to_str().unwrap().starts_with("text/xml")) {
            self.inner().problems.push(format!("{url}: {status} {text}"));
            return None;
        }
        Some(vendor_library::read(&text).await)
    }

    /// The whole call, from the first ring to the end.
    async fn play(self, sid: String, person: Person) {
        self.report_status(&sid, "ringing", &[("SequenceNumber", "1")]).await;
        let acts = match person {
            Person::Ends(status, code) => {
                let code = code.map(|code| code.to_string());
                let more: Vec<(&str, &str)> =
                    code.iter().map(|code| ("SipResponseCode", code.as_str())).collect();
                return self.report_status(&sid, status, &more).await;
            }
            Person::Answers(acts) => acts,
            Person::RingsOn => return,
        };
        self.report_status(&sid, "in-progress", &[("SequenceNumber", "2")]).await;
        self.converse(&sid, acts.into()).await;
        if !self.is_over(&sid) {
            let more =
                [("SequenceNumber", "3"), ("CallDuration", "20"), ("CallbackSource", "call-progress-events")];
            self.report_status(&sid, "completed", &more).await;
        }
    }

    async fn converse(&self, sid: &str, mut acts: VecDeque<Act>) {
        let url = self.call(sid).given("Url").to_owned();
        let mut document = self.ask(&self.call(sid), &url, &[]).await;
        while let Some(verbs) = document.take() {
            let mut verbs = verbs.iter().peekable();
            while let Some(verb) = verbs.next() {
                if self.is_over(sid) {
                    return;
                }
                let call = self.call(sid);
                let action = verb.attribute("action");
                match verb.verb.as_str() {
                    "Play" | "Say" => self.listen(verb).await,
                    "Gather" => {
                        for child in &verb.children {
                            self.listen(child).await;
                        }
                        match acts.pop_front() {
                            Some(Act::Presses(key)) => {
                                document = self.ask(&call, action, &[("Digits", &key.to_string())]).await;
                                break;
                            }
                            // Not every vendor has this status.
                            Some(Act::DoesNothing) if self.dialect == Dialect::SignalWire => {}
                            Some(Act::DoesNothing) if verb.attribute("actionOnEmptyResult") == "true" => {
                                document = self.ask(&call, action, &[("Digits", "")]).await;
                                break;
                            }
                            Some(Act::Waits) => return self.go_on.notified().await,
                            None | Some(Act::HangsUp) => return,
                            Some(other) => self.inner().problems.push(format!("{other:?} at a menu")),
                        }
                    }
                    "Record" => match acts.front().cloned() {
                        Some(Act::Says(sound)) => {
                            acts.pop_front();
                            let (recording, url) = self.record(sid, sound);
                            self.tell_recording(&call, verb, &recording, &url).await;
                            let more =
                                [("RecordingUrl", url.as_str()), ("RecordingDuration", "2"), ("Digits", "#")];
                            document = self.ask(&call, action, &more).await;
                            break;
                        }
                        // An empty recording does not count, and the next verb is executed.
                        Some(Act::DoesNothing) => {
                            if verbs.peek().is_none_or(|next| next.verb != "Record") {
                                acts.pop_front();
                            }
                        }
                        Some(Act::SaysAndHangsUp(sound)) => {
                            let (recording, url) = self.record(sid, sound);
                            let call = self.set_status(sid, "completed");
                            let more = [("RecordingUrl", url.as_str()), ("Digits", "hangup")];
                            self.ask(&call, action, &more).await;
                            self.report_status(sid, "completed", &[]).await;
                            self.tell_recording(&call, verb, &recording, &url).await;
                            return;
                        }
                        Some(Act::Waits) => return self.go_on.notified().await,
                        None | Some(Act::HangsUp) => return,
                        Some(other) => self.inner().problems.push(format!("{other:?} at a tone")),
                    },
                    "Redirect" => {
                        document = self.ask(&call, &verb.text, &[]).await;
                        break;
                    }
                    "Hangup" => return,
                    other => self.inner().problems.push(format!("what is {other}?")),
                }
            }
        }
    }

    /// Fetches everything that is played.
    async fn listen(&self, verb: &Verb) {
        if verb.verb == "Play" {
            let answer = self.client.get(self.routed(&verb.text)).send().await.unwrap();
            let (status, sound) = (answer.status(), answer.bytes().await.unwrap());
            if status != 200 || !sound.starts_with(b"RIFF") {
                self.inner().problems.push(format!("{} cannot be played: {status}", verb.text));
            }
            self.inner().heard.push(sound.to_vec());
        }
        self.inner().said.push(verb.text.clone());
    }

    /// The target of a URL.
    fn routed(&self, url: &str) -> String {
        match &*self.reroute.lock().unwrap() {
            Some((from, to)) => url.replace(from, to),
            None => url.to_owned(),
        }
    }

    /// Creates a recording; returns its id and URL.
    pub fn record(&self, call: &str, sound: Vec<u8>) -> (String, String) {
        let mut inner = self.inner();
        inner.number += 1;
        let sid = format!("RE{:032x}", inner.number);
        let recording =
            Recording { call: call.to_owned(), sound, missing: inner.late_by, fetched: 0, deleted: false };
        inner.recordings.insert(sid.clone(), recording);
        let at = inner.recordings_at.clone().unwrap_or_else(|| self.api.clone());
        let url = format!("{at}{}Recordings/{sid}", self.root());
        (sid, url)
    }

    async fn tell_recording(&self, call: &Call, verb: &Verb, sid: &str, url: &str) {
        let more = [
            ("RecordingSid", sid),
            ("RecordingUrl", url),
            ("RecordingStatus", "completed"),
            ("RecordingDuration", "2"),
            ("RecordingChannels", "1"),
            ("RecordingSource", "RecordVerb"),
        ];
        let answer = self.post(verb.attribute("recordingStatusCallback"), &self.params(call, &more)).await;
        if !answer.status().is_success() {
            self.inner().problems.push(format!("recording: {}", answer.status()));
        }
    }

    fn make(&self, form: Vec<(String, String)>) -> (Call, Option<Person>) {
        let mut inner = self.inner();
        inner.number += 1;
        let call = Call { sid: format!("CA{:032x}", inner.number), form, status: "queued".into() };
        inner.calls.push(call.clone());
        (call, inner.people.pop_front())
    }
}

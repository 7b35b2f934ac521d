//! The vendor's API, as documented.

use axum::{
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    response::Response,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use super::{ACCOUNT, Call, Create, Recording, TOKEN, Vendor};

/// The vendor's date format.
#[allow(clippy::disallowed_methods)]
fn now() -> String {
    let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
    now.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string()
}

fn told(status: u16, body: &Value) -> Response {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    response.headers_mut().insert(header::CONTENT_TYPE, "application/json".parse().unwrap());
    response
}

fn complaint(status: u16, code: u32, message: &str) -> Response {
    let more = format!("https://www.twilio.com/docs/errors/{code}");
    told(status, &json!({ "code": code, "message": message, "more_info": more, "status": status }))
}

fn missing() -> Response {
    complaint(404, 20_404, "The requested resource was not found")
}

fn sent_to(address: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
    response.headers_mut().insert(header::LOCATION, address.parse().unwrap());
    response
}

fn is_us(headers: &HeaderMap) -> bool {
    let wanted = format!("Basic {}", BASE64_STANDARD.encode(format!("{ACCOUNT}:{TOKEN}")));
    headers.get("authorization").is_some_and(|given| given == wanted.as_str())
}

pub async fn answer(State(vendor): State<Vendor>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if !is_us(&parts.headers) {
        return complaint(401, 20_003, "Authenticate");
    }
    let body = to_bytes(body, 1 << 20).await.unwrap();
    let pairs = |text: &str| -> Vec<(String, String)> {
        let url = reqwest::Url::parse(&format!("http://x/?{text}")).unwrap();
        url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
    };
    let form = pairs(std::str::from_utf8(&body).unwrap());
    let query = pairs(parts.uri.query().unwrap_or_default());
    let Some(path) = parts.uri.path().strip_prefix(&vendor.root()) else { return missing() };
    let pieces: Vec<&str> = path.split('/').collect();
    match (&parts.method, &pieces[..]) {
        (&Method::POST, ["Calls.json"]) => create(&vendor, form).await,
        (&Method::GET, ["Calls.json"]) => vendor.list(&query),
        (&Method::GET, ["Calls", sid, "Recordings.json"]) => vendor.list_recordings(Some(sid)),
        (&Method::GET, ["Recordings.json"]) => {
            let call = query.iter().find(|(name, _)| name == "CallSid").map(|(_, value)| value.as_str());
            vendor.list_recordings(call)
        }
        (&Method::GET, ["Calls", file]) => {
            let sid = file.trim_end_matches(".json");
            let known = vendor.inner().calls.iter().find(|call| call.sid == sid).cloned();
            known.map_or_else(missing, |call| told(200, &vendor.shown(&call)))
        }
        (&Method::POST, ["Calls", file]) => vendor.update(file.trim_end_matches(".json"), &form),
        (&Method::GET, ["Recordings", file]) => vendor.recording(file),
        (&Method::DELETE, ["Recordings", file]) => {
            let mut inner = vendor.inner();
            match inner.recordings.get_mut(file.trim_end_matches(".json")) {
                Some(recording) if !recording.deleted => {
                    recording.deleted = true;
                    let mut gone = Response::new(Body::empty());
                    *gone.status_mut() = StatusCode::NO_CONTENT;
                    gone
                }
                _ => missing(),
            }
        }
        _ => missing(),
    }
}

async fn create(vendor: &Vendor, form: Vec<(String, String)>) -> Response {
    let how = vendor.inner().create;
    for needed in ["To", "From"] {
        if !form.iter().any(|(name, _)| name == needed) {
            return complaint(400, 21_201, &format!("No '{needed}' number is specified"));
        }
    }
    match how {
        Create::Refuses => {
            let to = form.iter().find(|(name, _)| name == "To").map_or("", |(_, value)| value);
            let message = format!("The phone number you are attempting to call, {to}, is not valid.");
            return complaint(400, 21_211, &message);
        }
        Create::Redirects => return sent_to("http://elsewhere.invalid/"),
        _ => {}
    }
    let is_made = !matches!(how, Create::Fails { made: false } | Create::Cut { made: false });
    let mut shown = Value::Null;
    if is_made {
        let (call, person) = vendor.make(form);
        shown = vendor.shown(&call);
        if let Some(person) = person {
            tokio::spawn(vendor.clone().play(call.sid, person));
        }
    }
    match how {
        Create::Fails { .. } => complaint(500, 20_500, "Internal Server Error"),
        Create::Cut { .. } => {
            // The response is truncated: shorter than its Content-Length.
            let broken = futures_util::stream::iter([Err::<bytes::Bytes, _>(std::io::Error::other("cut"))]);
            let mut response = Response::new(Body::from_stream(broken));
            *response.status_mut() = StatusCode::CREATED;
            response
        }
        Create::Waits => {
            vendor.go_on.notified().await;
            told(201, &shown)
        }
        _ => told(201, &shown),
    }
}

impl Vendor {
    fn shown(&self, call: &Call) -> Value {
        json!({
            "sid": call.sid, "account_sid": ACCOUNT, "api_version": "2010-04-01", "direction": "outbound-api",
            "to": call.given("To"), "to_formatted": call.given("To"), "from": call.given("From"),
            "from_formatted": call.given("From"), "status": call.status, "phone_number_sid": "", "answered_by": null,
            "date_created": now(), "date_updated": now(), "start_time": null, "end_time": null, "duration": null,
            "price": null, "price_unit": "USD", "parent_call_sid": null, "group_sid": null, "forwarded_from": null,
            "caller_name": null, "queue_time": "0", "trunk_sid": null, "annotation": null,
            "uri": format!("{}Calls/{}.json", self.root(), call.sid),
            "subresource_uris": { "recordings": format!("{}Calls/{}/Recordings.json", self.root(), call.sid) },
        })
    }

    fn list(&self, query: &[(String, String)]) -> Response {
        let asked =
            |name: &str| query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let calls: Vec<Value> = {
            let inner = self.inner();
            let to = asked("To");
            let matching = inner.calls.iter().filter(|call| to.is_none_or(|to| call.given("To") == to));
            matching.rev().cloned().collect::<Vec<_>>()
        }
        .iter()
        .map(|call| self.shown(call))
        .collect();
        let uri = format!("{}Calls.json", self.root());
        told(
            200,
            &json!({ "calls": calls, "page": 0, "page_size": 50, "uri": uri, "first_page_uri": uri,
                "next_page_uri": null, "previous_page_uri": null, "start": 0, "end": 0 }),
        )
    }

    fn list_recordings(&self, call: Option<&str>) -> Response {
        let shown = |(sid, recording): (&String, &Recording)| self.shown_recording(sid, recording);
        let inner = self.inner();
        let alive = inner.recordings.iter().filter(|(_, one)| !one.deleted);
        let recordings: Vec<Value> =
            alive.filter(|(_, one)| call.is_none_or(|call| one.call == call)).map(shown).collect();
        told(200, &json!({ "recordings": recordings, "page": 0, "page_size": 50, "next_page_uri": null }))
    }

    fn shown_recording(&self, sid: &str, recording: &Recording) -> Value {
        json!({ "sid": sid, "account_sid": ACCOUNT, "call_sid": recording.call, "status": "completed",
            "duration": "2", "channels": 1, "source": "RecordVerb", "api_version": "2010-04-01",
            "date_created": now(), "date_updated": now(), "start_time": now(), "error_code": null, "price": null,
            "price_unit": "USD", "conference_sid": null, "encryption_details": null, "subresource_uris": {},
            "uri": format!("{}Recordings/{sid}.json", self.root()), "media_url": null })
    }

    fn recording(&self, file: &str) -> Response {
        let mut inner = self.inner();
        if let Some(elsewhere) = &inner.recordings_go_to {
            return sent_to(elsewhere);
        }
        let sid = file.trim_end_matches(".wav").trim_end_matches(".json");
        let Some(recording) = inner.recordings.get_mut(sid).filter(|one| !one.deleted) else {
            return missing();
        };
        if file.ends_with(".json") {
            let recording = recording.clone();
            drop(inner);
            return told(200, &self.shown_recording(sid, &recording));
        }
        if recording.missing > 0 {
            recording.missing -= 1;
            return missing();
        }
        recording.fetched += 1;
        let mut response = Response::new(Body::from(recording.sound.clone()));
        response.headers_mut().insert(header::CONTENT_TYPE, "audio/x-wav".parse().unwrap());
        response
    }

    fn update(&self, sid: &str, form: &[(String, String)]) -> Response {
        let Some(status) = form.iter().find(|(name, _)| name == "Status").map(|(_, value)| value.clone())
        else {
            return complaint(400, 20_001, "Status is needed");
        };
        if !self.inner().calls.iter().any(|call| call.sid == sid) {
            return missing();
        }
        let now = self.call(sid).status;
        let allowed = match status.as_str() {
            "canceled" => ["queued", "ringing"].contains(&now.as_str()),
            "completed" => ["queued", "ringing", "in-progress"].contains(&now.as_str()),
            _ => false,
        };
        if !allowed {
            return complaint(400, 21_220, "Call is not in-progress. Cannot redirect.");
        }
        self.inner().updates.push((sid.to_owned(), status.clone()));
        let call = self.set_status(sid, &status);
        self.go_on.notify_waiters();
        told(200, &self.shown(&call))
    }
}

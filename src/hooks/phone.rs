//! Webhooks of a telephony service: which step of a call is next, status callbacks, and the audio of prompts.

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

use crate::{
    app::{
        App, Error,
        calls::cloud::{self, Answer, WebhookKind},
    },
    http::{
        body::{self, BodyError},
        path::Path,
        reply::Cause,
        routing::{get, post},
    },
    telemetry::metrics,
};

/// A webhook has a few hundred bytes.
const MAX_BYTES: usize = 64 << 10;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/phone/attempts/{attempt}/steps/{number}", post(step))
        .route("/phone/attempts/{attempt}/steps/{number}/silence", post(silence))
        .route("/phone/attempts/{attempt}/status", post(status))
        .route("/phone/attempts/{attempt}/recording", post(recording))
        .route("/phone/attempts/{attempt}/takes/{file}", get(take))
        .route("/phone/prompts/{language}/{file}", get(prompt))
        .route("/phone/prompts/{language}/institutions/{file}", get(name))
}

async fn step(
    State(app): State<App>,
    Path((attempt, number)): Path<(String, String)>,
    request: Request,
) -> Response {
    webhook(&app, &attempt, number.parse().ok().map(WebhookKind::Step), request).await
}

async fn silence(
    State(app): State<App>,
    Path((attempt, number)): Path<(String, String)>,
    request: Request,
) -> Response {
    webhook(&app, &attempt, number.parse().ok().map(WebhookKind::Silence), request).await
}

async fn status(State(app): State<App>, Path(attempt): Path<String>, request: Request) -> Response {
    webhook(&app, &attempt, Some(WebhookKind::Status), request).await
}

async fn recording(State(app): State<App>, Path(attempt): Path<String>, request: Request) -> Response {
    webhook(&app, &attempt, Some(WebhookKind::Recording), request).await
}

async fn webhook(app: &App, attempt: &str, kind: Option<WebhookKind>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    // The body counts as anonymous until its signature is verified, and is held until the response is ready.
    let whole = match body::read_anonymous(MAX_BYTES, &parts.extensions, body).await {
        Ok(whole) => whole,
        Err(fault) => {
            if let BodyError::TooLarge { .. } = fault {
                // A sender that has the key never sends this much.
                metrics::phone_callback("bad_signature");
            }
            return plain(fault.status());
        }
    };
    // An invalid id becomes 0, which no attempt has: the signature is verified before the id is looked up.
    let (attempt, kind) = (attempt.parse().unwrap_or_default(), kind.unwrap_or(WebhookKind::Status));
    let path = parts.uri.path_and_query().map_or("", |path| path.as_str());
    let header =
        |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let request = cloud::Request { path, header: &header, body: &whole.bytes };
    match cloud::handle(app, attempt, kind, request).await {
        Ok(Answer::Document(twiml)) => {
            let mut response = Response::new(Body::from(twiml));
            let xml = HeaderValue::from_static("text/xml; charset=utf-8");
            response.headers_mut().insert(header::CONTENT_TYPE, xml);
            no_store(response)
        }
        Ok(Answer::Accepted) => plain(StatusCode::NO_CONTENT),
        Ok(Answer::Refused) => plain(StatusCode::FORBIDDEN),
        Err(error) => unavailable(&error),
    }
}

/// A prompt. Prompts contain no personal data.
async fn prompt(State(app): State<App>, Path((language, file)): Path<(String, String)>) -> Response {
    sound(&app, language, &file).await
}

/// The spoken name of an institution, from a file or from speech synthesis.
async fn name(State(app): State<App>, Path((language, file)): Path<(String, String)>) -> Response {
    sound(&app, language, &format!("institutions/{file}")).await
}

async fn sound(app: &App, language: String, file: &str) -> Response {
    let file = file.strip_suffix(".wav").unwrap_or_default().to_owned();
    let Some(wav) = cloud::prompt(app, language, file).await else { return plain(StatusCode::NOT_FOUND) };
    let mut response = wav_response(wav.into());
    // Short, because operators may replace prompts.
    let five_minutes = HeaderValue::from_static("public, max-age=300");
    response.headers_mut().insert(header::CACHE_CONTROL, five_minutes);
    response
}

/// The take that was just recorded, played back during the call.
async fn take(State(app): State<App>, Path((attempt, file)): Path<(String, String)>) -> Response {
    let recording = file.strip_suffix(".wav").unwrap_or_default();
    match cloud::listen(&app, attempt.parse().unwrap_or_default(), recording).await {
        Ok(Some(wav)) => no_store(wav_response(wav.into())),
        Ok(None) => plain(StatusCode::NOT_FOUND),
        Err(error) => unavailable(&error),
    }
}

fn wav_response(wav: Body) -> Response {
    let mut response = Response::new(wav);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("audio/wav"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn unavailable(error: &Error) -> Response {
    let mut response = plain(StatusCode::SERVICE_UNAVAILABLE);
    response.extensions_mut().insert(Cause(error.to_string()));
    response
}

fn plain(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    no_store(response)
}

fn no_store(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

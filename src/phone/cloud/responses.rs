//! Responses of the vendor's API, read with size limits. Errors contain no phone numbers and no secrets.

use bytes::Bytes;
use reqwest::{Response, StatusCode};
use serde::Deserialize;

use crate::{domain::moment::Moment, outbound::read_body, phone::masked};

const MAX_RESPONSE: usize = 1 << 20;

/// A call in the vendor's API.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Call {
    pub sid: String,
    #[serde(default)]
    pub status: String,
    #[serde(default)]
    date_created: Option<String>,
    #[serde(default)]
    start_time: Option<String>,
}

impl Call {
    pub fn is_over(&self) -> bool {
        is_final(&self.status)
    }

    /// Some vendors omit it.
    pub fn started_at(&self) -> Option<Moment> {
        let text = self.date_created.as_deref().or(self.start_time.as_deref())?;
        let moment = jiff::fmt::rfc2822::parse(text).map(|zoned| Moment::from_timestamp(zoned.timestamp()));
        moment.ok().or_else(|| Moment::parse(text))
    }
}

/// Is a call with this status over?
pub fn is_final(status: &str) -> bool {
    matches!(status, "completed" | "busy" | "failed" | "no-answer" | "canceled")
}

#[derive(Deserialize)]
pub struct Calls {
    pub calls: Vec<Call>,
}

#[derive(Deserialize)]
pub struct Recordings {
    #[serde(default)]
    pub recordings: Vec<Recording>,
}

#[derive(Deserialize)]
pub struct Recording {
    pub sid: String,
}

#[derive(Deserialize)]
struct VendorError {
    code: Option<serde_json::Value>,
    message: Option<String>,
}

/// The response if it was successful; `None` if its status is one of these.
pub async fn success(
    sent: reqwest::Result<Response>,
    nothing: &[StatusCode],
) -> Result<Option<Response>, String> {
    let response = sent.map_err(|error| cause(&error))?;
    let status = response.status();
    if nothing.contains(&status) {
        return Ok(None);
    }
    if status.is_redirection() {
        return Err(format!("the telephony service sent a redirect ({status}), which is not followed"));
    }
    if status.is_success() { Ok(Some(response)) } else { Err(error_message(response).await) }
}

/// `None` if it is larger than that.
pub async fn bytes(response: Response, most: usize) -> Result<Option<Bytes>, String> {
    let (body, whole) = read_body(response, most).await.map_err(|error| cause(&error))?;
    Ok(whole.then_some(body))
}

pub async fn read<T: for<'de> Deserialize<'de>>(response: Response) -> Result<T, String> {
    let whole = bytes(response, MAX_RESPONSE).await?.ok_or("the response is too large")?;
    serde_json::from_slice(&whole).map_err(|error| format!("invalid response: {error}"))
}

/// The vendor's error message, with numbers masked.
pub async fn error_message(response: Response) -> String {
    let status = response.status();
    match read::<VendorError>(response).await {
        Ok(VendorError { code, message: Some(message) }) => {
            let code = code.map(|code| format!(" ({code})")).unwrap_or_default();
            format!("the cloud says{code}: {}", masked(&message))
        }
        _ => format!("the cloud answers {status}"),
    }
}

/// Without the URL, which contains the account, and with the underlying cause such as "connection refused".
pub fn cause(error: &reqwest::Error) -> String {
    let mut words = if error.is_timeout() { "no answer in time".to_owned() } else { String::new() };
    let mut below = std::error::Error::source(error);
    while let Some(one) = below {
        words = one.to_string();
        below = one.source();
    }
    format!("the cloud cannot be reached: {words}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_vendors_write_them() {
        let call = |date: &str| Call {
            sid: "CA1".into(),
            status: String::new(),
            date_created: Some(date.into()),
            start_time: None,
        };
        let wanted = Moment::parse("2026-11-15T12:00:00Z");
        assert_eq!(call("Sun, 15 Nov 2026 12:00:00 +0000").started_at(), wanted);
        assert_eq!(call("2026-11-15T12:00:00Z").started_at(), wanted);
    }
}

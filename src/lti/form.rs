//! Forms, as platforms and browsers send them.

use std::time::Duration;

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderMap, StatusCode, header},
};
use http_body_util::BodyExt;
use percent_encoding::percent_decode_str;

use crate::{
    api::face::{BodyLimits, Room},
    domain::participant::{Raw, Source},
};

/// A launch is some kilobytes; platforms with many parameters of their own send some more.
const LARGEST_LAUNCH: usize = 128 << 10;
/// A form of our own pages, with notes in any script.
const LARGEST: usize = 512 << 10;
/// Beside a file there is next to nothing in a form.
const AROUND_A_FILE: usize = 64 << 10;
const IN_TIME: Duration = Duration::from_secs(60);
/// What is read of a body that is too large, so that its sender gets to read the answer.
const MOST_THROWN_AWAY: usize = 64 << 20;

/// Names and values.
#[derive(Debug, Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    pub fn from_query(query: &str) -> Self {
        let decode =
            |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key), decode(value))
        });
        Self(pairs.collect())
    }

    /// The first of that name, as it came.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The same, where a blank is as good as nothing.
    pub fn filled(&self, name: &str) -> Option<String> {
        self.get(name).filter(|value| !value.trim().is_empty()).map(str::to_owned)
    }
}

/// A person's entry is read from it as from a request of the API. Browsers end lines with both signs.
impl Source for Form {
    fn get(&self, key: &str) -> Raw<'_> {
        match Form::get(self, key) {
            Some(text) => Raw::Text(text.replace("\r\n", "\n").into()),
            None => Raw::Absent,
        }
    }

    fn custom(&self) -> Vec<(String, Raw<'_>)> {
        Vec::new()
    }
}

/// What a platform sends, before anybody knows who it is.
pub async fn read_launch(request: Request) -> Result<Form, StatusCode> {
    read_at_most(request, LARGEST_LAUNCH).await
}

/// A form as it is sent by itself, without files.
pub async fn read(request: Request) -> Result<Form, StatusCode> {
    read_at_most(request, LARGEST).await
}

async fn read_at_most(request: Request, largest: usize) -> Result<Form, StatusCode> {
    if !is_of(request.headers(), "application/x-www-form-urlencoded") {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let body = collect(request.into_body(), largest).await?;
    let text = std::str::from_utf8(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
    Ok(Form::from_query(text))
}

/// A file, and the room in memory that it has until it is worked on.
pub struct File {
    pub bytes: Vec<u8>,
    /// Was the checkbox beside it ticked?
    pub is_ticked: bool,
    pub room: Room,
}

/// The file under this name; blank when none was chosen. Its memory is counted with that of the API's bodies, so that a body
/// that trickles in keeps nobody waiting whose file there is room for.
pub async fn file(request: Request, name: &str, checkbox: &str, largest: usize) -> Result<File, StatusCode> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let boundary = kind.and_then(boundary).ok_or(StatusCode::UNSUPPORTED_MEDIA_TYPE)?.to_owned();
    let limits = request.extensions().get::<BodyLimits>().cloned().unwrap_or_default();
    let room = limits.room_for(request.headers()).await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    let body = collect(request.into_body(), largest.saturating_add(AROUND_A_FILE)).await?;
    let bytes = part(&body, &boundary, name).ok_or(StatusCode::BAD_REQUEST)?.to_vec();
    // Browsers send a checkbox only when it is ticked.
    let is_ticked = part(&body, &boundary, checkbox).is_some_and(|value| !value.is_empty());
    Ok(File { bytes, is_ticked, room })
}

fn is_of(headers: &HeaderMap, kind: &str) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    given.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(kind)
}

async fn collect(body: Body, largest: usize) -> Result<Bytes, StatusCode> {
    match tokio::time::timeout(IN_TIME, whole(body, largest)).await {
        Ok(whole) => whole,
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

async fn whole(mut body: Body, largest: usize) -> Result<Bytes, StatusCode> {
    let (mut whole, mut seen) = (Vec::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| StatusCode::BAD_REQUEST)?;
        let Some(data) = frame.data_ref() else { continue };
        seen = seen.saturating_add(data.len());
        if seen <= largest {
            whole.extend_from_slice(data);
        } else {
            whole = Vec::new();
        }
        if seen > largest.saturating_add(MOST_THROWN_AWAY) {
            break;
        }
    }
    if seen <= largest { Ok(whole.into()) } else { Err(StatusCode::PAYLOAD_TOO_LARGE) }
}

fn boundary(kind: &str) -> Option<&str> {
    let (word, parameters) = kind.split_once(';')?;
    let mut parameters = parameters.split(';').filter_map(|pair| pair.trim().split_once('='));
    let (_, boundary) = parameters.find(|(name, _)| name.eq_ignore_ascii_case("boundary"))?;
    let boundary = boundary.trim_matches('"');
    let is_form = word.trim().eq_ignore_ascii_case("multipart/form-data");
    (is_form && (1..=70).contains(&boundary.len())).then_some(boundary)
}

/// What a form with files has under a name. By hand: browsers write this one form in one way, and the whole of it is here.
fn part<'a>(body: &'a [u8], boundary: &str, name: &str) -> Option<&'a [u8]> {
    let line = format!("\r\n--{boundary}");
    // The first line has nothing before it.
    let mut rest = body.strip_prefix(&line.as_bytes()[2..])?;
    loop {
        // Two hyphens end it all.
        rest = rest.strip_prefix(b"\r\n")?;
        let head_end = find(rest, b"\r\n\r\n")?;
        let (head, content) = (&rest[..head_end], &rest[head_end + 4..]);
        let end = find(content, line.as_bytes())?;
        if is_named(head, name) {
            return Some(&content[..end]);
        }
        rest = &content[end + line.len()..];
    }
}

fn is_named(head: &[u8], name: &str) -> bool {
    let Ok(head) = std::str::from_utf8(head) else { return false };
    let disposition = head.split("\r\n").find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.trim().eq_ignore_ascii_case("content-disposition").then_some(value)
    });
    let named = format!("name=\"{name}\"");
    disposition.is_some_and(|value| value.split(';').any(|pair| pair.trim() == named))
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"--xyz\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nfile\r\n--xyz\r\n\
        content-disposition: form-data; name=\"file\"; filename=\"na;me.mp3\"\r\nContent-Type: audio/mpeg\r\n\r\n\
        \0\xff\r\n--xy\r\n\r\n--xyz--\r\n";

    #[test]
    fn a_file_is_found_among_the_parts() {
        assert_eq!(part(BODY, "xyz", "file"), Some(&b"\0\xff\r\n--xy\r\n"[..]));
        assert_eq!(part(BODY, "xyz", "note"), Some(&b"file"[..]));
        assert_eq!(part(BODY, "xyz", "other"), None);
        assert_eq!(part(BODY, "abc", "file"), None);
        for end in 0..BODY.len() - 60 {
            let _ = part(&BODY[..end], "xyz", "other");
        }
    }

    #[test]
    fn a_boundary_is_read_from_its_header() {
        assert_eq!(boundary("multipart/form-data; boundary=----WebKit1"), Some("----WebKit1"));
        assert_eq!(boundary("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\""), Some("a b"));
        for other in ["multipart/mixed; boundary=a", "multipart/form-data", "multipart/form-data; boundary="]
        {
            assert_eq!(boundary(other), None, "{other}");
        }
    }

    #[test]
    fn pairs_are_decoded() {
        let form = Form::from_query("a=1+2&b=%C3%A9%26&a=3&c&d=+");
        assert_eq!(form.get("a"), Some("1 2"));
        assert_eq!(form.get("b"), Some("é&"));
        assert_eq!(form.filled("c"), None);
        assert_eq!(form.filled("d"), None);
    }
}

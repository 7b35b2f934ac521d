//! Forms, as platforms and browsers send them.

use axum::{
    body::Bytes,
    extract::Request,
    http::{HeaderMap, StatusCode, header},
};
use percent_encoding::percent_decode_str;

use crate::{
    api::body::{self, Room, Whole},
    domain::participant::{Raw, Source},
};

/// A launch is some kilobytes; platforms with many parameters of their own send some more.
const LARGEST_LAUNCH: usize = 128 << 10;
/// A form of our own pages, with notes in any script.
const LARGEST: usize = 512 << 10;
/// Beside a file there is next to nothing in a form.
const AROUND_A_FILE: usize = 64 << 10;

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

    fn from_body(body: &Bytes) -> Result<Self, StatusCode> {
        std::str::from_utf8(body).map(Self::from_query).map_err(|_| StatusCode::BAD_REQUEST)
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
    let (parts, body) = request.into_parts();
    if !is_form(&parts.headers) {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let read = body::read_unknown(LARGEST_LAUNCH, &parts.extensions, body).await;
    Form::from_body(&read.map_err(body::Fault::status)?.bytes)
}

/// A form of a page of ours, without files.
pub async fn read(request: Request, institution: i64) -> Result<Form, StatusCode> {
    let (parts, body) = request.into_parts();
    if !is_form(&parts.headers) {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let read = body::read_at_most(LARGEST, &parts.extensions, institution, body).await;
    Form::from_body(&read.map_err(body::Fault::status)?.bytes)
}

/// A file, and the room in memory that it has until it is worked on.
pub struct File {
    pub bytes: Vec<u8>,
    /// Was the checkbox beside it ticked?
    pub is_ticked: bool,
    pub room: Room,
}

/// The file under this name; blank when none was chosen.
pub async fn file(
    request: Request,
    institution: i64,
    name: &str,
    checkbox: &str,
    largest: usize,
) -> Result<File, StatusCode> {
    let (parts, body) = request.into_parts();
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let boundary = kind.and_then(boundary).ok_or(StatusCode::UNSUPPORTED_MEDIA_TYPE)?;
    let most = largest.saturating_add(AROUND_A_FILE);
    let read = body::read_at_most(most, &parts.extensions, institution, body).await;
    let Whole { bytes: body, room } = read.map_err(body::Fault::status)?;
    let bytes = part(&body, boundary, name).ok_or(StatusCode::BAD_REQUEST)?.to_vec();
    // Browsers send a checkbox only when it is ticked.
    let is_ticked = part(&body, boundary, checkbox).is_some_and(|value| !value.is_empty());
    Ok(File { bytes, is_ticked, room })
}

fn is_form(headers: &HeaderMap) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
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

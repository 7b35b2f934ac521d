//! Forms with files (`multipart/form-data`).

use axum::{
    body::Bytes,
    extract::Request,
    http::{StatusCode, header},
};
use futures_util::stream;
use multer::Multipart;

use super::body::{self, BufferedBody, Reservation};
use crate::domain::ids::InstitutionId;

/// The size of everything in a form besides the file.
const MAX_OVERHEAD: usize = 64 << 10;
/// Our forms have a handful.
const MAX_FIELDS: usize = 32;

/// The fields of a form with their memory reservation, which is released when the form is dropped.
#[derive(Debug)]
pub struct MultipartForm {
    fields: Vec<(String, Bytes)>,
    _reservation: Reservation,
}

impl MultipartForm {
    /// Reads a form of our own pages in a session of this institution, with up to `largest` bytes of files.
    pub async fn read(
        request: Request,
        institution: InstitutionId,
        largest: usize,
    ) -> Result<Self, StatusCode> {
        let (parts, body) = request.into_parts();
        let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = kind.and_then(|kind| multer::parse_boundary(kind).ok());
        let boundary = boundary.ok_or(StatusCode::UNSUPPORTED_MEDIA_TYPE)?;
        let most = largest.saturating_add(MAX_OVERHEAD);
        let read = body::read_limited(most, &parts.extensions, institution, body).await;
        let BufferedBody { bytes, reservation } = read.map_err(body::BodyError::status)?;
        let fields = fields(bytes, boundary).await.map_err(|_| StatusCode::BAD_REQUEST)?;
        Ok(Self { fields, _reservation: reservation })
    }

    /// Moves the first value of that name out of the form, without a copy. A file input without a file is empty.
    pub fn take(&mut self, name: &str) -> Option<Vec<u8>> {
        let (_, value) = self.fields.iter_mut().find(|(key, _)| key == name)?;
        Some(std::mem::take(value).into())
    }

    /// The first value of that name, if it is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        let (_, value) = self.fields.iter().find(|(key, _)| key == name)?;
        std::str::from_utf8(value).ok()
    }

    /// Browsers send a checkbox only if it is checked.
    pub fn is_ticked(&self, name: &str) -> bool {
        self.fields.iter().any(|(key, value)| key == name && !value.is_empty())
    }
}

async fn fields(body: Bytes, boundary: String) -> multer::Result<Vec<(String, Bytes)>> {
    let mut multipart = Multipart::new(stream::iter([Ok::<_, std::io::Error>(body)]), boundary);
    let mut fields = Vec::new();
    while let Some(field) = multipart.next_field().await? {
        let name = field.name().unwrap_or_default().to_owned();
        let value = field.bytes().await?;
        if fields.len() < MAX_FIELDS {
            fields.push((name, value));
        }
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"--xyz\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nfile\r\n--xyz\r\n\
        content-disposition: form-data; name=\"file\"; filename=\"na;me.mp3\"\r\nContent-Type: audio/mpeg\r\n\r\n\
        \0\xff\r\n--xy\r\n\r\n--xyz--\r\n";

    #[tokio::test]
    async fn a_file_is_found_among_the_parts() {
        let read = fields(Bytes::from_static(BODY), "xyz".to_owned()).await.unwrap();
        let pairs: Vec<(&str, &[u8])> =
            read.iter().map(|(name, value)| (name.as_str(), &value[..])).collect();
        assert_eq!(pairs, [("note", &b"file"[..]), ("file", b"\0\xff\r\n--xy\r\n")]);
        assert!(fields(Bytes::from_static(BODY), "abc".to_owned()).await.is_err());
        for end in 0..BODY.len() - 8 {
            assert!(
                fields(Bytes::from_static(&BODY[..end]), "xyz".to_owned()).await.is_err(),
                "cut at {end}"
            );
        }
    }
}

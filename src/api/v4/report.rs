//! Version 4: a report as it is sent, in each of its forms.

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use futures_util::stream;
use serde_json::Value;

use super::wire;
use crate::http::reply;
use crate::{
    api::{listing::broken, problem::Problem},
    app::{Error, exports::Report},
    domain::{
        custom_field::import_key,
        report::{Gzip, Part, Unpacking, cell, records},
    },
    http::compression::Coding,
};

pub enum Form {
    /// The export, with its report as the last key.
    Json(wire::Export),
    /// Columns by the names of fields, custom ones by their import keys.
    Csv { custom_fields: Vec<String> },
    /// A record in each line.
    Lines,
}

const COLUMNS: [&str; 12] = [
    "first_name",
    "last_name",
    "email",
    "recording_link",
    "event_title",
    "event_slug",
    "event_access_code",
    "institution_id",
    "photo",
    "name_badge_link",
    "phonetic_spelling",
    "notes",
];

impl Form {
    const fn content_type(&self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Json(_) => "application/json; charset=utf-8",
            Self::Csv { .. } => "text/csv; charset=utf-8; header=present",
            Self::Lines => "application/x-ndjson; charset=utf-8",
        })
    }

    /// Under which name a browser keeps it.
    fn file(&self, export: i64) -> Option<String> {
        match self {
            Self::Json(_) => None,
            Self::Csv { .. } => Some(format!("export-{export}.csv")),
            Self::Lines => Some(format!("export-{export}.ndjson")),
        }
    }

    fn before(&self) -> Result<Vec<u8>, Problem> {
        match self {
            Self::Json(export) => {
                let mut text = b"{\"export\":".to_vec();
                serde_json::to_writer(&mut text, export).map_err(broken)?;
                // The closing brace comes behind the report.
                text.pop();
                text.extend_from_slice(b",\"report\":[");
                Ok(text)
            }
            Self::Csv { custom_fields } => {
                let custom = custom_fields.iter().map(|name| import_key(name));
                Ok(row(COLUMNS.into_iter().map(str::to_owned).chain(custom)))
            }
            Self::Lines => Ok(Vec::new()),
        }
    }

    const fn between(&self) -> &'static [u8] {
        if let Self::Json(_) = self { b"," } else { b"" }
    }

    const fn behind(&self) -> &'static [u8] {
        if let Self::Json(_) = self { b"]}}" } else { b"" }
    }

    /// What becomes of whole lines of a part.
    fn write(&self, plain: Vec<u8>) -> Result<Vec<u8>, Problem> {
        let write: &dyn Fn(&[u8]) -> Result<Vec<u8>, Problem> = match self {
            Self::Json(_) => return Ok(plain),
            Self::Lines => &|record| Ok([record, b"\n"].concat()),
            Self::Csv { custom_fields } => &|record| csv_row(record, custom_fields),
        };
        let mut text = Vec::with_capacity(plain.len());
        for record in records(&plain) {
            text.append(&mut write(record)?);
        }
        Ok(text)
    }
}

fn csv_row(record: &[u8], custom_fields: &[String]) -> Result<Vec<u8>, Problem> {
    let record: Value = serde_json::from_slice(record).map_err(broken)?;
    let text = |value: &Value| cell(value.as_str().unwrap_or_default());
    let own = COLUMNS.into_iter().map(|column| text(&record[column]));
    let custom = custom_fields.iter().map(|name| text(&record["custom_objects"][name]));
    Ok(row(own.chain(custom)))
}

fn row(cells: impl Iterator<Item = String>) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        // Programs that read CSV differ in what they take for a separator or a quote.
        .quote_style(csv::QuoteStyle::Always)
        .buffer_capacity(1_024)
        .from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = writer.write_record(cells);
    writer.into_inner().unwrap_or_default()
}

/// Sends a report as it is read.
pub async fn send(report: Report, form: Form, export: i64, coding: Coding) -> Result<Response, Problem> {
    let (kind, file) = (form.content_type(), form.file(export));
    let gzip = (coding == Coding::Gzip).then(Gzip::default);
    let compressed = gzip.is_some();
    let mut sending = Sending { report, form, gzip, place: Place::Before, open: None, line: Vec::new() };
    // The first part decides the status: a fault behind it can only cut the connection.
    let mut first = sending.piece().await?;
    first.extend(sending.piece().await?);
    let pieces = stream::unfold(Some((sending, Some(first))), |state| async {
        let (mut sending, first) = state?;
        if let Some(first) = first {
            return Some((Ok(Bytes::from(first)), Some((sending, None))));
        }
        match sending.piece().await {
            Ok(piece) if piece.is_empty() => None,
            Ok(piece) => Some((Ok(Bytes::from(piece)), Some((sending, None)))),
            Err(problem) => {
                tracing::error!(?problem, "a report was cut short");
                Some((Err(std::io::Error::other("the report was cut short")), None))
            }
        }
    });
    let mut response = reply::raw_json(StatusCode::OK, Body::from_stream(pieces));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind);
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if compressed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let name = file.and_then(|file| HeaderValue::from_str(&format!("attachment; filename=\"{file}\"")).ok());
    if let Some(name) = name {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

struct Sending {
    report: Report,
    form: Form,
    /// Set when it is sent compressed.
    gzip: Option<Gzip>,
    place: Place,
    /// The part that is being taken apart, and the beginning of a line of which the rest is still in it. A slow reader
    /// costs no more memory than these.
    open: Option<Unpacking>,
    line: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    FirstPart,
    OtherParts,
    Behind,
}

impl Sending {
    /// Empty behind the end, and nowhere else.
    async fn piece(&mut self) -> Result<Vec<u8>, Problem> {
        loop {
            let piece = self.next().await?;
            if !piece.is_empty() || self.place == Place::Behind {
                return Ok(piece);
            }
        }
    }

    async fn next(&mut self) -> Result<Vec<u8>, Problem> {
        match (self.place, &mut self.open) {
            (Place::Behind, _) => return Ok(Vec::new()),
            (Place::Before, _) => {
                self.place = Place::FirstPart;
                let before = self.form.before()?;
                let mut piece: Vec<u8> = self.gzip.iter().flat_map(|_| Gzip::HEAD).collect();
                piece.extend(self.text(&before));
                return Ok(piece);
            }
            (_, Some(unpacking)) => match unpacking.piece().map_err(internal)? {
                Some(plain) => return self.written(plain),
                None => self.open = None,
            },
            (_, None) => {}
        }
        let Some(part) = self.report.next().await? else {
            self.place = Place::Behind;
            let mut piece = self.text(self.form.behind());
            piece.extend(self.gzip.take().map(Gzip::end).unwrap_or_default());
            return Ok(piece);
        };
        let between = if self.place == Place::OtherParts { self.form.between() } else { b"" };
        self.place = Place::OtherParts;
        let mut piece = self.text(between);
        match (&mut self.gzip, &self.form) {
            // What is asked for as it lies in the store is sent as it lies there.
            (Some(gzip), Form::Json(_)) => {
                gzip.part(part.sum);
                piece.extend(part.compressed);
            }
            _ => self.open = Some(Unpacking::new(part)),
        }
        Ok(piece)
    }

    fn text(&mut self, text: &[u8]) -> Vec<u8> {
        match &mut self.gzip {
            Some(gzip) => gzip.text(text),
            None => text.to_vec(),
        }
    }

    /// As much of it as has come to the end of a line.
    fn written(&mut self, plain: Vec<u8>) -> Result<Vec<u8>, Problem> {
        self.line.extend(plain);
        let end = self.line.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = self.line.split_off(end);
        let text = self.form.write(std::mem::replace(&mut self.line, rest))?;
        Ok(match &mut self.gzip {
            Some(gzip) if !text.is_empty() => {
                let part = Part::of_text(&text);
                gzip.part(part.sum);
                part.compressed
            }
            _ => text,
        })
    }
}

fn internal(error: std::io::Error) -> Problem {
    Problem::App(Error::Internal(error.to_string()))
}

//! Version 4: export reports in JSON, CSV and NDJSON.

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use futures_util::stream;

use super::wire;
use crate::{
    api::{listing::serialization_error, problem::Problem},
    app::{Error, exports::Report},
    domain::{
        ids::ExportId,
        report::{Decompressor, Gzip, Part, records},
    },
    http::{
        compression::Coding,
        export_rows::{self, Reader},
        reply,
    },
};

pub enum Format {
    /// The export, with the report as its last key.
    Json(wire::Export),
    Csv {
        custom_fields: Vec<String>,
    },
    /// One record per line.
    Ndjson,
}

impl Format {
    const fn content_type(&self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Json(_) => "application/json; charset=utf-8",
            Self::Csv { .. } => "text/csv; charset=utf-8; header=present",
            Self::Ndjson => "application/x-ndjson; charset=utf-8",
        })
    }

    /// The file name for `Content-Disposition`.
    fn file(&self, export: ExportId) -> Option<String> {
        match self {
            Self::Json(_) => None,
            Self::Csv { .. } => Some(format!("export-{export}.csv")),
            Self::Ndjson => Some(format!("export-{export}.ndjson")),
        }
    }

    fn before(&self) -> Result<Vec<u8>, Problem> {
        match self {
            Self::Json(export) => {
                let mut text = b"{\"export\":".to_vec();
                serde_json::to_writer(&mut text, export).map_err(serialization_error)?;
                // The closing brace follows the report.
                text.pop();
                text.extend_from_slice(b",\"report\":[");
                Ok(text)
            }
            Self::Csv { custom_fields } => Ok(export_rows::heading(custom_fields)),
            Self::Ndjson => Ok(Vec::new()),
        }
    }

    const fn between(&self) -> &'static [u8] {
        if let Self::Json(_) = self { b"," } else { b"" }
    }

    const fn behind(&self) -> &'static [u8] {
        if let Self::Json(_) = self { b"]}}" } else { b"" }
    }

    /// Converts whole lines of the stored report.
    fn write(&self, plain: Vec<u8>) -> Result<Vec<u8>, Problem> {
        if let Self::Json(_) = self {
            return Ok(plain);
        }
        let mut text = Vec::with_capacity(plain.len());
        for record in records(&plain) {
            match self {
                Self::Csv { custom_fields } => {
                    let line = export_rows::line(record, custom_fields, Reader::Client);
                    text.append(&mut line.map_err(|error| internal(error.into()))?);
                }
                Self::Json(_) | Self::Ndjson => {
                    text.extend_from_slice(record);
                    text.push(b'\n');
                }
            }
        }
        Ok(text)
    }
}

/// Streams a report while it is read.
pub async fn send(
    report: Report,
    format: Format,
    export: ExportId,
    coding: Coding,
) -> Result<Response, Problem> {
    let (kind, file) = (format.content_type(), format.file(export));
    let gzip = (coding == Coding::Gzip).then(Gzip::default);
    let compressed = gzip.is_some();
    let mut stream_state =
        ReportStream { report, format, gzip, position: Position::Start, open: None, line: Vec::new() };
    // The status is sent with the first chunk: a later error can only abort the connection.
    let mut first = stream_state.chunk().await?;
    first.extend(stream_state.chunk().await?);
    let chunks = stream::unfold(Some((stream_state, Some(first))), |state| async {
        let (mut stream_state, first) = state?;
        if let Some(first) = first {
            return Some((Ok(Bytes::from(first)), Some((stream_state, None))));
        }
        match stream_state.chunk().await {
            Ok(chunk) if chunk.is_empty() => None,
            Ok(chunk) => Some((Ok(Bytes::from(chunk)), Some((stream_state, None)))),
            Err(problem) => {
                tracing::error!(?problem, "report response aborted");
                Some((Err(std::io::Error::other("report response aborted")), None))
            }
        }
    });
    let mut response = reply::raw_json(StatusCode::OK, Body::from_stream(chunks));
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

struct ReportStream {
    report: Report,
    format: Format,
    /// Set if the response is compressed.
    gzip: Option<Gzip>,
    position: Position,
    /// The stored part that is being decompressed, and the incomplete line at its end. A slow reader holds no more
    /// memory than these.
    open: Option<Decompressor>,
    line: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Start,
    FirstPart,
    OtherParts,
    End,
}

impl ReportStream {
    /// The next chunk; empty only at the end.
    async fn chunk(&mut self) -> Result<Vec<u8>, Problem> {
        loop {
            let chunk = self.next().await?;
            if !chunk.is_empty() || self.position == Position::End {
                return Ok(chunk);
            }
        }
    }

    async fn next(&mut self) -> Result<Vec<u8>, Problem> {
        match (self.position, &mut self.open) {
            (Position::End, _) => return Ok(Vec::new()),
            (Position::Start, _) => {
                self.position = Position::FirstPart;
                let before = self.format.before()?;
                let mut chunk: Vec<u8> = self.gzip.iter().flat_map(|_| Gzip::HEAD).collect();
                chunk.extend(self.text(&before));
                return Ok(chunk);
            }
            (_, Some(unpacking)) => match unpacking.piece().map_err(internal)? {
                Some(plain) => return self.written(plain),
                None => self.open = None,
            },
            (_, None) => {}
        }
        let Some(part) = self.report.next().await? else {
            self.position = Position::End;
            let mut chunk = self.text(self.format.behind());
            chunk.extend(self.gzip.take().map(Gzip::end).unwrap_or_default());
            return Ok(chunk);
        };
        let between = if self.position == Position::OtherParts { self.format.between() } else { b"" };
        self.position = Position::OtherParts;
        let mut chunk = self.text(between);
        match (&mut self.gzip, &self.format) {
            // The report is stored as gzip, so JSON is sent without recompressing it.
            (Some(gzip), Format::Json(_)) => {
                gzip.part(part.sum);
                chunk.extend(part.compressed);
            }
            _ => self.open = Some(Decompressor::new(part)),
        }
        Ok(chunk)
    }

    fn text(&mut self, text: &[u8]) -> Vec<u8> {
        match &mut self.gzip {
            Some(gzip) => gzip.text(text),
            None => text.to_vec(),
        }
    }

    /// Converts all complete lines and keeps the rest.
    fn written(&mut self, plain: Vec<u8>) -> Result<Vec<u8>, Problem> {
        self.line.extend(plain);
        let end = self.line.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = self.line.split_off(end);
        let text = self.format.write(std::mem::replace(&mut self.line, rest))?;
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

//! Version 4: exports.

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use futures_util::stream;
use serde_json::Value;

use super::{ROOT, problem, wire};
use crate::{
    api::{
        ask::Ask,
        face,
        listing::{Address, Meta},
        params::Params,
        problem::Problem,
    },
    app::{
        self, App, Error, Missing,
        exports::{Asked, Report},
    },
    domain::{
        export::{Export, State},
        field_errors::FieldErrors,
        report::{Gzip, Part, cell, records},
    },
};

pub async fn create(app: App, ask: Ask) -> Result<Response, Problem> {
    let filters = match ask.json()?.remove("export") {
        None | Some(Value::Null) => Params::default(),
        Some(Value::Object(filters)) => Params::from_json(filters),
        Some(_) => return Err(Problem::Malformed),
    };
    let made = match app::exports::create(&app, ask.institution().id, asked(&filters)).await {
        Err(Error::Invalid(errors)) => return Ok(problem::invalid_export(&errors)),
        other => other?,
    };
    let link = format!("{}{ROOT}/exports/{}", app.links.base(), made.id);
    let export = wire::Export::new(&made, made.state, &ask.institution().time_zone);
    Ok(face::json(StatusCode::ACCEPTED, &wire::Created { export, meta: wire::Link { link } }))
}

fn asked(filters: &Params) -> Asked {
    let mut errors = FieldErrors::default();
    let created_after = filters.moment("created_after", &mut errors);
    let updated_after = filters.moment("updated_after", &mut errors);
    let name_page_id = filters.text("name_page_id").map(|given| given.into_owned());
    if name_page_id.is_none() && !filters.is_blank("name_page_id") {
        // Neither a text nor a number names a page.
        errors.add("name_page_id", "is not found");
    }
    Asked { created_after, updated_after, name_page_id, errors }
}

pub async fn list(app: App, ask: Ask) -> Result<Response, Problem> {
    let mut errors = FieldErrors::default();
    let window = ask.query().window(&mut errors);
    errors.into_result()?;
    let (exports, total) = app::exports::list(&app, ask.institution().id, window).await?;
    let (now, zone) = (app.clock.now(), &ask.institution().time_zone);
    let shown: Vec<_> =
        exports.iter().map(|export| wire::Export::new(export, export.state_at(now), zone)).collect();
    let address = Address::plain(&app, &format!("{ROOT}/exports"), window);
    let meta = Meta::new(&address, total, shown.len() as u64);
    Ok(face::json(StatusCode::OK, &wire::Exports { exports: shown, meta }))
}

/// In which form a report is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    Csv,
    Lines,
}

/// `GET /exports/{id}`, and the same report as `{id}.csv` and `{id}.ndjson`.
pub async fn show(app: App, ask: Ask) -> Result<Response, Problem> {
    let named = ask.path("id");
    let (id, form) = match named.rsplit_once('.') {
        Some((id, "csv")) => (id, Form::Csv),
        Some((id, "ndjson")) => (id, Form::Lines),
        _ => (named, Form::Json),
    };
    let unknown = Error::Missing(Missing::Export);
    let Ok(number) = id.parse::<i64>() else { return Err(unknown.into()) };
    let institution = ask.institution();
    let export = app::exports::find(&app, institution.id, number).await?;
    let state = export.state_at(app.clock.now());
    if state != State::Completed && form != Form::Json {
        return Err(unknown.into());
    }
    let shown = wire::Export::new(&export, state, &institution.time_zone);
    if state != State::Completed {
        return Ok(face::json(StatusCode::OK, &wire::OneExport { export: shown }));
    }
    let report = Report::new(&app, institution.id, &export);
    let pages = match form {
        Form::Json => as_json(&shown)?,
        Form::Csv => as_csv(&export),
        Form::Lines => Sheets { head: Vec::new(), foot: Vec::new(), between: b"", write: Box::new(as_lines) },
    };
    let mut response = sent(report, pages, form, ask.takes_gzip).await?;
    if form != Form::Json {
        let ending = if form == Form::Csv { "csv" } else { "ndjson" };
        let name = format!("attachment; filename=\"export-{}.{ending}\"", export.id);
        if let Ok(name) = HeaderValue::from_str(&name) {
            response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
        }
    }
    Ok(response)
}

/// What stands around the parts of a report, and what becomes of each.
struct Sheets {
    head: Vec<u8>,
    foot: Vec<u8>,
    between: &'static [u8],
    write: Box<dyn Fn(&[u8]) -> Vec<u8> + Send + Sync>,
}

/// The export with its report as the last key.
fn as_json(shown: &wire::Export) -> Result<Sheets, Problem> {
    let mut head = b"{\"export\":".to_vec();
    serde_json::to_writer(&mut head, shown).map_err(crate::api::listing::broken)?;
    // The closing brace moves behind the report.
    head.pop();
    head.extend_from_slice(b",\"report\":[");
    Ok(Sheets { head, foot: b"]}}".to_vec(), between: b",", write: Box::new(<[u8]>::to_vec) })
}

fn as_lines(plain: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(plain.len());
    for record in records(plain) {
        lines.extend_from_slice(record);
        lines.push(b'\n');
    }
    lines
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

/// Columns by the names of fields, custom ones by their import keys.
fn as_csv(export: &Export) -> Sheets {
    let fields = export.custom_fields.clone();
    let custom = fields.iter().map(|name| crate::domain::custom_field::import_key(name));
    let head = row(COLUMNS.into_iter().map(str::to_owned).chain(custom));
    let write = move |plain: &[u8]| {
        let mut sheet = Vec::with_capacity(plain.len());
        for record in records(plain) {
            let record: Value = serde_json::from_slice(record).unwrap_or_default();
            let text = |value: &Value| cell(value.as_str().unwrap_or_default());
            let own = COLUMNS.into_iter().map(|column| text(&record[column]));
            let custom = fields.iter().map(|name| text(&record["custom_objects"][name]));
            sheet.extend(row(own.chain(custom)));
        }
        sheet
    };
    Sheets { head, foot: Vec::new(), between: b"", write: Box::new(write) }
}

fn row(cells: impl Iterator<Item = String>) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = writer.write_record(cells);
    writer.into_inner().unwrap_or_default()
}

/// A body that is made while it is sent.
struct Sending {
    report: Report,
    sheets: std::sync::Arc<Sheets>,
    form: Form,
    /// Set when it is sent compressed.
    gzip: Option<Gzip>,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Head,
    FirstPart,
    Parts,
    End,
}

/// The first piece decides the status: a fault behind it can only cut the connection.
async fn sent(report: Report, sheets: Sheets, form: Form, gzip: bool) -> Result<Response, Problem> {
    let gzip = gzip.then(Gzip::default);
    let compressed = gzip.is_some();
    let mut sending = Sending { report, sheets: sheets.into(), form, gzip, place: Place::Head };
    let mut first = sending.piece().await?;
    first.extend(sending.piece().await?);
    let rest = stream::unfold(Some((sending, Some(first))), |state| async {
        let (mut sending, first) = state?;
        if let Some(first) = first {
            return Some((Ok(Bytes::from(first)), Some((sending, None))));
        }
        if sending.place == Place::End {
            return None;
        }
        match sending.piece().await {
            Ok(piece) => Some((Ok(Bytes::from(piece)), Some((sending, None)))),
            Err(problem) => {
                tracing::error!(?problem, "a report was cut short");
                Some((Err(std::io::Error::other("the report was cut short")), None))
            }
        }
    });
    let mut response = face::raw_json(StatusCode::OK, Body::from_stream(rest));
    let headers = response.headers_mut();
    match form {
        Form::Json => {}
        Form::Csv => {
            let kind = HeaderValue::from_static("text/csv; charset=utf-8; header=present");
            headers.insert(header::CONTENT_TYPE, kind);
        }
        Form::Lines => {
            let kind = HeaderValue::from_static("application/x-ndjson; charset=utf-8");
            headers.insert(header::CONTENT_TYPE, kind);
        }
    }
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if compressed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

impl Sending {
    async fn piece(&mut self) -> Result<Vec<u8>, Problem> {
        if self.place == Place::Head {
            self.place = Place::FirstPart;
            let mut piece = Vec::new();
            if self.gzip.is_some() {
                piece.extend_from_slice(&Gzip::HEAD);
            }
            piece.extend(self.text(&self.sheets.clone().head));
            return Ok(piece);
        }
        let Some(part) = self.report.next().await? else {
            self.place = Place::End;
            let mut piece = self.text(&self.sheets.clone().foot);
            piece.extend(self.gzip.take().map(Gzip::end).unwrap_or_default());
            return Ok(piece);
        };
        let mut piece = Vec::new();
        if self.place == Place::Parts {
            piece = self.text(self.sheets.between);
        }
        self.place = Place::Parts;
        piece.extend(self.part(part).await?);
        Ok(piece)
    }

    fn text(&mut self, text: &[u8]) -> Vec<u8> {
        match &mut self.gzip {
            Some(gzip) => gzip.text(text),
            None => text.to_vec(),
        }
    }

    async fn part(&mut self, mut part: Part) -> Result<Vec<u8>, Problem> {
        // What is asked for as it lies in the store is sent as it lies there.
        if self.form != Form::Json || self.gzip.is_none() {
            let (sheets, compress) = (self.sheets.clone(), self.gzip.is_some());
            let work = move || {
                let plain = (sheets.write)(&part.plain()?);
                Ok(if compress { Part::of_text(&plain) } else { Part { compressed: plain, ..part } })
            };
            let done: std::io::Result<Part> = tokio::task::spawn_blocking(work).await.map_err(internal)?;
            part = done.map_err(internal)?;
        }
        if let Some(gzip) = &mut self.gzip {
            gzip.part(part.sum);
        }
        Ok(part.compressed)
    }
}

fn internal(error: impl std::fmt::Display) -> Problem {
    Problem::App(Error::Internal(error.to_string()))
}

//! The report of an export as a CSV file.

use axum::{body::Bytes, extract::State, response::Response};
use serde::Deserialize;

use crate::{
    app::{
        App, Error, Missing, Result,
        exports::{self, Report},
        streams::Chunks,
    },
    console::visit::Console,
    domain::{
        export::State as ExportState,
        report::{Part, records},
    },
    http::{
        download::{self, Kind},
        export_rows::{self, Reader},
        path::Path,
    },
    tasks,
};

#[derive(Deserialize)]
pub struct ExportPath {
    id: String,
}

/// A report while it is sent.
struct CsvReport {
    report: Report,
    custom_fields: Vec<String>,
    is_begun: bool,
}

impl Chunks for CsvReport {
    async fn next(&mut self) -> Result<Option<Bytes>> {
        if !std::mem::replace(&mut self.is_begun, true) {
            return Ok(Some(export_rows::heading(&self.custom_fields).into()));
        }
        let Some(part) = self.report.next().await? else { return Ok(None) };
        let custom_fields = self.custom_fields.clone();
        let written = tasks::spawn_blocking(move || lines(&part, &custom_fields)).await;
        let written = written.map_err(|error| Error::Internal(error.to_string()))?;
        written.map(|text| Some(text.into())).map_err(|error| Error::Internal(error.to_string()))
    }
}

fn lines(part: &Part, custom_fields: &[String]) -> std::io::Result<Vec<u8>> {
    let plain = part.plain()?;
    let mut text = Vec::with_capacity(plain.len());
    for record in records(&plain) {
        text.append(&mut export_rows::line(record, custom_fields, Reader::Person)?);
    }
    Ok(text)
}

pub async fn send(
    State(app): State<App>,
    console: Console,
    Path(ExportPath { id }): Path<ExportPath>,
) -> Response {
    let sent = open(&app, &console, &id).await;
    sent.unwrap_or_else(|error| console.fault(&app, &error))
}

async fn open(app: &App, console: &Console, id: &str) -> Result<Response> {
    let missing = || Error::Missing(Missing::Export);
    let (actor, institution) = (&console.actor, console.id());
    let id = id.parse().map_err(|_| missing())?;
    let export = exports::find(app, actor, institution, id).await?;
    if export.state_at(app.clock.now()) != ExportState::Completed {
        return Err(missing());
    }
    let report = Report::open(app, actor, institution, &export).await?;
    let file_name = format!("export-{}.csv", export.id);
    let file = CsvReport { report, custom_fields: export.custom_fields, is_begun: false };
    let content_type = "text/csv; charset=utf-8; header=present";
    download::send(file, Kind { content_type, file_name: Some(&file_name), subject: "an export" }).await
}

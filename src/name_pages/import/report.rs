//! The rows of a report: some on the page of their file, all in a file of their own.

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderValue, header},
    response::Response,
};
use futures_util::{StreamExt, stream};

use super::{super::visit::Managed, FilePath, ids, missing};
use crate::{
    app::{
        App, Error,
        imports::{self, ReportRow},
    },
    domain::formula::{BYTE_ORDER_MARK, csv_row},
    http::{field_labels::label_id, notice, path::Path},
    words::Words,
};

pub(super) struct ShownRow {
    pub line: Option<u64>,
    pub who: String,
    pub outcome: String,
    pub is_refused: bool,
    pub details: String,
}

pub(super) fn shown_row(words: Words, row: &ReportRow) -> ShownRow {
    let outcome = match row.outcome.as_str() {
        "created" => "import-row-created",
        "updated" => "import-row-updated",
        "unchanged" => "import-row-unchanged",
        "skipped" => "import-row-skipped",
        _ => "import-row-refused",
    };
    let name = |key: &str| match key.strip_prefix("custom_") {
        Some(custom) => custom.to_owned(),
        None => words.text(label_id(key)),
    };
    let fields: Vec<String> = row.fields.iter().map(|field| name(field)).collect();
    let reason = |reason: &imports::Reason| {
        let id = match reason.kind.as_str() {
            "blank" => "import-reason-blank",
            "taken" => "import-reason-taken",
            "long" => "import-reason-long",
            "control" => "import-reason-control",
            "phone" => "import-reason-phone",
            "text" => return words.text("import-reason-text"),
            "nobody" => return words.text("import-reason-nobody"),
            "twice" => return words.text("import-reason-twice"),
            "sound" => return words.text("import-reason-sound"),
            _ => "import-reason-invalid",
        };
        words.one(id, "field", name(&reason.field).as_str())
    };
    let reasons: Vec<String> = row.reasons.iter().map(reason).collect();
    let details = if reasons.is_empty() { fields.join(", ") } else { reasons.join(" ") };
    ShownRow {
        line: Some(row.line).filter(|line| *line > 0),
        who: row.who.clone(),
        outcome: words.text(outcome),
        is_refused: row.outcome == "refused",
        details,
    }
}

/// All rows of the report as a file. The page shows only some of them.
pub async fn report(
    State(app): State<App>,
    Managed(visit): Managed,
    Path(FilePath { id }): Path<FilePath>,
) -> Response {
    let path = visit.path(&format!("/import/{id}"));
    let Some(actor) = visit.actor.clone() else { return missing(visit.page(&app, &path)) };
    let (here, words) = (ids(&visit), Words::new(visit.language));
    // Until the first part has been read, a failure can be a page.
    let first = imports::report_part(&app, &actor, here, id, 0).await;
    let first = match first.map(|rows| beginning(words, &rows.unwrap_or_default())) {
        Ok(first) => first,
        Err(error) => return notice::fault(visit.page(&app, &path), &error),
    };
    let others = stream::try_unfold(1, move |number| {
        let (app, actor) = (app.clone(), actor.clone());
        async move {
            let rows = imports::report_part(&app, &actor, here, id, number).await?;
            let part = rows.map(|rows| table(rows.iter().map(|row| cells(words, row))));
            Ok::<_, Error>(part.map(|part| (Bytes::from(part), number + 1)))
        }
    });
    let first = stream::once(async move { Ok::<_, Error>(Bytes::from(first)) });
    let mut response = Response::new(Body::from_stream(first.chain(others)));
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"import.csv\""),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    response
}

/// The headings and the first rows.
fn beginning(words: Words, rows: &[ReportRow]) -> String {
    let headings = ["import-row-line", "import-row-who", "import-row-result", "import-row-details"];
    let headings = headings.map(|id| words.text(id));
    let rows = [headings].into_iter().chain(rows.iter().map(|row| cells(words, row)));
    format!("{BYTE_ORDER_MARK}{}", table(rows))
}

fn cells(words: Words, row: &ReportRow) -> [String; 4] {
    let ShownRow { line, who, outcome, details, .. } = shown_row(words, row);
    // Isolates around names are for lines of text.
    let details = details.replace(['\u{2068}', '\u{2069}'], "");
    [line.map(|line| line.to_string()).unwrap_or_default(), who, outcome, details]
}

fn table(rows: impl Iterator<Item = [String; 4]>) -> String {
    rows.map(csv_row).collect()
}

//! The page of an uploaded file.

use askama::Template;

use super::{
    fault_id,
    report::{ShownRow, shown_row},
    state_id,
};
use crate::{
    app::imports::Upload,
    domain::{
        ids::ImportId,
        import::{Counts, Import, ImportState},
    },
    http::{field_labels::label_id, page::Page},
    words::{Arg, Words},
};

#[derive(Template)]
#[template(path = "name_pages/import_file.html")]
pub(super) struct FilePage<'a> {
    page: Page<'a>,
    slug: &'a str,
    title: &'a str,
    id: ImportId,
    /// About the state.
    state: String,
    /// People for whom the import was not undone.
    names: Vec<String>,
    progress: Option<Progress>,
    fault: Option<String>,
    line: u64,
    columns: Vec<Column>,
    /// Of a OneRoster bundle.
    classes: Vec<Choice>,
    recordings: Option<String>,
    counts: Vec<String>,
    unknown: Option<String>,
    numeric_ids: bool,
    rows: Vec<ShownRow>,
    others: Option<String>,
    is_importable: bool,
    /// Which import would be undone, if it can be.
    undo: Option<String>,
    /// Rows have left the file with the people in them.
    removed: Option<String>,
}

struct Progress {
    label: String,
    done: u64,
    total: u64,
}

struct Column {
    heading: String,
    samples: Vec<String>,
    choices: Vec<Choice>,
}

struct Choice {
    value: String,
    label: String,
    is_chosen: bool,
}

pub(super) fn of<'a>(
    page: Page<'a>,
    (slug, title): (&'a str, &'a str),
    upload: &Upload,
    undo: Option<String>,
) -> FilePage<'a> {
    let words = page.words;
    let Upload { import, report, .. } = upload;
    let is_counted = !matches!(import.state, ImportState::Uploaded | ImportState::Failed);
    let counts = if is_counted { counted(words, import) } else { Vec::new() };
    let unknown = (!report.unknown.is_empty())
        .then(|| words.one("import-unknown", "columns", report.unknown.join(", ").as_str()));
    FilePage {
        slug,
        title,
        id: import.id,
        state: words.text(if upload.kept.is_empty() { state_id(import.state) } else { "import-undo-kept" }),
        names: upload.kept.clone(),
        progress: import.rows_total.filter(|total| *total > 0 && import.state.is_busy()).map(|total| {
            // While an import is undone, people are counted who are still changed.
            let is_undoing = import.state == ImportState::Undoing;
            let done = import.counts.done;
            let done = if is_undoing { total.saturating_sub(done) } else { done };
            let args = [("done", Arg::Number(done)), ("total", Arg::Number(total))];
            Progress { label: words.with("import-progress", &args), done, total }
        }),
        fault: import.fault.as_deref().map(|word| words.text(fault_id(word))),
        line: upload.beginning.as_ref().map_or(0, |beginning| beginning.line),
        columns: columns(words, upload),
        classes: classes(words, upload),
        recordings: upload
            .recordings
            .map(|count| words.one("import-recordings", "count", Arg::Number(count as u64))),
        counts,
        unknown,
        numeric_ids: report.numeric_ids > 0,
        rows: report.rows.iter().map(|row| shown_row(words, row)).collect(),
        others: (report.others > 0).then(|| words.one("import-others", "count", Arg::Number(report.others))),
        is_importable: import.state == ImportState::Checked,
        undo,
        removed: (upload.rows_removed > 0)
            .then(|| words.one("import-removed", "count", Arg::Number(upload.rows_removed))),
        page,
    }
}

fn counted(words: Words, import: &Import) -> Vec<String> {
    let Counts { created, updated, unchanged, refused, .. } = import.counts;
    [
        ("import-count-created", created),
        ("import-count-updated", updated),
        ("import-count-unchanged", unchanged),
        ("import-count-refused", refused),
    ]
    .into_iter()
    .filter(|(_, count)| *count > 0)
    .map(|(id, count)| words.one(id, "count", Arg::Number(count)))
    .collect()
}

/// The columns with what they seem to be, or with what somebody has chosen.
fn columns(words: Words, upload: &Upload) -> Vec<Column> {
    let Some(beginning) = &upload.beginning else { return Vec::new() };
    let chosen = match &upload.mapping.by_column {
        Some((line, fields)) if *line == beginning.line => fields,
        _ => &beginning.fields,
    };
    let column = |(at, heading): (usize, &String)| {
        let field = chosen.get(at).and_then(Option::as_ref);
        let choice = |(key, label): &(String, Option<String>)| Choice {
            value: key.clone(),
            label: label.clone().unwrap_or_else(|| words.text(label_id(key))),
            is_chosen: field == Some(key),
        };
        let ignored = Choice {
            value: String::new(),
            label: words.text("import-field-ignore"),
            is_chosen: field.is_none(),
        };
        Column {
            heading: heading.clone(),
            samples: beginning.samples.iter().filter_map(|row| row.get(at).cloned()).collect(),
            choices: [ignored].into_iter().chain(upload.fields.iter().map(choice)).collect(),
        }
    };
    beginning.headings.iter().enumerate().map(column).collect()
}

/// All people of the bundle, or those of one class.
fn classes(words: Words, upload: &Upload) -> Vec<Choice> {
    if upload.classes.is_empty() {
        return Vec::new();
    }
    let chosen = upload.mapping.class.as_ref();
    let all =
        Choice { value: String::new(), label: words.text("import-class-all"), is_chosen: chosen.is_none() };
    let choice = |(id, title): &(String, String)| Choice {
        value: id.clone(),
        label: if title.is_empty() { id.clone() } else { format!("{title} ({id})") },
        is_chosen: chosen == Some(id),
    };
    [all].into_iter().chain(upload.classes.iter().map(choice)).collect()
}

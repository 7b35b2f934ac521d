//! The rows of the lists of exports, imports and jobs.

use jiff::tz::TimeZone;

use crate::{
    app::progress::Rows,
    console::{progress::counted, visit::Nav},
    domain::{
        export::{Export, State as ExportState},
        ids::{ExportId, ImportId, JobId},
        import::{ImportOnPage, ImportState},
        job::{Kind, Listed, State},
        moment::Moment,
    },
    http::when::minute,
    words::{Arg, Words},
};

pub struct ExportRow {
    pub id: ExportId,
    pub requested: String,
    /// Whose people are in it.
    pub what: String,
    pub state: String,
    /// Until when it is kept.
    pub until: String,
    /// How many rows the file has, if that is known.
    pub count: Option<u64>,
    pub is_busy: bool,
    /// How far it is.
    pub rows: Option<Rows>,
    pub download: Option<String>,
}

pub struct ImportRow {
    pub id: ImportId,
    pub began: String,
    pub title: String,
    pub address: String,
    pub file_name: String,
    pub state: String,
    pub done: u64,
    /// If it is at work and the number is known.
    pub total: Option<u64>,
    pub progress: String,
}

pub struct JobRow {
    pub id: JobId,
    pub kind: String,
    pub state: String,
    pub attempts: u32,
    pub began: String,
    /// In the words of the server, for somebody who can mend it.
    pub error: Option<String>,
    pub is_dead: bool,
    /// How far it is.
    pub rows: Option<Rows>,
}

pub fn export(words: Words, zone: &TimeZone, nav: &Nav, export: &Export, now: Moment) -> ExportRow {
    let state = export.state_at(now);
    let id = match state {
        ExportState::Initial => "console-jobs-export-waiting",
        ExportState::InProgress => "console-jobs-export-running",
        ExportState::Completed => "console-jobs-export-done",
        ExportState::Expired => "console-jobs-export-expired",
        ExportState::Failed => "console-jobs-export-failed",
    };
    let rows = match (state, export.people, export.people_total) {
        (ExportState::InProgress, Some(people), Some(total)) => Some(Rows { done: people.min(total), total }),
        _ => None,
    };
    let what = match &export.filters.page {
        Some(page) => page.given.clone(),
        None => words.text("console-jobs-export-all"),
    };
    ExportRow {
        id: export.id,
        requested: minute(export.created_at, zone),
        what,
        state: rows.map_or_else(|| words.text(id), |rows| counted(words, rows)),
        until: minute(export.expires_at, zone),
        count: export.people.filter(|_| state == ExportState::Completed),
        is_busy: matches!(state, ExportState::Initial | ExportState::InProgress),
        rows,
        download: (state == ExportState::Completed)
            .then(|| format!("{}/jobs/exports/{}", nav.home(), export.id)),
    }
}

pub fn import(words: Words, zone: &TimeZone, root: &str, one: &ImportOnPage) -> ImportRow {
    let import = &one.import;
    let id = match import.state {
        ImportState::Uploaded => "console-jobs-import-uploaded",
        ImportState::Checking => "console-jobs-import-checking",
        ImportState::Checked => "console-jobs-import-checked",
        ImportState::Waiting => "console-jobs-import-waiting",
        ImportState::Running => "console-jobs-import-running",
        ImportState::Done => "console-jobs-import-done",
        ImportState::Failed => "console-jobs-import-failed",
        ImportState::Undoing => "console-jobs-import-undoing",
        ImportState::Undone => "console-jobs-import-undone",
    };
    let (done, total) = (import.counts.done, import.rows_total);
    let progress = match total {
        Some(total) => {
            words.with("console-jobs-rows", &[("done", Arg::Number(done)), ("total", Arg::Number(total))])
        }
        None => String::new(),
    };
    ImportRow {
        id: import.id,
        began: minute(import.created_at, zone),
        title: one.title.clone(),
        address: format!("{root}/p/{}/import/{}", one.slug, import.id),
        file_name: import.file_name.clone(),
        state: words.text(id),
        done,
        total: total.filter(|_| import.state.is_busy()),
        progress,
    }
}

/// `rows` is how far it is, if that is known.
pub fn job(words: Words, zone: &TimeZone, job: &Listed, rows: Option<Rows>) -> JobRow {
    let kind = Kind::ALL.iter().find(|kind| kind.name() == job.kind);
    let kind = match kind {
        Some(Kind::BuildExport) => "console-jobs-kind-export",
        Some(Kind::RunImport) => "console-jobs-kind-import",
        Some(Kind::SyncCourse | Kind::SyncDueCourses) => "console-jobs-kind-course",
        Some(Kind::SendMail | Kind::SendBulkMail | Kind::SendReminders) => "console-jobs-kind-message",
        Some(Kind::CopyPeople | Kind::RunPeopleTask) => "console-jobs-kind-people",
        Some(Kind::FetchTake | Kind::HangUp) => "console-jobs-kind-call",
        Some(
            Kind::ScrubExports
            | Kind::RemoveExpired
            | Kind::SweepBlobs
            | Kind::DeleteTakes
            | Kind::RotateLtiKeys
            | Kind::PurgeModeration
            | Kind::Retain
            | Kind::NoteCoverage
            | Kind::IndexPeople
            | Kind::PurgePeople
            | Kind::DeleteInstitution
            | Kind::RenewLinks,
        )
        | None => "console-jobs-kind-other",
    };
    let state = match job.state {
        State::Waiting if job.error.is_some() => "console-jobs-state-again",
        State::Waiting => "console-jobs-state-waiting",
        State::Running => "console-jobs-state-running",
        State::Dead => "console-jobs-state-dead",
    };
    JobRow {
        id: job.id,
        kind: words.text(kind),
        state: match rows.filter(|_| job.state == State::Running) {
            Some(rows) => counted(words, rows),
            None => words.text(state),
        },
        attempts: job.attempts,
        began: minute(job.created_at, zone),
        error: job.error.clone(),
        is_dead: job.state == State::Dead,
        rows: rows.filter(|_| job.state == State::Running),
    }
}

//! Background jobs: enqueued in the transaction that causes them, run by one worker at a time, retried when they fail.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    ids::{
        AttemptId, CourseId, ExportId, ImportId, InstitutionId, JobId, MessageId, NamePageId, PeopleTaskId,
    },
    moment::Moment,
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Job {
    /// Generates the report. Its links start with the base URL of the server that received the request.
    BuildExport { institution: InstitutionId, export: ExportId, base_url: String },
    /// Removes deleted people from stored reports.
    ScrubExports { institution: InstitutionId },
    /// Removes whatever has expired: reports, messages, sessions, sign-ins, keys, entries of the audit log and more.
    #[serde(rename = "expire_exports")]
    RemoveExpired,
    /// Removes files that are no longer referenced.
    SweepBlobs,
    /// Tells a cloud vendor to end an unwanted call and to delete its recordings. The job may outlive the institution.
    HangUp { vendor_call: String, recordings: Vec<String> },
    /// Downloads the take that a person kept in a call made by a cloud vendor, and stores it as their recording.
    FetchTake { institution: InstitutionId, attempt: AttemptId },
    /// Tells a cloud vendor to delete the recordings of a call.
    DeleteTakes { institution: InstitutionId, attempt: AttemptId },
    /// Rotates the LTI tool's signing keys: creates a new key when due and removes old ones.
    RotateLtiKeys,
    /// Synchronizes a course's page with the learning system.
    SyncCourse { institution: InstitutionId, course: CourseId },
    /// Enqueues the synchronization of courses that are due.
    SyncDueCourses,
    /// Deletes recordings that managers rejected or removed 30 days ago.
    PurgeModeration,
    /// Reminds people who were invited and have not recorded.
    SendReminders,
    /// Delivers a message of the outbox.
    SendMail { institution: Option<InstitutionId>, message: MessageId },
    /// Tells people that their recordings will be deleted, and deletes those whose retention has ended.
    Retain,
    /// The same for a message that is one of many.
    SendBulkMail { institution: Option<InstitutionId>, message: MessageId },
    /// Checks or imports a file that somebody uploaded.
    RunImport { institution: InstitutionId, import: ImportId },
    /// Notes how far every name page is today.
    NoteCoverage,
    /// Copies the people of a name page to its copy.
    CopyPeople { institution: InstitutionId, from: NamePageId, to: NamePageId },
    /// Brings the search index of people up to date.
    IndexPeople { institution: InstitutionId },
    /// Does something with many people.
    RunPeopleTask { institution: InstitutionId, task: PeopleTaskId },
    /// Deletes people for good whom somebody deleted 30 days ago.
    PurgePeople,
    /// Goes on with the deletion of an institution, if whoever has begun it was interrupted. The job may outlive the institution.
    DeleteInstitution { institution: InstitutionId },
    /// Renews the links of recordings that anybody could play, after an institution has stopped permitting that.
    RenewLinks { institution: InstitutionId },
}

macro_rules! kinds {
    ($($kind:ident = $name:literal,)*) => {
        /// The name of a job in the database, logs and metrics.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kind {
            $($kind,)*
        }

        impl Kind {
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }
    };
}

kinds! {
    BuildExport = "build_export",
    ScrubExports = "scrub_exports",
    RemoveExpired = "expire_exports",
    SweepBlobs = "sweep_blobs",
    HangUp = "hang_up",
    FetchTake = "fetch_take",
    DeleteTakes = "delete_takes",
    RotateLtiKeys = "rotate_lti_keys",
    SyncCourse = "sync_course",
    SyncDueCourses = "sync_due_courses",
    PurgeModeration = "purge_moderation",
    SendMail = "send_mail",
    SendReminders = "send_reminders",
    Retain = "retain",
    SendBulkMail = "send_bulk_mail",
    RunImport = "run_import",
    NoteCoverage = "note_coverage",
    CopyPeople = "copy_people",
    IndexPeople = "index_people",
    RunPeopleTask = "run_people_task",
    PurgePeople = "purge_people",
    DeleteInstitution = "delete_institution",
    RenewLinks = "renew_links",
}

/// A queue of jobs. A worker serves some lanes or all of them, so that the jobs of one lane cannot starve the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// A person is on the phone or waiting for their recording.
    Interactive,
    Background,
    /// Depends on learning systems, which may be slow and have many courses.
    Sync,
    /// Depends on the mail server. It has workers of its own, which only wait for the network.
    Mail,
    /// The same for thousands of invitations, for which nobody waits.
    BulkMail,
}

impl Lane {
    /// The name of the lane in the table of turns.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Background => "background",
            Self::Sync => "sync",
            Self::Mail => "mail",
            Self::BulkMail => "bulk_mail",
        }
    }

    /// The lanes that share workers.
    pub const SHARED: &'static [Self] = &[Self::Interactive, Self::Background, Self::Sync];

    /// The shared lanes that a worker serves, out of `workers`. Every lane is served, the last worker serves all of them, and if
    /// there are enough workers, the first ones are reserved for the more urgent lanes.
    pub const fn served_by(worker: usize, workers: usize) -> &'static [Self] {
        match (worker, workers) {
            (0, 3..) => &[Self::Interactive],
            (0, 2) | (1, 3..) => &[Self::Interactive, Self::Background],
            _ => Self::SHARED,
        }
    }
}

/// How often a job is retried, and with which backoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The job becomes a dead letter after this many failures.
    pub failures: u32,
    pub first_backoff: Duration,
    pub longest_backoff: Duration,
}

impl RetryPolicy {
    /// Gives up after about an hour.
    pub const STANDARD: Self = Self {
        failures: 10,
        first_backoff: Duration::from_secs(10),
        longest_backoff: Duration::from_secs(20 * 60),
    };

    /// Gives up after about two days: for data that must not be lost or kept because of an outage elsewhere.
    pub const PATIENT: Self = Self {
        failures: 24,
        first_backoff: Duration::from_secs(10),
        longest_backoff: Duration::from_secs(4 * 3_600),
    };

    /// Exponential backoff with jitter: doubles with each failure and adds up to half of it, so that jobs which failed together
    /// are not retried together.
    pub fn backoff(&self, failures: u32, jitter: u16) -> Duration {
        let doubled = self.first_backoff.saturating_mul(1 << failures.saturating_sub(1).min(16));
        let backoff = doubled.min(self.longest_backoff);
        backoff + backoff.mul_f64(f64::from(jitter) / f64::from(u16::MAX) / 2.0)
    }
}

impl Job {
    /// Ends a call that has no known recordings.
    pub const fn hang_up(vendor_call: String) -> Self {
        Self::HangUp { vendor_call, recordings: Vec::new() }
    }

    pub const fn kind(&self) -> Kind {
        match self {
            Self::BuildExport { .. } => Kind::BuildExport,
            Self::ScrubExports { .. } => Kind::ScrubExports,
            Self::RemoveExpired => Kind::RemoveExpired,
            Self::SweepBlobs => Kind::SweepBlobs,
            Self::HangUp { .. } => Kind::HangUp,
            Self::FetchTake { .. } => Kind::FetchTake,
            Self::DeleteTakes { .. } => Kind::DeleteTakes,
            Self::RotateLtiKeys => Kind::RotateLtiKeys,
            Self::SyncCourse { .. } => Kind::SyncCourse,
            Self::SyncDueCourses => Kind::SyncDueCourses,
            Self::PurgeModeration => Kind::PurgeModeration,
            Self::SendMail { .. } => Kind::SendMail,
            Self::SendReminders => Kind::SendReminders,
            Self::Retain => Kind::Retain,
            Self::SendBulkMail { .. } => Kind::SendBulkMail,
            Self::RunImport { .. } => Kind::RunImport,
            Self::NoteCoverage => Kind::NoteCoverage,
            Self::CopyPeople { .. } => Kind::CopyPeople,
            Self::IndexPeople { .. } => Kind::IndexPeople,
            Self::RunPeopleTask { .. } => Kind::RunPeopleTask,
            Self::PurgePeople => Kind::PurgePeople,
            Self::DeleteInstitution { .. } => Kind::DeleteInstitution,
            Self::RenewLinks { .. } => Kind::RenewLinks,
        }
    }

    /// `None` for jobs that do not belong to a tenant.
    pub const fn institution(&self) -> Option<InstitutionId> {
        match self {
            Self::BuildExport { institution, .. }
            | Self::ScrubExports { institution }
            | Self::FetchTake { institution, .. }
            | Self::DeleteTakes { institution, .. }
            | Self::SyncCourse { institution, .. }
            | Self::CopyPeople { institution, .. }
            | Self::RunImport { institution, .. }
            | Self::IndexPeople { institution }
            | Self::RenewLinks { institution }
            | Self::RunPeopleTask { institution, .. } => Some(*institution),
            Self::SendMail { institution, .. } | Self::SendBulkMail { institution, .. } => *institution,
            Self::RemoveExpired
            | Self::SweepBlobs
            | Self::RotateLtiKeys
            | Self::SyncDueCourses
            | Self::SendReminders
            | Self::Retain
            | Self::PurgeModeration
            | Self::NoteCoverage
            | Self::PurgePeople
            | Self::DeleteInstitution { .. }
            | Self::HangUp { .. } => None,
        }
    }

    /// Deduplication key: of the jobs with the same key, only one may be waiting.
    pub fn waiting_key(&self) -> Option<String> {
        match self {
            Self::BuildExport { .. } | Self::HangUp { .. } => None,
            Self::FetchTake { attempt, .. } | Self::DeleteTakes { attempt, .. } => {
                Some(format!("{}:{attempt}", self.kind().name()))
            }
            Self::SyncCourse { course, .. } => Some(format!("{}:{course}", self.kind().name())),
            Self::SendMail { message, .. } | Self::SendBulkMail { message, .. } => {
                Some(format!("{}:{message}", self.kind().name()))
            }
            Self::RunImport { import, .. } => Some(format!("{}:{import}", self.kind().name())),
            Self::CopyPeople { to, .. } => Some(format!("{}:{to}", self.kind().name())),
            Self::RunPeopleTask { task, .. } => Some(format!("{}:{task}", self.kind().name())),
            Self::ScrubExports { institution }
            | Self::IndexPeople { institution }
            | Self::RenewLinks { institution }
            | Self::DeleteInstitution { institution } => {
                Some(format!("{}:{institution}", self.kind().name()))
            }
            Self::RemoveExpired
            | Self::SweepBlobs
            | Self::RotateLtiKeys
            | Self::SyncDueCourses
            | Self::Retain
            | Self::SendReminders
            | Self::NoteCoverage
            | Self::PurgePeople
            | Self::PurgeModeration => Some(self.kind().name().to_owned()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Waiting,
    Running,
    /// A dead letter: given up and kept for an operator to inspect.
    Dead,
}

impl State {
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Running, Self::Dead];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Dead => "dead",
        }
    }
}

/// A job that a worker has claimed. The lease proves ownership: a worker that claims the job later gets a different lease.
#[derive(Debug, Clone)]
pub struct Claim {
    pub id: JobId,
    pub lease: String,
    pub job: Job,
    /// Including this one.
    pub attempts: u32,
    /// Excludes attempts whose worker was killed.
    pub failures: u32,
    /// Set for periodic jobs.
    pub every: Option<Duration>,
}

/// A job as listed for operators.
#[derive(Debug, Clone)]
pub struct Listed {
    pub id: JobId,
    pub institution: Option<String>,
    pub kind: String,
    pub state: State,
    pub attempts: u32,
    /// When it is due, is retried, or is reclaimed from a worker whose lease expired.
    pub run_at: Option<Moment>,
    pub error: Option<String>,
    pub created_at: Moment,
}

/// Upper limit for a job that kills its worker each time and so never counts as failed.
const MAX_ATTEMPTS: u32 = 100;

impl Claim {
    /// Whether it has killed so many workers that it must not run again.
    pub const fn is_poison(&self) -> bool {
        self.attempts > MAX_ATTEMPTS
    }

    /// Whether the job becomes a dead letter if this attempt fails.
    pub const fn is_last_attempt(&self, retry: &RetryPolicy) -> bool {
        self.failures + 1 >= retry.failures || self.attempts >= MAX_ATTEMPTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_a_limit_and_has_jitter() {
        let retry = RetryPolicy::STANDARD;
        assert_eq!(retry.backoff(1, 0), Duration::from_secs(10));
        assert_eq!(retry.backoff(2, 0), Duration::from_secs(20));
        assert_eq!(retry.backoff(1, u16::MAX), Duration::from_secs(15));
        assert_eq!(retry.backoff(u32::MAX, 0), retry.longest_backoff);
        let all: Duration = (1..retry.failures).map(|failures| retry.backoff(failures, 0)).sum();
        assert!(all > Duration::from_secs(3_000) && all < Duration::from_secs(4_500), "{all:?}");
    }

    #[test]
    fn every_lane_has_a_worker_and_the_slow_lane_never_has_all_of_them() {
        for workers in 1..6 {
            let served = |lane| (0..workers).filter(|n| Lane::served_by(*n, workers).contains(lane)).count();
            for lane in Lane::SHARED {
                assert!(served(lane) >= 1, "{lane:?} of {workers}");
            }
            assert!(workers == 1 || served(&Lane::Sync) < served(&Lane::Background), "{workers}");
        }
    }

    /// The rows of an earlier version must stay readable.
    #[test]
    fn every_job_is_stored_under_the_name_of_its_kind() {
        let rows = [
            r#"{"kind":"build_export","institution":7,"export":8,"base_url":"https://names.example.edu"}"#,
            r#"{"kind":"scrub_exports","institution":7}"#,
            r#"{"kind":"expire_exports"}"#,
            r#"{"kind":"sweep_blobs"}"#,
            r#"{"kind":"hang_up","vendor_call":"CA1","recordings":["RE1"]}"#,
            r#"{"kind":"fetch_take","institution":7,"attempt":8}"#,
            r#"{"kind":"delete_takes","institution":7,"attempt":8}"#,
            r#"{"kind":"rotate_lti_keys"}"#,
            r#"{"kind":"sync_course","institution":7,"course":8}"#,
            r#"{"kind":"sync_due_courses"}"#,
            r#"{"kind":"purge_moderation"}"#,
            r#"{"kind":"send_mail","institution":7,"message":8}"#,
            r#"{"kind":"send_reminders"}"#,
            r#"{"kind":"retain"}"#,
            r#"{"kind":"send_bulk_mail","institution":7,"message":8}"#,
            r#"{"kind":"run_import","institution":7,"import":8}"#,
            r#"{"kind":"note_coverage"}"#,
            r#"{"kind":"copy_people","institution":7,"from":8,"to":9}"#,
            r#"{"kind":"index_people","institution":7}"#,
            r#"{"kind":"run_people_task","institution":7,"task":8}"#,
            r#"{"kind":"purge_people"}"#,
            r#"{"kind":"delete_institution","institution":7}"#,
            r#"{"kind":"renew_links","institution":7}"#,
        ];
        assert_eq!(rows.len(), Kind::ALL.len());
        for (row, kind) in rows.into_iter().zip(Kind::ALL) {
            let job: Job = serde_json::from_str(row).unwrap();
            assert_eq!(job.kind(), *kind);
            assert_eq!(serde_json::to_string(&job).unwrap(), row);
            assert!(row.contains(&format!("\"{}\"", kind.name())), "{row}");
        }
    }
}

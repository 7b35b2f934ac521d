//! Work that is done later, by whoever is free: written down together with what causes it, tried again when it fails.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    ids::{AttemptId, CourseId, ExportId, InstitutionId, JobId},
    moment::Moment,
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Job {
    /// Writes the report. Links in it begin with the base URL of the server that was asked.
    BuildExport { institution: InstitutionId, export: ExportId, base_url: String },
    /// Takes deleted people out of reports that are kept.
    ScrubExports { institution: InstitutionId },
    /// Removes reports whose time is over.
    ExpireExports,
    /// Removes files that nobody links to.
    SweepBlobs,
    /// Tells a cloud to end a call that is not wanted any more, and to forget what was recorded in it. It may outlive the
    /// institution.
    HangUp { vendor_call: String, recordings: Vec<String> },
    /// Gives somebody what they have kept in a call that a cloud made.
    FetchTake { institution: InstitutionId, attempt: AttemptId },
    /// Has a cloud forget what was recorded in a call.
    DeleteTakes { institution: InstitutionId, attempt: AttemptId },
    /// Makes the LTI tool a new key in time, and removes old ones.
    RotateLtiKeys,
    /// Brings a course's page to what the learning system says of it.
    SyncCourse { institution: InstitutionId, course: CourseId },
    /// Starts the synchronization of courses whose time has come.
    SyncDueCourses,
}

/// Which jobs a worker takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    All,
    AllButCourses,
}

impl Takes {
    /// The kind that is left to others; no kind is called nothing.
    pub const fn all_but(self) -> &'static str {
        match self {
            Self::All => "",
            Self::AllButCourses => SYNC_COURSE,
        }
    }
}

const SYNC_COURSE: &str = "sync_course";

impl Job {
    /// Ends a call in which nothing is known to be recorded.
    pub const fn hang_up(vendor_call: String) -> Self {
        Self::HangUp { vendor_call, recordings: Vec::new() }
    }

    pub const fn kind(&self) -> &'static str {
        match self {
            Self::BuildExport { .. } => "build_export",
            Self::ScrubExports { .. } => "scrub_exports",
            Self::ExpireExports => "expire_exports",
            Self::SweepBlobs => "sweep_blobs",
            Self::HangUp { .. } => "hang_up",
            Self::FetchTake { .. } => "fetch_take",
            Self::DeleteTakes { .. } => "delete_takes",
            Self::RotateLtiKeys => "rotate_lti_keys",
            Self::SyncCourse { .. } => SYNC_COURSE,
            Self::SyncDueCourses => "sync_due_courses",
        }
    }

    /// `None` where it is everybody's.
    pub const fn institution(&self) -> Option<InstitutionId> {
        match self {
            Self::BuildExport { institution, .. }
            | Self::ScrubExports { institution }
            | Self::FetchTake { institution, .. }
            | Self::DeleteTakes { institution, .. }
            | Self::SyncCourse { institution, .. } => Some(*institution),
            Self::ExpireExports
            | Self::SweepBlobs
            | Self::RotateLtiKeys
            | Self::SyncDueCourses
            | Self::HangUp { .. } => None,
        }
    }

    /// Of those with the same key one is enough, as long as it has not begun.
    pub fn waiting_key(&self) -> Option<String> {
        match self {
            Self::BuildExport { .. } | Self::HangUp { .. } => None,
            Self::FetchTake { attempt, .. } | Self::DeleteTakes { attempt, .. } => {
                Some(format!("{}:{attempt}", self.kind()))
            }
            Self::SyncCourse { course, .. } => Some(format!("{}:{course}", self.kind())),
            Self::ScrubExports { institution } => Some(format!("{}:{institution}", self.kind())),
            Self::ExpireExports | Self::SweepBlobs | Self::RotateLtiKeys | Self::SyncDueCourses => {
                Some(self.kind().to_owned())
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Waiting,
    Running,
    /// Given up: an operator has to look.
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

/// A job that a worker has taken. The lease is its proof: whoever took the job later has another one.
#[derive(Debug, Clone)]
pub struct Held {
    pub id: JobId,
    pub lease: String,
    pub job: Job,
    /// This one among them.
    pub attempts: u32,
    /// Those that ended badly. A worker that was killed has not failed.
    pub failures: u32,
    /// Set for work that comes again and again.
    pub every: Option<Duration>,
}

/// A job as operators see it.
#[derive(Debug, Clone)]
pub struct Listed {
    pub id: JobId,
    pub institution: Option<String>,
    pub kind: String,
    pub state: State,
    pub attempts: u32,
    /// When it comes, comes again, or is taken from a worker that says nothing more.
    pub run_at: Option<Moment>,
    pub error: Option<String>,
    pub created_at: Moment,
}

/// With the pauses below, a job is given up after about an hour.
const MOST_FAILURES: u32 = 10;
/// One that kills its worker each time must end too.
const MOST_ATTEMPTS: u32 = 100;
const FIRST_PAUSE: Duration = Duration::from_secs(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(20 * 60);

impl Held {
    /// Has it killed so many workers that no other should try?
    pub fn is_deadly(&self) -> bool {
        self.attempts > MOST_ATTEMPTS
    }

    /// Is it time to give up, when this attempt fails too?
    pub fn is_last(&self) -> bool {
        self.failures + 1 >= MOST_FAILURES || self.attempts >= MOST_ATTEMPTS
    }
}

/// How long to wait after so many failures: twice as long each time, and up to half of it more by chance, so that what
/// failed together does not come back together.
pub fn pause(failures: u32, chance: u16) -> Duration {
    let doubled = FIRST_PAUSE.saturating_mul(1 << failures.saturating_sub(1).min(16));
    let pause = doubled.min(LONGEST_PAUSE);
    pause + pause.mul_f64(f64::from(chance) / f64::from(u16::MAX) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_an_end_and_differ_by_chance() {
        assert_eq!(pause(1, 0), Duration::from_secs(10));
        assert_eq!(pause(2, 0), Duration::from_secs(20));
        assert_eq!(pause(1, u16::MAX), Duration::from_secs(15));
        assert_eq!(pause(u32::MAX, 0), LONGEST_PAUSE);
        let all: Duration = (1..MOST_FAILURES).map(|failures| pause(failures, 0)).sum();
        assert!(all > Duration::from_secs(3_000) && all < Duration::from_secs(4_500), "{all:?}");
    }

    #[test]
    fn a_job_is_read_back_from_what_is_written_down() {
        let job = Job::BuildExport {
            institution: InstitutionId::new(7),
            export: ExportId::new(8),
            base_url: "https://names.example.edu".into(),
        };
        let text = serde_json::to_string(&job).unwrap();
        assert_eq!(serde_json::from_str::<Job>(&text).unwrap(), job);
        assert!(text.contains(job.kind()));
    }
}

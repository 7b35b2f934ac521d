//! Maps each kind of job to its policy and its functions. The matches are exhaustive, so a new kind does not compile until
//! it is handled everywhere.

use std::time::Duration;

use super::{
    build_export, copy_people, delete_institution, delete_takes, fetch_take, hang_up, index_people,
    note_coverage, purge_moderation, purge_people, remove_expired, renew_links, retain, rotate_lti_keys,
    run_import, run_people_task, scrub_exports, send_mail, send_reminders, sweep_blobs, sync_course,
    sync_due_courses,
};
use crate::{
    app::{App, Result, exports::ReportFormat, page_copies::PeopleCopy},
    domain::{
        ids::JobId,
        job::{Claim, Job, Kind, Lane, RetryPolicy},
        moment::Moment,
    },
    store::{Sql, rolls},
};

/// Which workers run a job, and how it is retried.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    pub lane: Lane,
    pub retry: RetryPolicy,
}

/// The environment in which a job runs.
pub struct Context<'a> {
    pub app: &'a App,
    pub claim: &'a Claim,
    pub report_format: ReportFormat,
    /// The minimum age at which unreferenced (orphaned) files are removed.
    pub orphans_older_than: Duration,
}

/// The outcome of a run that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ran {
    Done,
    /// Only a newer version knows what the job is about: it is left to the workers of that version.
    LeftToNewer,
}

/// A job whose last attempt has failed.
pub struct GivenUp<'a> {
    pub app: &'a App,
    pub claim: &'a Claim,
    pub error: &'a str,
    /// The id for a follow-up job, should one have to be enqueued.
    pub spare_id: JobId,
    pub now: Moment,
}

pub const fn policy(kind: Kind) -> Policy {
    match kind {
        Kind::BuildExport => build_export::POLICY,
        Kind::ScrubExports => scrub_exports::POLICY,
        Kind::RemoveExpired => remove_expired::POLICY,
        Kind::SweepBlobs => sweep_blobs::POLICY,
        Kind::HangUp => hang_up::POLICY,
        Kind::FetchTake => fetch_take::POLICY,
        Kind::DeleteTakes => delete_takes::POLICY,
        Kind::RotateLtiKeys => rotate_lti_keys::POLICY,
        Kind::SyncCourse => sync_course::POLICY,
        Kind::SyncDueCourses => sync_due_courses::POLICY,
        Kind::PurgeModeration => purge_moderation::POLICY,
        Kind::SendMail => send_mail::POLICY,
        Kind::SendReminders => send_reminders::POLICY,
        Kind::Retain => retain::POLICY,
        Kind::SendBulkMail => send_mail::BULK_POLICY,
        Kind::RunImport => run_import::POLICY,
        Kind::NoteCoverage => note_coverage::POLICY,
        Kind::CopyPeople => copy_people::POLICY,
        Kind::IndexPeople => index_people::POLICY,
        Kind::RunPeopleTask => run_people_task::POLICY,
        Kind::PurgePeople => purge_people::POLICY,
        Kind::DeleteInstitution => delete_institution::POLICY,
        Kind::RenewLinks => renew_links::POLICY,
    }
}

/// Returns the kinds of jobs in these lanes, each with its lane.
pub(super) fn in_lanes(lanes: &[Lane]) -> Vec<(Kind, Lane)> {
    let with_lane = |kind: &Kind| (*kind, policy(*kind).lane);
    Kind::ALL.iter().map(with_lane).filter(|(_, lane)| lanes.contains(lane)).collect()
}

pub async fn run(context: &Context<'_>) -> Result<Ran> {
    let done: Result<()> = match &context.claim.job {
        Job::BuildExport { institution, export, base_url } => {
            build_export::run(context, *institution, *export, base_url).await
        }
        Job::ScrubExports { institution } => scrub_exports::run(context, *institution).await,
        Job::RemoveExpired => remove_expired::run(context).await,
        Job::SweepBlobs => sweep_blobs::run(context).await,
        Job::HangUp { vendor_call, recordings } => hang_up::run(context, vendor_call, recordings).await,
        Job::FetchTake { institution, attempt } => fetch_take::run(context, *institution, *attempt).await,
        Job::DeleteTakes { institution, attempt } => delete_takes::run(context, *institution, *attempt).await,
        Job::RotateLtiKeys => rotate_lti_keys::run(context).await,
        Job::SyncCourse { institution, course } => sync_course::run(context, *institution, *course).await,
        Job::SyncDueCourses => sync_due_courses::run(context).await,
        Job::PurgeModeration => purge_moderation::run(context).await,
        Job::SendMail { institution, message } | Job::SendBulkMail { institution, message } => {
            return send_mail::run(context, *institution, *message).await;
        }
        Job::SendReminders => send_reminders::run(context).await,
        Job::Retain => retain::run(context).await,
        Job::RunImport { institution, import } => run_import::run(context, *institution, *import).await,
        Job::NoteCoverage => note_coverage::run(context).await,
        Job::CopyPeople { institution, from, to } => {
            let copy = PeopleCopy { institution: *institution, from: *from, to: *to };
            copy_people::run(context, copy).await
        }
        Job::IndexPeople { institution } => index_people::run(context, *institution).await,
        Job::RunPeopleTask { institution, task } => run_people_task::run(context, *institution, *task).await,
        Job::PurgePeople => purge_people::run(context).await,
        Job::DeleteInstitution { institution } => delete_institution::run(context, *institution).await,
        Job::RenewLinks { institution } => renew_links::run(context, *institution).await,
    };
    done.map(|()| Ran::Done)
}

/// Takes the lock that `give_up` needs. As everywhere, it comes before the lock of the job's row.
pub(super) async fn lock(sql: &mut Sql, job: &Job) -> Result<()> {
    if let Some(institution) = job.institution() {
        rolls::lock(sql, institution).await?;
    }
    Ok(())
}

/// Cleans up after a dead-lettered job, in the same transaction. Returns the blobs of reports that are no longer referenced.
pub(super) async fn give_up(sql: &mut Sql, given_up: &GivenUp<'_>) -> Result<Vec<String>> {
    match &given_up.claim.job {
        Job::BuildExport { institution, export, .. } => {
            return build_export::give_up(sql, given_up, *institution, *export).await;
        }
        Job::FetchTake { institution, attempt } => {
            fetch_take::give_up(sql, given_up, *institution, *attempt).await?
        }
        Job::SyncCourse { institution, course } => {
            sync_course::give_up(sql, given_up, *institution, *course).await?;
        }
        Job::SendMail { institution, message } | Job::SendBulkMail { institution, message } => {
            send_mail::give_up(sql, given_up, *institution, *message).await?;
        }
        Job::RunImport { institution, import } => run_import::give_up(sql, *institution, *import).await?,
        Job::RunPeopleTask { institution, task } => {
            run_people_task::give_up(sql, *institution, *task).await?;
        }
        // Nothing waits for these, so the dead letter is all that remains.
        Job::ScrubExports { .. }
        | Job::HangUp { .. }
        | Job::DeleteTakes { .. }
        | Job::CopyPeople { .. }
        | Job::IndexPeople { .. }
        | Job::RenewLinks { .. }
        | Job::DeleteInstitution { .. } => {}
        // Periodic jobs never become dead letters.
        Job::RemoveExpired
        | Job::SweepBlobs
        | Job::RotateLtiKeys
        | Job::SyncDueCourses
        | Job::Retain
        | Job::PurgeModeration
        | Job::NoteCoverage
        | Job::PurgePeople
        | Job::SendReminders => {}
    }
    Ok(Vec::new())
}

/// Prepares a dead letter for another run, in the transaction that requeues it.
pub(super) async fn revive(sql: &mut Sql, job: &Job, now: Moment) -> Result<()> {
    match job {
        Job::SendMail { institution, message } | Job::SendBulkMail { institution, message } => {
            send_mail::revive(sql, *institution, *message, now).await
        }
        Job::BuildExport { .. }
        | Job::ScrubExports { .. }
        | Job::RemoveExpired
        | Job::SweepBlobs
        | Job::HangUp { .. }
        | Job::FetchTake { .. }
        | Job::DeleteTakes { .. }
        | Job::RotateLtiKeys
        | Job::SyncCourse { .. }
        | Job::SyncDueCourses
        | Job::Retain
        | Job::PurgeModeration
        | Job::NoteCoverage
        | Job::SendReminders
        | Job::CopyPeople { .. }
        | Job::RunImport { .. }
        | Job::IndexPeople { .. }
        | Job::RunPeopleTask { .. }
        | Job::DeleteInstitution { .. }
        | Job::RenewLinks { .. }
        | Job::PurgePeople => Ok(()),
    }
}

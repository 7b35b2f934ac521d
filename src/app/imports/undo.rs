//! Undoes the last import of a page, within a day and as long as nobody has changed what it brought. People whom it created are deleted,
//! with the recordings that it brought for them; people whom it changed become what they were before. A recording that it brought for
//! somebody without one is deleted. One that it replaced is gone, so that such an import cannot be undone. The job of the import completes
//! an undo that was interrupted.

use std::{collections::HashMap, time::Duration};

use super::{
    super::{
        Actor, App, Error, Result,
        audit::{self, Record},
        jobs, media, persons,
    },
    author, begun,
};
use crate::{
    domain::{
        audit::{Act, SubjectKind},
        ids::{ImportId, InstitutionId, JobId, NamePageId, ParticipantId},
        import::{Before, Import, ImportState},
        job::Job,
        media::{Kind, Media},
        moment::Moment,
        participant::{CustomValues, Draft, LegalNames},
    },
    store::{
        self, Sql, custom_fields,
        imports::{self, Change},
        participants,
        persons::Registration,
        rolls, stored_json,
    },
};

/// How long an import can be undone, in days.
pub(super) const UNDO_DAYS: i64 = 1;
/// People per transaction.
const GROUP: i64 = 200;
/// Names of people who stand in the way.
pub(super) const MOST_NAMES: i64 = 50;
/// A command undoes an import itself. When it was killed, a job completes it.
const TAKEN_OVER_AFTER: Duration = Duration::from_secs(600);
/// The fault of an import of which a part may be undone.
const FAULT: &str = "undo";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undone {
    Done {
        deleted: u64,
        restored: u64,
        /// Somebody changed them while the import was being undone.
        kept: Vec<String>,
    },
    /// There is no import, or it has been undone.
    Nothing,
    TooLate,
    /// Names of people who were changed since, not necessarily all.
    Changed(Vec<String>),
    /// It replaced recordings.
    Replaced,
}

/// The import that `undo` would undo.
pub(super) async fn undoable(
    app: &App,
    institution: InstitutionId,
    page: NamePageId,
) -> Result<Option<ImportId>> {
    let last = imports::last_changing(&mut app.db.read(), institution, page).await?;
    let now = app.clock.now();
    let is_undoable = |import: &Import| {
        import.has_changed() && import.state != ImportState::Undoing && !is_late(import.created_at, now)
    };
    Ok(last.filter(is_undoable).map(|import| import.id))
}

fn is_late(created_at: Moment, now: Moment) -> bool {
    created_at.plus_days(UNDO_DAYS) < now
}

/// Undoes the last import of a page, and waits for it.
pub async fn undo(app: &App, actor: &Actor, institution: InstitutionId, page: NamePageId) -> Result<Undone> {
    let import = match begin(app, actor, (institution, page), None, TAKEN_OVER_AFTER).await? {
        Ok(import) => import,
        Err(refused) => return Ok(refused),
    };
    let (deleted, restored) = complete(app, (institution, page), import).await?;
    let kept = imports::touched(&mut app.db.read(), institution, import, MOST_NAMES).await?;
    Ok(Undone::Done { deleted, restored, kept })
}

/// Lets a job undo this import, if it is the last one of its page. The inner error says why it cannot be undone.
pub async fn start_undo(
    app: &App,
    actor: &Actor,
    (institution, page): (InstitutionId, NamePageId),
    wanted: ImportId,
) -> Result<Result<ImportId, Undone>> {
    let begun = begin(app, actor, (institution, page), Some(wanted), Duration::ZERO).await?;
    app.queue.wake();
    Ok(begun)
}

/// Undoes what is left, in groups. It can be interrupted and repeated, and two may do it at a time. Returns how many people were deleted
/// and restored.
pub(super) async fn complete(
    app: &App,
    (institution, page): (InstitutionId, NamePageId),
    import: ImportId,
) -> Result<(u64, u64)> {
    let (mut deleted, mut restored) = (0, 0);
    let who = author(&mut app.db.read(), &Actor::System, institution, import).await?;
    loop {
        let (now, owned_app) = (app.clock.now(), app.clone());
        let record = Record::by(app, who.clone(), institution, Act::ParticipantDeleted);
        let (done, gone) = app
            .db
            .write::<_, Error>(move |sql| {
                Box::pin(async move {
                    rolls::lock(sql, institution).await?;
                    let start = ParticipantId::new(i64::MIN);
                    let changes = imports::untouched(sql, institution, import, start, GROUP).await?;
                    if changes.is_empty() {
                        let states = (ImportState::Undoing, ImportState::Undone);
                        imports::finish(sql, institution, import, states, (None, None)).await?;
                        return Ok((None, Vec::new()));
                    }
                    let (counts, gone) =
                        revert(sql, &owned_app, &record, (institution, page, import), changes, now).await?;
                    imports::advance_undo(sql, institution, import, counts.0 + counts.1).await?;
                    Ok((Some(counts), gone))
                })
            })
            .await?;
        media::discard_now(app, institution, &gone).await;
        let Some((some_deleted, some_restored)) = done else { break };
        deleted += some_deleted;
        restored += some_restored;
    }
    app.queue.wake();
    Ok((deleted, restored))
}

/// Marks the last import as being undone, and enqueues the job that completes it if whoever has begun does not.
async fn begin(
    app: &App,
    actor: &Actor,
    (institution, page): (InstitutionId, NamePageId),
    wanted: Option<ImportId>,
    job_after: Duration,
) -> Result<Result<ImportId, Undone>> {
    actor.manage(institution, page)?;
    super::require_writable(app, institution, page).await?;
    let now = app.clock.now();
    let job = app.ids.id::<JobId>(now);
    let (record, who) = (Record::new(app, actor, institution, Act::ImportUndone), actor.who());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let import = match check(sql, institution, page, now).await? {
                    Ok(import) if wanted.is_none_or(|wanted| wanted == import) => import,
                    // Somebody has imported another file since they looked.
                    Ok(_) => return Ok(Err(Undone::Nothing)),
                    Err(refused) => return Ok(Err(refused)),
                };
                imports::begin_undo(sql, institution, import).await?;
                begun(sql, &who, record.about(SubjectKind::Import, import, ""), import).await?;
                let run = Job::RunImport { institution, import };
                jobs::enqueue(sql, job, &run, now.plus(job_after), now).await?;
                Ok(Ok(import))
            })
        })
        .await
}

/// The import that can be undone, even if it still runs.
async fn check(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    now: Moment,
) -> Result<Result<ImportId, Undone>> {
    let last = imports::last_changing(sql, institution, page).await?;
    let Some(last) = last.filter(|import| import.has_changed()) else {
        return Ok(Err(Undone::Nothing));
    };
    // What was begun is completed.
    if last.state == ImportState::Undoing || last.fault.as_deref() == Some(FAULT) {
        return Ok(Ok(last.id));
    }
    if is_late(last.created_at, now) {
        return Ok(Err(Undone::TooLate));
    }
    let names = imports::touched(sql, institution, last.id, MOST_NAMES).await?;
    if !names.is_empty() {
        return Ok(Err(Undone::Changed(names)));
    }
    if imports::has_replaced(sql, institution, last.id).await? {
        return Ok(Err(Undone::Replaced));
    }
    Ok(Ok(last.id))
}

/// After the job has failed for the last time: the import is there, at least in part, and somebody can undo it again.
pub(super) async fn give_up(sql: &mut Sql, institution: InstitutionId, import: ImportId) -> Result<()> {
    let states = (ImportState::Undoing, ImportState::Done);
    imports::finish(sql, institution, import, states, (None, Some(FAULT))).await?;
    Ok(())
}

/// Returns how many people were deleted and restored, and the media whose files must be removed.
async fn revert(
    sql: &mut Sql,
    app: &App,
    record: &Record,
    (institution, page, import): (InstitutionId, NamePageId, ImportId),
    changes: Vec<Change>,
    now: Moment,
) -> Result<((u64, u64), Vec<Media>)> {
    let (created, changed): (Vec<Change>, Vec<Change>) =
        changes.into_iter().partition(|change| change.before.is_none());
    let registrations: Vec<Registration> =
        created.iter().map(|change| Registration { id: change.participant, page, hidden: false }).collect();
    let mut gone = match registrations.is_empty() {
        true => Vec::new(),
        false => persons::delete_in(sql, app, record, &registrations, now).await?,
    };
    let ids: Vec<ParticipantId> = changed.iter().map(|change| change.participant).collect();
    let found = participants::by_ids(sql, institution, &ids).await?;
    let mut people: HashMap<_, _> = found.into_iter().map(|person| (person.id, person)).collect();
    let fields = if ids.is_empty() { Vec::new() } else { custom_fields::all(sql, institution).await? };
    let mut records = Vec::with_capacity(ids.len());
    for Change { participant, before, recording } in &changed {
        let (Some(mut person), Some(before)) = (people.remove(participant), before) else { continue };
        let before: Before = stored_json(("import_changes", "before", *participant), before)?;
        let old = audit::of_participant(&person, &fields);
        person.take_texts(&mut Draft::read(&before, LegalNames::Permitted));
        person.custom = CustomValues(before.custom.clone());
        person.custom_changed_at = before.custom_changed_at.map(Moment::from_micros);
        let phone_number = Some(before.phone_number.as_deref());
        participants::update(sql, institution, &person, phone_number, now).await?;
        let record = record.then(&app.ids, Act::ParticipantUpdated).participant(&person);
        records.push(record.change(old, audit::of_participant(&person, &fields)));
        if recording.is_some() {
            gone.extend(store::media::detach(sql, institution, *participant, Kind::Recording, now).await?);
        }
    }
    audit::write(sql, &records).await?;
    imports::forget_changes(sql, institution, import, &ids).await?;
    Ok(((registrations.len() as u64, ids.len() as u64), gone))
}

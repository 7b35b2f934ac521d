//! Undoes the last import of a page, within a day and as long as nobody has changed what it brought. People whom it created are deleted,
//! with the recordings that it brought for them; people whom it changed become what they were before. A recording that it brought for
//! somebody without one is deleted. One that it replaced is gone, so that such an import cannot be undone.

use std::collections::HashMap;

use super::super::{Actor, App, Error, Result, media, persons};
use crate::{
    domain::{
        ids::{ImportId, InstitutionId, NamePageId, ParticipantId},
        import::{Before, ImportState},
        media::{Kind, Media},
        moment::Moment,
        participant::{CustomValues, Draft, LegalNames},
    },
    store::{
        self, Sql,
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
const MOST_NAMES: i64 = 50;

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
    Ok(last.filter(|import| import.has_changed() && !is_late(import.created_at, now)).map(|import| import.id))
}

fn is_late(created_at: Moment, now: Moment) -> bool {
    created_at.plus_days(UNDO_DAYS) < now
}

pub async fn undo(app: &App, actor: &Actor, institution: InstitutionId, page: NamePageId) -> Result<Undone> {
    actor.manage(institution, page)?;
    super::require_writable(app, institution, page).await?;
    let now = app.clock.now();
    let begun = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                begin(sql, institution, page, now).await
            })
        })
        .await?;
    let import = match begun {
        Ok(import) => import,
        Err(refused) => return Ok(refused),
    };
    let (mut deleted, mut restored) = (0, 0);
    loop {
        let (now, owned_app) = (app.clock.now(), app.clone());
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
                        revert(sql, &owned_app, (institution, page, import), changes, now).await?;
                    Ok((Some(counts), gone))
                })
            })
            .await?;
        media::discard(app, institution, &gone).await;
        let Some((some_deleted, some_restored)) = done else { break };
        deleted += some_deleted;
        restored += some_restored;
    }
    app.queue.wake();
    let kept = imports::touched(&mut app.db.read(), institution, import, MOST_NAMES).await?;
    Ok(Undone::Done { deleted, restored, kept })
}

/// Checks that the import can be undone, and ends it if it still runs.
async fn begin(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    now: Moment,
) -> Result<Result<ImportId, Undone>> {
    let last = imports::last_changing(sql, institution, page).await?;
    let Some(last) = last.filter(|import| import.has_changed()) else {
        return Ok(Err(Undone::Nothing));
    };
    if is_late(last.created_at, now) {
        return Ok(Err(Undone::TooLate));
    }
    let names = imports::touched(sql, institution, last.id, MOST_NAMES).await?;
    if !names.is_empty() && last.state != ImportState::Undoing {
        return Ok(Err(Undone::Changed(names)));
    }
    if imports::has_replaced(sql, institution, last.id).await? {
        return Ok(Err(Undone::Replaced));
    }
    let from = [ImportState::Running, ImportState::Done, ImportState::Failed, ImportState::Undoing];
    imports::change_state(sql, institution, last.id, &from, ImportState::Undoing).await?;
    Ok(Ok(last.id))
}

/// Returns how many people were deleted and restored, and the media whose files must be removed.
async fn revert(
    sql: &mut Sql,
    app: &App,
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
        false => persons::delete_in(sql, app, institution, &registrations, now).await?,
    };
    let ids: Vec<ParticipantId> = changed.iter().map(|change| change.participant).collect();
    let found = participants::by_ids(sql, institution, &ids).await?;
    let mut people: HashMap<_, _> = found.into_iter().map(|person| (person.id, person)).collect();
    for Change { participant, before, recording } in &changed {
        let (Some(mut person), Some(before)) = (people.remove(participant), before) else { continue };
        let before: Before = stored_json(("import_changes", "before", *participant), before)?;
        person.take_texts(&mut Draft::read(&before, LegalNames::Permitted));
        person.custom = CustomValues(before.custom.clone());
        person.custom_changed_at = before.custom_changed_at.map(Moment::from_micros);
        let phone_number = Some(before.phone_number.as_deref());
        participants::update(sql, institution, &person, phone_number, now).await?;
        if recording.is_some() {
            gone.extend(store::media::detach(sql, institution, *participant, Kind::Recording, now).await?);
        }
    }
    imports::forget_changes(sql, institution, import, &ids).await?;
    Ok(((registrations.len() as u64, ids.len() as u64), gone))
}

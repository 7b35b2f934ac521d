//! Deleting people in the console, and undoing it. A deleted entry moves to `hidden_participants`, like that of somebody who has left a
//! course (ADR 14): it is in no list, lookup, count or report, and its links are dead. It can be restored for 30 days, as it was. Then a
//! job deletes it for good. Whoever wants to be erased is erased at once (`persons.rs`), also if somebody has deleted them before.

use std::collections::{BTreeMap, HashMap};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
    calls::{self, CallChange},
    exports, media, persons,
};
pub use crate::store::deleted_people::Deleted;
use crate::{
    domain::{
        access::Action,
        audit::{Act, Who},
        call::Reason,
        fault::{Fault, Field},
        ids::{InstitutionId, NamePageId, ParticipantId},
        media::Media,
        moment::Moment,
        people_task::TaskOutcome,
    },
    store::{
        self, Sql, deleted_people,
        exports::Departing,
        page_lists::{self, PageName},
        participants::{self, hidden},
        people_list::{self, Place},
        persons::Registration,
        rolls,
    },
};

/// How long somebody can be restored, in days.
pub const KEPT_DAYS: i64 = 30;
/// People on one part of the list.
const PER_PAGE: usize = 100;
/// People who are deleted for good in one transaction.
const BATCH: i64 = 100;

/// Deletes somebody, so that they can be restored.
pub async fn delete(app: &App, actor: &Actor, institution: InstitutionId, id: ParticipantId) -> Result<()> {
    let access = actor.permit(Action::Write, institution)?;
    let (owned_app, by, now) = (app.clone(), actor.signature(), app.clock.now());
    let record = Record::of(app, &access, Act::ParticipantDeleted);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let found = people_list::places(sql, institution, &[id], false).await?.pop();
                let found = found.filter(|place| access.reaches(place.page));
                let found = found.ok_or(Error::Missing(Missing::Participant))?;
                hide(sql, &owned_app, &record, &[found], &by, now).await
            })
        })
        .await?;
    app.queue.wake();
    Ok(())
}

/// Hides these people, in a transaction that holds the institution's lock. Their pending calls are canceled, and their invitations
/// withdrawn. Each of them has a record like the given one.
pub(super) async fn hide(
    sql: &mut Sql,
    app: &App,
    record: &Record,
    people: &[Place],
    by: &str,
    now: Moment,
) -> Result<()> {
    let institution = record.institution();
    let ids: Vec<ParticipantId> = people.iter().map(|place| place.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    for call in store::calls::pending_among(sql, institution, &ids).await? {
        let (made, cancel) = (calls::Ids::new(app, now), CallChange::Cancel(Reason::ByOperator));
        calls::settle(sql, &app.calling, (institution, call.participant), cancel, made, now).await?;
    }
    exports::leave(sql, app.ids.id(now), institution, Departing::These(ids.clone()), now).await?;
    for place in people {
        if let Some(email_key) = &place.email_key {
            let invited = (place.page, email_key.as_str());
            deleted_people::withdraw_invitation(sql, institution, invited, now).await?;
        }
    }
    let leaving = |place: &Place| Registration { id: place.id, page: place.page, hidden: false };
    let leaving: Vec<Registration> = people.iter().map(leaving).collect();
    let records = persons::deletions(sql, app, record, &leaving).await?;
    for (page, ids) in by_page(people) {
        hidden::hide(sql, institution, page, &ids).await?;
    }
    let times = (now, now.plus_days(KEPT_DAYS));
    deleted_people::insert(sql, institution, &ids, by, times).await?;
    Ok(audit::write(sql, &records).await?)
}

fn by_page(people: &[Place]) -> BTreeMap<NamePageId, Vec<ParticipantId>> {
    let mut pages: BTreeMap<NamePageId, Vec<ParticipantId>> = BTreeMap::new();
    for place in people {
        pages.entry(place.page).or_default().push(place.id);
    }
    pages
}

/// Restores somebody who was deleted. `Taken` if somebody with the same address, or another person with the same identifier, is there now.
pub async fn restore(app: &App, actor: &Actor, institution: InstitutionId, id: ParticipantId) -> Result<()> {
    let access = actor.permit(Action::Write, institution)?;
    let (owned_app, now) = (app.clone(), app.clock.now());
    let record = Record::of(app, &access, Act::ParticipantRestored);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let found = restorable(sql, institution, &[id]).await?.pop();
                let (place, deleted_at) = found
                    .filter(|(place, _)| access.reaches(place.page))
                    .ok_or(Error::Missing(Missing::Participant))?;
                match show(sql, institution, &place, deleted_at, now).await? {
                    TaskOutcome::Done => audit::write_each(sql, &record, &owned_app.ids, &[id]).await,
                    _ => Err(Error::invalid(Field::Email, Fault::Taken)),
                }
            })
        })
        .await
}

/// Those of these people who were deleted, each with the time of that.
pub(super) async fn restorable(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<Vec<(Place, Moment)>> {
    let deleted: HashMap<ParticipantId, Moment> =
        deleted_people::among(sql, institution, ids).await?.into_iter().collect();
    let found = people_list::places(sql, institution, ids, true).await?.into_iter();
    Ok(found.filter_map(|place| deleted.get(&place.id).map(|at| (place.clone(), *at))).collect())
}

/// Restores somebody, in a transaction that holds the institution's lock. The caller writes the record.
pub(super) async fn show(
    sql: &mut Sql,
    institution: InstitutionId,
    place: &Place,
    deleted_at: Moment,
    now: Moment,
) -> Result<TaskOutcome> {
    if let Some(email_key) = &place.email_key
        && participants::registered(sql, institution, place.page, email_key).await?.on_page
    {
        return Ok(TaskOutcome::Taken);
    }
    let own_key = place.email_key.as_deref().unwrap_or_default();
    if let Some(identifier) = &place.identifier_key
        && participants::identifier_taken(sql, institution, identifier, own_key).await?
    {
        return Ok(TaskOutcome::Taken);
    }
    exports::come_back(sql, institution, &[place.id]).await?;
    hidden::show(sql, institution, place.page, &[place.id], now).await?;
    if let Some(email_key) = &place.email_key {
        let invited = (place.page, email_key.as_str());
        deleted_people::renew_invitation(sql, institution, invited, deleted_at).await?;
    }
    Ok(TaskOutcome::Done)
}

/// A part of the people who can be restored.
pub struct Recent {
    pub people: Vec<Deleted>,
    pub pages: HashMap<NamePageId, PageName>,
    /// There are more behind this one.
    pub next: Option<(Moment, ParticipantId)>,
}

/// Lists people who can be restored, those who were deleted last first.
pub async fn recent(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    behind: Option<(Moment, ParticipantId)>,
) -> Result<Recent> {
    let access = actor.permit(Action::Write, institution)?;
    let behind = behind.unwrap_or((Moment::from_micros(i64::MAX), ParticipantId::new(i64::MAX)));
    let sql = &mut app.db.read();
    let count = PER_PAGE as i64 + 1;
    let mut people = deleted_people::list(sql, institution, access.pages(), behind, count).await?;
    let is_more = people.len() > PER_PAGE;
    people.truncate(PER_PAGE);
    let mut pages: Vec<NamePageId> = people.iter().map(|one| one.page).collect();
    pages.sort_unstable();
    pages.dedup();
    Ok(Recent {
        next: people.last().filter(|_| is_more).map(|last| (last.deleted_at, last.id)),
        pages: page_lists::names_of(sql, institution, &pages).await?,
        people,
    })
}

/// Deletes people for good whose time is over, and tasks of that time. Returns how many people were deleted.
pub async fn purge(app: &App) -> Result<usize> {
    let (now, mut deleted) = (app.clock.now(), 0);
    loop {
        let mut due = deleted_people::due(&mut app.db.read(), now, BATCH).await?;
        if due.is_empty() {
            break;
        }
        due.sort_unstable();
        for group in due.chunk_by(|(a, _), (b, _)| a == b) {
            let (institution, ids) = (group[0].0, group.iter().map(|(_, id)| *id).collect());
            let (count, gone) = purge_these(app, institution, ids, now).await?;
            deleted += count;
            media::discard_now(app, institution, &gone).await;
        }
    }
    let before = now.plus_days(-KEPT_DAYS);
    for (institution, task) in store::people_tasks::before(&mut app.db.read(), before).await? {
        app.db
            .write_bookkeeping::<_, Error>(move |sql| {
                Box::pin(async move {
                    rolls::lock(sql, institution).await?;
                    Ok(store::people_tasks::delete(sql, institution, task).await?)
                })
            })
            .await?;
    }
    Ok(deleted)
}

async fn purge_these(
    app: &App,
    institution: InstitutionId,
    ids: Vec<ParticipantId>,
    now: Moment,
) -> Result<(usize, Vec<Media>)> {
    let record = Record::by(app, Who::SYSTEM, institution, Act::ParticipantDeleted);
    let owned_app = app.clone();
    let purged = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                // Somebody may have restored them in the meantime, and others may have been deleted in another way.
                let found = restorable(sql, institution, &ids).await?;
                let registrations: Vec<Registration> = found
                    .into_iter()
                    .map(|(place, _)| Registration { id: place.id, page: place.page, hidden: true })
                    .collect();
                let gone = match registrations.is_empty() {
                    true => Vec::new(),
                    false => persons::delete_in(sql, &owned_app, &record, &registrations, now).await?,
                };
                for id in ids {
                    deleted_people::forget(sql, institution, id).await?;
                }
                Ok((registrations.len(), gone))
            })
        })
        .await;
    app.queue.wake();
    purged
}

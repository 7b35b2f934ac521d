//! Merges two entries of one person: one is kept and takes what it lacks from the other, which is deleted. All in one transaction.

use serde_json::json;

use super::{
    Actor, App, Error, Missing, Result, audiences,
    audit::{self, Record},
    calls::{self, CallChange},
    exports, media, moderation, outbox,
    persons::deletions,
};
use crate::{
    domain::{
        access::{Access, Action},
        audience::Audience,
        audit::Act,
        call::Reason,
        custom_field::CustomField,
        email::{Email, email_key},
        fault::{Fault, Field, SetupFault},
        ids::{InstitutionId, ParticipantId},
        matching::Entry,
        media::{Kind, Media},
        message::{Message, Notice},
        moment::Moment,
        participant::Participant,
        people_merge::MergePlan,
        session::PersonId,
    },
    store::{
        self, Sql,
        courses::members,
        exports::Departing,
        participants::{self, merge as entries},
        people_list::{self, Place},
        persons::{self, Registration},
        rolls,
    },
};

/// Two entries, and what the first one would take from the second.
pub struct MergeView {
    pub kept: Participant,
    pub other: Participant,
    pub plan: MergePlan,
    pub fields: Vec<CustomField>,
    /// When the two were changed last.
    pub versions: (i64, i64),
    /// The other one is on the roster of a course, and cannot be the one that is deleted.
    pub is_other_in_course: bool,
    pub hindrance: Option<Hindrance>,
}

/// Why two entries with different addresses cannot be merged: they may be two people, and one of them would own the other one's voice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hindrance {
    /// Only administrators may.
    NeedsAdministrator,
    /// The person of the other entry has paused their recordings or withdrawn their consent.
    Paused,
}

/// Shows what merging would do.
pub async fn preview(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    (kept, other): (ParticipantId, ParticipantId),
) -> Result<MergeView> {
    let access = actor.permit(Action::Write, institution)?;
    let sql = &mut app.db.read();
    let (kept, other) = both(sql, &access, (kept, other)).await?;
    Ok(MergeView {
        plan: MergePlan::new(&kept.person, &other.person),
        fields: store::custom_fields::all(sql, institution).await?,
        versions: (kept.place.updated_at, other.place.updated_at),
        is_other_in_course: members::is_member(sql, institution, other.place.id).await?,
        hindrance: hindrance(sql, actor, institution, (&kept, &other)).await?,
        kept: kept.person,
        other: other.person,
    })
}

struct Side {
    person: Participant,
    place: Place,
}

impl Side {
    fn entry(&self) -> Entry {
        Entry {
            id: self.place.id,
            first_name: self.person.first_name.clone(),
            last_name: self.person.last_name.clone(),
            email: self.person.email.clone(),
            email_key: self.place.email_key.clone(),
            identifier: self.person.identifier.clone(),
            identifier_key: self.place.identifier_key.clone(),
            ..Entry::default()
        }
    }
}

/// Do the entries belong to different addresses?
fn differ(kept: &Side, other: &Side) -> bool {
    kept.place.email_key.is_some()
        && other.place.email_key.is_some()
        && kept.place.email_key != other.place.email_key
}

async fn hindrance(
    sql: &mut Sql,
    actor: &Actor,
    institution: InstitutionId,
    (kept, other): (&Side, &Side),
) -> Result<Option<Hindrance>> {
    if !differ(kept, other) {
        return Ok(None);
    }
    if actor.administer(institution).is_err() {
        return Ok(Some(Hindrance::NeedsAdministrator));
    }
    let silenced = moderation::silenced(sql, institution, &[other.place.id]).await?;
    Ok((!silenced.is_empty()).then_some(Hindrance::Paused))
}

/// Both entries, if the actor may change them and they are two.
async fn both(
    sql: &mut Sql,
    access: &Access,
    (kept, other): (ParticipantId, ParticipantId),
) -> Result<(Side, Side)> {
    if kept == other {
        return Err(Error::Missing(Missing::Participant));
    }
    Ok((side(sql, access, kept).await?, side(sql, access, other).await?))
}

async fn side(sql: &mut Sql, access: &Access, id: ParticipantId) -> Result<Side> {
    let missing = || Error::Missing(Missing::Participant);
    let place = people_list::places(sql, access.institution, &[id], false).await?.pop();
    let place = place.filter(|place| access.reaches(place.page)).ok_or_else(missing)?;
    let person = participants::by_ids(sql, access.institution, &[id]).await?.pop().ok_or_else(missing)?;
    Ok(Side { person: person.unveiled(), place })
}

/// Merges the second entry into the first, unless one of them has changed since these versions: then the error is `SetupFault::Outdated`.
/// The stricter audience of the two is kept. Entries of different addresses are merged by administrators only, not while the other one is
/// paused (`Fault::NotIncluded` on the audience), and both addresses are told.
pub async fn merge(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    ids: (ParticipantId, ParticipantId),
    versions: (i64, i64),
) -> Result<()> {
    let access = actor.permit(Action::Write, institution)?;
    let (owned_app, owned_actor, now) = (app.clone(), actor.clone(), app.clock.now());
    let record = Record::of(app, &access, Act::ParticipantMerged);
    let gone = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let (kept, other) = both(sql, &access, ids).await?;
                match hindrance(sql, &owned_actor, institution, (&kept, &other)).await? {
                    None => {}
                    Some(Hindrance::NeedsAdministrator) => owned_actor.administer(institution)?,
                    Some(Hindrance::Paused) => {
                        return Err(Error::invalid(Field::Audience, Fault::NotIncluded));
                    }
                }
                if versions != (kept.place.updated_at, other.place.updated_at) {
                    return Err(Error::invalid(Field::Version, SetupFault::Outdated));
                }
                // The next roster would create it again.
                if members::is_member(sql, institution, other.place.id).await? {
                    return Err(Error::invalid(Field::Courses, Fault::NotIncluded));
                }
                merge_recorded(sql, &owned_app, record, (&kept, &other), now).await
            })
        })
        .await?;
    app.queue.wake();
    app.switchboard.wake();
    media::discard(app, institution, &gone).await;
    Ok(())
}

/// Merges, and writes what has become of both into the audit log. Returns the media whose files must be removed afterwards.
async fn merge_recorded(
    sql: &mut Sql,
    app: &App,
    record: Record,
    (kept, other): (&Side, &Side),
    now: Moment,
) -> Result<Vec<Media>> {
    let (institution, id) = (record.institution(), kept.place.id);
    let fields = store::custom_fields::all(sql, institution).await?;
    let media = store::media::all_of(sql, institution, id).await?;
    let before = audit::with(audit::of_participant(&kept.person, &fields), audit::of_media(&media));
    let leaving = Registration { id: other.place.id, page: other.place.page, hidden: false };
    let deletion = record.then(&app.ids, Act::ParticipantDeleted);
    let mut records = deletions(sql, app, &deletion, &[leaving]).await?;
    let notices = notices(sql, institution, (kept, other)).await?;
    let (gone, narrowed) = merge_in(sql, app, institution, (kept, other), now).await?;
    for (to, notice) in notices {
        outbox::enqueue(sql, &app.ids, Some(institution), to, notice, now).await?;
    }
    let merged = participants::by_ids(sql, institution, &[id]).await?.pop();
    let merged = merged.ok_or(Error::Missing(Missing::Participant))?;
    let media = store::media::all_of(sql, institution, id).await?;
    let after = audit::with(audit::of_participant(&merged, &fields), audit::of_media(&media));
    let after = audit::with(after, json!({ "merged": other.place.id.to_string() }));
    let after = match narrowed {
        Some(audience) => audit::with(after, json!({ "audience": audience.word() })),
        None => after,
    };
    if let Some(email) = &merged.email {
        // The other address was theirs, too: the record is forgotten with the person.
        let key = email_key(email);
        records = records.into_iter().map(|record| record.person(&key)).collect();
    }
    records.push(record.participant(&merged).change(before, after));
    audit::write(sql, &records).await?;
    Ok(gone)
}

/// What both addresses are told, if they are different ones.
async fn notices(
    sql: &mut Sql,
    institution: InstitutionId,
    (kept, other): (&Side, &Side),
) -> Result<Vec<(Email, Message)>> {
    let mut all = Vec::new();
    if !differ(kept, other) {
        return Ok(all);
    }
    for (side, about) in [(kept, Notice::MergedIntoOwn), (other, Notice::MergedIntoOther)] {
        let Some(to) = side.person.email.as_deref().and_then(Email::parse) else { continue };
        let person = PersonId { institution, email_key: to.key().to_owned() };
        let settings = store::languages::find(sql, &person).await?;
        let language = settings.personal.or(settings.institution).unwrap_or_default();
        let (page, language) = (side.person.page.title.clone(), language.tag().to_owned());
        all.push((to, Message::Notice { about, page, language }));
    }
    Ok(all)
}

/// Returns the media whose files must be removed afterwards, and the kept entry's audience if it has become stricter.
async fn merge_in(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    (kept, other): (&Side, &Side),
    now: Moment,
) -> Result<(Vec<Media>, Option<Audience>)> {
    let (own, theirs) = (kept.entry(), other.entry());
    let pair = (own.id, theirs.id);
    let strictest =
        audiences::strictest(sql, institution, [own.email_key.as_deref(), theirs.email_key.as_deref()])
            .await?;
    store::audiences::merge(sql, institution, pair, now).await?;
    store::consents::hand_over(sql, institution, pair).await?;
    let mut gone: Vec<Media> = store::moderation::merge(sql, institution, pair).await?.into_iter().collect();
    for kind in Kind::PUBLIC {
        gone.extend(take_media(sql, institution, (&own, &theirs), kind, now).await?);
    }
    entries::fill(sql, institution, &own, &theirs, now).await?;
    store::moderation::merge_entries(sql, institution, pair, kept.place.page, now).await?;
    if calls::is_pending(sql, institution, own.id).await? {
        let (made, cancel) = (calls::Ids::new(app, now), CallChange::Cancel(Reason::ByOperator));
        calls::settle(sql, &app.calling, (institution, theirs.id), cancel, made, now).await?;
    }
    store::calls::give_over(sql, institution, theirs.id, own.id).await?;
    store::plays::hand_over(sql, institution, pair).await?;
    exports::leave(sql, app.ids.id(now), institution, Departing::These(vec![theirs.id]), now).await?;
    gone.extend(store::media::delete_of(sql, institution, theirs.id).await?);
    entries::hand_over(sql, institution, pair).await?;
    let page = other.place.page;
    if let Some(email_key) = &theirs.email_key {
        store::invitations::delete_on_page(sql, institution, page, email_key).await?;
    }
    entries::delete_entry(sql, institution, page, &theirs).await?;
    persons::delete_belongings(sql, institution, theirs.id).await?;
    take_identity(sql, institution, (kept, &own), &theirs, now).await?;
    let merged = people_list::places(sql, institution, &[own.id], false).await?.pop();
    let email_key = merged.and_then(|place| place.email_key);
    let is_narrowed =
        audiences::keep_strictest(sql, institution, email_key.as_deref(), strictest, now).await?;
    if let Some(email_key) = &theirs.email_key {
        persons::delete_unregistered(sql, institution, email_key).await?;
    }
    Ok((gone, is_narrowed.then_some(strictest)))
}

/// Moves media of a kind if the kept entry has none. Otherwise links to the other recording lead to the kept one.
async fn take_media(
    sql: &mut Sql,
    institution: InstitutionId,
    (own, theirs): (&Entry, &Entry),
    kind: Kind,
    now: Moment,
) -> Result<Option<Media>> {
    if store::media::of(sql, institution, own.id, kind).await?.is_none() {
        return Ok(entries::move_media(sql, institution, (own, theirs), kind, now).await?);
    }
    if kind.is_sound()
        && let Some(dropped) = store::media::of(sql, institution, theirs.id, kind).await?
    {
        store::media::transfer_links(sql, institution, (own.id, theirs.id), kind).await?;
        store::media::replaced(sql, institution, own.id, &dropped).await?;
    }
    Ok(None)
}

/// Takes names, address and identifier that the kept entry lacks, unless somebody else has them. The other entry is gone.
async fn take_identity(
    sql: &mut Sql,
    institution: InstitutionId,
    (kept, own): (&Side, &Entry),
    theirs: &Entry,
    now: Moment,
) -> Result<()> {
    let before = own.identity();
    let mut wanted = before.clone();
    wanted.first_name = wanted.first_name.or_else(|| theirs.first_name.clone());
    wanted.last_name = wanted.last_name.or_else(|| theirs.last_name.clone());
    if wanted.email_key.is_none()
        && let Some(key) = &theirs.email_key
        && !participants::registered(sql, institution, kept.place.page, key).await?.on_page
    {
        (wanted.email, wanted.email_key) = (theirs.email.clone(), theirs.email_key.clone());
    }
    let email = wanted.email_key.clone().unwrap_or_default();
    if wanted.identifier_key.is_none()
        && let Some(key) = &theirs.identifier_key
        && !participants::identifier_taken(sql, institution, key, &email).await?
    {
        (wanted.identifier, wanted.identifier_key) =
            (theirs.identifier.clone(), theirs.identifier_key.clone());
    }
    if wanted == before {
        return Ok(());
    }
    Ok(participants::set_identity(sql, institution, (own.id, false), &wanted, now).await?)
}

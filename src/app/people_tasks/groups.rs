//! How a group of people is done.

use std::collections::HashMap;

use serde_json::json;

use super::{
    super::{
        App, Error, Result,
        audit::{self, Record},
        deleted_people,
        invitations::{self, Delivery, Reminded, Terms},
        participants,
    },
    GROUP, is_writable,
};
use crate::{
    domain::{
        address_list::Invitee,
        audit::{Act, Who, WhoKind},
        custom_field::CustomField,
        email::Email,
        ids::{CustomFieldId, InstitutionId, NamePageId, ParticipantId, PeopleTaskId},
        matching::Entry,
        moment::Moment,
        participant::{Draft, Given, Participant},
        people_task::{PeopleTask, TaskAction, TaskOutcome},
    },
    store::{
        self, Sql,
        courses::members,
        page_lists,
        participants::merge as entries,
        people_list::{self, Place, Slim},
        people_tasks as tasks, rolls,
    },
};

/// People of a task by their numbers, with what has become of them.
pub(super) type Outcomes = Vec<(i64, TaskOutcome)>;

pub(super) async fn settle(
    app: &App,
    institution: InstitutionId,
    id: PeopleTaskId,
    outcomes: Outcomes,
) -> Result<()> {
    app.db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move {
                // Whoever deletes some of them, or their page, takes this lock, too.
                rolls::lock(sql, institution).await?;
                Ok(settle_in(sql, institution, id, outcomes).await?)
            })
        })
        .await
}

async fn settle_in(
    sql: &mut Sql,
    institution: InstitutionId,
    id: PeopleTaskId,
    outcomes: Outcomes,
) -> Result<(), store::Error> {
    for outcome in outcomes {
        tasks::settle(sql, institution, id, outcome).await?;
    }
    Ok(())
}

/// Invites or reminds people, one by one. Whoever was written to before an interruption is not written to again.
pub(super) async fn write_to(
    app: &App,
    institution: InstitutionId,
    task: &PeopleTask,
    base_url: &str,
    next: Vec<(i64, ParticipantId)>,
) -> Result<Outcomes> {
    let ids: Vec<ParticipantId> = next.iter().map(|(_, id)| *id).collect();
    let found =
        people_list::by_ids(&mut app.db.read(), institution, &ids, people_list::Extra::default()).await?;
    let found: HashMap<ParticipantId, Slim> = found.into_iter().map(|person| (person.id, person)).collect();
    let mut outcomes = Vec::with_capacity(next.len());
    for (number, id) in next {
        let person = found.get(&id).filter(|person| task.reaches(person.page));
        let email = person.and_then(|person| Email::parse(person.email.as_deref()?));
        let outcome = match (person, email) {
            (None, _) => TaskOutcome::Gone,
            (Some(_), None) => TaskOutcome::WithoutEmail,
            (Some(person), Some(email)) if matches!(task.action, TaskAction::Remind { .. }) => {
                let (key, base_url) = (email.key().to_owned(), base_url.to_owned());
                let record = Record::by(app, who(task), institution, act(&task.action));
                reminded(invitations::remind_now(app, record, person.page, key, base_url).await?)
            }
            (Some(person), Some(email)) => {
                let record = Record::by(app, who(task), institution, act(&task.action));
                invite(app, record, person, email, base_url).await?
            }
        };
        outcomes.push((number, outcome));
    }
    Ok(outcomes)
}

const fn reminded(outcome: Reminded) -> TaskOutcome {
    match outcome {
        Reminded::Sent => TaskOutcome::Done,
        Reminded::NotInvited => TaskOutcome::NotInvited,
        Reminded::Recorded => TaskOutcome::Recorded,
        Reminded::Unreachable => TaskOutcome::Unreachable,
        Reminded::TooSoon => TaskOutcome::JustWritten,
        Reminded::Closed => TaskOutcome::Closed,
    }
}

/// Who began the task, for the audit log.
fn who(task: &PeopleTask) -> Who {
    match task.created_by.as_str() {
        // As `Actor::signature` says it.
        "operator" => Who::OPERATOR,
        // They have been erased.
        "" => Who::SYSTEM,
        member => Who::named(WhoKind::Member, member),
    }
}

async fn invite(
    app: &App,
    record: Record,
    person: &Slim,
    email: Email,
    base_url: &str,
) -> Result<TaskOutcome> {
    let terms = Terms { delivery: Delivery::Mail, base_url: base_url.to_owned(), ..Terms::of(app) };
    let invitee =
        Invitee { email, first_name: person.first_name.clone(), last_name: person.last_name.clone() };
    let report = match invitations::invite_batch(app, record, person.page, vec![invitee], terms).await {
        Ok(report) => report,
        // A page that takes no recordings is all that is invalid here.
        Err(Error::Invalid(_)) => return Ok(TaskOutcome::Closed),
        Err(error) => return Err(error),
    };
    Ok(if report.invited > 0 {
        TaskOutcome::Done
    } else if report.already > 0 {
        TaskOutcome::Unchanged
    } else if report.recorded > 0 {
        TaskOutcome::Recorded
    } else {
        TaskOutcome::Unreachable
    })
}

/// What changes a group of people, in a transaction.
struct Work<'a> {
    app: &'a App,
    task: &'a PeopleTask,
    /// An audit record like this one is written for each changed person.
    record: Record,
    now: Moment,
}

impl Work<'_> {
    fn institution(&self) -> InstitutionId {
        self.record.institution()
    }
}

const fn act(action: &TaskAction) -> Act {
    match action {
        TaskAction::Invite { .. } => Act::InvitationsSent,
        TaskAction::Remind { .. } => Act::InvitationReminded,
        TaskAction::Move { .. } | TaskAction::Tag { .. } => Act::ParticipantUpdated,
        TaskAction::Delete => Act::ParticipantDeleted,
        TaskAction::Restore => Act::ParticipantRestored,
    }
}

/// Changes the next group of people, in one transaction with what has become of them.
pub(super) async fn change(app: &App, institution: InstitutionId, task: PeopleTaskId) -> Result<()> {
    let (owned_app, now) = (app.clone(), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                // Under the lock, because whoever began it may be erased meanwhile.
                let Some(task) = tasks::find(sql, institution, task).await? else { return Ok(()) };
                let record = Record::by(&owned_app, who(&task), institution, act(&task.action));
                // Another worker may have been quicker.
                let next = tasks::next(sql, institution, task.id, GROUP).await?;
                let work = Work { app: &owned_app, task: &task, record, now };
                let outcomes = match &task.action {
                    TaskAction::Move { page } => move_to(sql, &work, next, *page).await?,
                    TaskAction::Tag { field, value } => {
                        tag(sql, &work, next, (*field, value.as_deref())).await?
                    }
                    TaskAction::Delete => delete(sql, &work, next).await?,
                    TaskAction::Restore => restore(sql, &work, next).await?,
                    TaskAction::Invite { .. } | TaskAction::Remind { .. } => Vec::new(),
                };
                Ok(settle_in(sql, institution, task.id, outcomes).await?)
            })
        })
        .await
}

/// Where these people are, as far as whoever has begun the task runs the pages.
async fn places(
    sql: &mut Sql,
    work: &Work<'_>,
    next: &[(i64, ParticipantId)],
) -> Result<HashMap<ParticipantId, Place>> {
    let ids: Vec<ParticipantId> = next.iter().map(|(_, id)| *id).collect();
    let found = people_list::places(sql, work.institution(), &ids, false).await?.into_iter();
    Ok(found.filter(|place| work.task.reaches(place.page)).map(|place| (place.id, place)).collect())
}

async fn move_to(
    sql: &mut Sql,
    work: &Work<'_>,
    next: Vec<(i64, ParticipantId)>,
    page: NamePageId,
) -> Result<Outcomes> {
    if !is_writable(sql, work.institution(), page).await? {
        return Ok(next.into_iter().map(|(number, _)| (number, TaskOutcome::Closed)).collect());
    }
    let places = places(sql, work, &next).await?;
    let (mut outcomes, mut moved) = (Vec::with_capacity(next.len()), Vec::new());
    for (number, id) in next {
        let outcome = match places.get(&id) {
            Some(place) => move_one(sql, work, place, page).await?,
            None => TaskOutcome::Gone,
        };
        if outcome == TaskOutcome::Done {
            moved.push(id);
        }
        outcomes.push((number, outcome));
    }
    log_moved(sql, work, &places, &moved).await?;
    Ok(outcomes)
}

/// `places` are those where they were.
async fn log_moved(
    sql: &mut Sql,
    work: &Work<'_>,
    places: &HashMap<ParticipantId, Place>,
    moved: &[ParticipantId],
) -> Result<()> {
    let mut pages: Vec<NamePageId> = places.values().map(|place| place.page).collect();
    pages.sort_unstable();
    pages.dedup();
    let names = page_lists::names_of(sql, work.institution(), &pages).await?;
    let people = store::participants::by_ids(sql, work.institution(), moved).await?;
    let record = |person: &Participant| {
        let before = places.get(&person.id).and_then(|place| names.get(&place.page)).map(|page| &page.title);
        let record = work.record.another(&work.app.ids).participant(person);
        record.change(json!({ "name_page": before }), json!({ "name_page": person.page.title }))
    };
    let records: Vec<Record> = people.iter().map(record).collect();
    Ok(audit::write(sql, &records).await?)
}

async fn move_one(sql: &mut Sql, work: &Work<'_>, place: &Place, page: NamePageId) -> Result<TaskOutcome> {
    let institution = work.institution();
    if place.page == page {
        return Ok(TaskOutcome::Unchanged);
    }
    // The next roster would bring them back.
    if members::is_member(sql, institution, place.id).await? {
        return Ok(TaskOutcome::InCourse);
    }
    if let Some(email_key) = &place.email_key
        && store::participants::registered(sql, institution, page, email_key).await?.on_page
    {
        return Ok(TaskOutcome::Taken);
    }
    let entry = Entry { id: place.id, email_key: place.email_key.clone(), ..Entry::default() };
    let way = (place.page, place.page_place, page);
    entries::change_page(sql, institution, &entry, way, work.now).await?;
    Ok(TaskOutcome::Done)
}

async fn tag(
    sql: &mut Sql,
    work: &Work<'_>,
    next: Vec<(i64, ParticipantId)>,
    (field, value): (CustomFieldId, Option<&str>),
) -> Result<Outcomes> {
    let institution = work.institution();
    let places = places(sql, work, &next).await?;
    let ids: Vec<ParticipantId> = places.keys().copied().collect();
    let people = store::participants::by_ids(sql, institution, &ids).await?;
    let mut people: HashMap<_, _> = people.into_iter().map(|person| (person.id, person)).collect();
    let fields = store::custom_fields::all(sql, institution).await?;
    // It may have been deleted since.
    let key = fields.iter().find(|one| one.id == field).map(CustomField::import_key);
    let (mut outcomes, mut records) = (Vec::with_capacity(next.len()), Vec::new());
    for (number, id) in next {
        let outcome = match (people.remove(&id), &key) {
            (None, _) => TaskOutcome::Gone,
            (Some(_), None) => TaskOutcome::Unchanged,
            (Some(person), Some(_)) if person.custom.0.get(&field).map(String::as_str) == value => {
                TaskOutcome::Unchanged
            }
            (Some(person), Some(key)) => {
                let given = value.map_or(Given::Clear, |value| Given::Set(value.to_owned()));
                let draft = Draft { custom: vec![(key.clone(), given)], ..Draft::default() };
                let before = audit::of_participant(&person, &fields);
                match participants::update_in(sql, institution, person, draft, work.now).await {
                    Ok((changed, _)) => {
                        let record = work.record.another(&work.app.ids).participant(&changed);
                        records.push(record.change(before, audit::of_participant(&changed, &fields)));
                        TaskOutcome::Done
                    }
                    // Somebody without any name cannot be changed.
                    Err(Error::Invalid(_)) => TaskOutcome::Unchanged,
                    Err(error) => return Err(error),
                }
            }
        };
        outcomes.push((number, outcome));
    }
    audit::write(sql, &records).await?;
    Ok(outcomes)
}

async fn delete(sql: &mut Sql, work: &Work<'_>, next: Vec<(i64, ParticipantId)>) -> Result<Outcomes> {
    let places = places(sql, work, &next).await?;
    let all: Vec<Place> = places.values().cloned().collect();
    deleted_people::hide(sql, work.app, &work.record, &all, &work.task.created_by, work.now).await?;
    let outcome = |id: &ParticipantId| match places.contains_key(id) {
        true => TaskOutcome::Done,
        false => TaskOutcome::Gone,
    };
    Ok(next.iter().map(|(number, id)| (*number, outcome(id))).collect())
}

async fn restore(sql: &mut Sql, work: &Work<'_>, next: Vec<(i64, ParticipantId)>) -> Result<Outcomes> {
    let institution = work.institution();
    let ids: Vec<ParticipantId> = next.iter().map(|(_, id)| *id).collect();
    let found = deleted_people::restorable(sql, institution, &ids).await?.into_iter();
    let found: HashMap<ParticipantId, (Place, Moment)> =
        found.filter(|(place, _)| work.task.reaches(place.page)).map(|one| (one.0.id, one)).collect();
    let (mut outcomes, mut back) = (Vec::with_capacity(next.len()), Vec::new());
    for (number, id) in next {
        let outcome = match found.get(&id) {
            Some((place, deleted_at)) => {
                deleted_people::show(sql, institution, place, *deleted_at, work.now).await?
            }
            None => TaskOutcome::Gone,
        };
        if outcome == TaskOutcome::Done {
            back.push(id);
        }
        outcomes.push((number, outcome));
    }
    audit::write_each(sql, &work.record, &work.app.ids, &back).await?;
    Ok(outcomes)
}

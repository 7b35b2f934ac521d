//! What is done with many people at once: whoever is selected, or everybody who matches a query. The people are written down first. A job
//! then takes them in groups and writes what has become of each, so that progress is exact, survives a restart, and nothing is done
//! twice. A few people are done at once.

use std::{collections::HashMap, time::Duration};

use super::{
    Actor, App, Error, Missing, Result, deleted_people,
    invitations::{self, Delivery, Reminded, Terms},
    jobs, participants, people_search,
};
use crate::{
    domain::{
        access::{Access, Action},
        address_list::Invitee,
        custom_field::CustomField,
        email::Email,
        fault::{Fault, Field},
        ids::{CustomFieldId, InstitutionId, NamePageId, ParticipantId, PeopleTaskId},
        job::Job,
        matching::Entry,
        moment::Moment,
        participant::{Draft, Given},
        people_query::PeopleQuery,
        people_task::{FEW_PEOPLE, MOST_PEOPLE, PeopleTask, TaskAction, TaskOutcome, TaskState},
        text::{self, Lines, longest},
    },
    store::{
        self, Sql,
        courses::members,
        participants::merge as entries,
        people_list::{self, Place, Slim},
        people_tasks as tasks, rolls,
    },
};

/// Whom something is done with.
#[derive(Debug, Clone)]
pub enum Whom {
    These(Vec<ParticipantId>),
    Matching(PeopleQuery),
}

/// The error that nobody was selected.
pub const NOBODY: Field = Field::Parameter("people");
/// The error that no mail is sent here.
pub const MAIL: Field = Field::Parameter("mail");
/// The error about the value of a custom field.
pub const VALUE: Field = Field::Parameter("value");

/// People in one transaction.
const GROUP: i64 = 100;
/// If the process is killed that does it at once, a job completes it.
const TAKEN_OVER_AFTER: Duration = Duration::from_secs(60);

/// How many people would be concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preview {
    pub count: u64,
    /// There are more people who match.
    pub is_cut: bool,
}

pub async fn preview(app: &App, actor: &Actor, institution: InstitutionId, whom: &Whom) -> Result<Preview> {
    let access = actor.permit(Action::Write, institution)?;
    let (people, is_cut) = selected(app, &access, whom).await?;
    Ok(Preview { count: people.len() as u64, is_cut })
}

/// Those whom the actor may change. If somebody was selected who is not among them, nobody is.
async fn selected(app: &App, access: &Access, whom: &Whom) -> Result<(Vec<ParticipantId>, bool)> {
    match whom {
        Whom::Matching(query) => people_search::collect(app, access, query, MOST_PEOPLE).await,
        Whom::These(ids) => {
            let mut ids = ids.clone();
            ids.sort_unstable();
            ids.dedup();
            ids.truncate(MOST_PEOPLE);
            let places = people_list::places(&mut app.db.read(), access.institution, &ids, false).await?;
            let is_reached = |place: &Place| access.reaches(place.page);
            if places.len() != ids.len() || !places.iter().all(is_reached) {
                return Err(Error::Missing(Missing::Participant));
            }
            Ok((ids, false))
        }
    }
}

/// Begins something with many people. If they are few, it is done when this returns.
pub async fn begin(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    whom: &Whom,
    action: TaskAction,
) -> Result<PeopleTaskId> {
    let access = actor.permit(Action::Write, institution)?;
    check(app, &access, &action).await?;
    let (people, _) = selected(app, &access, whom).await?;
    start(app, actor, &access, people, action).await
}

/// Restores those whom a task has deleted.
pub async fn undo(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: PeopleTaskId,
) -> Result<PeopleTaskId> {
    let access = actor.permit(Action::Write, institution)?;
    let sql = &mut app.db.read();
    let task = own_task(sql, actor, &access, id).await?;
    if task.action != TaskAction::Delete {
        return Err(Error::Missing(Missing::Job));
    }
    let people = tasks::done(sql, institution, id).await?;
    start(app, actor, &access, people, TaskAction::Restore).await
}

/// Checks what the action needs.
async fn check(app: &App, access: &Access, action: &TaskAction) -> Result<()> {
    let (sql, institution) = (&mut app.db.read(), access.institution);
    match action {
        TaskAction::Invite { .. } | TaskAction::Remind { .. } => {
            if !app.mail.is_configured() {
                return Err(Error::invalid(MAIL, Fault::NotIncluded));
            }
        }
        TaskAction::Move { page } => {
            if !access.reaches(*page) || !is_writable(sql, institution, *page).await? {
                return Err(Error::Missing(Missing::NamePage));
            }
        }
        TaskAction::Tag { field, value } => {
            let fields = store::custom_fields::all(sql, institution).await?;
            if !fields.iter().any(|one| one.id == *field) {
                return Err(Error::Missing(Missing::CustomField));
            }
            let value = value.as_deref().unwrap_or_default();
            if let Some(fault) = text::fault(value, longest::CUSTOM_VALUE, Lines::One) {
                return Err(Error::invalid(VALUE, fault));
            }
        }
        TaskAction::Delete | TaskAction::Restore => {}
    }
    Ok(())
}

/// Is there such a page, and is it not archived?
async fn is_writable(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<bool> {
    let settings = store::page_settings::find(sql, institution, page).await?;
    Ok(settings.is_some_and(|settings| !settings.is_archived()))
}

async fn start(
    app: &App,
    actor: &Actor,
    access: &Access,
    people: Vec<ParticipantId>,
    action: TaskAction,
) -> Result<PeopleTaskId> {
    if people.is_empty() {
        return Err(Error::invalid(NOBODY, Fault::Blank));
    }
    let (institution, now) = (access.institution, app.clock.now());
    let (id, job) = (app.ids.id::<PeopleTaskId>(now), app.ids.id(now));
    let is_few = people.len() <= FEW_PEOPLE;
    let task = PeopleTask {
        id,
        action,
        pages: access.pages().map(<[NamePageId]>::to_vec),
        state: TaskState::Waiting,
        rows_done: 0,
        rows_total: people.len() as u64,
        created_by: actor.signature(),
        created_at: now,
    };
    app.db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move {
                tasks::insert(sql, institution, &task, &people).await?;
                let run_at = if is_few { now.plus(TAKEN_OVER_AFTER) } else { now };
                let run = Job::RunPeopleTask { institution, task: id };
                jobs::enqueue(sql, job, &run, run_at, now).await
            })
        })
        .await?;
    if is_few {
        run(app, institution, id).await?;
    } else {
        app.queue.wake();
    }
    Ok(id)
}

pub struct TaskView {
    pub task: PeopleTask,
    /// How often each outcome was.
    pub outcomes: Vec<(TaskOutcome, u64)>,
    /// Where people are moved to.
    pub page: Option<String>,
    /// What is set.
    pub field: Option<String>,
}

/// A task, with what has become of people. Managers see their own.
pub async fn find(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: PeopleTaskId,
) -> Result<TaskView> {
    let access = actor.permit(Action::Write, institution)?;
    let sql = &mut app.db.read();
    let task = own_task(sql, actor, &access, id).await?;
    let outcomes = tasks::outcomes(sql, institution, id).await?;
    let (mut page, mut field) = (None, None);
    match &task.action {
        TaskAction::Move { page: to } => {
            page =
                people_list::page_names(sql, institution, &[*to]).await?.remove(to).map(|(title, _)| title);
        }
        TaskAction::Tag { field: which, .. } => {
            let fields = store::custom_fields::all(sql, institution).await?;
            field = fields.into_iter().find(|one| one.id == *which).map(|one| one.label);
        }
        TaskAction::Invite { .. } | TaskAction::Remind { .. } | TaskAction::Delete | TaskAction::Restore => {}
    }
    Ok(TaskView { task, outcomes, page, field })
}

async fn own_task(sql: &mut Sql, actor: &Actor, access: &Access, id: PeopleTaskId) -> Result<PeopleTask> {
    let found = tasks::find(sql, access.institution, id).await?;
    let is_own = |task: &PeopleTask| access.pages().is_none() || task.created_by == actor.signature();
    found.filter(is_own).ok_or(Error::Missing(Missing::Job))
}

/// Does what is left of a task. It can be interrupted and repeated, and two may do it at a time.
pub async fn run(app: &App, institution: InstitutionId, id: PeopleTaskId) -> Result<()> {
    loop {
        let sql = &mut app.db.read();
        let Some(task) = tasks::find(sql, institution, id).await? else { return Ok(()) };
        if task.state == TaskState::Done {
            return Ok(());
        }
        let next = tasks::next(sql, institution, id, GROUP).await?;
        if next.is_empty() {
            return end(app, institution, id).await;
        }
        match &task.action {
            TaskAction::Invite { base_url } | TaskAction::Remind { base_url } => {
                let outcomes = write_to(app, institution, &task, base_url, next).await?;
                settle(app, institution, id, outcomes).await?;
            }
            TaskAction::Move { .. } | TaskAction::Tag { .. } | TaskAction::Delete | TaskAction::Restore => {
                change(app, institution, task).await?;
            }
        }
        app.queue.wake();
    }
}

/// Ends a task whose job has failed for the last time.
pub(super) async fn give_up(sql: &mut Sql, institution: InstitutionId, id: PeopleTaskId) -> Result<()> {
    Ok(tasks::end(sql, institution, id, TaskState::Failed).await?)
}

async fn end(app: &App, institution: InstitutionId, id: PeopleTaskId) -> Result<()> {
    app.db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move { Ok(tasks::end(sql, institution, id, TaskState::Done).await?) })
        })
        .await
}

/// People of a task by their numbers, with what has become of them.
type Outcomes = Vec<(i64, TaskOutcome)>;

async fn settle(app: &App, institution: InstitutionId, id: PeopleTaskId, outcomes: Outcomes) -> Result<()> {
    app.db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move { Ok(settle_in(sql, institution, id, outcomes).await?) })
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
async fn write_to(
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
                reminded(invitations::remind_now(app, institution, person.page, key, base_url).await?)
            }
            (Some(person), Some(email)) => invite(app, institution, person, email, base_url).await?,
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

async fn invite(
    app: &App,
    institution: InstitutionId,
    person: &Slim,
    email: Email,
    base_url: &str,
) -> Result<TaskOutcome> {
    let terms = Terms { delivery: Delivery::Mail, base_url: base_url.to_owned(), ..Terms::of(app) };
    let invitee =
        Invitee { email, first_name: person.first_name.clone(), last_name: person.last_name.clone() };
    let report = match invitations::invite_batch(app, institution, person.page, vec![invitee], terms).await {
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

/// Changes the next group of people, in one transaction with what has become of them.
async fn change(app: &App, institution: InstitutionId, task: PeopleTask) -> Result<()> {
    let (owned_app, now) = (app.clone(), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                // Another worker may have been quicker.
                let next = tasks::next(sql, institution, task.id, GROUP).await?;
                let outcomes = match &task.action {
                    TaskAction::Move { page } => move_to(sql, institution, &task, next, *page, now).await?,
                    TaskAction::Tag { field, value } => {
                        tag(sql, institution, &task, next, (*field, value.as_deref()), now).await?
                    }
                    TaskAction::Delete => delete(sql, &owned_app, institution, &task, next, now).await?,
                    TaskAction::Restore => restore(sql, institution, &task, next, now).await?,
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
    institution: InstitutionId,
    task: &PeopleTask,
    next: &[(i64, ParticipantId)],
) -> Result<HashMap<ParticipantId, Place>> {
    let ids: Vec<ParticipantId> = next.iter().map(|(_, id)| *id).collect();
    let found = people_list::places(sql, institution, &ids, false).await?.into_iter();
    Ok(found.filter(|place| task.reaches(place.page)).map(|place| (place.id, place)).collect())
}

async fn move_to(
    sql: &mut Sql,
    institution: InstitutionId,
    task: &PeopleTask,
    next: Vec<(i64, ParticipantId)>,
    page: NamePageId,
    now: Moment,
) -> Result<Outcomes> {
    if !is_writable(sql, institution, page).await? {
        return Ok(next.into_iter().map(|(number, _)| (number, TaskOutcome::Closed)).collect());
    }
    let places = places(sql, institution, task, &next).await?;
    let mut outcomes = Vec::with_capacity(next.len());
    for (number, id) in next {
        let outcome = match places.get(&id) {
            Some(place) => move_one(sql, institution, place, page, now).await?,
            None => TaskOutcome::Gone,
        };
        outcomes.push((number, outcome));
    }
    Ok(outcomes)
}

async fn move_one(
    sql: &mut Sql,
    institution: InstitutionId,
    place: &Place,
    page: NamePageId,
    now: Moment,
) -> Result<TaskOutcome> {
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
    entries::change_page(sql, institution, &entry, way, now).await?;
    Ok(TaskOutcome::Done)
}

async fn tag(
    sql: &mut Sql,
    institution: InstitutionId,
    task: &PeopleTask,
    next: Vec<(i64, ParticipantId)>,
    (field, value): (CustomFieldId, Option<&str>),
    now: Moment,
) -> Result<Outcomes> {
    let places = places(sql, institution, task, &next).await?;
    let ids: Vec<ParticipantId> = places.keys().copied().collect();
    let people = store::participants::by_ids(sql, institution, &ids).await?;
    let mut people: HashMap<_, _> = people.into_iter().map(|person| (person.id, person)).collect();
    let fields = store::custom_fields::all(sql, institution).await?;
    // It may have been deleted since.
    let key = fields.iter().find(|one| one.id == field).map(CustomField::import_key);
    let mut outcomes = Vec::with_capacity(next.len());
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
                match participants::update_in(sql, institution, person, draft, now).await {
                    Ok(_) => TaskOutcome::Done,
                    // Somebody without any name cannot be changed.
                    Err(Error::Invalid(_)) => TaskOutcome::Unchanged,
                    Err(error) => return Err(error),
                }
            }
        };
        outcomes.push((number, outcome));
    }
    Ok(outcomes)
}

async fn delete(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    task: &PeopleTask,
    next: Vec<(i64, ParticipantId)>,
    now: Moment,
) -> Result<Outcomes> {
    let places = places(sql, institution, task, &next).await?;
    let all: Vec<Place> = places.values().cloned().collect();
    deleted_people::hide(sql, app, institution, &all, &task.created_by, now).await?;
    let outcome = |id: &ParticipantId| match places.contains_key(id) {
        true => TaskOutcome::Done,
        false => TaskOutcome::Gone,
    };
    Ok(next.iter().map(|(number, id)| (*number, outcome(id))).collect())
}

async fn restore(
    sql: &mut Sql,
    institution: InstitutionId,
    task: &PeopleTask,
    next: Vec<(i64, ParticipantId)>,
    now: Moment,
) -> Result<Outcomes> {
    let ids: Vec<ParticipantId> = next.iter().map(|(_, id)| *id).collect();
    let found = deleted_people::restorable(sql, institution, &ids).await?.into_iter();
    let found: HashMap<ParticipantId, (Place, Moment)> =
        found.filter(|(place, _)| task.reaches(place.page)).map(|one| (one.0.id, one)).collect();
    let mut outcomes = Vec::with_capacity(next.len());
    for (number, id) in next {
        let outcome = match found.get(&id) {
            Some((place, deleted_at)) => {
                deleted_people::show(sql, institution, place, *deleted_at, now).await?
            }
            None => TaskOutcome::Gone,
        };
        outcomes.push((number, outcome));
    }
    Ok(outcomes)
}

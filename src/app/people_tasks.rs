//! What is done with many people at once: whoever is selected, or everybody who matches a query. The people are written down first. A job
//! then takes them in groups and writes what has become of each, so that progress is exact, survives a restart, and nothing is done
//! twice. A few people are done at once.

mod groups;

use std::time::Duration;

use super::{Actor, App, Error, Missing, Result, jobs, people_search};
use crate::{
    domain::{
        access::{Access, Action},
        fault::{Fault, Field},
        ids::{InstitutionId, NamePageId, ParticipantId, PeopleTaskId},
        job::Job,
        people_query::PeopleQuery,
        people_task::{FEW_PEOPLE, MOST_PEOPLE, PeopleTask, TaskAction, TaskOutcome, TaskState},
        text::{self, Lines, longest},
    },
    store::{
        self, Sql, page_lists,
        people_list::{self, Place},
        people_tasks as tasks,
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
        // It is begun. Its job completes what cannot be done now.
        if let Err(error) = run(app, institution, id).await {
            tracing::warn!(%error, task = %id, "a task with people is left to its job");
        }
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
            page = page_lists::names_of(sql, institution, &[*to]).await?.remove(to).map(|page| page.title);
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
                let outcomes = groups::write_to(app, institution, &task, base_url, next).await?;
                groups::settle(app, institution, id, outcomes).await?;
            }
            TaskAction::Move { .. } | TaskAction::Tag { .. } | TaskAction::Delete | TaskAction::Restore => {
                groups::change(app, institution, task.id).await?;
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

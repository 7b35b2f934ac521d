//! What is going on in an institution, for pages that show it while it happens. Any number of visitors of a node read the database once
//! per second and institution.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use moka::sync::Cache;

use super::{Actor, App, Result};
use crate::{
    domain::{
        access::Action,
        export::State as ExportState,
        ids::{InstitutionId, NamePageId},
        import::ImportState,
        job::{Job, Kind, State as JobState},
        people_task::{PeopleTask, TaskState},
        session::PersonId,
    },
    store::{
        Sql, people_tasks,
        progress::{self, ExportRow, ImportRow, JobRow},
    },
};

/// How long what was read is good for.
const FRESH: Duration = Duration::from_secs(1);
/// Streams of events that one person has at a time on a node, those of an institution, and all of them together. An institution never
/// has them all.
const MOST_OF_PERSON: usize = 4;
const MOST_OF_INSTITUTION: usize = 64;
const MOST_STREAMS: usize = 256;
/// Institutions of which something is known, and how long after the last look.
const MOST_KNOWN: u64 = 1_000;
const KNOWN_FOR: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Import,
    Export,
    /// Something that is done with many people.
    People,
    Course,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Waiting,
    Running,
    Done,
    Failed,
}

impl Stage {
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed)
    }
}

/// An import, an export, a task with many people or a job. The number is its id, and that of its job: pages show either of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub id: i64,
    pub work: Work,
    pub stage: Stage,
    /// Rows, if it is known how many there are.
    pub rows: Option<Rows>,
    /// The pages whose people it concerns; `None` for all.
    pages: Option<Vec<NamePageId>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    pub done: u64,
    pub total: u64,
}

impl Task {
    /// Does it concern none but these pages? If its own are all gone, nobody knows whose it was.
    fn is_of(&self, pages: Option<&[NamePageId]>) -> bool {
        match (pages, &self.pages) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(its)) => !its.is_empty() && its.iter().all(|page| own.contains(page)),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Queues {
    pub calls_scheduled: u64,
    pub calls_under_way: u64,
    /// Messages that wait to be sent.
    pub messages: u64,
}

/// What an actor may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub tasks: Vec<Task>,
    /// For administrators.
    pub queues: Option<Queues>,
}

#[derive(Debug, Default)]
struct Snapshot {
    tasks: Vec<Task>,
    queues: Queues,
}

/// What was read last about each institution that somebody watches, and who does.
pub struct Board {
    /// Forgotten when nobody has looked for a minute.
    known: Cache<InstitutionId, Arc<Known>>,
    watchers: Arc<Mutex<HashMap<PersonId, usize>>>,
}

/// Held while the database is read: of the visitors who need it, one reads.
type Known = tokio::sync::Mutex<Option<(Instant, Arc<Snapshot>)>>;

/// Somebody who receives events, until it is dropped.
pub struct Watcher {
    watchers: Arc<Mutex<HashMap<PersonId, usize>>>,
    person: PersonId,
}

impl Default for Board {
    fn default() -> Self {
        let known = Cache::builder().max_capacity(MOST_KNOWN).time_to_idle(KNOWN_FOR).build();
        Self { known, watchers: Arc::default() }
    }
}

impl Board {
    fn known(&self, institution: InstitutionId) -> Arc<Known> {
        self.known.get_with(institution, Arc::default)
    }

    /// `None` if this person, their institution, or everybody together, has too many streams.
    pub fn watch(&self, person: &PersonId) -> Option<Watcher> {
        let mut watchers = locked(&self.watchers);
        let own = watchers.get(person).copied().unwrap_or(0);
        let (mut of_institution, mut all) = (0_usize, 0_usize);
        for (other, count) in &*watchers {
            all += count;
            if other.institution == person.institution {
                of_institution += count;
            }
        }
        if own >= MOST_OF_PERSON || of_institution >= MOST_OF_INSTITUTION || all >= MOST_STREAMS {
            return None;
        }
        watchers.insert(person.clone(), own + 1);
        Some(Watcher { watchers: self.watchers.clone(), person: person.clone() })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let mut watchers = locked(&self.watchers);
        if let Some(own) = watchers.get_mut(&self.person) {
            *own -= 1;
            if *own == 0 {
                watchers.remove(&self.person);
            }
        }
    }
}

fn locked(watchers: &Mutex<HashMap<PersonId, usize>>) -> MutexGuard<'_, HashMap<PersonId, usize>> {
    watchers.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is going on on the pages that the actor may change.
pub async fn of(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Progress> {
    let access = actor.permit(Action::Write, institution)?;
    let snapshot = snapshot(app, institution).await?;
    let tasks = snapshot.tasks.iter().filter(|task| task.is_of(access.pages())).cloned().collect();
    let queues = actor.administer(institution).is_ok().then_some(snapshot.queues);
    Ok(Progress { tasks, queues })
}

async fn snapshot(app: &App, institution: InstitutionId) -> Result<Arc<Snapshot>> {
    let known = app.progress.known(institution);
    let mut known = known.lock().await;
    let now = app.clock.instant();
    if let Some((read_at, snapshot)) = &*known
        && now.saturating_duration_since(*read_at) < FRESH
    {
        return Ok(snapshot.clone());
    }
    let read = Arc::new(read(&mut app.db.read(), institution).await?);
    *known = Some((now, read.clone()));
    Ok(read)
}

async fn read(sql: &mut Sql, institution: InstitutionId) -> Result<Snapshot> {
    let imports = progress::imports(sql, institution).await?;
    let mut tasks: Vec<Task> = imports.into_iter().filter_map(of_import).collect();
    let exports = progress::exports(sql, institution).await?;
    tasks.extend(exports.into_iter().filter_map(of_export));
    let with_many = people_tasks::newest(sql, institution, progress::SHOWN).await?;
    tasks.extend(with_many.into_iter().map(of_people));
    for kind in [Kind::RunImport, Kind::BuildExport, Kind::RunPeopleTask, Kind::SyncCourse] {
        for row in progress::jobs(sql, institution, kind).await? {
            tasks.extend(of_job(&row, &tasks));
        }
    }
    let (calls_scheduled, calls_under_way) = progress::calls(sql, institution).await?;
    let messages = progress::alive(sql, institution, Kind::SendMail).await?
        + progress::alive(sql, institution, Kind::SendBulkMail).await?;
    Ok(Snapshot { tasks, queues: Queues { calls_scheduled, calls_under_way, messages } })
}

fn of_import(import: ImportRow) -> Option<Task> {
    let (stage, is_undo) = match import.state {
        // Somebody looks at the file.
        ImportState::Uploaded | ImportState::Checked => return None,
        ImportState::Waiting => (Stage::Waiting, false),
        ImportState::Checking | ImportState::Running => (Stage::Running, false),
        ImportState::Done => (Stage::Done, false),
        ImportState::Failed => (Stage::Failed, false),
        // From then on, it counts the people for whom it has not been undone.
        ImportState::Undoing => (Stage::Running, true),
        ImportState::Undone => (Stage::Done, true),
    };
    let done = |total: u64| if is_undo { total.saturating_sub(import.done) } else { import.done.min(total) };
    let rows = import.total.map(|total| Rows { done: done(total), total });
    Some(Task { id: import.id.get(), work: Work::Import, stage, rows, pages: Some(vec![import.page]) })
}

fn of_export(export: ExportRow) -> Option<Task> {
    let stage = match export.state {
        ExportState::Initial => Stage::Waiting,
        ExportState::InProgress => Stage::Running,
        ExportState::Completed => Stage::Done,
        ExportState::Failed => Stage::Failed,
        ExportState::Expired => return None,
    };
    let rows = match (stage, export.people, export.people_total) {
        (Stage::Done, Some(people), _) => Some(Rows { done: people, total: people }),
        (Stage::Running, Some(people), Some(total)) => Some(Rows { done: people.min(total), total }),
        _ => None,
    };
    Some(Task { id: export.id.get(), work: Work::Export, stage, rows, pages: export.pages })
}

fn of_people(task: PeopleTask) -> Task {
    let stage = match task.state {
        TaskState::Waiting => Stage::Running,
        TaskState::Done => Stage::Done,
        TaskState::Failed => Stage::Failed,
    };
    let rows = Some(Rows { done: task.rows_done, total: task.rows_total });
    Task { id: task.id.get(), work: Work::People, stage, rows, pages: task.pages }
}

/// The job of an import, an export or a task with many people is as far as that.
fn of_job(row: &JobRow, tasks: &[Task]) -> Option<Task> {
    let id = row.id.get();
    let same = |of: i64| tasks.iter().find(|task| task.id == of).map(|task| Task { id, ..task.clone() });
    match row.job.as_ref()? {
        Job::RunImport { import, .. } => same(import.get()),
        Job::BuildExport { export, .. } => same(export.get()),
        Job::RunPeopleTask { task, .. } => same(task.get()),
        _ => {
            let is_running = row.state == JobState::Running;
            let stage = if is_running { Stage::Running } else { Stage::Waiting };
            Some(Task { id, work: Work::Course, stage, rows: None, pages: None })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{ExportId, ImportId, JobId};

    fn import(state: ImportState, done: u64, total: Option<u64>) -> Option<Task> {
        of_import(ImportRow { id: ImportId::new(7), page: NamePageId::new(3), state, done, total })
    }

    #[test]
    fn an_import_counts_up_and_its_undoing_counts_what_is_undone() {
        let rows = |state, done| import(state, done, Some(10)).unwrap().rows.unwrap().done;
        assert_eq!(rows(ImportState::Running, 4), 4);
        assert_eq!(rows(ImportState::Undoing, 4), 6);
        assert_eq!(rows(ImportState::Undone, 0), 10);
        assert_eq!(import(ImportState::Waiting, 0, None).unwrap().rows, None);
        assert_eq!(import(ImportState::Checked, 10, Some(10)), None);
    }

    #[test]
    fn an_export_counts_the_people_in_its_report() {
        let export = |state, people, people_total| {
            let row = ExportRow { id: ExportId::new(8), state, pages: None, people, people_total };
            of_export(row).unwrap().rows
        };
        let rows = |done, total| Some(Rows { done, total });
        assert_eq!(export(ExportState::InProgress, Some(50), Some(100)), rows(50, 100));
        assert_eq!(export(ExportState::InProgress, Some(101), Some(100)), rows(100, 100), "somebody is new");
        assert_eq!(export(ExportState::Completed, Some(98), Some(100)), rows(98, 98), "two have left");
        assert_eq!(export(ExportState::InProgress, Some(50), None), None);
        assert_eq!(export(ExportState::Initial, Some(0), None), None);
        assert_eq!(export(ExportState::Completed, None, Some(100)), None, "an earlier version made it");
    }

    #[test]
    fn a_job_is_as_far_as_its_import() {
        let tasks = vec![import(ImportState::Running, 4, Some(10)).unwrap()];
        let institution = InstitutionId::new(1);
        let row = |job| JobRow { id: JobId::new(9), state: JobState::Running, job: Some(job) };
        let found = of_job(&row(Job::RunImport { institution, import: ImportId::new(7) }), &tasks).unwrap();
        assert_eq!((found.id, found.rows), (9, Some(Rows { done: 4, total: 10 })));
        assert_eq!(of_job(&row(Job::RunImport { institution, import: ImportId::new(6) }), &tasks), None);
    }

    #[test]
    fn a_manager_sees_what_concerns_none_but_their_pages() {
        let [one, two] = [1, 2].map(NamePageId::new);
        let task = |pages| Task { id: 1, work: Work::Export, stage: Stage::Running, rows: None, pages };
        assert!(task(Some(vec![one])).is_of(Some(&[one, two])) && task(None).is_of(None));
        assert!(!task(Some(vec![one, two])).is_of(Some(&[one])));
        assert!(!task(None).is_of(Some(&[one])));
        assert!(!task(Some(vec![])).is_of(Some(&[one])) && task(Some(vec![])).is_of(None), "all are gone");
    }

    #[test]
    fn a_person_has_few_streams_at_a_time() {
        let board = Board::default();
        let person = |email: &str| PersonId { institution: InstitutionId::new(1), email_key: email.into() };
        let mut held: Vec<Watcher> =
            (0..MOST_OF_PERSON).map(|_| board.watch(&person("a@x.org")).unwrap()).collect();
        assert!(board.watch(&person("a@x.org")).is_none());
        assert!(board.watch(&person("b@x.org")).is_some());
        held.pop();
        assert!(board.watch(&person("a@x.org")).is_some());
        drop(held);
        assert!(locked(&board.watchers).is_empty(), "nobody watches");
    }

    #[test]
    fn what_is_known_of_many_institutions_does_not_pile_up() {
        let board = Board::default();
        let same = board.known(InstitutionId::new(1));
        assert!(Arc::ptr_eq(&same, &board.known(InstitutionId::new(1))), "visitors share what was read");
        for institution in 0..3 * MOST_KNOWN {
            board.known(InstitutionId::new(institution as i64));
        }
        board.known.run_pending_tasks();
        assert!(board.known.entry_count() <= MOST_KNOWN, "{}", board.known.entry_count());
        assert!(board.known.policy().time_to_idle().is_some(), "nor does what nobody looks at");
    }

    #[test]
    fn an_institution_leaves_streams_to_the_others() {
        let board = Board::default();
        let watch = |institution: i64, person: usize| {
            let email_key = format!("p{person}@x.org");
            board.watch(&PersonId { institution: InstitutionId::new(institution), email_key })
        };
        let mut held: Vec<Watcher> = (0..MOST_OF_INSTITUTION).map(|n| watch(1, n).unwrap()).collect();
        assert!(watch(1, MOST_OF_INSTITUTION).is_none());
        assert!(watch(2, 0).is_some(), "there are more");
        held.pop();
        assert!(watch(1, MOST_OF_INSTITUTION).is_some());
    }
}

//! Courses: looked up in a learning system, given a name page, and synchronized with the system's roster by a job.

mod aliases;
mod apply;
mod join;
mod known_names;
mod merge;
mod photos;
mod roster;
mod schedule;
mod staff;

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use futures_util::{StreamExt, TryStreamExt};

pub(super) use aliases::{promote, takes_over};
pub(super) use join::{Joining, join};
pub use merge::{Merged, merge};
pub use roster::run;
pub use schedule::run_due;
pub(super) use staff::{add_own_entry, own_entry, previews, seen};

use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
    idempotency::{self, Creation},
    jobs, name_pages, tool_consumers,
};
use crate::{
    domain::{
        access::{Access, Action},
        audit::{Act, SubjectKind, Who, WhoKind},
        course::{Course, CourseFigures, Sync, platform_key},
        idempotency::{Made, RequestKey},
        ids::{CourseId, InstitutionId, JobId, ToolConsumerId},
        job::Job,
        matching::clean,
        moment::Moment,
        scope::Scope,
        text::longest,
        tool_consumer::{Selector, ToolConsumer},
    },
    lms::{self, Found},
    store::{self, Sql, courses, rolls},
};

/// The result of a request to synchronize courses.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Course ids, as given, that the learning system does not have.
    pub unknown: Vec<String>,
    /// Newly started, or a retry that now runs at once.
    pub started: Vec<Course>,
    /// Already being synchronized by an earlier request.
    pub running: Vec<Course>,
}

impl Outcome {
    /// What is kept with the key of the request. Positions, because a client's texts may be long.
    fn made(&self, given: &[String]) -> Made {
        let position = |unknown: &String| given.iter().position(|given| given == unknown);
        Made::Synchronizations { unknown: self.unknown.iter().filter_map(position).collect() }
    }
}

/// How an API version treats courses that are already being synchronized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenRunning {
    /// Not an error: they are returned in `Outcome::running`.
    Fine,
    /// Fails with `CourseSynchronizing` and rolls back.
    Refuse,
}

/// How to treat a roster that lacks most of the people on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossPolicy {
    HeldBack,
    /// An operator confirmed the losses, for one synchronization.
    Accepted,
}

/// Resolves the tool consumer from a path segment and an api_token. A mismatch is reported as missing, even if the tool
/// consumer is disabled.
pub async fn consumer(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    word: &str,
    api_token: &str,
) -> Result<ToolConsumer> {
    actor.permit(Action::Sync, institution)?;
    let word = Selector::parse(word);
    let found = tool_consumers::by_token(app, institution, api_token).await?;
    if !found.answers_to(word) {
        return Err(Error::Missing(Missing::ToolConsumer));
    }
    if !found.is_open() {
        return Err(Error::ToolConsumerDisabled);
    }
    Ok(found)
}

/// Whether a path segment is valid: `lms`, a known product, or the product of one of the institution's tool consumers.
pub async fn is_known_word(app: &App, actor: &Actor, institution: InstitutionId, word: &str) -> Result<bool> {
    actor.permit(Action::Sync, institution)?;
    let word = Selector::parse(word);
    if word.is_known() {
        return Ok(true);
    }
    let all = store::tool_consumers::all(&mut app.db.read(), Scope::Institution(institution)).await?;
    Ok(all.iter().any(|consumer| consumer.answers_to(word)))
}

const CONCURRENT_CHECKS: usize = 16;
const START_BATCH: usize = 50;
/// Timeout for looking up courses; the caller waits for the answer.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// Starts the synchronization of courses. Looks all of them up first; if the learning system fails on any lookup, starts
/// nothing. The outcome of a repeated request has only the unknown courses.
pub async fn synchronize(
    app: &App,
    actor: &Actor,
    consumer: &ToolConsumer,
    given: Vec<String>,
    when_running: WhenRunning,
    key: Option<RequestKey>,
) -> Result<Creation<Outcome>> {
    let access = actor.permit(Action::Sync, consumer.institution)?;
    let given = given.as_slice();
    let start = start_all(app, &access, consumer, given, (when_running, LossPolicy::HeldBack), key.as_ref());
    idempotency::once(app, key.as_ref(), start, move |made| async move {
        let Made::Synchronizations { unknown } = made else { return Err(idempotency::other_kind()) };
        // The digest of the request has shown that it is the same list.
        let unknown = unknown.into_iter().filter_map(|position| given.get(position).cloned()).collect();
        Ok(Outcome { unknown, ..Outcome::default() })
    })
    .await
}

pub async fn synchronize_with(
    app: &App,
    actor: &Actor,
    consumer: &ToolConsumer,
    given: Vec<String>,
    when_running: WhenRunning,
    losses: LossPolicy,
) -> Result<Outcome> {
    if losses == LossPolicy::Accepted {
        actor.administer(consumer.institution)?;
    }
    let access = actor.permit(Action::Sync, consumer.institution)?;
    start_all(app, &access, consumer, &given, (when_running, losses), None).await
}

async fn start_all(
    app: &App,
    access: &Access,
    consumer: &ToolConsumer,
    given: &[String],
    rules: (WhenRunning, LossPolicy),
    key: Option<&RequestKey>,
) -> Result<Outcome> {
    // Nothing is asked, either. `begin` checks it again, under the lock.
    if !consumer.is_open() {
        return Err(Error::ToolConsumerDisabled);
    }
    let connection = tool_consumers::connect(app, consumer).await?;
    let mut seen = HashSet::new();
    let distinct: Vec<&str> = given.iter().map(String::as_str).filter(|given| seen.insert(*given)).collect();
    let late = || lms::Error::Unavailable("the learning system takes too long to answer".to_owned());
    let mut deadline = std::pin::pin!(tokio::time::sleep(CHECK_TIMEOUT));
    let Known { wanted, own: known_courses } = tokio::select! {
        known = known(app, consumer, &distinct) => known?,
        () = &mut deadline => return Err(late().into()),
    };
    let several = wanted.len() > 1;
    let checks = wanted.into_iter().map(|wanted| {
        let connection = connection.clone();
        async move {
            // A missing course is unknown, not an error.
            let found = match connection.find(&wanted).await {
                Err(lms::Error::Missing) => None,
                // Name the course that failed.
                Err(error) if several => return Err(error.in_course(&wanted.given)),
                other => other?,
            };
            Ok::<_, lms::Error>((wanted.given, found))
        }
    });
    let checks = futures_util::stream::iter(checks).buffered(CONCURRENT_CHECKS).try_collect::<Vec<_>>();
    let checked = tokio::select! {
        checked = checks => checked,
        () = &mut deadline => Err(late()),
    };
    let checked = match checked {
        Ok(checked) => checked,
        Err(error) => {
            let all = known_courses.into_values().collect();
            not_started(app, consumer.institution, all, error.to_string()).await?;
            return Err(error.into());
        }
    };
    let mut outcome = Outcome::default();
    let mut found = Vec::new();
    for (given, answer) in checked {
        match answer {
            Some(course) => found.push(course),
            None => outcome.unknown.push(given),
        }
    }
    let gone: Vec<CourseId> =
        outcome.unknown.iter().filter_map(|given| known_courses.get(given)).copied().collect();
    not_started(app, consumer.institution, gone, connection.why_missing().to_owned()).await?;
    let mut once = HashSet::new();
    found.retain(|course| once.insert(course.id.clone()));
    // In batches, so that a long list does not block other writes. The key is used with the last one: until then, a repeated request
    // must start what is left. Courses that are still being synchronized are left alone; others are synchronized again.
    let mut groups = found.chunks(START_BATCH).peekable();
    while let Some(group) = groups.next() {
        let is_last = groups.peek().is_none();
        let claim = key.filter(|_| is_last).map(|key| (key.clone(), outcome.made(given)));
        let (started, running) = begin(app, access, consumer, group.to_vec(), rules, claim).await?;
        outcome.started.extend(started);
        outcome.running.extend(running);
        app.queue.wake();
    }
    Ok(outcome)
}

/// What is known about courses before the learning system is asked.
struct Known {
    wanted: Vec<lms::CourseRef>,
    /// Those that the tool consumer synchronizes.
    own: HashMap<String, CourseId>,
}

/// Reads all of them at once: there may be a thousand.
async fn known(app: &App, consumer: &ToolConsumer, given: &[&str]) -> Result<Known> {
    let (sql, institution, id) = (&mut app.db.read(), consumer.institution, consumer.id);
    let own = courses::by_external_ids(sql, institution, id, given).await?;
    let own: HashMap<String, Course> =
        own.into_iter().map(|course| (course.external_id.clone(), course)).collect();
    let others: Vec<&str> = given.iter().copied().filter(|given| !own.contains_key(*given)).collect();
    // Another tool consumer synchronizes them. Never send this one's token to that one's URL: use the alias.
    let ways = courses::aliases::find_all(sql, institution, id, &others).await?;
    let ids: Vec<CourseId> = ways.iter().map(|way| way.course).collect();
    let titles = courses::titles(sql, institution, &ids).await?;
    let mut ways: HashMap<String, courses::aliases::Alias> =
        ways.into_iter().map(|way| (way.external_id.clone(), way)).collect();
    let one = |given: &&str| {
        let given = (*given).to_owned();
        if let Some(course) = own.get(&given) {
            let (title, memberships_url) = (Some(course.title.clone()), course.memberships_url.clone());
            return lms::CourseRef { given, memberships_url, title };
        }
        let way = ways.remove(&given);
        let title = way.as_ref().and_then(|way| titles.get(&way.course).cloned());
        // Its course was deleted meanwhile.
        let memberships_url = way.filter(|_| title.is_some()).and_then(|way| way.memberships_url);
        lms::CourseRef { given, memberships_url, title }
    };
    let wanted = given.iter().map(one).collect();
    Ok(Known { wanted, own: own.iter().map(|(given, course)| (given.clone(), course.id)).collect() })
}

/// Records why courses could not be looked up, unless a pending synchronization will record its own result.
async fn not_started(app: &App, institution: InstitutionId, ids: Vec<CourseId>, why: String) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    app.db
        .write(move |sql| {
            Box::pin(async move {
                if !rolls::lock_if_there(sql, institution).await? {
                    return Ok(());
                }
                for id in ids {
                    let found = courses::find(sql, institution, id).await?;
                    if found.is_some_and(|(course, _)| course.sync == Sync::Idle) {
                        courses::end(sql, institution, id, courses::SyncResult::Failed(&why)).await?;
                    }
                }
                Ok(())
            })
        })
        .await
}

/// Starts the synchronization of a course that is known to exist. One that is already running is left alone.
pub(super) async fn start(app: &App, consumer: &ToolConsumer, found: Found) -> Result<()> {
    let access = Actor::System.access(consumer.institution)?;
    begin(app, &access, consumer, vec![found], (WhenRunning::Fine, LossPolicy::HeldBack), None).await?;
    app.queue.wake();
    Ok(())
}

/// Takes the institution's lock and re-reads the tool consumer: either may have been deleted since the learning system was
/// queried.
async fn lock(sql: &mut Sql, institution: InstitutionId, consumer: ToolConsumerId) -> Result<ToolConsumer> {
    if !rolls::lock_if_there(sql, institution).await? {
        return Err(Error::Missing(Missing::Institution));
    }
    let found = store::tool_consumers::find(sql, Scope::Institution(institution), consumer).await?;
    found.ok_or(Error::Missing(Missing::ToolConsumer))
}

/// Enqueues a batch of courses in one transaction. Returns the started and the already running courses.
async fn begin(
    app: &App,
    access: &Access,
    consumer: &ToolConsumer,
    found: Vec<Found>,
    rules: (WhenRunning, LossPolicy),
    claim: Option<(RequestKey, Made)>,
) -> Result<(Vec<Course>, Vec<Course>)> {
    match begin_once(app, access, consumer, found.clone(), rules, claim.clone()).await {
        // Retry once: another institution has just taken the page's slug, and the next attempt picks a different one.
        Err(Error::Invalid(_)) => begin_once(app, access, consumer, found, rules, claim).await,
        other => other,
    }
}

async fn begin_once(
    app: &App,
    access: &Access,
    consumer: &ToolConsumer,
    found: Vec<Found>,
    (when_running, losses): (WhenRunning, LossPolicy),
    claim: Option<(RequestKey, Made)>,
) -> Result<(Vec<Course>, Vec<Course>)> {
    let (owned_app, access, now) = (app.clone(), access.clone(), app.clock.now());
    let record = Record::of(app, &access, Act::CourseSyncRequested);
    let (institution, consumer) = (consumer.institution, consumer.id);
    app.db
        .write(move |sql| {
            Box::pin(async move {
                let consumer = lock(sql, institution, consumer).await?;
                if !consumer.is_open() {
                    return Err(Error::ToolConsumerDisabled);
                }
                if let Some((key, made)) = &claim {
                    idempotency::claim(sql, key, made, now).await?;
                }
                let (mut started, mut running) = (Vec::new(), Vec::new());
                for found in &found {
                    let key = platform_key(&consumer, &found.id, None);
                    let known = (found, key);
                    let (course, job) = ensure_in(sql, &owned_app, &record, &consumer, known, now).await?;
                    // A token that is limited to certain pages cannot create new ones; the error rolls the transaction back.
                    name_pages::check(&access, course.name_page)?;
                    match (course.sync, job) {
                        (Sync::Running, _) => {
                            // The running synchronization may have fetched its roster already; the confirmation must not
                            // apply to that one.
                            if when_running == WhenRunning::Refuse || losses == LossPolicy::Accepted {
                                return Err(Error::CourseSynchronizing);
                            }
                            running.push(course);
                            continue;
                        }
                        (Sync::Resting, Some(job)) => {
                            if losses == LossPolicy::Accepted {
                                courses::accept_losses(sql, institution, course.id, true).await?;
                            }
                            store::jobs::expedite(sql, job, now).await?;
                        }
                        (Sync::Resting | Sync::Idle, old) => {
                            enqueue(sql, &owned_app, institution, (course.id, old), losses, now).await?;
                        }
                    }
                    started.push(course);
                }
                // Not what the schedule does every night.
                if access.by.kind != WhoKind::System {
                    let requested = |course: &Course| about(record.another(&owned_app.ids), course);
                    let records: Vec<Record> = started.iter().map(requested).collect();
                    audit::write(sql, &records).await?;
                }
                Ok((started, running))
            })
        })
        .await
}

fn about(record: Record, course: &Course) -> Record {
    record.about(SubjectKind::Course, course.id, &course.title)
}

/// Enqueues the job of a course that has none, or only a dead one.
async fn enqueue(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    (course, old): (CourseId, Option<JobId>),
    losses: LossPolicy,
    now: Moment,
) -> Result<()> {
    // A confirmation holds for one synchronization only. It does not outlive a dead job.
    courses::accept_losses(sql, institution, course, losses == LossPolicy::Accepted).await?;
    if let Some(old) = old {
        store::jobs::remove_dead(sql, old).await?;
    }
    let id = app.ids.id(now);
    jobs::enqueue(sql, id, &Job::SyncCourse { institution, course }, now, now).await?;
    Ok(courses::set_job(sql, institution, course, id).await?)
}

/// Finds or creates a course, with its name page, by the learning system's id. `key` is its `platform_key`.
pub async fn ensure(app: &App, consumer: &ToolConsumer, found: Found, key: Option<String>) -> Result<Course> {
    match ensure_once(app, consumer, found.clone(), key.clone()).await {
        // Slug conflict, as in `begin`.
        Err(Error::Invalid(_)) => ensure_once(app, consumer, found, key).await,
        other => other,
    }
}

async fn ensure_once(
    app: &App,
    consumer: &ToolConsumer,
    found: Found,
    key: Option<String>,
) -> Result<Course> {
    let (owned_app, now) = (app.clone(), app.clock.now());
    let who = Who::named(WhoKind::System, &consumer.name);
    let record = Record::by(app, who, consumer.institution, Act::NamePageCreated);
    let (institution, consumer) = (consumer.institution, consumer.id);
    app.db
        .write(move |sql| {
            Box::pin(async move {
                let consumer = lock(sql, institution, consumer).await?;
                let made = ensure_in(sql, &owned_app, &record, &consumer, (&found, key), now).await?;
                Ok(made.0)
            })
        })
        .await
}

/// Returns the course and its latest job, if it ever had one.
async fn ensure_in(
    sql: &mut Sql,
    app: &App,
    record: &Record,
    consumer: &ToolConsumer,
    (found, key): (&Found, Option<String>),
    now: Moment,
) -> Result<(Course, Option<JobId>)> {
    let institution = consumer.institution;
    let title = title(&found.title, &found.id);
    let memberships_url = found.memberships_url.as_deref();
    let mut known = courses::by_external_id(sql, institution, consumer.id, &found.id).await?;
    if let (None, Some(key)) = (&known, &key) {
        backfill_keys(sql, institution, &found.id, key).await?;
        // Two courses with different ids at one tool consumer are distinct, even if their keys match.
        let found = courses::by_platform_key(sql, institution, key).await?;
        known = found.filter(|(course, _)| course.tool_consumer != consumer.id);
    }
    if let Some((course, job)) = known {
        if course.tool_consumer != consumer.id {
            return Ok((aliases::reach(sql, course, consumer, found).await?, job));
        }
        courses::describe(sql, institution, course.id, &title, memberships_url).await?;
        let key = replaces(course.platform_key.as_deref(), key.as_deref()).map(str::to_owned);
        if let Some(key) = &key {
            courses::set_platform_key(sql, institution, course.id, key).await?;
        }
        let memberships_url = found.memberships_url.clone().or(course.memberships_url);
        let platform_key = key.or(course.platform_key);
        return Ok((Course { title, memberships_url, platform_key, ..course }, job));
    }
    let page = name_pages::create_in(sql, app, institution, &title, now).await?;
    let course = Course {
        id: app.ids.id(now),
        tool_consumer: consumer.id,
        external_id: found.id.clone(),
        title,
        name_page: page.id,
        memberships_url: found.memberships_url.clone(),
        synced_at: None,
        error: None,
        note: None,
        next_sync_at: None,
        sync: Sync::Idle,
        platform_key: key,
    };
    courses::insert(sql, institution, &course, now).await?;
    let after = json!({ "title": page.title, "slug": page.slug, "course": course.external_id });
    let record = name_pages::about(record.then(&app.ids, Act::NamePageCreated), &page);
    audit::write(sql, &[record.change(Json::Null, after)]).await?;
    Ok((course, None))
}

/// Backfills the platform keys of older courses that may match this key. On every platform, the last word of the key is the
/// course's id there.
async fn backfill_keys(sql: &mut Sql, institution: InstitutionId, id: &str, key: &str) -> Result<()> {
    let last = key.rsplit(' ').next().unwrap_or(id);
    let ids: HashSet<&str> = [id, last].into();
    for id in ids {
        for course in courses::without_key(sql, institution, id).await? {
            let scope = Scope::Institution(institution);
            if let Some(owner) = store::tool_consumers::find(sql, scope, course.tool_consumer).await? {
                backfill_key(sql, &owner, &course).await?;
            }
        }
    }
    Ok(())
}

/// Sets the platform key of a course of this tool consumer, if it has none.
async fn backfill_key(sql: &mut Sql, owner: &ToolConsumer, course: &Course) -> Result<()> {
    match platform_key(owner, &course.external_id, None).filter(|_| course.platform_key.is_none()) {
        Some(key) => Ok(courses::set_platform_key(sql, owner.institution, course.id, &key).await?),
        None => Ok(()),
    }
}

/// Returns the new key if it should replace the old one. A less specific key never replaces a more specific one.
pub(super) fn replaces<'a>(old: Option<&str>, new: Option<&'a str>) -> Option<&'a str> {
    let is_plain = |key: &str| key.starts_with("lti ");
    new.filter(|new| old.is_none_or(|old| old != *new && (is_plain(old) || !is_plain(new))))
}

/// The title of a course's page.
pub(super) fn title(said: &str, id: &str) -> String {
    let fallback = || clean(&format!("Course {id}"), longest::TITLE).unwrap_or_else(|| "Course".to_owned());
    clean(said, longest::TITLE).unwrap_or_else(fallback)
}

pub async fn all(app: &App, actor: &Actor, consumer: &ToolConsumer) -> Result<Vec<Course>> {
    actor.administer(consumer.institution)?;
    Ok(courses::all(&mut app.db.read(), consumer.institution, consumer.id).await?)
}

/// Courses of a tool consumer in the order of their external ids, from after one of these on. Returns where to go on, if there are
/// more.
pub async fn listed(
    app: &App,
    actor: &Actor,
    consumer: &ToolConsumer,
    after: &str,
    most: usize,
) -> Result<(Vec<Course>, Option<String>)> {
    actor.administer(consumer.institution)?;
    let (sql, institution) = (&mut app.db.read(), consumer.institution);
    let mut found = courses::listed(sql, institution, consumer.id, after, most + 1).await?;
    let has_more = found.len() > most;
    found.truncate(most);
    let next = found.last().filter(|_| has_more).map(|course| course.external_id.clone());
    Ok((found, next))
}

/// Of each tool consumer with courses: how many there are, how many failed, and when one was last synchronized.
pub async fn figures(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
) -> Result<HashMap<ToolConsumerId, CourseFigures>> {
    actor.administer(institution)?;
    Ok(courses::figures(&mut app.db.read(), institution).await?.into_iter().collect())
}

/// Makes all courses of a tool consumer due: the schedule starts them one after the other. Returns how many there are.
pub async fn synchronize_all(app: &App, actor: &Actor, consumer: &ToolConsumer) -> Result<u64> {
    actor.administer(consumer.institution)?;
    let (institution, id, now) = (consumer.institution, consumer.id, app.clock.now());
    let record = Record::new(app, actor, institution, Act::CourseSyncRequested);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let consumer = lock(sql, institution, id).await?;
                if !consumer.is_open() {
                    return Err(Error::ToolConsumerDisabled);
                }
                let due = courses::make_due(sql, institution, id, now).await?;
                let record = record.about(SubjectKind::ToolConsumer, id, consumer.name);
                audit::write_change(
                    sql,
                    record.change(Json::Null, json!({ "courses": (due > 0).then_some(due) })),
                )
                .await?;
                Ok(due)
            })
        })
        .await
}

/// Courses that another tool consumer synchronizes and that this one also reaches, with this one's ids.
pub async fn aliased(app: &App, actor: &Actor, consumer: &ToolConsumer) -> Result<Vec<Course>> {
    actor.administer(consumer.institution)?;
    let (sql, institution) = (&mut app.db.read(), consumer.institution);
    let mut all = Vec::new();
    for alias in courses::aliases::of_consumer(sql, institution, consumer.id).await? {
        if let Some((course, _)) = courses::find(sql, institution, alias.course).await? {
            all.push(Course { external_id: alias.external_id, ..course });
        }
    }
    Ok(all)
}

/// Returns the course and its latest job, if it ever had one.
pub async fn find(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: CourseId,
) -> Result<(Course, Option<JobId>)> {
    actor.administer(institution)?;
    courses::find(&mut app.db.read(), institution, id).await?.ok_or(Error::Missing(Missing::Course))
}

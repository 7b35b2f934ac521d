//! Finds or creates the course of a launch with its name page, and the visitor's own entry there.

use std::time::Duration;

use crate::{
    app::{
        App, Error, Missing, Result,
        courses::{self, Joining},
        limiter::{LimitKey, Policy},
        tool_consumers,
    },
    domain::{
        course::{Course, Sync, member_id, platform_key},
        ids::{CourseId, InstitutionId, ParticipantId, ToolConsumerId},
        lti::{Context, Launch, Person},
        roster::Member,
        scope::Scope,
        tool_consumer::{LmsKind, ToolConsumer},
    },
    lms::Found,
    store::courses::{self as store, aliases::Alias},
};

/// A launch starts a synchronization if the roster is older than this.
const MAX_ROSTER_AGE: Duration = Duration::from_secs(3_600);
/// The minimum pause between synchronizations started by launches, after the last one failed.
const RETRY_INTERVAL: Duration = Duration::from_secs(5 * 60);

pub async fn find(app: &App, institution: InstitutionId, id: CourseId) -> Result<Option<Course>> {
    let found = store::find(&mut app.db.read(), institution, id).await?;
    Ok(found.map(|(course, _)| course))
}

/// Returns every user id that the course has for the owner of this entry.
pub async fn users_of(
    app: &App,
    institution: InstitutionId,
    course: CourseId,
    participant: ParticipantId,
) -> Result<Vec<String>> {
    Ok(store::members::users_of(&mut app.db.read(), institution, course, participant).await?)
}

/// A launched course, the tool consumer that synchronizes it (not necessarily the one that launched it), and the visitor as
/// that tool consumer identifies them.
pub struct LaunchedCourse {
    pub course: Course,
    pub owner: ToolConsumer,
    visitor: Option<Joining>,
    is_foreign: bool,
}

/// Finds or creates the course of a launch, and starts a synchronization if its roster is stale.
pub async fn launched(
    app: &App,
    consumer: &ToolConsumer,
    context: &Context,
    launch: &Launch,
) -> Result<LaunchedCourse> {
    let key = platform_key(consumer, &context.id, launch.canvas.as_ref());
    let memberships_url = launch.memberships_url.as_deref();
    let (sql, scope) = (&mut app.db.read(), Scope::Institution(consumer.institution));
    let known = store::by_external_id(sql, consumer.institution, consumer.id, &context.id).await?;
    let known = known.map(|(course, _)| course);
    let old_title = known.as_ref().map(|course| course.title.clone());
    let found = Found {
        id: context.id.clone(),
        // Keep the known title if the launch has none.
        title: context.title.clone().or(old_title).unwrap_or_default(),
        memberships_url: memberships_url.map(str::to_owned),
    };
    let way = store::aliases::find(sql, consumer.institution, consumer.id, &context.id).await?;
    let is_taken_over = match known.as_ref().filter(|course| course.tool_consumer != consumer.id) {
        Some(course) => {
            let owner = tool_consumers::find_within(app, scope, course.tool_consumer).await?;
            courses::takes_over(consumer, &owner, course, memberships_url)
        }
        None => false,
    };
    let course = match known {
        // Most launches contain nothing new, so they need no write.
        Some(course) if !is_taken_over && is_unchanged(&course, way.as_ref(), &found, key.as_deref()) => {
            course
        }
        _ => courses::ensure(app, consumer, found, key).await?,
    };
    let owner = if course.tool_consumer == consumer.id {
        consumer.clone()
    } else {
        tool_consumers::find_within(app, scope, course.tool_consumer).await?
    };
    let is_fresh = course.synced_at.is_some_and(|at| app.clock.now().since(at) < MAX_ROSTER_AGE);
    if course.sync == Sync::Idle
        && !is_fresh
        && (course.memberships_url.is_some() || owner.kind != LmsKind::Lti)
        && owner.is_open()
        && may_retry(app, &course).await
    {
        synchronize(app, &owner, &course).await?;
    }
    let user_id = launch.person.user_id.as_deref();
    let id = user_id.map(|user| member_id(&owner, consumer, user));
    let is_foreign = id.as_ref().is_some_and(|id| id.is_foreign);
    let visitor = id.map(|id| joining(&launch.person, id.id, is_foreign.then_some(consumer.id)));
    Ok(LaunchedCourse { course, owner, visitor, is_foreign })
}

/// Rate-limits retries after a failure: a whole class launches within minutes, and the next attempt would fail as well.
async fn may_retry(app: &App, course: &Course) -> bool {
    if course.error.is_none() {
        return true;
    }
    let policy = Policy { ceiling: 1, window: RETRY_INTERVAL, throttle: RETRY_INTERVAL };
    let standing =
        app.limiter.take_with_policy(LimitKey::RosterFetches(course.id), policy, app.clock.instant()).await;
    standing.retry_after.is_none()
}

fn is_unchanged(course: &Course, way: Option<&Alias>, found: &Found, key: Option<&str>) -> bool {
    // Only the tool consumer that synchronizes a course determines its title.
    if let Some(way) = way {
        return found.memberships_url.is_none() || found.memberships_url == way.memberships_url;
    }
    if courses::replaces(course.platform_key.as_deref(), key).is_some() {
        return false;
    }
    let same_address = found.memberships_url.is_none() || found.memberships_url == course.memberships_url;
    // Compare with the stored form, because long titles are truncated.
    course.title == courses::title(&found.title, &found.id) && same_address
}

fn joining(person: &Person, user_id: String, through: Option<ToolConsumerId>) -> Joining {
    let mut member = Member {
        user_id,
        first_name: person.given_name.clone(),
        last_name: person.family_name.clone(),
        email: person.email.clone(),
        identifier: person.sourced_id.clone(),
        photo_url: None,
    };
    if member.first_name.is_none() && member.last_name.is_none() {
        // Store the whole name as the first name rather than guess where to split it.
        member.first_name = person.name.clone();
        member.last_name = person.name.as_ref().map(|_| String::new());
    }
    let foreign = through.and_then(|consumer| Some((consumer, person.user_id.clone()?)));
    Joining { member, foreign, is_staff: false }
}

impl LaunchedCourse {
    /// The visitor's user id, as the course's roster has it.
    pub fn member_id(&self) -> Option<&str> {
        self.visitor.as_ref().map(|visitor| visitor.member.user_id.as_str())
    }

    /// Stored with the session of staff, so that they can add their own entry later.
    pub fn visitor(&self) -> Option<&Joining> {
        self.visitor.as_ref()
    }

    /// Returns the student's own entry, and creates it if needed. For a teacher who previews the course as a student,
    /// returns their own entry, or `None` if they have none.
    pub async fn student(&self, app: &App) -> Result<Option<ParticipantId>> {
        let institution = self.owner.institution;
        let visitor = self.visitor.clone().ok_or(Error::Missing(Missing::Participant))?;
        if courses::previews(app, institution, self.course.id, &visitor.member.user_id).await? {
            return courses::own_entry(app, institution, self.course.id, &visitor.member.user_id).await;
        }
        courses::join(app, institution, &self.course, visitor).await.map(Some)
    }

    /// Returns the own entry of a teacher, and removes them from the students.
    pub async fn staff(&self, app: &App) -> Result<Option<ParticipantId>> {
        let Some(visitor) = &self.visitor else { return Ok(None) };
        courses::seen(app, &self.owner, &self.course, &visitor.member, self.is_foreign).await?;
        courses::own_entry(app, self.owner.institution, self.course.id, &visitor.member.user_id).await
    }
}

/// Enqueues a synchronization of the roster, unless one is in progress.
pub async fn synchronize(app: &App, consumer: &ToolConsumer, course: &Course) -> Result<()> {
    let found = Found {
        id: course.external_id.clone(),
        title: course.title.clone(),
        memberships_url: course.memberships_url.clone(),
    };
    courses::start(app, consumer, found).await
}

//! The course that a launch leads to, with its name page, and a student's own entry there.

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

/// Who launches finds a list that is no older than this, or will be new in a moment.
const FRESH: Duration = Duration::from_secs(3_600);
/// Between two attempts that launches begin, when the last one has failed.
const PAUSE: Duration = Duration::from_secs(5 * 60);

pub async fn find(app: &App, institution: InstitutionId, id: CourseId) -> Result<Option<Course>> {
    let found = store::find(&mut app.db.read(), institution, id).await?;
    Ok(found.map(|(course, _)| course))
}

/// Whose entry it is in a course, by each of the ids that the course has for them.
pub async fn users_of(
    app: &App,
    institution: InstitutionId,
    course: CourseId,
    participant: ParticipantId,
) -> Result<Vec<String>> {
    Ok(store::members::users_of(&mut app.db.read(), institution, course, participant).await?)
}

/// A course that is launched, the tool consumer that synchronizes it, which may be another than the one that launches it, and
/// its visitor as it knows them.
pub struct Launched {
    pub course: Course,
    pub owner: ToolConsumer,
    visitor: Option<Joining>,
    is_foreign: bool,
}

/// The course that a platform calls so, found again or made. When its list is old, it is fetched anew.
pub async fn launched(
    app: &App,
    consumer: &ToolConsumer,
    context: &Context,
    launch: &Launch,
) -> Result<Launched> {
    let key = platform_key(consumer, &context.id, launch.canvas.as_ref());
    let memberships_url = launch.memberships_url.as_deref();
    let (sql, scope) = (&mut app.db.read(), Scope::Institution(consumer.institution));
    let known = store::by_external_id(sql, consumer.institution, consumer.id, &context.id).await?;
    let known = known.map(|(course, _)| course);
    let old_title = known.as_ref().map(|course| course.title.clone());
    let found = Found {
        id: context.id.clone(),
        // A launch that does not say is no reason to call it otherwise.
        title: context.title.clone().or(old_title).unwrap_or_default(),
        memberships_url: memberships_url.map(str::to_owned),
    };
    let way = store::aliases::find(sql, consumer.institution, consumer.id, &context.id).await?;
    let is_taken_over = match known.as_ref().filter(|course| course.tool_consumer != consumer.id) {
        Some(course) => {
            let owner = tool_consumers::find(app, scope, course.tool_consumer).await?;
            courses::takes_over(consumer, &owner, course, memberships_url)
        }
        None => false,
    };
    let course = match known {
        // Most launches tell nothing new.
        Some(course) if !is_taken_over && says_the_same(&course, way.as_ref(), &found, key.as_deref()) => {
            course
        }
        _ => courses::ensure(app, consumer, found, key).await?,
    };
    let owner = if course.tool_consumer == consumer.id {
        consumer.clone()
    } else {
        tool_consumers::find(app, scope, course.tool_consumer).await?
    };
    let is_fresh = course.synced_at.is_some_and(|at| app.clock.now().since(at) < FRESH);
    if course.sync == Sync::Idle
        && !is_fresh
        && (course.memberships_url.is_some() || owner.kind != LmsKind::Lti)
        && owner.enabled
        && is_turn(app, &course).await
    {
        synchronise(app, &owner, &course).await?;
    }
    let user_id = launch.person.user_id.as_deref();
    let id = user_id.map(|user| member_id(&owner, consumer, user));
    let is_foreign = id.as_ref().is_some_and(|id| id.is_foreign);
    let visitor = id.map(|id| joining(&launch.person, id.id, is_foreign.then_some(consumer.id)));
    Ok(Launched { course, owner, visitor, is_foreign })
}

/// What has just failed would fail again: a whole class launches within minutes.
async fn is_turn(app: &App, course: &Course) -> bool {
    if course.error.is_none() {
        return true;
    }
    let policy = Policy { ceiling: 1, window: PAUSE, throttle: PAUSE };
    let standing = app.limiter.take_by(LimitKey::Course(course.id), policy, app.clock.instant()).await;
    standing.retry_after.is_none()
}

fn says_the_same(course: &Course, way: Option<&Alias>, found: &Found, key: Option<&str>) -> bool {
    // What a course is called is for the tool consumer to say that synchronizes it.
    if let Some(way) = way {
        return found.memberships_url.is_none() || found.memberships_url == way.memberships_url;
    }
    if courses::replaces(course.platform_key.as_deref(), key).is_some() {
        return false;
    }
    let same_address = found.memberships_url.is_none() || found.memberships_url == course.memberships_url;
    // What is kept of a title may be shorter than what is said.
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
        // The whole name is better than none; where it would have to be cut is not ours to guess.
        member.first_name = person.name.clone();
        member.last_name = person.name.as_ref().map(|_| String::new());
    }
    let foreign = through.and_then(|consumer| Some((consumer, person.user_id.clone()?)));
    Joining { member, foreign, is_staff: false }
}

impl Launched {
    /// The visitor's id, as the course has it.
    pub fn member_id(&self) -> Option<&str> {
        self.visitor.as_ref().map(|visitor| visitor.member.user_id.as_str())
    }

    /// What is kept of the visitor for as long as they may add an entry of their own.
    pub fn visitor(&self) -> Option<&Joining> {
        self.visitor.as_ref()
    }

    /// A student's own entry. `None` for whoever teaches here and looks at the course as a student does, and has none.
    pub async fn student(&self, app: &App) -> Result<Option<ParticipantId>> {
        let institution = self.owner.institution;
        let visitor = self.visitor.clone().ok_or(Error::Missing(Missing::Participant))?;
        if courses::previews(app, institution, self.course.id, &visitor.member.user_id).await? {
            return courses::own_entry(app, institution, self.course.id, &visitor.member.user_id).await;
        }
        courses::join(app, institution, &self.course, visitor).await.map(Some)
    }

    /// The own entry of somebody who teaches, who is not among the students from now on.
    pub async fn staff(&self, app: &App) -> Result<Option<ParticipantId>> {
        let Some(visitor) = &self.visitor else { return Ok(None) };
        courses::seen(app, &self.owner, &self.course, &visitor.member, self.is_foreign).await?;
        courses::own_entry(app, self.owner.institution, self.course.id, &visitor.member.user_id).await
    }
}

/// Has the list fetched, unless that is under way.
pub async fn synchronise(app: &App, consumer: &ToolConsumer, course: &Course) -> Result<()> {
    let found = Found {
        id: course.external_id.clone(),
        title: course.title.clone(),
        memberships_url: course.memberships_url.clone(),
    };
    courses::start(app, consumer, found).await
}

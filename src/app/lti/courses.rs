//! The course that a launch leads to, with its name page, and a student's own entry there.

use std::time::Duration;

use crate::{
    app::{
        App, Result, courses,
        limiter::{Policy, Whose},
    },
    domain::{
        course::{Course, Sync},
        lti::{Context, Person},
        roster::Member,
        tool_consumer::ToolConsumer,
    },
    lms::Found,
    store::courses as store,
};

/// Who launches finds a list that is no older than this, or will be new in a moment.
const FRESH: Duration = Duration::from_secs(3_600);
/// Between two attempts that launches begin, when the last one has failed.
const PAUSE: Duration = Duration::from_secs(5 * 60);

pub async fn find(app: &App, institution: i64, id: i64) -> Result<Option<Course>> {
    let found = store::find(&mut app.db.read(), institution, id).await?;
    Ok(found.map(|(course, _)| course))
}

/// Whose entry it is in a course, as the platform calls them.
pub async fn user_of(app: &App, institution: i64, course: i64, participant: i64) -> Result<Option<String>> {
    Ok(store::members::user_of(&mut app.db.read(), institution, course, participant).await?)
}

/// The course that a platform calls so, found again or made. When its list is old, it is fetched anew.
pub async fn launched(
    app: &App,
    consumer: &ToolConsumer,
    context: &Context,
    memberships_url: Option<&str>,
) -> Result<Course> {
    let sql = &mut app.db.read();
    let known = store::by_external_id(sql, consumer.institution, consumer.id, &context.id).await?;
    let known = known.map(|(course, _)| course);
    let old_title = known.as_ref().map(|course| course.title.clone());
    let found = Found {
        id: context.id.clone(),
        // A launch that does not say is no reason to call it otherwise.
        title: context.title.clone().or(old_title).unwrap_or_default(),
        memberships_url: memberships_url.map(str::to_owned),
    };
    let course = match known {
        // Most launches tell nothing new.
        Some(course) if says_the_same(&course, &found) => course,
        _ => courses::ensure(app, consumer, found).await?,
    };
    let is_fresh = course.synced_at.is_some_and(|at| app.clock.now().since(at) < FRESH);
    if course.sync == Sync::Idle
        && !is_fresh
        && course.memberships_url.is_some()
        && is_turn(app, &course).await
    {
        synchronise(app, consumer, &course).await?;
    }
    Ok(course)
}

/// What has just failed would fail again: a whole class launches within minutes.
async fn is_turn(app: &App, course: &Course) -> bool {
    if course.error.is_none() {
        return true;
    }
    let policy = Policy { ceiling: 1, window: PAUSE, throttle: PAUSE };
    let standing = app.limiter.take_by(Whose::Course(course.id), policy, app.clock.instant()).await;
    standing.retry_after.is_none()
}

fn says_the_same(course: &Course, found: &Found) -> bool {
    let same_address = found.memberships_url.is_none() || found.memberships_url == course.memberships_url;
    // What is kept of a title may be shorter than what is said.
    course.title == courses::title(&found.title, &found.id) && same_address
}

/// A student's own entry.
pub async fn member(app: &App, consumer: &ToolConsumer, course: &Course, person: &Person) -> Result<i64> {
    let mut member = Member {
        user_id: person.user_id.clone().unwrap_or_default(),
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
    courses::join(app, consumer.institution, course, member).await
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

//! Clients for learning systems: Canvas, Moodle, and any other through LTI 1.3. All requests go through `Outbound`, which
//! enforces the allowed addresses.

mod canvas;
mod check;
mod link;
pub mod lti_roles;
mod moodle;
mod nrps;
mod pages;
mod photos;
pub mod registration;
mod service_token;

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use bytes::Bytes;

pub use crate::outbound::{Error, Result};
use crate::{
    domain::{
        ids::ToolConsumerId,
        roster::{Coverage, Member, Role, Roster},
    },
    jwt::keys::SigningKey,
    outbound::Outbound,
};
use canvas::Canvas;
pub use check::{CheckStep, Checked, StepResult};
use moodle::Moodle;
use nrps::Nrps;
pub use service_token::ServiceTokens;

impl Error {
    /// Adds the course to a permission error.
    pub fn in_course(self, course: &str) -> Self {
        match self {
            Self::Denied(why) => Self::Denied(format!("course {course}: {why}")),
            other => other,
        }
    }
}

/// Credentials for the learning system.
#[derive(Clone)]
pub enum Access {
    Canvas { url: String, token: String },
    Moodle { url: String, token: String },
    Lti(Box<LtiAccess>),
}

#[derive(Clone)]
pub struct LtiAccess {
    pub tool_consumer: ToolConsumerId,
    pub issuer: String,
    pub client_id: String,
    pub deployments: Vec<String>,
    pub token_url: String,
    pub token_audience: Option<String>,
    pub jwks_url: String,
    /// Product name in the form that `nrps` builds paths from, if known.
    pub product: Option<String>,
    /// Roster URL of any course, if one is known. Tenants of a cloud share its other URLs, but this one is their own.
    pub known_roster: Option<String>,
    pub key: SigningKey,
    /// Shared by all connections to this platform.
    pub service_tokens: ServiceTokens,
}

/// A course as a caller named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CourseRef {
    pub given: String,
    /// Roster URL from an earlier launch or response.
    pub memberships_url: Option<String>,
    /// The last known title.
    pub title: Option<String>,
}

/// A course that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The learning system's own id, regardless of the form in which the course was named.
    pub id: String,
    pub title: String,
    /// LTI only: the roster URL.
    pub memberships_url: Option<String>,
}

/// Result of a connection check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// Message for the operator.
    pub says: String,
    /// Title of a course that has members, and which of their fields are present. Large courses are sampled by their first
    /// page.
    pub coverage: Option<(String, Coverage)>,
    /// A course was read, even if it has nobody we look for.
    pub is_course_read: bool,
}

impl CheckReport {
    fn new(reached: &str, course: Sample) -> Self {
        match course {
            Sample::People(title, members) => {
                let Coverage { people, names, last_names, emails, identifiers, pictures } =
                    Coverage::of(&members);
                let last_names = match last_names < names {
                    true => format!(" (last names {last_names} of {people})"),
                    false => String::new(),
                };
                let says = format!(
                    "{reached}; it shows who is in the course {title}: names {names} of {people}{last_names}, emails {emails} of \
                     {people}, ids {identifiers} of {people}, pictures {pictures} of {people}"
                );
                Self { says, coverage: Some((title, Coverage::of(&members))), is_course_read: true }
            }
            Sample::Nobody(title, why) => {
                let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                let says = format!(
                    "{reached}; it shows who is in the course {title}, which has nobody we look for{why}"
                );
                Self { says, coverage: None, is_course_read: true }
            }
            Sample::None(why) => {
                let says = format!("{reached}; no course was read: {why}");
                Self { says, coverage: None, is_course_read: false }
            }
        }
    }
}

/// The course that a connection check has sampled.
enum Sample {
    People(String, Vec<Member>),
    /// Its title, and what may be wrong.
    Nobody(String, Option<String>),
    None(String),
}

/// Timeout for reading all pages of a roster.
const ROSTER_TIMEOUT: Duration = Duration::from_secs(15 * 60);
const PHOTO_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout for a check: several requests, while an operator waits.
const CHECK_TIMEOUT: Duration = Duration::from_secs(30);
/// Limits of a connection check: members per course, and courses.
const SAMPLED_PEOPLE: usize = 100;
const SAMPLED_COURSES: usize = 5;

/// A client for one learning system.
#[derive(Clone)]
pub struct Connection {
    outbound: Outbound,
    access: Access,
}

impl Connection {
    pub fn new(outbound: &Outbound, access: Access) -> Self {
        Self { outbound: outbound.clone(), access }
    }

    fn canvas<'a>(&'a self, url: &'a str, token: &'a str) -> Canvas<'a> {
        Canvas { outbound: &self.outbound, url, token }
    }

    fn moodle<'a>(&'a self, url: &'a str, token: &'a str) -> Moodle<'a> {
        Moodle { outbound: &self.outbound, url, token }
    }

    fn lti<'a>(&'a self, access: &'a LtiAccess) -> Nrps<'a> {
        Nrps { outbound: &self.outbound, access }
    }

    /// Looks a course up with one cheap request. Interactive.
    pub async fn find(&self, course: &CourseRef) -> Result<Option<Found>> {
        let finding = async {
            match &self.access {
                Access::Canvas { url, token } => self.canvas(url, token).find(&course.given).await,
                Access::Moodle { url, token } => self.moodle(url, token).find(&course.given).await,
                Access::Lti(access) => self.lti(access).find(course).await,
            }
        };
        within(self.outbound.limits().question, finding).await
    }

    /// All members of the course with one of these roles. Never a partial list: all of them, or an error.
    pub async fn roster(&self, course: &Found, roles: &[Role]) -> Result<Roster> {
        let reading = async {
            match &self.access {
                Access::Canvas { url, token } => self.canvas(url, token).roster(course, roles).await,
                Access::Moodle { url, token } => self.moodle(url, token).roster(course, roles).await,
                Access::Lti(access) => self.lti(access).roster(course, roles).await,
            }
        };
        let mut roster = within(ROSTER_TIMEOUT, reading).await?;
        let nameless = roster.members.iter().filter(|member| !member.has_name()).count();
        if nameless > 0 {
            let without = format!(
                "{nameless} of {} people came without a name, and keep the one they have here: {}",
                roster.members.len(),
                self.remedy_for_names()
            );
            roster.note = Some(roster.note.map_or(without.clone(), |note| format!("{note}; {without}")));
        }
        Ok(roster)
    }

    const fn remedy_for_names(&self) -> &'static str {
        match &self.access {
            Access::Canvas { .. } => "the user of the access token may not see names in Canvas",
            Access::Moodle { .. } => {
                "give the user of the access token moodle/user:viewdetails and moodle/site:viewfullnames in Moodle"
            }
            Access::Lti(_) => {
                "have the platform share names with the tool (in Moodle: the tool's Privacy > Share launcher's name with \
                 tool > Always)"
            }
        }
    }

    /// Explains to the operator why a course may be missing.
    pub const fn why_missing(&self) -> &'static str {
        match &self.access {
            Access::Canvas { .. } => {
                "Canvas does not show this course: it was deleted, or the user of the access token may not see it"
            }
            Access::Moodle { .. } => {
                "Moodle does not show this course: it was deleted, or it is hidden and the user of the access token lacks \
                 moodle/course:viewhiddencourses"
            }
            Access::Lti(_) => {
                "the platform does not show this course's roster: the course was deleted, or the tool may not be used in \
                 it any more"
            }
        }
    }

    /// Fetches a picture, but only from the learning system's own origin. `None` if it is elsewhere or does not exist.
    pub async fn photo(&self, picture: &str) -> Result<Option<Bytes>> {
        let fetching = async {
            match &self.access {
                Access::Canvas { url, token } => self.canvas(url, token).photo(picture).await,
                Access::Moodle { url, token } => self.moodle(url, token).photo(picture).await,
                Access::Lti(access) => self.lti(access).photo(picture).await,
            }
        };
        within(PHOTO_TIMEOUT, fetching).await
    }

    /// Checks that the system is reachable, accepts our credentials and shows the members of a course. Known courses are tried
    /// first.
    pub async fn check(&self, known: &[Found], roles: &[Role]) -> Result<CheckReport> {
        self.check_steps(known, roles).await.outcome
    }

    /// Like `check`, and says how far it came.
    pub async fn check_steps(&self, known: &[Found], roles: &[Role]) -> Checked {
        // Set once the learning system accepts our credentials.
        let accepted = AtomicBool::new(false);
        let checking = async {
            match &self.access {
                Access::Canvas { url, token } => self.canvas(url, token).check(known, roles, &accepted).await,
                Access::Moodle { url, token } => self.moodle(url, token).check(known, roles, &accepted).await,
                Access::Lti(access) => self.lti(access).check(known, roles, &accepted).await,
            }
        };
        let outcome = within(CHECK_TIMEOUT, checking).await;
        Checked::new(accepted.load(Ordering::Relaxed), outcome)
    }
}

/// Who else is on a roster: how many people have each role.
#[derive(Default)]
struct Others(BTreeMap<&'static str, usize>);

impl Others {
    /// Somebody who has none of the roles that are looked for.
    fn add(&mut self, roles: impl IntoIterator<Item = Role>) {
        for role in roles {
            *self.0.entry(role.word()).or_default() += 1;
        }
    }

    /// A note for when only others are there: a learning system that hides people looks like one that has none.
    fn note(&self, wanted: &[Role], remedy: &str) -> Option<String> {
        let wanted: Vec<&str> = wanted.iter().map(|role| role.word()).collect();
        let wanted = wanted.join(" or ");
        let there: Vec<String> = self.0.iter().map(|(role, many)| format!("{many} {role}")).collect();
        let there = there.join(", ");
        (!self.0.is_empty()).then(|| {
            format!("nobody has the role {wanted}, and others are there: {there}; if that is wrong, {remedy}")
        })
    }
}

async fn within<T>(time: Duration, question: impl Future<Output = Result<T>>) -> Result<T> {
    let answered = tokio::time::timeout(time, question).await;
    answered.unwrap_or_else(|_| Err(Error::Unavailable("no answer from the learning system in time".into())))
}

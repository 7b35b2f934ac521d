//! Learning systems, as we ask them: Canvas, Moodle, and any other by LTI 1.3. Everything that goes out goes through
//! `Outbound`, which knows where we may go.

mod canvas;
pub mod jwks;
pub mod keys;
pub mod launch_token;
mod link;
pub mod lti_roles;
mod moodle;
mod nrps;
pub mod outbound;
mod pages;
mod patience;
mod photos;
pub mod registration;
mod service_token;

use std::time::Duration;

use bytes::Bytes;

use crate::domain::{
    moment::Moment,
    roster::{Role, Roster},
};
use canvas::Canvas;
use keys::SigningKey;
use moodle::Moodle;
use nrps::Nrps;
pub use outbound::Outbound;

/// Why a learning system did not give what was asked of it. Sentences hold no credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// We may not go to that address: what is wrong with it, behind its name or its place.
    Refused(String),
    /// It cannot be reached, has no time for us, or is broken: it may work later.
    Unavailable(String),
    /// It does not accept our credentials, or they do not let us see this.
    Denied(String),
    /// What was asked for is not there.
    Missing,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(why) | Self::Unavailable(why) | Self::Denied(why) => f.write_str(why),
            Self::Missing => f.write_str("it is not there"),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// Which course it is that we may not see.
    pub fn in_course(self, course: &str) -> Self {
        match self {
            Self::Denied(why) => Self::Denied(format!("course {course}: {why}")),
            other => other,
        }
    }
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// How a learning system lets us in.
#[derive(Clone)]
pub enum Access {
    Canvas { url: String, token: String },
    Moodle { url: String, token: String },
    Lti(LtiAccess),
}

#[derive(Clone)]
pub struct LtiAccess {
    pub issuer: String,
    pub client_id: String,
    pub deployments: Vec<String>,
    pub token_url: String,
    pub token_audience: Option<String>,
    pub jwks_url: String,
    /// In the word that paths have for it, where it is known.
    pub product: Option<String>,
    /// Where the roster of some course is, if one is known: many share a cloud's other addresses, but this is their own.
    pub known_roster: Option<String>,
    pub key: SigningKey,
    /// What time it is: tokens are signed for a few minutes, and kept until they expire.
    pub now: fn() -> Moment,
}

/// A course as somebody has named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub given: String,
    /// Where its roster is, when an earlier launch or answer has told.
    pub memberships_url: Option<String>,
    /// Its title until now.
    pub title: Option<String>,
}

/// A course that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The learning system's own id, whatever form it was named in.
    pub id: String,
    pub title: String,
    /// LTI alone: where its roster is.
    pub memberships_url: Option<String>,
}

/// From its first page to its last.
const FOR_A_ROSTER: Duration = Duration::from_secs(15 * 60);
const FOR_A_PHOTO: Duration = Duration::from_secs(10);
/// Several questions, and an operator waits.
const FOR_A_CHECK: Duration = Duration::from_secs(15);

/// A learning system that can be asked.
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

    /// Is the course there? One cheap question, for which somebody waits.
    pub async fn find(&self, course: &Wanted) -> Result<Option<Found>> {
        let finding = async {
            match &self.access {
                Access::Canvas { url, token } => self.canvas(url, token).find(&course.given).await,
                Access::Moodle { url, token } => self.moodle(url, token).find(&course.given).await,
                Access::Lti(access) => self.lti(access).find(course).await,
            }
        };
        within(self.outbound.limits().question, finding).await
    }

    /// Everybody in the course who has one of these roles: all of them, or an error.
    pub async fn roster(&self, course: &Found, roles: &[Role]) -> Result<Roster> {
        let reading = async {
            match &self.access {
                Access::Canvas { url, token } => self.canvas(url, token).roster(course, roles).await,
                Access::Moodle { url, token } => self.moodle(url, token).roster(course, roles).await,
                Access::Lti(access) => self.lti(access).roster(course, roles).await,
            }
        };
        within(FOR_A_ROSTER, reading).await
    }

    /// The bytes of a picture, from the learning system's own origin alone; `None` for one from elsewhere, or that is not
    /// there.
    pub async fn photo(&self, picture: &str) -> Result<Option<Bytes>> {
        let fetching = async {
            match &self.access {
                Access::Canvas { url, token } => self.canvas(url, token).photo(picture).await,
                Access::Moodle { url, token } => self.moodle(url, token).photo(picture).await,
                Access::Lti(access) => self.lti(access).photo(picture).await,
            }
        };
        within(FOR_A_PHOTO, fetching).await
    }

    /// Can it be reached, does it know us, and does it show a course? One that is known is best. Says what it has seen, for
    /// an operator.
    pub async fn check(&self, known: Option<&Found>) -> Result<String> {
        let checking = async {
            match &self.access {
                Access::Canvas { url, token } => self.canvas(url, token).check(known).await,
                Access::Moodle { url, token } => self.moodle(url, token).check(known).await,
                Access::Lti(access) => self.lti(access).check(known).await,
            }
        };
        within(FOR_A_CHECK, checking).await
    }
}

async fn within<T>(time: Duration, question: impl Future<Output = Result<T>>) -> Result<T> {
    let answered = tokio::time::timeout(time, question).await;
    answered.unwrap_or_else(|_| Err(Error::Unavailable("no answer from the learning system in time".into())))
}

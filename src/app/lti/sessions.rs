//! Sessions opened by launches: staff see the course, students see their own entry.

use std::collections::HashSet;

use super::{Fault, Refusal, Result, check_open, courses, frames, user_digest};
use crate::{
    app::{
        App, Error,
        courses::{self as app_courses, Joining},
        institutions,
        looks::{self, Look},
        own_entry::Owner,
        people::{self, PeoplePage, Query},
        sessions::{self, Secret},
        tool_consumers,
    },
    domain::{
        course::Course,
        ids::ParticipantId,
        institution::Institution,
        language::Language,
        lti::{DeepLinking, Theme},
        participant::Participant,
        roster::Member,
        scope,
        tool_consumer::{LmsKind, ToolConsumer},
    },
    store::{
        self,
        lti_sessions::{self, Session, Viewer},
        rolls,
    },
};

/// A session that is valid in the requesting browser.
pub struct Open {
    /// A secret, which is a part of the paths of its pages.
    pub name: String,
    /// The tool consumer that launched it.
    pub consumer: ToolConsumer,
    /// The tool consumer that synchronizes the course; not necessarily the same.
    owner: ToolConsumer,
    pub institution: Institution,
    pub look: Look,
    pub what: SessionTarget,
    /// Light or dark pages, if the platform specified it; otherwise the pages follow the system's setting.
    pub theme: Option<Theme>,
    /// The language of the pages, if the platform specified one.
    pub language: Option<Language>,
    /// The secret in the browser's cookie.
    pub browser: Secret,
    pub(super) session: Session,
}

pub enum SessionTarget {
    /// The course with all of its people, and the staff member's own entry, if there is one.
    Course { course: Course, own: Option<Owner> },
    /// A student's own entry.
    Own { course: Course, owner: Owner },
    /// A deep linking request: the visitor is adding a link to a course.
    DeepLink(DeepLinking),
}

impl Open {
    pub fn frames(&self) -> Vec<String> {
        frames(&self.consumer)
    }

    /// Returns the course and the visitor's own entry in it.
    pub fn own(&self) -> Option<(&Course, Owner)> {
        match &self.what {
            SessionTarget::Course { course, own } => own.map(|own| (course, own)),
            SessionTarget::Own { course, owner } => Some((course, *owner)),
            SessionTarget::DeepLink(_) => None,
        }
    }

    /// Returns whether the staff member can add their own entry.
    pub fn may_add_own_entry(&self) -> bool {
        matches!(&self.what, SessionTarget::Course { own: None, .. }) && self.session.person.is_some()
    }

    /// Returns whether the roster can be fetched: the address is known or can be guessed (`lms/nrps.rs`). Web services need
    /// none.
    pub fn can_synchronize(&self, course: &Course) -> bool {
        let is_guessed = matches!(self.owner.product.as_deref(), Some("canvas" | "moodle"));
        let is_number = course.external_id.bytes().all(|byte| byte.is_ascii_digit());
        let is_known = course.memberships_url.is_some() || (is_guessed && is_number);
        self.owner.is_open() && (self.owner.kind != LmsKind::Lti || is_known)
    }
}

/// Finds a session by its name and the browser's cookies. Unknown, expired and foreign sessions return the same error.
pub async fn find(app: &App, name: &str, browsers: &[&str]) -> Result<Open> {
    let none = || Fault::from(Refusal::NoSession);
    let digest = Secret::parse(name).ok_or_else(none)?.digest();
    let session = lti_sessions::find(&mut app.db.read(), &digest).await?.ok_or_else(none)?;
    let tenant = scope::Scope::Institution(session.institution);
    let consumer = match tool_consumers::find_within(app, tenant, session.tool_consumer).await {
        Err(Error::Missing(_)) => return Err(none()),
        other => other?,
    };
    opened(app, name, session, &consumer, browsers).await.map_err(|fault| fault.inside(&consumer))
}

async fn opened(
    app: &App,
    name: &str,
    session: Session,
    consumer: &ToolConsumer,
    browsers: &[&str],
) -> Result<Open> {
    let none = || Refusal::NoSession.to(consumer);
    let now = app.clock.now();
    let browser = sessions::opened_by(browsers, &session.browser_digest, session.expires_at, now);
    let browser = browser.ok_or_else(none)?;
    check_open(consumer)?;
    let institution = institutions::by_id(app, session.institution).await?;
    let what = match (&session.deep_link, session.course) {
        (Some(settings), _) => SessionTarget::DeepLink(serde_json::from_str(settings).map_err(|_| none())?),
        (None, None) => return Err(none()),
        (None, Some(id)) => {
            let course = courses::find(app, session.institution, id).await?.ok_or_else(none)?;
            // The entry may belong to another user by now, after a synchronization.
            let is_theirs = async |participant: ParticipantId| {
                let users = courses::users_of(app, session.institution, course.id, participant).await?;
                let digest = session.member_digest.as_ref().unwrap_or(&session.user_digest);
                Ok::<_, Error>(users.iter().any(|user| user_digest(consumer.id, user) == *digest))
            };
            let owner = |participant| Owner { institution: session.institution, participant };
            match session.who {
                Viewer::Staff(None) => SessionTarget::Course { course, own: None },
                Viewer::Staff(Some(own)) => {
                    let own = is_theirs(own).await?.then(|| owner(own));
                    SessionTarget::Course { course, own }
                }
                Viewer::Student(own) if is_theirs(own).await? => {
                    SessionTarget::Own { course, owner: owner(own) }
                }
                Viewer::Student(_) => return Err(none()),
            }
        }
    };
    let tenant = scope::Scope::Institution(session.institution);
    let owner = match &what {
        SessionTarget::Course { course, .. } | SessionTarget::Own { course, .. }
            if course.tool_consumer != consumer.id =>
        {
            tool_consumers::find_within(app, tenant, course.tool_consumer).await?
        }
        _ => consumer.clone(),
    };
    let look = looks::find(app, session.institution).await?;
    Ok(Open {
        name: name.to_owned(),
        consumer: consumer.clone(),
        owner,
        institution,
        look,
        what,
        theme: session.theme,
        language: session.language,
        browser,
        session,
    })
}

fn purpose(session_digest: &str) -> String {
    format!("visitor of LTI session {session_digest}")
}

/// Encrypts what a staff member's own entry would need if they add one later. It is not stored in plaintext, because it is
/// personal data that may never be needed.
pub(super) fn sealed(app: &App, session_digest: &str, visitor: &Joining) -> Result<String, Error> {
    let member = &visitor.member;
    let kept = serde_json::json!({
        "user_id": member.user_id, "first_name": member.first_name, "last_name": member.last_name,
        "email": member.email, "identifier": member.identifier, "foreign": visitor.foreign,
    });
    Ok(app.secrets.seal(&purpose(session_digest), kept.to_string().as_bytes())?)
}

fn visitor(app: &App, session: &Session) -> Option<Joining> {
    let plain = app.secrets.open(&purpose(&session.session_digest), session.person.as_deref()?).ok()?;
    let kept: serde_json::Value = serde_json::from_slice(&plain).ok()?;
    let text = |key: &str| kept[key].as_str().map(str::to_owned);
    let member = Member {
        user_id: text("user_id")?,
        first_name: text("first_name"),
        last_name: text("last_name"),
        email: text("email"),
        identifier: text("identifier"),
        photo_url: None,
    };
    let foreign = serde_json::from_value(kept["foreign"].clone()).ok()?;
    Some(Joining { member, foreign, is_staff: true })
}

/// Adds a staff member's own entry to the course's page.
pub async fn add_own_entry(app: &App, open: &Open, course: &Course) -> Result<()> {
    let none = || Fault::from(Refusal::NoSession);
    let visitor = visitor(app, &open.session).ok_or_else(none)?;
    let own = match app_courses::add_own_entry(app, open.institution.id, course, visitor).await {
        Err(Error::Missing(_)) => return Err(none()),
        other => other?,
    };
    let session = open.session.clone();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // Whoever erases somebody deletes sessions under this lock.
                rolls::lock(sql, session.institution).await?;
                Ok(lti_sessions::set_own_entry(sql, &session, own).await?)
            })
        })
        .await?;
    Ok(())
}

/// Lists the people of a course. Staff with an entry are listed apart from the students.
pub async fn people(app: &App, open: &Open, course: &Course, query: &Query) -> Result<PeoplePage> {
    let institution = open.institution.id;
    let staff = store::courses::staff::all(&mut app.db.read(), institution, course.id).await?;
    let staff: HashSet<ParticipantId> = staff.into_iter().filter_map(|one| one.participant).collect();
    let mut found = people::list(app, institution, course.name_page, &staff, query).await?;
    // Teachers hear people with a directory hold.
    for people in [&mut found.people, &mut found.apart] {
        *people = std::mem::take(people).into_iter().map(Participant::unveiled).collect();
    }
    Ok(found)
}

/// Enqueues a synchronization of the course, unless one is in progress.
pub async fn synchronize(app: &App, open: &Open, course: &Course) -> Result<()> {
    Ok(courses::synchronize(app, &open.owner, course).await?)
}

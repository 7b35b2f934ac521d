//! Sessions started by LTI launches.

use super::{Error, Result, Row, Sql, Value, expiry};
use crate::domain::{
    ids::{CourseId, InstitutionId, ParticipantId, ToolConsumerId},
    language::Language,
    lti::Theme,
    moment::Moment,
};

#[derive(Debug, Clone)]
pub struct Session {
    pub session_digest: String,
    pub browser_digest: String,
    pub institution: InstitutionId,
    pub tool_consumer: ToolConsumerId,
    pub course: Option<CourseId>,
    pub who: Viewer,
    /// Digest of the user id that the platform sent.
    pub user_digest: String,
    /// Digest of the user id that the course uses for the same person.
    pub member_digest: Option<String>,
    /// What the launch said about a staff member, encrypted.
    pub person: Option<String>,
    pub theme: Option<Theme>,
    /// The language of the platform's page.
    pub language: Option<Language>,
    /// Data for the response to a deep linking request, as JSON.
    pub deep_link: Option<String>,
    pub expires_at: Moment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// With their own entry, if they have one.
    Staff(Option<ParticipantId>),
    /// With their own entry.
    Student(ParticipantId),
}

pub async fn insert(sql: &mut Sql, session: &Session) -> Result<()> {
    let text = "INSERT INTO lti_sessions (session_digest, browser_digest, institution_id, tool_consumer_id, course_id, \
         participant_id, role, user_digest, deep_link, expires_at, member_digest, person, theme, language) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    let (role, participant) = match session.who {
        Viewer::Staff(participant) => ("staff", participant),
        Viewer::Student(participant) => ("student", Some(participant)),
    };
    let params: [Value<'_>; 14] = [
        (&session.session_digest).into(),
        (&session.browser_digest).into(),
        session.institution.into(),
        session.tool_consumer.into(),
        session.course.into(),
        participant.into(),
        role.into(),
        (&session.user_digest).into(),
        session.deep_link.as_ref().into(),
        session.expires_at.micros().into(),
        session.member_digest.as_ref().into(),
        session.person.as_ref().into(),
        session.theme.map(Theme::word).into(),
        session.language.map(Language::tag).into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Sets the own entry of a staff member, in all their sessions of the course.
pub async fn set_own_entry(sql: &mut Sql, session: &Session, participant: ParticipantId) -> Result<()> {
    let text = "UPDATE lti_sessions SET participant_id = $1 WHERE institution_id = $2 AND tool_consumer_id = $3 \
                AND course_id = $4 AND user_digest = $5 AND role = 'staff'";
    let params: [Value<'_>; 5] = [
        participant.into(),
        session.institution.into(),
        session.tool_consumer.into(),
        session.course.into(),
        (&session.user_digest).into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn find(sql: &mut Sql, session_digest: &str) -> Result<Option<Session>> {
    let text = "SELECT session_digest, browser_digest, institution_id, tool_consumer_id, course_id, participant_id, role, \
         user_digest, deep_link, expires_at, member_digest, person, theme, language FROM lti_sessions WHERE session_digest = $1";
    let read = |row: &Row<'_>| {
        Ok(Session {
            session_digest: row.text(0)?,
            browser_digest: row.text(1)?,
            institution: row.id(2)?,
            tool_consumer: row.id(3)?,
            course: row.opt_id(4)?,
            who: match (row.text(6)?.as_str(), row.opt_id(5)?) {
                ("staff", participant) => Viewer::Staff(participant),
                ("student", Some(participant)) => Viewer::Student(participant),
                _ => return Err(Error::Broken("a session of a kind that is not known".to_owned())),
            },
            user_digest: row.text(7)?,
            deep_link: row.opt_text(8)?,
            expires_at: Moment::from_micros(row.int(9)?),
            member_digest: row.opt_text(10)?,
            person: row.opt_text(11)?,
            theme: row.opt_text(12)?.as_deref().and_then(Theme::parse),
            language: row.opt_text(13)?.as_deref().and_then(Language::parse),
        })
    };
    sql.one(text, &[session_digest.into()], read).await
}

/// Another user has launched in this browser: ends the sessions of other users of the same platform.
pub async fn end_of_others(sql: &mut Sql, session: &Session, now: Moment) -> Result<()> {
    let text = "UPDATE lti_sessions SET expires_at = $1 WHERE browser_digest = $2 AND tool_consumer_id = $3 \
                AND user_digest <> $4 AND expires_at > $1";
    let params: [Value<'_>; 4] = [
        now.micros().into(),
        (&session.browser_digest).into(),
        session.tool_consumer.into(),
        (&session.user_digest).into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Deletes sessions that expired before then.
pub async fn delete_expired(sql: &mut Sql, before: Moment) -> Result<()> {
    expiry::remove(sql, "lti_sessions", "expires_at < $1", &[before.micros().into()]).await.map(|_| ())
}

/// Deletes all sessions of an institution that have expired. The caller holds the institution's lock.
pub async fn delete_expired_of(sql: &mut Sql, institution: InstitutionId, now: Moment) -> Result<()> {
    let text = "DELETE FROM lti_sessions WHERE institution_id = $1 AND expires_at < $2";
    sql.execute(text, &[institution.into(), now.micros().into()]).await.map(|_| ())
}

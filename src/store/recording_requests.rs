//! When people were asked by a listener for a recording, and who does not want to be asked.

use super::{Result, Sql, Value};
use crate::domain::{
    ids::{InstitutionId, ParticipantId},
    moment::Moment,
    session::PersonId,
};

/// Notes that somebody is asked now. False if somebody else has asked them after `since`: of two listeners at the same time, one
/// is first.
pub async fn claim(sql: &mut Sql, person: &PersonId, since: Moment, now: Moment) -> Result<bool> {
    let text = "INSERT INTO recording_requests (institution_id, email_key, requested_at) VALUES ($1, $2, $3) \
                ON CONFLICT (institution_id, email_key) DO UPDATE SET requested_at = excluded.requested_at \
                WHERE recording_requests.requested_at <= $4";
    let params: [Value<'_>; 4] =
        [person.institution.into(), (&person.email_key).into(), now.micros().into(), since.micros().into()];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Does somebody not want such messages, or does no mail reach them?
pub async fn is_declined(sql: &mut Sql, person: &PersonId) -> Result<bool> {
    let text = "SELECT 1 FROM persons WHERE institution_id = $1 AND email_key = $2 AND no_requests \
                UNION ALL SELECT 1 FROM mail_opt_outs WHERE institution_id = $1 AND email_key = $2 \
                UNION ALL SELECT 1 FROM mail_bounces WHERE institution_id = $1 AND email_key = $2";
    let params: [Value<'_>; 2] = [person.institution.into(), (&person.email_key).into()];
    Ok(sql.one(text, &params, |_| Ok(())).await?.is_some())
}

/// Is there a recording that nobody hears for now: paused, or held for approval?
pub async fn has_silent_recording(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
) -> Result<bool> {
    let text = "SELECT 1 FROM media m WHERE m.institution_id = $1 AND m.participant_id = $2 \
                AND m.kind IN ('recording', 'held')";
    Ok(sql.one(text, &[institution.into(), id.into()], |_| Ok(())).await?.is_some())
}

/// May listeners ask this person? Unless they have said no, they may.
pub async fn are_welcome(sql: &mut Sql, person: &PersonId) -> Result<bool> {
    let text = "SELECT no_requests FROM persons WHERE institution_id = $1 AND email_key = $2";
    let params: [Value<'_>; 2] = [person.institution.into(), (&person.email_key).into()];
    Ok(!sql.one(text, &params, |row| row.bool(0)).await?.unwrap_or(false))
}

pub async fn choose(sql: &mut Sql, person: &PersonId, welcome: bool, now: Moment) -> Result<()> {
    let text = "INSERT INTO persons (institution_id, email_key, no_requests, created_at) VALUES ($1, $2, $3, $4) \
                ON CONFLICT (institution_id, email_key) DO UPDATE SET no_requests = excluded.no_requests";
    let params: [Value<'_>; 4] =
        [person.institution.into(), (&person.email_key).into(), (!welcome).into(), now.micros().into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Removes what is too old to matter.
pub async fn delete_before(sql: &mut Sql, institution: InstitutionId, before: Moment) -> Result<()> {
    let text = "DELETE FROM recording_requests WHERE institution_id = $1 AND requested_at < $2";
    sql.execute(text, &[institution.into(), before.micros().into()]).await.map(|_| ())
}

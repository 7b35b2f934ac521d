//! Recordings made by the cloud vendor: downloaded if the callee kept them, and always deleted at the vendor.

use std::time::Duration;

use super::end_in;
use crate::{
    app::{
        Actor, App, Error, Result,
        calls::{self, Claimed},
    },
    domain::{
        call::{Outcome, Reason},
        ids::{AttemptId, InstitutionId},
        moment::Moment,
        phone_number::PhoneNumber,
        scope::Scope,
    },
    phone::cloud::{Client, FetchError, silence},
    store::{
        Sql,
        call_attempts::{self, Attempt},
        call_takes::{self, Take},
    },
};

/// Retry delays: a recording becomes available shortly after it was made. After these, the job queue retries with a longer
/// backoff.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(250), Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];

fn client(app: &App) -> Result<&Client> {
    let none = || Error::Unavailable("no cloud is configured here".to_owned());
    app.phone.cloud().ok_or_else(none)
}

/// Stores the recording that the callee kept and deletes it at the vendor. Idempotent.
pub async fn fetch_take(app: &App, institution: InstitutionId, attempt: AttemptId) -> Result<()> {
    let scope = Scope::Institution(institution);
    let found = call_attempts::find(&mut app.db.read(), scope, attempt).await?;
    if let Some(found) = found.filter(Attempt::is_under_way) {
        give(app, found).await?;
    }
    delete_takes(app, institution, attempt).await
}

async fn give(app: &App, attempt: Attempt) -> Result<()> {
    let mut sql = app.db.read();
    let takes = call_takes::of_attempt(&mut sql, attempt.institution, attempt.id).await?;
    let scope = Scope::Institution(attempt.institution);
    let call = crate::store::calls::find(&mut sql, scope, attempt.call).await?;
    drop(sql);
    let Some(call) = call else { return Ok(()) };
    let unusable = Outcome::Failed(Reason::Unusable);
    let Some(kept) = takes.first() else { return super::end(app, &attempt, unusable).await };
    match fetched(app, kept).await {
        Ok(sound) => {
            let number = PhoneNumber::stored(&call.phone_number);
            let claimed = Claimed { attempt, participant: call.participant, number };
            calls::keep(app, &claimed, sound).await.map(|_| ())
        }
        Err(FetchError::Unusable(why)) => {
            tracing::warn!(attempt = attempt.id.get(), why, "a recording from a call is unusable");
            super::end(app, &attempt, unusable).await
        }
        Err(FetchError::NotThere) => Err(Error::Unavailable("the recording is not available yet".to_owned())),
        Err(FetchError::Failed(why)) => Err(Error::Unavailable(why)),
    }
}

async fn fetched(app: &App, take: &Take) -> Result<Vec<u8>, FetchError> {
    let client = client(app).map_err(|error| FetchError::Failed(error.to_string()))?;
    for pause in PAUSES {
        match client.fetch(&take.url, &take.recording).await {
            Err(FetchError::NotThere) => app.clock.sleep(pause).await,
            other => return other.map(|sound| sound.to_vec()),
        }
    }
    client.fetch(&take.url, &take.recording).await.map(|sound| sound.to_vec())
}

/// The recording just made, which the vendor plays back to the callee. Its id is an unguessable secret and is valid only
/// during the call. If the download fails, returns silence, so that the call does not break off.
pub async fn listen(app: &App, attempt: AttemptId, recording: &str) -> Result<Option<Vec<u8>>> {
    let mut sql = app.db.read();
    let found = call_attempts::find(&mut sql, Actor::System.reach(), attempt).await?;
    let found = found.filter(Attempt::is_under_way);
    let Some(found) = found else { return Ok(None) };
    let takes = call_takes::of_attempt(&mut sql, found.institution, found.id).await?;
    drop(sql);
    let Some(take) = takes.iter().find(|take| take.recording == recording) else { return Ok(None) };
    match fetched(app, take).await {
        Ok(sound) => Ok(Some(sound)),
        Err(why) => {
            tracing::warn!(attempt = attempt.get(), ?why, "playing back a recording on a call failed");
            Ok(Some(silence()))
        }
    }
}

/// Deletes all recordings of an attempt at the vendor, including those for which no webhook arrived. Idempotent.
pub async fn delete_takes(app: &App, institution: InstitutionId, attempt: AttemptId) -> Result<()> {
    let mut sql = app.db.read();
    let takes = call_takes::of_attempt(&mut sql, institution, attempt).await?;
    let found = call_attempts::find(&mut sql, Scope::Institution(institution), attempt).await?;
    let vendor_call = found.and_then(|found| found.vendor_call);
    drop(sql);
    if takes.is_empty() && vendor_call.is_none() {
        return Ok(());
    }
    let client = client(app)?;
    for take in takes {
        client.delete_recording(&take.recording).await.map_err(Error::Unavailable)?;
        let gone = app.db.write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(call_takes::delete(sql, institution, attempt, &take.recording).await?) })
        });
        gone.await?;
    }
    if let Some(call) = vendor_call {
        delete_unknown(client, &call).await?;
    }
    Ok(())
}

async fn delete_unknown(client: &Client, vendor_call: &str) -> Result<()> {
    for recording in client.recordings(vendor_call).await.map_err(Error::Unavailable)? {
        client.delete_recording(&recording).await.map_err(Error::Unavailable)?;
    }
    Ok(())
}

/// Hangs up an unwanted call and deletes its recordings. Does not use the database: the rows may already be deleted.
pub async fn hang_up(app: &App, vendor_call: &str, recordings: &[String]) -> Result<()> {
    let client = client(app)?;
    client.hang_up(vendor_call).await.map_err(Error::Unavailable)?;
    for recording in recordings {
        client.delete_recording(recording).await.map_err(Error::Unavailable)?;
    }
    delete_unknown(client, vendor_call).await
}

/// Fails the attempt after the fetch job has exhausted its retries.
pub(in crate::app) async fn give_up(
    sql: &mut Sql,
    app: &App,
    (institution, attempt): (InstitutionId, AttemptId),
    now: Moment,
) -> Result<()> {
    match call_attempts::find(sql, Scope::Institution(institution), attempt).await? {
        Some(attempt) => end_in(sql, app, &attempt, Outcome::Failed(Reason::Unusable), now).await.map(|_| ()),
        None => Ok(()),
    }
}

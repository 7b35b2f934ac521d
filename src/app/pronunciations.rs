//! Pronunciations: which of these people have a recording, its link, and deleting it.

use super::{
    App, Error, Missing, Result,
    audit::{self, MediaChange, Record},
    participants::{self, Filter, Listing},
};
use crate::{
    domain::{
        access::{Access, Action},
        audit::Act,
        ids::ParticipantId,
        media::Kind,
    },
    store::{
        Sql, directory_holds, media,
        participants::{KeyFilter, KeyKind, keys},
        rolls,
    },
};

/// Everybody who matches one of the emails or identifiers.
pub async fn search(
    app: &App,
    access: &Access,
    emails: Vec<String>,
    identifiers: Vec<String>,
) -> Result<Listing> {
    let filter = Filter { emails, identifiers, ..Filter::default() };
    participants::list(app, access, &filter, None).await
}

/// Whose recording it is, as far as the caller gets its link.
async fn find(sql: &mut Sql, access: &Access, hex: &str) -> Result<Option<(ParticipantId, Kind)>> {
    let institution = access.institution;
    if let Some(found) = media::find(sql, institution, hex).await? {
        let owner = media::owner(sql, institution, hex).await?;
        return Ok(owner.map(|owner| (owner, found.kind)));
    }
    if !access.includes_held() {
        return Ok(None);
    }
    let found = directory_holds::find(sql, institution, hex).await?;
    Ok(found.map(|found| (found.participant, found.kind)))
}

/// Deletes a recording of a person, from any of their registrations that the caller may access.
pub async fn delete(app: &App, access: &Access, email_key: String, hex: String) -> Result<()> {
    access.check(Action::Write)?;
    let (institution, now) = (access.institution, app.clock.now());
    let record = Record::of(app, access, Act::RecordingDeleted).person(&email_key);
    let (access, owned_app) = (access.clone(), app.clone());
    let gone = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let wanted = [email_key.as_str()];
                let filter = KeyFilter::new(access.within(), KeyKind::Email, &wanted);
                let theirs = keys(sql, institution, filter).await?;
                if theirs.is_empty() {
                    return Err(Error::Missing(Missing::Participant));
                }
                let found = find(sql, &access, &hex).await?;
                let found = found
                    .filter(|(owner, kind)| kind.is_sound() && theirs.iter().any(|key| key.id == *owner));
                let (owner, kind) = found.ok_or(Error::Missing(Missing::Recording))?;
                let gone = media::detach(sql, institution, owner, kind, now).await?;
                let change = MediaChange::deleted(owner, &gone);
                audit::write_media(sql, &record, &owned_app.ids, change.as_slice()).await?;
                Ok(gone)
            })
        })
        .await?;
    super::media::discard(app, institution, gone.as_slice()).await;
    Ok(())
}

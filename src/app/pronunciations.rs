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
    },
    store::{
        media,
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
                let unknown = Error::Missing(Missing::Recording);
                let Some(found) = media::find(sql, institution, &hex).await? else {
                    return Err(unknown);
                };
                let owner = media::owner(sql, institution, &hex).await?;
                let Some(owner) = owner.filter(|owner| theirs.iter().any(|key| key.id == *owner)) else {
                    return Err(unknown);
                };
                if !found.kind.is_sound() {
                    return Err(unknown);
                }
                let gone = media::detach(sql, institution, owner, found.kind, now).await?;
                let change = MediaChange::deleted(owner, &gone);
                audit::write_media(sql, &record, &owned_app.ids, change.as_slice()).await?;
                Ok(gone)
            })
        })
        .await?;
    super::media::discard(app, institution, gone.as_slice()).await;
    Ok(())
}

//! People's photos from the learning system. Copied after the roster is applied; a failure does not fail the synchronization.

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::StreamExt;

use crate::{
    app::{
        App, Error, Result,
        audit::{self, MediaChange, Record},
        media,
    },
    domain::{
        audit::{Act, Who, WhoKind},
        ids::{InstitutionId, ParticipantId},
        matching::Entry,
        media::{Incoming, Kind},
        roster::Member,
        tool_consumer::ToolConsumer,
    },
    lms::Connection,
    store::{self, courses::members, rolls},
};

/// A pending change to a person's photo.
#[derive(Debug, Clone)]
pub struct Photo {
    participant: ParticipantId,
    change: PhotoChange,
}

#[derive(Debug, Clone)]
enum PhotoChange {
    /// Download from `url`. `digest` is a digest of the URL without its credentials, stored to detect changes.
    Copy { url: String, digest: String },
    /// The learning system no longer has a photo, and the current one was copied from there.
    Remove,
}

impl Photo {
    pub fn new(member: &Member, participant: ParticipantId) -> Option<Self> {
        let change = PhotoChange::Copy { url: member.photo_url.clone()?, digest: member.photo_mark()? };
        Some(Self { participant, change })
    }

    /// `None` if the photo is up to date.
    pub fn of(member: &Member, entry: &Entry) -> Option<Self> {
        // If the entry was linked to another user before, the stored digest is that user's.
        let was = entry.user_id.as_deref() == Some(&member.user_id);
        let digest = entry.photo_url.as_ref().filter(|_| was);
        match member.photo_mark() {
            Some(wanted) if digest == Some(&wanted) => None,
            Some(_) => Self::new(member, entry.id),
            None => {
                let is_theirs = entry.copied_photo.is_some() && entry.copied_photo == entry.photo;
                is_theirs.then_some(Self { participant: entry.id, change: PhotoChange::Remove })
            }
        }
    }
}

const CONCURRENT_COPIES: usize = 4;
/// After this many consecutive failures the learning system is considered down. The next synchronization copies the rest.
const MAX_FAILURES: usize = 5;

pub async fn follow(app: &App, connection: &Connection, consumer: &ToolConsumer, photos: Vec<Photo>) {
    let (institution, who) = (consumer.institution, &Who::named(WhoKind::System, &consumer.name));
    let failures = &AtomicUsize::new(0);
    let one = |photo: Photo| async move {
        if failures.load(Ordering::Relaxed) >= MAX_FAILURES {
            return;
        }
        let done = match &photo.change {
            PhotoChange::Copy { url, digest } => {
                copy(app, connection, (institution, photo.participant), who, (url.as_str(), digest.as_str()))
                    .await
            }
            PhotoChange::Remove => remove(app, (institution, photo.participant), who).await,
        };
        match &done {
            Err(Error::LearningSystem(_)) => failures.fetch_add(1, Ordering::Relaxed),
            _ => failures.swap(0, Ordering::Relaxed),
        };
        if let Err(error) = done {
            // The old photo stays, and the next synchronization tries again.
            tracing::warn!(participant = photo.participant.get(), %error, "copying a picture from the learning system failed");
        }
    };
    futures_util::stream::iter(photos).for_each_concurrent(CONCURRENT_COPIES, one).await;
}

async fn copy(
    app: &App,
    connection: &Connection,
    (institution, participant): (InstitutionId, ParticipantId),
    who: &Who,
    (url, digest): (&str, &str),
) -> Result<()> {
    let given = match connection.photo(url).await? {
        None => None,
        Some(bytes) => match store_photo(app, (institution, participant), who, bytes).await {
            Err(Error::Invalid(why)) => {
                tracing::info!(participant = participant.get(), %why, "a picture from the learning system is unusable");
                None
            }
            other => other?,
        },
    };
    let (digest, hex) = (digest.to_owned(), given);
    app.db
        .write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                match hex {
                    Some(hex) => {
                        members::set_photo(sql, institution, participant, Some((&digest, &hex))).await?;
                    }
                    None => members::skip_photo(sql, institution, participant, &digest).await?,
                }
                Ok(())
            })
        })
        .await
}

/// Stores a photo and returns its hex id. Photos are not urgent, so this retries while media processing is busy.
async fn store_photo(
    app: &App,
    target: (InstitutionId, ParticipantId),
    who: &Who,
    bytes: Bytes,
) -> Result<Option<String>> {
    loop {
        let photo_bytes = (Kind::Photo, Incoming::Bytes(bytes.to_vec()));
        match media::store_one(app, target, who.clone(), photo_bytes).await {
            Err(Error::Busy) => app.clock.sleep(std::time::Duration::from_secs(1)).await,
            other => return Ok(other?.photo),
        }
    }
}

async fn remove(
    app: &App,
    (institution, participant): (InstitutionId, ParticipantId),
    who: &Who,
) -> Result<()> {
    let (now, owned_app) = (app.clock.now(), app.clone());
    let record = Record::by(app, who.clone(), institution, Act::PhotoDeleted);
    let gone = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                // They may have left or uploaded a photo themselves in the meantime.
                if !members::has_copied_photo(sql, institution, participant).await? {
                    return Ok(Vec::new());
                }
                members::set_photo(sql, institution, participant, None).await?;
                let gone = store::media::detach(sql, institution, participant, Kind::Photo, now).await?;
                let change = MediaChange::deleted(participant, &gone);
                audit::write_media(sql, &record, &owned_app.ids, change.as_slice()).await?;
                Ok(gone)
            })
        })
        .await?;
    media::discard(app, institution, gone.as_slice()).await;
    Ok(())
}

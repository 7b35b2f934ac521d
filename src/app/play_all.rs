//! "Play all" of the listening page for browsers without JavaScript: the recordings of a part of the list as one MP3, with a pause
//! between them. It is sent in chunks of one recording each, so memory does not depend on their number.

use std::time::Duration;

use bytes::Bytes;
use endonym_media::sound::{self, Refusal};

use super::{
    Actor, App, Error, Missing, Result,
    listening::{self, Query, Sound},
    media,
    name_pages::PublicPage,
    plays,
    streams::{self, Chunks, Slot},
};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        client_address::Client,
        ids::InstitutionId,
        play::{Place, Source},
    },
};

/// Files that are sent at once. They have slots of their own: on some pages visitors need no session, and they must not be able to
/// take those of API clients and managers.
pub const SLOTS: streams::Settings =
    streams::Settings { at_once: 32, per_institution: 8, wait: Duration::from_secs(5) };

/// How long the next recording may wait while the queue for uploads is full.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE_WHILE_BUSY: Duration = Duration::from_millis(250);

/// A file that is being sent.
pub struct PlayAll {
    app: App,
    institution: InstitutionId,
    is_begun: bool,
    /// The hexes of the recordings that are not sent yet.
    recordings: std::vec::IntoIter<String>,
    is_counted: bool,
    /// Limits how many are sent at once.
    _slot: Slot,
}

/// Begins to send the recordings that the visitor may hear, of the people in this part of the list. `is_counted` tells whether
/// they count as played.
pub async fn begin(
    app: &App,
    (visitor, client): (Option<&Actor>, Option<Client>),
    public: &PublicPage,
    query: &Query,
    is_counted: bool,
) -> Result<PlayAll> {
    let found = listening::list(app, visitor, public, query).await?;
    let heard = found.people.into_iter().filter_map(|one| match one.sound {
        Sound::Recording(recording) => Some(recording.hex),
        Sound::Inside | Sound::None => None,
    });
    let recordings: Vec<String> = heard.collect();
    if recordings.is_empty() {
        return Err(Error::Missing(Missing::Recording));
    }
    let institution = public.institution.id;
    let slot = match client {
        Some(client) => app.play_all.slot_for(institution, client).await?,
        None => app.play_all.slot(institution).await?,
    };
    let (app, recordings) = (app.clone(), recordings.into_iter());
    Ok(PlayAll { app, institution, is_begun: false, recordings, is_counted, _slot: slot })
}

impl Chunks for PlayAll {
    /// The next recording, behind a pause if it is not the first one. A file without any is missing.
    async fn next(&mut self) -> Result<Option<Bytes>> {
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        match self.recording().await? {
            None if is_first => Err(Error::Missing(Missing::Recording)),
            Some(frames) if !is_first => Ok(Some([sound::pause(), &frames[..]].concat().into())),
            recording => Ok(recording),
        }
    }
}

impl PlayAll {
    /// The next recording that can be heard.
    async fn recording(&mut self) -> Result<Option<Bytes>> {
        while let Some(hex) = self.recordings.next() {
            let Some(frames) = self.frames(&hex).await? else { continue };
            if self.is_counted {
                plays::count(&self.app, self.institution, &hex, Place { source: Source::Page, site: "" });
            }
            return Ok(Some(frames));
        }
        Ok(None)
    }

    /// A recording as a part of the file. `None` if nobody may hear it any more, since the list was read, or if it cannot be read.
    async fn frames(&self, hex: &str) -> Result<Option<Bytes>> {
        match media::find_live(&self.app, self.institution, hex).await {
            Ok(_) => {}
            Err(Error::Missing(_)) => return Ok(None),
            Err(error) => return Err(error),
        }
        let key = Key { shelf: Shelf::Recordings, institution: self.institution, hex: hex.to_owned() };
        let Some(file) = self.app.blobs.read(&key).await? else { return Ok(None) };
        if let Some(frames) = sound::frames(&file) {
            return Ok(Some(file.slice_ref(frames)));
        }
        let file = match self.encoded(&file).await? {
            Ok(file) => Bytes::from(file),
            Err(refusal) => {
                tracing::warn!(%refusal, "a recording cannot be joined with others");
                return Ok(None);
            }
        };
        Ok(sound::frames(&file).map(|frames| file.slice_ref(frames)))
    }

    async fn encoded(&self, file: &Bytes) -> Result<Result<Vec<u8>, Refusal>> {
        let started = self.app.clock.instant();
        loop {
            match self.app.studio.joinable(self.institution, file.clone()).await {
                Err(Error::Busy) if self.app.clock.instant() < started + PATIENCE => {
                    self.app.clock.sleep(PAUSE_WHILE_BUSY).await;
                }
                result => return result,
            }
        }
    }
}

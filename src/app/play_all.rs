//! "Play all" of the listening page for browsers without JavaScript: the recordings of a part of the list as one MP3, with a pause
//! between them. It is sent in chunks of one recording each, so memory does not depend on their number.

use bytes::Bytes;
use endonym_media::sound;

use super::{
    Actor, App, Error, Missing, Result,
    listening::{self, Query, Sound},
    media,
    name_pages::PublicPage,
    plays,
    streams::Slot,
};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        ids::InstitutionId,
        play::{Place, Source},
    },
};

/// A file that is being sent.
pub struct PlayAll {
    app: App,
    institution: InstitutionId,
    /// The hexes of the recordings that are not sent yet.
    recordings: std::vec::IntoIter<String>,
    is_begun: bool,
    is_counted: bool,
    /// Limits how many are sent at once.
    _slot: Slot,
}

/// Begins to send the recordings that the visitor may hear, of the people in this part of the list. `is_counted` tells whether
/// they count as played.
pub async fn begin(
    app: &App,
    visitor: Option<&Actor>,
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
    let slot = app.streams.slot(institution).await?;
    Ok(PlayAll {
        app: app.clone(),
        institution,
        recordings: recordings.into_iter(),
        is_begun: false,
        is_counted,
        _slot: slot,
    })
}

impl PlayAll {
    /// The next recording, behind a pause if it is not the first one. `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        while let Some(hex) = self.recordings.next() {
            let Some(frames) = self.frames(&hex).await? else { continue };
            if self.is_counted {
                plays::count(&self.app, self.institution, &hex, Place { source: Source::Page, site: "" });
            }
            if !std::mem::replace(&mut self.is_begun, true) {
                return Ok(Some(frames));
            }
            return Ok(Some([sound::pause(), &frames[..]].concat().into()));
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
        let file = match self.app.studio.joinable(file).await? {
            Ok(file) => Bytes::from(file),
            Err(refusal) => {
                tracing::warn!(%refusal, "a recording cannot be joined with others");
                return Ok(None);
            }
        };
        Ok(sound::frames(&file).map(|frames| file.slice_ref(frames)))
    }
}

//! Recordings and photos: processing, storing, replacing, removing and finding them.
//!
//! Blobs are written before rows and removed after them: a blob is stored before the row that references it, and
//! removed once no row does. An interruption leaves at most an orphaned blob, which `sweep` removes, and never a dead
//! link.

mod playing;
mod removal;

use std::{future::Future, time::Duration};

use bytes::Bytes;
use futures_util::StreamExt;

pub use playing::{KEPT_BYTES, KeptRecordings, keep, kept};
pub use removal::{Removal, Removals};
pub(super) use removal::{discard, discard_now, remove};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, MediaChange, Record},
    studio::Processed,
};
use crate::{
    blobs::{self, Key, Listed, Shelf},
    domain::{
        audit::{Act, Who},
        ids::{InstitutionId, ParticipantId},
        media::{Incoming, Kind, Media, Origin, Waveform},
        moment::Moment,
        participant::{Draft, Participant, Recording},
    },
    store::{Sql, exports, media, participants, rolls},
    tasks,
    telemetry::traces,
};

/// The kind and size of a live link. Reads the database, so that a revoked link is dead at once on every node.
pub async fn find_live(app: &App, institution: InstitutionId, hex: &str) -> Result<(Kind, u64)> {
    let found = media::find_live(&mut app.db.read(), institution, hex).await?;
    found.ok_or(Error::Missing(Missing::Recording))
}

/// The recording that has replaced this one: the current one of the same kind and person.
pub async fn successor(app: &App, institution: InstitutionId, hex: &str) -> Result<Recording> {
    let found = media::successor(&mut app.db.read(), institution, hex).await?;
    found.ok_or(Error::Missing(Missing::Recording))
}

/// The recording or photo behind a link.
pub async fn find(app: &App, institution: InstitutionId, hex: &str) -> Result<Media> {
    let found = media::find(&mut app.db.read(), institution, hex).await?;
    found.ok_or(Error::Missing(Missing::Recording))
}

/// Recordings and photos that are validated and processed, but not stored yet. Storing them uses them up: their files may be removed
/// in the background when a write was rolled back, so a retry stores `copies`, with links of their own.
#[derive(Default)]
pub struct ProcessedMedia(Vec<(Media, Vec<(Shelf, Bytes)>)>);

impl ProcessedMedia {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The length of the longest recording, without the silence around the name.
    pub(super) fn duration(&self) -> Duration {
        let waveforms = self.0.iter().filter_map(|(row, _)| row.waveform.as_ref());
        waveforms.map(|one| Duration::from_millis(one.duration_ms)).max().unwrap_or_default()
    }

    /// Copies of this origin, each with its own link.
    pub(super) fn copies(&self, app: &App, count: usize, origin: Origin) -> Self {
        let mut copies: Vec<_> = (0..count).flat_map(|_| self.copy(app).0).collect();
        copies.iter_mut().for_each(|(row, _)| row.origin = origin);
        Self(copies)
    }

    /// A copy with links of its own, for one try of a write.
    pub(super) fn copy(&self, app: &App) -> Self {
        let copy = |(row, files): &(Media, Vec<(Shelf, Bytes)>)| {
            (Media { hex: app.ids.hex(), ..row.clone() }, files.clone())
        };
        Self(self.0.iter().map(copy).collect())
    }

    fn rows(&self) -> Vec<Media> {
        self.0.iter().map(|(row, _)| row.clone()).collect()
    }
}

/// Processes the files of a draft. Unreadable files are added to the draft's errors, and then nothing is returned.
pub(super) async fn process(
    app: &App,
    institution: InstitutionId,
    draft: &mut Draft,
    now: Moment,
) -> Result<ProcessedMedia> {
    let mut processed = ProcessedMedia::default();
    if !draft.media.is_empty() {
        // Processing takes longer than to say that the result could not be stored.
        app.blobs.ensure_available().await?;
    }
    for (kind, incoming) in std::mem::take(&mut draft.media) {
        match app.studio.process(institution, kind, incoming).await? {
            Ok(made) => processed.0.push(row_and_files(app, kind, made, now)),
            Err(fault) => draft.errors.add(kind.field(), fault),
        }
    }
    Ok(if draft.errors.is_empty() { processed } else { ProcessedMedia::default() })
}

fn row_and_files(app: &App, kind: Kind, made: Processed, now: Moment) -> (Media, Vec<(Shelf, Bytes)>) {
    let mut row = Media {
        hex: app.ids.hex(),
        kind,
        bytes: 0,
        waveform: None,
        original: false,
        origin: Origin::Given,
        created_at: now,
    };
    let files = match made {
        Processed::Sound { original, sound } => {
            row.bytes = sound.mp3.len() as u64;
            row.waveform = Some(Waveform {
                duration_ms: super::studio::millis(sound.duration),
                peaks: sound.peaks.to_vec(),
            });
            row.original = !original.is_empty();
            let mut files = vec![(Shelf::Recordings, sound.mp3.into())];
            if row.original {
                files.push((Shelf::Originals, original.into()));
            }
            files
        }
        Processed::Picture(picture) => {
            row.bytes = picture.large.len() as u64;
            vec![(Shelf::Photos, picture.large.into()), (Shelf::Thumbnails, picture.small.into())]
        }
    };
    (row, files)
}

/// The result of a write: the participant as stored, and the media that were replaced.
pub(super) type Written = (Participant, Vec<Media>);

const CONCURRENT_PUTS: usize = 8;

/// Stores the blobs, runs the write, then discards the replaced blobs. Runs to completion even if the caller is
/// canceled.
pub(super) async fn store_and<F, Fut, T>(
    app: &App,
    institution: InstitutionId,
    processed: ProcessedMedia,
    write: F,
) -> Result<T>
where
    F: FnOnce(Vec<Media>) -> Fut + Send + 'static,
    Fut: Future<Output = Result<(T, Vec<Media>)>> + Send,
    T: Send + 'static,
{
    if processed.is_empty() {
        let (person, replaced) = write(Vec::new()).await?;
        discard(app, institution, &replaced).await;
        return Ok(person);
    }
    let app = app.clone();
    let work = async move {
        let rows = processed.rows();
        let files = processed.0.into_iter().flat_map(|(row, files)| {
            files
                .into_iter()
                .map(move |(shelf, bytes)| (Key { shelf, institution, hex: row.hex.clone() }, bytes))
        });
        let put = |(key, bytes): (Key, Bytes)| {
            let app = &app;
            async move { app.blobs.put(&key, bytes).await }
        };
        let mut puts = futures_util::stream::iter(files).map(put).buffer_unordered(CONCURRENT_PUTS);
        let mut failed = None;
        while let Some(done) = puts.next().await {
            failed = done.err().or(failed);
        }
        if let Some(error) = failed {
            discard(&app, institution, &rows).await;
            return Err(error.into());
        }
        match write(rows.clone()).await {
            Ok((person, replaced)) => {
                discard(&app, institution, &replaced).await;
                Ok(person)
            }
            Err(error) => {
                if error.is_rolled_back() {
                    discard(&app, institution, &rows).await;
                }
                Err(error)
            }
        }
    };
    tasks::spawn(traces::in_current_span(work)).await.map_err(|error| Error::Internal(error.to_string()))?
}

/// Attaches new media to a person and returns the replaced ones. Runs in the transaction of the write.
pub(super) async fn attach(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    new: &[Media],
    now: Moment,
) -> Result<Vec<Media>> {
    let mut replaced = Vec::new();
    for one in new {
        replaced.extend(media::attach(sql, institution, participant, one, now).await?);
    }
    Ok(replaced)
}

/// Attaches a single file, without other changes to the person. Calls to them are not affected.
pub(super) async fn store_one(
    app: &App,
    (institution, participant): (InstitutionId, ParticipantId),
    who: Who,
    (kind, incoming): (Kind, Incoming),
) -> Result<Participant> {
    let now = app.clock.now();
    let mut draft = Draft { media: vec![(kind, incoming)], ..Draft::default() };
    let processed = process(app, institution, &mut draft, now).await?;
    draft.errors.into_result()?;
    let record = Record::by(app, who, institution, Act::PhotoReplaced);
    let owned_app = app.clone();
    let write = move |new: Vec<Media>| async move {
        let db = owned_app.db.clone();
        db.write_people(institution, move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let missing = || Error::Missing(Missing::Participant);
                participants::by_ids(sql, institution, &[participant]).await?.pop().ok_or_else(missing)?;
                let replaced = attach(sql, institution, participant, &new, now).await?;
                let change =
                    MediaChange { participant, before: replaced.clone(), after: new.into_iter().next() };
                audit::write_media(sql, &record, &owned_app.ids, &[change]).await?;
                let person = participants::by_ids(sql, institution, &[participant]).await?.pop();
                Ok((person.ok_or_else(missing)?, replaced))
            })
        })
        .await
    };
    store_and(app, institution, processed, write).await
}

/// The blobs of a recording or photo.
pub(super) fn keys(institution: InstitutionId, one: &Media) -> Vec<Key> {
    let shelves = match (one.kind, one.original) {
        (Kind::Photo, _) => vec![Shelf::Photos, Shelf::Thumbnails],
        (_, true) => vec![Shelf::Recordings, Shelf::Originals],
        (_, false) => vec![Shelf::Recordings],
    };
    shelves.into_iter().map(|shelf| Key { shelf, institution, hex: one.hex.clone() }).collect()
}

const REPROCESS_BATCH: i64 = 100;

/// Processes stored originals again, after processing has changed. Dates stay; links change with the bytes. `report` is
/// called for each with its hex and, if it was skipped, the reason.
pub async fn reprocess(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    mut report: impl FnMut(&str, Option<String>),
) -> Result<()> {
    actor.administer(institution)?;
    let record = Record::new(app, actor, institution, Act::RecordingsReprocessed);
    app.db
        .write::<_, Error>(move |sql| Box::pin(async move { Ok(audit::write(sql, &[record]).await?) }))
        .await?;
    // New files get a new hex, which may sort after the current one.
    let mut seen = std::collections::HashSet::new();
    let mut behind = String::new();
    loop {
        let group = media::with_originals(&mut app.db.read(), institution, &behind, REPROCESS_BATCH).await?;
        let Some((last, _)) = group.last() else { return Ok(()) };
        behind.clone_from(&last.hex);
        for (old, owner) in group {
            if !seen.insert((owner, old.kind)) {
                continue;
            }
            let why = match reprocess_one(app, institution, owner, &old).await {
                Ok(()) => None,
                Err(Error::Invalid(errors)) => Some(errors.to_string()),
                Err(Error::Missing(_)) => Some("its original no longer exists".to_owned()),
                Err(other) => return Err(other),
            };
            report(&old.hex, why);
        }
    }
}

async fn reprocess_one(
    app: &App,
    institution: InstitutionId,
    owner: ParticipantId,
    old: &Media,
) -> Result<()> {
    let key = Key { shelf: Shelf::Originals, institution, hex: old.hex.clone() };
    let bytes = app.blobs.read(&key).await?.ok_or(Error::Missing(Missing::Recording))?;
    let mut draft = Draft { media: vec![(old.kind, Incoming::Bytes(bytes.to_vec()))], ..Draft::default() };
    let processed = process(app, institution, &mut draft, old.created_at).await?.copies(app, 1, old.origin);
    draft.errors.into_result()?;
    let (db, now, hex) = (app.db.clone(), app.clock.now(), old.hex.clone());
    // Its owner may be hidden: it is processed anyway, and stays hidden.
    let write = move |new: Vec<Media>| async move {
        db.write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                if media::referenced(sql, institution, &[&hex]).await?.is_empty() {
                    return Err(Error::Missing(Missing::Recording));
                }
                Ok(((), attach(sql, institution, owner, &new, now).await?))
            })
        })
        .await
    };
    store_and(app, institution, processed, write).await
}

/// The result of a sweep.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct SweepReport {
    pub seen: u64,
    pub removed: u64,
    /// Files that are not ours; they are kept.
    pub strange: u64,
}

const SWEEP_BATCH: usize = 256;

/// Removes orphaned blobs and partial writes, once they are older than any request can take. A blob that cannot be removed is
/// an error after all others were removed; a server that does not respond, at once.
pub async fn sweep(app: &App, actor: &Actor, older_than: Duration, rehearse: bool) -> Result<SweepReport> {
    actor.operate()?;
    let age = i64::try_from(older_than.as_micros()).unwrap_or(i64::MAX);
    let before = Moment::from_micros(app.clock.now().micros().saturating_sub(age));
    let (mut swept, mut failed) = (SweepReport::default(), None);
    let mut files = app.blobs.list().chunks(SWEEP_BATCH);
    while let Some(group) = files.next().await {
        let group = group.into_iter().collect::<std::result::Result<Vec<Listed>, _>>()?;
        swept.seen += group.len() as u64;
        let old: Vec<Listed> = group.into_iter().filter(|listed| listed.modified <= before).collect();
        for listed in orphans(app, old, &mut swept).await? {
            let removed = match listed.key() {
                _ if rehearse => Ok(()),
                Some(key) => app.blobs.remove(&key).await,
                None => app.blobs.remove_listed(&listed).await,
            };
            match removed {
                Ok(()) => swept.removed += 1,
                Err(error @ blobs::Error::Unavailable(_)) => return Err(error.into()),
                Err(error @ blobs::Error::Broken(_)) => {
                    tracing::warn!(%error, path = listed.path(), "an orphaned file cannot be removed");
                    failed = Some(error);
                }
            }
        }
    }
    failed.map_or(Ok(swept), |error| Err(error.into()))
}

async fn orphans(app: &App, files: Vec<Listed>, swept: &mut SweepReport) -> Result<Vec<Listed>> {
    let mut orphans = Vec::new();
    let mut known: Vec<(Key, Listed)> = Vec::new();
    for listed in files {
        match listed.key() {
            Some(key) => known.push((key, listed)),
            None if listed.is_partial() => orphans.push(listed),
            None => {
                tracing::warn!(path = listed.path(), "keeping a file that Endonym did not create");
                swept.strange += 1;
            }
        }
    }
    let owner = |key: &Key| (key.institution, key.shelf == Shelf::Exports);
    known.sort_by_key(|(key, _)| owner(key));
    for group in known.chunk_by(|(a, _), (b, _)| owner(a) == owner(b)) {
        let hexes: Vec<&str> = group.iter().map(|(key, _)| key.hex.as_str()).collect();
        let (institution, is_report) = owner(&group[0].0);
        let sql = &mut app.db.read();
        let living = if is_report {
            exports::referenced(sql, institution, &hexes).await?
        } else {
            media::referenced(sql, institution, &hexes).await?
        };
        let dead = group.iter().filter(|(key, _)| !living.contains(&key.hex));
        orphans.extend(dead.map(|(_, listed)| listed.clone()));
    }
    Ok(orphans)
}

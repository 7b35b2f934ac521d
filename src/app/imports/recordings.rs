//! Recordings in a folder or a ZIP file. Each file is named after its owner's email or identifier.

use std::{
    collections::HashMap,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::{StreamExt, stream};

use super::{
    super::{
        Actor, App, Error, Missing, Result,
        audit::{self, Record},
        calls::{self, CallChange},
        kept_recordings, media,
    },
    Run, Target, author,
    formats::{
        Format, Input, SheetFault,
        zipped::{Zipped, base_name},
    },
    group,
    uploads::blocking,
};
use crate::{
    domain::{
        access::SearchScope,
        audit::{Act, Who},
        call::Reason,
        email::email_key,
        fault::Fault,
        ids::{ImportId, InstitutionId, NamePageId, ParticipantId},
        import::{BroughtRecording, Counts},
        media::{Incoming, Kind, Media, MediaFault},
        moment::Moment,
        participant::{Draft, Participant},
        text,
    },
    store::{
        self, imports,
        participants::{self, KeyKind, best},
        rolls,
    },
};

/// Being processed or read at the same time.
const CONCURRENT_FILES: usize = 8;

/// Files with recordings, in order of their names.
pub struct Recordings {
    place: Arc<Place>,
    names: Vec<String>,
    /// Folders inside the folder, which are not read.
    pub skipped: Vec<String>,
}

enum Place {
    Folder(PathBuf),
    /// With the position of each file.
    Zip(Mutex<Zipped>, Vec<usize>),
}

impl Recordings {
    /// A folder, or a ZIP file. Hidden files are left out.
    pub fn open(path: &Path) -> Result<Self, SheetFault> {
        if !path.is_dir() {
            return Self::in_zip(&Input::File(path.to_owned()));
        }
        let (mut names, mut skipped) = (Vec::new(), Vec::new());
        for entry in std::fs::read_dir(path).map_err(SheetFault::Io)? {
            let entry = entry.map_err(SheetFault::Io)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                skipped.push(name);
            } else if !name.starts_with('.') {
                names.push(name);
            }
        }
        names.sort();
        Ok(Self { place: Arc::new(Place::Folder(path.to_owned())), names, skipped })
    }

    /// The files of a ZIP file, in whatever folder.
    pub fn in_zip(input: &Input) -> Result<Self, SheetFault> {
        if matches!(Format::of(input)?, Format::Csv | Format::Rows) {
            return Err(SheetFault::Damaged("it is neither a directory nor a ZIP file".to_owned()));
        }
        let zip = Zipped::open(input)?;
        let mut files: Vec<(String, usize)> = zip
            .files()
            .filter(|(_, path)| !path.split('/').any(|part| part.starts_with('.') || part == "__MACOSX"))
            .map(|(at, path)| (base_name(path).to_owned(), at))
            .collect();
        files.sort();
        let (names, positions) = files.into_iter().unzip();
        Ok(Self { place: Arc::new(Place::Zip(Mutex::new(zip), positions)), names, skipped: Vec::new() })
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// No more than it takes to see that it is too much. Unpacking takes time, so a thread that may block reads it.
    async fn contents(&self, at: usize, most: usize) -> Result<Result<Vec<u8>, String>> {
        let (place, name) = (self.place.clone(), self.names[at].clone());
        blocking(move || place.contents(at, &name, most)).await
    }
}

impl Place {
    fn contents(&self, at: usize, name: &str, most: usize) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let most = most as u64 + 1;
        let read = match self {
            Self::Folder(path) => {
                File::open(path.join(name)).and_then(|file| file.take(most).read_to_end(&mut bytes))
            }
            Self::Zip(zip, positions) => {
                let mut zip = zip.lock().unwrap_or_else(PoisonError::into_inner);
                let file = zip.read(positions[at], super::formats::limits::DECLARED_BYTES);
                file.map_err(|fault| fault.to_string())?.take(most).read_to_end(&mut bytes)
            }
        };
        read.map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}

/// The result of a file.
#[derive(Debug, Clone)]
pub enum FileOutcome {
    Stored { email: Option<String> },
    Refused { email: Option<String>, why: FileFault },
    Nobody,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum FileFault {
    #[error("`{0}` belongs to the same person")]
    SamePerson(String),
    #[error("unreadable: {0}")]
    Unreadable(String),
    #[error("{0}")]
    Media(MediaFault),
}

/// Imports all recordings. `would_exist` knows, in a rehearsal, the people who would exist by now.
pub async fn recordings(
    app: &App,
    actor: &Actor,
    run: Run,
    files: &Recordings,
    would_exist: &(dyn Fn(&str) -> bool + Sync),
    each: &mut (dyn FnMut(&str, FileOutcome) + Send),
) -> Result<()> {
    actor.manage(run.institution, run.page)?;
    let who = match run.target {
        Target::Import(id) => author(&mut app.db.read(), actor, run.institution, id).await?,
        Target::Rehearsal | Target::Check(_) => actor.who(),
    };
    let who = &who;
    // Find the owners first and in order, to detect two files of one person.
    let mut first_file: HashMap<ParticipantId, &str> = HashMap::new();
    let mut owners = Vec::with_capacity(files.names.len());
    for (at, name) in files.names.iter().enumerate() {
        let person = find_owner(app, run.institution, run.page, name).await?;
        let earlier = person.as_ref().and_then(|person| {
            let first = *first_file.entry(person.id).or_insert(name);
            (first != name).then(|| first.to_owned())
        });
        owners.push((at, name.clone(), person, earlier, would_exist(name)));
    }
    let work = owners.into_iter().map(|(at, name, person, earlier, would_be_there)| async move {
        let email = person.as_ref().and_then(|person| person.email.clone());
        let outcome = match (person, earlier) {
            (None, _) if !would_be_there => FileOutcome::Nobody,
            (_, Some(earlier)) => FileOutcome::Refused { email, why: FileFault::SamePerson(earlier) },
            (person, None) => match files.contents(at, app.studio.settings.sound.bytes).await? {
                Err(error) => FileOutcome::Refused { email, why: FileFault::Unreadable(error) },
                Ok(bytes) => match store_recording(app, run, who, person.as_ref(), bytes).await? {
                    Ok(()) => FileOutcome::Stored { email },
                    Err(fault) => FileOutcome::Refused { email, why: FileFault::Media(fault) },
                },
            },
        };
        count(app, run, &outcome).await?;
        Ok::<_, Error>((name, outcome))
    });
    let mut work = std::pin::pin!(stream::iter(work).buffered(CONCURRENT_FILES));
    while let Some(done) = work.next().await {
        let (name, outcome) = done?;
        each(&name, outcome);
    }
    Ok(())
}

/// Finds the owner of a recording on the page by its file name, which is an email or an identifier, with or without a file
/// extension.
async fn find_owner(
    app: &App,
    institution: InstitutionId,
    page: NamePageId,
    file: &str,
) -> Result<Option<Participant>> {
    let sql = &mut app.db.read();
    for (email, identifier) in names(file) {
        for (by, key) in [(KeyKind::Email, email), (KeyKind::Identifier, identifier)] {
            let found = best(sql, institution, SearchScope::Page(page), by, &key).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// Returns what a file name may stand for, as keys of an email and of an identifier. The domain of an email can look like a
/// file extension, so the whole name comes first.
pub fn names(file: &str) -> impl Iterator<Item = (String, String)> {
    let without_ending = file.rsplit_once('.').map(|(name, _)| name);
    [Some(file), without_ending].into_iter().flatten().map(|name| (email_key(name), text::nfc(name.trim())))
}

/// Counts a file, so that the page shows how far the import is, and stops if the import has been ended meanwhile. What is stored is counted
/// in its own transaction.
async fn count(app: &App, run: Run, outcome: &FileOutcome) -> Result<()> {
    let mut counts = Counts { done: 1, ..Counts::default() };
    match (outcome, run.target) {
        (_, Target::Rehearsal) | (FileOutcome::Stored { .. }, Target::Import(_)) => return Ok(()),
        (FileOutcome::Stored { .. }, Target::Check(_)) => counts.updated = 1,
        (FileOutcome::Nobody | FileOutcome::Refused { .. }, _) => counts.refused = 1,
    }
    app.db
        .write::<_, Error>(move |sql| Box::pin(async move { group::advance(sql, &run, None, counts).await }))
        .await
}

/// Attaches a recording from a file. The inner error says what is wrong with the file.
async fn store_recording(
    app: &App,
    run: Run,
    who: &Who,
    person: Option<&Participant>,
    bytes: Vec<u8>,
) -> Result<std::result::Result<(), MediaFault>> {
    let incoming = Incoming::Bytes(bytes);
    // In a dry run, the owner may not exist yet: they may be somebody whom the import would create.
    let (Some(person), Target::Import(import)) = (person, run.target) else {
        return Ok(app.studio.process(run.institution, Kind::Recording, incoming).await?.map(|_| ()));
    };
    // The import goes on after an interruption, and has counted it.
    if imports::has_brought(&mut app.db.read(), run.institution, import, person.id).await? {
        return Ok(Ok(()));
    }
    let now = app.clock.now();
    let mut draft = Draft { media: vec![(Kind::Recording, incoming)], ..Draft::default() };
    let processed = media::process(app, run.institution, &mut draft, now).await?;
    if let Err(errors) = draft.errors.into_result() {
        let fault = errors.iter().flat_map(|(_, faults)| faults).find_map(|fault| match fault {
            Fault::Media(fault) => Some(fault.clone()),
            _ => None,
        });
        return fault.map(Err).ok_or(Error::Invalid(errors));
    }
    let (owned_app, participant) = (app.clone(), person.id);
    let record = Record::by(app, who.clone(), run.institution, Act::RecordingReplaced);
    let write = move |new: Vec<Media>| attach(owned_app, (run, import, record), participant, new, now);
    media::store_and(app, run.institution, processed, write).await?;
    Ok(Ok(()))
}

/// The recording, what the person was before, and the progress of the import are written in one transaction. Returns what was replaced.
async fn attach(
    app: App,
    (run, import, record): (Run, ImportId, Record),
    participant: ParticipantId,
    new: Vec<Media>,
    now: Moment,
) -> Result<((), Vec<Media>)> {
    let institution = run.institution;
    let (rules, ids) = (app.calling.clone(), calls::Ids::new(&app, now));
    let db = app.db.clone();
    db.write::<_, Error>(move |sql| {
        Box::pin(async move {
            rolls::lock(sql, institution).await?;
            let person = participants::by_ids(sql, institution, &[participant]).await?.pop();
            let person = person.ok_or(Error::Missing(Missing::Participant))?;
            let phone = participants::phone_number(sql, institution, participant).await?;
            let before = group::before(&person, phone)?;
            let had_one = store::media::of(sql, institution, participant, Kind::Recording).await?;
            let brought =
                if had_one.is_some() { BroughtRecording::Replaced } else { BroughtRecording::Added };
            let call_change = CallChange::Cancel(Reason::RecordedElsewhere);
            calls::settle(sql, &rules, (institution, participant), call_change, ids, now).await?;
            let kept = kept_recordings::keep(sql, institution, participant, now).await?;
            if kept.is_some() {
                kept_recordings::tell(sql, &app, institution, &[participant], now).await?;
            }
            let replaced = media::attach(sql, institution, participant, &new, now).await?;
            let what = (before.as_str(), brought);
            imports::remember_recording(sql, institution, import, participant, what).await?;
            let counts = Counts { done: 1, updated: 1, ..Counts::default() };
            let record = record.participant(&person);
            let record = record.change(audit::of_media(kept.iter().chain(&replaced)), audit::of_media(&new));
            audit::write(sql, &[record]).await?;
            group::advance(sql, &run, None, counts).await?;
            Ok(((), replaced))
        })
    })
    .await
}

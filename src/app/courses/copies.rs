//! Somebody who is new in a course and has a recording elsewhere in the institution starts with a copy of it. Its bytes are
//! copied before the rows are written, as everywhere; what is not used in the end is removed.

use std::collections::{HashMap, HashSet};

use futures_util::StreamExt;

use super::apply::holders;
use crate::{
    app::{
        App, Error, Result,
        media::{self, keys},
    },
    blobs::{Key, Shelf},
    domain::{
        course::Course,
        matching::{Plan, Wanted, may_share},
        media::Media,
        moment::Moment,
        roster::Member,
    },
    store::{
        courses::members::{self, Said},
        participants::By,
    },
};

const COPIED_AT_ONCE: usize = 8;

/// A recording whose bytes are there under another name, for whoever comes with one of its keys.
#[derive(Debug, Clone)]
pub struct Copy {
    pub media: Media,
    pub phonetic: Option<String>,
    pub of: Original,
}

/// What something is a copy of: when that is gone in the end, the copy is not wanted either.
#[derive(Debug, Clone)]
pub struct Original {
    pub hex: String,
    /// By what somebody was recognised: an email, or else an identifier.
    by_email: bool,
    key: String,
    email_key: Option<String>,
}

impl Original {
    fn of(by_email: bool, said: &Said) -> Self {
        Self {
            hex: said.media.hex.clone(),
            by_email,
            key: said.key.clone(),
            email_key: said.email_key.clone(),
        }
    }

    /// Is whoever said it the one whom this is about? Nobody is given another's voice.
    pub fn is_of(&self, wanted: &Wanted) -> bool {
        if self.by_email {
            wanted.email_key.as_ref() == Some(&self.key)
        } else {
            wanted.identifier_key.as_ref() == Some(&self.key)
                && may_share(wanted.email_key.as_deref(), self.email_key.as_deref())
        }
    }
}

/// By the place on the roster.
pub type Copies = HashMap<usize, Copy>;

pub async fn prepare(
    app: &App,
    institution: i64,
    course: &Course,
    members: &[Member],
    asked: Moment,
) -> Result<Copies> {
    let sql = &mut app.db.read();
    let page = course.name_page;
    let entries = members::entries(sql, institution, (course.id, page), asked).await?;
    let holders = holders(sql, institution, page, members, &entries).await?;
    let new = Plan::new(members, &entries, &holders).new;
    let mut said: HashMap<(bool, String), Vec<Said>> = HashMap::new();
    for (by_email, by) in [(true, By::Email), (false, By::Identifier)] {
        let key = |(_, wanted): &(usize, Wanted)| {
            if by_email { wanted.email_key.clone() } else { wanted.identifier_key.clone() }
        };
        let wanted: HashSet<String> = new.iter().filter_map(key).collect();
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        for one in members::recordings(sql, institution, by, &wanted).await? {
            // The newest comes first.
            said.entry((by_email, one.key.clone())).or_default().push(one);
        }
    }
    let found = new.into_iter().filter_map(|(member, wanted)| {
        let by = |by_email: bool, key: &Option<String>| {
            let all = said.get(&(by_email, key.clone()?))?;
            all.iter()
                .map(|said| (Original::of(by_email, said), said))
                .find(|(original, _)| original.is_of(&wanted))
        };
        let (original, said) = by(true, &wanted.email_key).or_else(|| by(false, &wanted.identifier_key))?;
        Some((member, original, said.clone()))
    });
    let copying = found.map(|(member, original, said)| async move {
        let copied = copy(app, institution, &said.media).await?;
        Ok(copied.map(|media| (member, Copy { media, phonetic: said.phonetic, of: original })))
    });
    let copied: Vec<Result<Option<(usize, Copy)>>> =
        futures_util::stream::iter(copying).buffered(COPIED_AT_ONCE).collect().await;
    let (mut copies, mut failed) = (Copies::new(), None);
    for one in copied {
        match one {
            Ok(copy) => copies.extend(copy),
            Err(error) => failed = Some(error),
        }
    }
    match failed {
        Some(error) => {
            media::discard(app, institution, &files(&copies)).await;
            Err(error)
        }
        None => Ok(copies),
    }
}

pub fn files(copies: &Copies) -> Vec<Media> {
    copies.values().map(|copy| copy.media.clone()).collect()
}

/// Removes what nobody has got in the end; all, when nothing was written.
pub async fn settle<T>(
    app: &App,
    institution: i64,
    made: Vec<Media>,
    written: Result<(T, HashSet<String>)>,
) -> Result<T> {
    match written {
        Ok((done, used)) => {
            let unused: Vec<Media> = made.into_iter().filter(|one| !used.contains(&one.hex)).collect();
            media::discard(app, institution, &unused).await;
            Ok(done)
        }
        Err(error) => {
            // A commit whose answer was lost may have happened: then the sweep, which asks the database, decides.
            if matches!(error, Error::Invalid(_) | Error::Missing(_)) {
                media::discard(app, institution, &made).await;
            }
            Err(error)
        }
    }
}

/// `None` when it is gone by now. Without what was sent once, where that is.
async fn copy(app: &App, institution: i64, of: &Media) -> Result<Option<Media>> {
    let waveform = of.waveform.clone();
    let mut made = Media { hex: app.ids.hex(), waveform, original: false, ..of.clone() };
    for from in keys(institution, of) {
        let is_original = from.shelf == Shelf::Originals;
        let put = match app.blobs.read(&from).await {
            Ok(Some(bytes)) => app.blobs.put(&Key { hex: made.hex.clone(), ..from }, bytes).await,
            Ok(None) if is_original => continue,
            Ok(None) => return Ok(None),
            Err(error) => Err(error),
        };
        if let Err(error) = put {
            media::discard(app, institution, &[Media { original: true, ..made }]).await;
            return Err(error.into());
        }
        made.original |= is_original;
    }
    Ok(Some(made))
}

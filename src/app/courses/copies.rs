//! Somebody who is new in a course and has a recording elsewhere in the institution starts with a copy of it. Its bytes are
//! copied before the rows are written, as everywhere; what is not used in the end is removed.

use std::collections::{HashMap, HashSet};

use futures_util::StreamExt;

use crate::{
    app::{App, Result, media::keys},
    blobs::Key,
    domain::{
        course::Course,
        matching::Plan,
        media::{Media, Waveform},
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
    /// What it is a copy of: when that is gone in the end, this is not wanted either.
    pub of: String,
}

/// By the place on the roster.
pub type Copies = HashMap<usize, Copy>;

pub async fn prepare(app: &App, institution: i64, course: &Course, members: &[Member]) -> Result<Copies> {
    let sql = &mut app.db.read();
    let entries = members::entries(sql, institution, course.id, course.name_page).await?;
    let new = Plan::new(members, &entries, &[]).new;
    let mut said: HashMap<(bool, String), Said> = HashMap::new();
    for (is_email, by) in [(true, By::Email), (false, By::Identifier)] {
        let key = |(_, wanted): &(usize, crate::domain::matching::Wanted)| {
            if is_email { wanted.email_key.clone() } else { wanted.identifier_key.clone() }
        };
        let wanted: HashSet<String> = new.iter().filter_map(key).collect();
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        for one in members::recordings(sql, institution, by, &wanted).await? {
            // The newest comes first.
            said.entry((is_email, one.key.clone())).or_insert(one);
        }
    }
    let found = new.into_iter().filter_map(|(member, wanted)| {
        let by =
            |is_email: bool, key: &Option<String>| key.clone().and_then(|key| said.get(&(is_email, key)));
        let said = by(true, &wanted.email_key).or_else(|| by(false, &wanted.identifier_key))?;
        Some((member, said.clone()))
    });
    let copying =
        found.map(|(member, said)| async move { Ok((member, copy(app, institution, said).await?)) });
    let copied: Vec<Result<(usize, Option<Copy>)>> =
        futures_util::stream::iter(copying).buffered(COPIED_AT_ONCE).collect().await;
    let mut copies = Copies::new();
    for one in copied {
        let (member, copy) = one?;
        copies.extend(copy.map(|copy| (member, copy)));
    }
    Ok(copies)
}

/// `None` when it is gone by now.
async fn copy(app: &App, institution: i64, said: Said) -> Result<Option<Copy>> {
    let hex = app.ids.hex();
    for from in keys(institution, &said.media) {
        let Some(bytes) = app.blobs.read(&from).await? else { return Ok(None) };
        app.blobs.put(&Key { hex: hex.clone(), ..from }, bytes).await?;
    }
    let of = said.media.hex.clone();
    let waveform = said
        .media
        .waveform
        .as_ref()
        .map(|waveform| Waveform { duration_ms: waveform.duration_ms, peaks: waveform.peaks.clone() });
    Ok(Some(Copy { media: Media { hex, waveform, ..said.media }, phonetic: said.phonetic, of }))
}

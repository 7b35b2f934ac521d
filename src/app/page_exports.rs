//! Everybody on a name page as a file for people: a spreadsheet, an archive of recordings, or cards for address books. (`exports.rs` has
//! the reports that API clients request.)
//!
//! People are read in batches and the file is sent in chunks, so memory does not depend on their number. Recordings that nobody
//! may hear for now, because they are paused or held, are left out.

mod xlsx;

use bytes::Bytes;

use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Links, Missing, Result,
    audit::{self, Record},
    streams::{Chunks, Slot},
    zip_stream::ZipStream,
};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        audit::Act,
        custom_field::CustomField,
        file_name::FileNames,
        formula::{BYTE_ORDER_MARK, csv_row},
        ids::{InstitutionId, NamePageId},
        institution::Institution,
        language::Language,
        name_page::{NamePage, NamePageRef},
        participant::{Participant, TEXT_FIELDS, TextField},
        vcard::Contact,
    },
    store::{custom_fields, institutions, name_pages, participants, rolls::Start},
    words::Words,
};
use xlsx::Xlsx;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Xlsx,
    Csv,
    /// The recordings, as MP3 files that are named after the people.
    Zip,
    Vcard,
}

impl Format {
    pub const ALL: [Self; 4] = [Self::Xlsx, Self::Csv, Self::Zip, Self::Vcard];
    pub const WORDS: [&'static str; 4] = ["xlsx", "csv", "zip", "vcard"];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::Csv => "csv",
            Self::Zip => "zip",
            Self::Vcard => "vcard",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.word() == word)
    }

    pub const fn ending(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::Csv => "csv",
            Self::Zip => "zip",
            Self::Vcard => "vcf",
        }
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Zip => "application/zip",
            Self::Vcard => "text/vcard; charset=utf-8",
        }
    }
}

/// People that are read at once.
const BATCH: u64 = 500;

/// A file that is being written, in chunks.
pub struct PageExport {
    pub page: NamePage,
    pub format: Format,
    /// Recordings that the blob store does not have.
    pub missing: Vec<String>,
    people: People,
    table: Table,
    out: Output,
    /// Limits how many are sent at once.
    _slot: Slot,
}

enum Output {
    /// Whether the heading was written.
    Csv {
        is_begun: bool,
    },
    Vcard(Words),
    Zip(Box<Recordings>),
    Xlsx(Xlsx),
}

/// An archive of recordings, and the people whose recordings are added next.
#[derive(Default)]
struct Recordings {
    zip: ZipStream,
    names: FileNames,
    batch: std::vec::IntoIter<Participant>,
}

/// Begins an export of everybody on a page. Links are made with `links`, because the command line has no server. The texts of
/// cards are in `language`.
pub async fn export(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    format: Format,
    links: &Links,
    language: Language,
) -> Result<PageExport> {
    // First, so that pages of other institutions cannot be probed.
    actor.access(institution)?;
    let (page, table) = read(app, institution, page, links).await?;
    actor.manage(institution, page.id)?;
    let slot = app.streams.slot(institution).await?;
    let record = Record::new(app, actor, institution, Act::PageExported);
    let record = super::name_pages::about(record, &page);
    let record = record.change(Json::Null, json!({ "format": format.word() }));
    app.db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move { Ok(audit::write(sql, &[record]).await?) })
        })
        .await?;
    let out = match format {
        Format::Csv => Output::Csv { is_begun: false },
        Format::Vcard => Output::Vcard(Words::new(language)),
        Format::Zip => Output::Zip(Box::default()),
        Format::Xlsx => Output::Xlsx(Xlsx::begin(table.headings())?),
    };
    let people = People { app: app.clone(), institution, page: page.id, place: 0, is_over: false };
    Ok(PageExport { page, format, missing: Vec::new(), people, table, out, _slot: slot })
}

async fn read(
    app: &App,
    institution: InstitutionId,
    page: &NamePageRef,
    links: &Links,
) -> Result<(NamePage, Table)> {
    let sql = &mut app.db.read();
    let page = name_pages::find(sql, institution, page).await?;
    let owner = institutions::by_id(sql, institution).await?;
    let table = Table {
        institution: owner.ok_or(Error::Missing(Missing::Institution))?,
        fields: custom_fields::all(sql, institution).await?,
        links: links.clone(),
    };
    Ok((page.ok_or(Error::Missing(Missing::NamePage))?, table))
}

impl PageExport {
    /// A name for the file.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.page.slug, self.format.ending())
    }
}

impl Chunks for PageExport {
    async fn next(&mut self) -> Result<Option<Bytes>> {
        match &mut self.out {
            Output::Csv { is_begun } => {
                let batch = self.people.next().await?;
                let is_first = !std::mem::replace(is_begun, true);
                if batch.is_empty() && !is_first {
                    return Ok(None);
                }
                Ok(Some(self.table.csv(&batch, is_first)))
            }
            Output::Vcard(words) => {
                let batch = self.people.next().await?;
                if batch.is_empty() {
                    return Ok(None);
                }
                let cards: String = batch.iter().map(|person| self.table.card(person, *words)).collect();
                Ok(Some(cards.into()))
            }
            Output::Zip(recordings) => {
                let Recordings { zip, names, batch } = &mut **recordings;
                loop {
                    let Some(person) = batch.next() else {
                        let more = self.people.next().await?;
                        if more.is_empty() {
                            return zip.finish();
                        }
                        *batch = more.into_iter();
                        continue;
                    };
                    let Some(recording) = &person.recording else { continue };
                    let (first, last) = (person.first_name.as_deref(), person.last_name.as_deref());
                    let name = names.unique(first, last, "mp3");
                    let (institution, hex) = (self.people.institution, recording.hex.clone());
                    let key = Key { shelf: Shelf::Recordings, institution, hex };
                    // Deleted or replaced since it was read.
                    let Some(bytes) = self.people.app.blobs.read(&key).await? else {
                        self.missing.push(name);
                        continue;
                    };
                    return zip.add(&name, &bytes).map(Some);
                }
            }
            Output::Xlsx(xlsx) => {
                while xlsx.takes_rows() {
                    let batch = self.people.next().await?;
                    xlsx.add(batch.iter().map(|person| self.table.row(person)).collect()).await;
                }
                xlsx.next().await
            }
        }
    }
}

/// Reads the people of a page in the order in which they joined. Somebody who joins or leaves meanwhile is in the file or not.
struct People {
    app: App,
    institution: InstitutionId,
    page: NamePageId,
    /// The first place that was not read yet.
    place: i64,
    is_over: bool,
}

impl People {
    /// Empty at the end. People with a directory hold are in no file: whoever has it could give it to anybody.
    async fn next(&mut self) -> Result<Vec<Participant>> {
        while !self.is_over {
            let mut batch = self.batch().await?;
            batch.retain(|person| !person.directory_hold);
            if !batch.is_empty() {
                return Ok(batch);
            }
        }
        Ok(Vec::new())
    }

    async fn batch(&mut self) -> Result<Vec<Participant>> {
        let start = Start { place: self.place, pass: 0 };
        let sql = &mut self.app.db.read();
        let batch = participants::in_roll(sql, self.institution, Some(self.page), start, BATCH).await?;
        match batch.last() {
            Some(last) => self.place = last.page_place + 1,
            None => self.is_over = true,
        }
        Ok(batch)
    }
}

/// What the columns of a spreadsheet are. Headings are those that imports understand.
struct Table {
    institution: Institution,
    fields: Vec<CustomField>,
    links: Links,
}

impl Table {
    /// Legal names only where the institution uses them.
    fn has(&self, field: &TextField) -> bool {
        !field.is_legal || self.institution.multiple_recordings
    }

    fn headings(&self) -> Vec<String> {
        let texts = TEXT_FIELDS.iter().filter(|field| self.has(field)).map(|field| field.key.to_owned());
        let custom = self.fields.iter().map(CustomField::import_key);
        let rest = ["recorded_at", "recording_link", "name_badge_link"].map(str::to_owned);
        std::iter::once("email".to_owned()).chain(texts).chain(custom).chain(rest).collect()
    }

    fn row(&self, person: &Participant) -> Vec<String> {
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let id = self.institution.id;
        let mut row = vec![text(person.email.as_deref())];
        row.extend(person.texts().filter(|(field, _)| self.has(field)).map(|(_, value)| text(value)));
        row.extend(self.fields.iter().map(|field| text(person.custom.0.get(&field.id).map(String::as_str))));
        let recording = person.recording.as_ref();
        let zone = &self.institution.time_zone;
        row.push(recording.map(|one| one.recorded_at.shown_in(zone)).unwrap_or_default());
        row.push(recording.map(|one| self.links.recording(id, one)).unwrap_or_default());
        row.push(self.links.name_badge(id, &person.token));
        row
    }

    fn csv(&self, people: &[Participant], is_first: bool) -> Bytes {
        let start = match is_first {
            true => format!("{BYTE_ORDER_MARK}{}", csv_row(self.headings())),
            false => String::new(),
        };
        people.iter().fold(start, |file, person| file + &csv_row(self.row(person))).into()
    }

    fn card(&self, person: &Participant, words: Words) -> String {
        let (id, full_name) = (self.institution.id, person.full_name());
        let pronouns = self.fields.iter().filter(|field| field.is_pronouns());
        let note = |phonetic: &String| words.plain("badge-note", &[("phonetic", phonetic.as_str().into())]);
        let contact = Contact {
            // A card needs one.
            full_name: match full_name.is_empty() {
                true => person.email.as_deref().unwrap_or("?"),
                false => &full_name,
            },
            first_name: person.first_name.as_deref(),
            last_name: person.last_name.as_deref(),
            phonetic: person.phonetic.as_deref(),
            pronouns: pronouns
                .filter_map(|field| person.custom.0.get(&field.id))
                .map(String::as_str)
                .collect(),
            email: person.email.as_deref(),
            recording: person.recording.as_ref().map(|one| self.links.recording(id, one)),
            photo: person.photo.as_ref().map(|hex| self.links.photo(id, hex)),
            note: person.phonetic.as_ref().map(note),
            url: self.links.name_badge(id, &person.token),
        };
        contact.written()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_its_word() {
        assert_eq!(Format::ALL.map(Format::word), Format::WORDS);
        assert!(Format::ALL.into_iter().all(|format| Format::parse(format.word()) == Some(format)));
        assert_eq!(Format::parse("xls"), None);
    }
}

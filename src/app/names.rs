//! Lookups by access code, for versions 3 and 2.

use std::sync::Arc;

use super::{
    App, Error, Missing, Result, directory_holds, name_pages as app_pages,
    participants::{self, Filter, Listing},
    public_view,
};
use crate::{
    domain::{
        access::{Access, Action, SearchScope},
        email::email_key,
        ids::{InstitutionId, NamePageId, ParticipantId},
        institution::Institution,
        name_page::NamePageRef,
        newest::{PersonKeys, one_per_person},
        participant::{Participant, name_key},
        text,
    },
    store::{
        kept::Kept,
        name_pages,
        participants::{self as people, Names},
        rolls,
    },
};

/// The people that an access code covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The institution's own code covers all of its people.
    Institution,
    Page(NamePageId),
    /// In version 2 it covers those on pages that version 2 may read.
    OpenPages,
}

impl Reach {
    /// Limited to what the caller may access.
    fn within(self, access: &Access) -> SearchScope<'_> {
        match self {
            Self::Page(page) => SearchScope::Page(page),
            Self::Institution | Self::OpenPages => access.within(),
        }
    }
}

/// The reach of a code for a token of this institution.
pub async fn reach(app: &App, access: &Access, code: &NamePageRef) -> Result<Reach> {
    access.check(Action::Read)?;
    match name_pages::code_owner(&mut app.db.read(), access.institution, code).await? {
        Some(rolls::INSTITUTION) => Ok(Reach::Institution),
        Some(page) => app_pages::check(access, page).map(|()| Reach::Page(page)),
        None => Err(Error::Missing(Missing::NamePage)),
    }
}

/// The reach of a code without a token: each page must allow it. The code itself grants the access.
pub async fn open_reach(app: &App, code: &NamePageRef) -> Result<OpenReach> {
    let version = app.data_version();
    if let Some(kept) = version.and_then(|version| app.codes.get(version, &code.key())) {
        return Ok(kept);
    }
    let found = name_pages::open_code(&mut app.db.read(), code).await?;
    let (institution, page) = found.ok_or(Error::Missing(Missing::NamePage))?;
    let reach = if page == rolls::INSTITUTION { Reach::OpenPages } else { Reach::Page(page) };
    let open = OpenReach { institution: Arc::new(institution), reach };
    if let Some(version) = version {
        app.codes.keep(version, code.key(), open.clone(), CODE_BYTES);
    }
    Ok(open)
}

/// What a code opens without a token.
#[derive(Debug, Clone)]
pub struct OpenReach {
    pub institution: Arc<Institution>,
    pub reach: Reach,
}

impl OpenReach {
    pub fn access(&self) -> Access {
        Access::of_visitor(self.institution.id)
    }
}

/// Kept until the database changes.
pub type Codes = Kept<String, OpenReach>;
/// For all of them together.
pub const CODES_BYTES: usize = 8 << 20;
/// About what a code with its institution takes.
const CODE_BYTES: usize = 512;

/// In a stable order.
pub async fn everybody(app: &App, access: &Access, reach: Reach) -> Result<Listing> {
    access.check(Action::Read)?;
    if reach != Reach::OpenPages {
        let within = reach.within(access);
        let listing = participants::list_in(app, access, within, &Filter::default(), None).await?;
        return Ok(listing.seen_by(access));
    }
    let pages = name_pages::open_pages(&mut app.db.read(), access.institution).await?;
    Ok(Listing::of_pages(app, access.institution, pages, None).await?.seen_by(access))
}

/// People in either list, best match first.
pub async fn search(
    app: &App,
    access: &Access,
    reach: Reach,
    emails: Vec<String>,
    identifiers: Vec<String>,
) -> Result<Listing> {
    access.check(Action::Read)?;
    let filter = Filter { emails, identifiers, ..Filter::default() };
    Ok(participants::list_in(app, access, reach.within(access), &filter, None).await?.seen_by(access))
}

/// A person filter: all given keys must match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    pub email: Option<String>,
    pub identifier: Option<String>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
}

impl Person {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Do all keys other than the email match?
    fn matches(&self, person: &Participant) -> bool {
        let equal = |wanted: &Option<String>, has: &Option<String>, key: fn(&str) -> String| {
            wanted.as_ref().is_none_or(|wanted| has.as_deref().map(key).as_ref() == Some(wanted))
        };
        equal(&self.identifier, &person.identifier, text::nfc)
            && equal(&self.first_name, &person.first_name, name_key)
            && equal(&self.last_name, &person.last_name, name_key)
    }
}

/// All registrations of the person, best match first. The most selective key given is used for the query.
pub async fn find(app: &App, access: &Access, reach: Reach, person: &Person) -> Result<Listing> {
    access.check(Action::Read)?;
    let emails: Vec<String> = person.email.iter().cloned().collect();
    let identifiers: Vec<String> = person.identifier.iter().filter(|_| emails.is_empty()).cloned().collect();
    let filter = Filter { emails, identifiers, ..Filter::default() };
    if !filter.names_people() {
        if reach == Reach::OpenPages || person.is_empty() {
            // Version 2 has no names, and an empty filter matches nobody.
            return Ok(Listing::whole(access.institution, Vec::new(), None));
        }
        let found = by_name(app, access.institution, reach.within(access), person).await?;
        return Ok(found.seen_by(access));
    }
    let within = reach.within(access);
    let mut found = participants::matching(app, access.institution, within, &filter).await?;
    found.retain(|one| person.matches(one) && (reach != Reach::OpenPages || one.page.allow_v2));
    if access.is_public() {
        found = public_view::reduced(&mut app.db.read(), access.institution, found).await?;
        participants::sort_best_first(&mut found);
    }
    if access.newest_only {
        found = one_per_person(found, keys);
    }
    let found = found.into_iter().map(|one| directory_holds::seen_by(access, one)).collect();
    Ok(Listing::whole(access.institution, found, None))
}

fn keys(person: &Participant) -> PersonKeys {
    PersonKeys {
        email: person.email.as_deref().map(email_key),
        identifier: person.identifier.as_deref().map(text::nfc),
    }
}

/// Small enough to read on a request thread without delaying others.
const PART: usize = 500;

/// People with this name. There may be many, so their records are streamed.
async fn by_name(
    app: &App,
    institution: InstitutionId,
    within: SearchScope<'_>,
    person: &Person,
) -> Result<Listing> {
    let names = Names { first: person.first_name.as_deref(), last: person.last_name.as_deref() };
    let pages: Vec<Option<NamePageId>> = match within {
        SearchScope::Institution => vec![None],
        SearchScope::Page(page) => vec![Some(page)],
        SearchScope::Pages(pages) => pages.iter().copied().map(Some).collect(),
    };
    let mut found: Vec<(ParticipantId, i64)> = Vec::new();
    for page in pages {
        let mut behind = (NamePageId::new(i64::MIN), ParticipantId::new(i64::MIN));
        loop {
            let sql = &mut app.db.read();
            let part = people::named(sql, institution, page, names, behind, PART as i64).await?;
            found.extend(part.iter().map(|one| (one.id, one.recorded_at)));
            match part.last() {
                Some(last) if part.len() == PART => behind = (last.page, last.id),
                _ => break,
            }
            tokio::task::yield_now().await;
        }
    }
    Ok(Listing::of_ids(institution, participants::best_first(found)))
}

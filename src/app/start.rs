//! The first steps of a new institution. Which of them are done is read from what exists.

use super::{Actor, App, Error, Result, participants, tokens, tool_consumers};
use crate::{
    domain::{
        address_list::Invitee,
        fault::{Fault, Field},
        ids::InstitutionId,
        name_page::{NamePage, NamePageRef},
        participant::{Draft, Given},
    },
    store::{coverage, institutions, members},
};

/// How many people can be added at once. For more there is the import.
pub const MOST_PEOPLE: usize = 100;

#[derive(Debug, Clone)]
pub struct Steps {
    /// The newest name page.
    pub page: Option<NamePage>,
    pub has_people: bool,
    /// Somebody was invited, or has recorded without it.
    pub has_invited: bool,
    /// There is an access token or a learning system.
    pub has_system: bool,
    /// Somebody does not want to see them any more.
    pub is_dismissed: bool,
}

impl Steps {
    /// Are all of them done, or not wanted?
    pub const fn are_over(&self) -> bool {
        self.is_dismissed || (self.page.is_some() && self.has_people && self.has_invited && self.has_system)
    }
}

pub async fn steps(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Steps> {
    actor.administer(institution)?;
    let sql = &mut app.db.read();
    let figures = coverage::of_institution(sql, institution).await?;
    let page = members::newest_pages(sql, institution, 1).await?.into_iter().next();
    let has_token = tokens::all(app, actor, institution).await?.iter().any(|one| one.revoked_at.is_none());
    let has_system = has_token || !tool_consumers::all(app, actor, Some(institution)).await?.is_empty();
    Ok(Steps {
        page,
        has_people: figures.registered > 0,
        has_invited: figures.invited > 0 || figures.recorded > 0,
        has_system,
        is_dismissed: institutions::is_start_dismissed(sql, institution).await?,
    })
}

/// The steps are not shown any more.
pub async fn dismiss(app: &App, actor: &Actor, institution: InstitutionId) -> Result<()> {
    actor.administer(institution)?;
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(institutions::dismiss_start(sql, institution).await?) })
        })
        .await
}

/// What became of a list of people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Added {
    pub added: u64,
    /// They were on the page already.
    pub known: u64,
}

/// Registers a few people on a page. Whoever is there already stays as they are. Everybody has a name.
pub async fn add_people(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    people: Vec<Invitee>,
) -> Result<Added> {
    actor.administer(institution)?;
    if people.len() > MOST_PEOPLE {
        return Err(Error::invalid(Field::Row, Fault::TooManyEntries { most: MOST_PEOPLE }));
    }
    let (access, mut done) = (actor.access(institution)?, Added::default());
    for one in people {
        let given = |name: Option<String>| name.map_or(Given::Absent, Given::Set);
        let draft = Draft {
            first_name: given(one.first_name),
            last_name: given(one.last_name),
            email: Given::Set(one.email),
            ..Draft::default()
        };
        match participants::create(app, &access, page.clone(), draft).await {
            Ok(_) => done.added += 1,
            Err(Error::Invalid(errors)) if is_taken(&errors) => done.known += 1,
            Err(other) => return Err(other),
        }
    }
    Ok(done)
}

fn is_taken(errors: &crate::domain::field_errors::FieldErrors) -> bool {
    errors.iter().any(|(field, faults)| *field == Field::Email && faults.contains(&Fault::Taken))
}

//! The list of a page: invited people, and those who are on the page without an invitation.

use super::{
    super::{Actor, App, Result},
    link, managed,
};
use crate::{
    domain::{
        ids::{InstitutionId, InvitationId},
        invitation::InvitationState,
        moment::Moment,
        name_page::NamePageRef,
    },
    store::invitations::{self, Guest},
};

/// Where a part of the list begins: invited people come first, the newest first, then those who are on the page without an
/// invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cursor {
    #[default]
    Start,
    /// After this invitation.
    Invited(InvitationId),
    /// After this place on the page's roll.
    Uninvited(i64),
}

impl Cursor {
    /// Anything else is the start.
    pub fn parse(text: &str) -> Self {
        let number = |rest: &str| rest.parse::<i64>().ok();
        match (text.strip_prefix('i').and_then(number), text.strip_prefix('p').and_then(number)) {
            (Some(id), _) => Self::Invited(InvitationId::new(id)),
            (_, Some(place)) => Self::Uninvited(place),
            (None, None) => Self::Start,
        }
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Start => Ok(()),
            Self::Invited(id) => write!(f, "i{id}"),
            Self::Uninvited(place) => write!(f, "p{place}"),
        }
    }
}

/// Somebody in the list.
#[derive(Debug, Clone)]
pub struct Listed {
    pub guest: Guest,
    pub state: InvitationState,
    /// The personal link, while it is valid.
    pub link: Option<String>,
}

impl Listed {
    pub fn is_withdrawn(&self) -> bool {
        self.guest.invitation.as_ref().is_some_and(|invitation| invitation.withdrawn_at.is_some())
    }

    pub fn is_expired(&self) -> bool {
        self.guest.invitation.is_some() && self.link.is_none() && !self.is_withdrawn()
    }

    pub fn name(&self) -> String {
        let parts = [&self.guest.first_name, &self.guest.last_name];
        parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
    }
}

#[derive(Debug, Default)]
pub struct Listing {
    pub people: Vec<Listed>,
    /// Where the next part begins, if there is one.
    pub next: Option<Cursor>,
}

/// Rows that are read at a time to find those in a state.
const READ: i64 = 500;

/// The people of a page with their states: all, or those in one state.
pub async fn all(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    state: Option<InvitationState>,
    (from, most): (Cursor, usize),
) -> Result<Listing> {
    let page = managed(app, actor, institution, page).await?.id;
    let now = app.clock.now();
    let (mut listing, mut at, sql) = (Listing::default(), from, &mut app.db.read());
    loop {
        let found = match at {
            Cursor::Start | Cursor::Invited(_) => {
                let before = match at {
                    Cursor::Invited(id) => id,
                    Cursor::Start | Cursor::Uninvited(_) => InvitationId::new(i64::MAX),
                };
                invitations::invited(sql, institution, page, before, READ).await?
            }
            Cursor::Uninvited(place) => invitations::uninvited(sql, institution, page, place, READ).await?,
        };
        let is_end = found.len() < usize::try_from(READ).unwrap_or(usize::MAX);
        for guest in found {
            let its = InvitationState::of(guest.facts);
            if state.is_none_or(|state| state == its) {
                if listing.people.len() == most {
                    listing.next = Some(at);
                    return Ok(listing);
                }
                at = cursor_of(&guest);
                listing.people.push(listed(app, guest, its, now)?);
            } else {
                at = cursor_of(&guest);
            }
        }
        match at {
            Cursor::Uninvited(_) if is_end => return Ok(listing),
            Cursor::Start | Cursor::Invited(_) if is_end => at = Cursor::Uninvited(-1),
            Cursor::Start | Cursor::Invited(_) | Cursor::Uninvited(_) => {}
        }
    }
}

fn cursor_of(guest: &Guest) -> Cursor {
    guest.invitation.as_ref().map_or(Cursor::Uninvited(guest.place), |one| Cursor::Invited(one.id))
}

fn listed(app: &App, guest: Guest, state: InvitationState, now: Moment) -> Result<Listed> {
    let link = match guest.invitation.as_ref().filter(|one| one.is_valid(now)) {
        Some(valid) => {
            let base = if app.links.base().is_empty() { &valid.base_url } else { app.links.base() };
            Some(format!("{base}{}", link::path(app, valid)?))
        }
        None => None,
    };
    Ok(Listed { guest, state, link })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        for cursor in [Cursor::Start, Cursor::Invited(InvitationId::new(7)), Cursor::Uninvited(-1)] {
            assert_eq!(Cursor::parse(&cursor.to_string()), cursor);
        }
        for text in ["", "x1", "i", "p", "i1x", "ii1", "1"] {
            assert_eq!(Cursor::parse(text), Cursor::Start, "{text}");
        }
    }
}

//! Lists of the name pages that somebody runs, with their figures.

use std::collections::HashMap;

use super::{Actor, App, Result};
pub use crate::store::page_lists::{ListedPage, PageName};
use crate::{
    domain::{
        ids::{InstitutionId, NamePageId},
        page_settings::PageState,
        text,
    },
    store::page_lists::{self, Chosen},
};

/// Pages on one part of a list.
pub const PER_PAGE: usize = 50;

/// Pages that are read at once while a text is searched for.
const BATCH: usize = 500;
/// Pages that a search reads at most. Then it shows what it has found, and goes on behind that.
const MOST_READ: usize = 5_000;

/// Which pages are wanted.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// A part of the title or of the slug, or the event code, in any spelling.
    pub text: String,
    /// `None` for open and closed ones.
    pub state: Option<PageState>,
}

#[derive(Debug, Default)]
pub struct PageList {
    pub pages: Vec<ListedPage>,
    /// There may be more pages that are older than this one.
    pub next: Option<NamePageId>,
}

/// The pages that the actor runs, newest first: those that are older than `than`.
pub async fn list(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    filter: &Filter,
    than: Option<NamePageId>,
) -> Result<PageList> {
    let within = actor.managed(institution)?;
    let chosen = Chosen { within, state: filter.state, now: app.clock.now() };
    let wanted = text::searchable(filter.text.trim());
    let batch = if wanted.is_empty() { PER_PAGE + 1 } else { BATCH };
    let (sql, mut list) = (&mut app.db.read(), PageList::default());
    let (mut than, mut read) = (than.unwrap_or(NamePageId::new(i64::MAX)), 0);
    loop {
        let count = i64::try_from(batch).unwrap_or(i64::MAX);
        let found = page_lists::older(sql, institution, chosen, than, count).await?;
        let is_last = found.len() < batch;
        read += found.len();
        for one in found {
            if list.pages.len() == PER_PAGE {
                list.next = list.pages.last().map(|(page, ..)| page.id);
                return Ok(list);
            }
            than = one.0.id;
            if matches([&one.0.title, &one.0.slug, &one.0.event_code], &wanted) {
                list.pages.push(one);
            }
        }
        if is_last {
            return Ok(list);
        }
        if read >= MOST_READ {
            list.next = Some(than);
            return Ok(list);
        }
    }
}

/// The newest pages that the actor runs and that a text finds. Reads just their names, so that typing is answered at once.
pub async fn quick(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    text: &str,
    most: usize,
) -> Result<Vec<PageName>> {
    let within = actor.managed(institution)?;
    let wanted = text::searchable(text.trim());
    let mut found = page_lists::names(&mut app.db.read(), institution, within).await?;
    found.retain(|page| matches([&page.title, &page.slug, &page.event_code], &wanted));
    found.truncate(most);
    Ok(found)
}

/// Those of these pages that exist, archived or not.
pub async fn existing(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    pages: &[NamePageId],
) -> Result<HashMap<NamePageId, PageName>> {
    actor.administer(institution)?;
    Ok(page_lists::names_of(&mut app.db.read(), institution, pages).await?)
}

fn matches([title, slug, event_code]: [&str; 3], wanted: &str) -> bool {
    wanted.is_empty()
        || [title, slug].into_iter().any(|own| text::searchable(own).contains(wanted))
        || text::searchable(event_code) == wanted
}

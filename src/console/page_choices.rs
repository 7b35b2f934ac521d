//! Name pages to choose in a form (`templates/console/parts/choices.html`): the newest have a box each, older ones are named by their codes.

use super::visit::Console;
use crate::{
    app::{App, Error, Missing, Result, members::OwnPages, page_lists},
    domain::{
        ids::NamePageId,
        name_page::{NamePage, NamePageRef},
    },
};

/// How many of the pages that are ticked and have no box are looked for.
const MAX_UNBOXED: usize = 1_000;

/// Name pages with a box for each, and an input for others.
pub struct PageChoices {
    pub boxes: Vec<PageBox>,
    /// There are older pages, which are named by their codes, or some were named.
    pub has_more: bool,
    /// What was typed: slugs, codes or ids.
    pub more: String,
    pub fault: Option<String>,
}

pub struct PageBox {
    pub id: String,
    pub title: String,
    pub is_chosen: bool,
}

impl PageChoices {
    /// `others` are offered besides the visitor's own pages. `chosen` are the ids of pages.
    pub async fn find(
        app: &App,
        console: &Console,
        (own, others): (&OwnPages, &[NamePage]),
        chosen: &[String],
        more: String,
        fault: Option<String>,
    ) -> Result<Self> {
        let others = others.iter().filter(|page| own.of_role.iter().all(|one| one.id != page.id));
        let page_box = |page: &NamePage| PageBox {
            id: page.id.to_string(),
            title: page.title.clone(),
            is_chosen: chosen.contains(&page.id.to_string()),
        };
        let boxes: Vec<PageBox> = own.of_role.iter().chain(others).map(page_box).collect();
        // What was ticked and has no box any more stays chosen, unless the visitor removes it or the page was deleted.
        let unboxed = chosen.iter().filter(|id| boxes.iter().all(|one| one.id != **id));
        let mut unboxed: Vec<NamePageId> = unboxed.filter_map(|id| id.parse().ok()).collect();
        unboxed.sort_unstable();
        unboxed.dedup();
        // A form has no more.
        unboxed.truncate(MAX_UNBOXED);
        let existing = page_lists::existing(app, &console.actor, console.id(), &unboxed).await?;
        let unboxed = unboxed.iter().filter(|id| existing.contains_key(*id)).map(ToString::to_string);
        let named = std::iter::once(more).chain(unboxed).filter(|one| !one.is_empty());
        let more = named.collect::<Vec<_>>().join(", ");
        Ok(Self { boxes, has_more: own.is_cut() || !more.is_empty(), more, fault })
    }
}

/// The pages of boxes that are ticked, and those of the other input.
pub fn chosen_pages<'a>(
    ids: impl IntoIterator<Item = &'a String>,
    more: &'a str,
) -> Result<Vec<NamePageRef>> {
    let lists = ids.into_iter().map(String::as_str).chain([more]);
    let chosen: Option<Vec<Vec<NamePageRef>>> = lists.map(NamePageRef::parse_list).collect();
    chosen.map(|lists| lists.concat()).ok_or(Error::Missing(Missing::NamePage))
}

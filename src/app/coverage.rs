//! How many people of a page are registered, recorded and invited: from counters, without counting rows.

use super::{Actor, App, Result, name_pages::managed};
use crate::{
    domain::{
        coverage::Coverage,
        ids::InstitutionId,
        name_page::{NamePage, NamePageRef},
    },
    store::{coverage, name_pages},
};

/// The figures of one page.
pub async fn of(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
) -> Result<Coverage> {
    let page = managed(app, actor, institution, page).await?.id;
    Ok(coverage::of(&mut app.db.read(), institution, page).await?)
}

/// All pages of an institution with their figures: those that are archived, or the others.
pub async fn all(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    archived: bool,
) -> Result<Vec<(NamePage, Coverage)>> {
    actor.administer(institution)?;
    Ok(name_pages::all(&mut app.db.read(), institution, archived).await?)
}

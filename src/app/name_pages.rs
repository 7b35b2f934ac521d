//! Name pages: created and deleted by the operator, found by any kind of reference.

use super::{Actor, App, Error, Forbidden, Missing, Result, calls, exports};
use crate::{
    domain::{
        access::Access,
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        ids::{InstitutionId, NamePageId},
        moment::Moment,
        name_page::{NamePage, NamePageRef, code_fault, code_key, slug_fault, without_blanks},
        text::{self, Lines, longest},
    },
    store::{self, Sql, exports::Departing, name_pages, rolls},
};

pub struct New {
    pub title: String,
    pub slug: Option<String>,
    pub access_code: Option<String>,
    pub allow_v2: bool,
}

pub async fn create(app: &App, actor: &Actor, institution: InstitutionId, new: New) -> Result<NamePage> {
    actor.administer(institution)?;
    let mut errors = FieldErrors::default();
    if text::is_invisible(&new.title) {
        errors.add(Field::Title, Fault::Blank);
    } else if let Some(fault) = text::fault(&new.title, longest::TITLE, Lines::One) {
        errors.add(Field::Title, fault);
    }
    let now = app.clock.now();
    let id = app.ids.id(now);
    let slug = match new.slug {
        Some(slug) => slug,
        None => free_slug(&mut app.db.read(), &new.title, id).await?,
    };
    let access_code = match &new.access_code {
        Some(given) => without_blanks(given).into_owned(),
        None => app.ids.access_code(),
    };
    let sql = &mut app.db.read();
    if let Some(fault) = slug_fault(&slug) {
        errors.add(Field::Slug, fault);
    } else if name_pages::code_taken(sql, &slug).await? {
        errors.add(Field::Slug, Fault::Taken);
    }
    if let Some(fault) = code_fault(&access_code) {
        errors.add(Field::AccessCode, fault);
    } else if code_key(&access_code) != code_key(&slug) && name_pages::code_taken(sql, &access_code).await? {
        errors.add(Field::AccessCode, Fault::Taken);
    }
    errors.into_result()?;
    let page = NamePage {
        id,
        title: new.title,
        slug,
        event_code: app.ids.event_code(),
        access_code,
        allow_v2: new.allow_v2,
        created_at: now,
    };
    let made = app
        .db
        .write(move |sql| {
            Box::pin(async move {
                name_pages::insert(sql, institution, &page).await?;
                Ok(page)
            })
        })
        .await;
    made.map_err(|error| match error {
        store::Error::Conflict => Error::invalid(Field::Slug, SetupFault::JustTaken),
        other => other.into(),
    })
}

/// Creates a page inside the caller's transaction; the title must be valid. `Invalid` means that a concurrent transaction
/// took the slug; a retry picks another.
pub(super) async fn create_in(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    title: &str,
    now: Moment,
) -> Result<NamePage> {
    let id = app.ids.id(now);
    let page = NamePage {
        id,
        title: title.to_owned(),
        slug: free_slug(sql, title, id).await?,
        event_code: app.ids.event_code(),
        access_code: app.ids.access_code(),
        allow_v2: false,
        created_at: now,
    };
    match name_pages::insert(sql, institution, &page).await {
        Err(store::Error::Conflict) => Err(Error::invalid(Field::Slug, Fault::Taken)),
        other => Ok(other.map(|()| page)?),
    }
}

/// Derives a slug from the title, and appends the page's id if it is taken.
async fn free_slug(sql: &mut Sql, title: &str, id: NamePageId) -> Result<String> {
    let wanted = text::slug_from(title).unwrap_or_else(|| "page".to_owned());
    let taken = name_pages::code_taken(sql, &wanted).await?;
    Ok(if taken { format!("{wanted}-{id}") } else { wanted })
}

pub async fn find(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
) -> Result<NamePage> {
    actor.administer(institution)?;
    name_pages::find(&mut app.db.read(), institution, page).await?.ok_or(Error::Missing(Missing::NamePage))
}

/// Finds a page and checks that the caller's token, which may be limited to other pages, reaches it.
pub(super) async fn permitted(app: &App, access: &Access, page: &NamePageRef) -> Result<NamePage> {
    permitted_in(&mut app.db.read(), access, page).await
}

pub(super) async fn permitted_in(sql: &mut Sql, access: &Access, page: &NamePageRef) -> Result<NamePage> {
    let found = name_pages::find(sql, access.institution, page).await?;
    let found = found.ok_or(Error::Missing(Missing::NamePage))?;
    check(access, found.id)?;
    Ok(found)
}

/// Checks that the caller reaches this page of the institution.
pub(super) fn check(access: &Access, page: NamePageId) -> Result<()> {
    if access.reaches(page) { Ok(()) } else { Err(Error::Forbidden(Forbidden::NamePage)) }
}

/// Returns all pages, each with its number of people.
pub async fn all(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Vec<(NamePage, i64)>> {
    actor.administer(institution)?;
    let sql = &mut app.db.read();
    let mut counted = Vec::new();
    for page in name_pages::all(sql, institution).await? {
        let members = rolls::members(sql, institution, page.id).await?;
        counted.push((page, members));
    }
    Ok(counted)
}

/// Sets whether the page is available through version 2 of the API, which needs no token.
pub async fn allow_v2(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    allow: bool,
) -> Result<NamePage> {
    let found = find(app, actor, institution, page).await?;
    let id = found.id;
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(name_pages::allow_v2(sql, institution, id, allow).await?) })
        })
        .await?;
    Ok(NamePage { allow_v2: allow, ..found })
}

/// Deletes a page with everybody registered there. Returns how many they were.
pub async fn delete(app: &App, actor: &Actor, institution: InstitutionId, page: &NamePageRef) -> Result<u64> {
    let id = find(app, actor, institution, page).await?.id;
    let now = app.clock.now();
    let job = app.ids.id(now);
    let owned_app = app.clone();
    let (people, gone) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                // One statement per table, regardless of the number of people, so each may take long.
                sql.allow_long_statements().await?;
                exports::leave(sql, job, institution, Departing::OnPage(id), now).await?;
                calls::cancel_all(sql, &owned_app.ids, institution, Some(id), now).await?;
                store::calls::delete_on_page(sql, institution, id).await?;
                let gone = store::media::delete_on_page(sql, institution, id).await?;
                store::plays::delete_on_page(sql, institution, id).await?;
                store::imports::delete_on_page(sql, institution, id).await?;
                let people = name_pages::delete(sql, institution, id).await?;
                store::persons::delete_all_unregistered(sql, institution).await?;
                Ok((people, gone))
            })
        })
        .await?;
    super::media::discard(app, institution, &gone).await;
    Ok(people)
}

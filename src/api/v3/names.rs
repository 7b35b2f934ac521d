//! Version 3: names by access code, by person, by lists.

use axum::response::Response;

use super::Lookup;
use crate::{
    api::{legacy, listing, lists::LookupKey, problem::Problem, view::View},
    app::{
        App, Error, Missing,
        names::{self, Person, Reach},
        participants::Listing,
    },
    domain::{
        email::Spellings,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        name_page::NamePageRef,
        participant::name_key,
    },
    http::embeds::{Icon, Include},
};

/// Everybody whom the access code covers, or one person.
pub async fn list(app: App, lookup: Lookup) -> Result<Response, Problem> {
    let (params, access) = (&lookup.params, lookup.access());
    let mut errors = FieldErrors::default();
    if params.text("access_code").is_none() {
        errors.add(Field::Parameter("access_code"), Fault::Blank);
    }
    let icon = icon(&lookup, errors)?;
    let (code, reach) = reach(&app, &lookup).await?;
    let found = if legacy::names_one_person(params) {
        names::find(&app, access, reach, &legacy::person(params)).await?
    } else {
        names::everybody(&app, access, reach).await?
    };
    let mut response = respond(&app, &lookup, icon, found, legacy::spellings(params)).await?;
    if let (Some(code), Reach::Page(_)) = (code, reach) {
        legacy::succeeded_by_page(&app, &code, &mut response);
    }
    Ok(response)
}

/// People who match all given attributes.
pub async fn person(app: App, lookup: Lookup) -> Result<Response, Problem> {
    let params = &lookup.params;
    let mut errors = FieldErrors::default();
    let name = |which: &str| params.text(which).map(|name| name_key(&name));
    let person =
        Person { first_name: name("first_name"), last_name: name("last_name"), ..legacy::person(params) };
    if person.is_empty() {
        let all = Field::Parameter("email, institution_id, first_name and last_name");
        errors.add(all, Fault::AllBlank);
    }
    let icon = icon(&lookup, errors)?;
    let (_, reach) = reach(&app, &lookup).await?;
    let found = names::find(&app, lookup.access(), reach, &person).await?;
    respond(&app, &lookup, icon, found, legacy::spellings(params)).await
}

/// People who are in either list.
pub async fn search(app: App, lookup: Lookup) -> Result<Response, Problem> {
    let mut errors = FieldErrors::default();
    let keys = |wanted: Vec<LookupKey>| wanted.into_iter().map(|one| one.key).collect::<Vec<_>>();
    let emails = lookup.params.emails("email_list", &mut errors);
    let spellings = Spellings::new(emails.iter().map(|email| email.shown.as_str()));
    let emails = keys(emails);
    let identifiers = keys(lookup.params.identifiers("institution_id_list", &mut errors));
    if emails.is_empty() && identifiers.is_empty() && errors.is_empty() {
        errors.add(Field::Parameter("email_list and institution_id_list"), Fault::BothBlank);
    }
    let icon = icon(&lookup, errors)?;
    let (_, reach) = reach(&app, &lookup).await?;
    let found = names::search(&app, lookup.access(), reach, emails, identifiers).await?;
    respond(&app, &lookup, icon, found, spellings).await
}

/// The requested icon; fails on any error so far.
fn icon(lookup: &Lookup, mut errors: FieldErrors) -> Result<Icon, Problem> {
    let code = legacy::icon_code(&lookup.params, &mut errors);
    let image = Icon::read_image(&lookup.params, &mut errors);
    errors.into_result()?;
    Ok(Icon { code, image })
}

/// The reach of the access code; without one, everything that the token may access.
async fn reach(app: &App, lookup: &Lookup) -> Result<(Option<NamePageRef>, Reach), Problem> {
    let Some(given) = lookup.params.text("access_code") else { return Ok((None, Reach::Institution)) };
    let code = NamePageRef::parse(&given).ok_or(Error::Missing(Missing::NamePage))?;
    let reach = names::reach(app, lookup.access(), &code).await?;
    Ok((Some(code), reach))
}

async fn respond(
    app: &App,
    lookup: &Lookup,
    icon: Icon,
    found: Listing,
    spellings: Spellings,
) -> Result<Response, Problem> {
    let extended = lookup.params.flag("include_extended_attributes");
    let include = Include { custom_attributes: extended, ..Include::default() };
    let mut view = View::new(app, lookup.access(), lookup.institution(), include, icon).await?;
    view.spellings = spellings;
    let write: listing::Write = Box::new(move |person, out| legacy::write_name(&view, person, extended, out));
    listing::respond(app, found, write, None, legacy::FRAME).await
}

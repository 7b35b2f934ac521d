//! The console.

mod people;
mod people_many;

use std::time::Duration;

use endonym::{
    app::{Actor, members, sign_in},
    domain::{
        email::Email,
        ids::ParticipantId,
        member::Role,
        name_page::{NamePage, NamePageRef},
    },
};

use crate::{me::Browser, support::World};

/// The browser of somebody who has this role, with these pages, and has just signed in.
pub async fn member<'a>(world: &'a World, email: &str, role: Role, pages: &[&NamePage]) -> Browser<'a> {
    let pages = pages.iter().map(|page| NamePageRef::parse(&page.slug).unwrap()).collect();
    let (app, operator, institution) = (&world.app, &Actor::Operator, world.institution.id);
    members::set(app, operator, institution, Email::parse(email).unwrap(), role, pages).await.unwrap();
    let life = Duration::from_secs(600);
    let link = sign_in::operator_link(app, operator, institution, email, life, &world.base).await.unwrap().0;
    let browser = Browser::new(world);
    browser.follow(&link).await.redirects_to("/me");
    browser
}

/// The id of the entry with this email.
pub async fn id_of(world: &World, email: &str) -> ParticipantId {
    let text = "SELECT id FROM participants WHERE institution_id = $1 AND email_key = $2";
    let params = [world.institution.id.into(), email.into()];
    world.app.db.read().one(text, &params, |row| row.id(0)).await.unwrap().expect(email)
}

/// The value of the first input with this name.
pub fn input(page: &str, name: &str) -> String {
    let rest =
        page.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap_or_else(|| panic!("{name}: {page}"));
    rest.split('"').next().unwrap().to_owned()
}

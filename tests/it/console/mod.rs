//! The console, where members of an institution run everything.

mod custom_fields;
mod moderation;
mod name_pages;

use std::time::Duration;

use endonym::{
    app::{Actor, members, sign_in},
    domain::{
        email::Email,
        ids::InstitutionId,
        member::Role,
        name_page::{NamePage, NamePageRef},
    },
};

use crate::{me::Browser, support::World};

/// A member of an institution, who has just signed in.
pub async fn member_of<'a>(
    world: &'a World,
    institution: InstitutionId,
    email: &str,
    role: Role,
    pages: &[&NamePage],
) -> Browser<'a> {
    let pages = pages.iter().map(|page| NamePageRef::parse(&page.slug).unwrap()).collect();
    let address = Email::parse(email).unwrap();
    members::set(&world.app, &Actor::Operator, institution, address, role, pages).await.unwrap();
    let life = Duration::from_secs(600);
    let made = sign_in::operator_link(&world.app, &Actor::Operator, institution, email, life, &world.base);
    let browser = Browser::new(world);
    browser.follow(&made.await.unwrap().0).await.redirects_to("/me");
    browser
}

/// A member of the world's institution.
pub async fn member<'a>(world: &'a World, role: Role, pages: &[&NamePage]) -> Browser<'a> {
    let email = format!("{}@example.edu", role.word());
    member_of(world, world.institution.id, &email, role, pages).await
}

pub fn console(world: &World, below: &str) -> String {
    format!("/console/{}{below}", world.institution.slug)
}

/// The value of a hidden input.
pub fn hidden<'a>(body: &'a str, name: &str) -> &'a str {
    let start = format!("name=\"{name}\" value=\"");
    body.split(&start).nth(1).unwrap_or_else(|| panic!("{name} in {body}")).split('"').next().unwrap()
}

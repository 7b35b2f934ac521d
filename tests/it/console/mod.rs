//! The console.

mod phone;
mod systems;
mod tokens;

use std::time::Duration;

use endonym::{
    app::{Actor, members, sign_in},
    domain::{
        email::Email,
        institution::Institution,
        member::Role,
        name_page::{NamePage, NamePageRef},
    },
};

use crate::{me::Browser, support::World};

pub const HOUR: Duration = Duration::from_secs(3_600);

/// The address of the member with a role in an institution.
pub fn email_of(institution: &Institution, role: Role) -> String {
    format!("{}@{}.example", role.word(), institution.slug)
}

/// Gives somebody a role.
pub async fn set(world: &World, institution: &Institution, email: &str, role: Role, pages: &[&NamePage]) {
    let pages = pages.iter().map(|page| NamePageRef::parse(&page.slug).unwrap()).collect();
    let email = Email::parse(email).unwrap();
    members::set(&world.app, &Actor::Operator, institution.id, email, role, pages).await.unwrap();
}

/// A browser in which somebody has just signed in.
pub async fn signed_in<'a>(world: &'a World, institution: &Institution, email: &str) -> Browser<'a> {
    let made = sign_in::operator_link(&world.app, &Actor::Operator, institution.id, email, HOUR, &world.base);
    let (link, _) = made.await.unwrap();
    let browser = Browser::new(world);
    browser.follow(&link).await.redirects_to("/me");
    browser.get("/me").await.expect(200);
    browser
}

/// A member with this role and these pages, who has just signed in.
pub async fn member_of<'a>(
    world: &'a World,
    institution: &Institution,
    role: Role,
    pages: &[&NamePage],
) -> Browser<'a> {
    let email = email_of(institution, role);
    set(world, institution, &email, role, pages).await;
    signed_in(world, institution, &email).await
}

/// A member of the world's institution. Managers and readers have the world's page.
pub async fn member(world: &World, role: Role) -> Browser<'_> {
    let pages: &[&NamePage] = if role.has_all_pages() { &[] } else { &[&world.page] };
    member_of(world, &world.institution, role, pages).await
}

pub fn console(world: &World, below: &str) -> String {
    format!("/console/{}{below}", world.institution.slug)
}

/// The value of the first input with this name.
pub fn input(page: &str, name: &str) -> String {
    let rest =
        page.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap_or_else(|| panic!("{name}: {page}"));
    rest.split('"').next().unwrap().to_owned()
}

/// Without the marks around numbers and names in sentences.
pub fn plain(page: &str) -> String {
    page.chars().filter(|c| !matches!(c, '\u{2068}' | '\u{2069}')).collect()
}

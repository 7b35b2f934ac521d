//! The console, as members of an institution use it.

mod jobs;
mod messages;
mod settings;
mod sign_on;

use std::time::Duration;

use endonym::{
    app::{Actor, members, sign_in},
    domain::{email::Email, ids::InstitutionId, member::Role, name_page::NamePageRef},
};

use crate::{me::Browser, support::World};

/// A browser in which somebody with this role has just signed in. Managers and readers are given the world's page.
pub async fn visitor<'a>(world: &'a World, role: Role) -> Browser<'a> {
    let pages = match role {
        Role::Owner | Role::Admin => Vec::new(),
        Role::Manager | Role::Reader => vec![NamePageRef::parse(&world.page.slug).unwrap()],
    };
    let email = format!("{}@example.edu", role.word());
    signed_in(world, world.institution.id, &email, role, pages).await
}

pub async fn signed_in<'a>(
    world: &'a World,
    institution: InstitutionId,
    email: &str,
    role: Role,
    pages: Vec<NamePageRef>,
) -> Browser<'a> {
    let (app, operator, life) = (&world.app, &Actor::Operator, Duration::from_secs(600));
    let address = Email::parse(email).unwrap();
    members::set(app, operator, institution, address, role, pages).await.unwrap();
    let made = sign_in::operator_link(app, operator, institution, email, life, &world.base).await;
    let browser = Browser::new(world);
    browser.follow(&made.unwrap().0).await.redirects_to("/me");
    browser
}

/// The path of a page of the world's console.
pub fn path(world: &World, below: &str) -> String {
    format!("/console/{}{below}", world.institution.slug)
}

/// The value of the hidden input `version` of the form that is posted there.
pub fn version<'a>(body: &'a str, action: &str) -> &'a str {
    // A form that only searches has no version.
    let start = format!("method=\"post\" action=\"{action}\"");
    let form = body.split(&start).nth(1).expect("the form");
    let rest = form.split("name=\"version\" value=\"").nth(1).expect("a version");
    rest.split('"').next().unwrap()
}

/// These roles see the page; the others, and members of another institution, do not.
pub async fn only(world: &World, below: &str, roles: &[Role]) {
    let at = path(world, below);
    for role in [Role::Owner, Role::Admin, Role::Manager, Role::Reader] {
        let expected = if roles.contains(&role) { 200 } else { 403 };
        visitor(world, role).await.get(&at).await.expect(expected);
    }
    // Its slug is derived from its name, and each page has another one.
    let there = world.neighbor_named(&format!("College {below}")).await;
    let stranger = signed_in(world, there.institution.id, "x@example.org", Role::Owner, Vec::new()).await;
    stranger.get(&at).await.expect(404);
    Browser::new(world).get(&at).await.expect(303);
}

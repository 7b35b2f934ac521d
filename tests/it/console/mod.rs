//! The console.

mod audit;
mod custom_fields;
mod editing;
mod fresh;
mod hostile;
mod jobs;
mod members;
mod messages;
mod moderation;
mod name_pages;
mod operator;
mod overview;
mod people;
mod people_many;
mod phone;
mod progress;
mod scim;
mod search;
mod security;
mod settings;
mod sign_on;
mod start;
mod stories;
mod systems;
mod tokens;

use std::time::Duration;

use endonym::{
    app::{self, Actor, sign_in},
    domain::{
        email::Email,
        ids::ParticipantId,
        institution::Institution,
        member::Role,
        name_page::{NamePage, NamePageRef},
        session::PersonId,
    },
};

use crate::{
    me::{Browser, Seen},
    support::World,
};

pub const HOUR: Duration = Duration::from_secs(3_600);

/// The address of the member with a role in an institution.
pub fn email_of(institution: &Institution, role: Role) -> String {
    format!("{}@{}.example", role.word(), institution.slug)
}

/// Gives somebody a role.
pub async fn set(world: &World, institution: &Institution, email: &str, role: Role, pages: &[&NamePage]) {
    let pages = pages.iter().map(|page| NamePageRef::parse(&page.slug).unwrap()).collect();
    let email = Email::parse(email).unwrap();
    app::members::set(&world.app, &Actor::Operator, institution.id, email, role, pages).await.unwrap();
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

/// Somebody in a session that a QR code has opened: with the member's cookie, and without their role.
pub async fn handed_over(world: &World, role: Role) -> Browser<'_> {
    let person =
        PersonId { institution: world.institution.id, email_key: email_of(&world.institution, role) };
    let how = endonym::domain::session::How::Mail;
    let made = sign_in::handover(&world.app, &Actor::Operator, &person, how, None).await.unwrap();
    let browser = Browser::new(world);
    browser.follow(&made.link).await.expect(303);
    browser
}

/// What a browser receives. The body of a stream of events is left out: it does not end.
pub async fn see(browser: &Browser<'_>, path: &str) -> Seen {
    let response = browser.stream(path).await;
    let (status, headers) = (response.status(), response.headers().clone());
    let kind = headers.get("content-type").map_or("", |kind| kind.to_str().unwrap());
    let body =
        if kind.starts_with("text/event-stream") { String::new() } else { response.text().await.unwrap() };
    Seen { status, headers, body }
}

/// Asks as a script does.
pub async fn json(browser: &mut Browser<'_>, path: &str) -> serde_json::Value {
    browser.headers.push(("accept", "application/json".to_owned()));
    let seen = browser.get(path).await.expect(200);
    browser.headers.pop();
    serde_json::from_str(&seen.body).unwrap()
}

/// A member of the world's institution with these pages.
pub async fn member_with<'a>(world: &'a World, role: Role, pages: &[&NamePage]) -> Browser<'a> {
    member_of(world, &world.institution, role, pages).await
}

/// A member with this address.
pub async fn member_named<'a>(
    world: &'a World,
    institution: &Institution,
    email: &str,
    role: Role,
    pages: &[&NamePage],
) -> Browser<'a> {
    set(world, institution, email, role, pages).await;
    signed_in(world, institution, email).await
}

pub fn console(world: &World, below: &str) -> String {
    format!("/console/{}{below}", world.institution.slug)
}

/// The value of a hidden input.
pub fn hidden<'a>(body: &'a str, name: &str) -> &'a str {
    let start = format!("name=\"{name}\" value=\"");
    body.split(&start).nth(1).unwrap_or_else(|| panic!("{name} in {body}")).split('"').next().unwrap()
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

/// Without the marks around numbers and names in sentences.
pub fn plain(page: &str) -> String {
    page.chars().filter(|c| !matches!(c, '\u{2068}' | '\u{2069}')).collect()
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
    let at = console(world, below);
    for role in Role::ALL {
        let expected = if roles.contains(&role) { 200 } else { 403 };
        member(world, role).await.get(&at).await.expect(expected);
    }
    // Its slug is derived from its name, and each page has another one.
    let there = world.neighbor_named(&format!("College {below}")).await;
    let stranger = member_of(world, &there.institution, Role::Owner, &[]).await;
    stranger.get(&at).await.expect(404);
    Browser::new(world).get(&at).await.expect(303);
}

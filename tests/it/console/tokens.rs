//! Access tokens in the console.

use std::time::Duration;

use endonym::{
    app::{Actor, callers, name_pages, tokens},
    domain::{member::Role, name_page::NamePageRef},
};
use reqwest::Method;

use super::{console, input, member, member_of, plain};
use crate::support::{Answer, World};

/// The value of the input with this id.
fn value_of<'a>(page: &'a str, id: &str) -> &'a str {
    let element = page.split(&format!("id=\"{id}\"")).nth(1).unwrap_or_else(|| panic!("{id}: {page}"));
    element.split("value=\"").nth(1).unwrap().split('"').next().unwrap()
}

/// The command on the page with a new token.
fn command(page: &str) -> String {
    let element = page.split("id=\"curl\" dir=\"ltr\">").nth(1).unwrap_or_else(|| panic!("{page}"));
    element
        .split("</pre>")
        .next()
        .unwrap()
        .replace("&#39;", "'")
        .replace("&quot;", "\"")
        .replace("&#34;", "\"")
}

/// Sends what the command would send, if somebody pasted it into a shell. It has two quoted arguments: a header and an address.
async fn replay(world: &World, command: &str) -> u16 {
    let quoted: Vec<&str> = command.split('\'').skip(1).step_by(2).collect();
    let [header, address] = quoted[..] else { panic!("{command}") };
    assert_eq!(command, format!("curl -H '{header}' '{address}'"));
    let (name, value) = header.split_once(": ").unwrap();
    world.client.get(address).header(name, value).send().await.unwrap().status().as_u16()
}

async fn status(world: &World, token: &str) -> u16 {
    Answer::of(world.request_as(token, Method::GET, "/v5/participants")).await.status.as_u16()
}

#[tokio::test]
async fn a_token_is_created_shown_once_used_and_revoked() {
    let world = World::new().await;
    let admin = member(&world, Role::Admin).await;
    let empty = admin.get(&console(&world, "/tokens")).await.expect(200).body;
    assert!(empty.contains("tests"), "the token of the world is there: {empty}");
    admin.get(&console(&world, "/tokens/new")).await.expect(200);
    let fields = [("name", "Student <b>system"), ("scope", "read"), ("pages", "all"), ("days", "30")];
    let page = admin.post(&console(&world, "/tokens/new"), &fields).await.expect(200).body;
    let secret = value_of(&page, "secret").to_owned();
    assert!(secret.starts_with("endonym_"), "{page}");
    assert_eq!(replay(&world, &command(&page)).await, 200);

    let list = admin.get(&console(&world, "/tokens")).await.expect(200).body;
    assert!(list.contains("Student &#60;b&#62;system") && !list.contains(&secret), "{list}");
    let id = id_of(&world, "Student <b>system").await;
    let one = admin.get(&console(&world, &format!("/tokens/{id}"))).await.expect(200).body;
    assert!(!one.contains(&secret) && one.contains("All name pages"), "{one}");

    let path = console(&world, &format!("/tokens/{id}/revoke"));
    let unsure = admin.post(&path, &[]).await.expect(422).body;
    assert!(unsure.contains("Please confirm this."), "{unsure}");
    assert_eq!(status(&world, &secret).await, 200, "it was not confirmed");
    let done = console(&world, "/tokens?done=revoked");
    admin.post(&path, &[("confirm", "yes")]).await.redirects_to(&done);
    world.advance(Duration::from_secs(1));
    assert_eq!(status(&world, &secret).await, 401);
    let list = admin.get(&done).await.expect(200).body;
    assert!(list.contains("The token was revoked.") && !list.contains("Student &#60;b&#62;system"), "{list}");
    let all = admin.get(&console(&world, "/tokens?state=all")).await.expect(200).body;
    assert!(all.contains("Student &#60;b&#62;system") && all.contains("Revoked"), "{all}");
    admin.post(&path, &[("confirm", "yes")]).await.expect(404);
}

/// The id of the newest token with this name.
async fn id_of(world: &World, name: &str) -> String {
    let all = tokens::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    all.iter().rev().find(|token| token.name == name).unwrap().id.to_string()
}

#[tokio::test]
async fn what_was_typed_stays_in_the_form_when_something_is_wrong() {
    let world = World::on_sqlite().await;
    let admin = member(&world, Role::Admin).await;
    let path = console(&world, "/tokens/new");
    let page = admin.get(&path).await.expect(200).body;
    assert!(page.contains(&world.page.title), "{page}");
    let fields = [("name", "  "), ("scope", "write"), ("pages", "some"), ("days", "7")];
    let page = admin.post(&path, &fields).await.expect(422).body;
    assert!(page.contains("Please choose at least one name page."), "{page}");
    assert!(page.contains("id=\"name-fault\">Please fill this in."), "both at once: {page}");
    let unknown = admin.post(&path, &with_more(&fields, "nowhere")).await.expect(422).body;
    assert!(unknown.contains("id=\"pages-fault\">One of these pages no longer exists"), "{unknown}");
    assert!(unknown.contains("id=\"name-fault\">"), "both at once: {unknown}");
    assert!(page.contains("value=\"write\" aria-describedby=\"scope-write-hint\" checked"), "{page}");
    assert!(page.contains("<option value=\"7\" selected>"), "{page}");
    let id = world.page.id.to_string();
    let fields = [("name", ""), ("scope", "write"), ("pages", "some"), ("days", "7"), ("page", &*id)];
    let page = admin.post(&path, &fields).await.expect(422).body;
    assert!(page.contains("Please fill this in."), "{page}");
    assert!(page.contains(&format!("name=\"page\" value=\"{id}\" checked")), "{page}");
    let fields =
        [("name", "Choir"), ("scope", "write"), ("pages", "some"), ("days", "never"), ("page", &*id)];
    admin.post(&path, &fields).await.expect(200);
    let all = tokens::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    let made = all.iter().find(|token| token.name == "Choir").unwrap();
    assert_eq!(made.pages.as_deref(), Some(&[world.page.slug.clone()][..]));
    assert_eq!((made.scope.word(), made.expires_at), ("write", None));
}

fn with_more<'a>(fields: &[(&'a str, &'a str)], more: &'a str) -> Vec<(&'a str, &'a str)> {
    [fields, &[("more", more)]].concat()
}

#[tokio::test]
async fn with_more_pages_than_are_offered_a_token_is_limited_to_an_old_one_by_its_slug() {
    let world = World::on_sqlite().await;
    let there = world.neighbor().await;
    let mut newest = world.page("Seminar 0").await;
    for number in 1..200 {
        newest = world.page(&format!("Seminar {number}")).await;
    }
    let admin = member(&world, Role::Admin).await;
    let path = console(&world, "/tokens/new");
    let page = admin.get(&path).await.expect(200).body;
    let offered = |id: &dyn std::fmt::Display| format!("name=\"page\" value=\"{id}\"");
    assert_eq!(page.matches("name=\"page\"").count(), 200, "{page}");
    assert!(page.contains(&offered(&newest.id)) && !page.contains(&offered(&world.page.id)), "{page}");

    let id = newest.id.to_string();
    let fields = [("name", "Choir"), ("scope", "read"), ("pages", "some"), ("days", "7"), ("page", &*id)];
    let long = format!("{}, {}", world.page.slug, "x".repeat(1_000));
    for unknown in ["nowhere", &there.page.slug, &long] {
        let page = admin.post(&path, &with_more(&fields, unknown)).await.expect(422).body;
        assert!(
            page.contains("id=\"pages-fault\">One of these pages no longer exists, or its code is mistyped."),
            "{page}"
        );
        assert!(page.contains("aria-describedby=\"more-hint pages-fault\""), "{page}");
        assert!(page.contains(&format!("id=\"more\" name=\"more\" value=\"{unknown}\"")), "{page}");
        assert!(page.contains(&format!("{} checked", offered(&newest.id))), "{page}");
        assert!(page.contains("name=\"pages\" value=\"some\" checked"), "{page}");
        assert!(page.contains("value=\"Choir\""), "{page}");
    }
    // They are not even looked up.
    let many = ["nowhere"; 256].join(", ");
    let page = plain(&admin.post(&path, &with_more(&fields, &many)).await.expect(422).body);
    assert!(page.contains("Please choose at most 256 name pages, or all."), "{page}");
    let all = tokens::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    assert!(all.iter().all(|token| token.name != "Choir"));

    let more = format!("{}、{}", world.page.slug, newest.slug);
    admin.post(&path, &with_more(&fields, &more)).await.expect(200);
    let all = tokens::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    let made = all.iter().find(|token| token.name == "Choir").unwrap();
    let mut slugs = [world.page.slug.clone(), newest.slug];
    slugs.sort();
    assert_eq!(made.pages.as_deref(), Some(&slugs[..]), "each once");
}

/// Between a form and its answer, pages are archived, deleted or become too old.
#[tokio::test]
async fn a_page_that_is_not_offered_any_more_stays_chosen_when_something_is_wrong() {
    let world = World::on_sqlite().await;
    let (old, deleted) = (world.page("Class of 1999").await, world.page("Class of 1984").await);
    let admin = member(&world, Role::Admin).await;
    let path = console(&world, "/tokens/new");
    assert!(!admin.get(&path).await.expect(200).body.contains("name=\"more\""), "all pages have a box");
    let reference = NamePageRef::parse(&old.slug).unwrap();
    let archived = name_pages::archive(&world.app, &Actor::Operator, world.institution.id, &reference, true);
    archived.await.unwrap();
    let reference = NamePageRef::parse(&deleted.slug).unwrap();
    name_pages::delete(&world.app, &Actor::Operator, world.institution.id, &reference).await.unwrap();
    let (id, gone, slug) = (old.id.to_string(), deleted.id.to_string(), world.page.slug.as_str());
    let fields = [("name", ""), ("scope", "read"), ("pages", "some"), ("days", "7")];
    let fields = [&fields[..], &[("page", &*id), ("page", &*gone)]].concat();
    let page = admin.post(&path, &with_more(&fields, slug)).await.expect(422).body;
    let more = format!("{slug}, {id}");
    assert_eq!(value_of(&page, "more"), more, "what was typed, and what was ticked and exists: {page}");
    let fields = [("name", "Choir"), ("scope", "read"), ("pages", "some"), ("days", "7")];
    admin.post(&path, &with_more(&fields, &more)).await.expect(200);
    let all = tokens::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    let made = all.iter().find(|token| token.name == "Choir").unwrap();
    assert_eq!(made.pages.as_ref().map(Vec::len), Some(2), "{made:?}");
}

#[tokio::test]
async fn after_a_rotation_both_tokens_work_for_the_chosen_time() {
    let world = World::new().await;
    let admin = member(&world, Role::Admin).await;
    let made = tokens::create(&world.app, &Actor::Operator, world.institution.id, "Portal".into(), Some(30));
    let (old, old_secret) = made.await.unwrap();
    admin.get(&console(&world, &format!("/tokens/{}", old.id))).await.expect(200);
    let path = console(&world, &format!("/tokens/{}/rotate", old.id));
    let page = admin.post(&path, &[("overlap", "24")]).await.expect(200).body;
    let secret = value_of(&page, "secret").to_owned();
    assert_ne!(secret, old_secret);
    assert!(page.contains("The old token works until"), "{page}");
    assert_eq!([status(&world, &secret).await, status(&world, &old_secret).await], [200, 200]);
    let list = admin.get(&console(&world, "/tokens")).await.expect(200).body;
    assert!(list.contains("Replaced, still works"), "{list}");
    admin.post(&path, &[("overlap", "24")]).await.expect(404);

    world.advance(Duration::from_secs(23 * 3_600));
    assert_eq!([status(&world, &secret).await, status(&world, &old_secret).await], [200, 200]);
    world.advance(Duration::from_secs(3_600));
    assert_eq!([status(&world, &secret).await, status(&world, &old_secret).await], [200, 401]);
}

#[tokio::test]
async fn requests_are_counted_by_day_and_shown() {
    let world = World::new().await;
    let admin = member(&world, Role::Admin).await;
    let made = tokens::create(&world.app, &Actor::Operator, world.institution.id, "Portal".into(), None);
    let (token, secret) = made.await.unwrap();
    let page = console(&world, &format!("/tokens/{}", token.id));
    let body = plain(&admin.get(&page).await.expect(200).body);
    assert!(body.contains("0 requests in the last 30 days."), "{body}");
    for _ in 0..3 {
        assert_eq!(status(&world, &secret).await, 200);
    }
    callers::store_usage(&world.app).await.unwrap();
    world.advance(Duration::from_secs(86_400));
    assert_eq!(status(&world, &secret).await, 200);
    callers::store_usage(&world.app).await.unwrap();
    callers::store_usage(&world.app).await.unwrap();
    // The session of a day ago is still open.
    let body = plain(&admin.get(&page).await.expect(200).body);
    assert!(body.contains("4 requests in the last 30 days.") && body.contains("<svg"), "{body}");
    let list = admin.get(&console(&world, "/tokens")).await.expect(200).body;
    assert!(list.contains("<td class=\"number\">4</td>"), "{list}");
}

#[tokio::test]
async fn only_admins_of_the_institution_see_its_tokens_and_new_ones_need_a_fresh_sign_in() {
    let world = World::on_sqlite().await;
    let made = tokens::create(&world.app, &Actor::Operator, world.institution.id, "Portal".into(), None);
    let one = console(&world, &format!("/tokens/{}", made.await.unwrap().0.id));
    for role in [Role::Manager, Role::Reader] {
        let browser = member(&world, role).await;
        browser.get(&console(&world, "/tokens")).await.expect(403);
        browser.get(&one).await.expect(403);
        browser.post(&format!("{one}/revoke"), &[("confirm", "yes")]).await.expect(403);
        browser.post(&console(&world, "/tokens/new"), &[("name", "x")]).await.expect(403);
    }
    let there = world.neighbor().await;
    let stranger = member_of(&world, &there.institution, Role::Owner, &[]).await;
    let slug = &there.institution.slug;
    let id = one.rsplit('/').next().unwrap();
    stranger.get(&one).await.expect(404);
    stranger.get(&format!("/console/{slug}/tokens/{id}")).await.expect(404);
    let foreign = format!("/console/{slug}/tokens/{id}");
    stranger.post(&format!("{foreign}/revoke"), &[("confirm", "yes")]).await.expect(404);
    stranger.post(&format!("{foreign}/rotate"), &[("overlap", "0")]).await.expect(404);

    let admin = member(&world, Role::Admin).await;
    let form = admin.get(&console(&world, "/tokens/new")).await.expect(200).body;
    assert!(!input(&form, "csrf").is_empty());
    world.advance(Duration::from_secs(11 * 60));
    let asked = admin.get(&console(&world, "/tokens/new")).await.expect(303);
    assert!(asked.location().starts_with("/sign-in?"), "{}", asked.location());
    let asked = admin.post(&console(&world, "/tokens/new"), &[("name", "x")]).await.expect(303);
    assert!(asked.location().starts_with("/sign-in?"), "{}", asked.location());
    let all = tokens::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    assert!(all.iter().all(|token| token.name != "x"));
}

//! Directories in the console.

use std::time::Duration;

use endonym::{
    app::{
        Actor, members,
        scim::{Target, connections},
    },
    domain::{member::Role, scim::Connection, session::PersonId},
};

use super::{console, member, only, plain, version};
use crate::{
    scim::{Directory, people, reference},
    support::{World, database::execute},
};

/// The value of the input with this id.
fn value_of<'a>(page: &'a str, id: &str) -> &'a str {
    let element = page.split(&format!("id=\"{id}\"")).nth(1).unwrap_or_else(|| panic!("{id}: {page}"));
    element.split("value=\"").nth(1).unwrap().split('"').next().unwrap()
}

/// Sends what the command on the page would send, if somebody pasted it into a shell.
async fn replay(world: &World, page: &str) -> u16 {
    let element = page.split("id=\"curl\" dir=\"ltr\">").nth(1).unwrap_or_else(|| panic!("{page}"));
    let command = element.split("</pre>").next().unwrap().replace("&#39;", "'");
    let quoted: Vec<&str> = command.split('\'').skip(1).step_by(2).collect();
    let [header, address] = quoted[..] else { panic!("{command}") };
    assert_eq!(command, format!("curl -H '{header}' '{address}'"));
    let (name, value) = header.split_once(": ").unwrap();
    world.client.get(address).header(name, value).send().await.unwrap().status().as_u16()
}

async fn all(world: &World) -> Vec<Connection> {
    connections::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap()
}

#[tokio::test]
async fn directories_are_for_owners() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let group = directory.group("Choir", &[]).await;
    only(&world, "/directories", &[Role::Owner]).await;
    only(&world, "/directories/new", &[Role::Owner]).await;
    only(&world, &format!("/directories/{}", directory.connection.id), &[Role::Owner]).await;
    only(&world, &format!("/directories/groups/{group}"), &[Role::Owner]).await;
    let menu = member(&world, Role::Admin).await.get(&console(&world, "")).await.expect(200).body;
    assert!(!menu.contains("/directories"), "{menu}");
    let menu = member(&world, Role::Owner).await.get(&console(&world, "")).await.expect(200).body;
    assert!(menu.contains("/directories"), "{menu}");
}

#[tokio::test]
async fn a_connection_is_created_shown_once_used_and_revoked() {
    let world = World::new().await;
    let owner = member(&world, Role::Owner).await;
    let (list, new) = (console(&world, "/directories"), console(&world, "/directories/new"));
    let empty = owner.get(&list).await.expect(200).body;
    assert!(
        empty.contains("No directory is connected.") && empty.contains("No directory has created"),
        "{empty}"
    );
    owner.get(&new).await.expect(200);
    let page =
        owner.post(&new, &[("name", "Entra <b>"), ("pages_from_groups", "yes")]).await.expect(200).body;
    let secret = value_of(&page, "secret").to_owned();
    assert_eq!(value_of(&page, "url"), format!("{}/scim/v2/{}", world.base, world.institution.slug));
    let listed = owner.get(&list).await.expect(200).body;
    assert!(listed.contains("Entra &#60;b&#62;") && !listed.contains(&secret), "{listed}");
    assert!(listed.contains("Never"), "it was not used: {listed}");
    assert_eq!(replay(&world, &page).await, 200);
    let listed = owner.get(&list).await.expect(200).body;
    assert!(!listed.contains("Never"), "{listed}");
    let [one] = &all(&world).await[..] else { panic!("one connection") };
    assert!(one.pages_from_groups);

    let at = format!("{list}/{}", one.id);
    let shown = owner.get(&at).await.expect(200).body;
    assert!(!shown.contains(&secret) && shown.contains("Entra &#60;b&#62;"), "{shown}");
    let wrong = owner.post(&format!("{at}/revoke"), &[("typed_name", "Okta")]).await.expect(422).body;
    assert!(wrong.contains("This is not the name.") && wrong.contains("value=\"Okta\""), "{wrong}");
    assert_eq!(replay(&world, &page).await, 200, "it was not confirmed");
    let done = format!("{list}?done=revoked");
    let typed = [("typed_name", "Entra <b>")];
    owner.post(&format!("{at}/revoke"), &typed).await.redirects_to(&done);
    assert_eq!(replay(&world, &page).await, 401);
    let listed = owner.get(&done).await.expect(200).body;
    assert!(
        listed.contains("The connection was revoked.") && !listed.contains("Entra &#60;b&#62;"),
        "{listed}"
    );
    let listed = owner.get(&format!("{list}?state=all")).await.expect(200).body;
    assert!(listed.contains("Entra &#60;b&#62;") && listed.contains("Revoked"), "{listed}");
    let shown = owner.get(&at).await.expect(200).body;
    assert!(!shown.contains("typed_name"), "{shown}");
    owner.post(&format!("{at}/revoke"), &typed).await.expect(404);
    owner.post(&format!("{list}/x/revoke"), &typed).await.expect(404);
}

#[tokio::test]
async fn what_was_typed_stays_in_the_form_when_the_name_is_blank() {
    let world = World::on_sqlite().await;
    let owner = member(&world, Role::Owner).await;
    let new = console(&world, "/directories/new");
    owner.get(&new).await.expect(200);
    let page = owner.post(&new, &[("name", " "), ("pages_from_groups", "yes")]).await.expect(422).body;
    assert!(page.contains("Please fill this in."), "{page}");
    assert!(page.contains("aria-describedby=\"pages-hint\" checked"), "{page}");
    assert!(all(&world).await.is_empty());
}

#[tokio::test]
async fn connecting_revoking_and_mapping_need_a_fresh_sign_in() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let group = directory.group("Choir", &[]).await;
    let owner = member(&world, Role::Owner).await;
    let list = console(&world, "/directories");
    let one = format!("{list}/{}", directory.connection.id);
    owner.get(&one).await.expect(200);
    world.advance(Duration::from_secs(660));
    owner.get(&list).await.expect(200);
    for path in [format!("{list}/new"), one.clone(), format!("{list}/groups/{group}")] {
        let seen = owner.get(&path).await.expect(303);
        assert!(seen.location().starts_with("/sign-in?"), "{}", seen.location());
    }
    let seen = owner.post(&format!("{one}/revoke"), &[("typed_name", "Directory")]).await.expect(303);
    assert!(seen.location().starts_with("/sign-in?"), "{}", seen.location());
    assert!(all(&world).await.iter().all(|one| one.revoked_at.is_none()));
}

#[tokio::test]
async fn a_group_gets_a_meaning() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let group = directory.group("Choir <b>", &[&ana]).await;
    let owner = member(&world, Role::Owner).await;
    let list = console(&world, "/directories");
    let at = format!("{list}/groups/{group}");
    let listed = owner.get(&list).await.expect(200).body;
    assert!(
        listed.contains("Choir &#60;b&#62;") && listed.contains(&at) && listed.contains("Nothing"),
        "{listed}"
    );
    assert!(listed.contains("<td class=\"number\">1</td>"), "one member: {listed}");
    let form = owner.get(&at).await.expect(200).body;
    assert!(form.contains("value=\"nothing\" checked") && form.contains(&world.page.title), "{form}");

    // A registration needs one page.
    let old = version(&form, &at).to_owned();
    let none = [("version", old.as_str()), ("kind", "page")];
    let told = owner.post(&at, &none).await.expect(422).body;
    assert!(told.contains("Please choose exactly one name page."), "{told}");
    assert!(told.contains("value=\"page\" checked"), "what was chosen stays: {told}");
    assert!(people(&world, &world.page).await.is_empty());
    let page = world.page.id.to_string();
    let fields = [("version", old.as_str()), ("kind", "page"), ("page", page.as_str())];
    owner.post(&at, &fields).await.redirects_to(&format!("{list}?done=saved"));
    assert_eq!(people(&world, &world.page).await, ["Ana Lima ana@x.org"]);
    let listed = owner.get(&format!("{list}?done=saved")).await.expect(200).body;
    assert!(listed.contains("Registration on a name page") && listed.contains(&world.page.title), "{listed}");

    // The form is outdated now.
    let told =
        plain(&owner.post(&at, &[("version", old.as_str()), ("kind", "admin")]).await.expect(409).body);
    assert!(told.contains("Now it is: Registration on a name page"), "{told}");
    assert_eq!(people(&world, &world.page).await.len(), 1);
    let now = version(&told, &at).to_owned();
    let told = owner.post(&at, &[("version", now.as_str()), ("kind", "reader")]).await.expect(422).body;
    assert!(told.contains("Please choose at least one name page."), "{told}");
    let reader = [("version", now.as_str()), ("kind", "reader"), ("page", page.as_str())];
    owner.post(&at, &reader).await.redirects_to(&format!("{list}?done=saved"));
    let person = PersonId { institution: world.institution.id, email_key: "ana@x.org".into() };
    let role = members::find(&world.app, &person).await.unwrap().unwrap();
    assert_eq!((role.role, role.pages), (Role::Reader, vec![world.page.id]));
    assert!(people(&world, &world.page).await.is_empty(), "a role registers nobody");
    owner.get(&format!("{list}/groups/7")).await.expect(404);
    owner.get(&format!("{list}/groups/choir")).await.expect(404);
    owner.post(&format!("{list}/groups/7"), &reader).await.expect(404);
}

#[tokio::test]
async fn an_archived_page_of_a_group_is_offered_too() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let group = directory.group("Choir", &[]).await;
    directory.map(&group, Target::Page(reference(&world.page))).await;
    let text = "UPDATE name_pages SET archived_at = 1 WHERE institution_id = $1";
    execute(&world.app.db, text, vec![world.institution.id.into()]).await;
    let owner = member(&world, Role::Owner).await;
    let form = owner.get(&console(&world, &format!("/directories/groups/{group}"))).await.expect(200).body;
    assert!(form.contains(&format!("value=\"{}\" checked", world.page.id)), "{form}");
}

#[tokio::test]
async fn many_groups_have_several_pages() {
    let world = World::on_sqlite().await;
    let groups = "WITH RECURSIVE n(i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 <= 101) \
         INSERT INTO scim_groups (institution_id, id, display_name_key, resource, created_at, updated_at) \
         SELECT $1, i, 'g' || i, '{\"displayName\": \"G' || i || '\"}', 0, 0 FROM n";
    execute(&world.app.db, groups, vec![world.institution.id.into()]).await;
    let owner = member(&world, Role::Owner).await;
    let list = console(&world, "/directories");
    let first = owner.get(&list).await.expect(200).body;
    assert!(first.contains("<dd>101</dd>"), "all of them are counted: {first}");
    assert!(first.contains("?after=100") && first.contains(">G100<") && !first.contains(">G101<"), "{first}");
    let last = owner.get(&format!("{list}?after=100")).await.expect(200).body;
    assert!(last.contains(">G101<") && !last.contains(">G100<"), "{last}");
    assert!(last.contains("To the beginning") && !last.contains("?after="), "{last}");
    assert!(last.contains("<dd>101</dd>"), "{last}");
    let first = owner.get(&format!("{list}?after=99999999999999999999")).await.expect(200).body;
    assert!(first.contains(">G1<"), "{first}");
}

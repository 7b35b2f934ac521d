//! Members: who sees them, and who changes them.

use endonym::{
    app::{Actor, members, name_pages, sso},
    domain::{email::email_key, member::Role, name_page::NamePageRef, session::PersonId},
};

use super::{email_of, member, set, signed_in};
use crate::{me::Browser, support::World};

const PATH: &str = "/console/example/members";
const BEA: &str = "bea@example.edu";

async fn find(world: &World, email: &str) -> Option<endonym::domain::member::Member> {
    let person = PersonId { institution: world.institution.id, email_key: email_key(email) };
    members::find(&world.app, &person).await.unwrap()
}

/// The value of a hidden input.
fn hidden(body: &str, name: &str) -> String {
    let (_, rest) = body.split_once(&format!("name=\"{name}\" value=\"")).expect(name);
    rest.split('"').next().unwrap().to_owned()
}

async fn form_of(browser: &Browser<'_>, email: &str) -> String {
    browser.get(&format!("{PATH}/change?email={email}")).await.expect(200).body
}

#[tokio::test]
async fn an_owner_adds_changes_and_removes_a_member() {
    let world = World::new().await;
    let owner = member(&world, Role::Owner).await;
    let body = owner.get(PATH).await.expect(200).body;
    assert!(body.contains("owner@example.example") && body.contains(">You<"), "{body}");
    assert!(body.contains("the only owner"), "{body}");
    let page = world.page.id.to_string();
    owner.get(&format!("{PATH}/add")).await.expect(200);
    let new = [("email", "Bea@Example.edu"), ("role", "manager"), ("page", page.as_str())];
    owner.post(&format!("{PATH}/add"), &new).await.redirects_to(&format!("{PATH}?done=added"));
    let found = find(&world, BEA).await.unwrap();
    assert_eq!((found.role, found.pages.as_slice()), (Role::Manager, &[world.page.id][..]));
    let body = owner.get(&format!("{PATH}?done=added")).await.expect(200).body;
    assert!(body.contains(&format!("{}/console/example", world.base)), "where to sign in: {body}");
    assert!(body.contains(&world.page.title), "{body}");
    signed_in(&world, &world.institution, BEA).await.get("/console/example").await.expect(200);

    let version = hidden(&form_of(&owner, BEA).await, "version");
    let changed = [("email", BEA), ("version", version.as_str()), ("role", "admin"), ("page", page.as_str())];
    owner.post(&format!("{PATH}/change"), &changed).await.redirects_to(&format!("{PATH}?done=changed"));
    let found = find(&world, BEA).await.unwrap();
    assert_eq!((found.role, found.pages.len()), (Role::Admin, 0), "admins have all pages");
    owner
        .post(&format!("{PATH}/remove"), &[("email", BEA)])
        .await
        .redirects_to(&format!("{PATH}?done=removed"));
    assert!(find(&world, BEA).await.is_none());
    owner.post(&format!("{PATH}/remove"), &[("email", BEA)]).await.redirects_to(PATH);
    owner.get(&format!("{PATH}/change?email={BEA}")).await.redirects_to(PATH);
}

#[tokio::test]
async fn what_is_wrong_is_said_and_what_was_typed_stays() {
    let world = World::new().await;
    let owner = member(&world, Role::Owner).await;
    let page = world.page.id.to_string();
    for email in ["", "bea", "\u{212a}im@example.edu", &email_of(&world.institution, Role::Owner)] {
        let form = [("email", email), ("role", "reader"), ("page", page.as_str())];
        let body = owner.post(&format!("{PATH}/add"), &form).await.expect(422).body;
        assert!(body.contains("id=\"email-fault\""), "{email}: {body}");
        assert!(body.contains(&format!("value=\"{email}\"")), "{email}: {body}");
        assert!(body.contains(&format!("value=\"{page}\" checked")), "{body}");
        assert!(body.contains("value=\"reader\" checked"), "{body}");
    }
    let form = [("email", BEA), ("role", "reader"), ("page", "12345")];
    let body = owner.post(&format!("{PATH}/add"), &form).await.expect(422).body;
    assert!(body.contains("id=\"pages-fault\""), "{body}");
    let body = owner.post(&format!("{PATH}/add"), &[("email", BEA)]).await.expect(422).body;
    assert!(body.contains("id=\"role-fault\""), "{body}");
    assert!(find(&world, BEA).await.is_none());
}

/// A page of another institution does not exist here.
#[tokio::test]
async fn a_member_gets_no_page_of_another_institution() {
    let world = World::new().await;
    let there = world.neighbor().await;
    let owner = member(&world, Role::Owner).await;
    let page = there.page.id.to_string();
    let form = [("email", BEA), ("role", "reader"), ("page", page.as_str())];
    owner.post(&format!("{PATH}/add"), &form).await.expect(422);
    set(&world, &there.institution, BEA, Role::Admin, &[]).await;
    owner.get(&format!("{PATH}/change?email={BEA}")).await.redirects_to(PATH);
    owner.post(&format!("{PATH}/remove"), &[("email", BEA)]).await.redirects_to(PATH);
    assert!(!owner.get(PATH).await.expect(200).body.contains(BEA));
}

#[tokio::test]
async fn the_last_owner_stays() {
    let world = World::new().await;
    let owner = member(&world, Role::Owner).await;
    let email = email_of(&world.institution, Role::Owner);
    let body = form_of(&owner, &email).await;
    assert!(body.contains("needs an owner") && !body.contains("/members/remove\""), "{body}");
    let version = hidden(&body, "version");
    let form = [("email", email.as_str()), ("version", version.as_str()), ("role", "admin")];
    let body = owner.post(&format!("{PATH}/change"), &form).await.expect(422).body;
    assert!(body.contains("id=\"role-fault\""), "{body}");
    let body = owner.post(&format!("{PATH}/remove"), &[("email", email.as_str())]).await.expect(422).body;
    assert!(body.contains("id=\"role-fault\""), "{body}");
    assert_eq!(find(&world, &email).await.unwrap().role, Role::Owner);
    // With another one they may go, and the console is not theirs any more.
    set(&world, &world.institution, BEA, Role::Owner, &[]).await;
    let version = hidden(&form_of(&owner, &email).await, "version");
    let form = [("email", email.as_str()), ("version", version.as_str()), ("role", "reader")];
    owner.post(&format!("{PATH}/change"), &form).await.redirects_to("/console/example");
    owner.get(PATH).await.expect(403);
}

#[tokio::test]
async fn the_second_of_two_who_change_a_member_is_told() {
    let world = World::new().await;
    let owner = member(&world, Role::Owner).await;
    set(&world, &world.institution, BEA, Role::Manager, &[&world.page]).await;
    let version = hidden(&form_of(&owner, BEA).await, "version");
    set(&world, &world.institution, BEA, Role::Reader, &[&world.page]).await;
    let form = [("email", BEA), ("version", version.as_str()), ("role", "admin")];
    let body = owner.post(&format!("{PATH}/change"), &form).await.expect(422).body;
    assert!(body.contains("in the meantime") && body.contains("value=\"admin\" checked"), "{body}");
    assert_eq!(find(&world, BEA).await.unwrap().role, Role::Reader);
    let version = hidden(&body, "version");
    let form = [("email", BEA), ("version", version.as_str()), ("role", "admin")];
    owner.post(&format!("{PATH}/change"), &form).await.redirects_to(&format!("{PATH}?done=changed"));
}

/// The form does not offer archived pages, and does not take them away.
#[tokio::test]
async fn pages_that_the_form_does_not_offer_stay() {
    let world = World::new().await;
    let old = world.page("Class of 1999").await;
    let owner = member(&world, Role::Owner).await;
    set(&world, &world.institution, BEA, Role::Manager, &[&world.page, &old]).await;
    let reference = NamePageRef::parse(&old.slug).unwrap();
    let archived = name_pages::archive(&world.app, &Actor::Operator, world.institution.id, &reference, true);
    archived.await.unwrap();
    let body = form_of(&owner, BEA).await;
    assert!(!body.contains("Class of 1999"), "{body}");
    let (version, kept) = (hidden(&body, "version"), hidden(&body, "kept"));
    assert_eq!(kept, old.id.to_string());
    let form = [("email", BEA), ("version", version.as_str()), ("role", "reader"), ("kept", kept.as_str())];
    owner.post(&format!("{PATH}/change"), &form).await.redirects_to(&format!("{PATH}?done=changed"));
    assert_eq!(find(&world, BEA).await.unwrap().pages, [old.id]);
}

#[tokio::test]
async fn a_code_that_is_too_long_is_told_and_nobody_is_added_without_it() {
    let world = World::on_sqlite().await;
    let owner = member(&world, Role::Owner).await;
    let (add, page) = (format!("{PATH}/add"), world.page.id.to_string());
    let long = "x".repeat(1_000);
    let form = [("email", BEA), ("role", "reader"), ("page", page.as_str()), ("more", long.as_str())];
    let body = owner.post(&add, &form).await.expect(422).body;
    assert!(body.contains("id=\"pages-fault\""), "{body}");
    assert!(find(&world, BEA).await.is_none());

    let second = world.page("Choir").await;
    let more = format!("{}، {}؛", world.page.slug, second.slug);
    let form = [("email", BEA), ("role", "reader"), ("more", more.as_str())];
    owner.post(&add, &form).await.redirects_to(&format!("{PATH}?done=added"));
    assert_eq!(find(&world, BEA).await.unwrap().pages.len(), 2, "the commas of a keyboard separate codes");
}

#[tokio::test]
async fn a_page_that_is_deleted_while_somebody_is_added_is_named() {
    let world = World::on_sqlite().await;
    let old = world.page("Class of 1999").await;
    let owner = member(&world, Role::Owner).await;
    let reference = NamePageRef::parse(&old.slug).unwrap();
    name_pages::delete(&world.app, &Actor::Operator, world.institution.id, &reference).await.unwrap();
    let (add, id, page) = (format!("{PATH}/add"), old.id.to_string(), world.page.id.to_string());
    let form = [("email", BEA), ("role", "reader"), ("page", id.as_str()), ("page", page.as_str())];
    let body = owner.post(&add, &form).await.expect(422).body;
    assert!(body.contains("One of these pages no longer exists"), "{body}");
    assert!(!body.contains(&id), "{body}");
    assert!(body.contains(&format!("name=\"page\" value=\"{page}\" checked")), "{body}");
    assert!(find(&world, BEA).await.is_none());
}

#[tokio::test]
async fn admins_see_members_and_change_nothing() {
    let world = World::new().await;
    let admin = member(&world, Role::Admin).await;
    set(&world, &world.institution, BEA, Role::Reader, &[&world.page]).await;
    let body = admin.get(PATH).await.expect(200).body;
    assert!(body.contains(BEA) && body.contains("Only owners"), "{body}");
    assert!(!body.contains("/members/change") && !body.contains("/members/add"), "{body}");
    for (path, form) in [("add", "email"), ("change", "email"), ("remove", "email")] {
        admin.post(&format!("{PATH}/{path}"), &[(form, BEA)]).await.expect(403);
    }
    assert_eq!(find(&world, BEA).await.unwrap().role, Role::Reader);
}

#[tokio::test]
async fn a_long_list_has_pages() {
    let world = World::new().await;
    let owner = member(&world, Role::Owner).await;
    for number in 0..101 {
        let email = format!("m{number:03}@example.edu");
        set(&world, &world.institution, &email, Role::Reader, &[&world.page]).await;
    }
    let body = owner.get(PATH).await.expect(200).body;
    assert!(body.contains("m099@example.edu") && !body.contains("m100@example.edu"), "{body}");
    let body = owner.get(&format!("{PATH}?after=m099%40example.edu")).await.expect(200).body;
    assert!(body.contains("m100@example.edu") && !body.contains("m099@example.edu"), "{body}");
    assert!(body.contains("owner@example.example"), "{body}");
}

#[tokio::test]
async fn owners_give_roles_to_groups() {
    let world = World::new().await;
    let (owner, path) = (member(&world, Role::Owner).await, format!("{PATH}/groups"));
    let body = owner.get(&path).await.expect(200).body;
    assert!(body.contains("Set up single sign-on first"), "{body}");
    let provider = |name: &str| sso::New {
        name: Some(name.into()),
        issuer: "http://127.0.0.1:9".into(),
        client_id: "endonym".into(),
        client_secret: "secret".into(),
        domains: Vec::new(),
        trusts_unverified_email: false,
    };
    let (app, operator) = (&world.app, &Actor::Operator);
    let made = sso::create(app, operator, world.institution.id, provider("Campus Login")).await.unwrap();
    let there = world.neighbor().await;
    let foreign = sso::create(app, operator, there.institution.id, provider("Elsewhere")).await.unwrap();
    let (id, foreign) = (made.id.to_string(), foreign.id.to_string());
    let body = owner.get(&path).await.expect(200).body;
    assert!(body.contains("Campus Login") && !body.contains("Elsewhere"), "{body}");

    let send = async |to: &str, fields: &[(&str, &str)]| {
        let version = hidden(&owner.get(&path).await.expect(200).body, "version");
        let fixed = [("connection", id.as_str()), ("version", version.as_str()), ("role", "reader")];
        owner.post(to, &[fields, &fixed].concat()).await
    };
    let body = send(&path, &[("group", " "), ("pages", "")]).await.expect(422).body;
    assert!(body.contains(&format!("group-fault-{id}")), "{body}");
    let body = send(&path, &[("group", "staff"), ("pages", "nowhere")]).await.expect(422).body;
    assert!(body.contains(&format!("pages-fault-{id}")) && body.contains("value=\"nowhere\""), "{body}");
    assert!(body.contains("value=\"staff\""), "what was typed stays: {body}");
    let long = format!("class-of-2027, {}", "x".repeat(1_000));
    let body = send(&path, &[("group", "staff"), ("pages", long.as_str())]).await.expect(422).body;
    assert!(body.contains(&format!("pages-fault-{id}")) && body.contains(&long), "{body}");
    let saved = format!("{path}?done=saved");
    send(&path, &[("group", "staff"), ("pages", "class-of-2027")]).await.redirects_to(&saved);
    let mapping = sso::mapping(app, operator, made.id).await.unwrap();
    assert_eq!(
        (mapping.rules[0].group.as_str(), mapping.rules[0].pages.as_slice()),
        ("staff", &[world.page.id][..])
    );
    assert!(owner.get(&path).await.expect(200).body.contains(&world.page.title));

    let claims = format!("{path}/claim");
    let body = send(&claims, &[("claim", "")]).await.expect(422).body;
    assert!(body.contains(&format!("claim-fault-{id}")), "{body}");
    send(&claims, &[("claim", "roles")]).await.redirects_to(&saved);
    assert_eq!(sso::mapping(app, operator, made.id).await.unwrap().claim, "roles");

    let theirs = [("connection", foreign.as_str()), ("group", "staff"), ("role", "owner"), ("claim", "x")];
    for path in [path.clone(), format!("{path}/remove"), format!("{path}/claim")] {
        owner.post(&path, &theirs).await.expect(404);
    }
    let gone = [("connection", id.as_str()), ("group", "staff")];
    owner.post(&format!("{path}/remove"), &gone).await.redirects_to(&format!("{path}?done=saved"));
    assert!(sso::mapping(app, operator, made.id).await.unwrap().rules.is_empty());
    member(&world, Role::Admin).await.get(&path).await.expect(403);
}

#[tokio::test]
async fn whoever_made_tokens_leaves_when_their_tokens_are_decided() {
    let world = World::new().await;
    let owner = member(&world, Role::Owner).await;
    set(&world, &world.institution, BEA, Role::Admin, &[]).await;
    let bea = signed_in(&world, &world.institution, BEA).await;
    let body = bea.post("/console/example/tokens/new", &[("name", "Portal & co"), ("days", "never")]).await;
    body.expect(200);
    let listed = owner.get("/console/example/tokens").await.expect(200).body;
    assert!(listed.contains(BEA) && !listed.contains("Has left"), "{listed}");
    let form = form_of(&owner, BEA).await;
    assert!(form.contains("Portal &#38; co · ") && form.contains(" days · Last use: Never"), "{form}");
    // A lower role asks as well.
    let version = hidden(&form, "version");
    let lower = [("email", BEA), ("version", version.as_str()), ("role", "reader")];
    let asked = owner.post(&format!("{PATH}/change"), &lower).await.expect(422).body;
    assert!(asked.contains("id=\"tokens-fault\"") && asked.contains("value=\"reader\" checked"), "{asked}");
    let kept = [&lower[..], &[("tokens", "keep")]].concat();
    owner.post(&format!("{PATH}/change"), &kept).await.redirects_to(&format!("{PATH}?done=changed"));
    assert!(owner.get("/console/example/tokens").await.expect(200).body.contains("Has left"));
    set(&world, &world.institution, BEA, Role::Admin, &[]).await;
    let remove = [("email", BEA)];
    let asked = owner.post(&format!("{PATH}/remove"), &remove).await.expect(422).body;
    assert!(asked.contains("id=\"leaving-fault\"") && asked.contains("Portal"), "{asked}");
    assert!(find(&world, BEA).await.is_some());
    let revoked = [&remove[..], &[("tokens", "revoke")]].concat();
    owner.post(&format!("{PATH}/remove"), &revoked).await.redirects_to(&format!("{PATH}?done=removed"));
    assert!(!owner.get("/console/example/tokens").await.expect(200).body.contains("Portal"));
}

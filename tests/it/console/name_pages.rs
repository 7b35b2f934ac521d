//! `/console/{slug}/name-pages`: lists, creating, settings, copies, the archive, deleting.

use std::time::Duration;

use endonym::{
    app::{Actor, name_pages, own_recordings::Sharing, page_settings},
    domain::{
        member::Role,
        moment::Moment,
        name_page::{NamePage, NamePageRef},
        page_settings::{Asking, Listen, Moderation, PageSettings, Register},
    },
};
use serde_json::{Value, json};

use super::{console, hidden, member_named, member_with};
use crate::{
    me::{Browser, Seen},
    own_recordings::record,
    support::{World, until},
};

const EVIL: &str = "<script>alert(1)</script>\"'";
/// As pages show it.
const ESCAPED: &str = "&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;";

fn path_of(world: &World, page: &NamePage, below: &str) -> String {
    console(world, &format!("/name-pages/{}{below}", page.id))
}

async fn settings_of(world: &World, page: &NamePage) -> PageSettings {
    page_settings::find(&world.app, world.institution.id, page.id).await.unwrap()
}

/// The form as a new page shows it, with these values instead.
fn form<'a>(version: &'a str, title: &'a str, other: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut fields = vec![
        ("version", version),
        ("title", title),
        ("description", ""),
        ("date", ""),
        ("register", "invited"),
        ("domains", ""),
        ("closes", ""),
        ("listen", "registered"),
        ("moderation", "off"),
        ("take_seconds", ""),
        ("delete_after_days", ""),
        ("ask_name", "required"),
        ("ask_phonetic", "optional"),
        ("ask_pronouns", "optional"),
        ("ask_photo", "optional"),
        ("ask_notes", "off"),
    ];
    for (name, value) in other.iter().copied() {
        fields.retain(|(known, _)| *known != name);
        fields.push((name, value));
    }
    fields
}

async fn save(
    browser: &Browser<'_>,
    world: &World,
    page: &NamePage,
    title: &str,
    other: &[(&str, &str)],
) -> Seen {
    let path = path_of(world, page, "");
    let shown = browser.get(&path).await.expect(200);
    let version = hidden(&shown.body, "version").to_owned();
    browser.post(&path, &form(&version, title, other)).await
}

#[tokio::test]
async fn the_list_has_figures_states_and_a_search_and_managers_see_their_pages_only() {
    let world = World::new().await;
    let (choir, old) = (world.page("Zürcher Chor <b>").await, world.page("Old class").await);
    world.person("Ana", "ana@example.edu").await;
    world.person("Bo", "bo@example.edu").await;
    let reference = NamePageRef::parse(&old.slug).unwrap();
    name_pages::archive(&world.app, &Actor::Operator, world.institution.id, &reference, true).await.unwrap();
    let closed = page_settings::Change { closes: Some("2020-01-01".into()), ..Default::default() };
    let reference = NamePageRef::parse(&choir.slug).unwrap();
    page_settings::update(&world.app, &Actor::Operator, world.institution.id, &reference, closed)
        .await
        .unwrap();

    let admin = member_with(&world, Role::Admin, &[]).await;
    let list = async |browser: &Browser<'_>, query: &str| {
        browser.get(&console(&world, &format!("/name-pages{query}"))).await.expect(200).body
    };
    let titles = |body: &str| {
        let has = |title: &str| body.contains(title);
        [has("Class of 2027"), has("Zürcher Chor &#60;b&#62;"), has("Old class")]
    };
    let all = list(&admin, "").await;
    assert_eq!(titles(&all), [true, true, false], "{all}");
    assert!(all.contains("<td class=\"number\">2</td>") && all.contains("name-pages/new"), "{all}");
    for (query, wanted) in [
        ("?state=open", [true, false, false]),
        ("?state=closed", [false, true, false]),
        ("?state=archived", [false, false, true]),
        ("?q=zurcher", [false, true, false]),
        ("?q=CLASS", [true, false, false]),
        ("?q=class&state=archived", [false, false, true]),
        ("?q=nothing", [false, false, false]),
    ] {
        assert_eq!(titles(&list(&admin, query).await), wanted, "{query}");
    }
    let manager = member_with(&world, Role::Manager, &[&choir]).await;
    let own = list(&manager, "").await;
    assert_eq!(titles(&own), [false, true, false], "{own}");
    assert!(!own.contains("name-pages/new"), "managers do not create pages: {own}");
    assert_eq!(titles(&list(&manager, "?q=class").await), [false, false, false]);
    member_with(&world, Role::Reader, &[&choir]).await.get(&console(&world, "/name-pages")).await.expect(403);
}

#[tokio::test]
async fn a_long_list_is_read_part_by_part() {
    let world = World::new().await;
    for number in 0..60 {
        world.page(&format!("Seminar {number:02}")).await;
    }
    let admin = member_with(&world, Role::Admin, &[]).await;
    let count = |body: &str| body.matches("<th scope=\"row\">").count();
    let first = admin.get(&console(&world, "/name-pages")).await.expect(200).body;
    assert_eq!(count(&first), 50);
    let next = first.split("name-pages?after=").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let rest = admin.get(&console(&world, &format!("/name-pages?after={next}"))).await.expect(200).body;
    assert_eq!(count(&rest), 11, "and the world's own page");
    assert!(rest.contains("Seminar 00") && rest.contains("Class of 2027"), "{rest}");
    let found = admin.get(&console(&world, "/name-pages?q=seminar+0")).await.expect(200).body;
    assert_eq!(count(&found), 10);
}

#[tokio::test]
async fn a_page_is_created_and_what_is_wrong_is_said_next_to_what_was_typed() {
    let world = World::new().await;
    let admin = member_with(&world, Role::Admin, &[]).await;
    let path = console(&world, "/name-pages/new");
    admin.get(&path).await.expect(200);
    let code = world.page.access_code.as_str();
    let wrong = [("title", " "), ("slug", "Not A Slug"), ("access_code", code), ("date", "tomorrow")];
    let page = admin.post(&path, &wrong).await.expect(422).body;
    for part in ["value=\"Not A Slug\"", code, "value=\"tomorrow\"", "id=\"title-fault\""] {
        assert!(page.contains(part), "{part} in {page}");
    }
    for id in ["slug-fault", "access_code-fault", "date-fault"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id} in {page}");
    }
    let taken = admin.post(&path, &[("title", "Copy"), ("slug", &world.page.slug)]).await.expect(422).body;
    assert!(taken.contains("This is taken already."), "{taken}");
    let made = admin.post(&path, &[("title", EVIL), ("slug", "evil"), ("date", "2090-06-01")]).await;
    let shown = admin.get(made.expect(303).location()).await.expect(200).body;
    assert!(shown.contains(ESCAPED) && !shown.contains("<script>alert"), "{shown}");
    assert!(shown.contains("value=\"2090-06-01\"") && shown.contains("The name page is created."), "{shown}");
    let list = admin.get(&console(&world, "/name-pages")).await.expect(200).body;
    assert!(list.contains(ESCAPED) && !list.contains("<script>alert"), "{list}");
    let manager = member_with(&world, Role::Manager, &[&world.page]).await;
    manager.get(&path).await.expect(403);
    manager.get(&console(&world, "/name-pages")).await.expect(200);
    manager.post(&path, &[("title", "Mine")]).await.expect(403);
}

#[tokio::test]
async fn every_setting_can_be_changed_and_what_is_wrong_stays() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let (page, manager) = (&world.page, member_with(&world, Role::Manager, &[&world.page]).await);
    let path = path_of(&world, page, "");
    let shown = manager.get(&path).await.expect(200).body;
    for link in
        ["", "/people", "/people/print", "/invitations", "/moderation", "/import", "/export", "/poster"]
    {
        assert!(shown.contains(&format!("href=\"/p/{}{link}\"", page.slug)), "{link} in {shown}");
    }
    assert!(!shown.contains("allow_v2") && !shown.contains(&page.access_code), "for admins: {shown}");
    let everything = [
        ("description", "Say your name.\r\nThank you!"),
        ("date", "2090-06-01"),
        ("register", "domain"),
        ("domains", "example.edu\r\n*.example.org"),
        ("closes", "2090-05-31T18:00"),
        ("listen", "link"),
        ("moderation", "hold"),
        ("take_seconds", "5"),
        ("delete_after_days", "30"),
        ("ask_photo", "off"),
        ("ask_notes", "required"),
        ("ask_custom_degree", "required"),
        // For admins only.
        ("allow_v2", "1"),
    ];
    save(&manager, &world, page, "Class of 2090", &everything)
        .await
        .redirects_to(&format!("{path}?done=saved"));
    let found = settings_of(&world, page).await;
    assert_eq!(found.description.as_deref(), Some("Say your name.\nThank you!"));
    assert_eq!(found.date.unwrap().to_string(), "2090-06-01");
    let domains: Vec<String> = found.domains.iter().map(ToString::to_string).collect();
    assert_eq!((found.register, domains.join(" ")), (Register::Domain, "example.edu *.example.org".into()));
    // In New York.
    assert_eq!(found.closes_at, Moment::parse("2090-05-31T22:00:00Z"));
    assert_eq!((found.listen, found.moderation), (Listen::Link, Moderation::Hold));
    assert_eq!((found.take_seconds, found.delete_after_days), (Some(5), Some(30)));
    assert_eq!((found.asked.photo, found.asked.notes), (Asking::Off, Asking::Required));
    assert_eq!(found.asked.custom["degree"], Asking::Required);
    let shown = manager.get(&path).await.expect(200).body;
    assert!(shown.contains("value=\"2090-05-31T18:00\"") && shown.contains("Class of 2090"), "{shown}");
    assert!(shown.contains("Recordings are deleted on"), "{shown}");
    let reference = NamePageRef::parse(&page.slug).unwrap();
    let (now, _) =
        page_settings::managed(&world.app, &Actor::Operator, world.institution.id, &reference).await.unwrap();
    assert!(!now.allow_v2);

    // As it was shown, with a few mistakes.
    let wrong = [
        &everything[..],
        &[
            ("date", "31.5.2090"),
            ("domains", "@nonsense@"),
            ("closes", "soon"),
            ("take_seconds", "ten"),
            ("delete_after_days", "0"),
        ],
    ]
    .concat();
    let refused = save(&manager, &world, page, "", &wrong).await.expect(422).body;
    for id in ["title", "date", "domains", "closes", "take_seconds", "delete_after_days"] {
        assert!(refused.contains(&format!("id=\"{id}-fault\"")), "{id} in {refused}");
    }
    for typed in ["value=\"31.5.2090\"", "value=\"soon\"", "value=\"ten\"", "@nonsense@</textarea>"] {
        assert!(refused.contains(typed), "{typed} in {refused}");
    }
    assert_eq!(settings_of(&world, page).await, found, "nothing was changed");

    let admin = member_with(&world, Role::Admin, &[]).await;
    let fields = [&everything[..], &[("ask_custom_degree", "default")]].concat();
    save(&admin, &world, page, "Class of 2090", &fields).await.expect(303);
    let (now, settings) =
        page_settings::managed(&world.app, &Actor::Operator, world.institution.id, &reference).await.unwrap();
    assert!(now.allow_v2 && settings.asked.custom.is_empty());
}

#[tokio::test]
async fn whoever_saves_second_is_told_and_loses_nothing() {
    let world = World::new().await;
    let (page, path) = (&world.page, path_of(&world, &world.page, ""));
    let (one, other) = (
        member_with(&world, Role::Admin, &[]).await,
        member_with(&world, Role::Manager, &[&world.page]).await,
    );
    let version = hidden(&one.get(&path).await.expect(200).body, "version").to_owned();
    other.get(&path).await.expect(200);
    one.post(&path, &form(&version, "Theirs <b>", &[("listen", "link")])).await.expect(303);
    let typed = form(&version, "Mine", &[("description", "Kept")]);
    let told = other.post(&path, &typed).await.expect(409).body;
    assert!(told.contains("Somebody else has changed this"), "{told}");
    assert!(told.contains("value=\"Mine\"") && told.contains("Kept</textarea>"), "{told}");
    assert!(
        told.contains("Stored now: <bdi>Theirs &lt;b&gt;</bdi>")
            && told.contains("Stored now: <bdi>Anybody with the link</bdi>")
    );
    assert_eq!(settings_of(&world, page).await.description, None, "nothing was saved");
    // Whoever has seen that may save.
    let newer = hidden(&told, "version").to_owned();
    assert_ne!(newer, version);
    other.post(&path, &form(&newer, "Mine", &[("description", "Kept")])).await.expect(303);
    assert_eq!(settings_of(&world, page).await.description.as_deref(), Some("Kept"));
    // A form without a version is not one of ours.
    other.post(&path, &[("title", "Sneaky")]).await.expect(409);
}

/// The people of the copy.
async fn copied(world: &World) -> Vec<Value> {
    let list = world.get("/v4/name_pages/class-of-2028/participants?include=custom_attributes").await;
    list.expect(200)["participants"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_copy_has_the_settings_and_if_wanted_the_people_without_recordings() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let ana = json!({ "first_name": "Ana", "last_name": "Lima", "email": "ana@example.edu", "institution_id": "A-1",
        "phonetic": "AH-na", "custom_fields": { "custom_degree": "BA" } });
    let ana = world.person_on(&world.page, ana).await;
    world.person("Bo", "bo@example.edu").await;
    record(&world, &ana, 150.0, Sharing::ThisPage).await;
    world.work(1);
    let manager = member_with(&world, Role::Manager, &[&world.page]).await;
    save(&manager, &world, &world.page, "Class of 2027", &[("description", "Hello")]).await.expect(303);
    let path = path_of(&world, &world.page, "/copy");
    assert!(manager.get(&path).await.expect(200).body.contains("value=\"Class of 2027\""));
    let wrong =
        manager.post(&path, &[("title", ""), ("slug", "A B"), ("people", "1")]).await.expect(422).body;
    assert!(
        wrong.contains("value=\"A B\"")
            && wrong.contains("value=\"1\" checked aria-describedby=\"people-hint\"")
    );
    let made =
        manager.post(&path, &[("title", "Class of 2028"), ("slug", "class-of-2028"), ("people", "1")]).await;
    let shown = manager.get(made.expect(303).location()).await.expect(200).body;
    assert!(shown.contains("Hello</textarea>") && shown.contains("Its people follow"), "{shown}");
    until("everybody is copied", || async { copied(&world).await.len() == 2 }).await;
    let people = copied(&world).await;
    let ana = people.iter().find(|person| person["email"] == "ana@example.edu").unwrap();
    assert_eq!((&ana["last_name"], &ana["custom_objects"]), (&json!("Lima"), &json!({ "degree": "BA" })));
    assert_eq!(ana["recording_link"], json!(null), "{ana}");
    let figures = manager.get(&console(&world, "/name-pages/class-of-2028")).await.expect(200).body;
    assert!(figures.contains("<strong>2</strong>") && figures.contains("<strong>0</strong>"), "{figures}");

    let empty = manager.post(&path, &[("title", "Class of 2029"), ("slug", "class-of-2029")]).await;
    empty.expect(303);
    let list = world.get("/v4/name_pages/class-of-2029/participants").await.expect(200);
    assert_eq!(list["participants"], json!([]));
}

#[tokio::test]
async fn an_archived_page_is_read_only_until_it_is_restored() {
    let world = World::new().await;
    let manager = member_with(&world, Role::Manager, &[&world.page]).await;
    let (path, archive) = (path_of(&world, &world.page, ""), path_of(&world, &world.page, "/archive"));
    manager.get(&path).await.expect(200);
    manager.post(&archive, &[("archived", "1")]).await.redirects_to(&format!("{path}?done=archived"));
    assert!(settings_of(&world, &world.page).await.is_archived());
    let shown = manager.get(&path).await.expect(200).body;
    assert!(
        shown.contains("<fieldset class=\"group\" disabled>") && shown.contains("is archived"),
        "{shown}"
    );
    save(&manager, &world, &world.page, "Changed", &[]).await.expect(422);
    manager.post(&archive, &[]).await.redirects_to(&format!("{path}?done=restored"));
    save(&manager, &world, &world.page, "Changed", &[]).await.expect(303);
}

#[tokio::test]
async fn a_page_is_deleted_by_an_admin_who_has_just_signed_in_and_types_its_title() {
    let world = World::new().await;
    let choir = world.page(EVIL).await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": "ana@example.edu" })).await;
    let path = path_of(&world, &choir, "/delete");
    let manager = member_with(&world, Role::Manager, &[&choir]).await;
    manager.get(&path).await.expect(403);
    manager.get(&path_of(&world, &choir, "")).await.expect(200);
    manager.post(&path, &[("typed", EVIL)]).await.expect(403);

    let admin = member_with(&world, Role::Admin, &[]).await;
    let asked = admin.get(&path).await.expect(200).body.replace(['\u{2068}', '\u{2069}'], "");
    assert!(
        asked.contains("People who are deleted with it: 1") && !asked.contains("<script>alert"),
        "{asked}"
    );
    assert!(asked.contains("Recordings that are deleted with it: 0"), "{asked}");
    let wrong = admin.post(&path, &[("typed", "Choir <i>")]).await.expect(422).body;
    assert!(
        wrong.contains("Nothing was deleted.") && wrong.contains("value=\"Choir &#60;i&#62;\""),
        "{wrong}"
    );
    world.advance(Duration::from_secs(700));
    let again = admin.post(&path, &[("typed", EVIL)]).await.expect(303);
    assert!(again.location().starts_with("/sign-in?"), "{}", again.location());
    let stale = admin.get(&path).await.expect(303);
    assert!(stale.location().starts_with("/sign-in?"), "{}", stale.location());

    let admin = member_named(&world, &world.institution, "other@example.edu", Role::Admin, &[]).await;
    admin.get(&path).await.expect(200);
    let gone = console(&world, "/name-pages?done=deleted");
    admin.post(&path, &[("typed", EVIL)]).await.redirects_to(&gone);
    admin.get(&path_of(&world, &choir, "")).await.expect(404);
    assert!(admin.get(&gone).await.expect(200).body.contains("The name page is deleted."));
}

#[tokio::test]
async fn nobody_reaches_the_pages_of_others_by_any_form() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    let there = world.neighbor().await;
    let manager = member_with(&world, Role::Manager, &[&world.page]).await;
    let owner = member_with(&world, Role::Owner, &[]).await;
    let stranger = member_named(&world, &there.institution, "stranger@example.edu", Role::Owner, &[]).await;
    let before = settings_of(&world, &choir).await;
    let get = ["", "/copy"];
    let post = ["", "/copy", "/archive"];
    manager.get(&console(&world, "/name-pages")).await.expect(200);
    owner.get(&console(&world, "/name-pages")).await.expect(200);
    for below in get {
        manager.get(&path_of(&world, &choir, below)).await.expect(404);
        stranger.get(&path_of(&world, &choir, below)).await.expect(404);
        // Of another institution, below one's own console.
        owner.get(&path_of(&world, &there.page, below)).await.expect(404);
    }
    let fields = [("title", "Taken over"), ("archived", "1"), ("typed", "Choir"), ("version", "")];
    for below in post {
        manager.post(&path_of(&world, &choir, below), &fields).await.expect(404);
        owner.post(&path_of(&world, &there.page, below), &fields).await.expect(404);
    }
    owner.get(&path_of(&world, &there.page, "/delete")).await.expect(404);
    owner.post(&path_of(&world, &there.page, "/delete"), &[("typed", "Their page")]).await.expect(404);
    stranger.get("/me").await;
    stranger.post(&path_of(&world, &choir, "/delete"), &[("typed", "Choir")]).await.expect(404);
    assert_eq!(settings_of(&world, &choir).await, before);
    let found = page_settings::find(&world.app, there.institution.id, there.page.id).await.unwrap();
    assert!(!found.is_archived());
    // A visitor is asked to sign in.
    let visitor = Browser::new(&world).get(&console(&world, "/name-pages")).await.expect(303);
    assert!(visitor.location().starts_with("/sign-in?"), "{}", visitor.location());
}

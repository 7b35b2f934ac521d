//! Directory holds (FERPA): of whom the public is told nothing, who hears them all the same, and who says so.

use endonym::{
    app::{
        Actor, audiences, consents, directory_holds,
        own_entry::Owner,
        own_recordings::{self, Maker, Sharing},
        page_exports::Format,
        page_settings, people_merge, tokens,
    },
    domain::{
        audience::Audience,
        audit::Who,
        consent,
        language::Language,
        media::{Incoming, Kind},
        member::Role,
        name_page::NamePage,
        page_settings::Listen,
        session::PersonId,
    },
};
use reqwest::{Method, redirect::Policy};
use serde_json::{Value, json};

use crate::{
    console::{hidden, id_of, member, member_with, set as set_member, signed_in},
    name_pages,
    page_exports::export,
    scim::{Directory, ENDONYM, USER},
    support::{Answer, World, media::wav_of, process::Installation, until},
    v2,
};

const SOUND: &[u8] = include_bytes!("pages/fixtures/sound.mp3");
const ANA: &str = "ana@example.edu";

fn person(world: &World, email: &str) -> PersonId {
    PersonId { institution: world.institution.id, email_key: email.into() }
}

async fn hold(world: &World, held: bool) {
    directory_holds::set(&world.app, &Actor::Operator, person(world, ANA), held).await.unwrap();
}

/// Does each of the person's registrations have a hold?
async fn holds(world: &World, email: &str) -> Vec<bool> {
    let text =
        "SELECT directory_hold FROM participants WHERE institution_id = $1 AND email_key = $2 ORDER BY id";
    let params = [world.institution.id.into(), email.into()];
    world.app.db.read().rows(text, &params, |row| row.bool(0)).await.unwrap()
}

fn path_of(world: &World, link: &Value) -> String {
    link.as_str().unwrap().strip_prefix(&world.base).unwrap().to_owned()
}

/// Somebody without any credential.
async fn status(world: &World, path: &str) -> u16 {
    let client = reqwest::Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
    client.get(format!("{}{path}", world.base)).send().await.unwrap().status().as_u16()
}

async fn text(world: &World, path: &str) -> String {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    client.get(format!("{}{path}", world.base)).send().await.unwrap().text().await.unwrap()
}

async fn get_as(world: &World, token: &str, path: &str) -> Answer {
    // Version 3 has its token in the query.
    let path = match path.starts_with("/v3") {
        true => format!("{path}&auth_token={token}"),
        false => path.to_owned(),
    };
    Answer::of(world.request_as(token, Method::GET, &path)).await
}

async fn token(world: &World, new: tokens::New) -> String {
    let new = tokens::New { name: "test".into(), ..new };
    tokens::create_with(&world.app, &Actor::Operator, world.institution.id, new).await.unwrap().1
}

async fn including(world: &World) -> String {
    token(world, tokens::New { include_held: true, ..tokens::New::default() }).await
}

/// Ana, with a recording and a picture, on a page whose people anybody may hear.
async fn scene() -> (World, Value) {
    let world = World::new().await;
    let listen = page_settings::Change { listen: Some(Listen::Link), ..Default::default() };
    name_pages::set(&world, listen).await;
    let ana = world.person("Ana", ANA).await;
    world.give(&ana, Kind::Recording, SOUND).await;
    world.person("Bo", "bo@example.edu").await;
    (world, ana)
}

#[tokio::test]
async fn the_public_is_told_nothing_and_everything_is_back_when_the_hold_ends() {
    let (world, _) = scene().await;
    let before = world.get(&format!("/v4/participants/{ANA}")).await.expect(200)["participant"].clone();
    let sound = path_of(&world, &before["recording_link"]);
    let badge = path_of(&world, &before["name_badge_link"]);
    let people = format!("/p/{}/people", world.page.slug);
    let public = [sound.clone(), badge.clone(), format!("{badge}.vcf")];
    for path in &public {
        assert_eq!(status(&world, path).await, 200, "{path}");
    }
    assert!(text(&world, &people).await.contains("Ana"));
    hold(&world, true).await;
    for path in &public {
        assert_eq!(status(&world, path).await, 404, "{path}");
    }
    for query in ["", "?q=ana", "?letter=A", "?show=unrecorded"] {
        let listed = text(&world, &format!("{people}{query}")).await;
        assert!(!listed.contains("Ana"), "{query}: {listed}");
    }
    let listed = text(&world, &people).await;
    assert!(listed.contains("Bo") && !listed.contains("letter=A"), "{listed}");
    for format in [Format::Csv, Format::Vcard, Format::Zip] {
        let file = export(&world, format).await.unwrap();
        let found = file.windows(3).any(|part| part == b"Ana");
        assert!(!found, "{format:?}");
    }
    hold(&world, false).await;
    for path in &public {
        assert_eq!(status(&world, path).await, 200, "{path}");
    }
    let after = world.get(&format!("/v4/participants/{ANA}")).await.expect(200)["participant"].clone();
    assert_eq!(after, before);
}

#[tokio::test]
async fn a_token_lists_them_without_a_recording_unless_it_includes_them() {
    let (world, _) = scene().await;
    let sound = {
        let shown = world.get(&format!("/v4/participants/{ANA}")).await.expect(200);
        path_of(&world, &shown["participant"]["recording_link"])
    };
    hold(&world, true).await;
    let with = including(&world).await;
    let code = &world.institution.access_code;
    for path in [
        "/v5/participants".to_owned(),
        format!("/v5/participants?email_list={ANA}"),
        "/v5/participants?updated_after=2020-01-01T00:00:00Z".to_owned(),
        format!("/v5/participants/search?email_list={ANA}"),
        format!("/v5/participants/latest?email_list={ANA}"),
        "/v4/participants".to_owned(),
        format!("/v4/participants/{ANA}"),
        format!("/v4/name_pages/{}/participants", world.page.slug),
        format!("/v3/names?access_code={code}"),
        format!("/v3/names/search?email_list={ANA}"),
        format!("/v3/name?email={ANA}"),
        "/v3/name?first_name=ana".to_owned(),
    ] {
        let without = get_as(&world, &world.token, &path).await.expect(200).to_string();
        assert!(without.contains(ANA) || path.starts_with("/v3"), "they are there: {path}");
        assert!(!without.contains("/audio/"), "{path}: {without}");
        let including = get_as(&world, &with, &path).await.expect(200).to_string();
        assert!(including.contains("/audio/"), "{path}: {including}");
    }
    // The link alone is not enough, whoever gave it.
    assert_eq!(status(&world, &sound).await, 404);
    let fetched = async |token: &str| {
        let request = world.client.get(format!("{}{sound}", world.base)).header("Authorization", token);
        request.send().await.unwrap()
    };
    assert_eq!(fetched(&world.token).await.status(), 404);
    let heard = fetched(&with).await;
    assert_eq!(
        (heard.status().as_u16(), &heard.headers()["cache-control"]),
        (200, &"private, no-store".parse().unwrap())
    );
    let limited = tokens::New {
        include_held: true,
        pages: Some(vec![world.page("Choir").await]),
        ..Default::default()
    };
    let limited = token(&world, limited).await;
    assert_eq!(fetched(&limited).await.status(), 404, "it does not reach the page");
}

#[tokio::test]
async fn only_those_hear_them_who_run_the_page_or_listen_for_it() {
    let (world, _) = scene().await;
    let choir = world.page("Choir").await;
    let shown = world.get(&format!("/v4/participants/{ANA}")).await.expect(200);
    let sound = path_of(&world, &shown["participant"]["recording_link"]);
    hold(&world, true).await;
    let people = format!("/p/{}/people", world.page.slug);
    for (role, page, hears) in [
        (Role::Owner, None, true),
        (Role::Admin, None, true),
        (Role::Manager, Some(&world.page), true),
        (Role::Reader, Some(&world.page), true),
        (Role::Manager, Some(&choir), false),
        (Role::Reader, Some(&choir), false),
    ] {
        let pages: Vec<&NamePage> = page.into_iter().collect();
        let browser = member_with(&world, role, &pages).await;
        let listed = browser.get(&people).await.expect(200).body;
        assert_eq!(listed.contains(&sound), hears, "{role:?}: {listed}");
        let (status, headers, bytes) = browser.file(&sound, &[]).await;
        assert_eq!(status, if hears { 200 } else { 404 }, "{role:?}");
        if hears {
            assert_eq!(
                (bytes.as_slice(), &headers["cache-control"]),
                (SOUND, &"private, no-store".parse().unwrap())
            );
        }
        // Nobody keeps it for the others.
        assert_eq!(self::status(&world, &sound).await, 404, "after {role:?}");
    }
    let classmate = signed_in(&world, &world.institution, "bo@example.edu").await;
    assert!(!classmate.get(&people).await.expect(200).body.contains("Ana"));
    assert_eq!(classmate.file(&sound, &[]).await.0, 404);
    let ana = signed_in(&world, &world.institution, ANA).await;
    let own = ana.get("/me").await.expect(200).body;
    assert!(own.contains("directory hold") && own.contains(&sound), "{own}");
    assert_eq!(ana.file(&sound, &[]).await.0, 200, "they hear themselves");
    // A pause is stronger.
    audiences::choose(&world.app, &Actor::Operator, person(&world, ANA), Audience::Paused).await.unwrap();
    let owner = signed_in(&world, &world.institution, "owner@example.example").await;
    assert_eq!(owner.file(&sound, &[]).await.0, 404);
    hold(&world, false).await;
    assert_eq!(self::status(&world, &sound).await, 404, "still paused");
    hold(&world, true).await;
    audiences::choose(&world.app, &Actor::Operator, person(&world, ANA), Audience::Public).await.unwrap();
    assert_eq!(self::status(&world, &sound).await, 404, "still held");
    assert_eq!(owner.file(&sound, &[]).await.0, 200);
}

#[tokio::test]
async fn a_hold_is_of_the_person_on_all_pages_and_comes_along() {
    let (world, _) = scene().await;
    let choir = world.page("Choir").await;
    let participant = id_of(&world, ANA).await;
    hold(&world, true).await;
    let new = world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    assert_eq!((holds(&world, ANA).await, &new["recording_link"]), (vec![true, true], &Value::Null));
    // What they record from now on is heard by as few.
    let (app, institution) = (&world.app, world.institution.id);
    let owner = Owner { institution, participant };
    consents::agree_as_owner(app, owner, owner.in_lti(), consent::BUILT_IN, Language::English).await.unwrap();
    let (sound, here) = (Incoming::Bytes(wav_of(1.0, 440.0)), (institution, participant));
    own_recordings::record(app, here, Who::SYSTEM, sound, Sharing::All, Maker::Owner).await.unwrap();
    let listed = world.get("/v4/participants").await.expect(200).to_string();
    assert!(!listed.contains("/audio/"), "{listed}");
    let with = including(&world).await;
    let links: Vec<String> = get_as(&world, &with, &format!("/v5/participants?email_list={ANA}"))
        .await
        .expect(200)["Response"]["participants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| path_of(&world, &one["recording_link"]))
        .collect();
    assert_eq!(links.len(), 2);
    for link in links {
        assert_eq!(status(&world, &link).await, 404, "{link}");
    }
    // A create that says it gives it to those who were there before.
    world.person("Cy", "cy@example.edu").await;
    world
        .person_on(&choir, json!({ "first_name": "Cy", "email": "cy@example.edu", "directory_hold": true }))
        .await;
    assert_eq!(holds(&world, "cy@example.edu").await, [true, true]);
}

#[tokio::test]
async fn it_is_read_like_other_booleans_and_what_is_blank_says_nothing() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let update = async |value: Value| {
        let body = json!({ "name_page_id": world.page.slug, "participant": { "directory_hold": value } });
        world.put(&format!("/v5/participants/{ANA}"), body).await
    };
    for (value, held) in [
        (json!(true), true),
        (json!(null), true),
        (json!(""), true),
        (json!(false), false),
        (json!("TRUE"), true),
        (json!("no"), false),
        (json!(1), true),
        (json!("0"), false),
    ] {
        let changed = update(value.clone()).await.expect(200);
        assert!(!changed.to_string().contains("directory_hold"), "{changed}");
        assert_eq!(holds(&world, ANA).await, [held], "{value}");
    }
    for wrong in [json!("maybe"), json!(2), json!([true]), json!({ "a": 1 })] {
        let refused = update(wrong.clone()).await.expect(422);
        assert_eq!(refused["errors"]["directory_hold"], json!(["is invalid"]), "{wrong}");
    }
    for (nth, (version, path)) in [
        ("5", "/v5/participants".to_owned()),
        ("4", format!("/v4/name_pages/{}/participants", world.page.slug)),
    ]
    .into_iter()
    .enumerate()
    {
        let make = async |email: &str, value: Value| {
            let person = json!({ "first_name": "X", "email": email, "directory_hold": value });
            world.post(&path, json!({ "name_page_id": world.page.slug, "participant": person })).await
        };
        let email = format!("x{nth}@example.edu");
        make(&email, json!(true)).await.expect(201);
        assert_eq!(holds(&world, &email).await, [true], "version {version}");
        let refused = make("y@example.edu", json!("perhaps")).await;
        assert!(
            refused.status.is_client_error() && refused.body.to_string().contains("directory_hold"),
            "{}",
            refused.body
        );
    }
    // Who reaches only some of the pages gives a hold, and cannot end it for the others.
    let choir = world.page("Choir").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    let limited = token(&world, tokens::New { pages: Some(vec![choir.clone()]), ..Default::default() }).await;
    let put = async |held: bool| {
        let body = json!({ "name_page_id": choir.slug, "participant": { "directory_hold": held } });
        Answer::of(world.request_as(&limited, Method::PUT, &format!("/v5/participants/{ANA}")).json(&body))
            .await
    };
    put(false).await.expect(200);
    put(true).await.expect(200);
    assert_eq!(holds(&world, ANA).await, [true, true]);
    let refused = put(false).await.expect(422);
    assert!(refused["errors"]["directory_hold"].to_string().contains("other name pages"), "{refused}");
}

#[tokio::test]
async fn a_column_of_a_file_gives_and_ends_holds() {
    let (here, _) = Installation::with_token().await;
    let import = |value: &str| {
        let file = format!("Email,First name,FERPA\n{ANA},Ana,{value}\nnew{value}@example.edu,New,{value}\n");
        here.write("people.csv", file);
        here.run(&["import", "--institution", "example", "--name-page", "class", "people.csv", "--json"])
    };
    let holds = async |email: &str| {
        let db = here.database().await;
        let text = "SELECT directory_hold FROM participants WHERE email_key = $1 ORDER BY id";
        db.read().rows(text, &[email.into()], |row| row.bool(0)).await.unwrap()
    };
    for (value, held) in [("yes", true), ("", true), ("No", false), ("x", true)] {
        import(value);
        assert_eq!(holds(ANA).await, [held], "`{value}`");
    }
    assert_eq!(holds("newyes@example.edu").await, [true]);
    assert_eq!(holds("newno@example.edu").await, [false]);
    let wrong = import("perhaps");
    assert!(wrong.code > 0 && wrong.stdout.contains("directory_hold is invalid"), "{wrong:?}");
    // The row is refused: it is not for this page alone.
    here.succeed(&["name-page", "create", "--institution", "example", "--title", "Choir"]);
    here.write("choir.csv", format!("email,first_name\n{ANA},Ana\n"));
    here.succeed(&["import", "--institution", "example", "--name-page", "choir", "choir.csv"]);
    let refused = import("no");
    assert!(refused.code > 0 && refused.stdout.contains("other name pages"), "{refused:?}");
    assert_eq!(holds(ANA).await, [true, true]);
    // The command is for the whole institution.
    let update = ["person", "update", ANA, "--institution", "example"];
    let said = here.succeed(&[&update[..], &["--directory-hold", "false"]].concat());
    assert!(said.contains("has no directory hold now"), "{said}");
    assert_eq!(holds(ANA).await, [false, false]);
    let said = here
        .json(&[&update[..], &["--directory-hold", "true", "--audience", "institution", "--json"]].concat());
    assert_eq!((&said["directory_hold"], &said["audience"]), (&json!(true), &json!("institution")));
    assert!(here.refuse(&update).contains("--audience"));
    assert!(here.refuse(&[&update[..], &["--directory-hold", "maybe"]].concat()).contains("false"));
}

#[tokio::test]
async fn a_directory_says_it_for_all_registrations_and_those_to_come() {
    let (world, _) = scene().await;
    let directory = Directory::new(&world).await;
    let user = json!({
        "schemas": [USER, ENDONYM], "userName": ANA, "name": { "givenName": "Ana" },
        ENDONYM: { "directoryHold": true, "recorded": true },
    });
    let made = directory.post("/Users", user).await.expect(201);
    let path = format!("/Users/{}", made["id"].as_str().unwrap());
    assert_eq!((holds(&world, ANA).await, &made[ENDONYM]["directoryHold"]), (vec![true], &json!(true)));
    assert_eq!(made[ENDONYM]["recorded"], json!(false), "nothing is told of the recording");
    let found =
        directory.get(&format!("/Users?filter={ENDONYM}:directoryHold%20eq%20true")).await.expect(200);
    assert_eq!(found["totalResults"], 1, "{found}");
    // What is not said changes nothing.
    directory.put(&path, json!({ "schemas": [USER], "userName": ANA })).await.expect(200);
    directory
        .patch(&path, json!([{ "op": "remove", "path": format!("{ENDONYM}:directoryHold") }]))
        .await
        .expect(200);
    assert_eq!(holds(&world, ANA).await, [true]);
    let choir = world.page("Choir").await;
    let group = directory.group("Choir", &[made["id"].as_str().unwrap()]).await;
    directory.map_to(&group, &choir).await;
    assert_eq!(holds(&world, ANA).await, [true, true]);
    // Another email takes it along.
    directory
        .patch(&path, json!([{ "op": "replace", "path": "userName", "value": "lima@example.edu" }]))
        .await
        .expect(200);
    assert_eq!(holds(&world, "lima@example.edu").await, [true]);
    let end = json!([{ "op": "replace", "path": format!("{ENDONYM}:directoryHold"), "value": "False" }]);
    let ended = directory.patch(&path, end).await.expect(200);
    assert_eq!(
        (holds(&world, "lima@example.edu").await, &ended[ENDONYM]["directoryHold"]),
        (vec![false], &json!(false))
    );
}

#[tokio::test]
async fn the_console_shows_it_and_a_form_changes_it() {
    let (world, _) = scene().await;
    let owner = member(&world, Role::Owner).await;
    let path = format!("/console/example/people/{}", id_of(&world, ANA).await);
    let form = owner.get(&format!("{path}/edit")).await.expect(200).body;
    let version = hidden(&form, "version").to_owned();
    let sent = [
        ("version", version.as_str()),
        ("first_name", "Ana"),
        ("was_first_name", "Ana"),
        ("was_directory_hold", "false"),
        ("directory_hold", "true"),
    ];
    owner.post(&format!("{path}/edit"), &sent).await.expect(303);
    assert_eq!(holds(&world, ANA).await, [true]);
    let shown = owner.get(&path).await.expect(200).body;
    assert!(shown.contains("Directory hold") && shown.contains("/audio/"), "{shown}");
    assert!(owner.get("/console/example/people").await.expect(200).body.contains("Directory hold"));
    // Sent again unchanged, an outdated form leaves it.
    let form = owner.get(&format!("{path}/edit")).await.expect(200).body;
    let version = hidden(&form, "version").to_owned();
    let same = [
        ("version", version.as_str()),
        ("first_name", "Anna"),
        ("was_directory_hold", "true"),
        ("directory_hold", "true"),
    ];
    owner.post(&format!("{path}/edit"), &same).await.expect(303);
    assert_eq!(holds(&world, ANA).await, [true]);
    // A manager of one page does not end it for another.
    let choir = world.page("Choir").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    set_member(&world, &world.institution, "max@example.edu", Role::Manager, &[&world.page]).await;
    let manager = signed_in(&world, &world.institution, "max@example.edu").await;
    let form = manager.get(&format!("{path}/edit")).await.expect(200).body;
    let version = hidden(&form, "version").to_owned();
    let end = [
        ("version", version.as_str()),
        ("first_name", "Anna"),
        ("was_directory_hold", "true"),
        ("directory_hold", "false"),
    ];
    let refused = manager.post(&format!("{path}/edit"), &end).await.expect(422).body;
    assert!(refused.contains("id=\"directory_hold-fault\""), "{refused}");
    assert_eq!(holds(&world, ANA).await, [true, true]);
}

/// The path of a finished export, and what is in it.
async fn reported(world: &World, token: &str) -> (String, String) {
    let body = json!({ "export": { "created_after": "2020-01-01T00:00:00Z" } });
    let made = Answer::of(world.request_as(token, Method::POST, "/v4/exports").json(&body)).await.expect(202);
    let path = format!("/v4/exports/{}", made["export"]["id"].as_str().unwrap());
    let done = async || get_as(world, token, &path).await.expect(200);
    until("the export is completed", async || done().await["export"]["state"] == "completed").await;
    let report = done().await.to_string();
    (path, report)
}

#[tokio::test]
async fn reports_follow_the_right_of_the_token_that_asked_for_them() {
    let (world, _) = scene().await;
    world.work(1);
    let with = including(&world).await;
    let old = reported(&world, &world.token).await;
    assert!(old.1.contains("/audio/"), "{}", old.1);
    hold(&world, true).await;
    let kept = get_as(&world, &world.token, &old.0).await.expect(200).to_string();
    assert!(!kept.contains("/audio/"), "{kept}");
    let new = reported(&world, &world.token).await;
    assert!(new.1.contains(ANA) && !new.1.contains("/audio/"), "{}", new.1);
    let full = reported(&world, &with).await;
    assert!(full.1.contains("/audio/"), "{}", full.1);
    get_as(&world, &world.token, &full.0).await.expect(403);
    get_as(&world, &with, &new.0).await.expect(200);
}

#[tokio::test]
async fn version_2_does_not_know_them_nor_do_players() {
    let (world, _) = scene().await;
    v2::open(&world, &world.page).await;
    let code = &world.page.access_code;
    let names = async |query: &str| {
        let path = format!("/v2/names?access_code={code}{query}");
        Answer::of(world.request_without_token(Method::GET, &path)).await.expect(200)["data"].clone()
    };
    assert_eq!(names("").await.as_array().unwrap().len(), 2);
    let with = including(&world).await;
    let shown = async |token: &str| {
        let path = format!("/v4/participants/{ANA}?include=embeddables");
        get_as(&world, token, &path).await.expect(200)["participant"].clone()
    };
    let iframe = shown(&world.token).await["embed_iframe"].as_str().unwrap().to_owned();
    let (_, rest) = iframe.split_once(&world.base).unwrap();
    let player = rest.split(['"', '?']).next().unwrap().to_owned();
    assert_eq!(status(&world, &player).await, 200, "{iframe}");
    hold(&world, true).await;
    assert_eq!(names("").await.as_array().unwrap().len(), 1);
    assert_eq!(names(&format!("&email={ANA}")).await, json!([]));
    assert_eq!(status(&world, &player).await, 404);
    assert_eq!(shown(&world.token).await["embed_image"], Value::Null);
    assert!(shown(&with).await["recording_link"].is_string());
}

#[tokio::test]
async fn of_two_entries_that_are_merged_the_hold_stays() {
    let (world, _) = scene().await;
    let kept = world.person("Anna", "anna@example.edu").await;
    assert_eq!(kept["recording_link"], Value::Null);
    hold(&world, true).await;
    let (app, operator, institution) = (&world.app, &Actor::Operator, world.institution.id);
    let ids = (id_of(&world, "anna@example.edu").await, id_of(&world, ANA).await);
    let seen = people_merge::preview(app, operator, institution, ids).await.unwrap();
    people_merge::merge(app, operator, institution, ids, seen.versions).await.unwrap();
    assert_eq!(holds(&world, "anna@example.edu").await, [true]);
    let listed = world.get("/v4/participants").await.expect(200).to_string();
    assert!(!listed.contains("/audio/"), "{listed}");
    let with = including(&world).await;
    let shown = get_as(&world, &with, "/v4/participants/anna@example.edu").await.expect(200);
    assert!(shown["participant"]["recording_link"].is_string(), "{shown}");
}

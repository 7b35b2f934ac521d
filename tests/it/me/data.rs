//! A copy of everything, and deleting everything.

use std::{
    io::{Cursor, Read},
    time::Duration,
};

use endonym::{
    app::{Actor, consents, institutions, looks, persons},
    domain::{language::Language, media::Kind, session::PersonId},
};
use futures_util::future::join_all;
use reqwest::{Method, header};
use serde_json::{Value, json};
use zip::ZipArchive;

use super::{
    Browser,
    own::{ANA, ana, new_here, parsed, person, signed_in, world},
};
use crate::support::{
    Answer, Setup, World,
    database::execute,
    media::{files, wav},
    proxy::Proxy,
    s3::S3Server,
    until,
};

/// The archive of somebody who is signed in: its names and its JSON.
async fn copy(world: &World, browser: &Browser<'_>) -> (Vec<String>, Value) {
    let cookie = format!("endonym={}", browser.cookie("endonym").unwrap());
    let request = world.client.get(format!("{}/me/copy", world.base)).header(header::COOKIE, cookie);
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    for (name, value) in [
        ("content-type", "application/zip"),
        ("content-disposition", "attachment; filename=\"my-name.zip\""),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(answer.headers()[name], value);
    }
    let mut archive = ZipArchive::new(Cursor::new(answer.bytes().await.unwrap())).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    for name in &names {
        let mut bytes = Vec::new();
        archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        assert!(!bytes.is_empty(), "{name}");
    }
    let mut text = String::new();
    archive.by_name("person.json").unwrap().read_to_string(&mut text).unwrap();
    (names, serde_json::from_str(&text).unwrap())
}

#[tokio::test]
async fn a_copy_has_everything_and_no_secrets() {
    let world = World::new().await;
    let made = world.person("Ana", ANA).await;
    let (app, id) = (&world.app, world.institution.id);
    consents::set(app, &Actor::Operator, id, Language::English, "We record you.").await.unwrap();
    let agreed = consents::agree(app, &Actor::Operator, &person(&world, ANA), "1", Language::English).await;
    assert!(agreed.unwrap());
    let browser = new_here(&world, id, ANA).await;
    browser.take(&wav(1.0), "").await.expect(201);
    world.give(&made, Kind::Photo, b"a face").await;
    let (mut names, about) = copy(&world, &browser).await;
    names.sort();
    let kinds: Vec<&str> = names.iter().map(|name| name.split('_').next().unwrap()).collect();
    let expected =
        ["originals/original", "person.json", "photos/photo", "photos/photo", "recordings/recording"];
    assert_eq!(kinds, expected);
    assert_eq!((&about["email"], &about["audience"]), (&json!(ANA), &json!("public")));
    assert_eq!(about["person"]["consents"][0]["version"], "1");
    assert_eq!(
        about["consent_texts"],
        json!([{ "version": "1", "language": "en", "text": "We record you." }])
    );
    assert_eq!(about["person"]["sessions"][0]["how"], "link");
    let secret = browser.cookie("endonym").unwrap();
    let text = about.to_string();
    assert!(!text.contains("digest") && !text.contains(&secret), "{text}");
}

#[tokio::test]
async fn only_the_person_gets_the_copy() {
    let world = world().await;
    world.person("Bea", "bea@example.edu").await;
    Browser::new(&world).get("/me/copy").await.redirects_to("/sign-in?return_to=%2Fme%2Fcopy");
    Browser::new(&world).get("/me/delete").await.redirects_to("/sign-in?return_to=%2Fme%2Fdelete");
    let bea = new_here(&world, world.institution.id, "bea@example.edu").await;
    let (_, about) = copy(&world, &bea).await;
    assert!(!about.to_string().contains(ANA), "{about}");
    let there = world.neighbor().await;
    let strangers = [
        Actor::Person(person(&world, "bea@example.edu")),
        Actor::Person(PersonId { institution: there.institution.id, email_key: ANA.to_owned() }),
    ];
    for stranger in &strangers {
        let (app, id) = (&world.app, world.institution.id);
        assert!(persons::export(app, stranger, &world.institution, ANA.into()).await.is_err());
        assert!(persons::erase(app, stranger, id, ANA.into(), persons::Rewrite::Now).await.is_err());
    }
}

#[tokio::test]
async fn a_device_that_scanned_a_code_neither_copies_nor_deletes() {
    let world = world().await;
    let browser = ana(&world).await;
    let made = parsed(&browser.ask_as_script("/me/handover").await.expect(201));
    let phone = Browser::new(&world);
    phone.follow(made["link"].as_str().unwrap()).await.redirects_to("/me");
    let page = phone.get("/me").await.expect(200).body;
    assert!(!page.contains("/me/copy") && !page.contains("/me/delete"), "{page}");
    for path in ["/me/copy", "/me/delete"] {
        let page = phone.get(path).await.expect(403).body;
        assert!(page.contains("sign in with your email"), "{page}");
    }
    phone.get("/me").await.expect(200);
    phone.post("/me/delete", &[]).await.expect(403);
    assert!(browser.get("/me").await.expect(200).body.contains("/me/copy"));
}

#[tokio::test]
async fn a_device_that_scanned_a_code_records_and_changes_nothing_else() {
    let world = world().await;
    let browser = ana(&world).await;
    browser.take(&wav(1.0), "").await.expect(201);
    let made = parsed(&browser.ask_as_script("/me/handover").await.expect(201));
    let phone = Browser::new(&world);
    phone.follow(made["link"].as_str().unwrap()).await.redirects_to("/me");
    let forms = [
        "/me/audience",
        "/me/call",
        "/me/search-engines",
        "/me/consent/withdraw",
        "/me/recording/delete",
        "/me/legal-name/recording/delete",
        "/me/photo/delete",
        "/me/photo",
        "/me/details",
    ];
    let page = phone.get("/me").await.expect(200).body;
    for path in forms {
        assert!(!page.contains(&format!("action=\"{path}\"")), "{path} in {page}");
    }
    assert!(page.contains("<audio") && page.contains("data-recorder") && page.contains("You agreed on"));
    assert!(!page.contains("name=\"everywhere\""), "{page}");
    for path in forms.into_iter().filter(|path| *path != "/me/photo") {
        let fields = [
            ("audience", "paused"),
            ("listed", "1"),
            ("then", "delete"),
            ("page", world.page.slug.as_str()),
            ("notes", "x"),
            ("phone_number", "+12025550123"),
        ];
        // Without `page`, a recording would be deleted everywhere.
        let fields = if path == "/me/recording/delete" { &fields[..0] } else { &fields[..] };
        let page = phone.post(path, fields).await.expect(403).body;
        assert!(page.contains("This device can only record"), "{path}: {page}");
    }
    let csrf = phone.csrf();
    let page = phone.post_file("/me/photo", ("photo", b"x"), &[("csrf", &csrf)], &[]).await.expect(403).body;
    assert!(page.contains("This device can only record"), "{page}");
    let page = browser.get("/me").await.expect(200).body;
    assert!(page.contains("<audio") && page.contains("action=\"/me/recording/delete\""), "{page}");
    assert!(page.contains("value=\"public\"") && !page.contains("nobody can hear it for now"), "{page}");
    phone.take(&wav(1.2), "").await.expect(201);
    // It signs out nobody else.
    phone.post("/sign-out", &[("everywhere", "1")]).await.redirects_to("/sign-in?institution=example");
    phone.get("/me").await.redirects_to("/sign-in?return_to=%2Fme");
    browser.get("/me").await.expect(200);
}

#[tokio::test]
async fn signing_out_everywhere_is_a_button() {
    let world = world().await;
    let (browser, other) = (ana(&world).await, ana(&world).await);
    let page = browser.get("/me").await.expect(200).body;
    let button = "<button class=\"quiet\" name=\"everywhere\" value=\"1\">Sign out on all devices</button>";
    assert!(page.contains(button), "{page}");
    let sign_in = format!("/sign-in?institution={}", world.institution.slug);
    browser.post("/sign-out", &[("everywhere", "1")]).await.redirects_to(&sign_in);
    other.get("/me").await.redirects_to("/sign-in?return_to=%2Fme");
}

/// `VACUUM` changes the version of the schema, and would stop everybody's writes.
#[tokio::test]
async fn only_the_operator_has_the_database_rewritten() {
    let world = World::on_sqlite().await;
    world.person("Ana", ANA).await;
    let version = async || {
        let read = world.app.db.read().one("PRAGMA schema_version", &[], |row| row.int(0)).await;
        read.unwrap().unwrap()
    };
    let before = version().await;
    ana(&world).await.post("/me/delete", &[]).await.expect(200);
    assert_eq!(version().await, before);
    world.person("Ana", ANA).await;
    let (operator, now) = (Actor::Operator, persons::Rewrite::Now);
    persons::erase(&world.app, &operator, world.institution.id, ANA.into(), now).await.unwrap();
    assert_ne!(version().await, before);
}

#[tokio::test]
async fn what_is_still_being_deleted_is_said() {
    for is_broken in [false, true] {
        let world = world().await;
        let browser = ana(&world).await;
        let export = json!({ "export": { "name_page_id": world.page.slug } });
        world.post("/v4/exports", export).await.expect(202);
        execute(&world.app.db, "UPDATE exports SET state = 'in_progress'", vec![]).await;
        if is_broken {
            // Nothing that is done after the commit makes the deletion a failure.
            execute(&world.app.db, "ALTER TABLE export_parts RENAME TO lost_parts", vec![]).await;
        }
        let page = browser.post("/me/delete", &[]).await.expect(200).body;
        assert!(page.contains("Your data is being deleted") && page.contains("signed out"), "{page}");
        assert!(!page.contains("Nothing about you is stored"), "{page}");
        browser.get("/me").await.redirects_to("/sign-in?return_to=%2Fme");
    }
}

/// Nobody waits for an S3 server that hangs, and nobody is told that everything is gone.
#[tokio::test]
async fn files_on_s3_are_deleted_after_the_answer() {
    let server = S3Server::new().await;
    let proxy = Proxy::start(server.address).await;
    let (blobs_url, blobs_timeout) = (Some(server.url_through(&proxy.base)), Duration::from_secs(600));
    let world = World::with(Setup { blobs_url, blobs_timeout, ..Setup::default() }).await;
    world.person("Ana", ANA).await;
    let browser = ana(&world).await;
    browser.take(&wav(1.0), "").await.expect(201);
    assert!(!files(&server.bucket()).is_empty());
    proxy.freeze();
    let page = browser.post("/me/delete", &[]).await.expect(200).body;
    assert!(page.contains("Your data is being deleted"), "{page}");
    assert!(!files(&server.bucket()).is_empty(), "S3 hangs");
    proxy.thaw();
    until("their files are removed", || async { files(&server.bucket()).is_empty() }).await;
}

#[tokio::test]
async fn everything_is_deleted_and_everybody_else_stays() {
    let world = world().await;
    let choir = world.page("Choir & Band").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    world.person("Bea", "bea@example.edu").await;
    let there = world.neighbor().await;
    let body =
        json!({ "name_page_id": there.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    let request = world.request_as(&there.token, Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
    let elsewhere = signed_in(&world, there.institution.id, ANA).await;
    let (browser, second) = (ana(&world).await, ana(&world).await);
    browser.post("/me/audience", &[("audience", "institution")]).await.redirects_to("/me?done=audience");
    browser.post("/me/audience", &[("audience", "public")]).await.redirects_to("/me?done=audience");
    let answer = browser.take(&wav(1.0), "").await.expect(201);
    let link = parsed(&answer)["recording"]["link"].as_str().unwrap().to_owned();

    let page = browser.get("/me/delete").await.expect(200).body;
    for text in
        ["Delete everything about me", "Choir &#38; Band", &world.page.title, "course is synchronized"]
    {
        assert!(page.contains(text), "{text} in {page}");
    }
    browser.get(&link).await.expect(200);
    let page = browser.post("/me/delete", &[]).await.expect(200).body;
    assert!(page.contains("Everything is deleted") && page.contains("Nothing about you is stored"), "{page}");
    assert_eq!(browser.cookie("endonym"), None);
    browser.get(&link).await.expect(404);
    second.get("/me").await.redirects_to("/sign-in?return_to=%2Fme");
    for table in ["participants", "sessions", "persons", "consents", "media"] {
        let column = if table == "media" { "participant_id" } else { "institution_id" };
        let text = format!(
            "SELECT COUNT({column}) FROM {table} WHERE institution_id = {}{}",
            world.institution.id,
            if table == "participants" { " AND email_key <> 'bea@example.edu'" } else { "" }
        );
        let left = world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap();
        assert_eq!(left, Some(0), "{table}");
    }
    elsewhere.get("/me").await.expect(200);
    new_here(&world, world.institution.id, "bea@example.edu").await.get("/me").await.expect(200);
}

#[tokio::test]
async fn the_page_that_asks_has_the_look_of_the_institution() {
    let world = world().await;
    let look = looks::Change { accent: Some(Some("#7a1f3d".to_owned())), ..Default::default() };
    let change = institutions::Change { look, ..Default::default() };
    institutions::update(&world.app, &Actor::Operator, &world.institution.slug, change).await.unwrap();
    let browser = ana(&world).await;
    let styles = async |path: &str| {
        let page = browser.get(path).await.expect(200).body;
        page.lines().filter(|line| line.contains("rel=\"stylesheet\"")).map(str::to_owned).collect::<Vec<_>>()
    };
    let own = styles("/me").await;
    assert_eq!(own.len(), 2, "ours and the institution's: {own:?}");
    assert_eq!(styles("/me/delete").await, own);
}

#[tokio::test]
async fn deleting_twice_at_once_ends_signed_out() {
    let world = world().await;
    let (one, two) = (ana(&world).await, ana(&world).await);
    let answers = join_all([one.post("/me/delete", &[]), two.post("/me/delete", &[])]).await;
    let statuses: Vec<u16> = answers.iter().map(|seen| seen.status.as_u16()).collect();
    assert!(statuses.contains(&200), "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 303, 410].contains(status)), "{statuses:?}");
    for browser in [one, two] {
        browser.get("/me").await.redirects_to("/sign-in?return_to=%2Fme");
    }
}

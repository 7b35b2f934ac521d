//! Links of replaced recordings: clients store links.

use endonym::app::Actor;
use reqwest::{Client, Method, Response, redirect::Policy};
use serde_json::{Value, json};

use crate::support::{
    Setup, World,
    media::{file, files, png, wav, wav_of},
};

async fn create(world: &World, more: Value) -> Value {
    let mut ana = json!({ "first_name": "Ana", "email": "ana@x.org" });
    ana.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.person_on(&world.page, ana).await
}

async fn update(world: &World, participant: Value) -> Value {
    let body = json!({ "name_page_id": world.page.slug, "participant": participant });
    world.put("/v5/participants/ana@x.org", body).await.expect(200)["participant"].clone()
}

/// Without following redirects.
async fn ask(method: Method, link: &Value, headers: &[(&str, &str)]) -> Response {
    let client = Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
    let request = client.request(method, link.as_str().unwrap());
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    request.send().await.unwrap()
}

async fn status(link: &Value) -> u16 {
    ask(Method::GET, link, &[]).await.status().as_u16()
}

async fn count(world: &World) -> i64 {
    let text = "SELECT COUNT(*) FROM replaced_recordings";
    world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn the_link_of_a_replaced_recording_redirects_to_the_current_one_however_often_it_was_replaced() {
    let world = World::new().await;
    let first = create(&world, json!({ "pronunciation": file(wav(1.0)), "avatar": file(png()) })).await;
    let mut links = vec![first["recording_link"].clone()];
    for hertz in [150.0, 160.0, 170.0] {
        let changed = json!({ "pronunciation": file(wav_of(1.0, hertz)), "avatar": file(png()) });
        links.push(update(&world, changed).await["recording_link"].clone());
    }
    let current = links.pop().unwrap();
    for link in &links {
        for method in [Method::GET, Method::HEAD] {
            let asked = [("Range", "bytes=0-9"), ("Origin", "https://directory.example.edu")];
            let answer = ask(method, link, &asked).await;
            assert_eq!(answer.status(), 302);
            let header = |name: &str| answer.headers()[name].to_str().unwrap();
            assert_eq!(header("location"), current, "straight to the current one");
            assert_eq!(header("cache-control"), "no-store");
            assert_eq!(header("access-control-allow-origin"), "*");
            assert_eq!(header("cross-origin-resource-policy"), "cross-origin");
            assert!(answer.headers().get("etag").is_none());
            assert_eq!(answer.bytes().await.unwrap(), "");
        }
        let old = json!(format!("{}?digest=abc", link.as_str().unwrap()));
        assert_eq!(ask(Method::GET, &old, &[]).await.headers()["location"].to_str().unwrap(), current);
    }
    assert_eq!(status(&current).await, 200);
    let recordings = files(&world.folder.path().join("blobs/recordings"));
    assert_eq!(recordings.len(), 1, "the audio of the others is removed: {recordings:?}");
    assert_eq!(status(&first["photo"]).await, 404, "a picture is not a recording");
    // A replaced recording cannot be deleted: it is no longer theirs.
    let old = first["recording_id"].as_str().unwrap();
    world.delete(&format!("/v5/participants/ana@x.org/pronunciations/{old}"), json!({})).await.expect(404);
}

#[tokio::test]
async fn a_replaced_recording_leads_to_one_of_the_same_kind() {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    let both = json!({ "pronunciation": file(wav(1.0)), "legal_pronunciation": file(wav(1.1)) });
    let first = create(&world, both.clone()).await;
    let second = update(&world, both).await;
    for key in ["recording_link", "legal_recording_url"] {
        let answer = ask(Method::GET, &first[key], &[]).await;
        assert_eq!(answer.headers()["location"].to_str().unwrap(), second[key], "{key}");
    }
    let id = second["legal_recording_id"].as_str().unwrap();
    world.delete(&format!("/v5/participants/ana@x.org/pronunciations/{id}"), json!({})).await.expect(200);
    assert_eq!(status(&first["legal_recording_url"]).await, 404, "the legal one is deleted");
    assert_eq!(status(&first["recording_link"]).await, 302, "and the other is not");
}

#[tokio::test]
async fn a_deleted_recording_takes_the_links_before_it_along_for_good() {
    let world = World::new().await;
    let first = create(&world, json!({ "pronunciation": file(wav(1.0)) })).await;
    let second = update(&world, json!({ "pronunciation": file(wav(1.1)) })).await;
    let id = second["recording_id"].as_str().unwrap();
    world.delete(&format!("/v5/participants/ana@x.org/pronunciations/{id}"), json!({})).await.expect(200);
    for old in [&first, &second] {
        assert_eq!(status(&old["recording_link"]).await, 404);
    }
    let third = update(&world, json!({ "pronunciation": file(wav(1.2)) })).await;
    assert_eq!(status(&third["recording_link"]).await, 200);
    for old in [&first, &second] {
        assert_eq!(status(&old["recording_link"]).await, 404, "what was deleted never comes back");
    }
}

#[tokio::test]
async fn a_replaced_recording_of_somebody_who_is_gone_or_elsewhere_is_not_found() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let first = create(&world, json!({ "pronunciation": file(wav(1.0)) })).await;
    update(&world, json!({ "pronunciation": file(wav(1.1)) })).await;
    let (ours, theirs) = (world.institution.id.to_string(), neighbor.institution.id.to_string());
    let elsewhere = json!(first["recording_link"].as_str().unwrap().replace(&ours, &theirs));
    assert_eq!((status(&first["recording_link"]).await, status(&elsewhere).await), (302, 404));
    let as_photo = json!(
        first["recording_link"]
            .as_str()
            .unwrap()
            .replace("/audio/", "/photos/")
            .replace("recording_", "photo_")
            .replace(".mp3", ".jpg")
    );
    assert_eq!(status(&as_photo).await, 404);
    world.delete("/v5/participants/ana@x.org", json!({ "name_page_id": world.page.slug })).await.expect(200);
    assert_eq!((status(&first["recording_link"]).await, count(&world).await), (404, 0));

    // The same when the page is deleted, and the institution.
    let first = create(&world, json!({ "pronunciation": file(wav(1.0)) })).await;
    update(&world, json!({ "pronunciation": file(wav(1.1)) })).await;
    let page = endonym::domain::name_page::NamePageRef::parse(&world.page.slug).unwrap();
    endonym::app::name_pages::delete(&world.app, &Actor::Operator, world.institution.id, &page)
        .await
        .unwrap();
    assert_eq!((status(&first["recording_link"]).await, count(&world).await), (404, 0));
    let again = world.page("Again").await;
    let bea = json!({ "first_name": "Bea", "email": "b@x.org", "pronunciation": file(wav(1.0)) });
    world.person_on(&again, bea).await;
    let body = json!({ "name_page_id": again.slug, "participant": { "pronunciation": file(wav(1.1)) } });
    world.put("/v5/participants/b@x.org", body).await.expect(200);
    assert_eq!(count(&world).await, 1);
    endonym::app::institutions::delete(&world.app, &Actor::Operator, &world.institution.slug).await.unwrap();
    assert_eq!(count(&world).await, 0);
}

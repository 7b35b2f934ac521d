//! Version 5: recordings and pictures sent with a participant, and deleting a recording.

use std::time::Duration;

use endonym::{app::studio, blobs::Delivery};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{on_page, people, unprocessable};
use crate::support::{
    Answer, Setup, World,
    media::{file, files, png, wav, wav_of},
    s3::S3Server,
    until,
};

fn ana(more: Value) -> Value {
    let mut participant = json!({ "first_name": "Ana", "email": "ana@x.org" });
    participant.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    participant
}

async fn recorded(world: &World) -> Value {
    let body = on_page(world, ana(json!({ "pronunciation": file(wav(1.0)), "avatar": file(png()) })));
    world.post("/v5/participants", body).await.expect(201)["participant"].clone()
}

async fn update(world: &World, participant: Value) -> Answer {
    world.put("/v5/participants/ana@x.org", on_page(world, participant)).await
}

/// The status of a link, and its bytes.
async fn fetched(world: &World, link: &Value) -> (StatusCode, Vec<u8>) {
    let answer = world.client.get(link.as_str().unwrap()).send().await.unwrap();
    (answer.status(), answer.bytes().await.unwrap().to_vec())
}

fn blobs(world: &World) -> Vec<String> {
    files(&world.folder.path().join("blobs"))
}

#[tokio::test]
async fn a_recording_and_a_picture_come_with_a_create_and_can_be_fetched() {
    let world = World::new().await;
    let made = recorded(&world).await;
    let id = made["recording_id"].as_str().unwrap();
    assert!(id.starts_with("recording_") && id.len() == "recording_".len() + 32, "{id}");
    assert!(made["recording_link"].as_str().unwrap().ends_with(&format!("/{id}.mp3")));
    assert_eq!(made["recording_url"], made["recording_link"]);
    let (status, audio) = fetched(&world, &made["recording_link"]).await;
    assert_eq!(status, 200);
    // A frame of MPEG audio, layer III.
    assert_eq!((audio[0], audio[1] & 0xe6), (0xff, 0xe2));
    let (status, picture) = fetched(&world, &made["photo"]).await;
    assert_eq!((status, &picture[..2]), (StatusCode::OK, &b"\xff\xd8"[..]));
    let thumbnail = json!(made["photo"].as_str().unwrap().replace(".jpg", "_128.jpg"));
    assert_eq!(fetched(&world, &thumbnail).await.0, 200);
}

#[tokio::test]
async fn a_recording_has_its_date_wherever_dates_are_shown() {
    let world = World::new().await;
    let before = world.app.clock.now().shown_in(&world.institution.time_zone);
    world.advance(Duration::from_millis(1));
    recorded(&world).await;
    let latest = world.get("/v5/participants/latest?tokens=ana@x.org").await.expect(200);
    let date = latest["participants"][0]["recording_date"].as_str().unwrap().to_owned();
    assert!(date > before, "{date} after {before}");
    let asked = json!({ "identifiers": [{ "email": "ana@x.org" }] });
    let found = world.post("/v5/pronunciations/search", asked).await.expect(200);
    assert_eq!(found["Response"]["pronunciations"][0]["recorded_at"], date);
    let v4 = world.get("/v4/participants/latest?token=ana@x.org").await.expect(200);
    assert_eq!(v4["participant"]["recording_date"], date);
}

#[tokio::test]
async fn whoever_asks_for_what_has_changed_sees_a_new_recording_and_a_deleted_one() {
    let world = World::new().await;
    let changed_since = async |moment: &str| {
        let path = format!("/v5/participants?updated_after={}", moment.replace('+', "%2B"));
        people(&world.get(&path).await.expect(200)).as_array().unwrap().len()
    };
    let now = || world.app.clock.now().shown_in(&world.institution.time_zone);
    let pause = || world.advance(Duration::from_millis(1));
    world.person("Ana", "ana@x.org").await;
    pause();
    let before_recording = now();
    pause();
    let made = update(&world, json!({ "pronunciation": file(wav(1.0)) })).await.expect(200);
    assert_eq!(changed_since(&before_recording).await, 1);
    pause();
    let before_deletion = now();
    assert_eq!(changed_since(&before_deletion).await, 0);
    pause();
    let id = made["participant"]["recording_id"].as_str().unwrap();
    world.delete(&format!("/v5/participants/ana@x.org/pronunciations/{id}"), json!({})).await.expect(200);
    assert_eq!(changed_since(&before_deletion).await, 1);
}

#[tokio::test]
async fn a_new_recording_replaces_the_old_one_whose_link_leads_to_it_and_whose_audio_is_removed() {
    let world = World::new().await;
    let first = recorded(&world).await;
    let before = blobs(&world);
    let changed = json!({ "pronunciation": file(wav_of(1.2, 200.0)), "avatar": file(png()) });
    let second = update(&world, changed).await.expect(200)["participant"].clone();
    assert_ne!(first["recording_id"], second["recording_id"]);
    assert_ne!(first["photo"], second["photo"]);
    let new = fetched(&world, &second["recording_link"]).await;
    assert_eq!(new.0, 200);
    assert_eq!(fetched(&world, &first["recording_link"]).await, new, "by a redirect");
    assert_eq!(fetched(&world, &first["photo"]).await.0, 404);
    assert_eq!(fetched(&world, &second["photo"]).await.0, 200);
    let after = blobs(&world);
    assert_eq!(after.len(), before.len());
    assert!(before.iter().all(|old| !after.contains(old)), "{before:?} {after:?}");
}

#[tokio::test]
async fn what_is_blank_or_not_said_leaves_the_recording_and_the_picture() {
    let world = World::new().await;
    let made = recorded(&world).await;
    let blanks = [
        json!({}),
        json!({ "pronunciation": null, "avatar": "" }),
        json!({ "pronunciation": { "base64_str": "" } }),
    ];
    for blank in blanks {
        let after = update(&world, blank).await.expect(200)["participant"].clone();
        assert_eq!((&after["recording_id"], &after["photo"]), (&made["recording_id"], &made["photo"]));
    }
}

#[tokio::test]
async fn base64_may_have_line_breaks_no_padding_and_the_other_key() {
    let world = World::new().await;
    let plain = file(wav(0.8))["base64_str"].as_str().unwrap().to_owned();
    let broken = plain.as_bytes().chunks(76).map(|line| String::from_utf8_lossy(line)).collect::<Vec<_>>();
    let forms = [
        json!({ "base64_str": broken.join("\r\n") }),
        json!({ "base64_str": plain.trim_end_matches('=') }),
        json!({ "base64_set": plain }),
        json!({ "base64_str": "", "base64_set": plain }),
    ];
    for (n, form) in forms.into_iter().enumerate() {
        let participant =
            json!({ "first_name": "Ana", "email": format!("a{n}@x.org"), "pronunciation": form });
        let made = world.post("/v5/participants", on_page(&world, participant)).await.expect(201);
        assert!(made["participant"]["recording_link"].is_string());
    }
}

#[tokio::test]
async fn what_is_no_sound_and_no_picture_is_refused_with_a_sentence_and_nothing_is_stored() {
    let world = World::new().await;
    let data_url = json!({ "base64_str": format!("data:audio/wav;base64,{}", file(wav(1.0))["base64_str"].as_str().unwrap()) });
    let wrong = [
        data_url,
        json!({ "base64_str": "!!! not base64 !!!" }),
        file("this is a text"),
        file(b"\0\0\0\0"),
        json!({ "base64_str": 7 }),
        json!({ "url": "https://example.edu/ana.wav" }),
        json!("UklGRg=="),
        json!(["UklGRg=="]),
        json!(true),
    ];
    for wrong in wrong {
        let participant = ana(json!({ "pronunciation": wrong, "avatar": wrong }));
        let body = world.post("/v5/participants", on_page(&world, participant)).await.expect(422);
        for key in ["pronunciation", "avatar"] {
            let told = body["errors"][key].as_array().unwrap();
            assert_eq!(told.len(), 2, "{told:?}");
            assert_eq!(told[0], "is invalid");
            assert!(told[1].as_str().unwrap().contains(' '), "a sentence: {told:?}");
        }
    }
    assert_eq!(blobs(&world), [""; 0]);
    let nobody = world.get("/v5/participants").await.expect(200);
    assert_eq!(people(&nobody), &json!([]));
}

#[tokio::test]
async fn errors_of_sound_come_together_with_all_others() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let participant = json!({ "email": "ANA@x.org", "first_name": "x\u{1}", "phone_number": "1", "pronunciation": file("no sound"),
        "avatar": file(png()), "custom_fields": { "custom_x": "1" } });
    let body = world.post("/v5/participants", on_page(&world, participant)).await.expect(422);
    let mut wrong: Vec<&str> = body["errors"].as_object().unwrap().keys().map(String::as_str).collect();
    wrong.sort_unstable();
    assert_eq!(wrong, ["custom_x", "email", "first_name", "phone_number", "pronunciation"]);
    assert_eq!(blobs(&world), [""; 0]);
}

#[tokio::test]
async fn a_good_recording_of_somebody_who_is_refused_is_not_kept() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let again = ana(json!({ "pronunciation": file(wav(1.0)), "avatar": file(png()) }));
    let body = world.post("/v5/participants", on_page(&world, again)).await.expect(422);
    assert_eq!(body, unprocessable(json!({ "email": ["has already been taken"] })));
    assert_eq!(blobs(&world), [""; 0]);
}

#[tokio::test]
async fn a_bad_recording_changes_nothing_of_an_update() {
    let world = World::new().await;
    let made = recorded(&world).await;
    let change = json!({ "first_name": "Bea", "pronunciation": file("no sound") });
    update(&world, change).await.expect(422);
    let after = world.get("/v5/participants?email_list=ana@x.org").await.expect(200);
    assert_eq!(people(&after)[0]["first_name"], "Ana");
    assert_eq!(people(&after)[0]["recording_id"], made["recording_id"]);
    assert_eq!(fetched(&world, &made["recording_link"]).await.0, 200);
}

#[tokio::test]
async fn pages_and_people_that_are_not_there_are_not_found_whatever_comes_with_them() {
    let world = World::new().await;
    let participant = ana(json!({ "pronunciation": file("no sound") }));
    let elsewhere = json!({ "name_page_id": "nowhere", "participant": participant });
    let body = world.post("/v5/participants", elsewhere.clone()).await.expect(404);
    assert_eq!(body["message"], "Name page not found");
    assert_eq!(world.put("/v5/participants/ana@x.org", elsewhere).await.expect(404), body);
    let body = update(&world, json!({ "pronunciation": file("no sound") })).await.expect(404);
    assert_eq!(body["message"], "Registered participant not found");
}

#[tokio::test]
async fn a_legal_recording_is_taken_where_it_is_permitted_and_ignored_elsewhere() {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    let participant =
        ana(json!({ "pronunciation": file(wav(1.0)), "legal_pronunciation": file(wav_of(1.0, 180.0)) }));
    let made = world.post("/v5/participants", on_page(&world, participant.clone())).await.expect(201);
    let made = &made["participant"];
    assert_ne!(made["recording_id"], made["legal_recording_id"]);
    assert_eq!(fetched(&world, &made["legal_recording_url"]).await.0, 200);
    let refused = ana(json!({ "email": "b@x.org", "legal_pronunciation": file("no sound") }));
    let body = world.post("/v5/participants", on_page(&world, refused.clone())).await.expect(422);
    assert_eq!(body["errors"]["legal_pronunciation"][0], "is invalid");
    let path =
        format!("/v5/participants/ana@x.org/pronunciations/{}", made["legal_recording_id"].as_str().unwrap());
    world.delete(&path, json!({})).await.expect(200);
    assert_eq!(fetched(&world, &made["legal_recording_url"]).await.0, 404);
    assert_eq!(fetched(&world, &made["recording_link"]).await.0, 200);

    let plain = World::new().await;
    let made = plain.post("/v5/participants", on_page(&plain, refused)).await.expect(201);
    assert_eq!(made["participant"]["legal_recording_url"], Value::Null);
    assert_eq!(blobs(&plain), [""; 0]);
}

#[tokio::test]
async fn a_deleted_recording_is_gone_at_once_and_its_owner_stays() {
    let world = World::new().await;
    let made = recorded(&world).await;
    let path =
        format!("/v5/participants/ANA@x.org/pronunciations/{}", made["recording_id"].as_str().unwrap());
    let answer = world.delete(&path, json!({})).await;
    assert_eq!((answer.status, &answer.body), (StatusCode::OK, &Value::Null));
    assert_eq!(fetched(&world, &made["recording_link"]).await.0, 404);
    let after = world.get("/v5/participants?email_list=ana@x.org").await.expect(200);
    assert_eq!(people(&after)[0]["recording_id"], Value::Null);
    assert_eq!(people(&after)[0]["photo"], made["photo"]);
    assert!(blobs(&world).iter().all(|name| name.starts_with("photos/")), "{:?}", blobs(&world));
    // Again: the person still exists, but has no such recording.
    assert_eq!(world.delete(&path, json!({})).await.expect(404), json!({ "message": "Not Found" }));
}

#[tokio::test]
async fn only_ones_own_recording_can_be_deleted() {
    let world = World::new().await;
    let made = recorded(&world).await;
    world.person("Bea", "bea@x.org").await;
    let id = made["recording_id"].as_str().unwrap().to_owned();
    let delete = async |who: &str, id: &str| {
        world.delete(&format!("/v5/participants/{who}/pronunciations/{id}"), json!({})).await.expect(404)
    };
    assert_eq!(delete("bea@x.org", &id).await["message"], "Not Found");
    assert_eq!(delete("nobody@x.org", &id).await["message"], "Registered participant not found");
    assert_eq!(delete("ana@x.org", "recording_00").await["message"], "Not Found");
    let photo = made["photo"].as_str().unwrap().rsplit("photo_").next().unwrap().replace(".jpg", "");
    assert_eq!(delete("ana@x.org", &format!("recording_{photo}")).await["message"], "Not Found");

    let neighbor = world.neighbor().await;
    let theirs = json!({ "name_page_id": neighbor.page.slug, "participant": { "first_name": "Ana", "email": "ana@x.org" } });
    let request = world.request_as(&neighbor.token, Method::POST, "/v5/participants").json(&theirs);
    Answer::of(request).await.expect(201);
    let path = format!("/v5/participants/ana@x.org/pronunciations/{id}");
    let body = Answer::of(world.request_as(&neighbor.token, Method::DELETE, &path)).await.expect(404);
    assert_eq!(body["message"], "Not Found");
    assert_eq!(fetched(&world, &made["recording_link"]).await.0, 200);
}

#[tokio::test]
async fn deleting_somebody_removes_their_recording_and_their_picture() {
    let world = World::new().await;
    let made = recorded(&world).await;
    let page = json!({ "name_page_id": world.page.slug });
    world.delete("/v5/participants/ana@x.org", page).await.expect(200);
    for key in ["recording_link", "photo"] {
        assert_eq!(fetched(&world, &made[key]).await.0, 404);
    }
    assert_eq!(blobs(&world), [""; 0]);
}

#[tokio::test]
async fn originals_are_kept_unless_the_operator_says_otherwise() {
    let world = World::new().await;
    recorded(&world).await;
    let original = blobs(&world).into_iter().find(|name| name.starts_with("originals/")).unwrap();
    assert_eq!(std::fs::read(world.folder.path().join("blobs").join(original)).unwrap(), wav(1.0));
    let studio = studio::Settings { keep_originals: false, ..studio::Settings::default() };
    let world = World::with(Setup { studio, ..Setup::default() }).await;
    recorded(&world).await;
    assert!(!blobs(&world).iter().any(|name| name.starts_with("originals/")), "{:?}", blobs(&world));
}

#[tokio::test]
async fn a_full_queue_says_when_to_come_back_and_look_ups_go_on() {
    let studio = studio::Settings { workers: 1, queue: 1, ..studio::Settings::default() };
    let world = World::with(Setup { studio, ..Setup::default() }).await;
    let sound = file(wav(20.0));
    let send = |n: usize| {
        let participant =
            json!({ "first_name": "A", "email": format!("a{n}@x.org"), "pronunciation": sound });
        Answer::of(world.request(Method::POST, "/v5/participants").json(&on_page(&world, participant)))
    };
    let uploads = futures_util::future::join_all((0..12).map(send));
    let (answers, looked_up) = tokio::join!(uploads, world.get("/v5/participants"));
    assert_eq!(looked_up.status, 200);
    let busy: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 503).collect();
    assert!(!busy.is_empty() && busy.len() < answers.len());
    for answer in &answers {
        match answer.status.as_u16() {
            201 => {}
            503 => assert!(answer.header("retry-after").parse::<u32>().unwrap() > 0),
            other => panic!("{other}: {}", answer.body),
        }
    }
    let created = answers.len() - busy.len();
    let everybody = world.get("/v5/participants?per_page=100").await.expect(200);
    assert_eq!(people(&everybody).as_array().unwrap().len(), created, "nothing is half-stored");
}

#[tokio::test]
async fn everything_works_the_same_on_s3() {
    let server = S3Server::new().await;
    let world = World::with(Setup { blobs_url: Some(server.url()), ..Setup::default() }).await;
    let first = recorded(&world).await;
    let (status, audio) = fetched(&world, &first["recording_link"]).await;
    assert_eq!((status, audio[0]), (StatusCode::OK, 0xff));
    let ranged = world.client.get(first["recording_link"].as_str().unwrap()).header("Range", "bytes=-100");
    let ranged = ranged.send().await.unwrap();
    assert_eq!(ranged.status(), 206);
    assert_eq!(ranged.bytes().await.unwrap(), audio[audio.len() - 100..]);
    assert_eq!(fetched(&world, &first["photo"]).await.0, 200);
    let thumbnail = json!(first["photo"].as_str().unwrap().replace(".jpg", "_128.jpg"));
    assert_eq!(fetched(&world, &thumbnail).await.0, 200);
    let kept =
        |start: &'static str| files(&server.bucket()).into_iter().filter(move |name| name.starts_with(start));
    assert_eq!((kept("recordings/").count(), kept("originals/").count(), kept("photos/").count()), (1, 1, 2));

    let second =
        update(&world, json!({ "pronunciation": file(wav(1.1)) })).await.expect(200)["participant"].clone();
    let new = fetched(&world, &second["recording_link"]).await;
    assert_eq!(new.0, 200);
    assert_eq!(fetched(&world, &first["recording_link"]).await, new, "the old link leads to it");
    until("the replaced file is removed", || async { kept("recordings/").count() == 1 }).await;
    world.delete("/v5/participants/ana@x.org", json!({ "name_page_id": world.page.slug })).await.expect(200);
    assert_eq!(fetched(&world, &second["recording_link"]).await.0, 404);
    until("all files are removed", || async { files(&server.bucket()).is_empty() }).await;
}

#[tokio::test]
async fn from_s3_a_short_redirect_leads_to_the_file_itself() {
    let server = S3Server::new().await;
    let setup = Setup { blobs_url: Some(server.url()), delivery: Delivery::Redirect, ..Setup::default() };
    let world = World::with(setup).await;
    let made = recorded(&world).await;
    let patient =
        reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let answer = patient.get(made["recording_link"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(answer.status(), 302);
    assert_eq!(answer.headers()["cache-control"], "no-store");
    assert_eq!(answer.headers()["access-control-allow-origin"], "*");
    let there = answer.headers()["location"].to_str().unwrap().to_owned();
    assert!(there.starts_with(&server.endpoint) && there.contains("X-Amz-Expires=60"), "{there}");
    let audio = patient.get(&there).send().await.unwrap();
    assert_eq!(
        (audio.status(), &audio.headers()["content-type"]),
        (StatusCode::OK, &"audio/mpeg".parse().unwrap())
    );
    assert_eq!(audio.bytes().await.unwrap()[0], 0xff);
}

#[tokio::test]
async fn when_s3_is_gone_uploads_say_so_and_lose_nothing() {
    let mut server = S3Server::new().await;
    let world = World::with(Setup { blobs_url: Some(server.url()), ..Setup::default() }).await;
    let made = recorded(&world).await;
    server.stop().await;
    let answer = update(&world, json!({ "first_name": "Bea", "pronunciation": file(wav(1.0)) })).await;
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert!(!answer.header("retry-after").is_empty());
    let after = world.get("/v5/participants?email_list=ana@x.org").await.expect(200);
    assert_eq!(people(&after)[0]["first_name"], "Ana");
    assert_eq!(people(&after)[0]["recording_id"], made["recording_id"]);
    assert_eq!(fetched(&world, &made["recording_link"]).await.0, 503);
}

#[tokio::test]
async fn wrong_keys_for_s3_are_told_to_the_operator_and_not_to_the_caller() {
    let server = S3Server::new().await;
    let world =
        World::with(Setup { blobs_url: Some(server.url_with_a_wrong_secret()), ..Setup::default() }).await;
    let body = on_page(&world, ana(json!({ "pronunciation": file(wav(1.0)) })));
    let answer = world.post("/v5/participants", body).await;
    assert_eq!(answer.status, 503);
    assert!(
        !answer.body.to_string().contains("guessed") && !answer.body.to_string().contains("s3"),
        "{}",
        answer.body
    );
}

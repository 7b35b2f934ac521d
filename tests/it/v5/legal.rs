//! Version 5: legal names, for institutions with the multiple-recordings permission.

use serde_json::{Value, json};

use super::{JULY, hex, on_page, people, record, unprocessable};
use crate::support::{Setup, World, keys};

async fn permitted() -> World {
    World::with(Setup { multiple_recordings: true, ..Setup::default() }).await
}

fn legal_fields() -> Value {
    json!({
        "first_name": "Ana", "email": "ana@x.org", "legal_first_name": "Mariana", "legal_last_name": "da Silva",
        "legal_middle_name": "José", "legal_phonetic": "ma-ree-AH-na", "legal_notes": "On\npaper",
    })
}

fn legal_keys(record: &Value) -> Vec<&str> {
    keys(record).into_iter().filter(|key| key.starts_with("legal_")).collect()
}

#[tokio::test]
async fn legal_names_are_created_and_shown() {
    let world = permitted().await;
    let made = world.post("/v5/participants", on_page(&world, legal_fields())).await.expect(201);
    assert_eq!(
        world.shown(&made),
        json!({ "participant": record(&world, json!({
            "first_name": "Ana",
            "email": "ana@x.org",
            "event_code": world.page.event_code,
            "legal_first_name": "Mariana",
            "legal_last_name": "da Silva",
            "legal_middle_name": "José",
            "legal_recording_url": null,
            "legal_recording_id": null,
            "legal_phonetic": "ma-ree-AH-na",
            "legal_notes": "On\npaper",
            "custom_objects": {},
        }))})
    );
}

#[tokio::test]
async fn every_reading_endpoint_shows_the_legal_fields_with_null_where_there_is_no_value() {
    let world = permitted().await;
    world.person("Ana", "ana@x.org").await;
    let wanted = [
        "legal_first_name",
        "legal_last_name",
        "legal_middle_name",
        "legal_notes",
        "legal_phonetic",
        "legal_recording_id",
        "legal_recording_url",
    ];
    let list = world.get("/v5/participants").await.expect(200);
    let search = world.get("/v5/participants/search?email_list=ana@x.org").await.expect(200);
    let latest = world.get("/v5/participants/latest?tokens=ana@x.org").await.expect(200);
    for record in [&people(&list)[0], &people(&search)[0], &latest["participants"][0]] {
        assert_eq!(legal_keys(record), wanted);
        assert!(wanted.iter().all(|key| record[key].is_null()));
    }
}

#[tokio::test]
async fn legal_fields_are_updated_one_by_one_and_cleared() {
    let world = permitted().await;
    world.person_on(&world.page, legal_fields()).await;
    let change = json!({ "legal_first_name": "Ana Maria", "legal_middle_name": null, "legal_notes": "" });
    let body = world.put("/v5/participants/ana@x.org", on_page(&world, change)).await.expect(200);
    let record = &body["participant"];
    assert_eq!(record["legal_first_name"], "Ana Maria");
    assert_eq!((&record["legal_middle_name"], &record["legal_notes"]), (&Value::Null, &Value::Null));
    assert_eq!(
        (&record["legal_last_name"], &record["legal_phonetic"]),
        (&json!("da Silva"), &json!("ma-ree-AH-na"))
    );
    assert_eq!(record["first_name"], "Ana");
}

#[tokio::test]
async fn legal_fields_obey_the_rules_of_their_kin() {
    let world = permitted().await;
    let wrong = json!({
        "first_name": "Ana", "email": "ana@x.org", "legal_first_name": "a\n", "legal_last_name": "x".repeat(201), "legal_middle_name": [],
        "legal_phonetic": true, "legal_notes": "\u{0}",
    });
    assert_eq!(
        world.post("/v5/participants", on_page(&world, wrong)).await.expect(422),
        unprocessable(json!({
            "legal_first_name": ["is invalid"],
            "legal_last_name": ["is too long (maximum is 200 characters)"],
            "legal_middle_name": ["is invalid"],
            "legal_phonetic": ["is invalid"],
            "legal_notes": ["is invalid"],
        }))
    );
}

#[tokio::test]
async fn a_legal_name_is_no_substitute_for_a_name() {
    let world = permitted().await;
    let body = on_page(&world, json!({ "email": "ana@x.org", "legal_first_name": "Mariana" }));
    let answer = world.post("/v5/participants", body).await.expect(422);
    assert_eq!(answer, unprocessable(json!({ "first_name": ["can't be blank"] })));
}

#[tokio::test]
async fn a_legal_recording_has_its_own_link_and_id() {
    let world = permitted().await;
    world.person("Ana", "ana@x.org").await;
    world.record(&world.page, "ana@x.org", &hex('a'), JULY).await;
    world.record_legal(&world.page, "ana@x.org", &hex('b'), JULY).await;
    let body = world.get("/v5/participants").await.expect(200);
    let record = world.shown(&people(&body)[0]);
    assert_eq!(record["recording_id"], format!("recording_{}", hex('a')));
    assert_eq!(record["legal_recording_id"], format!("recording_{}", hex('b')));
    let link = format!("{{base}}/audio/{{institution}}/recording_{}.mp3", hex('b'));
    assert_eq!(record["legal_recording_url"], link);
}

#[tokio::test]
async fn legal_embeddables_are_shown_when_asked_for_and_the_image_is_null_without_a_recording() {
    let world = permitted().await;
    world.crowd(&world.page, 0..2).await;
    world.record_legal(&world.page, "p0@x.org", &hex('b'), JULY).await;
    let body = world.get("/v5/participants?include=legal_embeddables").await.expect(200);
    let [with, without] = [&people(&body)[0], &people(&body)[1]];
    assert!(with["legal_embed_image"].as_str().unwrap().contains(&hex('b')));
    assert_eq!(without["legal_embed_image"], Value::Null);
    assert!(with["legal_embed_iframe"].is_string() && without["legal_embed_iframe"].is_string());
    assert!(with.get("embed_image").is_none());
    let plain = world.get("/v5/participants?include=embeddables").await.expect(200);
    assert!(people(&plain)[0].get("legal_embed_image").is_none());
}

#[tokio::test]
async fn other_institutions_get_neither_the_legal_fields_nor_an_error() {
    let world = World::new().await;
    let mut fields = legal_fields();
    fields["legal_pronunciation"] = json!({ "base64_str": "" });
    fields["legal_middle_name"] = json!(["wrong", "type"]);
    let made = world.post("/v5/participants", on_page(&world, fields)).await.expect(201);
    assert_eq!(legal_keys(&made["participant"]), [] as [&str; 0]);
    let change = on_page(&world, json!({ "legal_first_name": "\u{0}" }));
    let changed = world.put("/v5/participants/ana@x.org", change).await.expect(200);
    assert_eq!(legal_keys(&changed["participant"]), [] as [&str; 0]);
    let body = world.get("/v5/participants?include=legal_embeddables").await.expect(200);
    assert_eq!(legal_keys(&people(&body)[0]), [] as [&str; 0]);
}

#[tokio::test]
async fn a_blank_legal_pronunciation_is_not_given() {
    let world = permitted().await;
    let mut fields = legal_fields();
    fields["legal_pronunciation"] = json!({ "base64_str": "", "base64_set": null });
    let made = world.post("/v5/participants", on_page(&world, fields)).await.expect(201);
    assert_eq!(made["participant"]["legal_recording_url"], Value::Null);
}

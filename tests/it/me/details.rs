//! What people write about their name, and the custom fields that they may edit.

use endonym::app::{Actor, custom_fields};
use serde_json::{Value, json};

use super::{
    Browser,
    own::{ANA, ana, signed_in, world},
};
use crate::support::{Answer, World};

async fn custom(world: &World) -> Value {
    let path = format!("/v4/participants/{ANA}?include=custom_attributes");
    world.get(&path).await.expect(200)["participant"]["custom_objects"].clone()
}

async fn change(browser: &Browser<'_>, world: &World, fields: &[(&str, &str)]) {
    let fields = [&[("page", world.page.slug.as_str())], fields].concat();
    browser.post("/me/details", &fields).await.redirects_to("/me?done=details");
}

#[tokio::test]
async fn only_fields_that_the_institution_lets_people_edit_are_changed() {
    let world = world().await;
    world.editable_field("gender_pronouns", "Pronouns <b>").await;
    world.editable_field("a_hobby", "Hobby").await;
    world.custom_field("degree").await;
    world.custom_field("unused").await;
    let fields = json!({ "custom_degree": "BA <i>", "custom_gender_pronouns": "she/her" });
    let body = json!({ "name_page_id": world.page.slug, "participant": { "custom_fields": fields } });
    world.put(&format!("/v5/participants/{ANA}"), body).await.expect(200);
    let browser = ana(&world).await;
    let page = browser.get("/me").await.expect(200).body;
    for text in [
        "<bdi>Pronouns &#60;b&#62;</bdi>",
        "name=\"custom_gender_pronouns\" value=\"she/her\"",
        "name=\"custom_a_hobby\" value=\"\"",
        "<dt><bdi>degree</bdi></dt><dd><bdi>BA &#60;i&#62;</bdi></dd>",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
    assert!(!page.contains("name=\"custom_degree\"") && !page.contains("unused"), "{page}");
    let place = |text: &str| page.find(text).unwrap();
    assert!(place("custom_gender_pronouns") < place("custom_a_hobby"), "pronouns come first");

    // A forged form changes nothing else: no other custom field, no name, no email, no field that does not exist.
    let forged = [
        ("custom_gender_pronouns", "they/them"),
        ("custom_degree", "PhD"),
        ("custom_none", "x"),
        ("first_name", "Zoe"),
        ("legal_first_name", "Zoe"),
        ("email", "zoe@example.edu"),
        ("institution_id", "7"),
    ];
    change(&browser, &world, &forged).await;
    let wanted = json!({ "degree": "BA <i>", "gender_pronouns": "they/them" });
    assert_eq!(custom(&world).await, wanted);
    let found = world.get(&format!("/v4/participants/{ANA}")).await.expect(200)["participant"].clone();
    assert_eq!((&found["first_name"], &found["institution_id"]), (&json!("Ana"), &Value::Null));

    // What is no longer editable stays as it is, also when a form is sent that was loaded before.
    let change_field = custom_fields::Change { editable: Some(false), ..Default::default() };
    let name = "gender_pronouns".to_owned();
    custom_fields::update(&world.app, &Actor::Operator, world.institution.id, name, change_field)
        .await
        .unwrap();
    change(&browser, &world, &[("custom_gender_pronouns", "x"), ("custom_a_hobby", "Chess")]).await;
    let custom = custom(&world).await;
    assert_eq!((&custom["gender_pronouns"], &custom["a_hobby"]), (&json!("they/them"), &json!("Chess")));
}

#[tokio::test]
async fn values_in_any_script_are_kept_and_invalid_ones_are_explained() {
    let world = world().await;
    world.editable_field("gender_pronouns", "Pronouns").await;
    let browser = ana(&world).await;
    for value in ["هي / لها", "她／她的", "ze/hir 🏳️‍🌈", "ə́ · ɛ̃", "<script>alert(1)</script>"]
    {
        change(&browser, &world, &[("custom_gender_pronouns", value)]).await;
        assert_eq!(custom(&world).await["gender_pronouns"], value);
    }
    let page = browser.get("/me").await.expect(200).body;
    assert!(!page.contains("<script>alert"), "{page}");
    let long = "ü".repeat(2_001);
    for (value, sentence) in [
        (long.as_str(), "This is too long. Please use at most \u{2068}2,000"),
        ("she\u{7}", "This has characters in it that cannot be used here."),
        ("she\nher", "This has characters in it that cannot be used here."),
    ] {
        let fields =
            [("page", world.page.slug.as_str()), ("custom_gender_pronouns", value), ("phonetic", "AH-na")];
        let page = browser.post("/me/details", &fields).await.expect(422).body;
        let start = sentence.split('\u{2068}').next().unwrap();
        assert!(page.contains(start) && page.contains("aria-invalid=\"true\""), "{page}");
        assert!(page.contains("value=\"AH-na\""), "the other input is kept");
    }
    // The focus is on the first of several faults.
    let longer = "x".repeat(20_000);
    let fields = [
        ("page", world.page.slug.as_str()),
        ("notes", &longer),
        ("custom_gender_pronouns", "she\u{7}"),
        ("phonetic", &longer),
    ];
    for (fields, first) in [(&fields[..], "name=\"phonetic\""), (&fields[..3], "custom_gender_pronouns")] {
        let page = browser.post("/me/details", fields).await.expect(422).body;
        assert_eq!(page.matches(" autofocus").count(), 1, "{page}");
        let line = page.lines().find(|line| line.contains(" autofocus")).unwrap();
        assert!(line.contains(first), "{line}");
    }
    assert_eq!(custom(&world).await["gender_pronouns"], "<script>alert(1)</script>");
    change(&browser, &world, &[("custom_gender_pronouns", " ")]).await;
    assert_eq!(custom(&world).await["gender_pronouns"], Value::Null);
}

#[tokio::test]
async fn each_page_has_its_own_values_and_the_last_tab_wins() {
    let world = world().await;
    world.editable_field("gender_pronouns", "Pronouns").await;
    let choir = world.page("Choir").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    let (first, second) = (ana(&world).await, ana(&world).await);
    change(&first, &world, &[("custom_gender_pronouns", "she/her"), ("phonetic", "AH-na")]).await;
    let fields = [("page", choir.slug.as_str()), ("custom_gender_pronouns", "they/them")];
    second.post("/me/details", &fields).await.redirects_to("/me?done=details");
    let page = first.get("/me").await.body;
    assert!(page.contains("value=\"she/her\"") && page.contains("value=\"they/them\""), "{page}");
    // A field that a form does not have is left alone.
    change(&second, &world, &[("custom_gender_pronouns", "he/him")]).await;
    let page = first.get("/me").await.body;
    assert!(page.contains("value=\"he/him\"") && page.contains("value=\"AH-na\""), "{page}");
}

#[tokio::test]
async fn another_institutions_fields_and_entries_are_out_of_reach() {
    let world = world().await;
    world.editable_field("gender_pronouns", "Pronouns").await;
    let there = world.neighbor().await;
    let body =
        json!({ "name_page_id": there.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    let request = world.request_as(&there.token, reqwest::Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
    let other = signed_in(&world, there.institution.id, ANA).await;
    assert!(!other.get("/me").await.expect(200).body.contains("custom_gender_pronouns"));
    let fields = |page| [("page", page), ("custom_gender_pronouns", "x"), ("notes", "x")];
    other.post("/me/details", &fields(world.page.slug.as_str())).await.expect(404);
    other.post("/me/details", &fields(there.page.slug.as_str())).await.redirects_to("/me?done=details");
    assert_eq!(custom(&world).await["gender_pronouns"], Value::Null);
}

#[tokio::test]
async fn the_guide_has_examples_in_every_language() {
    let world = world().await;
    let browser = ana(&world).await;
    for (language, example) in [
        ("en", "Joaquín: wah-KEEN"),
        ("es", "Giulia: YU-lia"),
        ("fr", "Giulia : DJOU-lia"),
        ("de", "Giulia: DSCHU-lja"),
        ("pt", "Giulia: DJU-lia"),
        ("zh", "shàn-xióng"),
        ("ar", "خوا-كين"),
    ] {
        let page = browser.get(&format!("/me?lang={language}")).await.expect(200).body;
        let (_, guide) = page.split_once("<summary>").unwrap();
        assert!(guide.contains(example), "{example} in {page}");
    }
}

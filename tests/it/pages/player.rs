//! The page in iframes of other sites.

use endonym::{blobs::Delivery, domain::media::Kind};
use reqwest::Method;
use serde_json::{Value, json};

use super::{SOUND, attributes, page, public, size};
use crate::support::{Setup, World};

fn path(world: &World, person: &Value) -> String {
    format!("/players/{}/{}", world.institution.id, World::registration_token(person))
}

async fn recorded(world: &World) -> (String, String) {
    let person = world.person("Ana", "ana@example.edu").await;
    let hex = world.give(&person, Kind::Recording, SOUND).await;
    (path(world, &person), hex)
}

#[tokio::test]
async fn a_player_with_its_style_and_script_is_under_ten_kilobytes() {
    let world = World::on_sqlite().await;
    let (path, _) = recorded(&world).await;
    let bytes = size(&world, &path).await;
    assert!(bytes < 10_000, "{bytes} bytes");
}

#[tokio::test]
async fn a_player_is_a_button_and_without_scripts_the_browsers_own() {
    let world = World::on_sqlite().await;
    let (path, hex) = recorded(&world).await;
    let page = public::check(&world, &path, 200).await;
    public::check_parts(&world, &page).await;
    assert!(
        page.text
            .contains("<button type=\"button\" aria-label=\"Play the name of Ana\" aria-pressed=\"false\"")
    );
    let (_, without_scripts) = page.text.split_once("<noscript>").unwrap();
    assert!(without_scripts.starts_with("<audio controls "), "{without_scripts}");
    assert!(
        attributes(&page.text, "src")
            .iter()
            .any(|address| address.ends_with(&format!("recording_{hex}.mp3")))
    );
    assert!(page.header("content-security-policy").contains("script-src 'self';"));
    assert_eq!(page.header("referrer-policy"), "no-referrer");
}

#[tokio::test]
async fn a_player_shows_the_icon_that_is_asked_for_and_the_usual_one_for_a_wish_that_makes_no_sense() {
    let world = World::on_sqlite().await;
    let (path, _) = recorded(&world).await;
    let mut drawings = Vec::new();
    for query in
        ["", "?icon_code=0", "?icon_code=1", "?icon_code=2", "?icon_code=3", "?icon_code=4", "?icon_code=x"]
    {
        let page = page(&world, &format!("{path}{query}")).await;
        assert_eq!(page.status, 200, "{query}");
        drawings.push(attributes(&page.text, "d").join(" "));
    }
    let [usual, zero, one, two, three, four, word] = drawings.try_into().unwrap();
    assert!(usual == zero && usual == four && usual == word);
    assert!(two == three && one != two && one != zero && two != zero);
}

#[tokio::test]
async fn a_picture_of_ones_own_is_allowed_from_its_own_origin_and_nowhere_else() {
    let world = World::on_sqlite().await;
    let (path, _) = recorded(&world).await;
    let image = "https%3A%2F%2Fcdn.example.edu%3A8443%2Fa%22b.png%3Fx%3D1%26y";
    let with = page(&world, &format!("{path}?icon_code=1&play_button_img_url={image}")).await;
    assert!(
        with.text.contains("<img src=\"https://cdn.example.edu:8443/a&#34;b.png?x=1&#38;y\""),
        "{}",
        with.text
    );
    assert!(!with.text.contains("<svg"));
    let policy = with.header("content-security-policy");
    assert!(policy.contains("img-src 'self' data: https://cdn.example.edu:8443; "), "{policy}");
    for wrong in
        ["javascript:alert(1)", "https://a.example;script-src%20*/x", "https://a.example%0d%0aX:y/", "a.png"]
    {
        let without = page(&world, &format!("{path}?play_button_img_url={wrong}")).await;
        assert_eq!(without.status, 200, "{wrong}");
        assert!(without.text.contains("<svg") && !without.text.contains("<img"), "{wrong}");
        let policy = without.header("content-security-policy");
        assert!(policy.contains("img-src 'self' data:; ") && !policy.contains("a.example"), "{policy}");
    }
}

#[tokio::test]
async fn sound_that_the_store_hands_out_itself_is_allowed_from_there() {
    let url = "s3://bucket?endpoint=http://s3.example.test:9000&region=x&access_key_id=a&secret_access_key=b";
    let setup = Setup { blobs_url: Some(url.into()), delivery: Delivery::Redirect, ..Setup::default() };
    let world = World::with(setup).await;
    let person = world.person("Ana", "ana@example.edu").await;
    world.record(&world.page, "ana@example.edu", &"a".repeat(32), 1_767_225_600_000_000).await;
    let player = path(&world, &person);
    for path in [player.replace("/players/", "/badges/"), player] {
        let policy = page(&world, &path).await.header("content-security-policy").to_owned();
        assert!(policy.contains("media-src 'self' http://s3.example.test:9000; "), "{policy}");
        assert!(policy.contains("img-src 'self' data: http://s3.example.test:9000; "), "{policy}");
    }
}

#[tokio::test]
async fn scripts_of_any_page_may_read_a_player_and_ask_before() {
    let world = World::on_sqlite().await;
    let (path, _) = recorded(&world).await;
    assert_eq!(page(&world, &path).await.header("access-control-allow-origin"), "*");
    let asked = world.client.request(Method::OPTIONS, format!("{}{path}", world.base));
    let asked = asked.header("Origin", "https://else.example").header("Access-Control-Request-Method", "GET");
    let answer = asked.send().await.unwrap();
    assert_eq!(answer.status(), 204);
    assert_eq!(answer.headers()["access-control-allow-origin"], "*");
    assert!(answer.headers()["access-control-allow-methods"].to_str().unwrap().contains("GET"));
}

#[tokio::test]
async fn the_legal_name_has_a_player_where_the_institution_has_legal_names() {
    for permitted in [true, false] {
        let world = World::with(Setup { multiple_recordings: permitted, ..Setup::default() }).await;
        let ana = json!({ "first_name": "Ana", "email": "a@x.org", "legal_first_name": "Anastasia" });
        let person = world.person_on(&world.page, ana).await;
        let hex = world.give(&person, Kind::LegalRecording, SOUND).await;
        let legal = page(&world, &format!("{}?legal=1", path(&world, &person))).await;
        assert_eq!(legal.text.contains(&hex), permitted, "{}", legal.text);
        assert_eq!(legal.text.contains("Play the legal name of Anastasia"), permitted);
        assert_eq!(legal.text.contains("There is no recording"), !permitted);
        assert!(page(&world, &path(&world, &person)).await.text.contains("There is no recording"));
    }
}

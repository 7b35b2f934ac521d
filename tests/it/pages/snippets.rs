//! The HTML that clients embed in their pages.

use endonym::domain::media::Kind;
use serde_json::json;

use super::{SOUND, attributes};
use crate::support::World;

const HOSTILE: &str = "\"><script>alert(1)</script>'-alert(2)-' & ‏محمد";

async fn snippets(world: &World, query: &str) -> (String, String) {
    let body = world.get(&format!("/v5/participants?include=embeddables&{query}")).await.expect(200);
    let record = &body["Response"]["participants"][0];
    let text = |key: &str| record[key].as_str().unwrap().to_owned();
    (text("embed_image"), text("embed_iframe"))
}

async fn with(first_name: &str) -> World {
    let world = World::on_sqlite().await;
    let person = world.person_on(&world.page, json!({ "first_name": first_name, "email": "a@x.org" })).await;
    world.give(&person, Kind::Recording, SOUND).await;
    world
}

#[tokio::test]
async fn a_snippet_is_one_link_with_its_sound_inside_and_needs_no_script_element() {
    let world = with("Ana").await;
    let (image, iframe) = snippets(&world, "").await;
    let player = attributes(&iframe, "src")[0];
    let start = format!("<a href=\"{player}\" target=\"_blank\" aria-label=\"Play the name of Ana\" ");
    assert!(image.starts_with(&start), "{image}");
    assert!(image.ends_with("</audio></a>"));
    assert!(image.contains("<audio preload=\"none\" src=\"http"));
    assert!(!image.contains("<script") && attributes(&image, "id").is_empty(), "{image}");
}

/// A list of people repeats it in every row.
#[tokio::test]
async fn a_snippet_is_small_and_grows_by_no_more_than_a_name() {
    let (image, _) = snippets(&with("Ana").await, "").await;
    assert!(image.len() < 1_450, "{} bytes: {image}", image.len());
    let long = "Ф".repeat(200);
    let (longer, _) = snippets(&with(&long).await, "").await;
    assert_eq!(longer.matches(&long).count(), 1, "a name stands in it once");
    for code in 1..4 {
        let (image, _) = snippets(&with("Ana").await, &format!("icon_code={code}")).await;
        assert!(image.len() < 1_550, "{} bytes: {image}", image.len());
    }
}

#[tokio::test]
async fn names_in_snippets_are_text_whatever_they_hold() {
    let (image, iframe) = snippets(&with(HOSTILE).await, "").await;
    for html in [&image, &iframe] {
        assert!(!html.contains("<script") && !html.contains("\"-alert"), "{html}");
        assert!(html.contains("&quot;&gt;&lt;script&gt;") && html.contains("محمد"), "{html}");
    }
    // The script is the same for everybody and contains no names.
    let plain = snippets(&with("Ana").await, "").await.0;
    for handler in ["onclick", "onkeydown", "onfocus", "onblur"] {
        assert!(attributes(&image, handler).iter().all(|code| !code.contains("alert")));
        assert_eq!(attributes(&image, handler), attributes(&plain, handler));
        assert_eq!(attributes(&image, handler).len(), 1);
    }
}

#[tokio::test]
async fn an_iframe_has_a_title_and_leads_to_the_same_icon() {
    let world = with("Ana").await;
    let (_, iframe) = snippets(&world, "icon_code=2").await;
    let start = format!("<iframe src=\"{}/players/{}/", world.base, world.institution.id);
    assert!(iframe.starts_with(&start), "{iframe}");
    for part in
        ["?icon_code=2\"", " title=\"Play the name of Ana\"", " allow=\"autoplay\"", " loading=\"lazy\""]
    {
        assert!(iframe.contains(part), "{part} in {iframe}");
    }
    let image = "play_button_img_url=https://cdn.example.edu/a.png?x=1%26y=2";
    let (_, iframe) = snippets(&world, image).await;
    assert!(
        iframe.contains("?play_button_img_url=https%3A%2F%2Fcdn.example.edu%2Fa.png%3Fx%3D1%26y%3D2\""),
        "{iframe}"
    );
}

//! The languages of the public pages.

use endonym::domain::media::Kind;
use reqwest::header::{ACCEPT_LANGUAGE, COOKIE};
use serde_json::Value;

use super::{Page, SOUND};
use crate::support::{World, database::execute};

/// Whole sentences of the English catalogs, without arguments.
pub fn english_sentences() -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/words/en");
    let files = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let text: String = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let values = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = "));
    let sentences: Vec<String> = values
        .map(|(_, value)| value.to_owned())
        .filter(|value| !value.contains('{') && value.split(' ').count() > 2)
        .collect();
    assert!(sentences.len() > 100, "{}", sentences.len());
    sentences
}

async fn page_in(world: &World, path: &str, accepted: Option<&str>, chosen: Option<&str>) -> Page {
    let mut request = world.client.get(format!("{}{path}", world.base));
    if let Some(accepted) = accepted {
        request = request.header(ACCEPT_LANGUAGE, accepted);
    }
    if let Some(chosen) = chosen {
        request = request.header(COOKIE, format!("endonym-language={chosen}"));
    }
    let answer = request.send().await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    Page { status, headers, text: answer.text().await.unwrap() }
}

fn is_in(page: &Page, tag: &str, direction: &str) -> bool {
    page.text.contains(&format!("<html lang=\"{tag}\" dir=\"{direction}\""))
}

fn badge_path(person: &Value) -> String {
    let link = person["name_badge_link"].as_str().unwrap();
    link[link.find("/badges/").unwrap()..].to_owned()
}

fn player_path(world: &World, person: &Value) -> String {
    format!("/players/{}/{}", world.institution.id, World::registration_token(person))
}

#[tokio::test]
async fn every_public_page_is_in_the_language_that_the_browser_accepts() {
    let world = World::on_sqlite().await;
    let ana = world.person("Ana", "ana@example.edu").await;
    world.give(&ana, Kind::Recording, SOUND).await;
    let bo = world.person("Bo", "bo@example.edu").await;
    let (badge, player) = (badge_path(&ana), player_path(&world, &ana));
    let (silent_badge, silent_player) = (badge_path(&bo), player_path(&world, &bo));
    let gone = format!("/players/{}/nobody", world.institution.id);
    for path in ["/", "/nothing", &badge, &player, &silent_badge, &silent_player, &gone] {
        let arabic = page_in(&world, path, Some("ar-EG, en;q=0.8"), None).await;
        assert!(is_in(&arabic, "ar", "rtl"), "{path}: {}", arabic.text);
        let vary: Vec<_> = arabic.headers.get_all("vary").iter().map(|by| by.to_str().unwrap()).collect();
        assert!(vary.iter().any(|by| by.contains("Accept-Language")), "{path}: {vary:?}");
        let german = page_in(&world, path, Some("de"), None).await;
        assert!(is_in(&german, "de", "ltr"), "{path}: {}", german.text);
        for sentence in english_sentences() {
            assert!(!german.text.contains(&sentence), "{path}: {sentence}");
        }
        let other = page_in(&world, path, Some("tlh"), None).await;
        assert!(is_in(&other, "en", "ltr"), "{path}: {}", other.text);
    }
    let german = page_in(&world, &player, Some("de"), None).await;
    assert!(german.text.contains("aria-label=\"Den Namen von Ana abspielen\""), "{}", german.text);
    let german = page_in(&world, &badge, Some("de"), None).await;
    assert!(german.text.contains("<title>Ana: so wird der Name ausgesprochen</title>"), "{}", german.text);
}

#[tokio::test]
async fn the_choice_in_the_menu_wins_over_the_browser_and_the_institution_has_a_default() {
    let world = World::on_sqlite().await;
    let ana = world.person("Ana", "ana@example.edu").await;
    let (badge, player) = (badge_path(&ana), player_path(&world, &ana));
    let menu = page_in(&world, &badge, Some("fr"), None).await;
    assert!(is_in(&menu, "fr", "ltr"), "{}", menu.text);
    assert!(menu.text.contains(&format!("name=\"return_to\" value=\"{badge}\"")), "{}", menu.text);
    assert!(menu.header("content-security-policy").contains("form-action 'self'"));
    assert!(is_in(&page_in(&world, &badge, Some("fr"), Some("zh")).await, "zh", "ltr"));
    assert!(is_in(&page_in(&world, "/", Some("fr"), Some("zh")).await, "zh", "ltr"));
    let framed = page_in(&world, &player, Some("fr"), Some("zh")).await;
    assert!(is_in(&framed, "fr", "ltr"), "a player has no cookies, so caches need not know them");
    let text = "UPDATE institutions SET language = 'pt' WHERE id = $1";
    execute(&world.app.db, text, vec![world.institution.id.into()]).await;
    for path in [&badge, &player] {
        assert!(is_in(&page_in(&world, path, None, None).await, "pt", "ltr"), "{path}");
        assert!(is_in(&page_in(&world, path, Some("es"), None).await, "es", "ltr"), "{path}");
    }
}

#[tokio::test]
async fn the_reference_and_the_snippets_stay_in_english() {
    let world = World::on_sqlite().await;
    let reference = page_in(&world, "/docs/v5", Some("ar"), Some("ar")).await;
    assert!(is_in(&reference, "en", "ltr") && !reference.text.contains("/language\""));
    let ana = world.person("Ana", "ana@example.edu").await;
    world.give(&ana, Kind::Recording, SOUND).await;
    let path = "/v5/participants/latest?tokens=ana@example.edu&include=embeddables";
    let answer = world.get(path).await.expect(200);
    assert!(answer.to_string().contains("Play the name of Ana"), "{answer}");
}

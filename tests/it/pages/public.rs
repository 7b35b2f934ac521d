//! Pages are self-contained: no third-party scripts, images, fonts or requests.

use super::{Page, attributes, page};
use crate::support::{World, keys};

/// Requirements for every page.
pub(super) async fn check(world: &World, path: &str, status: u16) -> Page {
    let page = page(world, path).await;
    assert_eq!(page.status, status, "{path}");
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8", "{path}");
    assert_eq!(page.headers["x-content-type-options"], "nosniff", "{path}");
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
    // Any site may frame a player, but no other page.
    let player = path.starts_with("/players/") && path.matches('/').count() == 3;
    let framed = if player { "frame-ancestors *" } else { "frame-ancestors 'none'" };
    assert!(policy.contains(framed), "{path}: {policy}");
    let policy = policy.replace("frame-ancestors *", "");
    for lax in ["unsafe", "*", "http:", "https:"] {
        assert!(!policy.contains(lax), "{path}: {policy}");
    }
    let text = &page.text;
    assert!(text.starts_with("<!doctype html>"), "{path}");
    assert!(text.contains("<html lang="), "{path}: a screen reader must know the language");
    assert!(text.contains("<title>") && text.contains("charset"), "{path}");
    for what in ["src", "href", "action", "poster", "data"] {
        for address in attributes(text, what) {
            let ours =
                address.starts_with(&world.base) || !address.contains("://") && !address.starts_with("//");
            assert!(ours, "{path} leads to {address}");
        }
    }
    assert!(!text.contains("@import") && !text.contains("url(http"), "{path}");
    // Anything that the Content Security Policy would block is a bug in the page.
    assert!(
        attributes(text, "style").is_empty() && !text.contains("<style"),
        "{path}: styles come from a file"
    );
    assert!(!text.contains("<script>"), "{path}: no scripts in the page");
    assert!(attributes(text, "onclick").is_empty() && attributes(text, "onload").is_empty(), "{path}");
    page
}

/// Everything that a page loads exists.
pub(super) async fn check_parts(world: &World, page: &Page) {
    let local = |address: &&str| {
        (address.starts_with('/') || address.starts_with(&world.base)) && !address.contains("/audio/")
    };
    let addresses = attributes(&page.text, "href").into_iter().chain(attributes(&page.text, "src"));
    for address in addresses.filter(local) {
        let address = address.strip_prefix(&world.base).unwrap_or(address).split('#').next().unwrap();
        let answer = world.client.get(format!("{}{address}", world.base)).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{address}");
        if address.ends_with(".css") {
            assert!(answer.headers()["content-type"].to_str().unwrap().starts_with("text/css"), "{address}");
            let style = answer.text().await.unwrap();
            assert!(!style.contains("://") && !style.contains("@import"), "{address} loads from elsewhere");
        }
    }
}

#[tokio::test]
async fn home() {
    let world = World::on_sqlite().await;
    let page = check(&world, "/", 200).await;
    assert!(page.text.contains("Endonym") && page.text.contains(env!("CARGO_PKG_VERSION")));
    assert!(
        attributes(&page.text, "href").iter().any(|address| address.ends_with("/docs")),
        "it leads to the reference"
    );
    assert!(attributes(&page.text, "href").contains(&"/me"), "it leads to signing in");
    check_parts(&world, &page).await;
}

#[tokio::test]
async fn the_reference_tells_of_every_endpoint() {
    let world = World::on_sqlite().await;
    let first = check(&world, "/docs", 200).await;
    for (version, least) in [("v2", 1), ("v3", 3), ("v4", 5), ("v5", 5)] {
        let path = format!("/docs/{version}");
        assert!(attributes(&first.text, "href").contains(&path.as_str()), "/docs leads to {path}");
        let page = check(&world, &path, 200).await;
        // As people see it: without tags.
        let text_of = |part: &'_ str| part.split_once('>').map_or(part, |(_, text)| text).to_owned();
        let shown: String = page.text.split('<').map(text_of).collect();
        let document = world.get(&format!("/{version}/openapi.json")).await.expect(200);
        let endpoints = document["paths"].as_object().unwrap();
        assert!(endpoints.len() >= least, "{version}: {:?}", endpoints.keys());
        for endpoint in endpoints.keys() {
            assert!(shown.contains(endpoint.as_str()), "{endpoint} is not in {path}");
        }
        check_parts(&world, &page).await;
    }
}

#[tokio::test]
async fn an_address_that_leads_nowhere() {
    let world = World::on_sqlite().await;
    for path in ["/nowhere", "/players/x/y", "/players/1", "/docs/nothing", "/favicon.ico", "/index.php?a=b"]
    {
        let page = check(&world, path, 404).await;
        assert!(!page.text.contains(path), "{path}: nothing of the address is repeated");
    }
    let under_api = page(&world, "/api/nowhere").await;
    assert_eq!(under_api.headers["content-type"], "application/json; charset=utf-8");
}

#[tokio::test]
async fn the_player_of_somebody_without_a_recording() {
    let world = World::on_sqlite().await;
    let person = world.person("Ana", "ana@example.edu").await;
    let path = format!("/players/{}/{}", world.institution.id, World::registration_token(&person));
    let page = check(&world, &path, 200).await;
    assert!(page.text.contains("Ana") && !page.text.contains("<audio"), "{}", page.text);
    assert!(!page.text.contains("ana@example.edu"), "a public page shows no address");
    assert!(!page.headers.contains_key("x-frame-options"));
    check_parts(&world, &page).await;
}

#[tokio::test]
async fn the_player_of_somebody_with_a_recording() {
    let world = World::on_sqlite().await;
    let person = world.person("Ana", "ana@example.edu").await;
    let hex = "0123456789abcdef0123456789abcdef";
    world.record(&world.page, "ana@example.edu", hex, 1_767_225_600_000_000).await;
    let path = format!("/players/{}/{}", world.institution.id, World::registration_token(&person));
    let page = check(&world, &path, 200).await;
    let sounds = attributes(&page.text, "src");
    assert!(sounds.iter().any(|address| address.ends_with(&format!("recording_{hex}.mp3"))), "{}", page.text);
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("media-src 'self'"), "it may play: {policy}");
}

#[tokio::test]
async fn a_name_is_text_and_not_markup() {
    let world = World::on_sqlite().await;
    let name = "<script>alert(1)</script>\"'&amp;";
    let person = world.person(name, "ana@example.edu").await;
    let path = format!("/players/{}/{}", world.institution.id, World::registration_token(&person));
    let page = check(&world, &path, 200).await;
    assert!(!page.text.contains("<script"), "{}", page.text);
    assert!(page.text.contains("alert(1)"));
}

#[tokio::test]
async fn a_player_is_found_by_its_own_institution_and_token_alone() {
    let world = World::on_sqlite().await;
    let neighbor = world.neighbor().await;
    let person = world.person("Ana", "ana@example.edu").await;
    let token = World::registration_token(&person);
    check(&world, &format!("/players/{}/{token}", neighbor.institution.id), 404).await;
    check(&world, &format!("/players/{}/ana@example.edu", world.institution.id), 404).await;
    check(&world, &format!("/players/{}/{}", world.institution.id, "0".repeat(32)), 404).await;
}

#[tokio::test]
async fn the_reference_says_which_lists_are_paged_and_that_version_3_searches_by_get() {
    let world = World::on_sqlite().await;
    for (version, sentence) in [
        ("v5", "Version 4 pages a filtered list"),
        ("v4", "version 5 returns all matches of a filter in one page"),
        ("v3", "id=\"searchNamesByGet\""),
    ] {
        let reference = page(&world, &format!("/docs/{version}")).await;
        assert!(reference.text.contains(sentence), "{version}");
    }
    let document = world.get("/v3/openapi.json").await.expect(200);
    assert_eq!(keys(&document["paths"]["/names/search"]), ["get", "post"]);
}

//! Search engines, and the owner's link on a badge.

use endonym::{
    app::{Actor, badges},
    domain::session::PersonId,
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    Browser, Seen,
    own::{ANA, ana, new_here, person, world},
};
use crate::support::{Answer, World};

/// The switch is on.
const LISTED: &str = "aria-describedby=\"listed-hint\" autocomplete=\"off\" checked";
const MINE: &str = "This is me: change it";

fn badge_of(world: &World, person: &Value) -> String {
    person["name_badge_link"].as_str().unwrap().strip_prefix(&world.base).unwrap().to_owned()
}

fn is_hidden(seen: &Seen) -> bool {
    let header = seen.headers.get("x-robots-tag").is_some();
    assert_eq!(header, seen.body.contains("<meta name=\"robots\" content=\"noindex\">"));
    header
}

#[tokio::test]
async fn search_engines_are_a_switch_of_the_person() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    let made = [
        world.person("Ana", ANA).await,
        world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await,
    ];
    let bea = world.person("Bea", "bea@example.edu").await;
    let visitor = Browser::new(&world);
    let hidden = async || {
        let mut all = Vec::new();
        for person in &made {
            all.push(is_hidden(&visitor.get(&badge_of(&world, person)).await.expect(200)));
        }
        all
    };
    let browser = ana(&world).await;
    let page = browser.get("/me").await.expect(200).body;
    assert!(page.contains("name=\"listed\" value=\"1\"") && !page.contains(LISTED), "{page}");
    assert_eq!(hidden().await, [true, true], "by default");
    browser.post("/me/search-engines", &[("listed", "1")]).await.redirects_to("/me?done=audience");
    assert_eq!(hidden().await, [false, false]);
    assert!(is_hidden(&visitor.get(&badge_of(&world, &bea)).await), "only their own");
    assert!(browser.get("/me").await.body.contains(LISTED));
    // A new registration is not listed, so the switch is off until it is saved again.
    let band = world.page("Band").await;
    let new = world.person_on(&band, json!({ "first_name": "Ana", "email": ANA })).await;
    assert!(is_hidden(&visitor.get(&badge_of(&world, &new)).await));
    assert!(!browser.get("/me").await.body.contains(LISTED));
    browser.post("/me/search-engines", &[("listed", "1")]).await.redirects_to("/me?done=audience");
    assert!(!is_hidden(&visitor.get(&badge_of(&world, &new)).await));
    assert!(browser.get("/me").await.body.contains(LISTED));
    // Only while anyone with the link may see it.
    browser.post("/me/audience", &[("audience", "paused")]).await.redirects_to("/me?done=audience");
    for person in &made {
        assert!(
            visitor.get(&badge_of(&world, person)).await.expect(404).headers.contains_key("x-robots-tag")
        );
    }
    let page = browser.get("/me").await.expect(200).body;
    assert!(!page.contains("/badges/"), "who has paused has no badge: {page}");
    browser.post("/me/audience", &[("audience", "public")]).await.redirects_to("/me?done=audience");
    assert_eq!(hidden().await, [false, false]);
    browser.post("/me/search-engines", &[]).await.redirects_to("/me?done=audience");
    assert_eq!(hidden().await, [true, true]);
    let there = world.neighbor().await;
    for stranger in [
        person(&world, "bea@example.edu"),
        PersonId { institution: there.institution.id, email_key: ANA.to_owned() },
    ] {
        let stranger = Actor::Person(stranger);
        assert!(badges::list_all(&world.app, &stranger, &person(&world, ANA), true).await.is_err());
        assert!(badges::is_listed(&world.app, &stranger, &person(&world, ANA)).await.is_err());
    }
}

#[tokio::test]
async fn a_badge_leads_its_owner_to_their_page_and_nobody_else() {
    let world = World::new().await;
    let badge = badge_of(&world, &world.person("Ana", ANA).await);
    world.person("Bea", "bea@example.edu").await;
    let there = world.neighbor().await;
    let body =
        json!({ "name_page_id": there.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    let request = world.request_as(&there.token, Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
    let others = [
        Browser::new(&world),
        new_here(&world, world.institution.id, "bea@example.edu").await,
        new_here(&world, there.institution.id, ANA).await,
    ];
    for other in &others {
        let page = other.get(&badge).await.expect(200);
        assert!(!page.body.contains(MINE), "{}", page.body);
        let is_signed_in = other.cookie("endonym").is_some();
        let caching = if is_signed_in { "private, no-store" } else { "no-cache" };
        assert_eq!(page.headers["cache-control"], caching);
    }
    let browser = ana(&world).await;
    let page = browser.get(&badge).await.expect(200);
    assert!(page.body.contains(&format!("<a href=\"/me\">{MINE}</a>")), "{}", page.body);
    assert_eq!(page.headers["cache-control"], "private, no-store");
    browser.get("/me").await.expect(200);
    browser.post("/sign-out", &[]).await.redirects_to("/sign-in?institution=example");
    assert!(!browser.get(&badge).await.body.contains(MINE));
    browser.set_cookie("endonym", &"0a".repeat(32));
    assert!(!browser.get(&badge).await.body.contains(MINE));
}

#[tokio::test]
async fn a_badge_for_the_institution_has_the_link_too() {
    let world = world().await;
    let browser = ana(&world).await;
    browser.post("/me/audience", &[("audience", "institution")]).await.redirects_to("/me?done=audience");
    let path = format!("/v5/participants?email_list={ANA}");
    let found = world.get(&path).await.expect(200);
    let badge = badge_of(&world, &found["Response"]["participants"][0]);
    assert!(browser.get(&badge).await.expect(200).body.contains(MINE));
    assert_eq!(Browser::new(&world).get(&badge).await.status, 303);
    // It is in no cache, whoever of the institution sees it.
    world.person("Bea", "bea@example.edu").await;
    let bea = new_here(&world, world.institution.id, "bea@example.edu").await;
    for path in [badge.clone(), format!("{badge}.vcf")] {
        let seen = bea.get(&path).await.expect(200);
        assert_eq!(seen.headers["cache-control"], "private, no-store", "{path}");
    }
}

#[tokio::test]
async fn a_badge_speaks_the_language_that_its_visitor_has_set() {
    let world = World::new().await;
    let badge = badge_of(&world, &world.person("Ana", ANA).await);
    world.person("Bea", "bea@example.edu").await;
    let mut bea = new_here(&world, world.institution.id, "bea@example.edu").await;
    bea.headers.push(("accept-language", "es".to_owned()));
    let language = async |browser: &Browser<'_>, path: &str| {
        let page = browser.get(path).await.expect(200).body;
        page.split("<html lang=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    assert_eq!(language(&bea, &badge).await, "es");
    // The menu on the badge changes the setting.
    assert!(bea.get(&badge).await.body.contains("action=\"/me/language\""));
    let fields = [("language", "de"), ("return_to", badge.as_str())];
    bea.post("/me/language", &fields).await.redirects_to(&badge);
    assert_eq!(language(&bea, &badge).await, "de");
    assert_eq!(language(&bea, "/me").await, "de");
    assert_eq!(language(&bea, &format!("{badge}?lang=fr")).await, "fr");
    let visitor = Browser::new(&world);
    assert_eq!(language(&visitor, &badge).await, "en");
    assert!(visitor.get(&badge).await.body.contains("action=\"/language\""));
}

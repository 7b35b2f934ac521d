//! The language of pages and mails.

use endonym::{
    app::{Actor, institutions, languages, sign_in},
    domain::{language::Language, session::PersonId},
};

use super::{
    Browser, Seen,
    own::{ANA, ana, person, world},
};
use crate::support::World;

async fn institution_speaks(world: &World, language: &str) {
    let change = institutions::Change { language: Some(language.into()), ..Default::default() };
    institutions::update(&world.app, &Actor::Operator, &world.institution.slug, change).await.unwrap();
}

fn language_of(seen: &Seen) -> &str {
    seen.body.split("<html lang=\"").nth(1).unwrap().split('"').next().unwrap()
}

#[tokio::test]
async fn a_setting_of_the_person_comes_first() {
    let world = world().await;
    institution_speaks(&world, "pt").await;
    let mut browser = ana(&world).await;
    let shown = async |browser: &Browser<'_>| language_of(&browser.get("/me").await.expect(200)).to_owned();
    assert_eq!(shown(&browser).await, "pt", "the institution's");
    browser.headers.push(("accept-language", "es".to_owned()));
    assert_eq!(shown(&browser).await, "es");
    browser.set_cookie("endonym-language", "fr");
    assert_eq!(shown(&browser).await, "fr");
    browser.post("/me/language", &[("language", "ar"), ("return_to", "/me")]).await.redirects_to("/me");
    let page = browser.get("/me").await.expect(200);
    assert!(page.body.contains("<html lang=\"ar\" dir=\"rtl\">"), "{}", page.body);
    assert_eq!(language_of(&browser.get("/me?lang=de").await), "de", "a link in a language");
    // In another browser, too, and in mails.
    assert_eq!(shown(&ana(&world).await).await, "ar");
    let visitor = Browser::new(&world);
    visitor.mailed("", ANA).await;
    let text = "SELECT id FROM sign_in_requests ORDER BY id DESC LIMIT 1";
    let id = world.app.db.read().one(text, &[], |row| row.id(0)).await.unwrap().unwrap();
    let mail = sign_in::message(&world.app, id, &world.base).await.unwrap().unwrap();
    assert_eq!(mail.content.language, Language::Arabic);
    // What is no language changes nothing.
    browser.post("/me/language", &[("language", "tlh"), ("return_to", "/me")]).await.redirects_to("/me");
    assert_eq!(shown(&browser).await, "ar");
}

#[tokio::test]
async fn a_visitor_chooses_in_the_menu_and_comes_back() {
    let world = world().await;
    let browser = Browser::new(&world);
    let page = browser.get("/sign-in?institution=example").await.expect(200);
    assert_eq!(language_of(&page), "en");
    assert!(
        page.body.contains("action=\"/language\"") && page.body.contains("value=\"zh\""),
        "{}",
        page.body
    );
    let back = "/sign-in?institution=example";
    browser.post("/language", &[("language", "zh"), ("return_to", back)]).await.redirects_to(back);
    assert_eq!(browser.cookie("endonym-language").as_deref(), Some("zh"));
    assert_eq!(language_of(&browser.get(back).await), "zh");
    for elsewhere in ["https://evil.example/", "//evil.example", "/\\evil.example", "", "/a b"] {
        let fields = [("language", "de"), ("return_to", elsewhere)];
        browser.post("/language", &fields).await.redirects_to("/");
    }
    let stranger = Browser::new(&world);
    let cross = [("origin", "https://evil.example")];
    stranger.post_bare("/language", &[("language", "de")], &cross).await.expect(403);
    assert_eq!(stranger.cookie("endonym-language"), None);
}

#[tokio::test]
async fn visitors_who_prefer_none_of_our_languages_read_the_institutions() {
    let world = world().await;
    institution_speaks(&world, "fr").await;
    let mut browser = Browser::new(&world);
    browser.headers.push(("accept-language", "ja, ko;q=0.5".to_owned()));
    assert_eq!(language_of(&browser.get("/sign-in?institution=example").await), "fr");
    assert_eq!(language_of(&browser.get("/sign-in").await), "fr", "of the only institution");
    let change = institutions::Change { language: Some("tlh".into()), ..Default::default() };
    let refused = institutions::update(&world.app, &Actor::Operator, "example", change).await.unwrap_err();
    assert!(refused.to_string().contains("must be one of en, es, fr, de, pt, zh, ar"), "{refused}");
    world.neighbor().await;
    assert_eq!(language_of(&browser.get("/sign-in").await), "en", "of no institution");
    institution_speaks(&world, "").await;
    assert_eq!(language_of(&browser.get("/sign-in?institution=example").await), "en");
}

#[tokio::test]
async fn nobody_sets_the_language_of_somebody_else() {
    let world = world().await;
    world.person("Bea", "bea@example.edu").await;
    let there = world.neighbor().await;
    let own = person(&world, ANA);
    for stranger in [
        person(&world, "bea@example.edu"),
        PersonId { institution: there.institution.id, email_key: ANA.to_owned() },
    ] {
        let stranger = Actor::Person(stranger);
        assert!(languages::choose(&world.app, &stranger, own.clone(), Language::German).await.is_err());
        assert!(languages::find(&world.app, &stranger, &own).await.is_err());
    }
    let nobody = person(&world, "nobody@example.edu");
    assert!(languages::choose(&world.app, &Actor::Operator, nobody, Language::German).await.is_err());
}

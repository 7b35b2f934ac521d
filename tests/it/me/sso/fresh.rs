//! How fresh a session is that a provider has opened: as fresh as the proof that the provider tells of, and not as the session.

use std::time::Duration;

use endonym::domain::{member::Role, sso::Connection};
use serde_json::{Value, json};

use super::{
    Visitor,
    forgery::{self, Forger, KEY, asked, claims, seconds},
};
use crate::{console, me::newest_mail, name_pages, support::World};

const ANA: &str = "ana@example.edu";
/// It needs a fresh sign-in.
const DANGEROUS: &str = "/console/example/tokens/new";
const AGAIN: &str = "/sign-in?institution=example&return_to=%2Fconsole%2Fexample%2Ftokens%2Fnew&why=again";

/// Ana, who is an owner, signs in with what the provider says about the time.
async fn enter<'a>(
    world: &'a World,
    (forger, connection): (&Forger, &Connection),
    again: bool,
    auth_time: Value,
) -> (Visitor<'a>, super::Seen) {
    let visitor = Visitor::new(world);
    let why = if again { "&why=again" } else { "" };
    let path = format!("/sso/{}/start?return_to=%2Fconsole%2Fexample%2Ftokens%2Fnew{why}", connection.id);
    let asked = asked(visitor.browser.get(&path).await.expect(303).location());
    let told = ["prompt", "max_age"].map(|name| asked.query.get(name).map(String::as_str));
    assert_eq!(told, if again { [Some("login"), Some("600")] } else { [None; 2] });
    let mut claims = claims(world, forger, &asked);
    if !auth_time.is_null() {
        claims["auth_time"] = auth_time;
    }
    *forger.id_token.lock().unwrap() = KEY.sign(&claims).unwrap();
    let seen = visitor.browser.get(&forgery::path(&forger.issuer, &asked)).await;
    (visitor, seen)
}

/// Otherwise whoever sits down at a computer on which somebody has signed in this morning needs no password for anything.
#[tokio::test]
async fn a_session_of_single_sign_on_is_as_fresh_as_the_provider_says() {
    let (world, forger, connection) = forgery::scene().await;
    console::set(&world, &world.institution, ANA, Role::Owner, &[]).await;
    let provider = (&forger, &connection);
    let now = seconds(&world);
    for (auth_time, is_fresh) in [
        (json!(now), true),
        (json!(now - 500), true),
        (json!(now as f64 - 0.5), true),
        (Value::Null, false),
        (json!(now - 700), false),
        (json!(now - 86_400), false),
        (json!(now + 3_600), false),
        (json!(i64::MAX), false),
        (json!("now"), false),
        (json!(now.to_string()), false),
        (json!([now]), false),
        (json!(true), false),
    ] {
        for again in [false, true] {
            let (visitor, seen) = enter(&world, provider, again, auth_time.clone()).await;
            match is_fresh || !again {
                true => seen.redirects_to(DANGEROUS),
                // It was to ask again, and has not.
                false => seen.redirects_to(
                    "/sign-in?institution=example&why=code&return_to=%2Fconsole%2Fexample%2Ftokens%2Fnew",
                ),
            };
            let seen = visitor.browser.get(DANGEROUS).await;
            match is_fresh {
                true => seen.expect(200),
                false => seen.redirects_to(AGAIN),
            };
            visitor.browser.get("/console/example").await.expect(200);
        }
    }
}

#[tokio::test]
async fn what_a_provider_does_not_confirm_is_proven_with_a_mailed_code() {
    let (world, forger, connection) = forgery::scene().await;
    console::set(&world, &world.institution, ANA, Role::Owner, &[]).await;
    let (visitor, seen) = enter(&world, (&forger, &connection), true, Value::Null).await;
    let way = seen.location().to_owned();
    let page = visitor.browser.get(&way).await.expect(200).body;
    assert!(
        page.contains("did not confirm that you have just signed in") && !page.contains("/sso/"),
        "{page}"
    );
    let query = way.strip_prefix("/sign-in").unwrap();
    visitor.browser.ask(query, ANA).await.redirects_to("/sign-in/code");
    let mail = newest_mail(&world).await.unwrap();
    visitor.browser.enter_code(&mail.code).await.redirects_to(DANGEROUS);
    visitor.browser.get(DANGEROUS).await.expect(200);
    world.advance(Duration::from_secs(11 * 60));
    visitor.browser.get(DANGEROUS).await.redirects_to(AGAIN);
}

/// With a real provider, in which Ana has a session already.
#[tokio::test]
async fn a_provider_that_asks_again_opens_a_fresh_session() {
    let (world, _provider, connection) = super::scene().await;
    console::set(&world, &world.institution, ANA, Role::Owner, &[]).await;
    let visitor = Visitor::new(&world);
    visitor.sign_in(&connection).await.redirects_to("/me");
    let again = visitor.browser.get(DANGEROUS).await.redirects_to(AGAIN);
    let page = visitor.browser.get(again.location()).await.expect(200).body;
    let link = page.split("href=\"/sso/").nth(1).unwrap().split('"').next().unwrap();
    let link = format!("/sso/{}", link.replace("&#38;", "&").replace("&amp;", "&"));
    let start = visitor.browser.get(&link).await.expect(303);
    let back = visitor.at_provider(start.location()).await;
    visitor.browser.get(&back).await.redirects_to(DANGEROUS);
    visitor.browser.get(DANGEROUS).await.expect(200);
}

/// Everything that carries many people away in one file, or one person as a whole. A script gets a sentence.
#[tokio::test]
async fn files_with_the_data_of_people_need_a_fresh_sign_in() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    console::set(&world, &world.institution, ANA, Role::Owner, &[]).await;
    let browser = console::signed_in(&world, &world.institution, ANA).await;
    let files = [
        ("/me/copy", "/me"),
        ("/console/example/audit/export?format=csv", "/console/example/audit"),
        ("/p/class-of-2027/export?format=xlsx", "/p/class-of-2027/export"),
        ("/p/class-of-2027/export?format=csv", "/p/class-of-2027/export"),
        ("/p/class-of-2027/export?format=zip", "/p/class-of-2027/export"),
        ("/p/class-of-2027/export?format=vcard", "/p/class-of-2027/export"),
        ("/p/class-of-2027/invitations/links.csv", "/p/class-of-2027/invitations"),
    ];
    for (file, _) in files {
        assert_eq!(browser.file(file, &[]).await.0, 200, "{file}");
    }
    // The page of invitations shows the links, too.
    let link = name_pages::invitations::link(&world, "cy@example.edu").await;
    let token = link.strip_prefix("/i/").unwrap();
    let invitations = "/p/class-of-2027/invitations";
    let page = browser.get(invitations).await.expect(200).body;
    assert!(page.contains(token) && !page.contains("why=again"), "{page}");
    world.advance(Duration::from_secs(10 * 60 + 1));
    for (file, page) in files {
        let (status, headers, body) = browser.file(file, &[]).await;
        let location = headers["location"].to_str().unwrap();
        let path = url::Url::parse(&format!("http://x{location}")).unwrap();
        let of =
            |name: &str| path.query_pairs().find(|(one, _)| one == name).map(|(_, value)| value.into_owned());
        assert_eq!((status, path.path()), (303, "/sign-in"), "{file}");
        let told = ["institution", "why", "return_to"].map(of);
        assert_eq!(told, ["example", "again", page].map(|value| Some(value.to_owned())), "{file}");
        assert!(body.is_empty(), "{file}");
        let (status, _, body) = browser.file(file, &[("accept", "application/json")]).await;
        assert_eq!(status, 403, "{file}");
        assert!(String::from_utf8(body).unwrap().contains("sign in again"), "{file}");
        // The page stays, and tells nobody's link.
        let page = browser.get(page).await.expect(200).body;
        assert!(!page.contains(token), "{page}");
    }
    let page = browser.get(invitations).await.expect(200).body;
    assert!(page.contains("why=again") && page.contains("Sign in again to see the personal links"), "{page}");
}

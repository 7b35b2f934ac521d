//! Signing in (ADR 20).

use std::time::Duration;

use endonym::{
    app::{
        Actor, persons, sessions,
        sign_in::{self, Handover, ProxyAuth, Settings},
    },
    domain::{
        client_address::TrustedProxies,
        session::{How, PersonId},
        sign_in::HandoverState,
    },
    mail::Mailer,
};
use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::json;

use super::{Browser, Seen, newest_mail};
use crate::support::{Answer, Neighbor, Setup, World, until};

const MINUTE: Duration = Duration::from_secs(60);

async fn world() -> World {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    world
}

fn person(world: &World, email: &str) -> PersonId {
    PersonId { institution: world.institution.id, email_key: email.to_owned() }
}

/// A link to continue on another device, made in a session that was opened by mail.
async fn hand_over(world: &World, email: &str) -> Handover {
    sign_in::handover(&world.app, &Actor::Operator, &person(world, email), How::Mail, None).await.unwrap()
}

async fn number(world: &World, text: &str) -> i64 {
    world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

async fn execute(world: &World, text: String) {
    let write = world.app.db.write::<_, endonym::store::Error>(move |sql| {
        Box::pin(async move { sql.execute(&text, &[]).await.map(|_| ()) })
    });
    write.await.unwrap();
}

/// The same person's email in another institution.
async fn known_there(world: &World, there: &Neighbor, email: &str) {
    let body =
        json!({ "name_page_id": there.page.slug, "participant": { "first_name": "Ana", "email": email } });
    let request = world.request_as(&there.token, Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
}

#[tokio::test]
async fn a_mailed_code_signs_in_however_it_is_typed() {
    let world = world().await;
    let typed: [fn(&str) -> String; 3] = [
        str::to_owned,
        |code| code.replace('-', ""),
        |code| format!(" {} ", code.to_lowercase().replace('-', " ")),
    ];
    for typed in typed {
        let browser = Browser::new(&world);
        let mail = browser.mailed("", "Ana@Example.edu").await;
        assert_eq!(mail.institution_name.as_deref(), Some("Example University"));
        assert_eq!((mail.code.len(), &mail.code[4..5]), (9, "-"), "{}", mail.code);
        let page = browser.get("/sign-in/code").await;
        assert!(page.body.contains("autocomplete=\"one-time-code\""));
        let answer = browser.enter_code(&typed(&mail.code)).await.redirects_to("/me");
        let cookies: Vec<&str> =
            answer.headers.get_all("set-cookie").iter().map(|line| line.to_str().unwrap()).collect();
        let set = cookies.iter().find(|line| line.starts_with("endonym=")).unwrap();
        assert!(set.contains("HttpOnly") && set.contains("SameSite=Lax") && set.contains("Path=/"), "{set}");
        assert_eq!(browser.cookie("endonym-visitor"), None, "the visitor's cookie is spent");
        let session = browser.session().await.unwrap();
        assert_eq!((session.person, session.how), (person(&world, "ana@example.edu"), How::Mail));
    }
}

#[tokio::test]
async fn only_digests_are_stored() {
    let world = world().await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("", "ana@example.edu").await;
    let text = "SELECT code_digest, link_digest, browser_digest FROM sign_in_requests";
    let read = |row: &endonym::store::Row<'_>| Ok([row.text(0)?, row.text(1)?, row.text(2)?]);
    let stored = world.app.db.read().one(text, &[], read).await.unwrap().unwrap();
    let secret = mail.link.rsplit('/').next().unwrap();
    let visitor = browser.cookie("endonym-visitor").unwrap();
    for digest in &stored {
        assert_eq!(digest.len(), 64);
        for plain in [secret, &visitor, &mail.code, &mail.code.replace('-', "")] {
            assert!(!digest.contains(plain));
        }
    }
    browser.enter_code(&mail.code).await.redirects_to("/me");
    let session = browser.cookie("endonym").unwrap();
    let digest = world.app.db.read().one("SELECT digest FROM sessions", &[], |row| row.text(0)).await;
    assert_ne!(digest.unwrap().unwrap(), session);
}

#[tokio::test]
async fn a_code_works_once() {
    let world = world().await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("", "ana@example.edu").await;
    let visitor = browser.cookie("endonym-visitor").unwrap();
    browser.enter_code(&mail.code).await.redirects_to("/me");
    // The same browser, before and after its cookie is spent.
    let again = Browser::new(&world);
    again.set_cookie("endonym-visitor", &visitor);
    again.get("/sign-in").await;
    again.post("/sign-in/code", &[("code", &mail.code)]).await.expect(422);
    assert!(again.session().await.is_none());
    // Its link is spent as well.
    again.get(mail.link.strip_prefix(&world.base).unwrap()).await.expect(404);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 1);
}

/// The session cannot be opened: its table is away.
async fn without_sessions<T>(world: &World, meanwhile: impl Future<Output = T>) -> T {
    execute(world, "ALTER TABLE sessions RENAME TO sessions_away".into()).await;
    let outcome = meanwhile.await;
    execute(world, "ALTER TABLE sessions_away RENAME TO sessions".into()).await;
    outcome
}

#[tokio::test]
async fn a_code_or_a_link_whose_session_cannot_be_opened_can_be_used_again() {
    let world = world().await;
    let there = world.neighbor().await;
    known_there(&world, &there, "ben@example.edu").await;
    world.person("Ben", "ben@example.edu").await;
    let everything = "SELECT CAST(COALESCE(SUM(tries), 0) AS BIGINT) + COUNT(proven_at) + COUNT(used_at) FROM sign_in_requests";
    // A code.
    let browser = Browser::new(&world);
    let mail = browser.mailed("", "ana@example.edu").await;
    browser.get("/sign-in/code").await.expect(200);
    let send = async || browser.post("/sign-in/code", &[("code", &mail.code)]).await;
    assert!(without_sessions(&world, send()).await.status.is_server_error());
    assert_eq!(number(&world, everything).await, 0, "not even the try counts");
    send().await.redirects_to("/me");
    // A link from a message, in a browser that is signed in: it stays so.
    let before = browser.cookie("endonym").unwrap();
    let other = Browser::new(&world);
    let mail = other.mailed("", "ana@example.edu").await;
    let path = mail.link.strip_prefix(&world.base).unwrap().to_owned();
    browser.get(&path).await.expect(200);
    assert!(without_sessions(&world, browser.post(&path, &[])).await.status.is_server_error());
    assert_eq!(browser.cookie("endonym").as_ref(), Some(&before));
    assert!(browser.session().await.is_some(), "the old session has not ended");
    browser.post(&path, &[]).await.redirects_to("/me");
    assert_ne!(browser.cookie("endonym").unwrap(), before);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 1, "the old session has ended");
    // A link to another device.
    let handover = hand_over(&world, "ana@example.edu").await;
    let path = handover.link.strip_prefix(&world.base).unwrap().to_owned();
    let phone = Browser::new(&world);
    phone.get(&path).await.expect(200);
    assert!(without_sessions(&world, phone.post(&path, &[])).await.status.is_server_error());
    phone.post(&path, &[]).await.redirects_to("/me");
    // Somebody who has to choose an institution.
    let chooser = Browser::new(&world);
    let mail = chooser.mailed("", "ben@example.edu").await;
    chooser.enter_code(&mail.code).await.redirects_to("/sign-in/choose");
    chooser.get("/sign-in/choose").await.expect(200);
    let institution = [("institution", world.institution.slug.as_str())];
    let choose = async || chooser.post("/sign-in/choose", &institution).await;
    assert!(without_sessions(&world, choose()).await.status.is_server_error());
    choose().await.redirects_to("/me");
}

#[tokio::test]
async fn a_code_that_is_sent_twice_at_once_opens_one_session() {
    let world = world().await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("", "ana@example.edu").await;
    browser.get("/sign-in/code").await.expect(200);
    let sent =
        join_all((0..4).map(async |_| browser.post("/sign-in/code", &[("code", &mail.code)]).await)).await;
    assert_eq!(sent.iter().filter(|seen| seen.status == 303).count(), 1);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 1);
}

#[tokio::test]
async fn another_browser_can_neither_use_a_code_nor_use_up_its_tries() {
    let world = world().await;
    let (browser, other) = (Browser::new(&world), Browser::new(&world));
    let mail = browser.mailed("", "ana@example.edu").await;
    other.get("/sign-in/code").await.redirects_to("/sign-in");
    other.get("/sign-in").await.expect(200);
    let refused = other.post("/sign-in/code", &[("code", &mail.code)]).await.expect(422);
    for _ in 0..6 {
        let wrong = other.post("/sign-in/code", &[("code", "AAAA-AAAA")]).await.expect(422);
        assert_eq!(wrong.body.replace("AAAA-AAAA", &mail.code), refused.body, "like a wrong code");
    }
    // Not even with a request of its own for the same address.
    other.ask("", "ana@example.edu").await.redirects_to("/sign-in/code");
    other.enter_code(&mail.code).await.expect(422);
    assert!(other.session().await.is_none());
    browser.enter_code(&mail.code).await.redirects_to("/me");
}

#[tokio::test]
async fn after_five_wrong_tries_the_right_code_is_refused() {
    let world = world().await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("", "ana@example.edu").await;
    for _ in 0..5 {
        let wrong = browser.enter_code("ZZZZ-ZZZZ").await.expect(422);
        assert!(wrong.body.contains("value=\"ZZZZ-ZZZZ\""), "what was typed is kept");
        assert!(wrong.body.contains("aria-describedby=\"code-fault code-help\""));
    }
    browser.enter_code(&mail.code).await.expect(422);
    assert!(browser.session().await.is_none());
    // A blank field is no try, and a new message has new tries.
    let mail = browser.mailed("", "ana@example.edu").await;
    for _ in 0..4 {
        browser.enter_code("AAAA-AAAA").await.expect(422);
    }
    browser.enter_code(" ").await.expect(422);
    browser.enter_code(&mail.code).await.redirects_to("/me");
}

#[tokio::test]
async fn parallel_tries_are_counted_one_by_one() {
    let world = world().await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("", "ana@example.edu").await;
    browser.get("/sign-in/code").await.expect(200);
    let tries = join_all((0..16).map(|_| browser.post("/sign-in/code", &[("code", "AAAA-AAAA")]))).await;
    assert!(tries.iter().all(|seen| seen.status == 422));
    assert_eq!(number(&world, "SELECT tries FROM sign_in_requests").await, 5);
    browser.enter_code(&mail.code).await.expect(422);
}

#[tokio::test]
async fn parallel_posts_of_the_right_code_open_one_session() {
    let world = world().await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("", "ana@example.edu").await;
    browser.get("/sign-in/code").await.expect(200);
    let fields = [("code", mail.code.as_str())];
    let tries = join_all((0..4).map(|_| browser.post("/sign-in/code", &fields))).await;
    assert_eq!(tries.iter().filter(|seen| seen.status == 303).count(), 1);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 1);
}

/// Everything of a response that does not differ between any two requests.
fn comparable(seen: &Seen) -> (StatusCode, Vec<(String, String)>, String) {
    let headers = seen.headers.iter().filter(|(name, _)| !["date", "x-request-id"].contains(&name.as_str()));
    let headers = headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
    (seen.status, headers.collect(), seen.body.clone())
}

#[tokio::test]
async fn known_and_unknown_addresses_get_the_same_to_the_byte() {
    let world = world().await;
    let browser = Browser::new(&world);
    let mut seen = Vec::new();
    for email in ["ana@example.edu", "nobody@example.edu"] {
        let form = browser.get("/sign-in").await;
        let asked = browser.post("/sign-in", &[("email", email)]).await;
        let code = browser.get("/sign-in/code").await;
        let wrong = browser.post("/sign-in/code", &[("code", "AAAA-AAAA")]).await;
        browser.post("/sign-in", &[("email", email)]).await.expect(303);
        browser.post("/sign-in", &[("email", email)]).await.expect(303);
        let too_many = browser.post("/sign-in", &[("email", email)]).await.expect(429);
        seen.push([form, asked, code, wrong, too_many].map(|one| comparable(&one)));
    }
    assert_eq!(seen[0], seen[1]);
}

/// By work, not by the clock: the handlers do not read people, so they cannot take longer for some of them.
#[tokio::test]
async fn known_and_unknown_addresses_cause_the_same_work() {
    let world = world().await;
    for table in ["participants", "hidden_participants"] {
        execute(&world, format!("ALTER TABLE {table} RENAME TO {table}_elsewhere")).await;
    }
    for (nth, email) in [(1, "ana@example.edu"), (2, "nobody@example.edu")] {
        let browser = Browser::new(&world);
        browser.ask("", email).await.redirects_to("/sign-in/code");
        browser.get("/sign-in/code").await.expect(200);
        browser.post("/sign-in/code", &[("code", "AAAA-AAAA")]).await.expect(422);
        for table in ["sign_in_requests", "sign_in_counts", "outbox", "jobs"] {
            assert_eq!(number(&world, &format!("SELECT COUNT(*) FROM {table}")).await, nth, "{table}");
        }
    }
}

#[tokio::test]
async fn only_known_people_get_a_message() {
    let world = world().await;
    let browser = Browser::new(&world);
    browser.ask("", "nobody@example.edu").await.redirects_to("/sign-in/code");
    assert!(newest_mail(&world).await.is_none());
    assert_eq!(
        number(&world, "SELECT COUNT(*) FROM sign_in_requests WHERE code_digest IS NOT NULL").await,
        0
    );
    let there = world.neighbor().await;
    let query = format!("?institution={}", there.institution.slug);
    browser.ask(&query, "ana@example.edu").await.redirects_to("/sign-in/code");
    assert!(newest_mail(&world).await.is_none(), "known elsewhere only");
    browser.get("/sign-in?institution=no-such").await.expect(404);
}

#[tokio::test]
async fn opening_a_link_changes_nothing_and_pressing_the_button_spends_it() {
    let world = world().await;
    let (browser, phone) = (Browser::new(&world), Browser::new(&world));
    let mail = browser.mailed("?return_to=/me%3Fpage%3D1", "ana@example.edu").await;
    let path = mail.link.strip_prefix(&world.base).unwrap();
    for method in [Method::HEAD, Method::GET, Method::GET, Method::HEAD] {
        let seen = Browser::new(&world).ask_for(method, path).await.expect(200);
        assert_eq!(seen.headers["cache-control"], "no-store");
        assert_eq!(seen.headers["referrer-policy"], "same-origin");
        assert!(!seen.body.contains("ana@example.edu"));
    }
    let page = phone.get(path).await.expect(200);
    assert!(page.body.contains("a•••@example.edu") && page.body.contains("Continue"), "{}", page.body);
    // Another browser than the one that asked: people read mail on their phone.
    phone.post(path, &[]).await.redirects_to("/me?page=1");
    assert_eq!(phone.session().await.unwrap().person, person(&world, "ana@example.edu"));
    browser.get("/sign-in").await.expect(200);
    browser.post("/sign-in/code", &[("code", &mail.code)]).await.expect(422);
    // A used link looks like one that never existed.
    let used = phone.get(path).await.expect(404);
    let unknown = phone.get(&format!("/sign-in/link/{}", "0a".repeat(32))).await.expect(404);
    assert_eq!(comparable(&used), comparable(&unknown));
    let malformed = phone.get("/sign-in/link/x").await.expect(404);
    assert_eq!(comparable(&malformed), comparable(&unknown));
    assert!(used.body.contains("href=\"/sign-in\""), "a way to ask for a new one");
    phone.get("/sign-in").await;
    phone.post(path, &[]).await.expect(404);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 1);
}

#[tokio::test]
async fn parallel_presses_of_a_link_open_one_session() {
    let world = world().await;
    let mailed = Browser::new(&world).mailed("", "ana@example.edu").await.link;
    let (printed, _) = sign_in::operator_link(
        &world.app,
        &Actor::Operator,
        world.institution.id,
        "ana@example.edu",
        MINUTE,
        &world.base,
    )
    .await
    .unwrap();
    for (nth, link) in [(1, mailed), (2, printed)] {
        let path = link.strip_prefix(&world.base).unwrap();
        let browsers: Vec<Browser<'_>> = (0..4).map(|_| Browser::new(&world)).collect();
        for browser in &browsers {
            browser.get(path).await.expect(200);
        }
        let pressed = join_all(browsers.iter().map(|browser| browser.post(path, &[]))).await;
        assert_eq!(pressed.iter().filter(|seen| seen.status == 303).count(), 1);
        assert_eq!(pressed.iter().filter(|seen| seen.status == 404).count(), 3);
        assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, nth);
    }
}

#[tokio::test]
async fn codes_and_links_expire_after_ten_minutes() {
    let world = world().await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("", "ana@example.edu").await;
    let handover = hand_over(&world, "ana@example.edu").await;
    browser.get("/sign-in/code").await.expect(200);
    world.advance(MINUTE * 10);
    browser.post("/sign-in/code", &[("code", &mail.code)]).await.expect(422);
    for link in [&mail.link, &handover.link] {
        browser.get(link.strip_prefix(&world.base).unwrap()).await.expect(404);
        browser.get("/sign-in").await;
        browser.post(link.strip_prefix(&world.base).unwrap(), &[]).await.expect(404);
    }
    assert!(newest_mail(&world).await.is_none(), "it is not sent any more");
    assert!(browser.session().await.is_none());
}

#[tokio::test]
async fn every_form_wants_its_token_and_our_origin() {
    let world = world().await;
    known_there(&world, &world.neighbor().await, "ana@example.edu").await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("", "ana@example.edu").await;
    browser.enter_code(&mail.code).await.redirects_to("/sign-in/choose");
    let (link, _) = sign_in::operator_link(
        &world.app,
        &Actor::Operator,
        world.institution.id,
        "ana@example.edu",
        MINUTE,
        &world.base,
    )
    .await
    .unwrap();
    let link = link.strip_prefix(&world.base).unwrap();
    browser.get("/sign-in/choose").await.expect(200);
    let (csrf, own) = (browser.csrf(), world.base.clone());
    let forged = "0a".repeat(32);
    let forms = [
        ("/sign-in", ("email", "ana@example.edu")),
        ("/sign-in/code", ("code", "AAAA-AAAA")),
        ("/sign-in/choose", ("institution", "example")),
        (link, ("x", "y")),
    ];
    let requests = "SELECT COUNT(*) FROM sign_in_requests";
    for (path, field) in forms {
        let with = |csrf| vec![("csrf", csrf), field];
        for (fields, headers) in [
            (vec![field], vec![("origin", own.as_str())]),
            (with(""), vec![]),
            (with(&forged), vec![]),
            (with(&csrf), vec![("origin", "https://evil.example")]),
            (with(&csrf), vec![("origin", "null")]),
            (with(&csrf), vec![("sec-fetch-site", "cross-site")]),
            (with(&csrf), vec![("sec-fetch-site", "same-site"), ("origin", own.as_str())]),
        ] {
            let seen = browser.post_bare(path, &fields, &headers).await;
            assert_eq!(seen.status, 403, "{path} {fields:?} {headers:?}");
        }
        // The token of another visitor, and no cookie at all.
        let stranger = Browser::new(&world);
        assert_eq!(stranger.post_bare(path, &with(&csrf), &[]).await.status, 403, "{path}");
        stranger.get("/sign-in").await;
        assert_eq!(stranger.post_bare(path, &with(&csrf), &[]).await.status, 403, "{path}");
    }
    assert_eq!(number(&world, requests).await, 1);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 0);
    // Nothing of that has spent the link.
    browser.get(link).await.expect(200);
    browser.post(link, &[]).await.redirects_to("/me");
    // Signing out as well.
    let seen = browser.post_bare("/sign-out", &[("csrf", &csrf)], &[]).await;
    assert_eq!(seen.status, 403, "the visitor's token is not the session's");
    let session = own_token(&browser);
    for headers in [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")] {
        assert_eq!(browser.post_bare("/sign-out", &[("csrf", &session)], &[headers]).await.status, 403);
    }
    assert!(browser.session().await.is_some());
}

/// The token of the forms of a session.
fn own_token(browser: &Browser<'_>) -> String {
    let secret = sessions::Secret::parse(&browser.cookie("endonym").unwrap()).unwrap();
    endonym::http::csrf::token(&secret)
}

#[tokio::test]
async fn signing_in_always_makes_a_new_session_and_ends_the_old_one() {
    let world = world().await;
    world.person("Bea", "bea@example.edu").await;
    let browser = Browser::new(&world);
    // Planted by somebody else.
    let planted = "0a".repeat(32);
    browser.set_cookie("endonym", &planted);
    let mail = browser.mailed("", "ana@example.edu").await;
    browser.enter_code(&mail.code).await.redirects_to("/me");
    let first = browser.cookie("endonym").unwrap();
    assert_ne!(first, planted);
    assert!(sessions::find(&world.app, &[&planted]).await.unwrap().is_none());
    // Switching to another person.
    let mail = browser.mailed("", "bea@example.edu").await;
    browser.follow(&mail.link).await.redirects_to("/me");
    assert_ne!(browser.cookie("endonym").unwrap(), first);
    assert!(sessions::find(&world.app, &[&first]).await.unwrap().is_none(), "the old session has ended");
    assert_eq!(browser.session().await.unwrap().person.email_key, "bea@example.edu");
}

#[tokio::test]
async fn an_email_in_two_institutions_is_two_persons_and_one_is_chosen_after_the_proof() {
    let world = world().await;
    let there = world.neighbor().await;
    known_there(&world, &there, "ana@example.edu").await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("", "ana@example.edu").await;
    assert_eq!(mail.institution_name, None);
    for path in ["/sign-in", "/sign-in/code"] {
        let page = browser.get(path).await;
        assert!(!page.body.contains("Another College") && !page.body.contains("Example University"));
    }
    browser.get("/sign-in/choose").await.redirects_to("/sign-in");
    browser.get("/sign-in").await;
    browser.post("/sign-in/choose", &[("institution", "example")]).await.expect(403);
    // Proven on the phone: the choice is made there, and nowhere else.
    let phone = Browser::new(&world);
    phone.follow(&mail.link).await.redirects_to("/sign-in/choose");
    assert!(phone.session().await.is_none());
    browser.get("/sign-in/choose").await.redirects_to("/sign-in");
    let page = phone.get("/sign-in/choose").await.expect(200);
    assert!(page.body.contains("Another College") && page.body.contains("Example University"));
    let third = world.neighbor_named("Third College").await;
    phone.post("/sign-in/choose", &[("institution", &third.institution.slug)]).await.expect(403);
    phone.post("/sign-in/choose", &[("institution", &there.institution.slug)]).await.redirects_to("/me");
    let session = phone.session().await.unwrap();
    assert_eq!(session.person.institution, there.institution.id);
    // The choice is made once.
    phone.get("/sign-in/choose").await.redirects_to("/sign-in");
    phone.get("/sign-in").await;
    phone.post("/sign-in/choose", &[("institution", "example")]).await.expect(403);
    // An institution that is named needs no choice, and leads to the other person.
    let mail = phone.mailed("?institution=example", "ana@example.edu").await;
    assert_eq!(mail.institution_name.as_deref(), Some("Example University"));
    phone.enter_code(&mail.code).await.redirects_to("/me");
    assert_eq!(phone.session().await.unwrap().person, person(&world, "ana@example.edu"));
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 1);
}

#[tokio::test]
async fn an_address_gets_three_messages_in_a_quarter_of_an_hour_and_ten_a_day() {
    let world = world().await;
    // The clock of a test runs on.
    let wait = |refused: &Seen| refused.headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap();
    for email in ["ana@example.edu", "nobody@example.edu"] {
        let asks = async || Browser::new(&world).ask("", email).await;
        for quarter in 0..3 {
            for _ in 0..3 {
                asks().await.redirects_to("/sign-in/code");
            }
            for spelled in [email.to_uppercase(), format!(" {email} ")] {
                let refused = Browser::new(&world).ask("", &spelled).await.expect(429);
                assert!((840..=900).contains(&wait(&refused)), "{quarter}: {}", wait(&refused));
            }
            world.advance(MINUTE * 5);
            let refused = asks().await.expect(429);
            assert!((540..=600).contains(&wait(&refused)), "{quarter}: {}", wait(&refused));
            world.advance(MINUTE * 10);
        }
        asks().await.redirects_to("/sign-in/code");
        // 45 minutes of the day have passed.
        let until_tomorrow = 24 * 3_600 - 45 * 60;
        let refused = asks().await.expect(429);
        assert!((until_tomorrow - 120..=until_tomorrow).contains(&wait(&refused)), "{}", wait(&refused));
        assert!(refused.body.contains("Please try again tomorrow."), "{}", refused.body);
        world.advance(MINUTE * (24 * 60 - 45 - 30));
        let refused = asks().await.expect(429);
        assert!((30 * 60 - 120..=30 * 60).contains(&wait(&refused)), "{}", wait(&refused));
        assert!(refused.body.contains("Within 24 hours"), "{}", refused.body);
        world.advance(MINUTE * 60 * 24);
        asks().await.redirects_to("/sign-in/code");
    }
}

#[tokio::test]
async fn parallel_requests_do_not_exceed_the_limit_of_an_address() {
    let world = world().await;
    let browser = Browser::new(&world);
    browser.get("/sign-in").await.expect(200);
    let asked = join_all((0..12).map(|_| browser.post("/sign-in", &[("email", "ana@example.edu")]))).await;
    assert_eq!(asked.iter().filter(|seen| seen.status == 303).count(), 3);
    assert_eq!(asked.iter().filter(|seen| seen.status == 429).count(), 9);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sign_in_requests").await, 3);
}

#[tokio::test]
async fn a_network_gets_a_limited_number_of_messages() {
    let sign_in = Settings { limit: 2, ..Settings::default() };
    let world = World::with(Setup { sign_in, ..Setup::default() }).await;
    let from = |address: &str| {
        let mut browser = Browser::new(&world);
        browser.headers.push(("x-forwarded-for", address.to_owned()));
        browser
    };
    for nth in 0..2 {
        from("2001:db8:1:2::1").ask("", &format!("p{nth}@x.org")).await.redirects_to("/sign-in/code");
    }
    from("2001:db8:1:2:ffff::9").ask("", "p3@x.org").await.expect(429);
    from("2001:db8:1:3::1").ask("", "p4@x.org").await.redirects_to("/sign-in/code");
    world.advance(MINUTE * 15);
    from("2001:db8:1:2::1").ask("", "p5@x.org").await.redirects_to("/sign-in/code");
    // A proxy that forwards no address stands for many.
    for nth in 0..20 {
        Browser::new(&world).ask("", &format!("q{nth}@x.org")).await.redirects_to("/sign-in/code");
    }
    Browser::new(&world).ask("", "q20@x.org").await.expect(429);
}

#[tokio::test]
async fn what_is_no_email_is_explained_next_to_the_field() {
    let world = world().await;
    let browser = Browser::new(&world);
    let answer = browser.ask("?institution=example&return_to=/me", "<b>ana").await.expect(422);
    assert!(
        answer.body.contains("value=\"&#60;b&#62;ana\"") && !answer.body.contains("<b>ana"),
        "{}",
        answer.body
    );
    assert!(
        answer.body.contains("aria-describedby=\"email-fault\"")
            && answer.body.contains("id=\"email-fault\"")
    );
    assert_eq!(answer.body.matches("<h1").count(), 1);
    // The institution and the way back are kept.
    assert!(answer.body.contains("name=\"institution\" value=\"example\""));
    assert!(answer.body.contains("name=\"return_to\" value=\"/me\""));
    browser.post("/sign-in", &[("email", "")]).await.expect(422);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sign_in_requests").await, 0);
}

#[tokio::test]
async fn only_local_paths_are_returned_to() {
    let world = World::with(Setup { sign_in: by_proxy("127.0.0.0/8"), ..Setup::default() }).await;
    world.person("Ana", "ana@example.edu").await;
    world.crowd(&world.page, 0..20).await;
    for (nth, (given, goes)) in [
        ("/me?a=1&b=%2F", "/me?a=1&b=%2F"),
        ("/", "/"),
        ("//evil.example", "/me"),
        ("///evil.example", "/me"),
        ("/\\evil.example", "/me"),
        ("\\\\evil.example", "/me"),
        ("https://evil.example/", "/me"),
        ("https:evil.example", "/me"),
        ("javascript:alert(1)", "/me"),
        ("/\t/evil.example", "/me"),
        ("/\n/evil.example", "/me"),
        ("/me\r\nSet-Cookie: a=b", "/me"),
        ("evil.example", "/me"),
        (" /me/x", "/me"),
        ("", "/me"),
    ]
    .into_iter()
    .enumerate()
    {
        let query: String =
            form_urlencoded::Serializer::new(String::from("?")).append_pair("return_to", given).finish();
        let browser = Browser::new(&world);
        let form = browser.get(&format!("/sign-in{query}")).await.expect(200);
        assert!(!form.body.contains("evil.example"), "{given:?}");
        let mail = browser.mailed(&query, &format!("p{nth}@x.org")).await;
        browser.enter_code(&mail.code).await.redirects_to(goes);
        let mut trusted = Browser::new(&world);
        trusted.headers.push((HEADER, "ana@example.edu".to_owned()));
        trusted.get(&format!("/sign-in/proxy{query}")).await.redirects_to(goes);
    }
}

const HEADER: &str = "x-remote-user-email";

fn by_proxy(networks: &str) -> Settings {
    let networks = TrustedProxies::parse(networks).unwrap();
    let proxy = ProxyAuth { header: HEADER.to_owned(), networks, institution: "example".to_owned() };
    Settings { proxy: Some(proxy), ..Settings::default() }
}

#[tokio::test]
async fn a_trusted_proxy_signs_in_the_person_in_its_header() {
    let world = World::with(Setup { sign_in: by_proxy("127.0.0.1"), ..Setup::default() }).await;
    world.person("Ana", "ana@example.edu").await;
    world.person("Kim", "kim@example.edu").await;
    let there = world.neighbor().await;
    known_there(&world, &there, "only@there.example").await;
    let page = Browser::new(&world).get("/sign-in?return_to=/me/x").await.expect(200);
    assert!(page.body.contains("href=\"/sign-in/proxy?return_to=%2Fme%2Fx\""), "{}", page.body);
    let elsewhere =
        Browser::new(&world).get(&format!("/sign-in?institution={}", there.institution.slug)).await;
    assert!(!elsewhere.body.contains("/sign-in/proxy"));
    let with = |headers: &[(&'static str, &str)]| {
        let mut browser = Browser::new(&world);
        browser.headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        browser
    };
    let browser = with(&[(HEADER, "Ana@Example.edu")]);
    browser.get("/sign-in/proxy?return_to=/me/x").await.redirects_to("/me/x");
    let session = browser.session().await.unwrap();
    assert_eq!((session.person, session.how), (person(&world, "ana@example.edu"), How::Proxy));
    for headers in [
        &[][..],
        &[(HEADER, "")],
        &[(HEADER, "nobody@example.edu")],
        &[(HEADER, "only@there.example")],
        // The Kelvin sign: another mailbox than Kim's.
        &[(HEADER, "\u{212a}im@example.edu")],
        &[(HEADER, "ana@example.edu"), (HEADER, "bea@example.edu")],
        &[(HEADER, "ana@example.edu, bea@example.edu")],
        &[("x_remote_user_email", "ana@example.edu")],
        &[(HEADER, "ana@example.edu"), ("x_remote_user_email", "bea@example.edu")],
    ] {
        let browser = with(headers);
        let refused = browser.get("/sign-in/proxy").await.expect(403);
        assert!(refused.body.contains("href=\"/sign-in\""), "{headers:?}");
        assert_eq!(browser.cookie("endonym"), None, "{headers:?}");
    }
    // On all other paths the header means nothing.
    let browser = with(&[(HEADER, "ana@example.edu")]);
    browser.get("/sign-in").await.expect(200);
    browser.get("/sign-in/code").await.redirects_to("/sign-in");
    browser.post_bare("/sign-out", &[], &[]).await.redirects_to("/sign-in");
    assert_eq!(browser.cookie("endonym"), None);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 1);
}

#[tokio::test]
async fn the_header_of_anybody_else_is_ignored() {
    let elsewhere = World::with(Setup { sign_in: by_proxy("10.0.0.0/8"), ..Setup::default() }).await;
    let off = World::new().await;
    for (world, status) in [(&elsewhere, 403), (&off, 404)] {
        world.person("Ana", "ana@example.edu").await;
        // The address that is forwarded is not the connection's own.
        for forwarded in ["10.0.0.1", "127.0.0.1", "192.0.2.7"] {
            let mut browser = Browser::new(world);
            browser.headers.push((HEADER, "ana@example.edu".to_owned()));
            browser.headers.push(("x-forwarded-for", forwarded.to_owned()));
            browser.get("/sign-in/proxy").await.expect(status);
            assert_eq!(browser.cookie("endonym"), None);
        }
        assert_eq!(number(world, "SELECT COUNT(*) FROM sessions").await, 0);
    }
    assert!(!Browser::new(&off).get("/sign-in").await.body.contains("/sign-in/proxy"));
}

#[tokio::test]
async fn signing_out_ends_the_session_here_or_everywhere() {
    let world = world().await;
    world.person("Bea", "bea@example.edu").await;
    let mut browsers = Vec::new();
    for email in ["ana@example.edu", "ana@example.edu", "ana@example.edu", "bea@example.edu"] {
        let browser = Browser::new(&world);
        let mail = browser.mailed("", email).await;
        browser.enter_code(&mail.code).await.redirects_to("/me");
        browsers.push(browser);
    }
    let [here, there, elsewhere, bea] = &browsers[..] else { panic!("four browsers") };
    let old = here.cookie("endonym").unwrap();
    let sign_in = "/sign-in?institution=example";
    here.post_bare("/sign-out", &[("csrf", &own_token(here))], &[]).await.redirects_to(sign_in);
    assert_eq!(here.cookie("endonym"), None);
    assert!(sessions::find(&world.app, &[&old]).await.unwrap().is_none());
    assert!(there.session().await.is_some() && elsewhere.session().await.is_some());
    let fields = [("csrf", own_token(there)), ("everywhere", "1".to_owned())];
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    there.post_bare("/sign-out", &fields, &[]).await.redirects_to(sign_in);
    assert!(elsewhere.session().await.is_none());
    assert!(bea.session().await.is_some());
}

#[tokio::test]
async fn a_handover_link_signs_in_another_device_once_and_reports_what_became_of_it() {
    let world = world().await;
    let ana = person(&world, "ana@example.edu");
    let handover = hand_over(&world, "ana@example.edu").await;
    let state = async |whose: &PersonId| {
        sign_in::handover_state(&world.app, &Actor::Operator, whose, handover.id).await.unwrap()
    };
    assert_eq!(state(&ana).await, Some(HandoverState::Waiting));
    assert_eq!(state(&person(&world, "bea@example.edu")).await, None, "somebody else's");
    let phone = Browser::new(&world);
    phone.follow(&handover.link).await.redirects_to("/me");
    assert_eq!(phone.session().await.unwrap().how, How::Handover);
    assert_eq!(state(&ana).await, Some(HandoverState::Opened));
    Browser::new(&world).get(handover.link.strip_prefix(&world.base).unwrap()).await.expect(404);
    sign_in::handover_recorded(&world.app, &Actor::Operator, &ana).await.unwrap();
    assert_eq!(state(&ana).await, Some(HandoverState::Recorded));
    world.advance(MINUTE * 61);
    assert!(phone.session().await.is_none(), "it is for one recording");
}

#[tokio::test]
async fn an_erased_person_is_signed_out_and_their_links_are_void() {
    let world = world().await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("", "ana@example.edu").await;
    browser.enter_code(&mail.code).await.redirects_to("/me");
    let pending = Browser::new(&world).mailed("", "ana@example.edu").await;
    let handover = hand_over(&world, "ana@example.edu").await;
    persons::erase(
        &world.app,
        &Actor::Operator,
        world.institution.id,
        "ana@example.edu".into(),
        persons::Rewrite::Now,
    )
    .await
    .unwrap();
    assert!(browser.session().await.is_none());
    for link in [&pending.link, &handover.link] {
        browser.get(link.strip_prefix(&world.base).unwrap()).await.expect(404);
    }
    for table in ["sessions", "sign_in_requests", "sign_in_links", "sign_in_counts"] {
        assert_eq!(number(&world, &format!("SELECT COUNT(*) FROM {table}")).await, 0, "{table}");
    }
}

#[tokio::test]
async fn pages_are_private_and_keep_the_way_back_when_the_language_changes() {
    let world = world().await;
    let page = Browser::new(&world).get("/sign-in?institution=example&return_to=/me").await.expect(200);
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "same-origin"),
        ("x-robots-tag", "noindex"),
        ("permissions-policy", "microphone=()"),
    ] {
        assert_eq!(page.headers[name], value);
    }
    assert!(page.headers["content-security-policy"].to_str().unwrap().contains("form-action 'self'"));
    assert!(page.body.contains("Example University"));
    let other = "name=\"return_to\" value=\"/sign-in?institution=example&#38;return_to=%2Fme\"";
    assert!(page.body.contains(other), "{}", page.body);
    assert!(!page.body.contains("<script"));
}

#[tokio::test]
async fn a_known_person_gets_a_mail_and_an_unknown_one_gets_none() {
    let folder = tempfile::tempdir().unwrap();
    let mail = Mailer::new(&endonym::mail::Settings {
        url: format!("file:{}", folder.path().display()),
        from: "names@example.edu".into(),
        timeout: MINUTE,
        ca_file: None,
        per_minute: 600,
    });
    let world = World::with(Setup { mail: mail.unwrap(), ..Setup::default() }).await;
    world.person("Ana", "ana@example.edu").await;
    let (browser, unknown) = (Browser::new(&world), Browser::new(&world));
    unknown.ask("", "nobody@example.edu").await.redirects_to("/sign-in/code");
    browser.ask("", "ana@example.edu").await.redirects_to("/sign-in/code");
    let text = "SELECT code_digest FROM sign_in_requests WHERE code_digest IS NOT NULL";
    let before = world.app.db.read().one(text, &[], |row| row.text(0)).await.unwrap();
    assert_eq!(before, None, "made when the message is sent");
    world.work(1);
    until("both jobs are done", || async {
        number(&world, "SELECT COUNT(*) FROM jobs WHERE kind = 'send_mail'").await == 0
    })
    .await;
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("one message: {files:?}") };
    let content = std::fs::read_to_string(file).unwrap();
    let is_code = |word: &&str| word.len() == 9 && word.chars().nth(4) == Some('-');
    let code = content.lines().map(str::trim).find(is_code).unwrap_or_else(|| panic!("{content}"));
    // Nothing secret is left behind in the outbox, and nothing at all about the other address.
    let rows = world.app.db.read().rows("SELECT * FROM outbox", &[], |row| row.record()).await.unwrap();
    let rows = serde_json::to_string(&rows).unwrap();
    assert!(rows.contains("ana@example.edu") && !rows.contains("nobody@example.edu"), "{rows}");
    assert!(!rows.contains(code) && !rows.contains("/sign-in/link"), "{rows}");
    browser.enter_code(code).await.redirects_to("/me");
}

/// Whoever knows an address can ask for messages to it. That keeps its owner from nothing: neither from entering a code that they have,
/// nor, in a browser in which they have signed in before, from getting another one.
#[tokio::test]
async fn strangers_who_ask_for_messages_keep_nobody_from_signing_in() {
    const ANA: &str = "ana@example.edu";
    let world = world().await;
    world.person("Ben", "ben@example.edu").await;
    let known = Browser::new(&world);
    let mail = known.mailed("", ANA).await;
    known.enter_code(&mail.code).await.redirects_to("/me");
    known.get("/me").await.expect(200);
    known.post("/sign-out", &[]).await.expect(303);
    let mark = known.cookie("endonym-known").expect("it survives signing out");
    let waiting = Browser::new(&world);
    let mail = waiting.mailed("", ANA).await;
    let strangers = join_all((0..5).map(|_| async { Browser::new(&world).ask("", ANA).await })).await;
    assert_eq!(strangers.iter().filter(|seen| seen.status == 429).count(), 4);
    // The page leads to where the code is entered.
    let told = waiting.ask("", ANA).await.expect(429);
    assert!(told.body.contains("href=\"/sign-in/code\""), "{}", told.body);
    assert!(!Browser::new(&world).ask("", ANA).await.body.contains("href=\"/sign-in/code\""));
    waiting.enter_code(&mail.code).await.redirects_to("/me");
    // The known browser has three of its own.
    let mut codes = Vec::new();
    for _ in 0..3 {
        codes.push(known.mailed("", ANA).await.code);
    }
    known.ask("", ANA).await.expect(429);
    known.enter_code(&codes[2]).await.redirects_to("/me");
    // The mark is Ana's, and no forgery is one.
    let with = |mark: &str| {
        let other = Browser::new(&world);
        other.set_cookie("endonym-known", mark);
        other
    };
    for forged in [mark.as_str(), &mark.replace('a', "b"), &format!("{mark}.{mark}"), "x", ""] {
        // The allowance of her own is used up.
        assert_eq!(with(forged).ask("", ANA).await.status, 429, "{forged}");
    }
    for status in [303, 303, 303, 429] {
        assert_eq!(with(&mark).ask("", "ben@example.edu").await.status, status);
    }
    Browser::new(&world).ask("", "ben@example.edu").await.expect(429);
}

/// A computer with many users, a mark of last year, and devices that have proven nothing.
#[tokio::test]
async fn a_browser_is_marked_by_those_who_have_proven_their_address() {
    const ANA: &str = "ana@example.edu";
    let world = world().await;
    let shared = Browser::new(&world);
    let emails: Vec<String> = (0..4).map(|n| format!("p{n}@example.edu")).collect();
    for email in &emails {
        world.person("P", email).await;
        let mail = shared.mailed("", email).await;
        shared.enter_code(&mail.code).await.redirects_to("/me");
    }
    assert_eq!(shared.cookie("endonym-known").unwrap().split('.').count(), 4);
    let strangers = |email: &str| {
        let email = email.to_owned();
        let world = &world;
        async move { while Browser::new(world).ask("", &email).await.status != 429 {} }
    };
    for email in &emails {
        strangers(email).await;
        shared.ask("", email).await.redirects_to("/sign-in/code");
    }
    let handed = hand_over(&world, ANA).await;
    let phone = Browser::new(&world);
    phone.follow(&handed.link).await.redirects_to("/me");
    assert_eq!(phone.cookie("endonym-known"), None);
    world.advance(MINUTE * (366 * 24 * 60));
    strangers(&emails[0]).await;
    shared.ask("", &emails[0]).await.expect(429);
}

/// Somebody with many addresses asks for so many messages that their whole network has to wait, such as a campus behind one address.
#[tokio::test]
async fn a_known_browser_does_not_wait_for_its_network() {
    let sign_in = Settings { limit: 4, ..Settings::default() };
    let world = World::with(Setup { sign_in, ..Setup::default() }).await;
    world.person("Ana", "ana@example.edu").await;
    let on_campus = || {
        let mut browser = Browser::new(&world);
        browser.headers.push(("x-forwarded-for", "2001:db8:1:2::1".to_owned()));
        browser
    };
    let known = on_campus();
    let mail = known.mailed("", "ana@example.edu").await;
    known.enter_code(&mail.code).await.redirects_to("/me");
    for n in 0..3 {
        on_campus().ask("", &format!("stranger{n}@x.org")).await.redirects_to("/sign-in/code");
    }
    on_campus().ask("", "stranger@x.org").await.expect(429);
    known.ask("", "ana@example.edu").await.redirects_to("/sign-in/code");
    known.ask("", "stranger@x.org").await.expect(429);
}

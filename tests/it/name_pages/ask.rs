//! "Ask for a recording": one polite message, at most once a week, and only to people who want it.

use std::time::Duration;

use endonym::{
    app::{Actor, audiences},
    domain::{audience::Audience, page_settings::Listen, session::How},
};
use serde_json::{Value, json};

use super::people::{ANA, BO, listened_by, named, path, person, recorded, signed_in, signed_in_by};
use crate::{
    me::{Browser, Seen},
    support::{World, database::execute},
};

const DAY: Duration = Duration::from_secs(24 * 3_600);
const DONE: &str = "done=asked";

/// How many messages of this kind managers of the page see.
async fn messages(world: &World) -> usize {
    let text = "SELECT message FROM outbox WHERE name_page_id IS NOT NULL ORDER BY created_at, id";
    let all = world.app.db.read().rows(text, &[], |row| row.text(0)).await.unwrap();
    all.iter().filter(|message| message.contains("\"recording_request\"")).count()
}

async fn ask(browser: &Browser<'_>, world: &World, asked: &Value) -> Seen {
    browser.get(&path(world)).await.expect(200);
    browser.post(&address(world, asked).await, &[("back", "?q=bo&page=1")]).await
}

/// Ana, who listens, and Bo, who has no recording.
async fn scene() -> (World, Value) {
    let world = World::new().await;
    named(&world, "Ana", "Lima", ANA).await;
    let bo = named(&world, "Bo", "Abel", BO).await;
    (world, bo)
}

async fn ana(world: &World) -> Browser<'_> {
    signed_in(world, world.institution.id, ANA).await
}

#[tokio::test]
async fn somebody_is_asked_once_a_week_whoever_asks() {
    let (world, bo) = scene().await;
    let cy = named(&world, "Cy", "Coe", "cy@example.edu").await;
    let ana = ana(&world).await;
    let page = ana.get(&path(&world)).await.expect(200).body;
    assert!(page.contains("Ask for a recording: Bo Abel"), "{page}");
    let seen = ask(&ana, &world, &bo).await;
    assert!(seen.location().contains(DONE) && seen.location().contains("q=bo"), "{}", seen.location());
    assert_eq!(messages(&world).await, 1);
    let page = ana.get(seen.location()).await.expect(200).body;
    assert!(page.contains("We pass your request on"), "{page}");
    let other = signed_in(&world, world.institution.id, "cy@example.edu").await;
    for browser in [&ana, &other] {
        assert!(ask(browser, &world, &bo).await.location().contains(DONE));
    }
    assert_eq!(messages(&world).await, 1, "nobody else can cause another one");
    ask(&ana, &world, &cy).await;
    assert_eq!(messages(&world).await, 2, "but somebody else can be asked");
    world.advance(6 * DAY);
    ask(&ana, &world, &bo).await;
    assert_eq!(messages(&world).await, 2);
    world.advance(DAY + Duration::from_secs(60));
    ask(&ana, &world, &bo).await;
    assert_eq!(messages(&world).await, 3);
    let to = "SELECT email_key FROM outbox ORDER BY created_at, id";
    let to = world.app.db.read().rows(to, &[], |row| row.text(0)).await.unwrap();
    assert_eq!(to, [BO, "cy@example.edu", BO]);
}

#[tokio::test]
async fn a_person_on_two_pages_is_asked_once() {
    let (world, bo) = scene().await;
    let choir = world.page("Choir").await;
    let there = world.person_on(&choir, json!({ "first_name": "Bo", "email": BO })).await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    let ana = ana(&world).await;
    ask(&ana, &world, &bo).await;
    let id = world.listed_id(&choir, &there).await;
    let seen = ana.post(&format!("/p/{}/people/{id}/ask", choir.slug), &[]).await;
    assert!(seen.location().contains(DONE), "{}", seen.location());
    assert_eq!(messages(&world).await, 1);
    // On the page of another entry, there is nobody with this id.
    ana.post(&format!("{}/{id}/ask", path(&world)), &[]).await.expect(404);
}

#[tokio::test]
async fn of_many_listeners_at_the_same_time_one_is_first() {
    let (world, bo) = scene().await;
    let mut browsers = Vec::new();
    for n in 0..8 {
        let email = format!("l{n}@example.edu");
        named(&world, "Lee", &format!("L{n}"), &email).await;
        browsers.push(signed_in(&world, world.institution.id, &email).await);
    }
    let all = browsers.iter().map(|browser| ask(browser, &world, &bo));
    for seen in futures_util::future::join_all(all).await {
        assert!(seen.location().contains(DONE), "{} {}", seen.status, seen.body);
    }
    assert_eq!(messages(&world).await, 1);
}

#[tokio::test]
async fn the_answer_is_the_same_whether_or_not_a_message_is_sent() {
    let (world, _) = scene().await;
    let id = world.institution.id;
    let ana = ana(&world).await;
    let fresh = async |email: &str| named(&world, "Di", "Dee", email).await;
    let declined = fresh("declined@x.org").await;
    let browser = signed_in(&world, id, "declined@x.org").await;
    browser.get("/me").await.expect(200);
    browser.post("/me/requests", &[]).await.redirects_to("/me?done=requests");
    let opted_out = fresh("out@x.org").await;
    let bounced = fresh("bounced@x.org").await;
    let insert =
        "INSERT INTO mail_opt_outs (institution_id, email_key, created_at) VALUES ($1, 'out@x.org', 1)";
    execute(&world.app.db, insert, vec![id.into()]).await;
    let insert = "INSERT INTO mail_bounces (institution_id, email_key, answer, bounced_at) \
                  VALUES ($1, 'bounced@x.org', '550', 1)";
    execute(&world.app.db, insert, vec![id.into()]).await;
    let paused = recorded(&world, "Pa", "Used", "paused@x.org").await;
    let pausing =
        audiences::choose(&world.app, &Actor::Operator, person(id, "paused@x.org"), Audience::Paused);
    pausing.await.unwrap();
    let has_one = recorded(&world, "Re", "Corded", "recorded@x.org").await;
    let nameless = fresh("nobody@x.org").await;
    world.without_email("nobody@x.org").await;
    for (why, asked) in [
        ("declined", declined),
        ("opted out", opted_out),
        ("bounced", bounced),
        ("paused", paused),
        ("recorded", has_one),
        ("without an email", nameless),
    ] {
        let seen = ask(&ana, &world, &asked).await;
        assert_eq!((seen.status.as_u16(), seen.location().contains(DONE)), (303, true), "{why}");
        assert_eq!(messages(&world).await, 0, "{why}");
    }
}

#[tokio::test]
async fn nobody_is_asked_after_the_closing_time() {
    let (world, bo) = scene().await;
    let ana = ana(&world).await;
    let page = ana.get(&path(&world)).await.expect(200).body;
    assert_eq!(page.matches("/ask\"").count(), 1, "nobody asks themselves: {page}");
    assert!(page.contains(&format!("href=\"/p/{}/own\"", world.page.slug)), "{page}");
    execute(&world.app.db, "UPDATE name_pages SET closes_at = 1", Vec::new()).await;
    assert!(!ana.get(&path(&world)).await.expect(200).body.contains("/ask\""));
    // From a page that was opened before.
    assert!(ask(&ana, &world, &bo).await.location().contains(DONE));
    assert_eq!(messages(&world).await, 0);
}

#[tokio::test]
async fn such_messages_are_switched_on_and_off_on_ones_own_page() {
    let (world, bo) = scene().await;
    let (ana, own) = (ana(&world).await, signed_in(&world, world.institution.id, BO).await);
    let is_on = async || {
        let page = own.get("/me").await.expect(200).body;
        let (_, input) = page.split_once("name=\"welcome\"").expect("the switch");
        input.split('>').next().unwrap().contains("checked")
    };
    assert!(is_on().await, "by default");
    own.post("/me/requests", &[]).await.redirects_to("/me?done=requests");
    assert!(!is_on().await);
    ask(&ana, &world, &bo).await;
    assert_eq!(messages(&world).await, 0);
    own.post("/me/requests", &[("welcome", "1")]).await.redirects_to("/me?done=requests");
    assert!(is_on().await);
    ask(&ana, &world, &bo).await;
    assert_eq!(messages(&world).await, 1, "what was not sent does not count");
}

async fn address(world: &World, asked: &Value) -> String {
    format!("{}/{}/ask", path(world), world.listed_id(&world.page, asked).await)
}

#[tokio::test]
async fn on_a_page_for_everybody_with_the_link_visitors_ask_without_signing_in() {
    let (world, bo) = scene().await;
    listened_by(&world, Listen::Link).await;
    let visitor = Browser::new(&world);
    let page = visitor.get(&path(&world)).await.expect(200).body;
    assert!(page.contains("Ask for a recording: Bo Abel"), "{page}");
    let seen = ask(&visitor, &world, &bo).await;
    assert!(seen.location().contains(DONE) && seen.location().contains("q=bo"), "{}", seen.location());
    assert_eq!(messages(&world).await, 1);
    let there = world.neighbor().await;
    let body =
        json!({ "name_page_id": there.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    let request = world.request_as(&there.token, reqwest::Method::POST, "/v5/participants").json(&body);
    crate::support::Answer::of(request).await.expect(201);
    for (who, browser) in [
        ("another visitor", Browser::new(&world)),
        ("of another institution", signed_in(&world, there.institution.id, ANA).await),
        ("let in to record", signed_in_by(&world, world.institution.id, ANA, How::Handover).await),
        ("registered here", ana(&world).await),
    ] {
        assert!(ask(&browser, &world, &bo).await.location().contains(DONE), "{who}");
        assert_eq!(messages(&world).await, 1, "once a week: {who}");
    }
    world.advance(7 * DAY + Duration::from_secs(60));
    ask(&Browser::new(&world), &world, &bo).await;
    assert_eq!(messages(&world).await, 2);
}

#[tokio::test]
async fn elsewhere_visitors_must_sign_in_to_ask() {
    let (world, bo) = scene().await;
    listened_by(&world, Listen::Link).await;
    // With a valid token, so that nothing else is the reason.
    let visitor = Browser::new(&world);
    visitor.get(&path(&world)).await.expect(200);
    let csrf = visitor.csrf();
    let script = [("accept", "application/json"), ("origin", world.base.as_str())];
    for listen in [Listen::Registered, Listen::Institution, Listen::Managers] {
        listened_by(&world, listen).await;
        let seen = visitor.post(&address(&world, &bo).await, &[]).await.expect(303);
        assert!(seen.location().starts_with("/sign-in?"), "{listen:?}: {}", seen.location());
        let fields = [("csrf", csrf.as_str())];
        visitor.post_bare(&address(&world, &bo).await, &fields, &script).await.expect(401);
    }
    assert_eq!(messages(&world).await, 0);
}

#[tokio::test]
async fn a_form_of_another_site_asks_nobody() {
    let (world, bo) = scene().await;
    listened_by(&world, Listen::Link).await;
    let address = address(&world, &bo).await;
    let browsers = [Browser::new(&world), ana(&world).await];
    for browser in &browsers {
        browser.get(&path(&world)).await.expect(200);
        let csrf = browser.csrf();
        let fields = [("csrf", csrf.as_str())];
        for headers in [[("origin", "https://evil.example")], [("sec-fetch-site", "cross-site")]] {
            browser.post_bare(&address, &fields, &headers).await.expect(403);
        }
        browser.post_bare(&address, &[], &[("origin", world.base.as_str())]).await.expect(403);
        // The token is of no use without the cookie.
        Browser::new(&world).post_bare(&address, &fields, &[]).await.expect(403);
    }
    assert_eq!(messages(&world).await, 0);
    browsers[0].post(&address, &[]).await.expect(303);
    assert_eq!(messages(&world).await, 1);
}

#[tokio::test]
async fn where_no_cookie_works_a_link_leads_out_of_the_frame() {
    let (world, _) = scene().await;
    listened_by(&world, Listen::Link).await;
    let (outside, rows) = ("Open this page in a tab of its own", format!("{}/rows?after=0", path(&world)));
    let mut framed = Browser::new(&world);
    framed.headers.push(("sec-fetch-dest", "iframe".to_owned()));
    let page = framed.get(&path(&world)).await.expect(200).body;
    assert!(page.contains(outside) && !page.contains("/ask\""), "{page}");
    assert!(!Browser::new(&world).get(&rows).await.expect(200).body.contains("/ask\""));
    // The live search in that frame.
    let mut script = Browser::new(&world);
    script.headers.push(("sec-fetch-dest", "empty".to_owned()));
    assert!(!script.get(&path(&world)).await.expect(200).body.contains("/ask\""));
    let visitor = Browser::new(&world);
    let page = visitor.get(&path(&world)).await.expect(200).body;
    assert!(!page.contains(outside) && page.contains("/ask\""), "{page}");
    assert!(visitor.get(&rows).await.expect(200).body.contains("/ask\""));
}

#[tokio::test]
async fn who_may_not_listen_may_not_ask() {
    let (world, bo) = scene().await;
    let ana = ana(&world).await;
    ana.get(&path(&world)).await.expect(200);
    listened_by(&world, Listen::Managers).await;
    let address = address(&world, &bo).await;
    ana.post(&address, &[]).await.expect(403);
    assert_eq!(messages(&world).await, 0);
}

#[tokio::test]
async fn the_way_back_stays_on_the_page() {
    let (world, bo) = scene().await;
    let ana = ana(&world).await;
    ana.get(&path(&world)).await.expect(200);
    let address = address(&world, &bo).await;
    for back in ["https://evil.example/", "//evil.example", "?q=%0d%0aset-cookie:+x", "\r\nx: y"] {
        let seen = ana.post(&address, &[("back", back)]).await.expect(303);
        assert!(seen.location().starts_with(&path(&world)), "{}", seen.location());
        assert!(seen.headers.get("x").is_none());
    }
}

#[tokio::test]
async fn a_script_gets_the_sentence() {
    let (world, bo) = scene().await;
    let ana = ana(&world).await;
    ana.get(&path(&world)).await.expect(200);
    let address = address(&world, &bo).await;
    let csrf = ana.csrf();
    let headers = [("accept", "application/json"), ("origin", world.base.as_str())];
    let seen = ana.post_bare(&address, &[("csrf", csrf.as_str())], &headers).await.expect(200);
    let body: Value = serde_json::from_str(&seen.body).unwrap();
    assert!(body["message"].as_str().unwrap().starts_with("Thank you."), "{body}");
}

/// A visitor in this network, who has opened the page.
async fn from<'a>(world: &'a World, network: &str) -> Browser<'a> {
    let mut visitor = Browser::new(world);
    visitor.headers.push(("x-forwarded-for", network.to_owned()));
    visitor.get(&path(world)).await.expect(200);
    visitor
}

#[tokio::test]
async fn one_network_cannot_ask_without_end() {
    let (world, bo) = scene().await;
    listened_by(&world, Listen::Link).await;
    let address = address(&world, &bo).await;
    let visitor = from(&world, "198.51.100.7").await;
    for _ in 0..60 {
        visitor.post(&address, &[]).await.expect(303);
    }
    // Another cookie does not help.
    let again = from(&world, "198.51.100.7").await;
    let seen = again.post(&address, &[]).await.expect(429);
    assert!(
        seen.headers.contains_key("retry-after") && seen.body.contains("too many requests"),
        "{}",
        seen.body
    );
    from(&world, "203.0.113.7").await.post(&address, &[]).await.expect(303);
    world.advance(Duration::from_secs(3_601));
    visitor.post(&address, &[]).await.expect(303);
    assert_eq!(messages(&world).await, 1);
}

#[tokio::test]
async fn visitors_of_many_networks_cannot_have_everybody_on_a_page_asked() {
    let (world, bo) = scene().await;
    listened_by(&world, Listen::Link).await;
    let address = address(&world, &bo).await;
    for network in 1..=4 {
        let visitor = from(&world, &format!("198.51.{network}.7")).await;
        for _ in 0..50 {
            visitor.post(&address, &[]).await.expect(303);
        }
    }
    from(&world, "203.0.113.7").await.post(&address, &[]).await.expect(429);
    // Somebody who has signed in is not held up by them.
    ask(&ana(&world).await, &world, &bo).await.expect(303);
    world.advance(Duration::from_secs(3_601));
    from(&world, "203.0.113.7").await.post(&address, &[]).await.expect(303);
}

#[tokio::test]
async fn an_erased_person_leaves_no_trace_of_requests() {
    let (world, bo) = scene().await;
    let ana = ana(&world).await;
    ask(&ana, &world, &bo).await;
    let count = async || {
        let text = "SELECT COUNT(*) FROM recording_requests";
        world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
    };
    assert_eq!(count().await, 1);
    let own = signed_in(&world, world.institution.id, BO).await;
    own.get("/me/delete").await.expect(200);
    own.post("/me/delete", &[("confirm", "1")]).await;
    assert_eq!(count().await, 0);
}

//! How often recordings are played: what counts as a play, where it came from, and what the owner sees of it.

use std::time::Duration;

use endonym::{
    app::{
        Actor, audiences, name_pages, persons,
        plays::{self, flush},
        sign_in,
    },
    domain::{
        audience::Audience, ids::InstitutionId, media::Kind, moment::Moment, name_page::NamePageRef,
        session::PersonId,
    },
    store,
};
use reqwest::{Method, header};
use serde_json::{Value, json};

use crate::{
    me::Browser,
    pages::{SOUND, browser::axe},
    support::{
        Setup, World, browser,
        media::{file, wav, wav_of},
        node::Node,
        process::Installation,
        until,
    },
};

const ANA: &str = "ana@example.edu";

/// A person with a recording.
struct Scene {
    world: World,
    person: Value,
    /// The link of the recording.
    link: String,
}

impl Scene {
    async fn new() -> Self {
        Self::in_world(World::new().await).await
    }

    async fn in_world(world: World) -> Self {
        let person = world.person("Ana", ANA).await;
        let hex = world.give(&person, Kind::Recording, SOUND).await;
        let link = format!("{}/audio/{}/recording_{hex}.mp3", world.base, world.institution.id);
        Self { world, person, link }
    }

    async fn play(&self, headers: &[(&str, &str)]) -> u16 {
        play(&self.world, Method::GET, &self.link, headers).await
    }

    /// The recording's address in a page, as a browser reads it.
    async fn played_by(&self, path: &str, headers: &[(&str, &str)]) -> String {
        let mut request = self.world.client.get(format!("{}{path}", self.world.base));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let text = request.send().await.unwrap().text().await.unwrap();
        let (_, rest) = text.split_once("preload=\"none\" src=\"").expect("an audio element");
        rest.split('"').next().unwrap().replace("&#38;", "&")
    }

    fn path(&self, face: &str) -> String {
        let token = World::registration_token(&self.person);
        format!("/{face}/{}/{token}", self.world.institution.id)
    }
}

/// Sends a request for a recording, and returns the status.
async fn play(world: &World, method: Method, address: &str, headers: &[(&str, &str)]) -> u16 {
    let address =
        if address.starts_with('/') { format!("{}{address}", world.base) } else { address.to_owned() };
    let mut request = world.client.request(method, address);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    response.bytes().await.unwrap();
    status
}

/// Writes what was counted, and returns what is stored: sources and sites with their plays on all days.
async fn stored(world: &World) -> Vec<(String, String, i64)> {
    flush(&world.app).await.unwrap();
    let text = "SELECT source, site, CAST(SUM(times) AS BIGINT) FROM plays GROUP BY source, site";
    let read = |row: &store::Row<'_>| Ok((row.text(0)?, row.text(1)?, row.int(2)?));
    let mut found = world.app.db.read().rows(text, &[], read).await.unwrap();
    found.sort();
    found
}

fn rows(wanted: &[(&str, &str, i64)]) -> Vec<(String, String, i64)> {
    wanted.iter().map(|(source, site, times)| ((*source).into(), (*site).into(), *times)).collect()
}

async fn total(world: &World) -> i64 {
    stored(world).await.iter().map(|(_, _, times)| times).sum()
}

fn ana(world: &World) -> PersonId {
    PersonId { institution: world.institution.id, email_key: ANA.into() }
}

async fn link_to_sign_in(world: &World, institution: InstitutionId) -> String {
    let life = Duration::from_secs(600);
    let made = sign_in::operator_link(&world.app, &Actor::Operator, institution, ANA, life, &world.base);
    made.await.unwrap().0
}

#[tokio::test]
async fn plays_are_counted_by_where_they_came_from() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let on_badge = scene.played_by(&scene.path("badges"), &[]).await;
    assert!(scene.link.ends_with(on_badge.strip_suffix("?from=badge").unwrap()), "{on_badge}");
    let player = scene.path("players");
    let site = [("referer", "https://www.example.org/people/"), ("sec-fetch-dest", "iframe")];
    let by_site = scene.played_by(&player, &site).await;
    assert!(by_site.ends_with(".mp3?from=player&site=www.example.org"), "{by_site}");
    let by_nobody = scene.played_by(&player, &[("sec-fetch-dest", "iframe")]).await;
    assert!(by_nobody.ends_with(".mp3?from=player"), "{by_nobody}");
    let opened = scene.played_by(&player, &[]).await;
    assert!(scene.link.ends_with(&opened), "{opened}");
    for address in [&on_badge, &by_site, &by_nobody, &opened] {
        assert_eq!(play(world, Method::GET, address, &[]).await, 200, "{address}");
    }
    // A snippet or a script of a website plays the link itself; an app has no website.
    scene.play(&[("referer", "https://Portal.example.edu:8443/")]).await;
    scene.play(&[("referer", "https://portal.example.edu/")]).await;
    scene.play(&[]).await;
    let wanted = [
        ("badge", "", 1),
        ("link", "", 2),
        ("player", "", 1),
        ("player", "portal.example.edu", 2),
        ("player", "www.example.org", 1),
    ];
    assert_eq!(stored(world).await, rows(&wanted));
}

#[tokio::test]
async fn a_browser_that_asks_in_parts_is_counted_once_and_one_that_only_asks_is_not() {
    let scene = Scene::new().await;
    let world = &scene.world;
    // Safari.
    assert_eq!(scene.play(&[("range", "bytes=0-1")]).await, 206);
    assert_eq!(total(world).await, 0);
    assert_eq!(scene.play(&[("range", "bytes=0-40000")]).await, 206);
    assert_eq!(scene.play(&[("range", "bytes=4000-")]).await, 206);
    assert_eq!(total(world).await, 1);
    // Chromium and Firefox, and again after five minutes.
    assert_eq!(scene.play(&[("range", "bytes=0-")]).await, 206);
    assert_eq!(scene.play(&[("if-none-match", "*")]).await, 304);
    assert_eq!(total(world).await, 3);
    // No plays.
    assert_eq!(play(world, Method::HEAD, &scene.link, &[]).await, 200);
    assert_eq!(scene.play(&[("sec-purpose", "prefetch")]).await, 200);
    assert_eq!(scene.play(&[("range", "bytes=9999999-")]).await, 416);
    assert_eq!(play(world, Method::OPTIONS, &scene.link, &[]).await, 204);
    assert_eq!(play(world, Method::GET, &scene.link.replace(".mp3", "0.mp3"), &[]).await, 404);
    let photo = world.give(&scene.person, Kind::Photo, SOUND).await;
    let photo = format!("/photos/{}/photo_{photo}.jpg", world.institution.id);
    assert_eq!(play(world, Method::GET, &photo, &[]).await, 200);
    assert_eq!(total(world).await, 3);
}

#[tokio::test]
async fn owners_do_not_count_themselves_and_nobody_counts_a_paused_recording() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let browser = Browser::new(world);
    browser.follow(&link_to_sign_in(world, world.institution.id).await).await.redirects_to("/me");
    let page = browser.get("/me").await.expect(200);
    let (_, rest) = page.body.split_once("preload=\"none\" src=\"").unwrap();
    let own = rest.split('"').next().unwrap();
    assert_eq!(play(world, Method::GET, own, &[]).await, 200, "{own}");
    audiences::choose(&world.app, &Actor::Operator, ana(world), Audience::Paused).await.unwrap();
    assert_eq!(scene.play(&[]).await, 404);
    assert_eq!(total(world).await, 0);
    audiences::choose(&world.app, &Actor::Operator, ana(world), Audience::Public).await.unwrap();
    // What was played before the pause is counted, even if it is written later.
    assert_eq!(scene.play(&[]).await, 200);
    audiences::choose(&world.app, &Actor::Operator, ana(world), Audience::Paused).await.unwrap();
    assert_eq!(total(world).await, 1);
}

#[tokio::test]
async fn a_replaced_recording_keeps_its_plays_and_its_link_says_where_it_is_played() {
    let world = World::new().await;
    let new = json!({ "first_name": "Ana", "email": ANA, "pronunciation": file(wav(1.0)) });
    let person = world.person_on(&world.page, new).await;
    let old = person["recording_link"].as_str().unwrap().to_owned();
    // The plays of the old recording are written after it was replaced.
    play(&world, Method::GET, &format!("{old}?from=badge"), &[]).await;
    let changed = json!({ "pronunciation": file(wav_of(1.0, 300.0)) });
    let body = json!({ "name_page_id": world.page.slug, "participant": changed });
    let person = world.put(&format!("/v5/participants/{ANA}"), body).await.expect(200);
    let current = person["participant"]["recording_link"].as_str().unwrap();
    // The client follows the redirect.
    assert_eq!(play(&world, Method::GET, &format!("{old}?from=badge"), &[]).await, 200);
    assert_eq!(play(&world, Method::GET, current, &[]).await, 200);
    assert_eq!(stored(&world).await, rows(&[("badge", "", 2), ("link", "", 1)]));
    let heard = plays::heard(&world.app, &Actor::Person(ana(&world)), &ana(&world)).await.unwrap();
    assert_eq!(heard.total(), 3);
}

#[tokio::test]
async fn the_plays_of_two_nodes_add_up() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let other = Node::start(world, Setup::default()).await;
    let there = scene.link.replace(&world.base, &other.base);
    for _ in 0..3 {
        scene.play(&[]).await;
        play(world, Method::GET, &there, &[]).await;
        play(world, Method::GET, &there, &[]).await;
    }
    let (here, there) = tokio::join!(flush(&world.app), flush(&other.app));
    here.unwrap();
    there.unwrap();
    assert_eq!(stored(world).await, rows(&[("link", "", 9)]));
}

#[tokio::test]
async fn what_was_counted_is_stored_when_the_server_stops() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&[]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let person = json!({ "first_name": "Ana", "email": ANA, "pronunciation": file(wav(1.0)) });
    let body = json!({ "name_page_id": "class", "participant": person });
    let request = client.post(format!("{}/api/private/v5/participants", serving.base));
    let response = request.header(header::AUTHORIZATION, token).json(&body).send().await.unwrap();
    let made: Value = response.json().await.unwrap();
    let link = made["participant"]["recording_link"].as_str().unwrap();
    for _ in 0..5 {
        assert_eq!(client.get(link).send().await.unwrap().status(), 200);
    }
    assert_eq!(serving.stop().await, 0);
    let text = "SELECT source, times FROM plays";
    let read = |row: &store::Row<'_>| Ok((row.text(0)?, row.int(1)?));
    let found = here.database().await.read().rows(text, &[], read).await.unwrap();
    assert_eq!(found, [("link".to_owned(), 5)]);
}

#[tokio::test]
async fn many_sites_are_counted_together() {
    let scene = Scene::new().await;
    for n in 0..30 {
        let referer = format!("https://s{n}.example/");
        scene.play(&[("referer", &referer)]).await;
        if n == 14 {
            flush(&scene.world.app).await.unwrap();
        }
    }
    scene.play(&[("referer", "https://s0.example/")]).await;
    scene.play(&[("referer", "https://<script>.example/")]).await;
    let found = stored(&scene.world).await;
    assert_eq!(found.len(), 22, "20 sites, the others, and the link: {found:?}");
    assert!(found.contains(&("player".into(), "*".into(), 10)), "{found:?}");
    assert!(found.contains(&("player".into(), "s0.example".into(), 2)), "{found:?}");
    assert!(found.contains(&("link".into(), String::new(), 1)), "no host name, no site: {found:?}");
}

#[tokio::test]
async fn plays_are_exported_and_deleted_with_the_person() {
    let scene = Scene::new().await;
    let world = &scene.world;
    scene.play(&[]).await;
    assert_eq!(total(world).await, 1);
    let institution = &world.institution;
    let copy = persons::export(&world.app, &Actor::Operator, institution, ANA.into()).await.unwrap();
    let exported = &copy.about["registrations"][0]["plays"];
    let day = world.app.clock.now().date_in(&institution.time_zone).to_string();
    assert_eq!(exported[0]["day"], day, "{exported}");
    assert_eq!((&exported[0]["source"], &exported[0]["times"]), (&json!("link"), &json!(1)));
    // What is in memory does not come back after the person was deleted.
    scene.play(&[]).await;
    persons::erase(&world.app, &Actor::Operator, institution.id, ANA.into(), persons::Rewrite::Now)
        .await
        .unwrap();
    assert_eq!(total(world).await, 0);
}

#[tokio::test]
async fn plays_are_deleted_with_the_page_and_with_the_institution() {
    let scene = Scene::new().await;
    let world = &scene.world;
    scene.play(&[]).await;
    assert_eq!(total(world).await, 1);
    scene.play(&[]).await;
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    name_pages::delete(&world.app, &Actor::Operator, world.institution.id, &page).await.unwrap();
    assert_eq!(total(world).await, 0);
    let scene = Scene::new().await;
    let world = &scene.world;
    scene.play(&[]).await;
    assert_eq!(total(world).await, 1);
    scene.play(&[]).await;
    let slug = &world.institution.slug;
    endonym::app::institutions::delete(&world.app, &Actor::Operator, slug).await.unwrap();
    assert_eq!(total(world).await, 0);
}

#[tokio::test]
async fn plays_of_an_entry_that_is_merged_into_another_belong_to_that_one() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let bea = world.person("Bea", "bea@example.edu").await;
    let hex = world.give(&bea, Kind::Recording, SOUND).await;
    let theirs = format!("/audio/{}/recording_{hex}.mp3", world.institution.id);
    scene.play(&[]).await;
    play(world, Method::GET, &theirs, &[]).await;
    flush(&world.app).await.unwrap();
    let institution = world.institution.id;
    let ids = {
        let text = "SELECT id FROM participants ORDER BY id";
        world.app.db.read().rows(text, &[], |row| row.id(0)).await.unwrap()
    };
    let moved = world.app.db.write::<_, store::Error>(move |sql| {
        Box::pin(async move { store::plays::hand_over(sql, institution, (ids[0], ids[1])).await })
    });
    moved.await.unwrap();
    let heard = plays::heard(&world.app, &Actor::Operator, &ana(world)).await.unwrap();
    assert_eq!(heard.total(), 2);
}

#[tokio::test]
async fn a_day_begins_at_midnight_where_the_institution_is() {
    // In New York.
    let scene = Scene::new().await;
    let world = &scene.world;
    for moment in ["2026-07-02T03:59:00Z", "2026-07-02T04:01:00Z", "2026-07-02T04:02:00Z"] {
        world.app.clock.set(Moment::parse(moment).unwrap());
        scene.play(&[]).await;
    }
    flush(&world.app).await.unwrap();
    let heard = plays::heard(&world.app, &Actor::Operator, &ana(world)).await.unwrap();
    let last: Vec<String> = heard.days[27..].iter().map(|(day, times)| format!("{day} {times}")).collect();
    assert_eq!(last, ["2026-06-30 0", "2026-07-01 1", "2026-07-02 2"]);
    // A month later they are no longer shown.
    world.app.clock.set(Moment::parse("2026-07-31T12:00:00Z").unwrap());
    let heard = plays::heard(&world.app, &Actor::Operator, &ana(world)).await.unwrap();
    assert_eq!((heard.total(), heard.days[0].0.to_string().as_str()), (2, "2026-07-02"));
}

#[tokio::test]
async fn plays_are_kept_for_400_days() {
    let scene = Scene::new().await;
    let world = &scene.world;
    scene.play(&[]).await;
    assert_eq!(total(world).await, 1);
    world.advance(Duration::from_secs(402 * 86_400));
    scene.play(&[("referer", "https://now.example/")]).await;
    assert_eq!(total(world).await, 2);
    world.work(1);
    let left = rows(&[("player", "now.example", 1)]);
    until("the periodic job removes the old one", || async {
        world.advance(Duration::from_secs(60));
        stored(world).await == left
    })
    .await;
}

#[tokio::test]
async fn the_own_page_shows_how_often_a_name_was_heard() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let neighbor = world.neighbor().await;
    let theirs =
        json!({ "name_page_id": neighbor.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    let created = world.request_as(&neighbor.token, Method::POST, "/v5/participants").json(&theirs);
    crate::support::Answer::of(created).await.expect(201);
    let browser = Browser::new(world);
    browser.follow(&link_to_sign_in(world, world.institution.id).await).await.redirects_to("/me");
    let page = browser.get("/me").await.expect(200).body;
    assert!(page.contains("Nobody has listened to your name in the last 30 days."), "{page}");
    assert!(!page.contains("<figure class=\"plays\""), "{page}");
    for _ in 0..3 {
        scene.play(&[("referer", "https://www.example.org/")]).await;
    }
    play(world, Method::GET, &format!("{}?from=badge", scene.link), &[]).await;
    flush(&world.app).await.unwrap();
    let page = browser.get("/me").await.expect(200).body;
    for text in [
        "Your name was heard \u{2068}4\u{2069} times in the last 30 days.",
        "<tr><th scope=\"row\"><bdi>www.example.org</bdi></th><td>3</td></tr>",
        "<tr><th scope=\"row\">Your name badge</th><td>1</td></tr>",
        "aria-label=\"A chart of the last 30 days, with up to \u{2068}4\u{2069} plays in a day.\"",
        "d=\"M291 64v-64h8v64z\"",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
    let page = browser.get("/me?lang=ar").await.expect(200).body;
    assert!(page.contains("<th scope=\"row\">بطاقة اسمك</th><td>1</td>"), "{page}");
    // The same email in another institution is another person.
    let there = Browser::new(world);
    there.follow(&link_to_sign_in(world, neighbor.institution.id).await).await.redirects_to("/me");
    let page = there.get("/me").await.expect(200).body;
    assert!(page.contains("Nobody has listened"), "{page}");
    let stranger = Actor::Person(PersonId { institution: neighbor.institution.id, email_key: ANA.into() });
    assert!(plays::heard(&world.app, &stranger, &ana(world)).await.is_err());
}

#[tokio::test]
async fn a_real_browser_counts_once_per_play_and_the_chart_is_accessible() {
    let scene = Scene::in_world(World::on_sqlite().await).await;
    let world = &scene.world;
    let browser = browser::Browser::start().await;
    browser.go(&format!("{}{}", world.base, scene.path("badges"))).await;
    browser.until("!document.querySelector('.play').hidden").await;
    browser.click(".play").await;
    browser.until("document.querySelector('audio').currentTime > 0").await;
    until("the play is counted", || async { total(world).await > 0 }).await;
    assert_eq!(stored(world).await, rows(&[("badge", "", 1)]));
    browser.go(&link_to_sign_in(world, world.institution.id).await).await;
    browser.click("main button").await;
    browser.until("location.pathname === '/me'").await;
    for (scheme, language) in [("light", "en"), ("dark", "ar")] {
        browser.prefer(scheme).await;
        browser.go(&format!("{}/me?lang={language}", world.base)).await;
        browser.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })").await;
        assert_eq!(browser.faults(&axe()).await, [""; 0], "{scheme} {language}");
        // The bar of today is at the end of the line.
        let place = "(() => { const bar = document.querySelector('figure.plays path:last-child').getBoundingClientRect(), \
             all = document.querySelector('figure.plays svg').getBoundingClientRect(); \
             return bar.x + bar.width / 2 > all.x + all.width / 2; })()";
        assert_eq!(browser.value(place).await, json!(language == "en"));
    }
    assert_eq!(browser.complaints().await, [""; 0]);
}

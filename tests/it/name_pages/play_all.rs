//! "Play all" without JavaScript: the recordings of a part of the list as one file.

use endonym::{
    app::{Actor, audiences, listening::Query, name_pages, participants, play_all, plays, streams::Chunks},
    domain::{
        audience::Audience,
        media::{Kind, Media},
        member::Role,
        page_settings::Listen,
    },
    store::{self, rolls},
};
use endonym_media::sound::{self, Limits};
use serde_json::Value;

use super::people::{ANA, BO, listened_by, named, path, person, recorded, role, signed_in};
use crate::{
    me::Browser,
    pages::SOUND,
    support::{World, media::wav_of},
};

/// The length of a file, with or without a length header.
fn samples(file: &[u8]) -> usize {
    sound::samples(file, 48_000, &Limits::default()).unwrap().len()
}

fn frames(file: &[u8]) -> &[u8] {
    sound::frames(file).unwrap()
}

/// A second, in whole frames.
const PAUSE: usize = 42 * 1_152;

/// Somebody with a recording of our own encoder, which is returned, too.
async fn heard(world: &World, first_name: &str, last_name: &str, email: &str) -> (Value, &'static [u8]) {
    let hertz = 120.0 + 10.0 * email.len() as f32;
    let made = sound::process(&wav_of(0.6, hertz), &Limits::default()).unwrap();
    let person = named(world, first_name, last_name, email).await;
    let file: &'static [u8] = made.mp3.leak();
    world.give(&person, Kind::Recording, file).await;
    (person, file)
}

async fn choose(world: &World, email: &str, audience: Audience) {
    let person = person(world.institution.id, email);
    audiences::choose(&world.app, &Actor::Operator, person, audience).await.unwrap();
}

/// The recording waits for approval.
async fn hold(world: &World, person: &Value) {
    let (institution, now) = (world.institution.id, world.app.clock.now());
    let token = World::registration_token(person);
    let id = participants::by_token(&world.app, institution, &token).await.unwrap().id;
    let held = world.app.db.write::<_, store::Error>(move |sql| {
        Box::pin(async move {
            rolls::lock(sql, institution).await?;
            let taken = store::media::take_out(sql, institution, id, Kind::Recording, now).await?;
            let held = Media { kind: Kind::Held, ..taken.unwrap() };
            store::media::set_aside(sql, institution, id, &held).await
        })
    });
    held.await.unwrap();
}

async fn file(browser: &Browser<'_>, world: &World, query: &str) -> Vec<u8> {
    let (status, _, file) = browser.file(&format!("{}/all.mp3{query}", path(world)), &[]).await;
    assert_eq!(status, 200, "{query}");
    file
}

#[tokio::test]
async fn recordings_of_any_kind_follow_each_other_with_a_pause_between_them() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    let (_, ana) = heard(&world, "Ana", "Lima", ANA).await;
    let (_, bo) = heard(&world, "Bo", "Abel", BO).await;
    named(&world, "Cy", "Coe", "cy@example.edu").await;
    // Of another encoder, and at another rate.
    recorded(&world, "Di", "Zorn", "di@example.edu").await;
    let visitor = Browser::new(&world);
    let page = visitor.get(&path(&world)).await.expect(200).body;
    let link = format!("<noscript><a class=\"quiet\" href=\"{}/all.mp3\" rel=\"nofollow\">", path(&world));
    assert!(page.contains(&link), "{page}");
    let (status, headers, file) = visitor.file(&format!("{}/all.mp3", path(&world)), &[]).await;
    assert_eq!(status, 200);
    for (name, value) in
        [("content-type", "audio/mpeg"), ("cache-control", "no-store"), ("x-robots-tag", "noindex")]
    {
        assert_eq!(headers[name], value);
    }
    let di = sound::joinable(SOUND).unwrap();
    assert_eq!(samples(&file), samples(bo) + samples(ana) + samples(&di) + 2 * PAUSE);
    // In the order of the list.
    let wanted = [frames(bo), sound::pause(), frames(ana), sound::pause(), frames(&di)].concat();
    assert!(file == wanted);
}

#[tokio::test]
async fn only_what_the_listener_may_hear_is_in_it() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    let (_, ana) = heard(&world, "Ana", "Lima", ANA).await;
    heard(&world, "Pa", "Used", "paused@example.edu").await;
    choose(&world, "paused@example.edu", Audience::Paused).await;
    let (waiting, _) = heard(&world, "He", "Ld", "held@example.edu").await;
    hold(&world, &waiting).await;
    let (_, inside) = heard(&world, "In", "Side", "inside@example.edu").await;
    choose(&world, "inside@example.edu", Audience::Institution).await;
    let everybody = Browser::new(&world);
    assert_eq!(samples(&file(&everybody, &world, "").await), samples(ana));
    let member = signed_in(&world, world.institution.id, ANA).await;
    let both = samples(ana) + PAUSE + samples(inside);
    assert_eq!(samples(&file(&member, &world, "").await), both);
    assert_eq!(samples(&file(&member, &world, "?q=side").await), samples(inside), "the filter of the page");
    // Where there is nothing to hear, there is no link, and no file.
    for query in ["?show=unrecorded", "?q=nobody", "?page=2"] {
        let page = member.get(&format!("{}{query}", path(&world))).await.expect(200).body;
        assert!(!page.contains("/all.mp3"), "{page}");
        member.get(&format!("{}/all.mp3{query}", path(&world))).await.expect(404);
    }
}

#[tokio::test]
async fn a_file_has_the_people_of_one_part_of_the_list() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    world.crowd(&world.page, 0..50).await;
    let (_, zed) = heard(&world, "Zed", "Zzz", BO).await;
    let visitor = Browser::new(&world);
    visitor.get(&format!("{}/all.mp3", path(&world))).await.expect(404);
    let page = visitor.get(&format!("{}?page=2", path(&world))).await.expect(200).body;
    assert!(page.contains(&format!("{}/all.mp3?page=2\"", path(&world))), "{page}");
    assert!(file(&visitor, &world, "?page=2").await == frames(zed));
}

#[tokio::test]
async fn who_may_not_listen_gets_no_file() {
    let world = World::new().await;
    heard(&world, "Ana", "Lima", ANA).await;
    let address = format!("{}/all.mp3", path(&world));
    let seen = Browser::new(&world).get(&address).await.expect(303);
    assert!(seen.location().starts_with("/sign-in?"), "{}", seen.location());
    let choir = world.page("Choir").await;
    role(&world, BO, Role::Reader, &[&choir]).await;
    signed_in(&world, world.institution.id, BO).await.get(&address).await.expect(403);
    let ana = signed_in(&world, world.institution.id, ANA).await;
    assert_eq!(ana.file(&address, &[]).await.0, 200);
}

#[tokio::test]
async fn who_pauses_while_the_file_is_sent_is_not_heard_any_more() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    heard(&world, "Ana", "Lima", ANA).await;
    let (_, bo) = heard(&world, "Bo", "Abel", BO).await;
    let public = name_pages::public(&world.app, &world.page.slug).await.unwrap();
    let query = Query { most: 50, ..Query::default() };
    let mut sent = play_all::begin(&world.app, (None, None), &public, &query, false).await.unwrap();
    assert_eq!(sent.next().await.unwrap().as_deref(), Some(frames(bo)));
    choose(&world, ANA, Audience::Paused).await;
    assert!(sent.next().await.unwrap().is_none());
}

#[tokio::test]
async fn everybody_in_the_file_is_counted_as_heard_on_the_page() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    heard(&world, "Ana", "Lima", ANA).await;
    heard(&world, "Bo", "Abel", BO).await;
    let visitor = Browser::new(&world);
    let counted = async || {
        plays::flush(&world.app).await.unwrap();
        let text = "SELECT source, times FROM plays";
        world.app.db.read().rows(text, &[], |row| Ok((row.text(0)?, row.int(1)?))).await.unwrap()
    };
    let address = format!("{}/all.mp3", path(&world));
    visitor.ask_for(reqwest::Method::HEAD, &address).await.expect(200);
    for headers in [("range", "bytes=0-1"), ("sec-purpose", "prefetch")] {
        assert_eq!(visitor.file(&address, &[headers]).await.0, 200);
    }
    assert!(counted().await.is_empty(), "nobody has heard that");
    file(&visitor, &world, "").await;
    assert_eq!(counted().await, [("page".to_owned(), 1), ("page".to_owned(), 1)]);
}

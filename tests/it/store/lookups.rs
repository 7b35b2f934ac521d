//! Many lookups at the same time, which PostgreSQL gets as few statements (ADR 27): each finds what it would find alone.

use std::sync::atomic::{AtomicBool, Ordering};

use endonym::{
    app::{
        Actor, App, Error, Missing, custom_fields,
        names::{self, Person},
        participants::{self, PersonKey},
    },
    domain::{
        access::{Access, TokenScope},
        ids::{InstitutionId, NamePageId},
        name_page::{NamePage, NamePageRef},
        participant::Participant,
    },
    store::Db,
};
use futures_util::{
    StreamExt,
    future::{join, join_all},
    stream,
};
use reqwest::Method;
use serde_json::Value;
use tokio::time::timeout;

use crate::{
    support::{
        Answer, Neighbor, Setup, World,
        database::{crowd, on_citus, on_postgres},
        node::Node,
        process::PATIENCE,
        until,
    },
    v2,
};

/// More than have registered anywhere.
const NUMBERS: usize = 650;

/// Some of them need statements of their own, and wait for a connection.
const AT_THE_SAME_TIME: usize = 128;

/// Two institutions with the same emails and identifiers. Notes say which registration it is.
struct Scene {
    world: World,
    second: NamePage,
    neighbor: Neighbor,
}

/// Whom a lookup can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Institution,
    FirstPage,
    SecondPage,
    Neighbor,
}

/// How somebody is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Find,
    /// With a token that is limited to the page.
    Limited,
    Latest,
    /// As versions 3 and 2 do.
    Names,
}

impl Scene {
    async fn new() -> Self {
        let world = World::new().await;
        let (second, neighbor) = (world.page("Class of 2028").await, world.neighbor().await);
        let (db, now) = (&world.app.db, world.app.clock.now());
        crowd(db, world.institution.id, world.page.id, 0..400, "first", now).await;
        crowd(db, world.institution.id, second.id, 200..600, "second", now).await;
        crowd(db, neighbor.institution.id, neighbor.page.id, 0..600, "theirs", now).await;
        Self { world, second, neighbor }
    }

    /// The page that a lookup names, or to which its token is limited.
    fn page(&self, reach: Reach) -> Option<&NamePage> {
        match reach {
            Reach::Institution => None,
            Reach::FirstPage => Some(&self.world.page),
            Reach::SecondPage => Some(&self.second),
            Reach::Neighbor => Some(&self.neighbor.page),
        }
    }

    /// Of the page with the registrations that have these notes.
    fn slug(&self, notes: &str) -> &str {
        match notes {
            "first" => &self.world.page.slug,
            "second" => &self.second.slug,
            _ => &self.neighbor.page.slug,
        }
    }

    fn access(&self, reach: Reach, pages: Option<Vec<NamePageId>>) -> Access {
        let institution = match reach {
            Reach::Neighbor => self.neighbor.institution.id,
            Reach::Institution | Reach::FirstPage | Reach::SecondPage => self.world.institution.id,
        };
        Access::new(institution, TokenScope::Read, pages, false)
    }

    async fn look_up(&self, reach: Reach, way: Way, key: &PersonKey) -> Option<Participant> {
        let (app, page) = (&self.world.app, self.page(reach));
        let limit = page.filter(|_| way != Way::Find).map(|page| vec![page.id]);
        let access = self.access(reach, limit);
        let found = match way {
            Way::Find => {
                let page = page.map(|page| NamePageRef::parse(&page.slug).unwrap());
                participants::find(app, &access, page.as_ref(), key).await
            }
            Way::Limited => participants::find(app, &access, None, key).await,
            Way::Latest => {
                let found = participants::latest(app, &access, std::slice::from_ref(key)).await.unwrap();
                return found.into_iter().next();
            }
            Way::Names => return first_name(app, &access, page, key).await,
        };
        match found {
            Ok(found) => Some(found),
            Err(Error::Missing(Missing::Participant)) => None,
            Err(error) => panic!("{error:?}"),
        }
    }
}

async fn first_name(
    app: &App,
    access: &Access,
    page: Option<&NamePage>,
    key: &PersonKey,
) -> Option<Participant> {
    let covered = page.map_or(names::Reach::Institution, |page| names::Reach::Page(page.id));
    let person = if key.as_email.contains('@') {
        Person { email: Some(key.as_email.clone()), ..Person::default() }
    } else {
        Person { identifier: Some(key.as_given.clone()), ..Person::default() }
    };
    let mut listing = names::find(app, access, covered, &person).await.unwrap();
    listing.next(app).await.unwrap().unwrap().into_iter().next()
}

/// The registration that a lookup must find. Nobody has a recording, so the newest one is the best.
fn wanted(reach: Reach, number: usize) -> Option<&'static str> {
    let found = match reach {
        Reach::Institution if number < 200 => "first",
        Reach::Institution if number < 600 => "second",
        Reach::FirstPage if number < 400 => "first",
        Reach::SecondPage if (200..600).contains(&number) => "second",
        Reach::Neighbor if number < 600 => "theirs",
        _ => return None,
    };
    Some(found)
}

#[tokio::test]
async fn thousands_at_the_same_time_each_find_their_own() {
    let scene = Scene::new().await;
    let mut lookups = Vec::new();
    for number in 0..NUMBERS {
        for reach in [Reach::Institution, Reach::FirstPage, Reach::SecondPage, Reach::Neighbor] {
            for way in [Way::Find, Way::Limited, Way::Latest, Way::Names] {
                lookups.push((number, reach, way));
            }
        }
    }
    let answers = stream::iter(lookups).map(|(number, reach, way)| {
        let scene = &scene;
        async move {
            let given = if number % 4 == 0 { format!("I{number}") } else { format!("p{number}@x.org") };
            let key =
                PersonKey { as_email: given.to_lowercase(), as_given: given.clone(), spelled: given.clone() };
            let found = scene.look_up(reach, way, &key).await;
            let notes = found.as_ref().and_then(|found| found.notes.as_deref());
            assert_eq!(notes, wanted(reach, number), "{given}: {reach:?}, {way:?}");
            let Some(found) = found else { return false };
            assert_eq!(found.email, Some(format!("p{number}@x.org")), "{reach:?}, {way:?}");
            let slug = scene.slug(found.notes.as_deref().unwrap());
            assert_eq!(found.page.slug, slug, "{given}: {reach:?}, {way:?}");
            true
        }
    });
    let answers: Vec<bool> = answers.buffer_unordered(AT_THE_SAME_TIME).collect().await;
    // Those of the four reaches, in each of the ways.
    assert_eq!(answers.iter().filter(|found| **found).count(), 4 * (600 + 400 + 400 + 600));
}

#[tokio::test]
async fn responses_are_never_mixed_up() {
    let scene = Scene::new().await;
    v2::open(&scene.world, &scene.world.page).await;
    let (ours, theirs) = (&scene.world.token, &scene.neighbor.token);
    let (page, second) = (&scene.world.page, &scene.second.slug);
    let mut requests = Vec::new();
    for number in (0..600).step_by(3) {
        let email = format!("p{number}@x.org");
        for (token, reach, path, record) in [
            (ours, Reach::Institution, format!("/v5/participants/latest?tokens={email}"), "/participants/0"),
            (theirs, Reach::Neighbor, format!("/v5/participants/latest?tokens={email}"), "/participants/0"),
            (ours, Reach::Institution, format!("/v4/participants/{email}"), "/participant"),
            (theirs, Reach::Neighbor, format!("/v4/participants/{email}"), "/participant"),
            (
                ours,
                Reach::SecondPage,
                format!("/v4/name_pages/{second}/participants/{email}"),
                "/participant",
            ),
            (
                ours,
                Reach::FirstPage,
                format!(
                    "/v3/names?auth_token={ours}&access_code={}&email={email}&include_extended_attributes=true",
                    page.access_code
                ),
                "/data/0",
            ),
            (
                ours,
                Reach::FirstPage,
                format!("/v2/names?access_code={}&email={email}", page.access_code),
                "/data/0",
            ),
        ] {
            requests.push((token, reach, path, record, email.clone(), wanted(reach, number)));
        }
    }
    stream::iter(requests)
        .for_each_concurrent(64, |(token, reach, path, record, email, wanted)| {
            let scene = &scene;
            async move {
                let request = match record {
                    "/data/0" => scene.world.request_without_token(Method::GET, &path),
                    _ => scene.world.request_as(token, Method::GET, &path),
                };
                let answer = Answer::of(request).await;
                let found = answer.body.pointer(record).filter(|found| found.is_object());
                assert_eq!(found.is_some(), wanted.is_some(), "{path}: {}", answer.body);
                let Some(found) = found else { return };
                assert_eq!(found["email"], email.as_str(), "{path}");
                let institution = scene.access(reach, None).institution;
                let badge = found["name_badge_link"].as_str().unwrap();
                assert!(badge.contains(&format!("/{institution}/")), "{path}: {badge}");
                if found.get("notes").is_some() {
                    assert_eq!(found["notes"].as_str(), wanted, "{path}");
                }
                if let Some(shown) = found.get("event_slug") {
                    assert_eq!(shown, scene.slug(wanted.unwrap()), "{path}");
                }
            }
        })
        .await;
}

/// Lists that are read in batches, and some that are too long for that: of two pages, of everybody in two institutions, in any order.
#[tokio::test]
async fn lists_at_the_same_time_have_the_people_of_their_own_page_in_order() {
    let scene = Scene::new().await;
    let (ours, theirs) = (&scene.world.token, &scene.neighbor.token);
    let (first, second) = (&scene.world.page.slug, &scene.second.slug);
    // Everybody with their notes, in the order of the roll.
    let of_first: Vec<_> = (0..400).map(|number| (number, "first")).collect();
    let of_second: Vec<_> = (200..600).map(|number| (number, "second")).collect();
    let of_both = [of_first.clone(), of_second.clone()].concat();
    let of_neighbor: Vec<_> = (0..600).map(|number| (number, "theirs")).collect();
    let mut requests = Vec::new();
    for (token, path, everybody) in [
        (ours, format!("/v4/name_pages/{first}/participants"), &of_first),
        (ours, format!("/v4/name_pages/{second}/participants"), &of_second),
        (ours, "/v4/participants".to_owned(), &of_both),
        (theirs, "/v4/participants".to_owned(), &of_neighbor),
    ] {
        for per_page in [10, 25, 30] {
            for page in 1..=everybody.len().div_ceil(per_page) + 1 {
                requests.push((page, token, path.clone(), everybody, per_page));
            }
        }
    }
    // Those of different pages are mixed.
    requests.sort_by_key(|(page, ..)| *page);
    stream::iter(requests)
        .for_each_concurrent(64, |(page, token, path, everybody, per_page)| {
            let scene = &scene;
            async move {
                let path = format!("{path}?page={page}&per_page={per_page}");
                let answer = Answer::of(scene.world.request_as(token, Method::GET, &path)).await;
                let body: Value = answer.expect(200);
                let shown: Vec<_> = body["participants"].as_array().unwrap().iter().collect();
                let wanted = everybody.chunks(per_page).nth(page - 1).unwrap_or_default();
                assert_eq!(body["meta"]["total_count"], everybody.len(), "{path}: {body}");
                assert_eq!(shown.len(), wanted.len(), "{path}: {body}");
                for (person, (number, notes)) in shown.into_iter().zip(wanted) {
                    assert_eq!(person["email"], format!("p{number}@x.org"), "{path}");
                    assert_eq!(person["notes"], *notes, "{path}");
                    assert_eq!(person["event_slug"], scene.slug(notes), "{path}");
                }
            }
        })
        .await;
}

/// They are read together with those of others.
#[tokio::test]
async fn custom_fields_are_those_of_their_own_institution_by_name() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let app = &world.app;
    for (institution, names) in
        [(&world.institution, ["b_ours", "a_ours"]), (&neighbor.institution, ["theirs", "a_theirs"])]
    {
        for name in names {
            let new = custom_fields::New { name: name.to_owned(), ..Default::default() };
            custom_fields::create(app, &Actor::Operator, institution.id, new).await.unwrap();
        }
    }
    let read = |institution: InstitutionId| async move {
        let access = Access::new(institution, TokenScope::Read, None, false);
        let fields = custom_fields::all(app, &access).await.unwrap();
        fields.into_iter().map(|field| field.name).collect::<Vec<_>>()
    };
    let all = join_all((0..200).map(|number| {
        let ours = number % 3 > 0;
        let institution = if ours { world.institution.id } else { neighbor.institution.id };
        async move { (ours, read(institution).await) }
    }))
    .await;
    for (ours, names) in all {
        let wanted = if ours { ["a_ours", "b_ours"] } else { ["a_theirs", "theirs"] };
        assert_eq!(names, wanted);
    }
}

#[tokio::test]
async fn whoever_was_created_at_one_node_is_found_at_the_other_at_once() {
    let world = World::new().await;
    let db = match on_postgres() {
        true => Db::open(&world.database.options).await.unwrap(),
        false => world.app.db.clone(),
    };
    let other = Node::on(&world, db, Setup::default()).await;
    crowd(&world.app.db, world.institution.id, world.page.id, 0..50, "", world.app.clock.now()).await;
    let latest = |email: String| {
        let address = format!("{}/api/private/v5/participants/latest?tokens={email}", other.base);
        Answer::of(world.client.get(address).header("Authorization", &world.token))
    };
    // So that lookups of the new people wait together with others.
    let over = AtomicBool::new(false);
    let load = join_all((0..16).map(|number| {
        let (latest, over) = (&latest, &over);
        async move {
            while !over.load(Ordering::Relaxed) {
                latest(format!("p{number}@x.org")).await.expect(200);
            }
        }
    }));
    let creation = async {
        for number in 0..40 {
            let email = format!("new{number}@x.org");
            world.person("Ana", &email).await;
            let body: Value = latest(email.clone()).await.expect(200);
            assert_eq!(body["participants"][0]["email"], email, "{body}");
        }
        over.store(true, Ordering::Relaxed);
    };
    join(load, creation).await;
}

#[tokio::test]
async fn when_connections_break_every_lookup_gets_an_answer() {
    if !on_postgres() || on_citus() {
        return;
    }
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let path = "/v5/participants/latest?tokens=ana@x.org";
    let url = world.database.options.url.clone().unwrap();
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    for _ in 0..20 {
        let asked = join_all((0..64).map(|_| world.get(path)));
        let both = timeout(PATIENCE, join(asked, client.batch_execute(end))).await;
        let (answers, ended) = both.expect("nobody waits in vain");
        ended.unwrap();
        for answer in answers {
            match answer.status.as_u16() {
                200 => assert_eq!(answer.body["participants"][0]["email"], "ana@x.org", "{}", answer.body),
                status => assert_eq!(status, 503, "{}", answer.body),
            }
        }
    }
    until("lookups work again", || async { world.get(path).await.status == 200 }).await;
}

//! PostgreSQL: creates of an institution that wait at the same time are one read and one write (ADR 25).

use endonym::{
    domain::{moment::Moment, participant::Participant},
    store::{
        participants::{self, ArrivalKeys, Record, Vacancies},
        rolls,
    },
};
use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use super::groups::are_grouped;
use crate::support::{World, keys};

fn bo(world: &World) -> ArrivalKeys<'_> {
    ArrivalKeys { page: world.page.id, email_key: Some("bo@example.edu"), identifier_key: Some("B1") }
}

async fn vacancies(world: &World) -> Vacancies {
    let read = participants::vacancies(&mut world.app.db.read(), world.institution.id, &[bo(world)]).await;
    read.unwrap()
}

/// Bo takes the vacancy that was read before.
async fn admit(world: &World, vacancies: &Vacancies) -> bool {
    let vacancy = vacancies.vacancy(bo(world)).unwrap();
    let person = Participant::new(vacancy.id, vacancy.place, "0f".repeat(16));
    let row = Record {
        person: Participant { email: Some("Bo@example.edu".to_owned()), ..person },
        name_page_id: world.page.id,
        email_key: Some("bo@example.edu".to_owned()),
        identifier_key: Some("B1".to_owned()),
        phone_number: None,
        now: Moment::from_micros(1_000_000),
    };
    participants::admit(&world.app.db, world.institution.id, vacancies, &[row], &[]).await.unwrap()
}

async fn extents(world: &World) -> Vec<(i64, i64)> {
    let mut found = Vec::new();
    for page in [rolls::INSTITUTION, world.page.id] {
        let extent = rolls::extent(&mut world.app.db.read(), world.institution.id, page).await.unwrap();
        found.push((extent.next_place, extent.members));
    }
    found
}

#[tokio::test]
async fn nobody_is_added_if_somebody_has_written_since() {
    if !are_grouped() {
        return;
    }
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let stale = vacancies(&world).await;
    world.person("Chi", "chi@example.edu").await;
    assert!(!admit(&world, &stale).await);
    assert_eq!(extents(&world).await, [(2, 2), (2, 2)]);
    let latest = "/v5/participants/latest?tokens=bo@example.edu";
    assert_eq!(world.get(latest).await.expect(200)["participants"], json!([]));

    let fresh = vacancies(&world).await;
    assert!(admit(&world, &fresh).await);
    assert_eq!(extents(&world).await, [(3, 3), (3, 3)]);
    let found = world.get(latest).await.expect(200);
    assert_eq!(found["participants"][0]["email"], "bo@example.edu");
    // Twice with the same vacancies.
    assert!(!admit(&world, &fresh).await);
    let taken = vacancies(&world).await;
    assert!(taken.vacancy(bo(&world)).unwrap().registered.on_page);
    assert!(!taken.is_identifier_taken(bo(&world)));
    let somebody_else = ArrivalKeys { email_key: Some("chi@example.edu"), ..bo(&world) };
    assert!(taken.is_identifier_taken(somebody_else));
}

#[tokio::test]
async fn creates_among_other_writes_all_succeed_and_are_logged_once() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let other_page = world.page("Other").await;
    let create = |n: usize| {
        let page = if n.is_multiple_of(3) { &other_page } else { &world.page };
        let person = json!({ "first_name": "Bo \"\\ ' \u{1F984} بو", "email": format!("p{n}@example.edu"),
                             "institution_id": format!("N{n}"), "phonetic": "BOH" });
        world.post("/v5/participants", json!({ "name_page_id": page.slug, "participant": person }))
    };
    let update = |n: usize| {
        let body = json!({ "name_page_id": world.page.slug, "participant": { "phonetic": format!("A{n}") } });
        world.put("/v5/participants/ana@example.edu", body)
    };
    let (created, updated) = join(join_all((0..60).map(create)), join_all((0..20).map(update))).await;
    for answer in updated {
        answer.expect(200);
    }
    let created: Vec<Value> = created.into_iter().map(|answer| answer.expect(201)).collect();
    let shown = &created[7]["participant"];
    assert_eq!(shown["first_name"], "Bo \"\\ ' \u{1F984} بو");
    let read = world.get("/v5/participants/latest?tokens=p7@example.edu").await.expect(200);
    for field in ["first_name", "institution_id", "phonetic_spelling", "event_slug", "name_badge_link"] {
        assert_eq!(read["participants"][0][field], shown[field], "{field}");
    }
    let mut sql = world.app.db.read();
    let ids = sql.rows("SELECT id FROM participants ORDER BY id", &[], |row| row.int(0)).await.unwrap();
    assert_eq!(ids, (0..61).collect::<Vec<_>>());
    let text = "SELECT COUNT(*), COUNT(DISTINCT subject_id) FROM audit WHERE act = 'participant.created'";
    let logged = sql.one(text, &[], |row| Ok((row.int(0)?, row.int(1)?))).await.unwrap();
    assert_eq!(logged, Some((61, 61)));
    assert_eq!(extents(&world).await, [(61, 61), (41, 41)]);
}

#[tokio::test]
async fn of_several_with_the_same_identifier_one_is_created() {
    let world = World::new().await;
    let create = |n: usize| {
        let person =
            json!({ "first_name": "Ana", "email": format!("p{n}@example.edu"), "institution_id": "A1" });
        world.post("/v5/participants", json!({ "name_page_id": world.page.slug, "participant": person }))
    };
    let answers = join_all((0..20).map(create)).await;
    let refused: Vec<Value> =
        answers.into_iter().filter(|answer| answer.status != 201).map(|answer| answer.expect(422)).collect();
    assert_eq!(refused.len(), 19);
    for answer in refused {
        assert_eq!(answer["errors"], json!({ "institution_id": ["has already been taken"] }));
    }
}

#[tokio::test]
async fn what_is_wrong_is_told_together_with_what_is_taken() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let person = json!({ "first_name": "Ana", "email": "ana@example.edu", "phonetic": "\u{1b}" });
    let body = json!({ "name_page_id": world.page.slug, "participant": person });
    let answer = world.post("/v5/participants", body).await.expect(422);
    assert_eq!(keys(&answer["errors"]), ["email", "phonetic"]);
}

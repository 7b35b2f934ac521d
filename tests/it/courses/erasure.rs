//! People who have left a course can be erased permanently, and no concurrent synchronization restores them.

use endonym::{
    app::{Actor, Error, Missing, persons},
    domain::media::Kind,
    store::persons::TABLES,
};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::School;
use crate::{
    lms::people::Person,
    support::{
        Answer, World,
        database::on_postgres,
        media::{file, files, wav},
    },
};

const EMAIL: &str = "person1@example.edu";

/// Ana and Ben were in the course; Ana, who has a recording, has left it.
async fn left() -> (School, Value) {
    let school = School::new().await;
    school.enrol(["Ana", "Ben"].into_iter().zip(1..).map(|(name, id)| Person::student(id, name, "Lima")));
    school.sync().await;
    let ana = school.people().await.remove(0);
    school.world.give(&ana, Kind::Recording, b"the sound of a name").await;
    school.canvas.drop_person(101, 1);
    school.sync().await;
    assert_eq!(school.count("hidden_participants").await, 1);
    (school, ana)
}

async fn delete(school: &School, whom: &str) -> Answer {
    let body = json!({ "name_page_id": school.page().await.slug });
    school.world.delete(&format!("/v5/participants/{whom}"), body).await
}

fn blobs(world: &World) -> usize {
    files(world.folder.path()).into_iter().filter(|name| name.starts_with("blobs/")).count()
}

async fn assert_no_trace(school: &School) {
    assert_eq!(school.count("hidden_participants").await, 0);
    assert_eq!((school.count("course_members").await, school.count("media").await), (1, 0));
    assert_eq!(blobs(&school.world), 0);
}

#[tokio::test]
async fn version_5_deletes_who_has_left_by_email_token_or_institution_id() {
    let (school, ana) = left().await;
    let token = World::registration_token(&ana);
    let neighbor = school.world.neighbor().await;
    for whom in ["PERSON1@example.edu", token.as_str(), "S1"] {
        let nobody = json!({ "message": "Registered participant not found" });
        let elsewhere = json!({ "name_page_id": school.world.page.slug });
        let path = format!("/v5/participants/{whom}");
        assert_eq!(school.world.delete(&path, elsewhere).await.expect(404), nobody, "another page");
        let slug = school.page().await.slug;
        let request = school.world.request_as(&neighbor.token, reqwest::Method::DELETE, &path);
        Answer::of(request.json(&json!({ "name_page_id": slug }))).await.expect(404);
        delete(&school, whom).await.expect(200);
        assert_no_trace(&school).await;
        assert_eq!(delete(&school, whom).await.expect(404), nobody);
        // The learning system may list them again: as a new person.
        school.enrol([Person::student(1, "Ana", "Lima")]);
        school.sync().await;
        let back = school.people().await.into_iter().find(|one| one["email"] == EMAIL).unwrap();
        assert_ne!(World::registration_token(&back), token);
        assert_eq!(back["recording_link"], json!(null), "with nothing of what they had");
        if whom != "S1" {
            // For the next variant, restore the token, which is a new one now.
            let text = format!("UPDATE participants SET token = '{token}' WHERE email_key = '{EMAIL}'");
            crate::support::database::execute(&school.world.app.db, text, Vec::new()).await;
            let back = school.people().await.into_iter().find(|one| one["email"] == EMAIL).unwrap();
            school.world.give(&back, Kind::Recording, b"the sound of a name").await;
            school.canvas.drop_person(101, 1);
            school.sync().await;
        }
    }
}

/// Visible people are deleted by email, as always.
#[tokio::test]
async fn the_token_or_identifier_of_somebody_who_is_there_deletes_nobody() {
    let world = World::new().await;
    let ana = json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "A1" });
    let ana = world.person_on(&world.page, ana).await;
    for whom in [World::registration_token(&ana), "A1".to_owned()] {
        let body = json!({ "name_page_id": world.page.slug });
        world.delete(&format!("/v5/participants/{whom}"), body).await.expect(404);
    }
}

#[tokio::test]
async fn a_deletion_by_email_takes_who_is_there_and_who_had_left() {
    let (school, _) = left().await;
    let page = school.page().await;
    school.world.person_on(&page, json!({ "first_name": "Ana", "email": EMAIL })).await;
    delete(&school, EMAIL).await.expect(200);
    assert_no_trace(&school).await;
    assert_eq!(school.first_names().await, ["Ben"]);
}

#[tokio::test]
async fn an_erasure_takes_every_registration_and_leaves_other_people_and_institutions_alone() {
    let (school, _) = left().await;
    let world = &school.world;
    let neighbor = world.neighbor().await;
    let person = json!({ "first_name": "Ana", "email": EMAIL, "institution_id": "S1" });
    world.person_on(&world.page, person.clone()).await;
    // People from a learning system may have no email: the identifier matches.
    let other = world.page("Other").await;
    world.person_on(&other, person.clone()).await;
    let text = "UPDATE participants SET email = NULL, email_key = NULL WHERE name_page_id = $1";
    crate::support::database::execute(&world.app.db, text, vec![other.id.into()]).await;
    let theirs = json!({ "name_page_id": neighbor.page.slug, "participant": person });
    let create = world.request_as(&neighbor.token, reqwest::Method::POST, "/v5/participants").json(&theirs);
    Answer::of(create).await.expect(201);

    let erased = persons::erase(
        &world.app,
        &Actor::Operator,
        world.institution.id,
        EMAIL.into(),
        persons::Rewrite::Now,
    )
    .await
    .unwrap();
    assert_eq!((erased.registrations, erased.hidden, erased.media), (3, 1, 1));
    assert_no_trace(&school).await;
    assert_eq!(world.get("/v5/participants").await.expect(200)["Response"]["meta"]["total_count"], 1, "Ben");
    let path = format!("/v5/participants?email_list={EMAIL}");
    let there = Answer::of(world.request_as(&neighbor.token, reqwest::Method::GET, &path)).await.expect(200);
    assert_eq!(there["Response"]["meta"]["total_count"], 1, "in the other institution");
    let again = persons::erase(
        &world.app,
        &Actor::Operator,
        world.institution.id,
        EMAIL.into(),
        persons::Rewrite::Now,
    )
    .await;
    assert!(matches!(again, Err(Error::Missing(Missing::Participant))), "{again:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_runs_while_somebody_is_erased_leaves_them_whole_or_not_at_all() {
    let (school, _) = left().await;
    let world = &school.world;
    let page = school.page().await;
    for round in 0..4 {
        school.enrol([Person::student(1, "Ana", "Lima")]);
        let person = json!({ "first_name": "Ana", "email": EMAIL, "pronunciation": file(wav(0.5)) });
        let body = json!({ "name_page_id": world.page.slug, "participant": person });
        let writes = (0..6).map(|n| {
            let (body, path) = (body.clone(), format!("/v5/participants/{EMAIL}"));
            async move {
                if n % 2 == 0 {
                    world.post("/v5/participants", body).await
                } else {
                    world.put(&path, body).await
                }
            }
        });
        let erasures = (0..2).map(|_| {
            persons::erase(
                &world.app,
                &Actor::Operator,
                world.institution.id,
                EMAIL.into(),
                persons::Rewrite::Now,
            )
        });
        let (_, erased, _) = tokio::join!(join_all(writes), join_all(erasures), school.sync());
        for one in erased {
            assert!(matches!(one, Ok(_) | Err(Error::Missing(_))), "{one:?}");
        }
        // People who joined later are complete, and no rows are orphaned.
        for (table, _) in TABLES.into_iter().filter(|(table, _)| *table != "departures") {
            let orphans = format!(
                "{table} WHERE participant_id NOT IN (SELECT id FROM participants) \
                 AND participant_id NOT IN (SELECT id FROM hidden_participants)"
            );
            assert_eq!(school.count(&orphans).await, 0, "{table} in round {round}");
        }
        let recorded = school.count("participants WHERE recording IS NOT NULL").await;
        assert_eq!(school.count("media").await, recorded, "round {round}");
        assert_eq!(blobs(world) as i64, 2 * recorded, "a recording and its original, round {round}");
        let _ = persons::erase(
            &world.app,
            &Actor::Operator,
            world.institution.id,
            EMAIL.into(),
            persons::Rewrite::Now,
        )
        .await;
        school.canvas.drop_person(101, 1);
        school.sync().await;
        assert_eq!(school.first_names().await, ["Ben"], "{}", page.slug);
    }
}

/// Fails if a new table with personal data is not covered.
#[tokio::test]
async fn every_table_that_names_a_registration_is_known_to_exports_and_erasures() {
    let world = World::new().await;
    let text = if on_postgres() {
        "SELECT table_name::TEXT FROM information_schema.columns WHERE column_name = 'participant_id' AND table_schema = current_schema()"
    } else {
        "SELECT t.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.name = 'participant_id'"
    };
    let mut tables = world.app.db.read().rows(text, &[], |row| row.text(0)).await.unwrap();
    tables.sort();
    assert_eq!(tables, TABLES.map(|(table, _)| table));
}

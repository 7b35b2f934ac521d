//! People who have left a course are in no list, lookup or count, and return with all their data.

use endonym::{
    app::{Actor, calls, institutions, media, participants},
    domain::{
        access::Access,
        call::State,
        media::Kind,
        name_page::NamePageRef,
        participant::{Draft, Given},
    },
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{School, patient};
use crate::{
    lms::people::Person,
    phone::records::{ANA, rules},
    support::{
        Answer, Setup, World,
        database::execute,
        media::{file, files, wav},
        until,
    },
};

const EMAIL: &str = "person1@example.edu";

/// Ana, Ben and Cy are in the course. Ana has a recording and a phonetic spelling.
async fn school() -> School {
    let school = School::new().await;
    school
        .enrol(["Ana", "Ben", "Cy"].into_iter().zip(1..).map(|(name, id)| Person::student(id, name, "Lima")));
    school.sync().await;
    school
}

async fn ana(school: &School) -> Value {
    school.people().await.into_iter().find(|one| one["email"] == EMAIL).unwrap()
}

#[tokio::test]
async fn whoever_has_come_after_the_roster_was_asked_for_does_not_leave_by_it() {
    let school = school().await;
    let joined = |at: i64| {
        let text = "UPDATE course_members SET joined_at = $1 WHERE user_id = '1'";
        execute(&school.world.app.db, text, vec![at.into()])
    };
    let now = school.world.app.clock.now();
    assert_eq!(joined(now.plus(std::time::Duration::from_secs(600)).micros()).await, 1);
    school.canvas.drop_person(101, 1);
    school.sync().await;
    assert_eq!(school.first_names().await, ["Ana", "Ben", "Cy"]);
    joined(now.micros()).await;
    school.sync().await;
    assert_eq!(school.first_names().await, ["Ben", "Cy"], "the next one knows");
}

#[tokio::test]
async fn whoever_leaves_is_nowhere_and_comes_back_with_what_they_had() {
    let school = school().await;
    let world = &school.world;
    let page = school.page().await;
    let hex = world.give(&ana(&school).await, Kind::Recording, b"the sound of a name").await;
    let body =
        json!({ "name_page_id": page.slug, "participant": { "phonetic": "AH-na", "notes": "Slowly." } });
    world.put(&format!("/v5/participants/{EMAIL}"), body).await.expect(200);
    let everything = "include=custom_attributes,embeddables";
    let show = format!("/v4/name_pages/{}/participants/{EMAIL}?{everything}", page.slug);
    let before = world.get(&show).await.expect(200);
    let link = before["participant"]["recording_link"].as_str().unwrap().to_owned();
    let badge = before["participant"]["name_badge_link"].as_str().unwrap().to_owned();
    assert!(link.contains(&hex));
    assert_eq!((school.link(&link).await, school.link(&badge).await), (200, 200));

    school.canvas.drop_person(101, 1);
    school.sync().await;
    assert_eq!(school.first_names().await, ["Ben", "Cy"]);
    nowhere(&school, &page.slug, &page.access_code).await;
    assert_eq!((school.link(&link).await, school.link(&badge).await), (404, 404));
    let swept = media::sweep(&world.app, &Actor::Operator, std::time::Duration::ZERO, false).await.unwrap();
    assert_eq!(swept.removed, 0, "what is hidden is kept");

    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    assert_eq!(school.first_names().await, ["Ana", "Ben", "Cy"], "in the place that she had");
    assert_eq!(world.get(&show).await.expect(200), before);
    assert_eq!((school.link(&link).await, school.link(&badge).await), (200, 200));
    assert_eq!(school.count("hidden_participants").await, 0);
    assert_eq!(school.count("roll_gaps").await, 0);
}

/// In all four versions.
async fn nowhere(school: &School, slug: &str, access_code: &str) {
    let world = &school.world;
    let allow = NamePageRef::parse(slug).unwrap();
    endonym::app::name_pages::allow_v2(&world.app, &Actor::Operator, world.institution.id, &allow, true)
        .await
        .unwrap();
    for path in [
        "/v5/participants".to_owned(),
        format!("/v5/participants?email_list={EMAIL},person2@example.edu"),
        "/v5/participants?institution_id_list=S1,S2".into(),
        "/v5/participants?updated_after=2001-01-01T00:00:00Z".into(),
        format!("/v5/participants/search?email_list={EMAIL}"),
        format!("/v5/participants/latest?tokens={EMAIL},S1"),
        "/v4/participants".into(),
        format!("/v4/name_pages/{slug}/participants"),
        "/v4/participants/search?institution_id_list=S1".into(),
        format!("/v3/names?auth_token={}&access_code={access_code}", world.token),
        format!("/v3/names?auth_token={}&access_code={access_code}&email={EMAIL}", world.token),
        format!("/v3/name?auth_token={}&access_code={access_code}&first_name=Ana", world.token),
        format!("/v2/names?access_code={access_code}"),
        format!("/v2/names?access_code={access_code}&institution_id=S1"),
    ] {
        let answer = world.get(&path).await;
        assert!(answer.status.is_success(), "{path}: {}", answer.body);
        let shown = answer.body.to_string();
        assert!(!shown.contains("\"Ana\"") && !shown.contains(&format!("\"{EMAIL}\"")), "{path}: {shown}");
    }
    let total = world.get("/v5/participants").await.expect(200)["Response"]["meta"]["total_count"].clone();
    assert_eq!(total, 2);
    let found = world.post("/v5/pronunciations/search", json!({ "identifiers": [{ "email": EMAIL }] })).await;
    assert_eq!(found.expect(200)["Response"]["pronunciations"], json!([]));
    let update = json!({ "name_page_id": slug, "participant": { "notes": "x" } });
    for (method, path, body) in [
        (Method::GET, format!("/v4/participants/{EMAIL}"), json!(null)),
        (Method::GET, "/v4/participants/S1".to_owned(), json!(null)),
        (Method::GET, format!("/v4/participants/latest?token={EMAIL}"), json!(null)),
        (Method::PUT, format!("/v5/participants/{EMAIL}"), update),
    ] {
        Answer::of(world.request(method, &path).json(&body)).await.expect(404);
    }
}

#[tokio::test]
async fn whoever_leaves_is_not_in_kept_reports_and_is_in_those_after_their_return() {
    let school = school().await;
    let page = school.page().await;
    let export = async || {
        let body = json!({ "export": { "name_page_id": page.slug } });
        let made = school.world.post("/v4/exports", body).await.expect(202);
        made["export"]["id"].as_str().unwrap().to_owned()
    };
    let names = async |id: &str| {
        let path = format!("/v4/exports/{id}");
        until("the report is there", || async {
            school.world.get(&path).await.expect(200)["export"]["state"] == "completed"
        })
        .await;
        let report = school.world.get(&path).await.expect(200)["export"]["report"].clone();
        report
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["first_name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let first = export().await;
    assert_eq!(names(&first).await, ["Ana", "Ben", "Cy"]);
    for _ in 0..2 {
        school.canvas.drop_person(101, 1);
        school.sync().await;
        assert_eq!(names(&first).await, ["Ben", "Cy"], "at once");
        assert_eq!(names(&export().await).await, ["Ben", "Cy"]);
        school.enrol([Person::student(1, "Ana", "Lima")]);
        school.sync().await;
        assert_eq!(names(&export().await).await, ["Ana", "Ben", "Cy"]);
    }
    assert_eq!(school.count("departures").await, 0);
}

#[tokio::test]
async fn what_hidden_people_have_is_made_anew_with_the_rest() {
    let school = school().await;
    let page = school.page().await.slug;
    let body = json!({ "name_page_id": page, "participant": { "pronunciation": file(wav(1.0)) } });
    school.world.put(&format!("/v5/participants/{EMAIL}"), body).await.expect(200);
    let link = async || ana(&school).await["recording_link"].as_str().unwrap().to_owned();
    let before = link().await;
    school.canvas.drop_person(101, 1);
    school.sync().await;
    let mut told = Vec::new();
    let again =
        media::reprocess(&school.world.app, &Actor::Operator, school.world.institution.id, |hex, why| {
            told.push((hex.to_owned(), why));
        });
    again.await.unwrap();
    assert!(matches!(&told[..], [(hex, None)] if before.contains(hex)), "{told:?}");
    assert_eq!(school.count("media WHERE hidden").await, 1);
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    let after = link().await;
    assert_ne!(after, before);
    assert_eq!((school.link(&before).await, school.link(&after).await), (200, 200));
    // While she is hidden, both links are dead; afterwards both work again.
    school.canvas.drop_person(101, 1);
    school.sync().await;
    assert_eq!((school.link(&before).await, school.link(&after).await), (404, 404));
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    assert_eq!((school.link(&before).await, school.link(&after).await), (200, 200));
}

#[tokio::test]
async fn a_call_to_somebody_who_leaves_is_not_made() {
    let school = School::without_workers(Setup { calling: rules(), ..patient() }).await;
    school.enrol([Person::student(1, "Ana", "Lima"), Person::student(2, "Ben", "Okri")]);
    let run = async || {
        school.ask(json!(["101"])).await.expect(200);
        let job = endonym::app::courses::find(
            &school.world.app,
            &Actor::Operator,
            school.world.institution.id,
            school.course().await.unwrap().id,
        );
        let job = job.await.unwrap().1.unwrap();
        let settings = endonym::jobs::Settings {
            workers: 0,
            lease: std::time::Duration::from_secs(30),
            grace: std::time::Duration::ZERO,
            sweep_every: std::time::Duration::ZERO,
            orphans_older_than: std::time::Duration::ZERO,
            report_format: endonym::site::report_format,
        };
        assert!(
            endonym::jobs::run_now(
                &school.world.app,
                settings,
                (school.world.institution.id, job),
                &Default::default()
            )
            .await
            .unwrap()
        );
    };
    run().await;
    let page = NamePageRef::parse(&school.page().await.slug).unwrap();
    let number = endonym::domain::phone_number::PhoneNumber::parse(ANA).unwrap();
    let draft = Draft { phone_number: Given::Set(number), ..Draft::default() };
    participants::update(
        &school.world.app,
        &Access::whole(school.world.institution.id),
        page,
        EMAIL.into(),
        draft,
    )
    .await
    .unwrap();
    let states = async || {
        let all = calls::all(&school.world.app, &Actor::Operator, None, 10).await.unwrap();
        all.into_iter().map(|call| call.state).collect::<Vec<_>>()
    };
    assert_eq!(states().await, [State::Scheduled]);
    school.canvas.drop_person(101, 1);
    run().await;
    assert_eq!(states().await, [State::Canceled]);
}

#[tokio::test]
async fn a_new_person_may_have_the_address_of_a_hidden_one_and_is_the_one_who_is_found() {
    let school = school().await;
    let hidden = World::registration_token(&ana(&school).await);
    school.canvas.drop_person(101, 1);
    school.sync().await;
    let new =
        school.world.person_on(&school.page().await, json!({ "first_name": "Ana", "email": EMAIL })).await;
    let new = World::registration_token(&new);
    assert_ne!(new, hidden);
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    assert_eq!(World::registration_token(&ana(&school).await), new);
    assert_eq!(school.count("hidden_participants").await, 1);
}

#[tokio::test]
async fn what_hidden_people_have_goes_with_their_page_and_with_their_institution() {
    for whole in [false, true] {
        let school = school().await;
        let app = &school.world.app;
        school.world.give(&ana(&school).await, Kind::Recording, b"sound").await;
        school.canvas.drop_person(101, 1);
        school.sync().await;
        let blobs =
            || files(school.world.folder.path()).into_iter().filter(|name| name.starts_with("blobs")).count();
        assert_eq!((school.count("hidden_participants").await, blobs()), (1, 1));
        if whole {
            institutions::delete(app, &Actor::Operator, "example").await.unwrap();
            for table in ["tool_consumers", "participants", "media", "courses", "course_members"] {
                assert_eq!(school.count(table).await, 0, "{table}");
            }
        } else {
            let page = NamePageRef::parse(&school.page().await.slug).unwrap();
            endonym::app::name_pages::delete(app, &Actor::Operator, school.world.institution.id, &page)
                .await
                .unwrap();
        }
        assert_eq!((school.count("hidden_participants").await, school.count("media").await), (0, 0));
        assert_eq!(blobs(), 0);
    }
}

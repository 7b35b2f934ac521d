//! What is done with many people at once.

use std::time::Duration;

use endonym::{
    app::{Actor, people_tasks},
    domain::{
        ids::ParticipantId,
        member::Role,
        people_query::PeopleQuery,
        people_task::{TaskAction, TaskOutcome, TaskState},
    },
};
use serde_json::json;

use super::{id_of, member_named, plain};
use crate::{
    mail::Server,
    support::{Setup, World, until},
};

const OWNER: &str = "owner@example.edu";
const BULK: &str = "/console/example/people/bulk";

async fn count(world: &World, from: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {from}");
    world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

async fn three(world: &World) -> [ParticipantId; 3] {
    for (name, email) in [("Ana", "a@x.org"), ("Bo", "b@x.org"), ("Cem", "c@x.org")] {
        world.person(name, email).await;
    }
    [id_of(world, "a@x.org").await, id_of(world, "b@x.org").await, id_of(world, "c@x.org").await]
}

#[tokio::test]
async fn a_custom_field_is_set_for_those_who_are_selected() {
    let world = World::new().await;
    world.custom_field("major").await;
    let [ana, bo, _] = three(&world).await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    let page = owner.get(&format!("{BULK}?action=tag&id={ana}&id={bo}")).await.expect(200).body;
    assert!(plain(&page).contains("This concerns 2 people."), "{page}");
    let ids = format!("{ana},{bo}");
    let field = page.split("<option value=\"").nth(2).unwrap().split('"').next().unwrap().to_owned();
    let missing =
        owner.post(BULK, &[("action", "tag"), ("ids", &ids), ("tag_value", "Kept")]).await.expect(422);
    assert!(
        missing.body.contains("tag-fault") && missing.body.contains("value=\"Kept\""),
        "{}",
        missing.body
    );
    let long = "x".repeat(3_000);
    let fields = [("action", "tag"), ("ids", ids.as_str()), ("tag", &field), ("tag_value", &long)];
    let refused = owner.post(BULK, &fields).await.expect(422).body;
    assert!(refused.contains("tag_value-fault") && refused.contains(&long));
    let fields = [("action", "tag"), ("ids", ids.as_str()), ("tag", &field), ("tag_value", "Physics")];
    let begun = owner.post(BULK, &fields).await.expect(303);
    let page = owner.get(begun.location()).await.expect(200).body;
    assert!(page.contains("Finished.") && plain(&page).contains("Done: 2 of 2"), "{page}");
    assert_eq!(count(&world, "participants WHERE custom LIKE '%Physics%'").await, 2);
    // Nobody is selected.
    let nobody = owner.post(BULK, &[("action", "tag"), ("ids", ""), ("tag", &field)]).await.expect(422).body;
    assert!(nobody.contains("Nobody is selected"), "{nobody}");
}

#[tokio::test]
async fn people_are_moved_and_those_who_are_there_already_stay() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    let [ana, bo, _] = three(&world).await;
    world.person_on(&choir, json!({ "first_name": "Bo", "email": "b@x.org" })).await;
    crate::name_pages::invite(&world, "a@x.org").await;
    let (app, operator, institution) = (&world.app, &Actor::Operator, world.institution.id);
    let whom = people_tasks::Whom::These(vec![ana, bo]);
    let action = TaskAction::Move { page: choir.id };
    let task = people_tasks::begin(app, operator, institution, &whom, action).await.unwrap();
    let view = people_tasks::find(app, operator, institution, task).await.unwrap();
    assert_eq!(view.outcomes, [(TaskOutcome::Done, 1), (TaskOutcome::Taken, 1)]);
    assert_eq!((view.task.state, view.task.rows_done), (TaskState::Done, 2));
    assert_eq!(count(&world, &format!("participants WHERE name_page_id = {}", choir.id)).await, 2);
    assert_eq!(count(&world, &format!("rolls WHERE name_page_id = {} AND members = 2", choir.id)).await, 1);
    assert_eq!(
        count(&world, &format!("rolls WHERE name_page_id = {} AND members = 2", world.page.id)).await,
        1
    );
    assert_eq!(
        count(&world, &format!("invitations WHERE name_page_id = {}", choir.id)).await,
        1,
        "it came along"
    );
    let listed = world.get(&format!("/v4/name_pages/{}/participants", choir.slug)).await.expect(200);
    assert_eq!(listed["participants"].as_array().unwrap().len(), 2);
    // Repeating it changes nothing.
    people_tasks::run(app, institution, task).await.unwrap();
    assert_eq!(people_tasks::find(app, operator, institution, task).await.unwrap().task.rows_done, 2);
}

#[tokio::test]
async fn whoever_deletes_many_people_types_how_many_and_can_undo_it() {
    let world = World::new().await;
    let [ana, bo, _] = three(&world).await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    let page = owner.get(&format!("{BULK}?action=delete&id={ana}&id={bo}")).await.expect(200).body;
    assert!(plain(&page).contains("type the number of people: 2"), "{page}");
    let (ids, path) = (format!("{ana},{bo}"), format!("{BULK}/delete"));
    let wrong =
        owner.post(&path, &[("action", "delete"), ("ids", &ids), ("number", "3")]).await.expect(422).body;
    assert!(wrong.contains("number-fault") && wrong.contains("value=\"3\""), "{wrong}");
    assert_eq!(count(&world, "participants").await, 3);
    let begun =
        owner.post(&path, &[("action", "delete"), ("ids", &ids), ("number", " 2 ")]).await.expect(303);
    assert_eq!(count(&world, "participants").await, 1);
    assert_eq!(count(&world, "deleted_people").await, 2);
    let task = begun.location().to_owned();
    assert!(owner.get(&task).await.expect(200).body.contains(&format!("{task}/undo")));
    let undone = owner.post(&format!("{task}/undo"), &[]).await.expect(303);
    let page = owner.get(undone.location()).await.expect(200).body;
    assert!(plain(&page).contains("Done: 2 of 2"), "{page}");
    assert_eq!((count(&world, "participants").await, count(&world, "deleted_people").await), (3, 0));
    assert_eq!(count(&world, "rolls WHERE members = 3").await, 2);
    // After a while, the owner has to sign in again.
    world.advance(Duration::from_secs(3_000));
    owner.get("/console/example/people").await.expect(200);
    let again = owner.post(&path, &[("action", "delete"), ("ids", &ids), ("number", "2")]).await.expect(303);
    assert!(again.location().contains("/sign-in"), "{}", again.location());
    assert_eq!(count(&world, "participants").await, 3);
    // Others do not see whose task it is.
    let manager =
        member_named(&world, &world.institution, "boss@example.edu", Role::Manager, &[&world.page]).await;
    manager.get(&task).await.expect(404);
}

#[tokio::test]
async fn many_people_are_done_by_a_job_whose_progress_is_stored() {
    let world = World::new().await;
    world.custom_field("major").await;
    world.crowd(&world.page, 0..450).await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    let page = owner.get(&format!("{BULK}?action=tag&all=1&q=p")).await.expect(200).body;
    assert!(plain(&page).contains("This concerns 450 people."), "{page}");
    let field = page.split("<option value=\"").nth(2).unwrap().split('"').next().unwrap().to_owned();
    let fields = [("action", "tag"), ("all", "1"), ("q", "p"), ("tag", &*field), ("tag_value", "Physics")];
    let begun = owner.post(BULK, &fields).await.expect(303);
    let waiting = owner.get(begun.location()).await.expect(200);
    assert!(
        plain(&waiting.body).contains("Done: 0 of 450") && waiting.headers.contains_key("refresh"),
        "{}",
        waiting.body
    );
    assert_eq!(count(&world, "participants WHERE custom IS NOT NULL").await, 0, "nobody waits for it");
    world.work(1);
    until("everybody is done", || async {
        count(&world, "people_tasks WHERE state = 'done' AND rows_done = 450").await == 1
    })
    .await;
    assert_eq!(count(&world, "participants WHERE custom LIKE '%Physics%'").await, 450);
    let done = owner.get(begun.location()).await.expect(200);
    assert!(plain(&done.body).contains("Done: 450 of 450") && !done.headers.contains_key("refresh"));
}

#[tokio::test]
async fn people_are_invited_and_reminded_once() {
    let server = Server::start(&[]).await;
    let world = World::with(Setup { mail: server.mailer(), ..Setup::default() }).await;
    let [ana, bo, _] = three(&world).await;
    let (app, operator, institution) = (&world.app, &Actor::Operator, world.institution.id);
    let base_url = world.base.clone();
    let begin = async |ids: Vec<ParticipantId>, action: TaskAction| {
        let whom = people_tasks::Whom::These(ids);
        let task = people_tasks::begin(app, operator, institution, &whom, action).await.unwrap();
        people_tasks::find(app, operator, institution, task).await.unwrap().outcomes
    };
    let invite = || TaskAction::Invite { base_url: base_url.clone() };
    let remind = || TaskAction::Remind { base_url: base_url.clone() };
    assert_eq!(begin(vec![ana], remind()).await, [(TaskOutcome::NotInvited, 1)]);
    assert_eq!(begin(vec![ana, bo], invite()).await, [(TaskOutcome::Done, 2)]);
    assert_eq!(begin(vec![ana, bo], invite()).await, [(TaskOutcome::Unchanged, 2)]);
    assert_eq!(begin(vec![ana], remind()).await, [(TaskOutcome::JustWritten, 1)]);
    world.advance(Duration::from_secs(25 * 3_600));
    assert_eq!(begin(vec![ana], remind()).await, [(TaskOutcome::Done, 1)]);
    assert_eq!(begin(vec![ana], remind()).await, [(TaskOutcome::JustWritten, 1)]);
    assert_eq!(count(&world, "outbox WHERE message LIKE '%\"kind\":\"reminder\"%'").await, 1);
    assert_eq!(count(&world, "outbox WHERE message LIKE '%\"kind\":\"invitation\"%'").await, 2);
    let all = people_tasks::Whom::Matching(PeopleQuery { invited: Some(false), ..PeopleQuery::default() });
    let preview = people_tasks::preview(app, operator, institution, &all).await.unwrap();
    assert_eq!((preview.count, preview.is_cut), (1, false));
}

#[tokio::test]
async fn without_a_mail_server_nobody_is_invited() {
    let world = World::new().await;
    let [ana, ..] = three(&world).await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    let page = owner.get(&format!("{BULK}?action=invite&id={ana}")).await.expect(422).body;
    assert!(page.contains("No mail server is set up here"), "{page}");
    owner.post(BULK, &[("action", "invite"), ("ids", &ana.to_string())]).await.expect(422);
    assert_eq!(count(&world, "invitations").await, 0);
}

//! What belongs to a person stays theirs when the directory changes who they are.

use endonym::{
    domain::{
        ids::{ParticipantId, ScimUserId},
        scim::plan::Link,
    },
    store::{Error, scim_registrations},
};
use serde_json::json;

use super::{Directory, count, people};
use crate::support::{World, database::execute};

#[tokio::test]
async fn consents_requests_and_choices_about_messages_follow_an_email() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let choir = directory.group("Choir", &[&ana]).await;
    directory.map_to(&choir, &world.page).await;
    for text in [
        "INSERT INTO consents (institution_id, email_key, version, language, consented_at) VALUES ($1, 'ana@x.org', 'v1', 'en', 7)",
        "INSERT INTO recording_requests (institution_id, email_key, requested_at) VALUES ($1, 'ana@x.org', 8)",
        "INSERT INTO mail_opt_outs (institution_id, email_key, created_at) VALUES ($1, 'ana@x.org', 9)",
        "INSERT INTO persons (institution_id, email_key, language, no_requests, created_at) VALUES ($1, 'ana@x.org', 'de', TRUE, 9)",
        // The new address is known already.
        "INSERT INTO mail_opt_outs (institution_id, email_key, created_at) VALUES ($1, 'silva@x.org', 1)",
    ] {
        execute(&world.app.db, text, vec![world.institution.id.into()]).await;
    }
    let moved =
        json!([{ "op": "replace", "path": "emails[type eq \"work\"].value", "value": "silva@x.org" }]);
    directory.patch(&format!("/Users/{ana}"), moved).await.expect(200);
    assert_eq!(people(&world, &world.page).await, ["Ana Lima silva@x.org"]);
    for table in [
        "consents WHERE email_key = 'silva@x.org' AND version = 'v1' AND language = 'en' AND consented_at = 7",
        "recording_requests WHERE email_key = 'silva@x.org' AND requested_at = 8",
        "mail_opt_outs WHERE email_key = 'silva@x.org' AND created_at = 1",
        "persons WHERE email_key = 'silva@x.org' AND language = 'de' AND no_requests = TRUE",
    ] {
        assert_eq!(count(&world, table).await, 1, "{table}");
    }
    // The old address may be somebody else's.
    for table in ["consents", "recording_requests", "persons"] {
        assert_eq!(count(&world, &format!("{table} WHERE email_key = 'ana@x.org'")).await, 0, "{table}");
    }
}

#[tokio::test]
async fn a_registration_is_that_of_whoever_has_its_email_when_two_people_come_back_at_once() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    world.person("Ana", "ana@x.org").await;
    let lima = directory.user("Ana", "Lima", "ana@x.org").await;
    directory.set_active(&lima, false).await;
    let moved = json!([{ "op": "replace", "path": "emails[type eq \"work\"].value", "value": "lima@x.org" }]);
    directory.patch(&format!("/Users/{lima}"), moved).await.expect(200);
    let choir = directory.group("Choir", &[&lima]).await;
    directory.map_to(&choir, &world.page).await;
    assert!(people(&world, &world.page).await.is_empty());
    // As if a change of many people had been interrupted.
    let number = |id: &str| id.parse::<i64>().unwrap();
    let institution = world.institution.id;
    let text = "UPDATE scim_users SET active = TRUE, pending = TRUE WHERE institution_id = $1";
    execute(&world.app.db, text, vec![institution.into()]).await;
    let resource = json!({ "userName": "ben", "emails": [{ "value": "ana@x.org" }] });
    execute(
        &world.app.db,
        "INSERT INTO scim_users (institution_id, id, user_name_key, active, email_key, resource, pending, created_at, updated_at) \
         VALUES ($1, 7, 'ben', TRUE, 'ana@x.org', $2, TRUE, 1, 1)",
        vec![institution.into(), resource.to_string().into()],
    )
    .await;
    let text = "INSERT INTO scim_group_members (institution_id, group_id, user_id) VALUES ($1, $2, 7)";
    execute(&world.app.db, text, vec![institution.into(), number(&choir).into()]).await;
    directory.get("/Users?filter=userName%20eq%20%22x%22").await.expect(200);
    let mut found = people(&world, &world.page).await;
    found.sort_unstable();
    assert_eq!(found, ["Ana Lima lima@x.org", "Ana ana@x.org"]);
    let linked = format!("scim_registrations WHERE user_id IN (7, {lima}) AND parked = FALSE");
    assert_eq!(count(&world, &linked).await, 2);
}

#[tokio::test]
async fn of_several_links_of_a_registration_the_last_one_counts() {
    let world = World::new().await;
    let institution = world.institution.id;
    let link = |user: i64| (ParticipantId::new(1), Link { user: ScimUserId::new(user), parked: false });
    let links = [link(1), (ParticipantId::new(2), link(1).1), link(2)];
    let linked = world.app.db.write::<_, Error>(move |sql| {
        Box::pin(async move { scim_registrations::link(sql, institution, &links).await })
    });
    linked.await.unwrap();
    assert_eq!(count(&world, "scim_registrations").await, 2);
    assert_eq!(count(&world, "scim_registrations WHERE participant_id = 1 AND user_id = 2").await, 1);
}

//! `/console/{slug}/moderation`: one queue over all name pages that a member runs.

use endonym::{
    app::{
        Actor,
        moderation::{self, Listed},
        own_recordings::Sharing,
        page_settings,
    },
    domain::{
        member::Role,
        moderation::CaseState,
        name_page::{NamePage, NamePageRef},
        page_settings::Moderation,
    },
};
use serde_json::{Value, json};

use super::{console, member_named, member_with};
use crate::{own_recordings::record, support::World};

async fn hold(world: &World, page: &NamePage) {
    let change = page_settings::Change { moderation: Some(Moderation::Hold), ..Default::default() };
    let reference = NamePageRef::parse(&page.slug).unwrap();
    page_settings::update(&world.app, &Actor::Operator, world.institution.id, &reference, change)
        .await
        .unwrap();
}

/// Two pages that hold recordings, with Ana on the first and Bo on the second.
async fn world() -> (World, NamePage, Value, Value) {
    let world = World::new().await;
    let choir = world.page("Choir <b>").await;
    hold(&world, &world.page).await;
    hold(&world, &choir).await;
    let ana = world.person("Ana", "ana@example.edu").await;
    let bo = world.person_on(&choir, json!({ "first_name": "Bo", "email": "bo@example.edu" })).await;
    record(&world, &ana, 150.0, Sharing::ThisPage).await;
    record(&world, &bo, 220.0, Sharing::ThisPage).await;
    (world, choir, ana, bo)
}

/// The ids of all cases, Ana's first, each with the recording.
async fn cases(world: &World, listed: Listed) -> Vec<(String, String, CaseState)> {
    let (app, id) = (&world.app, world.institution.id);
    let queue = moderation::queue(app, &Actor::Operator, id, None, listed, None).await.unwrap();
    let case = |entry: moderation::Entry| (entry.case.id.to_string(), entry.case.hex, entry.case.state);
    queue.entries.into_iter().map(case).collect()
}

#[tokio::test]
async fn the_queue_has_all_pages_of_an_admin_and_those_of_a_manager() {
    let (world, choir, ..) = world().await;
    let open = cases(&world, Listed::Open).await;
    let path = console(&world, "/moderation");
    let admin = member_with(&world, Role::Admin, &[]).await;
    let all = admin.get(&path).await.expect(200).body;
    assert!(all.contains(">Ana<") && all.contains(">Bo<"), "{all}");
    assert!(all.contains("Choir &#60;b&#62;") && all.contains("Class of 2027"), "{all}");
    assert!(all.contains("data-case") && all.contains("moderation.js"), "{all}");
    let manager = member_with(&world, Role::Manager, &[&choir]).await;
    let own = manager.get(&path).await.expect(200).body;
    assert!(own.contains(">Bo<") && !own.contains(">Ana<"), "{own}");
    let sound = |at: usize| format!("{path}/{}/audio", open[at].0);
    assert_eq!(manager.file(&sound(1), &[]).await.0, 200);
    assert_eq!(manager.file(&sound(0), &[]).await.0, 404, "of a page that is not theirs");
    assert_eq!(admin.file(&sound(0), &[]).await.0, 200);

    let there = world.neighbor().await;
    let stranger = member_named(&world, &there.institution, "stranger@example.edu", Role::Owner, &[]).await;
    stranger.get(&path).await.expect(404);
    let theirs = format!("/console/{}/moderation", there.institution.slug);
    let none = stranger.get(&theirs).await.expect(200).body;
    assert!(none.contains("There is nothing to decide."), "{none}");
    assert_eq!(stranger.file(&format!("{theirs}/{}/audio", open[0].0), &[]).await.0, 404);
    stranger.post(&format!("{theirs}/{}", open[0].0), &[("decision", "approve")]).await.expect(404);
    member_with(&world, Role::Reader, &[&choir]).await.get(&path).await.expect(403);
    assert_eq!(cases(&world, Listed::Open).await, open);
}

#[tokio::test]
async fn recordings_are_approved_rejected_with_a_reason_and_restored() {
    let (world, choir, ..) = world().await;
    let path = console(&world, "/moderation");
    let open = cases(&world, Listed::Open).await;
    let [(ana, ana_hex, _), (bo, bo_hex, _)] = &open[..] else { panic!("{open:?}") };
    let admin = member_with(&world, Role::Admin, &[]).await;
    admin.get(&path).await.expect(200);
    let approve = [("decision", "approve"), ("heard", ana_hex.as_str())];
    admin.post(&format!("{path}/{ana}"), &approve).await.redirects_to(&format!("{path}?done=approve"));
    let told = admin.get(&format!("{path}?done=approve")).await.expect(200).body;
    assert!(told.contains("The recording can be heard now.") && !told.contains(">Ana<"), "{told}");
    admin.post(&format!("{path}/{ana}"), &approve).await.redirects_to(&format!("{path}?done=decided"));

    let reject =
        |reason: &'static str| [("decision", "reject"), ("heard", bo_hex.as_str()), ("reason", reason)];
    let blank = admin.post(&format!("{path}/{bo}"), &reject(" ")).await.expect(422).body;
    assert!(blank.contains("Please write a reason.") && blank.contains("<details open>"), "{blank}");
    let long: &'static str = Box::leak("<b>".repeat(500).into_boxed_str());
    let kept = admin.post(&format!("{path}/{bo}"), &reject(long)).await.expect(422).body;
    assert!(kept.contains("&#60;b&#62;") && !kept.contains("<b><b>"), "what was typed stays: {kept}");
    admin.post(&format!("{path}/{bo}"), &reject("Too quiet.")).await.expect(303);
    assert!(cases(&world, Listed::Open).await.is_empty());

    let manager = member_with(&world, Role::Manager, &[&choir]).await;
    let decided = manager.get(&format!("{path}?list=decided")).await.expect(200).body;
    assert!(
        decided.contains("Too quiet.") && decided.contains(">Bo<") && !decided.contains(">Ana<"),
        "{decided}"
    );
    let restore = [("decision", "restore"), ("list", "decided"), ("heard", bo_hex.as_str())];
    // Ana's case is of a page that is not theirs.
    manager.post(&format!("{path}/{ana}"), &restore).await.expect(404);
    let done = format!("{path}?done=restore&list=decided");
    manager.post(&format!("{path}/{bo}"), &restore).await.redirects_to(&done);
    let states: Vec<CaseState> =
        cases(&world, Listed::Decided).await.into_iter().map(|(_, _, state)| state).collect();
    assert_eq!(states, [CaseState::Restored, CaseState::Approved]);
}

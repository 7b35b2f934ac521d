//! Version 5: participants.

use serde_json::json;

use crate::support::World;

#[tokio::test]
async fn creates_somebody_and_finds_them_again() {
    let world = World::new().await;
    let made = world.person("Ana", "Ana@Example.edu").await;
    assert_eq!(made["email"], "Ana@Example.edu");
    assert_eq!(made["event_code"], json!(world.page.event_code));
    let found = world.get("/v5/participants/latest?tokens=ana@example.EDU").await.expect(200);
    assert_eq!(found["participants"][0]["email"], "Ana@Example.edu");
}

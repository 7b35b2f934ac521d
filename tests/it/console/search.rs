//! The search of the console.

use endonym::domain::member::Role;
use serde_json::Value;

use super::{json, member};
use crate::support::World;

fn titles(found: &Value) -> Vec<String> {
    let groups = found["groups"].as_array().unwrap().iter();
    let results = groups.flat_map(|group| group["results"].as_array().unwrap());
    results.map(|result| result["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn people_pages_and_commands_are_found_within_the_role() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    world.person("Ana", "ana@example.edu").await;
    let cem = serde_json::json!({ "first_name": "Cem", "email": "cem@example.edu" });
    world.person_on(&choir, cem).await;
    let mut owner = member(&world, Role::Owner).await;
    let mut manager = member(&world, Role::Manager).await;
    let path = |text: &str| format!("/console/example/search?q={text}");
    for (text, of_owner, of_manager) in [
        ("ana@example.edu", vec!["Ana"], vec!["Ana"]),
        ("cem@example.edu", vec!["Cem"], vec![]),
        ("choi", vec!["Choir"], vec![]),
        ("class", vec!["Class of 2027"], vec!["Class of 2027"]),
        // By the code that people type.
        (&choir.event_code, vec!["Choir"], vec![]),
        ("access+token", vec!["Access tokens", "Create an access token"], vec![]),
        ("directory", vec!["Connect a directory (SCIM)"], vec![]),
        ("export+people", vec!["Export people"], vec!["Export people"]),
        ("%3Cb%3E", vec![], vec![]),
    ] {
        assert_eq!(titles(&json(&mut owner, &path(text)).await), of_owner, "{text}");
        assert_eq!(titles(&json(&mut manager, &path(text)).await), of_manager, "{text}");
    }
    // Without a text, the sections.
    assert_eq!(titles(&json(&mut owner, "/console/example/search").await).len(), 14);
    assert_eq!(titles(&json(&mut manager, "/console/example/search").await).len(), 6);
}

#[tokio::test]
async fn without_a_script_the_search_is_a_page() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let owner = member(&world, Role::Owner).await;
    let body = owner.get("/console/example/search?q=ana%40example.edu").await.expect(200).body;
    assert!(body.contains("value=\"ana@example.edu\"") && body.contains("Ana</bdi>"), "{body}");
    let body = owner.get("/console/example/search?q=%22%3E%3Cscript%3E").await.expect(200).body;
    assert!(!body.contains("\"><script>") && body.contains("class=\"none\""), "{body}");
}

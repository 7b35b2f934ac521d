//! Answers to lookups are kept until the database changes, whoever changes it.

use std::time::Duration;

use serde_json::Value;

use crate::support::{World, process::Installation, until};

const PATHS: [&str; 10] = [
    "/api/private/v5/participants/latest?tokens=ana@example.edu",
    "/api/private/v4/participants/ana@example.edu",
    "/api/private/v4/name_pages/class/participants/ana@example.edu",
    "/api/private/v3/names?auth_token={token}&access_code=class&email=ana@example.edu",
    "/api/private/v2/names?access_code={code}&email=ana@example.edu",
    "/api/private/v5/participants?per_page=5",
    "/api/private/v5/participants/search?email_list=ana@example.edu",
    "/api/private/v4/participants",
    "/api/private/v4/participants/search?email_list=ana@example.edu",
    "/api/private/v4/name_pages/class/participants?include=embeddables",
];

async fn get(address: &str, path: &str, token: &str) -> (u16, String) {
    let request = reqwest::Client::new().get(format!("http://{address}{path}"));
    let answer = request.header("authorization", token).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_writes_is_in_the_next_answer() {
    let (here, token) = Installation::with_token().await;
    here.import("email,first_name\nana@example.edu,Ana 0\n");
    here.succeed(&["name-page", "update", "--institution", "example", "class", "--allow-v2"]);
    let pages = here.json(&["name-page", "list", "--institution", "example", "--json"]);
    let code = pages["name_pages"][0]["access_code"].as_str().unwrap();
    let paths = PATHS.map(|path| path.replace("{token}", &token).replace("{code}", code));
    let server = here.serve(&["--workers", "0"]);
    for turn in 1..=3 {
        for path in &paths {
            // The second one is kept, and so the third one is a kept answer.
            let first = get(server.address(), path, &token).await;
            assert_eq!(first.0, 200, "{}", first.1);
            for _ in 0..2 {
                assert_eq!(get(server.address(), path, &token).await, first);
            }
            assert!(first.1.contains(&format!("\"Ana {}\"", turn - 1)), "{turn}: {}", first.1);
        }
        here.import(&format!("email,first_name\nana@example.edu,Ana {turn}\n"));
    }
    // The page is closed to version 2, and the token is revoked: kept answers are of no use to anybody.
    let (v3, v2) = (&paths[3], &paths[4]);
    assert_eq!(get(server.address(), v2, "").await.0, 200);
    here.succeed(&["name-page", "update", "--institution", "example", "class", "--allow-v2", "false"]);
    assert_eq!(get(server.address(), v2, "").await.0, 404);
    assert_eq!(get(server.address(), v3, "").await.0, 200);
    let tokens = here.json(&["token", "list", "--institution", "example", "--json"]);
    let id = tokens["tokens"][0]["id"].as_str().unwrap();
    here.succeed(&["token", "revoke", "--institution", "example", id]);
    until("the token is refused", || async { get(server.address(), v3, "").await.0 == 401 }).await;
}

#[tokio::test]
async fn an_answer_follows_a_write_at_once_and_bookkeeping_keeps_it() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let name = |answer: &Value| answer["participants"][0]["first_name"].as_str().unwrap().to_owned();
    let path = "/v5/participants/latest?tokens=ana@x.org";
    for turn in 0..20 {
        let wanted = format!("Ana {turn}");
        let change = serde_json::json!({
            "name_page_id": world.page.slug,
            "participant": { "first_name": wanted },
        });
        world.put("/v5/participants/ana@x.org", change).await.expect(200);
        for _ in 0..3 {
            assert_eq!(name(&world.get(path).await.expect(200)), wanted);
        }
        // The token is read again, and its time of last use is written.
        world.advance(Duration::from_secs(1));
        endonym::app::callers::store_usage(&world.app).await.unwrap();
        assert_eq!(name(&world.get(path).await.expect(200)), wanted);
    }
}

#[tokio::test]
async fn bookkeeping_does_not_change_the_version_and_other_writes_do() {
    let world = World::on_sqlite().await;
    world.person("Ana", "ana@x.org").await;
    world.get("/v5/participants/latest?tokens=ana@x.org").await.expect(200);
    let before = world.app.db.version();
    assert!(before.is_some());
    endonym::app::callers::store_usage(&world.app).await.unwrap();
    assert_eq!(world.app.db.version(), before);
    world.person("Bea", "bea@x.org").await;
    assert!(world.app.db.version() > before);
}

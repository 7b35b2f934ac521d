//! The tool's own keys, as platforms see them.

use endonym::{
    app::lti::keys,
    domain::moment::Moment,
    store::{lti_keys, secrets::Secrets},
};
use serde_json::Value;

use crate::support::{World, database::execute};

async fn shown(world: &World) -> Vec<Value> {
    let answer = world.client.get(format!("{}/lti/jwks.json", world.base)).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["cache-control"], "public, max-age=300");
    let keys: Value = answer.json().await.unwrap();
    keys["keys"].as_array().unwrap().clone()
}

/// As if all keys had been made so many days earlier.
async fn days_pass(world: &World, days: i64) {
    let text = "UPDATE lti_keys SET created_at = created_at - $1".to_owned();
    execute(&world.app.db, text, vec![(days * 86_400_000_000).into()]).await;
}

#[tokio::test]
async fn a_key_is_made_on_first_need_and_says_what_it_is_for() {
    let world = World::new().await;
    keys::rotate_in_time(&world.app).await.unwrap();
    assert!(lti_keys::all(&mut world.app.db.read()).await.unwrap().is_empty(), "nobody needs one yet");
    let first = shown(&world).await;
    assert_eq!(first.len(), 1);
    for (key, value) in [("kty", "RSA"), ("alg", "RS256"), ("use", "sig"), ("e", "AQAB")] {
        assert_eq!(first[0][key], value);
    }
    assert!(first[0].get("d").is_none() && first[0].get("p").is_none(), "nothing private");
    assert_eq!(shown(&world).await, first, "and it stays");
    assert_eq!(keys::signing(&world.app).await.unwrap().kid, first[0]["kid"]);
}

#[tokio::test]
async fn keys_are_replaced_in_time_and_without_a_gap() {
    let world = World::new().await;
    let old = shown(&world).await[0]["kid"].clone();
    days_pass(&world, 90).await;
    keys::rotate_in_time(&world.app).await.unwrap();
    keys::rotate_in_time(&world.app).await.unwrap();
    let both = shown(&world).await;
    assert_eq!(both.len(), 2, "the new one is shown at once, and there is but one of them");
    assert_eq!(keys::signing(&world.app).await.unwrap().kid, old, "platforms cannot know it yet");
    days_pass(&world, 1).await;
    let new = keys::signing(&world.app).await.unwrap().kid;
    assert_ne!(new, old);
    days_pass(&world, 29).await;
    keys::rotate_in_time(&world.app).await.unwrap();
    assert_eq!(shown(&world).await.len(), 2, "what it has signed can still be checked");
    days_pass(&world, 1).await;
    keys::rotate_in_time(&world.app).await.unwrap();
    let last = shown(&world).await;
    assert_eq!((last.len(), &last[0]["kid"]), (1, &Value::from(new)));
}

#[tokio::test]
async fn a_key_that_cannot_be_opened_any_more_is_replaced_at_once() {
    let world = World::new().await;
    let kid = shown(&world).await[0]["kid"].clone();
    let purpose = format!("lti key {}", kid.as_str().unwrap());
    let lost = Secrets::new(Some("a secret that nobody has any more".into()), world.folder.path());
    let sealed = lost.seal(&purpose, b"key").unwrap();
    execute(&world.app.db, "UPDATE lti_keys SET private_key = $1".to_owned(), vec![sealed.into()]).await;
    let signing = keys::signing(&world.app).await.unwrap();
    assert_ne!(signing.kid, kid);
    assert!(signing.sign(&serde_json::json!({})).is_ok());
    assert_eq!(shown(&world).await.len(), 2);
}

#[tokio::test]
async fn what_is_kept_of_a_key_is_sealed() {
    let world = World::new().await;
    shown(&world).await;
    let kept = lti_keys::all(&mut world.app.db.read()).await.unwrap();
    assert!(kept[0].sealed.starts_with("v1:"), "{}", kept[0].sealed);
    assert!(kept[0].created_at > Moment::from_micros(0));
}

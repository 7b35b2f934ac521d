//! The tool's own keys, as published for platforms.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{Router, routing::get};
use endonym::{
    app::{Actor, Clock, institutions, lti::keys},
    domain::moment::Moment,
    jwt::{
        jwks::KeySets,
        keys::SigningKey,
        token::{Algorithm, Fault},
    },
    outbound::{Allowed, Outbound},
    store::{
        lti_keys::{self, KeyOwner},
        secrets::Secrets,
    },
};
use serde_json::{Value, json};

use crate::support::{World, database::execute};

async fn shown(world: &World) -> Vec<Value> {
    shown_at(world, &format!("/lti/{}/jwks.json", world.institution.slug)).await
}

const fn own(world: &World) -> KeyOwner {
    KeyOwner::Institution(world.institution.id)
}

async fn shown_at(world: &World, path: &str) -> Vec<Value> {
    let answer = world.client.get(format!("{}{path}", world.base)).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["cache-control"], "public, max-age=300");
    let keys: Value = answer.json().await.unwrap();
    keys["keys"].as_array().unwrap().clone()
}

fn days_pass(world: &World, days: u64) {
    world.advance(Duration::from_secs(days * 86_400));
}

#[tokio::test]
async fn a_key_is_made_on_first_need_and_says_what_it_is_for() {
    let world = World::new().await;
    keys::rotate_if_due(&world.app).await.unwrap();
    assert!(
        lti_keys::all(&mut world.app.db.read(), own(&world)).await.unwrap().is_empty(),
        "nobody needs one yet"
    );
    let first = shown(&world).await;
    assert_eq!(first.len(), 1);
    for (key, value) in [("kty", "RSA"), ("alg", "RS256"), ("use", "sig"), ("e", "AQAB")] {
        assert_eq!(first[0][key], value);
    }
    assert!(first[0].get("d").is_none() && first[0].get("p").is_none(), "nothing private");
    assert_eq!(shown(&world).await, first, "and it stays");
    assert_eq!(keys::signing(&world.app, own(&world)).await.unwrap().kid, first[0]["kid"]);
}

#[tokio::test]
async fn keys_are_replaced_in_time_and_without_a_gap() {
    let world = World::new().await;
    let old = shown(&world).await[0]["kid"].clone();
    days_pass(&world, 90);
    keys::rotate_if_due(&world.app).await.unwrap();
    keys::rotate_if_due(&world.app).await.unwrap();
    let both = shown(&world).await;
    assert_eq!(both.len(), 2, "the new one is shown at once, and there is but one of them");
    assert_eq!(
        keys::signing(&world.app, own(&world)).await.unwrap().kid,
        old,
        "platforms cannot know it yet"
    );
    days_pass(&world, 1);
    let new = keys::signing(&world.app, own(&world)).await.unwrap().kid;
    assert_ne!(new, old);
    days_pass(&world, 29);
    keys::rotate_if_due(&world.app).await.unwrap();
    assert_eq!(shown(&world).await.len(), 2, "what it has signed can still be checked");
    days_pass(&world, 1);
    keys::rotate_if_due(&world.app).await.unwrap();
    let last = shown(&world).await;
    assert_eq!((last.len(), &last[0]["kid"]), (1, &Value::from(new)));
}

#[tokio::test]
async fn each_institution_has_keys_of_its_own() {
    let world = World::new().await;
    let there = world.neighbor().await.institution;
    let at = async |path: &str| {
        let all = shown_at(&world, path).await;
        assert_eq!(all.len(), 1, "{path}");
        all[0]["kid"].clone()
    };
    let theirs = format!("/lti/{}/jwks.json", there.slug);
    let three = [at("/lti/jwks.json").await, at(&theirs).await, shown(&world).await[0]["kid"].clone()];
    assert!(three[0] != three[1] && three[1] != three[2] && three[0] != three[2], "{three:?}");
    let rotated = keys::rotate(&world.app, &Actor::Operator, Some(there.id)).await.unwrap();
    assert_eq!(shown_at(&world, &theirs).await[1]["kid"], rotated);
    assert_eq!((shown(&world).await.len(), shown_at(&world, "/lti/jwks.json").await.len()), (1, 1));
    // All of them grow old.
    days_pass(&world, 90);
    keys::rotate_if_due(&world.app).await.unwrap();
    // The first one of the other institution had a successor, which has signed since its second day.
    assert_eq!((shown(&world).await.len(), shown_at(&world, &theirs).await.len()), (2, 2));
    let nobody = world.client.get(format!("{}/lti/nobody/jwks.json", world.base)).send().await.unwrap();
    assert_eq!(nobody.status(), 404);
    institutions::delete(&world.app, &Actor::Operator, &there.slug).await.unwrap();
    let gone = lti_keys::all(&mut world.app.db.read(), KeyOwner::Institution(there.id)).await.unwrap();
    assert!(gone.is_empty());
}

#[tokio::test]
async fn a_key_that_cannot_be_opened_any_more_is_replaced_at_once() {
    let world = World::new().await;
    let kid = shown(&world).await[0]["kid"].clone();
    let purpose = format!("lti key of an institution {}", kid.as_str().unwrap());
    let lost = Secrets::new(Some("a secret that nobody has any more".into()), world.folder.path());
    let sealed = lost.seal(&purpose, b"key").unwrap();
    execute(
        &world.app.db,
        "UPDATE institution_lti_keys SET private_key = $1".to_owned(),
        vec![sealed.into()],
    )
    .await;
    let signing = keys::signing(&world.app, own(&world)).await.unwrap();
    assert_ne!(signing.kid, kid);
    assert!(signing.sign(&serde_json::json!({})).is_ok());
    assert_eq!(shown(&world).await.len(), 2);
}

#[tokio::test]
async fn what_is_kept_of_a_key_is_sealed() {
    let world = World::new().await;
    shown(&world).await;
    let kept = lti_keys::all(&mut world.app.db.read(), own(&world)).await.unwrap();
    assert!(kept[0].sealed.starts_with("v2:"), "{}", kept[0].sealed);
    assert!(kept[0].created_at > Moment::from_micros(0));
}

/// A platform that counts fetches of its keys, and can replace them.
async fn platform() -> (String, Arc<AtomicUsize>, Arc<Mutex<Vec<Value>>>) {
    let (asked, keys) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
    let (count, shown) = (asked.clone(), keys.clone());
    let answer = async move || {
        count.fetch_add(1, Ordering::SeqCst);
        let keys = shown.lock().unwrap();
        // `None` simulates a platform that is down.
        if keys.contains(&Value::Null) { String::new() } else { json!({ "keys": *keys }).to_string() }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/jwks", listener.local_addr().unwrap());
    tokio::spawn(async { axum::serve(listener, Router::new().route("/jwks", get(answer))).await });
    (url, asked, keys)
}

#[tokio::test]
async fn a_platforms_keys_are_kept_and_asked_for_again_when_a_new_one_signs() {
    let (url, asked, keys) = platform().await;
    let (old, new) =
        (super::KEY.clone(), SigningKey::from_der("platform-2".into(), super::KEY.der().to_vec()));
    *keys.lock().unwrap() = vec![json!({ "kty": "of tomorrow" }), old.public().unwrap()];
    let outbound = Outbound::new(Allowed::parse("127.0.0.0/8").unwrap()).unwrap();
    let (sets, start) = (KeySets::default(), Clock::system().instant());
    let verify = async |key: &SigningKey, seconds: u64| {
        let token = key.sign(&json!({ "sub": "u7" })).unwrap();
        sets.verified(&outbound, &url, &[Algorithm::Rs256], &token, || start + Duration::from_secs(seconds))
            .await
            .unwrap()
            .map(|_| ())
    };
    let times = || asked.load(Ordering::SeqCst);
    assert_eq!((verify(&old, 0).await, verify(&old, 1).await, times()), (Ok(()), Ok(()), 1));
    // An unknown key id is fetched only once in a while, however often it occurs.
    assert_eq!((verify(&new, 2).await, times()), (Err(Fault::Key), 1));
    assert_eq!(
        (verify(&new, 6).await, verify(&new, 7).await, times()),
        (Err(Fault::Key), Err(Fault::Key), 2)
    );
    *keys.lock().unwrap() = vec![new.public().unwrap()];
    assert_eq!((verify(&new, 12).await, times()), (Ok(()), 3));
    assert_eq!(verify(&old, 13).await, Err(Fault::Key), "what the platform has withdrawn is not believed");
    // After an hour, the keys are fetched in any case.
    assert_eq!((verify(&new, 3_700).await, times()), (Ok(()), 4));
    // If the platform does not respond, its keys stay valid for a day.
    keys.lock().unwrap().push(Value::Null);
    assert_eq!((verify(&new, 8_000).await, verify(&new, 8_001).await, times()), (Ok(()), Ok(()), 5));
    assert_eq!((verify(&new, 8_010).await, times()), (Ok(()), 6));
    let token = new.sign(&json!({ "sub": "u7" })).unwrap();
    let late = sets
        .verified(&outbound, &url, &[Algorithm::Rs256], &token, || start + Duration::from_secs(90_200))
        .await;
    assert!(late.is_err(), "{late:?}");
}

#[tokio::test]
async fn whoever_wants_a_key_that_is_known_does_not_wait_for_those_who_want_another() {
    let (url, asked, keys) = platform().await;
    *keys.lock().unwrap() = vec![super::KEY.public().unwrap()];
    let outbound = Outbound::new(Allowed::parse("127.0.0.0/8").unwrap()).unwrap();
    let (sets, start) = (KeySets::default(), Clock::system().instant());
    let verify = async |kid: &str, seconds: u64| {
        let key = SigningKey::from_der(kid.into(), super::KEY.der().to_vec());
        let token = key.sign(&json!({ "sub": "u7" })).unwrap();
        sets.verified(&outbound, &url, &[Algorithm::Rs256], &token, || start + Duration::from_secs(seconds))
            .await
            .unwrap()
            .is_ok()
    };
    assert!(verify("platform-1", 0).await);
    let mut other = std::pin::pin!(verify("nobody's", 10));
    // The fetch has started, and the caller has gone away.
    assert!(futures_util::poll!(&mut other).is_pending());
    assert!(verify("platform-1", 10).await);
    assert!(!other.await);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

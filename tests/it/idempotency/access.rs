//! A key belongs to its token, and shows nothing that the token may not see.

use endonym::{
    app::{
        Actor, Error, Forbidden, callers, participants,
        tokens::{self, New},
    },
    domain::{
        access::{Access, TokenScope},
        name_page::NamePageRef,
    },
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{ana, count, creates, draft, is_replayed, key_of, on_page, send};
use crate::support::{Answer, World, database::execute};

async fn send_as(world: &World, token: &str, path: &str, key: &str, body: &Value) -> Answer {
    let request = world.request_as(token, Method::POST, path);
    Answer::of(request.header("Idempotency-Key", key).json(body)).await
}

/// A token that is limited to the world's page.
async fn limited_token(world: &World) -> String {
    let new = New { name: "limited".into(), pages: Some(vec![world.page.clone()]), ..New::default() };
    tokens::create_with(&world.app, &Actor::Operator, world.institution.id, new).await.unwrap().1
}

#[tokio::test]
async fn each_token_has_its_own_keys() {
    let world = World::new().await;
    let (app, id) = (&world.app, world.institution.id);
    let (_, second) = tokens::create(app, &Actor::Operator, id, "second".into(), None).await.unwrap();
    let neighbor = world.neighbor().await;
    let made = send(&world, "/v5/participants", "key", &ana(&world)).await.expect(201);
    let body = on_page(&world, json!({ "first_name": "Ben", "email": "ben@x.org" }));
    let theirs = json!({ "name_page_id": neighbor.page.slug, "participant": { "first_name": "Cleo", "email": "c@x.org" } });
    for (token, body) in [(&second, &body), (&neighbor.token, &theirs)] {
        for replayed in [false, true] {
            let answer = send_as(&world, token, "/v5/participants", "key", body).await;
            assert_eq!(is_replayed(&answer), replayed);
            assert_eq!(answer.expect(201)["participant"]["first_name"], body["participant"]["first_name"]);
        }
    }
    assert_eq!(send(&world, "/v5/participants", "key", &ana(&world)).await.expect(201), made);
    assert_eq!(count(&world, "idempotency_keys").await, 3);
}

#[tokio::test]
async fn a_token_that_is_limited_to_pages_can_repeat_what_it_has_made() {
    let world = World::new().await;
    let token = limited_token(&world).await;
    for (path, body, status) in creates(&world) {
        for replayed in [false, true] {
            let answer = send_as(&world, &token, &path, &path, &body).await;
            assert_eq!(is_replayed(&answer), replayed, "{path}");
            answer.expect(status);
        }
    }
}

#[tokio::test]
async fn a_repeated_request_shows_nobody_outside_the_pages_of_its_token() {
    let world = World::new().await;
    let (limited, other) = (limited_token(&world).await, world.page("Elsewhere").await);
    for (token, email) in [(&limited, "a@x.org"), (&world.token, "b@x.org")] {
        let body = on_page(&world, json!({ "first_name": "Ana", "email": email }));
        send_as(&world, token, "/v5/participants", "key", &body).await.expect(201);
        let text = "UPDATE participants SET name_page_id = $1, page_place = id WHERE name_page_id = $2";
        assert_eq!(execute(&world.app.db, text, vec![other.id.into(), world.page.id.into()]).await, 1);
        let again = send_as(&world, token, "/v5/participants", "key", &body).await;
        if *token == limited {
            assert!(!is_replayed(&again));
            let message = "Forbidden: this access token is limited to other name pages";
            assert_eq!(again.expect(403), json!({ "message": message }));
        } else {
            assert!(is_replayed(&again));
            assert_eq!(again.expect(201)["participant"]["event_slug"], other.slug);
        }
    }
}

#[tokio::test]
async fn a_token_that_may_only_read_gets_nothing_for_a_key() {
    let world = World::new().await;
    let (path, body) = ("/v5/participants", ana(&world));
    send(&world, path, "key", &body).await.expect(201);
    let new = New { name: "reader".into(), scope: TokenScope::Read, ..New::default() };
    let made = tokens::create_with(&world.app, &Actor::Operator, world.institution.id, new).await;
    let refused = send_as(&world, &made.unwrap().1, path, "key", &body).await;
    assert!(!is_replayed(&refused));
    refused.expect(403);
    // Nor would the token that has used it, if its scope were reduced.
    let caller = callers::identify(&world.app, &world.token, None).await.unwrap();
    for (scope, permitted) in [(TokenScope::Write, true), (TokenScope::Read, false)] {
        let access = Access::new(world.institution.id, scope, None, false);
        let (key, page) =
            (key_of(&world, &caller, path, &body), NamePageRef::parse(&world.page.slug).unwrap());
        match participants::create_once(&world.app, &access, page, draft(), Some(key)).await {
            Ok(made) => assert!(permitted && made.is_repeated),
            Err(error) => {
                assert!(!permitted && matches!(error, Error::Forbidden(Forbidden::Scope(_))), "{error}");
            }
        }
    }
}

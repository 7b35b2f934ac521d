//! Access tokens: scopes, name pages, one row per person, unknown tokens, rotation and counting, and what is kept of them.

mod failures;
mod newest;
mod pages;
mod rotation;
mod scopes;
mod versions;

use endonym::{
    app::{
        Actor,
        tokens::{self, New},
    },
    domain::{access::TokenScope, name_page::NamePage},
};
use reqwest::Method;
use serde_json::Value;

use crate::support::{Answer, World};

async fn token(world: &World, new: New) -> String {
    let new = New { name: "limited".into(), ..new };
    tokens::create_with(&world.app, &Actor::Operator, world.institution.id, new).await.unwrap().1
}

async fn scoped(world: &World, scope: TokenScope) -> String {
    token(world, New { scope, ..New::default() }).await
}

async fn limited(world: &World, pages: &[&NamePage]) -> String {
    let pages = pages.iter().copied().cloned().collect();
    token(world, New { pages: Some(pages), ..New::default() }).await
}

/// A request with a token; as `auth_token` in version 3.
async fn send(world: &World, token: &str, method: Method, path: &str, body: Option<&Value>) -> Answer {
    let request = if path.starts_with("/v3") {
        let path = format!("{path}{}auth_token={token}", if path.contains('?') { '&' } else { '?' });
        world.request_without_token(method, &path)
    } else {
        world.request_as(token, method, path)
    };
    Answer::of(match body {
        Some(body) => request.json(body),
        None => request,
    })
    .await
}

async fn get(world: &World, token: &str, path: &str) -> Answer {
    send(world, token, Method::GET, path, None).await
}

async fn post(world: &World, token: &str, path: &str, body: Value) -> Answer {
    send(world, token, Method::POST, path, Some(&body)).await
}

/// The records of a list, in any version's shape.
fn records(body: &Value) -> &Vec<Value> {
    let places = ["/Response/participants", "/Response/pronunciations", "/participants", "/data"];
    places
        .iter()
        .find_map(|place| body.pointer(place))
        .unwrap_or_else(|| panic!("{body}"))
        .as_array()
        .unwrap()
}

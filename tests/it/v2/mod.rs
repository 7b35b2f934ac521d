//! Version 2. What it shares with version 3 (errors, CORS, deprecation) is tested there.

mod names;
mod rate_limit;

use endonym::{
    app::{Actor, name_pages},
    domain::name_page::{NamePage, NamePageRef},
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, World};

/// No token is required.
async fn get(world: &World, query: &str) -> Answer {
    Answer::of(world.request_without_token(Method::GET, &format!("/v2/names?{query}"))).await
}

/// Enables version 2 for a page.
pub async fn open(world: &World, page: &NamePage) {
    set(world, page, true).await;
}

async fn set(world: &World, page: &NamePage, allow: bool) {
    let page = NamePageRef::parse(&page.slug).unwrap();
    name_pages::allow_v2(&world.app, &Actor::Operator, world.institution.id, &page, allow).await.unwrap();
}

fn data(body: &Value) -> &Value {
    assert_eq!(body["result"], "success", "{body}");
    &body["data"]
}

fn error(message: &str) -> Value {
    json!({ "result": "error", "message": message })
}

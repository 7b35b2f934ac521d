//! Tokens that replace others, and how many requests each of them sent.

use std::time::Duration;

use endonym::{
    app::{Actor, Error, Missing, callers, institutions, tokens},
    domain::{access::TokenScope, ids::TokenId, token::TokenState},
};
use reqwest::Method;

use super::{get, limited, scoped};
use crate::{
    store::groups::{Holder, are_grouped, until_someone_waits},
    support::{Answer, Setup, World, node::Node},
};

const PATH: &str = "/v5/participants";
const DAY: Duration = Duration::from_secs(86_400);

/// The id of the newest token.
async fn newest(world: &World) -> TokenId {
    let all = tokens::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    all.last().unwrap().id
}

async fn rotate(world: &World, id: TokenId, overlap: Duration) -> String {
    tokens::rotate(&world.app, &Actor::Operator, world.institution.id, id, overlap).await.unwrap().1
}

#[tokio::test]
async fn a_new_token_may_do_what_the_old_one_may_and_lives_as_long() {
    let world = World::new().await;
    let (app, id) = (&world.app, world.institution.id);
    let page = world.page("Choir").await;
    let old_secret = limited(&world, &[&page]).await;
    let old = newest(&world).await;
    let secret = rotate(&world, old, DAY).await;
    let [was, is] = [&old_secret, &secret].map(|secret| callers::identify(app, secret, None));
    let (was, is) = (was.await.unwrap(), is.await.unwrap());
    assert_eq!(is.access.pages(), was.access.pages());
    assert_ne!(is.token_id, was.token_id);

    let made = tokens::create(app, &Actor::Operator, id, "thirty days".into(), Some(30)).await.unwrap().0;
    world.advance(DAY * 20);
    let (new, _) = tokens::rotate(app, &Actor::Operator, id, made.id, DAY * 20).await.unwrap();
    assert_eq!(new.expires_at.unwrap().since(new.created_at), DAY * 30);
    let old = tokens::find(app, &Actor::Operator, id, made.id).await.unwrap();
    assert_eq!(old.expires_at, made.expires_at, "it does not live longer than before");
    assert_eq!((old.state(app.clock.now()), old.replaced_by), (TokenState::Replaced, Some(new.id)));
    let again = tokens::rotate(app, &Actor::Operator, id, made.id, DAY).await;
    assert!(matches!(again, Err(Error::Missing(Missing::Token))), "{again:?}");
}

#[tokio::test]
async fn a_token_is_rotated_under_the_lock_of_the_institution() {
    let world = World::new().await;
    let page = world.page("Choir").await;
    limited(&world, &[&world.page, &page]).await;
    let old = newest(&world).await;
    let writes = async || {
        let text = "SELECT writes FROM rolls WHERE institution_id = $1 AND name_page_id = 0";
        let params = [world.institution.id.into()];
        world.app.db.read().one(text, &params, |row| row.int(0)).await.unwrap().unwrap()
    };
    let before = writes().await;
    rotate(&world, old, DAY).await;
    assert_eq!(writes().await, before + 1);
}

#[tokio::test]
async fn a_page_that_is_taken_from_a_token_meanwhile_is_not_copied() {
    if !are_grouped() {
        return;
    }
    let world = World::new().await;
    let page = world.page("Choir").await;
    limited(&world, &[&world.page, &page]).await;
    let old = newest(&world).await;
    let holder = Holder::lock(&world, world.institution.id).await;
    holder.execute(&format!("DELETE FROM token_pages WHERE name_page_id = {}", page.id)).await;
    let released = async {
        until_someone_waits(&world.app.db, 1).await;
        holder.release().await;
    };
    let (secret, ()) = futures_util::future::join(rotate(&world, old, DAY), released).await;
    let caller = callers::identify(&world.app, &secret, None).await.unwrap();
    assert_eq!(caller.access.pages(), Some(&[world.page.id][..]));
}

#[tokio::test]
async fn an_old_token_stops_on_every_node_when_its_time_is_over() {
    let world = World::new().await;
    let node = Node::start(&world, Setup::default()).await;
    let old_secret = scoped(&world, TokenScope::All).await;
    let there = async |token: &str| {
        let request = world.client.get(format!("{}/api/private{PATH}", node.base));
        request.header("Authorization", token).send().await.unwrap().status().as_u16()
    };
    assert_eq!(there(&old_secret).await, 200);
    let secret = rotate(&world, newest(&world).await, Duration::from_secs(3_600)).await;
    world.advance(Duration::from_secs(3_000));
    assert_eq!([there(&old_secret).await, there(&secret).await], [200, 200]);
    world.advance(Duration::from_secs(600));
    assert_eq!([there(&old_secret).await, there(&secret).await], [401, 200]);
    get(&world, &old_secret, PATH).await.expect(401);

    let last = rotate(&world, newest(&world).await, Duration::ZERO).await;
    world.advance(Duration::from_secs(1));
    assert_eq!([there(&secret).await, there(&last).await], [401, 200]);
}

#[tokio::test]
async fn tokens_that_expire_soon_are_named_until_they_are_replaced() {
    let world = World::new().await;
    let (app, operator, id) = (&world.app, &Actor::Operator, world.institution.id);
    let (made, _) = tokens::create(app, operator, id, "short".into(), Some(30)).await.unwrap();
    let soon = async || tokens::expiring(app, operator, id).await.unwrap().len();
    assert_eq!(soon().await, 0);
    world.advance(DAY * 16);
    assert_eq!(soon().await, 1);
    rotate(&world, made.id, DAY).await;
    assert_eq!(soon().await, 0);
}

#[tokio::test]
async fn every_request_is_counted_once_on_every_node() {
    let world = World::new().await;
    let node = Node::start(&world, Setup::default()).await;
    let (app, operator, id) = (&world.app, &Actor::Operator, world.institution.id);
    let token = scoped(&world, TokenScope::All).await;
    let counted = async || tokens::requests(app, operator, id).await.unwrap().values().sum::<u64>();
    let here = async || get(&world, &token, PATH).await.expect(200);
    // Some of them look the token up at the same time.
    tokio::join!(here(), here(), here());
    get(&world, &token, &format!("/v3/names?access_code={}", world.page.slug)).await.expect(200);
    // With the token in the body, it is looked up twice.
    let body = format!("auth_token={token}&access_code={}&name=Ana", world.page.slug);
    let search = world.request_without_token(Method::POST, "/v3/names/search").body(body);
    Answer::of(search.header("Content-Type", "application/x-www-form-urlencoded")).await;
    let request = world.client.get(format!("{}/api/private{PATH}", node.base));
    request.header("Authorization", &token).send().await.unwrap();
    assert_eq!(counted().await, 0, "nothing is written while requests are answered");
    for node in [app, &node.app] {
        callers::store_usage(node).await.unwrap();
    }
    assert_eq!(counted().await, 6);
    // What is written changes the database, and the token is read again.
    world.person("Ana", "ana@x.org").await;
    here().await;
    let made = newest(&world).await;
    tokens::revoke(app, operator, id, made).await.unwrap();
    world.advance(Duration::from_secs(1));
    get(&world, &token, PATH).await.expect(401);
    callers::store_usage(app).await.unwrap();
    let by_day = tokens::requests_by_day(app, operator, id, made).await.unwrap();
    assert_eq!((by_day.len(), by_day.last().unwrap().1), (tokens::SHOWN_DAYS, 7), "also the last one");
    world.advance(DAY * 40);
    assert_eq!(counted().await, 0, "only the last days are shown");
}

#[tokio::test]
async fn nothing_is_counted_for_an_institution_that_was_deleted() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    get(&world, &neighbor.token, PATH).await.expect(200);
    institutions::delete(&world.app, &Actor::Operator, &neighbor.institution.slug).await.unwrap();
    callers::store_usage(&world.app).await.unwrap();
    let text = "SELECT COUNT(*) FROM token_days";
    let kept = world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap();
    assert_eq!(kept, Some(0));
}

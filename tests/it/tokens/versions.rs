//! What a process keeps of tokens: it is not read again while nothing has changed, and every change is noticed.

use std::time::Duration;

use endonym::{
    app::{Actor, callers, institutions, name_pages, tokens},
    domain::{access::TokenScope, ids::TokenId, moment::Moment, name_page::NamePageRef},
    store::{self, Error, versions},
};

use super::{get, limited, scoped};
use crate::support::{
    Setup, World,
    database::{execute, on_postgres, series},
    node::Node,
};

const PATH: &str = "/v5/participants";
/// Longer than a token is used without looking.
const LATER: Duration = Duration::from_millis(500);

#[tokio::test]
async fn with_postgresql_one_row_says_that_no_token_has_changed() {
    // SQLite knows by itself whether anything was written.
    if !on_postgres() {
        return;
    }
    let world = World::new().await;
    let token = scoped(&world, TokenScope::All).await;
    get(&world, &token, PATH).await.expect(200);
    // By hand, and without saying so.
    execute(&world.app.db, "UPDATE tokens SET revoked_at = 1", vec![]).await;
    world.advance(LATER);
    get(&world, &token, PATH).await.expect(200);
    execute(&world.app.db, "UPDATE versions SET version = version + 1", vec![]).await;
    world.advance(LATER);
    get(&world, &token, PATH).await.expect(401);
}

#[tokio::test]
async fn what_was_changed_by_hand_is_noticed_after_a_while() {
    let world = World::new().await;
    let token = scoped(&world, TokenScope::All).await;
    get(&world, &token, PATH).await.expect(200);
    execute(&world.app.db, "UPDATE tokens SET revoked_at = 1", vec![]).await;
    world.advance(Duration::from_secs(31));
    get(&world, &token, PATH).await.expect(401);
}

async fn version(world: &World) -> i64 {
    versions::of_callers(&mut world.app.db.read()).await.unwrap()
}

#[tokio::test]
async fn every_change_of_what_callers_are_made_of_is_counted_and_nothing_else() {
    let world = World::new().await;
    let (app, operator) = (&world.app, &Actor::Operator);
    let neighbor = world.neighbor().await;
    let page = world.page("Gone soon").await;
    let (token, secret) =
        tokens::create(app, operator, world.institution.id, "second".into(), None).await.unwrap();

    let before = version(&world).await;
    world.person("Ana", "ana@x.org").await;
    get(&world, &secret, PATH).await.expect(200);
    callers::store_usage(app).await.unwrap();
    assert_eq!(version(&world).await, before, "people and the last use do not matter");

    let mut last = before;
    let mut is_higher = async |what: &str| {
        let now = version(&world).await;
        assert!(now > last, "{what}");
        last = now;
    };
    tokens::rotate(app, operator, world.institution.id, token.id, LATER).await.unwrap();
    is_higher("a token is replaced").await;
    tokens::revoke(app, operator, world.institution.id, token.id).await.unwrap();
    is_higher("a token is revoked").await;
    let change = institutions::Change { rate_limit: Some(Some(5)), ..Default::default() };
    institutions::update(app, operator, &world.institution.slug, change).await.unwrap();
    is_higher("a limit is changed").await;
    let origin = vec!["https://www.example.edu".to_owned()];
    let change = institutions::Change { allow_origins: origin.clone(), ..Default::default() };
    institutions::update(app, operator, &world.institution.slug, change).await.unwrap();
    is_higher("an origin is allowed").await;
    let change = institutions::Change { forbid_origins: origin, ..Default::default() };
    institutions::update(app, operator, &world.institution.slug, change).await.unwrap();
    is_higher("an origin is forbidden").await;
    let page = NamePageRef::parse(&page.slug).unwrap();
    name_pages::delete(app, operator, world.institution.id, &page).await.unwrap();
    is_higher("a page is deleted").await;
    institutions::delete(app, operator, &neighbor.institution.slug).await.unwrap();
    is_higher("an institution is deleted").await;

    let missing = tokens::revoke(app, operator, world.institution.id, token.id).await;
    assert!(missing.is_err() && version(&world).await == last, "nothing was revoked a second time");
}

#[tokio::test]
async fn a_token_for_a_page_that_is_deleted_is_for_one_page_less() {
    let world = World::new().await;
    let page = world.page("Gone soon").await;
    let token = limited(&world, &[&page, &world.page]).await;
    let pages = async || {
        let caller = callers::identify(&world.app, &token, None).await.unwrap();
        caller.access.pages().map(<[_]>::len)
    };
    assert_eq!(pages().await, Some(2));
    let gone = NamePageRef::parse(&page.slug).unwrap();
    name_pages::delete(&world.app, &Actor::Operator, world.institution.id, &gone).await.unwrap();
    world.advance(LATER);
    assert_eq!(pages().await, Some(1));
}

#[tokio::test]
async fn a_token_that_one_node_has_revoked_does_not_work_on_another_after_a_second() {
    let world = World::new().await;
    let node = Node::start(&world, Setup::default()).await;
    let (token, secret) =
        tokens::create(&world.app, &Actor::Operator, world.institution.id, "both".into(), None)
            .await
            .unwrap();
    let status = async || {
        let request = world.client.get(format!("{}/api/private{PATH}", node.base));
        request.header("Authorization", &secret).send().await.unwrap().status().as_u16()
    };
    get(&world, &secret, PATH).await.expect(200);
    assert_eq!(status().await, 200);
    tokens::revoke(&world.app, &Actor::Operator, world.institution.id, token.id).await.unwrap();
    world.advance(Duration::from_secs(1));
    assert_eq!(status().await, 401);
    get(&world, &secret, PATH).await.expect(401);
}

#[tokio::test]
async fn a_later_use_is_not_replaced_by_an_earlier_one() {
    let world = World::new().await;
    let (institution, token) = (world.institution.id, scoped(&world, TokenScope::All).await);
    let id = callers::identify(&world.app, &token, None).await.unwrap().token_id;
    for at in [20, 10] {
        let used = [(institution, id, Moment::from_micros(at))];
        let stored = world
            .app
            .db
            .write::<_, Error>(move |sql| Box::pin(async move { store::tokens::used(sql, &used).await }));
        stored.await.unwrap();
    }
    let all = tokens::all(&world.app, &Actor::Operator, institution).await.unwrap();
    let found = all.iter().find(|one| one.id == id).unwrap();
    assert_eq!(found.last_used_at, Some(Moment::from_micros(20)));
}

#[tokio::test]
async fn the_last_use_of_many_tokens_is_stored_at_once() {
    const TOKENS: i64 = 300;
    let world = World::new().await;
    let institution = world.institution.id;
    let (series, n) = series(&world.app.db, "$1");
    let insert = format!(
        "{series}INSERT INTO tokens (institution_id, id, name, digest, created_at) \
         SELECT $2, i + 1, 'many', 'digest' || i, 0 FROM {n}"
    );
    execute(&world.app.db, insert, vec![TOKENS.into(), institution.into()]).await;
    // The last one is of another institution, which has no such token.
    let mut used: Vec<_> =
        (1..TOKENS).map(|n| (institution, TokenId::new(n), Moment::from_micros(n * 10))).collect();
    used.push((world.neighbor().await.institution.id, TokenId::new(TOKENS), Moment::from_micros(7)));
    let stored = world
        .app
        .db
        .write::<_, Error>(move |sql| Box::pin(async move { store::tokens::used(sql, &used).await }));
    stored.await.unwrap();
    let text = "SELECT id, last_used_at FROM tokens WHERE name = 'many' ORDER BY id";
    let stored = world.app.db.read().rows(text, &[], |row| Ok((row.int(0)?, row.opt_int(1)?))).await.unwrap();
    let expected: Vec<_> = (1..=TOKENS).map(|n| (n, (n < TOKENS).then_some(n * 10))).collect();
    assert_eq!(stored, expected);
}

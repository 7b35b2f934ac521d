//! The columns of participants: the list matches the tables; nothing is lost when a row moves; unreadable values are
//! errors.

use endonym::domain::scope::Scope;
use endonym::{
    app::{self, Actor, participants, persons},
    domain::{
        access::Access,
        ids::{ExportId, ParticipantId, ToolConsumerId},
        name_page::NamePageRef,
        participant::{Draft, Given},
    },
    store::{
        self, exports,
        participants::{columns, hidden},
        tool_consumers,
    },
};
use serde_json::{Map, Value, json};

use crate::support::{
    World,
    database::{execute, on_postgres},
};

#[tokio::test]
async fn the_list_of_columns_is_that_of_both_tables() {
    let world = World::new().await;
    let mut listed = columns::all();
    listed.sort_unstable();
    for table in ["participants", "hidden_participants"] {
        let text = if on_postgres() {
            format!(
                "SELECT column_name::TEXT FROM information_schema.columns WHERE table_name = '{table}' AND table_schema = current_schema()"
            )
        } else {
            format!("SELECT name FROM pragma_table_info('{table}')")
        };
        let mut found = world.app.db.read().rows(&text, &[], |row| row.text(0)).await.unwrap();
        found.sort();
        assert_eq!(found, listed, "{table}");
    }
}

/// The only row of a table, by column.
async fn only_row(world: &World, table: &str) -> Map<String, Value> {
    let text = format!("SELECT * FROM {table}");
    let mut rows = world.app.db.read().rows(&text, &[], |row| row.record()).await.unwrap();
    assert_eq!(rows.len(), 1, "{table}");
    rows.remove(0)
}

#[tokio::test]
async fn a_row_that_was_hidden_comes_back_with_every_column() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for (column, _) in only_row(&world, "participants").await.iter().filter(|(_, value)| value.is_null()) {
        let value = if column.ends_with("_at") { "77" } else { "'{\"7\":\"a value\"}'" };
        execute(&world.app.db, format!("UPDATE participants SET {column} = {value}"), vec![]).await;
    }
    execute(&world.app.db, "UPDATE participants SET badge_listed = TRUE", vec![]).await;
    let before = only_row(&world, "participants").await;
    assert!(before.values().all(|value| !value.is_null()), "{before:?}");

    let (institution, page) = (world.institution.id, world.page.id);
    let (id, now) = (before["id"].as_i64().unwrap(), world.app.clock.now());
    let hide = world.app.db.write::<_, store::Error>(move |sql| {
        Box::pin(async move { hidden::hide(sql, institution, page, &[ParticipantId::new(id)]).await })
    });
    hide.await.unwrap();
    assert_eq!(only_row(&world, "hidden_participants").await, before);
    let show = world.app.db.write::<_, store::Error>(move |sql| {
        Box::pin(async move { hidden::show(sql, institution, page, &[ParticipantId::new(id)], now).await })
    });
    show.await.unwrap();
    let mut after = only_row(&world, "participants").await;
    assert_eq!(
        after.insert("updated_at".to_owned(), before["updated_at"].clone()),
        Some(json!(now.micros()))
    );
    assert_eq!(after, before);
}

#[tokio::test]
async fn custom_values_that_cannot_be_read_are_an_error_and_no_update_overwrites_them() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    execute(&world.app.db, "UPDATE participants SET custom = '{\"7\":\"cut o'", vec![]).await;
    let before = only_row(&world, "participants").await;
    let wanted = format!("participants.custom of row {}", before["id"]);

    let (access, page) = (Access::whole(world.institution.id), NamePageRef::parse(&world.page.slug).unwrap());
    let draft = Draft { notes: Given::Set("New notes".to_owned()), ..Draft::default() };
    let updated =
        participants::update(&world.app, &access, page, "ana@x.org".to_owned(), draft).await.unwrap_err();
    assert!(matches!(&updated, app::Error::Internal(why) if why.contains(&wanted)), "{updated:?}");
    let Err(exported) =
        persons::export(&world.app, &Actor::Operator, &world.institution, "ana@x.org".to_owned()).await
    else {
        panic!("a person with unreadable values was exported");
    };
    assert!(matches!(&exported, app::Error::Internal(why) if why.contains(&wanted)), "{exported:?}");
    assert_eq!(only_row(&world, "participants").await, before);
}

/// An update starts from the stored value, so an unreadable value fails instead of being overwritten. Lists skip such a
/// row: one institution's bad row must not stop the synchronization of all others.
#[tokio::test]
async fn a_tool_consumer_that_cannot_be_read_is_an_error_by_itself_and_skipped_in_lists() {
    let world = World::new().await;
    let (institution, db) = (world.institution.id, &world.app.db);
    for text in [
        "INSERT INTO tool_consumers (institution_id, id, name, kind, url, token_digest, enabled, roles, client_id, \
         frame_ancestors, created_at, sync_schedule) \
         VALUES ($1, 8, 'Moodle', 'lti', 'https://lms.example.edu', 'digest', TRUE, '[]', 'client', '[]', 0, 'off')",
        "INSERT INTO exports (institution_id, id, created_at, expires_at, state, custom_fields, pages_limited) \
         VALUES ($1, 9, 0, 0, 'initial', '[\"degree\"', FALSE)",
    ] {
        execute(db, text, vec![institution.into()]).await;
    }
    let broken = |error: store::Error, wanted: &str| {
        assert!(matches!(&error, store::Error::Broken(why) if why.contains(wanted)), "{error:?}");
    };
    let consumers = async || tool_consumers::all(&mut db.read(), Scope::Institution(institution)).await;
    assert_eq!(consumers().await.unwrap().len(), 1);
    for (column, value, wanted) in [
        ("roles", "[\"teacher\"", "tool_consumers.roles of row 8"),
        ("frame_ancestors", "", "tool_consumers.frame_ancestors of row 8"),
        ("roles", "[\"janitor\"]", "a role that this binary does not know"),
        ("sync_schedule", "weekly", "a schedule that this binary does not know"),
    ] {
        let before = only_row(&world, "tool_consumers").await[column].as_str().unwrap().to_owned();
        let set = format!("UPDATE tool_consumers SET {column} = $1");
        execute(db, set.clone(), vec![value.into()]).await;
        assert_eq!(consumers().await.unwrap().len(), 0);
        let scope = Scope::Institution(institution);
        let one = tool_consumers::find(&mut db.read(), scope, ToolConsumerId::new(8)).await;
        broken(one.unwrap_err(), wanted);
        execute(db, set, vec![before.into()]).await;
    }
    // The headings of a report are written as a whole and never written back.
    let export = exports::find(&mut db.read(), institution, ExportId::new(9)).await.unwrap().unwrap();
    assert!(export.custom_fields.is_empty());
}

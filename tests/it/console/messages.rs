//! `/console/{slug}/messages`

use endonym::{
    app::{Actor, mail_texts},
    domain::{
        ids::NamePageId,
        language::Language,
        mail_text::PageMailKind,
        member::Role::{Admin, Manager, Owner},
    },
    store::Value,
};
use serde_json::json;

use super::{console as path, member as visitor, only, version};
use crate::{
    name_pages::{invite, number},
    support::{World, database::execute},
};

/// Messages of an institution, each with this state.
async fn outbox(world: &World, institution: i64, ids: std::ops::Range<i64>, state: &'static str) {
    outbox_about(world, institution, None, ids, state).await;
}

/// Messages about a page.
async fn outbox_about(
    world: &World,
    institution: i64,
    page: Option<NamePageId>,
    ids: std::ops::Range<i64>,
    state: &'static str,
) {
    for id in ids {
        let text = "INSERT INTO outbox (institution_id, id, message, email, email_key, state, attempts, answer, created_at, \
                    changed_at, expires_at, name_page_id) \
                    VALUES ($1, $2, '{\"kind\":\"test\"}', $3, $3, $4, 1, 'no <mailbox>', $5, $5, $6, $7)";
        let now = world.app.clock.now();
        let values: Vec<Value<'static>> = vec![
            institution.into(),
            id.into(),
            format!("p{id}@example.edu").into(),
            state.into(),
            now.micros().into(),
            now.plus_days(1).micros().into(),
            page.into(),
        ];
        execute(&world.app.db, text, values).await;
    }
}

#[tokio::test]
async fn managers_see_the_messages_about_their_pages_and_no_others() {
    let world = World::new().await;
    for below in ["/messages", "/messages/bounces", "/messages/opt-outs"] {
        only(&world, below, &[Owner, Admin, Manager]).await;
    }
    only(&world, "/messages/texts", &[Owner, Admin]).await;
    let (id, other) = (world.institution.id.get(), world.page("Secret Orchestra").await);
    outbox_about(&world, id, Some(world.page.id), 1..2, "failed").await;
    outbox_about(&world, id, Some(other.id), 2..3, "failed").await;
    outbox(&world, id, 3..4, "failed").await;
    let (manager, at) = (visitor(&world, Manager).await, path(&world, "/messages"));
    let seen = manager.get(&at).await.expect(200).body;
    assert!(seen.contains("p1@example.edu") && seen.contains("no &#60;mailbox&#62;"), "{seen}");
    assert!(seen.contains(&format!("/p/{}/invitations", world.page.slug)), "{seen}");
    for hidden in ["p2@example.edu", "p3@example.edu", "Secret Orchestra", "/messages/texts"] {
        assert!(!seen.contains(hidden), "{hidden}: {seen}");
    }
    let found = manager.get(&format!("{at}?to=p2@example.edu")).await.expect(200).body;
    assert!(found.contains("There is no such message."), "{found}");
    for theirs in ["2", "3"] {
        manager.post(&format!("{at}/retry/{theirs}"), &[]).await.expect(404);
    }
    manager.post(&format!("{at}/retry/1"), &[]).await.redirects_to(&format!("{at}?done=retried"));
    assert_eq!(number(&world, "SELECT MIN(id) FROM outbox WHERE state = 'queued'").await, 1);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM outbox WHERE state = 'queued'").await, 1);
    let seen = visitor(&world, Admin).await.get(&at).await.expect(200).body;
    for all in ["p1@example.edu", "p2@example.edu", "p3@example.edu", "<td><bdi>Secret Orchestra</bdi></td>"]
    {
        assert!(seen.contains(all), "{all}: {seen}");
    }
}

#[tokio::test]
async fn managers_see_who_of_their_pages_gets_no_messages_and_change_nothing() {
    let world = World::new().await;
    let other = world.page("Secret Orchestra").await;
    world.person("Ana", "ana@example.edu").await;
    world.person_on(&other, json!({ "first_name": "Ben", "email": "ben@example.edu" })).await;
    invite(&world, "cem@example.edu").await;
    let everybody = ["ana@example.edu", "ben@example.edu", "cem@example.edu"];
    for email in everybody {
        for text in [
            "INSERT INTO mail_bounces (institution_id, email_key, answer, bounced_at) VALUES ($1, $2, 'unknown user', 1)",
            "INSERT INTO mail_opt_outs (institution_id, email_key, created_at) VALUES ($1, $2, 1)",
        ] {
            execute(&world.app.db, text, vec![world.institution.id.into(), email.into()]).await;
        }
    }
    let (manager, admin) = (visitor(&world, Manager).await, visitor(&world, Admin).await);
    for below in ["/messages/bounces", "/messages/opt-outs"] {
        let at = path(&world, below);
        let seen = manager.get(&at).await.expect(200).body;
        assert_eq!(everybody.map(|email| seen.contains(email)), [true, false, true], "{seen}");
        assert!(!seen.contains(&format!("action=\"{at}\"")), "{seen}");
        manager.post(&at, &[("email", "ana@example.edu")]).await.expect(403);
        let seen = admin.get(&at).await.expect(200).body;
        assert_eq!(everybody.map(|email| seen.contains(email)), [true; 3], "{seen}");
    }
    let overview = manager.get(&path(&world, "")).await.expect(200).body;
    assert!(overview.contains(&format!("<strong>2</strong><a href=\"{}\"", path(&world, "/messages"))));
}

#[tokio::test]
async fn the_outbox_is_searched_and_paged() {
    let world = World::new().await;
    let there = world.neighbor().await;
    outbox(&world, world.institution.id.get(), 1..61, "sent").await;
    outbox(&world, world.institution.id.get(), 61..62, "failed").await;
    outbox(&world, there.institution.id.get(), 70..71, "failed").await;
    let (admin, at) = (visitor(&world, Admin).await, path(&world, "/messages"));
    let first = admin.get(&at).await.expect(200).body;
    assert!(first.contains("p61@example.edu") && first.contains("no &#60;mailbox&#62;"), "{first}");
    assert!(first.contains("p12@example.edu") && !first.contains("p11@example.edu"), "{first}");
    assert!(!first.contains("p70@example.edu"), "{first}");
    let older = first.split("href=\"").find(|part| part.contains("before=")).unwrap();
    let older = older.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&");
    let second = admin.get(&older).await.expect(200).body;
    assert!(second.contains("p11@example.edu") && second.contains("p1@example.edu"), "{second}");
    assert!(!second.contains("p12@example.edu") && !second.contains("before="), "{second}");

    let failed = admin.get(&format!("{at}?state=failed")).await.expect(200).body;
    assert!(failed.contains("p61@example.edu") && !failed.contains("p60@example.edu"), "{failed}");
    let found = admin.get(&format!("{at}?to=P7@Example.edu")).await.expect(200).body;
    assert!(found.contains("p7@example.edu") && !found.contains("p61@example.edu"), "{found}");
    let none = admin.get(&format!("{at}?to=nobody@example.edu")).await.expect(200).body;
    assert!(none.contains("There is no such message."), "{none}");

    admin.post(&format!("{at}/retry/61"), &[]).await.redirects_to(&format!("{at}?done=retried"));
    assert_eq!(number(&world, "SELECT COUNT(*) FROM outbox WHERE state = 'queued' AND id = 61").await, 1);
    for id in ["61", "60", "70", "x"] {
        admin.post(&format!("{at}/retry/{id}"), &[]).await.expect(404);
    }
}

#[tokio::test]
async fn addresses_and_people_are_removed_from_the_lists() {
    let world = World::new().await;
    let there = world.neighbor().await;
    let now = world.app.clock.now().micros();
    for institution in [world.institution.id.get(), there.institution.id.get()] {
        for text in [
            "INSERT INTO mail_bounces (institution_id, email_key, answer, bounced_at) VALUES ($1, $2, 'unknown <user>', $3)",
            "INSERT INTO mail_opt_outs (institution_id, email_key, created_at) VALUES ($1, $2, $3)",
        ] {
            let key = format!("p{institution}@example.edu");
            execute(&world.app.db, text, vec![institution.into(), key.into(), now.into()]).await;
        }
    }
    let admin = visitor(&world, Admin).await;
    let ours = format!("p{}@example.edu", world.institution.id);
    let theirs = format!("p{}@example.edu", there.institution.id);
    for (below, table) in [("/messages/bounces", "mail_bounces"), ("/messages/opt-outs", "mail_opt_outs")] {
        let at = path(&world, below);
        let seen = admin.get(&at).await.expect(200).body;
        assert!(seen.contains(&ours) && !seen.contains(&theirs), "{seen}");
        for email in [&theirs, &ours] {
            admin.post(&at, &[("email", email)]).await.redirects_to(&format!("{at}?done=removed"));
        }
        assert_eq!(number(&world, &format!("SELECT COUNT(*) FROM {table}")).await, 1, "theirs stays");
        assert!(!admin.get(&at).await.expect(200).body.contains(&ours));
    }
}

#[tokio::test]
async fn texts_are_previewed_saved_and_reset() {
    let world = World::new().await;
    let (admin, at) = (visitor(&world, Admin).await, path(&world, "/messages/texts"));
    let asked = format!("{at}?message=invitation&language=de");
    let own = async || {
        let (kind, language) = (PageMailKind::Invitation, Language::German);
        let found = mail_texts::find(&world.app, &Actor::Operator, world.institution.id, kind, language);
        let found = found.await.unwrap();
        (found.is_own, found.text.subject)
    };
    let send = async |fields: &[(&str, &str)]| {
        let page = admin.get(&asked).await.expect(200);
        let version = version(&page.body, &at).to_owned();
        let fixed = [("message", "invitation"), ("language", "de"), ("version", version.as_str())];
        admin.post(&at, &[fields, &fixed].concat()).await
    };
    let wrong = [("subject", "Betreff"), ("text", "Hallo {nmae}"), ("do", "save")];
    let seen = send(&wrong).await.expect(422).body;
    assert!(seen.contains("id=\"text-fault\"") && seen.contains("Hallo {nmae}"), "{seen}");
    let right = [("subject", "Mein <Betreff>"), ("text", "Hallo {name}\r\n\r\n{link}")];
    let seen = send(&[&right[..], &[("do", "preview")]].concat()).await.expect(200).body;
    assert!(seen.contains("Ada Lovelace") && seen.contains("Mein &#60;Betreff&#62;"), "{seen}");
    assert!(!own().await.0);
    send(&[&right[..], &[("do", "save")]].concat()).await.redirects_to(&format!("{asked}&done=saved"));
    assert_eq!(own().await, (true, "Mein <Betreff>".to_owned()));

    // Somebody else has changed it since this form was shown.
    let old = [("message", "invitation"), ("language", "de"), ("version", "0"), ("do", "save")];
    let told = admin.post(&at, &[&[("subject", "Meiner"), ("text", "{link}")], &old[..]].concat()).await;
    let told = told.expect(409).body;
    assert!(told.contains("Meiner") && told.contains("Mein &#60;Betreff&#62;"), "{told}");
    send(&[("do", "reset")]).await.redirects_to(&format!("{asked}&done=reset"));
    assert!(!own().await.0);
}

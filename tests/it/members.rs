//! Members of an institution: their roles, how they sign in, what they see, and what becomes of them.

use std::time::Duration;

use endonym::{
    app::{
        Actor, Error, Forbidden, Missing, Result, institutions, members, name_pages, persons, sign_in, tokens,
    },
    domain::{
        email::Email,
        fault::{Fault, Field, SetupFault},
        ids::InstitutionId,
        member::{Member, Role},
        name_page::{NamePage, NamePageRef},
        session::{How, PersonId},
        token::{OnLeaving, Token},
    },
    store::Value,
};
use futures_util::future::join_all;
use reqwest::Method;

use crate::{
    me::{Browser, newest_mail},
    support::{World, database::execute, until},
};

const BOSS: &str = "boss@example.edu";
const DAY: Duration = Duration::from_secs(24 * 3_600);

fn reference(page: &NamePage) -> NamePageRef {
    NamePageRef::parse(&page.slug).unwrap()
}

async fn set(world: &World, email: &str, role: Role, pages: &[&NamePage]) -> Result<Member> {
    let pages = pages.iter().map(|page| reference(page)).collect();
    let email = Email::parse(email).unwrap();
    members::set(&world.app, &Actor::Operator, world.institution.id, email, role, pages).await
}

async fn remove(world: &World, email: &str) -> Result<()> {
    members::remove(&world.app, &Actor::Operator, world.institution.id, email, None).await
}

fn person(world: &World, email: &str) -> PersonId {
    PersonId { institution: world.institution.id, email_key: email.to_owned() }
}

async fn signed_in<'a>(world: &'a World, email: &str) -> Browser<'a> {
    let browser = Browser::new(world);
    let mail = browser.mailed("", email).await;
    browser.enter_code(&mail.code).await.redirects_to("/me");
    browser
}

async fn count(world: &World, table: &str, institution: InstitutionId) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {table} WHERE institution_id = $1");
    let counted = world.app.db.read().one(&text, &[institution.into()], |row| row.int(0)).await;
    counted.unwrap().unwrap()
}

fn is_last_owner<T: std::fmt::Debug>(outcome: &Result<T>) -> bool {
    let fault = Fault::from(SetupFault::LastOwner);
    matches!(outcome, Err(Error::Invalid(errors))
        if errors.iter().any(|(field, faults)| *field == Field::Role && faults.contains(&fault)))
}

#[tokio::test]
async fn a_member_signs_in_without_being_registered_and_sees_their_pages() {
    let world = World::new().await;
    let second = world.page("Second").await;
    for (role, pages, title) in [
        (Role::Owner, vec![], "Pages that you run"),
        (Role::Admin, vec![], "Pages that you run"),
        (Role::Manager, vec![&world.page], "Pages that you run"),
        (Role::Reader, vec![&world.page], "Pages that you can listen to"),
    ] {
        let email = format!("{}@example.edu", role.word());
        set(&world, &email, role, &pages).await.unwrap();
        let browser = signed_in(&world, &email).await;
        let own = browser.get("/me").await.expect(200);
        assert!(own.body.contains(title), "{role:?}\n{}", own.body);
        assert!(own.body.contains(&format!("href=\"/p/{}/people\"", world.page.slug)), "{}", own.body);
        let has_second = own.body.contains(&format!("/p/{}/people", second.slug));
        assert_eq!(has_second, role.has_all_pages(), "{role:?}");
        assert!(!own.body.contains("Your recording"), "there is nothing to record\n{}", own.body);
        assert_eq!(own.headers["x-robots-tag"], "noindex");
        assert_eq!(own.headers["cache-control"], "no-store");
        browser.post("/me/recording/delete", &[]).await.expect(404);
        browser.post("/me/language", &[("language", "de")]).await.expect(303);
        assert!(browser.get("/me").await.expect(200).body.contains("<html lang=\"de\""));
    }
}

#[tokio::test]
async fn somebody_with_a_role_and_a_registration_has_both_on_one_page() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    set(&world, "ana@example.edu", Role::Manager, &[&world.page]).await.unwrap();
    let browser = signed_in(&world, "ana@example.edu").await;
    let own = browser.get("/me").await.expect(200).body;
    assert!(own.contains("Pages that you run") && own.contains("Your recording"), "{own}");
    remove(&world, "ana@example.edu").await.unwrap();
    let own = browser.get("/me").await.expect(200).body;
    assert!(
        !own.contains("Pages that you run") && own.contains("Your recording"),
        "the session stays\n{own}"
    );
}

#[tokio::test]
async fn a_role_that_is_taken_away_ends_at_once() {
    let world = World::new().await;
    set(&world, BOSS, Role::Manager, &[&world.page]).await.unwrap();
    let browser = signed_in(&world, BOSS).await;
    let boss = person(&world, BOSS);
    let actor = members::actor_of(&world.app, &boss).await.unwrap();
    assert!(actor.manage(world.institution.id, world.page.id).is_ok());
    remove(&world, "BOSS@example.edu").await.unwrap();
    let actor = members::actor_of(&world.app, &boss).await.unwrap();
    assert!(actor.manage(world.institution.id, world.page.id).is_err());
    assert!(browser.get("/me").await.expect(303).location().starts_with("/sign-in"));
    browser.ask("", BOSS).await.redirects_to("/sign-in/code");
    assert!(newest_mail(&world).await.is_none(), "nobody has this address any more");
    assert!(matches!(remove(&world, BOSS).await, Err(Error::Missing(Missing::Member))));
}

#[tokio::test]
async fn a_device_that_was_let_in_by_a_qr_code_has_no_role() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    set(&world, "ana@example.edu", Role::Owner, &[]).await.unwrap();
    let ana = person(&world, "ana@example.edu");
    let made = sign_in::handover(&world.app, &Actor::Operator, &ana, How::Mail, None).await.unwrap();
    let phone = Browser::new(&world);
    phone.follow(&made.link).await.redirects_to("/me");
    let own = phone.get("/me").await.expect(200).body;
    assert!(own.contains("Your recording") && !own.contains("Pages that you run"), "{own}");
}

#[tokio::test]
async fn adding_a_member_again_replaces_the_role_and_the_pages() {
    let world = World::new().await;
    let second = world.page("Second").await;
    set(&world, BOSS, Role::Manager, &[&world.page, &second, &world.page]).await.unwrap();
    let boss = person(&world, BOSS);
    let found = members::find(&world.app, &boss).await.unwrap().unwrap();
    assert_eq!((found.role, found.pages.len()), (Role::Manager, 2));
    set(&world, "Boss@Example.edu", Role::Reader, &[&second]).await.unwrap();
    let changed = members::find(&world.app, &boss).await.unwrap().unwrap();
    assert_eq!((changed.role, changed.pages), (Role::Reader, vec![second.id]));
    assert_eq!(changed.created_at, found.created_at);
    let all = members::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].1, [second.slug]);
}

#[tokio::test]
async fn all_members_are_listed_with_their_pages_and_with_archived_ones() {
    let world = World::new().await;
    let (app, operator, id) = (&world.app, &Actor::Operator, world.institution.id);
    let (old, shared) = (world.page("Old").await, world.page("Shared").await);
    set(&world, "ana@example.edu", Role::Admin, &[]).await.unwrap();
    set(&world, BOSS, Role::Manager, &[&old, &shared]).await.unwrap();
    set(&world, "cy@example.edu", Role::Reader, &[&shared]).await.unwrap();
    name_pages::archive(app, operator, id, &reference(&old), true).await.unwrap();
    let all = members::all(app, operator, id).await.unwrap();
    let pages: Vec<Vec<String>> = all.into_iter().map(|(_, pages)| pages).collect();
    assert_eq!(pages, [vec![], vec![old.slug, shared.slug.clone()], vec![shared.slug]]);
}

#[tokio::test]
async fn pages_of_others_and_pages_of_owners_are_refused() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let refused = set(&world, BOSS, Role::Manager, &[&world.page, &neighbor.page]).await;
    assert!(matches!(refused, Err(Error::Missing(Missing::NamePage))), "{refused:?}");
    for role in [Role::Owner, Role::Admin] {
        let refused = set(&world, BOSS, role, &[&world.page]).await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{role:?}: {refused:?}");
    }
    assert_eq!(count(&world, "members", world.institution.id).await, 0, "nothing was written");
}

#[tokio::test]
async fn the_last_owner_cannot_be_removed_demoted_or_erased() {
    let world = World::new().await;
    let institution = world.institution.id;
    set(&world, BOSS, Role::Owner, &[]).await.unwrap();
    assert!(is_last_owner(&remove(&world, BOSS).await));
    assert!(is_last_owner(&set(&world, BOSS, Role::Admin, &[]).await));
    let erase = || {
        let rewrite = persons::Rewrite::Later;
        persons::erase(&world.app, &Actor::Operator, institution, BOSS.into(), rewrite)
    };
    assert!(is_last_owner(&erase().await.map(|erased| erased.registrations)));
    let browser = signed_in(&world, BOSS).await;
    let page = browser.get("/me/delete").await.expect(200).body;
    assert!(page.contains("Your role in running pages") && page.contains("Back to your pages"), "{page}");
    assert!(!page.contains("your name can come back"), "there is no name: {page}");
    let refused = browser.post("/me/delete", &[]).await.expect(409).body;
    assert!(refused.contains("You are the only owner"), "{refused}");
    set(&world, BOSS, Role::Owner, &[]).await.unwrap();
    set(&world, "second@example.edu", Role::Owner, &[]).await.unwrap();
    browser.get("/me/delete").await.expect(200);
    browser.post("/me/delete", &[]).await.expect(200);
    assert!(members::find(&world.app, &person(&world, BOSS)).await.unwrap().is_none());
    assert!(browser.get("/me").await.expect(303).location().starts_with("/sign-in"));
}

#[tokio::test]
async fn of_owners_who_are_demoted_at_once_one_stays() {
    let world = World::new().await;
    let emails: Vec<String> = (0..5).map(|number| format!("owner{number}@example.edu")).collect();
    for email in &emails {
        set(&world, email, Role::Owner, &[]).await.unwrap();
    }
    let outcomes = join_all(emails.iter().map(|email| set(&world, email, Role::Reader, &[]))).await;
    assert_eq!(outcomes.iter().filter(|outcome| is_last_owner(outcome)).count(), 1, "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 4);
}

/// The Kelvin sign folds to `k`, but the mailbox is another one.
#[tokio::test]
async fn a_lookalike_address_gets_no_role() {
    let world = World::new().await;
    let refused = set(&world, "\u{212a}im@example.edu", Role::Owner, &[]).await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    world.person("Kim", "\u{212a}im@example.edu").await;
    let thief = signed_in(&world, "\u{212a}im@example.edu").await;
    set(&world, "kim@example.edu", Role::Owner, &[]).await.unwrap();
    assert!(thief.session().await.is_none(), "what was opened before has no role");
    let mail = thief.mailed("", "\u{212a}im@example.edu").await;
    assert_eq!(mail.to, "kim@example.edu", "the code goes to the member");
}

#[tokio::test]
async fn who_is_invited_or_admitted_signs_in_and_finds_the_page_to_register_on() {
    let world = World::new().await;
    let now = world.app.clock.now();
    let invitation = "INSERT INTO invitations (institution_id, id, name_page_id, email, email_key, generation, created_at, \
                      expires_at) VALUES ($1, 1, $2, $3, $3, 1, $4, $5)";
    let params: Vec<Value<'static>> = vec![
        world.institution.id.into(),
        world.page.id.into(),
        "new@example.edu".into(),
        now.micros().into(),
        now.plus(90 * DAY).micros().into(),
    ];
    execute(&world.app.db, invitation, params).await;
    let browser = signed_in(&world, "new@example.edu").await;
    let own = browser.get("/me").await.expect(200).body;
    assert!(own.contains("Pages that you can add your name to"), "{own}");
    assert!(own.contains(&format!("href=\"/p/{}\"", world.page.slug)), "{own}");
    execute(&world.app.db, "UPDATE invitations SET withdrawn_at = 1", vec![]).await;
    assert!(browser.get("/me").await.expect(410).body.contains("You are signed out"));
    execute(&world.app.db, "UPDATE invitations SET withdrawn_at = NULL", vec![]).await;
    let new = person(&world, "new@example.edu");
    assert!(sign_in::may_sign_in(&world.app, &new).await.unwrap());
    assert!(!sign_in::belongs(&world.app, &new).await.unwrap(), "not before they register");
    let admission = "INSERT INTO admissions (institution_id, email_key, name_page_id, email, created_at) \
                     VALUES ($1, $2, $3, $2, $4)";
    let params = vec![
        world.institution.id.into(),
        "open@example.edu".into(),
        world.page.id.into(),
        now.micros().into(),
    ];
    execute(&world.app.db, admission, params).await;
    let admitted = person(&world, "open@example.edu");
    assert!(sign_in::may_sign_in(&world.app, &admitted).await.unwrap());
    world.advance(DAY);
    assert!(!sign_in::may_sign_in(&world.app, &admitted).await.unwrap(), "an admission is for a day");
    world.advance(90 * DAY);
    assert!(!sign_in::may_sign_in(&world.app, &new).await.unwrap(), "the invitation has expired");
    let elsewhere = PersonId { institution: world.neighbor().await.institution.id, ..admitted };
    assert!(!sign_in::may_sign_in(&world.app, &elsewhere).await.unwrap());
}

#[tokio::test]
async fn a_member_keeps_role_and_session_when_the_last_registration_is_deleted() {
    let world = World::new().await;
    let second = world.page("Second").await;
    world.person("Ana", "ana@example.edu").await;
    world.person("Ben", "ben@example.edu").await;
    set(&world, "ana@example.edu", Role::Reader, &[&world.page, &second]).await.unwrap();
    let (ana, ben) = (signed_in(&world, "ana@example.edu").await, signed_in(&world, "ben@example.edu").await);
    let (app, institution) = (&world.app, world.institution.id);
    name_pages::delete(app, &Actor::Operator, institution, &reference(&world.page)).await.unwrap();
    assert!(ben.session().await.is_none());
    let own = ana.get("/me").await.expect(200).body;
    assert!(own.contains(&format!("/p/{}/people", second.slug)), "{own}");
    assert!(!own.contains(&format!("/p/{}/people", world.page.slug)), "{own}");
    let member = members::find(app, &person(&world, "ana@example.edu")).await.unwrap().unwrap();
    assert_eq!(member.pages, [second.id]);
}

#[tokio::test]
async fn a_copy_of_a_members_data_has_the_role_and_erasing_deletes_it() {
    let world = World::new().await;
    let (app, institution) = (&world.app, world.institution.id);
    set(&world, BOSS, Role::Manager, &[&world.page]).await.unwrap();
    let copy = persons::export(app, &Actor::Operator, &world.institution, BOSS.into()).await.unwrap();
    assert_eq!(copy.about["person"]["members"][0]["role"], "manager", "{}", copy.about);
    assert_eq!(copy.about["person"]["member_pages"].as_array().unwrap().len(), 1);
    let browser = signed_in(&world, BOSS).await;
    let (status, headers, _) = browser.file("/me/copy", &[]).await;
    assert_eq!((status, headers["content-type"].to_str().unwrap()), (200, "application/zip"));
    let admin = set(&world, "admin@example.edu", Role::Admin, &[]).await.unwrap();
    let admin = members::actor_of(app, &admin.person).await.unwrap();
    let erase = |actor: Actor| async move {
        persons::erase(app, &actor, institution, BOSS.into(), persons::Rewrite::Later).await.map(|_| ())
    };
    let refused = erase(admin).await;
    assert!(matches!(refused, Err(Error::Forbidden(Forbidden::Ownership))), "{refused:?}");
    erase(Actor::Operator).await.unwrap();
    assert_eq!(count(&world, "member_pages", institution).await, 0);
    assert!(matches!(erase(Actor::Operator).await, Err(Error::Missing(Missing::Participant))));
}

#[tokio::test]
async fn an_admin_cannot_act_as_an_owner() {
    let world = World::new().await;
    let (app, institution) = (&world.app, world.institution.id);
    set(&world, BOSS, Role::Owner, &[]).await.unwrap();
    let admin = set(&world, "admin@example.edu", Role::Admin, &[]).await.unwrap();
    let admin = members::actor_of(app, &admin.person).await.unwrap();
    let link = |email: &'static str| sign_in::operator_link(app, &admin, institution, email, DAY, "http://x");
    let refused = link(BOSS).await;
    assert!(matches!(refused, Err(Error::Forbidden(Forbidden::Ownership))), "{refused:?}");
    assert!(link("admin@example.edu").await.is_ok());
}

#[tokio::test]
async fn deleting_an_institution_deletes_its_members_and_nobody_elses() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let (app, theirs) = (&world.app, neighbor.institution.id);
    set(&world, BOSS, Role::Manager, &[&world.page]).await.unwrap();
    let email = Email::parse(BOSS).unwrap();
    let pages = vec![reference(&neighbor.page)];
    members::set(app, &Actor::Operator, theirs, email, Role::Reader, pages).await.unwrap();
    institutions::delete(app, &Actor::Operator, &world.institution.slug).await.unwrap();
    for table in ["members", "member_pages"] {
        assert_eq!(count(&world, table, world.institution.id).await, 0, "{table}");
        assert_eq!(count(&world, table, theirs).await, 1, "{table}");
    }
}

#[tokio::test]
async fn somebody_with_roles_in_two_institutions_chooses_one() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    set(&world, BOSS, Role::Owner, &[]).await.unwrap();
    let email = Email::parse(BOSS).unwrap();
    let theirs = neighbor.institution.id;
    members::set(&world.app, &Actor::Operator, theirs, email, Role::Owner, Vec::new()).await.unwrap();
    let browser = Browser::new(&world);
    let mail = browser.mailed("", BOSS).await;
    browser.enter_code(&mail.code).await.redirects_to("/sign-in/choose");
    browser.get("/sign-in/choose").await.expect(200);
    let slug = neighbor.institution.slug.as_str();
    browser.post("/sign-in/choose", &[("institution", slug)]).await.redirects_to("/me");
    let own = browser.get("/me").await.expect(200).body;
    assert!(own.contains(&format!("/p/{}/people", neighbor.page.slug)), "{own}");
    assert!(!own.contains(&format!("/p/{}/people", world.page.slug)), "{own}");
}

#[tokio::test]
async fn when_two_pages_become_one_their_members_have_it() {
    let world = World::new().await;
    let second = world.page("Second").await;
    set(&world, BOSS, Role::Manager, &[&world.page, &second]).await.unwrap();
    set(&world, "reader@example.edu", Role::Reader, &[&second]).await.unwrap();
    let (institution, gone, kept) = (world.institution.id, second.id, world.page.id);
    let merged = world.app.db.write::<_, endonym::store::Error>(move |sql| {
        Box::pin(async move { endonym::store::name_pages::absorb(sql, institution, gone, kept).await })
    });
    merged.await.unwrap();
    for email in [BOSS, "reader@example.edu"] {
        let member = members::find(&world.app, &person(&world, email)).await.unwrap().unwrap();
        assert_eq!(member.pages, [kept], "{email}");
    }
}

/// A learning system may give the address of a registration to somebody else; the role belongs to the address.
#[tokio::test]
async fn a_member_whose_registration_loses_its_email_keeps_the_role() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    set(&world, "ana@example.edu", Role::Manager, &[&world.page]).await.unwrap();
    let browser = signed_in(&world, "ana@example.edu").await;
    world.without_email("ana@example.edu").await;
    let own = browser.get("/me").await.expect(200).body;
    assert!(own.contains("Pages that you run") && !own.contains("Your recording"), "{own}");
}

/// Makes a token as this member.
async fn token_of(world: &World, email: &str, name: &str) -> Result<(Token, String)> {
    let actor = members::actor_of(&world.app, &person(world, email)).await?;
    tokens::create(&world.app, &actor, world.institution.id, name.to_owned(), None).await
}

async fn is_accepted(world: &World, secret: &str) -> bool {
    world.request_as(secret, Method::GET, "/v5/participants").send().await.unwrap().status() == 200
}

/// The tokens of the institution: name, maker, whether the maker has left, and whether the token works.
async fn listed(world: &World) -> Vec<(String, Option<String>, bool, bool)> {
    let all = tokens::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    let now = world.app.clock.now();
    let shown = |token: &Token| {
        (token.name.clone(), token.maker.name.clone(), token.maker.has_left, token.works(now))
    };
    all.iter().filter(|token| token.maker.name.as_deref() != Some("operator")).map(shown).collect()
}

fn is_undecided<T: std::fmt::Debug>(outcome: &Result<T>) -> bool {
    let fault = Fault::from(SetupFault::TokensUndecided);
    matches!(outcome, Err(Error::Invalid(errors))
        if errors.iter().any(|(field, faults)| *field == Field::Tokens && faults.contains(&fault)))
}

#[tokio::test]
async fn whoever_takes_the_role_from_somebody_decides_about_their_tokens() {
    let world = World::new().await;
    let (app, id) = (&world.app, world.institution.id);
    set(&world, BOSS, Role::Owner, &[]).await.unwrap();
    for (email, decided) in [("kay@x.org", OnLeaving::Keep), ("rita@x.org", OnLeaving::Revoke)] {
        set(&world, email, Role::Admin, &[]).await.unwrap();
        let (_, secret) = token_of(&world, email, email).await.unwrap();
        assert!(is_undecided(&remove(&world, email).await), "{email}");
        assert!(is_undecided(&set(&world, email, Role::Reader, &[&world.page]).await), "{email}");
        assert!(members::find(app, &person(&world, email)).await.unwrap().unwrap().role == Role::Admin);
        set(&world, email, Role::Owner, &[]).await.expect("nobody leaves");
        let change = members::Change { tokens: Some(decided), ..members::Change::default() };
        let address = Email::parse(email).unwrap();
        let lower = members::replace(app, &Actor::Operator, id, address, Role::Reader, Vec::new(), change);
        lower.await.unwrap();
        // A node may remember a token for a moment.
        let works = decided == OnLeaving::Keep;
        until("the decision is in force", || async { is_accepted(&world, &secret).await == works }).await;
        let token = listed(&world).await.into_iter().find(|(name, ..)| name == email).unwrap();
        assert_eq!(token, (email.to_owned(), Some(email.to_owned()), true, works));
        remove(&world, email).await.expect("a reader has no tokens to decide about");
        assert!(matches!(token_of(&world, email, "late").await, Err(Error::Forbidden(_))), "{email}");
    }
}

#[tokio::test]
async fn a_token_names_whoever_knows_its_secret() {
    let world = World::new().await;
    let id = world.institution.id;
    for email in [BOSS, "ana@x.org"] {
        set(&world, email, Role::Owner, &[]).await.unwrap();
    }
    let (made, _) = token_of(&world, "ana@x.org", "hers").await.unwrap();
    let boss = members::actor_of(&world.app, &person(&world, BOSS)).await.unwrap();
    tokens::rotate(&world.app, &boss, id, made.id, Duration::ZERO).await.unwrap();
    let makers = listed(&world).await.into_iter().map(|(_, maker, _, works)| (maker.unwrap(), works));
    let wanted = [("ana@x.org".to_owned(), false), (BOSS.to_owned(), true)];
    assert_eq!(makers.collect::<Vec<_>>(), wanted);
    remove(&world, "ana@x.org").await.expect("the old one does not work any more");
    // Erasing somebody forgets their address, and not that they are gone.
    let (app, rewrite) = (&world.app, persons::Rewrite::Later);
    set(&world, "new@x.org", Role::Owner, &[]).await.unwrap();
    persons::erase(app, &Actor::Operator, id, BOSS.to_owned(), rewrite).await.unwrap();
    let left = listed(&world).await.into_iter().find(|(_, _, _, works)| *works).unwrap();
    assert_eq!(left, ("hers".to_owned(), None, true, true));
}

/// Whoever has lost the role while a request of theirs was under way makes no token.
#[tokio::test]
async fn of_a_removal_and_a_new_token_at_once_no_token_is_overlooked() {
    let world = World::new().await;
    set(&world, BOSS, Role::Owner, &[]).await.unwrap();
    for round in 0..8 {
        let email = format!("a{round}@x.org");
        set(&world, &email, Role::Admin, &[]).await.unwrap();
        let (made, removed) = tokio::join!(token_of(&world, &email, &email), remove(&world, &email));
        match removed {
            Ok(()) => assert!(matches!(made, Err(Error::Forbidden(_))), "{round}: {made:?}"),
            other => assert!(is_undecided(&other) && made.is_ok(), "{round}: {other:?}"),
        }
    }
}

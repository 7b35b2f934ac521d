//! Whose accounts of a provider may sign in, and what that says about them; and what is asked of the provider.

use endonym::{
    app::{
        Actor,
        doctor::{self, Finding},
        page_settings, sign_in,
        sso::{self, Change, New},
    },
    domain::{
        member::Role, name_page::NamePageRef, page_settings::Register, session::PersonId, sso::Connection,
    },
};
use serde_json::{Value, json};

use super::{
    Visitor, enter_from,
    forgery::{self, Forger, KEY},
    new, plain, scene_with,
};
use crate::{name_pages, support::World};

fn strings(all: &[&str]) -> Vec<String> {
    all.iter().map(|&one| one.to_owned()).collect()
}

/// As an earlier version has left it.
async fn forget_whose(world: &World, connection: &Connection) -> Connection {
    let id = connection.id;
    let text = "UPDATE sso_connections SET domains = '[]', tenant = NULL, any_account = FALSE WHERE id = $1";
    let written = world.app.db.write::<_, endonym::store::Error>(move |sql| {
        Box::pin(async move { sql.execute(text, &[id.into()]).await })
    });
    assert_eq!(written.await.unwrap(), 1);
    sso::find(&world.app, &Actor::Operator, id).await.unwrap()
}

#[tokio::test]
async fn it_must_be_said_whose_accounts_may_sign_in() {
    let world = World::new().await;
    let create = async |new: New| sso::create(&world.app, &Actor::Operator, world.institution.id, new).await;
    let silent = || New { any_account: false, ..new("http://127.0.0.1:9") };
    for (bad, said) in [
        (silent(), "domains must be set, or a tenant"),
        (New { tenant: Some(" ".into()), ..silent() }, "domains must be set, or a tenant"),
        (New { domains: strings(&[" "]), ..silent() }, "domains must be set, or a tenant"),
        (
            New { any_account: true, domains: strings(&["example.edu"]), ..silent() },
            "cannot be set together with --any-account",
        ),
        (New { any_account: true, tenant: Some("t".into()), ..silent() }, "cannot be set together"),
        (New { tenant: Some("x".repeat(10_000)), ..silent() }, "tenant"),
        (New { scopes: strings(&["gro\"ups"]), any_account: true, ..silent() }, "not `gro\"ups`"),
    ] {
        let fault = create(bad).await.unwrap_err().to_string();
        assert!(fault.contains(said), "{fault}");
    }
    let one = create(New { tenant: Some(" t-1 ".into()), ..silent() }).await.unwrap();
    assert_eq!((one.tenant.as_deref(), one.vouches()), (Some("t-1"), true));
    // One of before can be renamed as it is. Whoever touches the accounts decides.
    let old = forget_whose(&world, &one).await;
    assert!(!old.vouches());
    let update = async |change: Change| sso::update(&world.app, &Actor::Operator, old.id, change).await;
    update(Change { name: Some("Old".into()), ..Change::default() }).await.unwrap();
    let is_named = async || {
        let findings = doctor::sso(&world.app).await.into_iter();
        let mut open = findings.filter(|one| matches!(one, Finding::SsoAccounts { .. }));
        open.any(|one| doctor::wording::worded(one).says.contains("(Old)"))
    };
    assert!(is_named().await);
    update(Change { any_account: Some(false), ..Change::default() }).await.unwrap_err();
    update(Change { tenant: Some(String::new()), ..Change::default() }).await.unwrap_err();
    let any = update(Change { any_account: Some(true), ..Change::default() }).await.unwrap();
    assert!(any.any_account && !any.vouches());
    assert!(!is_named().await, "somebody has said it");
    let own = update(Change { domains: Some(strings(&["example.edu"])), ..Change::default() }).await.unwrap();
    assert!(!own.any_account && own.vouches(), "they bound it");
    update(Change { any_account: Some(true), ..Change::default() }).await.unwrap_err();
    update(Change { domains: Some(Vec::new()), ..Change::default() }).await.unwrap_err();
    let both = Change { domains: Some(Vec::new()), any_account: Some(true), ..Change::default() };
    assert!(update(both).await.unwrap().any_account);
}

/// Somebody registers themselves on a page that is open to everybody. Whoever counts as a person of the institution hears what is for
/// them.
#[tokio::test]
async fn only_a_connection_with_domains_or_a_tenant_makes_somebody_a_person_of_the_institution() {
    let (world, forger, _) = forgery::scene().await;
    let open = page_settings::Change { register: Some(Register::Open), ..Default::default() };
    name_pages::set(&world, open).await;
    let mut connection = sso::all(&world.app, &Actor::Operator, None).await.unwrap().remove(0);
    let cases = [
        ("any", Change { any_account: Some(true), ..Change::default() }, false),
        ("domain", Change { domains: Some(strings(&["example.org"])), ..Change::default() }, true),
        ("tenant", Change { tenant: Some("t-1".into()), domains: Some(vec![]), ..Change::default() }, true),
        ("before", Change::default(), false),
    ];
    for (name, change, is_own) in cases {
        connection = match name {
            "before" => forget_whose(&world, &connection).await,
            _ => sso::update(&world.app, &Actor::Operator, connection.id, change).await.unwrap(),
        };
        let email = format!("{name}@example.org");
        let (visitor, seen) = enter(&world, (&forger, &connection), &email, json!({ "tid": "t-1" })).await;
        seen.redirects_to("/p/class-of-2027/own");
        assert_eq!(visitor.browser.session().await.unwrap().is_vouched, is_own, "{name}");
        visitor.browser.get("/p/class-of-2027/register").await.expect(200);
        let sent = visitor.browser.post("/p/class-of-2027/register", &[("first_name", "Neo")]).await;
        sent.redirects_to("/p/class-of-2027/own?done=registered");
        let person = PersonId { institution: world.institution.id, email_key: email };
        assert_eq!(sign_in::belongs(&world.app, &person).await.unwrap(), is_own, "{name}");
    }
}

/// Somebody signs in with these claims more than others have.
async fn enter<'a>(
    world: &'a World,
    (forger, connection): (&Forger, &Connection),
    email: &str,
    more: Value,
) -> (Visitor<'a>, super::Seen) {
    let visitor = Visitor::new(world);
    let path = format!("/sso/{}/start?return_to=%2Fp%2Fclass-of-2027%2Fown", connection.id);
    let asked = forgery::asked(visitor.browser.get(&path).await.expect(303).location());
    let mut claims = forgery::claims(world, forger, &asked);
    claims["email"] = json!(email);
    claims.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    *forger.id_token.lock().unwrap() = KEY.sign(&claims).unwrap();
    let seen = visitor.browser.get(&forgery::path(&forger.issuer, &asked)).await;
    (visitor, seen)
}

#[tokio::test]
async fn an_account_of_another_tenant_does_not_get_in() {
    let (world, forger, connection) = forgery::scene().await;
    let bound = Change { tenant: Some("t-1".into()), any_account: Some(false), ..Change::default() };
    let connection = sso::update(&world.app, &Actor::Operator, connection.id, bound).await.unwrap();
    for more in
        [json!({}), json!({ "tid": "t-2" }), json!({ "tid": "t-2", "hd": "t-1" }), json!({ "tid": 1 })]
    {
        let (visitor, seen) = enter(&world, (&forger, &connection), "ana@example.edu", more).await;
        let text = plain(&seen.body);
        assert!(text.contains("does not belong to this institution"), "{text}");
        super::is_refused(&visitor, seen, 403, "This address cannot be used here").await;
    }
    for more in [json!({ "tid": "t-1" }), json!({ "hd": "T-1" })] {
        let (_, seen) = enter(&world, (&forger, &connection), "ana@example.edu", more).await;
        seen.redirects_to("/p/class-of-2027/own");
    }
}

/// A provider that names groups only if it is asked for the scope `groups`, as Dex does.
#[tokio::test]
async fn groups_are_asked_for_where_one_has_a_role() {
    let settings = json!({
        "claims": { "openid": ["sub"], "email": ["email", "email_verified"], "groups": ["groups"] },
        "scopes": ["openid", "email", "groups"],
    });
    let (world, provider, connection) = scene_with(json!({}), json!({ "settings": settings })).await;
    let mut ana = super::account("ana@example.edu");
    ana["groups"] = json!(["registrars"]);
    provider.account(ana).await;
    let scope = async || {
        let visitor = Visitor::new(&world);
        forgery::asked(&visitor.start(&connection).await).query["scope"].clone()
    };
    assert_eq!(scope().await, "openid email");
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    let pages = vec![page];
    sso::map_group(&world.app, &Actor::Operator, connection.id, "registrars", Role::Manager, pages, None)
        .await
        .unwrap();
    assert_eq!(scope().await, "openid email groups");
    let (_, seen) = enter_from(&world, &connection, "/me").await;
    seen.redirects_to("/me");
    let person = PersonId { institution: world.institution.id, email_key: "ana@example.edu".into() };
    let member = endonym::app::members::find(&world.app, &person).await.unwrap().unwrap();
    assert_eq!(member.role, Role::Manager);
    let update = async |scopes: &[&str]| {
        let change = Change { scopes: Some(strings(scopes)), ..Change::default() };
        sso::update(&world.app, &Actor::Operator, connection.id, change).await.unwrap();
    };
    update(&["email profile"]).await;
    assert_eq!(scope().await, "openid email profile groups");
    update(&[""]).await;
    assert_eq!(scope().await, "openid email groups");
    sso::unmap_group(&world.app, &Actor::Operator, connection.id, "registrars").await.unwrap();
    assert_eq!(scope().await, "openid email");
}

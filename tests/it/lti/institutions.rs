//! Each institution has LTI addresses and keys of its own, and nobody comes in through a platform that nobody has confirmed.

use axum::{Router, routing::get};
use endonym::{
    app::{
        Actor, doctor, institutions,
        lti::keys,
        members,
        tool_consumers::{self, Change},
    },
    domain::{
        institution::Institution,
        member::Role,
        roster,
        session::PersonId,
        tool_consumer::{Addresses, IssuerProof, LmsKind, Registration, ToolConsumer},
    },
    store,
};
use reqwest::header;
use serde_json::{Value, json};

use super::{INSTRUCTOR, LEARNER, Login, Platform};
use crate::{
    console::{email_of, member},
    support::World,
};

/// As it was registered before each institution had addresses of its own.
pub async fn make_shared(world: &World, consumer: &ToolConsumer) {
    let shared = ToolConsumer { addresses: Addresses::Shared, ..consumer.clone() };
    let write = world.app.db.write::<_, store::Error>(move |sql| {
        Box::pin(async move { store::tool_consumers::update(sql, &shared).await })
    });
    write.await.unwrap();
}

fn registration(platform: &Platform) -> Registration {
    platform.consumer.lti.clone().unwrap()
}

fn new(platform: &Platform, lti: Registration) -> tool_consumers::New {
    tool_consumers::New {
        name: "Campus".into(),
        kind: LmsKind::Lti,
        url: platform.address.clone(),
        product: None,
        roles: vec![roster::Role::Student],
        access_token: None,
        lti: Some(lti),
    }
}

impl Platform {
    /// A login at this address; `None` if it is refused.
    async fn login_at(&self, root: &str, query: &[(&str, String)]) -> Option<Login> {
        let url =
            reqwest::Url::parse_with_params(&format!("{}{root}/login", self.world.base), query).unwrap();
        let answer = self.client.get(url).send().await.unwrap();
        match answer.status().as_u16() {
            302 => {
                let place = answer.headers()[header::LOCATION].to_str().unwrap();
                let place = reqwest::Url::parse(place).unwrap();
                let back = place.query_pairs().find(|(key, _)| key == "redirect_uri").unwrap().1;
                assert_eq!(back, format!("{}{root}/launch", self.world.base));
                Some(Login::of(&answer))
            }
            403 => None,
            other => panic!("{root}: {other}"),
        }
    }

    /// The status of a launch at this address.
    async fn launch_at(&self, root: &str, login: &Login) -> u16 {
        let token = self.key.sign(&self.claims(login, &[LEARNER])).unwrap();
        let form = [("id_token", token.as_str()), ("state", &login.state)];
        self.post(&format!("{root}/launch"), &form, Some(&login.cookie)).await.status().as_u16()
    }
}

fn root_of(institution: &Institution) -> String {
    format!("/lti/{}", institution.slug)
}

#[tokio::test]
async fn two_institutions_have_the_same_platform_and_none_gets_the_logins_of_the_other() {
    let platform = Platform::new().await;
    let there = platform.world.neighbor().await.institution;
    let app = &platform.world.app;
    let theirs = new(&platform, registration(&platform));
    let (theirs, _) = tool_consumers::create(app, &Actor::Operator, there.id, theirs).await.unwrap();
    let again = new(&platform, registration(&platform));
    let again = tool_consumers::create(app, &Actor::Operator, there.id, again).await.unwrap_err();
    assert!(again.to_string().contains("has already been taken"), "{again}");
    let roots = [root_of(&platform.world.institution), root_of(&there)];
    // A platform may leave out its client id: the address says which institution is meant.
    let with_client = platform.login_query();
    let without: Vec<_> =
        with_client.iter().filter(|(name, _)| *name != "client_id").map(|(n, v)| (*n, v.clone())).collect();
    for query in [&with_client[..], &without] {
        assert!(
            platform.login_at("/lti", query).await.is_none(),
            "new registrations have addresses of their own"
        );
        for (own, other) in [(&roots[0], &roots[1]), (&roots[1], &roots[0])] {
            let login = platform.login_at(own, query).await.unwrap();
            assert_eq!(platform.launch_at(own, &login).await, 303);
            for elsewhere in [other.as_str(), "/lti", "/lti/nobody"] {
                let login = platform.login_at(own, query).await.unwrap();
                assert_eq!(platform.launch_at(elsewhere, &login).await, 403, "{own} {elsewhere}");
                let gone = if elsewhere == "/lti/nobody" { 303 } else { 403 };
                assert_eq!(platform.launch_at(own, &login).await, gone, "a state is good once");
            }
        }
    }
    // What one signs, the platform of the other does not believe.
    let mine = keys::signing(app, keys::owner_of(&platform.consumer)).await.unwrap().kid;
    let others = keys::signing(app, keys::owner_of(&theirs)).await.unwrap().kid;
    assert_ne!(mine, others);
    assert!(platform.login_at("/lti/nobody", &with_client).await.is_none());
}

#[tokio::test]
async fn a_registration_of_before_works_until_it_is_renewed() {
    let platform = Platform::new().await;
    let (world, id) = (&platform.world, platform.consumer.id);
    make_shared(world, &platform.consumer).await;
    let (own, query) = (root_of(&world.institution), platform.login_query());
    for root in ["/lti", &own] {
        let login = platform.login_at(root, &query).await.unwrap();
        assert_eq!(platform.launch_at(root, &login).await, 303, "{root}");
    }
    let said = doctor::platforms(&world.app).await.map(doctor::wording::worded).unwrap();
    assert!(said.says.contains(&format!("{id} (Campus)")), "{said:?}");
    assert!(said.mend.unwrap().contains("tool-consumer renew"));
    let find = async || tool_consumers::find(&world.app, &Actor::Operator, id).await.unwrap();
    let shared = keys::signing(&world.app, keys::owner_of(&find().await)).await.unwrap().kid;

    // Its messages are signed with the key of all, so an admin cannot have them sent elsewhere.
    let admin = admin(world).await;
    for change in [
        Change { token_url: Some("http://127.0.0.1:9/token".into()), ..Change::default() },
        Change { token_audience: Some("http://127.0.0.1:9/token".into()), ..Change::default() },
    ] {
        let refused = tool_consumers::update(&world.app, &admin, id, change).await.unwrap_err();
        assert!(refused.to_string().contains("before the registration is renewed"), "{refused}");
    }
    let change = Change { name: Some("Moodle".into()), ..Change::default() };
    tool_consumers::update(&world.app, &admin, id, change).await.unwrap();
    // Nothing proves the issuer, so an admin cannot renew it. Nobody is locked out.
    let refused = tool_consumers::renew(&world.app, &admin, id).await.unwrap_err();
    assert!(refused.to_string().contains("operator"), "{refused}");
    assert!(platform.login_at("/lti", &query).await.is_some());

    let renewed = tool_consumers::renew(&world.app, &Actor::Operator, id).await.unwrap();
    assert_eq!(renewed.issuer_proof(), Some(&IssuerProof::Operator));
    assert_eq!(renewed.lti, platform.consumer.lti, "nothing else has changed");
    assert!(platform.login_at("/lti", &query).await.is_none(), "the old address is over");
    let login = platform.login_at(&own, &query).await.unwrap();
    assert_eq!(platform.launch_at(&own, &login).await, 303);
    assert_ne!(keys::signing(&world.app, keys::owner_of(&find().await)).await.unwrap().kid, shared);
    assert!(doctor::platforms(&world.app).await.is_none());
}

async fn admin(world: &World) -> Actor {
    member(world, Role::Admin).await;
    let email_key = email_of(&world.institution, Role::Admin);
    let person = PersonId { institution: world.institution.id, email_key };
    members::actor_of(&world.app, &person).await.unwrap()
}

/// The platform, with a configuration of its own that names these endpoints of another registration.
async fn configured(platform: &Platform, change: impl Fn(&mut Value)) -> Registration {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let keys = json!({ "keys": [platform.key.public().unwrap()] }).to_string();
    let mut configuration = json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/auth"),
        "token_endpoint": format!("{base}/token"),
        "jwks_uri": format!("{base}/jwks"),
    });
    change(&mut configuration);
    let configuration = configuration.to_string();
    let router = Router::new()
        .route("/jwks", get(async || keys))
        // Where Moodle has it.
        .route("/mod/lti/openid-configuration.php", get(async || configuration));
    tokio::spawn(async { axum::serve(listener, router).await });
    Registration {
        client_id: "tool-2".into(),
        deployments: vec!["d1".into()],
        auth_url: format!("{base}/auth"),
        token_url: format!("{base}/token"),
        token_audience: None,
        jwks_url: format!("{base}/jwks"),
        frame_ancestors: Vec::new(),
    }
}

#[tokio::test]
async fn an_issuer_is_proven_by_its_own_configuration_or_confirmed_by_the_operator() {
    let platform = Platform::new().await;
    let (world, admin) = (&platform.world, admin(&platform.world).await);
    let create = async |lti: &Registration| {
        let url = lti.jwks_url.trim_end_matches("/jwks").to_owned();
        let new = tool_consumers::New { url, ..new(&platform, lti.clone()) };
        tool_consumers::create(&world.app, &admin, world.institution.id, new).await.unwrap().0
    };
    let launch = async |consumer: &ToolConsumer| {
        let lti = consumer.lti.as_ref().unwrap();
        let mut query = platform.login_query();
        (query[0].1, query[1].1) = (consumer.url.clone(), lti.client_id.clone());
        platform.login_at(&root_of(&world.institution), &query).await
    };
    let proven = create(&configured(&platform, |_| {}).await).await;
    let address = format!("{}/mod/lti/openid-configuration.php", proven.url);
    assert_eq!(proven.issuer_proof(), Some(&IssuerProof::Configuration(address)));
    assert!(launch(&proven).await.is_some());

    // Of another issuer, or with other keys, it proves nothing.
    for (key, other) in [
        ("issuer", "https://lms.example.edu"),
        ("issuer", "http://127.0.0.1:9"),
        ("jwks_uri", "http://127.0.0.1:9/jwks"),
        ("authorization_endpoint", "http://127.0.0.1:9/auth"),
        ("token_endpoint", "http://127.0.0.1:9/token"),
    ] {
        let lti = configured(&platform, |configuration| configuration[key] = json!(other)).await;
        let doubtful = create(&lti).await;
        assert!(doubtful.is_unconfirmed(), "{key}");
        assert!(launch(&doubtful).await.is_none(), "{key}: nobody comes in");
        assert!(tool_consumers::prove(&world.app, &admin, doubtful.id).await.unwrap().is_unconfirmed());
        assert!(tool_consumers::confirm(&world.app, &admin, doubtful.id).await.is_err(), "an admin cannot");
        let said = doctor::platforms(&world.app).await.map(doctor::wording::worded).unwrap();
        assert!(said.says.contains("to be confirmed, because nothing proves their issuer"), "{said:?}");
        tool_consumers::confirm(&world.app, &Actor::Operator, doubtful.id).await.unwrap();
        assert!(launch(&doubtful).await.is_some(), "{key}: it is confirmed");
    }
    assert!(doctor::platforms(&world.app).await.is_none());
}

#[tokio::test]
async fn whoever_moves_an_endpoint_has_to_prove_the_issuer_again() {
    let platform = Platform::new().await;
    let (world, admin) = (&platform.world, admin(&platform.world).await);
    let (session, cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    let id = platform.consumer.id;
    let change = |keys: &str| Change { jwks_url: Some(keys.into()), ..Change::default() };
    let moved = tool_consumers::update(&world.app, &admin, id, change("http://127.0.0.1:9/jwks")).await;
    assert!(moved.unwrap().is_unconfirmed(), "whose keys are these?");
    assert!(platform.login_at(&root_of(&world.institution), &platform.login_query()).await.is_none());
    assert_eq!(platform.get(&session, Some(&cookie)).await.status(), 403, "its sessions are closed, too");
    let back = change(&format!("{}/jwks", platform.address));
    let back = tool_consumers::update(&world.app, &Actor::Operator, id, back).await.unwrap();
    assert_eq!(back.issuer_proof(), Some(&IssuerProof::Operator), "the operator need not prove it");
    assert_eq!(platform.get(&session, Some(&cookie)).await.status(), 200);
}

#[tokio::test]
async fn an_institution_may_be_called_like_a_path() {
    let platform = Platform::new().await;
    for slug in ["s", "register", "login", "launch", "lms"] {
        let app = &platform.world.app;
        let new_one = institutions::New {
            name: slug.into(),
            slug: Some(slug.into()),
            time_zone: "UTC".into(),
            multiple_recordings: false,
            phone_language: String::new(),
        };
        let made = institutions::create(app, &Actor::Operator, new_one).await.unwrap();
        let theirs = new(&platform, registration(&platform));
        tool_consumers::create(app, &Actor::Operator, made.id, theirs).await.unwrap();
        let root = root_of(&made);
        let login = platform.login_at(&root, &platform.login_query()).await.unwrap();
        assert_eq!(platform.launch_at(&root, &login).await, 303, "{slug}");
        let at = async |path: &str| {
            let answer = platform.get(&format!("{root}/{path}"), None).await;
            assert_eq!(answer.status(), 200, "{slug}");
            answer.json::<Value>().await.unwrap()
        };
        assert_eq!(at("jwks.json").await["keys"].as_array().unwrap().len(), 1);
        let login_url = format!("{}{root}/login", platform.world.base);
        assert_eq!(at("config.json").await["oidc_initiation_url"], login_url);
    }
    let (session, cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    assert_eq!(platform.get(&session, Some(&cookie)).await.status(), 200, "sessions are where they were");
}

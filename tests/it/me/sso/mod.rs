//! Single sign-on (ADR 21), with a real OpenID provider: `oidc-provider` from npm, in a process of its own.

mod accounts;
mod commands;
mod forgery;
mod fresh;
mod groups;
mod only;

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::Mutex,
    time::Duration,
};

use endonym::{
    app::{
        Actor, Error, Missing, institutions, page_settings,
        sessions::Secret,
        sso::{self, Change, New, SignedIn},
    },
    domain::{
        page_settings::Register,
        session::{How, PersonId},
        sign_in::ReturnTo,
        sso::Connection,
    },
};
use reqwest::{Method, header};
use serde_json::{Value, json};

use super::{Browser, Seen};
use crate::{
    name_pages,
    support::{Answer, World, until},
};

pub const CLIENT: &str = "endonym";
pub const SECRET: &str = "a client secret: with+signs&more%";

/// Killed when dropped.
pub struct Provider {
    process: Child,
    pub issuer: String,
}

impl Provider {
    /// A provider with one client for the server at `base`. `options` are those of `provider.mjs`, without the clients.
    pub async fn start(base: &str, client: Value, mut options: Value) -> Self {
        let mut whole = json!({
            "client_id": CLIENT,
            "client_secret": SECRET,
            "redirect_uris": [format!("{base}/sso/callback")],
            "post_logout_redirect_uris": [format!("{base}/sign-in")],
        });
        whole.as_object_mut().unwrap().extend(client.as_object().unwrap().clone());
        options["clients"] = json!([whole]);
        Self::spawn(&options).await
    }

    #[allow(clippy::disallowed_methods)]
    async fn spawn(options: &Value) -> Self {
        let needed = |name: &str| {
            std::env::var_os(name).unwrap_or_else(|| {
                panic!("{name} must be set to run an OpenID provider; `./test` does it (docs/testing.md)")
            })
        };
        let mut process = Command::new(needed("ENDONYM_TEST_NODE"))
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/me/sso/provider.mjs"))
            .arg(needed("ENDONYM_TEST_NODE_MODULES"))
            .arg(options.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the Node.js that ENDONYM_TEST_NODE names can be run");
        let output = process.stdout.take().unwrap();
        let port = tokio::task::spawn_blocking(move || {
            let mut port = String::new();
            BufReader::new(output).read_line(&mut port).unwrap();
            port
        });
        let port: u16 = port.await.unwrap().trim().parse().expect("the provider prints its port");
        Self { process, issuer: format!("http://127.0.0.1:{port}") }
    }

    async fn control(&self, change: Value) {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let request = client.post(format!("{}/control", self.issuer)).body(change.to_string());
        assert_eq!(request.send().await.unwrap().status(), 200);
    }

    /// The account of people who sign in from now on; `Value::Null` if they cancel.
    pub async fn account(&self, account: Value) {
        self.control(json!({ "account": account })).await;
    }

    fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.stop();
    }
}

fn account(email: &str) -> Value {
    json!({ "sub": format!("id of {email}"), "email": email, "email_verified": true })
}

/// A browser that also keeps the cookies of the provider.
struct Visitor<'a> {
    browser: Browser<'a>,
    cookies: Mutex<BTreeMap<String, String>>,
}

impl<'a> Visitor<'a> {
    fn new(world: &'a World) -> Self {
        Self { browser: Browser::new(world), cookies: Mutex::default() }
    }

    /// One request to the provider.
    async fn ask(&self, method: Method, url: &str, fields: &[(&str, &str)]) -> Seen {
        let cookies: Vec<String> =
            self.cookies.lock().unwrap().iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut request = self.browser.client.request(method, url).header(header::COOKIE, cookies.join("; "));
        if !fields.is_empty() {
            let body: String = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
            request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded").body(body);
        }
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        for line in headers.get_all(header::SET_COOKIE) {
            let line = line.to_str().unwrap();
            let (name, value) = line.split(';').next().unwrap().split_once('=').unwrap();
            let mut cookies = self.cookies.lock().unwrap();
            if line.contains("1970") {
                cookies.remove(name);
            } else {
                cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        Seen { status, headers, body: response.text().await.unwrap() }
    }

    /// Presses the button of the sign-in page. Returns the provider's URL.
    async fn start(&self, connection: &Connection) -> String {
        let path = format!("/sso/{}/start", connection.id);
        let seen = self.browser.get(&path).await.expect(303);
        let address = seen.location().to_owned();
        assert!(address.starts_with(&format!("{}/", connection.issuer)), "{address}");
        address
    }

    /// Signs in at the provider, as far as it sends the browser back. Returns the path there.
    async fn at_provider(&self, address: &str) -> String {
        let base = self.browser.base;
        let mut url = address.to_owned();
        for _ in 0..8 {
            let seen = self.ask(Method::GET, &url, &[]).await.expect(303);
            url = url::Url::parse(&url).unwrap().join(seen.location()).unwrap().to_string();
            if let Some(path) = url.strip_prefix(base) {
                return path.to_owned();
            }
        }
        panic!("the provider does not send the browser back from {address}");
    }

    async fn sign_in(&self, connection: &Connection) -> Seen {
        let address = self.start(connection).await;
        let path = self.at_provider(&address).await;
        self.browser.get(&path).await
    }
}

fn new(issuer: &str) -> New {
    New {
        name: Some("Campus Login".into()),
        issuer: issuer.to_owned(),
        client_id: CLIENT.into(),
        client_secret: SECRET.into(),
        domains: Vec::new(),
        tenant: None,
        any_account: true,
        trusts_unverified_email: false,
        scopes: Vec::new(),
    }
}

async fn connect(world: &World, new: New) -> Connection {
    sso::create(&world.app, &Actor::Operator, world.institution.id, new).await.unwrap()
}

/// An institution with Ana, and its provider, where everybody is Ana.
async fn scene() -> (World, Provider, Connection) {
    scene_with(json!({}), json!({})).await
}

async fn scene_with(client: Value, options: Value) -> (World, Provider, Connection) {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let provider = Provider::start(&world.base, client, options).await;
    provider.account(account("ana@example.edu")).await;
    let connection = connect(&world, new(&provider.issuer)).await;
    (world, provider, connection)
}

async fn number(world: &World, text: &str) -> i64 {
    world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// The page explains what is wrong and leads back to the sign-in page of the institution. Nobody is signed in.
async fn is_refused(visitor: &Visitor<'_>, seen: Seen, status: u16, title: &str) {
    let seen = seen.expect(status);
    let text = plain(&seen.body);
    assert!(text.contains(&format!("<h1>{title}</h1>")), "{text}");
    assert!(text.contains("href=\"/sign-in"), "{text}");
    assert!(visitor.browser.session().await.is_none());
    assert_eq!(number(visitor.browser.world(), "SELECT COUNT(*) FROM sessions").await, 0);
}

/// Without the marks around arguments.
fn plain(html: &str) -> String {
    html.replace(['\u{2068}', '\u{2069}'], "").replace("<bdi>", "").replace("</bdi>", "")
}

/// Signs in, and comes back to this path.
async fn enter_from<'a>(world: &'a World, connection: &Connection, return_to: &str) -> (Visitor<'a>, Seen) {
    let visitor = Visitor::new(world);
    let query: String =
        form_urlencoded::Serializer::new(String::new()).append_pair("return_to", return_to).finish();
    let start = visitor.browser.get(&format!("/sso/{}/start?{query}", connection.id)).await.expect(303);
    let path = visitor.at_provider(start.location()).await;
    let seen = visitor.browser.get(&path).await;
    (visitor, seen)
}

/// The provider vouches for the address, so no message is needed.
#[tokio::test]
async fn somebody_new_registers_on_a_name_page_that_lets_them_in() {
    let (world, provider, connection) = scene().await;
    provider.account(account("neo@example.edu")).await;
    let change = page_settings::Change { register: Some(Register::Code), ..page_settings::Change::default() };
    name_pages::set(&world, change).await;
    let page = Browser::new(&world).get("/p/class-of-2027").await.expect(200);
    assert!(plain(&page.body).contains("Sign in with Campus Login"), "{}", page.body);
    for elsewhere in ["/me", "/p/class-of-2027/own", "/p/class-of-2027/own?code=WRONG", "/p/nowhere/own"] {
        let (visitor, seen) = enter_from(&world, &connection, elsewhere).await;
        assert!(!seen.status.is_redirection(), "{elsewhere}");
        assert!(visitor.browser.session().await.is_none(), "{elsewhere}");
    }
    let own = format!("/p/class-of-2027/own?code={}", world.page.event_code);
    let (visitor, seen) = enter_from(&world, &connection, &own).await;
    seen.redirects_to(&own);
    let form = format!("/p/class-of-2027/register?code={}", world.page.event_code);
    visitor.browser.get(&own).await.redirects_to(&form);
    visitor.browser.get(&form).await.expect(200);
    let sent = visitor.browser.post("/p/class-of-2027/register", &[("first_name", "Neo")]).await;
    sent.redirects_to("/p/class-of-2027/own?done=registered");
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sign_in_requests").await, 0);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM participants").await, 2);
}

#[tokio::test]
async fn a_person_signs_in_with_the_account_of_their_institution() {
    for (client, options) in [
        (json!({ "id_token_signed_response_alg": "RS256" }), json!({})),
        // The email is in the ID token, too.
        (
            json!({ "id_token_signed_response_alg": "ES256" }),
            json!({ "settings": { "conformIdTokenClaims": false } }),
        ),
        (
            json!({ "token_endpoint_auth_method": "client_secret_post" }),
            json!({ "settings": { "clientAuthMethods": ["client_secret_post"] } }),
        ),
    ] {
        let (world, _provider, connection) = scene_with(client, options).await;
        let visitor = Visitor::new(&world);
        let page = visitor.browser.get("/sign-in?institution=example&return_to=/me%3Fx=1").await.expect(200);
        let link = format!("href=\"/sso/{}/start?return_to=%2Fme%3Fx%3D1\"", connection.id);
        assert!(page.body.contains(&link), "{}", page.body);
        assert!(plain(&page.body).contains("Sign in with Campus Login"), "{}", page.body);
        assert!(page.body.contains("name=\"email\""), "the form stays");
        let path = format!("/sso/{}/start?return_to=%2Fme%3Fx%3D1", connection.id);
        let start = visitor.browser.get(&path).await.expect(303);
        let query = start.location().split_once('?').unwrap().1.to_owned();
        let query: BTreeMap<String, String> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        assert_eq!(
            query.keys().collect::<Vec<_>>(),
            [
                "client_id",
                "code_challenge",
                "code_challenge_method",
                "nonce",
                "redirect_uri",
                "response_type",
                "scope",
                "state"
            ]
        );
        assert_eq!(
            (query["code_challenge_method"].as_str(), query["scope"].as_str()),
            ("S256", "openid email")
        );
        let back = visitor.at_provider(start.location()).await;
        visitor.browser.get(&back).await.redirects_to("/me?x=1");
        let session = visitor.browser.session().await.unwrap();
        let ana = PersonId { institution: world.institution.id, email_key: "ana@example.edu".into() };
        assert_eq!((session.person, session.how), (ana, How::Oidc));
        assert_eq!(visitor.browser.cookie("endonym-visitor"), None);
        visitor.browser.get("/me").await.expect(200);
        assert_eq!(number(&world, "SELECT COUNT(*) FROM sso_logins").await, 0);
    }
}

#[tokio::test]
async fn the_sign_in_page_offers_a_provider_only_for_its_own_institution() {
    let (world, _provider, _) = scene().await;
    let there = world.neighbor().await;
    let browser = Browser::new(&world);
    for path in ["/sign-in", &format!("/sign-in?institution={}", there.institution.slug)] {
        let page = browser.get(path).await.expect(200);
        assert!(!page.body.contains("/sso/"), "{path}");
    }
    for path in ["/sso/7/start", "/sso/x/start", "/sso/-1/start"] {
        browser.get(path).await.expect(404);
    }
}

#[tokio::test]
async fn a_response_works_once() {
    let (world, _provider, connection) = scene().await;
    let visitor = Visitor::new(&world);
    let address = visitor.start(&connection).await;
    let cookie = visitor.browser.cookie("endonym-visitor").unwrap();
    let path = visitor.at_provider(&address).await;
    visitor.browser.get(&path).await.redirects_to("/me");
    // The same browser again, and with the cookie that it had before.
    visitor.browser.get(&path).await.expect(403);
    let again = Visitor::new(&world);
    again.browser.set_cookie("endonym-visitor", &cookie);
    again.browser.get(&path).await.expect(403);
    assert!(again.browser.session().await.is_none());
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 1);
}

#[tokio::test]
async fn a_response_belongs_to_the_browser_that_asked() {
    let (world, _provider, connection) = scene().await;
    let (visitor, other) = (Visitor::new(&world), Visitor::new(&world));
    let address = visitor.start(&connection).await;
    let path = visitor.at_provider(&address).await;
    let seen = other.browser.get(&path).await;
    is_refused(&other, seen, 403, "Please sign in again").await;
    // Not even with a sign-in of its own.
    other.start(&connection).await;
    let seen = other.browser.get(&path).await;
    is_refused(&other, seen, 403, "Please sign in again").await;
    visitor.browser.get(&path).await.redirects_to("/me");
}

#[tokio::test]
async fn a_response_with_another_state_or_too_late_is_refused() {
    let (world, _provider, connection) = scene().await;
    let visitor = Visitor::new(&world);
    let address = visitor.start(&connection).await;
    let path = visitor.at_provider(&address).await;
    let other = "0a".repeat(32);
    let state = path.split("state=").nth(1).unwrap().split('&').next().unwrap();
    for wrong in
        ["/sso/callback", "/sso/callback?code=x", "/sso/callback?code=x&state=", &path.replace(state, &other)]
    {
        let seen = visitor.browser.get(wrong).await;
        is_refused(&visitor, seen, 403, "Please sign in again").await;
    }
    world.advance(Duration::from_secs(11 * 60));
    let seen = visitor.browser.get(&path).await;
    is_refused(&visitor, seen, 403, "Please sign in again").await;
    // It does not wait for the next sign-in to be removed.
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sso_logins").await, 1);
    sso::remove_expired(&world.app).await.unwrap();
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sso_logins").await, 0);
}

#[tokio::test]
async fn an_email_must_be_verified_unless_the_operator_vouches_for_the_provider() {
    let (world, provider, connection) = scene().await;
    let title = "Your email address is not confirmed";
    for (n, verified) in [json!(false), Value::Null].into_iter().enumerate() {
        let mut unverified = json!({ "sub": format!("unverified {n}"), "email": "ana@example.edu" });
        if !verified.is_null() {
            unverified["email_verified"] = verified;
        }
        provider.account(unverified).await;
        let visitor = Visitor::new(&world);
        let seen = visitor.sign_in(&connection).await;
        is_refused(&visitor, seen, 403, title).await;
    }
    let trusting = Change { trusts_unverified_email: Some(true), ..Change::default() };
    let refused = sso::update(&world.app, &Actor::Operator, connection.id, trusting.clone()).await;
    assert!(refused.unwrap_err().to_string().contains("domains must be set"), "only in named domains");
    let trusting = Change { domains: Some(vec!["example.edu".into()]), ..trusting };
    sso::update(&world.app, &Actor::Operator, connection.id, trusting).await.unwrap();
    Visitor::new(&world).sign_in(&connection).await.redirects_to("/me");
}

#[tokio::test]
async fn an_email_of_another_domain_is_refused() {
    let (world, provider, connection) = scene().await;
    world.person("Eve", "eve@elsewhere.example").await;
    let domains = Change { domains: Some(vec!["example.edu".into(), "*.b.org".into()]), ..Change::default() };
    sso::update(&world.app, &Actor::Operator, connection.id, domains).await.unwrap();
    provider.account(account("eve@elsewhere.example")).await;
    let visitor = Visitor::new(&world);
    let seen = visitor.sign_in(&connection).await;
    assert!(seen.body.contains("eve@elsewhere.example"), "{}", seen.body);
    is_refused(&visitor, seen, 403, "This address cannot be used here").await;
    provider.account(account("Ana@Example.EDU")).await;
    Visitor::new(&world).sign_in(&connection).await.redirects_to("/me");
}

#[tokio::test]
async fn a_person_who_is_not_registered_learns_it() {
    let (world, provider, connection) = scene().await;
    provider.account(account("nobody@example.edu")).await;
    let visitor = Visitor::new(&world);
    let seen = visitor.sign_in(&connection).await;
    assert!(seen.body.contains("nobody@example.edu"), "{}", seen.body);
    assert!(seen.body.contains("href=\"/sign-in?institution=example\""), "{}", seen.body);
    is_refused(&visitor, seen, 403, "You are not registered").await;
}

#[tokio::test]
async fn a_provider_without_an_email_is_no_help() {
    let (world, provider, connection) = scene().await;
    provider.account(json!({ "sub": "nameless" })).await;
    let visitor = Visitor::new(&world);
    let seen = visitor.sign_in(&connection).await;
    is_refused(&visitor, seen, 403, "Your email address is missing").await;
}

#[tokio::test]
async fn a_person_who_cancels_can_start_again() {
    let (world, provider, connection) = scene().await;
    provider.account(Value::Null).await;
    let visitor = Visitor::new(&world);
    let seen = visitor.sign_in(&connection).await;
    is_refused(&visitor, seen, 403, "You are not signed in").await;
    provider.account(account("ana@example.edu")).await;
    visitor.sign_in(&connection).await.redirects_to("/me");
}

#[tokio::test]
async fn a_provider_that_is_away_is_named_on_the_page() {
    let (world, mut provider, connection) = scene().await;
    let visitor = Visitor::new(&world);
    let address = visitor.start(&connection).await;
    let path = visitor.at_provider(&address).await;
    provider.stop();
    let seen = visitor.browser.get(&path).await;
    is_refused(&visitor, seen, 503, "Campus Login does not respond").await;
    // Its configuration is not known any more.
    world.advance(Duration::from_secs(25 * 3_600));
    for _ in 0..2 {
        let seen = visitor.browser.get(&format!("/sso/{}/start", connection.id)).await;
        is_refused(&visitor, seen, 503, "Campus Login does not respond").await;
    }
}

#[tokio::test]
async fn new_keys_of_the_provider_are_fetched_when_they_are_needed() {
    let (world, provider, connection) = scene().await;
    Visitor::new(&world).sign_in(&connection).await.redirects_to("/me");
    provider.control(json!({ "rotate": true })).await;
    // They are fetched at most every five seconds.
    world.advance(Duration::from_secs(6));
    Visitor::new(&world).sign_in(&connection).await.redirects_to("/me");
}

#[tokio::test]
async fn the_issuer_must_be_equal_to_the_letter() {
    let world = World::new().await;
    let provider = Provider::start(&world.base, json!({}), json!({})).await;
    let connection = connect(&world, new(&format!("{}/", provider.issuer))).await;
    let fault = sso::check(&world.app, &Actor::Operator, &connection).await.unwrap_err().to_string();
    assert!(fault.contains(&format!("`{}`", provider.issuer)) && fault.contains("letter"), "{fault}");
    let visitor = Visitor::new(&world);
    let seen = visitor.browser.get(&format!("/sso/{}/start", connection.id)).await;
    is_refused(&visitor, seen, 503, "Signing in with Campus Login does not work").await;
}

#[tokio::test]
async fn signing_out_ends_the_session_at_the_provider_too() {
    for everywhere in [&[][..], &[("everywhere", "1")]] {
        let (world, provider, connection) = scene().await;
        let visitor = Visitor::new(&world);
        visitor.sign_in(&connection).await.redirects_to("/me");
        visitor.browser.get("/me").await.expect(200);
        let seen = visitor.browser.post("/sign-out", everywhere).await.expect(200);
        assert!(visitor.browser.session().await.is_none());
        assert_eq!(visitor.browser.cookie("endonym"), None);
        // For the menu of languages.
        let policy = seen.headers["content-security-policy"].to_str().unwrap();
        assert!(
            seen.body.contains("action=\"/language\"") && policy.contains("form-action 'self'"),
            "{policy}"
        );
        let refresh = seen.headers[header::REFRESH].to_str().unwrap();
        let address = refresh.strip_prefix("0; url=").unwrap().to_owned();
        assert!(address.contains("id_token_hint=ey"), "{address}");
        let link = format!("href=\"{}\"", address.replace('&', "&#38;"));
        assert!(seen.body.contains(&link), "{}", seen.body);
        // The provider asks, because it may be open in other windows.
        let page = visitor.ask(Method::GET, &address, &[]).await.expect(200);
        let secret = page.body.split("name=\"xsrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let confirm = format!("{}/session/end/confirm", provider.issuer);
        let fields = [("xsrf", secret), ("logout", "yes")];
        let back = visitor.ask(Method::POST, &confirm, &fields).await.expect(303);
        assert_eq!(back.location(), format!("{}/sign-in", world.base));
        // The provider has forgotten Ana: the next person is somebody else.
        world.person("Ben", "ben@example.edu").await;
        provider.account(account("ben@example.edu")).await;
        visitor.sign_in(&connection).await.redirects_to("/me");
        assert_eq!(visitor.browser.session().await.unwrap().person.email_key, "ben@example.edu");
    }
}

#[tokio::test]
async fn signing_out_works_while_the_provider_is_away() {
    let (world, mut provider, connection) = scene().await;
    let visitor = Visitor::new(&world);
    visitor.sign_in(&connection).await.redirects_to("/me");
    visitor.browser.get("/me").await.expect(200);
    provider.stop();
    world.advance(Duration::from_secs(25 * 3_600));
    visitor.browser.post("/sign-out", &[]).await.redirects_to("/sign-in?institution=example");
    assert!(visitor.browser.session().await.is_none());
}

/// Ana, as if the provider of this connection had just authenticated her.
async fn open(world: &World, connection: &Connection) -> Result<Secret, Error> {
    let signed_in = SignedIn {
        person: PersonId { institution: world.institution.id, email_key: "ana@example.edu".into() },
        connection: connection.clone(),
        id_token: "token".into(),
        authenticated_at: None,
        return_to: ReturnTo::default(),
    };
    sso::open_session(&world.app, signed_in, &[]).await.map(|opened| opened.secret)
}

/// An institution with Ana, and a connection to a provider that is not there.
async fn scene_without_provider() -> (World, Connection) {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let connection = connect(&world, new("http://127.0.0.1:9")).await;
    (world, connection)
}

/// The window may be closed while the provider is asked.
#[tokio::test]
async fn signing_out_does_not_wait_for_the_provider() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    // It accepts connections and never says anything.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let connection = connect(&world, new(&format!("http://{}", silent.local_addr().unwrap()))).await;
    let secret = open(&world, &connection).await.unwrap();
    let browser = Browser::new(&world);
    browser.set_cookie("endonym", secret.as_str());
    browser.get("/me").await.expect(200);
    let is_over = until("the session has ended", || async { browser.session().await.is_none() });
    tokio::select! {
        seen = browser.post("/sign-out", &[]) => panic!("the provider was not asked: {seen:?}"),
        () = is_over => {}
    }
}

#[tokio::test]
async fn the_only_institution_need_not_be_named() {
    let (world, connection) = scene_without_provider().await;
    let browser = Browser::new(&world);
    let sign_in = browser.get("/me").await.expect(303).location().to_owned();
    let page = browser.get(&sign_in).await.expect(200);
    let link = format!("href=\"/sso/{}/start?return_to=%2Fme\"", connection.id);
    assert!(page.body.contains(&link) && page.body.contains("Example University"), "{}", page.body);
    assert!(!page.body.contains("name=\"institution\""), "it is no part of the request: {}", page.body);
    world.neighbor().await;
    let page = browser.get(&sign_in).await.expect(200);
    assert!(!page.body.contains("/sso/") && !page.body.contains("Example University"), "{}", page.body);
}

#[tokio::test]
async fn a_stricter_connection_ends_the_sessions_of_before() {
    let (world, mut connection) = scene_without_provider().await;
    let domains = |domains: &[&str]| Some(domains.iter().map(|&one| one.to_owned()).collect::<Vec<_>>());
    for (change, is_stricter) in [
        (
            Change { name: Some("Login".into()), client_secret: Some("new".into()), ..Change::default() },
            false,
        ),
        (Change { domains: domains(&["example.edu", "b.org"]), ..Change::default() }, true),
        (Change { domains: domains(&["b.org", "example.edu", "c.org"]), ..Change::default() }, false),
        (Change { domains: domains(&["example.edu"]), ..Change::default() }, true),
        (Change { trusts_unverified_email: Some(true), ..Change::default() }, false),
        (Change { trusts_unverified_email: Some(false), ..Change::default() }, true),
        (Change { domains: domains(&[]), any_account: Some(true), ..Change::default() }, false),
        (Change { tenant: Some("a".into()), any_account: Some(false), ..Change::default() }, true),
        (Change { tenant: Some("b".into()), ..Change::default() }, true),
        (Change { scopes: Some(vec!["openid".into()]), ..Change::default() }, false),
        (Change { client_id: Some("another".into()), ..Change::default() }, true),
    ] {
        open(&world, &connection).await.unwrap();
        let changed = sso::update(&world.app, &Actor::Operator, connection.id, change).await.unwrap();
        let left = number(&world, "SELECT COUNT(*) FROM sessions").await;
        assert_eq!(left == 0, is_stricter, "{changed:?}");
        // A response that was checked before the change.
        let late = open(&world, &connection).await;
        assert_eq!(matches!(late, Err(Error::Missing(Missing::SsoConnection))), is_stricter, "{changed:?}");
        assert_eq!(late.is_ok(), !is_stricter, "{changed:?}");
        connection = changed;
    }
}

#[tokio::test]
async fn no_session_is_opened_through_a_connection_that_is_being_deleted() {
    let (world, mut connection) = scene_without_provider().await;
    for _ in 0..8 {
        let deleted = sso::delete(&world.app, &Actor::Operator, connection.id);
        let (_, deleted, _) = tokio::join!(open(&world, &connection), deleted, open(&world, &connection));
        deleted.unwrap();
        assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 0);
        let late = open(&world, &connection).await;
        assert!(matches!(late, Err(Error::Missing(Missing::SsoConnection))), "{late:?}");
        connection = connect(&world, new("http://127.0.0.1:9")).await;
    }
}

#[tokio::test]
async fn the_same_provider_in_two_institutions_is_two_connections() {
    let (world, provider, here) = scene().await;
    let there = world.neighbor().await;
    let other =
        sso::create(&world.app, &Actor::Operator, there.institution.id, new(&here.issuer)).await.unwrap();
    let redirect_uri = format!("{}/sso/callback/{}", world.base, there.institution.id);
    provider.control(json!({ "redirect_uri": redirect_uri })).await;
    // Ana is registered here, and not there.
    let visitor = Visitor::new(&world);
    visitor.sign_in(&here).await.redirects_to("/me");
    let session = visitor.browser.session().await.unwrap();
    assert_eq!(session.person.institution, world.institution.id);
    let refused = visitor.sign_in(&other).await.expect(403);
    assert!(plain(&refused.body).contains("You are not registered"), "{}", refused.body);
    let body = json!({
        "name_page_id": there.page.slug,
        "participant": { "first_name": "Ana", "email": "ana@example.edu" },
    });
    let request = world.request_as(&there.token, Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
    // The old session ends: a browser has one.
    visitor.sign_in(&other).await.redirects_to("/me");
    let session = visitor.browser.session().await.unwrap();
    assert_eq!(session.person.institution, there.institution.id);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 1);
    // A second connection of one institution with the same client is a mistake.
    let twice = sso::create(&world.app, &Actor::Operator, there.institution.id, new(&here.issuer)).await;
    assert!(twice.unwrap_err().to_string().contains("client id has already been taken"));
}

#[tokio::test]
async fn nobody_is_sent_to_another_site() {
    let (world, _provider, connection) = scene().await;
    for evil in ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", ""] {
        let visitor = Visitor::new(&world);
        let query: String =
            form_urlencoded::Serializer::new(String::new()).append_pair("return_to", evil).finish();
        let start = visitor.browser.get(&format!("/sso/{}/start?{query}", connection.id)).await.expect(303);
        let path = visitor.at_provider(start.location()).await;
        visitor.browser.get(&path).await.redirects_to("/me");
    }
}

#[tokio::test]
async fn secrets_are_stored_encrypted() {
    let (world, _provider, connection) = scene().await;
    let visitor = Visitor::new(&world);
    let address = visitor.start(&connection).await;
    let text = "SELECT state_digest, browser_digest FROM sso_logins";
    let read = |row: &endonym::store::Row<'_>| Ok([row.text(0)?, row.text(1)?]);
    let stored = world.app.db.read().one(text, &[], read).await.unwrap().unwrap();
    let cookie = visitor.browser.cookie("endonym-visitor").unwrap();
    assert!(stored.iter().all(|digest| !address.contains(digest) && *digest != cookie), "{address}");
    let path = visitor.at_provider(&address).await;
    visitor.browser.get(&path).await.redirects_to("/me");
    for text in ["SELECT client_secret FROM sso_connections", "SELECT id_token FROM sessions"] {
        let stored = world.app.db.read().one(text, &[], |row| row.text(0)).await.unwrap().unwrap();
        assert!(stored.starts_with("v2:") && !stored.contains(SECRET), "{stored}");
    }
}

#[tokio::test]
async fn deleting_a_connection_signs_everybody_out_who_came_through_it() {
    let (world, _provider, connection) = scene().await;
    let (visitor, mailed) = (Visitor::new(&world), Browser::new(&world));
    visitor.sign_in(&connection).await.redirects_to("/me");
    let mail = mailed.mailed("", "ana@example.edu").await;
    mailed.enter_code(&mail.code).await.redirects_to("/me");
    let waiting = Visitor::new(&world);
    let address = waiting.start(&connection).await;
    let path = waiting.at_provider(&address).await;
    sso::delete(&world.app, &Actor::Operator, connection.id).await.unwrap();
    assert!(visitor.browser.session().await.is_none());
    assert!(mailed.session().await.is_some(), "another way in");
    waiting.browser.get(&path).await.expect(403);
    visitor.browser.get(&format!("/sso/{}/start", connection.id)).await.expect(404);
}

#[tokio::test]
async fn deleting_an_institution_deletes_its_connections() {
    let (world, _provider, connection) = scene().await;
    let there = world.neighbor().await;
    sso::create(&world.app, &Actor::Operator, there.institution.id, new(&connection.issuer)).await.unwrap();
    Visitor::new(&world).start(&connection).await;
    institutions::delete(&world.app, &Actor::Operator, &world.institution.slug).await.unwrap();
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sso_connections").await, 1);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sso_logins").await, 0);
}

#[tokio::test]
async fn only_usable_settings_are_accepted() {
    let world = World::on_sqlite().await;
    let create =
        async |new: New| sso::create(&world.app, &Actor::Operator, world.institution.id, new).await.map(drop);
    let good = || new("http://127.0.0.1:9");
    for (bad, said) in [
        (New { issuer: "http://id.example.edu".into(), ..good() }, "issuer must be an https:// URL"),
        (New { issuer: "https://id.example.edu/?a".into(), ..good() }, "issuer must be an https:// URL"),
        (New { issuer: "https://10.0.0.1".into(), ..good() }, "ENDONYM_OUTBOUND_ALLOW"),
        (New { client_id: " ".into(), ..good() }, "client id can't be blank"),
        (New { client_secret: "\n".into(), ..good() }, "client secret can't be blank"),
        (New { name: Some(String::new()), ..good() }, "name can't be blank"),
        (New { domains: vec!["a@b".into()], ..good() }, "domains must look like example.edu"),
        (New { trusts_unverified_email: true, ..good() }, "domains must be set"),
    ] {
        let fault = create(bad).await.unwrap_err().to_string();
        assert!(fault.contains(said), "{fault}");
    }
    create(New { name: None, ..good() }).await.unwrap();
    let all = sso::all(&world.app, &Actor::Operator, None).await.unwrap();
    assert_eq!(all[0].name, "127.0.0.1");
}

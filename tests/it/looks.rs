//! How pages look: accessible in each language, color scheme and width, and with an institution's own logo and
//! accent color.

mod routes;

use std::{collections::BTreeSet, path::PathBuf, time::Duration};

use base64::{Engine, prelude::BASE64_STANDARD};
use endonym::{
    app::{
        Actor, callers, calls, custom_fields, imports, institutions,
        invitations::{self, Delivery, Terms},
        looks, members, operators, opt_outs,
        own_recordings::Sharing,
        page_settings::{self, Change},
        people_search, people_tasks, scim, sign_in, sso, tokens, tool_consumers,
    },
    domain::{
        address_list::AddressList,
        countries::Countries,
        coverage::day_of,
        custom_field::FieldKind,
        email::Email,
        media::Kind,
        member::Role,
        name_page::NamePageRef,
        page_settings::{Asking, Listen, Moderation, Register},
        people_task,
        phone_number::PhoneNumber,
        quiet_hours::QuietHours,
        session::PersonId,
        tool_consumer::LmsKind,
    },
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    lti::library::Library,
    me::{Browser, newest_mail},
    name_pages::{make_manager, set_of},
    own_recordings::record,
    pages::{SOUND, browser::axe},
    support::{Answer, Setup, World, browser, database::execute, media::png},
};

const ANA: &str = "ana@example.edu";
const LANGUAGES: [&str; 2] = ["en", "ar"];
const WIDTHS: [u32; 2] = [320, 1280];
const SCHEMES: [&str; 2] = ["light", "dark"];

/// Visits pages, and collects what is wrong with them. A page is seen in both widths, in one of the languages, and checked by axe-core at
/// one of the widths in one of the schemes. These change from page to page, so that all combinations occur.
struct Matrix {
    browser: browser::Browser,
    axe: String,
    base: String,
    faults: Vec<String>,
    /// How many pages have been visited.
    pages: usize,
    /// Their paths.
    seen: BTreeSet<String>,
    /// All combinations of each page.
    is_complete: bool,
    /// Where to save screenshots, if anywhere.
    shots: Option<PathBuf>,
}

/// How to get to a page: an address, and if that is not enough, a script that leads on and a condition that ends it.
struct Way {
    address: String,
    script: &'static str,
    arrived: &'static str,
}

impl From<&str> for Way {
    fn from(address: &str) -> Self {
        Self { address: address.to_owned(), script: "", arrived: "" }
    }
}

impl Way {
    fn on(self, script: &'static str, arrived: &'static str) -> Self {
        Self { script, arrived, ..self }
    }
}

impl Matrix {
    async fn start(base: &str) -> Self {
        let browser = browser::Browser::start().await;
        browser.devtools("Network.enable", json!({})).await;
        #[allow(clippy::disallowed_methods)]
        let [shots, all] = ["ENDONYM_TEST_SCREENSHOTS", "ENDONYM_TEST_ALL_LOOKS"].map(std::env::var_os);
        let is_complete = shots.is_some() || all.is_some();
        if shots.is_some() {
            browser.devtools("Emulation.setScrollbarsHidden", json!({ "hidden": true })).await;
        }
        let (base, shots) = (base.to_owned(), shots.map(PathBuf::from));
        let seen = BTreeSet::new();
        Self { browser, axe: axe(), base, faults: Vec::new(), pages: 0, seen, is_complete, shots }
    }

    /// A page in one language, or in all of them.
    async fn page(&mut self, name: &str, way: impl Into<Way>) {
        let way = way.into();
        for (nth, language) in LANGUAGES.into_iter().enumerate() {
            if self.is_complete || self.pages % LANGUAGES.len() == nth {
                self.visit(name, &way, language).await;
            }
        }
        self.pages += 1;
    }

    /// A page that is in English only.
    async fn english(&mut self, name: &str, way: impl Into<Way>) {
        self.visit(name, &way.into(), LANGUAGES[0]).await;
        self.pages += 1;
    }

    async fn save(&self, combination: &str) {
        let Some(folder) = &self.shots else { return };
        let size = "[document.documentElement.clientWidth, document.documentElement.scrollHeight, window.innerHeight]";
        let size = self.browser.value(size).await;
        // Pages that are written from right to left: without a clip, the picture of a long one would begin elsewhere; with one, that
        // of a short one would.
        let how = if size[1].as_u64() > size[2].as_u64() {
            let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1 });
            json!({ "captureBeyondViewport": true, "clip": clip })
        } else {
            json!({})
        };
        let shot = self.browser.devtools("Page.captureScreenshot", how).await;
        let shot = BASE64_STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        let name = combination.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        std::fs::write(folder.join(format!("{name}.png")), shot).unwrap();
    }

    async fn go(&self, way: &Way) {
        let address = match way.address.strip_prefix('/') {
            Some(_) => format!("{}{}", self.base, way.address),
            None => way.address.clone(),
        };
        self.browser.go(&address).await;
        if !way.script.is_empty() {
            self.browser.value(&format!("(() => {{ {} }})()", way.script)).await;
        }
        if !way.arrived.is_empty() {
            self.browser.until(&format!("document.readyState === 'complete' && {}", way.arrived)).await;
        }
    }

    /// Whether axe-core checks the page at this width and in this scheme.
    fn is_checked(&self, column: usize, row: usize) -> bool {
        self.is_complete || (column, row) == (self.pages / 2 % 2, self.pages / 4 % 2)
    }

    async fn visit(&mut self, name: &str, way: &Way, language: &str) {
        let headers = json!({ "headers": { "Accept-Language": language } });
        self.browser.devtools("Network.setExtraHTTPHeaders", headers).await;
        self.go(way).await;
        let shown = self.browser.value("[location.pathname, document.documentElement.lang]").await;
        self.seen.insert(shown[0].as_str().unwrap().to_owned());
        assert_eq!(shown[1], language, "{name}");
        for (column, width) in WIDTHS.into_iter().enumerate() {
            let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
            self.browser.devtools("Emulation.setDeviceMetricsOverride", size).await;
            for (row, scheme) in SCHEMES.into_iter().enumerate() {
                if self.is_checked(column, row) {
                    self.browser.prefer(scheme).await;
                    let combination = format!("{name}, {language}, {width} px, {scheme}");
                    let found = self.browser.faults(&self.axe).await;
                    self.faults.extend(found.into_iter().map(|fault| format!("{combination}: {fault}")));
                    self.save(&combination).await;
                }
            }
            let beyond = self.browser.value(BEYOND).await;
            if beyond != "" {
                self.faults.push(format!("{name}, {language}, {width} px: wider than the window: {beyond}"));
            }
        }
    }
}

/// The elements that make the page wider than the window.
const BEYOND: &str = "(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return '';
    const isBeyond = (box) => box.width > 0 && (box.right > width + 1 || box.left < -1);
    const found = [...document.querySelectorAll('body *')].filter((one) => isBeyond(one.getBoundingClientRect()));
    return found.slice(0, 3).map((one) => one.outerHTML.slice(0, 150)).join(' ') || 'the page';
})()";

const SUBMIT: &str = "document.querySelector('main form').submit()";

async fn link(world: &World) -> String {
    link_of(world, ANA).await
}

async fn link_of(world: &World, email: &str) -> String {
    let life = Duration::from_secs(600);
    let institution = world.institution.id;
    let made = sign_in::operator_link(&world.app, &Actor::Operator, institution, email, life, &world.base);
    made.await.unwrap().0
}

/// Somebody who manages this world's page.
async fn manager(world: &World, email: &str) {
    let (email, page) = (Email::parse(email).unwrap(), NamePageRef::parse(&world.page.slug).unwrap());
    let (operator, institution) = (&Actor::Operator, world.institution.id);
    members::set(&world.app, operator, institution, email, Role::Manager, vec![page]).await.unwrap();
}

async fn set_look(world: &World, accent: Option<&str>, logo: Option<Vec<u8>>) {
    let look = looks::Change { accent: Some(accent.map(str::to_owned)), logo: Some(logo) };
    let change = institutions::Change { look, ..institutions::Change::default() };
    institutions::update(&world.app, &Actor::Operator, &world.institution.slug, change).await.unwrap();
}

fn badge(person: &Value) -> String {
    person["name_badge_link"].as_str().unwrap().to_owned()
}

fn player(person: &Value) -> String {
    badge(person).replace("/badges/", "/players/")
}

async fn people(world: &World) -> (Value, Value) {
    world.custom_field("gender_pronouns").await;
    let (ana, bo) = (world.person("Ana", ANA).await, world.person("Bo", "bo@example.edu").await);
    let full = json!({ "name_page_id": world.page.slug, "participant": {
        "last_name": "محمد", "phonetic": "AH-na", "notes": "Two\nlines", "legal_first_name": "Anastasia",
        "custom_fields": { "custom_gender_pronouns": "she/her" },
    } });
    world.put("/v5/participants/ana@example.edu", full).await.expect(200);
    (ana, bo)
}

/// The personal link of an invitation to the world's page.
async fn invite(world: &World, address: &str) -> String {
    let (app, id) = (&world.app, world.institution.id);
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    let list = AddressList::parse(address).unwrap().invitees;
    let terms = Terms { delivery: Delivery::Links, ..Terms::of(app) };
    let report = invitations::invite(app, &Actor::Operator, id, &page, list, &terms).await.unwrap();
    report.links[0].1.strip_prefix(&world.base).unwrap().to_owned()
}

/// To add a page, add a line: a page that nobody visits is a fault.
#[tokio::test]
async fn axe_finds_nothing_wrong_with_any_page() {
    let calling = calls::Rules {
        enabled: true,
        attempts: 3,
        quiet_hours: QuietHours::OFF,
        countries: Countries::default(),
        ..calls::Rules::nobody()
    };
    let setup = Setup { multiple_recordings: true, sqlite: true, calling, ..Setup::default() };
    let library = Library::start(World::with(setup).await).await;
    let world = &library.world;
    let (ana, bo) = people(world).await;
    manager(world, ANA).await;
    manager(world, "boss@example.edu").await;
    let mut matrix = Matrix::start(&world.base).await;

    matrix.page("home", "/").await;
    matrix.english("API reference", "/docs").await;
    matrix.page("refused single sign-on", "/sso/callback").await;
    matrix.page("unknown page", "/nowhere").await;
    matrix.page("badge without a recording", &*badge(&bo)).await;
    matrix.page("player without a recording", &*player(&bo)).await;

    matrix.page("sign-in", "/sign-in").await;
    let wrong = "document.querySelector('#email').value = 'x'; document.querySelector('main form').submit()";
    let fault = "document.querySelector('.fault')";
    matrix.page("sign-in with a fault", Way::from("/sign-in").on(wrong, fault)).await;
    let asking = "document.querySelector('#email').value = 'ana@example.edu'; document.querySelector('main form').submit()";
    matrix.go(&Way::from("/sign-in").on(asking, "location.pathname === '/sign-in/code'")).await;
    matrix.page("code", "/sign-in/code").await;
    matrix.page("code with a fault", Way::from("/sign-in/code").on(SUBMIT, fault)).await;
    matrix.page("unknown link", "/sign-in/link/0a0a").await;
    matrix.page("name page", "/p/class-of-2027").await;
    matrix.page("name page with a fault", Way::from("/p/class-of-2027").on(SUBMIT, fault)).await;
    let bo_asking = "document.querySelector('#email').value = 'bo@example.edu'; document.querySelector('main form').submit()";
    matrix.go(&Way::from("/p/class-of-2027").on(bo_asking, "location.pathname.endsWith('/code')")).await;
    matrix.page("code of a name page", "/p/class-of-2027/code").await;
    // Ana also manages the page on which she is registered.
    let (app, institution) = (&world.app, world.institution.id);
    let own_page = NamePageRef::parse(&world.page.slug).unwrap();
    let (email, pages) = (Email::parse(ANA).unwrap(), vec![own_page.clone()]);
    members::set(app, &Actor::Operator, institution, email, Role::Manager, pages).await.unwrap();
    let used = link(world).await;
    matrix.page("link", &*used).await;
    let at_home = "location.pathname === '/me'";
    matrix.go(&Way::from(&*used).on(SUBMIT, at_home)).await;
    matrix.page("used link", &*used).await;

    matrix.page("/me before agreeing", "/me").await;
    matrix.page("own entry before agreeing", "/p/class-of-2027/own?done=registered").await;
    world.agree(world.institution.id, ANA).await;
    matrix.page("/me without a recording", "/me").await;
    matrix.page("own entry without a recording", "/p/class-of-2027/own").await;
    let orchestra = world.page("Orchestra").await;
    let open = Change { register: Some(Register::Code), ..Change::default() };
    set_of(world, world.institution.id, &orchestra, open).await;
    matrix.page("name page for somebody who can register", "/p/orchestra").await;
    matrix.page("registering", "/p/orchestra/register").await;
    matrix.page("registering with a fault", Way::from("/p/orchestra/register").on(SUBMIT, fault)).await;
    matrix.page("delete everything", "/me/delete").await;
    let rejected =
        "document.querySelector('#phone-number').value = 'x'; document.querySelector('#call form').submit()";
    matrix.page("/me with a fault", Way::from("/me").on(rejected, fault)).await;
    let forged = "document.querySelector('#call form [name=csrf]').value = 'x'; document.querySelector('#call form').submit()";
    matrix
        .page("form of another site", Way::from("/me").on(forged, "location.pathname === '/me/call'"))
        .await;
    let choir = world.page("Choir").await;
    let again =
        world.person_on(&choir, json!({ "first_name": "Ana", "last_name": "محمد", "email": ANA })).await;
    for person in [&ana, &again] {
        world.give(person, Kind::Recording, SOUND).await;
    }
    world.give(&ana, Kind::LegalRecording, SOUND).await;
    set_look(world, Some("#7a1f3d"), Some(png())).await;
    matrix.page("/me with recordings on two pages", "/me?done=details").await;
    matrix.page("own entry with a recording", "/p/class-of-2027/own?done=recording").await;
    matrix.page("legal name", "/me/legal-name").await;
    page_mails(world, &mut matrix).await;
    matrix.go(&Way::from(&*link(world).await).on(SUBMIT, at_home)).await;
    console_pages(world, &mut matrix).await;
    let handover =
        "const form = document.querySelector('#call form'); form.action = '/me/handover'; form.submit()";
    let has_code = "document.querySelector('.qr')";
    matrix.page("handover", Way::from("/me").on(handover, has_code)).await;
    matrix
        .page("sign-in to an institution", &*format!("/sign-in?institution={}", world.institution.slug))
        .await;
    matrix.page("badge", &*badge(&ana)).await;
    let change = page_settings::Change { listen: Some(Listen::Link), ..page_settings::Change::default() };
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    page_settings::update(&world.app, &Actor::Operator, world.institution.id, &page, change).await.unwrap();
    world.crowd(&world.page, 0..60).await;
    let people = format!("/p/{}/people", world.page.slug);
    let listed = "document.querySelector('.people > li')";
    matrix.page("listening page", Way::from(&*people).on("", listed)).await;
    matrix.page("listening page, nobody found", &*format!("{people}?q=nobody")).await;
    matrix.page("listening page, second part", &*format!("{people}?page=2")).await;
    matrix.page("print view", &*format!("{people}/print")).await;
    let report = format!("{people}/{}/report", world.listed_id(&world.page, &ana).await);
    matrix.page("report", &*report).await;
    let chosen = "document.querySelectorAll('[required]').forEach((one) => one.removeAttribute('required')); \
                  document.querySelector('main form').submit()";
    matrix.page("report with a fault", Way::from(&*report).on(chosen, fault)).await;
    matrix.page("player", &*player(&ana)).await;
    let boss = link_of(world, "boss@example.edu").await;
    matrix.go(&Way::from(&*boss).on(SUBMIT, at_home)).await;
    matrix.page("/me of a member who is not registered", "/me").await;
    matrix.page("delete everything, as a member", "/me/delete").await;
    matrix.page("export of a name page", &*format!("/p/{}/export", world.page.slug)).await;

    // A new member is signed out.
    make_manager(world, ANA).await;
    matrix.go(&Way::from(&*link(world).await).on(SUBMIT, at_home)).await;
    matrix.page("name page for managers", "/p/class-of-2027").await;
    matrix.page("poster", "/p/class-of-2027/poster").await;
    let (file, place) =
        (b"Contact,Vorname\nbo@example.edu,Bo\n".to_vec(), (world.institution.id, world.page.id));
    let import = imports::upload(&world.app, &Actor::Operator, place, "people.csv", file).await;
    let import = import.unwrap().unwrap();
    matrix.page("import", &*format!("/p/{}/import", world.page.slug)).await;
    matrix.page("import of a file", &*format!("/p/{}/import/{import}", world.page.slug)).await;

    let hold = page_settings::Change { moderation: Some(Moderation::Hold), ..Default::default() };
    page_settings::update(app, &Actor::Operator, institution, &own_page, hold).await.unwrap();
    record(world, &ana, 150.0, Sharing::ThisPage).await;
    let queue = format!("/p/{}/moderation", world.page.slug);
    matrix.page("moderation", &*queue).await;
    let without_reason = "document.querySelector('main details form').submit()";
    let reason_fault = "document.querySelector('[id$=-fault]')";
    matrix.page("moderation without a reason", Way::from(&*queue).on(without_reason, reason_fault)).await;
    matrix.page("decided moderation", &*format!("{queue}?list=decided")).await;
    let queue = format!("/console/{}/moderation", world.institution.slug);
    matrix.page("console, moderation", &*queue).await;
    let way = Way::from(&*queue).on(without_reason, reason_fault);
    matrix.page("console, moderation without a reason", way).await;
    matrix.page("console, decided moderation", &*format!("{queue}?list=decided")).await;

    let there = world.neighbor().await;
    let body =
        json!({ "name_page_id": there.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    Answer::of(world.request_as(&there.token, Method::POST, "/v5/participants").json(&body))
        .await
        .expect(201);
    matrix.go(&Way::from("/sign-in").on(asking, "location.pathname === '/sign-in/code'")).await;
    let mail = newest_mail(world).await.unwrap();
    matrix.go(&Way::from(&*mail.link).on(SUBMIT, "location.pathname === '/sign-in/choose'")).await;
    matrix.page("choice of an institution", "/sign-in/choose").await;

    let invited = invite(world, "Bea محمد <bea@example.edu>").await;
    matrix.page("invitation", &*invited).await;
    let unticked =
        "document.querySelector('#first_name').value = ''; document.querySelector('#invitation').submit()";
    matrix.page("invitation with a fault", Way::from(&*invited).on(unticked, fault)).await;
    matrix.page("unknown invitation", "/i/x").await;
    matrix.go(&Way::from(&*link_of(world, "boss@example.edu").await).on(SUBMIT, at_home)).await;
    let invitations = format!("/p/{}/invitations", world.page.slug);
    matrix.page("invitations", &*invitations).await;
    let pasted = "document.querySelector('#addresses').value = 'cem@example.edu, nonsense'; \
                  document.querySelector('#addresses').form.submit()";
    matrix
        .page("invitations, pasted", Way::from(&*invitations).on(pasted, "document.querySelector('.done')"))
        .await;
    matrix.page("invitations in a state", &*format!("{invitations}?state=bounced")).await;

    console(world, &mut matrix).await;
    console_people(world, &mut matrix).await;
    console_settings(world, &mut matrix).await;

    world.work(1);
    let launch = |query: &str| Way::from(&*format!("{}/launch?{query}", library.base));
    let in_session = "location.pathname.startsWith('/lti/s/')";
    matrix.go(&launch("user=teacher").on("", in_session)).await;
    library.synchronized().await;
    for email in [ANA, "siobhan@example.edu"] {
        let found = world.get(&format!("/v5/participants?email_list={email}")).await.expect(200);
        for person in found["Response"]["participants"].as_array().unwrap() {
            world.give(person, Kind::Recording, SOUND).await;
        }
    }
    matrix.page("course", launch("user=teacher").on("", "document.querySelector('.people li')")).await;
    let search = "document.querySelector('#q').value = 'nobody'; document.querySelector('.search').submit()";
    let found_none = "document.querySelector('.none')";
    matrix.page("course, nobody found", launch("user=teacher").on(search, found_none)).await;
    matrix.page("deep link", launch("user=teacher&deep=1").on("", "document.querySelector('#title')")).await;
    matrix.page("student", launch("user=siobhan").on("", "document.querySelector('main.own')")).await;
    world.agree(world.institution.id, "mohammed@example.edu").await;
    let recorder = "document.querySelector('[data-recorder]:not([data-state=off])')";
    matrix.page("student without a recording", launch("user=mohammed").on("", recorder)).await;
    matrix.page("refusal", launch("user=mentor").on("", "document.querySelector('main.plain')")).await;

    matrix.faults.extend(routes::unseen(&matrix.seen, |route| !is_access(route)));
    assert_eq!(matrix.faults, [""; 0], "{}", matrix.faults.join("\n"));
}

/// The console of an owner and of a reader, and that of the operator.
async fn console(world: &World, matrix: &mut Matrix) {
    let (app, institution) = (&world.app, &world.institution);
    for role in [Role::Reader, Role::Owner] {
        let pages: &[_] = if role.has_all_pages() { &[] } else { &[&world.page] };
        crate::console::set(world, institution, "console@example.edu", role, pages).await;
        let way = sign_in::operator_link(
            app,
            &Actor::Operator,
            institution.id,
            "console@example.edu",
            Duration::from_secs(600),
            &world.base,
        );
        let way = way.await.unwrap().0;
        matrix.go(&Way::from(&*way).on(SUBMIT, "location.pathname === '/me'")).await;
        let home = format!("/console/{}", institution.slug);
        matrix.page(&format!("console of a {}", role.word()), &*home).await;
    }
    let yesterday = "INSERT INTO coverage_days (institution_id, name_page_id, day, registered, recorded, invited) VALUES ($1, 0, $2, 9, 4, 7)";
    let params = vec![institution.id.into(), (day_of(app.clock.now()) - 1).into()];
    execute(&app.db, yesterday, params).await;
    let home = format!("/console/{}", institution.slug);
    matrix.page("console with a chart", &*home).await;
    let search =
        "document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }))";
    let found = "document.querySelector('[role=option]')";
    matrix.page("search of the console, open", Way::from(&*home).on(search, found)).await;
    matrix.page("search of the console", &*format!("{home}/search?q=people")).await;
    matrix.page("nothing found in the console", &*format!("{home}/search?q=qqqq")).await;
    matrix.page("first steps", &*format!("{home}/start")).await;
    let wrong = "document.querySelector('#title').form.submit()";
    matrix
        .page(
            "first steps with a fault",
            Way::from(&*format!("{home}/start")).on(wrong, "document.querySelector('.fault')"),
        )
        .await;
    matrix.page("members", &*format!("{home}/members")).await;
    matrix.page("a new member", &*format!("{home}/members/add")).await;
    let nobody = "document.querySelector('#email').form.submit()";
    let fault = "document.querySelector('.fault')";
    matrix
        .page("a new member with a fault", Way::from(&*format!("{home}/members/add")).on(nobody, fault))
        .await;
    matrix.page("a member", &*format!("{home}/members/change?email=console%40example.edu")).await;
    let provider = sso::New {
        name: Some("Campus Login".into()),
        issuer: "http://127.0.0.1:9".into(),
        client_id: "endonym".into(),
        client_secret: "secret".into(),
        domains: Vec::new(),
        tenant: None,
        any_account: true,
        trusts_unverified_email: false,
        scopes: Vec::new(),
    };
    let connection = sso::create(app, &Actor::Operator, institution.id, provider).await.unwrap().id;
    sso::map_group(app, &Actor::Operator, connection, "registrars", Role::Admin, vec![], None).await.unwrap();
    matrix.page("roles by group", &*format!("{home}/members/groups")).await;
    let blank = "document.querySelector('[name=group]:not([type=hidden])').form.submit()";
    let groups = format!("{home}/members/groups");
    matrix.page("roles by group with a fault", Way::from(&*groups).on(blank, fault)).await;
    sso::delete(app, &Actor::Operator, connection).await.unwrap();
    matrix.page("audit log", &*format!("{home}/audit")).await;
    matrix.page("audit log, nothing found", &*format!("{home}/audit?q=qqqq")).await;
    let open = "document.querySelector('.table a').click()";
    let opened = "location.pathname.includes('/audit/entry/')";
    let role = format!("{home}/audit?act=member.set");
    matrix.page("entry of the audit log", Way::from(&*role).on(open, opened)).await;
    matrix.page("sign in again", &*format!("/sign-in?institution={}&why=again", institution.slug)).await;
    let link = operators::link(app, &Actor::Operator, &world.base).await.unwrap().0;
    matrix.page("link of the operator", &*link).await;
    matrix.page("unknown link of the operator", "/operator/link/x").await;
    matrix.go(&Way::from(&*link).on(SUBMIT, "location.pathname === '/console'")).await;
    matrix.page("console of the operator", "/console").await;
    let faulty = "document.querySelector('#email').form.submit()";
    let fault = "document.querySelector('.fault')";
    matrix.page("console of the operator with faults", Way::from("/console").on(faulty, fault)).await;
}

/// The texts of messages, which Ana may change now, and the page that stops messages.
async fn page_mails(world: &World, matrix: &mut Matrix) {
    let (app, institution) = (&world.app, world.institution.id);
    let email = Email::parse(ANA).unwrap();
    members::set(app, &Actor::Operator, institution, email, Role::Admin, Vec::new()).await.unwrap();
    let path = format!("/p/{}/messages", world.page.slug);
    matrix.page("texts of messages", &*path).await;
    let wrong =
        "const text = document.querySelector('#text'); text.value = '{nmae}'; text.form.requestSubmit()";
    let fault = "document.querySelector('.fault')";
    matrix.page("texts of messages with a fault", Way::from(&*path).on(wrong, fault)).await;
    let stale = "const { form } = document.querySelector('#text'); form.elements.version.value = ''; \
                 form.requestSubmit()";
    let told = "document.querySelector('[role=alert] .text-preview')";
    matrix.page("texts of messages that somebody else has changed", Way::from(&*path).on(stale, told)).await;
    let person = PersonId { institution, email_key: ANA.to_owned() };
    let link = opt_outs::link(app, "", &person).unwrap();
    matrix.page("stop messages", &*link).await;
    opt_outs::opt_out(app, link.rsplit('/').next().unwrap()).await.unwrap();
    matrix.page("messages stopped", &*link).await;
    matrix.page("unknown link to stop messages", "/u/x").await;
}

/// Name pages and custom fields in the console, and the inputs of custom fields. Ana is an admin, and has just signed in.
async fn console_pages(world: &World, matrix: &mut Matrix) {
    let home = format!("/console/{}", world.institution.slug);
    let fault = "document.querySelector('.fault[id$=-fault]')";
    for kind in FieldKind::ALL {
        let (name, label) = (format!("field_{}", kind.word()), format!("A field: {}", kind.word()));
        let options =
            ["Alto", "Tenor", "A rather long option that does not fit into a line of a narrow window"];
        let new = custom_fields::New {
            name,
            label: Some(label),
            editable: true,
            kind,
            options: options.map(str::to_owned).to_vec(),
            asked: Asking::Optional,
            on_badge: false,
        };
        world.new_custom_field(new).await;
    }
    let fields = format!("{home}/custom-fields");
    matrix.page("console, custom fields", &*fields).await;
    let send_last = "document.querySelector('main section form').submit()";
    matrix.page("console, custom fields with a fault", Way::from(&*fields).on(send_last, fault)).await;
    matrix.page("console, custom field", &*format!("{fields}/field_choices?done=saved")).await;
    matrix.page("console, deleting a custom field", &*format!("{fields}/field_choices/delete")).await;
    let pages = format!("{home}/name-pages");
    matrix.page("console, name pages", &*pages).await;
    matrix.page("console, no name pages", &*format!("{pages}?state=archived")).await;
    matrix.page("console, new name page", &*format!("{pages}/new")).await;
    let new = Way::from(&*format!("{pages}/new")).on(SUBMIT, fault);
    matrix.page("console, new name page with a fault", new).await;
    let one = format!("{pages}/{}", world.page.id);
    matrix.page("console, name page", &*format!("{one}?done=saved")).await;
    let blank = "const title = document.querySelector('#title'); title.value = ''; title.form.submit()";
    matrix.page("console, name page with a fault", Way::from(&*one).on(blank, fault)).await;
    let outdated = "const version = document.querySelector('[name=version]'); version.value = 'x'; \
                    document.querySelector('#title').value = 'Other'; version.form.submit()";
    let told = "document.querySelector('[id$=-now]')";
    matrix.page("console, name page that was changed", Way::from(&*one).on(outdated, told)).await;
    matrix.page("console, copying a name page", &*format!("{one}/copy")).await;
    matrix.page("console, deleting a name page", &*format!("{one}/delete")).await;
    matrix.page("own entry with all kinds of fields", "/p/class-of-2027/own").await;
    let wrong = "document.querySelectorAll('[name=custom_field_choices]').forEach((one) => (one.value = 'x')); \
                 const form = document.querySelector('[name=custom_field_choices]').form; \
                 form.querySelectorAll('[type=checkbox]').forEach((one) => (one.checked = true)); form.submit()";
    let way = Way::from("/p/class-of-2027/own").on(wrong, fault);
    matrix.page("own entry with a fault in a field", way).await;
}

async fn get(world: &World, path: &str) -> reqwest::Response {
    world.client.get(format!("{}{path}", world.base)).send().await.unwrap()
}

fn header<'a>(answer: &'a reqwest::Response, name: &str) -> &'a str {
    answer.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

/// The values of `href` and `src` that contain this text.
fn addresses<'a>(page: &'a str, part: &str) -> Vec<&'a str> {
    let values = ["href=\"", "src=\""].into_iter().flat_map(|start| page.split(start).skip(1));
    values.map(|rest| rest.split('"').next().unwrap()).filter(|address| address.contains(part)).collect()
}

#[tokio::test]
async fn the_pages_of_an_institution_have_its_logo_and_its_color() {
    let library = Library::start(World::new().await).await;
    let world = &library.world;
    let ana = world.person("Ana", ANA).await;
    let badge = badge(&ana).strip_prefix(&world.base).unwrap().to_owned();
    let sign_in = format!("/sign-in?institution={}", world.institution.slug);
    let browser = Browser::new(world);
    browser.follow(&link(world).await).await.redirects_to("/me");
    let pages = async || {
        [
            get(world, &badge).await.text().await.unwrap(),
            get(world, &sign_in).await.text().await.unwrap(),
            browser.get("/me").await.expect(200).body,
            library.launch("user=siobhan").await.text,
            library.launch("user=teacher").await.text,
        ]
    };
    for page in pages().await {
        assert!(addresses(&page, "/accents/").is_empty() && addresses(&page, "/logos/").is_empty(), "{page}");
    }
    set_look(world, Some("#7A1F3D"), Some(png())).await;
    let mut found = Vec::new();
    for page in pages().await {
        let (styles, logos) = (addresses(&page, "/accents/"), addresses(&page, "/logos/"));
        assert_eq!((styles.len(), logos.len()), (1, 1), "{page}");
        found.push((styles[0].to_owned(), logos[0].to_owned()));
    }
    found.dedup();
    let [(style, logo)] = &found[..] else { panic!("the same on all pages: {found:?}") };
    let style = get(world, style).await;
    assert_eq!(
        (header(&style, "content-type"), header(&style, "x-content-type-options")),
        ("text/css; charset=utf-8", "nosniff")
    );
    assert!(header(&style, "cache-control").contains("immutable"));
    let style = style.text().await.unwrap();
    assert!(style.contains("--accent:#7a1f3d") && style.contains("prefers-color-scheme:dark"), "{style}");
    let picture = get(world, logo).await;
    assert_eq!((picture.status().as_u16(), header(&picture, "content-type")), (200, "image/jpeg"));
    assert!(header(&picture, "cache-control").contains("immutable"));
    assert!(picture.bytes().await.unwrap().starts_with(b"\xFF\xD8\xFF"));

    // The only institution need not be named. Other pages do not have them, and removed files are gone.
    let plain = async || get(world, "/sign-in").await.text().await.unwrap();
    assert_eq!(addresses(&plain().await, "/accents/").len(), 1);
    world.neighbor().await;
    assert!(addresses(&plain().await, "/accents/").is_empty());
    set_look(world, None, None).await;
    assert_eq!(get(world, logo).await.status(), 404);
    for page in pages().await {
        assert!(addresses(&page, "/accents/").is_empty() && addresses(&page, "/logos/").is_empty(), "{page}");
    }
}

#[tokio::test]
async fn only_colors_that_can_be_read_have_a_style_sheet_and_only_logos_have_a_file() {
    let world = World::new().await;
    assert_eq!(get(&world, "/accents/0d6151.css").await.status(), 200);
    let id = world.institution.id;
    for path in ["/accents/ffd200.css", "/accents/red.css", "/accents/0d6151", "/accents/", "/logos/x/0.jpg"]
    {
        assert_eq!(get(&world, path).await.status(), 404, "{path}");
    }
    for path in
        [format!("/logos/{id}/.jpg"), format!("/logos/{id}/000000000000.jpg"), format!("/logos/{id}/x")]
    {
        assert_eq!(get(&world, &path).await.status(), 404, "{path}");
    }
}

/// People in the console, for an owner.
async fn console_people(world: &World, matrix: &mut Matrix) {
    let (app, operator, institution) = (&world.app, &Actor::Operator, world.institution.id);
    let owner = Email::parse("owner@example.edu").unwrap();
    members::set(app, operator, institution, owner, Role::Owner, Vec::new()).await.unwrap();
    let link = link_of(world, "owner@example.edu").await;
    matrix.go(&Way::from(&*link).on(SUBMIT, "location.pathname === '/me'")).await;
    let people = format!("/console/{}/people", world.institution.slug);
    let found = people_search::quick(app, operator, institution, "ana", 2).await.unwrap();
    let (ana, again) = (found[0].id, found[1].id);
    matrix.page("people in the console", &*people).await;
    matrix
        .page("people in the console, nobody found", &*format!("{people}?q=nobody&field=gender_pronouns"))
        .await;
    matrix.page("person in the console", &*format!("{people}/{ana}")).await;
    let edit = format!("{people}/{ana}/edit");
    matrix.page("editing a person", &*edit).await;
    let wrong =
        "document.querySelector('#phone_number').value = 'x'; document.querySelector('main form').submit()";
    let fault = "document.querySelector('.fault')";
    matrix.page("editing a person with a fault", Way::from(&*edit).on(wrong, fault)).await;
    matrix.page("recording for a person", &*format!("{people}/{ana}/record")).await;
    matrix.page("deleting a person", &*format!("{people}/{ana}/delete")).await;
    matrix.page("merging two entries", &*format!("{people}/merge?keep={ana}&other={again}")).await;
    for action in ["move", "tag", "delete"] {
        let path = format!("{people}/bulk?action={action}&id={ana}&id={again}");
        matrix.page(&format!("many people: {action}"), &*path).await;
    }
    matrix.page("many people: nobody", &*format!("{people}/bulk?action=delete")).await;
    let whom = people_tasks::Whom::These(vec![again]);
    let action = people_task::TaskAction::Delete;
    let task = people_tasks::begin(app, operator, institution, &whom, action).await.unwrap();
    matrix.page("a task", &*format!("{people}/tasks/{task}")).await;
    matrix.page("recently deleted people", &*format!("{people}/deleted")).await;
    matrix.page("people whom a directory has disabled", &*format!("{people}/refused")).await;
    people_tasks::undo(app, operator, institution, task).await.unwrap();
}

/// The pages that the next test visits. All others are visited by the first one.
fn is_access(route: &str) -> bool {
    let sections = ["tokens", "learning-systems", "phone"];
    sections.iter().any(|section| route.split('/').nth(3) == Some(*section))
}

const TEST_CALL: &str = "document.querySelector('#number').form.submit()";

/// Access tokens, learning systems and phone.
#[tokio::test]
async fn axe_finds_nothing_wrong_with_the_access_to_an_institution() {
    let calling = calls::Rules { enabled: true, attempts: 3, ..calls::Rules::nobody() };
    let setup = Setup { sqlite: true, calling, ..crate::courses::patient() };
    let world = &World::with(setup).await;
    let (app, operator, id) = (&world.app, &Actor::Operator, world.institution.id);
    let email = Email::parse(ANA).unwrap();
    members::set(app, operator, id, email, Role::Admin, Vec::new()).await.unwrap();
    let mut matrix = Matrix::start(&world.base).await;
    matrix.go(&Way::from(&*link(world).await).on(SUBMIT, "location.pathname === '/me'")).await;
    let home = format!("/console/{}", world.institution.slug);
    let at = |below: &str| format!("{home}{below}");
    let fault = "document.querySelector('.fault')";

    // These need a fresh sign-in.
    matrix.page("new token", &*at("/tokens/new")).await;
    matrix.page("new token with a fault", Way::from(&*at("/tokens/new")).on(SUBMIT, fault)).await;
    let some = "document.querySelector('#pages-some').click(); document.querySelector('main form').submit()";
    let limited = Way::from(&*at("/tokens/new")).on(some, "document.querySelector('#pages-fault')");
    matrix.page("new token for some name pages", limited).await;
    let name =
        "document.querySelector('#name').value = 'Portal'; document.querySelector('main form').submit()";
    let made = Way::from(&*at("/tokens/new")).on(name, "document.querySelector('#curl')");
    matrix.page("token that was made", made).await;
    for kind in ["canvas", "moodle", "lti"] {
        let path = at(&format!("/learning-systems/new?kind={kind}"));
        matrix.page(&format!("connecting {kind}"), &*path).await;
    }
    let checked = "for (const [id, value] of [['name', 'x'], ['url', 'http://127.0.0.1:9'], ['access_token', 'x']]) \
                   document.getElementById(id).value = value; document.querySelector('main form').submit()";
    let steps = "document.querySelector('.steps')";
    let failing = Way::from(&*at("/learning-systems/new?kind=canvas")).on(checked, steps);
    matrix.page("connecting a system that is not there", failing).await;
    let invitation = Way::from(&*at("/learning-systems")).on(SUBMIT, "document.querySelector('#link')");
    matrix.page("registration link", invitation).await;

    matrix.page("no learning systems", &*at("/learning-systems")).await;
    let canvas = crate::lms::canvas::Canvas::start().await;
    let new = tool_consumers::New {
        name: "Campus".into(),
        kind: LmsKind::Canvas,
        url: canvas.url().into(),
        product: None,
        roles: vec![endonym::domain::roster::Role::Student],
        access_token: Some(canvas.token().into()),
        lti: None,
    };
    let (system, _) = tool_consumers::create(app, operator, id, new).await.unwrap();
    let course = "INSERT INTO courses (institution_id, id, tool_consumer_id, external_id, title, name_page_id, error, note, created_at) \
         VALUES ($1, 1, $2, '101', 'Rhetoric', 1, 'Canvas does not show this course', 'Two have no name', 0)";
    execute(&app.db, course, vec![id.into(), system.id.into()]).await;
    matrix.page("learning systems", &*at("/learning-systems")).await;
    let one = at(&format!("/learning-systems/{}", system.id));
    matrix.page("learning system", &*one).await;
    matrix.page("editing a learning system", &*format!("{one}/edit")).await;

    let token = tokens::all(app, operator, id).await.unwrap().pop().unwrap();
    world.get("/v5/participants").await.expect(200);
    callers::store_usage(app).await.unwrap();
    matrix.page("tokens", &*at("/tokens?state=all")).await;
    matrix.page("token", &*at(&format!("/tokens/{}", token.id))).await;
    let first = tokens::all(app, operator, id).await.unwrap().swap_remove(0);
    matrix.page("token with requests", &*at(&format!("/tokens/{}", first.id))).await;

    let called = json!({ "first_name": "Bo", "email": "bo@example.edu", "phone_number": "+12025550123" });
    world.person_on(&world.page, called).await;
    matrix.page("phone", &*at("/phone")).await;
    matrix.page("phone, test call with a fault", Way::from(&*at("/phone")).on(TEST_CALL, fault)).await;
    let number = PhoneNumber::parse("+12025550199").unwrap();
    calls::forbid(app, operator, id, number).await.unwrap();
    matrix.page("do-not-call list", &*at("/phone/opt-outs")).await;
    matrix.faults.extend(routes::unseen(&matrix.seen, is_access));
    assert_eq!(matrix.faults, [""; 0], "{}", matrix.faults.join("\n"));
}

/// Directories, as an owner who has just signed in sees them.
async fn directories(world: &World, matrix: &mut Matrix) {
    let (app, operator, institution) = (&world.app, &Actor::Operator, world.institution.id);
    let list = format!("/console/{}/directories", world.institution.slug);
    let (new, fault) = (format!("{list}/new"), "document.querySelector('.fault')");
    matrix.page("no directories", &*list).await;
    matrix.page("new directory", &*new).await;
    let blank = "document.querySelector('#name').form.submit()";
    matrix.page("new directory with a fault", Way::from(&*new).on(blank, fault)).await;
    let name =
        "document.querySelector('#name').value = 'Entra'; document.querySelector('#name').form.submit()";
    let made = Way::from(&*new).on(name, "document.querySelector('#curl')");
    matrix.page("directory that was connected", made).await;
    let (old, _) = {
        let new = scim::connections::New { name: "دليل".into(), pages_from_groups: false };
        scim::connections::create(app, operator, institution, new).await.unwrap()
    };
    let one = format!("{list}/{}", old.id);
    matrix.page("directory", &*one).await;
    let typed = "document.querySelector('#typed_name').form.submit()";
    matrix.page("directory, not the name", Way::from(&*one).on(typed, fault)).await;
    scim::connections::revoke(app, operator, institution, old.id).await.unwrap();
    let group = json!({ "displayName": "Class of 2027" });
    let group = scim::groups::create(app, operator, institution, &group, false).await.unwrap().stored.id;
    let page = scim::Target::Page(NamePageRef::parse(&world.page.slug).unwrap());
    scim::groups::map(app, operator, institution, group, page, None).await.unwrap();
    matrix.page("directories", &*format!("{list}?state=all")).await;
    let meaning = format!("{list}/groups/{group}");
    matrix.page("group of a directory", &*meaning).await;
    let none = "for (const one of document.querySelectorAll('[name=page]')) one.checked = false; \
                document.querySelector('#kind-page').form.submit()";
    matrix.page("group of a directory with a fault", Way::from(&*meaning).on(none, fault)).await;
}

/// The console's settings, jobs and messages, as an owner who has just signed in sees them.
async fn console_settings(world: &World, matrix: &mut Matrix) {
    let (app, institution) = (&world.app, world.institution.id);
    let email = Email::parse("owner@example.edu").unwrap();
    members::set(app, &Actor::Operator, institution, email, Role::Owner, Vec::new()).await.unwrap();
    let new = sso::New {
        name: Some("محمد".into()),
        issuer: "http://127.0.0.1:9".into(),
        client_id: "endonym".into(),
        client_secret: "hush".into(),
        domains: Vec::new(),
        tenant: None,
        any_account: true,
        trusts_unverified_email: false,
        scopes: Vec::new(),
    };
    let connection = sso::create(app, &Actor::Operator, institution, new).await.unwrap();
    let owner = link_of(world, "owner@example.edu").await;
    matrix.go(&Way::from(&*owner).on(SUBMIT, "location.pathname === '/me'")).await;
    let home = format!("/console/{}", world.institution.slug);
    let fault = "document.querySelector('.fault')";
    let settings = format!("{home}/settings");
    matrix.page("settings", &*settings).await;
    let wrong = "document.querySelector('#time_zone').value = 'Mars'; document.querySelector('#time_zone').form.submit()";
    matrix.page("settings with a fault", Way::from(&*settings).on(wrong, fault)).await;
    matrix.page("consent text", &*format!("{settings}/consent")).await;
    matrix.page("delete the institution", &*format!("{settings}/delete")).await;
    matrix.page("single sign-on", &*format!("{settings}/sign-on")).await;
    matrix.page("new connection", &*format!("{settings}/sign-on/new")).await;
    let empty = "document.querySelector('#issuer').form.submit()";
    let way = Way::from(&*format!("{settings}/sign-on/new")).on(empty, fault);
    matrix.page("new connection with faults", way).await;
    matrix.page("connection", &*format!("{settings}/sign-on/{}", connection.id)).await;
    matrix.page("who must use single sign-on", &*format!("{settings}/sign-on/only")).await;
    directories(world, matrix).await;
    matrix.page("jobs", &*format!("{home}/jobs")).await;
    matrix.page("outbox", &*format!("{home}/messages")).await;
    matrix.page("bounces", &*format!("{home}/messages/bounces")).await;
    matrix.page("opt-outs", &*format!("{home}/messages/opt-outs")).await;
    matrix.page("texts of messages in the console", &*format!("{home}/messages/texts")).await;
    sso::delete(app, &Actor::Operator, connection.id).await.unwrap();
}

//! The listening page: who may listen, and what they see.

use std::time::Duration;

use endonym::{
    app::{Actor, audiences, institutions, members, page_settings, plays, sessions, sign_in},
    domain::{
        audience::Audience,
        email::Email,
        ids::InstitutionId,
        media::Kind,
        member::Role,
        name_page::{NamePage, NamePageRef},
        page_settings::{Listen, Register},
        session::{How, PersonId},
    },
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{invite, set_of};
use crate::{
    me::{Browser, Seen},
    pages::SOUND,
    support::{
        Answer, World,
        database::{crowd, execute},
        media::{file, wav},
    },
};

pub const ANA: &str = "ana@example.edu";
pub const BO: &str = "bo@example.edu";
const CY: &str = "cy@example.edu";

pub fn reference(page: &NamePage) -> NamePageRef {
    NamePageRef::parse(&page.slug).unwrap()
}

/// Sets who may listen to the people on the world's page.
pub async fn listened_by(world: &World, listen: Listen) {
    let change = page_settings::Change { listen: Some(listen), ..page_settings::Change::default() };
    let (institution, page) = (world.institution.id, reference(&world.page));
    page_settings::update(&world.app, &Actor::Operator, institution, &page, change).await.unwrap();
}

pub fn path(world: &World) -> String {
    format!("/p/{}/people", world.page.slug)
}

pub fn person(institution: InstitutionId, email: &str) -> PersonId {
    PersonId { institution, email_key: email.to_owned() }
}

/// A browser with a session of somebody who need not be registered anywhere.
pub async fn signed_in<'a>(world: &'a World, institution: InstitutionId, email: &str) -> Browser<'a> {
    signed_in_by(world, institution, email, How::Mail).await
}

pub async fn signed_in_by<'a>(
    world: &'a World,
    institution: InstitutionId,
    email: &str,
    how: How,
) -> Browser<'a> {
    let secret = sessions::open(&world.app, person(institution, email), how, &[]).await.unwrap().secret;
    let browser = Browser::new(world);
    browser.set_cookie("endonym", secret.as_str());
    browser
}

pub async fn role(world: &World, email: &str, role: Role, pages: &[&NamePage]) {
    let (email, pages) = (Email::parse(email).unwrap(), pages.iter().map(|page| reference(page)).collect());
    members::set(&world.app, &Actor::Operator, world.institution.id, email, role, pages).await.unwrap();
}

pub async fn named(world: &World, first_name: &str, last_name: &str, email: &str) -> Value {
    let named = json!({ "first_name": first_name, "last_name": last_name, "email": email });
    world.person_on(&world.page, named).await
}

pub async fn recorded(world: &World, first_name: &str, last_name: &str, email: &str) -> Value {
    let made = named(world, first_name, last_name, email).await;
    world.give(&made, Kind::Recording, SOUND).await;
    made
}

/// The names in a list, in order.
pub fn names(seen: &Seen) -> Vec<String> {
    let rows = seen.body.split("<p class=\"name\"><bdi lang=\"\">").skip(1);
    rows.map(|rest| rest.split('<').next().unwrap().to_owned()).collect()
}

/// The paths of the recordings.
fn sounds(seen: &Seen) -> Vec<String> {
    let rows = seen.body.split("preload=\"none\" src=\"").skip(1);
    rows.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_page_decides_who_may_listen() {
    let world = World::new().await;
    let (choir, there) = (world.page("Choir").await, world.neighbor().await);
    named(&world, "Ana", "Lima", ANA).await;
    world.person_on(&choir, json!({ "first_name": "Bo", "email": BO })).await;
    let body =
        json!({ "name_page_id": there.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    Answer::of(world.request_as(&there.token, Method::POST, "/v5/participants").json(&body))
        .await
        .expect(201);
    for (email, given, pages) in [
        ("owner@example.edu", Role::Owner, vec![]),
        ("manager@example.edu", Role::Manager, vec![&world.page]),
        ("reader@example.edu", Role::Reader, vec![&world.page]),
        ("elsewhere@example.edu", Role::Reader, vec![&choir]),
    ] {
        role(&world, email, given, &pages).await;
    }
    let id = world.institution.id;
    invite(&world, CY).await;
    let visitors = [
        ("nobody", Browser::new(&world), [303, 303, 303, 200]),
        ("registered here", signed_in(&world, id, ANA).await, [403, 200, 200, 200]),
        ("registered on another page", signed_in(&world, id, BO).await, [403, 403, 200, 200]),
        ("owner", signed_in(&world, id, "owner@example.edu").await, [200, 200, 200, 200]),
        ("manager", signed_in(&world, id, "manager@example.edu").await, [200, 200, 200, 200]),
        ("reader", signed_in(&world, id, "reader@example.edu").await, [200, 200, 200, 200]),
        (
            "reader of another page",
            signed_in(&world, id, "elsewhere@example.edu").await,
            [403, 403, 200, 200],
        ),
        // They do not belong to the institution before they register.
        ("only invited", signed_in(&world, id, CY).await, [403, 403, 403, 200]),
        // A session elsewhere is none here, even with the same email.
        ("of another institution", signed_in(&world, there.institution.id, ANA).await, [303, 303, 303, 200]),
        // A device that was let in to record is no listener.
        ("handed over", signed_in_by(&world, id, ANA, How::Handover).await, [303, 303, 303, 200]),
    ];
    for (nth, listen) in
        [Listen::Managers, Listen::Registered, Listen::Institution, Listen::Link].into_iter().enumerate()
    {
        listened_by(&world, listen).await;
        for (who, browser, wanted) in &visitors {
            for below in ["", "/rows?after=0", "/print"] {
                let seen = browser.get(&format!("{}{below}", path(&world))).await;
                assert_eq!(seen.status, wanted[nth], "{who} at {below} for {listen:?}");
                let shows = seen.body.contains("Lima");
                assert_eq!(shows, wanted[nth] == 200, "{who} at {below} for {listen:?}");
                if wanted[nth] == 303 {
                    assert!(seen.location().contains("/sign-in?"), "{}", seen.location());
                    assert!(seen.location().contains("people"), "and back: {}", seen.location());
                }
            }
        }
    }
}

#[tokio::test]
async fn whoever_registers_where_everybody_can_does_not_belong_to_the_institution() {
    let world = World::new().await;
    let (choir, id) = (world.page("Choir").await, world.institution.id);
    let register = async |page: &NamePage, register, listen| {
        let (register, listen) = (Some(register), Some(listen));
        set_of(&world, id, page, page_settings::Change { register, listen, ..Default::default() }).await;
    };
    register(&world.page, Register::Invited, Listen::Institution).await;
    register(&choir, Register::Open, Listen::Institution).await;
    let ana = recorded(&world, "Ana", "Lima", ANA).await;
    let bo = Browser::new(&world);
    bo.register(&world, &choir.slug, BO, "Bo").await;
    bo.get(&path(&world)).await.expect(403);
    bo.get(&format!("/p/{}/people", choir.slug)).await.expect(200);
    listened_by(&world, Listen::Link).await;
    audiences::choose(&world.app, &Actor::Operator, person(id, ANA), Audience::Institution).await.unwrap();
    let badge = ana["name_badge_link"].as_str().unwrap().strip_prefix(&world.base).unwrap().to_owned();
    let heard = async |browser: &Browser<'_>| {
        let listed = sounds(&browser.get(&path(&world)).await.expect(200)).len();
        (listed, browser.get(&badge).await.status.as_u16())
    };
    assert_eq!(heard(&bo).await, (0, 403), "signing in once more would not help");
    for below in ["", ".vcf"] {
        let refused = bo.get(&format!("{badge}{below}")).await.expect(403).body;
        let refused = refused.replace(['\u{2068}', '\u{2069}'], "");
        let sentence = format!("only for people of {}", world.institution.name);
        assert!(refused.contains(&sentence) && !refused.contains("Lima"), "{refused}");
    }
    Browser::new(&world).get(&badge).await.expect(303);
    // Another rule for those who come later changes nothing for those who have come.
    for rule in [Register::Code, Register::Invited] {
        register(&choir, rule, Listen::Institution).await;
        assert_eq!(heard(&bo).await, (0, 403), "{rule:?}");
    }
    named(&world, "Cy", "Lee", CY).await;
    register(&world.page, Register::Open, Listen::Link).await;
    for email in [ANA, CY] {
        let browser = signed_in(&world, id, email).await;
        assert_eq!(heard(&browser).await, (1, 200), "the institution has registered {email}");
    }
}

#[tokio::test]
async fn whom_the_institution_knows_belongs_to_it_also_by_a_page_that_is_open_to_everybody() {
    let world = World::new().await;
    let (choir, id) = (world.page("Choir").await, world.institution.id);
    let domains = Some(vec!["example.edu".to_owned()]);
    let open = page_settings::Change { register: Some(Register::Open), domains, ..Default::default() };
    set_of(&world, id, &choir, open).await;
    let belongs = async |email: &str| sign_in::belongs(&world.app, &person(id, email)).await.unwrap();
    for (how, email, wanted) in [
        (How::Mail, "bo@example.org", false),
        (How::Link, "cy@example.org", false),
        (How::Proxy, "ed@example.org", true),
        (How::Mail, "flo@example.edu", true),
    ] {
        // So that they may sign in. It is for another page, and so it vouches for nobody here.
        invite(&world, email).await;
        let browser = signed_in_by(&world, id, email, how).await;
        browser.get("/p/choir/register").await.expect(200);
        let sent = browser.post("/p/choir/register", &[("first_name", "Somebody")]).await;
        sent.redirects_to("/p/choir/own?done=registered");
        assert_eq!(belongs(email).await, wanted, "{how:?} {email}");
    }
}

#[tokio::test]
async fn who_is_registered_may_listen_by_default_and_not_after_leaving() {
    let world = World::new().await;
    named(&world, "Ana", "Lima", ANA).await;
    named(&world, "Bo", "Abel", BO).await;
    let browser = signed_in(&world, world.institution.id, ANA).await;
    assert_eq!(names(&browser.get(&path(&world)).await.expect(200)), ["Bo Abel", "Ana Lima"]);
    let body = json!({ "name_page_id": world.page.slug });
    world.delete(&format!("/v5/participants/{ANA}"), body).await.expect(200);
    let seen = browser.get(&path(&world)).await;
    assert_ne!(seen.status, 200);
    assert!(!seen.body.contains("Abel"));
}

#[tokio::test]
async fn people_are_found_in_any_script_by_letter_and_without_a_recording() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    recorded(&world, "Siobhán", "Ní Bhriain", "s@x.org").await;
    named(&world, "小龍", "李", "l@x.org").await;
    named(&world, "محمد", "الأمين", "m@x.org").await;
    recorded(&world, "Łukasz", "Wójcik", "w@x.org").await;
    named(&world, "민준", "김", "k@x.org").await;
    let browser = Browser::new(&world);
    let found =
        async |query: &str| names(&browser.get(&format!("{}{query}", path(&world))).await.expect(200));
    assert_eq!(found("?q=wojcik").await, ["Łukasz Wójcik"]);
    assert_eq!(found("?q=WOJCIK+luk").await, ["Łukasz Wójcik"], "last name first");
    assert_eq!(found("?q=Wojcik%2C+Lukasz").await, ["Łukasz Wójcik"], "as in a list");
    assert_eq!(found("?q=siobhan+ni").await, ["Siobhán Ní Bhriain"]);
    assert_eq!(found("?q=%E6%9D%8E%E5%B0%8F%E9%BE%8D").await, ["小龍 李"]);
    assert_eq!(found("?q=%D9%85%D8%AD%D9%85%D8%AF").await, ["محمد الأمين"]);
    assert_eq!(found("?q=nobody").await, [""; 0]);
    assert_eq!(found("?letter=W").await, ["Łukasz Wójcik"]);
    assert_eq!(found("?letter=%E6%9D%8E").await, ["小龍 李"]);
    assert_eq!(found("?letter=%E3%84%B1").await, ["민준 김"]);
    assert_eq!(found("?show=unrecorded").await.len(), 3);
    assert_eq!(found("?show=unrecorded&q=w").await, [""; 0]);
    let seen = browser.get(&path(&world)).await.expect(200);
    for letter in ["N", "W", "李", "ا", "ㄱ"] {
        assert!(seen.body.contains(&format!(" lang=\"\">{letter}</a>")), "{letter}: {}", seen.body);
    }
    let seen = browser.get(&format!("{}?q=%3Cb%3Enobody", path(&world))).await.expect(200);
    assert!(
        seen.body.contains("&lt;b&gt;nobody") || seen.body.contains("&#60;b&#62;nobody"),
        "{}",
        seen.body
    );
    assert!(!seen.body.contains("<b>nobody"));
}

#[tokio::test]
async fn a_row_has_phonetic_spelling_pronouns_picture_and_recording() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    world.custom_field("gender_pronouns").await;
    let ana = recorded(&world, "Ana", "Lima", ANA).await;
    world.give(&ana, Kind::Photo, SOUND).await;
    let change = json!({ "name_page_id": world.page.slug, "participant": {
        "phonetic": "AH-na <LEE-ma>", "notes": "secret notes", "custom_fields": { "custom_gender_pronouns": "she/her" },
    } });
    world.put(&format!("/v5/participants/{ANA}"), change).await.expect(200);
    let seen = Browser::new(&world).get(&path(&world)).await.expect(200);
    assert!(seen.body.contains("AH-na") && !seen.body.contains("<LEE-ma>"), "{}", seen.body);
    assert!(seen.body.contains("she/her") && seen.body.contains("_128.jpg"), "{}", seen.body);
    assert!(!seen.body.contains("secret notes"));
    let [sound] = &sounds(&seen)[..] else { panic!("one recording: {}", seen.body) };
    assert!(sound.ends_with(".mp3?from=page"), "{sound}");
    let printed = Browser::new(&world).get(&format!("{}/print", path(&world))).await.expect(200);
    assert!(printed.body.contains("AH-na") && printed.body.contains("she/her"), "{}", printed.body);
    assert!(printed.body.contains("<thead>"), "its head is repeated on every sheet");
}

#[tokio::test]
async fn no_email_is_in_any_listening_page() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    let ana = recorded(&world, "Ana", "Lima", ANA).await;
    named(&world, "Bo", "Abel", BO).await;
    role(&world, "owner@example.edu", Role::Owner, &[]).await;
    let report = format!("/{}/report", world.listed_id(&world.page, &ana).await);
    let id = world.institution.id;
    let visitors = [
        Browser::new(&world),
        signed_in(&world, id, ANA).await,
        signed_in(&world, id, "owner@example.edu").await,
    ];
    for browser in &visitors {
        for below in ["", "?q=ana", "?q=example.edu", "?q=ana%40example.edu", "/rows", "/print", &report] {
            let seen = browser.get(&format!("{}{below}", path(&world))).await.expect(200);
            // What was searched for is shown again.
            let body = seen.body.replace("ana@example.edu\" maxlength", "").replace("ana%40example.edu", "");
            let nobody = body.split("class=\"none\"").next().unwrap();
            assert!(!nobody.contains("@example.edu") && !nobody.contains("%40example"), "{below}: {nobody}");
            if below.contains("example") {
                assert_eq!(names(&seen), [""; 0], "nobody is found by their email");
            }
        }
    }
}

#[tokio::test]
async fn a_name_that_is_an_email_is_shown_without_its_domain() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    let ana = recorded(&world, "Ana", ANA, ANA).await;
    named(&world, "Bo", "bo@campus", BO).await;
    named(&world, "Cy", "@cy.lee", CY).await;
    let browser = Browser::new(&world);
    let seen = browser.get(&path(&world)).await.expect(200);
    let mut shown = names(&seen);
    shown.sort();
    assert_eq!(shown, ["Ana ana", "Bo bo", "Cy @cy.lee"]);
    let report = format!("/{}/report", world.listed_id(&world.page, &ana).await);
    for below in ["", "/rows", "/print", &report] {
        let seen = browser.get(&format!("{}{below}", path(&world))).await.expect(200);
        assert!(!seen.body.contains("@example") && !seen.body.contains("@campus"), "{below}: {}", seen.body);
    }
}

#[tokio::test]
async fn nobody_hears_who_has_paused_and_outsiders_do_not_hear_who_speaks_to_the_institution_only() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    recorded(&world, "Ana", "Lima", ANA).await;
    recorded(&world, "Bo", "Abel", BO).await;
    let id = world.institution.id;
    let (visitor, inside) = (Browser::new(&world), signed_in(&world, id, BO).await);
    let heard = async |browser: &Browser<'_>| sounds(&browser.get(&path(&world)).await.expect(200)).len();
    assert_eq!((heard(&visitor).await, heard(&inside).await), (2, 2));
    assert!(inside.get(&path(&world)).await.body.contains("2 of 2 have recorded their names."));
    let choose = async |audience| {
        audiences::choose(&world.app, &Actor::Operator, person(id, ANA), audience).await.unwrap();
    };
    choose(Audience::Institution).await;
    assert_eq!((heard(&visitor).await, heard(&inside).await), (1, 2));
    invite(&world, CY).await;
    let invited = signed_in(&world, id, CY).await;
    assert_eq!(heard(&invited).await, 1, "whoever is only invited does not belong to the institution");
    for below in ["", "/rows"] {
        let shown = async |browser: &Browser<'_>| browser.get(&format!("{}{below}", path(&world))).await.body;
        assert!(shown(&visitor).await.contains("Sign in to hear this name"), "{below}");
        let (seen, only) = (shown(&invited).await, "Only for people of");
        assert!(seen.contains(only) && !seen.contains("Sign in to hear"), "{below}: {seen}");
    }
    choose(Audience::Paused).await;
    assert_eq!((heard(&visitor).await, heard(&inside).await), (1, 1));
    let silent = inside.get(&format!("{}?show=unrecorded", path(&world))).await.expect(200);
    assert_eq!(names(&silent), ["Ana Lima"], "like somebody without a recording");
    for below in ["", "/print"] {
        let seen = inside.get(&format!("{}{below}", path(&world))).await.expect(200);
        assert!(seen.body.contains("One of 2 has recorded their name."), "{below}: {}", seen.body);
    }
    choose(Audience::Public).await;
    assert_eq!((heard(&visitor).await, heard(&inside).await), (2, 2));
}

#[tokio::test]
async fn outsiders_do_not_see_pictures_that_a_learning_system_has_provided_for_a_course() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    named(&world, "Ana", "Lima", ANA).await;
    let course = world.page("Rhetoric").await;
    let there = json!({ "first_name": "Ana", "last_name": "Lima", "email": ANA });
    let there = world.person_on(&course, there).await;
    let photo = world.give(&there, Kind::Photo, b"a face").await;
    let text = "INSERT INTO course_members (institution_id, course_id, user_id, participant_id, photo) \
                SELECT institution_id, 1, 'x', id, photo FROM participants WHERE photo = $1";
    execute(&world.app.db, text, vec![photo.clone().into()]).await;
    let inside = signed_in(&world, world.institution.id, ANA).await;
    for (browser, is_shown) in [(inside, true), (Browser::new(&world), false)] {
        let seen = browser.get(&path(&world)).await.expect(200);
        assert_eq!(names(&seen), ["Ana Lima"]);
        assert_eq!(seen.body.contains(&photo), is_shown, "{}", seen.body);
    }
}

#[tokio::test]
async fn plays_on_the_page_are_shown_to_their_owner() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    recorded(&world, "Ana", "Lima", ANA).await;
    let visitor = Browser::new(&world);
    let sound = sounds(&visitor.get(&path(&world)).await.expect(200)).remove(0);
    assert_eq!(visitor.file(&sound, &[]).await.0, 200);
    plays::flush(&world.app).await.unwrap();
    let link = sign_in::operator_link(
        &world.app,
        &Actor::Operator,
        world.institution.id,
        ANA,
        Duration::from_secs(600),
        &world.base,
    );
    let ana = Browser::new(&world);
    ana.follow(&link.await.unwrap().0).await.redirects_to("/me");
    let own = ana.get("/me").await.expect(200).body;
    assert!(own.contains("Your name was heard once") && own.contains("A name page"), "{own}");
}

#[tokio::test]
async fn a_long_list_comes_in_parts_and_links_lead_to_them() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    world.crowd(&world.page, 0..120).await;
    let browser = Browser::new(&world);
    let first = browser.get(&path(&world)).await.expect(200);
    assert_eq!(names(&first).len(), 50);
    assert!(
        first.body.contains("data-matching=\"120\"") && first.body.contains("Page 1 of 3"),
        "{}",
        first.body
    );
    assert!(first.body.contains(&format!("rel=\"next\" href=\"{}?page=2\"", path(&world))));
    let mut linked = names(&first);
    let mut streamed = names(&first);
    for (page, after) in [(2, 50), (3, 100)] {
        linked.extend(names(&browser.get(&format!("{}?page={page}", path(&world))).await.expect(200)));
        streamed
            .extend(names(&browser.get(&format!("{}/rows?after={after}", path(&world))).await.expect(200)));
    }
    assert_eq!(linked.len(), 120);
    assert_eq!(linked, streamed);
    linked.sort();
    linked.dedup();
    assert_eq!(linked.len(), 120, "everybody once");
    for beyond in
        ["?page=4", "?page=18446744073709551615", "/rows?after=120", "/rows?after=18446744073709551615"]
    {
        let seen = browser.get(&format!("{}{beyond}", path(&world))).await.expect(200);
        assert_eq!(names(&seen), [""; 0], "{beyond}");
    }
    let printed = browser.get(&format!("{}/print", path(&world))).await.expect(200);
    assert_eq!(printed.body.matches("<tr>").count(), 121, "everybody, and a head");
}

#[tokio::test]
async fn odd_queries_are_harmless() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    named(&world, "Ana", "Lima", ANA).await;
    let browser = Browser::new(&world);
    let long = format!("?q={}", "a+".repeat(3_000));
    for query in [
        "?page=0",
        "?page=-1",
        "?page=x&after=x&letter=&show=",
        "?letter=%00",
        "?letter=%F0%9F%99%82",
        "?q=%00",
        "?q=%25_%27%22%3B--",
        "?q=%ff%fe",
        "?after=-5",
        &long,
    ] {
        for below in ["", "/rows", "/print"] {
            browser.get(&format!("{}{below}{query}", path(&world))).await.expect(200);
        }
    }
    browser.get("/p/there-is-no-such-page/people").await.expect(404);
    browser.get(&format!("/p/{}/people", world.page.access_code)).await.expect(404);
}

#[tokio::test]
async fn the_page_is_private_and_framed_by_the_institutions_own_sites_only() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    named(&world, "Ana", "Lima", ANA).await;
    let browser = Browser::new(&world);
    let header = async |below: &str, name: &str| {
        let seen = browser.get(&format!("{}{below}", path(&world))).await.expect(200);
        seen.headers.get(name).map_or(String::new(), |value| value.to_str().unwrap().to_owned())
    };
    for below in ["", "/rows", "/print"] {
        assert_eq!(header(below, "x-robots-tag").await, "noindex");
        assert_eq!(header(below, "cache-control").await, "no-store");
        assert!(header(below, "content-security-policy").await.contains("frame-ancestors 'none'"));
    }
    let origins = vec!["https://www.example.edu".to_owned()];
    let change = institutions::Change { allow_origins: origins, ..institutions::Change::default() };
    institutions::update(&world.app, &Actor::Operator, &world.institution.slug, change).await.unwrap();
    let policy = header("", "content-security-policy").await;
    assert!(policy.contains("frame-ancestors https://www.example.edu"), "{policy}");
    // In a frame, nothing leads to the pages of managers, which nobody may frame.
    role(&world, BO, Role::Owner, &[]).await;
    let mut manager = signed_in(&world, world.institution.id, BO).await;
    assert!(manager.get(&path(&world)).await.expect(200).body.contains("/moderation\""));
    manager.headers = vec![("sec-fetch-dest", "iframe".to_owned())];
    assert!(!manager.get(&path(&world)).await.expect(200).body.contains("/moderation\""));
}

/// More people than are read for each request.
const MANY: usize = 620;

async fn found(browser: &Browser<'_>, world: &World, search: &str) -> Vec<String> {
    names(&browser.get(&format!("{}?q={search}", path(world))).await.expect(200))
}

#[tokio::test]
async fn changes_of_a_large_page_are_seen_at_once() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    world.crowd(&world.page, 0..MANY).await;
    let browser = Browser::new(&world);
    assert_eq!(found(&browser, &world, "p619").await, ["P619"]);
    // Renamed.
    let renamed = json!({ "name_page_id": world.page.slug, "participant": { "last_name": "Zanzibar" } });
    world.put("/v5/participants/p7@x.org", renamed).await.expect(200);
    assert_eq!(found(&browser, &world, "zanzibar").await, ["P7 Zanzibar"]);
    assert_eq!(found(&browser, &world, "p7+zan").await, ["P7 Zanzibar"]);
    // New.
    named(&world, "Ana", "Lima", ANA).await;
    assert_eq!(found(&browser, &world, "lima").await, ["Ana Lima"]);
    // Gone, and never shown from memory.
    let body = json!({ "name_page_id": world.page.slug });
    world.delete("/v5/participants/p7@x.org", body).await.expect(200);
    assert_eq!(found(&browser, &world, "zanzibar").await, [""; 0]);
    world.advance(Duration::from_secs(10));
    let seen = browser.get(&path(&world)).await.expect(200);
    assert!(seen.body.contains(&format!("data-matching=\"{MANY}\"")), "one new, one gone: {}", seen.body);
    // One has left and another has come: the number is the same.
    world
        .delete(&format!("/v5/participants/{ANA}"), json!({ "name_page_id": world.page.slug }))
        .await
        .expect(200);
    named(&world, "Bo", "Abel", BO).await;
    assert_eq!(found(&browser, &world, "lima").await, [""; 0]);
    assert_eq!(found(&browser, &world, "abel").await, ["Bo Abel"]);
}

#[tokio::test]
async fn a_recording_of_somebody_on_a_large_page_counts_at_once() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    world.crowd(&world.page, 0..MANY).await;
    let browser = Browser::new(&world);
    let silent = async |search: &str| {
        let query = format!("{}?show=unrecorded&q={search}", path(&world));
        names(&browser.get(&query).await.expect(200))
    };
    assert_eq!(silent("p619").await, ["P619"]);
    let recording = json!({ "name_page_id": world.page.slug, "participant": {
        "pronunciation": file(wav(1.0)),
    } });
    world.put("/v5/participants/p619@x.org", recording).await.expect(200);
    assert_eq!(silent("p619").await, [""; 0]);
    let id = world.institution.id;
    let paused = audiences::choose(&world.app, &Actor::Operator, person(id, "p619@x.org"), Audience::Paused);
    paused.await.unwrap();
    assert_eq!(silent("p619").await, ["P619"]);
}

#[tokio::test]
async fn many_listeners_of_a_large_page_see_the_same_while_it_changes() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    world.crowd(&world.page, 0..MANY).await;
    let browsers: Vec<Browser<'_>> = (0..12).map(|_| Browser::new(&world)).collect();
    for round in 0..3 {
        let address = path(&world);
        let all = browsers.iter().map(|browser| browser.get(&address));
        let (name, email) = (format!("Aaa{round}"), format!("new{round}@x.org"));
        let writing = named(&world, "New", &name, &email);
        let (seen, _) = tokio::join!(futures_util::future::join_all(all), writing);
        for one in seen {
            assert_eq!(names(&one.expect(200)).len(), 50);
        }
        let new = found(&browsers[0], &world, &format!("aaa{round}")).await;
        assert_eq!(new, [format!("New Aaa{round}")]);
    }
}

#[tokio::test]
async fn large_pages_of_two_institutions_are_not_mixed_up() {
    let world = World::new().await;
    let there = world.neighbor().await;
    listened_by(&world, Listen::Link).await;
    let change = page_settings::Change { listen: Some(Listen::Link), ..page_settings::Change::default() };
    let theirs = reference(&there.page);
    page_settings::update(&world.app, &Actor::Operator, there.institution.id, &theirs, change).await.unwrap();
    world.crowd(&world.page, 0..MANY).await;
    let now = world.app.clock.now();
    let (db, id) = (&world.app.db, there.institution.id);
    crowd(db, id, there.page.id, 5_000..5_000 + MANY, "", now).await;
    let browser = Browser::new(&world);
    assert_eq!(found(&browser, &world, "p5001").await, [""; 0]);
    let seen = browser.get(&format!("/p/{}/people?q=p5001", there.page.slug)).await.expect(200);
    assert_eq!(names(&seen), ["P5001"]);
    // Who may listen is not remembered.
    execute(db, "UPDATE name_pages SET listen = 'managers' WHERE id = $1", vec![there.page.id.into()]).await;
    browser.get(&format!("/p/{}/people?q=p5001", there.page.slug)).await.expect(303);
}

#[tokio::test]
async fn every_way_to_change_people_changes_the_revision() {
    use endonym::store::rolls::revision;
    let world = World::new().await;
    let (institution, page) = (world.institution.id, world.page.id);
    let current = async || revision(&mut world.app.db.read(), institution, page).await.unwrap();
    let mut last = current().await;
    let mut is_new = async |what: &str| {
        let now = current().await;
        assert_ne!(now, last, "{what}");
        last = now;
    };
    world.person("Ana", ANA).await;
    is_new("creating").await;
    let body = json!({ "name_page_id": world.page.slug, "participant": { "last_name": "Lima" } });
    world.put(&format!("/v5/participants/{ANA}"), body).await.expect(200);
    is_new("renaming").await;
    let paused = audiences::choose(&world.app, &Actor::Operator, person(institution, ANA), Audience::Paused);
    paused.await.unwrap();
    is_new("pausing").await;
    world
        .delete(&format!("/v5/participants/{ANA}"), json!({ "name_page_id": world.page.slug }))
        .await
        .expect(200);
    is_new("deleting").await;
}

#[tokio::test]
async fn the_page_is_in_the_visitors_language() {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    named(&world, "Ana", "Lima", ANA).await;
    for (language, text) in [("de", "Noch nicht aufgenommen"), ("ar", "لا يوجد تسجيل بعد"), ("zh", "尚未录音")]
    {
        let mut browser = Browser::new(&world);
        browser.headers.push(("accept-language", language.to_owned()));
        let seen = browser.get(&path(&world)).await.expect(200);
        assert!(seen.body.contains(text), "{language}: {}", seen.body);
    }
}

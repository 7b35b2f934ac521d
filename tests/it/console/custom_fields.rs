//! `/console/{slug}/custom-fields`, and how people fill them in.

use endonym::{
    app::{
        Actor,
        custom_fields::{self, Change, New},
        page_settings,
    },
    domain::{
        access::Access,
        custom_field::{CustomField, FieldKind, sort_for_pages},
        member::Role,
        name_page::NamePageRef,
        page_settings::{Asking, Register},
    },
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{console, hidden, member_named, member_with};
use crate::{me::Browser, support::World};

const ANA: &str = "ana@example.edu";
const EVIL: &str = "<script>alert(1)</script>\"'";

/// In the order of pages.
async fn fields(world: &World) -> Vec<CustomField> {
    let mut all = custom_fields::all(&world.app, &Access::whole(world.institution.id)).await.unwrap();
    sort_for_pages(&mut all);
    all
}

async fn field(world: &World, name: &str) -> CustomField {
    fields(world).await.into_iter().find(|field| field.name == name).unwrap()
}

async fn names(world: &World) -> Vec<String> {
    fields(world).await.into_iter().map(|field| field.name).collect()
}

fn choice(name: &str, kind: FieldKind, options: &[&str]) -> New {
    New {
        name: name.into(),
        label: Some(format!("{name} <i>")),
        editable: true,
        kind,
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        asked: Asking::Optional,
        on_badge: false,
    }
}

#[tokio::test]
async fn a_field_is_created_changed_put_in_order_and_deleted() {
    let world = World::new().await;
    let admin = member_with(&world, Role::Admin, &[]).await;
    let path = console(&world, "/custom-fields");
    let empty = admin.get(&path).await.expect(200).body;
    assert!(empty.contains("There are no custom fields yet."), "{empty}");
    let wrong =
        [("label", ""), ("name", "2nd"), ("kind", "choice"), ("options", "a; b"), ("edited_by", "staff")];
    let refused = admin.post(&path, &wrong).await.expect(422).body;
    for part in [
        "id=\"label-fault\"",
        "id=\"name-fault\"",
        "id=\"options-fault\"",
        "value=\"2nd\"",
        "a; b</textarea>",
    ] {
        assert!(refused.contains(part), "{part} in {refused}");
    }
    assert!(refused.contains("<option value=\"choice\" selected>"), "{refused}");
    let reserved = admin.post(&path, &[("label", "Email"), ("name", "email")]).await.expect(422).body;
    assert!(reserved.contains("Everybody already has a field"), "{reserved}");

    let made = [
        ("label", EVIL),
        ("name", "voice"),
        ("kind", "choice"),
        ("options", "Alto\r\n\r\nTenor\r\nAlto"),
        ("edited_by", "person"),
        ("asked", "required"),
        ("on_badge", "1"),
    ];
    admin.post(&path, &made).await.redirects_to(&format!("{path}?done=created"));
    let voice = field(&world, "voice").await;
    assert_eq!((voice.kind, voice.editable, voice.asked), (FieldKind::Choice, true, Asking::Required));
    assert!(voice.on_badge && voice.options == ["Alto", "Tenor"], "{voice:?}");
    admin.post(&path, &[("label", "Again"), ("name", "voice")]).await.expect(422);
    world.custom_field("degree").await;
    let list = admin.get(&path).await.expect(200).body;
    assert!(!list.contains("<script>alert") && list.contains("One choice"), "{list}");

    assert_eq!(names(&world).await, ["degree", "voice"]);
    admin.post(&format!("{path}/voice/move"), &[("direction", "up")]).await.redirects_to(&path);
    assert_eq!(names(&world).await, ["voice", "degree"]);
    admin.post(&format!("{path}/voice/move"), &[("direction", "up")]).await.expect(303);
    assert_eq!(names(&world).await, ["voice", "degree"], "it is the first one already");
    admin.post(&format!("{path}/voice/move"), &[("direction", "down")]).await.expect(303);
    assert_eq!(names(&world).await, ["degree", "voice"]);
    world.custom_field("a_new_one").await;
    assert_eq!(names(&world).await, ["degree", "voice", "a_new_one"]);

    let one = format!("{path}/voice");
    let shown = admin.get(&one).await.expect(200).body;
    assert!(!shown.contains("<script>alert") && shown.contains("Alto\nTenor</textarea>"), "{shown}");
    let version = hidden(&shown, "version").to_owned();
    let change = |label: &'static str, kind: &'static str| {
        [("label", label), ("kind", kind), ("options", "Bass"), ("edited_by", "staff"), ("asked", "off")]
    };
    let with = |fields: [(&'static str, &'static str); 5], version: &str| {
        let mut fields: Vec<(&str, String)> =
            fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        fields.push(("version", version.to_owned()));
        fields
    };
    let send = async |fields: Vec<(&str, String)>| {
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        admin.post(&one, &fields).await
    };
    send(with(change("Voices", "choices"), &version)).await.redirects_to(&format!("{one}?done=saved"));
    let changed = field(&world, "voice").await;
    assert_eq!((changed.label.as_str(), changed.kind), ("Voices", FieldKind::Choices));
    assert_eq!((changed.editable, changed.asked, changed.options), (false, Asking::Off, vec!["Bass".into()]));
    assert!(!changed.on_badge, "it was not ticked");
    let late = send(with(change("Mine", "text"), &version)).await.expect(409).body;
    assert!(late.contains("value=\"Mine\"") && late.contains("Stored now: <bdi>Voices</bdi>"), "{late}");
    assert_eq!(field(&world, "voice").await.label, "Voices");
    admin.get(&format!("{path}/nothing")).await.expect(404);

    let body = json!({ "first_name": "Ana", "email": ANA, "custom_fields": { "custom_voice": "Bass" } });
    world.person_on(&world.page, body).await;
    let delete = format!("{one}/delete");
    let asked = admin.get(&delete).await.expect(200).body.replace(['\u{2068}', '\u{2069}'], "");
    assert!(asked.contains("People who have a value: 1"), "{asked}");
    admin.post(&delete, &[("typed", "Voices")]).await.expect(422);
    assert_eq!(names(&world).await.len(), 3);
    admin.post(&delete, &[("typed", "voice")]).await.redirects_to(&format!("{path}?done=deleted"));
    assert_eq!(names(&world).await, ["degree", "a_new_one"]);
}

#[tokio::test]
async fn only_admins_of_the_institution_define_fields() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let path = console(&world, "/custom-fields");
    let there = world.neighbor().await;
    let manager = member_with(&world, Role::Manager, &[&world.page]).await;
    let stranger = member_named(&world, &there.institution, "stranger@example.edu", Role::Owner, &[]).await;
    manager.get(&console(&world, "/name-pages")).await.expect(200);
    for (method, below) in [
        (Method::GET, ""),
        (Method::POST, ""),
        (Method::GET, "/degree"),
        (Method::POST, "/degree"),
        (Method::POST, "/degree/move"),
        (Method::POST, "/degree/pages"),
        (Method::GET, "/degree/delete"),
        (Method::POST, "/degree/delete"),
    ] {
        for (browser, status) in [(&manager, 403), (&stranger, 404)] {
            let path = format!("{path}{below}");
            let seen = match method {
                Method::GET => browser.get(&path).await,
                _ => browser.post(&path, &[("typed", "degree"), ("direction", "up")]).await,
            };
            seen.expect(status);
        }
    }
    let owner = format!("/console/{}/custom-fields", there.institution.slug);
    stranger.get(&owner).await.expect(200);
    stranger.get(&format!("{owner}/degree")).await.expect(404);
    stranger.post(&format!("{owner}/degree/delete"), &[("typed", "degree")]).await.expect(404);
    assert_eq!(names(&world).await, ["degree"]);
}

#[tokio::test]
async fn a_field_says_on_which_pages_it_is_asked_for() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let (admin, there) = (member_with(&world, Role::Admin, &[]).await, world.neighbor().await);
    let path = console(&world, "/custom-fields/degree");
    admin.get(&path).await.expect(200);
    let on = async |page: &str, how: &str| {
        admin.post(&format!("{path}/pages"), &[("name_page", page), ("how", how)]).await
    };
    on(&world.page.slug, "required").await.redirects_to(&format!("{path}?done=page"));
    let settings = async || {
        let found = page_settings::find(&world.app, world.institution.id, world.page.id).await.unwrap();
        found.asked.custom.get("degree").copied()
    };
    assert_eq!(settings().await, Some(Asking::Required));
    let shown = admin.get(&path).await.expect(200).body;
    assert!(shown.contains("Class of 2027</bdi></a> <span class=\"state\">Required</span>"), "{shown}");
    on(&world.page.slug, "default").await.expect(303);
    assert_eq!(settings().await, None);
    for unknown in ["", "nowhere<b>", &there.page.slug] {
        let refused = on(unknown, "optional").await.expect(422).body;
        assert!(refused.contains("There is no such name page."), "{refused}");
        assert!(!refused.contains("nowhere<b>"), "{refused}");
    }
}

/// A page on which everybody may register, and which asks for one field of each kind.
async fn asking_world() -> World {
    let world = World::new().await;
    let open = page_settings::Change { register: Some(Register::Open), ..Default::default() };
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    page_settings::update(&world.app, &Actor::Operator, world.institution.id, &page, open).await.unwrap();
    for new in [
        choice("a_text", FieldKind::Text, &[]),
        choice("b_long", FieldKind::LongText, &[]),
        choice("c_one", FieldKind::Choice, &["Alto", EVIL]),
        choice("d_some", FieldKind::Choices, &["Alto", "Tenor", EVIL]),
        New { asked: Asking::Required, ..choice("e_yes", FieldKind::YesNo, &[]) },
    ] {
        world.new_custom_field(new).await;
    }
    world
}

async fn values(world: &World) -> Value {
    let path = format!("/v4/name_pages/{}/participants/{ANA}?include=custom_attributes", world.page.slug);
    world.get(&path).await.expect(200)["participant"]["custom_objects"].clone()
}

#[tokio::test]
async fn people_get_the_right_input_for_each_kind_and_it_is_checked() {
    let world = asking_world().await;
    let browser = Browser::new(&world);
    let slug = world.page.slug.clone();
    let form = format!("/p/{slug}/register");
    browser.prove(&world, &slug, ANA, None).await.redirects_to(&form);
    let page = browser.get(&form).await.expect(200).body;
    for part in [
        "<bdi>a_text &#60;i&#62;</bdi>",
        "<textarea id=\"field-2\" name=\"custom_b_long\"",
        "<select id=\"field-3\" name=\"custom_c_one\"",
        "<option value=\"Alto\">Alto</option>",
        "<input type=\"hidden\" name=\"custom_d_some\" value=\"\">",
        "<input type=\"checkbox\" id=\"field-4-2\" name=\"custom_d_some\" value=\"Tenor\">",
        "<select id=\"field-5\" name=\"custom_e_yes\" required>",
        "<option value=\"yes\">Yes</option>",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(!page.contains("<script>alert"), "{page}");

    let wrong = [
        ("first_name", "Ana"),
        ("custom_b_long", "Two\r\nlines"),
        ("custom_c_one", "Bass"),
        ("custom_d_some", ""),
        ("custom_d_some", "Tenor"),
        ("custom_d_some", "Baritone"),
    ];
    let refused = browser.post(&form, &wrong).await.expect(422).body;
    for part in [
        "id=\"field-3-fault\">Please choose one of the answers.",
        "id=\"field-4-fault\">Please choose one of the answers.",
        "id=\"field-5-fault\">Please choose one of the answers.",
        "Two\nlines</textarea>",
        "value=\"Tenor\" checked>",
    ] {
        assert!(refused.contains(part), "{part} in {refused}");
    }
    let right = [
        ("first_name", "Ana"),
        ("custom_b_long", "Two\r\nlines"),
        ("custom_c_one", EVIL),
        ("custom_d_some", ""),
        ("custom_d_some", "Tenor"),
        ("custom_d_some", "Alto"),
        ("custom_e_yes", "yes"),
    ];
    browser.post(&form, &right).await.redirects_to(&format!("/p/{slug}/own?done=registered"));
    let wanted = json!({ "a_text": null, "b_long": "Two\nlines", "c_one": EVIL, "d_some": "Alto; Tenor", "e_yes": "yes" });
    let stored = values(&world).await;
    for name in ["b_long", "c_one", "d_some", "e_yes"] {
        assert_eq!(stored[name], wanted[name], "{stored}");
    }

    // On the entry of the page, and on the person's own page.
    let own = browser.get(&format!("/p/{slug}/own")).await.expect(200).body;
    assert!(own.contains("value=\"Alto\" checked>") && !own.contains("<script>alert"), "{own}");
    let details = format!("/p/{slug}/own/details");
    browser.post(&details, &[("custom_d_some", "")]).await.expect(303);
    assert!(values(&world).await.get("d_some").is_none_or(Value::is_null), "nothing is ticked");
    browser.post(&details, &[("custom_e_yes", "maybe")]).await.expect(422);
    let me = browser.get("/me").await.expect(200).body;
    assert!(me.contains("name=\"custom_d_some\" value=\"Tenor\">") && !me.contains("<script>alert"), "{me}");
    let fields = [("page", slug.as_str()), ("custom_d_some", ""), ("custom_d_some", "Tenor")];
    browser.post("/me/details", &fields).await.expect(303);
    assert_eq!(values(&world).await["d_some"], "Tenor");
    let refused = browser.post("/me/details", &[("page", slug.as_str()), ("custom_c_one", "Bass")]).await;
    let refused = refused.expect(422).body;
    assert!(
        refused.contains("Please choose one of the answers.") && refused.contains("value=\"Bass\" selected")
    );
}

/// What clients of the API write is accepted as before, and not lost when the person saves something else.
#[tokio::test]
async fn clients_write_any_text_and_people_keep_it() {
    let world = asking_world().await;
    let strange =
        json!({ "custom_c_one": "Countertenor", "custom_d_some": "Bass;Alto", "custom_e_yes": "TRUE" });
    let ana = json!({ "first_name": "Ana", "email": ANA, "custom_fields": strange });
    world.person_on(&world.page, ana).await;
    let browser = Browser::new(&world);
    let slug = world.page.slug.clone();
    browser.prove(&world, &slug, ANA, None).await.expect(200);
    let own = browser.get(&format!("/p/{slug}/own")).await.expect(200).body;
    for part in [
        "<option value=\"Countertenor\" selected>",
        "value=\"Bass\" checked>",
        "value=\"Alto\" checked>",
        "<option value=\"TRUE\" selected>",
    ] {
        assert!(own.contains(part), "{part} in {own}");
    }
    let same = [
        ("custom_a_text", "new"),
        ("custom_c_one", "Countertenor"),
        ("custom_d_some", ""),
        ("custom_d_some", "Alto"),
        ("custom_d_some", "Bass"),
        ("custom_e_yes", "TRUE"),
    ];
    browser.post(&format!("/p/{slug}/own/details"), &same).await.expect(303);
    let stored = values(&world).await;
    assert_eq!((&stored["a_text"], &stored["c_one"]), (&json!("new"), &json!("Countertenor")));
    assert_eq!((&stored["d_some"], &stored["e_yes"]), (&json!("Alto; Bass"), &json!("TRUE")));
    let body =
        json!({ "name_page_id": slug, "participant": { "custom_fields": { "custom_e_yes": "perhaps" } } });
    world.put(&format!("/v5/participants/{ANA}"), body).await.expect(200);
    assert_eq!(values(&world).await["e_yes"], "perhaps");
}

/// The bytes of answers in all versions.
async fn answers(world: &World) -> Vec<String> {
    let (slug, code, token) = (&world.page.slug, &world.page.access_code, &world.token);
    let mut all = Vec::new();
    for path in [
        "/v5/participants?include=custom_attributes".to_owned(),
        format!("/v5/participants?email_list={ANA}&include=custom_attributes"),
        "/v4/participants?include=custom_attributes".to_owned(),
        format!("/v4/name_pages/{slug}/participants/{ANA}?include=custom_attributes"),
        format!("/v3/names?access_code={code}&include_extended_attributes=true&auth_token={token}"),
        format!("/v2/names?access_code={code}"),
    ] {
        let request = match path.starts_with("/v3") || path.starts_with("/v2") {
            true => world.request_without_token(Method::GET, &path),
            false => world.request(Method::GET, &path),
        };
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        all.push(answer.text().await.unwrap());
    }
    all
}

#[tokio::test]
async fn the_answers_of_all_versions_are_the_same_bytes_whatever_the_kind_and_order() {
    let world = World::new().await;
    crate::v2::open(&world, &world.page).await;
    for name in ["a_field", "b_field", "gender_pronouns"] {
        world.custom_field(name).await;
    }
    let custom = json!({ "custom_a_field": "Alto; Tenor", "custom_b_field": "yes", "custom_gender_pronouns": "she/her" });
    world.person_on(&world.page, json!({ "first_name": "Ana", "email": ANA, "custom_fields": custom })).await;
    let before = answers(&world).await;
    assert!(before[0].contains("Alto; Tenor"), "{}", before[0]);
    let (app, id, operator) = (&world.app, world.institution.id, &Actor::Operator);
    let choices = Change {
        kind: Some(FieldKind::Choices),
        options: Some(vec!["Alto".into(), "Tenor".into()]),
        asked: Some(Asking::Required),
        editable: Some(true),
        ..Change::default()
    };
    custom_fields::update(app, operator, id, "a_field".into(), choices).await.unwrap();
    let yes_no = Change { kind: Some(FieldKind::YesNo), ..Change::default() };
    custom_fields::update(app, operator, id, "b_field".into(), yes_no).await.unwrap();
    let down = custom_fields::Direction::Down;
    custom_fields::reorder(app, operator, id, "gender_pronouns".into(), down).await.unwrap();
    assert_eq!(names(&world).await, ["a_field", "gender_pronouns", "b_field"]);
    assert_eq!(answers(&world).await, before);
}

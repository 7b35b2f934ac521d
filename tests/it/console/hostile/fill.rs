//! Fills every field that somebody outside can fill: through the API, forms, a directory, a file, or what another server answers.

use endonym::{
    app::{
        Actor, consents, custom_fields, imports, institutions, mail_texts, name_pages, page_settings, scim,
        sso, tokens, tool_consumers,
    },
    domain::{
        custom_field::FieldKind,
        email::Email,
        language::Language,
        mail_text::PageMailKind,
        media::Kind,
        member::Role,
        name_page::NamePageRef,
        page_settings::{Listen, Register},
        phone_number::PhoneNumber,
        tool_consumer::{LmsKind, Registration, ToolConsumer},
    },
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{super::set, ANA};
use crate::{
    me::Browser,
    pages::SOUND,
    scim::Directory,
    support::{Answer, World, database::execute, html::EVIL},
};

/// The fields that are filled, each with a mark of its own. What a page shows has the mark.
#[derive(Default)]
pub struct Table(pub Vec<&'static str>);

pub fn mark(number: usize) -> String {
    format!("zq{number}z")
}

pub fn is_typed(text: &str) -> bool {
    text.contains("zq")
}

impl Table {
    /// The mark of another field.
    pub fn mark(&mut self, field: &'static str) -> String {
        self.0.push(field);
        mark(self.0.len() - 1)
    }

    /// The hostile value of another field.
    pub fn evil(&mut self, field: &'static str) -> String {
        format!("{}{EVIL}", self.mark(field))
    }
}

/// A field that takes no such value.
fn refused(field: &str, is_refused: bool) {
    assert!(is_refused, "{field} was to be refused. If it takes such a value now, it belongs in the table");
}

fn javascript() -> String {
    "javascript:alert(1)".to_owned()
}

/// The institution, a name page, texts and custom fields.
pub async fn institution(world: &World, table: &mut Table) {
    let (app, operator, id) = (&world.app, &Actor::Operator, world.institution.id);
    let update = async |change| institutions::update(app, operator, &world.institution.slug, change).await;
    let name = Some(table.evil("the name of the institution"));
    update(institutions::Change { name, ..Default::default() }).await.unwrap();
    for (field, change) in [
        ("time zone", institutions::Change { time_zone: Some(EVIL.into()), ..Default::default() }),
        ("language", institutions::Change { language: Some(EVIL.into()), ..Default::default() }),
        ("phone language", institutions::Change { phone_language: Some(EVIL.into()), ..Default::default() }),
        ("origin", institutions::Change { allow_origins: vec![javascript()], ..Default::default() }),
        (
            "origin",
            institutions::Change {
                allow_origins: vec![format!("https://a.example{EVIL}")],
                ..Default::default()
            },
        ),
    ] {
        refused(field, update(change).await.is_err());
    }
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    let change = page_settings::Change {
        title: Some(table.evil("the title of a name page")),
        description: Some(table.evil("the description of a name page")),
        register: Some(Register::Open),
        listen: Some(Listen::Link),
        ..Default::default()
    };
    page_settings::update(app, operator, id, &page, change).await.unwrap();
    for (field, change) in [
        ("date", page_settings::Change { date: Some(EVIL.into()), ..Default::default() }),
        ("closing time", page_settings::Change { closes: Some(EVIL.into()), ..Default::default() }),
        ("domains", page_settings::Change { domains: Some(vec![EVIL.into()]), ..Default::default() }),
    ] {
        refused(field, page_settings::update(app, operator, id, &page, change).await.is_err());
    }
    let new =
        name_pages::New { title: "X".into(), slug: Some(EVIL.into()), access_code: None, allow_v2: false };
    refused("slug", name_pages::create(app, operator, id, new).await.is_err());

    let text = table.evil("the consent text");
    consents::set(app, operator, id, Language::English, &text).await.unwrap();
    // Braces are for placeholders.
    let plain = EVIL.replace(['{', '}'], "");
    let subject = format!("{}{plain}", table.mark("the subject of a page mail"));
    let text = format!("{}{plain}\n\n{{link}}", table.mark("the text of a page mail"));
    let (kind, language) = (PageMailKind::Invitation, Language::English);
    mail_texts::set(app, operator, id, kind, language, &subject, &text).await.unwrap();
    refused(
        "placeholder",
        mail_texts::set(app, operator, id, kind, language, "{x}", "{link}").await.is_err(),
    );

    let voice = custom_fields::New {
        name: "voice".into(),
        label: Some(table.evil("the label of a custom field")),
        editable: true,
        ..Default::default()
    };
    world.new_custom_field(voice).await;
    let section = custom_fields::New {
        name: "section".into(),
        kind: FieldKind::Choice,
        options: vec![table.evil("an option of a custom field"), "Other".into()],
        editable: true,
        ..Default::default()
    };
    world.new_custom_field(section).await;
    let named = custom_fields::New { name: EVIL.into(), ..Default::default() };
    refused("name of a custom field", custom_fields::create(app, operator, id, named).await.is_err());
}

/// People through the API, a directory and a file. Ana owns the institution, too.
pub async fn people(world: &World, table: &mut Table) -> Value {
    let (app, operator, id) = (&world.app, &Actor::Operator, world.institution.id);
    let mut full = json!({ "email": ANA });
    for (key, field) in [
        ("first_name", "a first name"),
        ("last_name", "a last name"),
        ("phonetic", "a phonetic spelling"),
        ("notes", "notes"),
        ("institution_id", "an identifier"),
        ("legal_first_name", "a legal first name"),
        ("legal_middle_name", "a legal middle name"),
        ("legal_last_name", "a legal last name"),
        ("legal_phonetic", "a legal phonetic spelling"),
        ("legal_notes", "legal notes"),
    ] {
        full[key] = table.evil(field).into();
    }
    full["custom_fields"] = json!({ "custom_voice": table.evil("the value of a custom field") });
    let notes = full["notes"].as_str().unwrap().to_owned();
    let ana = world.person_on(&world.page, full).await;
    world.give(&ana, Kind::Recording, SOUND).await;
    for (key, value) in [("email", format!("{EVIL}@example.edu")), ("phone_number", EVIL.to_owned())] {
        let person = json!({ "first_name": "X", "email": "x@example.edu", key: value });
        let body = json!({ "name_page_id": world.page.slug, "participant": person });
        refused(key, world.post("/v5/participants", body).await.status == 422);
    }
    refused("number on the do-not-call list", PhoneNumber::parse(EVIL).is_none());

    // Of this token, people read in their list of changes.
    let name = table.evil("the name of a token");
    let (_, token) = tokens::create(app, operator, id, name, None).await.unwrap();
    let change =
        json!({ "name_page_id": world.page.slug, "participant": { "notes": format!("{notes} again") } });
    let changed = world.request_as(&token, Method::PUT, &format!("/v5/participants/{ANA}")).json(&change);
    Answer::of(changed).await.expect(200);

    let directory = Directory::new(world).await;
    let (given, family) = (table.evil("a given name of a directory"), table.evil("a family name"));
    let user = directory.user(&given, &family, "scim@example.edu").await;
    let group = directory.group(&table.evil("the name of a group of a directory"), &[&user]).await;
    directory.map_to(&group, &world.page).await;
    let name = table.evil("the name of a directory");
    let new = scim::connections::New { name, pages_from_groups: false };
    scim::connections::create(app, operator, id, new).await.unwrap();

    let (file, place) = (b"Email,First name\nx@example.edu,X\n".to_vec(), (id, world.page.id));
    let name = table.evil("the name of a file");
    imports::upload(app, operator, place, &name, file).await.unwrap().unwrap();

    // Quotes and references are valid in addresses, tags are not.
    refused("email of a member", Email::parse(&format!("{EVIL}@example.edu")).is_none());
    let email = format!("{}'onerror='x&#62{{{{7*7}}}}@example.edu", table.mark("the email of a member"));
    set(world, &world.institution, &email, Role::Reader, &[&world.page]).await;
    let email = format!("{}'onerror='x&#62@example.edu", table.mark("an email that mail does not reach"));
    let answer = table.evil("the answer of a mail server");
    let bounce =
        "INSERT INTO mail_bounces (institution_id, email_key, answer, bounced_at) VALUES ($1, $2, $3, 1)";
    execute(&app.db, bounce, vec![id.into(), email.into(), answer.into()]).await;
    let email = format!("{}'onerror='x&#62@example.edu", table.mark("an email that wants no mail"));
    let opt_out = "INSERT INTO mail_opt_outs (institution_id, email_key, created_at) VALUES ($1, $2, 1)";
    execute(&app.db, opt_out, vec![id.into(), email.into()]).await;
    let answer = table.evil("the last answer of a mail server");
    let message = "INSERT INTO outbox (institution_id, id, message, email, email_key, state, attempts, answer, created_at, \
         changed_at, expires_at) VALUES ($1, 1, '{\"kind\":\"test\"}', 'x@example.edu', 'x@example.edu', 'failed', 1, $2, 1, 1, 1)";
    execute(&app.db, message, vec![id.into(), answer.into()]).await;
    ana
}

/// Single sign-on and learning systems.
pub async fn systems(world: &World, table: &mut Table) -> [ToolConsumer; 2] {
    let (app, operator, id) = (&world.app, &Actor::Operator, world.institution.id);
    let provider = |issuer: String, name: String, client_id: String| sso::New {
        name: Some(name),
        issuer,
        client_id,
        client_secret: "secret".into(),
        domains: Vec::new(),
        tenant: None,
        any_account: true,
        trusts_unverified_email: false,
        scopes: Vec::new(),
    };
    let nowhere = "http://127.0.0.1:9".to_owned();
    let (name, client) = (table.evil("the name of single sign-on"), table.evil("a client id"));
    let made = sso::create(app, operator, id, provider(nowhere.clone(), name, client)).await.unwrap();
    let wrong = provider(javascript(), "X".into(), "x".into());
    refused("issuer", sso::create(app, operator, id, wrong).await.is_err());
    let wrong = sso::New { domains: vec![EVIL.into()], ..provider(nowhere.clone(), "X".into(), "x".into()) };
    refused("domain of single sign-on", sso::create(app, operator, id, wrong).await.is_err());
    let group = table.evil("a group of single sign-on");
    sso::map_group(app, operator, made.id, &group, Role::Reader, Vec::new(), None).await.unwrap();
    let claim = table.evil("the claim with groups");
    sso::set_groups_claim(app, operator, made.id, &claim, None).await.unwrap();

    let system = |kind, name: String, lti| tool_consumers::New {
        name,
        kind,
        url: "http://127.0.0.1:9".to_owned(),
        product: None,
        roles: vec![endonym::domain::roster::Role::Student],
        access_token: (kind == LmsKind::Canvas).then(|| "secret".to_owned()),
        lti,
    };
    let name = table.evil("the name of a learning system");
    let canvas = tool_consumers::create(app, operator, id, system(LmsKind::Canvas, name, None)).await;
    let canvas = canvas.unwrap().0;
    let address = || "http://127.0.0.1:9/x".to_owned();
    let registration = Registration {
        client_id: table.evil("the client id of a platform"),
        deployments: vec![table.evil("a deployment of a platform")],
        auth_url: address(),
        token_url: address(),
        token_audience: None,
        jwks_url: address(),
        frame_ancestors: vec!["https://lms.example".into()],
    };
    for (field, lti) in [
        ("sign-in URL", Registration { auth_url: javascript(), ..registration.clone() }),
        ("token URL", Registration { token_url: javascript(), ..registration.clone() }),
        ("key URL", Registration { jwks_url: javascript(), ..registration.clone() }),
        ("site with frames", Registration { frame_ancestors: vec![javascript()], ..registration.clone() }),
    ] {
        let wrong = system(LmsKind::Lti, "X".into(), Some(lti));
        refused(field, tool_consumers::create(app, operator, id, wrong).await.is_err());
    }
    let wrong = tool_consumers::New { url: javascript(), ..system(LmsKind::Canvas, "X".to_owned(), None) };
    refused("URL of a learning system", tool_consumers::create(app, operator, id, wrong).await.is_err());
    let name = table.evil("the name of a platform");
    let platform = system(LmsKind::Lti, name, Some(registration));
    let platform = tool_consumers::create(app, operator, id, platform).await.unwrap().0;
    let [title, error, note] = ["the title of a course", "the error of a course", "the note of a course"]
        .map(|field| table.evil(field));
    let course = "INSERT INTO courses (institution_id, id, tool_consumer_id, external_id, title, name_page_id, error, note, created_at) \
         VALUES ($1, 1, $2, '101', $3, 1, $4, $5, 0)";
    let values = vec![id.into(), canvas.id.into(), title.into(), error.into(), note.into()];
    execute(&app.db, course, values).await;
    [canvas, platform]
}

/// Listeners report two recordings; a manager removes one, with a reason.
pub async fn moderation(world: &World, table: &mut Table, owner: &Browser<'_>) {
    let sentence = table.evil("the sentence of a listener");
    for (email, sentence) in [("bo@example.edu", "It is not Bo."), ("cy@example.edu", sentence.as_str())] {
        let person = world.person("Bo", email).await;
        world.give(&person, Kind::Recording, SOUND).await;
        let visitor = Browser::new(world);
        let id = world.listed_id(&world.page, &person).await;
        let path = format!("/p/{}/people/{id}/report", world.page.slug);
        visitor.get(&path).await.expect(200);
        visitor.post(&path, &[("complaint", "offensive"), ("sentence", sentence)]).await.expect(303);
    }
    let text = "SELECT m.id FROM moderation m JOIN participants p ON p.institution_id = m.institution_id \
                AND p.id = m.participant_id WHERE p.email_key = 'bo@example.edu'";
    let case = world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap();
    owner.get("/console/example/moderation").await.expect(200);
    let reason = table.evil("the reason of a manager");
    let fields = [("decision", "remove"), ("reason", reason.as_str())];
    owner.post(&format!("/console/example/moderation/{case}"), &fields).await.expect(303);
}

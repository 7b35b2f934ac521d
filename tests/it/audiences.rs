//! Who may hear a person: what each audience does to every endpoint, on all of the person's pages.

use endonym::{
    app::{
        Actor, audiences, institutions, media, moderation, name_pages, own_recordings::Sharing,
        page_settings, participants, sessions,
    },
    blobs::{Key, Shelf},
    domain::{
        audience::Audience,
        ids::ParticipantId,
        media::Kind,
        moderation::Complaint,
        name_page::NamePageRef,
        page_settings::Listen,
        session::{How, PersonId},
    },
    store::{self, participants::hidden, rolls},
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    name_pages::people::listened_by,
    own_recordings::record,
    support::{Answer, Setup, World, database::execute, until},
};

const SOUND: &[u8] = include_bytes!("pages/fixtures/sound.mp3");

fn ana(world: &World) -> PersonId {
    PersonId { institution: world.institution.id, email_key: "ana@example.edu".into() }
}

async fn choose(world: &World, audience: Audience) {
    audiences::choose(&world.app, &Actor::Operator, ana(world), audience).await.unwrap();
}

fn path_of(link: &Value) -> String {
    let link = link.as_str().unwrap();
    link[link.find("//").unwrap() + 2..].split_once('/').map(|(_, path)| format!("/{path}")).unwrap()
}

async fn status(world: &World, path: &str) -> u16 {
    let client =
        reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    client.get(format!("{}{path}", world.base)).send().await.unwrap().status().as_u16()
}

async fn shown(world: &World) -> Value {
    world.get("/v4/participants/ana@example.edu").await.expect(200)["participant"].clone()
}

/// Everything would be permitted otherwise.
#[tokio::test]
async fn while_it_cannot_be_read_what_is_permitted_nobody_becomes_public() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    execute(&world.app.db, "UPDATE institutions SET audiences = 'x'", Vec::new()).await;
    let chosen = audiences::choose(&world.app, &Actor::Operator, ana(&world), Audience::Public).await;
    assert!(chosen.is_err(), "{chosen:?}");
}

#[tokio::test]
async fn a_paused_recording_is_dead_everywhere_at_once_and_comes_back_unchanged() {
    let world = World::new().await;
    let other = world.page("Choir").await;
    let person = world.person("Ana", "ana@example.edu").await;
    let elsewhere = world.person_on(&other, json!({ "first_name": "Ana", "email": "ana@example.edu" })).await;
    world.give(&person, Kind::Recording, SOUND).await;
    world.give(&elsewhere, Kind::Recording, SOUND).await;
    let before = shown(&world).await;
    let sound = path_of(&before["recording_link"]);
    assert_eq!(status(&world, &sound).await, 200);

    choose(&world, Audience::Paused).await;
    assert_eq!(status(&world, &sound).await, 404, "the link is dead");
    let paused = shown(&world).await;
    assert_eq!(paused["recording_link"], Value::Null);
    for path in [
        "/v5/participants/latest?email_list=ana@example.edu",
        "/v5/participants",
        "/v4/participants?include=embeddables",
        "/v4/participants/ana@example.edu",
    ] {
        let body = world.get(path).await.expect(200);
        assert!(!body.to_string().contains("/audio/"), "{path}: {body}");
    }
    let search = json!({ "identifiers": [{ "email": "ana@example.edu", "institution_id": null }] });
    let found = world.post("/v5/pronunciations/search", search).await.expect(200);
    assert!(!found.to_string().contains(".mp3"), "{found}");
    let badge = path_of(&person["name_badge_link"]);
    for path in [badge.clone(), format!("{badge}.vcf")] {
        assert_eq!(status(&world, &path).await, 404, "who has paused has no badge: {path}");
    }

    choose(&world, Audience::Public).await;
    let after = shown(&world).await;
    assert_eq!(status(&world, &sound).await, 200, "the same link works again");
    assert_eq!(after, before);
}

#[tokio::test]
async fn what_is_recorded_while_paused_is_kept_and_heard_by_nobody() {
    let world = World::new().await;
    let person = world.person("Ana", "ana@example.edu").await;
    choose(&world, Audience::Paused).await;
    record(&world, &person, 440.0, Sharing::All).await;
    assert_eq!(shown(&world).await["recording_link"], Value::Null);
    // A registration on another page starts with the person's recording, and it is paused too.
    let page = world.page("Choir").await;
    let new = world.person_on(&page, json!({ "first_name": "Ana", "email": "ana@example.edu" })).await;
    assert_eq!(new["recording_link"], Value::Null);
    assert_eq!(all_links(&world).await, [Value::Null, Value::Null]);
    choose(&world, Audience::Institution).await;
    for link in all_links(&world).await {
        assert_eq!(status(&world, &path_of(&link)).await, 200, "{link}");
    }
}

async fn all_links(world: &World) -> [Value; 2] {
    let listed = world.get("/v4/participants").await.expect(200);
    let people = listed["participants"].as_array().unwrap();
    assert_eq!(people.len(), 2);
    [people[0]["recording_link"].clone(), people[1]["recording_link"].clone()]
}

#[tokio::test]
async fn a_registration_without_an_email_is_paused_with_its_person() {
    let world = World::new().await;
    let other = world.page("Choir").await;
    let person = world
        .person_on(
            &world.page,
            json!({ "first_name": "Ana", "email": "ana@example.edu", "institution_id": "A1" }),
        )
        .await;
    let draft = json!({ "first_name": "Ana", "email": "same@example.edu" });
    let unnamed = world.person_on(&other, draft).await;
    let text = "UPDATE participants SET email = NULL, email_key = NULL, identifier = 'A1', identifier_key = 'A1' \
                WHERE email_key = 'same@example.edu'";
    execute(&world.app.db, text, Vec::new()).await;
    record(&world, &person, 440.0, Sharing::All).await;
    choose(&world, Audience::Paused).await;
    assert_eq!(all_links(&world).await, [Value::Null, Value::Null]);
    // Another recording, on the page where they have no email.
    record(&world, &unnamed, 550.0, Sharing::All).await;
    assert_eq!(all_links(&world).await, [Value::Null, Value::Null]);
    choose(&world, Audience::Public).await;
    for link in all_links(&world).await {
        assert_eq!(status(&world, &path_of(&link)).await, 200, "{link}");
    }
}

#[tokio::test]
async fn a_registration_without_an_email_that_comes_after_the_pause_is_paused_too() {
    let world = World::new().await;
    let other = world.page("Choir").await;
    let draft = json!({ "first_name": "Ana", "email": "ana@example.edu", "institution_id": "A1" });
    let person = world.person_on(&world.page, draft).await;
    choose(&world, Audience::Paused).await;
    let draft = json!({ "first_name": "Ana", "email": "same@example.edu" });
    let unnamed = world.person_on(&other, draft).await;
    let text = "UPDATE participants SET email = NULL, email_key = NULL, identifier = 'A1', identifier_key = 'A1' \
                WHERE email_key = 'same@example.edu'";
    execute(&world.app.db, text, Vec::new()).await;
    // Made elsewhere; then made there.
    record(&world, &person, 440.0, Sharing::All).await;
    assert_eq!(all_links(&world).await, [Value::Null, Value::Null]);
    let text = "DELETE FROM paused_participants WHERE participant_id IN (SELECT id FROM participants WHERE email_key IS NULL)";
    assert_eq!(execute(&world.app.db, text, Vec::new()).await, 1);
    record(&world, &unnamed, 550.0, Sharing::ThisPage).await;
    assert_eq!(all_links(&world).await, [Value::Null, Value::Null]);
    choose(&world, Audience::Public).await;
    for link in all_links(&world).await {
        assert_eq!(status(&world, &path_of(&link)).await, 200, "{link}");
    }
}

#[tokio::test]
async fn choices_end_with_the_last_registration() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    choose(&world, Audience::Paused).await;
    let body = json!({ "name_page_id": world.page.slug });
    world.delete("/v5/participants/ana@example.edu", body).await.expect(200);
    let person = world.person("Ana", "ana@example.edu").await;
    record(&world, &person, 440.0, Sharing::All).await;
    assert_ne!(shown(&world).await["recording_link"], Value::Null, "they have chosen nothing yet");
}

#[tokio::test]
async fn the_badge_of_an_institution_audience_asks_to_sign_in() {
    let world = World::new().await;
    let person = world.person("Ana", "ana@example.edu").await;
    let hex = world.give(&person, Kind::Recording, SOUND).await;
    world.list_badge("ana@example.edu").await;
    let badge = path_of(&person["name_badge_link"]);
    choose(&world, Audience::Institution).await;
    for path in [badge.clone(), format!("{badge}.vcf")] {
        assert_eq!(status(&world, &path).await, 303, "{path}");
    }
    let link = shown(&world).await["recording_link"].clone();
    assert_eq!(status(&world, &path_of(&link)).await, 200, "clients play the unguessable link");
    assert!(!link.as_str().unwrap().contains(&hex), "which is not the one that anybody had");

    world.person("Bo", "bo@example.edu").await;
    let neighbor = world.neighbor().await;
    let body = json!({ "name_page_id": neighbor.page.slug, "participant": { "first_name": "Bo", "email": "bo@example.edu" } });
    let request = world.request_as(&neighbor.token, Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
    for (institution, how, expected) in [
        (world.institution.id, How::Link, 200),
        (neighbor.institution.id, How::Link, 303),
        // Whoever holds a device that was let in to record has not proven who they are.
        (world.institution.id, How::Handover, 303),
        (world.institution.id, How::Invitation, 303),
    ] {
        let person = PersonId { institution, email_key: "bo@example.edu".into() };
        let secret = sessions::open(&world.app, person, how, &[]).await.unwrap().secret;
        let client =
            reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build();
        let request = client.unwrap().get(format!("{}{badge}", world.base));
        let answer = request.header("cookie", format!("endonym={}", secret.as_str())).send().await.unwrap();
        assert_eq!(answer.status(), expected, "{how:?}");
        assert_eq!(answer.headers()["x-robots-tag"], "noindex", "search engines never see it");
    }
}

#[tokio::test]
async fn the_institution_decides_what_may_be_chosen_and_what_new_people_start_with() {
    let world = World::new().await;
    let old = world.person("Ana", "ana@example.edu").await;
    let update = |audiences: Option<&str>, default_audience: Option<&str>| {
        let change = institutions::Change {
            audiences: audiences.map(str::to_owned),
            default_audience: default_audience.map(str::to_owned),
            ..Default::default()
        };
        institutions::update(&world.app, &Actor::Operator, "example", change)
    };
    update(None, Some("institution")).await.unwrap();
    world.advance(std::time::Duration::from_secs(1));
    let new = world.person("Bo", "bo@example.edu").await;
    assert_eq!(status(&world, &path_of(&old["name_badge_link"])).await, 200, "people keep what they had");
    assert_eq!(status(&world, &path_of(&new["name_badge_link"])).await, 303);

    update(Some("institution"), None).await.unwrap();
    assert_eq!(
        status(&world, &path_of(&old["name_badge_link"])).await,
        303,
        "public is not permitted any more"
    );
    assert!(audiences::choose(&world.app, &Actor::Operator, ana(&world), Audience::Public).await.is_err());
    choose(&world, Audience::Paused).await;
    for (audiences, default) in
        [(Some("paused"), None), (Some("x"), None), (None, Some("paused")), (None, Some("public"))]
    {
        assert!(update(audiences, default).await.is_err(), "{audiences:?} {default:?}");
    }
}

#[tokio::test]
async fn the_same_email_in_another_institution_is_another_person() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let neighbor = world.neighbor().await;
    let body = json!({ "name_page_id": neighbor.page.slug, "participant": { "first_name": "Ana", "email": "ana@example.edu" } });
    let theirs =
        Answer::of(world.request_as(&neighbor.token, Method::POST, "/v5/participants").json(&body)).await;
    let theirs = theirs.expect(201)["participant"].clone();
    choose(&world, Audience::Institution).await;
    assert_eq!(status(&world, &path_of(&theirs["name_badge_link"])).await, 200);
    let nobody = PersonId { institution: world.institution.id, email_key: "nobody@example.edu".into() };
    assert!(audiences::choose(&world.app, &Actor::Operator, nobody, Audience::Paused).await.is_err());
}

/// What a visitor without any credential finds where a recording may be.
struct Stranger<'a>(&'a World);

impl Stranger<'_> {
    async fn text(&self, path: &str) -> String {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        client.get(format!("{}{path}", self.0.base)).send().await.unwrap().text().await.unwrap()
    }

    async fn second(&self, more: &str) -> Value {
        let path = format!("/v2/names?access_code={}{more}", self.0.page.access_code);
        Answer::of(self.0.request_without_token(Method::GET, &path)).await.expect(200)["data"].clone()
    }

    /// The places where a recording link of this person is found.
    async fn hears(&self, person: &Value) -> Vec<&'static str> {
        let badge = path_of(&person["name_badge_link"]);
        let player = badge.replace("/badges/", "/players/");
        let people = format!("/p/{}/people", self.0.page.slug);
        let places = [
            ("badge", badge.clone()),
            ("card", format!("{badge}.vcf")),
            ("player", player.clone()),
            ("legal player", format!("{player}?legal=1")),
            ("list", people.clone()),
            ("rows", format!("{people}/rows")),
        ];
        let mut heard = Vec::new();
        for (place, path) in places {
            if self.text(&path).await.contains("/audio/") {
                heard.push(place);
            }
        }
        if status(self.0, &format!("{people}/all.mp3")).await == 200 {
            heard.push("play all");
        }
        for (place, more) in [("version 2", ""), ("version 2, one", "&email=ana@example.edu")] {
            if self.second(more).await.to_string().contains("/audio/") {
                heard.push(place);
            }
        }
        heard
    }
}

#[tokio::test]
async fn without_a_credential_only_those_are_heard_who_chose_everybody() {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    crate::v2::open(&world, &world.page).await;
    listened_by(&world, Listen::Link).await;
    let person = world.person("Ana", "ana@example.edu").await;
    world.give(&person, Kind::Recording, SOUND).await;
    world.give(&person, Kind::LegalRecording, SOUND).await;
    let stranger = Stranger(&world);
    let everywhere = [
        "badge",
        "card",
        "player",
        "legal player",
        "list",
        "rows",
        "play all",
        "version 2",
        "version 2, one",
    ];
    assert_eq!(stranger.hears(&person).await, everywhere);
    for audience in [Audience::Institution, Audience::Paused] {
        choose(&world, audience).await;
        assert_eq!(stranger.hears(&person).await, [""; 0], "{audience:?}");
        let record = &stranger.second("").await[0];
        assert_eq!((&record["recording_link"], &record["embed_image"]), (&Value::Null, &Value::Null));
        assert_eq!(record["first_name"], "Ana", "as of somebody who has not recorded");
    }
    choose(&world, Audience::Public).await;
    assert_eq!(stranger.hears(&person).await, everywhere);
    // What the institution permits, and what it starts people with, counts as if they had chosen it.
    let change = |audiences: &str, default: &str| institutions::Change {
        audiences: Some(audiences.to_owned()),
        default_audience: Some(default.to_owned()),
        ..Default::default()
    };
    let set = async |audiences, default| {
        let change = change(audiences, default);
        institutions::update(&world.app, &Actor::Operator, "example", change).await.unwrap();
    };
    set("public,institution", "institution").await;
    world.advance(std::time::Duration::from_secs(1));
    let new = world.person("Bo", "bo@example.edu").await;
    world.give(&new, Kind::Recording, SOUND).await;
    let heard = async |nth: usize| stranger.second("").await[nth]["recording_link"].is_string();
    assert_eq!((heard(0).await, heard(1).await), (true, false), "Bo was registered after the default");
    set("institution", "institution").await;
    assert_eq!((heard(0).await, heard(1).await), (false, false));
}

#[tokio::test]
async fn in_version_2_who_is_not_heard_ranks_like_somebody_who_has_not_recorded() {
    let world = World::new().await;
    crate::v2::open(&world, &world.page).await;
    for (email, first, when) in [("ana@example.edu", "Ana", 2), ("bo@example.edu", "Bo", 1)] {
        let named = json!({ "first_name": first, "email": email });
        world.person_on(&world.page, named).await;
        let hex = format!("{when}").repeat(32);
        world.record(&world.page, email, &hex, 1_767_225_600_000_000 + when).await;
    }
    let text = "UPDATE participants SET identifier = 'A1', identifier_key = 'A1'";
    execute(&world.app.db, text, Vec::new()).await;
    let first = async || {
        let found = Stranger(&world).second("&institution_id=A1").await;
        (found[0]["first_name"].clone(), found[1]["recording_link"].is_null())
    };
    assert_eq!(first().await, (json!("Ana"), false), "the newest recording comes first");
    choose(&world, Audience::Institution).await;
    assert_eq!(first().await, (json!("Bo"), true), "clients read the first record");
}

/// A course whose learning system tells no emails.
#[tokio::test]
async fn a_registration_without_an_email_is_heard_by_those_whom_its_person_chose() {
    let world = World::new().await;
    crate::v2::open(&world, &world.page).await;
    let other = world.page("Choir").await;
    let unnamed = world.person("Ana", "same@example.edu").await;
    world.give(&unnamed, Kind::Recording, SOUND).await;
    let named = json!({ "first_name": "Ana", "email": "ana@example.edu", "institution_id": "A1" });
    world.person_on(&other, named).await;
    let text = "UPDATE participants SET email = NULL, email_key = NULL, identifier = 'A1', identifier_key = 'A1' \
                WHERE email_key = 'same@example.edu'";
    execute(&world.app.db, text, Vec::new()).await;
    let heard = async || Stranger(&world).second("").await[0]["recording_link"].is_string();
    let badge = path_of(&unnamed["name_badge_link"]);
    assert_eq!((heard().await, status(&world, &badge).await), (true, 200));
    choose(&world, Audience::Institution).await;
    assert_eq!((heard().await, status(&world, &badge).await), (false, 303));
    choose(&world, Audience::Paused).await;
    assert_eq!((heard().await, status(&world, &badge).await), (false, 404));
    choose(&world, Audience::Public).await;
    assert_eq!((heard().await, status(&world, &badge).await), (true, 200));
}

/// The address in an attribute of a snippet.
fn address_in(snippet: &Value, attribute: &str) -> String {
    let (_, rest) = snippet.as_str().unwrap().split_once(&format!("{attribute}=\"")).unwrap();
    path_of(&json!(rest.split('"').next().unwrap()))
}

#[tokio::test]
async fn what_a_client_embeds_carries_a_secret_of_its_own_and_plays_without_a_session() {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    crate::v2::open(&world, &world.page).await;
    let person = world.person("Ana", "ana@example.edu").await;
    world.give(&person, Kind::Recording, SOUND).await;
    world.give(&person, Kind::LegalRecording, SOUND).await;
    let token = World::registration_token(&person);
    let fourth = world.get("/v4/participants/ana@example.edu?include=embeddables").await.expect(200);
    let path = "/v5/participants?include=embeddables,legal_embeddables";
    let fifth = world.get(path).await.expect(200)["Response"]["participants"][0].clone();
    let third = format!(
        "/v3/names?auth_token={}&access_code={}&email=ana@example.edu",
        world.token, world.page.access_code
    );
    let third = Answer::of(world.request_without_token(Method::GET, &third)).await.expect(200);
    let mut players = Vec::new();
    for record in [&fourth["participant"], &fifth, &third["data"][0]] {
        players
            .extend([address_in(&record["embed_image"], "href"), address_in(&record["embed_iframe"], "src")]);
    }
    for key in ["legal_embed_image", "legal_embed_iframe"] {
        players.push(address_in(&fifth[key], if key.ends_with("image") { "href" } else { "src" }));
    }
    let name_of = |path: &str| path.split('?').next().unwrap().rsplit('/').next().unwrap().to_owned();
    let second = Stranger(&world).second("").await;
    assert_eq!(name_of(&address_in(&second[0]["embed_iframe"], "src")), token, "without a token, no secret");
    for audience in [Audience::Public, Audience::Institution] {
        choose(&world, audience).await;
        for player in &players {
            assert!(!player.contains(&token), "{player}");
            assert!(Stranger(&world).text(player).await.contains("/audio/"), "{audience:?} {player}");
            assert_eq!(status(&world, &player.replace("/players/", "/badges/")).await, 404, "no badge");
            world.get(&format!("/v4/participants/{}", name_of(player))).await.expect(404);
        }
    }
    let neighbor = world.neighbor().await;
    let name = name_of(&players[0]);
    for at in [0, 20, 47] {
        let mut forged = name.clone().into_bytes();
        forged[at] = if forged[at] == b'0' { b'1' } else { b'0' };
        let forged = String::from_utf8(forged).unwrap();
        assert_eq!(status(&world, &format!("/players/{}/{forged}", world.institution.id)).await, 404);
    }
    assert_eq!(status(&world, &format!("/players/{}/{name}", neighbor.institution.id)).await, 404);
    choose(&world, Audience::Paused).await;
    assert!(!Stranger(&world).text(&players[0]).await.contains("/audio/"), "a pause is for everybody");
    let again = world.get("/v4/participants/ana@example.edu?include=embeddables").await.expect(200);
    let again = address_in(&again["participant"]["embed_iframe"], "src");
    assert_eq!(name_of(&again), name, "deployed embeds stay what they are");
    let body = json!({ "name_page_id": world.page.slug });
    world.delete("/v5/participants/ana@example.edu", body).await.expect(200);
    assert_eq!(status(&world, &players[0]).await, 404, "whoever is gone has no player");
}

#[tokio::test]
async fn ids_in_a_listening_page_mean_nothing_elsewhere() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    for (page, email) in [(&world.page, "ana@example.edu"), (&choir, "ana@example.edu")] {
        let person = world.person_on(page, json!({ "first_name": "Ana", "email": email })).await;
        world.give(&person, Kind::Recording, SOUND).await;
    }
    for page in [&world.page, &choir] {
        let change = page_settings::Change { listen: Some(Listen::Link), ..Default::default() };
        let page = NamePageRef::parse(&page.slug).unwrap();
        page_settings::update(&world.app, &Actor::Operator, world.institution.id, &page, change)
            .await
            .unwrap();
    }
    let person = world.get("/v4/participants/ana@example.edu").await.expect(200);
    let shown = Stranger(&world).text(&format!("/p/{}/people", world.page.slug)).await;
    let token = World::registration_token(&person["participant"]);
    assert!(!shown.contains(&token), "{shown}");
    let (_, id) = shown.split_once("<li id=\"p-").unwrap();
    let id = id.split('"').next().unwrap();
    assert_eq!(status(&world, &format!("/p/{}/people/{id}/report", world.page.slug)).await, 200);
    let institution = world.institution.id;
    for path in [
        format!("/badges/{institution}/{id}"),
        format!("/badges/{institution}/{id}.vcf"),
        format!("/players/{institution}/{id}"),
        format!("/photos/{institution}/photo_{id}.jpg"),
        format!("/audio/{institution}/recording_{id}.mp3"),
        format!("/p/{}/people/{id}/report", choir.slug),
        format!("/p/{}/people/{token}/report", world.page.slug),
    ] {
        assert_eq!(status(&world, &path).await, 404, "{path}");
    }
    world.get(&format!("/v4/participants/{id}")).await.expect(404);
}

/// The recording links of Ana on all of her pages: of her name, and of her legal name.
async fn links(world: &World) -> Vec<String> {
    let found = world.get("/v5/participants?email_list=ana@example.edu").await.expect(200);
    let people = found["Response"]["participants"].as_array().unwrap().clone();
    let both = people.iter().flat_map(|one| [&one["recording_link"], &one["legal_recording_url"]]);
    let mut links: Vec<String> = both.filter(|link| link.is_string()).map(path_of).collect();
    links.sort();
    links
}

/// What each of these links answers.
async fn answers(world: &World, links: &[String]) -> Vec<u16> {
    let mut all = Vec::new();
    for link in links {
        all.push(status(world, link).await);
    }
    all
}

#[tokio::test]
async fn links_that_anybody_had_lead_nowhere_once_the_audience_is_narrower() {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    let choir = world.page("Choir").await;
    let here = world.person("Ana", "ana@example.edu").await;
    let there = world.person_on(&choir, json!({ "first_name": "Ana", "email": "ana@example.edu" })).await;
    record(&world, &here, 440.0, Sharing::All).await;
    world.give(&there, Kind::LegalRecording, SOUND).await;
    let first = links(&world).await;
    assert_eq!(first.len(), 3);
    world.advance(std::time::Duration::from_secs(1));
    record(&world, &here, 220.0, Sharing::All).await;
    let second = links(&world).await;
    let replaced: Vec<String> = first.iter().filter(|link| !second.contains(link)).cloned().collect();
    assert_eq!(answers(&world, &replaced).await, [302, 302], "links of what was replaced lead to it");
    let dates = |shown: &Value| shown["recorded_at"].clone();
    let before = shown(&world).await;
    let played = Stranger(&world).text(&second[0]).await;

    world.advance(std::time::Duration::from_secs(1));
    choose(&world, Audience::Institution).await;
    assert_eq!(answers(&world, &second).await, [404; 3], "what a stranger has plays nothing");
    assert_eq!(answers(&world, &replaced).await, [404; 2], "and leads nowhere");
    let third = links(&world).await;
    assert!(third.iter().all(|link| !second.contains(link)), "{third:?}");
    assert_eq!(answers(&world, &third).await, [200; 3]);
    let after = shown(&world).await;
    assert_eq!(dates(&after), dates(&before), "it is the same recording");
    let since = world.get("/v5/participants?updated_after=2020-01-01T00:00:00Z").await.expect(200);
    assert_eq!(since["Response"]["participants"].as_array().unwrap().len(), 2);
    let mut sounds = Vec::new();
    for link in &third {
        sounds.push(Stranger(&world).text(link).await);
    }
    assert!(sounds.contains(&played), "the bytes are the same");
    let report = "SELECT COUNT(*) FROM media WHERE kind IN ('recording', 'legal_recording')";
    let kept = world.app.db.read().one(report, &[], |row| row.int(0)).await.unwrap().unwrap();
    assert_eq!(kept, 3);
    let swept = media::sweep(&world.app, &Actor::Operator, std::time::Duration::ZERO, true).await.unwrap();
    assert_eq!(swept.removed, 0, "the files of the old links are gone: {swept:?}");

    // Only what was public is renewed: a pause in between changes nothing.
    for audience in [Audience::Institution, Audience::Paused, Audience::Paused, Audience::Institution] {
        choose(&world, audience).await;
    }
    assert_eq!(links(&world).await, third);
    record(&world, &here, 330.0, Sharing::All).await;
    let fourth = links(&world).await;
    choose(&world, Audience::Public).await;
    assert_eq!(links(&world).await, fourth, "whoever is heard by more people keeps the links");
    // A pause does not hide that it was public.
    for audience in [Audience::Paused, Audience::Paused, Audience::Institution] {
        choose(&world, audience).await;
    }
    assert_eq!(answers(&world, &fourth).await, [404; 3]);
    assert_eq!(answers(&world, &links(&world).await).await, [200; 3]);
}

#[tokio::test]
async fn a_report_stays_about_a_recording_with_a_new_link_and_a_lost_file_hinders_no_choice() {
    let world = World::new().await;
    let ana = world.person("Ana", "ana@example.edu").await;
    world.give(&ana, Kind::Recording, SOUND).await;
    listened_by(&world, Listen::Link).await;
    let public = name_pages::public(&world.app, &world.page.slug).await.unwrap();
    let token = World::registration_token(&ana);
    let entry = participants::by_token(&world.app, world.institution.id, &token).await.unwrap();
    let rude = moderation::Report { about: None, complaint: Complaint::Offensive, sentence: "Rude" };
    moderation::report(&world.app, &public, &entry, rude, None).await.unwrap();
    choose(&world, Audience::Institution).await;
    let new = entry_hex(&world).await;
    let text = "SELECT hex FROM moderation";
    let case = world.app.db.read().one(text, &[], |row| row.text(0)).await.unwrap().unwrap();
    assert_eq!(case, new, "the case is still about this recording");
    // A file that is lost does not keep anybody from choosing.
    choose(&world, Audience::Public).await;
    let key = Key { shelf: Shelf::Recordings, institution: world.institution.id, hex: new.clone() };
    world.app.blobs.remove(&key).await.unwrap();
    choose(&world, Audience::Institution).await;
    assert_ne!(entry_hex(&world).await, new);
}

async fn entry_hex(world: &World) -> String {
    let text = "SELECT recording FROM participants WHERE email_key = 'ana@example.edu'";
    world.app.db.read().one(text, &[], |row| row.text(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn of_choices_and_recordings_at_the_same_time_none_is_lost() {
    let world = World::new().await;
    let ana = world.person("Ana", "ana@example.edu").await;
    world.give(&ana, Kind::Recording, SOUND).await;
    for _ in 0..5 {
        choose(&world, Audience::Public).await;
        let public = links(&world).await;
        tokio::join!(
            choose(&world, Audience::Institution),
            choose(&world, Audience::Institution),
            record(&world, &ana, 440.0, Sharing::All),
        );
        let now = links(&world).await;
        assert_eq!(answers(&world, &now).await, [200], "{now:?}");
        assert!(!now.contains(&public[0]));
    }
}

#[tokio::test]
async fn where_everybody_is_not_permitted_any_more_all_links_are_renewed() {
    let world = World::new().await;
    world.work(1);
    for name in ["ana", "bo", "cy"] {
        let email = format!("{name}@example.edu");
        let person = world.person(name, &email).await;
        world.give(&person, Kind::Recording, SOUND).await;
    }
    let all = async || {
        let mut links = Vec::new();
        for name in ["ana", "bo", "cy"] {
            let shown = world.get(&format!("/v4/participants/{name}@example.edu")).await.expect(200);
            links.push(shown["participant"]["recording_link"].clone());
        }
        links
    };
    let bo = PersonId { institution: world.institution.id, email_key: "bo@example.edu".into() };
    audiences::choose(&world.app, &Actor::Operator, bo, Audience::Institution).await.unwrap();
    let cy = PersonId { institution: world.institution.id, email_key: "cy@example.edu".into() };
    let old = all().await;
    audiences::choose(&world.app, &Actor::Operator, cy.clone(), Audience::Paused).await.unwrap();
    let dee = world.person("dee", "dee@example.edu").await;
    let hex = world.give(&dee, Kind::Recording, SOUND).await;
    let left = format!("/audio/{}/recording_{hex}.mp3", world.institution.id);
    let token = World::registration_token(&dee);
    let id = participants::by_token(&world.app, world.institution.id, &token).await.unwrap().id;
    hide(&world, id, true).await;
    let permit = async |audiences: &str| {
        let change = institutions::Change { audiences: Some(audiences.to_owned()), ..Default::default() };
        institutions::update(&world.app, &Actor::Operator, "example", change).await.unwrap();
    };
    permit("institution").await;
    until("Ana has a new link", || async { all().await[0] != old[0] }).await;
    let new = all().await;
    assert_eq!(status(&world, &path_of(&old[0])).await, 404, "Ana was heard by everybody");
    assert_eq!(status(&world, &path_of(&new[0])).await, 200);
    assert_eq!(new[1], old[1], "Bo was not");
    // Who comes back to a course has the link that nobody had.
    until("everybody who is hidden has a new link", || async {
        let text = "SELECT COUNT(*) FROM media WHERE hex = $1";
        let params = [hex.as_str().into()];
        let kept = world.app.db.read().one(text, &params, |row| row.int(0)).await;
        kept.unwrap() == Some(0)
    })
    .await;
    hide(&world, id, false).await;
    assert_eq!(status(&world, &left).await, 404);
    let back = world.get("/v4/participants/dee@example.edu").await.expect(200);
    assert_eq!(status(&world, &path_of(&back["participant"]["recording_link"])).await, 200);
    audiences::choose(&world.app, &Actor::Operator, cy, Audience::Institution).await.unwrap();
    assert_eq!(status(&world, &path_of(&old[2])).await, 404, "Cy was, before the pause");
    permit("public,institution").await;
    assert_eq!(all().await[0], new[0], "whoever is heard by more people keeps the link");
}

/// As when somebody leaves a course, and returns.
async fn hide(world: &World, id: ParticipantId, is_hidden: bool) {
    let (institution, page, now) = (world.institution.id, world.page.id, world.app.clock.now());
    let write = world.app.db.write::<_, store::Error>(move |sql| {
        Box::pin(async move {
            rolls::lock(sql, institution).await?;
            match is_hidden {
                true => hidden::hide(sql, institution, page, &[id]).await,
                false => hidden::show(sql, institution, page, &[id], now).await,
            }
        })
    });
    write.await.unwrap();
}

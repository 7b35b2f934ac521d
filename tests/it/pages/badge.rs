//! The page that people share.

use endonym::app::{Actor, custom_fields, institutions};
use endonym::domain::media::Kind;
use serde_json::{Value, json};

use super::{Page, SOUND, attributes, page, public, size};
use crate::support::{Setup, World};

const FACE: &[u8] = include_bytes!("fixtures/face.jpg");

fn path(person: &Value) -> String {
    let link = person["name_badge_link"].as_str().unwrap();
    link[link.find("/badges/").unwrap()..].to_owned()
}

/// The content of the tag with this name or property.
fn meta<'a>(page: &'a Page, name: &str) -> Option<&'a str> {
    let tag = page.text.split("<meta ").find(|tag| tag.contains(&format!("=\"{name}\"")))?;
    tag.split("content=\"").nth(1)?.split('"').next()
}

fn linked_data(page: &Page) -> Value {
    let start = "<script type=\"application/ld+json\">";
    let text = page.text.split(start).nth(1).unwrap().split("</script>").next().unwrap();
    assert!(!text.contains('<'), "{text}");
    serde_json::from_str(text).unwrap()
}

async fn siobhan(world: &World) -> Value {
    world.custom_field("gender_pronouns").await;
    world.custom_field("favourite_dish").await;
    let participant = json!({
        "first_name": "Siobhán", "last_name": "Ní Bhriain", "email": "siobhan@example.edu", "institution_id": "S1",
        "phonetic": "shi-VAWN", "notes": "Irish.\nThe h is <b>silent</b>.", "phone_number": "+353861234567",
        "custom_fields": { "custom_gender_pronouns": "she/her", "custom_favourite_dish": "coddle" },
    });
    let person = world.person_on(&world.page, participant).await;
    world.give(&person, Kind::Recording, SOUND).await;
    person
}

#[tokio::test]
async fn a_badge_shows_the_person_and_nothing_private() {
    let world = World::new().await;
    let person = siobhan(&world).await;
    let badge = public::check(&world, &path(&person), 200).await;
    public::check_parts(&world, &badge).await;
    for part in [
        "<h1 dir=\"auto\" lang=\"\">Siobhán Ní Bhriain</h1>",
        "shi-VAWN",
        "<dt><bdi>gender pronouns</bdi></dt><dd><bdi lang=\"\">she/her</bdi></dd>",
        "S\u{200c}N",
        "<audio controls preload=\"none\" src=\"/audio/",
    ] {
        assert!(badge.text.contains(part), "{part} in {}", badge.text);
    }
    for private in ["siobhan@example.edu", "S1<", "+353", "Class of 2027", "coddle", "silent", "dish"] {
        assert!(!badge.text.contains(private), "{private}");
    }
    let wave = badge.text.split("id=\"name-bars\" d=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(wave.matches('M').count(), 64, "{wave}");
    assert_eq!(
        badge.header("referrer-policy"),
        "same-origin",
        "its address is a secret, and its form needs an origin"
    );
}

#[tokio::test]
async fn a_badge_shows_custom_fields_and_notes_that_an_admin_wants_there_and_no_others() {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    world.custom_field("student_number").await;
    let person = siobhan(&world).await;
    let body = json!({ "name_page_id": world.page.slug, "participant": {
        "legal_first_name": "Judith", "legal_notes": "As in her passport.", "custom_fields": { "custom_student_number": "4711" },
    } });
    world.put("/v5/participants/siobhan@example.edu", body).await.expect(200);
    let (app, id) = (&world.app, world.institution.id);
    let mark = async |on_badge: bool| {
        let change = custom_fields::Change { on_badge: Some(on_badge), ..Default::default() };
        custom_fields::update(app, &Actor::Operator, id, "favourite_dish".into(), change).await.unwrap();
        let change = institutions::Change { notes_on_badge: Some(on_badge), ..Default::default() };
        institutions::update(app, &Actor::Operator, "example", change).await.unwrap();
    };
    let optional = ["coddle", "Irish.\nThe h is &#60;b&#62;silent&#60;/b&#62;.", "As in her passport."];
    for is_marked in [false, true, false] {
        mark(is_marked).await;
        let badge = public::check(&world, &path(&person), 200).await;
        let card = page(&world, &format!("{}.vcf", path(&person))).await;
        for part in optional {
            assert_eq!(badge.text.contains(part), is_marked, "{part} in {}", badge.text);
        }
        assert!(badge.text.contains("she/her") && badge.text.contains("Judith"), "{}", badge.text);
        assert!(!badge.text.contains("4711") && !card.text.contains("4711"), "nobody has marked it");
        if is_marked {
            let (first, second) = (badge.text.find("she/her").unwrap(), badge.text.find("coddle").unwrap());
            assert!(first < second, "pronouns come first");
        }
        // Clients of the API see everything, as ever.
        let shown = world.get("/v5/participants?include=custom_attributes").await.expect(200).to_string();
        assert!(shown.contains("4711") && shown.contains("silent") && shown.contains("coddle"), "{shown}");
    }
}

#[tokio::test]
async fn a_badge_with_its_style_and_script_is_under_thirty_kilobytes() {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    let person = siobhan(&world).await;
    world.give(&person, Kind::LegalRecording, SOUND).await;
    let bytes = size(&world, &path(&person)).await;
    assert!(bytes < 30_000, "{bytes} bytes");
}

#[tokio::test]
async fn search_engines_stay_away_unless_the_badge_may_be_listed() {
    let world = World::new().await;
    let person = world.person("Ana", "ana@example.edu").await;
    let hidden = page(&world, &path(&person)).await;
    assert_eq!((meta(&hidden, "robots"), hidden.header("x-robots-tag")), (Some("noindex"), "noindex"));
    world.list_badge("ana@example.edu").await;
    let listed = page(&world, &path(&person)).await;
    assert_eq!((meta(&listed, "robots"), listed.header("x-robots-tag")), (None, ""));
}

#[tokio::test]
async fn other_sites_learn_what_to_show_of_a_badge() {
    let world = World::new().await;
    let person = siobhan(&world).await;
    let recording = world.give(&person, Kind::Recording, SOUND).await;
    let photo = world.give(&person, Kind::Photo, FACE).await;
    let badge = page(&world, &path(&person)).await;
    let (base, id) = (&world.base, world.institution.id);
    let audio = format!("{base}/audio/{id}/recording_{recording}.mp3");
    let photo = format!("{base}/photos/{id}/photo_{photo}.jpg");
    for (name, value) in [
        ("og:type", "profile"),
        ("og:title", "Siobhán Ní Bhriain"),
        ("og:url", person["name_badge_link"].as_str().unwrap()),
        ("og:image", &photo),
        ("og:audio", &audio),
        ("og:audio:type", "audio/mpeg"),
        ("og:description", "Say it like this: shi-VAWN. Hear Siobhán Ní Bhriain say it."),
    ] {
        assert_eq!(meta(&badge, name), Some(value), "{name}");
    }
    let data = linked_data(&badge);
    let simple = ["@type", "name", "givenName", "familyName", "image", "pronouns"].map(|key| &data[key]);
    assert_eq!(simple, ["Person", "Siobhán Ní Bhriain", "Siobhán", "Ní Bhriain", &photo, "she/her"]);
    assert_eq!(data["alternateName"]["phoneticText"], "shi-VAWN");
    let sound = &data["subjectOf"];
    assert_eq!((&sound["@type"], &sound["contentUrl"]), (&json!("AudioObject"), &json!(audio)));
    assert_eq!(sound["duration"], "PT6.000S");
    assert!(badge.text.contains("<img class=\"face\" src=\"/photos/"));
}

#[tokio::test]
async fn a_badge_of_somebody_without_recording_or_picture_says_so() {
    let world = World::new().await;
    let person = world.person("Ana", "ana@example.edu").await;
    let badge = public::check(&world, &path(&person), 200).await;
    assert!(badge.text.contains("There is no recording of this name yet."));
    assert!(!badge.text.contains("<audio") && !badge.text.contains("<img") && !badge.text.contains("<dl"));
    assert_eq!((meta(&badge, "og:audio"), meta(&badge, "og:image")), (None, None));
    assert_eq!(linked_data(&badge).get("subjectOf"), None);
}

#[tokio::test]
async fn a_hostile_name_is_text_on_its_badge_and_in_its_data() {
    let world = World::new().await;
    let name = "</script><script>alert(1)</script>\"'&<!--";
    let ana = json!({ "first_name": name, "email": "a@x.org", "phonetic": name, "notes": name });
    let person = world.person_on(&world.page, ana).await;
    let badge = public::check(&world, &path(&person), 200).await;
    assert!(!badge.text.contains("<script>") && !badge.text.contains("<!--"), "{}", badge.text);
    assert_eq!(linked_data(&badge)["name"], name);
}

#[tokio::test]
async fn names_run_in_their_own_direction() {
    let world = World::new().await;
    let ana =
        json!({ "first_name": "محمد", "last_name": "عبد", "email": "a@x.org", "phonetic": "mu-HAM-mad" });
    let person = world.person_on(&world.page, ana).await;
    let badge = public::check(&world, &path(&person), 200).await;
    assert!(badge.text.contains("<h1 dir=\"auto\" lang=\"\">محمد عبد</h1>"), "{}", badge.text);
    assert!(badge.text.contains("م\u{200c}ع"), "initials do not join into one letter");
}

#[tokio::test]
async fn the_legal_name_is_on_the_badge_where_the_institution_has_legal_names() {
    for permitted in [true, false] {
        let setup = Setup { multiple_recordings: true, ..Setup::default() };
        let world = World::with(setup).await;
        let ana = json!({
            "first_name": "Ana", "email": "a@x.org", "legal_first_name": "Anastasia", "legal_last_name": "Petrova",
            "legal_phonetic": "ah-nah-STAH-see-ya", "legal_notes": "On papers",
        });
        let person = world.person_on(&world.page, ana).await;
        let hex = world.give(&person, Kind::LegalRecording, SOUND).await;
        if !permitted {
            let change =
                endonym::app::institutions::Change { multiple_recordings: Some(false), ..Default::default() };
            endonym::app::institutions::update(&world.app, &Actor::Operator, "example", change)
                .await
                .unwrap();
        }
        let badge = public::check(&world, &path(&person), 200).await;
        for part in ["Legal name", "Anastasia Petrova", "ah-nah-STAH-see-ya", &hex] {
            assert_eq!(badge.text.contains(part), permitted, "{part}");
        }
        assert!(!badge.text.contains("On papers"), "nobody wants notes on badges");
    }
}

#[tokio::test]
async fn an_unknown_badge_is_a_page_that_says_so() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let person = world.person("Ana", "ana@example.edu").await;
    let token = World::registration_token(&person);
    for unknown in [
        format!("/badges/{}/{token}", neighbor.institution.id),
        format!("/badges/{}/{}", world.institution.id, "0".repeat(32)),
        format!("/badges/{}/{}.vcf", world.institution.id, "0".repeat(32)),
        format!("/badges/x/{token}"),
    ] {
        public::check(&world, &unknown, 404).await;
    }
}

#[tokio::test]
async fn a_badge_is_a_card_for_address_books() {
    let world = World::new().await;
    let person = siobhan(&world).await;
    let card = page(&world, &format!("{}.vcf", path(&person))).await;
    assert_eq!(card.status, 200);
    assert_eq!(card.header("content-type"), "text/vcard; charset=utf-8");
    assert_eq!(
        card.header("content-disposition"),
        "attachment; filename=\"Siobh-n-N-Bhriain.vcf\"; filename*=UTF-8''Siobh%C3%A1n%20N%C3%AD%20Bhriain.vcf"
    );
    assert!(card.text.split("\r\n").all(|line| line.len() <= 75 && !line.contains('\n')), "{}", card.text);
    let unfolded = card.text.replace("\r\n ", "");
    let lines: Vec<&str> = unfolded.split_terminator("\r\n").collect();
    assert_eq!(
        lines[..5],
        [
            "BEGIN:VCARD",
            "VERSION:4.0",
            "FN:Siobhán Ní Bhriain",
            "N:Ní Bhriain;Siobhán;;;",
            "PRONOUNS:she/her"
        ]
    );
    assert!(lines[5].starts_with("SOUND;VALUE=uri;MEDIATYPE=audio/mpeg:http"), "{unfolded}");
    assert!(lines.contains(&"NOTE:Say it like this: shi-VAWN"), "{unfolded}");
    assert_eq!(lines.last(), Some(&"END:VCARD"));
    assert!(!card.text.contains("EMAIL") && !card.text.contains("siobhan@"), "{}", card.text);
    let page = page(&world, &path(&person)).await;
    assert!(attributes(&page.text, "href").iter().any(|address| address.ends_with(".vcf")));
}

//! Every form of the face, sent with what no browser sends: it gets an answer in the sender's language, and never an error of the server.

use std::collections::BTreeSet;

use endonym::{
    app::{Actor, imports, languages, opt_outs, page_settings::Change},
    domain::{
        language::Language,
        member::Role,
        page_settings::{Listen, Register},
    },
};

use super::{
    invitations::link,
    number,
    people::{listened_by, named, path, person, recorded, role, signed_in},
    set,
};
use crate::{
    me::{Browser, Seen},
    support::{World, routes, snapshot::rows},
};

/// Who sends a form, and how it is encoded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sender {
    /// Nobody who is signed in.
    Visitor,
    /// An administrator who is registered on the page.
    Session,
    /// The same, as `multipart/form-data`.
    Upload,
}

/// What a form with nonsense in all of its inputs does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nonsense {
    Refused,
    /// The button alone says what is to be done, or any text is a file.
    Accepted,
}

/// Every POST route of the face, with its inputs.
const FORMS: &[(&str, Sender, Nonsense, &[&str])] = &[
    (
        "/i/{token}",
        Sender::Visitor,
        Nonsense::Refused,
        &["first_name", "last_name", "agree", "version", "language"],
    ),
    ("/i/{token}/opened", Sender::Visitor, Nonsense::Accepted, &[]),
    ("/p/{slug}", Sender::Visitor, Nonsense::Refused, &["email", "code"]),
    ("/p/{slug}/import", Sender::Upload, Nonsense::Accepted, &["file"]),
    (
        "/p/{slug}/import/{id}",
        Sender::Session,
        Nonsense::Accepted,
        &["line", "column-0", "column-1", "class"],
    ),
    ("/p/{slug}/import/{id}/run", Sender::Session, Nonsense::Accepted, &[]),
    ("/p/{slug}/import/{id}/undo", Sender::Session, Nonsense::Accepted, &[]),
    (
        "/p/{slug}/invitations",
        Sender::Upload,
        Nonsense::Refused,
        &["addresses", "after", "language", "whom", "reminders"],
    ),
    ("/p/{slug}/invitations/{id}/again", Sender::Session, Nonsense::Accepted, &[]),
    ("/p/{slug}/invitations/{id}/withdraw", Sender::Session, Nonsense::Accepted, &[]),
    (
        "/p/{slug}/messages",
        Sender::Session,
        Nonsense::Refused,
        &["message", "language", "version", "subject", "text", "do"],
    ),
    (
        "/p/{slug}/moderation/{id}",
        Sender::Session,
        Nonsense::Refused,
        &["decision", "reason", "heard", "list"],
    ),
    ("/p/{slug}/own/consent", Sender::Session, Nonsense::Refused, &["version", "language"]),
    (
        "/p/{slug}/own/details",
        Sender::Session,
        Nonsense::Refused,
        &["first_name", "last_name", "phonetic", "notes", "custom_major"],
    ),
    ("/p/{slug}/own/handover", Sender::Session, Nonsense::Accepted, &[]),
    ("/p/{slug}/own/photo", Sender::Upload, Nonsense::Refused, &["photo"]),
    ("/p/{slug}/own/recording", Sender::Upload, Nonsense::Refused, &["recording", "only"]),
    ("/p/{slug}/people/{id}/ask", Sender::Session, Nonsense::Accepted, &["back"]),
    ("/p/{slug}/people/{id}/report", Sender::Visitor, Nonsense::Refused, &["complaint", "sentence"]),
    ("/p/{slug}/register", Sender::Session, Nonsense::Refused, &["first_name", "last_name", "code"]),
    ("/u/{token}", Sender::Visitor, Nonsense::Accepted, &["do"]),
];

const MIA: &str = "mia@example.edu";
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data; boundary=b1";

#[test]
fn every_form_of_the_face_is_sent() {
    let declared = routes::of("name_pages").into_iter().filter(|route| route.has_post);
    let listed = FORMS.iter().map(|(route, ..)| (*route).to_owned());
    assert_eq!(declared.map(|route| route.path).collect::<BTreeSet<_>>(), listed.collect::<BTreeSet<_>>());
}

fn encoded(fields: &[(&str, &str)]) -> Vec<u8> {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish().into_bytes()
}

fn in_parts(fields: &[(&str, &str)]) -> Vec<u8> {
    let part = |(name, value): &(&str, &str)| {
        format!("--b1\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let parts: String = fields.iter().map(part).collect();
    format!("{parts}--b1--\r\n").into_bytes()
}

/// A form as a browser encodes it: the kind and the body.
fn form_of(sender: Sender, fields: &[(&str, &str)]) -> (&'static str, Vec<u8>) {
    match sender {
        Sender::Visitor | Sender::Session => (FORM, encoded(fields)),
        Sender::Upload => (MULTIPART, in_parts(fields)),
    }
}

/// Bodies that are no form of this route. All of them have the token of the sender's forms.
fn unreadable(sender: Sender, csrf: &str) -> Vec<(Option<&'static str>, Vec<u8>)> {
    let (plain, parts) = (encoded(&[("csrf", csrf)]), in_parts(&[("csrf", csrf)]));
    let with = |more: &[u8]| [&plain[..], more].concat();
    let half = parts[..parts.len() - 12].to_vec();
    let wrong_encoding = match sender {
        Sender::Visitor | Sender::Session => (Some(MULTIPART), parts.clone()),
        Sender::Upload => (Some(FORM), plain.clone()),
    };
    vec![
        (None, Vec::new()),
        (Some(FORM), Vec::new()),
        (Some(MULTIPART), Vec::new()),
        (None, plain.clone()),
        (Some("text/plain"), plain.clone()),
        (Some("application/json"), format!("{{\"csrf\":\"{csrf}\"}}").into_bytes()),
        (Some(FORM), with(b"&first_name=\xff\xfe")),
        (Some(FORM), with(b"&first_name=%FF%FE&email=%C3&sentence=%ED%A0%80")),
        (Some("multipart/form-data"), parts.clone()),
        (Some("multipart/form-data; boundary=other"), parts.clone()),
        (Some("multipart/form-data; boundary="), parts.clone()),
        (Some(MULTIPART), half),
        (Some(MULTIPART), b"--b1\r\nContent-Disposition: \xff\r\n\r\n\xff\r\n--b1--\r\n".to_vec()),
        wrong_encoding,
    ]
}

fn check(what: &str, seen: &Seen) {
    assert!(!seen.status.is_server_error(), "{what}: {} {}", seen.status, seen.body);
    let kind = seen.headers.get("content-type").map_or("", |kind| kind.to_str().unwrap());
    if kind.starts_with("text/html") {
        assert!(seen.body.contains("<html lang=\"ar\" dir=\"rtl\">"), "{what}: {}", seen.body);
    }
    assert!(!seen.body.contains("<script>alert"), "{what}: {}", seen.body);
}

/// Fills the page with something for every form. Returns, for each of `FORMS`, its path and the path of a page with its token.
async fn scene(world: &World) -> Vec<(String, String)> {
    let id = world.institution.id;
    set(world, Change { register: Some(Register::Open), ..Change::default() }).await;
    listened_by(world, Listen::Link).await;
    named(world, "Mia", "Abel", MIA).await;
    role(world, MIA, Role::Admin, &[]).await;
    world.agree(id, MIA).await;
    let mia = person(id, MIA);
    languages::choose(&world.app, &Actor::Operator, mia.clone(), Language::Arabic).await.unwrap();
    let heard = recorded(world, "Bo", "Coe", "bo@example.edu").await;
    let silent = named(world, "Cy", "Dee", "cy@example.edu").await;
    let people = path(world);
    let heard = format!("{people}/{}", world.listed_id(&world.page, &heard).await);
    let silent = format!("{people}/{}", world.listed_id(&world.page, &silent).await);
    // A case of moderation.
    let visitor = Browser::new(world);
    visitor.get(&format!("{heard}/report")).await.expect(200);
    let fields = [("complaint", "wrong_person"), ("sentence", "This is Cy.")];
    visitor.post(&format!("{heard}/report"), &fields).await.expect(303);
    let case = number(world, "SELECT id FROM moderation").await;
    let invited = link(world, "ada@example.edu").await;
    let invitation = number(world, "SELECT id FROM invitations").await;
    let file = b"email,first_name\nada@example.edu,Ada\n".to_vec();
    let uploaded = imports::upload(&world.app, &Actor::Operator, (id, world.page.id), "upload", file).await;
    let import = uploaded.unwrap().unwrap();
    let stop = opt_outs::link(&world.app, &world.base, &mia).unwrap();
    let stop = stop.strip_prefix(&world.base).unwrap().to_owned();
    let page = format!("/p/{}", world.page.slug);
    let own = format!("{page}/own");
    let paths = |route: &str| {
        let filled = |id: &str| route.replace("{slug}", &world.page.slug).replace("{id}", id);
        match route {
            "/i/{token}" => (invited.clone(), invited.clone()),
            "/i/{token}/opened" => (format!("{invited}/opened"), invited.clone()),
            "/u/{token}" => (stop.clone(), page.clone()),
            "/p/{slug}/people/{id}/ask" => (format!("{silent}/ask"), people.clone()),
            "/p/{slug}/people/{id}/report" => (format!("{heard}/report"), format!("{heard}/report")),
            "/p/{slug}/moderation/{id}" => (filled(&case.to_string()), own.clone()),
            route if route.starts_with("/p/{slug}/import") => (filled(&import.to_string()), own.clone()),
            route if route.starts_with("/p/{slug}/invitations") => {
                (filled(&invitation.to_string()), own.clone())
            }
            "/p/{slug}" => (page.clone(), page.clone()),
            _ => (filled(""), own.clone()),
        }
    };
    FORMS.iter().map(|(route, ..)| paths(route)).collect()
}

/// This value in all inputs.
fn all<'a>(inputs: &[&'a str], value: &'a str) -> Vec<(&'a str, &'a str)> {
    inputs.iter().map(|name| (*name, value)).collect()
}

#[tokio::test]
async fn no_form_breaks_and_what_cannot_be_read_changes_nothing() {
    let world = World::on_sqlite().await;
    let paths = scene(&world).await;
    // What she has chosen comes before what her browser accepts; the visitor has chosen nothing.
    let mut mia = signed_in(&world, world.institution.id, MIA).await;
    mia.headers.push(("accept-language", "de".to_owned()));
    let mut visitor = Browser::new(&world);
    visitor.headers.push(("accept-language", "ar, en;q=0.5".to_owned()));

    let huge = "x".repeat(20_000);
    let refused = ["", " \t ", "a\0b\u{1b}[31m\u{7}", huge.as_str()];
    let odd = [
        "-1",
        "99999999999999999999999999",
        "NaN",
        "[]",
        "{\"a\": [1, null]}",
        "李小龍 مريم Владимир \u{202e}שרה\u{200d} 👩🏽‍🎤",
        "<script>alert(1)</script>",
        "' OR 1=1; DROP TABLE participants; --",
        "../../../../etc/passwd%00%0d%0a",
        "?page=99999999999999999999&q=%FF&letter=%00",
    ];
    for ((route, sender, nonsense, inputs), (path, form)) in FORMS.iter().zip(&paths) {
        let browser = if *sender == Sender::Visitor { &visitor } else { &mia };
        browser.get(form).await.expect(200);
        // Later pages may have another one, or none.
        let csrf = browser.csrf();
        assert_eq!(csrf.len(), 64, "{route}");
        // One click in a mail program stops messages, whatever the body is.
        let is_one_click = *route == "/u/{token}";

        let before = rows(&world, None).await;
        for (kind, body) in unreadable(*sender, &csrf) {
            let what = format!("{route} {kind:?} {}", body.escape_ascii());
            let seen = browser.post_body(path, kind, body).await;
            check(&what, &seen);
            assert!(seen.status.is_client_error() || is_one_click, "{what}: {}", seen.status);
        }
        if !is_one_click {
            assert_eq!(rows(&world, None).await, before, "{route}");
        }

        let before = rows(&world, None).await;
        for value in refused {
            let fields = [vec![("csrf", csrf.as_str())], all(inputs, value)].concat();
            let (kind, body) = form_of(*sender, &fields);
            let what = format!("{route} {}", value.chars().take(20).collect::<String>().escape_debug());
            check(&what, &browser.post_body(path, Some(kind), body).await);
        }
        if *nonsense == Nonsense::Refused {
            assert_eq!(rows(&world, None).await, before, "{route}");
        }

        for value in odd {
            let fields = [vec![("csrf", csrf.as_str())], all(inputs, value)].concat();
            let (kind, body) = form_of(*sender, &fields);
            check(&format!("{route} {value}"), &browser.post_body(path, Some(kind), body).await);
        }
        // Nothing but the token, everything twice, and much that nobody has asked for.
        let names: Vec<String> = (0..2_000).map(|n| format!("custom_{n}")).collect();
        let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
        let twice = [all(inputs, "1"), all(inputs, "2"), vec![("csrf", "0")]].concat();
        for more in [Vec::new(), twice, many] {
            let fields = [vec![("csrf", csrf.as_str())], more].concat();
            let (kind, body) = form_of(*sender, &fields);
            let what = format!("{route} with {} fields", fields.len());
            check(&what, &browser.post_body(path, Some(kind), body).await);
        }
    }
    // Of all this, no control character is in an entry.
    for entry in rows(&world, None).await.iter().filter(|row| row.starts_with("participants ")) {
        assert!(!entry.contains("\\u001b") && !entry.contains("\\u0000"), "{entry}");
    }
}

//! Two people edit the same thing: the second one is told, what they typed is still there, and nothing is lost.

use std::{collections::BTreeSet, sync::mpsc, time::Duration};

use endonym::{
    app::{Actor, sso, tool_consumers},
    console,
    domain::{member::Role, tool_consumer::LmsKind},
    store,
};
use reqwest::Method;

use super::{id_of, member_named, plain, set, version};
use crate::{
    me::{Browser, Seen},
    scim::Directory,
    support::World,
};

const BEA: &str = "bea@example.edu";

type Fields = Vec<(&'static str, String)>;

/// A form with which something is edited.
struct Form {
    /// The path of its rule, below `/console/{slug}`.
    rule: &'static str,
    /// Its page, and where it is sent to.
    page: String,
    action: String,
    /// What both of them send.
    fixed: Fields,
    /// What each of them sends, and how a page shows it that could not save it.
    sent: [(Fields, String); 2],
}

/// Forms that make, delete or start something: they replace nothing that somebody else may have changed since.
const ACTS: &[&str] = &[
    "/custom-fields",
    "/custom-fields/{name}/delete",
    "/custom-fields/{name}/move",
    "/custom-fields/{name}/pages",
    "/directories/new",
    "/directories/{id}/revoke",
    "/jobs/exports",
    "/jobs/retry/{id}",
    "/learning-systems/invitation",
    "/learning-systems/new",
    "/learning-systems/{id}/check",
    "/learning-systems/{id}/delete",
    "/learning-systems/{id}/prove",
    "/learning-systems/{id}/renew",
    "/learning-systems/{id}/switch",
    "/learning-systems/{id}/synchronize",
    "/learning-systems/{id}/synchronize-all",
    "/members/add",
    "/members/groups/remove",
    "/members/remove",
    "/messages/bounces",
    "/messages/opt-outs",
    "/messages/retry/{id}",
    "/moderation/{id}",
    "/name-pages/new",
    "/name-pages/{id}/archive",
    "/name-pages/{id}/copy",
    "/name-pages/{id}/delete",
    "/people/bulk",
    "/people/bulk/delete",
    "/people/deleted/{id}/restore",
    "/people/refused",
    // With the versions of both entries: see `people.rs`.
    "/people/merge",
    "/people/tasks/{id}/undo",
    "/people/{id}/call",
    "/people/{id}/delete",
    "/people/{id}/record",
    "/phone/calls/{id}/cancel",
    "/phone/calls/{id}/retry",
    "/phone/opt-outs",
    "/phone/opt-outs/remove",
    "/phone/test",
    "/settings/delete",
    "/settings/sign-on/new",
    "/settings/sign-on/{id}/delete",
    "/settings/sign-on/{id}/test",
    "/start/dismiss",
    "/start/page",
    "/start/people",
    "/tokens/new",
    "/tokens/{id}/revoke",
    "/tokens/{id}/rotate",
];

fn fields(given: &[(&'static str, &str)]) -> Fields {
    given.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
}

/// One text differs: both have typed another one.
fn texts(name: &'static str, values: [&str; 2], is_line: bool) -> [(Fields, String); 2] {
    values.map(|value| {
        let shown = if is_line { format!("value=\"{value}\"") } else { value.to_owned() };
        (fields(&[(name, value)]), shown)
    })
}

fn lines(name: &'static str) -> [(Fields, String); 2] {
    texts(name, ["Theirs", "Mine"], true)
}

fn form(rule: &'static str, below: [&str; 2], fixed: Fields, sent: [(Fields, String); 2]) -> Form {
    let [page, action] = below.map(|below| format!("/console/example{below}"));
    Form { rule, page, action, fixed, sent }
}

/// The forms of settings, which have one rule.
fn settings() -> Vec<Form> {
    let group = |word: &str, fixed: Fields, sent| {
        let action = format!("/settings/groups/{word}");
        form("/settings/groups/{group}", ["/settings", action.as_str()], fixed, sent)
    };
    let general = fields(&[("time_zone", "UTC"), ("page_language", "en"), ("phone_language", "")]);
    let audiences = [("institution", &["public", "institution"][..]), ("public", &["public"][..])];
    let audiences = audiences.map(|(default, ticked)| {
        let ticks = ticked.iter().map(|word| (*word, "1".to_owned()));
        let sent: Fields = ticks.chain([("default_audience", default.to_owned())]).collect();
        (sent, format!("<option value=\"{default}\" selected>"))
    });
    // Neither of them is what it was before.
    let [multiple, newest] = ["multiple_recordings", "starts_with_newest"];
    let recordings =
        [(&[multiple][..], multiple), (&[multiple, newest][..], newest)].map(|(ticked, shown)| {
            let sent: Fields = ticked.iter().map(|word| (*word, "1".to_owned())).collect();
            (sent, format!("name=\"{shown}\" value=\"1\" checked"))
        });
    let origins = texts("origins", ["https://theirs.example", "https://mine.example"], false);
    vec![
        group("general", general, lines("name")),
        group("audiences", Vec::new(), audiences),
        group("recordings", Vec::new(), recordings),
        group("origins", Vec::new(), origins),
        form(
            "/settings/look",
            ["/settings", "/settings/look"],
            Vec::new(),
            texts("accent", ["#7a1f3d", "#1f3d7a"], true),
        ),
    ]
}

/// The forms about single sign-on, a learning system and a member.
async fn access(world: &World) -> Vec<Form> {
    let (app, operator, id) = (&world.app, &Actor::Operator, world.institution.id);
    let new = sso::New {
        name: Some("Campus".into()),
        issuer: "http://127.0.0.1:9".into(),
        client_id: "endonym".into(),
        client_secret: "secret".into(),
        domains: Vec::new(),
        tenant: None,
        any_account: true,
        trusts_unverified_email: false,
        scopes: Vec::new(),
    };
    let connection = sso::create(app, operator, id, new).await.unwrap().id.to_string();
    let new = tool_consumers::New {
        name: "Canvas".into(),
        kind: LmsKind::Canvas,
        url: "http://127.0.0.1:9".into(),
        product: None,
        roles: vec![endonym::domain::roster::Role::Student],
        access_token: Some("secret".into()),
        lti: None,
    };
    let system = tool_consumers::create(app, operator, id, new).await.unwrap().0.id;
    set(world, &world.institution, BEA, Role::Manager, &[&world.page]).await;

    let directory_group = Directory::new(world).await.group("Choir", &[]).await;
    let directory_group = format!("/directories/groups/{directory_group}");
    let kinds =
        ["admin", "owner"].map(|kind| (fields(&[("kind", kind)]), format!("value=\"{kind}\" checked")));

    let page = world.page.id.to_string();
    let roles = [("reader", vec![("page", page)]), ("admin", Vec::new())].map(|(role, pages)| {
        let sent: Fields = [("role", role.to_owned())].into_iter().chain(pages).collect();
        (sent, format!("value=\"{role}\" checked"))
    });
    let group = fields(&[("connection", connection.as_str()), ("role", "admin")]);
    let (sign_on, edit) =
        (format!("/settings/sign-on/{connection}"), format!("/learning-systems/{system}/edit"));
    vec![
        form(
            "/settings/sign-on/{id}",
            [sign_on.as_str(); 2],
            fields(&[("client_id", "endonym"), ("any_account", "1")]),
            lines("name"),
        ),
        form(
            "/settings/sign-on/only",
            ["/settings/sign-on/only"; 2],
            fields(&[]),
            ["members", "everybody"]
                .map(|word| (fields(&[("sso_only", word)]), format!("value=\"{word}\" checked"))),
        ),
        form("/members/groups", ["/members/groups"; 2], group, lines("group")),
        form(
            "/members/groups/claim",
            ["/members/groups", "/members/groups/claim"],
            fields(&[("connection", connection.as_str())]),
            lines("claim"),
        ),
        form(
            "/members/change",
            ["/members/change?email=bea@example.edu", "/members/change"],
            fields(&[("email", BEA)]),
            roles,
        ),
        form(
            "/learning-systems/{id}/edit",
            [edit.as_str(); 2],
            fields(&[("role-student", "yes"), ("schedule", "hourly")]),
            lines("name"),
        ),
        form("/directories/groups/{id}", [directory_group.as_str(); 2], Vec::new(), kinds),
    ]
}

/// Everything that the console can edit.
async fn forms(world: &World) -> Vec<Form> {
    world.person("Ana", "ana@example.edu").await;
    world.custom_field("voice").await;
    let person = format!("/people/{}/edit", id_of(world, "ana@example.edu").await);
    let name_page = format!("/name-pages/{}", world.page.id);
    let page = [("register", "invited"), ("listen", "registered"), ("moderation", "off"), ("domains", "")];
    let field = [("kind", "text"), ("options", ""), ("edited_by", "staff"), ("asked", "off")];
    let mail_text = [("message", "invitation"), ("language", "de"), ("do", "save"), ("text", "{link}")];
    let mut all = settings();
    all.extend(access(world).await);
    all.extend([
        form(
            "/people/{id}/edit",
            [person.as_str(); 2],
            fields(&[("was_first_name", "")]),
            lines("first_name"),
        ),
        form("/name-pages/{id}", [name_page.as_str(); 2], fields(&page), lines("title")),
        form("/custom-fields/{name}", ["/custom-fields/voice"; 2], fields(&field), lines("label")),
        form(
            "/start/name",
            ["/start", "/start/name"],
            fields(&[("zone", "UTC")]),
            texts("name", ["Their college", "My college"], true),
        ),
        form(
            "/audit/retention",
            ["/audit", "/audit/retention"],
            fields(&[("keep", "days")]),
            texts("days", ["91", "92"], true),
        ),
        form(
            "/settings/consent",
            ["/settings/consent?language=de", "/settings/consent"],
            fields(&[("language", "de"), ("do", "save")]),
            texts("text", ["Their text.", "My text."], false),
        ),
        form(
            "/messages/texts",
            ["/messages/texts?message=invitation&language=de", "/messages/texts"],
            fields(&mail_text),
            texts("subject", ["Their subject", "My subject"], false),
        ),
    ]);
    all
}

async fn owners(world: &World) -> [Browser<'_>; 2] {
    [
        member_named(world, &world.institution, "one@example.edu", Role::Owner, &[]).await,
        member_named(world, &world.institution, "two@example.edu", Role::Owner, &[]).await,
    ]
}

/// The version in the form, as this browser sees it now.
async fn seen(browser: &Browser<'_>, form: &Form) -> String {
    let page = browser.get(&form.page).await.expect(200);
    version(&page.body, &form.action).to_owned()
}

/// Sends the form as one of the two.
async fn send(browser: &Browser<'_>, form: &Form, which: usize, version: &str) -> Seen {
    send_with(browser, form, which, version, None).await
}

/// `send`, with another value of one field.
async fn send_with(
    browser: &Browser<'_>,
    form: &Form,
    which: usize,
    version: &str,
    other: Option<(&str, &str)>,
) -> Seen {
    let (csrf, base) = (browser.csrf(), browser.base().to_owned());
    let own = form.fixed.iter().chain(&form.sent[which].0);
    let mut fields: Vec<(&str, &str)> = own.map(|(name, value)| (*name, value.as_str())).collect();
    if let Some(other) = other {
        fields.retain(|(name, _)| *name != other.0);
        fields.push(other);
    }
    fields.push(("version", version));
    if form.rule != "/settings/look" {
        return browser.post(&form.action, &fields).await;
    }
    // It has a file, which is not chosen.
    fields.push(("csrf", csrf.as_str()));
    let headers = [("origin", base.as_str()), ("sec-fetch-site", "same-origin")];
    browser.post_file(&form.action, ("logo", b""), &fields, &headers).await
}

/// A value that the form refuses. `None` if it has only boxes.
fn mistake(form: &Form) -> Option<(&'static str, String)> {
    let (name, value) = match form.rule {
        "/settings/groups/{group}" => match form.action.rsplit('/').next().unwrap() {
            "general" => ("time_zone", "Nowhere"),
            "audiences" => ("public", ""),
            "origins" => ("origins", "nonsense"),
            "recordings" => return None,
            other => panic!("{other}: which value does this form refuse?"),
        },
        "/settings/look" => ("accent", "nonsense"),
        "/settings/sign-on/{id}" => ("domains", "@"),
        "/settings/sign-on/only" => ("sso_only", "nobody"),
        "/members/groups" => ("group", ""),
        "/members/groups/claim" => ("claim", ""),
        "/members/change" => ("role", ""),
        "/learning-systems/{id}/edit" => ("name", ""),
        // Of no page.
        "/directories/groups/{id}" => ("kind", "page"),
        "/people/{id}/edit" => return Some(("first_name", "x".repeat(300))),
        "/name-pages/{id}" => ("title", ""),
        "/custom-fields/{name}" => ("label", ""),
        "/start/name" => ("zone", "Nowhere"),
        "/audit/retention" => ("days", "many"),
        "/settings/consent" | "/messages/texts" => ("text", " "),
        other => panic!("{other}: which value does this form refuse?"),
    };
    Some((name, value.to_owned()))
}

/// They are told, see what they have typed, and can save it again.
fn check_told(form: &Form, which: usize, told: &Seen, now: &str) {
    let (what, body) = (&form.action, plain(&told.body));
    assert!([409, 422].contains(&told.status.as_u16()), "{what}: {} {body}", told.status);
    assert!(body.contains("Somebody else has changed"), "{what}: {body}");
    assert!(body.contains(&form.sent[which].1), "{what}: {} in {body}", form.sent[which].1);
    assert_eq!(version(&told.body, &form.action), now, "{what}: {body}");
}

#[tokio::test]
async fn every_form_of_the_console_edits_something_or_does_not() {
    let world = World::on_sqlite().await;
    let forms = forms(&world).await;
    let known: BTreeSet<&str> = forms.iter().map(|form| form.rule).chain(ACTS.iter().copied()).collect();
    let rules = console::rules();
    let posts = rules.iter().filter(|rule| rule.method == Method::POST);
    let posts: BTreeSet<&str> =
        posts.map(|rule| rule.path.strip_prefix("/console/{slug}").unwrap()).collect();
    assert_eq!(known, posts, "a form that edits something is in `forms`, every other one is in `ACTS`");
}

#[tokio::test]
async fn the_second_of_two_is_told_and_nothing_is_lost() {
    let world = World::new().await;
    let (forms, [one, two]) = (forms(&world).await, owners(&world).await);
    for form in &forms {
        let what = &form.action;
        let old = seen(&one, form).await;
        assert_eq!(seen(&two, form).await, old, "{what}");
        world.advance(Duration::from_secs(1));
        let saved = send(&one, form, 0, &old).await;
        assert_eq!(saved.status, 303, "{what}: {}", saved.body);
        let now = seen(&one, form).await;
        assert_ne!(now, old, "{what}");

        let told = send(&two, form, 1, &old).await;
        check_told(form, 1, &told, &now);
        assert_eq!(seen(&one, form).await, now, "{what}: nothing of the second one was saved");
        // A form without a version is not one of ours.
        let told = send(&two, form, 1, "").await;
        check_told(form, 1, &told, &now);

        world.advance(Duration::from_secs(1));
        let again = send(&two, form, 1, &now).await;
        assert_eq!(again.status, 303, "{what}: {}", again.body);
        assert_ne!(seen(&one, form).await, now, "{what}");
    }
}

/// Otherwise the next attempt would replace what they have never seen.
#[tokio::test]
async fn after_a_mistake_the_second_of_two_is_still_told() {
    let world = World::new().await;
    let (forms, [one, two]) = (forms(&world).await, owners(&world).await);
    for form in &forms {
        let (what, Some((name, value))) = (&form.action, mistake(form)) else { continue };
        let mistake = Some((name, value.as_str()));
        let old = seen(&two, form).await;
        let is_told = |page: &Seen| plain(&page.body).contains("Somebody else has changed");
        let refused = send_with(&two, form, 1, &old, mistake).await;
        assert_eq!(refused.status, 422, "{what}: {}", refused.body);
        assert!(!is_told(&refused), "{what}: {}", refused.body);
        assert_eq!(version(&refused.body, what), old, "{what}: {}", refused.body);

        world.advance(Duration::from_secs(1));
        let saved = send(&one, form, 0, &old).await;
        assert_eq!(saved.status, 303, "{what}: {}", saved.body);
        let now = seen(&one, form).await;
        assert_ne!(now, old, "{what}");
        let refused = send_with(&two, form, 1, &old, mistake).await;
        let shown = version(&refused.body, what);
        if is_told(&refused) {
            assert_eq!(shown, now, "{what}: {}", refused.body);
        } else {
            assert_eq!(refused.status, 422, "{what}: {}", refused.body);
            check_told(form, 1, &send(&two, form, 1, shown).await, &now);
        }
        assert_eq!(seen(&one, form).await, now, "{what}: nothing of the second one was saved");
    }
}

/// Both have passed everything that is checked outside of the transaction, and wait for the database. With SQLite, because there the
/// test can keep its only writer.
#[tokio::test]
async fn of_two_at_the_same_moment_one_is_told() {
    let world = World::on_sqlite().await;
    let (forms, [one, two]) = (forms(&world).await, owners(&world).await);
    for form in &forms {
        let what = &form.action;
        let old = seen(&one, form).await;
        assert_eq!(seen(&two, form).await, old, "{what}");
        world.advance(Duration::from_secs(1));
        let (release, wait) = mpsc::channel::<()>();
        let db = world.app.db.clone();
        let keeping = tokio::spawn(async move {
            let kept = db.write::<_, store::Error>(move |_sql| {
                Box::pin(async move {
                    let _ = wait.recv();
                    Ok(())
                })
            });
            kept.await
        });
        let releasing = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            release.send(()).unwrap();
        };
        let (first, second, ()) =
            tokio::join!(send(&one, form, 0, &old), send(&two, form, 1, &old), releasing);
        keeping.await.unwrap().unwrap();
        let (which, told) = match (first.status.as_u16(), second.status.as_u16()) {
            (303, _) => (1, second),
            (_, 303) => (0, first),
            other => panic!("{what}: nobody has won: {other:?} {}", first.body),
        };
        check_told(form, which, &told, &seen(&one, form).await);
    }
}

//! Learning systems in the console.

use endonym::{
    app::{
        Actor, Error, courses,
        lti::registrations,
        tool_consumers::{self, Change},
    },
    domain::{
        course::Sync,
        fault::{self, Field},
        member::Role,
        roster,
        tool_consumer::{LmsKind, ToolConsumer},
    },
};

use super::{console, input, member, member_of};
use crate::{
    courses::patient,
    lms::{
        canvas::{Canvas, Fault},
        moodle::{self, Moodle},
        people::Person,
    },
    support::{World, until},
};

const PATH: &str = "/learning-systems";

async fn canvas() -> Canvas {
    let canvas = Canvas::start().await;
    canvas.course(101, Some("RHE-1"), "Rhetoric");
    canvas.enrol(101, Person::student(1, "Ada", "Lovelace"));
    canvas
}

async fn systems(world: &World) -> Vec<ToolConsumer> {
    tool_consumers::all(&world.app, &Actor::Operator, Some(world.institution.id)).await.unwrap()
}

/// The results of the steps on a page, in their order.
fn steps(page: &str) -> Vec<&str> {
    let list = page.split("<ol class=\"steps\">").nth(1).unwrap_or_else(|| panic!("{page}"));
    let list = list.split("</ol>").next().unwrap();
    list.split("<li class=\"").skip(1).map(|step| step.split('"').next().unwrap()).collect()
}

#[tokio::test]
async fn canvas_is_checked_at_each_step_and_then_connected() {
    let world = World::with(patient()).await;
    world.work(2);
    let canvas = canvas().await;
    let admin = member(&world, Role::Admin).await;
    let form = console(&world, &format!("{PATH}/new"));
    admin.get(&format!("{form}?kind=canvas")).await.expect(200);
    let send = async |url: &str, token: &str, more: &[(&str, &str)]| {
        let fields = [("kind", "canvas"), ("name", "Campus"), ("url", url), ("access_token", token)];
        let fields = [&fields[..], &[("role-student", "yes")], more].concat();
        admin.post(&form, &fields).await
    };
    let nobody =
        [("kind", "canvas"), ("name", "Campus"), ("url", canvas.url()), ("access_token", canvas.token())];
    let page = admin.post(&form, &nobody).await.expect(422).body;
    assert!(page.contains("id=\"roles-fault\">Please choose at least one."), "{page}");
    assert!(systems(&world).await.is_empty(), "nobody would be listed");
    let blank = send("", "", &[]).await.expect(422).body;
    assert_eq!(blank.matches("Please fill this in.").count(), 2, "{blank}");

    // Nobody may be at this address.
    let page = send("http://10.0.0.1", canvas.token(), &[]).await.expect(422).body;
    assert_eq!(steps(&page), ["failed", "skipped", "skipped", "skipped"], "{page}");
    assert!(page.contains("value=\"http://10.0.0.1\"") && page.contains("value=\"Campus\""), "{page}");
    let page = send(canvas.url(), "wrong", &[]).await.expect(422).body;
    assert_eq!(steps(&page), ["passed", "failed", "skipped", "skipped"], "{page}");
    assert!(systems(&world).await.is_empty(), "nothing was connected");

    let page = send(canvas.url(), canvas.token(), &[("do", "check")]).await.expect(200).body;
    assert_eq!(steps(&page), ["passed"; 4], "{page}");
    assert!(systems(&world).await.is_empty(), "it was only checked");
    let page = send(canvas.url(), canvas.token(), &[("do", "connect")]).await.expect(200).body;
    assert!(page.contains("The learning system is connected"), "{page}");
    let [system] = &systems(&world).await[..] else { panic!("one system") };
    let one = console(&world, &format!("{PATH}/{}", system.id));
    assert!(page.contains(&one), "{page}");
    assert!(admin.get(&console(&world, PATH)).await.expect(200).body.contains("Campus"));

    synchronizes(&world, &admin, &canvas, system).await;
}

/// Courses are synchronized from the page of the system, and their errors are shown.
async fn synchronizes(world: &World, admin: &crate::me::Browser<'_>, canvas: &Canvas, system: &ToolConsumer) {
    let one = console(world, &format!("{PATH}/{}", system.id));
    let sync = format!("{one}/synchronize");
    let page = admin.post(&sync, &[("course", "")]).await.expect(422).body;
    assert!(page.contains("Please enter the ID of a course."), "{page}");
    let page = admin.post(&sync, &[("course", "999")]).await.expect(422).body;
    assert!(page.contains("has no such course") && page.contains("value=\"999\""), "{page}");
    admin.post(&sync, &[("course", "101")]).await.redirects_to(&format!("{one}?done=started"));
    let settled = async || {
        let all = courses::all(&world.app, &Actor::Operator, system).await.unwrap();
        all.iter().all(|course| course.sync == Sync::Idle)
    };
    until("the course is synchronized", settled).await;
    let page = admin.get(&one).await.expect(200).body;
    assert!(page.contains("Rhetoric") && page.contains("Synchronized"), "{page}");

    canvas.fault(Fault::TokenDead);
    let page = admin.post(&sync, &[("course", "101")]).await.expect(422).body;
    assert!(page.contains("The learning system could not be asked"), "{page}");
    let page = admin.get(&one).await.expect(200).body;
    assert!(page.contains("<p class=\"fault\" lang=\"en\" dir=\"ltr\">"), "why it failed: {page}");
    let page = admin.post(&format!("{one}/check"), &[]).await.expect(200).body;
    assert_eq!(steps(&page), ["passed", "failed", "skipped", "skipped"], "{page}");
    canvas.heal();
    let page = admin.post(&format!("{one}/check"), &[]).await.expect(200).body;
    assert_eq!(steps(&page), ["passed"; 4], "{page}");
    admin.post(&format!("{one}/synchronize-all"), &[]).await.redirects_to(&format!("{one}?done=all-started"));
    let all = courses::all(&world.app, &Actor::Operator, system).await.unwrap();
    assert!(all.iter().all(|course| course.next_sync_at.unwrap() <= world.app.clock.now()));
}

#[tokio::test]
async fn moodle_without_a_function_fails_at_its_permissions() {
    let world = World::with(patient()).await;
    let moodle = Moodle::start().await;
    moodle.fault(moodle::Fault::NoPermission);
    let admin = member(&world, Role::Admin).await;
    let form = console(&world, &format!("{PATH}/new"));
    let send = async |token: &str, more: &[(&str, &str)]| {
        let fields = [("kind", "moodle"), ("name", "Moodle"), ("url", moodle.url()), ("access_token", token)];
        admin.post(&form, &[&fields[..], &[("role-student", "yes")], more].concat()).await
    };
    let page = send(moodle.token(), &[]).await.expect(422).body;
    assert_eq!(steps(&page), ["passed", "passed", "failed", "skipped"], "{page}");
    moodle.heal();
    let page = send("wrong", &[]).await.expect(422).body;
    assert_eq!(steps(&page), ["passed", "failed", "skipped", "skipped"], "{page}");
    // Somebody may know better.
    send("wrong", &[("anyway", "yes")]).await.expect(200);
    assert_eq!(systems(&world).await.len(), 1);
}

#[tokio::test]
async fn a_registration_link_is_shown_once_and_works() {
    let world = World::on_sqlite().await;
    let admin = member(&world, Role::Admin).await;
    admin.get(&console(&world, PATH)).await.expect(200);
    let page = admin.post(&console(&world, &format!("{PATH}/invitation")), &[]).await.expect(200).body;
    let link = page.split("id=\"link\"").nth(1).unwrap().split("value=\"").nth(1).unwrap();
    let link = link.split('"').next().unwrap();
    let secret = link.strip_prefix(&format!("{}/lti/register/", world.base)).unwrap();
    assert!(registrations::is_open(&world.app, secret).await.unwrap());
    world.advance(std::time::Duration::from_secs(7 * 86_400));
    assert!(!registrations::is_open(&world.app, secret).await.unwrap());
}

#[tokio::test]
async fn a_platform_waits_until_it_is_confirmed_and_one_of_before_is_renewed() {
    let world = World::with(patient()).await;
    let admin = member(&world, Role::Admin).await;
    let form = console(&world, &format!("{PATH}/new"));
    let page = admin.get(&format!("{form}?kind=lti")).await.expect(200).body;
    let login = format!("{}/lti/{}/login", world.base, world.institution.slug);
    assert!(page.contains(&login), "what the platform asks for: {page}");
    // Nobody listens there, so nothing proves whose platform it is.
    let issuer = "http://127.0.0.1:9";
    let urls = ["auth", "token", "jwks"].map(|path| format!("{issuer}/{path}"));
    let fields = [
        ("kind", "lti"),
        ("name", "Campus"),
        ("url", issuer),
        ("client_id", "tool-1"),
        ("deployments", "d1"),
        ("auth_url", &urls[0]),
        ("token_url", &urls[1]),
        ("jwks_url", &urls[2]),
        ("role-student", "yes"),
    ];
    let page = admin.post(&form, &fields).await.expect(200).body;
    let [system] = &systems(&world).await[..] else { panic!("one system") };
    let command = format!("endonym tool-consumer confirm {}", system.id);
    assert!(system.is_unconfirmed() && page.contains(&command), "{page}");
    let one = console(&world, &format!("{PATH}/{}", system.id));
    for path in [&one, &console(&world, PATH)] {
        let page = admin.get(path).await.expect(200).body;
        assert!(page.contains("Waiting for confirmation"), "{page}");
    }
    let page = admin.get(&one).await.expect(200).body;
    assert!(page.contains(&command) && page.contains(&login) && page.contains(issuer), "{page}");
    let page = admin.post(&format!("{one}/prove"), &[]).await.expect(422).body;
    assert!(page.contains("Nothing proves the issuer yet"), "{page}");
    let page = admin.post(&format!("{one}/synchronize"), &[("course", "7")]).await.expect(422).body;
    assert!(page.contains("id=\"course-fault\">Nobody can come in"), "{page}");
    let confirmed = tool_consumers::confirm(&world.app, &Actor::Operator, system.id).await.unwrap();
    let page = admin.get(&one).await.expect(200).body;
    assert!(page.contains("Whoever runs this server") && !page.contains(&command), "{page}");

    crate::lti::institutions::make_shared(&world, &confirmed).await;
    let page = admin.get(&one).await.expect(200).body;
    assert!(page.contains("Renew the registration"), "{page}");
    let page = admin.post(&format!("{one}/renew"), &[]).await.expect(422).body;
    assert!(page.contains(&format!("endonym tool-consumer renew {}", system.id)), "{page}");
    assert!(systems(&world).await[0].is_shared(), "nothing has changed");
    tool_consumers::renew(&world.app, &Actor::Operator, system.id).await.unwrap();
    assert!(!admin.get(&one).await.expect(200).body.contains("Renew the registration"));
}

#[tokio::test]
async fn a_system_is_changed_disabled_and_deleted() {
    let world = World::with(patient()).await;
    let canvas = canvas().await;
    let system = connected(&world, &canvas).await;
    let admin = member(&world, Role::Admin).await;
    let one = console(&world, &format!("{PATH}/{}", system.id));
    let edit = format!("{one}/edit");
    let shown = admin.get(&edit).await.expect(200).body;
    let version = input(&shown, "version");
    let roles = [("role-student", "yes"), ("role-teacher", "yes"), ("schedule", "hourly")];
    let fields = [&[("version", version.as_str()), ("name", "Canvas")][..], &roles].concat();
    let blank = [&[("version", version.as_str()), ("name", " ")][..], &roles].concat();
    let page = admin.post(&edit, &blank).await.expect(422).body;
    assert!(page.contains("Please fill this in."), "{page}");
    // Without a role, nobody would be listed.
    let nobody = [("version", version.as_str()), ("name", "Nobody"), ("schedule", "hourly")];
    let page = admin.post(&edit, &nobody).await.expect(422).body;
    assert!(page.contains("id=\"roles-fault\">Please choose at least one."), "{page}");
    assert!(page.contains("value=\"Nobody\"") && !page.contains("value=\"yes\" checked"), "{page}");
    assert_eq!(systems(&world).await[0].name, system.name);
    admin.post(&edit, &fields).await.redirects_to(&format!("{one}?done=saved"));
    let changed = &systems(&world).await[0];
    assert_eq!(
        (changed.name.as_str(), changed.roles.len(), changed.schedule.word()),
        ("Canvas", 2, "hourly")
    );
    assert!(changed.sealed_access_token == system.sealed_access_token, "a blank token changes nothing");

    // Somebody else was faster: both texts are shown, and nothing is lost.
    let fields = [&[("version", version.as_str()), ("name", "Mine")][..], &roles].concat();
    let page = admin.post(&edit, &fields).await.expect(409).body;
    assert!(page.contains("value=\"Mine\"") && page.contains("Stored now: <bdi>Canvas</bdi>"), "{page}");
    assert_eq!(systems(&world).await[0].name, "Canvas");
    let version = input(&page, "version");
    let fields = [&[("version", version.as_str()), ("name", "Mine")][..], &roles].concat();
    admin.post(&edit, &fields).await.redirects_to(&format!("{one}?done=saved"));

    admin.post(&format!("{one}/switch"), &[("enabled", "no")]).await.expect(303);
    assert!(!systems(&world).await[0].enabled);
    let page = admin.post(&format!("{one}/synchronize"), &[("course", "101")]).await.expect(422).body;
    assert!(page.contains("This learning system is disabled."), "{page}");
    admin.post(&format!("{one}/switch"), &[("enabled", "yes")]).await.expect(303);
    assert!(systems(&world).await[0].enabled);

    let page = admin.post(&format!("{one}/delete"), &[("name", "mine")]).await.expect(422).body;
    assert!(page.contains("This is not its name.") && page.contains("value=\"mine\""), "{page}");
    let gone = console(&world, &format!("{PATH}?done=deleted"));
    admin.post(&format!("{one}/delete"), &[("name", "Mine")]).await.redirects_to(&gone);
    assert!(systems(&world).await.is_empty());
    admin.get(&one).await.expect(404);
}

fn campus(canvas: &Canvas) -> tool_consumers::New {
    tool_consumers::New {
        name: "Campus".into(),
        kind: LmsKind::Canvas,
        url: canvas.url().into(),
        product: None,
        roles: vec![roster::Role::Student],
        access_token: Some(canvas.token().into()),
        lti: None,
    }
}

async fn connected(world: &World, canvas: &Canvas) -> ToolConsumer {
    let made = tool_consumers::create(&world.app, &Actor::Operator, world.institution.id, campus(canvas));
    made.await.unwrap().0
}

#[tokio::test]
async fn nobody_connects_a_system_that_would_list_nobody() {
    let world = World::with(patient()).await;
    let new = tool_consumers::New { roles: Vec::new(), ..campus(&canvas().await) };
    match tool_consumers::create(&world.app, &Actor::Operator, world.institution.id, new).await {
        Err(Error::Invalid(errors)) => assert_eq!(errors.of(&Field::Role), [fault::Fault::Blank]),
        other => panic!("{:?}", other.map(|(made, _)| made.roles)),
    }
    assert!(systems(&world).await.is_empty());
}

#[tokio::test]
async fn only_admins_of_the_institution_see_its_systems() {
    let world = World::with(patient()).await;
    let canvas = canvas().await;
    let system = connected(&world, &canvas).await;
    let below = format!("{PATH}/{}", system.id);
    for role in [Role::Manager, Role::Reader] {
        let browser = member(&world, role).await;
        for path in [PATH, &below, &format!("{below}/edit"), &format!("{PATH}/new")] {
            browser.get(&console(&world, path)).await.expect(403);
        }
        for path in ["check", "switch", "synchronize", "synchronize-all", "delete"] {
            browser.post(&console(&world, &format!("{below}/{path}")), &[]).await.expect(403);
        }
    }
    let there = world.neighbor().await;
    let stranger = member_of(&world, &there.institution, Role::Owner, &[]).await;
    let theirs = format!("/console/{}{below}", there.institution.slug);
    stranger.get(&theirs).await.expect(404);
    stranger.get(&format!("{theirs}/edit")).await.expect(404);
    for path in ["check", "switch", "synchronize", "synchronize-all", "delete", "edit"] {
        stranger.post(&format!("{theirs}/{path}"), &[("name", "Campus"), ("course", "1")]).await.expect(404);
    }
    let [kept] = &systems(&world).await[..] else { panic!("it is still there") };
    assert!(kept.enabled && canvas.requests().is_empty());
    let change = Change { enabled: Some(false), ..Change::default() };
    tool_consumers::update(&world.app, &Actor::Operator, system.id, change).await.unwrap();
    let admin = member(&world, Role::Admin).await;
    assert!(admin.get(&console(&world, PATH)).await.expect(200).body.contains("Disabled"));
}

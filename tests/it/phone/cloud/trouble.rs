//! Lost responses, late or misplaced recordings, and restarted processes.

use std::sync::{Arc, Mutex};

use endonym::{
    app::{Actor, App, Parts},
    http::service::Draining,
    phone::cloud,
    server::{self, Limits},
    site,
};
use tokio_util::sync::CancellationToken;

use super::*;

/// Somebody who records the prompts that they hear.
async fn eavesdropper() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let noted = heard.clone();
    let router = axum::Router::new().fallback(move |request: axum::extract::Request| async move {
        noted.lock().unwrap().push(request.uri().to_string());
    });
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (address, heard)
}

fn good() -> Person {
    Person::Answers(vec![Presses('1'), Says(wav(1.0)), Presses('1')])
}

#[tokio::test]
async fn a_call_that_was_made_without_an_answer_is_not_made_twice() {
    for lost in [Create::Fails { made: true }, Create::Cut { made: true }] {
        let scene = Scene::new().await;
        scene.vendor.inner().create = lost;
        let call = scene.call_to(good()).await;
        assert_eq!(how(&call), (State::Recorded, None), "{lost:?}: its webhooks say which it is");
        assert_eq!(scene.vendor.inner().calls.len(), 1);
    }
}

#[tokio::test]
async fn a_call_that_is_not_heard_of_is_asked_for_by_number_and_time() {
    let scene = Scene::allowing(Dialect::Twilio, 2).await;
    scene.vendor.inner().create = Create::Fails { made: true };
    scene.call().await;
    assert_eq!(scene.listed().await.state, State::Dialing);
    // It keeps ringing.
    let sid = scene.last_call().sid;
    scene.nothing_is_heard().await;
    let named = "call_attempts WHERE vendor_call IS NOT NULL";
    until("the call has its name", || async { scene.count(named).await == 1 }).await;
    assert_eq!(scene.listed().await.state, State::Dialing);
    // Then it ends, but no webhook arrives.
    scene.vendor.inner().create = Create::Fails { made: false };
    scene.vendor.inner().calls[0].status = "busy".into();
    scene.nothing_is_heard().await;
    until("it is tried again", || async { scene.listed().await.attempts.len() == 2 }).await;
    assert_eq!(scene.listed().await.attempts[0].state, State::Busy);
    // The next attempt does not mistake the first one's call for its own.
    scene.nothing_is_heard().await;
    let call = scene.settled().await;
    assert_eq!(how(&call), (State::Failed, Some(Reason::Unreachable)));
    assert_eq!(scene.last_call().sid, sid);
    assert_eq!(scene.vendor.inner().calls.len(), 1);
}

#[tokio::test]
async fn a_call_that_was_never_made_has_failed() {
    for lost in [Create::Fails { made: false }, Create::Cut { made: false }] {
        let scene = Scene::new().await;
        scene.vendor.inner().create = lost;
        scene.ana().await;
        until("it is tried", || async { scene.listed().await.state == State::Dialing }).await;
        scene.nothing_is_heard().await;
        assert_eq!(how(&scene.settled().await), (State::Failed, Some(Reason::Unreachable)), "{lost:?}");
    }
}

#[tokio::test]
async fn a_call_that_is_refused_has_failed_at_once() {
    for refused in [Create::Refuses, Create::Redirects] {
        let scene = Scene::new().await;
        scene.vendor.inner().create = refused;
        scene.ana().await;
        assert_eq!(how(&scene.settled().await), (State::Failed, Some(Reason::Unreachable)), "{refused:?}");
    }
}

#[tokio::test]
async fn a_call_whose_end_nobody_tells_is_asked_about() {
    let scene = Scene::new().await;
    scene.call().await;
    let call = scene.last_call();
    scene.vendor.ask(&call, call.given("Url"), &[]).await.unwrap();
    scene.vendor.inner().calls[0].status = "completed".into();
    scene.nothing_is_heard().await;
    assert_eq!(how(&scene.settled().await), (State::Failed, Some(Reason::HungUp)));
}

#[tokio::test]
async fn a_call_that_never_ends_is_ended() {
    let scene = Scene::new().await;
    scene.call().await;
    let call = scene.last_call();
    scene.vendor.inner().calls[0].status = "in-progress".into();
    scene.vendor.ask(&scene.last_call(), call.given("Url"), &[]).await.unwrap();
    scene.nothing_is_heard().await;
    scene.world.advance(std::time::Duration::from_secs(700));
    scene.nothing_is_heard().await;
    assert_eq!(how(&scene.settled().await), (State::Failed, Some(Reason::Interrupted)));
    assert_eq!(scene.vendor.inner().updates, [(call.sid, "completed".to_owned())]);
}

#[tokio::test]
async fn a_recording_may_be_late() {
    let scene = Scene::new().await;
    scene.vendor.inner().late_by = 3;
    assert_eq!(how(&scene.call_to(good()).await), (State::Recorded, None));
}

#[tokio::test]
async fn a_recording_that_never_comes_ends_the_attempt() {
    let scene = Scene::new().await;
    scene.vendor.inner().late_by = usize::MAX;
    scene.vendor.next_person(good());
    scene.call().await;
    // Advance the clock past the retries; the 24th failure is the last.
    let failed = "jobs WHERE kind = 'fetch_take' AND failures > 0";
    until("it is not there", || async {
        scene.world.advance(std::time::Duration::from_millis(500));
        scene.count(failed).await == 1
    })
    .await;
    assert_eq!(scene.listed().await.state, State::InProgress, "it may still come");
    let text = "UPDATE jobs SET run_at = 1, failures = 23 WHERE kind = 'fetch_take'";
    execute(&scene.world.app.db, text, vec![]).await;
    let over = |call: Listed| !call.state.is_pending();
    until("it is given up", || async { over(scene.listed().await) }).await;
    assert_eq!(how(&scene.listed().await), (State::Failed, Some(Reason::Unusable)));
    until("it is removed there", || async { scene.deleted() == (1, 1) }).await;
}

#[tokio::test]
async fn a_recording_is_fetched_from_the_api_whatever_address_is_told() {
    let scene = Scene::new().await;
    let (elsewhere, heard) = eavesdropper().await;
    scene.vendor.inner().recordings_at = Some(elsewhere);
    assert_eq!(how(&scene.call_to(good()).await), (State::Recorded, None));
    assert_eq!(*heard.lock().unwrap(), Vec::<String>::new());
    assert_eq!(scene.deleted(), (1, 1));
}

#[tokio::test]
async fn nobody_is_followed_to_another_host() {
    let scene = Scene::new().await;
    let (elsewhere, heard) = eavesdropper().await;
    scene.vendor.inner().recordings_go_to = Some(elsewhere);
    scene.vendor.next_person(good());
    scene.call().await;
    let failed = "jobs WHERE kind = 'fetch_take' AND failures > 0";
    until("it is not fetched", || async { scene.count(failed).await == 1 }).await;
    assert_eq!(*heard.lock().unwrap(), Vec::<String>::new());
    let text = "SELECT error FROM jobs WHERE kind = 'fetch_take'";
    let error = scene.world.app.db.read().one(text, &[], |row| row.text(0)).await.unwrap().unwrap();
    assert!(error.contains("which is not followed") && !error.contains("t0ken"), "{error}");
}

#[tokio::test]
async fn a_call_that_is_canceled_is_hung_up() {
    // While it rings, …
    let scene = Scene::new().await;
    scene.vendor.next_person(Person::RingsOn);
    scene.call().await;
    until("it rings", || async { scene.last_call().status == "ringing" }).await;
    calls::cancel(&scene.world.app, &Actor::Operator, scene.listed().await.id).await.unwrap();
    assert_eq!(how(&scene.settled().await), (State::Canceled, Some(Reason::ByOperator)));
    let sid = scene.last_call().sid;
    assert_eq!(scene.vendor.inner().updates, [(sid, "canceled".to_owned())]);
    // … and in the middle of it, with what was said so far.
    let scene = Scene::new().await;
    scene.vendor.next_person(Person::Answers(vec![Presses('1'), Says(wav(1.0)), Act::Waits]));
    scene.call().await;
    until("they listen", || async { scene.said().last().is_some_and(|said| said == "review") }).await;
    calls::cancel(&scene.world.app, &Actor::Operator, scene.listed().await.id).await.unwrap();
    until("it is hung up", || async { scene.last_call().status == "completed" }).await;
    until("it is removed there", || async { scene.deleted() == (1, 1) }).await;
    assert_eq!(how(&scene.listed().await), (State::Canceled, Some(Reason::ByOperator)));
}

#[tokio::test]
async fn a_call_that_is_canceled_before_its_name_is_known_is_hung_up_as_soon_as_it_is() {
    let scene = Scene::new().await;
    scene.vendor.inner().create = Create::Waits;
    scene.call().await;
    calls::cancel(&scene.world.app, &Actor::Operator, scene.listed().await.id).await.unwrap();
    scene.vendor.go_on.notify_one();
    until("it is hung up", || async { !scene.vendor.inner().updates.is_empty() }).await;
    scene.settled().await;
    let sid = scene.last_call().sid;
    assert_eq!(scene.vendor.inner().updates, [(sid, "canceled".to_owned())]);
}

#[tokio::test]
async fn a_conversation_goes_on_in_another_process() {
    let scene = Scene::new().await;
    scene.vendor.next_person(Person::Answers(vec![Presses('1'), Act::Waits]));
    scene.call().await;
    let call = scene.last_call();
    until("they are to say their name", || async {
        scene.said().last().is_some_and(|said| said == "say-your-name")
    })
    .await;
    // The process is gone; another one takes its place behind the load balancer, with the state from the database.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let here = format!("http://{}", listener.local_addr().unwrap());
    let (world, before) = (&scene.world, &scene.world.app);
    let setup = Setup {
        calling: before.calling.clone(),
        phone: Phone { provider: before.phone.provider.clone(), ..Phone::default() },
        mail: before.mail.clone(),
        ..Setup::default()
    };
    let parts = setup.parts(before.db.clone(), &world.base, world.folder.path(), before.clock.clone());
    let (secrets, outbound) = (before.secrets.clone(), before.outbound.clone());
    let app = App::new(Parts { secrets, outbound, ..parts });
    let site = site::site(app, Draining::default());
    tokio::spawn(server::run(listener, site, Limits::default(), Default::default()));
    *scene.vendor.reroute.lock().unwrap() = Some((scene.world.base.clone(), here));
    let address = call.given("StatusCallback").replace("/status", "");
    let (_, url) = scene.vendor.record(&call.sid, wav(1.0));
    let taken = [("RecordingUrl", url.as_str()), ("RecordingDuration", "1"), ("Digits", "#")];
    let call = scene.last_call();
    let review = scene.vendor.ask(&call, &format!("{address}/steps/2"), &taken).await.unwrap();
    assert_eq!(review[0].verb, "Gather");
    assert!(review[0].attribute("action").starts_with(&scene.world.base), "{review:?}");
    let end = scene.vendor.ask(&call, review[0].attribute("action"), &[("Digits", "1")]).await.unwrap();
    assert_eq!(end.last().unwrap().verb, "Hangup");
    scene.vendor.report_status(&call.sid, "completed", &[]).await;
    assert_eq!(how(&scene.settled().await), (State::Recorded, None));
    assert_eq!(scene.deleted(), (1, 1));
}

#[tokio::test]
async fn a_test_call_is_narrated() {
    let vendor = Vendor::start(Dialect::Twilio).await;
    let Provider::Cloud(settings) = Provider::parse(&vendor.phone_url()).unwrap() else { panic!("a cloud") };
    let client = cloud::Client::new(settings).unwrap();
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let narrating = tokio::spawn(async move {
        cloud::test_call(&CancellationToken::new(), &client, ANA, 30, |line| {
            told.send(line.to_owned()).unwrap()
        })
        .await
    });
    assert!(heard.recv().await.unwrap().contains("CA"));
    let document = vendor.inner().calls[0].given("Twiml").to_owned();
    assert_eq!(vendor_library::read(&document).await[0].verb, "Say");
    for status in ["queued", "ringing", "in-progress", "completed"] {
        status.clone_into(&mut vendor.inner().calls[0].status);
        assert_eq!(heard.recv().await.unwrap(), status);
    }
    assert_eq!(narrating.await.unwrap(), cloud::TestCallResult::Answered);
    vendor.inner().create = Create::Refuses;
    let Provider::Cloud(settings) = Provider::parse(&vendor.phone_url()).unwrap() else { panic!("a cloud") };
    let client = cloud::Client::new(settings).unwrap();
    let cloud::TestCallResult::Failed(why) =
        cloud::test_call(&CancellationToken::new(), &client, ANA, 30, |_| {}).await
    else {
        panic!("refused")
    };
    assert!(why.contains("21211") && !why.contains("5550123"), "{why}");
}

#[tokio::test]
async fn only_what_was_never_sent_is_known_not_to_be_made() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap();
    let url = format!("twilio://AC1:s3cret@{host}?from=%2B12025550100&scheme=http");
    let Provider::Cloud(settings) = Provider::parse(&url).unwrap() else { panic!("a cloud") };
    let client = cloud::Client::new(settings).unwrap();
    let instructions = cloud::Instructions::Document("<Response/>".to_owned());
    // A server that reads the whole request and does not respond.
    let taking = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut taken = Vec::new();
        while !taken.ends_with(b"%3E") {
            tokio::io::AsyncReadExt::read_buf(&mut stream, &mut taken).await.unwrap();
        }
    });
    let cut = client.create_call(ANA, 30, &instructions).await.unwrap_err();
    assert!(matches!(&cut, cloud::CreateError::Ambiguous(why) if !why.contains("s3cret")), "{cut:?}");
    taking.await.unwrap();
    // Now nothing listens.
    let refused = client.create_call(ANA, 30, &instructions).await.unwrap_err();
    assert!(matches!(&refused, cloud::CreateError::Refused(why) if !why.contains("s3cret")), "{refused:?}");
}

//! Calls by a cloud provider: complete conversations with a fake vendor, and everything that can go wrong.

mod forgery;
mod killed;
mod trouble;

use std::time::Duration;

use endonym::{
    app::{
        Actor,
        calls::{self, Rules},
    },
    domain::{
        call::{Listed, Reason, State},
        countries::Countries,
        quiet_hours::QuietHours,
    },
    phone::{Phone, Prompts, Provider},
};
use serde_json::{Value, json};

use super::{
    cloud_stand_in::{Call, Create, Dialect, Vendor},
    person::{Act, Person},
    vendor_library,
};
use crate::support::{
    Setup, World,
    database::execute,
    media::{files, wav, wav_of},
    until,
};
use Act::{DoesNothing, HangsUp, Presses, Says};

const ANA: &str = "+12025550123";
const RING: Duration = Duration::from_secs(30);

struct Scene {
    world: World,
    vendor: Vendor,
}

impl Scene {
    async fn new() -> Self {
        Self::with(Dialect::Twilio).await
    }

    /// Only one attempt is allowed, so that its outcome is visible.
    async fn with(dialect: Dialect) -> Self {
        Self::allowing(dialect, 1).await
    }

    async fn allowing(dialect: Dialect, attempts: u32) -> Self {
        Self::saying(Prompts::default(), dialect, attempts).await
    }

    async fn saying(prompts: Prompts, dialect: Dialect, attempts: u32) -> Self {
        let vendor = Vendor::start(dialect).await;
        let calling = Rules {
            enabled: true,
            attempts,
            retry_after: Duration::ZERO,
            quiet_hours: QuietHours::OFF,
            ring: RING,
            max_at_once: 10,
            max_per_minute: 100,
            max_per_day: 500,
            countries: Countries::default(),
        };
        let provider = Provider::parse(&vendor.phone_url()).unwrap();
        let phone = Phone { provider, prompts, ..Phone::default() };
        let world = World::with(Setup { calling, phone, ..Setup::default() }).await;
        world.work(2);
        Self { world, vendor }
    }

    /// Registers Ana, who is then due for a call.
    async fn ana(&self) {
        let ana = json!({ "first_name": "Ana", "email": "ana@x.org", "phone_number": ANA });
        self.world.person_on(&self.world.page, ana).await;
    }

    /// Waits until the vendor calls Ana, and returns the attempt.
    async fn call(&self) -> i64 {
        self.ana().await;
        until("the call is made", || async { !self.vendor.inner().calls.is_empty() }).await;
        self.attempt().await
    }

    /// The newest one.
    async fn attempt(&self) -> i64 {
        let text = "SELECT MAX(id) FROM call_attempts";
        self.world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
    }

    /// Calls Ana, who follows this script. Returns the call once everything is done.
    async fn call_to(&self, person: Person) -> Listed {
        self.vendor.next_person(person);
        self.ana().await;
        self.settled().await
    }

    async fn listed(&self) -> Listed {
        calls::all(&self.world.app, &Actor::Operator, None, 10).await.unwrap().remove(0)
    }

    /// The call is over, and no work is left.
    async fn settled(&self) -> Listed {
        until("the call is over", || async { !self.listed().await.state.is_pending() }).await;
        // The vendor's last webhooks may arrive after the call has ended, and start new jobs.
        until("no take and no job is left", || async {
            self.count("call_takes").await == 0 && self.count("jobs WHERE every_micros IS NULL").await == 0
        })
        .await;
        assert_eq!(self.vendor.inner().problems, Vec::<String>::new());
        self.listed().await
    }

    async fn count(&self, what: &str) -> i64 {
        let text = format!("SELECT COUNT(*) FROM {what}");
        self.world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
    }

    async fn recording_link(&self) -> Value {
        let latest = self.world.get("/v5/participants/latest?tokens=ana@x.org").await.expect(200);
        latest["participants"][0]["recording_link"].clone()
    }

    /// The stored audio, unprocessed.
    fn originals(&self) -> Vec<Vec<u8>> {
        let folder = self.world.folder.path();
        let names = files(folder).into_iter().filter(|name| name.contains("originals"));
        names.map(|name| std::fs::read(folder.join(name)).unwrap()).collect()
    }

    /// The prompts and the names that were played.
    fn said(&self) -> Vec<String> {
        let short = |text: &String| {
            let end = text.rsplit('/').next().unwrap_or_default();
            if end.starts_with("RE") { "the recording".to_owned() } else { end.replace(".wav", "") }
        };
        self.vendor.inner().said.iter().map(short).collect()
    }

    fn deleted(&self) -> (usize, usize) {
        let inner = self.vendor.inner();
        (inner.recordings.values().filter(|one| one.deleted).count(), inner.recordings.len())
    }

    /// Simulates a long silence, after which the attempt is checked.
    async fn nothing_is_heard(&self) {
        let text = "UPDATE call_attempts SET until = 1 WHERE until IS NOT NULL";
        execute(&self.world.app.db, text, vec![]).await;
        self.world.app.switchboard.wake();
    }

    fn last_call(&self) -> Call {
        self.vendor.inner().calls.last().unwrap().clone()
    }
}

fn how(call: &Listed) -> (State, Option<Reason>) {
    let last = call.attempts.last().unwrap();
    assert_eq!(call.state, last.state, "the call is what its last attempt is");
    (last.state, last.reason)
}

#[tokio::test]
async fn a_name_is_said_kept_and_theirs() {
    let scene = Scene::new().await;
    let name = wav(1.5);
    let person = Person::Answers(vec![Presses('1'), Says(name.clone()), Presses('1')]);
    let call = scene.call_to(person).await;
    assert_eq!(how(&call), (State::Recorded, None));
    until("the farewell", || async { scene.said().last().unwrap() == "thank-you" }).await;
    assert_eq!(
        scene.said(),
        [
            "this-is",
            "Example University",
            "invite",
            "say-your-name",
            "you-said",
            "the recording",
            "review",
            "thank-you"
        ]
    );
    assert!(scene.vendor.inner().heard.contains(&name), "they hear what they have said");
    assert!(scene.recording_link().await.is_string());
    assert_eq!(scene.originals(), [name]);
    assert_eq!(scene.deleted(), (1, 1));
    let asked = scene.last_call();
    let events: Vec<&str> = asked
        .form
        .iter()
        .filter(|(name, _)| name == "StatusCallbackEvent")
        .map(|(_, value)| value.as_str())
        .collect();
    assert_eq!(events, ["initiated", "ringing", "answered", "completed"]);
    assert_eq!((asked.given("To"), asked.given("From"), asked.given("Timeout")), (ANA, "+12025550100", "30"));
}

#[tokio::test]
async fn a_name_may_be_said_again_and_the_last_one_counts() {
    let scene = Scene::new().await;
    let (first, second) = (wav_of(1.0, 120.0), wav_of(1.5, 180.0));
    let acts = vec![Presses('1'), Says(first), Presses('2'), Says(second.clone()), Presses('1')];
    let call = scene.call_to(Person::Answers(acts)).await;
    assert_eq!(how(&call), (State::Recorded, None));
    assert_eq!(scene.originals(), [second]);
    assert_eq!(scene.deleted(), (2, 2), "every take is removed, kept or not");
}

#[tokio::test]
async fn three_takes_are_enough() {
    let scene = Scene::new().await;
    let again = [Says(wav(1.0)), Presses('2')];
    let acts = [&[Presses('1')][..], &again, &again, &again].concat();
    let call = scene.call_to(Person::Answers(acts)).await;
    assert_eq!(how(&call), (State::Failed, Some(Reason::NotKept)));
    assert!(scene.said().contains(&"last-review".to_owned()));
    assert_eq!(scene.deleted(), (3, 3));
    assert_eq!(scene.originals().len(), 0);
}

#[tokio::test]
async fn whoever_presses_9_is_never_called_again() {
    for acts in [vec![Presses('9')], vec![Presses('1'), Says(wav(1.0)), Presses('9')]] {
        let scene = Scene::allowing(Dialect::Twilio, 3).await;
        let call = scene.call_to(Person::Answers(acts)).await;
        assert_eq!(how(&call), (State::Canceled, Some(Reason::OptedOut)));
        // The opt-out is stored before the vendor reports the end of the call.
        until("the farewell", || async { scene.said().last().unwrap() == "opted-out" }).await;
        let ben = json!({ "first_name": "Ben", "email": "ben@x.org", "phone_number": ANA });
        scene.world.person_on(&scene.world.page, ben).await;
        assert_eq!(scene.count("calls").await, 1, "nobody else with this number is called either");
    }
}

#[tokio::test]
async fn no_key_and_keys_that_mean_nothing_end_the_call() {
    for acts in [[DoesNothing, DoesNothing], [Presses('5'), DoesNothing], [Presses('#'), Presses('7')]] {
        for dialect in [Dialect::Twilio, Dialect::SignalWire] {
            let scene = Scene::with(dialect).await;
            let call = scene.call_to(Person::Answers(acts.to_vec())).await;
            assert_eq!(how(&call), (State::Failed, Some(Reason::NoKey)), "{acts:?}");
            let twice = scene.said().iter().filter(|said| *said == "invite").count();
            assert_eq!(twice, 2, "a menu is said twice");
            assert_eq!(scene.said().last().unwrap(), "goodbye");
        }
    }
}

#[tokio::test]
async fn on_a_page_with_moderation_a_take_waits_for_approval() {
    let scene = Scene::new().await;
    execute(&scene.world.app.db, "UPDATE name_pages SET moderation = 'hold'", vec![]).await;
    let person = Person::Answers(vec![Presses('1'), Says(wav(1.5)), Presses('1')]);
    assert_eq!(how(&scene.call_to(person).await), (State::Recorded, None));
    assert_eq!(scene.recording_link().await, Value::Null);
    assert_eq!(scene.count("media WHERE kind = 'held'").await, 1);
    assert_eq!(scene.count("moderation WHERE state = 'open'").await, 1);
}

#[tokio::test]
async fn whoever_says_nothing_is_not_recorded() {
    let scene = Scene::new().await;
    let call = scene.call_to(Person::Answers(vec![Presses('1'), DoesNothing])).await;
    assert_eq!(how(&call), (State::Failed, Some(Reason::Silence)));
}

#[tokio::test]
async fn what_is_no_speech_cannot_be_used() {
    let scene = Scene::new().await;
    let noise = b"RIFF and so on, but no sound".to_vec();
    let call = scene.call_to(Person::Answers(vec![Presses('1'), Says(noise), Presses('1')])).await;
    assert_eq!(how(&call), (State::Failed, Some(Reason::Unusable)));
    assert_eq!(scene.deleted(), (1, 1));
}

#[tokio::test]
async fn whoever_hangs_up_is_not_recorded() {
    let takes = Act::SaysAndHangsUp(wav(1.0));
    for acts in
        [vec![], vec![Presses('1'), HangsUp], vec![Presses('1'), Says(wav(1.0))], vec![Presses('1'), takes]]
    {
        let scene = Scene::new().await;
        let call = scene.call_to(Person::Answers(acts.clone())).await;
        assert_eq!(how(&call), (State::Failed, Some(Reason::HungUp)), "{acts:?}");
        let (deleted, all) = scene.deleted();
        assert_eq!(deleted, all);
    }
}

#[tokio::test]
async fn calls_that_nobody_answers_are_told_apart() {
    let ends = [
        ("busy", Some(486), (State::Busy, None)),
        ("busy", None, (State::Busy, None)),
        ("no-answer", Some(487), (State::NoAnswer, None)),
        ("failed", None, (State::Failed, Some(Reason::Unreachable))),
        ("failed", Some(404), (State::Failed, Some(Reason::Unreachable))),
        ("failed", Some(603), (State::Failed, Some(Reason::Declined))),
        ("failed", Some(480), (State::NoAnswer, None)),
        ("busy", Some(603), (State::Failed, Some(Reason::Declined))),
        ("canceled", Some(487), (State::Failed, Some(Reason::Unreachable))),
    ];
    for (status, code, wanted) in ends {
        let scene = Scene::new().await;
        let call = scene.call_to(Person::Ends(status, code)).await;
        assert_eq!(how(&call), wanted, "{status} {code:?}");
    }
}

#[tokio::test]
async fn it_is_tried_again_until_somebody_says_their_name() {
    let scene = Scene::allowing(Dialect::Twilio, 3).await;
    let good = vec![Presses('1'), Says(wav(1.0)), Presses('1')];
    for person in [Person::Ends("no-answer", None), Person::Answers(vec![]), Person::Answers(good)] {
        scene.vendor.next_person(person);
    }
    scene.ana().await;
    let call = scene.settled().await;
    let states: Vec<State> = call.attempts.iter().map(|attempt| attempt.state).collect();
    assert_eq!(states, [State::NoAnswer, State::Failed, State::Recorded]);
}

#[tokio::test]
async fn signalwire_has_its_own_path_key_and_header() {
    let scene = Scene::with(Dialect::SignalWire).await;
    let call = scene.call_to(Person::Answers(vec![Presses('1'), Says(wav(1.0)), Presses('1')])).await;
    assert_eq!(how(&call), (State::Recorded, None));
    assert_eq!(scene.deleted(), (1, 1));
}

#[tokio::test]
async fn an_operators_voice_says_the_name_and_without_it_the_clouds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("name.wav");
    std::fs::write(&file, wav(1.0)).unwrap();
    for (command, is_played) in [(format!("cat {}", file.display()), true), ("false".to_owned(), false)] {
        let prompts = Prompts::open(None, "en", Some(command)).unwrap();
        let scene = Scene::saying(prompts, Dialect::Twilio, 1).await;
        let call = scene.call_to(Person::Answers(vec![Presses('9')])).await;
        assert_eq!(how(&call), (State::Canceled, Some(Reason::OptedOut)));
        let said = scene.vendor.inner().said.clone();
        let played = said.iter().find(|said| said.contains("/phone/prompts/en/institutions/"));
        assert_eq!(played.is_some(), is_played, "{said:?}");
        assert_eq!(scene.vendor.inner().problems, Vec::<String>::new());
        if let Some(played) = played {
            let elsewhere = scene.world.client.get(played.replace("/en/", "/fr/")).send().await.unwrap();
            assert_eq!(elsewhere.status(), 404, "in no other language than that of the calls");
        }
    }
}

/// An independent check: the vendor's own client parses the fake's responses.
#[tokio::test]
async fn the_stand_in_speaks_as_the_vendor_does() {
    let vendor = Vendor::start(Dialect::Twilio).await;
    let (sid, _) = vendor.record("CA1", wav(0.1));
    let (account, token) = (super::cloud_stand_in::ACCOUNT, super::cloud_stand_in::TOKEN);
    let recording = json!({ "call": "CA1", "sid": sid });
    let seen = vendor_library::client(&vendor.api, account, token, ANA, recording).await;
    assert_eq!(seen["made"]["status"], "queued");
    assert_eq!((&seen["made"]["to"], &seen["made"]["from"]), (&json!(ANA), &json!("+12025550100")));
    assert_eq!(seen["listed"], json!([seen["made"]["sid"]]));
    assert_eq!(seen["fetched"], seen["made"]);
    assert_eq!(seen["ended"]["status"], "canceled");
    assert_eq!((&seen["recorded"], &seen["on_call"]), (&json!([sid]), &json!([sid])));
    assert_eq!((&seen["duration"], &seen["deleted"]), (&json!("2"), &json!(true)));
    assert_eq!(seen["missing"], json!([404, 20_404]));
}

//! Calls over a SIP trunk, each to a third-party phone or trunk.

mod people;
mod proxies;
mod trunks;
mod visits;

use std::{
    collections::HashMap,
    f32::consts::TAU,
    sync::{Arc, Mutex},
    time::Duration,
};

use endonym::{
    domain::{
        conversation::{Prompt, Step},
        phone_number::PhoneNumber,
    },
    phone::{
        Progress, Script,
        sip::{Account, CallResult, OutgoingCall, Settings, Transport, Trunk},
    },
};
use tokio::{sync::Notify, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;

use super::phones::PATIENCE;

const NUMBER: &str = "+12025550123";

/// A trunk at this port, without a password.
fn trunk_at(port: u16) -> Settings {
    Settings {
        account: None,
        host: "127.0.0.1".to_owned(),
        port,
        from: "+12025550100".to_owned(),
        transport: Transport::Udp,
        register: false,
        advertise: None,
        listen: None,
        rtp_ports: None,
        ca_file: None,
    }
}

fn account(user: &str, password: &str) -> Option<Account> {
    Some(Account { user: user.to_owned(), password: password.to_owned() })
}

/// Each prompt is a short tone: tests need not hear the words.
fn script() -> Script {
    let tone = |hertz: f32| -> Arc<[i16]> {
        (0..1_600).map(|at| ((at as f32 / 8_000.0 * hertz * TAU).sin() * 6_000.0) as i16).collect()
    };
    let sounds: HashMap<Prompt, Arc<[i16]>> =
        Prompt::ALL.iter().zip(3_u8..).map(|(prompt, at)| (*prompt, tone(f32::from(at) * 100.0))).collect();
    Script::new(tone(350.0), sounds)
}

/// A call in progress, and its reported progress.
struct Call {
    told: Arc<Told>,
    hang_up: CancellationToken,
    made: JoinHandle<CallResult>,
}

#[derive(Default)]
struct Told {
    news: Mutex<Vec<Progress>>,
    ended: Mutex<Option<String>>,
    more: Notify,
}

impl Call {
    fn place(trunk: &Trunk) -> Self {
        Self::ringing_for(trunk, NUMBER, Duration::from_secs(20))
    }

    fn ringing_for(trunk: &Trunk, number: &str, ring: Duration) -> Self {
        let (told, hang_up) = (Arc::new(Told::default()), CancellationToken::new());
        let teller = told.clone();
        let wanted = OutgoingCall {
            to: PhoneNumber::parse(number).unwrap(),
            ring,
            script: script(),
            on_progress: Arc::new(move |progress| {
                teller.news.lock().unwrap().push(progress);
                teller.more.notify_waiters();
            }),
            hang_up: hang_up.clone(),
        };
        let (trunk, last) = (trunk.clone(), told.clone());
        let made = tokio::spawn(async move {
            let ended = trunk.call(wanted).await;
            *last.ended.lock().unwrap() = Some(format!("{:?}: {}", ended.outcome, ended.says));
            last.more.notify_waiters();
            ended
        });
        Self { told, hang_up, made }
    }

    async fn until(&self, wanted: Progress) {
        let seen = async {
            loop {
                let more = self.told.more.notified();
                if self.told.news.lock().unwrap().contains(&wanted) {
                    return;
                }
                if let Some(ended) = self.told.ended.lock().unwrap().as_ref() {
                    panic!("never {wanted:?}, but {ended}");
                }
                more.await;
            }
        };
        let came = timeout(PATIENCE, seen).await;
        assert!(came.is_ok(), "never {wanted:?}, but {:?}", self.told.news.lock().unwrap());
    }

    async fn until_step(&self, step: Step) {
        self.until(Progress::Step(step)).await;
    }

    async fn end(self) -> CallResult {
        timeout(PATIENCE * 2, self.made).await.expect("the call does not end").unwrap()
    }
}

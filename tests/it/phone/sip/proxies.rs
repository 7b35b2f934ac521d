//! A trunk with authentication: kamailio requires passwords, stays in the path, and supports TCP. And a phone with TLS.

use std::{path::Path, process::Command, time::Duration};

use endonym::{
    domain::{
        call::{Outcome, Reason},
        conversation::Step,
    },
    phone::{
        Progress,
        sip::{Settings, Transport, Trunk},
    },
};
use futures_util::future::join_all;

use super::{
    super::phones::{
        baresip::{Baresip, Setup},
        kamailio::{Kamailio, PASSWORD},
        sound,
    },
    Call, NUMBER, account,
    people::record,
    trunk_at,
};

fn behind(kamailio: &Kamailio) -> Settings {
    Settings { account: account("endonym", PASSWORD), ..trunk_at(kamailio.port) }
}

#[tokio::test]
async fn a_registered_phone_is_reached_through_a_proxy_that_stays_in_the_path() {
    let kamailio = Kamailio::start().await;
    let mut phone = kamailio.phone(NUMBER).await;
    let trunk = Trunk::open(&behind(&kamailio)).await.unwrap();
    assert!(trunk.check().await.unwrap().contains("200"));
    let name = sound::speech("Nguyen Thi Minh", &phone.folder());
    let call = Call::place(&trunk);
    phone.until("CALL_ESTABLISHED").await;
    phone.press('1').await;
    record(&mut phone, &call, &name, 1).await;
    phone.press('1').await;
    let ended = call.end().await;
    assert_eq!(ended.outcome, Outcome::Recorded, "{}", ended.says);
    sound::compare(&name, &sound::read(&ended.recording.unwrap())).expect_the_same();
    phone.until("CALL_CLOSED").await;
    for method in ["ACK", "BYE"] {
        kamailio.program.until_said(&format!("saw {method} from +12025550100")).await;
        let said = kamailio.program.said();
        let line =
            said.lines().find(|line| line.contains(&format!("saw {method} from +12025550100"))).unwrap();
        assert!(line.contains("route <sip:127.0.0.1"), "{line}");
    }
}

#[tokio::test]
async fn a_proxy_does_not_take_a_wrong_password() {
    let kamailio = Kamailio::start().await;
    let trunk =
        Trunk::open(&Settings { account: account("endonym", "wr0ng"), ..behind(&kamailio) }).await.unwrap();
    let ended = Call::place(&trunk).end().await;
    assert_eq!(ended.outcome, Outcome::Failed(Reason::Unreachable));
    assert!(ended.says.contains("407"), "{}", ended.says);
}

#[tokio::test]
async fn over_tcp() {
    let kamailio = Kamailio::start().await;
    let mut phone = kamailio.phone(NUMBER).await;
    let settings = Settings { transport: Transport::Tcp, ..behind(&kamailio) };
    let trunk = Trunk::open(&settings).await.unwrap();
    assert!(trunk.check().await.unwrap().contains("200"));
    for _ in 0..2 {
        let call = Call::place(&trunk);
        call.until(Progress::Answered).await;
        call.until_step(Step::START).await;
        phone.hang_up().await;
        assert_eq!(call.end().await.outcome, Outcome::Failed(Reason::HungUp));
    }
    kamailio.program.until_said("saw INVITE from +12025550100 to +12025550123 by tcp").await;
    // The other way round: we hang up.
    let call = Call::place(&trunk);
    call.until(Progress::Answered).await;
    call.hang_up.cancel();
    assert_eq!(call.end().await.outcome, Outcome::Canceled(Reason::ByOperator));
    kamailio.program.until_said("saw BYE from +12025550100").await;
}

#[tokio::test]
async fn a_registrar_knows_us_until_we_leave() {
    for transport in [Transport::Udp, Transport::Tcp] {
        let kamailio = Kamailio::granting(2).await;
        let settings = Settings { register: true, transport, ..behind(&kamailio) };
        let trunk = Trunk::open(&settings).await.unwrap();
        assert!(trunk.check().await.unwrap().contains("registered"));
        // Renewed repeatedly, each time before it expires.
        kamailio.program.until_said_times("registered endonym for 600", 3).await;
        assert!(trunk.check().await.unwrap().contains("registered"));
        trunk.close().await;
        kamailio.program.until_said("registered endonym for 0").await;
        let wrong = Settings { account: account("endonym", "wr0ng"), ..settings };
        let why = Trunk::open(&wrong).await.err().unwrap().to_string();
        assert!(why.contains("401") && !why.contains("wr0ng"), "{why}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_at_once() {
    let kamailio = Kamailio::start().await;
    let trunk = Trunk::open(&behind(&kamailio)).await.unwrap();
    let names = [
        "Amélie",
        "Boleslaw",
        "Chidinma",
        "Dragana",
        "Eoghan",
        "Fatoumata",
        "Guillermo",
        "Hrafnhildur",
        "Iñaki",
        "Jadwiga",
    ];
    let calls = names.iter().enumerate().map(|(at, name)| {
        let (kamailio, trunk) = (&kamailio, &trunk);
        async move {
            let number = format!("+120255501{at}0");
            let phone = kamailio.phone(&number).await;
            let words = sound::speech(&format!("{name} {name}"), &phone.folder());
            let call = Call::ringing_for(trunk, &number, Duration::from_secs(20));
            phone.until("CALL_ESTABLISHED").await;
            (number, words, call, phone)
        }
    });
    let begun = join_all(calls).await;
    join_all(begun.into_iter().map(|(number, words, call, mut phone)| async move {
        phone.press('1').await;
        record(&mut phone, &call, &words, 1).await;
        phone.press('1').await;
        let ended = call.end().await;
        assert_eq!(ended.outcome, Outcome::Recorded, "{number}: {}", ended.says);
        sound::compare(&words, &sound::read(&ended.recording.unwrap())).expect_the_same();
    }))
    .await;
}

fn openssl(folder: &Path, arguments: &str) {
    let done = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output();
    let done = done.unwrap_or_else(|error| panic!("`openssl` is needed for this test: {error}"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// A certificate for 127.0.0.1 with its key in `both.pem`, and its CA in `ca.pem`.
fn certify(folder: &Path) {
    std::fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    openssl(folder, "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ours -keyout ca.key -out ca.pem");
    openssl(folder, "req -newkey rsa:2048 -nodes -subj /CN=phone -keyout key.pem -out request.pem");
    openssl(
        folder,
        "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out leaf.pem",
    );
    let read = |name| std::fs::read(folder.join(name)).unwrap();
    std::fs::write(folder.join("both.pem"), [read("leaf.pem"), read("key.pem")].concat()).unwrap();
}

#[tokio::test]
async fn over_tls_with_a_certificate_of_the_operators_own() {
    let folder = tempfile::tempdir().unwrap();
    certify(folder.path());
    let both = folder.path().join("both.pem");
    let mut phone = Baresip::start(NUMBER, Setup { certificate: Some(&both), ..Setup::default() }).await;
    let untrusting = Settings { transport: Transport::Tls, ..trunk_at(phone.port + 1) };
    let settings = Settings { ca_file: Some(folder.path().join("ca.pem")), ..untrusting.clone() };
    let trunk = Trunk::open(&settings).await.unwrap();
    let call = Call::place(&trunk);
    call.until(Progress::Answered).await;
    phone.until("CALL_ESTABLISHED").await;
    phone.press('9').await;
    assert_eq!(call.end().await.outcome, Outcome::Canceled(Reason::OptedOut));
    phone.until("CALL_CLOSED").await;

    let trunk = Trunk::open(&untrusting).await.unwrap();
    let ended = Call::place(&trunk).end().await;
    assert_eq!(ended.outcome, Outcome::Failed(Reason::Unreachable));
    assert!(ended.says.contains("certificate"), "{}", ended.says);

    let missing = Settings { ca_file: Some(folder.path().join("not-there.pem")), ..untrusting };
    assert!(Trunk::open(&missing).await.err().unwrap().to_string().contains("not-there.pem"));
}

//! Checks of a trunk: its own log, the check by `doctor`, and the behavior after it has stopped.

use endonym::{
    domain::call::{Outcome, Reason},
    phone::sip::{Settings, Trunk},
};
use tokio::net::UdpSocket;

use super::{
    super::phones::sipp::{RING, Sipp, answer, takes},
    Call, account, trunk_at,
    trunks::CHALLENGE,
};

/// Logs contain the trunk's responses, but no phone numbers.
#[tokio::test]
async fn a_number_in_what_a_trunk_says_is_masked() {
    let reason = "Reason: Q.850;cause=1;text=\"+1 202 555-0123 unknown\"\n";
    for (line, headers, wanted) in [
        ("404 Not Found", reason, "404 Q.850;cause=1;text=\"+* *** ***-**23 unknown\""),
        ("499 +12025550123 is nobody", "", "499 +*********23 is nobody"),
    ] {
        let trunk_side = Sipp::start(&[RING, &answer(line, headers), &takes("ACK")].concat()).await;
        let trunk = Trunk::open(&trunk_at(trunk_side.port)).await.unwrap();
        assert_eq!(Call::place(&trunk).end().await.says, wanted);
        trunk_side.expect_success().await;
    }
}

/// A check leaves the trunk's contacts alone, so that a registered server stays registered.
#[tokio::test]
async fn whether_we_are_registered_is_asked_without_a_contact() {
    let ask = |more: &str| {
        format!(
            "<recv request=\"REGISTER\"><action>\n\
             <ereg regexp=\"Contact:|Expires:\" search_in=\"msg\" check_it_inverse=\"true\" assign_to=\"9\"/>\n\
             {more}</action></recv>\n<nop><action><log message=\"[$9]\"/></action></nop>\n"
        )
    };
    let password = "<verifyauth assign_to=\"good\" username=\"endonym\" password=\"s3cret\"/>\n";
    let scenario = [
        ask(""),
        answer("401 Unauthorized", CHALLENGE),
        ask(password),
        "<nop test=\"good\" next=\"1\"/>\n".to_owned(),
        answer("403 Forbidden", ""),
        "<nop next=\"2\"/>\n<label id=\"1\"/>\n".to_owned(),
        answer("200 OK", ""),
        "<label id=\"2\"/>\n".to_owned(),
    ]
    .concat();
    // The server's own port is in use, by the server.
    let taken = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    for (password, wanted) in [("s3cret", Ok("registered with it")), ("wr0ng", Err("password"))] {
        let trunk_side = Sipp::start(&scenario).await;
        let account = account("endonym", password);
        let listen = Some(taken.local_addr().unwrap());
        let settings = Settings { account, register: true, listen, ..trunk_at(trunk_side.port) };
        let trunk = Trunk::open_unregistered(&settings).await.unwrap();
        let said = trunk.check().await;
        trunk.close().await;
        trunk_side.expect_success().await;
        match (said, wanted) {
            (Ok(said), Ok(wanted)) => assert!(said.contains(wanted), "{said}"),
            (Err(error), Err(wanted)) => {
                assert!(error.to_string().contains("403") && error.remedy().contains(wanted), "{error}");
            }
            (said, _) => panic!("{said:?}"),
        }
    }
}

/// Callers get an error at once, and open a new trunk.
#[tokio::test]
async fn a_trunk_that_has_stopped_says_so() {
    let nobody = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let trunk = Trunk::open(&trunk_at(nobody.local_addr().unwrap().port())).await.unwrap();
    assert!(trunk.is_alive());
    let rings = Call::place(&trunk);
    nobody.recv(&mut [0; 4096]).await.unwrap();
    trunk.clone().close().await;
    assert!(!trunk.is_alive());
    for call in [rings, Call::place(&trunk)] {
        let ended = call.end().await;
        assert_eq!(ended.outcome, Outcome::Failed(Reason::Unreachable));
        assert!(ended.says.contains("has stopped"), "{}", ended.says);
    }
}

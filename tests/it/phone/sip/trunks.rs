//! Trunks that follow the standard, and trunks that violate it, simulated by sipp.

use std::time::Duration;

use endonym::{
    domain::{
        call::{Outcome, Reason},
        conversation::{End, Step},
    },
    phone::{
        Progress,
        sip::{Settings, Transport, Trunk},
    },
};
use futures_util::future::join_all;
use tokio::{net::UdpSocket, time::timeout};

use super::{
    super::phones::{
        PATIENCE, free_ports,
        sipp::{RING, Sipp, agree, answer, hears, hears_with, pick_up, request, sound, takes},
    },
    Call, NUMBER, account, trunk_at,
};

#[tokio::test]
async fn every_final_code_is_what_it_says() {
    let codes = [
        ("486 Busy Here", Outcome::Busy),
        ("600 Busy Everywhere", Outcome::Busy),
        ("408 Request Timeout", Outcome::NoAnswer),
        ("480 Temporarily Unavailable", Outcome::NoAnswer),
        ("603 Decline", Outcome::Failed(Reason::Declined)),
        ("404 Not Found", Outcome::Failed(Reason::Unreachable)),
        ("403 Forbidden", Outcome::Failed(Reason::Unreachable)),
        ("503 Service Unavailable", Outcome::Failed(Reason::Unreachable)),
        ("302 Moved Temporarily", Outcome::Failed(Reason::Unreachable)),
    ];
    join_all(codes.map(|(line, outcome)| async move {
        let trunk_side = Sipp::start(&[RING, &answer(line, ""), &takes("ACK")].concat()).await;
        let trunk = Trunk::open(&trunk_at(trunk_side.port)).await.unwrap();
        let ended = Call::place(&trunk).end().await;
        assert_eq!(ended.outcome, outcome, "{line}");
        assert!(ended.says.contains(line), "{}", ended.says);
        trunk_side.expect_success().await;
    }))
    .await;
}

/// Caller identity, address and headers of the INVITE.
#[tokio::test]
async fn an_invitation_says_who_calls() {
    let looks = [
        "P-Asserted-Identity: .sip:.12025550100@127.0.0.1",
        "From: .sip:.12025550100@127.0.0.1",
        "INVITE sip:.12025550123@127.0.0.1",
        "User-Agent: Endonym/[0-9]",
        "Call-ID: [0-9a-f-]*@192.0.2.7",
        "Contact: .sip:.12025550100@192.0.2.7:",
        "c=IN IP4 192.0.2.7",
        "Supported: timer",
    ];
    let looks: String = looks
        .iter()
        .enumerate()
        .map(|(at, look)| {
            format!(
                "<ereg regexp=\"{look}\" search_in=\"msg\" check_it=\"true\" assign_to=\"{}\"/>\n",
                at + 1
            )
        })
        .collect();
    let used = "<nop><action><log message=\"[$1][$2][$3][$4][$5][$6][$7][$8]\"/></action></nop>\n";
    let looking = format!("<recv request=\"INVITE\"><action>\n{looks}</action></recv>\n{used}");
    let trunk_side = Sipp::start(&[&looking[..], &answer("486 Busy Here", ""), &takes("ACK")].concat()).await;
    let advertise = Some("192.0.2.7".parse().unwrap());
    let trunk = Trunk::open(&Settings { advertise, ..trunk_at(trunk_side.port) }).await.unwrap();
    assert_eq!(Call::place(&trunk).end().await.outcome, Outcome::Busy);
    trunk_side.expect_success().await;
}

pub(super) const CHALLENGE: &str = "WWW-Authenticate: Digest realm=\"trunk.test\", nonce=\"47ebe028cda119c35d4877b383027d28\", qop=\"auth\", algorithm=MD5\n";

/// Requires a password, and verifies it.
fn guarded(then: &str) -> String {
    let look = r#"
<recv request="INVITE"><action>
    <ereg regexp=".*" search_in="hdr" header="From:" assign_to="1"/>
    <verifyauth assign_to="good" username="endonym" password="s3cret"/>
</action></recv>
<nop><action><log message="[$1]"/></action></nop>
<nop test="good" next="1"/>
"#;
    let no = [answer("401 Unauthorized", CHALLENGE), takes("ACK"), "<nop next=\"2\"/>\n".to_owned()].concat();
    let yes = format!("<label id=\"1\"/>\n{then}<label id=\"2\"/>\n");
    [RING, &answer("401 Unauthorized", CHALLENGE), &takes("ACK"), look, &no, &yes].concat()
}

#[tokio::test]
async fn a_trunk_that_asks_for_a_password_is_given_it() {
    let then = [answer("486 Busy Here", ""), takes("ACK")].concat();
    let trunk_side = Sipp::start(&guarded(&then)).await;
    let settings = Settings { account: account("endonym", "s3cret"), ..trunk_at(trunk_side.port) };
    let trunk = Trunk::open(&settings).await.unwrap();
    assert_eq!(Call::place(&trunk).end().await.outcome, Outcome::Busy);
    trunk_side.expect_success().await;
}

#[tokio::test]
async fn a_wrong_password_is_said_to_be_one() {
    let then = [answer("486 Busy Here", ""), takes("ACK")].concat();
    let trunk_side = Sipp::start(&guarded(&then)).await;
    let settings = Settings { account: account("endonym", "wr0ng"), ..trunk_at(trunk_side.port) };
    let trunk = Trunk::open(&settings).await.unwrap();
    let ended = Call::place(&trunk).end().await;
    assert_eq!(ended.outcome, Outcome::Failed(Reason::Unreachable));
    assert!(ended.says.contains("password") && ended.says.contains("401"), "{}", ended.says);
    assert!(!ended.says.contains("wr0ng"), "{}", ended.says);
    trunk_side.expect_success().await;
}

#[tokio::test]
async fn an_answer_that_crosses_our_cancel_is_acknowledged_and_ended() {
    let scenario = [
        RING,
        &answer("180 Ringing", ""),
        &takes("CANCEL"),
        &agree(),
        // They answer at the same moment.
        &pick_up("200 OK", ""),
        &takes("ACK"),
        &takes("BYE"),
        &agree(),
    ]
    .concat();
    let trunk_side = Sipp::start(&scenario).await;
    let trunk = Trunk::open(&trunk_at(trunk_side.port)).await.unwrap();
    let call = Call::place(&trunk);
    call.until(Progress::Ringing).await;
    call.hang_up.cancel();
    assert_eq!(call.end().await.outcome, Outcome::Canceled(Reason::ByOperator));
    trunk_side.expect_success().await;
}

#[tokio::test]
async fn all_that_may_be_asked_during_a_call_is_answered() {
    let timer = "Session-Expires: 90;refresher=uac\nSupported: timer\n";
    let sdp = "Content-Type: application/sdp\n";
    let key = "Content-Type: application/dtmf-relay\n";
    let scenario = [
        RING,
        &answer("100 Trying", ""),
        // Early media, which is not yet an answer.
        &pick_up("183 Session Progress", ""),
        "<pause milliseconds=\"300\"/>\n",
        &pick_up("200 OK", ""),
        &takes("ACK"),
        &request("OPTIONS", 10, "", ""),
        &hears_with(200, "Allow: INVITE"),
        &request("UPDATE", 11, timer, ""),
        &hears_with(200, "Session-Expires: 90;refresher=uac"),
        &request("INVITE", 12, sdp, &sound("sendonly")),
        &hears_with(200, "a=recvonly"),
        &request("ACK", 12, "", ""),
        // They want our offer, and answer it.
        &request("INVITE", 13, "", ""),
        &hears_with(200, "a=sendrecv"),
        &request("ACK", 13, sdp, &sound("sendrecv")),
        &request("MESSAGE", 14, "Content-Type: text/plain\n", "hello"),
        &hears_with(405, "Allow: INVITE"),
        &request("INFO", 15, "Content-Type: text/plain\n", "hello"),
        &hears(415),
        &request("INVITE", 16, sdp, &sound("sendrecv").replace("AVP 0 101", "AVP 18")),
        &hears(488),
        &request("ACK", 16, "", ""),
        // Out of order.
        &request("OPTIONS", 9, "", ""),
        &hears(500),
        &request("INFO", 17, key, "Signal=9\nDuration=160\n"),
        &hears(200),
        &takes("BYE"),
        &agree(),
    ]
    .concat();
    let trunk_side = Sipp::start(&scenario).await;
    let trunk = Trunk::open(&trunk_at(trunk_side.port)).await.unwrap();
    let call = Call::place(&trunk);
    call.until(Progress::Held(true)).await;
    call.until(Progress::Held(false)).await;
    call.until(Progress::Key('9')).await;
    assert_eq!(call.end().await.outcome, Outcome::Canceled(Reason::OptedOut));
    trunk_side.expect_success().await;
}

/// The session timer requires a refresh every second.
#[tokio::test]
async fn a_session_is_kept_alive_where_that_is_up_to_us() {
    let timer = "Session-Expires: 2;refresher=uac\nRequire: timer\n";
    let updates = format!("{timer}Allow: INVITE, UPDATE\n");
    let by = [(updates.as_str(), takes("UPDATE")), (timer, takes("INVITE"))];
    join_all(by.map(|(headers, refresh)| async move {
        let reinvited = refresh.contains("INVITE");
        let accept = if reinvited {
            pick_up("200 OK", "")
                .replace("CSeq: 1 INVITE", "[last_CSeq:]")
                .replace("[last_To:];tag=[pid]SIPp[call_number]", "[last_To:]")
        } else {
            agree()
        };
        let ack = if reinvited { takes("ACK") } else { String::new() };
        let scenario = [
            RING,
            &pick_up("200 OK", headers),
            &takes("ACK"),
            &refresh,
            &accept,
            &ack,
            &request("BYE", 10, "", ""),
            &hears(200),
        ]
        .concat();
        let trunk_side = Sipp::start(&scenario).await;
        let trunk = Trunk::open(&trunk_at(trunk_side.port)).await.unwrap();
        let call = Call::place(&trunk);
        call.until_step(Step::Over { end: End::HungUp }).await;
        assert_eq!(call.end().await.outcome, Outcome::Failed(Reason::HungUp));
        trunk_side.expect_success().await;
    }))
    .await;
}

#[tokio::test]
async fn a_trunk_that_speaks_nothing_that_we_do_is_left_in_good_order() {
    let scenario = [
        RING,
        &pick_up("200 OK", "").replace("RTP/AVP 0 101", "RTP/AVP 18"),
        &takes("ACK"),
        &takes("BYE"),
        &agree(),
    ]
    .concat();
    let trunk_side = Sipp::start(&scenario).await;
    let trunk = Trunk::open(&trunk_at(trunk_side.port)).await.unwrap();
    let ended = Call::place(&trunk).end().await;
    assert_eq!(ended.outcome, Outcome::Failed(Reason::Unreachable));
    assert!(ended.says.contains("G.711"), "{}", ended.says);
    trunk_side.expect_success().await;
}

#[tokio::test]
async fn nobody_is_there() {
    for transport in [Transport::Udp, Transport::Tcp, Transport::Tls] {
        let settings = Settings { transport, ..trunk_at(free_ports(1)) };
        let trunk = Trunk::open(&settings).await.unwrap();
        let ended = Call::ringing_for(&trunk, NUMBER, Duration::from_secs(1)).end().await;
        assert_eq!(ended.outcome, Outcome::Failed(Reason::Unreachable), "{transport:?}: {}", ended.says);
        let why = trunk.check().await.unwrap_err().to_string();
        assert!(why.contains("127.0.0.1"), "{why}");
    }
}

#[tokio::test]
async fn no_port_for_sound_is_left() {
    let taken = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port();
    let settings = Settings { rtp_ports: Some((port, port)), ..trunk_at(free_ports(1)) };
    let ended = Call::place(&Trunk::open(&settings).await.unwrap()).end().await;
    assert_eq!(ended.outcome, Outcome::Failed(Reason::Unreachable));
    assert!(ended.says.contains("RTP ports"), "{}", ended.says);
}

#[tokio::test]
async fn strangers_are_answered_and_never_ring() {
    let port = free_ports(1);
    let settings = Settings { listen: Some(([127, 0, 0, 1], port).into()), ..trunk_at(free_ports(1)) };
    let trunk = Trunk::open(&settings).await.unwrap();
    let stranger = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let own = stranger.local_addr().unwrap();
    let mut number = 0;
    for (method, tag, expected) in [
        ("INVITE", "", "SIP/2.0 403"),
        ("OPTIONS", "", "SIP/2.0 200"),
        ("BYE", ";tag=guessed", "SIP/2.0 481"),
        ("INVITE", ";tag=guessed", "SIP/2.0 481"),
        ("SUBSCRIBE", "", "SIP/2.0 405"),
        ("OPTIONS", "", "SIP/2.0 200"),
    ] {
        // Packets that are not SIP are ignored.
        stranger.send_to(b"\x00\xff nonsense\r\n\r\n", ("127.0.0.1", port)).await.unwrap();
        number += 1;
        let text = format!(
            "{method} sip:anybody@127.0.0.1:{port} SIP/2.0\r\nVia: SIP/2.0/UDP {own};branch=z9hG4bK{number}\r\n\
             From: <sip:stranger@{own}>;tag=s{number}\r\nTo: <sip:anybody@127.0.0.1>{tag}\r\nCall-ID: stranger{number}\r\n\
             CSeq: 1 {method}\r\nContact: <sip:stranger@{own}>\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n"
        );
        stranger.send_to(text.as_bytes(), ("127.0.0.1", port)).await.unwrap();
        let mut bytes = [0; 4096];
        let answer = loop {
            let (length, _) = timeout(PATIENCE, stranger.recv_from(&mut bytes)).await.unwrap().unwrap();
            let answer = String::from_utf8_lossy(&bytes[..length]).into_owned();
            // The previous response may be retransmitted until it is acknowledged.
            if answer.contains(&format!("Call-ID: stranger{number}\r\n")) {
                break answer;
            }
        };
        assert!(answer.starts_with(expected), "{method}{tag}: {answer}");
        assert!(!answer.contains("180"), "{answer}");
    }
    trunk.close().await;
}

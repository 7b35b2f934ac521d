use proptest::prelude::*;

use super::*;
use crate::phone::{sip::sdp, speech};

const PEER: &str = "198.51.100.4:4000";

fn remote(events: u8) -> Remote {
    let text = format!(
        "v=0\r\no=- 1 1 IN IP4 198.51.100.4\r\ns=-\r\nc=IN IP4 198.51.100.4\r\nt=0 0\r\n\
         m=audio 4000 RTP/AVP 0 {events}\r\na=rtpmap:{events} telephone-event/8000\r\n"
    );
    sdp::read(text.as_bytes()).unwrap()
}

fn receiver() -> Receiver {
    Receiver::new(&remote(97), "192.0.2.1".parse().unwrap())
}

fn at(address: &str) -> SocketAddr {
    address.parse().unwrap()
}

fn event(number: u8, stream: u32, time: u32, key: u8) -> Vec<u8> {
    RtpPacketBuilder::<_, &[u8]>::new()
        .payload_type(number)
        .timestamp(time)
        .ssrc(stream)
        .payload(&[key, 10, 0, 160][..])
        .write_vec_unchecked()
}

fn press(receiver: &mut Receiver, packet: &[u8], from: SocketAddr) -> Option<char> {
    receiver.packet(packet, from).map(|pressed| pressed.key)
}

fn tone(level: i16) -> Frame {
    std::array::from_fn(|at| if at / 10 % 2 == 0 { level } else { -level })
}

#[test]
fn what_one_side_packs_the_other_hears() {
    for codec in [Codec::Ulaw, Codec::Alaw] {
        let (mut sender, mut receiver) = (Sender::new(codec, 0x0123_4567_89ab_cdef), receiver());
        let mut heard = QUIET_LEVEL;
        for _ in 0..10 {
            let packet = sender.packet(&tone(8_000));
            assert_eq!(packet.len(), 172);
            assert_eq!(press(&mut receiver, &packet, at(PEER)), None);
            heard = speech::level(&receiver.frame().unwrap());
        }
        assert!((heard - speech::level(&tone(8_000))).abs() < 0.5, "{heard}");
    }
}

const QUIET_LEVEL: f32 = -120.0;

#[test]
fn times_and_numbers_go_on_also_through_silence() {
    let mut sender = Sender::new(Codec::Ulaw, u64::MAX);
    let read = |packet: &[u8]| {
        let packet = RtpPacket::parse(packet).unwrap();
        (packet.sequence_number(), packet.timestamp(), packet.marker_bit())
    };
    let first = read(&sender.packet(&tone(1)));
    let second = read(&sender.packet(&tone(1)));
    sender.pass();
    let third = read(&sender.packet(&tone(1)));
    assert_eq!((first.2, second.2, third.2), (true, false, true));
    assert_eq!((second.0, third.0), (first.0.wrapping_add(1), first.0.wrapping_add(2)));
    assert_eq!((second.1, third.1), (first.1.wrapping_add(160), first.1.wrapping_add(480)));
}

#[test]
fn keys_come_under_their_number_and_under_ours() {
    let mut receiver = receiver();
    assert_eq!(press(&mut receiver, &event(97, 1, 1_000, 1), at(PEER)), Some('1'));
    assert_eq!(press(&mut receiver, &event(EVENTS, 1, 9_000, 11), at(PEER)), Some('#'));
    assert_eq!(press(&mut receiver, &event(110, 1, 20_000, 2), at(PEER)), None);
}

#[test]
fn sound_goes_where_theirs_comes_from() {
    let mut receiver = receiver();
    assert_eq!(receiver.address(), at(PEER));
    press(&mut receiver, &event(97, 1, 0, 1), at("198.51.100.4:9999"));
    assert_eq!(receiver.address(), at("198.51.100.4:9999"));
    // The address in the SDP wins.
    press(&mut receiver, &event(97, 1, 0, 1), at(PEER));
    assert_eq!(receiver.address(), at(PEER));
}

#[test]
fn strangers_are_heard_only_when_nobody_else_is() {
    let mut receiver = receiver();
    // Behind NAT: neither the SDP's address nor the trunk, but the first sender.
    assert_eq!(press(&mut receiver, &event(97, 1, 0, 1), at("203.0.113.5:5000")), Some('1'));
    assert_eq!(receiver.address(), at("203.0.113.5:5000"));
    assert_eq!(press(&mut receiver, &event(97, 1, 9_000, 2), at("203.0.113.6:5000")), None, "the second");
    assert_eq!(press(&mut receiver, &event(97, 1, 9_000, 2), at(PEER)), Some('2'), "where they said");
    assert_eq!(press(&mut receiver, &event(97, 1, 18_000, 3), at("203.0.113.5:5000")), None);
    assert_eq!(receiver.address(), at(PEER));
}

#[test]
fn another_stream_takes_over_when_the_first_is_silent_and_not_by_a_flood_beside_it() {
    let mut receiver = receiver();
    assert_eq!(press(&mut receiver, &event(97, 1, 0, 1), at(PEER)), Some('1'));
    for time in 1..100 {
        assert_eq!(press(&mut receiver, &event(97, 2, time * 1_000, 2), at(PEER)), None);
        press(&mut receiver, &event(97, 1, 0, 1), at(PEER));
    }
    for _ in 0..=SILENT_FRAMES {
        receiver.frame();
    }
    assert_eq!(press(&mut receiver, &event(97, 2, 0, 2), at(PEER)), Some('2'));
    // Immediately, after a few packets.
    let keys: Vec<char> =
        (1..9).filter_map(|time| press(&mut receiver, &event(97, 3, time * 1_000, 3), at(PEER))).collect();
    assert_eq!(keys.len(), 4);
}

#[test]
fn a_new_address_is_followed() {
    let mut receiver = receiver();
    press(&mut receiver, &event(97, 1, 0, 1), at(PEER));
    let mut moved = remote(98);
    moved.address = at("198.51.100.8:6000");
    receiver.changed(&moved);
    assert_eq!(receiver.address(), at("198.51.100.8:6000"));
    assert_eq!(press(&mut receiver, &event(98, 9, 0, 4), at("198.51.100.8:6000")), Some('4'));
    assert_eq!(
        press(&mut receiver, &event(97, 9, 9_000, 5), at("198.51.100.8:6000")),
        Some('5'),
        "the old number too"
    );
}

#[test]
fn who_says_nothing_for_half_a_minute_is_gone_and_comfort_noise_is_a_sign_of_life() {
    let mut receiver = receiver();
    let pass = |receiver: &mut Receiver| {
        for _ in 0..1_499 {
            assert_eq!(receiver.frame(), Some([0; FRAME]));
            assert!(!receiver.is_gone());
        }
    };
    pass(&mut receiver);
    assert_eq!(press(&mut receiver, &event(13, 1, 0, 1), at(PEER)), None);
    pass(&mut receiver);
    receiver.frame();
    assert!(receiver.is_gone());
}

proptest! {
    #[test]
    fn garbage_does_no_harm(packets in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..20)) {
        let mut receiver = receiver();
        for packet in packets {
            press(&mut receiver, &packet, at(PEER));
            receiver.frame();
        }
    }

    #[test]
    fn nearly_right_does_no_harm(mut head in proptest::collection::vec(any::<u8>(), 12..200)) {
        head[0] = 0x80;
        head[1] &= 0x0f;
        press(&mut receiver(), &head, at(PEER));
    }
}

//! Sound on the wire: what they send is checked, ordered and decoded; what we say is packed.

use std::net::{IpAddr, SocketAddr};

use audio_codec_algorithms::{decode_alaw, decode_ulaw, encode_alaw, encode_ulaw};
use rtp_types::{RtpPacket, RtpPacketBuilder};

use super::{
    jitter::Jitter,
    keys::Keys,
    sdp::{Codec, EVENTS, Remote},
};
use crate::phone::live::{FRAME, Frame};

/// No phone sends more at once: 200 ms.
const LONGEST_PACKET: usize = 1_600;
/// A stream that has been silent for so many frames may be followed by another.
const SILENT_FRAMES: u32 = 10;
/// So many packets of another stream, and none of the one before: it has taken its place.
const PACKETS_TO_REPLACE: u8 = 5;

/// Nothing at all for so long: they are gone, and nobody has told us. 30 seconds.
const GONE_FRAMES: u32 = 30 * 50;

/// What comes in on one call.
#[derive(Debug)]
pub struct Receiver {
    peer: Peer,
    events: Vec<u8>,
    stream: Option<u32>,
    /// Another stream that wants to be heard, and how many packets of it have come in a row.
    rival: Option<(u32, u8)>,
    jitter: Jitter,
    keys: Keys,
    /// Frames since anything came from them.
    quiet_for: u32,
}

/// Where they are. Behind a NAT it is not where their SDP says.
#[derive(Debug)]
struct Peer {
    signalled: SocketAddr,
    trunk: IpAddr,
    latched: Option<SocketAddr>,
}

impl Peer {
    fn fits(&self, address: SocketAddr) -> bool {
        address.ip() == self.signalled.ip() || address.ip() == self.trunk
    }

    /// May this be theirs? The first to send is believed, until one comes who is where they said.
    fn accepts(&mut self, from: SocketAddr, quiet: bool) -> bool {
        let believed = match self.latched {
            None => true,
            Some(latched) if latched == from => return true,
            Some(_) if from == self.signalled => true,
            Some(latched) if self.fits(from) => !self.fits(latched) || quiet,
            Some(latched) => latched.ip() == from.ip() && quiet,
        };
        if believed {
            self.latched = Some(from);
        }
        believed
    }
}

impl Receiver {
    /// `trunk` is where signalling comes from.
    pub fn new(remote: &Remote, trunk: IpAddr) -> Self {
        let mut receiver = Self {
            peer: Peer { signalled: remote.address, trunk, latched: None },
            events: vec![EVENTS],
            stream: None,
            rival: None,
            jitter: Jitter::default(),
            keys: Keys::default(),
            quiet_for: 0,
        };
        receiver.changed(remote);
        receiver
    }

    /// They have said something new about their sound.
    pub fn changed(&mut self, remote: &Remote) {
        self.events.extend(remote.events.filter(|number| !self.events.contains(number)));
        if self.peer.signalled != remote.address {
            self.peer.signalled = remote.address;
            self.peer.latched = None;
            self.stream = None;
        }
    }

    /// Where our sound goes.
    pub fn address(&self) -> SocketAddr {
        self.peer.latched.unwrap_or(self.peer.signalled)
    }

    /// Has nothing come for so long that nobody can be there?
    pub fn is_gone(&self) -> bool {
        self.quiet_for >= GONE_FRAMES
    }

    /// Takes a packet, which may bring a key. What is not theirs or not RTP is passed over.
    pub fn packet(&mut self, bytes: &[u8], from: SocketAddr) -> Option<char> {
        let packet = RtpPacket::parse(bytes).ok()?;
        let payload = packet.payload();
        if payload.len() > LONGEST_PACKET {
            return None;
        }
        let quiet = self.quiet_for > SILENT_FRAMES;
        if !self.peer.accepts(from, quiet) || !self.is_theirs(packet.ssrc(), quiet) {
            return None;
        }
        self.quiet_for = 0;
        let number = packet.payload_type();
        if let Some(codec) = Codec::of(number) {
            let samples: Vec<i16> = match codec {
                Codec::Ulaw => payload.iter().map(|byte| decode_ulaw(*byte)).collect(),
                Codec::Alaw => payload.iter().map(|byte| decode_alaw(*byte)).collect(),
            };
            if !samples.is_empty() {
                self.jitter.put(packet.timestamp(), &samples);
            }
        } else if self.events.contains(&number) {
            return self.keys.packet(packet.timestamp(), payload);
        }
        // The rest is comfort noise, or nothing that we have asked for.
        None
    }

    fn is_theirs(&mut self, stream: u32, quiet: bool) -> bool {
        if self.stream == Some(stream) {
            self.rival = None;
            return true;
        }
        let count = match self.rival {
            Some((rival, count)) if rival == stream => count + 1,
            _ => 1,
        };
        self.rival = Some((stream, count));
        let replaces = self.stream.is_none() || quiet || count >= PACKETS_TO_REPLACE;
        if replaces {
            self.stream = Some(stream);
            self.rival = None;
            self.jitter.forget();
            self.keys.forget();
        }
        replaces
    }

    /// The next 20 ms of what they say.
    pub fn frame(&mut self) -> Frame {
        self.quiet_for = self.quiet_for.saturating_add(1);
        self.jitter.take()
    }
}

/// What goes out on one call.
#[derive(Debug)]
pub struct Sender {
    codec: Codec,
    stream: u32,
    number: u16,
    time: u32,
    begun: bool,
}

impl Sender {
    /// `chance` makes this stream unlike others.
    pub fn new(codec: Codec, chance: u64) -> Self {
        let [a, b, c, d, e, f, g, h] = chance.to_be_bytes();
        Self {
            codec,
            stream: u32::from_be_bytes([a, b, c, d]),
            number: u16::from_be_bytes([e, f]),
            time: u32::from(u16::from_be_bytes([g, h])) * 160,
            begun: false,
        }
    }

    pub fn speak(&mut self, codec: Codec) {
        self.codec = codec;
    }

    /// 20 ms in which nothing is sent. Time goes on.
    pub fn pass(&mut self) {
        self.time = self.time.wrapping_add(FRAME as u32);
        self.begun = false;
    }

    pub fn packet(&mut self, frame: &Frame) -> Vec<u8> {
        let payload: Vec<u8> = match self.codec {
            Codec::Ulaw => frame.iter().map(|sample| encode_ulaw(*sample)).collect(),
            Codec::Alaw => frame.iter().map(|sample| encode_alaw(*sample)).collect(),
        };
        let packet = RtpPacketBuilder::<_, &[u8]>::new()
            .payload_type(self.codec.number())
            .marker_bit(!self.begun)
            .sequence_number(self.number)
            .timestamp(self.time)
            .ssrc(self.stream)
            .payload(payload.as_slice())
            .write_vec_unchecked();
        self.begun = true;
        self.number = self.number.wrapping_add(1);
        self.time = self.time.wrapping_add(FRAME as u32);
        packet
    }
}

#[cfg(test)]
mod tests {
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
                assert_eq!(receiver.packet(&packet, at(PEER)), None);
                heard = speech::level(&receiver.frame());
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
        assert_eq!(receiver.packet(&event(97, 1, 1_000, 1), at(PEER)), Some('1'));
        assert_eq!(receiver.packet(&event(EVENTS, 1, 9_000, 11), at(PEER)), Some('#'));
        assert_eq!(receiver.packet(&event(110, 1, 20_000, 2), at(PEER)), None);
    }

    #[test]
    fn sound_goes_where_theirs_comes_from() {
        let mut receiver = receiver();
        assert_eq!(receiver.address(), at(PEER));
        receiver.packet(&event(97, 1, 0, 1), at("198.51.100.4:9999"));
        assert_eq!(receiver.address(), at("198.51.100.4:9999"));
        // Where they said is believed more than anything.
        receiver.packet(&event(97, 1, 0, 1), at(PEER));
        assert_eq!(receiver.address(), at(PEER));
    }

    #[test]
    fn strangers_are_heard_only_when_nobody_else_is() {
        let mut receiver = receiver();
        // Behind a NAT: not where they said, and not the trunk, but the first.
        assert_eq!(receiver.packet(&event(97, 1, 0, 1), at("203.0.113.5:5000")), Some('1'));
        assert_eq!(receiver.address(), at("203.0.113.5:5000"));
        assert_eq!(receiver.packet(&event(97, 1, 9_000, 2), at("203.0.113.6:5000")), None, "the second");
        assert_eq!(receiver.packet(&event(97, 1, 9_000, 2), at(PEER)), Some('2'), "where they said");
        assert_eq!(receiver.packet(&event(97, 1, 18_000, 3), at("203.0.113.5:5000")), None);
        assert_eq!(receiver.address(), at(PEER));
    }

    #[test]
    fn another_stream_takes_over_when_the_first_is_silent_and_not_by_a_flood_beside_it() {
        let mut receiver = receiver();
        assert_eq!(receiver.packet(&event(97, 1, 0, 1), at(PEER)), Some('1'));
        for time in 1..100 {
            assert_eq!(receiver.packet(&event(97, 2, time * 1_000, 2), at(PEER)), None);
            receiver.packet(&event(97, 1, 0, 1), at(PEER));
        }
        for _ in 0..=SILENT_FRAMES {
            receiver.frame();
        }
        assert_eq!(receiver.packet(&event(97, 2, 0, 2), at(PEER)), Some('2'));
        // At once, without a pause: after a few packets.
        let keys: Vec<char> =
            (1..9).filter_map(|time| receiver.packet(&event(97, 3, time * 1_000, 3), at(PEER))).collect();
        assert_eq!(keys.len(), 4);
    }

    #[test]
    fn a_new_address_is_followed() {
        let mut receiver = receiver();
        receiver.packet(&event(97, 1, 0, 1), at(PEER));
        let mut moved = remote(98);
        moved.address = at("198.51.100.8:6000");
        receiver.changed(&moved);
        assert_eq!(receiver.address(), at("198.51.100.8:6000"));
        assert_eq!(receiver.packet(&event(98, 9, 0, 4), at("198.51.100.8:6000")), Some('4'));
        assert_eq!(
            receiver.packet(&event(97, 9, 9_000, 5), at("198.51.100.8:6000")),
            Some('5'),
            "the old number too"
        );
    }

    #[test]
    fn who_says_nothing_for_half_a_minute_is_gone_and_comfort_noise_is_a_sign_of_life() {
        let mut receiver = receiver();
        let pass = |receiver: &mut Receiver| {
            for _ in 0..1_499 {
                assert_eq!(receiver.frame(), [0; FRAME]);
                assert!(!receiver.is_gone());
            }
        };
        pass(&mut receiver);
        assert_eq!(receiver.packet(&event(13, 1, 0, 1), at(PEER)), None);
        pass(&mut receiver);
        receiver.frame();
        assert!(receiver.is_gone());
    }

    proptest! {
        #[test]
        fn garbage_does_no_harm(packets in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..20)) {
            let mut receiver = receiver();
            for packet in packets {
                receiver.packet(&packet, at(PEER));
                receiver.frame();
            }
        }

        #[test]
        fn nearly_right_does_no_harm(mut head in proptest::collection::vec(any::<u8>(), 12..200)) {
            head[0] = 0x80;
            head[1] &= 0x0f;
            receiver().packet(&head, at(PEER));
        }
    }
}

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

/// A key, and when it was pressed by their clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pressed {
    pub key: char,
    at: u32,
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

    /// Takes a packet, which may bring a key, and when it was pressed. What is not theirs or not RTP is passed over.
    pub fn packet(&mut self, bytes: &[u8], from: SocketAddr) -> Option<Pressed> {
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
            let at = packet.timestamp();
            return self.keys.packet(at, payload).map(|key| Pressed { key, at });
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

    /// The next 20 ms of what they say, or nothing while it is on its way.
    pub fn frame(&mut self) -> Option<Frame> {
        self.quiet_for = self.quiet_for.saturating_add(1);
        self.jitter.take()
    }

    /// What they have said before they pressed this, and is not yet taken.
    pub fn before(&self, pressed: Pressed) -> &[i16] {
        self.jitter.rest(pressed.at)
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
mod tests;

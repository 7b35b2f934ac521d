//! RTP: incoming packets are validated, ordered and decoded; outgoing audio is packetized.

use std::net::{IpAddr, SocketAddr};

use audio_codec_algorithms::{decode_alaw, decode_ulaw, encode_alaw, encode_ulaw};
use rtp_types::{RtpPacket, RtpPacketBuilder};

use super::{
    jitter::Jitter,
    keys::Keys,
    sdp::{Codec, EVENTS, Remote},
};
use crate::phone::live::{FRAME, Frame};

/// No phone sends more than 200 ms per packet.
const MAX_PACKET: usize = 1_600;
/// After this many silent frames another stream may take over.
const SILENT_FRAMES: u32 = 10;
/// This many packets of another stream, with none of the current one, replace it.
const PACKETS_TO_REPLACE: u8 = 5;

/// Without any packet for this long, the peer is gone without a BYE. 30 seconds.
const DEAD_PEER_FRAMES: u32 = 30 * 50;

/// The receiving side of a call.
#[derive(Debug)]
pub struct Receiver {
    peer: Peer,
    events: Vec<u8>,
    stream: Option<u32>,
    /// A competing stream, and its number of consecutive packets.
    rival: Option<(u32, u8)>,
    jitter: Jitter,
    keys: Keys,
    /// Frames since the last packet.
    quiet_for: u32,
}

/// A key, and its RTP timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pressed {
    pub key: char,
    at: u32,
}

/// The peer's address. Behind NAT it differs from the SDP.
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

    /// May this packet be theirs? The first sender is accepted, until one matches the SDP.
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
    /// `trunk` is the address of the signaling peer.
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

    /// The peer has sent a new SDP.
    pub fn changed(&mut self, remote: &Remote) {
        self.events.extend(remote.events.filter(|number| !self.events.contains(number)));
        if self.peer.signalled != remote.address {
            self.peer.signalled = remote.address;
            self.peer.latched = None;
            self.stream = None;
        }
    }

    /// Where we send audio.
    pub fn address(&self) -> SocketAddr {
        self.peer.latched.unwrap_or(self.peer.signalled)
    }

    /// Has nothing arrived for so long that the peer must be gone?
    pub fn is_gone(&self) -> bool {
        self.quiet_for >= DEAD_PEER_FRAMES
    }

    /// Processes a packet, which may contain a key press. Packets from others and non-RTP packets are ignored.
    pub fn packet(&mut self, bytes: &[u8], from: SocketAddr) -> Option<Pressed> {
        let packet = RtpPacket::parse(bytes).ok()?;
        let payload = packet.payload();
        if payload.len() > MAX_PACKET {
            return None;
        }
        let quiet = self.quiet_for > SILENT_FRAMES;
        if !self.peer.accepts(from, quiet) || !self.is_from_peer(packet.ssrc(), quiet) {
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
        // Comfort noise or an unknown payload type.
        None
    }

    fn is_from_peer(&mut self, stream: u32, quiet: bool) -> bool {
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
            self.jitter.reset();
            self.keys.reset();
        }
        replaces
    }

    /// The next 20 ms, or `None` while it is delayed.
    pub fn frame(&mut self) -> Option<Frame> {
        self.quiet_for = self.quiet_for.saturating_add(1);
        self.jitter.take()
    }

    /// Audio from before this key press that has not been taken yet.
    pub fn before(&self, pressed: Pressed) -> &[i16] {
        self.jitter.rest(pressed.at)
    }
}

/// The sending side of a call.
#[derive(Debug)]
pub struct Sender {
    codec: Codec,
    stream: u32,
    number: u16,
    time: u32,
    begun: bool,
}

impl Sender {
    /// `random` makes the stream unique.
    pub fn new(codec: Codec, random: u64) -> Self {
        let [a, b, c, d, e, f, g, h] = random.to_be_bytes();
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

    /// 20 ms without a packet; the timestamp advances.
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

//! Opus, which symphonia does not decode.

use super::Refusal;
use ropus::{Channels, DecodeMode, Decoder};

/// Opus decodes at this rate, whatever its header says (Firefox writes 44,100).
pub const RATE: u32 = 48_000;

/// The longest packet, 120 ms, in samples per channel.
const MAX_PACKET: usize = 5_760;

/// The header of an Opus stream (RFC 7845, 5.1).
#[derive(Debug, PartialEq)]
struct Head {
    channels: usize,
    /// Pre-skip: samples at the start while the encoder settles.
    skip: usize,
    gain: f32,
}

impl Head {
    fn read(head: &[u8]) -> Option<Self> {
        let fields = head.strip_prefix(b"OpusHead")?;
        let (version, channels) = (*fields.first()?, *fields.get(1)?);
        let pair = |at: usize| Some([*fields.get(at)?, *fields.get(at + 1)?]);
        // MP4 stores the same fields in big-endian order, indicated by version 0.
        let (skip, gain) = match version {
            0 => (u16::from_be_bytes(pair(2)?), i16::from_be_bytes(pair(8)?)),
            _ => (u16::from_le_bytes(pair(2)?), i16::from_le_bytes(pair(8)?)),
        };
        let gain = 10.0_f32.powf(f32::from(gain) / 256.0 / 20.0);
        Some(Self { channels: channels.into(), skip: skip.into(), gain })
    }
}

pub struct Opus {
    decoder: Decoder,
    channels: usize,
    skip: usize,
    gain: f32,
    buffer: Vec<f32>,
}

impl Opus {
    pub fn new(head: Option<&[u8]>) -> Result<Self, Refusal> {
        // Without a header: stereo, to which mono decodes as well.
        let Head { channels, skip, gain } =
            head.and_then(Head::read).unwrap_or(Head { channels: 2, skip: 0, gain: 1.0 });
        let layout = match channels {
            1 => Channels::Mono,
            2 => Channels::Stereo,
            _ => return Err(Refusal::Unusual),
        };
        let decoder = Decoder::new(RATE, layout).map_err(|_| Refusal::Damaged)?;
        Ok(Self { decoder, channels, skip, gain, buffer: vec![0.0; MAX_PACKET * channels] })
    }

    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The interleaved samples of a packet; `None` if it cannot be decoded.
    pub fn decode(&mut self, packet: &[u8]) -> Option<&[f32]> {
        let count = self.decoder.decode_float(packet, &mut self.buffer, DecodeMode::Normal).ok()?;
        let skipped = self.skip.min(count);
        self.skip -= skipped;
        let samples = self.buffer.get_mut(skipped * self.channels..count * self.channels)?;
        if self.gain != 1.0 {
            samples.iter_mut().for_each(|s| *s *= self.gain);
        }
        Some(samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_header_of_ogg_and_of_mp4() {
        let ogg = [b"OpusHead".as_slice(), &[1, 2, 0x38, 1, 0x44, 0xac, 0, 0, 0, 0xfa, 0]].concat();
        let head = Head::read(&ogg).expect("a header");
        assert_eq!((head.channels, head.skip), (2, 312));
        assert!((head.gain - 0.501).abs() < 0.001, "{}", head.gain);
        let mp4 = [b"OpusHead".as_slice(), &[0, 1, 1, 0x38, 0, 0, 0xbb, 0x80, 0, 0, 0]].concat();
        assert_eq!(Head::read(&mp4), Some(Head { channels: 1, skip: 312, gain: 1.0 }));
        assert_eq!(Head::read(b"OpusHead\x01\x02"), None);
    }

    #[test]
    fn skips_what_the_header_says_and_survives_garbage() {
        let head = [b"OpusHead".as_slice(), &[1, 1, 0xe8, 3, 0, 0, 0, 0, 0, 0, 0]].concat();
        let mut opus = Opus::new(Some(&head)).expect("a decoder");
        // A 20 ms packet of silence, as in discontinuous transmission.
        assert_eq!(opus.decode(&[0xf8, 0xff, 0xfe]).map(<[f32]>::len), Some(0));
        assert_eq!(opus.decode(&[0xf8, 0xff, 0xfe]).map(<[f32]>::len), Some(920));
        assert!(opus.decode(&[0xff, 0xff]).is_none());
    }
}

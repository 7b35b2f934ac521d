//! MP3 encoding: mono, constant bit rate, with a length header.
//!
//! The length is exact everywhere, even in players without gapless playback: the encoder delay counts as part of the
//! pause before the voice, and the end is padded to a whole frame. So nothing has to be skipped, and every decoder
//! yields frames × 1152 samples. (With the delay in a LAME extension, ffprobe and Chromium report a length that
//! includes it, while players skip it.)

use super::{
    Refusal,
    filterbank::{Filterbank, GRANULE},
    quantize::quantize,
};
use shine_rs::{ShineConfig, ShineGlobalConfig, bitstream, encoder};

/// Samples per frame.
pub const FRAME: usize = 2 * GRANULE;

/// The delay of encoding and decoding in samples, from the filterbanks of both sides.
const DELAY: usize = 1_057;

/// Enough to make speech indistinguishable from the original (PESQ 4.4 to 4.5 of 4.64; 64 gives 4.1): 36 kB for three
/// seconds.
const KILOBITS: i32 = 96;

/// Every player supports these two, and each is a simple multiple of the rates it represents.
pub fn rate_for(recorded: u32) -> u32 {
    if recorded.is_multiple_of(11_025) { 44_100 } else { 48_000 }
}

/// The delay in seconds.
pub fn delay(rate: u32) -> f64 {
    DELAY as f64 / f64::from(rate)
}

/// The size of the frame in front of a file, which has its length.
pub fn header_length(rate: u32) -> usize {
    144 * KILOBITS as usize * 1000 / rate as usize
}

/// The samples as the decoder will return them, in whole frames.
pub fn laid_out(samples: &[f32]) -> Vec<f32> {
    let mut laid = vec![0.0; DELAY];
    laid.extend_from_slice(samples);
    laid.resize(laid.len().next_multiple_of(FRAME), 0.0);
    laid
}

/// Encodes samples from `laid_out`.
pub fn encode(laid: &[f32], rate: u32) -> Result<Vec<u8>, Refusal> {
    // Fails only for rates that MP3 does not have, and `rate_for` returns none of those.
    encoded(laid, rate).map_err(|_| Refusal::Unusual)
}

fn encoded(laid: &[f32], rate: u32) -> shine_rs::EncodingResult<Vec<u8>> {
    let mut settings = ShineConfig::default();
    settings.wave.channels = 1;
    settings.wave.samplerate = rate as i32;
    settings.mpeg.bitr = KILOBITS;
    settings.mpeg.mode = 3; // mono
    let mut shine = encoder::shine_initialise(&settings)?;
    let mut filterbank = Filterbank::new();

    let mut samples = laid[DELAY.min(laid.len())..].to_vec();
    samples.resize(laid.len(), 0.0);
    let (frames, _) = samples.as_chunks::<FRAME>();
    let mut stream = Vec::with_capacity(frames.len() * 320);
    for frame in frames {
        let (granules, _) = frame.as_chunks::<GRANULE>();
        let lines = std::array::from_fn(|i| filterbank.analyze(&granules[i]));
        size_frame(&mut shine);
        quantize(&mut shine, &lines);
        bitstream::format_bitstream(&mut shine)?;
        stream.extend_from_slice(&shine.bs.data[..shine.bs.data_position as usize]);
        shine.bs.data_position = 0;
    }
    // The encoder writes four bytes at a time and omits the last ones.
    stream.extend_from_slice(
        &shine.bs.cache.to_be_bytes()[..(32 - shine.bs.cache_bits.clamp(0, 32)) as usize / 8],
    );
    Ok(with_length(&stream, frames.len(), rate))
}

/// The size of this frame: at 44.1 kHz an occasional padding byte keeps the mean bit rate.
fn size_frame(shine: &mut ShineGlobalConfig) {
    let mpeg = &mut shine.mpeg;
    if mpeg.frac_slots_per_frame != 0.0 {
        mpeg.padding = i32::from(mpeg.slot_lag <= mpeg.frac_slots_per_frame - 1.0);
        mpeg.slot_lag += f64::from(mpeg.padding) - mpeg.frac_slots_per_frame;
    }
    mpeg.bits_per_frame = 8 * (mpeg.whole_slots_per_frame + mpeg.padding);
    shine.mean_bits = (mpeg.bits_per_frame - shine.sideinfo_len) / mpeg.granules_per_frame;
}

/// Prepends a frame that decodes to silence and contains the number of frames and bytes: the de facto standard "Info"
/// header.
fn with_length(stream: &[u8], frames: usize, rate: u32) -> Vec<u8> {
    const SIDE_INFORMATION: usize = 17;
    let length = header_length(rate);
    let bytes = length + stream.len();

    let mut file = Vec::with_capacity(bytes);
    file.extend_from_slice(&stream[..stream.len().min(4)]);
    if let Some(third) = file.get_mut(2) {
        *third &= !0b10; // this frame has no padding
    }
    file.resize(4 + SIDE_INFORMATION, 0);
    file.extend_from_slice(b"Info");
    file.extend_from_slice(&0b0111_u32.to_be_bytes()); // frames, bytes, seek table
    file.extend_from_slice(&(frames as u32).to_be_bytes());
    file.extend_from_slice(&(bytes as u32).to_be_bytes());
    // At a constant rate each percent of the time is a percent of the bytes.
    file.extend((0..100_usize).map(|percent| (percent * 256 / 100) as u8));
    file.resize(length, 0);
    file.extend_from_slice(stream);
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::decode;
    use std::time::Duration;

    fn sweep(rate: u32) -> Vec<f32> {
        let step = std::f64::consts::TAU / f64::from(rate);
        (0..rate).map(|i| ((200.0 + f64::from(i) * 0.02) * step * f64::from(i)).sin() as f32 * 0.3).collect()
    }

    #[test]
    fn simple_multiples() {
        for rate in [11_025, 22_050, 44_100, 88_200] {
            assert_eq!(rate_for(rate), 44_100);
        }
        for rate in [8_000, 16_000, 24_000, 32_000, 37_800, 48_000, 96_000, 192_000] {
            assert_eq!(rate_for(rate), 48_000);
        }
    }

    #[test]
    fn what_is_decoded_is_what_was_laid_out() {
        for rate in [44_100, 48_000] {
            let laid = laid_out(&sweep(rate));
            let file = encode(&laid, rate).expect("encoded");
            let heard = decode::decode(&file, Duration::MAX).expect("decoded");
            assert_eq!(heard.rate, rate);
            assert_eq!(heard.samples.len(), laid.len());
            let power =
                |samples: &mut dyn Iterator<Item = f32>| samples.map(|s| f64::from(s * s)).sum::<f64>();
            let signal = power(&mut laid.iter().copied());
            let error = power(&mut laid.iter().zip(&heard.samples).map(|(a, b)| a - b));
            let decibels = 10.0 * (signal / error).log10();
            assert!(decibels > 25.0, "{rate}: {decibels} dB");
        }
    }

    #[test]
    fn the_header_tells_frames_and_bytes() {
        for (rate, length) in [(44_100, 313), (48_000, 288)] {
            let laid = laid_out(&sweep(rate));
            let file = encode(&laid, rate).expect("encoded");
            assert_eq!(&file[21..25], b"Info");
            assert_eq!(file[29..33], (laid.len() as u32 / 1152).to_be_bytes());
            assert_eq!(file[33..37], (file.len() as u32).to_be_bytes());
            assert_eq!(file[length..length + 2], [0xff, 0xfb], "the first frame follows");
        }
    }

    #[test]
    fn silence_is_encoded_too() {
        let file = encode(&laid_out(&[0.0; 5000]), 48_000).expect("encoded");
        let heard = decode::decode(&file, Duration::MAX).expect("decoded");
        assert!(heard.samples.iter().all(|s| s.abs() < 1e-4));
    }
}

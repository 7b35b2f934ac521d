//! The analysis filterbank of an MP3 encoder: from samples to 576 frequency lines per granule (ISO 11172-3, annex
//! C.1.3 and clause 2.4.3.4). The encoder crate has its own in fixed point; this one takes an eighth of the time and
//! does not round samples to 16 bits.

use std::{f64::consts::PI, sync::LazyLock};

/// Samples, and frequency lines, per granule.
pub const GRANULE: usize = 576;
const BANDS: usize = 32;
/// Subband samples per band in a granule.
const SLOTS: usize = GRANULE / BANDS;
/// The length of the polyphase window.
const WINDOW: usize = 512;

/// The MDCT scale of the standard. (The encoder crate divides by 8, and its output is 1 dB too loud.)
const SCALE: f32 = 1.0 / 9.0;

struct Tables {
    window: [f32; WINDOW],
    /// The cosines of the polyphase matrix, after folding 64 inputs to 32.
    polyphase: [[f32; BANDS]; BANDS],
    /// The cosines of the MDCT, including its sine window.
    mdct: [[f32; SLOTS]; 2 * SLOTS],
    /// Alias reduction butterflies between adjacent bands.
    butterflies: [(f32, f32); 8],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
    window: std::array::from_fn(|i| shine_rs::tables::SHINE_ENWINDOW[i] as f32 / i32::MAX as f32),
    polyphase: std::array::from_fn(|k| {
        std::array::from_fn(|band| ((2 * band + 1) as f64 * k as f64 * PI / 64.0).cos() as f32)
    }),
    mdct: std::array::from_fn(|k| {
        std::array::from_fn(|m| {
            let sine = (PI / 36.0 * (k as f64 + 0.5)).sin();
            (sine * (PI / 72.0 * (2 * k + 19) as f64 * (2 * m + 1) as f64).cos()) as f32
        })
    }),
    butterflies: [-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037_f64]
        .map(|c| ((1.0 / (1.0 + c * c).sqrt()) as f32, (c / (1.0 + c * c).sqrt()) as f32)),
});

type Subbands = [[f32; BANDS]; SLOTS];

pub struct Filterbank {
    /// History and one granule, newest first, as the window needs them.
    backwards: [f32; WINDOW - BANDS + GRANULE],
    previous: Subbands,
}

impl Filterbank {
    pub fn new() -> Self {
        Self { backwards: [0.0; WINDOW - BANDS + GRANULE], previous: [[0.0; BANDS]; SLOTS] }
    }

    /// The frequency lines of the next granule.
    pub fn analyze(&mut self, samples: &[f32; GRANULE]) -> [f32; GRANULE] {
        let tables = &*TABLES;
        self.backwards.copy_within(..WINDOW - BANDS, GRANULE);
        for (place, sample) in self.backwards[..GRANULE].iter_mut().rev().zip(samples) {
            *place = *sample;
        }

        let mut current: Subbands = [[0.0; BANDS]; SLOTS];
        for (slot, bands) in current.iter_mut().enumerate() {
            let newest = GRANULE - BANDS * (slot + 1);
            *bands = polyphase(tables, &self.backwards[newest..newest + WINDOW]);
            // The filter inverts every other band.
            if slot % 2 == 1 {
                bands.iter_mut().skip(1).step_by(2).for_each(|s| *s = -*s);
            }
        }

        let mut lines = [0.0_f32; GRANULE];
        for band in 0..BANDS {
            let mut sums = [0.0_f32; SLOTS];
            let (early, late) = tables.mdct.split_at(SLOTS);
            for (samples, cosines) in [(&self.previous, early), (&current, late)] {
                for (bands, cosines) in samples.iter().zip(cosines) {
                    for (sum, cosine) in sums.iter_mut().zip(cosines) {
                        *sum += bands[band] * cosine;
                    }
                }
            }
            lines[band * SLOTS..][..SLOTS].copy_from_slice(&sums);
        }
        for edge in (SLOTS..GRANULE).step_by(SLOTS) {
            for (i, (stays, goes)) in tables.butterflies.iter().enumerate() {
                let (above, below) = (lines[edge + i], lines[edge - 1 - i]);
                lines[edge + i] = above * stays - below * goes;
                lines[edge - 1 - i] = above * goes + below * stays;
            }
        }
        self.previous = current;
        lines.map(|line| line * SCALE)
    }
}

/// One sample per band from the latest 512 samples.
fn polyphase(tables: &Tables, newest: &[f32]) -> [f32; BANDS] {
    let mut sums = [0.0_f32; 64];
    for (samples, window) in newest.chunks_exact(64).zip(tables.window.chunks_exact(64)) {
        for i in 0..64 {
            sums[i] += samples[i] * window[i];
        }
    }
    // By symmetry of the cosine, 64 inputs need only 32 products per band.
    let folded: [f32; BANDS] = std::array::from_fn(|k| match k {
        0 => sums[16],
        1..=16 => sums[16 + k] + sums[16 - k],
        _ => sums[16 + k] - sums[80 - k],
    });
    let mut bands = [0.0_f32; BANDS];
    for (input, cosines) in folded.iter().zip(&tables.polyphase) {
        for (band, cosine) in bands.iter_mut().zip(cosines) {
            *band += input * cosine;
        }
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_fixed_point_filterbank_but_for_its_gain() {
        use shine_rs::{mdct, subband, types::ShineGlobalConfig};
        let samples: Vec<i16> = (0..4 * GRANULE)
            .map(|i| ((i as f64 * 0.13).sin() * 9000.0 + (i as f64 * 1.7).sin() * 4000.0) as i16)
            .collect();
        let mut shine = ShineGlobalConfig::new();
        shine.wave.channels = 1;
        subband::shine_subband_initialise(&mut shine.subband);
        mdct::shine_mdct_initialise(&mut shine);
        let mut ours = Filterbank::new();
        for frame in samples.chunks_exact(2 * GRANULE) {
            shine.buffer[0] = frame.as_ptr().cast_mut();
            mdct::shine_mdct_sub(&mut shine, 1);
            for (granule, samples) in frame.chunks_exact(GRANULE).enumerate() {
                let samples: [f32; GRANULE] = std::array::from_fn(|i| f32::from(samples[i]) / 32_768.0);
                let frequencies = ours.analyze(&samples);
                for (i, (ours, theirs)) in frequencies.iter().zip(&shine.mdct_freq[0][granule]).enumerate() {
                    let difference = ours * 9.0 / 8.0 - *theirs as f32 / i32::MAX as f32;
                    assert!(difference.abs() < 2e-6, "{i}: {ours} {theirs}");
                }
            }
        }
    }
}

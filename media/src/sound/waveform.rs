//! The waveform of a recording: a list of peaks.

use super::PEAKS;

/// The peak of each of `PEAKS` equal slices, scaled so that the highest is 255.
pub fn peaks(samples: &[f32]) -> [u8; PEAKS] {
    let slice = |i: usize| &samples[samples.len() * i / PEAKS..samples.len() * (i + 1) / PEAKS];
    let highest: [f32; PEAKS] =
        std::array::from_fn(|i| slice(i).iter().fold(0.0, |highest: f32, s| highest.max(s.abs())));
    let loudest = highest.iter().fold(f32::MIN_POSITIVE, |a, b| a.max(*b));
    highest.map(|h| (h / loudest * 255.0).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loudest_slice_is_255_and_the_order_is_that_of_time() {
        let rising: Vec<f32> =
            (0..6400).map(|i| i as f32 / 20_000.0 * if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let peaks = peaks(&rising);
        assert_eq!(peaks[63], 255);
        assert!(peaks.windows(2).all(|p| p[0] < p[1]), "{peaks:?}");
        assert!(peaks[0] <= 4);
    }

    #[test]
    fn silence_and_nothing_are_flat() {
        assert_eq!(peaks(&[0.0; 1000]), [0; PEAKS]);
        assert_eq!(peaks(&[]), [0; PEAKS]);
        assert_eq!(peaks(&[0.5; 10]).iter().filter(|p| **p == 255).count(), 10);
    }
}

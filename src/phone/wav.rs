//! Writes WAV files of telephone audio.

use super::prompts::RATE;

/// 16-bit, mono, at the telephone sample rate.
pub fn write(samples: &[i16]) -> Vec<u8> {
    let bytes = u32::try_from(samples.len() * 2).unwrap_or(u32::MAX);
    let mut file = Vec::with_capacity(44 + samples.len() * 2);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&bytes.saturating_add(36).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    file.extend_from_slice(&16_u32.to_le_bytes());
    // PCM, one channel.
    file.extend_from_slice(&1_u16.to_le_bytes());
    file.extend_from_slice(&1_u16.to_le_bytes());
    file.extend_from_slice(&RATE.to_le_bytes());
    file.extend_from_slice(&(RATE * 2).to_le_bytes());
    file.extend_from_slice(&2_u16.to_le_bytes());
    file.extend_from_slice(&16_u16.to_le_bytes());
    file.extend_from_slice(b"data");
    file.extend_from_slice(&bytes.to_le_bytes());
    for sample in samples {
        file.extend_from_slice(&sample.to_le_bytes());
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_how_long_it_is() {
        let file = write(&[1, -2, 3]);
        assert_eq!(file.len(), 44 + 6);
        assert_eq!(&file[4..8], (36_u32 + 6).to_le_bytes());
        assert_eq!(&file[24..28], 8_000_u32.to_le_bytes());
        assert_eq!(&file[40..44], 6_u32.to_le_bytes());
        assert_eq!(&file[44..], [1, 0, 254, 255, 3, 0]);
    }
}

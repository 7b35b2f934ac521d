//! JPEG: decoded at 1/8, 1/4 or 1/2 of its size where that is enough, which the DCT allows.

use jpeg_decoder::{CodingProcess, Decoder, Error, PixelFormat};

use super::reduce::{REDUCED_SIDE, Reduced};
use super::{Decoded, Limits, Refusal};

/// Cameras write one scan, progressive encoders about ten. Each costs a pass over all blocks, even if it has only a
/// few bytes, so a small file with thousands of scans would keep a core busy for minutes.
const MAX_SCANS: usize = 100;

pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Decoded, Refusal> {
    let mut decoder = Decoder::new(bytes);
    decoder.read_info().map_err(refusal)?;
    let info = decoder.info().ok_or(Refusal::Damaged)?;
    let (width, height) = (info.width, info.height);
    limits.check(width.into(), height.into())?;
    // Written by scanners and medical devices; it cannot be decoded at a reduced size.
    if info.coding_process == CodingProcess::Lossless {
        return Err(Refusal::Unsupported("a lossless JPEG"));
    }
    if scans(bytes) > MAX_SCANS {
        return Err(Refusal::Damaged);
    }
    // The decoder picks the smallest size that suffices in one direction: the longer side decides.
    let longer = REDUCED_SIDE as u16;
    let wanted = if width >= height { (longer, u16::MAX) } else { (u16::MAX, longer) };
    let size = decoder.scale(wanted.0, wanted.1).map_err(refusal)?;
    let samples = decoder.decode().map_err(refusal)?;
    let channels = match info.pixel_format {
        PixelFormat::L8 => 1,
        PixelFormat::RGB24 => 3,
        PixelFormat::CMYK32 => 4,
        PixelFormat::L16 => return Err(Refusal::Unsupported("a 16-bit JPEG")),
    };
    let reduced = Reduced {
        full_size: (width.into(), height.into()),
        size: (size.0.into(), size.1.into()),
        channels,
        samples,
    };
    Ok(Decoded { reduced, exif: decoder.exif_data().map(<[u8]>::to_vec), icc: decoder.icc_profile() })
}

fn refusal(error: Error) -> Refusal {
    match error {
        Error::Unsupported(_) => Refusal::Unsupported("an uncommon kind of JPEG"),
        _ => Refusal::Damaged,
    }
}

/// Counts the scans up to the end of the image. Segments are skipped by their length, because an embedded preview has
/// scans too.
fn scans(bytes: &[u8]) -> usize {
    let (mut count, mut position) = (0, 2);
    while let Some(&[first, marker]) = bytes.get(position..).and_then(<[u8]>::first_chunk) {
        match (first, marker) {
            (0xFF, 0xD9) => break,
            // Entropy-coded data and markers without a length.
            (0..=0xFE, _) | (_, 0x00 | 0x01 | 0xD0..=0xD8 | 0xFF) => position += 1,
            _ => {
                count += usize::from(marker == 0xDA);
                let length = bytes.get(position + 2..position + 4).and_then(<[u8]>::first_chunk);
                position += 2 + length.map_or(0, |&length| u16::from_be_bytes(length).into());
            }
        }
    }
    count
}

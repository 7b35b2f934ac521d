//! WebP: the still image or the first frame of an animation, on a white canvas of the full size.
//!
//! The container is parsed here, because the decoder would hold an animation three times, a lossless image twice, and
//! another image for the alpha of a lossy one. It gets each part separately, as a separate file.

use std::io::Cursor;
use std::iter::repeat;

use image_webp::WebPDecoder;

use super::reduce::Reducer;
use super::{Decoded, Limits, Refusal};

/// The header bit of a lossless image that enables its alpha.
const LOSSLESS_ALPHA: u8 = 0x10;
const LOSSLESS_SIGNATURE: u8 = 0x2F;
/// Width and height have 14 bits each; the decoder reads the maximum as zero and rejects it.
const LOSSLESS_SIDE: u32 = 1 << 14;

/// The chunks of one image.
#[derive(Default)]
struct Frame<'a> {
    /// The size in the container; the header of the image repeats it.
    size: Option<(u32, u32)>,
    left: u32,
    top: u32,
    alpha: Option<&'a [u8]>,
    lossy: Option<&'a [u8]>,
    lossless: Option<&'a [u8]>,
}

pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Decoded, Refusal> {
    // A file shorter than its header says is truncated, even if the first frame is complete.
    let riff_size = bytes.get(4..).and_then(little_endian::<4>).ok_or(Refusal::Damaged)? as usize;
    if riff_size + 8 > bytes.len() + 1 {
        return Err(Refusal::Damaged);
    }
    let (mut canvas, mut icc, mut exif) = (None, None, None);
    let (mut still, mut animated) = (Frame::default(), None);
    for chunk in Chunks(&bytes[12..bytes.len().min(riff_size + 8)]) {
        let (name, data) = chunk?;
        match name {
            b"VP8X" => {
                let size = size_at(data, 4).ok_or(Refusal::Damaged)?;
                limits.check(size.0, size.1)?;
                canvas = Some(size);
            }
            b"ICCP" => icc = Some(data.to_vec()),
            b"EXIF" => exif = Some(data.to_vec()),
            b"ANMF" if animated.is_none() => animated = Some(animation_frame(data)?),
            _ => still.take(name, data),
        }
    }
    still.size = canvas;
    let is_animated = animated.is_some();
    let frame = animated.unwrap_or(still);

    if let Some((width, height)) = frame.size {
        limits.check(width, height)?;
    }
    // Before the colors, because decompressing alpha takes more memory than it needs afterwards.
    let alpha = match (frame.lossless, frame.alpha, frame.size) {
        (None, Some(alpha), Some((width, height))) => Some(alpha_plane(alpha, width, height)?),
        _ => None,
    };
    let file = match (frame.lossless, frame.lossy) {
        (Some(lossless), _) => lossless_file(lossless)?,
        (None, Some(lossy)) => file_of(b"VP8 ", lossy),
        (None, None) => return Err(Refusal::Damaged),
    };
    let mut decoder = WebPDecoder::new(Cursor::new(file)).map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    limits.check(width, height)?;
    if frame.size.is_some_and(|size| size != (width, height)) {
        return Err(Refusal::Damaged);
    }
    let canvas = canvas.filter(|_| is_animated).unwrap_or((width, height));
    if frame.left + width > canvas.0 || frame.top + height > canvas.1 {
        return Err(Refusal::Damaged);
    }

    let samples = pixels(&mut decoder)?;
    let mut reducer = Reducer::new(canvas.0, canvas.1);
    let columns = width as usize;
    for (row, y) in (frame.top..frame.top + height).enumerate() {
        let (at, start, end) = ((frame.left, y), row * columns, (row + 1) * columns);
        if frame.lossless.is_some() {
            let opaque = !frame.has_lossless_alpha();
            let pixel = |&[r, g, b, alpha]: &[u8; 4]| ([r, g, b], if opaque { 255 } else { alpha });
            reducer.draw(at, 1, samples[start * 4..end * 4].as_chunks().0.iter().map(pixel));
        } else {
            let colors = samples[start * 3..end * 3].as_chunks().0.iter().copied();
            match &alpha {
                Some(alpha) => reducer.draw(at, 1, colors.zip(alpha[start..end].iter().copied())),
                None => reducer.draw(at, 1, colors.zip(repeat(255))),
            }
        }
    }
    Ok(Decoded { reduced: reducer.finish(), exif, icc })
}

impl<'a> Frame<'a> {
    fn take(&mut self, name: &[u8; 4], data: &'a [u8]) {
        let place = match name {
            b"ALPH" => &mut self.alpha,
            b"VP8 " => &mut self.lossy,
            b"VP8L" => &mut self.lossless,
            _ => return,
        };
        place.get_or_insert(data);
    }

    fn has_lossless_alpha(&self) -> bool {
        self.lossless.and_then(|data| data.get(4)).is_some_and(|byte| byte & LOSSLESS_ALPHA != 0)
    }
}

fn pixels(decoder: &mut WebPDecoder<Cursor<Vec<u8>>>) -> Result<Vec<u8>, Refusal> {
    let mut samples = vec![0; decoder.output_buffer_size().ok_or(Refusal::Damaged)?];
    decoder.read_image(&mut samples).map_err(damaged)?;
    Ok(samples)
}

/// The alpha of a lossy image: raw, or the green channel of a lossless image without its header, optionally filtered.
fn alpha_plane(chunk: &[u8], width: u32, height: u32) -> Result<Vec<u8>, Refusal> {
    let (&header, data) = chunk.split_first().ok_or(Refusal::Damaged)?;
    let count = width as usize * height as usize;
    let mut plane = match header & 3 {
        0 => data.get(..count).ok_or(Refusal::Damaged)?.to_vec(),
        1 if width < LOSSLESS_SIDE && height < LOSSLESS_SIDE => {
            let sizes = (width - 1) | (height - 1) << 14;
            let lossless = [&[LOSSLESS_SIGNATURE], &sizes.to_le_bytes()[..], data].concat();
            let mut decoder = WebPDecoder::new(Cursor::new(lossless_file(&lossless)?)).map_err(damaged)?;
            let mut samples = pixels(&mut decoder)?;
            for index in 0..count {
                samples[index] = samples[index * 4 + 1];
            }
            samples.truncate(count);
            samples.shrink_to_fit();
            samples
        }
        _ => return Err(Refusal::Damaged),
    };
    let filter = header >> 2 & 3;
    if filter != 0 {
        let columns = width as usize;
        // The first pixel is unfiltered; the rest of the first row uses the left neighbor, the first column the upper
        // one.
        for index in 1..count {
            let left = |plane: &[u8]| plane[index - 1];
            let above = |plane: &[u8]| plane[index - columns];
            let guess = match (index < columns, index % columns == 0, filter) {
                (true, _, _) => left(&plane),
                (_, true, _) => above(&plane),
                (_, _, 1) => left(&plane),
                (_, _, 2) => above(&plane),
                _ => {
                    let corner = i16::from(plane[index - columns - 1]);
                    (i16::from(left(&plane)) + i16::from(above(&plane)) - corner).clamp(0, 255) as u8
                }
            };
            plane[index] = plane[index].wrapping_add(guess);
        }
    }
    Ok(plane)
}

/// Always with alpha: the decoder then writes straight into our buffer instead of copying.
fn lossless_file(data: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut data = data.to_vec();
    *data.get_mut(4).ok_or(Refusal::Damaged)? |= LOSSLESS_ALPHA;
    Ok(file_of(b"VP8L", &data))
}

/// A still WebP with one chunk.
fn file_of(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let padded = data.len() + data.len() % 2;
    let mut file = Vec::with_capacity(padded + 20);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(padded as u32 + 12).to_le_bytes());
    file.extend_from_slice(b"WEBP");
    file.extend_from_slice(name);
    file.extend_from_slice(&(data.len() as u32).to_le_bytes());
    file.extend_from_slice(data);
    file.resize(padded + 20, 0);
    file
}

fn animation_frame(data: &[u8]) -> Result<Frame<'_>, Refusal> {
    let offset = |at: usize| data.get(at..).and_then(little_endian::<3>).ok_or(Refusal::Damaged);
    let mut frame = Frame {
        // Stored halved.
        left: offset(0)? * 2,
        top: offset(3)? * 2,
        size: Some(size_at(data, 6).ok_or(Refusal::Damaged)?),
        ..Frame::default()
    };
    for chunk in Chunks(data.get(16..).ok_or(Refusal::Damaged)?) {
        let (name, data) = chunk?;
        frame.take(name, data);
    }
    Ok(frame)
}

/// Width and height, three bytes each, minus one.
fn size_at(data: &[u8], at: usize) -> Option<(u32, u32)> {
    let side = |at: usize| data.get(at..).and_then(little_endian::<3>).map(|side| side + 1);
    Some((side(at)?, side(at + 3)?))
}

fn little_endian<const BYTES: usize>(data: &[u8]) -> Option<u32> {
    let bytes: &[u8; BYTES] = data.first_chunk()?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)))
}

/// The chunks of a RIFF container, padded to even lengths.
struct Chunks<'a>(&'a [u8]);

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<(&'a [u8; 4], &'a [u8]), Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        // Less than a header is uncounted padding.
        let (header, rest) = self.0.split_at_checked(8)?;
        let length = little_endian::<4>(&header[4..])? as usize;
        let Some((data, rest)) = rest.split_at_checked(length) else {
            self.0 = &[];
            return Some(Err(Refusal::Damaged));
        };
        self.0 = rest.get(length % 2..).unwrap_or_default();
        Some(Ok((header.first_chunk()?, data)))
    }
}

fn damaged(_: image_webp::DecodingError) -> Refusal {
    Refusal::Damaged
}

#[cfg(test)]
mod tests {
    use super::alpha_plane;

    #[test]
    fn alpha_may_be_written_as_differences() {
        // Three columns, two rows; expected values follow the WebP container specification.
        let plane = |filter: u8| alpha_plane(&[filter << 2, 10, 1, 1, 5, 1, 1], 3, 2).unwrap();
        assert_eq!(plane(0), [10, 1, 1, 5, 1, 1], "none");
        assert_eq!(plane(1), [10, 11, 12, 15, 16, 17], "from the left");
        assert_eq!(plane(2), [10, 11, 12, 15, 12, 13], "from above");
        assert_eq!(plane(3), [10, 11, 12, 15, 17, 19], "gradient");
        assert!(alpha_plane(&[0, 1, 2], 3, 2).is_err(), "too short");
        assert!(alpha_plane(&[], 3, 2).is_err(), "empty");
    }
}

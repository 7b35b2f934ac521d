//! PNG: decoded row by row, including interlaced ones. Of an animated PNG, the default image.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, Reader, Transformations};

use super::reduce::{Reduced, Reducer};
use super::{Decoded, Limits, Refusal};

/// The start (column, row) and step of each Adam7 pass.
const ADAM7: [(u32, u32, u32, u32); 7] =
    [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)];
const NOT_INTERLACED: [(u32, u32, u32, u32); 1] = [(0, 0, 1, 1)];

/// For rows and for the decompressed profile, which could be a decompression bomb.
const DECODER_BYTES: usize = 16 << 20;

type PngReader<'a> = Reader<Cursor<&'a [u8]>>;

pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Decoded, Refusal> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: DECODER_BYTES });
    decoder.set_transformations(Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    let (width, height) = decoder.read_header_info().map_err(damaged)?.size();
    limits.check(width, height)?;

    let mut reader = decoder.read_info().map_err(damaged)?;
    let reduced = match reader.output_color_type() {
        (ColorType::Grayscale, BitDepth::Eight) => read(&mut reader, |&[gray]: &[u8; 1]| ([gray], 255)),
        (ColorType::GrayscaleAlpha, BitDepth::Eight) => {
            read(&mut reader, |&[gray, alpha]: &[u8; 2]| ([gray], alpha))
        }
        (ColorType::Rgb, BitDepth::Eight) => read(&mut reader, |&rgb: &[u8; 3]| (rgb, 255)),
        (ColorType::Rgba, BitDepth::Eight) => {
            read(&mut reader, |&[r, g, b, alpha]: &[u8; 4]| ([r, g, b], alpha))
        }
        _ => Err(Refusal::Damaged),
    }?;
    // The orientation may follow the pixels, and a file without an end is truncated.
    reader.finish().map_err(damaged)?;
    let info = reader.info();
    let owned = |data: &std::borrow::Cow<'_, [u8]>| data.to_vec();
    Ok(Decoded {
        reduced,
        exif: info.exif_metadata.as_ref().map(owned),
        icc: info.icc_profile.as_ref().map(owned),
    })
}

fn read<const BYTES: usize, const CHANNELS: usize>(
    reader: &mut PngReader<'_>,
    pixel: impl Fn(&[u8; BYTES]) -> ([u8; CHANNELS], u8),
) -> Result<Reduced, Refusal> {
    let (width, height) = reader.info().size();
    let passes: &[_] = if reader.info().interlaced { &ADAM7 } else { &NOT_INTERLACED };
    let mut reducer = Reducer::new(width, height);
    for &(left, top, step_x, step_y) in passes {
        // A pass without columns has no rows either.
        let rows = if left < width { top..height } else { 0..0 };
        for y in rows.step_by(step_y as usize) {
            let row = reader.next_interlaced_row().map_err(damaged)?.ok_or(Refusal::Damaged)?;
            reducer.draw((left, y), step_x, row.data().as_chunks().0.iter().map(&pixel));
        }
    }
    Ok(reducer.finish())
}

fn damaged(_: png::DecodingError) -> Refusal {
    Refusal::Damaged
}

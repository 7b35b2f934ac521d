//! GIF: decodes the first frame row by row onto a white canvas of the full size.

use gif::{ColorOutput, DecodeOptions};

use super::reduce::Reducer;
use super::{Decoded, Limits, Refusal};

/// The four passes of an interlaced GIF: the first row of each, and the step to the next.
const INTERLACED: [(u32, usize); 4] = [(0, 8), (4, 8), (2, 4), (1, 2)];
const NOT_INTERLACED: [(u32, usize); 1] = [(0, 1)];

pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Decoded, Refusal> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).map_err(damaged)?;
    let screen = (u32::from(decoder.width()), u32::from(decoder.height()));
    // Some old files have no screen size; then the frame is the image.
    if screen.0 > 0 && screen.1 > 0 {
        limits.check(screen.0, screen.1)?;
    }
    let frame = decoder.next_frame_info().map_err(damaged)?.ok_or(Refusal::Damaged)?;
    let (left, top) = (u32::from(frame.left), u32::from(frame.top));
    let (frame_width, frame_height) = (u32::from(frame.width), u32::from(frame.height));
    limits.check(frame_width, frame_height)?;
    let goes: &[_] = if frame.interlaced { &INTERLACED } else { &NOT_INTERLACED };

    // Like browsers, let a first frame that exceeds the screen enlarge it.
    let (width, height) = (screen.0.max(left + frame_width), screen.1.max(top + frame_height));
    limits.check(width, height)?;
    let mut reducer = Reducer::new(width, height);
    let mut row = vec![0; frame_width as usize * 4];
    for &(first, step) in goes {
        for y in (first..frame_height).step_by(step) {
            if !decoder.fill_buffer(&mut row).map_err(damaged)? {
                return Err(Refusal::Damaged);
            }
            let pixels = row.as_chunks().0.iter().map(|&[r, g, b, alpha]| ([r, g, b], alpha));
            reducer.draw((left, top + y), 1, pixels);
        }
    }
    Ok(Decoded { reduced: reducer.finish(), exif: None, icc: decoder.icc_profile().map(<[u8]>::to_vec) })
}

fn damaged(_: gif::DecodingError) -> Refusal {
    Refusal::Damaged
}

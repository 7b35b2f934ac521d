//! Converts the colors of a file to sRGB, the default for images without a profile.

use image::RgbImage;
use moxcms::{ColorProfile, Layout, TransformOptions};

use super::reduce::Reduced;

pub(super) fn to_srgb(reduced: Reduced, icc: Option<&[u8]>) -> Option<RgbImage> {
    let (width, height) = reduced.size;
    // A broken profile, or one for another color space, is ignored.
    let rgb = icc.and_then(|icc| by_profile(&reduced, icc)).unwrap_or_else(|| plainly(reduced));
    RgbImage::from_raw(width, height, rgb)
}

fn by_profile(reduced: &Reduced, icc: &[u8]) -> Option<Vec<u8>> {
    let layout = match reduced.channels {
        1 => Layout::Gray,
        3 => Layout::Rgb,
        // Four channels of any meaning: the profile defines them.
        _ => Layout::Rgba,
    };
    let profile = ColorProfile::new_from_slice(icc).ok()?;
    let options = TransformOptions::default();
    let transform =
        profile.create_transform_8bit(layout, &ColorProfile::new_srgb(), Layout::Rgb, options).ok()?;
    let mut rgb = vec![0; reduced.samples.len() / reduced.channels * 3];
    transform.transform(&reduced.samples, &mut rgb).ok()?;
    Some(rgb)
}

fn plainly(reduced: Reduced) -> Vec<u8> {
    match reduced.channels {
        1 => reduced.samples.into_iter().flat_map(|gray| [gray; 3]).collect(),
        3 => reduced.samples,
        _ => reduced
            .samples
            .as_chunks::<4>()
            .0
            .iter()
            .flat_map(|&[cyan, magenta, yellow, black]| {
                let light = |ink: u8| (u32::from(255 - ink) * u32::from(255 - black)).div_ceil(255) as u8;
                [light(cyan), light(magenta), light(yellow)]
            })
            .collect(),
    }
}

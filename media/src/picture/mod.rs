//! Images: JPEG, PNG, WebP and GIF in; an upright JPEG without metadata and a thumbnail out.
//!
//! Decoders return far fewer pixels than the file has: anything more than twice the target size is averaged while it
//! is read (see [`reduce`]), so that fifty megapixels do not need fifty megapixels of memory.

mod color;
mod gif;
mod jpeg;
mod kind;
mod png;
mod reduce;
mod webp;

use std::fmt;
use std::panic::catch_unwind;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::{FilterType, crop_imm, resize};
use image::metadata::Orientation;
use image::{DynamicImage, ExtendedColorType, RgbImage};

use kind::Kind;
use reduce::Reduced;

const LARGE_SIDE: u32 = 512;
const SMALL_SIDE: u32 = 128;
const QUALITY: u8 = 85;

/// JPEG and GIF cannot exceed this; a PNG could, and a single row would then be as large as a whole image.
const MAX_SIDE: u32 = 65_535;

/// Limits of accepted images.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub bytes: usize,
    pub pixels: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 10 << 20, pixels: 50_000_000 }
    }
}

impl Limits {
    /// Called with the size from the header, before pixels are allocated.
    fn check(&self, width: u32, height: u32) -> Result<(), Refusal> {
        if width == 0 || height == 0 {
            return Err(Refusal::Damaged);
        }
        if u64::from(width) * u64::from(height) > self.pixels {
            return Err(Refusal::TooManyPixels { width, height, limit: self.pixels });
        }
        if width.max(height) > MAX_SIDE {
            return Err(Refusal::TooLong { side: width.max(height), limit: MAX_SIDE });
        }
        Ok(())
    }
}

/// A processed image: JPEG, upright, without metadata.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Fits in 512 × 512.
    pub large: Vec<u8>,
    /// Fits in 128 × 128.
    pub small: Vec<u8>,
}

/// Why an image is rejected. `Display` is a sentence for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// An unknown format: text, audio, an empty file.
    NotAPicture,
    /// A known but unsupported format; the words for it, as in "this is …".
    Unsupported(&'static str),
    /// The default format of iPhones, which gets its own advice.
    Heic,
    /// The header is valid, but the rest is unreadable or incomplete.
    Damaged,
    TooLarge {
        limit: usize,
    },
    TooManyPixels {
        width: u32,
        height: u32,
        limit: u64,
    },
    TooLong {
        side: u32,
        limit: u32,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAPicture => {
                f.write_str("this is not a picture that we can read; send a JPEG, PNG, WebP or GIF")
            }
            Self::Unsupported(what) => {
                write!(f, "this is {what}, which we do not take; send a JPEG, PNG, WebP or GIF")
            }
            Self::Heic => f.write_str(
                "this is a HEIC picture, which we do not take; export it as a JPEG \
                 (on an iPhone, Settings > Camera > Formats > Most Compatible makes new photos JPEG)",
            ),
            Self::Damaged => {
                f.write_str("the picture is damaged or incomplete; save or export it again, then send that")
            }
            Self::TooLarge { limit } if *limit >= 1 << 20 => {
                write!(f, "the picture is too large; send one of at most {} MiB", limit >> 20)
            }
            Self::TooLarge { limit } => {
                write!(f, "the picture is too large; send one of at most {limit} bytes")
            }
            Self::TooManyPixels { width, height, limit } => write!(
                f,
                "the picture has too many pixels ({width} × {height}); send one of at most {} megapixels",
                *limit as f64 / 1e6
            ),
            Self::TooLong { side, limit } => write!(
                f,
                "the picture is {side} pixels along one side; send one of at most {limit} pixels along each"
            ),
        }
    }
}

impl std::error::Error for Refusal {}

/// The result of a decoder: the reduced pixels, and what is needed to render them correctly.
struct Decoded {
    reduced: Reduced,
    /// Starts at the TIFF header, or with `Exif\0\0` before it.
    exif: Option<Vec<u8>>,
    icc: Option<Vec<u8>>,
}

/// Takes some tenths of a second of CPU time for a large photo: run it on a separate thread.
pub fn process(bytes: &[u8], limits: &Limits) -> Result<Picture, Refusal> {
    process_as(bytes, limits, Shape::Whole)
}

/// Like `process`, and keeps only the largest square in the center.
pub fn process_square(bytes: &[u8], limits: &Limits) -> Result<Picture, Refusal> {
    process_as(bytes, limits, Shape::Square)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Whole,
    Square,
}

fn process_as(bytes: &[u8], limits: &Limits, shape: Shape) -> Result<Picture, Refusal> {
    if bytes.len() > limits.bytes {
        return Err(Refusal::TooLarge { limit: limits.bytes });
    }
    let kind = Kind::of(bytes)?;
    // The decoders are fuzzed and have panicked before. One bad file must not affect other uploads.
    catch_unwind(|| {
        let decoded = match kind {
            Kind::Jpeg => jpeg::decode(bytes, limits),
            Kind::Png => png::decode(bytes, limits),
            Kind::WebP => webp::decode(bytes, limits),
            Kind::Gif => gif::decode(bytes, limits),
        }?;
        finish(decoded, shape)
    })
    .unwrap_or(Err(Refusal::Damaged))
}

fn finish(Decoded { reduced, exif, icc }: Decoded, shape: Shape) -> Result<Picture, Refusal> {
    let mut full_size = reduced.full_size;
    let mut pixels = color::to_srgb(reduced, icc.as_deref()).ok_or(Refusal::Damaged)?;
    if shape == Shape::Square {
        // The center stays the center when the image is rotated afterwards.
        pixels = central_square(&pixels);
        let side = full_size.0.min(full_size.1);
        full_size = (side, side);
    }
    let mut large = fit(&pixels, full_size, LARGE_SIDE).unwrap_or(pixels);
    // Rotated last, when there is the least to rotate; rotation does not change pixel values.
    if let Some(orientation) = exif.as_deref().and_then(orientation) {
        let mut turned = DynamicImage::ImageRgb8(large);
        turned.apply_orientation(orientation);
        large = turned.into_rgb8();
    }
    let small = fit(&large, large.dimensions(), SMALL_SIDE);
    Ok(Picture { small: encode(small.as_ref().unwrap_or(&large))?, large: encode(&large)? })
}

fn central_square(pixels: &RgbImage) -> RgbImage {
    let (width, height) = pixels.dimensions();
    let side = width.min(height);
    crop_imm(pixels, (width - side) / 2, (height - side) / 2, side, side).to_image()
}

/// `None` if nothing is to be done, because images are never enlarged.
fn fit(pixels: &RgbImage, (full_width, full_height): (u32, u32), side: u32) -> Option<RgbImage> {
    // From the full size, because the reduced size is already rounded.
    let scale = (f64::from(side) / f64::from(full_width.max(full_height))).min(1.0);
    let scaled = |length: u32| ((f64::from(length) * scale).round() as u32).clamp(1, side);
    let size = (scaled(full_width), scaled(full_height));
    (size != pixels.dimensions()).then(|| resize(pixels, size.0, size.1, FilterType::Lanczos3))
}

fn orientation(exif: &[u8]) -> Option<Orientation> {
    // PNG and WebP define that it starts at the TIFF header; some encoders write the JPEG prefix anyway.
    Orientation::from_exif_chunk(exif.strip_prefix(b"Exif\0\0").unwrap_or(exif))
}

fn encode(pixels: &RgbImage) -> Result<Vec<u8>, Refusal> {
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, QUALITY)
        .encode(pixels, pixels.width(), pixels.height(), ExtendedColorType::Rgb8)
        .map_err(|_| Refusal::Damaged)?;
    Ok(jpeg)
}

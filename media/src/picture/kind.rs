//! Detects the format by content, never by file name.

use super::Refusal;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Jpeg,
    Png,
    WebP,
    Gif,
}

impl Kind {
    pub(super) fn of(bytes: &[u8]) -> Result<Self, Refusal> {
        let starts = |magic: &[u8]| bytes.starts_with(magic);
        if starts(b"\xFF\xD8\xFF") {
            return Ok(Self::Jpeg);
        }
        if starts(b"\x89PNG\r\n\x1A\n") {
            return Ok(Self::Png);
        }
        if starts(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            return Ok(Self::WebP);
        }
        if starts(b"GIF87a") || starts(b"GIF89a") {
            return Ok(Self::Gif);
        }
        Err(other(bytes))
    }
}

/// Naming the format that was sent is more helpful than listing the supported ones.
fn other(bytes: &[u8]) -> Refusal {
    const KNOWN: [(&[u8], &str); 11] = [
        (b"BM", "a BMP picture"),
        (b"II*\0", "a TIFF picture"),
        (b"MM\0*", "a TIFF picture"),
        (b"II+\0", "a TIFF picture"),
        (b"MM\0+", "a TIFF picture"),
        (b"%PDF", "a PDF document"),
        (b"8BPS", "a Photoshop document"),
        (b"\0\0\x01\0", "an icon file"),
        (b"\xFF\x0A", "a JPEG XL picture"),
        (b"\0\0\0\x0CJXL ", "a JPEG XL picture"),
        (b"\0\0\0\x0CjP  ", "a JPEG 2000 picture"),
    ];
    if bytes.get(4..8) == Some(b"ftyp") {
        return match bytes.get(8..12) {
            Some(b"avif" | b"avis") => Refusal::Unsupported("an AVIF picture"),
            // AVIF may use the generic brand and list its own as a compatible one.
            Some(b"mif1" | b"msf1") if lists_brand(bytes, b"avif") => Refusal::Unsupported("an AVIF picture"),
            Some(b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"mif1" | b"msf1") => {
                Refusal::Heic
            }
            _ => Refusal::Unsupported("a video or sound"),
        };
    }
    if let Some((_, what)) = KNOWN.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Refusal::Unsupported(what);
    }
    let beginning = &bytes[..bytes.len().min(1024)];
    let text = beginning.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(beginning).trim_ascii_start();
    let contains = |tag: &[u8]| text.windows(tag.len()).any(|window| window.eq_ignore_ascii_case(tag));
    if text.starts_with(b"<") {
        if contains(b"<svg") {
            return Refusal::Unsupported("an SVG drawing");
        }
        if contains(b"<html") || contains(b"<!doctype html") {
            return Refusal::Unsupported("an HTML page");
        }
    }
    Refusal::NotAPicture
}

/// Compatible brands follow the major brand and its version, four bytes each, up to the end of the box.
fn lists_brand(bytes: &[u8], brand: &[u8; 4]) -> bool {
    let Some(&[a, b, c, d]) = bytes.first_chunk() else { return false };
    let end = (u32::from_be_bytes([a, b, c, d]) as usize).min(bytes.len());
    bytes.get(16..end).is_some_and(|brands| brands.chunks_exact(4).any(|listed| listed == brand))
}

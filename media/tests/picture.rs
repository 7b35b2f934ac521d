//! Pictures from cameras, and from attackers: the results, and the error messages.

#![allow(clippy::disallowed_methods, reason = "how long a refusal takes is measured")]

use std::fs;
use std::io::Cursor;
use std::process::Command;
use std::time::{Duration, Instant};

use endonym_media::picture::{Limits, Picture, Refusal, process, process_square};
use image::{DynamicImage, GrayImage, ImageFormat, Luma, Rgb, RgbImage, Rgba, RgbaImage};

const RED: [u8; 3] = [220, 30, 30];
const GREEN: [u8; 3] = [30, 200, 30];
const BLUE: [u8; 3] = [30, 30, 220];
const YELLOW: [u8; 3] = [230, 220, 30];
const WHITE: [u8; 3] = [255, 255, 255];

fn sent(bytes: &[u8]) -> Result<Picture, Refusal> {
    process(bytes, &Limits::default())
}

fn taken(bytes: &[u8]) -> Picture {
    sent(bytes).unwrap_or_else(|refusal| panic!("refused: {refusal}"))
}

fn refused(bytes: &[u8]) -> Refusal {
    sent(bytes).expect_err("was taken")
}

/// A color for each quarter: top left, top right, bottom left, bottom right.
fn quarters(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        Rgb(match (x < width / 2, y < height / 2) {
            (true, true) => RED,
            (false, true) => GREEN,
            (true, false) => BLUE,
            (false, false) => YELLOW,
        })
    })
}

fn written(image: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.into().write_to(&mut bytes, format).expect("the picture can be written");
    bytes.into_inner()
}

fn read(jpeg: &[u8]) -> RgbImage {
    image::load_from_memory_with_format(jpeg, ImageFormat::Jpeg).expect("a JPEG came out").into_rgb8()
}

#[track_caller]
fn assert_color(image: &RgbImage, (x, y): (u32, u32), expected: [u8; 3]) {
    let found = image.get_pixel(x, y).0;
    let far = found.iter().zip(expected).any(|(&a, b)| a.abs_diff(b) > 8);
    assert!(!far, "at {x}, {y}: {found:?} instead of {expected:?}");
}

#[track_caller]
fn assert_quarters(image: &RgbImage, expected: [[u8; 3]; 4]) {
    let (width, height) = image.dimensions();
    let (left, right, top, bottom) = (width / 4, width * 3 / 4, height / 4, height * 3 / 4);
    for (at, color) in [(left, top), (right, top), (left, bottom), (right, bottom)].into_iter().zip(expected)
    {
        assert_color(image, at, color);
    }
}

/// Runs ffmpeg on a PNG and returns its output.
fn by_ffmpeg(input: &RgbImage, options: &[&str], extension: &str) -> Vec<u8> {
    let unique = format!("endonym-picture-{}-{:?}", std::process::id(), std::thread::current().id());
    let from = std::env::temp_dir().join(format!("{unique}.png"));
    let to = std::env::temp_dir().join(format!("{unique}.out.{extension}"));
    fs::write(&from, written(input.clone(), ImageFormat::Png)).expect("the temporary folder can be written");
    let output = Command::new("ffmpeg")
        .args(["-loglevel", "error", "-y", "-i"])
        .arg(&from)
        .args(options)
        .arg(&to)
        .output()
        .expect("ffmpeg is needed for this test: install it (Debian: apt install ffmpeg)");
    assert!(output.status.success(), "ffmpeg: {}", String::from_utf8_lossy(&output.stderr));
    let bytes = fs::read(&to).expect("ffmpeg wrote a file");
    let _ = (fs::remove_file(from), fs::remove_file(to));
    bytes
}

fn from_hex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex")).collect()
}

/// An EXIF block with an orientation, and a word that must not appear in the output.
fn exif(orientation: u8, big_endian: bool) -> Vec<u8> {
    let mut block = if big_endian {
        let mut block = b"MM\0\x2A\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0".to_vec();
        block[19] = orientation;
        block
    } else {
        let mut block = b"II\x2A\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\0\0\0\0\0\0\0\0".to_vec();
        block[18] = orientation;
        block
    };
    block.extend_from_slice(b"GPS-SECRET");
    block
}

fn with_segment(jpeg: &[u8], marker: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len() + 2).expect("a segment is short").to_be_bytes();
    [&jpeg[..2], &[0xFF, marker], &length, content, &jpeg[2..]].concat()
}

fn png_chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let checked = [&name[..], data].concat();
    let mut crc = u32::MAX;
    for byte in &checked {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    [&(data.len() as u32).to_be_bytes()[..], &checked, &(!crc).to_be_bytes()].concat()
}

/// After the header (33 bytes) or before the end (12 bytes).
fn with_png_chunk(png: &[u8], name: &[u8; 4], data: &[u8], at_end: bool) -> Vec<u8> {
    let at = if at_end { png.len() - 12 } else { 33 };
    [&png[..at], &png_chunk(name, data), &png[at..]].concat()
}

fn riff(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut body = b"WEBP".to_vec();
    for (name, data) in chunks {
        body.extend_from_slice(*name);
        body.extend_from_slice(&(data.len() as u32).to_le_bytes());
        body.extend_from_slice(data);
        body.resize(body.len().next_multiple_of(2), 0);
    }
    [b"RIFF", &(body.len() as u32).to_le_bytes()[..], &body].concat()
}

fn vp8x(flags: u8, width: u32, height: u32) -> Vec<u8> {
    let (width, height) = ((width - 1).to_le_bytes(), (height - 1).to_le_bytes());
    [&[flags, 0, 0, 0], &width[..3], &height[..3]].concat()
}

#[test]
fn every_format_is_taken_and_fits() {
    let image = quarters(780, 520);
    for (name, bytes) in [
        ("JPEG", written(image.clone(), ImageFormat::Jpeg)),
        ("PNG", written(image.clone(), ImageFormat::Png)),
        (
            "GIF",
            by_ffmpeg(&image, &["-filter_complex", "split[p][q];[p]palettegen[p];[q][p]paletteuse"], "gif"),
        ),
        ("lossless WebP", written(image.clone(), ImageFormat::WebP)),
        ("lossy WebP", by_ffmpeg(&image, &["-c:v", "libwebp", "-quality", "90"], "webp")),
        ("lossy WebP with alpha", by_ffmpeg(&image, &["-c:v", "libwebp", "-pix_fmt", "yuva420p"], "webp")),
        ("JPEG with halved colors", by_ffmpeg(&image, &["-pix_fmt", "yuvj420p", "-q:v", "2"], "jpg")),
        ("interlaced PNG", by_ffmpeg(&image, &["-flags", "+ildct"], "png")),
    ] {
        println!("{name}");
        let picture = taken(&bytes);
        let (large, small) = (read(&picture.large), read(&picture.small));
        assert_eq!((large.dimensions(), small.dimensions()), ((512, 341), (128, 85)));
        assert_quarters(&large, [RED, GREEN, BLUE, YELLOW]);
        assert_quarters(&small, [RED, GREEN, BLUE, YELLOW]);
    }
}

#[test]
fn a_square_is_the_center_of_the_upright_picture() {
    let square = |bytes: &[u8]| {
        let picture = process_square(bytes, &Limits::default()).expect("taken");
        (read(&picture.large), read(&picture.small))
    };
    for (width, height, side) in
        [(780, 520, 512), (520, 780, 512), (3001, 2000, 512), (300, 200, 200), (1, 7, 1)]
    {
        let (large, small) = square(&written(quarters(width, height), ImageFormat::Png));
        assert_eq!((large.dimensions(), small.dimensions()), ((side, side), (side.min(128), side.min(128))));
        if side > 1 {
            assert_quarters(&large, [RED, GREEN, BLUE, YELLOW]);
            assert_quarters(&small, [RED, GREEN, BLUE, YELLOW]);
        }
    }
    // Stripes of a third each: the square shows half of the outer ones, on the sides or above and below.
    let stripes = RgbImage::from_fn(300, 200, |x, _| Rgb([RED, GREEN, BLUE][x as usize / 100]));
    let jpeg = written(stripes, ImageFormat::Jpeg);
    let (large, _) = square(&jpeg);
    for (x, color) in [(20, RED), (100, GREEN), (180, BLUE)] {
        assert_color(&large, (x, 100), color);
    }
    let exif = [b"Exif\0\0".as_slice(), &exif(6, false)].concat();
    let (large, _) = square(&with_segment(&jpeg, 0xE1, &exif));
    for (y, color) in [(20, RED), (100, GREEN), (180, BLUE)] {
        assert_color(&large, (100, y), color);
    }
    assert!(process_square(b"no picture", &Limits::default()).is_err());
}

#[test]
fn an_interlaced_png_is_the_same_picture() {
    // With odd sizes, some passes have no columns or rows.
    for (width, height) in [(1, 1), (3, 2), (5, 9), (37, 23), (2300, 1100)] {
        let image = quarters(width, height);
        let bytes = by_ffmpeg(&image, &["-flags", "+ildct"], "png");
        assert_eq!(bytes[28], 1, "ffmpeg wrote no interlaced PNG");
        let (interlaced, plain) = (taken(&bytes), taken(&written(image, ImageFormat::Png)));
        assert!(interlaced.large == plain.large, "{width} × {height}");
    }
}

#[test]
fn a_progressive_jpeg_is_taken() {
    let large = read(&taken(&from_hex(PROGRESSIVE)).large);
    assert_eq!(large.dimensions(), (16, 16));
    assert_color(&large, (2, 8), [200, 40, 40]);
    assert_color(&large, (13, 8), [20, 60, 220]);
}

#[test]
fn all_eight_orientations_in_every_format_that_has_them() {
    let turned = [
        [RED, GREEN, BLUE, YELLOW],
        [GREEN, RED, YELLOW, BLUE],
        [YELLOW, BLUE, GREEN, RED],
        [BLUE, YELLOW, RED, GREEN],
        [RED, BLUE, GREEN, YELLOW],
        [BLUE, RED, YELLOW, GREEN],
        [YELLOW, GREEN, BLUE, RED],
        [GREEN, YELLOW, RED, BLUE],
    ];
    let image = quarters(520, 260);
    let jpeg = written(image.clone(), ImageFormat::Jpeg);
    let png = written(image.clone(), ImageFormat::Png);
    let webp = written(image, ImageFormat::WebP);
    for (orientation, expected) in (1..=8).zip(turned) {
        // Both byte orders, each with both ways to rotate.
        let big_endian = orientation % 2 == 0;
        let exif = exif(orientation, big_endian);
        let prefixed = [b"Exif\0\0", &exif[..]].concat();
        for (name, bytes) in [
            ("JPEG", with_segment(&jpeg, 0xE1, &prefixed)),
            ("PNG", with_png_chunk(&png, b"eXIf", &exif, false)),
            ("PNG, at the end", with_png_chunk(&png, b"eXIf", &exif, true)),
            ("WebP", riff(&[(b"VP8X", &vp8x(8, 520, 260)), (b"VP8L", &webp[20..]), (b"EXIF", &exif)])),
            ("WebP, prefixed", riff(&[(b"VP8L", &webp[20..]), (b"EXIF", &prefixed)])),
        ] {
            println!("{name}, orientation {orientation}, big-endian {big_endian}");
            let picture = taken(&bytes);
            let (large, small) = (read(&picture.large), read(&picture.small));
            assert_quarters(&large, expected);
            assert_quarters(&small, expected);
            let size = if orientation < 5 { (512, 256) } else { (256, 512) };
            assert_eq!(large.dimensions(), size);
        }
    }
    // Invalid values are ignored.
    let unknown = with_segment(&jpeg, 0xE1, &[b"Exif\0\0", &exif(9, false)[..]].concat());
    assert_quarters(&read(&taken(&unknown).large), turned[0]);
}

#[test]
fn nothing_but_the_picture_is_left() {
    let profile = moxcms::ColorProfile::new_display_p3().encode().expect("a profile");
    let jpeg = written(quarters(300, 200), ImageFormat::Jpeg);
    let jpeg = with_segment(&jpeg, 0xFE, b"COMMENT-SECRET");
    let jpeg = with_segment(&jpeg, 0xE2, &[b"ICC_PROFILE\0\x01\x01", &profile[..]].concat());
    let jpeg = with_segment(&jpeg, 0xED, b"Photoshop 3.0\0IPTC-SECRET");
    let jpeg = with_segment(&jpeg, 0xE1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>XMP-SECRET</x:xmpmeta>");
    let jpeg = with_segment(&jpeg, 0xE1, &[b"Exif\0\0", &exif(1, false)[..]].concat());
    let jpeg = [&jpeg[..], b"TRAILER-SECRET"].concat();

    let png = written(quarters(300, 200), ImageFormat::Png);
    let png = with_png_chunk(&png, b"tEXt", b"Comment\0TEXT-SECRET", false);
    let png = with_png_chunk(&png, b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta>SECRET", false);
    let png = with_png_chunk(&png, b"eXIf", &exif(1, true), false);

    let webp = written(quarters(300, 200), ImageFormat::WebP);
    let webp = riff(&[
        (b"VP8X", &vp8x(0x2C, 300, 200)),
        (b"ICCP", &profile),
        (b"VP8L", &webp[20..]),
        (b"EXIF", &exif(1, false)),
        (b"XMP ", b"<x:xmpmeta>SECRET"),
    ]);
    let mut gif = written(quarters(300, 200), ImageFormat::Gif);
    gif.truncate(gif.len() - 1);
    gif.extend_from_slice(b"\x21\xFE\x06SECRET\0;");

    for bytes in [jpeg, png, webp, gif] {
        let picture = taken(&bytes);
        for out in [&picture.large, &picture.small] {
            for word in ["SECRET", "Exif", "xmpmeta", "adobe", "Photoshop", "ICC_PROFILE"] {
                let found =
                    out.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()));
                assert!(!found, "{word} came out");
            }
            // Baseline, with only the segments for JFIF, tables, frame and scan.
            let mut at = 2;
            let mut markers = Vec::new();
            while out[at + 1] != 0xDA {
                assert_eq!(out[at], 0xFF);
                markers.push(out[at + 1]);
                at += 2 + usize::from(u16::from_be_bytes([out[at + 2], out[at + 3]]));
            }
            assert!(markers.contains(&0xC0), "not baseline: {markers:X?}");
            assert!(markers.iter().all(|marker| [0xE0, 0xDB, 0xC0, 0xC4].contains(marker)), "{markers:X?}");
            assert!(out.ends_with(&[0xFF, 0xD9]));
        }
    }
}

#[test]
fn colours_of_a_profile_become_srgb() {
    let profile = moxcms::ColorProfile::new_display_p3().encode().expect("a profile");
    let flat = RgbImage::from_pixel(64, 64, Rgb([200, 100, 50]));
    let jpeg = written(flat, ImageFormat::Jpeg);
    let tagged = with_segment(&jpeg, 0xE2, &[b"ICC_PROFILE\0\x01\x01", &profile[..]].concat());
    // Computed from the published matrix from Display P3 to sRGB in linear light.
    assert_color(&read(&taken(&tagged).large), (30, 30), [215, 93, 31]);
    let broken = with_segment(&jpeg, 0xE2, b"ICC_PROFILE\0\x01\x01this is no profile");
    assert_color(&read(&taken(&broken).large), (30, 30), [200, 100, 50]);
    // A profile for three colors in a grayscale picture.
    let gray = written(GrayImage::from_pixel(64, 64, Luma([120])), ImageFormat::Jpeg);
    let mistaken = with_segment(&gray, 0xE2, &[b"ICC_PROFILE\0\x01\x01", &profile[..]].concat());
    assert_color(&read(&taken(&mistaken).large), (30, 30), [120; 3]);
}

#[test]
fn every_depth_and_kind_of_colour() {
    let gray = [120; 3];
    let grey16 = image::ImageBuffer::<Luma<u16>, _>::from_pixel(20, 10, Luma([120 * 257]));
    let grey_alpha = image::GrayAlphaImage::from_pixel(20, 10, image::LumaA([120, 255]));
    let rgb16 = image::ImageBuffer::<Rgb<u16>, _>::from_pixel(20, 10, Rgb(RED.map(|v| u16::from(v) * 257)));
    let rgba16 = image::ImageBuffer::<Rgba<u16>, _>::from_pixel(20, 10, Rgba([0, 0, 0, u16::MAX / 2]));
    // A color of ffmpeg's palette.
    let flat = RgbImage::from_pixel(20, 10, Rgb([255, 0, 0]));
    for (name, bytes, expected) in [
        ("16-bit gray", written(grey16, ImageFormat::Png), gray),
        ("gray with alpha", written(grey_alpha, ImageFormat::Png), gray),
        ("16-bit", written(rgb16, ImageFormat::Png), RED),
        ("16-bit with alpha", written(rgba16, ImageFormat::Png), [128; 3]),
        ("gray JPEG", written(GrayImage::from_pixel(20, 10, Luma([120])), ImageFormat::Jpeg), gray),
        ("one bit", by_ffmpeg(&RgbImage::new(20, 10), &["-pix_fmt", "monob"], "png"), [0; 3]),
        ("palette", by_ffmpeg(&flat, &["-pix_fmt", "pal8"], "png"), [255, 0, 0]),
        // Written by Pillow: no cyan, full magenta and yellow.
        ("CMYK JPEG", from_hex(CMYK), [255, 0, 0]),
        // The same values, interpreted as luma and chroma: 255, 0, 0 is the ink 76, 255, 28.
        ("YCCK JPEG", from_hex(&CMYK.replacen("640000000000", "640000000002", 1)), [179, 0, 227]),
    ] {
        println!("{name}");
        assert_color(&read(&taken(&bytes).large), (4, 4), expected);
    }
}

#[test]
fn transparency_becomes_white() {
    for width in [20, 3000] {
        let image =
            RgbaImage::from_fn(width, 10, |x, _| Rgba([0, 0, 0, if x < width / 2 { 0 } else { 255 }]));
        for format in [ImageFormat::Png, ImageFormat::WebP, ImageFormat::Gif] {
            let large = read(&taken(&written(image.clone(), format)).large);
            assert_color(&large, (1, 0), WHITE);
            assert_color(&large, (large.width() - 2, 0), [0; 3]);
        }
        let half = RgbaImage::from_pixel(width, 10, Rgba([255, 0, 0, 128]));
        for format in [ImageFormat::Png, ImageFormat::WebP] {
            assert_color(&read(&taken(&written(half.clone(), format)).large), (4, 0), [255, 127, 127]);
        }
    }
}

#[test]
fn of_an_animation_the_first_frame() {
    let filter = "split[a][b];[b]negate[b];[a][b]concat=n=2";
    let image = quarters(120, 80);
    for (name, options) in [
        ("gif", &["-filter_complex", &format!("{filter},split[p][q];[p]palettegen[p];[q][p]paletteuse")][..]),
        ("webp", &["-filter_complex", filter, "-c:v", "libwebp_anim", "-lossless", "1"]),
    ] {
        let bytes = by_ffmpeg(&image, options, name);
        if name == "webp" {
            assert!(bytes.windows(4).any(|window| window == b"ANMF"), "ffmpeg wrote no animation");
        }
        let large = read(&taken(&bytes).large);
        assert_eq!(large.dimensions(), (120, 80));
        assert_quarters(&large, [RED, GREEN, BLUE, YELLOW]);
    }
}

#[test]
fn a_frame_lies_where_it_belongs() {
    // A red square of 20 × 20 at (40, 30), on a canvas of 100 × 60.
    let lossless = written(RgbImage::from_pixel(20, 20, Rgb(RED)), ImageFormat::WebP);
    let frame = [&[20, 0, 0, 15, 0, 0, 19, 0, 0, 19, 0, 0, 0, 0, 0, 0][..], &lossless[12..]].concat();
    let webp = riff(&[(b"VP8X", &vp8x(2, 100, 60)), (b"ANIM", &[0; 6]), (b"ANMF", &frame)]);
    for interlaced in [false, true] {
        let mut gif = Vec::new();
        let mut encoder = gif::Encoder::new(&mut gif, 100, 60, &RED).expect("a GIF");
        let mut frame =
            gif::Frame { left: 40, top: 30, width: 20, height: 20, interlaced, ..Default::default() };
        frame.buffer = vec![0; 400].into();
        encoder.write_frame(&frame).expect("a frame");
        drop(encoder);
        for bytes in [&gif, &webp] {
            let large = read(&taken(bytes).large);
            assert_eq!(large.dimensions(), (100, 60));
            assert_color(&large, (50, 40), RED);
            for outside in [(20, 40), (50, 15), (80, 40), (50, 58)] {
                assert_color(&large, outside, WHITE);
            }
        }
    }
}

#[test]
fn an_interlaced_gif_is_put_in_order() {
    // Row y has color y, in the order of the four passes.
    let palette: Vec<u8> = (0..32).flat_map(|row| [row * 8; 3]).collect();
    let order = [(0, 8), (4, 8), (2, 4), (1, 2)];
    let rows = order.into_iter().flat_map(|(first, step)| (first..32u8).step_by(step));
    let frame = gif::Frame {
        width: 16,
        height: 32,
        interlaced: true,
        buffer: rows.flat_map(|row| [row; 16]).collect(),
        ..Default::default()
    };
    let mut gif = Vec::new();
    gif::Encoder::new(&mut gif, 16, 32, &palette).and_then(|mut e| e.write_frame(&frame)).expect("a GIF");
    let large = read(&taken(&gif).large);
    for row in 0..32 {
        assert_color(&large, (8, row), [row as u8 * 8; 3]);
    }
}

#[test]
fn sizes_at_the_edges() {
    for (size, large, small) in [
        ((1, 1), (1, 1), (1, 1)),
        ((20_000, 1), (512, 1), (128, 1)),
        ((1, 20_000), (1, 512), (1, 128)),
        ((100, 50), (100, 50), (100, 50)),
        ((512, 512), (512, 512), (128, 128)),
        ((513, 513), (512, 512), (128, 128)),
        ((1000, 500), (512, 256), (128, 64)),
        ((1023, 1025), (511, 512), (128, 128)),
        ((4099, 3001), (512, 375), (128, 94)),
    ] {
        let image = RgbImage::from_pixel(size.0, size.1, Rgb(BLUE));
        for format in [ImageFormat::Jpeg, ImageFormat::Png] {
            let picture = taken(&written(image.clone(), format));
            let (got_large, got_small) = (read(&picture.large), read(&picture.small));
            assert_eq!(
                (got_large.dimensions(), got_small.dimensions()),
                (large, small),
                "{size:?} {format:?}"
            );
            assert_color(&got_large, (0, 0), BLUE);
            assert_color(&got_large, (large.0 - 1, large.1 - 1), BLUE);
        }
    }
}

#[test]
fn detail_is_averaged_and_not_dropped() {
    // A checkerboard of single pixels becomes gray when it is averaged, but not when pixels are only skipped.
    let board = RgbImage::from_fn(2048, 2048, |x, y| Rgb([((x + y) % 2) as u8 * 255; 3]));
    for format in [ImageFormat::Png, ImageFormat::WebP] {
        assert_color(&read(&taken(&written(board.clone(), format)).large), (100, 100), [128; 3]);
    }
}

#[test]
fn a_bomb_costs_nothing() {
    let png_header = |width: u32, height: u32| {
        let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
        [b"\x89PNG\r\n\x1A\n", &png_chunk(b"IHDR", &header)[..], &png_chunk(b"IDAT", &[0; 20])].concat()
    };
    let mut jpeg = written(quarters(16, 16), ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|marker| marker == [0xFF, 0xC0]).expect("a frame");
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xFF; 4]);
    let mut animated = [0; 40];
    animated[6..12].copy_from_slice(&[0xFF; 6]);
    for (name, bytes) in [
        ("PNG", png_header(60_000, 60_000)),
        ("PNG of the largest size", png_header(0x7FFF_FFFF, 0x7FFF_FFFF)),
        ("JPEG", jpeg),
        (
            "GIF with a large screen",
            b"GIF89a\xFF\xFF\xFF\xFF\x80\0\0\0\0\0\xFF\xFF\xFF,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"
                .to_vec(),
        ),
        (
            "GIF with a large frame",
            b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xFF\xFF\xFF,\0\0\0\0\xFF\xFF\xFF\xFF\0\x02\x02D\x01\0;"
                .to_vec(),
        ),
        (
            "WebP canvas",
            riff(&[(b"VP8X", &vp8x(0, 16_384, 16_384)), (b"VP8L", b"\x2F\xFE\xBF\xFF\x0F\0\0\0")]),
        ),
        ("WebP", riff(&[(b"VP8L", b"\x2F\xFE\xBF\xFF\x0F\0\0\0")])),
        ("WebP frame", riff(&[(b"VP8X", &vp8x(2, 10, 10)), (b"ANMF", &animated)])),
    ] {
        let start = Instant::now();
        let refusal = refused(&bytes);
        assert!(matches!(refusal, Refusal::TooManyPixels { .. }), "{name}: {refusal:?}");
        assert!(start.elapsed() < Duration::from_millis(50), "{name}: {:?}", start.elapsed());
        assert!(refusal.to_string().ends_with("at most 50 megapixels"), "{refusal}");
    }
    // Few pixels, but a row of millions.
    assert_eq!(refused(&png_header(49_000_000, 1)), Refusal::TooLong { side: 49_000_000, limit: 65_535 });
    // A picture with no area.
    for (width, height) in [(0, 1), (1, 0), (0, 0)] {
        assert_eq!(refused(&png_header(width, height)), Refusal::Damaged);
    }
}

#[test]
fn endless_scans_are_refused() {
    // The last scan of the progressive picture, repeated many times.
    let jpeg = from_hex(PROGRESSIVE);
    let scan = jpeg.windows(2).rposition(|marker| marker == [0xFF, 0xDA]).expect("a scan");
    let again = jpeg[scan..jpeg.len() - 2].repeat(1000);
    let start = Instant::now();
    assert_eq!(refused(&[&jpeg[..scan], &again, &jpeg[scan..]].concat()), Refusal::Damaged);
    assert!(start.elapsed() < Duration::from_millis(50), "{:?}", start.elapsed());
}

#[test]
fn limits_are_the_callers() {
    let png = written(quarters(20, 10), ImageFormat::Png);
    let with = |bytes, pixels| process(&png, &Limits { bytes, pixels }).map(|_| ());
    assert_eq!(with(png.len(), 200), Ok(()));
    assert_eq!(with(png.len() - 1, 200), Err(Refusal::TooLarge { limit: png.len() - 1 }));
    assert_eq!(with(png.len(), 199), Err(Refusal::TooManyPixels { width: 20, height: 10, limit: 199 }));
    let refusal = refused(&vec![0; (10 << 20) + 1]);
    assert_eq!(refusal.to_string(), "the picture is too large; send one of at most 10 MiB");
}

#[test]
fn damaged_pictures_are_refused_and_never_panic() {
    let image = quarters(120, 80);
    let webp_lossy = by_ffmpeg(&image, &["-c:v", "libwebp"], "webp");
    for whole in [
        written(image.clone(), ImageFormat::Jpeg),
        from_hex(PROGRESSIVE),
        written(image.clone(), ImageFormat::Png),
        written(image.clone(), ImageFormat::WebP),
        webp_lossy,
    ] {
        for cut in [12, whole.len() / 4, whole.len() / 2, whole.len() * 3 / 4, whole.len() - 3] {
            assert_eq!(refused(&whole[..cut]), Refusal::Damaged, "{:?} cut at {cut}", &whole[..4]);
        }
        // Any changed byte gives a result or an error, never a panic.
        for at in (0..whole.len()).step_by(1 + whole.len() / 100) {
            for value in [0, 0xFF, whole[at] ^ 0x10] {
                let mut changed = whole.clone();
                changed[at] = value;
                let _ = sent(&changed);
            }
        }
    }
    // A GIF is read only to the end of its first frame.
    let gif = written(image, ImageFormat::Gif);
    for cut in [8, 20, gif.len() / 2] {
        assert_eq!(refused(&gif[..cut]), Refusal::Damaged, "GIF cut at {cut}");
    }
}

#[test]
fn other_files_are_called_by_their_name() {
    for (bytes, word) in [
        (&b""[..], "not a picture"),
        (b"hello, this is text", "not a picture"),
        (b"\xFF\xD8", "not a picture"),
        (b"RIFF\0\0\0\0WAVEfmt ", "not a picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG drawing"),
        (b"\xEF\xBB\xBF\n<?xml version='1.0'?><!-- x --><svg/>", "an SVG drawing"),
        (b"<!DOCTYPE html><p>", "an HTML page"),
        (b"<?php echo 1;", "not a picture"),
        (b"BM\x36\0\0\0\0\0\0\0", "a BMP picture"),
        (b"II*\0\x08\0\0\0", "a TIFF picture"),
        (b"MM\0*\0\0\0\x08", "a TIFF picture"),
        (b"%PDF-1.7", "a PDF document"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "iPhone"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif", "an AVIF picture"),
        (b"\0\0\0\x1Cftypavif\0\0\0\0mif1avif", "an AVIF picture"),
        (b"\0\0\0\x18ftypmp42\0\0\0\0", "a video"),
    ] {
        let sentence = refused(bytes).to_string();
        assert!(sentence.contains(word), "{sentence}");
        assert!(sentence.contains("JPEG"), "says what to send instead: {sentence}");
    }
}

/// 16 × 16, left half red and right half blue, written by Pillow.
const PROGRESSIVE: &str = "\
    ffd8ffe000104a46494600010100000100010000ffdb00430002010101010102010101020202020204030202020205040403\
    04060506060605060606070908060709070606080b08090a0a0a0a0a06080b0c0b0a0c090a0a0affdb004301020202020202\
    050303050a0706070a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a\
    0a0a0a0a0a0a0a0affc20011080010001003012200021101031101ffc4001500010100000000000000000000000000000607\
    ffc40014010100000000000000000000000000000006ffda000c030100021003100000019793584de2ff00ffc40014100100\
    000000000000000000000000000020ffda00080101000105021fffc400181100020300000000000000000000000000000744\
    83c3ffda0008010301013f017341b733ffc40018110002030000000000000000000000000000074483c3ffda000801020101\
    3f014c4eab43ffc40014100100000000000000000000000000000020ffda0008010100063f021fffc4001410010000000000\
    0000000000000000000020ffda0008010100013f211fffda000c0301000200030000001003ffc40014110100000000000000\
    000000000000000000ffda0008010301013f1067ffc40014110100000000000000000000000000000000ffda000801020101\
    3f1067ffc40014100100000000000000000000000000000020ffda0008010100013f101fffd9";

/// 8 × 8 with Adobe's marker, written by Pillow.
const CMYK: &str = "\
    ffd8ffee000e41646f626500640000000000ffdb004300010101010101010101010101010101010101010101010101010101\
    01010101010101010101010101010101010101010101010101010101010101010101010101ffc00014080008000804431100\
    4d11005911004b1100ffc4001500010100000000000000000000000000000a0bffc400141001000000000000000000000000\
    00000000ffda000e0443004d0059004b00003f007f09ff00a7fe7f0fffd9";

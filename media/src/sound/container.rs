//! Detects the format by content, never by file name, and whether the file is complete.

use super::Refusal;
use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Wav,
    Flac,
    Ogg,
    Matroska,
    Mp4,
    Mpeg,
    Adts,
}

/// The length that the header announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclaredLength {
    /// A stream without an announced length.
    Nothing,
    Packets(u64),
    Samples(u64),
    /// An index lists every packet: none may be missing.
    EveryPacket,
}

pub struct Container<'a> {
    pub kind: Kind,
    pub bytes: Cow<'a, [u8]>,
    pub promise: DeclaredLength,
}

impl<'a> Container<'a> {
    pub fn detect(bytes: &'a [u8]) -> Result<Self, Refusal> {
        let body = after_id3(bytes)?;
        let kind = kind(body).ok_or(Refusal::NotSound)?;
        let (bytes, promise) = match kind {
            Kind::Wav => (Cow::Owned(whole_wav(body)?), DeclaredLength::Nothing),
            Kind::Flac => (Cow::Borrowed(body), flac_promise(body)),
            Kind::Mp4 => whole_mp4(body)?,
            Kind::Mpeg => {
                let stream = from_first(body, mpeg_frame).ok_or(Refusal::NotSound)?;
                (Cow::Borrowed(stream), mpeg_promise(stream)?)
            }
            Kind::Adts => (
                Cow::Borrowed(from_first(body, adts_frame).ok_or(Refusal::NotSound)?),
                DeclaredLength::Nothing,
            ),
            Kind::Ogg | Kind::Matroska => (Cow::Borrowed(body), DeclaredLength::Nothing),
        };
        Ok(Self { kind, bytes, promise })
    }
}

fn kind(bytes: &[u8]) -> Option<Kind> {
    match bytes {
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Some(Kind::Wav),
        [b'f', b'L', b'a', b'C', ..] => Some(Kind::Flac),
        [b'O', b'g', b'g', b'S', ..] => Some(Kind::Ogg),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => Some(Kind::Matroska),
        [_, _, _, _, name @ ..] if is_mp4(name) => Some(Kind::Mp4),
        _ if from_first(bytes, adts_frame).is_some() => Some(Kind::Adts),
        _ if from_first(bytes, mpeg_frame).is_some() => Some(Kind::Mpeg),
        _ => None,
    }
}

fn is_mp4(name: &[u8]) -> bool {
    [b"ftyp", b"moov", b"mdat", b"styp", b"wide", b"free", b"skip"].iter().any(|n| name.starts_with(*n))
}

fn be32(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize)
}

fn le16(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?).into())
}

fn le32(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize)
}

/// Skips ID3 tags, which precede MP3, AAC and sometimes FLAC.
fn after_id3(mut bytes: &[u8]) -> Result<&[u8], Refusal> {
    while let [b'I', b'D', b'3', _, _, flags, a, b, c, d, ..] = bytes {
        let size = [a, b, c, d].iter().fold(0, |size, seven| size << 7 | usize::from(**seven & 0x7f));
        let footer = if flags & 0x10 != 0 { 10 } else { 0 };
        bytes = bytes.get(10 + size + footer..).filter(|rest| !rest.is_empty()).ok_or(Refusal::Damaged)?;
    }
    Ok(bytes)
}

/// Finds the first frame. A recorder that joins a stream late starts in the middle of a frame; but a frame sync
/// occurs by chance in many files, so further frames must follow where the first one ends.
fn from_first<T: PartialEq>(bytes: &[u8], frame: fn(&[u8]) -> Option<(T, usize)>) -> Option<&[u8]> {
    const JUNK: usize = 4_096;
    const FOLLOWERS: usize = 3;
    let begins = |at: &usize| {
        let mut rest = &bytes[*at..];
        let Some((first, _)) = frame(rest) else { return false };
        for followers in 0..=FOLLOWERS {
            match frame(rest) {
                Some((like, length)) if like == first => match rest.get(length..) {
                    Some(after) if !after.is_empty() => rest = after,
                    // The end of the file, or a truncated last frame.
                    _ => return *at == 0 || followers > 0,
                },
                // A tag at the end, or a gap in the stream.
                _ => return *at == 0 && followers > 1,
            }
        }
        true
    };
    (0..bytes.len().min(JUNK)).filter(|at| bytes[*at] == 0xff).find(begins).map(|at| &bytes[at..])
}

/// The properties common to all frames of a stream, and this frame's length in bytes.
fn mpeg_frame(bytes: &[u8]) -> Option<((u8, u8), usize)> {
    const KILOBITS: [[usize; 14]; 2] = [
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ];
    let [0xff, second, third, _, ..] = bytes else { return None };
    let (version, layer) = (second >> 3 & 3, second >> 1 & 3);
    if second >> 5 != 7 || version == 1 || layer != 1 {
        return None;
    }
    let (bitrate, rate) = (usize::from(third >> 4), usize::from(third >> 2 & 3));
    let rate = *[44_100, 48_000, 32_000].get(rate)?
        / if version == 3 {
            1
        } else if version == 2 {
            2
        } else {
            4
        };
    let kilobits = KILOBITS[usize::from(version != 3)].get(bitrate.checked_sub(1)?)?;
    let slots = if version == 3 { 144_000 } else { 72_000 };
    Some(((second & 0xfe, third & 0x0c), slots * kilobits / rate + usize::from(third >> 1 & 1)))
}

fn adts_frame(bytes: &[u8]) -> Option<((u8, u8), usize)> {
    let [0xff, second, third, fourth, fifth, sixth, _, ..] = bytes else { return None };
    let length = usize::from(fourth & 3) << 11 | usize::from(*fifth) << 3 | usize::from(sixth >> 5);
    let plausible = second & 0xf6 == 0xf0 && third >> 2 & 15 < 13 && length >= 7;
    plausible.then_some(((second & 0xfe, third & 0xfd), length))
}

/// The frame count in the first frame ("Xing", or "Info" for constant bit rate).
fn mpeg_promise(stream: &[u8]) -> Result<DeclaredLength, Refusal> {
    let (Some(second), Some(fourth)) = (stream.get(1), stream.get(3)) else {
        return Ok(DeclaredLength::Nothing);
    };
    let side = match (second >> 3 & 3 == 3, fourth >> 6 == 3) {
        (true, false) => 32,
        (true, true) | (false, false) => 17,
        (false, true) => 9,
    };
    let checksum = if second & 1 == 0 { 2 } else { 0 };
    let Some(header) = [4 + side, 4 + side + checksum]
        .iter()
        .filter_map(|at| stream.get(*at..))
        .find(|rest| rest.starts_with(b"Xing") || rest.starts_with(b"Info"))
    else {
        return Ok(DeclaredLength::Nothing);
    };
    let flags = be32(header, 4).unwrap_or(0);
    let (frames, bytes) = match flags & 3 {
        3 => (be32(header, 8), be32(header, 12)),
        1 => (be32(header, 8), None),
        2 => (None, be32(header, 8)),
        _ => (None, None),
    };
    if bytes.is_some_and(|b| b > stream.len()) {
        return Err(Refusal::Damaged);
    }
    // Some encoders include this frame in the count.
    Ok(frames.map_or(DeclaredLength::Nothing, |f| DeclaredLength::Packets(f.saturating_sub(1) as u64)))
}

fn flac_promise(bytes: &[u8]) -> DeclaredLength {
    // 36 bits after rate, channels and bits, in the STREAMINFO block, which is always first.
    let high = bytes.get(21).map_or(0, |b| u64::from(b & 15));
    match high << 32 | be32(bytes, 22).unwrap_or(0) as u64 {
        0 => DeclaredLength::Nothing,
        samples => DeclaredLength::Samples(samples),
    }
}

/// Walks the top-level boxes. WebKitGTK writes the header of the last fragment twice, and only the second one is followed by its
/// packets, which can be most of a short recording: the first one is removed.
fn whole_mp4(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, DeclaredLength), Refusal> {
    let (mut at, mut index, mut fragments) = (0, false, false);
    let (mut kept, mut kept_until) = (Vec::new(), 0);
    let mut cut_off = false;
    while at < bytes.len() {
        let (Some(size), Some(name)) = (be32(bytes, at), bytes.get(at + 4..at + 8)) else {
            cut_off = true;
            break;
        };
        let size = match size {
            0 => bytes.len() - at,
            1 => {
                be32(bytes, at + 8).filter(|high| *high == 0).and(be32(bytes, at + 12)).unwrap_or(usize::MAX)
            }
            size => size,
        };
        if size < 8 {
            // Not a box: trailing data is ignored.
            break;
        }
        cut_off = size > bytes.len() - at;
        index |= name == b"moov" && !cut_off;
        if name == b"moof" && !cut_off {
            fragments = true;
            if bytes[at + size..].starts_with(&bytes[at..at + size]) {
                kept.extend_from_slice(&bytes[kept_until..at]);
                kept_until = at + size;
            }
        }
        at = at.saturating_add(size);
    }
    let picture = bytes.get(8..12).is_some_and(|brand| {
        [b"heic", b"heix", b"mif1", b"msf1", b"avif", b"avis"].iter().any(|b| *b == brand)
    });
    let promise = match (index, fragments) {
        (false, _) if picture => return Err(Refusal::NotSound),
        (false, _) => return Err(Refusal::Damaged),
        // A recorder that was killed leaves its last fragment incomplete.
        (true, true) => DeclaredLength::Nothing,
        (true, false) if cut_off => return Err(Refusal::Damaged),
        (true, false) => DeclaredLength::EveryPacket,
    };
    if kept_until == 0 {
        return Ok((Cow::Borrowed(bytes), promise));
    }
    kept.extend_from_slice(&bytes[kept_until..]);
    Ok((Cow::Owned(kept), promise))
}

/// Rewrites a WAV to format and samples only, with a correct length.
///
/// A program that writes WAV to a pipe does not know the length and writes 0 or the maximum; then the samples extend
/// to the end of the file. Any other length must be present.
fn whole_wav(bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
    const UNKNOWN: usize = 0x7fff_0000;
    let (mut format, mut fact): (Option<&[u8]>, &[u8]) = (None, &[]);
    let mut at = 12;
    loop {
        let name = bytes.get(at..at + 4).ok_or(Refusal::Damaged)?;
        let size = le32(bytes, at + 4).ok_or(Refusal::Damaged)?;
        let body = &bytes[at + 8..];
        if name == b"data" {
            let length = if size == 0 || size >= UNKNOWN { body.len() } else { size };
            let samples = body.get(..length).ok_or(Refusal::Damaged)?;
            return rebuilt_wav(format.ok_or(Refusal::Damaged)?, fact, samples);
        }
        let body = body.get(..size).ok_or(Refusal::Damaged)?;
        match name {
            b"fmt " => format = Some(body),
            b"fact" => fact = body,
            _ => {}
        }
        at += 8 + size + size % 2;
    }
}

/// Unwraps `WAVE_FORMAT_EXTENSIBLE`, which ffmpeg writes above 48 kHz for any codec. In that form symphonia supports
/// only PCM and floating point: its GUID of µ-law is wrong, and it lacks ADPCM.
fn plain_format(format: &[u8]) -> Cow<'_, [u8]> {
    const EXTENSIBLE: usize = 0xfffe;
    const EXTENSION: usize = 22;
    const PCM: usize = 1;
    const FLOAT: usize = 3;
    /// The rest of a GUID that represents a format tag.
    const GUID: [u8; 14] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
    let (Some(EXTENSIBLE), Some(tag), Some(&GUID)) =
        (le16(format, 0), le16(format, 24), format.get(26..40).and_then(|guid| guid.first_chunk()))
    else {
        return Cow::Borrowed(format);
    };
    if matches!(tag, PCM | FLOAT) {
        return Cow::Borrowed(format);
    }
    let extra = &format[40..];
    let said = le16(format, 16).unwrap_or(0).saturating_sub(EXTENSION);
    let extra = &extra[..said.min(extra.len())];
    let size = (extra.len() as u16).to_le_bytes();
    Cow::Owned([&format[24..26], &format[2..16], size.as_slice(), extra].concat())
}

fn rebuilt_wav(format: &[u8], fact: &[u8], samples: &[u8]) -> Result<Vec<u8>, Refusal> {
    let format = &plain_format(format)[..];
    let field = |at| le16(format, at).ok_or(Refusal::Damaged);
    let (channels, frame) = (field(2)?, field(12)?);
    let rate = le32(format, 4).ok_or(Refusal::Damaged)?;
    usable(rate as u64, channels)?;
    if frame == 0 {
        return Err(Refusal::Damaged);
    }
    let samples = &samples[..samples.len() - samples.len() % frame];
    let mut wav = Vec::with_capacity(64 + format.len() + samples.len());
    wav.extend_from_slice(b"RIFF\0\0\0\0WAVE");
    let mut chunk = |name: &[u8; 4], body: &[u8]| {
        wav.extend_from_slice(name);
        wav.extend_from_slice(&(body.len() as u32).to_le_bytes());
        wav.extend_from_slice(body);
        wav.resize(wav.len() + body.len() % 2, 0);
    };
    chunk(b"fmt ", format);
    if !fact.is_empty() {
        chunk(b"fact", fact);
    }
    chunk(b"data", samples);
    let size = (wav.len() - 8) as u32;
    wav[4..8].copy_from_slice(&size.to_le_bytes());
    Ok(wav)
}

/// Accepts only plausible rates and channel counts. A header may claim four billion of either, and buffers are
/// allocated accordingly.
pub fn usable(rate: u64, channels: usize) -> Result<(), Refusal> {
    if (4_000..=384_000).contains(&rate) && (1..=8).contains(&channels) {
        Ok(())
    } else {
        Err(Refusal::Unusual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(bytes: &[u8]) -> Result<(Kind, DeclaredLength), Refusal> {
        Container::detect(bytes).map(|c| (c.kind, c.promise))
    }

    fn chunk(name: &[u8], body: &[u8]) -> Vec<u8> {
        [name, &(body.len() as u32).to_le_bytes(), body, &[0][..body.len() % 2]].concat()
    }

    /// 16-bit, mono, 8 kHz.
    fn wav(chunks: &[Vec<u8>]) -> Vec<u8> {
        let format = chunk(b"fmt ", &[1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0]);
        [b"RIFF\0\0\0\0WAVE".to_vec(), format, chunks.concat()].concat()
    }

    fn with_length(mut wav: Vec<u8>, length: u32) -> Vec<u8> {
        let at = wav.windows(4).position(|w| w == b"data").expect("data") + 4;
        wav[at..at + 4].copy_from_slice(&length.to_le_bytes());
        wav
    }

    #[test]
    fn a_wav_has_what_it_says_or_goes_on_until_the_end() {
        let whole = wav(&[chunk(b"LIST", b"odd"), chunk(b"data", &[7; 100]), chunk(b"id3 ", b"tag")]);
        let container = Container::detect(&whole).expect("a WAV");
        assert!(
            container
                .bytes
                .ends_with(&[[b'd', b'a', b't', b'a', 100, 0, 0, 0].as_slice(), &[7; 100]].concat())
        );
        let bare = wav(&[chunk(b"data", &[7; 101])]);
        for unknown in [0, u32::MAX, u32::MAX - 44, 0x7fff_ff00] {
            let container = Container::detect(&with_length(bare.clone(), unknown)).map(|c| c.bytes.len());
            // A partial sample is dropped.
            assert_eq!(container, Ok(44 + 102), "{unknown}");
        }
        for length in [103, 0x7000_0000] {
            assert_eq!(detect(&with_length(bare.clone(), length)), Err(Refusal::Damaged), "{length}");
        }
        assert_eq!(detect(&wav(&[])), Err(Refusal::Damaged));
        assert_eq!(detect(b"RIFF\0\0\0\0WAVE"), Err(Refusal::Damaged));
        assert_eq!(detect(b"RIFF\0\0\0\0AVI "), Err(Refusal::NotSound));
    }

    /// A frame of 96 kbit/s at 48 kHz.
    fn frame() -> Vec<u8> {
        [[0xff, 0xfb, 0x74, 0xc0].as_slice(), &[0; 284]].concat()
    }

    fn info(frames: u32, bytes: u32) -> Vec<u8> {
        let mut first = frame();
        let fields =
            [b"Info".as_slice(), &3_u32.to_be_bytes(), &frames.to_be_bytes(), &bytes.to_be_bytes()].concat();
        first[21..37].copy_from_slice(&fields);
        first
    }

    #[test]
    fn frames_are_told_by_those_that_follow() {
        assert_eq!(detect(&frame().repeat(5)), Ok((Kind::Mpeg, DeclaredLength::Nothing)));
        let late = [[7; 99].as_slice(), &frame().repeat(5)].concat();
        assert_eq!(Container::detect(&late).map(|c| c.bytes.len()), Ok(5 * 288), "joined late");
        let tagged = [b"ID3\x04\0\0\0\0\x01\x00".as_slice(), &[0; 128], &frame().repeat(5)].concat();
        assert_eq!(detect(&tagged), Ok((Kind::Mpeg, DeclaredLength::Nothing)));
        assert_eq!(detect(&tagged[..100]), Err(Refusal::Damaged), "cut off in the tag");
        let once = [frame(), vec![1; 5000]].concat();
        assert_eq!(detect(&once), Err(Refusal::NotSound), "two bytes that look like a frame");
        let adts = [[0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc].as_slice(), &[0; 9]].concat();
        assert_eq!(detect(&adts.repeat(5)), Ok((Kind::Adts, DeclaredLength::Nothing)));
    }

    #[test]
    fn an_mp3_that_tells_its_length_is_held_to_it() {
        let whole = [info(4, 5 * 288), frame().repeat(4)].concat();
        assert_eq!(detect(&whole), Ok((Kind::Mpeg, DeclaredLength::Packets(3))));
        assert_eq!(detect(&whole[..whole.len() - 1]), Err(Refusal::Damaged));
    }

    fn atom(name: &[u8], length: usize) -> Vec<u8> {
        [&(length as u32 + 8).to_be_bytes(), name, &vec![0; length]].concat()
    }

    #[test]
    fn an_mp4_needs_its_index_and_all_that_is_in_it() {
        let (kind, index, data) = (atom(b"ftyp", 16), atom(b"moov", 200), atom(b"mdat", 300));
        let whole = [kind.clone(), data.clone(), index.clone()].concat();
        assert_eq!(detect(&whole), Ok((Kind::Mp4, DeclaredLength::EveryPacket)));
        assert_eq!(detect(&whole[..whole.len() - 20]), Err(Refusal::Damaged));
        assert_eq!(detect(&whole[..100]), Err(Refusal::Damaged));
        let fragments = [kind, index, atom(b"moof", 90), data.clone(), atom(b"moof", 90), data].concat();
        assert_eq!(detect(&fragments), Ok((Kind::Mp4, DeclaredLength::Nothing)));
        assert_eq!(detect(&fragments[..fragments.len() - 100]), Ok((Kind::Mp4, DeclaredLength::Nothing)));
    }

    #[test]
    fn the_header_of_a_fragment_that_is_written_twice_counts_once() {
        let (kind, index, data) = (atom(b"ftyp", 16), atom(b"moov", 200), atom(b"mdat", 300));
        let whole = [&kind[..], &index, &atom(b"moof", 90), &data, &atom(b"moof", 80), &data].concat();
        let twice =
            [&kind[..], &index, &atom(b"moof", 90), &data, &atom(b"moof", 80), &atom(b"moof", 80), &data]
                .concat();
        for bytes in [&whole, &twice] {
            assert_eq!(Container::detect(bytes).unwrap().bytes, whole);
        }
    }

    #[test]
    fn a_flac_promises_samples_unless_it_was_streamed() {
        let head = |samples: [u8; 5]| [b"fLaC\0\0\0\x22".as_slice(), &[0; 13], &samples, &[0; 16]].concat();
        assert_eq!(detect(&head([0xf0, 0, 1, 0, 0])), Ok((Kind::Flac, DeclaredLength::Samples(65_536))));
        assert_eq!(detect(&head([0xf0, 0, 0, 0, 0])), Ok((Kind::Flac, DeclaredLength::Nothing)));
    }

    #[test]
    fn only_what_someone_could_have_recorded() {
        assert_eq!(usable(8_000, 1), Ok(()));
        assert_eq!(usable(192_000, 2), Ok(()));
        for (rate, channels) in [(0, 1), (1, 1), (4_000_000_000, 1), (48_000, 0), (48_000, 65_535)] {
            assert_eq!(usable(rate, channels), Err(Refusal::Unusual));
        }
    }
}

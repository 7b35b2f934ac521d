//! How a report is written down: records of JSON, compressed in parts. Parts are cut so that they can stand behind one
//! another in one gzip stream as they are, which spares a download all work but reading.

use std::io::{Chain, Cursor, Read};

use crc32fast::Hasher;
use flate2::{Compress, Compression, FlushCompress, read::DeflateDecoder};

/// Whoever reads a report holds one part of it, compressed, and whoever takes somebody out all that is in it.
const PLAIN_BYTES: u64 = 4 << 20;
/// The fastest: a report is written once, read about once, and removed in a week.
const LEVEL: Compression = Compression::fast();
const AT_ONCE: usize = 64 * 1024;
/// Ends a stream of compressed bytes.
const LAST_BLOCK: &[u8] = &[3, 0];

/// Records with a line break behind each and a comma before each but the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub compressed: Vec<u8>,
    pub sum: Sum,
    pub first_id: i64,
    pub last_id: i64,
}

/// What a gzip stream says at its end of the bytes in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    pub plain_bytes: u64,
    pub crc: u32,
}

impl Sum {
    pub fn of(plain: &[u8]) -> Self {
        Self { plain_bytes: plain.len() as u64, crc: crc32fast::hash(plain) }
    }

    fn followed_by(self, next: Self) -> Self {
        let mut sum = Hasher::new_with_initial_len(self.crc, self.plain_bytes);
        sum.combine(&Hasher::new_with_initial_len(next.crc, next.plain_bytes));
        Self { plain_bytes: self.plain_bytes + next.plain_bytes, crc: sum.finalize() }
    }
}

/// Writes parts.
pub struct Press {
    deflate: Compress,
    /// Compressing costs per call, so this much is put together first.
    plain: Vec<u8>,
    compressed: Vec<u8>,
    hasher: Hasher,
    plain_bytes: u64,
    ids: Option<(i64, i64)>,
}

impl Default for Press {
    fn default() -> Self {
        Self {
            deflate: Compress::new(LEVEL, false),
            plain: Vec::with_capacity(2 * AT_ONCE),
            compressed: Vec::new(),
            hasher: Hasher::new(),
            plain_bytes: 0,
            ids: None,
        }
    }
}

impl Press {
    /// Ids come in rising order, but for people who were moved to another page.
    pub fn add(&mut self, id: i64, record: &[u8]) {
        if self.ids.is_some() {
            self.write(b",");
        }
        self.write(record);
        self.write(b"\n");
        self.ids = Some(self.ids.map_or((id, id), |(first, last)| (first.min(id), last.max(id))));
    }

    pub fn is_full(&self) -> bool {
        self.plain_bytes >= PLAIN_BYTES
    }

    /// What has come since the last part.
    pub fn finish(&mut self) -> Option<Part> {
        let (first_id, last_id) = self.ids?;
        self.deflate(FlushCompress::Sync);
        let done = std::mem::take(self);
        let sum = Sum { plain_bytes: done.plain_bytes, crc: done.hasher.finalize() };
        Some(Part { compressed: done.compressed, sum, first_id, last_id })
    }

    fn write(&mut self, plain: &[u8]) {
        self.plain.extend_from_slice(plain);
        self.plain_bytes += plain.len() as u64;
        if self.plain.len() >= AT_ONCE {
            self.deflate(FlushCompress::None);
        }
    }

    fn deflate(&mut self, flush: FlushCompress) {
        self.hasher.update(&self.plain);
        let mut room = [0; 16 * 1024];
        let mut done = 0;
        loop {
            let (before_in, before_out) = (self.deflate.total_in(), self.deflate.total_out());
            // It fails only when it is told to go on behind its end.
            let _ = self.deflate.compress(&self.plain[done..], &mut room, flush);
            done += (self.deflate.total_in() - before_in) as usize;
            let made = (self.deflate.total_out() - before_out) as usize;
            self.compressed.extend_from_slice(&room[..made]);
            // Room is left, so nothing is held back.
            if done == self.plain.len() && made < room.len() {
                self.plain.clear();
                return;
            }
        }
    }
}

impl Part {
    /// Any text, compressed like a part.
    pub fn of_text(text: &[u8]) -> Self {
        let mut press = Press::default();
        press.write(text);
        press.ids = Some((0, 0));
        let nothing = Self { compressed: Vec::new(), sum: Sum::default(), first_id: 0, last_id: 0 };
        press.finish().unwrap_or(nothing)
    }

    /// What is in it, as it stands in a JSON array.
    pub fn plain(&self) -> std::io::Result<Vec<u8>> {
        let mut plain = Vec::with_capacity(usize::try_from(self.sum.plain_bytes).unwrap_or_default());
        DeflateDecoder::new(self.compressed.chain(LAST_BLOCK)).read_to_end(&mut plain)?;
        if Sum::of(&plain) == self.sum { Ok(plain) } else { Err(damaged()) }
    }

    /// The same without some records; `None` when nothing is left.
    pub fn without(&self, gone: impl Fn(&[u8]) -> std::io::Result<bool>) -> std::io::Result<Option<Self>> {
        let plain = self.plain()?;
        let mut press = Press::default();
        for record in records(&plain) {
            if !gone(record)? {
                press.add(self.first_id, record);
            }
        }
        // Who stands where in a part is not known, only that they stand in it.
        Ok(press.finish().map(|part| Self { last_id: self.last_id, ..part }))
    }
}

/// Takes a part apart, a little at a time.
pub struct Unpacking {
    plain: DeflateDecoder<Chain<Cursor<Vec<u8>>, &'static [u8]>>,
    wanted: Sum,
    hasher: Hasher,
    bytes: u64,
}

impl Unpacking {
    pub fn new(part: Part) -> Self {
        Self {
            plain: DeflateDecoder::new(Cursor::new(part.compressed).chain(LAST_BLOCK)),
            wanted: part.sum,
            hasher: Hasher::new(),
            bytes: 0,
        }
    }

    /// The next bytes of what is in the part; `None` at its end.
    pub fn piece(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        let mut piece = vec![0; AT_ONCE];
        let length = self.plain.read(&mut piece)?;
        piece.truncate(length);
        self.hasher.update(&piece);
        self.bytes += length as u64;
        if length > 0 {
            return Ok(Some(piece));
        }
        let seen = Sum { plain_bytes: self.bytes, crc: self.hasher.clone().finalize() };
        if seen == self.wanted { Ok(None) } else { Err(damaged()) }
    }
}

fn damaged() -> std::io::Error {
    std::io::Error::other("a part of a report is damaged")
}

/// The records of a part, one after the other, without comma and line break.
pub fn records(plain: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = plain.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| line.strip_prefix(b",").unwrap_or(line))
}

/// A gzip stream, put together from texts and parts.
#[derive(Default)]
pub struct Gzip(Sum);

impl Gzip {
    /// No name, no time, made on no system in particular.
    pub const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

    /// A short text, as it is.
    pub fn text(&mut self, text: &[u8]) -> Vec<u8> {
        let mut block = Vec::with_capacity(text.len() + 5);
        for piece in text.chunks(usize::from(u16::MAX)) {
            let length = piece.len() as u16;
            block.push(0);
            block.extend_from_slice(&length.to_le_bytes());
            block.extend_from_slice(&(!length).to_le_bytes());
            block.extend_from_slice(piece);
        }
        self.0 = self.0.followed_by(Sum::of(text));
        block
    }

    /// A part's bytes follow.
    pub fn part(&mut self, sum: Sum) {
        self.0 = self.0.followed_by(sum);
    }

    pub fn end(self) -> Vec<u8> {
        let mut end = LAST_BLOCK.to_vec();
        end.extend_from_slice(&self.0.crc.to_le_bytes());
        end.extend_from_slice(&(self.0.plain_bytes as u32).to_le_bytes());
        end
    }
}

/// A cell of a CSV file. What a spreadsheet would run as a formula gets an apostrophe before it, which makes it text.
pub fn cell(text: &str) -> String {
    const RUN: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    if text.starts_with(RUN) { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;

    use super::*;

    fn pressed(all: impl Iterator<Item = String>) -> Vec<Part> {
        let (mut press, mut parts) = (Press::default(), Vec::new());
        for (id, record) in all.enumerate() {
            press.add(id as i64, record.as_bytes());
            if press.is_full() {
                parts.extend(press.finish());
            }
        }
        parts.extend(press.finish());
        parts
    }

    fn numbers(part: &Part) -> Vec<u64> {
        let number = |record| serde_json::from_slice::<serde_json::Value>(record).unwrap()["n"].as_u64();
        records(&part.plain().unwrap()).map(|record| number(record).unwrap()).collect()
    }

    fn record(number: usize) -> String {
        format!("{{\"n\":{number},\"name\":\"{}\"}}", "Ō̂".repeat(number % 50))
    }

    #[test]
    fn parts_make_one_gzip_stream_that_any_program_reads() {
        let parts = pressed((0..80_000).map(record));
        assert!(parts.len() > 1, "{}", parts.len());
        let mut gzip = Gzip::default();
        let mut stream = Gzip::HEAD.to_vec();
        stream.extend(gzip.text(b"["));
        for (number, part) in parts.iter().enumerate() {
            if number > 0 {
                stream.extend(gzip.text(b","));
            }
            gzip.part(part.sum);
            stream.extend_from_slice(&part.compressed);
        }
        stream.extend(gzip.text(b"]"));
        stream.extend(gzip.end());
        let mut text = String::new();
        // This one reads a single member and checks its sum.
        GzDecoder::new(stream.as_slice()).read_to_string(&mut text).unwrap();
        let read: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(read.len(), 80_000);
        assert!(read.iter().enumerate().all(|(n, value)| value["n"] == n));
    }

    #[test]
    fn a_part_loses_those_that_go_and_stays_one_part() {
        let parts = pressed((0..80_000).map(record));
        let full = &parts[0];
        assert_eq!(full.first_id, 0);
        assert_eq!(numbers(full), (0..=full.last_id as u64).collect::<Vec<_>>());

        let fewer = full.without(|record| Ok(record.starts_with(b"{\"n\":7,"))).unwrap().unwrap();
        assert_eq!(numbers(&fewer), (0..=full.last_id as u64).filter(|n| *n != 7).collect::<Vec<_>>());
        assert_eq!((fewer.first_id, fewer.last_id), (full.first_id, full.last_id));
        let array = format!("[{}]", String::from_utf8(fewer.plain().unwrap()).unwrap());
        assert!(serde_json::from_str::<Vec<serde_json::Value>>(&array).is_ok());
        assert_eq!(full.without(|_| Ok(true)).unwrap(), None);
    }

    #[test]
    fn damage_is_seen() {
        let mut part = pressed((0..100).map(record)).pop().unwrap();
        let unpack = |part: &Part| {
            let mut unpacking = Unpacking::new(part.clone());
            std::iter::from_fn(|| unpacking.piece().transpose()).collect::<std::io::Result<Vec<_>>>()
        };
        assert_eq!(unpack(&part).unwrap().concat(), part.plain().unwrap());
        part.sum.crc ^= 1;
        assert!(part.plain().is_err() && unpack(&part).is_err());
    }

    #[test]
    fn formulas_become_text() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1"] {
            assert_eq!(cell(text), format!("'{text}"));
        }
        for text in ["", "Ana", "a=b", " =1", "'=1", "1-2"] {
            assert_eq!(cell(text), text);
        }
    }
}

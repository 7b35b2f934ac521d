//! The storage format of reports: JSON records, compressed in parts. Parts can be concatenated in one gzip stream unchanged, so a
//! download only reads them.

use std::io::{Chain, Cursor, Read};

use super::ids::ParticipantId;
use crc32fast::Hasher;
use flate2::{Compress, Compression, FlushCompress, read::DeflateDecoder};

/// The default size of a part before compression. It bounds memory: a download holds one compressed part, scrubbing one
/// decompressed part.
pub const PART_BYTES: u64 = 4 << 20;
/// The fastest level: a report is written once, read about once, and removed within a week.
const LEVEL: Compression = Compression::fast();
const CHUNK: usize = 64 * 1024;
/// The final, empty block of a deflate stream.
const LAST_BLOCK: &[u8] = &[3, 0];

/// Records, each followed by a line break, with a comma before each except the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub compressed: Vec<u8>,
    pub sum: Checksum,
    pub first_id: ParticipantId,
    pub last_id: ParticipantId,
    /// How many records it has, if that is known: earlier versions did not count them.
    pub records: Option<u64>,
}

/// The checksum and size in the trailer of a gzip stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksum {
    pub plain_bytes: u64,
    pub crc: u32,
}

impl Checksum {
    pub fn of(plain: &[u8]) -> Self {
        Self { plain_bytes: plain.len() as u64, crc: crc32fast::hash(plain) }
    }

    fn followed_by(self, next: Self) -> Self {
        let mut sum = Hasher::new_with_initial_len(self.crc, self.plain_bytes);
        sum.combine(&Hasher::new_with_initial_len(next.crc, next.plain_bytes));
        Self { plain_bytes: self.plain_bytes + next.plain_bytes, crc: sum.finalize() }
    }
}

/// Builds parts.
pub struct PartBuilder {
    deflate: Compress,
    /// Input buffer: each call to the compressor has a fixed cost.
    plain: Vec<u8>,
    compressed: Vec<u8>,
    hasher: Hasher,
    plain_bytes: u64,
    ids: Option<(ParticipantId, ParticipantId)>,
    records: u64,
}

impl Default for PartBuilder {
    fn default() -> Self {
        Self {
            deflate: Compress::new(LEVEL, false),
            plain: Vec::with_capacity(2 * CHUNK),
            compressed: Vec::new(),
            hasher: Hasher::new(),
            plain_bytes: 0,
            ids: None,
            records: 0,
        }
    }
}

impl PartBuilder {
    /// Ids are ascending, except for people who were moved to another page.
    pub fn add(&mut self, id: ParticipantId, record: &[u8]) {
        if self.ids.is_some() {
            self.write(b",");
        }
        self.write(record);
        self.write(b"\n");
        self.ids = Some(self.ids.map_or((id, id), |(first, last)| (first.min(id), last.max(id))));
        self.records += 1;
    }

    /// The size of the records added since the last part.
    pub fn plain_bytes(&self) -> u64 {
        self.plain_bytes
    }

    /// Returns the records added since the last part.
    pub fn finish(&mut self) -> Option<Part> {
        let (first_id, last_id) = self.ids?;
        self.deflate(FlushCompress::Sync);
        let done = std::mem::take(self);
        let sum = Checksum { plain_bytes: done.plain_bytes, crc: done.hasher.finalize() };
        Some(Part { compressed: done.compressed, sum, first_id, last_id, records: Some(done.records) })
    }

    fn write(&mut self, plain: &[u8]) {
        self.plain.extend_from_slice(plain);
        self.plain_bytes += plain.len() as u64;
        if self.plain.len() >= CHUNK {
            self.deflate(FlushCompress::None);
        }
    }

    fn deflate(&mut self, flush: FlushCompress) {
        self.hasher.update(&self.plain);
        let mut room = [0; 16 * 1024];
        let mut done = 0;
        loop {
            let (before_in, before_out) = (self.deflate.total_in(), self.deflate.total_out());
            // Fails only if called after the end of the stream.
            let _ = self.deflate.compress(&self.plain[done..], &mut room, flush);
            done += (self.deflate.total_in() - before_in) as usize;
            let made = (self.deflate.total_out() - before_out) as usize;
            self.compressed.extend_from_slice(&room[..made]);
            // The output buffer was not filled, so the compressor holds nothing back.
            if done == self.plain.len() && made < room.len() {
                self.plain.clear();
                return;
            }
        }
    }
}

impl Part {
    /// Compresses any text like a part.
    pub fn of_text(text: &[u8]) -> Self {
        let mut press = PartBuilder::default();
        press.write(text);
        let nobody = ParticipantId::default();
        press.ids = Some((nobody, nobody));
        let nothing = Self {
            compressed: Vec::new(),
            sum: Checksum::default(),
            first_id: nobody,
            last_id: nobody,
            records: Some(0),
        };
        press.finish().unwrap_or(nothing)
    }

    /// The decompressed records, as they appear in a JSON array.
    pub fn plain(&self) -> std::io::Result<Vec<u8>> {
        let mut plain = Vec::with_capacity(usize::try_from(self.sum.plain_bytes).unwrap_or_default());
        DeflateDecoder::new(self.compressed.chain(LAST_BLOCK)).read_to_end(&mut plain)?;
        if Checksum::of(&plain) == self.sum { Ok(plain) } else { Err(damaged()) }
    }

    /// Removes records; `None` if none are left.
    pub fn without(&self, gone: impl Fn(&[u8]) -> std::io::Result<bool>) -> std::io::Result<Option<Self>> {
        let plain = self.plain()?;
        let mut press = PartBuilder::default();
        for record in records(&plain) {
            if !gone(record)? {
                press.add(self.first_id, record);
            }
        }
        // Ids are known only per part, not per record, so the part keeps its range.
        Ok(press.finish().map(|part| Self { last_id: self.last_id, ..part }))
    }
}

/// Decompresses a part incrementally.
pub struct Decompressor {
    plain: DeflateDecoder<Chain<Cursor<Vec<u8>>, &'static [u8]>>,
    wanted: Checksum,
    hasher: Hasher,
    bytes: u64,
}

impl Decompressor {
    pub fn new(part: Part) -> Self {
        Self {
            plain: DeflateDecoder::new(Cursor::new(part.compressed).chain(LAST_BLOCK)),
            wanted: part.sum,
            hasher: Hasher::new(),
            bytes: 0,
        }
    }

    /// The next chunk of decompressed bytes; `None` at the end.
    pub fn piece(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        let mut piece = vec![0; CHUNK];
        let length = self.plain.read(&mut piece)?;
        piece.truncate(length);
        self.hasher.update(&piece);
        self.bytes += length as u64;
        if length > 0 {
            return Ok(Some(piece));
        }
        let seen = Checksum { plain_bytes: self.bytes, crc: self.hasher.clone().finalize() };
        if seen == self.wanted { Ok(None) } else { Err(damaged()) }
    }
}

fn damaged() -> std::io::Error {
    std::io::Error::other("a part of a report is damaged")
}

/// The records of a part, without the comma and line break.
pub fn records(plain: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = plain.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| line.strip_prefix(b",").unwrap_or(line))
}

/// Assembles a gzip stream from texts and parts.
#[derive(Default)]
pub struct Gzip(Checksum);

impl Gzip {
    /// No file name, no time, unknown operating system.
    pub const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

    /// Adds a short text as uncompressed blocks.
    pub fn text(&mut self, text: &[u8]) -> Vec<u8> {
        let mut block = Vec::with_capacity(text.len() + 5);
        for piece in text.chunks(usize::from(u16::MAX)) {
            let length = piece.len() as u16;
            block.push(0);
            block.extend_from_slice(&length.to_le_bytes());
            block.extend_from_slice(&(!length).to_le_bytes());
            block.extend_from_slice(piece);
        }
        self.0 = self.0.followed_by(Checksum::of(text));
        block
    }

    /// Adds a part; the caller sends its bytes.
    pub fn part(&mut self, sum: Checksum) {
        self.0 = self.0.followed_by(sum);
    }

    pub fn end(self) -> Vec<u8> {
        let mut end = LAST_BLOCK.to_vec();
        end.extend_from_slice(&self.0.crc.to_le_bytes());
        end.extend_from_slice(&(self.0.plain_bytes as u32).to_le_bytes());
        end
    }
}

/// A CSV cell, protected against formula injection: an apostrophe in front makes it text.
pub fn cell(text: &str) -> String {
    const FORMULA_STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    if text.starts_with(FORMULA_STARTS) { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;

    use super::*;

    fn pressed(all: impl Iterator<Item = String>) -> Vec<Part> {
        let (mut press, mut parts) = (PartBuilder::default(), Vec::new());
        for (id, record) in all.enumerate() {
            press.add(ParticipantId::new(id as i64), record.as_bytes());
            if press.plain_bytes() >= PART_BYTES {
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
        // This decoder reads a single member and verifies its checksum.
        GzDecoder::new(stream.as_slice()).read_to_string(&mut text).unwrap();
        let read: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(read.len(), 80_000);
        assert!(read.iter().enumerate().all(|(n, value)| value["n"] == n));
    }

    #[test]
    fn a_part_loses_those_that_go_and_stays_one_part() {
        let parts = pressed((0..80_000).map(record));
        let full = &parts[0];
        assert_eq!(full.first_id.get(), 0);
        assert_eq!(numbers(full), (0..=full.last_id.get() as u64).collect::<Vec<_>>());
        assert_eq!(parts.iter().filter_map(|part| part.records).sum::<u64>(), 80_000);

        let fewer = full.without(|record| Ok(record.starts_with(b"{\"n\":7,"))).unwrap().unwrap();
        assert_eq!(numbers(&fewer), (0..=full.last_id.get() as u64).filter(|n| *n != 7).collect::<Vec<_>>());
        assert_eq!((fewer.first_id, fewer.last_id), (full.first_id, full.last_id));
        assert_eq!(fewer.records, full.records.map(|records| records - 1));
        let array = format!("[{}]", String::from_utf8(fewer.plain().unwrap()).unwrap());
        assert!(serde_json::from_str::<Vec<serde_json::Value>>(&array).is_ok());
        assert_eq!(full.without(|_| Ok(true)).unwrap(), None);
    }

    #[test]
    fn damage_is_seen() {
        let mut part = pressed((0..100).map(record)).pop().unwrap();
        let unpack = |part: &Part| {
            let mut unpacking = Decompressor::new(part.clone());
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

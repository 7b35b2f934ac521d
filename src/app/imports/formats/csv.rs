//! CSV files, as written by spreadsheet programs: UTF-8 with or without a byte-order mark, UTF-16 with one, or else Windows-1252.

use std::{
    cell::Cell as Shared,
    io::{self, BufReader, Read},
    rc::Rc,
};

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::{Cell, Input, RowState, Rows, SheetFault};

/// What a record may have at most, with room for the reader's buffers. Without it, a quotation mark that is never closed would
/// read the whole file into memory.
const RECORD_BYTES: usize = 8 << 20;

pub fn read(input: &Input, rows: &mut Rows<'_, '_>) -> Result<(), SheetFault> {
    let encoding = encoding(input)?;
    let mut reader = Records::new(Decoded::new(input.open()?, encoding))?;
    while let Some((line, record)) = reader.next_record()? {
        rows.count_cells(record.len() as u64)?;
        match record.iter().map(std::str::from_utf8).collect::<Result<Vec<_>, _>>() {
            Ok(cells) => {
                let cells = cells.into_iter().map(|cell| Cell::text(cell.to_owned())).collect();
                rows.push(line, cells, RowState::Readable)?;
            }
            Err(_) => rows.push(line, Vec::new(), RowState::Unreadable)?,
        }
    }
    Ok(())
}

/// Without a byte-order mark, a file is UTF-8 if it is ASCII or has any valid character beyond. Rows of such a file that are not
/// UTF-8 are rejected one by one. All others are what Windows programs write in Western languages.
fn encoding(input: &Input) -> Result<&'static Encoding, SheetFault> {
    let mut file = input.open()?;
    let mut buffer = vec![0; 64 << 10];
    let (mut held, mut is_first, mut is_broken) = (0, true, false);
    loop {
        let read = file.read(&mut buffer[held..]).map_err(SheetFault::Io)?;
        let bytes = &buffer[..held + read];
        if std::mem::take(&mut is_first)
            && let Some((encoding, _)) = Encoding::for_bom(bytes)
        {
            return Ok(encoding);
        }
        let mut rest = bytes;
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) if text.is_ascii() => rest = &[],
                Ok(_) => return Ok(UTF_8),
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    if !valid.is_ascii() {
                        return Ok(UTF_8);
                    }
                    match error.error_len() {
                        Some(length) => {
                            is_broken = true;
                            rest = &after[length..];
                            continue;
                        }
                        None => rest = after,
                    }
                }
            }
            break;
        }
        if read == 0 {
            return Ok(if is_broken || !rest.is_empty() { WINDOWS_1252 } else { UTF_8 });
        }
        // A character that the end of the buffer has cut.
        held = rest.len();
        let start = bytes.len() - held;
        buffer.copy_within(start..start + held, 0);
    }
}

/// The records of a file in UTF-8, with their lines.
pub struct Records<R> {
    reader: ::csv::Reader<PlainLines<R>>,
    record: ::csv::ByteRecord,
    left: Rc<Shared<usize>>,
}

impl<R: Read> Records<R> {
    pub fn new(file: R) -> Result<Self, SheetFault> {
        let left = Rc::new(Shared::new(RECORD_BYTES));
        let mut lines =
            PlainLines { inner: BufReader::new(file), start: Vec::new(), last: b'\n', left: left.clone() };
        let mut start = vec![0; 64 << 10];
        let mut filled = 0;
        while filled < start.len() {
            match lines.read(&mut start[filled..]).map_err(SheetFault::of_reading)? {
                0 => break,
                read => filled += read,
            }
        }
        start.truncate(filled);
        let separator = separator(&start);
        lines.start = start;
        left.set(RECORD_BYTES);
        let reader = ::csv::ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .has_headers(false)
            .from_reader(lines);
        Ok(Self { reader, record: ::csv::ByteRecord::new(), left })
    }

    /// The next record, and the line where it begins.
    pub fn next_record(&mut self) -> Result<Option<(u64, &::csv::ByteRecord)>, SheetFault> {
        self.left.set(RECORD_BYTES);
        let is_read =
            self.reader.read_byte_record(&mut self.record).map_err(|error| match error.into_kind() {
                ::csv::ErrorKind::Io(error) => SheetFault::of_reading(error),
                other => SheetFault::Damaged(format!("the file is damaged: {other:?}")),
            })?;
        if !is_read {
            return Ok(None);
        }
        let line = first_line(&self.record, self.reader.position().line());
        Ok(Some((line, &self.record)))
    }
}

/// The one that is on most of the first lines, then the one that is most frequent there.
fn separator(start: &[u8]) -> u8 {
    const LINES: usize = 10;
    let lines: Vec<&[u8]> = start.split(|byte| *byte == b'\n').take(LINES).collect();
    let score = |separator: u8| {
        let counts = lines.iter().map(|line| memchr::memchr_iter(separator, line).count());
        counts.fold((0, 0), |(lines, sum), count| (lines + usize::from(count > 0), sum + count))
    };
    [b',', b';', b'\t']
        .into_iter()
        .max_by_key(|separator| (score(*separator), *separator == b','))
        .unwrap_or(b',')
}

/// Computes the first line of a record from the line after it, because the reader includes preceding empty lines in the
/// record's own position.
fn first_line(record: &::csv::ByteRecord, next: u64) -> u64 {
    let inside = memchr::memchr_iter(b'\n', record.as_slice()).count() as u64;
    next.saturating_sub(1 + inside)
}

/// Normalizes line endings to LF and terminates the last line, so that lines are counted as in text editors. Fails where a record
/// is too long.
struct PlainLines<R> {
    inner: BufReader<R>,
    /// Bytes that are read again: the start of the file, already normalized.
    start: Vec<u8>,
    last: u8,
    left: Rc<Shared<usize>>,
}

impl<R: Read> Read for PlainLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.start.is_empty() {
            let count = self.start.len().min(buffer.len());
            buffer[..count].copy_from_slice(&self.start[..count]);
            self.start.drain(..count);
            return Ok(count);
        }
        loop {
            let read = self.inner.read(buffer)?;
            let Some(left) = self.left.get().checked_sub(read) else {
                let text = format!(
                    "a row is larger than {} MB: a closing quotation mark may be missing",
                    RECORD_BYTES >> 20
                );
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            };
            self.left.set(left);
            if read == 0 && !matches!(self.last, b'\n' | b'\r') && !buffer.is_empty() {
                (buffer[0], self.last) = (b'\n', b'\n');
                return Ok(1);
            }
            let mut kept = 0;
            for at in 0..read {
                let byte = buffer[at];
                if byte != b'\n' || self.last != b'\r' {
                    buffer[kept] = if byte == b'\r' { b'\n' } else { byte };
                    kept += 1;
                }
                self.last = byte;
            }
            // Returning 0 would signal the end of the file.
            if kept > 0 || read == 0 {
                return Ok(kept);
            }
        }
    }
}

/// A file in UTF-8, without a byte-order mark. Bytes of UTF-8 are passed on as they are, even if they are none.
struct Decoded<R> {
    inner: R,
    /// `None` for UTF-8.
    decoder: Option<Decoder>,
    input: Vec<u8>,
    read: usize,
    is_over: bool,
    is_done: bool,
    is_first: bool,
}

impl<R: Read> Decoded<R> {
    fn new(inner: R, encoding: &'static Encoding) -> Self {
        let is_decoded = encoding == UTF_16LE || encoding == UTF_16BE || encoding == WINDOWS_1252;
        let decoder = is_decoded.then(|| encoding.new_decoder_with_bom_removal());
        Self { inner, decoder, input: Vec::new(), read: 0, is_over: false, is_done: false, is_first: true }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.input.drain(..self.read);
        self.read = 0;
        let held = self.input.len();
        self.input.resize(held + (16 << 10), 0);
        let read = self.inner.read(&mut self.input[held..])?;
        self.input.truncate(held + read);
        self.is_over |= read == 0;
        Ok(())
    }

    /// The first bytes may be a byte-order mark.
    fn read_plain(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !std::mem::take(&mut self.is_first) {
            return self.inner.read(buffer);
        }
        let mut start = [0; 3];
        let mut filled = 0;
        while filled < start.len() {
            match self.inner.read(&mut start[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        let start = &start[..filled];
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        if start.is_empty() {
            return self.inner.read(buffer);
        }
        buffer[..start.len()].copy_from_slice(start);
        Ok(start.len())
    }
}

impl<R: Read> Read for Decoded<R> {
    /// The reader above has a buffer of some kilobytes, so there is always room for a character.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(decoder) = &mut self.decoder else { return self.read_plain(buffer) };
            if self.is_done {
                return Ok(0);
            }
            let (result, read, written, _) =
                decoder.decode_to_utf8(&self.input[self.read..], buffer, self.is_over);
            self.read += read;
            self.is_done = self.is_over && result == CoderResult::InputEmpty;
            if written > 0 || self.is_done {
                return Ok(written);
            }
            self.fill()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(bytes: &[u8]) -> Input {
        Input::Bytes(bytes.to_vec().into())
    }

    fn rows(bytes: &[u8]) -> Vec<(u64, Vec<Option<String>>)> {
        let mut found = Vec::new();
        let mut visit = |row: super::super::RawRow| {
            let cells = row.cells.iter().map(|cell| cell.as_text().map(str::to_owned)).collect();
            found.push((row.line, cells));
            Ok(())
        };
        super::super::each_row(&input(bytes), None, &mut visit).unwrap();
        found
    }

    fn row(line: u64, cells: &[&str]) -> (u64, Vec<Option<String>>) {
        (line, cells.iter().map(|cell| Some((*cell).to_owned())).collect())
    }

    #[test]
    fn rows_are_counted_as_editors_count_lines_however_they_end() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a;b", "1;2", "", "3;\"4", "5\"", "6;7"].join(end);
            let wanted =
                [row(1, &["a", "b"]), row(2, &["1", "2"]), row(4, &["3", "4\n5"]), row(6, &["6", "7"])];
            assert_eq!(rows(text.as_bytes()), wanted, "{end:?}");
        }
    }

    #[test]
    fn every_encoding_that_spreadsheet_programs_write_is_read() {
        let text = "a;b\né;Ω\n";
        let wanted = [row(1, &["a", "b"]), row(2, &["é", "Ω"])];
        let marked = format!("\u{feff}{text}");
        let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [text.as_bytes(), marked.as_bytes(), &little, &big] {
            assert_eq!(rows(bytes), wanted, "{bytes:?}");
        }
        assert_eq!(rows(b"a;b\n\xe9;\x80\n"), [row(1, &["a", "b"]), row(2, &["é", "€"])]);
        // Long enough for several buffers, with a character at every boundary.
        let long = format!("a,b\n{}", "é,x\n".repeat(60_000));
        assert_eq!(rows(long.as_bytes()).len(), 60_001);
        let long: Vec<u8> = format!("\u{feff}{long}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(rows(&long).len(), 60_001);
    }

    #[test]
    fn rows_that_are_not_utf_8_are_marked_in_a_file_that_is() {
        let mut states = Vec::new();
        let mut visit = |row: super::super::RawRow| {
            states.push(row.state);
            Ok(())
        };
        super::super::each_row(&input(b"a,\xc3\xa9\nb,\xe9\n"), None, &mut visit).unwrap();
        assert_eq!(states, [RowState::Readable, RowState::Unreadable]);
    }

    #[test]
    fn the_separator_is_the_one_on_most_lines() {
        for (text, wanted) in [
            ("a;b\n1, 2, 3;4\n5, 6, 7;8\n", b';'),
            ("a,b\n1,2\n", b','),
            ("Title, with a comma\na\tb\n1\t2\n", b'\t'),
            ("a\n", b','),
        ] {
            assert_eq!(separator(text.as_bytes()), wanted, "{text}");
        }
    }

    #[test]
    fn a_quotation_mark_that_is_never_closed_does_not_fill_the_memory() {
        let mut file = b"a,b\n1,\"".to_vec();
        file.resize(RECORD_BYTES * 2, b'x');
        let read = super::super::each_row(&input(&file), None, &mut |_| Ok(()));
        assert!(matches!(read, Err(SheetFault::Damaged(_))), "{read:?}");
    }
}

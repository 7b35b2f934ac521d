//! ZIP files within limits. What a file says about its size is checked before it is read, and the bytes are counted while they are
//! unpacked.

use std::{
    io::{self, Read, Seek, SeekFrom},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use zip::ZipArchive;

use super::{Input, ReadSeek, SheetFault, limits};

pub struct Zipped {
    archive: ZipArchive<Box<dyn ReadSeek>>,
    names: Vec<String>,
    budget: Budget,
}

/// What reading the tables of a file may still cost, in all of its parts together. A kilobyte can unpack to a megabyte of elements that mean
/// nothing, such as empty rows.
#[derive(Clone)]
pub struct Budget(Arc<Left>);

struct Left {
    bytes: AtomicU64,
    steps: AtomicU64,
}

impl Budget {
    fn new() -> Self {
        let (bytes, steps) = (limits::UNPACKED_BYTES.into(), limits::STEPS.into());
        Self(Arc::new(Left { bytes, steps }))
    }

    /// An element or a text in XML, or a record in a CSV file.
    pub fn step(&self) -> Result<(), SheetFault> {
        let too_many = || {
            SheetFault::TooLarge(format!("the tables in the file have more than {} elements", limits::STEPS))
        };
        take(&self.0.steps, 1).ok_or_else(too_many)
    }

    fn bytes(&self, read: usize) -> io::Result<()> {
        let too_many = || {
            io::Error::new(
                io::ErrorKind::FileTooLarge,
                too_large(limits::UNPACKED_BYTES, "the tables in the file are"),
            )
        };
        take(&self.0.bytes, read as u64).ok_or_else(too_many)
    }
}

/// Only one thread reads a file.
fn take(left: &AtomicU64, more: u64) -> Option<()> {
    let rest = left.load(Ordering::Relaxed).checked_sub(more)?;
    left.store(rest, Ordering::Relaxed);
    Some(())
}

/// A table, or another part of a spreadsheet.
pub struct Part<R> {
    inner: R,
    pub budget: Budget,
}

impl<R: Read> Read for Part<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.budget.bytes(read).map(|()| read)
    }
}

impl Zipped {
    pub fn open(input: &Input) -> Result<Self, SheetFault> {
        let mut file = input.open()?;
        check_directory(&mut file)?;
        check_headers(&mut file)?;
        let archive = ZipArchive::new(file).map_err(SheetFault::zip)?;
        if archive.len() > limits::FILES {
            return Err(too_many_files());
        }
        let mut names = Vec::with_capacity(archive.len());
        let mut declared = 0_u64;
        for at in 0..archive.len() {
            let entry = archive.by_index_data(at).map_err(SheetFault::zip)?;
            if entry.encrypted() {
                return Err(SheetFault::Encrypted);
            }
            declared = declared.saturating_add(entry.size());
            names.push(entry.name().map_err(SheetFault::zip)?.into_owned());
        }
        if declared > limits::DECLARED_BYTES {
            let most = limits::DECLARED_BYTES >> 20;
            return Err(SheetFault::TooLarge(format!(
                "the file would be larger than {most} MB when unpacked"
            )));
        }
        Ok(Self { archive, names, budget: Budget::new() })
    }

    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|one| one == name)
    }

    /// Is there a file of this name, in whatever folder?
    pub fn has_named(&self, name: &str) -> bool {
        self.position_of(name).is_some()
    }

    /// The names of all files with their positions; folders are left out.
    pub fn files(&self) -> impl Iterator<Item = (usize, &str)> {
        self.names.iter().map(String::as_str).enumerate().filter(|(_, name)| !name.ends_with('/'))
    }

    /// The position of the file of this name, in whatever folder.
    pub fn position_of(&self, name: &str) -> Option<usize> {
        self.files().find(|(_, path)| base_name(path).eq_ignore_ascii_case(name)).map(|(at, _)| at)
    }

    pub fn read(&mut self, at: usize, most: u64) -> Result<impl Read + '_, SheetFault> {
        let entry = self.archive.by_index(at).map_err(SheetFault::zip)?;
        if entry.size() > most {
            return Err(SheetFault::TooLarge(too_large(most, "a part of the file is")));
        }
        Ok(Limited { inner: entry, left: most, most })
    }

    /// The part of a spreadsheet with this path.
    pub fn part(&mut self, name: &str, most: u64) -> Result<Option<Part<impl Read + '_>>, SheetFault> {
        match self.names.iter().position(|one| one.eq_ignore_ascii_case(name)) {
            Some(at) => self.part_at(at, most).map(Some),
            None => Ok(None),
        }
    }

    /// The same by its position.
    pub fn part_at(&mut self, at: usize, most: u64) -> Result<Part<impl Read + '_>, SheetFault> {
        let budget = self.budget.clone();
        Ok(Part { inner: self.read(at, most)?, budget })
    }
}

/// The name of a file without its folders.
pub fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn too_many_files() -> SheetFault {
    SheetFault::TooLarge(format!("the file contains more than {} files", limits::FILES))
}

fn too_large(most: u64, what: &str) -> String {
    format!("{what} larger than {} MB when unpacked", most >> 20)
}

/// The directory of a ZIP file is read into memory as a whole, so its size is checked before: in the record at the end of the
/// file, and in the larger one before that.
fn check_directory(file: &mut Box<dyn ReadSeek>) -> Result<(), SheetFault> {
    const END: usize = 22;
    const LOCATOR: usize = 20;
    const COMMENT: u64 = 65_535;
    let io = SheetFault::Io;
    let length = file.seek(SeekFrom::End(0)).map_err(io)?;
    let tail_length = length.min(COMMENT + (END + LOCATOR) as u64);
    file.seek(SeekFrom::Start(length - tail_length)).map_err(io)?;
    let mut tail = Vec::new();
    file.by_ref().take(tail_length).read_to_end(&mut tail).map_err(io)?;
    let damaged = || SheetFault::Damaged("the file is damaged: it has no end".to_owned());
    let end = memchr::memmem::rfind(&tail, b"PK\x05\x06").ok_or_else(damaged)?;
    let number = |at: usize, count: usize| -> Option<u64> {
        let bytes = tail.get(at..at + count)?;
        Some(bytes.iter().rev().fold(0, |sum, byte| (sum << 8) | u64::from(*byte)))
    };
    let entries = number(end + 10, 2).ok_or_else(damaged)?;
    let has_large_directory =
        end.checked_sub(LOCATOR).is_some_and(|at| tail[at..].starts_with(b"PK\x06\x07"));
    if entries > limits::FILES as u64 || has_large_directory {
        return Err(too_many_files());
    }
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    Ok(())
}

/// A file can have several ends that contradict each other, and the library uses an earlier one if it does not understand the last. So
/// the entries of all directories in the file are counted, too.
fn check_headers(file: &mut Box<dyn ReadSeek>) -> Result<(), SheetFault> {
    const HEADER: &[u8] = b"PK\x01\x02";
    let io = SheetFault::Io;
    let finder = memchr::memmem::Finder::new(HEADER);
    let mut buffer = vec![0; 256 << 10];
    let (mut kept, mut count) = (0, 0);
    loop {
        let read = file.read(&mut buffer[kept..]).map_err(io)?;
        if read == 0 {
            break;
        }
        let filled = kept + read;
        count += finder.find_iter(&buffer[..filled]).count();
        if count > limits::FILES {
            return Err(too_many_files());
        }
        // A header may go on in the next piece. So few bytes contain none, so that none is counted twice.
        kept = filled.min(HEADER.len() - 1);
        buffer.copy_within(filled - kept..filled, 0);
    }
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    Ok(())
}

/// Fails where more than `most` bytes come out of a file, whatever the file says about its size.
struct Limited<R> {
    inner: R,
    left: u64,
    most: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            io::Error::new(io::ErrorKind::FileTooLarge, too_large(self.most, "a part of the file is"))
        })?;
        Ok(read)
    }
}

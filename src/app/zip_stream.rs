//! A ZIP file in chunks, for downloads: only what was added since the last chunk is in memory.

use std::{
    io::{self, Write},
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use zip::{
    CompressionMethod, ZipWriter,
    result::ZipError,
    write::{SimpleFileOptions, StreamWriter},
};

use super::{Error, Result};

pub(super) struct ZipStream {
    /// `None` after the end.
    zip: Option<ZipWriter<StreamWriter<Buffer>>>,
    written: Buffer,
}

impl Default for ZipStream {
    fn default() -> Self {
        let written = Buffer::default();
        Self { zip: Some(ZipWriter::new_stream(written.clone())), written }
    }
}

impl ZipStream {
    /// Adds a file, without compression: nearly all of them are MP3 and JPEG. Returns the next chunk.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<Bytes> {
        self.write(name, bytes).map_err(unwritten)?;
        Ok(self.written.take())
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> std::result::Result<(), ZipError> {
        let Some(zip) = &mut self.zip else { return Ok(()) };
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        zip.start_file(name, options)?;
        Ok(zip.write_all(bytes)?)
    }

    /// The last chunk, once; `None` after that.
    pub fn finish(&mut self) -> Result<Option<Bytes>> {
        let Some(zip) = self.zip.take() else { return Ok(None) };
        zip.finish().map_err(unwritten)?;
        Ok(Some(self.written.take()))
    }
}

fn unwritten(error: ZipError) -> Error {
    Error::Internal(format!("writing a ZIP file failed: {error}"))
}

/// What the ZIP file has grown by since it was last sent.
#[derive(Debug, Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    fn take(&self) -> Bytes {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

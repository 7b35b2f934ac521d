//! Recordings that were played since the database last changed. Playing one again costs neither a query nor a search for
//! its file. Any write may revoke a link, and forgets them all.

use bytes::Bytes;

use crate::{
    app::App,
    domain::ids::InstitutionId,
    store::{DataVersion, kept::Kept},
};

/// Files by institution and the hex of their link as a number. Most of them are in the cache of mapped files, too.
pub type KeptRecordings = Kept<(InstitutionId, u128), Bytes>;

/// For all of them together. The pages of a mapped file count as memory.
pub const KEPT_BYTES: usize = 8 << 20;
/// A few seconds, which is what names take. Longer ones would displace too many of these.
const MAX_FILE_BYTES: usize = 64 << 10;

/// The file of a live link, if it was played since the database last changed.
pub fn kept(app: &App, institution: InstitutionId, hex: &str) -> Option<Bytes> {
    let version = app.db.version()?;
    app.recordings.get(version, &(institution, number(hex)?))
}

/// `version` was read before the link was found to be live.
pub fn keep(app: &App, version: DataVersion, institution: InstitutionId, hex: &str, file: &Bytes) {
    if let Some(number) = number(hex)
        && file.len() <= MAX_FILE_BYTES
    {
        app.recordings.keep(version, (institution, number), file.clone(), file.len());
    }
}

fn number(hex: &str) -> Option<u128> {
    u128::from_str_radix(hex, 16).ok()
}

//! The permissions of a SQLite database's folder.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use crate::support::process::Installation;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())).permissions().mode() & 0o777
}

#[tokio::test]
async fn the_database_is_for_its_owner_alone_and_an_older_one_is_tightened() {
    let here = Installation::on_sqlite();
    here.furnish();
    let database = here.path("endonym-data/endonym.sqlite3");
    assert_eq!((mode(&here.path("endonym-data")), mode(&database)), (0o700, 0o600));
    // As created by earlier versions.
    fs::set_permissions(&database, fs::Permissions::from_mode(0o644)).unwrap();
    let serving = here.serve(&[]);
    for ending in ["", "-wal", "-shm"] {
        let file = here.path(&format!("endonym-data/endonym.sqlite3{ending}"));
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    here.succeed(&["backup", "saved"]);
    assert_eq!(mode(&here.path("saved/endonym.sqlite3")), 0o600);
    assert_eq!(serving.stop().await, 0);
}

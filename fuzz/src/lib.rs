//! Shared code of the fuzz targets.

mod targets;

use std::{panic, sync::Once};

pub fn fuzz(target: &str, data: &[u8]) {
    let_panics_be_caught();
    targets::run(target, data);
}

/// libFuzzer's panic hook aborts the process before a panic can be caught.
fn let_panics_be_caught() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| panic::set_hook(Box::new(|_| ())));
}

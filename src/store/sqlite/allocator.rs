//! SQLite allocates with mimalloc, like everything else. The C library would return the memory of a savepoint to the kernel after each of
//! them, and get it back, page by page, for the next.

use std::{
    ffi::{c_int, c_void},
    ptr,
};

use libmimalloc_sys::{mi_free, mi_malloc, mi_realloc, mi_usable_size};
use rusqlite::ffi::{self, sqlite3_mem_methods};

/// For `SQLITE_CONFIG_MALLOC`, which copies it.
pub const fn methods() -> sqlite3_mem_methods {
    sqlite3_mem_methods {
        xMalloc: Some(allocate),
        xFree: Some(free),
        xRealloc: Some(reallocate),
        xSize: Some(size),
        xRoundup: Some(round_up),
        xInit: Some(start),
        xShutdown: Some(stop),
        pAppData: ptr::null_mut(),
    }
}

/// Sizes are never negative.
const fn bytes(size: c_int) -> usize {
    size as usize
}

#[allow(unsafe_code)]
unsafe extern "C" fn allocate(size: c_int) -> *mut c_void {
    // SAFETY: it may be called with any size.
    unsafe { mi_malloc(bytes(size)) }
}

#[allow(unsafe_code)]
unsafe extern "C" fn free(memory: *mut c_void) {
    // SAFETY: SQLite passes what it got from `allocate` or `reallocate`, once.
    unsafe { mi_free(memory) }
}

#[allow(unsafe_code)]
unsafe extern "C" fn reallocate(memory: *mut c_void, size: c_int) -> *mut c_void {
    // SAFETY: as in `free`.
    unsafe { mi_realloc(memory, bytes(size)) }
}

#[allow(unsafe_code)]
unsafe extern "C" fn size(memory: *mut c_void) -> c_int {
    // SAFETY: as in `free`, and it is still allocated.
    let usable = unsafe { mi_usable_size(memory) };
    c_int::try_from(usable).unwrap_or(c_int::MAX)
}

extern "C" fn round_up(size: c_int) -> c_int {
    size.saturating_add(7) & !7
}

extern "C" fn start(_: *mut c_void) -> c_int {
    ffi::SQLITE_OK
}

extern "C" fn stop(_: *mut c_void) {}

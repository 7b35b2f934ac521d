#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| endonym_fuzz::fuzz("webm", data));

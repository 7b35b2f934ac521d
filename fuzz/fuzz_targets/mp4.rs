#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| endonym_fuzz::sound(data, &[(4, b"ftyp")]));

//! Audio and image processing: any supported upload becomes one kind of MP3 or JPEG. Pure functions over bytes that
//! know nothing of names, in a separate package, so that tests and fuzzers can build it alone and optimized.

pub mod picture;
pub mod sound;

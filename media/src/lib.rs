//! Sound and pictures: whatever comes in, one kind of MP3 and one kind of JPEG go out. Pure functions over bytes; knows
//! nothing of names, and so is a package of its own, which tests and fuzzers can build alone and optimised.

pub mod picture;
pub mod sound;

//! Phone calls: when they are made, what becomes of them, and real phones that are called over loopback.

pub mod phones;
mod prompts;
mod records;
mod sip;

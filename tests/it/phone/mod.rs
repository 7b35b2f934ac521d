//! Phone calls: when they are made, what becomes of them, and real phones that are called over loopback.

mod prompts;
pub mod phones;
mod records;
mod sip;

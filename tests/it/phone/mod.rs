//! Phone calls: when they are made, what becomes of them, and real phones that are called over loopback.

mod bounds;
mod cloud;
mod cloud_stand_in;
mod person;
pub mod phones;
mod prompts;
pub mod records;
mod server;
mod sip;
mod vendor_library;

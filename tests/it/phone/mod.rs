//! Phone calls: scheduling, outcomes, and real phones called over loopback.

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

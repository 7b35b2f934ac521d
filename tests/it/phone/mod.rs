//! Phone calls: when they are made, and what becomes of them.

mod cloud;
mod cloud_stand_in;
mod person;
mod records;
mod vendor_library;

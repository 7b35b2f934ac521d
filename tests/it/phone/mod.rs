//! Real phones, called over loopback: nothing here is a stand-in of ours.

pub mod phones;
mod sip;

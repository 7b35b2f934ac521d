//! What the service is about: pure types and rules. No async, no I/O, no clock, no HTTP, no SQL.

pub mod address;
pub mod call;
pub mod conversation;
pub mod countries;
pub mod course;
pub mod custom_field;
pub mod email;
pub mod export;
pub mod field_errors;
pub mod institution;
pub mod job;
pub mod lti;
pub mod matching;
pub mod media;
pub mod moment;
pub mod name_page;
pub mod paging;
pub mod participant;
pub mod phone_number;
pub mod quiet_hours;
pub mod report;
pub mod roll;
pub mod roster;
pub mod text;
pub mod token;
pub mod tool_consumer;

//! Shared by all faces: bodies, forms, parameters, cookies, CSRF, compression, security headers, replies. A face adds
//! routes and messages.

pub mod assets;
pub mod body;
pub mod cases;
pub mod chart;
pub mod client;
pub mod compression;
pub mod consent;
pub mod cookie;
pub mod csrf;
pub mod custom_field;
pub mod download;
pub mod embeds;
pub mod export_rows;
pub mod faults;
pub mod form;
pub mod handover;
pub mod html;
pub mod json;
pub mod language;
pub mod looks;
pub mod mail_texts;
pub mod multipart;
pub mod notice;
pub mod openapi;
pub mod page;
pub mod params;
pub mod path;
pub mod plays;
pub mod policy;
pub mod ranges;
pub mod recorder;
pub mod refusal;
pub mod reply;
pub mod service;
pub mod session;

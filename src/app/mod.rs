//! Use cases: one async function for each thing that a caller can do, whatever face they come through.

pub mod actor;
pub mod backups;
pub mod badges;
pub mod callers;
pub mod calls;
pub mod courses;
pub mod custom_fields;
pub mod demo;
pub mod doctor;
pub mod error;
pub mod exports;
pub mod health;
pub mod ids;
pub mod imports;
pub mod institutions;
pub mod jobs;
pub mod limiter;
pub mod links;
pub mod lti;
pub mod media;
pub mod name_pages;
pub mod names;
pub mod own_entry;
pub mod own_recordings;
pub mod participants;
pub mod people;
pub mod persons;
pub mod platforms;
pub mod pronunciations;
pub mod sessions;
pub mod streams;
pub mod studio;
pub mod tokens;
pub mod tool_consumers;

use std::{sync::Arc, time::Duration};

pub use actor::Actor;
pub use callers::Caller;
pub use error::{Error, Forbidden, Missing, Result};
pub use ids::Ids;
pub use links::Links;

pub use crate::clock::Clock;
use crate::{
    blobs::Blobs,
    lms::{ServiceTokens, jwks::KeySets},
    outbound::Outbound,
    phone::Phone,
    store::{Db, secrets::Secrets},
};

/// What every use case has at hand. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Inner>);

pub struct Inner {
    pub db: Db,
    pub blobs: Blobs,
    pub studio: studio::Studio,
    pub clock: Clock,
    pub ids: Ids,
    pub links: Links,
    pub callers: callers::Callers,
    pub limiter: limiter::Limiter,
    /// How many requests of one address may have no valid token, in a window of the rate limit.
    pub auth_failures: u32,
    pub queue: jobs::Queue,
    pub streams: streams::Streams,
    pub storage: health::Storage,
    /// How long a report is kept.
    pub export_life: Duration,
    /// How many exports of an institution may wait to be built.
    pub exports_waiting: u32,
    /// Within which bounds people are called.
    pub calling: calls::Rules,
    pub switchboard: calls::Switchboard,
    pub phone: Phone,
    /// What is kept sealed.
    pub secrets: Secrets,
    /// For addresses that others give us.
    pub outbound: Outbound,
    /// The public keys of platforms that launch us.
    pub key_sets: KeySets,
    /// What lets us into the services of LTI platforms.
    pub service_tokens: ServiceTokens,
}

/// What an installation is put together from.
pub struct Parts {
    pub db: Db,
    pub blobs: Blobs,
    pub clock: Clock,
    pub studio: studio::Settings,
    pub links: Links,
    pub limits: limiter::Policy,
    pub auth_failures: u32,
    pub streams: streams::Settings,
    /// The bytes that must be free on disk for the server to be ready; `None` for the usual.
    pub disk_reserve: Option<u64>,
    pub export_life: Duration,
    pub exports_waiting: u32,
    pub calling: calls::Rules,
    pub phone: Phone,
    pub secrets: Secrets,
    pub outbound: Outbound,
}

impl App {
    pub fn new(parts: Parts) -> Self {
        let Parts {
            db,
            blobs,
            clock,
            studio,
            links,
            limits,
            auth_failures,
            streams,
            disk_reserve,
            export_life,
            exports_waiting,
            calling,
            phone,
            secrets,
            outbound,
        } = parts;
        Self(Arc::new(Inner {
            db,
            blobs,
            studio: studio::Studio::open(studio),
            clock,
            ids: Ids::new(),
            links,
            callers: callers::Callers::default(),
            limiter: limiter::Limiter::new(limits),
            auth_failures,
            queue: jobs::Queue::default(),
            streams: streams::Streams::new(streams),
            storage: health::Storage::new(disk_reserve),
            export_life,
            exports_waiting,
            calling,
            switchboard: calls::Switchboard::default(),
            phone,
            secrets,
            outbound,
            key_sets: KeySets::default(),
            service_tokens: ServiceTokens::default(),
        }))
    }
}

impl std::ops::Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

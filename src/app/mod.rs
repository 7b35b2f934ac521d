//! Use cases: one async function for each operation, independent of the face (HTTP, command line) that calls it.

pub mod actor;
mod address_changes;
pub mod answers;
pub mod audiences;
pub mod audit;
pub mod backups;
pub mod badges;
pub mod bounces;
pub mod callers;
pub mod calls;
pub mod consents;
pub mod courses;
pub mod coverage;
pub mod custom_fields;
pub mod deleted_people;
pub mod demo;
pub mod directory_holds;
pub mod doctor;
pub mod error;
pub mod exports;
pub mod health;
mod hiding;
pub mod idempotency;
pub mod ids;
pub mod imports;
pub mod installation;
pub mod institutions;
pub mod invitations;
pub mod jobs;
pub mod kept_recordings;
pub mod languages;
pub mod limiter;
pub mod links;
pub mod listening;
pub mod looks;
pub mod lti;
mod mail_pace;
pub mod mail_texts;
pub mod media;
pub mod members;
pub mod moderation;
pub mod name_pages;
pub mod names;
mod open_mail;
pub mod operators;
pub mod opt_outs;
pub mod outbox;
pub mod overview;
pub mod own_entry;
pub mod own_media;
pub mod own_person;
pub mod own_recordings;
pub mod page_copies;
pub mod page_exports;
pub mod page_lists;
pub mod page_mail;
pub mod page_settings;
pub mod participants;
pub mod people;
pub mod people_entry;
pub mod people_index;
pub mod people_merge;
pub mod people_search;
pub mod people_tasks;
pub mod persons;
pub mod platforms;
pub mod play_all;
pub mod plays;
pub mod progress;
pub mod pronunciations;
mod public_view;
pub mod recording_requests;
pub mod refused_people;
pub mod registrations;
mod renewed_links;
pub mod retention;
pub mod scim;
pub mod secrets;
pub mod sessions;
pub mod sign_in;
pub mod sign_in_marks;
mod slots;
pub mod sso;
pub mod start;
pub mod streams;
pub mod studio;
pub mod tokens;
pub mod tool_consumers;
mod zip_stream;

use std::{sync::Arc, time::Duration};

pub use actor::Actor;
pub use callers::Caller;
pub use error::{Error, Forbidden, Missing, Result};
pub use ids::Ids;
pub use links::Links;

use crate::{
    blobs::Blobs,
    domain::security_txt::SecurityTxt,
    jwt::jwks::KeySets,
    lms::ServiceTokens,
    mail::Mailer,
    outbound::Outbound,
    phone::Phone,
    sso::Providers,
    store::{Db, secrets::Secrets},
};
pub use crate::{clock::Clock, store::DataVersion};

/// The dependencies of all use cases. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Inner>);

pub struct Inner {
    pub db: Db,
    pub blobs: Blobs,
    /// Never `Afterwards` with blobs on disk.
    pub removal: media::Removal,
    pub removals: media::Removals,
    pub studio: studio::Studio,
    pub clock: Clock,
    pub ids: Ids,
    pub links: Links,
    pub link_secrets: links::secret::LinkSecrets,
    pub callers: callers::Callers,
    pub answers: answers::Answers,
    pub codes: names::Codes,
    pub arrivals: participants::Arrivals,
    pub recordings: media::KeptRecordings,
    pub plays: plays::PlayCounter,
    pub directories: people::Directories,
    pub progress: progress::Board,
    pub limiter: limiter::Limiter,
    /// The maximum number of requests without a valid token from one address in a rate limit window.
    pub auth_failures: u32,
    pub queue: jobs::Queue,
    pub streams: streams::Streams,
    pub play_all: streams::Streams,
    pub storage: health::Storage,
    /// How long a report is kept before it expires.
    pub export_life: Duration,
    /// The maximum number of exports of an institution that may wait to be built.
    pub exports_waiting: u32,
    /// The size of a report's parts before compression.
    pub export_part_bytes: u64,
    /// The rules for calling people.
    pub calling: calls::Rules,
    pub switchboard: calls::Switchboard,
    pub phone: Phone,
    pub sign_in: sign_in::Settings,
    pub invitations: invitations::Settings,
    pub mail: Mailer,
    /// Encrypts secrets that are stored in the database.
    pub secrets: Secrets,
    /// How to report vulnerabilities of this server.
    pub security_txt: Option<SecurityTxt>,
    /// HTTP client for untrusted URLs, protected against SSRF.
    pub outbound: Outbound,
    /// Cached public keys of LTI platforms and OpenID providers, to verify their tokens.
    pub key_sets: KeySets,
    /// Cached configurations of OpenID providers.
    pub providers: Providers,
    /// Cached access tokens for the services of LTI platforms.
    pub service_tokens: ServiceTokens,
}

/// The parts that an `App` is built from.
pub struct Parts {
    pub db: Db,
    pub blobs: Blobs,
    pub removal: media::Removal,
    pub clock: Clock,
    pub studio: studio::Settings,
    pub links: Links,
    pub limits: limiter::Policy,
    /// How nodes share rate limits.
    pub sharing: limiter::Sharing,
    pub auth_failures: u32,
    pub streams: streams::Settings,
    /// The number of bytes that must be free on disk for the server to be ready; `None` for the default.
    pub disk_reserve: Option<u64>,
    pub export_life: Duration,
    pub exports_waiting: u32,
    pub export_part_bytes: u64,
    pub calling: calls::Rules,
    pub phone: Phone,
    pub sign_in: sign_in::Settings,
    pub invitations: invitations::Settings,
    pub mail: Mailer,
    pub secrets: Secrets,
    pub security_txt: Option<SecurityTxt>,
    pub outbound: Outbound,
}

impl App {
    /// Changes with every write: what was read from this version of the database may be kept. `None` if the database does not say.
    pub fn data_version(&self) -> Option<DataVersion> {
        self.db.version()
    }

    pub fn new(parts: Parts) -> Self {
        let Parts {
            db,
            blobs,
            removal,
            clock,
            studio,
            links,
            limits,
            sharing,
            auth_failures,
            streams,
            disk_reserve,
            export_life,
            exports_waiting,
            export_part_bytes,
            calling,
            phone,
            sign_in,
            invitations,
            mail,
            secrets,
            security_txt,
            outbound,
        } = parts;
        Self(Arc::new(Inner {
            db,
            removal: removal.on(&blobs),
            blobs,
            removals: media::Removals::default(),
            studio: studio::Studio::open(studio),
            outbound: outbound.with_clock(clock.clone()),
            limiter: limiter::Limiter::new(limits, sharing, clock.clone()),
            clock,
            ids: Ids::new(),
            links,
            link_secrets: links::secret::LinkSecrets::default(),
            callers: callers::Callers::default(),
            answers: answers::Answers::new(answers::MAX_BYTES),
            codes: names::Codes::new(names::CODES_BYTES),
            arrivals: participants::Arrivals::default(),
            recordings: media::KeptRecordings::new(media::KEPT_BYTES),
            plays: plays::PlayCounter::default(),
            directories: people::Directories::default(),
            progress: progress::Board::default(),
            auth_failures,
            queue: jobs::Queue::default(),
            streams: streams::Streams::new(streams),
            play_all: streams::Streams::new(play_all::SLOTS),
            storage: health::Storage::new(disk_reserve),
            export_life,
            exports_waiting,
            export_part_bytes,
            calling,
            switchboard: calls::Switchboard::default(),
            phone,
            sign_in,
            invitations,
            mail,
            secrets,
            security_txt,
            key_sets: KeySets::default(),
            providers: Providers::default(),
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

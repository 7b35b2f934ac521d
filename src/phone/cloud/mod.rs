//! A telephony service with Twilio's API: it places the call and requests each step by webhook.

mod client;
pub mod form;
mod responses;
pub mod signature;
mod test_call;
pub mod twiml;

pub use client::{Client, CreateError, FetchError, Instructions, is_sid};
pub use responses::{Call, is_final};
pub use test_call::{TestCallResult, test_call};

use std::sync::{Arc, OnceLock};

use reqwest::Url;

#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    pub vendor: Vendor,
    pub account: String,
    pub token: String,
    /// The key of callback signatures; for Twilio, the auth token.
    pub signing_key: String,
    /// Scheme, host and port of its API. Trusted.
    pub api: Url,
    /// The caller id.
    pub from: String,
}

/// Omits the secrets, because it is printed.
impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { vendor, account, api, from, .. } = self;
        let mut shown = f.debug_struct("Settings");
        shown
            .field("vendor", vendor)
            .field("account", account)
            .field("api", &api.as_str())
            .field("from", from);
        shown.finish_non_exhaustive()
    }
}

/// Half a second of silence, played where a take is not available.
pub fn silence() -> Vec<u8> {
    super::wav::write(&[0; super::prompts::RATE as usize / 2])
}

/// A lazily created, shared client.
#[derive(Debug, Clone, Default)]
pub struct SharedClient(Arc<OnceLock<Option<Client>>>);

impl SharedClient {
    /// Always for the same service. `None` if no client can be created on this machine.
    pub(super) fn to(&self, settings: &Settings) -> Option<&Client> {
        let made = || {
            let client = Client::new(settings.clone());
            client
                .inspect_err(|why| {
                    tracing::error!(why, "creating the telephony client failed; no calls can be placed")
                })
                .ok()
        };
        self.0.get_or_init(made).as_ref()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vendor {
    Twilio,
    SignalWire,
}

impl Vendor {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Twilio => "Twilio",
            Self::SignalWire => "SignalWire",
        }
    }
}

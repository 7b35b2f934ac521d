//! A cloud that speaks Twilio's dialect: it makes the call, and asks us by webhooks what to say.

mod answers;
mod client;
pub mod form;
mod narrate;
pub mod signature;
pub mod twiml;

pub use answers::{Call, is_final};
pub use client::{Client, CreateError, FetchError, Instructions, is_sid};
pub use narrate::{Ended, narrate};

use std::sync::{Arc, OnceLock};

use reqwest::Url;

#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    pub vendor: Vendor,
    pub account: String,
    pub token: String,
    /// What callbacks are signed with: the token, for Twilio.
    pub signing_key: String,
    /// Scheme, host and port of its API. Trusted.
    pub api: Url,
    /// The number that people see.
    pub from: String,
}

/// Without the secrets: this is printed.
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

/// Half a second of nothing, to be played where what was said is not to be had.
pub fn silence() -> Vec<u8> {
    super::wav::write(&[0; super::prompts::RATE as usize / 2])
}

/// A client that is made when it is first used, and shared from then on.
#[derive(Debug, Clone, Default)]
pub struct Line(Arc<OnceLock<Option<Client>>>);

impl Line {
    /// Always for the same cloud. `None` where there can be no client at all, which is a fault of this machine.
    pub(super) fn to(&self, settings: &Settings) -> Option<&Client> {
        let made = || {
            let client = Client::new(settings.clone());
            client.inspect_err(|why| tracing::error!(why, "no calls can be made")).ok()
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

//! Phone calls: the provider and the prompts. With a SIP trunk this process carries the audio itself; a
//! Twilio-compatible service carries it and requests each step by webhook.

pub mod cloud;
pub mod live;
mod masked;
mod progress;
pub mod prompts;
mod provider;
pub mod sip;
mod speech;
mod wav;

use masked::masked;
pub use progress::{Progress, ProgressFn};
pub use prompts::{Prompts, Script};
pub use provider::Provider;

/// The telephony configuration of an installation.
#[derive(Debug, Clone, Default)]
pub struct Phone {
    pub provider: Provider,
    pub prompts: Prompts,
    /// Our base URL for webhooks, without a trailing slash; empty if unknown.
    pub callback_base: String,
    /// The client of the service, created on first use.
    pub line: cloud::SharedClient,
}

impl Phone {
    /// The telephony service, if one is configured.
    pub fn cloud(&self) -> Option<&cloud::Client> {
        match &self.provider {
            Provider::Cloud(settings) => self.line.to(settings),
            Provider::None | Provider::Sip(_) => None,
        }
    }
}

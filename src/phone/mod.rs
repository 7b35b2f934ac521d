//! Phone calls: who makes them, and what is said. A SIP trunk is called from here, by our own voice; a Twilio-compatible
//! cloud makes the call itself and asks us what to say.

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
pub use progress::{Progress, Told};
pub use prompts::{Prompts, Script};
pub use provider::Provider;

/// All that an installation has to call people with.
#[derive(Debug, Clone, Default)]
pub struct Phone {
    pub provider: Provider,
    pub prompts: Prompts,
    /// How a cloud reaches us, without a slash at its end; empty where that is not known.
    pub callback_base: String,
    /// To a cloud, once it is used.
    pub line: cloud::Line,
}

impl Phone {
    /// The cloud that makes the calls, if it is one.
    pub fn cloud(&self) -> Option<&cloud::Client> {
        match &self.provider {
            Provider::Cloud(settings) => self.line.to(settings),
            Provider::None | Provider::Sip(_) => None,
        }
    }
}

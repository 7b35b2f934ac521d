//! Phone calls.

use std::{path::PathBuf, time::Duration};

use clap::Args;

use super::{seconds, set, web_address};
use crate::{
    app::calls,
    domain::{countries::Countries, quiet_hours::QuietHours},
    phone::{self, Prompts, Provider},
};

/// The telephony provider, and the limits on calls.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Phone")]
pub struct Phone {
    /// `sip://user:password@trunk?from=…`, `twilio://account:token@api.twilio.com?from=…`, `signalwire://…`; when
    /// empty, nobody is called
    #[arg(long, value_name = "URL")]
    phone_url: Option<String>,
    /// URL at which the cloud provider's webhooks reach this server; when empty, the base URL
    #[arg(long, value_name = "URL")]
    phone_callback_url: Option<String>,
    /// Maximum attempts per call
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    phone_attempts: u32,
    /// Seconds between the end of an attempt and the next one
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    phone_retry_after_seconds: Duration,
    /// Hours in which nobody is called, in the phone number's local time, like 21:00-08:00; `off` for none
    #[arg(long, value_name = "HOURS")]
    phone_quiet_hours: String,
    /// Seconds to let a phone ring
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=600))]
    phone_ring_seconds: u32,
    /// Concurrent calls, for the whole installation
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    phone_max_at_once: u32,
    /// Calls started per minute, for the whole installation
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    phone_max_per_minute: u32,
    /// Calls started per 24 hours, for each institution
    #[arg(long, value_name = "N")]
    phone_max_per_day: u32,
    /// Countries whose numbers may be called, like US,CA,IE; when empty, all
    #[arg(long, value_name = "CODES")]
    phone_countries: Option<String>,
    /// Language of the prompts, unless the institution has its own
    #[arg(long, value_name = "LANGUAGE")]
    phone_language: String,
    /// Directory with WAV files that replace the built-in prompts
    #[arg(long, value_name = "DIR")]
    phone_prompts: Option<String>,
    /// Text-to-speech command for institution names: reads text, writes WAV
    #[arg(long, value_name = "COMMAND")]
    phone_voice: Option<String>,
}

impl Phone {
    /// The error message does not contain secrets.
    pub fn provider(&self) -> Result<Provider, String> {
        Provider::parse(&set(&self.phone_url).unwrap_or_default())
    }

    /// The telephony provider, for a process with this public URL, if it has one.
    pub fn phone(&self, base_url: &str) -> Result<phone::Phone, String> {
        let callback = set(&self.phone_callback_url).map(|url| web_address("phone callback URL", &url));
        let folder = set(&self.phone_prompts).map(PathBuf::from);
        Ok(phone::Phone {
            provider: self.provider()?,
            prompts: Prompts::open(folder, &self.phone_language, set(&self.phone_voice))?,
            callback_base: callback.transpose()?.unwrap_or_else(|| base_url.to_owned()),
            ..phone::Phone::default()
        })
    }

    pub fn rules(&self) -> Result<calls::Rules, String> {
        Ok(calls::Rules {
            enabled: self.provider()? != Provider::None,
            attempts: self.phone_attempts,
            retry_after: self.phone_retry_after_seconds,
            quiet_hours: QuietHours::parse(&self.phone_quiet_hours)?,
            ring: Duration::from_secs(self.phone_ring_seconds.into()),
            max_at_once: self.phone_max_at_once,
            max_per_minute: self.phone_max_per_minute,
            max_per_day: self.phone_max_per_day,
            countries: Countries::parse(&set(&self.phone_countries).unwrap_or_default())?,
        })
    }
}

//! `endonym phone …`

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use clap::Subcommand;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Failure, Outcome, output};
use crate::{
    config,
    domain::{
        call::{self, Reason},
        phone_number::PhoneNumber,
    },
    phone::{
        Provider,
        cloud::{self, Client},
        sip::{Ended, Trunk, Wanted},
    },
};

/// Try out the telephony that is configured
#[derive(Debug, Subcommand)]
pub enum Phone {
    /// Call a number, and say what happens
    ///
    /// Nothing is stored, and no limit counts it. Over a trunk it is a call like any other; a cloud says one sentence.
    ///
    /// For example: endonym phone test +12025550123 --recording name.wav
    Test {
        #[arg(value_name = "NUMBER")]
        number: String,
        /// Where to write what was recorded and kept
        #[arg(long, value_name = "FILE.wav")]
        recording: Option<PathBuf>,
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        phone: config::Phone,
    },
}

impl Phone {
    pub async fn run(&self) -> Outcome {
        let Self::Test { number, recording, json, phone } = self;
        let to = PhoneNumber::parse(number).ok_or_else(|| {
            Failure(format!("`{number}` is no number that exists; write it like +12025550123"))
        })?;
        let rules = phone.rules().map_err(Failure)?;
        if !rules.countries.allows(&to) {
            return Err(Failure(format!(
                "{} is not in one of the countries that may be called (--phone-countries)",
                to.e164()
            )));
        }
        let phone = phone.phone("").map_err(Failure)?;
        let told: fn(&str) = if *json { |line| eprintln!("{line}") } else { output::print_line };
        told(&format!("Calling {} by {}.", to.e164(), phone.provider.shown()));
        let ended = match &phone.provider {
            Provider::None => {
                return Err(Failure(
                    "no telephony is configured: set --phone-url (ENDONYM_PHONE_URL) first".to_owned(),
                ));
            }
            Provider::Sip(settings) => {
                let script = phone.prompts.script(None, "", "Endonym").await;
                let trunk = Trunk::open(settings).await?;
                let wanted = Wanted {
                    to,
                    ring: rules.ring,
                    script,
                    told: Arc::new(move |progress| told(&progress.to_string())),
                    hang_up: hang_up_on_signal(),
                };
                let ended = trunk.call(wanted).await;
                trunk.close().await;
                ended
            }
            Provider::Cloud(settings) => {
                let client = Client::new(settings.clone()).map_err(Failure)?;
                let ring = u32::try_from(rules.ring.as_secs()).unwrap_or(u32::MAX);
                of_cloud(cloud::narrate(&client, to.e164(), ring, told).await)
            }
        };
        if let (Some(file), Some(wav)) = (recording, &ended.recording) {
            std::fs::write(file, wav)
                .map_err(|error| Failure(format!("cannot write {}: {error}", file.display())))?;
            told(&format!("What was recorded is in {}.", file.display()));
        }
        let (state, reason) = (ended.outcome.state().word(), ended.outcome.reason().map(Reason::word));
        if *json {
            output::print_json(&json!({ "state": state, "reason": reason, "says": ended.says }));
        } else {
            let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
            output::print_line(
                format!("The call has ended: {state}{reason}. {}", ended.says).trim_end(),
            );
        }
        let was_made = ended.outcome != call::Outcome::Failed(Reason::Unreachable);
        Ok(if was_made { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Whoever stops us in the middle of a call does not leave a phone off its hook.
fn hang_up_on_signal() -> CancellationToken {
    let hang_up = CancellationToken::new();
    tokio::spawn(super::stop_on_signal(hang_up.clone(), || {}));
    hang_up
}

fn of_cloud(ended: cloud::Ended) -> Ended {
    use call::Outcome::{Busy, Failed, NoAnswer, Recorded};
    let (outcome, says) = match ended {
        cloud::Ended::Answered => (Recorded, "Somebody answered, and a sentence was said.".to_owned()),
        cloud::Ended::Unanswered(word) => {
            let outcome = match word.as_str() {
                "busy" => Busy,
                "no-answer" => NoAnswer,
                _ => Failed(Reason::Unreachable),
            };
            (outcome, word)
        }
        cloud::Ended::Failed(why) => (Failed(Reason::Unreachable), why),
    };
    Ended { outcome, recording: None, says }
}

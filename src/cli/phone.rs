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
        sip::{self, OutgoingCall, Trunk},
    },
    tasks,
};

/// Test the configured telephony
#[derive(Debug, Subcommand)]
pub enum Phone {
    /// Place a test call, and print what happens
    ///
    /// Nothing is stored, and the call does not count against any limit. Over a SIP trunk, it is a complete call. With a cloud
    /// provider, one sentence is spoken.
    ///
    /// For example: endonym phone test +12025550123 --recording name.wav
    Test {
        #[arg(value_name = "NUMBER")]
        number: String,
        /// Write the recording to this file
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
            Failure(format!("`{number}` is not a valid phone number; write it like +12025550123"))
        })?;
        let rules = phone.rules().map_err(Failure)?;
        if !rules.countries.allows(&to) {
            return Err(Failure(format!(
                "{} is not in a country that may be called (--phone-countries)",
                to.e164()
            )));
        }
        if to.is_costly() {
            return Err(Failure(format!(
                "{} is a premium-rate, shared-cost or satellite number, so it is not called",
                to.e164()
            )));
        }
        let phone = phone.phone("").map_err(Failure)?;
        let report: fn(&str) = if *json { |line| eprintln!("{line}") } else { output::print_line };
        let begin = || report(&format!("Calling {} through {}.", to.e164(), phone.provider.shown()));
        let ended = match &phone.provider {
            Provider::None => {
                return Err(Failure(
                    "no telephony is configured: set --phone-url (ENDONYM_PHONE_URL) first".to_owned(),
                ));
            }
            Provider::Sip(settings) => {
                begin();
                let script = phone.prompts.script(None, "", "Endonym").await;
                let trunk = Trunk::open_unregistered(settings).await?;
                let wanted = OutgoingCall {
                    to,
                    ring: rules.ring,
                    script,
                    on_progress: Arc::new(move |progress| report(&progress.to_string())),
                    hang_up: hang_up_on_signal(),
                };
                let ended = trunk.call(wanted).await;
                trunk.close().await;
                if let (Some(file), Some(wav)) = (recording, &ended.recording) {
                    std::fs::write(file, wav)
                        .map_err(|error| Failure(format!("cannot write {}: {error}", file.display())))?;
                    report(&format!("The recording was written to {}.", file.display()));
                }
                TestCallReport::of_trunk(ended)
            }
            Provider::Cloud(settings) => {
                begin();
                let client = Client::new(settings.clone()).map_err(Failure)?;
                let ring = u32::try_from(rules.ring.as_secs()).unwrap_or(u32::MAX);
                let hang_up = hang_up_on_signal();
                TestCallReport::of_cloud(cloud::test_call(&hang_up, &client, to.e164(), ring, report).await)
            }
        };
        if *json {
            output::print_json(&json!({ "state": ended.state, "reason": ended.reason, "says": ended.says }));
        } else {
            let reason = ended.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
            output::print_line(format!("Call ended: {}{reason}. {}", ended.state, ended.says).trim_end());
        }
        Ok(if ended.was_made { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// How a test call ended. An unanswered call is not a telephony failure.
struct TestCallReport {
    state: String,
    reason: Option<&'static str>,
    says: String,
    was_made: bool,
}

impl TestCallReport {
    fn of_trunk(ended: sip::CallResult) -> Self {
        Self {
            state: ended.outcome.state().word().to_owned(),
            reason: ended.outcome.reason().map(Reason::word),
            says: ended.says,
            was_made: ended.outcome != call::Outcome::Failed(Reason::Unreachable),
        }
    }

    fn of_cloud(ended: cloud::TestCallResult) -> Self {
        let made =
            |state: String, says: &str| Self { state, reason: None, says: says.to_owned(), was_made: true };
        match ended {
            cloud::TestCallResult::Answered => made("answered".to_owned(), "The test sentence was spoken."),
            cloud::TestCallResult::Unanswered(word) => Self { was_made: word != "failed", ..made(word, "") },
            cloud::TestCallResult::Failed(why) => Self { was_made: false, ..made("failed".to_owned(), &why) },
        }
    }
}

/// Hangs up when the command is interrupted during a call.
fn hang_up_on_signal() -> CancellationToken {
    let hang_up = CancellationToken::new();
    tasks::spawn(super::stop_on_signal(hang_up.clone(), || {}));
    hang_up
}

//! `endonym doctor`

use std::process::ExitCode;

use serde_json::json;

use super::{Failure, Outcome, open, output};
use crate::{
    app::{
        Clock,
        doctor::{
            self, Finding, SecretsFault,
            wording::{FindingText, LIMITS_URL, worded},
        },
        studio,
    },
    config::{self, Storage},
    store::valkey::PATIENT_DEADLINE,
};

/// Check every configured component, and print how to fix problems
#[derive(Debug, clap::Args)]
pub struct Doctor {
    /// Listen address of the server
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: String,
    /// Public URL of the server
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// How many processes (`serve` and `work`, on all machines) use the PostgreSQL database
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    shared_limits: config::SharedLimits,
    #[command(flatten)]
    phone: config::Phone,
    #[command(flatten)]
    mail: config::Mail,
}

impl Doctor {
    pub async fn run(&self, storage: &Storage) -> Outcome {
        let mut all = vec![worded(doctor::data_folder(&storage.data_dir))];
        let (found, is_usable) = doctor::database(&storage.options(), self.nodes, &Clock::system()).await;
        all.extend(found.into_iter().map(worded));
        if is_usable {
            all.extend(stored(storage).await.into_iter().map(worded));
        }
        all.push(worded(doctor::blobs(&storage.blobs()).await));
        all.push(worded(doctor::listen(&self.listen).await));
        match self.shared_limits.valkey(PATIENT_DEADLINE) {
            Ok(Some(valkey)) => all.push(worded(doctor::limits(&valkey).await)),
            Ok(None) => {}
            Err(why) => all.push(FindingText {
                part: "limits",
                works: false,
                says: why,
                mend: Some(LIMITS_URL.to_owned()),
            }),
        }
        match self.phone.rules().and_then(|_| self.phone.phone("")) {
            Ok(phone) => all.extend(doctor::phone(&phone).await.into_iter().map(worded)),
            Err(why) => all.push(FindingText {
                part: "phone",
                works: false,
                says: why,
                mend: Some("check the settings that begin with phone_".to_owned()),
            }),
        }
        match self.mail.mailer() {
            Ok(mailer) => {
                all.push(worded(doctor::mail(&mailer, self.base_url.as_deref().unwrap_or_default()).await));
            }
            Err(why) => all.push(FindingText {
                part: "mail",
                works: false,
                says: why,
                mend: Some("check the settings that begin with mail_".to_owned()),
            }),
        }
        let healthy = all.iter().all(|one| one.works);
        if self.json {
            let part = |one: &FindingText| json!({ "part": one.part, "works": one.works, "says": one.says, "mend": one.mend });
            let parts: Vec<_> = all.iter().map(part).collect();
            output::print_json(&json!({ "works": healthy, "parts": parts }));
        } else {
            for one in &all {
                let mark = if one.works { "ok  " } else { "FAIL" };
                output::print_line(&format!("{mark}  {:<12} {}", one.part, one.says));
                if let Some(mend) = &one.mend {
                    output::print_line(&format!("                   -> {mend}"));
                }
            }
        }
        Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Checks of what the database has: credentials of learning systems, and OpenID providers.
async fn stored(storage: &Storage) -> Vec<Finding> {
    match open(storage, studio::Settings::default()).await {
        Ok(app) => {
            let learning = [doctor::secrets(&app).await, doctor::platforms(&app).await];
            learning.into_iter().flatten().chain(doctor::sso(&app).await).collect()
        }
        Err(Failure(why)) => vec![Finding::Secrets(Err(SecretsFault::Key(why)))],
    }
}

//! `endonym work`

use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::{Failure, Outcome, bind, open_at, output, stop_on_signal, warn_of};
use crate::{
    config::{self, Storage},
    jobs,
    server::{self, Limits},
    site, tasks,
    telemetry::traces,
};

/// Run background jobs only, for servers that run with `--workers 0`
///
/// For example: endonym work --workers 4
#[derive(Debug, clap::Args)]
pub struct Work {
    #[command(flatten)]
    working: config::JobSettings,
    #[command(flatten)]
    media: config::Media,
    #[command(flatten)]
    phone: config::Phone,
    #[command(flatten)]
    mail: config::Mail,
    // Some jobs write messages with links.
    #[command(flatten)]
    reached: config::PublicUrl,
}

impl Work {
    /// The flags in `exposed` have a secret in plain text.
    pub async fn run(&self, storage: &Storage, exposed: &[String]) -> Outcome {
        if self.working.workers == 0 {
            return Err(Failure("no workers: set --workers 1 or more".to_owned()));
        }
        let (rules, phone) = (self.phone.rules().map_err(Failure)?, self.phone.phone("").map_err(Failure)?);
        let mail = self.mail.mailer().map_err(Failure)?;
        let base_url = self.reached.base_url().map_err(Failure)?;
        let app = open_at(&base_url, storage, self.media.settings(), rules, phone, mail).await?;
        warn_of(exposed);
        output::print_line(&format!(
            "Endonym {} with {}, {} background workers",
            env!("CARGO_PKG_VERSION"),
            app.db.kind(),
            self.working.workers
        ));
        let stop = CancellationToken::new();
        tasks::spawn(stop_on_signal(stop.clone(), || {}));
        let traces = if config::traces_wanted() { Some(traces::start().map_err(Failure)?) } else { None };
        if let Some(address) = self.working.metrics_listen() {
            let listener = bind(address, "--metrics-listen").await?;
            output::print_line(&format!("  Metrics     http://{}/metrics", listener.local_addr()?));
            let limits = Limits { grace: self.working.grace(), ..Limits::default() };
            tasks::spawn(server::run_on_current_runtime(
                listener,
                site::metrics_only(app.clone()),
                limits,
                stop.clone(),
            ));
        }
        jobs::run(app, self.working.settings(), stop).await;
        if let Some(traces) = traces {
            traces.stop().await;
        }
        tracing::info!("stopped");
        Ok(ExitCode::SUCCESS)
    }
}

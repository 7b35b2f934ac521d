//! `endonym work`

use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::{Failure, Outcome, open, output, stop_on_signal};
use crate::{
    config::{self, Storage},
    jobs,
};

/// Do the work of the background alone, beside servers that run with `--workers 0`
///
/// For example: endonym work --workers 4
#[derive(Debug, clap::Args)]
pub struct Work {
    #[command(flatten)]
    working: config::Working,
    #[command(flatten)]
    media: config::Media,
}

impl Work {
    pub async fn run(&self, storage: &Storage) -> Outcome {
        if self.working.workers == 0 {
            return Err(Failure(
                "without workers there is nothing to do: say --workers 1 or more".to_owned(),
            ));
        }
        let app = open(storage, self.media.settings()).await?;
        output::print_line(&format!(
            "Endonym {} with {}, {} working in the background",
            env!("CARGO_PKG_VERSION"),
            app.db.kind(),
            self.working.workers
        ));
        let stop = CancellationToken::new();
        tokio::spawn(stop_on_signal(stop.clone(), || {}));
        jobs::run(app, self.working.settings(), stop).await;
        tracing::info!("stopped");
        Ok(ExitCode::SUCCESS)
    }
}

//! `endonym serve`

use std::{process::ExitCode, time::Duration};

use tokio::{net::TcpListener, signal::unix};
use tokio_util::sync::CancellationToken;

use super::{Failure, Outcome, database, output};
use crate::{
    app::{App, Links, Parts, callers, demo, institutions, media},
    blobs::Blobs,
    config::{self, MetricsAt, Serving, Storage},
    server::{self, Draining},
    telemetry::traces,
    web::{self, metrics::Metrics},
};

/// Serve the API and the pages
#[derive(Debug, clap::Args)]
pub struct Serve {
    #[command(flatten)]
    serving: Serving,
    #[command(flatten)]
    media: config::Media,
}

/// How often the last use of tokens is written down.
const HOUSEKEEPING: Duration = Duration::from_secs(20);

const FIRST_SWEEP: Duration = Duration::from_secs(60);

impl Serve {
    pub async fn run(&self, storage: &Storage) -> Outcome {
        let serving = &self.serving;
        let db = database(storage).await?;
        let listener = bind(&serving.listen, "--listen").await?;
        let (metrics, metrics_listener) = match serving.metrics_at() {
            MetricsAt::MainPort => (Metrics::Here, None),
            MetricsAt::Own(address) => (Metrics::NotHere, Some(bind(&address, "--metrics-listen").await?)),
            MetricsAt::Nowhere => (Metrics::NotHere, None),
        };
        let listening = listener.local_addr()?;
        let base_url = serving.base_url(listening).map_err(Failure)?;
        let app = App::new(Parts {
            db,
            blobs: Blobs::open(&storage.blobs())?,
            studio: self.media.settings(),
            links: Links::new(&base_url),
            limits: serving.rate_limits(),
        });
        let traces = if config::traces_wanted() { Some(traces::start().map_err(Failure)?) } else { None };
        greet(&app, serving.demo, storage, &base_url).await?;
        if let Some(listener) = &metrics_listener {
            output::print_line(&format!("  Metrics     http://{}/metrics", listener.local_addr()?));
        }

        let (stop, draining) = (CancellationToken::new(), Draining::default());
        tokio::spawn(stop_on_signal(stop.clone(), draining.clone()));
        let housekeeping = tokio::spawn(keep_house(app.clone(), stop.clone()));
        let sweeping = tokio::spawn(sweep(
            app.clone(),
            stop.clone(),
            Duration::from_secs(serving.sweep_seconds),
            Duration::from_secs(serving.orphan_seconds),
        ));
        let beside = metrics_listener.map(|listener| {
            let site = web::metrics::alone(app.clone());
            tokio::spawn(server::run_beside(listener, site, serving.limits(), stop.clone()))
        });
        server::run(listener, web::site(app.clone(), draining, metrics), serving.limits(), stop).await;
        if let Some(beside) = beside {
            let _ = beside.await;
        }
        let _ = housekeeping.await;
        sweeping.abort();
        if let Some(traces) = traces {
            traces.stop().await;
        }
        callers::write_down_use(&app).await?;
        tracing::info!("stopped");
        Ok(ExitCode::SUCCESS)
    }
}

async fn bind(address: &str, flag: &str) -> Result<TcpListener, Failure> {
    let cannot = |e| Failure(format!("cannot listen on {address}: {e}; choose another with {flag}"));
    TcpListener::bind(address).await.map_err(cannot)
}

/// Tells whoever started us what to do next.
async fn greet(app: &App, with_demo: bool, storage: &Storage, base_url: &str) -> Result<(), Failure> {
    output::print_line(&format!(
        "Endonym {} with {} at {base_url}",
        env!("CARGO_PKG_VERSION"),
        app.db.kind()
    ));
    output::print_line(&format!("  Reference   {base_url}/docs"));
    if with_demo {
        let demo = demo::seed(app, &storage.data_dir).await?;
        output::print_line(&format!("  Institution {} ({})", demo.institution.slug, demo.institution.name));
        output::print_line(&format!("  Token       {}", demo.token));
        output::print_line(&format!(
            "  Name page   {} (access code {})",
            demo.page.slug, demo.page.access_code
        ));
        output::print_line(&format!(
            "Try it:\n  curl -H 'Authorization: {}' '{base_url}/api/private/v5/participants/latest?tokens={}'",
            demo.token, demo.email
        ));
    } else if institutions::all(app).await?.is_empty() {
        output::print_line("There is no institution yet. In another terminal, with the same settings, run:");
        output::print_line("  endonym institution create --name \"Example University\"");
        output::print_line(
            "  endonym token create --institution example-university --name \"My integration\"",
        );
        output::print_line(
            "  endonym name-page create --institution example-university --title \"Class of 2027\"",
        );
        output::print_line("Or start with --demo to look around first.");
    } else {
        output::print_line(
            "Next: `endonym --help` shows how to make tokens and name pages and to import people.",
        );
    }
    Ok(())
}

/// The first signal stops gently; the second one at once.
async fn stop_on_signal(stop: CancellationToken, draining: Draining) {
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (unix::signal(unix::SignalKind::terminate()), unix::signal(unix::SignalKind::interrupt()))
    else {
        return;
    };
    let mut first = true;
    loop {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        if !first {
            std::process::exit(130);
        }
        first = false;
        tracing::info!("stopping: requests under way are finished first");
        draining.begin();
        stop.cancel();
    }
}

async fn keep_house(app: App, stop: CancellationToken) {
    let mut tick = tokio::time::interval(HOUSEKEEPING);
    while stop.run_until_cancelled(tick.tick()).await.is_some() {
        app.limiter.forget(app.clock.instant()).await;
        if let Err(error) = callers::write_down_use(&app).await {
            tracing::warn!(%error, "the last use of tokens could not be written down");
        }
    }
}

/// Looks for files that nobody links to any more. The first look waits a little: a start has better things to do.
async fn sweep(app: App, stop: CancellationToken, every: Duration, older_than: Duration) {
    if every.is_zero() {
        return;
    }
    let mut tick = tokio::time::interval_at(tokio::time::Instant::now() + every.min(FIRST_SWEEP), every);
    while stop.run_until_cancelled(tick.tick()).await.is_some() {
        match media::sweep(&app, older_than, false).await {
            Ok(swept) if swept.removed > 0 => {
                tracing::info!(
                    seen = swept.seen,
                    removed = swept.removed,
                    "files that nobody links to were removed"
                );
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "files that nobody links to could not be looked for"),
        }
    }
}

//! `endonym serve`

use std::{process::ExitCode, time::Duration};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio_util::sync::CancellationToken;

use super::{Failure, Outcome, bind, database, output, stop_on_signal, warn_of};
use crate::{
    app::{
        Actor, App, Clock, Error, Links, Parts, callers, calls, demo, institutions, media::Removal, plays,
        secrets, sign_in,
    },
    blobs::Blobs,
    config::{self, Serving, Storage},
    domain::{report, sign_in::ReturnTo},
    http::service::Draining,
    jobs,
    phone::Provider,
    server, site,
    store::Options,
    tasks,
    telemetry::traces,
};

/// Run the HTTP server: the API, web pages and background jobs
#[derive(Debug, clap::Args)]
pub struct Serve {
    #[command(flatten)]
    serving: Serving,
    #[command(flatten)]
    shared_limits: config::SharedLimits,
    #[command(flatten)]
    media: config::Media,
    #[command(flatten)]
    working: config::JobSettings,
    #[command(flatten)]
    phone: config::Phone,
    #[command(flatten)]
    mail: config::Mail,
    #[command(flatten)]
    invitations: config::Invitations,
}

/// How long the sign-in link of the demonstration is valid.
const DEMO_LINK: Duration = Duration::from_secs(24 * 3_600);
/// How long the shutdown waits for the removal of files from S3. The sweep removes what is left.
const REMOVAL_GRACE: Duration = Duration::from_secs(10);
/// Interval at which the last use of tokens and counted plays are stored.
const HOUSEKEEPING: Duration = Duration::from_secs(20);

impl Serve {
    /// The flags in `exposed` have a secret in plain text.
    pub async fn run(&self, storage: &Storage, exposed: &[String]) -> Outcome {
        let serving = &self.serving;
        let limits = serving.limits(self.working.grace()).map_err(Failure)?;
        let mail = self.mail.mailer().map_err(Failure)?;
        raise_file_limit(limits.connections);
        let db = database(&Options { threads: server::threads(), ..storage.options() }).await?;
        let sharing = self.shared_limits.sharing(&db).map_err(Failure)?;
        let listener = bind(&serving.listen, "--listen").await?;
        let metrics_listener = match self.working.metrics_listen() {
            Some(address) => Some(bind(address, "--metrics-listen").await?),
            None => None,
        };
        let listening = listener.local_addr()?;
        let base_url = serving.base_url(listening).map_err(Failure)?;
        let app = App::new(Parts {
            db,
            blobs: Blobs::open(&storage.blobs())?,
            removal: Removal::Afterwards,
            clock: Clock::system(),
            studio: self.media.settings(),
            links: Links::new(&base_url),
            limits: serving.rate_limits(),
            sharing,
            auth_failures: serving.auth_failures,
            streams: serving.streams(),
            disk_reserve: serving.disk_reserve(),
            export_life: serving.export_life(),
            exports_waiting: serving.exports_waiting,
            export_part_bytes: report::PART_BYTES,
            calling: self.phone.rules().map_err(Failure)?,
            phone: self.phone.phone(&base_url).map_err(Failure)?,
            sign_in: serving.sign_in().map_err(Failure)?,
            invitations: self.invitations.settings(),
            mail,
            secrets: storage.secrets(),
            security_txt: serving.security_txt().map_err(Failure)?,
            outbound: storage.outbound().map_err(Failure)?,
        });
        let traces = if config::traces_wanted() { Some(traces::start().map_err(Failure)?) } else { None };
        secrets::note_key(&app).await?;
        warn_of(exposed);
        greet(&app, serving.demo, storage, &base_url).await?;
        if let Some(listener) = &metrics_listener {
            output::print_line(&format!("  Metrics     http://{}/metrics", listener.local_addr()?));
        }

        let (stop, draining) = (CancellationToken::new(), Draining::default());
        let on_stop = draining.clone();
        tasks::spawn(stop_on_signal(stop.clone(), move || on_stop.begin()));
        let housekeeping = tasks::spawn(run_housekeeping(app.clone(), stop.clone()));
        let working = tasks::spawn(jobs::run(app.clone(), self.working.settings(), stop.clone()));
        let beside = metrics_listener.map(|listener| {
            let site = site::metrics_only(app.clone());
            tasks::spawn(server::run_on_current_runtime(listener, site, limits.clone(), stop.clone()))
        });
        server::run(listener, site::site(app.clone(), draining), limits, stop).await;
        if let Some(beside) = beside {
            let _ = beside.await;
        }
        let _ = tokio::join!(housekeeping, working);
        if let Some(traces) = traces {
            traces.stop().await;
        }
        store_plays(&app).await;
        let stored = callers::store_usage(&app).await;
        app.removals.finish(REMOVAL_GRACE).await;
        stored?;
        tracing::info!("stopped");
        Ok(ExitCode::SUCCESS)
    }
}

/// File descriptors for the database and files, besides connections.
const OTHER_FILES: u64 = 256;

/// Each connection is an open file, and the default limit of most systems is 1,024.
fn raise_file_limit(connections: usize) {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if limit.current != limit.maximum
        && let Err(error) = setrlimit(Resource::Nofile, raised)
    {
        tracing::warn!(%error, "cannot raise the limit of open files");
    }
    let (limit, needed) = (getrlimit(Resource::Nofile).current, connections as u64 + OTHER_FILES);
    if let Some(limit) = limit.filter(|limit| *limit < needed) {
        tracing::warn!(limit, needed, "the limit of open files is lower than --connections may need");
    }
}

/// Prints the addresses and the next steps.
async fn greet(app: &App, with_demo: bool, storage: &Storage, base_url: &str) -> Result<(), Failure> {
    output::print_line(&format!(
        "Endonym {} with {} at {base_url}",
        env!("CARGO_PKG_VERSION"),
        app.db.kind()
    ));
    output::print_line(&format!("  Reference   {base_url}/docs"));
    output::print_line(&match &app.phone.provider {
        Provider::None => {
            "  Phone       none: numbers are stored and nobody is called (set --phone-url)".to_owned()
        }
        provider => format!("  Phone       {}", provider.shown()),
    });
    let waiting: u64 = calls::counts(app).await?.into_iter().map(|(_, count)| count).sum();
    if app.phone.provider == Provider::None && waiting > 0 {
        output::print_line(&format!(
            "              pending calls that nobody makes: {waiting} (run `endonym calls cancel --all`)"
        ));
    }
    if app.mail.is_configured() {
        output::print_line(&format!("  Mail        {}", app.mail.shown()));
    } else {
        tracing::info!("mail is not configured: sign-in codes are not mailed");
        output::print_line(
            "  Mail        none: sign-in codes are not mailed (set --mail-url, or run `endonym sign-in-link`)",
        );
    }
    if with_demo {
        let demo = demo::seed(app, &Actor::Operator, &storage.data_dir).await?;
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
        let console = ReturnTo::parse(&format!("/console/{}", demo.institution.slug));
        let links = [("Open the console", demo.owner, console), ("Record your name", demo.email, None)];
        for (what, email, way) in links {
            let made = sign_in::operator_link_to(
                app,
                &Actor::Operator,
                demo.institution.id,
                email,
                DEMO_LINK,
                base_url,
                way,
            );
            match made.await {
                Ok((link, _)) => output::print_line(&format!(
                    "{what} as {email} (the link works once, for a day; `endonym sign-in-link` prints another):\n  {link}"
                )),
                // Somebody has deleted this person.
                Err(Error::Missing(_)) => {}
                Err(other) => return Err(other.into()),
            }
        }
    } else if institutions::all(app, &Actor::Operator).await?.is_empty() {
        output::print_line("No institution exists yet. In another terminal, with the same settings, run:");
        output::print_line("  endonym institution create --name \"Example University\"");
        output::print_line(
            "  endonym token create --institution example-university --name \"My integration\"",
        );
        output::print_line(
            "  endonym name-page create --institution example-university --title \"Class of 2027\"",
        );
        output::print_line("Or create it in the browser, with the link that this prints:");
        output::print_line("  endonym sign-in-link --operator");
        output::print_line("Or restart with --demo to try it first.");
    } else {
        output::print_line(
            "Next: run `endonym --help` to see how to create tokens and name pages and import people.",
        );
    }
    Ok(())
}

async fn run_housekeeping(app: App, stop: CancellationToken) {
    let mut tick = tokio::time::interval(HOUSEKEEPING);
    while stop.run_until_cancelled(tick.tick()).await.is_some() {
        app.limiter.remove_expired(app.clock.instant()).await;
        if let Err(error) = callers::store_usage(&app).await {
            tracing::warn!(%error, "cannot store the use of tokens");
        }
        store_plays(&app).await;
    }
}

async fn store_plays(app: &App) {
    if let Err(error) = plays::flush(app).await {
        tracing::warn!(%error, "cannot store how often recordings were played");
    }
}

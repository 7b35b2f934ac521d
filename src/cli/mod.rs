//! The command line: one file per command. With `--json`, a command prints one JSON object to standard output. Logs and
//! errors go to standard error.

mod audit;
mod backup;
mod badge;
mod blobs;
mod calls;
mod consent;
mod course;
mod custom_field;
mod doctor;
mod import;
mod institution;
mod invitation;
mod invite;
mod jobs;
mod mail;
mod mail_text;
mod member;
mod migrate;
mod moderation;
mod name_page;
mod output;
mod person;
mod phone;
mod ready;
mod restore;
mod scim;
mod secrets;
mod serve;
mod sign_in_link;
mod sso;
mod token;
mod tool_consumer;
mod work;

use std::{collections::HashMap, path::PathBuf, process::ExitCode};

use tokio::{net::TcpListener, signal::unix};
use tokio_util::sync::CancellationToken;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::{
    app::{
        self, App, Clock, Links, Parts, calls as app_calls,
        limiter::{Policy, Sharing},
        studio,
    },
    blobs::Blobs,
    config::{self, Logging, Storage},
    domain::{audit::Origin, ids::InstitutionId, report},
    mail::Mailer,
    phone::Phone,
    store::{self, Db, migrations},
    telemetry,
};

/// A self-hosted name-pronunciation service
///
/// People record how to say their names. Directories, learning systems, student systems, HR and CRM systems show and play
/// the recordings.
#[derive(Debug, Parser)]
#[command(name = "endonym", version, max_term_width = 110, after_help = EXAMPLES)]
struct Cli {
    /// Settings file [default: ./endonym.toml, then /etc/endonym.toml]
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    #[command(flatten)]
    storage: Storage,
    #[command(flatten)]
    logging: Logging,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  Try it with a demo institution:
    endonym serve --demo

  Create an institution, an access token for its integrations, and a name page:
    endonym institution create --name \"Example University\" --time-zone America/New_York
    endonym token create --institution example-university --name \"Learning system\"
    endonym name-page create --institution example-university --title \"Class of 2027\"

  Let somebody run that name page:
    endonym member add --institution example-university --role manager \\
      --name-page class-of-2027 ana@example.edu

  Import people from a CSV file:
    endonym import --institution example-university --name-page class-of-2027 people.csv --dry-run

  Import their recordings, from files named after an email or institution_id:
    endonym import --institution example-university --name-page class-of-2027 --recordings audio

  Invite everybody on a page who has not recorded, by mail, or with links for a mail merge:
    endonym invite --institution example-university --name-page class-of-2027 --all-unrecorded
    endonym invite --institution example-university --name-page class-of-2027 --all-unrecorded --csv

  Connect a learning system and synchronize a course:
    endonym tool-consumer create --institution example-university --name Moodle --lms moodle \\
      --url https://moodle.example.edu --access-token - < moodle-token
    endonym course sync --tool-consumer ID 101

  Back up everything, and restore it into another data directory:
    endonym backup saved
    endonym restore saved --data-dir restored-data

  Configure a SIP trunk for phone calls, and place a test call:
    export ENDONYM_PHONE_URL='sip://user:password@trunk.example:5060?from=%2B12025550100'
    endonym phone test +12025550123

  Configure a mail server, and send a test message:
    export ENDONYM_MAIL_URL='smtp://user:password@mail.example.edu:587'
    export ENDONYM_MAIL_FROM='Names at Example <names@example.edu>'
    endonym mail test you@example.edu

  Let people sign in with the account of their institution (OpenID Connect):
    endonym sso create --institution example-university --issuer https://login.example.edu \\
      --client-id endonym --domains example.edu --client-secret - < secret
    endonym sso test ID

  Let a directory such as Entra or Okta provision people (SCIM 2.0):
    endonym scim create --institution example-university --name Entra

  Use PostgreSQL:
    export ENDONYM_DATABASE_URL=@/etc/endonym/database-url
    endonym migrate && endonym serve

  Run background jobs on another machine:
    endonym serve --workers 0
    endonym work --workers 4

Every flag is also an environment variable (--data-dir is ENDONYM_DATA_DIR) and a key in the settings file (data_dir).";

#[derive(Debug, Subcommand)]
enum Command {
    Serve(Box<serve::Serve>),
    Work(work::Work),
    Migrate(migrate::Migrate),
    Doctor(doctor::Doctor),
    Ready(ready::Ready),
    #[command(subcommand)]
    Institution(institution::Institution),
    #[command(subcommand)]
    Token(token::Token),
    #[command(subcommand)]
    NamePage(name_page::NamePage),
    #[command(subcommand)]
    CustomField(custom_field::CustomField),
    #[command(subcommand)]
    Member(member::Member),
    #[command(subcommand)]
    ToolConsumer(tool_consumer::Command),
    #[command(subcommand)]
    Course(course::Command),
    Import(import::Import),
    Invite(Box<invite::Invite>),
    #[command(subcommand)]
    Invitation(invitation::Invitation),
    #[command(subcommand)]
    Person(person::Person),
    #[command(subcommand)]
    Consent(consent::Consent),
    SignInLink(sign_in_link::SignInLink),
    #[command(subcommand)]
    Moderation(moderation::Moderation),
    #[command(subcommand)]
    Sso(sso::Command),
    #[command(subcommand)]
    Scim(scim::Command),
    #[command(subcommand)]
    Badge(badge::Badge),
    #[command(subcommand)]
    Blobs(blobs::Blobs),
    #[command(subcommand)]
    Jobs(jobs::Jobs),
    #[command(subcommand)]
    Calls(calls::Calls),
    #[command(subcommand)]
    Phone(phone::Phone),
    #[command(subcommand)]
    Mail(mail::Mail),
    #[command(subcommand)]
    MailText(mail_text::MailText),
    #[command(subcommand)]
    Audit(audit::Audit),
    #[command(subcommand)]
    Secrets(secrets::Secrets),
    Backup(backup::Backup),
    Restore(restore::Restore),
    /// Print a shell completion script
    ///
    /// For example: endonym completions bash > /etc/bash_completion.d/endonym
    Completions {
        shell: clap_complete::Shell,
    },
}

/// The error message of a failed command.
#[derive(Debug)]
struct Failure(String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

type Outcome = Result<ExitCode, Failure>;

pub fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let command = match config::layered(Cli::command(), &arguments) {
        Ok(command) => command,
        Err(why) => return failed(&why),
    };
    let matches = command.get_matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let exposed = config::secret::exposed(&matches);
    // A server runs for long, so it warns when it starts. Of other commands, and of one that cannot start, the outcome comes first.
    let is_server = matches!(cli.command, Command::Serve(_) | Command::Work(_));
    let examples = config::secret::examples(&matches);
    if is_server && !examples.is_empty() {
        return failed(&format!(
            "replace the example secret in {}: whoever has read the documentation knows it. For a new one, run `openssl rand -base64 32`",
            examples.join(", ")
        ));
    }
    let logs = match telemetry::logs::start(&cli.logging.log, &cli.logging.log_format) {
        Ok(logs) => logs,
        Err(why) => return failed(&why),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.to_string()),
    };
    let outcome = runtime.block_on(app::audit::within(Origin::Shell, run(cli, &exposed)));
    drop(logs);
    let has_warned = is_server && outcome.is_ok();
    let code = match outcome {
        Ok(code) => code,
        Err(Failure(why)) => failed(&why),
    };
    if !has_warned {
        warn_of(&exposed);
    }
    code
}

/// These flags have a secret in plain text.
fn warn_of(exposed: &[String]) {
    for flag in exposed {
        eprintln!(
            "warning: all users of this machine can read the secret in {flag} while the command runs: use `{flag} @FILE`, or \
             `{flag} -` for standard input"
        );
    }
}

fn failed(why: &str) -> ExitCode {
    eprintln!("error: {why}");
    ExitCode::FAILURE
}

/// The flags in `exposed` have a secret in plain text.
async fn run(cli: Cli, exposed: &[String]) -> Outcome {
    let storage = cli.storage;
    let open = || open(&storage, studio::Settings::default());
    match cli.command {
        Command::Serve(command) => command.run(&storage, exposed).await,
        Command::Work(command) => command.run(&storage, exposed).await,
        Command::Migrate(command) => command.run(&storage).await,
        Command::Doctor(command) => command.run(&storage).await,
        Command::Ready(command) => command.run().await,
        Command::Institution(command) => command.run(&open().await?).await,
        Command::Token(command) => command.run(&open().await?).await,
        Command::NamePage(command) => command.run(&open().await?).await,
        Command::CustomField(command) => command.run(&open().await?).await,
        Command::Member(command) => command.run(&open().await?).await,
        Command::ToolConsumer(command) => command.run(&open().await?).await,
        Command::Course(command) => command.run(&open().await?).await,
        Command::Import(command) => command.run(&storage).await,
        Command::Invite(command) => command.run(&open().await?).await,
        Command::Invitation(command) => command.run(&open().await?).await,
        Command::Person(command) => command.run(&open().await?).await,
        Command::Consent(command) => command.run(&open().await?).await,
        Command::SignInLink(command) => command.run(&open().await?).await,
        Command::Moderation(command) => command.run(&open().await?).await,
        Command::Sso(command) => command.run(&open().await?).await,
        Command::Scim(command) => command.run(&open().await?).await,
        Command::Badge(command) => command.run(&open().await?).await,
        Command::Blobs(command) => command.run(&open().await?).await,
        Command::Jobs(command) => command.run(&open().await?).await,
        Command::Calls(command) => command.run(&open().await?).await,
        Command::Phone(command) => command.run().await,
        Command::Mail(command) => command.run(&storage).await,
        Command::MailText(command) => command.run(&open().await?).await,
        Command::Audit(command) => command.run(&open().await?).await,
        Command::Secrets(command) => command.run(&open().await?).await,
        Command::Backup(command) => command.run(&storage).await,
        Command::Restore(command) => command.run(&storage).await,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            let mut command = config::layered(Cli::command(), &[]).map_err(Failure)?;
            clap_complete::generate(shell, &mut command, "endonym", &mut script);
            output::print_line(String::from_utf8_lossy(&script).trim_end());
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Opens the database at the schema version of this binary. SQLite is migrated here; PostgreSQL only by `endonym migrate`.
async fn database(options: &store::Options) -> Result<Db, Failure> {
    let db = Db::open(options).await?;
    let version = migrations::version(&db).await?;
    if version > migrations::NEWEST {
        return Err(Failure(format!(
            "the database is at version {version}, but this binary supports only up to {}: use a newer endonym",
            migrations::NEWEST
        )));
    }
    match &db {
        Db::Sqlite(_) if version < migrations::NEWEST => {
            migrations::migrate(&db).await?;
        }
        Db::Postgres(_) if version < migrations::NEWEST => {
            return Err(Failure(format!(
                "the database is at version {version}, but this binary needs {}: run `endonym migrate` first",
                migrations::NEWEST
            )));
        }
        _ => {}
    }
    Ok(db)
}

/// Opens everything a command needs, without a server, telephony and mail.
async fn open(storage: &Storage, studio: studio::Settings) -> Result<App, Failure> {
    open_with(storage, studio, app_calls::Rules::nobody(), Phone::default(), Mailer::default()).await
}

async fn open_with(
    storage: &Storage,
    studio: studio::Settings,
    calling: app_calls::Rules,
    phone: Phone,
    mail: Mailer,
) -> Result<App, Failure> {
    open_at("", storage, studio, calling, phone, mail).await
}

/// Links in messages start with the base URL.
async fn open_at(
    base_url: &str,
    storage: &Storage,
    studio: studio::Settings,
    calling: app_calls::Rules,
    phone: Phone,
    mail: Mailer,
) -> Result<App, Failure> {
    let no_limit =
        Policy { ceiling: u32::MAX, window: std::time::Duration::MAX, throttle: std::time::Duration::ZERO };
    Ok(App::new(Parts {
        db: database(&storage.options()).await?,
        blobs: Blobs::open(&storage.blobs())?,
        removal: app::media::Removal::Awaited,
        clock: Clock::system(),
        studio,
        links: Links::new(base_url),
        limits: no_limit,
        sharing: Sharing::local(),
        auth_failures: u32::MAX,
        streams: app::streams::Settings::default(),
        disk_reserve: None,
        export_life: std::time::Duration::ZERO,
        exports_waiting: 0,
        export_part_bytes: report::PART_BYTES,
        calling,
        phone,
        sign_in: app::sign_in::Settings::default(),
        invitations: app::invitations::Settings::default(),
        mail,
        secrets: storage.secrets(),
        security_txt: None,
        outbound: storage.outbound().map_err(Failure)?,
    }))
}

/// The slugs of all institutions.
async fn slugs(app: &App) -> Result<HashMap<InstitutionId, String>, Failure> {
    let all = app::institutions::all(app, &app::Actor::Operator).await?;
    Ok(all.into_iter().map(|one| (one.id, one.slug)).collect())
}

async fn institution(app: &App, slug: &str) -> Result<crate::domain::institution::Institution, Failure> {
    app::institutions::find(app, &app::Actor::Operator, slug).await.map_err(|error| match error {
        app::Error::Missing(_) => Failure(format!(
            "no institution `{slug}`: run `endonym institution list` to see all institutions"
        )),
        other => other.into(),
    })
}

/// The page that a command names.
fn page_ref(given: &str) -> Result<crate::domain::name_page::NamePageRef, Failure> {
    crate::domain::name_page::NamePageRef::parse(given)
        .ok_or_else(|| Failure("the name page must not be blank".to_owned()))
}

/// Says that an institution has no such page.
fn unknown_page(error: app::Error, slug: &str, page: &str) -> Failure {
    match error {
        app::Error::Missing(_) => Failure(format!(
            "`{slug}` has no name page `{page}`: run `endonym name-page list --institution {slug}` to see all pages"
        )),
        other => other.into(),
    }
}

/// The first signal starts a graceful shutdown; the second one exits at once.
async fn stop_on_signal(stop: CancellationToken, on_stop: impl FnOnce()) {
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (unix::signal(unix::SignalKind::terminate()), unix::signal(unix::SignalKind::interrupt()))
    else {
        return;
    };
    let mut on_stop = Some(on_stop);
    loop {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        let Some(on_stop) = on_stop.take() else { std::process::exit(130) };
        tracing::info!("shutting down: finishing requests and jobs in progress");
        on_stop();
        stop.cancel();
    }
}

async fn bind(address: &str, flag: &str) -> Result<TcpListener, Failure> {
    let cannot = |e| Failure(format!("cannot listen on {address}: {e}; set another address with {flag}"));
    TcpListener::bind(address).await.map_err(cannot)
}

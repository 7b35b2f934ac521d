//! Health checks of an installation, one per component. Findings are plain data; `wording.rs` puts them into words.

pub mod wording;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use url::{Host, Url};

use super::{Actor, App, Clock, sso, tool_consumers};
use crate::{
    blobs::{self, Blobs},
    domain::{job::State, name_page::SHORTEST_ACCESS_CODE, tool_consumer::ToolConsumer},
    mail::Mailer,
    phone::{
        Phone, Prompts, Provider,
        cloud::Client,
        sip::{self, Trunk},
    },
    store::{self, Db, citus, connections, folder, jobs, migrations, name_pages, valkey::Valkey},
};

#[derive(Debug)]
pub enum Finding {
    DataFolder {
        path: PathBuf,
        fault: Option<String>,
    },
    /// The kind of database.
    Database(Result<&'static str, String>),
    Connections(Result<Connections, String>),
    Migrations(Result<Schema, String>),
    /// Tables that Citus does not have where they should be.
    Citus(Result<Vec<&'static str>, String>),
    Jobs(Result<Queue, String>),
    /// Whether the stored credentials of learning systems can be decrypted.
    Secrets(Result<Sealed, SecretsFault>),
    /// Pages that API version 2 opens with a short access code, as `institution/page`.
    AccessCodes(Result<Vec<String>, String>),
    /// LTI registrations that somebody has to look after.
    Platforms {
        /// They use the addresses and the key that all institutions shared.
        shared: Vec<String>,
        /// Their issuers are neither proven nor confirmed.
        unconfirmed: Vec<String>,
    },
    /// The kind of blob store. The check writes and reads.
    Blobs(Result<String, String>),
    Listen {
        address: String,
        port: Port,
    },
    Phone {
        provider: String,
        line: Line,
    },
    Prompts(Result<PromptsFound, String>),
    Mail(MailFound),
    /// The server that counts rate limits: its URL, and what is wrong with it.
    Limits {
        server: String,
        fault: Option<String>,
    },
    /// A connection to an OpenID provider, of which it was never said whose accounts may sign in: its id and name.
    SsoAccounts {
        connection: String,
    },
    /// A connection to an OpenID provider: its id and name, and what the check found.
    Sso {
        connection: String,
        found: Result<String, String>,
    },
}

#[derive(Debug)]
pub struct Schema {
    /// The schema version of the database.
    pub version: i64,
    /// The newest schema version that this binary knows.
    pub newest: i64,
    /// SQLite databases are migrated at startup.
    pub migrates_by_itself: bool,
}

/// The connections to PostgreSQL of all processes together.
#[derive(Debug)]
pub struct Connections {
    pub nodes: u64,
    /// Of each of them, at most.
    pub per_node: u64,
    /// `max_connections` of the server.
    pub max: u64,
    /// Of them, those that others use or that are reserved for administrators.
    pub taken: u64,
}

#[derive(Debug)]
pub struct Queue {
    pub waiting: u64,
    pub running: u64,
    pub dead: u64,
    /// A job is overdue by more than `LATE`, so probably no worker is running.
    pub is_late: bool,
}

#[derive(Debug)]
pub struct Sealed {
    pub all: usize,
    /// Names of the learning systems whose credentials cannot be decrypted.
    pub closed: Vec<String>,
}

#[derive(Debug)]
pub enum SecretsFault {
    Key(String),
    Database(String),
}

#[derive(Debug)]
pub enum Port {
    Free,
    InUse,
    Unusable(String),
}

#[derive(Debug)]
pub enum Line {
    NotConfigured,
    /// What the trunk reports about itself; `None` for a cloud provider.
    Works(Option<String>),
    Fails {
        why: String,
        remedy: Option<&'static str>,
    },
    Silent,
}

#[derive(Debug)]
pub struct PromptsFound {
    pub about: Vec<String>,
    pub languages: Vec<String>,
}

#[derive(Debug)]
pub enum MailFound {
    NotConfigured,
    Works {
        shown: String,
        answer: String,
        /// Links in messages lead to a server that is reached without TLS.
        is_exposed: bool,
    },
    Fails {
        shown: String,
        why: String,
    },
}

impl Finding {
    pub fn works(&self) -> bool {
        match self {
            Self::DataFolder { fault, .. } => fault.is_none(),
            Self::Database(found) => found.is_ok(),
            Self::Connections(found) => found.as_ref().is_ok_and(Connections::fit),
            Self::Migrations(found) => found.as_ref().is_ok_and(Schema::works),
            Self::Citus(found) => found.as_ref().is_ok_and(Vec::is_empty),
            Self::Jobs(found) => found.as_ref().is_ok_and(|queue| queue.dead == 0 && !queue.is_late),
            Self::Secrets(found) => found.as_ref().is_ok_and(|sealed| sealed.closed.is_empty()),
            Self::AccessCodes(found) => found.as_ref().is_ok_and(Vec::is_empty),
            // They work as they were set up.
            Self::Platforms { .. } => true,
            Self::Blobs(found) => found.is_ok(),
            Self::Listen { port, .. } => !matches!(port, Port::Unusable(_)),
            Self::Phone { line, .. } => matches!(line, Line::NotConfigured | Line::Works(_)),
            Self::Prompts(found) => found.is_ok(),
            Self::Mail(found) => !matches!(found, MailFound::Fails { .. }),
            Self::Sso { found, .. } => found.is_ok(),
            Self::SsoAccounts { .. } => false,
            Self::Limits { fault, .. } => fault.is_none(),
        }
    }
}

impl Schema {
    fn works(&self) -> bool {
        self.version == self.newest || (self.version < self.newest && self.migrates_by_itself)
    }
}

impl Connections {
    /// What all nodes may open.
    pub fn wanted(&self) -> u64 {
        self.nodes.saturating_mul(self.per_node)
    }

    pub fn fit(&self) -> bool {
        self.wanted() <= self.max.saturating_sub(self.taken)
    }
}

pub fn data_folder(path: &Path) -> Finding {
    let probe = path.join(".endonym-doctor");
    let written = folder::create(path)
        .and_then(|()| std::fs::File::create(&probe))
        .and_then(|mut file| file.write_all(b"works").and_then(|()| file.sync_all()));
    let _ = std::fs::remove_file(&probe);
    Finding::DataFolder { path: path.to_owned(), fault: written.err().map(|error| error.to_string()) }
}

pub async fn blobs(options: &blobs::Options) -> Finding {
    let checked = async {
        let blobs = Blobs::open(options).map_err(|error| error.to_string())?;
        blobs.check().await.map_err(|error| error.to_string())?;
        Ok(blobs.kind())
    };
    Finding::Blobs(checked.await)
}

pub async fn listen(address: &str) -> Finding {
    let port = match tokio::net::TcpListener::bind(address).await {
        Ok(_) => Port::Free,
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Port::InUse,
        Err(error) => Port::Unusable(error.to_string()),
    };
    Finding::Listen { address: address.to_owned(), port }
}

/// Checks the database, its connections, its schema and its job queue. `nodes` processes use it. Also returns true if the schema
/// is current, so that further checks can query it.
pub async fn database(options: &store::Options, nodes: u64, clock: &Clock) -> (Vec<Finding>, bool) {
    let db = match Db::open(options).await {
        Ok(db) => db,
        Err(error) => return (vec![Finding::Database(Err(error.to_string()))], false),
    };
    let mut findings = vec![Finding::Database(Ok(db.kind()))];
    if let Db::Postgres(postgres) = &db {
        let found = connections_of(&db, postgres.most_connections() as u64, nodes).await;
        findings.push(Finding::Connections(found.map_err(|error| error.to_string())));
    }
    let version = migrations::version(&db).await;
    let is_current = version.as_ref().is_ok_and(|version| *version == migrations::NEWEST);
    let schema = |version| Schema {
        version,
        newest: migrations::NEWEST,
        migrates_by_itself: matches!(db, Db::Sqlite(_)),
    };
    findings.push(Finding::Migrations(version.map(schema).map_err(|error| error.to_string())));
    if is_current && db.is_citus() {
        let misplaced = citus::misplaced(&db).await;
        findings.push(Finding::Citus(misplaced.map_err(|error| error.to_string())));
    }
    if is_current {
        findings.push(Finding::Jobs(queue(&db, clock).await.map_err(|error| error.to_string())));
        findings.push(access_codes(&db).await);
    }
    (findings, is_current)
}

async fn connections_of(db: &Db, per_node: u64, nodes: u64) -> store::Result<Connections> {
    let server = connections::of_server(&mut db.read()).await?;
    let server = server.ok_or_else(|| store::Error::Broken("PostgreSQL returned no settings".to_owned()))?;
    Ok(Connections { nodes, per_node, max: server.max, taken: server.reserved + server.others })
}

/// Checks this process and what it is connected to. Only a `thorough` one sends requests to other servers, which may take seconds.
pub async fn examine(app: &App, actor: &Actor, thorough: bool) -> super::Result<Vec<Finding>> {
    actor.operate()?;
    let mut findings = vec![Finding::Database(Ok(app.db.kind()))];
    let version = migrations::version(&app.db).await;
    let is_current = version.as_ref().is_ok_and(|version| *version == migrations::NEWEST);
    let migrates_by_itself = matches!(app.db, Db::Sqlite(_));
    let schema = |version| Schema { version, newest: migrations::NEWEST, migrates_by_itself };
    findings.push(Finding::Migrations(version.map(schema).map_err(|error| error.to_string())));
    if is_current {
        let queue = queue(&app.db, &app.clock).await;
        findings.push(Finding::Jobs(queue.map_err(|error| error.to_string())));
        findings.push(access_codes(&app.db).await);
        findings.extend(secrets(app).await);
        findings.extend(platforms(app).await);
    }
    if !thorough {
        return Ok(findings);
    }
    if is_current && app.db.is_citus() {
        let misplaced = citus::misplaced(&app.db).await;
        findings.push(Finding::Citus(misplaced.map_err(|error| error.to_string())));
    }
    let blobs = app.blobs.check().await;
    findings.push(Finding::Blobs(blobs.map(|()| app.blobs.kind()).map_err(|error| error.to_string())));
    findings.extend(sso(app).await);
    findings.push(mail(&app.mail, app.links.base()).await);
    findings.extend(phone(&app.phone).await);
    Ok(findings)
}

/// Access codes that can be guessed, where nothing else is asked for.
async fn access_codes(db: &Db) -> Finding {
    let short = name_pages::short_open_codes(&mut db.read(), SHORTEST_ACCESS_CODE).await;
    let named =
        |found: Vec<(String, String)>| found.into_iter().map(|(i, page)| format!("{i}/{page}")).collect();
    Finding::AccessCodes(short.map(named).map_err(|error| error.to_string()))
}

/// Longer than any job waits while a worker is running.
const LATE: Duration = Duration::from_secs(600);

async fn queue(db: &Db, clock: &Clock) -> store::Result<Queue> {
    let mut sql = db.read();
    let (counts, next) = (jobs::counts(&mut sql).await?, jobs::next_of_any_kind(&mut sql).await?);
    let count = |wanted: State| counts.iter().find(|(state, _)| *state == wanted).map_or(0, |(_, n)| *n);
    Ok(Queue {
        waiting: count(State::Waiting),
        running: count(State::Running),
        dead: count(State::Dead),
        is_late: next.is_some_and(|next| next.plus(LATE) < clock.now()),
    })
}

/// Checks that the key is the one with which the database was used, and that the stored credentials of learning systems can be decrypted.
/// Returns `None` if no key was used yet.
pub async fn secrets(app: &App) -> Option<Finding> {
    match super::secrets::is_other_key(app).await {
        Ok(true) => {
            return Some(Finding::Secrets(Err(SecretsFault::Key(super::secrets::OTHER_KEY.to_owned()))));
        }
        Ok(false) => {}
        Err(error) => return Some(Finding::Secrets(Err(SecretsFault::Key(error.to_string())))),
    }
    let all = match tool_consumers::all(app, &Actor::Operator, None).await {
        Ok(all) => all,
        Err(error) => return Some(Finding::Secrets(Err(SecretsFault::Database(error.to_string())))),
    };
    let mut closed = Vec::new();
    for one in &all {
        if !matches!(tool_consumers::opens(app, one).await, Ok(true)) {
            closed.push(one.name.clone());
        }
    }
    (!all.is_empty()).then_some(Finding::Secrets(Ok(Sealed { all: all.len(), closed })))
}

/// Lists the LTI registrations that are to be renewed or confirmed. Returns `None` if there are none. `secrets` says if they cannot be read.
pub async fn platforms(app: &App) -> Option<Finding> {
    let all = tool_consumers::all(app, &Actor::Operator, None).await.ok()?;
    let names = |is_one: fn(&ToolConsumer) -> bool| -> Vec<String> {
        all.iter().filter(|one| is_one(one)).map(|one| format!("{} ({})", one.id, one.name)).collect()
    };
    let (shared, unconfirmed) = (names(ToolConsumer::is_shared), names(ToolConsumer::is_unconfirmed));
    let is_any = !shared.is_empty() || !unconfirmed.is_empty();
    is_any.then_some(Finding::Platforms { shared, unconfirmed })
}

/// Checks the configuration of each OpenID provider.
pub async fn sso(app: &App) -> Vec<Finding> {
    let all = match sso::all(app, &Actor::Operator, None).await {
        Ok(all) => all,
        Err(error) => {
            return vec![Finding::Sso {
                connection: "connections".to_owned(),
                found: Err(error.to_string()),
            }];
        }
    };
    let mut findings = Vec::new();
    for one in &all {
        let found = sso::check(app, &Actor::Operator, one).await.map_err(|error| error.to_string());
        let connection = format!("{} ({})", one.id, one.name);
        findings.push(Finding::Sso { connection: connection.clone(), found });
        if !one.is_bounded() && !one.any_account {
            findings.push(Finding::SsoAccounts { connection });
        }
    }
    findings
}

/// Longer than a trunk or a cloud provider takes to respond.
const PHONE_ANSWERS: Duration = Duration::from_secs(10);

pub async fn phone(phone: &Phone) -> Vec<Finding> {
    let line = tokio::time::timeout(PHONE_ANSWERS, line(&phone.provider)).await.unwrap_or(Line::Silent);
    let mut findings = vec![Finding::Phone { provider: phone.provider.shown(), line }];
    if phone.provider != Provider::None {
        let voice = phone.prompts.check_voice().await;
        findings.push(Finding::Prompts(voice.map(|()| prompts(&phone.prompts))));
    }
    findings
}

async fn line(provider: &Provider) -> Line {
    match provider {
        Provider::None => Line::NotConfigured,
        Provider::Sip(settings) => {
            let fails =
                |error: sip::Error| Line::Fails { why: error.to_string(), remedy: Some(error.remedy()) };
            let trunk = match Trunk::open_unregistered(settings).await {
                Ok(trunk) => trunk,
                Err(error) => return fails(error),
            };
            let says = trunk.check().await;
            trunk.close().await;
            says.map_or_else(fails, |says| Line::Works(Some(says)))
        }
        Provider::Cloud(settings) => {
            let checked = match Client::new(settings.clone()) {
                Ok(client) => client.check().await,
                Err(why) => Err(why),
            };
            checked.map_or_else(|why| Line::Fails { why, remedy: None }, |()| Line::Works(None))
        }
    }
}

/// Connects to the mail server and authenticates, without sending anything.
pub async fn mail(mailer: &Mailer, base_url: &str) -> Finding {
    if !mailer.is_configured() {
        return Finding::Mail(MailFound::NotConfigured);
    }
    let shown = mailer.shown();
    Finding::Mail(match mailer.check().await {
        Ok(answer) => MailFound::Works { shown, answer, is_exposed: is_exposed(base_url) },
        Err(why) => MailFound::Fails { shown, why },
    })
}

/// Counts a request at the server of rate limits.
pub async fn limits(valkey: &Valkey) -> Finding {
    Finding::Limits { server: valkey.shown().to_owned(), fault: valkey.check().await.err() }
}

/// Plain http to another machine.
fn is_exposed(base_url: &str) -> bool {
    let Ok(url) = Url::parse(base_url) else { return false };
    let is_local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => true,
    };
    url.scheme() == "http" && !is_local
}

fn prompts(prompts: &Prompts) -> PromptsFound {
    PromptsFound { about: prompts.about(), languages: prompts.languages() }
}

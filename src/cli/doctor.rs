//! `endonym doctor`

use std::{io::Write, process::ExitCode, time::Duration};

use serde_json::json;

use super::{Failure, Outcome, open, output};
use crate::{
    app::{Actor, Clock, studio, tool_consumers},
    blobs::Blobs,
    config::{self, Storage},
    domain::job::{State, Takes},
    phone::{
        Prompts, Provider,
        cloud::Client,
        sip::{self, Trunk},
    },
    store::{Db, jobs, migrations},
};

/// Say for each configured part whether it works, and how to mend it
#[derive(Debug, clap::Args)]
pub struct Doctor {
    /// Address that the server would listen on
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: String,
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    phone: config::Phone,
}

struct Finding {
    part: &'static str,
    works: bool,
    says: String,
    mend: Option<String>,
}

fn good(part: &'static str, says: impl Into<String>) -> Finding {
    Finding { part, works: true, says: says.into(), mend: None }
}

fn bad(part: &'static str, says: impl Into<String>, mend: impl Into<String>) -> Finding {
    Finding { part, works: false, says: says.into(), mend: Some(mend.into()) }
}

impl Doctor {
    pub async fn run(&self, storage: &Storage) -> Outcome {
        let mut findings = vec![data_folder(storage)];
        findings.extend(database(storage).await);
        findings.push(files(storage).await);
        findings.push(self.address().await);
        findings.extend(phone(&self.phone).await);
        let healthy = findings.iter().all(|finding| finding.works);
        if self.json {
            let shown = |finding: &Finding| json!({ "part": finding.part, "works": finding.works, "says": finding.says, "mend": finding.mend });
            let parts: Vec<_> = findings.iter().map(shown).collect();
            output::print_json(&json!({ "works": healthy, "parts": parts }));
        } else {
            for finding in &findings {
                let mark = if finding.works { "ok  " } else { "FAIL" };
                output::print_line(&format!("{mark}  {:<12} {}", finding.part, finding.says));
                if let Some(mend) = &finding.mend {
                    output::print_line(&format!("                   -> {mend}"));
                }
            }
        }
        Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    async fn address(&self) -> Finding {
        match tokio::net::TcpListener::bind(&self.listen).await {
            Ok(_) => good("listen", format!("{} is free", self.listen)),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => good(
                "listen",
                format!("{} is in use: the server is running, or another program is", self.listen),
            ),
            Err(error) => bad(
                "listen",
                format!("{} cannot be used: {error}", self.listen),
                "set an address of this machine and a free port with --listen or ENDONYM_LISTEN",
            ),
        }
    }
}

fn data_folder(storage: &Storage) -> Finding {
    let folder = &storage.data_dir;
    let probe = folder.join(".endonym-doctor");
    let written = crate::store::folder::create(folder)
        .and_then(|()| std::fs::File::create(&probe))
        .and_then(|mut file| file.write_all(b"works").and_then(|()| file.sync_all()));
    let _ = std::fs::remove_file(&probe);
    match written {
        Ok(()) => good("data folder", format!("{} can be written", folder.display())),
        Err(error) => bad(
            "data folder",
            format!("{} cannot be written: {error}", folder.display()),
            "give this user the right to write there, free some space, or set another folder with --data-dir",
        ),
    }
}

async fn files(storage: &Storage) -> Finding {
    let part = "blobs";
    let mend = "check --blobs-url (ENDONYM_BLOBS_URL): the bucket, the endpoint, the keys and their rights, the space that is left";
    match Blobs::open(&storage.blobs()) {
        Err(error) => bad(part, error.to_string(), mend),
        Ok(blobs) => match blobs.check().await {
            Ok(()) => good(part, format!("{} can be written and read", blobs.kind())),
            Err(error) => bad(part, error.to_string(), mend),
        },
    }
}

async fn database(storage: &Storage) -> Vec<Finding> {
    let db = match Db::open(&storage.options()).await {
        Ok(db) => db,
        Err(error) => {
            return vec![bad(
                "database",
                error.to_string(),
                "check that the server runs and that --database-url (ENDONYM_DATABASE_URL) has its host, name, user and password",
            )];
        }
    };
    let reached = good("database", format!("{} answers", db.kind()));
    let shape = match migrations::version(&db).await {
        Ok(version) if version == migrations::NEWEST => good("migrations", format!("at version {version}")),
        Ok(version) if version > migrations::NEWEST => bad(
            "migrations",
            format!("the database is at version {version}, this binary knows {}", migrations::NEWEST),
            "use the newer endonym that made this database",
        ),
        // SQLite is brought up to date at every start.
        Ok(version) if matches!(db, Db::Sqlite(_)) => good(
            "migrations",
            format!("at version {version}; the next start brings it to {}", migrations::NEWEST),
        ),
        Ok(version) => bad(
            "migrations",
            format!("the database is at version {version}, this binary needs {}", migrations::NEWEST),
            "run `endonym migrate`",
        ),
        Err(error) => bad("migrations", error.to_string(), "check the rights of the database's user"),
    };
    let mut findings = vec![reached, shape];
    if migrations::version(&db).await.is_ok_and(|version| version == migrations::NEWEST) {
        findings.push(background(&db).await);
        findings.extend(secrets(storage).await);
    }
    findings
}

/// Can what is sealed in the database be opened? Nothing is said where there is nothing.
async fn secrets(storage: &Storage) -> Option<Finding> {
    let part = "secrets";
    let mend = "set --secret-key (ENDONYM_SECRET_KEY) to what it was, or bring back secret.key in the data folder; if it is lost, \
                give each learning system its access token again with `endonym tool-consumer update`";
    let app = match open(storage, studio::Settings::default()).await {
        Ok(app) => app,
        Err(Failure(why)) => return Some(bad(part, why, mend)),
    };
    let all = match tool_consumers::all(&app, Actor::Operator.scope()).await {
        Ok(all) => all,
        Err(error) => return Some(bad(part, error.to_string(), "check the rights of the database's user")),
    };
    let mut closed = Vec::new();
    for one in &all {
        if !matches!(tool_consumers::opens(&app, one).await, Ok(true)) {
            closed.push(one.name.as_str());
        }
    }
    Some(match (all.len(), closed.len()) {
        (0, _) => return None,
        (some, 0) => good(part, format!("what lets us into learning systems can be opened: {some} of them")),
        _ => bad(part, format!("cannot be opened: what lets us into {}", closed.join(", ")), mend),
    })
}

/// Longer than any job has to wait where somebody works.
const LATE: Duration = Duration::from_secs(600);

async fn background(db: &Db) -> Finding {
    let part = "jobs";
    let mut sql = db.read();
    let (counts, next) = match (jobs::counts(&mut sql).await, jobs::next(&mut sql, Takes::All).await) {
        (Ok(counts), Ok(next)) => (counts, next),
        (Err(error), _) | (_, Err(error)) => {
            return bad(part, error.to_string(), "check the rights of the database's user");
        }
    };
    let count = |wanted: State| counts.iter().find(|(state, _)| *state == wanted).map_or(0, |(_, n)| *n);
    let (waiting, running, dead) = (count(State::Waiting), count(State::Running), count(State::Dead));
    if dead > 0 {
        return bad(
            part,
            format!("given up: {dead}"),
            "`endonym jobs list --state dead` says why; once that is mended, `endonym jobs retry --all`",
        );
    }
    if next.is_some_and(|next| next.plus(LATE) < Clock.now()) {
        return bad(
            part,
            format!("one has been due for more than ten minutes; {waiting} waiting, {running} running"),
            "run `endonym work`, or `endonym serve` with --workers above 0; with more of them, if all are busy",
        );
    }
    good(part, format!("{waiting} waiting, {running} running, none given up"))
}

/// Longer than a trunk or a cloud takes to say that it is there.
const PHONE_ANSWERS: Duration = Duration::from_secs(10);

async fn phone(settings: &config::Phone) -> Vec<Finding> {
    let part = "phone";
    let phone = match settings.rules().and_then(|_| settings.phone("")) {
        Ok(phone) => phone,
        Err(why) => return vec![bad(part, why, "look at the settings that begin with phone_")],
    };
    let shown = phone.provider.shown();
    let mend = "check the host and the account in --phone-url (ENDONYM_PHONE_URL), and what lies between here and there";
    let answer = tokio::time::timeout(PHONE_ANSWERS, async {
        match &phone.provider {
            Provider::None => Ok("none is configured: numbers are stored and nobody is called".to_owned()),
            Provider::Sip(settings) => {
                let why = |error: sip::Error| (error.to_string(), error.mend());
                let trunk = Trunk::visit(settings).await.map_err(why)?;
                let says = trunk.check().await.map_err(why);
                trunk.close().await;
                says.map(|says| format!("{shown}: {says}"))
            }
            Provider::Cloud(settings) => {
                let why = |why: String| (why, mend);
                let client = Client::new(settings.clone()).map_err(why)?;
                client.check().await.map(|()| format!("{shown}: the account can be used")).map_err(why)
            }
        }
    });
    let reached = match answer.await {
        Ok(Ok(says)) => good(part, says),
        Ok(Err((why, mend))) => bad(part, format!("{shown}: {why}"), mend),
        Err(_) => bad(part, format!("{shown} does not answer"), mend),
    };
    let mut findings = vec![reached];
    if phone.provider != Provider::None {
        let part = "prompts";
        findings.push(match phone.prompts.check_voice().await {
            Ok(()) => good(part, about_prompts(&phone.prompts)),
            Err(why) => bad(part, why, "check the command in --phone-voice (ENDONYM_PHONE_VOICE)"),
        });
    }
    findings
}

fn about_prompts(prompts: &Prompts) -> String {
    let about = prompts.about();
    if about.is_empty() { format!("ours, in {}", prompts.languages().join(", ")) } else { about.join("; ") }
}

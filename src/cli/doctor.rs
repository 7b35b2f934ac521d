//! `endonym doctor`

use std::process::ExitCode;

use serde_json::json;

use super::{Failure, Outcome, open, output};
use crate::{
    app::{
        Clock,
        doctor::{self, Finding, Line, Port, SecretsFault},
        studio,
    },
    config::{self, Storage},
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

/// A finding in words.
struct Shown {
    part: &'static str,
    works: bool,
    says: String,
    mend: Option<String>,
}

impl Doctor {
    pub async fn run(&self, storage: &Storage) -> Outcome {
        let mut all = vec![shown(doctor::data_folder(&storage.data_dir))];
        let (found, is_usable) = doctor::database(&storage.options(), &Clock::system()).await;
        all.extend(found.into_iter().map(shown));
        if is_usable {
            all.extend(secrets(storage).await.map(shown));
        }
        all.push(shown(doctor::blobs(&storage.blobs()).await));
        all.push(shown(doctor::listen(&self.listen).await));
        match self.phone.rules().and_then(|_| self.phone.phone("")) {
            Ok(phone) => all.extend(doctor::phone(&phone).await.into_iter().map(shown)),
            Err(why) => all.push(Shown {
                part: "phone",
                works: false,
                says: why,
                mend: Some("look at the settings that begin with phone_".to_owned()),
            }),
        }
        let healthy = all.iter().all(|one| one.works);
        if self.json {
            let part = |one: &Shown| json!({ "part": one.part, "works": one.works, "says": one.says, "mend": one.mend });
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

async fn secrets(storage: &Storage) -> Option<Finding> {
    match open(storage, studio::Settings::default()).await {
        Ok(app) => doctor::secrets(&app).await,
        Err(Failure(why)) => Some(Finding::Secrets(Err(SecretsFault::Key(why)))),
    }
}

const RIGHTS: &str = "check the rights of the database's user";
const SECRET_KEY: &str = "set --secret-key (ENDONYM_SECRET_KEY) to what it was, or bring back secret.key in the data folder; if it is lost, \
                          give each learning system its access token again with `endonym tool-consumer update`";
const PHONE_URL: &str =
    "check the host and the account in --phone-url (ENDONYM_PHONE_URL), and what lies between here and there";

fn shown(finding: Finding) -> Shown {
    let works = finding.works();
    let (part, says, mend) = match finding {
        Finding::DataFolder { path, fault } => data_folder(&path.display().to_string(), fault),
        Finding::Database(Ok(kind)) => ("database", format!("{kind} answers"), ""),
        Finding::Database(Err(why)) => (
            "database",
            why,
            "check that the server runs and that --database-url (ENDONYM_DATABASE_URL) has its host, name, user and password",
        ),
        Finding::Migrations(Ok(schema)) => migrations(&schema),
        Finding::Migrations(Err(why)) => ("migrations", why, RIGHTS),
        Finding::Jobs(Ok(queue)) => jobs(&queue),
        Finding::Jobs(Err(why)) => ("jobs", why, RIGHTS),
        Finding::Secrets(Ok(sealed)) if sealed.closed.is_empty() => (
            "secrets",
            format!("what lets us into learning systems can be opened: {} of them", sealed.all),
            "",
        ),
        Finding::Secrets(Ok(sealed)) => (
            "secrets",
            format!("cannot be opened: what lets us into {}", sealed.closed.join(", ")),
            SECRET_KEY,
        ),
        Finding::Secrets(Err(SecretsFault::Key(why))) => ("secrets", why, SECRET_KEY),
        Finding::Secrets(Err(SecretsFault::Database(why))) => ("secrets", why, RIGHTS),
        Finding::Blobs(Ok(kind)) => ("blobs", format!("{kind} can be written and read"), ""),
        Finding::Blobs(Err(why)) => (
            "blobs",
            why,
            "check --blobs-url (ENDONYM_BLOBS_URL): the bucket, the endpoint, the keys and their rights, the space that is left",
        ),
        Finding::Listen { address, port } => listen(&address, &port),
        Finding::Phone { provider, line } => phone(&provider, line),
        Finding::Prompts(Ok(found)) if found.about.is_empty() => {
            ("prompts", format!("ours, in {}", found.languages.join(", ")), "")
        }
        Finding::Prompts(Ok(found)) => ("prompts", found.about.join("; "), ""),
        Finding::Prompts(Err(why)) => {
            ("prompts", why, "check the command in --phone-voice (ENDONYM_PHONE_VOICE)")
        }
    };
    Shown { part, works, says, mend: (!mend.is_empty()).then(|| mend.to_owned()) }
}

/// The name of a part, what is found of it, and how to mend it, if it needs mending.
type Words = (&'static str, String, &'static str);

fn data_folder(path: &str, fault: Option<String>) -> Words {
    let part = "data folder";
    match fault {
        None => (part, format!("{path} can be written"), ""),
        Some(why) => (
            part,
            format!("{path} cannot be written: {why}"),
            "give this user the right to write there, free some space, or set another folder with --data-dir",
        ),
    }
}

fn migrations(schema: &doctor::Schema) -> Words {
    let (part, doctor::Schema { version, newest, .. }) = ("migrations", schema);
    if version == newest {
        (part, format!("at version {version}"), "")
    } else if version > newest {
        let says = format!("the database is at version {version}, this binary knows {newest}");
        (part, says, "use the newer endonym that made this database")
    } else if schema.migrates_by_itself {
        (part, format!("at version {version}; the next start brings it to {newest}"), "")
    } else {
        let says = format!("the database is at version {version}, this binary needs {newest}");
        (part, says, "run `endonym migrate`")
    }
}

fn jobs(queue: &doctor::Queue) -> Words {
    let (part, doctor::Queue { waiting, running, dead, is_late }) = ("jobs", queue);
    if *dead > 0 {
        (
            part,
            format!("given up: {dead}"),
            "`endonym jobs list --state dead` says why; once that is mended, `endonym jobs retry --all`",
        )
    } else if *is_late {
        (
            part,
            format!("one has been due for more than ten minutes; {waiting} waiting, {running} running"),
            "run `endonym work`, or `endonym serve` with --workers above 0; with more of them, if all are busy",
        )
    } else {
        (part, format!("{waiting} waiting, {running} running, none given up"), "")
    }
}

fn listen(address: &str, port: &Port) -> Words {
    let part = "listen";
    match port {
        Port::Free => (part, format!("{address} is free"), ""),
        Port::InUse => {
            (part, format!("{address} is in use: the server is running, or another program is"), "")
        }
        Port::Unusable(why) => (
            part,
            format!("{address} cannot be used: {why}"),
            "set an address of this machine and a free port with --listen or ENDONYM_LISTEN",
        ),
    }
}

fn phone(provider: &str, line: Line) -> Words {
    let part = "phone";
    match line {
        Line::NotConfigured => {
            (part, "none is configured: numbers are stored and nobody is called".to_owned(), "")
        }
        Line::Works(Some(says)) => (part, format!("{provider}: {says}"), ""),
        Line::Works(None) => (part, format!("{provider}: the account can be used"), ""),
        Line::Fails { why, remedy } => (part, format!("{provider}: {why}"), remedy.unwrap_or(PHONE_URL)),
        Line::Silent => (part, format!("{provider} does not answer"), PHONE_URL),
    }
}

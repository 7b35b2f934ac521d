//! Findings in words, for operators: on the command line and in their console. In English only, like the settings that they name.

use crate::store::migrations;

use super::{Connections, Finding, Line, MailFound, Port, Queue, Schema, SecretsFault};

/// A finding in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingText {
    pub part: &'static str,
    pub works: bool,
    pub says: String,
    /// What an operator can do about it.
    pub mend: Option<String>,
}

const CHECK_PERMISSIONS: &str = "check the permissions of the database user";
const SECRET_KEY: &str = "set --secret-key (ENDONYM_SECRET_KEY) to its previous value, or put back secret.key in the data directory; if it is lost, \
                          run `endonym secrets rotate` to go on with a new one, enter the access token of each learning system again with \
                          `endonym tool-consumer update`, and send invitations again";
pub const LIMITS_URL: &str = "check that the server is running, and the host, the port, the user and the password in --limits-url \
                          (ENDONYM_LIMITS_URL); use rediss:// for TLS, and set SSL_CERT_FILE for a private certificate authority";
const PHONE_URL: &str =
    "check the host and the account in --phone-url (ENDONYM_PHONE_URL), and the network path to it";

pub fn worded(finding: Finding) -> FindingText {
    let works = finding.works();
    let (part, says, mend) = match finding {
        Finding::DataFolder { path, fault } => data_folder(&path.display().to_string(), fault),
        Finding::Database(Ok(kind)) => ("database", format!("connected to {kind}"), ""),
        Finding::Database(Err(why)) => (
            "database",
            why,
            "check that the database server is running and that --database-url (ENDONYM_DATABASE_URL) has the right host, database, user and password",
        ),
        Finding::Connections(Ok(found)) => connections(&found),
        Finding::Connections(Err(why)) => ("connections", why, CHECK_PERMISSIONS),
        Finding::Migrations(Ok(schema)) => migrations(&schema),
        Finding::Migrations(Err(why)) => ("migrations", why, CHECK_PERMISSIONS),
        Finding::Citus(Ok(misplaced)) => citus(&misplaced),
        Finding::Citus(Err(why)) => ("citus", why, CHECK_PERMISSIONS),
        Finding::Jobs(Ok(queue)) => jobs(&queue),
        Finding::Jobs(Err(why)) => ("jobs", why, CHECK_PERMISSIONS),
        Finding::AccessCodes(Ok(short)) if short.is_empty() => {
            ("access codes", "none that opens API version 2 is short".to_owned(), "")
        }
        Finding::AccessCodes(Ok(short)) => (
            "access codes",
            format!("API version 2 opens with a short access code: {}", short.join(", ")),
            "switch version 2 off with `endonym name-page update PAGE --institution SLUG --allow-v2 false`; a new page has a longer access code",
        ),
        Finding::AccessCodes(Err(why)) => ("access codes", why, CHECK_PERMISSIONS),
        Finding::Secrets(Ok(sealed)) if sealed.closed.is_empty() => (
            "secrets",
            format!("the credentials of all learning systems can be decrypted: {}", sealed.all),
            "",
        ),
        Finding::Secrets(Ok(sealed)) => {
            ("secrets", format!("cannot decrypt the credentials of {}", sealed.closed.join(", ")), SECRET_KEY)
        }
        Finding::Secrets(Err(SecretsFault::Key(why))) => ("secrets", why, SECRET_KEY),
        Finding::Secrets(Err(SecretsFault::Database(why))) => ("secrets", why, CHECK_PERMISSIONS),
        Finding::Platforms { shared, unconfirmed } => platforms(&shared, &unconfirmed),
        Finding::Blobs(Ok(kind)) => ("blobs", format!("{kind} is readable and writable"), ""),
        Finding::Blobs(Err(why)) => (
            "blobs",
            why,
            "check --blobs-url (ENDONYM_BLOBS_URL): bucket, endpoint, credentials and their permissions, free space",
        ),
        Finding::Listen { address, port } => listen(&address, &port),
        Finding::Phone { provider, line } => phone(&provider, line),
        Finding::Prompts(Ok(found)) if found.about.is_empty() => {
            ("prompts", format!("built-in, in {}", found.languages.join(", ")), "")
        }
        Finding::Prompts(Ok(found)) => ("prompts", found.about.join("; "), ""),
        Finding::Prompts(Err(why)) => {
            ("prompts", why, "check the command in --phone-voice (ENDONYM_PHONE_VOICE)")
        }
        Finding::Mail(found) => mail(found),
        Finding::Limits { server, fault: None } => ("limits", format!("{server} counts rate limits"), ""),
        Finding::Limits { server, fault: Some(why) } => ("limits", format!("{server}: {why}"), LIMITS_URL),
        Finding::SsoAccounts { connection } => (
            "sso",
            format!("{connection}: every account of the provider may sign in, so it vouches for nobody"),
            "set `endonym sso update ID --domains DOMAINS` or `--tenant ID`; if every account is meant, say so with `--any-account`",
        ),
        Finding::Sso { connection, found: Ok(says) } => ("sso", format!("{connection}: {says}"), ""),
        Finding::Sso { connection, found: Err(why) } => (
            "sso",
            format!("{connection}: {why}"),
            "check the provider and the network path to it with `endonym sso test ID`; change the settings with `endonym sso update`",
        ),
    };
    FindingText { part, works, says, mend: (!mend.is_empty()).then(|| mend.to_owned()) }
}

/// The part, the finding, and the remedy, which is empty if nothing is wrong.
type Words = (&'static str, String, &'static str);

fn data_folder(path: &str, fault: Option<String>) -> Words {
    let part = "data folder";
    match fault {
        None => (part, format!("{path} is writable"), ""),
        Some(why) => (
            part,
            format!("{path} is not writable: {why}"),
            "grant this user write permission, free some disk space, or set another directory with --data-dir",
        ),
    }
}

fn platforms(shared: &[String], unconfirmed: &[String]) -> Words {
    let said =
        |names: &[String], what: &str| (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")));
    let renewed = said(
        shared,
        "to be renewed, because they use the LTI addresses and the key that all institutions shared",
    );
    let confirmed =
        said(unconfirmed, "to be confirmed, because nothing proves their issuer and nobody comes in");
    let mend = match (&renewed, &confirmed) {
        (Some(_), None) => {
            "run `endonym tool-consumer renew ID`, and enter the addresses that it prints in the learning system"
        }
        (None, Some(_)) => {
            "compare the issuer and the URLs with the platform's, then run `endonym tool-consumer confirm ID`"
        }
        _ => {
            "run `endonym tool-consumer renew ID` for those, and `endonym tool-consumer confirm ID` for these, after comparing the issuer and \
             the URLs with the platform's"
        }
    };
    ("lti", renewed.into_iter().chain(confirmed).collect::<Vec<_>>().join("; "), mend)
}

fn connections(found: &Connections) -> Words {
    let (part, Connections { nodes, per_node, max, taken }) = ("connections", found);
    let says = format!(
        "{nodes} × {per_node} = {}; PostgreSQL accepts {max}, of which {taken} are reserved or used by others",
        found.wanted()
    );
    let mend =
        "lower --database-connections (ENDONYM_DATABASE_CONNECTIONS), or raise max_connections of PostgreSQL";
    (part, says, if found.fit() { "" } else { mend })
}

fn migrations(schema: &Schema) -> Words {
    let (part, Schema { version, newest, .. }) = ("migrations", schema);
    if version == newest {
        (part, format!("at version {version} ({})", migrations::name(*version)), "")
    } else if version > newest {
        let says = format!("the database is at version {version}, this binary supports up to {newest}");
        (part, says, "use the newer endonym that created this database")
    } else if schema.migrates_by_itself {
        let (now, next) = (migrations::name(*version), migrations::name(*newest));
        (part, format!("at version {version} ({now}); the next start migrates it to {newest} ({next})"), "")
    } else {
        let (now, next) = (migrations::name(*version), migrations::name(*newest));
        let says =
            format!("the database is at version {version} ({now}), this binary needs {newest} ({next})");
        (part, says, "run `endonym migrate`")
    }
}

fn citus(misplaced: &[&str]) -> Words {
    let part = "citus";
    if misplaced.is_empty() {
        return (part, "all tables are distributed".to_owned(), "");
    }
    (
        part,
        format!("not distributed as they should be: {}", misplaced.join(", ")),
        "run `endonym migrate` with the URL of the coordinator; it leaves tables alone that were distributed otherwise: for each of those, \
         first run `SELECT undistribute_table('TABLE')` there",
    )
}

fn jobs(queue: &Queue) -> Words {
    let (part, Queue { waiting, running, dead, is_late }) = ("jobs", queue);
    if *dead > 0 {
        (
            part,
            format!("dead jobs: {dead}"),
            "run `endonym jobs list --state dead` for the errors; after fixing the cause, run `endonym jobs retry --all`",
        )
    } else if *is_late {
        (
            part,
            format!("a job has been due for more than ten minutes; {waiting} waiting, {running} running"),
            "run `endonym work`, or `endonym serve` with --workers above 0; if all workers are busy, add more",
        )
    } else {
        (part, format!("{waiting} waiting, {running} running, none dead"), "")
    }
}

fn listen(address: &str, port: &Port) -> Words {
    let part = "listen";
    match port {
        Port::Free => (part, format!("{address} is free"), ""),
        Port::InUse => (part, format!("{address} is in use: by the server, or by another program"), ""),
        Port::Unusable(why) => (
            part,
            format!("{address} cannot be used: {why}"),
            "set an address of this machine and a free port with --listen (ENDONYM_LISTEN)",
        ),
    }
}

fn phone(provider: &str, line: Line) -> Words {
    let part = "phone";
    match line {
        Line::NotConfigured => {
            (part, "not configured: numbers are stored and nobody is called".to_owned(), "")
        }
        Line::Works(Some(says)) => (part, format!("{provider}: {says}"), ""),
        Line::Works(None) => (part, format!("{provider}: the account is usable"), ""),
        Line::Fails { why, remedy } => (part, format!("{provider}: {why}"), remedy.unwrap_or(PHONE_URL)),
        Line::Silent => (part, format!("{provider} does not respond"), PHONE_URL),
    }
}

fn mail(found: MailFound) -> Words {
    let part = "mail";
    match found {
        MailFound::NotConfigured => (
            part,
            "not configured: sign-in codes are not mailed".to_owned(),
            "set --mail-url (ENDONYM_MAIL_URL) and --mail-from, or create links with `endonym sign-in-link`",
        ),
        MailFound::Works { shown, answer, is_exposed: false } => (part, format!("{shown}: {answer}"), ""),
        MailFound::Works { shown, answer, is_exposed: true } => (
            part,
            format!("{shown}: {answer}; but links in messages start with http://, so others can read them"),
            "set --base-url (ENDONYM_BASE_URL) to an https:// URL",
        ),
        MailFound::Fails { shown, why } => (
            part,
            format!("{shown}: {why}"),
            "check the host, the port and the account in --mail-url (ENDONYM_MAIL_URL), and the network path to it",
        ),
    }
}

//! Secrets on the command line. Every user of a machine sees the arguments of its processes, so a secret is given as `@FILE`, or as `-` for
//! standard input.

use std::io::Read;

use clap::{Arg, ArgMatches, parser::ValueSource};

/// The arguments that are secrets. The other ones are URLs, which may contain one.
const SECRETS: [&str; 4] = ["secret_key", "secret_key_old", "client_secret", "access_token"];
const URLS: [&str; 5] = ["database_url", "blobs_url", "mail_url", "phone_url", "limits_url"];

/// What examples have in place of a secret.
const EXAMPLES: [&str; 4] = ["change-me", "changeme", "change_me", "your-secret"];

/// Whoever starts a server with this has forgotten to replace it.
pub fn is_example(value: &str) -> bool {
    let value = value.to_lowercase();
    EXAMPLES.iter().any(|example| value.contains(example))
}

/// Reads what `@FILE` and `-` stand for.
pub(super) fn readable(arg: Arg) -> Arg {
    let id = arg.get_id().as_str();
    if SECRETS.contains(&id) || URLS.contains(&id) { arg.value_parser(read) } else { arg }
}

fn read(given: &str) -> Result<String, String> {
    if given == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(|error| error.to_string())?;
        return not_blank(&text, "standard input");
    }
    match given.strip_prefix('@') {
        Some(file) => {
            let text =
                std::fs::read_to_string(file).map_err(|error| format!("cannot read {file}: {error}"))?;
            not_blank(&text, file)
        }
        None => Ok(given.to_owned()),
    }
}

fn not_blank(text: &str, from: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err(format!("there is no secret in {from}")),
        text => Ok(text.to_owned()),
    }
}

/// The flags with which a secret was given in plain text, which others on this machine can read.
pub fn exposed(matches: &ArgMatches) -> Vec<String> {
    flags(matches, |matches, id| {
        let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
        let mut raw = is_given.then(|| matches.get_raw(id)).flatten().into_iter().flatten();
        raw.any(|raw| is_exposed(id, &raw.to_string_lossy()))
    })
}

/// The settings that still have an example in place of a secret, wherever they come from.
#[allow(clippy::disallowed_methods)]
pub fn examples(matches: &ArgMatches) -> Vec<String> {
    let is_set = |matches: &ArgMatches, id: &str| {
        matches.try_get_one::<String>(id).ok().flatten().is_some_and(|value| is_example(value))
    };
    let mut found = flags(matches, is_set);
    // What the client of S3 reads.
    let variable = "AWS_SECRET_ACCESS_KEY";
    if std::env::var(variable).is_ok_and(|value| is_example(&value)) {
        found.push(variable.to_owned());
    }
    found
}

/// The flags of secrets for which something is so, of this command and those below it.
fn flags(matches: &ArgMatches, is_so: impl Fn(&ArgMatches, &str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut next = Some(matches);
    while let Some(matches) = next {
        for id in SECRETS.into_iter().chain(URLS) {
            let flag = format!("--{}", id.replace('_', "-"));
            if matches.try_contains_id(id).is_ok() && is_so(matches, id) && !found.contains(&flag) {
                found.push(flag);
            }
        }
        next = matches.subcommand().map(|(_, matches)| matches);
    }
    found
}

fn is_exposed(id: &str, given: &str) -> bool {
    if given.is_empty() || given == "-" || given.starts_with('@') {
        return false;
    }
    // `scheme://user:password@host`, or a parameter.
    let host = given.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
    let has_password = host.is_some_and(|(user, _)| user.contains(':'));
    let has_parameter = ["password=", "secret=", "token=", "key="].iter().any(|name| given.contains(name));
    SECRETS.contains(&id) || has_password || has_parameter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_exposed_if_it_has_a_password() {
        for (given, exposed) in [
            ("postgres://endonym:secret@db/endonym", true),
            ("postgres://db/endonym?user=me&password=secret", true),
            ("postgres://endonym@db/endonym", false),
            ("sqlite:/tmp/x.db", false),
            ("@/run/secrets/url", false),
            ("-", false),
            ("", false),
        ] {
            assert_eq!(is_exposed("database_url", given), exposed, "{given}");
        }
        assert!(is_exposed("client_secret", "anything"));
    }

    #[test]
    fn examples_are_recognized() {
        assert!(["change-me", "postgres://endonym:CHANGE-ME@db/x"].iter().all(|text| is_example(text)));
        assert!(!is_example("postgres://endonym:s3cr3t@db/x"));
    }
}

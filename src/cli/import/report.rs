//! The result of each row and each file.

use std::{collections::HashSet, process::ExitCode};

use serde_json::json;

use crate::{
    app::imports::{self, Outcome, RowReport},
    cli::output,
    domain::{email::email_key, text},
};

/// Printed incrementally, so that memory does not grow with the length of the file.
pub struct Report {
    json: bool,
    pub dry_run: bool,
    begun: bool,
    rehearsed: HashSet<String>,
    created: u64,
    updated: u64,
    refused: u64,
    files: Option<Files>,
}

#[derive(Default)]
struct Files {
    stored: u64,
    refused: u64,
    unmatched: u64,
}

/// The result of a file.
pub enum FileOutcome {
    Stored { email: Option<String> },
    Refused { email: Option<String>, why: String },
    Nobody,
}

impl Report {
    pub fn new(json: bool, dry_run: bool) -> Self {
        Self {
            json,
            dry_run,
            begun: false,
            rehearsed: HashSet::new(),
            created: 0,
            updated: 0,
            refused: 0,
            files: None,
        }
    }

    /// Nothing is printed before the header of the file is valid.
    pub fn begin(&mut self) {
        if self.json && !self.begun {
            output::print_text("{\"rows\":[");
        }
        self.begun = true;
    }

    pub fn row(&mut self, row: &RowReport) {
        let RowReport { line, email, identifier, outcome } = row;
        let first = self.created + self.updated + self.refused == 0;
        // A dry run rolls back each group, so people who occur again in a later group are remembered here.
        let again = self.dry_run && *outcome == Outcome::Created && !self.rehearsed.insert(email_key(email));
        if self.dry_run && *outcome == Outcome::Created {
            self.rehearsed.extend(identifier.as_deref().map(text::nfc));
        }
        let (word, why) = match outcome {
            Outcome::Created if !again => ("created", None),
            Outcome::Created | Outcome::Updated => ("updated", None),
            Outcome::Refused(errors) => ("refused", Some(errors.to_string())),
        };
        match word {
            "created" => self.created += 1,
            "updated" => self.updated += 1,
            _ => self.refused += 1,
        }
        if self.json {
            let object = json!({ "line": line, "email": email, "outcome": word, "reason": why });
            element(first, &object);
        } else {
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            output::print_line(&format!("line {line}: {word} {email}{why}"));
        }
    }

    /// Would a person with this name exist by now if this were not a dry run?
    pub fn would_exist(&self, file: &str) -> bool {
        imports::names(file).any(|(email, identifier)| {
            self.rehearsed.contains(&email) || self.rehearsed.contains(&identifier)
        })
    }

    pub fn end_of_rows(&mut self) {
        self.begin();
        if self.json {
            output::print_text("]");
        }
    }

    pub fn begin_files(&mut self) {
        self.files = Some(Files::default());
        if self.json {
            output::print_text(",\"recordings\":[");
        }
    }

    pub fn file(&mut self, name: &str, outcome: FileOutcome) {
        let files = self.files.get_or_insert_default();
        let first = files.stored + files.refused + files.unmatched == 0;
        let (word, email, why) = match outcome {
            FileOutcome::Stored { email } => ("stored", email, None),
            FileOutcome::Refused { email, why } => ("refused", email, Some(why)),
            FileOutcome::Nobody => {
                let why = "matches nobody on this page: name the file after an email or institution_id";
                ("unmatched", None, Some(why.to_owned()))
            }
        };
        match word {
            "stored" => files.stored += 1,
            "refused" => files.refused += 1,
            _ => files.unmatched += 1,
        }
        if self.json {
            element(first, &json!({ "file": name, "email": email, "outcome": word, "reason": why }));
        } else {
            let person = email.map_or_else(String::new, |email| format!(" for {email}"));
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            output::print_line(&format!("recording {name}: {word}{person}{why}"));
        }
    }

    pub fn end(self) -> ExitCode {
        let (created, updated, refused) = (self.created, self.updated, self.refused);
        let would = if self.dry_run { " (dry run: nothing was changed)" } else { "" };
        let good = match self.files {
            None => true,
            Some(Files { stored, refused, unmatched }) if self.json => {
                output::print_text(&format!(
                    "],\"recordings_stored\":{stored},\"recordings_refused\":{refused},\"recordings_unmatched\":{unmatched}"
                ));
                refused + unmatched == 0
            }
            Some(Files { stored, refused, unmatched }) => {
                output::print_line(&format!(
                    "{stored} recordings stored, {refused} refused, {unmatched} match nobody{would}"
                ));
                refused + unmatched == 0
            }
        };
        if self.json {
            output::print_line(&format!(
                ",\"created\":{created},\"updated\":{updated},\"refused\":{refused},\"dry_run\":{}}}",
                self.dry_run
            ));
        } else {
            output::print_line(&format!("{created} created, {updated} updated, {refused} refused{would}"));
        }
        if refused == 0 && good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn element(first: bool, object: &serde_json::Value) {
    let comma = if first { "" } else { "," };
    output::print_text(&format!("{comma}{object}"));
}

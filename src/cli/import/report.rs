//! The result of each row and each file.

use std::{collections::HashSet, process::ExitCode};

use serde_json::json;

use crate::{
    app::imports::{self, FileOutcome, Outcome, RowReport},
    cli::output,
    domain::{email::email_key, text},
};

/// Printed incrementally, so that memory does not grow with the length of the file, except in a dry run.
pub struct Report {
    json: bool,
    pub dry_run: bool,
    begun: bool,
    rehearsed: HashSet<String>,
    created: u64,
    /// Of people who were on the page already, changed or not.
    updated: u64,
    unchanged: u64,
    skipped: u64,
    refused: u64,
    files: Option<Files>,
}

#[derive(Default)]
struct Files {
    stored: u64,
    refused: u64,
    unmatched: u64,
}

/// People who would exist if this were not a dry run.
pub struct Expected(HashSet<String>);

impl Expected {
    /// Would a person with this name exist by now?
    pub fn has(&self, file: &str) -> bool {
        imports::names(file)
            .any(|(email, identifier)| self.0.contains(&email) || self.0.contains(&identifier))
    }
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
            unchanged: 0,
            skipped: 0,
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
        let first = self.created + self.updated + self.skipped + self.refused == 0;
        // A dry run writes nothing, so people who occur again in a later group are remembered here.
        let again = self.dry_run && *outcome == Outcome::Created && !self.rehearsed.insert(email_key(email));
        if self.dry_run && *outcome == Outcome::Created {
            self.rehearsed.extend(identifier.as_deref().map(text::nfc));
        }
        let mut changed: &[String] = &[];
        let (word, why) = match outcome {
            Outcome::Created if !again => ("created", None),
            Outcome::Created => ("updated", None),
            Outcome::Updated(fields) => {
                changed = fields;
                ("updated", None)
            }
            Outcome::Unchanged => ("unchanged", None),
            Outcome::Skipped => ("skipped", Some("marked as deleted in the source system".to_owned())),
            Outcome::Refused(errors) => ("refused", Some(errors.to_string())),
        };
        match word {
            "created" => self.created += 1,
            "updated" => self.updated += 1,
            "unchanged" => {
                self.updated += 1;
                self.unchanged += 1;
            }
            "skipped" => self.skipped += 1,
            _ => self.refused += 1,
        }
        if self.json {
            let mut object = json!({ "line": line, "email": email, "outcome": word, "reason": why });
            if !changed.is_empty() {
                object["changed"] = json!(changed);
            }
            element(first, &object);
        } else {
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            let changed =
                if changed.is_empty() { String::new() } else { format!(" ({})", changed.join(", ")) };
            output::print_line(&format!("line {line}: {word} {email}{changed}{why}"));
        }
    }

    pub fn expected(&mut self) -> Expected {
        Expected(std::mem::take(&mut self.rehearsed))
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
            FileOutcome::Refused { email, why } => ("refused", email, Some(why.to_string())),
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
        let (unchanged, skipped) = (self.unchanged, self.skipped);
        if self.json {
            // Absent where there are none.
            let more =
                [("unchanged", unchanged), ("skipped", skipped)].into_iter().filter(|(_, count)| *count > 0);
            let more: String = more.map(|(key, count)| format!(",\"{key}\":{count}")).collect();
            output::print_line(&format!(
                ",\"created\":{created},\"updated\":{updated},\"refused\":{refused}{more},\"dry_run\":{}}}",
                self.dry_run
            ));
        } else {
            let unchanged =
                if unchanged > 0 { format!(" (of whom {unchanged} unchanged)") } else { String::new() };
            let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
            output::print_line(&format!(
                "{created} created, {updated} updated{unchanged}, {refused} refused{skipped}{would}"
            ));
        }
        if refused == 0 && good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn element(first: bool, object: &serde_json::Value) {
    let comma = if first { "" } else { "," };
    output::print_text(&format!("{comma}{object}"));
}

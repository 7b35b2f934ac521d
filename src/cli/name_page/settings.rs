//! The settings of a name page, as flags.

use clap::Args;

use crate::{
    app::page_settings::Change,
    cli::Failure,
    domain::{
        custom_field::name_of_import_key,
        page_settings::{Asking, Listen, Moderation, Register},
    },
};

/// The names of the fields are not those of the flags, so that no variable of the environment sets them: `--listen` is also a flag
/// of `serve`.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Settings")]
pub struct Settings {
    /// What visitors read about the page; empty for none
    #[arg(long = "description", value_name = "TEXT")]
    page_description: Option<String>,
    /// Date of the ceremony or first lecture, like 2027-05-31; empty for none
    #[arg(long = "date", value_name = "DATE")]
    page_date: Option<String>,
    /// Who may register: those who are invited, those with an email at --domains, those who know the event code, or anybody
    #[arg(long = "register", value_name = "WHO", value_parser = Register::ALL.map(Register::word))]
    page_register: Option<String>,
    /// Domains of emails for --register domain, like example.edu,*.example.org; empty for none
    #[arg(long = "domains", value_name = "DOMAINS")]
    page_domains: Option<String>,
    /// Who may listen: managers only, also those who are registered on the page, also those who have signed in to the
    /// institution, or anybody with the link
    #[arg(long = "listen", value_name = "WHO", value_parser = Listen::ALL.map(Listen::word))]
    page_listen: Option<String>,
    /// Hold new recordings until a manager has approved them, or not
    #[arg(long = "moderation", value_name = "HOW", value_parser = Moderation::ALL.map(Moderation::word))]
    page_moderation: Option<String>,
    /// When the page stops taking recordings: 2027-05-31T18:00 in the institution's time zone, 2027-05-31T18:00Z, 2027-05-31 for
    /// the end of that day, or never
    #[arg(long = "closes", value_name = "TIME")]
    page_closes: Option<String>,
    /// How a field is asked for: off, optional, required, or for custom fields default, as the field itself says. Fields are name,
    /// phonetic, pronouns, photo, notes, and the names of custom fields; can be repeated
    #[arg(long = "ask", value_name = "FIELD=HOW", value_parser = ask)]
    page_ask: Vec<(String, Option<Asking>)>,
    /// Maximum length of a recording; empty for the installation's limit
    #[arg(long = "take-seconds", value_name = "N")]
    page_take_seconds: Option<String>,
    /// Delete recordings this many days after the date; people are told 14 days before. Empty to keep them
    #[arg(long = "delete-after-days", value_name = "N")]
    page_delete_after_days: Option<String>,
}

/// `None` for `default`.
fn ask(given: &str) -> Result<(String, Option<Asking>), String> {
    let wanted = || {
        format!("use FIELD=HOW, where HOW is one of {}, default", Asking::ALL.map(Asking::word).join(", "))
    };
    let (field, word) = given.split_once('=').ok_or_else(wanted)?;
    let asking = match word.trim() {
        "default" => None,
        word => Some(Asking::parse(word).ok_or_else(wanted)?),
    };
    Ok((field.trim().to_owned(), asking))
}

/// The name of a custom field, with or without its prefix.
fn field_name(given: String) -> String {
    match name_of_import_key(&given) {
        Some(name) => name.to_owned(),
        None => given,
    }
}

impl Settings {
    pub(super) fn is_empty(&self) -> bool {
        let texts = [
            &self.page_description,
            &self.page_date,
            &self.page_register,
            &self.page_domains,
            &self.page_listen,
            &self.page_moderation,
            &self.page_closes,
            &self.page_take_seconds,
            &self.page_delete_after_days,
        ];
        texts.iter().all(|text| text.is_none()) && self.page_ask.is_empty()
    }

    pub(super) fn change(self) -> Result<Change, Failure> {
        let (mut asked, mut asked_by_default) = (Vec::new(), Vec::new());
        for (field, asking) in self.page_ask {
            match asking {
                Some(asking) => asked.push((field, asking)),
                None => asked_by_default.push(field_name(field)),
            }
        }
        Ok(Change {
            title: None,
            allow_v2: None,
            description: self.page_description,
            date: self.page_date,
            register: self.page_register.as_deref().and_then(Register::parse),
            domains: self.page_domains.map(|all| all.split(',').map(str::to_owned).collect()),
            listen: self.page_listen.as_deref().and_then(Listen::parse),
            moderation: self.page_moderation.as_deref().and_then(Moderation::parse),
            closes: self.page_closes,
            asked,
            asked_by_default,
            take_seconds: self.page_take_seconds.map(|given| number("--take-seconds", &given)).transpose()?,
            delete_after_days: self
                .page_delete_after_days
                .map(|given| number("--delete-after-days", &given))
                .transpose()?,
            base: None,
        })
    }
}

/// `None` for an empty text.
fn number(flag: &str, given: &str) -> Result<Option<u32>, Failure> {
    let given = given.trim();
    if given.is_empty() {
        return Ok(None);
    }
    let parsed = given.parse().map(Some);
    parsed.map_err(|_| Failure(format!("{flag} must be a number or empty, not `{given}`")))
}

//! `endonym name-page …`

use std::{
    fs::{File, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{Failure, Outcome, institution, output, page_ref};
use crate::{
    app::{
        Actor, App, Error, Links, coverage, name_pages,
        page_exports::{self, Format, PageExport},
        page_settings::{self, Change},
        streams::Chunks,
    },
    config::PublicUrl,
    domain::{
        self,
        coverage::Coverage,
        institution::Institution,
        name_page::NamePageRef,
        page_settings::{Asking, Listen, Moderation, PageSettings, Register},
    },
};

/// Create, list, update, copy, archive and delete name pages
#[derive(Debug, Subcommand)]
pub enum NamePage {
    /// Create a name page
    ///
    /// For example: endonym name-page create --institution example-university --title "Class of 2027"
    Create {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        title: String,
        /// Short name for URLs [default: derived from the title]
        #[arg(long)]
        slug: Option<String>,
        /// Access code for API versions 2 and 3 [default: generated]
        #[arg(long, value_name = "CODE")]
        access_code: Option<String>,
        /// Enable API version 2: anyone who knows the access code can read everyone on the page without a token
        #[arg(long)]
        allow_v2: bool,
        #[command(flatten)]
        settings: Box<Settings>,
        #[arg(long)]
        json: bool,
    },
    /// List an institution's name pages
    List {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// List the archived name pages instead
        #[arg(long)]
        archived: bool,
        #[arg(long)]
        json: bool,
    },
    /// Show a name page with its settings and figures
    ///
    /// For example: endonym name-page show --institution example-university class-of-2027
    Show {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The page's id, slug, event code or access code
        #[arg(value_name = "REF")]
        page: String,
        #[arg(long)]
        json: bool,
    },
    /// Update a name page
    ///
    /// For example: endonym name-page update --institution example-university class-of-2027 --register domain
    /// --domains example.edu --closes 2027-05-31T18:00
    Update {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The page's id, slug, event code or access code
        #[arg(value_name = "REF")]
        page: String,
        /// Enable API version 2, where the access code alone is enough to read everyone on the page: true or false
        #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
        allow_v2: Option<bool>,
        #[arg(long = "title", value_name = "TITLE")]
        page_title: Option<String>,
        #[command(flatten)]
        settings: Box<Settings>,
        #[arg(long)]
        json: bool,
    },
    /// Copy a name page with its settings, and without recordings
    ///
    /// For example: endonym name-page copy --institution example-university class-of-2027 --title "Class of 2028"
    Copy {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The id, slug, event code or access code of the page to copy
        #[arg(value_name = "REF")]
        page: String,
        #[arg(long)]
        title: String,
        /// Short name for URLs [default: derived from the title]
        #[arg(long)]
        slug: Option<String>,
        /// Copy everybody who has an email, too, without their recordings; they follow in the background
        #[arg(long)]
        with_people: bool,
        #[arg(long)]
        json: bool,
    },
    /// Archive a name page: it takes no registrations and recordings, sends no reminders, and is not listed
    ///
    /// For example: endonym name-page archive --institution example-university class-of-2026
    Archive {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The page's id, slug, event code or access code
        #[arg(value_name = "REF")]
        page: String,
        /// Take it out of the archive
        #[arg(long)]
        undo: bool,
    },
    /// Write everybody on a name page to a file
    ///
    /// For example: endonym name-page export class-of-2027 --institution example-university --format xlsx --out class.xlsx
    ///
    /// `xlsx` and `csv` have a row for each person, `zip` has the recordings as MP3 files named Last_First.mp3, and `vcard` has cards
    /// for address books. Recordings that are paused or held are left out.
    Export {
        /// The page's id, slug, event code or access code
        #[arg(value_name = "REF")]
        page: String,
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long, value_name = "FORMAT", value_parser = Format::WORDS)]
        format: String,
        /// The file to create; it must not exist
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        reached: PublicUrl,
    },
    /// Delete a name page and all registrations on it
    Delete {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The page's id, slug, event code or access code
        #[arg(value_name = "REF")]
        page: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

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
    /// Delete recordings so many days after the date; people are told 14 days before. Empty to keep them
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
    match domain::custom_field::name_of_import_key(&given) {
        Some(name) => name.to_owned(),
        None => given,
    }
}

impl Settings {
    fn is_empty(&self) -> bool {
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

    fn change(self) -> Result<Change, Failure> {
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
            version: None,
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

impl NamePage {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::Create { institution: owner, title, slug, access_code, allow_v2, settings, json } => {
                let owner = institution(app, &owner).await?;
                let new = name_pages::New { title, slug, access_code, allow_v2 };
                let change = settings.change()?;
                let made = name_pages::create_with(app, &Actor::Operator, owner.id, new, change).await?;
                created(&owner, &made, json);
            }
            Self::List { institution: owner, archived, json } => {
                let owner = institution(app, &owner).await?;
                list(&coverage::all(app, &Actor::Operator, owner.id, archived).await?, json);
            }
            Self::Show { institution: slug, page, json } => {
                let owner = institution(app, &slug).await?;
                show(app, &owner, &page_ref(&page)?, json)
                    .await
                    .map_err(|error| unknown(error, &slug, &page))?;
            }
            Self::Update { institution: slug, page, allow_v2, page_title, settings, json } => {
                let owner = institution(app, &slug).await?;
                let reference = page_ref(&page)?;
                let has_settings = page_title.is_some() || !settings.is_empty();
                if allow_v2.is_none() && !has_settings {
                    let hint = "nothing to change: run `endonym name-page update --help` to see all settings";
                    return Err(Failure(hint.to_owned()));
                }
                let changed = if has_settings {
                    let change = Change { title: page_title, allow_v2, ..settings.change()? };
                    page_settings::update(app, &Actor::Operator, owner.id, &reference, change).await
                } else {
                    let allow = allow_v2.unwrap_or_default();
                    name_pages::allow_v2(app, &Actor::Operator, owner.id, &reference, allow).await
                };
                let changed = changed.map_err(|error| unknown(error, &slug, &page))?;
                if let Some(allow) = allow_v2 {
                    told_of_v2(&owner, &changed, allow, json);
                }
                if has_settings || json {
                    show(app, &owner, &reference, json).await?;
                }
            }
            Self::Copy { institution: slug, page, title, slug: wanted, with_people, json } => {
                let owner = institution(app, &slug).await?;
                let (operator, reference) = (&Actor::Operator, page_ref(&page)?);
                let made = if with_people {
                    name_pages::copy_with_people(app, operator, owner.id, &reference, title, wanted).await
                } else {
                    name_pages::copy(app, operator, owner.id, &reference, title, wanted).await
                };
                created(&owner, &made.map_err(|error| unknown(error, &slug, &page))?, json);
            }
            Self::Archive { institution: slug, page, undo } => {
                let owner = institution(app, &slug).await?;
                let reference = page_ref(&page)?;
                let done = name_pages::archive(app, &Actor::Operator, owner.id, &reference, !undo).await;
                let done = done.map_err(|error| unknown(error, &slug, &page))?;
                let what = if undo { "is not archived any more" } else { "is archived" };
                output::print_line(&format!("Name page `{}` {what}.", done.slug));
            }
            Self::Export { page, institution: slug, format, out, json, reached } => {
                let format =
                    Format::parse(&format).ok_or_else(|| Failure(format!("{format} is not a format")))?;
                let links = Links::new(&reached.base_url().map_err(Failure)?);
                export(app, (&slug, &page), format, &links, &out, json).await?;
            }
            Self::Delete { institution: slug, page, yes } => {
                let owner = institution(app, &slug).await?;
                let reference = page_ref(&page)?;
                let found = name_pages::find(app, &Actor::Operator, owner.id, &reference).await;
                let found = found.map_err(|error| unknown(error, &slug, &page))?;
                let what = format!(
                    "This permanently deletes name page `{}` ({}) with all its people.",
                    found.slug, found.title
                );
                output::confirm(yes, &what)?;
                let people = name_pages::delete(app, &Actor::Operator, owner.id, &reference).await?;
                output::print_line(&format!("Deleted name page `{}` with {people} people.", found.slug));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn export(
    app: &App,
    (slug, page): (&str, &str),
    format: Format,
    links: &Links,
    out: &Path,
    json: bool,
) -> Result<(), Failure> {
    let owner = institution(app, slug).await?;
    let language = owner.language.unwrap_or_default();
    let reference = page_ref(page)?;
    let begun =
        page_exports::export(app, &Actor::Operator, owner.id, &reference, format, links, language).await;
    let begun = begun.map_err(|error| unknown(error, slug, page))?;
    let cannot = |why: String| Failure(format!("cannot write {}: {why}", out.display()));
    // Readable only by the user who asked for it: it holds personal data.
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(out);
    let file = file.map_err(|error| cannot(error.to_string()))?;
    let (bytes, missing) = match write(begun, file).await {
        Ok(written) => written,
        Err(failure) => {
            let _ = std::fs::remove_file(out);
            return Err(cannot(failure.0));
        }
    };
    if json {
        output::print_json(&json!({ "out": out, "bytes": bytes, "missing": missing }));
    } else {
        output::print_line(&format!("{}: {bytes} bytes", out.display()));
        for name in missing {
            eprintln!("note: the recording for {name} is not in the blob store");
        }
    }
    Ok(())
}

/// Returns the size of the file, and the recordings that the blob store does not have.
async fn write(mut export: PageExport, mut file: File) -> Result<(u64, Vec<String>), Failure> {
    let mut bytes = 0;
    while let Some(chunk) = export.next().await? {
        file.write_all(&chunk)?;
        bytes += chunk.len() as u64;
    }
    file.sync_all()?;
    Ok((bytes, export.missing))
}

fn created(owner: &Institution, made: &domain::name_page::NamePage, json: bool) {
    let notice = made.allow_v2.then(|| v2_notice(owner, made));
    if json {
        if let Some(notice) = notice {
            eprintln!("{notice}");
        }
        output::print_json(&json!({
            "id": made.id.to_string(), "slug": made.slug,
            "event_code": made.event_code, "access_code": made.access_code,
        }));
        return;
    }
    output::print_line(&format!(
        "Created name page `{}` with event code {} and access code {}.",
        made.slug, made.event_code, made.access_code
    ));
    if let Some(notice) = notice {
        output::print_line(&notice);
    }
}

fn told_of_v2(owner: &Institution, page: &domain::name_page::NamePage, allow: bool, json: bool) {
    // Standard output is for one JSON object.
    let say = |line: &str| if json { eprintln!("{line}") } else { output::print_line(line) };
    let answers = if allow { "answers" } else { "does not answer" };
    say(&format!("Name page `{}` {answers} version 2.", page.slug));
    if allow {
        say(&v2_notice(owner, page));
    }
}

/// Warns who can now read the page.
fn v2_notice(owner: &Institution, page: &domain::name_page::NamePage) -> String {
    format!(
        "API version 2 does not require a token. Anyone who knows the access code {page_code} can now read the names, email \
         addresses, recordings and badge links of everyone on this page, also from scripts on any website. So can \
         anyone who knows the institution's access code {own_code}. Treat both codes as passwords. To disable version 2 again:\n  \
         endonym name-page update --institution {slug} {page} --allow-v2 false",
        page_code = page.access_code,
        own_code = owner.access_code,
        slug = owner.slug,
        page = page.slug,
    )
}

fn unknown(error: Error, slug: &str, page: &str) -> Failure {
    match error {
        Error::Missing(_) => Failure(format!(
            "`{slug}` has no name page `{page}`: run `endonym name-page list --institution {slug}` to see all pages"
        )),
        other => other.into(),
    }
}

async fn show(app: &App, owner: &Institution, reference: &NamePageRef, json: bool) -> Result<(), Error> {
    let page = name_pages::find(app, &Actor::Operator, owner.id, reference).await?;
    let figures = coverage::of(app, &Actor::Operator, owner.id, reference).await?;
    let settings = page_settings::find(app, owner.id, page.id).await?;
    let mut shown = summary(&page, figures);
    shown["path"] = json!(format!("/p/{}", page.slug));
    for (key, value) in settings_of(owner, &settings) {
        shown[key] = value;
    }
    if json {
        output::print_json(&shown);
        return Ok(());
    }
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        Value::Object(all) => {
            let pair =
                |(key, value): (&String, &Value)| format!("{key}={}", value.as_str().unwrap_or_default());
            all.iter().map(pair).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    };
    let rows: Vec<Vec<String>> =
        ORDER.iter().map(|key| vec![(*key).to_owned(), text(&shown[*key])]).collect();
    output::print_table(&["SETTING", "VALUE"], &rows);
    Ok(())
}

/// How a page is shown as a table.
const ORDER: [&str; 23] = [
    "id",
    "title",
    "slug",
    "path",
    "event_code",
    "access_code",
    "allow_v2",
    "participants",
    "recorded",
    "invited",
    "description",
    "date",
    "register",
    "domains",
    "listen",
    "moderation",
    "closes_at",
    "asked",
    "take_seconds",
    "delete_after_days",
    "deletes_at",
    "announced_at",
    "archived_at",
];

fn settings_of(owner: &Institution, settings: &PageSettings) -> Vec<(&'static str, Value)> {
    let zone = &owner.time_zone;
    let time = |moment: Option<domain::moment::Moment>| json!(moment.map(|moment| moment.shown_in(zone)));
    vec![
        ("description", json!(settings.description)),
        ("date", json!(settings.date.map(|date| date.to_string()))),
        ("register", json!(settings.register.word())),
        ("domains", settings.domains.iter().map(|domain| json!(domain.to_string())).collect()),
        ("listen", json!(settings.listen.word())),
        ("moderation", json!(settings.moderation.word())),
        ("closes_at", time(settings.closes_at)),
        ("asked", json!(settings.asked.words())),
        ("take_seconds", json!(settings.take_seconds)),
        ("delete_after_days", json!(settings.delete_after_days)),
        ("deletes_at", time(settings.deletes_at(zone))),
        ("announced_at", time(settings.announced_at)),
        ("archived_at", time(settings.archived_at)),
    ]
}

fn summary(page: &domain::name_page::NamePage, figures: Coverage) -> Value {
    json!({
        "id": page.id.to_string(),
        "title": page.title,
        "slug": page.slug,
        "event_code": page.event_code,
        "access_code": page.access_code,
        "allow_v2": page.allow_v2,
        "participants": figures.registered,
        "recorded": figures.recorded,
        "invited": figures.invited,
        "created_at": output::time(page.created_at),
    })
}

fn list(all: &[(domain::name_page::NamePage, Coverage)], json: bool) {
    if json {
        let shown: Vec<Value> = all.iter().map(|(page, figures)| summary(page, *figures)).collect();
        output::print_json(&json!({ "name_pages": shown }));
        return;
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|(page, figures)| {
            vec![
                page.slug.clone(),
                page.title.clone(),
                page.event_code.clone(),
                page.access_code.clone(),
                if page.allow_v2 { "yes" } else { "no" }.to_owned(),
                figures.registered.to_string(),
                figures.recorded.to_string(),
            ]
        })
        .collect();
    let headings = ["SLUG", "TITLE", "EVENT CODE", "ACCESS CODE", "VERSION 2", "PEOPLE", "RECORDED"];
    output::print_table(&headings, &rows);
}

//! `endonym invite`

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::ArgGroup;
use serde_json::{Value, json};

use super::{Failure, Outcome, institution, output, page_ref, unknown_page};
use crate::{
    app::{
        Actor, App,
        invitations::{self, Delivery, Report, Terms},
    },
    config::{self, PublicUrl},
    domain::{
        address_list::{AddressFault, AddressList, Excess, MOST_BYTES, MOST_ENTRIES, Unread},
        formula::csv_row,
        language::Language,
    },
};

/// Invite people to record their name on a name page
///
/// Each of them gets a personal link that leads straight to the recorder. People who have already recorded, or have a valid
/// invitation, get no message. People who do not record are reminded up to three times, at least three days apart.
///
/// For example: endonym invite --institution example-university --name-page class-of-2027 "Ada Lovelace <ada@example.edu>"
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("whom").required(true).args(["all_unrecorded", "emails", "file"])))]
pub struct Invite {
    /// Addresses, like `ada@example.edu` or `Ada Lovelace <ada@example.edu>`
    #[arg(value_name = "EMAIL")]
    emails: Vec<String>,
    #[arg(long, value_name = "SLUG")]
    institution: String,
    /// The page's id, slug, event code or access code
    #[arg(long, value_name = "REF")]
    name_page: String,
    /// Invite everybody on the page who has an address and no recording
    #[arg(long)]
    all_unrecorded: bool,
    /// Read the addresses from a text file, with any separator; - for standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print the personal links instead of mailing them: a CSV file with the columns email and link, for a mail merge
    #[arg(long)]
    csv: bool,
    /// Send no reminders
    #[arg(long)]
    no_reminders: bool,
    /// Language of the message for people who have not chosen one, like de [default: the institution's]
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<String>,
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sending: Sending,
}

/// The settings of whoever sends invitations.
#[derive(Debug, clap::Args)]
pub struct Sending {
    #[command(flatten)]
    life: config::Invitations,
    #[command(flatten)]
    reached: PublicUrl,
    #[command(flatten)]
    mail: config::Mail,
}

impl Sending {
    /// Fails without a mail server, and says what to do `instead`.
    pub fn require_mail(&self, instead: &str) -> Result<(), Failure> {
        match self.mail.mailer().map_err(Failure)?.is_configured() {
            true => Ok(()),
            false => {
                Err(Failure(format!("mail is not configured: set --mail-url (ENDONYM_MAIL_URL){instead}")))
            }
        }
    }

    /// By mail, with reminders.
    pub fn terms(&self) -> Result<Terms, Failure> {
        Ok(Terms {
            delivery: Delivery::Mail,
            reminders: true,
            language: None,
            life: self.life.life(),
            base_url: self.reached.base_url().map_err(Failure)?,
        })
    }
}

impl Invite {
    pub async fn run(&self, app: &App) -> Outcome {
        let terms = self.terms()?;
        let page = page_ref(&self.name_page)?;
        let owner = institution(app, &self.institution).await?;
        let unknown = |error| unknown_page(error, &self.institution, &self.name_page);
        let (list, report) = if self.all_unrecorded {
            let report = invitations::invite_unrecorded(app, &Actor::Operator, owner.id, &page, &terms).await;
            (AddressList::default(), report)
        } else {
            let mut list = self.list()?;
            let invitees = std::mem::take(&mut list.invitees);
            let report = invitations::invite(app, &Actor::Operator, owner.id, &page, invitees, &terms).await;
            (list, report)
        };
        self.tell(&list, &report.map_err(unknown)?)?;
        Ok(if list.faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn terms(&self) -> Result<Terms, Failure> {
        if !self.csv {
            self.sending
                .require_mail(", or pass --csv to print the personal links and send them yourself")?;
        }
        let language = match self.language.as_deref() {
            Some(tag) => {
                let all = Language::ALL.map(Language::tag).join(", ");
                let unknown =
                    || Failure(format!("there are no texts in the language `{tag}`: use one of {all}"));
                Some(Language::parse(tag).ok_or_else(unknown)?)
            }
            None => None,
        };
        Ok(Terms {
            delivery: if self.csv { Delivery::Links } else { Delivery::Mail },
            reminders: !self.no_reminders,
            language,
            ..self.sending.terms()?
        })
    }

    fn list(&self) -> Result<AddressList, Failure> {
        let text = match &self.file {
            Some(file) => read(file)?,
            None => self.emails.join("\n"),
        };
        AddressList::parse(&text).map_err(|excess| {
            Failure(match excess {
                Excess::Bytes => format!("the list is too large: at most {} MB", MOST_BYTES >> 20),
                Excess::Entries => {
                    format!("the list is too long: at most {MOST_ENTRIES} addresses at a time")
                }
            })
        })
    }

    fn tell(&self, list: &AddressList, report: &Report) -> Result<(), Failure> {
        for Unread { text, fault } in &list.unread {
            eprintln!("not invited: {text}: {}", why(*fault));
        }
        if self.json {
            output::print_json(&as_json(list, report, self.csv));
            return Ok(());
        }
        let lines = summary(list, report, self.csv);
        if self.csv {
            output::print_text(&as_csv(&report.links));
            // Standard output is the file.
            for line in lines {
                eprintln!("{line}");
            }
        } else {
            for line in lines {
                output::print_line(&line);
            }
        }
        Ok(())
    }
}

/// At most a byte more than permitted, so that a huge file is refused without being read.
fn read(file: &Path) -> Result<String, Failure> {
    let named = if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
    let cannot = |error| Failure(format!("cannot read {named}: {error}"));
    let source: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(std::io::stdin()),
        false => Box::new(File::open(file).map_err(cannot)?),
    };
    let mut bytes = Vec::new();
    source.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() > MOST_BYTES {
        return Err(Failure(format!("{named} is too large: at most {} MB", MOST_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| Failure(format!("{named} is not UTF-8 text")))
}

const fn why(fault: AddressFault) -> &'static str {
    match fault {
        AddressFault::NotAnAddress => "not an email address",
        AddressFault::BadName => "the name is too long or contains a control character",
    }
}

fn summary(list: &AddressList, report: &Report, is_csv: bool) -> Vec<String> {
    let done = if is_csv { "Links made" } else { "Invited" };
    let mut lines = vec![format!("{done}: {}", report.invited)];
    for (label, count) in [
        ("Invited before", report.already),
        ("Recorded already", report.recorded),
        ("Want no mail", report.opted_out),
        ("Address rejected by the mail server", report.bounced),
        ("Repeated in the list", list.duplicates as u64),
        ("Not understood", list.faults as u64),
    ] {
        if count > 0 {
            lines.push(format!("{label}: {count}"));
        }
    }
    lines
}

fn as_json(list: &AddressList, report: &Report, is_csv: bool) -> Value {
    let unread = |one: &Unread| json!({ "text": one.text, "fault": why(one.fault) });
    let mut shown = json!({
        "invited": report.invited,
        "already": report.already,
        "recorded": report.recorded,
        "opted_out": report.opted_out,
        "bounced": report.bounced,
        "duplicates": list.duplicates,
        "unread": list.unread.iter().map(unread).collect::<Vec<_>>(),
    });
    if is_csv {
        let link = |(email, link): &(String, String)| json!({ "email": email, "link": link });
        shown["links"] = report.links.iter().map(link).collect();
    }
    shown
}

/// An address may begin like a formula, which a spreadsheet would evaluate.
fn as_csv(links: &[(String, String)]) -> String {
    let rows = links.iter().map(|(email, link)| csv_row([email, link]));
    std::iter::once(csv_row(["email", "link"])).chain(rows).collect()
}

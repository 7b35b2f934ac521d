//! `endonym sso …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};

use super::{Failure, Outcome, institution, output, secret, slugs};
use crate::{
    app::{
        Actor, App, Error,
        sso::{self, Registration},
    },
    config::PublicUrl,
    domain::sso::Connection,
};

/// Connect OpenID providers, so that people sign in with the account of their institution
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Connect an OpenID provider, and print the URLs to register there
    ///
    /// For example: endonym sso create --institution example-university --issuer https://login.example.edu --client-id endonym
    /// --client-secret - --domains example.edu --name "Example login" < secret
    Create {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The provider's issuer, exactly as its configuration document writes it
        #[arg(long, value_name = "URL")]
        issuer: String,
        /// Client id that the provider assigned to Endonym
        #[arg(long, value_name = "ID")]
        client_id: String,
        /// Client secret that the provider assigned to Endonym; `-` reads it from standard input
        #[arg(long, value_name = "SECRET")]
        client_secret: String,
        /// Domains of emails that are accepted, like example.edu,*.example.org [default: all]
        #[arg(long, value_name = "DOMAINS", value_delimiter = ',')]
        domains: Vec<String>,
        /// Label of the button on the sign-in page [default: the issuer's host]
        #[arg(long, value_name = "LABEL")]
        name: Option<String>,
        /// Accept emails without email_verified; only for providers that control all addresses in --domains, such as Microsoft Entra
        #[arg(long)]
        trust_unverified_email: bool,
        #[command(flatten)]
        reached: PublicUrl,
        #[arg(long)]
        json: bool,
    },
    /// List connections, without their secrets
    List {
        #[arg(long, value_name = "SLUG")]
        institution: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// Update a connection; omitted settings do not change
    ///
    /// The issuer cannot change: create another connection instead.
    Update {
        id: String,
        /// Label of the button on the sign-in page
        #[arg(long, value_name = "LABEL")]
        name: Option<String>,
        #[arg(long, value_name = "ID")]
        client_id: Option<String>,
        /// New client secret; `-` reads it from standard input
        #[arg(long, value_name = "SECRET")]
        client_secret: Option<String>,
        /// Domains of emails that are accepted; an empty text accepts all
        #[arg(long, value_name = "DOMAINS", value_delimiter = ',')]
        domains: Option<Vec<String>>,
        /// Whether to accept emails without email_verified
        #[arg(long, value_name = "true|false")]
        trust_unverified_email: Option<bool>,
        #[arg(long)]
        json: bool,
    },
    /// Delete a connection; everyone who signed in through it is signed out
    Delete {
        id: String,
        /// Accepted for consistency: no name is lost, so the command does not ask for confirmation.
        #[arg(long, hide = true)]
        yes: bool,
    },
    /// Check the provider's configuration and keys, and whether it accepts the client id and secret
    Test {
        id: String,
        #[command(flatten)]
        reached: PublicUrl,
        #[arg(long)]
        json: bool,
    },
}

impl Command {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::Create {
                institution: slug,
                issuer,
                client_id,
                client_secret,
                domains,
                name,
                trust_unverified_email,
                reached,
                json,
            } => {
                let owner = institution(app, &slug).await?;
                let new = sso::New {
                    name,
                    issuer,
                    client_id,
                    client_secret: secret(client_secret)?,
                    domains,
                    trusts_unverified_email: trust_unverified_email,
                };
                let made = sso::create(app, &Actor::Operator, owner.id, new).await?;
                print_created(&made, &slug, reached.base_url().ok().as_deref(), json);
            }
            Self::List { institution: slug, json } => {
                let owner = match slug {
                    Some(slug) => Some(institution(app, &slug).await?.id),
                    None => None,
                };
                list(app, &sso::all(app, &Actor::Operator, owner).await?, json).await?;
            }
            Self::Update { id, name, client_id, client_secret, domains, trust_unverified_email, json } => {
                let change = sso::Change {
                    name,
                    client_id,
                    client_secret: client_secret.map(secret).transpose()?,
                    domains,
                    trusts_unverified_email: trust_unverified_email,
                };
                let changed = sso::update(app, &Actor::Operator, find(app, &id).await?.id, change).await?;
                list(app, &[changed], json).await?;
            }
            Self::Delete { id, yes: _ } => {
                let found = find(app, &id).await?;
                sso::delete(app, &Actor::Operator, found.id).await?;
                output::print_line(&format!("Deleted connection {} ({}).", found.id, found.name));
            }
            Self::Test { id, reached, json } => {
                let base_url = reached.base_url().unwrap_or_default();
                return test(app, &find(app, &id).await?, &base_url, json).await;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print_created(made: &Connection, slug: &str, base_url: Option<&str>, json: bool) {
    let urls = base_url.map(Registration::new);
    if json {
        let mut value = shown(made, slug);
        value["redirect_uri"] = urls.as_ref().map(|urls| urls.redirect_uri.as_str()).into();
        value["post_logout_redirect_uri"] = urls.as_ref().map(|urls| urls.sign_out_uri.as_str()).into();
        output::print_json(&value);
        return;
    }
    output::print_line(&format!("Connection {} ({}).", made.id, made.name));
    if let Some(urls) = urls {
        output::print_line(&format!(
            "Register these URLs at the provider:\n  redirect URI              {}\n  post-logout redirect URI  {}",
            urls.redirect_uri, urls.sign_out_uri
        ));
    }
    output::print_line(&format!("Next: endonym sso test {}", made.id));
}

async fn find(app: &App, given: &str) -> Result<Connection, Failure> {
    let unknown =
        || Failure(format!("no connection `{given}`: run `endonym sso list` to see all connections"));
    let id = given.trim().parse().map_err(|_| unknown())?;
    match sso::find(app, &Actor::Operator, id).await {
        Err(Error::Missing(_)) => Err(unknown()),
        other => Ok(other?),
    }
}

async fn test(app: &App, connection: &Connection, base_url: &str, json: bool) -> Outcome {
    let checked = async {
        let says = sso::check(app, &Actor::Operator, connection).await?;
        sso::check_client(app, &Actor::Operator, connection, base_url).await?;
        Ok::<_, Error>(format!("{says}; it accepts the client id and secret"))
    };
    let (works, says) = match checked.await {
        Ok(says) => (true, says),
        Err(error) => (false, error.to_string()),
    };
    if json {
        output::print_json(&json!({ "works": works, "says": says }));
    } else if works {
        output::print_line(&says);
    } else {
        return Err(Failure(format!("{} does not work: {says}", connection.name)));
    }
    Ok(if works { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn domains(one: &Connection) -> Vec<String> {
    one.domains.iter().map(ToString::to_string).collect()
}

fn shown(one: &Connection, institution: &str) -> Value {
    json!({
        "id": one.id.to_string(),
        "institution": institution,
        "name": one.name,
        "issuer": one.issuer,
        "client_id": one.client_id,
        "domains": domains(one),
        "trust_unverified_email": one.trusts_unverified_email,
        "created_at": output::time(one.created_at),
    })
}

async fn list(app: &App, all: &[Connection], json: bool) -> Result<(), Failure> {
    let owners = slugs(app).await?;
    let owner = |one: &Connection| owners.get(&one.institution).map_or("-", String::as_str);
    if json {
        let shown: Vec<Value> = all.iter().map(|one| shown(one, owner(one))).collect();
        output::print_json(&json!({ "connections": shown }));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|one| {
            let domains = domains(one).join(",");
            vec![
                one.id.to_string(),
                owner(one).to_owned(),
                one.name.clone(),
                one.issuer.clone(),
                one.client_id.clone(),
                if domains.is_empty() { "all".to_owned() } else { domains },
                if one.trusts_unverified_email { "trusted" } else { "refused" }.to_owned(),
            ]
        })
        .collect();
    let headings = ["ID", "INSTITUTION", "NAME", "ISSUER", "CLIENT ID", "DOMAINS", "UNVERIFIED EMAILS"];
    output::print_table(&headings, &rows);
    Ok(())
}

//! `endonym sso …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};

use super::{Failure, Outcome, institution, output, page_ref, slugs};
use crate::{
    app::{
        Actor, App, Error,
        sso::{self, Mapping, Registration},
    },
    config::PublicUrl,
    domain::{ids::SsoConnectionId, member::Role, sso::Connection, sso_groups::GroupRole},
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
        /// Client secret that the provider assigned to Endonym, as `@FILE` or `-` for standard input
        #[arg(long, value_name = "SECRET")]
        client_secret: String,
        /// Domains of emails that are accepted, like example.edu,*.example.org. Required, unless there is --tenant or --any-account
        #[arg(long, value_name = "DOMAINS", value_delimiter = ',', conflicts_with = "any_account")]
        domains: Vec<String>,
        /// Only accounts of this tenant of the provider: the directory id of Microsoft Entra (claim tid), or the domain of Google
        /// Workspace (claim hd)
        #[arg(long, value_name = "ID", conflicts_with = "any_account")]
        tenant: Option<String>,
        /// Let every account of the provider sign in. Nobody counts as a person of the institution because of that
        #[arg(long)]
        any_account: bool,
        /// Label of the button on the sign-in page [default: the issuer's host]
        #[arg(long, value_name = "LABEL")]
        name: Option<String>,
        /// Accept emails without email_verified; only for providers that control all addresses in --domains, such as Microsoft Entra
        #[arg(long)]
        trust_unverified_email: bool,
        /// What is asked of the provider, like "openid email groups" [default: openid email]
        ///
        /// `groups` is added if a group has a role and the provider lists this scope.
        #[arg(long, value_name = "SCOPES", value_delimiter = ',')]
        scopes: Vec<String>,
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
        /// New client secret, as `@FILE` or `-` for standard input
        #[arg(long, value_name = "SECRET")]
        client_secret: Option<String>,
        /// Domains of emails that are accepted; an empty text removes them, and needs --tenant or --any-account
        #[arg(long, value_name = "DOMAINS", value_delimiter = ',')]
        domains: Option<Vec<String>>,
        /// Only accounts of this tenant of the provider; an empty text removes it
        #[arg(long, value_name = "ID")]
        tenant: Option<String>,
        /// Whether every account of the provider may sign in
        #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
        any_account: Option<bool>,
        /// Whether to accept emails without email_verified
        #[arg(long, value_name = "true|false")]
        trust_unverified_email: Option<bool>,
        /// What is asked of the provider; an empty text resets it to openid email
        #[arg(long, value_name = "SCOPES", value_delimiter = ',')]
        scopes: Option<Vec<String>>,
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
    /// Give everybody in a group of the provider a role, from their next sign-in on
    ///
    /// For example: endonym sso map-group 17 --group registrars --role manager --name-page class-of-2027
    ///
    /// In several groups, the highest role counts. People who leave the groups lose the role at the next sign-in. A role that was given by
    /// hand stays, and so does the last owner.
    MapGroup {
        id: String,
        /// The group, exactly as the provider writes it; Microsoft Entra writes the object id
        #[arg(long, value_name = "GROUP")]
        group: String,
        #[arg(long, value_name = "ROLE", value_parser = Role::WORDS)]
        role: String,
        /// A name page of a manager or reader, by id, slug, event code or access code; can be repeated
        #[arg(long = "name-page", value_name = "REF")]
        pages: Vec<String>,
        #[arg(long)]
        json: bool,
    },
    /// Delete the role of a group
    UnmapGroup {
        id: String,
        #[arg(long, value_name = "GROUP")]
        group: String,
    },
    /// List the roles of groups, and set the claim that names the groups of a person
    Groups {
        id: String,
        /// The claim in the ID token or at the UserInfo endpoint [default: groups]
        #[arg(long, value_name = "CLAIM")]
        claim: Option<String>,
        #[arg(long)]
        json: bool,
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
                tenant,
                any_account,
                name,
                trust_unverified_email,
                scopes,
                reached,
                json,
            } => {
                let owner = institution(app, &slug).await?;
                let new = sso::New {
                    name,
                    issuer,
                    client_id,
                    client_secret,
                    domains,
                    tenant,
                    any_account,
                    trusts_unverified_email: trust_unverified_email,
                    scopes,
                };
                let made = sso::create(app, &Actor::Operator, owner.id, new).await?;
                if made.any_account {
                    eprintln!(
                        "note: every account of the provider can sign in, so nobody counts as a person of the institution because of it"
                    );
                }
                let urls = match reached.base_url() {
                    Ok(base_url) => {
                        Some(sso::registration(app, &Actor::Operator, owner.id, &base_url).await?)
                    }
                    Err(_) => None,
                };
                print_created(&made, &slug, urls, json);
            }
            Self::List { institution: slug, json } => {
                let owner = match slug {
                    Some(slug) => Some(institution(app, &slug).await?.id),
                    None => None,
                };
                list(app, &sso::all(app, &Actor::Operator, owner).await?, json).await?;
            }
            Self::Update {
                id,
                name,
                client_id,
                client_secret,
                domains,
                tenant,
                any_account,
                trust_unverified_email,
                scopes,
                json,
            } => {
                let change = sso::Change {
                    name,
                    client_id,
                    client_secret,
                    domains,
                    tenant,
                    any_account,
                    trusts_unverified_email: trust_unverified_email,
                    scopes,
                    base: None,
                };
                let changed = sso::update(app, &Actor::Operator, find(app, &id).await?.id, change).await?;
                list(app, &[changed], json).await?;
            }
            Self::Delete { id, yes: _ } => {
                let found = find(app, &id).await?;
                sso::delete(app, &Actor::Operator, found.id).await?;
                output::print_line(&format!("Deleted connection {} ({}).", found.id, found.name));
            }
            Self::MapGroup { id, group, role, pages, json } => {
                let role = Role::parse(&role).ok_or_else(|| Failure(format!("{role} is not a role")))?;
                let pages = pages.iter().map(|page| page_ref(page)).collect::<Result<Vec<_>, _>>()?;
                let id = find(app, &id).await?.id;
                sso::map_group(app, &Actor::Operator, id, &group, role, pages, None).await?;
                groups(app, id, json).await?;
            }
            Self::UnmapGroup { id, group } => {
                let id = find(app, &id).await?.id;
                sso::unmap_group(app, &Actor::Operator, id, &group).await?;
                groups(app, id, false).await?;
            }
            Self::Groups { id, claim, json } => {
                let id = find(app, &id).await?.id;
                if let Some(claim) = claim {
                    sso::set_groups_claim(app, &Actor::Operator, id, &claim, None).await?;
                }
                groups(app, id, json).await?;
            }
            Self::Test { id, reached, json } => {
                let base_url = reached.base_url().unwrap_or_default();
                return test(app, &find(app, &id).await?, &base_url, json).await;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print_created(made: &Connection, slug: &str, urls: Option<Registration>, json: bool) {
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

/// Prints the roles of groups.
async fn groups(app: &App, id: SsoConnectionId, json: bool) -> Result<(), Failure> {
    let Mapping { claim, rules } = sso::mapping(app, &Actor::Operator, id).await?;
    let pages = |rule: &GroupRole| rule.pages.iter().map(ToString::to_string).collect::<Vec<_>>();
    if json {
        let shown = |rule: &GroupRole| {
            let pages = (!rule.role.has_all_pages()).then(|| pages(rule));
            json!({ "group": rule.group, "role": rule.role.word(), "name_pages": pages })
        };
        let rules: Vec<Value> = rules.iter().map(shown).collect();
        output::print_json(&json!({ "claim": claim, "groups": rules }));
        return Ok(());
    }
    let row = |rule: &GroupRole| {
        let pages = if rule.role.has_all_pages() { "all".to_owned() } else { pages(rule).join(", ") };
        vec![rule.group.clone(), rule.role.word().to_owned(), pages]
    };
    output::print_line(&format!("Claim: {claim}"));
    output::print_table(&["GROUP", "ROLE", "NAME PAGES"], &rules.iter().map(row).collect::<Vec<_>>());
    Ok(())
}

fn domains(one: &Connection) -> Vec<String> {
    one.domains.iter().map(ToString::to_string).collect()
}

/// Whose accounts may sign in.
fn accounts(one: &Connection) -> String {
    match &one.tenant {
        Some(tenant) => format!("tenant {tenant}"),
        None if one.any_account => "any".to_owned(),
        None if one.is_bounded() => "of the domains".to_owned(),
        None => "undecided".to_owned(),
    }
}

fn shown(one: &Connection, institution: &str) -> Value {
    json!({
        "id": one.id.to_string(),
        "institution": institution,
        "name": one.name,
        "issuer": one.issuer,
        "client_id": one.client_id,
        "domains": domains(one),
        "tenant": one.tenant,
        "any_account": one.any_account,
        "trust_unverified_email": one.trusts_unverified_email,
        "scopes": one.scope(false, &[]).split(' ').collect::<Vec<_>>(),
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
                accounts(one),
                if one.trusts_unverified_email { "trusted" } else { "refused" }.to_owned(),
            ]
        })
        .collect();
    let headings =
        ["ID", "INSTITUTION", "NAME", "ISSUER", "CLIENT ID", "DOMAINS", "ACCOUNTS", "UNVERIFIED EMAILS"];
    output::print_table(&headings, &rows);
    Ok(())
}

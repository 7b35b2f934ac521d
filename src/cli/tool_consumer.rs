//! `endonym tool-consumer …`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{Failure, Outcome, institution, output, slugs};
use crate::{
    app::{
        Actor, App, Error,
        lti::{keys, registrations},
        platforms::{self, DiscoveryError, Endpoints},
        tool_consumers,
    },
    config::PublicUrl,
    domain::{
        lti::ToolUrls,
        roster::Role,
        schedule::Schedule,
        tool_consumer::{IssuerProof, LmsKind, Registration, ToolConsumer, product_word},
    },
};

/// Connect learning systems: Canvas, Moodle, and others through LTI 1.3
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Connect a learning system and print its api_token; it cannot be shown again
    ///
    /// For example: endonym tool-consumer create --institution example-university --name Canvas --lms canvas
    /// --url https://canvas.example.edu --access-token -
    Create {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// Display name
        #[arg(long)]
        name: String,
        #[arg(long, value_parser = LmsKind::ALL.map(LmsKind::word))]
        lms: String,
        /// Canvas's root URL without /api/v1, Moodle's wwwroot, or the issuer of an LTI platform
        #[arg(long)]
        url: String,
        /// Client id that the LTI platform assigned to Endonym
        #[arg(long, value_name = "ID")]
        client_id: Option<String>,
        #[command(flatten)]
        details: Details,
        #[command(flatten)]
        reached: PublicUrl,
        #[arg(long)]
        json: bool,
    },
    /// List tool consumers, without their credentials; with --json, also the URLs that an LTI platform must be told
    List {
        #[arg(long, value_name = "SLUG")]
        institution: Option<String>,
        #[command(flatten)]
        reached: PublicUrl,
        #[arg(long)]
        json: bool,
    },
    /// Update a tool consumer; omitted settings do not change, and deployments and frame ancestors are added to the existing ones
    Update {
        id: String,
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        details: Details,
        /// Remove a deployment; can be repeated
        #[arg(long = "remove-deployment-id", value_name = "ID")]
        removed_deployment_ids: Vec<String>,
        /// Remove a frame ancestor; can be repeated
        #[arg(long = "remove-frame-ancestor", value_name = "ORIGIN")]
        removed_frame_ancestors: Vec<String>,
        #[command(flatten)]
        reached: PublicUrl,
        #[arg(long)]
        json: bool,
    },
    /// Confirm that an LTI registration is one of the platform that its issuer names; until then, nobody comes in through it
    ///
    /// Needed where an admin has registered a platform in the console, and the platform has no OpenID configuration of its own that says the
    /// same. Compare the issuer and the three URLs with what the platform shows. For example: endonym tool-consumer confirm 7354211
    Confirm { id: String },
    /// Renew an LTI registration that uses the URLs and the key that all institutions shared: it gets those of its institution
    ///
    /// The platform must then be told the new URLs, which the command prints. Its launches arrive at the new URLs before and after; at the
    /// old ones they are refused from then on. `endonym doctor` lists the registrations to be renewed. For example: endonym tool-consumer
    /// renew 7354211 --base-url https://names.example.edu
    Renew {
        id: String,
        #[command(flatten)]
        reached: PublicUrl,
        #[arg(long)]
        json: bool,
    },
    /// Allow its courses to be synchronized
    Enable { id: String },
    /// Reject all requests to synchronize its courses
    Disable { id: String },
    /// Delete a tool consumer; the name pages of its courses are kept, with everyone on them
    ///
    /// People who have left a course stay hidden on its page and cannot be brought back; deleting the page deletes them.
    Delete {
        id: String,
        /// Accepted for consistency: no name is lost, so the command does not ask for confirmation.
        #[arg(long, hide = true)]
        yes: bool,
    },
    /// Print a registration link for LTI dynamic registration; it works once, within seven days
    ///
    /// For example: endonym tool-consumer invite --institution example-university --base-url https://names.example.edu
    Invite {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[command(flatten)]
        reached: PublicUrl,
        #[arg(long)]
        json: bool,
    },
    /// Rotate the LTI signing key of an institution: the new key is published now and signs after one day
    ///
    /// Without --institution, the key that registrations share which have not been renewed. For example: endonym tool-consumer rotate-key
    /// --institution example-university
    RotateKey {
        #[arg(long, value_name = "SLUG")]
        institution: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// Check the connection and credentials, and which data the learning system shares about the people in one course
    Test {
        id: String,
        #[arg(long)]
        json: bool,
    },
}

/// Settings for `create` and `update`.
#[derive(Debug, Args)]
pub struct Details {
    /// Access token issued by the learning system, as `@FILE` or `-` for standard input
    #[arg(long, value_name = "TOKEN")]
    access_token: Option<String>,
    /// LTI deployment id; can be repeated
    #[arg(long = "deployment-id", value_name = "ID")]
    deployment_ids: Vec<String>,
    /// LTI endpoints of the platform; if one is omitted, it is read from the issuer's configuration document
    #[arg(long, value_name = "URL")]
    auth_url: Option<String>,
    #[arg(long, value_name = "URL")]
    token_url: Option<String>,
    #[arg(long, value_name = "URL")]
    jwks_url: Option<String>,
    /// Audience for token requests [default: the token URL]
    #[arg(long, value_name = "AUDIENCE")]
    token_audience: Option<String>,
    /// Product name in API paths, like sakai
    #[arg(long, value_name = "WORD")]
    product: Option<String>,
    /// Roles that are listed on a course's page: student, teacher, assistant, designer, observer [default: student]
    #[arg(long, value_name = "ROLES", value_delimiter = ',')]
    roles: Vec<String>,
    /// When its courses are synchronized automatically; nightly means between 01:00 and 05:00 in the institution's time zone
    /// [default: nightly]
    #[arg(long, value_name = "SCHEDULE", value_parser = Schedule::ALL.map(Schedule::word))]
    sync_schedule: Option<String>,
    /// Origin that may embed Endonym's pages in a frame; can be repeated
    #[arg(long = "frame-ancestor", value_name = "ORIGIN")]
    frame_ancestors: Vec<String>,
}

impl Command {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::Create { institution: slug, name, lms, url, client_id, details, reached, json } => {
                let owner = institution(app, &slug).await?;
                let kind = LmsKind::ALL.into_iter().find(|kind| kind.word() == lms);
                let kind = kind.ok_or_else(|| Failure(format!("unknown learning system `{lms}`")))?;
                let schedule = details.schedule();
                let new = details.into_new(app, name, kind, url, client_id).await?;
                let (made, secret) = tool_consumers::create(app, &Actor::Operator, owner.id, new).await?;
                if schedule.is_some() {
                    let change = tool_consumers::Change { schedule, ..tool_consumers::Change::default() };
                    tool_consumers::update(app, &Actor::Operator, made.id, change).await?;
                }
                let urls = urls(&reached, &made, &slug);
                if json {
                    let mut shown = json!({ "id": made.id.to_string(), "api_token": secret });
                    if let Some(urls) = &urls {
                        shown["tool"] = tool(urls);
                    }
                    output::print_json(&shown);
                } else {
                    output::print_line(&format!(
                        "Tool consumer {} ({}). Its api_token, shown only now:\n{secret}",
                        made.id, made.name
                    ));
                    print_urls(urls.as_ref());
                    output::print_line(&format!("Next: endonym tool-consumer test {}", made.id));
                }
            }
            Self::List { institution: slug, reached, json } => {
                let owner = match slug {
                    Some(slug) => Some(institution(app, &slug).await?.id),
                    None => None,
                };
                let all = tool_consumers::all(app, &Actor::Operator, owner).await?;
                list(app, &all, &reached, json).await?;
            }
            Self::Update {
                id,
                name,
                details,
                removed_deployment_ids,
                removed_frame_ancestors,
                reached,
                json,
            } => {
                let mut change = details.into_change(name)?;
                change.deployments.remove = removed_deployment_ids;
                change.frame_ancestors.remove = removed_frame_ancestors;
                let changed =
                    tool_consumers::update(app, &Actor::Operator, find(app, &id).await?.id, change).await?;
                list(app, &[changed], &reached, json).await?;
            }
            Self::Confirm { id } => {
                let one = tool_consumers::confirm(app, &Actor::Operator, find(app, &id).await?.id).await?;
                output::print_line(&format!(
                    "The issuer of {} ({}), {}, is confirmed.",
                    one.id, one.name, one.url
                ));
            }
            Self::Renew { id, reached, json } => renew(app, &find(app, &id).await?, &reached, json).await?,
            Self::Enable { id } => switch(app, &id, true).await?,
            Self::Disable { id } => switch(app, &id, false).await?,
            Self::Delete { id, yes: _ } => {
                let found = find(app, &id).await?;
                tool_consumers::delete(app, &Actor::Operator, found.id).await?;
                output::print_line(&format!("Deleted tool consumer {} ({}).", found.id, found.name));
            }
            Self::Invite { institution: slug, reached, json } => {
                let owner = institution(app, &slug).await?;
                let base_url = reached.base_url().map_err(Failure)?;
                let (name, until) = registrations::invite(app, &Actor::Operator, owner.id).await?;
                let (url, until) = (registrations::invitation(&base_url, &name), output::time(until));
                if json {
                    output::print_json(&json!({ "url": url, "expires_at": until }));
                } else {
                    output::print_line(&format!(
                        "Register the tool in the learning system with this link. It works once, until {until}:\n{url}"
                    ));
                }
            }
            Self::RotateKey { institution: slug, json } => {
                let owner = match slug {
                    Some(slug) => Some(institution(app, &slug).await?.id),
                    None => None,
                };
                let kid = keys::rotate(app, &Actor::Operator, owner).await?;
                if json {
                    output::print_json(&json!({ "kid": kid }));
                } else {
                    output::print_line(&format!("Key {kid} is published now and signs after one day."));
                }
            }
            Self::Test { id, json } => return test(app, &find(app, &id).await?, json).await,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn undiscovered(fault: DiscoveryError) -> Failure {
    Failure(match fault {
        DiscoveryError::Refused(why) => format!("url {why}"),
        DiscoveryError::NoDocument { address, why } => format!(
            "url has no readable document at {address} ({why}): set --auth-url, --token-url and --jwks-url"
        ),
        DiscoveryError::OtherIssuer(issuer) => {
            format!("url is not the issuer that its own document names, which is `{issuer}`")
        }
    })
}

impl Details {
    async fn into_new(
        self,
        app: &App,
        name: String,
        kind: LmsKind,
        mut url: String,
        client_id: Option<String>,
    ) -> Result<tool_consumers::New, Failure> {
        let (access_token, mut roles) = (self.access_token()?, self.roles()?);
        if roles.is_empty() {
            roles.push(Role::Student);
        }
        let mut product = self.product.as_deref().and_then(product_word);
        let lti = match (kind, client_id) {
            (LmsKind::Lti, Some(client_id)) => {
                let given = Endpoints {
                    auth_url: self.auth_url,
                    token_url: self.token_url,
                    token_audience: self.token_audience,
                    jwks_url: self.jwks_url,
                };
                let found = platforms::complete(app, url, product, given).await.map_err(undiscovered)?;
                (url, product) = (found.issuer, found.product);
                Some(Registration {
                    client_id,
                    deployments: self.deployment_ids,
                    auth_url: found.auth_url,
                    token_url: found.token_url,
                    token_audience: found.token_audience,
                    jwks_url: found.jwks_url,
                    frame_ancestors: self.frame_ancestors,
                })
            }
            _ => None,
        };
        Ok(tool_consumers::New { name, kind, url, product, roles, access_token, lti })
    }

    fn into_change(self, name: Option<String>) -> Result<tool_consumers::Change, Failure> {
        let (access_token, roles) = (self.access_token()?, self.roles()?);
        let added = |add: Vec<String>| tool_consumers::ListChange { add, remove: Vec::new() };
        Ok(tool_consumers::Change {
            name,
            product: self.product.as_deref().and_then(product_word),
            enabled: None,
            schedule: self.schedule(),
            roles: (!roles.is_empty()).then_some(roles),
            access_token,
            deployments: added(self.deployment_ids),
            auth_url: self.auth_url,
            token_url: self.token_url,
            token_audience: self.token_audience,
            jwks_url: self.jwks_url,
            frame_ancestors: added(self.frame_ancestors),
            base: None,
        })
    }

    fn access_token(&self) -> Result<Option<String>, Failure> {
        Ok(self.access_token.clone())
    }

    fn schedule(&self) -> Option<Schedule> {
        self.sync_schedule.as_deref().and_then(Schedule::parse)
    }

    fn roles(&self) -> Result<Vec<Role>, Failure> {
        let read = |word: &String| {
            Role::parse(word).ok_or_else(|| {
                let known = Role::ALL.map(Role::word).join(", ");
                Failure(format!("unknown role `{word}`; the roles are {known}"))
            })
        };
        self.roles.iter().map(read).collect()
    }
}

/// The tool consumer with this id.
pub async fn find(app: &App, given: &str) -> Result<ToolConsumer, Failure> {
    let unknown = || {
        Failure(format!(
            "no tool consumer `{given}`: run `endonym tool-consumer list` to see all tool consumers"
        ))
    };
    let id = given.trim().parse().map_err(|_| unknown())?;
    match tool_consumers::find(app, &Actor::Operator, id).await {
        Err(Error::Missing(_)) => Err(unknown()),
        other => Ok(other?),
    }
}

async fn switch(app: &App, id: &str, enabled: bool) -> Result<(), Failure> {
    let change = tool_consumers::Change { enabled: Some(enabled), ..tool_consumers::Change::default() };
    let changed = tool_consumers::update(app, &Actor::Operator, find(app, id).await?.id, change).await?;
    let now = if enabled { "enabled" } else { "disabled" };
    output::print_line(&format!("Tool consumer {} ({}) is {now}.", changed.id, changed.name));
    Ok(())
}

async fn test(app: &App, consumer: &ToolConsumer, json: bool) -> Outcome {
    let (works, says, coverage) = match tool_consumers::check(app, &Actor::Operator, consumer).await {
        Ok(seen) => (true, seen.says, seen.coverage),
        Err(error) => (false, error.to_string(), None),
    };
    if json {
        let course = coverage.map(|(title, counts)| {
            json!({
                "title": title,
                "people": counts.people,
                "names": counts.names,
                "last_names": counts.last_names,
                "emails": counts.emails,
                "identifiers": counts.identifiers,
                "pictures": counts.pictures,
            })
        });
        output::print_json(&json!({ "works": works, "says": says, "course": course }));
    } else if works {
        output::print_line(&says);
    } else {
        return Err(Failure(format!("{} does not work: {says}", consumer.name)));
    }
    Ok(if works { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What an LTI platform must be told about us, if the public URL is known.
fn urls(reached: &PublicUrl, one: &ToolConsumer, slug: &str) -> Option<ToolUrls> {
    let base_url = reached.base_url().ok().filter(|_| one.lti.is_some())?;
    Some(if one.is_shared() { ToolUrls::shared(&base_url) } else { ToolUrls::of(&base_url, slug) })
}

fn tool(urls: &ToolUrls) -> Value {
    json!({
        "login_url": urls.login,
        "launch_url": urls.launch,
        "jwks_url": urls.jwks,
        "config_url": urls.config,
    })
}

fn print_urls(urls: Option<&ToolUrls>) {
    if let Some(urls) = urls {
        output::print_line(&format!(
            "The platform must have these URLs:\n  login           {}\n  redirect/launch {}\n  key set         {}",
            urls.login, urls.launch, urls.jwks
        ));
    }
}

async fn renew(app: &App, known: &ToolConsumer, reached: &PublicUrl, json: bool) -> Result<(), Failure> {
    let renewed = tool_consumers::renew(app, &Actor::Operator, known.id).await?;
    if json {
        return list(app, &[renewed], reached, true).await;
    }
    output::print_line(&format!(
        "{} ({}) uses the URLs and keys of its institution.",
        renewed.id, renewed.name
    ));
    let owners = slugs(app).await?;
    let slug = owners.get(&renewed.institution).map_or("-", String::as_str);
    print_urls(urls(reached, &renewed, slug).as_ref());
    Ok(())
}

fn shown(one: &ToolConsumer, institution: &str, reached: &PublicUrl) -> Value {
    let lti = one.lti.as_ref();
    json!({
        "id": one.id.to_string(),
        "institution": institution,
        "name": one.name,
        "lms": one.kind.word(),
        "url": one.url,
        "product": one.product,
        "enabled": one.enabled,
        "roles": one.roles.iter().map(|role| role.word()).collect::<Vec<_>>(),
        "sync_schedule": one.schedule.word(),
        "client_id": lti.map(|lti| &lti.client_id),
        "deployment_ids": lti.map(|lti| &lti.deployments),
        "auth_url": lti.map(|lti| &lti.auth_url),
        "token_url": lti.map(|lti| &lti.token_url),
        "token_audience": lti.and_then(|lti| lti.token_audience.as_ref()),
        "jwks_url": lti.map(|lti| &lti.jwks_url),
        "frame_ancestors": lti.map(|lti| &lti.frame_ancestors),
        "tool": urls(reached, one, institution).as_ref().map(tool),
        "own_addresses": lti.map(|_| !one.is_shared()),
        "issuer_proof": one.issuer_proof().map(IssuerProof::text),
        "confirmed": lti.map(|_| !one.is_unconfirmed()),
        "created_at": output::time(one.created_at),
    })
}

async fn list(app: &App, all: &[ToolConsumer], reached: &PublicUrl, json: bool) -> Result<(), Failure> {
    let owners = slugs(app).await?;
    let owner = |one: &ToolConsumer| owners.get(&one.institution).map_or("-", String::as_str);
    if json {
        let shown: Vec<Value> = all.iter().map(|one| shown(one, owner(one), reached)).collect();
        output::print_json(&json!({ "tool_consumers": shown }));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|one| {
            vec![
                one.id.to_string(),
                owner(one).to_owned(),
                one.name.clone(),
                one.kind.word().to_owned(),
                one.url.clone(),
                one.lti.as_ref().map_or_else(|| "-".to_owned(), |lti| lti.client_id.clone()),
                one.roles.iter().map(|role| role.word()).collect::<Vec<_>>().join(","),
                one.schedule.word().to_owned(),
                match (one.enabled, one.is_unconfirmed()) {
                    (false, _) => "no",
                    (true, true) => "not confirmed",
                    (true, false) => "yes",
                }
                .to_owned(),
            ]
        })
        .collect();
    output::print_table(
        &["ID", "INSTITUTION", "NAME", "LMS", "URL", "CLIENT", "ROLES", "SYNC", "ENABLED"],
        &rows,
    );
    Ok(())
}

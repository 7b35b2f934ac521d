//! `endonym tool-consumer …`

use std::{collections::HashMap, io::Read, process::ExitCode};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{Failure, Outcome, institution, output};
use crate::{
    app::{
        Actor, App, Error, institutions,
        lti::{keys, registrations},
        platforms, tool_consumers,
    },
    config::Reached,
    domain::{
        ids::InstitutionId,
        roster::Role,
        schedule::Schedule,
        tool_consumer::{LmsKind, Registration, ToolConsumer, product_word},
    },
};

/// Connect learning systems: Canvas, Moodle, and any other by LTI 1.3
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Connect a learning system; its api_token is shown only now
    ///
    /// For example: endonym tool-consumer create --institution example-university --name Canvas --lms canvas
    /// --url https://canvas.example.edu --access-token -
    Create {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// What people call it
        #[arg(long)]
        name: String,
        #[arg(long, value_parser = LmsKind::ALL.map(LmsKind::word))]
        lms: String,
        /// Canvas's root without /api/v1, Moodle's wwwroot, or the issuer of an LTI platform
        #[arg(long)]
        url: String,
        /// The client id that the LTI platform has given us
        #[arg(long, value_name = "ID")]
        client_id: Option<String>,
        #[command(flatten)]
        details: Details,
        #[arg(long)]
        json: bool,
    },
    /// List them, without what lets anybody in
    List {
        #[arg(long, value_name = "SLUG")]
        institution: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// Change one: what is not given stays as it is; deployments and frame ancestors that are given come to those there are
    Update {
        id: String,
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        details: Details,
        /// A deployment that is ours no longer; may be given several times
        #[arg(long = "remove-deployment-id", value_name = "ID")]
        removed_deployment_ids: Vec<String>,
        /// An origin that may show our pages no longer; may be given several times
        #[arg(long = "remove-frame-ancestor", value_name = "ORIGIN")]
        removed_frame_ancestors: Vec<String>,
        #[arg(long)]
        json: bool,
    },
    /// Let callers have its courses synchronised again
    Enable { id: String },
    /// Refuse every wish to synchronise its courses
    Disable { id: String },
    /// Forget one; its courses' name pages stay, with everybody on them
    ///
    /// Whoever has left a course stays hidden on its page, and nothing brings them back: they go when the page is deleted.
    Delete {
        id: String,
        /// Nobody's name is lost by it, so it does not ask; scripts may say so all the same.
        #[arg(long, hide = true)]
        yes: bool,
    },
    /// Print a link by which an LTI platform registers itself with an institution, once and within seven days
    ///
    /// For example: endonym tool-consumer invite --institution example-university --base-url https://names.example.edu
    Invite {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[command(flatten)]
        reached: Reached,
        #[arg(long)]
        json: bool,
    },
    /// Make a new key for LTI now; it is shown at once and signs a day later
    RotateKey {
        #[arg(long)]
        json: bool,
    },
    /// Say whether it can be reached and knows us, and what it tells of the people in one of its courses
    Test {
        id: String,
        #[arg(long)]
        json: bool,
    },
}

/// What both a new one and a changed one may have.
#[derive(Debug, Args)]
pub struct Details {
    /// The learning system's own token for us; `-` reads it from standard input
    #[arg(long, value_name = "TOKEN")]
    access_token: Option<String>,
    /// Where the LTI platform has us; may be given several times
    #[arg(long = "deployment-id", value_name = "ID")]
    deployment_ids: Vec<String>,
    /// Without these three they are read from the issuer's own document
    #[arg(long, value_name = "URL")]
    auth_url: Option<String>,
    #[arg(long, value_name = "URL")]
    token_url: Option<String>,
    #[arg(long, value_name = "URL")]
    jwks_url: Option<String>,
    /// Where it is not the token URL
    #[arg(long, value_name = "AUDIENCE")]
    token_audience: Option<String>,
    /// The word of its product in paths, like sakai
    #[arg(long, value_name = "WORD")]
    product: Option<String>,
    /// Who of a course is on its page: student, teacher, assistant, designer, observer [default: student]
    #[arg(long, value_name = "ROLES", value_delimiter = ',')]
    roles: Vec<String>,
    /// When its courses are synchronized by themselves; nightly is between 01:00 and 05:00 in the institution's time zone
    /// [default: nightly]
    #[arg(long, value_name = "SCHEDULE", value_parser = Schedule::ALL.map(Schedule::word))]
    sync_schedule: Option<String>,
    /// An origin that may show our pages inside its own; may be given several times
    #[arg(long = "frame-ancestor", value_name = "ORIGIN")]
    frame_ancestors: Vec<String>,
}

impl Command {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::Create { institution: slug, name, lms, url, client_id, details, json } => {
                let owner = institution(app, &slug).await?;
                let kind = LmsKind::ALL.into_iter().find(|kind| kind.word() == lms);
                let kind = kind.ok_or_else(|| Failure(format!("there is no learning system `{lms}`")))?;
                let schedule = details.schedule();
                let new = details.into_new(app, name, kind, url, client_id).await?;
                let (made, secret) = tool_consumers::create(app, owner.id, new).await?;
                if schedule.is_some() {
                    let change = tool_consumers::Change { schedule, ..tool_consumers::Change::default() };
                    tool_consumers::update(app, &Actor::Operator, made.id, change).await?;
                }
                if json {
                    output::print_json(&json!({ "id": made.id.to_string(), "api_token": secret }));
                } else {
                    output::print_line(&format!(
                        "Tool consumer {} ({}). Its api_token, shown only now:\n{secret}",
                        made.id, made.name
                    ));
                    output::print_line(&format!("Next: endonym tool-consumer test {}", made.id));
                }
            }
            Self::List { institution: slug, json } => {
                let owner = match slug {
                    Some(slug) => Some(institution(app, &slug).await?.id),
                    None => None,
                };
                let scope = Actor::Operator.within(owner)?;
                list(app, &tool_consumers::all(app, scope).await?, json).await?;
            }
            Self::Update { id, name, details, removed_deployment_ids, removed_frame_ancestors, json } => {
                let mut change = details.into_change(name)?;
                change.deployments.remove = removed_deployment_ids;
                change.frame_ancestors.remove = removed_frame_ancestors;
                let changed =
                    tool_consumers::update(app, &Actor::Operator, find(app, &id).await?.id, change).await?;
                list(app, &[changed], json).await?;
            }
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
                let (name, until) = registrations::invite(app, owner.id).await?;
                let (url, until) = (registrations::invitation(&base_url, &name), output::time(until));
                if json {
                    output::print_json(&json!({ "url": url, "expires_at": until }));
                } else {
                    output::print_line(&format!(
                        "Register the tool in the learning system with this link, once and until {until}:\n{url}"
                    ));
                }
            }
            Self::RotateKey { json } => {
                let kid = keys::rotate(app).await?;
                if json {
                    output::print_json(&json!({ "kid": kid }));
                } else {
                    output::print_line(&format!("Key {kid} is shown from now on, and signs from tomorrow."));
                }
            }
            Self::Test { id, json } => return test(app, &find(app, &id).await?, json).await,
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Details {
    async fn into_new(
        mut self,
        app: &App,
        name: String,
        kind: LmsKind,
        mut url: String,
        client_id: Option<String>,
    ) -> Result<tool_consumers::New, Failure> {
        let (access_token, roles) = (self.access_token()?, self.roles()?);
        let mut product = self.product.as_deref().and_then(product_word);
        let lti = match (kind, client_id) {
            (LmsKind::Lti, Some(client_id)) => {
                let (auth_url, token_url, jwks_url) = match (self.auth_url, self.token_url, self.jwks_url) {
                    (Some(auth_url), Some(token_url), Some(jwks_url)) => (auth_url, token_url, jwks_url),
                    (auth_url, token_url, jwks_url) => {
                        let found = platforms::discover(app, &url).await?;
                        product = product.or_else(|| product_word(found.product_family.as_deref()?));
                        self.token_audience = self.token_audience.or(found.token_audience);
                        url = found.issuer;
                        (
                            auth_url.unwrap_or(found.auth_url),
                            token_url.unwrap_or(found.token_url),
                            jwks_url.unwrap_or(found.jwks_url),
                        )
                    }
                };
                Some(Registration {
                    client_id,
                    deployments: self.deployment_ids,
                    auth_url,
                    token_url,
                    token_audience: self.token_audience,
                    jwks_url,
                    frame_ancestors: self.frame_ancestors,
                })
            }
            _ => None,
        };
        Ok(tool_consumers::New { name, kind, url, product, roles, access_token, lti })
    }

    fn into_change(self, name: Option<String>) -> Result<tool_consumers::Change, Failure> {
        let (access_token, roles) = (self.access_token()?, self.roles()?);
        let added = |add: Vec<String>| tool_consumers::Listed { add, remove: Vec::new() };
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
        })
    }

    /// On a command line everybody on the machine can read it.
    fn access_token(&self) -> Result<Option<String>, Failure> {
        match self.access_token.as_deref() {
            Some("-") => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text)?;
                Ok(Some(text.trim().to_owned()))
            }
            other => Ok(other.map(str::to_owned)),
        }
    }

    fn schedule(&self) -> Option<Schedule> {
        self.sync_schedule.as_deref().and_then(Schedule::parse)
    }

    fn roles(&self) -> Result<Vec<Role>, Failure> {
        let read = |word: &String| {
            Role::parse(word).ok_or_else(|| {
                let known = Role::ALL.map(Role::word).join(", ");
                Failure(format!("there is no role `{word}`; there are {known}"))
            })
        };
        self.roles.iter().map(read).collect()
    }
}

/// The one that a command names.
pub async fn find(app: &App, given: &str) -> Result<ToolConsumer, Failure> {
    let unknown = || {
        Failure(format!(
            "there is no tool consumer `{given}`: `endonym tool-consumer list` shows those there are"
        ))
    };
    let id = given.trim().parse().map_err(|_| unknown())?;
    match tool_consumers::find(app, Actor::Operator.scope(), id).await {
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
    let (works, says, coverage) = match tool_consumers::check(app, consumer).await {
        Ok(seen) => (true, seen.says, seen.coverage),
        Err(error) => (false, error.to_string(), None),
    };
    if json {
        let course = coverage.map(|(title, counts)| {
            json!({
                "title": title,
                "people": counts.people,
                "names": counts.names,
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

fn shown(one: &ToolConsumer, institution: &str) -> Value {
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
        "created_at": output::time(one.created_at),
    })
}

async fn list(app: &App, all: &[ToolConsumer], json: bool) -> Result<(), Failure> {
    let owners: HashMap<InstitutionId, String> =
        institutions::all(app).await?.into_iter().map(|owner| (owner.id, owner.slug)).collect();
    let owner = |one: &ToolConsumer| owners.get(&one.institution).map_or("-", String::as_str);
    if json {
        let shown: Vec<Value> = all.iter().map(|one| shown(one, owner(one))).collect();
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
                one.roles.iter().map(|role| role.word()).collect::<Vec<_>>().join(","),
                one.schedule.word().to_owned(),
                if one.enabled { "yes" } else { "no" }.to_owned(),
            ]
        })
        .collect();
    output::print_table(&["ID", "INSTITUTION", "NAME", "LMS", "URL", "ROLES", "SYNC", "ENABLED"], &rows);
    Ok(())
}

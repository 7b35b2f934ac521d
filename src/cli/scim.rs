//! `endonym scim …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, institution, output, page_ref};
use crate::{
    app::{
        Actor, App, Error, Missing,
        scim::{GroupSummary, Target, connections, groups},
    },
    domain::{ids::ScimGroupId, institution::Institution, member::Role, moment::Moment, scim::Connection},
};

/// Connect directories such as Entra and Okta, which provision people by SCIM 2.0
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a connection and print its token; it cannot be shown again
    ///
    /// For example: endonym scim create --institution example-university --name Entra
    Create {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// Which directory it is for
        #[arg(long, value_name = "TEXT")]
        name: String,
        /// Create a name page for each group that the directory creates, and register its members there
        #[arg(long)]
        pages_from_groups: bool,
        #[arg(long)]
        json: bool,
    },
    /// List an institution's connections, without their tokens
    List {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
    /// Revoke a connection; its token stops working at once, and everything that it has provisioned stays
    Revoke {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        id: String,
    },
    /// List the groups that directories have created, with what they stand for
    Groups {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
    /// Set what a group stands for: a name page, a role, or nothing
    ///
    /// For example: endonym scim map --institution example-university --group "Class of 2027" --name-page class-of-2027
    ///
    /// Members of a group with a name page are registered there, and hidden when they leave the group. Members of a group with a role
    /// have it as long as they are in the group; `manager` and `reader` need name pages.
    Map {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The group, by its name or id
        #[arg(long, value_name = "NAME")]
        group: String,
        /// A name page, by id, slug, event code or access code; with `--role manager` or `reader` it can be repeated
        #[arg(long = "name-page", value_name = "REF")]
        pages: Vec<String>,
        #[arg(long, value_name = "ROLE", value_parser = Role::WORDS)]
        role: Option<String>,
        /// Remove the mapping of the group
        #[arg(long, conflicts_with_all = ["pages", "role"])]
        none: bool,
    },
}

impl Command {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::Create { institution: slug, name, pages_from_groups, json } => {
                let owner = institution(app, &slug).await?;
                let new = connections::New { name, pages_from_groups };
                let (made, token) = connections::create(app, &Actor::Operator, owner.id, new).await?;
                print_created(&made, &owner, &token, json);
            }
            Self::List { institution: slug, json } => {
                let owner = institution(app, &slug).await?;
                list(&connections::all(app, &Actor::Operator, owner.id).await?, json);
            }
            Self::Revoke { institution: slug, id } => {
                let owner = institution(app, &slug).await?;
                let unknown = || {
                    Failure(format!(
                        "`{slug}` has no active connection `{id}`: run `endonym scim list --institution {slug}` to see all connections"
                    ))
                };
                let number = id.parse().map_err(|_| unknown())?;
                match connections::revoke(app, &Actor::Operator, owner.id, number).await {
                    Err(Error::Missing(_)) => return Err(unknown()),
                    other => other?,
                }
                output::print_line(&format!("Revoked connection {id}."));
            }
            Self::Groups { institution: slug, json } => {
                let owner = institution(app, &slug).await?;
                let all = groups::summaries(app, &Actor::Operator, owner.id, None, usize::MAX).await?;
                list_groups(&all, json);
            }
            Self::Map { institution: slug, group, pages, role, none } => {
                let owner = institution(app, &slug).await?;
                map(app, &owner, &group, target(&pages, role.as_deref(), none)?).await?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print_created(made: &Connection, owner: &Institution, token: &str, json: bool) {
    let path = format!("/scim/v2/{}", owner.slug);
    if json {
        output::print_json(&json!({ "id": made.id.to_string(), "token": token, "path": path }));
    } else {
        output::print_line(&format!(
            "Connection {} ({}). In the directory, enter the URL of this installation followed by {path}, and this token, shown only now:\n{token}",
            made.id, made.name
        ));
    }
}

fn list(all: &[Connection], json: bool) {
    if json {
        let shown = |connection: &Connection| {
            json!({
                "id": connection.id.to_string(),
                "name": connection.name,
                "pages_from_groups": connection.pages_from_groups,
                "created_at": output::time(connection.created_at),
                "revoked_at": connection.revoked_at.map(output::time),
                "last_used_at": connection.last_used_at.map(output::time),
            })
        };
        output::print_json(&json!({ "connections": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let when = |moment: Option<Moment>| moment.map_or_else(|| "-".to_owned(), output::time);
    let row = |connection: &Connection| {
        vec![
            connection.id.to_string(),
            connection.name.clone(),
            if connection.pages_from_groups { "yes" } else { "no" }.to_owned(),
            output::time(connection.created_at),
            when(connection.revoked_at),
            when(connection.last_used_at),
        ]
    };
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    output::print_table(&["ID", "NAME", "PAGES FROM GROUPS", "CREATED", "REVOKED", "LAST USED"], &rows);
}

/// Each group with the number of its members.
fn list_groups(all: &[(GroupSummary, i64)], json: bool) {
    let slugs =
        |group: &GroupSummary| -> Vec<String> { group.pages.iter().map(|page| page.slug.clone()).collect() };
    if json {
        let shown = |(group, members): &(GroupSummary, i64)| {
            json!({
                "id": group.id.to_string(),
                "name": group.display_name,
                "members": members,
                "role": group.role.map(Role::word),
                "name_pages": slugs(group),
            })
        };
        output::print_json(&json!({ "groups": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let row = |(group, members): &(GroupSummary, i64)| {
        let pages = slugs(group).join(", ");
        vec![
            group.id.to_string(),
            group.display_name.clone(),
            members.to_string(),
            group.role.map_or("-", Role::word).to_owned(),
            if pages.is_empty() { "-".to_owned() } else { pages },
        ]
    };
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    output::print_table(&["ID", "NAME", "MEMBERS", "ROLE", "NAME PAGES"], &rows);
}

fn target(pages: &[String], role: Option<&str>, none: bool) -> Result<Target, Failure> {
    let mut refs = pages.iter().map(|page| page_ref(page)).collect::<Result<Vec<_>, Failure>>()?;
    match (role, none) {
        (_, true) => Ok(Target::Nothing),
        (Some(role), false) => {
            let role = Role::parse(role).ok_or_else(|| Failure(format!("{role} is not a role")))?;
            Ok(Target::Role(role, refs))
        }
        (None, false) => match (refs.pop(), refs.is_empty()) {
            (Some(page), true) => Ok(Target::Page(page)),
            (Some(_), false) => Err(Failure("a group without a role stands for one name page".to_owned())),
            (None, _) => Err(Failure("pass --name-page, --role or --none".to_owned())),
        },
    }
}

async fn map(app: &App, owner: &Institution, name: &str, target: Target) -> Result<(), Failure> {
    let slug = &owner.slug;
    let explained = |error: Error| match error {
        Error::Missing(Missing::ScimGroup) => Failure(format!(
            "`{slug}` has no group `{name}`: run `endonym scim groups --institution {slug}` to see all groups; a directory creates them"
        )),
        Error::Missing(Missing::NamePage) => Failure(format!(
            "`{slug}` does not have all of these name pages: run `endonym name-page list --institution {slug}` to see all pages"
        )),
        other => other.into(),
    };
    let id: ScimGroupId = groups::named(app, &Actor::Operator, owner.id, name).await.map_err(explained)?;
    let what = described(&target);
    groups::map(app, &Actor::Operator, owner.id, id, target, None).await.map_err(explained)?;
    output::print_line(&format!("The group `{name}` stands for {what}."));
    Ok(())
}

fn described(target: &Target) -> String {
    match target {
        Target::Nothing => "nothing".to_owned(),
        Target::Page(page) => format!("the name page `{}`", page.key()),
        Target::Role(role, pages) if role.has_all_pages() || pages.is_empty() => {
            format!("the role {}", role.word())
        }
        Target::Role(role, pages) => {
            let pages: Vec<String> = pages.iter().map(|page| format!("`{}`", page.key())).collect();
            format!("the role {} on {}", role.word(), pages.join(", "))
        }
    }
}

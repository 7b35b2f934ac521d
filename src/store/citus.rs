//! PostgreSQL with the Citus extension: where each table is (ADR 3), and how `endonym migrate` puts it there. Tables that are
//! joined in a statement are either co-located or reference tables.

use std::collections::HashMap;

use super::{Db, Error, Result, Row, Sql, migrations};

/// Where the rows of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Sharded by `institution_id`. These tables are co-located: all rows of an institution are on one node.
    ByInstitution,
    /// Sharded by this column. For rows that are found before anybody knows the institution, mostly by the digest of a secret.
    ByColumn(&'static str),
    /// Copied to every node. For small tables that are read by a value that is unique across institutions.
    Reference,
    /// On the coordinator. For queues and limits of the whole installation, and for tables with several unique keys.
    Local,
}

use Placement::{ByColumn, ByInstitution, Local, Reference};

/// Every table of the schema. A test fails if one is missing, or if its keys do not permit its placement.
pub const TABLES: &[(&str, Placement)] = &[
    // The others by institution are co-located with this one.
    (PARTICIPANTS, ByInstitution),
    ("admissions", ByInstitution),
    ("audience_defaults", ByInstitution),
    ("audit", ByInstitution),
    ("audit_chains", ByInstitution),
    ("audit_seals", ByInstitution),
    ("consent_texts", ByInstitution),
    ("consents", ByInstitution),
    ("course_aliases", ByInstitution),
    ("course_identities", ByInstitution),
    ("course_members", ByInstitution),
    ("course_staff", ByInstitution),
    ("courses", ByInstitution),
    ("coverage", ByInstitution),
    ("coverage_days", ByInstitution),
    ("custom_fields", ByInstitution),
    ("deleted_people", ByInstitution),
    ("departures", ByInstitution),
    ("export_pages", ByInstitution),
    ("export_parts", ByInstitution),
    ("exports", ByInstitution),
    ("hidden_participants", ByInstitution),
    ("idempotency_keys", ByInstitution),
    ("import_changes", ByInstitution),
    ("import_files", ByInstitution),
    ("imports", ByInstitution),
    ("invitations", ByInstitution),
    ("kept_recordings", ByInstitution),
    ("lti_deployments", ByInstitution),
    ("mail_bounces", ByInstitution),
    ("mail_opt_outs", ByInstitution),
    ("mail_texts", ByInstitution),
    ("media", ByInstitution),
    ("member_pages", ByInstitution),
    ("members", ByInstitution),
    ("moderation", ByInstitution),
    ("entry_cases", ByInstitution),
    ("name_pages", ByInstitution),
    ("outbox", ByInstitution),
    ("outsiders", ByInstitution),
    ("participant_consents", ByInstitution),
    ("paused_participants", ByInstitution),
    ("people_indexed", ByInstitution),
    ("people_names", ByInstitution),
    ("people_task_rows", ByInstitution),
    ("people_tasks", ByInstitution),
    ("people_words", ByInstitution),
    ("persons", ByInstitution),
    ("plays", ByInstitution),
    ("recording_makers", ByInstitution),
    ("recording_requests", ByInstitution),
    ("refused_people", ByInstitution),
    ("replaced_recordings", ByInstitution),
    ("retention_notices", ByInstitution),
    ("roll_gaps", ByInstitution),
    ("rolls", ByInstitution),
    ("scim_group_members", ByInstitution),
    ("scim_group_pages", ByInstitution),
    ("scim_groups", ByInstitution),
    ("scim_registrations", ByInstitution),
    ("scim_roles", ByInstitution),
    ("scim_user_emails", ByInstitution),
    ("scim_users", ByInstitution),
    ("token_days", ByInstitution),
    ("token_pages", ByInstitution),
    ("lti_logins", ByColumn("state_digest")),
    ("lti_sessions", ByColumn("session_digest")),
    ("operator_links", ByColumn("digest")),
    ("operator_sessions", ByColumn("digest")),
    ("sessions", ByColumn("digest")),
    ("sign_in_counts", ByColumn("digest")),
    ("sign_in_links", ByColumn("digest")),
    ("sso_logins", ByColumn("state_digest")),
    ("allowed_origins", Reference),
    ("codes", Reference),
    ("institution_lti_keys", Reference),
    ("institutions", Reference),
    ("key_in_use", Reference),
    ("lti_invites", Reference),
    ("lti_keys", Reference),
    ("lti_registrations", Reference),
    ("migrations", Reference),
    ("scim_connections", Reference),
    ("sso_connections", Reference),
    ("sso_group_roles", Reference),
    ("sso_short_redirect", Reference),
    ("tokens", Reference),
    ("tool_consumers", Reference),
    ("versions", Reference),
    ("call_attempts", Local),
    ("call_takes", Local),
    ("calls", Local),
    ("do_not_call", Local),
    ("jobs", Local),
    ("mail_pace", Local),
    ("rate_limits", Local),
    ("sign_in_requests", Local),
    ("switchboard", Local),
    ("turns", Local),
];

const PARTICIPANTS: &str = "participants";

/// Can the table be joined with people?
pub(super) fn is_by_institution(table: &str) -> bool {
    TABLES.iter().any(|(name, placement)| *name == table && *placement == ByInstitution)
}

impl Placement {
    /// The statement that puts a plain table there, with its rows.
    fn statement(self, table: &str) -> String {
        let sharded = |column: &str, beside: &str| {
            format!("SELECT create_distributed_table('{table}', '{column}', colocate_with => '{beside}')")
        };
        match self {
            ByInstitution if table == PARTICIPANTS => sharded("institution_id", "none"),
            ByInstitution => sharded("institution_id", PARTICIPANTS),
            ByColumn(column) => sharded(column, "none"),
            Reference => format!("SELECT create_reference_table('{table}')"),
            // In the metadata, so that workers find it.
            Local => format!("SELECT citus_add_local_table_to_metadata('{table}')"),
        }
    }
}

/// Where a table is.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// Unknown to Citus.
    Plain,
    Sharded {
        column: String,
        colocation: i64,
    },
    Reference,
    Local,
}

impl Found {
    /// `colocation` is that of the tables by institution.
    fn is(&self, placement: Placement, colocation: Option<i64>) -> bool {
        match (self, placement) {
            (Self::Sharded { column, colocation: own }, ByInstitution) => {
                column == "institution_id" && Some(*own) == colocation
            }
            (Self::Sharded { column, .. }, ByColumn(wanted)) => column == wanted,
            (Self::Reference, Reference) | (Self::Local, Local) => true,
            _ => false,
        }
    }
}

/// The state of a table: where it is, and whether it still has the rows on the coordinator that were copied to shards.
type State = (Found, bool);

/// `partmethod` is h for tables that are sharded by a column, and `repmodel` is t for reference tables.
const STATES: &str = "SELECT c.relname::text, p.partmethod::text, p.repmodel::text, \
     column_to_column_name(p.logicalrelid, p.partkey), p.colocationid::bigint, pg_catalog.pg_relation_size(c.oid) > 0 \
     FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_dist_partition p ON p.logicalrelid = c.oid \
     WHERE c.relkind = 'r' AND c.relnamespace = to_regnamespace(current_schema()::text)::oid";

async fn states(sql: &mut Sql) -> Result<HashMap<String, State>> {
    let read = |row: &Row<'_>| {
        let found = match (row.opt_text(1)?.as_deref(), row.opt_text(2)?.as_deref(), row.opt_text(3)?) {
            (None, ..) => Found::Plain,
            (Some("h"), _, Some(column)) => Found::Sharded { column, colocation: row.int(4)? },
            (Some(_), Some("t"), _) => Found::Reference,
            (Some(_), ..) => Found::Local,
        };
        let has_copies = matches!(found, Found::Sharded { .. } | Found::Reference) && row.bool(5)?;
        Ok((row.text(0)?, (found, has_copies)))
    };
    Ok(sql.rows(STATES, &[], read).await?.into_iter().collect())
}

/// The tables that are not where they should be.
pub async fn misplaced(db: &Db) -> Result<Vec<&'static str>> {
    let states = states(&mut db.read()).await?;
    let colocation = match states.get(PARTICIPANTS) {
        Some((Found::Sharded { colocation, .. }, _)) => Some(*colocation),
        _ => None,
    };
    let is_misplaced = |(table, placement): &&(&'static str, Placement)| {
        states.get(*table).is_none_or(|(found, _)| !found.is(*placement, colocation))
    };
    Ok(TABLES.iter().filter(is_misplaced).map(|(table, _)| *table).collect())
}

/// Puts every plain table where it should be, each in a transaction of its own: whoever was interrupted can begin again. Tables that
/// are elsewhere are left alone. Does nothing on a worker, which has no plain tables.
pub(super) async fn distribute(db: &Db) -> Result<()> {
    let found = states(&mut db.read()).await?;
    let is_plain = |table: &str| matches!(found.get(table), Some((Found::Plain, _)));
    let plain: Vec<(&str, Placement)> = TABLES.iter().copied().filter(|(table, _)| is_plain(table)).collect();
    if !plain.is_empty() {
        check_coordinator(db).await?;
    }
    for (table, placement) in plain {
        alone(db, table, move |state| (state.0 == Found::Plain).then(|| placement.statement(table))).await?;
    }
    // The copies on the coordinator are invisible, and nobody would delete people from them.
    let found = states(&mut db.read()).await?;
    for (table, _) in TABLES {
        if found.get(*table).is_some_and(|(_, has_copies)| *has_copies) {
            let statement = move |state: &State| {
                state.1.then(|| format!("SELECT truncate_local_data_after_distributing_table('{table}')"))
            };
            alone(db, table, statement).await?;
        }
    }
    Ok(())
}

/// Runs the statement that the state of the table needs, while nobody else migrates.
async fn alone(
    db: &Db,
    table: &'static str,
    statement: impl Fn(&State) -> Option<String> + Send + Sync + 'static,
) -> Result<()> {
    db.write::<_, Error>(move |sql| {
        Box::pin(async move {
            migrations::lock(sql).await?;
            match states(sql).await?.get(table).and_then(statement) {
                Some(statement) => sql.script(&statement).await,
                None => Ok(()),
            }
        })
    })
    .await
}

/// Fails unless this is a coordinator that knows its own address. Workers know the coordinator, too.
pub(super) async fn check_coordinator(db: &Db) -> Result<()> {
    let text =
        "SELECT citus_is_coordinator(), EXISTS (SELECT 1 FROM pg_catalog.pg_dist_node WHERE groupid = 0)";
    let found = db.read().one(text, &[], |row| Ok((row.bool(0)?, row.bool(1)?))).await?;
    let why = match found {
        Some((true, true)) => return Ok(()),
        Some((false, true)) => {
            "this is a worker of Citus, which cannot change the schema: run `endonym migrate` with the URL of the coordinator"
        }
        _ => {
            "Citus does not know its coordinator: run `SELECT citus_set_coordinator_host('HOST', PORT)` in this database, \
             with the name and the port by which the workers reach it, and then `endonym migrate` again"
        }
    };
    Err(Error::Broken(why.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_by_institution_are_put_beside_participants() {
        assert_eq!(TABLES[0].0, PARTICIPANTS, "the others need it");
        let statement = |table: &str| ByInstitution.statement(table);
        assert!(statement(PARTICIPANTS).contains("colocate_with => 'none'"));
        assert!(statement("media").contains("colocate_with => 'participants'"));
    }

    #[test]
    fn a_table_by_institution_must_be_beside_the_others() {
        let sharded = |column: &str, colocation| Found::Sharded { column: column.to_owned(), colocation };
        assert!(sharded("institution_id", 3).is(ByInstitution, Some(3)));
        assert!(!sharded("institution_id", 4).is(ByInstitution, Some(3)));
        assert!(!sharded("id", 3).is(ByInstitution, Some(3)));
        assert!(sharded("digest", 5).is(ByColumn("digest"), Some(3)));
        assert!(!Found::Reference.is(ByInstitution, Some(3)));
        assert!(!Found::Plain.is(Local, Some(3)), "workers would not find it");
        assert!(Found::Local.is(Local, None) && Found::Reference.is(Reference, None));
    }
}

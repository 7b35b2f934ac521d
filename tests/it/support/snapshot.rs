//! What is stored, to check that a request has changed nothing.

use endonym::domain::ids::InstitutionId;
use serde_json::Value;

use super::World;

/// Everything that a form of a person or member can change.
const TABLES: &[&str] = &[
    "participants",
    "hidden_participants",
    "persons",
    "consents",
    "paused_participants",
    "outsiders",
    "media",
    "moderation",
    "entry_cases",
    "calls",
    "sessions",
    "sign_in_requests",
    "sign_in_links",
    "sign_in_counts",
    "admissions",
    "outbox",
    "name_pages",
    "coverage",
    "members",
    "member_pages",
    "sso_group_roles",
    "invitations",
    "mail_opt_outs",
    "mail_texts",
    "kept_recordings",
    "recording_makers",
    "recording_requests",
    "refused_people",
    "imports",
    "import_changes",
    "allowed_origins",
    "audience_defaults",
    "codes",
    "consent_texts",
    "courses",
    "custom_fields",
    "deleted_people",
    "do_not_call",
    "exports",
    "institutions",
    "institution_lti_keys",
    "lti_invites",
    "lti_registrations",
    "people_tasks",
    "scim_connections",
    "scim_group_pages",
    "sso_connections",
    "token_pages",
    "tokens",
    "tool_consumers",
];

/// The rows of all tables, of one institution or of all.
pub async fn rows(world: &World, of: Option<InstitutionId>) -> Vec<String> {
    let mut rows = Vec::new();
    for table in TABLES {
        let only = match (of, *table) {
            (None, _) | (_, "sign_in_counts") => String::new(),
            (Some(institution), "institutions") => format!(" WHERE id = {institution}"),
            (Some(institution), _) => format!(" WHERE institution_id = {institution}"),
        };
        let text = format!("SELECT * FROM {table}{only}");
        for row in world.app.db.read().rows(&text, &[], |row| row.record()).await.unwrap() {
            rows.push(format!("{table} {}", Value::Object(row)));
        }
    }
    rows.sort();
    rows
}

//! The names of people, by what they are known by.

use crate::{
    domain::ids::InstitutionId,
    store::{Result, Row, Sql, Value, padded, placeholders},
};

#[derive(Debug, Clone, Copy)]
pub enum Column {
    Email,
    Identifier,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownName {
    pub email_key: Option<String>,
    pub identifier_key: Option<String>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
}

/// The names of the registrations with these keys, that which has changed last first.
pub async fn of(
    sql: &mut Sql,
    institution: InstitutionId,
    by: Column,
    keys: &[&str],
) -> Result<Vec<KnownName>> {
    let mut found = Vec::new();
    for group in padded(keys) {
        let text = text(by, group.len());
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, from_row).await?);
    }
    Ok(found)
}

pub(super) fn text(by: Column, count: usize) -> String {
    let column = match by {
        Column::Email => "email_key",
        Column::Identifier => "identifier_key",
    };
    format!(
        "SELECT email_key, identifier_key, first_name, last_name FROM participants WHERE institution_id = $1 AND {column} IN ({}) \
         AND (first_name IS NOT NULL OR last_name IS NOT NULL) ORDER BY updated_at DESC, id DESC",
        placeholders(2, count)
    )
}

fn from_row(row: &Row<'_>) -> Result<KnownName> {
    Ok(KnownName {
        email_key: row.opt_text(0)?,
        identifier_key: row.opt_text(1)?,
        first_name: row.opt_text(2)?,
        last_name: row.opt_text(3)?,
    })
}

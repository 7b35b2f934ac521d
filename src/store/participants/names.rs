//! People by their names, and the keys by which they are found.

use crate::{
    domain::{
        ids::{InstitutionId, NamePageId, ParticipantId},
        participant::name_key,
    },
    store::{Result, Row, Sql, Value},
};

/// A match of a lookup by name.
#[derive(Debug, Clone, Copy)]
pub struct NameMatch {
    pub page: NamePageId,
    pub id: ParticipantId,
    pub recorded_at: i64,
}

/// Names to look up. At least one is set.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    pub first: Option<&'a str>,
    pub last: Option<&'a str>,
}

/// At most `count` people with these names, after this page and id (keyset pagination): common names are read in chunks.
pub async fn named(
    sql: &mut Sql,
    institution: InstitutionId,
    on_page: Option<NamePageId>,
    names: Names<'_>,
    (page, id): (NamePageId, ParticipantId),
    count: i64,
) -> Result<Vec<NameMatch>> {
    let mut params: Vec<Value<'_>> = vec![institution.into()];
    params.extend([names.last, names.first].into_iter().flatten().map(Value::from));
    params.extend([on_page.unwrap_or(page).into(), id.into(), count.into()]);
    let text = named_text(names, on_page.is_some());
    let read = |row: &Row<'_>| Ok(NameMatch { page: row.id(0)?, id: row.id(1)?, recorded_at: row.int(2)? });
    sql.rows(&text, &params, read).await
}

pub(super) fn named_text(names: Names<'_>, on_page: bool) -> String {
    let mut next = 1;
    let mut parameter = || {
        next += 1;
        format!("${next}")
    };
    let mut called = String::new();
    for (name, column) in [(names.last, "last_name_key"), (names.first, "first_name_key")] {
        if name.is_some() {
            called.push_str(&format!(" AND p.{column} = {}", parameter()));
        }
    }
    let (page, id, count) = (parameter(), parameter(), parameter());
    let behind = if on_page {
        format!("p.name_page_id = {page} AND p.id > {id}")
    } else {
        format!("(p.name_page_id, p.id) > ({page}, {id})")
    };
    format!(
        "SELECT p.name_page_id, p.id, p.recorded_at FROM participants p WHERE p.institution_id = $1{called} AND {behind} \
         ORDER BY p.name_page_id, p.id LIMIT {count}"
    )
}

/// Backfills the name keys of older rows. Runs in a migration, so there are no concurrent writes.
pub(in crate::store) async fn fill_name_keys(sql: &mut Sql) -> Result<()> {
    const GROUP: i64 = 1_000;
    let (mut institution, mut id) = (InstitutionId::new(i64::MIN), ParticipantId::new(i64::MIN));
    loop {
        let text = "SELECT institution_id, id, first_name, last_name FROM participants \
                    WHERE (institution_id, id) > ($1, $2) ORDER BY institution_id, id LIMIT $3";
        let read = |row: &Row<'_>| Ok((row.id(0)?, row.id(1)?, row.opt_text(2)?, row.opt_text(3)?));
        let people = sql.rows(text, &[institution.into(), id.into(), GROUP.into()], read).await?;
        let Some(last) = people.last() else { return Ok(()) };
        (institution, id) = (last.0, last.1);
        for (institution, id, first_name, last_name) in &people {
            let text = "UPDATE participants SET first_name_key = $1, last_name_key = $2 WHERE institution_id = $3 AND id = $4";
            let keys = [first_name, last_name].map(|name| Value::from(name.as_deref().map(name_key)));
            let [first, last] = keys;
            sql.execute(text, &[first, last, (*institution).into(), (*id).into()]).await?;
        }
    }
}

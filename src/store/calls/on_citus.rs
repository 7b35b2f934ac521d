//! Reads and deletions on Citus, where calls are on the coordinator and people on the nodes of their institutions: one statement cannot
//! have both (ADR 3).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    super::{Result, Row, Sql, Value, padded, placeholders},
    LISTED, delete_locked, keyed, listed,
};
use crate::domain::{
    call::Listed,
    ids::{InstitutionId, NamePageId, ParticipantId},
};

/// `which` is the condition of the list.
pub(super) async fn list(
    sql: &mut Sql,
    which: &str,
    params: &[Value<'_>],
) -> Result<Vec<(InstitutionId, Listed)>> {
    let text = format!("SELECT {LISTED} FROM calls c JOIN institutions i ON i.id = c.institution_id {which}");
    let read = |row: &Row<'_>| Ok((row.id(0)?, row.id(1)?, listed(row)?));
    let mut all: Vec<(InstitutionId, ParticipantId, Listed)> = sql.rows(&text, params, read).await?;
    let mut people: BTreeMap<InstitutionId, Vec<ParticipantId>> = BTreeMap::new();
    for (institution, participant, _) in &all {
        people.entry(*institution).or_default().push(*participant);
    }
    let mut emails: HashMap<(InstitutionId, ParticipantId), String> = HashMap::new();
    for (institution, ids) in people {
        for group in padded(&ids) {
            let read = |row: &Row<'_>| Ok(((institution, row.id::<ParticipantId>(0)?), row.text(1)?));
            let params = keyed(institution, &group);
            emails.extend(sql.rows(&emails_text(group.len()), &params, read).await?);
        }
    }
    for (institution, participant, listed) in &mut all {
        listed.email = emails.get(&(*institution, *participant)).cloned();
    }
    Ok(all.into_iter().map(|(institution, _, listed)| (institution, listed)).collect())
}

fn emails_text(count: usize) -> String {
    format!(
        "SELECT id, email FROM participants WHERE institution_id = $1 AND id IN ({}) AND email IS NOT NULL",
        placeholders(2, count)
    )
}

pub(super) async fn delete_on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
) -> Result<()> {
    let text = "SELECT DISTINCT participant_id FROM calls WHERE institution_id = $1";
    let called: Vec<ParticipantId> = sql.rows(text, &[institution.into()], |row| row.id(0)).await?;
    for table in ["participants", "hidden_participants"] {
        let here: Vec<_> = on_page(sql, institution, page, table, &called).await?.into_iter().collect();
        for group in padded(&here) {
            let call_ids = format!(
                "SELECT id FROM calls WHERE institution_id = $1 AND participant_id IN ({})",
                placeholders(2, group.len())
            );
            delete_locked(sql, &call_ids, &keyed(institution, &group)).await?;
        }
    }
    Ok(())
}

/// Which of these people are on the page.
pub(super) async fn on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    table: &str,
    people: &[ParticipantId],
) -> Result<HashSet<ParticipantId>> {
    let mut here = HashSet::new();
    for group in padded(people) {
        let mut params = keyed(institution, &group);
        params.push(page.into());
        let text = on_page_text(table, group.len());
        here.extend(sql.rows(&text, &params, |row| row.id::<ParticipantId>(0)).await?);
    }
    Ok(here)
}

fn on_page_text(table: &str, count: usize) -> String {
    format!(
        "SELECT id FROM {table} WHERE institution_id = $1 AND id IN ({}) AND name_page_id = ${}",
        placeholders(2, count),
        count + 2
    )
}

/// Sample queries for the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let people = || keyed(InstitutionId::new(1), &[ParticipantId::new(7); 64]);
    let on_page = [people(), vec![Value::Int(1)]].concat();
    vec![
        ("emails of people who are called", emails_text(64), people()),
        ("those of these people who are on a page", on_page_text("participants", 64), on_page),
    ]
}

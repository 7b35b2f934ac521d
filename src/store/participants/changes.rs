//! Who has changed in a range of time.

use std::sync::LazyLock;

use super::{
    LABEL, LABEL_COUNT, WITH_PAGE, bounds,
    columns::{SELECTED_COUNT, SELECTION},
    on_pages, page_ids, with_label,
};
use crate::{
    domain::{
        access::SearchScope,
        ids::{InstitutionId, NamePageId, ParticipantId},
        moment::Moment,
        participant::{Changed, Participant},
    },
    store::{Db, Result, RowStream, Sql, Value},
};

/// Position in the change order, for keyset pagination.
#[derive(Debug, Clone, Copy)]
pub struct ChangePlace {
    pub updated_at: i64,
    pub id: ParticipantId,
}

impl ChangePlace {
    /// The position before all changes in the range.
    pub fn before(changed: Changed) -> Self {
        Self { updated_at: changed.after.map_or(i64::MIN, Moment::micros), id: ParticipantId::new(i64::MAX) }
    }
}

/// At most `count` whole records that changed in the range, in change order, after `behind`. Also returns the position to
/// continue from, if there may be more.
pub async fn changed(
    sql: &mut Sql,
    institution: InstitutionId,
    changed: Changed,
    behind: ChangePlace,
    count: usize,
) -> Result<(Vec<Participant>, Option<ChangePlace>)> {
    let [_, before] = bounds(changed);
    let count_most = i64::try_from(count).unwrap_or(i64::MAX).into();
    let params = [institution.into(), behind.updated_at.into(), behind.id.into(), before, count_most];
    let rows = sql
        .rows(&CHANGED, &params, |row| Ok((row.int(SELECTED_COUNT + LABEL_COUNT)?, with_label(row)?)))
        .await?;
    let last = rows.last().filter(|_| rows.len() >= count);
    let next = last.map(|(updated_at, person)| ChangePlace { updated_at: *updated_at, id: person.id });
    Ok((rows.into_iter().map(|(_, person)| person).collect(), next))
}

pub(super) static CHANGED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {}, {LABEL}, p.updated_at {WITH_PAGE} WHERE p.institution_id = $1 \
         AND (p.updated_at, p.id) > ($2, $3) AND p.updated_at < $4 ORDER BY p.updated_at, p.id LIMIT $5",
        *SELECTION
    )
});

/// Streams the ids of everybody who changed in the range.
pub fn changed_ids(
    db: &Db,
    institution: InstitutionId,
    within: SearchScope<'_>,
    changed: Changed,
) -> RowStream<ParticipantId> {
    let pages = page_ids(within);
    let text = changed_ids_text(pages.len());
    db.stream(text, &changed_params(institution, &pages, changed), |row| row.id(0))
}

fn changed_params(institution: InstitutionId, pages: &[NamePageId], changed: Changed) -> Vec<Value<'static>> {
    let [after, before] = bounds(changed);
    let pages = pages.iter().map(|page| Value::from(*page));
    [institution.into(), after, before].into_iter().chain(pages).collect()
}

pub(super) fn changed_ids_text(pages: usize) -> String {
    let on_pages = on_pages(4, pages);
    format!(
        "SELECT p.id FROM participants p WHERE p.institution_id = $1 AND p.updated_at > $2 AND p.updated_at < $3{on_pages} \
         ORDER BY p.updated_at, p.id"
    )
}

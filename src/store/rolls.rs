//! Rolls: the order of people and their number. See `domain::roll`.

use std::{collections::BTreeMap, sync::LazyLock};

use super::{
    Result, Sql, Value,
    lookup::{Lookup, Param},
    padded, placeholders,
};
use crate::domain::{
    ids::{InstitutionId, NamePageId},
    roll::{Gap, SHIFTS, Step, bucket, step},
};

/// Stands for the roll of the whole institution, in place of a page id.
pub const INSTITUTION: NamePageId = NamePageId::new(0);

pub async fn open(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<()> {
    let text = "INSERT INTO rolls (institution_id, name_page_id, next_place, members) VALUES ($1, $2, 0, 0)";
    sql.execute(text, &[institution.into(), page.into()]).await.map(|_| ())
}

pub async fn close(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<()> {
    for text in [
        "DELETE FROM rolls WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM roll_gaps WHERE institution_id = $1 AND name_page_id = $2",
    ] {
        sql.execute(text, &[institution.into(), page.into()]).await?;
    }
    Ok(())
}

/// Takes the institution's lock (pessimistic). Every write to an institution's people starts here, so writes are serialized:
/// what a transaction reads and checks stays true until it commits, on both databases. It also counts the writes, see `revision`.
pub async fn lock(sql: &mut Sql, institution: InstitutionId) -> Result<()> {
    lock_if_there(sql, institution).await.map(|_| ())
}

/// For inserts: returns false if the institution was deleted, in which case there is nothing to lock.
pub async fn lock_if_there(sql: &mut Sql, institution: InstitutionId) -> Result<bool> {
    sql.enter(institution).await?;
    let text = "UPDATE rolls SET writes = writes + 1 WHERE institution_id = $1 AND name_page_id = 0";
    Ok(sql.execute(text, &[institution.into()]).await? == 1)
}

/// `lock` for a person who is about to join, whose places `participants::vacancy` reads and `take_places` takes. PostgreSQL gets it
/// together with BEGIN and with that read. With SQLite, whoever writes is alone.
pub async fn lock_for_new(sql: &mut Sql, institution: InstitutionId) -> Result<()> {
    if !sql.is_postgres() {
        return Ok(());
    }
    sql.enter(institution).await?;
    let text = "SELECT 1 FROM rolls WHERE institution_id = $1 AND name_page_id = 0 FOR UPDATE";
    sql.defer(text, &[institution.into()]).await
}

/// Adds one person and returns their place.
pub async fn join(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<i64> {
    let text = "UPDATE rolls SET next_place = next_place + 1, members = members + 1 \
                WHERE institution_id = $1 AND name_page_id = $2 RETURNING next_place - 1";
    let place = sql.one(text, &[institution.into(), page.into()], |row| row.int(0)).await?;
    place.ok_or_else(|| super::Error::Broken("a roll is missing".to_owned()))
}

/// Adds the person who takes the next places of the institution and of a page, which the caller has read under the institution's lock.
pub async fn take_places(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<()> {
    // The writes of a page are counted, too, and nobody reads them.
    let text = "UPDATE rolls SET writes = writes + 1, next_place = next_place + 1, members = members + 1 \
                WHERE institution_id = $1 AND name_page_id IN (0, $2)";
    sql.defer(text, &[institution.into(), page.into()]).await
}

/// Adds several people at once and returns the first of their consecutive places.
pub async fn join_all(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    count: i64,
) -> Result<i64> {
    let text = "UPDATE rolls SET next_place = next_place + $1, members = members + $1 \
                WHERE institution_id = $2 AND name_page_id = $3 RETURNING next_place - $1";
    let place = sql.one(text, &[count.into(), institution.into(), page.into()], |row| row.int(0)).await?;
    place.ok_or_else(|| super::Error::Broken("a roll is missing".to_owned()))
}

/// Removes people from a roll.
pub async fn leave(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    places: &[impl Copy + Into<i64>],
) -> Result<()> {
    let text = "UPDATE rolls SET members = members - $1 WHERE institution_id = $2 AND name_page_id = $3";
    sql.execute(text, &[(places.len() as i64).into(), institution.into(), page.into()]).await?;
    for shift in SHIFTS {
        for (bucket, missing) in counted(places, shift) {
            let text = "INSERT INTO roll_gaps (institution_id, name_page_id, shift, bucket, missing) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (institution_id, name_page_id, shift, bucket) \
                 DO UPDATE SET missing = roll_gaps.missing + excluded.missing";
            let params: [Value<'_>; 5] =
                [institution.into(), page.into(), i64::from(shift).into(), bucket.into(), missing.into()];
            sql.execute(text, &params).await?;
        }
    }
    Ok(())
}

/// Puts people back in their former places.
pub async fn rejoin(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    places: &[impl Copy + Into<i64>],
) -> Result<()> {
    let text = "UPDATE rolls SET members = members + $1 WHERE institution_id = $2 AND name_page_id = $3";
    sql.execute(text, &[(places.len() as i64).into(), institution.into(), page.into()]).await?;
    for shift in SHIFTS {
        for (bucket, filled) in counted(places, shift) {
            let text = "UPDATE roll_gaps SET missing = missing - $1 \
                 WHERE institution_id = $2 AND name_page_id = $3 AND shift = $4 AND bucket = $5";
            let params: [Value<'_>; 5] =
                [filled.into(), institution.into(), page.into(), i64::from(shift).into(), bucket.into()];
            sql.execute(text, &params).await?;
        }
    }
    let text = "DELETE FROM roll_gaps WHERE institution_id = $1 AND name_page_id = $2 AND missing = 0";
    sql.execute(text, &[institution.into(), page.into()]).await.map(|_| ())
}

/// Number of these places in each bucket.
fn counted(places: &[impl Copy + Into<i64>], shift: u32) -> BTreeMap<i64, i64> {
    let mut counts = BTreeMap::new();
    for place in places {
        *counts.entry(bucket((*place).into(), shift)).or_insert(0_i64) += 1;
    }
    counts
}

pub async fn members(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<i64> {
    Ok(extent(sql, institution, page).await?.members)
}

/// As long as it stays the same, so do the people of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision {
    /// The number of writes to the institution's people, whichever page they changed.
    pub writes: i64,
    pub next_place: i64,
    pub members: i64,
}

/// The revision of a page, from two rows. Read it before the people themselves: what changes in between is then noticed later.
pub async fn revision(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<Revision> {
    let text = "SELECT i.writes, r.next_place, r.members FROM rolls i JOIN rolls r ON r.institution_id = i.institution_id \
                WHERE i.institution_id = $1 AND i.name_page_id = 0 AND r.name_page_id = $2";
    let read = |row: &super::Row<'_>| {
        Ok(Revision { writes: row.int(0)?, next_place: row.int(1)?, members: row.int(2)? })
    };
    let found = sql.one(text, &[institution.into(), page.into()], read).await?;
    Ok(found.unwrap_or(Revision { writes: 0, next_place: 0, members: 0 }))
}

/// Number of members of each of these pages. Pages without members are omitted.
pub async fn members_of(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: &[NamePageId],
) -> Result<Vec<(NamePageId, i64)>> {
    let mut found = Vec::with_capacity(pages.len());
    for group in padded(pages) {
        let text = format!(
            "SELECT name_page_id, members FROM rolls WHERE institution_id = $1 AND members > 0 AND name_page_id IN ({}) \
             ORDER BY name_page_id",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, |row| Ok((row.id(0)?, row.int(1)?))).await?);
    }
    Ok(found)
}

/// How far a roll goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    pub next_place: i64,
    pub members: i64,
}

pub async fn extent(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<Extent> {
    let read = |row: &super::Row<'_>| Ok(Extent { next_place: row.int(0)?, members: row.int(1)? });
    Ok(sql.look_up_one(&EXTENT, &[institution.into(), page.into()], read).await?.unwrap_or_default())
}

static EXTENT: LazyLock<Lookup> = LazyLock::new(|| {
    let text = "SELECT next_place, members FROM rolls WHERE institution_id = $1 AND name_page_id = $2";
    Lookup::new(text.to_owned(), &[Param::Int, Param::Int])
});

/// Where to start reading for an offset: at `place`, skipping `pass` people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    pub place: i64,
    pub pass: i64,
}

/// Where `offset` is on a roll. `None` if it is past the end.
pub async fn seek(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    Extent { next_place, members }: Extent,
    offset: u64,
) -> Result<Option<Start>> {
    let Some(offset) = i64::try_from(offset).ok().filter(|offset| *offset < members) else {
        return Ok(None);
    };
    if offset == 0 || next_place == members {
        return Ok(Some(Start { place: offset, pass: 0 }));
    }
    let (mut start, mut left, mut end) = (0, offset, next_place);
    for shift in SHIFTS {
        let text = "SELECT bucket, missing FROM roll_gaps WHERE institution_id = $1 AND name_page_id = $2 \
             AND shift = $3 AND bucket >= $4 AND bucket < $5 ORDER BY bucket";
        let past = bucket(end - 1, shift) + 1;
        let params: [Value<'_>; 5] = [
            institution.into(),
            page.into(),
            i64::from(shift).into(),
            bucket(start, shift).into(),
            past.into(),
        ];
        let gaps =
            sql.rows(text, &params, |row| Ok(Gap { bucket: row.int(0)?, missing: row.int(1)? })).await?;
        match step(start, left, shift, &gaps) {
            Step::At(place) => return Ok(Some(Start { place, pass: 0 })),
            Step::Inside { start: inside, left: rest } => {
                (start, left, end) = (inside, rest, inside + (1 << shift));
            }
        }
    }
    Ok(Some(Start { place: start, pass: left }))
}

//! Who somebody on a course's page is in the learning system, and what a synchronisation needs to know of them.

use std::collections::{HashMap, HashSet};

use crate::{
    domain::{
        course::foreign_id,
        matching::{Entry, Holder},
        moment::Moment,
    },
    store::{Result, Row, Sql, Value, in_powers, padded, placeholders, position_in, value_rows},
};

/// The columns of a participant that matching them with a roster needs.
const ENTRY: [&str; 8] =
    ["id", "first_name", "last_name", "email", "email_key", "identifier", "identifier_key", "photo"];

/// Everybody on the page, those who are hidden behind those who are not. Who they are in the learning system is read apart
/// and joined here: of tables that have just been filled, databases know too little to join them well.
pub async fn entries(
    sql: &mut Sql,
    institution: i64,
    (course, page): (i64, i64),
    asked: Moment,
) -> Result<Vec<Entry>> {
    let text = "SELECT participant_id, user_id, photo_url, photo, joined_at FROM course_members \
                WHERE institution_id = $1 AND course_id = $2";
    let read = |row: &Row<'_>| {
        let came_since = row.opt_int(4)?.is_some_and(|joined_at| joined_at >= asked.micros());
        Ok((row.int(0)?, (row.text(1)?, row.opt_text(2)?, row.opt_text(3)?, came_since)))
    };
    let mut known: HashMap<i64, _> =
        sql.rows(text, &[institution.into(), course.into()], read).await?.into_iter().collect();
    let mut all = Vec::new();
    for (table, hidden) in [("participants", false), ("hidden_participants", true)] {
        let columns = ENTRY.join(", ");
        let text = format!("SELECT {columns} FROM {table} WHERE institution_id = $1 AND name_page_id = $2");
        let read = |row: &Row<'_>| {
            Ok(Entry {
                id: row.int(const { position_in(&ENTRY, "id") })?,
                first_name: row.opt_text(const { position_in(&ENTRY, "first_name") })?,
                last_name: row.opt_text(const { position_in(&ENTRY, "last_name") })?,
                email: row.opt_text(const { position_in(&ENTRY, "email") })?,
                email_key: row.opt_text(const { position_in(&ENTRY, "email_key") })?,
                identifier: row.opt_text(const { position_in(&ENTRY, "identifier") })?,
                identifier_key: row.opt_text(const { position_in(&ENTRY, "identifier_key") })?,
                photo: row.opt_text(const { position_in(&ENTRY, "photo") })?,
                hidden,
                ..Entry::default()
            })
        };
        let mut found = sql.rows(&text, &[institution.into(), page.into()], read).await?;
        found.sort_unstable_by_key(|entry| entry.id);
        all.append(&mut found);
    }
    let staff = super::staff::all(sql, institution, course).await?;
    let staff: HashSet<i64> = staff.into_iter().filter_map(|one| one.participant).collect();
    for entry in &mut all {
        entry.is_staff = staff.contains(&entry.id);
        if let Some((user_id, photo_url, copied_photo, came_since)) = known.remove(&entry.id) {
            entry.came_since = came_since;
            (entry.user_id, entry.photo_url, entry.copied_photo) = (Some(user_id), photo_url, copied_photo);
        }
    }
    Ok(all)
}

/// Whom the learning system calls so, when they are to be seen.
pub async fn visible(sql: &mut Sql, institution: i64, course: i64, user_id: &str) -> Result<Option<i64>> {
    let text = "SELECT p.id FROM course_members m JOIN participants p \
         ON p.institution_id = m.institution_id AND p.id = m.participant_id \
         WHERE m.institution_id = $1 AND m.course_id = $2 AND m.user_id = $3";
    sql.one(text, &[institution.into(), course.into(), user_id.into()], |row| row.int(0)).await
}

/// Who else in the learning systems' courses is one of these people, as the systems call them.
pub async fn same_users(sql: &mut Sql, institution: i64, participants: &[i64]) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    for participant in participants {
        let text = "SELECT o.participant_id FROM course_members m \
             JOIN courses c ON c.institution_id = m.institution_id AND c.id = m.course_id \
             JOIN courses d ON d.institution_id = c.institution_id AND d.tool_consumer_id = c.tool_consumer_id \
             JOIN course_members o ON o.institution_id = d.institution_id AND o.course_id = d.id AND o.user_id = m.user_id \
             WHERE m.institution_id = $1 AND m.participant_id = $2 ORDER BY o.participant_id";
        found.extend(sql.rows(text, &[institution.into(), (*participant).into()], |row| row.int(0)).await?);
    }
    Ok(found)
}

/// Whose entry it is, by each of the ids that the course has for them.
pub async fn users_of(sql: &mut Sql, institution: i64, course: i64, participant: i64) -> Result<Vec<String>> {
    let whose = [institution.into(), course.into(), participant.into()];
    let mut all = Vec::new();
    for table in ["course_members", "course_staff"] {
        let text = format!(
            "SELECT user_id FROM {table} WHERE institution_id = $1 AND course_id = $2 AND participant_id = $3"
        );
        all.extend(sql.rows(&text, &whose, |row| row.text(0)).await?);
    }
    let text = "SELECT tool_consumer_id, user_id FROM course_identities \
                WHERE institution_id = $1 AND course_id = $2 AND participant_id = $3";
    all.extend(sql.rows(text, &whose, |row| Ok(foreign_id(row.int(0)?, &row.text(1)?))).await?);
    Ok(all)
}

/// Who on other pages has one of these identifiers.
pub async fn holders(sql: &mut Sql, institution: i64, page: i64, keys: &[&str]) -> Result<Vec<Holder>> {
    let mut found = Vec::new();
    for group in padded(keys) {
        let text = format!(
            "SELECT identifier_key, email_key FROM participants WHERE institution_id = $1 AND identifier_key IN ({}) \
             AND name_page_id <> ${}",
            placeholders(2, group.len()),
            group.len() + 2
        );
        let mut params: Vec<Value<'_>> = vec![institution.into()];
        params.extend(group.into_iter().map(Value::from));
        params.push(page.into());
        let read = |row: &Row<'_>| Ok(Holder { identifier_key: row.text(0)?, email_key: row.opt_text(1)? });
        found.extend(sql.rows(&text, &params, read).await?);
    }
    Ok(found)
}

/// Writes down who these are: user ids and people, and when they have come if they did so by themselves. Whatever was known of
/// either is forgotten.
pub async fn link(
    sql: &mut Sql,
    institution: i64,
    course: i64,
    pairs: &[(&str, i64)],
    joined_at: Option<Moment>,
) -> Result<()> {
    let (users, people): (Vec<&str>, Vec<i64>) = pairs.iter().copied().unzip();
    for group in padded(&users) {
        let text = format!(
            "DELETE FROM course_members WHERE institution_id = $1 AND course_id = $2 AND user_id IN ({})",
            placeholders(3, group.len())
        );
        let mut params: Vec<Value<'_>> = vec![institution.into(), course.into()];
        params.extend(group.into_iter().map(Value::from));
        sql.execute(&text, &params).await?;
    }
    for group in padded(&people) {
        let text = format!(
            "DELETE FROM course_members WHERE institution_id = $1 AND participant_id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> = [institution].into_iter().chain(group).map(Value::from).collect();
        sql.execute(&text, &params).await?;
    }
    for group in in_powers(pairs) {
        let text = format!(
            "INSERT INTO course_members (institution_id, course_id, user_id, participant_id, joined_at) VALUES {}",
            value_rows(1, group.len(), 5)
        );
        let joined_at = joined_at.map(Moment::micros);
        let row = |(user, person): &(&str, i64)| {
            let user = Value::from((*user).to_owned());
            [institution.into(), course.into(), user, (*person).into(), joined_at.into()]
        };
        let params: Vec<Value<'_>> = group.iter().flat_map(row).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Everybody whom the course has an id for.
pub async fn linked(sql: &mut Sql, institution: i64, course: i64) -> Result<Vec<(String, i64)>> {
    let text = "SELECT user_id, participant_id FROM course_members WHERE institution_id = $1 AND course_id = $2 \
                ORDER BY user_id";
    sql.rows(text, &[institution.into(), course.into()], |row| Ok((row.text(0)?, row.int(1)?))).await
}

/// The course has another id for somebody.
pub async fn rename(
    sql: &mut Sql,
    institution: i64,
    (course, participant): (i64, i64),
    user_id: &str,
) -> Result<()> {
    let text = "UPDATE course_members SET user_id = $1 \
                WHERE institution_id = $2 AND course_id = $3 AND participant_id = $4";
    let params = [user_id.into(), institution.into(), course.into(), participant.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Their entry is in another course, which has this id for them. Whoever has that there keeps it.
pub async fn move_to(
    sql: &mut Sql,
    institution: i64,
    participant: i64,
    (course, user_id): (i64, &str),
) -> Result<()> {
    let text = "UPDATE course_members SET course_id = $1, user_id = $2 WHERE institution_id = $3 AND participant_id = $4 \
                AND NOT EXISTS (SELECT 1 FROM course_members o WHERE o.institution_id = $3 AND o.course_id = $1 AND o.user_id = $2)";
    let params = [course.into(), user_id.into(), institution.into(), participant.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// They are not on the course's roster any more, whoever they are.
pub async fn unlink(sql: &mut Sql, institution: i64, participant: i64) -> Result<()> {
    let text = "DELETE FROM course_members WHERE institution_id = $1 AND participant_id = $2";
    sql.execute(text, &[institution.into(), participant.into()]).await.map(|_| ())
}

/// They are back by themselves.
pub async fn join(sql: &mut Sql, institution: i64, participant: i64, now: Moment) -> Result<()> {
    let text = "UPDATE course_members SET joined_at = $1 WHERE institution_id = $2 AND participant_id = $3";
    let params = [now.micros().into(), institution.into(), participant.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Is the picture of somebody who is to be seen the one that was copied?
pub async fn has_copied_photo(sql: &mut Sql, institution: i64, participant: i64) -> Result<bool> {
    let text = "SELECT p.id FROM participants p JOIN course_members m \
         ON m.institution_id = p.institution_id AND m.participant_id = p.id AND m.photo = p.photo \
         WHERE p.institution_id = $1 AND p.id = $2";
    let found = sql.one(text, &[institution.into(), participant.into()], |row| row.int(0)).await?;
    Ok(found.is_some())
}

/// Where the learning system has a picture that cannot be had: it need not be asked for again.
pub async fn give_photo_up(sql: &mut Sql, institution: i64, participant: i64, url: &str) -> Result<()> {
    let text = "UPDATE course_members SET photo_url = $1 WHERE institution_id = $2 AND participant_id = $3";
    sql.execute(text, &[url.into(), institution.into(), participant.into()]).await.map(|_| ())
}

/// From where somebody's picture was copied, and what it became.
pub async fn set_photo(
    sql: &mut Sql,
    institution: i64,
    participant: i64,
    from: Option<(&str, &str)>,
) -> Result<()> {
    let text = "UPDATE course_members SET photo_url = $1, photo = $2 WHERE institution_id = $3 AND participant_id = $4";
    let params = [
        from.map(|(url, _)| url).into(),
        from.map(|(_, hex)| hex).into(),
        institution.into(),
        participant.into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

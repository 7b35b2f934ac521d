//! Maps the people on a course's page to learning system users, and holds the data that synchronization needs.

use std::collections::{HashMap, HashSet};

use crate::{
    domain::{
        course::foreign_id,
        ids::{CourseId, InstitutionId, NamePageId, ParticipantId},
        matching::{Entry, Holder},
        moment::Moment,
    },
    store::{Result, Row, Sql, Value, in_power_of_two_chunks, padded, placeholders, position_in, value_rows},
};

/// The columns needed to match participants with a roster.
const ENTRY: [&str; 8] =
    ["id", "first_name", "last_name", "email", "email_key", "identifier", "identifier_key", "photo"];

/// Everybody on the page, visible people first, then hidden ones. Memberships are read separately and joined here: for freshly
/// filled tables, the databases lack the statistics for a good join plan.
pub async fn entries(
    sql: &mut Sql,
    institution: InstitutionId,
    (course, page): (CourseId, NamePageId),
    requested_at: Moment,
) -> Result<Vec<Entry>> {
    let text = "SELECT participant_id, user_id, photo_url, photo, joined_at FROM course_members \
                WHERE institution_id = $1 AND course_id = $2";
    let read = |row: &Row<'_>| {
        let came_since = row.opt_int(4)?.is_some_and(|joined_at| joined_at >= requested_at.micros());
        Ok((row.id(0)?, (row.text(1)?, row.opt_text(2)?, row.opt_text(3)?, came_since)))
    };
    let mut known: HashMap<ParticipantId, _> =
        sql.rows(text, &[institution.into(), course.into()], read).await?.into_iter().collect();
    let mut all = Vec::new();
    for (table, hidden) in [("participants", false), ("hidden_participants", true)] {
        let columns = ENTRY.join(", ");
        let text = format!("SELECT {columns} FROM {table} WHERE institution_id = $1 AND name_page_id = $2");
        let read = |row: &Row<'_>| {
            Ok(Entry {
                id: row.id(const { position_in(&ENTRY, "id") })?,
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
    let staff: HashSet<ParticipantId> = staff.into_iter().filter_map(|one| one.participant).collect();
    for entry in &mut all {
        entry.is_staff = staff.contains(&entry.id);
        if let Some((user_id, photo_url, copied_photo, came_since)) = known.remove(&entry.id) {
            entry.came_since = came_since;
            (entry.user_id, entry.photo_url, entry.copied_photo) = (Some(user_id), photo_url, copied_photo);
        }
    }
    Ok(all)
}

/// The participant with this user id, unless hidden.
pub async fn visible(
    sql: &mut Sql,
    institution: InstitutionId,
    course: CourseId,
    user_id: &str,
) -> Result<Option<ParticipantId>> {
    let text = "SELECT p.id FROM course_members m JOIN participants p \
         ON p.institution_id = m.institution_id AND p.id = m.participant_id \
         WHERE m.institution_id = $1 AND m.course_id = $2 AND m.user_id = $3";
    sql.one(text, &[institution.into(), course.into(), user_id.into()], |row| row.id(0)).await
}

/// All participants, these included, who are the same users of the same learning system as these.
pub async fn same_users(
    sql: &mut Sql,
    institution: InstitutionId,
    participants: &[ParticipantId],
) -> Result<Vec<ParticipantId>> {
    let mut found = Vec::new();
    for participant in participants {
        let text = "SELECT o.participant_id FROM course_members m \
             JOIN courses c ON c.institution_id = m.institution_id AND c.id = m.course_id \
             JOIN courses d ON d.institution_id = c.institution_id AND d.tool_consumer_id = c.tool_consumer_id \
             JOIN course_members o ON o.institution_id = d.institution_id AND o.course_id = d.id AND o.user_id = m.user_id \
             WHERE m.institution_id = $1 AND m.participant_id = $2 ORDER BY o.participant_id";
        let key_params = [institution.into(), (*participant).into()];
        found.extend(sql.rows(text, &key_params, |row| row.id::<ParticipantId>(0)).await?);
    }
    Ok(found)
}

/// The user ids of a participant in the course.
pub async fn users_of(
    sql: &mut Sql,
    institution: InstitutionId,
    course: CourseId,
    participant: ParticipantId,
) -> Result<Vec<String>> {
    let key_params = [institution.into(), course.into(), participant.into()];
    let mut all = Vec::new();
    for table in ["course_members", "course_staff"] {
        let text = format!(
            "SELECT user_id FROM {table} WHERE institution_id = $1 AND course_id = $2 AND participant_id = $3"
        );
        all.extend(sql.rows(&text, &key_params, |row| row.text(0)).await?);
    }
    let text = "SELECT tool_consumer_id, user_id FROM course_identities \
                WHERE institution_id = $1 AND course_id = $2 AND participant_id = $3";
    all.extend(sql.rows(text, &key_params, |row| Ok(foreign_id(row.id(0)?, &row.text(1)?))).await?);
    Ok(all)
}

/// People on other pages with one of these identifiers.
pub async fn holders(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    keys: &[&str],
) -> Result<Vec<Holder>> {
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

/// Links user ids to participants. `joined_at` is set if they joined by a launch rather than through a roster. Replaces
/// existing links of either side.
pub async fn link(
    sql: &mut Sql,
    institution: InstitutionId,
    course: CourseId,
    pairs: &[(&str, ParticipantId)],
    joined_at: Option<Moment>,
) -> Result<()> {
    let (users, people): (Vec<&str>, Vec<ParticipantId>) = pairs.iter().copied().unzip();
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
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        sql.execute(&text, &params).await?;
    }
    for group in in_power_of_two_chunks(pairs) {
        let text = format!(
            "INSERT INTO course_members (institution_id, course_id, user_id, participant_id, joined_at) VALUES {}",
            value_rows(1, group.len(), 5)
        );
        let joined_at = joined_at.map(Moment::micros);
        let row = |(user, person): &(&str, ParticipantId)| {
            let user = Value::from((*user).to_owned());
            [institution.into(), course.into(), user, (*person).into(), joined_at.into()]
        };
        let params: Vec<Value<'_>> = group.iter().flat_map(row).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// All members of the course with their user ids.
pub async fn linked(
    sql: &mut Sql,
    institution: InstitutionId,
    course: CourseId,
) -> Result<Vec<(String, ParticipantId)>> {
    let text = "SELECT user_id, participant_id FROM course_members WHERE institution_id = $1 AND course_id = $2 \
                ORDER BY user_id";
    sql.rows(text, &[institution.into(), course.into()], |row| Ok((row.text(0)?, row.id(1)?))).await
}

/// Changes the user id of a member.
pub async fn rename(
    sql: &mut Sql,
    institution: InstitutionId,
    (course, participant): (CourseId, ParticipantId),
    user_id: &str,
) -> Result<()> {
    let text = "UPDATE course_members SET user_id = $1 \
                WHERE institution_id = $2 AND course_id = $3 AND participant_id = $4";
    let params = [user_id.into(), institution.into(), course.into(), participant.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Moves a membership to another course, with its user id there. An existing membership with that id wins.
pub async fn move_to(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    (course, user_id): (CourseId, &str),
) -> Result<()> {
    let text = "UPDATE course_members SET course_id = $1, user_id = $2 WHERE institution_id = $3 AND participant_id = $4 \
                AND NOT EXISTS (SELECT 1 FROM course_members o WHERE o.institution_id = $3 AND o.course_id = $1 AND o.user_id = $2)";
    let params = [course.into(), user_id.into(), institution.into(), participant.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Removes the membership of a participant.
pub async fn unlink(sql: &mut Sql, institution: InstitutionId, participant: ParticipantId) -> Result<()> {
    let text = "DELETE FROM course_members WHERE institution_id = $1 AND participant_id = $2";
    sql.execute(text, &[institution.into(), participant.into()]).await.map(|_| ())
}

/// Is this participant on the roster of a course?
pub async fn is_member(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<bool> {
    let text = "SELECT 1 FROM course_members WHERE institution_id = $1 AND participant_id = $2 LIMIT 1";
    Ok(sql.one(text, &[institution.into(), participant.into()], |_| Ok(())).await?.is_some())
}

/// Records when a hidden member became visible again by something other than a roster, such as a launch.
pub async fn join(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    now: Moment,
) -> Result<()> {
    let text = "UPDATE course_members SET joined_at = $1 WHERE institution_id = $2 AND participant_id = $3";
    let params = [now.micros().into(), institution.into(), participant.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Is the picture of a visible participant the one copied from the learning system?
pub async fn has_copied_photo(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<bool> {
    let text = "SELECT p.id FROM participants p JOIN course_members m \
         ON m.institution_id = p.institution_id AND m.participant_id = p.id AND m.photo = p.photo \
         WHERE p.institution_id = $1 AND p.id = $2";
    let found = sql.one(text, &[institution.into(), participant.into()], |row| row.int(0)).await?;
    Ok(found.is_some())
}

/// Remembers the URL of a picture that cannot be fetched, so that it is not retried.
pub async fn skip_photo(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    url: &str,
) -> Result<()> {
    let text = "UPDATE course_members SET photo_url = $1 WHERE institution_id = $2 AND participant_id = $3";
    sql.execute(text, &[url.into(), institution.into(), participant.into()]).await.map(|_| ())
}

/// Stores the source URL of a copied picture, and its file.
pub async fn set_photo(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
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

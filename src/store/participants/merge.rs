//! Merging two pages of the same course: people move to the other page, or their data is merged into their entry there. The
//! caller holds the institution's lock.

use super::{
    columns::{custom_from_json, custom_to_json},
    *,
};
use crate::{
    domain::{
        ids::{InstitutionId, NamePageId},
        matching::Entry,
        media::Kind,
        participant::{TEXT_FIELDS, TextField},
    },
    store::{courses, coverage, invitations, outsiders, persons, retention, rolls},
};

const fn table(hidden: bool) -> &'static str {
    if hidden { "hidden_participants" } else { "participants" }
}

/// Moves an entry with all its data to the end of the page. The page that it leaves is about to be deleted with its counters.
pub async fn move_to(
    sql: &mut Sql,
    institution: InstitutionId,
    entry: &Entry,
    page: NamePageId,
    now: Moment,
) -> Result<()> {
    let place = rolls::join(sql, institution, page).await?;
    if entry.hidden {
        // Hidden people do not count as members. Their place stays free until they return.
        rolls::leave(sql, institution, page, &[place]).await?;
    }
    let text = format!(
        "UPDATE {} SET name_page_id = $1, page_place = $2, updated_at = $3 WHERE institution_id = $4 AND id = $5",
        table(entry.hidden)
    );
    let params: [Value<'_>; 5] =
        [page.into(), place.into(), now.micros().into(), institution.into(), entry.id.into()];
    sql.execute(&text, &params).await?;
    // The notice was about the page that the entry leaves.
    retention::forget(sql, institution, entry.id).await?;
    if entry.hidden { Ok(()) } else { coverage::joined(sql, institution, page, &[entry.id]).await }
}

/// Moves an entry with all its data from one page to the end of another one, with the invitation. Undoing an import of the page that
/// it leaves does not concern it any more.
pub async fn change_page(
    sql: &mut Sql,
    institution: InstitutionId,
    entry: &Entry,
    (from, place, to): (NamePageId, i64, NamePageId),
    now: Moment,
) -> Result<()> {
    rolls::leave(sql, institution, from, &[place]).await?;
    coverage::left(sql, institution, from, &[entry.id]).await?;
    move_to(sql, institution, entry, to, now).await?;
    for table in ["moderation", "entry_cases"] {
        let text =
            format!("UPDATE {table} SET name_page_id = $1 WHERE institution_id = $2 AND participant_id = $3");
        sql.execute(&text, &[to.into(), institution.into(), entry.id.into()]).await?;
    }
    let text = "DELETE FROM import_changes WHERE institution_id = $1 AND participant_id = $2";
    sql.execute(text, &[institution.into(), entry.id.into()]).await?;
    let Some(email_key) = &entry.email_key else { return Ok(()) };
    let Some(invited) = invitations::of_address(sql, institution, from, email_key).await? else {
        return Ok(());
    };
    if invitations::of_address(sql, institution, to, email_key).await?.is_some() {
        return invitations::delete_on_page(sql, institution, from, email_key).await;
    }
    let text = "UPDATE invitations SET name_page_id = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[to.into(), institution.into(), invited.id.into()]).await?;
    if invited.withdrawn_at.is_none() {
        coverage::invited(sql, institution, from, -1).await?;
        coverage::invited(sql, institution, to, 1).await?;
    }
    Ok(())
}

/// Copies the fields that `to` lacks and `from` has.
pub async fn fill(
    sql: &mut Sql,
    institution: InstitutionId,
    to: &Entry,
    from: &Entry,
    now: Moment,
) -> Result<()> {
    // Names and identifier come from the learning system. Notes are concatenated below, if they fit.
    const INHERITED: [&str; 4] = ["first_name", "last_name", "identifier", "notes"];
    let is_filled = |field: &&TextField| !INHERITED.contains(&field.column);
    let filled = TEXT_FIELDS.iter().filter(is_filled).map(|field| field.column).chain(["phone_number"]);
    let (into, of) = (table(to.hidden), table(from.hidden));
    let others = |column: &str| {
        format!(
            "{column} = COALESCE({column}, (SELECT o.{column} FROM {of} o WHERE o.institution_id = $1 AND o.id = $2))"
        )
    };
    let changes = filled.map(others).collect::<Vec<_>>().join(", ");
    let text = format!("UPDATE {into} SET {changes}, updated_at = $3 WHERE institution_id = $1 AND id = $4");
    let params: [Value<'_>; 4] = [institution.into(), from.id.into(), now.micros().into(), to.id.into()];
    sql.execute(&text, &params).await?;
    let read = async |sql: &mut Sql, entry: &Entry| {
        let text = format!(
            "SELECT notes, custom, custom_changed_at FROM {} WHERE institution_id = $1 AND id = $2",
            table(entry.hidden)
        );
        let read = |row: &Row<'_>| Ok((row.opt_text(0)?, row.opt_text(1)?, row.opt_int(2)?));
        sql.one(&text, &[institution.into(), entry.id.into()], read).await.map(Option::unwrap_or_default)
    };
    let (own_notes, own_custom, own_changed) = read(sql, to).await?;
    let (notes, custom, changed) = read(sql, from).await?;
    let notes = both_notes(own_notes, notes);
    let custom = match (own_custom, custom) {
        (Some(own), Some(other)) => {
            let mut all = custom_from_json(&other, from.id)?;
            all.0.extend(custom_from_json(&own, to.id)?.0);
            custom_to_json(&all)?
        }
        (own, other) => own.or(other),
    };
    let text = format!(
        "UPDATE {into} SET notes = $1, custom = $2, custom_changed_at = $3 WHERE institution_id = $4 AND id = $5"
    );
    let params: [Value<'_>; 5] = [
        notes.as_ref().into(),
        custom.as_ref().into(),
        own_changed.max(changed).into(),
        institution.into(),
        to.id.into(),
    ];
    sql.execute(&text, &params).await.map(|_| ())
}

fn both_notes(own: Option<String>, other: Option<String>) -> Option<String> {
    match (own, other) {
        (Some(own), Some(other)) if !own.contains(&other) => {
            let both = format!("{own}\n{other}");
            let fits = both.chars().count() <= crate::domain::text::longest::NOTES;
            Some(if fits { both } else { own })
        }
        (own, other) => own.or(other),
    }
}

/// Moves media of a kind between entries, unless the target has a newer one; a photo never replaces another. Returns the
/// replaced media, whose file is no longer referenced.
pub async fn move_media(
    sql: &mut Sql,
    institution: InstitutionId,
    (to, from): (&Entry, &Entry),
    kind: Kind,
    now: Moment,
) -> Result<Option<crate::domain::media::Media>> {
    use crate::store::media;
    let (own, other) =
        (media::of(sql, institution, to.id, kind).await?, media::of(sql, institution, from.id, kind).await?);
    let Some(other) = other else { return Ok(None) };
    if kind.is_sound() {
        media::transfer_links(sql, institution, (to.id, from.id), kind).await?;
    }
    let is_better = own.as_ref().is_none_or(|own| kind != Kind::Photo && own.created_at < other.created_at);
    if !is_better {
        if kind.is_sound() {
            media::replaced(sql, institution, to.id, &other).await?;
        }
        return Ok(None);
    }
    media::detach(sql, institution, from.id, kind, now).await?;
    let replaced = media::attach(sql, institution, to.id, &other, now).await?;
    if to.hidden {
        media::hide(sql, institution, &[to.id], true).await?;
    }
    Ok(replaced)
}

/// Hands what depends on an entry over to the one that it is merged into, after its media, plays, consents and pause, which have
/// functions of their own: cases of moderation follow the recordings that were moved. The rest is about the entry alone.
pub async fn hand_over(
    sql: &mut Sql,
    institution: InstitutionId,
    (to, from): (ParticipantId, ParticipantId),
) -> Result<()> {
    let text = "UPDATE moderation SET participant_id = $1 WHERE institution_id = $2 AND participant_id = $3 \
                AND hex IN (SELECT m.hex FROM media m WHERE m.institution_id = $2 AND m.participant_id = $1)";
    sql.execute(text, &[to.into(), institution.into(), from.into()]).await?;
    let text = "UPDATE scim_registrations SET participant_id = $1 WHERE institution_id = $2 AND participant_id = $3 \
                AND NOT EXISTS (SELECT 1 FROM scim_registrations o WHERE o.institution_id = $2 AND o.participant_id = $1)";
    sql.execute(text, &[to.into(), institution.into(), from.into()]).await?;
    outsiders::merge(sql, institution, (to, from)).await?;
    for table in persons::alone().filter(|table| !OF_COURSES.contains(table)) {
        let text = format!("DELETE FROM {table} WHERE institution_id = $1 AND participant_id = $2");
        sql.execute(&text, &[institution.into(), from.into()]).await?;
    }
    Ok(())
}

/// When two courses are merged, these end with the second course, and are written anew for the first.
const OF_COURSES: [&str; 3] = ["course_identities", "course_members", "lti_sessions"];

/// Deletes an entry that was merged into another.
pub async fn delete_entry(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    entry: &Entry,
) -> Result<()> {
    if !entry.hidden {
        return delete(sql, institution, page, entry.id).await;
    }
    for text in [
        "DELETE FROM hidden_participants WHERE institution_id = $1 AND id = $2",
        "DELETE FROM course_members WHERE institution_id = $1 AND participant_id = $2",
        "DELETE FROM course_identities WHERE institution_id = $1 AND participant_id = $2",
    ] {
        sql.execute(text, &[institution.into(), entry.id.into()]).await?;
    }
    courses::staff::unlink_entry(sql, institution, entry.id).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_both_are_kept_once() {
        let both = |own: Option<&str>, other: Option<&str>| {
            both_notes(own.map(str::to_owned), other.map(str::to_owned))
        };
        assert_eq!(both(Some("a"), Some("b")).as_deref(), Some("a\nb"));
        assert_eq!(both(Some("a b"), Some("b")).as_deref(), Some("a b"));
        assert_eq!(both(None, Some("b")).as_deref(), Some("b"));
        assert_eq!(both(Some("a"), None).as_deref(), Some("a"));
        assert_eq!(both(Some(&"a".repeat(9_999)), Some("b\nc")).map(|notes| notes.len()), Some(9_999));
    }
}

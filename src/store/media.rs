//! Recordings and pictures. A link works as long as its row exists here; the bytes are in the blob store.

mod aside;

pub use self::aside::{delete_aside, find_removed, hand_over_aside, set_aside, take_removed};
use self::aside::{delete_aside_text, stored_kind};
use super::{
    Error, Result, Row, Sql, Value, audiences, coverage, directory_holds, in_power_of_two_chunks,
    kept_recordings, moderation, padded, placeholders, value_rows,
};
use crate::domain::{
    ids::{InstitutionId, NamePageId, ParticipantId},
    media::{Kind, Media, Origin, Waveform},
    moment::Moment,
    participant::Recording,
};

const COLUMNS: &str = "m.hex, m.kind, m.bytes, m.duration_ms, m.peaks, m.original, m.created_at, m.origin";

fn from_row(row: &Row<'_>) -> Result<Media> {
    let waveform = match (row.opt_int(3)?, row.opt_text(4)?) {
        (Some(duration_ms), Some(peaks)) => {
            Some(Waveform { duration_ms: duration_ms.unsigned_abs(), peaks: from_hex(&peaks) })
        }
        _ => None,
    };
    Ok(Media {
        hex: row.text(0)?,
        kind: kind_at(row, 1)?,
        bytes: row.int(2)?.unsigned_abs(),
        waveform,
        original: row.bool(5)?,
        created_at: Moment::from_micros(row.int(6)?),
        origin: origin(&row.text(7)?)?,
    })
}

pub(super) fn origin(word: &str) -> Result<Origin> {
    let unknown = || Error::Broken("an origin of media that this binary does not know".to_owned());
    Origin::parse(word).ok_or_else(unknown)
}

pub(super) fn kind_at(row: &Row<'_>, column: usize) -> Result<Kind> {
    let word = row.text(column)?;
    // `removed` is followed by the hex, see `aside::stored_kind`.
    let word = word.split_once(' ').map_or(word.as_str(), |(word, _)| word);
    let kind = Kind::ALL.into_iter().find(|known| known.word() == word);
    kind.ok_or_else(|| Error::Broken("a kind of media that this binary does not know".to_owned()))
}

fn from_hex(text: &str) -> Vec<u8> {
    let pair =
        |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    text.as_bytes().chunks(2).filter_map(pair).collect()
}

/// The kinds with public links, as an SQL list.
const PUBLIC: &str = "'recording', 'legal_recording', 'photo'";

/// The most frequent query: does this link work, and what is the size of its file?
pub async fn find_live(sql: &mut Sql, institution: InstitutionId, hex: &str) -> Result<Option<(Kind, u64)>> {
    let read = |row: &Row<'_>| Ok((kind_at(row, 0)?, row.int(1)?.unsigned_abs()));
    sql.one(FIND_LIVE, &[institution.into(), hex.into()], read).await
}

/// Media of hidden people is kept but not served. Recordings that are held or removed are always hidden. The picture of an entry that is
/// held has no link.
const FIND_LIVE: &str = "SELECT m.kind, m.bytes FROM media m WHERE m.institution_id = $1 AND m.hex = $2 AND NOT m.hidden \
     AND (m.kind <> 'photo' OR (SELECT p.id FROM participants p WHERE p.institution_id = $1 AND p.id = m.participant_id \
     AND p.held) IS NULL)";

/// The recording that has replaced this one, possibly after several replacements.
pub async fn successor(sql: &mut Sql, institution: InstitutionId, hex: &str) -> Result<Option<Recording>> {
    let read =
        |row: &Row<'_>| Ok(Recording { hex: row.text(0)?, recorded_at: Moment::from_micros(row.int(1)?) });
    sql.one(SUCCESSOR, &[institution.into(), hex.into()], read).await
}

const SUCCESSOR: &str = "SELECT m.hex, m.created_at FROM replaced_recordings r JOIN media m ON m.institution_id = r.institution_id \
     AND m.participant_id = r.participant_id AND m.kind = r.kind AND NOT m.hidden \
     WHERE r.institution_id = $1 AND r.hex = $2";

pub async fn find(sql: &mut Sql, institution: InstitutionId, hex: &str) -> Result<Option<Media>> {
    sql.one(&FIND, &[institution.into(), hex.into()], from_row).await
}

static FIND: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
    format!("SELECT {COLUMNS} FROM media m WHERE m.institution_id = $1 AND m.hex = $2 AND NOT m.hidden")
});

/// A person's media of a kind, visible or hidden.
pub async fn of(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    kind: Kind,
) -> Result<Option<Media>> {
    let text = format!(
        "SELECT {COLUMNS} FROM media m WHERE m.institution_id = $1 AND m.participant_id = $2 AND m.kind = $3"
    );
    sql.one(&text, &[institution.into(), participant.into(), kind.word().into()], from_row).await
}

/// The participant that the media belongs to.
pub async fn owner(sql: &mut Sql, institution: InstitutionId, hex: &str) -> Result<Option<ParticipantId>> {
    sql.one(OWNER, &[institution.into(), hex.into()], |row| row.id(0)).await
}

const OWNER: &str = "SELECT participant_id FROM media WHERE institution_id = $1 AND hex = $2 AND NOT hidden";

/// Returns those of these files that are still referenced, including those of hidden people.
pub async fn referenced(sql: &mut Sql, institution: InstitutionId, hexes: &[&str]) -> Result<Vec<String>> {
    let mut found = Vec::with_capacity(hexes.len());
    for group in padded(hexes) {
        let text = living_text(group.len());
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, |row| row.text(0)).await?);
    }
    Ok(found)
}

/// The rows of these files, including those of hidden people.
pub async fn kept(sql: &mut Sql, institution: InstitutionId, hexes: &[&str]) -> Result<Vec<Media>> {
    let mut found = Vec::with_capacity(hexes.len());
    for group in padded(hexes) {
        let text = format!(
            "SELECT {COLUMNS} FROM media m WHERE m.institution_id = $1 AND m.hex IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, from_row).await?);
    }
    Ok(found)
}

/// All media of a participant, visible or hidden.
pub async fn all_of(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<Vec<Media>> {
    let text = format!(
        "SELECT {COLUMNS} FROM media m WHERE m.institution_id = $1 AND m.participant_id = $2 ORDER BY m.hex"
    );
    sql.rows(&text, &[institution.into(), participant.into()], from_row).await
}

/// All media of an institution, ordered by hex, after `behind` (keyset pagination).
pub async fn all(sql: &mut Sql, institution: InstitutionId, behind: &str, count: i64) -> Result<Vec<Media>> {
    let text = format!(
        "SELECT {COLUMNS} FROM media m WHERE m.institution_id = $1 AND m.hex > $2 ORDER BY m.hex LIMIT $3"
    );
    sql.rows(&text, &[institution.into(), behind.into(), count.into()], from_row).await
}

/// Recordings with a stored original, and their owners, ordered by hex, after `behind`. Those that are held or removed are left out.
pub async fn with_originals(
    sql: &mut Sql,
    institution: InstitutionId,
    behind: &str,
    count: i64,
) -> Result<Vec<(Media, ParticipantId)>> {
    let text = format!(
        "SELECT {COLUMNS}, m.participant_id FROM media m WHERE m.institution_id = $1 AND m.hex > $2 AND m.original \
         AND m.kind IN ({PUBLIC}) ORDER BY m.hex LIMIT $3"
    );
    let params = [institution.into(), behind.into(), count.into()];
    sql.rows(&text, &params, |row| Ok((from_row(row)?, row.id(8)?))).await
}

fn living_text(count: usize) -> String {
    format!("SELECT hex FROM media WHERE institution_id = $1 AND hex IN ({})", placeholders(2, count))
}

/// The columns of a participant that refer to media of a kind. `None` for what is not public.
const fn shown_in(kind: Kind) -> Option<(&'static str, Option<&'static str>)> {
    match kind {
        Kind::Recording => Some(("recording", Some("recorded_at"))),
        Kind::LegalRecording => Some(("legal_recording", Some("legal_recorded_at"))),
        Kind::Photo => Some(("photo", None)),
        Kind::Held | Kind::Removed => None,
    }
}

/// Sets a participant's media and returns the one it replaces. The caller holds the institution's lock.
pub async fn attach(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    new: &Media,
    now: Moment,
) -> Result<Option<Media>> {
    let old = remove(sql, institution, participant, new.kind).await?;
    if let Some(old) = old.as_ref().filter(|old| old.kind.is_sound()) {
        replaced(sql, institution, participant, old).await?;
    }
    sql.execute(&insert_text(1), &insert_params(institution, participant, new)).await?;
    show(sql, institution, participant, new.kind, Some((&new.hex, new.created_at)), now).await?;
    if new.kind == Kind::Recording && old.is_none() {
        coverage::recorded(sql, institution, participant).await?;
    }
    if new.kind.is_sound() {
        audiences::keep_paused(sql, institution, &[participant]).await?;
    } else {
        directory_holds::keep(sql, institution, &[participant]).await?;
    }
    Ok(old)
}

/// Redirects the link of a replaced recording to the participant's current one.
pub async fn replaced(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    old: &Media,
) -> Result<()> {
    let params = [institution.into(), (&old.hex).into(), participant.into(), old.kind.word().into()];
    sql.execute(REPLACE, &params).await.map(|_| ())
}

/// Gives a recording another link. The old one, and those that redirected to it, lead nowhere.
pub async fn rename(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    old: &Media,
    new: &Media,
    now: Moment,
) -> Result<()> {
    let text = "UPDATE media SET hex = $1, kind = $2, original = $3 WHERE institution_id = $4 AND hex = $5";
    let params: [Value<'_>; 5] = [
        (&new.hex).into(),
        stored_kind(old.kind, &new.hex).into(),
        new.original.into(),
        institution.into(),
        (&old.hex).into(),
    ];
    sql.execute(text, &params).await?;
    let params = [institution.into(), participant.into(), old.kind.word().into()];
    sql.execute(DELETE_REPLACED, &params).await?;
    // The cases about it.
    let text =
        "UPDATE moderation SET hex = $1 WHERE institution_id = $2 AND participant_id = $3 AND hex = $4";
    let params = [(&new.hex).into(), institution.into(), participant.into(), (&old.hex).into()];
    sql.execute(text, &params).await?;
    // It may be one that its owner can put back.
    let text = "UPDATE kept_recordings SET hex = $1 WHERE institution_id = $2 AND hex = $3";
    sql.execute(text, &[(&new.hex).into(), institution.into(), (&old.hex).into()]).await?;
    let Some((column, _)) = shown_in(old.kind) else { return Ok(()) };
    for table in ["participants", "hidden_participants"] {
        // A paused recording is not in its row.
        let text = format!(
            "UPDATE {table} SET {column} = $1, updated_at = $2 WHERE institution_id = $3 AND id = $4 AND {column} = $5"
        );
        let params: [Value<'_>; 5] = [
            (&new.hex).into(),
            now.micros().into(),
            institution.into(),
            participant.into(),
            (&old.hex).into(),
        ];
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Redirects links of replaced recordings from one entry to another, when the two are merged.
pub async fn transfer_links(
    sql: &mut Sql,
    institution: InstitutionId,
    (to, from): (ParticipantId, ParticipantId),
    kind: Kind,
) -> Result<()> {
    let text = "UPDATE replaced_recordings SET participant_id = $1 WHERE institution_id = $2 AND participant_id = $3 AND kind = $4";
    let params = [to.into(), institution.into(), from.into(), kind.word().into()];
    sql.execute(text, &params).await.map(|_| ())
}

const REPLACE: &str =
    "INSERT INTO replaced_recordings (institution_id, hex, participant_id, kind) VALUES ($1, $2, $3, $4)";

const INSERTED: usize = 10;

fn insert_text(rows: usize) -> String {
    format!(
        "INSERT INTO media (institution_id, hex, participant_id, kind, bytes, duration_ms, peaks, original, created_at, origin) \
         VALUES {}",
        value_rows(1, rows, INSERTED)
    )
}

fn insert_params(
    institution: InstitutionId,
    participant: ParticipantId,
    new: &Media,
) -> [Value<'_>; INSERTED] {
    let (duration_ms, peaks) = match &new.waveform {
        Some(waveform) => {
            (i64::try_from(waveform.duration_ms).ok(), Some(crate::domain::digest::hex(&waveform.peaks)))
        }
        None => (None, None),
    };
    [
        institution.into(),
        (&new.hex).into(),
        participant.into(),
        new.kind.word().into(),
        i64::try_from(new.bytes).unwrap_or(i64::MAX).into(),
        duration_ms.into(),
        peaks.into(),
        new.original.into(),
        new.created_at.micros().into(),
        new.origin.word().into(),
    ]
}

/// Bulk version for new participants, who have no recordings yet.
pub async fn attach_recordings(
    sql: &mut Sql,
    institution: InstitutionId,
    new: &[(ParticipantId, &Media)],
) -> Result<()> {
    for group in in_power_of_two_chunks(new) {
        let rows = group.iter().flat_map(|(owner, new)| insert_params(institution, *owner, new));
        let params: Vec<Value<'_>> = rows.collect();
        sql.execute(&insert_text(group.len()), &params).await?;
    }
    let people: Vec<ParticipantId> = new.iter().map(|(participant, _)| *participant).collect();
    for group in padded(&people) {
        let own = "FROM media m WHERE m.institution_id = $1 AND m.participant_id = participants.id AND m.kind = 'recording'";
        let text = format!(
            "UPDATE participants SET recording = (SELECT m.hex {own}), recorded_at = (SELECT m.created_at {own}) \
             WHERE institution_id = $1 AND id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        sql.execute(&text, &params).await?;
    }
    coverage::all_recorded(sql, institution, &people).await?;
    audiences::keep_paused(sql, institution, &people).await
}

/// Takes a recording out of its place, to be put into another: its row is gone, and its bytes are still needed. The participant no
/// longer shows it. Links to recordings that it had replaced lead nowhere until there is a recording again.
pub async fn take_out(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    kind: Kind,
    now: Moment,
) -> Result<Option<Media>> {
    let taken = remove(sql, institution, participant, kind).await?;
    if taken.is_some() {
        show(sql, institution, participant, kind, None, now).await?;
        if kind == Kind::Recording {
            coverage::unrecorded(sql, institution, participant).await?;
        }
    }
    Ok(taken)
}

/// Removes a participant's media of a kind. Links to recordings that it had replaced stop working too. With a recording of the
/// preferred name go those that are held or removed: whoever deletes it wants nothing of it to be kept.
pub async fn detach(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    kind: Kind,
    now: Moment,
) -> Result<Vec<Media>> {
    let mut old: Vec<Media> = remove(sql, institution, participant, kind).await?.into_iter().collect();
    if kind == Kind::Recording {
        old.extend(delete_aside(sql, institution, participant).await?);
        kept_recordings::delete_of(sql, institution, participant).await?;
        moderation::delete_of(sql, institution, participant).await?;
    }
    if kind.is_sound() {
        sql.execute(DELETE_REPLACED, &[institution.into(), participant.into(), kind.word().into()]).await?;
    }
    show(sql, institution, participant, kind, None, now).await?;
    if kind == Kind::Recording && old.iter().any(|one| one.kind == Kind::Recording) {
        coverage::unrecorded(sql, institution, participant).await?;
    }
    Ok(old)
}

const DELETE_REPLACED: &str =
    "DELETE FROM replaced_recordings WHERE institution_id = $1 AND participant_id = $2 AND kind = $3";

const REMOVE: &str =
    "DELETE FROM media AS m WHERE m.institution_id = $1 AND m.participant_id = $2 AND m.kind = $3";

async fn remove(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    kind: Kind,
) -> Result<Option<Media>> {
    let params = [institution.into(), participant.into(), kind.word().into()];
    removed(sql, REMOVE, &params).await.map(|mut removed| removed.pop())
}

async fn show(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    kind: Kind,
    what: Option<(&str, Moment)>,
    now: Moment,
) -> Result<()> {
    let Some((hex, when)) = shown_in(kind) else { return Ok(()) };
    let mut changes = vec![format!("{hex} = $1"), "updated_at = $2".to_owned()];
    let mut params: Vec<Value<'_>> = vec![what.map(|(hex, _)| hex).into(), now.micros().into()];
    if let Some(when) = when {
        changes.push(format!("{when} = $3"));
        params.push(what.map_or(0, |(_, moment)| moment.micros()).into());
    }
    let next = params.len() + 1;
    params.extend([institution.into(), participant.into()]);
    let text = |table: &str| {
        let changes = changes.join(", ");
        format!("UPDATE {table} SET {changes} WHERE institution_id = ${next} AND id = ${}", next + 1)
    };
    if sql.execute(&text("participants"), &params).await? == 0
        && sql.execute(&text("hidden_participants"), &params).await? == 1
    {
        hide(sql, institution, &[participant], true).await?;
    }
    Ok(())
}

/// Disables the links of these people, or enables them again, but never those of recordings that are held or removed.
pub async fn hide(
    sql: &mut Sql,
    institution: InstitutionId,
    participants: &[ParticipantId],
    hidden: bool,
) -> Result<()> {
    for group in padded(participants) {
        let text = format!(
            "UPDATE media SET hidden = $1 WHERE institution_id = $2 AND participant_id IN ({}) AND kind IN ({PUBLIC})",
            placeholders(3, group.len())
        );
        let ids = group.into_iter().map(Value::from);
        let params: Vec<Value<'_>> = [hidden.into(), institution.into()].into_iter().chain(ids).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

const DELETE_OF: &str = "DELETE FROM media AS m WHERE m.institution_id = $1 AND m.participant_id = $2";

/// Deletes all media of a participant.
pub async fn delete_of(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<Vec<Media>> {
    let params = [institution.into(), participant.into()];
    let gone = removed(sql, DELETE_OF, &params).await?;
    // Only recordings are ever replaced, so without one there are no links to clean up.
    if gone.iter().any(|one| one.kind.is_sound()) {
        sql.execute(DELETE_REPLACED_OF, &params).await?;
    }
    if gone.iter().any(|one| one.kind == Kind::Recording) {
        coverage::unrecorded(sql, institution, participant).await?;
    }
    Ok(gone)
}

const DELETE_REPLACED_OF: &str =
    "DELETE FROM replaced_recordings WHERE institution_id = $1 AND participant_id = $2";

/// Deletes the media of everybody on a page, including hidden people. The page is deleted with its counters.
pub async fn delete_on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
) -> Result<Vec<Media>> {
    let mut gone = Vec::new();
    for table in ["participants", "hidden_participants"] {
        let theirs = format!(
            "WHERE institution_id = $1 AND participant_id IN \
             (SELECT p.id FROM {table} p WHERE p.institution_id = $1 AND p.name_page_id = $2)"
        );
        let params = [institution.into(), page.into()];
        gone.extend(removed(sql, &format!("DELETE FROM media {theirs}"), &params).await?);
        sql.execute(&format!("DELETE FROM replaced_recordings {theirs}"), &params).await?;
    }
    Ok(gone)
}

/// Deletes the media of all participants below an id.
pub async fn delete_up_to(
    sql: &mut Sql,
    institution: InstitutionId,
    up_to: ParticipantId,
) -> Result<Vec<Media>> {
    let theirs = "WHERE institution_id = $1 AND participant_id < $2";
    let params = [institution.into(), up_to.into()];
    sql.execute(&format!("DELETE FROM replaced_recordings {theirs}"), &params).await?;
    removed(sql, &format!("DELETE FROM media {theirs}"), &params).await
}

async fn removed(sql: &mut Sql, text: &str, params: &[Value<'_>]) -> Result<Vec<Media>> {
    let returning = COLUMNS.replace("m.", "");
    sql.rows(&format!("{text} RETURNING {returning}"), params, from_row).await
}

/// Every query on a request path with sample parameters, for the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let (institution, participant) = (Value::Int(1), Value::Int(7));
    let hex = || Value::from("hex10");
    vec![
        ("is a link alive", FIND_LIVE.to_owned(), vec![institution.clone(), hex()]),
        ("what has replaced it", SUCCESSOR.to_owned(), vec![institution.clone(), "old10".into()]),
        ("what is it", FIND.clone(), vec![institution.clone(), hex()]),
        ("whose is it", OWNER.to_owned(), vec![institution.clone(), hex()]),
        ("which of these live", living_text(64), [vec![institution.clone()], vec![hex(); 64]].concat()),
        (
            "take one away",
            REMOVE.to_owned(),
            vec![institution.clone(), participant.clone(), "recording".into()],
        ),
        (
            "forget what was replaced",
            DELETE_REPLACED.to_owned(),
            vec![institution.clone(), participant.clone(), "recording".into()],
        ),
        ("what is held or removed", delete_aside_text(), vec![institution.clone(), participant.clone()]),
        ("take everything away", DELETE_OF.to_owned(), vec![institution, participant]),
    ]
}

//! Cases of moderation. Those about recordings, which are in `media`, are in the table `moderation`; those about whole entries are in
//! `entry_cases`, which has the same columns. Whether an entry is held is a column of `participants`.

use std::collections::{HashMap, HashSet};

use super::{
    Error, Result, Row, Sql, Value, expiry, media, outsiders, padded, participants, placeholders, position_in,
};
use crate::domain::{
    ids::{InstitutionId, ModerationId, NamePageId, ParticipantId},
    media::Media,
    moderation::{About, Case, CaseKind, CaseState, Complaint},
    moment::Moment,
};

const SELECTED: [&str; 14] = [
    "c.id",
    "c.name_page_id",
    "c.participant_id",
    "c.kind",
    "c.hex",
    "c.state",
    "c.complaint",
    "c.sentence",
    "c.reports",
    "c.created_at",
    "c.decided_at",
    "c.decided_by",
    "c.reason",
    "c.purge_at",
];

const fn table(about: About) -> &'static str {
    match about {
        About::Recording => "moderation",
        About::Entry => "entry_cases",
    }
}

fn from_row(row: &Row<'_>, about: About) -> Result<Case> {
    let unknown =
        |what: &str| Error::Broken(format!("a {what} of moderation that this binary does not know"));
    let kind = CaseKind::parse(&row.text(const { position_in(&SELECTED, "c.kind") })?);
    let state = CaseState::parse(&row.text(const { position_in(&SELECTED, "c.state") })?);
    let complaint = match row.opt_text(const { position_in(&SELECTED, "c.complaint") })? {
        Some(word) => Some(Complaint::parse(&word).ok_or_else(|| unknown("complaint"))?),
        None => None,
    };
    Ok(Case {
        id: row.id(const { position_in(&SELECTED, "c.id") })?,
        page: row.id(const { position_in(&SELECTED, "c.name_page_id") })?,
        participant: row.id(const { position_in(&SELECTED, "c.participant_id") })?,
        kind: kind.ok_or_else(|| unknown("kind"))?,
        about,
        hex: row.text(const { position_in(&SELECTED, "c.hex") })?,
        state: state.ok_or_else(|| unknown("state"))?,
        complaint,
        sentence: row.opt_text(const { position_in(&SELECTED, "c.sentence") })?,
        reports: row.int(const { position_in(&SELECTED, "c.reports") })?.unsigned_abs(),
        created_at: Moment::from_micros(row.int(const { position_in(&SELECTED, "c.created_at") })?),
        decided_at: row.opt_int(const { position_in(&SELECTED, "c.decided_at") })?.map(Moment::from_micros),
        decided_by: row.opt_text(const { position_in(&SELECTED, "c.decided_by") })?,
        reason: row.opt_text(const { position_in(&SELECTED, "c.reason") })?,
        purge_at: row.opt_int(const { position_in(&SELECTED, "c.purge_at") })?.map(Moment::from_micros),
    })
}

/// Those of these registrations whose page holds new recordings, with the page. Includes hidden people.
pub async fn holding(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<HashMap<ParticipantId, NamePageId>> {
    let mut found = HashMap::new();
    for group in padded(ids) {
        let text = holding_text(group.len());
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        let read = |row: &Row<'_>| Ok((row.id::<ParticipantId>(0)?, row.id::<NamePageId>(1)?));
        found.extend(sql.rows(&text, &params, read).await?);
    }
    Ok(found)
}

fn holding_text(count: usize) -> String {
    let these = placeholders(2, count);
    let of = |table: &str| {
        format!(
            "SELECT p.id, p.name_page_id FROM {table} p JOIN name_pages n ON n.institution_id = p.institution_id \
             AND n.id = p.name_page_id WHERE p.institution_id = $1 AND p.id IN ({these}) AND n.moderation = 'hold'"
        )
    };
    format!("{} UNION {}", of("participants"), of("hidden_participants"))
}

/// Those of these registrations with a held recording that was made for their page only.
pub async fn held_only_here(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<HashSet<ParticipantId>> {
    let mut found = HashSet::new();
    for group in padded(ids) {
        let text = format!(
            "SELECT participant_id FROM media WHERE institution_id = $1 AND participant_id IN ({}) AND kind = 'held' \
             AND origin = 'page'",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, |row| row.id::<ParticipantId>(0)).await?);
    }
    Ok(found)
}

/// Holds a recording until a manager approves it, and returns the held one that it replaces. The open case of the participant, if
/// there is one, is about the new recording from now on. The caller holds the institution's lock.
pub async fn hold(
    sql: &mut Sql,
    institution: InstitutionId,
    (participant, page): (ParticipantId, NamePageId),
    held: &Media,
    new_case: ModerationId,
    now: Moment,
) -> Result<Option<Media>> {
    let old = media::set_aside(sql, institution, participant, held).await?;
    let text = "UPDATE moderation SET hex = $1, created_at = $2, name_page_id = $3 WHERE institution_id = $4 \
                AND participant_id = $5 AND kind = 'held' AND state = 'open'";
    let params: [Value<'_>; 5] =
        [(&held.hex).into(), now.micros().into(), page.into(), institution.into(), participant.into()];
    if sql.execute(text, &params).await? == 0 {
        let place = (participant, page);
        let case = Case::open(new_case, place, About::Recording, held.hex.clone(), None, now);
        insert(sql, institution, &case).await?;
    }
    Ok(old)
}

/// Those of these registrations whose changes by their owners are held: strangers on a page that holds, and entries that are held
/// already. With the page of each. Includes hidden people.
pub async fn holding_entries(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<HashMap<ParticipantId, NamePageId>> {
    let mut found = holding(sql, institution, ids).await?;
    let strangers = outsiders::among(sql, institution, &found.keys().copied().collect::<Vec<_>>()).await?;
    found.retain(|id, _| strangers.contains(id));
    for group in padded(ids) {
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.iter().copied().map(Value::from)).collect();
        let read = |row: &Row<'_>| Ok((row.id::<ParticipantId>(0)?, row.id::<NamePageId>(1)?));
        found.extend(sql.rows(&held_text(group.len()), &params, read).await?);
    }
    Ok(found)
}

fn held_text(count: usize) -> String {
    let these = placeholders(2, count);
    let of = |table: &str| {
        format!(
            "SELECT p.id, p.name_page_id FROM {table} p WHERE p.institution_id = $1 AND p.id IN ({these}) AND p.held"
        )
    };
    format!("{} UNION {}", of("participants"), of("hidden_participants"))
}

/// Holds an entry until a manager approves it as it is now. What was decided about it before is outdated. The caller holds the
/// institution's lock.
pub async fn hold_entry(
    sql: &mut Sql,
    institution: InstitutionId,
    (participant, page): (ParticipantId, NamePageId),
    new_case: ModerationId,
    now: Moment,
) -> Result<()> {
    participants::set_held(sql, institution, participant, true, now).await?;
    let text = "DELETE FROM entry_cases WHERE institution_id = $1 AND participant_id = $2 AND state IN ('rejected', 'removed')";
    sql.execute(text, &[institution.into(), participant.into()]).await?;
    let version = new_case.to_string();
    let text = "UPDATE entry_cases SET hex = $1, created_at = $2, name_page_id = $3 WHERE institution_id = $4 \
                AND participant_id = $5 AND kind = 'held' AND state = 'open'";
    let params: [Value<'_>; 5] =
        [(&version).into(), now.micros().into(), page.into(), institution.into(), participant.into()];
    if sql.execute(text, &params).await? == 0 {
        let case = Case::open(new_case, (participant, page), About::Entry, version, None, now);
        insert(sql, institution, &case).await?;
    }
    Ok(())
}

pub async fn insert(sql: &mut Sql, institution: InstitutionId, case: &Case) -> Result<()> {
    let text = format!(
        "INSERT INTO {} (institution_id, {}) VALUES ({})",
        table(case.about),
        columns().replace("c.", ""),
        placeholders(1, SELECTED.len() + 1)
    );
    let params: [Value<'_>; SELECTED.len() + 1] = [
        institution.into(),
        case.id.into(),
        case.page.into(),
        case.participant.into(),
        case.kind.word().into(),
        (&case.hex).into(),
        case.state.word().into(),
        case.complaint.map(Complaint::word).into(),
        case.sentence.as_ref().into(),
        i64::try_from(case.reports).unwrap_or(i64::MAX).into(),
        case.created_at.micros().into(),
        case.decided_at.map(Moment::micros).into(),
        case.decided_by.as_ref().into(),
        case.reason.as_ref().into(),
        case.purge_at.map(Moment::micros).into(),
    ];
    sql.execute(&text, &params).await.map(|_| ())
}

fn columns() -> String {
    SELECTED.join(", ")
}

pub async fn find(sql: &mut Sql, institution: InstitutionId, id: ModerationId) -> Result<Option<Case>> {
    for about in About::ALL {
        let text =
            format!("SELECT {} FROM {} c WHERE c.institution_id = $1 AND c.id = $2", columns(), table(about));
        let found = sql.one(&text, &[institution.into(), id.into()], |row| from_row(row, about)).await?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// All cases of a participant, in the order in which they were opened.
pub async fn of(sql: &mut Sql, institution: InstitutionId, participant: ParticipantId) -> Result<Vec<Case>> {
    let mut found = Vec::new();
    for about in About::ALL {
        let text = format!(
            "SELECT {} FROM {} c WHERE c.institution_id = $1 AND c.participant_id = $2 ORDER BY c.id",
            columns(),
            table(about)
        );
        let params = [institution.into(), participant.into()];
        found.extend(sql.rows(&text, &params, |row| from_row(row, about)).await?);
    }
    found.sort_by_key(|case| case.id);
    Ok(found)
}

/// Which cases are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// Those to decide about, oldest first.
    Open,
    /// Those that were decided, newest first.
    Decided,
}

/// Of which pages cases are listed.
#[derive(Debug, Clone, Copy)]
pub enum Pages<'a> {
    All,
    One(NamePageId),
    These(&'a [NamePageId]),
}

/// The cases of these pages, behind an id. Recordings that were replaced since, and people who have left, are left out.
pub async fn list(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: Pages<'_>,
    listed: Listed,
    behind: Option<ModerationId>,
    count: i64,
) -> Result<Vec<Case>> {
    let groups: Vec<Vec<NamePageId>> = match pages {
        Pages::All => vec![Vec::new()],
        Pages::One(page) => vec![vec![page]],
        Pages::These(pages) => padded(pages).collect(),
    };
    let mut found = Vec::new();
    for about in About::ALL {
        for group in &groups {
            let text = list_text(about, group.len(), listed, behind.is_some());
            let mut params: Vec<Value<'_>> = vec![institution.into()];
            params.extend(group.iter().copied().map(Value::from));
            params.extend(behind.map(Value::from));
            params.push(count.into());
            found.extend(sql.rows(&text, &params, |row| from_row(row, about)).await?);
        }
    }
    // There are two tables, and a member may have more pages than one statement takes.
    match listed {
        Listed::Open => found.sort_by_key(|case| case.id),
        Listed::Decided => found.sort_by_key(|case| std::cmp::Reverse(case.id)),
    }
    found.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    Ok(found)
}

/// Of so many pages, or of all if there are none.
fn list_text(about: About, pages: usize, listed: Listed, behind: bool) -> String {
    let mut text = format!("SELECT {} FROM {} c WHERE c.institution_id = $1", columns(), table(about));
    let mut next = 2 + pages;
    match pages {
        0 => {}
        1 => text.push_str(" AND c.name_page_id = $2"),
        several => text.push_str(&format!(" AND c.name_page_id IN ({})", placeholders(2, several))),
    }
    let (state, comparison, order) = match listed {
        Listed::Open => ("= 'open'", ">", "ASC"),
        Listed::Decided => ("<> 'open'", "<", "DESC"),
    };
    text.push_str(&format!(" AND c.state {state}"));
    if behind {
        text.push_str(&format!(" AND c.id {comparison} ${next}"));
        next += 1;
    }
    // Scalar subqueries, as in `invitations/guests.rs`: with `EXISTS`, PostgreSQL may scan the table.
    if listed == Listed::Open && about == About::Recording {
        text.push_str(
            " AND (SELECT m.hex FROM media m WHERE m.institution_id = $1 AND m.hex = c.hex) IS NOT NULL \
             AND (SELECT k.hex FROM kept_recordings k WHERE k.institution_id = $1 AND k.hex = c.hex) IS NULL",
        );
    }
    text.push_str(
        " AND (SELECT p.id FROM participants p WHERE p.institution_id = $1 AND p.id = c.participant_id) IS NOT NULL",
    );
    text.push_str(&format!(" ORDER BY c.id {order} LIMIT ${next}"));
    text
}

/// The open report about a recording or an entry with this complaint.
pub async fn open_report(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    (about, hex): (About, &str),
    complaint: Complaint,
) -> Result<Option<Case>> {
    let text = format!(
        "SELECT {} FROM {} c WHERE c.institution_id = $1 AND c.participant_id = $2 AND c.hex = $3 AND c.complaint = $4 \
         AND c.state = 'open' ORDER BY c.id LIMIT 1",
        columns(),
        table(about)
    );
    let params = [institution.into(), participant.into(), hex.into(), complaint.word().into()];
    sql.one(&text, &params, |row| from_row(row, about)).await
}

/// One more listener complains.
pub async fn add_report(
    sql: &mut Sql,
    institution: InstitutionId,
    (about, id): (About, ModerationId),
    sentence: Option<&str>,
) -> Result<()> {
    let text = format!(
        "UPDATE {} SET reports = reports + 1, sentence = $1 WHERE institution_id = $2 AND id = $3",
        table(about)
    );
    sql.execute(&text, &[sentence.into(), institution.into(), id.into()]).await.map(|_| ())
}

/// What was decided, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub state: CaseState,
    pub by: String,
    pub reason: Option<String>,
    pub at: Moment,
    /// `None` keeps the case.
    pub purge_at: Option<Moment>,
}

pub async fn decide(
    sql: &mut Sql,
    institution: InstitutionId,
    (about, id): (About, ModerationId),
    verdict: &Verdict,
) -> Result<()> {
    let text = format!(
        "UPDATE {} SET state = $1, decided_by = $2, reason = COALESCE($3, reason), decided_at = $4, purge_at = $5 \
         WHERE institution_id = $6 AND id = $7",
        table(about)
    );
    let params: [Value<'_>; 7] = [
        verdict.state.word().into(),
        (&verdict.by).into(),
        verdict.reason.as_ref().into(),
        verdict.at.micros().into(),
        verdict.purge_at.map(Moment::micros).into(),
        institution.into(),
        id.into(),
    ];
    sql.execute(&text, &params).await.map(|_| ())
}

/// Decides about a recording or an entry, in all cases about it that are in one of these states.
pub async fn decide_about(
    sql: &mut Sql,
    institution: InstitutionId,
    about: &Case,
    states: &[CaseState],
    verdict: &Verdict,
) -> Result<()> {
    for case in of(sql, institution, about.participant).await? {
        let is_same = case.about == about.about && (case.about == About::Entry || case.hex == about.hex);
        if is_same && states.contains(&case.state) {
            decide(sql, institution, (case.about, case.id), verdict).await?;
        }
    }
    Ok(())
}

/// Decided cases whose time is over, of all institutions.
pub async fn due(sql: &mut Sql, now: Moment, count: i64) -> Result<Vec<(InstitutionId, Case)>> {
    let mut found = Vec::new();
    for about in About::ALL {
        let text = format!(
            "SELECT {}, c.institution_id FROM {} c WHERE c.purge_at <= $1 ORDER BY c.purge_at, c.id LIMIT $2",
            columns(),
            table(about)
        );
        let read = |row: &Row<'_>| Ok((row.id(SELECTED.len())?, from_row(row, about)?));
        found.extend(sql.rows(&text, &[now.micros().into(), count.into()], read).await?);
    }
    Ok(found)
}

pub async fn delete(
    sql: &mut Sql,
    institution: InstitutionId,
    (about, id): (About, ModerationId),
) -> Result<()> {
    let text = format!("DELETE FROM {} WHERE institution_id = $1 AND id = $2", table(about));
    sql.execute(&text, &[institution.into(), id.into()]).await.map(|_| ())
}

/// Deletes open reports about recordings that were replaced since, of all institutions.
pub async fn delete_obsolete(sql: &mut Sql) -> Result<u64> {
    let condition = "state = 'open' AND (NOT EXISTS \
         (SELECT 1 FROM media m WHERE m.institution_id = moderation.institution_id AND m.hex = moderation.hex) OR EXISTS \
         (SELECT 1 FROM kept_recordings k WHERE k.institution_id = moderation.institution_id AND k.hex = moderation.hex))";
    expiry::remove(sql, "moderation", condition, &[]).await
}

/// Deletes all cases about recordings of a participant.
pub async fn delete_of(sql: &mut Sql, institution: InstitutionId, participant: ParticipantId) -> Result<()> {
    sql.execute(DELETE_OF, &[institution.into(), participant.into()]).await.map(|_| ())
}

const DELETE_OF: &str = "DELETE FROM moderation WHERE institution_id = $1 AND participant_id = $2";

/// Hands the cases of an entry and its recordings that are held or removed to the entry that it is merged into. Of two recordings that
/// are held, the newer one is kept; returns the other one.
pub async fn merge(
    sql: &mut Sql,
    institution: InstitutionId,
    (own, other): (ParticipantId, ParticipantId),
) -> Result<Option<Media>> {
    let gone = media::hand_over_aside(sql, institution, (own, other)).await?;
    if let Some(gone) = &gone {
        let text = "DELETE FROM moderation WHERE institution_id = $1 AND hex = $2 AND kind = 'held' AND state = 'open' \
                    AND participant_id IN ($3, $4)";
        sql.execute(text, &[institution.into(), (&gone.hex).into(), own.into(), other.into()]).await?;
    }
    let text = "UPDATE moderation SET participant_id = $1 WHERE institution_id = $2 AND participant_id = $3";
    sql.execute(text, &[own.into(), institution.into(), other.into()]).await?;
    Ok(gone)
}

/// Two entries become one, on the page of the first. If one of them is held, both are: nobody has approved what the first one takes
/// from the other.
pub async fn merge_entries(
    sql: &mut Sql,
    institution: InstitutionId,
    (own, other): (ParticipantId, ParticipantId),
    page: NamePageId,
    now: Moment,
) -> Result<()> {
    let text = "UPDATE entry_cases SET participant_id = $1, name_page_id = $2 WHERE institution_id = $3 AND participant_id = $4";
    sql.execute(text, &[own.into(), page.into(), institution.into(), other.into()]).await?;
    let params = [institution.into(), other.into()];
    if sql.one(&held_text(1), &params, |_| Ok(())).await?.is_some() {
        participants::set_held(sql, institution, own, true, now).await?;
    }
    Ok(())
}

/// For the test that checks query plans: lists of the console, each with the index that it needs.
#[doc(hidden)]
pub fn console_statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let numbers = |all: &[i64]| -> Vec<Value<'static>> { all.iter().copied().map(Value::Int).collect() };
    vec![
        (
            "moderation_decided",
            list_text(About::Recording, 0, Listed::Decided, true),
            numbers(&[1, 1_000_000, 50]),
        ),
        (
            "moderation_decided_on_page",
            list_text(About::Recording, 1, Listed::Decided, true),
            numbers(&[1, 1, 1_000_000, 50]),
        ),
    ]
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let params = [vec![Value::Int(1)], vec![Value::Int(7); 8]].concat();
    let numbers = |all: &[i64]| -> Vec<Value<'static>> { all.iter().copied().map(Value::Int).collect() };
    let mut all = vec![
        ("whose pages hold recordings", holding_text(8), params.clone()),
        ("whose entries are held", held_text(8), params),
    ];
    for about in About::ALL {
        let list = |pages, listed, behind| list_text(about, pages, listed, behind);
        all.extend([
            ("open cases of a page", list(1, Listed::Open, true), numbers(&[1, 2, 3, 50])),
            ("decided cases of a page", list(1, Listed::Decided, true), numbers(&[1, 2, 30_000, 50])),
            ("open cases of some pages", list(4, Listed::Open, true), numbers(&[1, 2, 3, 4, 5, 3, 50])),
            (
                "decided cases of some pages",
                list(4, Listed::Decided, true),
                numbers(&[1, 2, 3, 4, 5, 30_000, 50]),
            ),
            ("open cases of an institution", list(0, Listed::Open, false), numbers(&[1, 50])),
            ("decided cases of an institution", list(0, Listed::Decided, false), numbers(&[1, 50])),
        ]);
    }
    all
}

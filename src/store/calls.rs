//! Calls, and the do-not-call list. Attempts are in `call_attempts`.

mod on_citus;

pub use on_citus::statements;

use super::{
    Error, Result, Row, Sql, Value, padded, placeholders,
    turns::{self, Turn},
    within,
};
use crate::domain::{
    call::{Listed, State},
    digest,
    ids::{CallId, InstitutionId, NamePageId, ParticipantId},
    moment::Moment,
    scope::Scope,
};

#[derive(Debug, Clone)]
pub struct Call {
    pub institution: InstitutionId,
    pub id: CallId,
    pub participant: ParticipantId,
    pub phone_number: String,
    pub state: State,
    pub attempts_made: u32,
    pub attempts_allowed: u32,
}

const COLUMNS: &str =
    "c.institution_id, c.id, c.participant_id, c.phone_number, c.state, c.attempts_made, c.attempts_allowed";

const PENDING: &str = "state IN ('scheduled', 'dialing', 'in_progress')";

fn from_row(row: &Row<'_>) -> Result<Call> {
    let count = |column: usize| Ok::<_, Error>(u32::try_from(row.int(column)?).unwrap_or(u32::MAX));
    Ok(Call {
        institution: row.id(0)?,
        id: row.id(1)?,
        participant: row.id(2)?,
        phone_number: row.text(3)?,
        state: state(&row.text(4)?)?,
        attempts_made: count(5)?,
        attempts_allowed: count(6)?,
    })
}

pub(super) fn state(word: &str) -> Result<State> {
    State::parse(word)
        .ok_or_else(|| Error::Broken("a call in a state that this binary does not know".to_owned()))
}

/// Inserts a scheduled call.
pub async fn insert(sql: &mut Sql, call: &Call, run_at: Moment, now: Moment) -> Result<()> {
    let text = "INSERT INTO calls (institution_id, id, participant_id, phone_number, state, run_at, attempts_made, \
         attempts_allowed, created_at, deferred) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let params: [Value<'_>; 10] = [
        call.institution.into(),
        call.id.into(),
        call.participant.into(),
        (&call.phone_number).into(),
        call.state.word().into(),
        run_at.micros().into(),
        i64::from(call.attempts_made).into(),
        i64::from(call.attempts_allowed).into(),
        now.micros().into(),
        (run_at > now).into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn pending_of(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<Option<Call>> {
    let text = format!(
        "SELECT {COLUMNS} FROM calls c WHERE c.institution_id = $1 AND c.participant_id = $2 AND c.{PENDING}"
    );
    sql.one(&text, &[institution.into(), participant.into()], from_row).await
}

/// The numbers of all calls created for a participant since then, one per call.
pub async fn numbers_since(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    since: Moment,
) -> Result<Vec<String>> {
    let text = "SELECT phone_number FROM calls WHERE institution_id = $1 AND participant_id = $2 AND created_at > $3";
    sql.rows(text, &[institution.into(), participant.into(), since.micros().into()], |row| row.text(0)).await
}

/// How many calls to a number were created since then, at most `most`.
pub async fn count_to(
    sql: &mut Sql,
    institution: InstitutionId,
    phone_number: &str,
    since: Moment,
    most: usize,
) -> Result<usize> {
    let text = format!(
        "SELECT id FROM calls WHERE institution_id = $1 AND phone_number = $2 AND created_at > $3 LIMIT {most}"
    );
    let params = [institution.into(), phone_number.into(), since.micros().into()];
    Ok(sql.rows(&text, &params, |row| row.int(0)).await?.len())
}

/// All scheduled or running calls to a number.
pub async fn pending_to(sql: &mut Sql, institution: InstitutionId, phone_number: &str) -> Result<Vec<Call>> {
    let text = format!(
        "SELECT {COLUMNS} FROM calls c WHERE c.institution_id = $1 AND c.phone_number = $2 AND c.{PENDING} ORDER BY c.id"
    );
    sql.rows(&text, &[institution.into(), phone_number.into()], from_row).await
}

/// Pending calls of these people.
pub async fn pending_among(
    sql: &mut Sql,
    institution: InstitutionId,
    people: &[ParticipantId],
) -> Result<Vec<Call>> {
    let mut calls = Vec::new();
    for group in padded(people) {
        let text = format!(
            "SELECT {COLUMNS} FROM calls c WHERE c.institution_id = $1 AND c.{PENDING} AND c.participant_id IN ({})",
            placeholders(2, group.len())
        );
        calls.append(&mut sql.rows(&text, &keyed(institution, &group), from_row).await?);
    }
    Ok(calls)
}

/// Pending calls of a page's participants, or of the whole institution.
pub async fn pending_in(
    sql: &mut Sql,
    institution: InstitutionId,
    page: Option<NamePageId>,
) -> Result<Vec<Call>> {
    let mut text = format!("SELECT {COLUMNS} FROM calls c WHERE c.institution_id = $1 AND c.{PENDING}");
    let mut params: Vec<Value<'_>> = vec![institution.into()];
    if let Some(page) = page.filter(|_| !sql.is_citus()) {
        text.push_str(
            " AND c.participant_id IN (SELECT p.id FROM participants p WHERE p.institution_id = $1 AND p.name_page_id = $2)",
        );
        params.push(page.into());
    }
    text.push_str(" ORDER BY c.id");
    let mut calls = sql.rows(&text, &params, from_row).await?;
    if let Some(page) = page.filter(|_| sql.is_citus()) {
        let people: Vec<ParticipantId> = calls.iter().map(|call| call.participant).collect();
        let here = on_citus::on_page(sql, institution, page, "participants", &people).await?;
        calls.retain(|call| here.contains(&call.participant));
    }
    Ok(calls)
}

/// The ids of all scheduled or running calls.
pub async fn all_pending(sql: &mut Sql, scope: Scope) -> Result<Vec<CallId>> {
    let mut params = Vec::new();
    let within = within(scope, "institution_id", &mut params);
    let text = format!("SELECT id FROM calls WHERE {PENDING} AND {within}");
    sql.rows(&text, &params, |row| row.id(0)).await
}

/// Call ids are unique across institutions.
pub async fn find(sql: &mut Sql, scope: Scope, id: CallId) -> Result<Option<Call>> {
    let mut params: Vec<Value<'_>> = vec![id.into()];
    let within = within(scope, "c.institution_id", &mut params);
    sql.one(&format!("SELECT {COLUMNS} FROM calls c WHERE c.id = $1 AND {within}"), &params, from_row).await
}

/// False if another transaction has locked the row.
pub async fn can_lock(sql: &mut Sql, institution: InstitutionId, id: CallId) -> Result<bool> {
    // SQLite has a single writer anyway.
    if !sql.is_postgres() {
        return Ok(true);
    }
    let text = "SELECT id FROM calls WHERE institution_id = $1 AND id = $2 FOR UPDATE SKIP LOCKED";
    Ok(sql.one(text, &[institution.into(), id.into()], |row| row.int(0)).await?.is_some())
}

/// Locks the row until the end of the transaction, and reads it.
pub async fn lock(sql: &mut Sql, institution: InstitutionId, id: CallId) -> Result<Option<Call>> {
    let touch = "UPDATE calls SET state = state WHERE institution_id = $1 AND id = $2";
    sql.execute(touch, &[institution.into(), id.into()]).await?;
    let text = format!("SELECT {COLUMNS} FROM calls c WHERE c.institution_id = $1 AND c.id = $2");
    sql.one(&text, &[institution.into(), id.into()], from_row).await
}

/// Locks all calls of these people before they are deleted. Whoever handles a webhook locks the call first, and then its attempts, jobs
/// and the do-not-call list: so must whoever deletes them.
pub async fn lock_of(sql: &mut Sql, institution: InstitutionId, people: &[ParticipantId]) -> Result<()> {
    // SQLite has a single writer anyway.
    if !sql.is_postgres() {
        return Ok(());
    }
    for group in padded(people) {
        let text = format!(
            "SELECT id FROM calls WHERE institution_id = $1 AND participant_id IN ({}) ORDER BY id FOR UPDATE",
            placeholders(2, group.len())
        );
        sql.defer(&text, &keyed(institution, &group)).await?;
    }
    Ok(())
}

/// Changes the state, unless another process has changed it first (optimistic lock): then returns false. `run_at` is set for
/// scheduled calls. A transition that the state machine does not allow is a bug.
pub async fn become_(sql: &mut Sql, call: &Call, next: State, run_at: Option<Moment>) -> Result<bool> {
    if !call.state.may_become(next) {
        return Err(Error::Broken(format!("a call cannot be {} after {}", next.word(), call.state.word())));
    }
    let text = "UPDATE calls SET state = $1, run_at = $2, attempts_made = $3, attempts_allowed = $4, deferred = TRUE \
                WHERE institution_id = $5 AND id = $6 AND state = $7";
    let params: [Value<'_>; 7] = [
        next.word().into(),
        run_at.map(Moment::micros).into(),
        i64::from(call.attempts_made).into(),
        i64::from(call.attempts_allowed).into(),
        call.institution.into(),
        call.id.into(),
        call.state.word().into(),
    ];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Moves a scheduled call to a later time.
pub async fn postpone(sql: &mut Sql, call: &Call, run_at: Moment) -> Result<()> {
    let text = "UPDATE calls SET run_at = $1, deferred = TRUE WHERE institution_id = $2 AND id = $3 AND state = 'scheduled'";
    let params: [Value<'_>; 3] = [run_at.micros().into(), call.institution.into(), call.id.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// When the next call is due, if there is any.
pub async fn next(sql: &mut Sql) -> Result<Option<Moment>> {
    let text = "SELECT run_at FROM calls WHERE run_at IS NOT NULL ORDER BY run_at, id LIMIT 1";
    sql.one(text, &[], |row| row.int(0).map(Moment::from_micros)).await
}

/// Takes the claim lock: no other process claims calls until the end of the transaction.
pub async fn take_turn(sql: &mut Sql) -> Result<()> {
    sql.execute("UPDATE switchboard SET turn = turn + 1 WHERE id = 1", &[]).await.map(|_| ())
}

/// The next call, once the deferrals have ended: of the first institution after the one that was served last, the one that has been due
/// longest, to a number that no attempt is calling right now.
pub async fn due(sql: &mut Sql, now: Moment) -> Result<Option<(InstitutionId, CallId, Turn)>> {
    let read = |row: &Row<'_>| {
        let last = row.int(2)?;
        Ok((row.id(0)?, row.id(1)?, Turn { last, next: last + 1 }))
    };
    sql.one(&turns::call_text(), &[now.micros().into()], read).await
}

/// Newest first. Attempts are loaded separately.
pub async fn list(sql: &mut Sql, scope: Scope, count: i64) -> Result<Vec<(InstitutionId, Listed)>> {
    let mut params = Vec::new();
    let within = within(scope, "c.institution_id", &mut params);
    params.push(count.into());
    let which = format!("WHERE {within} ORDER BY c.id DESC LIMIT ${}", params.len());
    read_listed(sql, &which, &params).await
}

/// The calls of an institution that are being made.
pub async fn under_way(sql: &mut Sql, institution: InstitutionId, count: i64) -> Result<Vec<Listed>> {
    Ok(without_owners(read_listed(sql, &under_way_text(), &[institution.into(), count.into()]).await?))
}

fn under_way_text() -> String {
    format!("WHERE c.institution_id = $1 AND c.{PENDING} AND c.run_at IS NULL ORDER BY c.id LIMIT $2")
}

/// The calls of an institution that come next.
pub async fn scheduled(sql: &mut Sql, institution: InstitutionId, count: i64) -> Result<Vec<Listed>> {
    let which = "WHERE c.institution_id = $1 AND c.run_at IS NOT NULL ORDER BY c.run_at, c.id LIMIT $2";
    Ok(without_owners(read_listed(sql, which, &[institution.into(), count.into()]).await?))
}

/// The calls of an institution that are over, before this one, newest first.
pub async fn over(
    sql: &mut Sql,
    institution: InstitutionId,
    before: CallId,
    count: i64,
) -> Result<Vec<Listed>> {
    let params = [institution.into(), before.into(), count.into()];
    Ok(without_owners(read_listed(sql, &over_text(), &params).await?))
}

fn over_text() -> String {
    format!("WHERE c.institution_id = $1 AND c.id < $2 AND NOT (c.{PENDING}) ORDER BY c.id DESC LIMIT $3")
}

/// For the test that checks query plans: lists of the console, each with the index that it needs.
#[doc(hidden)]
pub fn console_statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let numbers = |all: &[i64]| -> Vec<Value<'static>> { all.iter().copied().map(Value::Int).collect() };
    vec![
        ("calls_under_way", listed_text(&under_way_text()), numbers(&[1, 50])),
        ("calls_over", listed_text(&over_text()), numbers(&[1, 1_000_000, 50])),
    ]
}

fn without_owners(listed: Vec<(InstitutionId, Listed)>) -> Vec<Listed> {
    listed.into_iter().map(|(_, call)| call).collect()
}

async fn read_listed(
    sql: &mut Sql,
    which: &str,
    params: &[Value<'_>],
) -> Result<Vec<(InstitutionId, Listed)>> {
    if sql.is_citus() {
        return on_citus::list(sql, which, params).await;
    }
    let read = |row: &Row<'_>| Ok((row.id(0)?, Listed { email: row.opt_text(7)?, ..listed(row)? }));
    sql.rows(&listed_text(which), params, read).await
}

fn listed_text(which: &str) -> String {
    format!(
        "SELECT {LISTED}, p.email FROM calls c JOIN institutions i ON i.id = c.institution_id \
         LEFT JOIN participants p ON p.institution_id = c.institution_id AND p.id = c.participant_id {which}"
    )
}

const LISTED: &str = "c.institution_id, c.participant_id, c.id, i.slug, c.phone_number, c.state, c.run_at";

/// Reads `LISTED`, which comes first.
fn listed(row: &Row<'_>) -> Result<Listed> {
    Ok(Listed {
        id: row.id(2)?,
        institution: row.text(3)?,
        email: None,
        phone_number: row.text(4)?,
        state: state(&row.text(5)?)?,
        run_at: row.opt_int(6)?.map(Moment::from_micros),
        attempts: Vec::new(),
    })
}

fn keyed(institution: InstitutionId, people: &[ParticipantId]) -> Vec<Value<'static>> {
    [institution.into()].into_iter().chain(people.iter().map(|id| Value::from(*id))).collect()
}

/// All calls of a participant, the newest first, without their attempts.
pub async fn of_participant(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<Vec<Call>> {
    let text = format!(
        "SELECT {COLUMNS} FROM calls c WHERE c.institution_id = $1 AND c.participant_id = $2 ORDER BY c.id DESC"
    );
    sql.rows(&text, &[institution.into(), participant.into()], from_row).await
}

/// Number of pending calls by state.
pub async fn counts(sql: &mut Sql) -> Result<Vec<(State, u64)>> {
    let text = format!("SELECT state, COUNT(*) FROM calls WHERE {PENDING} GROUP BY state");
    sql.rows(&text, &[], |row| Ok((state(&row.text(0)?)?, row.int(1)?.unsigned_abs()))).await
}

/// Reassigns all calls of a participant to another one, when the two are merged.
pub async fn give_over(
    sql: &mut Sql,
    institution: InstitutionId,
    from: ParticipantId,
    to: ParticipantId,
) -> Result<()> {
    let text = "UPDATE calls SET participant_id = $1 WHERE institution_id = $2 AND participant_id = $3";
    sql.execute(text, &[to.into(), institution.into(), from.into()]).await.map(|_| ())
}

/// Deletes all calls of a participant.
pub async fn delete_of(sql: &mut Sql, institution: InstitutionId, participant: ParticipantId) -> Result<()> {
    let call_ids = "SELECT id FROM calls WHERE institution_id = $1 AND participant_id = $2";
    delete(sql, call_ids, &[institution.into(), participant.into()]).await
}

pub async fn delete_on_page(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<()> {
    if sql.is_citus() {
        return on_citus::delete_on_page(sql, institution, page).await;
    }
    let call_ids = ["participants", "hidden_participants"].map(|table| {
        format!(
            "SELECT c.id FROM calls c JOIN {table} p ON p.institution_id = c.institution_id \
             AND p.id = c.participant_id WHERE c.institution_id = $1 AND p.name_page_id = $2"
        )
    });
    delete_locked(sql, &call_ids.join(" UNION ALL "), &[institution.into(), page.into()]).await
}

/// `delete` for calls that nobody has locked: see `lock_of`.
async fn delete_locked(sql: &mut Sql, call_ids: &str, params: &[Value<'_>]) -> Result<()> {
    if sql.is_postgres() {
        let text = format!(
            "SELECT id FROM calls WHERE institution_id = $1 AND id IN ({call_ids}) ORDER BY id FOR UPDATE"
        );
        sql.defer(&text, params).await?;
    }
    delete(sql, call_ids, params).await
}

/// Attempts are detached and kept for a day, so that deleting and recreating people does not evade the rate limits. The
/// provider's call ids are kept too: they are needed to delete the recordings there.
async fn delete(sql: &mut Sql, call_ids: &str, params: &[Value<'_>]) -> Result<()> {
    for text in [
        format!(
            "UPDATE call_attempts SET call_id = {DETACHED}, phone_number = SUBSTR(phone_number, LENGTH(phone_number) - 3), \
             until = NULL, lease = NULL \
             WHERE institution_id = $1 AND call_id IN ({call_ids})"
        ),
        format!("DELETE FROM calls WHERE institution_id = $1 AND id IN ({call_ids})"),
    ] {
        sql.execute(&text, params).await?;
    }
    Ok(())
}

/// The call id of detached attempts, whose call was deleted.
pub(super) const DETACHED: CallId = CallId::new(0);

/// Deletes everything, along with the institution.
pub async fn delete_all(sql: &mut Sql, institution: InstitutionId) -> Result<()> {
    // The calls first: whoever changes one of the others holds the call's lock.
    for table in ["calls", "call_attempts", "call_takes", "do_not_call"] {
        let text = format!("DELETE FROM {table} WHERE institution_id = $1");
        sql.execute(&text, &[institution.into()]).await?;
    }
    Ok(())
}

/// The do-not-call entry of an erased person: a truncated hash of the number. It is long enough to recognize the number, and
/// too short to identify it, because many numbers share the same value.
fn erased(institution: InstitutionId, phone_number: &str) -> String {
    let digest = digest::of(&format!("do not call {institution} {phone_number}"));
    format!("erased:{}", digest::hex(&digest[..3]))
}

/// Is the number on the do-not-call list?
pub async fn is_opted_out(sql: &mut Sql, institution: InstitutionId, phone_number: &str) -> Result<bool> {
    let text = "SELECT 1 FROM do_not_call WHERE institution_id = $1 AND phone_number IN ($2, $3)";
    let params: [Value<'_>; 3] =
        [institution.into(), phone_number.into(), erased(institution, phone_number).into()];
    Ok(sql.one(text, &params, |_| Ok(())).await?.is_some())
}

/// Keeps an opt-out in force when its owner is erased, but replaces the number with its truncated hash.
pub async fn erase_opt_out(sql: &mut Sql, institution: InstitutionId, phone_number: &str) -> Result<()> {
    let text = "DELETE FROM do_not_call WHERE institution_id = $1 AND phone_number = $2 RETURNING created_at";
    let when = sql.one(text, &[institution.into(), phone_number.into()], |row| row.int(0)).await?;
    match when {
        Some(when) => {
            let when = Moment::from_micros(when);
            opt_out(sql, institution, &erased(institution, phone_number), when).await
        }
        None => Ok(()),
    }
}

/// Records an opt-out during a call to somebody who has since been erased.
pub async fn opt_out_erased(
    sql: &mut Sql,
    institution: InstitutionId,
    phone_number: &str,
    now: Moment,
) -> Result<()> {
    opt_out(sql, institution, &erased(institution, phone_number), now).await
}

pub async fn opt_out(
    sql: &mut Sql,
    institution: InstitutionId,
    phone_number: &str,
    now: Moment,
) -> Result<()> {
    let text = "INSERT INTO do_not_call (institution_id, phone_number, created_at) VALUES ($1, $2, $3) \
                ON CONFLICT (institution_id, phone_number) DO NOTHING";
    let params: [Value<'_>; 3] = [institution.into(), phone_number.into(), now.micros().into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Removes an opt-out. False if there was none.
pub async fn opt_in(sql: &mut Sql, institution: InstitutionId, phone_number: &str) -> Result<bool> {
    let text = "DELETE FROM do_not_call WHERE institution_id = $1 AND phone_number IN ($2, $3)";
    let params: [Value<'_>; 3] =
        [institution.into(), phone_number.into(), erased(institution, phone_number).into()];
    Ok(sql.execute(text, &params).await? > 0)
}

pub async fn opted_out(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<(String, Moment)>> {
    let text =
        "SELECT phone_number, created_at FROM do_not_call WHERE institution_id = $1 ORDER BY phone_number";
    sql.rows(text, &[institution.into()], |row| Ok((row.text(0)?, Moment::from_micros(row.int(1)?)))).await
}

/// Numbers on the do-not-call list, from after one of them on.
pub async fn opted_out_after(
    sql: &mut Sql,
    institution: InstitutionId,
    after: &str,
    count: i64,
) -> Result<Vec<(String, Moment)>> {
    let text = "SELECT phone_number, created_at FROM do_not_call WHERE institution_id = $1 AND phone_number > $2 \
                ORDER BY phone_number LIMIT $3";
    let params: [Value<'_>; 3] = [institution.into(), after.into(), count.into()];
    sql.rows(text, &params, |row| Ok((row.text(0)?, Moment::from_micros(row.int(1)?)))).await
}

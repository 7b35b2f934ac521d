//! The outbox: messages to be mailed, and the outcome of their delivery.

use super::{
    Error, Result, Row, Sql, Value, expiry, own_list, persons::Record, placeholders, position_in,
    stored_json, within,
};
use crate::domain::{
    email::Email,
    ids::{InstitutionId, MessageId, NamePageId},
    message::{Envelope, Message, OutboxMessage, State, Stored},
    moment::Moment,
    scope::Scope,
    session::PersonId,
};

const COLUMNS: &[&str] = &[
    "institution_id",
    "id",
    "message",
    "email",
    "state",
    "attempts",
    "answer",
    "created_at",
    "changed_at",
    "expires_at",
    "name_page_id",
];

fn from_row(row: &Row<'_>) -> Result<OutboxMessage> {
    let id: MessageId = row.id(const { position_in(COLUMNS, "id") })?;
    let institution: InstitutionId = row.id(const { position_in(COLUMNS, "institution_id") })?;
    let unreadable = |column: &str, value: &str| {
        Error::Broken(format!("outbox.{column} of row {id} is unreadable: `{value}`"))
    };
    let moment = |column: usize| row.int(column).map(Moment::from_micros);
    let (email, state) = (
        row.text(const { position_in(COLUMNS, "email") })?,
        row.text(const { position_in(COLUMNS, "state") })?,
    );
    let message =
        stored_json(("outbox", "message", id), &row.text(const { position_in(COLUMNS, "message") })?)?;
    let envelope = Envelope {
        id,
        institution: Some(institution).filter(|institution| institution.get() != 0),
        page: row.opt_id(const { position_in(COLUMNS, "name_page_id") })?,
        to: Email::parse(&email).ok_or_else(|| unreadable("email", &email))?,
        state: State::parse(&state).ok_or_else(|| unreadable("state", &state))?,
        attempts: u32::try_from(row.int(const { position_in(COLUMNS, "attempts") })?).unwrap_or(u32::MAX),
        answer: row.opt_text(const { position_in(COLUMNS, "answer") })?,
        created_at: moment(const { position_in(COLUMNS, "created_at") })?,
        changed_at: moment(const { position_in(COLUMNS, "changed_at") })?,
        expires_at: moment(const { position_in(COLUMNS, "expires_at") })?,
    };
    Ok(OutboxMessage { envelope, message })
}

fn tenant(institution: Option<InstitutionId>) -> Value<'static> {
    institution.map_or(0, InstitutionId::get).into()
}

/// Adds a message. False if there is one about the same occasion already.
pub async fn insert(sql: &mut Sql, new: &OutboxMessage<Message>) -> Result<bool> {
    let text = "INSERT INTO outbox (institution_id, id, message, occasion, email, email_key, state, attempts, created_at, changed_at, \
                expires_at, name_page_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
                ON CONFLICT (institution_id, occasion) DO NOTHING";
    let message = serde_json::to_string(&new.message).map_err(|error| Error::Broken(error.to_string()))?;
    let params: [Value<'_>; 12] = [
        tenant(new.institution),
        new.id.into(),
        message.into(),
        new.message.occasion().into(),
        new.to.as_given().into(),
        new.to.key().into(),
        new.state.word().into(),
        i64::from(new.attempts).into(),
        new.created_at.micros().into(),
        new.changed_at.micros().into(),
        new.expires_at.micros().into(),
        new.page.into(),
    ];
    Ok(sql.execute(text, &params).await? == 1)
}

pub async fn find(
    sql: &mut Sql,
    institution: Option<InstitutionId>,
    id: MessageId,
) -> Result<Option<OutboxMessage>> {
    let text = format!("SELECT {} FROM outbox WHERE institution_id = $1 AND id = $2", COLUMNS.join(", "));
    sql.one(&text, &[tenant(institution), id.into()], from_row).await
}

/// The message about an occasion of an institution.
pub async fn about(
    sql: &mut Sql,
    institution: InstitutionId,
    occasion: &str,
) -> Result<Option<OutboxMessage>> {
    let text =
        format!("SELECT {} FROM outbox WHERE institution_id = $1 AND occasion = $2", COLUMNS.join(", "));
    sql.one(&text, &[institution.into(), occasion.into()], from_row).await
}

/// The messages of an institution to an address, the newest first.
pub async fn to_address(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    count: i64,
) -> Result<Vec<OutboxMessage>> {
    sql.rows(&to_address_text(), &[institution.into(), email_key.into(), count.into()], from_row).await
}

fn to_address_text() -> String {
    format!(
        "SELECT {} FROM outbox WHERE institution_id = $1 AND email_key = $2 ORDER BY created_at DESC, id DESC LIMIT $3",
        COLUMNS.join(", ")
    )
}

/// Is this somebody who wants no messages, or an address that does not exist?
pub async fn is_unwanted(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<bool> {
    let text = "SELECT 1 FROM mail_opt_outs WHERE institution_id = $1 AND email_key = $2 \
                UNION ALL SELECT 1 FROM mail_bounces WHERE institution_id = $1 AND email_key = $2";
    Ok(!sql.rows(text, &[institution.into(), email_key.into()], |_| Ok(())).await?.is_empty())
}

/// A transition of a message to another state.
pub struct Change<'a> {
    pub to: State,
    pub answer: Option<&'a str>,
    /// Does this begin or end an attempt that has not been counted?
    pub counts: bool,
}

/// Changes the state, unless another worker has changed the message since it was read. Returns the number of attempts then.
pub async fn change(sql: &mut Sql, read: &Envelope, change: Change<'_>, now: Moment) -> Result<Option<u32>> {
    let text = "UPDATE outbox SET state = $1, answer = $2, attempts = $3, changed_at = $4 \
                WHERE institution_id = $5 AND id = $6 AND state = $7 AND attempts = $8";
    let attempts = read.attempts + u32::from(change.counts);
    let params: [Value<'_>; 8] = [
        change.to.word().into(),
        change.answer.into(),
        i64::from(attempts).into(),
        now.micros().into(),
        tenant(read.institution),
        read.id.into(),
        read.state.word().into(),
        i64::from(read.attempts).into(),
    ];
    Ok((sql.execute(text, &params).await? == 1).then_some(attempts))
}

pub async fn delete(sql: &mut Sql, institution: Option<InstitutionId>, id: MessageId) -> Result<()> {
    let text = "DELETE FROM outbox WHERE institution_id = $1 AND id = $2";
    sql.execute(text, &[tenant(institution), id.into()]).await.map(|_| ())
}

/// All messages to a person, with all columns. Messages of the installation, such as the code for somebody who named no institution,
/// belong to the address: they are included if no other institution has a person with it.
pub async fn records_of(sql: &mut Sql, person: &PersonId, with_installation: bool) -> Result<Vec<Record>> {
    sql.rows(RECORDS_OF, &of_person(person, with_installation), |row| row.record()).await
}

const RECORDS_OF: &str =
    "SELECT * FROM outbox WHERE institution_id IN ($1, $2) AND email_key = $3 ORDER BY created_at, id";

/// Deletes the messages to a person: the same ones as `records_of` returns.
pub async fn delete_of(sql: &mut Sql, person: &PersonId, with_installation: bool) -> Result<()> {
    let text = "DELETE FROM outbox WHERE institution_id IN ($1, $2) AND email_key = $3";
    sql.execute(text, &of_person(person, with_installation)).await.map(|_| ())
}

fn of_person(person: &PersonId, with_installation: bool) -> [Value<'_>; 3] {
    let installation = if with_installation { tenant(None) } else { person.institution.into() };
    [person.institution.into(), installation, (&person.email_key).into()]
}

/// How many messages that no worker has tried to send are read at once, and returned at most.
const UNTAKEN: usize = 1_000;

/// Messages that expired before this time and that no worker has tried to send, the oldest first. Those of a newer version are left out:
/// however many they are, those behind them are found.
pub async fn untaken(sql: &mut Sql, before: Moment) -> Result<Vec<(Option<InstitutionId>, MessageId)>> {
    let text = format!(
        "SELECT institution_id, id, message, created_at FROM outbox WHERE state = 'queued' AND expires_at < $1 AND attempts = 0 \
         AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT {UNTAKEN}"
    );
    let read = |row: &Row<'_>| {
        let (institution, id): (InstitutionId, MessageId) = (row.id(0)?, row.id(1)?);
        let is_newer = matches!(serde_json::from_str(&row.text(2)?), Ok(Stored::Newer { .. }));
        Ok(((institution, id), is_newer, row.int(3)?))
    };
    let (mut found, mut last) = (Vec::new(), (i64::MIN, MessageId::new(i64::MIN)));
    loop {
        let params: [Value<'_>; 3] = [before.micros().into(), last.0.into(), last.1.into()];
        let rows = sql.rows(&text, &params, read).await?;
        let known = rows.iter().filter(|(_, is_newer, _)| !is_newer);
        found.extend(known.map(|((institution, id), ..)| {
            (Some(*institution).filter(|institution| institution.get() != 0), *id)
        }));
        let is_over = rows.len() < UNTAKEN || found.len() >= UNTAKEN;
        let Some(((_, id), _, created_at)) = rows.last().filter(|_| !is_over) else { break };
        last = (*created_at, *id);
    }
    found.truncate(UNTAKEN);
    Ok(found)
}

/// Deletes such a message, unless a worker has taken it since.
pub async fn delete_untaken(sql: &mut Sql, institution: Option<InstitutionId>, id: MessageId) -> Result<()> {
    let text =
        "DELETE FROM outbox WHERE institution_id = $1 AND id = $2 AND state = 'queued' AND attempts = 0";
    sql.execute(text, &[tenant(institution), id.into()]).await.map(|_| ())
}

/// Is any message older than this?
pub async fn any_before(sql: &mut Sql, before: Moment) -> Result<bool> {
    let text = "SELECT 1 FROM outbox WHERE created_at < $1 LIMIT 1";
    Ok(sql.one(text, &[before.micros().into()], |_| Ok(())).await?.is_some())
}

pub async fn delete_before(sql: &mut Sql, before: Moment) -> Result<u64> {
    expiry::remove(sql, "outbox", "created_at < $1", &[before.micros().into()]).await
}

/// A message by its id alone, for an operator.
pub async fn find_in(sql: &mut Sql, scope: Scope, id: MessageId) -> Result<Option<OutboxMessage>> {
    let mut params: Vec<Value<'_>> = vec![id.into()];
    let within = within(scope, "institution_id", &mut params);
    let text = format!("SELECT {} FROM outbox WHERE id = $1 AND {within}", COLUMNS.join(", "));
    sql.one(&text, &params, from_row).await
}

/// Makes a message deliverable again until `expires_at`, unless another worker has changed it.
pub async fn requeue(
    sql: &mut Sql,
    read: &OutboxMessage<Message>,
    expires_at: Moment,
    now: Moment,
) -> Result<bool> {
    let requeued = Change { to: State::Queued, answer: None, counts: false };
    if change(sql, read, requeued, now).await?.is_none() {
        return Ok(false);
    }
    let text = "UPDATE outbox SET expires_at = $1 WHERE institution_id = $2 AND id = $3";
    let params: [Value<'_>; 3] = [expires_at.micros().into(), tenant(read.institution), read.id.into()];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Messages, newest first, each with the slug of its institution.
pub async fn all(
    sql: &mut Sql,
    scope: Scope,
    state: Option<State>,
    count: i64,
) -> Result<Vec<(OutboxMessage, Option<String>)>> {
    let mut params: Vec<Value<'_>> = vec![state.map_or("", State::word).into()];
    let within = within(scope, "o.institution_id", &mut params);
    params.push(count.into());
    let columns: Vec<String> = COLUMNS.iter().map(|column| format!("o.{column}")).collect();
    let text = format!(
        "SELECT {}, i.slug FROM outbox o LEFT JOIN institutions i ON i.id = o.institution_id \
         WHERE (o.state = $1 OR $1 = '') AND {within} ORDER BY o.created_at DESC, o.id DESC LIMIT ${}",
        columns.join(", "),
        params.len()
    );
    sql.rows(&text, &params, |row| Ok((from_row(row)?, row.opt_text(COLUMNS.len())?))).await
}

/// Which messages of an institution are listed.
#[derive(Debug, Default)]
pub struct Search {
    pub state: Option<State>,
    pub email_key: Option<String>,
    /// Only older ones.
    pub before: Option<MessageId>,
}

/// Messages of an institution, newest first. With pages, only those about these pages.
pub async fn search(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: Option<&[NamePageId]>,
    search: &Search,
    most: i64,
) -> Result<Vec<OutboxMessage>> {
    let before = search.before.map_or(i64::MAX, MessageId::get);
    let mut params: Vec<Value<'_>> = vec![institution.into(), before.into()];
    params.extend(search.state.map(|state| Value::from(state.word())));
    params.extend(search.email_key.as_ref().map(Value::from));
    let pages = pages.map(own_list);
    let text = search_text(search.state.is_some(), search.email_key.is_some(), pages.as_ref().map(Vec::len));
    params.extend(pages.into_iter().flatten().map(Value::from));
    params.push(most.into());
    sql.rows(&text, &params, from_row).await
}

/// `pages` is the number of pages that the messages are about, if it is limited to some.
fn search_text(by_state: bool, by_address: bool, pages: Option<usize>) -> String {
    let mut text = format!("SELECT {} FROM outbox WHERE institution_id = $1 AND id < $2", COLUMNS.join(", "));
    let mut next = 3;
    for (column, _) in
        [("state", by_state), ("email_key", by_address)].iter().filter(|(_, is_given)| *is_given)
    {
        text.push_str(&format!(" AND {column} = ${next}"));
        next += 1;
    }
    // The sign keeps the databases from reading everything in this order until they have found enough of a few pages.
    let order = if pages.is_some() { "+id" } else { "id" };
    if let Some(count) = pages {
        text.push_str(&format!(" AND name_page_id IN ({})", placeholders(next, count)));
        next += count;
    }
    text.push_str(&format!(" ORDER BY {order} DESC LIMIT ${next}"));
    text
}

/// For the test that checks query plans: lists of the console and the messages to somebody, each with the index that it needs.
#[doc(hidden)]
pub fn console_statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let with = |wanted: &'static str| -> Vec<Value<'static>> {
        vec![Value::Int(1), Value::Int(1_000_000), wanted.into(), Value::Int(50)]
    };
    vec![
        ("outbox_in_state", search_text(true, false, None), with("failed")),
        ("outbox_to_address", search_text(false, true, None), with("p1@example.edu")),
        (
            "outbox_to_address",
            to_address_text(),
            vec![Value::Int(1), "p1@example.edu".into(), Value::Int(50)],
        ),
        (
            "outbox_to_address",
            RECORDS_OF.to_owned(),
            vec![Value::Int(1), Value::Int(0), "p1@example.edu".into()],
        ),
    ]
}

/// When the oldest message that waits for delivery was written.
pub async fn oldest_queued(sql: &mut Sql) -> Result<Option<Moment>> {
    let text = "SELECT created_at FROM outbox WHERE state = 'queued' ORDER BY created_at, id LIMIT 1";
    sql.one(text, &[], |row| row.int(0).map(Moment::from_micros)).await
}

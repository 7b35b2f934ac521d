//! Requests for sign-in mails, single-use links, and who is known. Only digests of codes and links are stored.

use std::sync::LazyLock;

use super::{Error, Result, Row, Sql, Value, expiry, institutions, members, position_in, refused_people};
use crate::domain::{
    ids::{InstitutionId, NamePageId, SignInLinkId, SignInRequestId},
    institution::Institution,
    language::Language,
    mail_limit::{Allowance, Counts},
    moment::Moment,
    session::PersonId,
    sign_in::{ADMISSION_LIFE, HandoverState, LinkPurpose, ReturnTo},
    sso::SsoOnly,
};

/// A request for a sign-in mail.
#[derive(Debug, Clone)]
pub struct Request {
    pub id: SignInRequestId,
    /// As it was typed; once the mail is sent, the address that it was sent to.
    pub email: String,
    pub email_key: String,
    /// The institution that was named.
    pub institution: Option<InstitutionId>,
    pub language: Language,
    pub return_to: Option<ReturnTo>,
    /// The page on which whoever proves the address may register.
    pub name_page: Option<NamePageId>,
    pub code_digest: Option<String>,
    pub created_at: Moment,
    pub expires_at: Moment,
}

impl Request {
    /// The person whom it is for, in one of the institutions that know the address.
    pub fn person_in(&self, institution: InstitutionId) -> PersonId {
        PersonId { institution, email_key: self.email_key.clone() }
    }
}

const COLUMNS: &[&str] = &[
    "id",
    "email",
    "email_key",
    "institution_id",
    "language",
    "return_to",
    "name_page_id",
    "code_digest",
    "created_at",
    "expires_at",
];

fn from_row(row: &Row<'_>) -> Result<Request> {
    let return_to = row.opt_text(const { position_in(COLUMNS, "return_to") })?;
    let moment = |column: usize| row.int(column).map(Moment::from_micros);
    Ok(Request {
        id: row.id(const { position_in(COLUMNS, "id") })?,
        email: row.text(const { position_in(COLUMNS, "email") })?,
        email_key: row.text(const { position_in(COLUMNS, "email_key") })?,
        institution: row.opt_id(const { position_in(COLUMNS, "institution_id") })?,
        language: Language::parse(&row.text(const { position_in(COLUMNS, "language") })?).unwrap_or_default(),
        return_to: return_to.as_deref().and_then(ReturnTo::parse),
        name_page: row.opt_id(const { position_in(COLUMNS, "name_page_id") })?,
        code_digest: row.opt_text(const { position_in(COLUMNS, "code_digest") })?,
        created_at: moment(const { position_in(COLUMNS, "created_at") })?,
        expires_at: moment(const { position_in(COLUMNS, "expires_at") })?,
    })
}

pub async fn counts(sql: &mut Sql, digest: &str) -> Result<Option<Counts>> {
    let text = "SELECT recent_since, recent, day_since, day FROM sign_in_counts WHERE digest = $1";
    sql.one(text, &[digest.into()], |row| {
        Ok(Counts {
            recent_since: Moment::from_micros(row.int(0)?),
            recent: row.int(1)?,
            day_since: Moment::from_micros(row.int(2)?),
            day: row.int(3)?,
        })
    })
    .await
}

/// Counts a request for an address, known or not. False if it has reached a limit; then nothing is written.
pub async fn count(sql: &mut Sql, digest: &str, allowance: Allowance, now: Moment) -> Result<bool> {
    let text = "INSERT INTO sign_in_counts (digest, recent_since, recent, day_since, day) VALUES ($1, $2, 1, $2, 1) \
                ON CONFLICT (digest) DO UPDATE SET \
                recent = CASE WHEN sign_in_counts.recent_since <= $3 THEN 1 ELSE sign_in_counts.recent + 1 END, \
                recent_since = CASE WHEN sign_in_counts.recent_since <= $3 THEN $2 ELSE sign_in_counts.recent_since END, \
                day = CASE WHEN sign_in_counts.day_since <= $4 THEN 1 ELSE sign_in_counts.day + 1 END, \
                day_since = CASE WHEN sign_in_counts.day_since <= $4 THEN $2 ELSE sign_in_counts.day_since END \
                WHERE (sign_in_counts.recent_since <= $3 OR sign_in_counts.recent < $5) \
                AND (sign_in_counts.day_since <= $4 OR sign_in_counts.day < $6)";
    let params: [Value<'_>; 6] = [
        digest.into(),
        now.micros().into(),
        allowance.recent_since.micros().into(),
        allowance.day_since.micros().into(),
        allowance.recent.into(),
        allowance.day.into(),
    ];
    Ok(sql.execute(text, &params).await? == 1)
}

pub async fn insert(sql: &mut Sql, request: &Request, browser_digest: &str) -> Result<()> {
    let text = "INSERT INTO sign_in_requests \
                (id, browser_digest, email, email_key, institution_id, language, return_to, name_page_id, created_at, expires_at) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let params: [Value<'_>; 10] = [
        request.id.into(),
        browser_digest.into(),
        (&request.email).into(),
        (&request.email_key).into(),
        request.institution.into(),
        request.language.tag().into(),
        request.return_to.as_ref().map(ReturnTo::as_str).into(),
        request.name_page.into(),
        request.created_at.micros().into(),
        request.expires_at.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Neither expired nor spent. `$1` is the current time.
const IS_OPEN: &str = "expires_at > $1 AND proven_at IS NULL AND used_at IS NULL";

/// The request with this id, if its mail can still be sent.
pub async fn open(sql: &mut Sql, id: SignInRequestId, now: Moment) -> Result<Option<Request>> {
    let text = format!("SELECT {} FROM sign_in_requests WHERE {IS_OPEN} AND id = $2", COLUMNS.join(", "));
    sql.one(&text, &[now.micros().into(), id.into()], from_row).await
}

/// Stores the digests of what is being mailed, and the address that it is mailed to. False if the request is no longer open.
pub async fn set_digests(
    sql: &mut Sql,
    id: SignInRequestId,
    (code, link): (&str, &str),
    email: &str,
    now: Moment,
) -> Result<bool> {
    let text = "UPDATE sign_in_requests SET code_digest = $1, link_digest = $2, email = $3 \
                WHERE id = $4 AND expires_at > $5 AND proven_at IS NULL AND used_at IS NULL";
    let params: [Value<'_>; 5] = [code.into(), link.into(), email.into(), id.into(), now.micros().into()];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Has this browser requested a mail?
pub async fn is_waiting(sql: &mut Sql, browser_digest: &str) -> Result<bool> {
    let text = "SELECT 1 FROM sign_in_requests WHERE browser_digest = $1 LIMIT 1";
    Ok(sql.one(text, &[browser_digest.into()], |_| Ok(())).await?.is_some())
}

/// The request whose code this browser can try. See `count_try`.
pub async fn can_try(sql: &mut Sql, browser_digest: &str, most: i64, now: Moment) -> Result<Option<Request>> {
    let text = format!(
        "SELECT {} FROM sign_in_requests WHERE {IS_OPEN} AND tries < $2 AND id = \
         (SELECT id FROM sign_in_requests WHERE browser_digest = $3 ORDER BY created_at DESC, id DESC LIMIT 1)",
        COLUMNS.join(", ")
    );
    sql.one(&text, &[now.micros().into(), most.into(), browser_digest.into()], from_row).await
}

/// Counts a try at the code of this browser's newest request, and returns the request. `None` if there is none, or if it is no longer
/// open, or if all tries were used. One statement, so that parallel tries cannot exceed the limit.
pub async fn count_try(
    sql: &mut Sql,
    browser_digest: &str,
    most: i64,
    now: Moment,
) -> Result<Option<Request>> {
    let text = format!(
        "UPDATE sign_in_requests SET tries = tries + 1 WHERE {IS_OPEN} AND tries < $2 AND id = \
         (SELECT id FROM sign_in_requests WHERE browser_digest = $3 ORDER BY created_at DESC, id DESC LIMIT 1) RETURNING {}",
        COLUMNS.join(", ")
    );
    sql.one(&text, &[now.micros().into(), most.into(), browser_digest.into()], from_row).await
}

pub async fn by_link(sql: &mut Sql, link_digest: &str, now: Moment) -> Result<Option<Request>> {
    let text =
        format!("SELECT {} FROM sign_in_requests WHERE {IS_OPEN} AND link_digest = $2", COLUMNS.join(", "));
    sql.one(&text, &[now.micros().into(), link_digest.into()], from_row).await
}

/// Spends the code and the link of a request. From now on it belongs to the browser that proved it. False if somebody was faster.
pub async fn prove(
    sql: &mut Sql,
    id: SignInRequestId,
    browser_digest: &str,
    now: Moment,
    expires_at: Moment,
) -> Result<bool> {
    let text = format!(
        "UPDATE sign_in_requests SET proven_at = $1, browser_digest = $2, expires_at = $3 WHERE {IS_OPEN} AND id = $4"
    );
    let params: [Value<'_>; 4] =
        [now.micros().into(), browser_digest.into(), expires_at.micros().into(), id.into()];
    Ok(sql.execute(&text, &params).await? == 1)
}

/// The newest request that this browser has proven and not used.
pub async fn proven(sql: &mut Sql, browser_digest: &str, now: Moment) -> Result<Option<Request>> {
    let text = format!(
        "SELECT {} FROM sign_in_requests WHERE browser_digest = $1 AND expires_at > $2 AND proven_at IS NOT NULL \
         AND used_at IS NULL ORDER BY proven_at DESC, id DESC LIMIT 1",
        COLUMNS.join(", ")
    );
    sql.one(&text, &[browser_digest.into(), now.micros().into()], from_row).await
}

/// Marks a proven request as used. False if somebody was faster.
pub async fn mark_used(sql: &mut Sql, id: SignInRequestId, now: Moment) -> Result<bool> {
    let text = "UPDATE sign_in_requests SET used_at = $1 WHERE id = $2 AND proven_at IS NOT NULL AND used_at IS NULL";
    Ok(sql.execute(text, &[now.micros().into(), id.into()]).await? == 1)
}

/// A single-use link.
#[derive(Debug, Clone)]
pub struct Link {
    pub id: SignInLinkId,
    pub person: PersonId,
    pub purpose: LinkPurpose,
    pub return_to: Option<ReturnTo>,
    pub created_at: Moment,
    pub expires_at: Moment,
}

const LINK_COLUMNS: &str = "id, institution_id, email_key, purpose, return_to, created_at, expires_at";

fn link_from_row(row: &Row<'_>) -> Result<Link> {
    let purpose = row.text(3)?;
    Ok(Link {
        id: row.id(0)?,
        person: PersonId { institution: row.id(1)?, email_key: row.text(2)? },
        purpose: LinkPurpose::parse(&purpose)
            .ok_or_else(|| Error::Broken(format!("a sign-in link for an unknown purpose: {purpose}")))?,
        return_to: row.opt_text(4)?.as_deref().and_then(ReturnTo::parse),
        created_at: Moment::from_micros(row.int(5)?),
        expires_at: Moment::from_micros(row.int(6)?),
    })
}

pub async fn insert_link(sql: &mut Sql, digest: &str, link: &Link) -> Result<()> {
    let text =
        format!("INSERT INTO sign_in_links (digest, {LINK_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)");
    let params: [Value<'_>; 8] = [
        digest.into(),
        link.id.into(),
        link.person.institution.into(),
        (&link.person.email_key).into(),
        link.purpose.word().into(),
        link.return_to.as_ref().map(ReturnTo::as_str).into(),
        link.created_at.micros().into(),
        link.expires_at.micros().into(),
    ];
    sql.execute(&text, &params).await.map(|_| ())
}

pub async fn link(sql: &mut Sql, digest: &str, now: Moment) -> Result<Option<Link>> {
    let text = format!(
        "SELECT {LINK_COLUMNS} FROM sign_in_links WHERE digest = $1 AND expires_at > $2 AND used_at IS NULL"
    );
    sql.one(&text, &[digest.into(), now.micros().into()], link_from_row).await
}

/// Spends a link. `None` if it is unknown, expired or spent.
pub async fn spend_link(sql: &mut Sql, digest: &str, now: Moment) -> Result<Option<Link>> {
    let text = format!(
        "UPDATE sign_in_links SET used_at = $1 WHERE digest = $2 AND expires_at > $1 AND used_at IS NULL \
         RETURNING {LINK_COLUMNS}"
    );
    sql.one(&text, &[now.micros().into(), digest.into()], link_from_row).await
}

/// The state of a person's handover link.
pub async fn handover_state(
    sql: &mut Sql,
    person: &PersonId,
    id: SignInLinkId,
    now: Moment,
) -> Result<Option<HandoverState>> {
    let text = "SELECT used_at, recorded_at, expires_at FROM sign_in_links \
                WHERE institution_id = $1 AND id = $2 AND email_key = $3 AND purpose = $4";
    let params: [Value<'_>; 4] = [
        person.institution.into(),
        id.into(),
        (&person.email_key).into(),
        LinkPurpose::Handover.word().into(),
    ];
    let state = |row: &Row<'_>| {
        Ok(match (row.opt_int(0)?, row.opt_int(1)?) {
            (_, Some(_)) => HandoverState::Recorded,
            (Some(_), None) => HandoverState::Opened,
            (None, None) if row.int(2)? <= now.micros() => HandoverState::Expired,
            (None, None) => HandoverState::Waiting,
        })
    };
    sql.one(text, &params, state).await
}

/// Notes that a recording was made in a session that a handover link opened.
pub async fn mark_recorded(sql: &mut Sql, person: &PersonId, now: Moment) -> Result<()> {
    let text = "UPDATE sign_in_links SET recorded_at = $1 WHERE institution_id = $2 AND email_key = $3 AND purpose = $4 \
                AND used_at IS NOT NULL AND recorded_at IS NULL";
    let params: [Value<'_>; 4] = [
        now.micros().into(),
        person.institution.into(),
        (&person.email_key).into(),
        LinkPurpose::Handover.word().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Is there anything for `delete_expired` to delete?
pub async fn any_expired(
    sql: &mut Sql,
    now: Moment,
    links_before: Moment,
    counts_before: Moment,
) -> Result<bool> {
    for (text, before) in [
        ("SELECT 1 FROM sign_in_requests WHERE expires_at < $1 LIMIT 1", now),
        ("SELECT 1 FROM sign_in_links WHERE expires_at < $1 LIMIT 1", links_before),
        ("SELECT 1 FROM sign_in_counts WHERE day_since < $1 LIMIT 1", counts_before),
    ] {
        if sql.one(text, &[before.micros().into()], |_| Ok(())).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Deletes what has expired. Links stay until `links_before`, so that the page with the QR code learns what became of them.
pub async fn delete_expired(
    sql: &mut Sql,
    now: Moment,
    links_before: Moment,
    counts_before: Moment,
) -> Result<()> {
    for (table, condition, before) in [
        ("sign_in_requests", "expires_at < $1", now),
        ("sign_in_links", "expires_at < $1", links_before),
        ("sign_in_counts", "day_since < $1", counts_before),
    ] {
        expiry::remove(sql, table, condition, &[before.micros().into()]).await?;
    }
    Ok(())
}

/// Deletes a person's links and requests.
pub async fn delete_of(sql: &mut Sql, person: &PersonId) -> Result<()> {
    for table in ["sign_in_links", "sign_in_requests"] {
        let text = format!("DELETE FROM {table} WHERE institution_id = $1 AND email_key = $2");
        sql.execute(&text, &[person.institution.into(), (&person.email_key).into()]).await?;
    }
    Ok(())
}

/// Deletes what is stored about an address in no institution: requests that name none, and its count.
pub async fn delete_of_address(sql: &mut Sql, email_key: &str, count_digest: &str) -> Result<()> {
    let requests = "DELETE FROM sign_in_requests WHERE email_key = $1 AND institution_id IS NULL";
    sql.execute(requests, &[email_key.into()]).await?;
    sql.execute("DELETE FROM sign_in_counts WHERE digest = $1", &[count_digest.into()]).await.map(|_| ())
}

/// Deletes all handover links of a person.
pub async fn delete_handovers(sql: &mut Sql, person: &PersonId) -> Result<()> {
    keep_handovers(sql, person, 0).await
}

/// Deletes all but the newest handover links of a person.
pub async fn keep_handovers(sql: &mut Sql, person: &PersonId, most: i64) -> Result<()> {
    let text = "SELECT digest FROM sign_in_links WHERE institution_id = $1 AND email_key = $2 AND purpose = $3 \
                ORDER BY created_at DESC, id DESC";
    let params: [Value<'_>; 3] =
        [person.institution.into(), (&person.email_key).into(), LinkPurpose::Handover.word().into()];
    let all = sql.rows(text, &params, |row| row.text(0)).await?;
    for old in all.iter().skip(usize::try_from(most).unwrap_or(0)) {
        sql.execute("DELETE FROM sign_in_links WHERE digest = $1", &[old.into()]).await?;
    }
    Ok(())
}

/// What makes an email known in an institution: a registration, a role, or a name page that it may register on, unless a directory has
/// disabled the person. `here` is the id of the
/// institution; `key`, `since` and `now` are placeholders. Registrations in courses that the person has left do not count.
///
/// Scalar subqueries, which both databases evaluate by key for each institution, and only until one has a row. With `EXISTS`,
/// PostgreSQL may scan all participants.
fn is_known_here(here: &str, [key, since, now]: [&str; 3]) -> String {
    let is_welcome = refused_people::is_welcome(here, key);
    format!(
        "((SELECT 1 FROM participants p WHERE p.institution_id = {here} AND p.email_key = {key} LIMIT 1) = 1 \
         OR (SELECT 1 FROM members b WHERE b.institution_id = {here} AND b.email_key = {key} LIMIT 1) = 1 \
         OR ({is_welcome} AND ((SELECT 1 FROM admissions a WHERE a.institution_id = {here} AND a.email_key = {key} \
         AND a.created_at > {since} LIMIT 1) = 1 \
         OR (SELECT 1 FROM invitations v WHERE v.institution_id = {here} AND v.email_key = {key} \
         AND v.withdrawn_at IS NULL AND v.expires_at > {now} LIMIT 1) = 1)))"
    )
}

/// The parameters of `is_known_here` that depend on the time: when admissions that are still valid began, and now.
fn times(now: Moment) -> [Value<'static>; 2] {
    [now.minus(ADMISSION_LIFE).micros().into(), now.micros().into()]
}

static IS_KNOWN: LazyLock<String> = LazyLock::new(|| {
    format!("SELECT 1 FROM institutions i WHERE i.id = $1 AND {}", is_known_here("$1", ["$2", "$3", "$4"]))
});

/// May somebody with this email sign in? See `is_known_here`.
pub async fn may_sign_in(sql: &mut Sql, person: &PersonId, now: Moment) -> Result<bool> {
    let [since, now] = times(now);
    let params: [Value<'_>; 4] = [person.institution.into(), (&person.email_key).into(), since, now];
    Ok(sql.one(&IS_KNOWN, &params, |_| Ok(())).await?.is_some())
}

/// Is this person permitted to sign in with a mailed code or link (`SsoOnly`)?
pub async fn may_use_mail(sql: &mut Sql, person: &PersonId) -> Result<bool> {
    Ok(match institutions::sso_only(sql, person.institution).await?.unwrap_or_default() {
        SsoOnly::Off => true,
        SsoOnly::Members => members::find(sql, person).await?.is_none(),
        SsoOnly::Everybody => false,
    })
}

const BELONGS: &str = "SELECT 1 FROM institutions i WHERE i.id = $1 AND \
     ((SELECT 1 FROM participants p WHERE p.institution_id = $1 AND p.email_key = $2 AND \
     (SELECT o.participant_id FROM outsiders o WHERE o.institution_id = $1 AND o.participant_id = p.id) IS NULL \
     LIMIT 1) = 1 \
     OR (SELECT 1 FROM members b WHERE b.institution_id = $1 AND b.email_key = $2 LIMIT 1) = 1)";

/// Is somebody with this email registered, or a member? Those who may only register are not. Registrations that outsiders have made
/// themselves do not count: otherwise, anybody could hear what is for people of the institution.
pub async fn belongs(sql: &mut Sql, person: &PersonId) -> Result<bool> {
    let params = [person.institution.into(), (&person.email_key).into()];
    Ok(sql.one(BELONGS, &params, |_| Ok(())).await?.is_some())
}

/// An institution in which an email is known.
#[derive(Debug, Clone)]
pub struct Known {
    pub institution: Institution,
    /// The address as it is registered there.
    pub email: String,
}

/// The institutions of a condition in which an email is known, for `Known`. See `is_known_here` for the other parameters.
///
/// A member's address comes first. Different mailboxes may have the same key, and anybody can register with theirs where
/// registration is open; whoever proves that mailbox must not get the role.
fn known_text(among: &str, here: &str, [key, since, now]: [&str; 3]) -> String {
    format!(
        "SELECT COALESCE((SELECT b.email FROM members b WHERE b.institution_id = {here} AND b.email_key = {key}), \
         (SELECT MIN(p.email) FROM participants p WHERE p.institution_id = {here} AND p.email_key = {key}), \
         (SELECT MIN(a.email) FROM admissions a WHERE a.institution_id = {here} AND a.email_key = {key} \
         AND a.created_at > {since}), \
         (SELECT MIN(v.email) FROM invitations v WHERE v.institution_id = {here} AND v.email_key = {key} \
         AND v.withdrawn_at IS NULL AND v.expires_at > {now})), {} \
         FROM institutions i WHERE {among} AND {} ORDER BY i.name, i.id",
        institutions::COLUMNS,
        is_known_here(here, [key, since, now])
    )
}

static KNOWN: LazyLock<String> = LazyLock::new(|| known_text("TRUE", "i.id", ["$1", "$2", "$3"]));
static KNOWN_IN: LazyLock<String> = LazyLock::new(|| known_text("i.id = $1", "$1", ["$2", "$3", "$4"]));

/// Does one of these institutions have a person with this email? `$2` is the key.
fn has_person_text(among: &str, here: &str) -> String {
    let is_in = ["participants", "hidden_participants", "members", "admissions", "invitations"].map(|table| {
        format!(
            "(SELECT 1 FROM {table} WHERE {table}.institution_id = {here} AND {table}.email_key = $2 LIMIT 1) = 1"
        )
    });
    format!("SELECT 1 FROM institutions i WHERE {among} AND ({}) LIMIT 1", is_in.join(" OR "))
}

static KNOWN_ELSEWHERE: LazyLock<String> = LazyLock::new(|| has_person_text("i.id <> $1", "i.id"));
static HAS_PERSON: LazyLock<String> = LazyLock::new(|| has_person_text("i.id = $1", "$1"));

/// Citus does not evaluate subqueries on shards for each row of a reference table: there, institutions are asked one by one.
async fn institution_ids(sql: &mut Sql) -> Result<Vec<InstitutionId>> {
    sql.rows("SELECT id FROM institutions ORDER BY name, id", &[], |row| row.id(0)).await
}

/// Does another institution have a person with this email, including those who have left courses and those whose invitation has
/// expired? A read across tenants (ADR 3), of which nobody sees the result.
pub async fn is_known_elsewhere(sql: &mut Sql, person: &PersonId) -> Result<bool> {
    if !sql.is_citus() {
        let params = [person.institution.into(), (&person.email_key).into()];
        return Ok(sql.one(&KNOWN_ELSEWHERE, &params, |_| Ok(())).await?.is_some());
    }
    for other in institution_ids(sql).await? {
        let params = [other.into(), (&person.email_key).into()];
        if other != person.institution && sql.one(&HAS_PERSON, &params, |_| Ok(())).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The institutions in which this email is known. One of the few reads across tenants (ADR 3): the result is shown only to somebody
/// who has proven that the address is theirs.
pub async fn known(sql: &mut Sql, email_key: &str, now: Moment) -> Result<Vec<Known>> {
    let read =
        |row: &Row<'_>| Ok(Known { email: row.text(0)?, institution: institutions::from_row(row, 1)? });
    let [since, now] = times(now);
    if !sql.is_citus() {
        let params: [Value<'_>; 3] = [email_key.into(), since, now];
        return sql.rows(&KNOWN, &params, read).await;
    }
    let mut all = Vec::new();
    for institution in institution_ids(sql).await? {
        let params: [Value<'_>; 4] = [institution.into(), email_key.into(), since.clone(), now.clone()];
        all.extend(sql.one(&KNOWN_IN, &params, read).await?);
    }
    Ok(all)
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    vec![
        (
            "a person who signs in",
            IS_KNOWN.clone(),
            vec![1_i64.into(), "a@example.edu".into(), 1_i64.into(), 1_i64.into()],
        ),
        ("a person of an institution", BELONGS.to_owned(), vec![1_i64.into(), "a@example.edu".into()]),
        ("institutions of an email", KNOWN.clone(), vec!["a@example.edu".into(), 1_i64.into(), 1_i64.into()]),
        (
            "other institutions of an email",
            KNOWN_ELSEWHERE.clone(),
            vec![1_i64.into(), "a@example.edu".into()],
        ),
        ("an email in an institution", HAS_PERSON.clone(), vec![1_i64.into(), "a@example.edu".into()]),
        (
            "a known email in an institution",
            KNOWN_IN.clone(),
            vec![1_i64.into(), "a@example.edu".into(), 1_i64.into(), 1_i64.into()],
        ),
    ]
}

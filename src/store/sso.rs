//! Connections to OpenID providers, and sign-ins in progress.

use super::{Error, Result, Row, Sql, Value, expiry, stored_json, within};
use crate::domain::{
    ids::{InstitutionId, SsoConnectionId},
    moment::Moment,
    scope::Scope,
    sign_in::ReturnTo,
    sso::{Connection, DomainPattern, ScopeToken},
};

const COLUMNS: &str = "c.institution_id, c.id, c.name, c.issuer, c.client_id, c.client_secret, c.domains, \
     c.trust_unverified_email, c.created_at, c.tenant, c.any_account, c.scopes";

fn from_row(row: &Row<'_>) -> Result<Connection> {
    let id: SsoConnectionId = row.id(1)?;
    let domains: Vec<String> = stored_json(("sso_connections", "domains", id), &row.text(6)?)?;
    // A domain that is left out would let other people in.
    let domains = domains.iter().map(|domain| {
        let unreadable = || Error::Broken(format!("sso_connections.domains of row {id} has `{domain}`"));
        DomainPattern::parse(domain).ok_or_else(unreadable)
    });
    Ok(Connection {
        institution: row.id(0)?,
        id,
        name: row.text(2)?,
        issuer: row.text(3)?,
        client_id: row.text(4)?,
        sealed_client_secret: row.text(5)?,
        domains: domains.collect::<Result<_>>()?,
        tenant: row.opt_text(9)?,
        any_account: row.bool(10)?,
        trusts_unverified_email: row.bool(7)?,
        scopes: row.text(11)?.split_whitespace().filter_map(ScopeToken::parse).collect(),
        created_at: Moment::from_micros(row.int(8)?),
    })
}

fn json(domains: &[DomainPattern]) -> String {
    serde_json::Value::from(domains.iter().map(ToString::to_string).collect::<Vec<_>>()).to_string()
}

fn scope_text(scopes: &[ScopeToken]) -> String {
    scopes.iter().map(ScopeToken::as_str).collect::<Vec<_>>().join(" ")
}

/// Returns `Conflict` if the institution already has a connection with this issuer and client.
pub async fn insert(sql: &mut Sql, new: &Connection) -> Result<()> {
    let text = "INSERT INTO sso_connections (institution_id, id, name, issuer, client_id, client_secret, domains, \
         trust_unverified_email, created_at, tenant, any_account, scopes) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let params: [Value<'_>; 12] = [
        new.institution.into(),
        new.id.into(),
        (&new.name).into(),
        (&new.issuer).into(),
        (&new.client_id).into(),
        (&new.sealed_client_secret).into(),
        json(&new.domains).into(),
        new.trusts_unverified_email.into(),
        new.created_at.micros().into(),
        new.tenant.as_deref().into(),
        new.any_account.into(),
        scope_text(&new.scopes).into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Updates everything that an operator may change. Returns `Conflict` like `insert`.
pub async fn update(sql: &mut Sql, changed: &Connection) -> Result<()> {
    let text = "UPDATE sso_connections SET name = $1, client_id = $2, client_secret = $3, domains = $4, \
         trust_unverified_email = $5, tenant = $6, any_account = $7, scopes = $8 \
         WHERE institution_id = $9 AND id = $10";
    let params: [Value<'_>; 10] = [
        (&changed.name).into(),
        (&changed.client_id).into(),
        (&changed.sealed_client_secret).into(),
        json(&changed.domains).into(),
        changed.trusts_unverified_email.into(),
        changed.tenant.as_deref().into(),
        changed.any_account.into(),
        scope_text(&changed.scopes).into(),
        changed.institution.into(),
        changed.id.into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// The institution that has the short redirect path, if there is one yet.
pub async fn short_redirect(sql: &mut Sql) -> Result<Option<InstitutionId>> {
    sql.one("SELECT institution_id FROM sso_short_redirect WHERE place = 1", &[], |row| row.id(0)).await
}

/// Gives the institution the short redirect path, unless another has it, or it has connections with its own.
pub async fn claim_short_redirect(sql: &mut Sql, institution: InstitutionId) -> Result<()> {
    if has_any(sql, institution).await? {
        return Ok(());
    }
    let claim = "INSERT INTO sso_short_redirect (place, institution_id) VALUES (1, $1) ON CONFLICT (place) DO NOTHING";
    sql.execute(claim, &[institution.into()]).await.map(|_| ())
}

pub async fn has_any(sql: &mut Sql, institution: InstitutionId) -> Result<bool> {
    let any = "SELECT id FROM sso_connections WHERE institution_id = $1 LIMIT 1";
    Ok(sql.one(any, &[institution.into()], |row| row.int(0)).await?.is_some())
}

/// Ids are unique across institutions.
pub async fn find(sql: &mut Sql, scope: Scope, id: SsoConnectionId) -> Result<Option<Connection>> {
    let mut params: Vec<Value<'_>> = vec![id.into()];
    let within = within(scope, "c.institution_id", &mut params);
    let text = format!("SELECT {COLUMNS} FROM sso_connections c WHERE c.id = $1 AND {within}");
    sql.one(&text, &params, from_row).await
}

/// The connection that anybody names who begins to sign in through it.
pub async fn by_id(sql: &mut Sql, id: SsoConnectionId) -> Result<Option<Connection>> {
    let text = format!("SELECT {COLUMNS} FROM sso_connections c WHERE c.id = $1");
    sql.one(&text, &[id.into()], from_row).await
}

/// Locks the row until the end of the transaction. False if there is none.
async fn hold(sql: &mut Sql, institution: InstitutionId, id: SsoConnectionId) -> Result<bool> {
    let touch = "UPDATE sso_connections SET name = name WHERE institution_id = $1 AND id = $2";
    Ok(sql.execute(touch, &[institution.into(), id.into()]).await? == 1)
}

/// Locks the row until the end of the transaction, and reads it.
pub async fn lock(
    sql: &mut Sql,
    institution: InstitutionId,
    id: SsoConnectionId,
) -> Result<Option<Connection>> {
    if !hold(sql, institution, id).await? {
        return Ok(None);
    }
    find(sql, Scope::Institution(institution), id).await
}

pub async fn all(sql: &mut Sql, scope: Scope) -> Result<Vec<Connection>> {
    let mut params = Vec::new();
    let within = within(scope, "c.institution_id", &mut params);
    let text = format!("SELECT {COLUMNS} FROM sso_connections c WHERE {within} ORDER BY c.id");
    sql.rows(&text, &params, from_row).await
}

/// Deletes a connection, its sign-ins in progress, and the sessions that it has opened. The lock comes first, so that none is opened
/// meanwhile.
pub async fn delete(sql: &mut Sql, institution: InstitutionId, id: SsoConnectionId) -> Result<bool> {
    if !hold(sql, institution, id).await? {
        return Ok(false);
    }
    let params = [Value::from(institution), Value::from(id)];
    let logins = "DELETE FROM sso_logins WHERE institution_id = $1 AND connection_id = $2";
    sql.execute(logins, &params).await?;
    delete_sessions(sql, institution, id).await?;
    super::sso_groups::delete_all(sql, institution, id).await?;
    Ok(sql.execute("DELETE FROM sso_connections WHERE institution_id = $1 AND id = $2", &params).await? == 1)
}

/// Ends the sessions that a connection has opened.
pub async fn delete_sessions(sql: &mut Sql, institution: InstitutionId, id: SsoConnectionId) -> Result<u64> {
    let text = "DELETE FROM sessions WHERE institution_id = $1 AND sso_id = $2";
    sql.execute(text, &[institution.into(), id.into()]).await
}

/// A sign-in that was sent to a provider.
#[derive(Debug, Clone)]
pub struct Login {
    pub institution: InstitutionId,
    pub connection: SsoConnectionId,
    pub return_to: Option<ReturnTo>,
    /// It was to prove again who somebody is.
    pub again: bool,
    pub expires_at: Moment,
}

pub async fn insert_login(
    sql: &mut Sql,
    state_digest: &str,
    browser_digest: &str,
    login: &Login,
) -> Result<()> {
    let text = "INSERT INTO sso_logins (state_digest, browser_digest, institution_id, connection_id, return_to, again, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let params: [Value<'_>; 7] = [
        state_digest.into(),
        browser_digest.into(),
        login.institution.into(),
        login.connection.into(),
        login.return_to.as_ref().map(ReturnTo::as_str).into(),
        login.again.into(),
        login.expires_at.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Can `take_login` consume a login?
pub async fn has_login(sql: &mut Sql, state_digest: &str, browser_digest: &str, now: Moment) -> Result<bool> {
    let text = "SELECT 1 FROM sso_logins WHERE state_digest = $1 AND browser_digest = $2 AND expires_at > $3";
    let params: [Value<'_>; 3] = [state_digest.into(), browser_digest.into(), now.micros().into()];
    Ok(sql.one(text, &params, |_| Ok(())).await?.is_some())
}

/// Consumes a login of this browser. Works only once, also under concurrency (replay protection); other browsers cannot consume it.
pub async fn take_login(
    sql: &mut Sql,
    state_digest: &str,
    browser_digest: &str,
    now: Moment,
) -> Result<Option<Login>> {
    let text = "DELETE FROM sso_logins WHERE state_digest = $1 AND browser_digest = $2 AND expires_at > $3 \
         RETURNING institution_id, connection_id, return_to, again, expires_at";
    let read = |row: &Row<'_>| {
        Ok(Login {
            institution: row.id(0)?,
            connection: row.id(1)?,
            return_to: row.opt_text(2)?.as_deref().and_then(ReturnTo::parse),
            again: row.bool(3)?,
            expires_at: Moment::from_micros(row.int(4)?),
        })
    };
    sql.one(text, &[state_digest.into(), browser_digest.into(), now.micros().into()], read).await
}

pub async fn any_expired_login(sql: &mut Sql, now: Moment) -> Result<bool> {
    let text = "SELECT 1 FROM sso_logins WHERE expires_at < $1 LIMIT 1";
    Ok(sql.one(text, &[now.micros().into()], |_| Ok(())).await?.is_some())
}

pub async fn delete_expired_logins(sql: &mut Sql, now: Moment) -> Result<()> {
    expiry::remove(sql, "sso_logins", "expires_at < $1", &[now.micros().into()]).await.map(|_| ())
}

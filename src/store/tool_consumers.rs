//! Tool consumers: the learning systems that institutions have connected.

use super::{Error, Result, Row, Sql, Value, courses, stored_json, within};
use crate::domain::{
    ids::{InstitutionId, ToolConsumerId},
    moment::Moment,
    roster::Role,
    schedule::Schedule,
    scope::Scope,
    tool_consumer::{Addresses, IssuerProof, LmsKind, Registration, ToolConsumer},
};

const COLUMNS: &str = "t.institution_id, t.id, t.name, t.kind, t.url, t.product, t.enabled, t.roles, t.access_token, t.client_id, \
     t.auth_url, t.token_url, t.token_audience, t.jwks_url, t.frame_ancestors, t.created_at, t.sync_schedule, r.client_id, r.deployments, \
     r.auth_url, r.token_url, r.token_audience, r.jwks_url, r.frame_ancestors, r.issuer_proof";

/// A registration with addresses of the institution has a row of its own; one of before has columns of `tool_consumers`.
const TABLES: &str = "tool_consumers t LEFT JOIN lti_registrations r \
     ON r.institution_id = t.institution_id AND r.tool_consumer_id = t.id";

/// Of a registration of before without the deployments, which are in a separate table.
fn from_row(row: &Row<'_>) -> Result<ToolConsumer> {
    let word = row.text(3)?;
    let kind = LmsKind::ALL.into_iter().find(|kind| kind.word() == word);
    // Fail on unknown values: a newer binary may have written them, and an update by this one would lose them.
    let unknown =
        |what: &str| Error::Broken(format!("a tool consumer has a {what} that this binary does not know"));
    let kind = kind.ok_or_else(|| unknown("kind"))?;
    let id: ToolConsumerId = row.id(1)?;
    let words = |column: &str, json: &str| stored_json::<Vec<String>>(("tool_consumers", column, id), json);
    let roles = words("roles", &row.text(7)?)?;
    let roles = roles.iter().map(|word| Role::parse(word)).collect::<Option<_>>();
    let schedule = Schedule::parse(&row.text(16)?);
    let (lti, addresses) = match (row.opt_text(17)?, row.opt_text(9)?) {
        (Some(client_id), _) => {
            let list = |column: &str, json: &str| {
                stored_json::<Vec<String>>(("lti_registrations", column, id), json)
            };
            let own = Registration {
                client_id,
                deployments: list("deployments", &row.text(18)?)?,
                auth_url: row.text(19)?,
                token_url: row.text(20)?,
                token_audience: row.opt_text(21)?,
                jwks_url: row.text(22)?,
                frame_ancestors: list("frame_ancestors", &row.text(23)?)?,
            };
            let proof = row.opt_text(24)?.map(|text| IssuerProof::parse(&text));
            (Some(own), Addresses::Own { proof })
        }
        (None, Some(client_id)) => {
            let shared = Registration {
                client_id,
                deployments: Vec::new(),
                auth_url: row.opt_text(10)?.unwrap_or_default(),
                token_url: row.opt_text(11)?.unwrap_or_default(),
                token_audience: row.opt_text(12)?,
                jwks_url: row.opt_text(13)?.unwrap_or_default(),
                frame_ancestors: words("frame_ancestors", &row.text(14)?)?,
            };
            (Some(shared), Addresses::Shared)
        }
        (None, None) => (None, Addresses::UNPROVEN),
    };
    Ok(ToolConsumer {
        institution: row.id(0)?,
        id,
        name: row.text(2)?,
        kind,
        url: row.text(4)?,
        product: row.opt_text(5)?,
        enabled: row.bool(6)?,
        roles: roles.ok_or_else(|| unknown("role"))?,
        schedule: schedule.ok_or_else(|| unknown("schedule"))?,
        sealed_access_token: row.opt_text(8)?,
        lti,
        addresses,
        created_at: Moment::from_micros(row.int(15)?),
    })
}

fn json(words: &[impl AsRef<str>]) -> String {
    serde_json::Value::from(words.iter().map(AsRef::as_ref).collect::<Vec<&str>>()).to_string()
}

/// The registration, if it is one of before, whose columns are in `tool_consumers`.
fn shared(consumer: &ToolConsumer) -> Option<&Registration> {
    consumer.lti.as_ref().filter(|_| consumer.addresses == Addresses::Shared)
}

/// Returns `Conflict` if the institution has this issuer and client already.
pub async fn insert(sql: &mut Sql, new: &ToolConsumer, token_digest: &str) -> Result<()> {
    let text = "INSERT INTO tool_consumers (institution_id, id, name, kind, url, product, token_digest, enabled, roles, \
         access_token, client_id, auth_url, token_url, token_audience, jwks_url, frame_ancestors, created_at, sync_schedule) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
    let lti = shared(new);
    let roles: Vec<&str> = new.roles.iter().map(|role| role.word()).collect();
    let params: [Value<'_>; 18] = [
        new.institution.into(),
        new.id.into(),
        (&new.name).into(),
        new.kind.word().into(),
        (&new.url).into(),
        new.product.as_ref().into(),
        token_digest.into(),
        new.enabled.into(),
        json(&roles).into(),
        new.sealed_access_token.as_ref().into(),
        lti.map(|lti| lti.client_id.as_str()).into(),
        lti.map(|lti| lti.auth_url.as_str()).into(),
        lti.map(|lti| lti.token_url.as_str()).into(),
        lti.and_then(|lti| lti.token_audience.as_deref()).into(),
        lti.map(|lti| lti.jwks_url.as_str()).into(),
        json(lti.map_or(&[], |lti| lti.frame_ancestors.as_slice())).into(),
        new.created_at.micros().into(),
        new.schedule.word().into(),
    ];
    sql.execute(text, &params).await?;
    register(sql, new).await
}

/// Updates everything that an operator may change. Returns `Conflict` like `insert`, if a registration of before is renewed.
pub async fn update(sql: &mut Sql, changed: &ToolConsumer) -> Result<()> {
    let text = "UPDATE tool_consumers SET name = $1, product = $2, enabled = $3, roles = $4, access_token = $5, auth_url = $6, \
         token_url = $7, token_audience = $8, jwks_url = $9, frame_ancestors = $10, sync_schedule = $11, client_id = $12 \
         WHERE institution_id = $13 AND id = $14";
    let lti = shared(changed);
    let roles: Vec<&str> = changed.roles.iter().map(|role| role.word()).collect();
    let params: [Value<'_>; 14] = [
        (&changed.name).into(),
        changed.product.as_ref().into(),
        changed.enabled.into(),
        json(&roles).into(),
        changed.sealed_access_token.as_ref().into(),
        lti.map(|lti| lti.auth_url.as_str()).into(),
        lti.map(|lti| lti.token_url.as_str()).into(),
        lti.and_then(|lti| lti.token_audience.as_deref()).into(),
        lti.map(|lti| lti.jwks_url.as_str()).into(),
        json(lti.map_or(&[], |lti| lti.frame_ancestors.as_slice())).into(),
        changed.schedule.word().into(),
        lti.map(|lti| lti.client_id.as_str()).into(),
        changed.institution.into(),
        changed.id.into(),
    ];
    sql.execute(text, &params).await?;
    for text in [
        "DELETE FROM lti_deployments WHERE institution_id = $1 AND tool_consumer_id = $2",
        "DELETE FROM lti_registrations WHERE institution_id = $1 AND tool_consumer_id = $2",
    ] {
        sql.execute(text, &[changed.institution.into(), changed.id.into()]).await?;
    }
    register(sql, changed).await
}

/// Inserts the registration with the addresses of the institution, or the deployments of one of before.
async fn register(sql: &mut Sql, consumer: &ToolConsumer) -> Result<()> {
    if let (Some(lti), Addresses::Own { proof }) = (&consumer.lti, &consumer.addresses) {
        let text = "INSERT INTO lti_registrations (institution_id, tool_consumer_id, issuer, client_id, deployments, auth_url, token_url, \
             token_audience, jwks_url, frame_ancestors, issuer_proof) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        let params: [Value<'_>; 11] = [
            consumer.institution.into(),
            consumer.id.into(),
            (&consumer.url).into(),
            (&lti.client_id).into(),
            json(&lti.deployments).into(),
            (&lti.auth_url).into(),
            (&lti.token_url).into(),
            lti.token_audience.as_deref().into(),
            (&lti.jwks_url).into(),
            json(&lti.frame_ancestors).into(),
            proof.as_ref().map(IssuerProof::text).into(),
        ];
        return sql.execute(text, &params).await.map(|_| ());
    }
    for deployment in shared(consumer).iter().flat_map(|lti| &lti.deployments) {
        let text = "INSERT INTO lti_deployments (institution_id, tool_consumer_id, deployment_id) VALUES ($1, $2, $3)";
        sql.execute(text, &[consumer.institution.into(), consumer.id.into(), deployment.into()]).await?;
    }
    Ok(())
}

/// Sets the product that a launch has reported, unless it is already known.
pub async fn set_product(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ToolConsumerId,
    product: &str,
) -> Result<()> {
    let text =
        "UPDATE tool_consumers SET product = $1 WHERE institution_id = $2 AND id = $3 AND product IS NULL";
    sql.execute(text, &[product.into(), institution.into(), id.into()]).await.map(|_| ())
}

/// Ids are unique across institutions.
pub async fn find(sql: &mut Sql, scope: Scope, id: ToolConsumerId) -> Result<Option<ToolConsumer>> {
    let mut params: Vec<Value<'_>> = vec![id.into()];
    let within = within(scope, "t.institution_id", &mut params);
    let text = format!("SELECT {COLUMNS} FROM {TABLES} WHERE t.id = $1 AND {within}");
    Ok(read(sql, &text, &params).await?.pop())
}

/// Locks the row until the end of the transaction, and reads it.
pub async fn lock(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ToolConsumerId,
) -> Result<Option<ToolConsumer>> {
    let touch = "UPDATE tool_consumers SET name = name WHERE institution_id = $1 AND id = $2";
    sql.execute(touch, &[institution.into(), id.into()]).await?;
    find(sql, Scope::Institution(institution), id).await
}

/// By the digest of the API token.
pub async fn by_token(
    sql: &mut Sql,
    institution: InstitutionId,
    digest: &str,
) -> Result<Option<ToolConsumer>> {
    let text = format!("SELECT {COLUMNS} FROM {TABLES} WHERE t.token_digest = $1 AND t.institution_id = $2");
    Ok(read(sql, &text, &[digest.into(), institution.into()]).await?.pop())
}

/// The registrations of an institution with an issuer, or the one that has this client id, too.
pub async fn by_issuer(
    sql: &mut Sql,
    institution: InstitutionId,
    issuer: &str,
    client_id: Option<&str>,
) -> Result<Vec<ToolConsumer>> {
    let mut text = format!(
        "SELECT {COLUMNS} FROM {TABLES} WHERE t.institution_id = $1 AND t.url = $2 \
         AND COALESCE(r.client_id, t.client_id) IS NOT NULL"
    );
    let mut params: Vec<Value<'_>> = vec![institution.into(), issuer.into()];
    if let Some(client_id) = client_id {
        text.push_str(" AND COALESCE(r.client_id, t.client_id) = $3");
        params.push(client_id.into());
    }
    read(sql, &text, &params).await
}

/// Those of all institutions that use the shared addresses.
pub async fn shared_by_issuer(
    sql: &mut Sql,
    issuer: &str,
    client_id: Option<&str>,
) -> Result<Vec<ToolConsumer>> {
    let mut text = format!("SELECT {COLUMNS} FROM {TABLES} WHERE t.url = $1 AND t.client_id IS NOT NULL");
    let mut params: Vec<Value<'_>> = vec![issuer.into()];
    if let Some(client_id) = client_id {
        text.push_str(" AND t.client_id = $2");
        params.push(client_id.into());
    }
    read(sql, &text, &params).await
}

/// All tool consumers with this client id, whatever its case, that use the shared addresses.
pub async fn shared_by_client(sql: &mut Sql, client_id: &str) -> Result<Vec<ToolConsumer>> {
    let text = format!("SELECT {COLUMNS} FROM {TABLES} WHERE LOWER(t.client_id) = LOWER($1)");
    read(sql, &text, &[client_id.into()]).await
}

pub async fn all(sql: &mut Sql, scope: Scope) -> Result<Vec<ToolConsumer>> {
    let mut params = Vec::new();
    let within = within(scope, "t.institution_id", &mut params);
    let text = format!("SELECT {COLUMNS} FROM {TABLES} WHERE {within} ORDER BY t.id");
    // One unreadable row must not stop the synchronization of all others. Before a write, `lock` is strict.
    let readable = |row: &Row<'_>| {
        let read = from_row(row);
        if let Err(error) = &read {
            tracing::error!(%error, "a tool consumer cannot be read and is skipped");
        }
        Ok(read.ok())
    };
    let found = sql.rows(&text, &params, readable).await?;
    with_deployments(sql, found.into_iter().flatten().collect()).await
}

async fn read(sql: &mut Sql, text: &str, params: &[Value<'_>]) -> Result<Vec<ToolConsumer>> {
    let found = sql.rows(text, params, from_row).await?;
    with_deployments(sql, found).await
}

async fn with_deployments(sql: &mut Sql, mut found: Vec<ToolConsumer>) -> Result<Vec<ToolConsumer>> {
    for consumer in found.iter_mut().filter(|one| one.is_shared()) {
        if let Some(lti) = &mut consumer.lti {
            let text = "SELECT deployment_id FROM lti_deployments WHERE institution_id = $1 AND tool_consumer_id = $2 \
                        ORDER BY deployment_id";
            let key_params = [consumer.institution.into(), consumer.id.into()];
            lti.deployments = sql.rows(text, &key_params, |row| row.text(0)).await?;
        }
    }
    Ok(found)
}

/// Deletes it with its courses and their queued jobs. Name pages and the people on them stay; hidden people stay hidden. The
/// caller holds the institution's lock.
pub async fn delete(sql: &mut Sql, institution: InstitutionId, id: ToolConsumerId) -> Result<bool> {
    let key_params = [Value::from(institution), Value::from(id)];
    courses::delete_all(sql, institution, ("tool_consumer_id", id.get())).await?;
    for text in [
        "DELETE FROM course_aliases WHERE institution_id = $1 AND tool_consumer_id = $2",
        "DELETE FROM course_identities WHERE institution_id = $1 AND tool_consumer_id = $2",
        "DELETE FROM lti_deployments WHERE institution_id = $1 AND tool_consumer_id = $2",
        "DELETE FROM lti_registrations WHERE institution_id = $1 AND tool_consumer_id = $2",
        "DELETE FROM lti_logins WHERE institution_id = $1 AND tool_consumer_id = $2",
        "DELETE FROM lti_sessions WHERE institution_id = $1 AND tool_consumer_id = $2",
    ] {
        sql.execute(text, &key_params).await?;
    }
    Ok(sql.execute("DELETE FROM tool_consumers WHERE institution_id = $1 AND id = $2", &key_params).await?
        == 1)
}

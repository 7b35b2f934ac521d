//! Connections of directories, which an institution's owners manage.

use std::{net::IpAddr, sync::Arc, time::Duration};

use serde_json::{Value as Json, json};
use subtle::ConstantTimeEq;

use crate::{
    app::{
        Actor, App, Error, Missing, Result,
        audit::{self, Record},
        limiter::LimitKey,
    },
    domain::{
        audit::{Act, SubjectKind},
        digest,
        fault::{Fault, Field},
        ids::{InstitutionId, ScimConnectionId},
        institution::Institution,
        scim::Connection,
        text::{self, Lines, longest},
    },
    store::{scim_connections, scim_groups, scim_users},
};

#[derive(Debug, Default)]
pub struct New {
    pub name: String,
    /// Each group that it creates gets a name page of the same title.
    pub pages_from_groups: bool,
}

/// Creates a connection. Returns its token, which cannot be read again, because only the digest is stored.
pub async fn create(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    new: New,
) -> Result<(Connection, String)> {
    actor.own(institution)?;
    if text::is_blank(&new.name) {
        return Err(Error::invalid(Field::Name, Fault::Blank));
    }
    if let Some(fault) = text::fault(&new.name, longest::NAME, Lines::One) {
        return Err(Error::invalid(Field::Name, fault));
    }
    let now = app.clock.now();
    let secret = app.ids.access_token();
    let digest = digest::hex(&digest::of(&secret));
    let made = Connection {
        id: app.ids.id(now),
        institution,
        name: new.name,
        pages_from_groups: new.pages_from_groups,
        created_at: now,
        revoked_at: None,
        last_used_at: None,
    };
    let record = Record::new(app, actor, institution, Act::ScimConnectionCreated);
    let after = json!({ "name": made.name, "pages_from_groups": made.pages_from_groups });
    let record = record.about(SubjectKind::ScimConnection, made.id, &made.name).change(Json::Null, after);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                scim_connections::insert(sql, &made, &digest).await?;
                audit::write(sql, &[record]).await?;
                Ok((made, secret))
            })
        })
        .await
}

/// All connections, those that are revoked too.
pub async fn all(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Vec<Connection>> {
    actor.own(institution)?;
    Ok(scim_connections::all(&mut app.db.read(), institution).await?)
}

/// What an institution has of directories. Users and groups belong to it, and not to one of the connections.
#[derive(Debug)]
pub struct Overview {
    pub connections: Vec<Connection>,
    pub users: i64,
    pub groups: i64,
}

pub async fn overview(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Overview> {
    let connections = all(app, actor, institution).await?;
    let sql = &mut app.db.read();
    let users = scim_users::count(sql, institution).await?;
    Ok(Overview { connections, users, groups: scim_groups::count(sql, institution).await? })
}

/// Its token stops working at once. Users, groups and registrations stay.
pub async fn revoke(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: ScimConnectionId,
) -> Result<()> {
    actor.own(institution)?;
    let now = app.clock.now();
    let record = Record::new(app, actor, institution, Act::ScimConnectionRevoked);
    let revoked = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let revoked = scim_connections::revoke(sql, institution, id, now).await?;
                if revoked {
                    let all = scim_connections::all(sql, institution).await?;
                    let name = all.into_iter().find(|one| one.id == id).map(|one| one.name);
                    let name = name.unwrap_or_default();
                    audit::write(sql, &[record.about(SubjectKind::ScimConnection, id, name)]).await?;
                }
                Ok(revoked)
            })
        })
        .await?;
    if revoked { Ok(()) } else { Err(Error::Missing(Missing::ScimConnection)) }
}

/// A connection whose token was accepted.
pub struct Authenticated {
    pub connection: Arc<Connection>,
    /// Without its allowed origins.
    pub institution: Institution,
}

impl Authenticated {
    pub fn actor(&self) -> Actor {
        Actor::Scim(self.connection.clone())
    }
}

/// No token is longer.
const LONGEST_TOKEN: usize = 500;
/// How long a stored time of the last use is good enough.
const USE_PRECISION: Duration = Duration::from_secs(60);

/// Finds the connection of a token that was sent to the URL of an institution. A wrong token and a wrong institution cannot be told
/// apart. Failures are rate-limited by address, together with those of the API.
pub async fn authenticate(app: &App, slug: &str, token: &str, address: IpAddr) -> Result<Authenticated> {
    if let Some(found) = identified(app, slug, token).await? {
        note_use(app, &found.connection).await;
        return Ok(found);
    }
    let (limit_key, most) = (LimitKey::token_guesses(address), Some(app.auth_failures));
    let quota = app.limiter.take(limit_key, most, app.clock.instant()).await;
    Err(match quota.retry_after {
        Some(retry_after) => Error::TooManyFailures { retry_after },
        None => Error::Unauthorized,
    })
}

async fn identified(app: &App, slug: &str, token: &str) -> Result<Option<Authenticated>> {
    if token.is_empty() || token.len() > LONGEST_TOKEN {
        return Ok(None);
    }
    let hex = digest::hex(&digest::of(token));
    let found = scim_connections::by_digest(&mut app.db.read(), &hex).await?;
    let Some((connection, digest, institution)) = found else { return Ok(None) };
    let is_same: bool = digest.as_bytes().ct_eq(hex.as_bytes()).into();
    let is_own = is_same && institution.slug == slug;
    Ok(is_own.then(|| Authenticated { connection: Arc::new(connection), institution }))
}

/// Requests do not fail because of it.
async fn note_use(app: &App, connection: &Connection) {
    let now = app.clock.now();
    if connection.last_used_at.is_some_and(|last| now.since(last) < USE_PRECISION) {
        return;
    }
    let (institution, id) = (connection.institution, connection.id);
    let noted: Result<()> = app
        .db
        .write_bookkeeping(move |sql| {
            Box::pin(async move { Ok(scim_connections::used(sql, institution, id, now).await?) })
        })
        .await;
    if let Err(error) = noted {
        tracing::warn!(%error, "the last use of a SCIM connection was not stored");
    }
}

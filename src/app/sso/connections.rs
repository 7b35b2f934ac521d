//! Connections to OpenID providers, which an institution's owners manage.

use serde_json::{Value as Json, json};

use super::{
    super::{
        Actor, App, Error, Missing, Result,
        audit::{self, Record},
    },
    opened, purpose, redirect_uri, unavailable,
};
use crate::{
    domain::{
        audit::{Act, SubjectKind},
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        ids::{InstitutionId, SsoConnectionId},
        scope::Scope,
        sso::{self as rules, Connection, DomainPattern},
        text::{self, Lines, longest},
        version::{check_base, version_of},
    },
    sso as protocol,
    store::{self, sso as store_sso},
};

const UNKNOWN_HOST: &str = "-";

pub struct New {
    /// `None`: the issuer's host.
    pub name: Option<String>,
    pub issuer: String,
    pub client_id: String,
    pub client_secret: String,
    /// Empty for all.
    pub domains: Vec<String>,
    pub trusts_unverified_email: bool,
}

pub async fn create(app: &App, actor: &Actor, institution: InstitutionId, new: New) -> Result<Connection> {
    actor.own(institution)?;
    let mut errors = FieldErrors::default();
    let issuer = new.issuer.trim().to_owned();
    if !rules::is_issuer(&issuer) {
        errors.add(Field::Issuer, SetupFault::NotAnIssuer);
    }
    // What is not an issuer may have no host. That is said at the issuer, and not as a blank name.
    let name = new.name.or_else(|| rules::host_of(&issuer)).unwrap_or_else(|| UNKNOWN_HOST.to_owned());
    let secret = new.client_secret.trim();
    if secret.is_empty() {
        errors.add(Field::ClientSecret, Fault::Blank);
    }
    let (id, now) = (app.ids.id(app.clock.now()), app.clock.now());
    let made = Connection {
        institution,
        id,
        name,
        issuer,
        client_id: new.client_id.trim().to_owned(),
        sealed_client_secret: app.secrets.seal(&purpose(id), secret.as_bytes())?,
        domains: parsed(&new.domains, &mut errors),
        trusts_unverified_email: new.trusts_unverified_email,
        created_at: now,
    };
    find_faults(&made, &mut errors);
    errors.into_result()?;
    let permitted = app.outbound.permits(&made.issuer).await;
    permitted.map_err(|error| Error::invalid(Field::Issuer, SetupFault::Address(error.to_string())))?;
    let record = about(Record::new(app, actor, institution, Act::SsoCreated), &made);
    app.db
        .write(move |sql| {
            Box::pin(async move {
                store_sso::claim_short_redirect(sql, institution).await?;
                taken(store_sso::insert(sql, &made).await)?;
                audit::write(sql, &[record.change(Json::Null, values(&made))]).await?;
                Ok(made)
            })
        })
        .await
}

fn about(record: Record, connection: &Connection) -> Record {
    record.about(SubjectKind::SsoConnection, connection.id, &connection.name)
}

fn values(connection: &Connection) -> Json {
    let domains: Vec<String> = connection.domains.iter().map(ToString::to_string).collect();
    json!({
        "name": connection.name,
        "issuer": connection.issuer,
        "client_id": connection.client_id,
        // Hidden, as all secrets are. It tells whether there is another one.
        "client_secret": connection.sealed_client_secret,
        "domains": (!domains.is_empty()).then_some(domains),
        "trusts_unverified_email": connection.trusts_unverified_email,
    })
}

/// The institution has another connection with this issuer and client.
fn taken(written: store::Result<()>) -> Result<()> {
    match written {
        Err(store::Error::Conflict) => Err(Error::invalid(Field::ClientId, Fault::Taken)),
        other => Ok(other?),
    }
}

fn parsed(domains: &[String], errors: &mut FieldErrors) -> Vec<DomainPattern> {
    let mut all: Vec<DomainPattern> = Vec::new();
    for domain in domains.iter().filter(|domain| !domain.trim().is_empty()) {
        match DomainPattern::parse(domain) {
            Some(domain) if all.contains(&domain) => {}
            Some(domain) => all.push(domain),
            None => errors.add(Field::Domains, SetupFault::NotADomain(domain.clone())),
        }
    }
    all
}

fn find_faults(connection: &Connection, errors: &mut FieldErrors) {
    for (field, value) in [(Field::Name, &connection.name), (Field::ClientId, &connection.client_id)] {
        if text::is_blank(value) {
            errors.add(field, Fault::Blank);
        } else if let Some(fault) = text::fault(value, longest::NAME, Lines::One) {
            errors.add(field, fault);
        }
    }
    if connection.trusts_unverified_email && connection.domains.is_empty() {
        errors.add(Field::Domains, SetupFault::DomainsNeeded);
    }
}

/// `None` leaves the value unchanged. The issuer cannot change: another issuer is another connection. If the connection becomes
/// stricter, the sessions that it has opened end.
#[derive(Clone, Default)]
pub struct Change {
    pub name: Option<String>,
    pub client_id: Option<String>,
    pub client_secret: Option<String>,
    pub domains: Option<Vec<String>>,
    pub trusts_unverified_email: Option<bool>,
    /// What the change is based on (`version`). If the connection has another one by now, nothing is changed:
    /// `SetupFault::Outdated`.
    pub base: Option<String>,
}

/// Tells whether a connection is still the same, its secret included.
pub fn version(connection: &Connection) -> String {
    let Connection {
        institution: _,
        id,
        name,
        issuer: _,
        client_id,
        sealed_client_secret,
        domains,
        trusts_unverified_email,
        created_at: _,
    } = connection;
    version_of(&(id, name, client_id, sealed_client_secret, domains, trusts_unverified_email))
}

pub async fn update(app: &App, actor: &Actor, id: SsoConnectionId, change: Change) -> Result<Connection> {
    let institution = find(app, actor, id).await?.institution;
    let mut errors = FieldErrors::default();
    let sealed = match change.client_secret.as_deref().map(str::trim) {
        Some("") => {
            errors.add(Field::ClientSecret, Fault::Blank);
            None
        }
        Some(secret) => Some(app.secrets.seal(&purpose(id), secret.as_bytes())?),
        None => None,
    };
    let domains = change.domains.map(|domains| parsed(&domains, &mut errors));
    errors.into_result()?;
    let record = Record::new(app, actor, institution, Act::SsoUpdated);
    app.db
        .write(move |sql| {
            Box::pin(async move {
                // Take the institution's lock first, as in `institutions::delete`, to avoid a deadlock.
                store::rolls::lock(sql, institution).await?;
                let known = store_sso::lock(sql, institution, id).await?;
                let known = known.ok_or(Error::Missing(Missing::SsoConnection))?;
                check_base(change.base.as_deref(), &version(&known))?;
                let before = known.clone();
                let changed = Connection {
                    name: change.name.unwrap_or(known.name),
                    client_id: change.client_id.map_or(known.client_id, |id| id.trim().to_owned()),
                    sealed_client_secret: sealed.unwrap_or(known.sealed_client_secret),
                    domains: domains.unwrap_or(known.domains),
                    trusts_unverified_email: change
                        .trusts_unverified_email
                        .unwrap_or(known.trusts_unverified_email),
                    ..known
                };
                let mut errors = FieldErrors::default();
                find_faults(&changed, &mut errors);
                errors.into_result()?;
                taken(store_sso::update(sql, &changed).await)?;
                if changed.is_stricter_than(&before) {
                    store_sso::delete_sessions(sql, institution, id).await?;
                }
                let record = about(record, &changed).change(values(&before), values(&changed));
                audit::write_change(sql, record).await?;
                Ok(changed)
            })
        })
        .await
}

pub async fn find(app: &App, actor: &Actor, id: SsoConnectionId) -> Result<Connection> {
    let found = store_sso::find(&mut app.db.read(), actor.reach(), id).await?;
    let found = found.ok_or(Error::Missing(Missing::SsoConnection))?;
    actor.own(found.institution)?;
    Ok(found)
}

/// Of one institution, whose admins see them, or of all that the actor owns.
pub async fn all(app: &App, actor: &Actor, only: Option<InstitutionId>) -> Result<Vec<Connection>> {
    let scope = if only.is_some() { actor.administered(only)? } else { actor.owned(None)? };
    Ok(store_sso::all(&mut app.db.read(), scope).await?)
}

/// A provider through which everybody may try to sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    pub id: SsoConnectionId,
    pub name: String,
}

/// The providers that the institution's pages offer to everybody who has not signed in.
pub async fn offered(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Vec<Offered>> {
    actor.visit(institution)?;
    let all = store_sso::all(&mut app.db.read(), Scope::Institution(institution)).await?;
    Ok(all.into_iter().map(|one| Offered { id: one.id, name: one.name }).collect())
}

/// Deletes a connection and ends the sessions that it has opened.
pub async fn delete(app: &App, actor: &Actor, id: SsoConnectionId) -> Result<()> {
    let leaving = find(app, actor, id).await?;
    let institution = leaving.institution;
    let record = about(Record::new(app, actor, institution, Act::SsoDeleted), &leaving);
    let gone = app.db.write::<_, Error>(move |sql| {
        Box::pin(async move {
            store::rolls::lock(sql, institution).await?;
            let is_gone = store_sso::delete(sql, institution, id).await?;
            if is_gone {
                audit::write(sql, &[record.change(values(&leaving), Json::Null)]).await?;
            }
            Ok(is_gone)
        })
    });
    if gone.await? { Ok(()) } else { Err(Error::Missing(Missing::SsoConnection)) }
}

/// Checks a connection: its secret can be decrypted, and the provider's configuration and keys are usable. Returns a sentence for
/// the operator.
pub async fn check(app: &App, actor: &Actor, connection: &Connection) -> Result<String> {
    actor.own(connection.institution)?;
    opened(app, &purpose(connection.id), &connection.sealed_client_secret)?;
    let provider = protocol::discover(&app.outbound, &connection.issuer).await.map_err(unavailable)?;
    let keys = protocol::keys(&app.outbound, &provider).await.map_err(unavailable)?;
    let algorithms: Vec<&str> = provider.algorithms.iter().map(|algorithm| algorithm.word()).collect();
    let end = if provider.end_session_url.is_some() { "supports" } else { "does not support" };
    Ok(format!(
        "the provider is reachable; it has {keys} keys, signs with {}, and {end} signing out",
        algorithms.join(" or ")
    ))
}

/// Checks whether the provider accepts the client id and the secret, by redeeming an invalid code: a provider authenticates the
/// client first.
pub async fn check_client(app: &App, actor: &Actor, connection: &Connection, base_url: &str) -> Result<()> {
    actor.own(connection.institution)?;
    let provider = protocol::discover(&app.outbound, &connection.issuer).await.map_err(unavailable)?;
    let secret = opened(app, &purpose(connection.id), &connection.sealed_client_secret)?;
    let client = protocol::Client {
        id: &connection.client_id,
        secret: &secret,
        redirect_uri: &redirect_uri(app, connection.institution, base_url).await?,
    };
    let verifier = app.ids.hex() + &app.ids.hex();
    let code = format!("endonym-test-{}", app.ids.hex());
    match protocol::redeem(&app.outbound, &provider, &client, &code, &verifier).await {
        Ok(_) | Err(protocol::Error::Refused(_)) => Ok(()),
        Err(error) => Err(unavailable(error)),
    }
}

/// What a test of a connection finds out, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The secret can be decrypted.
    Secret,
    /// The provider has a usable configuration document.
    Configuration,
    /// The provider publishes keys.
    Keys,
    /// The provider accepts the client id and the secret.
    Client,
}

impl Step {
    pub const ALL: [Self; 4] = [Self::Secret, Self::Configuration, Self::Keys, Self::Client];
}

/// Tests a connection step by step, up to the first one that fails, with the reason.
pub async fn test(
    app: &App,
    actor: &Actor,
    connection: &Connection,
    base_url: &str,
) -> Result<Vec<(Step, Result<(), String>)>> {
    actor.own(connection.institution)?;
    let mut outcomes = Vec::new();
    for step in Step::ALL {
        let outcome =
            try_step(app, actor, connection, base_url, step).await.map_err(|error| error.to_string());
        let has_failed = outcome.is_err();
        outcomes.push((step, outcome));
        if has_failed {
            break;
        }
    }
    Ok(outcomes)
}

async fn try_step(
    app: &App,
    actor: &Actor,
    connection: &Connection,
    base_url: &str,
    step: Step,
) -> Result<()> {
    let discover = protocol::discover(&app.outbound, &connection.issuer);
    match step {
        Step::Secret => opened(app, &purpose(connection.id), &connection.sealed_client_secret).map(drop),
        Step::Configuration => discover.await.map(drop).map_err(unavailable),
        Step::Keys => {
            let provider = discover.await.map_err(unavailable)?;
            protocol::keys(&app.outbound, &provider).await.map(drop).map_err(unavailable)
        }
        Step::Client => check_client(app, actor, connection, base_url).await,
    }
}

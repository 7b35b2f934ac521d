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
        sso::{self as rules, Connection, DomainPattern, ScopeToken, SsoOnly},
        text::{self, Lines, longest},
        version::{check_base, version_of},
    },
    sso as protocol,
    store::{self, sso as store_sso},
};

/// The names of inputs that have no field of their own.
const TENANT: &str = "tenant";
const SCOPES: &str = "scopes";
const UNKNOWN_HOST: &str = "-";

pub struct New {
    /// `None`: the issuer's host.
    pub name: Option<String>,
    pub issuer: String,
    pub client_id: String,
    pub client_secret: String,
    /// Emails that are accepted.
    pub domains: Vec<String>,
    /// The tenant of the provider that people must belong to.
    pub tenant: Option<String>,
    /// Every account of the provider may sign in. Otherwise, there are domains or a tenant.
    pub any_account: bool,
    pub trusts_unverified_email: bool,
    /// What is asked of the provider; empty for `openid email`.
    pub scopes: Vec<String>,
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
        tenant: new.tenant.as_deref().and_then(given_tenant),
        any_account: new.any_account,
        trusts_unverified_email: new.trusts_unverified_email,
        scopes: parsed_scopes(&new.scopes, &mut errors),
        created_at: now,
    };
    find_faults(&made, &mut errors);
    find_account_faults(&made, &mut errors);
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
        "tenant": connection.tenant,
        "any_account": connection.any_account,
        "trusts_unverified_email": connection.trusts_unverified_email,
        "scopes": (!connection.scopes.is_empty()).then(|| scope_words(connection)),
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

pub fn scope_words(connection: &Connection) -> Vec<&str> {
    connection.scopes.iter().map(ScopeToken::as_str).collect()
}

/// Blank for none.
fn given_tenant(given: &str) -> Option<String> {
    Some(given.trim().to_owned()).filter(|given| !given.is_empty())
}

fn parsed_scopes(given: &[String], errors: &mut FieldErrors) -> Vec<ScopeToken> {
    let mut all: Vec<ScopeToken> = Vec::new();
    for one in given.iter().flat_map(|one| text::entries(one)).flat_map(str::split_whitespace) {
        match ScopeToken::parse(one) {
            Some(one) if all.contains(&one) => {}
            Some(one) if all.len() < ScopeToken::MOST => all.push(one),
            _ => errors.add(Field::Parameter(SCOPES), SetupFault::NotAScope(one.to_owned())),
        }
    }
    all
}

/// It must be said whose accounts may sign in: whoever has one counts as a person of the institution. Connections of earlier versions
/// may lack it; they vouch for nobody (`Connection::vouches`).
fn find_account_faults(connection: &Connection, errors: &mut FieldErrors) {
    match (connection.is_bounded(), connection.any_account) {
        (false, false) if !errors.has(&Field::Domains) => {
            errors.add(Field::Domains, SetupFault::AccountsNeeded);
        }
        (true, true) if connection.domains.is_empty() => {
            errors.add(Field::Parameter(TENANT), SetupFault::AccountsBounded);
        }
        (true, true) => errors.add(Field::Domains, SetupFault::AccountsBounded),
        _ => {}
    }
}

fn find_faults(connection: &Connection, errors: &mut FieldErrors) {
    if let Some(tenant) = &connection.tenant
        && let Some(fault) = text::fault(tenant, longest::NAME, Lines::One)
    {
        errors.add(Field::Parameter(TENANT), fault);
    }

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
    /// Blank removes it.
    pub tenant: Option<String>,
    pub any_account: Option<bool>,
    pub trusts_unverified_email: Option<bool>,
    /// An empty list resets them to `openid email`.
    pub scopes: Option<Vec<String>>,
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
        tenant,
        any_account,
        trusts_unverified_email,
        scopes,
        created_at: _,
    } = connection;
    let accounts = (domains, tenant, any_account, trusts_unverified_email);
    version_of(&(id, name, client_id, sealed_client_secret, accounts, scopes))
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
    let scopes = change.scopes.map(|scopes| parsed_scopes(&scopes, &mut errors));
    errors.into_result()?;
    let says_whose = domains.is_some() || change.tenant.is_some() || change.any_account.is_some();
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
                    tenant: change.tenant.map_or(known.tenant, |tenant| given_tenant(&tenant)),
                    any_account: change.any_account.unwrap_or(known.any_account),
                    scopes: scopes.unwrap_or(known.scopes),
                    trusts_unverified_email: change
                        .trusts_unverified_email
                        .unwrap_or(known.trusts_unverified_email),
                    ..known
                };
                // Whoever names domains or a tenant need not take back what they bound by it.
                let any_account =
                    changed.any_account && (change.any_account == Some(true) || !changed.is_bounded());
                let changed = Connection { any_account, ..changed };
                let mut errors = FieldErrors::default();
                find_faults(&changed, &mut errors);
                if says_whose {
                    find_account_faults(&changed, &mut errors);
                }
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

/// Does the operator's proxy authenticate people of the institution?
async fn has_proxy(app: &App, institution: InstitutionId) -> Result<bool> {
    let Some(proxy) = &app.sign_in.proxy else { return Ok(false) };
    let found = store::institutions::by_slug(&mut app.db.read(), &proxy.institution).await?;
    Ok(found.is_some_and(|found| found.id == institution))
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
    // The operator can always let somebody in with a link.
    let needs_way_in = actor.operate().is_err() && !has_proxy(app, institution).await?;
    let gone = app.db.write::<_, Error>(move |sql| {
        Box::pin(async move {
            store::rolls::lock(sql, institution).await?;
            let is_gone = store_sso::delete(sql, institution, id).await?;
            if needs_way_in && !store_sso::has_any(sql, institution).await? {
                let only = store::institutions::sso_only(sql, institution).await?.unwrap_or_default();
                if only != SsoOnly::Off {
                    return Err(Error::invalid(Field::Name, SetupFault::ConnectionNeeded));
                }
            }
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

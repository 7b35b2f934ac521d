//! Single sign-on: connections to the OpenID providers of institutions, and people who sign in through them (ADR 21).

use std::time::Duration;

use super::{
    Actor, App, Error, Missing, Result,
    limiter::{LimitKey, Policy},
    registrations,
    sessions::{self, Secret, Through},
    sign_in,
};
use crate::{
    domain::{
        client_address::Client,
        email::Email,
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        ids::{InstitutionId, SsoConnectionId},
        institution::Institution,
        scope::Scope,
        session::{How, PersonId, ProviderSession, Session},
        sign_in::ReturnTo,
        sso::{self as rules, ClaimFault, Connection, DomainPattern, EmailClaim, Expected, LIFE},
        text::{self, Lines, longest},
    },
    jwt,
    sso::{self as protocol, Authorization, Provider},
    store::{self, sso as store_sso},
};

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
    let name = new.name.or_else(|| rules::host_of(&issuer)).unwrap_or_default();
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
    app.db
        .write(move |sql| Box::pin(async move { taken(store_sso::insert(sql, &made).await).map(|()| made) }))
        .await
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
    app.db
        .write(move |sql| {
            Box::pin(async move {
                // Take the institution's lock first, as in `institutions::delete`, to avoid a deadlock.
                store::rolls::lock(sql, institution).await?;
                let known = store_sso::lock(sql, institution, id).await?;
                let known = known.ok_or(Error::Missing(Missing::SsoConnection))?;
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

pub async fn all(app: &App, actor: &Actor, only: Option<InstitutionId>) -> Result<Vec<Connection>> {
    Ok(store_sso::all(&mut app.db.read(), actor.owned(only)?).await?)
}

/// Deletes a connection and ends the sessions that it has opened.
pub async fn delete(app: &App, actor: &Actor, id: SsoConnectionId) -> Result<()> {
    let institution = find(app, actor, id).await?.institution;
    let gone = app.db.write::<_, Error>(move |sql| {
        Box::pin(async move {
            store::rolls::lock(sql, institution).await?;
            Ok(store_sso::delete(sql, institution, id).await?)
        })
    });
    if gone.await? { Ok(()) } else { Err(Error::Missing(Missing::SsoConnection)) }
}

fn purpose(id: SsoConnectionId) -> String {
    format!("client secret of single sign-on connection {id}")
}

fn opened(app: &App, purpose: &str, sealed: &str) -> Result<String> {
    let plain = app.secrets.open(purpose, sealed).map_err(|error| Error::Unavailable(error.to_string()))?;
    String::from_utf8(plain).map_err(|_| Error::Internal("a secret that is not text".to_owned()))
}

/// The URLs that the operator registers at the provider.
pub struct Registration {
    pub redirect_uri: String,
    pub sign_out_uri: String,
}

impl Registration {
    pub fn new(base_url: &str) -> Self {
        Self { redirect_uri: format!("{base_url}/sso/callback"), sign_out_uri: format!("{base_url}/sign-in") }
    }
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
        redirect_uri: &Registration::new(base_url).redirect_uri,
    };
    let verifier = app.ids.hex() + &app.ids.hex();
    let code = format!("endonym-test-{}", app.ids.hex());
    match protocol::redeem(&app.outbound, &provider, &client, &code, &verifier).await {
        Ok(_) | Err(protocol::Error::Refused(_)) => Ok(()),
        Err(error) => Err(unavailable(error)),
    }
}

fn unavailable(error: protocol::Error) -> Error {
    Error::Unavailable(error.to_string())
}

/// A sign-in that does not succeed.
#[derive(Debug)]
pub struct Refused {
    /// Unknown if the request cannot be attributed to a connection.
    pub by: Option<(Connection, Institution)>,
    pub why: Refusal,
}

#[derive(Debug)]
pub enum Refusal {
    TooMany {
        retry_after: u64,
    },
    /// The state is unknown, expired or used, or belongs to another browser. Which, is not said.
    State,
    /// The person cancelled, or the provider does not let them in.
    Denied,
    Provider(protocol::Error),
    /// The response or the token is not what an honest provider sends for this request. The log has the reason.
    Forged,
    NoEmail,
    UnverifiedEmail,
    EmailDomain(Email),
    /// The provider has confirmed the address, and nobody is registered with it.
    NotRegistered(Email),
    Failed(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<protocol::Error> for Refusal {
    fn from(error: protocol::Error) -> Self {
        Self::Provider(error)
    }
}

impl From<ClaimFault> for Refusal {
    fn from(fault: ClaimFault) -> Self {
        match fault {
            ClaimFault::NoEmail => Self::NoEmail,
            ClaimFault::UnverifiedEmail => Self::UnverifiedEmail,
            ClaimFault::EmailDomain(email) => Self::EmailDomain(email),
            ClaimFault::Issuer
            | ClaimFault::Audience
            | ClaimFault::AuthorizedParty
            | ClaimFault::Expired
            | ClaimFault::IssuedAt
            | ClaimFault::Nonce
            | ClaimFault::Subject
            | ClaimFault::OtherSubject
            | ClaimFault::Lookalike => Self::Forged,
        }
    }
}

fn unattributed(error: impl Into<Refusal>) -> Refused {
    Refused { by: None, why: error.into() }
}

/// A whole campus may share one address (NAT).
const CLIENT_LIMIT: u32 = 600;
/// A proxy that does not forward the client's address.
const PROXY_LIMIT: u32 = 6_000;
const MINUTE: Duration = Duration::from_secs(60);

/// Counts a sign-in against the limit of the client's network: each is a row.
async fn admit(app: &App, client: Option<Client>) -> Result<(), Refusal> {
    let Some(client) = client else { return Ok(()) };
    let ceiling = if client.is_proxy { PROXY_LIMIT } else { CLIENT_LIMIT };
    let policy = Policy { ceiling, window: MINUTE, throttle: Duration::from_secs(1) };
    let quota =
        app.limiter.take_with_policy(LimitKey::sso(client.address), policy, app.clock.instant()).await;
    quota.retry_after.map_or(Ok(()), |retry_after| Err(Refusal::TooMany { retry_after }))
}

/// Starts a sign-in in this browser. Returns the provider's URL, where the browser goes next.
pub async fn start(
    app: &App,
    client: Option<Client>,
    browser: &Secret,
    id: SsoConnectionId,
    return_to: Option<ReturnTo>,
) -> Result<String, Refused> {
    admit(app, client).await.map_err(unattributed)?;
    let by = connection(app, Actor::System.reach(), id).await.map_err(unattributed)?;
    match send(app, browser, &by.0, return_to).await {
        Ok(address) => Ok(address),
        Err(why) => Err(refused(by, why)),
    }
}

async fn connection(app: &App, scope: Scope, id: SsoConnectionId) -> Result<(Connection, Institution)> {
    let mut sql = app.db.read();
    let found = store_sso::find(&mut sql, scope, id).await?;
    let found = found.ok_or(Error::Missing(Missing::SsoConnection))?;
    let institution = store::institutions::by_id(&mut sql, found.institution).await?;
    Ok((found, institution.ok_or(Error::Missing(Missing::Institution))?))
}

async fn provider(app: &App, connection: &Connection) -> Result<std::sync::Arc<Provider>, protocol::Error> {
    app.providers.get(&app.outbound, &connection.issuer, || app.clock.instant()).await
}

async fn send(
    app: &App,
    browser: &Secret,
    connection: &Connection,
    return_to: Option<ReturnTo>,
) -> Result<String, Refusal> {
    let provider = provider(app, connection).await?;
    let (state, now) = (Secret::generate(app), app.clock.now());
    let login = store_sso::Login {
        institution: connection.institution,
        connection: connection.id,
        return_to,
        expires_at: now.plus(LIFE),
    };
    let (state_digest, browser_digest) = (state.digest(), browser.digest());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                store_sso::delete_expired_logins(sql, now).await?;
                Ok(store_sso::insert_login(sql, &state_digest, &browser_digest, &login).await?)
            })
        })
        .await?;
    let wanted = Authorization {
        state: state.as_str(),
        nonce: &derived(app, "nonce", &state)?,
        verifier: &derived(app, "verifier", &state)?,
    };
    let redirect_uri = Registration::new(app.links.base()).redirect_uri;
    Ok(protocol::authorization_url(&provider, &connection.client_id, &redirect_uri, &wanted))
}

/// The nonce and the PKCE verifier of a sign-in. They are derived from the state with the installation's key, so they need not be
/// stored, and nobody who sees the state can compute them.
fn derived(app: &App, what: &str, state: &Secret) -> Result<String> {
    Ok(app.secrets.digest(&format!("single sign-on {what}"), state.as_str())?)
}

/// The provider's response, in the query of the browser's request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Callback<'a> {
    pub state: &'a str,
    pub code: Option<&'a str>,
    pub error: Option<&'a str>,
    /// RFC 9207.
    pub issuer: Option<&'a str>,
}

/// A person whom a provider has authenticated.
#[derive(Debug)]
pub struct SignedIn {
    pub person: PersonId,
    /// As it was when it accepted the person.
    pub connection: Connection,
    pub id_token: String,
    pub return_to: ReturnTo,
}

/// Finishes a sign-in that this browser has started.
pub async fn finish(app: &App, browser: &Secret, callback: Callback<'_>) -> Result<SignedIn, Refused> {
    let Some(state) = Secret::parse(callback.state) else { return Err(unattributed(Refusal::State)) };
    let (state_digest, browser_digest, now) = (state.digest(), browser.digest(), app.clock.now());
    // The read is cheap, and avoids occupying the database's single writer: anybody can send this request.
    let found = store_sso::has_login(&mut app.db.read(), &state_digest, &browser_digest, now).await;
    if !found.map_err(Error::from).map_err(unattributed)? {
        return Err(unattributed(Refusal::State));
    }
    let taken = app.db.write::<_, Error>(move |sql| {
        Box::pin(async move { Ok(store_sso::take_login(sql, &state_digest, &browser_digest, now).await?) })
    });
    let Some(login) = taken.await.map_err(unattributed)? else { return Err(unattributed(Refusal::State)) };
    let scope = Scope::Institution(login.institution);
    let by = connection(app, scope, login.connection).await.map_err(unattributed)?;
    let return_to = login.return_to.unwrap_or_default();
    match authenticate(app, &by.0, &state, callback, &return_to).await {
        Ok((person, id_token)) => Ok(SignedIn { person, connection: by.0, id_token, return_to }),
        Err(why) => Err(refused(by, why)),
    }
}

async fn authenticate(
    app: &App,
    connection: &Connection,
    state: &Secret,
    callback: Callback<'_>,
    return_to: &ReturnTo,
) -> Result<(PersonId, String), Refusal> {
    let provider = provider(app, connection).await?;
    let is_other_issuer = callback.issuer.is_some_and(|issuer| issuer != connection.issuer);
    if is_other_issuer || (provider.sends_issuer && callback.issuer.is_none()) {
        log_forged(connection, "the iss of the response is missing or another issuer");
        return Err(Refusal::Forged);
    }
    let code = match (callback.error, callback.code) {
        (None, Some(code)) if !code.is_empty() => code,
        (Some("access_denied"), _) => return Err(Refusal::Denied),
        (error, _) => {
            // The provider's words are untrusted: anybody can put them into the URL.
            let error: String =
                error.unwrap_or("none").chars().filter(char::is_ascii_graphic).take(60).collect();
            tracing::warn!(connection = %connection.id, error, "the provider returned no code");
            return Err(Refusal::Denied);
        }
    };
    let secret = opened(app, &purpose(connection.id), &connection.sealed_client_secret)?;
    let registration = Registration::new(app.links.base());
    let client = protocol::Client {
        id: &connection.client_id,
        secret: &secret,
        redirect_uri: &registration.redirect_uri,
    };
    let verifier = derived(app, "verifier", state)?;
    let tokens = protocol::redeem(&app.outbound, &provider, &client, code, &verifier).await?;
    let keys = &app.key_sets;
    let verified = keys
        .verified(&app.outbound, &provider.jwks_url, &provider.algorithms, &tokens.id_token, || {
            app.clock.instant()
        })
        .await;
    let claims = verified.map_err(protocol::Error::from)?.map_err(|fault: jwt::token::Fault| {
        log_forged(connection, &format!("the ID token is not accepted: {fault}"));
        Refusal::Forged
    })?;
    let expected = Expected {
        issuer: &connection.issuer,
        client_id: &connection.client_id,
        nonce: &derived(app, "nonce", state)?,
        now: app.clock.now(),
    };
    let subject = rules::subject(&claims, &expected).map_err(|fault| logged(connection, fault))?;
    let mut claim = EmailClaim::of(&claims);
    if connection.needs_more_than(&claim)
        && let (Some(url), Some(token)) = (&provider.user_info_url, &tokens.access_token)
    {
        let info = protocol::user_info(&app.outbound, url, token).await?;
        claim = EmailClaim::of_user_info(&info, &subject).map_err(|fault| logged(connection, fault))?;
    }
    let email = connection.accept(&claim).map_err(|fault| logged(connection, fault))?;
    let person = PersonId { institution: connection.institution, email_key: email.key().to_owned() };
    // Somebody new may register on the page that they come from: the provider vouches for the address.
    if !sign_in::is_known(app, &person).await?
        && !registrations::admit(app, &person, &email, return_to).await?
    {
        return Err(Refusal::NotRegistered(email));
    }
    Ok((person, tokens.id_token))
}

fn logged(connection: &Connection, fault: ClaimFault) -> Refusal {
    log_forged(connection, &fault.to_string());
    fault.into()
}

fn log_forged(connection: &Connection, why: &str) {
    tracing::warn!(connection = %connection.id, why, "a provider's response is not accepted");
}

fn refused(by: (Connection, Institution), why: Refusal) -> Refused {
    if let Refusal::Provider(error) = &why {
        tracing::warn!(connection = %by.0.id, issuer = by.0.issuer, %error, "single sign-on failed");
    }
    Refused { by: Some(by), why }
}

/// Longer ID tokens are not kept: they would not fit into a URL.
const MAX_ID_TOKEN: usize = 4 << 10;

/// Opens a session, and keeps what signing out at the provider needs.
pub async fn open_session(app: &App, signed_in: SignedIn) -> Result<Secret> {
    let secret = Secret::generate(app);
    let id_token = Some(&signed_in.id_token).filter(|token| token.len() <= MAX_ID_TOKEN);
    let seal = |token: &String| app.secrets.seal(&token_purpose(&secret), token.as_bytes());
    let kept = ProviderSession {
        connection: signed_in.connection.id,
        sealed_id_token: id_token.map(seal).transpose()?,
    };
    let through = Through { connection: signed_in.connection, kept };
    sessions::open_as(app, &secret, signed_in.person, How::Oidc, Some(through)).await?;
    Ok(secret)
}

fn token_purpose(session: &Secret) -> String {
    format!("ID token of session {}", session.digest())
}

/// Where a browser ends its session at the provider.
#[derive(Debug)]
pub struct SignOut {
    /// The name of the connection.
    pub name: String,
    pub address: String,
}

/// What `sign_out` needs. Call it before the session ends. `None` if another way led into the session.
pub async fn kept(app: &App, secret: &Secret, session: &Session) -> Option<ProviderSession> {
    if session.how != How::Oidc {
        return None;
    }
    let kept = store::sessions::provider(&mut app.db.read(), &secret.digest()).await;
    kept.unwrap_or_else(|error| {
        tracing::warn!(%error, "signing out at the provider is not possible");
        None
    })
}

/// Where the browser goes after signing out here, to sign out at the provider as well. Call it after the session has ended: asking the
/// provider may take seconds. `None` if the provider is away or does not support it: signing out here must not fail for that.
pub async fn sign_out(
    app: &App,
    secret: &Secret,
    session: &Session,
    kept: ProviderSession,
) -> Option<SignOut> {
    let found = find_sign_out(app, secret, session, kept).await;
    found.unwrap_or_else(|error| {
        tracing::warn!(%error, "signing out at the provider is not possible");
        None
    })
}

async fn find_sign_out(
    app: &App,
    secret: &Secret,
    session: &Session,
    kept: ProviderSession,
) -> Result<Option<SignOut>> {
    let scope = Scope::Institution(session.person.institution);
    let found = store_sso::find(&mut app.db.read(), scope, kept.connection).await?;
    let Some(connection) = found else { return Ok(None) };
    let provider = provider(app, &connection).await.map_err(unavailable)?;
    let id_token =
        kept.sealed_id_token.map(|sealed| opened(app, &token_purpose(secret), &sealed)).transpose()?;
    let return_uri = Registration::new(app.links.base()).sign_out_uri;
    let address = protocol::sign_out_url(&provider, &connection.client_id, id_token.as_deref(), &return_uri);
    Ok(address.map(|address| SignOut { name: connection.name, address }))
}

/// Removes sign-ins that were not finished. Starting one does it, too, but there may be nobody who does.
pub async fn remove_expired(app: &App) -> Result<()> {
    let now = app.clock.now();
    // The read is cheap, and avoids occupying the database's single writer.
    if !store_sso::any_expired_login(&mut app.db.read(), now).await? {
        return Ok(());
    }
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(store_sso::delete_expired_logins(sql, now).await?) })
        })
        .await
}

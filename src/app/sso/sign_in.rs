//! Signing in at a provider: the way there, and the way back.

use std::time::Duration;

use serde_json::Value;

use super::{
    super::{
        App, Error, Missing, Result, audit,
        limiter::{LimitKey, Policy},
        registrations,
        sessions::Secret,
        sign_in,
    },
    groups, opened, provider, purpose, redirect_path, redirect_uri,
};
use crate::{
    domain::{
        client_address::Client,
        email::Email,
        ids::SsoConnectionId,
        institution::Institution,
        moment::Moment,
        scope::Scope,
        session::{FRESH, How, PersonId},
        sign_in::{BY_CODE, ReturnTo},
        sso::{self as rules, ClaimFault, Connection, EmailClaim, Expected, LIFE},
        sso_groups,
    },
    jwt,
    sso::{self as protocol, Authorization},
    store::{self, sso as store_sso},
};

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
    /// The person canceled, or the provider does not let them in.
    Denied,
    Provider(protocol::Error),
    /// The response or the token is not what an honest provider sends for this request. The log has the reason.
    Forged,
    NoEmail,
    UnverifiedEmail,
    EmailDomain(Email),
    /// An account of another tenant.
    Tenant,
    /// The provider has confirmed the address, and nobody is registered with it.
    NotRegistered(Email),
    /// The provider was to ask again who they are, and has not; and a mailed code does not count for them.
    Unconfirmed,
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
            ClaimFault::Tenant => Self::Tenant,
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
    let quota = app
        .limiter
        .take_with_policy(LimitKey::sso_sign_ins(client.address), policy, app.clock.instant())
        .await;
    quota.retry_after.map_or(Ok(()), |retry_after| Err(Refusal::TooMany { retry_after }))
}

/// Starts a sign-in in this browser. Returns the provider's URL, where the browser goes next. With `again`, the provider is told to ask
/// who it is, whoever has signed in there before, and its response is compared with that.
pub async fn start(
    app: &App,
    client: Option<Client>,
    browser: &Secret,
    id: SsoConnectionId,
    return_to: Option<ReturnTo>,
    again: bool,
) -> Result<String, Refused> {
    admit(app, client).await.map_err(unattributed)?;
    let found = store_sso::by_id(&mut app.db.read(), id).await;
    let by = of_institution(app, found).await.map_err(unattributed)?;
    match send(app, browser, &by.0, return_to, again).await {
        Ok(address) => Ok(address),
        Err(why) => {
            let email_key = match &why {
                Refusal::NotRegistered(email) => Some(email.key().to_owned()),
                _ => None,
            };
            audit::refused(app, by.0.institution, email_key, How::Oidc.word());
            Err(refused(by, why))
        }
    }
}

async fn of_institution(
    app: &App,
    found: store::Result<Option<Connection>>,
) -> Result<(Connection, Institution)> {
    let found = found?.ok_or(Error::Missing(Missing::SsoConnection))?;
    let institution = store::institutions::by_id(&mut app.db.read(), found.institution).await?;
    Ok((found, institution.ok_or(Error::Missing(Missing::Institution))?))
}

async fn send(
    app: &App,
    browser: &Secret,
    connection: &Connection,
    return_to: Option<ReturnTo>,
    again: bool,
) -> Result<String, Refusal> {
    let provider = provider(app, connection).await?;
    let (state, now) = (Secret::generate(app), app.clock.now());
    let login = store_sso::Login {
        institution: connection.institution,
        connection: connection.id,
        return_to,
        again,
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
    let has_groups = groups::gives_roles(app, connection).await?;
    let wanted = Authorization {
        scope: &connection.scope(has_groups, &provider.scopes),
        state: state.as_str(),
        nonce: &derived(app, "nonce", &state)?,
        verifier: &derived(app, "verifier", &state)?,
        again,
    };
    let redirect_uri = redirect_uri(app, connection.institution, app.links.base()).await?;
    Ok(protocol::authorization_url(&provider, &connection.client_id, &redirect_uri, &wanted))
}

/// The nonce and the PKCE verifier of a sign-in. They are derived from the state with the installation's key, so they need not be
/// stored, and nobody who sees the state can compute them.
fn derived(app: &App, what: &str, state: &Secret) -> Result<String> {
    Ok(app.secrets.digest(&format!("single sign-on {what}"), state.as_str())?)
}

/// The provider's response: the path and the query of the browser's request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Callback<'a> {
    pub path: &'a str,
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
    /// When they have proven to the provider who they are, if it says so.
    pub authenticated_at: Option<Moment>,
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
    let found = store_sso::find(&mut app.db.read(), scope, login.connection).await;
    let by = of_institution(app, found).await.map_err(unattributed)?;
    let return_to = login.return_to.unwrap_or_default();
    let Authenticated { person, id_token, at } =
        match authenticate(app, &by.0, &state, callback, &return_to).await {
            Ok(authenticated) => authenticated,
            Err(why) => return Err(refused(by, why)),
        };
    let is_fresh = at.is_some_and(|at| app.clock.now() <= at.plus(FRESH));
    let return_to = match login.again && !is_fresh {
        false => return_to,
        true => match sign_in::may_use_mail(app, &person).await {
            Ok(true) => by_code(&by.1, &return_to),
            Ok(false) => return Err(refused(by, Refusal::Unconfirmed)),
            Err(error) => return Err(refused(by, error.into())),
        },
    };
    Ok(SignedIn { person, connection: by.0, id_token, authenticated_at: at, return_to })
}

/// Where somebody goes whom the provider should have asked again who they are, and has not: they prove it with a mailed code.
fn by_code(institution: &Institution, return_to: &ReturnTo) -> ReturnTo {
    let path = |return_to: Option<&str>| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("institution", &institution.slug).append_pair("why", BY_CODE);
        query.extend_pairs(return_to.map(|path| ("return_to", path)));
        ReturnTo::parse(&format!("/sign-in?{}", query.finish()))
    };
    // A very long one does not fit.
    path(Some(return_to.as_str())).or_else(|| path(None)).unwrap_or_default()
}

/// What a provider says about somebody.
struct Authenticated {
    person: PersonId,
    id_token: String,
    /// When they have proven to the provider who they are.
    at: Option<Moment>,
}

async fn authenticate(
    app: &App,
    connection: &Connection,
    state: &Secret,
    callback: Callback<'_>,
    return_to: &ReturnTo,
) -> Result<Authenticated, Refusal> {
    if callback.path != redirect_path(app, connection.institution).await?.to_string() {
        log_forged(connection, "the response came to the redirect URI of another institution");
        return Err(Refusal::Forged);
    }
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
    let redirect_uri = redirect_uri(app, connection.institution, app.links.base()).await?;
    let client = protocol::Client { id: &connection.client_id, secret: &secret, redirect_uri: &redirect_uri };
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
    let now = app.clock.now();
    let expected = Expected {
        issuer: &connection.issuer,
        client_id: &connection.client_id,
        nonce: &derived(app, "nonce", state)?,
        now,
    };
    let subject = rules::subject(&claims, &expected).map_err(|fault| logged(connection, fault))?;
    connection.check_tenant(&claims).map_err(|fault| logged(connection, fault))?;
    let mut claim = EmailClaim::of(&claims);
    let ask = provider.user_info_url.as_deref().zip(tokens.access_token.as_deref());
    let mut info = None;
    if let Some((url, token)) = ask.filter(|_| connection.needs_more_than(&claim)) {
        let said = protocol::user_info(&app.outbound, url, token).await?;
        claim = EmailClaim::of_user_info(&said, &subject).map_err(|fault| logged(connection, fault))?;
        info = Some(said);
    }
    let email = connection.accept(&claim).map_err(|fault| logged(connection, fault))?;
    let person = PersonId { institution: connection.institution, email_key: email.key().to_owned() };
    apply_groups(app, connection, &email, (&claims, &subject), info, ask).await?;
    // Somebody new may register on the page that they come from: the provider vouches for the address.
    if !sign_in::may_sign_in(app, &person).await?
        && !registrations::admit(app, &person, &email, return_to).await?
    {
        return Err(Refusal::NotRegistered(email));
    }
    Ok(Authenticated { person, id_token: tokens.id_token, at: rules::authenticated_at(&claims, now) })
}

/// Gives the person the role of their groups. Some providers put the groups into the token, others into the response of the UserInfo
/// endpoint, which is asked if `info` is missing and `ask` has its URL and the access token.
async fn apply_groups(
    app: &App,
    connection: &Connection,
    email: &Email,
    (claims, subject): (&Value, &str),
    mut info: Option<Value>,
    ask: Option<(&str, &str)>,
) -> Result<(), Refusal> {
    let person = PersonId { institution: connection.institution, email_key: email.key().to_owned() };
    let Some(wanted) = groups::wanted(app, connection, &person).await? else { return Ok(()) };
    let is_absent = claims[&wanted.claim].is_null();
    if is_absent
        && info.is_none()
        && let Some((url, token)) = ask
    {
        let said = protocol::user_info(&app.outbound, url, token).await?;
        EmailClaim::of_user_info(&said, subject).map_err(|fault| logged(connection, fault))?;
        info = Some(said);
    }
    let named = match (sso_groups::groups(claims, &wanted.claim), &info) {
        (Some(_), Some(said)) if is_absent => sso_groups::groups(said, &wanted.claim),
        (named, _) => named,
    };
    match named {
        Some(named) => groups::apply(app, connection, email, &wanted, &named).await?,
        None => {
            tracing::warn!(connection = %connection.id, "the provider does not name the groups: they are too many")
        }
    }
    Ok(())
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

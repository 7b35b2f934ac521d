//! Sessions that a provider has opened, and signing out there.

use super::{
    super::{
        App, Result,
        sessions::{self, Opened, Opening, Secret, Through},
    },
    SignedIn, opened, provider, sign_out_uri, unavailable,
};
use crate::{
    domain::{
        scope::Scope,
        session::{How, ProviderSession, Session},
    },
    sso as protocol,
    store::{self, sso as store_sso},
};

/// Longer ID tokens are not kept: they would not fit into a URL.
const MAX_ID_TOKEN: usize = 4 << 10;

/// Opens a session, and keeps what signing out at the provider needs. `old` are the sessions of the browser.
pub async fn open_session(app: &App, signed_in: SignedIn, old: &[Secret]) -> Result<Opened> {
    let opening = Opening::new(app, old);
    let id_token = Some(&signed_in.id_token).filter(|token| token.len() <= MAX_ID_TOKEN);
    let seal = |token: &String| app.secrets.seal(&token_purpose(opening.secret()), token.as_bytes());
    let kept = ProviderSession {
        connection: signed_in.connection.id,
        sealed_id_token: id_token.map(seal).transpose()?,
    };
    let SignedIn { person, connection, authenticated_at, .. } = signed_in;
    let through = Through { connection, kept, authenticated_at };
    sessions::open_through(app, opening, person, through).await
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
    let return_uri = sign_out_uri(app.links.base());
    let address = protocol::sign_out_url(&provider, &connection.client_id, id_token.as_deref(), &return_uri);
    Ok(address.map(|address| SignOut { name: connection.name, address }))
}

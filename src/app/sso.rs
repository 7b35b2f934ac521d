//! Single sign-on: connections to the OpenID providers of institutions, and people who sign in through them (ADR 21).

mod connections;
mod groups;
mod session;
mod sign_in;

use std::sync::Arc;

pub use connections::{
    Change, New, Offered, Step, all, check, check_client, create, delete, find, offered, scope_words, test,
    update, version,
};
pub use groups::{Mapping, map_group, mapping, set_groups_claim, unmap_group};
pub use session::{SignOut, kept, open_session, sign_out};
pub use sign_in::{Callback, Refusal, Refused, SignedIn, finish, remove_expired, start};

use super::{Actor, App, Error, Result};
use crate::{
    domain::{
        ids::{InstitutionId, SsoConnectionId},
        sso::{Connection, RedirectPath},
    },
    sso::{self as protocol, Provider},
    store::sso as store_sso,
};

/// The URLs that an institution registers at its provider.
pub struct Registration {
    pub redirect_uri: String,
    pub sign_out_uri: String,
}

pub async fn registration(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    base_url: &str,
) -> Result<Registration> {
    actor.administer(institution)?;
    let redirect_uri = redirect_uri(app, institution, base_url).await?;
    Ok(Registration { redirect_uri, sign_out_uri: sign_out_uri(base_url) })
}

async fn redirect_uri(app: &App, institution: InstitutionId, base_url: &str) -> Result<String> {
    Ok(format!("{base_url}{}", redirect_path(app, institution).await?))
}

async fn redirect_path(app: &App, institution: InstitutionId) -> Result<RedirectPath> {
    Ok(RedirectPath::new(institution, store_sso::short_redirect(&mut app.db.read()).await?))
}

fn sign_out_uri(base_url: &str) -> String {
    format!("{base_url}/sign-in")
}

fn purpose(id: SsoConnectionId) -> String {
    format!("client secret of single sign-on connection {id}")
}

fn opened(app: &App, purpose: &str, sealed: &str) -> Result<String> {
    let plain = app.secrets.open(purpose, sealed).map_err(|error| Error::Unavailable(error.to_string()))?;
    String::from_utf8(plain).map_err(|_| Error::Internal("a secret that is not text".to_owned()))
}

async fn provider(app: &App, connection: &Connection) -> Result<Arc<Provider>, protocol::Error> {
    app.providers.get(&app.outbound, &connection.issuer, || app.clock.instant()).await
}

fn unavailable(error: protocol::Error) -> Error {
    Error::Unavailable(error.to_string())
}

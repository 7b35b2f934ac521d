//! The common part of all browser sessions. The name of a session is a 256-bit secret, of which the database has only the
//! digest. A session is bound to one browser, which proves its identity by another secret in a cookie, and it expires.
//!
//! Sessions of people who signed in (`Session`) are identified by the cookie alone. `lti/sessions.rs` has the sessions that LTI
//! launches open, which also have a name in the path.

use std::time::Duration;

use super::{
    App, Error, Missing, Result,
    audit::{self, Record},
};
use crate::{
    domain::{
        audit::Act,
        digest,
        moment::Moment,
        session::{How, PersonId, ProviderSession, Session},
        sso::Connection,
    },
    store::{Sql, consents, rolls, sessions, sign_ins, sso},
};

/// A session ends this long after its last use, and at the latest after `LIFE`. A session that was handed over to another device, or
/// opened by an invitation, is for making one recording.
const IDLE: Duration = Duration::from_secs(14 * 24 * 3_600);
const LIFE: Duration = Duration::from_secs(60 * 24 * 3_600);
const RESTRICTED_LIFE: Duration = Duration::from_secs(3_600);
/// Sessions that a person has at a time; older ones end.
const MOST: i64 = 50;
/// How precise the time of the last use is: a write for every request would be wasteful.
const TOUCH: Duration = Duration::from_secs(3_600);

/// The lifetime of the session cookie.
pub const fn cookie_seconds(how: How) -> i64 {
    let life = if how.is_restricted() { RESTRICTED_LIFE } else { LIFE };
    life.as_secs().cast_signed()
}

/// A session that has just been opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    pub secret: Secret,
    pub how: How,
    pub email_key: String,
}

/// How a person has proven who they are.
struct SignInProof {
    how: How,
    /// When they have proven it, if that is known.
    authenticated_at: Option<Moment>,
    /// Does the institution vouch that the person is one of its people?
    is_vouched: bool,
}

/// A session that is about to be opened. `insert` belongs in the transaction that spends what proves who the person is: if that
/// transaction fails, the proof can be used again.
#[derive(Clone)]
pub(super) struct Opening {
    secret: Secret,
    /// The digests of sessions of this browser, which end with it.
    old: Vec<String>,
    record: Record,
    now: Moment,
}

impl Opening {
    pub const fn secret(&self) -> &Secret {
        &self.secret
    }

    /// The secret is always new, whatever cookies the browser sent (session fixation). `old` are the sessions that it has.
    pub fn new(app: &App, old: &[Secret]) -> Self {
        Self {
            secret: Secret::generate(app),
            old: old.iter().map(Secret::digest).collect(),
            record: Record::of_sign_in(app, Act::SignInSucceeded),
            now: app.clock.now(),
        }
    }

    /// Opens the session. Somebody who was erased since they proved who they are, or must sign in through the provider by now, is
    /// `Missing::Participant`.
    ///
    /// It takes the institution's lock, as erasing a person does. A transaction that locks other rows first takes this lock before
    /// them.
    pub async fn insert(&self, sql: &mut Sql, person: PersonId, how: How) -> Result<Opened> {
        let authenticated_at = how.proves_at_opening().then_some(self.now);
        let proof = SignInProof { how, authenticated_at, is_vouched: how == How::Proxy };
        self.insert_proven(sql, person, proof).await
    }

    async fn insert_proven(&self, sql: &mut Sql, person: PersonId, proof: SignInProof) -> Result<Opened> {
        let now = self.now;
        let SignInProof { how, authenticated_at, is_vouched } = proof;
        rolls::lock(sql, person.institution).await?;
        if !sign_ins::may_sign_in(sql, &person, now).await? {
            return Err(Error::Missing(Missing::Participant));
        }
        // This may have been switched off since the code was entered. Doing so takes the lock, too, and so does giving a role.
        if how == How::Mail && !sign_ins::may_use_mail(sql, &person).await? {
            return Err(Error::Missing(Missing::Participant));
        }
        for old in &self.old {
            sessions::delete(sql, old).await?;
        }
        let life = if how.is_restricted() { RESTRICTED_LIFE } else { IDLE };
        let session = Session {
            person,
            how,
            created_at: now,
            last_used_at: now,
            expires_at: now.plus(life),
            authenticated_at,
            is_vouched,
        };
        let digest = self.secret.digest();
        sessions::insert(sql, &digest, &session).await?;
        if how != How::Invitation {
            consents::ask_again(sql, &session.person).await?;
        }
        sessions::keep_newest(sql, &digest, &session.person, MOST - 1, now).await?;
        sessions::delete_expired(sql, now).await?;
        audit::write(sql, &[self.record.clone().signing(&session.person, how.word())]).await?;
        Ok(Opened { secret: self.secret.clone(), how, email_key: session.person.email_key })
    }
}

/// Opens a session for a person whom something else has authenticated for this request. `old` are the sessions of the browser.
pub async fn open(app: &App, person: PersonId, how: How, old: &[Secret]) -> Result<Opened> {
    let opening = Opening::new(app, old);
    app.db.write::<_, Error>(move |sql| Box::pin(async move { opening.insert(sql, person, how).await })).await
}

/// The connection to a provider that has authenticated the person.
pub(super) struct Through {
    /// As it was when it accepted the person.
    pub connection: Connection,
    pub kept: ProviderSession,
    /// When the person has proven to the provider who they are, if it says so.
    pub authenticated_at: Option<Moment>,
}

/// Opens a session through a provider. If the connection was deleted or made stricter since it accepted the person, the result is
/// `Missing::SsoConnection`.
pub(super) async fn open_through(
    app: &App,
    opening: Opening,
    person: PersonId,
    through: Through,
) -> Result<Opened> {
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let Through { connection, kept, authenticated_at } = through;
                // Changing and deleting a connection take these two locks, too.
                rolls::lock(sql, person.institution).await?;
                let known = sso::lock(sql, person.institution, connection.id).await?;
                if known.is_none_or(|known| known.is_stricter_than(&connection)) {
                    return Err(Error::Missing(Missing::SsoConnection));
                }
                let is_vouched = connection.vouches();
                let proof = SignInProof { how: How::Oidc, authenticated_at, is_vouched };
                let opened = opening.insert_proven(sql, person, proof).await?;
                sessions::set_provider(sql, &opened.secret.digest(), &kept).await?;
                Ok(opened)
            })
        })
        .await
}

/// Removes expired sessions. Signing in does it, too, but there may be nobody who does.
pub async fn remove_expired(app: &App) -> Result<()> {
    let now = app.clock.now();
    // The read is cheap, and avoids occupying the database's single writer.
    if !sessions::any_expired(&mut app.db.read(), now).await? {
        return Ok(());
    }
    app.db
        .write::<_, Error>(move |sql| Box::pin(async move { Ok(sessions::delete_expired(sql, now).await?) }))
        .await
}

/// Finds the session of one of these cookies, and prolongs it.
pub async fn find(app: &App, cookies: &[&str]) -> Result<Option<(Secret, Session)>> {
    let now = app.clock.now();
    for secret in cookies.iter().filter_map(|text| Secret::parse(text)) {
        let digest = secret.digest();
        let Some(session) = sessions::find(&mut app.db.read(), &digest).await? else { continue };
        if session.expires_at <= now {
            continue;
        }
        if !session.how.is_restricted() && now >= session.last_used_at.plus(TOUCH) {
            let expires_at = now.plus(IDLE).min(session.created_at.plus(LIFE));
            let touched = app.db.write_bookkeeping::<_, Error>(move |sql| {
                Box::pin(async move { Ok(sessions::touch(sql, &digest, now, expires_at).await?) })
            });
            // It is valid, and prolonged at the next request.
            if let Err(error) = touched.await {
                tracing::warn!(%error, "a session could not be prolonged");
            }
        }
        return Ok(Some((secret, session)));
    }
    Ok(None)
}

/// Signs out in this browser.
pub async fn end(app: &App, secret: &Secret) -> Result<()> {
    let (digest, record) = (secret.digest(), Record::of_sign_in(app, Act::SignInEnded));
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let Some(session) = sessions::find(sql, &digest).await? else { return Ok(()) };
                sessions::delete(sql, &digest).await?;
                Ok(audit::write(sql, &[record.signing(&session.person, session.how.word())]).await?)
            })
        })
        .await
}

/// Signs out everywhere. Handover links that one of the sessions has made are void, too.
pub async fn end_all(app: &App, person: PersonId) -> Result<u64> {
    let record = Record::of_sign_in(app, Act::SignInEnded);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let ended = sessions::delete_all_of(sql, person.institution, &person.email_key).await?;
                sign_ins::delete_handovers(sql, &person).await?;
                audit::write(sql, &[record.signing(&person, audit::EVERYWHERE)]).await?;
                Ok(ended)
            })
        })
        .await
}

/// 256 random bits in hex: the name of a session, a browser's cookie, or a single-use link.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// Omits the secret, because it may get into a log.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    pub fn generate(app: &App) -> Self {
        Self(app.ids.hex() + &app.ids.hex())
    }

    /// Returns `None` for anything that `generate` cannot have made, to avoid a useless query.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == 64 && text.bytes().all(is_hex)).then(|| Self(text.to_owned()))
    }

    /// The digest that is stored. 256 random bits need no salt.
    pub fn digest(&self) -> String {
        digest::hex(&digest::of(&self.0))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// Finds the secret with this digest among the browser's cookies. Some browsers send several.
pub fn of_browser(cookies: &[&str], browser_digest: &str) -> Option<Secret> {
    cookies.iter().filter_map(|text| Secret::parse(text)).find(|secret| secret.digest() == browser_digest)
}

/// Returns the secret of this browser, if it may use a session.
pub fn opened_by(cookies: &[&str], browser_digest: &str, expires_at: Moment, now: Moment) -> Option<Secret> {
    of_browser(cookies, browser_digest).filter(|_| now < expires_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_open_in_its_own_browser_until_it_expires() {
        let (own, other) = ("0a".repeat(32), "0b".repeat(32));
        let digest = Secret::parse(&own).unwrap().digest();
        let at = Moment::from_micros;
        let is_open = |cookies: &[&str], now| opened_by(cookies, &digest, at(2), at(now)).is_some();
        assert!(is_open(&[&own], 1));
        assert!(is_open(&["x", &other, &own], 1), "one of several cookies");
        assert!(!is_open(&[&other], 1));
        assert!(!is_open(&[], 1));
        assert!(!is_open(&[&own], 2));
    }

    #[test]
    fn only_a_secret_of_our_making_is_parsed() {
        for text in ["", "0a", &"0A".repeat(32), &"0g".repeat(32), &"0a".repeat(33), &"é".repeat(32)] {
            assert!(Secret::parse(text).is_none(), "{text}");
        }
    }
}

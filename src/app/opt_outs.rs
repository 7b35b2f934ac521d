//! Stopping messages: every message but those for signing in has a link that stops all others of its institution. It needs no
//! session and never expires.

use super::{
    Actor, App, Error, Result,
    audit::{self, Record},
    institutions,
};
use crate::{
    domain::{
        audit::{Act, Who, WhoKind},
        email::email_key,
        ids::InstitutionId,
        institution::Institution,
        moment::Moment,
        session::PersonId,
    },
    store::{self, Sql, opt_outs},
};

/// What the token in a link is for.
const PURPOSE: &str = "unsubscribe";
/// In front of every sealed text. It is not part of the link.
const SEAL_PREFIX: &str = "v2:";
/// In links of older versions, no id of a key comes first.
const OLD_SEAL_PREFIX: &str = "v1:";
/// The longest token that is read: that of the longest address has about 500 characters.
const LONGEST_TOKEN: usize = 2_000;

/// Whose messages a link stops.
#[derive(Debug, Clone)]
pub struct Recipient {
    pub person: PersonId,
    pub institution: Institution,
    pub is_opted_out: bool,
}

pub async fn is_opted_out(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<bool> {
    Ok(opt_outs::exists(sql, institution, email_key).await?)
}

/// The address of the page that stops messages to a person. Institution and address are encrypted in it, so that nothing needs to be
/// stored, nobody else can make one, and logs of other systems do not reveal the address.
pub fn link(app: &App, base_url: &str, person: &PersonId) -> Result<String> {
    let sealed =
        app.secrets.seal(PURPOSE, format!("{} {}", person.institution, person.email_key).as_bytes())?;
    let token: String = sealed.trim_start_matches(SEAL_PREFIX).chars().filter_map(url_safe).collect();
    Ok(format!("{base_url}/u/{token}"))
}

/// Base64 without characters that have a meaning in a path.
const fn url_safe(c: char) -> Option<char> {
    match c {
        '+' => Some('-'),
        '/' => Some('_'),
        '=' => None,
        // Behind the id of the key.
        ':' => Some('.'),
        other => Some(other),
    }
}

/// The person in a token. `None` if it is not one of ours.
fn person_of(app: &App, token: &str) -> Option<PersonId> {
    let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if token.len() > LONGEST_TOKEN || !token.chars().all(is_token) {
        return None;
    }
    let (start, text) = match token.split_once('.') {
        Some((kid, text)) => (format!("{SEAL_PREFIX}{kid}:"), text),
        None => (OLD_SEAL_PREFIX.to_owned(), token),
    };
    let padding = "=".repeat((4 - text.len() % 4) % 4);
    let sealed = format!("{start}{}{padding}", text.replace('-', "+").replace('_', "/"));
    let plain = String::from_utf8(app.secrets.open(PURPOSE, &sealed).ok()?).ok()?;
    let (institution, email_key) = plain.split_once(' ')?;
    Some(PersonId { institution: institution.parse().ok()?, email_key: email_key.to_owned() })
}

/// Whose messages this link stops. `None` if the link is not one of ours, or if the institution is gone.
pub async fn find(app: &App, token: &str) -> Result<Option<Recipient>> {
    let Some(person) = person_of(app, token) else { return Ok(None) };
    let institution = match institutions::by_id(app, person.institution).await {
        Ok(institution) => institution,
        Err(Error::Missing(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let is_opted_out = opt_outs::exists(&mut app.db.read(), person.institution, &person.email_key).await?;
    Ok(Some(Recipient { person, institution, is_opted_out }))
}

/// Stops the messages. False if the link is not one of ours.
pub async fn opt_out(app: &App, token: &str) -> Result<bool> {
    let Some(Recipient { person, is_opted_out, .. }) = find(app, token).await? else { return Ok(false) };
    if is_opted_out {
        return Ok(true);
    }
    let (record, now) = (record(app, &person, Act::MailOptedOut), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| Box::pin(async move { stop(sql, &person, record, now).await }))
        .await?;
    Ok(true)
}

/// Whoever has the link acts for the person.
fn record(app: &App, person: &PersonId, act: Act) -> Record {
    let who = Who::named(WhoKind::Person, &person.email_key);
    Record::by(app, who, person.institution, act).of_person(person)
}

async fn stop(sql: &mut Sql, person: &PersonId, record: Record, now: Moment) -> Result<()> {
    // The institution may have been deleted since.
    if store::institutions::by_id(sql, person.institution).await?.is_some() {
        opt_outs::insert(sql, person, now).await?;
        audit::write(sql, &[record]).await?;
    }
    Ok(())
}

/// Lets the messages arrive again. False if the link is not one of ours.
pub async fn opt_in(app: &App, token: &str) -> Result<bool> {
    let Some(Recipient { person, is_opted_out, .. }) = find(app, token).await? else { return Ok(false) };
    if !is_opted_out {
        return Ok(true);
    }
    let record = record(app, &person, Act::MailOptedIn);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                opt_outs::delete(sql, &person).await?;
                Ok(audit::write(sql, &[record]).await?)
            })
        })
        .await?;
    Ok(true)
}

/// People of an institution who want no messages, in alphabetical order, behind this one. Managers see those on their pages.
pub async fn behind(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    behind: &str,
    most: i64,
) -> Result<Vec<(String, Moment)>> {
    let pages = actor.managed(institution)?;
    Ok(opt_outs::behind(&mut app.db.read(), institution, pages, behind, most).await?)
}

/// Lets messages to a person arrive again, because they have asked the institution for it.
pub async fn remove(app: &App, actor: &Actor, institution: InstitutionId, email: &str) -> Result<()> {
    actor.administer(institution)?;
    let person = PersonId { institution, email_key: email_key(email) };
    let record = Record::new(app, actor, institution, Act::MailOptedIn).of_person(&person);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                if opt_outs::exists(sql, institution, &person.email_key).await? {
                    opt_outs::delete(sql, &person).await?;
                    audit::write(sql, &[record]).await?;
                }
                Ok(())
            })
        })
        .await
}

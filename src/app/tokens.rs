//! Access tokens: creating, listing, rotating and revoking them, and how many requests they sent.

use std::{collections::HashMap, time::Duration};

use jiff::{ToSpan, civil::Date, tz::TimeZone};
use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Forbidden, Missing, Result,
    audit::{self, Record},
};
use crate::{
    domain::{
        access::{MAX_PAGES, TokenScope},
        audit::{Act, SubjectKind},
        digest,
        fault::{Field, SetupFault},
        ids::{InstitutionId, NamePageId, TokenId},
        member::Member,
        moment::Moment,
        name_page::NamePage,
        session::PersonId,
        token::{self, Maker, Token, TokenState},
    },
    store::{self, Sql, institutions, members, rolls, token_days, tokens, versions},
};

#[derive(Debug, Default)]
pub struct New {
    pub name: String,
    pub expires_in_days: Option<u32>,
    pub scope: TokenScope,
    /// The name pages that the token is limited to; `None` for all.
    pub pages: Option<Vec<NamePage>>,
    pub newest_only: bool,
    /// It gets the recordings of people with a directory hold.
    pub include_held: bool,
}

/// Creates a token without restrictions.
pub async fn create(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    name: String,
    days: Option<u32>,
) -> Result<(Token, String)> {
    create_with(app, actor, institution, New { name, expires_in_days: days, ..New::default() }).await
}

/// Creates a token. Returns its plaintext, which cannot be read again, because only the digest is stored.
pub async fn create_with(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    new: New,
) -> Result<(Token, String)> {
    actor.administer(institution)?;
    let New { name, expires_in_days: days, scope, pages, newest_only, include_held } = new;
    if let Some(fault) = token::name_fault(&name) {
        return Err(Error::invalid(Field::Name, fault));
    }
    let mut pages = pages;
    if let Some(pages) = &mut pages {
        pages.sort_by_key(|page| page.id);
        pages.dedup_by_key(|page| page.id);
        if pages.len() > MAX_PAGES {
            let fault = SetupFault::TooManyNamePages { most: MAX_PAGES };
            return Err(Error::invalid(Field::NamePages, fault));
        }
    }
    let slugs = pages.as_ref().map(|pages| {
        let mut slugs: Vec<String> = pages.iter().map(|page| page.slug.clone()).collect();
        slugs.sort();
        slugs
    });
    let pages: Option<Vec<NamePageId>> = pages.map(|pages| pages.iter().map(|page| page.id).collect());
    let now = app.clock.now();
    let secret = app.ids.access_token();
    let digest = digest::hex(&digest::of(&secret));
    let made = Token {
        id: app.ids.id(now),
        name,
        scope,
        pages: slugs,
        newest_only,
        include_held,
        maker: maker(actor),
        created_at: now,
        expires_at: days.map(|days| now.plus_days(i64::from(days))),
        revoked_at: None,
        last_used_at: None,
        replaced_by: None,
    };
    let record = Record::new(app, actor, institution, Act::TokenCreated);
    let record = record.about(SubjectKind::Token, made.id, &made.name).change(Json::Null, values(&made));
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                check_maker(sql, institution, &made.maker).await?;
                tokens::insert(sql, institution, &made, pages.as_deref(), &digest).await?;
                audit::write(sql, &[record]).await?;
                Ok((made, secret))
            })
        })
        .await
}

fn maker(actor: &Actor) -> Maker {
    let email_key = actor.person().map(|person| person.email_key.clone());
    Maker { name: Some(actor.signature()), email_key, has_left: false }
}

/// Whoever takes the role from a member is asked about the tokens that there are: a request of the member that is under way must not
/// add one.
async fn check_maker(sql: &mut Sql, institution: InstitutionId, maker: &Maker) -> Result<()> {
    let Some(email_key) = &maker.email_key else { return Ok(()) };
    rolls::lock(sql, institution).await?;
    let person = PersonId { institution, email_key: email_key.clone() };
    match members::find(sql, &person).await? {
        Some(member) if member.role.has_all_pages() => Ok(()),
        _ => Err(Error::Forbidden(Forbidden::Administration)),
    }
}

fn values(token: &Token) -> Json {
    json!({
        "name": token.name,
        "scope": token.scope.word(),
        "name_pages": token.pages,
        "newest_only": token.newest_only,
        "include_held": token.include_held.then_some(true),
        "expires_at": token.expires_at.map(shown),
    })
}

fn shown(at: Moment) -> String {
    at.shown_in(&TimeZone::UTC)
}

pub async fn all(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Vec<Token>> {
    actor.administer(institution)?;
    let sql = &mut app.db.read();
    let administrators = members::administrators(sql, institution).await?;
    let mut all = tokens::all(sql, institution).await?;
    for token in &mut all {
        token.maker.has_left =
            token.maker.email_key.as_ref().is_some_and(|email_key| !administrators.contains(email_key));
    }
    Ok(all)
}

/// The tokens that work and that this member has made.
pub async fn made_by(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    email_key: &str,
) -> Result<Vec<Token>> {
    actor.administer(institution)?;
    Ok(made_in(&mut app.db.read(), institution, email_key, app.clock.now()).await?)
}

async fn made_in(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    now: Moment,
) -> store::Result<Vec<Token>> {
    let mut all = tokens::all(sql, institution).await?;
    all.retain(|token| token.works(now) && token.maker.email_key.as_deref() == Some(email_key));
    Ok(all)
}

/// The tokens that a member leaves behind who administers the institution no more: `before` and `after` are what they were and are.
pub(super) async fn left_behind(
    sql: &mut Sql,
    before: Option<&Member>,
    after: Option<&Member>,
    now: Moment,
) -> Result<Vec<Token>> {
    let administers = |member: Option<&Member>| member.is_some_and(|member| member.role.has_all_pages());
    match before {
        Some(Member { person, .. }) if administers(before) && !administers(after) => {
            Ok(made_in(sql, person.institution, &person.email_key, now).await?)
        }
        _ => Ok(Vec::new()),
    }
}

/// What the log says of tokens that stay.
pub(super) fn kept(tokens: &[Token]) -> Json {
    let names: Vec<&str> = tokens.iter().map(|token| token.name.as_str()).collect();
    json!({ "tokens_kept": (!names.is_empty()).then_some(names) })
}

/// Revokes these in the transaction in which their maker leaves, and under the institution's lock. The caller ends it with
/// `versions::callers_changed`.
pub(super) async fn revoke_in(
    sql: &mut Sql,
    app: &App,
    record: &Record,
    tokens: &[Token],
    now: Moment,
) -> Result<()> {
    let mut records = Vec::with_capacity(tokens.len());
    for token in tokens {
        if tokens::revoke(sql, record.institution(), token.id, now).await? {
            let record = record.then(&app.ids, Act::TokenRevoked);
            records.push(record.about(SubjectKind::Token, token.id, &token.name));
        }
    }
    Ok(audit::write(sql, &records).await?)
}

pub async fn revoke(app: &App, actor: &Actor, institution: InstitutionId, id: TokenId) -> Result<()> {
    actor.administer(institution)?;
    let now = app.clock.now();
    let record = Record::new(app, actor, institution, Act::TokenRevoked);
    let revoked = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let revoked = tokens::revoke(sql, institution, id, now).await?;
                if revoked {
                    let name = tokens::name(sql, institution, id).await?.unwrap_or_default();
                    audit::write(sql, &[record.about(SubjectKind::Token, id, name)]).await?;
                    versions::callers_changed(sql).await?;
                }
                Ok(revoked)
            })
        })
        .await?;
    if revoked { Ok(()) } else { Err(Error::Missing(Missing::Token)) }
}

pub async fn find(app: &App, actor: &Actor, institution: InstitutionId, id: TokenId) -> Result<Token> {
    let found = all(app, actor, institution).await?.into_iter().find(|token| token.id == id);
    found.ok_or(Error::Missing(Missing::Token))
}

/// The longest time for which both secrets work after a rotation.
pub const MAX_OVERLAP: Duration = Duration::from_secs(30 * 86_400);

/// Makes a token that replaces an active one: with the same name, permissions and lifetime, and a new secret, which is returned. The
/// old one goes on working for a while, so that its users can change theirs one after the other.
pub async fn rotate(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: TokenId,
    overlap: Duration,
) -> Result<(Token, String)> {
    actor.administer(institution)?;
    let (now, secret) = (app.clock.now(), app.ids.access_token());
    let (new_id, digest) = (app.ids.id(now), digest::hex(&digest::of(&secret)));
    let maker = maker(actor);
    let rotated = Record::new(app, actor, institution, Act::TokenRotated);
    let created = rotated.then(&app.ids, Act::TokenCreated);
    let made = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // Whoever deletes or merges a page changes the pages of tokens under this lock.
                rolls::lock(sql, institution).await?;
                check_maker(sql, institution, &maker).await?;
                let all = tokens::all(sql, institution).await?;
                let old = all.into_iter().find(|token| token.id == id);
                let old = old.filter(|old| old.state(now) == TokenState::Active);
                let old = old.ok_or(Error::Missing(Missing::Token))?;
                let end = now.plus(overlap.min(MAX_OVERLAP));
                let end = old.expires_at.map_or(end, |expires_at| expires_at.min(end));
                let before = values(&old);
                let made = Token {
                    id: new_id,
                    // Nobody else has the new secret.
                    maker,
                    created_at: now,
                    expires_at: old.expires_at.map(|end| now.plus(end.since(old.created_at))),
                    last_used_at: None,
                    ..old
                };
                // Those of the old one are copied.
                let pages = made.pages.is_some().then(<&[NamePageId]>::default);
                tokens::insert(sql, institution, &made, pages, &digest).await?;
                tokens::copy_pages(sql, institution, (id, new_id)).await?;
                if !tokens::replace(sql, institution, id, (new_id, end)).await? {
                    return Err(Error::Missing(Missing::Token));
                }
                let ended = json!({ "expires_at": shown(end), "replaced_by": new_id.to_string() });
                let after = audit::with(before.clone(), ended);
                let rotated = rotated.about(SubjectKind::Token, id, &made.name).change(before, after);
                let created = created.about(SubjectKind::Token, new_id, &made.name);
                audit::write(sql, &[rotated, created.change(Json::Null, values(&made))]).await?;
                versions::callers_changed(sql).await?;
                Ok(made)
            })
        })
        .await?;
    Ok((made, secret))
}

/// A token that expires within this time needs attention.
pub const EXPIRES_SOON: Duration = Duration::from_secs(14 * 86_400);

/// The tokens that stop working soon, and which nobody has replaced yet.
pub async fn expiring(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Vec<Token>> {
    let now = app.clock.now();
    let all = all(app, actor, institution).await?;
    Ok(all.into_iter().filter(|token| token.expires_within(EXPIRES_SOON, now)).collect())
}

/// How many days of requests are shown, today included.
pub const SHOWN_DAYS: usize = 30;

/// The first of these days, and today, in the institution's time zone.
async fn shown_days(app: &App, institution: InstitutionId) -> Result<(Date, Date)> {
    let owner = institutions::by_id(&mut app.db.read(), institution).await?;
    let zone = owner.ok_or(Error::Missing(Missing::Institution))?.time_zone;
    let today = app.clock.now().date_in(&zone);
    Ok((today.saturating_sub((SHOWN_DAYS as i64 - 1).days()), today))
}

/// How many requests each token sent in the last days. Tokens without any are left out.
pub async fn requests(app: &App, actor: &Actor, institution: InstitutionId) -> Result<HashMap<TokenId, u64>> {
    actor.administer(institution)?;
    let (since, _) = shown_days(app, institution).await?;
    Ok(token_days::sums(&mut app.db.read(), institution, since).await?.into_iter().collect())
}

/// How many requests a token sent on each of the last days, the oldest first.
pub async fn requests_by_day(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: TokenId,
) -> Result<Vec<(Date, u64)>> {
    actor.administer(institution)?;
    let (since, today) = shown_days(app, institution).await?;
    let counted = token_days::of(&mut app.db.read(), institution, id, since).await?;
    let counted: HashMap<Date, u64> = counted.into_iter().collect();
    let days = since.series(1.day()).take_while(|day| *day <= today);
    Ok(days.map(|day| (day, counted.get(&day).copied().unwrap_or(0))).collect())
}

/// How many days counts of requests are kept.
const RETENTION_DAYS: i64 = 90;

pub(super) async fn remove_old(app: &App) -> Result<()> {
    let before = app.clock.now().date_in(&TimeZone::UTC).saturating_sub(RETENTION_DAYS.days());
    // The read is cheap, and avoids occupying the database's single writer.
    if !token_days::any_before(&mut app.db.read(), before).await? {
        return Ok(());
    }
    let removed = app
        .db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move { Ok(token_days::delete_before(sql, before).await?) })
        })
        .await?;
    tracing::info!(removed, "old counts of requests were removed");
    Ok(())
}

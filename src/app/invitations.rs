//! Invitations to a name page: personal links that lead straight to the recorder, and reminders to those who have not recorded.
//!
//! A link is the id of the invitation and a keyed digest of its generation, so nothing secret is stored. It is no session: whoever
//! opens it sees whom it is for, and only pressing the button changes something, because mail scanners open links.

use std::time::Duration;

use subtle::ConstantTimeEq;

use super::{Actor, App, Error, Missing, Result, consents, outbox, participants};
use crate::{
    domain::{
        access::{Access, TokenScope},
        address_list::Invitee,
        email::Email,
        fault::{Fault, Field, SetupFault},
        ids::{InstitutionId, InvitationId, NamePageId},
        institution::Institution,
        invitation::{
            Facts, Invitation, InvitationState, LIFE_DAYS, LinkToken, MOST_REMINDERS, PROOF_LENGTH,
            PageTimes, REMINDER_PAUSE, Reminding, local_zone, morning,
        },
        language::Language,
        message::Message,
        moment::Moment,
        name_page::{NamePage, NamePageRef},
        participant::{Draft, Given, LegalNames, Raw, Source},
        session::PersonId,
    },
    store::{
        self, Sql, institutions,
        invitations::{self, Due, Guest},
        languages, name_pages, rolls,
    },
};

#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How long a link is valid.
    pub life: Duration,
    /// How long one request of the managers' page invites people: a proxy gives up on those that take long, and then nobody sees the
    /// report.
    pub part: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { life: Duration::from_secs(LIFE_DAYS * 24 * 3_600), part: Duration::from_secs(10) }
    }
}

/// How people get their links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    Mail,
    /// The caller hands them out. Nobody is reminded by mail.
    Links,
}

/// How people are invited.
#[derive(Debug, Clone)]
pub struct Terms {
    pub delivery: Delivery,
    /// Whether those who do not record are reminded.
    pub reminders: bool,
    /// For people who have not chosen a language; `None` for the institution's.
    pub language: Option<Language>,
    pub life: Duration,
    /// What the links start with.
    pub base_url: String,
}

impl Terms {
    /// By mail if this process can send it, for as long as the settings say, with reminders.
    pub fn of(app: &App) -> Self {
        Self {
            delivery: if app.mail.is_configured() { Delivery::Mail } else { Delivery::Links },
            reminders: true,
            language: None,
            life: app.invitations.life,
            base_url: app.links.base().to_owned(),
        }
    }

    fn first_reminder(&self, institution: &Institution, id: InvitationId, now: Moment) -> Option<Moment> {
        let is_reminded = self.reminders && self.delivery == Delivery::Mail;
        is_reminded.then(|| morning(now.plus(REMINDER_PAUSE), &institution.time_zone, id))
    }
}

/// What has become of a list of addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Invited now, for the first time or again.
    pub invited: u64,
    /// Have a valid invitation already, and were not written to again.
    pub already: u64,
    /// Have recorded already.
    pub recorded: u64,
    /// Want no mail of the institution.
    pub opted_out: u64,
    /// A mail server has rejected the address for good.
    pub bounced: u64,
    /// With `Delivery::Links`: email and link of everybody whose invitation is valid, also of those who had one.
    pub links: Vec<(String, String)>,
}

impl Report {
    fn add(&mut self, other: Self) {
        self.invited += other.invited;
        self.already += other.already;
        self.recorded += other.recorded;
        self.opted_out += other.opted_out;
        self.bounced += other.bounced;
        self.links.extend(other.links);
    }
}

/// People in one transaction: others write in between.
const BATCH: usize = 100;

/// Finds the page, if the actor may run it.
async fn managed(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
) -> Result<NamePage> {
    let found = name_pages::find(&mut app.db.read(), institution, page).await?;
    let Some(found) = found else {
        actor.administer(institution)?;
        return Err(Error::Missing(Missing::NamePage));
    };
    actor.manage(institution, found.id)?;
    Ok(found)
}

/// Invites these people. Whoever has a valid invitation, or has recorded, is not written to again.
pub async fn invite(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    invitees: Vec<Invitee>,
    terms: &Terms,
) -> Result<Report> {
    let (report, _) =
        invite_part(app, actor, institution, page, &invitees, terms, (0, Duration::MAX)).await?;
    Ok(report)
}

/// `invite` for somebody who waits for the response: leaves out the first ones of the list, and ends after about this time. Returns how
/// many of the list are done, if there are more.
pub async fn invite_part(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    invitees: &[Invitee],
    terms: &Terms,
    (after, time): (usize, Duration),
) -> Result<(Report, Option<usize>)> {
    let page = managed(app, actor, institution, page).await?.id;
    let (mut report, mut done, started) = (Report::default(), after, app.clock.instant());
    let mut next = None;
    for batch in invitees.get(after..).unwrap_or_default().chunks(BATCH) {
        // Every part gets a little further.
        if done != after && app.clock.instant().saturating_duration_since(started) >= time {
            next = Some(done);
            break;
        }
        report.add(invite_batch(app, institution, page, batch.to_vec(), terms.clone()).await?);
        done += batch.len();
    }
    app.queue.wake();
    Ok((report, next))
}

/// Invites everybody on the page who has an address and no recording.
pub async fn invite_unrecorded(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    terms: &Terms,
) -> Result<Report> {
    let page = managed(app, actor, institution, page).await?.id;
    let (report, _) = unrecorded(app, institution, page, terms, (None, Duration::MAX)).await?;
    Ok(report)
}

/// `invite_unrecorded` for somebody who waits for the response: begins behind a place on the page, and ends after about this time.
/// Returns the place to continue from, if there are more people.
pub async fn invite_unrecorded_part(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    terms: &Terms,
    part: (Option<i64>, Duration),
) -> Result<(Report, Option<i64>)> {
    let page = managed(app, actor, institution, page).await?.id;
    unrecorded(app, institution, page, terms, part).await
}

async fn unrecorded(
    app: &App,
    institution: InstitutionId,
    page: NamePageId,
    terms: &Terms,
    (after, time): (Option<i64>, Duration),
) -> Result<(Report, Option<i64>)> {
    let (start, started) = (after.unwrap_or(-1), app.clock.instant());
    let (mut report, mut after) = (Report::default(), start);
    let next = loop {
        let count = BATCH as i64;
        let found = invitations::unrecorded(&mut app.db.read(), institution, page, after, count).await?;
        let Some(last) = found.last() else { break None };
        // Every part gets a little further.
        if after != start && app.clock.instant().saturating_duration_since(started) >= time {
            break Some(after);
        }
        after = last.place;
        let invitee = |one: invitations::Unrecorded| {
            let email = Email::parse(&one.email)?;
            Some(Invitee { email, first_name: one.first_name, last_name: one.last_name })
        };
        let batch = found.into_iter().filter_map(invitee).collect();
        report.add(invite_batch(app, institution, page, batch, terms.clone()).await?);
    };
    app.queue.wake();
    Ok((report, next))
}

async fn invite_batch(
    app: &App,
    institution: InstitutionId,
    page: NamePageId,
    batch: Vec<Invitee>,
    terms: Terms,
) -> Result<Report> {
    let (now, owned_app) = (app.clock.now(), app.clone());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                check_open(sql, institution, page, now).await?;
                let owner = institutions::by_id(sql, institution).await?;
                let owner = owner.ok_or(Error::Missing(Missing::Institution))?;
                let keys: Vec<&str> = batch.iter().map(|one| one.email.key()).collect();
                let facts = invitations::facts_of(sql, institution, page, &keys).await?;
                let mut known = invitations::of_addresses(sql, institution, page, &keys).await?;
                let (mut report, mut added) = (Report::default(), 0);
                for invitee in &batch {
                    // Whoever has the mailbox of a lookalike must not become the person whose address it resembles.
                    if invitee.email.is_lookalike() {
                        continue;
                    }
                    let key = invitee.email.key();
                    if is_left_out(facts.get(key).copied().unwrap_or_default(), &terms, &mut report) {
                        continue;
                    }
                    let old = known.remove(key);
                    added += i64::from(old.is_none());
                    let app = &owned_app;
                    let invited = invite_one(sql, app, &owner, page, invitee, old, &terms, now, &mut report);
                    // The list may have the address again.
                    known.insert(key.to_owned(), invited.await?);
                }
                if added > 0 {
                    store::coverage::invited(sql, institution, page, added).await?;
                }
                Ok(report)
            })
        })
        .await
}

/// A page that is archived or closed takes no recordings.
async fn check_open(sql: &mut Sql, institution: InstitutionId, page: NamePageId, now: Moment) -> Result<()> {
    let times = invitations::page_times(sql, institution, page).await?;
    let times = times.ok_or(Error::Missing(Missing::NamePage))?;
    if times.is_open(now) { Ok(()) } else { Err(not_open(times)) }
}

fn not_open(times: PageTimes) -> Error {
    match times.archived_at {
        Some(_) => Error::invalid(Field::Parameter("name page"), SetupFault::Archived),
        None => Error::invalid(Field::Parameter("invitation"), Fault::Closed),
    }
}

/// Counts somebody who is not invited, and returns true.
fn is_left_out(facts: Facts, terms: &Terms, report: &mut Report) -> bool {
    match InvitationState::of(facts) {
        InvitationState::Recorded => report.recorded += 1,
        InvitationState::OptedOut => report.opted_out += 1,
        InvitationState::Bounced if terms.delivery == Delivery::Mail => report.bounced += 1,
        InvitationState::Bounced
        | InvitationState::Registered
        | InvitationState::Opened
        | InvitationState::Invited => return false,
    }
    true
}

/// Returns the invitation that is valid from now on. The caller counts new ones.
#[allow(clippy::too_many_arguments)]
async fn invite_one(
    sql: &mut Sql,
    app: &App,
    owner: &Institution,
    page: NamePageId,
    invitee: &Invitee,
    known: Option<Invitation>,
    terms: &Terms,
    now: Moment,
    report: &mut Report,
) -> Result<Invitation> {
    let is_mailed = terms.delivery == Delivery::Mail;
    let is_lost = match &known {
        Some(known) if is_mailed => is_lost(sql, known, now).await?,
        Some(_) | None => false,
    };
    let invitation = match known {
        Some(valid) if valid.is_valid(now) && !is_lost && (!is_mailed || valid.sent_at.is_some()) => {
            report.already += 1;
            valid
        }
        // Only its link was handed out so far.
        Some(valid) if valid.is_valid(now) && !is_lost => {
            let sent = Invitation {
                sent_at: Some(now),
                next_reminder_at: terms.first_reminder(owner, valid.id, now),
                ..valid
            };
            report.invited += 1;
            send(sql, app, sent, false, now).await?
        }
        Some(old) => {
            report.invited += 1;
            renew(sql, app, owner, Some(invitee), old, terms, now).await?
        }
        None => {
            let new = new_invitation(app.ids.id(now), owner, page, invitee, terms, now);
            // The institution's lock is held, so there is no other.
            invitations::insert(sql, &new).await?;
            report.invited += 1;
            if is_mailed {
                enqueue(sql, app, &new, now).await?;
            }
            new
        }
    };
    if !is_mailed {
        report
            .links
            .push((invitation.email.clone(), format!("{}{}", terms.base_url, path(app, &invitation)?)));
    }
    Ok(invitation)
}

/// Has the message of this invitation not been delivered? Of messages that are no longer kept, this is unknown.
async fn is_lost(sql: &mut Sql, invitation: &Invitation, now: Moment) -> Result<bool> {
    let Some(sent_at) = invitation.sent_at else { return Ok(false) };
    let Some(occasion) = message(invitation).occasion() else { return Ok(false) };
    if invitation.opened_at.is_some() {
        return Ok(false);
    }
    let found = store::outbox::about(sql, invitation.institution, &occasion).await?;
    // Without a worker, messages are deleted when they have expired; others were discarded because the page was closed.
    Ok(found.map_or(now < sent_at.plus(outbox::RETENTION), |found| found.is_lost(now)))
}

fn new_invitation(
    id: InvitationId,
    owner: &Institution,
    page: NamePageId,
    invitee: &Invitee,
    terms: &Terms,
    now: Moment,
) -> Invitation {
    Invitation {
        institution: owner.id,
        id,
        page,
        email: invitee.email.as_given().to_owned(),
        email_key: invitee.email.key().to_owned(),
        first_name: invitee.first_name.clone(),
        last_name: invitee.last_name.clone(),
        language: terms.language,
        generation: 1,
        base_url: terms.base_url.clone(),
        created_at: now,
        expires_at: now.plus(terms.life),
        sent_at: (terms.delivery == Delivery::Mail).then_some(now),
        opened_at: None,
        registered_at: None,
        withdrawn_at: None,
        reminders: 0,
        reminded_at: None,
        next_reminder_at: terms.first_reminder(owner, id, now),
    }
}

/// Invites somebody again: with another link, which voids those before it.
async fn renew(
    sql: &mut Sql,
    app: &App,
    owner: &Institution,
    invitee: Option<&Invitee>,
    old: Invitation,
    terms: &Terms,
    now: Moment,
) -> Result<Invitation> {
    let was_withdrawn = old.withdrawn_at.is_some();
    let (mut first_name, mut last_name) = (old.first_name.clone(), old.last_name.clone());
    if let Some(invitee) = invitee.filter(|one| one.first_name.is_some() || one.last_name.is_some()) {
        (first_name, last_name) = (invitee.first_name.clone(), invitee.last_name.clone());
    }
    let is_mailed = terms.delivery == Delivery::Mail;
    let new = Invitation {
        first_name,
        last_name,
        language: terms.language.or(old.language),
        generation: old.generation + 1,
        base_url: terms.base_url.clone(),
        created_at: now,
        expires_at: now.plus(terms.life),
        sent_at: is_mailed.then_some(now),
        opened_at: None,
        registered_at: None,
        withdrawn_at: None,
        reminders: 0,
        reminded_at: None,
        next_reminder_at: terms.first_reminder(owner, old.id, now),
        ..old
    };
    if is_mailed {
        return send(sql, app, new, was_withdrawn, now).await;
    }
    invitations::update(sql, &new, was_withdrawn).await?;
    Ok(new)
}

/// Writes the invitation, and the message in the same transaction.
async fn send(
    sql: &mut Sql,
    app: &App,
    invitation: Invitation,
    was_withdrawn: bool,
    now: Moment,
) -> Result<Invitation> {
    invitations::update(sql, &invitation, was_withdrawn).await?;
    enqueue(sql, app, &invitation, now).await?;
    Ok(invitation)
}

async fn enqueue(sql: &mut Sql, app: &App, invitation: &Invitation, now: Moment) -> Result<()> {
    let (institution, message) = (Some(invitation.institution), message(invitation));
    outbox::enqueue(sql, &app.ids, institution, address(invitation)?, message, now).await.map(|_| ())
}

fn message(invitation: &Invitation) -> Message {
    let (generation, base_url) = (invitation.generation, invitation.base_url.clone());
    Message::Invitation { invitation: invitation.id, generation, base_url }
}

fn address(invitation: &Invitation) -> Result<Email> {
    Email::parse(&invitation.email)
        .ok_or_else(|| Error::Internal(format!("the address of invitation {} is unreadable", invitation.id)))
}

/// The path of the personal link.
fn path(app: &App, invitation: &Invitation) -> Result<String> {
    let Invitation { institution, id, generation, .. } = invitation;
    let proof = proof(app, *institution, *id, *generation)?;
    Ok(format!("/i/{}", LinkToken { id: *id, proof }))
}

fn proof(app: &App, institution: InstitutionId, id: InvitationId, generation: i64) -> Result<String> {
    let claim = LinkToken::claim(institution, id, generation);
    let mut proof = app.secrets.digest("invitation", &claim)?;
    proof.truncate(PROOF_LENGTH);
    Ok(proof)
}

/// Voids the link. Whoever has registered stays registered.
pub async fn withdraw(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    id: InvitationId,
) -> Result<()> {
    let (page, now) = (managed(app, actor, institution, page).await?.id, app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let old = on_page(sql, institution, page, id).await?;
                if old.withdrawn_at.is_some() {
                    return Ok(());
                }
                let withdrawn = Invitation { withdrawn_at: Some(now), next_reminder_at: None, ..old };
                Ok(invitations::update(sql, &withdrawn, false).await?)
            })
        })
        .await
}

async fn on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    id: InvitationId,
) -> Result<Invitation> {
    let found = invitations::find(sql, institution, id).await?;
    found.filter(|found| found.page == page).ok_or(Error::Missing(Missing::Invitation))
}

/// What has become of an invitation that was to be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resent {
    Sent,
    /// They have recorded, or want no mail.
    Unwanted,
    /// It was sent again less than a minute ago, as by a double click.
    JustSent,
}

/// The least time between two resends.
const RESEND_PAUSE: Duration = Duration::from_secs(60);

/// Invites somebody again, with another link; an address that had been rejected gets another chance. Whoever was invited without
/// reminders gets none this time, either.
pub async fn resend(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    id: InvitationId,
    terms: &Terms,
) -> Result<Resent> {
    let (page, now) = (managed(app, actor, institution, page).await?.id, app.clock.now());
    let (owned_app, terms) = (app.clone(), terms.clone());
    let sent = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                check_open(sql, institution, page, now).await?;
                let old = on_page(sql, institution, page, id).await?;
                let facts = invitations::facts(sql, institution, page, &old.email_key).await?;
                if facts.is_recorded || facts.is_opted_out {
                    return Ok(Resent::Unwanted);
                }
                let is_withdrawn = old.withdrawn_at.is_some();
                if old.generation > 1 && !is_withdrawn && now < old.created_at.plus(RESEND_PAUSE) {
                    return Ok(Resent::JustSent);
                }
                // A link that was only handed out, and a withdrawn one, have no next reminder in any case.
                let is_mailed = old.sent_at.is_some() && !is_withdrawn;
                let is_reminded = !is_mailed || old.reminders > 0 || old.next_reminder_at.is_some();
                let terms = Terms { reminders: terms.reminders && is_reminded, ..terms };
                invitations::forget_bounce(sql, institution, &old.email_key).await?;
                let owner = institutions::by_id(sql, institution).await?;
                let owner = owner.ok_or(Error::Missing(Missing::Institution))?;
                renew(sql, &owned_app, &owner, None, old, &terms, now).await?;
                Ok(Resent::Sent)
            })
        })
        .await?;
    app.queue.wake();
    Ok(sent)
}

/// Where a part of the list begins: invited people come first, the newest first, then those who are on the page without an
/// invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cursor {
    #[default]
    Start,
    /// After this invitation.
    Invited(InvitationId),
    /// After this place on the page's roll.
    Uninvited(i64),
}

impl Cursor {
    /// Anything else is the start.
    pub fn parse(text: &str) -> Self {
        let number = |rest: &str| rest.parse::<i64>().ok();
        match (text.strip_prefix('i').and_then(number), text.strip_prefix('p').and_then(number)) {
            (Some(id), _) => Self::Invited(InvitationId::new(id)),
            (_, Some(place)) => Self::Uninvited(place),
            (None, None) => Self::Start,
        }
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Start => Ok(()),
            Self::Invited(id) => write!(f, "i{id}"),
            Self::Uninvited(place) => write!(f, "p{place}"),
        }
    }
}

/// Somebody in the list.
#[derive(Debug, Clone)]
pub struct Listed {
    pub guest: Guest,
    pub state: InvitationState,
    /// The personal link, while it is valid.
    pub link: Option<String>,
}

impl Listed {
    pub fn is_withdrawn(&self) -> bool {
        self.guest.invitation.as_ref().is_some_and(|invitation| invitation.withdrawn_at.is_some())
    }

    pub fn is_expired(&self) -> bool {
        self.guest.invitation.is_some() && self.link.is_none() && !self.is_withdrawn()
    }

    pub fn name(&self) -> String {
        let parts = [&self.guest.first_name, &self.guest.last_name];
        parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
    }
}

#[derive(Debug, Default)]
pub struct Listing {
    pub people: Vec<Listed>,
    /// Where the next part begins, if there is one.
    pub next: Option<Cursor>,
}

/// Rows that are read at a time to find those in a state.
const READ: i64 = 500;

/// The people of a page with their states: all, or those in one state.
pub async fn all(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    state: Option<InvitationState>,
    (from, most): (Cursor, usize),
) -> Result<Listing> {
    let page = managed(app, actor, institution, page).await?.id;
    let now = app.clock.now();
    let (mut listing, mut at, sql) = (Listing::default(), from, &mut app.db.read());
    loop {
        let found = match at {
            Cursor::Start | Cursor::Invited(_) => {
                let before = match at {
                    Cursor::Invited(id) => id,
                    Cursor::Start | Cursor::Uninvited(_) => InvitationId::new(i64::MAX),
                };
                invitations::invited(sql, institution, page, before, READ).await?
            }
            Cursor::Uninvited(place) => invitations::uninvited(sql, institution, page, place, READ).await?,
        };
        let is_end = found.len() < usize::try_from(READ).unwrap_or(usize::MAX);
        for guest in found {
            let its = InvitationState::of(guest.facts);
            if state.is_none_or(|state| state == its) {
                if listing.people.len() == most {
                    listing.next = Some(at);
                    return Ok(listing);
                }
                at = cursor_of(&guest);
                listing.people.push(listed(app, guest, its, now)?);
            } else {
                at = cursor_of(&guest);
            }
        }
        match at {
            Cursor::Uninvited(_) if is_end => return Ok(listing),
            Cursor::Start | Cursor::Invited(_) if is_end => at = Cursor::Uninvited(-1),
            Cursor::Start | Cursor::Invited(_) | Cursor::Uninvited(_) => {}
        }
    }
}

fn cursor_of(guest: &Guest) -> Cursor {
    guest.invitation.as_ref().map_or(Cursor::Uninvited(guest.place), |one| Cursor::Invited(one.id))
}

fn listed(app: &App, guest: Guest, state: InvitationState, now: Moment) -> Result<Listed> {
    let link = match guest.invitation.as_ref().filter(|one| one.is_valid(now)) {
        Some(valid) => {
            let base = if app.links.base().is_empty() { &valid.base_url } else { app.links.base() };
            Some(format!("{base}{}", path(app, valid)?))
        }
        None => None,
    };
    Ok(Listed { guest, state, link })
}

/// An invitation as its recipient sees it.
pub struct Opened {
    pub invitation: Invitation,
    pub institution: Institution,
    pub page: NamePage,
    pub times: PageTimes,
    pub facts: Facts,
    /// The name under which they are registered, if they are.
    pub registered_as: Option<String>,
    pub consent: consents::ConsentState,
}

impl Opened {
    pub fn person(&self) -> PersonId {
        let email_key = self.invitation.email_key.clone();
        PersonId { institution: self.institution.id, email_key }
    }
}

/// What a link is for. Unknown, withdrawn, replaced and expired links are `None`: which, is not said. Reading changes nothing,
/// because mail scanners open links.
pub async fn open(app: &App, token: &str) -> Result<Option<Opened>> {
    let Some(invitation) = valid(app, token).await? else { return Ok(None) };
    let (institution, sql) = (invitation.institution, &mut app.db.read());
    let owner = institutions::by_id(sql, institution).await?;
    let page = page_by_id(sql, institution, invitation.page).await?;
    let times = invitations::page_times(sql, institution, invitation.page).await?;
    let (Some(owner), Some(page), Some(times)) = (owner, page, times) else { return Ok(None) };
    let facts = invitations::facts(sql, institution, invitation.page, &invitation.email_key).await?;
    let registered_as = match facts.is_registered {
        true => {
            let found = participants::registered(sql, institution, page.id, &invitation.email_key).await?;
            Some(found.full_name())
        }
        false => None,
    };
    let person = PersonId { institution, email_key: invitation.email_key.clone() };
    let consent = consents::of_person(app, &Actor::Person(person.clone()), &person).await?;
    Ok(Some(Opened { invitation, institution: owner, page, times, facts, registered_as, consent }))
}

async fn valid(app: &App, token: &str) -> Result<Option<Invitation>> {
    let Some(token) = LinkToken::parse(token) else { return Ok(None) };
    let now = app.clock.now();
    for one in invitations::by_id(&mut app.db.read(), token.id).await? {
        let expected = proof(app, one.institution, one.id, one.generation)?;
        if bool::from(expected.as_bytes().ct_eq(token.proof.as_bytes())) {
            return Ok(Some(one).filter(|one| one.is_valid(now)));
        }
    }
    Ok(None)
}

async fn page_by_id(sql: &mut Sql, institution: InstitutionId, id: NamePageId) -> Result<Option<NamePage>> {
    match NamePageRef::parse(&id.to_string()) {
        Some(reference) => Ok(name_pages::find(sql, institution, &reference).await?),
        None => Ok(None),
    }
}

/// The language of the recipient: their own, or that of the invitation.
pub async fn language(app: &App, invitation: &Invitation) -> Result<Option<Language>> {
    let (institution, email_key) = (invitation.institution, invitation.email_key.clone());
    let settings = languages::find(&mut app.db.read(), &PersonId { institution, email_key }).await?;
    Ok(settings.personal.or(invitation.language))
}

/// Notes that the recipient has seen the page. False if the link is not valid.
pub async fn note_opened(app: &App, token: &str) -> Result<bool> {
    let Some(invitation) = valid(app, token).await? else { return Ok(false) };
    if invitation.opened_at.is_some() {
        return Ok(true);
    }
    let now = app.clock.now();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(
                async move { Ok(invitations::open(sql, invitation.institution, invitation.id, now).await?) },
            )
        })
        .await?;
    Ok(true)
}

/// What somebody enters who accepts an invitation.
#[derive(Debug, Clone)]
pub struct Acceptance {
    pub first_name: String,
    pub last_name: String,
    /// The version of the text about recordings that they agree to, and the language in which they have read it.
    pub agreed: Option<(String, Language)>,
}

/// Only the name: the rest of the entry follows on its own page.
impl Source for Acceptance {
    fn get(&self, key: &str) -> Raw<'_> {
        match key {
            "first_name" => Raw::Text(self.first_name.trim().into()),
            "last_name" => Raw::Text(self.last_name.trim().into()),
            _ => Raw::Absent,
        }
    }

    fn custom(&self) -> Vec<(String, Raw<'_>)> {
        Vec::new()
    }
}

/// Registers the recipient if they are not registered, and notes their agreement. Returns who they are, and the slug of the page.
/// `None` if the link is not valid. Without the agreement, or with that to another version, the result is `Fault::NoConsent`.
pub async fn accept(app: &App, token: &str, accepted: Acceptance) -> Result<Option<(PersonId, String)>> {
    let Some(opened) = open(app, token).await? else { return Ok(None) };
    let (institution, person) = (opened.institution.id, opened.person());
    if !opened.times.is_open(app.clock.now()) {
        return Err(not_open(opened.times));
    }
    let agreed = match (&opened.consent.given, &accepted.agreed) {
        (Some(_), _) => None,
        (None, Some((version, language))) if *version == opened.consent.text.version => {
            Some((version.clone(), *language))
        }
        (None, _) => return Err(Error::invalid(Field::ConsentText, Fault::NoConsent)),
    };
    if !opened.facts.is_registered {
        let draft = Draft {
            email: Given::Set(address(&opened.invitation)?),
            ..Draft::read(&accepted, LegalNames::Ignored)
        };
        let page = NamePageRef::parse(&opened.page.id.to_string());
        let page = page.ok_or(Error::Missing(Missing::NamePage))?;
        // Managers have this link, too. So it reaches this page alone: the entry starts without a recording from another one.
        let access = Access::new(institution, TokenScope::Write, Some(vec![opened.page.id]), false);
        let created = participants::create(app, &access, page, draft).await;
        match created {
            // In another tab, a moment ago.
            Err(Error::Invalid(errors)) if errors.has(&Field::Email) => {}
            other => drop(other?),
        }
    }
    if let Some((version, language)) = agreed {
        let actor = Actor::Person(person.clone());
        if !consents::agree(app, &actor, &person, &version, language).await? {
            return Err(Error::invalid(Field::ConsentText, Fault::NoConsent));
        }
    }
    let (id, now) = (opened.invitation.id, app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                invitations::open(sql, institution, id, now).await?;
                Ok(invitations::register(sql, institution, id, now).await?)
            })
        })
        .await?;
    Ok(Some((person, opened.page.slug)))
}

/// Is this person invited to the page? A session that an invitation opened (`How::Invitation`) is for those pages alone, and ends
/// there when the invitation is withdrawn.
pub async fn admits(app: &App, person: &PersonId, page: NamePageId) -> Result<bool> {
    let sql = &mut app.db.read();
    let found = invitations::of_address(sql, person.institution, page, &person.email_key).await?;
    Ok(found.is_some_and(|found| found.is_valid(app.clock.now())))
}

/// What the message of an invitation, or a reminder, says.
#[derive(Debug, Clone)]
pub struct InvitationLetter {
    pub to: Email,
    /// The recipient's, if it is known.
    pub name: Option<String>,
    pub page_title: String,
    /// With its name and its time zone.
    pub institution: Institution,
    /// The path of the personal link; the base URL is in the message.
    pub path: String,
    /// The recipient's, or else that of the invitation or of the institution.
    pub language: Language,
    /// The closing time of the page.
    pub closes_at: Option<Moment>,
}

/// Collects a letter when it is sent. `None` if it is of no use any more: the recipient has recorded, wants no mail, or cannot be
/// reached; the invitation is withdrawn, expired, or of another generation than the message; the page is closed or archived.
pub async fn letter(
    app: &App,
    institution: InstitutionId,
    id: InvitationId,
    generation: Option<i64>,
) -> Result<Option<InvitationLetter>> {
    let (now, sql) = (app.clock.now(), &mut app.db.read());
    let Some(invitation) = invitations::find(sql, institution, id).await? else { return Ok(None) };
    if !invitation.is_valid(now) || generation.is_some_and(|wanted| wanted != invitation.generation) {
        return Ok(None);
    }
    let owner = institutions::by_id(sql, institution).await?;
    let page = page_by_id(sql, institution, invitation.page).await?;
    let times = invitations::page_times(sql, institution, invitation.page).await?;
    let (Some(owner), Some(page), Some(times)) = (owner, page, times) else { return Ok(None) };
    let facts = invitations::facts(sql, institution, page.id, &invitation.email_key).await?;
    if !times.is_open(now) || !InvitationState::of(facts).is_reachable() {
        return Ok(None);
    }
    let person = PersonId { institution, email_key: invitation.email_key.clone() };
    let settings = languages::find(sql, &person).await?;
    let name = match facts.is_registered {
        true => participants::registered(sql, institution, page.id, &person.email_key).await?.full_name(),
        false => invitation.full_name(),
    };
    Ok(Some(InvitationLetter {
        to: address(&invitation)?,
        name: (!name.is_empty()).then_some(name),
        page_title: page.title,
        path: path(app, &invitation)?,
        language: settings.personal.or(invitation.language).or(settings.institution).unwrap_or_default(),
        closes_at: times.closes_at,
        institution: owner,
    }))
}

/// Reminders in one transaction, and how many transactions one run makes; the next run continues.
const DUE: i64 = 100;
const RUNS: usize = 400;

/// Sends the reminders that are due. When the next one is due and the message are written in one transaction, so that nobody gets two
/// reminders if this process is killed, or if two workers do it at once.
pub async fn remind_due(app: &App) -> Result<()> {
    let mut sent = 0;
    for _ in 0..RUNS {
        let now = app.clock.now();
        // The read is cheap, and avoids occupying the database's single writer.
        if !invitations::any_due(&mut app.db.read(), now).await? {
            break;
        }
        let owned_app = app.clone();
        let these = app
            .db
            .write::<_, Error>(move |sql| {
                Box::pin(async move {
                    let mut sent = 0;
                    for due in invitations::due(sql, now, DUE).await? {
                        sent += u64::from(remind(sql, &owned_app, &due, now).await?);
                    }
                    Ok(sent)
                })
            })
            .await?;
        if these > 0 {
            app.queue.wake();
        }
        sent += these;
    }
    if sent > 0 {
        tracing::info!(sent, "people were reminded of their invitations");
    }
    Ok(())
}

/// Returns whether a reminder was sent.
async fn remind(sql: &mut Sql, app: &App, due: &Due, now: Moment) -> Result<bool> {
    let Some(invitation) = &due.guest.invitation else { return Ok(false) };
    let state = (InvitationState::of(due.guest.facts), due.is_held);
    let zone = local_zone(due.phone_number.as_deref(), &due.institution.time_zone);
    let next = match Reminding::of(invitation, state, due.times, &zone, now) {
        Reminding::Never => {
            invitations::postpone(sql, invitation, None).await?;
            return Ok(false);
        }
        Reminding::Later(next) => {
            invitations::postpone(sql, invitation, Some(next)).await?;
            return Ok(false);
        }
        Reminding::Send { next } => next,
    };
    if !invitations::remind(sql, invitation, next, now).await? {
        return Ok(false);
    }
    // A process without a server does not know the public URL.
    let base = if app.links.base().is_empty() { &invitation.base_url } else { app.links.base() };
    let message = Message::Reminder {
        invitation: invitation.id,
        number: reminder_number(invitation),
        base_url: base.to_owned(),
    };
    let institution = Some(invitation.institution);
    outbox::enqueue(sql, &app.ids, institution, address(invitation)?, message, now).await?;
    Ok(true)
}

/// Different for all reminders of an invitation, also after it was renewed: a second message with the same number is not sent.
fn reminder_number(invitation: &Invitation) -> u32 {
    let before = u32::try_from(invitation.generation - 1).unwrap_or_default().saturating_mul(MOST_REMINDERS);
    before.saturating_add(invitation.reminders).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        for cursor in [Cursor::Start, Cursor::Invited(InvitationId::new(7)), Cursor::Uninvited(-1)] {
            assert_eq!(Cursor::parse(&cursor.to_string()), cursor);
        }
        for text in ["", "x1", "i", "p", "i1x", "ii1", "1"] {
            assert_eq!(Cursor::parse(text), Cursor::Start, "{text}");
        }
    }
}

//! Inviting people: a list of addresses, or everybody on the page who has not recorded.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::{
    super::{
        Actor, App, Error, Missing, Result,
        audit::{self, Record},
        name_pages,
    },
    Delivery, Terms, check_open, link, mail, managed, renewal,
};
use crate::{
    domain::{
        address_list::Invitee,
        audit::Act,
        email::Email,
        ids::{InstitutionId, InvitationId, NamePageId},
        institution::Institution,
        invitation::{Facts, Invitation, InvitationState},
        moment::Moment,
        name_page::{NamePage, NamePageRef},
    },
    store::{self, Sql, institutions, invitations, rolls},
};

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
    let page = managed(app, actor, institution, page).await?;
    let (mut report, mut done, started) = (Report::default(), after, app.clock.instant());
    let mut next = None;
    for batch in invitees.get(after..).unwrap_or_default().chunks(BATCH) {
        // Every part gets a little further.
        if done != after && app.clock.instant().saturating_duration_since(started) >= time {
            next = Some(done);
            break;
        }
        let record = sent(app, actor, institution, &page);
        report.add(invite_batch(app, record, page.id, batch.to_vec(), terms.clone()).await?);
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
    let page = managed(app, actor, institution, page).await?;
    let (report, _) = unrecorded(app, actor, institution, &page, terms, (None, Duration::MAX)).await?;
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
    let page = managed(app, actor, institution, page).await?;
    unrecorded(app, actor, institution, &page, terms, part).await
}

async fn unrecorded(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePage,
    terms: &Terms,
    (after, time): (Option<i64>, Duration),
) -> Result<(Report, Option<i64>)> {
    let (start, started) = (after.unwrap_or(-1), app.clock.instant());
    let (mut report, mut after) = (Report::default(), start);
    let next = loop {
        let count = BATCH as i64;
        let found = invitations::unrecorded(&mut app.db.read(), institution, page.id, after, count).await?;
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
        let record = sent(app, actor, institution, page);
        report.add(invite_batch(app, record, page.id, batch, terms.clone()).await?);
    };
    app.queue.wake();
    Ok((report, next))
}

/// The entry in the audit log, one for each batch.
fn sent(app: &App, actor: &Actor, institution: InstitutionId, page: &NamePage) -> Record {
    name_pages::about(Record::new(app, actor, institution, Act::InvitationsSent), page)
}

/// Invites these people in one transaction.
pub(in crate::app) async fn invite_batch(
    app: &App,
    record: Record,
    page: NamePageId,
    batch: Vec<Invitee>,
    terms: Terms,
) -> Result<Report> {
    let (now, owned_app, institution) = (app.clock.now(), app.clone(), record.institution());
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
                if report.invited > 0 {
                    // The people are in the list of invitations.
                    let record = record.change(Json::Null, json!({ "invited": report.invited }));
                    audit::write(sql, &[record]).await?;
                }
                Ok(report)
            })
        })
        .await
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
        Some(known) if is_mailed => mail::is_lost(sql, known, now).await?,
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
            mail::send(sql, app, sent, false, now).await?
        }
        Some(old) => {
            report.invited += 1;
            renewal::renew(sql, app, owner, Some(invitee), old, terms, now).await?
        }
        None => {
            let new = new_invitation(app.ids.id(now), owner, page, invitee, terms, now);
            // The institution's lock is held, so there is no other.
            invitations::insert(sql, &new).await?;
            report.invited += 1;
            if is_mailed {
                mail::enqueue(sql, app, &new, now).await?;
            }
            new
        }
    };
    if !is_mailed {
        report
            .links
            .push((invitation.email.clone(), format!("{}{}", terms.base_url, link::path(app, &invitation)?)));
    }
    Ok(invitation)
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

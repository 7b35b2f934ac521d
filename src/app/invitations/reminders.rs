//! Reminders to people who were invited and have not recorded.

use std::time::Duration;

use super::{
    super::{
        App, Error, Missing, Result,
        audit::{self, Record},
        outbox,
    },
    about, mail,
};
use crate::{
    domain::{
        ids::{InstitutionId, InvitationId, NamePageId},
        invitation::{
            Invitation, InvitationState, MOST_REMINDERS, REMINDER_PAUSE, Reminding, local_zone, morning,
        },
        message::Message,
        moment::Moment,
    },
    store::{
        Sql, institutions,
        invitations::{self, Due},
        rolls,
    },
};

/// Reminders that are read at a time, and how often one run reads some; the next run continues.
const DUE: i64 = 100;
const RUNS: usize = 400;

/// Sends the reminders that are due. When the next one is due and the message are written in one transaction, so that nobody gets two
/// reminders if this process is killed, or if two workers do it at once.
pub async fn remind_due(app: &App) -> Result<()> {
    let (mut sent, mut failed) = (0, None);
    for _ in 0..RUNS {
        let now = app.clock.now();
        let due = invitations::due(&mut app.db.read(), now, DUE).await?;
        if due.is_empty() {
            break;
        }
        for (institution, ids) in due {
            // One that is locked for long does not keep the others.
            match remind_these(app, institution, ids, now).await {
                Ok(reminded) => sent += reminded,
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if failed.is_some() {
            break;
        }
    }
    if sent > 0 {
        tracing::info!(sent, "people were reminded of their invitations");
    }
    failed.map_or(Ok(()), Err)
}

/// Sends those of these reminders of an institution that are still due. Returns how many were sent.
async fn remind_these(
    app: &App,
    institution: InstitutionId,
    ids: Vec<InvitationId>,
    now: Moment,
) -> Result<u64> {
    let owned_app = app.clone();
    let sent = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // Others change several invitations at once under this lock, in an order of their own.
                rolls::lock(sql, institution).await?;
                let mut sent = 0;
                for due in invitations::due_among(sql, institution, &ids, now).await? {
                    sent += u64::from(remind(sql, &owned_app, &due, now).await?);
                }
                Ok(sent)
            })
        })
        .await?;
    if sent > 0 {
        app.queue.wake();
    }
    Ok(sent)
}

/// Returns whether a reminder was sent.
async fn remind(sql: &mut Sql, app: &App, due: &Due, now: Moment) -> Result<bool> {
    let Some(invitation) = &due.guest.invitation else { return Ok(false) };
    let state = (InvitationState::of(due.guest.facts), due.is_held);
    let zone = local_zone(due.phone_number.as_deref(), &due.institution.time_zone, now);
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
    let on_page = (invitation.institution, invitation.page);
    outbox::enqueue_page_mail(sql, &app.ids, on_page, mail::address(invitation)?, message, now).await?;
    Ok(true)
}

/// What has become of somebody whom a manager wants to remind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum Reminded {
    Sent,
    /// There is no valid invitation that was mailed.
    NotInvited,
    Recorded,
    /// They want no mail, or their address does not exist.
    Unreachable,
    /// They were written to less than a day ago, or have got all reminders.
    TooSoon,
    /// The page is closed or archived.
    Closed,
}

/// The least time between a message and a reminder that a manager sends.
const LEAST_PAUSE: Duration = Duration::from_secs(24 * 3_600);

/// Reminds somebody of their invitation to a page now, whatever the hour. It counts as one of their reminders.
pub(in crate::app) async fn remind_now(
    app: &App,
    record: Record,
    page: NamePageId,
    email_key: String,
    base_url: String,
) -> Result<Reminded> {
    let (owned_app, now, institution) = (app.clone(), app.clock.now(), record.institution());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let times = invitations::page_times(sql, institution, page).await?;
                if !times.is_some_and(|times| times.is_open(now)) {
                    return Ok(Reminded::Closed);
                }
                let found = invitations::of_address(sql, institution, page, &email_key).await?;
                let found = found.filter(|found| found.is_valid(now) && found.sent_at.is_some());
                let Some(invitation) = found else { return Ok(Reminded::NotInvited) };
                let facts = invitations::facts(sql, institution, page, &email_key).await?;
                match InvitationState::of(facts) {
                    InvitationState::Recorded => return Ok(Reminded::Recorded),
                    InvitationState::OptedOut | InvitationState::Bounced => return Ok(Reminded::Unreachable),
                    InvitationState::Registered | InvitationState::Opened | InvitationState::Invited => {}
                }
                let last = invitation.reminded_at.max(invitation.sent_at);
                let is_soon = last.is_some_and(|last| now < last.plus(LEAST_PAUSE));
                if is_soon || invitation.reminders >= MOST_REMINDERS {
                    return Ok(Reminded::TooSoon);
                }
                let owner = institutions::by_id(sql, institution).await?;
                let owner = owner.ok_or(Error::Missing(Missing::Institution))?;
                let goes_on =
                    invitation.next_reminder_at.is_some() && invitation.reminders + 1 < MOST_REMINDERS;
                let next = morning(now.plus(REMINDER_PAUSE), &owner.time_zone, invitation.id);
                let message = Message::Reminder {
                    invitation: invitation.id,
                    number: reminder_number(&invitation),
                    base_url,
                };
                let address = mail::address(&invitation)?;
                let reminded = Invitation {
                    reminders: invitation.reminders + 1,
                    reminded_at: Some(now),
                    next_reminder_at: goes_on.then_some(next),
                    ..invitation
                };
                invitations::update(sql, &reminded, false).await?;
                let on_page = (institution, page);
                outbox::enqueue_page_mail(sql, &owned_app.ids, on_page, address, message, now).await?;
                audit::write(sql, &[about(record, &reminded)]).await?;
                Ok(Reminded::Sent)
            })
        })
        .await
}

/// Different for all reminders of an invitation, also after it was renewed: a second message with the same number is not sent.
fn reminder_number(invitation: &Invitation) -> u32 {
    let before = u32::try_from(invitation.generation - 1).unwrap_or_default().saturating_mul(MOST_REMINDERS);
    before.saturating_add(invitation.reminders).saturating_add(1)
}

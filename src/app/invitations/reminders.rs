//! Reminders to people who were invited and have not recorded.

use super::{
    super::{App, Error, Result, outbox},
    letter,
};
use crate::{
    domain::{
        invitation::{Invitation, InvitationState, MOST_REMINDERS, Reminding, local_zone},
        message::Message,
        moment::Moment,
    },
    store::{
        Sql,
        invitations::{self, Due},
    },
};

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
    let institution = Some(invitation.institution);
    outbox::enqueue(sql, &app.ids, institution, letter::address(invitation)?, message, now).await?;
    Ok(true)
}

/// Different for all reminders of an invitation, also after it was renewed: a second message with the same number is not sent.
fn reminder_number(invitation: &Invitation) -> u32 {
    let before = u32::try_from(invitation.generation - 1).unwrap_or_default().saturating_mul(MOST_REMINDERS);
    before.saturating_add(invitation.reminders).saturating_add(1)
}

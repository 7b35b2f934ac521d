//! Inviting somebody again, with another link.

use std::time::Duration;

use super::{
    super::{
        Actor, App, Error, Missing, Result,
        audit::{self, Record},
    },
    Delivery, Terms, about, check_open, mail, managed, on_page,
};
use crate::{
    domain::{
        address_list::Invitee,
        audit::Act,
        ids::{InstitutionId, InvitationId},
        institution::Institution,
        invitation::Invitation,
        moment::Moment,
        name_page::NamePageRef,
    },
    store::{Sql, institutions, invitations, rolls},
};

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
    let record = Record::new(app, actor, institution, Act::InvitationResent);
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
                let renewed = renew(sql, &owned_app, &owner, None, old, &terms, now).await?;
                audit::write(sql, &[about(record, &renewed)]).await?;
                Ok(Resent::Sent)
            })
        })
        .await?;
    app.queue.wake();
    Ok(sent)
}

/// Invites somebody again: with another link, which voids those before it.
pub(super) async fn renew(
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
        return mail::send(sql, app, new, was_withdrawn, now).await;
    }
    invitations::update(sql, &new, was_withdrawn).await?;
    Ok(new)
}

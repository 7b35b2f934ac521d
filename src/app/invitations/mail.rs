//! The messages of invitations and reminders: sent in the transaction of the invitation, written when they are delivered.

use super::{
    super::{App, Error, Result, outbox, participants},
    link, page_by_id,
};
use crate::{
    domain::{
        email::Email,
        ids::{InstitutionId, InvitationId},
        institution::Institution,
        invitation::{Invitation, InvitationState},
        language::Language,
        message::Message,
        moment::Moment,
        session::PersonId,
    },
    store::{self, Sql, institutions, invitations, languages},
};

/// Writes the invitation, and the message in the same transaction.
pub(super) async fn send(
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

pub(super) async fn enqueue(sql: &mut Sql, app: &App, invitation: &Invitation, now: Moment) -> Result<()> {
    let (on_page, message) = ((invitation.institution, invitation.page), message(invitation));
    outbox::enqueue_page_mail(sql, &app.ids, on_page, address(invitation)?, message, now).await.map(|_| ())
}

fn message(invitation: &Invitation) -> Message {
    let (generation, base_url) = (invitation.generation, invitation.base_url.clone());
    Message::Invitation { invitation: invitation.id, generation, base_url }
}

pub(super) fn address(invitation: &Invitation) -> Result<Email> {
    Email::parse(&invitation.email)
        .ok_or_else(|| Error::Internal(format!("the address of invitation {} is unreadable", invitation.id)))
}

/// Has the message of this invitation not been delivered? Of messages that are no longer kept, this is unknown.
pub(super) async fn is_lost(sql: &mut Sql, invitation: &Invitation, now: Moment) -> Result<bool> {
    let Some(sent_at) = invitation.sent_at else { return Ok(false) };
    let Some(occasion) = message(invitation).occasion() else { return Ok(false) };
    if invitation.opened_at.is_some() {
        return Ok(false);
    }
    let found = store::outbox::about(sql, invitation.institution, &occasion).await?;
    // Without a worker, messages are deleted when they have expired; others were discarded because the page was closed.
    Ok(found.map_or(now < sent_at.plus(outbox::RETENTION), |found| found.is_lost(now)))
}

/// What the message of an invitation, or a reminder, says.
#[derive(Debug, Clone)]
pub struct InvitationMail {
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

/// Collects the mail of an invitation when it is sent. `None` if it is of no use any more: the recipient has recorded, wants no mail, or cannot be
/// reached; the invitation is withdrawn, expired, or of another generation than the message; the page is closed or archived.
pub async fn mail(
    app: &App,
    institution: InstitutionId,
    id: InvitationId,
    generation: Option<i64>,
) -> Result<Option<InvitationMail>> {
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
    Ok(Some(InvitationMail {
        to: address(&invitation)?,
        name: (!name.is_empty()).then_some(name),
        page_title: page.title,
        path: link::path(app, &invitation)?,
        language: settings.personal.or(invitation.language).or(settings.institution).unwrap_or_default(),
        closes_at: times.closes_at,
        institution: owner,
    }))
}

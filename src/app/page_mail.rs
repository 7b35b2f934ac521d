//! What mails about name pages say: collected when they are sent, so that nothing in them is outdated.

use super::{
    App, Result,
    invitations::{self, InvitationMail},
    listening, moderation,
};
use crate::{
    domain::{
        email::Email,
        ids::{InstitutionId, ParticipantId},
        media::{Kind, Media},
        message::Message,
        session::PersonId,
    },
    mail::render::{self, PageMail},
    store::{institutions, languages, media, participants},
};

/// `None` if there is nothing to say any more, such as when an invitation was withdrawn.
pub(super) async fn collect(
    app: &App,
    institution: InstitutionId,
    message: &Message,
) -> Result<Option<PageMail>> {
    match message {
        Message::SignIn { .. }
        | Message::Test
        | Message::Sample { .. }
        | Message::Warning { .. }
        | Message::Notice { .. } => Ok(None),
        Message::Invitation { invitation, generation, .. } => {
            let mail = invitations::mail(app, institution, *invitation, Some(*generation)).await?;
            Ok(mail.map(of_invitation))
        }
        Message::Reminder { invitation, .. } => {
            Ok(invitations::mail(app, institution, *invitation, None).await?.map(of_invitation))
        }
        Message::Rejection { case, .. } | Message::EntryRejection { case, .. } => {
            moderation::rejection_mail(app, institution, *case).await
        }
        Message::RecordingRequest { participant, .. } => {
            listening::request_mail(app, institution, *participant).await
        }
        Message::Retention { participant, on, .. } => retention(app, institution, *participant, on).await,
    }
}

fn of_invitation(mail: InvitationMail) -> PageMail {
    let InvitationMail { to, name, page_title, institution, path, language, closes_at } = mail;
    PageMail {
        to,
        name,
        page_title,
        link: path,
        language,
        closes: closes_at.map(|at| render::minute(at, &institution.time_zone)),
        reason: None,
        date: None,
        institution_name: institution.name,
    }
}

/// Somebody's recordings will be deleted on this day. `None` if they have deleted them themselves.
async fn retention(
    app: &App,
    institution: InstitutionId,
    id: ParticipantId,
    on: &str,
) -> Result<Option<PageMail>> {
    let sql = &mut app.db.read();
    let Some(entry) = participants::by_ids(sql, institution, &[id]).await?.pop() else { return Ok(None) };
    let Some(to) = entry.email.as_deref().and_then(Email::parse) else { return Ok(None) };
    // As in `store::retention::untold`: also what is held, and the legal name.
    let is_told_about = |one: &Media| !matches!(one.kind, Kind::Photo | Kind::Removed);
    if !media::all_of(sql, institution, id).await?.iter().any(is_told_about) {
        return Ok(None);
    }
    let Some(owner) = institutions::by_id(sql, institution).await? else { return Ok(None) };
    let person = PersonId { institution, email_key: to.key().to_owned() };
    let settings = languages::find(sql, &person).await?;
    Ok(Some(PageMail {
        to,
        name: Some(entry.full_name()).filter(|name| !name.is_empty()),
        institution_name: owner.name,
        page_title: entry.page.title.clone(),
        link: format!("/p/{}/own", entry.page.slug),
        language: settings.personal.or(settings.institution).unwrap_or_default(),
        closes: None,
        reason: None,
        date: Some(on.to_owned()),
    }))
}

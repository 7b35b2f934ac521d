//! The message about a rejected or removed recording or entry.

use super::super::{App, Result};
use crate::{
    domain::{
        email::Email,
        ids::{InstitutionId, ModerationId},
        moderation::Case,
        session::PersonId,
    },
    mail::render::{self, PageMail},
    store::{self, moderation as cases},
};

/// What the message about a rejected or removed recording or entry says. `None` if it was restored or deleted in the meantime.
pub async fn rejection_mail(
    app: &App,
    institution: InstitutionId,
    case: ModerationId,
) -> Result<Option<PageMail>> {
    let sql = &mut app.db.read();
    let case = cases::find(sql, institution, case).await?.filter(Case::can_be_restored);
    let Some(case) = case else { return Ok(None) };
    let person = store::participants::by_ids(sql, institution, &[case.participant]).await?.pop();
    let Some(person) = person else { return Ok(None) };
    let Some(to) = person.email.as_deref().and_then(Email::parse) else { return Ok(None) };
    let Some(owner) = store::institutions::by_id(sql, institution).await? else { return Ok(None) };
    let id = PersonId { institution, email_key: to.key().to_owned() };
    let languages = store::languages::find(sql, &id).await?;
    let settings = store::page_settings::find(sql, institution, case.page).await?;
    let closes_at = settings.and_then(|settings| settings.closes_at);
    Ok(Some(PageMail {
        to,
        name: Some(person.full_name()).filter(|name| !name.is_empty()),
        institution_name: owner.name,
        page_title: person.page.title.clone(),
        link: format!("/p/{}/own", person.page.slug),
        language: languages.personal.or(languages.institution).unwrap_or_default(),
        closes: closes_at.map(|at| render::minute(at, &owner.time_zone)),
        reason: case.reason,
        date: None,
    }))
}

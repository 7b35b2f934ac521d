//! Listeners ask for a recording of somebody who has none: one polite message, at most once a week, whoever asks.

use std::time::Duration;

use serde_json::json;

use super::{
    Actor, App, Error, Result,
    audit::{self, Record},
    name_pages, outbox, own_person,
};
use crate::{
    domain::{
        audit::Act,
        email::Email,
        ids::{InstitutionId, ParticipantId},
        message::Message,
        page_settings::PageState,
        participant::Participant,
        session::PersonId,
    },
    mail::render::PageMail,
    store::{Sql, languages, participants, people_list, recording_requests, rolls},
};

/// How long after a message nobody else can cause another one.
const WEEK: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Asks somebody, unless they do not want that, cannot be reached, or were asked within a week. What happened stays between us and
/// them: the listener is told nothing.
pub(super) async fn send(app: &App, institution: InstitutionId, id: ParticipantId) -> Result<()> {
    let (owned_app, now) = (app.clone(), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // With the lock, nobody is deleted or records before the message is in the outbox.
                if !rolls::lock_if_there(sql, institution).await? {
                    return Ok(());
                }
                let Some((_, email)) = recipient(sql, institution, id).await? else { return Ok(()) };
                let place = people_list::places(sql, institution, &[id], false).await?.pop();
                let Some(place) = place else { return Ok(()) };
                let person = PersonId { institution, email_key: email.key().to_owned() };
                recording_requests::delete_before(sql, institution, now.minus(WEEK)).await?;
                if recording_requests::claim(sql, &person, now.minus(WEEK), now).await? {
                    let base_url = owned_app.links.base().to_owned();
                    let message = Message::RecordingRequest { participant: id, base_url };
                    let on_page = (institution, place.page);
                    outbox::enqueue_page_mail(sql, &owned_app.ids, on_page, email, message, now).await?;
                }
                Ok(())
            })
        })
        .await?;
    app.queue.wake();
    Ok(())
}

/// Somebody without a recording who may be asked, and where. `None` for everybody else.
async fn recipient(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
) -> Result<Option<(Participant, Email)>> {
    let found = participants::by_ids(sql, institution, &[id]).await?.pop();
    let Some(participant) = found.filter(|one| !one.is_recorded()) else { return Ok(None) };
    let Some(email) = participant.email.as_deref().and_then(Email::parse) else { return Ok(None) };
    let person = PersonId { institution, email_key: email.key().to_owned() };
    let is_refused = recording_requests::has_silent_recording(sql, institution, id).await?
        || recording_requests::is_declined(sql, &person).await?;
    Ok((!is_refused).then_some((participant, email)))
}

/// Collects a message when it is sent. `None` if it is of no use any more: they have recorded, want no such messages, or the page
/// takes no recordings.
pub(super) async fn mail(
    app: &App,
    institution: InstitutionId,
    id: ParticipantId,
) -> Result<Option<PageMail>> {
    let sql = &mut app.db.read();
    let Some((participant, to)) = recipient(sql, institution, id).await? else { return Ok(None) };
    let public = name_pages::public(app, &participant.page.slug).await?;
    if public.settings.state(app.clock.now()) != PageState::Open {
        return Ok(None);
    }
    let person = PersonId { institution, email_key: to.key().to_owned() };
    let settings = languages::find(sql, &person).await?;
    let zone = &public.institution.time_zone;
    let name = participant.full_name();
    Ok(Some(PageMail {
        to,
        name: (!name.is_empty()).then_some(name),
        institution_name: public.institution.name.clone(),
        page_title: public.page.title.clone(),
        link: format!("/p/{}/own", public.page.slug),
        language: settings.personal.or(settings.institution).unwrap_or_default(),
        // The date and the time, to the minute.
        closes: public.settings.closes_at.map(|at| at.shown_in(zone)[..16].replace('T', " ")),
        reason: None,
        date: None,
    }))
}

/// May listeners ask this person for a recording?
pub async fn are_welcome(app: &App, actor: &Actor, person: &PersonId) -> Result<bool> {
    actor.represent(person)?;
    Ok(recording_requests::are_welcome(&mut app.db.read(), person).await?)
}

/// Switches such messages on or off, for all of the person's pages.
pub async fn choose(app: &App, actor: &Actor, person: PersonId, welcome: bool) -> Result<()> {
    actor.represent(&person)?;
    let record = Record::new(app, actor, person.institution, Act::RecordingRequestsChosen).of_person(&person);
    let now = app.clock.now();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                own_person::lock_registered(sql, &person).await?;
                let were_welcome = recording_requests::are_welcome(sql, &person).await?;
                recording_requests::choose(sql, &person, welcome, now).await?;
                let (before, after) = (json!({ "welcome": were_welcome }), json!({ "welcome": welcome }));
                audit::write_change(sql, record.change(before, after)).await
            })
        })
        .await
}

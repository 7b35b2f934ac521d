//! The personal link: the id of the invitation and a keyed digest of its generation, so nothing secret is stored. It is no session:
//! whoever opens it sees whom it is for, and only pressing the button changes something, because mail scanners open links.

use super::{
    super::{
        Actor, App, Error, Result,
        audit::{self, Record},
        consents,
        participants::{self, create_named},
        sessions::{self, Opening, Secret},
    },
    mail, not_open, page_by_id,
};
use crate::{
    domain::{
        audit::Act,
        consent::Via,
        fault::{Fault, Field},
        ids::{InstitutionId, InvitationId, NamePageId},
        institution::Institution,
        invitation::{Facts, Invitation, LinkToken, PROOF_LENGTH, PageTimes},
        language::Language,
        name_page::NamePage,
        participant::{Draft, Given, LegalNames, Raw, Source},
        session::{How, PersonId},
    },
    store::{Sql, institutions, invitations, languages, outsiders, refused_people, rolls},
};

/// What the proof in a link is for.
const PURPOSE: &str = "invitation";

/// The path of the personal link.
pub(super) fn path(app: &App, invitation: &Invitation) -> Result<String> {
    let Invitation { institution, id, generation, .. } = invitation;
    let proof = proof(app, *institution, *id, *generation)?;
    Ok(format!("/i/{}", LinkToken { id: *id, proof }))
}

fn proof(app: &App, institution: InstitutionId, id: InvitationId, generation: i64) -> Result<String> {
    let claim = LinkToken::claim(institution, id, generation);
    let mut proof = app.secrets.digest(PURPOSE, &claim)?;
    proof.truncate(PROOF_LENGTH);
    Ok(proof)
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

fn recipient(invitation: &Invitation) -> PersonId {
    PersonId { institution: invitation.institution, email_key: invitation.email_key.clone() }
}

/// What a link is for. Unknown, withdrawn, replaced and expired links, and those of people whom a directory has disabled, are `None`: which, is not said. Reading changes nothing,
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
    let consent = consents::of_giver(sql, &person).await?;
    Ok(Some(Opened { invitation, institution: owner, page, times, facts, registered_as, consent }))
}

async fn valid(app: &App, token: &str) -> Result<Option<Invitation>> {
    let Some(token) = LinkToken::parse(token) else { return Ok(None) };
    let now = app.clock.now();
    for one in invitations::by_id(&mut app.db.read(), token.id).await? {
        let claim = LinkToken::claim(one.institution, one.id, one.generation);
        // It has the right length, or it would not be a token.
        if app.secrets.is_digest(PURPOSE, &claim, &token.proof)? {
            let is_over = !one.is_valid(now)
                || refused_people::is_refused(&mut app.db.read(), &recipient(&one)).await?;
            return Ok(Some(one).filter(|_| !is_over));
        }
    }
    Ok(None)
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

/// Registers the recipient if they are not registered, notes their agreement, and opens a session: all of it, or nothing. Returns the
/// session and the slug of the page. `None` if the link is not valid. Without the agreement, or with that to another version, the
/// result is `Fault::NoConsent`. `old` are the browser's sessions, which end with the new one.
///
/// Managers have this link, too. So it reaches this page alone: the entry starts without a recording from another one.
pub async fn accept(
    app: &App,
    token: &str,
    accepted: Acceptance,
    old: &[Secret],
) -> Result<Option<(sessions::Opened, String)>> {
    let Some(seen) = open(app, token).await? else {
        refused(app, token).await?;
        return Ok(None);
    };
    let (person, now) = (recipient(&seen.invitation), app.clock.now());
    if !seen.times.is_open(now) {
        return Err(not_open(seen.times));
    }
    let draft = Draft {
        email: Given::Set(mail::address(&seen.invitation)?),
        ..Draft::read(&accepted, LegalNames::Ignored)
    };
    let who = Actor::Person(person.clone()).who();
    let created = Record::by(app, who.clone(), person.institution, Act::ParticipantCreated);
    let consented = Record::by(app, who, person.institution, Act::ConsentGiven).of_person(&person);
    let (opening, new_token) = (Opening::new(app, old), app.ids.hex());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let (institution, page) = (person.institution, seen.page.id);
                rolls::lock(sql, institution).await?;
                let now_valid = invitations::find(sql, institution, seen.invitation.id).await?;
                let is_same = |one: &Invitation| {
                    one.is_valid(now) && one.page == page && one.generation == seen.invitation.generation
                };
                if !now_valid.as_ref().is_some_and(is_same)
                    || refused_people::is_refused(sql, &person).await?
                {
                    return Ok(None);
                }
                let agreed = to_agree(sql, &person, accepted.agreed).await?;
                let facts = invitations::facts(sql, institution, page, &person.email_key).await?;
                if !facts.is_registered {
                    let place = (seen.page.clone(), new_token);
                    create_named(sql, institution, place, draft, created, now).await?;
                }
                if let Some((version, language)) = &agreed {
                    let given = (version.as_str(), *language);
                    consents::agree_in(sql, consented, person.clone(), Via::Invitation, given, now).await?;
                }
                invitations::open(sql, institution, seen.invitation.id, now).await?;
                // They may have registered themselves before.
                outsiders::admit(sql, &person, page).await?;
                invitations::register(sql, institution, seen.invitation.id, now).await?;
                let opened = opening.insert(sql, person, How::Invitation).await?;
                Ok(Some((opened, seen.page.slug)))
            })
        })
        .await
}

/// Records that a link was not valid, in the institutions that have an invitation with its number.
async fn refused(app: &App, token: &str) -> Result<()> {
    let Some(token) = LinkToken::parse(token) else { return Ok(()) };
    for invitation in invitations::by_id(&mut app.db.read(), token.id).await? {
        audit::refused(app, invitation.institution, None, How::Invitation.word());
    }
    Ok(())
}

/// What the recipient agrees to now: nothing if they are known to have agreed. Without it, they must have read the text in force.
async fn to_agree(
    sql: &mut Sql,
    person: &PersonId,
    agreed: Option<(String, Language)>,
) -> Result<Option<(String, Language)>> {
    let state = consents::of_giver(sql, person).await?;
    match (state.given, agreed) {
        (Some(_), _) => Ok(None),
        (None, Some(agreed)) if agreed.0 == state.text.version => Ok(Some(agreed)),
        (None, _) => Err(Error::invalid(Field::ConsentText, Fault::NoConsent)),
    }
}

/// Is this person invited to the page? A session that an invitation opened (`How::Invitation`) is for those pages alone, and ends
/// there when the invitation is withdrawn.
pub async fn admits(app: &App, person: &PersonId, page: NamePageId) -> Result<bool> {
    let sql = &mut app.db.read();
    let found = invitations::of_address(sql, person.institution, page, &person.email_key).await?;
    Ok(found.is_some_and(|found| found.is_valid(app.clock.now()))
        && !refused_people::is_refused(sql, person).await?)
}

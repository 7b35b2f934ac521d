//! The personal link: the id of the invitation and a keyed digest of its generation, so nothing secret is stored. It is no session:
//! whoever opens it sees whom it is for, and only pressing the button changes something, because mail scanners open links.

use subtle::ConstantTimeEq;

use super::{
    super::{Actor, App, Error, Missing, Result, consents, participants},
    mail, not_open, page_by_id,
};
use crate::{
    domain::{
        access::{Access, TokenScope},
        fault::{Fault, Field},
        ids::{InstitutionId, InvitationId, NamePageId},
        institution::Institution,
        invitation::{Facts, Invitation, LinkToken, PROOF_LENGTH, PageTimes},
        language::Language,
        name_page::{NamePage, NamePageRef},
        participant::{Draft, Given, LegalNames, Raw, Source},
        session::PersonId,
    },
    store::{institutions, invitations, languages, outsiders, rolls},
};

/// The path of the personal link.
pub(super) fn path(app: &App, invitation: &Invitation) -> Result<String> {
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
            email: Given::Set(mail::address(&opened.invitation)?),
            ..Draft::read(&accepted, LegalNames::Ignored)
        };
        let page = NamePageRef::parse(&opened.page.id.to_string());
        let page = page.ok_or(Error::Missing(Missing::NamePage))?;
        // Managers have this link, too. So it reaches this page alone: the entry starts without a recording from another one.
        let access = Access::new(institution, TokenScope::Write, Some(vec![opened.page.id]), false);
        let access = access.by(Actor::Person(person.clone()).who());
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
    let (invited, page) = (person.clone(), opened.page.id);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // Whoever deletes the person or the page locks both rows, in another order.
                rolls::lock(sql, institution).await?;
                invitations::open(sql, institution, id, now).await?;
                // They may have registered themselves before.
                outsiders::admit(sql, &invited, page).await?;
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

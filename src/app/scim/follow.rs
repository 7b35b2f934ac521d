//! Lets the registrations of a user have their new name and email, inside the transaction that changes them.

use super::settle::Settling;
use crate::{
    app::{Result, address_changes, directory_holds, hiding},
    domain::{
        audit::Act,
        email::Email,
        ids::{NamePageId, ParticipantId, ScimUserId},
        matching::{self, TargetIdentity},
        scim::user::User,
        session::PersonId,
    },
    store::{self, Sql, participants, persons, scim_registrations},
};

impl Settling {
    /// What people have changed themselves stays until the directory changes it.
    pub(super) async fn follow(
        &mut self,
        sql: &mut Sql,
        id: ScimUserId,
        before: &User,
        after: &User,
    ) -> Result<()> {
        let (old, new) = (before.identity(), after.identity());
        if old == new {
            return Ok(());
        }
        let (institution, now) = (self.context.institution, self.context.now);
        let is_renamed = (&old.first_name, &old.last_name) != (&new.first_name, &new.last_name);
        let moved = new.email.clone().filter(|email| old.email.as_ref() != Some(email));
        let old_key = old.email.as_ref().map(|email| email.key().to_owned());
        let chosen = match (&old_key, &moved) {
            (Some(key), Some(_)) => store::audiences::chosen(sql, institution, key).await?,
            _ => None,
        };
        let entries = scim_registrations::identities(sql, institution, id).await?;
        let ids: Vec<ParticipantId> = entries.iter().map(|(_, entry)| entry.id).collect();
        let is_held = !store::directory_holds::held(sql, institution, &ids).await?.is_empty();
        if let (Some(key), Some(email)) = (&old_key, &moved)
            && key != email.key()
            && !entries.is_empty()
        {
            // Before the old email is cleared: then it is deleted there.
            persons::follow_email(sql, institution, key, email.key()).await?;
            let before = old.email.as_ref().map(Email::as_given);
            let both = (before, Some(email.as_given()));
            address_changes::tell(sql, &self.context.app, institution, both, now).await?;
        }
        for (page, entry) in entries {
            let mut wanted = entry.identity();
            if is_renamed {
                (wanted.first_name, wanted.last_name) = (new.first_name.clone(), new.last_name.clone());
            }
            let is_gone = self.take_email(sql, (page, &entry), moved.as_ref(), &mut wanted).await?;
            let is_hidden = entry.hidden || is_gone;
            participants::set_identity(sql, institution, (entry.id, is_hidden), &wanted, now).await?;
            self.context.log_identity(sql, entry.id, &entry.identity(), &wanted).await?;
        }
        if let (true, Some(email)) = (is_held, &moved) {
            directory_holds::change(sql, institution, email.key(), true, now).await?;
        }
        if let (Some(audience), Some(email)) = (chosen, &moved)
            && store::audiences::chosen(sql, institution, email.key()).await?.is_none()
        {
            let person = PersonId { institution, email_key: email.key().to_owned() };
            store::audiences::choose(sql, &person, audience, None, now).await?;
        }
        self.left.extend(old_key.filter(|key| new.email.as_ref().is_none_or(|email| email.key() != key)));
        Ok(())
    }

    /// Gives an entry the new email. If somebody has it on the page already, that is the person's registration from now on, and this one is
    /// hidden without an email and follows nobody (ADR 14). Returns whether it was hidden.
    async fn take_email(
        &self,
        sql: &mut Sql,
        (page, entry): (NamePageId, &matching::Entry),
        email: Option<&Email>,
        wanted: &mut TargetIdentity,
    ) -> Result<bool> {
        let (institution, now) = (self.context.institution, self.context.now);
        let Some(email) = email else { return Ok(false) };
        let is_taken = scim_registrations::has_other(sql, institution, page, email.key(), entry.id).await?;
        if entry.email_key.as_deref().is_some_and(|key| key != email.key()) {
            participants::clear_emails(sql, institution, &[entry]).await?;
        }
        if !is_taken {
            wanted.email = Some(email.as_given().to_owned());
            wanted.email_key = Some(email.key().to_owned());
            return Ok(false);
        }
        (wanted.email, wanted.email_key) = (None, None);
        scim_registrations::unlink(sql, institution, &[entry.id]).await?;
        if entry.hidden {
            return Ok(false);
        }
        self.context.log_people(sql, Act::ParticipantHidden, &[entry.id]).await?;
        hiding::hide(sql, &self.context.app, (institution, page), vec![entry.id], now).await?;
        Ok(true)
    }
}

//! The language of a person's pages and mails.

use super::{Actor, App, Error, Missing, Result};
use crate::{
    domain::{
        language::{Language, LanguageSettings},
        session::PersonId,
    },
    store::{languages, persons, rolls, sign_ins},
};

pub async fn find(app: &App, actor: &Actor, person: &PersonId) -> Result<LanguageSettings> {
    actor.represent(person)?;
    Ok(languages::find(&mut app.db.read(), person).await?)
}

pub async fn choose(app: &App, actor: &Actor, person: PersonId, language: Language) -> Result<()> {
    actor.represent(&person)?;
    let now = app.clock.now();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, person.institution).await?;
                let registrations =
                    persons::registrations(sql, person.institution, &person.email_key).await?;
                // Members and people who are invited may have none.
                if registrations.is_empty() && !sign_ins::is_known(sql, &person, now).await? {
                    return Err(Error::Missing(Missing::Participant));
                }
                Ok(languages::choose(sql, &person, language, now).await?)
            })
        })
        .await
}

//! The language of a person's pages and mails.

use serde_json::json;

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
};
use crate::{
    domain::{
        audit::Act,
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
    let record = Record::new(app, actor, person.institution, Act::LanguageChosen).of_person(&person);
    let now = app.clock.now();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, person.institution).await?;
                let registrations =
                    persons::registrations(sql, person.institution, &person.email_key).await?;
                // Members and people who are invited may have none.
                if registrations.is_empty() && !sign_ins::may_sign_in(sql, &person, now).await? {
                    return Err(Error::Missing(Missing::Participant));
                }
                let before = languages::find(sql, &person).await?.personal;
                languages::choose(sql, &person, language, now).await?;
                let values = |language: Option<Language>| json!({ "language": language.map(Language::tag) });
                audit::write_change(sql, record.change(values(before), values(Some(language)))).await
            })
        })
        .await
}

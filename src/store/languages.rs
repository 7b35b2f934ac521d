//! The languages that people and institutions have set.

use super::{Result, Sql, Value};
use crate::domain::{
    language::{Language, LanguageSettings},
    moment::Moment,
    session::PersonId,
};

pub async fn find(sql: &mut Sql, person: &PersonId) -> Result<LanguageSettings> {
    let text = "SELECT p.language, i.language FROM institutions i \
                LEFT JOIN persons p ON p.institution_id = $1 AND p.email_key = $2 WHERE i.id = $1";
    let params: [Value<'_>; 2] = [person.institution.into(), (&person.email_key).into()];
    let found = sql.one(text, &params, |row| Ok((row.opt_text(0)?, row.opt_text(1)?))).await?;
    let (personal, institution) = found.unwrap_or_default();
    let parsed = |tag: Option<String>| tag.as_deref().and_then(Language::parse);
    Ok(LanguageSettings { personal: parsed(personal), institution: parsed(institution) })
}

pub async fn choose(sql: &mut Sql, person: &PersonId, language: Language, now: Moment) -> Result<()> {
    let text = "INSERT INTO persons (institution_id, email_key, language, created_at) VALUES ($1, $2, $3, $4) \
                ON CONFLICT (institution_id, email_key) DO UPDATE SET language = excluded.language";
    let params: [Value<'_>; 4] =
        [person.institution.into(), (&person.email_key).into(), language.tag().into(), now.micros().into()];
    sql.execute(text, &params).await.map(|_| ())
}

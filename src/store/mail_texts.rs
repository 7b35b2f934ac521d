//! The subjects and texts of page mails that institutions have replaced.

use super::{Result, Row, Sql, Value};
use crate::domain::{
    ids::InstitutionId,
    language::Language,
    mail_text::{MailText, PageMailKind},
    moment::Moment,
};

pub async fn find(
    sql: &mut Sql,
    institution: InstitutionId,
    kind: PageMailKind,
    language: Language,
) -> Result<Option<MailText>> {
    let text =
        "SELECT subject, text FROM mail_texts WHERE institution_id = $1 AND message = $2 AND language = $3";
    sql.one(text, &key(institution, kind, language), |row| {
        Ok(MailText { subject: row.text(0)?, text: row.text(1)? })
    })
    .await
}

fn key(institution: InstitutionId, kind: PageMailKind, language: Language) -> [Value<'static>; 3] {
    [institution.into(), kind.word().into(), language.tag().into()]
}

pub async fn set(
    sql: &mut Sql,
    institution: InstitutionId,
    kind: PageMailKind,
    language: Language,
    new: &MailText,
    now: Moment,
) -> Result<()> {
    let text = "INSERT INTO mail_texts (institution_id, message, language, subject, text, changed_at) \
                VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (institution_id, message, language) DO UPDATE SET \
                subject = excluded.subject, text = excluded.text, changed_at = excluded.changed_at";
    let params: [Value<'_>; 6] = [
        institution.into(),
        kind.word().into(),
        language.tag().into(),
        (&new.subject).into(),
        (&new.text).into(),
        now.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// False if there was none.
pub async fn delete(
    sql: &mut Sql,
    institution: InstitutionId,
    kind: PageMailKind,
    language: Language,
) -> Result<bool> {
    let text = "DELETE FROM mail_texts WHERE institution_id = $1 AND message = $2 AND language = $3";
    Ok(sql.execute(text, &key(institution, kind, language)).await? == 1)
}

/// Which texts an institution has replaced.
pub async fn all(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<(PageMailKind, Language)>> {
    let text =
        "SELECT message, language FROM mail_texts WHERE institution_id = $1 ORDER BY message, language";
    let read = |row: &Row<'_>| Ok((row.text(0)?, row.text(1)?));
    let rows = sql.rows(text, &[institution.into()], read).await?;
    // A newer version may have more kinds and languages.
    let known =
        rows.iter().filter_map(|(kind, tag)| Some((PageMailKind::parse(kind)?, Language::parse(tag)?)));
    Ok(known.collect())
}

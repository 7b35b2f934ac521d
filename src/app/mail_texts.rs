//! The subjects and texts of page mails: those that come with the software, and those of an institution's own.

use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
    outbox,
};
use crate::{
    domain::{
        audit::{Act, SubjectKind},
        email::Email,
        ids::InstitutionId,
        language::Language,
        mail_text::{MailText, PageMailKind},
        message::Message,
        version::{check_base, version_of},
    },
    mail::{
        Rendered,
        render::{self, PageMail},
    },
    store::{Sql, institutions, mail_texts, rolls},
    words::Words,
};

/// The text in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextInForce {
    pub text: MailText,
    /// Did the institution replace the one that comes with the software?
    pub is_own: bool,
}

pub async fn find(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    kind: PageMailKind,
    language: Language,
) -> Result<TextInForce> {
    actor.administer(institution)?;
    find_in(&mut app.db.read(), institution, kind, language).await
}

pub(super) async fn find_in(
    sql: &mut Sql,
    institution: InstitutionId,
    kind: PageMailKind,
    language: Language,
) -> Result<TextInForce> {
    Ok(match mail_texts::find(sql, institution, kind, language).await? {
        Some(text) => TextInForce { text, is_own: true },
        None => TextInForce { text: render::built_in(kind, language), is_own: false },
    })
}

/// Which texts the institution has replaced.
pub async fn all(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
) -> Result<Vec<(PageMailKind, Language)>> {
    actor.administer(institution)?;
    Ok(mail_texts::all(&mut app.db.read(), institution).await?)
}

/// Replaces a text. Messages that have been enqueued get it, too.
pub async fn set(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    kind: PageMailKind,
    language: Language,
    subject: &str,
    text: &str,
) -> Result<MailText> {
    actor.administer(institution)?;
    let new = MailText::parse(kind, subject, text)?;
    write(app, actor, institution, (kind, language), Some(new.clone()), None).await?;
    Ok(new)
}

/// `set`, or `reset` without a text. `base` is the version of the text that was seen: if another one is in force by now, nothing is changed
/// (`SetupFault::Outdated`).
pub async fn replace(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    place: (PageMailKind, Language),
    typed: Option<&MailText>,
    base: Option<String>,
) -> Result<()> {
    actor.administer(institution)?;
    let new = typed.map(|typed| MailText::parse(place.0, &typed.subject, &typed.text)).transpose()?;
    write(app, actor, institution, place, new, base).await.map(drop)
}

/// Tells whether a text is still the same.
pub fn version(text: &MailText) -> String {
    version_of(&(&text.subject, &text.text))
}

/// Sets a text, or resets it. False if there was none to reset. The caller has checked that the actor may.
async fn write(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    (kind, language): (PageMailKind, Language),
    new: Option<MailText>,
    base: Option<String>,
) -> Result<bool> {
    let act = if new.is_some() { Act::MailTextSet } else { Act::MailTextReset };
    let (record, now) = (about(Record::new(app, actor, institution, act), kind, language), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // Of two who replace the same text at once, the second one sees what the first one wrote.
                if !rolls::lock_if_there(sql, institution).await? {
                    return Err(Error::Missing(Missing::Institution));
                }
                let old = mail_texts::find(sql, institution, kind, language).await?;
                if base.is_some() {
                    let built_in = || version(&render::built_in(kind, language));
                    check_base(base.as_deref(), &old.as_ref().map_or_else(built_in, version))?;
                }
                let before = old.as_ref().map_or(Json::Null, values);
                match new {
                    Some(new) => {
                        mail_texts::set(sql, institution, kind, language, &new, now).await?;
                        audit::write_change(sql, record.change(before, values(&new))).await?;
                    }
                    None if old.is_some() => {
                        mail_texts::delete(sql, institution, kind, language).await?;
                        audit::write(sql, &[record.change(before, Json::Null)]).await?;
                    }
                    None => return Ok(false),
                }
                Ok(true)
            })
        })
        .await
}

fn about(record: Record, kind: PageMailKind, language: Language) -> Record {
    let id = format!("{}.{}", kind.word(), language.tag());
    record.about(SubjectKind::MailText, &id, &id)
}

fn values(text: &MailText) -> Json {
    json!({ "subject": text.subject, "text": text.text })
}

/// Goes back to the text that comes with the software. False if that is in force already.
pub async fn reset(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    kind: PageMailKind,
    language: Language,
) -> Result<bool> {
    actor.administer(institution)?;
    write(app, actor, institution, (kind, language), None, None).await
}

/// A page mail with made-up contents: with this text, or else with the one in force.
pub async fn preview(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    kind: PageMailKind,
    language: Language,
    draft: Option<MailText>,
) -> Result<Rendered> {
    actor.administer(institution)?;
    sample(app, institution, kind, language, draft, app.links.base()).await
}

/// Sends a page mail with made-up contents and the text in force.
pub async fn send_test(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    kind: PageMailKind,
    language: Language,
    to: Email,
) -> Result<()> {
    actor.administer(institution)?;
    let (owned_app, now) = (app.clone(), app.clock.now());
    let record = about(Record::new(app, actor, institution, Act::MailTested), kind, language);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let base_url = owned_app.links.base().to_owned();
                let message =
                    Message::Sample { page_mail: kind, language: language.tag().to_owned(), base_url };
                outbox::enqueue(sql, &owned_app.ids, Some(institution), to, message, now).await?;
                Ok(audit::write(sql, &[record]).await?)
            })
        })
        .await?;
    app.queue.wake();
    Ok(())
}

/// A page mail with made-up contents.
pub(super) async fn sample(
    app: &App,
    institution: InstitutionId,
    kind: PageMailKind,
    language: Language,
    draft: Option<MailText>,
    base_url: &str,
) -> Result<Rendered> {
    let sql = &mut app.db.read();
    let owner = institutions::by_id(sql, institution).await?;
    let owner = owner.ok_or(Error::Missing(Missing::Institution))?;
    let text = match draft {
        Some(text) => text,
        None => find_in(sql, institution, kind, language).await?.text,
    };
    let words = Words::new(language);
    let mail = PageMail {
        to: Email::parse(SAMPLE_ADDRESS)
            .ok_or_else(|| Error::Internal("the sample address is invalid".to_owned()))?,
        name: Some(SAMPLE_NAME.to_owned()),
        institution_name: owner.name,
        page_title: words.text("page-mail-sample-page"),
        link: format!("{}/p/sample", if base_url.is_empty() { SAMPLE_BASE_URL } else { base_url }),
        language,
        closes: Some(format!("{SAMPLE_DATE} 17:00")),
        reason: Some(words.text("page-mail-sample-reason")),
        date: Some(SAMPLE_DATE.to_owned()),
    };
    written(kind, &mail, &text, None)
}

const SAMPLE_ADDRESS: &str = "ada@example.edu";
/// For commands, which do not know the public URL.
const SAMPLE_BASE_URL: &str = "https://names.example.edu";
const SAMPLE_NAME: &str = "Ada Lovelace";
const SAMPLE_DATE: &str = "2027-01-31";

/// A page mail in words.
pub(super) fn written(
    kind: PageMailKind,
    mail: &PageMail,
    text: &MailText,
    unsubscribe: Option<&str>,
) -> Result<Rendered> {
    let rendered = render::page_mail(kind, mail, text, unsubscribe);
    rendered.map_err(|error| Error::Internal(format!("rendering a page mail failed: {error}")))
}

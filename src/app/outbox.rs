//! The outbox: messages are enqueued in the transaction that causes them, and delivered by a job, at most once (ADR 19).

use std::{collections::HashMap, time::Duration};

use super::{
    Actor, App, Error, Ids, Result,
    audit::{self, Record},
    jobs::{self, Ran},
    mail_pace, mail_texts, opt_outs, page_mail,
    sign_in::{self, Digests, SignInMail},
};
use crate::{
    domain::{
        audit::{Act, SubjectKind},
        email::Email,
        fault::{Field, MessageFault},
        ids::{InstitutionId, MessageId, NamePageId},
        job::{Claim, Job},
        language::Language,
        mail_text::PageMailKind,
        message::{Envelope, Message, OutboxMessage, State},
        moment::Moment,
        scope::Scope,
        session::PersonId,
    },
    mail::{
        Fault, Handover, OutgoingMail, Rendered,
        render::{self as templates, PageMail},
    },
    store::{
        self, Sql, bounces,
        outbox::{self, Change},
        page_lists::{self, PageName},
        rolls,
    },
    telemetry::metrics,
};

pub use crate::store::outbox::Search;

/// How long messages are kept, whatever became of them.
pub(super) const RETENTION: Duration = Duration::from_secs(30 * 24 * 3_600);
/// How long after its expiry a message that no worker has taken is kept.
const UNTAKEN: Duration = Duration::from_secs(3_600);

/// A message of a kind that this version knows.
type Known = OutboxMessage<Message>;

/// Enqueues a message in the transaction that causes it. Call `app.queue.wake()` after the commit. A second message about the same
/// occasion is not enqueued, nor a page mail to somebody who wants none, or to an address that does not exist.
pub async fn enqueue(
    sql: &mut Sql,
    ids: &Ids,
    institution: Option<InstitutionId>,
    to: Email,
    message: Message,
    now: Moment,
) -> Result<MessageId> {
    insert(sql, ids, (institution, None), to, message, now).await
}

/// `enqueue` for a mail about a name page, whose managers see it.
pub(super) async fn enqueue_page_mail(
    sql: &mut Sql,
    ids: &Ids,
    (institution, page): (InstitutionId, NamePageId),
    to: Email,
    message: Message,
    now: Moment,
) -> Result<MessageId> {
    insert(sql, ids, (Some(institution), Some(page)), to, message, now).await
}

async fn insert(
    sql: &mut Sql,
    ids: &Ids,
    (institution, page): (Option<InstitutionId>, Option<NamePageId>),
    to: Email,
    message: Message,
    now: Moment,
) -> Result<MessageId> {
    let expires_at = now.plus(message.lifetime());
    let envelope = Envelope {
        id: ids.id(now),
        institution,
        page,
        to,
        state: State::Queued,
        attempts: 0,
        answer: None,
        created_at: now,
        changed_at: now,
        expires_at,
    };
    let new = OutboxMessage { envelope, message };
    let is_wanted = !is_unwanted(sql, &new, new.to.key()).await?;
    if is_wanted && outbox::insert(sql, &new).await? {
        jobs::enqueue(sql, ids.id(now), &new.job(), now, now).await?;
    }
    Ok(new.id)
}

/// Must a message not be sent to this address? Those that people have requested, such as codes, are always sent.
async fn is_unwanted(sql: &mut Sql, row: &Known, email_key: &str) -> Result<bool> {
    match row.institution.filter(|_| row.message.page_mail().is_some()) {
        Some(institution) => Ok(outbox::is_unwanted(sql, institution, email_key).await?),
        None => Ok(false),
    }
}

/// Delivers a message, as the job that holds this claim. An error means that the job is to be retried.
pub async fn deliver(
    app: &App,
    claim: &Claim,
    institution: Option<InstitutionId>,
    id: MessageId,
) -> Result<Ran> {
    let Some(row) = outbox::find(&mut app.db.read(), institution, id).await? else { return Ok(Ran::Done) };
    match row.known() {
        Some(row) => deliver_known(app, claim, row).await.map(|()| Ran::Done),
        // Also if it has expired, or another worker died: what becomes of it is up to that version.
        None => Ok(Ran::LeftToNewer),
    }
}

async fn deliver_known(app: &App, claim: &Claim, row: Known) -> Result<()> {
    match row.state {
        State::Queued => {}
        // A worker died, or lost its lease, while it was handing the message over.
        State::Sending => {
            let lost = "the process stopped before the mail server answered";
            return end(app, Some(claim), &row, State::Unconfirmed, Some(lost)).await;
        }
        State::Sent | State::Failed | State::Unconfirmed | State::Expired => return Ok(()),
    }
    if row.expires_at <= app.clock.now() {
        return end(app, Some(claim), &row, State::Expired, row.answer.as_deref()).await;
    }
    if row.message.is_bulk() {
        mail_pace::wait(app).await?;
    }
    let Some(Draft { to, content, unsubscribe, digests }) = render(app, &row).await? else {
        return discard(app, claim, &row).await;
    };
    if is_unwanted(&mut app.db.read(), &row, to.key()).await? {
        return discard(app, claim, &row).await;
    }
    let mail = OutgoingMail { id: row.id, to, reply_to: None, content, unsubscribe, date: app.clock.now() };
    // Up to here and including the recipient, the server has accepted nothing.
    let prepared = match app.mail.prepare(&mail).await {
        Ok(prepared) => prepared,
        Err(fault) => return not_accepted(app, Some(claim), &row, &mail.to, fault).await,
    };
    // From this commit on, the message is never sent again without an operator.
    let sending = match begin(app, claim, &row, digests).await? {
        Begun::Sending(sending) => *sending,
        Begun::Obsolete => return Ok(()),
        Begun::TakenOver => {
            tracing::warn!(message = row.id.get(), "a message was left to another worker");
            return Ok(());
        }
    };
    match prepared.send().await {
        Handover::Accepted(answer) => {
            tracing::info!(message = row.id.get(), kind = row.message.kind(), "message sent");
            end(app, None, &sending, State::Sent, Some(&answer)).await
        }
        Handover::Refused(fault) => not_accepted(app, None, &sending, &mail.to, fault).await,
        Handover::Unknown(why) => end(app, None, &sending, State::Unconfirmed, Some(&why)).await,
    }
}

/// Deletes a message that has nothing to say any more, or whose recipient wants none.
async fn discard(app: &App, claim: &Claim, row: &Known) -> Result<()> {
    let (claim, institution, id) = (claim.clone(), row.institution, row.id);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // Another worker may be sending it.
                if store::jobs::holds_lease(sql, &claim).await? {
                    outbox::delete(sql, institution, id).await?;
                }
                Ok(())
            })
        })
        .await
}

enum Begun {
    Sending(Box<Known>),
    /// Another worker has the job.
    TakenOver,
    /// There is nothing to send any more: the message is deleted.
    Obsolete,
}

/// Commits that the message is being handed over, if this worker still holds the job. Its code and link are valid with this commit.
async fn begin(app: &App, claim: &Claim, row: &Known, digests: Option<Digests>) -> Result<Begun> {
    let (claim, row, pace, now) = (claim.clone(), row.clone(), app.mail.pace(), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                if !store::jobs::holds_lease(sql, &claim).await? {
                    return Ok(Begun::TakenOver);
                }
                let sending = Change { to: State::Sending, answer: None, counts: true };
                let Some(attempts) = outbox::change(sql, &row, sending, now).await? else {
                    return Err(Error::Unavailable("the message was changed meanwhile".to_owned()));
                };
                if let Some(digests) = &digests
                    && !sign_in::store_digests(sql, digests, now).await?
                {
                    outbox::delete(sql, row.institution, row.id).await?;
                    return Ok(Begun::Obsolete);
                }
                // Last, because it locks a row that all workers for mail need.
                if !row.message.is_bulk() {
                    mail_pace::overtake(sql, pace, now).await?;
                }
                let envelope = Envelope { state: State::Sending, attempts, ..row.envelope };
                Ok(Begun::Sending(Box::new(OutboxMessage { envelope, message: row.message })))
            })
        })
        .await
}

/// The server has not accepted the message: it is retried or has failed for good.
async fn not_accepted(app: &App, claim: Option<&Claim>, row: &Known, to: &Email, fault: Fault) -> Result<()> {
    // An attempt that has begun is counted already.
    let counts = row.state == State::Queued;
    match fault {
        Fault::Permanent(why) => {
            // Not the answer: most servers repeat the recipient's address in it. It is stored with the message.
            tracing::warn!(message = row.id.get(), "a message was rejected by the mail server");
            record(app, claim, row, State::Failed, Some(&why), counts).await
        }
        Fault::Recipient(why) => {
            tracing::warn!(
                message = row.id.get(),
                "the recipient of a message was rejected by the mail server"
            );
            if let Some(institution) = row.institution {
                mark_bounced(app, institution, to, &why).await?;
            }
            record(app, claim, row, State::Failed, Some(&why), counts).await
        }
        Fault::Temporary(why) => {
            record(app, claim, row, State::Queued, Some(&why), counts).await?;
            Err(Error::Unavailable("the mail server did not accept the message".to_owned()))
        }
    }
}

/// Later bulk messages are not sent to this address. It is marked before the message has failed: if the process dies in between, the
/// message is tried again.
async fn mark_bounced(app: &App, institution: InstitutionId, to: &Email, answer: &str) -> Result<()> {
    let (key, answer, now) = (to.key().to_owned(), answer.to_owned(), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(bounces::mark(sql, institution, &key, &answer, now).await?) })
        })
        .await
}

async fn end(app: &App, claim: Option<&Claim>, row: &Known, to: State, answer: Option<&str>) -> Result<()> {
    if to == State::Unconfirmed {
        tracing::warn!(
            message = row.id.get(),
            "a message was handed to the mail server, and its answer was lost; it is not sent again"
        );
    }
    record(app, claim, row, to, answer, false).await
}

/// Records an outcome. Before the message is handed over, only the worker that holds the job may do so: otherwise one that has lost
/// it would interfere with the next one. The outcome of a handover is recorded in any case.
async fn record(
    app: &App,
    claim: Option<&Claim>,
    row: &Known,
    to: State,
    answer: Option<&str>,
    counts: bool,
) -> Result<()> {
    let (claim, row, answer, now) = (claim.cloned(), row.clone(), answer.map(str::to_owned), app.clock.now());
    let changed = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                if let Some(claim) = &claim
                    && !store::jobs::holds_lease(sql, claim).await?
                {
                    return Ok(false);
                }
                let change = Change { to, answer: answer.as_deref(), counts };
                let changed = outbox::change(sql, &row, change, now).await?.is_some();
                // A code has arrived where page mails did not.
                if let (State::Sent, false, Some(institution)) = (to, row.message.is_bulk(), row.institution)
                {
                    bounces::clear(sql, institution, row.to.key()).await?;
                }
                Ok(changed)
            })
        })
        .await?;
    if changed {
        metrics::mail(if to == State::Queued { "deferred" } else { to.word() });
    }
    Ok(())
}

/// Ends a message whose job was given up.
pub(super) async fn give_up(
    sql: &mut Sql,
    institution: Option<InstitutionId>,
    id: MessageId,
    error: &str,
    now: Moment,
) -> Result<()> {
    let Some(row) = outbox::find(sql, institution, id).await? else { return Ok(()) };
    let to = match row.state {
        State::Queued => State::Failed,
        State::Sending => State::Unconfirmed,
        State::Sent | State::Failed | State::Unconfirmed | State::Expired => return Ok(()),
    };
    if outbox::change(sql, &row, Change { to, answer: Some(error), counts: false }, now).await?.is_some() {
        metrics::mail(to.word());
    }
    Ok(())
}

/// A message before it is sent.
struct Draft {
    to: Email,
    content: Rendered,
    /// Where the recipient can stop such messages.
    unsubscribe: Option<String>,
    /// Of the secrets in it.
    digests: Option<Digests>,
}

/// Renders a message. `None` if there is nothing to send any more.
async fn render(app: &App, row: &Known) -> Result<Option<Draft>> {
    let (to, rendered, digests) = match &row.message {
        Message::SignIn { request, base_url } => match sign_in::message(app, *request, base_url).await? {
            Some(SignInMail { to, content, digests }) => (to, templates::sign_in(&content), Some(digests)),
            None => return Ok(None),
        },
        Message::Test => (row.to.clone(), templates::test(Language::English), None),
        Message::Sample { page_mail: kind, language, base_url } => {
            let Some(institution) = row.institution else { return Ok(None) };
            let language = Language::parse(language).unwrap_or_default();
            let content = mail_texts::sample(app, institution, *kind, language, None, base_url).await?;
            (row.to.clone(), Ok(content), None)
        }
        Message::Warning { about, language, base_url } => {
            let Some(institution) = row.institution else { return Ok(None) };
            let owner = store::institutions::by_id(&mut app.db.read(), institution).await?;
            let Some(owner) = owner else { return Ok(None) };
            let language = Language::parse(language).unwrap_or_default();
            (row.to.clone(), templates::warning(about, &owner.name, base_url, language), None)
        }
        Message::Notice { about, page, language } => {
            let Some(institution) = row.institution else { return Ok(None) };
            let owner = store::institutions::by_id(&mut app.db.read(), institution).await?;
            let Some(owner) = owner else { return Ok(None) };
            let language = Language::parse(language).unwrap_or_default();
            (row.to.clone(), templates::notice(*about, &owner.name, page, language), None)
        }
        Message::Invitation { base_url, .. }
        | Message::Reminder { base_url, .. }
        | Message::Rejection { base_url, .. }
        | Message::EntryRejection { base_url, .. }
        | Message::RecordingRequest { base_url, .. }
        | Message::Retention { base_url, .. } => {
            let (Some(institution), Some(kind)) = (row.institution, row.message.page_mail()) else {
                return Ok(None);
            };
            return match page_mail::collect(app, institution, &row.message).await? {
                Some(mail) => draft(app, institution, kind, mail, base_url).await.map(Some),
                None => Ok(None),
            };
        }
    };
    let content =
        rendered.map_err(|error| Error::Internal(format!("rendering a message failed: {error}")))?;
    Ok(Some(Draft { to, content, unsubscribe: None, digests }))
}

/// A page mail with the text in force, and with the link that stops such messages.
async fn draft(
    app: &App,
    institution: InstitutionId,
    kind: PageMailKind,
    mail: PageMail,
    base_url: &str,
) -> Result<Draft> {
    let link = if mail.link.starts_with('/') { format!("{base_url}{}", mail.link) } else { mail.link };
    let mail = PageMail { link, ..mail };
    let text = mail_texts::find_in(&mut app.db.read(), institution, kind, mail.language).await?.text;
    let person = PersonId { institution, email_key: mail.to.key().to_owned() };
    let unsubscribe = opt_outs::link(app, base_url, &person)?;
    let content = mail_texts::written(kind, &mail, &text, Some(&unsubscribe))?;
    Ok(Draft { to: mail.to, content, unsubscribe: Some(unsubscribe), digests: None })
}

/// Messages, and the pages that they are about.
pub struct Found {
    /// Newest first.
    pub messages: Vec<OutboxMessage>,
    pub pages: HashMap<NamePageId, PageName>,
}

/// Messages of an institution. Managers see those about their pages.
pub async fn search(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    search: &outbox::Search,
    most: i64,
) -> Result<Found> {
    let own = actor.managed(institution)?;
    let sql = &mut app.db.read();
    let messages = outbox::search(sql, institution, own, search, most).await?;
    let mut pages: Vec<NamePageId> = messages.iter().filter_map(|message| message.page).collect();
    pages.sort_unstable();
    pages.dedup();
    Ok(Found { pages: page_lists::names_of(sql, institution, &pages).await?, messages })
}

pub async fn all(
    app: &App,
    actor: &Actor,
    state: Option<State>,
    most: i64,
) -> Result<Vec<(OutboxMessage, Option<String>)>> {
    Ok(outbox::all(&mut app.db.read(), actor.administered(None)?, state, most).await?)
}

/// Sends a message again that failed, expired or is unconfirmed: one of an institution, or of all that the actor administers. False if
/// there is no such message. Managers send those about their pages. A message whose code has expired is refused, and so is one of a kind
/// that only a newer version knows.
pub async fn retry(
    app: &App,
    actor: &Actor,
    institution: Option<InstitutionId>,
    id: MessageId,
) -> Result<bool> {
    let (scope, own) = match institution {
        Some(institution) => {
            (Scope::Institution(institution), actor.managed(institution)?.map(<[NamePageId]>::to_vec))
        }
        None => (actor.administered(None)?, None),
    };
    let (now, job_id) = (app.clock.now(), app.ids.id(app.clock.now()));
    let record = Record::new(app, actor, InstitutionId::default(), Act::MessageRetried);
    let requeued = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let Some(row) = outbox::find_in(sql, scope, id).await? else { return Ok(false) };
                let is_own = own.is_none_or(|own| row.page.is_some_and(|page| own.contains(&page)));
                if !is_own || !row.state.can_be_retried() {
                    return Ok(false);
                }
                let row = known(row)?;
                if !requeue(sql, &row, now).await? {
                    return Ok(false);
                }
                jobs::enqueue(sql, job_id, &row.job(), now, now).await?;
                if let Some(institution) = row.institution {
                    let record =
                        record.within(institution).about(SubjectKind::Message, id, row.message.kind());
                    audit::write(sql, &[record.person(row.to.key())]).await?;
                }
                Ok(true)
            })
        })
        .await?;
    app.queue.wake();
    Ok(requeued)
}

fn known(row: OutboxMessage) -> Result<Known> {
    row.known().ok_or_else(|| Error::invalid(Field::Message, MessageFault::Newer))
}

/// Makes a message deliverable again. False if another worker has changed it.
async fn requeue(sql: &mut Sql, row: &Known, now: Moment) -> Result<bool> {
    if let Message::SignIn { request, .. } = &row.message
        && !sign_in::is_open(sql, *request, now).await?
    {
        return Err(Error::invalid(Field::Message, MessageFault::CodeExpired));
    }
    Ok(outbox::requeue(sql, row, now.plus(row.message.lifetime()), now).await?)
}

/// Makes the message of a dead job deliverable again, or says why it is not.
pub(super) async fn revive(
    sql: &mut Sql,
    institution: Option<InstitutionId>,
    id: MessageId,
    now: Moment,
) -> Result<()> {
    let refuse = |fault: MessageFault| Err(Error::invalid(Field::Message, fault));
    let Some(row) = outbox::find(sql, institution, id).await? else { return refuse(MessageFault::Gone) };
    match row.state {
        State::Sent => return refuse(MessageFault::Sent),
        State::Sending | State::Unconfirmed => return refuse(MessageFault::Unconfirmed(id)),
        State::Queued | State::Failed | State::Expired => {}
    }
    if requeue(sql, &known(row)?, now).await? { Ok(()) } else { refuse(MessageFault::Sent) }
}

/// How long the oldest queued message has been waiting.
pub async fn queue_age(app: &App) -> Result<Duration> {
    let now = app.clock.now();
    Ok(now.since(outbox::oldest_queued(&mut app.db.read()).await?.unwrap_or(now)))
}

/// Removes messages that are older than `RETENTION`, and those that no worker took before they expired.
pub async fn remove_old(app: &App) -> Result<()> {
    remove_untaken(app).await?;
    let before = app.clock.now().minus(RETENTION);
    // The read is cheap, and avoids occupying the database's single writer.
    if !outbox::any_before(&mut app.db.read(), before).await? {
        return Ok(());
    }
    let removed = app
        .db
        .write::<_, Error>(move |sql| Box::pin(async move { Ok(outbox::delete_before(sql, before).await?) }))
        .await?;
    tracing::info!(removed, "old messages were removed");
    Ok(())
}

/// Without a mail server, no worker takes messages. Neither the addresses in them, which may be unknown, nor their jobs are kept.
async fn remove_untaken(app: &App) -> Result<()> {
    let before = app.clock.now().minus(UNTAKEN);
    let mut untaken = outbox::untaken(&mut app.db.read(), before).await?;
    if untaken.is_empty() {
        return Ok(());
    }
    untaken.sort_unstable();
    let removed = untaken.len();
    // Whoever erases somebody deletes several messages. Those of an institution have a lock; of the others, one is locked at a time.
    for group in untaken.chunk_by(|(a, _), (b, _)| a.is_some() && a == b) {
        let group = group.to_vec();
        app.db
            .write::<_, Error>(move |sql| {
                Box::pin(async move {
                    if let Some((Some(institution), _)) = group.first() {
                        rolls::lock(sql, *institution).await?;
                    }
                    for (institution, message) in group {
                        store::jobs::cancel(sql, &Job::SendMail { institution, message }).await?;
                        store::jobs::cancel(sql, &Job::SendBulkMail { institution, message }).await?;
                        outbox::delete_untaken(sql, institution, message).await?;
                    }
                    Ok(())
                })
            })
            .await?;
    }
    tracing::warn!(
        removed,
        "messages were removed that no worker had taken: is mail_url set where workers run?"
    );
    Ok(())
}

//! Operations on a person with all of their registrations, including the hidden ones of courses that they left: exporting
//! and erasing their data.

mod export;

pub use export::{Archive, Export, File, export};

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
    calls,
    calls::cancel_in,
    exports,
    imports::scrub,
    jobs,
    media::{self, Removal},
    members,
    participants::{PersonKey, page_of},
    sign_in,
};
use crate::{
    domain::{
        access::{Access, Action, SearchScope},
        audit::{Act, SubjectKind, Who, WhoKind},
        call::Reason,
        ids::{InstitutionId, JobId, NamePageId, ParticipantId},
        job::Job,
        media::Media,
        moment::Moment,
        name_page::NamePageRef,
        session::PersonId,
    },
    store::{
        self, Sql, call_takes,
        exports::Departing,
        lti_logins, lti_sessions, outbox,
        participants::{self, KeyFilter, KeyKind, hidden},
        persons::{self, Registration},
        rolls, sign_ins,
    },
};

/// The result of an erasure, and what is still pending.
#[derive(Debug, Clone)]
pub struct Erased {
    pub registrations: usize,
    /// Registrations in courses that they had left.
    pub hidden: usize,
    /// Recordings and pictures.
    pub media: usize,
    /// Files that could not be removed; the sweep retries.
    pub files_left: usize,
    /// Files on S3 are being removed.
    pub files_pending: bool,
    /// A report that contains them is being built, or could not be rewritten. It is shown without them, and a job rewrites it.
    pub report_under_way: bool,
    /// Why reports could not be rewritten.
    pub reports_failed: Option<String>,
    /// The number of call attempts with recordings at the cloud provider; jobs delete them there.
    pub takes_left: usize,
    pub files: Files,
}

/// When the files of a SQLite database are rewritten, so that they contain no deleted data. All writes wait meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrite {
    /// Before the erasure returns: for the operator, who chooses the hour.
    Now,
    /// With the next `VACUUM`, as after a deletion by the API. Deleted rows are overwritten with zeros in any case, and the
    /// write-ahead log is truncated soon.
    Later,
}

/// Whether the database's own files still contain deleted data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// No: the files were rewritten.
    Clean,
    /// Unknown: this is left to PostgreSQL's own tools.
    Postgres,
    /// Unknown: the files were not rewritten (`Rewrite::Later`).
    Kept,
    /// The files could not be rewritten, for this reason.
    Failed(String),
}

/// The registrations of a person. There are none of members, and of people who have been invited; `Missing` if the institution does not
/// know the email at all.
async fn registrations(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
) -> Result<Vec<Registration>> {
    let found = persons::registrations(sql, institution, email_key).await?;
    if found.is_empty() && !persons::is_on_record(sql, institution, email_key).await? {
        return Err(Error::Missing(Missing::Participant));
    }
    Ok(found)
}

/// Returns the registrations of a person, so that the operator can confirm the erasure.
pub async fn find(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    email_key: &str,
) -> Result<Vec<Registration>> {
    actor.administer(institution)?;
    registrations(&mut app.db.read(), institution, email_key).await
}

/// Erases the person with this email, and cancels their pending calls. All rows are deleted in one transaction, which takes
/// the institution's lock as every write of people does, so concurrent operations see the person completely or not at all.
/// Data outside the database is deleted afterwards; if that is interrupted or fails, the sweep and the job that rewrites
/// reports complete it. People can do this themselves. A member loses their role, so only owners erase other members, and the last
/// owner cannot be erased.
pub async fn erase(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    email_key: String,
    rewrite: Rewrite,
) -> Result<Erased> {
    let person = PersonId { institution, email_key: email_key.clone() };
    actor.represent(&person)?;
    let (now, owned_app, owned_actor) = (app.clock.now(), app.clone(), actor.clone());
    // Nothing in it tells who was erased.
    let record = Record::new(app, actor, institution, Act::PersonErased).about(SubjectKind::Person, "", "");
    let record = if actor.is_person(&person) { record.anonymous() } else { record };
    let (leaver, pages) = scrub::leaver(&mut app.db.read(), institution, &email_key).await?;
    let scrubbed = scrub::prepare(app, institution, &pages, &leaver).await?;
    let (registrations, gone, takes_left) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let registrations = registrations(sql, institution, &email_key).await?;
                let member = store::members::find(sql, &person).await?;
                if member.is_some() && !owned_actor.is_person(&person) {
                    owned_actor.own(institution)?;
                }
                members::keep_an_owner(sql, member.as_ref()).await?;
                let mut takes = 0;
                lock_calls(sql, institution, &registrations).await?;
                for one in &registrations {
                    takes += end_calls(sql, &owned_app, institution, *one, now).await?;
                    store::courses::staff::delete_of(sql, institution, one.id).await?;
                }
                let mut pages: Vec<NamePageId> = registrations.iter().map(|one| one.page).collect();
                pages.sort_unstable();
                pages.dedup();
                for page in pages {
                    scrub::apply(sql, institution, page, &scrubbed).await?;
                }
                let signature = member.as_ref().map(|member| member.email.as_str());
                store::members::forget(sql, institution, &email_key, signature).await?;
                lti_logins::delete_expired_of(sql, institution, now).await?;
                lti_sessions::delete_expired_of(sql, institution, now).await?;
                let is_known_elsewhere = sign_ins::is_known_elsewhere(sql, &person).await?;
                outbox::delete_of(sql, &person, !is_known_elsewhere).await?;
                sign_in::forget(sql, &person, is_known_elsewhere).await?;
                let gone = erase_in(sql, owned_app.ids.id(now), institution, &registrations, now).await?;
                store::audit::forget_scim_users(sql, institution, &email_key).await?;
                store::scim_users::leave(sql, institution, &email_key).await?;
                persons::delete_person(sql, institution, &email_key).await?;
                let ids: Vec<ParticipantId> = registrations.iter().map(|one| one.id).collect();
                store::audit::forget_person(sql, institution, (email_key.as_str(), signature), &ids).await?;
                store::tokens::forget_maker(sql, institution, &email_key).await?;
                if let Some(signature) = signature {
                    let author = audit::written_author(&Who::named(WhoKind::Member, signature));
                    store::imports::forget_author(sql, institution, &author).await?;
                }
                let before = json!({ "registrations": registrations.len() });
                audit::write(sql, &[record.change(before, Json::Null)]).await?;
                Ok((registrations, gone, takes))
            })
        })
        .await?;
    app.queue.wake();
    // Whoever chose the hour is told what is left. Nobody else waits for an S3 server that may not respond: the files are removed
    // afterwards, and the enqueued job rewrites the reports.
    let is_awaited = rewrite == Rewrite::Now || app.removal == Removal::Awaited;
    let (files_left, reports) = if is_awaited {
        let files_left = media::discard_now(app, institution, &gone).await;
        (files_left, leave_reports(app, institution, &registrations).await)
    } else {
        media::discard(app, institution, &gone).await;
        (0, are_in_reports(app, institution, &registrations).await)
    };
    let files = match rewrite {
        Rewrite::Now => rewritten(app).await,
        Rewrite::Later => Files::Kept,
    };
    let (report_under_way, reports_failed) = match reports {
        Ok(is_under_way) => (is_under_way, None),
        Err(error) => (true, Some(error.to_string())),
    };
    Ok(Erased {
        registrations: registrations.len(),
        hidden: registrations.iter().filter(|one| one.hidden).count(),
        media: gone.len(),
        files_left,
        files_pending: !is_awaited && !gone.is_empty(),
        report_under_way,
        reports_failed,
        takes_left,
        files,
    })
}

async fn rewritten(app: &App) -> Files {
    match app.db.rewrite().await {
        Ok(true) => Files::Clean,
        Ok(false) => Files::Postgres,
        Err(error) => Files::Failed(error.to_string()),
    }
}

/// Locks all calls of these registrations, before anything that is locked after a call.
async fn lock_calls(sql: &mut Sql, institution: InstitutionId, registrations: &[Registration]) -> Result<()> {
    let ids: Vec<ParticipantId> = registrations.iter().map(|one| one.id).collect();
    Ok(store::calls::lock_of(sql, institution, &ids).await?)
}

/// Cancels pending calls, deletes recordings at the cloud provider, and keeps opt-outs from calls without the phone number.
/// Returns the number of attempts with recordings at the provider.
async fn end_calls(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    registration: Registration,
    now: Moment,
) -> Result<usize> {
    let pending = store::calls::pending_of(sql, institution, registration.id).await?;
    cancel_in(sql, pending, Reason::ByOperator, app.ids.id(now), now).await?;
    let takes = end_takes(sql, app, institution, registration, now).await?;
    for number in persons::phone_numbers(sql, institution, registration).await? {
        store::calls::erase_opt_out(sql, institution, &number).await?;
    }
    Ok(takes)
}

/// Enqueues jobs that delete a person's recordings at the cloud provider. Returns the number of attempts with recordings.
async fn end_takes(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    registration: Registration,
    now: Moment,
) -> Result<usize> {
    let attempts = call_takes::attempts_of(sql, institution, registration.id).await?;
    for attempt in &attempts {
        let job = Job::DeleteTakes { institution, attempt: *attempt };
        jobs::enqueue(sql, app.ids.id(now), &job, now, now).await?;
    }
    Ok(attempts.len())
}

/// Removes a person from stored reports now instead of waiting for the enqueued job. Returns true if a report that may
/// contain them is still being built.
async fn leave_reports(
    app: &App,
    institution: InstitutionId,
    registrations: &[Registration],
) -> Result<bool> {
    match exports::scrub(app, institution).await {
        // `Unavailable`: for example, a worker rewrites the same reports concurrently. The enqueued job retries.
        Ok(()) | Err(Error::Unavailable(_)) => {}
        Err(other) => return Err(other),
    }
    are_in_reports(app, institution, registrations).await
}

/// Whether a stored report may still contain one of them. It is shown without them.
async fn are_in_reports(
    app: &App,
    institution: InstitutionId,
    registrations: &[Registration],
) -> Result<bool> {
    let departed = store::exports::departures(&mut app.db.read(), institution).await?;
    Ok(registrations.iter().any(|one| departed.contains(&one.id)))
}

/// Deletes registrations with all dependent rows, inside a transaction that holds the institution's lock. Returns the media
/// whose files must be removed afterwards.
async fn erase_in(
    sql: &mut Sql,
    job: JobId,
    institution: InstitutionId,
    registrations: &[Registration],
    now: Moment,
) -> Result<Vec<Media>> {
    // Hidden registrations were removed from reports when they were hidden.
    let seen: Vec<ParticipantId> = registrations.iter().filter(|one| !one.hidden).map(|one| one.id).collect();
    exports::leave(sql, job, institution, Departing::These(seen), now).await?;
    let mut gone = Vec::new();
    for one in registrations {
        if one.hidden {
            hidden::delete(sql, institution, one.id).await?;
        } else {
            participants::delete(sql, institution, one.page, one.id).await?;
        }
        store::calls::delete_of(sql, institution, one.id).await?;
        persons::delete_belongings(sql, institution, one.id).await?;
        gone.extend(store::media::delete_of(sql, institution, one.id).await?);
    }
    Ok(gone)
}

/// Deletes a person from a page: the registration with this email, and hidden registrations (people who left) with this
/// email, token or identifier.
pub async fn delete_from_page(
    app: &App,
    access: &Access,
    page: NamePageRef,
    person_key: PersonKey,
) -> Result<()> {
    access.check(Action::Write)?;
    let record = Record::of(app, access, Act::ParticipantDeleted);
    let (institution, now, access) = (access.institution, app.clock.now(), access.clone());
    let owned_app = app.clone();
    let job = app.ids.id(now);
    let gone = app
        .db
        .write_people::<_, Error>(institution, move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let page = page_of(sql, &access, &page).await?;
                let registrations = on_page(sql, institution, page, &person_key).await?;
                for one in &registrations {
                    if calls::is_pending(sql, institution, one.id).await? {
                        return Err(Error::PendingCalls);
                    }
                }
                lock_calls(sql, institution, &registrations).await?;
                for one in &registrations {
                    end_takes(sql, &owned_app, institution, *one, now).await?;
                }
                let emails = persons::emails(sql, institution, &registrations).await?;
                let records = deletions(sql, &owned_app, &record, &registrations).await?;
                let gone = erase_in(sql, job, institution, &registrations, now).await?;
                audit::write(sql, &records).await?;
                for email_key in emails {
                    store::invitations::delete_on_page(sql, institution, page, &email_key).await?;
                    forget_unregistered(sql, institution, &email_key, &registrations).await?;
                }
                Ok(gone)
            })
        })
        .await?;
    app.queue.wake();
    media::discard(app, institution, &gone).await;
    Ok(())
}

/// Records of registrations that are about to be deleted, with what they were.
pub(super) async fn deletions(
    sql: &mut Sql,
    app: &App,
    record: &Record,
    registrations: &[Registration],
) -> Result<Vec<Record>> {
    let mut records = Vec::with_capacity(registrations.len());
    for one in registrations {
        let record = record.another(&app.ids);
        let ids = [one.id];
        let found = match participants::by_ids(sql, record.institution(), &ids).await {
            // Unreadable stored values do not prevent the deletion.
            Err(store::Error::Broken(_)) => None,
            other => other?.pop(),
        };
        records.push(match found {
            Some(person) => {
                let fields = match person.custom.0.is_empty() {
                    true => Vec::new(),
                    false => store::custom_fields::all(sql, record.institution()).await?,
                };
                record.participant(&person).change(audit::of_participant(&person, &fields), Json::Null)
            }
            // They had left the course.
            None => record.about(SubjectKind::Participant, one.id, ""),
        });
    }
    Ok(records)
}

/// Deletes registrations with the invitations to their pages, and cancels their pending calls, inside a transaction that holds the
/// institution's lock. Whoever was invited again after their registration was hidden keeps that invitation. Returns the media whose files
/// must be removed afterwards.
pub(super) async fn delete_in(
    sql: &mut Sql,
    app: &App,
    record: &Record,
    registrations: &[Registration],
    now: Moment,
) -> Result<Vec<Media>> {
    let institution = record.institution();
    lock_calls(sql, institution, registrations).await?;
    for one in registrations {
        let pending = store::calls::pending_of(sql, institution, one.id).await?;
        cancel_in(sql, pending, Reason::ByOperator, app.ids.id(now), now).await?;
        end_takes(sql, app, institution, *one, now).await?;
    }
    let (mut by_email, mut others) = (BTreeMap::<String, Vec<Registration>>::new(), Vec::new());
    let mut invited_again: Vec<ParticipantId> = Vec::new();
    for one in registrations {
        let emails = persons::emails(sql, institution, &[*one]).await?;
        if emails.is_empty() {
            others.push(*one);
        }
        for email_key in emails {
            // Whoever has come back to the page after they left keeps the new invitation.
            let is_back =
                one.hidden && participants::registered(sql, institution, one.page, &email_key).await?.on_page;
            // The deletion has withdrawn the invitation of that time: this one is newer.
            let invited = (one.page, email_key.as_str());
            if !is_back && one.hidden && store::invitations::is_invited(sql, institution, invited).await? {
                invited_again.push(one.id);
                continue;
            }
            if !is_back {
                store::invitations::delete_on_page(sql, institution, one.page, &email_key).await?;
            }
            by_email.entry(email_key).or_default().push(*one);
        }
    }
    let records = deletions(sql, app, record, registrations).await?;
    let gone = erase_in(sql, app.ids.id(now), institution, registrations, now).await?;
    audit::write(sql, &records).await?;
    // They may be of many people, of whom some are registered elsewhere. Those without an email were found with the others of one person.
    let is_one_person = by_email.len() == 1;
    for (email_key, mut own) in by_email {
        if is_one_person {
            own.extend(&others);
        }
        forget_unregistered(sql, institution, &email_key, &own).await?;
    }
    // What they have agreed to, and their sessions, belong to the invitation.
    store::audit::forget_entries(sql, institution, &invited_again).await?;
    Ok(gone)
}

/// Deletes what is left of somebody whose last registrations were deleted: the audit log keeps what was done, without their data.
async fn forget_unregistered(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    deleted: &[Registration],
) -> Result<()> {
    if persons::delete_unregistered(sql, institution, email_key).await? {
        let ids: Vec<ParticipantId> = deleted.iter().map(|one| one.id).collect();
        store::audit::forget_registrations(sql, institution, email_key, &ids).await?;
    }
    Ok(())
}

/// Reads only ids, so that unreadable stored values do not prevent the deletion.
async fn on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    person_key: &PersonKey,
) -> Result<Vec<Registration>> {
    for (by, key) in person_key.by() {
        let mut registrations = Vec::new();
        if by == KeyKind::Email {
            let keys = [key];
            let filter = KeyFilter::new(SearchScope::Page(page), by, &keys);
            let found = participants::keys(sql, institution, filter).await?;
            registrations.extend(found.into_iter().map(|found| Registration {
                id: found.id,
                page,
                hidden: false,
            }));
        }
        let left = hidden::on_page(sql, institution, page, by, key).await?;
        registrations.extend(left.into_iter().map(|id| Registration { id, page, hidden: true }));
        if !registrations.is_empty() {
            return Ok(registrations);
        }
    }
    Err(Error::Missing(Missing::Participant))
}

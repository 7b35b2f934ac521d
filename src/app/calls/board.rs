//! What administrators of an institution see of its calls, and what they do besides canceling and retrying them.

use super::cancel_opted_out;
use crate::{
    app::{
        Actor, App, Error, Result,
        audit::{self, Record},
        own_person,
    },
    domain::{
        audit::{Act, SubjectKind, masked_number},
        call::Listed,
        fault::{CallFault, Fault, Field},
        ids::{CallId, InstitutionId},
        moment::Moment,
        phone_number::PhoneNumber,
        session::PersonId,
    },
    store::{Sql, call_attempts, calls},
};

/// The calls of an institution, as far as they are shown.
#[derive(Debug)]
pub struct Board {
    /// Being made.
    pub now: Vec<Listed>,
    /// Scheduled, the next one first.
    pub next: Vec<Listed>,
    /// Newest first.
    pub over: Vec<Listed>,
    /// Where `over` goes on.
    pub more: Option<CallId>,
}

/// At most `most` calls of each kind. Those that are over come from before `before`.
pub async fn board(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    before: Option<CallId>,
    most: usize,
) -> Result<Board> {
    actor.administer(institution)?;
    let (sql, count) = (&mut app.db.read(), i64::try_from(most).unwrap_or(i64::MAX));
    let mut board = Board {
        now: calls::under_way(sql, institution, count).await?,
        next: calls::scheduled(sql, institution, count).await?,
        over: calls::over(sql, institution, before.unwrap_or(CallId::new(i64::MAX)), count + 1).await?,
        more: None,
    };
    if board.over.len() > most {
        board.over.truncate(most);
        board.more = board.over.last().map(|call| call.id);
    }
    for listed in [&mut board.now, &mut board.next, &mut board.over] {
        add_attempts(sql, institution, listed).await?;
    }
    Ok(board)
}

async fn add_attempts(sql: &mut Sql, institution: InstitutionId, listed: &mut [Listed]) -> Result<()> {
    let ids: Vec<CallId> = listed.iter().map(|call| call.id).collect();
    let mut attempts = call_attempts::of_calls(sql, institution, &ids).await?;
    for call in listed {
        call.attempts = attempts.remove(&call.id).unwrap_or_default();
    }
    Ok(())
}

/// Calls an administrator for their own entry, to try out the phone. The rules are those for everybody. Returns when they are called
/// at the earliest.
pub async fn test(app: &App, actor: &Actor, person: &PersonId, number: &str) -> Result<Moment> {
    actor.administer(person.institution)?;
    let parsed = PhoneNumber::parse(number);
    if let Some(number) = &parsed
        && calls::is_opted_out(&mut app.db.read(), person.institution, number.e164()).await?
    {
        return Err(Error::invalid(Field::PhoneNumber, CallFault::OptedOut));
    }
    own_person::call(app, actor, person, number).await?;
    let parsed = parsed.ok_or_else(|| Error::invalid(Field::PhoneNumber, Fault::NotAPhoneNumber))?;
    Ok(app.calling.allowed_from(&parsed, app.clock.now()))
}

/// Adds a number to the do-not-call list, at the request of its owner, and cancels the calls to it.
pub async fn forbid(app: &App, actor: &Actor, institution: InstitutionId, number: PhoneNumber) -> Result<()> {
    actor.administer(institution)?;
    let (now, e164) = (app.clock.now(), number.e164().to_owned());
    let masked = masked_number(&e164);
    let record = Record::new(app, actor, institution, Act::PhoneOptedOut);
    let record = record.about(SubjectKind::PhoneNumber, &masked, &masked);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let was_listed = calls::is_opted_out(sql, institution, &e164).await?;
                calls::opt_out(sql, institution, &e164, now).await?;
                if !was_listed {
                    audit::write(sql, &[record]).await?;
                }
                Ok(())
            })
        })
        .await?;
    cancel_opted_out(app, institution, number.e164()).await
}

/// The do-not-call list in the order of the numbers, from after one of them on. Returns where to go on, if there are more.
pub async fn opted_out_after(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    after: &str,
    most: usize,
) -> Result<(Vec<(String, Moment)>, Option<String>)> {
    actor.administer(institution)?;
    let count = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
    let mut found = calls::opted_out_after(&mut app.db.read(), institution, after, count).await?;
    let has_more = found.len() > most;
    found.truncate(most);
    let next = found.last().filter(|_| has_more).map(|(number, _)| number.clone());
    Ok((found, next))
}

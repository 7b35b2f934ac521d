//! The pace of mail: one for all processes that share the database.

use super::{App, Error, Result};
use crate::{
    domain::{mail_pace::MailPace, moment::Moment},
    store::{Sql, mail_pace},
};

/// Waits until a page mail may be handed over. Turns are reserved one by one: those of a process that reserves several and is slow
/// would be lost to the others.
pub(super) async fn wait(app: &App) -> Result<()> {
    let (pace, now) = (app.mail.pace(), app.clock.now());
    let turn = app
        .db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move {
                let (turn, next) = pace.take(mail_pace::lock(sql).await?, now);
                mail_pace::set(sql, next).await?;
                Ok(turn)
            })
        })
        .await?;
    let left = turn.since(app.clock.now());
    if !left.is_zero() {
        app.clock.sleep(left).await;
    }
    Ok(())
}

/// Counts a message that does not wait, in the transaction that begins to send it. Page mails wait longer instead.
pub(super) async fn overtake(sql: &mut Sql, pace: MailPace, now: Moment) -> Result<()> {
    let turns = mail_pace::lock(sql).await?;
    Ok(mail_pace::set(sql, pace.overtake(turns, now)).await?)
}

//! The first turn to hand a message to the mail server that no process has reserved.

use super::{Error, Result, Row, Sql};
use crate::domain::{mail_pace::Turns, moment::Moment};

/// Takes the lock: no other process reserves a turn until the end of the transaction.
pub async fn lock(sql: &mut Sql) -> Result<Turns> {
    let text = "UPDATE mail_pace SET next_at = next_at WHERE id = 1 RETURNING next_at, page_mail_at";
    let read = |row: &Row<'_>| {
        Ok(Turns { free: Moment::from_micros(row.int(0)?), last_page_mail: Moment::from_micros(row.int(1)?) })
    };
    let next = sql.one(text, &[], read).await?;
    next.ok_or_else(|| Error::Broken("mail_pace has no row".to_owned()))
}

pub async fn set(sql: &mut Sql, turns: Turns) -> Result<()> {
    let text = "UPDATE mail_pace SET next_at = $1, page_mail_at = $2 WHERE id = 1";
    sql.execute(text, &[turns.free.micros().into(), turns.last_page_mail.micros().into()]).await.map(|_| ())
}

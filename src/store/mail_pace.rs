//! The first turn to hand a message to the mail server that no process has reserved.

use super::{Error, Result, Sql};
use crate::domain::moment::Moment;

/// Takes the lock: no other process reserves a turn until the end of the transaction.
pub async fn lock(sql: &mut Sql) -> Result<Moment> {
    let text = "UPDATE mail_pace SET next_at = next_at WHERE id = 1 RETURNING next_at";
    let next = sql.one(text, &[], |row| row.int(0).map(Moment::from_micros)).await?;
    next.ok_or_else(|| Error::Broken("mail_pace has no row".to_owned()))
}

pub async fn set(sql: &mut Sql, next: Moment) -> Result<()> {
    let text = "UPDATE mail_pace SET next_at = $1 WHERE id = 1";
    sql.execute(text, &[next.micros().into()]).await.map(|_| ())
}

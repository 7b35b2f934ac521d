//! Deletes entries that are older than their institution keeps them.

use crate::{
    app::{App, Error, Result},
    store::{audit, rolls},
};

/// Entries that are deleted in one transaction.
const BATCH: i64 = 1_000;

/// Deletes what has expired, in batches. If interrupted, the next run continues. Returns how many entries were deleted.
pub async fn run(app: &App) -> Result<u64> {
    let mut deleted = 0;
    for (institution, days) in audit::retentions(&mut app.db.read()).await? {
        let than = app.clock.now().plus_days(-days);
        // The read avoids occupying the database's single writer.
        while audit::has_older(&mut app.db.read(), institution, than).await? {
            deleted += app
                .db
                .write_bookkeeping::<_, Error>(move |sql| {
                    Box::pin(async move {
                        // Whoever is erased is forgotten in these entries under this lock.
                        rolls::lock(sql, institution).await?;
                        Ok(audit::delete_older(sql, institution, than, BATCH).await?)
                    })
                })
                .await?;
        }
    }
    Ok(deleted)
}

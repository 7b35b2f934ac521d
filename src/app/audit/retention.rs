//! Keeps the chain of the audit log: entries of older versions get into it, those whose time is over leave it, and the newest hash is logged.

use std::time::Duration;

use super::chain;
use crate::{
    app::{App, Error, Result, secrets},
    domain::ids::InstitutionId,
    store::{audit_seals, institutions},
};

/// How often the newest hash of each institution is logged.
const LOGGED_EVERY: Duration = Duration::from_secs(24 * 3_600);

/// Everything, in batches. If interrupted, the next run continues. Returns how many entries were deleted.
pub async fn run(app: &App) -> Result<u64> {
    adopt(app).await?;
    let mut deleted = 0;
    for institution in institutions::ids(&mut app.db.read()).await? {
        deleted += delete_expired(app, institution).await?;
    }
    log_newest(app).await?;
    secrets::note_key(app).await?;
    Ok(deleted)
}

/// Seals what older versions have written, before this one and beside it.
async fn adopt(app: &App) -> Result<()> {
    for institution in audit_seals::with_unsealed(&mut app.db.read()).await? {
        loop {
            let owned_app = app.clone();
            let adopted = app.db.write_bookkeeping::<_, Error>(move |sql| {
                Box::pin(
                    async move { Ok(audit_seals::adopt(sql, institution, || owned_app.ids.salts()).await?) },
                )
            });
            if adopted.await? == 0 {
                break;
            }
        }
    }
    Ok(())
}

async fn delete_expired(app: &App, institution: InstitutionId) -> Result<u64> {
    let (mut deleted, now) = (0, app.clock.now());
    let mut has_ended = false;
    // The read avoids occupying the database's single writer.
    while !audit_seals::ended(&mut app.db.read(), institution, now, 1).await?.is_empty() {
        has_ended = true;
        deleted += app
            .db
            .write_bookkeeping::<_, Error>(move |sql| {
                Box::pin(async move { Ok(audit_seals::end(sql, institution, now).await?) })
            })
            .await?;
    }
    if has_ended {
        let secrets = app.secrets.clone();
        app.db
            .write_bookkeeping::<_, Error>(move |sql| {
                Box::pin(async move {
                    let sign = |number, hash: &str| chain::sign(&secrets, institution, number, hash);
                    Ok(audit_seals::anchor(sql, institution, sign).await?)
                })
            })
            .await?;
    }
    Ok(deleted)
}

/// Whoever keeps the server's log elsewhere can tell later that a chain was made anew.
async fn log_newest(app: &App) -> Result<()> {
    let now = app.clock.now();
    let since = now.minus(LOGGED_EVERY);
    for (institution, slug) in audit_seals::unlogged(&mut app.db.read(), since).await? {
        let taken = app.db.write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move { Ok(audit_seals::take_to_log(sql, institution, since, now).await?) })
        });
        if let Some((number, hash)) = taken.await? {
            tracing::info!(institution = slug, number, hash, "the newest hash of the audit log");
        }
    }
    Ok(())
}

//! Deleting what was decided long ago.

use super::super::{
    App, Error, Result,
    audit::{self, MediaChange, Record},
    media,
};
use crate::{
    domain::{
        audit::{Act, Who},
        ids::{InstitutionId, ModerationId},
        media::Media,
        moderation::{About, Case},
        moment::Moment,
    },
    store::{self, moderation as cases, rolls},
};

/// Cases that are read at a time.
const PURGE_BATCH: i64 = 100;

/// Deletes decided cases after 30 days, with the recordings that were rejected or removed, and reports about recordings that were
/// replaced. Returns how many recordings were deleted.
pub async fn purge(app: &App) -> Result<usize> {
    let now = app.clock.now();
    let mut deleted = 0;
    loop {
        let mut due = cases::due(&mut app.db.read(), now, PURGE_BATCH).await?;
        if due.is_empty() {
            break;
        }
        due.sort_by_key(|(institution, _)| *institution);
        for group in due.chunk_by(|(a, _), (b, _)| a == b) {
            let (institution, ids) = (group[0].0, group.iter().map(|(_, case)| case.id).collect());
            let gone = purge_these(app, institution, ids, now).await?;
            deleted += gone.len();
            media::discard_now(app, institution, &gone).await;
        }
    }
    app.db.write::<_, Error>(|sql| Box::pin(async move { Ok(cases::delete_obsolete(sql).await?) })).await?;
    Ok(deleted)
}

async fn purge_these(
    app: &App,
    institution: InstitutionId,
    ids: Vec<ModerationId>,
    now: Moment,
) -> Result<Vec<Media>> {
    let (owned_app, record) = (app.clone(), Record::by(app, Who::SYSTEM, institution, Act::RecordingDeleted));
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let (mut gone, mut changes) = (Vec::new(), Vec::new());
                for id in ids {
                    // It may have been restored in the meantime, and decided about again.
                    let case = cases::find(sql, institution, id).await?;
                    let is_due = |case: &Case| case.purge_at.is_some_and(|purge_at| purge_at <= now);
                    let Some(case) = case.filter(is_due) else { continue };
                    if case.about == About::Recording && case.can_be_restored() {
                        let owner = case.participant;
                        let old: Vec<Media> = store::media::take_removed(sql, institution, owner, &case.hex)
                            .await?
                            .into_iter()
                            .collect();
                        changes.extend(MediaChange::deleted(owner, &old));
                        gone.extend(old);
                    }
                    cases::delete(sql, institution, (case.about, id)).await?;
                }
                audit::write_media(sql, &record, &owned_app.ids, &changes).await?;
                Ok(gone)
            })
        })
        .await
}

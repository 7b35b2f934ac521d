//! Hides registrations of people who have left, and shows them again when they return (ADR 14). The caller holds the institution's lock.

use super::{
    App, Result,
    calls::{self, CallChange},
    exports,
};
use crate::{
    domain::{
        call::Reason,
        ids::{InstitutionId, NamePageId, ParticipantId},
        moment::Moment,
    },
    store::{self, Sql, exports::Departing, participants::hidden},
};

/// Hides people of a page, and cancels their calls.
pub(super) async fn hide(
    sql: &mut Sql,
    app: &App,
    (institution, page): (InstitutionId, NamePageId),
    ids: Vec<ParticipantId>,
    now: Moment,
) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let pending = store::calls::pending_among(sql, institution, &ids).await?;
    for id in pending.iter().map(|call| call.participant) {
        let call_change = CallChange::Cancel(Reason::LeftCourse);
        let made = calls::Ids::new(app, now);
        calls::settle(sql, &app.calling, (institution, id), call_change, made, now).await?;
    }
    exports::leave(sql, app.ids.id(now), institution, Departing::These(ids.clone()), now).await?;
    Ok(hidden::hide(sql, institution, page, &ids).await?)
}

/// Shows people of a page again, in their former places.
pub(super) async fn show(
    sql: &mut Sql,
    (institution, page): (InstitutionId, NamePageId),
    ids: &[ParticipantId],
    now: Moment,
) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    exports::come_back(sql, institution, ids).await?;
    Ok(hidden::show(sql, institution, page, ids, now).await?)
}

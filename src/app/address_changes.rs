//! A directory or a learning system has changed somebody's address: both addresses are told, because what belonged to one belongs to the
//! other from now on.

use super::{App, Result, kept_recordings};
use crate::{
    domain::{digest, email::Email, ids::InstitutionId, message::Warning, moment::Moment, sign_in::masked},
    store::Sql,
};

/// Tells both addresses, if there are two. Each gets one mail, however many registrations have changed. The caller wakes the queue after
/// the commit.
pub(super) async fn tell(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    (before, after): (Option<&str>, Option<&str>),
    now: Moment,
) -> Result<()> {
    let (Some(before), Some(after)) = (before.and_then(Email::parse), after.and_then(Email::parse)) else {
        return Ok(());
    };
    if before.key() == after.key() {
        return Ok(());
    }
    let change = digest::hex(&digest::of(&format!("{} {}", before.key(), after.key())));
    let (old, new) = (masked(before.as_given()), masked(after.as_given()));
    for (to, side) in [(before, "old"), (after, "new")] {
        let about = Warning::AddressChanged {
            old: old.clone(),
            new: new.clone(),
            change: format!("{side}:{change}"),
        };
        kept_recordings::warn(sql, app, institution, to, about, now).await?;
    }
    Ok(())
}

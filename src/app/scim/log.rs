//! What a directory changes, in the audit log. Inside the transaction of the change.

use serde_json::{Value as Json, json};

use super::write::Context;
use crate::{
    app::{
        Result,
        audit::{self, Record},
        members, tokens,
    },
    domain::{
        audit::{Act, SubjectKind},
        email::Email,
        ids::ParticipantId,
        matching::TargetIdentity,
        member::{Member, Role},
        scim::{
            group::StoredGroup,
            user::{StoredUser, User},
        },
    },
    store::{Sql, participants},
};

impl Context {
    /// A record of whoever writes.
    pub(super) fn record(&self, act: Act) -> Record {
        self.log.then(&self.app.ids, act)
    }

    /// `before` and `after` are what a user was and is.
    pub(super) async fn log_user(
        &self,
        sql: &mut Sql,
        act: Act,
        stored: &StoredUser,
        (before, after): (Option<&User>, Option<&User>),
    ) -> Result<()> {
        let label = stored.user.resource.get("userName").and_then(Json::as_str).unwrap_or_default();
        let record = self.record(act).about(SubjectKind::ScimUser, stored.id, label);
        // The newer address: that is the one by which the person is erased.
        let email = [after, before].into_iter().flatten().find_map(|user| user.email.as_ref());
        let record = match email {
            Some(email) => record.person(email.key()),
            None => record,
        };
        let values = |user: Option<&User>| user.map_or(Json::Null, of_user);
        Ok(audit::write(sql, &[record.change(values(before), values(after))]).await?)
    }

    pub(super) async fn log_group(
        &self,
        sql: &mut Sql,
        act: Act,
        group: &StoredGroup,
        (before, after): (Json, Json),
    ) -> Result<()> {
        let record = self.record(act).about(SubjectKind::ScimGroup, group.id, &group.group.display_name);
        Ok(audit::write(sql, &[record.change(before, after)]).await?)
    }

    /// Writes that these people were hidden or shown. Hidden people cannot be read, so it comes before they are hidden, and after they are
    /// shown.
    pub(super) async fn log_people(&self, sql: &mut Sql, act: Act, people: &[ParticipantId]) -> Result<()> {
        audit::write_each(sql, &self.record(act), &self.app.ids, people).await
    }

    pub(super) async fn log_created(&self, sql: &mut Sql, new: &[ParticipantId]) -> Result<()> {
        let people = participants::by_ids(sql, self.institution, new).await?;
        let records: Vec<Record> = people
            .iter()
            .map(|person| {
                let record = self.record(Act::ParticipantCreated).participant(person);
                record.change(Json::Null, audit::of_participant(person, &[]))
            })
            .collect();
        Ok(audit::write(sql, &records).await?)
    }

    /// Writes that a registration has another name or email, if it has.
    pub(super) async fn log_identity(
        &self,
        sql: &mut Sql,
        id: ParticipantId,
        before: &TargetIdentity,
        after: &TargetIdentity,
    ) -> Result<()> {
        let record = self.record(Act::ParticipantUpdated).change(of_identity(before), of_identity(after));
        if !record.is_change() {
            return Ok(());
        }
        let record = audit::of_registration(sql, record, id).await?;
        let (old, new) = (before.email_key.as_deref(), after.email_key.as_deref());
        Ok(audit::write(sql, &record.of_both(&self.app.ids, old, new)).await?)
    }

    /// Writes that somebody has got, changed or lost a role.
    pub(super) async fn log_role(
        &self,
        sql: &mut Sql,
        before: Option<&Member>,
        after: Option<&Member>,
    ) -> Result<()> {
        let Some(member) = after.or(before) else { return Ok(()) };
        let act = if after.is_some() { Act::MemberSet } else { Act::MemberRemoved };
        // Nobody can be asked about their tokens.
        let kept = tokens::kept(&tokens::left_behind(sql, before, after, self.now).await?);
        let values = |member: Option<&Member>| member.map_or_else(|| json!({}), members::values);
        let after = audit::with(values(after), kept);
        let record = members::about(self.record(act), member).change(values(before), after);
        audit::write_change(sql, record).await
    }
}

fn of_user(user: &User) -> Json {
    let identity = user.identity();
    json!({
        "user_name": user.resource.get("userName"),
        "external_id": user.external_id,
        "active": user.active,
        "directory_hold": user.directory_hold(),
        "email": user.email.as_ref().map(Email::as_given),
        "first_name": identity.first_name,
        "last_name": identity.last_name,
    })
}

fn of_identity(identity: &TargetIdentity) -> Json {
    json!({
        "first_name": identity.first_name,
        "last_name": identity.last_name,
        "email": identity.email,
        "institution_id": identity.identifier,
    })
}

/// A group without its members.
pub(super) fn of_group(group: &StoredGroup) -> Json {
    let pages: Vec<String> = group.mapping.pages().iter().map(ToString::to_string).collect();
    json!({
        "display_name": group.group.display_name,
        "external_id": group.group.external_id,
        "role": group.mapping.role().map(Role::word),
        "name_pages": (!pages.is_empty()).then_some(pages),
    })
}

/// How many users have become members of a group, and how many are members no more.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moved {
    pub(super) added: u64,
    pub(super) removed: u64,
}

impl Moved {
    pub(super) fn and(self, other: Self) -> Self {
        Self { added: self.added + other.added, removed: self.removed + other.removed }
    }

    pub(super) const fn is_nobody(self) -> bool {
        self.added == 0 && self.removed == 0
    }

    pub(super) fn values(self) -> Json {
        let some = |count: u64| (count > 0).then_some(count);
        json!({ "members_added": some(self.added), "members_removed": some(self.removed) })
    }
}

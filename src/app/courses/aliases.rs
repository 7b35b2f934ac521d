//! Courses that several tool consumers reach: which of them synchronizes the course, and whose user ids it uses.

use std::collections::HashSet;

use crate::{
    app::{Error, Missing, Result},
    domain::{
        course::{Course, Sync, foreign_id, share_users},
        ids::InstitutionId,
        scope::Scope,
        tool_consumer::{LmsKind, ToolConsumer},
    },
    lms::Found,
    store::{
        self, Sql,
        courses::{
            self,
            aliases::{self, Alias, Identity},
            members, staff,
        },
    },
};

/// Whether a tool consumer that reaches another one's course takes over its synchronization. Web services are preferred to
/// LTI because they return more data about people. A disabled owner is replaced if the new one can be queried, and so is a
/// failing LTI registration by another one with the same platform. Never while a synchronization is queued or running, since
/// its roster has the old owner's ids.
pub fn takes_over(
    consumer: &ToolConsumer,
    owner: &ToolConsumer,
    course: &Course,
    memberships_url: Option<&str>,
) -> bool {
    let is_lti = |one: &ToolConsumer| one.kind == LmsKind::Lti;
    if owner.id == consumer.id || course.sync == Sync::Running {
        return false;
    }
    let can_be_asked = !is_lti(consumer) || memberships_url.is_some();
    let is_broken = !owner.is_open()
        || (is_lti(consumer) && is_lti(owner) && share_users(owner, consumer) && course.error.is_some());
    (!is_lti(consumer) && is_lti(owner)) || (can_be_asked && is_broken)
}

/// Stores that this tool consumer also reaches the course, and takes it over if `takes_over` says so.
pub(super) async fn reach(
    sql: &mut Sql,
    course: Course,
    consumer: &ToolConsumer,
    found: &Found,
) -> Result<Course> {
    let institution = consumer.institution;
    let alias = Alias {
        tool_consumer: consumer.id,
        external_id: found.id.clone(),
        course: course.id,
        memberships_url: found.memberships_url.clone(),
    };
    aliases::set(sql, institution, &alias).await?;
    let owner = owner(sql, institution, &course).await?;
    if !takes_over(consumer, &owner, &course, found.memberships_url.as_deref()) {
        return Ok(course);
    }
    let old = Alias {
        tool_consumer: owner.id,
        external_id: course.external_id.clone(),
        course: course.id,
        memberships_url: course.memberships_url.clone(),
    };
    aliases::set(sql, institution, &old).await?;
    transfer_to(sql, &course, &owner, (consumer, &alias)).await?;
    let (sync, external_id) = (course.sync, alias.external_id);
    Ok(Course {
        tool_consumer: consumer.id,
        external_id,
        memberships_url: alias.memberships_url,
        sync,
        ..course
    })
}

async fn owner(sql: &mut Sql, institution: InstitutionId, course: &Course) -> Result<ToolConsumer> {
    let scope = Scope::Institution(institution);
    let found = store::tool_consumers::find(sql, scope, course.tool_consumer).await?;
    found.ok_or(Error::Missing(Missing::ToolConsumer))
}

/// Transfers the course to the alias's tool consumer. Renames its members to that one's user ids, unless the two share users.
pub(super) async fn transfer_to(
    sql: &mut Sql,
    course: &Course,
    old: &ToolConsumer,
    (new, alias): (&ToolConsumer, &Alias),
) -> Result<()> {
    let institution = new.institution;
    aliases::remove(sql, institution, alias).await?;
    let target = (new.id, alias.external_id.as_str());
    courses::transfer(sql, institution, course.id, target, alias.memberships_url.as_deref()).await?;
    if share_users(old, new) {
        return Ok(());
    }
    let known = aliases::identities(sql, institution, course.id).await?;
    let mut names = Names::default();
    let mut renamed = Vec::new();
    for (user_id, participant) in members::linked(sql, institution, course.id).await? {
        // People who launched through the new tool consumer already have its prefixed id.
        let ours = user_id.strip_prefix(&foreign_id(new.id, "")).map(str::to_owned);
        let identity = known.iter().find(|one| one.tool_consumer == new.id && one.participant == participant);
        let now_called = match (ours, identity) {
            (Some(own), _) => own,
            (None, Some(identity)) => identity.user_id.clone(),
            (None, None) => foreign_id(old.id, &user_id),
        };
        if !user_id.starts_with(&foreign_id(new.id, "")) {
            let who = Identity { tool_consumer: old.id, user_id: user_id.clone(), participant };
            aliases::identify(sql, institution, course.id, &who).await?;
        }
        let now_called = names.take(now_called, || foreign_id(old.id, &user_id));
        // The new id may still be in use by another member, so rename in two passes.
        let between = format!("{TEMPORARY_PREFIX}{participant}");
        members::rename(sql, institution, (course.id, participant), &between).await?;
        renamed.push((participant, now_called));
    }
    for (participant, now_called) in renamed {
        members::rename(sql, institution, (course.id, participant), &now_called).await?;
    }
    let mut names = Names::default();
    let mut renamed = Vec::new();
    for one in staff::all(sql, institution, course.id).await? {
        let ours = one.user_id.strip_prefix(&foreign_id(new.id, "")).map(str::to_owned);
        let marked = || foreign_id(old.id, &one.user_id);
        let now_called = names.take(ours.unwrap_or_else(marked), marked);
        let between = format!("{TEMPORARY_PREFIX}{}", one.user_id);
        staff::rename(sql, institution, course.id, (&one.user_id, &between)).await?;
        renamed.push((between, now_called));
    }
    for (between, now_called) in renamed {
        staff::rename(sql, institution, course.id, (&between, &now_called)).await?;
    }
    Ok(aliases::delete_identities(sql, institution, course.id, new.id).await?)
}

/// Prefix of the temporary ids during a rename. No platform's ids start with it.
const TEMPORARY_PREFIX: &str = "~ ";

/// The ids assigned so far, to keep them unique.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    fn take(&mut self, wanted: String, otherwise: impl FnOnce() -> String) -> String {
        let name = if self.0.contains(&wanted) { otherwise() } else { wanted };
        self.0.insert(name.clone());
        name
    }
}

/// Transfers a tool consumer's courses to others that reach them, before it is deleted. The caller holds the institution's
/// lock.
pub async fn promote(sql: &mut Sql, leaving: &ToolConsumer) -> Result<()> {
    let institution = leaving.institution;
    for course in courses::all(sql, institution, leaving.id).await? {
        let heirs = aliases::of_course(sql, institution, course.id).await?;
        let Some(alias) = heirs.into_iter().find(|alias| alias.tool_consumer != leaving.id) else { continue };
        let scope = Scope::Institution(institution);
        if let Some(heir) = store::tool_consumers::find(sql, scope, alias.tool_consumer).await? {
            transfer_to(sql, &course, leaving, (&heir, &alias)).await?;
        }
    }
    Ok(())
}

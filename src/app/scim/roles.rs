//! Roles that follow the groups of a directory, inside the transaction that changes them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::write::Context;
use crate::{
    app::{App, Result, audit::Record, members},
    domain::{
        email::Email,
        ids::{InstitutionId, NamePageId, ScimGroupId, ScimUserId},
        member::{Member, Role},
        scim::group::Mapping,
        session::PersonId,
    },
    store::{self, Sql, scim_groups, scim_registrations, scim_users, sessions, sign_ins},
};

/// The roles that groups give to people, by the keys of their emails.
#[derive(Default)]
pub(super) struct Roles(BTreeMap<String, Given>);

struct Given {
    email: Email,
    role: Role,
    pages: BTreeSet<NamePageId>,
}

impl Roles {
    /// Of several roles, the highest one counts, with the pages of all groups that give it.
    pub(super) fn add(&mut self, email: &Email, role: Role, pages: &[NamePageId]) {
        let pages = || if role.has_all_pages() { BTreeSet::new() } else { pages.iter().copied().collect() };
        let given = self.0.entry(email.key().to_owned());
        let given = given.or_insert_with(|| Given { email: email.clone(), role, pages: pages() });
        if rank(role) < rank(given.role) {
            *given = Given { email: email.clone(), role, pages: pages() };
        } else if role == given.role {
            given.pages.extend(pages());
        }
    }

    /// What groups give to the person with this email.
    async fn of(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<Self> {
        let users = scim_users::by_emails(sql, institution, &[email_key]).await?;
        let active = users.into_iter().filter(|user| user.user.active);
        let emails: BTreeMap<ScimUserId, Email> =
            active.filter_map(|user| Some((user.id, user.user.email?))).collect();
        let ids: Vec<ScimUserId> = emails.keys().copied().collect();
        let groups = scim_groups::of_users(sql, institution, &ids).await?;
        let group_ids: BTreeSet<ScimGroupId> = groups.iter().map(|(_, group)| group.id).collect();
        let group_ids: Vec<ScimGroupId> = group_ids.into_iter().collect();
        let pages = scim_groups::pages(sql, institution, &group_ids).await?;
        let mut roles = Self::default();
        for (user, group) in groups {
            if let (Mapping::Role(role, _), Some(email)) = (&group.mapping, emails.get(&user)) {
                let pages = pages.get(&group.id).map(Vec::as_slice).unwrap_or_default();
                roles.add(email, *role, pages);
            }
        }
        Ok(roles)
    }
}

/// Owners come first.
fn rank(role: Role) -> usize {
    Role::ALL.into_iter().position(|one| one == role).unwrap_or(Role::ALL.len())
}

/// There is a new owner: takes the role from one who stayed only because there was no other. `log` is of whoever has made the new one.
/// The caller holds the institution's lock.
pub(in crate::app) async fn release_owners(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    log: Record,
) -> Result<()> {
    let context = Context {
        app: app.clone(),
        institution,
        connection: None,
        makes_pages: false,
        now: app.clock.now(),
        log,
    };
    context.release_owners(sql).await
}

impl Context {
    /// Gives and takes the roles of the people with these keys. `disabled` are those who have no active user: they lose a role that was
    /// given by hand, too. The last owner stays.
    pub(super) async fn settle_roles(
        &self,
        sql: &mut Sql,
        keys: &[&str],
        roles: &Roles,
        disabled: &HashSet<&str>,
    ) -> Result<()> {
        let marked = scim_registrations::with_role(sql, self.institution, keys).await?;
        for member in store::members::leaving(sql, self.institution).await? {
            if keys.contains(&member.person.email_key.as_str()) {
                store::members::set_leaving(sql, &member.person, false).await?;
            }
        }
        // First those who get a role: one of them may be an owner.
        for (email_key, given) in &roles.0 {
            self.give_role(sql, email_key, given, marked.contains(email_key)).await?;
        }
        for email_key in keys.iter().filter(|key| !roles.0.contains_key(**key)) {
            if marked.contains(*email_key) || disabled.contains(email_key) {
                self.take_role(sql, email_key).await?;
            }
        }
        if roles.0.values().any(|given| given.role == Role::Owner) {
            self.release_owners(sql).await?;
        }
        Ok(())
    }

    /// A role that was given by hand stays as it is.
    async fn give_role(&self, sql: &mut Sql, email_key: &str, given: &Given, is_marked: bool) -> Result<()> {
        let person = PersonId { institution: self.institution, email_key: email_key.to_owned() };
        let before = store::members::find(sql, &person).await?;
        if given.email.is_lookalike() || (before.is_some() && !is_marked) {
            return Ok(());
        }
        let member = Member {
            person,
            email: given.email.as_given().to_owned(),
            role: given.role,
            pages: given.pages.iter().copied().collect(),
            created_at: before.as_ref().map_or(self.now, |before| before.created_at),
        };
        if before.as_ref() == Some(&member) {
            return Ok(());
        }
        if let Some(before) = before.as_ref().filter(|_| member.role != Role::Owner)
            && self.keeps(sql, before).await?
        {
            return Ok(());
        }
        members::set_in(sql, &member, before.as_ref()).await?;
        self.log_role(sql, before.as_ref(), Some(&member)).await?;
        Ok(scim_registrations::mark_role(sql, self.institution, email_key, self.now).await?)
    }

    async fn take_role(&self, sql: &mut Sql, email_key: &str) -> Result<()> {
        let person = PersonId { institution: self.institution, email_key: email_key.to_owned() };
        let Some(member) = store::members::find(sql, &person).await? else {
            return Ok(scim_registrations::unmark_role(sql, self.institution, email_key).await?);
        };
        if self.keeps(sql, &member).await? {
            return Ok(());
        }
        members::remove_in(sql, &person).await?;
        self.log_role(sql, Some(&member), None).await
    }

    /// Is this the last owner? They stay, until `release_owners`.
    async fn keeps(&self, sql: &mut Sql, member: &Member) -> Result<bool> {
        let is_last = members::is_last_owner(sql, member).await?;
        if is_last {
            store::members::set_leaving(sql, &member.person, true).await?;
            let institution = self.institution;
            tracing::warn!(%institution, "the last owner has left the directory or its group of owners, and stays");
        }
        Ok(is_last)
    }

    async fn release_owners(&self, sql: &mut Sql) -> Result<()> {
        for member in store::members::leaving(sql, self.institution).await? {
            store::members::set_leaving(sql, &member.person, false).await?;
            let email_key = &member.person.email_key;
            let roles = Roles::of(sql, self.institution, email_key).await?;
            match roles.0.get(email_key) {
                Some(given) => self.give_role(sql, email_key, given, true).await?,
                None => self.take_role(sql, email_key).await?,
            }
            // They may have signed in again since they were disabled.
            sessions::delete_all_of(sql, self.institution, email_key).await?;
            sign_ins::delete_of(sql, &member.person).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_role_counts_with_the_pages_of_all_groups_that_give_it() {
        let ana = Email::parse("Ana@x.org").unwrap();
        let [one, two, three] = [1, 2, 3].map(NamePageId::new);
        let mut roles = Roles::default();
        for (role, page) in
            [(Role::Reader, one), (Role::Manager, two), (Role::Manager, three), (Role::Reader, one)]
        {
            roles.add(&ana, role, &[page]);
        }
        let given = &roles.0["ana@x.org"];
        assert_eq!((given.role, given.pages.clone()), (Role::Manager, BTreeSet::from([two, three])));
        roles.add(&ana, Role::Owner, &[one]);
        let given = &roles.0["ana@x.org"];
        assert_eq!((given.role, given.pages.len()), (Role::Owner, 0));
    }
}

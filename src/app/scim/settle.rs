//! Lets registrations and roles follow the users of a directory, inside the transaction that changes them. What happens to registrations is
//! decided by `domain/scim/plan.rs`.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use super::write::Context;
use crate::{
    app::{
        Result, hiding, members,
        own_recordings::{self, Copies},
        participants::start,
    },
    domain::{
        audit::Act,
        email::Email,
        ids::{NamePageId, ParticipantId, ScimGroupId, ScimUserId},
        matching::{self, TargetIdentity},
        member::{Member, Role},
        own_recording::Registration,
        participant::Participant,
        scim::{
            group::{Mapping, StoredGroup},
            plan::{Entry, Link, Plan, Subject},
            user::{StoredUser, User},
        },
        session::PersonId,
    },
    store::{
        self, Sql, imports, outsiders,
        participants::{self, Record},
        rolls, scim_groups, scim_registrations, scim_users, sessions, sign_ins,
    },
};

/// How many people follow in one transaction.
const BATCH: i64 = 200;

pub(super) struct Settling {
    pub(super) context: Context,
    copies: Copies,
    /// New registrations of people who have a recording elsewhere; their places are those of the copies.
    starting: Arc<Mutex<Vec<Registration>>>,
    /// The copies that were attached to somebody.
    pub(super) used: HashSet<String>,
    /// Emails that users have had before.
    left: Vec<String>,
}

/// By what people are told apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    Email(String),
    /// A user without an email.
    User(ScimUserId),
}

impl Key {
    fn of(user: &StoredUser) -> Self {
        match &user.user.email {
            Some(email) => Self::Email(email.key().to_owned()),
            None => Self::User(user.id),
        }
    }
}

/// The role that groups give to a person.
struct Given {
    email: Email,
    role: Role,
    pages: BTreeSet<NamePageId>,
}

/// Everything that concerns the people of a batch.
struct Batch {
    users: BTreeMap<ScimUserId, StoredUser>,
    subjects: BTreeMap<Key, Subject>,
    roles: BTreeMap<String, Given>,
}

impl Settling {
    pub(super) fn new(context: Context, copies: Copies, starting: Arc<Mutex<Vec<Registration>>>) -> Self {
        Self { context, copies, starting, used: HashSet::new(), left: Vec::new() }
    }

    /// Lets the next people follow. Returns whether there may be more.
    pub(super) async fn settle_pending(&mut self, sql: &mut Sql) -> Result<bool> {
        let institution = self.context.institution;
        let users = scim_users::pending(sql, institution, BATCH).await?;
        let ids: Vec<ScimUserId> = users.iter().map(|user| user.id).collect();
        self.settle(sql, &users).await?;
        scim_users::set_pending(sql, institution, &ids, false).await?;
        Ok(i64::try_from(ids.len()).is_ok_and(|count| count == BATCH))
    }

    pub(super) async fn settle(&mut self, sql: &mut Sql, users: &[StoredUser]) -> Result<()> {
        let left = std::mem::take(&mut self.left);
        if users.is_empty() && left.is_empty() {
            return Ok(());
        }
        let emails = users.iter().filter_map(|user| user.user.email.as_ref());
        let keys: BTreeSet<String> = emails.map(|email| email.key().to_owned()).chain(left).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let batch = self.read(sql, users, &keys).await?;
        self.settle_registrations(sql, &batch).await?;
        self.end_sessions(sql, &batch).await?;
        self.settle_roles(sql, &keys, batch.roles).await
    }

    async fn read(&self, sql: &mut Sql, users: &[StoredUser], keys: &[&str]) -> Result<Batch> {
        let institution = self.context.institution;
        let same = scim_users::by_emails(sql, institution, keys).await?;
        let users: BTreeMap<ScimUserId, StoredUser> =
            users.iter().cloned().chain(same).map(|user| (user.id, user)).collect();
        let mut subjects: BTreeMap<Key, Subject> = BTreeMap::new();
        for user in users.values() {
            let subject = subjects.entry(Key::of(user)).or_default();
            subject.users.insert(user.id);
            subject.active |= user.user.active;
        }
        let ids: Vec<ScimUserId> = users.keys().copied().collect();
        for entry in scim_registrations::following(sql, institution, &ids).await? {
            let user = entry.link.and_then(|link| users.get(&link.user));
            if let Some(subject) = user.and_then(|user| subjects.get_mut(&Key::of(user))) {
                subject.entries.push(entry);
            }
        }
        for (email_key, entry) in scim_registrations::by_emails(sql, institution, keys).await? {
            let subject = subjects.get_mut(&Key::Email(email_key));
            if let Some(subject) = subject.filter(|one| !one.entries.iter().any(|known| known.id == entry.id))
            {
                subject.entries.push(entry);
            }
        }
        let mut batch = Batch { users, subjects, roles: BTreeMap::new() };
        let groups = scim_groups::of_users(sql, institution, &ids).await?;
        let group_ids: BTreeSet<ScimGroupId> = groups.iter().map(|(_, group)| group.id).collect();
        let group_ids: Vec<ScimGroupId> = group_ids.into_iter().collect();
        let pages = scim_groups::pages(sql, institution, &group_ids).await?;
        for (user, group) in groups {
            let pages = pages.get(&group.id).map(Vec::as_slice).unwrap_or_default();
            batch.add_group(user, &group, pages);
        }
        Ok(batch)
    }

    async fn settle_registrations(&mut self, sql: &mut Sql, batch: &Batch) -> Result<()> {
        let (institution, now) = (self.context.institution, self.context.now);
        let mut all = Plan::default();
        let mut vouched: Vec<(PersonId, NamePageId)> = Vec::new();
        for (key, subject) in &batch.subjects {
            let plan = Plan::new(subject);
            if let Key::Email(email_key) = key {
                let person = || PersonId { institution, email_key: email_key.clone() };
                vouched.extend(adopted(&plan, &subject.entries).map(|page| (person(), page)));
                all.create.extend(plan.create);
            }
            all.hide.extend(plan.hide);
            all.show.extend(plan.show);
            all.link.extend(plan.link);
            all.unlink.extend(plan.unlink);
        }
        for (page, ids) in by_page(all.hide) {
            self.context.log_people(sql, Act::ParticipantHidden, &ids).await?;
            hiding::hide(sql, &self.context.app, (institution, page), ids, now).await?;
        }
        let shown: Vec<ParticipantId> = all.show.iter().map(|(_, id)| *id).collect();
        let superseded = scim_registrations::superseded(sql, institution, &shown).await?;
        if !superseded.is_empty() {
            participants::clear_emails(sql, institution, &superseded.iter().collect::<Vec<_>>()).await?;
        }
        for (page, ids) in by_page(all.show) {
            hiding::show(sql, (institution, page), &ids, now).await?;
            self.context.log_people(sql, Act::ParticipantShown, &ids).await?;
        }
        scim_registrations::unlink(sql, institution, &all.unlink).await?;
        scim_registrations::link(sql, institution, &all.link).await?;
        for (person, page) in vouched {
            outsiders::admit(sql, &person, page).await?;
        }
        self.create(sql, batch, by_page(all.create)).await
    }

    /// Registers people, each with the recording that they have made elsewhere.
    async fn create(
        &mut self,
        sql: &mut Sql,
        batch: &Batch,
        new: BTreeMap<NamePageId, Vec<ScimUserId>>,
    ) -> Result<()> {
        let institution = self.context.institution;
        let (mut records, mut links) = (Vec::new(), Vec::new());
        for (page, users) in new {
            let count = i64::try_from(users.len()).unwrap_or(i64::MAX);
            let first = rolls::join_all(sql, institution, rolls::INSTITUTION, count).await?;
            let first_place = rolls::join_all(sql, institution, page, count).await?;
            let users = users.iter().filter_map(|user| batch.users.get(user));
            for (nth, user) in (0_i64..).zip(users) {
                let record = self.record(page, user, (first + nth, first_place + nth));
                links.push((record.person.id, Link { user: user.id, parked: false }));
                records.push(record);
            }
        }
        participants::insert_all(sql, institution, &records).await?;
        scim_registrations::link(sql, institution, &links).await?;
        self.start(sql, &records).await?;
        let new: Vec<ParticipantId> = records.iter().map(|record| record.person.id).collect();
        self.context.log_created(sql, &new).await
    }

    fn record(&self, page: NamePageId, user: &StoredUser, (id, place): (i64, i64)) -> Record {
        let identity = user.user.identity();
        let mut person = Participant::new(ParticipantId::new(id), place, self.context.app.ids.hex());
        person.first_name = identity.first_name;
        person.last_name = identity.last_name;
        person.email = identity.email.as_ref().map(|email| email.as_given().to_owned());
        Record {
            person,
            name_page_id: page,
            email_key: identity.email.map(|email| email.key().to_owned()),
            identifier_key: None,
            phone_number: None,
            now: self.context.now,
        }
    }

    async fn start(&mut self, sql: &mut Sql, records: &[Record]) -> Result<()> {
        let (institution, now) = (self.context.institution, self.context.now);
        let keys: Vec<&str> = records.iter().filter_map(|record| record.email_key.as_deref()).collect();
        let recorded = imports::recorded(sql, institution, &keys).await?;
        let is_recorded =
            |record: &&Record| record.email_key.as_ref().is_some_and(|key| recorded.contains(key));
        let starting: Vec<&Record> = records.iter().filter(is_recorded).collect();
        let first = self.note(&starting);
        for (nth, record) in starting.iter().enumerate() {
            let id = record.person.id;
            let Some(started) = start(sql, institution, id, first + nth, &self.copies).await? else {
                continue;
            };
            let one = [(id, &started)];
            if own_recordings::hold_started(sql, institution, &one, now).await?.is_empty() {
                store::media::attach(sql, institution, id, &started.media, now).await?;
            }
            self.used.insert(started.media.hex);
        }
        Ok(())
    }

    /// Notes them before the first one is needed, so that one retry has all copies. Returns the place of the first.
    fn note(&self, starting: &[&Record]) -> usize {
        let mut noted = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        let first = noted.len();
        noted.extend(
            starting.iter().map(|record| Registration {
                email_key: record.email_key.clone(),
                ..Registration::default()
            }),
        );
        first
    }

    /// Whoever is not active any more is signed out.
    async fn end_sessions(&self, sql: &mut Sql, batch: &Batch) -> Result<()> {
        let institution = self.context.institution;
        for (key, _) in batch.subjects.iter().filter(|(_, subject)| !subject.active) {
            if let Key::Email(email_key) = key {
                sessions::delete_all_of(sql, institution, email_key).await?;
                sign_ins::delete_of(sql, &PersonId { institution, email_key: email_key.clone() }).await?;
            }
        }
        Ok(())
    }

    /// Roles that were given by hand stay as they are, and so does the last owner.
    async fn settle_roles(&self, sql: &mut Sql, keys: &[&str], given: BTreeMap<String, Given>) -> Result<()> {
        let institution = self.context.institution;
        let marked = scim_registrations::with_role(sql, institution, keys).await?;
        // First those who get a role: one of them may be an owner.
        for (email_key, given) in &given {
            self.give_role(sql, email_key, given, marked.contains(email_key)).await?;
        }
        for email_key in marked.into_iter().filter(|key| !given.contains_key(key)) {
            let person = PersonId { institution, email_key };
            let Some(member) = store::members::find(sql, &person).await? else {
                scim_registrations::unmark_role(sql, institution, &person.email_key).await?;
                continue;
            };
            if members::is_last_owner(sql, &member).await? {
                tracing::warn!(%institution, "the last owner has left the group that made them one, and stays");
            } else {
                members::remove_in(sql, &person).await?;
                self.context.log_role(sql, Some(&member), None).await?;
            }
        }
        Ok(())
    }

    async fn give_role(&self, sql: &mut Sql, email_key: &str, given: &Given, is_marked: bool) -> Result<()> {
        let (institution, now) = (self.context.institution, self.context.now);
        let person = PersonId { institution, email_key: email_key.to_owned() };
        let before = store::members::find(sql, &person).await?;
        if given.email.is_lookalike() || (before.is_some() && !is_marked) {
            return Ok(());
        }
        let member = Member {
            person,
            email: given.email.as_given().to_owned(),
            role: given.role,
            pages: given.pages.iter().copied().collect(),
            created_at: before.as_ref().map_or(now, |before| before.created_at),
        };
        if before.as_ref() == Some(&member) {
            return Ok(());
        }
        if let Some(before) = before.as_ref().filter(|_| member.role != Role::Owner)
            && members::is_last_owner(sql, before).await?
        {
            tracing::warn!(%institution, "the last owner has left the group that made them one, and stays");
            return Ok(());
        }
        members::set_in(sql, &member, before.as_ref()).await?;
        self.context.log_role(sql, before.as_ref(), Some(&member)).await?;
        Ok(scim_registrations::mark_role(sql, institution, email_key, now).await?)
    }

    /// Lets the registrations of a user have the new name and email. What people have changed themselves stays until the directory
    /// changes it.
    pub(super) async fn follow(
        &mut self,
        sql: &mut Sql,
        id: ScimUserId,
        before: &User,
        after: &User,
    ) -> Result<()> {
        let (old, new) = (before.identity(), after.identity());
        if old == new {
            return Ok(());
        }
        let (institution, now) = (self.context.institution, self.context.now);
        let is_renamed = (&old.first_name, &old.last_name) != (&new.first_name, &new.last_name);
        let moved = new.email.clone().filter(|email| old.email.as_ref() != Some(email));
        let old_key = old.email.as_ref().map(|email| email.key().to_owned());
        let chosen = match (&old_key, &moved) {
            (Some(key), Some(_)) => store::audiences::chosen(sql, institution, key).await?,
            _ => None,
        };
        for (page, entry) in scim_registrations::identities(sql, institution, id).await? {
            let mut wanted = entry.identity();
            if is_renamed {
                (wanted.first_name, wanted.last_name) = (new.first_name.clone(), new.last_name.clone());
            }
            let is_gone = self.take_email(sql, (page, &entry), moved.as_ref(), &mut wanted).await?;
            let is_hidden = entry.hidden || is_gone;
            participants::set_identity(sql, institution, (entry.id, is_hidden), &wanted, now).await?;
            self.context.log_identity(sql, entry.id, &entry.identity(), &wanted).await?;
        }
        if let (Some(audience), Some(email)) = (chosen, &moved)
            && store::audiences::chosen(sql, institution, email.key()).await?.is_none()
        {
            let person = PersonId { institution, email_key: email.key().to_owned() };
            store::audiences::choose(sql, &person, audience, now).await?;
        }
        self.left.extend(old_key.filter(|key| new.email.as_ref().is_none_or(|email| email.key() != key)));
        Ok(())
    }

    /// Gives an entry the new email. If somebody has it on the page already, that is the person's registration from now on, and this one is
    /// hidden without an email and follows nobody (ADR 14). Returns whether it was hidden.
    async fn take_email(
        &self,
        sql: &mut Sql,
        (page, entry): (NamePageId, &matching::Entry),
        email: Option<&Email>,
        wanted: &mut TargetIdentity,
    ) -> Result<bool> {
        let (institution, now) = (self.context.institution, self.context.now);
        let Some(email) = email else { return Ok(false) };
        let is_taken = scim_registrations::has_other(sql, institution, page, email.key(), entry.id).await?;
        if entry.email_key.as_deref().is_some_and(|key| key != email.key()) {
            participants::clear_emails(sql, institution, &[entry]).await?;
        }
        if !is_taken {
            wanted.email = Some(email.as_given().to_owned());
            wanted.email_key = Some(email.key().to_owned());
            return Ok(false);
        }
        (wanted.email, wanted.email_key) = (None, None);
        scim_registrations::unlink(sql, institution, &[entry.id]).await?;
        if entry.hidden {
            return Ok(false);
        }
        self.context.log_people(sql, Act::ParticipantHidden, &[entry.id]).await?;
        hiding::hide(sql, &self.context.app, (institution, page), vec![entry.id], now).await?;
        Ok(true)
    }
}

impl Batch {
    /// What membership in a group gives to a user.
    fn add_group(&mut self, id: ScimUserId, group: &StoredGroup, pages: &[NamePageId]) {
        let Some(user) = self.users.get(&id).filter(|user| user.user.active) else { return };
        let Mapping::Role(role, _) = group.mapping else {
            if let Some(subject) = self.subjects.get_mut(&Key::of(user)) {
                subject.wanted.extend(pages.iter().map(|page| (*page, id)));
            }
            return;
        };
        let Some(email) = &user.user.email else { return };
        let pages = || if role.has_all_pages() { BTreeSet::new() } else { pages.iter().copied().collect() };
        let given = self.roles.entry(email.key().to_owned());
        let given = given.or_insert_with(|| Given { email: email.clone(), role, pages: pages() });
        if rank(role) < rank(given.role) {
            *given = Given { email: email.clone(), role, pages: pages() };
        } else if role == given.role {
            given.pages.extend(pages());
        }
    }
}

/// Owners come first.
fn rank(role: Role) -> usize {
    Role::ALL.into_iter().position(|one| one == role).unwrap_or(Role::ALL.len())
}

/// The pages on which somebody is registered already, whom a group names from now on.
fn adopted<'a>(plan: &'a Plan, entries: &'a [Entry]) -> impl Iterator<Item = NamePageId> + 'a {
    let links = plan.link.iter().filter(|(_, link)| !link.parked);
    links.filter_map(move |(id, _)| entries.iter().find(|entry| entry.id == *id)).map(|entry| entry.page)
}

fn by_page<T>(all: Vec<(NamePageId, T)>) -> BTreeMap<NamePageId, Vec<T>> {
    let mut pages: BTreeMap<NamePageId, Vec<T>> = BTreeMap::new();
    for (page, one) in all {
        pages.entry(page).or_default().push(one);
    }
    pages
}

//! Lets registrations and roles (`roles.rs`) follow the users of a directory, inside the transaction that changes them. What happens to
//! registrations is decided by `domain/scim/plan.rs`.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use super::{roles::Roles, write::Context};
use crate::{
    app::{
        Result, hiding,
        own_recordings::{self, Copies},
        participants::start,
        refused_people,
    },
    domain::{
        audit::Act,
        ids::{NamePageId, ParticipantId, ScimGroupId, ScimUserId},
        own_recording::Registration,
        participant::Participant,
        scim::{
            group::{Mapping, StoredGroup},
            plan::{Entry, Link, Plan, Subject},
            user::StoredUser,
        },
        session::PersonId,
    },
    store::{
        self, Sql, imports, outsiders,
        participants::{self, Record},
        rolls, scim_groups, scim_registrations, scim_users,
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
    pub(super) left: Vec<String>,
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

/// Everything that concerns the people of a batch.
struct Batch {
    users: BTreeMap<ScimUserId, StoredUser>,
    subjects: BTreeMap<Key, Subject>,
    roles: Roles,
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
        let refused = self.refuse(sql, &batch).await?;
        self.settle_registrations(sql, &batch, &refused).await?;
        let disabled = batch.disabled().filter(|key| refused.contains(*key)).collect();
        self.context.settle_roles(sql, &keys, &batch.roles, &disabled).await
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
        let by_email = scim_registrations::by_emails(sql, institution, keys).await?;
        // What is parked belongs to whoever has the email by now.
        let is_parked = |entry: &Entry| entry.link.is_some_and(|link| link.parked);
        let claimed: HashSet<ParticipantId> = by_email
            .iter()
            .filter(|(key, entry)| is_parked(entry) && subjects.contains_key(&Key::Email(key.clone())))
            .map(|(_, entry)| entry.id)
            .collect();
        for entry in scim_registrations::following(sql, institution, &ids).await? {
            let user = entry.link.and_then(|link| users.get(&link.user));
            let user = user.filter(|_| !claimed.contains(&entry.id));
            if let Some(subject) = user.and_then(|user| subjects.get_mut(&Key::of(user))) {
                subject.entries.push(entry);
            }
        }
        for (email_key, entry) in by_email {
            let subject = subjects.get_mut(&Key::Email(email_key));
            if let Some(subject) = subject.filter(|one| !one.entries.iter().any(|known| known.id == entry.id))
            {
                subject.entries.push(entry);
            }
        }
        let mut batch = Batch { users, subjects, roles: Roles::default() };
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

    async fn settle_registrations(
        &mut self,
        sql: &mut Sql,
        batch: &Batch,
        refused: &HashSet<String>,
    ) -> Result<()> {
        let (institution, now) = (self.context.institution, self.context.now);
        let mut all = Plan::default();
        let mut vouched: Vec<(PersonId, NamePageId)> = Vec::new();
        for (key, subject) in &batch.subjects {
            // Whoever an admin has let in stays, although the directory still has them as disabled.
            if matches!(key, Key::Email(key) if !subject.active && !refused.contains(key)) {
                continue;
            }
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
        person.directory_hold = user.user.directory_hold() == Some(true);
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

    /// Whoever is not active any more is signed out, and cannot come back by themselves. Returns who is kept out: not those whom an admin
    /// has let in since they were disabled.
    async fn refuse(&self, sql: &mut Sql, batch: &Batch) -> Result<HashSet<String>> {
        let Context { institution, now, app, log, .. } = &self.context;
        let active: Vec<&str> = batch.active().collect();
        store::refused_people::forget(sql, *institution, &active).await?;
        let mut refused = HashSet::new();
        for email_key in batch.disabled() {
            let person = PersonId { institution: *institution, email_key: email_key.to_owned() };
            if refused_people::refuse(sql, app, &person, log, *now).await? {
                refused.insert(person.email_key);
            }
        }
        Ok(refused)
    }
}

impl Batch {
    /// The keys of people none of whose users is active.
    fn disabled(&self) -> impl Iterator<Item = &str> {
        self.people(false)
    }

    /// The keys of people one of whose users is active.
    fn active(&self) -> impl Iterator<Item = &str> {
        self.people(true)
    }

    fn people(&self, active: bool) -> impl Iterator<Item = &str> {
        self.subjects.iter().filter_map(move |(key, subject)| match key {
            Key::Email(email_key) if subject.active == active => Some(email_key.as_str()),
            _ => None,
        })
    }

    /// What membership in a group gives to a user.
    fn add_group(&mut self, id: ScimUserId, group: &StoredGroup, pages: &[NamePageId]) {
        let Some(user) = self.users.get(&id).filter(|user| user.user.active) else { return };
        let Mapping::Role(role, _) = group.mapping else {
            if let Some(subject) = self.subjects.get_mut(&Key::of(user)) {
                subject.wanted.extend(pages.iter().map(|page| (*page, id)));
            }
            return;
        };
        if let Some(email) = &user.user.email {
            self.roles.add(email, role, pages);
        }
    }
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

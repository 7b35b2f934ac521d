//! Users of a directory.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    Listed, Lookup, Matches, Query, compared, lookup,
    settle::Settling,
    taken,
    write::{Change, Context, Written, catch_up, unexpected, write},
};
use crate::{
    app::{Actor, App, Error, Missing, Result, directory_holds, participants, public_view},
    domain::{
        access::SearchScope,
        audit::Act,
        ids::{InstitutionId, ParticipantId, ScimGroupId, ScimUserId},
        participant::{Participant, Recording},
        scim::{
            patch::{self, Operation},
            schema::USERS,
            user::{StoredUser, User, email_value_key, user_name_key, wanted_email},
        },
    },
    store::{
        Sql,
        participants::{self as registrations, KeyKind},
        rolls, scim_groups, scim_users,
    },
};

/// A user with what Endonym adds to it.
#[derive(Debug)]
pub struct UserView {
    pub stored: StoredUser,
    /// With their names.
    pub groups: Vec<(ScimGroupId, String)>,
    /// `None` for people who are registered nowhere.
    pub said: Option<Said>,
}

/// How a name is said, as far as a badge shows it to everybody: directories show it to whoever they want.
#[derive(Debug, Clone)]
pub struct Said {
    /// The public is told nothing about the person.
    pub directory_hold: bool,
    /// There is a recording that can be heard, by everybody or by people of the institution.
    pub recorded: bool,
    pub phonetic: Option<String>,
    pub recording: Option<Recording>,
    /// The token in the link of the badge.
    pub token: String,
}

pub async fn create(app: &App, actor: &Actor, institution: InstitutionId, body: &Value) -> Result<UserView> {
    actor.provision(institution)?;
    viewed(write(app, actor, institution, Change::CreateUser(User::read(body)?)).await?)
}

pub async fn find(app: &App, actor: &Actor, institution: InstitutionId, id: ScimUserId) -> Result<UserView> {
    actor.provision(institution)?;
    view(&mut app.db.read(), institution, id).await
}

/// Whoever is not active is listed, too.
pub async fn list(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    query: &Query,
) -> Result<Listed<UserView>> {
    actor.provision(institution)?;
    catch_up(app, actor, institution).await?;
    if query.filter.as_ref().and_then(wanted_email).is_some() {
        index_emails(app, institution).await?;
    }
    let sql = &mut app.db.read();
    let Listed { total, resources } = matching(sql, institution, query).await?;
    Ok(Listed { total, resources: views(sql, institution, resources).await? })
}

/// Puts those emails into the index that an older version has written.
async fn index_emails(app: &App, institution: InstitutionId) -> Result<()> {
    while !scim_users::without_emails(&mut app.db.read(), institution, 1).await?.is_empty() {
        app.db
            .write::<_, Error>(move |sql| {
                Box::pin(async move {
                    rolls::lock(sql, institution).await?;
                    for user in scim_users::without_emails(sql, institution, super::COMPARED).await? {
                        scim_users::add_emails(sql, institution, &user).await?;
                    }
                    Ok(())
                })
            })
            .await?;
    }
    Ok(())
}

pub async fn replace(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: ScimUserId,
    body: Value,
) -> Result<UserView> {
    actor.provision(institution)?;
    viewed(write(app, actor, institution, Change::ReplaceUser(id, body)).await?)
}

pub async fn patch(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: ScimUserId,
    body: &Value,
) -> Result<UserView> {
    actor.provision(institution)?;
    viewed(write(app, actor, institution, Change::PatchUser(id, patch::parse(body)?)).await?)
}

/// Everything of the person is hidden, as if they were not active. Recordings are kept.
pub async fn delete(app: &App, actor: &Actor, institution: InstitutionId, id: ScimUserId) -> Result<()> {
    actor.provision(institution)?;
    write(app, actor, institution, Change::DeleteUser(id)).await.map(drop)
}

fn viewed(written: Written) -> Result<UserView> {
    match written {
        Written::User(view) => Ok(*view),
        Written::Group(_) | Written::Nothing => Err(unexpected()),
    }
}

async fn matching(sql: &mut Sql, institution: InstitutionId, query: &Query) -> Result<Listed<StoredUser>> {
    let Some(filter) = &query.filter else {
        let total = usize::try_from(scim_users::count(sql, institution).await?).unwrap_or_default();
        let place = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let part = (place(query.skipped), place(query.most));
        return Ok(Listed { total, resources: scim_users::page(sql, institution, part).await? });
    };
    let mut matches = Matches::new(query);
    if let Some(lookup) = lookup(&USERS, filter) {
        let found: Vec<StoredUser> = match lookup {
            Lookup::Id(id) => match id.parse() {
                Ok(id) => scim_users::find(sql, institution, id).await?.into_iter().collect(),
                Err(_) => Vec::new(),
            },
            Lookup::ExternalId(id) => scim_users::by_external_id(sql, institution, id).await?,
            Lookup::Name(name) => {
                let found = scim_users::by_user_name(sql, institution, &user_name_key(name)).await?;
                found.into_iter().collect()
            }
        };
        found.into_iter().for_each(|one| matches.add(one));
        return Ok(matches.listed);
    }
    let mut last = ScimUserId::new(i64::MIN);
    let email = wanted_email(filter).map(email_value_key);
    loop {
        let group = match &email {
            Some(key) => scim_users::with_email(sql, institution, key, last, super::COMPARED).await?,
            None => scim_users::after(sql, institution, last, super::COMPARED).await?,
        };
        let Some(end) = group.last() else { return Ok(matches.listed) };
        last = end.id;
        matches.check(group.len())?;
        for one in group {
            let whole = compared(&one.user.resource, one.id.to_string(), (one.created_at, one.updated_at));
            if filter.matches(&USERS, &whole) {
                matches.add(one);
            }
        }
        // With SQLite, nothing else would run on this thread.
        tokio::task::yield_now().await;
    }
}

pub(super) async fn view(sql: &mut Sql, institution: InstitutionId, id: ScimUserId) -> Result<UserView> {
    let found = scim_users::find(sql, institution, id).await?;
    let found = found.ok_or(Error::Missing(Missing::ScimUser))?;
    views(sql, institution, vec![found]).await?.pop().ok_or_else(unexpected)
}

async fn views(sql: &mut Sql, institution: InstitutionId, users: Vec<StoredUser>) -> Result<Vec<UserView>> {
    let ids: Vec<ScimUserId> = users.iter().map(|one| one.id).collect();
    let mut groups: HashMap<ScimUserId, Vec<(ScimGroupId, String)>> = HashMap::new();
    for (user, group) in scim_groups::of_users(sql, institution, &ids).await? {
        groups.entry(user).or_default().push((group.id, group.group.display_name));
    }
    let said = said(sql, institution, &users).await?;
    let view = |stored: StoredUser| {
        let key = stored.user.email.as_ref().map(|email| email.key());
        UserView {
            groups: groups.remove(&stored.id).unwrap_or_default(),
            said: key.and_then(|key| said.get(key).cloned()),
            stored,
        }
    };
    Ok(users.into_iter().map(view).collect())
}

/// By the key of the email.
async fn said(
    sql: &mut Sql,
    institution: InstitutionId,
    users: &[StoredUser],
) -> Result<HashMap<String, Said>> {
    let emails = users.iter().filter_map(|one| one.user.email.as_ref());
    let keys: Vec<String> = emails.map(|email| email.key().to_owned()).collect();
    let within = SearchScope::Institution;
    let best = participants::newest_of_each(sql, institution, within, KeyKind::Email, &keys).await?;
    let ids: Vec<ParticipantId> = best.values().map(|key| key.id).collect();
    let people = registrations::by_ids(sql, institution, &ids).await?;
    let all: Vec<&Participant> = people.iter().collect();
    // A directory passes on what it gets here, so it gets what a badge shows to everybody.
    let views = public_view::of(sql, institution, &all).await?;
    let people: HashMap<ParticipantId, &Participant> = people.iter().map(|one| (one.id, one)).collect();
    let said = |(key, best): (String, registrations::Key)| {
        let person = people.get(&best.id)?;
        let is_open = views.get(&best.id).is_some_and(|view| view.is_heard());
        let said = Said {
            directory_hold: person.directory_hold,
            recorded: person.recording.is_some(),
            phonetic: person.phonetic.clone().filter(|_| is_open),
            recording: person.recording.clone().filter(|_| is_open),
            token: person.token.clone(),
        };
        Some((key, said))
    };
    Ok(best.into_iter().filter_map(said).collect())
}

async fn found(sql: &mut Sql, institution: InstitutionId, id: ScimUserId) -> Result<StoredUser> {
    scim_users::find(sql, institution, id).await?.ok_or(Error::Missing(Missing::ScimUser))
}

/// The following run in the transaction of `write`.
impl Settling {
    pub(super) async fn create_user(&mut self, sql: &mut Sql, user: User) -> Result<ScimUserId> {
        let now = self.context.now;
        let id = self.context.app.ids.id(now);
        let new =
            StoredUser { id, connection: self.context.connection, user, created_at: now, updated_at: now };
        self.check_free(sql, &new).await?;
        scim_users::insert(sql, self.context.institution, &new).await?;
        self.context.log_user(sql, Act::ScimUserCreated, &new, (None, Some(&new.user))).await?;
        self.follow_hold(sql, None, &new.user).await?;
        Ok(id)
    }

    pub(super) async fn replace_user(&mut self, sql: &mut Sql, id: ScimUserId, body: &Value) -> Result<()> {
        let stored = found(sql, self.context.institution, id).await?;
        let changed = stored.user.replaced(body)?;
        self.update_user(sql, stored, changed).await
    }

    pub(super) async fn patch_user(
        &mut self,
        sql: &mut Sql,
        id: ScimUserId,
        operations: Vec<Operation>,
    ) -> Result<()> {
        let stored = found(sql, self.context.institution, id).await?;
        let changed = stored.user.patched(operations)?;
        self.update_user(sql, stored, changed).await
    }

    async fn update_user(&mut self, sql: &mut Sql, stored: StoredUser, changed: User) -> Result<()> {
        // Again the same, nothing changes, and `lastModified` neither.
        if stored.user == changed {
            return Ok(());
        }
        let before = stored.user.clone();
        let changed = StoredUser { user: changed, updated_at: self.context.now, ..stored };
        self.check_free(sql, &changed).await?;
        // Whoever is switched off and gets another email at once leaves with the old one, which nobody has afterwards.
        if before.active && !changed.user.active && before.email != changed.user.email {
            let leaving = StoredUser { user: User { active: false, ..before.clone() }, ..changed.clone() };
            scim_users::update(sql, self.context.institution, &leaving).await?;
            self.settle(sql, std::slice::from_ref(&leaving)).await?;
        }
        scim_users::update(sql, self.context.institution, &changed).await?;
        let values = (Some(&before), Some(&changed.user));
        self.context.log_user(sql, Act::ScimUserUpdated, &changed, values).await?;
        self.follow(sql, changed.id, &before, &changed.user).await?;
        self.follow_hold(sql, Some(&before), &changed.user).await
    }

    /// What a directory says about a directory hold counts for all registrations of the person. A new user does not end a hold that was
    /// given elsewhere.
    async fn follow_hold(&self, sql: &mut Sql, before: Option<&User>, after: &User) -> Result<()> {
        let (Some(email), Some(held)) = (&after.email, after.directory_hold()) else { return Ok(()) };
        let is_same =
            before.is_some_and(|before| before.directory_hold() == Some(held) && before.email == after.email);
        if is_same || (before.is_none() && !held) {
            return Ok(());
        }
        let Context { institution, now, .. } = &self.context;
        directory_holds::change(sql, *institution, email.key(), held, *now).await?;
        Ok(())
    }

    async fn check_free(&self, sql: &mut Sql, user: &StoredUser) -> Result<()> {
        let other = scim_users::taken(sql, self.context.institution, user.connection, &user.user, user.id);
        match other.await? {
            Some(attribute) => Err(taken(attribute).into()),
            None => Ok(()),
        }
    }

    pub(super) async fn delete_user(&mut self, sql: &mut Sql, id: ScimUserId) -> Result<()> {
        let institution = self.context.institution;
        let mut gone = found(sql, institution, id).await?;
        self.context.log_user(sql, Act::ScimUserDeleted, &gone, (Some(&gone.user), None)).await?;
        gone.user.active = false;
        scim_users::update(sql, institution, &gone).await?;
        self.settle(sql, std::slice::from_ref(&gone)).await?;
        scim_users::delete(sql, institution, id).await?;
        // What has followed this user may follow another one of the same person.
        let keys: Vec<&str> = gone.user.email.iter().map(|email| email.key()).collect();
        let others = scim_users::by_emails(sql, institution, &keys).await?;
        let others: Vec<ScimUserId> = others.iter().map(|other| other.id).collect();
        Ok(scim_users::set_pending(sql, institution, &others, true).await?)
    }
}

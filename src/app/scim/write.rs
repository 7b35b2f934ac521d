//! The only place that writes users and groups. A change, and what follows from it for registrations and roles, is one transaction; if very
//! many people are concerned, the rest of them follow in further ones, and with the next request if that is interrupted.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::{
    groups::{self, GroupView, Target},
    settle::Settling,
    users::{self, UserView},
};
use crate::{
    app::{
        Actor, App, Error, Missing, Result,
        audit::Record,
        own_recordings::{self, Attempts, Copies},
    },
    domain::{
        audit::Act,
        ids::{InstitutionId, ScimConnectionId, ScimGroupId, ScimUserId},
        moment::Moment,
        own_recording::{Registration, Start},
        scim::{
            group::{Group, GroupPatch},
            patch::Operation,
            user::User,
        },
    },
    store::{Sql, rolls, scim_users},
};

#[derive(Clone)]
pub(super) enum Change {
    CreateUser(User),
    ReplaceUser(ScimUserId, Value),
    PatchUser(ScimUserId, Vec<Operation>),
    DeleteUser(ScimUserId),
    CreateGroup { group: Group, members: Vec<ScimUserId>, with_members: bool },
    ReplaceGroup { id: ScimGroupId, group: Group, members: Option<Vec<ScimUserId>>, with_members: bool },
    PatchGroup(ScimGroupId, GroupPatch),
    DeleteGroup(ScimGroupId),
    Map(ScimGroupId, Target, Option<String>),
}

/// What a change has left, as it is when everything has followed.
pub(super) enum Written {
    User(Box<UserView>),
    Group(Box<GroupView>),
    Nothing,
}

/// What a change is about.
enum Changed {
    User(ScimUserId),
    Group(ScimGroupId, bool),
    Nothing,
}

/// Who writes, where and when.
#[derive(Clone)]
pub(super) struct Context {
    pub app: App,
    pub institution: InstitutionId,
    /// `None` for owners and the operator.
    pub connection: Option<ScimConnectionId>,
    /// Each new group gets a name page.
    pub makes_pages: bool,
    pub now: Moment,
    /// Who it is in the audit log. The act does not matter.
    pub log: Record,
}

impl Context {
    fn new(app: &App, actor: &Actor, institution: InstitutionId) -> Self {
        let connection = actor.connection();
        Self {
            app: app.clone(),
            institution,
            connection: connection.map(|connection| connection.id),
            makes_pages: connection.is_some_and(|connection| connection.pages_from_groups),
            now: app.clock.now(),
            log: Record::new(app, actor, institution, Act::ScimUserUpdated),
        }
    }
}

pub(super) async fn write(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    change: Change,
) -> Result<Written> {
    let context = Context::new(app, actor, institution);
    let (written, is_more) = step(&context, Some(change)).await?;
    // The change itself is committed. An error would make the directory send it again, and a second POST is a conflict.
    if is_more && let Err(error) = finish(&context).await {
        tracing::warn!(%institution, %error, "applying directory changes failed; the next request retries");
    }
    app.queue.wake();
    app.switchboard.wake();
    Ok(written)
}

/// Lets registrations and roles follow that were left over when a change was interrupted.
pub(super) async fn catch_up(app: &App, actor: &Actor, institution: InstitutionId) -> Result<()> {
    if scim_users::pending(&mut app.db.read(), institution, 1).await?.is_empty() {
        return Ok(());
    }
    finish(&Context::new(app, actor, institution)).await
}

async fn finish(context: &Context) -> Result<()> {
    while step(context, None).await?.1 {}
    Ok(())
}

/// Applies the change, and lets a number of people follow. Returns whether there are more of them.
async fn step(context: &Context, change: Option<Change>) -> Result<(Written, bool)> {
    let (app, institution) = (&context.app, context.institution);
    // Recordings that people have made elsewhere are copied only when the write turns out to need them; then it is retried.
    let (mut copies, mut attempts) = (Copies::new(), Attempts::default());
    loop {
        let made = own_recordings::files(&copies);
        let starting: Arc<Mutex<Vec<Registration>>> = Arc::default();
        let mut settling = Settling::new(context.clone(), copies, starting.clone());
        let change = change.clone();
        let written = app
            .db
            .write::<_, Error>(move |sql| {
                Box::pin(async move {
                    if !rolls::lock_if_there(sql, institution).await? {
                        return Err(Error::Missing(Missing::Institution));
                    }
                    let changed = match change {
                        Some(change) => apply(sql, &mut settling, change).await?,
                        None => Changed::Nothing,
                    };
                    let is_more = settling.settle_pending(sql).await?;
                    Ok(((shown(sql, institution, changed).await?, is_more), settling.used))
                })
            })
            .await;
        match own_recordings::settle(app, institution, made, written).await {
            Ok(done) => return Ok(done),
            Err(error) => {
                attempts.again(error)?;
                let these = std::mem::take(&mut *starting.lock().unwrap_or_else(PoisonError::into_inner));
                let these: Vec<(usize, Registration)> = these.into_iter().enumerate().collect();
                copies = own_recordings::prepare(app, institution, &these, Start::Shared).await?;
            }
        }
    }
}

async fn apply(sql: &mut Sql, settling: &mut Settling, change: Change) -> Result<Changed> {
    Ok(match change {
        Change::CreateUser(user) => Changed::User(settling.create_user(sql, user).await?),
        Change::ReplaceUser(id, body) => {
            settling.replace_user(sql, id, &body).await?;
            Changed::User(id)
        }
        Change::PatchUser(id, operations) => {
            settling.patch_user(sql, id, operations).await?;
            Changed::User(id)
        }
        Change::DeleteUser(id) => {
            settling.delete_user(sql, id).await?;
            Changed::Nothing
        }
        Change::CreateGroup { group, members, with_members } => {
            Changed::Group(settling.create_group(sql, group, members).await?, with_members)
        }
        Change::ReplaceGroup { id, group, members, with_members } => {
            settling.replace_group(sql, id, group, members).await?;
            Changed::Group(id, with_members)
        }
        Change::PatchGroup(id, patch) => {
            settling.patch_group(sql, id, patch).await?;
            Changed::Nothing
        }
        Change::DeleteGroup(id) => {
            settling.delete_group(sql, id).await?;
            Changed::Nothing
        }
        Change::Map(id, target, base) => {
            settling.map_group(sql, id, target, base).await?;
            Changed::Nothing
        }
    })
}

/// Read inside the transaction: nothing can fail after it.
async fn shown(sql: &mut Sql, institution: InstitutionId, changed: Changed) -> Result<Written> {
    Ok(match changed {
        Changed::User(id) => Written::User(Box::new(users::view(sql, institution, id).await?)),
        Changed::Group(id, with_members) => {
            Written::Group(Box::new(groups::view(sql, institution, id, with_members).await?))
        }
        Changed::Nothing => Written::Nothing,
    })
}

pub(super) fn unexpected() -> Error {
    Error::Internal("unexpected result of a directory change".to_owned())
}

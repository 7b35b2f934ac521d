//! The installation as its operator sees it: institutions, versions, storage and queues.

use std::{path::PathBuf, time::Duration};

use super::{Actor, App, Error, Result, calls, institutions, jobs, members, outbox, sign_in};
use crate::{
    domain::{
        email::Email,
        fault::{Fault, Field},
        institution::Institution,
        job::Kind,
        member::Role,
        sign_in::ReturnTo,
    },
    store::{institutions as stored, migrations, progress},
    tasks,
};

pub use crate::store::institutions::Size;

/// How long the link of an institution's first owner is valid.
const OWNER_LINK: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Institutions behind a slug, each with its number of people and pages. `most` of them.
pub async fn institutions(app: &App, actor: &Actor, behind: &str, most: i64) -> Result<Vec<Size>> {
    actor.operate()?;
    Ok(stored::sizes(&mut app.db.read(), behind, most).await?)
}

/// Jobs of a lane in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneCount {
    pub lane: &'static str,
    pub state: String,
    pub count: u64,
}

/// A file system that has data of the installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disk {
    pub folder: PathBuf,
    pub free: u64,
    pub whole: u64,
}

#[derive(Debug)]
pub struct State {
    pub version: &'static str,
    pub schema: i64,
    pub database: &'static str,
    /// The kind of blob store.
    pub blobs: String,
    /// None if everything is on other machines.
    pub disks: Vec<Disk>,
    pub jobs: Vec<LaneCount>,
    /// Messages that wait or are being sent.
    pub messages: u64,
    /// How long the oldest of them has waited.
    pub message_age: Duration,
    /// How long the oldest due job has been due.
    pub job_delay: Duration,
    /// Calls that are scheduled or being made.
    pub calls: u64,
}

pub async fn state(app: &App, actor: &Actor) -> Result<State> {
    actor.operate()?;
    let sql = &mut app.db.read();
    let counted = progress::jobs_by_kind(sql).await?;
    Ok(State {
        version: env!("CARGO_PKG_VERSION"),
        schema: migrations::version(&app.db).await?,
        database: app.db.kind(),
        blobs: app.blobs.kind(),
        disks: disks(app).await,
        jobs: by_lane(counted),
        messages: progress::messages(sql).await?,
        message_age: outbox::queue_age(app).await?,
        job_delay: jobs::late(app).await?,
        calls: calls::counts(app).await?.into_iter().map(|(_, count)| count).sum(),
    })
}

/// A kind that this binary does not know has no lane here.
fn by_lane(counted: Vec<(String, String, u64)>) -> Vec<LaneCount> {
    let mut lanes: Vec<LaneCount> = Vec::new();
    for (kind, state, count) in counted {
        let known = Kind::ALL.iter().find(|known| known.name() == kind);
        let lane = known.map_or("unknown", |kind| jobs::policy(*kind).lane.name());
        match lanes.iter_mut().find(|one| one.lane == lane && one.state == state) {
            Some(one) => one.count += count,
            None => lanes.push(LaneCount { lane, state, count }),
        }
    }
    lanes.sort_by(|a, b| (a.lane, &a.state).cmp(&(b.lane, &b.state)));
    lanes
}

/// A disk that does not respond is left out.
async fn disks(app: &App) -> Vec<Disk> {
    let mut folders: Vec<PathBuf> =
        [app.blobs.folder(), app.db.folder()].into_iter().flatten().map(PathBuf::from).collect();
    folders.dedup();
    let read = tasks::spawn_blocking(move || {
        let disk = |folder: PathBuf| {
            let found = rustix::fs::statvfs(&folder).ok()?;
            let bytes = |blocks: u64| blocks * found.f_frsize;
            Some(Disk { folder, free: bytes(found.f_bavail), whole: bytes(found.f_blocks) })
        };
        folders.into_iter().filter_map(disk).collect::<Vec<_>>()
    });
    match tokio::time::timeout(Duration::from_secs(2), read).await {
        Ok(Ok(disks)) => disks,
        Ok(Err(_)) | Err(_) => Vec::new(),
    }
}

/// An institution that was just created.
pub struct Founded {
    pub institution: Institution,
    /// Signs the first owner in, once.
    pub link: String,
}

/// Creates an institution with its first owner.
pub async fn found(app: &App, actor: &Actor, new: institutions::New, owner: &str) -> Result<Founded> {
    actor.operate()?;
    // Before anything is created.
    let fault = if owner.trim().is_empty() { Fault::Blank } else { Fault::Invalid };
    let owner = Email::parse(owner).filter(|owner| !owner.is_lookalike());
    let owner = owner.ok_or_else(|| Error::invalid(Field::Email, fault))?;
    let institution = institutions::create(app, actor, new).await?;
    let email = owner.as_given().to_owned();
    members::set(app, actor, institution.id, owner, Role::Owner, Vec::new()).await?;
    let way = ReturnTo::parse(&format!("/console/{}", institution.slug));
    let link =
        sign_in::operator_link_to(app, actor, institution.id, &email, OWNER_LINK, app.links.base(), way);
    let (link, _) = link.await?;
    Ok(Founded { institution, link })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_counted_by_lane() {
        let one = |kind: &str, state: &str, count| (kind.to_owned(), state.to_owned(), count);
        let counted = vec![
            one("send_mail", "waiting", 2),
            one("retain", "waiting", 1),
            one("sweep_blobs", "waiting", 1),
            one("sweep_blobs", "dead", 3),
            one("from_tomorrow", "waiting", 4),
        ];
        let lanes: Vec<_> =
            by_lane(counted).into_iter().map(|one| (one.lane, one.state, one.count)).collect();
        let wanted = [
            ("background", "dead", 3),
            ("background", "waiting", 2),
            ("mail", "waiting", 2),
            ("unknown", "waiting", 4),
        ];
        assert_eq!(lanes, wanted.map(|(lane, state, count)| (lane, state.to_owned(), count)));
    }
}

//! SCIM 2.0: the directory of an institution provisions its people (docs/scim.md). Users are kept as they were sent; groups stand for
//! name pages or roles, and registrations and roles follow them (`settle.rs`, `roles.rs`, `follow.rs`). Everything is written by `write.rs`.

pub mod connections;
mod follow;
pub mod groups;
mod log;
mod roles;
mod settle;
pub mod users;
mod write;

pub use connections::Authenticated;
pub use groups::{GroupSummary, GroupView, Target};
pub(super) use roles::release_owners;
pub use users::{Said, UserView};

use serde_json::Value;

use super::Result;
use crate::domain::{
    moment::Moment,
    scim::{Fault, FaultKind, filter::Filter, resource::Object, schema::ResourceType},
};

/// Which resources of a list are wanted.
#[derive(Debug, Clone)]
pub struct Query {
    pub filter: Option<Filter>,
    /// How many are skipped.
    pub skipped: usize,
    pub most: usize,
}

/// A part of a list.
#[derive(Debug)]
pub struct Listed<T> {
    /// How many match in all.
    pub total: usize,
    pub resources: Vec<T>,
}

/// The most resources with which a filter is compared one by one. The filters that directories use are answered from an index.
const MOST_COMPARED: usize = 100_000;
/// How many of them are read at a time.
const COMPARED: i64 = 500;

/// How a filter can be looked up.
enum Lookup<'a> {
    Id(&'a str),
    ExternalId(&'a str),
    /// The user name or the name of a group.
    Name(&'a str),
}

/// `None` if the filter has to be compared with every resource.
fn lookup<'a>(kind: &'static ResourceType, filter: &'a Filter) -> Option<Lookup<'a>> {
    let (path, value) = filter.equality()?;
    let target = kind.resolve(path)?;
    if target.extension.is_some() || target.part.is_some() {
        return None;
    }
    match target.attribute?.name {
        "id" => Some(Lookup::Id(value)),
        "externalId" => Some(Lookup::ExternalId(value)),
        name if kind.schema.attributes.first().is_some_and(|first| first.name == name) => {
            Some(Lookup::Name(value))
        }
        _ => None,
    }
}

/// A resource as filters see it, with what Endonym has added.
fn compared(resource: &Object, id: String, (created, changed): (Moment, Moment)) -> Object {
    let mut whole = resource.clone();
    whole.insert("id".to_owned(), Value::String(id));
    let zone = jiff::tz::TimeZone::UTC;
    let meta = [("created", created), ("lastModified", changed)];
    let meta = meta.map(|(name, moment)| (name.to_owned(), Value::String(moment.shown_in(&zone))));
    whole.insert("meta".to_owned(), Value::Object(meta.into_iter().collect()));
    whole
}

/// Counts matches, and keeps those that are wanted.
struct Matches<'a, T> {
    query: &'a Query,
    compared: usize,
    listed: Listed<T>,
}

impl<'a, T> Matches<'a, T> {
    fn new(query: &'a Query) -> Self {
        Self { query, compared: 0, listed: Listed { total: 0, resources: Vec::new() } }
    }

    fn add(&mut self, found: T) {
        self.listed.total += 1;
        if self.listed.total > self.query.skipped && self.listed.resources.len() < self.query.most {
            self.listed.resources.push(found);
        }
    }

    /// Before so many more are compared.
    fn check(&mut self, more: usize) -> Result<()> {
        self.compared += more;
        if self.compared > MOST_COMPARED {
            let detail =
                format!("this filter would have to be compared with more than {MOST_COMPARED} resources");
            return Err(Fault::new(FaultKind::TooMany, detail).into());
        }
        Ok(())
    }
}

fn taken(attribute: &str) -> Fault {
    Fault::new(FaultKind::Uniqueness, format!("{attribute} has already been taken"))
}

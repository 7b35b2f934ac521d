//! A group of users, and what it stands for.

use std::slice;

use serde_json::Value;

use super::{
    Fault, FaultKind,
    filter::{Filter, Operator},
    patch::{self, Op, Operation},
    resource::{self, Object},
    schema::GROUPS,
    user::{check_key, text_in},
};
use crate::domain::{
    ids::{NamePageId, ScimConnectionId, ScimGroupId},
    member::Role,
    moment::Moment,
    text,
};

/// Without its members, of whom there may be very many.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// As stored; see `resource`.
    pub resource: Object,
    pub display_name: String,
    pub external_id: Option<String>,
}

/// A group with what Endonym has added.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredGroup {
    pub id: ScimGroupId,
    /// The connection that created it.
    pub connection: Option<ScimConnectionId>,
    pub group: Group,
    pub mapping: Mapping,
    pub created_at: Moment,
    pub updated_at: Moment,
}

/// What membership in a group gives.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Mapping {
    #[default]
    Nothing,
    /// A registration on this name page.
    Page(NamePageId),
    /// A role, with the pages of a manager or reader.
    Role(Role, Vec<NamePageId>),
}

impl Mapping {
    pub fn role(&self) -> Option<Role> {
        match self {
            Self::Nothing | Self::Page(_) => None,
            Self::Role(role, _) => Some(*role),
        }
    }

    /// The name page of registrations, or those of the role.
    pub fn pages(&self) -> &[NamePageId] {
        match self {
            Self::Nothing => &[],
            Self::Page(page) => slice::from_ref(page),
            Self::Role(_, pages) => pages,
        }
    }
}

/// A change of the members, by their ids as the directory has written them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberChange {
    Add(Vec<String>),
    Remove(Vec<String>),
    Replace(Vec<String>),
}

impl Group {
    /// Reads the body of a POST or PUT, and the ids of the members, if it has them.
    pub fn read(given: &Value) -> Result<(Self, Option<Vec<String>>), Fault> {
        let Value::Object(given) = given else { return Err(Fault::syntax("the body must be a JSON object")) };
        let (members, rest): (Object, Object) =
            given.clone().into_iter().partition(|(key, _)| is_members(key));
        let members = members.into_iter().next().map(|(_, members)| ids(&members)).transpose()?;
        Ok((Self::of(resource::read(&GROUPS, &Value::Object(rest))?)?, members))
    }

    pub fn of(resource: Object) -> Result<Self, Fault> {
        let display_name = text_in(&resource, "displayName").unwrap_or_default().trim().to_owned();
        if text::is_invisible(&display_name) {
            return Err(Fault::value("displayName is required"));
        }
        check_key("displayName", &display_name)?;
        let external_id = text_in(&resource, "externalId").filter(|id| !id.is_empty()).map(str::to_owned);
        if let Some(external_id) = &external_id {
            check_key("externalId", external_id)?;
        }
        Ok(Self { display_name, external_id, resource })
    }

    /// Groups are found by their name, whatever its case.
    pub fn key(&self) -> String {
        display_name_key(&self.display_name)
    }

    /// Applies what does not concern the members.
    pub fn patched(&self, operations: Vec<Operation>) -> Result<Self, Fault> {
        Self::of(patch::apply(&GROUPS, &self.resource, operations)?)
    }
}

pub fn display_name_key(display_name: &str) -> String {
    text::folded(display_name.trim())
}

/// A PATCH of a group: the changes of its members, and the other operations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupPatch {
    pub members: Vec<MemberChange>,
    pub rest: Vec<Operation>,
}

impl GroupPatch {
    pub fn parse(body: &Value) -> Result<Self, Fault> {
        let mut parsed = Self::default();
        for operation in patch::parse(body)? {
            // Only without a path, what is read-only is ignored.
            let is_explicit = operation.path.is_some();
            let (members, others): (Vec<Operation>, Vec<Operation>) =
                operation.clone().flatten()?.into_iter().partition(Operation::is_of_members);
            for one in members {
                parsed.members.extend(one.member_change()?);
            }
            match is_explicit {
                true => parsed.rest.extend(others),
                false => parsed.rest.push(operation.without_members()),
            }
        }
        Ok(parsed)
    }
}

impl Operation {
    fn is_of_members(&self) -> bool {
        self.path.as_ref().is_some_and(|path| is_members(&path.attribute))
    }

    /// The same without what `GroupPatch` has taken out.
    fn without_members(mut self) -> Self {
        if let Value::Object(value) = &mut self.value {
            value.retain(|key, _| !is_members(key));
        }
        self
    }

    /// `None` if nothing that is stored would change.
    fn member_change(self) -> Result<Option<MemberChange>, Fault> {
        let Some(path) = self.path else { return Ok(None) };
        // A part of a member. The version in the name of a schema has a dot, too.
        let target = GROUPS.resolve(&path.attribute);
        if path.part.is_some() || target.is_some_and(|target| target.part.is_some()) {
            return Ok(None);
        }
        if let Some(filter) = &path.filter {
            if self.op != Op::Remove {
                return Err(Fault::new(FaultKind::InvalidPath, "members are added by their ids"));
            }
            let mut named = Vec::new();
            name_members(filter, &mut named)?;
            return Ok(Some(MemberChange::Remove(named)));
        }
        let named = ids(&self.value)?;
        Ok(Some(match self.op {
            Op::Add => MemberChange::Add(named),
            Op::Replace => MemberChange::Replace(named),
            // Entra names those who leave in the value. Everybody leaves only if there is no value at all.
            Op::Remove if self.value.is_null() => MemberChange::Replace(Vec::new()),
            Op::Remove => MemberChange::Remove(named),
        }))
    }
}

fn is_members(path: &str) -> bool {
    let target = GROUPS.resolve(path);
    target.and_then(|target| target.attribute).is_some_and(|attribute| attribute.name == "members")
}

/// The ids in `members[value eq "1" or value eq "2"]`.
fn name_members(filter: &Filter, named: &mut Vec<String>) -> Result<(), Fault> {
    match filter {
        Filter::Compare { path, operator: Operator::Equal, value: Value::String(id) }
            if path.eq_ignore_ascii_case("value") =>
        {
            named.push(id.clone());
            Ok(())
        }
        Filter::Or(all) => all.iter().try_for_each(|one| name_members(one, named)),
        _ => Err(Fault::new(FaultKind::InvalidFilter, "members are found by their `value`")),
    }
}

/// The ids of members: `[{ "value": "1" }]`, `["1"]`, or one of them without the list. Groups in groups are ignored.
fn ids(given: &Value) -> Result<Vec<String>, Fault> {
    let given = match given {
        Value::Array(given) => given.as_slice(),
        Value::Null => &[],
        single => std::slice::from_ref(single),
    };
    let mut ids = Vec::with_capacity(given.len());
    for one in given {
        let member = |key: &str| {
            let object = one.as_object()?;
            object
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(key))
                .and_then(|(_, value)| value.as_str())
        };
        if member("type").is_some_and(|kind| kind.eq_ignore_ascii_case("group")) {
            continue;
        }
        let id = one.as_str().or_else(|| member("value"));
        ids.push(
            id.ok_or_else(|| Fault::value("a member must have the id of a user as its value"))?.to_owned(),
        );
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn changes(operations: Value) -> Result<Vec<MemberChange>, Fault> {
        Ok(GroupPatch::parse(&json!({ "Operations": operations }))?.members)
    }

    #[test]
    fn members_come_and_go_in_all_the_ways_that_directories_send() {
        use MemberChange::{Add, Remove, Replace};
        let some = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        for (operations, wanted) in [
            (
                json!([{ "op": "Add", "path": "members", "value": [{ "value": "1" }, { "Value": "2" }] }]),
                Add(some(&["1", "2"])),
            ),
            (
                json!([{ "op": "add", "value": { "members": [{ "value": "1", "display": "A" }] } }]),
                Add(some(&["1"])),
            ),
            (json!([{ "op": "add", "path": "Members", "value": { "value": "1" } }]), Add(some(&["1"]))),
            (json!([{ "op": "add", "path": "members", "value": ["1", "2"] }]), Add(some(&["1", "2"]))),
            (
                json!([{ "op": "add", "path": "urn:ietf:params:scim:schemas:core:2.0:Group:members", "value": "1" }]),
                Add(some(&["1"])),
            ),
            (
                json!([{ "op": "add", "path": "members", "value": [{ "value": "9", "type": "Group" }, { "value": "1" }] }]),
                Add(some(&["1"])),
            ),
            // Entra.
            (
                json!([{ "op": "Remove", "path": "members", "value": [{ "value": "1" }] }]),
                Remove(some(&["1"])),
            ),
            (json!([{ "op": "Remove", "path": "members", "value": [] }]), Remove(some(&[]))),
            (json!([{ "op": "remove", "path": "members[value eq \"1\"]" }]), Remove(some(&["1"]))),
            (
                json!([{ "op": "remove", "path": "members[value eq \"1\" or Value EQ \"2\"]" }]),
                Remove(some(&["1", "2"])),
            ),
            (json!([{ "op": "remove", "path": "members" }]), Replace(some(&[]))),
            (
                json!([{ "op": "replace", "path": "members", "value": [{ "value": "1" }] }]),
                Replace(some(&["1"])),
            ),
            (json!([{ "op": "replace", "value": { "members": [] } }]), Replace(some(&[]))),
        ] {
            assert_eq!(changes(operations.clone()).unwrap(), [wanted], "{operations}");
        }
        for operations in [
            json!([{ "op": "add", "path": "members[value eq \"1\"]", "value": {} }]),
            json!([{ "op": "remove", "path": "members[display co \"A\"]" }]),
            json!([{ "op": "add", "path": "members", "value": [{ "display": "A" }] }]),
            json!([{ "op": "add", "path": "members", "value": [7] }]),
        ] {
            assert!(changes(operations.clone()).is_err(), "{operations}");
        }
    }

    #[test]
    fn the_rest_of_a_patch_changes_the_group() {
        let (group, members) =
            Group::read(&json!({ "DisplayName": "Choir", "members": [{ "value": "1" }] })).unwrap();
        assert_eq!((group.display_name.as_str(), members), ("Choir", Some(vec!["1".to_owned()])));
        assert!(!group.resource.contains_key("members"));
        let body = json!({ "Operations": [
            { "op": "replace", "value": { "id": "7", "displayName": "Big Choir", "members": ["1"] } },
            { "op": "Add", "path": "externalId", "value": "e1" },
        ] });
        let GroupPatch { members, rest } = GroupPatch::parse(&body).unwrap();
        assert_eq!(members, [MemberChange::Replace(vec!["1".to_owned()])]);
        let group = group.patched(rest).unwrap();
        assert_eq!((group.key().as_str(), group.external_id.as_deref()), ("big choir", Some("e1")));
        for given in [json!({}), json!({ "displayName": " " }), json!({ "displayName": 7 }), json!([])] {
            assert!(Group::read(&given).is_err(), "{given}");
        }
    }

    #[test]
    fn a_group_of_thousands_can_be_read() {
        let members: Vec<Value> = (0..5_000).map(|id| json!({ "value": id.to_string() })).collect();
        let (_, members) = Group::read(&json!({ "displayName": "All", "members": members })).unwrap();
        assert_eq!(members.unwrap().len(), 5_000);
    }
}

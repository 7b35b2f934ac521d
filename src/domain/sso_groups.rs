//! Roles by the groups that an OpenID provider claims for a person.

use serde_json::Value;

use super::{ids::NamePageId, member::Role};

/// The role of everybody in a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRole {
    /// As the provider writes it. Letter case counts.
    pub group: String,
    pub role: Role,
    /// The pages of a manager or reader.
    pub pages: Vec<NamePageId>,
}

/// The groups of a person. `None` if the provider does not say: Microsoft Entra names a place to ask instead if they are many. A person
/// without any has no claim, or an empty one.
pub fn groups(claims: &Value, claim: &str) -> Option<Vec<String>> {
    match &claims[claim] {
        Value::Array(all) => Some(all.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        Value::String(one) => Some(vec![one.clone()]),
        _ if claims["_claim_names"].get(claim).is_some() => None,
        _ => Some(Vec::new()),
    }
}

/// The highest role of all matching rules, with the pages of all rules for that role.
pub fn role_of(rules: &[GroupRole], groups: &[String]) -> Option<(Role, Vec<NamePageId>)> {
    let matching: Vec<&GroupRole> = rules.iter().filter(|rule| groups.contains(&rule.group)).collect();
    // From the highest to the lowest.
    let role = Role::ALL.into_iter().find(|role| matching.iter().any(|rule| rule.role == *role))?;
    let of_role = matching.into_iter().filter(|rule| rule.role == role);
    let mut pages: Vec<NamePageId> = of_role.flat_map(|rule| rule.pages.iter().copied()).collect();
    pages.sort_unstable();
    pages.dedup();
    Some((role, pages))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn groups_are_a_list_or_one() {
        let of = |claims: Value| groups(&claims, "groups");
        assert_eq!(of(json!({ "groups": ["a", "b", 7] })), Some(vec!["a".into(), "b".into()]));
        assert_eq!(of(json!({ "groups": "a" })), Some(vec!["a".into()]));
        assert_eq!(of(json!({})), Some(Vec::new()));
        assert_eq!(of(json!({ "groups": null })), Some(Vec::new()));
        assert_eq!(of(json!({ "_claim_names": { "groups": "src1" } })), None, "too many to say");
        assert_eq!(groups(&json!({ "roles": ["x"] }), "roles"), Some(vec!["x".into()]));
    }

    #[test]
    fn the_highest_role_counts_with_the_pages_of_its_rules() {
        let rule = |group: &str, role, pages: &[i64]| GroupRole {
            group: group.into(),
            role,
            pages: pages.iter().map(|id| NamePageId::new(*id)).collect(),
        };
        let rules = [
            rule("staff", Role::Reader, &[1, 2]),
            rule("choir", Role::Manager, &[3]),
            rule("band", Role::Manager, &[4, 3]),
            rule("it", Role::Owner, &[]),
        ];
        let of = |groups: &[&str]| {
            let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
            role_of(&rules, &groups)
        };
        let ids = |ids: &[i64]| ids.iter().map(|id| NamePageId::new(*id)).collect::<Vec<_>>();
        assert_eq!(of(&[]), None);
        assert_eq!(of(&["Staff"]), None, "letter case counts");
        assert_eq!(of(&["staff", "other"]), Some((Role::Reader, ids(&[1, 2]))));
        assert_eq!(of(&["staff", "choir", "band"]), Some((Role::Manager, ids(&[3, 4]))));
        assert_eq!(of(&["it", "choir"]), Some((Role::Owner, ids(&[]))));
    }
}

//! LTI roles: short names, LIS URNs and URIs, with or without a sub-role.

use crate::domain::roster::Role;

const CONTEXT: &str = "http://purl.imsglobal.org/vocab/lis/v2/membership";
const LEGACY_PREFIX: &str = "urn:lti:role:ims/lis/";
/// A test user of the platform, not a person.
const TEST_USER: &str = "http://purl.imsglobal.org/vocab/lti/system/person#TestUser";

/// Maps LTI roles to roles in the course. Institution and system roles are ignored.
pub fn in_course<S: AsRef<str>>(words: &[S]) -> Vec<Role> {
    if words.iter().any(|word| word.as_ref().trim() == TEST_USER) {
        return Vec::new();
    }
    let mut roles: Vec<Role> = words.iter().filter_map(|word| one(word.as_ref().trim())).collect();
    // Platforms send both the assistant sub-role and plain Instructor for an assistant.
    if roles.contains(&Role::Assistant) {
        roles.retain(|role| *role != Role::Teacher);
    }
    roles.sort_unstable();
    roles.dedup();
    roles
}

fn one(word: &str) -> Option<Role> {
    let short = match word.strip_prefix(CONTEXT) {
        Some(rest) => rest.trim_start_matches(['#', '/']),
        None => word.strip_prefix(LEGACY_PREFIX).unwrap_or(word),
    };
    let (role, within) = short.split_once(['#', '/']).unwrap_or((short, ""));
    match role {
        "Learner" | "Student" => Some(Role::Student),
        "Instructor" if within.contains("TeachingAssistant") => Some(Role::Assistant),
        "TeachingAssistant" => Some(Role::Assistant),
        "Instructor" => Some(Role::Teacher),
        "ContentDeveloper" => Some(Role::Designer),
        "Mentor" => Some(Role::Observer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_known_in_each_of_their_forms() {
        for (words, roles) in [
            (&["Learner"][..], &[Role::Student][..]),
            (&["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"], &[Role::Student]),
            (
                &["http://purl.imsglobal.org/vocab/lis/v2/membership/Learner#NonCreditLearner"],
                &[Role::Student],
            ),
            (&["urn:lti:role:ims/lis/Learner"], &[Role::Student]),
            (&["Instructor", "Learner"], &[Role::Student, Role::Teacher]),
            (
                &["http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"],
                &[Role::Assistant],
            ),
            (
                &[
                    "http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor",
                    "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant",
                ],
                &[Role::Assistant],
            ),
            (&["Instructor#TeachingAssistant"], &[Role::Assistant]),
            (&["urn:lti:role:ims/lis/TeachingAssistant"], &[Role::Assistant]),
            (
                &["http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#GuestInstructor"],
                &[Role::Teacher],
            ),
            (&["http://purl.imsglobal.org/vocab/lis/v2/membership#ContentDeveloper"], &[Role::Designer]),
            (&["http://purl.imsglobal.org/vocab/lis/v2/membership#Mentor"], &[Role::Observer]),
            (&["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Student"], &[]),
            (&["http://purl.imsglobal.org/vocab/lis/v2/system/person#Administrator"], &[]),
            (&["http://purl.imsglobal.org/vocab/lis/v2/membership#Manager", "Learners"], &[]),
            (&["Learner", TEST_USER], &[]),
            (&[], &[]),
        ] {
            assert_eq!(in_course(words), roles, "{words:?}");
        }
    }
}

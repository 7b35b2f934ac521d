//! Maps the roles of a launch to a standing in the course. Accepts full URIs, short names and LTI 1.1 URNs.

/// What a user may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CourseRole {
    /// Everybody in the course.
    Staff,
    /// Themselves.
    Student,
    /// Nothing: observers, designers.
    Neither,
    /// What a student would see: an instructor previews the course as the platform's test user.
    Preview,
}

const MEMBERSHIP: &str = "http://purl.imsglobal.org/vocab/lis/v2/membership";
const INSTITUTION: &str = "http://purl.imsglobal.org/vocab/lis/v2/institution/person#";
const SYSTEM: &str = "http://purl.imsglobal.org/vocab/lis/v2/system/person#";
const TEST_USER: &str = "http://purl.imsglobal.org/vocab/lti/system/person#TestUser";
const LEGACY_PREFIX: &str = "urn:lti:role:ims/lis/";

impl CourseRole {
    pub fn of<'a>(roles: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut found, mut is_administrator) = (Self::Neither, false);
        for role in roles {
            if role == TEST_USER {
                return Self::Preview;
            }
            match in_course(role) {
                Self::Staff => found = Self::Staff,
                Self::Student if found == Self::Neither => found = Self::Student,
                Self::Student => {}
                Self::Neither | Self::Preview => is_administrator |= administers(role),
            }
        }
        // An administrator of the institution who is a learner in this course is a student here.
        if is_administrator && found == Self::Neither { Self::Staff } else { found }
    }
}

/// Whether a user may add links to a course: instructors and content developers may.
pub fn may_add_links<'a>(roles: impl IntoIterator<Item = &'a str> + Clone) -> bool {
    let makes_content = |role: &str| word_in_course(role) == "ContentDeveloper";
    match CourseRole::of(roles.clone()) {
        CourseRole::Staff => true,
        CourseRole::Student | CourseRole::Preview => false,
        CourseRole::Neither => roles.into_iter().any(makes_content),
    }
}

/// Whether a role administers the institution or the system. Teaching elsewhere in the institution grants nothing in this course.
fn administers(role: &str) -> bool {
    let word = [INSTITUTION, SYSTEM].into_iter().find_map(|everywhere| role.strip_prefix(everywhere));
    matches!(word, Some("Administrator" | "SysAdmin"))
}

/// The role's name within the course.
fn word_in_course(role: &str) -> &str {
    let in_course = match role.strip_prefix(MEMBERSHIP) {
        // `membership#Instructor`, `membership/Instructor#TeachingAssistant`
        Some(rest) => rest.trim_start_matches(['#', '/']),
        None => role.strip_prefix(LEGACY_PREFIX).unwrap_or(role),
    };
    in_course.split(['#', '/']).next().unwrap_or_default()
}

fn in_course(role: &str) -> CourseRole {
    match word_in_course(role) {
        "Instructor" | "TeachingAssistant" | "Administrator" => CourseRole::Staff,
        "Learner" => CourseRole::Student,
        _ => CourseRole::Neither,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_added_by_those_who_teach_or_make_content() {
        let developer = "http://purl.imsglobal.org/vocab/lis/v2/membership#ContentDeveloper";
        for (roles, may) in [
            (vec![developer], true),
            (vec!["Instructor"], true),
            (vec!["Learner"], false),
            (vec![developer, "Learner"], false),
            (vec![developer, TEST_USER], false),
            (vec!["Mentor"], false),
        ] {
            assert_eq!(may_add_links(roles.iter().copied()), may, "{roles:?}");
        }
    }

    #[test]
    fn roles_are_known_in_full_in_short_and_in_older_words() {
        for (roles, wanted) in [
            (vec!["http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"], CourseRole::Staff),
            (
                vec!["http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"],
                CourseRole::Staff,
            ),
            (vec!["http://purl.imsglobal.org/vocab/lis/v2/membership#Administrator"], CourseRole::Staff),
            (
                vec!["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Administrator"],
                CourseRole::Staff,
            ),
            (vec!["http://purl.imsglobal.org/vocab/lis/v2/system/person#Administrator"], CourseRole::Staff),
            (vec!["Instructor"], CourseRole::Staff),
            (vec!["TeachingAssistant"], CourseRole::Staff),
            (vec!["urn:lti:role:ims/lis/Instructor"], CourseRole::Staff),
            (vec!["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"], CourseRole::Student),
            (
                vec!["http://purl.imsglobal.org/vocab/lis/v2/membership/Learner#GuestLearner"],
                CourseRole::Student,
            ),
            (vec!["Learner"], CourseRole::Student),
            (vec!["Learner", "Instructor"], CourseRole::Staff),
            (
                vec!["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"],
                CourseRole::Neither,
            ),
            (vec!["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Student"], CourseRole::Neither),
            (vec!["http://purl.imsglobal.org/vocab/lis/v2/membership#Mentor"], CourseRole::Neither),
            (vec!["http://purl.imsglobal.org/vocab/lis/v2/membership#ContentDeveloper"], CourseRole::Neither),
            (
                vec!["instructor", "http://evil.example/membership#Instructor", "x/Instructor"],
                CourseRole::Neither,
            ),
            (vec!["Learner", TEST_USER], CourseRole::Preview),
            (vec!["Instructor", TEST_USER], CourseRole::Preview),
            (
                vec!["Learner", "http://purl.imsglobal.org/vocab/lis/v2/institution/person#Administrator"],
                CourseRole::Student,
            ),
            (
                vec![
                    "http://purl.imsglobal.org/vocab/lis/v2/system/person#SysAdmin",
                    "http://purl.imsglobal.org/vocab/lis/v2/membership#Learner",
                ],
                CourseRole::Student,
            ),
            (
                vec!["Learner", "http://purl.imsglobal.org/vocab/lis/v2/membership#Administrator"],
                CourseRole::Staff,
            ),
            (vec![], CourseRole::Neither),
        ] {
            assert_eq!(CourseRole::of(roles.iter().copied()), wanted, "{roles:?}");
        }
    }
}

//! Checks of a connection, step by step.

use super::{CheckReport, Error, Result};

/// What a check goes through, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStep {
    /// The address is permitted, and the learning system answers there.
    Address,
    /// It accepts our credentials.
    Credentials,
    /// They permit what we need.
    Permissions,
    /// It shows who is in a course.
    Course,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepResult {
    Passed,
    Failed,
    /// An earlier step has failed, or there was nothing to check.
    Skipped,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    pub steps: [(CheckStep, StepResult); 4],
    /// What was found, or why it failed; in English.
    pub outcome: Result<CheckReport>,
}

impl Checked {
    /// `is_accepted` says whether the learning system accepted our credentials before the check ended.
    pub fn new(is_accepted: bool, outcome: Result<CheckReport>) -> Self {
        use CheckStep::{Address, Course, Credentials, Permissions};
        use StepResult::{Failed, Passed, Skipped};
        let results = match (&outcome, is_accepted) {
            (Ok(report), _) if report.is_course_read => [Passed, Passed, Passed, Passed],
            (Ok(_), _) => [Passed, Passed, Passed, Skipped],
            (Err(Error::Denied(_)), true) => [Passed, Passed, Failed, Skipped],
            (Err(_), true) => [Passed, Passed, Passed, Failed],
            (Err(Error::Denied(_)), false) => [Passed, Failed, Skipped, Skipped],
            (Err(_), false) => [Failed, Skipped, Skipped, Skipped],
        };
        let [address, credentials, permissions, course] = results;
        let steps =
            [(Address, address), (Credentials, credentials), (Permissions, permissions), (Course, course)];
        Self { steps, outcome }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_that_fails_is_named_and_the_rest_is_left_out() {
        use StepResult::{Failed, Passed, Skipped};
        let report = |is_course_read| CheckReport { says: String::new(), coverage: None, is_course_read };
        let denied = || Err(Error::Denied(String::new()));
        let down = || Err(Error::Unavailable(String::new()));
        for (is_accepted, outcome, wanted) in [
            (true, Ok(report(true)), [Passed, Passed, Passed, Passed]),
            (true, Ok(report(false)), [Passed, Passed, Passed, Skipped]),
            (true, denied(), [Passed, Passed, Failed, Skipped]),
            (true, down(), [Passed, Passed, Passed, Failed]),
            (false, denied(), [Passed, Failed, Skipped, Skipped]),
            (false, down(), [Failed, Skipped, Skipped, Skipped]),
            (false, Err(Error::Refused(String::new())), [Failed, Skipped, Skipped, Skipped]),
        ] {
            let checked = Checked::new(is_accepted, outcome);
            assert_eq!(checked.steps.map(|(_, result)| result), wanted, "{checked:?}");
        }
    }
}

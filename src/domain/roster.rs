//! Who is enrolled in a course, as a learning system tells it.

/// What somebody is in a course.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Student,
    Teacher,
    Assistant,
    Designer,
    Observer,
}

impl Role {
    pub const ALL: [Self; 5] =
        [Self::Student, Self::Teacher, Self::Assistant, Self::Designer, Self::Observer];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Student => "student",
            Self::Teacher => "teacher",
            Self::Assistant => "assistant",
            Self::Designer => "designer",
            Self::Observer => "observer",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word.trim().to_lowercase())
    }
}

/// Somebody on a roster: one of these for each person, however many enrolments they have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Member {
    /// The learning system's own id for them.
    pub user_id: String,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    /// As it came; it may be no address at all.
    pub email: Option<String>,
    /// What the contract calls institution_id.
    pub identifier: Option<String>,
    /// Where their picture is, if they have a real one.
    pub photo_url: Option<String>,
}

/// A whole roster: never a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roster {
    /// The course's title today, where the system tells it with the roster.
    pub title: Option<String>,
    pub members: Vec<Member>,
}

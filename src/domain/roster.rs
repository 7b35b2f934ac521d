//! Who is enrolled in a course, as a learning system tells it.

use super::{
    text::is_blank,
    token::{digest, hex},
};

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
    /// `None` is a part of the name that the learning system does not tell; an empty one is told to be empty.
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
    /// What an operator should know of it.
    pub note: Option<String>,
}

/// How many people on a roster, or on a part of one, come with each thing that can be told of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    pub people: usize,
    pub names: usize,
    pub emails: usize,
    pub identifiers: usize,
    pub pictures: usize,
}

impl Coverage {
    pub fn of(members: &[Member]) -> Self {
        let count = |is_told: fn(&Member) -> bool| members.iter().filter(|member| is_told(member)).count();
        Self {
            people: members.len(),
            names: count(Member::has_name),
            emails: count(|member| member.email.is_some()),
            identifiers: count(|member| member.identifier.is_some()),
            pictures: count(|member| member.photo_url.is_some()),
        }
    }
}

impl Member {
    /// Does the learning system tell any part of their name?
    pub fn has_name(&self) -> bool {
        [&self.first_name, &self.last_name].into_iter().flatten().any(|part| !is_blank(part))
    }

    /// A digest of where their picture is: it is compared with later, and kept, and nobody goes there by it. What lets one
    /// in there is left out first, because it changes.
    pub fn photo_mark(&self) -> Option<String> {
        const SECRET: [&str; 7] =
            ["token", "wstoken", "access_token", "verifier", "signature", "sig", "expires"];
        let url = self.photo_url.as_deref()?;
        let url = url.split('#').next().unwrap_or(url);
        let digest = |text: &str| Some(hex(&digest(text)));
        let Some((address, query)) = url.split_once('?') else { return digest(url) };
        let is_open = |pair: &&str| {
            let name = pair.split('=').next().unwrap_or_default().to_lowercase();
            !SECRET.contains(&name.as_str()) && !name.starts_with("x-amz-")
        };
        let left: Vec<&str> = query.split('&').filter(is_open).collect();
        if left.is_empty() { digest(address) } else { digest(&format!("{address}?{}", left.join("&"))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_the_same_whatever_opens_it_and_nobody_reads_where_it_is() {
        for (url, mark) in [
            ("https://lms.example/a.png", "https://lms.example/a.png"),
            ("https://lms.example/f1?rev=3&token=abc", "https://lms.example/f1?rev=3"),
            ("https://lms.example/f1?verifier=x#top", "https://lms.example/f1"),
        ] {
            let member = Member { photo_url: Some(url.into()), ..Member::default() };
            assert_eq!(member.photo_mark(), Some(hex(&digest(mark))));
        }
    }
}

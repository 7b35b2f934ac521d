//! The people enrolled in a course, as reported by a learning system.

use super::{
    digest::{self, hex},
    text::is_blank,
};

/// A person's role in a course.
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

/// A person on a roster: one per person, regardless of the number of enrollments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Member {
    /// The learning system's user id.
    pub user_id: String,
    /// `None` if the learning system does not provide this part of the name; empty if it reports an empty one.
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    /// Not validated.
    pub email: Option<String>,
    /// `institution_id` in the API contract.
    pub identifier: Option<String>,
    /// The URL of their picture, unless it is a default picture.
    pub photo_url: Option<String>,
}

/// A complete roster, never a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roster {
    /// The course's current title, if the system returns it with the roster.
    pub title: Option<String>,
    pub members: Vec<Member>,
    /// A warning for operators.
    pub note: Option<String>,
}

/// How many people on a roster, or on a part of one, have each attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    pub people: usize,
    /// With any part of a name.
    pub names: usize,
    /// With a last name. Some learning systems hide a part of the name.
    pub last_names: usize,
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
            last_names: count(|member| member.last_name.as_ref().is_some_and(|name| !is_blank(name))),
            emails: count(|member| member.email.is_some()),
            identifiers: count(|member| member.identifier.is_some()),
            pictures: count(|member| member.photo_url.is_some()),
        }
    }
}

impl Member {
    /// Whether the learning system provides any part of the name.
    pub fn has_name(&self) -> bool {
        [&self.first_name, &self.last_name].into_iter().flatten().any(|part| !is_blank(part))
    }

    /// A digest of the picture's URL, stored to detect changes; it is never fetched. Credentials in the URL are removed first,
    /// because they change.
    pub fn photo_mark(&self) -> Option<String> {
        const SECRET: [&str; 7] =
            ["token", "wstoken", "access_token", "verifier", "signature", "sig", "expires"];
        let url = self.photo_url.as_deref()?;
        let url = url.split('#').next().unwrap_or(url);
        let digest = |text: &str| Some(hex(&digest::of(text)));
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
            assert_eq!(member.photo_mark(), Some(hex(&digest::of(mark))));
        }
    }
}

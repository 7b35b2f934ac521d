//! The people in the courses of the fakes.

/// The picture that a system returns for a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Avatar {
    /// No URL at all.
    None,
    /// The system's placeholder.
    Default,
    /// These bytes, hosted by the system.
    Own(Vec<u8>),
    /// At this URL.
    At(String),
}

/// A user with one enrollment; enrolling them twice creates two.
#[derive(Debug, Clone)]
pub struct Person {
    pub id: u64,
    pub first: String,
    pub last: String,
    pub email: Option<String>,
    /// Canvas's `sis_user_id`, Moodle's `idnumber`, LTI's `lis_person_sourcedid`.
    pub identifier: Option<String>,
    pub avatar: Avatar,
    /// The system's own short name: `student`, `teacher`, `ta`; for Moodle `editingteacher`.
    pub role: String,
    pub active: bool,
}

impl Person {
    pub fn student(id: u64, first: &str, last: &str) -> Self {
        Self {
            id,
            first: first.into(),
            last: last.into(),
            email: Some(format!("person{id}@example.edu")),
            identifier: Some(format!("S{id}")),
            avatar: Avatar::None,
            role: "student".into(),
            active: true,
        }
    }

    pub fn email(self, email: &str) -> Self {
        Self { email: Some(email.into()), ..self }
    }

    pub fn without_email(self) -> Self {
        Self { email: None, ..self }
    }

    pub fn identifier(self, identifier: &str) -> Self {
        Self { identifier: Some(identifier.into()), ..self }
    }

    pub fn without_identifier(self) -> Self {
        Self { identifier: None, ..self }
    }

    pub fn avatar(self, avatar: Avatar) -> Self {
        Self { avatar, ..self }
    }

    pub fn role(self, role: &str) -> Self {
        Self { role: role.into(), ..self }
    }

    pub fn inactive(self) -> Self {
        Self { active: false, ..self }
    }
}

/// Names in five scripts.
pub fn five_scripts(from: u64) -> Vec<Person> {
    let names = [
        ("Siobhán", "Ní Dhomhnaill"),
        ("Ольга", "Щербакова"),
        ("محمد", "الأنصاري"),
        ("小龍", "李"),
        ("अनन्या", "शर्मा"),
    ];
    (from..).zip(names).map(|(id, (first, last))| Person::student(id, first, last)).collect()
}

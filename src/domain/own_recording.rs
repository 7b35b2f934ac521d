//! Which registrations belong to one person, and which of their recordings a registration gets.
//!
//! A person is an email address in an institution. A registration without one belongs to the person with whom it shares a
//! learning system user or an institution_id, provided that it is only one person.

use std::collections::{BTreeSet, HashMap};

use super::{
    ids::{ParticipantId, ToolConsumerId},
    media::Origin,
    moment::Moment,
    participant::Draft,
    text,
};

/// The parts of a registration that identify its person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registration {
    /// `None` if it has not been created yet.
    pub id: Option<ParticipantId>,
    pub email_key: Option<String>,
    pub identifier_key: Option<String>,
    /// Tool consumers, each with its user id for this person.
    pub users: Vec<(ToolConsumerId, String)>,
    pub phonetic: Option<String>,
    pub recording: Option<Recorded>,
}

/// A registration's recording of the preferred name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub hex: String,
    pub origin: Origin,
    pub created_at: Moment,
}

impl Registration {
    /// For a person who is about to be registered.
    pub fn of(draft: &Draft) -> Self {
        Self {
            email_key: draft.email.set().map(|email| email.key().to_owned()),
            identifier_key: draft.identifier.set().map(|identifier| text::nfc(identifier)),
            ..Self::default()
        }
    }

    /// Whether recordings that its owner makes elsewhere are copied to it.
    pub fn follows(&self) -> bool {
        self.recording.as_ref().is_none_or(|recording| recording.origin.is_replaceable())
    }

    fn keys(&self) -> impl Iterator<Item = Key<'_>> {
        let identifier = self.identifier_key.as_deref().map(Key::Identifier);
        identifier.into_iter().chain(self.users.iter().map(|(consumer, user)| Key::User(*consumer, user)))
    }
}

/// The keys that identify a registration without an email.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'a> {
    Identifier(&'a str),
    User(ToolConsumerId, &'a str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Person<'a> {
    Email(&'a str),
    /// No email is known: identified by shared keys.
    Keys,
    /// Ambiguous: it may belong to one of several people.
    Unclear,
}

/// The recordings that a new registration may start with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// One that the person made for all of their registrations.
    Shared,
    /// That one, or else a copy of the newest one set on another of their registrations.
    Any,
}

/// Groups registrations by person. It needs every registration that shares a key with another; see
/// `store::own_recordings::around`.
pub struct People<'a> {
    all: &'a [Registration],
    by_email: HashMap<&'a str, Vec<usize>>,
    by_key: HashMap<Key<'a>, Vec<usize>>,
}

impl<'a> People<'a> {
    pub fn new(all: &'a [Registration]) -> Self {
        let (mut by_email, mut by_key) = (HashMap::<_, Vec<usize>>::new(), HashMap::<_, Vec<usize>>::new());
        for (at, one) in all.iter().enumerate() {
            if let Some(email) = one.email_key.as_deref() {
                by_email.entry(email).or_default().push(at);
            }
            one.keys().for_each(|key| by_key.entry(key).or_default().push(at));
        }
        Self { all, by_email, by_key }
    }

    fn sharing_a_key(&self, at: usize) -> impl Iterator<Item = usize> {
        self.all[at].keys().filter_map(|key| self.by_key.get(&key)).flatten().copied()
    }

    fn person(&self, at: usize) -> Person<'a> {
        if let Some(email) = self.all[at].email_key.as_deref() {
            return Person::Email(email);
        }
        let mut emails = self.sharing_a_key(at).filter_map(|other| self.all[other].email_key.as_deref());
        match emails.next() {
            None => Person::Keys,
            Some(email) if emails.all(|other| other == email) => Person::Email(email),
            Some(_) => Person::Unclear,
        }
    }

    /// All registrations of the person, including this one.
    fn registrations(&self, at: usize) -> BTreeSet<usize> {
        let mut theirs = BTreeSet::from([at]);
        let person = self.person(at);
        let known = match person {
            Person::Email(email) => self.by_email.get(email).cloned().unwrap_or_default(),
            Person::Keys => vec![at],
            Person::Unclear => return theirs,
        };
        for one in known {
            theirs.insert(one);
            theirs.extend(self.sharing_a_key(one).filter(|other| self.person(*other) == person));
        }
        theirs
    }

    /// The other registrations that get a recording made at this one.
    pub fn followers(&self, at: usize) -> Vec<ParticipantId> {
        let others = self.registrations(at).into_iter().filter(|other| *other != at);
        others.map(|other| &self.all[other]).filter(|one| one.follows()).filter_map(|one| one.id).collect()
    }

    /// The registrations that decide whether this one is paused: those with the person's email, or else all that share a key.
    pub fn deciding(&self, at: usize) -> Vec<ParticipantId> {
        let theirs = self.registrations(at);
        let known: BTreeSet<usize> =
            theirs.iter().copied().filter(|one| self.all[*one].email_key.is_some()).collect();
        let these = if known.is_empty() { theirs } else { known };
        these.into_iter().filter_map(|one| self.all[one].id).collect()
    }

    /// The registration whose recording is copied to this new one.
    pub fn source(&self, at: usize, start: Start) -> Option<&'a Registration> {
        let others = self.registrations(at).into_iter().filter(|other| *other != at);
        let rank = |one: &'a Registration| {
            let recording = one.recording.as_ref()?;
            let is_shared = recording.origin == Origin::Shared;
            let may_be = is_shared || (start == Start::Any && recording.origin != Origin::Page);
            may_be.then_some((is_shared, recording.created_at, &recording.hex))
        };
        let ranked = others.filter_map(|other| Some((rank(&self.all[other])?, &self.all[other])));
        ranked.max_by_key(|(rank, _)| *rank).map(|(_, one)| one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `id email identifier user origin`, with a hyphen for a missing value.
    fn registration(text: &str) -> Registration {
        let words: Vec<Option<String>> =
            text.split(' ').map(|word| (word != "-").then(|| word.to_owned())).collect();
        let [id, email_key, identifier_key, user, origin] = words.try_into().unwrap();
        let id: ParticipantId = id.unwrap().parse().unwrap();
        let recorded = |word: String| Recorded {
            hex: id.to_string(),
            origin: Origin::parse(&word).unwrap(),
            created_at: Moment::from_micros(id.get()),
        };
        Registration {
            id: Some(id),
            email_key,
            identifier_key,
            users: user.map(|user| (ToolConsumerId::new(7), user)).into_iter().collect(),
            phonetic: None,
            recording: origin.map(recorded),
        }
    }

    fn all(texts: &[&str]) -> Vec<Registration> {
        texts.iter().map(|text| registration(text)).collect()
    }

    fn followers(texts: &[&str]) -> Vec<i64> {
        People::new(&all(texts)).followers(0).into_iter().map(ParticipantId::get).collect()
    }

    #[test]
    fn what_somebody_records_goes_wherever_nothing_else_was_meant() {
        let texts =
            ["1 a - - -", "2 a - - -", "3 a - - shared", "4 a - - copied", "5 a - - given", "6 a - - page"];
        assert_eq!(followers(&texts), [2, 3, 4]);
    }

    #[test]
    fn an_email_is_a_person_and_who_has_none_is_known_by_what_they_share() {
        assert_eq!(followers(&["1 a X u -", "2 b X u -"]), [0; 0], "another email is another person");
        assert_eq!(followers(&["1 a X - -", "2 - X - -", "3 - - u -", "4 a - u -"]), [2, 3, 4]);
        assert_eq!(followers(&["1 - X - -", "2 a X - -", "3 a - - -"]), [2, 3]);
        assert_eq!(followers(&["1 - X - -", "2 - X - -", "3 - Y - -"]), [2]);
        assert_eq!(followers(&["1 - - u -", "2 - - u -"]), [2]);
    }

    #[test]
    fn nobody_gets_the_voice_of_one_of_two_who_they_may_be() {
        assert_eq!(followers(&["1 - X u -", "2 a X - -", "3 b - u -"]), [0; 0]);
        assert_eq!(followers(&["2 a X - -", "1 - X u -", "3 b - u -"]), [0; 0]);
    }

    #[test]
    fn who_has_an_email_decides_for_their_registrations_without_one() {
        let deciding = |texts: &[&str]| {
            let all = all(texts);
            People::new(&all).deciding(0).into_iter().map(ParticipantId::get).collect::<Vec<_>>()
        };
        assert_eq!(deciding(&["1 - X - -", "2 a X - -", "3 a - - -", "4 - X - -"]), [2, 3]);
        assert_eq!(deciding(&["1 - X - -", "2 - X - -", "3 - Y - -"]), [1, 2]);
        assert_eq!(deciding(&["1 - X u -", "2 a X - -", "3 b - u -"]), [1], "one of two");
    }

    #[test]
    fn the_same_user_of_another_learning_system_is_somebody_else() {
        let mut two = all(&["1 - - u -", "2 - - u -"]);
        two[1].users = vec![(ToolConsumerId::new(8), "u".to_owned())];
        assert!(People::new(&two).followers(0).is_empty());
    }

    #[test]
    fn somebody_new_starts_with_what_they_recorded_and_else_with_the_newest_that_they_were_given() {
        let source = |texts: &[&str], start| {
            let all = all(texts);
            People::new(&all).source(0, start).and_then(|one| one.id).map(ParticipantId::get)
        };
        let both = ["1 a - - -", "2 a - - shared", "3 a - - shared", "4 a - - given"];
        assert_eq!(source(&both, Start::Any), Some(3));
        assert_eq!(source(&both, Start::Shared), Some(3));
        let given = ["1 a - - -", "2 a - - copied", "3 a - - given", "4 a - - page"];
        assert_eq!(source(&given, Start::Any), Some(3));
        assert_eq!(source(&given, Start::Shared), None);
        assert_eq!(source(&["1 a - - shared"], Start::Any), None, "not with its own");
    }
}

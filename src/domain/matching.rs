//! Who on a course's page somebody on its roster is, and what of what the learning system says of them can be written down.
//! Whatever the order in which a roster comes, the answer is the same.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    email::{Email, email_key},
    ids::ParticipantId,
    roster::Member,
    text::{self, longest},
};

/// Somebody on the course's page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    pub id: ParticipantId,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<String>,
    pub email_key: Option<String>,
    pub identifier: Option<String>,
    pub identifier_key: Option<String>,
    /// Who they were in the learning system when it was asked last.
    pub user_id: Option<String>,
    pub hidden: bool,
    /// It is a member of staff's own, made by themselves: no roster touches it.
    pub is_staff: bool,
    /// They have come by themselves after the roster was asked for, so that it need not know them.
    pub came_since: bool,
    /// Their picture now; what it was copied from, and what that has become.
    pub photo: Option<String>,
    pub photo_url: Option<String>,
    pub copied_photo: Option<String>,
}

impl Entry {
    /// What it says of somebody now.
    pub fn identity(&self) -> Wanted {
        Wanted {
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            email: self.email.clone(),
            email_key: self.email_key.clone(),
            identifier: self.identifier.clone(),
            identifier_key: self.identifier_key.clone(),
        }
    }

    /// When no roster has them.
    const fn is_to_leave(&self) -> bool {
        self.user_id.is_some() && !self.came_since && !self.is_staff
    }
}

/// What an entry is to say of somebody.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<String>,
    pub email_key: Option<String>,
    pub identifier: Option<String>,
    pub identifier_key: Option<String>,
}

/// Somebody elsewhere in the institution who has one of the roster's identifiers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub identifier_key: String,
    pub email_key: Option<String>,
}

/// What a roster means for a page: places in `members` and in `entries`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// On the page already, or hidden there: the entry, the member, and what the entry is to say.
    pub known: Vec<(usize, usize, Wanted)>,
    pub new: Vec<(usize, Wanted)>,
    /// Once on the roster and not any more.
    pub leaving: Vec<usize>,
    /// How many could not be given their institution_id, because somebody with another email has it.
    pub identifiers_taken: usize,
}

/// A roster that has lost so many people that it is more likely to be wrong than true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// People on the page whom the learning system knew.
    pub before: usize,
    /// Those among them whom it does not know any more.
    pub lost: usize,
}

/// From so many people on, losing more than half of them at once is suspicious; of fewer, losing all.
const MANY: usize = 10;

impl Plan {
    /// Does the page lose everybody who is enrolled, or more than half of many?
    pub fn loss(&self, entries: &[Entry]) -> Option<Loss> {
        let before = entries.iter().filter(|entry| !entry.hidden && entry.is_to_leave()).count();
        let lost = self.leaving.len();
        let is_suspicious = lost > 0 && (lost == before || (before >= MANY && lost * 2 > before));
        is_suspicious.then_some(Loss { before, lost })
    }

    /// `holders` are on other pages of the institution.
    pub fn new(members: &[Member], entries: &[Entry], holders: &[Holder]) -> Self {
        let members = &distinct(members)[..];
        let owners = owners(members, entries);
        let matched: HashSet<usize> = owners.iter().flatten().copied().collect();
        let unmatched = |at: &usize| !matched.contains(at) && !entries[*at].hidden;
        let (leaving, staying): (Vec<usize>, Vec<usize>) =
            (0..entries.len()).filter(unmatched).partition(|at| entries[*at].is_to_leave());
        let others: Vec<&Entry> = staying.into_iter().map(|at| &entries[at]).collect();
        let mut people: Vec<Person<'_>> = members
            .iter()
            .zip(owners)
            .map(|((at, member), owner)| {
                Person::new(*at, member, owner.map(|owner| (owner, &entries[owner])))
            })
            .collect();
        give_emails(&mut people, &others);
        let identifiers_taken = give_identifiers(&mut people, &others, holders);
        let mut plan = Self { leaving, identifiers_taken, ..Self::default() };
        for person in people {
            match person.entry {
                Some((at, _)) => plan.known.push((at, person.member, person.wanted)),
                None => plan.new.push((person.member, person.wanted)),
            }
        }
        plan
    }
}

/// In an order of their own, each once, with their place on the roster.
fn distinct(members: &[Member]) -> Vec<(usize, &Member)> {
    let mut by_id: BTreeMap<&str, (usize, &Member)> = BTreeMap::new();
    for (at, member) in members.iter().enumerate() {
        by_id.entry(&member.user_id).or_insert((at, member));
    }
    by_id.into_values().collect()
}

/// The entry of each member: by email, institution_id and then the learning system's id, among those who are to be seen and
/// then among those who are hidden. Nobody's entry is given twice; and what is known to be somebody's goes to nobody else who
/// merely has their email or institution_id by now, since recordings stay with whom the learning system's id says.
fn owners(members: &[(usize, &Member)], entries: &[Entry]) -> Vec<Option<usize>> {
    let enrolled: HashSet<&str> = members.iter().map(|(_, member)| member.user_id.as_str()).collect();
    let known: HashSet<&str> = entries.iter().filter_map(|entry| entry.user_id.as_deref()).collect();
    // Somebody else's may be another account of the same person: not where that one is enrolled too, nor for whoever has an
    // entry of their own.
    let may_have = |member: &Member, entry: &Entry| {
        !entry.is_staff
            && entry.user_id.as_deref().is_none_or(|user| {
                user == member.user_id
                    || !(enrolled.contains(user) || known.contains(member.user_id.as_str()))
            })
    };
    let keys: Vec<[Option<String>; 3]> = members.iter().map(|(_, member)| keys_of(member)).collect();
    let mut owner: Vec<Option<usize>> = vec![None; members.len()];
    let mut taken: HashSet<usize> = HashSet::new();
    for hidden in [false, true] {
        for by in 0..3 {
            let mut found: HashMap<&str, Vec<usize>> = HashMap::new();
            for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.hidden == hidden) {
                let key = [&entry.email_key, &entry.identifier_key, &entry.user_id][by];
                if let Some(key) = key {
                    found.entry(key).or_default().push(at);
                }
            }
            for entries_of_key in found.values_mut() {
                entries_of_key.sort_by_key(|at| entries[*at].id);
            }
            // Whoever had the entry before comes before whoever merely has the same key.
            for linked in [true, false] {
                for (at, (_, member)) in members.iter().enumerate() {
                    let Some(key) = keys[at][by].as_deref().filter(|_| owner[at].is_none()) else { continue };
                    let fits = |entry: &&usize| {
                        !taken.contains(*entry)
                            && may_have(member, &entries[**entry])
                            && (!linked || entries[**entry].user_id.as_deref() == Some(&member.user_id))
                    };
                    let entry = found.get(key).and_then(|of_key| of_key.iter().find(fits)).copied();
                    taken.extend(entry);
                    owner[at] = entry;
                }
            }
        }
    }
    owner
}

fn keys_of(member: &Member) -> [Option<String>; 3] {
    let email = member.email.as_deref().and_then(Email::parse);
    [email.map(|email| email.key().to_owned()), identifier_key(member), Some(member.user_id.clone())]
}

struct Person<'a> {
    /// The place on the roster.
    member: usize,
    entry: Option<(usize, &'a Entry)>,
    /// What the learning system says, where it can be used.
    email: Option<Email>,
    identifier: Option<String>,
    wanted: Wanted,
}

impl<'a> Person<'a> {
    fn new(member: usize, said: &Member, entry: Option<(usize, &'a Entry)>) -> Self {
        let (first_name, last_name) = names(said, entry.map(|(_, entry)| entry));
        Self {
            member,
            entry,
            email: said.email.as_deref().and_then(Email::parse),
            identifier: identifier(said),
            wanted: Wanted { first_name, last_name, ..Wanted::default() },
        }
    }

    fn old_email(&self) -> Option<&str> {
        self.entry.and_then(|(_, entry)| entry.email_key.as_deref())
    }

    fn old_identifier(&self) -> Option<&str> {
        self.entry.and_then(|(_, entry)| entry.identifier_key.as_deref())
    }

    fn is_hidden(&self) -> bool {
        self.entry.is_some_and(|(_, entry)| entry.hidden)
    }

    fn take_email(&mut self) {
        self.wanted.email = self.email.as_ref().map(|email| email.as_given().to_owned());
        self.wanted.email_key = self.email.as_ref().map(|email| email.key().to_owned());
    }

    fn keep_email(&mut self) {
        self.wanted.email = self.entry.and_then(|(_, entry)| entry.email.clone());
        self.wanted.email_key = self.old_email().map(str::to_owned);
    }
}

/// An email is one person's on a page. It follows the learning system where it is free; else people keep what they have.
fn give_emails(people: &mut [Person<'_>], others: &[&Entry]) {
    let mut held: HashSet<String> = others.iter().filter_map(|entry| entry.email_key.clone()).collect();
    // In this order: those who have what they are to have; those who are to be seen and keep or change theirs; those who come
    // back; those who are new.
    let has_it = |person: &Person<'_>| {
        person.email.is_some() && person.email.as_ref().map(Email::key) == person.old_email()
    };
    let rank = |person: &Person<'_>| match person.entry {
        Some(_) if !person.is_hidden() && has_it(person) => 0,
        Some(_) if !person.is_hidden() && person.email.is_none() => 1,
        Some(_) if !person.is_hidden() => 2,
        Some(_) if has_it(person) => 3,
        Some(_) => 4,
        None => 5,
    };
    for turn in 0..=5 {
        for person in people.iter_mut().filter(|person| rank(person) == turn) {
            let said = person.email.as_ref().map(|email| email.key().to_owned());
            if said.as_ref().is_some_and(|key| !held.contains(key)) {
                person.take_email();
            } else if person.old_email().is_some_and(|key| !held.contains(key)) {
                person.keep_email();
            }
            held.extend(person.wanted.email_key.clone());
        }
    }
}

/// An identifier is one person's in the institution: those who share it have the same email, or one of them has none. Says
/// for how many it could not be so.
fn give_identifiers(people: &mut [Person<'_>], others: &[&Entry], holders: &[Holder]) -> usize {
    let mut held: HashMap<String, HashSet<String>> = HashMap::new();
    let mut hold = |key: &str, email: Option<&str>| {
        let emails = held.entry(key.to_owned()).or_default();
        emails.extend(email.map(str::to_owned));
    };
    for entry in others {
        if let Some(key) = &entry.identifier_key {
            hold(key, entry.email_key.as_deref());
        }
    }
    holders.iter().for_each(|holder| hold(&holder.identifier_key, holder.email_key.as_deref()));
    let mut taken = 0;
    // Those who are to be seen and keep theirs come first; whoever comes back may find theirs given to somebody else.
    for first in [true, false] {
        for person in people.iter_mut() {
            let said = person.identifier.as_deref().map(text::nfc);
            let old = person.old_identifier().map(str::to_owned);
            let keeps = !person.is_hidden() && (said.is_none() || said == old);
            if keeps != first {
                continue;
            }
            let email = person.wanted.email_key.clone();
            let is_free = |key: &String| {
                let shared = |other: &String| may_share(email.as_deref(), Some(other));
                held.get(key).is_none_or(|emails| emails.iter().all(shared))
            };
            let wanted = said.filter(|key| keeps || is_free(key));
            taken += usize::from(wanted.is_none() && person.identifier.is_some());
            if wanted.is_some() {
                person.wanted.identifier.clone_from(&person.identifier);
                person.wanted.identifier_key = wanted;
            } else if old.as_ref().is_some_and(|key| !person.is_hidden() || is_free(key)) {
                person.wanted.identifier = person.entry.and_then(|(_, entry)| entry.identifier.clone());
                person.wanted.identifier_key = old;
            }
            if let Some(key) = &person.wanted.identifier_key {
                held.entry(key.clone()).or_default().extend(email);
            }
        }
    }
    taken
}

/// May two people with these emails have one identifier? They are one person, as far as anybody can tell.
pub fn may_share(email: Option<&str>, other: Option<&str>) -> bool {
    email.is_none() || other.is_none() || email == other
}

/// By which identifier somebody on a roster may be known elsewhere.
pub fn identifier_key(member: &Member) -> Option<String> {
    identifier(member).as_deref().map(text::nfc)
}

fn identifier(member: &Member) -> Option<String> {
    let given = one_line(member.identifier.as_deref()?);
    (!given.is_empty() && given.chars().count() <= longest::IDENTIFIER).then_some(given)
}

/// What an entry is to be called. A part of the name that is not told stays as it is; somebody new whose name is not told at
/// all gets a stand-in, so that nobody is left out for it.
fn names(member: &Member, entry: Option<&Entry>) -> (Option<String>, Option<String>) {
    let told = |part: &Option<String>| part.as_deref().map(|part| clean(part, longest::NAME));
    let old = entry.filter(|entry| !has_stand_in(entry, member));
    let old = old.map(|entry| (entry.first_name.clone(), entry.last_name.clone()));
    let old = old.filter(|names| *names != (None, None));
    let (first, last) = match (told(&member.first_name), told(&member.last_name)) {
        (None | Some(None), None | Some(None)) => {
            return old.unwrap_or_else(|| (Some(stand_in(member)), None));
        }
        told => told,
    };
    let (old_first, old_last) = old.unwrap_or_default();
    let names = (first.unwrap_or_else(|| old_first.clone()), last.unwrap_or_else(|| old_last.clone()));
    // A whole name in one piece says nothing new to whoever knows its parts.
    if let ((Some(whole), None) | (None, Some(whole)), Some(first), Some(last)) =
        (&names, &old_first, &old_last)
        && [format!("{first} {last}"), format!("{last} {first}")].contains(whole)
    {
        return (old_first, old_last);
    }
    names
}

/// What somebody without a name is called until it is told: by their address, their identifier, or a number.
fn stand_in(member: &Member) -> String {
    let key = member.email.as_deref().map(email_key).unwrap_or_default();
    let local = key.split('@').next().and_then(|local| clean(local, longest::NAME));
    local.or_else(|| identifier(member)).unwrap_or_else(|| numbered(member))
}

const LONGEST_NUMBER: usize = 12;

fn numbered(member: &Member) -> String {
    let number: String = member.user_id.chars().take(LONGEST_NUMBER).collect();
    clean(&format!("Participant {number}"), longest::NAME).unwrap_or_default()
}

/// Is the entry called by nothing that a better stand-in could not replace? Earlier versions wrote `?`.
fn has_stand_in(entry: &Entry, member: &Member) -> bool {
    let first = entry.first_name.as_deref();
    entry.last_name.is_none() && (first == Some("?") || first == Some(&numbered(member)))
}

/// A text that may have been written by anybody, as one of ours: without control characters, not too long, and
/// with something to see in it.
pub fn clean(given: &str, longest: usize) -> Option<String> {
    let cut: String = one_line(given).chars().take(longest).collect();
    let cut = cut.trim_end();
    (!text::is_invisible(cut)).then(|| cut.to_owned())
}

fn one_line(given: &str) -> String {
    let plain: String =
        given.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !c.is_control()).collect();
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests;

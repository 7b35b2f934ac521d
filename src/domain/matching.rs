//! Matches the members of a roster with the entries of a course's page, and decides which of the learning system's data to
//! store. The result does not depend on the order of the roster.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    email::{Email, email_key},
    ids::ParticipantId,
    roster::Member,
    text::{self, longest},
};

/// A person on the course's page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    pub id: ParticipantId,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<String>,
    pub email_key: Option<String>,
    pub identifier: Option<String>,
    pub identifier_key: Option<String>,
    /// Their learning system user id as of the last synchronization.
    pub user_id: Option<String>,
    pub hidden: bool,
    /// A staff member's own entry, created by themselves: no roster changes it.
    pub is_staff: bool,
    /// They joined by themselves after the roster was requested, so it may not list them yet.
    pub came_since: bool,
    /// Their current picture; the URL that it was copied from, and the stored copy.
    pub photo: Option<String>,
    pub photo_url: Option<String>,
    pub copied_photo: Option<String>,
}

impl Entry {
    /// The identity that it holds now.
    pub fn identity(&self) -> TargetIdentity {
        TargetIdentity {
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            email: self.email.clone(),
            email_key: self.email_key.clone(),
            identifier: self.identifier.clone(),
            identifier_key: self.identifier_key.clone(),
        }
    }

    /// Whether it leaves the page if the roster does not list it.
    const fn is_to_leave(&self) -> bool {
        self.user_id.is_some() && !self.came_since && !self.is_staff
    }
}

/// The identity that an entry is to have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TargetIdentity {
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<String>,
    pub email_key: Option<String>,
    pub identifier: Option<String>,
    pub identifier_key: Option<String>,
}

/// A person elsewhere in the institution with one of the roster's identifiers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub identifier_key: String,
    pub email_key: Option<String>,
}

/// The changes that a roster makes to a page, as indexes into `members` and `entries`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// On the page already, visible or hidden: the entry, the member and the identity to store.
    pub known: Vec<(usize, usize, TargetIdentity)>,
    pub new: Vec<(usize, TargetIdentity)>,
    /// Previously on the roster, but no longer.
    pub leaving: Vec<usize>,
    /// How many members did not get their institution_id because a person with another email has it.
    pub identifiers_taken: usize,
}

/// A roster that lost so many people that it is more likely wrong than right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// People on the page who had a learning system user id.
    pub before: usize,
    /// Those of them who are no longer on the roster.
    pub lost: usize,
}

/// With at least this many people, losing more than half at once is suspicious; with fewer, losing all of them.
const LARGE_COURSE: usize = 10;

impl Plan {
    /// Detects a page that would lose all of its enrolled people, or more than half of many.
    pub fn loss(&self, entries: &[Entry]) -> Option<Loss> {
        let before = entries.iter().filter(|entry| !entry.hidden && entry.is_to_leave()).count();
        let lost = self.leaving.len();
        let is_suspicious = lost > 0 && (lost == before || (before >= LARGE_COURSE && lost * 2 > before));
        is_suspicious.then_some(Loss { before, lost })
    }

    /// `holders` are people on other pages of the institution.
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
        assign_emails(&mut people, &others);
        let identifiers_taken = assign_identifiers(&mut people, &others, holders);
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

/// Deduplicates members by user id and sorts them by it. Keeps their index on the roster.
fn distinct(members: &[Member]) -> Vec<(usize, &Member)> {
    let mut by_id: BTreeMap<&str, (usize, &Member)> = BTreeMap::new();
    for (at, member) in members.iter().enumerate() {
        by_id.entry(&member.user_id).or_insert((at, member));
    }
    by_id.into_values().collect()
}

/// Finds the entry of each member by email, then institution_id, then the learning system's id: first among visible entries, then
/// among hidden ones. No entry is assigned twice. An entry that is linked to one user is not given to another who merely has the
/// same email or institution_id now: recordings stay with the learning system's user id.
fn owners(members: &[(usize, &Member)], entries: &[Entry]) -> Vec<Option<usize>> {
    let enrolled: HashSet<&str> = members.iter().map(|(_, member)| member.user_id.as_str()).collect();
    let known: HashSet<&str> = entries.iter().filter_map(|entry| entry.user_id.as_deref()).collect();
    // An entry linked to another user may be another account of the same person, unless that user is enrolled too or the member
    // is already linked to an entry.
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
            // Members who are already linked to an entry take precedence over those who merely share the key.
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
    /// The index on the roster.
    member: usize,
    entry: Option<(usize, &'a Entry)>,
    /// The learning system's values, if they are valid.
    email: Option<Email>,
    identifier: Option<String>,
    wanted: TargetIdentity,
}

impl<'a> Person<'a> {
    fn new(member: usize, listed: &Member, entry: Option<(usize, &'a Entry)>) -> Self {
        let (first_name, last_name) = names(listed, entry.map(|(_, entry)| entry));
        Self {
            member,
            entry,
            email: listed.email.as_deref().and_then(Email::parse),
            identifier: identifier(listed),
            wanted: TargetIdentity { first_name, last_name, ..TargetIdentity::default() },
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

/// An email is unique on a page. The learning system's email is used if it is free; otherwise people keep the one they have.
fn assign_emails(people: &mut [Person<'_>], others: &[&Entry]) {
    let mut held: HashSet<String> = others.iter().filter_map(|entry| entry.email_key.clone()).collect();
    // In this order: visible people whose email is unchanged; visible people who keep or change theirs; hidden people who return;
    // new people.
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
            let listed = person.email.as_ref().map(|email| email.key().to_owned());
            if listed.as_ref().is_some_and(|key| !held.contains(key)) {
                person.take_email();
            } else if person.old_email().is_some_and(|key| !held.contains(key)) {
                person.keep_email();
            }
            held.extend(person.wanted.email_key.clone());
        }
    }
}

/// An identifier belongs to one person in the institution: people who share it have the same email, or one of them has none.
/// Returns how many members did not get theirs because of that.
fn assign_identifiers(people: &mut [Person<'_>], others: &[&Entry], holders: &[Holder]) -> usize {
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
    // Visible people who keep theirs go first; those who return may find theirs assigned to another person.
    for first in [true, false] {
        for person in people.iter_mut() {
            let listed = person.identifier.as_deref().map(text::nfc);
            let old = person.old_identifier().map(str::to_owned);
            let keeps = !person.is_hidden() && (listed.is_none() || listed == old);
            if keeps != first {
                continue;
            }
            let email = person.wanted.email_key.clone();
            let is_free = |key: &String| {
                let shared = |other: &String| may_share(email.as_deref(), Some(other));
                held.get(key).is_none_or(|emails| emails.iter().all(shared))
            };
            let wanted = listed.filter(|key| keeps || is_free(key));
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

/// Whether people with these emails may share an identifier: they may be the same person.
pub fn may_share(email: Option<&str>, other: Option<&str>) -> bool {
    email.is_none() || other.is_none() || email == other
}

/// The key for finding a member's identifier elsewhere in the institution.
pub fn identifier_key(member: &Member) -> Option<String> {
    identifier(member).as_deref().map(text::nfc)
}

fn identifier(member: &Member) -> Option<String> {
    let given = one_line(member.identifier.as_deref()?);
    (!given.is_empty() && given.chars().count() <= longest::IDENTIFIER).then_some(given)
}

/// The names to store. Parts that the roster omits stay unchanged. A new person without any name gets a placeholder, so that
/// nobody is left out.
fn names(member: &Member, entry: Option<&Entry>) -> (Option<String>, Option<String>) {
    let reported = |part: &Option<String>| part.as_deref().map(|part| clean(part, longest::NAME));
    let old = entry.filter(|entry| !has_stand_in(entry, member));
    let old = old.map(|entry| (entry.first_name.clone(), entry.last_name.clone()));
    let old = old.filter(|names| *names != (None, None));
    let (first, last) = match (reported(&member.first_name), reported(&member.last_name)) {
        (None | Some(None), None | Some(None)) => {
            return old.unwrap_or_else(|| (Some(stand_in(member)), None));
        }
        reported => reported,
    };
    let (old_first, old_last) = old.unwrap_or_default();
    let names = (first.unwrap_or_else(|| old_first.clone()), last.unwrap_or_else(|| old_last.clone()));
    // A full name in one field adds nothing if its parts are already known.
    if let ((Some(whole), None) | (None, Some(whole)), Some(first), Some(last)) =
        (&names, &old_first, &old_last)
        && [format!("{first} {last}"), format!("{last} {first}")].contains(whole)
    {
        return (old_first, old_last);
    }
    names
}

/// The placeholder for a missing name: from the email, the identifier or the user id.
fn stand_in(member: &Member) -> String {
    let key = member.email.as_deref().map(email_key).unwrap_or_default();
    let local = key.split('@').next().and_then(|local| clean(local, longest::NAME));
    local.or_else(|| identifier(member)).unwrap_or_else(|| numbered(member))
}

const MAX_NUMBER: usize = 12;

fn numbered(member: &Member) -> String {
    let number: String = member.user_id.chars().take(MAX_NUMBER).collect();
    clean(&format!("Participant {number}"), longest::NAME).unwrap_or_default()
}

/// Whether the entry has a placeholder that may be replaced. Earlier versions stored `?`.
fn has_stand_in(entry: &Entry, member: &Member) -> bool {
    let first = entry.first_name.as_deref();
    entry.last_name.is_none() && (first == Some("?") || first == Some(&numbered(member)))
}

/// Sanitizes untrusted text: removes control characters, truncates, and rejects text without visible characters.
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

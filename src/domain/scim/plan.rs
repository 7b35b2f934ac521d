//! What becomes of a person's registrations when their directory has changed: which are made, shown and hidden.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::ids::{NamePageId, ParticipantId, ScimUserId};

/// A registration of a person, visible or hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub id: ParticipantId,
    pub page: NamePageId,
    pub hidden: bool,
    pub link: Option<Link>,
}

/// A registration that follows a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    pub user: ScimUserId,
    /// It does not come from a group, and is hidden as long as the user is not active.
    pub parked: bool,
}

/// A person: all users with the same email.
#[derive(Debug, Clone, Default)]
pub struct Subject {
    pub users: BTreeSet<ScimUserId>,
    /// One of the users is active.
    pub active: bool,
    /// The pages of their groups, each with a user who is in one of them. Only of active users.
    pub wanted: BTreeMap<NamePageId, ScimUserId>,
    /// All registrations with the email, and those that follow one of the users.
    pub entries: Vec<Entry>,
}

/// Each list has a registration at most once.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub hide: Vec<(NamePageId, ParticipantId)>,
    pub show: Vec<(NamePageId, ParticipantId)>,
    /// Registrations that follow a user from now on.
    pub link: Vec<(ParticipantId, Link)>,
    /// Registrations that follow nobody any more.
    pub unlink: Vec<ParticipantId>,
    pub create: Vec<(NamePageId, ScimUserId)>,
}

impl Plan {
    pub fn new(subject: &Subject) -> Self {
        let mut plan = Self::default();
        if subject.active {
            plan.activate(subject);
        } else {
            plan.deactivate(subject);
        }
        plan
    }

    /// Everything of a person who is not active is hidden.
    fn deactivate(&mut self, subject: &Subject) {
        let Some(user) = subject.users.first().copied() else { return };
        for entry in subject.entries.iter().filter(|entry| !entry.hidden && !subject.is_others(entry)) {
            self.hide.push((entry.page, entry.id));
            if entry.link.is_none() {
                self.link.push((entry.id, Link { user, parked: true }));
            }
        }
    }

    fn activate(&mut self, subject: &Subject) {
        let mut chosen = BTreeSet::new();
        for (page, user) in &subject.wanted {
            let Some(entry) = subject.best_on(*page) else {
                // Unless somebody else has their email there, which only the directory can put right.
                if !self.is_visible_on(subject, *page) {
                    self.create.push((*page, *user));
                }
                continue;
            };
            chosen.insert(entry.id);
            if entry.hidden {
                self.show.push((entry.page, entry.id));
            }
            if !subject.follows(entry) {
                self.link.push((entry.id, Link { user: *user, parked: false }));
            }
        }
        for entry in subject.entries.iter().filter(|entry| !chosen.contains(&entry.id)) {
            if subject.follows(entry) {
                if !entry.hidden && !subject.wanted.contains_key(&entry.page) {
                    self.hide.push((entry.page, entry.id));
                }
            } else if entry.link.is_some_and(|link| link.parked) {
                // Somebody may have registered them again meanwhile: an email is on a page once.
                if entry.hidden && !self.is_visible_on(subject, entry.page) {
                    self.show.push((entry.page, entry.id));
                }
                self.unlink.push(entry.id);
            }
        }
    }

    fn is_visible_on(&self, subject: &Subject, page: NamePageId) -> bool {
        subject.entries.iter().any(|entry| entry.page == page && !entry.hidden)
            || self.show.iter().any(|(on, _)| *on == page)
            || self.create.iter().any(|(on, _)| *on == page)
    }
}

impl Subject {
    /// Does it follow one of the person's users, because of a group?
    fn follows(&self, entry: &Entry) -> bool {
        entry.link.is_some_and(|link| !link.parked && self.users.contains(&link.user))
    }

    /// Does it follow somebody else, who has another email by now?
    fn is_others(&self, entry: &Entry) -> bool {
        entry.link.is_some_and(|link| !link.parked && !self.users.contains(&link.user))
    }

    /// The registration that is used on a page: one that is visible, and rather one that follows the person already.
    fn best_on(&self, page: NamePageId) -> Option<&Entry> {
        let here = self.entries.iter().filter(|entry| entry.page == page && !self.is_others(entry));
        here.min_by_key(|entry| (entry.hidden, !self.follows(entry), entry.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: ScimUserId = ScimUserId::new(1);
    const OTHER: ScimUserId = ScimUserId::new(2);
    const CHOIR: NamePageId = NamePageId::new(7);
    const CLASS: NamePageId = NamePageId::new(8);

    fn entry(id: i64, page: NamePageId, hidden: bool, link: Option<(ScimUserId, bool)>) -> Entry {
        let link = link.map(|(user, parked)| Link { user, parked });
        Entry { id: ParticipantId::new(id), page, hidden, link }
    }

    fn plan(active: bool, wanted: &[NamePageId], entries: &[Entry]) -> Plan {
        Plan::new(&Subject {
            users: BTreeSet::from([ANA]),
            active,
            wanted: wanted.iter().map(|page| (*page, ANA)).collect(),
            entries: entries.to_vec(),
        })
    }

    fn id(number: i64) -> ParticipantId {
        ParticipantId::new(number)
    }

    #[test]
    fn a_group_registers_once() {
        let made = plan(true, &[CHOIR], &[]);
        assert_eq!(made, Plan { create: vec![(CHOIR, ANA)], ..Plan::default() });
        assert_eq!(plan(true, &[CHOIR], &[entry(1, CHOIR, false, Some((ANA, false)))]), Plan::default());
        // Somebody has registered them before.
        let link = vec![(id(1), Link { user: ANA, parked: false })];
        let adopted = plan(true, &[CHOIR], &[entry(1, CHOIR, false, None)]);
        assert_eq!(adopted, Plan { link: link.clone(), ..Plan::default() });
        // They had left.
        let back = plan(true, &[CHOIR], &[entry(1, CHOIR, true, None)]);
        assert_eq!(back, Plan { show: vec![(CHOIR, id(1))], link, ..Plan::default() });
    }

    #[test]
    fn whoever_leaves_the_group_is_hidden_and_comes_back() {
        let own = Some((ANA, false));
        let left = plan(true, &[], &[entry(1, CHOIR, false, own), entry(2, CLASS, false, None)]);
        assert_eq!(left, Plan { hide: vec![(CHOIR, id(1))], ..Plan::default() });
        assert_eq!(plan(true, &[], &[entry(1, CHOIR, true, own)]), Plan::default());
        let back = plan(true, &[CHOIR], &[entry(1, CHOIR, true, own)]);
        assert_eq!(back, Plan { show: vec![(CHOIR, id(1))], ..Plan::default() });
    }

    #[test]
    fn whoever_is_switched_off_disappears_everywhere_and_comes_back() {
        let own = Some((ANA, false));
        let off = plan(false, &[], &[entry(1, CHOIR, false, own), entry(2, CLASS, false, None)]);
        let parked = Link { user: ANA, parked: true };
        let hide = vec![(CHOIR, id(1)), (CLASS, id(2))];
        assert_eq!(off, Plan { hide, link: vec![(id(2), parked)], ..Plan::default() });
        let gone = [entry(1, CHOIR, true, own), entry(2, CLASS, true, Some((ANA, true)))];
        assert_eq!(plan(false, &[], &gone), Plan::default(), "and again");
        let on = plan(true, &[CHOIR], &gone);
        let show = vec![(CHOIR, id(1)), (CLASS, id(2))];
        assert_eq!(on, Plan { show, unlink: vec![id(2)], ..Plan::default() });
        // Parked by a user who was deleted, and the email is back.
        let restored = plan(true, &[], &[entry(2, CLASS, true, Some((OTHER, true)))]);
        assert_eq!(restored, Plan { show: vec![(CLASS, id(2))], unlink: vec![id(2)], ..Plan::default() });
    }

    #[test]
    fn an_email_is_on_a_page_once() {
        let again = [entry(2, CLASS, true, Some((ANA, true))), entry(3, CLASS, false, None)];
        assert_eq!(plan(true, &[], &again), Plan { unlink: vec![id(2)], ..Plan::default() });
        let both = [entry(1, CHOIR, true, Some((ANA, false))), entry(2, CHOIR, false, None)];
        let link = vec![(id(2), Link { user: ANA, parked: false })];
        assert_eq!(plan(true, &[CHOIR], &both), Plan { link, ..Plan::default() }, "the visible one is used");
    }

    #[test]
    fn a_registration_of_somebody_else_is_left_alone() {
        let others = [entry(1, CHOIR, false, Some((OTHER, false)))];
        assert_eq!(plan(false, &[], &others), Plan::default());
        assert_eq!(plan(true, &[CHOIR], &others), Plan::default());
    }
}

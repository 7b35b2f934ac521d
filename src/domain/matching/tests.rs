use proptest::prelude::*;

use super::*;
use crate::domain::ids::ParticipantId;

fn member(user_id: &str, email: &str, identifier: &str) -> Member {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Member {
        user_id: user_id.into(),
        first_name: Some(format!("N{user_id}")),
        email: some(email),
        identifier: some(identifier),
        ..Member::default()
    }
}

fn entry(id: i64, user_id: &str, email: &str, identifier: &str) -> Entry {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Entry {
        id: ParticipantId::new(id),
        user_id: some(user_id),
        email: some(email),
        email_key: some(email),
        identifier: some(identifier),
        identifier_key: some(identifier),
        ..Entry::default()
    }
}

fn hidden(id: i64, user_id: &str, email: &str, identifier: &str) -> Entry {
    Entry { hidden: true, ..entry(id, user_id, email, identifier) }
}

/// For each member, the id of their entry (0 if none) and their email.
fn assignments(members: &[Member], entries: &[Entry]) -> Vec<(String, i64, Option<String>)> {
    let plan = Plan::new(members, entries, &[]);
    let known =
        plan.known.iter().map(|(at, who, wanted)| (*who, entries[*at].id.get(), wanted.email_key.clone()));
    let new = plan.new.iter().map(|(who, wanted)| (*who, 0, wanted.email_key.clone()));
    let mut assignments: Vec<_> =
        known.chain(new).map(|(who, id, email)| (members[who].user_id.clone(), id, email)).collect();
    assignments.sort();
    assignments
}

fn row(user_id: &str, id: i64, email: &str) -> (String, i64, Option<String>) {
    (user_id.to_owned(), id, (!email.is_empty()).then(|| email.to_owned()))
}

#[test]
fn email_comes_before_identifier_and_that_before_the_systems_own_id() {
    let entries = [entry(1, "", "a@x.org", ""), entry(2, "", "b@x.org", "S2"), entry(3, "u3", "", "")];
    let members =
        [member("u9", "A@x.org", "S2"), member("u8", "new@x.org", "S2"), member("u3", "c@x.org", "S3")];
    assert_eq!(
        assignments(&members, &entries),
        [row("u3", 3, "c@x.org"), row("u8", 2, "new@x.org"), row("u9", 1, "a@x.org")]
    );
}

#[test]
fn whoever_is_to_be_seen_comes_before_whoever_is_hidden() {
    let entries = [hidden(1, "u1", "a@x.org", ""), entry(2, "", "a@x.org", "")];
    assert_eq!(assignments(&[member("u1", "a@x.org", "")], &entries), [row("u1", 2, "a@x.org")]);
    assert_eq!(assignments(&[member("u1", "a@x.org", "")], &entries[..1]), [row("u1", 1, "a@x.org")]);
}

#[test]
fn of_several_with_one_address_the_one_whose_it_was_keeps_it() {
    let entries = [entry(1, "u5", "shared@x.org", "")];
    let members = ["u1", "u5", "u9"].map(|id| member(id, "shared@x.org", ""));
    assert_eq!(
        assignments(&members, &entries),
        [row("u1", 0, ""), row("u5", 1, "shared@x.org"), row("u9", 0, "")]
    );
    assert_eq!(
        assignments(&members, &[]),
        [row("u1", 0, "shared@x.org"), row("u5", 0, ""), row("u9", 0, "")],
        "when it was nobody's, the first of them"
    );
}

#[test]
fn recordings_stay_with_whom_the_systems_own_id_says() {
    let entries = [entry(1, "u1", "a@x.org", "S1"), entry(2, "u2", "b@x.org", "S2")];
    let exchanged = [member("u1", "b@x.org", "S2"), member("u2", "a@x.org", "S1")];
    assert_eq!(assignments(&exchanged, &entries), [row("u1", 1, "b@x.org"), row("u2", 2, "a@x.org")]);
    let passed_on = [member("u1", "new@x.org", ""), member("u2", "b@x.org", ""), member("u3", "a@x.org", "")];
    assert_eq!(
        assignments(&passed_on, &entries),
        [row("u1", 1, "new@x.org"), row("u2", 2, "b@x.org"), row("u3", 0, "a@x.org")]
    );
    let left_behind = [member("u1", "b@x.org", "")];
    assert_eq!(
        assignments(&left_behind, &entries),
        [row("u1", 1, "b@x.org")],
        "a member who has an entry keeps it"
    );
    let another_account = [member("u7", "b@x.org", "")];
    assert_eq!(assignments(&another_account, &entries), [row("u7", 2, "b@x.org")]);
}

#[test]
fn an_address_that_cannot_be_used_changes_nothing() {
    let entries = [entry(1, "u1", "a@x.org", ""), entry(2, "u2", "b@x.org", "")];
    let members =
        [member("u1", "not an address", ""), member("u2", "", ""), member("u3", "neither@ this", "")];
    assert_eq!(
        assignments(&members, &entries),
        [row("u1", 1, "a@x.org"), row("u2", 2, "b@x.org"), row("u3", 0, "")]
    );
}

#[test]
fn whoever_comes_back_gives_way_to_whoever_has_the_address_by_now() {
    let entries = [hidden(1, "u1", "a@x.org", ""), entry(2, "", "a@x.org", "")];
    assert_eq!(assignments(&[member("u1", "", "")], &entries), [row("u1", 1, "")]);
}

#[test]
fn those_who_are_not_on_the_roster_leave_unless_they_never_were() {
    let since = Entry { came_since: true, ..entry(4, "u4", "", "") };
    let entries = [entry(1, "u1", "", ""), entry(2, "", "b@x.org", ""), hidden(3, "u3", "", ""), since];
    let plan = Plan::new(&[], &entries, &[]);
    assert_eq!((plan.leaving, plan.known.len(), plan.new.len()), (vec![0], 0, 0));
}

#[test]
fn losing_everybody_or_more_than_half_of_many_is_suspicious() {
    let loss = |before: i64, stay: std::ops::Range<i64>| {
        let mut entries: Vec<Entry> = (1..=before).map(|id| entry(id, &format!("u{id}"), "", "")).collect();
        // A person added from elsewhere, one who left before, and one who has just joined.
        entries.extend([
            entry(101, "", "guest@x.org", ""),
            hidden(102, "u102", "", ""),
            Entry { came_since: true, ..entry(103, "u103", "", "") },
        ]);
        let members: Vec<Member> = stay.map(|id| member(&format!("u{id}"), "", "")).collect();
        Plan::new(&members, &entries, &[]).loss(&entries).map(|loss| (loss.before, loss.lost))
    };
    assert_eq!(loss(0, 1..1), None, "nobody to lose");
    assert_eq!(loss(1, 1..1), Some((1, 1)));
    assert_eq!(loss(3, 50..60), Some((3, 3)), "no matter who else comes");
    assert_eq!(loss(9, 1..2), None, "8 of 9");
    assert_eq!(loss(10, 1..6), None, "exactly half");
    assert_eq!(loss(10, 1..5), Some((10, 6)));
    assert_eq!(loss(26, 1..1), Some((26, 26)));
    assert_eq!(loss(26, 1..30), None);
}

#[test]
fn an_identifier_of_somebody_with_another_address_is_not_given() {
    let holder =
        |email: Option<&str>| Holder { identifier_key: "S1".into(), email_key: email.map(str::to_owned) };
    let given = |members: &[Member], entries: &[Entry], holders: &[Holder]| {
        let plan = Plan::new(members, entries, holders);
        let wanted = plan.known.into_iter().map(|(_, _, wanted)| wanted);
        let all: Vec<_> = wanted.chain(plan.new.into_iter().map(|(_, wanted)| wanted)).collect();
        (all.into_iter().map(|wanted| wanted.identifier).collect::<Vec<_>>(), plan.identifiers_taken)
    };
    let s1 = Some("S1".to_owned());
    let one = [member("u1", "a@x.org", "S1")];
    assert_eq!(given(&one, &[], &[holder(Some("b@x.org"))]), (vec![None], 1));
    assert_eq!(given(&one, &[], &[holder(Some("a@x.org"))]), (vec![s1.clone()], 0));
    assert_eq!(given(&[member("u1", "", "S1")], &[], &[holder(None)]), (vec![s1.clone()], 0));
    let old = [entry(1, "u1", "a@x.org", "S0")];
    assert_eq!(given(&one, &old, &[holder(Some("b@x.org"))]), (vec![Some("S0".into())], 1), "left as it was");
    assert_eq!(given(&[member("u1", "", "")], &old, &[]), (vec![Some("S0".into())], 0));
    let away = [hidden(1, "u1", "a@x.org", "S1")];
    assert_eq!(
        given(&one, &away, &[holder(Some("b@x.org"))]),
        (vec![None], 1),
        "it has gone to another meanwhile"
    );
    assert_eq!(given(&one, &away, &[]), (vec![s1.clone()], 0));
    assert_eq!(given(&[member("u1", "", "")], &away, &[holder(Some("b@x.org"))]), (vec![None], 0));
    let two = [member("u1", "a@x.org", "S1"), member("u2", "b@x.org", "S1")];
    assert_eq!(given(&two, &[], &[]), (vec![s1, None], 1));
}

/// The names of an entry after a roster with the given names; `-` marks an omitted one.
fn renamed(
    entry: Option<(&str, &str)>,
    reported: (&str, &str),
    email: &str,
) -> (Option<String>, Option<String>) {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let part = |text: &str| (text != "-").then(|| text.to_owned());
    let member = Member {
        user_id: "17".into(),
        first_name: part(reported.0),
        last_name: part(reported.1),
        email: some(email),
        ..Member::default()
    };
    let entry = entry.map(|(first, last)| Entry {
        first_name: some(first),
        last_name: some(last),
        ..Entry::default()
    });
    names(&member, entry.as_ref())
}

fn called(first: &str, last: &str) -> (Option<String>, Option<String>) {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    (some(first), some(last))
}

#[test]
fn names_are_cleaned_and_nobody_is_nameless() {
    let named = |first: &str, last: &str, email: &str| renamed(None, (first, last), email);
    assert_eq!(named(" Ngọc\u{7} Ánh\n", "Þórsdóttir", ""), called("Ngọc Ánh", "Þórsdóttir"));
    assert_eq!(named("\u{1}", "  ", "Ana.Lima@x.org"), called("ana.lima", ""));
    assert_eq!(named("-", "-", ""), called("Participant 17", ""));
    assert_eq!(named(&"é".repeat(300), "", "").0.map(|name| name.chars().count()), Some(200));
    assert_eq!(clean(&format!("{} end", "x".repeat(199)), 200).map(|text| text.len()), Some(199));
    let by_number = Member { identifier: Some("S1".into()), ..member("17", "", "") };
    assert_eq!(names(&Member { first_name: None, ..by_number }, None), called("S1", ""));
    let strange = Member { user_id: "\u{1}\n".into(), ..Member::default() };
    assert_eq!(names(&strange, None), called("Participant", ""));
}

#[test]
fn a_name_that_is_not_told_stays() {
    let ada = Some(("Ada", "Lovelace"));
    for nothing in [("-", "-"), ("", ""), ("", "-"), ("  ", "\u{1}")] {
        assert_eq!(renamed(ada, nothing, "ada@x.org"), called("Ada", "Lovelace"), "{nothing:?}");
    }
    assert_eq!(renamed(ada, ("Augusta", "-"), ""), called("Augusta", "Lovelace"));
    assert_eq!(renamed(ada, ("-", "Byron"), ""), called("Ada", "Byron"));
    assert_eq!(
        renamed(ada, ("Sukarno", ""), ""),
        called("Sukarno", ""),
        "an explicitly empty name is stored as empty"
    );
    assert_eq!(renamed(ada, ("Ada Lovelace", ""), ""), called("Ada", "Lovelace"), "in one piece");
    assert_eq!(renamed(ada, ("Lovelace Ada", ""), ""), called("Ada", "Lovelace"));
    assert_eq!(renamed(ada, ("Ada King", ""), ""), called("Ada King", ""));
}

#[test]
fn a_stand_in_is_replaced_by_a_name_or_by_a_better_one() {
    for old in ["?", "Participant 17", "ada"] {
        assert_eq!(renamed(Some((old, "")), ("Ada", "Lovelace"), ""), called("Ada", "Lovelace"));
        assert_eq!(renamed(Some((old, "")), ("Ada", "-"), ""), called("Ada", ""));
    }
    for old in ["?", "Participant 17"] {
        assert_eq!(renamed(Some((old, "")), ("-", "-"), "ada@x.org"), called("ada", ""));
        assert_eq!(renamed(Some((old, "")), ("-", "-"), ""), called("Participant 17", ""));
    }
    assert_eq!(renamed(Some(("Ana", "")), ("-", "-"), "ana@x.org"), called("Ana", ""), "which is a name");
    assert_eq!(renamed(Some(("", "")), ("-", "-"), "ana@x.org"), called("ana", ""));
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[abc]".prop_map(|word| word)]
}

proptest! {
    #[test]
    fn whatever_comes_nobody_is_taken_twice_and_order_does_not_matter(
        members in prop::collection::vec((0_u8..6, key(), key()), 0..7),
        shown in prop::collection::btree_map(key(), (prop::option::of(0_u8..6), key()), 0..4),
        away in prop::collection::vec((prop::option::of(0_u8..6), key(), key()), 0..4),
        turn in 0_usize..7,
    ) {
        let address = |word: &str| if word.is_empty() { String::new() } else { format!("{word}@x.org") };
        let user = |id: Option<u8>| id.map(|id| format!("u{id}")).unwrap_or_default();
        let mut seen = HashSet::new();
        let mut linked = |id: Option<u8>| user(id.filter(|id| seen.insert(*id)));
        let mut entries = Vec::new();
        for (email, (id, identifier)) in &shown {
            entries.push(entry(entries.len() as i64 + 1, &linked(*id), &address(email), identifier));
        }
        for (id, email, identifier) in &away {
            entries.push(hidden(entries.len() as i64 + 1, &linked(*id), &address(email), identifier));
        }
        let mut once = HashSet::new();
        let mut members: Vec<Member> = members.iter().filter(|(id, ..)| once.insert(*id))
            .map(|(id, email, identifier)| member(&user(Some(*id)), &address(email), identifier)).collect();
        let first = assignments(&members, &entries);
        let ids: Vec<i64> = first.iter().map(|(_, id, _)| *id).filter(|id| *id != 0).collect();
        prop_assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
        prop_assert_eq!(first.len(), members.len());
        let plan = Plan::new(&members, &entries, &[]);
        for (user, id, _) in &first {
            let own = entries.iter().find(|entry| entry.user_id.as_deref() == Some(user));
            let got = entries.iter().find(|entry| entry.id.get() == *id);
            let is_nobodys = got.is_some_and(|entry| entry.user_id.is_none());
            prop_assert!(own.is_none() || is_nobodys || own == got, "known members keep their entries");
            let holder = got.and_then(|entry| entry.user_id.as_ref()).filter(|holder| *holder != user);
            let is_enrolled = holder.is_some_and(|holder| members.iter().any(|one| one.user_id == *holder));
            prop_assert!(!is_enrolled, "nobody has the entry of somebody else who is enrolled");
        }
        let stays = |(at, entry): &(usize, &Entry)| {
            !entry.hidden && !plan.leaving.contains(at) && !plan.known.iter().any(|(known, ..)| known == at)
        };
        let mut emails: Vec<String> =
            entries.iter().enumerate().filter(stays).filter_map(|(_, entry)| entry.email_key.clone()).collect();
        emails.extend(first.iter().filter_map(|(_, _, email)| email.clone()));
        prop_assert_eq!(emails.iter().collect::<HashSet<_>>().len(), emails.len(), "an address is one person's");
        if !members.is_empty() {
            let turn = turn % members.len();
            members.rotate_left(turn);
            members.reverse();
        }
        prop_assert_eq!(assignments(&members, &entries), first);
    }
}

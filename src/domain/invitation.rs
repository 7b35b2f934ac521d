//! Invitations: personal links to a name page, what has become of them, and when people are reminded.

use std::time::Duration;

use jiff::{
    Timestamp,
    civil::{Date, Time},
    tz::TimeZone,
};

use super::{
    ids::{InstitutionId, InvitationId, NamePageId},
    language::Language,
    moment::Moment,
    phone_number::PhoneNumber,
};

/// How long a link is valid, unless the setting `invitation_days` says otherwise.
pub const LIFE_DAYS: u64 = 90;
/// How often somebody is reminded.
pub const MOST_REMINDERS: u32 = 3;
/// The least time between the invitation, the reminders and each other.
pub const REMINDER_PAUSE: Duration = Duration::from_secs(3 * 24 * 3_600);

/// An invitation of an address to a name page. There is one for each address of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    pub institution: InstitutionId,
    pub id: InvitationId,
    pub page: NamePageId,
    pub email: String,
    pub email_key: String,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    /// For somebody who has not chosen a language.
    pub language: Option<Language>,
    /// The link is derived from it: another generation voids the links before it.
    pub generation: i64,
    /// The public URL of the server that made it.
    pub base_url: String,
    pub created_at: Moment,
    pub expires_at: Moment,
    /// When the message was put into the outbox. `None` if only the link was handed out.
    pub sent_at: Option<Moment>,
    pub opened_at: Option<Moment>,
    pub registered_at: Option<Moment>,
    pub withdrawn_at: Option<Moment>,
    pub reminders: u32,
    pub reminded_at: Option<Moment>,
    /// `None` if there is none to come.
    pub next_reminder_at: Option<Moment>,
}

impl Invitation {
    /// May the link be used?
    pub fn is_valid(&self, now: Moment) -> bool {
        self.withdrawn_at.is_none() && now < self.expires_at
    }

    pub fn full_name(&self) -> String {
        [&self.first_name, &self.last_name].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
    }
}

/// What is known about somebody on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)]
pub struct Facts {
    /// They have a recording, or one that waits for approval.
    pub is_recorded: bool,
    /// They want no mail of the institution.
    pub is_opted_out: bool,
    /// A mail server has rejected their address for good.
    pub is_bounced: bool,
    pub is_registered: bool,
    pub is_opened: bool,
}

/// How far somebody has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvitationState {
    Invited,
    Opened,
    Registered,
    Recorded,
    Bounced,
    OptedOut,
}

impl InvitationState {
    pub const ALL: [Self; 6] =
        [Self::Invited, Self::Opened, Self::Registered, Self::Recorded, Self::Bounced, Self::OptedOut];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Invited => "invited",
            Self::Opened => "opened",
            Self::Registered => "registered",
            Self::Recorded => "recorded",
            Self::Bounced => "bounced",
            Self::OptedOut => "opted_out",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// The only place that derives it.
    pub const fn of(facts: Facts) -> Self {
        match facts {
            Facts { is_recorded: true, .. } => Self::Recorded,
            Facts { is_opted_out: true, .. } => Self::OptedOut,
            Facts { is_bounced: true, .. } => Self::Bounced,
            Facts { is_registered: true, .. } => Self::Registered,
            Facts { is_opened: true, .. } => Self::Opened,
            Facts { .. } => Self::Invited,
        }
    }

    /// Is a message to them of use?
    pub const fn is_reachable(self) -> bool {
        match self {
            Self::Invited | Self::Opened | Self::Registered => true,
            Self::Recorded | Self::Bounced | Self::OptedOut => false,
        }
    }
}

/// What a page permits at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageTimes {
    pub closes_at: Option<Moment>,
    pub archived_at: Option<Moment>,
}

impl PageTimes {
    /// May people record, and be invited?
    pub fn is_open(self, now: Moment) -> bool {
        self.archived_at.is_none() && self.closes_at.is_none_or(|closes_at| now < closes_at)
    }
}

/// What is done with an invitation whose reminder is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reminding {
    /// Sent now. The next one, if any, follows at this time.
    Send {
        next: Option<Moment>,
    },
    /// Looked at again at this time.
    Later(Moment),
    Never,
}

impl Reminding {
    /// `is_held`: their only recording waits for approval.
    pub fn of(
        invitation: &Invitation,
        (state, is_held): (InvitationState, bool),
        times: PageTimes,
        zone: &TimeZone,
        now: Moment,
    ) -> Self {
        let is_over = invitation.reminders >= MOST_REMINDERS || !invitation.is_valid(now);
        // Whoever deletes their recording has decided; nobody asks again.
        if is_over || (state == InvitationState::Recorded && !is_held) {
            return Self::Never;
        }
        let next_morning = || Self::Later(morning(now.plus(Duration::from_secs(1)), zone, invitation.id));
        // A recording may be rejected, an address may work again, and people may change their minds.
        if !state.is_reachable() {
            return next_morning();
        }
        let earliest = invitation.reminded_at.unwrap_or(invitation.created_at).plus(REMINDER_PAUSE);
        if now < earliest {
            return Self::Later(morning(earliest, zone, invitation.id));
        }
        // The closing time may be moved, and an archived page may come back. A worker that was away sends nothing in the evening.
        if !times.is_open(now) || !is_morning(now, zone) {
            return next_morning();
        }
        let is_last = invitation.reminders + 1 >= MOST_REMINDERS;
        let next = (!is_last).then(|| morning(now.plus(REMINDER_PAUSE), zone, invitation.id));
        Self::Send { next }
    }
}

/// The zone whose morning is the recipient's: that of their phone, if they have given a number, or else the institution's. A number
/// that may be in several zones is taken to be in the institution's, if that is one of them. Otherwise, the zone in the middle of an
/// area is never far off; in a country as large as Russia it would be, and a number that is not bound to an area may have come along
/// to the institution.
pub fn local_zone(phone_number: Option<&str>, institution: &TimeZone, now: Moment) -> TimeZone {
    let number = phone_number.map(PhoneNumber::stored).filter(|number| number.country().is_some());
    let Some(number) = number else { return institution.clone() };
    let mut zones = number.time_zones();
    if zones.contains(institution) {
        return institution.clone();
    }
    let offset = |zone: &TimeZone| zone.to_offset(timestamp(now)).seconds();
    zones.sort_by_key(offset);
    let is_same_time = zones.first().map(offset) == zones.last().map(offset);
    let middle = zones.len().saturating_sub(1) / 2;
    match zones.into_iter().nth(middle) {
        Some(zone) if is_same_time || number.is_geographic() => zone,
        Some(_) | None => institution.clone(),
    }
}

const FROM: Time = Time::constant(8, 0, 0, 0);
const TO: Time = Time::constant(10, 0, 0, 0);
/// The slots end a quarter of an hour before the morning does: the worker may be late.
const SLOTS: i64 = 105 * 60;
const DAY: Duration = Duration::from_secs(24 * 3_600);

/// Is it between 8 and 10 in the zone?
fn is_morning(at: Moment, zone: &TimeZone) -> bool {
    let time = zone.to_datetime(timestamp(at)).time();
    FROM <= time && time < TO
}

/// The first morning at or after this time. Everybody has a second of their own, so that thousands are not reminded at once.
pub fn morning(from: Moment, zone: &TimeZone, id: InvitationId) -> Moment {
    let date = from.date_in(zone);
    // A day without this time of day does not exist; three days are enough around every change of a zone.
    let days = std::iter::successors(Some(date), |date| date.tomorrow().ok()).take(4);
    let found = days.map(|date| slot(date, zone, id)).find(|slot| *slot >= from);
    found.unwrap_or_else(|| from.plus(DAY))
}

fn slot(date: Date, zone: &TimeZone, id: InvitationId) -> Moment {
    let opened =
        zone.to_timestamp(date.to_datetime(FROM)).map_or(Moment::from_micros(0), Moment::from_timestamp);
    let seconds = spread(id).rem_euclid(SLOTS);
    opened.plus(Duration::from_secs(seconds.unsigned_abs()))
}

/// Neighboring ids are far apart (a multiplicative hash).
fn spread(id: InvitationId) -> i64 {
    (id.get().wrapping_mul(0x9E37_79B9_7F4A_7C15_u64.cast_signed()) >> 20).wrapping_abs()
}

fn timestamp(at: Moment) -> Timestamp {
    Timestamp::from_microsecond(at.micros()).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The last part of a personal link: which invitation it is, and the proof that we have made the link.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkToken {
    pub id: InvitationId,
    pub proof: String,
}

/// Without the proof, because it may get into a log.
impl std::fmt::Debug for LinkToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LinkToken({})", self.id)
    }
}

/// Half of a keyed digest in hex: 128 bits.
pub const PROOF_LENGTH: usize = 32;

impl LinkToken {
    /// What is signed.
    pub fn claim(institution: InstitutionId, id: InvitationId, generation: i64) -> String {
        format!("{institution} {id} {generation}")
    }

    /// `None` for anything that we cannot have made, to avoid a useless query.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, proof) = text.split_once('-')?;
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_number = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
        if proof.len() != PROOF_LENGTH || !proof.bytes().all(is_hex) || !number.bytes().all(is_number) {
            return None;
        }
        let id = InvitationId::new(i64::from_str_radix(number, 36).ok()?);
        let token = Self { id, proof: proof.to_owned() };
        // One spelling only.
        (token.to_string() == text).then_some(token)
    }
}

impl std::fmt::Display for LinkToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mut digits, mut rest) = (Vec::new(), self.id.get().unsigned_abs());
        loop {
            digits.push(
                b"0123456789abcdefghijklmnopqrstuvwxyz"[usize::try_from(rest % 36).unwrap_or_default()],
            );
            rest /= 36;
            if rest == 0 {
                break;
            }
        }
        let number: String = digits.iter().rev().map(|digit| char::from(*digit)).collect();
        write!(f, "{number}-{}", self.proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        Moment::parse(text).unwrap()
    }

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    #[test]
    fn the_zone_is_that_of_the_phone_or_else_the_institutions() {
        let (new_york, tokyo) = (zone("America/New_York"), zone("Asia/Tokyo"));
        let local = |number, institution| local_zone(number, institution, at("2026-06-01T12:00:00Z"));
        assert_eq!(local(None, &new_york), new_york);
        assert_eq!(local(Some("+81312345678"), &new_york), tokyo);
        assert_eq!(local(Some("+12025550123"), &tokyo), new_york);
        // A mobile number of a country with many zones, a satellite phone, and no number at all.
        let sydney = zone("Australia/Sydney");
        assert_eq!(local(Some("+61412345678"), &sydney), sydney);
        for odd in ["+870773111632", "+", ""] {
            assert_eq!(local(Some(odd), &tokyo), tokyo, "{odd}");
        }
    }

    #[test]
    fn of_several_zones_none_is_taken_by_its_name() {
        let (berlin, summer) = (zone("Europe/Berlin"), at("2026-06-01T12:00:00Z"));
        // A Russian mobile number may be anywhere between Moscow and Kamchatka, and not in Almaty.
        assert_eq!(local_zone(Some("+79123456789"), &berlin, summer), berlin);
        // A British one is in zones that have the same time.
        let british = local_zone(Some("+447400123456"), &berlin, summer);
        assert_eq!(british.to_offset(timestamp(summer)).seconds(), 3_600);
        // Idaho has the times of Boise and of Los Angeles, which is an hour behind: of two, the earlier.
        assert_eq!(local_zone(Some("+12083555012"), &berlin, summer), zone("America/Los_Angeles"));
    }

    fn invitation(id: i64, created_at: Moment) -> Invitation {
        Invitation {
            institution: InstitutionId::new(1),
            id: InvitationId::new(id),
            page: NamePageId::new(2),
            email: "Ada@example.edu".into(),
            email_key: "ada@example.edu".into(),
            first_name: Some("Ada".into()),
            last_name: None,
            language: None,
            generation: 1,
            base_url: "https://names.example.edu".into(),
            created_at,
            expires_at: created_at.plus_days(90),
            sent_at: Some(created_at),
            opened_at: None,
            registered_at: None,
            withdrawn_at: None,
            reminders: 0,
            reminded_at: None,
            next_reminder_at: None,
        }
    }

    #[test]
    fn what_matters_most_decides_the_state() {
        let mut facts = Facts::default();
        assert_eq!(InvitationState::of(facts), InvitationState::Invited);
        facts.is_opened = true;
        assert_eq!(InvitationState::of(facts), InvitationState::Opened);
        facts.is_registered = true;
        assert_eq!(InvitationState::of(facts), InvitationState::Registered);
        facts.is_bounced = true;
        assert_eq!(InvitationState::of(facts), InvitationState::Bounced);
        facts.is_opted_out = true;
        assert_eq!(InvitationState::of(facts), InvitationState::OptedOut);
        facts.is_recorded = true;
        assert_eq!(InvitationState::of(facts), InvitationState::Recorded);
        for state in InvitationState::ALL {
            assert_eq!(InvitationState::parse(state.word()), Some(state));
        }
        assert_eq!(InvitationState::parse("withdrawn"), None);
    }

    #[test]
    fn a_reminder_comes_in_the_morning_of_the_zone() {
        for name in ["America/New_York", "Asia/Kathmandu", "Pacific/Kiritimati", "Australia/Lord_Howe", "UTC"]
        {
            let zone = zone(name);
            // Over both changes to and from daylight saving time.
            for hours in (0..366 * 24).step_by(7) {
                let from = at("2026-01-01T00:00:00Z").plus(Duration::from_secs(hours * 3_600));
                let then = morning(from, &zone, InvitationId::new(hours.cast_signed() * 7_919));
                assert!(then >= from && is_morning(then, &zone), "{name} {from:?} {then:?}");
                assert!(then.since(from) <= Duration::from_secs(25 * 3_600), "{name} {from:?} {then:?}");
            }
        }
    }

    #[test]
    fn thousands_are_spread_over_the_morning() {
        let (zone, from) = (zone("Europe/Berlin"), at("2026-03-01T00:00:00Z"));
        let mut minutes = [0; 120];
        let opened = at("2026-03-01T07:00:00Z");
        for n in 0..20_000_i64 {
            // As ids are made within a few milliseconds.
            let id = InvitationId::new((52_000_000_000 << 20) + n * 40_503);
            let after = morning(from, &zone, id).since(opened).as_secs() / 60;
            minutes[usize::try_from(after).unwrap()] += 1;
        }
        assert_eq!(minutes[105..].iter().sum::<i32>(), 0);
        let busiest = minutes.iter().max().unwrap();
        assert!(*busiest < 400, "{minutes:?}");
    }

    #[test]
    fn up_to_three_reminders_are_at_least_three_days_apart() {
        let zone = zone("America/New_York");
        let created = at("2026-03-02T15:00:00Z");
        let mut one = invitation(77, created);
        let (mut now, mut sent) = (created, Vec::new());
        // A worker that looks every minute, for 30 days.
        one.next_reminder_at = Some(morning(created.plus(REMINDER_PAUSE), &zone, one.id));
        for _ in 0..30 * 24 * 60 {
            now = now.plus(Duration::from_secs(60));
            if one.next_reminder_at.is_none_or(|due| now < due) {
                continue;
            }
            let state = (InvitationState::Opened, false);
            match Reminding::of(&one, state, PageTimes::default(), &zone, now) {
                Reminding::Send { next } => {
                    sent.push(now);
                    one.reminders += 1;
                    one.reminded_at = Some(now);
                    one.next_reminder_at = next;
                }
                Reminding::Later(next) => {
                    assert!(next > now);
                    one.next_reminder_at = Some(next);
                }
                Reminding::Never => one.next_reminder_at = None,
            }
        }
        assert_eq!(sent.len(), 3, "{sent:?}");
        let mut before = created;
        for at in sent {
            assert!(at.since(before) >= REMINDER_PAUSE && is_morning(at, &zone), "{at:?}");
            before = at;
        }
    }

    #[test]
    fn nobody_is_reminded_in_vain() {
        let zone = zone("UTC");
        let created = at("2026-03-02T15:00:00Z");
        let now = at("2026-03-09T09:00:00Z");
        let one = invitation(77, created);
        let open = PageTimes::default();
        let decide =
            |one: &Invitation, state, times, now| Reminding::of(one, (state, false), times, &zone, now);
        let invited = InvitationState::Invited;
        assert!(matches!(decide(&one, invited, open, now), Reminding::Send { next: Some(_) }));
        assert_eq!(decide(&one, InvitationState::Recorded, open, now), Reminding::Never);
        // These may change, as long as the invitation is valid.
        for state in [
            (InvitationState::Recorded, true),
            (InvitationState::Bounced, false),
            (InvitationState::OptedOut, false),
        ] {
            let Reminding::Later(then) = Reminding::of(&one, state, open, &zone, now) else {
                panic!("{state:?}")
            };
            assert!(then > now && is_morning(then, &zone), "{state:?} {then:?}");
            let late = one.expires_at;
            assert_eq!(Reminding::of(&one, state, open, &zone, late), Reminding::Never);
        }
        let withdrawn = Invitation { withdrawn_at: Some(now), ..one.clone() };
        assert_eq!(decide(&withdrawn, invited, open, now), Reminding::Never);
        let expired = Invitation { expires_at: now, ..one.clone() };
        assert_eq!(decide(&expired, invited, open, now), Reminding::Never);
        let enough = Invitation { reminders: MOST_REMINDERS, ..one.clone() };
        assert_eq!(decide(&enough, invited, open, now), Reminding::Never);
        let last = Invitation { reminders: MOST_REMINDERS - 1, reminded_at: Some(created), ..one.clone() };
        assert_eq!(decide(&last, invited, open, now), Reminding::Send { next: None });
        // Closed and archived pages may come back.
        for times in [
            PageTimes { closes_at: Some(now), archived_at: None },
            PageTimes { closes_at: None, archived_at: Some(created) },
        ] {
            let Reminding::Later(then) = decide(&one, invited, times, now) else { panic!("{times:?}") };
            assert!(then > now);
        }
        // Too late on the day, and too soon after the last one.
        for hour in ["00:00", "07:59", "10:00", "23:59"] {
            let now = at(&format!("2026-03-09T{hour}:00Z"));
            let Reminding::Later(then) = decide(&one, invited, open, now) else { panic!("{hour}") };
            assert!(then > now && is_morning(then, &zone), "{hour} {then:?}");
        }
        let soon = Invitation { reminders: 1, reminded_at: Some(at("2026-03-08T09:00:00Z")), ..one };
        let Reminding::Later(then) = decide(&soon, invited, open, now) else { panic!() };
        assert!(then >= at("2026-03-11T09:00:00Z"));
    }

    #[test]
    fn a_token_has_one_spelling() {
        let proof = "0a".repeat(16);
        for id in [0, 1, 35, 36, 1_234_567_890_123, i64::MAX] {
            let token = LinkToken { id: InvitationId::new(id), proof: proof.clone() };
            assert_eq!(LinkToken::parse(&token.to_string()), Some(token));
        }
        for text in [
            String::new(),
            "-".into(),
            proof.clone(),
            format!("-{proof}"),
            format!("01-{proof}"),
            format!("Z-{proof}"),
            format!("+1-{proof}"),
            format!("1-{}", proof.to_uppercase()),
            format!("1-{proof}0"),
            format!("1--{proof}"),
            format!("zzzzzzzzzzzzzzzzzz-{proof}"),
            format!("é-{proof}"),
        ] {
            assert_eq!(LinkToken::parse(&text), None, "{text}");
        }
    }
}

//! The lifecycle of the tool's signing keys. It depends only on their age, so that all nodes agree.

use std::time::Duration;

use crate::domain::moment::Moment;

const DAY: Duration = Duration::from_secs(24 * 3_600);
/// The age at which a key is replaced.
const LIFE: Duration = Duration::from_secs(90 * 24 * 3_600);
/// Platforms cache our JWKS for a while, so a new key signs only after they have had time to fetch it.
const PUBLISHED_BEFORE_USE: Duration = DAY;
/// Signatures may still be verified for this long after a newer key has started to sign.
const PUBLISHED_AFTER_USE: Duration = Duration::from_secs(30 * 24 * 3_600);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub created_at: Moment,
    /// Whether it can be decrypted with the current secret.
    pub opens: bool,
}

/// The index of the key to sign with, or `None` if no key is usable.
pub fn signing(keys: &[Key], now: Moment) -> Option<usize> {
    let usable = || keys.iter().enumerate().filter(|(_, key)| key.opens);
    let ripe = usable().filter(|(_, key)| now.since(key.created_at) >= PUBLISHED_BEFORE_USE);
    let newest = ripe.max_by_key(|(_, key)| key.created_at);
    newest.or_else(|| usable().min_by_key(|(_, key)| key.created_at)).map(|(place, _)| place)
}

/// Whether a new key must be created.
pub fn is_due(keys: &[Key], now: Moment) -> bool {
    let newest = keys.iter().filter(|key| key.opens).map(|key| key.created_at).max();
    newest.is_none_or(|created_at| now.since(created_at) >= LIFE)
}

/// Whether a key must no longer be published.
pub fn is_over(key: Key, keys: &[Key], now: Moment) -> bool {
    let successors = keys.iter().filter(|other| other.opens && other.created_at > key.created_at);
    let since = successors.map(|other| other.created_at.plus(PUBLISHED_BEFORE_USE)).min();
    since.is_some_and(|since| now >= since.plus(PUBLISHED_AFTER_USE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(n: i64) -> Moment {
        Moment::from_micros(1_800_000_000_000_000).plus_days(n)
    }

    fn key(made: i64) -> Key {
        Key { created_at: day(made), opens: true }
    }

    #[test]
    fn the_only_key_signs_at_once_and_a_second_one_a_day_later() {
        assert_eq!(signing(&[], day(0)), None);
        assert_eq!(signing(&[key(0)], day(0)), Some(0));
        let both = [key(0), key(90)];
        assert_eq!(signing(&both, day(90)), Some(0));
        assert_eq!(signing(&both, day(91)), Some(1));
    }

    #[test]
    fn a_key_that_cannot_be_opened_never_signs() {
        let lost = Key { opens: false, ..key(0) };
        assert_eq!(signing(&[lost], day(5)), None);
        assert!(is_due(&[lost], day(5)));
        assert_eq!(signing(&[lost, key(5)], day(5)), Some(1));
        // Two nodes created a key each: the older one signs until platforms know the newer one.
        assert_eq!(
            signing(&[key(0), Key { created_at: day(0).plus(Duration::from_secs(1)), opens: true }], day(0)),
            Some(0)
        );
    }

    #[test]
    fn another_one_is_made_after_ninety_days() {
        assert!(is_due(&[], day(0)));
        assert!(!is_due(&[key(0)], day(89)));
        assert!(is_due(&[key(0)], day(90)));
        assert!(!is_due(&[key(0), key(90)], day(100)));
    }

    #[test]
    fn a_key_is_shown_for_thirty_days_after_another_one_signs() {
        let both = [key(0), key(90)];
        assert!(!is_over(both[0], &both, day(120)));
        assert!(is_over(both[0], &both, day(121)));
        assert!(!is_over(both[1], &both, day(1_000)));
        // A key that cannot be decrypted replaces none.
        let lost = [key(0), Key { opens: false, ..key(90) }];
        assert!(!is_over(lost[0], &lost, day(1_000)));
    }
}

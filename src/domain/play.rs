//! Plays of recordings: where they came from, and how often a person was heard.

use std::collections::HashMap;

use jiff::{ToSpan, civil::Date};

/// Where recordings are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The person's badge.
    Badge,
    /// A website: in our player, or with a recording link of the API.
    Player,
    /// A recording link that no website plays: an app, a program, or somebody who opened it.
    Link,
    /// A page inside a learning system.
    Lti,
    /// The listening page of a name page.
    Page,
}

impl Source {
    pub const ALL: [Self; 5] = [Self::Badge, Self::Player, Self::Link, Self::Lti, Self::Page];

    /// The value in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Badge => "badge",
            Self::Player => "player",
            Self::Link => "link",
            Self::Lti => "lti",
            Self::Page => "page",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.word() == word)
    }
}

/// What our own pages append to the link of a recording that they play.
pub const FROM_BADGE: &str = "?from=badge";
pub const FROM_LTI: &str = "?from=lti";
pub const FROM_PAGE: &str = "?from=page";
/// The owner listens, which is not counted.
pub const FROM_OWN: &str = "?from=own";

/// The same for the player.
pub fn from_player(site: Option<&str>) -> String {
    match site {
        Some(site) => format!("?from=player&site={site}"),
        None => "?from=player".to_owned(),
    }
}

/// Stands for all sites beyond `MAX_SITES`.
pub const OTHER_SITES: &str = "*";

/// The maximum number of sites that are counted separately for a recording and a day.
pub const MAX_SITES: usize = 20;

const MAX_SITE_BYTES: usize = 100;

/// Where one play came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    pub source: Source,
    /// The host name of the website; empty if it is unknown.
    pub site: &'a str,
}

impl<'a> Place<'a> {
    /// From the query of a recording's URL and the `Referer` header of the request. `None` for the owner's own pages. `base` is our
    /// own base URL.
    pub fn read(query: Option<&'a str>, referer: Option<&'a str>, base: &str) -> Option<Self> {
        let value = |name: &str| {
            query?.split('&').find_map(|pair| pair.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')))
        };
        let at = |source, site| Some(Self { source, site });
        match value("from") {
            Some("own") => None,
            Some("badge") => at(Source::Badge, ""),
            Some("lti") => at(Source::Lti, ""),
            Some("page") => at(Source::Page, ""),
            Some("player") => at(Source::Player, value("site").filter(|site| is_host(site)).unwrap_or("")),
            _ => match referer.and_then(|referer| site_of(referer, base)) {
                Some(site) => at(Source::Player, site),
                None => at(Source::Link, ""),
            },
        }
    }
}

/// The host name of the website in a `Referer` header, unless it is one of our own pages.
pub fn site_of<'a>(referer: &'a str, base: &str) -> Option<&'a str> {
    let is_own = referer.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let rest = referer.strip_prefix("https://").or_else(|| referer.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.split_once(':').map_or(authority, |(host, _)| host);
    (!is_own && is_host(host)).then_some(host)
}

fn is_host(text: &str) -> bool {
    text.len() <= MAX_SITE_BYTES
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'))
}

/// The site to count a play for, given the sites that were counted for the same recording and day. Anybody can send any `Referer`
/// header, so their number is limited.
pub fn bounded<'a, 'k>(site: &'a str, known: impl Iterator<Item = &'k str>) -> &'a str {
    let mut count = 0;
    for one in known {
        if one.eq_ignore_ascii_case(site) {
            return site;
        }
        count += usize::from(!one.is_empty() && one != OTHER_SITES);
    }
    if site.is_empty() || count < MAX_SITES { site } else { OTHER_SITES }
}

/// Plays on one day at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    pub day: Date,
    pub source: Source,
    /// As in `Place`, or `OTHER_SITES`.
    pub site: String,
    pub times: u64,
}

/// How often a person was heard in the last days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// Every day of the period, oldest first.
    pub days: Vec<(Date, u64)>,
    /// The place with the most plays first.
    pub places: Vec<(Source, String, u64)>,
}

impl Heard {
    /// The length of the period. The texts in `words/*/plays.ftl` contain it, too.
    pub const DAYS: usize = 30;

    /// The first day of the period.
    pub fn since(today: Date) -> Date {
        today.saturating_sub((Self::DAYS as i64 - 1).days())
    }

    pub fn new(today: Date, played: Vec<Played>) -> Self {
        let days = Self::since(today).series(1.day()).take(Self::DAYS);
        let mut days: Vec<(Date, u64)> = days.map(|day| (day, 0)).collect();
        let mut places: HashMap<(Source, String), u64> = HashMap::new();
        for Played { day, source, site, times } in played {
            let Some((_, sum)) = days.iter_mut().find(|(known, _)| *known == day) else { continue };
            *sum += times;
            *places.entry((source, site)).or_default() += times;
        }
        let mut places: Vec<(Source, String, u64)> =
            places.into_iter().map(|((source, site), times)| (source, site, times)).collect();
        places.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| (a.0, &a.1).cmp(&(b.0, &b.1))));
        Self { days, places }
    }

    pub fn total(&self) -> u64 {
        self.days.iter().map(|(_, times)| times).sum()
    }

    /// The most plays on a day.
    pub fn most(&self) -> u64 {
        self.days.iter().map(|(_, times)| *times).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const BASE: &str = "https://names.example.edu";

    #[test]
    fn a_page_of_ours_says_what_it_is_and_a_website_is_found_by_its_referrer() {
        let read = |query, referer| Place::read(query, referer, BASE).map(|place| (place.source, place.site));
        for (query, referer, wanted) in [
            (None, None, Some((Source::Link, ""))),
            (Some("digest=abc"), None, Some((Source::Link, ""))),
            (Some("from=elsewhere"), None, Some((Source::Link, ""))),
            (Some("from=badge"), None, Some((Source::Badge, ""))),
            (Some("from=lti"), Some("https://lms.example.edu/"), Some((Source::Lti, ""))),
            (Some("from=page"), Some("https://www.example.org/"), Some((Source::Page, ""))),
            (Some("from=own"), None, None),
            (Some("from=player"), None, Some((Source::Player, ""))),
            (Some("from=player&site=www.example.org"), None, Some((Source::Player, "www.example.org"))),
            (Some("from=player&site=<b>"), None, Some((Source::Player, ""))),
            (None, Some("https://www.example.org/people?x"), Some((Source::Player, "www.example.org"))),
            (None, Some("https://names.example.edu/docs"), Some((Source::Link, ""))),
            (
                None,
                Some("https://names.example.edu.evil.example/"),
                Some((Source::Player, "names.example.edu.evil.example")),
            ),
        ] {
            assert_eq!(read(query, referer), wanted, "{query:?} {referer:?}");
        }
        assert_eq!(from_player(None), "?from=player");
        assert_eq!(read(Some(&from_player(Some("a.b"))[1..]), None), Some((Source::Player, "a.b")));
    }

    #[test]
    fn only_a_host_name_is_a_site() {
        let long = format!("https://{}.example/", "a".repeat(100));
        for (referer, wanted) in [
            ("https://a.example", Some("a.example")),
            ("http://a.example:8080?x", Some("a.example")),
            ("http://127.0.0.1:8080/", Some("127.0.0.1")),
            ("https://me@a.example/", None),
            ("https://[::1]/", None),
            ("https://", None),
            ("https://*/", None),
            ("https://-a/", None),
            ("https://ä.example/", None),
            ("android-app://com.example", None),
            ("about:client", None),
            (long.as_str(), None),
        ] {
            assert_eq!(site_of(referer, BASE), wanted, "{referer}");
        }
    }

    #[test]
    fn sites_beyond_the_limit_are_counted_together() {
        let mut known: Vec<String> = (0..MAX_SITES).map(|n| format!("s{n}.example")).collect();
        known.extend([String::new(), OTHER_SITES.to_owned()]);
        let counted_as = |site| bounded(site, known.iter().map(String::as_str));
        assert_eq!(counted_as("S1.example"), "S1.example");
        assert_eq!(counted_as("new.example"), OTHER_SITES);
        assert_eq!(counted_as(""), "");
        assert_eq!(bounded("new.example", known.iter().skip(1).map(String::as_str)), "new.example");
    }

    #[test]
    fn every_day_of_the_period_is_there_and_others_do_not_count() {
        let played = |day, source, site: &str, times| Played { day, source, site: site.into(), times };
        let today = date(2026, 3, 10);
        let heard = Heard::new(
            today,
            vec![
                played(today, Source::Badge, "", 1),
                played(date(2026, 3, 9), Source::Badge, "", 1),
                played(date(2026, 2, 9), Source::Player, "a.example", 5),
                played(date(2026, 2, 8), Source::Link, "", 100),
                played(date(2026, 3, 11), Source::Link, "", 100),
            ],
        );
        assert_eq!(heard.days.len(), Heard::DAYS);
        assert_eq!((heard.days[0], heard.days[29]), ((date(2026, 2, 9), 5), (today, 1)));
        assert_eq!((heard.total(), heard.most()), (7, 5));
        let places = [(Source::Player, "a.example".to_owned(), 5), (Source::Badge, String::new(), 2)];
        assert_eq!(heard.places, places);
    }
}

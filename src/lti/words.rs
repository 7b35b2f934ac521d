//! The sentences of the LTI pages that depend on something. The sentences themselves are in `words/`.

use crate::{
    app::lti::Refusal,
    domain::{
        course::{Course, Sync},
        ids::ToolConsumerId,
        lti,
        moment::Moment,
    },
    http::html::escape,
    words::{Arg, Words},
};

/// The synchronization status of a course, as HTML.
pub fn synchronization(words: Words, zone: &jiff::tz::TimeZone, course: &Course) -> String {
    let time = course.synced_at.map(|at| Time::new(words, zone, at));
    let why = course.error.as_deref();
    let id = match (course.sync, why, &time) {
        (Sync::Running, _, None) => "lti-sync-fetching",
        (Sync::Running, _, Some(_)) => "lti-sync-running",
        (_, Some(_), None) => "lti-sync-fetch-failed",
        (_, Some(_), Some(_)) => "lti-sync-failed",
        (_, None, Some(_)) => "lti-sync-done",
        (_, None, None) => "lti-sync-none",
    };
    let (shown, why) = (time.as_ref().map_or("", |time| &time.shown), why.unwrap_or_default());
    let html = words.html(id, &[("time", Arg::Text(shown)), ("why", Arg::Text(why))]);
    // The reason comes from a program, in English.
    let html = html.replacen(&format!("<bdi>{}</bdi>", escape(why)), &english(why), 1);
    match &time {
        Some(time) => html.replacen(&format!("<bdi>{}</bdi>", escape(shown)), &time.element(), 1),
        None => html,
    }
}

fn english(text: &str) -> String {
    format!("<bdi lang=\"en\">{}</bdi>", escape(text))
}

/// A time in machine-readable and human-readable form.
struct Time {
    exact: String,
    shown: String,
}

impl Time {
    /// In the institution's time zone, which is named because the reader may be elsewhere.
    fn new(words: Words, zone: &jiff::tz::TimeZone, at: Moment) -> Self {
        let at = jiff::Timestamp::from_microsecond(at.micros()).unwrap_or_default().to_zoned(zone.clone());
        let abbreviation = at.strftime("%Z").to_string();
        // Many zones have no abbreviation, only an offset.
        let has_letters = abbreviation.chars().all(|letter| letter.is_ascii_alphabetic());
        let zone = if has_letters { abbreviation } else { at.strftime("UTC%:z").to_string() };
        let number = |number: i8| Arg::Number(u64::from(number.unsigned_abs()));
        let shown = words.plain(
            "lti-time",
            &[
                ("day", number(at.day())),
                ("month", number(at.month())),
                ("year", Arg::Text(&at.strftime("%Y").to_string())),
                ("time", Arg::Text(&at.strftime("%H:%M").to_string())),
                ("zone", Arg::Text(&zone)),
            ],
        );
        Self { exact: at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(), shown }
    }

    fn element(&self) -> String {
        format!("<time datetime=\"{}\">{}</time>", escape(&self.exact), escape(&self.shown))
    }
}

/// A page that consists of a title and some sentences.
pub enum Notice<'a> {
    NothingHere,
    Trouble,
    Unreadable,
    TooLarge,
    TooSlow,
    Busy,
    Refused(&'a Refusal),
    /// The registration link was opened directly instead of being entered in the learning system.
    RegistrationLink,
    Registered {
        name: &'a str,
        id: ToolConsumerId,
        is_update: bool,
        has_deployment: bool,
        is_unconfirmed: bool,
    },
}

pub struct Explanation {
    pub title: String,
    pub sentences: Vec<String>,
}

const REOPEN: &str = "lti-reopen";
const CONTACT_ADMINISTRATOR: &str = "lti-contact";
/// Nothing else helps.
const TELL_ADMINISTRATOR: &str = "lti-tell";
const GO_BACK: &str = "lti-go-back";

impl Notice<'_> {
    pub fn explain(&self, words: Words) -> Explanation {
        let explain = |title: &str, ids: &[&str]| Explanation {
            title: words.text(title),
            sentences: ids.iter().map(|id| words.text(id)).collect(),
        };
        match self {
            Self::NothingHere => explain("shared-nothing-title", &["shared-nothing", REOPEN]),
            Self::Trouble => explain("shared-trouble-title", &["shared-trouble"]),
            Self::Unreadable => explain("shared-unreadable-title", &["shared-unreadable"]),
            Self::TooLarge => explain("shared-unreadable-title", &["lti-too-large"]),
            Self::TooSlow => explain("shared-unreadable-title", &["lti-too-slow"]),
            Self::Busy => explain("shared-unreadable-title", &["shared-busy"]),
            Self::Refused(why) => refusal(words, why),
            Self::RegistrationLink => {
                explain("lti-register-link-title", &["lti-register-link", "lti-register-link-where"])
            }
            Self::Registered { name, id, is_update, has_deployment, is_unconfirmed } => {
                let (title, done) = if *is_update {
                    ("lti-updated-title", "lti-updated")
                } else {
                    ("lti-registered-title", "lti-registered")
                };
                let next = match (has_deployment, is_update) {
                    (true, true) => words.text("lti-updated-kept"),
                    (true, false) => words.text("lti-registered-activate"),
                    (false, _) => {
                        let command = format!("endonym tool-consumer update {id} --deployment-id");
                        words.one("lti-no-deployment", "command", &command)
                    }
                };
                let id = id.to_string();
                let done = words.with(done, &[("name", Arg::Text(name)), ("id", Arg::Text(&id))]);
                let command = format!("endonym tool-consumer confirm {id}");
                let unconfirmed =
                    is_unconfirmed.then(|| words.one("lti-registered-unconfirmed", "command", &command));
                let sentences = [done, next].into_iter().chain(unconfirmed).collect();
                Explanation { title: words.text(title), sentences }
            }
        }
    }
}

fn refusal(words: Words, why: &Refusal) -> Explanation {
    let sentences = |ids: &[&str]| ids.iter().map(|id| words.text(id)).collect::<Vec<_>>();
    let (title, sentences) = match why {
        Refusal::Incomplete(_) => ("lti-incomplete-title", sentences(&["lti-incomplete", REOPEN])),
        Refusal::UnknownPlatform => {
            ("lti-unknown-platform-title", sentences(&["lti-unknown-platform", TELL_ADMINISTRATOR]))
        }
        Refusal::Unconfirmed => {
            ("lti-unconfirmed-title", sentences(&["lti-unconfirmed", TELL_ADMINISTRATOR]))
        }
        Refusal::Disabled => ("lti-disabled-title", sentences(&["lti-disabled", TELL_ADMINISTRATOR])),
        Refusal::ForeignTarget => ("lti-foreign-title", sentences(&["lti-foreign", TELL_ADMINISTRATOR])),
        Refusal::UnknownState | Refusal::Late => ("lti-used-title", sentences(&["lti-used", REOPEN])),
        Refusal::OtherBrowser(query) => {
            let next = if query.is_empty() { REOPEN } else { "lti-browser-window" };
            ("lti-browser-title", sentences(&["lti-browser", next]))
        }
        Refusal::Platform(answer) => {
            ("lti-platform-title", vec![words.one("lti-platform", "said", &answer.said), words.text(REOPEN)])
        }
        Refusal::NoKeys(_) => {
            ("lti-no-keys-title", sentences(&["lti-no-keys", REOPEN, CONTACT_ADMINISTRATOR]))
        }
        Refusal::Claims(lti::Fault::Deployment(deployment)) => (
            "lti-deployment-title",
            vec![
                words.one("lti-deployment", "deployment", &shortened(deployment)),
                words.one("lti-deployment-add", "command", "endonym tool-consumer update ID --deployment-id"),
            ],
        ),
        Refusal::Claims(lti::Fault::NoLinks) => ("lti-no-links-title", sentences(&["lti-no-links", GO_BACK])),
        Refusal::Token(_) | Refusal::Claims(_) => {
            ("lti-untrusted-title", sentences(&["lti-untrusted", REOPEN, CONTACT_ADMINISTRATOR]))
        }
        Refusal::NoCourse => ("lti-no-course-title", sentences(&["lti-no-course", REOPEN])),
        Refusal::NoPart => ("lti-no-part-title", sentences(&["lti-no-part", GO_BACK])),
        Refusal::Preview => {
            ("lti-preview-title", sentences(&["lti-preview", "lti-preview-unlisted", GO_BACK]))
        }
        Refusal::Anonymous => ("lti-anonymous-title", sentences(&["lti-anonymous", TELL_ADMINISTRATOR])),
        Refusal::NoSession => ("lti-closed-title", sentences(&["lti-closed", REOPEN])),
        Refusal::UnknownInvite => {
            ("lti-invite-title", vec![words.one("lti-invite", "command", "endonym tool-consumer invite")])
        }
        Refusal::Registration(why) => (
            "lti-registration-title",
            vec![
                words.one("lti-registration", "why", &why.to_string()),
                words.text("lti-registration-again"),
            ],
        ),
        Refusal::TooMany => ("lti-too-many-title", sentences(&["lti-too-many"])),
    };
    Explanation { title: words.text(title), sentences }
}

fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::lti::RegistrationFault, domain::language::Language};

    #[test]
    fn times_have_a_zone() {
        let at = Moment::from_micros(1_794_000_000_000_000);
        for (zone, shown, exact) in [
            ("Europe/Vienna", "6 November 2026, 22:20 CET", "2026-11-06T22:20:00+01:00"),
            ("America/Sao_Paulo", "6 November 2026, 18:20 UTC-03:00", "2026-11-06T18:20:00-03:00"),
            ("Asia/Kathmandu", "7 November 2026, 03:05 UTC+05:45", "2026-11-07T03:05:00+05:45"),
            ("UTC", "6 November 2026, 21:20 UTC", "2026-11-06T21:20:00+00:00"),
        ] {
            let zone = jiff::tz::TimeZone::get(zone).unwrap();
            let time = Time::new(Words::new(Language::English), &zone, at);
            assert_eq!((time.shown.as_str(), time.exact.as_str()), (shown, exact));
        }
    }

    #[test]
    fn every_language_has_its_own_form_of_dates() {
        let months = |language| {
            let month = |month: i64| {
                // The first day of a month of 2026.
                let at = jiff::civil::date(2026, i8::try_from(month).unwrap(), 1).at(8, 0, 0, 0);
                let at = at.to_zoned(jiff::tz::TimeZone::UTC).unwrap().timestamp().as_microsecond();
                Time::new(Words::new(language), &jiff::tz::TimeZone::UTC, Moment::from_micros(at)).shown
            };
            (1..=12).map(month).collect::<Vec<_>>()
        };
        for language in Language::ALL {
            let all = months(language);
            let differing: std::collections::HashSet<&String> = all.iter().collect();
            assert_eq!(differing.len(), 12, "{all:?}");
        }
        for (language, shown) in [
            (Language::German, "1. März 2026, 08:00 Uhr (UTC)"),
            (Language::French, "1er mars 2026 à 08:00 (UTC)"),
            (Language::Spanish, "1 de marzo de 2026, 08:00 (UTC)"),
            (Language::Portuguese, "1º de março de 2026, 08:00 (UTC)"),
            (Language::Chinese, "2026年3月1日 08:00（UTC）"),
            (Language::Arabic, "1 مارس 2026، 08:00 (UTC)"),
        ] {
            assert_eq!(months(language)[2], shown);
        }
    }

    #[test]
    fn a_page_of_words_exists_for_every_refusal_in_every_language() {
        let refusals = [
            Refusal::Incomplete("state"),
            Refusal::UnknownPlatform,
            Refusal::Disabled,
            Refusal::Unconfirmed,
            Refusal::ForeignTarget,
            Refusal::Late,
            Refusal::OtherBrowser(String::new()),
            Refusal::NoKeys(String::new()),
            Refusal::Claims(lti::Fault::Deployment("d2".to_owned())),
            Refusal::Claims(lti::Fault::NoLinks),
            Refusal::Claims(lti::Fault::Nonce),
            Refusal::NoCourse,
            Refusal::NoPart,
            Refusal::Preview,
            Refusal::Anonymous,
            Refusal::NoSession,
            Refusal::UnknownInvite,
            Refusal::Registration(RegistrationFault::Platform("why".to_owned())),
            Refusal::TooMany,
        ];
        for language in Language::ALL {
            for why in &refusals {
                let Explanation { title, sentences } = Notice::Refused(why).explain(Words::new(language));
                let all = format!("{title} {}", sentences.join(" "));
                assert!(!all.contains("lti-") && !all.contains("{ $"), "{all}");
                assert!(!sentences.is_empty());
            }
        }
    }
}

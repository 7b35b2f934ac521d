//! The section that shows how often a person was heard.

use jiff::civil::Date;

use crate::{
    domain::play::{Heard, OTHER_SITES, Source},
    http::{chart::bars, html},
    words::{Arg, Words},
};

pub struct PlaysSection {
    /// How often, as a sentence.
    pub sum: String,
    /// `None` if there were no plays.
    pub chart: Option<Chart>,
    /// Places as HTML.
    pub by_place: Vec<(String, u64)>,
    /// Days with plays, the newest first.
    pub by_day: Vec<(String, u64)>,
}

pub struct Chart {
    /// The bars, as the data of an SVG path.
    pub bars: String,
    pub label: String,
    pub first_day: String,
}

impl PlaysSection {
    pub fn new(words: Words, heard: &Heard) -> Self {
        let (total, most) = (heard.total(), heard.most());
        if total == 0 {
            let sum = words.text("plays-none");
            return Self { sum, chart: None, by_place: Vec::new(), by_day: Vec::new() };
        }
        let first_day = heard.days.first().map(|(day, _)| date(words, *day)).unwrap_or_default();
        let label = words.one("plays-chart", "most", most);
        let played = heard.days.iter().rev().filter(|(_, times)| *times > 0);
        Self {
            sum: words.one("plays-sum", "times", total),
            chart: Some(Chart { bars: bars(&heard.days, most), label, first_day }),
            by_place: heard
                .places
                .iter()
                .map(|(source, site, times)| (place(words, *source, site), *times))
                .collect(),
            by_day: played.map(|(day, times)| (date(words, *day), *times)).collect(),
        }
    }
}

fn place(words: Words, source: Source, site: &str) -> String {
    let id = match (source, site) {
        (Source::Badge, _) => "plays-from-badge",
        (Source::Lti, _) => "plays-from-lti",
        (Source::Page, _) => "plays-from-page",
        (Source::Link, _) => "plays-from-link",
        (Source::Player, "") => "plays-from-player",
        (Source::Player, OTHER_SITES) => "plays-from-sites",
        (Source::Player, site) => return format!("<bdi>{}</bdi>", html::escape(site)),
    };
    words.html(id, &[])
}

fn date(words: Words, day: Date) -> String {
    let number = |part: i8| Arg::Number(u64::from(part.unsigned_abs()));
    words.with("plays-date", &[("month", number(day.month())), ("day", number(day.day()))])
}

#[cfg(test)]
mod tests {
    use jiff::civil::date as day;

    use super::*;
    use crate::domain::{language::Language, play::Played};

    fn section(language: Language, plays: &[(i8, Source, &str, u64)]) -> PlaysSection {
        let played = plays.iter().map(|(d, source, site, times)| Played {
            day: day(2026, 11, *d),
            source: *source,
            site: (*site).to_owned(),
            times: *times,
        });
        PlaysSection::new(Words::new(language), &Heard::new(day(2026, 11, 16), played.collect()))
    }

    fn plain(text: &str) -> String {
        text.chars().filter(|c| !matches!(c, '\u{2068}' | '\u{2069}')).collect()
    }

    #[test]
    fn bars_are_proportional_and_the_first_day_is_on_the_left() {
        let plays = [(16, Source::Badge, "", 64), (15, Source::Badge, "", 32), (1, Source::Badge, "", 1)];
        let chart = section(Language::English, &plays).chart.unwrap();
        assert_eq!(chart.bars, "M141 64v-3h8v3zM281 64v-32h8v32zM291 64v-64h8v64z");
        assert_eq!(plain(&chart.first_day), "October 18");
    }

    #[test]
    fn places_are_named_and_the_most_frequent_comes_first() {
        let plays = [
            (16, Source::Player, "a.example", 5),
            (16, Source::Player, OTHER_SITES, 4),
            (16, Source::Player, "", 3),
            (16, Source::Link, "", 2),
            (15, Source::Lti, "", 1),
            (15, Source::Page, "", 1),
        ];
        let shown = section(Language::English, &plays);
        assert_eq!(shown.by_place[0], ("<bdi>a.example</bdi>".to_owned(), 5));
        let names: Vec<&str> = shown.by_place.iter().skip(1).map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "Other websites",
                "A website that we do not know",
                "A link or an app",
                "Your learning system",
                "A name page"
            ]
        );
        let days: Vec<(String, u64)> = shown.by_day.iter().map(|(day, n)| (plain(day), *n)).collect();
        assert_eq!(days, [("November 16".to_owned(), 14), ("November 15".to_owned(), 2)]);
    }

    #[test]
    fn every_language_has_its_plural_forms() {
        let sum = |language, times| plain(&section(language, &[(16, Source::Link, "", times)]).sum);
        for (language, times, wanted) in [
            (Language::English, 1, "Your name was heard once in the last 30 days."),
            (Language::English, 2, "Your name was heard 2 times in the last 30 days."),
            (Language::Spanish, 1, "Tu nombre se escuchó una vez en los últimos 30 días."),
            (Language::Spanish, 5, "Tu nombre se escuchó 5 veces en los últimos 30 días."),
            (Language::French, 1, "Votre nom a été écouté une fois au cours des 30 derniers jours."),
            (Language::French, 2, "Votre nom a été écouté 2 fois au cours des 30 derniers jours."),
            (Language::German, 1, "Dein Name wurde in den letzten 30 Tagen einmal angehört."),
            (Language::German, 7, "Dein Name wurde in den letzten 30 Tagen 7-mal angehört."),
            (Language::Portuguese, 1, "Seu nome foi ouvido uma vez nos últimos 30 dias."),
            (Language::Portuguese, 3, "Seu nome foi ouvido 3 vezes nos últimos 30 dias."),
            (Language::Chinese, 8, "过去 30 天里，你的名字被播放了 8 次。"),
            (Language::Arabic, 1, "تم سماع اسمك مرة واحدة خلال آخر 30 يوما."),
            (Language::Arabic, 2, "تم سماع اسمك مرتين خلال آخر 30 يوما."),
            (Language::Arabic, 5, "تم سماع اسمك 5 مرات خلال آخر 30 يوما."),
            (Language::Arabic, 12, "تم سماع اسمك 12 مرة خلال آخر 30 يوما."),
            (Language::Arabic, 100, "تم سماع اسمك 100 مرة خلال آخر 30 يوما."),
        ] {
            assert_eq!(sum(language, times), wanted, "{times}");
        }
    }
}

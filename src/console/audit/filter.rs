//! Which entries are wanted, in the query of an address.

use jiff::{civil::Date, tz::TimeZone};

use crate::{
    app::audit::Query,
    domain::{
        audit::{Act, SubjectKind},
        moment::Moment,
    },
    http::form::Form,
};

/// What is in the inputs. Everything may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub search: String,
    pub act: String,
    pub who: String,
    /// An email address.
    pub person: String,
    /// Days, like 2026-07-01. Both are included.
    pub from: String,
    pub to: String,
    /// The kind and the id of what was changed.
    pub kind: String,
    pub id: String,
    /// Where the page before this one has ended.
    pub before: String,
}

/// Which of the days cannot be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Faults {
    pub from: bool,
    pub to: bool,
}

impl Filter {
    pub fn of(query: &Form) -> Self {
        let text = |name: &str| query.get(name).unwrap_or_default().trim().to_owned();
        Self {
            search: text("q"),
            act: text("act"),
            who: text("who"),
            person: text("person"),
            from: text("from"),
            to: text("to"),
            kind: text("kind"),
            id: text("id"),
            before: text("before"),
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self { before: self.before.clone(), ..Self::default() }
    }

    /// Days are those of the institution. One that cannot be read is ignored.
    pub fn query(&self, zone: &TimeZone) -> (Query, Faults) {
        let from = day(&self.from).map(|day| day.and_then(|day| start(day, zone)));
        let to = day(&self.to).map(|day| day.and_then(|day| start(day.tomorrow().ok()?, zone)));
        let faults = Faults { from: from == Some(None), to: to == Some(None) };
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let kind = SubjectKind::parse(&self.kind);
        let query = Query {
            search: self.search.clone(),
            act: Act::parse(&self.act),
            who: given(&self.who),
            subject: kind.map(|kind| (kind, self.id.clone())),
            person: given(&self.person),
            from: from.flatten(),
            to: to.flatten(),
            cursor: self.before.parse().ok(),
            only_changes: false,
        };
        (query, faults)
    }

    /// The query of an address with the same filter, on its first page, and more.
    pub fn link(&self, more: &[(&str, &str)]) -> String {
        let own: [(&str, &str); 8] = [
            ("q", self.search.as_str()),
            ("act", &self.act),
            ("who", &self.who),
            ("person", &self.person),
            ("from", &self.from),
            ("to", &self.to),
            ("kind", &self.kind),
            ("id", &self.id),
        ];
        let given = own.iter().filter(|(_, value)| !value.is_empty()).chain(more);
        form_urlencoded::Serializer::new(String::new()).extend_pairs(given.copied()).finish()
    }
}

/// `None` if no day is given, `Some(None)` if it cannot be read.
fn day(given: &str) -> Option<Option<Date>> {
    (!given.is_empty()).then(|| given.parse().ok())
}

fn start(day: Date, zone: &TimeZone) -> Option<Moment> {
    Some(Moment::from_timestamp(day.to_zoned(zone.clone()).ok()?.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_institution_and_both_are_included() {
        let filter = Filter::of(&Form::from_query("from=2026-07-01&to=2026-07-01"));
        let (query, faults) = filter.query(&TimeZone::get("Europe/Berlin").unwrap());
        assert_eq!(query.from, Moment::parse("2026-06-30T22:00:00Z"));
        assert_eq!(query.to, Moment::parse("2026-07-01T22:00:00Z"));
        assert_eq!(faults, Faults::default());
    }

    #[test]
    fn what_cannot_be_read_is_ignored_and_told() {
        let filter = Filter::of(&Form::from_query("from=soon&to=9999-12-31&act=x&kind=y&id=1&before=z"));
        let (query, faults) = filter.query(&TimeZone::UTC);
        assert!(faults.from && query.from.is_none() && query.act.is_none());
        assert!(query.subject.is_none() && query.cursor.is_none());
    }

    #[test]
    fn a_link_repeats_the_filter_without_the_position() {
        let filter = Filter::of(&Form::from_query("q=a+b&who=token&before=5_6"));
        assert_eq!(filter.link(&[("format", "csv")]), "q=a+b&who=token&format=csv");
        assert!(!filter.is_empty());
        assert!(Filter::of(&Form::from_query("before=5_6&done=kept")).is_empty());
        assert!(filter.query(&TimeZone::UTC).0.cursor.is_some());
    }
}

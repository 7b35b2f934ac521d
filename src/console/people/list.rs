//! The list: search, filters, order and pagination. All of it is in the address.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{Choice, date, query_of, shown_name};
use crate::{
    app::{
        App, Error, Missing, Result,
        people_search::{self, Choices, Cut, Listed, Listing},
    },
    console::visit::{Console, Nav},
    domain::{
        ids::ParticipantId,
        name_page::NamePageRef,
        people_query::{Cursor, PeopleQuery, Sort, Standing},
        section::Section,
    },
    http::{form::Form, page::Page},
    words::Words,
};

/// What is wanted, as in the address.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub search: String,
    /// The slug of a name page.
    pub page: String,
    pub standing: Option<Standing>,
    pub invited: Option<bool>,
    pub has_phone: Option<bool>,
    /// The name of a custom field.
    pub field: String,
    pub value: String,
    pub sort: Sort,
    pub after: Option<Cursor>,
}

/// Longer texts are cut.
const LONGEST: usize = 200;

fn truth(word: Option<&str>) -> Option<bool> {
    match word {
        Some("yes") => Some(true),
        Some("no") => Some(false),
        _ => None,
    }
}

const fn word(truth: Option<bool>) -> &'static str {
    match truth {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    }
}

impl Wanted {
    pub fn read(query: &Form) -> Self {
        let text = |name: &str| -> String {
            query.get(name).unwrap_or_default().trim().chars().take(LONGEST).collect()
        };
        Self {
            search: text("q"),
            page: text("page"),
            standing: query.get("recording").and_then(Standing::parse),
            invited: truth(query.get("invited")),
            has_phone: truth(query.get("phone")),
            field: text("field"),
            value: text("value"),
            sort: query.get("sort").and_then(Sort::parse).unwrap_or_default(),
            after: query.get("after").and_then(Cursor::parse),
        }
    }

    /// The parameters of the address, besides the part of the list.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let standing = self.standing.map_or("", Standing::word);
        let sort = if self.sort == Sort::default() { "" } else { self.sort.word() };
        // A value means something only with a field, also if it is empty.
        let value = if self.field.is_empty() { "" } else { self.value.as_str() };
        let all = [
            ("q", self.search.as_str()),
            ("page", &self.page),
            ("recording", standing),
            ("invited", word(self.invited)),
            ("phone", word(self.has_phone)),
            ("field", &self.field),
            ("value", value),
            ("sort", sort),
        ];
        all.into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name, value.to_owned()))
            .collect()
    }

    /// The query of an address, with the question mark if there is any.
    pub fn address(&self, after: Option<Cursor>) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.pairs());
        if let Some(after) = after {
            query.append_pair("after", &after.to_string());
        }
        let query = query.finish();
        if query.is_empty() { query } else { format!("?{query}") }
    }

    /// What can be chosen, and the query.
    pub async fn resolve(&self, app: &App, console: &Console) -> Result<(Choices, PeopleQuery)> {
        let missing = || Error::Missing(Missing::NamePage);
        let page = match self.page.as_str() {
            "" => None,
            slug => Some(NamePageRef::parse(slug).ok_or_else(missing)?),
        };
        let choices = people_search::choices(app, &console.actor, console.id(), page.as_ref()).await?;
        let field = choices.fields.iter().find(|field| field.name == self.field);
        let query = PeopleQuery {
            search: self.search.clone(),
            page: choices.page,
            standing: self.standing,
            invited: self.invited,
            has_phone: self.has_phone,
            field: field.map(|field| (field.id, self.value.clone())),
            sort: self.sort,
            after: self.after,
        };
        Ok((choices, query))
    }
}

#[derive(Template)]
#[template(path = "console/people.html")]
struct PeopleView<'a> {
    page: Page<'a>,
    nav: Nav,
    wanted: &'a Wanted,
    pages: Vec<Choice>,
    standings: Vec<Choice>,
    invited: Vec<Choice>,
    phone: Vec<Choice>,
    fields: Vec<Choice>,
    sorts: Vec<Choice>,
    actions: Vec<Choice>,
    rows: Vec<Row>,
    /// How many people match.
    count: Option<String>,
    /// What should be known about the list.
    notes: Vec<String>,
    is_filtered: bool,
    /// More is asked for than a search. On narrow screens, the filters are closed otherwise.
    has_filters: bool,
    /// Hidden inputs: the filter, for what is done with everybody who matches.
    filters: Vec<(&'static str, String)>,
    /// The address of the next part.
    next: Option<String>,
    /// That of the first part, on others.
    first: Option<String>,
    done: Option<String>,
    /// Somebody who was just deleted.
    undo: Option<ParticipantId>,
    is_admin: bool,
}

struct Row {
    id: ParticipantId,
    name: String,
    /// What the checkbox says.
    select: String,
    email: Option<String>,
    identifier: Option<String>,
    page: String,
    standing: String,
    is_invited: bool,
    has_hold: bool,
    has_phone: bool,
    changed: String,
}

pub fn standing_id(standing: Standing) -> &'static str {
    match standing {
        Standing::Recorded => "console-people-recorded",
        Standing::Unrecorded => "console-people-unrecorded",
        Standing::Waiting => "console-people-waiting",
        Standing::Paused => "console-people-paused",
    }
}

fn sort_id(sort: Sort) -> &'static str {
    match sort {
        Sort::Name => "console-people-sort-name",
        Sort::Changed => "console-people-sort-changed",
        Sort::Recorded => "console-people-sort-recorded",
    }
}

/// What can be done with many people, each with its label.
pub const ACTIONS: [(&str, &str); 6] = [
    ("invite", "console-people-invite"),
    ("remind", "console-people-remind"),
    ("move", "console-people-move"),
    ("tag", "console-people-tag"),
    ("merge", "console-people-merge"),
    ("delete", "console-people-delete-many"),
];

fn row(words: Words, console: &Console, one: Listed) -> Row {
    let name = shown_name(words, one.name, one.email.as_deref());
    Row {
        id: one.id,
        select: words.one("console-people-select", "name", &name),
        name,
        email: one.email,
        identifier: one.identifier,
        page: one.page,
        standing: words.text(standing_id(one.standing)),
        is_invited: one.is_invited,
        has_hold: one.has_hold,
        has_phone: one.has_phone,
        changed: date(console, one.updated_at),
    }
}

fn notes(words: Words, listing: &Listing) -> Vec<String> {
    let mut notes = Vec::new();
    match listing.cut {
        Some(Cut::Walked(count)) => notes.push(words.one("console-people-cut-walked", "count", count)),
        Some(Cut::Found(count)) => notes.push(words.one("console-people-cut-found", "count", count)),
        None => {}
    }
    if listing.is_building {
        notes.push(words.text("console-people-building"));
    }
    notes
}

pub async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = query_of(&request);
    let wanted = Wanted::read(&query);
    let found = match wanted.resolve(&app, &console).await {
        Ok((choices, people)) => {
            let listing = people_search::list(&app, &console.actor, console.id(), &people).await;
            listing.map(|listing| (choices, people, listing))
        }
        Err(error) => Err(error),
    };
    let (choices, people, listing) = match found {
        Ok(found) => found,
        Err(error) => return console.fault(&app, &error),
    };
    let path = console.path(&format!("/people{}", wanted.address(wanted.after)));
    let page = console.page(&app, &path);
    let words = page.words;
    let notes = notes(words, &listing);
    let Listing { people: found, next, count, .. } = listing;
    let here = console.path("/people");
    let to = |after: Option<Cursor>| format!("{}{here}{}", page.root, wanted.address(after));
    let any = || Choice::new("", words.text("console-people-any"), "-");
    let yes_no = |chosen: Option<bool>, yes: &str, no: &str| {
        let chosen = word(chosen);
        vec![any(), Choice::new("yes", words.text(yes), chosen), Choice::new("no", words.text(no), chosen)]
    };
    let standing = wanted.standing.map_or("", Standing::word);
    let standings = Standing::ALL.map(|one| Choice::new(one.word(), words.text(standing_id(one)), standing));
    let sorts = Sort::ALL.map(|one| Choice::new(one.word(), words.text(sort_id(one)), wanted.sort.word()));
    let pages = choices.pages.into_iter().map(|one| Choice::new(one.slug, one.title, &wanted.page));
    let fields = choices.fields.into_iter().map(|one| Choice::new(one.name, one.label, &wanted.field));
    let filters = wanted.pairs();
    let shown = PeopleView {
        nav: console.nav(&app, Section::People),
        pages: [any()].into_iter().chain(pages).collect(),
        standings: [any()].into_iter().chain(standings).collect(),
        invited: yes_no(wanted.invited, "console-people-invited-yes", "console-people-invited-no"),
        phone: yes_no(wanted.has_phone, "console-people-phone-yes", "console-people-phone-no"),
        fields: [any()].into_iter().chain(fields).collect(),
        sorts: sorts.into_iter().collect(),
        actions: ACTIONS.into_iter().map(|(word, id)| Choice::new(word, words.text(id), "")).collect(),
        rows: found.into_iter().map(|one| row(words, &console, one)).collect(),
        count: count.map(|count| words.one("console-people-count", "count", count)),
        notes,
        is_filtered: people.is_filtered() || people.page.is_some(),
        has_filters: filters.iter().any(|(name, _)| *name != "q"),
        filters,
        next: next.map(|next| to(Some(next))),
        first: wanted.after.map(|_| to(None)),
        done: match query.get("done") {
            Some("deleted") => Some(words.text("console-people-done-deleted")),
            _ => None,
        },
        is_admin: console.actor.administer(console.id()).is_ok(),
        undo: query.get("deleted").and_then(|id| id.parse().ok()),
        wanted: &wanted,
        page,
    };
    console.show(StatusCode::OK, &shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_is_shown() {
        let read = |query: &str| {
            let wanted = Wanted::read(&Form::from_query(query));
            wanted.address(wanted.after)
        };
        for (query, wanted) in [
            ("", ""),
            ("q=+++", ""),
            ("q=n%C3%AD+%26&sort=name&page=choir", "?q=n%C3%AD+%26&page=choir"),
            ("recording=waiting&invited=yes&phone=no", "?recording=waiting&invited=yes&phone=no"),
            ("recording=x&invited=x&phone=&sort=x&evil=1", ""),
            ("field=major&value=Physics&after=5.7", "?field=major&value=Physics&after=5.7"),
            ("value=Physics&after=x", ""),
            ("sort=changed", "?sort=changed"),
        ] {
            assert_eq!(read(query), wanted, "{query}");
        }
        assert_eq!(read(&format!("q={}", "a".repeat(5_000))).len(), "?q=".len() + LONGEST);
    }
}

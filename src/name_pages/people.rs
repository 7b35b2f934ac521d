//! `/p/{slug}/people`: the names on a page and how they are said, for those who may listen. A page has the first part of the list;
//! a script fetches the others from `/people/rows`, and links lead to them without one.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::visit::Visit;
use crate::{
    app::{
        Actor, App, Error, Missing,
        listening::{self, People, Person, Query, Sound},
        name_pages::PublicPage,
    },
    domain::{
        directory::{Filter, Letter},
        initials::Initials,
        paging::Window,
        play::FROM_PAGE,
        session::How,
    },
    http::{
        form::Form,
        html::{origin_of, path_of, root},
        notice,
        page::{self, Microphone, Page},
        policy::{Forms, Policy},
    },
    words::Words,
};

/// How many people a part of the list has.
const PART: u64 = 50;
/// How many people one print view has.
const PRINTED: u64 = 2_000;
const LONGEST_SEARCH: usize = 200;

/// What the query of the address says.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    search: String,
    letter: Option<Letter>,
    unrecorded: bool,
    /// Starts at 1.
    page: u64,
}

impl Wanted {
    pub fn read(form: &Form) -> Self {
        let page = form.get("page").and_then(|page| page.parse().ok()).unwrap_or(1);
        Self {
            search: form.get("q").unwrap_or_default().trim().chars().take(LONGEST_SEARCH).collect(),
            letter: form.get("letter").and_then(Letter::parse),
            unrecorded: form.get("show") == Some("unrecorded"),
            page: u64::max(page, 1),
        }
    }

    fn query(&self, per_page: u64) -> Query {
        let filter = Filter { search: self.search.clone(), unrecorded: self.unrecorded, letter: self.letter };
        Query { filter, start: Window::new(self.page, per_page).offset(), most: per_page }
    }

    /// The people of this part of the list.
    pub fn part(&self) -> Query {
        self.query(PART)
    }

    /// The query of an address, with its question mark, and with these pairs.
    fn address(&self, more: &[(&str, &str)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        if !self.search.is_empty() {
            query.append_pair("q", &self.search);
        }
        if let Some(letter) = self.letter {
            query.append_pair("letter", &letter.to_string());
        }
        if self.unrecorded {
            query.append_pair("show", "unrecorded");
        }
        if self.page > 1 {
            query.append_pair("page", &self.page.to_string());
        }
        query.extend_pairs(more);
        let query: String = query.finish();
        if query.is_empty() { query } else { format!("?{query}") }
    }

    fn on_page(&self, page: u64) -> Self {
        Self { page, ..self.clone() }
    }
}

/// The path of the list, without the path of the site root.
pub fn path(public: &PublicPage) -> String {
    format!("/p/{}/people", public.page.slug)
}

/// The path of the list with what is shown there.
pub fn path_to(public: &PublicPage, wanted: &Wanted, more: &[(&str, &str)]) -> String {
    format!("{}{}", path(public), wanted.address(more))
}

/// The visitor as a listener. A session that was opened only to record, on another device or by an invitation, is none.
pub fn listener(visit: &Visit) -> Option<&Actor> {
    let how = visit.who.as_ref()?.session.how;
    let is_whole = matches!(how, How::Mail | How::Link | How::Oidc | How::Proxy);
    visit.actor.as_ref().filter(|_| is_whole)
}

fn own_path(app: &App, visit: &Visit) -> String {
    format!("{}{}", root(&app.links), visit.path("/own"))
}

fn only_inside(words: Words, public: &PublicPage) -> String {
    words.one("people-only-inside", "institution", &public.institution.name)
}

/// Can the visitor ask for recordings? Not in a frame on another site, where no cookie works, so that forms have no valid token.
/// The requests of scripts have the cookie of their page where cookies work.
fn can_ask(app: &App, visit: &Visit) -> bool {
    let has_cookies = visit.who.is_some() || visit.visitor.has_cookie || visit.is_in_tab;
    has_cookies && listening::takes_requests(app, &visit.public)
}

/// The response to a visitor who may not listen, or to another error. `path` leads back after signing in.
pub fn refused(app: &App, visit: &Visit, path: &str, error: &Error) -> Response {
    match error {
        Error::Unauthorized => visit.sign_in(app, path),
        Error::Forbidden(_) | Error::Missing(Missing::Institution) => {
            let page = visit.page(app, path);
            notice::show(StatusCode::FORBIDDEN, page, "people-closed-title", "people-closed")
        }
        error => notice::fault(visit.page(app, path), error),
    }
}

/// One person.
struct Row {
    /// What the forms of this page call them.
    id: String,
    name: String,
    /// The name of the button that plays the recording.
    label: String,
    /// The name of the link that reports the recording.
    report: String,
    initials: Initials,
    phonetic: Option<String>,
    pronouns: Option<String>,
    photo: Option<String>,
    sound: Option<String>,
    /// Only people of the institution may hear it.
    is_inside: bool,
    /// It is the visitor.
    is_own: bool,
}

impl Row {
    fn new(app: &App, words: Words, public: &PublicPage, one: Person) -> Self {
        let institution = public.institution.id;
        let photo = one.photo.map(|hex| {
            let link = app.links.photo(institution, &hex);
            format!("{}_128.jpg", path_of(&link).trim_end_matches(".jpg"))
        });
        let is_inside = one.sound == Sound::Inside;
        let sound = match &one.sound {
            Sound::Recording(recording) => {
                Some(format!("{}{FROM_PAGE}", path_of(&app.links.recording(institution, recording))))
            }
            Sound::Inside | Sound::None => None,
        };
        Self {
            label: words.one("badge-play", "name", &one.name),
            report: words.one("people-report-label", "name", &one.name),
            id: one.id,
            name: one.name,
            initials: one.initials,
            phonetic: one.phonetic,
            pronouns: one.pronouns,
            photo,
            sound,
            is_inside,
            is_own: one.is_own,
        }
    }
}

/// What the rows of a page have in common.
struct Rows<'a> {
    words: Words,
    /// The path of the list.
    path: &'a str,
    /// The CSRF token of the forms that ask for a recording; `None` if the visitor may not ask.
    csrf: Option<&'a str>,
    /// The query of the list: where these forms lead back to.
    back: &'a str,
    /// The path of the sign-in page; `None` for somebody who has signed in.
    sign_in: Option<&'a str>,
    /// Why somebody who has signed in cannot hear what is for people of the institution.
    only_inside: String,
    /// The path of the visitor's own entry.
    own: &'a str,
    rows: Vec<Row>,
}

#[derive(Template)]
#[template(path = "name_pages/people.html")]
struct PeoplePage<'a> {
    page: Page<'a>,
    title: String,
    public: &'a PublicPage,
    slug: &'a str,
    is_manager: bool,
    wanted: &'a Wanted,
    path: &'a str,
    list: Rows<'a>,
    letters: Vec<LetterLink>,
    /// The number of people who match.
    matching: u64,
    start: u64,
    coverage: String,
    /// The number of the page of the list.
    number: u64,
    pages: u64,
    has_people: bool,
    /// The path of this page, for a visitor who can ask for recordings only outside of the frame.
    ask_outside: Option<String>,
    done: Option<String>,
}

struct LetterLink {
    letter: String,
    address: String,
    is_current: bool,
}

impl PeoplePage<'_> {
    fn found(&self) -> String {
        self.page.words.plain("people-found", &[("count", self.matching.into())])
    }

    fn nobody_found(&self) -> String {
        self.page.words.one_html("people-found-nobody", "search", &self.wanted.search)
    }

    fn page_of(&self) -> String {
        self.page.words.plain("people-page", &[("page", self.number.into()), ("pages", self.pages.into())])
    }

    fn to_page(&self, number: u64) -> String {
        format!("{}{}", self.path, self.wanted.on_page(number).address(&[]))
    }

    fn back(&self) -> String {
        self.to_page(self.number.saturating_sub(1))
    }

    fn next(&self) -> String {
        self.to_page(self.number.saturating_add(1))
    }

    fn everybody(&self) -> String {
        self.path.to_owned()
    }

    fn unrecorded(&self) -> String {
        let unrecorded = Wanted { unrecorded: true, ..Wanted::default() };
        format!("{}{}", self.path, unrecorded.address(&[]))
    }

    fn print(&self) -> String {
        format!("{}/print{}", self.path, self.wanted.on_page(1).address(&[]))
    }

    /// The address of the recordings on this part of the list as one file, if there are any.
    fn play_all(&self) -> Option<String> {
        let has_sound = self.list.rows.iter().any(|row| row.sound.is_some());
        has_sound.then(|| format!("{}/all.mp3{}", self.path, self.wanted.address(&[])))
    }

    /// The address of other parts of the list, to which the number of people before them is appended.
    fn rows(&self) -> String {
        let query = self.wanted.on_page(1).address(&[("after", "")]);
        format!("{}/rows{query}", self.path)
    }
}

pub fn query_of(request: &Request) -> Form {
    Form::from_query(request.uri().query().unwrap_or_default())
}

/// The page plays recordings, and its script fetches more of the list. `media_of` is the origin of recordings, if it is not ours.
fn policy(media_of: Option<&str>) -> Policy<'_> {
    Policy { scripts: true, asks: true, forms: Forms::SelfOnly, media_of, ..Policy::default() }
}

pub async fn show(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let query = query_of(&request);
    let wanted = Wanted::read(&query);
    let public = &visit.public;
    let address = path_to(public, &wanted, &[]);
    let found = listening::list(&app, listener(&visit), public, &wanted.part()).await;
    match found {
        Ok(people) => shown(&app, &visit, &wanted, &address, people, query.get("done")),
        Err(error) => refused(&app, &visit, &address, &error),
    }
}

fn shown(
    app: &App,
    visit: &Visit,
    wanted: &Wanted,
    address: &str,
    people: People,
    done: Option<&str>,
) -> Response {
    let (public, page) = (&visit.public, visit.page(app, address));
    let figures = figures(page.words, &people);
    let People { people, matching, start, letters, registered, recorded, media_address } = people;
    let path = format!("{}{}", page.root, path(public));
    let (sign_in, own) = (visit.sign_in_address(app, address), own_path(app, visit));
    let (words, csrf, back) = (page.words, page.csrf.clone(), wanted.address(&[]));
    let can_ask = can_ask(app, visit);
    let letter_link = |letter: Letter| LetterLink {
        letter: letter.to_string(),
        address: format!(
            "{path}{}",
            Wanted { letter: Some(letter), unrecorded: wanted.unrecorded, ..Wanted::default() }.address(&[])
        ),
        is_current: wanted.letter == Some(letter),
    };
    let shown = PeoplePage {
        title: words.plain("people-title", &[("page", public.page.title.as_str().into())]),
        public,
        slug: &public.page.slug,
        // Nobody may frame the pages of managers.
        is_manager: visit.is_manager() && !visit.is_framed,
        wanted,
        path: &path,
        list: Rows {
            words,
            path: &path,
            csrf: can_ask.then_some(csrf.as_str()),
            back: &back,
            sign_in: listener(visit).is_none().then_some(sign_in.as_str()),
            only_inside: only_inside(words, public),
            own: &own,
            rows: people.into_iter().map(|one| Row::new(app, words, public, one)).collect(),
        },
        letters: letters.into_iter().map(letter_link).collect(),
        matching,
        start,
        has_people: registered > 0,
        ask_outside: (!can_ask && recorded < registered && listening::takes_requests(app, public))
            .then(|| format!("{path}{back}")),
        coverage: figures,
        number: wanted.page,
        pages: Window::new(1, PART).pages(matching).max(1),
        done: match done {
            Some("asked") => Some(words.text("people-asked")),
            Some("reported") => Some(words.text("people-reported")),
            _ => None,
        },
        page,
    };
    let media_of = media_address.as_deref().and_then(origin_of);
    visit.show_framed(app, StatusCode::OK, &shown, policy(media_of.as_deref()))
}

/// How many people have recorded their names, of how many.
fn figures(words: Words, people: &People) -> String {
    let figures = [("recorded", people.recorded.into()), ("registered", people.registered.into())];
    words.plain("people-coverage", &figures)
}

#[derive(Template)]
#[template(path = "name_pages/people_rows.html")]
struct RowsPart<'a> {
    list: Rows<'a>,
}

/// A part of the list for the script of the page.
pub async fn rows(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let query = query_of(&request);
    let wanted = Wanted { page: 1, ..Wanted::read(&query) };
    let start = query.get("after").and_then(|after| after.parse().ok()).unwrap_or(0);
    let (public, address) = (&visit.public, path_to(&visit.public, &wanted, &[]));
    let part = Query { start, ..wanted.part() };
    let people = match listening::list(&app, listener(&visit), public, &part).await {
        Ok(found) => found.people,
        Err(error) => return refused(&app, &visit, &address, &error),
    };
    let page = visit.page(&app, &address);
    let path = format!("{}{}", page.root, path(public));
    let (sign_in, back, words) = (visit.sign_in_address(&app, &address), wanted.address(&[]), page.words);
    let own = own_path(&app, &visit);
    // Only scripts ask for rows, and old browsers do not say so.
    let has_cookies = visit.who.is_some() || visit.visitor.has_cookie;
    let list = Rows {
        words,
        path: &path,
        csrf: (has_cookies && can_ask(&app, &visit)).then_some(page.csrf.as_str()),
        back: &back,
        sign_in: listener(&visit).is_none().then_some(sign_in.as_str()),
        only_inside: only_inside(words, public),
        own: &own,
        rows: people.into_iter().map(|one| Row::new(&app, words, public, one)).collect(),
    };
    page::private(StatusCode::OK, &RowsPart { list }, Policy::default(), Microphone::Unused)
}

#[derive(Template)]
#[template(path = "name_pages/people_print.html")]
struct PrintPage<'a> {
    page: Page<'a>,
    title: String,
    public: &'a PublicPage,
    list: &'a str,
    rows: Vec<Row>,
    coverage: String,
    number: u64,
    pages: u64,
    back: String,
    next: String,
    has_pronouns: bool,
}

impl PrintPage<'_> {
    fn page_of(&self) -> String {
        self.page.words.plain("people-page", &[("page", self.number.into()), ("pages", self.pages.into())])
    }
}

/// A table to print.
pub async fn print(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let wanted = Wanted::read(&query_of(&request));
    let public = &visit.public;
    let address = format!("{}/print{}", path(public), wanted.address(&[]));
    let found = match listening::list(&app, listener(&visit), public, &wanted.query(PRINTED)).await {
        Ok(found) => found,
        Err(error) => return refused(&app, &visit, &address, &error),
    };
    let page = visit.page(&app, &address);
    let (words, path) = (page.words, format!("{}{}", page.root, path(public)));
    let list = format!("{path}{}", wanted.on_page(1).address(&[]));
    let to = |number| format!("{path}/print{}", wanted.on_page(number).address(&[]));
    let coverage = figures(words, &found);
    let rows: Vec<Row> = found.people.into_iter().map(|one| Row::new(&app, words, public, one)).collect();
    let shown = PrintPage {
        title: words.plain("people-title", &[("page", public.page.title.as_str().into())]),
        public,
        list: &list,
        has_pronouns: rows.iter().any(|row| row.pronouns.is_some()),
        rows,
        coverage,
        number: wanted.page,
        pages: Window::new(1, PRINTED).pages(found.matching).max(1),
        back: to(wanted.page.saturating_sub(1)),
        next: to(wanted.page.saturating_add(1)),
        page,
    };
    visit.show_framed(&app, StatusCode::OK, &shown, policy(None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_is_shown() {
        let read = |query: &str| Wanted::read(&Form::from_query(query)).address(&[]);
        for (query, wanted) in [
            ("", ""),
            ("page=1", ""),
            ("page=0", ""),
            ("page=-3&page=2", ""),
            ("q=+++", ""),
            ("q=n%C3%AD+%26&show=unrecorded&page=3", "?q=n%C3%AD+%26&show=unrecorded&page=3"),
            ("letter=%C3%A9", "?letter=E"),
            ("letter=%23", "?letter=%23"),
            ("letter=%21&show=all&evil=1", ""),
        ] {
            assert_eq!(read(query), wanted, "{query}");
        }
        assert_eq!(read(&format!("q={}", "a".repeat(5_000))).len(), "?q=".len() + LONGEST_SEARCH);
    }
}

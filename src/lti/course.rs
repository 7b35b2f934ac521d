//! The course page for staff: names and pronunciations.

use std::collections::HashMap;

use askama::Template;
use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{
    cookie, launch,
    pages::{self, Parts, written},
    session::{self, SubmittedForm, Visit},
    words,
};
use crate::{
    app::{
        App, Error, directory_holds,
        lti::{
            Fault, Refusal,
            sessions::{self, Open, SessionTarget},
        },
        people::{self, PeoplePage, Query},
    },
    blobs::Shelf,
    domain::{
        course::{Course, Sync},
        email::email_key,
        ids::InstitutionId,
        initials::Initials,
        participant::Participant,
        play::FROM_LTI,
    },
    http::{
        form::Form,
        html::{origin_of, path_of},
        page,
        path::Path,
        policy::Forms,
        ranges,
    },
    words::Words,
};

#[derive(Template)]
#[template(path = "lti/course.html")]
struct Page<'a> {
    parts: Parts<'a>,
    page: page::Page<'a>,
    course: &'a Course,
    title: String,
    /// The synchronization status, as HTML.
    sync: String,
    is_running: bool,
    can_synchronize: bool,
    /// The first synchronization has not finished, so the list is empty.
    is_first: bool,
    crowd: &'a PeoplePage,
    people: Vec<Entry>,
    staff: Vec<Entry>,
    /// The user may add their own entry.
    may_add_own: bool,
    /// The user has their own entry.
    has_own: bool,
    wanted: &'a Query,
}

struct Entry {
    name: String,
    /// The name of the button that plays the recording.
    label: String,
    phonetic: Option<String>,
    initials: Initials,
    photo: Option<String>,
    sound: Option<String>,
    is_own: bool,
}

impl Entry {
    fn of(
        app: &App,
        words: Words,
        institution: InstitutionId,
        person: &Participant,
        elsewhere: &HashMap<String, String>,
    ) -> Self {
        let same_person = || elsewhere.get(&email_key(person.email.as_deref()?));
        let photo =
            person.photo.as_ref().filter(|_| !person.directory_hold).or_else(same_person).map(|hex| {
                let link = app.links.photo(institution, hex);
                format!("{}_128.jpg", path_of(&link).trim_end_matches(".jpg"))
            });
        let sound = person.recording.as_ref().map(|recording| match person.directory_hold {
            // Its link is dead. Only the session of a teacher plays it.
            true => format!("recordings/{}", recording.hex),
            false => format!("{}{FROM_LTI}", path_of(&app.links.recording(institution, recording))),
        });
        let name = person.full_name();
        Self {
            label: words.one("badge-play", "name", &name),
            name,
            phonetic: person.phonetic.clone(),
            initials: Initials::of(&person.first_name, &person.last_name),
            photo,
            sound,
            is_own: false,
        }
    }
}

impl Page<'_> {
    fn nobody_found(&self) -> String {
        self.page.words.one_html("lti-found-nobody", "search", &self.wanted.search)
    }

    fn found(&self) -> String {
        self.page.words.plain("lti-found", &[("count", self.crowd.matching.into())])
    }

    fn page_of(&self) -> String {
        let PeoplePage { page, pages, .. } = self.crowd;
        self.page.words.plain("lti-page", &[("page", page.into()), ("pages", pages.into())])
    }

    fn here(&self) -> String {
        link(self.wanted, self.wanted.unrecorded, self.crowd.page)
    }

    fn back(&self) -> String {
        link(self.wanted, self.wanted.unrecorded, self.crowd.page - 1)
    }

    fn next(&self) -> String {
        link(self.wanted, self.wanted.unrecorded, self.crowd.page + 1)
    }

    fn everybody(&self) -> String {
        link(self.wanted, false, 1)
    }

    fn unrecorded(&self) -> String {
        link(self.wanted, true, 1)
    }
}

/// A link to this page with another filter or page number.
fn link(wanted: &Query, unrecorded: bool, page: u64) -> String {
    let mut query = String::from("?");
    if !wanted.search.is_empty() {
        query.push_str(&format!("q={}&", utf8_percent_encode(&wanted.search, NON_ALPHANUMERIC)));
    }
    if unrecorded {
        query.push_str("show=unrecorded&");
    }
    if page > 1 {
        query.push_str(&format!("page={page}&"));
    }
    query.pop();
    // An empty link would keep the current query.
    if query.is_empty() { "./".to_owned() } else { query }
}

pub async fn show(app: &App, open: &Open, course: &Course, form: &Form) -> Response {
    let wanted = Query {
        search: form.get("q").unwrap_or_default().trim().chars().take(200).collect(),
        unrecorded: form.get("show") == Some("unrecorded"),
        page: form.get("page").and_then(|page| page.parse().ok()).unwrap_or(1),
    };
    let crowd = match sessions::people(app, open, course, &wanted).await {
        Ok(crowd) => crowd,
        Err(fault) => return pages::fault_in(app, open, fault),
    };
    let everybody: Vec<&Participant> = crowd.people.iter().chain(&crowd.apart).collect();
    let elsewhere = match people::photos(app, open.institution.id, &everybody).await {
        Ok(photos) => photos,
        Err(fault) => return pages::fault_in(app, open, fault),
    };
    let media_of = match people::media_address(app, open.institution.id, &everybody, &elsewhere).await {
        Ok(address) => address.as_deref().and_then(origin_of),
        Err(fault) => return pages::fault_in(app, open, fault),
    };
    let is_running = course.sync == Sync::Running;
    let words = pages::words(open);
    let entry = |one: &Participant| Entry::of(app, words, open.institution.id, one, &elsewhere);
    let own = open.own().map(|(_, own)| own.participant);
    let staff = crowd.apart.iter().map(|one| Entry { is_own: own == Some(one.id), ..entry(one) });
    let here = link(&wanted, wanted.unrecorded, crowd.page);
    let path = pages::path(open, here.trim_start_matches("./"));
    let page = Page {
        parts: Parts::in_session(app, open),
        page: page::Page::new(&app.links, pages::language(open), &path),
        course,
        title: words.plain("lti-course-title", &[("course", course.title.as_str().into())]),
        sync: words::synchronization(words, &open.institution.time_zone, course),
        is_running,
        can_synchronize: open.can_synchronize(course),
        is_first: is_running && course.synced_at.is_none(),
        people: crowd.people.iter().map(entry).collect(),
        staff: staff.collect(),
        may_add_own: open.may_add_own_entry(),
        has_own: own.is_some(),
        crowd: &crowd,
        wanted: &wanted,
    };
    written(StatusCode::OK, &page, &open.frames(), Forms::SelfOnly, media_of.as_deref())
}

/// The recording of somebody with a directory hold, for a teacher of the course.
pub async fn audio(
    State(app): State<App>,
    Path((name, hex)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let open = match session::visit(&app, name, &headers).await {
        Ok(Visit { open, .. }) => open,
        Err(refusal) => return refusal,
    };
    let SessionTarget::Course { course, .. } = &open.what else {
        return pages::fault_in(&app, &open, Refusal::NoSession);
    };
    match directory_holds::of_page(&app, open.institution.id, course.name_page, &hex).await {
        Ok(sound) => ranges::private(&headers, Shelf::Recordings.content_type(), &sound),
        Err(Error::Missing(_)) => {
            let mut response = Response::new("".into());
            *response.status_mut() = StatusCode::NOT_FOUND;
            response
        }
        Err(error) => pages::fault_in(&app, &open, error),
    }
}

/// Polled by a page that waits for a synchronization. The response changes when it ends, whether it succeeded or failed.
pub async fn state(State(app): State<App>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    let (status, said) = match sessions::find(&app, &name, &cookie::read(&headers)).await {
        Ok(open) => match &open.what {
            SessionTarget::Course { course, .. } => {
                (StatusCode::OK, serde_json::json!({ "running": course.sync == Sync::Running }))
            }
            SessionTarget::Own { .. } | SessionTarget::DeepLink(_) => {
                (StatusCode::FORBIDDEN, serde_json::json!({}))
            }
        },
        Err(Fault::Refused { .. }) => (StatusCode::FORBIDDEN, serde_json::json!({})),
        Err(Fault::Trouble { error, .. }) => {
            tracing::error!(%error, "LTI: reading the state of a course failed");
            (StatusCode::SERVICE_UNAVAILABLE, serde_json::json!({}))
        }
    };
    let mut response = Response::new(said.to_string().into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

pub async fn synchronize(State(app): State<App>, SubmittedForm { visit, .. }: SubmittedForm) -> Response {
    let Visit { name, open } = visit;
    let SessionTarget::Course { course, .. } = &open.what else {
        return pages::fault_in(&app, &open, Refusal::NoSession);
    };
    match sessions::synchronize(&app, &open, course).await {
        Ok(()) => launch::to_session(&app, &name, ""),
        Err(fault) => pages::fault_in(&app, &open, fault),
    }
}

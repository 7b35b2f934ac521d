//! A course as its staff sees it: everybody's name, and how it is said.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{
    form::Form,
    launch,
    pages::{self, Parts, written},
    session,
};
use crate::{
    app::{
        App,
        lti::{
            Refusal,
            sessions::{self, Crowd, Open, Wanted, What},
        },
    },
    domain::{
        course::{Course, Sync},
        moment::Moment,
        participant::Participant,
    },
    web::{
        badge::initials,
        page::{Forms, Path, origin_of, path_of},
    },
};

#[derive(Template)]
#[template(path = "lti/course.html")]
struct Page<'a> {
    parts: Parts<'a>,
    course: &'a Course,
    sync: String,
    is_running: bool,
    can_synchronise: bool,
    /// Nobody can be here yet.
    is_first: bool,
    crowd: &'a Crowd,
    people: Vec<Entry>,
    wanted: &'a Wanted,
}

struct Entry {
    name: String,
    phonetic: Option<String>,
    initials: String,
    photo: Option<String>,
    sound: Option<String>,
}

impl Entry {
    /// Isolated, because a name may run from right to left in a sentence that does not.
    fn label(&self) -> String {
        format!("Play the name of \u{2068}{}\u{2069}", self.name)
    }

    fn of(app: &App, institution: i64, person: &Participant) -> Self {
        let photo = person.photo.as_ref().map(|hex| {
            let link = app.links.photo(institution, hex);
            format!("{}_128.jpg", path_of(&link).trim_end_matches(".jpg"))
        });
        let sound = person
            .recording
            .as_ref()
            .map(|recording| path_of(&app.links.recording(institution, recording)).to_owned());
        Self {
            name: person.full_name(),
            phonetic: person.phonetic.clone(),
            initials: initials(person),
            photo,
            sound,
        }
    }
}

impl Page<'_> {
    fn here(&self) -> String {
        self.link(self.wanted.unrecorded, self.crowd.page)
    }

    fn back(&self) -> String {
        self.link(self.wanted.unrecorded, self.crowd.page - 1)
    }

    fn next(&self) -> String {
        self.link(self.wanted.unrecorded, self.crowd.page + 1)
    }

    fn everybody(&self) -> String {
        self.link(false, 1)
    }

    fn unrecorded(&self) -> String {
        self.link(true, 1)
    }

    /// The same page with another part of the people.
    fn link(&self, unrecorded: bool, page: u64) -> String {
        let mut query = String::from("?");
        if !self.wanted.search.is_empty() {
            query.push_str(&format!("q={}&", utf8_percent_encode(&self.wanted.search, NON_ALPHANUMERIC)));
        }
        if unrecorded {
            query.push_str("show=unrecorded&");
        }
        if page > 1 {
            query.push_str(&format!("page={page}&"));
        }
        query.pop();
        // Nothing at all would be the page as it is now.
        if query.is_empty() { "./".to_owned() } else { query }
    }
}

pub async fn show(app: &App, open: &Open, course: &Course, form: &Form) -> Response {
    let wanted = Wanted {
        search: form.get("q").unwrap_or_default().trim().chars().take(200).collect(),
        unrecorded: form.get("show") == Some("unrecorded"),
        page: form.get("page").and_then(|page| page.parse().ok()).unwrap_or(1),
    };
    let crowd = match sessions::people(app, open, course, &wanted).await {
        Ok(crowd) => crowd,
        Err(fault) => return pages::fault_in(app, open, fault),
    };
    let media_of = match sessions::elsewhere(app, open, &crowd.people).await {
        Ok(address) => address.as_deref().and_then(origin_of),
        Err(fault) => return pages::fault_in(app, open, fault),
    };
    let is_running = course.sync == Sync::Running;
    let page = Page {
        parts: Parts::of(app),
        course,
        sync: told(open, course),
        is_running,
        can_synchronise: open.can_synchronise(course),
        is_first: is_running && course.synced_at.is_none(),
        people: crowd.people.iter().map(|one| Entry::of(app, open.institution.id, one)).collect(),
        crowd: &crowd,
        wanted: &wanted,
    };
    written(StatusCode::OK, &page, &open.frames(), Forms::Here, media_of.as_deref())
}

/// How the list and the learning system stand to one another.
fn told(open: &Open, course: &Course) -> String {
    let last = course.synced_at.map(|at| shown(open, at));
    let system = "your learning system";
    match (course.sync, &course.error, last) {
        (Sync::Running, _, None) => format!("The list is being fetched from {system}."),
        (Sync::Running, _, Some(at)) => format!("Being synchronised now. The list is as of {at}."),
        (_, Some(error), None) => format!("The list could not be fetched: {error}."),
        (_, Some(error), Some(at)) => {
            format!("The list is as of {at}. The last attempt to synchronise it did not work: {error}.")
        }
        (_, None, Some(at)) => format!("Synchronised with {system} on {at}."),
        (_, None, None) => format!("Not synchronised with {system} yet."),
    }
}

fn shown(open: &Open, at: Moment) -> String {
    let at = jiff::Timestamp::from_microsecond(at.micros()).unwrap_or_default();
    at.to_zoned(open.institution.time_zone.clone()).strftime("%-d %B %Y, %H:%M").to_string()
}

pub async fn synchronise(State(app): State<App>, Path(name): Path<String>, request: Request) -> Response {
    let open = match session::of_form(&app, &name, request.headers()).await {
        Ok(open) => open,
        Err(response) => return response,
    };
    let What::Course(course) = &open.what else { return pages::fault_in(&app, &open, Refusal::NoSession) };
    match sessions::synchronise(&app, &open, course).await {
        Ok(()) => launch::to_session(&app, &name, ""),
        Err(fault) => pages::fault_in(&app, &open, fault),
    }
}

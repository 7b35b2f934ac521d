//! A course as its staff sees it: everybody's name, and how it is said.

use std::collections::HashMap;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{
    cookie, launch,
    pages::{self, Parts, written},
    session,
};
use crate::{
    app::{
        App,
        lti::{
            Fault, Refusal,
            sessions::{self, Crowd, Open, Wanted, What},
        },
    },
    domain::{
        course::{Course, Sync},
        email::email_key,
        ids::InstitutionId,
        initials::Initials,
        moment::Moment,
        participant::Participant,
    },
    http::{
        form::Form,
        html::{origin_of, path_of},
        path::Path,
        policy::Forms,
    },
};

#[derive(Template)]
#[template(path = "lti/course.html")]
struct Page<'a> {
    parts: Parts<'a>,
    course: &'a Course,
    sync: Told,
    is_running: bool,
    can_synchronise: bool,
    /// Nobody can be here yet.
    is_first: bool,
    crowd: &'a Crowd,
    people: Vec<Entry>,
    staff: Vec<Entry>,
    /// They may add an entry of their own.
    may_add_own: bool,
    /// They have one.
    has_own: bool,
    wanted: &'a Wanted,
}

struct Entry {
    name: String,
    phonetic: Option<String>,
    initials: Initials,
    photo: Option<String>,
    sound: Option<String>,
    is_own: bool,
}

/// A sentence with a time in it.
struct Told {
    before: String,
    at: Option<Time>,
    after: String,
}

struct Time {
    /// For programs.
    exact: String,
    shown: String,
}

impl Entry {
    /// Isolated, because a name may run from right to left in a sentence that does not.
    fn label(&self) -> String {
        format!("Play the name of \u{2068}{}\u{2069}", self.name)
    }

    fn of(
        app: &App,
        institution: InstitutionId,
        person: &Participant,
        elsewhere: &HashMap<String, String>,
    ) -> Self {
        let same_person = || elsewhere.get(&email_key(person.email.as_deref()?));
        let photo = person.photo.as_ref().or_else(same_person).map(|hex| {
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
            initials: Initials::of(&person.first_name, &person.last_name),
            photo,
            sound,
            is_own: false,
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
    let everybody: Vec<&Participant> = crowd.people.iter().chain(&crowd.staff).collect();
    let elsewhere = match sessions::photos(app, open, &everybody).await {
        Ok(photos) => photos,
        Err(fault) => return pages::fault_in(app, open, fault),
    };
    let media_of = match sessions::elsewhere(app, open, &everybody, &elsewhere).await {
        Ok(address) => address.as_deref().and_then(origin_of),
        Err(fault) => return pages::fault_in(app, open, fault),
    };
    let is_running = course.sync == Sync::Running;
    let entry = |one: &Participant| Entry::of(app, open.institution.id, one, &elsewhere);
    let own = open.own().map(|(_, own)| own);
    let staff = crowd.staff.iter().map(|one| Entry { is_own: own == Some(one.id), ..entry(one) });
    let page = Page {
        parts: Parts::in_session(app, open),
        course,
        sync: told(open, course),
        is_running,
        can_synchronise: open.can_synchronise(course),
        is_first: is_running && course.synced_at.is_none(),
        people: crowd.people.iter().map(entry).collect(),
        staff: staff.collect(),
        may_add_own: open.may_add_own_entry(),
        has_own: own.is_some(),
        crowd: &crowd,
        wanted: &wanted,
    };
    written(StatusCode::OK, &page, &open.frames(), Forms::Here, media_of.as_deref())
}

/// How the list and the learning system stand to one another.
fn told(open: &Open, course: &Course) -> Told {
    let at = course.synced_at.map(|at| shown(&open.institution.time_zone, at));
    let system = "your learning system";
    let (before, after) = match (course.sync, &course.error, &at) {
        (Sync::Running, _, None) => (format!("The list is being fetched from {system}."), String::new()),
        (Sync::Running, _, Some(_)) => {
            ("Being synchronized now. The list is as of ".to_owned(), ".".to_owned())
        }
        (_, Some(error), None) => (format!("The list could not be fetched: {error}."), String::new()),
        (_, Some(error), Some(_)) => {
            let after = format!(". The last attempt to synchronize it did not work: {error}.");
            ("The list is as of ".to_owned(), after)
        }
        (_, None, Some(_)) => (format!("Synchronized with {system} on "), ".".to_owned()),
        (_, None, None) => (format!("Not synchronized with {system} yet."), String::new()),
    };
    Told { before, at, after }
}

/// In the institution's time zone, and with its name: whoever reads it may be elsewhere.
fn shown(zone: &jiff::tz::TimeZone, at: Moment) -> Time {
    let at = jiff::Timestamp::from_microsecond(at.micros()).unwrap_or_default().to_zoned(zone.clone());
    let abbreviation = at.strftime("%Z").to_string();
    // Many zones have no letters, but an offset.
    let has_letters = abbreviation.chars().all(|letter| letter.is_ascii_alphabetic());
    let zone = if has_letters { abbreviation } else { at.strftime("UTC%:z").to_string() };
    Time {
        exact: at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        shown: format!("{} {zone}", at.strftime("%-d %B %Y, %H:%M")),
    }
}

/// What a page that waits for the end of a synchronization asks for. It changes when that has ended, however it did.
pub async fn state(State(app): State<App>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    let (status, said) = match sessions::find(&app, &name, &cookie::read(&headers)).await {
        Ok(open) => match &open.what {
            What::Course { course, .. } => {
                (StatusCode::OK, serde_json::json!({ "running": course.sync == Sync::Running }))
            }
            What::Own { .. } | What::DeepLink(_) => (StatusCode::FORBIDDEN, serde_json::json!({})),
        },
        Err(Fault::Refused { .. }) => (StatusCode::FORBIDDEN, serde_json::json!({})),
        Err(Fault::Trouble { error, .. }) => {
            tracing::error!(%error, "LTI: the state of a course cannot be told");
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

pub async fn synchronise(State(app): State<App>, Path(name): Path<String>, request: Request) -> Response {
    let open = match session::of_form(&app, &name, request.headers()).await {
        Ok(open) => open,
        Err(response) => return response,
    };
    let What::Course { course, .. } = &open.what else {
        return pages::fault_in(&app, &open, Refusal::NoSession);
    };
    match sessions::synchronise(&app, &open, course).await {
        Ok(()) => launch::to_session(&app, &name, ""),
        Err(fault) => pages::fault_in(&app, &open, fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_zone() {
        let at = Moment::from_micros(1_794_000_000_000_000);
        for (zone, shown_as, exact) in [
            ("Europe/Vienna", "6 November 2026, 22:20 CET", "2026-11-06T22:20:00+01:00"),
            ("America/Sao_Paulo", "6 November 2026, 18:20 UTC-03:00", "2026-11-06T18:20:00-03:00"),
            ("Asia/Kathmandu", "7 November 2026, 03:05 UTC+05:45", "2026-11-07T03:05:00+05:45"),
            ("UTC", "6 November 2026, 21:20 UTC", "2026-11-06T21:20:00+00:00"),
        ] {
            let time = shown(&jiff::tz::TimeZone::get(zone).unwrap(), at);
            assert_eq!((time.shown.as_str(), time.exact.as_str()), (shown_as, exact), "{zone}");
        }
    }
}

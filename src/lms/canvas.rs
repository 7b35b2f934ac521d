//! Canvas, through its REST API. `docs/adr/0013` describes the requests.

use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use reqwest::{StatusCode, Url, header};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    CheckReport, Error, Found, Others, Result, SAMPLED_COURSES, SAMPLED_PEOPLE, Sample,
    pages::{People, Trail, empty, id, non_empty, shown},
    photos,
};
use crate::{
    domain::roster::{Member, Role, Roster},
    outbound::{Answer, Outbound, Request, Retries, place},
};

/// Makes Canvas send ids as strings, so that large ones keep every digit.
const JSON: &str = "application/json+canvas-string-ids, application/json";

const PER_PAGE: usize = 100;
const WRONG_URL: &str = "there is no Canvas API at this address: --url must be Canvas's root";

pub(super) struct Canvas<'a> {
    pub outbound: &'a Outbound,
    pub url: &'a str,
    pub token: &'a str,
}

#[derive(Deserialize)]
struct Course {
    id: Value,
    name: Option<String>,
    course_code: Option<String>,
    #[serde(default)]
    access_restricted_by_date: bool,
}

#[derive(Deserialize)]
struct User {
    id: Value,
    name: Option<String>,
    sortable_name: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
    email: Option<String>,
    sis_user_id: Option<Value>,
    avatar_url: Option<String>,
    #[serde(default)]
    enrollments: Vec<Enrollment>,
}

#[derive(Deserialize)]
struct Enrollment {
    r#type: Option<String>,
    enrollment_state: Option<String>,
}

impl Canvas<'_> {
    pub(super) async fn find(&self, given: &str) -> Result<Option<Found>> {
        if !is_course_id(given) {
            return Ok(None);
        }
        self.course(given, Retries::Few).await
    }

    async fn course(&self, given: &str, retries: Retries) -> Result<Option<Found>> {
        let course: Course = match self.ask(self.address(&["courses", given])?, retries).await {
            Err(Error::Missing) => return Ok(None),
            other => other?.0,
        };
        if course.access_restricted_by_date {
            return Err(Error::Denied("Canvas does not show us this course outside of its dates".to_owned()));
        }
        let canonical = id(&course.id).ok_or_else(|| nonsense("a course without an id"))?;
        let title = non_empty(course.name.as_deref()).or_else(|| non_empty(course.course_code.as_deref()));
        let title = title.unwrap_or_else(|| canonical.clone());
        Ok(Some(Found { id: canonical, title, memberships_url: None }))
    }

    pub(super) async fn roster(&self, course: &Found, roles: &[Role]) -> Result<Roster> {
        let now = self.course(&course.id, Retries::Many).await?.ok_or(Error::Missing)?;
        let mut page = self.users(&now.id, PER_PAGE, roles)?;
        let (mut trail, mut people) = (Trail::from(&page), People::default());
        loop {
            let (users, answer): (Vec<User>, Answer) = match self.ask(page, Retries::Many).await {
                Err(Error::Missing) if trail.is_under_way() => {
                    return Err(nonsense("that a page of a roster is not there"));
                }
                other => other?,
            };
            let next = trail.next(&answer)?;
            for user in users.into_iter().filter(|user| user.is_one_of(roles)) {
                people.add(self.member(user)?)?;
            }
            match next {
                Some(next) => page = next,
                None => {
                    let members = people.all();
                    let note = if members.is_empty() { self.nobody(&now.id, roles).await } else { None };
                    return Ok(Roster { title: Some(now.title), members, note });
                }
            }
        }
    }

    /// Says who is in a course that has nobody with one of these roles. The roster is read without it.
    async fn nobody(&self, course: &str, roles: &[Role]) -> Option<String> {
        let first = self.users(course, SAMPLED_PEOPLE, &Role::ALL).ok()?;
        let (users, _): (Vec<User>, Answer) = self.ask(first, Retries::Few).await.ok()?;
        let mut others = Others::default();
        for user in &users {
            others.add(Role::ALL.into_iter().filter(|role| user.is_one_of(&[*role])));
        }
        others.note(roles, "let the user of the access token see the list of users in the course")
    }

    fn users(&self, course: &str, many: usize, roles: &[Role]) -> Result<Url> {
        let mut page = self.address(&["courses", course, "users"])?;
        page.query_pairs_mut()
            .append_pair("per_page", &many.to_string())
            .extend_pairs([("include[]", "email"), ("include[]", "avatar_url")])
            .append_pair("include[]", "enrollments")
            .extend_pairs(roles.iter().map(|role| ("enrollment_type[]", kind(*role).0)))
            .append_pair("enrollment_state[]", "active");
        Ok(page)
    }

    fn member(&self, user: User) -> Result<Member> {
        let user_id = id(&user.id).ok_or_else(|| nonsense("somebody without an id"))?;
        let (first_name, last_name) = user.names();
        Ok(Member {
            user_id,
            first_name,
            last_name,
            email: non_empty(user.email.as_deref()),
            identifier: user.sis_user_id.as_ref().and_then(id),
            photo_url: non_empty(user.avatar_url.as_deref()).filter(|url| photos::is_real(url)),
        })
    }

    /// Canvas serves pictures without authentication, so we send no token.
    pub(super) async fn photo(&self, url: &str) -> Result<Option<Bytes>> {
        let root = self.outbound.address(self.url)?;
        match photos::within(&root, url) {
            Some(url) => photos::fetch(self.outbound, url).await,
            None => Ok(None),
        }
    }

    /// Samples a known course, or else one of the listed courses.
    pub(super) async fn check(
        &self,
        known: &[Found],
        roles: &[Role],
        accepted: &AtomicBool,
    ) -> Result<CheckReport> {
        #[derive(Deserialize)]
        struct CurrentUser {
            name: Option<String>,
        }
        let myself = match self.ask::<CurrentUser>(self.address(&["users", "self"])?, Retries::Few).await {
            Ok((myself, _)) => Some(non_empty(myself.name.as_deref()).unwrap_or_default()),
            Err(Error::Missing) => None,
            Err(other) => return Err(other),
        };
        accepted.store(myself.is_some(), Ordering::Relaxed);
        let reached = match &myself {
            Some(name) => format!("reached Canvas as \"{}\"", shown(name)),
            None => "reached Canvas".to_owned(),
        };
        let mut nobody = None;
        let known = known.iter().map(|course| (course.id.clone(), course.title.clone())).collect();
        if let Some(sample) = self.sample(known, roles, &mut nobody).await? {
            return Ok(CheckReport::new(&reached, sample));
        }
        let mut courses = self.address(&["courses"])?;
        courses.query_pairs_mut().append_pair("per_page", &SAMPLED_COURSES.to_string());
        let listed = match self.ask::<Vec<Course>>(courses, Retries::Few).await {
            Err(Error::Missing) if myself.is_none() && nobody.is_none() => {
                return Err(Error::Unavailable(WRONG_URL.to_owned()));
            }
            Err(Error::Missing) => Vec::new(),
            listed => listed?.0,
        };
        accepted.store(true, Ordering::Relaxed);
        let listed = listed.iter().filter_map(|course| {
            let id = id(&course.id)?;
            let title = non_empty(course.name.as_deref()).unwrap_or_else(|| id.clone());
            Some((id, title))
        });
        let sample = self.sample(listed.collect(), roles, &mut nobody).await?;
        let none = "none is known here yet, and Canvas lists none of theirs, which an administrator's token need not";
        let without =
            || nobody.map_or_else(|| Sample::None(none.to_owned()), |title| Sample::Nobody(title, None));
        Ok(CheckReport::new(&reached, sample.unwrap_or_else(without)))
    }

    /// Returns the first of these courses that has members. Remembers one that has none, and skips missing ones.
    async fn sample(
        &self,
        courses: Vec<(String, String)>,
        roles: &[Role],
        nobody: &mut Option<String>,
    ) -> Result<Option<Sample>> {
        for (id, title) in courses {
            let title = shown(&title);
            let users =
                match self.ask::<Vec<User>>(self.users(&id, SAMPLED_PEOPLE, roles)?, Retries::Few).await {
                    Err(Error::Missing) => continue,
                    Err(other) => return Err(other.in_course(&title)),
                    Ok((users, _)) => users,
                };
            let users = users.into_iter().filter(|user| user.is_one_of(roles));
            let members = users.map(|user| self.member(user)).collect::<Result<Vec<_>>>()?;
            if !members.is_empty() {
                return Ok(Some(Sample::People(title, members)));
            }
            nobody.get_or_insert(title);
        }
        Ok(None)
    }

    /// Percent-encodes each segment, so that a slash in one does not change the path.
    fn address(&self, parts: &[&str]) -> Result<Url> {
        let mut url = self.outbound.address(self.url)?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["api", "v1"]).extend(parts);
        }
        url.set_query(None);
        Ok(url)
    }

    /// Returns the parsed body, and the response for its headers.
    async fn ask<T: DeserializeOwned>(&self, url: Url, retries: Retries) -> Result<(T, Answer)> {
        let ask = Request::get(url).bearer(self.token).accept(JSON);
        self.outbound.send_retrying(retries, ask, read).await
    }
}

/// A 403 or 404 with an HTML page is not a refusal: it comes from a proxy in front of Canvas and may be temporary.
fn read<T: DeserializeOwned>(answer: Answer) -> Result<(T, Answer)> {
    match answer.status {
        status if status.is_success() => {
            let value = serde_json::from_slice(&answer.body);
            Ok((value.map_err(|_| nonsense("something that cannot be read"))?, answer))
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN if !answer.is_page() => {
            let is_dead = answer.status == StatusCode::UNAUTHORIZED
                && answer.headers.contains_key(header::WWW_AUTHENTICATE);
            let why = if is_dead {
                "Canvas does not accept the access token: it has expired or was deleted"
            } else {
                "Canvas accepts the access token but does not let its user see this"
            };
            Err(Error::Denied(why.to_owned()))
        }
        StatusCode::NOT_FOUND if !answer.is_page() => Err(Error::Missing),
        StatusCode::NOT_FOUND => Err(Error::Unavailable(WRONG_URL.to_owned())),
        status if status.is_redirection() => {
            let why = format!("{} sends us elsewhere, where we do not follow", place(&answer.url));
            Err(Error::Unavailable(why))
        }
        status => Err(Error::Unavailable(format!("{} answers {}", place(&answer.url), status.as_u16()))),
    }
}

impl User {
    /// "Last, First" is the only form that Canvas always has. If it sends a name at all, a part that is missing is empty.
    fn names(&self) -> (Option<String>, Option<String>) {
        let whole = |first: Option<String>, last: Option<String>| {
            let is_told = first.is_some() || last.is_some();
            is_told.then(|| (first.or_else(empty), last.or_else(empty)))
        };
        let comma = self.sortable_name.as_deref().and_then(|name| name.split_once(','));
        let sorted = comma.and_then(|(last, first)| whole(non_empty(Some(first)), non_empty(Some(last))));
        let parts = || whole(non_empty(self.first_name.as_deref()), non_empty(self.last_name.as_deref()));
        let name = || non_empty(self.name.as_deref()).or_else(|| non_empty(self.sortable_name.as_deref()));
        sorted.or_else(parts).or_else(|| whole(name(), None)).unwrap_or_default()
    }

    /// The request already filters by role. If Canvas shows enrollments, they must agree.
    fn is_one_of(&self, roles: &[Role]) -> bool {
        let enrolled =
            self.enrollments.iter().filter_map(|one| one.r#type.as_deref().map(|kind| (kind, one)));
        let mut enrolled = enrolled.peekable();
        let is_wanted = |(word, one): (&str, &Enrollment)| {
            let active = one.enrollment_state.as_deref().is_none_or(|state| state == "active");
            active && roles.iter().any(|role| kind(*role).1 == word)
        };
        enrolled.peek().is_none() || enrolled.any(is_wanted)
    }
}

/// The role as a query parameter, and as an enrollment type.
const fn kind(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Student => ("student", "StudentEnrollment"),
        Role::Teacher => ("teacher", "TeacherEnrollment"),
        Role::Assistant => ("ta", "TaEnrollment"),
        Role::Designer => ("designer", "DesignerEnrollment"),
        Role::Observer => ("observer", "ObserverEnrollment"),
    }
}

/// A number, a number with a shard prefix, or an external id with its prefix. Anything else could address another path.
fn is_course_id(given: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((kind, rest)) = given.split_once(':') {
        let kinds = ["sis_course_id", "sis_integration_id", "lti_context_id", "uuid", "hex"];
        return kinds.contains(&kind) && !rest.is_empty();
    }
    is_number(given) || given.split_once('~').is_some_and(|(shard, rest)| is_number(shard) && is_number(rest))
}

fn nonsense(what: &str) -> Error {
    Error::Unavailable(format!("Canvas answers {what}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(user: Value) -> (Option<String>, Option<String>) {
        serde_json::from_value::<User>(user).unwrap().names()
    }

    #[test]
    fn names_are_taken_apart_where_canvas_has_put_the_comma() {
        let some = |first: &str, last: &str| (Some(first.to_owned()), Some(last.to_owned()));
        assert_eq!(
            names(
                json!({"id": 1, "name": "Siobhán Ní Dhomhnaill", "sortable_name": "Ní Dhomhnaill, Siobhán"})
            ),
            some("Siobhán", "Ní Dhomhnaill")
        );
        assert_eq!(
            names(json!({"id": 1, "sortable_name": "King, Jr., Martin"})),
            some("Jr., Martin", "King")
        );
        assert_eq!(
            names(json!({"id": 1, "sortable_name": "Sukarno", "name": "Sukarno"})),
            some("Sukarno", "")
        );
        assert_eq!(
            names(json!({"id": 1, "sortable_name": "李小龍", "first_name": "小龍", "last_name": "李"})),
            some("小龍", "李")
        );
        assert_eq!(names(json!({"id": 1, "sortable_name": ", Teller"})), some("Teller", ""));
        assert_eq!(names(json!({"id": 1, "sortable_name": ",", "name": "X"})), some("X", ""));
        assert_eq!(names(json!({"id": 1})), (None, None));
    }

    #[test]
    fn what_is_no_course_id_is_not_asked_for() {
        for id in ["101", "1~101", "sis_course_id:A/1", "sis_integration_id:x", "lti_context_id:ab12"] {
            assert!(is_course_id(id), "{id}");
        }
        for id in
            ["", ".", "..", "A101", "self", "101/users", "1~", "~1", "sis_user_id:1", "sis_course_id:", "-1"]
        {
            assert!(!is_course_id(id), "{id}");
        }
    }
}

//! Canvas, by its REST API. `docs/adr/0013` says how it is asked.

use bytes::Bytes;
use reqwest::{StatusCode, Url, header};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Error, Found, Outbound, Result,
    outbound::{Answer, Ask, place},
    pages::{People, Trail, id, said},
    patience::Patience,
    photos,
};
use crate::domain::roster::{Member, Role, Roster};

/// Ids are text then, and keep every digit.
const JSON: &str = "application/json+canvas-string-ids, application/json";

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
        self.course(given, Patience::Little).await
    }

    async fn course(&self, given: &str, patience: Patience) -> Result<Option<Found>> {
        let answer = self.ask(self.address(&["courses", given])?, patience).await?;
        if answer.status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let course: Course = read(answer)?;
        if course.access_restricted_by_date {
            return Err(Error::Denied("Canvas does not show us this course outside of its dates".to_owned()));
        }
        let canonical = id(&course.id).ok_or_else(|| nonsense("a course without an id"))?;
        let title = said(course.name.as_deref()).or_else(|| said(course.course_code.as_deref()));
        let title = title.unwrap_or_else(|| canonical.clone());
        Ok(Some(Found { id: canonical, title, memberships_url: None }))
    }

    pub(super) async fn roster(&self, course: &Found, roles: &[Role]) -> Result<Roster> {
        let now = self.course(&course.id, Patience::Much).await?.ok_or(Error::Missing)?;
        let mut page = self.address(&["courses", &now.id, "users"])?;
        page.query_pairs_mut()
            .extend_pairs([("per_page", "100"), ("include[]", "email"), ("include[]", "avatar_url")])
            .append_pair("include[]", "enrollments")
            .extend_pairs(roles.iter().map(|role| ("enrollment_type[]", kind(*role).0)))
            .append_pair("enrollment_state[]", "active");
        let (mut trail, mut people) = (Trail::from(&page), People::default());
        loop {
            let answer = self.ask(page, Patience::Much).await?;
            if answer.status == StatusCode::NOT_FOUND {
                return Err(Error::Missing);
            }
            let next = trail.next(&answer)?;
            for user in read::<Vec<User>>(answer)?.into_iter().filter(|user| user.is_one_of(roles)) {
                people.add(self.member(user)?)?;
            }
            match next {
                Some(next) => page = next,
                None => return Ok(Roster { title: Some(now.title), members: people.all() }),
            }
        }
    }

    fn member(&self, user: User) -> Result<Member> {
        let user_id = id(&user.id).ok_or_else(|| nonsense("somebody without an id"))?;
        let (first_name, last_name) = user.names();
        Ok(Member {
            user_id,
            first_name,
            last_name,
            email: said(user.email.as_deref()),
            identifier: user.sis_user_id.as_ref().and_then(id),
            photo_url: said(user.avatar_url.as_deref()).filter(|url| photos::is_real(url)),
        })
    }

    /// Pictures are there for whoever knows their address: no token goes along.
    pub(super) async fn photo(&self, url: &str) -> Result<Option<Bytes>> {
        let root = self.outbound.address(self.url)?;
        match photos::within(&root, url) {
            Some(url) => photos::fetch(self.outbound, url).await,
            None => Ok(None),
        }
    }

    pub(super) async fn check(&self) -> Result<String> {
        #[derive(Deserialize)]
        struct Myself {
            name: Option<String>,
        }
        let myself: Myself = read(self.ask(self.address(&["users", "self"])?, Patience::Little).await?)?;
        let mut courses = self.address(&["courses"])?;
        courses.query_pairs_mut().append_pair("per_page", "1");
        let courses: Vec<Course> = read(self.ask(courses, Patience::Little).await?)?;
        let name = said(myself.name.as_deref()).unwrap_or_else(|| "somebody without a name".to_owned());
        let course = courses.first();
        let course = course.and_then(|course| said(course.name.as_deref()).or_else(|| id(&course.id)));
        Ok(match course {
            Some(course) => format!("reached Canvas as {name}; it shows courses, such as {course}"),
            None => format!(
                "reached Canvas as {name}; it lists no courses of theirs, which an administrator's token need not"
            ),
        })
    }

    /// Each part is encoded, so that a slash in one stays in it.
    fn address(&self, parts: &[&str]) -> Result<Url> {
        let mut url = self.outbound.address(self.url)?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["api", "v1"]).extend(parts);
        }
        url.set_query(None);
        Ok(url)
    }

    /// Whatever it says that is neither a refusal nor a failure.
    async fn ask(&self, url: Url, patience: Patience) -> Result<Answer> {
        let answer = self.outbound.patiently(patience, Ask::get(url).bearer(self.token).accept(JSON)).await?;
        match answer.status {
            StatusCode::UNAUTHORIZED if answer.headers.contains_key(header::WWW_AUTHENTICATE) => {
                let why = "Canvas does not accept the access token: it has expired or was deleted";
                Err(Error::Denied(why.to_owned()))
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let why = "Canvas accepts the access token but does not let its user see this";
                Err(Error::Denied(why.to_owned()))
            }
            status if status.is_success() || status == StatusCode::NOT_FOUND => Ok(answer),
            status if status.is_redirection() => {
                let why = format!("{} sends us elsewhere, where we do not follow", place(&answer.url));
                Err(Error::Unavailable(why))
            }
            status => Err(Error::Unavailable(format!("Canvas answers {}", status.as_u16()))),
        }
    }
}

impl User {
    /// The one form that Canvas always has is "Last, First".
    fn names(&self) -> (Option<String>, Option<String>) {
        if let Some((last, first)) = self.sortable_name.as_deref().and_then(|name| name.split_once(',')) {
            let names = (said(Some(first)), said(Some(last)));
            if names != (None, None) {
                return names;
            }
        }
        match (said(self.first_name.as_deref()), said(self.last_name.as_deref())) {
            (None, None) => {
                (said(self.name.as_deref()).or_else(|| said(self.sortable_name.as_deref())), None)
            }
            names => names,
        }
    }

    /// Canvas was asked for these alone; where it shows enrolments they must agree.
    fn is_one_of(&self, roles: &[Role]) -> bool {
        let told = self.enrollments.iter().filter_map(|one| one.r#type.as_deref().map(|kind| (kind, one)));
        let mut told = told.peekable();
        let is_wanted = |(word, one): (&str, &Enrollment)| {
            let active = one.enrollment_state.as_deref().is_none_or(|state| state == "active");
            active && roles.iter().any(|role| kind(*role).1 == word)
        };
        told.peek().is_none() || told.any(is_wanted)
    }
}

/// How Canvas is asked for a role, and how it names it.
const fn kind(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Student => ("student", "StudentEnrollment"),
        Role::Teacher => ("teacher", "TeacherEnrollment"),
        Role::Assistant => ("ta", "TaEnrollment"),
        Role::Designer => ("designer", "DesignerEnrollment"),
        Role::Observer => ("observer", "ObserverEnrollment"),
    }
}

/// A number, one with a shard before it, or another system's id behind the word for it. All else would be another path.
fn is_course_id(given: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((kind, rest)) = given.split_once(':') {
        let kinds = ["sis_course_id", "sis_integration_id", "lti_context_id", "uuid", "hex"];
        return kinds.contains(&kind) && !rest.is_empty();
    }
    is_number(given) || given.split_once('~').is_some_and(|(shard, rest)| is_number(shard) && is_number(rest))
}

fn read<T: for<'de> Deserialize<'de>>(answer: Answer) -> Result<T> {
    if answer.status == StatusCode::NOT_FOUND {
        return Err(Error::Missing);
    }
    serde_json::from_slice(&answer.body).map_err(|_| nonsense("something that cannot be read"))
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
        let some = |first: &str, last: &str| (said(Some(first)), said(Some(last)));
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

//! Moodle, by its web services. Every answer of theirs has status 200; what went wrong is in the body.

use bytes::Bytes;
use reqwest::{StatusCode, Url};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Error, Found, Outbound, Result,
    outbound::{Answer, Ask, place},
    pages::{MOST_PEOPLE, People, id, said, too_many},
    patience::Patience,
    photos,
};
use crate::domain::roster::{Member, Role, Roster};

const PER_PAGE: usize = 250;
/// A roster that changes while it is read is read again, so often.
const MOST_READINGS: usize = 3;
const COURSES: &str = "core_course_get_courses_by_field";
const ENROLLED: &str = "core_enrol_get_enrolled_users";
const SITE: &str = "core_webservice_get_site_info";

pub(super) struct Moodle<'a> {
    pub outbound: &'a Outbound,
    pub url: &'a str,
    pub token: &'a str,
}

/// What Moodle says instead of an answer.
#[derive(Deserialize)]
struct Complaint {
    #[serde(rename = "exception")]
    _exception: Value,
    errorcode: Option<String>,
}

#[derive(Deserialize)]
struct Courses {
    courses: Vec<Course>,
}

#[derive(Deserialize)]
struct Course {
    id: Value,
    fullname: Option<String>,
    format: Option<String>,
}

#[derive(Deserialize)]
struct User {
    id: Value,
    firstname: Option<String>,
    lastname: Option<String>,
    fullname: Option<String>,
    email: Option<String>,
    idnumber: Option<String>,
    profileimageurl: Option<String>,
    #[serde(default)]
    roles: Vec<RoleHeld>,
}

#[derive(Deserialize)]
struct RoleHeld {
    shortname: Option<String>,
}

impl Moodle<'_> {
    /// By its id, then by its idnumber: one at a time, because one unknown id among several makes Moodle fail.
    pub(super) async fn find(&self, given: &str) -> Result<Option<Found>> {
        let given = given.trim();
        let is_number = given.parse::<u64>().is_ok_and(|number| number.to_string() == given);
        if is_number && let Some(found) = self.course("id", given, Patience::Little).await? {
            return Ok(Some(found));
        }
        if given.is_empty() {
            return Ok(None);
        }
        self.course("idnumber", given, Patience::Little).await
    }

    async fn course(&self, field: &str, value: &str, patience: Patience) -> Result<Option<Found>> {
        let answer = self.call(COURSES, &[("field", field), ("value", value)], patience).await?;
        let found: Courses = read(answer)?;
        // The site itself is a course for Moodle; nobody else would call it one.
        let found = found.courses.into_iter().find(|course| course.format.as_deref() != Some("site"));
        let Some(course) = found else { return Ok(None) };
        let id = id(&course.id).ok_or_else(|| nonsense("a course without an id"))?;
        let title = said(course.fullname.as_deref().map(plain).as_deref()).unwrap_or_else(|| id.clone());
        Ok(Some(Found { id, title, memberships_url: None }))
    }

    pub(super) async fn roster(&self, course: &Found, roles: &[Role]) -> Result<Roster> {
        let now = self.course("id", &course.id, Patience::Much).await?.ok_or(Error::Missing)?;
        for _ in 0..MOST_READINGS {
            if let Some(members) = self.members(&now.id, roles).await? {
                return Ok(Roster { title: Some(now.title), members });
            }
        }
        Err(nonsense("pages that do not fit together"))
    }

    /// Each page begins with the last person of the one before. `None` when it does not: somebody was enrolled or left
    /// meanwhile, and others would be missed.
    async fn members(&self, course: &str, roles: &[Role]) -> Result<Option<Vec<Member>>> {
        let (mut people, mut read_so_far, mut last) = (People::default(), 0, None);
        loop {
            let page = self.page(course, read_so_far).await?;
            let rows = page.len();
            let mut ids = page.iter().map(|user| id(&user.id));
            if last.is_some() && ids.next().flatten() != last {
                return Ok(None);
            }
            last = page.last().and_then(|user| id(&user.id));
            for user in page.into_iter().filter(|user| user.is_one_of(roles)) {
                people.add(user.member()?)?;
            }
            // More than was asked for is all there is.
            if rows != PER_PAGE {
                return Ok(Some(people.all()));
            }
            read_so_far += rows - 1;
            if read_so_far > MOST_PEOPLE {
                return Err(too_many());
            }
        }
    }

    async fn page(&self, course: &str, from: usize) -> Result<Vec<User>> {
        let (from, many) = (from.to_string(), PER_PAGE.to_string());
        let options = [
            ("onlyactive", "1"),
            ("limitfrom", &from),
            ("limitnumber", &many),
            ("sortby", "id"),
            ("userfields", "id,firstname,lastname,email,idnumber,roles,profileimageurl"),
        ];
        let mut form = vec![("courseid".to_owned(), course)];
        for (at, (name, value)) in options.into_iter().enumerate() {
            form.push((format!("options[{at}][name]"), name));
            form.push((format!("options[{at}][value]"), value));
        }
        let form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        read(self.call(ENROLLED, &form, Patience::Much).await?)
    }

    /// Their pictures are for those who may see them: the token goes along, to Moodle's own files alone.
    pub(super) async fn photo(&self, url: &str) -> Result<Option<Bytes>> {
        let root = self.root()?;
        let Some(mut url) = photos::within(&root, url) else { return Ok(None) };
        let files = |folder: &str| format!("{}/{folder}", root.path().trim_end_matches('/'));
        let (bare, for_services) = (files("pluginfile.php/"), files("webservice/pluginfile.php/"));
        if let Some(file) = url.path().strip_prefix(&bare).map(str::to_owned) {
            url.set_path(&format!("{for_services}{file}"));
        }
        if url.path().starts_with(&for_services) {
            url.query_pairs_mut().append_pair("token", self.token);
        }
        photos::fetch(self.outbound, url).await
    }

    pub(super) async fn check(&self) -> Result<String> {
        #[derive(Deserialize)]
        struct Site {
            sitename: Option<String>,
            fullname: Option<String>,
            functions: Option<Vec<Function>>,
        }
        #[derive(Deserialize)]
        struct Function {
            name: String,
        }
        let site: Site = read(self.call(SITE, &[], Patience::Little).await?)?;
        for needed in [COURSES, ENROLLED] {
            let there = |known: &Vec<Function>| known.iter().any(|function| function.name == needed);
            if !site.functions.as_ref().is_none_or(there) {
                return Err(Error::Denied(format!(
                    "Moodle lets us in, but not call {needed}: add it to the service"
                )));
            }
        }
        // The site itself is always there.
        let courses: Courses =
            read(self.call(COURSES, &[("field", "id"), ("value", "1")], Patience::Little).await?)?;
        let word = |text: Option<String>| said(text.as_deref().map(plain).as_deref()).unwrap_or_default();
        let course = if courses.courses.is_empty() { "no course" } else { "a course" };
        Ok(format!(
            "reached Moodle \"{}\" as {}; it shows {course}",
            word(site.sitename),
            word(site.fullname)
        ))
    }

    fn root(&self) -> Result<Url> {
        self.outbound.address(self.url)
    }

    async fn call(&self, function: &str, form: &[(&str, &str)], patience: Patience) -> Result<Answer> {
        let mut url = self.root()?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["webservice", "rest", "server.php"]);
        }
        url.set_query(None);
        let own = [("wstoken", self.token), ("wsfunction", function), ("moodlewsrestformat", "json")];
        let form: Vec<(&str, &str)> = own.iter().chain(form).copied().collect();
        let answer = self.outbound.patiently(patience, Ask::form(url, &form)).await?;
        let place = place(&answer.url);
        match answer.status {
            StatusCode::OK => match complaint(&answer.body) {
                Some(complaint) => Err(complaint.meaning(function)),
                None => Ok(answer),
            },
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Error::Denied(format!(
                "{place} refuses us: are Moodle's web services and their REST protocol enabled?"
            ))),
            status if status.is_redirection() => {
                let why = format!(
                    "{place} sends us elsewhere, where we do not follow: is this Moodle's own address?"
                );
                Err(Error::Unavailable(why))
            }
            status => {
                Err(Error::Unavailable(format!("{place} answers {} instead of Moodle", status.as_u16())))
            }
        }
    }
}

/// Known by its `exception`. Lists are none.
fn complaint(body: &[u8]) -> Option<Complaint> {
    if body.trim_ascii_start().starts_with(b"{") { serde_json::from_slice(body).ok() } else { None }
}

impl Complaint {
    /// By the code alone: names of exceptions differ between versions, and what they say may be about people.
    fn meaning(&self, function: &str) -> Error {
        let is_word = |text: &&str| {
            text.len() <= 60 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        match self.errorcode.as_deref().filter(is_word) {
            Some("invalidtoken" | "invalidtimedtoken" | "invalidiptoken") => {
                Error::Denied("Moodle does not accept the access token".to_owned())
            }
            Some(
                word @ ("accessexception"
                | "nopermissions"
                | "requireloginerror"
                | "servicenotavailable"
                | "servicerequireslogin"
                | "forbiddenwsuser"
                | "notingroup"
                | "wsaccessuserdeleted"
                | "wsaccessusersuspended"
                | "wsaccessuserexpired"
                | "wsaccessuserunconfirmed"),
            ) => Error::Denied(format!("Moodle does not let the token's user call {function} ({word})")),
            Some("invalidrecordunknown" | "invalidrecord") if function == ENROLLED => Error::Missing,
            Some(word) => Error::Unavailable(format!("Moodle has failed in {function} ({word})")),
            None => Error::Unavailable(format!("Moodle has failed in {function}")),
        }
    }
}

impl User {
    fn is_one_of(&self, roles: &[Role]) -> bool {
        let held = self.roles.iter().filter_map(|role| role.shortname.as_deref()).filter_map(role);
        held.into_iter().any(|held| roles.contains(&held))
    }

    fn member(self) -> Result<Member> {
        let user_id = id(&self.id).ok_or_else(|| nonsense("somebody without an id"))?;
        let (mut first_name, last_name) = (said(self.firstname.as_deref()), said(self.lastname.as_deref()));
        if first_name.is_none() && last_name.is_none() {
            first_name = said(self.fullname.as_deref());
        }
        Ok(Member {
            user_id,
            first_name,
            last_name,
            email: said(self.email.as_deref()),
            identifier: said(self.idnumber.as_deref()),
            photo_url: said(self.profileimageurl.as_deref()).filter(|url| photos::is_real(url)),
        })
    }
}

/// Moodle's "teacher" is the one who may not change the course.
fn role(shortname: &str) -> Option<Role> {
    match shortname {
        "student" => Some(Role::Student),
        "editingteacher" => Some(Role::Teacher),
        "teacher" => Some(Role::Assistant),
        "coursecreator" => Some(Role::Designer),
        "observer" | "auditor" | "parent" => Some(Role::Observer),
        _ => None,
    }
}

/// Titles come as they stand in a page.
fn plain(text: &str) -> String {
    let signs =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#039;", "'"), ("&#39;", "'"), ("&nbsp;", " ")];
    let text = signs.iter().fold(text.to_owned(), |text, (sign, letter)| text.replace(sign, letter));
    text.replace("&amp;", "&")
}

fn read<T: for<'de> Deserialize<'de>>(answer: Answer) -> Result<T> {
    serde_json::from_slice(&answer.body).map_err(|_| nonsense("something that cannot be read"))
}

fn nonsense(what: &str) -> Error {
    Error::Unavailable(format!("Moodle answers {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_told_apart_by_their_code() {
        let meaning = |exception: &str, code: Option<&str>, function: &str| {
            Complaint { _exception: exception.into(), errorcode: code.map(str::to_owned) }.meaning(function)
        };
        let denied = |error| matches!(error, Error::Denied(_));
        for class in ["moodle_exception", "core\\exception\\moodle_exception"] {
            assert!(denied(meaning(class, Some("invalidtoken"), COURSES)));
        }
        assert!(denied(meaning("webservice_access_exception", Some("accessexception"), ENROLLED)));
        assert_eq!(
            meaning("dml_missing_record_exception", Some("invalidrecordunknown"), ENROLLED),
            Error::Missing
        );
        for code in [None, Some("sitemaintenance"), Some("invalidrecordunknown"), Some("<b>no word</b>")] {
            let told = meaning("Error", code, COURSES);
            assert!(matches!(&told, Error::Unavailable(why) if !why.contains('<')), "{told:?}");
        }
    }

    #[test]
    fn titles_lose_what_pages_need() {
        assert_eq!(plain("Q&amp;A &quot;R&amp;D&quot; &lt;3&#039;s &amp;lt;"), "Q&A \"R&D\" <3's &lt;");
    }
}

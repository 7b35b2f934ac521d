//! Moodle, through its web services. Their responses always have status 200; errors are in the body.

use std::{
    collections::{BTreeSet, HashSet},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use bytes::Bytes;
use reqwest::{StatusCode, Url};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    CheckReport, Error, Found, Others, Result, SAMPLED_COURSES, SAMPLED_PEOPLE, Sample,
    pages::{MAX_PEOPLE, People, id, names, non_empty, plain, shown, too_many},
    photos,
};
use crate::{
    domain::roster::{Member, Role, Roster},
    outbound::{Answer, Outbound, Request, Retries, place},
};

const PER_PAGE: usize = 250;
/// How often a roster that changes during pagination is read again.
const MAX_READS: usize = 3;
/// Timeout for listing courses during a check. An operator waits, and more requests follow.
const LIST_TIMEOUT: Duration = Duration::from_secs(8);
const COURSES: &str = "core_course_get_courses_by_field";
const ENROLLED: &str = "core_enrol_get_enrolled_users";
const SITE: &str = "core_webservice_get_site_info";
/// The site's own course, which exists in every Moodle.
const FRONT_PAGE: &str = "1";

pub(super) struct Moodle<'a> {
    pub outbound: &'a Outbound,
    pub url: &'a str,
    pub token: &'a str,
}

/// Moodle's error response.
#[derive(Deserialize)]
struct MoodleError {
    #[serde(rename = "exception")]
    _exception: Value,
    errorcode: Option<String>,
    message: Option<String>,
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
    /// Missing for users whose profile we may not see.
    roles: Option<Vec<UserRole>>,
}

#[derive(Deserialize)]
struct UserRole {
    shortname: Option<String>,
}

impl Moodle<'_> {
    /// Tries the id, then the idnumber, with one request each: Moodle fails the whole request if one of several ids is
    /// unknown.
    pub(super) async fn find(&self, given: &str) -> Result<Option<Found>> {
        let given = given.trim();
        let is_number = given.parse::<u64>().is_ok_and(|number| number.to_string() == given);
        if is_number && let Some(found) = self.course("id", given, Retries::Few).await? {
            return Ok(Some(found));
        }
        if given.is_empty() {
            return Ok(None);
        }
        self.course("idnumber", given, Retries::Few).await
    }

    async fn course(&self, field: &str, value: &str, retries: Retries) -> Result<Option<Found>> {
        let found: Courses = self.call(COURSES, &[("field", field), ("value", value)], retries).await?;
        Ok(all(found)?.into_iter().next())
    }

    pub(super) async fn roster(&self, course: &Found, roles: &[Role]) -> Result<Roster> {
        let now = self.course("id", &course.id, Retries::Many).await?.ok_or(Error::Missing)?;
        for _ in 0..MAX_READS {
            if let Some((members, note)) = self.members(&now.id, roles).await? {
                return Ok(Roster { title: Some(now.title), members, note });
            }
        }
        Err(bad_answer("inconsistent pagination"))
    }

    /// Pages overlap by one person. Returns `None` if a page does not start with the last person of the previous one: somebody
    /// was enrolled or removed in between, and we would miss others. Moodle counts people whom it does not show, so a short
    /// page is not necessarily the last one, and the page after it may start with anybody. The last page is the one with
    /// nobody new.
    async fn members(&self, course: &str, roles: &[Role]) -> Result<Option<(Vec<Member>, Option<String>)>> {
        let (mut people, mut seen, mut strange) = (People::default(), HashSet::new(), BTreeSet::new());
        let (mut untold, mut others) = (HashSet::new(), Others::default());
        let (mut from, mut last) = (0, None);
        loop {
            let page = self.page(course, (from, PER_PAGE), Retries::Many).await?;
            let (rows, known) = (page.len(), seen.len());
            if last.is_some() && page.first().and_then(|user| id(&user.id)) != last {
                return Ok(None);
            }
            last = page.last().and_then(|user| id(&user.id)).filter(|_| rows == PER_PAGE);
            for user in page {
                let is_new = id(&user.id).is_some_and(|user| seen.insert(user));
                if is_new && !user.is_one_of(roles) {
                    others.add(user.mapped_roles());
                }
                untold.extend(id(&user.id).filter(|_| user.roles.is_none()));
                strange.extend(user.unmapped_roles());
                if user.is_one_of(roles) {
                    people.add(user.member()?)?;
                }
            }
            // Moodle ignored the page size and returned everybody.
            if seen.len() == known || rows > PER_PAGE {
                let members = people.all();
                if members.is_empty() && !untold.is_empty() {
                    return Err(hidden_roles());
                }
                let note = if untold.is_empty() {
                    members
                        .is_empty()
                        .then(|| unmapped_note(roles, &strange).or_else(|| others.note(roles, UNSEEN)))
                        .flatten()
                } else {
                    Some(format!("{} people were left out: {}", untold.len(), HIDDEN_ROLES))
                };
                return Ok(Some((members, note)));
            }
            from += PER_PAGE - 1;
            if from > MAX_PEOPLE {
                return Err(too_many());
            }
        }
    }

    async fn page(&self, course: &str, (from, many): (usize, usize), retries: Retries) -> Result<Vec<User>> {
        let (from, many) = (from.to_string(), many.to_string());
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
        self.call(ENROLLED, &form, retries).await
    }

    /// Pictures need authentication. The token is sent only to Moodle's own file URLs.
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

    /// Samples a known course, or else one of the visible courses.
    pub(super) async fn check(
        &self,
        known: &[Found],
        roles: &[Role],
        accepted: &AtomicBool,
    ) -> Result<CheckReport> {
        #[derive(Deserialize)]
        struct Site {
            sitename: Option<String>,
            fullname: Option<String>,
            functions: Option<Vec<Function>>,
            /// Whether the service permits downloading files: 0 or 1.
            downloadfiles: Option<Value>,
        }
        #[derive(Deserialize)]
        struct Function {
            name: String,
        }
        let site = match self.call::<Site>(SITE, &[], Retries::Few).await {
            Ok(site) => Some(site),
            // A service need not include this function. Try one that we do need.
            Err(error) => {
                self.course("id", FRONT_PAGE, Retries::Few).await.map_err(|_| error)?;
                None
            }
        };
        accepted.store(true, Ordering::Relaxed);
        let functions = site.as_ref().and_then(|site| site.functions.as_ref());
        for needed in [COURSES, ENROLLED] {
            let there = |known: &Vec<Function>| known.iter().any(|function| function.name == needed);
            if !functions.is_none_or(there) {
                return Err(Error::Denied(format!(
                    "Moodle lets us in, but not call {needed}: add it to the service"
                )));
            }
        }
        let word = |text: Option<String>| shown(&text.as_deref().map(plain).unwrap_or_default());
        let reached = match site {
            Some(site) => {
                let files = site.downloadfiles.as_ref().filter(|may| is_no(may)).map_or("", |_| NO_FILES);
                format!("reached Moodle \"{}\" as {}{files}", word(site.sitename), word(site.fullname))
            }
            None => "reached Moodle".to_owned(),
        };
        let mut nobody = None;
        for known in known {
            let Some(course) = self.course("id", &known.id, Retries::Few).await? else { continue };
            if let Some(sample) = self.sample(course, roles, &mut nobody).await? {
                return Ok(CheckReport::new(&reached, sample));
            }
        }
        // Lists all courses. The list may be too large to fetch, which does not fail the check.
        let listing = self.call::<Courses>(COURSES, &[], Retries::Few);
        let listed = match tokio::time::timeout(LIST_TIMEOUT, listing).await {
            Ok(Err(Error::Unavailable(_))) | Err(_) if nobody.is_none() => {
                let why = "its list of courses could not be fetched".to_owned();
                return Ok(CheckReport::new(&reached, Sample::None(why)));
            }
            Ok(Err(Error::Unavailable(_))) | Err(_) => Vec::new(),
            Ok(listed) => all(listed?)?,
        };
        for course in listed.into_iter().take(SAMPLED_COURSES) {
            if let Some(sample) = self.sample(course, roles, &mut nobody).await? {
                return Ok(CheckReport::new(&reached, sample));
            }
        }
        let without = || Sample::None("it shows us none".to_owned());
        Ok(CheckReport::new(&reached, nobody.map_or_else(without, |(title, why)| Sample::Nobody(title, why))))
    }

    /// Returns the course if it has members. Remembers one that has none, and skips one that was deleted.
    async fn sample(
        &self,
        course: Found,
        roles: &[Role],
        nobody: &mut Option<(String, Option<String>)>,
    ) -> Result<Option<Sample>> {
        let title = shown(&course.title);
        let users = match self.page(&course.id, (0, SAMPLED_PEOPLE), Retries::Few).await {
            Err(Error::Missing) => return Ok(None),
            Err(other) => return Err(other.in_course(&title)),
            Ok(users) => users,
        };
        let untold = users.iter().filter(|user| user.roles.is_none()).count();
        let (mut others, mut strange) = (Others::default(), BTreeSet::new());
        for user in &users {
            others.add(user.mapped_roles());
            strange.extend(user.unmapped_roles());
        }
        let wanted = users.into_iter().filter(|user| user.is_one_of(roles));
        let members = wanted.map(User::member).collect::<Result<Vec<_>>>()?;
        if members.is_empty() && untold > 0 {
            return Err(hidden_roles().in_course(&title));
        }
        if members.is_empty() {
            let why = unmapped_note(roles, &strange).or_else(|| others.note(roles, UNSEEN));
            nobody.get_or_insert((title, why));
            return Ok(None);
        }
        Ok(Some(Sample::People(title, members)))
    }

    fn root(&self) -> Result<Url> {
        self.outbound.address(self.url)
    }

    async fn call<T: DeserializeOwned>(
        &self,
        function: &str,
        form: &[(&str, &str)],
        retries: Retries,
    ) -> Result<T> {
        let mut url = self.root()?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["webservice", "rest", "server.php"]);
        }
        url.set_query(None);
        let own = [("wstoken", self.token), ("wsfunction", function), ("moodlewsrestformat", "json")];
        let form: Vec<(&str, &str)> = own.iter().chain(form).copied().collect();
        self.outbound
            .send_retrying(retries, Request::form(url, &form), |answer| read(&answer, function))
            .await
    }
}

fn read<T: DeserializeOwned>(answer: &Answer, function: &str) -> Result<T> {
    let place = place(&answer.url);
    match answer.status {
        StatusCode::OK => match complaint(&answer.body) {
            Some(complaint) => Err(complaint.meaning(function)),
            None => {
                serde_json::from_slice(&answer.body).map_err(|_| bad_answer("something that cannot be read"))
            }
        },
        // Moodle's own refusal has an empty body. An HTML page comes from a proxy in front of it.
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN if answer.body.trim_ascii().is_empty() => {
            Err(Error::Denied(format!(
                "{place} refuses us: are Moodle's web services and their REST protocol enabled?"
            )))
        }
        status if status.is_redirection() => {
            let why =
                format!("{place} sends us elsewhere, where we do not follow: is this Moodle's own address?");
            Err(Error::Unavailable(why))
        }
        status => Err(Error::Unavailable(format!("{place} answers {} instead of Moodle", status.as_u16()))),
    }
}

/// Filters out the site itself, which Moodle stores as a course.
fn all(found: Courses) -> Result<Vec<Found>> {
    let found = found.courses.into_iter().filter(|course| course.format.as_deref() != Some("site"));
    found
        .map(|course| {
            let id = id(&course.id).ok_or_else(|| bad_answer("a course without an id"))?;
            let title =
                non_empty(course.fullname.as_deref().map(plain).as_deref()).unwrap_or_else(|| id.clone());
            Ok(Found { id, title, memberships_url: None })
        })
        .collect()
}

/// Pictures are files.
const NO_FILES: &str = "; pictures cannot be copied, because the service does not permit downloading files: tick Can download files in the \
                        settings of the service";

fn is_no(value: &Value) -> bool {
    matches!(value, Value::Bool(false)) || value.as_i64() == Some(0) || value.as_str() == Some("0")
}

const HIDDEN_ROLES: &str = "Moodle does not tell their roles; give the user of the access token moodle/user:viewdetails in the course";

/// Moodle leaves out whom the user may not see.
const UNSEEN: &str =
    "give the user of the access token moodle/user:viewdetails and moodle/site:accessallgroups in the course";

/// The course has people, but Moodle hides their roles from us.
fn hidden_roles() -> Error {
    Error::Denied(HIDDEN_ROLES.to_owned())
}

/// A note for when nobody has a wanted role, but people have roles that we do not map.
fn unmapped_note(wanted: &[Role], strange: &BTreeSet<String>) -> Option<String> {
    let wanted: Vec<&str> = wanted.iter().map(|role| role.word()).collect();
    let there: Vec<&str> = strange.iter().map(String::as_str).collect();
    let (wanted, there) = (wanted.join(" or "), there.join(", "));
    (!strange.is_empty()).then(|| format!("nobody has the role {wanted}; Moodle's roles here are: {there}"))
}

/// Only plain identifiers are quoted in messages: anything else could be text supplied by others.
fn is_word(text: &str) -> bool {
    text.len() <= 60 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Recognized by its `exception` field. Error responses are objects, never lists.
fn complaint(body: &[u8]) -> Option<MoodleError> {
    if body.trim_ascii_start().starts_with(b"{") { serde_json::from_slice(body).ok() } else { None }
}

impl MoodleError {
    /// Moodle's own sentence, without its markup.
    fn sentence(&self) -> String {
        let text = plain(self.message.as_deref().unwrap_or_default());
        let text: String = text.chars().filter(|c| !c.is_control()).take(MAX_SENTENCE).collect();
        if text.trim().is_empty() {
            String::new()
        } else {
            format!(" Moodle says: \u{201c}{}\u{201d}", text.trim())
        }
    }

    /// Matches the error code only: exception names differ between versions, and messages may contain personal data.
    fn meaning(&self, function: &str) -> Error {
        match self.errorcode.as_deref().filter(|code| is_word(code)) {
            // An administrator has written what is to be agreed to, and Moodle's sentence says where that is.
            Some(word @ "sitepolicynotagreed") => Error::Denied(format!(
                "the user of the access token has not agreed to Moodle's site policy ({word}); log in as them once, and agree.{}",
                self.sentence()
            )),
            Some(word @ ("invalidtoken" | "invalidtimedtoken" | "invalidiptoken")) => Error::Denied(format!(
                "Moodle does not accept the access token ({word}): it was deleted or has expired; Site administration > \
                 Server > Web services > Manage tokens makes a new one"
            )),
            Some("invalidrecordunknown" | "invalidrecord") if function == ENROLLED => Error::Missing,
            Some(word) => match remedy(word) {
                Some(remedy) => Error::Denied(format!(
                    "Moodle does not let the user of the access token call {function} ({word}): {remedy}"
                )),
                None => Error::Unavailable(format!("Moodle has failed in {function} ({word})")),
            },
            None => Error::Unavailable(format!("Moodle has failed in {function}")),
        }
    }
}

/// Characters of Moodle's own sentence.
const MAX_SENTENCE: usize = 300;

/// How to fix a refusal, in terms of Moodle's own pages and capabilities. `docs/moodle.md` has the steps.
fn remedy(word: &str) -> Option<&'static str> {
    Some(match word {
        "errorcoursecontextnotvalid" | "requireloginerror" => {
            "that user may not enter the course; give them moodle/course:view, and moodle/course:viewhiddencourses if the \
             course is hidden"
        }
        "nopermissions" => {
            "give that user moodle/course:viewparticipants and moodle/course:enrolreview in the course"
        }
        "accessexception" => {
            "the token may have expired (Moodle says so once, and then deletes it: Site administration > Server > Web services > \
             Manage tokens); or, under Site administration > Server > Web services > External services, the service must be \
             enabled, have this function, and have that user among its authorised users; the user needs webservice/rest:use; and \
             the token must not be limited to other IP addresses"
        }
        "notingroup" => "give that user moodle/site:accessallgroups in the course",
        "servicenotavailable" => {
            "enable the service under Site administration > Server > Web services > External services"
        }
        "servicerequireslogin" | "forbiddenwsuser" => {
            "add that user to the authorised users of the service, under Site administration > Server > Web services > \
             External services"
        }
        "usernotfullysetup" => "that user's profile is not complete; fill in its required fields",
        "passwordisexpired" => "that user's password has expired; set a new one",
        "wsaccessuserdeleted"
        | "wsaccessusersuspended"
        | "wsaccessuserexpired"
        | "wsaccessuserunconfirmed"
        | "wsaccessusernologin" => {
            "that user's account is deleted, suspended, expired, unconfirmed, or has no login"
        }
        _ => return None,
    })
}

impl User {
    fn is_one_of(&self, roles: &[Role]) -> bool {
        let held = self.roles.iter().flatten().filter_map(|role| role.shortname.as_deref()).filter_map(role);
        held.into_iter().any(|held| roles.contains(&held))
    }

    /// Each of them once.
    fn mapped_roles(&self) -> BTreeSet<Role> {
        let names = self.roles.iter().flatten().filter_map(|role| role.shortname.as_deref());
        names.filter_map(role).collect()
    }

    fn unmapped_roles(&self) -> impl Iterator<Item = String> {
        let names = self.roles.iter().flatten().filter_map(|role| role.shortname.as_deref());
        names.filter(|name| is_word(name) && role(name).is_none()).map(str::to_owned)
    }

    fn member(self) -> Result<Member> {
        let user_id = id(&self.id).ok_or_else(|| bad_answer("somebody without an id"))?;
        let (first_name, last_name) =
            names(self.firstname.as_deref(), self.lastname.as_deref(), non_empty(self.fullname.as_deref()));
        Ok(Member {
            user_id,
            first_name,
            last_name,
            email: non_empty(self.email.as_deref()),
            identifier: non_empty(self.idnumber.as_deref()),
            photo_url: non_empty(self.profileimageurl.as_deref()).filter(|url| photos::is_real(url)),
        })
    }
}

/// Moodle's "teacher" is the non-editing teacher.
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

fn bad_answer(what: &str) -> Error {
    Error::Unavailable(format!("Moodle answers with {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_told_apart_by_their_code() {
        let meaning = |exception: &str, code: Option<&str>, function: &str| {
            let errorcode = code.map(str::to_owned);
            MoodleError { _exception: exception.into(), errorcode, message: None }.meaning(function)
        };
        let denied = |error| matches!(error, Error::Denied(_));
        for class in ["moodle_exception", "core\\exception\\moodle_exception"] {
            assert!(denied(meaning(class, Some("invalidtoken"), COURSES)));
        }
        for code in
            ["accessexception", "errorcoursecontextnotvalid", "usernotfullysetup", "sitepolicynotagreed"]
        {
            assert!(denied(meaning("webservice_access_exception", Some(code), ENROLLED)), "{code}");
        }
        assert_eq!(
            meaning("dml_missing_record_exception", Some("invalidrecordunknown"), ENROLLED),
            Error::Missing
        );
        let policy = MoodleError {
            _exception: "moodle_exception".into(),
            errorcode: Some("sitepolicynotagreed".into()),
            message: Some(
                "Site policy not agreed: <a href=\"https://m.example/policy\">read it</a>.\n".into(),
            ),
        };
        let said = policy.meaning(ENROLLED).to_string();
        assert!(said.contains("log in as them once") && said.contains("Site policy not agreed"), "{said}");
        assert!(!said.contains('\n'), "{said}");
        for code in [None, Some("sitemaintenance"), Some("invalidrecordunknown"), Some("<b>no word</b>")] {
            let error = meaning("Error", code, COURSES);
            assert!(matches!(&error, Error::Unavailable(why) if !why.contains('<')), "{error:?}");
        }
    }
}

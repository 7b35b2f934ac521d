//! A fake Moodle, written from its documentation and from responses of a real Moodle 5.1: the web services for rosters,
//! with a switch for every failure. Like many installations, it is below a path.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    response::Response,
};
use serde_json::{Value, json};

use super::people::{Avatar, Person};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// The current failure, until `heal`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Never responds.
    Hang,
    /// The next requests get this status, this many times, from a proxy in front of Moodle.
    Fails {
        status: u16,
        times: usize,
    },
    /// This page of a roster fails this many times with an error of Moodle; pages count from 1.
    PageFails {
        page: usize,
        times: usize,
    },
    /// This page of a roster fails this many times with status 500.
    PageBreaks {
        page: usize,
        times: usize,
    },
    /// Every page is the first one.
    SamePage,
    /// Returns everybody at once, regardless of the limit.
    NoPages,
    TokenDead,
    /// The service does not include the function.
    NoPermission,
    /// Web services are disabled.
    Disabled,
    /// HTML with status 200.
    Maintenance,
    Redirect(String),
}

struct Course {
    id: u64,
    idnumber: String,
    title: String,
    people: Vec<Person>,
    hidden: bool,
}

#[derive(Default)]
struct Inner {
    courses: BTreeMap<u64, Course>,
    fault: Option<Fault>,
    requests: Vec<String>,
    /// A user who leaves while the second page is requested.
    leaves: Option<(u64, u64)>,
    /// People whom Moodle counts but does not return.
    unseen: BTreeSet<u64>,
    /// Capabilities that the token's user lacks.
    lacking: BTreeSet<&'static str>,
}

#[derive(Clone)]
pub struct Moodle {
    origin: String,
    url: String,
    inner: Arc<Mutex<Inner>>,
}

impl Moodle {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let moodle = Self { url: format!("{origin}/moodle"), origin, inner: Arc::default() };
        let router = Router::new().fallback(answer).with_state(moodle.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        moodle
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    /// The `wwwroot`.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    pub fn token(&self) -> &'static str {
        TOKEN
    }

    /// Adds a course; if it exists, changes its title.
    pub fn course(&self, id: u64, idnumber: Option<&str>, title: &str) {
        let mut inner = self.inner();
        let course = inner.courses.entry(id).or_insert_with(|| Course {
            id,
            idnumber: String::new(),
            title: String::new(),
            people: Vec::new(),
            hidden: false,
        });
        course.title = title.to_owned();
        course.idnumber = idnumber.unwrap_or_default().to_owned();
    }

    pub fn remove_course(&self, id: u64) {
        self.inner().courses.remove(&id);
    }

    /// Roles are Moodle's short names: `student`, `editingteacher`, `teacher`.
    pub fn enrol(&self, course: u64, person: Person) {
        self.inner().courses.get_mut(&course).unwrap().people.push(person);
    }

    pub fn drop_person(&self, course: u64, person: u64) {
        self.inner().courses.get_mut(&course).unwrap().people.retain(|known| known.id != person);
    }

    pub fn change(&self, course: u64, person: u64, change: impl Fn(&mut Person)) {
        let mut inner = self.inner();
        let people = &mut inner.courses.get_mut(&course).unwrap().people;
        people.iter_mut().filter(|known| known.id == person).for_each(change);
    }

    /// Moodle counts them in its pages but does not return them.
    pub fn unseen(&self, people: impl IntoIterator<Item = u64>) {
        self.inner().unseen = people.into_iter().collect();
    }

    /// Removes a capability from the token's user (`grants` restores it). The effect follows the source code of version
    /// 5.1: `core\user::get_user_details`, `get_enrolled_users`, `get_courses_by_field`.
    pub fn lacks(&self, capability: &'static str) {
        self.inner().lacking.insert(capability);
    }

    pub fn grants(&self, capability: &'static str) {
        self.inner().lacking.remove(capability);
    }

    pub fn hide_course(&self, id: u64) {
        self.inner().courses.get_mut(&id).unwrap().hidden = true;
    }

    /// They leave once the first page of the roster has been read.
    pub fn leaves_meanwhile(&self, course: u64, person: u64) {
        self.inner().leaves = Some((course, person));
    }

    pub fn fault(&self, fault: Fault) {
        self.inner().fault = Some(fault);
    }

    pub fn heal(&self) {
        self.inner().fault = None;
    }

    /// The calls so far, like `core_enrol_get_enrolled_users courseid=2 limitfrom=0`, or `GET /path?query` for files.
    pub fn requests(&self) -> Vec<String> {
        self.inner().requests.clone()
    }
}

fn told(status: u16, kind: &str, body: &str) -> Response {
    Response::builder().status(status).header("content-type", kind).body(Body::from(body.to_owned())).unwrap()
}

/// Encoded as by PHP: slashes and all characters beyond ASCII are escaped.
fn json_told(value: &Value) -> Response {
    let mut text = String::new();
    for letter in value.to_string().chars() {
        match letter {
            '/' => text.push_str("\\/"),
            letter if letter.is_ascii() => text.push(letter),
            letter => {
                let mut units = [0; 2];
                letter
                    .encode_utf16(&mut units)
                    .iter()
                    .for_each(|unit| text.push_str(&format!("\\u{unit:04x}")));
            }
        }
    }
    told(200, "application/json; charset=utf-8", &text)
}

fn complaint(class: &str, code: &str, message: &str) -> Response {
    // This one has no namespace.
    let class = match class {
        "webservice_access_exception" => class.to_owned(),
        class => format!("core\\exception\\{class}"),
    };
    json_told(&json!({"exception": class, "errorcode": code, "message": message}))
}

/// `require_login` fails, and the function reports it with its own error code.
fn cannot_enter(course: u64, why: &str) -> Response {
    let message = format!(
        "You cannot execute functions in the course context (course id:{course}). The context error message was: Course or \
         activity not accessible. ({why})"
    );
    complaint("moodle_exception", "errorcoursecontextnotvalid", &message)
}

fn no_capability(name: &str) -> Response {
    let message = format!("Sorry, but you do not currently have permissions to do that ({name}).");
    complaint("required_capability_exception", "nopermissions", &message)
}

async fn answer(State(moodle): State<Moodle>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if let Some(response) = moodle.trouble().await {
        return response;
    }
    let path = parts.uri.path().to_owned();
    if let Some(file) = path.strip_prefix("/moodle/webservice/pluginfile.php/") {
        moodle.inner().requests.push(format!("GET {}", parts.uri));
        let token =
            parts.uri.query().unwrap_or_default().split('&').any(|pair| pair == format!("token={TOKEN}"));
        return moodle.picture(file, token);
    }
    if path != "/moodle/webservice/rest/server.php" || parts.method != "POST" {
        moodle.inner().requests.push(format!("{} {}", parts.method, parts.uri));
        return told(404, "text/html", "<h1>Not Found</h1>");
    }
    let body = to_bytes(body, 1 << 20).await.unwrap();
    let form: BTreeMap<String, String> =
        reqwest::Url::parse(&format!("http://x/?{}", std::str::from_utf8(&body).unwrap()))
            .unwrap()
            .query_pairs()
            .into_owned()
            .collect();
    let given = |name: &str| form.get(name).map(String::as_str);
    assert_eq!(given("moodlewsrestformat"), Some("json"), "the default is XML");
    if given("wstoken") != Some(TOKEN) || moodle.inner().fault == Some(Fault::TokenDead) {
        return complaint("moodle_exception", "invalidtoken", "Invalid token - token not found");
    }
    let function = given("wsfunction").unwrap_or_default();
    if moodle.inner().lacking.contains("webservice/rest:use") {
        return complaint("webservice_access_exception", "accessexception", "Access control exception");
    }
    if moodle.inner().fault == Some(Fault::NoPermission) && function != "core_webservice_get_site_info" {
        let class = "webservice_access_exception";
        return complaint(class, "accessexception", "Access control exception");
    }
    match function {
        "core_webservice_get_site_info" => moodle.site(),
        "core_course_get_courses_by_field" => {
            let (field, value) = (given("field").unwrap_or_default(), given("value").unwrap_or_default());
            moodle.inner().requests.push(format!("{function} {field}={value}"));
            moodle.courses(field, value)
        }
        "core_enrol_get_enrolled_users" => {
            let options: BTreeMap<&str, &str> = (0..)
                .map_while(|at| {
                    Some((given(&format!("options[{at}][name]"))?, given(&format!("options[{at}][value]"))?))
                })
                .collect();
            let course = given("courseid").and_then(|id| id.parse().ok());
            moodle.enrolled(course, &options)
        }
        _ => complaint(
            "dml_missing_record_exception",
            "invalidrecordunknown",
            "Can't find data record in database.",
        ),
    }
}

impl Inner {
    fn trouble(&mut self, page: Option<usize>) -> Option<Fault> {
        let counted = match self.fault.as_mut()? {
            Fault::Fails { times, .. } if page.is_none() => Some(times),
            Fault::PageFails { page: which, times } | Fault::PageBreaks { page: which, times }
                if page == Some(*which) =>
            {
                Some(times)
            }
            _ => None,
        };
        if let Some(times) = counted {
            *times = times.checked_sub(1)?;
        }
        self.fault.clone()
    }
}

impl Moodle {
    async fn trouble(&self) -> Option<Response> {
        let fault = self.inner().trouble(None);
        match fault? {
            Fault::Hang => std::future::pending().await,
            Fault::Fails { status, .. } => Some(told(status, "text/html", "<h1>Sorry</h1>")),
            Fault::Disabled => Some(told(403, "text/html", "")),
            Fault::Maintenance => Some(told(
                200,
                "text/html; charset=utf-8",
                "<!DOCTYPE html><html><body>This site is undergoing maintenance and is currently not available</body></html>",
            )),
            Fault::Redirect(to) => {
                let mut response = told(303, "text/html", "");
                response.headers_mut().insert("location", to.parse().unwrap());
                Some(response)
            }
            _ => None,
        }
    }

    fn site(&self) -> Response {
        let mut functions = vec![json!({"name": "core_webservice_get_site_info", "version": "2025100600"})];
        if self.inner().fault != Some(Fault::NoPermission) {
            for name in ["core_course_get_courses_by_field", "core_enrol_get_enrolled_users"] {
                functions.push(json!({"name": name, "version": "2025100600"}));
            }
        }
        json_told(&json!({
            "sitename": "Campus &amp; Co", "username": "ws", "fullname": "Rosa Registrar", "userid": 5,
            "siteurl": self.url, "release": "5.1.5", "functions": functions,
            "downloadfiles": u8::from(!self.inner().lacking.contains("downloadfiles")),
        }))
    }

    fn courses(&self, field: &str, value: &str) -> Response {
        let inner = self.inner();
        let shown = |id: u64, idnumber: &str, title: &str, format: &str| {
            // With HTML entities.
            let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
            json!({
                "id": id, "fullname": title, "displayname": title, "shortname": format!("C{id}"),
                "idnumber": idnumber, "format": format, "visible": 1, "categoryid": 1,
            })
        };
        let mut found: Vec<Value> = inner
            .courses
            .values()
            .filter(|course| !course.hidden || !inner.lacking.contains("moodle/course:viewhiddencourses"))
            .filter(|course| match field {
                "id" => value.parse() == Ok(course.id),
                "idnumber" => course.idnumber == value,
                "" => true,
                _ => false,
            })
            .map(|course| shown(course.id, &course.idnumber, &course.title, "topics"))
            .collect();
        if [("id", "1"), ("idnumber", ""), ("", "")].contains(&(field, value)) {
            found.insert(0, shown(1, "", "Campus & Co", "site"));
        }
        match field {
            "id" if value.parse::<i64>().is_err() => complaint(
                "invalid_parameter_exception",
                "invalidparameter",
                "Invalid parameter value detected",
            ),
            "id" | "idnumber" | "" => json_told(&json!({"courses": found, "warnings": []})),
            _ => json_told(&json!({
                "exception": "Error", "message": "Attempt to assign property \"contextvalidated\" on null",
            })),
        }
    }

    fn enrolled(&self, course: Option<u64>, options: &BTreeMap<&str, &str>) -> Response {
        let number = |name: &str| options.get(name).map_or(0, |text| text.parse::<usize>().unwrap());
        let (mut from, mut many) = (number("limitfrom"), number("limitnumber"));
        let mut inner = self.inner();
        inner.requests.push(format!(
            "core_enrol_get_enrolled_users courseid={} limitfrom={from}",
            course.unwrap_or_default()
        ));
        let page = 1 + from.div_ceil(many.max(1));
        let fault = inner.trouble(Some(page));
        match fault {
            Some(Fault::PageFails { page: which, .. }) if which == page => {
                return complaint("dml_read_exception", "dmlreadexception", "Error reading from database");
            }
            Some(Fault::PageBreaks { page: which, .. }) if which == page => {
                return told(500, "text/html", "");
            }
            Some(Fault::SamePage) => from = 0,
            Some(Fault::NoPages) => (from, many) = (0, 0),
            _ => {}
        }
        if page > 1
            && let Some((course, person)) = inner.leaves.take()
        {
            inner.courses.get_mut(&course).unwrap().people.retain(|known| known.id != person);
        }
        let Some(course) = course.and_then(|id| inner.courses.get(&id)) else {
            let class = "dml_missing_record_exception";
            return complaint(
                class,
                "invalidrecordunknown",
                "Can't find data record in database table course.",
            );
        };
        let lacks = |capability: &str| inner.lacking.contains(capability);
        if course.hidden && lacks("moodle/course:viewhiddencourses") {
            return cannot_enter(course.id, "Course is hidden");
        }
        if lacks("moodle/course:view") {
            return cannot_enter(course.id, "Not enrolled");
        }
        if lacks("moodle/course:viewparticipants") && lacks("moodle/course:enrolreview") {
            return no_capability("View participants");
        }
        if lacks("moodle/course:enrolreview") {
            return no_capability("Review course enrolments");
        }
        let mut users: BTreeMap<u64, Vec<&Person>> = BTreeMap::new();
        for person in course.people.iter().filter(|one| one.active || options.get("onlyactive") != Some(&"1"))
        {
            users.entry(person.id).or_default().push(person);
        }
        let fields = options.get("userfields").copied().unwrap_or_default();
        let most = if many == 0 { usize::MAX } else { many };
        let counted = users.values().skip(from).take(most);
        let shown = counted.filter(|enrolled| !inner.unseen.contains(&enrolled[0].id));
        let shown: Vec<Value> = shown.map(|enrolled| self.row(enrolled, fields, &lacks)).collect();
        json_told(&json!(shown))
    }

    fn row(&self, enrolled: &[&Person], fields: &str, lacks: &impl Fn(&str) -> bool) -> Value {
        let person = enrolled[0];
        let wanted = |name: &str| fields.split(',').any(|field| field == name);
        // The site's full name format is the first name only; privileged users see the whole name.
        let whole = !lacks("moodle/site:viewfullnames");
        let last = if whole { person.last.as_str() } else { "" };
        let mut row = json!({"id": person.id, "fullname": format!("{} {last}", person.first).trim()});
        let picture = match &person.avatar {
            Avatar::None => None,
            Avatar::Default => Some(format!("{}/theme/image.php/boost/core/1760000000/u/f1", self.url)),
            Avatar::Own(_) => {
                Some(format!("{}/webservice/pluginfile.php/{}/user/icon/boost/f1?rev=7", self.url, person.id))
            }
            Avatar::At(url) => Some(url.clone()),
        };
        if lacks("moodle/user:viewdetails") {
            row["profileimageurl"] = json!(picture);
            return row;
        }
        let texts = [
            ("firstname", Some(person.first.clone())),
            ("lastname", Some(person.last.clone()).filter(|_| whole)),
            ("email", person.email.clone().filter(|_| !lacks("moodle/course:useremail"))),
            ("idnumber", person.identifier.clone().filter(|_| !lacks("moodle/user:viewalldetails"))),
            ("profileimageurl", picture),
        ];
        for (name, text) in texts {
            if wanted(name)
                && let Some(text) = text
            {
                row[name] = json!(text);
            }
        }
        if wanted("roles") {
            let roles = enrolled
                .iter()
                .map(|one| json!({"roleid": 5, "name": "", "shortname": one.role, "sortorder": 0}));
            row["roles"] = roles.collect();
        }
        row
    }

    fn picture(&self, file: &str, token: bool) -> Response {
        if self.inner().lacking.contains("downloadfiles") {
            return json_told(
                &json!({"error": "Can not download files", "errorcode": "enablewsdescription"}),
            );
        }
        if !token {
            return json_told(
                &json!({"error": "Invalid token - token not found", "errorcode": "invalidtoken"}),
            );
        }
        let id = file.split('/').next().and_then(|id| id.parse::<u64>().ok());
        let inner = self.inner();
        let mut people = inner.courses.values().flat_map(|course| &course.people);
        match people.find(|person| Some(person.id) == id).map(|person| &person.avatar) {
            Some(Avatar::Own(bytes)) => {
                let mut response = Response::new(Body::from(bytes.clone()));
                response.headers_mut().insert("content-type", "image/png".parse().unwrap());
                response
            }
            _ => told(404, "text/html", "Sorry, the requested file could not be found"),
        }
    }
}

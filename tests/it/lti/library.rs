//! Complete launches from a third-party platform, the library `lti1p3platform`.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use endonym::{
    app::{Actor, courses, tool_consumers},
    domain::{
        course::Sync,
        moment::Moment,
        tool_consumer::{LmsKind, Registration, ToolConsumer},
    },
};
use reqwest::header;
use serde_json::Value;

use super::csrf_in;
use crate::support::{World, until};

/// A platform in its own process, and our world.
pub struct Library {
    pub world: World,
    pub consumer: ToolConsumer,
    /// On `localhost`, which is another site than our `127.0.0.1`.
    pub base: String,
    client: reqwest::Client,
    process: Child,
}

impl Library {
    pub async fn start(world: World) -> Self {
        Self::framed_by(world, None).await
    }

    /// For a platform whose pages only that origin may frame.
    #[allow(clippy::disallowed_methods)]
    pub async fn framed_by(world: World, framed_by: Option<&str>) -> Self {
        let python = std::env::var_os("ENDONYM_TEST_PYTHON").expect(
            "ENDONYM_TEST_PYTHON must name a Python with lti1p3platform; `./test` makes one (docs/testing.md)",
        );
        let mut process = Command::new(python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/lti/platform.py"))
            .arg(format!("{}/lti/{}", world.base, world.institution.slug))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the Python that ENDONYM_TEST_PYTHON names can be run");
        let mut port = String::new();
        let output = process.stdout.take().unwrap();
        let port = tokio::task::spawn_blocking(move || {
            BufReader::new(output).read_line(&mut port).unwrap();
            port
        });
        let base = format!("http://localhost:{}", port.await.unwrap().trim());
        let new = tool_consumers::New {
            name: "Library".into(),
            kind: LmsKind::Lti,
            url: base.clone(),
            product: None,
            roles: vec![endonym::domain::roster::Role::Student],
            access_token: None,
            lti: Some(Registration {
                client_id: "client-1".into(),
                deployments: vec!["d1".into()],
                auth_url: format!("{base}/auth"),
                token_url: format!("{base}/token"),
                token_audience: None,
                jwks_url: format!("{base}/jwks"),
                frame_ancestors: vec![framed_by.unwrap_or(&base).to_owned()],
            }),
        };
        let (consumer, _) =
            tool_consumers::create(&world.app, &Actor::Operator, world.institution.id, new).await.unwrap();
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        Self { world, consumer, base, client, process }
    }

    /// Follows a launch like a browser, up to the resulting page.
    pub async fn launch(&self, query: &str) -> Landed {
        let place =
            |answer: &reqwest::Response| answer.headers()[header::LOCATION].to_str().unwrap().to_owned();
        let start = self.client.get(format!("{}/launch?{query}", self.base)).send().await.unwrap();
        let login = self.client.get(place(&start)).send().await.unwrap();
        let cookie =
            login.headers()[header::SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
        let form = self.client.get(place(&login)).send().await.unwrap().text().await.unwrap();
        let field = |name: &str| {
            let rest =
                form.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap_or_else(|| panic!("{form}"));
            rest.split('"').next().unwrap().to_owned()
        };
        let body = format!("id_token={}&state={}", field("id_token"), field("state"));
        let launched = self
            .client
            .post(format!("{}/lti/{}/launch", self.world.base, self.world.institution.slug))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::COOKIE, &cookie)
            .body(body)
            .send()
            .await
            .unwrap();
        if launched.status() != 303 {
            let status = launched.status().as_u16();
            return Landed { path: String::new(), cookie, status, text: launched.text().await.unwrap() };
        }
        let path = place(&launched);
        let (status, text) = self.page(&path, &cookie).await;
        Landed { path, cookie, status, text }
    }

    /// Submits a form of a session, with the CSRF token of its page.
    pub async fn post(&self, landed: &Landed, path: &str, form: &'static str) -> reqwest::Response {
        let token = csrf_in(&self.page(&landed.path, &landed.cookie).await.1);
        self.client
            .post(format!("{}{}{path}", self.world.base, landed.path))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::COOKIE, &landed.cookie)
            .body(format!("csrf={token}&{form}"))
            .send()
            .await
            .unwrap()
    }

    pub async fn page(&self, path: &str, cookie: &str) -> (u16, String) {
        let request = self.client.get(format!("{}{path}", self.world.base)).header(header::COOKIE, cookie);
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    /// Synchronizes the course, as staff.
    pub async fn synchronize(&self, landed: &Landed) {
        assert_eq!(self.post(landed, "sync", "").await.status(), 303);
    }

    /// Removes a user from the course.
    pub async fn leave(&self, user: &str) {
        self.client.get(format!("{}/leave?user={user}", self.base)).send().await.unwrap();
    }

    /// When the course was last synchronized, after waiting for the end.
    pub async fn state(&self) -> Option<Moment> {
        let all = courses::all(&self.world.app, &Actor::Operator, &self.consumer).await.unwrap();
        all.first().filter(|course| course.sync == Sync::Idle).and_then(|course| course.synced_at)
    }

    /// Waits until the course's list matches the platform's.
    pub async fn synchronized(&self) {
        until("the course is synchronized", || async {
            let all = courses::all(&self.world.app, &Actor::Operator, &self.consumer).await.unwrap();
            all.iter().any(|course| course.synced_at.is_some() && course.sync == Sync::Idle)
        })
        .await;
    }
}

/// The page that a launch led to.
pub struct Landed {
    pub path: String,
    pub cookie: String,
    pub status: u16,
    pub text: String,
}

impl Drop for Library {
    /// The process exits when its input is closed.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
async fn a_teacher_sees_everybody_whom_the_platform_names() {
    let library = Library::start(World::new().await).await;
    library.world.work(1);
    let landed = library.launch("user=teacher").await;
    assert_eq!(landed.status, 200, "{}", landed.text);
    assert!(landed.text.contains("Names of the World"));
    library.synchronized().await;
    let (_, text) = library.page(&landed.path, &landed.cookie).await;
    for name in ["Ana Đặng", "محمد الأمين", "Siobhán Ní Bhriain", "小龍 李"] {
        assert!(text.contains(name), "{name} in {text}");
    }
    assert!(!text.contains("Rosa") && !text.contains("Max"), "teachers and mentors are not on the list");
    assert!(text.contains("Synchronized with your learning system on"), "{text}");
}

#[tokio::test]
async fn a_student_sees_themselves_and_finds_the_same_entry_after_the_list_has_come() {
    let library = Library::start(World::new().await).await;
    let first = library.launch("user=siobhan").await;
    assert_eq!(first.status, 200, "{}", first.text);
    assert!(first.text.contains("Siobhán Ní Bhriain"));
    assert_eq!(library.post(&first, "details", "phonetic=shi-VAWN&notes=Irish").await.status(), 303);
    library.world.work(1);
    library.synchronized().await;
    let again = library.launch("user=siobhan").await;
    assert!(again.text.contains("shi-VAWN") && !again.text.contains("Ana"), "{}", again.text);
    let teacher = library.launch("user=teacher").await;
    assert_eq!(teacher.text.matches("Siobhán Ní Bhriain").count(), 1, "{}", teacher.text);
    assert!(teacher.text.contains("shi-VAWN"));

    // People who have left are hidden, and find their data when they return.
    library.leave("siobhan").await;
    assert_eq!(library.post(&teacher, "sync", "").await.status(), 303);
    until("the list is without her", || async {
        !library.page(&teacher.path, &teacher.cookie).await.1.contains("Siobhán")
    })
    .await;
    assert_eq!(library.page(&again.path, &again.cookie).await.0, 403, "her page is closed");
    let back = library.launch("user=siobhan").await;
    assert!(back.text.contains("shi-VAWN"), "{}", back.text);
    assert!(library.page(&teacher.path, &teacher.cookie).await.1.contains("Siobhán"));
}

#[tokio::test]
async fn somebody_who_is_neither_is_told_so() {
    let library = Library::start(World::new().await).await;
    let landed = library.launch("user=mentor").await;
    assert_eq!(landed.status, 403);
    assert!(landed.text.contains("nothing for you to do here"));
}

#[tokio::test]
async fn the_library_takes_our_answer_to_deep_linking() {
    let library = Library::start(World::new().await).await;
    let landed = library.launch("user=teacher&deep=1").await;
    assert_eq!(landed.status, 200, "{}", landed.text);
    assert!(landed.text.contains("Add a link to your course"), "{}", landed.text);
    let answered = library.post(&landed, "link", "title=Our+names").await;
    assert_eq!(answered.status(), 200);
    let policy = answered.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains(&format!("form-action 'self' {};", library.base)), "{policy}");
    let text = answered.text().await.unwrap();
    let token = text.split("name=\"JWT\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(text.contains(&format!("action=\"{}/links\"", library.base)), "{text}");
    let taken = library
        .client
        .post(format!("{}/links", library.base))
        .body(format!("JWT={token}"))
        .send()
        .await
        .unwrap();
    let (status, text) = (taken.status(), taken.text().await.unwrap());
    assert_eq!(status, 200, "{text}");
    let said = text.split("<pre>").nth(1).unwrap().split("</pre>").next().unwrap();
    let said: Value = serde_json::from_str(&said.replace("&quot;", "\"").replace("&amp;", "&")).unwrap();
    assert_eq!(said[0][0]["title"], "Our names");
    assert_eq!(
        said[0][0]["url"],
        format!("{}/lti/{}/launch", library.world.base, library.world.institution.slug)
    );
    assert_eq!(said[1]["aud"], library.base);
    assert_eq!(said[1]["https://purl.imsglobal.org/spec/lti-dl/claim/data"]["echo"], "this & that");
    // Students cannot add links.
    assert_eq!(library.launch("user=siobhan&deep=1").await.status, 403);
}

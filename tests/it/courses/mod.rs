//! Courses of a learning system, from the synchronization request to the people on its name page.

mod choices;
mod cli;
mod endpoint;
mod erasure;
mod hidden;
mod idempotency;
mod killed;
mod matching;
mod measure;
mod media;
mod schedule;
mod trouble;
mod untold;

use std::time::Duration;

use endonym::{
    app::{Actor, courses, name_pages, tool_consumers},
    domain::{
        course::{Course, Sync},
        name_page::{NamePage, NamePageRef},
        tool_consumer::{LmsKind, ToolConsumer},
    },
    outbound::Limits,
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    lms::{canvas::Canvas, people::Person},
    support::{Answer, Setup, World, until},
};

/// Retries at once, with short timeouts.
fn waiting(request: Duration) -> Setup {
    let outbound_limits = Limits { request, question: request, pause: Duration::from_millis(5) };
    Setup { outbound_limits, ..Setup::default() }
}

/// Generous, for a busy machine.
pub fn patient() -> Setup {
    waiting(Duration::from_secs(9))
}

/// A world whose institution has a Canvas with the course 101, "Rhetoric".
struct School {
    world: World,
    canvas: Canvas,
    consumer: ToolConsumer,
    api_token: String,
}

impl School {
    /// With workers.
    async fn new() -> Self {
        let school = Self::without_workers(patient()).await;
        school.world.work(2);
        school
    }

    async fn without_workers(setup: Setup) -> Self {
        let world = World::with(setup).await;
        let canvas = Canvas::start().await;
        canvas.course(101, Some("RHE-1"), "Rhetoric");
        let (consumer, api_token) = connect(&world, LmsKind::Canvas, canvas.url(), canvas.token()).await;
        Self { world, canvas, consumer, api_token }
    }

    fn enrol(&self, people: impl IntoIterator<Item = Person>) {
        people.into_iter().for_each(|person| self.canvas.enrol(101, person));
    }

    /// Requests a synchronization of these courses by version 5.
    async fn ask(&self, ids: Value) -> Answer {
        let body = json!({ "api_token": self.api_token, "external_course_ids": ids });
        self.world.post("/v5/lti/lms/courses/synchronize", body).await
    }

    async fn ask_v4(&self, id: Value) -> Answer {
        let body = json!({ "api_token": self.api_token, "external_course_id": id });
        self.world.post("/v4/lti/lms/courses/synchronize", body).await
    }

    /// Synchronizes course 101, and waits until it is done.
    async fn sync(&self) -> Course {
        self.ask(json!(["101"])).await.expect(200);
        let course = self.settled().await;
        assert_eq!(course.error, None);
        crate::store::coverage::check(&self.world.app.db).await;
        course
    }

    /// Like an operator who confirms that the roster is right.
    async fn accept(&self) {
        let (running, losses) = (courses::WhenRunning::Fine, courses::LossPolicy::Accepted);
        let given = vec!["sis_course_id:RHE-1".to_owned()];
        courses::synchronize_with(&self.world.app, &Actor::Operator, &self.consumer, given, running, losses)
            .await
            .unwrap();
        assert_eq!(self.settled().await.error, None);
    }

    async fn settled(&self) -> Course {
        until("a course is not being synchronized any more", || async {
            self.course().await.is_some_and(|course| course.sync != Sync::Running)
        })
        .await;
        self.course().await.unwrap()
    }

    async fn course(&self) -> Option<Course> {
        let all = courses::all(&self.world.app, &Actor::Operator, &self.consumer).await.unwrap();
        all.into_iter().find(|course| course.external_id == "101")
    }

    async fn page(&self) -> NamePage {
        let id = self.course().await.unwrap().name_page.to_string();
        let reference = NamePageRef::parse(&id).unwrap();
        name_pages::find(&self.world.app, &Actor::Operator, self.world.institution.id, &reference)
            .await
            .unwrap()
    }

    /// The people on the course's page, in order.
    async fn people(&self) -> Vec<Value> {
        let path = format!("/v4/name_pages/{}/participants?per_page=10000", self.page().await.slug);
        let body = self.world.get(&path).await.expect(200);
        let people = body["participants"].as_array().unwrap().clone();
        assert_eq!(body["meta"]["total_count"], people.len());
        people
    }

    async fn first_names(&self) -> Vec<String> {
        self.people().await.iter().map(|one| one["first_name"].as_str().unwrap().to_owned()).collect()
    }

    async fn count(&self, what: &str) -> i64 {
        let text = format!("SELECT COUNT(*) FROM {what}");
        self.world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
    }

    /// The status of a link.
    async fn link(&self, url: &str) -> u16 {
        self.world.client.request(Method::GET, url).send().await.unwrap().status().as_u16()
    }
}

pub async fn connect(world: &World, kind: LmsKind, url: &str, token: &str) -> (ToolConsumer, String) {
    let new = tool_consumers::New {
        name: "Campus".into(),
        kind,
        url: url.into(),
        product: None,
        roles: vec![endonym::domain::roster::Role::Student],
        access_token: Some(token.into()),
        lti: None,
    };
    tool_consumers::create(&world.app, &Actor::Operator, world.institution.id, new).await.unwrap()
}

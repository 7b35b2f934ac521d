//! A course of a learning system, and its name page.

use super::{
    ids::{CourseId, NamePageId, ToolConsumerId},
    institution::origin_of,
    lti::CanvasIds,
    moment::Moment,
    tool_consumer::{LmsKind, ToolConsumer},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    pub id: CourseId,
    pub tool_consumer: ToolConsumerId,
    /// The learning system's id for the course.
    pub external_id: String,
    pub title: String,
    pub name_page: NamePageId,
    /// The URL of its roster, once a launch or a response has provided it.
    pub memberships_url: Option<String>,
    pub synced_at: Option<Moment>,
    /// Why the last synchronization failed.
    pub error: Option<String>,
    /// A warning from the last successful synchronization, for operators.
    pub note: Option<String>,
    /// When the schedule synchronizes it next.
    pub next_sync_at: Option<Moment>,
    pub sync: Sync,
    /// See `platform_key`.
    pub platform_key: Option<String>,
}

/// How the courses of a tool consumer are doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CourseFigures {
    pub courses: u64,
    /// Their last synchronization failed.
    pub failed: u64,
    /// The last time that one was synchronized.
    pub synced_at: Option<Moment>,
}

/// Identifies a course on its platform, whichever tool consumer connects to it: two courses of an institution with the same key
/// are the same course. `id` is the tool consumer's id for it; `canvas` holds Canvas's ids from the launch, if any.
pub fn platform_key(consumer: &ToolConsumer, id: &str, canvas: Option<&CanvasIds>) -> Option<String> {
    let moodle = |root: &str| Some(format!("moodle {} {id}", root_of(root)?));
    let canvas_at = |origin: String, id: &str| format!("canvas {origin} {id}");
    match consumer.kind {
        LmsKind::Moodle => moodle(&consumer.url),
        LmsKind::Canvas => Some(canvas_at(origin_of(&consumer.url)?, id)),
        // Moodle's LTI context id is the course id, and its issuer is the site's URL.
        LmsKind::Lti if is_moodle(consumer) => moodle(&consumer.url),
        LmsKind::Lti => match canvas.and_then(|ids| Some((tenant(consumer, ids)?, ids))) {
            Some((tenant, ids)) => Some(canvas_at(tenant, &ids.course)),
            None => Some(format!("lti {} {id}", consumer.url)),
        },
    }
}

/// The member id, in a course of `owner`, of a user who launches it through `launched`. If the two do not share user ids, the id
/// is prefixed with the launching tool consumer: one platform's ids must not be mistaken for another's. The user id in Canvas's
/// custom parameters is not trusted as an identity: anyone who can add a link to a course can set it.
pub fn member_id(owner: &ToolConsumer, launched: &ToolConsumer, user_id: &str) -> MemberId {
    if owner.id == launched.id || share_users(owner, launched) {
        return MemberId { id: user_id.to_owned(), is_foreign: false };
    }
    MemberId { id: foreign_id(launched.id, user_id), is_foreign: true }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberId {
    pub id: String,
    /// The id comes from a tool consumer other than the course's own.
    pub is_foreign: bool,
}

pub fn foreign_id(tool_consumer: ToolConsumerId, user_id: &str) -> String {
    format!("{tool_consumer}:{user_id}")
}

/// Whether two tool consumers use the same user ids. An issuer's `sub` identifies the same person for all its clients, and
/// Moodle's `sub` is its user id.
pub fn share_users(a: &ToolConsumer, b: &ToolConsumer) -> bool {
    let same_root = || root_of(&a.url).is_some() && root_of(&a.url) == root_of(&b.url);
    match (a.kind, b.kind) {
        (LmsKind::Lti, LmsKind::Lti) => a.url == b.url,
        (LmsKind::Moodle, LmsKind::Moodle) | (LmsKind::Canvas, LmsKind::Canvas) => same_root(),
        (LmsKind::Moodle, LmsKind::Lti) => is_moodle(b) && same_root(),
        (LmsKind::Lti, LmsKind::Moodle) => is_moodle(a) && same_root(),
        _ => false,
    }
}

fn is_moodle(consumer: &ToolConsumer) -> bool {
    consumer.product.as_deref() == Some("moodle")
}

/// The origin of the Canvas instance that a launch comes from. Canvas's cloud has one issuer for all tenants, so the launch's
/// domain is trusted; any other issuer may only name its own.
fn tenant(consumer: &ToolConsumer, ids: &CanvasIds) -> Option<String> {
    const CLOUD: [&str; 3] = [
        "https://canvas.instructure.com",
        "https://canvas.beta.instructure.com",
        "https://canvas.test.instructure.com",
    ];
    let issuer = origin_of(&consumer.url)?;
    let scheme = issuer.split("://").next()?;
    let said = origin_of(&format!("{scheme}://{}", ids.domain))?;
    (CLOUD.contains(&issuer.as_str()) || said == issuer).then_some(said)
}

/// A site's normalized URL for comparisons. It includes the path because several sites may share a host.
fn root_of(url: &str) -> Option<String> {
    let origin = origin_of(url)?;
    let path = url.split_once("://")?.1;
    let path = path.find('/').map_or("", |start| &path[start..]);
    Some(format!("{origin}{}", path.trim_end_matches('/')))
}

impl Course {
    /// Messages for the course's administrators: the last error, then the note of the last successful synchronization.
    pub fn notes(&self) -> Vec<&str> {
        self.error.iter().chain(&self.note).map(String::as_str).collect()
    }
}

/// Whether a course is being synchronized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    Idle,
    /// Queued or running.
    Running,
    /// Failed, with an automatic retry pending; a manual request retries at once.
    Resting,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::InstitutionId;

    fn consumer(id: i64, kind: LmsKind, url: &str, product: Option<&str>) -> ToolConsumer {
        ToolConsumer {
            institution: InstitutionId::new(1),
            id: ToolConsumerId::new(id),
            name: "Campus".into(),
            kind,
            url: url.into(),
            product: product.map(str::to_owned),
            enabled: true,
            roles: Vec::new(),
            sealed_access_token: None,
            lti: None,
            addresses: crate::domain::tool_consumer::Addresses::UNPROVEN,
            schedule: crate::domain::schedule::Schedule::default(),
            created_at: Moment::from_micros(0),
        }
    }

    fn ids(domain: &str) -> CanvasIds {
        CanvasIds { domain: domain.into(), course: "101".into() }
    }

    #[test]
    fn a_course_of_moodle_is_one_by_web_services_and_by_lti() {
        let services = consumer(1, LmsKind::Moodle, "https://Moodle.example.edu/m", None);
        let launches = consumer(2, LmsKind::Lti, "https://moodle.example.edu/m/", Some("moodle"));
        assert_eq!(platform_key(&services, "5", None), platform_key(&launches, "5", None));
        assert_eq!(member_id(&services, &launches, "7"), MemberId { id: "7".into(), is_foreign: false });
        let other = consumer(3, LmsKind::Lti, "https://moodle.example.edu/n", Some("moodle"));
        assert_ne!(platform_key(&services, "5", None), platform_key(&other, "5", None));
        assert_eq!(member_id(&services, &other, "7"), MemberId { id: "3:7".into(), is_foreign: true });
        let nameless = consumer(4, LmsKind::Lti, "https://moodle.example.edu/m", None);
        assert_ne!(platform_key(&services, "5", None), platform_key(&nameless, "5", None));
    }

    #[test]
    fn a_course_of_canvas_is_one_where_canvas_says_its_ids() {
        let services = consumer(1, LmsKind::Canvas, "https://x.instructure.com", None);
        let cloud = consumer(2, LmsKind::Lti, "https://canvas.instructure.com", Some("canvas"));
        let said = ids("x.instructure.com");
        assert_eq!(platform_key(&services, "101", None), platform_key(&cloud, "8f3a", Some(&said)));
        assert!(member_id(&services, &cloud, "u-u").is_foreign);
        let elsewhere = ids("y.instructure.com");
        assert_ne!(platform_key(&services, "101", None), platform_key(&cloud, "8f3a", Some(&elsewhere)));
    }

    #[test]
    fn a_platform_speaks_for_no_other() {
        let services = consumer(1, LmsKind::Canvas, "https://x.instructure.com", None);
        let liar = consumer(2, LmsKind::Lti, "https://evil.example", Some("canvas"));
        let said = ids("x.instructure.com");
        assert_eq!(
            platform_key(&liar, "8f3a", Some(&said)).as_deref(),
            Some("lti https://evil.example 8f3a")
        );
        assert!(member_id(&services, &liar, "u").is_foreign);
        let own = consumer(3, LmsKind::Lti, "https://canvas.example.edu", Some("canvas"));
        let key = platform_key(&own, "8f3a", Some(&ids("canvas.example.edu")));
        assert_eq!(key.as_deref(), Some("canvas https://canvas.example.edu 101"));
    }

    #[test]
    fn two_registrations_with_one_issuer_have_the_same_courses_and_people() {
        let one = consumer(1, LmsKind::Lti, "https://lms.example.edu", Some("sakai"));
        let two = consumer(2, LmsKind::Lti, "https://lms.example.edu", None);
        assert_eq!(platform_key(&one, "c1", None), platform_key(&two, "c1", None));
        assert!(share_users(&one, &two));
    }
}

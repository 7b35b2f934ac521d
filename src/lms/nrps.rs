//! Any learning system, through LTI 1.3 Names and Role Provisioning Services (NRPS).

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
};

use bytes::Bytes;
use reqwest::{StatusCode, Url};
use serde::Deserialize;
use serde_json::Value;

use super::{
    CheckReport, CourseRef, Error, Found, LtiAccess, Others, Result, SAMPLED_PEOPLE, Sample, lti_roles,
    pages::{People, Trail, id, names, non_empty, plain, shown},
    photos,
};
use crate::{
    domain::roster::{Member, Role, Roster},
    outbound::{Answer, Outbound, Request, Retries, place},
};

const JSON: &str = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json";
/// Large enough to get most courses in one page: some platforms recompute the whole roster for each page, and may skip people.
const PER_PAGE: &str = "1000";
/// Generous limit for a page with a single member.
const MAX_SINGLE_MEMBER: usize = 256 << 10;

pub(super) struct Nrps<'a> {
    pub outbound: &'a Outbound,
    pub access: &'a LtiAccess,
}

#[derive(Deserialize)]
struct Container {
    #[serde(default)]
    context: Context,
    members: Vec<NrpsMember>,
}

#[derive(Deserialize, Default)]
struct Context {
    #[serde(default)]
    id: Value,
    title: Option<String>,
    label: Option<String>,
}

#[derive(Deserialize)]
struct NrpsMember {
    #[serde(default)]
    user_id: Value,
    status: Option<String>,
    #[serde(default)]
    roles: Vec<String>,
    name: Option<String>,
    given_name: Option<String>,
    family_name: Option<String>,
    email: Option<String>,
    picture: Option<String>,
    #[serde(default)]
    lis_person_sourcedid: Value,
}

impl Nrps<'_> {
    pub(super) async fn find(&self, course: &CourseRef) -> Result<Option<Found>> {
        let mut refusal = None;
        for address in self.addresses(&course.given, course.memberships_url.as_deref()) {
            let first = limited(self.outbound.address(&address)?, "1");
            let ask = Request::get(first).at_most(MAX_SINGLE_MEMBER).allow_truncated();
            // A truncated body means that the platform ignores `limit`. The course exists nevertheless.
            let read = |answer: Answer| match answer.whole || answer.is_page() {
                true => read(answer).map(|(container, _)| container.context),
                false => Ok(Context::default()),
            };
            let context = match self.get(ask, Retries::Few, read).await {
                // Another deployment may have access.
                Err(Error::Denied(why)) => {
                    refusal = Some(Error::Denied(why));
                    continue;
                }
                Err(Error::Missing) => continue,
                context => context?,
            };
            let id = id(&context.id).unwrap_or_else(|| course.given.clone());
            let title = self.named(&context).or_else(|| course.title.clone()).unwrap_or_else(|| id.clone());
            return Ok(Some(Found { id, title, memberships_url: Some(address) }));
        }
        refusal.map_or(Ok(None), Err)
    }

    fn is_moodle(&self) -> bool {
        self.access.product.as_deref() == Some("moodle")
    }

    /// The trimmed text, or `None` if it is empty. Moodle's texts are HTML-encoded.
    fn text(&self, text: Option<&str>) -> Option<String> {
        if self.is_moodle() { non_empty(text.map(plain).as_deref()) } else { non_empty(text) }
    }

    fn named(&self, context: &Context) -> Option<String> {
        self.text(context.title.as_deref()).or_else(|| self.text(context.label.as_deref()))
    }

    /// Candidate roster URLs: the one from a launch first, then those built from the product's known paths.
    fn addresses(&self, given: &str, known_url: Option<&str>) -> Vec<String> {
        let built = self.built(given).into_iter().filter(|built| known_url != Some(built));
        known_url.map(str::to_owned).into_iter().chain(built).collect()
    }

    fn built(&self, given: &str) -> Vec<String> {
        if given.is_empty() || !given.bytes().all(|byte| byte.is_ascii_digit()) {
            return Vec::new();
        }
        let below = |root: &str, parts: &[&str]| {
            let mut url = Url::parse(root).ok()?;
            url.path_segments_mut().ok()?.pop_if_empty().extend(parts);
            url.set_query(None);
            Some(url.to_string())
        };
        match self.access.product.as_deref() {
            Some("canvas") => {
                let parts = ["api", "lti", "courses", given, "names_and_roles"];
                self.canvas().and_then(|tenant| below(&tenant, &parts)).into_iter().collect()
            }
            Some("moodle") => {
                let deployments = self.access.deployments.iter();
                let at = |deployment: &String| {
                    let course = ["mod", "lti", "services.php", "CourseSection", given];
                    let parts = [&course[..], &["bindings", deployment, "memberships"]].concat();
                    below(&self.access.issuer, &parts)
                };
                deployments.filter_map(at).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The origin of the institution's own Canvas. In the cloud, the token URL is shared by all tenants.
    fn canvas(&self) -> Option<String> {
        tenant(&self.access.token_url, self.access.known_roster.as_deref())
    }

    pub(super) async fn roster(&self, course: &Found, roles: &[Role]) -> Result<Roster> {
        let mut wrong = Error::Missing;
        for address in self.addresses(&course.id, course.memberships_url.as_deref()) {
            match self.roster_at(&address, roles).await {
                Err(why @ Error::Denied(_)) => wrong = why,
                Err(Error::Missing) => {}
                roster => return roster,
            }
        }
        Err(wrong)
    }

    async fn roster_at(&self, address: &str, roles: &[Role]) -> Result<Roster> {
        let mut page = limited(self.outbound.address(address)?, PER_PAGE);
        let (mut trail, mut people, mut title) = (Trail::from(&page), People::default(), None);
        let mut others = Others::default();
        loop {
            let (container, answer) = match self.get(Request::get(page), Retries::Many, read).await {
                Err(Error::Missing) if trail.is_under_way() => {
                    let why = "the platform says that a page of a roster is not there";
                    return Err(Error::Unavailable(why.to_owned()));
                }
                other => other?,
            };
            title = title.or_else(|| self.named(&container.context));
            for somebody in container.members {
                if somebody.is_one_of(roles) {
                    people.add(self.member(somebody)?)?;
                } else {
                    others.add(somebody.roles_here());
                }
            }
            match trail.next(&answer)? {
                Some(next) => page = next,
                None => {
                    let members = people.all();
                    let note = members.is_empty().then(|| others.note(roles, UNSEEN)).flatten();
                    return Ok(Roster { title, members, note });
                }
            }
        }
    }

    /// Only from the platform's own hosts, and without the token: pictures are not an LTI service.
    pub(super) async fn photo(&self, picture: &str) -> Result<Option<Bytes>> {
        let known = self.access.known_roster.as_ref();
        for root in [&self.access.issuer, &self.access.token_url].into_iter().chain(known) {
            let Ok(root) = Url::parse(root) else { continue };
            if let Some(url) = photos::within(&root, picture) {
                return photos::fetch(self.outbound, url).await;
            }
        }
        Ok(None)
    }

    pub(super) async fn check(
        &self,
        known: &[Found],
        roles: &[Role],
        accepted: &AtomicBool,
    ) -> Result<CheckReport> {
        self.access.new_service_token(self.outbound, Retries::Few).await?;
        accepted.store(true, Ordering::Relaxed);
        let keys = self.outbound.json(&self.access.jwks_url, &[]).await?;
        let many = keys["keys"].as_array().map_or(0, Vec::len);
        if many == 0 {
            let place = self.outbound.address(&self.access.jwks_url).map(|url| place(&url))?;
            return Err(Error::Unavailable(format!("{place} shows no keys of the platform")));
        }
        let reached = format!(
            "reached the platform {}: it gives us service tokens and shows its keys ({many})",
            self.access.issuer
        );
        let none = "none is known here until one is launched or synchronized";
        let mut sample = Sample::None(none.to_owned());
        for course in known {
            let title = shown(&course.title);
            match self.first_members(course, roles).await.map_err(|error| error.in_course(&title))? {
                Some(members) if !members.is_empty() => {
                    return Ok(CheckReport::new(&reached, Sample::People(title, members)));
                }
                Some(_) => sample = Sample::Nobody(title, None),
                None if matches!(sample, Sample::None(_)) => {
                    sample = Sample::None(format!("{title} is not there"));
                }
                None => {}
            }
        }
        Ok(CheckReport::new(&reached, sample))
    }

    /// Members on the first page of the roster. `None` if the course does not exist.
    async fn first_members(&self, course: &Found, roles: &[Role]) -> Result<Option<Vec<Member>>> {
        let mut refusal = None;
        for address in self.addresses(&course.id, course.memberships_url.as_deref()) {
            let first = limited(self.outbound.address(&address)?, &SAMPLED_PEOPLE.to_string());
            match self.get(Request::get(first), Retries::Few, read).await {
                // Another deployment may have access.
                Err(Error::Denied(why)) => refusal = Some(Error::Denied(why)),
                Err(Error::Missing) => {}
                Err(other) => return Err(other),
                Ok((container, _)) => {
                    let wanted = container.members.into_iter().filter(|one| one.is_one_of(roles));
                    return wanted.map(|one| self.member(one)).collect::<Result<Vec<_>>>().map(Some);
                }
            }
        }
        refusal.map_or(Ok(None), Err)
    }

    async fn get<T>(&self, ask: Request, retries: Retries, read: impl Fn(Answer) -> Result<T>) -> Result<T> {
        let mut token = self.access.service_token(self.outbound, retries).await?;
        let mut renewed = false;
        loop {
            let ask = ask.clone().bearer(&token).accept(JSON);
            let heard = |answer: Answer| {
                if answer.status == StatusCode::UNAUTHORIZED && !renewed {
                    return Ok::<_, Error>(None);
                }
                // An HTML error page comes from a proxy in front of the platform and may be temporary. 404 is the exception:
                // some platforms answer it with an HTML page.
                let is_missing = answer.status == StatusCode::NOT_FOUND;
                if !answer.status.is_success() && !is_missing && answer.is_page() {
                    let (place, status) = (place(&answer.url), answer.status.as_u16());
                    return Err(Error::Unavailable(format!(
                        "{place} answers {status} instead of the platform"
                    )));
                }
                read(answer.good()?).map(Some)
            };
            if let Some(heard) = self.outbound.send_retrying(retries, ask, heard).await? {
                return Ok(heard);
            }
            token = self.access.service_token_but(Some(&token), self.outbound, retries).await?;
            renewed = true;
        }
    }

    fn member(&self, one: NrpsMember) -> Result<Member> {
        let user_id = id(&one.user_id)
            .ok_or_else(|| Error::Unavailable("the platform answers somebody without an id".to_owned()))?;
        let part =
            |text: &Option<String>| text.as_deref().map(|text| self.text(Some(text)).unwrap_or_default());
        let (first, last) = (part(&one.given_name), part(&one.family_name));
        let (first_name, last_name) =
            names(first.as_deref(), last.as_deref(), self.text(one.name.as_deref()));
        Ok(Member {
            user_id,
            first_name,
            last_name,
            email: non_empty(one.email.as_deref()),
            identifier: self.text(id(&one.lis_person_sourcedid).as_deref()),
            photo_url: non_empty(one.picture.as_deref()).filter(|url| photos::is_real(url)),
        })
    }
}

const UNSEEN: &str =
    "let the tool see the course's students in the platform, with names and roles (NRPS) switched on";

impl NrpsMember {
    /// Each of them once.
    fn roles_here(&self) -> BTreeSet<Role> {
        lti_roles::in_course(&self.roles).into_iter().collect()
    }

    fn is_one_of(&self, roles: &[Role]) -> bool {
        let status = self.status.as_deref().map_or("active", str::trim).to_ascii_lowercase();
        let is_active = status.is_empty() || status == "active" || status.ends_with("#active");
        is_active && lti_roles::in_course(&self.roles).iter().any(|role| roles.contains(role))
    }
}

fn tenant(token_url: &str, known_roster: Option<&str>) -> Option<String> {
    let own = Url::parse(token_url).ok().filter(|url| !url.host_str().is_some_and(is_shared));
    let known = || Url::parse(known_roster?).ok();
    own.or_else(known).map(|url| url.origin().ascii_serialization())
}

/// Hosts of Canvas's cloud that are shared by all tenants.
fn is_shared(host: &str) -> bool {
    let all = ["canvas.instructure.com", "canvas.beta.instructure.com", "canvas.test.instructure.com"];
    all.contains(&host) || (host.starts_with("sso.") && host.ends_with(".canvaslms.com"))
}

/// Adds the page size. Keeps the platform's own query byte for byte.
fn limited(mut url: Url, many: &str) -> Url {
    let query = match url.query().filter(|query| !query.is_empty()) {
        Some(query) if query.split('&').any(|pair| pair.starts_with("limit=")) => query.to_owned(),
        Some(query) => format!("{query}&limit={many}"),
        None => format!("limit={many}"),
    };
    url.set_query(Some(&query));
    url
}

fn read(answer: Answer) -> Result<(Container, Answer)> {
    let container = serde_json::from_slice(&answer.body).map_err(|_| {
        Error::Unavailable(format!("{} answers something that is no roster", place(&answer.url)))
    });
    container.map(|container| (container, answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_joins_what_is_asked_already() {
        let limit = |url: &str| limited(Url::parse(url).unwrap(), "1").to_string();
        assert_eq!(limit("https://x/m"), "https://x/m?limit=1");
        assert_eq!(
            limit("https://x/m?rlid=a%26b&role=Learner"),
            "https://x/m?rlid=a%26b&role=Learner&limit=1"
        );
        assert_eq!(limit("https://x/m?r=a+b%20c;d&e"), "https://x/m?r=a+b%20c;d&e&limit=1");
        assert_eq!(limit("https://x/m?limit=50&p=2"), "https://x/m?limit=50&p=2");
    }

    #[test]
    fn what_all_of_a_cloud_share_is_nobodys_own() {
        for host in [
            "sso.canvaslms.com",
            "sso.beta.canvaslms.com",
            "canvas.instructure.com",
            "canvas.test.instructure.com",
        ] {
            let (token_url, roster) =
                (format!("https://{host}/token"), "https://x.instructure.com/api/lti?a=b");
            assert_eq!(tenant(&token_url, None), None);
            assert_eq!(tenant(&token_url, Some(roster)).as_deref(), Some("https://x.instructure.com"));
        }
        for host in ["example.instructure.com", "canvas.example.edu", "sso.example.edu", "canvaslms.com"] {
            let own = Some(format!("https://{host}"));
            assert_eq!(tenant(&format!("https://{host}/token"), Some("https://y.example/m")), own);
        }
    }
}

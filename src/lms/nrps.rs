//! Any learning system, by LTI 1.3's Names and Role Provisioning Services.

use bytes::Bytes;
use reqwest::{StatusCode, Url};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Error, Found, LtiAccess, Outbound, Result, Wanted, lti_roles,
    outbound::{Answer, Ask, place},
    pages::{People, Trail, id, said},
    patience::Patience,
    photos,
};
use crate::domain::roster::{Member, Role, Roster};

const JSON: &str = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json";
const PER_PAGE: &str = "100";

pub(super) struct Nrps<'a> {
    pub outbound: &'a Outbound,
    pub access: &'a LtiAccess,
}

#[derive(Deserialize)]
struct Container {
    #[serde(default)]
    context: Context,
    members: Vec<Somebody>,
}

#[derive(Deserialize, Default)]
struct Context {
    #[serde(default)]
    id: Value,
    title: Option<String>,
    label: Option<String>,
}

impl Context {
    fn named(&self) -> Option<String> {
        said(self.title.as_deref()).or_else(|| said(self.label.as_deref()))
    }
}

#[derive(Deserialize)]
struct Somebody {
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
    pub(super) async fn find(&self, course: &Wanted) -> Result<Option<Found>> {
        let mut refusal = None;
        for address in self.addresses(&course.given, course.memberships_url.as_deref()) {
            let first = limited(self.outbound.address(&address)?, "1");
            let answer = match self.get(first, Patience::Little).await {
                // Another deployment may be the one.
                Err(Error::Denied(why)) => {
                    refusal = Some(Error::Denied(why));
                    continue;
                }
                Err(Error::Missing) => continue,
                answer => answer?,
            };
            let context = read(&answer)?.context;
            let id = id(&context.id).unwrap_or_else(|| course.given.clone());
            let title = context.named().unwrap_or_else(|| id.clone());
            return Ok(Some(Found { id, title, memberships_url: Some(address) }));
        }
        refusal.map_or(Ok(None), Err)
    }

    /// Where a course's roster is: where a launch has told, or where it is known to be in this product.
    fn addresses(&self, given: &str, told: Option<&str>) -> Vec<String> {
        if let Some(told) = told {
            return vec![told.to_owned()];
        }
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
                let tenant = Url::parse(&self.access.token_url).map(|url| url.origin().ascii_serialization());
                let parts = ["api", "lti", "courses", given, "names_and_roles"];
                tenant.ok().and_then(|tenant| below(&tenant, &parts)).into_iter().collect()
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

    pub(super) async fn roster(&self, course: &Found, roles: &[Role]) -> Result<Roster> {
        let mut wrong = Error::Missing;
        for address in self.addresses(&course.id, course.memberships_url.as_deref()) {
            match self.roster_at(&address, roles).await {
                Err(why @ (Error::Missing | Error::Denied(_))) => wrong = why,
                roster => return roster,
            }
        }
        Err(wrong)
    }

    async fn roster_at(&self, address: &str, roles: &[Role]) -> Result<Roster> {
        let mut page = limited(self.outbound.address(address)?, PER_PAGE);
        let (mut trail, mut people, mut title) = (Trail::from(&page), People::default(), None);
        loop {
            let answer = self.get(page, Patience::Much).await?;
            let container = read(&answer)?;
            title = title.or_else(|| container.context.named());
            for somebody in container.members.into_iter().filter(|one| one.is_one_of(roles)) {
                people.add(somebody.member()?)?;
            }
            match trail.next(&answer)? {
                Some(next) => page = next,
                None => return Ok(Roster { title, members: people.all() }),
            }
        }
    }

    /// From where the platform itself is, and without its token: pictures are no service.
    pub(super) async fn photo(&self, picture: &str) -> Result<Option<Bytes>> {
        for root in [&self.access.issuer, &self.access.token_url] {
            let Ok(root) = Url::parse(root) else { continue };
            if let Some(url) = photos::within(&root, picture) {
                return photos::fetch(self.outbound, url).await;
            }
        }
        Ok(None)
    }

    pub(super) async fn check(&self) -> Result<String> {
        self.access.new_service_token(self.outbound, Patience::Little).await?;
        let keys = self.outbound.json(&self.access.jwks_url, &[]).await?;
        let many = keys["keys"].as_array().map_or(0, Vec::len);
        if many == 0 {
            let place = self.outbound.address(&self.access.jwks_url).map(|url| place(&url))?;
            return Err(Error::Unavailable(format!("{place} shows no keys of the platform")));
        }
        Ok(format!(
            "reached the platform {}: it gives us service tokens and shows its keys ({many}); whether it shows a course is seen \
             when one is synchronised",
            self.access.issuer
        ))
    }

    async fn get(&self, url: Url, patience: Patience) -> Result<Answer> {
        let mut token = self.access.service_token(self.outbound, patience).await?;
        let mut renewed = false;
        loop {
            let ask = Ask::get(url.clone()).bearer(&token).accept(JSON);
            let answer = self.outbound.patiently(patience, ask).await?;
            if answer.status == StatusCode::UNAUTHORIZED && !renewed {
                token = self.access.new_service_token(self.outbound, patience).await?;
                renewed = true;
                continue;
            }
            return answer.good();
        }
    }
}

impl Somebody {
    fn is_one_of(&self, roles: &[Role]) -> bool {
        let status = self.status.as_deref().map_or("active", str::trim).to_ascii_lowercase();
        let is_active = status.is_empty() || status == "active" || status.ends_with("#active");
        is_active && lti_roles::in_course(&self.roles).iter().any(|role| roles.contains(role))
    }

    fn member(self) -> Result<Member> {
        let user_id = id(&self.user_id)
            .ok_or_else(|| Error::Unavailable("the platform answers somebody without an id".to_owned()))?;
        let (mut first_name, last_name) =
            (said(self.given_name.as_deref()), said(self.family_name.as_deref()));
        if first_name.is_none() && last_name.is_none() {
            first_name = said(self.name.as_deref());
        }
        Ok(Member {
            user_id,
            first_name,
            last_name,
            email: said(self.email.as_deref()),
            identifier: id(&self.lis_person_sourcedid),
            photo_url: said(self.picture.as_deref()).filter(|url| photos::is_real(url)),
        })
    }
}

/// So many on a page. An address may have questions of its own already.
fn limited(mut url: Url, many: &str) -> Url {
    let kept: Vec<(String, String)> =
        url.query_pairs().into_owned().filter(|(name, _)| name != "limit").collect();
    url.query_pairs_mut().clear().extend_pairs(kept).append_pair("limit", many);
    url
}

fn read(answer: &Answer) -> Result<Container> {
    serde_json::from_slice(&answer.body).map_err(|_| {
        Error::Unavailable(format!("{} answers something that is no roster", place(&answer.url)))
    })
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
        assert_eq!(limit("https://x/m?limit=50&p=2"), "https://x/m?p=2&limit=1");
    }
}

//! SCIM: a directory provisions users and groups, and registrations and roles follow.

mod entra;
mod follow;
mod groups;
mod okta;
mod roles;
mod security;
mod tester;
mod users;

use endonym::{
    app::{
        Actor,
        scim::{Target, connections, groups as use_cases},
    },
    domain::{ids::ScimGroupId, name_page::NamePage, name_page::NamePageRef, scim::Connection},
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, World};

pub const USER: &str = "urn:ietf:params:scim:schemas:core:2.0:User";
pub const ENTERPRISE: &str = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
pub const ENDONYM: &str = "urn:ietf:params:scim:schemas:extension:endonym:2.0:User";

/// A directory that is connected to the world's institution.
pub struct Directory<'a> {
    pub world: &'a World,
    pub connection: Connection,
    pub token: String,
}

impl<'a> Directory<'a> {
    pub async fn new(world: &'a World) -> Self {
        Self::with(world, false).await
    }

    pub async fn with(world: &'a World, pages_from_groups: bool) -> Self {
        let new = connections::New { name: "Directory".into(), pages_from_groups };
        let made = connections::create(&world.app, &Actor::Operator, world.institution.id, new).await;
        let (connection, token) = made.unwrap();
        Self { world, connection, token }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}/scim/v2/{}{path}", self.world.base, self.world.institution.slug)
    }

    pub async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let mut request = self.world.client.request(method, self.url(path)).bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.header("content-type", "application/scim+json").body(body.to_string());
        }
        let answer = Answer::of(request).await;
        if !answer.body.is_null() {
            assert_eq!(answer.header("content-type"), "application/scim+json", "{path}");
        }
        if answer.status.is_client_error() || answer.status.is_server_error() {
            let error = "urn:ietf:params:scim:api:messages:2.0:Error";
            assert_eq!(answer.body["schemas"], json!([error]), "{path}: {}", answer.body);
            assert_eq!(answer.body["status"], answer.status.as_str(), "{path}");
        }
        answer
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, Some(body)).await
    }

    pub async fn patch(&self, path: &str, operations: Value) -> Answer {
        let schema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
        self.send(Method::PATCH, path, Some(json!({ "schemas": [schema], "Operations": operations }))).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }

    /// Creates a user with this email, and returns the id.
    pub async fn user(&self, given: &str, family: &str, email: &str) -> String {
        let name = json!({ "givenName": given, "familyName": family });
        let emails = json!([{ "value": email, "type": "work", "primary": true }]);
        let body =
            json!({ "schemas": [USER], "userName": email, "name": name, "emails": emails, "active": true });
        id(&self.post("/Users", body).await.expect(201))
    }

    /// Creates a group with these members, and returns the id.
    pub async fn group(&self, name: &str, members: &[&str]) -> String {
        let members: Vec<Value> = members.iter().map(|id| json!({ "value": id })).collect();
        id(&self.post("/Groups", json!({ "displayName": name, "members": members })).await.expect(201))
    }

    pub async fn map(&self, group: &str, target: Target) {
        let (app, institution) = (&self.world.app, self.world.institution.id);
        let group: ScimGroupId = group.parse().unwrap();
        use_cases::map(app, &Actor::Operator, institution, group, target, None).await.unwrap();
    }

    /// The group registers on the page.
    pub async fn map_to(&self, group: &str, page: &NamePage) {
        self.map(group, Target::Page(reference(page))).await;
    }

    pub async fn set_active(&self, user: &str, active: bool) {
        let operations = json!([{ "op": "replace", "value": { "active": active } }]);
        self.patch(&format!("/Users/{user}"), operations).await.expect(200);
    }
}

pub fn reference(page: &NamePage) -> NamePageRef {
    NamePageRef::parse(&page.slug).unwrap()
}

pub fn id(resource: &Value) -> String {
    resource["id"].as_str().unwrap().to_owned()
}

/// Full names of everybody on a page, in order, with their emails.
pub async fn people(world: &World, page: &NamePage) -> Vec<String> {
    let text = "SELECT first_name, last_name, email FROM participants WHERE institution_id = $1 AND name_page_id = $2 \
                ORDER BY page_place";
    let read = |row: &endonym::store::Row<'_>| {
        let parts = [row.opt_text(0)?, row.opt_text(1)?, row.opt_text(2)?];
        Ok(parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    };
    let params = [world.institution.id.into(), page.id.into()];
    world.app.db.read().rows(text, &params, read).await.unwrap()
}

/// What the API says of an email.
pub async fn looked_up(world: &World, email: &str) -> Vec<Value> {
    let found = world.get(&format!("/v5/participants/latest?tokens={email}")).await;
    match found.status.as_u16() {
        404 => Vec::new(),
        _ => found.expect(200)["participants"].as_array().unwrap().clone(),
    }
}

pub async fn count(world: &World, table: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {table}");
    world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

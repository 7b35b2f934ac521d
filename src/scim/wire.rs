//! Resources and lists as JSON.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::ScimRequest;
use crate::{
    app::scim::{GroupView, Said, UserView},
    domain::{
        ids::{ScimGroupId, ScimUserId},
        moment::Moment,
        scim::{
            resource::{Object, Selection},
            schema::{ENDONYM, ENTERPRISE, GROUP, GROUPS, ResourceType, USER, USERS},
            user::DIRECTORY_HOLD,
        },
    },
    http::reply::raw_json,
};

const SCIM_JSON: HeaderValue = HeaderValue::from_static("application/scim+json");

pub fn scim_json(status: StatusCode, body: Body) -> Response {
    let mut response = raw_json(status, body);
    response.headers_mut().insert(header::CONTENT_TYPE, SCIM_JSON);
    response
}

pub fn json_of(status: StatusCode, value: &Value) -> Response {
    scim_json(status, Body::from(value.to_string()))
}

pub fn no_content() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// A new resource, with its URL.
pub fn created(location: &str, resource: &Value) -> Response {
    let mut response = json_of(StatusCode::CREATED, resource);
    if let Ok(location) = HeaderValue::try_from(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// A part of a list. `start` counts from 1.
pub fn list(total: usize, start: i64, resources: Vec<Value>) -> Response {
    let body = json!({
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
        "totalResults": total,
        "startIndex": start,
        "itemsPerPage": resources.len(),
        "Resources": resources,
    });
    json_of(StatusCode::OK, &body)
}

impl ScimRequest {
    pub fn location(&self, kind: &ResourceType, id: impl std::fmt::Display) -> String {
        format!("{}{}/{id}", self.base, kind.endpoint)
    }

    fn meta(
        &self,
        kind: &ResourceType,
        id: impl std::fmt::Display,
        (created, changed): (Moment, Moment),
    ) -> Value {
        let zone = TimeZone::UTC;
        json!({
            "resourceType": kind.name,
            "created": created.shown_in(&zone),
            "lastModified": changed.shown_in(&zone),
            "location": self.location(kind, id),
        })
    }

    pub fn user(&self, view: &UserView, selection: &Selection) -> Value {
        let stored = &view.stored;
        let mut user: Object = stored.user.resource.clone();
        if let Some(said) = &view.said {
            let mut own = match user.remove(ENDONYM.id) {
                Some(Value::Object(own)) => own,
                _ => Object::new(),
            };
            // As it is, whoever has said so.
            if said.directory_hold || own.contains_key(DIRECTORY_HOLD) {
                own.insert(DIRECTORY_HOLD.to_owned(), json!(said.directory_hold));
            }
            own.extend(self.said(said));
            user.insert(ENDONYM.id.to_owned(), Value::Object(own));
        }
        let extensions = [ENTERPRISE.id, ENDONYM.id].into_iter().filter(|id| user.contains_key(*id));
        let schemas: Vec<&str> = [USER.id].into_iter().chain(extensions).collect();
        user.insert("schemas".to_owned(), json!(schemas));
        user.insert("id".to_owned(), json!(stored.id.to_string()));
        if !view.groups.is_empty() {
            let group = |(id, name): &(ScimGroupId, String)| {
                json!({
                    "value": id.to_string(),
                    "$ref": self.location(&GROUPS, id),
                    "display": name,
                    "type": "direct",
                })
            };
            user.insert("groups".to_owned(), view.groups.iter().map(group).collect());
        }
        let times = (stored.created_at, stored.updated_at);
        user.insert("meta".to_owned(), self.meta(&USERS, stored.id, times));
        Value::Object(selection.apply(user))
    }

    /// What a badge shows to everybody.
    fn said(&self, said: &Said) -> Object {
        let (links, institution) = (&self.app.links, self.institution);
        let mut shown = Object::new();
        shown.insert("recorded".to_owned(), json!(said.recorded));
        if !said.directory_hold {
            shown.insert("badgeUrl".to_owned(), json!(links.name_badge(institution, &said.token)));
        }
        if let Some(phonetic) = &said.phonetic {
            shown.insert("phoneticSpelling".to_owned(), json!(phonetic));
        }
        if let Some(recording) = &said.recording {
            shown.insert("audioUrl".to_owned(), json!(links.recording(institution, recording)));
        }
        shown
    }

    pub fn group(&self, view: &GroupView, selection: &Selection) -> Value {
        let stored = &view.stored;
        let mut group: Object = stored.group.resource.clone();
        group.insert("schemas".to_owned(), json!([GROUP.id]));
        group.insert("id".to_owned(), json!(stored.id.to_string()));
        if let Some(members) = view.members.as_ref().filter(|members| !members.is_empty()) {
            let member = |id: &ScimUserId| json!({ "value": id.to_string(), "$ref": self.location(&USERS, id), "type": "User" });
            group.insert("members".to_owned(), members.iter().map(member).collect());
        }
        let times = (stored.created_at, stored.updated_at);
        group.insert("meta".to_owned(), self.meta(&GROUPS, stored.id, times));
        Value::Object(selection.apply(group))
    }
}

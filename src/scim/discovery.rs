//! What this service provider can do, and what its resources look like (RFC 7644, 4).

use axum::{http::StatusCode, response::Response};
use serde_json::{Value, json};

use super::{
    MOST_RESOURCES, ScimRequest,
    problem::Problem,
    wire::{json_of, list},
};
use crate::domain::scim::schema::{Attribute, RESOURCE_TYPES, ResourceType, SCHEMAS, Schema};

pub async fn configuration(request: ScimRequest) -> Result<Response, Problem> {
    let body = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
        "patch": { "supported": true },
        "bulk": { "supported": false, "maxOperations": 0, "maxPayloadSize": 0 },
        "filter": { "supported": true, "maxResults": MOST_RESOURCES },
        "changePassword": { "supported": false },
        "sort": { "supported": false },
        "etag": { "supported": false },
        "authenticationSchemes": [{
            "type": "oauthbearertoken",
            "name": "Bearer token",
            "description": "The token of a SCIM connection, which an owner of the institution creates",
            "specUri": "https://www.rfc-editor.org/info/rfc6750",
            "primary": true,
        }],
        "meta": {
            "resourceType": "ServiceProviderConfig",
            "location": format!("{}/ServiceProviderConfig", request.base),
        },
    });
    Ok(json_of(StatusCode::OK, &body))
}

pub async fn schemas(request: ScimRequest) -> Result<Response, Problem> {
    let all: Vec<Value> = SCHEMAS.iter().map(|schema| shown(&request, schema)).collect();
    Ok(list(all.len(), 1, all))
}

pub async fn schema(request: ScimRequest) -> Result<Response, Problem> {
    let found = SCHEMAS.iter().find(|schema| schema.id.eq_ignore_ascii_case(&request.id));
    let found = found.ok_or(Problem::NoSuchEndpoint)?;
    Ok(json_of(StatusCode::OK, &shown(&request, found)))
}

pub async fn resource_types(request: ScimRequest) -> Result<Response, Problem> {
    let all: Vec<Value> = RESOURCE_TYPES.iter().map(|kind| shown_type(&request, kind)).collect();
    Ok(list(all.len(), 1, all))
}

pub async fn resource_type(request: ScimRequest) -> Result<Response, Problem> {
    let found = RESOURCE_TYPES.iter().find(|kind| kind.name.eq_ignore_ascii_case(&request.id));
    let found = found.ok_or(Problem::NoSuchEndpoint)?;
    Ok(json_of(StatusCode::OK, &shown_type(&request, found)))
}

fn shown(request: &ScimRequest, schema: &Schema) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
        "id": schema.id,
        "name": schema.name,
        "description": schema.description,
        "attributes": schema.attributes.iter().map(attribute).collect::<Vec<_>>(),
        "meta": {
            "resourceType": "Schema",
            "location": format!("{}/Schemas/{}", request.base, schema.id),
        },
    })
}

fn attribute(attribute: &Attribute) -> Value {
    let mut shown = json!({
        "name": attribute.name,
        "type": attribute.kind.word(),
        "multiValued": attribute.is_many,
        "description": attribute.description,
        "required": attribute.is_required,
        "caseExact": attribute.is_case_exact,
        "mutability": attribute.mutability.word(),
        "returned": "default",
        "uniqueness": if attribute.is_unique { "server" } else { "none" },
    });
    if let Some(shown) = shown.as_object_mut() {
        if !attribute.canonical.is_empty() {
            shown.insert("canonicalValues".to_owned(), json!(attribute.canonical));
        }
        if !attribute.refers_to.is_empty() {
            shown.insert("referenceTypes".to_owned(), json!(attribute.refers_to));
        }
        if !attribute.parts.is_empty() {
            let parts = attribute.parts.iter().map(self::attribute).collect();
            shown.insert("subAttributes".to_owned(), Value::Array(parts));
        }
    }
    shown
}

fn shown_type(request: &ScimRequest, kind: &ResourceType) -> Value {
    let extension = |schema: &&Schema| json!({ "schema": schema.id, "required": false });
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
        "id": kind.name,
        "name": kind.name,
        "description": kind.description,
        "endpoint": kind.endpoint,
        "schema": kind.schema.id,
        "schemaExtensions": kind.extensions.iter().map(extension).collect::<Vec<_>>(),
        "meta": {
            "resourceType": "ResourceType",
            "location": format!("{}/ResourceTypes/{}", request.base, kind.name),
        },
    })
}

//! `/Groups`.

use axum::{http::StatusCode, response::Response};

use super::{
    ListQuery, ScimRequest,
    problem::Problem,
    wire::{created, json_of, list as listed, no_content},
};
use crate::{
    app::{Error, Missing, scim::groups},
    domain::{
        ids::ScimGroupId,
        scim::{resource::Selection, schema::GROUPS},
    },
};

/// What is no id of ours is no group's.
fn id(request: &ScimRequest) -> Result<ScimGroupId, Problem> {
    Ok(request.id.parse().map_err(|_| Error::Missing(Missing::ScimGroup))?)
}

/// What is shown of groups, and whether their members are: there may be very many.
fn selection(request: &ScimRequest) -> (Selection, bool) {
    let selection = request.selection(&GROUPS);
    let with_members = selection.shows("members");
    (selection, with_members)
}

pub async fn list(request: ScimRequest) -> Result<Response, Problem> {
    let ScimRequest { app, actor, institution, .. } = &request;
    let (selection, with_members) = selection(&request);
    let ListQuery { start, query } = request.list_query()?;
    let found = groups::list(app, actor, *institution, &query, with_members).await?;
    let resources = found.resources.iter().map(|group| request.group(group, &selection)).collect();
    Ok(listed(found.total, start, resources))
}

pub async fn create(request: ScimRequest) -> Result<Response, Problem> {
    let ScimRequest { app, actor, institution, .. } = &request;
    let (selection, with_members) = selection(&request);
    let made = groups::create(app, actor, *institution, &request.json()?, with_members).await?;
    let location = request.location(&GROUPS, made.stored.id);
    Ok(created(&location, &request.group(&made, &selection)))
}

pub async fn find(request: ScimRequest) -> Result<Response, Problem> {
    let ScimRequest { app, actor, institution, .. } = &request;
    let (selection, with_members) = selection(&request);
    let found = groups::find(app, actor, *institution, id(&request)?, with_members).await?;
    Ok(json_of(StatusCode::OK, &request.group(&found, &selection)))
}

pub async fn replace(request: ScimRequest) -> Result<Response, Problem> {
    let ScimRequest { app, actor, institution, .. } = &request;
    let (selection, with_members) = selection(&request);
    let (id, body) = (id(&request)?, request.json()?);
    let changed = groups::replace(app, actor, *institution, id, &body, with_members).await?;
    Ok(json_of(StatusCode::OK, &request.group(&changed, &selection)))
}

/// Without a body, unless attributes are asked for (RFC 7644, 3.5.2).
pub async fn patch(request: ScimRequest) -> Result<Response, Problem> {
    let ScimRequest { app, actor, institution, .. } = &request;
    let id = id(&request)?;
    groups::patch(app, actor, *institution, id, &request.json()?).await?;
    if request.query.get("attributes").is_none() {
        return Ok(no_content());
    }
    let (selection, with_members) = selection(&request);
    let changed = groups::find(app, actor, *institution, id, with_members).await?;
    Ok(json_of(StatusCode::OK, &request.group(&changed, &selection)))
}

pub async fn delete(request: ScimRequest) -> Result<Response, Problem> {
    let ScimRequest { app, actor, institution, .. } = &request;
    groups::delete(app, actor, *institution, id(&request)?).await?;
    Ok(no_content())
}

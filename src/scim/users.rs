//! `/Users`.

use axum::{http::StatusCode, response::Response};

use super::{
    ListQuery, ScimRequest,
    problem::Problem,
    wire::{created, json_of, list as listed, no_content},
};
use crate::{
    app::{Error, Missing, scim::users},
    domain::{ids::ScimUserId, scim::schema::USERS},
};

/// What is no id of ours is nobody's.
fn id(request: &ScimRequest) -> Result<ScimUserId, Problem> {
    Ok(request.id.parse().map_err(|_| Error::Missing(Missing::ScimUser))?)
}

pub async fn list(request: ScimRequest) -> Result<Response, Problem> {
    let ScimRequest { app, actor, institution, .. } = &request;
    let ListQuery { start, query } = request.list_query()?;
    let found = users::list(app, actor, *institution, &query).await?;
    let selection = request.selection(&USERS);
    let resources = found.resources.iter().map(|user| request.user(user, &selection)).collect();
    Ok(listed(found.total, start, resources))
}

pub async fn create(request: ScimRequest) -> Result<Response, Problem> {
    let ScimRequest { app, actor, institution, .. } = &request;
    let made = users::create(app, actor, *institution, &request.json()?).await?;
    let location = request.location(&USERS, made.stored.id);
    Ok(created(&location, &request.user(&made, &request.selection(&USERS))))
}

pub async fn find(request: ScimRequest) -> Result<Response, Problem> {
    let ScimRequest { app, actor, institution, .. } = &request;
    let found = users::find(app, actor, *institution, id(&request)?).await?;
    Ok(json_of(StatusCode::OK, &request.user(&found, &request.selection(&USERS))))
}

pub async fn replace(request: ScimRequest) -> Result<Response, Problem> {
    let ScimRequest { app, actor, institution, .. } = &request;
    let changed = users::replace(app, actor, *institution, id(&request)?, request.json()?).await?;
    Ok(json_of(StatusCode::OK, &request.user(&changed, &request.selection(&USERS))))
}

pub async fn patch(request: ScimRequest) -> Result<Response, Problem> {
    let ScimRequest { app, actor, institution, .. } = &request;
    let changed = users::patch(app, actor, *institution, id(&request)?, &request.json()?).await?;
    Ok(json_of(StatusCode::OK, &request.user(&changed, &request.selection(&USERS))))
}

pub async fn delete(request: ScimRequest) -> Result<Response, Problem> {
    let ScimRequest { app, actor, institution, .. } = &request;
    users::delete(app, actor, *institution, id(&request)?).await?;
    Ok(no_content())
}

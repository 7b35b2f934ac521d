//! `/lti/login`: a platform sends a browser to begin a launch.

use axum::{
    body::Body,
    extract::{RawQuery, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};

use super::{
    cookie,
    form::{self, Form},
    pages,
};
use crate::app::{
    App,
    lti::logins::{self, Asked},
};

pub async fn from_query(State(app): State<App>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    begin(&app, &Form::from_query(&query.unwrap_or_default()), &headers).await
}

pub async fn from_form(State(app): State<App>, request: Request) -> Response {
    let headers = request.headers().clone();
    match form::read(request).await {
        Ok(form) => begin(&app, &form, &headers).await,
        Err(status) => pages::unreadable(&app, status),
    }
}

async fn begin(app: &App, form: &Form, headers: &HeaderMap) -> Response {
    let must = |name: &str| form.filled(name).unwrap_or_default();
    let asked = Asked {
        iss: must("iss"),
        login_hint: must("login_hint"),
        target_link_uri: must("target_link_uri"),
        client_id: form.filled("client_id"),
        lti_message_hint: form.filled("lti_message_hint"),
        lti_deployment_id: form.filled("lti_deployment_id"),
    };
    match logins::begin(app, asked, cookie::read(headers)).await {
        Ok(begun) => {
            let (Ok(address), Some(cookie)) =
                (HeaderValue::try_from(&begun.address), cookie::set(app, &begun.browser))
            else {
                return pages::unreadable(app, StatusCode::BAD_REQUEST);
            };
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::FOUND;
            let headers = response.headers_mut();
            headers.insert(header::LOCATION, address);
            headers.insert(header::SET_COOKIE, cookie);
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
            response
        }
        Err(fault) => pages::fault(app, fault),
    }
}

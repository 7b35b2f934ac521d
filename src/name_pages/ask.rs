//! `/p/{slug}/people/{id}/ask`: a listener asks somebody for a recording. On a page for everybody with the link, visitors who have
//! not signed in may do so, too.

use axum::{
    extract::{FromRequest, Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    people::{self, Wanted},
    visit::Visit,
};
use crate::{
    app::{
        App,
        listening::{self, Answer},
    },
    http::{
        form::Form,
        html::root,
        notice,
        path::Path,
        reply,
        session::{OwnForm, VisitorForm, signed_out},
    },
    words::Words,
};

/// The answer is the same whether or not a message is sent: nobody learns who does not want one, or cannot get one.
pub async fn ask(
    State(app): State<App>,
    visit: Visit,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Response {
    let is_script = reply::is_json_wanted(request.headers());
    let form = match read(&app, &visit, request, is_script).await {
        Ok(form) => form,
        Err(refusal) => return refusal,
    };
    let wanted =
        Wanted::read(&Form::from_query(form.get("back").unwrap_or_default().trim_start_matches('?')));
    let address = people::path_to(&visit.public, &wanted, &[]);
    let (listener, client) = (people::listener(&visit), visit.visitor.client);
    let words = Words::new(visit.language);
    match listening::ask(&app, listener, client, &visit.public, &id).await {
        Ok(Answer::Accepted) if is_script => reply::message(StatusCode::OK, &words.text("people-asked")),
        Ok(Answer::Accepted) => {
            let back = people::path_to(&visit.public, &wanted, &[("done", "asked")]);
            reply::see_other(&format!("{}{back}", root(&app.links)))
        }
        Ok(Answer::TooMany { retry_after }) => {
            if is_script {
                let response = reply::message(StatusCode::TOO_MANY_REQUESTS, &words.text("people-too-many"));
                return reply::with_retry_after(response, retry_after);
            }
            too_many(&app, &visit, &address, retry_after)
        }
        Err(error) => people::refused(&app, &visit, &address, &error),
    }
}

/// Reads the form, which has the token of the session or, without one, of the visitor's cookie (`Visit::page`).
async fn read(app: &App, visit: &Visit, request: Request, is_script: bool) -> Result<Form, Response> {
    if visit.who.is_some() {
        return OwnForm::from_request(request, app).await.map(|sent| sent.form);
    }
    // Before the form is read: where visitors may not listen, the session has ended, and its token is of no use.
    if let Err(error) = listening::check(app, None, &visit.public).await {
        let address = people::path(&visit.public);
        return Err(if is_script {
            signed_out(visit.language)
        } else {
            people::refused(app, visit, &address, &error)
        });
    }
    VisitorForm::from_request(request, app).await.map(|sent| sent.form)
}

/// The response to too many requests from one network.
pub fn too_many(app: &App, visit: &Visit, address: &str, retry_after: u64) -> Response {
    notice::too_many(visit.page(app, address), "people-too-many-title", "people-too-many", retry_after)
}

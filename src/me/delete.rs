//! `/me/delete`: a person deletes everything that is stored about them.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{
    notice, own,
    session::{OwnForm, SignedIn, remove_cookie},
};
use crate::{
    app::{
        App,
        own_person::{self, OwnPerson},
        persons,
    },
    http::{
        page::{self, Look, Microphone, Page},
        policy::{Forms, Policy},
    },
};

const PATH: &str = "/me/delete";

#[derive(Template)]
#[template(path = "me/delete.html")]
struct DeletePage<'a> {
    page: Page<'a>,
    own: &'a OwnPerson,
}

/// Says what will be deleted.
pub async fn confirm(State(app): State<App>, signed_in: SignedIn) -> Response {
    if signed_in.is_handed_over() {
        return notice::handed_over(&app, &signed_in);
    }
    let own = match own_person::find(&app, &signed_in.actor(), &signed_in.session.person).await {
        Ok(own) => own,
        Err(error) => return own::fault(&app, &signed_in, error).await,
    };
    let look = Look { institution: Some(own.institution.name.clone()), ..Look::default() };
    let shown = DeletePage { page: Page { look, ..signed_in.page(&app, PATH) }, own: &own };
    let policy = Policy { forms: Forms::SelfOnly, ..Policy::default() };
    page::private(StatusCode::OK, &shown, policy, Microphone::Unused)
}

/// Deletes all of it, sessions included.
pub async fn delete(State(app): State<App>, OwnForm { signed_in, .. }: OwnForm) -> Response {
    if signed_in.is_handed_over() {
        return notice::handed_over(&app, &signed_in);
    }
    let person = &signed_in.session.person;
    let erased = persons::erase(&app, &signed_in.actor(), person.institution, person.email_key.clone()).await;
    let erased = match erased {
        Ok(erased) => erased,
        Err(error) => return own::fault(&app, &signed_in, error).await,
    };
    if erased.files_left > 0 || matches!(erased.files, persons::Files::Failed(_)) {
        tracing::error!(?erased, "remains of a person who deleted everything must be removed by hand");
    }
    let page = Page::new(&app.links, signed_in.language(), "/sign-in");
    let mut response = notice::show(StatusCode::OK, page, "data-deleted-title", "data-deleted");
    remove_cookie(&app, &mut response);
    response
}

//! `/me/delete`: a person deletes everything that is stored about them.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{
    notice, own,
    session::{OwnForm, SignedIn, remove_cookie},
};
use crate::{
    app::{
        App, Error, Missing, Result, institutions, members,
        own_person::{self, OwnRegistration},
        persons::{self, Erased, Rewrite},
        sign_in,
    },
    domain::institution::Institution,
    http::{
        page::{self, Microphone, Page},
        policy::{Forms, Policy},
    },
};

const PATH: &str = "/me/delete";

#[derive(Template)]
#[template(path = "me/delete.html")]
struct DeletePage<'a> {
    page: Page<'a>,
    institution: &'a str,
    registrations: &'a [OwnRegistration],
    /// The person has a role, which is deleted, too.
    is_member: bool,
}

/// Says what will be deleted.
pub async fn confirm(State(app): State<App>, signed_in: SignedIn) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    let (institution, registrations, is_member) = match read(&app, &signed_in).await {
        Ok(read) => read,
        Err(error) => return own::fault(&app, &signed_in, error).await,
    };
    let shown = DeletePage {
        page: signed_in.page(&app, PATH),
        institution: &institution.name,
        registrations: &registrations,
        is_member,
    };
    let policy = Policy { forms: Forms::SelfOnly, ..Policy::default() };
    page::private(StatusCode::OK, &shown, policy, Microphone::Unused)
}

/// The institution, the person's registrations, and whether they have a role. Members and people who are invited may have no
/// registration.
async fn read(app: &App, signed_in: &SignedIn) -> Result<(Institution, Vec<OwnRegistration>, bool)> {
    let person = &signed_in.session.person;
    let is_member = members::find(app, person).await?.is_some();
    let is_known = sign_in::may_sign_in(app, person).await?;
    match own_person::find(app, &signed_in.actor(), person).await {
        Ok(own) => Ok((own.institution, own.registrations, is_member)),
        Err(Error::Missing(Missing::Participant)) if is_known => {
            Ok((institutions::by_id(app, person.institution).await?, Vec::new(), is_member))
        }
        Err(error) => Err(error),
    }
}

/// Deletes all of it, sessions included.
pub async fn delete(State(app): State<App>, OwnForm { signed_in, .. }: OwnForm) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    let person = &signed_in.session.person;
    let (actor, email_key) = (signed_in.actor(), person.email_key.clone());
    // Rewriting the database would stop everybody's writes.
    let erased = match persons::erase(&app, &actor, person.institution, email_key, Rewrite::Later).await {
        Ok(erased) => erased,
        // The only thing that can be wrong.
        Err(Error::Invalid(_)) => {
            let page = signed_in.page(&app, "/me");
            return notice::show(StatusCode::CONFLICT, page, "member-last-owner-title", "member-last-owner");
        }
        Err(error) => return own::fault(&app, &signed_in, error).await,
    };
    if erased.files_left > 0 || erased.reports_failed.is_some() {
        tracing::error!(?erased, "files of a person who deleted everything are left; this is retried");
    }
    let page = Page::new(&app.links, signed_in.language(), "/sign-in");
    let (title, sentence) = told(&erased);
    let mut response = notice::show(StatusCode::OK, page, title, sentence);
    remove_cookie(&app, &mut response);
    response
}

/// The ids of the title and of the sentence.
fn told(erased: &Erased) -> (&'static str, &'static str) {
    let files_remain = erased.files_left > 0 || erased.files_pending;
    if erased.takes_left > 0 || files_remain || erased.report_under_way {
        return ("data-deleting-title", "data-deleting");
    }
    ("data-deleted-title", "data-deleted")
}

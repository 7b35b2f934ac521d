//! `/me/copy`: everything that is stored about a person, as a ZIP file.

use axum::{extract::State, response::Response};

use super::{notice, own, session::SignedIn};
use crate::{
    app::{
        App, Result, institutions,
        persons::{self, Archive},
    },
    http::download::{self, Kind},
};

const KIND: Kind<'_> = Kind {
    content_type: "application/zip",
    file_name: Some("my-name.zip"),
    subject: "a copy of a person's data",
};

pub async fn download(State(app): State<App>, signed_in: SignedIn) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    match send_fresh(&app, &signed_in).await {
        Ok(sent) => sent,
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}

/// Whoever sits down at a computer on which somebody is signed in does not carry everything away.
async fn send_fresh(app: &App, signed_in: &SignedIn) -> Result<Response> {
    let person = &signed_in.session.person;
    let institution = institutions::by_id(app, person.institution).await?;
    if !signed_in.is_fresh(app) {
        return Ok(signed_in.ask_again(app, &institution.slug, "/me"));
    }
    let export = persons::export(app, &signed_in.actor(), &institution, person.email_key.clone()).await?;
    download::send(Archive::new(app, export), KIND).await
}

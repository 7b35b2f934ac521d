//! `/me/copy`: everything that is stored about a person, as a ZIP file.

use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, header},
    response::Response,
};
use futures_util::stream;

use super::{notice, own, session::SignedIn};
use crate::app::{
    App, Error, Result, institutions,
    persons::{self, Archive},
};

pub async fn download(State(app): State<App>, signed_in: SignedIn) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    match archive(&app, &signed_in).await {
        Ok(archive) => sent(archive),
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}

async fn archive(app: &App, signed_in: &SignedIn) -> Result<Archive> {
    let person = &signed_in.session.person;
    let institution = institutions::by_id(app, person.institution).await?;
    let export = persons::export(app, &signed_in.actor(), &institution, person.email_key.clone()).await?;
    Ok(Archive::new(app, export))
}

fn sent(archive: Archive) -> Response {
    let chunks = stream::try_unfold(archive, |mut archive| async move {
        match archive.next().await {
            Ok(Some(chunk)) => Ok(Some((chunk, archive))),
            Ok(None) => Ok::<_, Error>(None),
            Err(error) => {
                // The connection breaks, so that nobody takes the file for complete.
                tracing::error!(%error, "sending a copy of a person's data failed");
                Err(error)
            }
        }
    });
    let mut response = Response::new(Body::from_stream(chunks));
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "application/zip"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"my-name.zip\""),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

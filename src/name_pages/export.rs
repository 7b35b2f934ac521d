//! `/p/{slug}/export`: everybody on a page as a file, for managers.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::visit::{Managed, Visit};
use crate::{
    app::{
        App, Error, Missing, Result,
        page_exports::{self, Format},
    },
    domain::name_page::NamePageRef,
    http::{
        download::{self, Kind},
        form::Form,
        notice,
        page::Page,
    },
};

#[derive(Template)]
#[template(path = "name_pages/export.html")]
struct ExportPage<'a> {
    page: Page<'a>,
    slug: &'a str,
    title: &'a str,
}

/// The choice of a format, or the file in this format.
pub async fn show(State(app): State<App>, Managed(visit): Managed, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let path = visit.path("/export");
    let Some(word) = query.get("format") else {
        let shown = ExportPage {
            page: visit.page(&app, &path),
            slug: &visit.public.page.slug,
            title: &visit.public.page.title,
        };
        return visit.show_plain(&app, StatusCode::OK, &shown);
    };
    if let Some(sign_in) = visit.ask_again(&app, "/export") {
        return sign_in;
    }
    let sent = match Format::parse(word) {
        Some(format) => send(&app, &visit, format).await,
        None => Err(Error::Missing(Missing::Export)),
    };
    sent.unwrap_or_else(|error| notice::fault(visit.page(&app, &path), &error))
}

async fn send(app: &App, visit: &Visit, format: Format) -> Result<Response> {
    let missing = || Error::Missing(Missing::NamePage);
    let actor = visit.actor.as_ref().ok_or_else(missing)?;
    let page = NamePageRef::parse(&visit.public.page.id.to_string()).ok_or_else(missing)?;
    let (institution, language) = (visit.public.institution.id, visit.language);
    let begun = page_exports::export(app, actor, institution, &page, format, &app.links, language);
    let export = begun.await?;
    let (content_type, file_name) = (export.format.content_type(), export.file_name());
    let subject = "the export of a name page";
    download::send(export, Kind { content_type, file_name: Some(&file_name), subject }).await
}

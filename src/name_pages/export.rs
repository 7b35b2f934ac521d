//! `/p/{slug}/export`: everybody on a page as a file, for managers.

use askama::Template;
use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use futures_util::stream;

use super::visit::{Managed, Visit};
use crate::{
    app::{
        App, Error, Missing, Result,
        page_exports::{self, Format, PageExport},
    },
    domain::name_page::NamePageRef,
    http::{form::Form, notice, page::Page},
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
    let begun = match Format::parse(word) {
        Some(format) => begin(&app, &visit, format).await,
        None => Err(Error::Missing(Missing::Export)),
    };
    match begun {
        Ok((export, first)) => sent(export, first),
        Err(error) => notice::fault(visit.page(&app, &path), &error),
    }
}

/// Reads the first chunk, too: until then, a failure can be a page.
async fn begin(app: &App, visit: &Visit, format: Format) -> Result<(PageExport, Option<Bytes>)> {
    let missing = || Error::Missing(Missing::NamePage);
    let actor = visit.actor.as_ref().ok_or_else(missing)?;
    let page = NamePageRef::parse(&visit.public.page.id.to_string()).ok_or_else(missing)?;
    let (institution, language) = (visit.public.institution.id, visit.language);
    let begun = page_exports::export(app, actor, institution, &page, format, &app.links, language);
    let mut export = begun.await?;
    let first = export.next().await?;
    Ok((export, first))
}

fn sent(export: PageExport, first: Option<Bytes>) -> Response {
    let (content_type, file_name) = (export.format.content_type(), export.file_name());
    let chunks = stream::try_unfold((export, first), |(mut export, first)| async move {
        let chunk = match first {
            Some(first) => Ok(Some(first)),
            None => export.next().await,
        };
        match chunk {
            Ok(Some(chunk)) => Ok(Some((chunk, (export, None)))),
            Ok(None) => Ok::<_, Error>(None),
            Err(error) => {
                // The connection breaks, so that nobody takes the file for complete.
                tracing::error!(%error, "sending an export of a name page failed");
                Err(error)
            }
        }
    });
    let mut response = Response::new(Body::from_stream(chunks));
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    let disposition = HeaderValue::try_from(format!("attachment; filename=\"{file_name}\""));
    headers
        .insert(header::CONTENT_DISPOSITION, disposition.unwrap_or(HeaderValue::from_static("attachment")));
    response
}

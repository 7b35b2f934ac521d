//! `/p/{slug}/poster`: a sheet of paper that leads to the page, for managers. It has the event code, if people need one.

use askama::Template;
use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

use super::{
    page::code_query,
    visit::{Managed, Visit},
};
use crate::{
    app::{App, Result},
    domain::page_settings::Register,
    http::{
        form::Form,
        handover::qr_code,
        notice,
        page::{Microphone, Page},
        policy::{Forms, Policy},
    },
};

#[derive(Template)]
#[template(path = "name_pages/poster.html")]
struct PosterView<'a> {
    page: Page<'a>,
    slug: &'a str,
    title: &'a str,
    date: Option<String>,
    /// Without the scheme, which nobody types.
    address: &'a str,
    event_code: Option<&'a str>,
    svg: String,
    paper: &'static str,
    papers: Vec<Paper>,
}

struct Paper {
    word: &'static str,
    label: String,
    is_chosen: bool,
}

/// The word in the query and in the style sheet, and the id of the label.
const PAPERS: [(&str, &str); 2] = [("a4", "page-poster-a4"), ("letter", "page-poster-letter")];

pub async fn show(State(app): State<App>, Managed(visit): Managed, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let paper = PAPERS.into_iter().map(|(word, _)| word).find(|word| query.get("paper") == Some(*word));
    let paper = paper.unwrap_or(PAPERS[0].0);
    let path = visit.path("/poster");
    let page = visit.page(&app, &path);
    let label = |(word, id): (&'static str, &str)| Paper {
        word,
        label: page.words.text(id),
        is_chosen: word == paper,
    };
    let papers = PAPERS.into_iter().map(label).collect();
    let address = address(&app, &visit);
    let svg = match qr_code(&scanned(&app, &visit)) {
        Ok(svg) => svg,
        Err(error) => return notice::fault(page, &error),
    };
    let shown = PosterView {
        page,
        slug: &visit.public.page.slug,
        title: &visit.public.page.title,
        date: visit.public.settings.date.map(|date| date.to_string()),
        address: address.split_once("://").map_or(address.as_str(), |(_, rest)| rest),
        event_code: event_code(&visit),
        svg,
        paper,
        papers,
    };
    let policy = Policy { scripts: true, forms: Forms::SelfOnly, ..Policy::default() };
    visit.show(&app, StatusCode::OK, &shown, policy, Microphone::Unused)
}

/// The event code, if somebody who stands in front of the poster needs it.
fn event_code(visit: &Visit) -> Option<&str> {
    let needs_code = visit.public.settings.register == Register::Code;
    needs_code.then_some(visit.public.page.event_code.as_str())
}

/// The address that people type.
fn address(app: &App, visit: &Visit) -> String {
    format!("{}{}", app.links.base(), visit.path(""))
}

/// The address that phones read: whoever scans it need not type the event code.
fn scanned(app: &App, visit: &Visit) -> String {
    match event_code(visit) {
        Some(code) => format!("{}?{}", address(app, visit), code_query(code)),
        None => address(app, visit),
    }
}

/// The QR code alone, for slides and other posters.
pub async fn code(State(app): State<App>, Managed(visit): Managed) -> Response {
    match picture(&app, &visit) {
        Ok(response) => response,
        Err(error) => {
            let path = visit.path("/poster");
            notice::fault(visit.page(&app, &path), &error)
        }
    }
}

fn picture(app: &App, visit: &Visit) -> Result<Response> {
    let mut response = Response::new(Body::from(qr_code(&scanned(app, visit))?));
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "image/svg+xml"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "private, no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    let name = format!("attachment; filename=\"{}.svg\"", visit.public.page.slug);
    if let Ok(name) = HeaderValue::try_from(name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

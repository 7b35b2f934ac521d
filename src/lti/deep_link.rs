//! LTI Deep Linking: choosing a link for a course, and returning it to the platform.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{
    pages::{self, Parts, written},
    session::{SubmittedForm, Visit},
};
use crate::{
    app::{
        App,
        lti::{
            Refusal, deep_links,
            sessions::{Open, SessionTarget},
        },
    },
    domain::{
        fault::Fault,
        institution::parse_framing_origin,
        lti::{self, DeepLinking},
        text::{self, Lines, longest},
    },
    http::{
        faults::{self, Input},
        html::origin_of,
        page::Page,
        policy::Forms,
    },
};

#[derive(Template)]
#[template(path = "lti/deep_link.html")]
struct LinkForm<'a> {
    parts: Parts<'a>,
    page: Page<'a>,
    title: &'a str,
    error: Option<String>,
}

/// Submits itself by script; without scripts, the user presses the button.
#[derive(Template)]
#[template(path = "lti/return.html")]
struct Return<'a> {
    parts: Parts<'a>,
    page: Page<'a>,
    address: &'a str,
    token: &'a str,
    has_link: bool,
}

pub fn show(app: &App, open: &Open) -> Response {
    let title = pages::words(open).text("lti-link-default");
    form(app, open, StatusCode::OK, &title, None)
}

fn form(app: &App, open: &Open, status: StatusCode, title: &str, error: Option<String>) -> Response {
    let path = pages::path(open, "");
    let page = Page::new(&app.links, pages::language(open), &path);
    let page = LinkForm { parts: Parts::in_session(app, open), page, title, error };
    written(status, &page, &open.frames(), Forms::SelfOnly, None)
}

pub async fn answer(State(app): State<App>, SubmittedForm { visit, form }: SubmittedForm) -> Response {
    let Visit { open, .. } = visit;
    let SessionTarget::DeepLink(asked) = &open.what else {
        return pages::fault_in(&app, &open, Refusal::NoSession);
    };
    let title = form.get("title").unwrap_or_default().trim();
    if form.get("cancel").is_some() {
        return back(&app, &open, asked, None).await;
    }
    let fault = if text::is_blank(title) {
        Some(Fault::Blank)
    } else {
        text::fault(title, longest::TITLE, Lines::One)
    };
    if let Some(fault) = &fault {
        let error = faults::fault(pages::words(&open), Input::LinkTitle, fault);
        return self::form(&app, &open, StatusCode::UNPROCESSABLE_ENTITY, title, Some(error));
    }
    back(&app, &open, asked, Some(title)).await
}

/// Returns to the platform, with a link of that title or without one.
async fn back(app: &App, open: &Open, asked: &DeepLinking, title: Option<&str>) -> Response {
    let response = match deep_links::answer(app, open, asked, title).await {
        Ok(response) => response,
        Err(fault) => return pages::fault_in(app, open, fault),
    };
    let Some(origin) = origin_of(&response.address) else {
        return pages::fault_in(app, open, Refusal::Claims(lti::Fault::DeepLinking));
    };
    // Platforms redirect from there to the origins that embed us, and `form-action` applies to redirects too.
    let mut origins = vec![origin];
    for frame in open.frames().iter().filter_map(|frame| parse_framing_origin(frame)) {
        if !origins.contains(&frame) {
            origins.push(frame);
        }
    }
    let page = Return {
        parts: Parts::in_session(app, open),
        page: Page::new(&app.links, pages::language(open), ""),
        address: &response.address,
        token: &response.token,
        has_link: title.is_some(),
    };
    written(StatusCode::OK, &page, &open.frames(), Forms::SelfAnd(&origins.join(" ")), None)
}

//! `/p/{slug}/people/{id}/report`: a listener reports a recording to those who manage the page. Visitors who have not signed in
//! may do so where they may listen, so the form has the token of the visitor's cookie.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{ask, people, visit::Visit};
use crate::{
    app::{
        App, Error,
        listening::{self, Answer},
    },
    domain::{
        moderation::{Complaint, LONGEST},
        text::is_invisible,
    },
    http::{
        csrf,
        html::root,
        page::Page,
        path::Path,
        reply,
        session::{VisitorForm, set_visitor},
    },
};

#[derive(Template)]
#[template(path = "name_pages/report.html")]
struct ReportPage<'a> {
    page: Page<'a>,
    /// The person's name, in a sentence, as HTML.
    lead: String,
    /// The path of the list.
    list: String,
    action: String,
    choices: Vec<Choice>,
    sentence: &'a str,
    longest: usize,
    choice_fault: Option<String>,
    sentence_fault: Option<String>,
}

struct Choice {
    word: &'static str,
    label: String,
    is_chosen: bool,
}

/// What was sent and could not be accepted.
#[derive(Default)]
struct Rejected<'a> {
    complaint: Option<Complaint>,
    sentence: &'a str,
    choice_fault: Option<&'static str>,
    sentence_fault: Option<&'static str>,
}

pub async fn form(State(app): State<App>, visit: Visit, Path((_, id)): Path<(String, String)>) -> Response {
    show(&app, &visit, &id, StatusCode::OK, Rejected::default()).await
}

async fn show(app: &App, visit: &Visit, id: &str, status: StatusCode, rejected: Rejected<'_>) -> Response {
    let path = path(visit, id);
    let name = match listening::reportable(app, people::listener(visit), &visit.public, id).await {
        Ok(name) => name,
        Err(error) => return people::refused(app, visit, &path, &error),
    };
    // Also for somebody with a session: there is one form for all visitors, and this page has no other.
    let csrf = csrf::token(&visit.visitor.secret);
    let page = Page { csrf, signed_in: None, ..visit.page(app, &path) };
    let words = page.words;
    let choice = |complaint: Complaint| Choice {
        word: complaint.word(),
        label: words.text(match complaint {
            Complaint::WrongPerson => "people-report-wrong-person",
            Complaint::Offensive => "people-report-offensive",
            Complaint::Unintelligible => "people-report-unintelligible",
        }),
        is_chosen: rejected.complaint == Some(complaint),
    };
    let shown = ReportPage {
        lead: words.one_html("people-report-lead", "name", &name),
        list: format!("{}{}", page.root, people::path(&visit.public)),
        action: format!("{}{path}", page.root),
        choices: Complaint::ALL.map(choice).into(),
        sentence: rejected.sentence,
        longest: LONGEST,
        choice_fault: rejected.choice_fault.map(|id| words.text(id)),
        sentence_fault: rejected.sentence_fault.map(|id| words.text(id)),
        page,
    };
    let mut response = visit.show_plain(app, status, &shown);
    if visit.who.is_some() {
        set_visitor(app, &mut response, &visit.visitor.secret);
    }
    response
}

fn path(visit: &Visit, id: &str) -> String {
    let id = percent_encoding::utf8_percent_encode(id, percent_encoding::NON_ALPHANUMERIC);
    format!("{}/{id}/report", people::path(&visit.public))
}

pub async fn send(
    State(app): State<App>,
    visit: Visit,
    Path((_, id)): Path<(String, String)>,
    VisitorForm { form, .. }: VisitorForm,
) -> Response {
    let (address, listener) = (path(&visit, &id), people::listener(&visit));
    let sentence = form.get("sentence").unwrap_or_default();
    let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
    let Some(complaint) = form.get("complaint").and_then(Complaint::parse) else {
        let choice_fault = Some("people-report-choose");
        let sentence_fault = is_invisible(sentence).then_some("people-report-sentence-fault");
        let rejected = Rejected { sentence, choice_fault, sentence_fault, ..Rejected::default() };
        return show(&app, &visit, &id, unprocessable, rejected).await;
    };
    let sent =
        listening::report(&app, listener, visit.visitor.client, &visit.public, &id, complaint, sentence)
            .await;
    match sent {
        Ok(Answer::Accepted) => {
            let back = people::path_to(&visit.public, &people::Wanted::default(), &[("done", "reported")]);
            reply::see_other(&format!("{}{back}", root(&app.links)))
        }
        Ok(Answer::TooMany { retry_after }) => ask::too_many(&app, &visit, &address, retry_after),
        Err(Error::Invalid(_)) => {
            let (complaint, sentence_fault) = (Some(complaint), Some("people-report-sentence-fault"));
            let rejected = Rejected { complaint, sentence, sentence_fault, ..Rejected::default() };
            show(&app, &visit, &id, unprocessable, rejected).await
        }
        Err(error) => people::refused(&app, &visit, &address, &error),
    }
}

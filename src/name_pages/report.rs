//! `/p/{slug}/people/{id}/report`: a listener reports a recording or an entry to those who manage the page. Visitors who have not signed in
//! may do so where they may listen, so the form has the token of the visitor's cookie.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{ask, people, visit::Visit};
use crate::{
    app::{
        App, Error,
        listening::{self, Answer, Reportable},
        moderation::Report,
    },
    domain::{
        moderation::{About, Complaint, LONGEST},
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
    /// What can be reported, if there is more than one thing.
    subjects: Vec<Choice>,
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
    about: Option<About>,
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
    let found = listening::reportable(app, people::listener(visit), &visit.public, id).await;
    let Reportable { name, is_recorded } = match found {
        Ok(found) => found,
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
    let subject = |about: About| Choice {
        word: about.word(),
        label: words.text(match about {
            About::Recording => "people-report-about-recording",
            About::Entry => "people-report-about-entry",
        }),
        is_chosen: rejected.about.unwrap_or(About::Recording) == about,
    };
    let shown = ReportPage {
        subjects: if is_recorded { About::ALL.map(subject).into() } else { Vec::new() },
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
    let about = form.get("about").and_then(About::parse);
    let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
    let Some(complaint) = form.get("complaint").and_then(Complaint::parse) else {
        let choice_fault = Some("people-report-choose");
        let sentence_fault = is_invisible(sentence).then_some("people-report-sentence-fault");
        let rejected = Rejected { about, sentence, choice_fault, sentence_fault, ..Rejected::default() };
        return show(&app, &visit, &id, unprocessable, rejected).await;
    };
    let report = Report { about, complaint, sentence };
    let client = visit.visitor.client;
    match listening::report(&app, listener, client, &visit.public, &id, report).await {
        Ok(Answer::Accepted) => {
            let back = people::path_to(&visit.public, &people::Wanted::default(), &[("done", "reported")]);
            reply::see_other(&format!("{}{back}", root(&app.links)))
        }
        Ok(Answer::TooMany { retry_after }) => ask::too_many(&app, &visit, &address, retry_after),
        Err(Error::Invalid(_)) => {
            let (complaint, sentence_fault) = (Some(complaint), Some("people-report-sentence-fault"));
            let rejected = Rejected { about, complaint, sentence, sentence_fault, ..Rejected::default() };
            show(&app, &visit, &id, unprocessable, rejected).await
        }
        Err(error) => people::refused(&app, &visit, &address, &error),
    }
}

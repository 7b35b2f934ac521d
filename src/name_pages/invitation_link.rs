//! `/i/{token}`: the personal link of an invitation. Opening it changes nothing, because mail scanners open links; pressing the
//! button registers the recipient, if they are not registered, and leads to the recorder.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use crate::{
    app::{
        App, Error, Result,
        invitations::{self, Acceptance, Opened},
        looks,
    },
    domain::{
        fault::{Fault, Field},
        field_errors::FieldErrors,
        language::Language,
        sign_in::{ReturnTo, masked},
    },
    http::{
        consent::ShownText,
        csrf,
        form::Form,
        notice,
        page::{self, Look, Microphone, Page},
        path::Path,
        policy::{Forms, Policy},
        reply,
        session::{self, Visitor, VisitorForm},
    },
    words::{Arg, Words},
};

#[derive(Template)]
#[template(path = "name_pages/invitation_link.html")]
struct LinkView<'a> {
    page: Page<'a>,
    token: &'a str,
    /// Escaped: who invites to which page, and whom.
    lead: String,
    recipient: String,
    /// The name under which they are registered, which they cannot change here.
    registered_as: Option<&'a str>,
    is_recorded: bool,
    first_name: String,
    last_name: String,
    name_fault: Option<&'static str>,
    /// What they have to agree to, if they have not.
    consent: Option<ShownText>,
    consent_fault: bool,
}

/// Names that were sent, and what is wrong.
struct Rejected<'a> {
    form: &'a Form,
    errors: FieldErrors,
}

/// Unknown, withdrawn, replaced and expired links get the same page.
fn over(app: &App, visitor: &Visitor) -> Response {
    let page = visitor.page(app, "/sign-in");
    let (title, sentence) = ("invite-link-over-title", "invite-link-over");
    notice::show_with(StatusCode::NOT_FOUND, page, title, sentence, notice::Way::SignIn)
}

pub async fn look(State(app): State<App>, Path(token): Path<String>, visitor: Visitor) -> Response {
    match invitations::open(&app, &token).await {
        Ok(Some(opened)) => draw(&app, &visitor, &token, &opened, None).await,
        Ok(None) => over(&app, &visitor),
        Err(error) => notice::fault(visitor.page(&app, "/sign-in"), &error),
    }
}

/// A script sends this when the recipient does something on the page: scanners run scripts, too.
pub async fn note(
    State(app): State<App>,
    Path(token): Path<String>,
    VisitorForm { .. }: VisitorForm,
) -> Response {
    let status = match invitations::note_opened(&app, &token).await {
        Ok(true) => StatusCode::OK,
        Ok(false) => StatusCode::NOT_FOUND,
        Err(error) => {
            tracing::warn!(%error, "that an invitation was opened could not be noted");
            StatusCode::SERVICE_UNAVAILABLE
        }
    };
    reply::json(status, &serde_json::json!({}))
}

pub async fn accept(
    State(app): State<App>,
    Path(token): Path<String>,
    VisitorForm { visitor, form }: VisitorForm,
) -> Response {
    let language = form.get("language").and_then(Language::parse).unwrap_or_default();
    let version = form.get("version").filter(|_| form.get("agree").is_some());
    let acceptance = Acceptance {
        first_name: form.get("first_name").unwrap_or_default().to_owned(),
        last_name: form.get("last_name").unwrap_or_default().to_owned(),
        agreed: version.map(|version| (version.to_owned(), language)),
    };
    let old = session::old_sessions(&app, &visitor.headers);
    match invitations::accept(&app, &token, acceptance, &old).await {
        Ok(Some((opened, slug))) => {
            let return_to = ReturnTo::parse(&format!("/p/{slug}/own")).unwrap_or_default();
            session::begun(&app, &visitor.headers, &opened, &return_to)
        }
        Ok(None) => over(&app, &visitor),
        Err(Error::Invalid(errors)) => match invitations::open(&app, &token).await {
            Ok(Some(opened)) => {
                draw(&app, &visitor, &token, &opened, Some(Rejected { form: &form, errors })).await
            }
            Ok(None) => over(&app, &visitor),
            Err(error) => notice::fault(visitor.page(&app, "/sign-in"), &error),
        },
        Err(error) => notice::fault(visitor.page(&app, "/sign-in"), &error),
    }
}

/// The recipient's language comes before that of the browser, which may be another one's, and after what they choose in the menu.
async fn language(app: &App, visitor: &Visitor, opened: &Opened) -> Result<Language> {
    let preferred = visitor.preferred;
    if let Some(chosen) = preferred.requested.or(preferred.chosen) {
        return Ok(chosen);
    }
    let theirs = invitations::language(app, &opened.invitation).await?;
    Ok(theirs.or(preferred.accepted).or(opened.institution.language).unwrap_or_default())
}

async fn draw(
    app: &App,
    visitor: &Visitor,
    token: &str,
    opened: &Opened,
    rejected: Option<Rejected<'_>>,
) -> Response {
    let language = match language(app, visitor, opened).await {
        Ok(language) => language,
        Err(error) => return notice::fault(visitor.page(app, "/sign-in"), &error),
    };
    // Without its look, a page is still useful.
    let look = looks::find(app, opened.institution.id).await.ok();
    let path = format!("/i/{token}");
    let page = Page {
        csrf: csrf::token(&visitor.secret),
        look: look.as_ref().map(Look::of).unwrap_or_default(),
        ..Page::new(&app.links, language, &path)
    };
    if !opened.times.is_open(app.clock.now()) {
        return notice::show(StatusCode::OK, page, "invite-link-closed-title", "invite-link-closed");
    }
    let (words, invitation) = (page.words, &opened.invitation);
    let status = if rejected.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let typed = |field: &str, known: &Option<String>| match &rejected {
        Some(rejected) => rejected.form.get(field).unwrap_or_default().to_owned(),
        None => known.clone().unwrap_or_default(),
    };
    let has_fault = |field: &Field| rejected.as_ref().is_some_and(|rejected| rejected.errors.has(field));
    let is_blank =
        |rejected: &Rejected<'_>| rejected.errors.iter().any(|(_, faults)| faults.contains(&Fault::Blank));
    let is_name_wrong = has_fault(&Field::FirstName) || has_fault(&Field::LastName);
    let shown = LinkView {
        lead: lead(words, opened),
        recipient: recipient(words, opened),
        registered_as: opened.registered_as.as_deref(),
        is_recorded: opened.facts.is_recorded,
        first_name: typed("first_name", &invitation.first_name),
        last_name: typed("last_name", &invitation.last_name),
        name_fault: is_name_wrong.then(|| match rejected.as_ref().is_some_and(is_blank) {
            true => "invite-link-name-missing",
            false => "invite-link-name-fault",
        }),
        consent: match &opened.consent.given {
            Some(_) => None,
            None => Some(ShownText::new(&opened.consent, words, &opened.institution.name)),
        },
        consent_fault: has_fault(&Field::ConsentText),
        token,
        page,
    };
    let policy = Policy { scripts: true, asks: true, forms: Forms::SelfOnly, ..Policy::default() };
    let mut response = page::private(status, &shown, policy, Microphone::Unused);
    session::set_visitor(app, &mut response, &visitor.secret);
    response
}

fn lead(words: Words, opened: &Opened) -> String {
    let args =
        [("institution", Arg::Text(&opened.institution.name)), ("page", Arg::Text(&opened.page.title))];
    words.html("invite-link-lead", &args)
}

/// Only as much of the address as its owner needs to recognize it.
fn recipient(words: Words, opened: &Opened) -> String {
    let email = masked(&opened.invitation.email);
    let name = opened.registered_as.clone().unwrap_or_else(|| opened.invitation.full_name());
    if name.is_empty() {
        return words.one_html("invite-link-for-email", "email", &email);
    }
    words.html("invite-link-for", &[("name", Arg::Text(&name)), ("email", Arg::Text(&email))])
}

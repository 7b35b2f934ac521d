//! `/p/{slug}/invitations`: managers invite people, see who is still missing, send invitations again and withdraw them.

mod links;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

pub use links::links;

use super::visit::{Managed, Visit};
use crate::{
    app::{
        App, Error, Result,
        invitations::{self, Cursor, Delivery, Listed, Listing, Report, Resent, Terms},
    },
    domain::{
        address_list::{AddressFault, AddressList, Excess, MOST_BYTES, MOST_ENTRIES, Unread},
        fault::{Fault, SetupFault},
        field_errors::FieldErrors,
        ids::InvitationId,
        invitation::InvitationState,
        language::Language,
        name_page::NamePageRef,
        sign_in::AGAIN,
    },
    http::{
        csrf,
        form::Form,
        html::root,
        multipart::MultipartForm,
        notice,
        page::Page,
        path::Path,
        reply,
        session::{OwnForm, SentForm, forged_by, sign_in_page},
    },
    words::Words,
};

/// People on one part of the list.
const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "name_pages/invitations.html")]
struct InvitationsView<'a> {
    page: Page<'a>,
    slug: &'a str,
    title: &'a str,
    /// Otherwise the manager passes the links on.
    is_mailed: bool,
    addresses: String,
    fault: Option<String>,
    /// What was just done, a sentence for each.
    told: Vec<String>,
    unread: Vec<(String, String)>,
    more: Option<More>,
    languages: Vec<Choice>,
    states: Vec<Choice>,
    rows: Vec<Row>,
    /// Where the manager signs in again to see personal links, if that was too long ago.
    sign_in: Option<String>,
    /// The query of the next part.
    next: Option<String>,
    is_start: bool,
    most: u64,
}

/// There are more people to invite.
struct More {
    /// The list; `None` for everybody without a recording.
    addresses: Option<String>,
    /// How many of the list are done, or the place on the page to continue from.
    after: String,
    reminders: bool,
    language: Option<Language>,
}

/// An entry of a menu.
struct Choice {
    word: &'static str,
    label: String,
    is_chosen: bool,
}

struct Row {
    /// Of the invitation, if there is one.
    id: Option<String>,
    name: String,
    email: Option<String>,
    /// What buttons are about, for screen readers.
    who: String,
    state: String,
    /// The link is withdrawn or expired.
    note: Option<&'static str>,
    reminders: Option<String>,
    link: Option<String>,
    can_withdraw: bool,
    /// The button that invites them again.
    again: Option<&'static str>,
}

/// What is shown besides the list.
struct Feedback {
    status: StatusCode,
    addresses: String,
    fault: Option<String>,
    told: Vec<String>,
    unread: Vec<(String, String)>,
    more: Option<More>,
    /// The language that was chosen for the messages.
    language: Option<Language>,
}

impl Default for Feedback {
    fn default() -> Self {
        Self {
            status: StatusCode::OK,
            addresses: String::new(),
            fault: None,
            told: Vec::new(),
            unread: Vec::new(),
            more: None,
            language: None,
        }
    }
}

pub async fn show(State(app): State<App>, Managed(visit): Managed, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let words = Words::new(visit.language);
    let told = match query.get("done") {
        Some("withdrawn") => Some("invite-done-withdrawn"),
        Some("again") => Some("invite-done-again"),
        Some("not-again") => Some("invite-done-not-again"),
        Some("just-again") => Some("invite-done-just-again"),
        _ => None,
    };
    let told = told.map(|id| words.text(id)).into_iter().collect();
    draw(&app, &visit, &query, Feedback { told, ..Feedback::default() }).await
}

/// Addresses from the text field, or everybody without a recording. The form is sent as `multipart/form-data`, which does not encode
/// a long list.
pub async fn invite(State(app): State<App>, Managed(visit): Managed, request: Request) -> Response {
    let (sent, request) = match SentForm::check(request, &app).await {
        Ok(checked) => checked,
        Err(refusal) => return refusal,
    };
    let (no_query, words) = (Form::default(), Words::new(visit.language));
    let form = match MultipartForm::read(request, visit.public.institution.id, MOST_BYTES).await {
        Ok(form) => form,
        Err(status) => {
            let id = match status {
                StatusCode::PAYLOAD_TOO_LARGE => "invite-fault-large",
                StatusCode::SERVICE_UNAVAILABLE => "shared-busy",
                _ => "shared-unreadable",
            };
            let fault = Some(words.text(id));
            return draw(&app, &visit, &no_query, Feedback { status, fault, ..Feedback::default() }).await;
        }
    };
    if !sent.is_own(form.text(csrf::FIELD)) {
        return forged_by(&app, &sent.signed_in);
    }
    let language = form.text("language").and_then(Language::parse);
    let is_everybody = form.text("whom") == Some("unrecorded");
    let given = form.text("addresses").unwrap_or_default();
    let list = if is_everybody { Ok(AddressList::default()) } else { AddressList::parse(given) };
    let list = match list {
        Ok(list) => list,
        Err(excess) => {
            let fault = Some(match excess {
                Excess::Bytes => words.text("invite-fault-large"),
                Excess::Entries => words.one("invite-fault-many", "most", MOST_ENTRIES as u64),
            });
            // A list of this length is not sent back.
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return draw(
                &app,
                &visit,
                &no_query,
                Feedback { status, fault, language, ..Feedback::default() },
            )
            .await;
        }
    };
    if !is_everybody && list.invitees.is_empty() && list.faults == 0 {
        let (status, fault) = (StatusCode::UNPROCESSABLE_ENTITY, Some(words.text("invite-fault-empty")));
        return draw(&app, &visit, &no_query, Feedback { status, fault, language, ..Feedback::default() })
            .await;
    }
    let terms = Terms { reminders: form.is_ticked("reminders"), language, ..Terms::of(&app) };
    let (after, time) = (form.text("after").unwrap_or_default(), app.invitations.part);
    let report = match (visit.person(), page_ref(&visit)) {
        (Some((_, actor, person)), Some(page)) if is_everybody => {
            let (institution, part) = (person.institution, (after.parse().ok(), time));
            let report = invitations::invite_unrecorded_part(&app, actor, institution, &page, &terms, part);
            report.await.map(|(report, next)| (report, next.map(|place| place.to_string())))
        }
        (Some((_, actor, person)), Some(page)) => {
            let (institution, part) = (person.institution, (after.parse().unwrap_or_default(), time));
            let invitees = &list.invitees;
            let report = invitations::invite_part(&app, actor, institution, &page, invitees, &terms, part);
            report.await.map(|(report, next)| (report, next.map(|done| done.to_string())))
        }
        _ => Ok((Report::default(), None)),
    };
    let feedback = match report {
        Ok((report, next)) => {
            let addresses = (!is_everybody).then(|| given.to_owned());
            let more = next.map(|after| More { addresses, after, reminders: terms.reminders, language });
            Feedback { more, language, ..outcome(words, &list, &report) }
        }
        Err(Error::Invalid(errors)) => {
            let (status, fault) = (StatusCode::UNPROCESSABLE_ENTITY, Some(refusal(words, &errors)));
            Feedback { status, fault, addresses: given.to_owned(), language, ..Feedback::default() }
        }
        Err(error) => return failed(&app, &visit, &error),
    };
    draw(&app, &visit, &no_query, feedback).await
}

fn page_ref(visit: &Visit) -> Option<NamePageRef> {
    NamePageRef::parse(&visit.public.page.id.to_string())
}

/// What has become of the list. Entries that were not understood are in the text field again, to be corrected.
fn outcome(words: Words, list: &AddressList, report: &Report) -> Feedback {
    let counts = [
        ("invite-told-invited", report.invited),
        ("invite-told-already", report.already),
        ("invite-told-recorded", report.recorded),
        ("invite-told-opted-out", report.opted_out),
        ("invite-told-bounced", report.bounced),
        ("invite-told-unread", list.faults as u64),
    ];
    // The first one is said in any case.
    let told = counts.into_iter().enumerate().filter(|(at, (_, count))| *at == 0 || *count > 0);
    let why = |one: &Unread| {
        let id = match one.fault {
            AddressFault::NotAnAddress => "invite-unread-address",
            AddressFault::BadName => "invite-unread-name",
        };
        (one.text.clone(), words.text(id))
    };
    let is_nothing = report == &Report::default() && list.faults > 0;
    Feedback {
        status: if is_nothing { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK },
        addresses: list.unread.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n"),
        told: told.map(|(_, (id, count))| words.one(id, "count", count)).collect(),
        unread: list.unread.iter().map(why).collect(),
        ..Feedback::default()
    }
}

fn refusal(words: Words, errors: &FieldErrors) -> String {
    let is_archived = |fault: &Fault| *fault == Fault::Setup(SetupFault::Archived);
    let archived = errors.iter().any(|(_, faults)| faults.iter().any(is_archived));
    words.text(if archived { "invite-fault-archived" } else { "invite-fault-closed" })
}

pub async fn withdraw(
    State(app): State<App>,
    Managed(visit): Managed,
    Path((_, id)): Path<(String, String)>,
    _: OwnForm,
) -> Response {
    let (Ok(id), Some((_, actor, person)), Some(page)) =
        (id.parse::<InvitationId>(), visit.person(), page_ref(&visit))
    else {
        return nothing(&app, &visit);
    };
    match invitations::withdraw(&app, actor, person.institution, &page, id).await {
        Ok(()) => done(&app, &visit, "withdrawn"),
        Err(error) => failed(&app, &visit, &error),
    }
}

pub async fn again(
    State(app): State<App>,
    Managed(visit): Managed,
    Path((_, id)): Path<(String, String)>,
    _: OwnForm,
) -> Response {
    let (Ok(id), Some((_, actor, person)), Some(page)) =
        (id.parse::<InvitationId>(), visit.person(), page_ref(&visit))
    else {
        return nothing(&app, &visit);
    };
    match invitations::resend(&app, actor, person.institution, &page, id, &Terms::of(&app)).await {
        Ok(Resent::Sent) => done(&app, &visit, "again"),
        Ok(Resent::Unwanted) => done(&app, &visit, "not-again"),
        Ok(Resent::JustSent) => done(&app, &visit, "just-again"),
        Err(Error::Invalid(errors)) => {
            let fault = Some(refusal(Words::new(visit.language), &errors));
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            draw(&app, &visit, &Form::default(), Feedback { status, fault, ..Feedback::default() }).await
        }
        Err(error) => failed(&app, &visit, &error),
    }
}

fn done(app: &App, visit: &Visit, what: &str) -> Response {
    reply::see_other(&format!("{}{}?done={what}", root(&app.links), visit.path("/invitations")))
}

fn nothing(app: &App, visit: &Visit) -> Response {
    let path = visit.path("/invitations");
    notice::show(StatusCode::NOT_FOUND, visit.page(app, &path), "shared-nothing-title", "shared-nothing")
}

fn failed(app: &App, visit: &Visit, error: &Error) -> Response {
    let path = visit.path("/invitations");
    notice::fault(visit.page(app, &path), error)
}

async fn draw(app: &App, visit: &Visit, query: &Form, feedback: Feedback) -> Response {
    let state = query.get("state").and_then(InvitationState::parse);
    let from = Cursor::parse(query.get("from").unwrap_or_default());
    let listing = match read(app, visit, state, from).await {
        Ok(listing) => listing,
        Err(error) => return failed(app, visit, &error),
    };
    let path = visit.path("/invitations");
    let page = visit.page(app, &path);
    let (words, is_mailed) = (page.words, Terms::of(app).delivery == Delivery::Mail);
    let choice = |one: InvitationState| Choice {
        word: one.word(),
        label: words.text(state_label(one)),
        is_chosen: state == Some(one),
    };
    let language = |one: Language| Choice {
        word: one.tag(),
        label: one.own_name().to_owned(),
        is_chosen: feedback.language == Some(one),
    };
    let next = listing.next.map(|next| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        if let Some(state) = state {
            query.append_pair("state", state.word());
        }
        query.append_pair("from", &next.to_string()).finish()
    });
    let languages = Language::ALL.into_iter().map(language).collect();
    let mut rows: Vec<Row> = listing.people.into_iter().map(|one| row(words, one, is_mailed)).collect();
    // Whoever has somebody's link records in their name.
    let is_fresh = visit.who.as_ref().is_some_and(|who| who.is_fresh(app));
    let hides_links = !is_fresh && rows.iter().any(|row| row.link.is_some());
    if hides_links {
        rows.iter_mut().for_each(|row| row.link = None);
    }
    let slug = &visit.public.institution.slug;
    let sign_in = hides_links.then(|| sign_in_page(app, slug, &path, Some(AGAIN)));
    let view = InvitationsView {
        slug: &visit.public.page.slug,
        title: &visit.public.page.title,
        is_mailed,
        addresses: feedback.addresses,
        fault: feedback.fault,
        told: feedback.told,
        unread: feedback.unread,
        more: feedback.more,
        languages,
        states: InvitationState::ALL.into_iter().map(choice).collect(),
        rows,
        sign_in,
        next,
        is_start: from == Cursor::Start,
        most: MOST_ENTRIES as u64,
        page,
    };
    visit.show_plain(app, feedback.status, &view)
}

async fn read(app: &App, visit: &Visit, state: Option<InvitationState>, from: Cursor) -> Result<Listing> {
    match (visit.person(), page_ref(visit)) {
        (Some((_, actor, person)), Some(page)) => {
            invitations::all(app, actor, person.institution, &page, state, (from, SHOWN)).await
        }
        _ => Ok(Listing::default()),
    }
}

const fn state_label(state: InvitationState) -> &'static str {
    match state {
        InvitationState::Invited => "invite-state-invited",
        InvitationState::Opened => "invite-state-opened",
        InvitationState::Registered => "invite-state-registered",
        InvitationState::Recorded => "invite-state-recorded",
        InvitationState::Bounced => "invite-state-bounced",
        InvitationState::OptedOut => "invite-state-opted-out",
    }
}

fn row(words: Words, one: Listed, is_mailed: bool) -> Row {
    let name = one.name();
    let note = match (one.is_withdrawn(), one.is_expired()) {
        (true, _) => Some("invite-withdrawn"),
        (false, true) => Some("invite-expired"),
        (false, false) => None,
    };
    let may_be_asked = !matches!(one.state, InvitationState::Recorded | InvitationState::OptedOut);
    let again = if is_mailed { "invite-again" } else { "invite-new-link" };
    let invitation = one.guest.invitation;
    Row {
        who: if name.is_empty() { one.guest.email.clone().unwrap_or_default() } else { name.clone() },
        name,
        email: one.guest.email,
        state: words.text(state_label(one.state)),
        note,
        reminders: invitation
            .as_ref()
            .filter(|invitation| invitation.reminders > 0)
            .map(|invitation| words.one("invite-reminded", "count", u64::from(invitation.reminders))),
        can_withdraw: one.link.is_some(),
        link: one.link,
        again: (invitation.is_some() && may_be_asked).then_some(again),
        id: invitation.map(|invitation| invitation.id.to_string()),
    }
}

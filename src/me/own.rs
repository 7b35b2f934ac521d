//! `/me`: everything about a person in one place.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    changes::{self, ChangesSection},
    details::{self, DetailsForm, RejectedDetails},
    faults::{Input, sentence},
    kept::KeptRow,
    member::{self, MemberPart},
    notice,
    photo::{self, PhotoPart},
    plays::PlaysSection,
    session::{OwnForm, SignedIn, remove_cookie, signed_out},
};
use crate::{
    app::{
        App, Error, Missing, Result, audiences,
        audiences::AudienceChoice,
        audit::{self, OwnChange},
        badges,
        consents::{self, ConsentState},
        kept_recordings::{self, OwnKept},
        members::{self, OwnPages},
        own_person::{self, OwnPerson, OwnRegistration},
        plays, recording_requests, sessions, sign_in,
    },
    domain::{
        audience::Audience,
        fault::Field,
        field_errors::FieldErrors,
        ids::InstitutionId,
        participant::Recording,
        play::{FROM_OWN, Heard},
    },
    http::{
        consent::{self, Agreed, ConsentPanel},
        form::Form,
        html::{origin_of, path_of, root},
        page::{self, Microphone, Page},
        policy::Policy,
        recorder::Recorder,
        reply,
    },
    words::Words,
};

#[derive(Template)]
#[template(path = "me/own.html")]
struct OwnPage<'a> {
    page: Page<'a>,
    recorder: Recorder<'a>,
    rows: Vec<Row<'a>>,
    audiences: Vec<Choice>,
    /// In place of the recorder, before the first recording.
    consent: Option<ConsentPanel>,
    agreed: Option<Agreed>,
    /// Search engines may show all of the person's badges.
    is_listed: bool,
    /// Listeners may ask for a recording.
    requests_welcome: bool,
    /// The institution tells the public nothing about the person.
    has_hold: bool,
    /// The device can only record.
    is_restricted: bool,
    has_recording: bool,
    /// The sentence about what was just done.
    done: Option<String>,
    can_be_called: bool,
    is_called: bool,
    phone_number: String,
    phone_fault: Option<String>,
    audience_fault: Option<String>,
    plays: PlaysSection,
    changes: ChangesSection,
    /// What somebody else has replaced.
    kept: Vec<KeptRow>,
    photo: PhotoPart,
    details: Vec<DetailsForm<'a>>,
    /// The institution uses legal names.
    has_legal_names: bool,
    member: MemberPart<'a>,
}

/// One registration.
struct Row<'a> {
    /// The slug of its page: the `page` field of forms.
    page: &'a str,
    title: &'a str,
    name: String,
    /// The path of the name badge.
    /// Whoever has paused has none.
    badge: Option<String>,
    /// The path of the recording.
    sound: Option<String>,
    is_paused: bool,
    /// The entry waits for approval.
    is_entry_held: bool,
    /// Why the entry was not accepted.
    entry_refusal: Option<&'a str>,
    /// The newest recording waits for approval, and an earlier one can be heard until then.
    is_held: bool,
    has_earlier: bool,
    /// Why a recording was rejected or removed.
    refusal: Option<&'a str>,
    is_only_here: bool,
}

struct Choice {
    word: &'static str,
    label: String,
    hint: String,
    is_chosen: bool,
}

/// Input that was rejected, with the sentences that say why.
#[derive(Default)]
pub struct Rejected {
    pub status: StatusCode,
    pub recording: Option<String>,
    pub audience: Option<String>,
    /// A phone number.
    pub call: Option<(String, String)>,
    pub photo: Option<String>,
    pub details: Option<RejectedDetails>,
}

impl Rejected {
    pub fn recording(status: StatusCode, sentence: String) -> Self {
        Self { status, recording: Some(sentence), ..Self::default() }
    }
}

const PATH: &str = "/me";

pub async fn show(State(app): State<App>, signed_in: SignedIn, request: Request) -> Response {
    if signed_in.is_invited() {
        return notice::restricted(&app, &signed_in);
    }
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("recording") => Some("me-done-recording"),
        Some("deleted") => Some("me-done-deleted"),
        Some("audience") => Some("me-done-audience"),
        Some("details") => Some("me-done-details"),
        Some("call") => Some("me-done-call"),
        Some("consent") => Some("data-consent-done"),
        Some("withdrawn") => Some("data-consent-withdrawn"),
        Some("requests") => Some("people-requests-done"),
        Some("kept") => Some("me-kept-done"),
        Some("photo") => Some("profile-done-photo"),
        Some("photo-deleted") => Some("profile-done-photo-deleted"),
        _ => None,
    };
    draw(&app, &signed_in, Rejected::default(), done).await
}

/// The page, with rejected input.
pub async fn draw(app: &App, signed_in: &SignedIn, rejected: Rejected, done: Option<&str>) -> Response {
    match read(app, signed_in).await {
        Ok(read) => render(app, signed_in, &read, rejected, done),
        Err(Error::Missing(Missing::Participant)) => draw_unregistered(app, signed_in).await,
        Err(error) => fault(app, signed_in, error).await,
    }
}

/// The page of somebody without registrations.
async fn draw_unregistered(app: &App, signed_in: &SignedIn) -> Response {
    if is_gone(app, signed_in).await {
        return fault(app, signed_in, Error::Missing(Missing::Participant)).await;
    }
    member::draw(app, signed_in).await
}

struct Read {
    own: OwnPerson,
    audience: AudienceChoice,
    consent: ConsentState,
    is_listed: bool,
    requests_welcome: bool,
    heard: Heard,
    /// The origin of recordings, if it is not ours.
    media_of: Option<String>,
    pages: OwnPages,
    changes: Vec<OwnChange>,
    kept: Vec<OwnKept>,
}

async fn read(app: &App, signed_in: &SignedIn) -> Result<Read> {
    let (actor, person) = (signed_in.actor(), &signed_in.session.person);
    let own = own_person::find(app, &actor, person).await?;
    let audience = audiences::find(app, &actor, person).await?;
    let consent = consents::of_person(app, &actor, person).await?;
    let is_listed = badges::is_listed(app, &actor, person).await?;
    let requests_welcome = recording_requests::are_welcome(app, &actor, person).await?;
    let heard = plays::heard(app, &actor, person).await?;
    let media_of = media_origin(app, person.institution).await?;
    let pages = match signed_in.is_restricted() {
        true => OwnPages::default(),
        false => members::own_pages(app, &actor, person).await?,
    };
    let changes = match signed_in.is_restricted() {
        true => Vec::new(),
        false => audit::of_person(app, &actor, person, changes::NEWEST).await?,
    };
    let kept = match signed_in.is_restricted() {
        true => Vec::new(),
        false => kept_recordings::of_person(app, &actor, person).await?,
    };
    Ok(Read { own, audience, consent, is_listed, requests_welcome, heard, media_of, pages, changes, kept })
}

/// The origin of recordings, if it is not ours. It is the same for every recording, so it is known before there is one.
pub async fn media_origin(app: &App, institution: InstitutionId) -> Result<Option<String>> {
    let address = badges::external_url_of(app, institution, &"0".repeat(32)).await?;
    Ok(address.as_deref().and_then(origin_of))
}

fn render(
    app: &App,
    signed_in: &SignedIn,
    Read { own, audience, consent, is_listed, requests_welcome, heard, media_of, pages, changes, kept }: &Read,
    rejected: Rejected,
    done: Option<&str>,
) -> Response {
    let Rejected { status, recording, audience: audience_fault, call, photo, details } = rejected;
    let page = signed_in.page(app, PATH);
    let (words, institution) = (page.words, own.institution.id);
    let rows: Vec<Row<'_>> =
        own.registrations.iter().map(|one| row(app, institution, audience.audience, one)).collect();
    let (phone_number, phone_fault) = match call {
        Some((typed, fault)) => (typed, Some(fault)),
        None => (own.phone_number.clone().unwrap_or_default(), None),
    };
    let [action, handover, window] =
        ["/me/recording", "/me/handover", PATH].map(|path| format!("{}{path}", page.root));
    let csrf = page.csrf.clone();
    let is_restricted = signed_in.is_restricted();
    let can_be_called = own.can_be_called && !is_restricted;
    let agree = (format!("{}/me/consent", page.root), page.csrf.as_str());
    let (consent, agreed) = consent::shown(consent, words, &own.institution, agree, recording.clone());
    let shown = OwnPage {
        recorder: Recorder {
            id: "recorder",
            action: &action,
            csrf: &csrf,
            ready: "recorder-ready",
            limit: app.studio.settings.take_seconds(),
            part: "recordings",
            handover: (!is_restricted).then_some(handover.as_str()),
            call: can_be_called.then_some("#call"),
            window: &window,
            fault: recording.as_deref(),
            fields: &[],
        },
        has_recording: own
            .registrations
            .iter()
            .any(|one| one.origin.is_some() || one.standing.refusal.is_some()),
        rows,
        audiences: choices(words, *audience),
        consent,
        agreed,
        is_listed: *is_listed,
        requests_welcome: *requests_welcome,
        has_hold: own.registrations.iter().any(|one| one.entry.directory_hold),
        is_restricted,
        done: done.map(|id| words.text(id)),
        can_be_called,
        is_called: own.is_called,
        phone_number,
        phone_fault,
        audience_fault,
        plays: PlaysSection::new(words, heard),
        changes: ChangesSection::new(words, changes, &own.institution.time_zone),
        kept: kept.iter().map(|one| KeptRow::new(one, &own.institution.time_zone)).collect(),
        photo: photo::part(app, own, photo),
        details: details::forms(words, own, details),
        has_legal_names: own.institution.multiple_recordings,
        member: MemberPart::new(pages),
        page,
    };
    page::private(status, &shown, Policy::for_recording(media_of.as_deref()), Microphone::Used)
}

fn row<'a>(app: &App, institution: InstitutionId, audience: Audience, one: &'a OwnRegistration) -> Row<'a> {
    let entry = &one.entry;
    let own_sound = || own_sound_path(app, "/me/recording/audio", &entry.page.slug);
    let sound = match &entry.recording {
        Some(recording) if !one.is_held() => Some(sound_path(app, institution, recording)),
        // The link is dead for now; only the owner hears it.
        _ => (one.is_paused() || one.is_held()).then(own_sound),
    };
    Row {
        page: &entry.page.slug,
        title: &entry.page.title,
        name: entry.full_name(),
        badge: (audience != Audience::Paused && !entry.is_held && !entry.directory_hold)
            .then(|| path_of(&app.links.name_badge(institution, &entry.token)).to_owned()),
        sound,
        is_paused: one.is_paused(),
        is_entry_held: one.standing.entry.is_held(),
        entry_refusal: one.standing.entry.refusal(),
        is_held: one.is_held(),
        has_earlier: entry.recording.is_some(),
        refusal: one.standing.refusal.as_deref(),
        is_only_here: one.is_only_here(),
    }
}

/// The path at which the owner of a recording hears it, even while nobody else may.
pub fn own_sound_path(app: &App, path: &str, slug: &str) -> String {
    let query: String = form_urlencoded::Serializer::new(String::new()).append_pair("page", slug).finish();
    format!("{}{path}?{query}", root(&app.links))
}

/// The path of a recording: the page's policy allows only the origin that it was loaded from.
pub fn sound_path(app: &App, institution: InstitutionId, recording: &Recording) -> String {
    format!("{}{FROM_OWN}", path_of(&app.links.recording(institution, recording)))
}

fn choices(words: Words, choice: AudienceChoice) -> Vec<Choice> {
    let choice_of = |audience: Audience| {
        let (label, hint) = match audience {
            Audience::Public => ("me-audience-public", "me-audience-public-hint"),
            Audience::Institution => ("me-audience-institution", "me-audience-institution-hint"),
            Audience::Paused => ("me-audience-paused", "me-audience-paused-hint"),
        };
        Choice {
            word: audience.word(),
            label: words.text(label),
            hint: words.text(hint),
            is_chosen: audience == choice.audience,
        }
    };
    choice.permitted.audiences().map(choice_of).collect()
}

/// Back to the page after a form was accepted.
pub fn done(app: &App, what: &str) -> Response {
    reply::see_other(&format!("{}{PATH}?done={what}", root(&app.links)))
}

/// The response to an error that the page does not show next to an input. A person who may not sign in any more is signed out.
pub async fn fault(app: &App, signed_in: &SignedIn, error: Error) -> Response {
    let is_missing = matches!(error, Error::Missing(Missing::Participant | Missing::Institution));
    if !is_missing || !is_gone(app, signed_in).await {
        return failed(app, signed_in, &error);
    }
    if let Err(error) = sessions::end(app, &signed_in.secret).await {
        return failed(app, signed_in, &error);
    }
    let mut response = if signed_in.is_script {
        signed_out(signed_in.language())
    } else {
        let page = Page::new(&app.links, signed_in.language(), "/sign-in");
        notice::show(StatusCode::GONE, page, "me-gone-title", "me-gone")
    };
    remove_cookie(app, &mut response);
    response
}

/// Is nothing left for which the person could sign in: no registration, no role, and no name page to register on? One registration may have
/// been deleted in the meantime while there are others.
async fn is_gone(app: &App, signed_in: &SignedIn) -> bool {
    matches!(sign_in::may_sign_in(app, &signed_in.session.person).await, Ok(false))
}

pub fn failed(app: &App, signed_in: &SignedIn, error: &Error) -> Response {
    let response = notice::fault(signed_in.page(app, PATH), error);
    if signed_in.is_script {
        let text = Words::new(signed_in.language()).text("recorder-trouble");
        return reply::message(response.status(), &text);
    }
    response
}

pub async fn audience(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    let person = signed_in.session.person.clone();
    let chosen = match form.get("audience").and_then(Audience::parse) {
        Some(audience) => audiences::choose(&app, &signed_in.actor(), person, audience).await,
        None => Err(Error::Invalid(FieldErrors::default())),
    };
    match chosen {
        Ok(()) => done(&app, "audience"),
        Err(Error::Invalid(_)) => refuse_audience(&app, &signed_in).await,
        Err(error) => fault(&app, &signed_in, error).await,
    }
}

/// The institution does not permit this audience.
pub async fn refuse_audience(app: &App, signed_in: &SignedIn) -> Response {
    let sentence = Words::new(signed_in.language()).text("me-fault-audience");
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    let rejected = Rejected { status, audience: Some(sentence), ..Rejected::default() };
    draw(app, signed_in, rejected, None).await
}

pub async fn call(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    let number = form.get("phone_number").unwrap_or_default();
    match own_person::call(&app, &signed_in.actor(), &signed_in.session.person, number).await {
        Ok(()) => done(&app, "call"),
        Err(Error::Invalid(errors)) if consents::is_missing(&errors) => {
            let sentence = Words::new(signed_in.language()).text("data-consent-needed");
            let rejected = Rejected::recording(StatusCode::UNPROCESSABLE_ENTITY, sentence);
            draw(&app, &signed_in, rejected, None).await
        }
        Err(Error::Invalid(errors)) => {
            let words = Words::new(signed_in.language());
            let fault = sentence(words, &errors, &Field::PhoneNumber, Input::PhoneNumber);
            let fault = fault.unwrap_or_else(|| words.text("me-fault-phone"));
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            let rejected = Rejected { status, call: Some((number.to_owned(), fault)), ..Rejected::default() };
            draw(&app, &signed_in, rejected, None).await
        }
        Err(error) => fault(&app, &signed_in, error).await,
    }
}

//! `/p/{slug}/own`: a person's own entry on the page, where they record their name.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};

use super::{
    details::{Faults, Inputs},
    page::{self, code_query},
    visit::Visit,
};
use crate::{
    app::{
        Actor, App, Error, Missing, Result, badges,
        consents::{self, ConsentState},
        own_entry::OwnEntry,
        own_media,
        own_recordings::Sharing,
        page_settings,
        registrations::{self, PageDetails},
        sign_in,
    },
    blobs::Shelf,
    domain::{
        custom_field::CustomField,
        fault::Field,
        field_errors::FieldErrors,
        language::Language,
        page_settings::PageState,
        session::{How, PersonId},
    },
    http::{
        consent::{self, ConsentPanel},
        csrf, custom_field,
        faults::{Input, sentence},
        form::Form,
        html::{origin_of, path_of, root},
        multipart::MultipartForm,
        notice,
        page::{Microphone, Page},
        policy::Policy,
        ranges,
        recorder::{self, Recorder},
        reply,
        session::{OwnForm, SentForm, SignedIn, forged_by},
    },
    words::Words,
};

#[derive(Template)]
#[template(path = "name_pages/own.html")]
struct OwnView<'a> {
    page: Page<'a>,
    slug: &'a str,
    title: &'a str,
    name: String,
    recorder: Recorder<'a>,
    /// In place of the recorder, before the first recording.
    consent: Option<ConsentPanel>,
    /// The path of the newest recording, which only its owner may hear for now if it is held or paused.
    sound: Option<String>,
    is_held: bool,
    /// Others hear an earlier recording.
    has_earlier: bool,
    /// Why the newest recording was not accepted.
    refusal: Option<&'a str>,
    is_paused: bool,
    /// The entry waits for approval.
    is_entry_held: bool,
    /// Why the entry was not accepted.
    entry_refusal: Option<&'a str>,
    is_only_here: bool,
    is_open: bool,
    /// A sentence about the closing time.
    state: Option<String>,
    /// The sentence about what was just done.
    done: Option<String>,
    /// Labels of what is required and still missing.
    missing: Vec<String>,
    /// None on an archived page, and on a device that was let in by a QR code or by an invitation.
    inputs: Option<Inputs>,
    /// Labels and values of the custom fields that only the institution changes.
    fixed: Vec<(&'a str, String)>,
    photo: Option<PhotoPart>,
    may_listen: bool,
    is_manager: bool,
    is_restricted: bool,
    /// An invitation is for one page, so nobody chooses where the recording is heard.
    is_invited: bool,
}

struct PhotoPart {
    /// The path of the picture.
    path: Option<String>,
    is_required: bool,
    /// Where a file is posted.
    action: String,
    fault: Option<String>,
}

/// Input that was rejected, and why.
#[derive(Default)]
struct Rejected<'a> {
    status: StatusCode,
    recording: Option<String>,
    photo: Option<String>,
    details: Option<(&'a Form, &'a FieldErrors)>,
}

pub async fn show(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("registered") => Some("page-done-registered"),
        // The page says that the name is recorded.
        Some("recording") => None,
        Some("details") => Some("me-done-details"),
        Some("photo") => Some("profile-done-photo"),
        Some("consent") => Some("data-consent-done"),
        _ => None,
    };
    if visit.who.is_none() {
        return enter(&app, &visit, "", &query);
    }
    draw(&app, &visit, Rejected::default(), done, &query).await
}

/// To a page where they get in. An event code is not lost on the way.
fn enter(app: &App, visit: &Visit, below: &str, query: &Form) -> Response {
    let query = query.text("code").map(|code| format!("?{}", code_query(&code))).unwrap_or_default();
    reply::see_other(&format!("{}{}{query}", root(&app.links), visit.path(below)))
}

struct Read {
    own: OwnEntry,
    /// The custom fields that the page asks for and the person can fill in, and those that only the institution changes.
    fields: Vec<CustomField>,
    fixed: Vec<CustomField>,
    consent: ConsentState,
    /// The origin of pictures, if it is not ours.
    media_of: Option<String>,
    may_listen: bool,
}

async fn read(app: &App, visit: &Visit, actor: &Actor, person: &PersonId) -> Result<Option<Read>> {
    let Some(own) = registrations::find(app, actor, person, &visit.public).await? else { return Ok(None) };
    let asked = registrations::asked_fields(app, &visit.public).await?;
    let may_fill_in = |field: &CustomField| registrations::may_fill_in(field, &own.person);
    let (fields, fixed) = asked.into_iter().partition(may_fill_in);
    let consent = consents::of_person(app, actor, person).await?;
    let address = badges::external_url_of(app, person.institution, &"0".repeat(32)).await?;
    let media_of = address.as_deref().and_then(origin_of);
    Ok(Some(Read { own, fields, fixed, consent, media_of, may_listen: visit.may_listen(app).await }))
}

/// The page, with rejected input.
async fn draw(
    app: &App,
    visit: &Visit,
    rejected: Rejected<'_>,
    done: Option<&str>,
    query: &Form,
) -> Response {
    let Some((who, actor, person)) = visit.person() else { return enter(app, visit, "", query) };
    match read(app, visit, actor, person).await {
        Ok(Some(read)) => render(app, visit, who, &read, rejected, done),
        Ok(None) => enter(app, visit, "/register", query),
        Err(error) => failed(app, visit, &error),
    }
}

fn render(
    app: &App,
    visit: &Visit,
    who: &SignedIn,
    Read { own, fields, fixed, consent, media_of, may_listen }: &Read,
    rejected: Rejected<'_>,
    done: Option<&str>,
) -> Response {
    let Rejected { status, recording, photo, details } = rejected;
    let (public, now) = (&visit.public, app.clock.now());
    let path = visit.path("/own");
    let page = visit.page(app, &path);
    let (words, entry, is_restricted) = (page.words, &own.person, who.is_restricted());
    let (state, asked) = (public.settings.state(now), &public.settings.asked);
    let [action, handover, window, agree] =
        [visit.path("/own/recording"), visit.path("/own/handover"), path.clone(), visit.path("/own/consent")]
            .map(|path| format!("{}{path}", page.root));
    let csrf = page.csrf.clone();
    let fault = recording.clone();
    let (consent, _) = consent::shown(consent, words, &public.institution, (agree, &csrf), recording.clone());
    let may_change = state != PageState::Archived && !is_restricted;
    let stored = Inputs::of_entry(words, public, fields, entry);
    let fixed = fixed.iter().filter_map(|field| {
        let value = entry.custom.0.get(&field.id)?;
        Some((field.label.as_str(), custom_field::shown(words, field, value)))
    });
    let photo_path = entry.photo.as_ref().map(|hex| {
        if entry.is_held {
            return format!("{}{}", page.root, visit.path("/own/photo"));
        }
        let address = app.links.photo(public.institution.id, hex);
        path_of(&address).to_owned()
    });
    let mut missing = stored.missing(words);
    let sent = details.map(|(form, errors)| {
        Inputs::of_rejected(public, fields, form, &Faults { words, errors: Some(errors) })
    });
    if asked.photo.is_required() && photo_path.is_none() {
        missing.push(words.text("page-asked-photo"));
    }
    let shown = OwnView {
        slug: &public.page.slug,
        title: &public.page.title,
        name: entry.full_name(),
        recorder: Recorder {
            id: "recorder",
            action: &action,
            csrf: &csrf,
            ready: "recorder-ready",
            limit: page_settings::take_seconds(app, &public.settings),
            part: "recordings",
            handover: (!is_restricted).then_some(handover.as_str()),
            call: None,
            window: &window,
            fault: fault.as_deref(),
            fields: &[],
        },
        consent: consent.filter(|_| state == PageState::Open),
        // That of a recording that waits for approval, too.
        sound: own.origin.is_some().then(|| sound_path(app, visit)),
        is_held: own.is_held(),
        has_earlier: own.is_held() && entry.recording.is_some(),
        refusal: own.standing.refusal.as_deref(),
        is_paused: own.is_paused() && !own.is_held(),
        is_entry_held: own.standing.entry.is_held(),
        entry_refusal: own.standing.entry.refusal(),
        is_only_here: own.is_only_here(),
        is_open: state == PageState::Open,
        state: page::state(words, public, now),
        done: done.map(|id| words.text(id)),
        missing: if may_change { missing } else { Vec::new() },
        inputs: may_change.then(|| sent.unwrap_or(stored)).filter(|inputs| !inputs.is_empty()),
        fixed: fixed.collect(),
        photo: (may_change && asked.photo.is_asked()).then(|| PhotoPart {
            path: photo_path,
            is_required: asked.photo.is_required(),
            action: visit.path("/own/photo"),
            fault: photo,
        }),
        may_listen: *may_listen,
        is_manager: visit.is_manager(),
        is_restricted,
        is_invited: who.is_invited(),
        page,
    };
    visit.show(app, status, &shown, Policy::for_recording(media_of.as_deref()), Microphone::Used)
}

/// The path at which the owner of a recording hears it, even while nobody else may.
fn sound_path(app: &App, visit: &Visit) -> String {
    format!("{}{}", root(&app.links), visit.path("/own/audio"))
}

pub fn failed(app: &App, visit: &Visit, error: &Error) -> Response {
    let path = visit.path("/own");
    let response = notice::fault(visit.page(app, &path), error);
    if visit.who.as_ref().is_some_and(|who| who.is_script) {
        return reply::message(response.status(), &Words::new(visit.language).text("recorder-trouble"));
    }
    response
}

/// Back to the page after a form was accepted.
fn done(app: &App, visit: &Visit, what: &str) -> Response {
    reply::see_other(&format!("{}{}?done={what}", root(&app.links), visit.path("/own")))
}

/// The recording, for its owner: also while nobody else may hear it.
pub async fn audio(State(app): State<App>, visit: Visit, headers: HeaderMap) -> Response {
    let Some((_, actor, person)) = visit.person() else { return enter(&app, &visit, "", &Form::default()) };
    match registrations::sound(&app, actor, person, &visit.public).await {
        Ok(sound) => ranges::private(&headers, Shelf::Recordings.content_type(), &sound),
        Err(error) => failed(&app, &visit, &error),
    }
}

/// Agreeing to the text about recordings.
pub async fn agree(State(app): State<App>, visit: Visit, OwnForm { form, .. }: OwnForm) -> Response {
    let Some((_, actor, person)) = visit.person() else { return enter(&app, &visit, "", &form) };
    let version = form.get("version").unwrap_or_default();
    let language = form.get("language").and_then(Language::parse).unwrap_or_default();
    match consents::agree(&app, actor, person, version, language).await {
        Ok(true) => done(&app, &visit, "consent"),
        // There is a new version by now: the page shows it.
        Ok(false) => reply::see_other(&format!("{}{}#consent", root(&app.links), visit.path("/own"))),
        Err(Error::Missing(Missing::Participant)) => enter(&app, &visit, "/register", &form),
        Err(error) => failed(&app, &visit, &error),
    }
}

/// What the person writes about themselves.
pub async fn change(State(app): State<App>, visit: Visit, OwnForm { form, .. }: OwnForm) -> Response {
    let Some((who, actor, person)) = visit.person() else { return enter(&app, &visit, "", &form) };
    if who.is_restricted() {
        return notice::restricted(&app, who);
    }
    match registrations::change(&app, actor, person, &visit.public, PageDetails::read(&form)).await {
        Ok(()) => done(&app, &visit, "details"),
        Err(Error::Invalid(errors)) => {
            let (status, details) = (StatusCode::UNPROCESSABLE_ENTITY, Some((&form, &errors)));
            draw(&app, &visit, Rejected { status, details, ..Rejected::default() }, None, &form).await
        }
        Err(Error::Missing(Missing::Participant)) => enter(&app, &visit, "/register", &form),
        Err(error) => failed(&app, &visit, &error),
    }
}

/// A recording from the recorder (JSON) or from the file form, for all of the person's pages or for this one.
pub async fn record(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let (sent, request) = match SentForm::check(request, &app).await {
        Ok(checked) => checked,
        Err(refusal) => return refusal,
    };
    let largest = app.studio.settings.sound.bytes;
    let read = MultipartForm::read(request, sent.signed_in.session.person.institution, largest).await;
    let mut form = match read {
        Ok(form) => form,
        Err(status) => {
            let id = match status {
                StatusCode::PAYLOAD_TOO_LARGE => "recorder-fault-too-large",
                StatusCode::SERVICE_UNAVAILABLE => "recorder-busy",
                _ => "shared-unreadable",
            };
            return refuse_recording(&app, &visit, status, Words::new(visit.language).text(id), None).await;
        }
    };
    if !sent.is_own(form.text(csrf::FIELD)) {
        return forged_by(&app, &sent.signed_in);
    }
    let words = Words::new(visit.language);
    let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
    let Some((who, actor, person)) = visit.person() else {
        return failed(&app, &visit, &Error::Missing(Missing::NamePage));
    };
    let Some(sound) = form.take("recording").filter(|sound| !sound.is_empty()) else {
        let why = words.text("recorder-fault-no-file");
        return refuse_recording(&app, &visit, unprocessable, why, None).await;
    };
    // An invitation is for one page.
    let is_only_here = who.is_invited() || form.is_ticked("only");
    let sharing = if is_only_here { Sharing::ThisPage } else { Sharing::All };
    // The form keeps its memory reservation until the recording is processed.
    match registrations::record(&app, actor, person, &visit.public, sound, sharing).await {
        Ok(()) => {}
        Err(Error::Invalid(errors)) => {
            let why = sentence(words, &errors, &Field::Recording, Input::Recording);
            let why = why.unwrap_or_else(|| words.text("recorder-refused"));
            let code = consents::is_missing(&errors).then_some("consent");
            return refuse_recording(&app, &visit, unprocessable, why, code).await;
        }
        Err(Error::Busy | Error::Unavailable(_)) => {
            let (status, why) = (StatusCode::SERVICE_UNAVAILABLE, words.text("recorder-busy"));
            return refuse_recording(&app, &visit, status, why, None).await;
        }
        Err(error) => return failed(&app, &visit, &error),
    }
    if who.session.how == How::Handover
        && let Err(error) = sign_in::handover_recorded(&app, actor, person).await
    {
        // The recording is stored. The other device stops waiting by itself.
        tracing::error!(?error, "noting a recording on another device failed");
    }
    if who.is_script {
        return recorder::kept(Some(&sound_path(&app, &visit)));
    }
    done(&app, &visit, "recording")
}

/// Says why, next to the take or next to the form.
async fn refuse_recording(
    app: &App,
    visit: &Visit,
    status: StatusCode,
    sentence: String,
    code: Option<&str>,
) -> Response {
    if visit.who.as_ref().is_some_and(|who| who.is_script) {
        return recorder::refused(status, &sentence, code);
    }
    let rejected = Rejected { status, recording: Some(sentence), ..Rejected::default() };
    draw(app, visit, rejected, None, &Form::default()).await
}

/// The person's photo, also while nobody else may see it.
pub async fn picture(State(app): State<App>, visit: Visit, headers: HeaderMap) -> Response {
    let Some((who, actor, person)) = visit.person() else {
        return failed(&app, &visit, &Error::Missing(Missing::NamePage));
    };
    if who.is_restricted() {
        return notice::restricted(&app, who);
    }
    match own_media::picture(&app, actor, person, Some(&visit.public.page.slug)).await {
        Ok(picture) => ranges::private(&headers, Shelf::Photos.content_type(), &picture),
        Err(error) => failed(&app, &visit, &error),
    }
}

/// One photo for all of the person's pages. The browser crops it (`assets/crop.js`), and the server keeps the square in the center.
pub async fn photo(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let (sent, request) = match SentForm::check(request, &app).await {
        Ok(checked) => checked,
        Err(refusal) => return refusal,
    };
    let words = Words::new(visit.language);
    let largest = app.studio.settings.picture.bytes;
    let read = MultipartForm::read(request, sent.signed_in.session.person.institution, largest).await;
    let mut form = match read {
        Ok(form) => form,
        Err(status) => {
            let id = match status {
                StatusCode::PAYLOAD_TOO_LARGE => "profile-photo-large",
                StatusCode::SERVICE_UNAVAILABLE => "shared-busy",
                _ => "shared-unreadable",
            };
            return refuse_photo(&app, &visit, status, words.text(id)).await;
        }
    };
    if !sent.is_own(form.text(csrf::FIELD)) {
        return forged_by(&app, &sent.signed_in);
    }
    let Some((who, actor, person)) = visit.person() else {
        return failed(&app, &visit, &Error::Missing(Missing::NamePage));
    };
    if who.is_restricted() {
        return notice::restricted(&app, who);
    }
    let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
    let Some(picture) = form.take("photo").filter(|picture| !picture.is_empty()) else {
        return refuse_photo(&app, &visit, unprocessable, words.text("profile-photo-no-file")).await;
    };
    // The form keeps its memory reservation until the picture is processed.
    match own_media::set_photo(&app, actor, person, picture).await {
        Ok(()) => done(&app, &visit, "photo"),
        Err(Error::Invalid(errors)) => {
            let why = sentence(words, &errors, &Field::Photo, Input::Photo);
            let why = why.unwrap_or_else(|| words.text("profile-photo-other"));
            refuse_photo(&app, &visit, unprocessable, why).await
        }
        Err(Error::Busy | Error::Unavailable(_)) => {
            refuse_photo(&app, &visit, StatusCode::SERVICE_UNAVAILABLE, words.text("shared-busy")).await
        }
        Err(error) => failed(&app, &visit, &error),
    }
}

async fn refuse_photo(app: &App, visit: &Visit, status: StatusCode, sentence: String) -> Response {
    let rejected = Rejected { status, photo: Some(sentence), ..Rejected::default() };
    draw(app, visit, rejected, None, &Form::default()).await
}

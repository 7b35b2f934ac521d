//! The page behind `name_badge_link`: a person's name, how it is pronounced and written, to be shared.

use askama::Template;
use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use serde_json::{Value, json};

use super::{
    page::{self, Site},
    vcard, words,
};
use crate::{
    app::{
        self, Actor, App, Error, Missing,
        badges::{self, Attribute, Badge},
        languages, sessions, sign_in,
    },
    domain::{
        audience::Audience,
        initials::Initials,
        language::Language,
        media::Waveform,
        participant::{Participant, Recording},
        play::FROM_BADGE,
        session::PersonId,
    },
    http::{
        assets,
        cookie::SESSION,
        csrf,
        html::{origin_of, path_of, root},
        language::Preferred,
        page::{Look, Page as Frame},
        path::Path,
        policy::Policy,
        reply,
    },
    words::Words,
};

#[derive(Template)]
#[template(path = "badge.html")]
struct Page<'a> {
    site: Site<'a>,
    page: Frame<'a>,
    style: &'a str,
    script: &'a str,
    look: Look,
    /// Absolute, for use outside of this page.
    address: &'a str,
    name: String,
    person: &'a Participant,
    attributes: &'a [Attribute],
    photo: Option<String>,
    initials: Initials,
    sound: Option<Sound>,
    legal: Option<Legal<'a>>,
    title: String,
    description: String,
    listed: bool,
    /// The link to the person's own page, for the person themselves.
    mine: Option<String>,
    /// JSON-LD for a script element; `<` is escaped, so that no value can close the element.
    linked_data: String,
}

/// The legal name.
struct Legal<'a> {
    name: String,
    phonetic: Option<&'a str>,
    notes: Option<&'a str>,
    sound: Option<Sound>,
}

struct Sound {
    /// Unique within the page.
    id: &'static str,
    label: String,
    /// Absolute.
    link: String,
    bars: String,
}

impl Sound {
    fn new(
        app: &App,
        badge: &Badge,
        recording: &Option<Recording>,
        waveform: Option<&Waveform>,
        id: &'static str,
        label: String,
    ) -> Option<Self> {
        let link = app.links.recording(badge.institution, recording.as_ref()?);
        Some(Self { id, label, link, bars: bars(waveform) })
    }

    fn path(&self) -> &str {
        path_of(&self.link)
    }

    /// The path for the badge's own player, whose plays are counted as the badge's.
    fn source(&self) -> String {
        format!("{}{FROM_BADGE}", self.path())
    }
}

const BARS: usize = 64;
/// Half of the drawing's height.
const MIDDLE: usize = 32;

/// The peaks as bars, four units apart in a drawing of 256 by 64. Without a waveform all bars are flat.
fn bars(waveform: Option<&Waveform>) -> String {
    use std::fmt::Write as _;
    let peaks = waveform.map_or(&[][..], |waveform| &waveform.peaks);
    let highest = usize::from(peaks.iter().copied().max().unwrap_or(0)).max(1);
    (0..BARS).fold(String::with_capacity(BARS * 12), |mut path, n| {
        let peak = usize::from(peaks.get(n).copied().unwrap_or(0));
        // The loudest peak fills the height, less the round caps; the softest is still a dot.
        let half = (peak * (MIDDLE - 3) / highest).max(1);
        let _ = write!(path, "M{} {}v{}", n * 4 + 2, MIDDLE - half, half * 2);
        path
    })
}

/// The badge page, or with the suffix `.vcf` the vCard.
pub async fn show(
    State(app): State<App>,
    Path((institution, token)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let preferred = Preferred::of(query.as_deref(), &headers);
    let visitor = visitor(&app, &headers).await;
    let personal = visitor.as_ref().and_then(|visitor| visitor.language);
    let words = |badge: &Badge| Words::new(preferred.language(personal, badge.language.unwrap_or_default()));
    let language = preferred.language(personal, Language::default());
    let (token, as_card) = match token.strip_suffix(".vcf") {
        Some(token) => (token, true),
        None => (token.as_str(), false),
    };
    let (mut response, listed) = match load(&app, &institution, token, visitor.as_ref()).await {
        Ok((badge, _, Door::SignIn)) => (reply::see_other(&sign_in_address(&app, &badge)), false),
        Ok((badge, _, Door::Closed)) => {
            (page::members_only(&app, words(&badge).language(), &badge.institution_name), false)
        }
        Ok((badge, _, Door::Open)) if as_card => (vcard::response(&app, &badge, words(&badge)), false),
        Ok((badge, media_of, Door::Open)) => {
            let page = render(&app, &badge, words(&badge), media_of.as_deref(), visitor.as_ref());
            (page, badge.listed)
        }
        Err(Error::Missing(_)) => (page::not_found(&app, language), false),
        Err(error) => {
            tracing::error!(%error, "rendering a badge failed");
            let page = if let Error::Internal(_) = error { page::internal_error } else { page::unavailable };
            (page(&app, language), false)
        }
    };
    let headers = response.headers_mut();
    // What is made for one visitor, or shown to members only, is for no cache.
    let caching = if visitor.is_some() { "private, no-store" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    if !listed {
        headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    }
    response
}

/// Somebody who is signed in.
struct Visitor {
    person: PersonId,
    /// A device that was let in to record is no listener.
    is_restricted: bool,
    /// Their setting.
    language: Option<Language>,
    /// The token for the menu of languages, which changes the setting.
    csrf: String,
}

/// Visitors without a cookie cost no query.
async fn visitor(app: &App, headers: &HeaderMap) -> Option<Visitor> {
    let cookies = SESSION.read(&app.links, headers);
    if cookies.is_empty() {
        return None;
    }
    let (secret, session) = sessions::find(app, &cookies).await.ok().flatten()?;
    let (person, is_restricted) = (session.person, session.how.is_restricted());
    // Without the setting, the page is still useful.
    let settings = languages::find(app, &Actor::Person(person.clone()), &person).await.ok();
    let language = settings.and_then(|settings| settings.personal);
    Some(Visitor { person, is_restricted, language, csrf: csrf::token(&secret) })
}

/// Whether a visitor may see a badge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Open,
    /// That may change with signing in.
    SignIn,
    /// They have signed in, and do not belong to the institution.
    Closed,
}

impl Door {
    async fn of(app: &App, badge: &Badge, visitor: Option<&Visitor>) -> app::Result<Self> {
        if badge.audience != Audience::Institution {
            return Ok(Self::Open);
        }
        let is_here = |visitor: &&Visitor| visitor.person.institution == badge.institution;
        let Some(visitor) = visitor.filter(is_here).filter(|visitor| !visitor.is_restricted) else {
            return Ok(Self::SignIn);
        };
        let is_admitted = badge.belongs_to(&visitor.person) || sign_in::belongs(app, &visitor.person).await?;
        Ok(if is_admitted { Self::Open } else { Self::Closed })
    }
}

/// The sign-in page, from where people come back to the badge.
fn sign_in_address(app: &App, badge: &Badge) -> String {
    let address = app.links.name_badge(badge.institution, &badge.person.token);
    let back = path_of(&address).strip_prefix(root(&app.links)).unwrap_or_default();
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("institution", &badge.institution_slug)
        .append_pair("return_to", back)
        .finish();
    format!("{}/sign-in?{query}", root(&app.links))
}

/// Also returns the origin of recordings and photos, if it is not ours.
async fn load(
    app: &App,
    institution: &str,
    token: &str,
    visitor: Option<&Visitor>,
) -> app::Result<(Badge, Option<String>, Door)> {
    let institution = institution.parse().map_err(|_| Error::Missing(Missing::Participant))?;
    let badge = badges::find(app, institution, token).await?;
    let media_of = badges::external_url(app, institution, &badge.person).await?;
    let door = Door::of(app, &badge, visitor).await?;
    Ok((badge, media_of.as_deref().and_then(origin_of), door))
}

fn render(
    app: &App,
    badge: &Badge,
    words: Words,
    media_of: Option<&str>,
    visitor: Option<&Visitor>,
) -> Response {
    let person = &badge.person;
    let name = person.full_name();
    let address = app.links.name_badge(badge.institution, &person.token);
    let label = words::play(words, person, false);
    let path = path_of(&address).strip_prefix(root(&app.links)).unwrap_or_default();
    let sound = Sound::new(app, badge, &person.recording, badge.waveform.as_ref(), "name", label);
    let mut frame = Frame::new(&app.links, words.language(), path);
    if let Some(Visitor { person, csrf, .. }) = visitor {
        (frame.signed_in, frame.csrf) = (Some(person.email_key.clone()), csrf.clone());
    }
    let is_owner = visitor.is_some_and(|visitor| badge.belongs_to(&visitor.person));
    let page = Page {
        site: Site::of(app),
        page: frame,
        style: assets::BADGE_STYLE.address(),
        script: assets::BADGE_SCRIPT.address(),
        look: Look::of(&badge.look),
        address: &address,
        person,
        attributes: &badge.attributes,
        photo: person.photo.as_ref().map(|hex| app.links.photo(badge.institution, hex)),
        initials: Initials::of(&person.first_name, &person.last_name),
        sound,
        legal: legal(app, badge, words),
        title: words.plain("badge-title", &[("name", name.as_str().into())]),
        description: words::badge_description(words, person),
        listed: badge.listed,
        mine: is_owner.then(|| words.text("data-badge-mine")),
        linked_data: linked_data(app, badge, words, &name, &address).to_string().replace('<', "\\u003c"),
        name,
    };
    page::localized(StatusCode::OK, &page, Policy { scripts: true, media_of, ..Policy::default() })
}

fn legal<'a>(app: &App, badge: &'a Badge, words: Words) -> Option<Legal<'a>> {
    let legal = &badge.person.legal;
    if legal.is_empty() {
        return None;
    }
    let name = legal.full_name();
    let label = words::play(words, &badge.person, true);
    let sound = Sound::new(app, badge, &legal.recording, badge.legal_waveform.as_ref(), "legal", label);
    Some(Legal { name, phonetic: legal.phonetic.as_deref(), notes: legal.notes.as_deref(), sound })
}

/// schema.org data for search engines and other programs.
fn linked_data(app: &App, badge: &Badge, words: Words, name: &str, address: &str) -> Value {
    let person = &badge.person;
    let mut data = json!({
        "@context": "https://schema.org",
        "@type": "Person",
        "name": name,
        "url": address,
    });
    let mut add = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            data[key] = value;
        }
    };
    add("givenName", person.first_name.clone().map(Value::from));
    add("familyName", person.last_name.clone().map(Value::from));
    add("image", person.photo.as_ref().map(|hex| app.links.photo(badge.institution, hex).into()));
    let pronouns = badge.attributes.iter().find(|attribute| attribute.is_pronouns());
    add("pronouns", pronouns.map(|attribute| attribute.value.clone().into()));
    // The name as text with its pronunciation. `name` itself stays a plain string, which most programs expect.
    let said = |phonetic: &String| json!({ "@type": "PronounceableText", "textValue": name, "phoneticText": phonetic });
    add("alternateName", person.phonetic.as_ref().map(said));
    let sound = person.recording.as_ref().map(|recording| {
        let mut sound = json!({
            "@type": "AudioObject",
            "name": words.plain("badge-recording-of", &[("name", name.into())]),
            "contentUrl": app.links.recording(badge.institution, recording),
            "encodingFormat": "audio/mpeg",
            "transcript": name,
        });
        if let Some(waveform) = &badge.waveform {
            let (seconds, rest) = (waveform.duration_ms / 1_000, waveform.duration_ms % 1_000);
            sound["duration"] = format!("PT{seconds}.{rest:03}S").into();
        }
        sound
    });
    add("subjectOf", sound);
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loudest_peak_fills_the_drawing_and_silence_is_a_row_of_dots() {
        let mut peaks = vec![0; 64];
        peaks[1] = 100;
        let drawn = bars(Some(&Waveform { duration_ms: 1, peaks }));
        assert!(drawn.starts_with("M2 31v2M6 3v58M10 31v2"), "{drawn}");
        assert_eq!(drawn.matches('M').count(), 64);
        assert_eq!(bars(None).matches("v2M").count(), 63);
    }
}

//! What a launch has led to: the course for those who teach, their own entry for those who learn.

use std::collections::{HashMap, HashSet};

use super::{Fault, Refusal, Result, courses, digest, frames, is_among, is_secret, user_digest};
use crate::{
    app::{
        App, Error, Missing, badges, calls,
        courses::{self as app_courses, Joining},
        institutions,
        own_recordings::{self, Scope},
        participants, tool_consumers,
    },
    domain::{
        course::Course,
        email::email_key,
        ids::ParticipantId,
        institution::Institution,
        lti::{DeepLinking, Theme},
        media::{Incoming, Origin, Waveform},
        paging::Window,
        participant::{Draft, Participant},
        roster::Member,
        scope,
        text::searchable,
        tool_consumer::{LmsKind, ToolConsumer},
    },
    store::{
        self,
        lti_people::{self, Person},
        lti_sessions::{self, Session, Who},
    },
};

/// A session that is open in the browser that asks.
pub struct Open {
    /// Through which it was launched.
    pub consumer: ToolConsumer,
    /// Which synchronizes the course; it may be another.
    owner: ToolConsumer,
    pub institution: Institution,
    pub what: What,
    /// Whether its pages are light or dark; without it they follow the system. The platform may have said.
    pub theme: Option<Theme>,
    session: Session,
}

pub enum What {
    /// Everybody in the course, and the own entry of whoever looks at them, if they have one.
    Course { course: Course, own: Option<ParticipantId> },
    /// A student's own entry.
    Own { course: Course, participant: ParticipantId },
    /// Somebody is adding a link to a course.
    DeepLink(DeepLinking),
}

impl Open {
    pub fn frames(&self) -> Vec<String> {
        frames(&self.consumer)
    }

    /// The course, and the entry in it that is the visitor's own.
    pub fn own(&self) -> Option<(&Course, ParticipantId)> {
        match &self.what {
            What::Course { course, own } => own.map(|own| (course, own)),
            What::Own { course, participant } => Some((course, *participant)),
            What::DeepLink(_) => None,
        }
    }

    /// Can whoever teaches add an entry of their own?
    pub fn may_add_own_entry(&self) -> bool {
        matches!(&self.what, What::Course { own: None, .. }) && self.session.person.is_some()
    }

    /// Is it known where the course's list is, or can it be guessed (`lms/nrps.rs`)? Web services always know.
    pub fn can_synchronise(&self, course: &Course) -> bool {
        let is_guessed = matches!(self.owner.product.as_deref(), Some("canvas" | "moodle"));
        let is_number = course.external_id.bytes().all(|byte| byte.is_ascii_digit());
        let is_known = course.memberships_url.is_some() || (is_guessed && is_number);
        self.owner.enabled && (self.owner.kind != LmsKind::Lti || is_known)
    }
}

/// By its name and the browser's own secret. That it never was, is over, or is another browser's is one and the same.
pub async fn find(app: &App, name: &str, browsers: &[&str]) -> Result<Open> {
    let none = || Fault::from(Refusal::NoSession);
    if !is_secret(name) {
        return Err(none());
    }
    let session = lti_sessions::find(&mut app.db.read(), &digest(name)).await?.ok_or_else(none)?;
    let tenant = scope::Scope::Institution(session.institution);
    let consumer = match tool_consumers::find(app, tenant, session.tool_consumer).await {
        Err(Error::Missing(_)) => return Err(none()),
        other => other?,
    };
    opened(app, session, &consumer, browsers).await.map_err(|fault| fault.inside(&consumer))
}

async fn opened(app: &App, session: Session, consumer: &ToolConsumer, browsers: &[&str]) -> Result<Open> {
    let none = || Refusal::NoSession.to(consumer);
    let is_theirs = is_among(browsers, &session.browser_digest);
    if !is_theirs || session.expires_at <= app.clock.now() {
        return Err(none());
    }
    if !consumer.enabled {
        return Err(Refusal::Disabled.to(consumer));
    }
    let institution = institutions::by_id(app, session.institution).await?;
    let what = match (&session.deep_link, session.course) {
        (Some(asked), _) => What::DeepLink(serde_json::from_str(asked).map_err(|_| none())?),
        (None, None) => return Err(none()),
        (None, Some(id)) => {
            let course = courses::find(app, session.institution, id).await?.ok_or_else(none)?;
            // The learning system may have come to call somebody else so.
            let is_theirs = async |participant: ParticipantId| {
                let users = courses::users_of(app, session.institution, course.id, participant).await?;
                let digest = session.member_digest.as_ref().unwrap_or(&session.user_digest);
                Ok::<_, Error>(users.iter().any(|user| user_digest(consumer.id, user) == *digest))
            };
            match session.who {
                Who::Staff(None) => What::Course { course, own: None },
                Who::Staff(Some(own)) => {
                    let own = is_theirs(own).await?.then_some(own);
                    What::Course { course, own }
                }
                Who::Student(participant) if is_theirs(participant).await? => {
                    What::Own { course, participant }
                }
                Who::Student(_) => return Err(none()),
            }
        }
    };
    let tenant = scope::Scope::Institution(session.institution);
    let owner = match &what {
        What::Course { course, .. } | What::Own { course, .. } if course.tool_consumer != consumer.id => {
            tool_consumers::find(app, tenant, course.tool_consumer).await?
        }
        _ => consumer.clone(),
    };
    Ok(Open { consumer: consumer.clone(), owner, institution, what, theme: session.theme, session })
}

fn purpose(session_digest: &str) -> String {
    format!("visitor of LTI session {session_digest}")
}

/// What is kept of one of the staff, who may add an entry of their own later. Not readable in the database: it is theirs, and
/// nobody may have asked for it.
pub(super) fn sealed(app: &App, session_digest: &str, visitor: &Joining) -> Result<String, Error> {
    let member = &visitor.member;
    let kept = serde_json::json!({
        "user_id": member.user_id, "first_name": member.first_name, "last_name": member.last_name,
        "email": member.email, "identifier": member.identifier, "foreign": visitor.foreign,
    });
    Ok(app.secrets.seal(&purpose(session_digest), kept.to_string().as_bytes())?)
}

fn visitor(app: &App, session: &Session) -> Option<Joining> {
    let plain = app.secrets.open(&purpose(&session.session_digest), session.person.as_deref()?).ok()?;
    let kept: serde_json::Value = serde_json::from_slice(&plain).ok()?;
    let text = |key: &str| kept[key].as_str().map(str::to_owned);
    let member = Member {
        user_id: text("user_id")?,
        first_name: text("first_name"),
        last_name: text("last_name"),
        email: text("email"),
        identifier: text("identifier"),
        photo_url: None,
    };
    let foreign = serde_json::from_value(kept["foreign"].clone()).ok()?;
    Some(Joining { member, foreign, is_staff: true })
}

/// Gives whoever teaches an entry of their own on the course's page.
pub async fn add_own_entry(app: &App, open: &Open, course: &Course) -> Result<()> {
    let none = || Fault::from(Refusal::NoSession);
    let visitor = visitor(app, &open.session).ok_or_else(none)?;
    let own = match app_courses::add_own_entry(app, open.institution.id, course, visitor).await {
        Err(Error::Missing(_)) => return Err(none()),
        other => other?,
    };
    let session = open.session.clone();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(lti_sessions::set_own_entry(sql, &session, own).await?) })
        })
        .await?;
    Ok(())
}

/// Which of a course's people are wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub search: String,
    pub unrecorded: bool,
    /// From 1.
    pub page: u64,
}

pub const PER_PAGE: u64 = 100;

/// Part of a course's people, and how many there are.
pub struct Crowd {
    pub people: Vec<Participant>,
    /// Those who teach and have an entry, who are not among the students.
    pub staff: Vec<Participant>,
    /// On the whole page.
    pub all: usize,
    pub unrecorded: usize,
    /// Whom the search and the filter leave.
    pub matching: u64,
    pub page: u64,
    pub pages: u64,
}

/// By last name, then first name.
pub async fn people(app: &App, open: &Open, course: &Course, wanted: &Wanted) -> Result<Crowd> {
    let sql = &mut app.db.read();
    let institution = open.institution.id;
    let staff = store::courses::staff::all(sql, institution, course.id).await?;
    let staff: HashSet<ParticipantId> = staff.into_iter().filter_map(|one| one.participant).collect();
    let everybody = lti_people::on_page(sql, institution, course.name_page).await?;
    let (staff, everybody): (Vec<Person>, Vec<Person>) =
        everybody.into_iter().partition(|one| staff.contains(&one.id));
    let (all, unrecorded) = (everybody.len(), everybody.iter().filter(|one| !one.is_recorded).count());
    let words: Vec<String> = searchable(&wanted.search).split_whitespace().map(str::to_owned).collect();
    let matches = |one: &Person| {
        let name = |name: &Option<String>| searchable(name.as_deref().unwrap_or_default());
        let (first, last) = (name(&one.first_name), name(&one.last_name));
        // Many write a whole name without a blank, the last name first or last.
        let together = [format!("{last}{first}"), format!("{first}{last}")];
        let is_in = |word: &str| {
            first.contains(word) || last.contains(word) || together.iter().any(|name| name.starts_with(word))
        };
        let is_meant = words.iter().all(|word| is_in(word));
        let is_wanted = is_meant && !(wanted.unrecorded && one.is_recorded);
        is_wanted.then(|| {
            // Somebody with one name stands where it belongs.
            if last.is_empty() { (first, String::new(), one.id) } else { (last, first, one.id) }
        })
    };
    let mut chosen: Vec<(String, String, ParticipantId)> = everybody.iter().filter_map(matches).collect();
    chosen.sort_unstable();
    let pages = Window::new(1, PER_PAGE).pages(chosen.len() as u64).max(1);
    let window = Window::new(wanted.page.clamp(1, pages), PER_PAGE);
    let ids: Vec<ParticipantId> = window.slice(&chosen).iter().map(|(_, _, id)| *id).collect();
    let people = store::participants::by_ids(sql, institution, &ids).await?;
    let staff: Vec<ParticipantId> = staff.iter().map(|one| one.id).collect();
    let staff = store::participants::by_ids(sql, institution, &staff).await?;
    Ok(Crowd { people, staff, all, unrecorded, matching: chosen.len() as u64, page: window.page, pages })
}

/// Where recordings and pictures come from, also those that people have elsewhere, when that is not here: an address there.
pub async fn elsewhere(
    app: &App,
    open: &Open,
    people: &[&Participant],
    photos: &HashMap<String, String>,
) -> Result<Option<String>> {
    for person in people {
        if let Some(address) = badges::elsewhere(app, open.institution.id, person).await? {
            return Ok(Some(address));
        }
    }
    match photos.values().next() {
        Some(hex) => Ok(badges::address_of(app, open.institution.id, hex).await?),
        None => Ok(None),
    }
}

/// Pictures that learning systems have given to people elsewhere in the institution, by their emails: whom web services show
/// with a face has the same one here.
pub async fn photos(app: &App, open: &Open, people: &[&Participant]) -> Result<HashMap<String, String>> {
    let without = people.iter().filter(|person| person.photo.is_none());
    let keys: Vec<String> = without.filter_map(|person| person.email.as_deref().map(email_key)).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    Ok(lti_people::photos(&mut app.db.read(), open.institution.id, &keys).await?)
}

/// What a student sees of themselves.
pub struct Own {
    pub person: Participant,
    pub waveform: Option<Waveform>,
    /// Where their recording came from.
    pub origin: Option<Origin>,
    pub phone_number: Option<String>,
    /// Can people be called at all?
    pub calls: bool,
    pub is_called: bool,
}

impl Own {
    /// Have they made a recording for this course alone?
    pub fn is_only_here(&self) -> bool {
        self.origin == Some(Origin::Page)
    }
}

pub async fn own(app: &App, open: &Open, participant: ParticipantId) -> Result<Own> {
    let (institution, sql) = (open.institution.id, &mut app.db.read());
    let person = store::participants::by_ids(sql, institution, &[participant]).await?.pop();
    let person = person.ok_or_else(|| Refusal::NoSession.to(&open.consumer))?;
    let recording = match &person.recording {
        Some(recording) => store::media::find(sql, institution, &recording.hex).await?,
        None => None,
    };
    Ok(Own {
        origin: recording.as_ref().map(|recording| recording.origin),
        waveform: recording.and_then(|recording| recording.waveform),
        phone_number: store::participants::phone_number(sql, institution, participant).await?,
        calls: app.calling.enabled,
        is_called: calls::is_pending(sql, institution, participant).await?,
        person,
    })
}

/// Changes a student's own entry.
pub async fn change(app: &App, open: &Open, participant: ParticipantId, draft: Draft) -> Result<(), Error> {
    participants::update_own(app, open.institution.id, participant, draft).await.map(|_| ())
}

/// Gives a student what they have recorded: everywhere, or in this course alone.
pub async fn record(
    app: &App,
    open: &Open,
    participant: ParticipantId,
    sound: Vec<u8>,
    scope: Scope,
) -> Result<(), Error> {
    own_recordings::record(app, (open.institution.id, participant), Incoming::Bytes(sound), scope, None).await
}

/// Has them called, at a number that is theirs from now on.
pub async fn call(app: &App, open: &Open, participant: ParticipantId, draft: Draft) -> Result<(), Error> {
    if !app.calling.enabled {
        return Err(Error::Missing(Missing::Call));
    }
    change(app, open, participant, draft).await?;
    if calls::is_pending(&mut app.db.read(), open.institution.id, participant).await? {
        return Ok(());
    }
    let why = "cannot be called from here. Please try another number, or upload a recording.";
    Err(Error::invalid("phone_number", why))
}

/// Has the course synchronised now, unless that is under way.
pub async fn synchronise(app: &App, open: &Open, course: &Course) -> Result<()> {
    Ok(courses::synchronise(app, &open.owner, course).await?)
}

//! The listening page of a name page: who may hear the people there, the list, asking for a recording, and reporting one.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use super::{
    Actor, App, Error, Missing, Result,
    limiter::{LimitKey, Policy},
    links::secret::{self, Purpose},
    moderation::{self, Report, Reported},
    name_pages::PublicPage,
    people, public_view, recording_requests, sign_in,
};
use crate::{
    domain::{
        client_address::Client,
        custom_field::CustomField,
        directory::{Directory, Filter, Letter},
        email::email_key,
        fault::Fault,
        ids::{InstitutionId, NamePageId, ParticipantId},
        initials::Initials,
        moderation::SENTENCE,
        page_settings::{Listen, PageState},
        participant::{Participant, Recording},
        text::is_invisible,
    },
    store::{custom_fields, directory_holds, participants, people as stored},
};

pub(super) use super::recording_requests::mail as request_mail;

/// Checks that a visitor may listen. `Unauthorized` if that may change with signing in.
pub async fn check(app: &App, visitor: Option<&Actor>, public: &PublicPage) -> Result<()> {
    let (institution, page) = (public.institution.id, public.page.id);
    if public.settings.listen == Listen::Link {
        return Ok(());
    }
    let visitor = visitor.ok_or(Error::Unauthorized)?;
    let person = visitor.person().filter(|person| person.institution == institution);
    let is_admitted = match (public.settings.listen, person) {
        (Listen::Link, _) => true,
        (Listen::Registered | Listen::Institution, Some(person)) => {
            let is_here =
                stored::is_on_page(&mut app.db.read(), institution, page, &person.email_key).await?;
            is_here
                || (public.settings.listen == Listen::Institution && sign_in::belongs(app, person).await?)
        }
        (Listen::Managers, _) | (Listen::Registered | Listen::Institution, None) => false,
    };
    if is_admitted { Ok(()) } else { visitor.hear(institution, page) }
}

/// May the visitor hear what is for people of the institution? Whoever is only invited or admitted to a page does not belong to it yet.
async fn is_inside(app: &App, visitor: Option<&Actor>, institution: InstitutionId) -> Result<bool> {
    match visitor.filter(|visitor| visitor.reaches(institution)) {
        Some(visitor) => match visitor.person() {
            Some(person) => sign_in::belongs(app, person).await,
            None => Ok(true),
        },
        None => Ok(false),
    }
}

/// Which part of the list is wanted.
#[derive(Debug, Clone, Default)]
pub struct Query {
    pub filter: Filter,
    /// The number of people to skip.
    pub start: u64,
    pub most: u64,
}

/// A part of the people who match.
pub struct People {
    pub people: Vec<Person>,
    /// The number of all who match.
    pub matching: u64,
    /// The number of people before these.
    pub start: u64,
    /// The initials of everybody on the page.
    pub letters: Vec<Letter>,
    /// The number of people on the page.
    pub registered: u64,
    /// Those of them whose recording can be heard. Whoever has paused is not among them, and so nobody learns of a pause by counting.
    pub recorded: u64,
    /// A URL of media, if browsers load them from the blob store directly.
    pub media_address: Option<String>,
}

/// Somebody as listeners see them: there is no email in it, and nothing that nobody may hear.
pub struct Person {
    /// What forms of this page call them. It means nothing elsewhere.
    pub id: String,
    pub name: String,
    pub initials: Initials,
    pub phonetic: Option<String>,
    pub pronouns: Option<String>,
    /// The hex of the picture's link.
    pub photo: Option<String>,
    pub sound: Sound,
    /// It is the visitor.
    pub is_own: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sound {
    Recording(Recording),
    /// Only people of the institution may hear it, and the visitor has not signed in as one.
    Inside,
    None,
}

/// Lists people by last name, then first name.
pub async fn list(app: &App, visitor: Option<&Actor>, public: &PublicPage, query: &Query) -> Result<People> {
    check(app, visitor, public).await?;
    let (institution, page) = (public.institution.id, public.page.id);
    let directory = people::directory(app, institution, page).await?;
    let hears = hears(visitor, institution, page);
    // Only those who run the page, or listen for it, know of people with a directory hold.
    let hidden: HashSet<ParticipantId> = match hears {
        true => HashSet::new(),
        false => directory_holds::on_page(&mut app.db.read(), institution, page).await?.into_iter().collect(),
    };
    let chosen = directory.matching(&query.filter, &hidden);
    let matching = chosen.len() as u64;
    let start = query.start.min(matching);
    let shown: Vec<ParticipantId> = chosen
        .into_iter()
        .skip(usize::try_from(start).unwrap_or(usize::MAX))
        .take(usize::try_from(query.most).unwrap_or(usize::MAX))
        .collect();
    let sql = &mut app.db.read();
    let mut found = participants::by_ids(sql, institution, &shown).await?;
    // Somebody may have moved to another page since the names were read, or got a directory hold.
    found.retain(|one| one.page.slug == public.page.slug && !one.is_held && (hears || !one.directory_hold));
    if hears {
        found = found.into_iter().map(Participant::unveiled).collect();
    }
    let mut fields = custom_fields::all(sql, institution).await?;
    fields.retain(CustomField::is_pronouns);
    let everybody: Vec<&Participant> = found.iter().collect();
    // Others hear only what is for everybody, and do not see pictures that a learning system has provided for a course.
    let (photos, inside) = if is_inside(app, visitor, institution).await? {
        (people::photos(app, institution, &everybody).await?, HashSet::new())
    } else {
        let views = public_view::of(sql, institution, &everybody).await?;
        let inside = views.into_iter().filter(|(_, view)| !view.is_heard()).map(|(id, _)| id);
        (HashMap::new(), inside.collect())
    };
    let media_address = people::media_address(app, institution, &everybody, &photos).await?;
    let own = visitor.and_then(Actor::person).filter(|own| own.institution == institution);
    let own = own.map(|own| own.email_key.as_str());
    let secret = secret::find(app, institution).await?;
    let id = |one: &Participant| secret.name(Purpose::Listening(page), one.id);
    let people = found.iter().map(|one| person(one, id(one), &fields, &photos, &inside, own)).collect();
    let letters = letters(&directory, &hidden);
    let (registered, unrecorded) = directory.count_without(&hidden);
    let (registered, recorded) = (registered as u64, (registered - unrecorded) as u64);
    Ok(People { people, matching, start, letters, registered, recorded, media_address })
}

/// Does the visitor run the page, or listen for it?
fn hears(visitor: Option<&Actor>, institution: InstitutionId, page: NamePageId) -> bool {
    visitor.is_some_and(|visitor| visitor.hear(institution, page).is_ok())
}

/// The initials of everybody but these.
fn letters(directory: &Directory, hidden: &HashSet<ParticipantId>) -> Vec<Letter> {
    let of = |letter: &Letter| Filter { letter: Some(*letter), ..Filter::default() };
    let is_shown =
        |letter: &&Letter| hidden.is_empty() || !directory.matching(&of(letter), hidden).is_empty();
    directory.letters().iter().filter(is_shown).copied().collect()
}

fn person(
    one: &Participant,
    id: String,
    pronouns: &[CustomField],
    photos: &HashMap<String, String>,
    inside: &HashSet<ParticipantId>,
    own: Option<&str>,
) -> Person {
    let email_key = one.email.as_deref().map(email_key);
    let is_own = own.is_some() && email_key.as_deref() == own;
    let same_person = || photos.get(email_key.as_ref()?);
    let sound = match &one.recording {
        Some(_) if inside.contains(&one.id) && !is_own => Sound::Inside,
        Some(recording) => Sound::Recording(recording.clone()),
        None => Sound::None,
    };
    Person {
        id,
        name: shown_name(one),
        initials: Initials::of(&one.first_name, &one.last_name),
        phonetic: one.phonetic.clone(),
        pronouns: pronouns.iter().find_map(|field| one.custom.0.get(&field.id).cloned()),
        photo: one.photo.as_ref().or_else(same_person).cloned(),
        sound,
        is_own,
    }
}

/// The name as listeners see it. Some files and learning systems have an email in place of a name: what is behind the `@` is left out,
/// with or without a dot in it, because some addresses have none. A handle such as `@ada` has nothing before the `@`, and stays.
fn shown_name(one: &Participant) -> String {
    let name = one.full_name();
    if name.contains('@') {
        name.split_whitespace().map(without_domain).collect::<Vec<_>>().join(" ")
    } else {
        name
    }
}

fn without_domain(word: &str) -> &str {
    let is_domain = |text: &str| text.contains(|c: char| c.is_alphanumeric());
    let begin = word.len() - word.trim_start_matches('@').len();
    match word[begin..].split_once('@') {
        Some((local, domain)) if is_domain(domain) => &word[..begin + local.len()],
        Some(_) | None => word,
    }
}

/// The outcome of a request that is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Accepted,
    /// Too many requests from this network, or from visitors of this page.
    TooMany {
        retry_after: u64,
    },
}

const HOUR: Duration = Duration::from_secs(3_600);
/// What one client network may do in an hour. Many people of an institution share a network.
const MAX_REQUESTS: u32 = 60;
/// What visitors without a session may do on one page in an hour, together.
const MAX_REQUESTS_OF_VISITORS: u32 = 200;
/// A proxy that does not forward the client's address stands for many clients.
const PROXY_FACTOR: u32 = 10;

/// Are people on the page asked for recordings? Not after its closing time.
pub fn takes_requests(app: &App, public: &PublicPage) -> bool {
    public.settings.state(app.clock.now()) == PageState::Open
}

/// Asks somebody on the page for a recording. The answer is the same whether or not a message is sent. Whoever may listen may ask:
/// the message says nothing about them.
pub async fn ask(
    app: &App,
    visitor: Option<&Actor>,
    client: Option<Client>,
    public: &PublicPage,
    id: &str,
) -> Result<Answer> {
    check(app, visitor, public).await?;
    let mut limited = admit(app, client).await;
    if limited == Answer::Accepted && visitor.is_none() {
        limited = admit_visitor(app, public).await;
    }
    if limited != Answer::Accepted {
        return Ok(limited);
    }
    let asked = find(app, visitor, public, id).await?;
    if takes_requests(app, public) {
        recording_requests::send(app, public.institution.id, asked.id).await?;
    }
    Ok(Answer::Accepted)
}

/// Reports a recording or an entry to those who manage the page.
pub async fn report(
    app: &App,
    visitor: Option<&Actor>,
    client: Option<Client>,
    public: &PublicPage,
    id: &str,
    report: Report<'_>,
) -> Result<Answer> {
    check(app, visitor, public).await?;
    if is_invisible(report.sentence) {
        return Err(Error::invalid(SENTENCE, Fault::Blank));
    }
    let reported = find(app, visitor, public, id).await?;
    Ok(match moderation::report(app, public, &reported, report, client).await? {
        Reported::Accepted => Answer::Accepted,
        Reported::TooMany { retry_after } => Answer::TooMany { retry_after },
    })
}

/// Somebody whom a visitor wants to report.
pub struct Reportable {
    pub name: String,
    /// There is a recording that can be reported as well.
    pub is_recorded: bool,
}

pub async fn reportable(
    app: &App,
    visitor: Option<&Actor>,
    public: &PublicPage,
    id: &str,
) -> Result<Reportable> {
    check(app, visitor, public).await?;
    let found = find(app, visitor, public, id).await?;
    Ok(Reportable { name: shown_name(&found), is_recorded: found.recording.is_some() })
}

/// Somebody on this page, and not on another one of the institution, of whom the visitor may know.
async fn find(app: &App, visitor: Option<&Actor>, public: &PublicPage, id: &str) -> Result<Participant> {
    let (institution, page) = (public.institution.id, public.page.id);
    let id = secret::find(app, institution).await?.read(Purpose::Listening(page), id);
    let id = id.ok_or(Error::Missing(Missing::Participant))?;
    let found = participants::by_ids(&mut app.db.read(), institution, &[id]).await?.pop();
    // They may have moved to another page.
    let found = found.filter(|one| one.page.slug == public.page.slug && !one.is_held);
    if hears(visitor, institution, page) {
        return found.map(Participant::unveiled).ok_or(Error::Missing(Missing::Participant));
    }
    let found = found.filter(|one| !one.directory_hold);
    found.ok_or(Error::Missing(Missing::Participant))
}

/// Counts a request against the limit of the client's network.
async fn admit(app: &App, client: Option<Client>) -> Answer {
    let Some(client) = client else { return Answer::Accepted };
    let ceiling = if client.is_proxy { MAX_REQUESTS.saturating_mul(PROXY_FACTOR) } else { MAX_REQUESTS };
    count(app, LimitKey::recording_requests(client.address), ceiling).await
}

/// Whoever has many networks must not be able to have the institution write to everybody on a page.
async fn admit_visitor(app: &App, public: &PublicPage) -> Answer {
    let key = LimitKey::PageRecordingRequests { institution: public.institution.id, page: public.page.id };
    count(app, key, MAX_REQUESTS_OF_VISITORS).await
}

async fn count(app: &App, key: LimitKey, ceiling: u32) -> Answer {
    let policy = Policy { ceiling, window: HOUR, throttle: HOUR };
    let quota = app.limiter.take_with_policy(key, policy, app.clock.instant()).await;
    quota.retry_after.map_or(Answer::Accepted, |retry_after| Answer::TooMany { retry_after })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_is_left_in_a_name_and_no_name_becomes_empty() {
        for (word, shown) in [
            ("ada@example.edu", "ada"),
            ("ada@campus", "ada"),
            ("ada@[192.0.2.1]", "ada"),
            ("ada@mail@campus", "ada"),
            ("@ada@example.edu", "@ada"),
            ("@ada.lovelace", "@ada.lovelace"),
            ("@", "@"),
            ("ada@", "ada@"),
            ("ada@.", "ada@."),
            ("Ada", "Ada"),
        ] {
            assert_eq!(without_domain(word), shown, "{word}");
        }
    }
}

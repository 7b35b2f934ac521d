//! Signing in: mailed codes and links, links printed by the operator, handover to another device, and a reverse proxy that has
//! authenticated the person (ADR 20).

use std::{net::IpAddr, time::Duration};

use super::{
    Actor, App, Error, Forbidden, Missing, Result,
    audit::{self, Record},
    limiter::{LimitKey, Policy},
    members, outbox, registrations,
    sessions::{Opened, Opening, Secret},
    sign_in_marks::Marks,
};
use crate::{
    domain::{
        audit::Act,
        client_address::{Client, TrustedProxies},
        digest,
        email::{Email, email_key},
        ids::{InstitutionId, NamePageId, SignInLinkId, SignInRequestId},
        institution::Institution,
        language::Language,
        mail_limit::{Allowance, DAY, RECENT, Wait},
        member::Role,
        message::Message,
        moment::Moment,
        session::{How, PersonId},
        sign_in::{self, HandoverState, LIFE, LinkPurpose, ReturnTo, TRIES, code_key, shown_code},
    },
    mail::render::SignIn,
    store::{
        self, Sql, admissions, institutions, languages, refused_people, rolls,
        sign_ins::{self, Known, Link, Request},
    },
    tasks,
};

/// The operator's settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Sign-in mails that one client network may request within `RECENT`.
    pub limit: u32,
    pub proxy: Option<ProxyAuth>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { limit: 100, proxy: None }
    }
}

/// A reverse proxy that authenticates people and sends their email in a header.
#[derive(Debug, Clone)]
pub struct ProxyAuth {
    /// The name of the header, in lower case.
    pub header: String,
    /// The addresses from which the proxy connects.
    pub networks: TrustedProxies,
    /// The slug of the institution that it authenticates for.
    pub institution: String,
}

/// A proxy that does not forward the client's address stands for many clients.
const PROXY_FACTOR: u32 = 10;
/// How long the fate of a link can be looked up after its expiry.
const LINK_RETENTION: Duration = Duration::from_secs(3_600);
/// Handover links that a person has at a time; older ones are void.
const MAX_HANDOVERS: i64 = 5;

/// The browser that asks for a mail.
#[derive(Debug, Clone)]
pub struct Asker {
    pub client: Option<Client>,
    pub browser: Secret,
    /// Who has signed in there before.
    pub marks: Marks,
}

/// A request for a sign-in mail.
#[derive(Debug, Clone)]
pub struct MailRequest {
    pub email: Email,
    /// The institution that was named.
    pub institution: Option<InstitutionId>,
    pub language: Language,
    pub return_to: Option<ReturnTo>,
    /// A page of the institution on which this email may register (`registrations::ask`). Whoever proves it is admitted there, known
    /// or not.
    pub name_page: Option<NamePageId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// A message is on its way, if the address is known.
    Accepted,
    /// Too many requests for this address or from this network.
    TooMany(Wait),
}

/// Requests a sign-in mail. The work does not depend on whether the address is known: a job finds out (`message`).
///
/// A browser in which somebody has signed in with the address before has an allowance of its own. Otherwise, strangers who ask for
/// messages to an address would keep its owner from signing in.
pub async fn ask(app: &App, asker: &Asker, wanted: MailRequest) -> Result<Answer> {
    let own_count = asker.marks.count_digest(app, wanted.email.key())?;
    if own_count.is_none()
        && let Some(wait) = refusal(app, asker.client).await
    {
        return Ok(Answer::TooMany(wait));
    }
    let (owned_app, now, browser_digest) = (app.clone(), app.clock.now(), asker.browser.digest());
    let request = Request {
        id: app.ids.id(now),
        email: wanted.email.as_given().to_owned(),
        email_key: wanted.email.key().to_owned(),
        institution: wanted.institution,
        language: wanted.language,
        return_to: wanted.return_to,
        name_page: wanted.name_page,
        code_digest: None,
        created_at: now,
        expires_at: now.plus(LIFE),
    };
    let answer = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let digest = own_count.unwrap_or_else(|| count_digest(&request.email_key));
                if !sign_ins::count(sql, &digest, Allowance::at(now), now).await? {
                    let counts = sign_ins::counts(sql, &digest).await?;
                    return Ok(Answer::TooMany(
                        counts.map_or(Wait { seconds: 0 }, |counts| counts.wait(now)),
                    ));
                }
                sign_ins::insert(sql, &request, &browser_digest).await?;
                let base_url = owned_app.links.base().to_owned();
                let message = Message::SignIn { request: request.id, base_url };
                outbox::enqueue(sql, &owned_app.ids, request.institution, wanted.email, message, now).await?;
                delete_expired(sql, now).await?;
                Ok(Answer::Accepted)
            })
        })
        .await?;
    if answer == Answer::Accepted {
        app.queue.wake();
    }
    Ok(answer)
}

/// Counts a request against the limit of the client's network. If it is refused, returns how long to wait.
pub(super) async fn refusal(app: &App, client: Option<Client>) -> Option<Wait> {
    let client = client?;
    let limit = app.sign_in.limit;
    let ceiling = if client.is_proxy { limit.saturating_mul(PROXY_FACTOR) } else { limit };
    let policy = Policy { ceiling, window: RECENT, throttle: RECENT };
    let quota =
        app.limiter.take_with_policy(LimitKey::sign_ins(client.address), policy, app.clock.instant()).await;
    quota.retry_after.map(|seconds| Wait { seconds })
}

/// The key under which requests for an address are counted: addresses of unknown people are not kept for a day.
fn count_digest(email_key: &str) -> String {
    digest::hex(&digest::of(&format!("sign-in {email_key}")))
}

/// Removes requests, links and counts that have expired. Signing in does it, too, but there may be nobody who does.
pub async fn remove_expired(app: &App) -> Result<()> {
    let now = app.clock.now();
    let (links, counts) = (now.minus(LINK_RETENTION), now.minus(DAY));
    // The read is cheap, and avoids occupying the database's single writer.
    if !sign_ins::any_expired(&mut app.db.read(), now, links, counts).await? {
        return Ok(());
    }
    app.db.write::<_, Error>(move |sql| Box::pin(async move { delete_expired(sql, now).await })).await
}

async fn delete_expired(sql: &mut Sql, now: Moment) -> Result<()> {
    Ok(sign_ins::delete_expired(sql, now, now.minus(LINK_RETENTION), now.minus(DAY)).await?)
}

/// A message that is about to be sent.
#[derive(Debug, Clone)]
pub struct SignInMail {
    /// The address as it is registered, and not as it was typed: see `message`.
    pub to: Email,
    pub content: SignIn,
    pub digests: Digests,
}

/// The digests of a code and a link that are about to be mailed.
#[derive(Debug, Clone)]
pub struct Digests {
    request: SignInRequestId,
    code: String,
    link: String,
    email: String,
}

/// Makes the code and the link of a message. They are valid once `store_digests` has committed. `None` if the address is unknown, or
/// if the request has expired or was used.
///
/// People are matched by a folded key, and different mailboxes may have the same one: the Kelvin sign, for example, folds to `k`. So
/// the message goes to an address that is registered, and opens only the institutions where this address is.
pub async fn message(app: &App, id: SignInRequestId, base_url: &str) -> Result<Option<SignInMail>> {
    let now = app.clock.now();
    let Some(request) = sign_ins::open(&mut app.db.read(), id, now).await? else { return Ok(None) };
    let known = known(&mut app.db.read(), &request, now).await?;
    let as_typed = known.iter().find(|one| is_same_mailbox(&one.email, &request.email));
    let Some(chosen) = as_typed.or(known.first()) else { return Ok(None) };
    let personal = match known.len() {
        1 => {
            let person =
                PersonId { institution: chosen.institution.id, email_key: request.email_key.clone() };
            languages::find(&mut app.db.read(), &person).await?.personal
        }
        _ => None,
    };
    let Some(to) = Email::parse(&chosen.email) else { return Ok(None) };
    let is_only = known.iter().filter(|one| is_same_mailbox(&one.email, to.as_given())).count() == 1;
    let (code, link) = (app.ids.sign_in_code(), Secret::generate(app));
    let digests = Digests {
        request: id,
        code: code_digest(app, id, &code)?,
        link: link.digest(),
        email: to.as_given().to_owned(),
    };
    let content = SignIn {
        code: shown_code(&code),
        link: address(base_url, &link),
        email: to.as_given().to_owned(),
        language: personal.unwrap_or(request.language),
        institution_name: is_only.then(|| chosen.institution.name.clone()),
    };
    Ok(Some(SignInMail { to, content, digests }))
}

/// Do these addresses lead to the same mailbox for certain?
fn is_same_mailbox(one: &str, other: &str) -> bool {
    one.trim().eq_ignore_ascii_case(other.trim())
}

/// Makes the code and the link valid, instead of those of an earlier attempt. Belongs in the transaction that commits that the
/// message is being sent: otherwise a worker that has lost its lease could void a code that another one has mailed. False if the
/// request is no longer open.
pub async fn store_digests(sql: &mut Sql, digests: &Digests, now: Moment) -> Result<bool> {
    let Digests { request, code, link, email } = digests;
    Ok(sign_ins::set_digests(sql, *request, (code, link), email, now).await?)
}

/// Can the mail of this request still be sent?
pub(super) async fn is_open(sql: &mut Sql, id: SignInRequestId, now: Moment) -> Result<bool> {
    Ok(sign_ins::open(sql, id, now).await?.is_some())
}

fn address(base_url: &str, link: &Secret) -> String {
    format!("{base_url}/sign-in/link/{}", link.as_str())
}

const CODE_PURPOSE: &str = "sign-in code";
/// Of an HMAC with SHA-256, in hex.
const CODE_DIGEST_LENGTH: usize = 64;

/// A code has 38 bits. Without the key, its digest would be reversed in minutes.
fn code_digest(app: &App, id: SignInRequestId, code: &str) -> Result<String> {
    Ok(app.secrets.digest(CODE_PURPOSE, &code_claim(id, code))?)
}

fn code_claim(id: SignInRequestId, code: &str) -> String {
    format!("{id} {code}")
}

/// Whether a person may sign in: the only place that decides it.
pub async fn may_sign_in(app: &App, person: &PersonId) -> Result<bool> {
    Ok(sign_ins::may_sign_in(&mut app.db.read(), person, app.clock.now()).await?)
}

/// Whether a person may sign in with a mailed code or link. Otherwise they sign in through the provider of the institution.
pub async fn may_use_mail(app: &App, person: &PersonId) -> Result<bool> {
    Ok(sign_ins::may_use_mail(&mut app.db.read(), person).await?)
}

/// Whether a person who has signed in belongs to the institution: registered on one of its name pages, or a member. Whoever is only
/// invited or admitted to a page does not yet, and whoever has only registered themselves where everybody can does not (`Registrant`):
/// they must not hear what is for people of the institution.
pub async fn belongs(app: &App, person: &PersonId) -> Result<bool> {
    Ok(sign_ins::belongs(&mut app.db.read(), person).await?)
}

/// The institutions that a request can lead to, without those where this person must sign in through the provider.
async fn known(sql: &mut Sql, request: &Request, now: Moment) -> Result<Vec<Known>> {
    let mut known = sign_ins::known(sql, &request.email_key, now).await?;
    if let Some(only) = request.institution {
        known.retain(|one| one.institution.id == only);
    }
    // Somebody new, who may register. The message goes to the address as they typed it.
    if known.is_empty()
        && let (Some(institution), Some(_)) = (request.institution, request.name_page)
        && let Some(institution) = institutions::by_id(sql, institution).await?
        && !refused_people::is_refused(sql, &request.person_in(institution.id)).await?
    {
        known.push(Known { institution, email: request.email.clone() });
    }
    let mut permitted = Vec::with_capacity(known.len());
    for one in known {
        let person = PersonId { institution: one.institution.id, email_key: request.email_key.clone() };
        if sign_ins::may_use_mail(sql, &person).await? {
            permitted.push(one);
        }
    }
    Ok(permitted)
}

/// The institutions that a request leads to whose message has arrived.
async fn proven_in(sql: &mut Sql, request: &Request, now: Moment) -> Result<Vec<Institution>> {
    let known = known(sql, request, now).await?.into_iter();
    let proven = known.filter(|one| is_same_mailbox(&one.email, &request.email));
    Ok(proven.map(|one| one.institution).collect())
}

/// Has this browser requested a mail recently?
pub async fn is_waiting(app: &App, browser: &Secret) -> Result<bool> {
    Ok(sign_ins::is_waiting(&mut app.db.read(), &browser.digest()).await?)
}

/// The result of a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// A wrong code or link, or one that is no longer valid. Which, is not said.
    Wrong,
    /// The session is open: it was opened in the transaction that has spent the code or the link.
    SignedIn { opened: Opened, return_to: ReturnTo },
    /// The address is proven, and known in several institutions: `choices` and `choose` follow, with this new secret of the browser.
    /// The old one may have been planted by somebody else, who must not be able to choose (session fixation).
    Choice(Secret),
}

/// Checks a code that was entered in the browser that requested it. Other browsers have no request of their own, so they can neither
/// guess nor use up the tries. `old` are the browser's sessions, which end with a new one.
pub async fn enter_code(app: &App, browser: &Secret, code: &str, old: &[Secret]) -> Result<Proof> {
    let (owned_app, now, browser_digest, code) =
        (app.clone(), app.clock.now(), browser.digest(), code_key(code));
    // The read is cheap, and avoids occupying the database's single writer: anybody can send this form.
    let sql = &mut app.db.read();
    let Some(seen) = sign_ins::can_try(sql, &browser_digest, TRIES, now).await? else {
        return Ok(Proof::Wrong);
    };
    // Guesses do not wait for the institution's lock, and nobody waits for them.
    let place = match is_code(app, &seen, &code)? {
        true => place(sql, &seen, now).await?,
        false => None,
    };
    let spending = Spending::new(app, old);
    let proof = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                lock_place(sql, place).await?;
                let counted = sign_ins::count_try(sql, &browser_digest, TRIES, now).await?;
                let Some(request) = counted else { return Ok(Proof::Wrong) };
                // The try counts also when the code is wrong: the transaction commits.
                if !is_code(&owned_app, &request, &code)? {
                    return Ok(Proof::Wrong);
                }
                spending.prove(sql, request, place).await
            })
        })
        .await?;
    if matches!(proof, Proof::Wrong) {
        refused(app, seen);
    }
    Ok(proof)
}

/// Records a wrong code in the institutions in which the person is known. Nobody waits for it.
fn refused(app: &App, request: Request) {
    let app = app.clone();
    drop(tasks::spawn(audit::within(audit::origin(), async move {
        let known = proven_in(&mut app.db.read(), &request, app.clock.now()).await.unwrap_or_default();
        for institution in known {
            audit::refused(&app, institution.id, Some(request.email_key.clone()), How::Mail.word());
        }
    })));
}

fn is_code(app: &App, request: &Request, code: &str) -> Result<bool> {
    let expected = request.code_digest.as_deref().unwrap_or_default();
    Ok(expected.len() == CODE_DIGEST_LENGTH
        && app.secrets.is_digest(CODE_PURPOSE, &code_claim(request.id, code), expected)?)
}

/// The institution that a request leads to, if it is one: its lock comes before that of the request. Read before the transaction.
async fn place(sql: &mut Sql, request: &Request, now: Moment) -> Result<Option<InstitutionId>> {
    Ok(match &proven_in(sql, request, now).await?[..] {
        [one] => Some(one.id),
        _ => None,
    })
}

async fn lock_place(sql: &mut Sql, place: Option<InstitutionId>) -> Result<()> {
    match place {
        Some(institution) => Ok(rolls::lock(sql, institution).await?),
        None => Ok(()),
    }
}

/// Spends a request or a link, and opens the session that it is for, in one transaction: if that fails, nothing is spent.
struct Spending {
    opening: Opening,
    /// The browser's new secret, if the person has to choose an institution.
    renewed: Secret,
    now: Moment,
}

impl Spending {
    fn new(app: &App, old: &[Secret]) -> Self {
        Self { opening: Opening::new(app, old), renewed: Secret::generate(app), now: app.clock.now() }
    }

    /// Spends a request whose code or link was right. From now on it belongs to the browser with the renewed secret. The caller holds the
    /// lock of `place`.
    async fn prove(self, sql: &mut Sql, request: Request, place: Option<InstitutionId>) -> Result<Proof> {
        let (now, until) = (self.now, self.now.plus(LIFE));
        if !sign_ins::prove(sql, request.id, &self.renewed.digest(), now, until).await? {
            return Ok(Proof::Wrong);
        }
        match &proven_in(sql, &request, now).await?[..] {
            [] => Ok(Proof::Wrong),
            [one] if place == Some(one.id) => self.enter(sql, &request, one.id).await,
            // Several; or another one than a moment ago, whose lock would come too late.
            _ => Ok(Proof::Choice(self.renewed)),
        }
    }

    /// Uses a proven request for one institution, whose lock the caller holds.
    async fn enter(&self, sql: &mut Sql, request: &Request, institution: InstitutionId) -> Result<Proof> {
        if !sign_ins::mark_used(sql, request.id, self.now).await? {
            return Ok(Proof::Wrong);
        }
        let person = request.person_in(institution);
        if let Some(page) = request.name_page {
            admissions::set(sql, &person, page, &request.email, self.now).await?;
        }
        let opened = self.opening.insert(sql, person, How::Mail).await?;
        Ok(Proof::SignedIn { opened, return_to: request.return_to.clone().unwrap_or_default() })
    }
}

/// The institutions that a person with a proven address can choose from.
pub async fn choices(app: &App, browser: &Secret) -> Result<Vec<Institution>> {
    let (mut sql, now) = (app.db.read(), app.clock.now());
    match sign_ins::proven(&mut sql, &browser.digest(), now).await? {
        Some(request) => proven_in(&mut sql, &request, now).await,
        None => Ok(Vec::new()),
    }
}

pub async fn choose(app: &App, browser: &Secret, slug: &str, old: &[Secret]) -> Result<Proof> {
    let (now, browser_digest, slug) = (app.clock.now(), browser.digest(), slug.to_owned());
    // As in `enter_code`.
    let sql = &mut app.db.read();
    let Some(seen) = sign_ins::proven(sql, &browser_digest, now).await? else { return Ok(Proof::Wrong) };
    let chosen = proven_in(sql, &seen, now).await?.into_iter().find(|one| one.slug == slug);
    let Some(chosen) = chosen else { return Ok(Proof::Wrong) };
    let spending = Spending::new(app, old);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, chosen.id).await?;
                let proven = sign_ins::proven(sql, &browser_digest, now).await?;
                let Some(request) = proven else { return Ok(Proof::Wrong) };
                let proven = proven_in(sql, &request, now).await?;
                match proven.iter().any(|institution| institution.id == chosen.id) {
                    true => spending.enter(sql, &request, chosen.id).await,
                    false => Ok(Proof::Wrong),
                }
            })
        })
        .await
}

/// Whom a link is for, masked. `None` if it is unknown, expired or spent: which, is not said. Reading changes nothing, because mail
/// scanners open links.
pub async fn look_at_link(app: &App, link: &Secret) -> Result<Option<String>> {
    let (digest, now, mut sql) = (link.digest(), app.clock.now(), app.db.read());
    if let Some(request) = sign_ins::by_link(&mut sql, &digest, now).await? {
        return Ok(Some(sign_in::masked(&request.email)));
    }
    let found = sign_ins::link(&mut sql, &digest, now).await?;
    Ok(found.map(|link| sign_in::masked(&link.person.email_key)))
}

/// Spends a link, in any browser. `old` are its sessions, which end with a new one.
pub async fn spend_link(app: &App, link: &Secret, old: &[Secret]) -> Result<Proof> {
    let (now, digest, sql) = (app.clock.now(), link.digest(), &mut app.db.read());
    // As in `enter_code`.
    let place = match sign_ins::by_link(sql, &digest, now).await? {
        Some(request) => place(sql, &request, now).await?,
        None => match sign_ins::link(sql, &digest, now).await? {
            Some(link) => Some(link.person.institution),
            None => return Ok(Proof::Wrong),
        },
    };
    let spending = Spending::new(app, old);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                lock_place(sql, place).await?;
                if let Some(request) = sign_ins::by_link(sql, &digest, now).await? {
                    return spending.prove(sql, request, place).await;
                }
                let Some(link) = sign_ins::spend_link(sql, &digest, now).await? else {
                    return Ok(Proof::Wrong);
                };
                if !sign_ins::may_sign_in(sql, &link.person, now).await? {
                    return Ok(Proof::Wrong);
                }
                let how = match link.purpose {
                    LinkPurpose::Operator => How::Link,
                    LinkPurpose::Handover => How::Handover,
                };
                let opened = spending.opening.insert(sql, link.person, how).await?;
                Ok(Proof::SignedIn { opened, return_to: link.return_to.unwrap_or_default() })
            })
        })
        .await
}

/// Makes a single-use link for the operator to hand out. An unknown person is `Missing::Participant`. Whoever has the link acts as that
/// person, so a link of an owner is for owners.
pub async fn operator_link(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    email: &str,
    life: Duration,
    base_url: &str,
) -> Result<(String, Moment)> {
    operator_link_to(app, actor, institution, email, life, base_url, None).await
}

/// `operator_link` that leads to this path; `None` for the person's own page.
pub async fn operator_link_to(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    email: &str,
    life: Duration,
    base_url: &str,
    return_to: Option<ReturnTo>,
) -> Result<(String, Moment)> {
    actor.administer(institution)?;
    let person = PersonId { institution, email_key: email_key(email) };
    if !may_sign_in(app, &person).await? {
        return Err(Error::Missing(Missing::Participant));
    }
    if members::find(app, &person).await?.is_some_and(|member| member.role == Role::Owner) {
        actor.own(institution)?;
    }
    let record = Record::new(app, actor, institution, Act::SignInLinkCreated).of_person(&person);
    let kept = (return_to, Some(record));
    let (secret, link) = new_link(app, person, LinkPurpose::Operator, life, kept).await?;
    Ok((address(base_url, &secret), link.expires_at))
}

/// A link to continue on another device.
#[derive(Debug, Clone)]
pub struct Handover {
    pub id: SignInLinkId,
    pub link: String,
    pub expires_at: Moment,
}

/// Makes a single-use link that signs the person in on another device, for ten minutes. `how` is how the session that shows it was
/// opened: one that was handed over is for an hour, and cannot be prolonged by handing it over again. `return_to` is what the other
/// device opens; `None` for the person's own page.
pub async fn handover(
    app: &App,
    actor: &Actor,
    person: &PersonId,
    how: How,
    return_to: Option<ReturnTo>,
) -> Result<Handover> {
    actor.represent(person)?;
    if how.is_restricted() {
        return Err(Error::Forbidden(Forbidden::Handover));
    }
    let (secret, link) =
        new_link(app, person.clone(), LinkPurpose::Handover, LIFE, (return_to, None)).await?;
    Ok(Handover { id: link.id, link: address(app.links.base(), &secret), expires_at: link.expires_at })
}

/// What has become of one of the person's handover links. `None` if they have no such link.
pub async fn handover_state(
    app: &App,
    actor: &Actor,
    person: &PersonId,
    id: SignInLinkId,
) -> Result<Option<HandoverState>> {
    actor.represent(person)?;
    Ok(sign_ins::handover_state(&mut app.db.read(), person, id, app.clock.now()).await?)
}

/// Tells the device that showed the QR code that a recording has arrived. To be called after a recording in a session that was
/// opened by `How::Handover`.
pub async fn handover_recorded(app: &App, actor: &Actor, person: &PersonId) -> Result<()> {
    actor.represent(person)?;
    let (person, now) = (person.clone(), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(sign_ins::mark_recorded(sql, &person, now).await?) })
        })
        .await
}

async fn new_link(
    app: &App,
    person: PersonId,
    purpose: LinkPurpose,
    life: Duration,
    (return_to, record): (Option<ReturnTo>, Option<Record>),
) -> Result<(Secret, Link)> {
    let (secret, now) = (Secret::generate(app), app.clock.now());
    let link =
        Link { id: app.ids.id(now), person, purpose, return_to, created_at: now, expires_at: now.plus(life) };
    let (digest, new) = (secret.digest(), link.clone());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                sign_ins::insert_link(sql, &digest, &new).await?;
                sign_ins::keep_handovers(sql, &new.person, MAX_HANDOVERS).await?;
                delete_expired(sql, now).await?;
                Ok(audit::write(sql, record.as_slice()).await?)
            })
        })
        .await?;
    Ok((secret, link))
}

/// The person whom a reverse proxy has authenticated. `peer` is the address of the connection itself. `None` if there is no such
/// proxy, if the request does not come from it, if the person is unknown and may not register on the page that `return_to` leads
/// to, or if the address only folds to theirs.
pub async fn by_proxy(
    app: &App,
    peer: Option<IpAddr>,
    email: &Email,
    return_to: &ReturnTo,
) -> Result<Option<PersonId>> {
    let Some(proxy) = &app.sign_in.proxy else { return Ok(None) };
    if !peer.is_some_and(|peer| proxy.networks.contains(peer)) || email.is_lookalike() {
        return Ok(None);
    }
    let Some(institution) = institutions::by_slug(&mut app.db.read(), &proxy.institution).await? else {
        tracing::warn!(institution = proxy.institution, "proxy_auth_institution names no institution");
        return Ok(None);
    };
    let person = PersonId { institution: institution.id, email_key: email.key().to_owned() };
    let may_enter =
        may_sign_in(app, &person).await? || registrations::admit(app, &person, email, return_to).await?;
    if !may_enter {
        audit::refused(app, institution.id, Some(person.email_key.clone()), How::Proxy.word());
    }
    Ok(may_enter.then_some(person))
}

/// Deletes the sessions, requests and links of a person who is erased. What belongs to the address alone, such as requests that name
/// no institution, is deleted with the last person who has it.
pub(super) async fn forget(sql: &mut Sql, person: &PersonId, is_known_elsewhere: bool) -> Result<()> {
    store::sessions::delete_all_of(sql, person.institution, &person.email_key).await?;
    sign_ins::delete_of(sql, person).await?;
    if !is_known_elsewhere {
        sign_ins::delete_of_address(sql, &person.email_key, &count_digest(&person.email_key)).await?;
    }
    Ok(())
}

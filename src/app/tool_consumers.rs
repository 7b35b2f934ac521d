//! Tool consumers: learning systems that the operator connects, or that register themselves through an invitation.

mod credentials;
mod faults;
mod issuers;

use serde_json::{Value as Json, json};

pub(super) use self::credentials::{connect, opens};
pub use self::{
    credentials::access,
    faults::role_fault,
    issuers::{confirm, prove, renew},
};
use self::{
    credentials::{known_courses, sealed},
    faults::{as_origins, name_fault, permitted, registration_faults, registration_permitted, trim},
};
use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record, with},
    courses,
    lti::{self, entrance::Entrance},
    platforms,
};
use crate::{
    domain::{
        audit::{Act, SubjectKind, Who, WhoKind},
        digest,
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        ids::{InstitutionId, ToolConsumerId},
        roster::Role,
        schedule::Schedule,
        scope::Scope,
        tool_consumer::{Addresses, IssuerProof, LmsKind, Registration, ToolConsumer},
        version::{check_base, version_of},
    },
    lms::{self, Access, Found},
    store::{self, Sql, lti_invites, tool_consumers},
};

pub struct New {
    pub name: String,
    pub kind: LmsKind,
    pub url: String,
    pub product: Option<String>,
    pub roles: Vec<Role>,
    /// Required for Canvas and Moodle, unused for LTI.
    pub access_token: Option<String>,
    pub lti: Option<Registration>,
}

/// Creates a tool consumer. Returns the api_token, which cannot be read again, because only the digest is stored. Whoever else than the
/// operator registers an LTI platform has to have its issuer proven or confirmed.
pub async fn create(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    new: New,
) -> Result<(ToolConsumer, String)> {
    actor.administer(institution)?;
    let vouched = if actor.operate().is_ok() { Vouched::ByOperator } else { Vouched::LookedUp };
    create_invited(app, actor.who(), institution, new, (vouched, None)).await
}

/// Who says that a registration is one of the platform that its issuer names.
enum Vouched {
    ByOperator,
    /// Nobody does: its own configuration is asked.
    LookedUp,
    /// It was asked.
    Known(Option<IssuerProof>),
}

impl Vouched {
    async fn proof(self, app: &App, issuer: &str, lti: Option<&Registration>) -> Option<IssuerProof> {
        match (self, lti) {
            (Self::ByOperator, _) => Some(IssuerProof::Operator),
            (Self::Known(proof), _) => proof,
            (Self::LookedUp, Some(lti)) => platforms::proof(app, issuer, lti, None).await,
            (Self::LookedUp, None) => None,
        }
    }
}

fn about(record: Record, consumer: &ToolConsumer) -> Record {
    record.about(SubjectKind::ToolConsumer, consumer.id, &consumer.name)
}

fn values(consumer: &ToolConsumer) -> Json {
    let roles: Vec<&str> = consumer.roles.iter().map(|role| role.word()).collect();
    let values = json!({
        "name": consumer.name,
        "kind": consumer.kind.word(),
        "url": consumer.url,
        "product": consumer.product,
        "enabled": consumer.enabled,
        "roles": roles,
        "schedule": consumer.schedule.word(),
        // Hidden, as all secrets are. It tells whether there is another one.
        "access_token": consumer.sealed_access_token,
    });
    let Some(lti) = &consumer.lti else { return values };
    let lti = json!({
        "client_id": lti.client_id,
        "deployments": lti.deployments,
        "auth_url": lti.auth_url,
        "token_url": lti.token_url,
        "token_audience": lti.token_audience,
        "jwks_url": lti.jwks_url,
        "frame_ancestors": lti.frame_ancestors,
        "own_addresses": !consumer.is_shared(),
        "issuer_proof": consumer.issuer_proof().map(IssuerProof::text),
    });
    with(values, lti)
}

/// Like `create`; uses up the invitation in the same transaction.
async fn create_invited(
    app: &App,
    who: Who,
    institution: InstitutionId,
    mut new: New,
    (vouched, invite): (Vouched, Option<String>),
) -> Result<(ToolConsumer, String)> {
    let mut errors = FieldErrors::default();
    name_fault(&new.name, &mut errors);
    role_fault(&new.roles, &mut errors);
    let url = match new.kind {
        // Issuers are compared exactly, so a trailing slash matters.
        LmsKind::Lti => new.url.trim().to_owned(),
        LmsKind::Canvas | LmsKind::Moodle => root_of(&new.url),
    };
    if url.ends_with("/api/v1") {
        errors.add(Field::Url, SetupFault::ApiRoot);
    }
    let access_token =
        new.access_token.map(|token| token.trim().to_owned()).filter(|token| !token.is_empty());
    match (new.kind, &access_token, &new.lti) {
        (LmsKind::Canvas | LmsKind::Moodle, None, _) => errors.add(Field::AccessToken, Fault::Blank),
        (LmsKind::Lti, _, None) => errors.add(Field::ClientId, Fault::Blank),
        _ => {}
    }
    if let Some(lti) = &mut new.lti {
        trim(lti);
        if lti.frame_ancestors.is_empty() {
            // A guess at the origins where people use the platform.
            lti.frame_ancestors = lti::registrations::origins([&url, &lti.auth_url]);
        }
        as_origins(&mut lti.frame_ancestors, &mut errors);
        registration_faults(lti, &mut errors);
    }
    errors.into_result()?;
    permitted(app, Field::Url, &url).await?;
    if let Some(lti) = &new.lti {
        registration_permitted(app, lti).await?;
    }
    let proof = vouched.proof(app, &url, new.lti.as_ref()).await;
    let now = app.clock.now();
    let (id, secret) = (app.ids.id(now), app.ids.access_token());
    let digest = digest::hex(&digest::of(&secret));
    let made = ToolConsumer {
        institution,
        id,
        name: new.name,
        kind: new.kind,
        url,
        product: new.product,
        enabled: true,
        roles: new.roles,
        schedule: Schedule::default(),
        sealed_access_token: sealed(app, id, access_token)?,
        lti: new.lti,
        addresses: Addresses::Own { proof },
        created_at: now,
    };
    let record = about(Record::by(app, who, institution, Act::ToolConsumerCreated), &made);
    app.db
        .write(move |sql| {
            Box::pin(async move {
                store::rolls::lock(sql, institution).await?;
                is_new(sql, &made).await?;
                match tool_consumers::insert(sql, &made, &digest).await {
                    Err(store::Error::Conflict) => return Err(Error::invalid(Field::ClientId, Fault::Taken)),
                    other => other?,
                }
                use_up(sql, invite.as_deref(), made.id).await?;
                audit::write(sql, &[record.change(Json::Null, values(&made))]).await?;
                Ok((made, secret))
            })
        })
        .await
}

/// Registers a platform (LTI dynamic registration), whose issuer is proven or not. If the institution already has it with the same client
/// id, updates its endpoints and adds its deployment and origins; the operator's settings stay. The platform was told the addresses of the
/// institution, so this renews a registration of before. Also returns whether it was an update.
/// Registrations of other institutions are ignored. The invitation with this digest authorizes it, and is used up.
pub(super) async fn register(
    app: &App,
    institution: InstitutionId,
    mut new: New,
    proof: Option<IssuerProof>,
    invite: String,
) -> Result<(ToolConsumer, bool)> {
    // The platform acts, with an invitation that is in the log.
    let who = Who::named(WhoKind::System, &new.name);
    if let Some(known) = registered(app, institution, &new).await? {
        return Ok((update_registration(app, who, known, new, (proof, invite)).await?, true));
    }
    new.name = free_name(app, institution, new.name).await?;
    Ok((create_invited(app, who, institution, new, (Vouched::Known(proof), Some(invite))).await?.0, false))
}

/// The name, with a number if another tool consumer has it: the platforms name themselves here.
async fn free_name(app: &App, institution: InstitutionId, name: String) -> Result<String> {
    let all = tool_consumers::all(&mut app.db.read(), Scope::Institution(institution)).await?;
    let is_free = |name: &String| all.iter().all(|other| other.name != *name);
    let numbered = (2..).map(|number: u32| format!("{name} ({number})"));
    Ok(std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name))
}

async fn use_up(sql: &mut Sql, invite: Option<&str>, id: ToolConsumerId) -> Result<()> {
    match invite {
        Some(invite) => Ok(lti_invites::keep(sql, invite, id).await?),
        None => Ok(()),
    }
}

async fn registered(app: &App, institution: InstitutionId, new: &New) -> Result<Option<ToolConsumer>> {
    let Some(lti) = &new.lti else { return Ok(None) };
    let issuer = new.url.trim();
    let sql = &mut app.db.read();
    Ok(tool_consumers::by_issuer(sql, institution, issuer, Some(&lti.client_id)).await?.pop())
}

async fn update_registration(
    app: &App,
    who: Who,
    known: ToolConsumer,
    new: New,
    (proof, invite): (Option<IssuerProof>, String),
) -> Result<ToolConsumer> {
    let Some(lti) = new.lti else { return Ok(known) };
    let change = Change {
        product: new.product,
        auth_url: Some(lti.auth_url),
        token_url: Some(lti.token_url),
        token_audience: lti.token_audience,
        jwks_url: Some(lti.jwks_url),
        deployments: ListChange { add: lti.deployments, remove: Vec::new() },
        frame_ancestors: ListChange { add: lti.frame_ancestors, remove: Vec::new() },
        ..Change::default()
    };
    // What the operator has confirmed stays confirmed as long as nothing else is registered.
    let moves = change.moves(&known);
    let proof = proof.or_else(|| known.issuer_proof().filter(|_| !moves).cloned());
    update_known(app, who, known, change, (Some(Addresses::Own { proof }), Some(invite))).await
}

/// Items to add to a list and to remove from it. The rest stays, so that an operator can add one without knowing the others.
#[derive(Clone, Default)]
pub struct ListChange {
    pub add: Vec<String>,
    pub remove: Vec<String>,
}

impl ListChange {
    fn apply(self, list: &mut Vec<String>, field: Field, errors: &mut FieldErrors) {
        for one in self.remove {
            let before = list.len();
            list.retain(|other| *other != one);
            if list.len() == before {
                errors.add(field.clone(), SetupFault::NotListed);
            }
        }
        for one in self.add {
            if !list.contains(&one) {
                list.push(one);
            }
        }
    }
}

/// `None` leaves the value unchanged.
#[derive(Clone, Default)]
pub struct Change {
    pub name: Option<String>,
    pub product: Option<String>,
    pub enabled: Option<bool>,
    pub roles: Option<Vec<Role>>,
    pub schedule: Option<Schedule>,
    pub access_token: Option<String>,
    pub deployments: ListChange,
    pub auth_url: Option<String>,
    pub token_url: Option<String>,
    pub token_audience: Option<String>,
    pub jwks_url: Option<String>,
    pub frame_ancestors: ListChange,
    /// What the change is based on (`version`). If the learning system has another one by now, nothing is changed:
    /// `SetupFault::Outdated`.
    pub base: Option<String>,
}

impl Change {
    /// Whether an endpoint of a registration is to be another one: whose messages are believed, and where people are sent.
    fn moves(&self, known: &ToolConsumer) -> bool {
        let Some(lti) = &known.lti else { return false };
        let given = [&self.auth_url, &self.token_url, &self.jwks_url];
        given
            .into_iter()
            .zip(lti.endpoints())
            .any(|(new, old)| new.as_ref().is_some_and(|new| new.trim() != old))
    }
}

/// Tells whether a learning system is still the same, enabled or not.
pub fn version(system: &ToolConsumer) -> String {
    let ToolConsumer { id, name, roles, schedule, sealed_access_token, lti, .. } = system;
    version_of(&(id, name, roles, schedule, sealed_access_token, lti))
}

/// Whoever moves an endpoint registers another platform, as far as anybody can tell: its issuer has to be proven or confirmed again.
pub async fn update(app: &App, actor: &Actor, id: ToolConsumerId, change: Change) -> Result<ToolConsumer> {
    let known = find(app, actor, id).await?;
    let is_moved = change.moves(&known) || (known.is_shared() && change.token_audience.is_some());
    let addresses = if is_moved { moved(app, actor, &known, &change).await? } else { None };
    update_known(app, actor.who(), known, change, (addresses, None)).await
}

async fn moved(app: &App, actor: &Actor, known: &ToolConsumer, change: &Change) -> Result<Option<Addresses>> {
    if actor.operate().is_ok() {
        return Ok((!known.is_shared()).then(Addresses::by_operator));
    }
    if known.is_shared() {
        // It signs with the keys of all, so another endpoint could get what another institution's platform believes.
        return Err(Error::invalid(Field::TokenUrl, SetupFault::RenewFirst));
    }
    check_base(change.base.as_deref(), &version(known))?;
    let next = changed(known.clone(), change.clone(), None)?;
    let Some(lti) = &next.lti else { return Ok(None) };
    registration_permitted(app, lti).await?;
    let proof = platforms::proof(app, &next.url, lti, known.issuer_proof()).await;
    Ok(Some(Addresses::Own { proof }))
}

/// Uses up the invitation in the same transaction. `addresses` are new ones, for the endpoints that the change leads to.
async fn update_known(
    app: &App,
    who: Who,
    known: ToolConsumer,
    change: Change,
    (addresses, invite): (Option<Addresses>, Option<String>),
) -> Result<ToolConsumer> {
    let (institution, id) = (known.institution, known.id);
    check_base(change.base.as_deref(), &version(&known))?;
    let access_token = change.access_token.as_ref().map(|token| token.trim().to_owned());
    let sealed = sealed(app, id, access_token)?;
    let expected = changed(known, change.clone(), sealed.clone())?.lti;
    let is_lti = expected.is_some();
    // Validate only addresses that change, so that a system that no longer exists can still be disabled.
    for (field, url) in [
        (Field::AuthUrl, &change.auth_url),
        (Field::TokenUrl, &change.token_url),
        (Field::JwksUrl, &change.jwks_url),
    ] {
        if let Some(url) = url.as_ref().filter(|_| is_lti) {
            permitted(app, field, url).await?;
        }
    }
    let record = Record::by(app, who, institution, Act::ToolConsumerUpdated);
    app.db
        .write(move |sql| {
            Box::pin(async move {
                // Take the institution's lock first, as in `delete`, to avoid a deadlock.
                store::rolls::lock(sql, institution).await?;
                // Read again under the lock: a concurrent update may have changed other fields.
                let current = tool_consumers::lock(sql, institution, id).await?;
                let current = current.ok_or(Error::Missing(Missing::ToolConsumer))?;
                check_base(change.base.as_deref(), &version(&current))?;
                let (old_schedule, before) = (current.schedule, values(&current));
                let moves = change.token_url.is_some() || change.token_audience.is_some();
                let mut changed = changed(current, change, sealed)?;
                if let Some(addresses) = addresses {
                    let is_expected = changed.lti.as_ref().map(Registration::endpoints)
                        == expected.as_ref().map(Registration::endpoints);
                    // A concurrent update has moved another endpoint, of which nothing is proven.
                    changed.addresses = if is_expected { addresses } else { Addresses::UNPROVEN };
                }
                if moves && changed.is_shared() {
                    is_of_nobody_else(sql, &changed, Field::TokenUrl).await?;
                }
                tool_consumers::update(sql, &changed).await?;
                if changed.schedule != old_schedule {
                    store::courses::unschedule_all(sql, institution, id).await?;
                }
                use_up(sql, invite.as_deref(), id).await?;
                audit::write_change(sql, about(record, &changed).change(before, values(&changed))).await?;
                Ok(changed)
            })
        })
        .await
}

/// Refuses a second registration with this issuer and client, whose launches nobody could tell from those of the first.
async fn is_new(sql: &mut Sql, made: &ToolConsumer) -> Result<()> {
    let Some(lti) = &made.lti else { return Ok(()) };
    let same = tool_consumers::by_issuer(sql, made.institution, &made.url, Some(&lti.client_id)).await?;
    if same.is_empty() { Ok(()) } else { Err(Error::invalid(Field::ClientId, Fault::Taken)) }
}

/// Refuses a registration with shared addresses whose assertions the platform of another institution would accept.
async fn is_of_nobody_else(sql: &mut Sql, consumer: &ToolConsumer, field: Field) -> Result<()> {
    let Some(lti) = &consumer.lti else { return Ok(()) };
    let same = tool_consumers::shared_by_client(sql, &lti.client_id).await?;
    let others = same.iter().filter(|other| other.institution != consumer.institution);
    if others.filter_map(|other| other.lti.as_ref()).any(|other| other.shares_client(lti)) {
        return Err(Error::invalid(field, Fault::Taken));
    }
    Ok(())
}

/// Applies a change to a tool consumer. `sealed` is the encrypted access token of the change.
fn changed(mut changed: ToolConsumer, change: Change, sealed: Option<String>) -> Result<ToolConsumer> {
    let mut errors = FieldErrors::default();
    if let Some(name) = change.name {
        name_fault(&name, &mut errors);
        changed.name = name;
    }
    if sealed.is_some() {
        if changed.kind == LmsKind::Lti {
            errors.add(Field::AccessToken, SetupFault::UnusedByLti);
        }
        changed.sealed_access_token = sealed;
    }
    changed.product = change.product.or(changed.product);
    changed.enabled = change.enabled.unwrap_or(changed.enabled);
    changed.schedule = change.schedule.unwrap_or(changed.schedule);
    if let Some(roles) = change.roles {
        role_fault(&roles, &mut errors);
        changed.roles = roles;
    }
    if let Some(lti) = &mut changed.lti {
        change.deployments.apply(&mut lti.deployments, Field::DeploymentId, &mut errors);
        let ListChange { mut add, mut remove } = change.frame_ancestors;
        as_origins(&mut add, &mut errors);
        as_origins(&mut remove, &mut errors);
        ListChange { add, remove }.apply(&mut lti.frame_ancestors, Field::FrameAncestor, &mut errors);
        lti.token_audience = change.token_audience.or(lti.token_audience.take());
        for (new, old) in [
            (change.auth_url, &mut lti.auth_url),
            (change.token_url, &mut lti.token_url),
            (change.jwks_url, &mut lti.jwks_url),
        ] {
            new.into_iter().for_each(|new| *old = new);
        }
        trim(lti);
        registration_faults(lti, &mut errors);
    }
    errors.into_result()?;
    Ok(changed)
}

pub async fn find(app: &App, actor: &Actor, id: ToolConsumerId) -> Result<ToolConsumer> {
    let found = find_within(app, actor.reach(), id).await?;
    actor.administer(found.institution)?;
    Ok(found)
}

pub(super) async fn find_within(app: &App, scope: Scope, id: ToolConsumerId) -> Result<ToolConsumer> {
    let found = tool_consumers::find(&mut app.db.read(), scope, id).await?;
    found.ok_or(Error::Missing(Missing::ToolConsumer))
}

/// Finds the tool consumer with this api_token in the caller's institution.
pub(super) async fn by_token(app: &App, institution: InstitutionId, api_token: &str) -> Result<ToolConsumer> {
    let digest = digest::hex(&digest::of(api_token));
    let found = tool_consumers::by_token(&mut app.db.read(), institution, &digest).await?;
    found.ok_or(Error::Missing(Missing::ToolConsumer))
}

/// Finds the tool consumer of a launch by issuer and client id, or by the issuer alone if that is unambiguous.
pub(super) async fn by_issuer(
    app: &App,
    at: &Entrance,
    issuer: &str,
    client_id: Option<&str>,
) -> Result<ToolConsumer> {
    let sql = &mut app.db.read();
    let mut found = match at {
        Entrance::Shared => tool_consumers::shared_by_issuer(sql, issuer, client_id).await?,
        Entrance::Of(institution) => {
            tool_consumers::by_issuer(sql, institution.id, issuer, client_id).await?
        }
    };
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        _ => Err(Error::Missing(Missing::ToolConsumer)),
    }
}

pub async fn all(app: &App, actor: &Actor, only: Option<InstitutionId>) -> Result<Vec<ToolConsumer>> {
    Ok(tool_consumers::all(&mut app.db.read(), actor.administered(only)?).await?)
}

pub async fn delete(app: &App, actor: &Actor, id: ToolConsumerId) -> Result<()> {
    let leaving = find(app, actor, id).await?;
    let institution = leaving.institution;
    let record = about(Record::new(app, actor, institution, Act::ToolConsumerDeleted), &leaving);
    let gone = app.db.write::<_, Error>(move |sql| {
        Box::pin(async move {
            // Blocks concurrent changes to its courses.
            store::rolls::lock(sql, institution).await?;
            courses::promote(sql, &leaving).await?;
            let is_gone = tool_consumers::delete(sql, institution, id).await?;
            if is_gone {
                audit::write(sql, &[record.change(values(&leaving), Json::Null)]).await?;
            }
            Ok(is_gone)
        })
    });
    if gone.await? { Ok(()) } else { Err(Error::Missing(Missing::ToolConsumer)) }
}

/// The maximum number of known courses to try until one has people.
const MAX_COURSES_TRIED: usize = 5;

/// Checks the connection by reading a course that has people, preferably a known one.
pub async fn check(app: &App, actor: &Actor, consumer: &ToolConsumer) -> Result<lms::CheckReport> {
    Ok(check_steps(app, actor, consumer).await?.outcome?)
}

/// Like `check`, and says how far it came.
pub async fn check_steps(app: &App, actor: &Actor, consumer: &ToolConsumer) -> Result<lms::Checked> {
    actor.administer(consumer.institution)?;
    let mut known = known_courses(app, consumer).await?;
    // The most recently synchronized courses are the most likely to be in use.
    known.sort_by_key(|course| std::cmp::Reverse((course.error.is_none(), course.synced_at)));
    let known: Vec<Found> = known
        .into_iter()
        .take(MAX_COURSES_TRIED)
        .map(|course| Found {
            id: course.external_id,
            title: course.title,
            memberships_url: course.memberships_url,
        })
        .collect();
    Ok(connect(app, consumer).await?.check_steps(&known, &consumer.roles).await)
}

/// Checks a Canvas or Moodle before it is connected. LTI platforms can only be checked afterwards.
pub async fn check_new(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    new: &New,
) -> Result<lms::Checked> {
    actor.administer(institution)?;
    let (url, token) = (root_of(&new.url), new.access_token.clone().unwrap_or_default().trim().to_owned());
    let access = match new.kind {
        LmsKind::Canvas => Access::Canvas { url, token },
        LmsKind::Moodle => Access::Moodle { url, token },
        LmsKind::Lti => return Err(Error::invalid(Field::Url, Fault::Invalid)),
    };
    Ok(lms::Connection::new(&app.outbound, access).check_steps(&[], &new.roles).await)
}

/// The root URL of Canvas or Moodle, as it is stored.
fn root_of(url: &str) -> String {
    url.trim().trim_end_matches('/').to_owned()
}

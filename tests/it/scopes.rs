//! What each kind of actor may do: every use case that takes an `Actor` or an `Access` is in a table. Updates at the same time
//! do not undo each other.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use endonym::http::form::Form;
use endonym::{
    app::{
        Actor, Error, Forbidden, Missing, Result, audiences, audit, badges, bounces, callers, calls,
        consents, courses, coverage, custom_fields, deleted_people, demo, directory_holds, doctor, exports,
        imports, installation, institutions, invitations, jobs, kept_recordings, languages,
        links::secret::{self, Purpose},
        listening, lti, mail_texts, media, members, moderation, name_pages, names, operators, opt_outs,
        outbox, overview,
        own_entry::Details,
        own_media, own_person, own_recordings, page_exports, page_lists, page_settings, participants,
        people_entry, people_merge, people_search, people_tasks, persons, play_all, plays, progress,
        pronunciations, recording_requests, refused_people, registrations, scim, secrets, sign_in, sso,
        start, tokens,
        tool_consumers::{self, Change},
    },
    domain::{
        access::{Action, InsufficientScope, TokenScope},
        address_list::Invitee,
        audience::Audience,
        consent,
        email::Email,
        export::Export,
        ids::{
            CallId, CourseId, ImportId, InstitutionId, InvitationId, JobId, MessageId, ModerationId,
            ParticipantId, PeopleTaskId, ScimGroupId, ScimUserId, SignInLinkId, TokenId, ToolConsumerId,
        },
        language::Language,
        mail_text::{MailText, PageMailKind},
        media::Kind,
        member::Role as MemberRole,
        moderation::Complaint,
        moment::Moment,
        name_page::NamePageRef,
        paging::Window,
        participant::{Draft, Given, LegalNames},
        people_query::PeopleQuery,
        people_task::TaskAction,
        phone_number::PhoneNumber,
        roster::Role,
        session::{How, PersonId},
        sso::Connection,
        tool_consumer::{LmsKind, Registration, ToolConsumer},
    },
};
use futures_util::future::LocalBoxFuture;
use serde_json::json;
use syn::{FnArg, Ident, ImplItem, Item, Signature, Visibility, visit::Visit};

use crate::support::{
    World,
    database::execute,
    media::{png, wav},
};

/// The call that is scheduled, and another that is over.
const CALLS: [CallId; 2] = [CallId::new(1), CallId::new(2)];
const JOB: JobId = JobId::new(3);
const EMAIL: &str = "ana@x.org";
const NUMBER: &str = "+12025550123";

/// What an actor must have to run a use case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// To administer the institution that the use case names.
    Institution,
    /// To administer any institution: a list of what the actor administers.
    AnyInstitution,
    /// To own the institution that the use case names.
    Ownership,
    /// To own any institution: a list of what the actor owns.
    AnyOwnership,
    /// To be the directory of the institution, or to own it.
    Provisioning,
    /// To manage the name page that the use case names.
    Page,
    /// To manage name pages, whichever: a list of what the actor manages.
    AnyPage,
    /// To manage it or to be one of its readers.
    Hearing,
    /// To administer the installation.
    Installation,
    /// A token with this permission is enough.
    Permission(Action),
    /// Everybody who comes to the institution may.
    Visiting,
}

use Needs::{
    AnyInstitution, AnyOwnership, AnyPage, Hearing, Installation, Institution, Ownership, Page, Permission,
    Provisioning, Visiting,
};

pub struct Case {
    /// The path of the function below `src/app`.
    pub name: &'static str,
    needs: Needs,
    pub run: for<'a> fn(&'a Scene, &'a Actor) -> LocalBoxFuture<'a, Result<()>>,
}

macro_rules! case {
    ($name:literal, $needs:expr, |$scene:ident, $actor:ident| $call:expr) => {
        Case {
            name: $name,
            needs: $needs,
            run: |$scene, $actor| Box::pin(async move { $call.await.map(drop) }),
        }
    };
}

/// An institution with one of everything.
pub struct Scene {
    pub world: World,
    id: InstitutionId,
    slug: String,
    page: NamePageRef,
    consumer: ToolConsumer,
    connection: Connection,
    api_token: String,
    export: Export,
}

impl Scene {
    pub async fn new() -> Self {
        let world = World::new().await;
        let (app, id, operator) = (&world.app, world.institution.id, &Actor::Operator);
        let page = NamePageRef::parse(&world.page.slug).unwrap();
        let ana = Draft { phone_number: Given::Set(PhoneNumber::parse(NUMBER).unwrap()), ..draft(EMAIL) };
        participants::create(app, &operator.access(id).unwrap(), page.clone(), ana).await.unwrap();
        let (consumer, api_token) = tool_consumers::create(app, operator, id, canvas()).await.unwrap();
        let connection = sso::create(app, operator, id, provider()).await.unwrap();
        let export = exports::create(app, operator, id, everybody(), None).await.unwrap().made;
        let call = "INSERT INTO calls (institution_id, id, participant_id, phone_number, state, run_at, attempts_made, \
             attempts_allowed, created_at) VALUES ($1, $2, 0, $3, $4, 1, 0, 1, 1)";
        for (call_id, state) in CALLS.into_iter().zip(["scheduled", "no_answer"]) {
            execute(&app.db, call, vec![id.into(), call_id.into(), NUMBER.into(), state.into()]).await;
        }
        let job = "INSERT INTO jobs (id, institution_id, kind, payload, state, attempts, failures, created_at) \
             VALUES ($1, $2, 'scrub_exports', $3, 'dead', 1, 1, 1)";
        let payload = format!("{{\"kind\":\"scrub_exports\",\"institution\":{id}}}");
        execute(&app.db, job, vec![JOB.into(), id.into(), payload.into()]).await;
        let slug = world.institution.slug.clone();
        Self { id, slug, page, consumer, connection, api_token, export, world }
    }

    async fn token(&self, scope: TokenScope) -> Actor {
        let new = tokens::New { name: "test".into(), scope, ..tokens::New::default() };
        let made = tokens::create_with(&self.world.app, &Actor::Operator, self.id, new).await;
        actor(&self.world, &made.unwrap().1).await
    }
}

async fn actor(world: &World, token: &str) -> Actor {
    Actor::Token(callers::identify(&world.app, token, None).await.unwrap())
}

fn draft(email: &str) -> Draft {
    Draft {
        first_name: Given::Set("Ana".into()),
        email: Given::Set(Email::parse(email).unwrap()),
        ..Draft::default()
    }
}

/// Somebody new on the page, with the version of the entry.
async fn somebody(scene: &Scene) -> (ParticipantId, i64) {
    let (app, operator) = (&scene.world.app, &Actor::Operator);
    let new = draft(&format!("{}@x.org", app.ids.hex()));
    let access = operator.access(scene.id).unwrap();
    let made = participants::create(app, &access, scene.page.clone(), new).await.unwrap();
    (made.id, people_entry::find(app, operator, scene.id, made.id).await.unwrap().version)
}

/// A task that this actor has begun, if it may, or else the operator.
async fn task(scene: &Scene, actor: &Actor) -> PeopleTaskId {
    let whom = people_tasks::Whom::These(vec![somebody(scene).await.0]);
    let (app, id) = (&scene.world.app, scene.id);
    match people_tasks::begin(app, actor, id, &whom, TaskAction::Delete).await {
        Ok(task) => task,
        Err(_) => people_tasks::begin(app, &Actor::Operator, id, &whom, TaskAction::Delete).await.unwrap(),
    }
}

fn rehearsal(scene: &Scene) -> imports::Run {
    imports::Run {
        institution: scene.id,
        page: scene.world.page.id,
        target: imports::Target::Rehearsal,
        calling: imports::CallPolicy::Nobody,
        starts_with_newest: false,
        rows_done: 0,
    }
}

async fn uploaded(scene: &Scene) -> ImportId {
    // Only so many files may wait on a page.
    crate::support::database::execute(&scene.world.app.db, "DELETE FROM import_files", Vec::new()).await;
    let (app, page) = (&scene.world.app, (scene.id, scene.world.page.id));
    let file = b"email,first_name\n".to_vec();
    imports::upload(app, &Actor::Operator, page, "people.csv", file).await.unwrap().unwrap()
}

fn mark(email: &str) -> participants::PersonKey {
    let [as_email, as_given, spelled] = [(); 3].map(|()| email.to_owned());
    participants::PersonKey { as_email, as_given, spelled }
}

fn everybody() -> exports::ExportRequest {
    exports::ExportRequest { created_after: Some(Moment::from_micros(0)), ..Default::default() }
}

fn canvas() -> tool_consumers::New {
    tool_consumers::New {
        name: "Campus".into(),
        kind: LmsKind::Canvas,
        url: "http://127.0.0.1:9".into(),
        product: None,
        roles: vec![Role::Student],
        access_token: Some("secret".into()),
        lti: None,
    }
}

/// A platform that the operator has registered.
async fn platform(scene: &Scene) -> ToolConsumerId {
    let url = "http://127.0.0.1:9";
    let lti = Registration {
        client_id: scene.world.app.ids.hex(),
        deployments: vec!["d1".into()],
        auth_url: format!("{url}/auth"),
        token_url: format!("{url}/token"),
        token_audience: None,
        jwks_url: format!("{url}/jwks"),
        frame_ancestors: Vec::new(),
    };
    let new = tool_consumers::New { kind: LmsKind::Lti, access_token: None, lti: Some(lti), ..canvas() };
    tool_consumers::create(&scene.world.app, &Actor::Operator, scene.id, new).await.unwrap().0.id
}

/// Nobody listens there.
fn provider() -> sso::New {
    sso::New {
        name: None,
        issuer: "http://127.0.0.1:9".into(),
        client_id: "endonym".into(),
        client_secret: "secret".into(),
        domains: Vec::new(),
        tenant: None,
        any_account: true,
        trusts_unverified_email: false,
        scopes: Vec::new(),
    }
}

/// The provider cannot be reached.
fn away<T>(checked: Result<T>) -> Result<()> {
    match checked {
        Err(Error::Unavailable(_)) => Ok(()),
        other => other.map(drop),
    }
}

async fn consumer(world: &World) -> ToolConsumer {
    tool_consumers::create(&world.app, &Actor::Operator, world.institution.id, canvas()).await.unwrap().0
}

fn institution(name: &str) -> institutions::New {
    institutions::New {
        name: name.into(),
        slug: None,
        time_zone: "UTC".into(),
        multiple_recordings: false,
        phone_language: String::new(),
    }
}

fn page(title: &str) -> name_pages::New {
    name_pages::New { title: title.into(), slug: None, access_code: None, allow_v2: false }
}

fn invitee() -> Vec<Invitee> {
    vec![Invitee { email: Email::parse("ida@x.org").unwrap(), first_name: None, last_name: None }]
}

/// The invitation of the operator, who has made one before.
async fn invitation(scene: &Scene) -> InvitationId {
    let text = "SELECT MIN(id) FROM invitations WHERE institution_id = $1";
    let params = [scene.id.into()];
    let found = scene.world.app.db.read().one(text, &params, |row| row.opt_int(0)).await.unwrap();
    InvitationId::new(found.flatten().unwrap_or_default())
}

async fn resend(scene: &Scene, actor: &Actor) -> Result<()> {
    let (app, id) = (&scene.world.app, invitation(scene).await);
    let terms = invitations::Terms::of(app);
    invitations::resend(app, actor, scene.id, &scene.page, id, &terms).await.map(drop)
}

async fn withdraw(scene: &Scene, actor: &Actor) -> Result<()> {
    let id = invitation(scene).await;
    invitations::withdraw(&scene.world.app, actor, scene.id, &scene.page, id).await
}

/// In an order in which the operator can run all of them: those that delete come last.
pub fn cases() -> Vec<Case> {
    let (read, write, sync) = (Permission(Action::Read), Permission(Action::Write), Permission(Action::Sync));
    vec![
        case!("institutions::find", Institution, |s, a| institutions::find(&s.world.app, a, &s.slug)),
        case!("institutions::settings::find", Institution, |s, a| institutions::settings::find(
            &s.world.app,
            a,
            &s.slug
        )),
        case!("institutions::all", Installation, |s, a| institutions::all(&s.world.app, a)),
        case!("institutions::create", Installation, |s, a| institutions::create(
            &s.world.app,
            a,
            institution("Third")
        )),
        case!("institutions::update", Institution, |s, a| institutions::update(
            &s.world.app,
            a,
            &s.slug,
            institutions::Change { name: Some("Renamed University".into()), ..Default::default() }
        )),
        case!("institutions::starts_with_newest", Institution, |s, a| institutions::starts_with_newest(
            &s.world.app,
            a,
            s.id
        )),
        case!("institutions::notes_on_badge", Institution, |s, a| institutions::notes_on_badge(
            &s.world.app,
            a,
            s.id
        )),
        case!("institutions::audit_days", Institution, |s, a| institutions::audit_days(
            &s.world.app,
            a,
            s.id
        )),
        case!("audit::chain::verify", Institution, |s, a| audit::verify(&s.world.app, a, s.id, None)),
        case!("audit::log::list", Institution, |s, a| audit::list(
            &s.world.app,
            a,
            s.id,
            &audit::Query::default()
        )),
        case!("audit::log::find", Institution, |s, a| audit::find(
            &s.world.app,
            a,
            s.id,
            endonym::domain::audit::Cursor::NEWEST
        )),
        case!("audit::log::export", Institution, |s, a| audit::export(
            &s.world.app,
            a,
            s.id,
            audit::Query::default(),
            audit::Format::Csv
        )),
        case!("audit::log::of_person", Institution, |s, a| audit::of_person(&s.world.app, a, &ana(s), 20)),
        case!("tokens::create", Institution, |s, a| tokens::create(&s.world.app, a, s.id, "x".into(), None)),
        case!("tokens::create_with", Institution, |s, a| tokens::create_with(
            &s.world.app,
            a,
            s.id,
            tokens::New { name: "y".into(), ..Default::default() }
        )),
        case!("tokens::all", Institution, |s, a| tokens::all(&s.world.app, a, s.id)),
        case!("tokens::made_by", Institution, |s, a| tokens::made_by(&s.world.app, a, s.id, "boss@x.org")),
        case!("tokens::revoke", Institution, |s, a| revoke(s, a)),
        case!("tokens::rotate", Institution, |s, a| rotate(s, a)),
        case!("tokens::find", Institution, |s, a| find_token(s, a)),
        case!("tokens::expiring", Institution, |s, a| tokens::expiring(&s.world.app, a, s.id)),
        case!("tokens::requests", Institution, |s, a| tokens::requests(&s.world.app, a, s.id)),
        case!("tokens::requests_by_day", Institution, |s, a| tokens::requests_by_day(
            &s.world.app,
            a,
            s.id,
            TokenId::new(1)
        )),
        case!("name_pages::create", Institution, |s, a| name_pages::create(
            &s.world.app,
            a,
            s.id,
            page("Choir")
        )),
        case!("name_pages::create_with", Institution, |s, a| name_pages::create_with(
            &s.world.app,
            a,
            s.id,
            page("Orchestra"),
            page_settings::Change::default()
        )),
        case!("name_pages::copy", Page, |s, a| name_pages::copy(
            &s.world.app,
            a,
            s.id,
            &s.page,
            "Copy".into(),
            None
        )),
        case!("name_pages::copy_with_people", Page, |s, a| name_pages::copy_with_people(
            &s.world.app,
            a,
            s.id,
            &s.page,
            "Copy with people".into(),
            None
        )),
        case!("page_lists::list", AnyPage, |s, a| page_lists::list(
            &s.world.app,
            a,
            s.id,
            &page_lists::Filter::default(),
            None
        )),
        case!("page_lists::quick", AnyPage, |s, a| page_lists::quick(&s.world.app, a, s.id, "class", 8)),
        case!("page_lists::existing", Institution, |s, a| page_lists::existing(&s.world.app, a, s.id, &[])),
        case!("page_settings::managed", Page, |s, a| page_settings::managed(&s.world.app, a, s.id, &s.page)),
        case!("name_pages::archive", Page, |s, a| name_pages::archive(&s.world.app, a, s.id, &s.page, false)),
        case!("page_settings::update", Page, |s, a| page_settings::update(
            &s.world.app,
            a,
            s.id,
            &s.page,
            page_settings::Change { title: Some("Renamed".into()), ..Default::default() }
        )),
        case!("coverage::of", Page, |s, a| coverage::of(&s.world.app, a, s.id, &s.page)),
        case!("coverage::all", Institution, |s, a| coverage::all(&s.world.app, a, s.id, false)),
        case!("coverage::history", read, |s, a| coverage::history(&s.world.app, a, s.id)),
        case!("overview::newest", read, |s, a| overview::newest(&s.world.app, a, s.id, 8)),
        case!("overview::attention", write, |s, a| overview::attention(&s.world.app, a, s.id)),
        case!("progress::of", write, |s, a| progress::of(&s.world.app, a, s.id)),
        case!("start::steps", Institution, |s, a| start::steps(&s.world.app, a, s.id)),
        case!("start::add_people", Institution, |s, a| start::add_people(
            &s.world.app,
            a,
            s.id,
            &s.page,
            vec![Invitee {
                email: Email::parse("cem@x.org").unwrap(),
                first_name: Some("Cem".into()),
                last_name: None
            }]
        )),
        case!("start::dismiss", Institution, |s, a| start::dismiss(&s.world.app, a, s.id)),
        case!("installation::institutions", Installation, |s, a| installation::institutions(
            &s.world.app,
            a,
            "",
            10
        )),
        case!("installation::state", Installation, |s, a| installation::state(&s.world.app, a)),
        case!("installation::found", Installation, |s, a| installation::found(
            &s.world.app,
            a,
            institution("Fourth"),
            "first@x.org"
        )),
        case!("operators::link", Installation, |s, a| operators::link(&s.world.app, a, "http://localhost")),
        case!("doctor::examine", Installation, |s, a| doctor::examine(&s.world.app, a, false)),
        case!("name_pages::find", Institution, |s, a| name_pages::find(&s.world.app, a, s.id, &s.page)),
        case!("name_pages::allow_v2", Institution, |s, a| name_pages::allow_v2(
            &s.world.app,
            a,
            s.id,
            &s.page,
            true
        )),
        case!("invitations::inviting::invite", Page, |s, a| invitations::invite(
            &s.world.app,
            a,
            s.id,
            &s.page,
            invitee(),
            &invitations::Terms::of(&s.world.app)
        )),
        case!("invitations::inviting::invite_part", Page, |s, a| async {
            let (terms, part) = (invitations::Terms::of(&s.world.app), (0, Duration::MAX));
            invitations::invite_part(&s.world.app, a, s.id, &s.page, &invitee(), &terms, part).await
        }),
        case!("invitations::inviting::invite_unrecorded", Page, |s, a| invitations::invite_unrecorded(
            &s.world.app,
            a,
            s.id,
            &s.page,
            &invitations::Terms::of(&s.world.app)
        )),
        case!("invitations::inviting::invite_unrecorded_part", Page, |s, a| async {
            let (terms, part) = (invitations::Terms::of(&s.world.app), (None, Duration::MAX));
            invitations::invite_unrecorded_part(&s.world.app, a, s.id, &s.page, &terms, part).await
        }),
        case!("invitations::list::all", Page, |s, a| invitations::all(
            &s.world.app,
            a,
            s.id,
            &s.page,
            None,
            (invitations::Cursor::Start, 10)
        )),
        case!("invitations::renewal::resend", Page, |s, a| resend(s, a)),
        case!("invitations::withdraw", Page, |s, a| withdraw(s, a)),
        case!("custom_fields::create", Institution, |s, a| custom_fields::create(
            &s.world.app,
            a,
            s.id,
            custom_fields::New { name: "degree".into(), ..Default::default() }
        )),
        case!("custom_fields::all", read, |s, a| custom_fields::all(&s.world.app, &a.access(s.id)?)),
        case!("custom_fields::update", Institution, |s, a| custom_fields::update(
            &s.world.app,
            a,
            s.id,
            "degree".into(),
            custom_fields::Change { label: Some("Degree".into()), ..Default::default() }
        )),
        case!("custom_fields::reorder", Institution, |s, a| custom_fields::reorder(
            &s.world.app,
            a,
            s.id,
            "degree".into(),
            custom_fields::Direction::Up
        )),
        case!("custom_fields::find", Institution, |s, a| custom_fields::find(
            &s.world.app,
            a,
            s.id,
            "degree"
        )),
        case!("custom_fields::pages", Institution, |s, a| custom_fields::pages(
            &s.world.app,
            a,
            s.id,
            "degree"
        )),
        case!("custom_fields::usage", Institution, |s, a| custom_fields::usage(
            &s.world.app,
            a,
            s.id,
            "degree"
        )),
        case!("custom_fields::delete", Institution, |s, a| custom_fields::delete(
            &s.world.app,
            a,
            s.id,
            "degree".into()
        )),
        case!("participants::create::create", write, |s, a| participants::create(
            &s.world.app,
            &a.access(s.id)?,
            s.page.clone(),
            draft("ben@x.org")
        )),
        case!("participants::create::create_once", write, |s, a| participants::create_once(
            &s.world.app,
            &a.access(s.id)?,
            s.page.clone(),
            draft(&format!("{}@x.org", s.world.app.ids.hex())),
            None
        )),
        case!("participants::find", read, |s, a| participants::find(
            &s.world.app,
            &a.access(s.id)?,
            None,
            &mark(EMAIL)
        )),
        case!("participants::latest", read, |s, a| participants::latest(
            &s.world.app,
            &a.access(s.id)?,
            &[mark(EMAIL)]
        )),
        case!("participants::update::update", write, |s, a| participants::update(
            &s.world.app,
            &a.access(s.id)?,
            s.page.clone(),
            EMAIL.into(),
            Draft { phonetic: Given::Set("AH-nuh".into()), ..Draft::default() }
        )),
        case!("people_search::list", write, |s, a| people_search::list(
            &s.world.app,
            a,
            s.id,
            &PeopleQuery::default()
        )),
        case!("people_search::quick", write, |s, a| people_search::quick(&s.world.app, a, s.id, "ana", 5)),
        case!("people_search::choices", write, |s, a| people_search::choices(&s.world.app, a, s.id, None)),
        case!("people_entry::find", write, |s, a| async {
            people_entry::find(&s.world.app, a, s.id, somebody(s).await.0).await
        }),
        case!("people_entry::update", write, |s, a| async {
            let (id, version) = somebody(s).await;
            people_entry::update(&s.world.app, a, s.id, (id, version), Draft::default()).await
        }),
        case!("people_entry::upload", write, |s, a| async {
            let (id, _) = somebody(s).await;
            people_entry::upload(&s.world.app, a, s.id, id, (Kind::Recording, wav(1.0))).await
        }),
        // Ana has a number, and a call that waits.
        case!("people_entry::call", write, |s, a| people_entry::call(
            &s.world.app,
            a,
            s.id,
            ParticipantId::new(0)
        )),
        case!("people_entry::sound", write, |s, a| async {
            people_entry::sound(&s.world.app, a, s.id, somebody(s).await.0, "none").await
        }),
        case!("people_tasks::preview", write, |s, a| async {
            let whom = people_tasks::Whom::These(vec![somebody(s).await.0]);
            people_tasks::preview(&s.world.app, a, s.id, &whom).await
        }),
        case!("people_tasks::begin", write, |s, a| async {
            let whom = people_tasks::Whom::These(vec![somebody(s).await.0]);
            people_tasks::begin(&s.world.app, a, s.id, &whom, TaskAction::Delete).await
        }),
        case!("people_tasks::find", write, |s, a| async {
            people_tasks::find(&s.world.app, a, s.id, task(s, a).await).await
        }),
        case!("people_tasks::undo", write, |s, a| async {
            people_tasks::undo(&s.world.app, a, s.id, task(s, a).await).await
        }),
        case!("people_merge::preview", write, |s, a| async {
            let ids = (somebody(s).await.0, somebody(s).await.0);
            people_merge::preview(&s.world.app, a, s.id, ids).await
        }),
        case!("people_merge::merge", write, |s, a| async {
            let (one, other) = (somebody(s).await, somebody(s).await);
            // Managers merge what is one person for certain.
            let text = "UPDATE participants SET email = NULL, email_key = NULL WHERE id = $1";
            execute(&s.world.app.db, text, vec![other.0.into()]).await;
            people_merge::merge(&s.world.app, a, s.id, (one.0, other.0), (one.1, other.1)).await
        }),
        case!("kept_recordings::of_person", Institution, |s, a| kept_recordings::of_person(
            &s.world.app,
            a,
            &ana(s)
        )),
        case!("kept_recordings::put_back", Institution, |s, a| kept_recordings::put_back(
            &s.world.app,
            a,
            &ana(s),
            "0"
        )),
        case!("refused_people::list", Institution, |s, a| refused_people::list(&s.world.app, a, s.id, "")),
        case!("refused_people::readmit", Institution, |s, a| async {
            let text = "INSERT INTO refused_people (institution_id, email_key, refused_at) VALUES ($1, $2, 1) \
                        ON CONFLICT (institution_id, email_key) DO UPDATE SET readmitted_at = NULL";
            execute(&s.world.app.db, text, vec![s.id.into(), "left@x.org".into()]).await;
            refused_people::readmit(&s.world.app, a, s.id, "left@x.org").await
        }),
        case!("deleted_people::recent", write, |s, a| deleted_people::recent(&s.world.app, a, s.id, None)),
        case!("deleted_people::delete", write, |s, a| async {
            deleted_people::delete(&s.world.app, a, s.id, somebody(s).await.0).await
        }),
        case!("deleted_people::restore", write, |s, a| async {
            let (id, _) = somebody(s).await;
            deleted_people::delete(&s.world.app, &Actor::Operator, s.id, id).await.unwrap();
            deleted_people::restore(&s.world.app, a, s.id, id).await
        }),
        case!("participants::update::list_badge", write, |s, a| participants::list_badge(
            &s.world.app,
            &a.access(s.id)?,
            s.page.clone(),
            EMAIL.into(),
            true
        )),
        case!("participants::lists::list", read, |s, a| participants::list(
            &s.world.app,
            &a.access(s.id)?,
            &participants::Filter::default(),
            None
        )),
        case!("names::reach", read, |s, a| names::reach(&s.world.app, &a.access(s.id)?, &s.page)),
        case!("names::everybody", read, |s, a| names::everybody(
            &s.world.app,
            &a.access(s.id)?,
            names::Reach::Institution
        )),
        case!("names::search", read, |s, a| names::search(
            &s.world.app,
            &a.access(s.id)?,
            names::Reach::Institution,
            vec![EMAIL.into()],
            Vec::new()
        )),
        case!("names::find", read, |s, a| names::find(
            &s.world.app,
            &a.access(s.id)?,
            names::Reach::Institution,
            &names::Person::default()
        )),
        case!("pronunciations::search", read, |s, a| pronunciations::search(
            &s.world.app,
            &a.access(s.id)?,
            vec![EMAIL.into()],
            Vec::new()
        )),
        case!("pronunciations::delete", write, |s, a| pronunciations::delete(
            &s.world.app,
            &a.access(s.id)?,
            EMAIL.into(),
            "none".into()
        )),
        case!("exports::create", write, |s, a| exports::create(&s.world.app, a, s.id, everybody(), None)),
        case!("exports::find", read, |s, a| exports::find(&s.world.app, a, s.id, s.export.id)),
        case!("exports::list", read, |s, a| exports::list(&s.world.app, a, s.id, Window::FIRST)),
        case!("exports::report::open", read, |s, a| exports::Report::open(&s.world.app, a, s.id, &s.export)),
        case!("imports::options", Page, |s, a| imports::options(
            &s.world.app,
            a,
            &s.world.institution,
            s.world.page.id,
            (imports::Mapping::default(), None)
        )),
        case!("imports::begin", Page, |s, a| imports::begin(
            &s.world.app,
            a,
            (s.id, s.world.page.id),
            "people.csv",
            1
        )),
        case!("imports::finish", Page, |s, a| imports::finish(&s.world.app, a, rehearsal(s))),
        case!("imports::people", Page, |s, a| async {
            let input = imports::Input::Bytes(b"email,first_name\n".to_vec().into());
            let mapping = imports::Mapping::default();
            let options =
                imports::Options { custom: Vec::new(), legal: LegalNames::Ignored, mapping, class: None };
            imports::people(&s.world.app, a, rehearsal(s), (&input, &options), &mut |_| ()).await
        }),
        case!("imports::rows", Page, |s, a| imports::rows(&s.world.app, a, rehearsal(s), Vec::new())),
        case!("imports::newest", write, |s, a| imports::newest(&s.world.app, a, s.id, 10)),
        case!("imports::last", Page, |s, a| imports::last(&s.world.app, a, s.id, s.world.page.id)),
        case!("imports::recordings::recordings", Page, |s, a| async {
            let folder = tempfile::tempdir().unwrap();
            let files = imports::Recordings::open(folder.path()).unwrap();
            imports::recordings(&s.world.app, a, rehearsal(s), &files, &|_| false, &mut |_, _| ()).await
        }),
        case!("imports::undo::undo", Page, |s, a| imports::undo(&s.world.app, a, s.id, s.world.page.id)),
        case!("imports::undo::start_undo", Page, |s, a| imports::start_undo(
            &s.world.app,
            a,
            (s.id, s.world.page.id),
            ImportId::new(1)
        )),
        case!("imports::uploads::upload", Page, |s, a| imports::upload(
            &s.world.app,
            a,
            (s.id, s.world.page.id),
            "people.csv",
            b"email,first_name\n".to_vec()
        )),
        case!("imports::uploads::find_upload", Page, |s, a| async {
            let id = uploaded(s).await;
            imports::find_upload(&s.world.app, a, &s.world.institution, s.world.page.id, id).await
        }),
        case!("imports::uploads::report_part", Page, |s, a| async {
            let id = uploaded(s).await;
            imports::report_part(&s.world.app, a, (s.id, s.world.page.id), id, 0).await
        }),
        case!("imports::uploads::check_upload", Page, |s, a| async {
            let (id, mapping) = (uploaded(s).await, imports::Mapping::default());
            imports::check_upload(&s.world.app, a, (s.id, s.world.page.id), id, mapping).await
        }),
        case!("imports::uploads::import_upload", Page, |s, a| async {
            let id = uploaded(s).await;
            imports::import_upload(&s.world.app, a, (s.id, s.world.page.id), id).await
        }),
        case!("persons::find", Institution, |s, a| persons::find(&s.world.app, a, s.id, EMAIL)),
        case!("persons::export::export", Institution, |s, a| persons::export(
            &s.world.app,
            a,
            &s.world.institution,
            EMAIL.into()
        )),
        case!("audiences::of_institution", Institution, |s, a| audiences::of_institution(
            &s.world.app,
            a,
            s.id
        )),
        case!("audiences::find", Institution, |s, a| audiences::find(&s.world.app, a, &ana(s))),
        case!("audiences::choose", Institution, |s, a| audiences::choose(
            &s.world.app,
            a,
            ana(s),
            Audience::Institution
        )),
        case!("directory_holds::set", Institution, |s, a| async {
            directory_holds::set(&s.world.app, a, ana(s), true).await?;
            directory_holds::set(&s.world.app, a, ana(s), false).await
        }),
        case!("badges::is_listed", Institution, |s, a| badges::is_listed(&s.world.app, a, &ana(s))),
        case!("badges::list_all", Institution, |s, a| badges::list_all(&s.world.app, a, &ana(s), false)),
        case!("listening::check", Hearing, |s, a| listen(s, a)),
        case!("listening::list", Hearing, |s, a| list(s, a)),
        case!("listening::ask", Hearing, |s, a| ask(s, a)),
        case!("listening::report", Hearing, |s, a| report(s, a)),
        case!("listening::reportable", Hearing, |s, a| reportable(s, a)),
        case!("play_all::begin", Hearing, |s, a| play_all(s, a)),
        case!("recording_requests::are_welcome", Institution, |s, a| recording_requests::are_welcome(
            &s.world.app,
            a,
            &ana(s)
        )),
        case!("recording_requests::choose", Institution, |s, a| recording_requests::choose(
            &s.world.app,
            a,
            ana(s),
            false
        )),
        case!("languages::find", Institution, |s, a| languages::find(&s.world.app, a, &ana(s))),
        case!("languages::choose", Institution, |s, a| languages::choose(
            &s.world.app,
            a,
            ana(s),
            Language::German
        )),
        case!("consents::find", Institution, |s, a| consents::find(&s.world.app, a, s.id)),
        case!("consents::set", Institution, |s, a| consents::set(
            &s.world.app,
            a,
            s.id,
            Language::English,
            "We record you."
        )),
        case!("consents::replace", Institution, |s, a| async {
            let (app, language) = (&s.world.app, Language::English);
            let now = consents::find(app, &Actor::Operator, s.id).await?;
            let text = format!("We record you. {}", app.ids.hex());
            let base = Some(consents::seen(&now.text, Some(language)));
            consents::replace(app, a, s.id, Some((language, text.as_str())), base).await
        }),
        case!("consents::reset", Institution, |s, a| consents::reset(&s.world.app, a, s.id)),
        case!("consents::all", Institution, |s, a| consents::all(&s.world.app, a, s.id)),
        case!("consents::of_person", Institution, |s, a| consents::of_person(&s.world.app, a, &ana(s))),
        case!("consents::agree", Institution, |s, a| consents::agree(
            &s.world.app,
            a,
            &ana(s),
            consent::BUILT_IN,
            Language::English
        )),
        case!("plays::heard", Institution, |s, a| plays::heard(&s.world.app, a, &ana(s))),
        case!("members::set", Ownership, |s, a| members::set(
            &s.world.app,
            a,
            s.id,
            Email::parse("boss@x.org").unwrap(),
            MemberRole::Reader,
            vec![s.page.clone()]
        )),
        case!("members::replace", Ownership, |s, a| members::replace(
            &s.world.app,
            a,
            s.id,
            Email::parse(&format!("{}@x.org", s.world.app.ids.hex())).unwrap(),
            MemberRole::Reader,
            vec![s.page.clone()],
            members::Change { base: Some(members::version(None)), tokens: None }
        )),
        case!("members::all", Ownership, |s, a| members::all(&s.world.app, a, s.id)),
        case!("members::list", Institution, |s, a| members::list(&s.world.app, a, s.id, "", 100)),
        case!("members::remove", Ownership, |s, a| members::remove(
            &s.world.app,
            a,
            s.id,
            "boss@x.org",
            None
        )),
        case!("members::own_pages", Institution, |s, a| members::own_pages(&s.world.app, a, &ana(s))),
        case!("page_exports::export", Page, |s, a| page_exports::export(
            &s.world.app,
            a,
            s.id,
            &s.page,
            page_exports::Format::Csv,
            &s.world.app.links,
            Language::English
        )),
        case!("outbox::all", AnyInstitution, |s, a| outbox::all(&s.world.app, a, None, 10)),
        case!("outbox::search", AnyPage, |s, a| outbox::search(
            &s.world.app,
            a,
            s.id,
            &outbox::Search::default(),
            10
        )),
        case!("outbox::retry", AnyInstitution, |s, a| outbox::retry(
            &s.world.app,
            a,
            None,
            MessageId::new(1)
        )),
        case!("outbox::retry", AnyPage, |s, a| outbox::retry(&s.world.app, a, Some(s.id), MessageId::new(1))),
        case!("bounces::all", Institution, |s, a| bounces::all(&s.world.app, a, Some(s.id), 10)),
        case!("bounces::behind", AnyPage, |s, a| bounces::behind(&s.world.app, a, s.id, "", 10)),
        case!("opt_outs::behind", AnyPage, |s, a| opt_outs::behind(&s.world.app, a, s.id, "", 10)),
        case!("opt_outs::remove", Institution, |s, a| opt_outs::remove(&s.world.app, a, s.id, EMAIL)),
        case!("bounces::clear", Institution, |s, a| bounces::clear(&s.world.app, a, s.id, EMAIL)),
        case!("bounces::clear_all", Institution, |s, a| bounces::clear_all(&s.world.app, a, s.id)),
        case!("mail_texts::all", Institution, |s, a| mail_texts::all(&s.world.app, a, s.id)),
        case!("mail_texts::find", Institution, |s, a| mail_texts::find(
            &s.world.app,
            a,
            s.id,
            PageMailKind::Invitation,
            Language::English
        )),
        case!("mail_texts::set", Institution, |s, a| mail_texts::set(
            &s.world.app,
            a,
            s.id,
            PageMailKind::Invitation,
            Language::English,
            "Subject",
            "{link}"
        )),
        case!("mail_texts::replace", Institution, |s, a| async {
            let (app, place) = (&s.world.app, (PageMailKind::Invitation, Language::English));
            let now = mail_texts::find(app, &Actor::Operator, s.id, place.0, place.1).await?.text;
            let new = MailText { subject: app.ids.hex(), text: "{link}".to_owned() };
            mail_texts::replace(app, a, s.id, place, Some(&new), Some(mail_texts::version(&now))).await
        }),
        case!("mail_texts::preview", Institution, |s, a| mail_texts::preview(
            &s.world.app,
            a,
            s.id,
            PageMailKind::Invitation,
            Language::English,
            None
        )),
        case!("mail_texts::send_test", Institution, |s, a| mail_texts::send_test(
            &s.world.app,
            a,
            s.id,
            PageMailKind::Invitation,
            Language::English,
            Email::parse(EMAIL).unwrap()
        )),
        case!("mail_texts::reset", Institution, |s, a| mail_texts::reset(
            &s.world.app,
            a,
            s.id,
            PageMailKind::Invitation,
            Language::English
        )),
        case!("sign_in::handover", Institution, |s, a| sign_in::handover(
            &s.world.app,
            a,
            &ana(s),
            How::Mail,
            None
        )),
        case!("sign_in::handover_state", Institution, |s, a| sign_in::handover_state(
            &s.world.app,
            a,
            &ana(s),
            SignInLinkId::new(1)
        )),
        case!("sign_in::handover_recorded", Institution, |s, a| sign_in::handover_recorded(
            &s.world.app,
            a,
            &ana(s)
        )),
        case!("sign_in::operator_link", Institution, |s, a| sign_in::operator_link(
            &s.world.app,
            a,
            s.id,
            EMAIL,
            Duration::from_secs(60),
            "http://localhost"
        )),
        case!("sign_in::operator_link_to", Institution, |s, a| sign_in::operator_link_to(
            &s.world.app,
            a,
            s.id,
            EMAIL,
            Duration::from_secs(60),
            "http://localhost",
            None
        )),
        case!("tool_consumers::create", Institution, |s, a| tool_consumers::create(
            &s.world.app,
            a,
            s.id,
            canvas()
        )),
        case!("tool_consumers::find", Institution, |s, a| tool_consumers::find(
            &s.world.app,
            a,
            s.consumer.id
        )),
        case!("tool_consumers::all", Institution, |s, a| tool_consumers::all(&s.world.app, a, Some(s.id))),
        case!("tool_consumers::all", AnyInstitution, |s, a| tool_consumers::all(&s.world.app, a, None)),
        case!("tool_consumers::update", Institution, |s, a| tool_consumers::update(
            &s.world.app,
            a,
            s.consumer.id,
            Change { name: Some("Renamed".into()), ..Change::default() }
        )),
        case!("tool_consumers::check_steps", Institution, |s, a| tool_consumers::check_steps(
            &s.world.app,
            a,
            &s.consumer
        )),
        case!("tool_consumers::check_new", Institution, |s, a| async {
            tool_consumers::check_new(&s.world.app, a, s.id, &canvas()).await
        }),
        case!("tool_consumers::check", Institution, |s, a| tool_consumers::check(
            &s.world.app,
            a,
            &s.consumer
        )),
        case!("sso::connections::create", Ownership, |s, a| sso::create(
            &s.world.app,
            a,
            s.id,
            sso::New { client_id: "another".into(), ..provider() }
        )),
        case!("sso::connections::find", Ownership, |s, a| sso::find(&s.world.app, a, s.connection.id)),
        case!("sso::connections::all", Institution, |s, a| sso::all(&s.world.app, a, Some(s.id))),
        case!("sso::connections::offered", Visiting, |s, a| sso::offered(&s.world.app, a, s.id)),
        case!("sso::connections::all", AnyOwnership, |s, a| sso::all(&s.world.app, a, None)),
        case!("sso::registration", Institution, |s, a| sso::registration(
            &s.world.app,
            a,
            s.id,
            "https://names.example.edu"
        )),
        case!("sso::connections::update", Ownership, |s, a| sso::update(
            &s.world.app,
            a,
            s.connection.id,
            sso::Change { name: Some("Renamed".into()), ..Default::default() }
        )),
        case!("sso::connections::check", Ownership, |s, a| async {
            away(sso::check(&s.world.app, a, &s.connection).await)
        }),
        case!("sso::connections::test", Ownership, |s, a| sso::test(
            &s.world.app,
            a,
            &s.connection,
            "https://names.example.edu"
        )),
        case!("sso::connections::check_client", Ownership, |s, a| async {
            away(sso::check_client(&s.world.app, a, &s.connection, "https://names.example.edu").await)
        }),
        case!("scim::connections::create", Ownership, |s, a| scim::connections::create(
            &s.world.app,
            a,
            s.id,
            scim::connections::New { name: "Directory".into(), pages_from_groups: false }
        )),
        case!("scim::connections::all", Ownership, |s, a| scim::connections::all(&s.world.app, a, s.id)),
        case!("scim::connections::overview", Ownership, |s, a| scim::connections::overview(
            &s.world.app,
            a,
            s.id
        )),
        case!("scim::connections::revoke", Ownership, |s, a| revoke_scim(s, a)),
        case!("scim::users::create", Provisioning, |s, a| async {
            let body = json!({ "userName": s.world.app.ids.hex() });
            scim::users::create(&s.world.app, a, s.id, &body).await
        }),
        case!("scim::users::find", Provisioning, |s, a| async {
            scim::users::find(&s.world.app, a, s.id, scim_user(s).await).await
        }),
        case!("scim::users::list", Provisioning, |s, a| async {
            scim::users::list(&s.world.app, a, s.id, &everything()).await
        }),
        case!("scim::users::replace", Provisioning, |s, a| async {
            let body = json!({ "userName": s.world.app.ids.hex() });
            scim::users::replace(&s.world.app, a, s.id, scim_user(s).await, body).await
        }),
        case!("scim::users::patch", Provisioning, |s, a| async {
            let body = json!({ "Operations": [{ "op": "replace", "path": "active", "value": false }] });
            scim::users::patch(&s.world.app, a, s.id, scim_user(s).await, &body).await
        }),
        case!("scim::users::delete", Provisioning, |s, a| async {
            scim::users::delete(&s.world.app, a, s.id, scim_user(s).await).await
        }),
        case!("scim::groups::create", Provisioning, |s, a| async {
            let body = json!({ "displayName": s.world.app.ids.hex() });
            scim::groups::create(&s.world.app, a, s.id, &body, true).await
        }),
        case!("scim::groups::find", Provisioning, |s, a| async {
            scim::groups::find(&s.world.app, a, s.id, scim_group(s).await, true).await
        }),
        case!("scim::groups::list", Provisioning, |s, a| async {
            scim::groups::list(&s.world.app, a, s.id, &everything(), true).await
        }),
        case!("scim::groups::replace", Provisioning, |s, a| async {
            let body = json!({ "displayName": s.world.app.ids.hex() });
            scim::groups::replace(&s.world.app, a, s.id, scim_group(s).await, &body, true).await
        }),
        case!("scim::groups::patch", Provisioning, |s, a| async {
            let body = json!({ "Operations": [{ "op": "remove", "path": "members" }] });
            scim::groups::patch(&s.world.app, a, s.id, scim_group(s).await, &body).await
        }),
        case!("scim::groups::delete", Provisioning, |s, a| async {
            scim::groups::delete(&s.world.app, a, s.id, scim_group(s).await).await
        }),
        case!("scim::groups::summaries", Ownership, |s, a| scim::groups::summaries(
            &s.world.app,
            a,
            s.id,
            None,
            100
        )),
        case!("scim::groups::summary", Ownership, |s, a| async {
            scim::groups::summary(&s.world.app, a, s.id, scim_group(s).await).await
        }),
        case!("scim::groups::named", Ownership, |s, a| async {
            let id = scim_group(s).await.to_string();
            scim::groups::named(&s.world.app, a, s.id, &id).await
        }),
        case!("scim::groups::map", Ownership, |s, a| async {
            let target = scim::Target::Page(s.page.clone());
            scim::groups::map(&s.world.app, a, s.id, scim_group(s).await, target, None).await
        }),
        case!("sso::groups::set_groups_claim", Ownership, |s, a| sso::set_groups_claim(
            &s.world.app,
            a,
            s.connection.id,
            "roles",
            None
        )),
        case!("sso::groups::map_group", Ownership, |s, a| sso::map_group(
            &s.world.app,
            a,
            s.connection.id,
            "staff",
            MemberRole::Reader,
            vec![s.page.clone()],
            None
        )),
        case!("sso::groups::mapping", Ownership, |s, a| sso::mapping(&s.world.app, a, s.connection.id)),
        case!("sso::groups::unmap_group", Ownership, |s, a| sso::unmap_group(
            &s.world.app,
            a,
            s.connection.id,
            "staff"
        )),
        case!("lti::registrations::invite", Institution, |s, a| lti::registrations::invite(
            &s.world.app,
            a,
            s.id
        )),
        case!("lti::keys::rotate", Installation, |s, a| lti::keys::rotate(&s.world.app, a, None)),
        case!("lti::keys::rotate", Institution, |s, a| lti::keys::rotate(&s.world.app, a, Some(s.id))),
        case!("tool_consumers::issuers::confirm", Installation, |s, a| async {
            tool_consumers::confirm(&s.world.app, a, platform(s).await).await
        }),
        case!("tool_consumers::issuers::prove", Institution, |s, a| async {
            tool_consumers::prove(&s.world.app, a, platform(s).await).await
        }),
        case!("tool_consumers::issuers::renew", Institution, |s, a| async {
            tool_consumers::renew(&s.world.app, a, platform(s).await).await
        }),
        case!("secrets::rotate", Installation, |s, a| secrets::rotate(&s.world.app, a)),
        case!("courses::consumer", sync, |s, a| courses::consumer(
            &s.world.app,
            a,
            s.id,
            "canvas",
            &s.api_token
        )),
        case!("courses::is_known_word", sync, |s, a| courses::is_known_word(&s.world.app, a, s.id, "canvas")),
        case!("courses::synchronize", sync, |s, a| courses::synchronize(
            &s.world.app,
            a,
            &s.consumer,
            Vec::new(),
            courses::WhenRunning::Fine,
            None
        )),
        case!("courses::synchronize_with", sync, |s, a| synchronize(s, a, courses::LossPolicy::HeldBack)),
        case!("courses::synchronize_with", Institution, |s, a| synchronize(
            s,
            a,
            courses::LossPolicy::Accepted
        )),
        case!("courses::all", Institution, |s, a| courses::all(&s.world.app, a, &s.consumer)),
        case!("courses::listed", Institution, |s, a| courses::listed(&s.world.app, a, &s.consumer, "", 10)),
        case!("courses::figures", Institution, |s, a| courses::figures(&s.world.app, a, s.id)),
        case!("courses::synchronize_all", Institution, |s, a| courses::synchronize_all(
            &s.world.app,
            a,
            &s.consumer
        )),
        case!("courses::aliased", Institution, |s, a| courses::aliased(&s.world.app, a, &s.consumer)),
        case!("courses::find", Institution, |s, a| courses::find(&s.world.app, a, s.id, CourseId::new(1))),
        case!("courses::merge::merge", Institution, |s, a| courses::merge(
            &s.world.app,
            a,
            s.id,
            CourseId::new(1),
            CourseId::new(2)
        )),
        case!("media::reprocess", Institution, |s, a| media::reprocess(&s.world.app, a, s.id, |_, _| ())),
        case!("media::sweep", Installation, |s, a| media::sweep(&s.world.app, a, Duration::ZERO, true)),
        case!("moderation::queue", Page, |s, a| moderation::queue(
            &s.world.app,
            a,
            s.id,
            Some(&s.page),
            moderation::Listed::Open,
            None
        )),
        case!("moderation::queue", AnyPage, |s, a| moderation::queue(
            &s.world.app,
            a,
            s.id,
            None,
            moderation::Listed::Decided,
            None
        )),
        case!("moderation::decisions::decide", Page, |s, a| moderation::decide(
            &s.world.app,
            a,
            s.id,
            &held(s, true),
            moderation::Decision::Approve
        )),
        case!("moderation::decisions::decide", AnyPage, |s, a| moderation::decide(
            &s.world.app,
            a,
            s.id,
            &held(s, false),
            moderation::Decision::Dismiss
        )),
        case!("moderation::sound", Page, |s, a| moderation::sound(
            &s.world.app,
            a,
            s.id,
            Some(s.world.page.id),
            ModerationId::new(1)
        )),
        case!("moderation::sound", AnyPage, |s, a| moderation::sound(
            &s.world.app,
            a,
            s.id,
            None,
            ModerationId::new(1)
        )),
        case!("moderation::picture", Page, |s, a| moderation::picture(
            &s.world.app,
            a,
            s.id,
            Some(s.world.page.id),
            ModerationId::new(1)
        )),
        case!("moderation::picture", AnyPage, |s, a| moderation::picture(
            &s.world.app,
            a,
            s.id,
            None,
            ModerationId::new(1)
        )),
        case!("demo::seed", Installation, |s, a| demo::seed(&s.world.app, a, s.world.folder.path())),
        case!("calls::all", Institution, |s, a| calls::all(&s.world.app, a, Some(s.id), 10)),
        case!("calls::all", AnyInstitution, |s, a| calls::all(&s.world.app, a, None, 10)),
        case!("calls::cancel", Institution, |s, a| calls::cancel(&s.world.app, a, CALLS[0])),
        case!("calls::retry", Institution, |s, a| calls::retry(&s.world.app, a, CALLS[1], 1)),
        case!("calls::cancel_pending", Institution, |s, a| calls::cancel_pending(
            &s.world.app,
            a,
            Some(s.id)
        )),
        case!("calls::cancel_pending", AnyInstitution, |s, a| calls::cancel_pending(&s.world.app, a, None)),
        case!("calls::opted_out", Institution, |s, a| calls::opted_out(&s.world.app, a, s.id)),
        case!("calls::board::board", Institution, |s, a| calls::board(&s.world.app, a, s.id, None, 10)),
        case!("calls::board::test", Institution, |s, a| test_call(s, a)),
        case!("calls::board::forbid", Institution, |s, a| calls::forbid(
            &s.world.app,
            a,
            s.id,
            PhoneNumber::parse(NUMBER).unwrap()
        )),
        case!("calls::board::opted_out_after", Institution, |s, a| calls::opted_out_after(
            &s.world.app,
            a,
            s.id,
            "",
            10
        )),
        case!("calls::opt_in", Institution, |s, a| calls::opt_in(
            &s.world.app,
            a,
            s.id,
            PhoneNumber::parse(NUMBER).unwrap()
        )),
        case!("jobs::all", AnyInstitution, |s, a| jobs::all(&s.world.app, a, None, 10)),
        case!("jobs::of_institution", Institution, |s, a| jobs::of_institution(&s.world.app, a, s.id)),
        case!("jobs::retry", Institution, |s, a| jobs::retry(&s.world.app, a, JOB)),
        case!("own_person::find", Institution, |s, a| own_person::find(&s.world.app, a, &ana(s))),
        case!("own_person::record", Institution, |s, a| own_person::record(
            &s.world.app,
            a,
            &ana(s),
            wav(1.0),
            None
        )),
        case!("own_person::change", Institution, |s, a| own_person::change(
            &s.world.app,
            a,
            &ana(s),
            &s.world.page.slug,
            Details::read(&Form::from_query("notes=x"))
        )),
        case!("own_person::call", Institution, |s, a| be_called(s, a)),
        case!("own_media::set_photo", Institution, |s, a| own_media::set_photo(
            &s.world.app,
            a,
            &ana(s),
            png()
        )),
        case!("own_media::delete_photo", Institution, |s, a| own_media::delete_photo(
            &s.world.app,
            a,
            &ana(s)
        )),
        case!("own_media::find_legal_name", Institution, |s, a| own_media::find_legal_name(
            &s.world.app,
            a,
            &ana(s)
        )),
        case!("own_media::record_legal_name", Institution, |s, a| own_media::record_legal_name(
            &s.world.app,
            a,
            &ana(s),
            wav(1.0)
        )),
        case!("own_media::delete_legal_recording", Institution, |s, a| own_media::delete_legal_recording(
            &s.world.app,
            a,
            &ana(s)
        )),
        case!("own_media::sound", Institution, |s, a| own_media::sound(
            &s.world.app,
            a,
            &ana(s),
            &s.world.page.slug,
            Kind::Recording
        )),
        case!("own_media::picture", Institution, |s, a| own_media::picture(&s.world.app, a, &ana(s), None)),
        case!("registrations::register", Institution, |s, a| async {
            let details = registrations::PageDetails::read(&Form::from_query("first_name=Ana"));
            registrations::register(&s.world.app, a, &ana(s), &public(s).await, false, None, details).await
        }),
        case!("registrations::refusal", Institution, |s, a| async {
            registrations::refusal(&s.world.app, a, &ana(s), &public(s).await, None).await
        }),
        case!("registrations::find", Institution, |s, a| async {
            registrations::find(&s.world.app, a, &ana(s), &public(s).await).await
        }),
        case!("registrations::change", Institution, |s, a| async {
            let details = registrations::PageDetails::read(&Form::from_query("phonetic=AH-na"));
            registrations::change(&s.world.app, a, &ana(s), &public(s).await, details).await
        }),
        case!("registrations::record", Institution, |s, a| async {
            let (public, sharing) = (public(s).await, own_recordings::Sharing::ThisPage);
            registrations::record(&s.world.app, a, &ana(s), &public, wav(1.0), sharing).await
        }),
        case!("registrations::sound", Institution, |s, a| async {
            registrations::sound(&s.world.app, a, &ana(s), &public(s).await).await
        }),
        case!("own_person::delete_recording", Institution, |s, a| own_person::delete_recording(
            &s.world.app,
            a,
            &ana(s),
            None
        )),
        case!("consents::withdraw", Institution, |s, a| consents::withdraw(
            &s.world.app,
            a,
            &ana(s),
            consents::Withdrawal::Delete
        )),
        case!("persons::delete_from_page", write, |s, a| persons::delete_from_page(
            &s.world.app,
            &a.access(s.id)?,
            s.page.clone(),
            mark("ben@x.org")
        )),
        case!("persons::erase", Institution, |s, a| persons::erase(
            &s.world.app,
            a,
            s.id,
            EMAIL.into(),
            persons::Rewrite::Now
        )),
        case!("sso::connections::delete", Ownership, |s, a| sso::delete(&s.world.app, a, s.connection.id)),
        case!("tool_consumers::delete", Institution, |s, a| tool_consumers::delete(
            &s.world.app,
            a,
            s.consumer.id
        )),
        case!("name_pages::delete", Institution, |s, a| name_pages::delete(&s.world.app, a, s.id, &s.page)),
        case!("institutions::delete", Ownership, |s, a| institutions::delete(&s.world.app, a, &s.slug)),
    ]
}

/// A case of moderation, on the page or anywhere in the institution. There is none: what counts is who may ask.
fn held(scene: &Scene, on_page: bool) -> moderation::Target {
    let page = on_page.then_some(scene.world.page.id);
    moderation::Target { case: ModerationId::new(1), page, heard: None }
}

fn ana(scene: &Scene) -> PersonId {
    PersonId { institution: scene.id, email_key: EMAIL.into() }
}

async fn public(scene: &Scene) -> name_pages::PublicPage {
    name_pages::public(&scene.world.app, scene.page.key()).await.unwrap()
}

/// The token of the only registration.
async fn registration(scene: &Scene) -> String {
    let text = "SELECT token FROM participants WHERE institution_id = $1";
    let found = scene.world.app.db.read().one(text, &[scene.id.into()], |row| row.text(0)).await;
    found.unwrap().unwrap_or_default()
}

/// Only people who are registered may listen, and whoever manages the page.
async fn listen(scene: &Scene, actor: &Actor) -> Result<()> {
    listening::check(&scene.world.app, Some(actor), &public(scene).await).await
}

async fn list(scene: &Scene, actor: &Actor) -> Result<listening::People> {
    let query = listening::Query { most: 10, ..listening::Query::default() };
    listening::list(&scene.world.app, Some(actor), &public(scene).await, &query).await
}

/// What the listening page calls the person of the registration.
async fn listed(scene: &Scene) -> String {
    let (app, token) = (&scene.world.app, registration(scene).await);
    let Ok(person) = participants::by_token(app, scene.id, &token).await else { return String::new() };
    let secret = secret::find(app, scene.id).await.unwrap();
    secret.name(Purpose::Listening(scene.world.page.id), person.id)
}

async fn ask(scene: &Scene, actor: &Actor) -> Result<listening::Answer> {
    let (public, id) = (public(scene).await, listed(scene).await);
    listening::ask(&scene.world.app, Some(actor), None, &public, &id).await
}

async fn report(scene: &Scene, actor: &Actor) -> Result<listening::Answer> {
    let (public, id) = (public(scene).await, listed(scene).await);
    let report = moderation::Report { about: None, complaint: Complaint::Offensive, sentence: "Why" };
    listening::report(&scene.world.app, Some(actor), None, &public, &id, report).await
}

async fn reportable(scene: &Scene, actor: &Actor) -> Result<listening::Reportable> {
    let (public, id) = (public(scene).await, listed(scene).await);
    listening::reportable(&scene.world.app, Some(actor), &public, &id).await
}

async fn play_all(scene: &Scene, actor: &Actor) -> Result<play_all::PlayAll> {
    let query = listening::Query { most: 10, ..listening::Query::default() };
    play_all::begin(&scene.world.app, (Some(actor), None), &public(scene).await, &query, false).await
}

/// This installation calls nobody.
async fn be_called(scene: &Scene, actor: &Actor) -> Result<()> {
    match own_person::call(&scene.world.app, actor, &ana(scene), NUMBER).await {
        Err(Error::Missing(Missing::Call)) => Ok(()),
        other => other,
    }
}

async fn revoke(scene: &Scene, actor: &Actor) -> Result<()> {
    let app = &scene.world.app;
    let made = tokens::create(app, &Actor::Operator, scene.id, "z".into(), None).await?.0;
    tokens::revoke(app, actor, scene.id, made.id).await
}

async fn revoke_scim(scene: &Scene, actor: &Actor) -> Result<()> {
    let app = &scene.world.app;
    let new = scim::connections::New { name: "Directory".into(), pages_from_groups: false };
    let made = scim::connections::create(app, &Actor::Operator, scene.id, new).await?.0;
    scim::connections::revoke(app, actor, scene.id, made.id).await
}

/// A new user of the institution's directory.
async fn scim_user(scene: &Scene) -> ScimUserId {
    let body = json!({ "userName": scene.world.app.ids.hex() });
    scim::users::create(&scene.world.app, &Actor::Operator, scene.id, &body).await.unwrap().stored.id
}

async fn scim_group(scene: &Scene) -> ScimGroupId {
    let body = json!({ "displayName": scene.world.app.ids.hex() });
    scim::groups::create(&scene.world.app, &Actor::Operator, scene.id, &body, true).await.unwrap().stored.id
}

fn everything() -> scim::Query {
    scim::Query { filter: None, skipped: 0, most: 10 }
}

async fn rotate(scene: &Scene, actor: &Actor) -> Result<()> {
    let app = &scene.world.app;
    let made = tokens::create(app, &Actor::Operator, scene.id, "z".into(), None).await?.0;
    tokens::rotate(app, actor, scene.id, made.id, Duration::from_secs(60)).await.map(drop)
}

async fn find_token(scene: &Scene, actor: &Actor) -> Result<()> {
    let app = &scene.world.app;
    let made = tokens::create(app, &Actor::Operator, scene.id, "z".into(), None).await?.0;
    tokens::find(app, actor, scene.id, made.id).await.map(drop)
}

/// The people of the scene are on a page, and the administrator is not: nobody is called.
async fn test_call(scene: &Scene, actor: &Actor) -> Result<()> {
    match calls::test(&scene.world.app, actor, &ana(scene), NUMBER).await {
        Err(Error::Missing(Missing::Call)) => Ok(()),
        other => other.map(drop),
    }
}

async fn synchronize(scene: &Scene, actor: &Actor, losses: courses::LossPolicy) -> Result<courses::Outcome> {
    let running = courses::WhenRunning::Fine;
    courses::synchronize_with(&scene.world.app, actor, &scene.consumer, Vec::new(), running, losses).await
}

fn is_missing<T>(outcome: &Result<T>) -> bool {
    let Err(Error::Missing(what)) = outcome else { return false };
    matches!(
        what,
        Missing::Institution | Missing::Call | Missing::Job | Missing::ToolConsumer | Missing::SsoConnection
    )
}

fn is_not_administrator<T>(outcome: &Result<T>) -> bool {
    matches!(outcome, Err(Error::Forbidden(Forbidden::Administration)))
}

fn lacks<T>(outcome: &Result<T>, scope: TokenScope, action: Action) -> bool {
    let lack = Forbidden::Scope(InsufficientScope { has: scope, needs: action });
    matches!(outcome, Err(Error::Forbidden(why)) if *why == lack)
}

/// Permitted: it succeeds, or fails on what the scene does not have.
fn is_permitted<T>(outcome: &Result<T>) -> bool {
    match outcome {
        Ok(_) | Err(Error::LearningSystem(_) | Error::Missing(Missing::Course | Missing::Recording)) => true,
        Err(_) => false,
    }
}

#[tokio::test]
async fn a_token_of_another_institution_finds_nothing() {
    let scene = Scene::new().await;
    let neighbor = scene.world.neighbor().await;
    let stranger = actor(&scene.world, &neighbor.token).await;
    for Case { name, needs, run } in cases() {
        let outcome = run(&scene, &stranger).await;
        match needs {
            Institution | Ownership | Provisioning | Page | AnyPage | Hearing | Permission(_) | Visiting => {
                assert!(is_missing(&outcome), "{name}: {outcome:?}");
            }
            AnyInstitution | AnyOwnership | Installation => {
                assert!(is_not_administrator(&outcome), "{name}: {outcome:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_token_does_only_what_its_scope_permits_and_never_administers() {
    let scene = Scene::new().await;
    for scope in [TokenScope::Read, TokenScope::Sync] {
        let token = scene.token(scope).await;
        for Case { name, needs, run } in cases() {
            let outcome = run(&scene, &token).await;
            match needs {
                Visiting => assert!(is_permitted(&outcome), "{name}: {outcome:?}"),
                Permission(action) if scope.permits(action) => {
                    assert!(is_permitted(&outcome), "{name}: {outcome:?}");
                }
                Permission(action) => assert!(lacks(&outcome, scope, action), "{name}: {outcome:?}"),
                Institution | AnyInstitution | Ownership | AnyOwnership | Provisioning | Page | AnyPage
                | Hearing | Installation => {
                    assert!(is_not_administrator(&outcome), "{name}: {outcome:?}");
                }
            }
        }
    }
    let token = scene.token(TokenScope::All).await;
    for Case { name, needs, run } in cases() {
        let outcome = run(&scene, &token).await;
        match needs {
            Permission(_) | Visiting => assert!(is_permitted(&outcome), "{name}: {outcome:?}"),
            Institution | AnyInstitution | Ownership | AnyOwnership | Provisioning | Page | AnyPage
            | Hearing | Installation => {
                assert!(is_not_administrator(&outcome), "{name}: {outcome:?}");
            }
        }
    }
}

#[tokio::test]
async fn an_operator_may_do_everything() {
    let scene = Scene::new().await;
    for Case { name, run, .. } in cases() {
        let outcome = run(&scene, &Actor::Operator).await;
        assert!(is_permitted(&outcome), "{name}: {outcome:?}");
    }
    let found = institutions::find(&scene.world.app, &Actor::Operator, &scene.slug).await;
    assert!(is_missing(&found), "the last case deletes the institution");
}

/// A member of an institution, as the actor of a request.
async fn member(world: &World, institution: InstitutionId, role: MemberRole, pages: &[NamePageRef]) -> Actor {
    let email = Email::parse(&format!("{}@members.example", role.word())).unwrap();
    let set = members::set(&world.app, &Actor::Operator, institution, email, role, pages.to_vec());
    let person = set.await.unwrap().person;
    members::actor_of(&world.app, &person).await.unwrap()
}

#[tokio::test]
async fn an_owner_may_do_everything_in_the_institution_and_nothing_outside() {
    let scene = Scene::new().await;
    let owner = member(&scene.world, scene.id, MemberRole::Owner, &[]).await;
    for Case { name, needs, run } in cases() {
        let outcome = run(&scene, &owner).await;
        match needs {
            Institution | AnyInstitution | Ownership | AnyOwnership | Provisioning | Page | AnyPage
            | Hearing | Permission(_) | Visiting => {
                assert!(is_permitted(&outcome), "{name}: {outcome:?}");
            }
            Installation => assert!(is_not_administrator(&outcome), "{name}: {outcome:?}"),
        }
    }
    let found = institutions::find(&scene.world.app, &Actor::Operator, &scene.slug).await;
    assert!(is_missing(&found), "the last case deletes the institution");
}

#[tokio::test]
async fn an_admin_may_do_everything_but_what_is_for_owners() {
    let scene = Scene::new().await;
    let admin = member(&scene.world, scene.id, MemberRole::Admin, &[]).await;
    for Case { name, needs, run } in cases() {
        let outcome = run(&scene, &admin).await;
        match needs {
            Institution | AnyInstitution | Page | AnyPage | Hearing | Permission(_) | Visiting => {
                assert!(is_permitted(&outcome), "{name}: {outcome:?}");
            }
            Ownership | AnyOwnership | Provisioning => {
                assert!(is_not_owner(&outcome), "{name}: {outcome:?}");
            }
            Installation => assert!(is_not_administrator(&outcome), "{name}: {outcome:?}"),
        }
    }
}

fn is_not_owner<T>(outcome: &Result<T>) -> bool {
    matches!(outcome, Err(Error::Forbidden(Forbidden::Ownership)))
}

#[tokio::test]
async fn managers_and_readers_have_their_own_pages_and_administer_nothing() {
    let scene = Scene::new().await;
    let second = NamePageRef::parse(&scene.world.page("Second").await.slug).unwrap();
    let (own, other) = ([scene.page.clone()], [second]);
    for (role, scope, pages) in [
        (MemberRole::Manager, TokenScope::Write, &own[..]),
        (MemberRole::Manager, TokenScope::Write, &other[..]),
        (MemberRole::Manager, TokenScope::Write, &own[..0]),
        (MemberRole::Reader, TokenScope::Read, &own[..]),
        (MemberRole::Reader, TokenScope::Read, &other[..]),
    ] {
        let actor = member(&scene.world, scene.id, role, pages).await;
        for Case { name, needs, run } in cases() {
            let outcome = run(&scene, &actor).await;
            let what = format!("{role:?} of {pages:?}: {name}: {outcome:?}");
            match needs {
                Page if role == MemberRole::Manager && pages == own => {
                    assert!(is_permitted(&outcome), "{what}");
                }
                AnyPage if role == MemberRole::Manager => assert!(is_permitted(&outcome), "{what}"),
                Visiting => assert!(is_permitted(&outcome), "{what}"),
                Hearing if pages == own => assert!(is_permitted(&outcome), "{what}"),
                Permission(action) if !scope.permits(action) => {
                    assert!(lacks(&outcome, scope, action), "{what}");
                }
                Permission(_) => assert!(is_permitted(&outcome) || is_on_other_pages(&outcome), "{what}"),
                Institution | AnyInstitution | Ownership | AnyOwnership | Provisioning | Page | AnyPage
                | Hearing | Installation => {
                    assert!(is_not_administrator(&outcome), "{what}");
                }
            }
        }
    }
}

fn is_on_other_pages<T>(outcome: &Result<T>) -> bool {
    matches!(
        outcome,
        Err(Error::Forbidden(Forbidden::NamePage | Forbidden::Export)
            | Error::Missing(Missing::Participant | Missing::Job))
    )
}

#[tokio::test]
async fn a_member_of_another_institution_finds_nothing() {
    let scene = Scene::new().await;
    let neighbor = scene.world.neighbor().await;
    let scheduled = || async {
        let text = "SELECT COUNT(*) FROM calls WHERE institution_id = $1 AND state = 'scheduled'";
        let counted = scene.world.app.db.read().one(text, &[scene.id.into()], |row| row.int(0)).await;
        counted.unwrap()
    };
    let before = scheduled().await;
    for role in MemberRole::ALL {
        let stranger = member(&scene.world, neighbor.institution.id, role, &[]).await;
        for Case { name, needs, run } in cases() {
            let outcome = run(&scene, &stranger).await;
            match needs {
                Institution | Ownership | Provisioning | Page | AnyPage | Hearing | Permission(_)
                | Visiting => {
                    assert!(is_missing(&outcome), "{role:?}: {name}: {outcome:?}");
                }
                // Lists of what is theirs, which is nothing of the scene.
                AnyInstitution if role.has_all_pages() => {
                    assert!(is_permitted(&outcome), "{role:?}: {name}: {outcome:?}");
                }
                AnyOwnership if role == MemberRole::Owner => {
                    assert!(is_permitted(&outcome), "{role:?}: {name}: {outcome:?}");
                }
                AnyOwnership if role == MemberRole::Admin => {
                    assert!(is_not_owner(&outcome), "{role:?}: {name}: {outcome:?}");
                }
                AnyInstitution | AnyOwnership | Installation => {
                    assert!(is_not_administrator(&outcome), "{role:?}: {name}: {outcome:?}");
                }
            }
        }
    }
    assert_eq!(scheduled().await, before, "nobody else's call was canceled");
}

/// The directory of an institution, as the actor of a request.
async fn directory(world: &World, institution: InstitutionId, slug: &str) -> Actor {
    let new = scim::connections::New { name: "Directory".into(), pages_from_groups: false };
    let made = scim::connections::create(&world.app, &Actor::Operator, institution, new).await;
    let address = std::net::Ipv4Addr::LOCALHOST.into();
    scim::connections::authenticate(&world.app, slug, &made.unwrap().1, address).await.unwrap().actor()
}

#[tokio::test]
async fn a_directory_provisions_its_own_institution_and_does_nothing_else() {
    let scene = Scene::new().await;
    let own = directory(&scene.world, scene.id, &scene.slug).await;
    for Case { name, needs, run } in cases() {
        let outcome = run(&scene, &own).await;
        match needs {
            Provisioning | Visiting => assert!(is_permitted(&outcome), "{name}: {outcome:?}"),
            Permission(Action::Read) => {
                assert!(is_permitted(&outcome) || is_on_other_pages(&outcome), "{name}: {outcome:?}");
            }
            Permission(action) => assert!(lacks(&outcome, TokenScope::Read, action), "{name}: {outcome:?}"),
            Institution | AnyInstitution | Ownership | AnyOwnership | Page | AnyPage | Hearing
            | Installation => {
                assert!(is_not_administrator(&outcome), "{name}: {outcome:?}");
            }
        }
    }
    let neighbor = scene.world.neighbor().await;
    let other = directory(&scene.world, neighbor.institution.id, &neighbor.institution.slug).await;
    for Case { name, needs, run } in cases() {
        let outcome = run(&scene, &other).await;
        match needs {
            Institution | Ownership | Provisioning | Page | AnyPage | Hearing | Permission(_) | Visiting => {
                assert!(is_missing(&outcome), "{name}: {outcome:?}");
            }
            AnyInstitution | AnyOwnership | Installation => {
                assert!(is_not_administrator(&outcome), "{name}: {outcome:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_visitor_sees_what_the_institution_shows_to_everybody_and_does_nothing_else() {
    let scene = Scene::new().await;
    let visitor = Actor::Visitor(scene.id);
    for Case { name, needs, run } in cases() {
        let outcome = run(&scene, &visitor).await;
        match needs {
            Visiting => assert!(is_permitted(&outcome), "{name}: {outcome:?}"),
            Permission(Action::Read) => {
                assert!(is_permitted(&outcome) || is_on_other_pages(&outcome), "{name}: {outcome:?}");
            }
            Permission(action) => assert!(lacks(&outcome, TokenScope::Read, action), "{name}: {outcome:?}"),
            Institution | AnyInstitution | Ownership | AnyOwnership | Provisioning | Page | AnyPage
            | Hearing | Installation => {
                assert!(is_not_administrator(&outcome), "{name}: {outcome:?}");
            }
        }
    }
    let stranger = Actor::Visitor(scene.world.neighbor().await.institution.id);
    for Case { name, needs, run } in cases() {
        let outcome = run(&scene, &stranger).await;
        match needs {
            Institution | Ownership | Provisioning | Page | AnyPage | Hearing | Permission(_) | Visiting => {
                assert!(is_missing(&outcome), "{name}: {outcome:?}");
            }
            AnyInstitution | AnyOwnership | Installation => {
                assert!(is_not_administrator(&outcome), "{name}: {outcome:?}");
            }
        }
    }
    assert_eq!(visitor.signature(), "visitor");
    assert!(!visitor.access(scene.id).unwrap().reaches(scene.world.page.id));
}

/// Where the server acts for itself: jobs, and webhooks of telephony with a verified signature. Behind a page or an endpoint is
/// somebody else, if only a visitor.
const AS_THE_SERVER: &[&str] = &[
    "src/app/calls/cloud/takes.rs",
    "src/app/calls/cloud/webhooks.rs",
    "src/app/courses.rs",
    "src/app/courses/schedule.rs",
    "src/app/imports.rs",
    "src/app/imports/job.rs",
    "src/app/imports/undo.rs",
    "src/app/jobs/sweep_blobs.rs",
];

#[test]
fn only_jobs_and_webhooks_act_as_the_server() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    files_below(&root.join("src"), &mut files);
    let acting: BTreeSet<String> = files
        .into_iter()
        .filter(|file| std::fs::read_to_string(file).unwrap().contains("Actor::System"))
        .map(|file| file.strip_prefix(root).unwrap().display().to_string())
        .collect();
    let known: BTreeSet<String> = AS_THE_SERVER.iter().map(|file| (*file).to_owned()).collect();
    assert_eq!(acting, known);
}

#[tokio::test]
async fn a_member_acts_for_themselves_and_for_no_other_person() {
    let scene = Scene::new().await;
    let (app, pages) = (&scene.world.app, [scene.page.clone()]);
    for role in [MemberRole::Manager, MemberRole::Reader] {
        let actor = member(&scene.world, scene.id, role, &pages).await;
        let own = PersonId { institution: scene.id, email_key: format!("{}@members.example", role.word()) };
        assert!(languages::find(app, &actor, &own).await.is_ok());
        assert!(is_not_administrator(&languages::find(app, &actor, &ana(&scene)).await));
    }
}

/// A public async function of `src/app`.
#[derive(Default)]
struct UseCase {
    name: String,
    /// The names in the types of its parameters.
    kinds: BTreeSet<String>,
}

impl UseCase {
    fn takes(&self, kind: &str) -> bool {
        self.kinds.contains(kind)
    }

    fn takes_actor(&self) -> bool {
        self.takes("Actor") || self.takes("Access")
    }
}

impl Visit<'_> for UseCase {
    fn visit_ident(&mut self, name: &Ident) {
        self.kinds.insert(name.to_string());
    }
}

fn files_below(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, into);
        } else {
            into.push(path);
        }
    }
}

fn use_cases() -> Vec<UseCase> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/app");
    let (mut files, mut found) = (Vec::new(), Vec::new());
    files_below(&root, &mut files);
    for file in files {
        let module = file.strip_prefix(&root).unwrap().with_extension("").display().to_string();
        let module = module.replace('/', "::");
        let mut note = |visibility: &Visibility, signature: &Signature| {
            if !matches!(visibility, Visibility::Public(_)) || signature.asyncness.is_none() {
                return;
            }
            let name = format!("{module}::{}", signature.ident);
            let mut one = UseCase { name, ..UseCase::default() };
            for parameter in &signature.inputs {
                if let FnArg::Typed(typed) = parameter {
                    one.visit_type(&typed.ty);
                }
            }
            found.push(one);
        };
        for item in syn::parse_file(&std::fs::read_to_string(&file).unwrap()).unwrap().items {
            match item {
                Item::Fn(function) => note(&function.vis, &function.sig),
                Item::Impl(block) => block.items.iter().for_each(|item| {
                    if let ImplItem::Fn(method) = item {
                        note(&method.vis, &method.sig);
                    }
                }),
                _ => {}
            }
        }
    }
    found
}

#[test]
fn the_table_has_every_use_case_that_takes_an_actor() {
    let taking = use_cases().into_iter().filter(UseCase::takes_actor);
    let taking: BTreeSet<String> = taking.map(|one| one.name).collect();
    let listed: BTreeSet<String> = cases().iter().map(|case| case.name.to_owned()).collect();
    assert!(taking.len() > 60, "{taking:?}");
    assert_eq!(taking, listed);
}

/// Functions that take a bare institution, because something else than an actor has authorized the request.
const WITHOUT_ACTOR: &[(&str, &[&str])] = &[
    (
        "public links that cannot be guessed, and the public look of an institution",
        &[
            "badges::external_url",
            "badges::external_url_of",
            "badges::find",
            "badges::played",
            "directory_holds::media",
            "directory_holds::of_page",
            "links::secret::find",
            "looks::find",
            "looks::logo",
            "media::find_live",
            "media::find",
            "media::successor",
            "page_settings::find",
            "participants::by_token",
        ],
    ),
    ("the ways to sign in, which everybody sees", &["institutions::sso_only"]),
    (
        "background jobs",
        &[
            "calls::cloud::takes::delete_takes",
            "calls::cloud::takes::fetch_take",
            "courses::apply::prepare",
            "courses::roster::run",
            "exports::build::build",
            "exports::departures::scrub",
            "imports::job::run",
            "institutions::by_id",
            "invitations::mail::mail",
            "jobs::claim_this",
            "moderation::mail::rejection_mail",
            "outbox::deliver",
            "people_index::run",
            "people_tasks::run",
        ],
    ),
    (
        "launches and sessions of a learning system, and people's own recordings",
        &[
            "courses::join::join",
            "courses::staff::add_own_entry",
            "courses::staff::own_entry",
            "courses::staff::previews",
            "lti::courses::find",
            "lti::courses::users_of",
            "own_recordings::record",
            "people::list",
            "people::media_address",
            "people::photos",
        ],
    ),
];

#[test]
fn no_other_use_case_takes_a_bare_institution() {
    let is_bare = |one: &UseCase| {
        one.takes("App") && !one.takes_actor() && (one.takes("InstitutionId") || one.takes("Institution"))
    };
    let bare: BTreeSet<String> = use_cases().into_iter().filter(is_bare).map(|one| one.name).collect();
    let known: BTreeSet<String> =
        WITHOUT_ACTOR.iter().flat_map(|(_, names)| *names).map(|name| (*name).to_owned()).collect();
    assert_eq!(bare, known);
}

#[tokio::test]
async fn updates_of_an_institution_at_the_same_time_keep_each_others_fields() {
    let world = World::new().await;
    let (app, slug) = (&world.app, world.institution.slug.as_str());
    let name = institutions::Change { name: Some("Renamed".into()), ..Default::default() };
    let zone = institutions::Change { time_zone: Some("Asia/Tokyo".into()), ..Default::default() };
    let first =
        institutions::Change { allow_origins: vec!["https://a.example".into()], ..Default::default() };
    let second =
        institutions::Change { allow_origins: vec!["https://b.example".into()], ..Default::default() };
    let all =
        [name, zone, first, second].map(|change| institutions::update(app, &Actor::Operator, slug, change));
    for outcome in futures_util::future::join_all(all).await {
        outcome.unwrap();
    }
    let found = institutions::find(app, &Actor::Operator, slug).await.unwrap();
    assert_eq!((found.name.as_str(), found.time_zone.iana_name()), ("Renamed", Some("Asia/Tokyo")));
    assert_eq!(found.allowed_origins, ["https://a.example", "https://b.example"]);
}

#[tokio::test]
async fn updates_of_a_tool_consumer_at_the_same_time_keep_each_others_fields() {
    let world = World::new().await;
    let (app, id) = (&world.app, consumer(&world).await.id);
    let name = Change { name: Some("Renamed".into()), ..Change::default() };
    let off = Change { enabled: Some(false), ..Change::default() };
    let roles = Change { roles: Some(vec![Role::Teacher]), ..Change::default() };
    let all = [name, off, roles].map(|change| tool_consumers::update(app, &Actor::Operator, id, change));
    for outcome in futures_util::future::join_all(all).await {
        outcome.unwrap();
    }
    let found = tool_consumers::find(app, &Actor::Operator, id).await.unwrap();
    assert_eq!((found.name.as_str(), found.enabled, found.roles), ("Renamed", false, vec![Role::Teacher]));
}

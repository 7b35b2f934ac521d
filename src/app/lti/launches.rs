//! The second step of a launch: validates the platform's response and opens a session.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::{
    PlatformError, Refusal, Result, check_open,
    courses::{self, LaunchedCourse},
    entrance::Entrance,
    logins::again_at,
    registrations::origins,
    sessions, user_digest,
};
use crate::{
    app::{
        App, Error,
        audit::{self, Record},
        consents,
        own_entry::Owner,
        sessions::{Secret, of_browser},
        tool_consumers,
    },
    domain::{
        audit::{Act, SubjectKind, Who, WhoKind},
        ids::{InstitutionId, ToolConsumerId},
        lti::{CourseRole, DeepLinking, Expected, Launch, Message},
        scope::Scope,
        tool_consumer::{ToolConsumer, product_word},
    },
    jwt::token::Algorithm,
    store::{
        lti_logins::{self, Login},
        lti_sessions::{self, Session, Viewer},
        tool_consumers as store,
    },
};

/// Students may keep their own entry open for a school day. The full list that staff see expires earlier.
const STUDENT_SESSION: Duration = Duration::from_secs(8 * 3_600);
const STAFF_SESSION: Duration = Duration::from_secs(4 * 3_600);

/// The platform's response, posted by the browser.
pub struct AuthenticationResponse<'a> {
    pub state: &'a str,
    pub answer: Answer<'a>,
    /// The values of the browser's cookies. If there are several, one of them must match.
    pub browsers: &'a [&'a str],
}

pub enum Answer<'a> {
    Token(&'a str),
    Error(PlatformError),
}

/// Returns the name of the new session, which is a secret.
pub async fn finish(app: &App, at: &Entrance, returned: AuthenticationResponse<'_>) -> Result<String> {
    let login = take(app, returned.state).await?;
    let consumer = consumer(app, login.institution, login.tool_consumer).await?;
    if !at.admits(&consumer) {
        return Err(Refusal::UnknownState.into());
    }
    let finished = taken(app, at, returned, login, &consumer).await;
    finished.map_err(|fault| {
        audit::refused(app, consumer.institution, None, audit::LTI);
        fault.inside(&consumer)
    })
}

async fn consumer(app: &App, institution: InstitutionId, id: ToolConsumerId) -> Result<ToolConsumer> {
    match tool_consumers::find_within(app, Scope::Institution(institution), id).await {
        Err(Error::Missing(_)) => Err(Refusal::UnknownPlatform.into()),
        other => Ok(other?),
    }
}

/// Continues with a login that `take` has consumed.
async fn taken(
    app: &App,
    at: &Entrance,
    returned: AuthenticationResponse<'_>,
    login: Login,
    consumer: &ToolConsumer,
) -> Result<String> {
    if of_browser(returned.browsers, &login.browser_digest).is_none() {
        let again = if login.asked.is_empty() { String::new() } else { again_at(app, at, &login.asked) };
        return Err(Refusal::OtherBrowser(again).to(consumer));
    }
    if login.expires_at <= app.clock.now() {
        return Err(Refusal::Late.to(consumer));
    }
    check_open(consumer)?;
    let token = match returned.answer {
        Answer::Token(token) => token,
        Answer::Error(why) => return Err(Refusal::Platform(why).to(consumer)),
    };
    let launch = verified(app, consumer, &login, token).await?;
    let consumer = &set_product(app, consumer, &launch).await?;
    let (launched, who, deep_link) = match &launch.message {
        Message::DeepLinking(asked) => {
            (None, Viewer::Staff(None), Some(deep_linking(app, consumer, &launch, asked).await?))
        }
        Message::ResourceLink => {
            let (launched, who) = course(app, consumer, &launch).await?;
            (Some(launched), who, None)
        }
    };
    if let Viewer::Student(participant) = who {
        consents::ask_again(app, Owner { institution: consumer.institution, participant }).await?;
    }
    let (name, now) = (Secret::generate(app), app.clock.now());
    let session_digest = name.digest();
    let visitor =
        launched.as_ref().and_then(LaunchedCourse::visitor).filter(|_| matches!(who, Viewer::Staff(_)));
    let person = visitor.map(|visitor| sessions::sealed(app, &session_digest, visitor)).transpose()?;
    let member = launched.as_ref().and_then(LaunchedCourse::member_id);
    let session = Session {
        session_digest,
        browser_digest: login.browser_digest,
        institution: consumer.institution,
        tool_consumer: consumer.id,
        course: launched.as_ref().map(|launched| launched.course.id),
        who,
        user_digest: user_digest(consumer.id, launch.person.user_id.as_deref().unwrap_or_default()),
        member_digest: member.map(|member| user_digest(consumer.id, member)),
        person,
        theme: launch.theme,
        language: launch.language,
        deep_link,
        expires_at: now.plus(if matches!(who, Viewer::Staff(_)) { STAFF_SESSION } else { STUDENT_SESSION }),
    };
    let record = signed_in(app, consumer, &session);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                lti_sessions::end_of_others(sql, &session, now).await?;
                lti_sessions::insert(sql, &session).await?;
                Ok(audit::write(sql, &[record]).await?)
            })
        })
        .await?;
    Ok(name.into_string())
}

/// Somebody has come from a learning system. Whoever has an entry is known by it.
fn signed_in(app: &App, consumer: &ToolConsumer, session: &Session) -> Record {
    let (role, entry) = match &session.who {
        Viewer::Staff(entry) => ("staff", *entry),
        Viewer::Student(entry) => ("student", Some(*entry)),
    };
    let who = Who { kind: WhoKind::Lti, name: None, id: entry.map(Into::into) };
    let record = Record::by(app, who, consumer.institution, Act::SignInSucceeded);
    let record = record.about(SubjectKind::ToolConsumer, consumer.id, consumer.name.as_str());
    record.change(Json::Null, json!({ "via": audit::LTI, "role": role }))
}

/// Consumes the login atomically, so that no state or nonce can be replayed.
async fn take(app: &App, state: &str) -> Result<Login> {
    let Some(state) = Secret::parse(state) else { return Err(Refusal::UnknownState.into()) };
    let (state, now) = (state.digest(), app.clock.now());
    let named = state.clone();
    let taken = app
        .db
        .write::<_, Error>(move |sql| Box::pin(async move { Ok(lti_logins::take(sql, &named, now).await?) }))
        .await?;
    match taken {
        Some(login) => Ok(login),
        None => match lti_logins::consumer_of(&mut app.db.read(), &state).await? {
            Some((institution, id)) => Err(Refusal::UnknownState.to(&consumer(app, institution, id).await?)),
            None => Err(Refusal::UnknownState.into()),
        },
    }
}

async fn verified(app: &App, consumer: &ToolConsumer, login: &Login, token: &str) -> Result<Launch> {
    let Some(lti) = &consumer.lti else { return Err(Refusal::UnknownPlatform.into()) };
    // The standard requires RS256.
    let algorithms = &[Algorithm::Rs256];
    let verified =
        app.key_sets.verified(&app.outbound, &lti.jwks_url, algorithms, token, || app.clock.instant());
    let claims = verified.await;
    let claims = claims
        .map_err(|error| Refusal::NoKeys(error.to_string()).to(consumer))?
        .map_err(|fault| Refusal::Token(fault).to(consumer))?;
    let expected = Expected {
        issuer: &consumer.url,
        client_id: &lti.client_id,
        deployments: &lti.deployments,
        nonce: &login.nonce,
        base_url: app.links.base(),
        now: app.clock.now(),
    };
    Launch::read(&claims, &expected).map_err(|fault| Refusal::Claims(fault).to(consumer))
}

/// Stores the platform's product family if it is not known yet, and returns the updated tool consumer.
async fn set_product(app: &App, consumer: &ToolConsumer, launch: &Launch) -> Result<ToolConsumer> {
    let product = launch.product_family.as_deref().and_then(product_word);
    let Some(product) = product.filter(|_| consumer.product.is_none()) else { return Ok(consumer.clone()) };
    let (institution, id, learned) = (consumer.institution, consumer.id, product.clone());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(store::set_product(sql, institution, id, &learned).await?) })
        })
        .await?;
    Ok(ToolConsumer { product: Some(product), ..consumer.clone() })
}

async fn deep_linking(
    app: &App,
    consumer: &ToolConsumer,
    launch: &Launch,
    asked: &DeepLinking,
) -> Result<String> {
    if !launch.may_add_links {
        return Err(Refusal::NoPart.to(consumer));
    }
    let is_safe =
        asked.return_url.starts_with("https://") || app.outbound.permits(&asked.return_url).await.is_ok();
    // Reject before the user picks a title for a link that could not be sent.
    if !is_safe || origins([&asked.return_url]).is_empty() {
        return Err(Refusal::Claims(crate::domain::lti::Fault::DeepLinking).to(consumer));
    }
    serde_json::to_string(asked).map_err(|error| Error::Internal(error.to_string()).into())
}

/// Finds or creates the launched course, and determines the visitor's role in it.
async fn course(app: &App, consumer: &ToolConsumer, launch: &Launch) -> Result<(LaunchedCourse, Viewer)> {
    match launch.standing {
        CourseRole::Neither => return Err(Refusal::NoPart.to(consumer)),
        CourseRole::Preview => return Err(Refusal::Preview.to(consumer)),
        CourseRole::Student | CourseRole::Staff => {}
    }
    let Some(context) = &launch.context else { return Err(Refusal::NoCourse.to(consumer)) };
    if launch.standing == CourseRole::Student && launch.person.user_id.is_none() {
        return Err(Refusal::Anonymous.to(consumer));
    }
    let launched = courses::launched(app, consumer, context, launch).await?;
    let who = if launch.standing == CourseRole::Student {
        let own = launched.student(app).await?;
        Viewer::Student(own.ok_or_else(|| Refusal::Preview.to(consumer))?)
    } else {
        Viewer::Staff(launched.staff(app).await?)
    };
    Ok((launched, who))
}

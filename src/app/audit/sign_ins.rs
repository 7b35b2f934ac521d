//! Who has signed in, who was refused, and who has signed out. Anybody can be refused as often as they like, so of each network and each
//! institution only so many refusals are recorded.

use std::{net::IpAddr, time::Duration};

use serde_json::{Value as Json, json};

use super::{Record, origin, within, write};
use crate::{
    app::{
        App, Error,
        limiter::{LimitKey, Policy},
    },
    domain::{
        audit::{Act, Origin, SubjectKind, Who, WhoKind, network},
        ids::InstitutionId,
        session::PersonId,
    },
    tasks,
};

/// The way of a launch from a learning system. Those of other sessions are the words of `How`.
pub const LTI: &str = "lti";
/// Signing out in all browsers at once.
pub const EVERYWHERE: &str = "everywhere";

/// Refusals of an institution that are recorded in an hour: from one network, and from all of them.
const FROM_A_NETWORK: u32 = 20;
const FROM_ALL: u32 = 200;
const HOUR: Duration = Duration::from_secs(3_600);

impl Record {
    /// A record of somebody who is about to sign in or out. It is made outside of the transaction, when nobody knows yet who it will be.
    pub(in crate::app) fn of_sign_in(app: &App, act: Act) -> Self {
        Self::by(app, Who::SYSTEM, InstitutionId::new(0), act)
    }

    /// It is this person.
    pub(in crate::app) fn signing(self, person: &PersonId, via: &str) -> Self {
        let who = Who::named(WhoKind::Person, &person.email_key);
        let record = self.within(person.institution).done_by(who).of_person(person);
        record.change(Json::Null, json!({ "via": via }))
    }
}

/// Records that somebody was refused, unless it happens too often. Nobody waits for it: the time until the answer must not tell whether
/// somebody is known.
pub(in crate::app) fn refused(
    app: &App,
    institution: InstitutionId,
    email_key: Option<String>,
    via: &'static str,
) {
    let app = app.clone();
    drop(tasks::spawn(within(origin(), async move {
        if let Err(error) = record(&app, institution, email_key, via).await {
            tracing::warn!(%error, "a refused sign-in could not be recorded");
        }
    })));
}

async fn record(
    app: &App,
    institution: InstitutionId,
    email_key: Option<String>,
    via: &str,
) -> Result<(), Error> {
    if !is_recorded(app, institution).await {
        return Ok(());
    }
    let record = Record::by(app, Who::VISITOR, institution, Act::SignInFailed);
    let record = match email_key {
        Some(email_key) => record.about(SubjectKind::Person, &email_key, "").person(&email_key),
        None => record,
    };
    let record = record.change(Json::Null, json!({ "via": via }));
    app.db
        .write_bookkeeping::<_, Error>(move |sql| Box::pin(async move { Ok(write(sql, &[record]).await?) }))
        .await
}

async fn is_recorded(app: &App, institution: InstitutionId) -> bool {
    let from = match origin() {
        Origin::Network(address) => Some(network(address)),
        Origin::Unknown | Origin::Shell => None,
    };
    // First that of the network: one that is over its limit uses up nothing of the others.
    is_below(app, institution, from, FROM_A_NETWORK).await && is_below(app, institution, None, FROM_ALL).await
}

async fn is_below(app: &App, institution: InstitutionId, network: Option<IpAddr>, ceiling: u32) -> bool {
    let policy = Policy { ceiling, window: HOUR, throttle: HOUR };
    let key = LimitKey::RefusedSignIns { institution, network };
    app.limiter.take_with_policy(key, policy, app.clock.instant()).await.retry_after.is_none()
}

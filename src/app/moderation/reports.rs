//! Complaints of listeners.

use std::time::Duration;

use super::super::{
    App, Error, Missing, Result,
    limiter::{LimitKey, Policy},
    name_pages::PublicPage,
};
use crate::{
    domain::{
        client_address::Client,
        moderation::{self, Case, CaseKind, CaseState, Complaint, SENTENCE},
        participant::Participant,
    },
    store::{self, moderation as cases, rolls},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reported {
    Accepted,
    /// Too many reports from this network.
    TooMany {
        retry_after: u64,
    },
}

const REPORTS: u32 = 20;
const REPORTS_IN: Duration = Duration::from_secs(15 * 60);
/// A proxy that does not forward the client's address stands for many clients.
const PROXY_FACTOR: u32 = 10;

/// A listener complains about the recording of somebody on this page. The caller has checked that they may listen there. Reports of the same kind
/// about the same recording are one case.
pub async fn report(
    app: &App,
    public: &PublicPage,
    person: &Participant,
    complaint: Complaint,
    sentence: &str,
    client: Option<Client>,
) -> Result<Reported> {
    let sentence = moderation::sentence(sentence).map_err(|fault| Error::invalid(SENTENCE, fault))?;
    let (institution, page) = (public.institution.id, public.page.id);
    if person.page.slug != public.page.slug {
        return Err(Error::Missing(Missing::Participant));
    }
    if person.recording.is_none() {
        return Err(Error::Missing(Missing::Recording));
    }
    if let Some(retry_after) = is_refused(app, client).await {
        return Ok(Reported::TooMany { retry_after });
    }
    let (id, now, participant) = (app.ids.id(app.clock.now()), app.clock.now(), person.id);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                // It may have been replaced in the meantime.
                let person = store::participants::by_ids(sql, institution, &[participant]).await?.pop();
                let recording = person.and_then(|person| person.recording);
                let hex = recording.ok_or(Error::Missing(Missing::Recording))?.hex;
                let open = cases::open_report(sql, institution, participant, &hex, complaint).await?;
                if let Some(open) = open {
                    let sentence = moderation::with_sentence(open.sentence, sentence);
                    return Ok(cases::add_report(sql, institution, open.id, sentence.as_deref()).await?);
                }
                let new = Case {
                    id,
                    page,
                    participant,
                    kind: CaseKind::Report,
                    hex,
                    state: CaseState::Open,
                    complaint: Some(complaint),
                    sentence,
                    reports: 1,
                    created_at: now,
                    decided_at: None,
                    decided_by: None,
                    reason: None,
                    purge_at: None,
                };
                Ok(cases::insert(sql, institution, &new).await?)
            })
        })
        .await?;
    Ok(Reported::Accepted)
}

/// Counts a report. If there are too many from this network, returns how many seconds to wait.
async fn is_refused(app: &App, client: Option<Client>) -> Option<u64> {
    let client = client?;
    let ceiling = if client.is_proxy { REPORTS * PROXY_FACTOR } else { REPORTS };
    let policy = Policy { ceiling, window: REPORTS_IN, throttle: REPORTS_IN };
    let key = LimitKey::reports(client.address);
    app.limiter.take_with_policy(key, policy, app.clock.instant()).await.retry_after
}

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
        moderation::{self, About, Case, Complaint, SENTENCE},
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

/// What a listener complains about. Without a choice, it is the recording, if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report<'a> {
    pub about: Option<About>,
    pub complaint: Complaint,
    /// As typed.
    pub sentence: &'a str,
}

/// A listener complains about the recording or the entry of somebody on this page. The caller has checked that they may listen there.
/// Reports of the same kind about the same recording or entry are one case.
pub async fn report(
    app: &App,
    public: &PublicPage,
    person: &Participant,
    report: Report<'_>,
    client: Option<Client>,
) -> Result<Reported> {
    let Report { about, complaint, sentence } = report;
    let sentence = moderation::sentence(sentence).map_err(|fault| Error::invalid(SENTENCE, fault))?;
    let (institution, page) = (public.institution.id, public.page.id);
    if person.page.slug != public.page.slug {
        return Err(Error::Missing(Missing::Participant));
    }
    subject(person, about)?;
    if let Some(retry_after) = is_refused(app, client).await {
        return Ok(Reported::TooMany { retry_after });
    }
    let (id, now, participant) = (app.ids.id(app.clock.now()), app.clock.now(), person.id);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                // It may have been replaced or held in the meantime.
                let person = store::participants::by_ids(sql, institution, &[participant]).await?.pop();
                let person = person.ok_or(Error::Missing(Missing::Participant))?.unveiled();
                let (about, hex) = subject(&person, about)?;
                let open =
                    cases::open_report(sql, institution, participant, (about, &hex), complaint).await?;
                if let Some(open) = open {
                    let sentence = moderation::with_sentence(open.sentence, sentence);
                    let place = (about, open.id);
                    return Ok(cases::add_report(sql, institution, place, sentence.as_deref()).await?);
                }
                let report = Some((complaint, sentence));
                let new = Case::open(id, (participant, page), about, hex, report, now);
                Ok(cases::insert(sql, institution, &new).await?)
            })
        })
        .await?;
    Ok(Reported::Accepted)
}

/// What others hear or see of a person: the recording with its hex, or the entry.
fn subject(person: &Participant, about: Option<About>) -> Result<(About, String)> {
    if person.is_held {
        return Err(Error::Missing(Missing::Participant));
    }
    let recording = person.recording.as_ref().map(|recording| (About::Recording, recording.hex.clone()));
    match (about, recording) {
        (None | Some(About::Recording), Some(recording)) => Ok(recording),
        (Some(About::Recording), None) => Err(Error::Missing(Missing::Recording)),
        (None | Some(About::Entry), _) => Ok((About::Entry, String::new())),
    }
}

/// Counts a report. If there are too many from this network, returns how many seconds to wait.
async fn is_refused(app: &App, client: Option<Client>) -> Option<u64> {
    let client = client?;
    let ceiling = if client.is_proxy { REPORTS * PROXY_FACTOR } else { REPORTS };
    let policy = Policy { ceiling, window: REPORTS_IN, throttle: REPORTS_IN };
    let key = LimitKey::reports(client.address);
    app.limiter.take_with_policy(key, policy, app.clock.instant()).await.retry_after
}

//! Creates of an institution that wait at the same time are one read and one write on PostgreSQL (ADR 25). Those who bring a recording, a phone
//! number or custom values, and whose email has a recording elsewhere, are created one by one, see `create`.

use std::{sync::Arc, time::Duration};

use serde_json::Value as Json;

use super::create::{NewParticipant, check_taken, new_row, values};
use crate::{
    app::{App, Error, Result, audit},
    domain::{
        email::Email,
        ids::InstitutionId,
        moment::Moment,
        name_page::NamePage,
        participant::{Draft, Participant},
        text,
    },
    store::{
        self,
        participants::{self, ArrivalKeys, MOST_ARRIVALS, Record, Vacancies},
        queues::{self, Queues, Waiting},
    },
    tasks,
    telemetry::metrics::{self, GaugeGuard},
};

/// How many of an institution wait on a node. Others are created one by one, and wait there.
const MOST_WAITING: usize = 256;

/// How often a group tries to join while others write to the institution's people.
const ATTEMPTS: usize = 4;

/// Who waits.
#[derive(Default)]
pub struct Arrivals(Arc<Queues<Arrival, Outcome>>);

struct Arrival {
    newcomer: Newcomer,
    gauge: GaugeGuard,
}

type Leader = queues::Leader<Arrival, Outcome>;

/// Somebody who is to be created, on a page that the caller reaches.
pub(super) struct Newcomer {
    token: String,
    page: NamePage,
    draft: Draft,
    identifier_key: Option<String>,
    record: audit::Record,
    now: Moment,
}

/// `None`: they are to be created by themselves.
type Outcome = Result<Option<Participant>>;

impl Newcomer {
    pub(super) fn new(
        token: String,
        page: NamePage,
        draft: Draft,
        record: audit::Record,
        now: Moment,
    ) -> Self {
        let identifier_key = draft.identifier.set().map(|identifier| text::nfc(identifier));
        Self { token, page, draft, identifier_key, record, now }
    }

    fn keys(&self) -> ArrivalKeys<'_> {
        ArrivalKeys {
            page: self.page.id,
            email_key: self.draft.email.set().map(Email::key),
            identifier_key: self.identifier_key.as_deref(),
        }
    }

    /// Takes a vacancy, if there is one and nothing is wrong with the draft.
    fn admit(&self, vacancies: &mut Vacancies) -> Admission {
        let keys = self.keys();
        let Some(vacancy) = vacancies.vacancy(keys) else { return Admission::Alone };
        // They may start with that recording.
        if vacancy.registered.recorded {
            return Admission::Alone;
        }
        let mut errors = self.draft.errors.clone();
        check_taken(&mut errors, vacancy.registered, vacancies.is_identifier_taken(keys));
        if let Err(errors) = errors.into_result() {
            return Admission::Refused(errors.into());
        }
        vacancies.take(keys);
        let new = NewParticipant { token: self.token.clone(), page: self.page.clone(), vacancy };
        let row = new_row(new, self.draft.clone(), self.now);
        let after = values(&row.person, &[], audit::of_phone(None), &[]);
        let entry = self.record.clone().participant(&row.person).change(Json::Null, after);
        Admission::Admitted(Box::new((row, entry)))
    }
}

enum Admission {
    Admitted(Box<(Record, audit::Record)>),
    Refused(Error),
    /// To be created by themselves.
    Alone,
}

/// Creates somebody together with others who wait. `None` if they are to be created by themselves.
pub(super) async fn join(
    app: &App,
    institution: InstitutionId,
    newcomer: Newcomer,
    timeout: Duration,
) -> Outcome {
    let waiting = &app.arrivals.0;
    if waiting.len(institution) >= MOST_WAITING {
        return Ok(None);
    }
    let arrival = Arrival { newcomer, gauge: metrics::db_write_waiting() };
    let start = |leader| drop(tasks::spawn(lead(app.clone(), leader)));
    waiting.wait(institution, arrival, timeout, start).await?
}

async fn lead(app: App, mut leader: Leader) {
    while leader.goes_on() {
        let (mut newcomers, mut ends) = (Vec::new(), Vec::new());
        while newcomers.len() < MOST_ARRIVALS
            && let Some(Waiting { write: Arrival { newcomer, gauge }, end, .. }) = leader.next()
        {
            drop(gauge);
            newcomers.push(newcomer);
            ends.push(end);
        }
        // All have given up.
        if newcomers.is_empty() {
            continue;
        }
        let outcomes = admit(&app, leader.institution, &newcomers).await;
        for (end, outcome) in ends.into_iter().zip(outcomes) {
            // The caller may have gone.
            let _ = end.send(outcome);
        }
    }
}

/// The outcomes of a group.
async fn admit(app: &App, institution: InstitutionId, newcomers: &[Newcomer]) -> Vec<Outcome> {
    for _ in 0..ATTEMPTS {
        match try_to_admit(app, institution, newcomers).await {
            Ok(Some(outcomes)) => return outcomes,
            // Somebody else has written meanwhile.
            Ok(None) => {}
            Err(error @ store::Error::Unavailable(_)) => {
                return newcomers.iter().map(|_| Err(error.clone().into())).collect();
            }
            // Perhaps because of one of them.
            Err(store::Error::Conflict | store::Error::Broken(_)) => break,
        }
    }
    newcomers.iter().map(|_| Ok(None)).collect()
}

/// `None` if the institution's people were written to meanwhile. Then nothing was done.
async fn try_to_admit(
    app: &App,
    institution: InstitutionId,
    newcomers: &[Newcomer],
) -> store::Result<Option<Vec<Outcome>>> {
    let keys: Vec<ArrivalKeys<'_>> = newcomers.iter().map(Newcomer::keys).collect();
    let mut vacancies = participants::vacancies(&mut app.db.read(), institution, &keys).await?;
    let (mut rows, mut entries, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for newcomer in newcomers {
        refused.push(match newcomer.admit(&mut vacancies) {
            Admission::Admitted(admitted) => {
                let (row, entry) = *admitted;
                rows.push(row);
                entries.push(entry.into_entry());
                None
            }
            Admission::Refused(error) => Some(Err(error)),
            Admission::Alone => Some(Ok(None)),
        });
    }
    if !participants::admit(&app.db, institution, &vacancies, &rows, &entries).await? {
        return Ok(None);
    }
    // Whoever is refused may be so because of others of the group, which is durable now.
    let mut people = rows.into_iter().map(|row| row.person);
    Ok(Some(refused.into_iter().map(|outcome| outcome.unwrap_or_else(|| Ok(people.next()))).collect()))
}

//! Creates of an institution that wait at the same time are one read and one write on PostgreSQL (ADR 25). Those who bring a recording, a phone
//! number or custom values, and whose email has a recording elsewhere, are created one by one, see `create`.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::Value as Json;
use tokio::sync::oneshot;

use super::create::{NewParticipant, record, values};
use crate::{
    app::{App, Error, Result, audit},
    domain::{
        email::Email,
        fault::{Fault, Field},
        ids::InstitutionId,
        moment::Moment,
        name_page::NamePage,
        participant::{Draft, Participant},
        text,
    },
    store::{
        self,
        participants::{self, ArrivalKeys, MOST_ARRIVALS, Record, Vacancies},
    },
    telemetry::metrics::{self, GaugeGuard},
};

/// How many of an institution wait on a node. Others are created one by one, and wait there.
const MOST_WAITING: usize = 256;

/// How often a group tries to join while others write to the institution's people.
const ATTEMPTS: usize = 4;

/// Who waits, by institution. There is an entry while a leader is at work.
#[derive(Default)]
pub struct Arrivals(Mutex<HashMap<InstitutionId, VecDeque<Waiting>>>);

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

struct Waiting {
    newcomer: Newcomer,
    /// Set by whoever comes first: the leader who takes them, or the caller who gives up.
    is_decided: Arc<AtomicBool>,
    end: oneshot::Sender<Outcome>,
    gauge: GaugeGuard,
}

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
        if vacancy.registered.on_page {
            errors.add(Field::Email, Fault::Taken);
        }
        if vacancies.is_identifier_taken(keys) {
            errors.add(Field::Identifier, Fault::Taken);
        }
        if let Err(errors) = errors.into_result() {
            return Admission::Refused(errors.into());
        }
        vacancies.take(keys);
        let new = NewParticipant { token: self.token.clone(), page: self.page.clone(), vacancy };
        let row = record(new, self.draft.clone(), self.now);
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

impl Arrivals {
    fn lock(&self) -> MutexGuard<'_, HashMap<InstitutionId, VecDeque<Waiting>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a leader is needed, or `None` if too many wait.
    fn add(&self, institution: InstitutionId, waiting: Waiting) -> Option<bool> {
        match self.lock().entry(institution) {
            Entry::Vacant(entry) => {
                entry.insert(VecDeque::from([waiting]));
                Some(true)
            }
            Entry::Occupied(entry) if entry.get().len() >= MOST_WAITING => None,
            Entry::Occupied(mut entry) => {
                entry.get_mut().push_back(waiting);
                Some(false)
            }
        }
    }

    /// Those who join next. If there is nobody, the next one needs a leader.
    fn next(&self, institution: InstitutionId) -> Option<Vec<Waiting>> {
        let mut all = self.lock();
        let queue = all.get_mut(&institution)?;
        let mut group = Vec::with_capacity(queue.len().min(MOST_ARRIVALS));
        while group.len() < MOST_ARRIVALS
            && let Some(waiting) = queue.pop_front()
        {
            // Otherwise the caller has given up or has gone.
            if !waiting.is_decided.swap(true, Ordering::Relaxed) && !waiting.end.is_closed() {
                group.push(waiting);
            }
        }
        if group.is_empty() {
            all.remove(&institution);
            return None;
        }
        Some(group)
    }
}

/// Creates somebody together with others who wait. `None` if they are to be created by themselves.
pub(super) async fn join(
    app: &App,
    institution: InstitutionId,
    newcomer: Newcomer,
    wait: Duration,
) -> Outcome {
    let (end, mut ended) = oneshot::channel();
    let is_decided = Arc::new(AtomicBool::new(false));
    let gauge = metrics::db_write_waiting();
    let waiting = Waiting { newcomer, is_decided: is_decided.clone(), end, gauge };
    let Some(needs_leader) = app.arrivals.add(institution, waiting) else { return Ok(None) };
    if needs_leader {
        // A separate task: if this caller is canceled, the others go on.
        tokio::spawn(Leader { app: app.clone(), institution, is_done: false }.lead());
    }
    let outcome = match tokio::time::timeout(wait, &mut ended).await {
        Ok(outcome) => outcome,
        Err(_) if !is_decided.swap(true, Ordering::Relaxed) => {
            return unavailable("too many writes are waiting");
        }
        Err(_) => ended.await,
    };
    outcome.unwrap_or_else(|_| unavailable("the write was abandoned"))
}

fn unavailable(why: &str) -> Outcome {
    Err(store::Error::Unavailable(why.to_owned()).into())
}

/// Runs the creates of an institution until none waits.
struct Leader {
    app: App,
    institution: InstitutionId,
    /// Nobody waits, and the next one starts another leader.
    is_done: bool,
}

impl Leader {
    async fn lead(mut self) {
        while let Some(group) = self.app.arrivals.next(self.institution) {
            let (mut newcomers, mut ends) = (Vec::new(), Vec::new());
            for Waiting { newcomer, end, gauge, .. } in group {
                drop(gauge);
                newcomers.push(newcomer);
                ends.push(end);
            }
            for (end, outcome) in ends.into_iter().zip(self.admit(&newcomers).await) {
                // The caller may have gone.
                let _ = end.send(outcome);
            }
        }
        self.is_done = true;
    }

    /// The outcomes of a group.
    async fn admit(&self, newcomers: &[Newcomer]) -> Vec<Outcome> {
        for _ in 0..ATTEMPTS {
            match self.try_to_admit(newcomers).await {
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
    async fn try_to_admit(&self, newcomers: &[Newcomer]) -> store::Result<Option<Vec<Outcome>>> {
        let (app, institution) = (&self.app, self.institution);
        let keys: Vec<ArrivalKeys<'_>> = newcomers.iter().map(Newcomer::keys).collect();
        let read = participants::vacancies(&mut app.db.read(), institution, &keys).await?;
        // Without an institution there are none.
        let mut vacancies = read.unwrap_or_default();
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
}

impl Drop for Leader {
    /// After a panic, or when the runtime ends: whoever waits gets an error, and the next one starts another leader.
    fn drop(&mut self) {
        if !self.is_done {
            drop(self.app.arrivals.lock().remove(&self.institution));
        }
    }
}

//! Creates of an institution that wait at the same time are one read and one write on PostgreSQL (ADR 25). Those who bring a recording, a phone
//! number or custom values, and whose email has a recording elsewhere, are created one by one, see `create`.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::Value as Json;
use tokio::sync::oneshot;

use super::create::{NewParticipant, record, values};
use crate::{
    app::{App, Result, audit},
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
};

/// How many of an institution wait on a node. Others are created one by one, and wait there.
const MOST_WAITING: usize = 256;

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
    end: oneshot::Sender<Outcome>,
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
    fn admit(self, vacancies: &mut Vacancies) -> Admission {
        let keys = self.keys();
        let Some(vacancy) = vacancies.vacancy(keys) else { return Admission::Alone };
        // They may start with that recording.
        if vacancy.registered.recorded {
            return Admission::Alone;
        }
        let is_identifier_taken = vacancies.is_identifier_taken(keys);
        let mut errors = self.draft.errors.clone();
        if vacancy.registered.on_page {
            errors.add(Field::Email, Fault::Taken);
        }
        if is_identifier_taken {
            errors.add(Field::Identifier, Fault::Taken);
        }
        if let Err(errors) = errors.into_result() {
            return Admission::Refused(errors.into());
        }
        vacancies.take(keys);
        let new = NewParticipant { token: self.token, page: self.page, vacancy };
        let row = record(new, self.draft, self.now);
        let after = values(&row.person, &[], audit::of_phone(None), &[]);
        let entry = self.record.participant(&row.person).change(Json::Null, after);
        Admission::Admitted(Box::new((row, entry)))
    }
}

enum Admission {
    Admitted(Box<(Record, audit::Record)>),
    Refused(crate::app::Error),
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
            // Otherwise the caller has gone.
            if !waiting.end.is_closed() {
                group.push(waiting);
            }
        }
        if group.is_empty() {
            all.remove(&institution);
            return None;
        }
        Some(group)
    }

    /// What keeps one group from joining keeps all that wait.
    fn refuse(&self, institution: InstitutionId, error: &store::Error) {
        let refused = self.lock().get_mut(&institution).map(std::mem::take).unwrap_or_default();
        for waiting in refused {
            let _ = waiting.end.send(Err(error.clone().into()));
        }
    }
}

/// Creates somebody together with others who wait. `None` if they are to be created by themselves.
pub(super) async fn join(app: &App, institution: InstitutionId, newcomer: Newcomer) -> Outcome {
    let (end, ended) = oneshot::channel();
    let Some(needs_leader) = app.arrivals.add(institution, Waiting { newcomer, end }) else {
        return Ok(None);
    };
    if needs_leader {
        // A separate task: if this caller is canceled, the others go on.
        tokio::spawn(Leader { app: app.clone(), institution, is_done: false }.lead());
    }
    let abandoned = || Err(store::Error::Unavailable("the write was abandoned".to_owned()).into());
    ended.await.unwrap_or_else(|_| abandoned())
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
            if let Err(error) = self.admit(group).await {
                self.app.arrivals.refuse(self.institution, &error);
            }
        }
        self.is_done = true;
    }

    /// Answers everybody of the group. Returns why the database is not available.
    async fn admit(&self, group: Vec<Waiting>) -> store::Result<()> {
        let (app, institution) = (&self.app, self.institution);
        let keys: Vec<ArrivalKeys<'_>> = group.iter().map(|waiting| waiting.newcomer.keys()).collect();
        let read = participants::vacancies(&mut app.db.read(), institution, &keys).await;
        let mut vacancies = match read {
            Ok(Some(vacancies)) => vacancies,
            Ok(None) => {
                answer(group.into_iter().map(|waiting| (waiting.end, Ok(None))));
                return Ok(());
            }
            Err(error) => {
                answer(group.into_iter().map(|waiting| (waiting.end, Err(error.clone().into()))));
                return Err(error);
            }
        };
        let (mut rows, mut entries, mut outcomes) = (Vec::new(), Vec::new(), Vec::new());
        let mut added = Vec::new();
        for Waiting { newcomer, end } in group {
            match newcomer.admit(&mut vacancies) {
                Admission::Admitted(admitted) => {
                    let (row, entry) = *admitted;
                    rows.push(row);
                    entries.push(entry.into_entry());
                    added.push(end);
                }
                Admission::Refused(error) => outcomes.push((end, Err(error))),
                Admission::Alone => outcomes.push((end, Ok(None))),
            }
        }
        let written = participants::admit(&app.db, institution, &vacancies, &rows, &entries).await;
        // Whoever is refused may be so because of others of the group: that must be durable first.
        match written {
            Ok(true) => {
                let people = rows.into_iter().map(|row| Ok(Some(row.person)));
                answer(added.into_iter().zip(people).chain(outcomes));
                Ok(())
            }
            Err(error @ store::Error::Unavailable(_)) => {
                answer(
                    added.into_iter().chain(ends_of(outcomes)).map(|end| (end, Err(error.clone().into()))),
                );
                Err(error)
            }
            // Somebody else has written meanwhile, or one of them cannot be stored.
            Ok(false) | Err(store::Error::Conflict | store::Error::Broken(_)) => {
                answer(added.into_iter().chain(ends_of(outcomes)).map(|end| (end, Ok(None))));
                Ok(())
            }
        }
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

fn ends_of(
    outcomes: Vec<(oneshot::Sender<Outcome>, Outcome)>,
) -> impl Iterator<Item = oneshot::Sender<Outcome>> {
    outcomes.into_iter().map(|(end, _)| end)
}

fn answer(outcomes: impl Iterator<Item = (oneshot::Sender<Outcome>, Outcome)>) {
    for (end, outcome) in outcomes {
        // The caller may have gone.
        let _ = end.send(outcome);
    }
}

//! How often recordings are played. Plays are counted in memory and written every few seconds, so that counting does not slow audio
//! down (ADR 22).

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use jiff::{ToSpan, tz::TimeZone};

use super::{Actor, App, Error, Missing, Result};
use crate::{
    domain::{
        ids::{InstitutionId, ParticipantId},
        moment::Moment,
        play::{self, Heard, Place, Played, Source},
        session::PersonId,
    },
    store::{institutions, persons, plays, rolls},
    telemetry::metrics,
};

/// The plays of this process that are not written yet.
#[derive(Default)]
pub struct PlayCounter {
    shards: [Mutex<HashMap<Key, Sites>>; SHARDS],
    /// The number of entries in all shards.
    entries: AtomicUsize,
}

const SHARDS: usize = 16;

/// Limits the memory to some megabytes. Only recordings that exist are counted, so this many are played only if somebody downloads
/// everything.
const MAX_ENTRIES: usize = 50_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    institution: InstitutionId,
    /// The hex of its link as a number, which needs no allocation.
    recording: u128,
    quarter: i64,
    source: Source,
}

/// The plays by site.
type Sites = Vec<(String, u64)>;

/// Every time zone's day begins with a quarter of an hour of UTC, so plays are counted without looking up the time zone.
const QUARTER_MICROS: i64 = 15 * 60 * 1_000_000;

#[derive(Clone)]
struct Counted {
    key: Key,
    site: String,
    times: u64,
}

/// Counts a play. It does not wait for the database. The caller has checked that the recording exists.
pub fn count(app: &App, institution: InstitutionId, hex: &str, place: Place<'_>) {
    let Ok(recording) = u128::from_str_radix(hex, 16) else { return };
    let quarter = app.clock.now().micros().div_euclid(QUARTER_MICROS);
    let key = Key { institution, recording, quarter, source: place.source };
    app.plays.add(key, place.site, 1);
}

impl PlayCounter {
    fn add(&self, key: Key, site: &str, times: u64) {
        let is_full = self.entries.load(Ordering::Relaxed) >= MAX_ENTRIES;
        let mut shard = self.shards[own_shard()].lock().unwrap_or_else(PoisonError::into_inner);
        if is_full && !shard.contains_key(&key) {
            return metrics::plays_dropped(times);
        }
        let sites = shard.entry(key).or_default();
        let site = play::bounded(site, sites.iter().map(|(known, _)| known.as_str()));
        match sites.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(site)) {
            Some((_, sum)) => *sum += times,
            None if is_full => metrics::plays_dropped(times),
            None => {
                sites.push((site.to_ascii_lowercase(), times));
                self.entries.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn take(&self) -> BTreeMap<InstitutionId, Vec<Counted>> {
        let mut taken: BTreeMap<_, Vec<Counted>> = BTreeMap::new();
        for shard in &self.shards {
            let shard = std::mem::take(&mut *shard.lock().unwrap_or_else(PoisonError::into_inner));
            for (key, sites) in shard {
                self.entries.fetch_sub(sites.len(), Ordering::Relaxed);
                let counted = sites.into_iter().map(|(site, times)| Counted { key, site, times });
                taken.entry(key.institution).or_default().extend(counted);
            }
        }
        taken
    }
}

/// Threads have different shards, as long as there are enough, so that they do not wait for each other.
fn own_shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
    }
    OWN.with(|own| *own)
}

/// The maximum number of counts that are written in one transaction.
const BATCH: usize = 500;

/// Writes what was counted since the last time. Counts that could not be written are kept for the next time.
pub async fn flush(app: &App) -> Result<()> {
    let mut failed = Ok(());
    for (institution, counted) in app.plays.take() {
        let mut outcome = Ok(());
        for group in counted.chunks(BATCH) {
            if outcome.is_ok() {
                outcome = write(app, institution, group).await;
            }
            for one in group {
                match outcome {
                    Ok(()) => metrics::plays(one.key.source.word(), one.times),
                    Err(_) => app.plays.add(one.key, &one.site, one.times),
                }
            }
        }
        if outcome.is_err() {
            failed = outcome;
        }
    }
    failed
}

async fn write(app: &App, institution: InstitutionId, group: &[Counted]) -> Result<()> {
    let group = group.to_vec();
    app.db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move {
                // With the lock, nobody is deleted between the check that the recording exists and the commit.
                if !rolls::lock_if_there(sql, institution).await? {
                    return Ok(());
                }
                let Some(owner) = institutions::by_id(sql, institution).await? else { return Ok(()) };
                for Counted { key, site, times } in group {
                    let recording = format!("{:032x}", key.recording);
                    let day = day_of(key.quarter, &owner.time_zone);
                    let known = match site.as_str() {
                        "" => Vec::new(),
                        _ => plays::sites(sql, institution, &recording, day).await?,
                    };
                    let site = play::bounded(&site, known.iter().map(String::as_str)).to_owned();
                    let played = Played { day, source: key.source, site, times };
                    plays::add(sql, institution, &recording, &played).await?;
                }
                Ok(())
            })
        })
        .await
}

fn day_of(quarter: i64, zone: &TimeZone) -> jiff::civil::Date {
    Moment::from_micros(quarter.saturating_mul(QUARTER_MICROS)).date_in(zone)
}

/// How often a person was heard in the last days, on all of their pages.
pub async fn heard(app: &App, actor: &Actor, person: &PersonId) -> Result<Heard> {
    actor.represent(person)?;
    let (institution, sql) = (person.institution, &mut app.db.read());
    let owner = institutions::by_id(sql, institution).await?;
    let zone = owner.ok_or(Error::Missing(Missing::Institution))?.time_zone;
    let today = app.clock.now().date_in(&zone);
    let all = persons::registrations(sql, institution, &person.email_key).await?;
    let ids: Vec<ParticipantId> = all.into_iter().map(|one| one.id).collect();
    let played = plays::of(sql, institution, &ids, Heard::since(today)).await?;
    Ok(Heard::new(today, played))
}

/// How many days plays are kept: a year, and some weeks to compare with.
const RETENTION_DAYS: i64 = 400;

pub(super) async fn remove_old(app: &App) -> Result<()> {
    let before = app.clock.now().date_in(&TimeZone::UTC).saturating_sub(RETENTION_DAYS.days());
    // The read is cheap, and avoids occupying the database's single writer.
    if !plays::any_before(&mut app.db.read(), before).await? {
        return Ok(());
    }
    let removed = app
        .db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move { Ok(plays::delete_before(sql, before).await?) })
        })
        .await?;
    tracing::info!(removed, "old counts of plays were removed");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(recording: usize) -> Key {
        let institution = InstitutionId::new(1);
        Key { institution, recording: recording as u128, quarter: 0, source: Source::Player }
    }

    fn total(counter: &PlayCounter) -> u64 {
        counter.take().values().flatten().map(|one| one.times).sum()
    }

    #[test]
    fn a_flood_of_recordings_or_sites_does_not_grow_the_counter_forever() {
        let counter = PlayCounter::default();
        for n in 0..MAX_ENTRIES + 1_000 {
            counter.add(key(n), "", 1);
        }
        for n in 0..1_000 {
            counter.add(key(0), &format!("s{n}.example"), 1);
        }
        counter.add(key(0), "", 1);
        assert_eq!(counter.entries.load(Ordering::Relaxed), MAX_ENTRIES);
        assert_eq!(total(&counter), MAX_ENTRIES as u64 + 1, "what is known is still counted");
        assert_eq!(counter.entries.load(Ordering::Relaxed), 0, "there is room again");
        for n in 0..1_000 {
            counter.add(key(0), &format!("s{n}.example"), 1);
        }
        let taken = counter.take().remove(&InstitutionId::new(1)).unwrap();
        assert_eq!(taken.len(), play::MAX_SITES + 1);
        let others = taken.iter().find(|one| one.site == play::OTHER_SITES).unwrap();
        assert_eq!(others.times, 1_000 - play::MAX_SITES as u64);
    }

    #[test]
    fn threads_count_together() {
        let counter = PlayCounter::default();
        std::thread::scope(|scope| {
            for _ in 0..2 * SHARDS {
                scope.spawn(|| (0..1_000).for_each(|n| counter.add(key(n % 10), "A.example", 1)));
            }
        });
        assert_eq!(total(&counter), 2 * SHARDS as u64 * 1_000);
    }

    #[test]
    fn a_day_begins_at_midnight_of_the_time_zone() {
        let quarter = |text| Moment::parse(text).unwrap().micros().div_euclid(QUARTER_MICROS);
        let kathmandu = TimeZone::get("Asia/Kathmandu").unwrap();
        for (text, day) in [("2026-07-01T18:14:59Z", "2026-07-01"), ("2026-07-01T18:15:00Z", "2026-07-02")] {
            assert_eq!(day_of(quarter(text), &kathmandu).to_string(), day);
        }
    }
}

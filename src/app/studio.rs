//! Audio and image processing: a few low-priority threads and a bounded queue, so that a flood of uploads gets
//! backpressure (503) instead of using up memory or slowing down lookups. Institutions take turns in it.

mod queue;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use endonym_media::{
    picture,
    sound::{self, Refusal},
};
use queue::{Enqueued, Fate, TaskQueue};
use tokio::sync::oneshot;

use super::{Error, Result, slots::Slots};
use crate::{
    domain::{
        ids::InstitutionId,
        media::{Incoming, Kind, MediaFault},
    },
    telemetry::{metrics, traces},
};

#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// 0 means one per core.
    pub workers: usize,
    /// Queue length, without the tasks in progress.
    pub queue: usize,
    pub sound: sound::Limits,
    pub picture: picture::Limits,
    /// Keep the uploaded file next to the processed one?
    pub keep_originals: bool,
    /// The maximum length of a take that is recorded in a browser, in whole seconds.
    pub take: Duration,
}

/// A browser records a little more than the take: before it says "Recording", and after Stop.
pub(super) const TAKE_MARGIN: Duration = Duration::from_secs(1);

impl Settings {
    /// The maximum length of a take, in seconds: a full take is never longer than a recording that is accepted.
    pub fn take_seconds(&self) -> u64 {
        self.take.as_secs().min(self.longest_take_seconds()).max(1)
    }

    /// The longest take that a name page may allow, in seconds.
    pub fn longest_take_seconds(&self) -> u64 {
        self.sound.longest.saturating_sub(TAKE_MARGIN).as_secs().max(1)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            workers: 0,
            queue: 200,
            sound: sound::Limits::default(),
            picture: picture::Limits::default(),
            keep_originals: true,
            take: Duration::from_secs(10),
        }
    }
}

pub struct Studio {
    pub settings: Settings,
    tasks: Arc<TaskQueue>,
    /// Recordings are joined one at a time, so that uploads do not wait for those of a whole page.
    joining: Slots,
}

/// The result of processing an upload.
pub enum Processed {
    Sound { original: Vec<u8>, sound: sound::Sound },
    Picture(picture::Picture),
}

/// The lowest priority: lookups come first.
const PRIORITY: i32 = 19;

impl Studio {
    pub fn open(settings: Settings) -> Self {
        let tasks = Arc::new(TaskQueue::new(settings.queue.max(1)));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = if settings.workers == 0 { cores } else { settings.workers };
        let mut running = 0;
        for number in 0..workers {
            let waiting = tasks.clone();
            let started = std::thread::Builder::new().name(format!("studio-{number}")).spawn(move || {
                // On Linux this applies to the thread. If the system refuses, requests are slower under load, nothing
                // worse.
                let _ = rustix::process::nice(PRIORITY);
                work(&waiting);
            });
            match started {
                Ok(_) => running += 1,
                Err(error) => tracing::error!(%error, "starting a media thread failed"),
            }
        }
        if running == 0 {
            tasks.close();
        }
        Self { settings, tasks, joining: Slots::new(1) }
    }

    /// The outer error is internal or temporary; the inner one is the client's.
    pub async fn process(
        &self,
        institution: InstitutionId,
        kind: Kind,
        incoming: Incoming,
    ) -> Result<Result<Processed, MediaFault>> {
        let settings = self.settings;
        self.run(institution, kind, move || make(kind, incoming, &settings)).await
    }

    /// Encodes a stored recording so that it can be joined with others.
    pub async fn joinable(
        &self,
        institution: InstitutionId,
        recording: Bytes,
    ) -> Result<Result<Vec<u8>, Refusal>> {
        let _turn = self.joining.take(institution).await;
        self.run(institution, Kind::Recording, move || sound::joinable(&recording)).await
    }

    async fn run<T, E>(
        &self,
        institution: InstitutionId,
        kind: Kind,
        make: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<Result<T, E>>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        let _span = traces::child_span("media process", ("endonym.media.kind", kind.word()));
        let (reply, answer) = oneshot::channel();
        let waiting = metrics::media_waiting();
        let task = Box::new(move |fate: Fate| {
            drop(waiting);
            // The caller has gone away.
            if reply.is_closed() {
                return metrics::media_rejected(kind.word(), "abandoned");
            }
            if fate == Fate::Displaced {
                metrics::media_rejected(kind.word(), "busy");
                let _ = reply.send(Err(Error::Busy));
                return;
            }
            let timer = metrics::Timer::start();
            let made = make();
            metrics::media_processed(kind.word(), if made.is_ok() { "ok" } else { "refused" }, timer);
            let _ = reply.send(Ok(made));
        });
        let failed = |why: &str| {
            metrics::media_rejected(kind.word(), "failed");
            Error::Internal(why.to_owned())
        };
        match self.tasks.push(institution, task) {
            Enqueued::Waiting => {}
            Enqueued::Full => {
                metrics::media_rejected(kind.word(), "busy");
                return Err(Error::Busy);
            }
            Enqueued::Closed => return Err(failed("no media thread is running")),
        }
        answer.await.map_err(|_| failed("processing a recording or photo panicked"))?
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.tasks.close();
    }
}

fn work(tasks: &TaskQueue) {
    while let Some(task) = tasks.next() {
        // The caller gets an error because the reply is dropped; the thread continues.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| task(Fate::Run)));
    }
}

static PICTURES: Mutex<()> = Mutex::new(());

fn make(kind: Kind, incoming: Incoming, settings: &Settings) -> Result<Processed, MediaFault> {
    let is_portrait = matches!(incoming, Incoming::Portrait(_));
    let bytes = incoming.into_bytes()?;
    if kind.is_sound() {
        let sound = sound::process(&bytes, &settings.sound).map_err(MediaFault::Sound)?;
        let original = if settings.keep_originals { bytes } else { Vec::new() };
        Ok(Processed::Sound { original, sound })
    } else {
        // A large image needs up to 300 MB for a moment, so images are processed one at a time.
        let _alone = PICTURES.lock().unwrap_or_else(PoisonError::into_inner);
        let process = if is_portrait { picture::process_square } else { picture::process };
        Ok(Processed::Picture(process(&bytes, &settings.picture).map_err(MediaFault::Picture)?))
    }
}

/// Milliseconds.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_take_is_never_too_long_for_the_server() {
        let seconds = |take: u64, longest: f64| {
            let sound =
                sound::Limits { longest: Duration::from_secs_f64(longest), ..sound::Limits::default() };
            Settings { take: Duration::from_secs(take), sound, ..Settings::default() }.take_seconds()
        };
        assert_eq!(Settings::default().take_seconds(), 10);
        assert_eq!(seconds(29, 30.0), 29);
        assert_eq!(seconds(60, 30.0), 29);
        assert_eq!(seconds(10, 5.5), 4);
        assert_eq!(seconds(10, 0.5), 1);
    }
}

//! Where sound and pictures are processed: a few threads of low priority beside those that answer requests, and a queue
//! that ends, so that a flood of uploads gets a clear "later" and neither memory nor anybody's look-ups.

use std::{
    sync::{Arc, Mutex, PoisonError, mpsc},
    time::Duration,
};

use endonym_media::{picture, sound};
use tokio::sync::oneshot;

use super::{Error, Result};
use crate::{
    domain::media::{Incoming, Kind, MediaFault},
    telemetry::{metrics, traces},
};

#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// 0 for one on each core.
    pub workers: usize,
    /// What may wait, besides what is being worked on.
    pub queue: usize,
    pub sound: sound::Limits,
    pub picture: picture::Limits,
    /// Keep what was sent beside what it became?
    pub keep_originals: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            workers: 0,
            queue: 200,
            sound: sound::Limits::default(),
            picture: picture::Limits::default(),
            keep_originals: true,
        }
    }
}

type Task = Box<dyn FnOnce() + Send>;

pub struct Studio {
    pub settings: Settings,
    tasks: mpsc::SyncSender<Task>,
}

/// What has become of something that came in.
pub enum Made {
    Sound { original: Vec<u8>, sound: sound::Sound },
    Picture(picture::Picture),
}

/// As far down as it goes: whoever looks a name up comes first.
const PRIORITY: i32 = 19;

impl Studio {
    pub fn open(settings: Settings) -> Self {
        let (tasks, waiting) = mpsc::sync_channel::<Task>(settings.queue.max(1));
        let waiting = Arc::new(Mutex::new(waiting));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = if settings.workers == 0 { cores } else { settings.workers };
        for number in 0..workers {
            let waiting = waiting.clone();
            let started = std::thread::Builder::new().name(format!("studio-{number}")).spawn(move || {
                // On Linux this is the thread's own. A system that refuses is slower under load and nothing worse.
                let _ = rustix::process::nice(PRIORITY);
                work(&waiting);
            });
            if let Err(error) = started {
                tracing::error!(%error, "a thread for sound and pictures could not be started");
            }
        }
        Self { settings, tasks }
    }

    /// The outer error is ours or temporary; the inner one is the sender's.
    pub async fn process(&self, kind: Kind, incoming: Incoming) -> Result<Result<Made, MediaFault>> {
        let settings = self.settings;
        let _span = traces::piece("media process", ("endonym.media.kind", kind.word()));
        let (reply, answer) = oneshot::channel();
        let waiting = metrics::media_waiting();
        let task = Box::new(move || {
            drop(waiting);
            // Nobody is waiting any more.
            if reply.is_closed() {
                return metrics::media_turned_away(kind.word(), "abandoned");
            }
            let timer = metrics::Timer::start();
            let made = make(kind, incoming, &settings);
            metrics::media_processed(kind.word(), if made.is_ok() { "ok" } else { "refused" }, timer);
            let _ = reply.send(made);
        });
        let failed = |why: &str| {
            metrics::media_turned_away(kind.word(), "failed");
            Error::Internal(why.to_owned())
        };
        match self.tasks.try_send(task) {
            Ok(()) => {}
            Err(mpsc::TrySendError::Full(_)) => {
                metrics::media_turned_away(kind.word(), "busy");
                return Err(Error::Busy);
            }
            Err(mpsc::TrySendError::Disconnected(_)) => {
                return Err(failed("no thread for sound and pictures is left"));
            }
        }
        answer.await.map_err(|_| failed("sound or a picture broke the thread that processed it"))
    }
}

fn work(waiting: &Mutex<mpsc::Receiver<Task>>) {
    loop {
        let task = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(task) = task else { return };
        // Its sender hears that the reply is gone; the thread goes on.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(task));
    }
}

static PICTURES: Mutex<()> = Mutex::new(());

fn make(kind: Kind, incoming: Incoming, settings: &Settings) -> Result<Made, MediaFault> {
    let bytes = incoming.into_bytes()?;
    if kind.is_sound() {
        let sound = sound::process(&bytes, &settings.sound).map_err(MediaFault::Sound)?;
        let original = if settings.keep_originals { bytes } else { Vec::new() };
        Ok(Made::Sound { original, sound })
    } else {
        // A large one needs up to 300 MB for a moment, so they come one after the other.
        let _alone = PICTURES.lock().unwrap_or_else(PoisonError::into_inner);
        let picture = picture::process(&bytes, &settings.picture).map_err(MediaFault::Picture)?;
        Ok(Made::Picture(picture))
    }
}

/// How long a recording is, in milliseconds.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

//! One single-threaded runtime per core. A connection stays on the core that it was assigned to: handing requests
//! from thread to thread would cost more than most responses do.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::JoinHandle,
};

use tokio::runtime::{Builder, Handle};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub struct Cores {
    cores: Vec<Core>,
    over: CancellationToken,
}

struct Core {
    runtime: Handle,
    connections: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Cores {
    /// One for each core of the machine.
    pub fn count() -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    pub fn start() -> std::io::Result<Self> {
        let over = CancellationToken::new();
        let cores = (0..Self::count()).map(|number| Core::start(number, over.clone()));
        Ok(Self { cores: cores.collect::<std::io::Result<_>>()?, over })
    }

    /// Spawns the task on the runtime with the fewest connections.
    pub fn spawn(&self, tasks: &TaskTracker, task: impl Future<Output = ()> + Send + 'static) {
        let Some(core) = self.cores.iter().min_by_key(|core| core.connections.load(Ordering::Relaxed)) else {
            return;
        };
        let counted = Counted::new(core.connections.clone());
        tasks.spawn_on(
            async move {
                task.await;
                drop(counted);
            },
            &core.runtime,
        );
    }
}

impl Drop for Cores {
    /// Does not wait for tasks that are still running.
    fn drop(&mut self) {
        self.over.cancel();
        for thread in self.cores.iter_mut().filter_map(|core| core.thread.take()) {
            let _ = thread.join();
        }
    }
}

impl Core {
    fn start(number: usize, over: CancellationToken) -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let thread = std::thread::Builder::new().name(format!("core-{number}")).spawn(move || {
            runtime.block_on(over.cancelled());
            runtime.shutdown_background();
        })?;
        Ok(Self { runtime: handle, connections: Arc::default(), thread: Some(thread) })
    }
}

/// Counts one connection while it lasts.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

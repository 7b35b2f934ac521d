//! Spawns tasks as boxed futures. rustc compiles about 190 functions of tokio for each type of future that is spawned, and twice as many where two
//! kinds of runtimes are used. For the same reason, futures that are spawned on a certain runtime or tracker are boxed there.

use futures_util::FutureExt;
use tokio::task::JoinHandle;

/// Runs a future on the current runtime.
#[track_caller]
pub fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    tokio::spawn(task.boxed())
}

/// Runs a function that blocks, on a thread for such functions.
#[track_caller]
pub fn spawn_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let work: Box<dyn FnOnce() -> T + Send> = Box::new(work);
    tokio::task::spawn_blocking(work)
}

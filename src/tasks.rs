//! Tasks without their types. tokio compiles two hundred functions for each type of future that it runs; a boxed one is always the same.

use futures_util::FutureExt;
use tokio::task::JoinHandle;

/// Runs a future on the current runtime.
pub fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    tokio::spawn(task.boxed())
}

/// Runs a function that blocks on a thread for such functions.
pub fn spawn_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let work: Box<dyn FnOnce() -> T + Send> = Box::new(work);
    tokio::task::spawn_blocking(work)
}

//! The queue of the media threads. An institution that fills it delays others by one task, and they still find room in it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::domain::{ids::InstitutionId, turns::Turns};

/// Called once, in any case.
pub(super) type Task = Box<dyn FnOnce(Fate) + Send>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Run,
    /// An institution with fewer tasks needed the room.
    Displaced,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Enqueued {
    Waiting,
    Full,
    Closed,
}

pub(super) struct TaskQueue {
    /// Without the tasks in progress.
    length: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    tasks: Turns<Task>,
    is_closed: bool,
}

impl TaskQueue {
    pub(super) fn new(length: usize) -> Self {
        Self { length, state: Mutex::default(), changed: Condvar::new() }
    }

    pub(super) fn push(&self, institution: InstitutionId, task: Task) -> Enqueued {
        let displaced = {
            let mut state = self.locked();
            if state.is_closed {
                return Enqueued::Closed;
            }
            let is_full = state.tasks.len() >= self.length;
            let displaced = if is_full { state.tasks.displace(institution) } else { None };
            if is_full && displaced.is_none() {
                return Enqueued::Full;
            }
            state.tasks.push(institution, task);
            displaced
        };
        self.changed.notify_one();
        if let Some(displaced) = displaced {
            displaced(Fate::Displaced);
        }
        Enqueued::Waiting
    }

    /// Waits for the next task. `None` when the queue is closed and empty.
    pub(super) fn next(&self) -> Option<Task> {
        let mut state = self.locked();
        loop {
            if let Some(task) = state.tasks.pop() {
                return Some(task);
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Accepts no more tasks, and ends the threads that wait for one.
    pub(super) fn close(&self) {
        self.locked().is_closed = true;
        self.changed.notify_all();
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Arc, mpsc},
        time::Duration,
    };

    use super::*;

    /// Enqueues tasks that report their names and fates.
    fn push(
        queue: &TaskQueue,
        institution: i64,
        name: &'static str,
        told: &mpsc::Sender<(&'static str, Fate)>,
    ) -> Enqueued {
        let told = told.clone();
        let task = Box::new(move |fate: Fate| told.send((name, fate)).unwrap());
        queue.push(InstitutionId::new(institution), task)
    }

    #[test]
    fn a_full_queue_has_room_for_an_institution_with_less_in_it_and_it_is_next_but_one() {
        let (queue, (told, tells)) = (TaskQueue::new(3), mpsc::channel());
        for name in ["a1", "a2", "a3"] {
            assert_eq!(push(&queue, 1, name, &told), Enqueued::Waiting);
        }
        assert_eq!(push(&queue, 1, "a4", &told), Enqueued::Full);
        assert_eq!(push(&queue, 2, "b1", &told), Enqueued::Waiting);
        assert_eq!(tells.try_recv(), Ok(("a3", Fate::Displaced)), "it is told at once");
        assert_eq!(push(&queue, 2, "b2", &told), Enqueued::Full, "two and one are fair");
        queue.close();
        while let Some(task) = queue.next() {
            task(Fate::Run);
        }
        let run: Vec<_> = tells.try_iter().map(|(name, _)| name).collect();
        assert_eq!(run, ["a1", "b1", "a2"]);
        assert_eq!(push(&queue, 2, "b3", &told), Enqueued::Closed);
    }

    #[test]
    fn threads_that_wait_for_a_task_end_with_the_queue() {
        let queue = Arc::new(TaskQueue::new(1));
        let (waiting, (told, tells)) = (queue.clone(), mpsc::channel());
        let thread = std::thread::spawn(move || {
            told.send("it waits").unwrap();
            while let Some(task) = waiting.next() {
                task(Fate::Run);
                told.send("it has run a task").unwrap();
            }
            told.send("it ends").unwrap();
        });
        let next = || tells.recv_timeout(Duration::from_secs(10));
        assert_eq!(next(), Ok("it waits"));
        assert_eq!(queue.push(InstitutionId::new(1), Box::new(|_| {})), Enqueued::Waiting);
        assert_eq!(next(), Ok("it has run a task"));
        queue.close();
        assert_eq!(next(), Ok("it ends"));
        thread.join().unwrap();
    }
}

//! A semaphore that is fair to institutions: a slot that comes free goes to the institution whose turn it is, not to whoever has waited
//! longest, because that may be one of hundreds of the same institution.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::domain::{ids::InstitutionId, turns::Turns};

pub(super) struct Slots(Arc<Mutex<State>>);

struct State {
    free: usize,
    /// Empty while a slot is free.
    waiting: Turns<oneshot::Sender<Slot>>,
}

/// Released on drop.
pub(super) struct Slot(Arc<Mutex<State>>);

impl Slots {
    pub(super) fn new(count: usize) -> Self {
        Self(Arc::new(Mutex::new(State { free: count, waiting: Turns::default() })))
    }

    pub(super) async fn take(&self, institution: InstitutionId) -> Slot {
        loop {
            let slot = {
                let mut state = locked(&self.0);
                if state.free > 0 {
                    state.free -= 1;
                    return Slot(self.0.clone());
                }
                let (sender, slot) = oneshot::channel();
                // Those who have given up are not needed any more.
                state.waiting.retain(|waiting| !waiting.is_closed());
                state.waiting.push(institution, sender);
                slot
            };
            // A sender is dropped only with its receiver, so the loop ends here.
            if let Ok(slot) = slot.await {
                return slot;
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let next = {
            let mut state = locked(&self.0);
            let next = std::iter::from_fn(|| state.waiting.pop()).find(|waiting| !waiting.is_closed());
            if next.is_none() {
                state.free += 1;
            }
            next
        };
        if let Some(next) = next {
            // Not under the lock: if the other one gives up just now, the new slot is dropped here and goes to the next one.
            drop(next.send(Self(self.0.clone())));
        }
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const ONE: InstitutionId = InstitutionId::new(1);
    const TWO: InstitutionId = InstitutionId::new(2);

    #[tokio::test]
    async fn a_slot_goes_to_the_institution_whose_turn_it_is() {
        let slots = Slots::new(1);
        let held = slots.take(ONE).await;
        let mut first = Box::pin(slots.take(ONE));
        let mut second = Box::pin(slots.take(ONE));
        let mut others = Box::pin(slots.take(TWO));
        for waiting in [&mut first, &mut second, &mut others] {
            assert!(waiting.now_or_never().is_none(), "there is one slot");
        }
        drop(held);
        let held = first.now_or_never().expect("the first of the first institution");
        assert!((&mut second).now_or_never().is_none());
        drop(held);
        assert!((&mut second).now_or_never().is_none(), "it is the turn of the other institution");
        let held = others.now_or_never().expect("it had to wait for one");
        drop(held);
        assert!(second.now_or_never().is_some());
    }

    #[tokio::test]
    async fn whoever_gives_up_takes_no_slot_away() {
        let slots = Slots::new(1);
        let held = slots.take(ONE).await;
        let mut impatient = Box::pin(slots.take(TWO));
        assert!((&mut impatient).now_or_never().is_none());
        let mut late = Box::pin(slots.take(TWO));
        assert!((&mut late).now_or_never().is_none());
        drop(impatient);
        drop(held);
        // This one has got the slot, and gives up before it notices.
        drop(late);
        assert!(slots.take(ONE).now_or_never().is_some());
    }
}

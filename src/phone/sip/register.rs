//! Registration with the trunk, if it requires that.

use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

use rsipstack::{
    dialog::registration::Registration,
    sip::{StatusCodeKind, Uri, typed::Contact},
};
use tokio::time::timeout;

use super::{
    dial::shown,
    trunk::{Error, Inner, REQUEST_TIMEOUT},
};
use crate::tasks;

/// The requested expiry.
const REGISTERED_SECONDS: u32 = 600;
/// Retry interval after a failed refresh.
const RETRY_INTERVAL: Duration = Duration::from_secs(15);

impl Inner {
    pub fn registrar(&self) -> Uri {
        self.at_trunk(None)
    }

    pub async fn register_and_refresh(self: &Arc<Self>) -> Result<(), Error> {
        let mut registration = Registration::new(self.endpoint.inner.clone(), self.credential());
        let granted = self.register(&mut registration).await?;
        *self.registration.lock().await = Some(registration);
        let (stop, weak) = (self.stop.clone(), Arc::downgrade(self));
        tasks::spawn(async move {
            let mut wait = refresh_after(granted);
            loop {
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(wait) => {}
                }
                let Some(inner) = weak.upgrade() else { return };
                let mut held = inner.registration.lock().await;
                let Some(registration) = held.as_mut() else { return };
                let done = inner.register(registration).await;
                wait = done.as_ref().map_or(RETRY_INTERVAL, |granted| refresh_after(*granted));
                if let Err(error) = &done {
                    tracing::warn!(%error, "the registration with the trunk failed");
                }
                *inner.registered.lock().unwrap_or_else(PoisonError::into_inner) = done.map(|_| ());
            }
        });
        Ok(())
    }

    /// Returns the granted expiry in seconds.
    async fn register(&self, registration: &mut Registration) -> Result<u32, Error> {
        let remote = self.resolve().await?;
        let contact = self.contact(remote).await?;
        registration.contact = Some(Contact { display_name: None, uri: contact, params: Vec::new() });
        registration.outbound_proxy = Some(remote);
        let request = registration.register(self.registrar(), Some(REGISTERED_SECONDS));
        let answer = timeout(REQUEST_TIMEOUT, request)
            .await
            .map_err(|_| Error::new(format!("{} does not respond to REGISTER", self.shown())))?
            .map_err(|error| {
                Error::new(format!("{} cannot be reached for registration: {error}", self.shown()))
            })?;
        match answer.status_code.kind() {
            StatusCodeKind::Successful => Ok(registration.granted_expires.unwrap_or(REGISTERED_SECONDS)),
            _ => Err(Error::new(format!("the trunk rejected the registration: {}", shown(&answer)))),
        }
    }
}

/// Well before the registration expires.
fn refresh_after(granted: u32) -> Duration {
    Duration::from_secs(u64::from(granted) * 3 / 4).max(Duration::from_secs(1))
}

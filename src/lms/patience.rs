//! Asking again: systems have bad moments, and some say that they have no time just now.

use std::time::Duration;

use reqwest::{StatusCode, header};

use super::{
    Error, Result,
    outbound::{Answer, Ask, Outbound, place},
};

/// How long we bear with a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Somebody waits for it.
    Little,
    /// A job that is all or nothing.
    Much,
}

const LONGEST_PAUSE: Duration = Duration::from_secs(8);
/// A system that wants more than this is asked again by the next attempt of the job.
const LONGEST_WISH: Duration = Duration::from_secs(60);

impl Patience {
    const fn attempts_when_broken(self) -> u32 {
        match self {
            Self::Little => 2,
            Self::Much => 4,
        }
    }

    const fn attempts_when_throttled(self) -> u32 {
        match self {
            Self::Little => 4,
            Self::Much => 9,
        }
    }
}

impl Outbound {
    /// Asks until there is an answer that is neither a failure of theirs nor a request to wait, or patience ends.
    pub(super) async fn patiently(&self, patience: Patience, ask: Ask) -> Result<Answer> {
        self.patiently_made(patience, || Ok(ask.clone())).await
    }

    /// For what may be said only once: each attempt is made anew.
    pub(super) async fn patiently_made(
        &self,
        patience: Patience,
        make: impl Fn() -> Result<Ask>,
    ) -> Result<Answer> {
        let (mut broken, mut throttled) = (0, 0);
        let mut pause = self.limits().pause;
        loop {
            let (why, wish) = match self.send(make()?).await {
                Ok(answer) if is_throttled(&answer) => {
                    throttled += 1;
                    let why = Error::Unavailable(format!("{} asks us to slow down", place(&answer.url)));
                    if throttled >= patience.attempts_when_throttled() {
                        return Err(why);
                    }
                    (why, wish(&answer))
                }
                Ok(answer) if answer.status.is_server_error() => {
                    broken += 1;
                    let why = format!("{} answers {}", place(&answer.url), answer.status.as_u16());
                    (Error::Unavailable(why), wish(&answer))
                }
                Err(why @ Error::Unavailable(_)) => {
                    broken += 1;
                    (why, None)
                }
                other => return other,
            };
            let wait = wish.unwrap_or(pause);
            if broken >= patience.attempts_when_broken() || wait > LONGEST_WISH {
                return Err(why);
            }
            tokio::time::sleep(wait).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

/// 429 everywhere; Canvas has said it by 403 and these words.
fn is_throttled(answer: &Answer) -> bool {
    const WORDS: &[u8] = b"rate limit exceeded";
    match answer.status {
        StatusCode::TOO_MANY_REQUESTS => true,
        StatusCode::FORBIDDEN => {
            answer.body.windows(WORDS.len()).any(|window| window.eq_ignore_ascii_case(WORDS))
        }
        _ => false,
    }
}

/// `Retry-After` in seconds. Its other form, a date, is not worth a clock.
fn wish(answer: &Answer) -> Option<Duration> {
    let seconds = answer.header(header::RETRY_AFTER)?.trim().parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

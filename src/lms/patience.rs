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
    /// Asks until there is an answer that is neither a failure of theirs nor a request to wait, or patience ends. What `read`
    /// finds to be unavailable is a failure too, whatever status it came with.
    pub(super) async fn patiently<T>(
        &self,
        patience: Patience,
        ask: Ask,
        read: impl Fn(Answer) -> Result<T>,
    ) -> Result<T> {
        self.patiently_made(patience, || Ok(ask.clone()), read).await
    }

    /// For what may be said only once: each attempt is made anew.
    pub(super) async fn patiently_made<T>(
        &self,
        patience: Patience,
        make: impl Fn() -> Result<Ask>,
        read: impl Fn(Answer) -> Result<T>,
    ) -> Result<T> {
        let (mut broken, mut throttled) = (0, 0);
        let (limits, began) = (self.limits(), self.clock().instant());
        let mut pause = limits.pause;
        loop {
            let ask = match patience {
                Patience::Little => make()?,
                // A large answer may take its time, as long as it goes on.
                Patience::Much => make()?.within(limits.request * 4),
            };
            let (why, wish) = match self.send(ask).await {
                Ok(answer) if is_throttled(&answer) => {
                    throttled += 1;
                    let wish = wish(&answer);
                    let why = format!("{} asks us to slow down{}", place(&answer.url), for_long(wish));
                    if throttled >= patience.attempts_when_throttled() {
                        return Err(Error::Unavailable(why));
                    }
                    (Error::Unavailable(why), wish)
                }
                Ok(answer) if answer.status.is_server_error() => {
                    broken += 1;
                    let (wish, status) = (wish(&answer), answer.status.as_u16());
                    let why = format!("{} answers {status}{}", place(&answer.url), for_long(wish));
                    (Error::Unavailable(why), wish)
                }
                Err(why @ Error::Unavailable(_)) => {
                    broken += 1;
                    (why, None)
                }
                Err(other) => return Err(other),
                Ok(answer) => match read(answer) {
                    Err(why @ Error::Unavailable(_)) => {
                        broken += 1;
                        (why, None)
                    }
                    other => return other,
                },
            };
            let wait = wish.unwrap_or(pause);
            let is_too_long = match patience {
                // They would be gone by then.
                Patience::Little => self.clock().instant().duration_since(began) + wait >= limits.question,
                Patience::Much => wait > LONGEST_WISH,
            };
            if broken >= patience.attempts_when_broken() || is_too_long {
                return Err(why);
            }
            self.clock().sleep(wait).await;
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

/// A wish that we do not wait for is told.
fn for_long(wish: Option<Duration>) -> String {
    let long = wish.filter(|wish| *wish > LONGEST_WISH);
    long.map_or_else(String::new, |wish| format!(", for {} seconds", wish.as_secs()))
}

/// `Retry-After` in seconds. Its other form, a date, is not worth a clock.
fn wish(answer: &Answer) -> Option<Duration> {
    let seconds = answer.header(header::RETRY_AFTER)?.trim().parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

//! Retries with backoff, for systems that fail for a moment or ask us to slow down (`Retry-After`).

use std::time::Duration;

use reqwest::{StatusCode, header};

use super::{Answer, Ask, Error, Outbound, Transient, place};

/// How often a request is retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retries {
    /// Somebody waits for the answer.
    Few,
    /// A job that is all or nothing.
    Many,
}

const LONGEST_PAUSE: Duration = Duration::from_secs(8);
/// A system that asks for a longer pause is asked again by the next attempt of the job.
const LONGEST_WISH: Duration = Duration::from_secs(60);

impl Retries {
    const fn attempts_when_broken(self) -> u32 {
        match self {
            Self::Few => 2,
            Self::Many => 4,
        }
    }

    const fn attempts_when_throttled(self) -> u32 {
        match self {
            Self::Few => 4,
            Self::Many => 9,
        }
    }
}

impl Outbound {
    /// Sends a request until there is an answer that is neither a server error nor a request to slow down, or until there have
    /// been enough retries. Where `read` finds the answer unusable for now, that counts as a failure too.
    pub async fn send_retrying<T, E: Transient>(
        &self,
        retries: Retries,
        ask: Ask,
        read: impl Fn(Answer) -> Result<T, E>,
    ) -> Result<T, E> {
        self.send_retrying_new(retries, || Ok(ask.clone()), read).await
    }

    /// The same for a request that may be sent only once: `make` makes another for each attempt.
    pub async fn send_retrying_new<T, E: Transient>(
        &self,
        retries: Retries,
        make: impl Fn() -> Result<Ask, E>,
        read: impl Fn(Answer) -> Result<T, E>,
    ) -> Result<T, E> {
        let (mut broken, mut throttled) = (0, 0);
        let (limits, began) = (self.limits(), self.clock().instant());
        let mut pause = limits.pause;
        loop {
            let ask = match retries {
                Retries::Few => make()?,
                // A large answer may take its time, as long as it goes on.
                Retries::Many => make()?.within(limits.request * 4),
            };
            let (why, wish): (E, _) = match self.send(ask).await {
                Ok(answer) if is_throttled(&answer) => {
                    throttled += 1;
                    let wish = wish(&answer);
                    let why = format!("{} asks us to slow down{}", place(&answer.url), for_long(wish));
                    if throttled >= retries.attempts_when_throttled() {
                        return Err(Error::Unavailable(why).into());
                    }
                    (Error::Unavailable(why).into(), wish)
                }
                Ok(answer) if answer.status.is_server_error() => {
                    broken += 1;
                    let (wish, status) = (wish(&answer), answer.status.as_u16());
                    let why = format!("{} answers {status}{}", place(&answer.url), for_long(wish));
                    (Error::Unavailable(why).into(), wish)
                }
                Err(why) if why.is_transient() => {
                    broken += 1;
                    (why.into(), None)
                }
                Err(other) => return Err(other.into()),
                Ok(answer) => match read(answer) {
                    Err(why) if why.is_transient() => {
                        broken += 1;
                        (why, None)
                    }
                    other => return other,
                },
            };
            let wait = wish.unwrap_or(pause);
            let is_too_long = match retries {
                // They would be gone by then.
                Retries::Few => self.clock().instant().duration_since(began) + wait >= limits.question,
                Retries::Many => wait > LONGEST_WISH,
            };
            if broken >= retries.attempts_when_broken() || is_too_long {
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

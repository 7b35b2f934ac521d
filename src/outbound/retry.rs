//! Retries with exponential backoff, for transient failures and rate limits (`Retry-After`).

use std::time::Duration;

use reqwest::{StatusCode, header};

use super::{Answer, Error, Outbound, Request, Result, place};

/// Retry policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retries {
    /// Interactive: a person waits for the response.
    Few,
    /// Background job that must complete or fail as a whole.
    Many,
}

const MAX_PAUSE: Duration = Duration::from_secs(8);
/// If a system asks for a longer pause, we give up and leave it to the next attempt of the job.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

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
    /// Retries server errors and rate limiting until the policy is exhausted. A transient error from `read` counts as a failed
    /// attempt too.
    pub async fn send_retrying<T>(
        &self,
        retries: Retries,
        ask: Request,
        read: impl Fn(Answer) -> Result<T>,
    ) -> Result<T> {
        self.send_retrying_new(retries, || Ok(ask.clone()), read).await
    }

    /// Like `send_retrying`, for requests that must not be sent twice: `make` builds a new one for each attempt.
    pub async fn send_retrying_new<T>(
        &self,
        retries: Retries,
        make: impl Fn() -> Result<Request>,
        read: impl Fn(Answer) -> Result<T>,
    ) -> Result<T> {
        let (mut broken, mut throttled) = (0, 0);
        let (limits, began) = (self.limits(), self.clock().instant());
        let mut pause = limits.pause;
        loop {
            let ask = match retries {
                Retries::Few => make()?,
                // A large response may take longer, as long as data keeps arriving.
                Retries::Many => make()?.within(limits.request * 4),
            };
            let (why, retry_after) = match self.send(ask).await {
                Ok(answer) if is_throttled(&answer) => {
                    throttled += 1;
                    let retry_after = retry_after(&answer);
                    let why = format!(
                        "{} asks us to slow down{}",
                        place(&answer.url),
                        retry_after_note(retry_after)
                    );
                    if throttled >= retries.attempts_when_throttled() {
                        return Err(Error::Unavailable(why));
                    }
                    (Error::Unavailable(why), retry_after)
                }
                Ok(answer) if answer.status.is_server_error() => {
                    broken += 1;
                    let (retry_after, status) = (retry_after(&answer), answer.status.as_u16());
                    let why =
                        format!("{} answers {status}{}", place(&answer.url), retry_after_note(retry_after));
                    (Error::Unavailable(why), retry_after)
                }
                Err(why) if why.is_transient() => {
                    broken += 1;
                    (why, None)
                }
                Err(other) => return Err(other),
                Ok(answer) => match read(answer) {
                    Err(why) if why.is_transient() => {
                        broken += 1;
                        (why, None)
                    }
                    other => return other,
                },
            };
            let wait = retry_after.unwrap_or(pause);
            let is_too_long = match retries {
                // The caller's timeout would expire during the wait.
                Retries::Few => self.clock().instant().duration_since(began) + wait >= limits.question,
                Retries::Many => wait > MAX_RETRY_AFTER,
            };
            if broken >= retries.attempts_when_broken() || is_too_long {
                return Err(why);
            }
            self.clock().sleep(wait).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }
}

/// 429 everywhere. Canvas has also used 403 with this text.
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

/// Mentions a `Retry-After` that is too long for us to wait.
fn retry_after_note(retry_after: Option<Duration>) -> String {
    let long = retry_after.filter(|retry_after| *retry_after > MAX_RETRY_AFTER);
    long.map_or_else(String::new, |retry_after| format!(", for {} seconds", retry_after.as_secs()))
}

/// `Retry-After` in seconds. We ignore its other form, a date.
fn retry_after(answer: &Answer) -> Option<Duration> {
    let seconds = answer.header(header::RETRY_AFTER)?.trim().parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

//! A test call: placed, polled and reported.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{
    client::{Client, CreateError, Instructions},
    responses::is_final,
    twiml,
};

const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// In addition to the ring time.
const MAX_CALL_TIME: Duration = Duration::from_secs(90);
const SENTENCE: &str = "This is a test of the phone calls of Endonym. Everything works. Goodbye.";

/// The result of a test call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestCallResult {
    /// Answered, and the sentence was played.
    Answered,
    /// Placed but not answered, or ended by us, with the vendor's status: `busy`, `no-answer`, `failed`, `canceled`.
    Unanswered(String),
    /// Not placed, or its status was lost.
    Failed(String),
}

/// Calls a number, says a sentence and reports each status change. Cancellation ends the call.
pub async fn test_call(
    hang_up: &CancellationToken,
    client: &Client,
    to: &str,
    ring_seconds: u32,
    mut report: impl FnMut(&str),
) -> TestCallResult {
    let instructions = Instructions::Document(twiml::say(SENTENCE));
    let sid = match client.create_call(to, ring_seconds, &instructions).await {
        Ok(sid) => sid,
        Err(CreateError::Refused(why) | CreateError::Ambiguous(why)) => return TestCallResult::Failed(why),
    };
    report(&format!("the cloud has taken the call: {sid}"));
    let longest = Duration::from_secs(u64::from(ring_seconds)) + MAX_CALL_TIME;
    let (why, ended) = tokio::select! {
        biased;
        () = hang_up.cancelled() => ("canceled", TestCallResult::Unanswered("canceled".to_owned())),
        watched = tokio::time::timeout(longest, watch(client, &sid, &mut report)) => match watched {
            Ok(ended) => return ended,
            Err(_) => {
                let why = "it did not end in time";
                (why, TestCallResult::Failed(format!("{why}, so it was ended")))
            }
        }
    };
    match client.hang_up(&sid).await {
        Ok(()) => ended,
        Err(error) => TestCallResult::Failed(format!("{why}, and it could not be ended: {error}")),
    }
}

async fn watch(client: &Client, sid: &str, report: &mut impl FnMut(&str)) -> TestCallResult {
    let mut known = String::new();
    loop {
        match client.call(sid).await {
            Ok(Some(call)) => {
                if call.status != known {
                    report(&call.status);
                    known.clone_from(&call.status);
                }
                if call.status == "completed" {
                    return TestCallResult::Answered;
                }
                if is_final(&call.status) {
                    return TestCallResult::Unanswered(call.status);
                }
            }
            Ok(None) => {
                return TestCallResult::Failed("the cloud does not know its own call any more".to_owned());
            }
            Err(why) => report(&why),
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

//! One call to see that calls can be made: placed, watched, told.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{
    answers::is_final,
    client::{Client, CreateError, Instructions},
    twiml,
};

const LOOK: Duration = Duration::from_millis(500);
/// Beyond the ringing.
const LONGEST: Duration = Duration::from_secs(90);
const SENTENCE: &str = "This is a test of the phone calls of Endonym. Everything works. Goodbye.";

/// How a test call has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Somebody answered, and the sentence was said.
    Answered,
    /// It was made and not answered, or ended by us, in the vendor's word: `busy`, `no-answer`, `failed`, `canceled`.
    Unanswered(String),
    /// It was not made, or nothing more was heard of it.
    Failed(String),
}

/// Calls a number, says a sentence, and tells each change. The call is ended when we are told to.
pub async fn narrate(
    hang_up: &CancellationToken,
    client: &Client,
    to: &str,
    ring_seconds: u32,
    mut told: impl FnMut(&str),
) -> Ended {
    let instructions = Instructions::Document(twiml::say(SENTENCE));
    let sid = match client.create_call(to, ring_seconds, &instructions).await {
        Ok(sid) => sid,
        Err(CreateError::Refused(why) | CreateError::Ambiguous(why)) => return Ended::Failed(why),
    };
    told(&format!("the cloud has taken the call: {sid}"));
    let longest = Duration::from_secs(u64::from(ring_seconds)) + LONGEST;
    let (why, ended) = tokio::select! {
        biased;
        () = hang_up.cancelled() => ("we were told to stop", Ended::Unanswered("canceled".to_owned())),
        watched = tokio::time::timeout(longest, watch(client, &sid, &mut told)) => match watched {
            Ok(ended) => return ended,
            Err(_) => {
                let why = "it did not end in time";
                (why, Ended::Failed(format!("{why}, so it was ended")))
            }
        }
    };
    match client.hang_up(&sid).await {
        Ok(()) => ended,
        Err(error) => Ended::Failed(format!("{why}, and it could not be ended: {error}")),
    }
}

async fn watch(client: &Client, sid: &str, told: &mut impl FnMut(&str)) -> Ended {
    let mut known = String::new();
    loop {
        match client.call(sid).await {
            Ok(Some(call)) => {
                if call.status != known {
                    told(&call.status);
                    known.clone_from(&call.status);
                }
                if call.status == "completed" {
                    return Ended::Answered;
                }
                if is_final(&call.status) {
                    return Ended::Unanswered(call.status);
                }
            }
            Ok(None) => return Ended::Failed("the cloud does not know its own call any more".to_owned()),
            Err(why) => told(&why),
        }
        tokio::time::sleep(LOOK).await;
    }
}

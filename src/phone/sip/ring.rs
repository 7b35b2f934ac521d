//! From INVITE to the final response.

use rsipstack::{
    dialog::{dialog::DialogState, invitation::InviteAsyncResult, invite_dialog::InviteDialog},
    sip::{Response, StatusCode, StatusCodeKind},
};
use tokio::{
    sync::mpsc::UnboundedReceiver,
    task::JoinHandle,
    time::{Instant, sleep_until, timeout},
};

use super::dial::{CallResult, HANG_UP_TIMEOUT, OutgoingCall, is_local, shown};
use crate::{
    domain::call::{Outcome, Reason},
    phone::{Progress, masked},
    tasks,
};

pub enum RingResult {
    Answer(Box<Response>),
    Ended(CallResult),
}

/// Waits until the call is answered or refused.
pub async fn ring(
    dialog: &InviteDialog,
    mut invite: JoinHandle<InviteAsyncResult>,
    news: &mut UnboundedReceiver<DialogState>,
    call: &OutgoingCall,
) -> RingResult {
    let deadline = Instant::now() + call.ring;
    let (mut heard, mut rings) = (false, false);
    let given_up = loop {
        tokio::select! {
            biased;
            answer = &mut invite => return answered(answer, heard),
            () = call.hang_up.cancelled() => {
                break CallResult::without(Outcome::Canceled(Reason::ByOperator), "ended by us while ringing");
            }
            Some(state) = news.recv() => match state {
                DialogState::Early(..) => {
                    heard = true;
                    if !rings {
                        rings = true;
                        (call.on_progress)(Progress::Ringing);
                    }
                }
                DialogState::Trying(_) => heard = true,
                _ => {}
            },
            () = sleep_until(deadline) => {
                let seconds = call.ring.as_secs();
                break if heard {
                    CallResult::without(Outcome::NoAnswer, format!("no answer for {seconds} s"))
                } else {
                    CallResult::unreachable(format!("no response from the trunk for {seconds} s"))
                };
            }
        }
    };
    // If an answer crosses our CANCEL, the dialog acknowledges and ends it, even after we have returned.
    let leaving = dialog.clone();
    tasks::spawn(async move {
        if let Err(error) = leaving.cancel().await {
            tracing::warn!(%error, "canceling a ringing call failed");
        }
    });
    if heard {
        let _ = timeout(HANG_UP_TIMEOUT, invite).await;
    }
    RingResult::Ended(given_up)
}

fn answered(answer: Result<InviteAsyncResult, tokio::task::JoinError>, heard: bool) -> RingResult {
    let answer = match answer {
        Ok(Ok((_, Some(answer)))) => answer,
        Ok(Ok((_, None))) => return RingResult::Ended(CallResult::unreachable("no response from the trunk")),
        Ok(Err(error)) => {
            let why = masked(&error.to_string());
            return RingResult::Ended(CallResult::unreachable(format!("the call failed: {why}")));
        }
        Err(error) => {
            return RingResult::Ended(CallResult::unreachable(format!("the call failed: {error}")));
        }
    };
    let says = shown(&answer);
    RingResult::Ended(match answer.status_code {
        StatusCode::OK => return RingResult::Answer(Box::new(answer)),
        _ if is_local(&answer) && !heard => CallResult::unreachable("no response from the trunk"),
        StatusCode::Unauthorized | StatusCode::ProxyAuthenticationRequired => CallResult::unreachable(
            format!("the trunk rejected our user and password, or requires them: {says}"),
        ),
        _ if answer.status_code.kind() == StatusCodeKind::Successful => CallResult::unreachable(says),
        _ => CallResult::without(Outcome::of_sip_code(answer.status_code.code()), says),
    })
}

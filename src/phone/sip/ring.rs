//! From the first ring to an answer, or to none.

use rsipstack::{
    dialog::{dialog::DialogState, invitation::InviteAsyncResult, invite_dialog::InviteDialog},
    sip::{Response, StatusCode, StatusCodeKind},
};
use tokio::{
    sync::mpsc::UnboundedReceiver,
    task::JoinHandle,
    time::{Instant, sleep_until, timeout},
};

use super::dial::{Ended, PARTING, Wanted, is_our_own, shown};
use crate::{
    domain::call::{Outcome, Reason},
    phone::{Progress, masked},
};

pub enum Rang {
    Answer(Box<Response>),
    Ended(Ended),
}

/// Waits until somebody answers, or will not.
pub async fn ring(
    dialog: &InviteDialog,
    mut asked: JoinHandle<InviteAsyncResult>,
    news: &mut UnboundedReceiver<DialogState>,
    wanted: &Wanted,
) -> Rang {
    let deadline = Instant::now() + wanted.ring;
    let (mut heard, mut rings) = (false, false);
    let given_up = loop {
        tokio::select! {
            biased;
            answer = &mut asked => return answered(answer, heard),
            () = wanted.hang_up.cancelled() => {
                break Ended::without(Outcome::Cancelled(Reason::ByOperator), "ended by us while it rang");
            }
            Some(state) = news.recv() => match state {
                DialogState::Early(..) => {
                    heard = true;
                    if !rings {
                        rings = true;
                        (wanted.told)(Progress::Ringing);
                    }
                }
                DialogState::Trying(_) => heard = true,
                _ => {}
            },
            () = sleep_until(deadline) => {
                let seconds = wanted.ring.as_secs();
                break if heard {
                    Ended::without(Outcome::NoAnswer, format!("nobody has answered for {seconds} s"))
                } else {
                    Ended::unreachable(format!("the trunk has not said a word for {seconds} s"))
                };
            }
        }
    };
    // An answer that crosses this is acknowledged and ended by the dialog itself, also after we have gone.
    let leaving = dialog.clone();
    tokio::spawn(async move {
        if let Err(error) = leaving.cancel().await {
            tracing::warn!(%error, "a call that rang could not be cancelled");
        }
    });
    if heard {
        let _ = timeout(PARTING, asked).await;
    }
    Rang::Ended(given_up)
}

fn answered(answer: Result<InviteAsyncResult, tokio::task::JoinError>, heard: bool) -> Rang {
    let answer = match answer {
        Ok(Ok((_, Some(answer)))) => answer,
        Ok(Ok((_, None))) => return Rang::Ended(Ended::unreachable("the trunk has not answered")),
        Ok(Err(error)) => {
            let why = masked(&error.to_string());
            return Rang::Ended(Ended::unreachable(format!("the call has failed: {why}")));
        }
        Err(error) => return Rang::Ended(Ended::unreachable(format!("the call has failed: {error}"))),
    };
    let says = shown(&answer);
    Rang::Ended(match answer.status_code {
        StatusCode::OK => return Rang::Answer(Box::new(answer)),
        _ if is_our_own(&answer) && !heard => Ended::unreachable("the trunk has not answered"),
        StatusCode::Unauthorized | StatusCode::ProxyAuthenticationRequired => {
            Ended::unreachable(format!("the trunk refuses our user and password, or wants some: {says}"))
        }
        _ if answer.status_code.kind() == StatusCodeKind::Successful => Ended::unreachable(says),
        _ => Ended::without(Outcome::of_sip_code(answer.status_code.code()), says),
    })
}

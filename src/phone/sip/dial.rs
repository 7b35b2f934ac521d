//! One call from its first ring to its end.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use rsipstack::{
    dialog::{invitation::InviteOption, invite_dialog::InviteDialog},
    sip::{Header, HeadersExt, Response},
    transaction::{CallIdFormat, make_call_id, make_uuid_v4},
};
use tokio::{
    net::UdpSocket,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    ring::{Rang, ring},
    sdp,
    session::{Refresher, SessionTimer},
    talk::{Line, Signal, TalkEnd, Talked, talk},
    trunk::{Error, Inner, Trunk, user_agent},
};
use crate::{
    domain::{
        call::{Outcome, Reason},
        phone_number::PhoneNumber,
    },
    phone::{Progress, Told, masked, prompts::Script, wav},
};

/// What we understand, also for those who ask.
pub const ALLOW: &str = "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO";
/// How long we wait for the end of a call that we have given up.
pub(super) const PARTING: Duration = Duration::from_secs(3);

/// Nothing can be sent or heard any more.
const STOPPED: &str =
    "our side of the SIP trunk has stopped, so nobody can be called until it is opened again";

/// A call that is to be made.
pub struct Wanted {
    pub to: PhoneNumber,
    pub ring: Duration,
    pub script: Script,
    pub told: Told,
    /// Cancelled, the call ends: CANCEL while it rings, BYE when somebody has answered.
    pub hang_up: CancellationToken,
}

#[derive(Debug)]
pub struct Ended {
    pub outcome: Outcome,
    /// WAV, 8 kHz, mono, 16-bit: what they have kept. Only with `Outcome::Recorded`.
    pub recording: Option<Vec<u8>>,
    /// For the log: why.
    pub says: String,
}

impl Ended {
    pub(super) fn without(outcome: Outcome, says: impl Into<String>) -> Self {
        Self { outcome, recording: None, says: says.into() }
    }

    pub(super) fn unreachable(says: impl Into<String>) -> Self {
        Self::without(Outcome::Failed(Reason::Unreachable), says)
    }
}

/// A call as those see it who answer the trunk's requests.
pub(super) struct Entry {
    pub signals: UnboundedSender<Signal>,
    pub contact: rsipstack::sip::Uri,
    /// Set as soon as there is one.
    pub dialog: Mutex<Option<InviteDialog>>,
    /// The number of their last request.
    pub last_request: AtomicU32,
    media: SocketAddr,
    session: u64,
    version: AtomicU64,
}

impl Entry {
    /// What we say about our sound; each time it is said anew.
    pub fn sdp(&self) -> sdp::Local {
        let version = self.version.fetch_add(1, Ordering::Relaxed);
        sdp::Local { address: self.media, session: self.session, version }
    }
}

/// `486 Busy Here`. Some trunks say the number, too, which is nobody's business.
pub(super) fn shown(answer: &Response) -> String {
    let code = answer.status_code.code();
    match answer.reason_phrase() {
        Some(reason) if !reason.is_empty() => format!("{code} {}", masked(reason)),
        _ => format!("{code} {}", masked(answer.status_code.text())),
    }
}

/// Made up here because nobody has answered; it bears our own name.
pub(super) fn is_our_own(answer: &Response) -> bool {
    answer
        .headers
        .0
        .iter()
        .any(|header| matches!(header, Header::UserAgent(name) if name.value() == user_agent()))
}

/// Out of chance.
fn chance() -> u64 {
    u64::from_str_radix(&make_uuid_v4().replace('-', "")[16..], 16).unwrap_or_default()
        ^ u64::from_str_radix(&make_uuid_v4().replace('-', "")[..8], 16).unwrap_or_default() << 32
}

impl Trunk {
    pub async fn call(&self, wanted: Wanted) -> Ended {
        if !self.is_alive() {
            return Ended::unreachable(STOPPED);
        }
        match self.0.prepare(&wanted).await {
            Ok(prepared) => prepared.dial(wanted).await,
            Err(error) => Ended::unreachable(error.to_string()),
        }
    }
}

/// All that an INVITE needs.
struct Prepared {
    inner: Arc<Inner>,
    call_id: String,
    remote: SocketAddr,
    socket: Arc<UdpSocket>,
    entry: Arc<Entry>,
    signals: UnboundedReceiver<Signal>,
    invite: InviteOption,
}

impl Inner {
    async fn prepare(self: &Arc<Self>, wanted: &Wanted) -> Result<Prepared, Error> {
        let remote = self.resolve().await?;
        let contact = self.contact(remote).await?;
        let socket = Arc::new(self.sound_socket().await?);
        let port = socket.local_addr().map_err(|error| Error::new(error.to_string()))?.port();
        let (signal, signals) = unbounded_channel();
        let entry = Arc::new(Entry {
            signals: signal,
            contact: contact.clone(),
            dialog: Mutex::new(None),
            last_request: AtomicU32::new(0),
            media: SocketAddr::new(self.advertised.ip(), port),
            session: chance() >> 2,
            version: AtomicU64::new(1),
        });
        let call_id: String =
            make_call_id(self.endpoint.inner.option.callid_suffix.as_deref(), CallIdFormat::UuidWithSuffix)
                .into();
        let caller = self.caller();
        let invite = InviteOption {
            callee: self.at_trunk(Some(wanted.to.e164())),
            destination: Some(self.destination(remote)),
            content_type: Some("application/sdp".to_owned()),
            offer: Some(entry.sdp().offer().into_bytes()),
            contact,
            credential: self.credential(),
            call_id: Some(call_id.clone()),
            headers: Some(vec![
                Header::PAssertedIdentity(format!("<{caller}>").into()),
                Header::Allow(ALLOW.into()),
                Header::Supported("timer".into()),
            ]),
            caller,
            ..InviteOption::default()
        };
        Ok(Prepared { inner: self.clone(), call_id, remote, socket, entry, signals, invite })
    }

    /// A socket for sound, where the operator wants it.
    async fn sound_socket(&self) -> Result<UdpSocket, Error> {
        let Some((first, last)) = self.settings.rtp_ports else {
            let any = UdpSocket::bind((self.local, 0)).await;
            return any.map_err(|error| Error::new(format!("there is no port for sound: {error}")));
        };
        // Even ones, as is the custom; somewhere else for each call, so that the last one's stragglers are not heard.
        let ports = (u64::from(last) - u64::from(first)) / 2 + 1;
        let start = chance() % ports;
        for at in 0..ports {
            let port = first + u16::try_from((start + at) % ports * 2).unwrap_or(0);
            if let Ok(socket) = UdpSocket::bind((self.local, port)).await {
                return Ok(socket);
            }
        }
        Err(Error::new(format!("all ports for sound, {first} to {last}, are in use")))
    }

    fn calls(&self) -> std::sync::MutexGuard<'_, std::collections::HashMap<String, Arc<Entry>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call is known for as long as this is.
struct Known {
    inner: Arc<Inner>,
    call_id: String,
}

impl Drop for Known {
    fn drop(&mut self) {
        self.inner.calls().remove(&self.call_id);
    }
}

impl Prepared {
    async fn dial(self, wanted: Wanted) -> Ended {
        let Self { inner, call_id, remote, socket, entry, signals, invite } = self;
        inner.calls().insert(call_id.clone(), entry.clone());
        let _known = Known { inner: inner.clone(), call_id };
        let (states, mut news) = inner.layer.new_dialog_state_channel();
        let (dialog, asked) = match inner.layer.do_invite_async(invite, states) {
            Ok(begun) => begun,
            Err(error) => {
                let why = masked(&error.to_string());
                return Ended::unreachable(format!("the call cannot be placed: {why}"));
            }
        };
        *entry.dialog.lock().unwrap_or_else(PoisonError::into_inner) = Some(dialog.clone());
        let rang = tokio::select! {
            biased;
            rang = ring(&dialog, asked, &mut news, &wanted) => rang,
            () = inner.stop.cancelled() => Rang::Ended(Ended::unreachable(STOPPED)),
        };
        let answer = match rang {
            Rang::Answer(answer) => answer,
            Rang::Ended(ended) => return ended,
        };
        (wanted.told)(Progress::Answered);
        let theirs = match sdp::read(&answer.body) {
            Ok(theirs) => theirs,
            Err(why) => {
                part(&inner, dialog).await;
                return Ended::unreachable(why);
            }
        };
        let refreshing = refresh(&answer, &dialog, &entry);
        let line = Line {
            socket,
            remote: theirs,
            trunk: remote.ip(),
            signals,
            hang_up: wanted.hang_up,
            chance: chance(),
        };
        let talked = talk(line, wanted.script, wanted.told).await;
        if let Some(refreshing) = refreshing {
            refreshing.abort();
        }
        if talked.they_ended {
            inner.layer.remove_dialog(&dialog.id());
        } else {
            part(&inner, dialog).await;
        }
        ended(talked)
    }
}

fn ended(talked: Talked) -> Ended {
    let TalkEnd::Said(end) = talked.end else {
        return Ended::without(
            Outcome::Cancelled(Reason::ByOperator),
            "ended by us while they were on the phone",
        );
    };
    let outcome = end.outcome();
    let seconds = talked.take.len() as f32 / crate::phone::prompts::RATE as f32;
    match outcome {
        Outcome::Recorded => Ended {
            outcome,
            recording: Some(wav::write(&talked.take)),
            says: format!("{seconds:.1} s were kept"),
        },
        _ => Ended::without(
            outcome,
            Progress::Step(crate::domain::conversation::Step::Over { end }).to_string(),
        ),
    }
}

/// Says goodbye, and does not wait for ever to hear it back.
async fn part(inner: &Arc<Inner>, dialog: InviteDialog) {
    let id = dialog.id();
    let leaving = tokio::spawn(async move {
        if let Err(error) = dialog.bye().await {
            tracing::warn!(%error, "a call could not be ended in good order");
        }
    });
    let _ = timeout(PARTING, leaving).await;
    inner.layer.remove_dialog(&id);
}

/// Says from time to time that the call is still on, where that is up to us.
fn refresh(answer: &Response, dialog: &InviteDialog, entry: &Arc<Entry>) -> Option<JoinHandle<()>> {
    let timer = SessionTimer::read(&answer.headers.0)?;
    if timer.refresher != Refresher::Asker {
        return None;
    }
    let updates =
        answer.header_value("allow").is_some_and(|allow| allow.to_ascii_uppercase().contains("UPDATE"));
    let (dialog, entry) = (dialog.clone(), entry.clone());
    Some(tokio::spawn(async move {
        let mut headers = timer.headers();
        // In a request it is a wish, and not a condition.
        headers.retain(|header| !matches!(header, Header::Require(_)));
        headers.push(Header::Supported("timer".into()));
        loop {
            sleep(timer.every / 2).await;
            let done = if updates {
                dialog.update(Some(headers.clone()), None).await
            } else {
                let mut headers = headers.clone();
                headers.push(Header::ContentType("application/sdp".into()));
                dialog.reinvite(Some(headers), Some(entry.sdp().offer().into_bytes())).await
            };
            if let Err(error) = done {
                tracing::warn!(%error, "a session could not be refreshed");
            }
        }
    }))
}

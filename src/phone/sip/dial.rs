//! One call from INVITE to BYE.

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
    ring::{RingResult, ring},
    sdp,
    session::{Refresher, SessionTimer},
    talk::{Line, Signal, TalkEnd, TalkResult, talk},
    trunk::{Error, Inner, Trunk, user_agent},
};
use crate::{
    domain::{
        call::{Outcome, Reason},
        phone_number::PhoneNumber,
    },
    phone::{Progress, ProgressFn, masked, prompts::Script, wav},
    tasks,
};

/// Supported methods.
pub const ALLOW: &str = "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO";
/// How long we wait for the end of a call that we have given up.
pub(super) const HANG_UP_TIMEOUT: Duration = Duration::from_secs(3);

/// The SIP stack has stopped.
const STACK_STOPPED: &str =
    "our side of the SIP trunk has stopped, so nobody can be called until it is opened again";

/// A call to place.
pub struct OutgoingCall {
    pub to: PhoneNumber,
    pub ring: Duration,
    pub script: Script,
    pub on_progress: ProgressFn,
    /// Canceling it ends the call: CANCEL while it rings, BYE once it is answered.
    pub hang_up: CancellationToken,
}

#[derive(Debug)]
pub struct CallResult {
    pub outcome: Outcome,
    /// WAV, 8 kHz, mono, 16-bit: the accepted take. Only with `Outcome::Recorded`.
    pub recording: Option<Vec<u8>>,
    /// The reason, for the log.
    pub says: String,
}

impl CallResult {
    pub(super) fn without(outcome: Outcome, says: impl Into<String>) -> Self {
        Self { outcome, recording: None, says: says.into() }
    }

    pub(super) fn unreachable(says: impl Into<String>) -> Self {
        Self::without(Outcome::Failed(Reason::Unreachable), says)
    }
}

/// A call as seen by the handlers of the trunk's requests.
pub(super) struct Entry {
    pub signals: UnboundedSender<Signal>,
    pub contact: rsipstack::sip::Uri,
    /// Set once the dialog exists.
    pub dialog: Mutex<Option<InviteDialog>>,
    /// The CSeq of their last request.
    pub last_request: AtomicU32,
    media: SocketAddr,
    session: u64,
    version: AtomicU64,
}

impl Entry {
    /// Our SDP, with a new version each time.
    pub fn sdp(&self) -> sdp::Local {
        let version = self.version.fetch_add(1, Ordering::Relaxed);
        sdp::Local { address: self.media, session: self.session, version }
    }
}

/// For example `486 Busy Here`, with numbers masked, which some trunks include.
pub(super) fn shown(answer: &Response) -> String {
    let code = answer.status_code.code();
    match answer.reason_phrase() {
        Some(reason) if !reason.is_empty() => format!("{code} {}", masked(reason)),
        _ => format!("{code} {}", masked(answer.status_code.text())),
    }
}

/// Was this response generated locally, because nobody answered?
pub(super) fn is_local(answer: &Response) -> bool {
    answer
        .headers
        .0
        .iter()
        .any(|header| matches!(header, Header::UserAgent(name) if name.value() == user_agent()))
}

/// Random.
fn random() -> u64 {
    u64::from_str_radix(&make_uuid_v4().replace('-', "")[16..], 16).unwrap_or_default()
        ^ u64::from_str_radix(&make_uuid_v4().replace('-', "")[..8], 16).unwrap_or_default() << 32
}

impl Trunk {
    pub async fn call(&self, call: OutgoingCall) -> CallResult {
        if !self.is_alive() {
            return CallResult::unreachable(STACK_STOPPED);
        }
        match self.0.prepare(&call).await {
            Ok(prepared) => prepared.dial(call).await,
            Err(error) => CallResult::unreachable(error.to_string()),
        }
    }
}

/// Everything that an INVITE needs.
struct PreparedCall {
    inner: Arc<Inner>,
    call_id: String,
    remote: SocketAddr,
    socket: Arc<UdpSocket>,
    entry: Arc<Entry>,
    signals: UnboundedReceiver<Signal>,
    invite: InviteOption,
}

impl Inner {
    async fn prepare(self: &Arc<Self>, call: &OutgoingCall) -> Result<PreparedCall, Error> {
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
            session: random() >> 2,
            version: AtomicU64::new(1),
        });
        let call_id: String =
            make_call_id(self.endpoint.inner.option.callid_suffix.as_deref(), CallIdFormat::UuidWithSuffix)
                .into();
        let caller = self.caller();
        let invite = InviteOption {
            callee: self.at_trunk(Some(call.to.e164())),
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
        Ok(PreparedCall { inner: self.clone(), call_id, remote, socket, entry, signals, invite })
    }

    /// An RTP socket in the configured port range.
    async fn sound_socket(&self) -> Result<UdpSocket, Error> {
        let Some((first, last)) = self.settings.rtp_ports else {
            let any = UdpSocket::bind((self.local, 0)).await;
            return any.map_err(|error| Error::new(format!("no free port for RTP: {error}")));
        };
        // RTP ports are even. Each call uses another one, so that late packets of the previous call are not heard.
        let ports = (u64::from(last) - u64::from(first)) / 2 + 1;
        let start = random() % ports;
        for at in 0..ports {
            let port = first + u16::try_from((start + at) % ports * 2).unwrap_or(0);
            if let Ok(socket) = UdpSocket::bind((self.local, port)).await {
                return Ok(socket);
            }
        }
        Err(Error::new(format!("all RTP ports from {first} to {last} are in use")))
    }

    fn calls(&self) -> std::sync::MutexGuard<'_, std::collections::HashMap<String, Arc<Entry>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Registers a call while it lasts.
struct ActiveCall {
    inner: Arc<Inner>,
    call_id: String,
}

impl Drop for ActiveCall {
    fn drop(&mut self) {
        self.inner.calls().remove(&self.call_id);
    }
}

impl PreparedCall {
    async fn dial(self, call: OutgoingCall) -> CallResult {
        let Self { inner, call_id, remote, socket, entry, signals, invite } = self;
        inner.calls().insert(call_id.clone(), entry.clone());
        let _known = ActiveCall { inner: inner.clone(), call_id };
        let (states, mut news) = inner.layer.new_dialog_state_channel();
        let (dialog, asked) = match inner.layer.do_invite_async(invite, states) {
            Ok(begun) => begun,
            Err(error) => {
                let why = masked(&error.to_string());
                return CallResult::unreachable(format!("the call cannot be placed: {why}"));
            }
        };
        *entry.dialog.lock().unwrap_or_else(PoisonError::into_inner) = Some(dialog.clone());
        let rang = tokio::select! {
            biased;
            rang = ring(&dialog, asked, &mut news, &call) => rang,
            () = inner.stop.cancelled() => RingResult::Ended(CallResult::unreachable(STACK_STOPPED)),
        };
        let answer = match rang {
            RingResult::Answer(answer) => answer,
            RingResult::Ended(ended) => return ended,
        };
        (call.on_progress)(Progress::Answered);
        let theirs = match sdp::read(&answer.body) {
            Ok(theirs) => theirs,
            Err(why) => {
                send_bye(&inner, dialog).await;
                return CallResult::unreachable(why);
            }
        };
        let refreshing = refresh(&answer, &dialog, &entry);
        let line = Line {
            socket,
            remote: theirs,
            trunk: remote.ip(),
            signals,
            hang_up: call.hang_up,
            random: random(),
        };
        let talked = talk(line, call.script, call.on_progress).await;
        if let Some(refreshing) = refreshing {
            refreshing.abort();
        }
        if talked.they_ended {
            inner.layer.remove_dialog(&dialog.id());
        } else {
            send_bye(&inner, dialog).await;
        }
        ended(talked)
    }
}

fn ended(talked: TalkResult) -> CallResult {
    let TalkEnd::Said(end) = talked.end else {
        return CallResult::without(Outcome::Canceled(Reason::ByOperator), "ended by us during the call");
    };
    let outcome = end.outcome();
    let seconds = talked.take.len() as f32 / crate::phone::prompts::RATE as f32;
    match outcome {
        Outcome::Recorded => CallResult {
            outcome,
            recording: Some(wav::write(&talked.take)),
            says: format!("{seconds:.1} s were kept"),
        },
        _ => CallResult::without(
            outcome,
            Progress::Step(crate::domain::conversation::Step::Over { end }).to_string(),
        ),
    }
}

/// Sends BYE, with a timeout.
async fn send_bye(inner: &Arc<Inner>, dialog: InviteDialog) {
    let id = dialog.id();
    let leaving = tasks::spawn(async move {
        if let Err(error) = dialog.bye().await {
            tracing::warn!(%error, "sending BYE failed");
        }
    });
    let _ = timeout(HANG_UP_TIMEOUT, leaving).await;
    inner.layer.remove_dialog(&id);
}

/// Refreshes the session if that is our role (RFC 4028).
fn refresh(answer: &Response, dialog: &InviteDialog, entry: &Arc<Entry>) -> Option<JoinHandle<()>> {
    let timer = SessionTimer::read(&answer.headers.0)?;
    if timer.refresher != Refresher::Asker {
        return None;
    }
    let updates =
        answer.header_value("allow").is_some_and(|allow| allow.to_ascii_uppercase().contains("UPDATE"));
    let (dialog, entry) = (dialog.clone(), entry.clone());
    Some(tasks::spawn(async move {
        let mut headers = timer.headers();
        // In a request this is optional.
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
                tracing::warn!(%error, "refreshing a SIP session failed");
            }
        }
    }))
}

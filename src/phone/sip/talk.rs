//! An answered call: connects the RTP socket, the clock and the conversation.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use tokio::{
    net::UdpSocket,
    sync::mpsc::UnboundedReceiver,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    rtp::{Receiver, Sender},
    sdp::Remote,
};
use crate::{
    domain::conversation::End,
    phone::{
        live::{Conversation, FRAME_TIME},
        progress::{Progress, ProgressFn},
        prompts::Script,
    },
};

/// Ends calls that are left on hold.
const MAX_CALL: Duration = Duration::from_secs(10 * 60);
const MAX_PACKET: usize = 2_048;
/// Packets processed per frame: a flood must not keep us from sending.
const PACKETS_PER_FRAME: usize = 50;

/// Signals from the signaling handlers to the media task.
#[derive(Debug)]
pub enum Signal {
    /// They have hung up.
    Bye,
    /// Their media address has changed, or we are on hold.
    Media(Box<Remote>),
    Key(char),
}

pub struct Line {
    pub socket: Arc<UdpSocket>,
    pub remote: Remote,
    /// The address of the signaling peer.
    pub trunk: IpAddr,
    pub signals: UnboundedReceiver<Signal>,
    pub hang_up: CancellationToken,
    /// Random; makes our stream unique.
    pub random: u64,
}

pub struct TalkResult {
    pub end: TalkEnd,
    pub take: Vec<i16>,
    /// They have ended the call, so no BYE is needed.
    pub they_ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TalkEnd {
    Said(End),
    /// Canceled by our side.
    Stopped,
}

/// Runs the conversation until it ends or somebody hangs up.
pub async fn talk(mut line: Line, script: Script, on_progress: ProgressFn) -> TalkResult {
    let mut receiver = Receiver::new(&line.remote, line.trunk);
    let mut sender = Sender::new(line.remote.codec, line.random);
    let mut conversation = Conversation::start(script, on_progress.clone());
    let mut they_ended = false;
    let mut packet = [0; MAX_PACKET];
    // Drop early media.
    while line.socket.try_recv_from(&mut packet).is_ok() {}
    // Frames are sent by the clock, so that delays do not add up.
    let mut next = Instant::now();
    let last = next + MAX_CALL;
    while conversation.over().is_none() {
        tokio::select! {
            biased;
            () = line.hang_up.cancelled() => {
                // Their decision counts, even if the farewell was not played.
                let end = conversation.decided().map_or(TalkEnd::Stopped, TalkEnd::Said);
                return TalkResult { end, take: conversation.into_take(), they_ended: false };
            }
            signal = line.signals.recv() => match signal {
                Some(Signal::Key(key)) => conversation.key(key, &[]),
                Some(Signal::Media(remote)) => {
                    if remote.held() != line.remote.held() {
                        on_progress(Progress::Held(remote.held()));
                    }
                    receiver.changed(&remote);
                    sender.speak(remote.codec);
                    line.remote = *remote;
                }
                Some(Signal::Bye) | None => {
                    they_ended = true;
                    conversation.hung_up();
                }
            },
            () = sleep_until(next) => {
                next += FRAME_TIME;
                // Packets that arrived while we were late precede this frame.
                for _ in 0..PACKETS_PER_FRAME {
                    let Ok((length, from)) = line.socket.try_recv_from(&mut packet) else { break };
                    if let Some(pressed) = receiver.packet(&packet[..length], plain(from)) {
                        conversation.key(pressed.key, receiver.before(pressed));
                    }
                }
                let heard = receiver.frame();
                // On hold nobody would hear us, so wait.
                if line.remote.held() {
                    sender.pass();
                } else {
                    let frame = conversation.tick(heard.as_ref());
                    // A packet that cannot be sent is lost, like any other on the network.
                    let _ = line.socket.try_send_to(&sender.packet(&frame), receiver.address());
                }
                if receiver.is_gone() || Instant::now() > last {
                    conversation.hung_up();
                }
            }
            received = line.socket.recv_from(&mut packet) => {
                if let Ok((length, from)) = received
                    && let Some(pressed) = receiver.packet(&packet[..length], plain(from))
                {
                    conversation.key(pressed.key, receiver.before(pressed));
                }
            }
        }
    }
    let end = conversation.over().unwrap_or(End::HungUp);
    TalkResult { end: TalkEnd::Said(end), take: conversation.into_take(), they_ended }
}

/// Converts IPv4-mapped IPv6 addresses to IPv4.
fn plain(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

//! One answered call: a socket, a clock, and the conversation between them.

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
        progress::{Progress, Told},
        prompts::Script,
    },
};

/// Who is on hold for ever is let go.
const LONGEST_CALL: Duration = Duration::from_secs(10 * 60);
const LARGEST_PACKET: usize = 2_048;
/// So many packets are looked at for each frame: whoever sends more cannot keep us from speaking.
const PACKETS_PER_FRAME: usize = 50;

/// What signalling has to say to the one who speaks.
#[derive(Debug)]
pub enum Signal {
    /// They have hung up.
    Bye,
    /// Their sound has moved, or is on hold.
    Media(Box<Remote>),
    Key(char),
}

pub struct Line {
    pub socket: Arc<UdpSocket>,
    pub remote: Remote,
    /// Where signalling comes from.
    pub trunk: IpAddr,
    pub signals: UnboundedReceiver<Signal>,
    pub hang_up: CancellationToken,
    /// Makes our stream unlike others.
    pub chance: u64,
}

pub struct Talked {
    pub end: TalkEnd,
    pub take: Vec<i16>,
    /// They have told us that it is over, so we need not tell them.
    pub they_ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TalkEnd {
    Said(End),
    /// Our side was told to hang up.
    Stopped,
}

/// Speaks until all is said or somebody hangs up.
pub async fn talk(mut line: Line, script: Script, told: Told) -> Talked {
    let mut receiver = Receiver::new(&line.remote, line.trunk);
    let mut sender = Sender::new(line.remote.codec, line.chance);
    let mut conversation = Conversation::start(script, told.clone());
    let mut they_ended = false;
    let mut packet = [0; LARGEST_PACKET];
    // Early media, which nobody has waited for.
    while line.socket.try_recv_from(&mut packet).is_ok() {}
    // Frames go out by the clock and not after one another, so that nothing adds up.
    let mut next = Instant::now();
    let last = next + LONGEST_CALL;
    while conversation.over().is_none() {
        tokio::select! {
            biased;
            () = line.hang_up.cancelled() => {
                // What they have decided counts, though nobody says goodbye.
                let end = conversation.decided().map_or(TalkEnd::Stopped, TalkEnd::Said);
                return Talked { end, take: conversation.into_take(), they_ended: false };
            }
            signal = line.signals.recv() => match signal {
                Some(Signal::Key(key)) => conversation.key(key, &[]),
                Some(Signal::Media(remote)) => {
                    if remote.held() != line.remote.held() {
                        told(Progress::Held(remote.held()));
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
                // What has come while we were late belongs before this frame.
                for _ in 0..PACKETS_PER_FRAME {
                    let Ok((length, from)) = line.socket.try_recv_from(&mut packet) else { break };
                    if let Some(pressed) = receiver.packet(&packet[..length], plain(from)) {
                        conversation.key(pressed.key, receiver.before(pressed));
                    }
                }
                let heard = receiver.frame();
                // On hold nobody would hear us, so we wait.
                if line.remote.held() {
                    sender.pass();
                } else {
                    let said = conversation.tick(heard.as_ref());
                    // What cannot be sent is lost, as it may be anywhere on its way.
                    let _ = line.socket.try_send_to(&sender.packet(&said), receiver.address());
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
    Talked { end: TalkEnd::Said(end), take: conversation.into_take(), they_ended }
}

/// An IPv4 address that an IPv6 socket shows as one of its own is the same address.
fn plain(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

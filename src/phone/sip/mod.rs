//! A SIP trunk: this process places calls and carries their audio.

mod dial;
mod incoming;
mod jitter;
mod keys;
mod queries;
mod register;
mod ring;
mod rtp;
mod sdp;
mod session;
mod sockets;
mod talk;
mod tls;
mod trunk;

pub use dial::{CallResult, OutgoingCall};
pub use trunk::{Error, Trunk};

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

pub use crate::domain::account::Account;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub account: Option<Account>,
    pub host: String,
    pub port: u16,
    /// The caller id.
    pub from: String,
    pub transport: Transport,
    /// Does the trunk require registration?
    pub register: bool,
    /// The address at which the trunk reaches us, if it differs from our socket's.
    pub advertise: Option<IpAddr>,
    /// The address for signaling; any free port if unset.
    pub listen: Option<SocketAddr>,
    /// The port range for audio; any free port if unset.
    pub rtp_ports: Option<(u16, u16)>,
    /// Additional trusted certificates for TLS.
    pub ca_file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Udp,
    Tcp,
    Tls,
}

impl Transport {
    pub fn parse(word: &str) -> Result<Self, String> {
        match word.to_ascii_lowercase().as_str() {
            "udp" => Ok(Self::Udp),
            "tcp" => Ok(Self::Tcp),
            "tls" => Ok(Self::Tls),
            _ => Err("`transport` in the phone URL must be udp, tcp or tls".to_owned()),
        }
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::Udp => "udp",
            Self::Tcp => "tcp",
            Self::Tls => "tls",
        }
    }

    pub const fn default_port(self) -> u16 {
        match self {
            Self::Udp | Self::Tcp => 5060,
            Self::Tls => 5061,
        }
    }
}

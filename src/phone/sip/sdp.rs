//! SDP: media addresses and formats of both sides.

use std::net::{IpAddr, SocketAddr};

use sdp_types::{Attribute, Media, Session};

/// Our payload type for DTMF events.
pub const EVENTS: u8 = 101;

/// G.711, which every trunk supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    Ulaw,
    Alaw,
}

impl Codec {
    pub const fn number(self) -> u8 {
        match self {
            Self::Ulaw => 0,
            Self::Alaw => 8,
        }
    }

    pub const fn of(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Ulaw),
            8 => Some(Self::Alaw),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Ulaw => "PCMU",
            Self::Alaw => "PCMA",
        }
    }
}

/// The media direction, from the sender's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Both,
    OnlyThey,
    OnlyWe,
    Nobody,
}

/// The peer's SDP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub address: SocketAddr,
    pub codec: Codec,
    /// Their payload type for DTMF events.
    pub events: Option<u8>,
    pub direction: Direction,
    /// All of their media lines in order, each as `kind protocol formats`, and the index of the one that we use.
    lines: Vec<(String, String, String)>,
    used: usize,
}

impl Remote {
    /// Are we on hold? Then nobody is listening.
    pub fn held(&self) -> bool {
        matches!(self.direction, Direction::OnlyThey | Direction::Nobody)
            || self.address.ip().is_unspecified()
    }
}

/// Our side: where we receive, and our session id.
#[derive(Debug, Clone)]
pub struct Local {
    pub address: SocketAddr,
    pub session: u64,
    pub version: u64,
}

fn family(ip: IpAddr) -> &'static str {
    if ip.is_ipv4() { "IP4" } else { "IP6" }
}

impl Local {
    fn head(&self) -> String {
        let (ip, family) = (self.address.ip(), family(self.address.ip()));
        format!(
            "v=0\r\no=- {} {} IN {family} {ip}\r\ns=-\r\nc=IN {family} {ip}\r\nt=0 0\r\n",
            self.session, self.version
        )
    }

    /// An offer of all codecs that we support.
    pub fn offer(&self) -> String {
        format!(
            "{}m=audio {} RTP/AVP 0 8 {EVENTS}\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:8 PCMA/8000\r\n\
             a=rtpmap:{EVENTS} telephone-event/8000\r\na=fmtp:{EVENTS} 0-16\r\na=ptime:20\r\na=sendrecv\r\n",
            self.head(),
            self.address.port()
        )
    }

    /// The answer to their offer, with their payload types; other media are rejected.
    pub fn answer(&self, offer: &Remote) -> String {
        let mut text = self.head();
        for (at, (kind, protocol, formats)) in offer.lines.iter().enumerate() {
            if at != offer.used {
                text.push_str(&format!("m={kind} 0 {protocol} {formats}\r\n"));
                continue;
            }
            let codec = offer.codec;
            let events = offer.events.map(|number| format!(" {number}")).unwrap_or_default();
            text.push_str(&format!(
                "m=audio {} {protocol} {}{events}\r\n",
                self.address.port(),
                codec.number()
            ));
            text.push_str(&format!("a=rtpmap:{} {}/8000\r\n", codec.number(), codec.name()));
            if let Some(number) = offer.events {
                text.push_str(&format!("a=rtpmap:{number} telephone-event/8000\r\na=fmtp:{number} 0-16\r\n"));
            }
            let direction = match offer.direction {
                Direction::Both => "sendrecv",
                Direction::OnlyThey => "recvonly",
                Direction::OnlyWe => "sendonly",
                Direction::Nobody => "inactive",
            };
            text.push_str(&format!("a=ptime:20\r\na={direction}\r\n"));
        }
        text
    }
}

/// Parses an offer or an answer. The error says why it is unusable.
pub fn read(body: &[u8]) -> Result<Remote, String> {
    let session = Session::parse(body).map_err(|error| format!("invalid SDP: {error}"))?;
    let (used, media, codec) = session
        .medias
        .iter()
        .enumerate()
        .find_map(|(at, media)| usable(media).map(|codec| (at, media, codec)))
        .ok_or("the SDP offers no G.711 over plain RTP")?;
    let connection = media.connections.first().or(session.connection.as_ref());
    let ip = connection
        .and_then(|connection| connection.connection_address.split('/').next()?.parse::<IpAddr>().ok())
        .ok_or("the SDP has no address")?;
    let events =
        media.attributes.iter().filter(|attribute| attribute.attribute == "rtpmap").find_map(|map| {
            let (number, name) = map.value.as_deref()?.split_once(' ')?;
            let is_events = name.trim().to_ascii_lowercase().starts_with("telephone-event/8000");
            number.trim().parse::<u8>().ok().filter(|number| is_events && (96..128).contains(number))
        });
    let lines = session
        .medias
        .iter()
        .map(|media| (media.media.clone(), media.proto.clone(), media.fmt.clone()))
        .collect();
    Ok(Remote {
        address: SocketAddr::new(ip, media.port),
        codec,
        events,
        direction: direction(&media.attributes)
            .or_else(|| direction(&session.attributes))
            .unwrap_or(Direction::Both),
        lines,
        used,
    })
}

fn usable(media: &Media) -> Option<Codec> {
    let plain = matches!(media.proto.as_str(), "RTP/AVP" | "RTP/AVPF");
    if media.media != "audio" || !plain || media.port == 0 {
        return None;
    }
    media.fmt.split_ascii_whitespace().filter_map(|number| number.parse().ok()).find_map(Codec::of)
}

fn direction(attributes: &[Attribute]) -> Option<Direction> {
    attributes.iter().find_map(|attribute| match attribute.attribute.as_str() {
        "sendrecv" => Some(Direction::Both),
        "sendonly" => Some(Direction::OnlyThey),
        "recvonly" => Some(Direction::OnlyWe),
        "inactive" => Some(Direction::Nobody),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn local() -> Local {
        Local { address: "192.0.2.7:20000".parse().unwrap(), session: 42, version: 1 }
    }

    const ANSWER: &str = "v=0\r\no=- 1 1 IN IP4 198.51.100.4\r\ns=-\r\nc=IN IP4 198.51.100.4\r\nt=0 0\r\n";

    #[test]
    fn our_own_offer_can_be_read() {
        let remote = read(local().offer().as_bytes()).unwrap();
        assert_eq!(remote.address, local().address);
        assert_eq!((remote.codec, remote.events), (Codec::Ulaw, Some(101)));
        assert_eq!(remote.direction, Direction::Both);
        assert!(!remote.held());
    }

    #[test]
    fn their_first_choice_their_numbers_and_the_address_of_the_medium() {
        let text = format!(
            "{ANSWER}m=audio 4000 RTP/AVP 96 8 0 98\r\nc=IN IP4 203.0.113.9\r\na=rtpmap:96 opus/48000/2\r\n\
             a=rtpmap:98 telephone-event/8000\r\na=sendonly\r\n"
        );
        let remote = read(text.as_bytes()).unwrap();
        assert_eq!(remote.address, "203.0.113.9:4000".parse().unwrap());
        assert_eq!((remote.codec, remote.events), (Codec::Alaw, Some(98)));
        assert!(remote.held());
        let answer = local().answer(&remote);
        assert!(answer.contains("m=audio 20000 RTP/AVP 8 98\r\n"), "{answer}");
        assert!(answer.contains("a=recvonly\r\n"), "{answer}");
    }

    #[test]
    fn other_media_are_refused_one_by_one() {
        let text = format!("{ANSWER}m=video 5000 RTP/AVP 99\r\nm=audio 4000 RTP/AVP 0\r\na=inactive\r\n");
        let answer = local().answer(&read(text.as_bytes()).unwrap());
        let lines: Vec<&str> = answer.lines().filter(|line| line.starts_with("m=")).collect();
        assert_eq!(lines, ["m=video 0 RTP/AVP 99", "m=audio 20000 RTP/AVP 0"]);
        assert!(answer.contains("a=inactive"));
    }

    #[test]
    fn an_address_of_zeros_is_the_old_way_to_hold() {
        let text = ANSWER.replace("c=IN IP4 198.51.100.4", "c=IN IP4 0.0.0.0") + "m=audio 4000 RTP/AVP 0\r\n";
        assert!(read(text.as_bytes()).unwrap().held());
    }

    #[test]
    fn six_is_a_family_too() {
        let local = Local { address: "[2001:db8::7]:4000".parse().unwrap(), session: 1, version: 1 };
        assert!(local.offer().contains("c=IN IP6 2001:db8::7\r\n"));
        assert_eq!(read(local.offer().as_bytes()).unwrap().address, local.address);
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_a_reason() {
        for medium in [
            "",
            "m=audio 4000 RTP/SAVP 0\r\n",
            "m=audio 0 RTP/AVP 0\r\n",
            "m=audio 4000 RTP/AVP 18\r\n",
            "m=video 4000 RTP/AVP 0\r\n",
        ] {
            assert!(read(format!("{ANSWER}{medium}").as_bytes()).is_err(), "{medium}");
        }
        let nowhere = ANSWER.replace("c=IN IP4 198.51.100.4\r\n", "") + "m=audio 4000 RTP/AVP 0\r\n";
        assert!(read(nowhere.as_bytes()).is_err());
        assert!(read(b"").is_err());
    }

    proptest! {
        #[test]
        fn garbage_does_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read(&bytes);
        }

        #[test]
        fn nearly_right_does_no_harm(at in 0_usize..300, byte in any::<u8>()) {
            let mut text = local().offer().into_bytes();
            let at = at % text.len();
            text[at] = byte;
            if let Ok(remote) = read(&text) {
                let _ = local().answer(&remote);
            }
        }
    }
}

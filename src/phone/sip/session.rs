//! Session timers (RFC 4028): which side refreshes the session.

use std::time::Duration;

use rsipstack::sip::{Header, headers::untyped};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionTimer {
    pub every: Duration,
    pub refresher: Refresher,
}

/// From the point of view of the requester.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresher {
    /// UAC: the side that sent the request.
    Asker,
    /// UAS: the side that answered it.
    Answerer,
}

impl SessionTimer {
    pub fn read(headers: &[Header]) -> Option<Self> {
        let value = headers
            .iter()
            .find(|header| ["session-expires", "x"].contains(&header.name().to_ascii_lowercase().as_str()))?
            .value();
        let mut parts = value.split(';').map(str::trim);
        let seconds: u64 = parts.next()?.parse().ok()?;
        let by_answerer = parts.any(|part| part.eq_ignore_ascii_case("refresher=uas"));
        Some(Self {
            every: Duration::from_secs(seconds.max(1)),
            refresher: if by_answerer { Refresher::Answerer } else { Refresher::Asker },
        })
    }

    pub fn headers(self) -> Vec<Header> {
        let refresher = match self.refresher {
            Refresher::Asker => "uac",
            Refresher::Answerer => "uas",
        };
        vec![
            Header::SessionExpires(untyped::SessionExpires::from(format!(
                "{};refresher={refresher}",
                self.every.as_secs()
            ))),
            Header::Require("timer".into()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Option<SessionTimer> {
        SessionTimer::read(&[Header::SessionExpires(untyped::SessionExpires::from(value.to_owned()))])
    }

    #[test]
    fn timers_are_parsed_and_written() {
        let timer = read("1800;refresher=uas").unwrap();
        assert_eq!((timer.every.as_secs(), timer.refresher), (1800, Refresher::Answerer));
        assert_eq!(read("90").unwrap().refresher, Refresher::Asker);
        assert_eq!(read("90 ; refresher=UAC").unwrap().refresher, Refresher::Asker);
        assert_eq!(read("soon"), None);
        assert_eq!(SessionTimer::read(&[]), None);
        assert_eq!(SessionTimer::read(&timer.headers()), Some(timer));
    }
}

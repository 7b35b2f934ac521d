//! The telephony provider, parsed from a single setting.

use std::net::IpAddr;

use percent_encoding::percent_decode_str;
use reqwest::Url;

use super::{cloud, sip};

/// `None` disables calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Provider {
    #[default]
    None,
    Sip(sip::Settings),
    Cloud(cloud::Settings),
}

impl Provider {
    /// Parses `sip://…`, `twilio://…`, `signalwire://…`, or an empty string. Errors do not contain the secrets.
    pub fn parse(url: &str) -> Result<Self, String> {
        let url = url.trim();
        if url.is_empty() {
            return Ok(Self::None);
        }
        let parsed = Url::parse(url).map_err(|error| format!("invalid phone URL: {error}"))?;
        match parsed.scheme() {
            "sip" => sip_trunk(&parsed).map(Self::Sip),
            "twilio" => cloud(&parsed, cloud::Vendor::Twilio).map(Self::Cloud),
            "signalwire" => cloud(&parsed, cloud::Vendor::SignalWire).map(Self::Cloud),
            other => Err(format!(
                "the phone URL must start with sip://, twilio:// or signalwire://, not `{other}:`"
            )),
        }
    }

    /// For display, without secrets.
    pub fn shown(&self) -> String {
        match self {
            Self::None => "no telephony".to_owned(),
            Self::Sip(settings) => {
                format!("SIP trunk {}:{} ({})", settings.host, settings.port, settings.transport.word())
            }
            Self::Cloud(settings) => {
                format!("{} at {}", settings.vendor.name(), settings.api.host_str().unwrap_or_default())
            }
        }
    }
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn host(url: &Url) -> Result<String, String> {
    let host = url.host_str().filter(|host| !host.is_empty());
    host.map(str::to_owned).ok_or_else(|| "the phone URL has no host".to_owned())
}

fn yes_or_no(key: &str, value: &str) -> Result<bool, String> {
    match value {
        "true" | "yes" | "1" | "on" => Ok(true),
        "false" | "no" | "0" | "off" => Ok(false),
        _ => Err(format!("`{key}` in the phone URL must be true or false")),
    }
}

/// An unencoded plus is decoded as a space, and no number starts with a space.
fn caller(from: &str) -> String {
    from.strip_prefix(' ').map_or_else(|| from.to_owned(), |digits| format!("+{}", digits.trim_start()))
}

/// Is the host this machine?
fn is_loopback(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    address.map_or_else(|_| host.eq_ignore_ascii_case("localhost"), |address| address.is_loopback())
}

fn sip_trunk(url: &Url) -> Result<sip::Settings, String> {
    let mut settings = sip::Settings {
        account: (!url.username().is_empty()).then(|| sip::Account {
            user: decoded(url.username()),
            password: url.password().map(decoded).unwrap_or_default(),
        }),
        host: host(url)?,
        port: 0,
        from: String::new(),
        transport: sip::Transport::Udp,
        register: false,
        advertise: None,
        listen: None,
        rtp_ports: None,
        ca_file: None,
    };
    for (key, value) in url.query_pairs() {
        match key.as_ref() {
            "from" => settings.from = caller(&value),
            "transport" => settings.transport = sip::Transport::parse(&value)?,
            "register" => settings.register = yes_or_no(&key, &value)?,
            "advertise" => {
                let address: IpAddr =
                    value.parse().map_err(|_| "`advertise` in the phone URL must be an IP address")?;
                settings.advertise = Some(address);
            }
            "listen" => {
                let address = value
                    .parse()
                    .map_err(|_| "`listen` in the phone URL must be an IP address and a port")?;
                settings.listen = Some(address);
            }
            "rtp" => {
                let ports = value.split_once('-').and_then(|(first, last)| {
                    let (first, last) = (first.parse::<u16>().ok()?, last.parse::<u16>().ok()?);
                    (first > 0 && first < last).then_some((first, last))
                });
                settings.rtp_ports =
                    Some(ports.ok_or("`rtp` in the phone URL must be two ports, like 20000-20100")?);
            }
            "ca" => settings.ca_file = Some(value.into_owned().into()),
            other => return Err(format!("unknown parameter `{other}` in the phone URL")),
        }
    }
    settings.port = url.port().unwrap_or_else(|| settings.transport.default_port());
    if settings.from.is_empty() {
        // A trunk that identifies us by our account may set the number itself.
        let user = settings.account.as_ref().map(|account| account.user.clone());
        settings.from = user.ok_or("the phone URL needs `from`, the caller id")?;
    }
    Ok(settings)
}

fn cloud(url: &Url, vendor: cloud::Vendor) -> Result<cloud::Settings, String> {
    let account = decoded(url.username());
    let token = url.password().map(decoded).unwrap_or_default();
    if account.is_empty() || token.is_empty() {
        return Err("the phone URL needs the account and its token, as `account:token@host`".to_owned());
    }
    let (mut from, mut scheme, mut signing_key) = (String::new(), "https".to_owned(), None);
    for (key, value) in url.query_pairs() {
        match key.as_ref() {
            "from" => from = caller(&value),
            "scheme" if value == "http" || value == "https" => scheme = value.into_owned(),
            "scheme" => return Err("`scheme` in the phone URL must be http or https".to_owned()),
            "signing_key" => signing_key = Some(value.into_owned()),
            other => return Err(format!("unknown parameter `{other}` in the phone URL")),
        }
    }
    if from.is_empty() {
        return Err("the phone URL needs `from`, the caller id".to_owned());
    }
    if vendor == cloud::Vendor::SignalWire && signing_key.is_none() {
        return Err("the phone URL needs `signing_key`: SignalWire signs with a separate key".to_owned());
    }
    let host = host(url)?;
    if scheme == "http" && !is_loopback(&host) {
        let why = "the token would be sent in clear text";
        return Err(format!("`scheme=http` in the phone URL is allowed only for this machine, since {why}"));
    }
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let api = Url::parse(&format!("{scheme}://{host}{port}/"))
        .map_err(|error| format!("invalid host in the phone URL: {error}"))?;
    let signing_key = signing_key.unwrap_or_else(|| token.clone());
    Ok(cloud::Settings { vendor, account, token, signing_key, api, from })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trunk_with_everything() {
        let url = "sip://us%40er:p%3Aass@trunk.example:5070?from=%2B12025550100&transport=tcp&register=true\
                   &advertise=192.0.2.7&listen=0.0.0.0:5062&rtp=20000-20100";
        let Provider::Sip(settings) = Provider::parse(url).unwrap() else { panic!("no trunk") };
        let account = settings.account.unwrap();
        assert_eq!((account.user.as_str(), account.password.as_str()), ("us@er", "p:ass"));
        assert_eq!((settings.host.as_str(), settings.port), ("trunk.example", 5070));
        assert_eq!(settings.from, "+12025550100");
        assert_eq!(settings.transport, sip::Transport::Tcp);
        assert!(settings.register);
        assert_eq!(settings.advertise, Some("192.0.2.7".parse().unwrap()));
        assert_eq!(settings.rtp_ports, Some((20_000, 20_100)));
    }

    #[test]
    fn a_trunk_with_little() {
        let Provider::Sip(settings) = Provider::parse("sip://127.0.0.1?from=endonym").unwrap() else {
            panic!("no trunk")
        };
        assert_eq!(settings.account, None);
        assert_eq!((settings.port, settings.transport), (5060, sip::Transport::Udp));
        let Provider::Sip(settings) = Provider::parse("sip://trunk.example?from=1&transport=tls").unwrap()
        else {
            panic!("no trunk")
        };
        assert_eq!(settings.port, 5061);
    }

    #[test]
    fn clouds() {
        let url = "twilio://AC1:tok%2Fen@127.0.0.1:9000?from=%2B12025550100&scheme=http";
        let Provider::Cloud(settings) = Provider::parse(url).unwrap() else { panic!("no cloud") };
        assert_eq!((settings.account.as_str(), settings.token.as_str()), ("AC1", "tok/en"));
        assert_eq!(settings.api.as_str(), "http://127.0.0.1:9000/");
        assert_eq!(settings.signing_key, "tok/en");
        let url = "signalwire://p:t@space.signalwire.com?from=%2B12025550100&signing_key=PSK";
        let Provider::Cloud(settings) = Provider::parse(url).unwrap() else { panic!("no cloud") };
        assert_eq!(settings.api.as_str(), "https://space.signalwire.com/");
        assert_eq!(settings.signing_key, "PSK");
    }

    #[test]
    fn clear_text_stays_on_this_machine() {
        for host in ["127.0.0.1:9000", "127.8.9.10", "[::1]:9000", "localhost:9000", "LOCALHOST"] {
            let url = format!("twilio://AC1:token@{host}?from=1&scheme=http");
            assert!(Provider::parse(&url).is_ok(), "{host}");
        }
        for host in ["api.twilio.com", "localhost.example", "[2001:db8::1]", "10.0.0.1", "0.0.0.0"] {
            let url = format!("twilio://AC1:token@{host}?from=1&scheme=http");
            assert!(Provider::parse(&url).unwrap_err().contains("clear text"), "{host}");
        }
    }

    #[test]
    fn a_plus_need_not_be_encoded() {
        let Provider::Sip(trunk) = Provider::parse("sip://trunk.example?from=+12025550100").unwrap() else {
            panic!("no trunk")
        };
        assert_eq!(trunk.from, "+12025550100");
        let url = "twilio://AC1:token@api.twilio.com?from=+12025550100";
        let Provider::Cloud(cloud) = Provider::parse(url).unwrap() else { panic!("no cloud") };
        assert_eq!(cloud.from, "+12025550100");
    }

    #[test]
    fn an_empty_url_disables_calls() {
        assert_eq!(Provider::parse("  ").unwrap(), Provider::None);
    }

    #[test]
    fn errors_do_not_contain_the_secret() {
        for url in [
            "sip:user@host",
            "sip://u:s3cret@host?transport=pigeon&from=1",
            "sip://u:s3cret@host?from=1&advertise=host",
            "sip://u:s3cret@host?from=1&color=blue",
            "sip://host",
            "tel:+12025550123",
            "twilio://AC1@api.twilio.com?from=1",
            "twilio://AC1:s3cret@api.twilio.com",
            "signalwire://p:s3cret@space.signalwire.com?from=1",
            "twilio://AC1:s3cret@api.twilio.com?from=1&scheme=ftp",
            "twilio://AC1:s3cret@api.twilio.com?from=1&scheme=http",
            "twilio://AC1:s3cret@127.0.0.1.example?from=1&scheme=http",
            "signalwire://p:s3cret@192.0.2.7?from=1&signing_key=k&scheme=http",
            "s3cret",
        ] {
            let why = Provider::parse(url).unwrap_err();
            assert!(!why.contains("s3cret"), "{why}");
        }
    }
}

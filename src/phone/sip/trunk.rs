//! The way to the trunk: our sockets, our registration, and who is on a call.

use std::{
    collections::HashMap,
    fmt,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rsipstack::{
    dialog::{authenticate::Credential, dialog_layer::DialogLayer, registration::Registration},
    sip::{
        Auth, Host, HostWithPort, Method, Param, Scheme, SipMessage, StatusCodeKind, Uri,
        typed::{Contact, From, To},
    },
    transaction::{
        Endpoint, EndpointBuilder, Transaction,
        endpoint::EndpointOption,
        key::{TransactionKey, TransactionRole},
        make_tag,
    },
    transport::{SipAddr, TransportLayer},
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{
    Settings, Transport,
    dial::{Entry, is_our_own, shown},
    incoming,
    sockets::{facing, resolve, sockets},
};

/// How long a trunk may take to say anything to a question of ours.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// What is wrong with the way to the trunk, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

#[derive(Clone)]
pub struct Trunk(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub settings: Settings,
    /// Where sound is heard.
    pub local: IpAddr,
    /// Where the trunk reaches us.
    pub advertised: SocketAddr,
    pub endpoint: Endpoint,
    pub layer: Arc<DialogLayer>,
    /// By the id that we have given them.
    pub calls: Mutex<HashMap<String, Arc<Entry>>>,
    pub registration: tokio::sync::Mutex<Option<Registration>>,
    /// What has become of the last registration.
    pub registered: Mutex<Result<(), Error>>,
    pub stop: CancellationToken,
}

impl Trunk {
    /// Opens our sockets, and registers where that is wanted. A trunk that cannot be reached, or does not want us, is an
    /// error then; without registration nothing is sent before the first call.
    pub async fn open(settings: &Settings) -> Result<Self, Error> {
        let remote = resolve(settings, settings.listen.map(|listen| listen.ip())).await?;
        let facing = facing(remote).await?;
        let listen = settings.listen.unwrap_or_else(|| SocketAddr::new(facing, 0));
        let stop = CancellationToken::new();
        let transports = TransportLayer::new(stop.clone());
        let public =
            settings.advertise.unwrap_or(if listen.ip().is_unspecified() { facing } else { listen.ip() });
        let advertised = sockets(settings, &transports, listen, public, &stop).await?;
        let endpoint = EndpointBuilder::new()
            .with_user_agent(&user_agent())
            .with_transport_layer(transports)
            .with_cancel_token(stop.clone())
            .with_option(EndpointOption {
                callid_suffix: Some(host_of(settings, public)),
                ..EndpointOption::default()
            })
            .build();
        let layer = Arc::new(DialogLayer::new(endpoint.inner.clone()));
        let requests = endpoint
            .incoming_transactions()
            .map_err(|error| Error::new(format!("SIP cannot begin: {error}")))?;
        let inner = Arc::new(Inner {
            settings: settings.clone(),
            local: listen.ip(),
            advertised,
            layer,
            calls: Mutex::default(),
            registration: tokio::sync::Mutex::new(None),
            registered: Mutex::new(Ok(())),
            stop,
            endpoint,
        });
        let serving = inner.endpoint.inner.clone();
        tokio::spawn(async move {
            if let Err(error) = serving.serve().await {
                tracing::warn!(%error, "SIP has stopped");
            }
        });
        tokio::spawn(incoming::serve(Arc::downgrade(&inner), requests));
        if settings.register {
            inner.register_and_stay().await?;
        }
        Ok(Self(inner))
    }

    /// Is the trunk there? A sentence for people.
    pub async fn check(&self) -> Result<String, Error> {
        if self.0.settings.register {
            let known = self.0.registered.lock().unwrap_or_else(PoisonError::into_inner).clone();
            return known.map(|()| "registered with the trunk".to_owned());
        }
        let status = timeout(PATIENCE, self.0.options())
            .await
            .map_err(|_| Error::new(format!("{} does not answer", self.0.shown())))??;
        Ok(format!("{} answers ({status})", self.0.shown()))
    }

    /// Says goodbye to the trunk. Calls that are still on should be over by then.
    pub async fn close(self) {
        if let Some(mut registration) = self.0.registration.lock().await.take() {
            let _ = timeout(PATIENCE, registration.register(self.0.registrar(), Some(0))).await;
        }
        self.0.stop.cancel();
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

pub(super) fn user_agent() -> String {
    format!("Endonym/{}", env!("CARGO_PKG_VERSION"))
}

/// The host behind our call ids: where we are, or the trunk's name for it.
fn host_of(settings: &Settings, public: IpAddr) -> String {
    if public.is_loopback() || public.is_unspecified() { settings.host.clone() } else { public.to_string() }
}

impl Inner {
    pub async fn resolve(&self) -> Result<SocketAddr, Error> {
        resolve(&self.settings, Some(self.local)).await
    }

    pub fn shown(&self) -> String {
        format!("{}:{}", self.settings.host, self.settings.port)
    }

    pub fn transport(&self) -> rsipstack::sip::Transport {
        match self.settings.transport {
            Transport::Udp => rsipstack::sip::Transport::Udp,
            Transport::Tcp => rsipstack::sip::Transport::Tcp,
            Transport::Tls => rsipstack::sip::Transport::Tls,
        }
    }

    /// Where requests go, whatever their address says.
    pub fn destination(&self, remote: SocketAddr) -> SipAddr {
        SipAddr { r#type: Some(self.transport()), addr: remote.into() }
    }

    /// Somebody at the trunk.
    pub fn at_trunk(&self, user: Option<&str>) -> Uri {
        let name = self.settings.host.trim_matches(['[', ']']);
        let host = name.parse::<IpAddr>().map_or_else(|_| Host::Domain(name.into()), Host::IpAddr);
        let unusual = self.settings.port != self.settings.transport.usual_port();
        Uri {
            scheme: Some(Scheme::Sip),
            auth: user.map(|user| Auth { user: user.to_owned(), password: None }),
            host_with_port: HostWithPort { host, port: unusual.then(|| self.settings.port.into()) },
            params: self.transport_param(),
            headers: Vec::new(),
        }
    }

    /// Whom people see.
    pub fn caller(&self) -> Uri {
        Uri { params: Vec::new(), ..self.at_trunk(Some(&self.settings.from)) }
    }

    fn transport_param(&self) -> Vec<Param> {
        match self.settings.transport {
            Transport::Udp => Vec::new(),
            _ => vec![Param::Transport(self.transport())],
        }
    }

    pub fn credential(&self) -> Option<Credential> {
        let account = self.settings.account.as_ref()?;
        Some(Credential {
            username: account.user.clone(),
            password: account.password.clone(),
            realm: None,
            auth_username: None,
        })
    }

    /// Where we are reached. Over TLS that is the connection that we have made, so it is made here.
    pub async fn contact(&self, remote: SocketAddr) -> Result<Uri, Error> {
        let mut address = self.advertised;
        if self.settings.transport != Transport::Udp {
            let destination = self.destination(remote);
            let connecting = self.endpoint.inner.transport_layer.lookup(&destination, None);
            let connected = timeout(PATIENCE, connecting)
                .await
                .map_err(|_| Error::new(format!("{} does not answer", self.shown())))?;
            let (connection, _) = connected
                .map_err(|error| Error::new(format!("{} cannot be reached: {error}", self.shown())))?;
            if self.settings.transport == Transport::Tls {
                address.set_port(connection.get_addr().addr.port.map_or(0, |port| port.value()));
            }
        }
        Ok(Uri {
            scheme: Some(Scheme::Sip),
            auth: Some(Auth { user: self.settings.from.clone(), password: None }),
            host_with_port: address.into(),
            params: self.transport_param(),
            headers: Vec::new(),
        })
    }

    /// Asks the trunk what it can do, for the sake of an answer.
    async fn options(&self) -> Result<String, Error> {
        let remote = self.resolve().await?;
        let contact = self.contact(remote).await?;
        let failed =
            |error: rsipstack::Error| Error::new(format!("{} cannot be asked: {error}", self.shown()));
        let inner = &self.endpoint.inner;
        let mut local = self.destination(remote);
        local.addr = self.advertised.into();
        let via = inner.get_via(Some(local), None).map_err(failed)?;
        let us = From { display_name: None, uri: self.caller(), params: Vec::new() };
        let them = To { display_name: None, uri: self.at_trunk(None), params: Vec::new() };
        let mut request = inner.make_request(
            Method::Options,
            self.at_trunk(None),
            via,
            us.with_tag(make_tag()),
            them,
            1,
            None,
        );
        request.headers.push(Contact { display_name: None, uri: contact, params: Vec::new() }.into());
        let key = TransactionKey::from_request(&request, TransactionRole::Client).map_err(failed)?;
        let mut asked = Transaction::new_client(key, request, inner.clone(), None);
        asked.destination = Some(self.destination(remote));
        asked.send().await.map_err(failed)?;
        while let Some(message) = asked.receive().await {
            if let SipMessage::Response(answer) = message
                && answer.status_code.kind() != StatusCodeKind::Provisional
            {
                if is_our_own(&answer) {
                    break;
                }
                return Ok(shown(&answer));
            }
        }
        Err(Error::new(format!("{} does not answer", self.shown())))
    }
}

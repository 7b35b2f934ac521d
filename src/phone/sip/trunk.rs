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
    transport::{SipAddr, TransportLayer, tcp_listener::TcpListenerConnection, udp::UdpConnection},
};
use tokio::{net::UdpSocket, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{Settings, Transport, dial::Entry, incoming, tls};

/// How long a trunk may take to say anything to a question of ours.
const PATIENCE: Duration = Duration::from_secs(5);
/// For how long we ask to be known.
const REGISTERED_SECONDS: u32 = 600;
/// After a refresh that failed.
const AGAIN: Duration = Duration::from_secs(15);

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
    registration: tokio::sync::Mutex<Option<Registration>>,
    /// What has become of the last registration.
    registered: Mutex<Result<(), Error>>,
    stop: CancellationToken,
}

impl Trunk {
    /// Opens our sockets, and registers where that is wanted. A trunk that cannot be reached, or does not want us, is an
    /// error then; without registration nothing is sent before the first call.
    pub async fn open(settings: &Settings) -> Result<Self, Error> {
        let remote = resolve(settings).await?;
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

/// The trunk's address. Looked up for each call, since it may move.
pub(super) async fn resolve(settings: &Settings) -> Result<SocketAddr, Error> {
    let host = settings.host.trim_matches(['[', ']']);
    let found = tokio::net::lookup_host((host, settings.port)).await;
    let address = found.ok().and_then(|mut addresses| addresses.next());
    address.ok_or_else(|| Error::new(format!("{host} cannot be found")))
}

/// Which of our addresses faces the trunk.
async fn facing(remote: SocketAddr) -> Result<IpAddr, Error> {
    let any: SocketAddr =
        if remote.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { (std::net::Ipv6Addr::UNSPECIFIED, 0).into() };
    let why = |error| Error::new(format!("there is no way to {remote}: {error}"));
    let probe = UdpSocket::bind(any).await.map_err(why)?;
    // Nothing is sent by this.
    probe.connect(remote).await.map_err(why)?;
    Ok(probe.local_addr().map_err(why)?.ip())
}

/// Opens what the transport needs, and says where we can be reached by it.
async fn sockets(
    settings: &Settings,
    transports: &TransportLayer,
    listen: SocketAddr,
    public: IpAddr,
    stop: &CancellationToken,
) -> Result<SocketAddr, Error> {
    let failed = |error: &dyn fmt::Display| Error::new(format!("{listen} cannot be listened at: {error}"));
    if settings.transport == Transport::Tls {
        transports.set_tls_config(tls::config(
            settings.host.trim_matches(['[', ']']),
            settings.ca_file.as_deref(),
        )?);
    }
    let (mut port, listener) = match settings.transport {
        Transport::Tcp => {
            let listener = tokio::net::TcpListener::bind(listen).await.map_err(|error| failed(&error))?;
            (listener.local_addr().map_err(|error| failed(&error))?.port(), Some(listener))
        }
        _ => (listen.port(), None),
    };
    if let Some(listener) = listener {
        let (bound, shown) = (SocketAddr::new(listen.ip(), port), SocketAddr::new(public, port));
        // Whoever serves it binds it anew.
        drop(listener);
        let served = TcpListenerConnection::new(bound, Some(shown)).await.map_err(|error| failed(&error))?;
        transports.add_transport(served.into());
    } else {
        // Over TLS everything comes back on the connection that we make, and this one is only the name we go by.
        let bound = if settings.transport == Transport::Tls {
            let loopback = if listen.is_ipv4() {
                IpAddr::from([127, 0, 0, 1])
            } else {
                std::net::Ipv6Addr::LOCALHOST.into()
            };
            SocketAddr::new(loopback, 0)
        } else {
            listen
        };
        let socket = UdpSocket::bind(bound).await.map_err(|error| failed(&error))?;
        port = socket.local_addr().map_err(|error| failed(&error))?.port();
        let shown = SocketAddr::new(public, port);
        let served = UdpConnection::from_socket(Arc::new(socket), Some(shown), Some(stop.child_token()))
            .await
            .map_err(|error| failed(&error))?;
        transports.add_transport(served.into());
    }
    Ok(SocketAddr::new(public, port))
}

impl Inner {
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
        let remote = resolve(&self.settings).await?;
        let contact = self.contact(remote).await?;
        let failed =
            |error: rsipstack::Error| Error::new(format!("{} cannot be asked: {error}", self.shown()));
        let inner = &self.endpoint.inner;
        let mut local = self.destination(remote);
        local.addr = self.advertised.into();
        let via = inner.get_via(Some(local), None).map_err(failed)?;
        let us =
            From { display_name: None, uri: self.at_trunk(Some(&self.settings.from)), params: Vec::new() };
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
                if super::dial::is_our_own(&answer) {
                    break;
                }
                return Ok(super::dial::shown(&answer));
            }
        }
        Err(Error::new(format!("{} does not answer", self.shown())))
    }

    // --- Registration ---

    fn registrar(&self) -> Uri {
        self.at_trunk(None)
    }

    async fn register_and_stay(self: &Arc<Self>) -> Result<(), Error> {
        let mut registration = Registration::new(self.endpoint.inner.clone(), self.credential());
        let granted = self.register(&mut registration).await?;
        *self.registration.lock().await = Some(registration);
        let (stop, weak) = (self.stop.clone(), Arc::downgrade(self));
        tokio::spawn(async move {
            let mut wait = refresh_after(granted);
            loop {
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(wait) => {}
                }
                let Some(inner) = weak.upgrade() else { return };
                let mut held = inner.registration.lock().await;
                let Some(registration) = held.as_mut() else { return };
                let done = inner.register(registration).await;
                wait = done.as_ref().map_or(AGAIN, |granted| refresh_after(*granted));
                if let Err(error) = &done {
                    tracing::warn!(%error, "the trunk does not know us any more");
                }
                *inner.registered.lock().unwrap_or_else(PoisonError::into_inner) = done.map(|_| ());
            }
        });
        Ok(())
    }

    /// For how many seconds we are known now.
    async fn register(&self, registration: &mut Registration) -> Result<u32, Error> {
        let remote = resolve(&self.settings).await?;
        let contact = self.contact(remote).await?;
        registration.contact = Some(Contact { display_name: None, uri: contact, params: Vec::new() });
        registration.outbound_proxy = Some(remote);
        let asked = registration.register(self.registrar(), Some(REGISTERED_SECONDS));
        let answer = timeout(PATIENCE, asked)
            .await
            .map_err(|_| Error::new(format!("{} does not answer when we register", self.shown())))?
            .map_err(|error| {
                Error::new(format!("{} cannot be reached to register: {error}", self.shown()))
            })?;
        match answer.status_code.kind() {
            StatusCodeKind::Successful => Ok(registration.granted_expires.unwrap_or(REGISTERED_SECONDS)),
            _ => {
                Err(Error::new(format!("the trunk refuses to register us: {}", super::dial::shown(&answer))))
            }
        }
    }
}

/// Well before it is over.
fn refresh_after(granted: u32) -> Duration {
    Duration::from_secs(u64::from(granted) * 3 / 4).max(Duration::from_secs(1))
}

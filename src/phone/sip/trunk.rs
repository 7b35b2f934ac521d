//! The connection to the trunk: sockets, registration and active calls.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rsipstack::{
    dialog::{authenticate::Credential, dialog_layer::DialogLayer, registration::Registration},
    sip::{Auth, Host, HostWithPort, Param, Scheme, Uri},
    transaction::{Endpoint, EndpointBuilder, endpoint::EndpointOption},
    transport::{SipAddr, TransportLayer},
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{
    Settings, Transport,
    dial::Entry,
    incoming,
    sockets::{local_address, resolve, sockets},
};
use crate::tasks;

/// Timeout of requests to the trunk.
pub(super) const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// A problem with the trunk, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Error {
    why: String,
    remedy: &'static str,
}

impl Error {
    pub(super) fn new(why: impl Into<String>) -> Self {
        let remedy = "check the host, the port and the transport in --phone-url (ENDONYM_PHONE_URL), and the network in between";
        Self { why: why.into(), remedy }
    }

    /// Adds advice for the operator.
    pub(super) fn with_remedy(self, remedy: &'static str) -> Self {
        Self { remedy, ..self }
    }

    pub fn remedy(&self) -> &'static str {
        self.remedy
    }
}

#[derive(Clone)]
pub struct Trunk(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub settings: Settings,
    /// The local address for audio.
    pub local: IpAddr,
    /// The address at which the trunk reaches us.
    pub advertised: SocketAddr,
    pub endpoint: Endpoint,
    pub layer: Arc<DialogLayer>,
    /// By our call id.
    pub calls: Mutex<HashMap<String, Arc<Entry>>>,
    pub registration: tokio::sync::Mutex<Option<Registration>>,
    /// The result of the last registration.
    pub registered: Mutex<Result<(), Error>>,
    pub stop: CancellationToken,
}

impl Trunk {
    /// Opens our sockets and registers if configured; an unreachable or refusing trunk is an error then. Without
    /// registration nothing is sent before the first call.
    pub async fn open(settings: &Settings) -> Result<Self, Error> {
        let trunk = Self::begin(settings).await?;
        if settings.register {
            trunk.0.register_and_refresh().await?;
        }
        Ok(trunk)
    }

    /// Opens sockets next to a server that may be running here: on any free port and without registering. A trunk
    /// that keeps one contact per account would replace the server's registration, and drop it when we leave. A trunk
    /// that requires registration accepts our calls while the server is registered; the INVITE authenticates with the
    /// password anyway.
    pub async fn open_unregistered(settings: &Settings) -> Result<Self, Error> {
        let listen = settings.listen.map(|listen| SocketAddr::new(listen.ip(), 0));
        Self::begin(&Settings { listen, ..settings.clone() }).await
    }

    async fn begin(settings: &Settings) -> Result<Self, Error> {
        let remote = resolve(settings, settings.listen.map(|listen| listen.ip())).await?;
        let local_address = local_address(remote).await?;
        let listen = settings.listen.unwrap_or_else(|| SocketAddr::new(local_address, 0));
        let stop = CancellationToken::new();
        let transports = TransportLayer::new(stop.clone());
        let public = settings.advertise.unwrap_or(if listen.ip().is_unspecified() {
            local_address
        } else {
            listen.ip()
        });
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
            .map_err(|error| Error::new(format!("the SIP stack cannot be started: {error}")))?;
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
        // When the stack stops, everything else stops too: a trunk that receives nothing is useless.
        let ends = inner.stop.clone();
        tasks::spawn(async move {
            let _also_by_a_panic = ends.clone().drop_guard();
            let served = serving.serve().await;
            if !ends.is_cancelled() {
                let error = served.err().map(|error| error.to_string());
                tracing::warn!(error, "the SIP stack has stopped");
            }
        });
        tasks::spawn(incoming::serve(Arc::downgrade(&inner), requests));
        Ok(Self(inner))
    }

    /// Can it place calls? Once stopped, it never recovers; open another one.
    pub fn is_alive(&self) -> bool {
        !self.0.stop.is_cancelled()
    }

    /// Is the trunk reachable? Returns a sentence.
    pub async fn check(&self) -> Result<String, Error> {
        if self.0.settings.register && self.0.registration.lock().await.is_none() {
            return self.0.bindings().await;
        }
        if self.0.settings.register {
            let known = self.0.registered.lock().unwrap_or_else(PoisonError::into_inner).clone();
            return known.map(|()| "registered with the trunk".to_owned());
        }
        let status = self.0.options().await?;
        Ok(format!("{} answers ({status})", self.0.shown()))
    }

    /// Unregisters. Active calls should have ended.
    pub async fn close(self) {
        if let Some(mut registration) = self.0.registration.lock().await.take() {
            let _ = timeout(REQUEST_TIMEOUT, registration.register(self.0.registrar(), Some(0))).await;
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

/// The host part of our call ids: our address, or the trunk's domain.
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

    /// Where requests are sent, regardless of their URI.
    pub fn destination(&self, remote: SocketAddr) -> SipAddr {
        SipAddr { r#type: Some(self.transport()), addr: remote.into() }
    }

    /// A URI at the trunk.
    pub fn at_trunk(&self, user: Option<&str>) -> Uri {
        let name = self.settings.host.trim_matches(['[', ']']);
        let host = name.parse::<IpAddr>().map_or_else(|_| Host::Domain(name.into()), Host::IpAddr);
        let unusual = self.settings.port != self.settings.transport.default_port();
        Uri {
            scheme: Some(Scheme::Sip),
            auth: user.map(|user| Auth { user: user.to_owned(), password: None }),
            host_with_port: HostWithPort { host, port: unusual.then(|| self.settings.port.into()) },
            params: self.transport_param(),
            headers: Vec::new(),
        }
    }

    /// The caller id.
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

    /// Our `Contact`. Over TLS it is our outgoing connection, which is opened here.
    pub async fn contact(&self, remote: SocketAddr) -> Result<Uri, Error> {
        let mut address = self.advertised;
        if self.settings.transport != Transport::Udp {
            let destination = self.destination(remote);
            let connecting = self.endpoint.inner.transport_layer.lookup(&destination, None);
            let connected = timeout(REQUEST_TIMEOUT, connecting)
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
}

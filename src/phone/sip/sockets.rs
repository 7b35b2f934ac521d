//! Where the trunk is, and where it finds us.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use rsipstack::transport::{TransportLayer, tcp_listener::TcpListenerConnection, udp::UdpConnection};
use tokio::net::{TcpListener, UdpSocket};
use tokio_util::sync::CancellationToken;

use super::{Settings, Transport, tls, trunk::Error};

/// The trunk's address, of the same family as ours. Looked up for each call, since it may move.
pub async fn resolve(settings: &Settings, ours: Option<IpAddr>) -> Result<SocketAddr, Error> {
    let host = settings.host.trim_matches(['[', ']']);
    let found = tokio::net::lookup_host((host, settings.port)).await.map_err(|error| {
        Error::new(format!("{host} cannot be found: {error}"))
            .advising("check the host in --phone-url (ENDONYM_PHONE_URL), and this machine's name server")
    })?;
    let mut usable = found.filter(|address| ours.is_none_or(|ours| ours.is_ipv4() == address.is_ipv4()));
    usable.next().ok_or_else(|| Error::new(format!("{host} has no address that we can use")))
}

/// Which of our addresses faces the trunk.
pub async fn facing(remote: SocketAddr) -> Result<IpAddr, Error> {
    let any: SocketAddr =
        if remote.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { (Ipv6Addr::UNSPECIFIED, 0).into() };
    let why = |error| Error::new(format!("there is no way to {remote}: {error}"));
    let probe = UdpSocket::bind(any).await.map_err(why)?;
    // Nothing is sent by this.
    probe.connect(remote).await.map_err(why)?;
    Ok(probe.local_addr().map_err(why)?.ip())
}

/// Opens what the transport needs, and says where we can be reached by it.
pub async fn sockets(
    settings: &Settings,
    transports: &TransportLayer,
    listen: SocketAddr,
    public: IpAddr,
    stop: &CancellationToken,
) -> Result<SocketAddr, Error> {
    let failed = |error: &dyn fmt::Display| {
        Error::new(format!("{listen} cannot be listened at: {error}")).advising(
            "set an address of this machine and a free port as `listen` in --phone-url (ENDONYM_PHONE_URL)",
        )
    };
    if settings.transport == Transport::Tls {
        transports.set_tls_config(tls::config(
            settings.host.trim_matches(['[', ']']),
            settings.ca_file.as_deref(),
        )?);
    }
    let (mut port, listener) = match settings.transport {
        Transport::Tcp => {
            let listener = TcpListener::bind(listen).await.map_err(|error| failed(&error))?;
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
            let loopback =
                if listen.is_ipv4() { IpAddr::from(Ipv4Addr::LOCALHOST) } else { Ipv6Addr::LOCALHOST.into() };
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

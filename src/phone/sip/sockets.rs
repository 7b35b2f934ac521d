//! The addresses of the trunk and of our sockets.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use rsipstack::transport::{TransportLayer, tcp_listener::TcpListenerConnection, udp::UdpConnection};
use tokio::net::{TcpListener, UdpSocket};
use tokio_util::sync::CancellationToken;

use super::{Settings, Transport, tls, trunk::Error};

/// The trunk's address, of the same family as ours. Resolved for each call, since it may change.
pub async fn resolve(settings: &Settings, ours: Option<IpAddr>) -> Result<SocketAddr, Error> {
    let host = settings.host.trim_matches(['[', ']']);
    let found = tokio::net::lookup_host((host, settings.port)).await.map_err(|error| {
        Error::new(format!("{host} cannot be resolved: {error}")).with_remedy(
            "check the host in --phone-url (ENDONYM_PHONE_URL), and the DNS configuration of this machine",
        )
    })?;
    let mut usable = found.filter(|address| ours.is_none_or(|ours| ours.is_ipv4() == address.is_ipv4()));
    usable.next().ok_or_else(|| Error::new(format!("{host} has no usable address")))
}

/// Our address on the route to the trunk.
pub async fn local_address(remote: SocketAddr) -> Result<IpAddr, Error> {
    let any: SocketAddr =
        if remote.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { (Ipv6Addr::UNSPECIFIED, 0).into() };
    let why = |error| Error::new(format!("no route to {remote}: {error}"));
    let probe = UdpSocket::bind(any).await.map_err(why)?;
    // Connecting a UDP socket sends nothing.
    probe.connect(remote).await.map_err(why)?;
    Ok(probe.local_addr().map_err(why)?.ip())
}

/// Opens the sockets of the transport and returns our address.
pub async fn sockets(
    settings: &Settings,
    transports: &TransportLayer,
    listen: SocketAddr,
    public: IpAddr,
    stop: &CancellationToken,
) -> Result<SocketAddr, Error> {
    let failed = |error: &dyn fmt::Display| {
        Error::new(format!("cannot listen on {listen}: {error}")).with_remedy(
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
        // The transport binds it again.
        drop(listener);
        let served = TcpListenerConnection::new(bound, Some(shown)).await.map_err(|error| failed(&error))?;
        transports.add_transport(served.into());
    } else {
        // Over TLS everything arrives on our outgoing connection; this address is used only as a name.
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

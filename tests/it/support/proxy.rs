//! A network that can fail: a TCP proxy in front of a server, whatever the client.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::AbortHandle,
};

use super::{Setup, World};

pub struct Proxy {
    /// Its URL.
    pub base: String,
    /// How many bytes clients can still send.
    budget: Arc<AtomicI64>,
    /// Nothing is relayed in either direction.
    frozen: watch::Sender<bool>,
    task: AbortHandle,
}

impl Proxy {
    pub async fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let budget = Arc::new(AtomicI64::new(i64::MAX));
        let (frozen, is_frozen) = watch::channel(false);
        let shared = budget.clone();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(relay(client, server, shared.clone(), is_frozen.clone()));
            }
        });
        Self { base, budget, frozen, task: task.abort_handle() }
    }

    /// The server seems to hang: connections are accepted and stay open, and nothing is answered.
    pub fn freeze(&self) {
        self.frozen.send_replace(true);
    }

    pub fn thaw(&self) {
        self.frozen.send_replace(false);
    }

    /// Breaks the network once clients have sent this many more bytes: the connection that exceeds them is dropped, and so is
    /// every other one that sends anything.
    pub fn cut_after(&self, bytes: i64) {
        self.budget.store(bytes, Ordering::SeqCst);
    }

    pub fn mend(&self) {
        self.budget.store(i64::MAX, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Until one side closes the connection or the budget is spent. An error on either side ends both.
async fn relay(
    client: TcpStream,
    server: SocketAddr,
    budget: Arc<AtomicI64>,
    is_frozen: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = TcpStream::connect(server).await?.into_split();
    let (mut up_frozen, mut down_frozen) = (is_frozen.clone(), is_frozen);
    let up = async {
        let mut buffer = vec![0; 4_096];
        loop {
            let count = from_client.read(&mut buffer).await?;
            let sent = i64::try_from(count).unwrap();
            if count == 0 || budget.fetch_sub(sent, Ordering::SeqCst) < sent {
                return std::io::Result::Ok(());
            }
            until_thawed(&mut up_frozen).await;
            to_server.write_all(&buffer[..count]).await?;
        }
    };
    let down = async {
        let mut buffer = vec![0; 65_536];
        loop {
            let count = from_server.read(&mut buffer).await?;
            if count == 0 {
                return std::io::Result::Ok(());
            }
            until_thawed(&mut down_frozen).await;
            to_client.write_all(&buffer[..count]).await?;
        }
    };
    tokio::select! {
        ended = up => ended,
        ended = down => ended,
    }
}

async fn until_thawed(is_frozen: &mut watch::Receiver<bool>) {
    drop(is_frozen.wait_for(|is_frozen| !is_frozen).await);
}

#[tokio::test]
async fn a_world_behind_a_proxy_can_be_cut_off_from_its_clients() {
    let world = World::with(Setup { proxied: true, ..Setup::default() }).await;
    let proxy = world.proxy.as_ref().unwrap();
    let reached = async || world.client.get(format!("{}/healthz", world.base)).send().await.is_ok();
    assert!(reached().await);
    proxy.cut_after(10);
    assert!(!reached().await);
    proxy.mend();
    assert!(reached().await);
}

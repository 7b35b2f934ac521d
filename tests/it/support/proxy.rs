//! A network that can fail: a TCP proxy in front of a server, whatever the browser.

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
    task::AbortHandle,
};

use super::{Setup, World};

pub struct Proxy {
    /// Its URL.
    pub base: String,
    /// How many bytes clients can still send.
    budget: Arc<AtomicI64>,
    task: AbortHandle,
}

impl Proxy {
    pub async fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let budget = Arc::new(AtomicI64::new(i64::MAX));
        let shared = budget.clone();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(relay(client, server, shared.clone()));
            }
        });
        Self { base, budget, task: task.abort_handle() }
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
async fn relay(client: TcpStream, server: SocketAddr, budget: Arc<AtomicI64>) -> std::io::Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = TcpStream::connect(server).await?.into_split();
    let up = async {
        let mut buffer = vec![0; 4_096];
        loop {
            let count = from_client.read(&mut buffer).await?;
            let sent = i64::try_from(count).unwrap();
            if count == 0 || budget.fetch_sub(sent, Ordering::SeqCst) < sent {
                return std::io::Result::Ok(());
            }
            to_server.write_all(&buffer[..count]).await?;
        }
    };
    tokio::select! {
        ended = up => ended,
        ended = tokio::io::copy(&mut from_server, &mut to_client) => ended.map(drop),
    }
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

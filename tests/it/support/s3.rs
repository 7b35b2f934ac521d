//! A real S3 server on a free loopback port, with its own directory.

use std::{path::PathBuf, sync::Arc};

use hyper::{
    Method,
    body::Incoming,
    service::{Service, service_fn},
};
use hyper_util::rt::TokioIo;
use s3s::{auth::SimpleAuth, service::S3ServiceBuilder};
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::{sync::watch, task::JoinHandle};

pub struct S3Server {
    pub endpoint: String,
    pub address: std::net::SocketAddr,
    folder: Arc<TempDir>,
    serving: JoinHandle<()>,
    /// Whether requests to remove something wait.
    holds_removals: watch::Sender<bool>,
}

const KEY: &str = "test-key";
const SECRET: &str = "test-secret";
const BUCKET: &str = "names";

impl S3Server {
    pub async fn new() -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        std::fs::create_dir(folder.path().join(BUCKET)).unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let endpoint = format!("http://{address}");
        let mut builder = S3ServiceBuilder::new(FileSystem::new(folder.path()).unwrap());
        builder.set_auth(SimpleAuth::from_single(KEY, SECRET));
        let service = builder.build();
        let (holds_removals, is_holding) = watch::channel(false);
        let serving = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (service, is_holding) = (service.clone(), is_holding.clone());
                let service = service_fn(move |request: hyper::Request<Incoming>| {
                    let (service, mut is_holding) = (service.clone(), is_holding.clone());
                    async move {
                        if matches!(*request.method(), Method::DELETE) {
                            let _ = is_holding.wait_for(|holds| !holds).await;
                        }
                        Service::call(&service, request).await
                    }
                });
                connections.spawn(async move {
                    let http = hyper::server::conn::http1::Builder::new();
                    let _ = http.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { endpoint, address, folder, serving, holds_removals }
    }

    /// A value for `ENDONYM_BLOBS_URL`.
    pub fn url(&self) -> String {
        format!(
            "s3://{BUCKET}/endonym?endpoint={}&region=us-east-1&access_key_id={KEY}&secret_access_key={SECRET}",
            self.endpoint
        )
    }

    /// The same through a proxy at this address.
    pub fn url_through(&self, base: &str) -> String {
        self.url().replace(&self.endpoint, base)
    }

    /// The same with a wrong secret.
    pub fn url_with_a_wrong_secret(&self) -> String {
        self.url().replace(SECRET, "guessed")
    }

    /// The directory in which the server stores our objects.
    pub fn bucket(&self) -> PathBuf {
        self.folder.path().join(BUCKET).join("endonym")
    }

    /// Whether requests to remove a file wait, as with a slow server.
    pub fn hold_removals(&self, holds: bool) {
        self.holds_removals.send_replace(holds);
    }

    /// Stops abruptly, as in a power failure.
    pub async fn stop(&mut self) {
        self.serving.abort();
        let _ = (&mut self.serving).await;
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

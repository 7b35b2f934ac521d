//! Another node of an installation, behind the same load balancer.

use endonym::{app::App, http::service::Draining, server, site, store::Db};
use tokio_util::sync::CancellationToken;

use super::{Setup, World};

pub struct Node {
    pub app: App,
    pub base: String,
    stop: CancellationToken,
}

impl Node {
    /// On the database, the files and the clock of this world.
    pub async fn start(world: &World, setup: Setup) -> Self {
        Self::on(world, world.app.db.clone(), setup).await
    }

    /// With database connections of its own.
    pub async fn on(world: &World, db: Db, setup: Setup) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let limits = setup.limits.clone();
        let app = App::new(setup.parts(db, &base, world.folder.path(), world.app.clock.clone()));
        let stop = CancellationToken::new();
        let site = site::site(app.clone(), Draining::default());
        tokio::spawn(server::run(listener, site, limits, stop.clone()));
        Self { app, base, stop }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

//! Another node of an installation, behind the same load balancer.

use endonym::{
    app::{App, Links, Parts, limiter::Sharing},
    blobs::{self, Blobs},
    http::service::Draining,
    outbound::{Allowed, Outbound},
    server,
    site::{self, Metrics},
    store::{Db, secrets::Secrets},
};
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
        let files = blobs::Options {
            url: None,
            data_dir: world.folder.path().to_owned(),
            delivery: setup.delivery,
            timeout: setup.blobs_timeout,
            clock: world.app.clock.clone(),
        };
        let app = App::new(Parts {
            blobs: Blobs::open(&files).unwrap(),
            removal: world.app.removal,
            clock: world.app.clock.clone(),
            studio: setup.studio,
            links: Links::new(&base),
            limits: setup.rate_limit,
            sharing: setup.sharing.unwrap_or_else(|| Sharing::in_database(&db)),
            db,
            auth_failures: setup.auth_failures,
            streams: setup.streams,
            disk_reserve: setup.disk_reserve,
            export_life: setup.export_life,
            exports_waiting: setup.exports_waiting,
            export_part_bytes: setup.export_part_bytes,
            calling: setup.calling,
            phone: setup.phone,
            sign_in: setup.sign_in,
            invitations: setup.invitations,
            mail: setup.mail,
            secrets: Secrets::new(None, world.folder.path()),
            outbound: Outbound::with_limits(Allowed::parse(setup.outbound).unwrap(), setup.outbound_limits)
                .unwrap(),
        });
        let stop = CancellationToken::new();
        let site = site::site(app.clone(), Draining::default(), Metrics::Enabled);
        tokio::spawn(server::run(listener, site, setup.limits, stop.clone()));
        Self { app, base, stop }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

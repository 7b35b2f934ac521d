//! TLS to PostgreSQL: each mode with each kind of certificate, as psql would treat them.

use std::{
    fs::Permissions,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use endonym::store::{Db, Options};
use tempfile::TempDir;

use crate::support::{
    postgres::{PostgresServer, give_to_postgres, run},
    process::{Installation, PATIENCE},
};

const KEY: &str = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

/// X.509 v1, and the key, which protects nothing. OpenSSL makes such certificates without being asked up to 3.1 only.
const FIRST_VERSION: &str = "\
-----BEGIN CERTIFICATE-----
MIIBIjCByQIUDq3opzz1KSYbCh3SVT/9kMGzeGkwCgYIKoZIzj0EAwIwFDESMBAG
A1UEAwwJMTI3LjAuMC4xMB4XDTI2MTExNzAyMzcxNVoXDTM2MTExNDAyMzcxNVow
FDESMBAGA1UEAwwJMTI3LjAuMC4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
1n35swI+zlyU3AKuP8F7UMa9YtvHAh7IBBk7QAcrh39+Thz6NM9+tp8Dt8EhJLXT
VxwpBdD5NBhpaWBAItfXlzAKBggqhkjOPQQDAgNIADBFAiAWVCIu4jYmE2SJYxiA
f+Iq9wlQC9wREtIyAKk17u2+pAIhAMtA9cPE8BRTzSdRRbtZhzCAu/TbsEryw49k
/SD2YDJa
-----END CERTIFICATE-----
";
const FIRST_VERSION_KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNWX5dnQYjq0Zl8iy
pljYBBWC/6UGPbTYIyzwij1VFD2hRANCAATWffmzAj7OXJTcAq4/wXtQxr1i28cC
HsgEGTtAByuHf35OHPo0z362nwO3wSEktdNXHCkF0Pk0GGlpYEAi19eX
-----END PRIVATE KEY-----
";

/// Certificates with their keys: `NAME.pem` and `NAME.key`.
struct Certificates(TempDir);

impl Certificates {
    fn new() -> Self {
        let made = Self(tempfile::tempdir().unwrap());
        made.openssl(&format!("req -x509 {KEY} -days 2 -subj /CN=ours -keyout ca.key -out ca.pem"));
        made.openssl(&format!("req -x509 {KEY} -days 2 -subj /CN=theirs -keyout other.key -out other.pem"));
        made.issue("good", "db", 2, "subjectAltName=IP:127.0.0.1");
        made.issue("elsewhere", "db", 2, "subjectAltName=DNS:db.example.edu");
        made.issue("expired", "db", -1, "subjectAltName=IP:127.0.0.1");
        // Without alternative names, as in PostgreSQL's manual.
        made.issue("common-name", "127.0.0.1", 2, "basicConstraints=CA:FALSE");
        made.issue("client", "postgres", 2, "extendedKeyUsage=clientAuth");
        for (name, subject) in [("self-signed", "127.0.0.1"), ("stranger", "postgres")] {
            let files = format!("-keyout {name}.key -out {name}.pem");
            made.openssl(&format!("req -x509 {KEY} -days 2 -subj /CN={subject} {files}"));
        }
        std::fs::write(made.path("first-version.pem"), FIRST_VERSION).unwrap();
        std::fs::write(made.path("first-version.key"), FIRST_VERSION_KEY).unwrap();
        made
    }

    fn openssl(&self, arguments: &str) {
        run(Command::new("openssl").args(arguments.split(' ')).current_dir(self.0.path()));
    }

    /// By our CA.
    fn issue(&self, name: &str, subject: &str, days: i32, extension: &str) {
        std::fs::write(self.path("extensions"), format!("{extension}\n")).unwrap();
        self.openssl(&format!("req {KEY} -subj /CN={subject} -keyout {name}.key -out request.pem"));
        self.openssl(&format!(
            "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days {days} -extfile extensions -out {name}.pem"
        ));
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }
}

struct Scene {
    server: PostgresServer,
    certificates: Certificates,
}

impl Scene {
    async fn new() -> Self {
        Self { server: PostgresServer::start().await, certificates: Certificates::new() }
    }

    /// The certificate that the server uses from now on.
    async fn present(&self, name: &str) {
        for (from, to) in [(format!("{name}.pem"), "server.crt"), (format!("{name}.key"), "server.key")] {
            self.place(&from, to);
        }
        self.server.connect().await.batch_execute("ALTER SYSTEM SET ssl = on").await.unwrap();
        self.server.reload().await;
    }

    fn place(&self, from: &str, to: &str) {
        let to = self.server.data().join(to);
        std::fs::copy(self.certificates.path(from), &to).unwrap();
        std::fs::set_permissions(&to, Permissions::from_mode(0o600)).unwrap();
        give_to_postgres(&to);
    }

    /// The rule for connections over TCP, in pg_hba.conf.
    async fn admit(&self, kind: &str, method: &str) {
        let rules = format!("local all all trust\n{kind} all all 127.0.0.1/32 {method}\n");
        std::fs::write(self.server.data().join("pg_hba.conf"), rules).unwrap();
        self.server.reload().await;
    }

    /// Files in the query are ours.
    fn url(&self, query: &str) -> String {
        let query = query.replace("cert=", &format!("cert={}/", self.certificates.0.path().display()));
        let query = query.replace("key=", &format!("key={}/", self.certificates.0.path().display()));
        format!("{}?{query}", self.server.url)
    }

    /// Is the connection encrypted?
    async fn attempt(&self, url: String, ca_file: Option<&Path>) -> Result<bool, String> {
        let options = Options {
            url: Some(url),
            data_dir: self.certificates.path("data"),
            ca_file: ca_file.map(Path::to_owned),
            connections: 2,
            threads: 0,
            timeout: PATIENCE,
        };
        let db = Db::open(&options).await.map_err(|error| error.to_string())?;
        let asked = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        Ok(db.read().one(asked, &[], |row| row.bool(0)).await.unwrap().unwrap())
    }

    async fn expect(&self, what: &str, query: &str, expected: Result<bool, &str>) {
        let found = self.attempt(self.url(query), None).await;
        match (&found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(*found, expected, "{what}: {query}"),
            (Err(said), Err(expected)) => assert!(said.contains(expected), "{what}: {query}: {said}"),
            _ => panic!("{what}: {query}: {found:?}, and not {expected:?}"),
        }
    }
}

const ENCRYPTED: Result<bool, &str> = Ok(true);
const PLAIN: Result<bool, &str> = Ok(false);
const UNTRUSTED: Result<bool, &str> = Err("set sslrootcert=FILE in the database URL, or database_ca_file");
const OTHER_NAME: Result<bool, &str> = Err("connect with a host name that the certificate contains");
const EXPIRED: Result<bool, &str> = Err("the server's certificate has expired: renew it");
const OLD_FORMAT: Result<bool, &str> = Err("X.509 v1");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_mode_accepts_the_certificates_that_psql_accepts() {
    let scene = Scene::new().await;
    let ca = "sslrootcert=ca.pem";
    let other = "sslrootcert=other.pem";
    for (certificate, unchecked, by_ca, full) in [
        ("good", ENCRYPTED, ENCRYPTED, ENCRYPTED),
        ("elsewhere", ENCRYPTED, ENCRYPTED, OTHER_NAME),
        ("common-name", ENCRYPTED, ENCRYPTED, ENCRYPTED),
        ("expired", ENCRYPTED, EXPIRED, EXPIRED),
        ("self-signed", ENCRYPTED, UNTRUSTED, UNTRUSTED),
        // psql would accept it.
        ("first-version", ENCRYPTED, OLD_FORMAT, OLD_FORMAT),
    ] {
        scene.present(certificate).await;
        let expect = async |query: &str, expected| scene.expect(certificate, query, expected).await;
        expect("sslmode=disable", PLAIN).await;
        for query in ["", "sslmode=prefer", "sslmode=require"] {
            expect(query, unchecked).await;
        }
        for mode in ["prefer", "require", "verify-ca"] {
            expect(&format!("sslmode={mode}&{ca}"), by_ca).await;
        }
        expect(&format!("sslmode=verify-full&{ca}"), full).await;
        let others = match full {
            Err(words) if full == EXPIRED || full == OLD_FORMAT => Err(words),
            _ => UNTRUSTED,
        };
        for mode in ["require", "verify-ca", "verify-full"] {
            expect(&format!("sslmode={mode}&{other}"), others).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_self_signed_certificate_is_its_own_authority() {
    let scene = Scene::new().await;
    scene.present("self-signed").await;
    for mode in ["require", "verify-ca", "verify-full"] {
        scene.expect("itself", &format!("sslmode={mode}&sslrootcert=self-signed.pem"), ENCRYPTED).await;
    }
    // For another name of the same server.
    let url = scene.url("sslmode=verify-full&sslrootcert=self-signed.pem");
    let url = url.replace("127.0.0.1", "db.example.edu") + "&hostaddr=127.0.0.1";
    let said = scene.attempt(url.clone(), None).await.unwrap_err();
    assert!(said.contains("does not match the host name"), "{said}");
    assert_eq!(scene.attempt(url.replace("verify-full", "verify-ca"), None).await, Ok(true));

    // The setting is for a URL without `sslrootcert`.
    let (ours, other) = (scene.certificates.path("self-signed.pem"), scene.certificates.path("other.pem"));
    let full = scene.url("sslmode=verify-full");
    assert_eq!(scene.attempt(full.clone(), Some(&ours)).await, Ok(true));
    assert!(scene.attempt(full, Some(&other)).await.unwrap_err().contains("issued by an unknown CA"));
    let named = scene.url("sslmode=verify-full&sslrootcert=self-signed.pem");
    assert_eq!(scene.attempt(named, Some(&other)).await, Ok(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_certificates_of_the_system_are_trusted_for_their_names_only() {
    let scene = Scene::new().await;
    let here = Installation::on_sqlite();
    let migrate = |query: &str, trusted: &str| {
        let mut command = here.bare();
        command.args(["migrate", "--database-url", &format!("{}?{query}", scene.server.url)]);
        command.env("SSL_CERT_FILE", scene.certificates.path(trusted)).output().unwrap()
    };
    scene.present("good").await;
    for query in ["sslmode=verify-full", "sslrootcert=system"] {
        assert!(migrate(query, "ca.pem").status.success(), "{query}");
        let refused = migrate(query, "other.pem");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && said.contains("set sslrootcert=FILE"), "{query}: {said}");
    }
    scene.present("elsewhere").await;
    assert!(!migrate("sslrootcert=system", "ca.pem").status.success());
    // A CA of the system gives every certificate alternative names.
    scene.present("common-name").await;
    assert!(!migrate("sslrootcert=system", "ca.pem").status.success());
    assert!(migrate("sslmode=require", "ca.pem").status.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_server_offers_or_demands_is_said_with_a_remedy() {
    let scene = Scene::new().await;
    for query in ["sslmode=disable", "sslmode=prefer", "", "sslrootcert=ca.pem"] {
        scene.expect("no TLS", query, PLAIN).await;
    }
    for query in ["sslmode=require", "sslmode=verify-ca&sslrootcert=ca.pem", "sslmode=verify-full"] {
        scene.expect("no TLS", query, Err("set ssl = on in postgresql.conf")).await;
    }

    scene.present("good").await;
    scene.admit("hostssl", "trust").await;
    scene.expect("TLS only", "sslmode=disable", Err("use sslmode=require or higher")).await;
    for query in ["", "sslmode=require", "sslmode=verify-full&sslrootcert=ca.pem"] {
        scene.expect("TLS only", query, ENCRYPTED).await;
    }

    scene.admit("hostnossl", "trust").await;
    scene.expect("no TLS wanted", "sslmode=require", Err("use sslmode=disable in the database URL")).await;
    scene.expect("no TLS wanted", "sslmode=disable", PLAIN).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_proves_who_it_is_by_a_certificate() {
    let scene = Scene::new().await;
    scene.place("ca.pem", "ca.pem");
    let trust = "ALTER SYSTEM SET ssl_ca_file = 'ca.pem'";
    scene.server.connect().await.batch_execute(trust).await.unwrap();
    scene.present("good").await;
    scene.admit("hostssl", "cert").await;
    scene.expect("nobody", "sslmode=require", Err("set sslcert=FILE and sslkey=FILE")).await;
    scene.expect("a client", "sslmode=require&sslcert=client.pem&sslkey=client.key", ENCRYPTED).await;
    // For the right user, but of another CA.
    scene.expect("a stranger", "sslmode=require&sslcert=stranger.pem&sslkey=stranger.key", Err("")).await;
    scene.expect("a mistake", "sslcert=client.pem&sslkey=missing.key", Err("missing.key")).await;
}

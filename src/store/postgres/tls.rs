//! TLS to PostgreSQL: what is checked about the server's certificate. The signature of the handshake always is.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, OtherError, RootCertStore, SignatureScheme,
    client::{
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_cert_signed_by_trust_anchor, verify_server_name,
    },
    crypto::{
        CryptoProvider, WebPkiSupportedAlgorithms, aws_lc_rs, verify_tls12_signature, verify_tls13_signature,
        verify_tls13_signature_with_raw_key,
    },
    pki_types::{
        CertificateDer, PrivateKeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime, pem::PemObject,
    },
    server::ParsedCertificate,
};

use super::certificate::{has_common_name, public_key};
use crate::store::db::{Error, Result};

#[derive(Debug)]
pub struct Tls {
    pub check: Check,
    pub identity: Option<Identity>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Check {
    /// Protects from listeners, but not from a server that pretends to be PostgreSQL.
    Nothing,
    /// Issued by a CA of this file, for whatever name.
    Chain(PathBuf),
    ChainAndName(Roots),
}

#[derive(Debug, PartialEq, Eq)]
pub enum Roots {
    System,
    File(PathBuf),
}

/// The client's certificate and its private key: PEM files.
#[derive(Debug, PartialEq, Eq)]
pub struct Identity {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

impl Tls {
    pub fn client_config(&self) -> Result<ClientConfig> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let verifier = Arc::new(Verifier::new(&self.check, &provider)?);
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::Broken(error.to_string()))?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = if let Some(Identity { certificate, key }) = &self.identity {
            let private = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, &error))?;
            config
                .with_client_auth_cert(certificates(certificate)?, private)
                .map_err(|error| unreadable(certificate, &error))?
        } else {
            config.with_no_client_auth()
        };
        // With sslnegotiation=direct, PostgreSQL requires it.
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(config)
    }
}

fn unreadable(path: &Path, why: &dyn Display) -> Error {
    Error::Broken(format!("cannot read {}: {why}", path.display()))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let all: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| unreadable(path, &error))?;
    if all.is_empty() {
        return Err(unreadable(path, &"it has no certificate"));
    }
    Ok(all)
}

#[derive(Debug)]
struct Verifier {
    trust: Option<Trust>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    fn new(check: &Check, provider: &CryptoProvider) -> Result<Self> {
        let trust = match check {
            Check::Nothing => None,
            Check::Chain(file) => Some(Trust::in_file(file, false)?),
            Check::ChainAndName(Roots::File(file)) => Some(Trust::in_file(file, true)?),
            Check::ChainAndName(Roots::System) => Some(Trust::in_system()),
        };
        Ok(Self { trust, algorithms: provider.signature_verification_algorithms })
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if let Some(trust) = &self.trust {
            trust.verify(certificate, intermediates, name, now, &self.algorithms)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        match verify_tls13_signature(message, certificate, signed, &self.algorithms) {
            // webpki does not read X.509 v1. Here only its key is needed.
            Err(error) if self.trust.is_none() && says(&error, "UnsupportedCertVersion") => {
                let key = SubjectPublicKeyInfoDer::from(public_key(certificate).ok_or(error)?);
                verify_tls13_signature_with_raw_key(message, &key, signed, &self.algorithms)
            }
            verified => verified,
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[derive(Debug)]
struct Trust {
    anchors: RootCertStore,
    /// Those of the file. A server may use one of them itself.
    certificates: Vec<CertificateDer<'static>>,
    checks_name: bool,
    /// Does the common name count if there are no alternative names? A CA that is limited to some names is limited in the
    /// alternative ones only, and those of the system issue no certificates without.
    accepts_common_name: bool,
}

impl Trust {
    /// Only what is in the file: with a CA of one's own, a certificate of another one is suspicious.
    fn in_file(path: &Path, checks_name: bool) -> Result<Self> {
        let certificates = certificates(path)?;
        let mut anchors = RootCertStore::empty();
        for certificate in &certificates {
            anchors.add(certificate.clone()).map_err(|error| unreadable(path, &error))?;
        }
        let accepts_common_name = anchors.roots.iter().all(|anchor| anchor.name_constraints.is_none());
        Ok(Self { anchors, certificates, checks_name, accepts_common_name })
    }

    fn in_system() -> Self {
        let mut anchors = RootCertStore::empty();
        anchors.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Self { anchors, certificates: Vec::new(), checks_name: true, accepts_common_name: false }
    }

    fn verify(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: UnixTime,
        algorithms: &WebPkiSupportedAlgorithms,
    ) -> Result<(), rustls::Error> {
        let parsed = ParsedCertificate::try_from(certificate)?;
        let chain = verify_server_cert_signed_by_trust_anchor(
            &parsed,
            &self.anchors,
            intermediates,
            now,
            algorithms.all,
        );
        match chain {
            // `openssl req -x509` makes self-signed certificates that are a CA, and webpki accepts none of a server. It has
            // checked the period of validity before.
            Err(error) if says(&error, "CaUsedAsEndEntity") => {
                if !self.certificates.iter().any(|ours| ours[..] == certificate[..]) {
                    return Err(CertificateError::UnknownIssuer.into());
                }
            }
            checked => checked?,
        }
        if !self.checks_name {
            return Ok(());
        }
        // An intermediate CA may be limited to some names, too.
        let accepts_common_name = self.accepts_common_name && intermediates.is_empty();
        match verify_server_name(&parsed, name) {
            // Like libpq.
            Err(rustls::Error::InvalidCertificate(CertificateError::NotValidForNameContext {
                presented,
                ..
            })) if accepts_common_name
                && presented.is_empty()
                && has_common_name(certificate, &name.to_str()) =>
            {
                Ok(())
            }
            verified => verified,
        }
    }
}

/// Is it this error of webpki?
fn says(error: &rustls::Error, name: &str) -> bool {
    match error {
        rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(why))) => {
            why.to_string() == name
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn refused(check: Check, identity: Option<Identity>) -> String {
        Tls { check, identity }.client_config().unwrap_err().to_string()
    }

    #[test]
    fn a_file_without_certificates_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let (missing, empty) = (folder.path().join("missing.pem"), folder.path().join("empty.pem"));
        std::fs::write(&empty, "").unwrap();
        for file in [&missing, &empty] {
            let said = refused(Check::Chain(file.clone()), None);
            assert!(said.contains(&file.display().to_string()), "{said}");
        }
        let identity = Identity { certificate: empty.clone(), key: missing };
        let said = refused(Check::Nothing, Some(identity));
        assert!(said.contains("missing.pem"), "{said}");
        assert!(Tls { check: Check::Nothing, identity: None }.client_config().is_ok());
    }

    /// Valid from November 2026 to November 2036, made with `openssl req -x509` and `openssl x509 -req`.
    const CA: &str = "\
-----BEGIN CERTIFICATE-----
MIIBcjCCARmgAwIBAgIUFwMXAtnkDaFTEQHPHTlLmqlxx9owCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEb3VyczAeFw0yNjExMTcwMjM3MTVaFw0zNjExMTQwMjM3MTVa
MA8xDTALBgNVBAMMBG91cnMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR7bbhm
67AdpxwOESmgi/TwUK7YRXckuTaZ7TPbXcuYp74nf52yJYUZY+/kSIIEVcJxv/rl
9IAXR96m2hRHEcato1MwUTAdBgNVHQ4EFgQUh+DNHf8Rbs27DpGrMS5JnraUHEMw
HwYDVR0jBBgwFoAUh+DNHf8Rbs27DpGrMS5JnraUHEMwDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNHADBEAiBoaxl3MK0L8tZ4OOZb6fKGYZLr5oXsXYU0a5sJ
Rtb+fgIgQWNR+1zb3ozBF24ZmluTn0Y0Ry4HiUwHZEqCDNUtrTI=
-----END CERTIFICATE-----";
    /// By the CA, for `db.example.edu` as an alternative name.
    const ISSUED: &str = "\
-----BEGIN CERTIFICATE-----
MIIBfDCCASGgAwIBAgIURw7rXPUMdnqaZKYWrNJfFltnaewwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEb3VyczAeFw0yNjExMTcwMjM3MTVaFw0zNjExMTQwMjM3MTVa
MA0xCzAJBgNVBAMMAmRiMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEtCtEe8NQ
Y8cK7hutPiNus1yG+Sav7drLF/5p2Kn57tJ2t5TSI4bwHkufTW6brnZOa/Gp7sle
+YiJUr0ImtzCi6NdMFswGQYDVR0RBBIwEIIOZGIuZXhhbXBsZS5lZHUwHQYDVR0O
BBYEFFdRhdtRk/D39anEC2uGWT1LV6k7MB8GA1UdIwQYMBaAFIfgzR3/EW7Nuw6R
qzEuSZ62lBxDMAoGCCqGSM49BAMCA0kAMEYCIQC0dtC98z9Jzy5IqZTF1W5DdQBA
3pldNDfY2q5shtWSAQIhAK9wbMH8TuNrCegBB9Q4juYsF9Zf+pnvVOSrLY/6XCBX
-----END CERTIFICATE-----";
    /// By the CA, with the common name `db.example.edu` only.
    const COMMON_NAME: &str = "\
-----BEGIN CERTIFICATE-----
MIIBdzCCAR2gAwIBAgIURw7rXPUMdnqaZKYWrNJfFltnae0wCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEb3VyczAeFw0yNjExMTcwMjM3MTVaFw0zNjExMTQwMjM3MTVa
MBkxFzAVBgNVBAMMDmRiLmV4YW1wbGUuZWR1MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAERDB3rgdsDQs94tVynD+bCd9AL8ongBnhORpZF+Gb9IBx/3oh1kIR9dwB
rEiVfRgZFr6M+V5/fQ46l9s8KyTweaNNMEswCQYDVR0TBAIwADAdBgNVHQ4EFgQU
JUx/14EX0UPHGdjfKrsz1RTQsgwwHwYDVR0jBBgwFoAUh+DNHf8Rbs27DpGrMS5J
nraUHEMwCgYIKoZIzj0EAwIDSAAwRQIgNWvh7saRhtwGeJ/bl4k2RgbRpRU0Ua+l
TpCOmvsDHZ0CIQDRY88y7M5IUVh3niWxDlwC3U7NA5QYuOL1O2dxQPNiIw==
-----END CERTIFICATE-----";
    /// A CA with the same common name.
    const SELF_SIGNED: &str = "\
-----BEGIN CERTIFICATE-----
MIIBiDCCAS2gAwIBAgIUG7qrxnLvlJkVJzII6klCAelbnlkwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOZGIuZXhhbXBsZS5lZHUwHhcNMjYxMTE3MDIzNzE1WhcNMzYx
MTE0MDIzNzE1WjAZMRcwFQYDVQQDDA5kYi5leGFtcGxlLmVkdTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABM9Qln+P6YJcSUNuUu7RDyWLibPy9Rj7nGzlc1Dh5hV3
IJyGBJp/0dI9WjkvhXWpaTJyfRqf2WQnsTohUtPZlImjUzBRMB0GA1UdDgQWBBTF
B5hOiafO4E3mIHz6VNI7OBrhaDAfBgNVHSMEGDAWgBTFB5hOiafO4E3mIHz6VNI7
OBrhaDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDJxNdUNT3G
Wlqy9JDaNgAG4OSdoiLpWBda+cCaLlY/fwIhAIQPP/ut4CsoSvt6v8mCXRJbZBrt
b4bkzc3nqgpry59S
-----END CERTIFICATE-----";
    const IN_TIME: UnixTime = UnixTime::since_unix_epoch(Duration::from_secs(1_800_000_000));
    const TOO_EARLY: UnixTime = UnixTime::since_unix_epoch(Duration::from_secs(1_700_000_000));
    const TOO_LATE: UnixTime = UnixTime::since_unix_epoch(Duration::from_secs(2_200_000_000));

    fn der(pem: &str) -> CertificateDer<'static> {
        CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()
    }

    fn trust(file: &str) -> Trust {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("roots.pem");
        std::fs::write(&path, file).unwrap();
        Trust::in_file(&path, true).unwrap()
    }

    fn verify(
        trust: &Trust,
        certificate: &str,
        others: &[&str],
        now: UnixTime,
    ) -> Result<(), CertificateError> {
        let others: Vec<_> = others.iter().map(|pem| der(pem)).collect();
        let name = ServerName::try_from("db.example.edu").unwrap();
        let algorithms = aws_lc_rs::default_provider().signature_verification_algorithms;
        trust.verify(&der(certificate), &others, &name, now, &algorithms).map_err(|error| match error {
            rustls::Error::InvalidCertificate(why) => why,
            other => panic!("{other}"),
        })
    }

    #[test]
    fn a_certificate_has_a_period_of_validity() {
        for (file, certificate) in [(CA, ISSUED), (CA, COMMON_NAME), (SELF_SIGNED, SELF_SIGNED)] {
            let trust = trust(file);
            assert_eq!(verify(&trust, certificate, &[], IN_TIME), Ok(()));
            let early = verify(&trust, certificate, &[], TOO_EARLY);
            assert!(matches!(early, Err(CertificateError::NotValidYetContext { .. })), "{early:?}");
            let late = verify(&trust, certificate, &[], TOO_LATE);
            assert!(matches!(late, Err(CertificateError::ExpiredContext { .. })), "{late:?}");
        }
    }

    #[test]
    fn a_common_name_counts_only_if_no_ca_can_be_limited_to_other_names() {
        let ours = trust(CA);
        let like_the_system = Trust { accepts_common_name: false, ..trust(CA) };
        // In a chain, whatever it contains.
        for (trust, others) in [(&ours, vec![CA]), (&like_the_system, vec![])] {
            assert_eq!(verify(trust, ISSUED, &others, IN_TIME), Ok(()));
            let refused = verify(trust, COMMON_NAME, &others, IN_TIME);
            assert!(matches!(refused, Err(CertificateError::NotValidForNameContext { .. })), "{refused:?}");
        }
    }

    #[test]
    fn a_certificate_of_somebody_else_is_not_trusted() {
        for (file, certificate) in [(SELF_SIGNED, ISSUED), (CA, SELF_SIGNED)] {
            let refused = verify(&trust(file), certificate, &[], IN_TIME);
            assert_eq!(refused, Err(CertificateError::UnknownIssuer));
        }
    }
}

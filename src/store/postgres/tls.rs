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
        let Some(Identity { certificate, key }) = &self.identity else {
            return Ok(config.with_no_client_auth());
        };
        let private = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, &error))?;
        config
            .with_client_auth_cert(certificates(certificate)?, private)
            .map_err(|error| unreadable(certificate, &error))
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
}

impl Trust {
    /// Only what is in the file: with a CA of one's own, a certificate of another one is suspicious.
    fn in_file(path: &Path, checks_name: bool) -> Result<Self> {
        let certificates = certificates(path)?;
        let mut anchors = RootCertStore::empty();
        for certificate in &certificates {
            anchors.add(certificate.clone()).map_err(|error| unreadable(path, &error))?;
        }
        Ok(Self { anchors, certificates, checks_name })
    }

    fn in_system() -> Self {
        let mut anchors = RootCertStore::empty();
        anchors.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Self { anchors, certificates: Vec::new(), checks_name: true }
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
        if self.checks_name { verify_name(&parsed, certificate, name) } else { Ok(()) }
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

/// Like libpq, takes the common name of a certificate without alternative names.
fn verify_name(
    parsed: &ParsedCertificate<'_>,
    certificate: &[u8],
    name: &ServerName<'_>,
) -> Result<(), rustls::Error> {
    match verify_server_name(parsed, name) {
        Err(rustls::Error::InvalidCertificate(CertificateError::NotValidForNameContext {
            presented,
            ..
        })) if presented.is_empty() && has_common_name(certificate, &name.to_str()) => Ok(()),
        verified => verified,
    }
}

#[cfg(test)]
mod tests {
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
}

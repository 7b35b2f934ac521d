//! TLS trust: the system's certificates, or the operator's file.

use std::path::Path;

use base64::{Engine, engine::general_purpose::STANDARD};
use rsipstack::transport::tls::TlsConfig;
use rustls::{
    RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};

use super::trunk::Error;

pub fn config(host: &str, ca_file: Option<&Path>) -> Result<TlsConfig, Error> {
    // Two providers are linked, and rustls does not choose. It may already be installed.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let mut trusted = rustls_native_certs::load_native_certs().certs;
    if let Some(path) = ca_file {
        let shown = path.display();
        let ours: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(path)
            .and_then(Iterator::collect)
            .map_err(|error| Error::new(format!("the certificates in {shown} cannot be read: {error}")))?;
        if ours.is_empty() {
            return Err(Error::new(format!("there is no certificate in {shown}")));
        }
        trusted.extend(ours);
    }
    let mut pem = String::new();
    for certificate in trusted {
        // One unusable certificate would make the whole store fail.
        if RootCertStore::empty().add(certificate.clone()).is_ok() {
            pem.push_str("-----BEGIN CERTIFICATE-----\n");
            for line in STANDARD.encode(&certificate).as_bytes().chunks(64) {
                pem.extend(line.iter().map(|byte| char::from(*byte)));
                pem.push('\n');
            }
            pem.push_str("-----END CERTIFICATE-----\n");
        }
    }
    Ok(TlsConfig {
        ca_certs: Some(pem.into_bytes()),
        sni_hostname: Some(host.to_owned()),
        ..TlsConfig::default()
    })
}

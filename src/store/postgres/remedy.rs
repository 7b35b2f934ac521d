//! What to do about a connection that failed, for the operator.

use std::{error::Error, io};

use rustls::CertificateError;
use tokio_postgres::error::{DbError, SqlState};

const UNTRUSTED: &str = "the server's certificate was issued by an unknown CA: set sslrootcert=FILE in the database URL, or \
                         database_ca_file, to the CA certificate, or to the server certificate itself if it is self-signed";
const OTHER_NAME: &str = "the server's certificate does not match the host name: connect with a host name that the certificate \
                          contains, issue a certificate for this host name, or use sslmode=verify-ca to skip the host name check";
const EXPIRED: &str = "the server's certificate has expired: renew it";
const NOT_YET_VALID: &str =
    "the server's certificate is not valid yet: make sure that the clocks of both machines are correct";
const OLD_FORMAT: &str = "the server's certificate is X.509 v1, which is not supported: issue a v3 certificate, which has \
                          extensions such as subjectAltName";
// The error itself says that the server does not support TLS.
const NOT_OFFERED: &str =
    "set ssl = on in postgresql.conf, or use sslmode=prefer or sslmode=disable in the database URL";
const DEMANDED: &str = "the server rejects unencrypted connections from this host: use sslmode=require or higher in the database \
                        URL, or edit pg_hba.conf";
const NOT_ACCEPTED: &str = "the server rejects TLS connections from this host: use sslmode=disable in the database URL, or edit \
                            pg_hba.conf";
const NO_CLIENT_CERTIFICATE: &str =
    "set sslcert=FILE and sslkey=FILE in the database URL to a client certificate that the server trusts";
const SETTINGS: &str = "the connection goes through a pooler that does not support session settings: remove options and \
                        pgbouncer=false from the database URL";
const POOLER: &str = "the connection seems to go through a pooler: add pgbouncer=true to the database URL. If it is already \
                      set, restart Endonym after changing max_prepared_statements";

/// Looks at the causes of the error.
pub fn of(error: &dyn Error) -> Option<&'static str> {
    let mut next = error.source();
    while let Some(cause) = next {
        if let Some(remedy) = of_cause(cause) {
            return Some(remedy);
        }
        next = cause.source();
    }
    None
}

fn of_cause(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    if let Some(fault) = cause.downcast_ref::<DbError>() {
        return of_answer(fault.code(), fault.message());
    }
    // An I/O error is not the cause of itself.
    let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    match inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidCertificate(fault)) => of_certificate(fault),
        Some(_) => None,
        None => (cause.to_string() == "server does not support TLS").then_some(NOT_OFFERED),
    }
}

fn of_certificate(fault: &CertificateError) -> Option<&'static str> {
    match fault {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => Some(UNTRUSTED),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            Some(OTHER_NAME)
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => Some(EXPIRED),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => Some(NOT_YET_VALID),
        CertificateError::Other(why) => {
            why.0.to_string().contains("UnsupportedCertVersion").then_some(OLD_FORMAT)
        }
        _ => None,
    }
}

/// PgBouncer's words, and those of Amazon RDS Proxy.
pub fn refuses_settings(message: &str) -> bool {
    ["unsupported startup parameter", "command-line options"].iter().any(|words| message.contains(words))
}

/// PostgreSQL's and PgBouncer's words.
fn of_answer(code: &SqlState, message: &str) -> Option<&'static str> {
    let says = |words: &str| message.contains(words);
    let is_about_access = says("pg_hba.conf");
    if is_about_access && (says(", no encryption") || says(", SSL off")) || says("SSL required") {
        Some(DEMANDED)
    } else if is_about_access && (says(", SSL encryption") || says(", SSL on")) {
        Some(NOT_ACCEPTED)
    } else if says("requires a valid client certificate") {
        Some(NO_CLIENT_CERTIFICATE)
    } else if refuses_settings(message) {
        Some(SETTINGS)
    } else {
        let is_lost = [SqlState::INVALID_SQL_STATEMENT_NAME, SqlState::DUPLICATE_PSTATEMENT].contains(code);
        is_lost.then_some(POOLER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_leads_to_a_remedy() {
        let denied = SqlState::INVALID_AUTHORIZATION_SPECIFICATION;
        let protocol = SqlState::PROTOCOL_VIOLATION;
        let host = r#"host "10.0.0.1", user "me", database "names""#;
        for (code, message, expected) in [
            (&denied, format!("no pg_hba.conf entry for {host}, no encryption"), Some(DEMANDED)),
            (&denied, format!("no pg_hba.conf entry for {host}, SSL off"), Some(DEMANDED)),
            (
                &denied,
                format!("pg_hba.conf rejects connection for {host}, SSL encryption"),
                Some(NOT_ACCEPTED),
            ),
            (&protocol, "SSL required".to_owned(), Some(DEMANDED)),
            (
                &denied,
                "connection requires a valid client certificate".to_owned(),
                Some(NO_CLIENT_CERTIFICATE),
            ),
            (&protocol, "unsupported startup parameter: options".to_owned(), Some(SETTINGS)),
            (
                &SqlState::FEATURE_NOT_SUPPORTED,
                "Feature not supported: RDS Proxy currently doesn't support command-line options.".to_owned(),
                Some(SETTINGS),
            ),
            (
                &SqlState::INVALID_SQL_STATEMENT_NAME,
                "prepared statement \"s1\" does not exist".to_owned(),
                Some(POOLER),
            ),
            (&denied, "role \"me\" is not permitted to log in".to_owned(), None),
            (&SqlState::UNDEFINED_TABLE, "relation \"no encryption\" does not exist".to_owned(), None),
        ] {
            assert_eq!(of_answer(code, &message), expected, "{message}");
        }
    }
}

-- Single sign-on through OpenID providers (ADR 21).

-- An institution's connection to its provider. client_secret is encrypted. domains: JSON, a list of domains of accepted emails; empty
-- for all. trust_unverified_email: emails count without email_verified.
CREATE TABLE sso_connections (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    issuer TEXT NOT NULL,
    client_id TEXT NOT NULL,
    client_secret TEXT NOT NULL,
    domains TEXT NOT NULL,
    trust_unverified_email BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, id)
);
CREATE UNIQUE INDEX sso_connections_by_id ON sso_connections (id);
CREATE UNIQUE INDEX sso_connections_by_client ON sso_connections (institution_id, issuer, client_id);

-- Sign-ins that were sent to a provider and have not returned, each bound to the browser that started it. The row is deleted when the
-- provider's response arrives. The nonce and the PKCE verifier are derived from the state, of which only the digest is stored.
CREATE TABLE sso_logins (
    state_digest TEXT NOT NULL PRIMARY KEY,
    browser_digest TEXT NOT NULL,
    institution_id BIGINT NOT NULL,
    connection_id BIGINT NOT NULL,
    return_to TEXT,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sso_logins_by_connection ON sso_logins (institution_id, connection_id);
CREATE INDEX sso_logins_by_expiry ON sso_logins (expires_at);

-- Rate limits that all nodes share: one row for each caller, by the digest of its key. Used with PostgreSQL only, where the table is
-- unlogged (store/migrations.rs): a crash forgets the counts, and nodes report what they know.
CREATE TABLE rate_limits (
    digest TEXT NOT NULL PRIMARY KEY,
    window_start BIGINT NOT NULL,
    used BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    -- The permits of the last claim.
    granted BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX rate_limits_by_expiry ON rate_limits (expires_at);

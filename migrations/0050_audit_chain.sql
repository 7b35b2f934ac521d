-- Entries of the audit log are chained: a seal lists the digests of the entries of a transaction, and contains the hash of the seal before.
-- sealed: written by a version that does so. The others are sealed by a job.
ALTER TABLE audit ADD COLUMN sealed BOOLEAN NOT NULL DEFAULT FALSE;
-- Salted digests of who did it, and of what is personal in the entry. When somebody is erased, the salt is removed.
ALTER TABLE audit ADD COLUMN who_proof TEXT;
ALTER TABLE audit ADD COLUMN person_proof TEXT;
CREATE INDEX audit_unsealed ON audit (institution_id, created_at, id) WHERE NOT sealed;

CREATE TABLE audit_chains (
    institution_id BIGINT NOT NULL PRIMARY KEY,
    -- Of the newest seal
    number BIGINT NOT NULL,
    days BIGINT NOT NULL,
    hash TEXT NOT NULL,
    -- The newest seal that was removed, because the time of its entries was over
    anchor_number BIGINT NOT NULL DEFAULT 0,
    anchor_hash TEXT,
    anchor_signature TEXT,
    -- When the newest hash was written to the server's log
    logged_at BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE audit_seals (
    institution_id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    -- For how many days its entries are kept, 0 for ever: the setting of the institution when they were written
    days BIGINT NOT NULL,
    newest_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    -- Of the lines, which are NULL when the time of the entries is over
    digest TEXT NOT NULL,
    lines TEXT,
    hash TEXT NOT NULL,
    PRIMARY KEY (institution_id, number)
);
CREATE INDEX audit_seals_by_end ON audit_seals (institution_id, ends_at) WHERE lines IS NOT NULL AND days > 0;
CREATE INDEX audit_seals_forever ON audit_seals (institution_id, ends_at) WHERE lines IS NOT NULL AND days = 0;

-- The id of the key for secrets (store/secrets.rs) with which this database was used. place is always 1.
CREATE TABLE key_in_use (
    place BIGINT NOT NULL PRIMARY KEY,
    kid TEXT NOT NULL
);

UPDATE institutions SET audit_days = 30 WHERE audit_days < 30;

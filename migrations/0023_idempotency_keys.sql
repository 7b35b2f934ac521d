-- What was made by requests with an Idempotency-Key, for 24 hours. Written in the transaction that makes it. Digests only: keys and
-- bodies may contain personal data. `made` is JSON with the ids of what was made.
CREATE TABLE idempotency_keys (
    institution_id BIGINT NOT NULL,
    token_id BIGINT NOT NULL,
    key_digest TEXT NOT NULL,
    request_digest TEXT NOT NULL,
    made TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, token_id, key_digest)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Messages to be mailed. A row is written in the transaction that causes the message, and a job delivers it (ADR 19). The text is
-- rendered when it is sent, so the table contains no codes and no links. institution_id is 0 for messages of the installation.
-- occasion identifies what the message is about: a second message about the same is not enqueued. attempts only grows, and with
-- state it guards every change. answer is what the mail server said last, or why it said nothing.
CREATE TABLE outbox (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    message TEXT NOT NULL,
    occasion TEXT,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    answer TEXT,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, id)
);
CREATE UNIQUE INDEX outbox_by_occasion ON outbox (institution_id, occasion);
CREATE INDEX outbox_by_email ON outbox (institution_id, email_key);
CREATE INDEX outbox_by_state ON outbox (state, created_at);
CREATE INDEX outbox_by_age ON outbox (created_at);

-- One row: the first turn to hand a message to the mail server that no process has reserved.
CREATE TABLE mail_pace (
    id BIGINT NOT NULL PRIMARY KEY,
    next_at BIGINT NOT NULL
);
INSERT INTO mail_pace (id, next_at) VALUES (1, 0);

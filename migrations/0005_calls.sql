-- Phone calls that ask people to say their names.

-- run_at is there while the call is scheduled. attempts_allowed grows when an operator has a call made again.
CREATE TABLE calls (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    phone_number TEXT NOT NULL,
    state TEXT NOT NULL,
    run_at BIGINT,
    attempts_made BIGINT NOT NULL,
    attempts_allowed BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, id)
);
-- At most one pending call for each person.
CREATE UNIQUE INDEX calls_pending ON calls (institution_id, participant_id)
    WHERE state IN ('scheduled', 'dialing', 'in_progress');
CREATE INDEX calls_of_person ON calls (institution_id, participant_id);
CREATE INDEX calls_due ON calls (run_at, id) WHERE run_at IS NOT NULL;
CREATE INDEX calls_by_id ON calls (id);

-- An attempt is written down before anybody is called. Its lease is the proof of whoever makes it: a process, for a
-- trunk; nobody in particular, for a cloud, whose webhooks any process may answer. When `until` has passed without a
-- word, it is looked after. What has ended has neither. step is where the conversation is, counted by step_number;
-- vendor_call is the cloud's name for it. Ids are unique over all institutions.
CREATE TABLE call_attempts (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    call_id BIGINT NOT NULL,
    phone_number TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    lease TEXT,
    until BIGINT,
    vendor_call TEXT,
    step TEXT,
    step_number BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    PRIMARY KEY (institution_id, id)
);
CREATE UNIQUE INDEX call_attempts_by_id ON call_attempts (id);
CREATE INDEX call_attempts_of_call ON call_attempts (institution_id, call_id, id);
CREATE INDEX call_attempts_under_way ON call_attempts (until, phone_number) WHERE until IS NOT NULL;
CREATE INDEX call_attempts_by_time ON call_attempts (started_at);
CREATE INDEX call_attempts_of_institution ON call_attempts (institution_id, started_at);

-- What a cloud has recorded in an attempt: to be fetched, if it is kept, and removed there in any case.
CREATE TABLE call_takes (
    institution_id BIGINT NOT NULL,
    attempt_id BIGINT NOT NULL,
    recording TEXT NOT NULL,
    take BIGINT NOT NULL,
    url TEXT NOT NULL,
    PRIMARY KEY (institution_id, attempt_id, recording)
);

-- Numbers whose owners asked an institution not to call them.
CREATE TABLE do_not_call (
    institution_id BIGINT NOT NULL,
    phone_number TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, phone_number)
);

-- One row, which whoever takes the next call locks: limits are those of the whole installation.
CREATE TABLE switchboard (
    id BIGINT NOT NULL PRIMARY KEY,
    turn BIGINT NOT NULL
);
INSERT INTO switchboard (id, turn) VALUES (1, 0);

-- The language in which an institution's calls are made, where it is not the installation's.
ALTER TABLE institutions ADD COLUMN phone_language TEXT;

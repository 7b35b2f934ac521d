-- Work that is done later, and the reports of exports.

-- A job is due when run_at has come. Whoever takes it moves run_at to the end of the lease, so a dead worker's job comes
-- due again by itself; a job that has failed for good has none. attempts are counted when they begin, failures when they
-- end badly: a worker that was killed has not failed. A waiting job's waiting_key keeps a second one like it
-- away; work that comes again and again (every_micros) has one row for good. institution_id is 0 where it is
-- everybody's.
CREATE TABLE jobs (
    id BIGINT NOT NULL PRIMARY KEY,
    institution_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL,
    run_at BIGINT,
    every_micros BIGINT,
    waiting_key TEXT,
    attempts BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    lease TEXT,
    error TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX jobs_due ON jobs (run_at, id);
CREATE UNIQUE INDEX jobs_waiting ON jobs (waiting_key);

-- name_page_given is the page as the request named it. custom_fields are the names of those there were when the report
-- was made, as JSON.
CREATE TABLE exports (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    created_after BIGINT,
    updated_after BIGINT,
    name_page_given TEXT,
    name_page_id BIGINT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    custom_fields TEXT,
    PRIMARY KEY (institution_id, id)
);
CREATE INDEX exports_by_state ON exports (state, expires_at);

-- A report lies in the blob store in parts, in the order of people's ids; crc is that of what is compressed in it.
CREATE TABLE export_parts (
    institution_id BIGINT NOT NULL,
    export_id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    hex TEXT NOT NULL,
    first_id BIGINT NOT NULL,
    last_id BIGINT NOT NULL,
    plain_bytes BIGINT NOT NULL,
    crc BIGINT NOT NULL,
    PRIMARY KEY (institution_id, export_id, number)
);
CREATE UNIQUE INDEX export_parts_by_hex ON export_parts (institution_id, hex);

-- People who were deleted while a report may still have them: it is shown without them at once, and written anew.
CREATE TABLE departures (
    institution_id BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    token TEXT NOT NULL,
    PRIMARY KEY (institution_id, participant_id)
);

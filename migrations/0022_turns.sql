-- Institutions take turns (ADR 9). Each lane has a cursor: the institution that was served last, 0 for jobs of the installation. The next one
-- that waits is served next, by id, and the first one after the last. turn grows with each turn of any lane: the lane with the lowest one
-- was served least recently. Numbers and not times, because the clocks of several machines differ.
CREATE TABLE turns (
    lane TEXT NOT NULL PRIMARY KEY,
    institution_id BIGINT NOT NULL,
    turn BIGINT NOT NULL
);
INSERT INTO turns (lane, institution_id, turn) VALUES
    ('interactive', -1, 1), ('background', -1, 2), ('sync', -1, 3), ('mail', -1, 4), ('bulk_mail', -1, 5), ('calls', -1, 6);

-- The institutions with jobs of a kind are found by skipping from one to the next, however many jobs each of them has.
CREATE INDEX jobs_by_institution ON jobs (kind, institution_id, run_at, id) WHERE run_at IS NOT NULL;
-- The same for calls.
CREATE INDEX calls_by_institution ON calls (institution_id, run_at, id) WHERE run_at IS NOT NULL;

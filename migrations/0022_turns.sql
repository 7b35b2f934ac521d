-- Institutions take turns (ADR 9). turn is the number of the last turn of an institution in a lane: the lowest one is served next, and an
-- institution without a row comes first. Numbers and not times, because the clocks of several machines differ. institution_id is 0 for
-- jobs of the installation.
CREATE TABLE turns (
    lane TEXT NOT NULL,
    institution_id BIGINT NOT NULL,
    turn BIGINT NOT NULL,
    PRIMARY KEY (lane, institution_id)
);
CREATE INDEX turns_by_number ON turns (turn);

-- The institutions with jobs of a kind are found by skipping from one to the next, however many jobs each of them has.
CREATE INDEX jobs_by_institution ON jobs (kind, institution_id, run_at, id) WHERE run_at IS NOT NULL;
-- The same for calls.
CREATE INDEX calls_by_institution ON calls (institution_id, run_at, id) WHERE run_at IS NOT NULL;

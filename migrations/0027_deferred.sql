-- A job or call that is not due yet is deferred. Whoever looks for the next institution with due ones skips what is deferred, and so the
-- institutions that have nothing else. This is a hint, and run_at decides: before anybody looks, what has become due is deferred no more.
-- Nodes of the version before neither write nor read it.
ALTER TABLE jobs ADD COLUMN deferred BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE calls ADD COLUMN deferred BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE jobs SET deferred = TRUE WHERE state = 'waiting';
UPDATE calls SET deferred = TRUE WHERE run_at IS NOT NULL;
-- What has become due.
CREATE INDEX jobs_deferred ON jobs (run_at, id) WHERE deferred = TRUE AND run_at IS NOT NULL;
CREATE INDEX calls_deferred ON calls (run_at, id) WHERE deferred = TRUE AND run_at IS NOT NULL;
-- From one institution to the next.
CREATE INDEX jobs_in_turn ON jobs (kind, institution_id, run_at, id) WHERE deferred = FALSE AND run_at IS NOT NULL;
CREATE INDEX calls_in_turn ON calls (institution_id, run_at, id) WHERE deferred = FALSE AND run_at IS NOT NULL;

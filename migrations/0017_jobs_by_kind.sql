-- A worker looks for the next job of each kind that it runs, without reading due jobs of other kinds.
CREATE INDEX jobs_by_kind ON jobs (kind, run_at, id);

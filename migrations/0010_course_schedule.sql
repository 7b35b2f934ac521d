-- Courses that are synchronized by themselves, and rosters that are held back.

-- sync_schedule is nightly, hourly or off.
ALTER TABLE tool_consumers ADD COLUMN sync_schedule TEXT NOT NULL DEFAULT 'nightly';

-- next_sync_at is when the schedule has the course synchronized next; NULL until that is worked out. accept_losses is set by
-- an operator who confirms that a roster may lose most of the people on the page, and holds for one attempt.
ALTER TABLE courses ADD COLUMN next_sync_at BIGINT;
ALTER TABLE courses ADD COLUMN accept_losses BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX courses_by_next_sync ON courses (institution_id, tool_consumer_id, next_sync_at);

-- Lists and counts of the console that would read a million rows to find a few: messages in a state or to an address, jobs that were given
-- up, calls that are being made or are over, and cases that were decided.
CREATE INDEX outbox_in_state ON outbox (institution_id, state, id);
CREATE INDEX outbox_to_address ON outbox (institution_id, email_key, id);
CREATE INDEX jobs_dead ON jobs (institution_id, id) WHERE run_at IS NULL;
CREATE INDEX calls_under_way ON calls (institution_id, id) WHERE run_at IS NULL AND state IN ('scheduled', 'dialing', 'in_progress');
CREATE INDEX calls_over ON calls (institution_id, id) WHERE NOT (state IN ('scheduled', 'dialing', 'in_progress'));
CREATE INDEX moderation_decided ON moderation (institution_id, id) WHERE state <> 'open';
CREATE INDEX moderation_decided_on_page ON moderation (institution_id, name_page_id, id) WHERE state <> 'open';

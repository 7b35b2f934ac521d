-- The name page that a message is about: its managers see it. NULL for other messages, and for those of earlier versions.
ALTER TABLE outbox ADD COLUMN name_page_id BIGINT;
CREATE INDEX outbox_by_page ON outbox (institution_id, name_page_id, id);

-- How many people are in a part of a report, and how many the whole report will have, if that was known when it was begun. NULL if a
-- node of an earlier version has written it.
ALTER TABLE export_parts ADD COLUMN records BIGINT;
ALTER TABLE exports ADD COLUMN people_total BIGINT;

-- The name page that a message is about: its managers see it. NULL for other messages, and for those of earlier versions.
ALTER TABLE outbox ADD COLUMN name_page_id BIGINT;
CREATE INDEX outbox_by_page ON outbox (institution_id, name_page_id, id);

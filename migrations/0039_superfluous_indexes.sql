-- Every write paid for these indexes, and others serve their queries: participants_newest is the same as participants_by_recording, and
-- outbox_to_address begins with the columns of outbox_by_email.
DROP INDEX participants_by_recording;
DROP INDEX outbox_by_email;

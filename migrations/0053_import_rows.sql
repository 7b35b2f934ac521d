-- How often the file of an import was changed because somebody was erased, and how many of its rows have left with them.
ALTER TABLE imports ADD COLUMN file_version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN rows_removed BIGINT NOT NULL DEFAULT 0;

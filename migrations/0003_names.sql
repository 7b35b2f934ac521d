-- What names are looked up by: trimmed, without regard to case, however their letters were composed. The two databases
-- fold case differently, so the program fills these for the people who are there already (store/migrations.rs).
ALTER TABLE participants ADD COLUMN first_name_key TEXT;
ALTER TABLE participants ADD COLUMN last_name_key TEXT;
-- Page and id are the order in which a common name is read in parts.
CREATE INDEX participants_by_first_name ON participants (institution_id, first_name_key, name_page_id, id);
CREATE INDEX participants_by_last_name ON participants (institution_id, last_name_key, name_page_id, id, first_name_key);

-- Which pages are open to version 2: anybody may ask, so it must cost little.
CREATE INDEX name_pages_by_openness ON name_pages (institution_id, allow_v2, id);

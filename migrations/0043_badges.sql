-- What badges show besides name, spelling, pronouns and picture: nothing, until an admin says so. The previous version ignores both and
-- shows everything, as before.
ALTER TABLE custom_fields ADD COLUMN on_badge BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE institutions ADD COLUMN notes_on_badge BOOLEAN NOT NULL DEFAULT FALSE;

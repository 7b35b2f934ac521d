-- What held before a person paused: if it was everybody, their links are renewed when they go on for people of the institution only. NULL
-- stands for everybody. The previous version ignores it.
ALTER TABLE persons ADD COLUMN audience_before_pause TEXT;

-- What the names of registrations in links are derived from (ADR 29). Made when it is needed for the first time. The previous version
-- ignores it, and addresses players by the public token, as before.
ALTER TABLE institutions ADD COLUMN link_secret TEXT;

-- Who made a token: an email address, or 'operator'. NULL for tokens of before, and for makers who were erased
ALTER TABLE tokens ADD COLUMN created_by TEXT;
-- The key of that address, if a member made it. Empty if the member was erased
ALTER TABLE tokens ADD COLUMN maker_key TEXT;

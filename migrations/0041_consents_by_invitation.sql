-- How a person has agreed: NULL for a person who had signed in, `invitation` for whoever opened their personal link.
ALTER TABLE consents ADD COLUMN via TEXT;
-- The person has signed in since somebody agreed with their personal link. The consent counts no longer, and they are asked themselves.
ALTER TABLE consents ADD COLUMN asked_again BOOLEAN NOT NULL DEFAULT FALSE;

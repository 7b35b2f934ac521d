-- The institution whose redirect URI for single sign-on is the short one, /sso/callback: the first that connected a provider. Every other
-- institution has one of its own (ADR 21). place is always 1.
CREATE TABLE sso_short_redirect (
    place BIGINT NOT NULL PRIMARY KEY,
    institution_id BIGINT NOT NULL
);
INSERT INTO sso_short_redirect (place, institution_id)
    SELECT 1, institution_id FROM sso_connections WHERE id = (SELECT MIN(id) FROM sso_connections);

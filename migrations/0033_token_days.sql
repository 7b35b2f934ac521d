-- How many requests each access token sent, without anything about what was asked. day is a date in the institution's time zone.
CREATE TABLE token_days (
    institution_id BIGINT NOT NULL,
    token_id BIGINT NOT NULL,
    day TEXT NOT NULL,
    requests BIGINT NOT NULL,
    PRIMARY KEY (institution_id, token_id, day)
);
CREATE INDEX token_days_by_day ON token_days (day);
-- The token that has replaced this one (rotation). This one goes on working until it expires.
ALTER TABLE tokens ADD COLUMN replaced_by BIGINT;

-- How often recordings were played (ADR 22), without anything about who listened. day is a date in the institution's time zone.
-- source is badge, player, link or lti. site is the host name of the website with the player: '' if it is unknown, '*' for all
-- others once a recording has been played on many sites in a day.
CREATE TABLE plays (
    institution_id BIGINT NOT NULL,
    recording TEXT NOT NULL,
    participant_id BIGINT NOT NULL,
    day TEXT NOT NULL,
    source TEXT NOT NULL,
    site TEXT NOT NULL,
    times BIGINT NOT NULL,
    PRIMARY KEY (institution_id, recording, day, source, site)
);
CREATE INDEX plays_by_participant ON plays (institution_id, participant_id, day);
CREATE INDEX plays_by_day ON plays (day);

-- The console: how far pages were on earlier days, the operator's sessions, and indexes for what its pages show.

-- The figures of a page at the end of a day, or of the whole institution (name_page_id 0). day counts from 1970-01-01. A page has a row only
-- for days on which its figures have changed.
CREATE TABLE coverage_days (
    institution_id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    day BIGINT NOT NULL,
    registered BIGINT NOT NULL,
    recorded BIGINT NOT NULL,
    invited BIGINT NOT NULL,
    PRIMARY KEY (institution_id, name_page_id, day)
);

-- The figures of the newest row of a page in coverage_days, -1 before the first.
ALTER TABLE coverage ADD COLUMN noted_registered BIGINT NOT NULL DEFAULT -1;
ALTER TABLE coverage ADD COLUMN noted_recorded BIGINT NOT NULL DEFAULT -1;
ALTER TABLE coverage ADD COLUMN noted_invited BIGINT NOT NULL DEFAULT -1;

-- Single-use links that open an operator's session, and these sessions. digest is that of the secret in the link, or in the cookie.
CREATE TABLE operator_links (
    digest TEXT NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE TABLE operator_sessions (
    digest TEXT NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

-- Somebody has closed the first steps of a new institution.
ALTER TABLE institutions ADD COLUMN start_dismissed BOOLEAN NOT NULL DEFAULT FALSE;

-- The newest recordings of an institution, and of a page.
CREATE INDEX participants_newest ON participants (institution_id, recorded_at, id) WHERE recorded_at > 0;
CREATE INDEX participants_newest_on_page ON participants (institution_id, name_page_id, recorded_at, id) WHERE recorded_at > 0;

-- What waits for a decision, among cases that were decided.
CREATE INDEX moderation_open ON moderation (institution_id, id) WHERE state = 'open';

-- Institutions, their tokens, name pages, custom fields and people.
-- One text for SQLite and PostgreSQL: TEXT, BIGINT, BOOLEAN; times are microseconds since 1970; JSON is TEXT.
-- The institution leads every key. Only slugs, codes and token digests are unique across institutions.

CREATE TABLE institutions (
    id BIGINT NOT NULL PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    access_code TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    multiple_recordings BOOLEAN NOT NULL,
    rate_limit BIGINT,
    created_at BIGINT NOT NULL
);

CREATE TABLE allowed_origins (
    institution_id BIGINT NOT NULL,
    origin TEXT NOT NULL,
    PRIMARY KEY (institution_id, origin)
);
CREATE INDEX allowed_origins_by_origin ON allowed_origins (origin);

CREATE TABLE tokens (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    PRIMARY KEY (institution_id, id)
);
CREATE UNIQUE INDEX tokens_by_digest ON tokens (digest);

CREATE TABLE name_pages (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    title TEXT NOT NULL,
    slug TEXT NOT NULL,
    event_code TEXT NOT NULL,
    access_code TEXT NOT NULL,
    allow_v2 BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, id)
);

-- Everything that names a page or an institution from outside, case-folded: page ids, slugs, event codes, access
-- codes. One table, so that a reference can never mean two things. name_page_id is 0 for an institution's own code.
CREATE TABLE codes (
    code TEXT NOT NULL PRIMARY KEY,
    institution_id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL
);
CREATE INDEX codes_by_owner ON codes (institution_id, name_page_id);

CREATE TABLE custom_fields (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, id)
);
CREATE UNIQUE INDEX custom_fields_by_name ON custom_fields (institution_id, name);

-- How many people an institution (name_page_id 0) or a page has, and the next place to give. Its row for the
-- institution is also the lock that every write of people takes first.
CREATE TABLE rolls (
    institution_id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    next_place BIGINT NOT NULL,
    members BIGINT NOT NULL,
    PRIMARY KEY (institution_id, name_page_id)
);

-- Places that deleted people left empty, counted in buckets of 2^shift places.
CREATE TABLE roll_gaps (
    institution_id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    shift BIGINT NOT NULL,
    bucket BIGINT NOT NULL,
    missing BIGINT NOT NULL,
    PRIMARY KEY (institution_id, name_page_id, shift, bucket)
);

-- id is the place in the institution's roll, page_place that in the page's. recorded_at is 0 without a recording, so
-- that "recorded first, newest first" is one order on both databases, which sort NULL differently.
CREATE TABLE participants (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    page_place BIGINT NOT NULL,
    token TEXT NOT NULL,
    first_name TEXT,
    last_name TEXT,
    email TEXT,
    email_key TEXT,
    identifier TEXT,
    identifier_key TEXT,
    phonetic TEXT,
    notes TEXT,
    phone_number TEXT,
    recording TEXT,
    recorded_at BIGINT NOT NULL,
    legal_first_name TEXT,
    legal_last_name TEXT,
    legal_middle_name TEXT,
    legal_phonetic TEXT,
    legal_notes TEXT,
    legal_recording TEXT,
    legal_recorded_at BIGINT NOT NULL,
    custom TEXT,
    custom_changed_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, id)
);
CREATE UNIQUE INDEX participants_on_page ON participants (institution_id, name_page_id, page_place);
CREATE UNIQUE INDEX participants_on_page_by_email ON participants (institution_id, name_page_id, email_key);
CREATE UNIQUE INDEX participants_by_token ON participants (institution_id, token);
CREATE INDEX participants_by_email ON participants (institution_id, email_key, recorded_at, id);
CREATE INDEX participants_by_identifier ON participants (institution_id, identifier_key, recorded_at, id);
CREATE INDEX participants_by_update ON participants (institution_id, updated_at, id);

-- People as visitors of their own pages. A person is an email in an institution; their registrations on name pages are rows of
-- `participants` with the same email_key.

-- What a person has chosen. audience is public, institution or paused; NULL or no row: the institution's default at the time when
-- they were registered first. language is a BCP 47 tag.
CREATE TABLE persons (
    institution_id BIGINT NOT NULL,
    email_key TEXT NOT NULL,
    audience TEXT,
    language TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, email_key)
);

-- Browser sessions outside of learning systems. digest is that of the secret in the cookie. how is mail, link, handover, oidc or
-- proxy. sso_session and id_token (encrypted) are what signing out at an OpenID provider needs.
CREATE TABLE sessions (
    digest TEXT NOT NULL PRIMARY KEY,
    institution_id BIGINT NOT NULL,
    email_key TEXT NOT NULL,
    how TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    sso_id BIGINT,
    sso_session TEXT,
    id_token TEXT
);
CREATE INDEX sessions_by_person ON sessions (institution_id, email_key);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- A request for a sign-in mail, bound to the browser that made it. institution_id is the one that was named, if any. The digests
-- of the code (keyed, because a code is short) and of the link are set when the mail is sent. proven_at: the code or the link was
-- right, and from then on browser_digest is the browser that proved it; used_at: it has opened a session.
CREATE TABLE sign_in_requests (
    id BIGINT NOT NULL PRIMARY KEY,
    browser_digest TEXT NOT NULL,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    institution_id BIGINT,
    language TEXT NOT NULL,
    return_to TEXT,
    code_digest TEXT,
    link_digest TEXT,
    tries BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    proven_at BIGINT,
    used_at BIGINT
);
CREATE UNIQUE INDEX sign_in_requests_by_link ON sign_in_requests (link_digest) WHERE link_digest IS NOT NULL;
CREATE INDEX sign_in_requests_by_browser ON sign_in_requests (browser_digest);
CREATE INDEX sign_in_requests_by_expiry ON sign_in_requests (expires_at);
CREATE INDEX sign_in_requests_by_email ON sign_in_requests (email_key);

-- How many sign-in mails were requested for an address, known or not: recently and within a day. digest is that of the address.
CREATE TABLE sign_in_counts (
    digest TEXT NOT NULL PRIMARY KEY,
    recent_since BIGINT NOT NULL,
    recent BIGINT NOT NULL,
    day_since BIGINT NOT NULL,
    day BIGINT NOT NULL
);
CREATE INDEX sign_in_counts_by_age ON sign_in_counts (day_since);

-- Single-use links that sign a known person in: printed by the operator (purpose `operator`), or shown as a QR code to continue
-- on another device (`handover`). recorded_at: a recording was made in the session that the link opened.
CREATE TABLE sign_in_links (
    digest TEXT NOT NULL PRIMARY KEY,
    id BIGINT NOT NULL,
    institution_id BIGINT NOT NULL,
    email_key TEXT NOT NULL,
    purpose TEXT NOT NULL,
    return_to TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    recorded_at BIGINT
);
CREATE UNIQUE INDEX sign_in_links_by_id ON sign_in_links (institution_id, id);
CREATE INDEX sign_in_links_by_person ON sign_in_links (institution_id, email_key);
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_at);

-- What an institution shows before the first recording, instead of the text that comes with the software. texts: JSON, a text for
-- each language tag. The newest version is the one in force.
CREATE TABLE consent_texts (
    institution_id BIGINT NOT NULL,
    version TEXT NOT NULL,
    texts TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, version)
);

CREATE TABLE consents (
    institution_id BIGINT NOT NULL,
    email_key TEXT NOT NULL,
    version TEXT NOT NULL,
    language TEXT NOT NULL,
    consented_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, email_key, version)
);

-- Registrations whose recordings are paused. Those without an email may belong to a person who has paused, too.
CREATE TABLE paused_participants (
    institution_id BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    PRIMARY KEY (institution_id, participant_id)
);

-- The audience of people who have not chosen one, by the time of their first registration. Before the first row: public.
CREATE TABLE audience_defaults (
    institution_id BIGINT NOT NULL,
    since BIGINT NOT NULL,
    audience TEXT NOT NULL,
    PRIMARY KEY (institution_id, since)
);

-- What people of an institution may choose; its looks and language. audiences: those permitted, separated by commas.
-- starts_with_newest: a new registration starts with the newest recording of the person. logo is a JPEG
-- file (see store/looks.rs), accent a color such as #1a5fb4.
ALTER TABLE institutions ADD COLUMN audiences TEXT NOT NULL DEFAULT 'public,institution,paused';
ALTER TABLE institutions ADD COLUMN starts_with_newest BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE institutions ADD COLUMN language TEXT;
ALTER TABLE institutions ADD COLUMN logo TEXT;
ALTER TABLE institutions ADD COLUMN accent TEXT;
-- People may edit this field in their own entry.
ALTER TABLE custom_fields ADD COLUMN editable BOOLEAN NOT NULL DEFAULT FALSE;

-- Learning systems: who they are, their courses, who is enrolled, and the LTI 1.3 tool.

-- kind is canvas, moodle or lti. url is what the system is reached at; for lti it is the issuer. token_digest is that of the
-- api_token that callers send. access_token is sealed (store/secrets.rs). product is the word that an lti system's path may
-- have besides `lms`. roles are those whose holders are on a roster, as JSON; frame_ancestors the origins that may show our
-- pages inside theirs, as JSON.
CREATE TABLE tool_consumers (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    url TEXT NOT NULL,
    product TEXT,
    token_digest TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    roles TEXT NOT NULL,
    access_token TEXT,
    client_id TEXT,
    auth_url TEXT,
    token_url TEXT,
    token_audience TEXT,
    jwks_url TEXT,
    frame_ancestors TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, id)
);
CREATE UNIQUE INDEX tool_consumers_by_id ON tool_consumers (id);
CREATE UNIQUE INDEX tool_consumers_by_token ON tool_consumers (token_digest);
-- An issuer and a client are one registration, whoever's it is: a launch says nothing else of where it comes from.
CREATE UNIQUE INDEX tool_consumers_by_client ON tool_consumers (url, client_id) WHERE client_id IS NOT NULL;

CREATE TABLE lti_deployments (
    institution_id BIGINT NOT NULL,
    tool_consumer_id BIGINT NOT NULL,
    deployment_id TEXT NOT NULL,
    PRIMARY KEY (institution_id, tool_consumer_id, deployment_id)
);

-- A course is found again by external_id, the system's own id for it, whatever form a caller has named it in. job_id is the
-- job that synchronises it, as long as there is one in `jobs`. error says why the last attempt has failed; note is what an
-- operator should know of the last one that has not.
CREATE TABLE courses (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    tool_consumer_id BIGINT NOT NULL,
    external_id TEXT NOT NULL,
    title TEXT NOT NULL,
    name_page_id BIGINT NOT NULL,
    memberships_url TEXT,
    job_id BIGINT,
    synced_at BIGINT,
    error TEXT,
    note TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, id)
);
CREATE UNIQUE INDEX courses_by_external_id ON courses (institution_id, tool_consumer_id, external_id);
CREATE UNIQUE INDEX courses_by_page ON courses (institution_id, name_page_id);

-- Who somebody on a course's page is in the learning system. photo_url is where their picture was copied from, and photo what
-- it became: as long as that is theirs, it is the learning system's to take away; a photo_url without it is one that cannot
-- be had. joined_at says when they have come by themselves: a roster that was asked for before does not know them yet.
CREATE TABLE course_members (
    institution_id BIGINT NOT NULL,
    course_id BIGINT NOT NULL,
    user_id TEXT NOT NULL,
    participant_id BIGINT NOT NULL,
    photo_url TEXT,
    photo TEXT,
    joined_at BIGINT,
    PRIMARY KEY (institution_id, course_id, user_id)
);
CREATE UNIQUE INDEX course_members_by_participant ON course_members (institution_id, participant_id);

-- People who have left a course: their whole rows of `participants`, which nothing that is asked of people sees, until they
-- come back to the same places. Links to what they have recorded are dead meanwhile.
CREATE TABLE hidden_participants (
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
    photo TEXT,
    badge_listed BOOLEAN NOT NULL,
    first_name_key TEXT,
    last_name_key TEXT,
    PRIMARY KEY (institution_id, id)
);
CREATE INDEX hidden_participants_on_page ON hidden_participants (institution_id, name_page_id);
CREATE INDEX hidden_participants_by_email ON hidden_participants (institution_id, email_key, recorded_at);
CREATE INDEX hidden_participants_by_identifier ON hidden_participants (institution_id, identifier_key, recorded_at);
ALTER TABLE media ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT FALSE;

-- The tool's own keys, sealed; public_key is what /lti/jwks.json says of one.
CREATE TABLE lti_keys (
    kid TEXT NOT NULL PRIMARY KEY,
    private_key TEXT NOT NULL,
    public_key TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- A launch that has begun: the digests of its state and of the browser's cookie, the nonce that the id_token must bring, and
-- what the platform asked with, to begin anew in a window of its own. It is good once: used_at says when it was used.
CREATE TABLE lti_logins (
    state_digest TEXT NOT NULL PRIMARY KEY,
    browser_digest TEXT NOT NULL,
    institution_id BIGINT NOT NULL,
    tool_consumer_id BIGINT NOT NULL,
    nonce TEXT NOT NULL,
    asked TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX lti_logins_by_expiry ON lti_logins (expires_at);

-- What a launch has led to, bound to the same browser. role is staff or student; user_digest is that of who launched, as the
-- platform calls them; participant_id is a student's own entry;
-- deep_link is what the answer to a deep linking request needs, as JSON.
CREATE TABLE lti_sessions (
    session_digest TEXT NOT NULL PRIMARY KEY,
    browser_digest TEXT NOT NULL,
    institution_id BIGINT NOT NULL,
    tool_consumer_id BIGINT NOT NULL,
    course_id BIGINT,
    participant_id BIGINT,
    role TEXT NOT NULL,
    user_digest TEXT NOT NULL,
    deep_link TEXT,
    expires_at BIGINT NOT NULL
);
CREATE INDEX lti_sessions_by_expiry ON lti_sessions (expires_at);
CREATE INDEX lti_sessions_by_browser ON lti_sessions (browser_digest, tool_consumer_id);

-- One-time links by which a platform registers itself with an institution. tool_consumer_id is what one has led to; one that
-- was used and has led to nothing is free again after some minutes.
CREATE TABLE lti_invites (
    digest TEXT NOT NULL PRIMARY KEY,
    institution_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    tool_consumer_id BIGINT
);

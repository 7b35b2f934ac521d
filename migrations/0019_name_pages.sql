-- Name pages on the web: who runs them, their settings, registrations, invitations, moderation, and imports that can be undone.

-- Members of an institution. role is owner, admin, manager or reader. Managers and readers have the pages in member_pages.
CREATE TABLE members (
    institution_id BIGINT NOT NULL,
    email_key TEXT NOT NULL,
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, email_key)
);
CREATE INDEX members_by_email ON members (email_key);

CREATE TABLE member_pages (
    institution_id BIGINT NOT NULL,
    email_key TEXT NOT NULL,
    name_page_id BIGINT NOT NULL,
    PRIMARY KEY (institution_id, email_key, name_page_id)
);
CREATE INDEX member_pages_by_page ON member_pages (institution_id, name_page_id);

-- Settings of a page. date is YYYY-MM-DD. register is invited, domain, code or open; domains is a JSON list. listen is managers,
-- registered, institution or link. moderation is off or hold. asked: JSON, which fields are asked for. take_seconds: the longest
-- recording. delete_after_days: recordings are deleted so many days after date; announced_at: when people began to be told.
ALTER TABLE name_pages ADD COLUMN description TEXT;
ALTER TABLE name_pages ADD COLUMN date TEXT;
ALTER TABLE name_pages ADD COLUMN register TEXT NOT NULL DEFAULT 'invited';
ALTER TABLE name_pages ADD COLUMN domains TEXT NOT NULL DEFAULT '[]';
ALTER TABLE name_pages ADD COLUMN listen TEXT NOT NULL DEFAULT 'registered';
ALTER TABLE name_pages ADD COLUMN moderation TEXT NOT NULL DEFAULT 'off';
ALTER TABLE name_pages ADD COLUMN closes_at BIGINT;
ALTER TABLE name_pages ADD COLUMN asked TEXT NOT NULL DEFAULT '{}';
ALTER TABLE name_pages ADD COLUMN take_seconds BIGINT;
ALTER TABLE name_pages ADD COLUMN delete_after_days BIGINT;
ALTER TABLE name_pages ADD COLUMN announced_at BIGINT;
ALTER TABLE name_pages ADD COLUMN archived_at BIGINT;
CREATE INDEX name_pages_by_retention ON name_pages (institution_id, id) WHERE delete_after_days IS NOT NULL;

-- When people were told that their recordings on a page will be deleted. A recording that is newer than that is not deleted yet.
CREATE TABLE retention_notices (
    institution_id BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    announced_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, participant_id)
);
CREATE INDEX retention_notices_on_page ON retention_notices (institution_id, name_page_id);

-- How many people of a page have a recording, audible or paused, and how many have an invitation that was not withdrawn. The number
-- of people is in rolls.
CREATE TABLE coverage (
    institution_id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    recorded BIGINT NOT NULL,
    invited BIGINT NOT NULL,
    PRIMARY KEY (institution_id, name_page_id)
);
INSERT INTO coverage (institution_id, name_page_id, recorded, invited)
    SELECT n.institution_id, n.id, (SELECT COUNT(*) FROM participants p JOIN media m
        ON m.institution_id = p.institution_id AND m.participant_id = p.id AND m.kind = 'recording'
        WHERE p.institution_id = n.institution_id AND p.name_page_id = n.id), 0
    FROM name_pages n;

-- Emails that have been proven and may register on a page. Removed after registering, or after a day.
CREATE TABLE admissions (
    institution_id BIGINT NOT NULL,
    email_key TEXT NOT NULL,
    name_page_id BIGINT NOT NULL,
    email TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, email_key, name_page_id)
);
CREATE INDEX admissions_by_email ON admissions (email_key);
CREATE INDEX admissions_by_age ON admissions (created_at);
-- The page on which somebody wants to register.
ALTER TABLE sign_in_requests ADD COLUMN name_page_id BIGINT;

-- Personal links to a page. The link is derived from the id and the generation, so there is no secret here; a new generation
-- voids the links before it.
CREATE TABLE invitations (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    first_name TEXT,
    last_name TEXT,
    language TEXT,
    generation BIGINT NOT NULL,
    base_url TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    sent_at BIGINT,
    opened_at BIGINT,
    registered_at BIGINT,
    withdrawn_at BIGINT,
    reminders BIGINT NOT NULL DEFAULT 0,
    reminded_at BIGINT,
    next_reminder_at BIGINT,
    PRIMARY KEY (institution_id, id)
);
CREATE UNIQUE INDEX invitations_on_page ON invitations (institution_id, name_page_id, email_key);
CREATE INDEX invitations_in_order ON invitations (institution_id, name_page_id, id);
-- The link has the id alone. Its proof decides between institutions.
CREATE INDEX invitations_by_id ON invitations (id);
CREATE INDEX invitations_by_email ON invitations (email_key);
CREATE INDEX invitations_by_reminder ON invitations (next_reminder_at);

-- People who want no mail of an institution but sign-in codes, and addresses that a mail server has rejected for good.
CREATE TABLE mail_opt_outs (
    institution_id BIGINT NOT NULL,
    email_key TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, email_key)
);
CREATE TABLE mail_bounces (
    institution_id BIGINT NOT NULL,
    email_key TEXT NOT NULL,
    answer TEXT NOT NULL,
    bounced_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, email_key)
);

-- How many transactions have taken the lock of the institution (name_page_id 0): who has read the people of a page can tell
-- whether they may have changed since.
ALTER TABLE rolls ADD COLUMN writes BIGINT NOT NULL DEFAULT 0;

-- When a person was last asked by a listener for a recording. Such messages can be switched off.
CREATE TABLE recording_requests (
    institution_id BIGINT NOT NULL,
    email_key TEXT NOT NULL,
    requested_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, email_key)
);
ALTER TABLE persons ADD COLUMN no_requests BOOLEAN NOT NULL DEFAULT FALSE;

-- An institution's own subject and text of a message, instead of those that come with the software.
CREATE TABLE mail_texts (
    institution_id BIGINT NOT NULL,
    message TEXT NOT NULL,
    language TEXT NOT NULL,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, message, language)
);

-- Recordings that are held until a manager approves them, and complaints about recordings (kind held or report). state is open,
-- approved, rejected, removed, dismissed or restored. hex is the recording's. reports: how many listeners have complained. purge_at:
-- when a decided case is deleted for good, with the recording that was rejected or removed.
CREATE TABLE moderation (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    hex TEXT NOT NULL,
    state TEXT NOT NULL,
    complaint TEXT,
    sentence TEXT,
    reports BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    decided_at BIGINT,
    decided_by TEXT,
    reason TEXT,
    purge_at BIGINT,
    PRIMARY KEY (institution_id, id)
);
CREATE INDEX moderation_on_page ON moderation (institution_id, name_page_id, state, id);
CREATE INDEX moderation_by_participant ON moderation (institution_id, participant_id);
CREATE INDEX moderation_by_purge ON moderation (purge_at);

-- Imports of files. state is uploaded, checking, checked, waiting, running, done, failed, undoing or undone. mapping and report are JSON.
-- starts_with_newest: whoever started it has all pages of the institution, so new people start with what they have recorded on others.
-- fault: why the file could not be read. beginning: JSON, what an uploaded file begins with, as long as the file is there.
CREATE TABLE imports (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    state TEXT NOT NULL,
    file_name TEXT NOT NULL,
    mapping TEXT NOT NULL,
    starts_with_newest BOOLEAN NOT NULL,
    rows_done BIGINT NOT NULL,
    rows_total BIGINT,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    unchanged BIGINT NOT NULL,
    refused BIGINT NOT NULL,
    report TEXT,
    fault TEXT,
    beginning TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, id)
);
CREATE INDEX imports_on_page ON imports (institution_id, name_page_id, id);
CREATE INDEX imports_by_age ON imports (created_at);
-- What an import changed: before is the record as JSON, NULL for somebody who was created. recording is added or replaced if the import
-- brought one. changed_at is the updated_at of the participant afterward: if it is another, somebody has changed them since.
CREATE TABLE import_changes (
    institution_id BIGINT NOT NULL,
    import_id BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    before TEXT,
    recording TEXT,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, import_id, participant_id)
);
CREATE INDEX import_changes_by_participant ON import_changes (institution_id, participant_id);
-- A file that was uploaded, in Base64, until it is imported or a day has passed.
CREATE TABLE import_files (
    institution_id BIGINT NOT NULL,
    import_id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    bytes TEXT NOT NULL,
    PRIMARY KEY (institution_id, import_id, number)
);

-- Entries of strangers on pages with moderation: nobody but managers sees them until one of them has approved them. The same is true for
-- entries that managers have removed after a report. What such an entry shows is in the API as before, for tokens.
ALTER TABLE participants ADD COLUMN held BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE hidden_participants ADD COLUMN held BOOLEAN NOT NULL DEFAULT FALSE;

-- The cases about whole entries, with the columns of moderation. They have a table of their own because nodes of the previous version
-- delete cases without a recording. hex identifies the change that waits for approval.
CREATE TABLE entry_cases (
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
CREATE INDEX entry_cases_on_page ON entry_cases (institution_id, name_page_id, state, id);
CREATE INDEX entry_cases_by_participant ON entry_cases (institution_id, participant_id);
CREATE INDEX entry_cases_by_purge ON entry_cases (purge_at);
CREATE INDEX entry_cases_open ON entry_cases (institution_id, id) WHERE state = 'open';
CREATE INDEX entry_cases_decided ON entry_cases (institution_id, id) WHERE state <> 'open';
CREATE INDEX entry_cases_decided_on_page ON entry_cases (institution_id, name_page_id, id) WHERE state <> 'open';

-- Who changed what, when and from where. Rows are added, deleted when their time is over, and cleared of a person's data when that person
-- is erased. Nothing else changes them. There is no trigger that prevents it: the two databases have no common text for one.
CREATE TABLE audit (
    institution_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    id BIGINT NOT NULL,
    act TEXT NOT NULL,
    who_kind TEXT NOT NULL,
    who_name TEXT,
    who_id BIGINT,
    -- A network, or 'shell'
    origin TEXT,
    subject_kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    subject_label TEXT NOT NULL,
    -- Whose data was changed
    email_key TEXT,
    -- JSON objects with the changed fields
    old_values TEXT,
    new_values TEXT,
    PRIMARY KEY (institution_id, created_at, id)
);
CREATE INDEX audit_by_person ON audit (institution_id, email_key, created_at, id) WHERE email_key IS NOT NULL;
CREATE INDEX audit_by_subject ON audit (institution_id, subject_kind, subject_id, created_at, id);
-- Not what API clients do, which is most
CREATE INDEX audit_by_people ON audit (institution_id, who_name, created_at, id) WHERE who_kind IN ('member', 'person');

-- NULL keeps entries forever
ALTER TABLE institutions ADD COLUMN audit_days BIGINT DEFAULT 730;

-- Who has started or undone it, as JSON: a job does the work
ALTER TABLE imports ADD COLUMN author TEXT;

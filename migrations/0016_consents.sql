-- A person can withdraw a consent. The row is kept: it is the record of what they had agreed to.
ALTER TABLE consents ADD COLUMN withdrawn_at BIGINT;

-- Consents of people whose registration has no email.
CREATE TABLE participant_consents (
    institution_id BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    version TEXT NOT NULL,
    language TEXT NOT NULL,
    consented_at BIGINT NOT NULL,
    withdrawn_at BIGINT,
    PRIMARY KEY (institution_id, participant_id, version)
);

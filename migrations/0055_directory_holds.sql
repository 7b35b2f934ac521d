-- The institution tells the public nothing about the person (FERPA). All registrations of a person have the same
ALTER TABLE participants ADD COLUMN directory_hold BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE hidden_participants ADD COLUMN directory_hold BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX participants_with_hold ON participants (institution_id, id) WHERE directory_hold = TRUE;
CREATE INDEX hidden_participants_with_hold ON hidden_participants (institution_id, id) WHERE directory_hold = TRUE;

-- Whether a token gets the recordings of such people
ALTER TABLE tokens ADD COLUMN include_held BOOLEAN NOT NULL DEFAULT FALSE;

-- Whether the token that asked for an export did: only such tokens read it
ALTER TABLE exports ADD COLUMN include_held BOOLEAN NOT NULL DEFAULT FALSE;

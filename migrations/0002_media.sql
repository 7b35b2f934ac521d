-- Recordings and pictures. The bytes are in the blob store; a row here is what makes their link live, on every node.

-- kind is recording, legal_recording or photo. bytes are those of the file that is served; a picture has no duration
-- and no peaks (64 of them, in hex). original says whether what was sent is kept beside it.
CREATE TABLE media (
    institution_id BIGINT NOT NULL,
    hex TEXT NOT NULL,
    participant_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    duration_ms BIGINT,
    peaks TEXT,
    original BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, hex)
);
CREATE UNIQUE INDEX media_by_participant ON media (institution_id, participant_id, kind);

-- The picture's hex, as with recordings. Search engines may list a badge when its owner wants that.
ALTER TABLE participants ADD COLUMN photo TEXT;
ALTER TABLE participants ADD COLUMN badge_listed BOOLEAN NOT NULL DEFAULT FALSE;

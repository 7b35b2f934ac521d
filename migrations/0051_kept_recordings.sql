-- Recordings that their owners have made and somebody else has replaced. For 30 days, their owners can put them back. The recording itself
-- is in `media`, as one that was removed.
CREATE TABLE kept_recordings (
    institution_id BIGINT NOT NULL,
    hex TEXT NOT NULL,
    participant_id BIGINT NOT NULL,
    kept_at BIGINT NOT NULL,
    purge_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, hex)
);
CREATE INDEX kept_recordings_by_participant ON kept_recordings (institution_id, participant_id);
CREATE INDEX kept_recordings_by_purge ON kept_recordings (purge_at);
-- Who in a learning system has made the newest own recording of a registration. Without a row, its owner has made it elsewhere.
CREATE TABLE recording_makers (
    institution_id BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    maker TEXT NOT NULL,
    PRIMARY KEY (institution_id, participant_id)
);

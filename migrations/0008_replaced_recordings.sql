-- Links of recordings that newer ones have replaced. Such a link redirects to the current recording of the same kind, because
-- clients store links. Rows exist only while there is a current one: deleting it forgets them all, so that a link that was
-- withdrawn never works again.
CREATE TABLE replaced_recordings (
    institution_id BIGINT NOT NULL,
    hex TEXT NOT NULL,
    participant_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (institution_id, hex)
);
CREATE INDEX replaced_recordings_by_participant ON replaced_recordings (institution_id, participant_id, kind);

-- Where a recording came from: `given` by an API client or an import to one registration; `shared`, made by the person for all of
-- their registrations; `page`, made by the person for this registration alone; `copied` from a `given` one when a course met
-- somebody who had none of their own. What a person records replaces their `shared` and `copied` ones.
ALTER TABLE media ADD COLUMN origin TEXT NOT NULL DEFAULT 'given';

-- The same user of a learning system on other courses.
CREATE INDEX course_members_by_user ON course_members (institution_id, user_id);

-- Of what is there already, it is known what was said on a call. Uploads by their owners look like those of API clients.
UPDATE media SET origin = 'shared' WHERE kind = 'recording' AND EXISTS (
    SELECT 1 FROM calls c JOIN call_attempts a ON a.institution_id = c.institution_id AND a.call_id = c.id
    WHERE c.institution_id = media.institution_id AND c.participant_id = media.participant_id AND c.state = 'recorded'
    AND a.state = 'recorded' AND a.ended_at >= media.created_at AND a.ended_at < media.created_at + 1000000
);

-- A course's copy has the date, the size and the waveform of what it was copied from, whose owner came before.
CREATE INDEX media_by_date ON media (institution_id, created_at);
UPDATE media SET origin = 'copied' WHERE kind = 'recording' AND origin = 'given' AND EXISTS (
    SELECT 1 FROM course_members c
    WHERE c.institution_id = media.institution_id AND c.participant_id = media.participant_id
) AND EXISTS (
    SELECT 1 FROM media o WHERE o.institution_id = media.institution_id AND o.created_at = media.created_at
    AND o.participant_id < media.participant_id AND o.kind = 'recording' AND o.bytes = media.bytes AND o.peaks = media.peaks
);
DROP INDEX media_by_date;

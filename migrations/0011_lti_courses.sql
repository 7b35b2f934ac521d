-- Courses that several tool consumers reach, people who teach, and what a launch says of its visitor.

-- platform_key names a course on its platform independently of the tool consumer that reaches it (domain/course.rs). Rows from
-- before this migration get theirs when they are next launched or synchronized, or when a course of their id is looked for.
ALTER TABLE courses ADD COLUMN platform_key TEXT;
CREATE INDEX courses_by_platform_key ON courses (institution_id, platform_key);

-- The same course, as tool consumers other than its own call it. courses.tool_consumer_id is the one that synchronizes it.
CREATE TABLE course_aliases (
    institution_id BIGINT NOT NULL,
    tool_consumer_id BIGINT NOT NULL,
    external_id TEXT NOT NULL,
    course_id BIGINT NOT NULL,
    memberships_url TEXT,
    PRIMARY KEY (institution_id, tool_consumer_id, external_id)
);
CREATE INDEX course_aliases_by_course ON course_aliases (institution_id, course_id);

-- People as such a tool consumer calls them, where its user ids differ from those in course_members.
CREATE TABLE course_identities (
    institution_id BIGINT NOT NULL,
    course_id BIGINT NOT NULL,
    tool_consumer_id BIGINT NOT NULL,
    user_id TEXT NOT NULL,
    participant_id BIGINT NOT NULL,
    PRIMARY KEY (institution_id, course_id, tool_consumer_id, user_id)
);
CREATE INDEX course_identities_by_participant ON course_identities (institution_id, participant_id);

-- Who has launched a course as one of its staff, and when last. participant_id is an entry of their own on the course's page,
-- which synchronizations leave alone.
CREATE TABLE course_staff (
    institution_id BIGINT NOT NULL,
    course_id BIGINT NOT NULL,
    user_id TEXT NOT NULL,
    participant_id BIGINT,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, course_id, user_id)
);
CREATE INDEX course_staff_by_participant ON course_staff (institution_id, participant_id);

-- member_digest is that of the id by which the course knows the visitor, where it differs from the platform's. person is what
-- the launch said of a member of staff, sealed: they may add an entry of their own. theme is light or dark where the platform
-- has said so.
ALTER TABLE lti_sessions ADD COLUMN member_digest TEXT;
ALTER TABLE lti_sessions ADD COLUMN person TEXT;
ALTER TABLE lti_sessions ADD COLUMN theme TEXT;

-- Whoever is deleted has no session any more.
CREATE INDEX lti_sessions_by_participant ON lti_sessions (institution_id, participant_id);

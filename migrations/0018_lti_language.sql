-- The language of the learning system's page (locale of the launch), as a BCP 47 tag, if there is a catalog for it.
ALTER TABLE lti_sessions ADD COLUMN language TEXT;

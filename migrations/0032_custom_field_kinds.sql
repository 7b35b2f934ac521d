-- How people enter a custom field (kind: text, long_text, choice, choices or yes_no), what can be chosen (options: a JSON list), how pages
-- ask for it that do not say otherwise (asked: off, optional or required), and the order on pages (place: 0 until somebody changes it).
ALTER TABLE custom_fields ADD COLUMN kind TEXT NOT NULL DEFAULT 'text';
ALTER TABLE custom_fields ADD COLUMN options TEXT NOT NULL DEFAULT '[]';
ALTER TABLE custom_fields ADD COLUMN asked TEXT NOT NULL DEFAULT 'off';
ALTER TABLE custom_fields ADD COLUMN place BIGINT NOT NULL DEFAULT 0;

-- The queue over all pages of an institution.
CREATE INDEX moderation_by_state ON moderation (institution_id, state, id);

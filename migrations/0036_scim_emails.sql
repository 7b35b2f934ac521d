-- Directories: owners who have left, and users by any of their emails.

-- The last owner, whom a directory has disabled or taken out of the group of owners. They lose the role when somebody else is an owner.
ALTER TABLE members ADD COLUMN leaving BOOLEAN NOT NULL DEFAULT FALSE;

-- All emails of users, for filters. value_key is in lower case, and cut.
CREATE TABLE scim_user_emails (
    institution_id BIGINT NOT NULL,
    value_key TEXT NOT NULL,
    user_id BIGINT NOT NULL,
    PRIMARY KEY (institution_id, value_key, user_id)
);
CREATE INDEX scim_user_emails_by_user ON scim_user_emails (institution_id, user_id);

-- What updated_at was when the emails of the user were written. Other rows are older than this migration, or an older version has written
-- them, and their emails follow when somebody filters by one.
ALTER TABLE scim_users ADD COLUMN emails_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX scim_users_without_emails ON scim_users (institution_id, id) WHERE emails_at <> updated_at;

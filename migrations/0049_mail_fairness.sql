-- The last turn of a page mail.
ALTER TABLE mail_pace ADD COLUMN page_mail_at BIGINT NOT NULL DEFAULT 0;

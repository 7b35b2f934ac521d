-- People whom a directory has disabled or deleted. Neither an invitation nor a self-registration lets them in, until the directory enables
-- them (the row is deleted), or an admin lets them in (`readmitted_at`), which lasts until the directory enables and disables them again.
CREATE TABLE refused_people (
    institution_id BIGINT NOT NULL,
    email_key TEXT NOT NULL,
    refused_at BIGINT NOT NULL,
    readmitted_at BIGINT,
    PRIMARY KEY (institution_id, email_key)
);
INSERT INTO refused_people (institution_id, email_key, refused_at)
    SELECT institution_id, email_key, MAX(updated_at) FROM scim_users
    WHERE email_key IS NOT NULL GROUP BY institution_id, email_key HAVING MAX(CASE WHEN active THEN 1 ELSE 0 END) = 0;

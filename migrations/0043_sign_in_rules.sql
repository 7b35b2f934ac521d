-- When the person proved who they are to the provider that opened the session. NULL if it has not said so believably, for sessions that were
-- opened in another way, and for those of earlier versions.
ALTER TABLE sessions ADD COLUMN authenticated_at BIGINT;
-- Whether the provider that opened the session speaks for the people of the institution alone. Earlier versions do not know.
ALTER TABLE sessions ADD COLUMN vouched BOOLEAN NOT NULL DEFAULT FALSE;
-- Whether the sign-in was to prove again who somebody is, who had signed in before.
ALTER TABLE sso_logins ADD COLUMN again BOOLEAN NOT NULL DEFAULT FALSE;

-- tenant: the tenant of the provider that people must belong to. any_account: whether somebody has said that every account of the provider may
-- sign in. scopes: what is asked of the provider, empty for the default.
ALTER TABLE sso_connections ADD COLUMN tenant TEXT;
ALTER TABLE sso_connections ADD COLUMN any_account BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE sso_connections ADD COLUMN scopes TEXT NOT NULL DEFAULT '';

-- Who must sign in through the provider: off, members or everybody.
ALTER TABLE institutions ADD COLUMN sso_only TEXT NOT NULL DEFAULT 'off';

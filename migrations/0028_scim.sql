-- Directories that provision people by SCIM 2.0 (docs/scim.md).

-- A directory that may do so, by its token. pages_from_groups: each new group gets a name page.
CREATE TABLE scim_connections (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    pages_from_groups BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT,
    last_used_at BIGINT,
    PRIMARY KEY (institution_id, id)
);
CREATE UNIQUE INDEX scim_connections_by_digest ON scim_connections (digest);

-- Users as directories have sent them. resource is JSON, without id, meta and what is computed. email_key is that of the address by which
-- Endonym knows the person. connection_id is the one that created the row. pending: registrations and roles do not follow the row yet.
CREATE TABLE scim_users (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    connection_id BIGINT,
    user_name_key TEXT NOT NULL,
    external_id TEXT,
    active BOOLEAN NOT NULL,
    email_key TEXT,
    resource TEXT NOT NULL,
    pending BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, id)
);
CREATE UNIQUE INDEX scim_users_by_name ON scim_users (institution_id, user_name_key);
CREATE INDEX scim_users_by_external_id ON scim_users (institution_id, external_id);
CREATE INDEX scim_users_by_email ON scim_users (institution_id, email_key);
CREATE INDEX scim_users_pending ON scim_users (institution_id, id) WHERE pending = TRUE;

-- A group stands for nothing, for registrations on the page in scim_group_pages (role is NULL), or for a role, with the pages of a manager
-- or reader there.
CREATE TABLE scim_groups (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    connection_id BIGINT,
    display_name_key TEXT NOT NULL,
    external_id TEXT,
    resource TEXT NOT NULL,
    role TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, id)
);
CREATE UNIQUE INDEX scim_groups_by_name ON scim_groups (institution_id, display_name_key);
CREATE INDEX scim_groups_by_external_id ON scim_groups (institution_id, external_id);
CREATE TABLE scim_group_pages (
    institution_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    PRIMARY KEY (institution_id, group_id, name_page_id)
);
CREATE INDEX scim_group_pages_by_page ON scim_group_pages (institution_id, name_page_id);
CREATE TABLE scim_group_members (
    institution_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    PRIMARY KEY (institution_id, group_id, user_id)
);
CREATE INDEX scim_group_members_by_user ON scim_group_members (institution_id, user_id);

-- Registrations that follow a user. parked: it does not come from a group, and is hidden as long as the user is not active.
CREATE TABLE scim_registrations (
    institution_id BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    parked BOOLEAN NOT NULL,
    PRIMARY KEY (institution_id, participant_id)
);
CREATE INDEX scim_registrations_by_user ON scim_registrations (institution_id, user_id);

-- Members whose role comes from a group. All others have theirs from somebody else, and keep it.
CREATE TABLE scim_roles (
    institution_id BIGINT NOT NULL,
    email_key TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, email_key)
);

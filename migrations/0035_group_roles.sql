-- Roles by the groups that an OpenID provider claims for people.

-- The claim with the groups of a person.
ALTER TABLE sso_connections ADD COLUMN groups_claim TEXT NOT NULL DEFAULT 'groups';

-- The role of everybody in a group. pages: JSON, a list of ids of name pages, for managers and readers.
CREATE TABLE sso_group_roles (
    institution_id BIGINT NOT NULL,
    connection_id BIGINT NOT NULL,
    group_name TEXT NOT NULL,
    role TEXT NOT NULL,
    pages TEXT NOT NULL,
    PRIMARY KEY (institution_id, connection_id, group_name)
);

-- source is hand or group. A role by group ends when the person is in none of the groups any more; connection_id is the connection that
-- gave it.
ALTER TABLE members ADD COLUMN source TEXT NOT NULL DEFAULT 'hand';
ALTER TABLE members ADD COLUMN connection_id BIGINT;

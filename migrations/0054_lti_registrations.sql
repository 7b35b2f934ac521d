-- Each institution has LTI addresses and keys of its own. A registration that uses them is a row here. Its row of tool_consumers has no
-- client_id, so that nodes of the previous version, which would sign with the keys of all, leave it alone. Registrations of before are
-- in the columns of tool_consumers until they are renewed.
-- deployments and frame_ancestors are lists as JSON. issuer_proof says why the issuer is believed: `operator`, or the address of its own
-- OpenID configuration. Without it, nobody comes in.
CREATE TABLE lti_registrations (
    institution_id BIGINT NOT NULL,
    tool_consumer_id BIGINT NOT NULL,
    issuer TEXT NOT NULL,
    client_id TEXT NOT NULL,
    deployments TEXT NOT NULL,
    auth_url TEXT NOT NULL,
    token_url TEXT NOT NULL,
    token_audience TEXT,
    jwks_url TEXT NOT NULL,
    frame_ancestors TEXT NOT NULL,
    issuer_proof TEXT,
    PRIMARY KEY (institution_id, tool_consumer_id)
);
CREATE UNIQUE INDEX lti_registrations_by_client ON lti_registrations (institution_id, issuer, client_id);

-- The keys of an institution, as those of all in lti_keys.
CREATE TABLE institution_lti_keys (
    institution_id BIGINT NOT NULL,
    kid TEXT NOT NULL,
    private_key TEXT NOT NULL,
    public_key TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, kid)
);

-- Pictures that were given up for reasons that are not final, such as a permission, are asked for once more, with those that do not exist.
UPDATE course_members SET photo_url = NULL WHERE photo IS NULL AND photo_url IS NOT NULL;

-- What a token may do, and which name pages it reaches. Tokens that exist keep full access.

-- scope is read, write, sync or all. With pages_limited a token reaches the pages in token_pages and no others, even
-- when that table has none left: deleting a page must never widen a token.
ALTER TABLE tokens ADD COLUMN scope TEXT NOT NULL DEFAULT 'all';
ALTER TABLE tokens ADD COLUMN newest_only BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE tokens ADD COLUMN pages_limited BOOLEAN NOT NULL DEFAULT FALSE;

CREATE TABLE token_pages (
    institution_id BIGINT NOT NULL,
    token_id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    PRIMARY KEY (institution_id, token_id, name_page_id)
);
CREATE INDEX token_pages_by_page ON token_pages (institution_id, name_page_id);

-- An export requested with such a token has people of these pages only; the rule for pages_limited is the same.
ALTER TABLE exports ADD COLUMN pages_limited BOOLEAN NOT NULL DEFAULT FALSE;

CREATE TABLE export_pages (
    institution_id BIGINT NOT NULL,
    export_id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    PRIMARY KEY (institution_id, export_id, name_page_id)
);
CREATE INDEX export_pages_by_page ON export_pages (institution_id, name_page_id);

-- Counts the exports of an institution that are still to be built.
CREATE INDEX exports_by_institution_and_state ON exports (institution_id, state);

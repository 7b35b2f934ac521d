-- Citus keeps an index of a sharded table unique only if it contains the column that the table is sharded by: for these links, the
-- digest. Ids are random numbers of 63 bits, and a link is looked for by its id together with its owner.
DROP INDEX sign_in_links_by_id;
CREATE INDEX sign_in_links_by_id ON sign_in_links (institution_id, id);

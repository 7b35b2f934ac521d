-- Numbers that grow with what processes keep in memory. 'callers' stands for tokens, their name pages, and institutions with their allowed
-- origins: whoever changes one of them increases it in the same transaction. So a process reads one row to learn that nothing has changed.
CREATE TABLE versions (
    name TEXT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL
);
INSERT INTO versions (name, version) VALUES ('callers', 1);

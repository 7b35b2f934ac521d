-- People in the console: search and order, recently deleted people, and what is done with many people at once.

-- The search index: the words of somebody's names, address and identifier, in a form without case and diacritics (domain/people_query.rs).
-- A job and the lists of the console bring it up to date (app/people_index.rs), so that writes of people do not pay for it.
-- PostgreSQL compares these texts byte by byte, as SQLite does (store/migrations.rs).
CREATE TABLE people_words (
    institution_id BIGINT NOT NULL,
    word TEXT NOT NULL,
    participant_id BIGINT NOT NULL,
    PRIMARY KEY (institution_id, word, participant_id)
);
CREATE INDEX people_words_of_participant ON people_words (institution_id, participant_id);

-- The order of people by name. changed_at is the updated_at of the participant when they were put into the index.
CREATE TABLE people_names (
    institution_id BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    name_page_id BIGINT NOT NULL,
    name_key TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, participant_id)
);
CREATE INDEX people_names_in_order ON people_names (institution_id, name_key, participant_id);
CREATE INDEX people_names_on_page ON people_names (institution_id, name_page_id, name_key, participant_id);

-- How far the index is: everybody who changed up to this time and id is in it.
CREATE TABLE people_indexed (
    institution_id BIGINT NOT NULL PRIMARY KEY,
    changed_at BIGINT NOT NULL,
    last_id BIGINT NOT NULL
);

-- The newest recordings of an institution.
CREATE INDEX participants_by_recording ON participants (institution_id, recorded_at, id) WHERE recorded_at > 0;

-- People whom somebody has deleted. Their rows are in hidden_participants, from where they can be restored until purge_at.
CREATE TABLE deleted_people (
    institution_id BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    deleted_at BIGINT NOT NULL,
    deleted_by TEXT NOT NULL,
    purge_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, participant_id)
);
CREATE INDEX deleted_people_by_time ON deleted_people (institution_id, deleted_at, participant_id);
CREATE INDEX deleted_people_by_purge ON deleted_people (purge_at);

-- What is done with many people. action is JSON, and pages a JSON list of the name pages that whoever began it runs, NULL for all. state is
-- waiting, done or failed.
CREATE TABLE people_tasks (
    institution_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    action TEXT NOT NULL,
    pages TEXT,
    state TEXT NOT NULL,
    rows_done BIGINT NOT NULL,
    rows_total BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (institution_id, id)
);
CREATE INDEX people_tasks_by_age ON people_tasks (created_at);
-- With whom. outcome is NULL until it is their turn.
CREATE TABLE people_task_rows (
    institution_id BIGINT NOT NULL,
    task_id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    outcome TEXT,
    PRIMARY KEY (institution_id, task_id, number)
);
CREATE INDEX people_task_rows_of_participant ON people_task_rows (institution_id, participant_id);

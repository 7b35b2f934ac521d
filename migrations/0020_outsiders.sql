-- Registrations of people who have registered themselves where everybody can, and for whom nobody vouches: they do not make anybody a
-- person of the institution. Nobody is marked here, because the registrations of before do not say how they were made.
CREATE TABLE outsiders (
    institution_id BIGINT NOT NULL,
    participant_id BIGINT NOT NULL,
    PRIMARY KEY (institution_id, participant_id)
);

-- How often a number was called, and asked to be called, on one day.
CREATE INDEX call_attempts_of_number ON call_attempts (phone_number, started_at);
CREATE INDEX calls_to_number ON calls (institution_id, phone_number, created_at);

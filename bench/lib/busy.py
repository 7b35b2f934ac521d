"""What an institution has besides its people after some months: invitations, messages, decisions to make, and a log of changes.

Added to a copy of a seeded database (seed.py), for pages that show it. Times count back from now, so that nothing is old enough to be
deleted by a job.
"""

import sqlite3
import time

from . import people as made_up

DAY = 24 * 3_600 * 1_000_000
# Ids that no other row has.
FIRST_ID = 600_000_000_000_000
TASK = FIRST_ID
# Everybody whose number is a multiple of this is invited.
INVITED = 10
CASES = 2_000
BOUNCES = 1_500
TASK_ROWS = 1_000
HISTORY_DAYS = 90
MEMBERS = 50
# What was changed, by whom, in whose name.
ACTS = [
    ("participant.updated", "token", "wrk"), ("participant.created", "token", "wrk"),
    ("recording.replaced", "person", None), ("participant.updated", "member", "manager"),
    ("participant.updated", "scim", "Directory"), ("recording.deleted", "member", "manager"),
]


def manager(number):
    return f"manager{number % MEMBERS}@example.edu"


def invitations(size, institution, now):
    for number in range(0, size, INVITED):
        address, sent = made_up.email(number), now - 20 * DAY + number
        yield (
            institution, FIRST_ID + number, made_up.FIRST_PAGE_ID + number // made_up.PEOPLE_ON_A_PAGE, address, address,
            1, sent, now + 90 * DAY, sent,
        )


def messages(size, institution, now):
    for number in range(0, size, INVITED):
        invitation, sent = FIRST_ID + number, now - 20 * DAY + number
        what = f'{{"kind":"invitation","invitation":{invitation},"generation":1,"base_url":"http://127.0.0.1"}}'
        address, failed = made_up.email(number), number // INVITED % 50 == 0
        yield (
            institution, invitation, what, f"invitation:{invitation}:1", address, address,
            "failed" if failed else "sent", 1, "550 unknown" if failed else "250 accepted", sent, sent, sent + 2 * DAY,
        )


def changes(size, institution, now):
    """One for every fifth person, over 300 days."""
    count = max(1, size // 5)
    for number in range(count):
        act, kind, name = ACTS[number % len(ACTS)]
        address = made_up.email(number * 5)
        who = {"manager": manager(number), None: address}.get(name, name)
        first = made_up.FIRST_NAMES[number * 5 % len(made_up.FIRST_NAMES)][0]
        yield (
            institution, now - 300 * DAY + 300 * DAY * number // count, FIRST_ID + number, act, kind, who, "192.0.2.0/24",
            "participant", str(number * 5), first, address, f'{{"notes":"{number}"}}', f'{{"notes":"{number + 1}"}}',
        )


def cases(size, institution, now):
    for number in range(min(CASES, size)):
        page = made_up.FIRST_PAGE_ID + number // made_up.PEOPLE_ON_A_PAGE
        is_open = number % 2 == 0
        yield (
            institution, FIRST_ID + number, page, number, "held", f"{number:032x}", "open" if is_open else "approved",
            now - DAY + number, None if is_open else now, None if is_open else manager(number), None if is_open else now + 30 * DAY,
        )


def history(size, institution, now):
    today = now // DAY
    for past in range(HISTORY_DAYS, 0, -1):
        yield institution, 0, today - past, size - 10 * past, size // 3 - 5 * past, size // INVITED


def tables_of(size, institution):
    """Tables, columns and rows."""
    now = int(time.time() * 1_000_000)
    few = min(BOUNCES, size)
    return [
        ("invitations",
         ("institution_id", "id", "name_page_id", "email", "email_key", "generation", "created_at", "expires_at", "sent_at"),
         invitations(size, institution, now)),
        ("outbox",
         ("institution_id", "id", "message", "occasion", "email", "email_key", "state", "attempts", "answer", "created_at",
          "changed_at", "expires_at"),
         messages(size, institution, now)),
        ("audit",
         ("institution_id", "created_at", "id", "act", "who_kind", "who_name", "origin", "subject_kind", "subject_id",
          "subject_label", "email_key", "old_values", "new_values"),
         changes(size, institution, now)),
        ("moderation",
         ("institution_id", "id", "name_page_id", "participant_id", "kind", "hex", "state", "created_at", "decided_at",
          "decided_by", "purge_at"),
         cases(size, institution, now)),
        ("coverage_days", ("institution_id", "name_page_id", "day", "registered", "recorded", "invited"),
         history(size, institution, now)),
        ("mail_bounces", ("institution_id", "email_key", "answer", "bounced_at"),
         ((institution, made_up.email(number), "550 unknown", now - number) for number in range(few))),
        ("mail_opt_outs", ("institution_id", "email_key", "created_at"),
         ((institution, made_up.email(number), now - number) for number in range(few))),
        ("members", ("institution_id", "email_key", "email", "role", "created_at"),
         ((institution, manager(number), manager(number), "admin", now) for number in range(MEMBERS))),
        ("people_tasks",
         ("institution_id", "id", "action", "state", "rows_done", "rows_total", "created_by", "created_at"),
         [(institution, TASK, '{"kind":"delete"}', "done", TASK_ROWS, TASK_ROWS, manager(0), now)]),
        ("people_task_rows", ("institution_id", "task_id", "number", "participant_id", "outcome"),
         ((institution, TASK, number, number, "gone") for number in range(TASK_ROWS))),
    ]


def coverage(institution):
    """The counters of pages, which seeding leaves out. On each page, one of `INVITED` people is invited."""
    invited = made_up.PEOPLE_ON_A_PAGE // INVITED
    return [
        f"DELETE FROM coverage WHERE institution_id = {institution}",
        "INSERT INTO coverage (institution_id, name_page_id, recorded, invited) SELECT institution_id, name_page_id, "
        f"SUM(CASE WHEN recorded_at > 0 THEN 1 ELSE 0 END), {invited} FROM participants "
        f"WHERE institution_id = {institution} GROUP BY institution_id, name_page_id",
    ]


def fill_sqlite(path, size, institution):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN")
    for table, columns, rows in tables_of(size, institution):
        marks = ", ".join("?" * len(columns))
        db.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)
    for statement in coverage(institution):
        db.execute(statement)
    db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def fill_postgres(server, database, size, institution):
    with server.script(database) as script:
        for table, columns, rows in tables_of(size, institution):
            script.write(f"COPY {table} ({', '.join(columns)}) FROM STDIN;\n")
            for row in rows:
                # The generated values contain no tab, line break or backslash.
                script.write("\t".join(r"\N" if value is None else str(value) for value in row) + "\n")
            script.write("\\.\n")
        for statement in coverage(institution):
            script.write(statement + ";\n")
    server.sql(database, "VACUUM ANALYZE")
    server.sql(database, "CHECKPOINT")

"""PostgreSQL's own load generator, with the select of a lookup: what the database can do without a server in front of it."""

import os
import re
import subprocess

from . import machine

# `SELECTION` and `LABEL` in src/store/participants.rs.
COLUMNS = ", ".join([
    *(f"p.{column}" for column in (
        "id", "page_place", "name_page_id", "token", "email", "recording", "recorded_at", "legal_recording",
        "legal_recorded_at", "custom", "custom_changed_at", "photo", "first_name", "last_name", "identifier", "phonetic",
        "notes", "legal_first_name", "legal_last_name", "legal_middle_name", "legal_phonetic", "legal_notes",
    )),
    *(f"n.{column}" for column in ("title", "slug", "event_code", "access_code", "allow_v2")),
])
# Somebody random by their identifier, whose index is like that of emails: pgbench can compute it from a number.
SCRIPT = f"""\\set number random(0, :people - 1)
SELECT {COLUMNS} FROM participants p
JOIN name_pages n ON n.institution_id = p.institution_id AND n.id = p.name_page_id
WHERE p.institution_id = :institution AND p.identifier_key = 'S' || lpad(:number::text, 8, '0')
ORDER BY p.recorded_at DESC, p.id DESC LIMIT 1;
"""
# As in Endonym's sessions.
OPTIONS = "-c plan_cache_mode=force_generic_plan -c random_page_cost=1.1"


def program(postgres):
    path = os.path.join(postgres.bin, "pgbench")
    return path if os.path.exists(path) else None


def lookups_per_second(target, duration, connections):
    """One run of prepared selects, one at a time on each connection. `None` if pgbench is not installed."""
    postgres = target.postgres
    pgbench = program(postgres)
    if not pgbench:
        machine.say("pgbench is not installed, and not compared")
        return None
    script = os.path.join(machine.WORK, "pgbench.sql")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    variables = {"people": target.size, "institution": target.institution}
    done = subprocess.run(
        [pgbench, "-n", "-M", "prepared", "-c", str(connections), "-j", "2", "-T", str(duration), "-f", script,
         *(word for name, value in variables.items() for word in ("-D", f"{name}={value}")),
         "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "endonym", target.database_name],
        env=postgres.environment() | {"PGOPTIONS": OPTIONS},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    found = re.search(r"^tps = ([\d.]+)", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found:
        machine.fail(f"pgbench failed:\n{done.stdout}")
    return float(found.group(1))

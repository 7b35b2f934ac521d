"""Seeds databases as fast as possible: rows are inserted directly into the tables, and indexes are built afterwards.

Seeded databases are cached under bench/.work, named after a hash of their inputs. A run uses a copy, because
its creates add people.
"""

import glob
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import time

from . import machine, people as made_up, servers

FIELD = "gender_pronouns"
# How many other institutions there are, each with an empty name page.
NEIGHBORS = 100


def fingerprint():
    """Changes with the schema and the generated people, which invalidates cached databases."""
    text = hashlib.sha256()
    sources = [*sorted(glob.glob(os.path.join(machine.ROOT, "migrations", "*.sql"))), made_up.__file__, __file__]
    for path in sources:
        with open(path, "rb") as file:
            text.update(file.read())
    return text.hexdigest()[:10]


def endonym(binary, environment, *words):
    done = subprocess.run([binary, *words], env=environment, stdout=subprocess.PIPE, text=True, cwd=machine.WORK)
    if done.returncode != 0:
        machine.fail(f"`endonym {' '.join(words)}` failed")
    return json.loads(done.stdout) if "--json" in words else None


def institution(binary, environment):
    """Creates schema, institution and token with the command line."""
    endonym(binary, environment, "migrate")
    made = endonym(binary, environment, "institution", "create", "--name", "Bench", "--json")
    token = endonym(binary, environment, "token", "create", "--institution", made["slug"], "--name", "wrk", "--json")
    endonym(binary, environment, "custom-field", "create", "--institution", made["slug"], "--name", FIELD, "--json")
    return {"institution": int(made["id"]), "token": token["token"]}


def neighbors(binary, environment):
    """Other institutions: a token and a name page of each."""
    made = []
    for number in range(NEIGHBORS):
        slug = endonym(binary, environment, "institution", "create", "--name", f"Neighbor {number}", "--json")["slug"]
        token = endonym(binary, environment, "token", "create", "--institution", slug, "--name", "wrk", "--json")
        page = endonym(binary, environment, "name-page", "create", "--institution", slug, "--title", "Everybody", "--json")
        made.append({"token": token["token"], "page": page["slug"]})
    return made


def save(path, seeded):
    with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        json.dump(seeded, file)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


# --- SQLite ---

def sqlite(binary, size, fresh):
    """A writable data directory with this many people, and the facts about its seeding."""
    kept = os.path.join(machine.WORK, "seeds", f"sqlite-{size}")
    about = os.path.join(kept, "about.json")
    wanted = fingerprint()
    if fresh or not os.path.exists(about) or load(about)["fingerprint"] != wanted:
        shutil.rmtree(kept, ignore_errors=True)
        os.makedirs(kept)
        started = time.monotonic()
        environment = servers.environment(data_dir=kept)
        seeded = institution(binary, environment)
        fill_sqlite(os.path.join(kept, "endonym.sqlite3"), size, seeded["institution"])
        seeded |= {"fingerprint": wanted, "seconds": time.monotonic() - started}
        seeded["neighbors"] = neighbors(binary, environment)
        save(about, seeded)
        machine.say(f"Seeded SQLite with {size:,} people in {seeded['seconds']:.1f} s")
    copy = os.path.join(machine.WORK, "data", f"sqlite-{size}")
    shutil.rmtree(copy, ignore_errors=True)
    # Copying also loads the file into the page cache, so that the first round is not slower than the others.
    shutil.copytree(kept, copy)
    return copy, load(about)


def fill_sqlite(path, size, institution):
    db = sqlite3.connect(path, isolation_level=None)
    # After a crash, the database is simply seeded again.
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA cache_size = -400000")
    db.execute("BEGIN")
    tables = "('participants', 'name_pages', 'codes', 'rolls')"
    indexes = db.execute(
        f"SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN {tables}"
    ).fetchall()
    for name, _ in indexes:
        db.execute(f"DROP INDEX {name}")
    (field,) = db.execute("SELECT id FROM custom_fields WHERE institution_id = ?", (institution,)).fetchone()
    for table, columns, rows in tables_of(size, institution, field):
        marks = ", ".join("?" * len(columns))
        db.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)
    db.execute(whole_roll(size, institution))
    for _, text in indexes:
        db.execute(text)
    db.execute("COMMIT")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def tables_of(size, institution, field):
    return [
        ("name_pages", made_up.PAGE_COLUMNS, made_up.name_pages(size, institution)),
        ("codes", ("code", "institution_id", "name_page_id"), made_up.codes(size, institution)),
        ("rolls", ("institution_id", "name_page_id", "next_place", "members"), made_up.rolls(size, institution)),
        ("participants", made_up.COLUMNS, made_up.participants(size, institution, field)),
    ]


def whole_roll(size, institution):
    return (
        f"UPDATE rolls SET next_place = {size}, members = {size} "
        f"WHERE institution_id = {institution} AND name_page_id = 0"
    )


# --- PostgreSQL ---

def postgres(binary, server, size, fresh):
    """A writable database with this many people, and the facts about its seeding."""
    kept, copy = f"seed_{size}", f"work_{size}"
    about = os.path.join(machine.WORK, "seeds", f"postgres-{size}.json")
    wanted = f"{fingerprint()} {server.born}"
    if fresh or not os.path.exists(about) or load(about)["fingerprint"] != wanted:
        server.sql("postgres", f"DROP DATABASE IF EXISTS {kept}")
        server.sql("postgres", f"CREATE DATABASE {kept}")
        started = time.monotonic()
        environment = servers.environment(database_url=server.url(kept))
        seeded = institution(binary, environment)
        fill_postgres(server, kept, size, seeded["institution"])
        seeded |= {"fingerprint": wanted, "seconds": time.monotonic() - started}
        seeded["neighbors"] = neighbors(binary, environment)
        os.makedirs(os.path.dirname(about), exist_ok=True)
        save(about, seeded)
        machine.say(f"Seeded PostgreSQL with {size:,} people in {seeded['seconds']:.1f} s")
    server.sql("postgres", f"DROP DATABASE IF EXISTS {copy}")
    # Since version 15, a copy goes through the WAL by default.
    strategy = " STRATEGY = FILE_COPY" if server.version >= 15 else ""
    server.sql("postgres", f"CREATE DATABASE {copy} TEMPLATE {kept}{strategy}")
    # Load it into the shared buffers, as far as they suffice.
    server.sql(copy, "SELECT count(token) FROM participants")
    return server.url(copy), load(about)


def fill_postgres(server, database, size, institution):
    indexes = server.sql(
        database,
        "SELECT indexname || '|' || indexdef FROM pg_indexes WHERE schemaname = 'public' "
        "AND indexname NOT LIKE '%_pkey' AND tablename IN ('participants', 'name_pages', 'codes', 'rolls')",
    ).splitlines()
    indexes = [line.split("|", 1) for line in indexes]
    field = server.sql(database, f"SELECT id FROM custom_fields WHERE institution_id = {institution}").strip()
    with server.script(database) as script:
        script.write("SET maintenance_work_mem = '512MB';\n")
        for name, _ in indexes:
            script.write(f"DROP INDEX {name};\n")
        for table, columns, rows in tables_of(size, institution, field):
            script.write(f"COPY {table} ({', '.join(columns)}) FROM STDIN;\n")
            for row in rows:
                # The generated values contain no tab, line break or backslash.
                script.write("\t".join(r"\N" if value is None else str(value) for value in row) + "\n")
            script.write("\\.\n")
        script.write(whole_roll(size, institution) + ";\n")
        for _, text in indexes:
            script.write(text + ";\n")
    # Otherwise autovacuum would do this during a measurement.
    server.sql(database, "VACUUM ANALYZE")
    server.sql(database, "CHECKPOINT")

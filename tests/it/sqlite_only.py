#!/usr/bin/env python3
"""Finds the tests that need not be repeated on PostgreSQL, and checks that this is still true.

  sqlite_only.py write BINARY NOTES       measures which tests execute statements of their own, and writes sqlite_only.txt beside this file
  sqlite_only.py show                     prints the statements that the server has executed since the last `reset`
  sqlite_only.py reset
  sqlite_only.py compare BEFORE AFTER     files with statements: fails if the second has one that the first has not

BINARY is the integration tests' program; NOTES is the file that ENDONYM_TEST_DATABASE_TESTS names, after a run on SQLite.
ENDONYM_TEST_DATABASE_URL names a private PostgreSQL server that preloads pg_stat_statements. `./test --all` and `./test --select` have one.
`write` drops the databases that tests have left there.
"""

import os
import re
import subprocess
import sys
import time

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sqlite_only.txt")
# Of other modules, every test is repeated: of the API, the store, jobs, and what several processes do.
CANDIDATES = re.compile(
    r"^(audiences|audit|cli|console|courses|emails|idempotency|lms|lti|mail|me|members|name_pages|own_recordings"
    r"|page_exports|page_settings|pages|phone|plays|retention|scim|tokens)::"
)
# What happens at the same time depends on locks, and so on the database.
AT_ONCE = re.compile(r"at_once|at_the_same|being_deleted|dead_|each_other|ends_once|is_lost|killed|parallel|process|restart|together|twice|two_|while_")
# Administration, by tests, migrations, pg_dump and our own connections: not what use cases execute.
NOT_OURS = re.compile(r"DATABASE|EXTENSION|pg_|information_schema|^(ALTER|COPY|CREATE|DEALLOCATE|DROP|LOCK TABLE|SET|SHOW)\b")


def psql(query):
    command = ["psql", "--no-psqlrc", "-At", "-R", "\x1e", "-c", query, os.environ["ENDONYM_TEST_DATABASE_URL"]]
    environment = os.environ | {"PGOPTIONS": "-c client_min_messages=warning"}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8", env=environment).stdout


def reset():
    psql("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    psql("SELECT pg_stat_statements_reset()")


def normalized(query):
    """The same text for lists of any length."""
    query = re.sub(r"\s+", " ", query.strip())
    query = re.sub(r"\$\d+", "$", query)
    query = re.sub(r"CAST\(\$ AS \w+\)", "$", query)
    query = re.sub(r"\$(, ?\$)+", "$", query)
    return re.sub(r"\(\$\)(, ?\(\$\))+", "($)", query)


def statements():
    if psql("SELECT dealloc FROM pg_stat_statements_info").strip() != "0":
        sys.exit("error: the server has forgotten statements: raise pg_stat_statements.max")
    found = psql("SELECT DISTINCT query FROM pg_stat_statements").split("\x1e")
    return {normalized(query) for query in found if query.strip() and not NOT_OURS.search(query)}


def run(binary, tests, threads):
    """The statements of tests, and how long they took."""
    reset()
    began = time.monotonic()
    command = [binary, f"--test-threads={threads}", "--exact", *tests]
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ran.returncode != 0:
        sys.exit(f"{ran.stdout}\nerror: a test failed")
    seconds = time.monotonic() - began
    found = statements()
    drop_databases()
    return found, seconds


def drop_databases():
    """What a process of tests has left: the databases of its last tests, and those that it has copied."""
    names = psql("SELECT datname FROM pg_database WHERE datname ~ '^test_[0-9]+_[0-9]+$'").split("\x1e")
    for name in filter(None, map(str.strip, names)):
        psql(f"DROP DATABASE {name} WITH (FORCE)")


def write(binary, notes):
    noted = [line.split() for line in open(notes, encoding="utf-8")]
    differs = {test for what, test in noted if what == "differs"}
    tests = sorted({test for _, test in noted})
    candidates = [test for test in tests if CANDIDATES.match(test) and not AT_ONCE.search(test) and test not in differs]
    always = [test for test in tests if test not in set(candidates)]
    print(f"{len(always)} tests are always repeated", flush=True)
    covered, _ = run(binary, always, 6)
    measured = {}
    for number, test in enumerate(candidates, 1):
        measured[test] = run(binary, [test], 1)
        if number % 50 == 0:
            print(f"{number} of {len(candidates)} others", flush=True)
    # Repeatedly takes the test with the most new statements per second, until none has any.
    while measured:
        gain = {test: len(found - covered) / seconds for test, (found, seconds) in measured.items()}
        best = max(gain, key=gain.get)
        if gain[best] == 0:
            break
        covered |= measured.pop(best)[0]
    with open(LIST, "w", encoding="utf-8") as file:
        file.writelines(f"{test}\n" for test in sorted(measured))
    print(f"{len(measured)} of them execute no statement that others do not: {LIST}")


def compare(before, after):
    known = set(open(before, encoding="utf-8"))
    new = [line for line in open(after, encoding="utf-8") if line not in known]
    if new:
        reason = "error: on PostgreSQL, only tests in tests/it/sqlite_only.txt execute these statements. Write it again with `./test --select`:"
        sys.exit(f"{reason}\n{''.join(new)}")


def main():
    match sys.argv[1:]:
        case ["write", binary, notes]:
            write(binary, notes)
        case ["show"]:
            sys.stdout.writelines(f"{one}\n" for one in sorted(statements()))
        case ["reset"]:
            reset()
        case ["compare", before, after]:
            compare(before, after)
        case _:
            sys.exit(__doc__)


main()

"""Sends hostile requests to a real server, on SQLite and on PostgreSQL.

  ./hostile                    everything: 20,000 generated requests and every raw case on each database
  ./hostile --quick            2,000 generated requests and every raw case, only on SQLite
  ./hostile --only raw         one half: `raw` or `generated`

schemathesis generates requests from the OpenAPI documents that the server serves. Raw cases write bytes to a socket
that no client library would send. A run fails on any 5xx, on a panic or an ERROR in the server's log, and on every
failed check. It installs what it needs, and stops only the processes that it started.
"""

import argparse
import os
import sys

import generated
import raw
from target import Target, machine, postgres


def arguments():
    parser = argparse.ArgumentParser(
        prog="./hostile", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="2,000 generated requests, only on SQLite")
    parser.add_argument("--only", choices=["raw", "generated"], help="only one half of the run")
    parser.add_argument("--database", choices=["sqlite", "postgres"], help="only one database")
    parser.add_argument("--requests", type=int, help="generated requests per database [20000]")
    parser.add_argument("--seed", type=int, help="seed of the generator, to repeat a run")
    parser.add_argument("--case", help="only raw cases whose name contains this text")
    parser.add_argument("--binary", type=os.path.abspath, help="test this binary instead of building a release")
    args = parser.parse_args()
    args.requests = args.requests or (2_000 if args.quick else 20_000)
    args.databases = [args.database] if args.database else ["sqlite"] if args.quick else ["sqlite", "postgres"]
    return args


def main():
    args = arguments()
    machine.install_what_is_missing(with_postgres="postgres" in args.databases)
    binary = args.binary or machine.build()
    passed, failures = 0, []
    with postgres("postgres" in args.databases) as server:
        for database in args.databases:
            with Target(binary, database, server) as target:
                if args.only != "generated":
                    passed += raw.run(target, args.case, failures)
                if args.only != "raw":
                    passed += generated.run(target, args.requests, args.seed, failures)
                failures += target.faults()
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures or not passed else 0)


if __name__ == "__main__":
    main()

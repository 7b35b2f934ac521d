"""Compares Endonym's performance with nginx serving a static file of the same size. See bench/RESULTS.md.

  bench/run            everything: 10,000 and 1,000,000 people, SQLite and PostgreSQL; about half an hour
  bench/run --quick    a trial run of a few minutes: 10,000 people, one short round

Installs wrk, nginx and PostgreSQL from Debian's packages when they are missing, builds the release binary, keeps
everything else in bench/.work, and stops only the processes that it started. A full run writes its tables to
bench/RESULTS.md.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys

from lib import cases, load, machine, report, servers, targets


def numbers(text):
    return [int(number) for number in text.split(",")]


def words(text):
    return text.split(",")


def arguments():
    parser = argparse.ArgumentParser(
        prog="bench/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="only 10,000 people, one round of 2 seconds")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--sqlite-only", action="store_true")
    only.add_argument("--postgres-only", action="store_true")
    parser.add_argument("--seconds", type=int, help="duration of each measurement [5]")
    parser.add_argument("--rounds", type=int, help="number of rounds; the median is reported [3]")
    parser.add_argument("--connections", type=int, default=32, help="number of wrk connections [32]")
    parser.add_argument("--sizes", type=numbers, metavar="N,N", help="numbers of people [10000,1000000]")
    parser.add_argument("--cases", type=words, metavar="CASE,CASE",
                        help=f"only these cases, of {', '.join(case.key for case in cases.ALL)}")
    parser.add_argument("--fresh", action="store_true", help="seed new databases, even if cached ones exist")
    parser.add_argument("--binary", metavar="FILE", type=os.path.abspath, help="measure this binary instead of building one")
    parser.add_argument("--write", action="store_true", help="write bench/RESULTS.md even after a partial run")
    parser.add_argument("--json", metavar="FILE", type=os.path.abspath, help="write the figures to this file, too, for bench/charts")
    args = parser.parse_args()
    args.whole = not (args.quick or args.sqlite_only or args.postgres_only or args.sizes or args.cases)
    args.seconds = args.seconds or (2 if args.quick else 5)
    args.rounds = args.rounds or (1 if args.quick else 3)
    args.sizes = sorted(args.sizes or ([10_000] if args.quick else [10_000, 1_000_000]))
    if any(size < 1_000 or size % 100 for size in args.sizes):
        parser.error("sizes must be multiples of 100, and at least 1,000")
    unknown = set(args.cases or []) - {case.key for case in cases.ALL}
    if unknown:
        parser.error(f"unknown case: {', '.join(sorted(unknown))}")
    return args


def main():
    args = arguments()
    # SIGTERM ends the `with` below like an error, which stops every server.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.makedirs(machine.WORK, exist_ok=True)
    databases = ["SQLite"] * (not args.postgres_only) + ["PostgreSQL"] * (not args.sqlite_only)
    machine.install_what_is_missing(with_postgres="PostgreSQL" in databases)
    binary = args.binary or machine.build()
    measured = [case for case in cases.ALL if not args.cases or case.key in args.cases]
    built_from = "unknown (--binary was used)" if args.binary else machine.commit()
    facts = machine.facts("PostgreSQL" in databases, built_from)
    with contextlib.ExitStack() as stack:
        nginx = servers.Nginx()
        stack.callback(nginx.stop)
        found = targets.start(binary, databases, args.sizes, args.fresh, stack)
        bench = load.Bench(found, nginx, args.rounds, args.seconds, args.connections)
        minutes = len(found) * len(measured) * args.rounds * 2 * (args.seconds + 0.3) / 60
        machine.say(f"Measuring for about {minutes:.0f} minutes; do not use the machine meanwhile")
        bench.run(measured)
        for target in found:
            target.memory = target.server.memory()
    # Paths on this machine are of no interest to others.
    files = {args.binary, args.json} - {None}
    typed = ["…" if os.path.abspath(word) in files else word for word in sys.argv[1:]]
    command = " ".join(["bench/run", *typed])
    text = report.whole(bench, found, measured, facts, command)
    print(text)
    if args.json:
        report.write_json(args.json, report.figures(bench, found, measured, facts))
    if args.whole or args.write:
        report.write(text)
    else:
        machine.say("This was a partial run, so bench/RESULTS.md was not changed; use --write to change it")


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, subprocess.CalledProcessError) as error:
        machine.fail(str(error))
    except KeyboardInterrupt:
        sys.exit(130)

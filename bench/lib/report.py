"""The tables of bench/RESULTS.md."""

import json
import os

from . import cases, machine
from .load import median

BEGIN, END = "<!-- bench/run writes from here", "<!-- to here -->"
NEW = f"""# Benchmark results

{BEGIN} to the next marker; write outside of it. -->
{END}

## Where the time goes

To be written.
"""

MIN_OF_NGINX, MAX_SLOWDOWN, MAX_MEMORY, MAX_STARTUP = 0.5, 1.3, 150, 0.5


def table(heads, rows):
    align = ["---"] + ["---:"] * (len(heads) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [heads, align, *rows])


def milliseconds(value):
    return f"{value * 1000:.2f}"


def share(ratio):
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"


def micros(value):
    return f"{value * 1e6:,.0f}"


def of_target(bench, target, measured):
    rows = []
    for case in measured:
        pairs = bench.results[target.key, case.key]
        ratios = sorted(pair.ratio for pair in pairs)
        spread = f" ({share(ratios[0])}–{share(ratios[-1])})" if len(pairs) > 1 else ""
        rows.append([
            case.title_for(target.size),
            f"{bench.files[target.key, case.key][1]:,}",
            f"{median(pairs, lambda pair: pair.nginx.per_second):,.0f}",
            f"{median(pairs, lambda pair: pair.endonym.per_second):,.0f}",
            f"**{share(median(pairs, lambda pair: pair.ratio))}**{spread}",
            milliseconds(median(pairs, lambda pair: pair.endonym.p50)),
            milliseconds(median(pairs, lambda pair: pair.endonym.p99)),
            milliseconds(median(pairs, lambda pair: pair.nginx.p50)),
            milliseconds(median(pairs, lambda pair: pair.nginx.p99)),
            micros(median(pairs, lambda pair: pair.endonym.cpu_each)),
            micros(median(pairs, lambda pair: pair.nginx.cpu_each)),
        ])
    heads = [
        "", "response, bytes", "nginx, per second", "Endonym, per second", "of nginx", "p50, ms", "p99, ms",
        "nginx p50", "nginx p99", "CPU each, µs", "nginx CPU each",
    ]
    return f"### {target.title}\n\n{table(heads, rows)}"


def of_pgbench(bench, targets, measured):
    """Lookups on PostgreSQL compared with what pgbench gets from the same database. `None` if it was not measured."""
    rows = []
    for target in targets:
        for case in measured:
            pairs = [pair for pair in bench.results[target.key, case.key] if pair.pgbench]
            if not pairs:
                continue
            ratios = sorted(pair.of_pgbench for pair in pairs)
            spread = f" ({share(ratios[0])}–{share(ratios[-1])})" if len(pairs) > 1 else ""
            rows.append([
                f"{case.title_for(target.size)}, {target.size:,} people",
                f"{median(pairs, lambda pair: pair.pgbench):,.0f}",
                f"{median(pairs, lambda pair: pair.endonym.per_second):,.0f}",
                f"**{share(median(pairs, lambda pair: pair.of_pgbench))}**{spread}",
            ])
    if not rows:
        return None
    heads = ["", "pgbench, per second", "Endonym, per second", "of pgbench"]
    return (
        "### Lookups on PostgreSQL compared with pgbench\n\n"
        f"`pgbench -M prepared` with the select of a lookup, {bench.connections} connections and 2 threads, directly after the case "
        "in each round: one select at a time on each connection, and no HTTP.\n\n"
        f"{table(heads, rows)}"
    )


def slowdowns(bench, pairs_of_targets, measured):
    """The slowdown of the large data set relative to the small one, both relative to nginx at that moment."""
    heads = ["", *(f"{large.database}" for _, large in pairs_of_targets)]
    rows = [
        [case.title, *(f"{slowdown(bench, small, large, case):.2f}" for small, large in pairs_of_targets)]
        for case in measured
    ]
    small, large = pairs_of_targets[0]
    return f"### {large.size:,} people compared with {small.size:,}: slowdown factor\n\n{table(heads, rows)}"


def slowdown(bench, small, large, case):
    ratio = [median(bench.results[target.key, case.key], lambda pair: pair.ratio) for target in (small, large)]
    return ratio[0] / ratio[1]


def aims(bench, pairs_of_targets, measured, sqlite):
    """The targets; `sqlite` is the largest data set."""
    rows = []

    def aim(what, wanted, got, met):
        rows.append([what, wanted, got, "yes" if met else "**no**"])

    if sqlite:
        for case in (case for case in measured if case.key in cases.LOOKUPS):
            got = median(bench.results[sqlite.key, case.key], lambda pair: pair.ratio)
            what = f"{case.title}, SQLite, {sqlite.size:,} people"
            aim(what, f"at least {MIN_OF_NGINX} of nginx", f"{got:.2f}", got >= MIN_OF_NGINX)
    for small, large in pairs_of_targets:
        worst = max(measured, key=lambda case: slowdown(bench, small, large, case))
        got = slowdown(bench, small, large, worst)
        what = f"{large.size:,} people compared with {small.size:,}, {large.database}, worst case"
        aim(what, f"at most {MAX_SLOWDOWN} times slower", f"{got:.2f} ({worst.title})", got <= MAX_SLOWDOWN)
    if sqlite:
        resident, highest, _ = sqlite.memory
        aim(f"Resident memory after the run, SQLite, {sqlite.size:,} people", f"under {MAX_MEMORY} MB",
            f"{resident:.0f} MB, peak {highest:.0f} MB", highest < MAX_MEMORY)
        aim(f"Startup until ready, SQLite, {sqlite.size:,} people", f"under {MAX_STARTUP} s",
            f"{sqlite.start_up:.3f} s", sqlite.start_up < MAX_STARTUP)
    return f"### Targets\n\n{table(['', 'target', 'measured', 'met'], rows)}"


def context(targets):
    heads = ["", "seeding, s", "startup until ready, s", "resident, MB", "peak, MB", "private, MB"]
    rows = [
        [target.title, f"{target.seeded_in:.1f}", f"{target.start_up:.3f}", *(f"{size:.0f}" for size in target.memory)]
        for target in targets
    ]
    return f"### Seeding, startup and memory\n\n{table(heads, rows)}"


def whole(bench, targets, measured, facts, command):
    by_database = {}
    for target in targets:
        by_database.setdefault(target.database, []).append(target)
    pairs_of_targets = [(sizes[0], sizes[-1]) for sizes in by_database.values() if len(sizes) > 1]
    sqlite = by_database.get("SQLite", [None])[-1]
    parts = [
        f"Generated by `{command}`. Each number is the median of {bench.rounds} × {bench.duration} s, with wrk (2 threads, "
        f"{bench.connections} connections) on the same cores as the server. Each round measures nginx, with a file "
        "of the same size as the response, directly before the case; *of nginx* is the median of these ratios, with the "
        "minimum and maximum. For a POST, nginx serves a plain GET. CPU is the server's user and kernel time per "
        "response, including PostgreSQL's.",
        "\n".join(f"- {name}: {value}" for name, value in facts),
        *([aims(bench, pairs_of_targets, measured, sqlite)] if sqlite or pairs_of_targets else []),
        *(of_target(bench, target, measured) for target in targets),
    ]
    compared = of_pgbench(bench, targets, measured)
    if compared:
        parts.append(compared)
    if pairs_of_targets:
        parts.append(slowdowns(bench, pairs_of_targets, measured))
    parts.append(context(targets))
    return "\n\n".join(parts)


def figures(bench, targets, measured, facts):
    """The same medians as in the tables, for programs."""
    def of(pairs, server):
        one = lambda key: median(pairs, lambda pair: getattr(getattr(pair, server), key))  # noqa: E731
        return {
            "per_second": one("per_second"), "p50_ms": one("p50") * 1e3, "p99_ms": one("p99") * 1e3,
            "cpu_us": one("cpu_each") * 1e6,
        }

    def case_of(case, target):
        pairs = bench.results[target.key, case.key]
        ratio = median(pairs, lambda pair: pair.ratio)
        found = {"key": case.key, "title": case.title, "ratio": ratio, "endonym": of(pairs, "endonym"), "nginx": of(pairs, "nginx")}
        if all(pair.pgbench for pair in pairs):
            found["of_pgbench"] = median(pairs, lambda pair: pair.of_pgbench)
        return found

    return {
        "kind": "run", "facts": dict(facts), "rounds": bench.rounds, "seconds": bench.duration,
        "targets": [
            {
                "database": target.database, "people": target.size, "start_up_seconds": target.start_up,
                "private_mb": target.memory[2], "cases": [case_of(case, target) for case in measured],
            }
            for target in targets
        ],
    }


def write_json(path, told):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(told, file, indent=1, ensure_ascii=False)
    machine.say(f"Wrote {path}")


def write(text):
    """Writes between the markers; text outside of them is kept."""
    path = os.path.join(machine.ROOT, "bench", "RESULTS.md")
    page = NEW
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            page = file.read()
    before, begin, rest = page.partition(BEGIN)
    line, _, rest = rest.partition("\n")
    _, end, behind = rest.partition(END)
    if not begin or not end:
        machine.fail("the markers in bench/RESULTS.md are missing; the tables were printed above")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{begin}{line}\n\n{text}\n\n{end}{behind}")
    machine.say("Wrote bench/RESULTS.md")

"""The tables, and where they go."""

import os

from . import cases, machine
from .load import median

BEGIN, END = "<!-- bench/run writes from here", "<!-- to here -->"
NEW = f"""# What the benchmark measured

{BEGIN} to the next marker; write outside of it. -->
{END}

## Where the time goes

To be written.
"""

LEAST_OF_NGINX, MOST_SLOWER, MOST_MEMORY, MOST_TO_START = 0.5, 1.3, 150, 0.5


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
        "", "answer, bytes", "nginx, per second", "Endonym, per second", "of nginx", "p50, ms", "p99, ms",
        "nginx p50", "nginx p99", "CPU each, µs", "nginx CPU each",
    ]
    return f"### {target.title}\n\n{table(heads, rows)}"


def slowdowns(bench, pairs_of_targets, measured):
    """How much slower the large set is than the small one, both as a share of nginx at that moment."""
    heads = ["", *(f"{large.database}" for _, large in pairs_of_targets)]
    rows = [
        [case.title, *(f"{slowdown(bench, small, large, case):.2f}" for small, large in pairs_of_targets)]
        for case in measured
    ]
    small, large = pairs_of_targets[0]
    return f"### {large.size:,} people against {small.size:,}: times slower\n\n{table(heads, rows)}"


def slowdown(bench, small, large, case):
    ratio = [median(bench.results[target.key, case.key], lambda pair: pair.ratio) for target in (small, large)]
    return ratio[0] / ratio[1]


def aims(bench, pairs_of_targets, measured, sqlite):
    """The issue's aims; `sqlite` is the largest set there."""
    rows = []

    def aim(what, wanted, got, met):
        rows.append([what, wanted, got, "yes" if met else "**no**"])

    if sqlite:
        for case in (case for case in measured if case.key in cases.LOOKUPS):
            got = median(bench.results[sqlite.key, case.key], lambda pair: pair.ratio)
            what = f"{case.title}, SQLite, {sqlite.size:,} people"
            aim(what, f"at least {LEAST_OF_NGINX} of nginx", f"{got:.2f}", got >= LEAST_OF_NGINX)
    for small, large in pairs_of_targets:
        worst = max(measured, key=lambda case: slowdown(bench, small, large, case))
        got = slowdown(bench, small, large, worst)
        what = f"{large.size:,} people against {small.size:,}, {large.database}, worst case"
        aim(what, f"at most {MOST_SLOWER} times slower", f"{got:.2f} ({worst.title})", got <= MOST_SLOWER)
    if sqlite:
        resident, highest, _ = sqlite.memory
        aim(f"Resident memory after the run, SQLite, {sqlite.size:,} people", f"under {MOST_MEMORY} MB",
            f"{resident:.0f} MB, at most {highest:.0f} MB", highest < MOST_MEMORY)
        aim(f"Start to ready, SQLite, {sqlite.size:,} people", f"under {MOST_TO_START} s",
            f"{sqlite.start_up:.3f} s", sqlite.start_up < MOST_TO_START)
    return f"### Aims\n\n{table(['', 'aim', 'measured', 'met'], rows)}"


def context(targets):
    heads = ["", "seeded in, s", "start to ready, s", "resident, MB", "at most, MB", "of it its own, MB"]
    rows = [
        [target.title, f"{target.seeded_in:.1f}", f"{target.start_up:.3f}", *(f"{size:.0f}" for size in target.memory)]
        for target in targets
    ]
    return f"### Around it\n\n{table(heads, rows)}"


def whole(bench, targets, measured, facts, command):
    by_database = {}
    for target in targets:
        by_database.setdefault(target.database, []).append(target)
    pairs_of_targets = [(sizes[0], sizes[-1]) for sizes in by_database.values() if len(sizes) > 1]
    sqlite = by_database.get("SQLite", [None])[-1]
    parts = [
        f"Made by `{command}`: for each number the median of {bench.rounds} × {bench.duration} s; wrk with 2 threads "
        f"and {bench.connections} connections on the same cores as the server. Each round measures nginx, with a file "
        "as long as the answer, right before the case; *of nginx* is the median of those ratios, with the least and "
        "the greatest. For a post nginx answers a plain GET. CPU is the server's time in user and kernel mode for one "
        "answer, PostgreSQL's included.",
        "\n".join(f"- {name}: {value}" for name, value in facts),
        *([aims(bench, pairs_of_targets, measured, sqlite)] if sqlite or pairs_of_targets else []),
        *(of_target(bench, target, measured) for target in targets),
    ]
    if pairs_of_targets:
        parts.append(slowdowns(bench, pairs_of_targets, measured))
    parts.append(context(targets))
    return "\n\n".join(parts)


def write(text):
    """Between the markers; what people wrote around them stays."""
    path = os.path.join(machine.ROOT, "bench", "RESULTS.md")
    page = NEW
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            page = file.read()
    before, begin, rest = page.partition(BEGIN)
    line, _, rest = rest.partition("\n")
    _, end, behind = rest.partition(END)
    if not begin or not end:
        machine.fail("bench/RESULTS.md has lost its markers; the table was printed above")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{begin}{line}\n\n{text}\n\n{end}{behind}")
    machine.say("Wrote bench/RESULTS.md")

"""Runs wrk: single measurements, and rounds of all cases."""

import dataclasses
import os
import re
import statistics
import subprocess

from . import cases as all_cases, machine, pgbench
from .servers import ticks

SCRIPT = os.path.join(machine.ROOT, "bench", "wrk.lua")


@dataclasses.dataclass
class Measured:
    per_second: float
    p50: float  # seconds
    p99: float
    bytes_each: float
    cpu_each: float  # seconds of the server's CPU time


@dataclasses.dataclass
class Pair:
    """One round: nginx, directly followed by the case. Lookups on PostgreSQL are followed by pgbench."""

    nginx: Measured
    endonym: Measured
    pgbench: float = None  # selects per second

    @property
    def ratio(self):
        return self.endonym.per_second / self.nginx.per_second

    @property
    def of_pgbench(self):
        return self.endonym.per_second / self.pgbench


def lua_value(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {lua_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "{" + ", ".join(map(lua_value, value)) + "}"
    return str(value) if isinstance(value, int) else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def seconds(text):
    """`350.00us`, `1.20ms`, `2.00s`, `1.00m`."""
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}[unit]


def size(text):
    number, unit = re.fullmatch(r"([\d.]+)([KMGT]?)B", text).groups()
    return float(number) * 1024 ** " KMGT".index(unit or " ")


def wrk(port, conf, duration, connections, pids):
    """One run. Any error aborts the benchmark: fast errors do not count."""
    script_conf = os.path.join(machine.WORK, "wrk-conf.lua")
    with open(script_conf, "w", encoding="utf-8") as file:
        file.write("return " + lua_value(conf) + "\n")
    before = ticks(pids())
    done = subprocess.run(
        ["wrk", "-t2", f"-c{connections}", f"-d{duration}s", "--timeout", "30s", "--latency", "-s", SCRIPT,
         f"http://127.0.0.1:{port}", "--", script_conf],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    spent = ticks(pids()) - before
    text = done.stdout
    bad = re.search(r"Non-2xx or 3xx responses.*|Socket errors.*", text)
    if done.returncode != 0 or bad:
        machine.fail(f"wrk reported errors for {conf['path']}:\n{text}")
    count, read = re.search(r"(\d+) requests in [\d.]+\w+, ([\d.]+[KMGT]?B) read", text).groups()
    if int(count) == 0:
        machine.fail(f"wrk got no response for {conf['path']}:\n{text}")
    return Measured(
        per_second=float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)),
        p50=seconds(re.search(r"^\s+50%\s+(\S+)", text, re.MULTILINE).group(1)),
        p99=seconds(re.search(r"^\s+99%\s+(\S+)", text, re.MULTILINE).group(1)),
        bytes_each=size(read) / int(count),
        cpu_each=spent / int(count),
    )


def median(pairs, what):
    return statistics.median(what(pair) for pair in pairs)


class Bench:
    """Every case on every target, in rounds; nginx is measured again with each."""

    def __init__(self, targets, nginx, rounds, duration, connections):
        self.targets, self.nginx = targets, nginx
        self.rounds, self.duration, self.connections = rounds, duration, connections
        self.seed = 0
        self.files = {}
        self.results = {}

    def run(self, cases):
        # Targets are the inner loop, so that 10,000 and 1,000,000 people are measured minutes apart, not hours.
        for writes in (False, True):
            for number in range(self.rounds):
                for case in (case for case in cases if case.writes == writes):
                    for target in self.targets:
                        pair = self.pair(case, target, warm=number == 0)
                        self.results.setdefault((target.key, case.key), []).append(pair)
                        machine.say(
                            f"  round {number + 1}  {target.key:18} {case.key:12} {pair.endonym.per_second:9,.0f}/s"
                            f"  nginx {pair.nginx.per_second:9,.0f}/s  ratio {pair.ratio:.3f}"
                            f"  p99 {pair.endonym.p99 * 1000:.2f} ms"
                            + (f"  pgbench {pair.pgbench:9,.0f}/s" if pair.pgbench else "")
                        )

    def pair(self, case, target, warm):
        key = (target.key, case.key)
        if key not in self.files:
            length = case.average_bytes(target.server, target.size, seed=len(self.files))
            self.files[key] = (self.nginx.file(f"{target.key}-{case.key}.json", length), length)
        file, length = self.files[key]
        if warm:
            self.endonym(case, target, 1)
        limit = self.wrk(
            self.nginx.port, case.of_nginx(target.server.token, target.size, self.next_seed(), file), self.nginx.pids
        )
        ours = self.endonym(case, target)
        # Compare only responses of the same size.
        if abs(ours.bytes_each - limit.bytes_each) > 0.1 * limit.bytes_each + 100:
            machine.fail(
                f"{case.title}: responses had {ours.bytes_each:,.0f} bytes, nginx's {limit.bytes_each:,.0f}"
            )
        selects = None
        if target.postgres and case.key in all_cases.LOOKUPS:
            selects = pgbench.lookups_per_second(target, self.duration, self.connections)
        return Pair(limit, ours, selects)

    def endonym(self, case, target, duration=None):
        conf = case.of_endonym(target.server.token, target.size, self.next_seed()) | case.more(target.server)
        return self.wrk(target.server.port, conf, target.pids, duration)

    def wrk(self, port, conf, pids, duration=None):
        return wrk(port, conf, duration or self.duration, self.connections, pids)

    def next_seed(self):
        self.seed += 1
        return self.seed

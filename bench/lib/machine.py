"""Debian packages, the release build, and facts about the machine for the report."""

import contextlib
import datetime
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(ROOT, "bench", ".work")


def say(text):
    print(text, file=sys.stderr, flush=True)


def fail(text):
    sys.exit(f"bench: {text}")


# --- Packages ---

def nginx():
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")


def postgres_bin():
    """The directory with initdb and postgres, which Debian does not put on the PATH."""
    found = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    newest = max(found, key=lambda path: int(path.split("/")[4]), default=None)
    initdb = newest or shutil.which("initdb")
    return os.path.dirname(os.path.realpath(initdb)) if initdb else None


def install_what_is_missing(with_postgres, more=()):
    wanted = [("wrk", shutil.which("wrk")), ("nginx", nginx()), *more]
    if with_postgres:
        wanted.append(("postgresql", postgres_bin()))
    missing = [package for package, found in wanted if not found]
    if not missing:
        return
    say(f"Installing from Debian's packages: {' '.join(missing)}")
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    if as_root and not shutil.which("sudo"):
        fail(f"{', '.join(missing)} missing: run as root, or install sudo")
    with services_stay_stopped(as_root):
        subprocess.run([*as_root, "apt-get", "update", "-qq"], check=True)
        subprocess.run(
            [*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq",
             "--no-install-recommends", *missing],
            check=True, stdout=subprocess.DEVNULL,
        )


@contextlib.contextmanager
def services_stay_stopped(as_root):
    """Keeps Debian packages from starting their services on installation (policy 101). We start our own."""
    policy = "/usr/sbin/policy-rc.d"
    if os.path.exists(policy):
        # Keep the operator's own policy.
        yield
        return
    with tempfile.NamedTemporaryFile("w", suffix=".policy") as text:
        text.write("#!/bin/sh\nexit 101\n")
        text.flush()
        subprocess.run([*as_root, "install", "-m", "755", text.name, policy], check=True)
    try:
        yield
    finally:
        subprocess.run([*as_root, "rm", "-f", policy], check=True)


def build(frame_pointers=False):
    """Builds the release binary. A build with frame pointers has its own directory and does not affect the usual one."""
    environment, more = dict(os.environ), []
    if frame_pointers:
        environment |= {
            "RUSTFLAGS": "-C force-frame-pointers=yes",
            "CFLAGS": "-fno-omit-frame-pointer",
            "CARGO_PROFILE_RELEASE_DEBUG": "line-tables-only",
        }
        more = ["--target-dir", os.path.join(WORK, "target")]
    say(" ".join(["cargo build --release", *more]))
    subprocess.run(["cargo", "build", "--release", *more], cwd=ROOT, env=environment, check=True)
    if more:
        return os.path.join(more[1], "release", "endonym")
    metadata = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    return os.path.join(json.loads(metadata.stdout)["target_directory"], "release", "endonym")


# --- Facts ---

def first_line(*command):
    try:
        done = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30
        )
    except OSError:
        return "unknown"
    return (done.stdout.strip().splitlines() or ["unknown"])[0]


def field_of(path, pattern):
    with open(path, encoding="utf-8") as file:
        found = re.search(pattern, file.read(), re.MULTILINE)
    return found.group(1).strip() if found else "unknown"


def commit():
    dirty = subprocess.run(
        ["git", "status", "--porcelain", "--", "src", "migrations", "Cargo.toml", "Cargo.lock"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ).stdout.strip()
    return first_line("git", "rev-parse", "--short", "HEAD") + (" with changes" if dirty else "")


def facts(with_postgres, built_from):
    memory = int(field_of("/proc/meminfo", r"^MemTotal:\s+(\d+)")) // 1024
    processor = field_of("/proc/cpuinfo", r"^model name.*: (.*)$")
    system = field_of("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)')
    known = [
        ("Date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
        ("Commit", built_from),
        ("Processor", f"{processor}, {os.cpu_count()} cores"),
        ("Memory", f"{memory:,} MB"),
        ("System", f"{system}, Linux {platform.release()}"),
        ("Disk", disk()),
        ("Rust", first_line("rustc", "--version")),
        ("nginx", first_line(nginx(), "-v").removeprefix("nginx version: ")),
        ("wrk", re.sub(r"\s*\[.*", "", first_line("wrk", "-v"))),
    ]
    if with_postgres:
        known.append(("PostgreSQL", first_line(os.path.join(postgres_bin(), "postgres"), "--version")))
    return known


def disk():
    """The fsync rate of this disk: the upper bound for sequential durable creates."""
    times = []
    with tempfile.NamedTemporaryFile(dir=WORK) as file:
        end = time.perf_counter() + 1
        while time.perf_counter() < end:
            os.pwrite(file.fileno(), os.urandom(4096), 4096 * len(times))
            before = time.perf_counter()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - before)
    times.sort()
    middle = times[len(times) // 2]
    return f"{len(times) / sum(times):,.0f} fsyncs of 4 KB per second, median {middle * 1e6:,.0f} µs"

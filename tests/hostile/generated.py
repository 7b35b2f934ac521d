"""Requests that schemathesis generates from the server's OpenAPI documents."""

import json
import os
import subprocess
import sys
import venv

from target import ROOT, machine

SCHEMATHESIS = "4.32.5"

# Shares of the requests: versions 5 and 4 have the most parameters.
SHARES = {"v5": 0.45, "v4": 0.4, "v3": 0.12, "v2": 0.03}

# All checks run except two, which contradict the contract. The contract is lenient (blank parameters count as omitted, numbers
# may be strings, unknown keys are ignored), so a request that violates the schema may succeed. A schema cannot express
# that an email must be unused, a phone number real, or audio audible, so a request that satisfies it may be rejected.
EXCLUDED = "negative_data_rejection,positive_data_acceptance"


def python():
    """A Python environment with schemathesis, in cargo's target directory."""
    folder = os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target")), f"schemathesis-{SCHEMATHESIS}")
    program = os.path.join(folder, "bin", "schemathesis")
    if not os.path.exists(program):
        machine.say(f"Installing schemathesis {SCHEMATHESIS} into {folder}")
        venv.create(folder, with_pip=True, clear=True)
        pip = [os.path.join(folder, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, f"schemathesis=={SCHEMATHESIS}"], check=True)
    return program


def run(target, requests, seed, failures):
    """Appends to the failures, and returns the number of versions that passed."""
    program, passed, generated = python(), 0, 0
    for version, share in SHARES.items():
        wanted, count, turn = int(requests * share), 0, 0
        while count < wanted:
            turn += 1
            made, problems = one(program, target, version, wanted - count, seed and seed + turn)
            count += made
            failures += [f"{target.database} {version}: {problem}" for problem in problems]
            if problems or not made:
                break
        else:
            passed += 1
        generated += count
        machine.say(f"    {version}: {count} generated requests")
    errors = target.server_errors()
    if errors:
        failures.append(f"{target.database}: generated requests got {errors}")
    if generated < requests * 0.99 and not failures:
        failures.append(f"{target.database}: only {generated} requests of {requests} were generated")
    return passed


def one(program, target, version, wanted, seed):
    url = f"{target.url}/api/private/{version}/openapi.json"
    operations = operations_of(url)
    report = os.path.join(target.folder, f"{version}.json")
    command = [program, "run", url, "--checks", "all", "--exclude-checks", EXCLUDED,
               "--max-examples", str(max(10, wanted // max(1, operations))), "--continue-on-failure",
               # One thread: hypothesis is not thread-safe on every Python version in Debian.
               "--workers", "1", "--suppress-health-check", "all", "--warnings", "off",
               "--request-timeout", "30", "--report-json-path", report]
    if seed:
        command += ["--seed", str(seed)]
    environment = os.environ | {
        "SCHEMATHESIS_HOOKS": os.path.join(os.path.dirname(os.path.abspath(__file__)), "hooks.py"),
        "HOSTILE_FACTS": json.dumps(facts(target)),
    }
    # As declared in the documents: in a header or, in version 3, a parameter.
    with open(os.path.join(target.folder, "schemathesis.toml"), "w", encoding="utf-8") as file:
        file.write(f'[auth.openapi.apiKey]\napi_key = "{target.token}"\n' if version != "v2" else "")
    done = subprocess.run(command, env=environment, cwd=target.folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with open(report, encoding="utf-8") as file:
        found = json.load(file)
    if done.returncode != 0:
        sys.stderr.write(done.stdout[-6_000:])
        return found["test_cases"]["generated"], [f"schemathesis found failures (seed {found['seed']}), see above"]
    return found["test_cases"]["generated"], []


def operations_of(url):
    import urllib.request

    with urllib.request.urlopen(url, timeout=10) as answer:
        document = json.load(answer)
    return sum(1 for path in document["paths"].values() for verb in path if verb in ("get", "post", "put", "delete"))


def facts(target):
    """Existing references, so that requests get past "not found"."""
    return {
        "pages": [target.page["slug"], target.page["id"], target.page["access_code"], target.open_page["slug"]],
        "codes": [target.page["access_code"], target.open_page["access_code"], target.institution["access_code"]],
        "emails": [target.email(number) for number in range(20)],
        "ids": [f"id-{number}" for number in range(20)],
    }

"""The server under test: a fresh database with two institutions, and its log and metrics."""

import contextlib
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))
from lib import machine, servers  # noqa: E402  (the benchmark's servers, packages and build)

#: Number of people on the page that requests use.
PEOPLE = 60


@contextlib.contextmanager
def postgres(wanted):
    server = servers.Postgres() if wanted else None
    try:
        yield server
    finally:
        if server:
            server.stop()


class Target:
    def __init__(self, binary, database, server):
        self.binary, self.database, self.postgres = binary, database, server
        self.folder = tempfile.mkdtemp(prefix="endonym-hostile-")
        self.logs = []
        url = None
        if database == "postgres":
            name = f"hostile_{secrets.token_hex(4)}"
            server.sql("postgres", f"CREATE DATABASE {name}")
            self.database_name, url = name, server.url(name)
        self.environment = servers.environment(os.path.join(self.folder, "data"), url)
        # Generated requests without a token expect 401, not the rate limit for unknown tokens.
        self.environment["ENDONYM_AUTH_FAILURES"] = "4000000000"

    def __enter__(self):
        machine.say(f"==> {self.database}")
        self.endonym("migrate")
        self.institution = self.endonym("institution", "create", "--name", "Hostile", "--json")
        self.neighbor = self.endonym("institution", "create", "--name", "Neighbor", "--json")
        self.token = self.make_token("hostile")
        self.neighbor_token = self.make_token("neighbor")
        self.page = self.make_page("hostile", "Page")
        self.open_page = self.make_page("hostile", "Open")
        self.neighbor_page = self.make_page("neighbor", "Next Door")
        self.endonym("name-page", "update", "--institution", "hostile", "open", "--allow-v2", "true")
        self.endonym("custom-field", "create", "--institution", "hostile", "--name", "gender_pronouns", "--json")
        self.start()
        for number in range(PEOPLE):
            self.create(self.token, self.page["slug"], number)
        self.create(self.token, self.open_page["slug"], 0)
        self.create(self.neighbor_token, self.neighbor_page["slug"], 0)
        return self

    def __exit__(self, *_):
        self.server.stop()
        if self.database == "postgres":
            self.postgres.sql("postgres", f"DROP DATABASE {self.database_name} WITH (FORCE)")
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, **settings):
        # The benchmark keeps its servers' logs; they are checked when the run ends.
        name = f"hostile-{self.database}-{len(self.logs)}"
        self.server = servers.Endonym(self.binary, self.environment | settings, name, self.token)
        self.logs.append(os.path.join(machine.WORK, "logs", f"{name}.log"))
        self.port = self.server.port
        self.url = f"http://127.0.0.1:{self.port}"

    @contextlib.contextmanager
    def restarted(self, **settings):
        """Restarts the server with other settings on the same database, and restores it afterwards."""
        self.server.stop()
        self.start(**settings)
        try:
            yield self
        finally:
            self.server.stop()
            self.start()

    def endonym(self, *words):
        done = subprocess.run([self.binary, *words], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, cwd=self.folder)
        if done.returncode != 0:
            sys.exit(f"hostile: `endonym {' '.join(words)}` failed: {done.stderr}")
        return json.loads(done.stdout) if "--json" in words else done.stdout

    def make_token(self, slug):
        return self.endonym("token", "create", "--institution", slug, "--name", "hostile", "--json")["token"]

    def make_page(self, slug, title):
        return self.endonym("name-page", "create", "--institution", slug, "--title", title, "--json")

    def email(self, number):
        return f"person{number}@hostile.example"

    def create(self, token, page, number):
        participant = {"first_name": f"Person {number}", "last_name": "Ó Briain", "email": self.email(number),
                       "institution_id": f"id-{number}", "name_page_id": page,
                       "custom_fields": {"custom_gender_pronouns": "they"} if token == self.token else {}}
        status, body = self.ask("POST", "/api/private/v5/participants", {"participant": participant} | {"name_page_id": page}, token)
        if status != 201:
            sys.exit(f"hostile: cannot create a person: {status} {body}")

    def ask(self, method, path, body=None, token=None, timeout=60):
        """Sends a well-formed request; returns the status and the parsed body."""
        headers = {"Authorization": token or self.token, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        return status, json.loads(text) if text else None

    def server_errors(self):
        """The number of 5xx responses, from the server's metrics."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        counted = re.findall(r'^endonym_http_requests_total\{[^}]*status="(5\d\d)"[^}]*\} (\d+)', text, re.M)
        return {status: int(count) for status, count in counted if int(count)}

    def faults(self):
        """Stops the server and checks its exit code and logs."""
        found = []
        if self.server.process.poll() is not None:
            return [f"{self.database}: the server exited with code {self.server.process.returncode}"]
        for log in self.logs:
            with open(log, encoding="utf-8", errors="replace") as file:
                bad = [line.strip() for line in file if " ERROR " in line or '"ERROR"' in line or "panicked" in line]
            found += [f"{self.database}: log: {line}" for line in bad[:10]]
        return found

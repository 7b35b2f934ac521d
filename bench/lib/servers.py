"""The servers that a run starts on free loopback ports, and stops by process id.

Each has its own session, so that Ctrl-C reaches only this process, which stops them in order.
"""

import contextlib
import http.client
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from . import machine


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stop(process, how=signal.SIGTERM):
    """Terminates the process, which in turn stops its own children."""
    if process.poll() is None:
        process.send_signal(how)
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            machine.say(f"Process {process.pid} did not stop on SIGTERM")
            process.kill()
            process.wait()


def ticks(pids):
    """CPU time of these processes so far, in seconds."""
    total = 0
    for pid in pids:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def log(name):
    folder = os.path.join(machine.WORK, "logs")
    os.makedirs(folder, exist_ok=True)
    return open(os.path.join(folder, f"{name}.log"), "wb")


class Nginx:
    """The baseline: the speed of serving a static file.

    Its default headers are about as long as ours. Versions 3 and 2 have more headers, so nginx adds them
    for the corresponding files.
    """

    CONF = """
    {user}
    daemon off;
    worker_processes auto;
    pid {folder}/nginx.pid;
    error_log {folder}/error.log;
    events {{ worker_connections 4096; }}
    http {{
        access_log off;
        sendfile on;
        tcp_nopush on;
        keepalive_timeout 600s;
        keepalive_requests 1000000000;
        default_type "application/json; charset=utf-8";
        client_body_temp_path {folder}/body;
        proxy_temp_path {folder}/proxy;
        fastcgi_temp_path {folder}/fastcgi;
        uwsgi_temp_path {folder}/uwsgi;
        scgi_temp_path {folder}/scgi;
        server {{
            listen 127.0.0.1:{port};
            root {folder}/files;
            location ~ "-v[23]-" {{
                add_header Access-Control-Allow-Origin "*";
                add_header Access-Control-Expose-Headers "Nc-Rate-Limit-Limit, Nc-Rate-Limit-Remaining, Nc-Rate-Limit-Reset, Retry-After, X-Request-Id, Deprecation, Link";
                add_header Deprecation "@1767225600";
                add_header Link '<http://127.0.0.1:{port}/api/private/v4/name_pages/access00000000/participants>; rel="successor-version"';
                add_header Link '<http://127.0.0.1:{port}/docs/v3>; rel="deprecation"; type="text/html"';
            }}
        }}
    }}
    """

    def __init__(self):
        self.folder = os.path.join(machine.WORK, "nginx")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(os.path.join(self.folder, "files"))
        self.port = free_port()
        conf = os.path.join(self.folder, "nginx.conf")
        # Otherwise, workers run as another user, who may not have access to this directory.
        user = "user root;" if os.geteuid() == 0 else ""
        with open(conf, "w", encoding="utf-8") as file:
            file.write(self.CONF.format(user=user, folder=self.folder, port=self.port))
        self.process = subprocess.Popen(
            [machine.nginx(), "-e", os.path.join(self.folder, "error.log"), "-p", self.folder, "-c", conf],
            stdout=subprocess.DEVNULL, stderr=log("nginx"), start_new_session=True,
        )
        wait_for(lambda: answers(self.port, "/", 403), self.process, "nginx")

    def file(self, name, size):
        """The path of a file of this size."""
        with open(os.path.join(self.folder, "files", name), "wb") as file:
            file.write(b"x" * size)
        return f"/{name}"

    def pids(self):
        return [self.process.pid, *children(self.process.pid)]

    def stop(self):
        stop(self.process)


class Postgres:
    """A private server. Its directory, with the seeded databases, is kept for the next run."""

    def __init__(self):
        self.bin = machine.postgres_bin()
        # PostgreSQL refuses to run as root; Debian's package creates a user for it.
        self.user = "postgres" if os.geteuid() == 0 else None
        home = self.home()
        self.data = os.path.join(home, "data")
        secret = os.path.join(home, "password")
        if not os.path.exists(os.path.join(self.data, "PG_VERSION")):
            shutil.rmtree(self.data, ignore_errors=True)
            with open(secret, "w", encoding="utf-8", opener=private) as file:
                file.write(secrets.token_hex(16))
            if self.user:
                shutil.chown(secret, self.user)
            self.run(
                "initdb", "-D", self.data, "-U", "endonym", "-A", "scram-sha-256", f"--pwfile={secret}",
                "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", stdout=subprocess.DEVNULL,
            )
        with open(secret, encoding="utf-8") as file:
            self.password = file.read()
        with open(os.path.join(self.data, "PG_VERSION"), encoding="utf-8") as file:
            self.version = int(file.read().split(".")[0])
        # Identifies the cluster, so that databases of a deleted directory are not expected.
        self.born = int(os.stat(os.path.join(self.data, "PG_VERSION")).st_mtime)
        self.port = free_port()
        # Default settings, except for memory: the manual recommends a quarter of the machine's.
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
        settings = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "shared_buffers": f"{min(2048, memory // 4)}MB",
            "max_connections": 100,
        }
        options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        self.process = subprocess.Popen(
            [os.path.join(self.bin, "postgres"), "-D", self.data, *options],
            stdout=log("postgres"), stderr=subprocess.STDOUT, cwd="/", start_new_session=True, **self.identity(),
        )
        wait_for(self.is_ready, self.process, "PostgreSQL")

    def home(self):
        folder = os.path.join(machine.WORK, "postgres")
        os.makedirs(folder, exist_ok=True)
        if self.user:
            shutil.chown(folder, self.user)
        probe = subprocess.run(["test", "-w", folder], cwd="/", **self.identity())
        if probe.returncode == 0:
            return folder
        # Other users have no access to a checkout in root's home.
        pointer = os.path.join(machine.WORK, "postgres-folder")
        if os.path.exists(pointer):
            with open(pointer, encoding="utf-8") as file:
                kept = file.read()
            if os.path.isdir(kept):
                return kept
        kept = tempfile.mkdtemp(prefix="endonym-bench-", dir="/var/tmp")
        shutil.chown(kept, self.user)
        with open(pointer, "w", encoding="utf-8") as file:
            file.write(kept)
        machine.say(f"user {self.user} has no access to {folder}: PostgreSQL's files are in {kept}")
        return kept

    def identity(self):
        if not self.user:
            return {}
        found = pwd.getpwnam(self.user)
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}

    def run(self, program, *words, **more):
        done = subprocess.run([os.path.join(self.bin, program), *words], cwd="/", **more, **self.identity())
        if done.returncode != 0:
            machine.fail(f"{program} failed")

    def is_ready(self):
        ready = [os.path.join(self.bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(ready).returncode == 0

    def url(self, database):
        return f"postgres://endonym:{self.password}@127.0.0.1:{self.port}/{database}?sslmode=disable"

    def psql(self, database, *words):
        program = os.path.join(self.bin, "psql")
        where = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "endonym", "-d", database]
        return [program, "-X", "-q", "-v", "ON_ERROR_STOP=1", *where, *words]

    def environment(self):
        return os.environ | {"PGPASSWORD": self.password, "PGOPTIONS": "-c client_min_messages=warning"}

    def sql(self, database, text):
        done = subprocess.run(
            self.psql(database, "-A", "-t", "-c", text), env=self.environment(), stdout=subprocess.PIPE, text=True
        )
        if done.returncode != 0:
            machine.fail(f"PostgreSQL failed: {text}")
        return done.stdout

    @contextlib.contextmanager
    def script(self, database):
        """A pipe for a script that runs in one transaction."""
        psql = subprocess.Popen(
            self.psql(database, "-1", "-f", "-"), env=self.environment(),
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, encoding="utf-8",
        )
        with psql.stdin as pipe:
            yield pipe
        if psql.wait() != 0:
            machine.fail("PostgreSQL rejected the seed data")

    def pids(self):
        return [self.process.pid, *children(self.process.pid)]

    def stop(self):
        # Fast shutdown: does not wait for clients to disconnect.
        stop(self.process, signal.SIGINT)


class Endonym:
    """The release binary over one database."""

    def __init__(self, binary, environment, name, token):
        self.port = free_port()
        self.token = token
        started = time.perf_counter()
        self.process = subprocess.Popen(
            [binary, "serve"],
            env=environment | {"ENDONYM_LISTEN": f"127.0.0.1:{self.port}"},
            cwd=machine.WORK, stdout=subprocess.DEVNULL, stderr=log(name), start_new_session=True,
        )
        wait_for(lambda: answers(self.port, "/readyz", 200), self.process, f"endonym ({name})")
        self.seconds_to_ready = time.perf_counter() - started

    def ask(self, method, path, body=None):
        """Returns the status, the JSON and the number of bytes of the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Authorization": self.token, "Content-Type": "application/json"}
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text), len(text)

    def memory(self):
        """Current, peak and private resident memory, in MB."""
        path, names = f"/proc/{self.process.pid}/status", ("VmRSS", "VmHWM", "RssAnon")
        return tuple(int(machine.field_of(path, rf"^{name}:\s+(\d+)")) / 1024 for name in names)

    def pids(self):
        return [self.process.pid]

    def stop(self):
        stop(self.process)


def environment(data_dir=None, database_url=None):
    """Settings for endonym, without those of this shell or a settings file."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ENDONYM_")}
    os.makedirs(machine.WORK, exist_ok=True)
    empty = os.path.join(machine.WORK, "empty.toml")
    with open(empty, "w", encoding="utf-8"):
        pass
    clean |= {
        "ENDONYM_CONFIG": empty,
        "ENDONYM_DATA_DIR": data_dir or os.path.join(machine.WORK, "data", "unused"),
        "ENDONYM_LOG": "warn",
        # A u32 that no run reaches.
        "ENDONYM_RATE_LIMIT": "4000000000",
    }
    if database_url:
        clean["ENDONYM_DATABASE_URL"] = database_url
    return clean


def private(name, flags):
    return os.open(name, flags, 0o600)


def answers(port, path, status):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == status
    except OSError:
        return False
    finally:
        connection.close()


def wait_for(ready, process, name):
    """Stops the process if it does not become ready, or if waiting is interrupted."""
    end = time.monotonic() + 60
    try:
        while not ready():
            if process.poll() is not None:
                machine.fail(f"{name} exited at once; see bench/.work/logs")
            if time.monotonic() > end:
                machine.fail(f"{name} was not ready within a minute; see bench/.work/logs")
            time.sleep(0.001)
    except BaseException:
        stop(process)
        raise

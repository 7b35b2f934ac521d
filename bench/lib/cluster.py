"""Three nodes over PostgreSQL with a synchronous standby, an S3 server, and nginx in front, as in deploy/.

Everything is on free loopback ports and in one temporary directory. Processes are stopped by their ids.
"""

import contextlib
import http.client
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time

from . import machine, seed, servers

DEPLOY = os.path.join(machine.ROOT, "deploy")
DATABASE = "names"
BUCKET = "names"
MOTO = "5.2.5"


def deployed(*path):
    with open(os.path.join(DEPLOY, *path), encoding="utf-8") as file:
        return file.read()


class Member(servers.Postgres):
    """One of the two servers. Its settings are the defaults, except for the number of connections."""

    def __init__(self, folder, name, password, port):
        self.bin = machine.postgres_bin()
        self.user = "postgres" if os.geteuid() == 0 else None
        self.folder, self.name, self.password, self.port = folder, name, password, port
        self.data = os.path.join(folder, name)
        self.process = None

    def options(self):
        settings = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": 200}
        return ["-D", self.data, *(word for key, value in settings.items() for word in ("-c", f"{key}={value}"))]

    def start(self, *before):
        """`before` is a script that becomes the server."""
        words = [*before, os.path.join(self.bin, "postgres"), *self.options()]
        self.process = subprocess.Popen(
            words, stdout=servers.log(self.name), stderr=subprocess.STDOUT, cwd=self.folder, start_new_session=True,
            env=self.script_environment(), **self.identity(),
        )
        servers.wait_for(self.is_ready, self.process, self.name)

    def script_environment(self):
        return os.environ | {
            "PATH": f"{self.bin}:{os.environ.get('PATH', '/usr/bin:/bin')}", "PGDATA": self.data, "PGHOST": "127.0.0.1",
            "PGPORT": str(self.port), "PGPASSWORD": self.password, "POSTGRES_USER": "endonym", "POSTGRES_DB": "postgres",
            "REPLICATION_PASSWORD": self.password, "REPLICATION_NETWORK": "127.0.0.1/32",
        }

    def initialize(self):
        secret = os.path.join(self.folder, "password")
        with open(secret, "w", encoding="utf-8", opener=servers.private) as file:
            file.write(self.password)
        if self.user:
            shutil.chown(secret, self.user)
        self.run("initdb", "-D", self.data, "-U", "endonym", "-A", "scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8",
                 "--locale=C.UTF-8", stdout=subprocess.DEVNULL)

    def signal_all(self, how):
        """The postmaster first, so that it forks no more."""
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, how)

    def promote(self):
        self.run("pg_ctl", "promote", "-w", "-t", "60", "-D", self.data, stdout=subprocess.DEVNULL)

    def kill(self):
        """For good, also if it is frozen."""
        if self.process and self.process.poll() is None:
            self.signal_all(signal.SIGKILL)
            self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.signal_all(signal.SIGCONT)
            servers.stop(self.process, signal.SIGINT)


class Pair:
    """A primary with people, and its synchronous standby, made by the scripts in deploy/postgres."""

    def __init__(self, binary, folder, size, stack):
        password = secrets.token_hex(16)
        self.primary = Member(folder, "primary", password, servers.free_port())
        self.standby = Member(folder, "standby", password, servers.free_port())
        for name in ("primary.sh", "standby.sh", "synchronous.sh"):
            shutil.copy(os.path.join(DEPLOY, "postgres", name), folder)
        self.primary.initialize()
        stack.callback(self.primary.stop)
        self.primary.start()
        self.primary.sql("postgres", f"CREATE DATABASE {DATABASE}")
        self.seeded = seed.institution(binary, servers.environment(database_url=self.primary.url(DATABASE)))
        seed.fill_postgres(self.primary, DATABASE, size, self.seeded["institution"])
        self.run_on_primary(folder, "primary.sh")
        stack.callback(self.standby.stop)
        self.copy(folder)
        self.run_on_primary(folder, "synchronous.sh")
        self.wait_until_synchronous()

    def run_on_primary(self, folder, script):
        ended = subprocess.run(
            [os.path.join(folder, script)], env=self.primary.script_environment(), cwd=folder, **self.primary.identity()
        )
        if ended.returncode != 0:
            machine.fail(f"deploy/postgres/{script} failed")

    def copy(self, folder):
        environment = self.standby.script_environment() | {"PRIMARY_HOST": "127.0.0.1", "PRIMARY_PORT": str(self.primary.port)}
        script = os.path.join(folder, "standby.sh")
        copied = subprocess.run([script], env=environment, cwd=folder, **self.standby.identity())
        if copied.returncode != 0:
            machine.fail("deploy/postgres/standby.sh failed")
        self.standby.start(script)

    def wait_until_synchronous(self):
        end = time.monotonic() + 60
        while "sync" not in self.primary.sql("postgres", "SELECT sync_state FROM pg_stat_replication").split():
            if time.monotonic() > end:
                machine.fail("the standby did not become synchronous within a minute; see bench/.work/logs")
            time.sleep(0.2)

    def url(self):
        hosts = ",".join(f"127.0.0.1:{member.port}" for member in (self.primary, self.standby))
        parameters = "sslmode=disable&target_session_attrs=read-write"
        return f"postgres://endonym:{self.primary.password}@{hosts}/{DATABASE}?{parameters}"

    def pids(self):
        running = (member for member in (self.primary, self.standby) if member.process.poll() is None)
        return [pid for member in running for pid in member.pids()]


class ObjectStore:
    """moto's S3 server, with one bucket. It keeps objects in memory."""

    def __init__(self, folder):
        self.port = servers.free_port()
        self.process = subprocess.Popen(
            [python_with_moto(folder), "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
            stdout=subprocess.DEVNULL, stderr=servers.log("s3"), start_new_session=True,
        )
        servers.wait_for(lambda: servers.answers(self.port, "/moto-api/", 200), self.process, "moto")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("PUT", f"/{BUCKET}")
        made = connection.getresponse()
        if made.status != 200:
            machine.fail(f"the bucket could not be created: {made.status} {made.read()[:300]}")
        connection.close()

    def url(self):
        return f"s3://{BUCKET}/endonym?endpoint=http://127.0.0.1:{self.port}&region=us-east-1&access_key_id=bench&secret_access_key=bench"

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        if self.process.poll() is None:
            self.thaw()
            servers.stop(self.process)


def python_with_moto(folder):
    """This one, that of the tests, or one in the temporary directory."""
    for python in (sys.executable, os.environ.get("ENDONYM_TEST_PYTHON")):
        probe = [python, "-c", "import moto.server, flask, flask_cors"]
        if python and subprocess.run(probe, stderr=subprocess.DEVNULL).returncode == 0:
            return python
    machine.say("Installing moto[server] with pip, into a temporary directory")
    venv = os.path.join(folder, "python")
    python = os.path.join(venv, "bin", "python")
    made = subprocess.run([sys.executable, "-m", "venv", venv]).returncode == 0
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"moto[server]=={MOTO}"]
    if not made or subprocess.run(pip).returncode != 0:
        machine.fail(
            "an S3 server is missing: install moto[server] with pip for this Python, or set ENDONYM_TEST_PYTHON to one that has it "
            "(Debian: python3-venv to install it from here)"
        )
    return python


class Node:
    """`endonym serve` on a port that it keeps when it is started again."""

    def __init__(self, binary, environment, name, stack):
        self.binary, self.name, self.port, self.process = binary, name, servers.free_port(), None
        self.environment = environment | {"ENDONYM_LISTEN": f"127.0.0.1:{self.port}"}
        os.makedirs(environment["ENDONYM_DATA_DIR"], exist_ok=True)
        stack.callback(self.stop)

    def start(self):
        self.process = subprocess.Popen(
            [self.binary, "serve"], env=self.environment, cwd=self.environment["ENDONYM_DATA_DIR"], stdout=subprocess.DEVNULL,
            stderr=servers.log(self.name), start_new_session=True,
        )
        servers.wait_for(lambda: servers.answers(self.port, "/readyz", 200), self.process, self.name)

    def stop(self):
        if self.process:
            servers.stop(self.process)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def pids(self):
        return [self.process.pid] if self.process and self.process.poll() is None else []


class Front:
    """nginx with the configuration of deploy/cluster, in front of these nodes."""

    MAIN = """{user}daemon off;
worker_processes auto;
pid nginx.pid;
error_log stderr warn;
events {{ worker_connections 4096; }}
http {{
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    keepalive_requests 1000000000;
    include conf.d/endonym.conf;
}}
"""

    def __init__(self, folder, name, ports, stack):
        self.port = servers.free_port()
        place = os.path.join(folder, name)
        for below in ("conf.d", "snippets"):
            os.makedirs(os.path.join(place, below))
        text = deployed("cluster", "nginx.conf").replace("listen 80;", f"listen 127.0.0.1:{self.port};")
        lines = []
        for line in text.splitlines():
            if line.strip().startswith("server 10."):
                # In the order of the nodes; without those that there are not.
                number = sum("server 127." in kept for kept in lines)
                if number >= len(ports):
                    continue
                line = f"    server 127.0.0.1:{ports[number]} {line.split(maxsplit=2)[2]}"
            lines.append(line)
        self.write(place, "conf.d/endonym.conf", "\n".join(lines) + "\n")
        self.write(place, "snippets/endonym.conf", deployed("nginx", "proxy.conf"))
        # Otherwise, workers run as another user, who may not have access to this directory.
        self.write(place, "nginx.conf", self.MAIN.format(user="user root;\n" if os.geteuid() == 0 else ""))
        self.process = subprocess.Popen(
            [machine.nginx(), "-e", "stderr", "-p", place, "-c", os.path.join(place, "nginx.conf")],
            stdout=subprocess.DEVNULL, stderr=servers.log(name), start_new_session=True,
        )
        stack.callback(servers.stop, self.process)
        servers.wait_for(lambda: servers.answers(self.port, "/healthz", 200), self.process, name)

    @staticmethod
    def write(place, name, text):
        with open(os.path.join(place, name), "w", encoding="utf-8") as file:
            file.write(text)

    def pids(self):
        return [self.process.pid, *servers.children(self.process.pid)]

"""The targets of the benchmark: seeded databases, and a server for each."""

import dataclasses
import statistics

from . import seed, servers

START_UPS = 5


@dataclasses.dataclass
class Target:
    """One database with a number of people, and its server."""

    database: str
    size: int
    seeded_in: float
    server: servers.Endonym
    start_up: float
    postgres: servers.Postgres = None
    institution: int = None
    memory: tuple = (0, 0, 0)

    @property
    def key(self):
        return f"{self.database.lower()}-{self.size}"

    @property
    def title(self):
        return f"{self.database}, {self.size:,} people"

    @property
    def database_name(self):
        """On PostgreSQL; see `seed.postgres`."""
        return f"work_{self.size}"

    def pids(self):
        return self.server.pids() + (self.postgres.pids() if self.postgres else [])


def started(binary, environment, name, seeded, stack):
    """A running server, and its median startup time."""
    times = []
    for left in reversed(range(START_UPS)):
        server = servers.Endonym(binary, environment, name, seeded["token"])
        server.neighbors = seeded["neighbors"]
        stack.callback(server.stop)
        times.append(server.seconds_to_ready)
        if left:
            server.stop()
    return server, statistics.median(times)


def start(binary, databases, sizes, fresh, stack):
    """A server for each database and size, all running concurrently; idle ones cost nothing."""
    found = []
    if "SQLite" in databases:
        for size in sizes:
            folder, seeded = seed.sqlite(binary, size, fresh)
            environment = servers.environment(data_dir=folder)
            server, start_up = started(binary, environment, f"sqlite-{size}", seeded, stack)
            found.append(Target("SQLite", size, seeded["seconds"], server, start_up))
    if "PostgreSQL" in databases:
        postgres = servers.Postgres()
        stack.callback(postgres.stop)
        for size in sizes:
            url, seeded = seed.postgres(binary, postgres, size, fresh)
            environment = servers.environment(database_url=url)
            server, start_up = started(binary, environment, f"postgres-{size}", seeded, stack)
            institution = seeded["institution"]
            found.append(Target("PostgreSQL", size, seeded["seconds"], server, start_up, postgres, institution))
    return found

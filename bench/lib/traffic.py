"""A client that looks people up and creates people, all the time, and keeps account of every answer."""

import dataclasses
import http.client
import itertools
import json
import random
import threading
import time

from . import cases, people as made_up

LOOKUP, WRITE, PLAY = "lookup", "write", "play"
RIGHT = {LOOKUP: (200,), WRITE: (201,), PLAY: (200, 206)}
# Longer than nginx waits for a node.
TIMEOUT = 45


@dataclasses.dataclass
class Event:
    kind: str
    started: float
    ended: float
    status: int  # 0: no answer
    email: str = None

    @property
    def succeeded(self):
        return self.status in RIGHT[self.kind]

    @property
    def seconds(self):
        return self.ended - self.started


def person(email):
    return json.dumps({"name_page_id": made_up.slug(0), "participant": {"first_name": "Ana", "email": email}})


class Connection:
    """Kept open between requests, and opened again after a fault."""

    def __init__(self, port, token, timeout=TIMEOUT):
        self.port, self.token, self.timeout, self.connection = port, token, timeout, None

    def ask(self, kind, method, path, body=None, email=None):
        started, status = time.monotonic(), 0
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
            headers = {"Authorization": self.token, "Content-Type": "application/json"}
            self.connection.request(method, path, body=body, headers=headers)
            answer = self.connection.getresponse()
            answer.read()
            status = answer.status
        except (OSError, http.client.HTTPException):
            self.close()
        return Event(kind, started, time.monotonic(), status, email)

    def create(self, email):
        return self.ask(WRITE, "POST", f"{cases.V5}/participants", person(email), email)

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Traffic:
    """Threads that send requests from `with` to its end. `events` is complete afterwards."""

    numbers = itertools.count()

    def __init__(self, port, token, size, lookups=6, writes=4, plays=0, link=None, pause=0.005):
        self.port, self.token, self.size, self.link, self.pause = port, token, size, link, pause
        self.events, self.over = [], threading.Event()
        kinds = [self.look_up] * lookups + [self.write] * writes + [self.play] * plays
        self.threads = [threading.Thread(target=self.repeat, args=(what,), daemon=True) for what in kinds]

    def __enter__(self):
        self.began = time.monotonic()
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join(TIMEOUT + 5)
        self.ended = time.monotonic()

    def repeat(self, what):
        connection = Connection(self.port, self.token)
        chance = random.Random(threading.get_ident())
        while not self.over.is_set():
            # Appending is atomic.
            self.events.append(what(connection, chance))
            self.over.wait(self.pause)
        connection.close()

    def look_up(self, connection, chance):
        email = made_up.email(chance.randrange(self.size))
        return connection.ask(LOOKUP, "GET", f"{cases.V4}/participants/{email}")

    def write(self, connection, _):
        return connection.create(new_email())

    def play(self, connection, _):
        return connection.ask(PLAY, "GET", self.link)

    def of(self, kind):
        return sorted((event for event in list(self.events) if event.kind == kind), key=lambda event: event.ended)

    def failed(self, kind):
        return sum(not event.succeeded for event in self.of(kind))

    def acknowledged(self):
        return {event.email for event in self.of(WRITE) if event.succeeded}

    def longest_gap(self, kind):
        """The longest time without a success, in seconds."""
        times = [self.began, *(event.ended for event in self.of(kind) if event.succeeded), self.ended]
        return max(later - earlier for earlier, later in zip(times, times[1:]))

    def percentile(self, kind, share):
        """Of successful requests, in seconds."""
        times = sorted(event.seconds for event in self.of(kind) if event.succeeded)
        return times[min(len(times) - 1, int(len(times) * share))] if times else float("nan")


def new_email():
    return f"ack.{next(Traffic.numbers)}@example.edu"

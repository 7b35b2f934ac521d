"""Raw bytes on a socket that no client library would send. Each case is an attack that once worked."""

import concurrent.futures
import contextlib
import json
import os
import signal
import socket
import stat
import sys
import threading
import time

from target import machine

CASES = []


def case(function):
    CASES.append(function)
    return function


def run(target, wanted, failures):
    """Appends to the failures, and returns the number of cases that passed."""
    passed = 0
    for function in CASES:
        name = function.__name__
        if wanted and wanted not in name:
            continue
        started = time.monotonic()
        try:
            function(target)
        except (AssertionError, OSError, ValueError) as error:
            failures.append(f"{target.database} {name}: {type(error).__name__}: {error}")
            machine.say(f"    {name}: FAILED: {error}")
        else:
            passed += 1
            machine.say(f"    {name}: passed, {time.monotonic() - started:.1f} s")
    return passed


# --- Sockets ---

class Raw:
    """A connection without any automatic behavior."""

    def __init__(self, target, timeout=30, receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect(("127.0.0.1", target.port))
        self.kept = b""

    def send(self, *pieces):
        for piece in pieces:
            self.socket.sendall(piece.encode() if isinstance(piece, str) else piece)
        return self

    def more(self, size=65536):
        piece = self.socket.recv(size)
        self.kept += piece
        return piece

    def until(self, mark):
        while mark not in self.kept:
            if not self.more():
                raise AssertionError(f"the connection ended before {mark!r}: {self.kept[:200]!r}")
        found, _, self.kept = self.kept.partition(mark)
        return found

    def exactly(self, size):
        while len(self.kept) < size:
            if not self.more():
                raise AssertionError("the connection ended in the middle of a body")
        found, self.kept = self.kept[:size], self.kept[size:]
        return found

    def answer(self, head_only=False):
        """One response: its status, headers and body."""
        head = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        status = int(head[0].split()[1])
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        if head_only:
            return status, headers, b""
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while True:
                size = int(self.until(b"\r\n"), 16)
                body += self.exactly(size)
                self.exactly(2)
                if size == 0:
                    return status, headers, body
        return status, headers, self.exactly(int(headers.get("content-length", 0)))

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.close()


def request(target, line, body=b"", *headers, token=None):
    """The bytes of one request with a correct length."""
    body = body.encode() if isinstance(body, str) else body
    lines = [line, "Host: localhost", f"Authorization: {token or target.token}", *headers]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def ask(target, line, body=b"", *headers, token=None):
    raw = Raw(target)
    try:
        return raw.send(request(target, line, body, *headers, token=token)).answer()
    finally:
        raw.close()


class Neighbor:
    """A client of another tenant that keeps reading and writing, and measures the latency."""

    def __init__(self, target):
        self.target, self.slowest, self.stop, self.refused = target, 0.0, threading.Event(), []
        self.thread = threading.Thread(target=self.work)

    def work(self):
        number = 0
        while not self.stop.is_set():
            number += 1
            body = {"name_page_id": self.target.neighbor_page["slug"], "participant": {"notes": f"note {number}"}}
            for method, path, sent in (
                ("PUT", f"/api/private/v5/participants/{self.target.email(0)}", body),
                ("GET", f"/api/private/v5/participants/latest?tokens={self.target.email(0)}", None),
            ):
                started = time.monotonic()
                try:
                    status, _ = self.target.ask(method, path, sent, self.target.neighbor_token)
                except OSError as error:
                    status = error
                self.slowest = max(self.slowest, time.monotonic() - started)
                if status != 200:
                    self.refused.append(status)
            time.sleep(0.01)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def unharmed(self, seconds=1.5):
        assert not self.refused, f"requests of the neighbor were rejected: {self.refused[:3]}"
        assert self.slowest < seconds, f"the neighbor waited {self.slowest:.2f} s"


# --- Small bodies that are expensive to process ---

def create_body(target, **participant):
    person = {"first_name": "Ada", "email": "worst@hostile.example", **participant}
    return json.dumps({"name_page_id": target.page["slug"], "participant": person})


@case
def a_hundred_thousand_unknown_keys_cost_the_neighbor_nothing(target):
    keys = {f"custom_{number}": "x" for number in range(100_000)}
    worst = [
        ("POST /api/private/v5/participants HTTP/1.1", create_body(target, custom_fields=keys)),
        ("POST /api/private/v5/participants HTTP/1.1", create_body(target, **keys)),
        (f"PUT /api/private/v5/participants/{target.email(1)} HTTP/1.1", create_body(target, custom_fields=keys)),
        (f"POST /api/private/v4/name_pages/{target.page['slug']}/participants HTTP/1.1", create_body(target, custom_fields=keys)),
    ]
    with Neighbor(target) as neighbor:
        for line, body in worst:
            started = time.monotonic()
            status, _, answer = ask(target, line, body)
            assert status < 500, f"{line}: {status}"
            assert len(answer) < 1 << 20, f"{line}: a response of {len(answer)} bytes"
            assert time.monotonic() - started < 5, f"{line} took {time.monotonic() - started:.1f} s"
    neighbor.unharmed()


@case
def deep_and_wide_json_costs_the_neighbor_nothing(target):
    deep = "[" * 100_000 + "]" * 100_000
    emails = [f"nobody{number}@hostile.example" for number in range(10_000)]
    identifiers = [{"email": email, "institution_id": email} for email in emails]
    worst = [
        ("POST /api/private/v5/participants/search HTTP/1.1", deep),
        ("POST /api/private/v5/participants/search HTTP/1.1", json.dumps({"email_list": emails * 3})),
        ("POST /api/private/v4/participants/search HTTP/1.1", json.dumps({"email_list": emails})),
        ("POST /api/private/v5/pronunciations/search HTTP/1.1", json.dumps({"identifiers": identifiers * 3})),
        ("POST /api/private/v5/participants HTTP/1.1", create_body(target, notes="n" * 10_000_000)),
        ("POST /api/private/v4/exports HTTP/1.1", json.dumps({"name_page_id": "x" * 1_000_000})),
        ("POST /api/private/v5/lti/lms/courses/synchronize HTTP/1.1",
         json.dumps({"api_token": "x", "course_ids": [str(number) for number in range(200_000)]})),
    ]
    with Neighbor(target) as neighbor:
        for line, body in worst:
            status, _, answer = ask(target, line, body)
            assert status < 500, f"{line}: {status} {answer[:200]!r}"
    neighbor.unharmed()


# --- Bodies before authentication (version 3) ---

def legacy_head(target, *headers):
    return "\r\n".join(["POST /api/private/v3/names/search HTTP/1.1", "Host: localhost",
                        "Content-Type: application/x-www-form-urlencoded", *headers]) + "\r\n\r\n"


@case
def idle_bodies_without_a_token_hold_up_no_upload(target):
    idle = [Raw(target).send(legacy_head(target, "Transfer-Encoding: chunked"), "5\r\nemail\r\n") for _ in range(12)]
    try:
        body = create_body(target, notes="n" * 2_000_000)
        started = time.monotonic()
        status, _, answer = ask(target, "POST /api/private/v5/participants HTTP/1.1", body)
        took = time.monotonic() - started
        assert status in (201, 422), f"{status} {answer[:200]!r}"
        assert took < 5, f"an upload waited {took:.1f} s"
    finally:
        for raw in idle:
            raw.close()


@case
def a_body_without_a_token_has_little_time_and_little_room(target):
    slow = Raw(target).send(legacy_head(target, "Transfer-Encoding: chunked"), "5\r\nemail\r\n")
    started = time.monotonic()
    status, _, _ = slow.answer()
    assert status in (401, 408, 503), status
    assert time.monotonic() - started < 15, f"the server waited {time.monotonic() - started:.0f} s"
    slow.close()
    large = Raw(target).send(legacy_head(target, f"Content-Length: {8 << 20}"))
    with contextlib.suppress(ConnectionError, TimeoutError):
        for _ in range(8):
            large.send(b"x" * (1 << 20))
    status, _, body = large.answer()
    assert status in (401, 413), f"{status} {body[:200]!r}"
    large.close()


@case
def a_thousand_bodies_without_a_token_take_little_memory(target):
    before = target.server.memory()[2]
    held, lock = [], threading.Lock()

    def hold(_):
        raw = Raw(target, timeout=10)
        with lock:
            held.append(raw)
        with contextlib.suppress(OSError):
            raw.send(legacy_head(target, f"Content-Length: {1 << 20}"), b"x" * ((1 << 20) - 1))

    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        list(pool.map(hold, range(1_000)))
    most = target.server.memory()[2] - before
    for raw in held:
        raw.close()
    assert most < 200, f"{most:.0f} MB more"


@case
def a_form_with_the_token_and_ten_thousand_emails_passes(target):
    emails = ",".join(f"nobody{number}@hostile.example" for number in range(9_999)) + "," + target.email(3)
    body = f"auth_token={target.token}&email_list={emails}"
    raw = Raw(target).send(legacy_head(target, f"Content-Length: {len(body)}"), body)
    status, _, answer = raw.answer()
    raw.close()
    assert status == 200, f"{status} {answer[:200]!r}"
    assert len(json.loads(answer)["data"]) == 1, answer[:300]


# --- The wire ---

# Repeated, so that many writes begin with what looks like an error response of the HTTP library.
BAIT = "HTTP/1.1 4"


@case
def names_that_look_like_answers_reach_slow_readers_whole(target):
    fill(target)
    # One body of many buffers, so that a partial write continues in the middle of it.
    path = "/api/private/v5/participants?per_page=2000"
    status, _, whole = ask(target, f"GET {path} HTTP/1.1")
    assert status == 200
    expected = len(json.loads(whole)["Response"]["participants"])
    for turn in range(8):
        raw = Raw(target, receive_buffer=4096)
        raw.send(request(target, f"GET {path} HTTP/1.1"))
        for _ in range(300):
            raw.more(9_000 + 997 * turn)
            time.sleep(0.003)
        status, _, body = raw.answer()
        raw.close()
        assert status == 200, status
        assert len(json.loads(body)["Response"]["participants"]) == expected


@case
def backticks_in_the_body_of_a_pipelined_request_stay_backticks(target):
    # In one segment with the previous request, and after the previous response.
    for notes in ("a`,`admin`:`yes` `", "`" * 50):
        body = json.dumps({"name_page_id": target.page["slug"], "participant": {"notes": notes}})
        update = request(target, f"PUT /api/private/v5/participants/{target.email(5)} HTTP/1.1", body)
        read = request(target, f"GET /api/private/v5/participants/latest?tokens={target.email(5)} HTTP/1.1")
        for tail in (1, 30, len(body), len(body) + 2):
            raw = Raw(target).send(read + update[:-tail])
            assert raw.answer()[0] == 200
            time.sleep(0.05)
            raw.send(update[-tail:] + read[:40])
            assert raw.answer()[0] == 200
            raw.send(read[40:])
            status, _, seen = raw.answer()
            raw.close()
            assert status == 200, status
            assert json.loads(seen)["participants"][0]["notes"] == notes, seen


@case
def a_backtick_in_a_path_is_read(target):
    raw = Raw(target)
    raw.send(request(target, "GET /api/private/v4/participants/`nobody` HTTP/1.1") * 3)
    assert [raw.answer()[0] for _ in range(3)] == [404] * 3
    raw.close()


@case
def a_request_has_one_host(target):
    for hosts in ((), ("Host: a", "Host: b")):
        raw = Raw(target)
        raw.send("\r\n".join(["GET /api/private/v5/participants HTTP/1.1", *hosts, f"Authorization: {target.token}"]) + "\r\n\r\n")
        status, headers, body = raw.answer()
        raw.close()
        assert status == 400, f"{hosts}: {status}"
        assert "message" in json.loads(body), body


@case
def refusals_are_never_plain_text(target):
    lines = ["PATCH /api/private/v5/participants", "BREW /api/private/v4/participants", "GET /api/private/v5/%ff%fe",
             "GET /api/private/v9/x", "DELETE /docs", "POST /healthz", "GET /badge/%ff", "GET /nowhere", "PUT /lti/login",
             "GET /api/private/v4/participants/%ff"]
    for line in lines:
        status, headers, body = ask(target, f"{line} HTTP/1.1")
        assert 400 <= status < 500, f"{line}: {status}"
        kind = headers.get("content-type", "")
        assert kind.startswith(("application/json", "text/html")), f"{line}: {status} {kind!r} {body[:80]!r}"
        if line.split()[1].startswith("/api/"):
            assert "message" in json.loads(body), f"{line}: {body[:80]!r}"


@case
def api_answers_are_neither_stored_nor_guessed_at(target):
    for line, token in (("GET /api/private/v5/participants", None), ("GET /api/private/v5/participants", "wrong"),
                        ("GET /api/private/v4/nothing", None)):
        _, headers, _ = ask(target, f"{line} HTTP/1.1", token=token)
        assert headers.get("cache-control") == "no-store", f"{line}: {headers}"
        assert headers.get("x-content-type-options") == "nosniff", f"{line}: {headers}"


# --- Slow readers ---

def fill(target, people=1_500):
    """Creates enough data to fill every buffer between the server and a client that does not read."""
    if getattr(target, "filled", False):
        return
    page = target.make_page("hostile", "Long")

    def create(numbers):
        raw = Raw(target, timeout=60)
        for number in numbers:
            person = {"first_name": f"Long {number} {BAIT}", "email": f"long{number}@hostile.example",
                      "notes": BAIT * 350}
            raw.send(request(target, "POST /api/private/v5/participants HTTP/1.1",
                             json.dumps({"name_page_id": page["slug"], "participant": person})))
            status, _, body = raw.answer()
            assert status == 201, f"{status} {body[:200]!r}"
        raw.close()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(create, [range(first, people, 8) for first in range(8)]))
    target.filled = True


@case
def readers_who_do_not_read_stop_nobody_else(target):
    fill(target)
    line = "GET /api/private/v5/participants?updated_after=2000-01-01T00:00:00Z&include=embeddables HTTP/1.1"
    idle = []
    try:
        for _ in range(16):
            raw = Raw(target, receive_buffer=4096).send(request(target, line))
            idle.append(raw)
        time.sleep(1)
        started = time.monotonic()
        status, _, body = ask(target, "GET /api/private/v5/participants?updated_after=2000-01-01T00:00:00Z HTTP/1.1",
                              token=target.neighbor_token)
        assert status == 200, f"{status} {body[:200]!r}"
        assert time.monotonic() - started < 5, f"the neighbor waited {time.monotonic() - started:.1f} s"
        raw = Raw(target, timeout=60).send(request(target, line))
        status, headers, _ = raw.answer(head_only=True)
        raw.close()
        assert status in (200, 503), status
        assert status == 200 or "retry-after" in headers, headers
        assert time.monotonic() - started < 40, f"the same institution waited {time.monotonic() - started:.1f} s"
    finally:
        for raw in idle:
            raw.close()


# --- Guessing ---

@case
def version_2_refuses_whoever_has_guessed_too_often(target):
    with target.restarted(ENDONYM_RATE_LIMIT="20"):
        ok = f"GET /api/private/v2/names?access_code={target.open_page['access_code']}&email={target.email(0)} HTTP/1.1"
        assert ask(target, ok)[0] == 200
        assert ask(target, ok.replace(target.open_page["access_code"], target.open_page["slug"]))[0] == 404, "a slug opens v2"
        for number in range(40):
            ask(target, f"GET /api/private/v2/names?access_code=GUESS{number} HTTP/1.1")
        status, headers, _ = ask(target, ok)
        assert status == 429, f"a valid code after too many guesses: {status}"
        assert "retry-after" in headers


@case
def guessed_tokens_are_refused_and_valid_ones_are_not(target):
    with target.restarted(ENDONYM_AUTH_FAILURES="1000"):
        look = "GET /api/private/v5/participants HTTP/1.1"
        statuses = {ask(target, look, token=f"guess-{number}")[0] for number in range(2_000)}
        assert 429 in statuses and statuses <= {401, 429}, statuses
        for token in (target.token, target.neighbor_token):
            status, _, _ = ask(target, f"GET /api/private/v5/participants/latest?tokens={target.email(0)} HTTP/1.1", token=token)
            assert status == 200, f"a valid token from the same address: {status}"


# --- Resources ---

@case
def one_address_may_not_hold_every_connection(target):
    with target.restarted(ENDONYM_CONNECTIONS="40", ENDONYM_TRUSTED_PROXIES="192.0.2.0/24"):
        held = []
        with contextlib.suppress(OSError):
            for _ in range(60):
                held.append(Raw(target, timeout=5))
        other = socket.socket()
        other.settimeout(10)
        other.bind(("127.0.0.2", 0))
        other.connect(("127.0.0.1", target.port))
        other.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = other.recv(200)
        other.close()
        for raw in held:
            raw.close()
        assert answer.startswith(b"HTTP/1.1 200"), answer


@case
def waiting_exports_have_a_ceiling(target):
    page = json.dumps({"export": {"name_page_id": target.page["slug"]}})
    with target.restarted(ENDONYM_WORKERS="0"):
        statuses = [ask(target, "POST /api/private/v4/exports HTTP/1.1", page)[0] for _ in range(30)]
    assert statuses.count(202) <= 20, f"{statuses.count(202)} exports are pending"
    assert 429 in statuses, statuses


@case
def a_name_of_invisible_characters_is_blank(target):
    for name in ("\u200b", "\u2060\u200d", "\ufeff", "\u3164", "\u2800", "\u00ad"):
        body = json.dumps({"name_page_id": target.page["slug"], "participant": {"first_name": name, "email": "void@hostile.example"}})
        status, _, answer = ask(target, "POST /api/private/v5/participants HTTP/1.1", body)
        assert status == 422 and "first_name" in json.loads(answer)["errors"], f"{name!r}: {status} {answer[:200]!r}"


@case
def the_database_is_its_owners_alone(target):
    if target.database != "sqlite":
        return
    folder = os.path.join(target.folder, "data")
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and ".db" in name or name.endswith((".sqlite", "-wal", "-shm")):
            mode = stat.S_IMODE(os.stat(path).st_mode)
            assert mode == 0o600, f"{name} has mode {mode:o}"


@case
def a_frozen_database_freezes_no_request(target):
    if target.database != "postgres":
        return
    frozen = target.postgres.pids()
    try:
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        started = time.monotonic()
        status, headers, _ = ask(target, "GET /readyz HTTP/1.1")
        assert status == 503, f"/readyz: {status}"
        assert time.monotonic() - started < 3.5, f"/readyz took {time.monotonic() - started:.1f} s"
        started = time.monotonic()
        status, headers, _ = ask(target, f"GET /api/private/v5/participants/latest?tokens={target.email(0)} HTTP/1.1")
        assert status == 503 and "retry-after" in headers, f"{status} {headers}"
        assert time.monotonic() - started < 14, f"a lookup took {time.monotonic() - started:.1f} s"
    finally:
        for pid in frozen:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
    end = time.monotonic() + 20
    while True:
        status, _, body = ask(target, f"GET /api/private/v5/participants/latest?tokens={target.email(0)} HTTP/1.1")
        if status == 200:
            return
        assert time.monotonic() < end, f"after thawing: {status} {body[:200]!r}"
        time.sleep(0.2)


if __name__ == "__main__":
    sys.exit("run ./hostile")

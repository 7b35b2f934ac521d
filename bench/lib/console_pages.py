"""The pages of the console that bench/console measures.

`NAMED` has the requests: the path of the route in src/console, below `/console/{slug}`, and a function that makes an address from what is
known of the institution (`Known`). A route without a parameter that is not there is measured as it is; one with a parameter needs a line.
"""

import dataclasses
import datetime
import glob
import os
import random
import re
import urllib.parse

from . import busy, machine, people as made_up

# Routes that are no pages: recordings, files and streams.
NOT_PAGES = {
    "/events", "/people/{id}/audio/{hex}", "/moderation/{id}/audio", "/jobs/exports/{id}", "/audit/export",
}
# What a script asks for.
JSON = {"/progress"}
# In emails, and in many names.
LATIN = [latin for _, latin in made_up.FIRST_NAMES + made_up.LAST_NAMES]
# González, Müller, Wójcik, Siobhán, Zoë and Ibáñez are found without diacritics.
PLAIN = ["gonzalez", "muller", "wojcik", "siobhan", "zoe", "ibanez", "kwame", "rossi"]
ARABIC, CHINESE = ["محمد", "الحسيني", "محمد الحسيني", "mhmd"], ["小龍", "李", "田中", "太郎 田中"]
# In a list of people that has a row.
ROW = 'name="id" value="'


@dataclasses.dataclass
class Known:
    """An institution with so many people, and ids of what is in it."""

    size: int
    now: int
    token: str
    system: str
    connection: str
    directory: str
    group: str
    entries: list
    chance: random.Random

    def number(self):
        """Of a person."""
        return self.chance.randrange(1, self.size)

    def email(self):
        return made_up.email(self.number())

    def page(self):
        return made_up.FIRST_PAGE_ID + self.chance.randrange(made_up.pages_for(self.size))

    def choice(self, values):
        return self.chance.choice(values)


@dataclasses.dataclass
class Request:
    """What is asked for, below `/console/{slug}`, and a text that the answer has."""

    path: str
    expected: str = ""
    is_script: bool = False


def at(path, expected="", is_script=False, **query):
    return Request(path + (f"?{urllib.parse.urlencode(query, doseq=True)}" if query else ""), expected, is_script)


def person(known):
    number = known.number()
    return at(f"/people/{number}", made_up.email(number))


def found(known, text_of):
    """A search that finds one person."""
    number = known.number()
    return at("/people", f'/people/{number}"', q=text_of(number))


def later(known, sort):
    """A part of the list of people behind a random one."""
    # Some people are behind them.
    number = known.chance.randrange(known.size // 2, known.size)
    moment = 0 if sort == "name" else made_up.START + number * 1_000
    return at("/people", ROW, sort=sort, after=f"{moment}.{number}")


def by_page(below):
    return lambda known: at(f"/name-pages/{known.page()}{below}")


NAMED = [
    ("overview", "", lambda known: at("")),
    ("people", "/people", lambda known: at("/people", 'rel="next"')),
    ("people, newest change first", "/people", lambda known: at("/people", 'rel="next"', sort="changed")),
    ("people, newest recording first", "/people", lambda known: at("/people", 'rel="next"', sort="recorded")),
    ("people, deep by name", "/people", lambda known: later(known, "name")),
    ("people, deep by change", "/people", lambda known: later(known, "changed")),
    ("people, deep by recording", "/people", lambda known: later(known, "recorded")),
    ("people of a name page", "/people",
     lambda known: at("/people", page=made_up.slug(known.chance.randrange(made_up.pages_for(known.size))))),
    *[
        (f"people, {standing}", "/people", lambda known, standing=standing: at("/people", recording=standing))
        for standing in ("recorded", "unrecorded", "waiting", "paused")
    ],
    ("people, invited", "/people", lambda known: at("/people", ROW, invited="yes")),
    ("people, not invited", "/people", lambda known: at("/people", ROW, invited="no")),
    ("people, with a phone number", "/people", lambda known: at("/people", phone="yes")),
    ("people, by a custom field", "/people",
     lambda known: at("/people", ROW, field="gender_pronouns", value=known.choice(made_up.PRONOUNS))),
    ("search, Latin", "/people", lambda known: at("/people", ROW, q=known.choice(PLAIN))),
    ("search, Arabic", "/people", lambda known: at("/people", ROW, q=known.choice(ARABIC))),
    ("search, Chinese", "/people", lambda known: at("/people", ROW, q=known.choice(CHINESE))),
    ("search, one letter", "/people", lambda known: at("/people", ROW, q=known.choice("aeinos"))),
    ("search, two names", "/people", lambda known: at("/people", q=f"{known.choice(LATIN)} {known.choice(LATIN)}")),
    ("search, nobody", "/people", lambda known: at("/people", q=f"{known.choice(LATIN)}x")),
    ("search, an email address", "/people", lambda known: found(known, made_up.email)),
    ("search, an identifier", "/people", lambda known: found(known, lambda number: f"S{number:08}")),
    ("search, with filters", "/people",
     lambda known: at("/people", q=known.choice(LATIN), recording="recorded", invited="yes", sort="changed")),
    ("somebody", "/people/{id}", person),
    ("somebody, editing", "/people/{id}/edit", lambda known: at(f"/people/{known.number()}/edit")),
    ("somebody, recording for them", "/people/{id}/record", lambda known: at(f"/people/{known.number()}/record")),
    ("somebody, deleting", "/people/{id}/delete", lambda known: at(f"/people/{known.number()}/delete")),
    ("two people, merging", "/people/merge",
     lambda known: at("/people/merge", keep=known.number() // 2, other=known.size - 1)),
    ("many people, moving", "/people/bulk",
     lambda known: at("/people/bulk", action="move", id=[known.number() for _ in range(100)])),
    ("everybody found, tagging", "/people/bulk",
     lambda known: at("/people/bulk", action="tag", all=1, q=known.choice(LATIN))),
    ("task with many people", "/people/tasks/{id}", lambda known: at(f"/people/tasks/{busy.TASK}")),
    ("name pages", "/name-pages", lambda known: at("/name-pages", "/name-pages/5")),
    ("name pages, deep", "/name-pages", lambda known: at("/name-pages", after=known.page())),
    ("name pages, search", "/name-pages",
     lambda known: at("/name-pages", q=f"Class {known.chance.randrange(made_up.pages_for(known.size))}")),
    ("name pages, archived", "/name-pages", lambda known: at("/name-pages", state="archived")),
    ("one name page", "/name-pages/{id}", by_page("")),
    ("one name page, copying", "/name-pages/{id}/copy", by_page("/copy")),
    ("one name page, deleting", "/name-pages/{id}/delete", by_page("/delete")),
    ("moderation", "/moderation", lambda known: at("/moderation")),
    ("moderation, deep", "/moderation",
     lambda known: at("/moderation", list="open", after=busy.FIRST_ID + known.chance.randrange(busy.CASES))),
    ("moderation, decided", "/moderation", lambda known: at("/moderation", list="decided")),
    ("custom field", "/custom-fields/{name}", lambda known: at("/custom-fields/gender_pronouns")),
    ("custom field, deleting", "/custom-fields/{name}/delete", lambda known: at("/custom-fields/gender_pronouns/delete")),
    ("access token", "/tokens/{id}", lambda known: at(f"/tokens/{known.token}")),
    ("learning system, new", "/learning-systems/new", lambda known: at("/learning-systems/new", kind="canvas")),
    ("learning system", "/learning-systems/{id}", lambda known: at(f"/learning-systems/{known.system}")),
    ("learning system, editing", "/learning-systems/{id}/edit", lambda known: at(f"/learning-systems/{known.system}/edit")),
    ("messages", "/messages", lambda known: at("/messages", "@example.edu")),
    ("messages, failed", "/messages", lambda known: at("/messages", "@example.edu", state="failed")),
    ("messages to somebody", "/messages",
     lambda known: at("/messages", to=made_up.email(known.number() // busy.INVITED * busy.INVITED))),
    ("messages, deep", "/messages", lambda known: at("/messages", before=busy.FIRST_ID + known.number())),
    ("single sign-on, one", "/settings/sign-on/{id}", lambda known: at(f"/settings/sign-on/{known.connection}")),
    ("directory", "/directories/{id}", lambda known: at(f"/directories/{known.directory}")),
    ("group of a directory", "/directories/groups/{id}", lambda known: at(f"/directories/groups/{known.group}")),
    ("member", "/members/change", lambda known: at("/members/change", email=busy.manager(known.number()))),
    ("audit log", "/audit", lambda known: at("/audit", "/audit/entry/")),
    ("audit log, deep", "/audit",
     lambda known: at("/audit", "/audit/entry/", before=f"{known.now - known.chance.randint(1, 299) * busy.DAY}_0")),
    ("audit log, search", "/audit", lambda known: at("/audit", q=known.choice(LATIN))),
    ("audit log, search, nothing found", "/audit", lambda known: at("/audit", q="qqqq")),
    ("audit log, kind of change", "/audit", lambda known: at("/audit", "/audit/entry/", act="recording.deleted")),
    ("audit log, rare kind of change", "/audit", lambda known: at("/audit", act="sso.updated")),
    ("audit log, by a member", "/audit", lambda known: at("/audit", "/audit/entry/", who=busy.manager(3))),
    ("audit log, about a person", "/audit",
     lambda known: at("/audit", person=made_up.email(known.chance.randrange(known.size // 5) * 5))),
    ("audit log, about a registration", "/audit",
     lambda known: at("/audit", kind="participant", id=known.chance.randrange(known.size // 5) * 5)),
    ("audit log, some days", "/audit", lambda known: at("/audit", **days(known))),
    ("entry of the audit log", "/audit/entry/{entry}", lambda known: at(f"/audit/entry/{known.choice(known.entries)}")),
    ("search of the console", "/search", lambda known: at("/search", q=known.choice(LATIN))),
    ("Ctrl K, Latin", "/search", lambda known: at("/search", '"groups"', True, q=known.choice(LATIN))),
    ("Ctrl K, Arabic", "/search", lambda known: at("/search", '"groups"', True, q=known.choice(ARABIC))),
    ("Ctrl K, Chinese", "/search", lambda known: at("/search", '"groups"', True, q=known.choice(CHINESE))),
    ("Ctrl K, one letter", "/search", lambda known: at("/search", '"groups"', True, q=known.choice("aeinos"))),
    ("Ctrl K, an email address", "/search", lambda known: at("/search", '"groups"', True, q=known.email())),
    ("Ctrl K, a name page", "/search",
     lambda known: at("/search", '"groups"', True, q=f"class {known.chance.randrange(made_up.pages_for(known.size))}")),
]


def days(known):
    last = datetime.datetime.fromtimestamp(known.now / 1e6, datetime.timezone.utc) - datetime.timedelta(known.chance.randint(10, 200))
    return {"from": (last - datetime.timedelta(7)).date().isoformat(), "to": last.date().isoformat()}


def routes():
    """The paths of all GET routes of the console, as the source declares them."""
    all_of_them = set()
    for file in glob.glob(os.path.join(machine.ROOT, "src", "console", "**", "*.rs"), recursive=True):
        with open(file, encoding="utf-8") as source:
            text = source.read()
        named = dict(re.findall(r'const (\w+): &str = "([^"]+)"', text))
        for literal, name in re.findall(r'Rule::get\(\s*(?:"([^"]+)"|(\w+))\s*,', text):
            path = literal or named.get(name) or machine.fail(f"{file}: the path {name} was not understood")
            all_of_them.add(path.removeprefix("/console/{slug}"))
    # If the way in which routes are declared changes, this would find nothing, or a part.
    assert {"", "/people", "/audit", "/settings/consent"} <= all_of_them, all_of_them
    return all_of_them


def all_requests():
    """Names and functions that make a request; and the routes that need a line in `NAMED`."""
    known, pages = {route for _, route, _ in NAMED}, routes() - NOT_PAGES
    gone = known - pages
    if gone:
        machine.fail(f"no such routes in src/console: {', '.join(sorted(gone))}")
    others = sorted(pages - known)
    plain = [route for route in others if "{" not in route]
    as_they_are = [(route, lambda _, route=route: at(route, is_script=route in JSON)) for route in plain]
    return [(name, make) for name, _, make in NAMED] + as_they_are, [route for route in others if "{" in route]

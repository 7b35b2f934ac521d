"""The benchmark cases: the requests of each case, its expected responses, and its wrk configuration."""

import json
import random

from . import people as made_up

V2, V3, V4, V5 = (f"/api/private/v{version}" for version in (2, 3, 4, 5))


class Case:
    """`path` and `rest` surround the random part; wrk.lua has the kinds. `{token}` in a path is replaced by the token."""

    # Number of responses to verify before measuring.
    samples = 100
    writes = False

    def __init__(self, key, title, kind, path, rest="", count=0):
        self.key, self.title, self.kind = key, title, kind
        self.path, self.rest, self.count = path, rest, count

    def request(self, size, chance):
        """One request as wrk sends it, and the check for its response."""
        raise NotImplementedError

    def path_for(self, size):
        return self.path

    def title_for(self, size):
        return self.title

    def average_bytes(self, server, size, seed):
        """Sends a few requests, verifies the responses against the seeded data, and returns their average length."""
        chance, total = random.Random(seed), 0
        for _ in range(self.samples):
            (method, path, body), right = self.request(size, chance)
            status, answer, length = server.ask(method, path.replace("{token}", server.token), body)
            if status not in (200, 201) or not right(answer):
                shown = json.dumps(answer, ensure_ascii=False)[:600]
                raise AssertionError(f"{self.title}: {method} {path} returned {status} {shown}")
            total += length
        return round(total / self.samples)

    def lua(self, token, size, seed, path, kind=None):
        names = {
            "first_names": [latin for _, latin in made_up.FIRST_NAMES],
            "last_names": [latin for _, latin in made_up.LAST_NAMES],
        }
        return names | {
            "kind": kind or self.kind, "path": path, "rest": self.rest, "count": self.count, "token": token,
            "people": size, "pages": made_up.pages_for(size), "on_a_page": made_up.PEOPLE_ON_A_PAGE, "seed": seed,
        }

    def of_endonym(self, token, size, seed):
        return self.lua(token, size, seed, self.path_for(size).replace("{token}", token))

    def more(self, server):
        """What wrk needs besides."""
        return {}

    def of_nginx(self, token, size, seed, file):
        """The same random part as a query, which a static file ignores. POSTs become GETs, because a file takes no body."""
        kind = self.kind if self.kind in ("email", "popular", "page", "code", "person") else "fixed"
        return self.lua(token, size, seed, f"{file}?", kind)


class ByEmail(Case):
    def __init__(self, *words, one):
        super().__init__(*words)
        self.one = one

    def request(self, size, chance):
        email = made_up.email(chance.randrange(size))
        return ("GET", self.path + email + self.rest, None), lambda answer: self.one(answer)["email"] == email


class Search(Case):
    samples = 5

    def request(self, size, chance):
        emails = [made_up.email(number) for number in chance.sample(range(size), self.count)]
        body = json.dumps({"email_list": ",".join(emails), "per_page": self.count})
        return ("POST", self.path, body), lambda answer: (
            {person["email"] for person in answer["participants"]} == set(emails)
            and answer["meta"]["total_count"] == self.count
        )


class OnPage(Case):
    samples = 20

    def request(self, size, chance):
        slug = made_up.slug(chance.randrange(made_up.pages_for(size)))
        path = self.path + slug + self.rest
        return ("GET", path, None), lambda answer: (
            len(answer["participants"]) == self.count
            and {person["event_slug"] for person in answer["participants"]} == {slug}
            and answer["meta"]["total_count"] == made_up.PEOPLE_ON_A_PAGE
        )


class Everybody(Case):
    """A page of the list of everyone; clamped to the last page of a small data set."""

    samples = 5

    def __init__(self, key, title, path, page):
        super().__init__(key, title, "fixed", path)
        self.page = page

    def page_for(self, size):
        return min(self.page, size // 10)

    def title_for(self, size):
        return f"v4 list of everybody, page {self.page_for(size):,}"

    def path_for(self, size):
        return f"{self.path}?per_page=10&page={self.page_for(size)}"

    def request(self, size, chance):
        first = (self.page_for(size) - 1) * 10
        emails = [made_up.email(number) for number in range(first, first + 10)]
        return ("GET", self.path_for(size), None), lambda answer: (
            [person["email"] for person in answer["participants"]] == emails
            and answer["meta"]["total_count"] == size
        )


class OldPage(Case):
    """Versions 3 and 2: everyone on a page, by its access code."""

    samples = 20

    def request(self, size, chance):
        page = chance.randrange(made_up.pages_for(size))
        first = page * made_up.PEOPLE_ON_A_PAGE
        emails = {made_up.email(number) for number in range(first, first + made_up.PEOPLE_ON_A_PAGE)}
        return ("GET", self.path + made_up.access_code(page) + self.rest, None), lambda answer: (
            answer["result"] == "success" and len(answer["data"]) == made_up.PEOPLE_ON_A_PAGE
            and {person["email"] for person in answer["data"]} == emails
        )


class OldPerson(Case):
    """Versions 3 and 2: one person, by the access code of their page and their email."""

    def request(self, size, chance):
        number = chance.randrange(size)
        email = made_up.email(number)
        code = made_up.access_code(number // made_up.PEOPLE_ON_A_PAGE)
        path = f"{self.path}{code}&email={email}{self.rest}"
        return ("GET", path, None), lambda answer: [person["email"] for person in answer["data"]] == [email]


class Create(Case):
    samples = 5
    writes = True

    def request(self, size, chance):
        email = f"sample.{chance.getrandbits(64):x}@example.edu"
        participant = {
            "first_name": "Siobhán", "last_name": "O’Brien", "email": email, "institution_id": f"N{email[7:23]}",
            "phonetic": "shi-VAWN oh-BRY-en",
        }
        body = json.dumps({"name_page_id": made_up.slug(0), "participant": participant})
        return ("POST", self.path, body), lambda answer: answer["participant"]["email"] == email


class CreateEverywhere(Create):
    """In many institutions at once: those of one wait for each other."""

    def more(self, server):
        return {"neighbors": server.neighbors}


# Writes come last, because they change the data that the others read.
ALL = [
    ByEmail("latest", "v5 latest by random email", "email", f"{V5}/participants/latest?tokens=",
            one=lambda answer: answer["participants"][0]),
    ByEmail("show", "v4 participant by random email", "email", f"{V4}/participants/",
            one=lambda answer: answer["participant"]),
    ByEmail("latest-zipf", "v5 latest by email, popular people more often (Zipf)", "popular", f"{V5}/participants/latest?tokens=",
            one=lambda answer: answer["participants"][0]),
    Search("search-100", "v4 search of 100 random emails", "search", f"{V4}/participants/search", "", 100),
    Search("search-1000", "v4 search of 1,000 random emails", "search", f"{V4}/participants/search", "", 1000),
    OnPage("page", "v4 list of a random name page, 10 of 100", "page", f"{V4}/name_pages/", "/participants", 10),
    OnPage("page-100", "v4 list of a random name page, all 100", "page", f"{V4}/name_pages/",
           "/participants?per_page=100", 100),
    Everybody("first", "v4 list of everybody, page 1", f"{V4}/participants", 1),
    Everybody("deep", "v4 list of everybody, page 10,000 (1,000 of the small set)", f"{V4}/participants", 10_000),
    OldPerson("v3-name", "v3 name by random email", "person", f"{V3}/name?auth_token={{token}}&access_code="),
    OldPerson("v3-email", "v3 names by random email", "person", f"{V3}/names?auth_token={{token}}&access_code="),
    OldPerson("v2-email", "v2 names by random email", "person", f"{V2}/names?access_code="),
    OldPage("v3-page", "v3 names of a random name page, all 100", "code",
            f"{V3}/names?auth_token={{token}}&access_code="),
    OldPage("v2-page", "v2 names of a random name page, all 100", "code", f"{V2}/names?access_code="),
    Create("create", "v5 create, durable", "create", f"{V5}/participants"),
    CreateEverywhere("create-100", "v5 create, durable, in 100 institutions", "create_everywhere", f"{V5}/participants"),
]
# The target of half of nginx applies to these.
LOOKUPS = ("latest", "show")

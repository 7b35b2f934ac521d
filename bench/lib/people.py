"""Generates the people and name pages of the benchmark, deterministically for each number of people.

An email is a function of the person's number, so that the load generator can address any of a million people without
a list of them (wrk.lua has the same function).
"""

import random

# As written, and as used in an email. Many scripts, because non-ASCII text costs more to write as JSON.
FIRST_NAMES = [
    ("Ana", "ana"), ("Björn", "bjorn"), ("Chiamaka", "chiamaka"), ("Dmitri", "dmitri"), ("Élodie", "elodie"),
    ("Fatima", "fatima"), ("Gwenllian", "gwenllian"), ("Hiroshi", "hiroshi"), ("Iñaki", "inaki"), ("Jürgen", "jurgen"),
    ("Kwame", "kwame"), ("Łukasz", "lukasz"), ("محمد", "mohammed"), ("Ngọc Ánh", "ngocanh"), ("Oluwaseun", "oluwaseun"),
    ("प्रिया", "priya"), ("Quetzalli", "quetzalli"), ("Rachel", "rachel"), ("Siobhán", "siobhan"), ("太郎", "taro"),
    ("Ulrike", "ulrike"), ("Владимир", "vladimir"), ("Wanjiru", "wanjiru"), ("小龍", "xiaolong"), ("Yiannis", "yiannis"),
    ("Zoë", "zoe"), ("שרה", "sarah"), ("민준", "minjun"), ("สมชาย", "somchai"), ("James", "james"), ("Mary", "mary"),
    ("Aoife", "aoife"),
]
LAST_NAMES = [
    ("Abernathy", "abernathy"), ("Åkesson", "akesson"), ("Adichie", "adichie"), ("Волков", "volkov"),
    ("Dubois", "dubois"), ("الحسيني", "alhusseini"), ("Ferreira", "ferreira"), ("González", "gonzalez"),
    ("田中", "tanaka"), ("Ibáñez", "ibanez"), ("Johnson", "johnson"), ("Kowalczyk", "kowalczyk"), ("李", "li"),
    ("Müller", "muller"), ("Nguyễn", "nguyen"), ("O’Brien", "obrien"), ("Papadopoulos", "papadopoulos"),
    ("शर्मा", "sharma"), ("Rossi", "rossi"), ("Smith", "smith"), ("김", "kim"), ("Tchaikovsky", "tchaikovsky"),
    ("Ümit", "umit"), ("van den Berg", "vandenberg"), ("Williams", "williams"), ("Xochitl", "xochitl"),
    ("Yılmaz", "yilmaz"), ("Zhang", "zhang"), ("כהן", "cohen"), ("Wójcik", "wojcik"), ("Chukwu", "chukwu"),
]
PRONOUNS = ["she/her", "he/him", "they/them", "ze/zir", "elle", "any"]

PEOPLE_ON_A_PAGE = 100
# 2026-01-01 in microseconds. A fixed time, so that two runs seed the same rows.
START = 1_767_225_600_000_000
FIRST_PAGE_ID = 500_000_000_000_000

COLUMNS = (
    "institution_id", "id", "name_page_id", "page_place", "token", "first_name", "last_name", "email", "email_key",
    "identifier", "identifier_key", "phonetic", "notes", "phone_number", "recording", "recorded_at",
    "legal_recorded_at", "custom", "custom_changed_at", "created_at", "updated_at",
)
PAGE_COLUMNS = (
    "institution_id", "id", "title", "slug", "event_code", "access_code", "allow_v2", "created_at",
)


def email(number):
    first = FIRST_NAMES[number % len(FIRST_NAMES)][1]
    last = LAST_NAMES[number // len(FIRST_NAMES) % len(LAST_NAMES)][1]
    return f"{first}.{last}.{number}@example.edu"


def slug(page):
    return f"class-{page:05}"


def access_code(page):
    return f"ACCESS{page:08}"


def pages_for(people):
    return people // PEOPLE_ON_A_PAGE


def participants(people, institution, custom_field):
    """One tuple of COLUMNS for each person. The people of a page are contiguous, as after an import."""
    chance = random.Random(people)
    bits = chance.getrandbits
    for number in range(people):
        page, place = divmod(number, PEOPLE_ON_A_PAGE)
        first, first_latin = FIRST_NAMES[number % len(FIRST_NAMES)]
        last, last_latin = LAST_NAMES[number // len(FIRST_NAMES) % len(LAST_NAMES)]
        address = f"{first_latin}.{last_latin}.{number}@example.edu"
        identifier = f"S{number:08}"
        came = START + number * 1_000
        # A third have a recording, another third custom values, scattered over all pages.
        kind = bits(16) % 3
        recorded = kind == 0
        custom = f'{{"{custom_field}":"{PRONOUNS[number % len(PRONOUNS)]}"}}' if kind == 1 else None
        yield (
            institution, number, FIRST_PAGE_ID + page, place, f"{bits(128):032x}", first, last, address, address,
            identifier, identifier,
            f"{first_latin.upper()} {last_latin}" if recorded else None,
            "Stress on the first syllable" if recorded and number % 4 == 0 else None,
            None,
            f"{bits(128):032x}" if recorded else None, came + 500 if recorded else 0, 0,
            custom, came if custom else None, came, came + 500 if recorded else came,
        )


def name_pages(people, institution):
    """One tuple of PAGE_COLUMNS for each page."""
    for page in range(pages_for(people)):
        yield (
            institution, FIRST_PAGE_ID + page, f"Class {page} of 2027", slug(page), f"EVNT{page:06}",
            access_code(page), True, START,
        )


def codes(people, institution):
    """All references of a page, in lowercase."""
    for _, page, _, page_slug, event_code, access_code, _, _ in name_pages(people, institution):
        for code in (str(page), page_slug, event_code, access_code):
            yield code.lower(), institution, page


def rolls(people, institution):
    for page in range(pages_for(people)):
        yield institution, FIRST_PAGE_ID + page, PEOPLE_ON_A_PAGE, PEOPLE_ON_A_PAGE

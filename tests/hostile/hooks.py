"""Loaded by schemathesis: puts existing references into two thirds of the requests."""

import json
import os
import zlib

import schemathesis

FACTS = json.loads(os.environ["HOSTILE_FACTS"])
CHOICES = {
    "name_page_id": FACTS["pages"],
    "access_code": FACTS["codes"],
    "email": FACTS["emails"],
    "user_email": FACTS["emails"],
    "id_or_email": FACTS["emails"] + FACTS["ids"],
    "tokens": FACTS["emails"],
    "email_list": FACTS["emails"],
    "institution_id_list": FACTS["ids"],
    "lms": ["lms", "moodle"],
}


def known(values, depth=0):
    """The choice depends only on the value, because the generator must get the same request for the same draw."""
    if not isinstance(values, dict) or depth > 2:
        return values
    made = {}
    for key, value in values.items():
        draw = zlib.crc32(repr((key, value)).encode("utf-8", "replace"))
        if key in CHOICES and draw % 3:
            made[key] = CHOICES[key][draw % len(CHOICES[key])]
        else:
            made[key] = known(value, depth + 1)
    return made


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    return known(path_parameters)


@schemathesis.hook
def map_query(context, query):
    return known(query)


@schemathesis.hook
def map_body(context, body):
    return known(body)

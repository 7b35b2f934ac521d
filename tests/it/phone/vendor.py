"""The vendor's own library, asked by tests: a JSON object on each line in, another one out, until there are no more."""

import inspect
import json
import re
import sys
import xml.etree.ElementTree as ET

from twilio.http.http_client import TwilioHttpClient
from twilio.request_validator import RequestValidator
from twilio.rest import Client
from twilio.twiml import voice_response


class Params:
    """What the validator takes for names that come several times."""

    def __init__(self, pairs):
        self.pairs = pairs

    def __iter__(self):
        return iter(name for name, _ in self.pairs)

    def __len__(self):
        return len(self.pairs)

    def getall(self, wanted):
        return [value for name, value in self.pairs if name == wanted]


def sign(key, url, params):
    return {"signature": RequestValidator(key).compute_signature(url, Params(params))}


def snake(name):
    return re.sub(r"([A-Z])", lambda letter: "_" + letter.group(1).lower(), name)


def rebuilt(parent, element):
    """The same verb, made by the vendor's builder, which has to know it there, with these attributes."""
    build = getattr(parent, snake(element.tag).lstrip("_"))
    known = inspect.signature(build).parameters
    arguments = {}
    for name, value in element.attrib.items():
        if snake(name) not in known:
            raise ValueError(f"{element.tag} has no {name}")
        arguments[snake(name)] = value
    for text in ("url", "message"):
        if text in known and text not in arguments and element.text:
            arguments[text] = element.text
    verb = build(**arguments)
    for child in element:
        rebuilt(verb, child)


def tree(element):
    return {
        "verb": element.tag,
        "attributes": dict(element.attrib),
        "text": element.text or "",
        "children": [tree(child) for child in element],
    }


def read(twiml):
    root = ET.fromstring(twiml.encode("utf-8"))
    if root.tag != "Response":
        raise ValueError(f"{root.tag} is no Response")
    response = voice_response.VoiceResponse()
    for element in root:
        rebuilt(response, element)
    theirs = ET.canonicalize(str(response))
    ours = ET.canonicalize(twiml)
    if ours != theirs:
        raise ValueError(f"the vendor's builder writes {theirs} and not {ours}")
    return {"verbs": [tree(element) for element in root]}


class Elsewhere(TwilioHttpClient):
    """Goes to a stand-in instead of the vendor."""

    def __init__(self, api):
        super().__init__()
        self.session.trust_env = False
        self.api = api

    def request(self, method, url, *args, **kwargs):
        return super().request(method, url.replace("https://api.twilio.com", self.api), *args, **kwargs)


def call(made):
    return {"sid": made.sid, "status": made.status, "to": made.to, "from": made._from}


def client(api, account, token, to, recording):
    """Everything that we do with the vendor's API, done by the vendor's client."""
    vendor = Client(account, token, http_client=Elsewhere(api))
    made = vendor.calls.create(
        to=to,
        from_="+12025550100",
        url="http://127.0.0.1:9/nowhere",
        status_callback="http://127.0.0.1:9/nowhere",
        status_callback_event=["initiated", "completed"],
        timeout=30,
    )
    listed = vendor.calls.list(to=to, start_time_after=made.date_created, limit=20)
    fetched = vendor.calls(made.sid).fetch()
    ended = vendor.calls(made.sid).update(status="canceled")
    recorded = [one.sid for one in vendor.recordings.list(call_sid=recording["call"], limit=20)]
    on_call = [one.sid for one in vendor.calls(recording["call"]).recordings.list(limit=20)]
    duration = vendor.recordings(recording["sid"]).fetch().duration
    deleted = vendor.recordings(recording["sid"]).delete()
    try:
        vendor.calls("CA" + "0" * 32).fetch()
        missing = None
    except Exception as error:
        missing = [error.status, error.code]
    return {
        "made": call(made),
        "listed": [one.sid for one in listed],
        "fetched": call(fetched),
        "ended": call(ended),
        "recorded": recorded,
        "on_call": on_call,
        "duration": duration,
        "deleted": deleted,
        "missing": missing,
    }


CAN = {"sign": sign, "read": read, "client": client}

for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = CAN[asked.pop("do")](**asked)
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)

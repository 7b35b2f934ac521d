"""A learning system on a port of its own, made of the platform library lti1p3platform: it sends launches, hands out service
tokens and rosters, and checks the answers to deep linking. What is here besides is glue: HTTP, people and courses.

    platform.py TOOL_BASE_URL        prints its own port, and serves until its standard input ends
"""

import html
import json
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from lti1p3platform.ltiplatform import LTI1P3PlatformConfAbstract
from lti1p3platform.message_launch import LTIAdvantageMessageLaunchAbstract
from lti1p3platform.oidc_login import OIDCLoginAbstract
from lti1p3platform.registration import Registration

MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
ROSTER_SCOPE = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
CUSTOM = "https://purl.imsglobal.org/spec/lti/claim/custom"
ROSTER_KIND = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
PER_PAGE = 2
PEOPLE = {
    "teacher": ("Instructor", "Rosa", "Klein", "rosa@example.edu"),
    "ana": ("Learner", "Ana", "Đặng", "ana@example.edu"),
    "mohammed": ("Learner", "محمد", "الأمين", "mohammed@example.edu"),
    "siobhan": ("Learner", "Siobhán", "Ní Bhriain", "siobhan@example.edu"),
    "li": ("Learner", "小龍", "李", None),
    "mentor": ("Mentor", "Max", "Look", "max@example.edu"),
}
TOOL = sys.argv[1]
PRIVATE = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PRIVATE_PEM = PRIVATE.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
).decode()
PUBLIC_PEM = PRIVATE.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
).decode()


class Config(LTI1P3PlatformConfAbstract):
    def init_platform_config(self, **kwargs):
        self.get_registration()

    def get_registration_by_params(self, **kwargs):
        return (
            Registration()
            .set_iss(Handler.base)
            .set_client_id("client-1")
            .set_deployment_id("d1")
            .set_oidc_login_url(f"{TOOL}/login")
            .set_launch_url(f"{TOOL}/launch")
            .set_deeplink_launch_url(f"{TOOL}/launch")
            .set_tool_key_set_url(f"{TOOL}/jwks.json")
            .set_platform_public_key(PUBLIC_PEM)
            .set_platform_private_key(PRIVATE_PEM)
        )


class Login(OIDCLoginAbstract):
    def set_lti_message_hint(self, **kwargs):
        self._lti_message_hint = kwargs["hint"]

    def get_redirect(self, url):
        return url


class Launch(LTIAdvantageMessageLaunchAbstract):
    def get_preflight_response(self):
        return self._request

    def prepare_launch(self, preflight_response):
        asked = preflight_response
        assert asked["scope"] == "openid" and asked["response_type"] == "id_token", asked
        assert asked["response_mode"] == "form_post" and asked["prompt"] == "none", asked
        # As with Moodle and Canvas, a hint is good once.
        hint = json.loads(asked["lti_message_hint"])
        Handler.hints.remove(hint["number"])
        role, first, last, email = PEOPLE[asked["login_hint"]]
        # What the roster calls somebody need not be what they launch as.
        role = hint["role"] or role
        self.set_user_data(asked["login_hint"], [MEMBERSHIP + role], f"{first} {last}", email)
        self.set_launch_context_claim(hint["course"], ["CourseSection"], "Names of the World", "NAMES")
        self.set_resource_link_claim("link-1")
        self.set_nrps(f"{Handler.base}/memberships?course={hint['course']}")
        custom = {CUSTOM: {"theme": hint["theme"]}} if hint["theme"] else {}
        self.set_extra_claims({"given_name": first, "family_name": last, **custom})
        if hint["deep"]:
            self.set_dl(f"{Handler.base}/links", "Add", "", {"ltiResourceLink"}, {"echo": "this & that"})

    def render_launch_form(self, launch_data, **kwargs):
        fields = "".join(
            f'<input type="hidden" name="{name}" value="{html.escape(launch_data[name])}">'
            for name in ("id_token", "state")
        )
        return (
            f'<form method="post" action="{html.escape(launch_data["launch_url"])}">{fields}</form>'
            "<script>document.forms[0].submit()</script>"
        )


class Handler(BaseHTTPRequestHandler):
    base = ""
    left = set()
    hints = set()

    def log_message(self, *args):
        pass

    def say(self, text, kind="text/html; charset=utf-8", status=200, headers=()):
        body = text.encode()
        self.send_response(status)
        for name, value in [("Content-Type", kind), ("Content-Length", str(len(body))), *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def say_json(self, value, status=200, kind="application/json", headers=()):
        self.say(json.dumps(value), kind, status, headers)

    def do_GET(self):
        url = urlparse(self.path)
        asked = {key: values[0] for key, values in parse_qs(url.query).items()}
        config = Config()
        if url.path == "/course":
            # A page with us inside, as students and teachers see it.
            inside = html.escape(f"/launch?{url.query}")
            # The frame's address is ours, and it ends at the tool: without the star, the permission would stay here.
            allow = html.escape(asked["allow"] + " *") if "allow" in asked else ""
            self.say(
                '<!doctype html><html lang="en"><title>A course</title><main><h1>A course</h1>'
                f'<iframe title="Names" src="{inside}" allow="{allow}" width="760" height="800"></iframe></main></html>'
            )
        elif url.path == "/launch":
            login = Login(None, config)
            hint = {"course": asked.get("course", "c1"), "deep": "deep" in asked, "number": secrets.token_hex(8)}
            hint.update(role=asked.get("role"), theme=asked.get("theme"))
            Handler.hints.add(hint["number"])
            login.set_lti_message_hint(hint=json.dumps(hint))
            self.send_response(302)
            self.send_header("Location", login.initiate_login(asked["user"]))
            self.end_headers()
        elif url.path == "/auth":
            self.say("<!doctype html><title>Launch</title>" + Launch(asked, config).lti_launch())
        elif url.path == "/jwks":
            self.say_json(config.get_jwks())
        elif url.path == "/memberships":
            self.memberships(config, asked)
        elif url.path == "/leave":
            Handler.left.add(asked["user"])
            self.say("")
        elif url.path == "/favicon.ico":
            self.say("", "image/x-icon")
        else:
            self.say("", status=404)

    def memberships(self, config, asked):
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        try:
            assert config.validate_token(token, [ROSTER_SCOPE])
        except Exception as error:
            return self.say_json({"error": str(error)}, status=401)
        if ROSTER_KIND not in self.headers.get("Accept", ""):
            return self.say_json({"error": "Accept"}, status=406)
        members = [
            {
                "status": "Active",
                "user_id": user,
                "roles": [role],
                "given_name": first,
                "family_name": last,
                "name": f"{first} {last}",
                **({"email": email} if email else {}),
            }
            for user, (role, first, last, email) in PEOPLE.items()
            if user not in Handler.left
        ]
        start = int(asked.get("from", 0))
        end = start + PER_PAGE
        more = f"{self.base}/memberships?course={asked['course']}&from={end}"
        self.say_json(
            {
                "id": f"{self.base}/memberships?course={asked['course']}",
                "context": {"id": asked["course"], "title": "Names of the World"},
                "members": members[start:end],
            },
            kind=ROSTER_KIND,
            headers=[("Link", f'<{more}>; rel="next"')] if end < len(members) else [],
        )

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        form = {key: values[0] for key, values in parse_qs(self.rfile.read(length).decode()).items()}
        config = Config()
        try:
            if self.path == "/token":
                self.say_json(config.get_access_token(form))
            elif self.path == "/links":
                said = config.tool_validate_and_decode(form["JWT"])
                items = config.validate_deeplinking_resp(form)
                self.say(f'<!doctype html><title>Added</title><pre>{html.escape(json.dumps([items, said]))}</pre>')
            else:
                self.say("", status=404)
        except Exception as error:
            self.say_json({"error": f"{type(error).__name__}: {error}"}, status=400)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
# Another site than the tool's 127.0.0.1.
Handler.base = f"http://localhost:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()

"""A mail server for tests, made of aiosmtpd. Prints its port, and appends a line of JSON to a file for each message it receives,
as Python's own email library reads it. The local part of the recipient decides what happens: see `Handler`."""

import argparse
import asyncio
import email
import email.policy
import json
import ssl
from collections import Counter

from aiosmtpd.smtp import SMTP, AuthResult

parser = argparse.ArgumentParser()
parser.add_argument("received")
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--certificate", nargs=2)
parser.add_argument("--wrapped", action="store_true")
parser.add_argument("--account", nargs=2)
parser.add_argument("--delay", type=float, default=0)
parser.add_argument("--ascii-only", action="store_true")
options = parser.parse_args()


def parts(message):
    if message.is_multipart():
        return [parts(part) for part in message.iter_parts()]
    return {"type": message.get_content_type(), "content": message.get_content()}


class Handler:
    def __init__(self):
        self.refused = Counter()

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        local = address.split("@")[0]
        self.refused[address] += 1
        if local == "unknown":
            return "550 5.1.1 There is no such mailbox"
        if local == "greylisted" and self.refused[address] <= 2:
            return "451 4.7.1 Greylisted, try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        local = envelope.rcpt_tos[0].split("@")[0]
        answer = "250 2.0.0 Accepted as 42"
        if local == "full" and self.refused[envelope.rcpt_tos[0]] == 1:
            answer = "452 4.2.2 The mailbox is full"
        if local == "spam":
            answer = "554 5.7.1 This looks like spam"
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        line = {
            "accepted": answer.startswith("250"),
            "mail_from": envelope.mail_from,
            "connection": session.peer[1],
            "rcpt_tos": envelope.rcpt_tos,
            "encrypted": session.ssl is not None or options.wrapped,
            "user": session.auth_data.login.decode() if session.auth_data else None,
            "ascii": envelope.content.isascii(),
            "type": message.get_content_type(),
            "headers": {name: str(value) for name, value in message.items()},
            "from_name": message["From"].addresses[0].display_name,
            "defects": [str(defect) for defect in message.defects],
            "parts": parts(message),
        }
        with open(options.received, "a") as received:
            received.write(json.dumps(line) + "\n")
        if local == "cut":
            server.transport.abort()
        await asyncio.sleep(options.delay)
        return answer


def authenticate(server, session, envelope, mechanism, data):
    given = [data.login.decode(), data.password.decode()]
    return AuthResult(success=given == options.account, handled=False, auth_data=data)


async def main():
    context = None
    if options.certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*options.certificate)
    handler = Handler()

    def session():
        return SMTP(
            handler,
            enable_SMTPUTF8=not options.ascii_only,
            tls_context=None if options.wrapped else context,
            require_starttls=context is not None and not options.wrapped,
            auth_required=options.account is not None,
            auth_require_tls=context is not None and not options.wrapped,
            authenticator=authenticate,
        )

    wrap = {"ssl": context} if options.wrapped else {}
    server = await asyncio.get_running_loop().create_server(session, "127.0.0.1", options.port, **wrap)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())

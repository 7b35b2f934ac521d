"""Runs all checks of scim2-tester against a server, and prints a line for each. Fails unless all of them pass or are skipped.

Usage: tester.py URL TOKEN
"""

import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

FINE = {Status.SUCCESS, Status.COMPLIANT, Status.ACCEPTABLE, Status.SKIPPED}


def main() -> int:
    url, token = sys.argv[1:]
    headers = {"Authorization": f"Bearer {token}"}
    with Client(base_url=url, headers=headers, trust_env=False, timeout=60) as client:
        results = check_server(SyncSCIMClient(client))
    for result in results:
        print(result.status.name, result.title, result.resource_type or "", result.reason or "")
        if result.status not in FINE:
            print("    ", repr(result.data)[:2000])
    return 0 if results and all(result.status in FINE for result in results) else 1


sys.exit(main())

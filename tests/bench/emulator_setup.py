#!/usr/bin/env python3
"""What tools/bench.sh asks of an emulator, or of Azurite, made ready: prints lines "NAME=VALUE" for the shell.

    emulator_setup.py trainyard READY-FILE     a group, a cluster, a share with a small and a large file
    emulator_setup.py azurite PORT             a container with a small blob

Signatures are those of Microsoft's "Authorize with Shared Key"; one lasts for a quarter of an hour, so each request is signed
once here and sent as often as wrk likes. The server checks each of them.
"""
import base64
import hashlib
import hmac
import http.client
import json
import sys
import urllib.parse
from email.utils import formatdate

SMALL, LARGE, RANGE = 1024, 512 << 20, 4 << 20
AZURITE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="  # published


def sign(account, key, method, target, headers, length=0):
    """Adds the date and the signature to `headers`."""
    path, _, query = target.partition("?")
    headers["x-ms-date"] = formatdate(usegmt=True)
    headers.setdefault("x-ms-version", "2021-06-08")
    own = sorted((name.lower(), value) for name, value in headers.items() if name.lower().startswith("x-ms-"))
    parameters = sorted((name.lower(), value) for name, value in urllib.parse.parse_qsl(query, keep_blank_values=True))
    text = "\n".join(
        [method, "", "", str(length) if length else "", "", headers.get("Content-Type", ""), "", "", "", "", "", ""]
        + [f"{name}:{value}" for name, value in own]
        + [f"/{account}{path}" + "".join(f"\n{name}:{value}" for name, value in parameters)]
    )
    code = hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()
    headers["Authorization"] = f"SharedKey {account}:{base64.b64encode(code).decode()}"
    return headers


class Client:
    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address, timeout=60)

    def ask(self, method, target, headers, body=b""):
        self.connection.request(method, target, body=body, headers=headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            sys.exit(f"{method} {target}: {answer.status} {content[:300]!r}")
        return content

    def ask_signed(self, account, key, method, target, headers=None, body=b""):
        return self.ask(method, target, sign(account, key, method, target, dict(headers or {}), len(body)), body)


def print_headers(name, headers):
    """As arguments of wrk and curl."""
    print(f"{name}=(" + " ".join(f"-H '{key}: {value}'" for key, value in headers.items()) + ")")


def print_signed(account, key, small, put, put_headers, put_body):
    print_headers("small_headers", sign(account, key, "GET", small, {}))
    print_headers("put_headers", sign(account, key, "PUT", put, put_headers, len(put_body)))
    print(f"small_target='{small}'\nput_target='{put}'\nput_bytes={len(put_body)}")


def set_up_trainyard(path):
    with open(path, encoding="utf-8") as file:
        ready = json.load(file)
    client, account = Client(ready["plain"]), "benchaccount"
    token = {"Authorization": "Bearer bench", "Content-Type": "application/json"}
    group = f"/subscriptions/{ready['subscription']}/resourceGroups/bench"

    def arm(method, target, body=None):
        answer = client.ask(method, f"{group}{target}?api-version=2018-05-01", token, json.dumps(body or {}).encode())
        return json.loads(answer or b"{}")

    workspace = "/providers/Microsoft.BatchAI/workspaces/w"
    storage = f"/providers/Microsoft.Storage/storageAccounts/{account}"
    arm("PUT", "", {"location": "eastus"})
    arm("PUT", workspace, {"location": "eastus"})
    arm("PUT", f"{workspace}/clusters/c", {"properties": {
        "vmSize": "STANDARD_NC6", "scaleSettings": {"manual": {"targetNodeCount": 4}},
        "userAccountSettings": {"adminUserName": "u", "adminUserPassword": "p"}}})
    arm("PUT", storage, {"location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2"})
    key = arm("POST", f"{storage}/listKeys")["keys"][0]["value"]
    share = f"/{account}/bench"
    client.ask_signed(account, key, "PUT", f"{share}?restype=share")
    for name, length in (("small", SMALL), ("large", LARGE)):
        client.ask_signed(account, key, "PUT", f"{share}/{name}", {
            "x-ms-type": "file", "x-ms-content-length": str(length), "x-ms-file-attributes": "None",
            "x-ms-file-creation-time": "now", "x-ms-file-last-write-time": "now", "x-ms-file-permission": "inherit"})
        for first in range(0, length, RANGE):
            last = min(first + RANGE, length) - 1
            client.ask_signed(account, key, "PUT", f"{share}/{name}?comp=range",
                              {"x-ms-write": "update", "x-ms-range": f"bytes={first}-{last}"}, b"x" * (last + 1 - first))
    print_headers("arm_headers", token)
    print(f"cluster_target='{group}{workspace}/clusters/c?api-version=2018-05-01'")
    print(f"group_target='{group}?api-version=2021-04-01'\nlarge_target='{share}/large'")
    print_headers("large_headers", sign(account, key, "GET", f"{share}/large", {}))
    print_signed(account, key, f"{share}/small", f"{share}/small?comp=range",
                 {"x-ms-write": "update", "x-ms-range": f"bytes=0-{SMALL - 1}"}, b"x" * SMALL)


def set_up_azurite(port):
    client, account = Client(f"127.0.0.1:{port}"), "devstoreaccount1"
    # Azurite's paths begin with the account, which the signature names once more.
    target, blob = f"/{account}/bench", {"x-ms-blob-type": "BlockBlob", "Content-Type": "text/plain"}
    client.ask_signed(account, AZURITE_KEY, "PUT", f"{target}?restype=container")
    client.ask_signed(account, AZURITE_KEY, "PUT", f"{target}/small", blob, b"x" * SMALL)
    print_signed(account, AZURITE_KEY, f"{target}/small", f"{target}/small", blob, b"x" * SMALL)


{"trainyard": set_up_trainyard, "azurite": set_up_azurite}[sys.argv[1]](sys.argv[2])

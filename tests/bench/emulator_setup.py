#!/usr/bin/env python3
"""What tools/bench.sh asks of an emulator, or of Azurite, made ready: prints lines "NAME=VALUE" for the shell.

    emulator_setup.py trainyard READY-FILE     a group, a cluster, a share with a small and a large file and a directory of 1,000
    emulator_setup.py scale READY-FILE         a cluster of 100,000 nodes, which are there, and what 100,000 jobs are made with
    emulator_setup.py azurite PORT             a container with a small blob and 1,000 more to list

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

SMALL, LARGE, RANGE, LISTED = 1024, 512 << 20, 4 << 20, 1000
SMB = {"x-ms-file-attributes": "None", "x-ms-file-creation-time": "now", "x-ms-file-last-write-time": "now",
       "x-ms-file-permission": "inherit"}
FILE = SMB | {"x-ms-type": "file"}
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


def print_signed(account, key, small, put, put_headers, put_body, listing):
    print_headers("list_headers", sign(account, key, "GET", listing, {}))
    print_headers("small_headers", sign(account, key, "GET", small, {}))
    print_headers("put_headers", sign(account, key, "PUT", put, put_headers, len(put_body)))
    print(f"small_target='{small}'\nput_target='{put}'\nput_bytes={len(put_body)}\nlist_target='{listing}'")


class Manager:
    """The Resource Manager of an emulator that has written READY-FILE."""

    token = {"Authorization": "Bearer bench", "Content-Type": "application/json"}
    workspace = "/providers/Microsoft.BatchAI/workspaces/w"
    account, share = "benchaccount", "/benchaccount/bench"

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            ready = json.load(file)
        self.client = Client(ready["plain"])
        self.group = f"/subscriptions/{ready['subscription']}/resourceGroups/bench"
        self.target = f"{self.group}{self.workspace}"

    def ask(self, method, target, body=None):
        answer = self.client.ask(method, f"{self.group}{target}?api-version=2018-05-01", self.token, json.dumps(body or {}).encode())
        return json.loads(answer or b"{}")

    def set_up(self, nodes):
        """A group, a workspace, an account with a share, a cluster; prints how to ask for the cluster."""
        storage = f"/providers/Microsoft.Storage/storageAccounts/{self.account}"
        self.ask("PUT", "", {"location": "eastus"})
        self.ask("PUT", self.workspace, {"location": "eastus"})
        self.ask("PUT", storage, {"location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2"})
        self.key = self.ask("POST", f"{storage}/listKeys")["keys"][0]["value"]
        self.files("PUT", f"{self.share}?restype=share")
        self.ask("PUT", f"{self.workspace}/clusters/c", {"properties": {
            "vmSize": "STANDARD_NC6", "scaleSettings": {"manual": {"targetNodeCount": nodes}},
            "userAccountSettings": {"adminUserName": "u", "adminUserPassword": "p"},
            "nodeSetup": {"mountVolumes": {"azureFileShares": [{
                "accountName": self.account, "azureFileUrl": f"https://{self.account}.file.core.windows.net/bench",
                "credentials": {"accountKey": self.key}, "relativeMountPath": "afs"}]}}}})
        print_headers("arm_headers", self.token)
        print(f"cluster_target='{self.target}/clusters/c?api-version=2018-05-01'")

    def files(self, method, target, headers=None, body=b""):
        self.client.ask_signed(self.account, self.key, method, target, headers, body)


def set_up_scale(path):
    nodes = 100000
    manager = Manager(path)
    manager.set_up(nodes)
    manager.client.ask("POST", "/trainyard/clock", Manager.token, b'{"do": "advance", "by": "1h"}')
    manager.ask("PUT", f"{Manager.workspace}/experiments/e")
    cluster = manager.ask("GET", f"{Manager.workspace}/clusters/c")
    if cluster["properties"]["currentNodeCount"] != nodes:
        sys.exit(f"{cluster['properties']['currentNodeCount']} nodes instead of {nodes}")
    job = {"properties": {
        "cluster": {"id": cluster["id"]}, "nodeCount": 1, "stdOutErrPathPrefix": "$AZ_BATCHAI_MOUNT_ROOT/afs",
        "customToolkitSettings": {"commandLine": "true"}}}
    print(f"job_target='{manager.target}/experiments/e/jobs/j{{n}}?api-version=2018-05-01'\njob_body='{json.dumps(job)}'")


def set_up_trainyard(path):
    manager = Manager(path)
    share = manager.share
    manager.set_up(4)
    for name, length in (("small", SMALL), ("large", LARGE)):
        manager.files("PUT", f"{share}/{name}", FILE | {"x-ms-content-length": str(length)})
        for first in range(0, length, RANGE):
            last = min(first + RANGE, length) - 1
            manager.files("PUT", f"{share}/{name}?comp=range",
                          {"x-ms-write": "update", "x-ms-range": f"bytes={first}-{last}"}, b"x" * (last + 1 - first))
    manager.files("PUT", f"{share}/many?restype=directory", SMB)
    for i in range(LISTED):
        manager.files("PUT", f"{share}/many/{i:04}", FILE | {"x-ms-content-length": "0"})
    print(f"group_target='{manager.group}?api-version=2021-04-01'\nlarge_target='{share}/large'")
    account, key = manager.account, manager.key
    print_headers("large_headers", sign(account, key, "GET", f"{share}/large", {}))
    print_signed(account, key, f"{share}/small", f"{share}/small?comp=range",
                 {"x-ms-write": "update", "x-ms-range": f"bytes=0-{SMALL - 1}"}, b"x" * SMALL,
                 f"{share}/many?restype=directory&comp=list")


def set_up_azurite(port):
    client, account = Client(f"127.0.0.1:{port}"), "devstoreaccount1"
    # Azurite's paths begin with the account, which the signature names once more.
    target, blob = f"/{account}/bench", {"x-ms-blob-type": "BlockBlob", "Content-Type": "text/plain"}

    def put(below, headers=None, body=b""):
        client.ask_signed(account, AZURITE_KEY, "PUT", f"{target}{below}", headers, body)

    put("?restype=container")
    put("/small", blob, b"x" * SMALL)
    for i in range(LISTED):
        put(f"/many/{i:04}", blob)
    print_signed(account, AZURITE_KEY, f"{target}/small", f"{target}/small", blob, b"x" * SMALL,
                 f"{target}?restype=container&comp=list&prefix=many/")


{"trainyard": set_up_trainyard, "scale": set_up_scale, "azurite": set_up_azurite}[sys.argv[1]](sys.argv[2])

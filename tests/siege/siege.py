"""Support for tests that kill, starve and attack a running emulator: `trainyard serve` as a separate process, kept connections, bytes
that no client library would send, and SharedKey. Uses only Python's standard library; the program is $TRAINYARD.
"""
import base64
import email.utils
import hashlib
import hmac
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import urllib.parse
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
TRAINYARD = Path(os.environ.get("TRAINYARD", SOURCES / "build/release/bin/trainyard")).resolve()
SKIPPED = 77  # as CMake has it
FILES_VERSION = "2021-12-02"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


class Emulator:
    """`trainyard serve` in its own folder, which is kept between starts."""

    existing = set()  # those that were not removed

    def __init__(self, *options, folder=None):
        self.existing.add(self)
        # What a killed process has written stays, whatever it was written to: memory is the fastest.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = Path(folder or tempfile.mkdtemp(prefix="trainyard-siege-", dir=memory))
        self.state = self.folder / "state"
        self.options = options
        self.process = self.ready = None
        self.errors = tempfile.TemporaryFile("a+b")  # elsewhere: the folder's disk may be full

    def launch(self):
        """Starts it, and does not wait."""
        self.process = subprocess.Popen(
            [TRAINYARD, "serve", "--state", self.state, "--port", "0", "--plain-port", "0", "--json", *self.options],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors)

    def wait_until_ready(self):
        text = b""
        for line in self.process.stdout:
            text += line
            if line == b"}\n":
                break
        if not text.endswith(b"}\n"):
            raise AssertionError(f"trainyard serve ended with {self.process.wait()}: {self.log()[-2000:]}")
        self.ready = json.loads(text)

    def start(self):
        self.launch()
        self.wait_until_ready()

    def end(self, with_signal=signal.SIGTERM):
        """What it ended with."""
        self.process.send_signal(with_signal)
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        self.process = None
        return code

    def kill(self):
        code = self.end(signal.SIGKILL)
        assert code == -signal.SIGKILL, f"it had ended before the kill, with {code}: {self.log()[-2000:]}"

    def remove(self):
        if self.process:
            self.end(signal.SIGKILL)
        self.errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.existing.discard(self)

    def log(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def connect(self, **options):
        return Connection(self, **options)

    def run(self, *words):
        """Another verb of the program; what it printed."""
        done = subprocess.run([TRAINYARD, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 0, f"{words}: {done.returncode} {done.stderr.decode()}"
        return done.stdout.decode()


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:1000]!r}"


class Connection:
    """One kept connection to the plain port; requests go to the Resource Manager, to Azure Files, or unchanged."""

    def __init__(self, emulator, account=None, key=None, timeout_s=60):
        self.emulator, self.account, self.key = emulator, account, key
        self.http = http.client.HTTPConnection(emulator.ready["plain"], timeout=timeout_s)

    def close(self):
        self.http.close()

    def ask(self, method, target, body=b"", headers=()):
        headers = dict(headers)
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        if body or method in ("PUT", "POST", "PATCH"):
            headers["Content-Length"] = str(len(body))
        self.http.request(method, target, body or None, headers)
        answer = self.http.getresponse()
        return Answer(answer.status, answer.headers, answer.read())

    def arm(self, method, path, body=b"", headers=()):
        """`path` below the subscription, with its api-version."""
        head = {"Authorization": "Bearer x", **dict(headers)}
        version = "2018-05-01" if "/Microsoft.BatchAI" in path else "2021-04-01"
        return self.ask(method, f"/subscriptions/{self.emulator.ready['subscription']}{path}?api-version={version}", body, head)

    def files(self, method, path, query=None, body=b"", headers=()):
        """`path` is "share/directory/file", not yet encoded."""
        target = f"/{self.account}/" + urllib.parse.quote(path)
        head = {"x-ms-date": email.utils.formatdate(usegmt=True), "x-ms-version": FILES_VERSION, **dict(headers)}
        head["Authorization"] = shared_key(self.account, self.key, method, target, query or {}, head, len(body))
        return self.ask(method, target + ("?" + urllib.parse.urlencode(query) if query else ""), body, head)


def shared_key(account, key, method, target, query, headers, length):
    """Microsoft, "Authorize with Shared Key"."""
    lower = {name.lower(): value for name, value in headers.items()}
    standard = [lower.get(name, "") for name in (
        "content-encoding", "content-language", "content-length", "content-md5", "content-type", "date", "if-modified-since",
        "if-match", "if-none-match", "if-unmodified-since", "range")]
    standard[2] = str(length) if length else ""
    own = [f"{name}:{lower[name]}" for name in sorted(lower) if name.startswith("x-ms-")]
    resource = [f"/{account}{target}"] + [f"{name.lower()}:{query[name]}" for name in sorted(query)]
    text = "\n".join([method, *standard, *own, *resource])
    digest = hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()
    return f"SharedKey {account}:{base64.b64encode(digest).decode()}"


def prepare(connection, account="acct"):
    """A group "g" with a storage account; the account's first key."""
    storage = f"/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/{account}"
    expect(connection.arm("PUT", "/resourceGroups/g", {"location": "eastus"}), 201)
    expect(connection.arm("PUT", storage, {"location": "eastus", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}}), 200)
    return expect(connection.arm("POST", storage + "/listKeys"), 200).json["keys"][0]["value"]


def expect(answer, *statuses):
    assert answer.status in statuses, f"expected {statuses}: {answer}"
    return answer


def main(*tests):
    """Runs functions whose names are sentences; ends with "N passed, N failed"."""
    failed = 0
    for test in tests:
        try:
            test()
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"failed: {test.__name__.replace('_', ' ')}")
            traceback.print_exc()
        for emulator in list(Emulator.existing):  # a test that has failed
            emulator.remove()
    print(f"{len(tests) - failed} passed, {failed} failed")
    sys.exit(failed > 0)

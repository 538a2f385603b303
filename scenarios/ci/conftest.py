"""A fixture of pytest: each test has its own emulator, on free ports and in a new folder, also under `pytest -n 4`. The clients of Azure
in the test, and `az`, talk to it."""
import json
import subprocess
import time

import pytest


@pytest.fixture
def emulator(tmp_path, monkeypatch):
    """What the ready file says: `tls` and `plain` are addresses, `subscription` and `ca` are for clients."""
    ready, state, log = tmp_path / "ready.json", tmp_path / "state", tmp_path / "serve.log"
    with open(log, "wb") as output:
        process = subprocess.Popen(["trainyard", "serve", "--clock", "auto", "--state", state, "--port", "0", "--plain-port", "0",
                                    "--ready-file", ready, "--verbose"], stdout=output, stderr=output)
    try:
        while not ready.exists():
            assert process.poll() is None, log.read_text()
            time.sleep(0.01)
        variables = subprocess.check_output(["trainyard", "az-env", "--state", state, "--json"])
        for name, value in json.loads(variables).items():
            if value is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, value)
        yield json.loads(ready.read_text())
    finally:
        process.terminate()
        process.wait()

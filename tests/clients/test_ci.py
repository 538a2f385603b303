"""scenarios/ci: executes the steps of the workflow for GitHub Actions, as its runner does (each `run` is a new `bash -e`), except
the installation, whose packages tests/cli/test_package.sh checks."""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from support import SOURCES, TRAINYARD, main, skip

try:
    import azure.mgmt.batchai  # noqa: F401
    import pytest  # noqa: F401
    import yaml
except ImportError as missing:
    skip(f"{missing} (Debian packages python3-pytest, python3-yaml, python3-azure)")

EXAMPLE = SOURCES / "scenarios/ci"


def free_ports():
    """A port for TLS, and one with a free neighbour: serve takes that, too."""
    while True:
        with socket.socket() as tls, socket.socket() as plain, socket.socket() as next_one:
            tls.bind(("127.0.0.1", 0))
            plain.bind(("127.0.0.1", 0))
            try:
                next_one.bind(("127.0.0.1", plain.getsockname()[1] + 1))
            except (OSError, OverflowError):
                continue
            return tls.getsockname()[1], plain.getsockname()[1]


class Workflow(unittest.TestCase):
    def setUp(self):
        self.workflow = yaml.safe_load((EXAMPLE / "github-actions.yml").read_text())
        self.job = self.workflow["jobs"]["training"]
        self.folder = Path(tempfile.mkdtemp(prefix="trainyard-ci-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("test_training.py", "scenario.json"):
            shutil.copy(EXAMPLE / name, self.folder)
        tls, plain = free_ports()
        self.environment = dict(os.environ, TLS_PORT=str(tls), PLAIN_PORT=str(plain), PATH=f"{TRAINYARD.parent}:{os.environ['PATH']}")
        self.addCleanup(self.end_emulator)

    def end_emulator(self):
        ready = self.folder / "trainyard-state/serve.json"
        if ready.exists():
            process = yaml.safe_load(ready.read_text())["pid"]
            os.kill(process, signal.SIGTERM)
            while Path(f"/proc/{process}").exists():
                time.sleep(0.01)

    def run_steps(self):
        """The exit code of each step by name; after a failure only those that always run."""
        codes = {}
        for step in self.job["steps"]:
            if "run" not in step or step["name"].startswith("Install"):
                continue
            if any(codes.values()) and step.get("if") != "always()":
                continue
            with open(self.folder / "step.log", "w", encoding="utf-8") as log:
                codes[step["name"]] = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=self.folder, env=self.environment, stdout=log,
                                                     stderr=log, timeout=300, check=False).returncode
        return codes

    def counts(self, name):
        suites = list(ElementTree.parse(self.folder / name).getroot().iter("testsuite"))
        return sum(int(suite.get("tests")) for suite in suites), sum(int(suite.get("failures")) for suite in suites)

    def test_the_workflow_has_the_form_that_github_documents(self):
        self.assertEqual(set(self.workflow), {"name", True, "env", "jobs"})  # YAML reads `on` as true
        self.assertIn("runs-on", self.job)
        for step in self.job["steps"]:
            self.assertEqual(len({"run", "uses"} & set(step)), 1, step)
            self.assertLessEqual(set(step), {"name", "run", "uses", "with", "if"}, step)
            self.assertRegex(step.get("uses", "actions/x@v4"), r"^actions/[a-z-]+@v\d+$")
        self.assertEqual({str(port) for port in self.workflow["env"].values()}, {"10443", "10444"})

    def test_its_steps_succeed_and_leave_what_is_uploaded(self):
        codes = self.run_steps()
        self.assertEqual(set(codes.values()), {0}, f"{codes} {(self.folder / 'step.log').read_text()}")
        self.assertEqual(len(codes), 4)
        for name in self.job["steps"][-1]["with"]["path"].split():
            self.assertGreater((self.folder / name).stat().st_size, 0, name)
        self.assertEqual(self.counts("results.xml"), (2, 0))
        self.assertEqual(self.counts("scenario.xml")[1], 0)
        offline = subprocess.run([TRAINYARD, "run", "session.json", "--json"], cwd=self.folder, stdout=subprocess.PIPE, check=False)
        self.assertEqual(yaml.safe_load(offline.stdout)["job_counts"]["succeeded"], 1)

    def test_tests_with_emulators_of_their_own_run_side_by_side(self):
        for name in ("conftest.py", "test_faults.py"):
            shutil.copy(EXAMPLE / name, self.folder)
        command = ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_faults.py", "--basetemp"]
        both = [subprocess.Popen([*command, self.folder / str(i)], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True) for i in range(2)]
        for process in both:
            output, _ = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0, output)
            self.assertRegex(output, r"(?m)^5 passed")
        self.assertEqual(list(self.folder.glob("*/*/ready.json")), [])

    def test_a_test_that_fails_is_in_the_results_and_the_session_is_kept(self):
        path = self.folder / "test_training.py"
        path.write_text(path.read_text().replace("exit_code == 3", "exit_code == 4"))
        codes = self.run_steps()
        self.assertEqual(codes["Test against it"], 1)
        self.assertNotIn("Test the plan offline", codes)
        self.assertEqual(self.counts("results.xml"), (2, 1))
        self.assertGreater((self.folder / "session.json").stat().st_size, 0)


if __name__ == "__main__":
    sys.exit(main())

"""What tests with real clients need: an emulator on free ports, and `az` as its users run it.

    class Groups(Case):
        def test_a_group_is_there_after_it_was_created(self):
            self.az("group create --name some --location eastus")
            self.assertEqual(self.az("group exists --name some").json, True)

    if __name__ == "__main__":
        main()

Each class has a separate emulator, started by `trainyard serve` in a new folder, which is also the working directory. The
program to test is $TRAINYARD. `main` ends with "N passed, N failed", or with exit code 77 and the reason where it cannot run.
"""
import atexit
import importlib
import json
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
TRAINYARD = Path(os.environ.get("TRAINYARD", SOURCES / "build/release/bin/trainyard")).resolve()
# Every command of az as a process from the start: a second each. Otherwise it is forked from one that has its modules already.
AZ_STARTS_ANEW = bool(os.environ.get("TRAINYARD_AZ_STARTS_ANEW"))
# Modules that az loads for nearly every command of the tests, but no module of az, which reads the environment when it is loaded.
AZ_MODULES = """azure.core azure.mgmt.batchai azure.mgmt.core azure.mgmt.resource azure.mgmt.storage azure.multiapi.storagev2.fileshare
cryptography.x509 humanfriendly jmespath knack msal msrest msrestazure paramiko requests tabulate""".split()


class Emulator:
    """`trainyard serve` in a temporary folder."""

    def __init__(self, *options):
        self.folder = Path(tempfile.mkdtemp(prefix="trainyard-clients-"))
        self.options = options
        self.process = None
        self.ready = None
        atexit.register(self.remove)
        self.start()

    def start(self):
        ready_file = self.folder / "ready.json"
        ready_file.unlink(missing_ok=True)
        with open(self.folder / "serve.out", "ab") as out, open(self.folder / "serve.err", "ab") as err:
            self.process = subprocess.Popen(
                [TRAINYARD, "serve", "--port", "0", "--plain-port", "0", "--ready-file", ready_file, "--verbose", *self.options],
                cwd=self.folder, stdout=out, stderr=err)
        while not (ready_file.exists() and ready_file.stat().st_size):
            if self.process.poll() is not None:
                raise RuntimeError(f"trainyard serve ended with {self.process.returncode}: {self.log()}")
            time.sleep(0.005)
        self.ready = json.loads(ready_file.read_text())

    def stop(self):
        """As Control-C does; the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=60)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def remove(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        return (self.folder / "serve.err").read_text()

    def environment(self, *options):
        """What a shell has after `eval "$(trainyard az-env)"`."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        base = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TZ": "UTC"}
        command = f'eval "$({shlex.quote(str(TRAINYARD))} az-env {shlex.join(options)})" && exec env -0'
        text = subprocess.run(["sh", "-c", command], cwd=self.folder, env=base, check=True, stdout=subprocess.PIPE).stdout
        return dict(item.split("=", 1) for item in text.decode().split("\0") if item)

    def ask(self, path, body=None):
        """The emulator's own interface, /trainyard/...: parsed JSON."""
        request = urllib.request.Request(f"http://{self.ready['plain']}/trainyard/{path}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path} {body}: {error.code} {error.read().decode()}") from error

    def rate(self, rate):
        """As --clock: "x60"; "manual" stops it."""
        return self.ask("clock", {"do": "rate", "rate": rate})

    def run_until(self, when):
        """Lets simulated time pass: "job train completed", "cluster gpu ready"."""
        return self.ask("clock", {"do": "run-until", "until": when})

    def advance(self, by):
        return self.ask("clock", {"do": "advance", "by": by})


class Result:
    """What a command has printed and returned."""

    def __init__(self, command, status, stdout, stderr):
        self.command, self.status, self.stdout, self.stderr = command, status, stdout, stderr

    @property
    def json(self):
        return json.loads(self.stdout)

    @property
    def rows(self):
        """A dictionary for each line of a table of az. Columns are separated by two blanks."""
        head, rule, *lines = [line for line in self.stdout.splitlines() if line.strip()]
        spans = [match.span() for match in re.finditer("-+", rule)]
        ends = [begin for begin, _ in spans[1:]] + [None]
        names = [head[begin:end].strip() for (begin, _), end in zip(spans, ends)]
        return [{name: line[begin:end].strip() for name, (begin, _), end in zip(names, spans, ends)} for line in lines]

    def __str__(self):
        return f"$ az {shlex.join(self.command)}\n{self.stdout}{self.stderr}-> {self.status}"


def become_az(arguments):
    """As /usr/bin/az; does not return."""
    status = 1
    try:
        sys.argv = ["az", *arguments]
        runpy.run_module("azure.cli")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # what Python does at the end of a program
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def fork_az(arguments, folder, environment, out, err):
    for name in AZ_MODULES:
        importlib.import_module(name)
    child = os.fork()
    if child == 0:
        os.setsid()  # no terminal: a question of az must not wait for an answer
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        become_az(arguments)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def start_az(arguments, folder, environment, out, err, answer):
    """With an answer its input is a terminal, where it is typed."""
    keyboard, terminal = os.openpty()
    os.write(keyboard, answer.encode())
    try:
        return subprocess.run(["az", *arguments], cwd=folder, env=environment, stdin=terminal if answer else subprocess.DEVNULL,
                              stdout=out, stderr=err, timeout=600, check=False).returncode
    finally:
        os.close(keyboard)
        os.close(terminal)


def run_az(command, folder, environment, starts_anew=AZ_STARTS_ANEW, answer=""):
    """A command line of az, without the word "az"."""
    arguments = shlex.split(command) if isinstance(command, str) else [str(word) for word in command]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        if starts_anew or answer:
            status = start_az(arguments, folder, environment, out, err, answer)
        else:
            status = fork_az(arguments, folder, environment, out, err)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return Result(arguments, status, *texts)


class Case(unittest.TestCase):
    """A class of tests that share an emulator; they run in the order in which they are written."""

    options = ("--clock", "auto")
    form = ()  # options of az-env
    longMessage = True
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.emulator = Emulator(*cls.options)
        cls.folder = cls.emulator.folder
        cls.environment = cls.emulator.environment(*cls.form)
        try:
            cls.prepare()
        except BaseException:
            cls.emulator.remove()
            raise

    @classmethod
    def prepare(cls):
        """What the tests of a class find there."""

    @classmethod
    def tearDownClass(cls):
        status = cls.emulator.stop()
        assert status == 0, f"trainyard serve ended with {status}: {cls.emulator.log()[-2000:]}"
        cls.emulator.remove()

    @classmethod
    def az(cls, command, status=0, starts_anew=AZ_STARTS_ANEW, answer="", may_warn=False):
        """Runs it and expects an exit code. None of the emulator's mistakes may show as one of az."""
        result = run_az(command, cls.folder, cls.environment, starts_anew, answer)
        assert result.status == status, f"expected {status}\n{result}"
        assert may_warn or "Traceback" not in result.stderr, result
        return result

    def fails(self, command, message, status=1):
        """The exit code, and what az says on stderr."""
        result = self.az(command, status)
        self.assertIn(message, str(result))
        self.assertEqual(result.stdout, "", result)

    def missing(self, command, message):
        """Status 3 is az's word for it."""
        self.fails(command, message, 3)

    def requests(self, pattern):
        """Lines of the emulator's log."""
        return re.findall(f"request=.*{pattern}.*", self.emulator.log())

    def assertHas(self, actual, expected):
        """These members, whatever else there is; within lists all items."""
        if isinstance(expected, dict):
            for key, value in expected.items():
                self.assertIn(key, actual)
                self.assertHas(actual[key], value)
        elif isinstance(expected, list):
            self.assertEqual(len(actual), len(expected), actual)
            for one, other in zip(actual, expected):
                self.assertHas(one, other)
        else:
            self.assertEqual(actual, expected)


class Report(unittest.TextTestResult):
    """A line for each test, as sentences."""

    def getDescription(self, test):
        name = getattr(test, "_testMethodName", str(test))
        return name.removeprefix("test_").replace("_", " ")


class Loader(unittest.TestLoader):
    """Loads the tests in the order in which they are written, because each story builds on its beginning."""

    def getTestCaseNames(self, testCaseClass):
        names = super().getTestCaseNames(testCaseClass)
        return sorted(names, key=lambda name: getattr(testCaseClass, name).__code__.co_firstlineno)


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def main():
    if not TRAINYARD.with_name("trainyard-serve").exists():
        skip("the emulator is not built here")
    if not shutil.which("az"):
        skip("no Azure CLI (package: azure-cli)")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # emulators end with us
    runner = unittest.TextTestRunner(sys.stdout, resultclass=Report, verbosity=2)
    result = unittest.main(testLoader=Loader(), testRunner=runner, exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{max(result.testsRun - failed, 0)} passed, {failed} failed")
    sys.exit(failed > 0)

"""README's "Five minutes with az", followed command by command in a new shell: each command prints the output that the README shows.

One shell runs the first block of the section, and another the second. "$ " begins a command, "> " continues it, all else is
printed; "…" stands for anything. With --show: what it prints today.
"""
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support import SOURCES, TRAINYARD, main

END = "--- end of a command ---"
PLAIN = "127.0.0.1:10444"  # where README's emulator is


def blocks():
    section = re.search(r"^## Five minutes with az\n(.*?)^## ", (SOURCES / "README.md").read_text(), re.S | re.M).group(1)
    return re.findall(r"^```console\n(.*?)^```", section, re.S | re.M)


def steps(block):
    """(command, what it prints) of each."""
    for text in re.split(r"^\$ ", block, flags=re.M)[1:]:
        lines = text.splitlines()
        count = 1
        while count < len(lines) and lines[count].startswith("> "):
            count += 1
        yield "\n".join(line.removeprefix("> ") for line in lines[:count]), "\n".join(lines[count:])


def pattern(text):
    """A regular expression for the text: ports are replaced by PORT, and "…" matches any text."""
    escaped = re.escape(re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", text).strip())
    return escaped.replace("…", ".*?")


def seen(text):
    return re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", re.sub(r" +$", "", text, flags=re.M)).strip()


class Readme(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="trainyard-readme-")))
        (self.folder / "bin").mkdir()
        # On free ports: those of the README may be in use.
        program = self.folder / "bin/trainyard"
        program.write_text(f'#!/bin/sh\n[ "$1" != serve ] || set -- "$@" --port 0 --plain-port 0\nexec {TRAINYARD} "$@"\n')
        program.chmod(0o755)
        (self.folder / "home").mkdir()
        self.environment = {"HOME": str(self.folder / "home"), "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "LANG": "C.UTF-8"}

    def shell(self, script, **streams):
        return subprocess.Popen(["bash", "-c", script], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **streams)

    def test_five_minutes_with_az(self):
        served, session = blocks()
        [(command, welcome)] = steps(served)
        server = self.shell(f"exec {command}")
        try:
            printed = ""
            while not printed.endswith("ends it.\n"):
                printed += server.stdout.readline() or self.fail(printed)
            here = re.search(r"files and clock are at http://(\S+)\.\n", printed).group(1)
            script = "".join(f"{command}\necho '{END}'\n" for command, _ in steps(session)).replace(PLAIN, here)
            began = time.monotonic()
            result = self.shell(script)
            outputs = result.communicate(timeout=300)[0].split(END + "\n")
            took_s = time.monotonic() - began
        finally:
            server.terminate()
            server.communicate()
        if "--show" in sys.argv:
            print(printed)
            for (text, _), output in zip(steps(session), outputs):
                print(f"$ {text}\n{output}", end="")
        self.assertRegex(seen(printed), f"(?s)^{pattern(welcome)}$")
        for (text, expected), output in zip(steps(session), outputs, strict=False):
            self.assertRegex(seen(output), f"(?s)^{pattern(expected)}$", f"$ {text}")
        self.assertEqual(len(outputs), len(list(steps(session))) + 1)
        self.assertLess(took_s, 300, "five minutes")


if __name__ == "__main__":
    main()

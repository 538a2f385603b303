"""Microsoft's clients for JavaScript, unmodified: @azure/arm-batchai, @azure/storage-file-share and azure-storage, as npm has them
(js/package.json and its lock file say which). The tests are in js/*.mjs.

The packages go into build/clients, once; $TRAINYARD_CLIENTS_CACHE is another place for them.
"""
import filecmp
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from support import SOURCES, TRAINYARD, Emulator

SCRIPTS = Path(__file__).resolve().parent / "js"
CACHE = Path(os.environ.get("TRAINYARD_CLIENTS_CACHE", SOURCES / "build/clients"))
# Script, options of serve, where files are.
STORIES = [
    ("batchai.mjs", ["--clock", "auto"], {}),
    ("files.mjs", ["--clock", "auto"], {}),
    ("files.mjs", ["--clock", "auto"], {"FILES_BY_NAME": "1"}),
    ("files.mjs", ["--files"], None),
    ("old_files.mjs", ["--clock", "auto"], {}),
    ("old_files.mjs", ["--clock", "auto"], {"FILES_BY_NAME": "1"}),
    ("old_files.mjs", ["--files"], None),
]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)  # the exit code of a skipped test for CTest


def node_version():
    return int(subprocess.check_output(["node", "-p", "process.versions.node.split('.')[0]"]))


def fetch_packages():
    """npm installs packages next to package.json, so the cache has a copy of that file."""
    for program, package in (("node", "nodejs"), ("npm", "npm")):
        if not shutil.which(program):
            skip(f"no {program} (Debian package {package})")
    if node_version() < 18:
        skip("Node.js is older than 18")
    CACHE.mkdir(parents=True, exist_ok=True)
    lock, fetched = SCRIPTS / "package-lock.json", CACHE / "fetched"
    if fetched.exists() and filecmp.cmp(lock, fetched, shallow=False):
        return
    fetched.unlink(missing_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(SCRIPTS / name, CACHE)
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1"]
    result = subprocess.run(command, cwd=CACHE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, check=False)
    if result.returncode != 0:
        why = re.search(r"npm (?:ERR!|error) code (\w+)", result.stdout)
        skip(f"npm could not fetch the packages (offline?): {why[1] if why else result.stdout[-200:]}")
    shutil.copy(lock, fetched)


def files_of(emulator):
    """Of `serve --files`: what its connection string says."""
    string = re.search(r"\S*AccountName=\S+", (emulator.folder / "serve.out").read_text())[0]
    parts = dict(part.split("=", 1) for part in string.split(";") if part)
    return {"FILES_URL": parts["FileEndpoint"], "FILES_ACCOUNT": parts["AccountName"], "FILES_KEY": parts["AccountKey"]}


def tell(script, options, files):
    """Runs the story against a separate emulator. Prints its output except its counts, and returns them: tests passed, tests failed."""
    emulator = Emulator(*options)
    environment = {**emulator.environment(), "CLIENTS_PACKAGES": str(CACHE), "READY_FILE": str(emulator.folder / "ready.json"),
                   **(files_of(emulator) if files is None else files)}
    print("---", script, *options, *(["by name"] if "FILES_BY_NAME" in environment else []), flush=True)
    # In Debian 12's Node.js an option enables the random generator that @azure/storage-file-share uses for identifiers.
    options = ["--no-deprecation", *(["--experimental-global-webcrypto"] if node_version() < 20 else [])]
    result = subprocess.run(["node", *options, SCRIPTS / script], cwd=emulator.folder, env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                            check=False)
    last_line = r"^(\d+) passed, (\d+) failed$"
    print(re.sub(last_line, "", result.stdout, flags=re.MULTILINE), flush=True)
    counts = re.search(last_line, result.stdout, re.MULTILINE)
    passed, failed = map(int, counts.groups()) if counts else (0, 1)
    if emulator.stop() != 0:
        print(f"trainyard serve failed: {emulator.log()[-2000:]}")
        failed += 1
    emulator.remove()
    return passed, failed


def main():
    if not TRAINYARD.with_name("trainyard-serve").exists():
        skip("the emulator is not built here")
    fetch_packages()
    passed, failed = map(sum, zip(*(tell(*story) for story in STORIES)))
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

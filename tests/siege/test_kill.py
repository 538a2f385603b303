#!/usr/bin/env python3
"""The emulator killed at random moments while clients write: acknowledged writes are stored, and a write under way is stored completely
or not at all.

    test_kill.py [--kills N] [--seed N]

Writers on kept connections change separate resources and shares. Each has one model with two states: the acknowledged state, and the
state with the one write that had no answer when the process was killed. After each start the emulator must have exactly one of the two:
names, contents, metadata, ETags, tags, numbers of nodes. Meanwhile a listener receives events. After a start the events up to the last
acknowledged write are sent again unchanged, and the offline run of an export has them, too.
"""
import argparse
import hashlib
import http.client
import random
import re
import sys
import threading
import time
from email.utils import parsedate_to_datetime

import siege

STATE_KILLS = 25  # of one state; then a new one begins
EVENTS_CHECKED = 1000  # of the last that were heard
STARTING_PART = 5  # one kill in so many comes while it starts
ANYTHING = object()  # an ETag that no client has received


def is_same(expected, actual):
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(is_same(expected[key], actual[key]) for key in expected)
    if isinstance(expected, tuple) and isinstance(actual, tuple):
        return len(expected) == len(actual) and all(map(is_same, expected, actual))
    return expected is ANYTHING or expected == actual


class Writer:
    """Draws one write after the other until its connection breaks. `known`: what was acknowledged; `doubt`: that and the write
    which had no answer yet, or None."""

    def __init__(self, number, seed):
        self.number, self.random = number, random.Random(f"{seed}/{type(self).__name__}/{number}")
        self.known, self.doubt = {}, None
        self.acknowledged = self.doubts = self.doubts_there = 0
        self.failure = None

    def run(self, connection):
        try:
            while True:
                self.write(connection)
        except (http.client.HTTPException, OSError):
            pass  # it was killed
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = failure
        finally:
            connection.close()

    def send(self, after, ask, statuses, learn=lambda answer: None):
        """`after`: the state with this write; `learn` adds the values that only its answer contains."""
        self.doubt = after
        learn(siege.expect(ask(), *statuses))
        self.known, self.doubt = after, None
        self.acknowledged += 1

    def check(self, connection):
        """After a start."""
        actual = self.look(connection)
        self.doubts += self.doubt is not None
        if not is_same(self.known, actual):
            assert self.doubt is not None and is_same(self.doubt, actual), (
                f"{type(self).__name__} {self.number}:\nacknowledged: {show(self.known)}\nwith what was under way: {show(self.doubt)}\n"
                f"found: {show(actual)}")
            self.doubts_there += 1
        self.known, self.doubt = actual, None


def show(value):
    if isinstance(value, bytes):
        return f"{len(value)} bytes {hashlib.sha256(value).hexdigest()[:12]}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {show(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show, value)) + ")"
    return "?" if value is ANYTHING else repr(value)


class FilesWriter(Writer):
    """A share: path -> (contents, metadata, ETag) of files, None of directories."""

    DIRECTORIES = ("", "a", "b", "b/c")

    @property
    def share(self):
        return f"share{self.number}"

    def prepare(self, connection):
        siege.expect(connection.files("PUT", self.share, {"restype": "share"}), 201)

    def write(self, connection):
        directory = self.random.choice(self.DIRECTORIES)
        if directory and directory not in self.known:
            parent = directory.rpartition("/")[0]
            self.make_directory(connection, directory if not parent or parent in self.known else parent)
            return
        path = (directory + "/" if directory else "") + self.random.choice(("File 1", "ü.bin"))
        what = self.random.random()
        if directory and what < 0.05 and not any(name.startswith(directory + "/") for name in self.known):
            self.delete(connection, directory, {"restype": "directory"})
        elif path not in self.known or what < 0.12:
            self.create(connection, path)
        elif what < 0.25:
            self.delete(connection, path, {})
        elif what < 0.35:
            self.set_metadata(connection, path)
        elif what < 0.42:
            self.rename(connection, path)
        else:
            self.put_range(connection, path)

    def with_entry(self, path, *entry):
        after = {name: value for name, value in self.known.items() if name != path}
        if entry:
            after[path] = entry[0]
        return after

    def put(self, connection, path, contents, metadata, query, headers, body=b"", status=201):
        after = self.with_entry(path, (contents, metadata, ANYTHING))

        def learn(answer):
            after[path] = (contents, metadata, answer.headers["ETag"])

        self.send(after, lambda: connection.files("PUT", f"{self.share}/{path}", query, body, headers), (status,), learn)

    def make_directory(self, connection, path):
        self.send(self.with_entry(path, None),
                  lambda: connection.files("PUT", f"{self.share}/{path}", {"restype": "directory"}), (201,))

    def create(self, connection, path):
        size = self.random.choice((0, 1, self.random.randrange(1, 5000), self.random.randrange(1, 100000)))
        metadata = {"n": str(self.random.randrange(1000))}
        self.put(connection, path, bytes(size), metadata, {},
                 {"x-ms-type": "file", "x-ms-content-length": str(size), "x-ms-meta-n": metadata["n"]})

    def put_range(self, connection, path):
        contents, metadata, _ = self.known[path]
        if not contents:
            self.create(connection, path)
            return
        first = self.random.randrange(len(contents))
        length = self.random.randint(1, len(contents) - first)
        headers = {"x-ms-range": f"bytes={first}-{first + length - 1}", "x-ms-write": "update"}
        body = self.random.randbytes(length)
        if self.random.random() < 0.2:
            headers["x-ms-write"], body = "clear", b""
        after = contents[:first] + (body or bytes(length)) + contents[first + length:]
        self.put(connection, path, after, metadata, {"comp": "range"}, headers, body)

    def set_metadata(self, connection, path):
        metadata = {"n": str(self.random.randrange(1000))}
        self.put(connection, path, self.known[path][0], metadata, {"comp": "metadata"}, {"x-ms-meta-n": metadata["n"]}, status=200)

    def rename(self, connection, path):
        to = path + " moved"
        if to in self.known:
            self.delete(connection, to, {})
            return
        after = self.with_entry(path)
        after[to] = (*self.known[path][:2], ANYTHING)
        source = f"http://{connection.emulator.ready['plain']}/{connection.account}/{self.share}/" + siege.urllib.parse.quote(path)
        self.send(after, lambda: connection.files("PUT", f"{self.share}/{to}", {"comp": "rename"},
                                                  headers={"x-ms-file-rename-source": source}), (200,))

    def delete(self, connection, path, query):
        self.send(self.with_entry(path), lambda: connection.files("DELETE", f"{self.share}/{path}", query), (202,))

    def look(self, connection):
        found = {}
        for path in self.names(connection, ""):
            if path.endswith("/"):
                found[path[:-1]] = None
                continue
            answer = siege.expect(connection.files("GET", f"{self.share}/{path}"), 200)
            written, now = (parsedate_to_datetime(answer.headers[name]) for name in ("Last-Modified", "Date"))
            assert written <= now, f"{path} was written at {written}, and it is {now}: time has gone back"
            metadata = {name[len("x-ms-meta-"):].lower(): value for name, value in answer.headers.items()
                        if name.lower().startswith("x-ms-meta-")}
            found[path] = (answer.body, metadata, answer.headers["ETag"])
        return found

    def names(self, connection, directory):
        """All below it; directories end with a slash."""
        answer = siege.expect(connection.files("GET", f"{self.share}/{directory}".rstrip("/"),
                                               {"restype": "directory", "comp": "list"}), 200)
        for kind, name in re.findall("<(File|Directory)>.*?<Name>(.*?)</Name>", answer.body.decode()):
            if kind == "File":
                yield directory + name
            else:
                yield f"{directory}{name}/"
                yield from self.names(connection, f"{directory}{name}/")


class ArmWriter(Writer):
    """A resource group with workspaces and experiments, and a cluster with jobs: name -> facts, where ANYTHING stands for values that
    only an answer contains. Resources being deleted, which takes simulated time, are in `leaving`."""

    def __init__(self, number, seed):
        super().__init__(number, seed)
        self.count, self.leaving = 0, set()

    @property
    def group(self):
        return f"/resourceGroups/group{self.number}"

    @property
    def share(self):
        """Its jobs write here, each when its node is ready: not into the share of a FilesWriter, which has only that writer's files."""
        return f"output{self.number}"

    @property
    def workspace(self):
        return f"{self.group}/providers/Microsoft.BatchAI/workspaces/work"

    def put(self, connection, path, body, facts, method="PUT", statuses=(200, 201, 202)):
        after = {**self.known, path: facts}

        def learn(answer):
            if answer.body:
                after[path] = self.facts(answer.json)

        self.send(after, lambda: connection.arm(method, path, body), statuses, learn)

    @staticmethod
    def facts(body):
        properties = body.get("properties", {})
        manual = properties.get("scaleSettings", {}).get("manual", {})
        return (body.get("tags", {}), properties.get("creationTime", ""), manual.get("targetNodeCount", -1))

    def prepare(self, connection):
        self.put(connection, self.group, {"location": "eastus", "tags": {"n": "0"}}, None)
        self.put(connection, self.workspace, {"location": "eastus"}, None)
        self.put(connection, f"{self.workspace}/experiments/runs", b"", None)
        siege.expect(connection.files("PUT", self.share, {"restype": "share"}), 201)
        self.put(connection, f"{self.workspace}/clusters/few", {"properties": {
            "vmSize": "STANDARD_D1", "scaleSettings": {"manual": {"targetNodeCount": 1}},
            "userAccountSettings": {"adminUserName": "a", "adminUserPassword": "b"},
            "nodeSetup": {"mountVolumes": {"azureFileShares": [{
                "accountName": connection.account, "azureFileUrl": f"https://{connection.account}.file.core.windows.net/{self.share}",
                "relativeMountPath": "afs", "credentials": {"accountKey": connection.key}}]}}}}, None)
        self.known = self.look(connection)

    def write(self, connection):
        self.count += 1
        what = self.random.random()
        tags = {"n": str(self.count)}
        experiments = [path for path in self.known if "/experiments/e" in path]
        jobs = [path for path in self.known if "/jobs/" in path]
        if what < 0.25:
            self.put(connection, self.group, {"tags": tags}, (tags, "", -1), "PATCH")
        elif what < 0.4:
            self.put(connection, self.workspace, {"tags": tags}, (tags, self.known[self.workspace][1], -1), "PATCH")
        elif what < 0.55:
            self.resize(connection)
        elif what < 0.75 or not experiments:
            self.put(connection, f"{self.workspace}/experiments/e{self.count}", b"", ({}, ANYTHING, -1))
        elif what < 0.85:
            self.delete(connection, self.random.choice(experiments))
        elif len(jobs) < 6:
            self.submit(connection)
        else:
            self.delete(connection, self.random.choice(jobs))

    def resize(self, connection):
        path, target = f"{self.workspace}/clusters/few", self.random.randrange(3)
        self.put(connection, path, {"properties": {"scaleSettings": {"manual": {"targetNodeCount": target}}}},
                 ({}, self.known[path][1], target), "PATCH")

    def submit(self, connection):
        cluster = f"/subscriptions/{connection.emulator.ready['subscription']}{self.workspace}/clusters/few"
        self.put(connection, f"{self.workspace}/experiments/runs/jobs/j{self.count}", {"properties": {
            "cluster": {"id": cluster}, "nodeCount": 1, "stdOutErrPathPrefix": "$AZ_BATCHAI_MOUNT_ROOT/afs",
            "customToolkitSettings": {"commandLine": f"echo {self.count}; sleep 60"}}}, ({}, ANYTHING, -1))

    def delete(self, connection, path):
        after = {name: facts for name, facts in self.known.items() if name != path}
        self.leaving.add(path)
        self.send(after, lambda: connection.arm("DELETE", path), (200, 202, 204))

    def look(self, connection):
        found = {path: self.facts(siege.expect(connection.arm("GET", path), 200).json)
                 for path in (self.group, self.workspace, f"{self.workspace}/clusters/few", f"{self.workspace}/experiments/runs")}
        for scope in (f"{self.workspace}/experiments", f"{self.workspace}/experiments/runs/jobs"):
            for item in siege.expect(connection.arm("GET", scope), 200).json["value"]:
                found[f"{scope}/{item['name']}"] = self.facts(item)
        wanted = self.known.keys() | (self.doubt or {}).keys()
        # Either still there, or a deletion that was under way was not heard.
        for path in [path for path in found if path in self.leaving]:
            if path not in wanted or (self.doubt is not None and path not in self.doubt and self.is_leaving(connection, path)):
                del found[path]
        return found

    @staticmethod
    def is_leaving(connection, path):
        answer = connection.arm("GET", path)
        return answer.status == 404 or answer.json["properties"].get("provisioningState", "").lower() == "deleting"

    def check_gone(self, connection):
        """After simulated time has passed."""
        for path in self.leaving - self.known.keys():
            siege.expect(connection.arm("GET", path), 404)


class Listener:
    """Hears events while the emulator lives: number -> text."""

    def __init__(self):
        self.heard, self.since = {}, 0

    def run(self, connection):
        try:
            connection.http.request("GET", f"/trainyard/events?since={self.since}")
            self.take(connection.http.getresponse(), lambda: False)
        except (http.client.HTTPException, OSError):
            pass
        finally:
            connection.close()

    def take(self, answer, is_enough):
        number = None
        for line in iter(answer.readline, b""):
            if line.startswith(b"id: "):
                number = int(line[4:])
            elif line.startswith(b"data: ") and line.endswith(b"\n"):
                self.heard[number] = line[6:].decode()
                if is_enough():
                    return

    @staticmethod
    def instant(text):
        return int(re.search('"at_ns":([0-9]+)', text)[1])

    def check(self, emulator):
        """Events up to the restored time are sent again; later events that were received happen again."""
        connection = emulator.connect()
        now_ns = siege.expect(connection.ask("GET", "/trainyard/clock"), 200).json["now_ns"]
        recent = sorted(self.heard)[-EVENTS_CHECKED:]
        heard = {number: self.heard[number] for number in recent if self.instant(self.heard[number]) <= now_ns}
        again = Listener()
        if heard:
            first, last = max(0, min(heard) - 1), max(heard)
            connection.http.request("GET", f"/trainyard/events?since={first}")
            again.take(connection.http.getresponse(), lambda: max(again.heard) >= last)
        connection.close()
        differing = [number for number in heard if again.heard.get(number, heard[number] if number < min(again.heard) else None) != heard[number]]
        assert not differing, f"event {differing[0]} was {heard[differing[0]]}, is {again.heard.get(differing[0])}"
        self.heard, self.since = heard, max(heard, default=0)
        return len(heard)


class Siege:
    def __init__(self, seed):
        self.seed, self.random = seed, random.Random(seed)
        self.kills = self.starting_kills = self.acknowledged_arm = self.acknowledged_files = 0
        self.doubts = self.doubts_there = self.events = self.states = 0
        self.starts_s = []

    def begin(self):
        self.emulator = siege.Emulator("--clock", "x2000", "--seed", str(self.states))
        self.start()
        connection = self.connect(None)
        self.key = siege.prepare(connection)
        self.writers = [kind(number, f"{self.seed}/{self.states}") for kind in (FilesWriter, ArmWriter) for number in range(3)]
        self.listener = Listener()
        connection.key = self.key
        for writer in self.writers:
            writer.prepare(connection)
        connection.close()
        self.states += 1

    def connect(self, key):
        return self.emulator.connect(account="acct", key=key)

    def start(self):
        begun = time.monotonic()
        self.emulator.start()
        self.starts_s.append(time.monotonic() - begun)

    def load_and_kill(self):
        threads = [threading.Thread(target=actor.run, args=(self.connect(self.key),)) for actor in (*self.writers, self.listener)]
        for thread in threads:
            thread.start()
        time.sleep(self.random.uniform(0, 0.08))
        self.emulator.kill()
        for thread in threads:
            thread.join()
        for writer in self.writers:
            if writer.failure:
                raise writer.failure
        self.kills += 1

    def kill_while_starting(self):
        self.emulator.launch()
        time.sleep(self.random.uniform(0, 0.03))
        self.emulator.kill()
        self.kills += 1
        self.starting_kills += 1

    def check(self):
        connection = self.connect(self.key)
        for writer in self.writers:
            writer.check(connection)
        connection.close()
        self.events += self.listener.check(self.emulator)

    def end(self):
        """Every deleted resource disappears, and the offline run of an export has the events that were sent."""
        connection = self.connect(self.key)
        siege.expect(connection.ask("POST", "/trainyard/clock", {"do": "rate", "rate": "manual"}), 200)
        siege.expect(connection.ask("POST", "/trainyard/clock", {"do": "advance", "by": "2h"}), 200)
        for writer in self.writers:
            if isinstance(writer, ArmWriter):
                writer.check_gone(connection)
                self.acknowledged_arm += writer.acknowledged
            else:
                self.acknowledged_files += writer.acknowledged
            self.doubts += writer.doubts
            self.doubts_there += writer.doubts_there
        connection.close()
        self.listener.check(self.emulator)
        self.emulator.kill()
        self.emulator.run("export", "--state", self.emulator.state, "-o", "session.json")
        offline = [line.split("\t") for line in self.run_offline()]
        kept = {number: text for number, text in self.listener.heard.items() if number <= len(offline)}
        assert kept, "no event was heard"
        for number, text in kept.items():
            event = siege.json.loads(text)
            assert offline[number - 1][:1] == [str(event["at_ns"])] and event["record"] in offline[number - 1], (
                f"event {number} was {text}, offline it is {offline[number - 1]}")
        self.emulator.remove()

    def run_offline(self):
        siege.subprocess.run([siege.TRAINYARD, "run", "session.json", "-q", "-o", "offline"], cwd=self.emulator.folder, check=False)
        lines = (self.emulator.folder / "offline/trace.tsv").read_text().splitlines()
        return [line for line in lines if line[:1].isdigit()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=20180718)
    options = parser.parse_args()
    begun = time.monotonic()
    run = Siege(options.seed)
    try:
        while run.kills < options.kills:
            run.begin()
            for _ in range(min(STATE_KILLS, options.kills - run.kills)):
                if run.kills >= options.kills:
                    break
                run.load_and_kill()
                if run.kills < options.kills and run.random.randrange(STARTING_PART) == 0:
                    run.kill_while_starting()
                run.start()
                run.check()
            run.end()
    except BaseException:
        print(f"kill {run.kills} of seed {options.seed}; the log ends with: {run.emulator.log()[-2000:]}", file=sys.stderr)
        raise
    finally:
        run.emulator.remove()
    print(f"{run.kills} kills, {run.starting_kills} of them while it started; {run.acknowledged_arm} writes to the Resource Manager and "
          f"{run.acknowledged_files} to Azure Files acknowledged, none lost; {run.doubts} under way, of which {run.doubts_there} were "
          f"there, none by halves; {run.events} events sent again unchanged; a start took "
          f"{1000 * sum(run.starts_s) / len(run.starts_s):.0f} ms in the mean, {1000 * max(run.starts_s):.0f} ms at the most; "
          f"{time.monotonic() - begun:.0f} s")
    # Otherwise it has shown nothing.
    assert run.acknowledged_arm > 5 * run.kills and run.acknowledged_files > 5 * run.kills and run.doubts > run.kills / 2


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Concurrent clients of the emulator: what they saw of files, ETags and leases has a sequential explanation (history.py).

    test_history.py [--seconds S] [--kills N] [--seed N]

Clients on separate connections create, write, read, delete and lease a few files, and record when each request began and ended.
Some cut their connection before the answer, and the emulator is killed and started again. TRAINYARD_HISTORY_SECONDS sets the length.
"""
import argparse
import http.client
import math
import os
import random
import sys
import threading
import time

import history
import siege
from history import DONE, MISSING, REFUSED, Operation

CLIENTS, FILES = 8, 6
LENGTH = 16


# --- The checker itself: histories that are known to be good or bad.

def told(*rows):
    """Operations from (call, return, name, value or lease, result); return None: no result."""
    operations = []
    for call, ret, name, what, result in rows:
        value = what if name == "write" else None
        lease = what if name in ("acquire", "release") else None
        operations.append(Operation(call, math.inf if ret is None else ret, name, value, lease, None if ret is None else result))
    return operations


MADE = (0, 1, "create", None, (DONE, None, "e0"))


def wrote(call, ret, value, etag):
    return (call, ret, "write", value, (DONE, None, etag))


def read(call, ret, value, etag):
    return (call, ret, "read", None, (DONE, value, etag))


GOOD = {
    "one after the other": [MADE, wrote(2, 3, "a", "e1"), read(4, 5, "a", "e1")],
    "two writes at a time, the first wins": [MADE, wrote(2, 9, "a", "e1"), wrote(3, 8, "b", "e2"), read(10, 11, "a", "e1")],
    "two writes at a time, the second wins": [MADE, wrote(2, 9, "a", "e1"), wrote(3, 8, "b", "e2"), read(10, 11, "b", "e2")],
    "a read during a write sees either": [MADE, wrote(2, 9, "a", "e1"), read(3, 4, "zeros", "e0"), read(5, 6, "a", "e1")],
    "a write without an answer that happened": [MADE, (2, None, "write", "a", None), read(5, 6, "a", "e1")],
    "a write without an answer that did not happen": [MADE, (2, None, "write", "a", None), read(5, 6, "zeros", "e0")],
    "a write without an answer that happened late": [MADE, (2, None, "write", "a", None), read(5, 6, "zeros", "e0"), read(7, 8, "a", "e1")],
    "a lease keeps others out": [MADE, (2, 3, "acquire", "L", (DONE,)), (4, 5, "write", "a", (REFUSED,)), (6, 7, "release", "L", (DONE,)),
                                 wrote(8, 9, "a", "e1")],
    "two leases at a time, one is refused": [MADE, (2, 6, "acquire", "L", (DONE,)), (3, 5, "acquire", "M", (REFUSED,))],
    "deleted during a read": [MADE, (2, 9, "delete", None, (DONE,)), (3, 4, "read", None, (MISSING,)), (5, 6, "read", None, (MISSING,))],
}
BAD = {
    "a write that was acknowledged is not seen": [MADE, wrote(2, 3, "a", "e1"), read(4, 5, "zeros", "e0")],
    "a value that was never written": [MADE, read(2, 3, "a", "e0")],
    "a new value, then an old one": [MADE, wrote(2, 9, "a", "e1"), read(3, 4, "a", "e1"), read(5, 6, "zeros", "e0")],
    "two readers see two writes in two orders": [MADE, wrote(2, 20, "a", "e1"), wrote(3, 19, "b", "e2"), read(4, 5, "a", "e1"), read(6, 7, "b", "e2"),
                                                 read(8, 9, "a", "e1")],
    "the ETag of another write": [MADE, wrote(2, 3, "a", "e1"), wrote(4, 5, "b", "e2"), read(6, 7, "b", "e1")],
    "the ETag changes without a write": [MADE, (2, None, "write", "a", None), read(3, 4, "a", "e1"), read(5, 6, "a", "e2")],
    "two leases": [MADE, (2, 6, "acquire", "L", (DONE,)), (3, 5, "acquire", "M", (DONE,))],
    "a write through a lease": [MADE, (2, 3, "acquire", "L", (DONE,)), wrote(4, 5, "a", "e1")],
    "refused without a lease": [MADE, (2, 3, "write", "a", (REFUSED,))],
    "a deleted file is read": [MADE, (2, 3, "delete", None, (DONE,)), read(4, 5, "zeros", "e0")],
    "a file is gone without a deletion": [MADE, (2, 3, "read", None, (MISSING,))],
    "a write without an answer happens twice": [MADE, (2, None, "write", "a", None), read(3, 4, "a", "e1"), wrote(5, 6, "b", "e2"), read(7, 8, "a", "e3")],
}


def good_histories_are_explained():
    for name, rows in GOOD.items():
        assert history.explains(told(*rows)), name


def bad_histories_are_not_explained():
    for name, rows in BAD.items():
        assert not history.explains(told(*rows)), name


# --- Clients.

class Client:
    """Draws one operation after the other until `until` or until the emulator is gone."""

    def __init__(self, number, seed):
        self.number, self.random = number, random.Random(f"{seed}/{number}")
        self.operations = {file: [] for file in range(FILES)}
        self.leases = {}  # of each file, that it has or had
        self.values = 0
        self.failure = None

    def run(self, connection, until):
        try:
            while time.monotonic() < until:
                self.one(connection)
        except (http.client.HTTPException, OSError):
            pass  # it was killed
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = failure
        finally:
            connection.close()

    def one(self, connection):
        file = self.random.randrange(FILES)
        name = self.random.choices(("create", "write", "read", "delete", "acquire", "release"), (2, 8, 10, 1, 2, 3))[0]
        lease = self.leases.get(file) if self.random.random() < 0.5 else None
        if name == "acquire":
            lease = self.leases.setdefault(file, f"{self.number:08x}-0000-0000-0000-{file:012x}")
        elif name == "release":
            lease = self.leases.get(file)
            if lease is None:
                return
        elif name == "read":
            lease = None
        self.values += 1
        value = f"{self.number:04d}/{self.values:011d}" if name == "write" else None
        operation = Operation(time.monotonic(), math.inf, name, value, lease)
        self.operations[file].append(operation)
        if self.random.random() < 0.003:
            self.cut(connection, file, operation)
        else:
            answer = self.ask(connection, file, operation)
            self.operations[file][-1] = operation._replace(ret=time.monotonic(), result=result_of(operation, answer))

    def cut(self, connection, file, operation):
        """Sends the request and leaves."""
        connection.http.connect()
        connection.http.getresponse = leave
        try:
            self.ask(connection, file, operation)
        except Left:
            pass
        del connection.http.getresponse
        connection.http.close()

    def ask(self, connection, file, operation):
        path, headers = f"history/f{file}", {}
        if operation.lease and operation.name not in ("acquire", "release"):
            headers["x-ms-lease-id"] = operation.lease
        if operation.name == "create":
            headers.update({"x-ms-type": "file", "x-ms-content-length": str(LENGTH)})
            return connection.files("PUT", path, headers=headers)
        if operation.name == "write":
            headers.update({"x-ms-range": f"bytes=0-{LENGTH - 1}", "x-ms-write": "update"})
            return connection.files("PUT", path, {"comp": "range"}, operation.value.encode(), headers)
        if operation.name == "acquire":
            return connection.files("PUT", path, {"comp": "lease"}, headers={
                "x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1", "x-ms-proposed-lease-id": operation.lease})
        if operation.name == "release":
            return connection.files("PUT", path, {"comp": "lease"}, headers={"x-ms-lease-action": "release", "x-ms-lease-id": operation.lease})
        return connection.files("GET" if operation.name == "read" else "DELETE", path, headers=headers)


class Left(Exception):
    pass


def leave():
    raise Left


def result_of(operation, answer):
    siege.expect(answer, 200, 201, 202, 404, 409, 412)
    if answer.status == 404:
        return (MISSING,)
    if answer.status >= 400:
        return (REFUSED,)
    value = None
    if operation.name == "read":
        value = history.ZEROS if answer.body == bytes(LENGTH) else answer.body.decode()
    return (DONE, value, answer.headers["ETag"])


# --- The test.

def run_clients(emulator, clients, key, seconds, is_killed):
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=client.run, args=(emulator.connect(account="acct", key=key), until if not is_killed else math.inf))
               for client in clients]
    for thread in threads:
        thread.start()
    if is_killed:
        time.sleep(seconds)
        emulator.kill()
    for thread in threads:
        thread.join()
    for client in clients:
        if client.failure:
            raise client.failure


def record(seconds, kills, seed):
    """Operations by file."""
    emulator = siege.Emulator("--clock", "x1")
    emulator.start()
    connection = emulator.connect(account="acct")
    connection.key = siege.prepare(connection)
    siege.expect(connection.files("PUT", "history", {"restype": "share"}), 201)
    files = {}
    for life in range(kills + 1):
        clients = [Client(life * CLIENTS + number, seed) for number in range(CLIENTS)]
        run_clients(emulator, clients, connection.key, seconds / (kills + 1), life < kills)
        for client in clients:
            for file, operations in client.operations.items():
                files.setdefault(file, []).extend(operations)
        if life < kills:
            emulator.start()
    assert emulator.end() == 0
    emulator.remove()
    return files


def check(files):
    total = 0
    for file, operations in files.items():
        try:
            is_explained = history.explains(operations)
        except history.Undecided:
            print(f"file {file}: undecided after {history.CONFIGURATIONS_MOST} configurations of {len(operations)} operations")
            continue
        total += len(operations)
        if not is_explained:
            for operation in history.shrink(operations)[-20:]:
                print(operation)
            raise AssertionError(f"no order explains file {file}; above are the last of its operations")
    return total


def spoiled(operations, chance):
    """The history with one read of another value, or None."""
    reads = [i for i, one in enumerate(operations) if one.name == "read" and one.result and one.result[0] == DONE]
    values = sorted({operations[i].result[1] for i in reads})
    if len(values) < 3:
        return None
    i = chance.choice(reads)
    result = operations[i].result
    other = chance.choice([value for value in values if value != result[1]])
    return operations[:i] + [operations[i]._replace(result=(DONE, other, result[2]))] + operations[i + 1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("TRAINYARD_HISTORY_SECONDS", 4)))
    parser.add_argument("--kills", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kills = max(2, int(options.seconds / 3)) if options.kills is None else options.kills

    def histories_of_concurrent_clients_are_explained():
        deadline, rounds, total, killed = time.monotonic() + options.seconds, 0, 0, 0
        while rounds == 0 or time.monotonic() < deadline:
            # Short histories: the memory of a search grows with their length.
            seconds = min(options.seconds, 30)
            round_kills = max(1, round(kills * seconds / options.seconds))
            files = record(seconds, round_kills, f"{options.seed}/{rounds}")
            total += check(files)
            killed += round_kills
            assert total > 0, "no history was decided"
            rounds += 1
            chance = random.Random(f"{options.seed}/{rounds}")
            for operations in list(files.values())[:1]:
                wrong = spoiled([one for one in operations if one.ret < math.inf][:200], chance)
                assert wrong is None or not history.explains(wrong), "a history with a wrong read is explained"
        print(f"{total} operations of {CLIENTS} clients on {FILES} files with {killed} kills")

    sys.argv = sys.argv[:1]
    siege.main(good_histories_are_explained, bad_histories_are_not_explained, histories_of_concurrent_clients_are_explained)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Mixed load for a while: the emulator's memory, descriptors and latencies stay where they are.

    test_load.py [--seconds S]

Clients make, write, read and delete files, groups, jobs, event streams and listings; what exists stays the same. The emulator's
resident memory and descriptors and the clients' latencies are recorded in ten windows, and printed. Bars: memory and descriptors do not
grow from the second window to the last; with TRAINYARD_LOAD_SECONDS of 600 or more, also the 99th percentile of latencies.
"""
import argparse
import http.client
import os
import random
import sys
import threading
import time

import siege

CLIENTS, WINDOWS, JUDGED_S = 6, 10, 600
MEMORY_BAR_MB = 24  # caches and the allocator's free lists; growth without end passes it within the hour
DESCRIPTORS_BAR = 8
P99_BAR_MS = 250  # six clients in Python on the emulator's machine, each commit synced
P99_GROWTH_BAR = 2.0
WORKSPACE = "/resourceGroups/g/providers/Microsoft.BatchAI/workspaces/w"
CLUSTER = {"properties": {"vmSize": "STANDARD_D1", "scaleSettings": {"manual": {"targetNodeCount": 2}},
                          "userAccountSettings": {"adminUserName": "u", "adminUserPassword": "p"}}}


class Client:
    def __init__(self, number, key, emulator):
        self.number, self.random, self.emulator = number, random.Random(number), emulator
        self.connection = emulator.connect(account="acct", key=key)
        self.latencies, self.failure, self.round = [], None, 0

    def run(self, ending):
        try:
            while not ending.is_set():
                self.round += 1
                self.random.choice((self.files, self.files, self.files, self.group, self.job, self.stream, self.listing))()
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = failure
        finally:
            self.connection.close()

    def timed(self, ask, *statuses):
        begin = time.monotonic()
        answer = siege.expect(ask(), *statuses)
        self.latencies.append(time.monotonic() - begin)
        return answer

    def files(self):
        path, size = f"load/f{self.number}", self.random.choice((100, 5000, 60000))
        ask, body = self.connection.files, self.random.randbytes(size)
        self.timed(lambda: ask("PUT", path, headers={"x-ms-type": "file", "x-ms-content-length": str(size)}), 201)
        for _ in range(3):
            self.timed(lambda: ask("PUT", path, {"comp": "range"}, body, {"x-ms-range": f"bytes=0-{size - 1}", "x-ms-write": "update"}), 201)
        assert self.timed(lambda: ask("GET", path), 200).body == body
        self.timed(lambda: ask("DELETE", path), 202)

    def group(self):
        path = f"/resourceGroups/load{self.number}"
        self.timed(lambda: self.connection.arm("PUT", path, {"location": "eastus"}), 201)
        self.timed(lambda: self.connection.arm("GET", path), 200)
        self.timed(lambda: self.connection.arm("DELETE", path), 202)

    def job(self):
        path = f"{WORKSPACE}/experiments/e/jobs/j{self.number}x{self.round}"
        cluster = f"/subscriptions/{self.emulator.ready['subscription']}{WORKSPACE}/clusters/c"
        job = {"properties": {"cluster": {"id": cluster}, "nodeCount": 1, "stdOutErrPathPrefix": "/mnt/logs",
                              "customToolkitSettings": {"commandLine": "true"}}}
        self.timed(lambda: self.connection.arm("PUT", path, job), 200, 202)
        self.timed(lambda: self.connection.arm("GET", path), 200)
        self.timed(lambda: self.connection.arm("DELETE", path), 202)

    def stream(self):
        other = http.client.HTTPConnection(self.emulator.ready["plain"], timeout=60)
        other.request("GET", "/trainyard/events")
        answer = other.getresponse()
        assert answer.status in (200, 503), answer.status
        self.job()  # an event: without one, a window would be silent if all clients watched
        answer.read1(100)
        other.close()

    def listing(self):
        self.timed(lambda: self.connection.files("GET", "load", {"restype": "directory", "comp": "list"}), 200)
        self.timed(lambda: self.connection.ask("GET", "/metrics"), 200)


def memory_mb(process):
    with open(f"/proc/{process}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def descriptors(process):
    return len(os.listdir(f"/proc/{process}/fd"))


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else 0


def prepare(emulator):
    connection = emulator.connect(account="acct")
    connection.key = siege.prepare(connection)
    siege.expect(connection.files("PUT", "load", {"restype": "share"}), 201)
    siege.expect(connection.arm("PUT", WORKSPACE, {"location": "eastus"}), 200, 202)
    siege.expect(connection.arm("PUT", f"{WORKSPACE}/experiments/e", {}), 200, 202)
    siege.expect(connection.arm("PUT", f"{WORKSPACE}/clusters/c", CLUSTER), 200, 202)
    connection.close()
    return connection.key


def watch(emulator, clients, seconds):
    """Rows: requests, p50 and p99 in ms, memory in MB, descriptors."""
    rows, process = [], emulator.process.pid
    for window in range(WINDOWS):
        time.sleep(seconds / WINDOWS)
        taken = []
        for client in clients:
            count = len(client.latencies)
            taken += client.latencies[:count]
            del client.latencies[:count]
        rows.append((len(taken), 1e3 * percentile(taken, 0.5), 1e3 * percentile(taken, 0.99), memory_mb(process), descriptors(process)))
        print("window %2d: %6d requests, p50 %6.1f ms, p99 %6.1f ms, %6.1f MB, %d descriptors" % (window + 1, *rows[-1]), flush=True)
        assert not any(client.failure for client in clients), [client.failure for client in clients]
    return rows


def judge(rows, seconds):
    first, last = rows[1], rows[-1]
    assert all(row[0] > 0 for row in rows), "a window without an answer"
    assert last[3] - first[3] <= MEMORY_BAR_MB, f"memory has grown from {first[3]:.1f} to {last[3]:.1f} MB (bar {MEMORY_BAR_MB} MB)"
    assert last[4] - first[4] <= DESCRIPTORS_BAR, f"descriptors have grown from {first[4]} to {last[4]}"
    if seconds >= JUDGED_S:
        worst = max(row[2] for row in rows[1:])
        assert worst <= P99_BAR_MS, f"the 99th percentile of a window is {worst:.1f} ms (bar {P99_BAR_MS} ms)"
        assert last[2] <= max(P99_GROWTH_BAR * first[2], 20), f"the 99th percentile has grown from {first[2]:.1f} to {last[2]:.1f} ms"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("TRAINYARD_LOAD_SECONDS", 10)))
    seconds = parser.parse_args().seconds

    def memory_descriptors_and_latencies_do_not_grow():
        emulator = siege.Emulator("--clock", "x60")
        emulator.start()
        key = prepare(emulator)
        before = descriptors(emulator.process.pid)
        clients = [Client(number, key, emulator) for number in range(CLIENTS)]
        ending = threading.Event()
        threads = [threading.Thread(target=client.run, args=(ending,)) for client in clients]
        for thread in threads:
            thread.start()
        try:
            rows = watch(emulator, clients, seconds)
        finally:
            ending.set()
            for thread in threads:
                thread.join()
        judge(rows, seconds)
        for _ in range(100):  # clients have left
            if descriptors(emulator.process.pid) <= before + DESCRIPTORS_BAR:
                break
            time.sleep(0.1)
        assert descriptors(emulator.process.pid) <= before + DESCRIPTORS_BAR, (before, descriptors(emulator.process.pid))
        assert emulator.end() == 0
        emulator.remove()

    sys.argv = sys.argv[:1]
    siege.main(memory_descriptors_and_latencies_do_not_grow)


if __name__ == "__main__":
    main()

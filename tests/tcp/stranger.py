#!/usr/bin/python3
"""Comes to rank 0 of a run without belonging to it, in every way it can think of, and goes when it is killed.

stranger.py MEETING-FILE: waits for the file, as a rank does. Prints "disturbed" once it has done its worst."""
import os
import socket
import struct
import sys
import time

path = sys.argv[1]
while not os.path.exists(path):
    time.sleep(0.01)
words = dict(line.split(" ", 1) for line in open(path).read().splitlines() if not line.startswith("trainyard"))
address = (words["host"], int(words["port"]))


def visit(data):
    connection = socket.create_connection(address)
    try:
        connection.sendall(data)
    except OSError:
        pass  # sent away in the middle
    return connection


def header(kind, rank, length, version=1):
    return b"TYRD" + struct.pack("<HHIIQQ", version, kind, rank, 0, 0, length)


def hello(run, rank, ranks, host=b"here"):
    body = struct.pack("=I", 0x01020304) + struct.pack("<III", ranks, 0, 1)
    body += run.ljust(64, b"\0") + host.ljust(64, b"\0") + bytes(128)
    return header(0, rank, len(body)) + body


def answer(connection):
    data = b""
    connection.settimeout(10)
    try:
        while more := connection.recv(1000):
            data += more
    except OSError:
        pass
    return data


run = words["run"].encode()
kept = [visit(b"") for _ in range(40)]  # more than there are places for guests, and silent
kept += [visit(b"GET / HTTP/1.1\r\nHost: there\r\n\r\n" + bytes(400)), visit(header(0, 1, 1 << 60))]
kept += [visit(hello(run, 1, 2)[:100])]  # begins well, and stops
wrong = [
    (hello(b"another-run", 1, 2), b""),
    (header(0, 1, 272, version=9) + bytes(272), b""),
    (hello(run, 1, 3), b"rank 1 was told of 3 ranks, rank 0 of 2"),
    (hello(run, 0, 2), b"there are two ranks 0"),
    (hello(run, 900, 2), b""),
    (os.urandom(304), b""),
]
for data, expected in wrong:
    got = answer(visit(data))
    if not got.endswith(expected) or (not expected and got):
        sys.exit(f"answered {got!r}, expected {expected!r}")
print("disturbed", flush=True)
if len(sys.argv) > 2:  # the rank that was waited for begins, and these are still there
    os.execv(sys.argv[2], sys.argv[2:])

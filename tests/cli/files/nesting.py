"""Reads Chrome traces, and checks in whole nanoseconds that the slices of each thread nest. Prints the number of slices.

    nesting.py FILE...
"""
import json
import re
import sys
from collections import defaultdict


def nanoseconds(text):
    """Microseconds with exactly three decimals, as text: no reader has to round."""
    assert re.fullmatch(r"[0-9]+\.[0-9]{3}", text), text
    return int(text.replace(".", ""))


def check(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file, parse_float=nanoseconds)["traceEvents"]
    threads = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            assert event["dur"] >= 0, event
            threads[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for thread, slices in threads.items():
        open_ends = []
        for begin, end in sorted(slices, key=lambda piece: (piece[0], -piece[1])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1], (path, thread, begin, end, open_ends[-1])
            open_ends.append(end)
    return sum(map(len, threads.values()))


for name in sys.argv[1:]:
    print(name, check(name))

"""A file of 4 GiB that is sparse but for three ranges: large.py CONNECTION-STRING PROCESS STATE-FOLDER [MIB]

Makes it, reads MIB of it (all without) in one request, writes 64 MiB more, and prints what that took of the server: memory at the
most, and disk. Exit code 1 when the server's memory grows by more than 16 MiB, or a byte is wrong.
"""
import os
import sys
import time

from rest import Account

GIB, MIB, KIB = 1 << 30, 1 << 20, 1 << 10
SIZE = 4 * GIB
MARKS = {0: b"begin", SIZE // 2 + 7: b"middle", SIZE - 3: b"end"}
PAGE = 512  # the unit in which ranges are listed


def memory_mib(process):
    """The largest resident size that the process had."""
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def disk_kib(folder):
    return sum(os.stat(os.path.join(above, name)).st_blocks for above, _, names in os.walk(folder) for name in names) / 2


def main(connection, process, folder, mib=SIZE // MIB):
    account, length = Account(connection), int(mib) * MIB
    account.share("large")
    assert account.create("/large/sparse", SIZE).status == 201
    for first, data in MARKS.items():
        assert account.write("/large/sparse", first, data).status == 201
    before = memory_mib(process)
    ranges = [(int(r.find("Start").text), int(r.find("End").text)) for r in account("GET", "/large/sparse", {"comp": "rangelist"}).xml]
    assert ranges == [(first // PAGE * PAGE, first // PAGE * PAGE + PAGE - 1) for first in MARKS], ranges
    # The last bytes, so that every mark but the first is among them, whatever MIB is from 2049 on.
    first = SIZE - length
    headers = account.signed_headers("GET", account.root + "/large/sparse", [], {"x-ms-range": f"bytes={first}-"}, 0)
    begin = time.monotonic()
    account.connection.request("GET", account.root + "/large/sparse", None, headers)
    answer, at, room = account.connection.getresponse(), first, bytearray(MIB)
    zeros = bytes(MIB)
    assert answer.status == 206, answer.status
    while at < SIZE:
        got = answer.readinto(room)
        assert got > 0, at
        expected = zeros
        for mark, data in MARKS.items():
            if mark < at + got and at < mark + len(data):
                expected = bytearray(expected)
                for i, byte in enumerate(data):
                    if at <= mark + i < at + got:
                        expected[mark + i - at] = byte
        assert room[:got] == expected[:got], at
        at += got
    seconds = time.monotonic() - begin
    reading, sparse = memory_mib(process), disk_kib(folder)
    for part in range(16):
        assert account.write("/large/sparse", (part + 16) * 4 * MIB, bytes([part + 1]) * (4 * MIB)).status == 201
    writing = memory_mib(process)
    print(f"  reading {length // MIB} MiB of a sparse file of 4 GiB: {length / GIB / seconds:.2f} GiB/s, checked by the reader")
    print(f"  memory at most, before, after reading, after writing 64 MiB: {before:.1f}, {reading:.1f}, {writing:.1f} MiB")
    print(f"  disk for 4 GiB with 14 bytes in it: {sparse:.0f} KiB")
    # A range is written from memory: one is under way here, and the next one comes.
    assert reading < before + 4 and writing < before + 16, (before, reading, writing)
    # The state has 4 MiB of reserve.
    assert sparse < 12 * KIB, sparse


if __name__ == "__main__":
    main(*sys.argv[1:])

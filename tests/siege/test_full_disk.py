#!/usr/bin/env python3
"""A full disk: writes are answered with 507, reads are served, and acknowledged content stays unchanged.

Two kinds of full disk: files that may not grow beyond a limit, which needs no privileges, and a small separate file system, where the
system allows one. The commit notices the first kind, and a check before any write notices the second.
"""
import os
import resource
import subprocess
import sys

import siege

LIMIT_BYTES = 1 << 20
DISK_BYTES = 24 << 20
IN_NAMESPACE = "TRAINYARD_SIEGE_NAMESPACE"


def limit_files(process, limit_bytes):
    _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (limit_bytes, hard))


class Model:
    """Groups and files that were acknowledged."""

    def __init__(self, emulator):
        self.emulator, self.groups, self.files, self.refused = emulator, set(), {}, 0
        self.connection = emulator.connect(account="acct")
        self.connection.key = siege.prepare(self.connection)
        siege.expect(self.connection.files("PUT", "share", {"restype": "share"}), 201)

    def reconnect(self):
        key = self.connection.key
        self.connection.close()
        self.connection = self.emulator.connect(account="acct", key=key)

    def create_group(self, name):
        answer = siege.expect(self.connection.arm("PUT", f"/resourceGroups/{name}", {"location": "eastus"}), 201, 507)
        if answer.status == 201:
            self.groups.add(name)
            return True
        assert answer.json["error"]["code"] == "InsufficientStorage", answer
        self.refuse()
        return False

    def refuse(self):
        self.refused += 1
        self.reconnect()

    def upload(self, name, size, parts=1):
        """Uploads like clients: a file of zeros, then its ranges. The model keeps the last acknowledged content."""
        body = os.urandom(size)
        steps = [({}, {"x-ms-type": "file", "x-ms-content-length": str(size)}, b"", bytes(size))]
        for part in range(parts):
            first, end = size * part // parts, size * (part + 1) // parts
            steps.append(({"comp": "range"}, {"x-ms-range": f"bytes={first}-{end - 1}", "x-ms-write": "update"}, body[first:end],
                          body[:end] + bytes(size - end)))
        for query, headers, data, after in steps:
            answer = siege.expect(self.connection.files("PUT", f"share/{name}", query, data, headers), 201, 507)
            if answer.status == 507:
                assert answer.headers["x-ms-error-code"] == "InsufficientStorage", answer
                assert b"<Code>InsufficientStorage</Code>" in answer.body, answer
                self.refuse()
                return False
            self.files[name] = after
        return True

    def delete(self, name):
        siege.expect(self.connection.files("DELETE", f"share/{name}"), 202)
        del self.files[name]

    def check(self):
        self.reconnect()
        found = siege.expect(self.connection.arm("GET", "/resourceGroups"), 200).json["value"]
        names = {group["name"] for group in found} - {"g"}
        assert names == self.groups, (names ^ self.groups)
        listing = siege.expect(self.connection.files("GET", "share", {"restype": "directory", "comp": "list"}), 200).body
        assert listing.count(b"<File>") == len(self.files), (listing, self.files.keys())
        for name, contents in self.files.items():
            assert siege.expect(self.connection.files("GET", f"share/{name}"), 200).body == contents, name

    def check_after_a_kill(self):
        self.check()
        self.emulator.kill()
        self.emulator.start()
        self.check()


def writes_that_cannot_be_committed_are_refused_and_the_rest_goes_on():
    emulator = siege.Emulator()
    emulator.start()
    model = Model(emulator)
    for number in range(20):
        assert model.create_group(f"before{number}")
    assert model.upload("before", 5000)
    number = 0
    for limit_bytes in (LIMIT_BYTES, 4096, 1):
        limit_files(emulator.process.pid, limit_bytes)
        refused = model.refused
        while model.refused < refused + 5:
            model.create_group(f"limited{number}")
            model.upload(f"limited{number}", 3000)
            number += 1
            assert number < 2000, "the limit was never felt"
        model.check()
        limit_files(emulator.process.pid, resource.RLIM_INFINITY)
        assert model.create_group(f"again{number}") and model.upload(f"again{number}", 300000, 4)
        model.check()
    assert emulator.log().count("continuing with the state before them") > 0
    model.check_after_a_kill()
    emulator.remove()


def a_range_that_does_not_fit_leaves_the_file_as_it_was():
    emulator = siege.Emulator()
    emulator.start()
    model = Model(emulator)
    assert model.upload("small", 100000)
    limit_files(emulator.process.pid, 3 * LIMIT_BYTES)
    assert not model.upload("large", 8 * LIMIT_BYTES, 8)
    assert model.files["large"] != bytes(8 * LIMIT_BYTES), "no range was taken"
    assert model.upload("small", 100001)  # there is room for others
    model.check_after_a_kill()
    emulator.remove()


def fill(folder, name):
    """Leaves not a byte of the file system."""
    with open(os.path.join(folder, name), "wb") as ballast:
        room = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        if room > 0:
            os.posix_fallocate(ballast.fileno(), 0, room)


def a_full_file_system_refuses_before_it_writes():
    folder = siege.tempfile.mkdtemp(prefix="trainyard-siege-")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "none", folder], check=True)
    emulator = siege.Emulator(folder=folder)
    emulator.start()
    model = Model(emulator)
    number = 0
    while model.upload(f"f{number}", 1 << 20, 4):
        number += 1
        assert number < 100, "the disk was never full"
    assert model.create_group("full")  # contents leave room for this
    model.delete("f0")  # a delete that frees space
    assert model.upload("f0", 1 << 19)
    while model.upload(f"f{number}", 1 << 20, 4):  # less than a megabyte is left of it, but perhaps a megabyte with the rest from before
        number += 1
        assert number < 102, "the disk is full no more"
    model.check_after_a_kill()
    fill(folder, "ballast")
    assert not model.create_group("fuller") and not model.upload("fuller", 1)
    model.check()
    model.delete("f0")  # deleting continues, and others take the freed space
    fill(folder, "more")
    model.delete("f1")
    assert not model.create_group("fuller") and not model.upload("fuller", 1)
    model.check()
    for name in ("ballast", "more"):
        os.unlink(os.path.join(folder, name))
    assert model.create_group("reserved")
    fill(folder, "ballast")
    emulator.kill()
    emulator.start()  # so does a start
    model.check()
    assert not model.create_group("fuller")
    model.check_after_a_kill()
    os.unlink(os.path.join(folder, "ballast"))
    for name in list(model.files)[:5]:
        model.delete(name)
    assert model.create_group("room") and model.upload("room", 1 << 20)
    model.check_after_a_kill()
    emulator.end()
    subprocess.run(["umount", folder], check=True)
    os.rmdir(folder)


def can_mount():
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs none /mnt"]
    if os.geteuid() == 0:
        del words[1:3]
    try:
        return words[:-3] if subprocess.run(words, check=False, stderr=subprocess.DEVNULL).returncode == 0 else None
    except FileNotFoundError:
        return None


if __name__ == "__main__":
    tests = [writes_that_cannot_be_committed_are_refused_and_the_rest_goes_on, a_range_that_does_not_fit_leaves_the_file_as_it_was]
    if os.environ.get(IN_NAMESPACE):
        tests.append(a_full_file_system_refuses_before_it_writes)
    elif can_mount():
        os.environ[IN_NAMESPACE] = "1"
        words = [*can_mount(), sys.executable, *sys.argv]
        os.execvp(words[0], words)
    else:
        print("no file system may be mounted here: a limit on files is the full disk")
    siege.main(*tests)

#!/usr/bin/env python3
"""A state folder that was damaged between two starts, or is removed during one: nothing acknowledged is lost without a word."""
import os
import shutil

import siege

RECOVER = "--recover"


def written(emulator, files=12):
    """Acknowledged files; then the emulator is killed."""
    emulator.start()
    connection = emulator.connect(account="acct")
    connection.key = siege.prepare(connection)
    siege.expect(connection.files("PUT", "share", {"restype": "share"}), 201)
    for number in range(files):
        siege.expect(connection.files("PUT", f"share/f{number}", headers={"x-ms-type": "file", "x-ms-content-length": "4"}), 201)
        siege.expect(connection.files("PUT", f"share/f{number}", {"comp": "range"}, b"mine", {"x-ms-range": "bytes=0-3", "x-ms-write": "update"}), 201)
    return connection


def refused(emulator, words):
    """Each start refuses, says why and what to do, and leaves contents alone."""
    before = sorted(os.listdir(emulator.state / "contents"))
    for _ in range(2):
        emulator.launch()
        assert emulator.process.wait(60) == 2, emulator.log()
        emulator.process.stdout.close()
        emulator.process = None
    log = emulator.log()
    assert log.count(words) == 2 and "serve --recover" in log, log
    assert sorted(os.listdir(emulator.state / "contents")) == before


def recovered(emulator, *words):
    emulator.options = (*emulator.options, RECOVER)
    emulator.start()
    for word in words:
        assert word in emulator.log(), (word, emulator.log())
    emulator.options = emulator.options[:-1]
    siege.expect(emulator.connect().ask("GET", "/trainyard/clock"), 200)
    code = emulator.end()
    assert code == 0, (code, emulator.log())
    emulator.start()  # and from then on as ever


def a_log_that_is_missing_is_noticed():
    emulator = siege.Emulator("--clock", "manual")
    written(emulator)
    emulator.kill()
    os.unlink(emulator.state / "state.sqlite-wal")
    refused(emulator, "is missing or damaged")
    recovered(emulator, "warning: ", "is missing or damaged", "the damaged database is kept as", "belong to no file")
    assert len(os.listdir(emulator.state / "lost")) >= 12
    emulator.remove()


def a_log_that_is_cut_off_is_noticed():
    emulator = siege.Emulator("--clock", "manual")
    written(emulator)
    emulator.kill()
    log = emulator.state / "state.sqlite-wal"
    os.truncate(log, log.stat().st_size * 2 // 3)
    refused(emulator, "pages of commits were acknowledged")
    recovered(emulator, "pages of commits were acknowledged")
    emulator.remove()


def a_database_that_is_cut_off_is_noticed():
    emulator = siege.Emulator("--clock", "manual")
    written(emulator)
    assert emulator.end() == 0
    database = emulator.state / "state.sqlite"
    os.truncate(database, database.stat().st_size // 8192 * 4096)
    refused(emulator, "cut off")
    emulator.remove()


def contents_that_are_missing_are_noticed():
    emulator = siege.Emulator("--clock", "manual")
    written(emulator)
    emulator.kill()
    os.unlink(emulator.state / "contents" / sorted(os.listdir(emulator.state / "contents"))[0])
    refused(emulator, "1 of the 12 contents")
    recovered(emulator, "of share acct/share has lost its contents, and is removed")
    emulator.remove()


def unknown_contents_are_kept():
    emulator = siege.Emulator("--clock", "manual")
    written(emulator)
    emulator.kill()
    (emulator.state / "contents" / "4711").write_bytes(b"precious")
    emulator.start()
    assert "contents 4711 (8 bytes) belong to no file" in emulator.log()
    assert (emulator.state / "lost" / "4711").read_bytes() == b"precious"
    emulator.remove()


def a_flipped_bit_is_never_sent():
    emulator = siege.Emulator("--clock", "manual")
    connection = written(emulator, files=1)
    assert emulator.end() == 0
    blob, = (emulator.state / "contents").iterdir()
    blob.write_bytes(b"mane")
    emulator.start()
    again = emulator.connect(account="acct", key=connection.key)
    answer = again.files("GET", "share/f0")
    assert answer.status == 500 and answer.headers["x-ms-error-code"] == "ContentsDamaged", answer
    assert b"<Code>ContentsDamaged</Code>" in answer.body and b"mane" not in answer.body, answer
    assert "acct/share/f0: warning: bytes 0 to 3 of the file differ from their checksum" in emulator.log(), emulator.log()
    blob.write_bytes(b"mine")
    assert again.files("GET", "share/f0").body == b"mine"
    emulator.remove()


def a_state_folder_that_is_removed_ends_the_emulator():
    emulator = siege.Emulator("--clock", "manual")
    connection = written(emulator)
    shutil.rmtree(emulator.state)
    answer = connection.arm("PUT", "/resourceGroups/late", {"location": "eastus"})
    assert answer.status == 507, answer
    assert emulator.process.wait(60) == 3
    assert "removed or replaced" in emulator.log()
    emulator.process.stdout.close()
    emulator.process = None
    assert not emulator.state.exists()
    emulator.remove()


if __name__ == "__main__":
    siege.main(a_log_that_is_missing_is_noticed, a_log_that_is_cut_off_is_noticed, a_database_that_is_cut_off_is_noticed,
               contents_that_are_missing_are_noticed, unknown_contents_are_kept,
               a_flipped_bit_is_never_sent, a_state_folder_that_is_removed_ends_the_emulator)

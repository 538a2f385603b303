#!/usr/bin/env python3
"""Unauthorized clients are refused, and no path leads out of the shares: bytes that no client library would send, by real sockets, to the
emulator itself."""
import email.utils
import functools
import http.client
import os
import random
import re
import socket
import ssl

import siege

MARK = "outside-of-all-shares"  # is in files next to the state, and must be in no answer

# Parts of paths as they stand in a request line; "%" and all.
TRICKS = [
    "..", ".", "...", "%2e%2e", "%2E.", ".%2e", "%252e%252e", "%252e", "%c0%ae%c0%ae", "%e0%80%ae", "%c0%af", "%2f", "%252f", "%5c", "%255c", "\\",
    "..\\", "..%5c", "%2e%2e%2f", "..%2f..%2f", "%00", "a%00", "%00.txt", "a%2500b", "a%0d%0ab", "%0a", "%zz", "%", "%2", "%u002e", "..;", "..;/",
    "..%20", "..%2e", ". .", "a.", "a..", "a%20", "%20", "nul", "con", "com1.txt", "aux", "lpt9", "a:b", "a%3ab", "c%3a%5cwindows", "a*", "a%3f", "a%7c",
    "%ff", "%fe%ff", "%ed%a0%80", "%f4%90%80%80", "%ef%bc%8e%ef%bc%8e", "%e2%80%ae", "%ef%bc%8f", "~", "~root", "$MFT", "$root", "state.sqlite",
    "contents", "1", "proc", "self", "etc", "passwd", "%2fetc%2fpasswd", "file:", "file%3a%2f%2f%2fetc%2fpasswd", "x" * 256, "%c3%bc" * 256]


@functools.cache
def trusting(ca):
    return ssl.create_default_context(cafile=ca)


def exchange(emulator, data, port="plain", timeout_s=10):
    """Sends bytes unchanged; returns an Answer, or None if the connection was cut."""
    host, number = emulator.ready[port].rsplit(":", 1)
    with socket.create_connection((host, int(number)), timeout_s) as plain:
        channel = plain
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if port == "tls":
            channel = trusting(emulator.ready["ca"]).wrap_socket(plain, server_hostname="127.0.0.1")
        try:
            channel.sendall(data)
            answer = http.client.HTTPResponse(channel)
            answer.begin()
            return siege.Answer(answer.status, answer.headers, answer.read())
        except (http.client.HTTPException, OSError):
            return None


def signed(connection, method, target, headers=(), body=b"", query=None):
    """A request with a good signature, whatever its target is."""
    head = {"x-ms-date": email.utils.formatdate(usegmt=True), "x-ms-version": siege.FILES_VERSION, **dict(headers)}
    head["Authorization"] = siege.shared_key(connection.account, connection.key, method, target, query or {}, head, len(body))
    head.update({"Host": connection.emulator.ready["plain"], "Content-Length": str(len(body))})
    line = f"{method} {target}{'?' + siege.urllib.parse.urlencode(query) if query else ''} HTTP/1.1\r\n"
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return (line + lines + "\r\n").encode("latin-1") + body


def tree(folder):
    """Every file below the folder with its kind, except those of the state."""
    found = {}
    for path, folders, files in os.walk(folder):
        if path == str(folder):
            folders.remove("state")
        for name in folders + files:
            full = os.path.join(path, name)
            found[full] = (os.lstat(full).st_mode, open(full, "rb").read() if name in files else b"")
    return found


def begin(*options):
    emulator = siege.Emulator("--clock", "manual", *options)
    for path in ("secret.txt", "a", "share/a", "acct/share/a"):
        file = emulator.folder / "outside" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.write_text(MARK)
    emulator.start()
    connection = emulator.connect(account="acct")
    connection.key = siege.prepare(connection)
    siege.expect(connection.files("PUT", "share", {"restype": "share"}), 201)
    return emulator, connection


def paths_of_shares_never_leave_the_state():
    emulator, connection = begin()
    before = tree(emulator.folder)
    dice = random.Random(20180718)
    targets = [f"/acct/share/{trick}" for trick in TRICKS] + [f"/acct/{trick}" for trick in TRICKS] + [f"/{trick}/share/a" for trick in TRICKS]
    targets += [f"/acct/share/{trick}/secret.txt" for trick in TRICKS]
    targets += ["/acct/share/" + "/".join(dice.choices(TRICKS, k=dice.randint(2, 9))) for _ in range(300)]
    targets += ["/acct/share/" + "../" * 20 + "etc/passwd", "/acct/share//etc/passwd", "//etc/passwd", "/acct/share/" + "a/" * 3000]
    made = 0
    for target in targets:
        create = signed(connection, "PUT", target, {"x-ms-type": "file", "x-ms-content-length": "4"})
        write = signed(connection, "PUT", target, {"x-ms-range": "bytes=0-3", "x-ms-write": "update"}, b"mine", {"comp": "range"})
        source = f"http://{emulator.ready['plain']}{target}"
        copy = signed(connection, "PUT", "/acct/share/copied", {"x-ms-copy-source": source} if source.isprintable() else {})
        rename = signed(connection, "PUT", "/acct/share/renamed", {"x-ms-file-rename-source": source}, query={"comp": "rename"})
        directory = signed(connection, "PUT", target, query={"restype": "directory"})
        for request in (create, write, signed(connection, "GET", target), copy, rename, signed(connection, "GET", target, query={"comp": "list"}),
                        signed(connection, "DELETE", target), directory, signed(connection, "DELETE", target, query={"restype": "directory"})):
            answer = exchange(emulator, request)
            if answer is None:
                continue
            assert answer.status < 500 or answer.status == 501, (request, answer)
            assert MARK.encode() not in answer.body and b"root:" not in answer.body and b"SQLite format" not in answer.body, request
            made += answer.status == 201
    assert made > 50, "good names are taken"
    assert tree(emulator.folder) == before
    assert all(re.fullmatch("[0-9]+", name) for name in os.listdir(emulator.state / "contents"))
    siege.expect(connection.files("PUT", "share/still there", {"restype": "directory"}), 201)
    emulator.remove()


def links_in_the_state_lead_nowhere():
    emulator, connection = begin()
    body = b"x" * 1000
    siege.expect(connection.files("PUT", "share/f", headers={"x-ms-type": "file", "x-ms-content-length": "1000"}), 201)
    siege.expect(connection.files("PUT", "share/f", {"comp": "range"}, body, {"x-ms-range": "bytes=0-999", "x-ms-write": "update"}), 201)
    (blob,) = os.listdir(emulator.state / "contents")
    outside = emulator.folder / "outside" / "secret.txt"
    before = tree(emulator.folder)
    os.rename(emulator.state / "contents" / blob, emulator.state / "moved")
    os.symlink(outside, emulator.state / "contents" / blob)
    for number in range(1, 20):  # of whatever is written next
        if not os.path.lexists(emulator.state / "contents" / str(number)):
            os.symlink(outside, emulator.state / "contents" / str(number))
    assert MARK.encode() not in connection.files("GET", "share/f").body
    siege.expect(connection.files("PUT", "share/f", {"comp": "range"}, body, {"x-ms-range": "bytes=0-999", "x-ms-write": "update"}), 500)
    connection.files("PUT", "share/g", headers={"x-ms-type": "file", "x-ms-content-length": "1000"})
    siege.expect(connection.files("PUT", "share/g", {"comp": "range"}, body, {"x-ms-range": "bytes=0-999", "x-ms-write": "update"}), 500)
    os.rename(emulator.state / "moved", emulator.state / "contents" / (blob + ".kept"))
    assert tree(emulator.folder) == before
    emulator.kill()  # a start removes unused contents: the links, but not their targets, nor files with other names
    emulator.start()
    assert tree(emulator.folder) == before
    assert set(os.listdir(emulator.state / "contents")) <= {blob, blob + ".kept"}
    # Nor is a folder that is a link one of ours.
    emulator.kill()
    for name in os.listdir(emulator.state / "contents"):
        os.unlink(emulator.state / "contents" / name)
    os.rmdir(emulator.state / "contents")
    os.symlink(emulator.folder / "outside", emulator.state / "contents")
    try:
        emulator.start()
        raise RuntimeError("it serves from a folder outside")
    except AssertionError:
        pass
    assert tree(emulator.folder) == before
    emulator.remove()


def names_and_pages_of_others_get_nothing():
    emulator, _ = begin()
    plain, tls = emulator.ready["plain"], emulator.ready["tls"]
    strangers = ["example.com", "example.com:80", "localhost.example.com", "127.0.0.1.example.com", "localhost@example.com", "127.0.0.1:80@example.com",
                 "acct.file.core.windows.net.example.com", "acct.file.core.windows.net@example.com", "evil-file.core.windows.net", "file.core.windows.net",
                 "", " ", "localhost example.com", "[::1", "127.0.0.1:x", "localhost:99999", "lоcalhost", "localhost,example.com"]
    targets = ["/", "/trainyard/clock", "/trainyard/events", "/trainyard/session", "/trainyard/state", "/trainyard/files", "/subscriptions?api-version=2021-04-01",
               "/acct/share/f", "/metadata/endpoints?api-version=2019-05-01"]
    for port in ("plain", "tls"):
        for host in strangers:
            for target in targets:
                answer = exchange(emulator, f"GET {target} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer x\r\n\r\n".encode(), port)
                assert answer is None or answer.status in (400, 421), (port, host, target, answer)
    for data in (b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n", b"GET http://example.com/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: example.com\r\n\r\n"):
        answer = exchange(emulator, data)
        assert answer is None or answer.status in (400, 421), (data, answer)
    before = exchange(emulator, f"GET /trainyard/session HTTP/1.1\r\nHost: {plain}\r\n\r\n".encode()).body
    origins = ["null", "http://example.com", f"http://{plain}.example.com", f"https://{plain}", "http://localhost", f"http://{plain}@example.com", "file://", "http://"]
    writes = [("POST", "/trainyard/clock", b'{"do": "advance", "by": "1h"}'), ("POST", "/trainyard/faults", b'{"do": "api.error", "status": 500}'),
              ("PUT", f"/subscriptions/{emulator.ready['subscription']}/resourceGroups/evil?api-version=2021-04-01", b'{"location": "eastus"}'),
              ("DELETE", f"/subscriptions/{emulator.ready['subscription']}/resourceGroups/g?api-version=2021-04-01", b""),
              ("POST", f"/{emulator.ready['tenant']}/oauth2/token", b"grant_type=client_credentials"), ("PUT", "/acct/evil?restype=share", b"")]
    for origin in origins:
        for method, target, body in writes:
            head = f"{method} {target} HTTP/1.1\r\nHost: {plain}\r\nOrigin: {origin}\r\nAuthorization: Bearer x\r\nContent-Length: {len(body)}\r\n\r\n"
            answer = exchange(emulator, head.encode() + body)
            assert answer.status == 403, (origin, method, target, answer)
        answer = exchange(emulator, f"GET /trainyard/state HTTP/1.1\r\nHost: {plain}\r\nOrigin: {origin}\r\n\r\n".encode())
        assert not [name for name in answer.headers if name.lower().startswith("access-control")], (origin, answer.headers)
        answer = exchange(emulator, f"OPTIONS /trainyard/clock HTTP/1.1\r\nHost: {plain}\r\nOrigin: {origin}\r\n"
                          "Access-Control-Request-Method: POST\r\n\r\n".encode())
        assert answer.status >= 400 and not [name for name in answer.headers if name.lower().startswith("access-control")], answer
    assert exchange(emulator, f"GET /trainyard/session HTTP/1.1\r\nHost: {plain}\r\n\r\n".encode()).body == before
    for target in ("example.com:443", "127.0.0.1:22", f"localhost:{plain.rsplit(':', 1)[1]}", "acct.file.core.windows.net:22", "169.254.169.254:80",
                   "acct.file.core.windows.net.example.com:443", "[::]:443", "x@acct.file.core.windows.net:443", f"{tls}@example.com:443"):
        answer = exchange(emulator, f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        assert answer is None or answer.status in (400, 403), (target, answer)
    emulator.remove()


def listening_addresses(process):
    """Local addresses of its TCP sockets that listen, as /proc/net/tcp* has them."""
    inodes = set()
    for name in os.listdir(f"/proc/{process}/fd"):
        try:
            inodes.update(re.findall(r"socket:\[(\d+)\]", os.readlink(f"/proc/{process}/fd/{name}")))
        except FileNotFoundError:
            pass
    found = []
    for table in ("tcp", "tcp6"):
        if not os.path.exists(f"/proc/net/{table}"):
            continue
        for line in open(f"/proc/net/{table}").read().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                found.append(fields[1].split(":")[0])
    return found


def only_this_machine_is_listened_to():
    emulator, _ = begin()
    found = listening_addresses(emulator.process.pid)
    assert len(found) == 3 and set(found) == {"0100007F"}, found
    emulator.remove()
    for address in ("0.0.0.0", "::", "10.0.0.1", "192.168.1.1", "8.8.8.8", "[::]", "::ffff:10.0.0.1", "0"):
        other = siege.Emulator("--listen", address)
        try:
            other.start()
            raise RuntimeError(f"it listens on {address}")
        except AssertionError as why:
            assert "ended with 2: trainyard: serve: --listen: " in str(why), why
        other.remove()


def what_is_too_much_or_too_deep_is_refused():
    emulator, connection = begin()
    group = "/resourceGroups/deep"
    for body in (b"[" * 1000000, b'{"a":' * 300000, b'{"location":"eastus","tags":' + b"[" * 5000 + b"]" * 5000 + b"}", b'{"location": 1e999}',
                 b'{"a":1,"a":2}', b"\xff\xfe", b"{}" * 100000, b'"\\ud800"', b"\x00" * 100):
        answer = connection.arm("PUT", group, body)
        assert answer.status in (400, 413), answer
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    for body in (f'<!DOCTYPE a [<!ENTITY l0 "lol">{laughs}]><SignedIdentifiers>&l11;</SignedIdentifiers>', "<a>" * 100000,
                 f'<!DOCTYPE a [<!ENTITY x SYSTEM "file://{emulator.folder}/outside/secret.txt">]><SignedIdentifiers>&x;</SignedIdentifiers>',
                 f'<!DOCTYPE a SYSTEM "http://{emulator.ready["plain"]}/trainyard/clock"><SignedIdentifiers/>',
                 '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]><a/>', "<a" + " b='c'" * 100000 + "/>",
                 "<SignedIdentifiers>" + "<SignedIdentifier><Id>a</Id></SignedIdentifier>" * 10000 + "</SignedIdentifiers>"):
        answer = connection.files("PUT", "share", {"restype": "share", "comp": "acl"}, body.encode())
        assert answer.status in (400, 413), (body[:100], answer)
        assert MARK.encode() not in answer.body and b"root:" not in answer.body
    host = f"Host: {emulator.ready['plain']}\r\n"
    for data, statuses in (
            ("GET /" + "a" * 9000 + f" HTTP/1.1\r\n{host}\r\n", (414,)),
            (f"GET / HTTP/1.1\r\n{host}" + "".join(f"h{n}: v\r\n" for n in range(200)) + "\r\n", (431,)),
            (f"GET / HTTP/1.1\r\n{host}long: " + "a" * 40000 + "\r\n\r\n", (431,)),
            (f"PUT / HTTP/1.1\r\n{host}Content-Length: 99999999999\r\n\r\n", (413,)),
            (f"PUT / HTTP/1.1\r\n{host}Content-Length: 99999999999999999999999\r\n\r\n", (400, 413)),
            (f"PUT / HTTP/1.1\r\n{host}Content-Length: -1\r\n\r\n", (400,)),
            (f"PUT / HTTP/1.1\r\n{host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", (400, 405)),
            (f"PUT / HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", (400, 413)),
            (f"POST /trainyard/clock HTTP/1.1\r\n{host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", (400,)),
            ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc" + "\x00" * 512, (400,)), ("\x00" * 5000, (400,)), ("GET", (400,)), ("\r\n" * 20000, (400, 414, 431))):
        answer = exchange(emulator, data.encode("latin-1"), timeout_s=0.3)
        assert answer is None or answer.status in statuses, (data[:100], answer)
    siege.expect(connection.arm("GET", group), 404)
    siege.expect(connection.arm("GET", "/resourceGroups/g"), 200)
    emulator.remove()


if __name__ == "__main__":
    siege.main(paths_of_shares_never_leave_the_state, links_in_the_state_lead_nowhere, names_and_pages_of_others_get_nothing,
               only_this_machine_is_listened_to, what_is_too_much_or_too_deep_is_refused)

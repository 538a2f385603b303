"""What Microsoft's documentation of Azure Files' REST API says, asked of a running server: protocol.py CONNECTION-STRING."""
import base64
import hashlib
import socket
import sys
import unittest
import urllib.parse

from rest import VERSION, Account

LEASE = "c820a799-76d7-4ee2-6e15-546f19325c2c"
OTHER_LEASE = "326cc5e1-746e-4af8-4811-a50e6629a8ca"
PERMISSION = "O:S-1-5-21-2127521184-1604012920-1887927527-21560751G:S-1-5-21-2127521184-1604012920-1887927527-513D:AI(A;;FA;;;SY)"


class Protocol(unittest.TestCase):
    def setUp(self):
        self.account = Account(CONNECTION)
        self.addCleanup(self.account.connection.close)
        self.name = "s-" + hashlib.md5(self.id().encode()).hexdigest()
        self.is_done(self.account.share(self.name), 201)

    def path(self, below):
        return f"/{self.name}/{below}"

    def ask(self, method, below, query=(), headers=(), body=b"", **options):
        return self.account(method, self.path(below).rstrip("/"), query, headers, body, **options)

    def is_refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.code), (status, code), answer)
        if answer.body:
            self.assertEqual(answer.xml.find("Code").text, code)
        return answer

    def is_done(self, answer, status):
        self.assertEqual((answer.status, answer.code), (status, None), answer)
        self.assertTrue(answer.headers["x-ms-request-id"])
        self.assertTrue(answer.headers["x-ms-version"])
        self.assertTrue(answer.headers["Date"])
        return answer

    def put(self, below, data, headers=()):
        return self.is_done(self.account.put(self.path(below), data, headers), 201)

    def names(self, answer):
        return [entry.find("Name").text for entry in answer.xml.find("Entries")]


class Signatures(Protocol):
    def test_both_kinds_of_signature_are_taken(self):
        for is_lite in (False, True):
            self.is_done(self.account("GET", "", {"comp": "list"}, is_lite=is_lite), 200)
            self.is_done(self.ask("PUT", "", {"restype": "share", "comp": "metadata"}, {"x-ms-meta-b": "2", "x-ms-meta-a": " 1 "},
                              is_lite=is_lite), 200)

    def test_unusual_names_are_the_same_in_urls_signatures_and_lists(self):
        for name in ("a b", "a+b", "100%", "50%25", "ä", "日本", "a&b", "a=b", "it's", "(1)", "a,b;c", "#1", "😀", "a~b", "a@b!", "[x]{y}"):
            with self.subTest(name):
                for is_lite in (False, True):
                    self.is_done(self.ask("PUT", name, {}, {"x-ms-type": "file", "x-ms-content-length": "1"}, is_lite=is_lite), 201)
                listed = self.ask("GET", "", {"restype": "directory", "comp": "list", "prefix": name})
                self.assertEqual(self.names(listed), [name])
                self.assertEqual(listed.xml.find("Prefix").text if listed.xml.find("Prefix") is not None else name, name)
                sas = self.account.service_sas(self.path(name), "r")
                target = self.account.root + urllib.parse.quote(self.path(name)) + "?" + urllib.parse.urlencode(sas)
                self.is_done(self.account.plain("GET", target), 200)
                self.is_done(self.ask("DELETE", name), 202)

    def test_nobody_is_let_in_unsigned_or_late(self):
        raw_path, target = self.account.target(self.path("x"), [])
        self.is_refused(self.account.plain("GET", target), 403, "AuthenticationFailed")
        old = self.account.signed_headers("GET", raw_path, [], {"x-ms-date": "Sun, 06 Nov 1994 08:49:37 GMT"}, 0)
        self.is_refused(self.account.plain("GET", target, old), 403, "AuthenticationFailed")

    def test_what_is_no_version_is_refused(self):
        self.is_refused(self.ask("GET", "", {"restype": "share"}, {"x-ms-version": "latest"}), 400, "InvalidHeaderValue")
        for version in ("2017-04-17", "2018-11-09", "2019-07-07", "2020-10-02", "2021-06-08", VERSION):
            told = self.is_done(self.ask("GET", "", {"restype": "share"}, {"x-ms-version": version}), 200).headers
            self.assertEqual(told["x-ms-version"], version)

    def test_a_sas_may_do_what_it_says_and_no_more(self):
        self.put("f", b"hello")
        read = urllib.parse.urlencode(self.account.service_sas(self.path("f"), "r"))
        target = self.account.root + self.path("f")
        self.assertEqual(self.is_done(self.account.plain("GET", f"{target}?{read}"), 200).body, b"hello")
        self.is_refused(self.account.plain("DELETE", f"{target}?{read}"), 403, "AuthorizationPermissionMismatch")
        self.is_refused(self.account.plain("GET", f"{self.account.root}{self.path('g')}?{read}"), 403, "AuthenticationFailed")
        old = urllib.parse.urlencode(self.account.service_sas(self.path("f"), "r", expiry="2001-01-01T00:00:00Z"))
        self.is_refused(self.account.plain("GET", f"{target}?{old}"), 403, "AuthenticationFailed")

    def test_a_sas_by_identifier_is_what_the_share_says(self):
        self.put("f", b"hello")
        sas = self.account.service_sas(f"/{self.name}", "", expiry="", identifier="reader", is_share=True)
        target = f"{self.account.root}{self.path('f')}?{urllib.parse.urlencode(sas)}"
        self.is_refused(self.account.plain("GET", target), 403, "AuthenticationFailed")
        policy = (b"<?xml version='1.0' encoding='utf-8'?><SignedIdentifiers><SignedIdentifier><Id>reader</Id><AccessPolicy>"
                  b"<Start>2018-01-01</Start><Expiry>2099-01-01T00:00:00.0000000Z</Expiry><Permission>rl</Permission></AccessPolicy>"
                  b"</SignedIdentifier></SignedIdentifiers>")
        self.is_done(self.ask("PUT", "", {"restype": "share", "comp": "acl"}, {}, policy), 200)
        self.assertEqual(self.is_done(self.account.plain("GET", target), 200).body, b"hello")
        self.is_refused(self.account.plain("DELETE", target), 403, "AuthorizationPermissionMismatch")
        told = self.is_done(self.ask("GET", "", {"restype": "share", "comp": "acl"}), 200).xml
        self.assertEqual(told.find("SignedIdentifier/AccessPolicy/Permission").text, "rl")
        self.is_done(self.ask("PUT", "", {"restype": "share", "comp": "acl"}), 200)
        self.is_refused(self.account.plain("GET", target), 403, "AuthenticationFailed")


class Shares(Protocol):
    def test_a_share_tells_all_of_itself(self):
        told = self.is_done(self.ask("HEAD", "", {"restype": "share"}), 200).headers
        for name in ("ETag", "Last-Modified", "x-ms-share-quota", "x-ms-access-tier", "x-ms-lease-status", "x-ms-lease-state"):
            self.assertTrue(told[name], name)
        self.is_refused(self.account.share(self.name), 409, "ShareAlreadyExists")
        self.is_refused(self.account("HEAD", "/none", {"restype": "share"}), 404, "ShareNotFound")
        self.is_refused(self.account.share("Upper"), 400, "InvalidResourceName")
        self.is_refused(self.account.share("ab"), 400, "OutOfRangeInput")
        self.is_refused(self.ask("PUT", "", {"restype": "share", "comp": "properties"}, {"x-ms-share-quota": "0"}), 400, "InvalidHeaderValue")
        self.is_refused(self.ask("PUT", "", {"restype": "share", "comp": "properties"}, {"x-ms-access-tier": "Warm"}), 400,
                        "InvalidHeaderValue")

    def test_a_quota_is_kept(self):
        self.is_done(self.ask("PUT", "", {"restype": "share", "comp": "properties"}, {"x-ms-share-quota": "1"}), 200)
        gib = 1 << 30
        self.is_done(self.account.create(self.path("half"), gib // 2), 201)
        self.is_refused(self.account.create(self.path("more"), gib // 2 + 1), 403, "ShareSizeLimitReached")
        self.is_done(self.account.create(self.path("rest"), gib // 2), 201)
        self.is_refused(self.ask("PUT", "rest", {"comp": "properties"}, {"x-ms-content-length": str(gib)}), 403, "ShareSizeLimitReached")
        self.is_refused(self.ask("PUT", "copy", {}, {"x-ms-copy-source": f"http://{self.account.host}:{self.account.port}{self.account.root}"
                                                 + self.path("half")}), 403, "ShareSizeLimitReached")
        self.is_done(self.account.create(self.path("rest"), gib // 2), 201)  # in its own place
        self.is_done(self.ask("DELETE", "half"), 202)
        self.is_done(self.ask("PUT", "rest", {"comp": "properties"}, {"x-ms-content-length": str(gib)}), 200)
        stats = self.is_done(self.ask("GET", "", {"restype": "share", "comp": "stats"}), 200).xml
        self.assertEqual(stats.find("ShareUsageBytes").text, str(gib))
        self.is_done(self.ask("PUT", "", {"restype": "share", "comp": "properties"}, {"x-ms-share-quota": "2"}), 200)
        self.is_done(self.account.create(self.path("more"), 5), 201)

    def test_older_versions_count_the_usage_in_gib(self):
        self.is_done(self.account.create(self.path("f"), 1), 201)
        stats = self.is_done(self.ask("GET", "", {"restype": "share", "comp": "stats"}, {"x-ms-version": "2018-11-09"}), 200).xml
        self.assertEqual(stats.find("ShareUsage").text, "1")

    def test_a_share_with_snapshots_goes_with_them_or_not_at_all(self):
        first = self.is_done(self.ask("PUT", "", {"restype": "share", "comp": "snapshot"}), 201).headers["x-ms-snapshot"]
        self.is_refused(self.ask("DELETE", "", {"restype": "share"}), 409, "ShareHasSnapshots")
        self.is_refused(self.ask("DELETE", "", {"restype": "share", "sharesnapshot": first}, {"x-ms-delete-snapshots": "include"}), 400,
                        "UnsupportedHeader")
        snapshot = {"restype": "share", "comp": "lease", "sharesnapshot": first}
        self.is_done(self.ask("PUT", "", snapshot, {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1",
                                                "x-ms-proposed-lease-id": LEASE}), 201)
        self.is_refused(self.ask("DELETE", "", {"restype": "share"}, {"x-ms-delete-snapshots": "include"}), 409,
                        "DeleteShareWhenSnapshotLeased")
        self.is_refused(self.ask("DELETE", "", {"restype": "share", "sharesnapshot": first}), 412, "LeaseIdMissing")
        second = self.is_done(self.ask("PUT", "", {"restype": "share", "comp": "snapshot"}), 201).headers["x-ms-snapshot"]
        self.is_done(self.ask("DELETE", "", {"restype": "share", "sharesnapshot": second}), 202)
        self.is_done(self.ask("DELETE", "", {"restype": "share"}, {"x-ms-delete-snapshots": "include-leased"}), 202)
        self.is_refused(self.ask("GET", "", {"restype": "share", "sharesnapshot": first}), 404, "ShareNotFound")

    def test_a_leased_share_needs_its_lease_to_go(self):
        lease = {"restype": "share", "comp": "lease"}
        acquired = self.is_done(self.ask("PUT", "", lease, {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "15",
                                                        "x-ms-proposed-lease-id": LEASE}), 201)
        self.assertEqual(acquired.headers["x-ms-lease-id"], LEASE)
        self.is_refused(self.ask("DELETE", "", {"restype": "share"}), 412, "LeaseIdMissing")
        self.is_refused(self.ask("DELETE", "", {"restype": "share"}, {"x-ms-lease-id": OTHER_LEASE}), 412,
                        "LeaseIdMismatchWithContainerOperation")
        told = self.is_done(self.ask("GET", "", {"restype": "share"}), 200).headers
        self.assertEqual((told["x-ms-lease-status"], told["x-ms-lease-state"], told["x-ms-lease-duration"]), ("locked", "leased", "fixed"))
        renewed = self.is_done(self.ask("PUT", "", lease, {"x-ms-lease-action": "renew", "x-ms-lease-id": LEASE}), 200)
        self.assertEqual(renewed.headers["x-ms-lease-id"], LEASE)
        changed = self.is_done(self.ask("PUT", "", lease, {"x-ms-lease-action": "change", "x-ms-lease-id": LEASE,
                                                       "x-ms-proposed-lease-id": OTHER_LEASE}), 200)
        self.assertEqual(changed.headers["x-ms-lease-id"], OTHER_LEASE)
        self.is_refused(self.ask("PUT", "", lease, {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1"}), 409, "LeaseAlreadyPresent")
        broken = self.is_done(self.ask("PUT", "", lease, {"x-ms-lease-action": "break", "x-ms-lease-break-period": "0"}), 202)
        self.assertEqual(broken.headers["x-ms-lease-time"], "0")
        self.is_done(self.ask("PUT", "", lease, {"x-ms-lease-action": "release", "x-ms-lease-id": OTHER_LEASE}), 200)
        self.is_done(self.ask("DELETE", "", {"restype": "share"}), 202)

    def test_lists_of_shares_come_in_pages(self):
        for letter in "abc":
            self.is_done(self.account.share(f"{self.name[:20]}-{letter}"), 201)
        prefix, found, marker = self.name[:20] + "-", [], ""
        while True:
            query = {"comp": "list", "prefix": prefix, "maxresults": "2", "include": "metadata,snapshots", **({"marker": marker} if marker else {})}
            page = self.is_done(self.account("GET", "", query), 200).xml
            self.assertTrue(page.attrib["ServiceEndpoint"].endswith("/devstoreaccount1") or page.attrib["ServiceEndpoint"].endswith("/"))
            found += [share.find("Name").text for share in page.find("Shares")]
            self.assertEqual(page.find("Shares/Share/Properties/AccessTier").text, "TransactionOptimized")
            marker = page.find("NextMarker").text
            if not marker:
                break
        self.assertEqual(found, [prefix + letter for letter in "abc"])
        self.is_refused(self.account("GET", "", {"comp": "list", "maxresults": "0"}), 400, "OutOfRangeQueryParameterValue")


class Files(Protocol):
    def test_a_file_is_told_by_all_its_headers(self):
        digest = base64.b64encode(hashlib.md5(b"hello").digest()).decode()
        self.put("f", b"hello", {"x-ms-content-type": "text/plain", "x-ms-content-md5": digest, "x-ms-cache-control": "no-cache",
                                 "x-ms-content-encoding": "identity", "x-ms-content-language": "de", "x-ms-content-disposition": "inline",
                                 "x-ms-meta-Color": "blue"})
        for method in ("HEAD", "GET"):
            told = self.is_done(self.ask(method, "f"), 200).headers
            for name, value in (("Content-Type", "text/plain"), ("Content-MD5", digest), ("Cache-Control", "no-cache"),
                                ("Content-Encoding", "identity"), ("Content-Language", "de"), ("Content-Disposition", "inline"),
                                ("Content-Length", "5"), ("x-ms-type", "File"), ("Accept-Ranges", "bytes"), ("x-ms-meta-color", "blue"),
                                ("x-ms-server-encrypted", "true"), ("x-ms-lease-state", "available"), ("x-ms-file-attributes", "Archive")):
                self.assertEqual(told[name], value, f"{method} {name}")
            for name in ("ETag", "Last-Modified", "x-ms-file-creation-time", "x-ms-file-last-write-time", "x-ms-file-change-time",
                         "x-ms-file-permission-key", "x-ms-file-id", "x-ms-file-parent-id"):
                self.assertTrue(told[name], name)
        self.assertEqual(self.ask("HEAD", "f").body, b"")
        part = self.is_done(self.ask("GET", "f", {}, {"x-ms-range": "bytes=1-2", "Range": "bytes=0-0", "x-ms-range-get-content-md5": "true"}), 206)
        self.assertEqual(part.body, b"el")
        self.assertEqual(part.headers["Content-Range"], "bytes 1-2/5")
        self.assertEqual(part.headers["x-ms-content-md5"], digest)
        self.assertEqual(part.headers["Content-MD5"], base64.b64encode(hashlib.md5(b"el").digest()).decode())
        self.assertEqual(self.ask("GET", "f", {}, {"x-ms-range-get-content-md5": "true"}).status, 400)
        self.is_refused(self.ask("GET", "f", {}, {"x-ms-range": "bytes=5-"}), 416, "InvalidRange")
        self.is_refused(self.ask("HEAD", "none"), 404, "ResourceNotFound")
        self.is_refused(self.ask("GET", "none/f"), 404, "ParentNotFound")

    def test_ranges_are_written_cleared_and_listed(self):
        self.is_done(self.account.create(self.path("f"), 4096), 201)
        data = bytes(range(256)) * 4
        digest = base64.b64encode(hashlib.md5(data).digest()).decode()
        written = self.is_done(self.account.write(self.path("f"), 1024, data, {"Content-MD5": digest}), 201)
        self.assertEqual(written.headers["Content-MD5"], digest)
        self.assertTrue(written.headers["x-ms-file-last-write-time"])
        self.is_refused(self.account.write(self.path("f"), 0, b"x", {"Content-MD5": digest}), 400, "Md5Mismatch")
        self.is_refused(self.account.write(self.path("f"), 4090, b"1234567"), 416, "InvalidRange")
        clear = {"x-ms-write": "clear", "x-ms-range": "bytes=1024-1535"}
        self.is_refused(self.ask("PUT", "f", {"comp": "range"}, {**clear, "Content-MD5": digest}), 400, "UnsupportedHeader")
        self.is_done(self.ask("PUT", "f", {"comp": "range"}, clear), 201)
        listed = self.is_done(self.ask("GET", "f", {"comp": "rangelist"}), 200)
        self.assertEqual(listed.headers["x-ms-content-length"], "4096")
        self.assertEqual([(r.tag, r.find("Start").text, r.find("End").text) for r in listed.xml], [("Range", "1536", "2047")])
        self.is_done(self.account.create(self.path("empty"), 0), 201)
        self.assertEqual(len(self.is_done(self.ask("GET", "empty", {"comp": "rangelist"}), 200).xml), 0)
        self.is_refused(self.ask("GET", "empty", {}, {"x-ms-range": "bytes=0-"}), 416, "InvalidRange")
        self.assertEqual(self.is_done(self.ask("GET", "empty"), 200).body, b"")
        for wrong in ("bytes=-5", "bytes=5-3", "bytes=0-1,3-4", "0-4"):
            self.is_refused(self.ask("GET", "f", {}, {"x-ms-range": wrong}), 400, "InvalidHeaderValue")
        large = self.is_refused(self.account.write(self.path("f"), 0, bytes((4 << 20) + 1)), 413, "RequestBodyTooLarge")
        self.assertEqual(large.xml.find("MaxLimit").text, "4194304")

    def test_ranges_changed_since_a_snapshot_are_told(self):
        self.put("f", bytes(16384))
        since = self.is_done(self.ask("PUT", "", {"restype": "share", "comp": "snapshot"}), 201).headers["x-ms-snapshot"]
        self.is_done(self.account.write(self.path("f"), 4096, b"x" * 4096), 201)
        changed = self.is_done(self.ask("GET", "f", {"comp": "rangelist", "prevsharesnapshot": since}), 200).xml
        self.assertEqual([(r.tag, r.find("Start").text, r.find("End").text) for r in changed], [("Range", "4096", "8191")])
        self.is_refused(self.ask("GET", "f", {"comp": "rangelist", "prevsharesnapshot": "2001-01-01T00:00:00.0000000Z"}), 409,
                        "PreviousSnapshotNotFound")
        self.is_refused(self.ask("PUT", "f", {"comp": "range", "sharesnapshot": since}, {"x-ms-write": "clear", "x-ms-range": "bytes=0-511"}), 400,
                        "ShareSnapshotOperationNotSupported")

    def test_ranges_come_from_another_file(self):
        self.put("from", b"0123456789")
        self.is_done(self.account.create(self.path("to"), 4), 201)
        url = f"http://{self.account.host}:{self.account.port}{self.account.root}{self.path('from')}?" + urllib.parse.urlencode(
            self.account.service_sas(self.path("from"), "r"))
        headers = {"x-ms-write": "update", "x-ms-copy-source": url, "x-ms-range": "bytes=0-3", "x-ms-source-range": "bytes=3-6"}
        self.is_done(self.ask("PUT", "to", {"comp": "range"}, headers), 201)
        self.assertEqual(self.ask("GET", "to").body, b"3456")

    def test_a_copy_is_complete_when_it_is_answered(self):
        self.put("from", b"hello", {"x-ms-meta-a": "1"})
        source = f"http://{self.account.host}:{self.account.port}{self.account.root}{self.path('from')}"
        copied = self.is_done(self.ask("PUT", "to", {}, {"x-ms-copy-source": source}), 202).headers
        self.assertEqual(copied["x-ms-copy-status"], "success")
        told = self.is_done(self.ask("HEAD", "to"), 200).headers
        self.assertEqual((told["x-ms-copy-id"], told["x-ms-copy-source"], told["x-ms-copy-progress"]),
                         (copied["x-ms-copy-id"], source, "5/5"))
        self.assertTrue(told["x-ms-copy-completion-time"])
        self.assertEqual(told["x-ms-meta-a"], "1")
        self.is_refused(self.ask("PUT", "to", {"comp": "copy", "copyid": copied["x-ms-copy-id"]}, {"x-ms-copy-action": "abort"}), 409,
                        "NoPendingCopyOperation")
        self.is_refused(self.ask("PUT", "to2", {}, {"x-ms-copy-source": source + "no"}), 404, "CannotVerifyCopySource")

    def test_a_leased_file_needs_its_lease(self):
        self.put("f", b"hello")
        lease = {"comp": "lease"}
        self.is_refused(self.ask("PUT", "f", lease, {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "15"}), 400, "InvalidHeaderValue")
        self.is_done(self.ask("PUT", "f", lease, {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1",
                                              "x-ms-proposed-lease-id": LEASE}), 201)
        self.is_refused(self.account.write(self.path("f"), 0, b"x"), 412, "LeaseIdMissing")
        self.is_refused(self.account.write(self.path("f"), 0, b"x", {"x-ms-lease-id": OTHER_LEASE}), 412, "LeaseIdMismatchWithFileOperation")
        self.is_done(self.account.write(self.path("f"), 0, b"x", {"x-ms-lease-id": LEASE}), 201)
        self.is_refused(self.ask("DELETE", "f"), 412, "LeaseIdMissing")
        self.is_refused(self.ask("GET", "f", {}, {"x-ms-lease-id": OTHER_LEASE}), 412, "LeaseIdMismatchWithFileOperation")
        self.is_done(self.ask("GET", "f", {}, {"x-ms-lease-id": LEASE}), 200)
        self.is_done(self.ask("PUT", "f", lease, {"x-ms-lease-action": "release", "x-ms-lease-id": LEASE}), 200)
        self.is_refused(self.ask("DELETE", "f", {}, {"x-ms-lease-id": LEASE}), 412, "LeaseNotPresentWithFileOperation")
        self.is_done(self.ask("DELETE", "f"), 202)

    def test_smb_attributes_times_and_permissions_are_kept(self):
        permission = ('{"permission": "%s"}' % PERMISSION).encode()
        made = self.is_done(self.ask("PUT", "", {"restype": "share", "comp": "filepermission"}, {"Content-Type": "application/json"}, permission), 201)
        key = made.headers["x-ms-file-permission-key"]
        told = self.is_done(self.ask("GET", "", {"restype": "share", "comp": "filepermission"}, {"x-ms-file-permission-key": key}), 200)
        self.assertIn(PERMISSION.encode(), told.body)
        smb = {"x-ms-file-attributes": "ReadOnly | Hidden", "x-ms-file-creation-time": "2001-02-03T04:05:06.7890123Z",
               "x-ms-file-last-write-time": "2002-02-03T04:05:06.0000000Z", "x-ms-file-permission-key": key}
        self.is_done(self.account.create(self.path("f"), 1, smb), 201)
        told = self.is_done(self.ask("HEAD", "f"), 200).headers
        self.assertEqual(told["x-ms-file-attributes"], "ReadOnly|Hidden")
        for name in ("x-ms-file-creation-time", "x-ms-file-last-write-time", "x-ms-file-permission-key"):
            self.assertEqual(told[name], smb[name])
        self.is_refused(self.ask("DELETE", "f"), 409, "ReadOnlyAttribute")
        self.is_done(self.ask("PUT", "f", {"comp": "properties"}, {"x-ms-file-attributes": "None", "x-ms-file-permission": "preserve",
                                                               "x-ms-file-creation-time": "preserve", "x-ms-file-last-write-time": "preserve"}), 200)
        self.is_done(self.ask("DELETE", "f"), 202)
        self.is_refused(self.account.create(self.path("g"), 1, {"x-ms-file-permission-key": "1*2"}), 400, "FileInvalidPermissionKey")
        self.is_refused(self.account.create(self.path("g"), 1, {"x-ms-file-permission": "D:P(A;;FA;;;XX"}), 400, "FileInvalidPermission")

    def test_metadata_is_checked(self):
        self.put("f", b"")
        set_metadata = {"comp": "metadata"}
        self.is_done(self.ask("PUT", "f", set_metadata, {"x-ms-meta-One": "1", "x-ms-meta-two": "Zwei"}), 200)
        told = self.is_done(self.ask("GET", "f", set_metadata), 200).headers
        self.assertEqual((told["x-ms-meta-One"], told["x-ms-meta-two"]), ("1", "Zwei"))
        self.is_refused(self.ask("PUT", "f", set_metadata, {"x-ms-meta-1": "x"}), 400, "InvalidMetadata")
        self.is_refused(self.ask("PUT", "f", set_metadata, {"x-ms-meta-a": "x" * 8193}), 400, "MetadataTooLarge")
        self.is_done(self.ask("PUT", "f", set_metadata), 200)
        self.assertIsNone(self.ask("GET", "f", set_metadata).headers["x-ms-meta-one"])

    def test_a_file_is_renamed(self):
        self.put("a", b"hello")
        source = f"http://{self.account.host}:{self.account.port}{self.account.root}{self.path('a')}"
        renamed = self.is_done(self.ask("PUT", "b", {"comp": "rename"}, {"x-ms-file-rename-source": source}), 200)
        self.assertTrue(renamed.headers["x-ms-file-id"])
        self.assertEqual(self.ask("GET", "b").body, b"hello")
        self.is_refused(self.ask("HEAD", "a"), 404, "ResourceNotFound")
        again = f"http://{self.account.host}:{self.account.port}{self.account.root}{self.path('b')}"
        self.is_done(self.ask("PUT", "B", {"comp": "rename"}, {"x-ms-file-rename-source": again}), 200)
        self.assertEqual(self.names(self.ask("GET", "", {"restype": "directory", "comp": "list"})), ["B"])

    def test_a_path_without_the_account_is_renamed_to(self):
        # As the JavaScript SDK (@azure/storage-file-share 12) does where the endpoint is an address.
        self.put("a", b"hello")
        source = f"http://{self.account.host}:{self.account.port}{self.account.root}{self.path('a')}"
        root, self.account.root = self.account.root, ""
        self.is_done(self.ask("PUT", "b", {"comp": "rename"}, {"x-ms-file-rename-source": source}), 200)
        self.account.root = root
        self.assertEqual(self.ask("GET", "b").body, b"hello")


class Directories(Protocol):
    def directory(self, below, **options):
        return self.ask("PUT", below, {"restype": "directory"}, **options)

    def list(self, below="", **query):
        return self.is_done(self.ask("GET", below, {"restype": "directory", "comp": "list", **query}), 200)

    def test_a_directory_comes_and_goes(self):
        made = self.is_done(self.directory("d", headers={"x-ms-meta-a": "1"}), 201).headers
        for name in ("ETag", "Last-Modified", "x-ms-file-id", "x-ms-file-parent-id", "x-ms-file-creation-time", "x-ms-file-permission-key"):
            self.assertTrue(made[name], name)
        self.assertEqual(made["x-ms-file-attributes"], "Directory")
        self.assertEqual(made["x-ms-request-server-encrypted"], "true")
        self.is_refused(self.directory("D"), 409, "ResourceAlreadyExists")
        self.is_refused(self.directory("none/d"), 404, "ParentNotFound")
        self.assertEqual(self.is_done(self.ask("HEAD", "d", {"restype": "directory"}), 200).headers["x-ms-meta-a"], "1")
        self.put("d/f", b"x")
        self.is_refused(self.ask("DELETE", "d", {"restype": "directory"}), 409, "DirectoryNotEmpty")
        self.is_refused(self.ask("GET", "d"), 404, "ResourceNotFound")
        self.is_refused(self.ask("DELETE", "d"), 409, "ResourceTypeMismatch")
        self.is_done(self.ask("DELETE", "D/F"), 202)
        self.is_done(self.ask("DELETE", "d", {"restype": "directory"}), 202)

    def test_names_have_limits(self):
        self.is_done(self.account.create(self.path("x" * 255), 0), 201)
        self.is_refused(self.account.create(self.path("x" * 256), 0), 400, "InvalidResourceName")
        for path in ("/".join(["d"] * 251), "/".join(["d" * 200] * 11)):
            self.is_refused(self.account.create(self.path(path), 0), 400, "InvalidFileOrDirectoryPathName")
        for name in ("a:b", "a*b", 'a"b', "a|b", "a<b", "a?b", "a\\b", "a\x01b", "nul", "com1"):
            with self.subTest(name):
                self.is_refused(self.account.create(self.path(name), 0), 400, "InvalidResourceName")

    def test_lists_come_in_pages_with_what_was_asked(self):
        for name in ("b", "a", "C"):
            self.put(name, name.encode())
        self.is_done(self.directory("d"), 201)
        found, marker = [], None
        while True:
            page = self.list(maxresults="2", **({"marker": marker} if marker else {})).xml
            self.assertEqual(page.attrib["ShareName"], self.name)
            self.assertEqual(page.attrib["DirectoryPath"], "")
            self.assertEqual(page.find("MaxResults").text, "2")
            found += [entry.find("Name").text for entry in page.find("Entries")]
            marker = page.find("NextMarker").text
            if not marker:
                break
        self.assertEqual(found, ["a", "b", "C", "d"])
        full = self.list(include="Timestamps,ETag,Attributes,PermissionKey", prefix="a").xml
        entry = full.find("Entries/File")
        self.assertEqual(entry.find("Properties/Content-Length").text, "1")
        for name in ("FileId", "Properties/CreationTime", "Properties/LastAccessTime", "Properties/LastWriteTime", "Properties/ChangeTime",
                     "Properties/Last-Modified", "Properties/Etag", "Attributes", "PermissionKey"):
            self.assertTrue(entry.find(name).text, name)
        for wrong in ("0", "-1"):
            self.is_refused(self.ask("GET", "", {"restype": "directory", "comp": "list", "maxresults": wrong}), 400,
                            "OutOfRangeQueryParameterValue")
        self.is_refused(self.ask("GET", "none", {"restype": "directory", "comp": "list"}), 404, "ResourceNotFound")

    def test_names_that_xml_cannot_hold_are_escaped(self):
        self.is_done(self.directory("d\ufffe"), 201)
        self.put("d\ufffe/a\uffff b%", b"")
        listed = self.list("d\ufffe")
        self.assertEqual(listed.xml.attrib["DirectoryPath"], "d%EF%BF%BE")
        self.assertEqual(listed.xml.attrib["Encoded"], "true")
        name = listed.xml.find("Entries/File/Name")
        self.assertEqual((name.text, name.attrib), ("a%EF%BF%BF%20b%25", {"Encoded": "true"}))
        name = self.list(prefix="d\ufffe").xml.find("Prefix")
        self.assertEqual((name.text, name.attrib), ("d%EF%BF%BE", {"Encoded": "true"}))

    def test_handles_are_none(self):
        self.put("f", b"")
        handles = self.is_done(self.ask("GET", "f", {"comp": "listhandles"}), 200).xml
        self.assertEqual((len(handles.find("Entries")), handles.find("NextMarker").text), (0, None))
        closed = self.is_done(self.ask("PUT", "f", {"comp": "forceclosehandles"}, {"x-ms-handle-id": "*"}), 200).headers
        self.assertEqual((closed["x-ms-number-of-handles-closed"], closed["x-ms-number-of-handles-failed"]), ("0", "0"))


class Service(Protocol):
    RULES = (b"<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>http://a.example,http://*.b.example</AllowedOrigins>"
             b"<AllowedMethods>GET,PUT</AllowedMethods><MaxAgeInSeconds>60</MaxAgeInSeconds><ExposedHeaders>x-ms-meta-*,ETag</ExposedHeaders>"
             b"<AllowedHeaders>x-ms-meta-abc*,content-type</AllowedHeaders></CorsRule></Cors></StorageServiceProperties>")
    QUERY = {"restype": "service", "comp": "properties"}

    def preflight(self, origin, method, headers=None):
        asked = {"Origin": origin, "Access-Control-Request-Method": method, **({"Access-Control-Request-Headers": headers} if headers else {})}
        return self.account.plain("OPTIONS", self.account.root + self.path("f"), asked)

    def test_cors_rules_answer_browsers(self):
        self.is_done(self.account("PUT", "", self.QUERY, {}, b"<StorageServiceProperties><Cors/></StorageServiceProperties>"), 202)
        self.is_refused(self.preflight("http://a.example", "GET"), 403, "CorsPreflightFailure")
        self.is_done(self.account("PUT", "", self.QUERY, {}, self.RULES), 202)
        told = self.is_done(self.account("GET", "", self.QUERY), 200).xml
        self.assertEqual(told.find("Cors/CorsRule/MaxAgeInSeconds").text, "60")
        allowed = self.is_done(self.preflight("http://a.example", "PUT", "X-Ms-Meta-Abcd, Content-Type"), 200).headers
        self.assertEqual(allowed["Access-Control-Allow-Origin"], "http://a.example")
        self.assertEqual(allowed["Access-Control-Allow-Methods"], "PUT")
        self.assertEqual(allowed["Access-Control-Allow-Headers"], "X-Ms-Meta-Abcd, Content-Type")
        self.assertEqual(allowed["Access-Control-Max-Age"], "60")
        self.assertEqual(allowed["Access-Control-Allow-Credentials"], "true")
        self.is_done(self.preflight("http://x.b.example", "GET"), 200)
        for origin, method, headers in (("http://c.example", "GET", None), ("http://a.example", "DELETE", None),
                                        ("http://a.example", "GET", "x-ms-other"), ("http://A.EXAMPLE", "GET", None)):
            self.is_refused(self.preflight(origin, method, headers), 403, "CorsPreflightFailure")
        self.is_refused(self.account.plain("OPTIONS", self.account.root + self.path("f")), 400, "MissingRequiredHeader")
        self.put("f", b"hello", {"x-ms-meta-color": "blue"})
        crossed = self.is_done(self.ask("GET", "f", {}, {"Origin": "http://a.example"}), 200).headers
        self.assertEqual(crossed["Access-Control-Allow-Origin"], "http://a.example")
        self.assertEqual(crossed["Access-Control-Expose-Headers"], "x-ms-meta-*,ETag")
        self.assertEqual(crossed["Vary"], "Origin")
        self.assertIsNone(self.ask("GET", "f", {}, {"Origin": "http://c.example"}).headers["Access-Control-Allow-Origin"])

    def test_five_rules_at_most(self):
        rule = self.RULES[self.RULES.index(b"<CorsRule>"):self.RULES.index(b"</Cors>")]
        for count, status in ((5, 202), (6, 400)):
            body = b"<StorageServiceProperties><Cors>" + rule * count + b"</Cors></StorageServiceProperties>"
            self.assertEqual(self.account("PUT", "", self.QUERY, {}, body).status, status)
        self.is_refused(self.account("PUT", "", self.QUERY, {}, b"<Storage"), 400, "InvalidXmlDocument")


class Transport(Protocol):
    def raw(self, data):
        """All that comes back until the server closes."""
        with socket.create_connection((self.account.host, self.account.port), timeout=60) as connection:
            connection.sendall(data)
            answer = b""
            while True:
                got = connection.recv(65536)
                if not got:
                    return answer
                answer += got

    def head_of(self, method, below, query, headers, length):
        raw_path, target = self.account.target(self.path(below), query)
        signed = self.account.signed_headers(method, raw_path, query, headers, length)
        return f"{method} {target} HTTP/1.1\r\nHost: {self.account.host}:{self.account.port}\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in signed.items())

    def test_a_chunked_body_is_a_body(self):
        self.is_done(self.account.create(self.path("f"), 5), 201)
        # A client that does not know the length signs none.
        head = self.head_of("PUT", "f", [("comp", "range")], {"x-ms-write": "update", "x-ms-range": "bytes=0-4"}, 0)
        answer = self.raw((head + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n").encode())
        self.assertTrue(answer.startswith(b"HTTP/1.1 201"), answer)
        self.assertEqual(self.ask("GET", "f").body, b"hello")

    def test_a_client_that_expects_100_gets_it(self):
        self.is_done(self.account.create(self.path("f"), 5), 201)
        head = self.head_of("PUT", "f", [("comp", "range")], {"x-ms-write": "update", "x-ms-range": "bytes=0-4"}, 5)
        with socket.create_connection((self.account.host, self.account.port), timeout=60) as connection:
            connection.sendall((head + "Content-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n").encode())
            self.assertTrue(connection.recv(65536).startswith(b"HTTP/1.1 100"))
            connection.sendall(b"hello")
            self.assertTrue(connection.recv(65536).startswith(b"HTTP/1.1 201"))

    def test_requests_may_be_sent_without_waiting(self):
        self.put("f", b"hello")
        asked = self.head_of("GET", "f", [], {}, 0)
        answer = self.raw((3 * (asked + "\r\n") + asked + "Connection: close\r\n\r\n").encode())
        self.assertEqual(answer.count(b"HTTP/1.1 200"), 4)
        self.assertEqual(answer.count(b"hello"), 4)


if __name__ == "__main__":
    CONNECTION = sys.argv.pop(1)
    unittest.main(verbosity=0)

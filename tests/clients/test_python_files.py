"""Azure Files with Microsoft's clients for Python, unmodified: azure.storage.fileshare with its sibling for asyncio (Debian
package python3-azure-storage), and the client that came before it (python3-azure-multiapi-storage).

The same story runs three times: over HTTPS by the names of storage accounts, through the emulator's proxy; over plain HTTP by
path, with the connection string that the Resource Manager makes; and to an emulator of Azure Files alone.
"""
import asyncio
import base64
import hashlib
import io
import os
import random
import re
import ssl
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone

from support import Case, main

try:
    import aiohttp  # noqa: F401, what azure.core's transport for asyncio needs
    from azure.core.exceptions import (ClientAuthenticationError, HttpResponseError, ResourceExistsError,
                                       ResourceNotFoundError)
    from azure.identity import ManagedIdentityCredential
    from azure.mgmt.resource import ResourceManagementClient
    from azure.mgmt.storage import StorageManagementClient
    from azure.multiapi.storage.v2018_11_09.common import AccountPermissions as OldPermissions
    from azure.multiapi.storage.v2018_11_09.common import ResourceTypes as OldTypes
    from azure.multiapi.storage.v2018_11_09.file import ContentSettings as OldSettings
    from azure.multiapi.storage.v2018_11_09.file import FileService
    from azure.storage.fileshare import (AccessPolicy, AccountSasPermissions, ContentSettings, CorsRule, FileSasPermissions,
                                         LinearRetry, Metrics, NTFSAttributes, ResourceTypes, RetentionPolicy, ShareClient,
                                         ShareDirectoryClient, ShareFileClient, ShareLeaseClient, ShareProtocolSettings,
                                         ShareSasPermissions, ShareServiceClient, ShareSmbSettings, SmbMultichannel,
                                         generate_account_sas, generate_file_sas, generate_share_sas)
    from azure.storage.fileshare.aio import ShareServiceClient as AsyncShareServiceClient
except ImportError as missing:
    print(f"skipped: {missing} (Debian packages python3-azure, python3-azure-storage, python3-azure-multiapi-storage)")
    raise SystemExit(77) from None  # the exit code of a skipped test for CTest

MIB = 1 << 20
SDDL = "O:S-1-5-21-2127521184-1604012920-1887927527-21560751G:S-1-5-21-2127521184-1604012920-1887927527-513D:AI(A;ID;FA;;;SY)"


def noise(length, seed=1):
    return random.Random(seed).randbytes(length)


def md5(data):
    return hashlib.md5(data).digest()


def in_an_hour():
    return datetime.now(timezone.utc) + timedelta(hours=1)


def text(parts):
    """Of a connection string: its members."""
    return dict(part.split("=", 1) for part in parts.split(";") if part)


def old_service(account, url, account_key=None, sas_token=None):
    """The client of 2018 knows paths in connection strings alone."""
    by = f"AccountKey={account_key}" if account_key else f"SharedAccessSignature={sas_token}"
    return FileService(connection_string=f"AccountName={account};{by};FileEndpoint={url}")


class Files:
    """The story; a subclass sets `account_url`, `account` and `key`."""

    @classmethod
    def tearDownClass(cls):
        os.environ.clear()
        os.environ.update(cls.saved_environment)
        super().tearDownClass()

    @classmethod
    def prepare(cls):
        cls.saved_environment = dict(os.environ)
        os.environ.update(cls.environment)
        cls.find_account()
        cls.service = ShareServiceClient(cls.account_url, credential={"account_name": cls.account, "account_key": cls.key})
        cls.share = cls.service.create_share("myshare")

    def refused(self, kind, code, call, *arguments, **options):
        """The SDK's exception, with the service's code."""
        with self.assertRaises(kind) as caught:
            call(*arguments, **options)
        self.assertEqual(caught.exception.error_code, code, caught.exception)
        return caught.exception

    def fetch(self, url, status=200, **headers):
        """As a browser does: what is in the URL must be enough."""
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers),
                                        context=ssl.create_default_context(cafile=self.emulator.ready["ca"])) as answer:
                self.assertEqual(answer.status, status)
                return answer.read()
        except urllib.error.HTTPError as error:
            self.assertEqual(error.code, status, error.read())
            return error.headers["x-ms-error-code"]

    # --- Shares ---

    def test_a_share_has_a_quota_and_metadata(self):
        share = self.service.get_share_client("second")
        share.create_share(quota=10, metadata={"who": "me"})
        self.refused(ResourceExistsError, "ShareAlreadyExists", share.create_share)
        properties = share.get_share_properties()
        self.assertEqual((properties.name, properties.quota, properties.metadata), ("second", 10, {"who": "me"}))
        self.assertEqual(properties.protocols, ["SMB"])
        share.set_share_quota(20)
        share.set_share_properties(access_tier="Hot")
        share.set_share_metadata({"what": "this", "where": "here"})
        changed = share.get_share_properties()
        self.assertEqual((changed.quota, changed.access_tier), (20, "Hot"))
        self.assertEqual(changed.metadata, {"what": "this", "where": "here"})
        self.assertNotEqual(changed.etag, properties.etag)
        self.assertEqual(share.get_share_stats(), 0)
        share.delete_share()
        self.refused(ResourceNotFoundError, "ShareNotFound", share.get_share_properties)
        self.refused(ResourceNotFoundError, "ShareNotFound", share.delete_share)
        self.refused(HttpResponseError, "InvalidResourceName", self.service.create_share, "No_Share")

    def test_shares_are_listed_in_pages_and_by_prefix(self):
        for number in range(5):
            self.service.create_share(f"many-{number}", metadata={"number": str(number)})
        pages = self.service.list_shares(name_starts_with="many-", include_metadata=True, results_per_page=2).by_page()
        self.assertEqual([[(one.name, one.metadata["number"]) for one in page] for page in pages],
                         [[("many-0", "0"), ("many-1", "1")], [("many-2", "2"), ("many-3", "3")], [("many-4", "4")]])
        names = [one.name for one in self.service.list_shares()]
        self.assertEqual(names, sorted(names))
        self.assertLess({"myshare", "many-0"}, set(names))
        first = self.service.list_shares(name_starts_with="many-", results_per_page=3).by_page()
        next(first)
        rest = self.service.list_shares(name_starts_with="many-").by_page(continuation_token=first.continuation_token)
        self.assertEqual([one.name for page in rest for one in page], ["many-3", "many-4"])
        for number in range(5):
            self.service.delete_share(f"many-{number}")
        self.assertEqual(list(self.service.list_shares(name_starts_with="many-")), [])

    def test_stored_access_policies_of_a_share(self):
        expires = in_an_hour().replace(microsecond=0)
        policy = AccessPolicy(permission=ShareSasPermissions(read=True, list=True), start="2018-01-01T00:00:00Z", expiry=expires)
        self.share.set_share_access_policy({"readers": policy})
        kept = self.share.get_share_access_policy()["signed_identifiers"]
        self.assertEqual([(one.id, one.access_policy.permission) for one in kept], [("readers", "rl")])
        token = generate_share_sas(self.account, "myshare", self.key, policy_id="readers")
        self.share.get_file_client("policy.txt").upload_file(b"for readers")
        reader = ShareClient(self.account_url, "myshare", credential=token)
        self.assertEqual(reader.get_file_client("policy.txt").download_file().readall(), b"for readers")
        self.refused(HttpResponseError, "AuthorizationPermissionMismatch",
                     reader.get_file_client("policy.txt").delete_file)
        self.share.set_share_access_policy({})
        self.refused(ClientAuthenticationError, "AuthenticationFailed",
                     reader.get_file_client("policy.txt").get_file_properties)

    def test_properties_of_the_service(self):
        rule = CorsRule(["https://example.com"], ["GET"], allowed_headers=["x-ms-meta-a"], exposed_headers=["x-ms-meta-b"],
                        max_age_in_seconds=60)
        self.service.set_service_properties(
            hour_metrics=Metrics(enabled=True, include_apis=True, retention_policy=RetentionPolicy(enabled=True, days=5)),
            minute_metrics=Metrics(enabled=False), cors=[rule],
            protocol=ShareProtocolSettings(smb=ShareSmbSettings(multichannel=SmbMultichannel(enabled=False))))
        kept = self.service.get_service_properties()
        self.assertEqual((kept["hour_metrics"].enabled, kept["hour_metrics"].retention_policy.days), (True, 5))
        self.assertFalse(kept["minute_metrics"].enabled)
        self.assertEqual([(one.allowed_origins, one.max_age_in_seconds) for one in kept["cors"]], [("https://example.com", 60)])
        self.assertFalse(kept["protocol"].smb.multichannel.enabled)

    def test_a_share_is_leased(self):
        share = self.service.create_share("leased")
        lease = share.acquire_lease(lease_duration=-1)
        self.assertEqual((share.get_share_properties().lease.state, share.get_share_properties().lease.status),
                         ("leased", "locked"))
        self.refused(HttpResponseError, "LeaseIdMissing", share.delete_share)
        self.refused(ResourceExistsError, "LeaseAlreadyPresent", share.acquire_lease, lease_duration=15)
        lease.renew()
        lease.change("bf0a4a7e-3f4a-4b43-9a4c-0e6f7d2b1c3d")
        self.assertEqual(lease.id, "bf0a4a7e-3f4a-4b43-9a4c-0e6f7d2b1c3d")
        lease.release()
        self.assertEqual(share.get_share_properties().lease.state, "available")
        share.acquire_lease(lease_duration=60)
        self.assertLessEqual(ShareLeaseClient(share).break_lease(), 60)
        self.assertEqual(share.get_share_properties().lease.state, "breaking")
        ShareLeaseClient(share).break_lease(lease_break_period=0)
        share.delete_share()

    def test_pages_that_were_cleared_since_a_snapshot_are_told(self):
        share = self.service.create_share("pages")
        file = share.get_file_client("f")
        file.create_file(2048)
        first = share.create_snapshot()
        file.upload_range(noise(1536, 9), 0, 1536)
        second = share.create_snapshot()["snapshot"]
        file.clear_range(512, 512)
        written, cleared = file.get_ranges_diff(first)
        self.assertEqual(written, [{"start": 0, "end": 511}, {"start": 1024, "end": 1535}])
        self.assertEqual(cleared, [{"start": 512, "end": 1023}])
        self.assertEqual(file.get_ranges_diff(second), ([], [{"start": 512, "end": 1023}]))
        moved = file.rename_file("g")
        self.refused(ResourceExistsError, "FileGenerationMismatch", moved.get_ranges_diff, second)
        share.delete_share(delete_snapshots="include")

    def test_a_snapshot_keeps_what_was_there(self):
        share = self.service.create_share("past")
        file = share.get_file_client("a.txt")
        file.upload_file(b"then")
        taken = share.create_snapshot(metadata={"taken": "yes"})["snapshot"]
        file.upload_file(b"now, and longer")
        share.create_directory("later")
        then = self.service.get_share_client("past", snapshot=taken)
        self.assertEqual(then.get_file_client("a.txt").download_file().readall(), b"then")
        self.assertEqual([one["name"] for one in then.list_directories_and_files()], ["a.txt"])
        self.assertEqual([one["name"] for one in share.list_directories_and_files()], ["later", "a.txt"])
        self.assertEqual(then.get_share_properties().metadata, {"taken": "yes"})
        listed = [(one.name, one.snapshot) for one in self.service.list_shares("past", include_snapshots=True)]
        self.assertEqual(listed, [("past", taken), ("past", None)])
        ranges, cleared = file.get_ranges_diff(taken)
        self.assertEqual((ranges, cleared), ([{"start": 0, "end": 14}], []))
        self.refused(HttpResponseError, "ShareSnapshotOperationNotSupported", then.get_file_client("a.txt").upload_file, b"never")
        self.refused(ResourceExistsError, "ShareHasSnapshots", share.delete_share)
        then.delete_share()
        self.refused(ResourceNotFoundError, "ShareNotFound", then.get_share_properties)
        share.delete_share(delete_snapshots="include")

    def test_permissions_are_kept_in_a_share(self):
        key = self.share.create_permission_for_share(SDDL)
        self.assertEqual(self.share.get_permission_for_share(key), SDDL)
        file = self.share.get_file_client("guarded")
        file.create_file(1, permission_key=key)
        self.assertEqual(file.get_file_properties().permission_key, key)
        self.refused(HttpResponseError, "FileInvalidPermission", self.share.create_permission_for_share, "nonsense")

    # --- Directories ---

    def test_a_directory_has_properties_and_metadata(self):
        directory = self.share.get_directory_client("Some Dir ü")
        directory.create_directory(metadata={"depth": "1"})
        self.refused(ResourceExistsError, "ResourceAlreadyExists", directory.create_directory)
        self.assertTrue(directory.exists())
        properties = directory.get_directory_properties()
        self.assertEqual((properties.metadata, properties.file_attributes), ({"depth": "1"}, "Directory"))
        self.assertTrue(properties.is_directory and properties.file_id and properties.permission_key)
        directory.set_directory_metadata({"depth": "one"})
        changed = directory.get_directory_properties()
        self.assertEqual(changed.metadata, {"depth": "one"})
        self.assertNotEqual(changed.etag, properties.etag)
        directory.set_http_headers(file_attributes=NTFSAttributes(directory=True, hidden=True),
                                   file_last_write_time=datetime(2018, 7, 18, 17, 45, 0, 500000))
        changed = directory.get_directory_properties()
        self.assertEqual(changed.file_attributes, "Hidden|Directory")
        self.assertEqual(changed.last_write_time.replace(tzinfo=None), datetime(2018, 7, 18, 17, 45, 0, 500000))
        inner = directory.create_subdirectory("inner")
        self.refused(ResourceExistsError, "DirectoryNotEmpty", directory.delete_directory)
        inner.delete_directory()
        directory.delete_directory()
        self.assertFalse(directory.exists())
        self.refused(ResourceNotFoundError, "ResourceNotFound", directory.get_directory_properties)
        self.refused(ResourceNotFoundError, "ParentNotFound", self.share.create_directory, "no/where")
        self.refused(ResourceNotFoundError, "ShareNotFound", self.service.get_share_client("nosuch").create_directory, "a")

    def test_a_directory_is_listed_in_pages_and_by_prefix(self):
        directory = self.share.create_directory("listed")
        names = ["a&b 'c' %41.txt", "img-1", "img-2", "img-3", "img-4", "late ü.txt"]
        for name in reversed(names):
            directory.upload_file(name, name.encode())
        directory.create_subdirectory("img-dir")
        everything = list(directory.list_directories_and_files())  # the client returns directories first in each page
        self.assertEqual([(one["name"], one["is_directory"]) for one in everything],
                         [("img-dir", True), *((name, False) for name in names)])
        self.assertEqual(everything[1]["size"], len(names[0]))
        pages = directory.list_directories_and_files("img-", results_per_page=2).by_page()
        self.assertEqual([[one["name"] for one in page] for page in pages],
                         [["img-1", "img-2"], ["img-3", "img-4"], ["img-dir"]])
        pages = directory.list_directories_and_files(results_per_page=5).by_page()
        self.assertEqual([len(list(page)) for page in pages], [5, 2])
        full = next(iter(directory.list_directories_and_files(
            name_starts_with="img-1", include=["timestamps", "Etag", "Attributes", "PermissionKey"])))
        self.assertEqual((full.file_attributes, full.etag),
                         ("Archive", directory.get_file_client("img-1").get_file_properties().etag))
        self.assertTrue(full.last_write_time and full.creation_time and full.permission_key and full.file_id)
        self.refused(ResourceNotFoundError, "ResourceNotFound",
                     lambda: list(self.share.list_directories_and_files("nowhere")))

    def test_directories_are_renamed_with_all_in_them(self):
        directory = self.share.create_directory("before")
        directory.upload_file("f", b"moves")
        moved = directory.rename_directory("after")
        self.assertEqual(moved.get_file_client("f").download_file().readall(), b"moves")
        self.assertFalse(directory.exists())

    def test_handles_nobody_has_open(self):
        directory = self.share.create_directory("handles")
        file = directory.upload_file("f", b"x")
        self.assertEqual(list(directory.list_handles(recursive=True)), [])
        self.assertEqual(list(file.list_handles()), [])
        self.assertEqual(directory.close_all_handles(recursive=True), {"closed_handles_count": 0, "failed_handles_count": 0})
        self.assertEqual(file.close_all_handles(), {"closed_handles_count": 0, "failed_handles_count": 0})

    # --- Files ---

    def test_a_file_of_several_ranges_goes_up_and_comes_down(self):
        data = noise(9 * MIB + 17)
        file = self.share.get_file_client("big.bin")
        told = []
        file.upload_file(data, max_concurrency=4, validate_content=True, progress_hook=lambda now, total: told.append((now, total)),
                         content_settings=ContentSettings(content_type="application/x-noise", content_md5=bytearray(md5(data)),
                                                          cache_control="no-store", content_language="en",
                                                          content_disposition="attachment"), metadata={"Kind": "noise"})
        self.assertEqual(max(told), (len(data), len(data)))
        properties = file.get_file_properties()
        self.assertEqual((properties.size, properties.metadata, properties.file_type), (len(data), {"Kind": "noise"}, "File"))
        settings = properties.content_settings
        self.assertEqual((settings.content_type, settings.cache_control, settings.content_language, settings.content_disposition),
                         ("application/x-noise", "no-store", "en", "attachment"))
        self.assertEqual(bytes(settings.content_md5), md5(data))
        self.assertEqual(file.download_file(max_concurrency=4, validate_content=True).readall(), data)
        small_pieces = ShareFileClient(self.account_url, "myshare", "big.bin", max_single_get_size=MIB, max_chunk_get_size=MIB,
                                       credential={"account_name": self.account, "account_key": self.key})
        into = io.BytesIO()
        self.assertEqual(small_pieces.download_file(max_concurrency=3).readinto(into), len(data))
        self.assertEqual(into.getvalue(), data)
        self.assertEqual(b"".join(file.download_file(offset=4 * MIB - 5, length=10).chunks()), data[4 * MIB - 5:4 * MIB + 5])
        self.assertEqual(file.download_file(offset=len(data) - 3, length=100).readall(), data[-3:])
        self.assertEqual(file.get_ranges(), [{"start": 0, "end": len(data) - 1}])

    def test_an_upload_goes_on_where_it_stopped(self):
        data = noise(3 * MIB, 2)
        file = self.share.get_file_client("resumed")
        file.create_file(len(data))
        for first in (2 * MIB, 0):
            file.upload_range(data[first:first + MIB], first, MIB, validate_content=True)
        self.assertEqual(file.get_ranges(), [{"start": 0, "end": MIB - 1}, {"start": 2 * MIB, "end": 3 * MIB - 1}])
        self.assertEqual(file.get_ranges(offset=MIB, length=MIB), [])
        self.assertEqual(file.download_file(offset=MIB, length=9).readall(), bytes(9))
        file.upload_range(data[MIB:2 * MIB], MIB, MIB)
        self.assertEqual(file.download_file().readall(), data)
        file.clear_range(MIB, MIB)
        self.assertEqual(file.get_ranges(), [{"start": 0, "end": MIB - 1}, {"start": 2 * MIB, "end": 3 * MIB - 1}])
        file.resize_file(MIB + 10)
        self.assertEqual(file.download_file().readall(), data[:MIB] + bytes(10))
        self.refused(HttpResponseError, "InvalidRange", file.upload_range, b"beyond", 2 * MIB, 6)
        self.refused(HttpResponseError, "InvalidRange", lambda: file.download_file(offset=2 * MIB, length=5).readall())

    def test_a_transfer_goes_on_where_the_connection_was_cut(self):
        patient = ShareServiceClient(self.account_url, credential={"account_name": self.account, "account_key": self.key},
                                     max_single_get_size=MIB, max_chunk_get_size=MIB,
                                     retry_policy=LinearRetry(backoff=1, retry_total=3, random_jitter_range=0))
        data = noise(9 * MIB, 6)
        file = patient.get_share_client("myshare").get_file_client("cut")
        for method in ("PUT", "GET"):
            self.emulator.ask("faults", {"do": "api.reset", "path": "*cut*", "method": method, "chance": "50%", "count": 1})
        file.upload_file(data)
        self.assertEqual(file.download_file().readall(), data)
        self.assertEqual([one["struck"] for one in self.emulator.ask("faults")["rules"]], [1, 1])
        self.assertEqual(file.get_ranges(), [{"start": 0, "end": len(data) - 1}])

    def test_empty_files_and_streams(self):
        file = self.share.get_file_client("empty")
        file.upload_file(b"")
        self.assertEqual(file.download_file().readall(), b"")
        self.assertEqual(file.get_ranges(), [])
        file.upload_file(io.BytesIO(b"from a stream"), length=13)
        self.assertEqual(file.download_file(encoding="utf-8").readall(), "from a stream")
        file.upload_file((part for part in (b"piece by ", b"piece")), length=14)
        self.assertEqual(file.download_file().readall(), b"piece by piece")

    def test_a_wrong_md5_is_refused(self):
        file = self.share.get_file_client("checked")
        file.create_file(5)
        self.refused(HttpResponseError, "Md5Mismatch", file.upload_range, b"hello", 0, 5,
                     headers={"Content-MD5": base64.b64encode(md5(b"other")).decode()})
        self.assertEqual(file.download_file().readall(), bytes(5))

    def test_content_settings_and_metadata_change(self):
        file = self.share.get_file_client("settings")
        file.upload_file(b"text")
        before = file.get_file_properties()
        file.set_http_headers(ContentSettings(content_type="text/plain"), file_attributes=NTFSAttributes(read_only=True))
        file.set_file_metadata({"One": "1", "two": "2"})
        after = file.get_file_properties()
        self.assertEqual((after.content_settings.content_type, after.metadata), ("text/plain", {"One": "1", "two": "2"}))
        self.assertIn("ReadOnly", after.file_attributes)
        self.assertNotEqual(after.etag, before.etag)
        self.refused(ResourceExistsError, "ReadOnlyAttribute", file.delete_file)
        file.set_http_headers(ContentSettings(content_type="text/plain"), file_attributes="none")
        file.delete_file()
        self.refused(ResourceNotFoundError, "ResourceNotFound", file.get_file_properties)

    def test_a_leased_file_is_written_by_its_holder_alone(self):
        file = self.share.get_file_client("leased.txt")
        file.upload_file(b"first")
        lease = file.acquire_lease()
        self.assertEqual(file.get_file_properties().lease.status, "locked")
        self.refused(HttpResponseError, "LeaseIdMissing", file.upload_range, b"other", 0, 5)
        other = ShareLeaseClient(file, "11111111-2222-3333-4444-555555555555")
        self.refused(HttpResponseError, "LeaseIdMismatchWithFileOperation", file.delete_file, lease=other)
        file.upload_range(b"holds", 0, 5, lease=lease)
        self.assertEqual(file.download_file(lease=lease).readall(), b"holds")
        lease.change("aaaaaaaa-2222-3333-4444-555555555555")
        ShareLeaseClient(file).break_lease()
        self.assertEqual(file.get_file_properties().lease.state, "broken")
        file.delete_file()

    def test_files_are_copied_renamed_and_filled_from_urls(self):
        data = noise(5 * MIB, 3)
        source = self.share.get_file_client("source")
        source.upload_file(data, metadata={"kept": "yes"})
        copy = self.share.get_file_client("copy")
        started = copy.start_copy_from_url(source.url)
        self.assertTrue(started["copy_id"])
        properties = copy.get_file_properties()
        self.assertEqual((properties.copy.status, properties.copy.id), ("success", started["copy_id"]))
        self.assertEqual((properties.copy.progress, properties.metadata), (f"{len(data)}/{len(data)}", {"kept": "yes"}))
        self.assertEqual(copy.download_file().readall(), data)
        self.refused(ResourceExistsError, "NoPendingCopyOperation", copy.abort_copy, started["copy_id"])
        token = generate_file_sas(self.account, "myshare", ["source"], self.key, permission="r", expiry=in_an_hour())
        filled = self.share.get_file_client("filled")
        filled.create_file(100)
        filled.upload_range_from_url(f"{source.url}?{token}", 0, 100, 1000)
        self.assertEqual(filled.download_file().readall(), data[1000:1100])
        self.refused(ResourceNotFoundError, "CannotVerifyCopySource", copy.start_copy_from_url, source.url + "-not")
        self.refused(ResourceExistsError, "ResourceAlreadyExists", filled.rename_file, "copy")
        renamed = filled.rename_file("copy", overwrite=True)
        self.assertEqual(renamed.download_file().readall(), data[1000:1100])
        self.refused(ResourceNotFoundError, "ResourceNotFound", filled.get_file_properties)

    # --- Signatures ---

    def test_a_service_sas_opens_a_share_as_far_as_it_says(self):
        token = generate_share_sas(self.account, "myshare", self.key, expiry=in_an_hour(),
                                   permission=ShareSasPermissions(read=True, write=True, create=True, list=True))
        share = ShareClient(self.account_url, "myshare", credential=token)
        share.get_file_client("by-sas").upload_file(b"signed")
        self.assertEqual(share.get_file_client("by-sas").download_file().readall(), b"signed")
        self.assertIn("by-sas", [one["name"] for one in share.list_directories_and_files()])
        self.refused(HttpResponseError, "AuthorizationPermissionMismatch", share.get_file_client("by-sas").delete_file)
        other = ShareClient(self.account_url, "another", credential=token)
        self.refused(ClientAuthenticationError, "AuthenticationFailed", other.get_file_client("f").get_file_properties)
        late = generate_share_sas(self.account, "myshare", self.key, permission="r",
                                  expiry=datetime.now(timezone.utc) - timedelta(hours=1))
        self.refused(ClientAuthenticationError, "AuthenticationFailed",
                     ShareClient(self.account_url, "myshare", credential=late).get_file_client("by-sas").get_file_properties)

    def test_a_file_sas_is_a_url_for_anyone(self):
        directory = self.share.create_directory("for anyone ü")
        directory.upload_file("a b.txt", b"0123456789")
        token = generate_file_sas(self.account, "myshare", ["for anyone ü", "a b.txt"], self.key, expiry=in_an_hour(),
                                  permission=FileSasPermissions(read=True), content_type="text/x-told",
                                  content_disposition="inline")
        file = ShareFileClient(self.account_url, "myshare", "for anyone ü/a b.txt", credential=token)
        self.assertEqual(file.download_file().readall(), b"0123456789")
        self.assertEqual(self.fetch(file.url), b"0123456789")
        self.assertEqual(self.fetch(file.url, 206, Range="bytes=4-6"), b"456")
        self.assertEqual(file.download_file().properties.content_settings.content_type, "text/x-told")
        self.assertEqual(self.fetch(file.url.replace("sp=r", "sp=rw"), 403), "AuthenticationFailed")

    def test_a_file_is_renamed_by_signatures_of_both_names(self):
        self.share.get_file_client("signed-old").upload_file(b"moves")
        old, new, thief = (generate_file_sas(self.account, "myshare", [name], self.key, expiry=in_an_hour(), permission=letters)
                           for name, letters in (("signed-old", "rd"), ("signed-new", "rcw"), ("signed-old", "r")))
        may_read = ShareFileClient(self.account_url, "myshare", "signed-old", credential=thief)
        self.refused(HttpResponseError, "AuthorizationPermissionMismatch", may_read.rename_file, f"signed-new?{new}")
        renamed = ShareFileClient(self.account_url, "myshare", "signed-old", credential=old).rename_file(f"signed-new?{new}")
        self.assertEqual(renamed.download_file().readall(), b"moves")
        self.refused(ResourceNotFoundError, "ResourceNotFound", self.share.get_file_client("signed-old").get_file_properties)

    def test_an_account_sas_opens_what_it_names(self):
        token = generate_account_sas(self.account, self.key, resource_types=ResourceTypes(service=True, container=True, object=True),
                                     permission=AccountSasPermissions(read=True, write=True, list=True, create=True, delete=True),
                                     expiry=in_an_hour())
        service = ShareServiceClient(self.account_url, credential=token)
        share = service.create_share("by-account-sas")
        share.get_file_client("f").upload_file(b"signed")
        self.assertIn("by-account-sas", [one.name for one in service.list_shares()])
        share.delete_share()
        objects = generate_account_sas(self.account, self.key, resource_types=ResourceTypes(object=True), expiry=in_an_hour(),
                                       permission=AccountSasPermissions(read=True))
        narrow = ShareServiceClient(self.account_url, credential=objects)
        self.refused(HttpResponseError, "AuthorizationResourceTypeMismatch", lambda: list(narrow.list_shares()))
        self.refused(HttpResponseError, "AuthorizationPermissionMismatch",
                     narrow.get_share_client("myshare").get_file_client("new").create_file, 1)

    def test_a_wrong_key_is_refused(self):
        wrong = base64.b64encode(noise(64)).decode()
        service = ShareServiceClient(self.account_url, credential={"account_name": self.account, "account_key": wrong})
        error = self.refused(ClientAuthenticationError, "AuthenticationFailed", lambda: list(service.list_shares()))
        self.assertEqual(error.status_code, 403)
        self.assertNotIn(wrong, self.emulator.log())
        self.assertNotIn(self.key, self.emulator.log())

    # --- The others ---

    def test_the_client_for_asyncio(self):
        async def story():
            credential = {"account_name": self.account, "account_key": self.key}
            data = noise(9 * MIB, 4)
            # aiohttp takes a proxy and certificates from the environment only when it is asked to.
            async with AsyncShareServiceClient(self.account_url, credential=credential, **self.async_options()) as service:
                share = await service.create_share("asynchronous")
                file = share.get_file_client("f")
                await file.upload_file(data, max_concurrency=4)
                self.assertEqual(await (await file.download_file(max_concurrency=4)).readall(), data)
                self.assertEqual([one["name"] async for one in share.list_directories_and_files()], ["f"])
                self.assertEqual([one.name async for one in service.list_shares("async")], ["asynchronous"])
                with self.assertRaises(ResourceNotFoundError) as caught:
                    await share.get_file_client("none").get_file_properties()
                self.assertEqual(caught.exception.error_code, "ResourceNotFound")
                await share.delete_share()
        asyncio.run(story())

    def async_options(self):
        return {}

    def test_the_client_of_2018(self):
        old = self.old_service(account_key=self.key)
        old.create_share("old", quota=7, metadata={"a": "b"})
        self.assertEqual(old.get_share_properties("old").properties.quota, 7)
        old.create_directory("old", "dir")
        data = noise(9 * MIB, 5)
        old.create_file_from_bytes("old", "dir", "big", data, max_connections=2, validate_content=True,
                                   content_settings=OldSettings(content_type="application/x-noise"))
        self.assertEqual(old.get_file_to_bytes("old", "dir", "big", max_connections=2).content, data)
        old.create_file_from_text("old", None, "text ü.txt", "text")
        self.assertEqual(old.get_file_to_text("old", None, "text ü.txt").content, "text")
        self.assertEqual({one.name for one in old.list_directories_and_files("old")}, {"dir", "text ü.txt"})
        self.assertEqual([one.name for one in old.list_directories_and_files("old", num_results=1, prefix="t")], ["text ü.txt"])
        self.assertEqual(old.get_file_properties("old", "dir", "big").properties.content_settings.content_type,
                         "application/x-noise")
        old.resize_file("old", "dir", "big", 10)
        self.assertEqual([(one.start, one.end) for one in old.list_ranges("old", "dir", "big")], [(0, 9)])
        source = old.make_file_url("old", "dir", "big", sas_token=old.generate_file_shared_access_signature(
            "old", "dir", "big", "r", in_an_hour()))
        self.assertEqual(old.copy_file("old", None, "copy", source).status, "success")
        self.assertEqual(old.get_file_to_bytes("old", None, "copy").content, data[:10])
        taken = old.snapshot_share("old")
        old.delete_file("old", None, "copy")
        self.assertTrue(old.exists("old", file_name="copy", snapshot=taken.snapshot))
        self.assertFalse(old.exists("old", file_name="copy"))
        token = old.generate_account_shared_access_signature(OldTypes.SERVICE, OldPermissions.LIST, in_an_hour())
        signed = self.old_service(sas_token=token)
        self.assertIn("old", [one.name for one in signed.list_shares()])
        self.assertEqual(old.get_file_service_properties().minute_metrics.enabled, False)
        old.delete_share("old", delete_snapshots="include")
        self.assertFalse(old.exists("old"))

    def old_service(self, **credential):
        return FileService(self.account, **credential)


class OfManager(Files):
    """An account of the Resource Manager."""

    account = "sdkaccount"

    @classmethod
    def find_account(cls):
        ready = cls.emulator.ready
        where = ManagedIdentityCredential(), ready["subscription"]
        ResourceManagementClient(*where, base_url=f"https://{ready['tls']}").resource_groups.create_or_update(
            "sdk", {"location": "eastus"})
        accounts = StorageManagementClient(*where, base_url=f"https://{ready['tls']}").storage_accounts
        account = accounts.begin_create("sdk", cls.account, {"sku": {"name": "Standard_LRS"}, "kind": "StorageV2",
                                                             "location": "eastus"}).result()
        cls.key = accounts.list_keys("sdk", cls.account).keys[1].value
        cls.account_url = cls.url_of(account)


class ByName(OfManager, Case):
    """https://ACCOUNT.file.core.windows.net through the proxy."""

    @classmethod
    def url_of(cls, account):
        return f"https://{account.name}.file.core.windows.net"

    def test_the_url_of_a_file_is_all_that_a_client_needs(self):
        self.share.get_file_client("by url").upload_file(b"0123456789")
        token = generate_file_sas(self.account, "myshare", ["by url"], self.key, permission="r", expiry=in_an_hour())
        file = ShareFileClient.from_file_url(f"{self.account_url}/myshare/by%20url?{token}")
        self.assertEqual(file.get_file_properties().size, 10)

    def async_options(self):
        return {"connection_verify": True, "proxies": {"https": self.environment["HTTPS_PROXY"]}}


class ByPath(OfManager, Case):
    """Where the Resource Manager says that files are: http://127.0.0.1:PORT/ACCOUNT."""

    @classmethod
    def url_of(cls, account):
        url = account.primary_endpoints.file.rstrip("/")
        cls.string = f"DefaultEndpointsProtocol=http;AccountName={cls.account};AccountKey={cls.key};FileEndpoint={url}"
        return url

    def test_connection_strings(self):
        for client in (ShareServiceClient, ShareClient, ShareDirectoryClient, ShareFileClient):
            options = {} if client is ShareServiceClient else {"share_name": "myshare"}
            options |= {"directory_path": "d"} if client is ShareDirectoryClient else {}
            options |= {"file_path": "f"} if client is ShareFileClient else {}
            made = client.from_connection_string(self.string, **options)
            self.assertTrue(made.url.startswith(self.account_url))
        self.assertIn("myshare", [one.name for one in ShareServiceClient.from_connection_string(self.string).list_shares()])

    def old_service(self, **credential):
        return old_service(self.account, self.account_url, **credential)



class Alone(Files, Case):
    """`trainyard serve --files`, with the connection string that it prints."""

    options = ("--files",)

    @classmethod
    def find_account(cls):
        cls.string = re.search(r"\S*AccountName=\S+", (cls.folder / "serve.out").read_text())[0]
        cls.account, cls.key = text(cls.string)["AccountName"], text(cls.string)["AccountKey"]
        cls.account_url = f"https://{cls.emulator.ready['tls']}/{cls.account}"

    def old_service(self, **credential):
        """The usual name is one of blobs and queues alone to it; any name will do."""
        return old_service("anyaccount", self.account_url.replace(self.account, "anyaccount"), **credential)


if __name__ == "__main__":
    main()

"""Azure Files as az sees it: shares, directories and files, through the proxy and without one."""
import urllib.error
import urllib.request

from support import Case, main

ACCOUNT = "--account-name acct"
UNTIL = "--expiry 2030-01-01T00:00Z"


class ByProxy(Case):
    root = "https://acct.file.core.windows.net"

    @classmethod
    def prepare(cls):
        cls.az("group create --name g --location eastus")
        cls.az("storage account create --name acct --resource-group g --location eastus --sku Standard_LRS")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)

    def share(self, command, *more, **expected):
        return self.az(["storage", "share", *command.split(), *more, *ACCOUNT.split()], **expected)

    def names(self, path=""):
        return sorted(self.az(f"storage file list --share-name sss {f'--path {path}' if path else ''} --query [].name {ACCOUNT}").json)

    # --- Shares

    def test_a_share_is_made_once(self):
        self.assertEqual(self.share("create --name sss --quota 7").json, {"created": True})
        self.assertEqual(self.share("create --name sss").json, {"created": False})
        self.fails(f"storage share create --name sss --fail-on-exist {ACCOUNT}", "ErrorCode:ShareAlreadyExists")
        self.assertEqual(self.share("exists --name sss").json, {"exists": True})
        self.assertEqual(self.share("exists --name none").json, {"exists": False})

    def test_a_share_has_a_quota_and_metadata(self):
        self.assertHas(self.share("show --name sss").json, {"name": "sss", "protocols": ["SMB"], "properties": {"quota": 7}})
        self.share("update --name sss --quota 10")
        self.assertEqual(self.share("metadata update --name sss --metadata a=b c=d").json, {"updated": True})
        self.assertEqual(self.share("metadata show --name sss").json, {"a": "b", "c": "d"})
        self.assertHas(self.share("list --include-metadata").json, [{"name": "sss", "metadata": {"a": "b", "c": "d"},
                                                                      "quota": 10}])
        self.assertEqual(self.share("url --name sss").json, f"{self.root}/sss")
        self.assertEqual(self.share("list-handle --name sss --recursive").json["items"], [])

    def test_shares_are_listed_by_prefix_and_page(self):
        for name in ("list-a", "list-b", "list-c"):
            self.share(f"create --name {name}")
        self.assertEqual(self.share("list --prefix list- --num-results *", "--query", "[].name").json, ["list-a", "list-b", "list-c"])
        first = self.share("list --prefix list- --num-results 2").json
        self.assertEqual([share.get("name") for share in first], ["list-a", "list-b", None])
        rest = self.share("list --prefix list- --marker", first[2]["nextMarker"]).json
        self.assertEqual([share["name"] for share in rest], ["list-c"])
        for name in ("list-a", "list-b", "list-c"):
            self.assertEqual(self.share(f"delete --name {name}").json, {"deleted": True})

    def test_mistakes_with_shares_are_told(self):
        self.fails(f"storage share create --name BAD {ACCOUNT}", "ErrorCode:InvalidResourceName")
        self.missing(f"storage share show --name none {ACCOUNT}", "ErrorCode:ShareNotFound")
        self.missing(f"storage share delete --name none --fail-not-exist {ACCOUNT}", "ErrorCode:ShareNotFound")
        self.assertEqual(self.share("delete --name none").json, {"deleted": False})
        self.missing(f"storage directory create --name d --share-name none {ACCOUNT}", "ErrorCode:ShareNotFound")

    # --- Directories

    def directory(self, command):
        return self.az(f"storage directory {command} --share-name sss {ACCOUNT}")

    def test_directories_are_made_listed_and_deleted(self):
        self.assertEqual(self.directory("create --name d").json, {"created": True})
        self.assertEqual(self.directory("create --name d").json, {"created": False})
        self.assertEqual(self.directory("create --name d/e --metadata k=v").json, {"created": True})
        self.assertEqual(self.directory("exists --name d/e").json, {"exists": True})
        self.assertEqual(self.directory("exists --name no").json, {"exists": False})
        self.assertEqual([row["Name"] for row in self.directory("list --output table").rows], ["d/"])
        self.assertEqual(self.directory("list --name d --query [].name").json, ["e"])
        self.assertHas(self.directory("show --name d/e").json, {"name": "d/e", "isDirectory": True, "metadata": {"k": "v"}})
        self.directory("metadata update --name d/e --metadata x=y")
        self.assertEqual(self.directory("metadata show --name d/e").json, {"x": "y"})
        self.assertEqual(self.directory("delete --name d/e").json, {"deleted": True})
        self.assertEqual(self.directory("delete --name d/e").json, {"deleted": False})

    def test_mistakes_with_directories_are_told(self):
        where = f"--share-name sss {ACCOUNT}"
        self.fails(f"storage directory create --name d --fail-on-exist {where}", "ErrorCode:ResourceAlreadyExists")
        self.missing(f"storage directory create --name no/e {where}", "ErrorCode:ParentNotFound")
        self.missing(f"storage directory show --name no {where}", "ErrorCode:ResourceNotFound")
        self.write("a.txt", b"hello\n")
        self.az(f"storage file upload --source a.txt --path d {where}")
        self.fails(f"storage directory delete --name d {where}", "ErrorCode:DirectoryNotEmpty")

    # --- Files

    def file(self, command, *more, **expected):
        return self.az(["storage", "file", *command.split(), "--share-name", "sss", *ACCOUNT.split(), *more], **expected)

    def test_a_file_comes_back_as_it_went(self):
        large = bytes(i * 7 % 251 for i in range(9_000_001))  # three ranges of at most 4 MiB, and no two of them alike
        for name, content in (("a.txt", b"hello\n"), ("large.bin", large)):
            self.write(name, content)
            self.file(f"upload --source {name}")
            self.write(f"got/{name}", b"")
            self.file(f"download --path {name} --dest got/{name}")
            self.assertEqual((self.folder / f"got/{name}").read_bytes(), content)
        self.write("got/part", b"")
        self.file("download --path large.bin --dest got/part --start-range 4194300 --end-range 4194309")
        self.assertEqual((self.folder / "got/part").read_bytes(), large[4194300:4194310])
        self.assertEqual(self.names(), ["a.txt", "d", "large.bin"])
        self.file("delete --path large.bin")

    def test_a_file_has_properties_and_metadata(self):
        self.file("upload --source a.txt --path d/b.txt --content-type text/x --metadata m=n")
        self.assertHas(self.file("show --path d/b.txt").json, {
            "name": "b.txt", "path": "d/b.txt", "fileType": "File", "metadata": {"m": "n"},
            "properties": {"contentLength": 6, "contentSettings": {"contentType": "text/x"}}})
        self.assertEqual(self.file("metadata show --path d/b.txt").json, {"m": "n"})
        self.file("metadata update --path d/b.txt --metadata o=p")
        self.assertEqual(self.file("metadata show --path d/b.txt").json, {"o": "p"})
        self.file("update --path d/b.txt --content-type text/y --content-cache no-store")
        self.file("resize --path d/b.txt --size 3")
        self.assertHas(self.file("show --path d/b.txt").json["properties"],
                       {"contentLength": 3, "contentSettings": {"contentType": "text/y", "cacheControl": "no-store"}})
        self.assertEqual(self.file("exists --path d/b.txt").json, {"exists": True})
        self.assertEqual(self.file("exists --path d/none").json, {"exists": False})
        rows = self.file("list --output table").rows
        self.assertEqual([(row["Name"], row["Content Length"], row["Type"]) for row in rows], [("a.txt", "6", "file"), ("d/", "", "dir")])

    def test_names_may_hold_blanks_and_other_scripts(self):
        self.write("ä ü%.txt", "é".encode())
        self.az(["storage", "file", "upload", "--source", "ä ü%.txt", "--share-name", "sss", *ACCOUNT.split()])
        self.assertIn("ä ü%.txt", self.names())
        self.write("got/back", b"")
        self.az(["storage", "file", "download", "--path", "ä ü%.txt", "--dest", "got/back", "--share-name", "sss", *ACCOUNT.split()])
        self.assertEqual((self.folder / "got/back").read_text(), "é")
        self.az(["storage", "file", "delete", "--path", "ä ü%.txt", "--share-name", "sss", *ACCOUNT.split()])

    def test_an_empty_file_is_a_file(self):
        self.write("empty", b"")
        self.file("upload --source empty")
        (self.folder / "empty").unlink()
        # The client requests a range of an empty file, reports the refusal, and then fetches the whole file. az does the same
        # with Azure.
        result = self.file("download --path empty", may_warn=True)
        self.assertEqual(result.json["properties"]["contentLength"], 0)
        self.assertEqual((self.folder / "empty").read_bytes(), b"")
        self.file("delete --path empty")

    def test_mistakes_with_files_are_told(self):
        where = f"--share-name sss {ACCOUNT}"
        self.missing(f"storage file upload --source a.txt --path no/b.txt {where}", "ErrorCode:ParentNotFound")
        for command in ("show", "download", "delete"):
            self.missing(f"storage file {command} --path none {where}", "ErrorCode:ResourceNotFound")
        self.missing(f"storage file upload --source a.txt --share-name none {ACCOUNT}", "ErrorCode:ShareNotFound")
        self.fails(f"storage file copy cancel --destination-path a.txt --destination-share sss --copy-id 1 {ACCOUNT}", "ErrorCode:NoPendingCopyOperation")

    def test_a_signed_address_is_all_that_one_needs(self):
        token = self.file(f"generate-sas --path a.txt --permissions r {UNTIL}").json
        path = f"http://{self.emulator.ready['plain']}/acct/sss/"
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{path}a.txt?{token}") as answer:
            self.assertEqual(answer.read(), b"hello\n")
        with self.assertRaises(urllib.error.HTTPError) as refused:
            opener.open(f"{path}d/b.txt?{token}")
        self.assertEqual(refused.exception.headers["x-ms-error-code"], "AuthenticationFailed")
        refused.exception.close()
        self.assertEqual(self.file("url --path a.txt").json, f"{self.root}/sss/a.txt")

    def test_policies_stand_behind_signatures(self):
        where = f"--share-name sss {ACCOUNT}"
        self.az(f"storage share policy create --name p --permissions rl {UNTIL} {where}")
        self.assertHas(self.az(f"storage share policy show --name p {where}").json, {"permission": "rl"})
        token = self.share("generate-sas --name sss --policy-name p").json
        path = f"http://{self.emulator.ready['plain']}/acct/sss/a.txt?{token}"
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(path) as answer:
            self.assertEqual(answer.read(), b"hello\n")
        self.az(f"storage share policy update --name p --permissions l {where}")
        with self.assertRaises(urllib.error.HTTPError) as refused:
            opener.open(path)
        self.assertEqual(refused.exception.headers["x-ms-error-code"], "AuthorizationPermissionMismatch")
        refused.exception.close()
        self.az(f"storage share policy delete --name p {where}")
        self.assertEqual(self.az(f"storage share policy list {where}").json, {})

    # --- Many at a time

    def test_files_are_copied(self):
        self.assertHas(self.az(f"storage file copy start --source-share sss --source-path a.txt --destination-share sss "
                               f"--destination-path d/c.txt {ACCOUNT}").json, {"status": "success"})
        self.share("create --name other")
        copied = self.az(["storage", "file", "copy", "start-batch", "--source-share", "sss", "--destination-share", "other",
                          "--pattern", "d/*", *ACCOUNT.split()]).json
        self.assertEqual(sorted(copied), [f"{self.root}/other/d/{name}.txt" for name in "abc"])
        self.write("got/c", b"")
        self.az(f"storage file download --share-name other --path d/c.txt --dest got/c {ACCOUNT}")
        self.assertEqual((self.folder / "got/c").read_bytes(), b"hello\n")

    def test_a_tree_goes_up_and_comes_down(self):
        for name in ("tree/t/x.py", "tree/y.py", "tree/z.txt"):
            self.write(name, name.encode())
        self.az(f"storage file upload-batch --destination sss --source tree {ACCOUNT}")
        self.az(["storage", "file", "upload-batch", "--destination", "sss", "--destination-path", "d", "--source", "tree",
                 "--pattern", "*.py", *ACCOUNT.split()])
        self.assertEqual(self.names("d"), ["a.txt", "b.txt", "c.txt", "t", "y.py"])
        (self.folder / "down").mkdir()
        self.az(f"storage file download-batch --destination down --source sss {ACCOUNT}")
        found = sorted(str(path.relative_to(self.folder / "down")) for path in (self.folder / "down").rglob("*") if path.is_file())
        self.assertEqual(found, ["a.txt", "d/a.txt", "d/b.txt", "d/c.txt", "d/t/x.py", "d/y.py", "t/x.py", "y.py", "z.txt"])
        self.assertEqual((self.folder / "down/d/t/x.py").read_text(), "tree/t/x.py")
        self.az(["storage", "file", "delete-batch", "--source", "sss", "--pattern", "t/*", *ACCOUNT.split()])
        self.assertEqual(self.names("t"), [])
        self.assertEqual(self.names(), ["a.txt", "d", "t", "y.py", "z.txt"])

    # --- Snapshots

    def test_a_snapshot_keeps_what_was(self):
        when = self.share("snapshot --name sss").json["snapshot"]
        self.assertEqual(self.share("list --include-snapshots", "--query", "[?name=='sss'].snapshot").json, [when])
        self.write("a.txt", b"changed\n")
        self.file("upload --source a.txt")
        for options, content in ((["--snapshot", when], b"hello\n"), ([], b"changed\n")):
            self.write("got/then", b"")
            self.file("download --path a.txt --dest got/then", *options)
            self.assertEqual((self.folder / "got/then").read_bytes(), content)
        self.fails(f"storage share delete --name sss {ACCOUNT}", "ErrorCode:ShareHasSnapshots")
        self.assertEqual(self.share("delete --name sss --delete-snapshots include").json, {"deleted": True})
        self.assertEqual(self.share("list --query [].name").json, ["other"])

    def test_cors_and_metrics_belong_to_the_service(self):
        self.az(["storage", "cors", "add", "--services", "f", "--origins", "*", "--methods", "GET", *ACCOUNT.split()])
        self.assertHas(self.az(f"storage cors list --services f {ACCOUNT}").json, [{"AllowedMethods": "GET", "AllowedOrigins": "*"}])
        self.az(f"storage cors clear --services f {ACCOUNT}")
        self.assertEqual(self.az(f"storage cors list --services f {ACCOUNT}").json, [])
        self.assertEqual(self.az(f"storage metrics show --services f {ACCOUNT}").json["file"]["hour"]["enabled"], False)


class WithoutProxy(Case):
    """The address contains the account before an @, so az needs only its folder and the certificate in the environment."""

    form = ("--no-proxy",)

    def test_nothing_is_asked_of_a_proxy(self):
        self.assertFalse([name for name in self.environment if name.lower() in ("https_proxy", "http_proxy", "no_proxy")])

    def test_files_go_up_and_come_down(self):
        self.az("group create --name g --location eastus")
        for account in ("one", "two"):
            self.az(f"storage account create --name {account} --resource-group g --location eastus --sku Standard_LRS")
            self.assertEqual(self.az(f"storage share create --name sss --account-name {account}").json, {"created": True})
            (self.folder / account / "ä d").mkdir(parents=True)
            (self.folder / account / "ä d" / "f.txt").write_text(account)
            self.az(f"storage file upload-batch --destination sss --source {account} --account-name {account}")
        (self.folder / "down").mkdir()
        self.az("storage file download-batch --destination down --source sss --account-name two")
        self.assertEqual((self.folder / "down/ä d/f.txt").read_text(), "two")
        self.assertEqual(self.az("storage file exists --share-name sss --path 'ä d/f.txt' --account-name one").json, {"exists": True})
        self.assertEqual(self.az("storage share url --name sss --account-name one").json,
                         f"https://one.file.core.trainyard@{self.emulator.ready['userinfo']}/sss")

    def test_mistakes_are_told(self):
        self.missing("storage file show --share-name sss --path none --account-name one", "ErrorCode:ResourceNotFound")
        self.missing("storage share show --name none --account-name one", "ErrorCode:ShareNotFound")
        self.fails("storage share create --name BAD --account-name one", "ErrorCode:InvalidResourceName")
        self.fails("storage share list --account-name one --account-key c2VjcmV0", "ErrorCode:AuthenticationFailed")


if __name__ == "__main__":
    main()

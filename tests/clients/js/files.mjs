// Azure Files with @azure/storage-file-share. The environment variables FILES_URL, FILES_ACCOUNT and FILES_KEY set the address
// and the account; without them an account is made, and with FILES_BY_NAME it is found by its name, through the emulator's proxy.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { MiB, all, inAnHour, load, noise, openAccount, refused, tell } from "./support.mjs";

const files = load("@azure/storage-file-share");
const { FILES_ACCOUNT, FILES_BY_NAME, FILES_KEY, FILES_URL } = process.env;
const account = FILES_URL ? { name: FILES_ACCOUNT, key: FILES_KEY, url: FILES_URL } : await openAccount("js", "jsaccount");
if (FILES_BY_NAME)
  account.url = `https://${account.name}.file.core.windows.net`;
const credential = new files.StorageSharedKeyCredential(account.name, account.key);
const service = new files.ShareServiceClient(account.url, credential);
const share = service.getShareClient("myshare");
await share.create();
const root = share.rootDirectoryClient;
const md5 = (data) => createHash("md5").update(data).digest();
const names = (list) => list.map((one) => one.name);
const pages = (iterator, settings) => all(iterator.byPage(settings));
const sddl = "O:S-1-5-21-2127521184-1604012920-1887927527-21560751G:S-1-5-21-2127521184-1604012920-1887927527-513D:AI(A;ID;FA;;;SY)";

async function text(file, ...range) {
  return (await file.downloadToBuffer(...range)).toString();
}

async function upload(directory, name, content) {
  const file = directory.getFileClient(name);
  await file.uploadData(Buffer.from(content));
  return file;
}

const tests = {
  async "a share has a quota, a tier and metadata"() {
    const { shareClient: second } = await service.createShare("second", { quota: 10, metadata: { who: "me" } });
    await refused(second.create(), 409, "ShareAlreadyExists");
    assert.equal((await second.createIfNotExists()).succeeded, false);
    let properties = await second.getProperties();
    assert.deepEqual([properties.quota, properties.metadata, properties.protocols.smbEnabled], [10, { who: "me" }, true]);
    await second.setQuota(20);
    await second.setProperties({ accessTier: "Cool" });
    await second.setMetadata({ what: "this" });
    properties = await second.getProperties();
    assert.deepEqual([properties.quota, properties.accessTier, properties.metadata], [20, "Cool", { what: "this" }]);
    assert.equal((await second.getStatistics()).shareUsageBytes, 0);
    assert.equal(await second.exists(), true);
    await second.delete();
    assert.equal(await second.exists(), false);
    await refused(second.getProperties(), 404, "ShareNotFound");
    await refused(service.createShare("No_Share"), 400, "InvalidResourceName");
  },

  async "shares are listed in pages and by prefix"() {
    for (let i = 0; i < 5; i++)
      await service.createShare(`many-${i}`, { metadata: { number: String(i) } });
    const listed = await pages(service.listShares({ prefix: "many-", includeMetadata: true }), { maxPageSize: 2 });
    assert.deepEqual(listed.map((page) => page.shareItems.map((one) => [one.name, one.metadata.number])),
      [[["many-0", "0"], ["many-1", "1"]], [["many-2", "2"], ["many-3", "3"]], [["many-4", "4"]]]);
    const rest = await pages(service.listShares({ prefix: "many-" }), { continuationToken: listed[0].continuationToken });
    assert.deepEqual(names(rest[0].shareItems), ["many-2", "many-3", "many-4"]);
    for (let i = 0; i < 5; i++)
      await service.deleteShare(`many-${i}`);
    assert.deepEqual(names(await all(service.listShares())), ["myshare"]);
  },

  async "stored access policies and properties of the service"() {
    const policy = { id: "readers", accessPolicy: { permissions: "r", startsOn: new Date("2018-01-01"), expiresOn: inAnHour() } };
    await share.setAccessPolicy([policy]);
    const { signedIdentifiers } = await share.getAccessPolicy();
    assert.deepEqual(signedIdentifiers.map((one) => [one.id, one.accessPolicy.permissions]), [["readers", "r"]]);
    const file = await upload(root, "policy.txt", "for readers");
    const reader = new files.ShareFileClient(file.generateSasUrl({ identifier: "readers" }));
    assert.equal(await text(reader), "for readers");
    await share.setAccessPolicy([]);
    await refused(reader.getProperties(), 403, "AuthenticationFailed");

    await service.setProperties({ hourMetrics: { version: "1.0", enabled: true, includeAPIs: true, retentionPolicy: { enabled: true, days: 5 } },
      cors: [{ allowedOrigins: "https://example.com", allowedMethods: "GET", allowedHeaders: "", exposedHeaders: "", maxAgeInSeconds: 60 }],
      protocol: { smb: { multichannel: { enabled: false } } } });
    const properties = await service.getProperties();
    assert.deepEqual([properties.hourMetrics.enabled, properties.hourMetrics.retentionPolicy.days], [true, 5]);
    assert.deepEqual(properties.cors.map((one) => one.maxAgeInSeconds), [60]);
    assert.equal(properties.protocol.smb.multichannel.enabled, false);
  },

  async "a share and a file are leased"() {
    const { shareClient: leased } = await service.createShare("leased");
    const lease = leased.getShareLeaseClient();
    await lease.acquireLease(-1);
    assert.deepEqual((({ leaseState, leaseStatus, leaseDuration }) => [leaseState, leaseStatus, leaseDuration])(await leased.getProperties()),
      ["leased", "locked", "infinite"]);
    await refused(leased.delete(), 412, "LeaseIdMissing");
    await refused(leased.getShareLeaseClient().acquireLease(15), 409, "LeaseAlreadyPresent");
    // This client takes a share for a file where a lease is renewed, and sends nothing.
    await leased.delete({ leaseAccessConditions: { leaseId: lease.leaseId } });

    const file = await upload(root, "leased.txt", "first");
    const holder = file.getShareLeaseClient();
    await holder.acquireLease();
    await refused(file.uploadRange("other", 0, 5), 412, "LeaseIdMissing");
    await file.uploadRange("holds", 0, 5, { leaseAccessConditions: { leaseId: holder.leaseId } });
    assert.equal(await text(file), "holds");
    await holder.changeLease("aaaaaaaa-2222-3333-4444-555555555555");
    await file.getShareLeaseClient().breakLease();
    assert.equal((await file.getProperties()).leaseState, "broken");
    await file.delete();
  },

  async "a snapshot keeps what was there"() {
    const { shareClient: past } = await service.createShare("past");
    const file = await upload(past.rootDirectoryClient, "a.txt", "then");
    const { snapshot } = await past.createSnapshot({ metadata: { taken: "yes" } });
    await file.uploadData(Buffer.from("now, and longer"));
    assert.equal(await text(file.withShareSnapshot(snapshot)), "then");
    assert.deepEqual((await past.withSnapshot(snapshot).getProperties()).metadata, { taken: "yes" });
    const listed = await all(service.listShares({ prefix: "past", includeSnapshots: true }));
    assert.deepEqual(listed.map((one) => [one.name, one.snapshot]), [["past", snapshot], ["past", undefined]]);
    const difference = await file.getRangeListDiff(snapshot);
    assert.deepEqual(difference.ranges, [{ start: 0, end: 14 }]);
    await refused(past.delete(), 409, "ShareHasSnapshots");
    await past.delete({ deleteSnapshots: "include" });
  },

  async "permissions are kept in a share"() {
    const { filePermissionKey: key } = await share.createPermission(sddl);
    assert.equal((await share.getPermission(key)).permission, sddl);
    const file = root.getFileClient("guarded");
    await file.create(1, { filePermissionKey: key });
    assert.equal((await file.getProperties()).filePermissionKey, key);
  },

  async "a directory has properties and metadata"() {
    const directory = share.getDirectoryClient("Some Dir ü");
    await directory.create({ metadata: { depth: "1" } });
    await refused(directory.create(), 409, "ResourceAlreadyExists");
    assert.equal((await directory.createIfNotExists()).succeeded, false);
    await directory.setMetadata({ depth: "one" });
    await directory.setProperties({ fileAttributes: new files.FileSystemAttributes(), lastWriteTime: new Date("2018-07-18T17:45:00Z") });
    const properties = await directory.getProperties();
    assert.deepEqual(properties.metadata, { depth: "one" });
    assert.equal(+properties.fileLastWriteOn, +new Date("2018-07-18T17:45:00Z"));
    const { directoryClient: inner } = await directory.createSubdirectory("inner");
    await refused(directory.delete(), 409, "DirectoryNotEmpty");
    await inner.delete();
    assert.equal((await directory.deleteIfExists()).succeeded, true);
    assert.equal((await directory.deleteIfExists()).succeeded, false);
    assert.equal(await directory.exists(), false);
    await refused(share.createDirectory("no/where"), 404, "ParentNotFound");
  },

  async "a directory is listed in pages, by prefix, and with all that is known"() {
    const { directoryClient: directory } = await share.createDirectory("listed");
    const written = ["a&b 'c' %41.txt", "img-1", "img-2", "img-3", "late ü.txt"];
    for (const name of written)
      await upload(directory, name, name);
    await directory.createSubdirectory("img-dir");
    const everything = await all(directory.listFilesAndDirectories());
    assert.deepEqual(names(everything).sort(), [...written, "img-dir"].sort());
    assert.deepEqual(names(everything.filter((one) => one.kind === "directory")), ["img-dir"]);
    const listed = await pages(directory.listFilesAndDirectories({ prefix: "img-" }), { maxPageSize: 2 });
    assert.deepEqual(listed.map(({ segment }) => [names(segment.fileItems), names(segment.directoryItems)]),
      [[["img-1", "img-2"], []], [["img-3"], ["img-dir"]]]);
    const full = await all(directory.listFilesAndDirectories({ prefix: "img-1", includeExtendedInfo: true, includeTimestamps: true,
                                                               includeEtag: true, includeAttributes: true, includePermissionKey: true }));
    assert.equal(full[0].properties.contentLength, 5);
    assert.equal(full[0].properties.etag, (await directory.getFileClient("img-1").getProperties()).etag);
    assert.ok(full[0].fileId && full[0].permissionKey && full[0].properties.lastWriteTime);
    assert.deepEqual(await all(directory.listHandles({ recursive: true })), []);
    assert.equal((await directory.forceCloseAllHandles({ recursive: true })).closedHandlesCount, 0);
    await refused(all(share.getDirectoryClient("none").listFilesAndDirectories()), 404, "ResourceNotFound");
  },

  async "a file of several ranges goes up and comes down"() {
    const data = noise(9 * MiB + 17), file = root.getFileClient("big.bin");
    await file.uploadData(data, { concurrency: 4, metadata: { Kind: "noise" }, fileHttpHeaders: {
      fileContentType: "application/x-noise", fileContentMD5: md5(data), fileCacheControl: "no-store", fileContentLanguage: "en",
      fileContentDisposition: "attachment" } });
    const properties = await file.getProperties();
    assert.deepEqual([properties.contentLength, properties.contentType, properties.cacheControl, properties.contentLanguage,
                      properties.contentDisposition, properties.metadata],
    [data.length, "application/x-noise", "no-store", "en", "attachment", { kind: "noise" }]);
    assert.ok(md5(data).equals(Buffer.from(properties.contentMD5)));
    assert.ok(data.equals(await file.downloadToBuffer(0, undefined, { rangeSize: MiB, concurrency: 4 })));
    assert.ok(data.equals(await file.downloadToBuffer(undefined, undefined, { concurrency: 2 })));
    assert.ok(data.subarray(4 * MiB - 5, 4 * MiB + 5).equals(await file.downloadToBuffer(4 * MiB - 5, 10)));
    const checked = await file.download(0, MiB, { rangeGetContentMD5: true });
    assert.ok(md5(data.subarray(0, MiB)).equals(Buffer.from(checked.contentMD5)));
    checked.readableStreamBody.destroy();
    assert.deepEqual((await file.getRangeList()).rangeList, [{ start: 0, end: data.length - 1 }]);
  },

  async "files and streams of the machine go up and down"() {
    const folder = mkdtempSync(join(tmpdir(), "trainyard-js-"));
    try {
      const data = noise(5 * MiB + 1, 2), file = root.getFileClient("from disk");
      writeFileSync(join(folder, "up"), data);
      await file.uploadFile(join(folder, "up"), { rangeSize: 2 * MiB });
      await file.downloadToFile(join(folder, "down"));
      assert.ok(data.equals(readFileSync(join(folder, "down"))));
      await file.uploadStream(Readable.from([data.subarray(0, 1000), data.subarray(1000)]), data.length, MiB, 3);
      assert.ok(data.equals(await file.downloadToBuffer()));
      const empty = await upload(root, "empty", "");
      assert.equal((await empty.getProperties()).contentLength, 0);
      assert.equal(await text(empty), "");
    } finally {
      rmSync(folder, { recursive: true });
    }
  },

  async "an upload continues where it stopped"() {
    const data = noise(3 * MiB, 3), file = root.getFileClient("resumed");
    await file.create(data.length);
    for (const first of [2 * MiB, 0])
      await file.uploadRange(data.subarray(first, first + MiB), first, MiB, { contentMD5: md5(data.subarray(first, first + MiB)) });
    const holes = [{ start: 0, end: MiB - 1 }, { start: 2 * MiB, end: 3 * MiB - 1 }];
    assert.deepEqual((await file.getRangeList()).rangeList, holes);
    assert.deepEqual(await all(file.listRanges({ range: { offset: MiB, count: 2 * MiB } })),
      [{ ...holes[1], isClear: false }]);
    await file.uploadRange(data.subarray(MiB, 2 * MiB), MiB, MiB);
    assert.ok(data.equals(await file.downloadToBuffer()));
    await file.clearRange(MiB, MiB);
    assert.deepEqual((await file.getRangeList()).rangeList, holes);
    await file.resize(MiB + 10);
    assert.ok(Buffer.concat([data.subarray(0, MiB), Buffer.alloc(10)]).equals(await file.downloadToBuffer()));
    await refused(file.uploadRange("beyond", 2 * MiB, 6), 416, "InvalidRange");
    await refused(file.uploadRange("hello", 0, 5, { contentMD5: md5("other") }), 400, "Md5Mismatch");
  },

  async "headers, attributes and metadata of a file change"() {
    const file = await upload(root, "settings", "text"), before = await file.getProperties();
    await file.setHttpHeaders({ fileContentType: "text/plain" }, { fileAttributes: files.FileSystemAttributes.parse("ReadOnly") });
    await file.setMetadata({ one: "1" });
    const after = await file.getProperties();
    assert.deepEqual([after.contentType, after.metadata], ["text/plain", { one: "1" }]);
    assert.match(after.fileAttributes, /ReadOnly/);
    assert.notEqual(after.etag, before.etag);
    await refused(file.delete(), 409, "ReadOnlyAttribute");
    await file.setHttpHeaders({ fileContentType: "text/plain" }, { fileAttributes: files.FileSystemAttributes.parse("None") });
    await file.delete();
    assert.equal(await file.exists(), false);
    await refused(file.getProperties(), 404, "ResourceNotFound");
  },

  async "files are copied and filled from others"() {
    const data = noise(5 * MiB, 4), source = root.getFileClient("source"), copy = root.getFileClient("copy");
    await source.uploadData(data, { metadata: { kept: "yes" } });
    const started = await copy.startCopyFromURL(source.url);
    const properties = await copy.getProperties();
    assert.deepEqual([properties.copyStatus, properties.copyId, properties.copyProgress, properties.metadata],
      ["success", started.copyId, `${data.length}/${data.length}`, { kept: "yes" }]);
    assert.ok(data.equals(await copy.downloadToBuffer()));
    await refused(copy.abortCopyFromURL(started.copyId), 409, "NoPendingCopyOperation");
    const signed = source.generateSasUrl({ permissions: files.FileSASPermissions.parse("r"), expiresOn: inAnHour() });
    const filled = root.getFileClient("filled");
    await filled.create(100);
    await filled.uploadRangeFromURL(signed, 1000, 0, 100);
    assert.ok(data.subarray(1000, 1100).equals(await filled.downloadToBuffer()));
    await refused(copy.startCopyFromURL(`${source.url}-not`), 404, "CannotVerifyCopySource");
  },

  async "signed URLs open what they name"() {
    const file = await upload((await share.createDirectory("for anyone ü")).directoryClient, "a b.txt", "0123456789");
    const url = file.generateSasUrl({ permissions: files.FileSASPermissions.parse("r"), expiresOn: inAnHour(), contentType: "text/x-told" });
    assert.equal(await text(new files.ShareFileClient(url), 4, 3), "456");
    assert.equal((await new files.ShareFileClient(url).getProperties()).contentType, "text/x-told");
    await refused(new files.ShareFileClient(url).delete(), 403, "AuthorizationPermissionMismatch");
    await refused(new files.ShareFileClient(url.replace("sp=r", "sp=rd")).delete(), 403, "AuthenticationFailed");
    const late = file.generateSasUrl({ permissions: files.FileSASPermissions.parse("r"), expiresOn: new Date(Date.now() - 60e3) });
    await refused(new files.ShareFileClient(late).getProperties(), 403, "AuthenticationFailed");
    const whole = new files.ShareClient(share.generateSasUrl({ permissions: files.ShareSASPermissions.parse("rcwl"), expiresOn: inAnHour() }));
    assert.equal(await text(await upload(whole.rootDirectoryClient, "by sas", "signed")), "signed");
    assert.ok(names(await all(whole.rootDirectoryClient.listFilesAndDirectories())).includes("by sas"));
    const everything = new files.ShareServiceClient(service.generateAccountSasUrl(inAnHour(), files.AccountSASPermissions.parse("rwdlc"), "sco"));
    await everything.createShare("by-account-sas");
    assert.ok(names(await all(everything.listShares())).includes("by-account-sas"));
    await everything.deleteShare("by-account-sas");
    const objects = new files.ShareServiceClient(service.generateAccountSasUrl(inAnHour(), files.AccountSASPermissions.parse("r"), "o"));
    await refused(all(objects.listShares()), 403, "AuthorizationResourceTypeMismatch");
    await refused(objects.getShareClient("myshare").createFile("new", 1), 403, "AuthorizationPermissionMismatch");
  },

  async "a wrong key is refused, and a connection string is enough"() {
    const wrong = new files.StorageSharedKeyCredential(account.name, noise(64).toString("base64"));
    await refused(all(new files.ShareServiceClient(account.url, wrong).listShares()), 403, "AuthenticationFailed");
    const string = `DefaultEndpointsProtocol=https;AccountName=${account.name};AccountKey=${account.key};FileEndpoint=${account.url}`;
    assert.ok(names(await all(files.ShareServiceClient.fromConnectionString(string).listShares())).includes("myshare"));
  },

  async "what this version of the protocol has and the emulator has not is refused by its name"() {
    const contents = root.getFileClient("at once");
    await assert.rejects(contents.create(5, { content: Buffer.from("hello"), contentLength: 5 }), (error) => error.statusCode >= 400);
    assert.equal(await contents.exists(), false);
    await refused(root.getFileClient("link").createSymbolicLink("big.bin"), 501, "NotImplemented");
    await refused(service.undeleteShare("gone", "1"), 501, "NotImplemented");
  },
};

// Where accounts stand in the path this client leaves them out of the new name.
if (FILES_BY_NAME)
  tests["files and directories are renamed"] = async () => {
    const { directoryClient: directory } = await share.createDirectory("before");
    const file = await upload(directory, "one", "moves"), other = await upload(directory, "two", "stays");
    await refused(file.rename("before/two"), 409, "ResourceAlreadyExists");
    const { destinationFileClient: renamed } = await file.rename("before/two", { replaceIfExists: true });
    assert.equal(await text(renamed), "moves");
    assert.equal(await file.exists(), false);
    const { destinationDirectoryClient: moved } = await directory.rename("after");
    assert.equal(await text(moved.getFileClient(other.name)), "moves");
    assert.equal(await directory.exists(), false);
  };

await tell(tests);

// Azure Files with azure-storage, the client of 2018: callbacks, and a connection for each request. Address and account as in
// files.mjs.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MiB, inAnHour, load, noise, openAccount, refused, tell } from "./support.mjs";

const azure = load("azure-storage");
const { FILES_ACCOUNT, FILES_BY_NAME, FILES_KEY, FILES_URL } = process.env;
const account = FILES_URL ? { name: FILES_ACCOUNT, key: FILES_KEY, url: FILES_URL } : await openAccount("js", "oldaccount");
if (FILES_BY_NAME)
  account.url = `https://${account.name}.file.core.windows.net`;
const service = azure.createFileService(account.name, account.key, account.url);
const readOnly = { AccessPolicy: { Permissions: "r", Start: new Date("2018-01-01"), Expiry: inAnHour() } };
const md5 = (data) => createHash("md5").update(data).digest("base64");
const names = (list) => list.map((one) => one.name);

// service.METHOD(...) as a promise of its result.
const ask = (method, ...parameters) => by(service, method, ...parameters);
const by = (client, method, ...parameters) => new Promise((resolve, reject) =>
  client[method](...parameters, (error, result) => error ? reject(error) : resolve(result)));

await tell({
  async "a share has a quota and metadata"() {
    assert.equal((await ask("createShareIfNotExists", "old", { quota: 7, metadata: { who: "me" } })).created, true);
    assert.equal((await ask("createShareIfNotExists", "old")).created, false);
    await refused(ask("createShare", "old"), 409, "ShareAlreadyExists");
    const share = await ask("getShareProperties", "old");
    assert.deepEqual([share.quota, share.metadata], ["7", { who: "me" }]);
    await ask("setShareProperties", "old", { quota: 9 });
    await ask("setShareMetadata", "old", { what: "this" });
    assert.equal((await ask("getShareProperties", "old")).quota, "9");
    assert.deepEqual((await ask("getShareMetadata", "old")).metadata, { what: "this" });
    assert.equal((await ask("getShareStats", "old")).shareStats.shareUsage, "0");
  },

  async "shares are listed in pages and by prefix"() {
    for (let i = 0; i < 3; i++)
      await ask("createShare", `many-${i}`);
    const first = await ask("listSharesSegmentedWithPrefix", "many-", null, { maxResults: 2 });
    const second = await ask("listSharesSegmentedWithPrefix", "many-", first.continuationToken, { maxResults: 2 });
    assert.deepEqual([names(first.entries), names(second.entries)], [["many-0", "many-1"], ["many-2"]]);
    assert.equal(second.continuationToken, null);
    for (let i = 0; i < 3; i++)
      assert.equal(await ask("deleteShareIfExists", `many-${i}`), true);
    assert.equal(await ask("deleteShareIfExists", "many-0"), false);
    assert.equal((await ask("doesShareExist", "many-0")).exists, false);
  },

  async "directories and what is in them"() {
    await ask("createDirectory", "old", "dir", { metadata: { depth: "1" } });
    await ask("createDirectory", "old", "dir/inner");
    await refused(ask("createDirectory", "old", "dir"), 409, "ResourceAlreadyExists");
    await ask("setDirectoryMetadata", "old", "dir", { depth: "one" });
    assert.deepEqual((await ask("getDirectoryProperties", "old", "dir")).metadata, { depth: "one" });
    for (const name of ["a", "b", "c ü"])
      await ask("createFileFromText", "old", "dir", name, name);
    const all = await ask("listFilesAndDirectoriesSegmented", "old", "dir", null);
    assert.deepEqual([names(all.entries.files), names(all.entries.directories)], [["a", "b", "c ü"], ["inner"]]);
    const first = await ask("listFilesAndDirectoriesSegmentedWithPrefix", "old", "dir", "", null, { maxResults: 3 });
    const second = await ask("listFilesAndDirectoriesSegmentedWithPrefix", "old", "dir", "", first.continuationToken, { maxResults: 3 });
    assert.deepEqual([names(first.entries.files), names(second.entries.directories)], [["a", "b", "c ü"], ["inner"]]);
    await refused(ask("deleteDirectory", "old", "dir"), 409, "DirectoryNotEmpty");
    await ask("deleteDirectory", "old", "dir/inner");
    assert.equal((await ask("doesDirectoryExist", "old", "dir/inner")).exists, false);
  },

  async "a file of several ranges goes up and comes down"() {
    const folder = mkdtempSync(join(tmpdir(), "trainyard-js-"));
    try {
      const data = noise(9 * MiB + 17);
      writeFileSync(join(folder, "up"), data);
      await ask("createFileFromLocalFile", "old", "dir", "big", join(folder, "up"),
        { storeFileContentMD5: true, contentSettings: { contentType: "application/x-noise" }, metadata: { kind: "noise" } });
      const file = await ask("getFileProperties", "old", "dir", "big");
      assert.deepEqual([file.contentLength, file.contentSettings.contentType, file.contentSettings.contentMD5, file.metadata],
        [String(data.length), "application/x-noise", md5(data), { kind: "noise" }]);
      await ask("getFileToLocalFile", "old", "dir", "big", join(folder, "down"));
      assert.ok(data.equals(readFileSync(join(folder, "down"))));
      await ask("getFileToLocalFile", "old", "dir", "big", join(folder, "part"), { rangeStart: 4 * MiB - 5, rangeEnd: 4 * MiB + 4 });
      assert.ok(data.subarray(4 * MiB - 5, 4 * MiB + 5).equals(readFileSync(join(folder, "part"))));
      assert.deepEqual((await ask("listRanges", "old", "dir", "big")).map(({ start, end }) => [start, end]), [[0, data.length - 1]]);
      await ask("clearRange", "old", "dir", "big", 0, MiB - 1);
      assert.deepEqual((await ask("listRanges", "old", "dir", "big")).map(({ start, end }) => [start, end]), [[MiB, data.length - 1]]);
      await ask("resizeFile", "old", "dir", "big", 10);
      // The stored hash is that of the original whole file.
      await assert.rejects(ask("getFileToText", "old", "dir", "big"), /Hash mismatch/);
      assert.equal(await ask("getFileToText", "old", "dir", "big", { disableContentMD5Validation: true }), "\0".repeat(10));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },

  async "headers and metadata of a file change"() {
    await ask("setFileProperties", "old", "dir", "a", { contentType: "text/x-new", cacheControl: "no-store" });
    await ask("setFileMetadata", "old", "dir", "a", { one: "1" });
    const file = await ask("getFileProperties", "old", "dir", "a");
    assert.deepEqual([file.contentSettings.contentType, file.contentSettings.cacheControl, file.metadata], ["text/x-new", "no-store", { one: "1" }]);
    assert.equal(await ask("deleteFileIfExists", "old", "dir", "b"), true);
    assert.equal((await ask("doesFileExist", "old", "dir", "b")).exists, false);
    await refused(ask("getFileToText", "old", "dir", "b"), 404, "ResourceNotFound");
  },

  async "signed URLs and stored policies"() {
    const signature = service.generateSharedAccessSignature("old", "dir", "a", readOnly);
    const reader = azure.createFileServiceWithSas(account.url, signature);
    assert.equal(await by(reader, "getFileToText", "old", "dir", "a"), "a");
    await refused(by(reader, "deleteFile", "old", "dir", "a"), 403, "AuthorizationPermissionMismatch");
    await ask("setShareAcl", "old", { readers: readOnly.AccessPolicy });
    assert.deepEqual(Object.keys((await ask("getShareAcl", "old")).signedIdentifiers), ["readers"]);
    const stored = azure.createFileServiceWithSas(account.url, service.generateSharedAccessSignature("old", "dir", "a", { Id: "readers" }));
    assert.equal(await by(stored, "getFileToText", "old", "dir", "a"), "a");
    const wide = azure.generateAccountSharedAccessSignature(account.name, account.key,
      { AccessPolicy: { Services: "f", ResourceTypes: "sco", Permissions: "rl", Expiry: inAnHour() } });
    const lister = azure.createFileServiceWithSas(account.url, wide);
    assert.ok(names((await by(lister, "listSharesSegmented", null)).entries).includes("old"));
  },

  async "copies and snapshots"() {
    const signature = service.generateSharedAccessSignature("old", "dir", "a", readOnly);
    const copy = await ask("startCopyFile", service.getUrl("old", "dir", "a", signature), "old", "", "copy");
    assert.ok(copy.copy.id);
    assert.equal((await ask("getFileProperties", "old", "", "copy")).copy.status, "success");
    assert.equal(await ask("getFileToText", "old", "", "copy"), "a");
    const snapshot = await ask("createShareSnapshot", "old");
    await ask("deleteFile", "old", "", "copy");
    assert.equal(await ask("getFileToText", "old", "", "copy", { shareSnapshotId: snapshot }), "a");
    await refused(ask("deleteShare", "old"), 409, "ShareHasSnapshots");
    await ask("deleteShare", "old", { deleteSnapshots: azure.FileUtilities.ShareSnapshotDeleteOptions.SHARE_AND_SNAPSHOTS });
  },

  async "properties of the service, and a wrong key"() {
    await ask("setServiceProperties", { HourMetrics: { Version: "1.0", Enabled: true, IncludeAPIs: true, RetentionPolicy: { Enabled: true, Days: 3 } } });
    assert.equal((await ask("getServiceProperties")).HourMetrics.RetentionPolicy.Days, 3);
    const wrong = azure.createFileService(account.name, noise(64).toString("base64"), account.url);
    await refused(by(wrong, "listSharesSegmented", null), 403, "AuthenticationFailed");
  },
});

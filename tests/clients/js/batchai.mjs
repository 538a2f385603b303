// Batch AI with @azure/arm-batchai: from no workspace to no workspace.
import assert from "node:assert/strict";
import { arm, load, openAccount, ready, refused, runUntil, tell } from "./support.mjs";

const { BatchAIManagementClient } = load("@azure/arm-batchai");
const { ShareServiceClient, StorageSharedKeyCredential } = load("@azure/storage-file-share");
const token = { getToken: async () => ({ token: "some.bearer.token", expiresOnTimestamp: Date.now() + 3600e3 }) };
// Left alone this client asks every 30 s whether something is done, whatever the service says of it.
const ai = new BatchAIManagementClient(token, ready.subscription,
  { baseUri: `https://${ready.tls}`, longRunningOperationRetryTimeout: 0.1 });
const group = "JsGroup", dev = [group, "dev"], cifar = [...dev, "cifar"];
const mount = "$AZ_BATCHAI_JOB_MOUNT_ROOT/myshare";
const user = { adminUserName: "me", adminUserPassword: "a Secret 4 tests" };
const account = await openAccount(group, "jsaccount");
const share = (await new ShareServiceClient(account.url, new StorageSharedKeyCredential(account.name, account.key))
  .createShare("myshare")).shareClient;
const names = (list) => list.map((one) => one.name);

// Each toolkit: its member of a job, its word in the answer, its settings.
const toolkits = [
  ["cntkSettings", "cntk", { languageType: "BrainScript", configFilePath: `${mount}/a.cntk`, processCount: 1 }],
  ["pyTorchSettings", "pytorch", { pythonScriptFilePath: `${mount}/a.py`, communicationBackend: "gloo" }],
  ["tensorFlowSettings", "tensorflow", { pythonScriptFilePath: `${mount}/a.py`, masterCommandLineArgs: "--master" }],
  ["caffeSettings", "caffe", { pythonScriptFilePath: `${mount}/a.py` }],
  ["caffe2Settings", "caffe2", { pythonScriptFilePath: `${mount}/a.py`, commandLineArgs: "-x" }],
  ["chainerSettings", "chainer", { pythonScriptFilePath: `${mount}/a.py` }],
  ["customToolkitSettings", "custom", { commandLine: "echo a line; sleep 60" }],
  ["customMpiSettings", "custommpi", { commandLine: "echo mpi", processCount: 1 }],
  ["horovodSettings", "horovod", { pythonScriptFilePath: `${mount}/a.py`, processCount: 1 }],
];

const wanted = async (members) => ({
  nodeCount: 1, stdOutErrPathPrefix: mount, cluster: { id: (await ai.clusters.get(...dev, "gpu")).id },
  mountVolumes: { azureFileShares: [{ accountName: account.name, azureFileUrl: `https://${account.name}.file.core.windows.net/myshare`,
                                      credentials: { accountKey: account.key }, relativeMountPath: "myshare" }] },
  ...members,
});
const job = async (name, members) => ai.jobs.create(...cifar, name, await wanted(members));

await tell({
  async "workspaces"() {
    const workspace = await ai.workspaces.create(...dev, { location: "eastus", tags: { a: "b" } });
    assert.equal(workspace.type, "Microsoft.BatchAI/workspaces");
    assert.equal(workspace.provisioningState, "succeeded");
    assert.ok(workspace.creationTime instanceof Date);
    await ai.workspaces.create(group, "more", { location: "eastus" });
    assert.deepEqual((await ai.workspaces.update(...dev, { tags: { c: "d" } })).tags, { c: "d" });
    assert.deepEqual((await ai.workspaces.get(...dev)).tags, { c: "d" });
    assert.deepEqual(names(await ai.workspaces.list()).sort(), ["dev", "more"]);
    const first = await ai.workspaces.listByResourceGroup(group, { workspacesListByResourceGroupOptions: { maxResults: 1 } });
    const second = await ai.workspaces.listByResourceGroupNext(first.nextLink);
    assert.deepEqual([...names(first), ...names(second)].sort(), ["dev", "more"]);
    assert.equal(second.nextLink, undefined);
    await ai.workspaces.deleteMethod(group, "more");
    await refused(ai.workspaces.get(group, "more"), 404, "WorkspaceNotFound");
    await refused(ai.workspaces.create("nosuch", "dev", { location: "eastus" }), 404, "ResourceGroupNotFound");
  },

  async "experiments"() {
    assert.equal((await ai.experiments.create(...cifar)).name, "cifar");
    await ai.experiments.create(...dev, "second");
    assert.deepEqual(names(await ai.experiments.listByWorkspace(...dev)).sort(), ["cifar", "second"]);
    assert.equal((await ai.experiments.get(...cifar)).provisioningState, "succeeded");
    await ai.experiments.deleteMethod(...dev, "second");
    await refused(ai.experiments.get(...dev, "second"), 404, "ExperimentNotFound");
  },

  async "a cluster comes, changes its size, and shows its nodes"() {
    const cluster = await ai.clusters.create(...dev, "gpu",
      { vmSize: "STANDARD_NC6", vmPriority: "dedicated", scaleSettings: { manual: { targetNodeCount: 1 } }, userAccountSettings: user });
    assert.equal(cluster.provisioningState, "succeeded");
    assert.equal(cluster.userAccountSettings.adminUserPassword, undefined);
    await runUntil("cluster gpu ready");
    assert.equal((await ai.clusters.get(...dev, "gpu")).nodeStateCounts.idleNodeCount, 1);
    const scaled = await ai.clusters.update(...dev, "gpu", { scaleSettings: { autoScale: { minimumNodeCount: 1, maximumNodeCount: 3 } } });
    assert.deepEqual(scaled.scaleSettings, { autoScale: { minimumNodeCount: 1, maximumNodeCount: 3, initialNodeCount: 0 } });
    const resized = await ai.clusters.update(...dev, "gpu", { scaleSettings: { manual: { targetNodeCount: 2 } } });
    assert.equal(resized.scaleSettings.manual.targetNodeCount, 2);
    await runUntil("cluster gpu ready");
    const steady = await ai.clusters.get(...dev, "gpu");
    assert.deepEqual([steady.allocationState, steady.currentNodeCount], ["steady", 2]);
    const logins = await ai.clusters.listRemoteLoginInformation(...dev, "gpu");
    assert.equal(new Set(logins.map((one) => one.nodeId)).size, 2);
    assert.ok(logins.every((one) => one.ipAddress && one.port));
  },

  async "clusters are listed, counted and deleted"() {
    await ai.clusters.create(...dev, "low", { vmSize: "standard_nc6", vmPriority: "lowpriority", userAccountSettings: user,
                                              scaleSettings: { manual: { targetNodeCount: 0 } } });
    assert.deepEqual(names(await ai.clusters.listByWorkspace(...dev)).sort(), ["gpu", "low"]);
    const usages = await ai.usages.list("eastus");
    assert.equal(usages.find((one) => one.name.value === "Clusters").currentValue, 2);
    await ai.clusters.deleteMethod(...dev, "low");
    await refused(ai.clusters.get(...dev, "low"), 404, "ClusterNotFound");
    await refused(ai.clusters.create(...dev, "never", { vmSize: "STANDARD_NOTHING", userAccountSettings: user,
                                                        scaleSettings: { manual: { targetNodeCount: 0 } } }), 400, "InvalidRequestContent");
  },

  async "a job runs, and its files are listed and read"() {
    const made = await job("first", { nodeCount: 2, customToolkitSettings: { commandLine: "echo $GREETING; sleep 60" },
      environmentVariables: [{ name: "GREETING", value: "hello" }], secrets: [{ name: "TOKEN", value: "secret value" }],
      constraints: { maxWallClockTime: "PT3H" }, jobPreparation: { commandLine: "echo prepared" } });
    assert.deepEqual([made.toolType, made.constraints.maxWallClockTime], ["custom", "PT3H"]);
    assert.deepEqual(made.secrets, [{ name: "TOKEN" }]);
    await runUntil("job first running");
    assert.equal((await ai.jobs.listRemoteLoginInformation(...cifar, "first")).length, 2);
    await runUntil("job first completed");
    const done = await ai.jobs.get(...cifar, "first");
    assert.deepEqual([done.executionState, done.executionInfo.exitCode], ["succeeded", 0]);
    assert.ok(done.executionInfo.endTime - done.executionInfo.startTime >= 60e3);
    const files = await ai.jobs.listOutputFiles(...cifar, "first", { outputdirectoryid: "stdouterr" });
    const stdout = files.find((one) => one.name === "stdout.txt");
    assert.deepEqual([stdout.fileType, stdout.contentLength], ["file", 6]);
    assert.equal(await (await fetch(stdout.downloadUrl)).text(), "hello\n");
    let page = await ai.jobs.listOutputFiles(...cifar, "first", { outputdirectoryid: "stdouterr", maxResults: 1 });
    const seen = names(page);
    for (; page.nextLink; seen.push(...names(page)))
      page = await ai.jobs.listOutputFilesNext(page.nextLink);
    assert.deepEqual(seen, names(files));
    const onShare = share.getDirectoryClient(`${done.jobOutputDirectoryPathSegment}/stdouterr`).getFileClient("stdout.txt");
    assert.equal((await onShare.downloadToBuffer()).toString(), "hello\n");
    await refused(ai.jobs.listOutputFiles(...cifar, "first", { outputdirectoryid: "nosuch" }), 404, "OutputDirectoryNotFound");
  },

  async "a job of each toolkit"() {
    for (const [member, word, settings] of toolkits) {
      const made = await job(`with-${word}`, { [member]: settings });
      assert.equal(made.toolType, word);
      for (const [name, value] of Object.entries(settings))
        assert.equal(made[member][name], value, `${word}.${name}`);
    }
    for (const [, word] of toolkits) {
      await runUntil(`job with-${word} completed`);
      const done = await ai.jobs.get(...cifar, `with-${word}`);
      assert.deepEqual([done.executionState, done.executionInfo.exitCode], ["succeeded", 0], word);
    }
    const first = await ai.jobs.listByExperiment(...cifar, { jobsListByExperimentOptions: { maxResults: 7 } });
    const second = await ai.jobs.listByExperimentNext(first.nextLink);
    assert.deepEqual([first.length, second.length, second.nextLink], [7, 3, undefined]);
  },

  async "a job is terminated and deleted"() {
    await job("long", { customToolkitSettings: { commandLine: "sleep 100000" } });
    await runUntil("job long running");
    await ai.jobs.terminate(...cifar, "long");
    await runUntil("job long completed");
    assert.equal((await ai.jobs.get(...cifar, "long")).executionState, "failed");
    await ai.jobs.deleteMethod(...cifar, "long");
    await refused(ai.jobs.get(...cifar, "long"), 404, "JobNotFound");
    await refused(job("first", { customToolkitSettings: { commandLine: "echo" } }), 409, "Conflict");
    await refused(job("never", {}), 400, "InvalidRequestContent");
  },

  async "file servers"() {
    const server = await ai.fileServers.create(...dev, "nfs", { vmSize: "STANDARD_D1", sshConfiguration: { userAccountSettings: user },
      dataDisks: { diskSizeInGB: 100, diskCount: 2, storageAccountType: "Standard_LRS" } });
    assert.deepEqual([server.name, server.provisioningState, server.dataDisks.cachingType], ["nfs", "succeeded", "none"]);
    assert.ok(server.mountSettings.mountPoint && server.mountSettings.fileServerPublicIP);
    assert.equal((await ai.fileServers.get(...dev, "nfs")).id, server.id);
    assert.deepEqual(names(await ai.fileServers.listByWorkspace(...dev)), ["nfs"]);
    await ai.fileServers.deleteMethod(...dev, "nfs");
    await refused(ai.fileServers.get(...dev, "nfs"), 404, "FileServerNotFound");
  },

  async "the operations of the provider"() {
    assert.ok(names(await ai.operations.list()).includes("Microsoft.BatchAI/workspaces/clusters/read"));
  },

  async "all goes with the workspace"() {
    await ai.clusters.deleteMethod(...dev, "gpu");
    await ai.workspaces.deleteMethod(...dev);
    assert.deepEqual(names(await ai.workspaces.list()), []);
    await refused(ai.jobs.get(...cifar, "first"), 404, "WorkspaceNotFound");
    await arm("DELETE", `resourceGroups/${group}`);
  },
});

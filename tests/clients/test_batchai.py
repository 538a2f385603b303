"""az batchai beyond the tutorial: every command, its tables, and what it says of mistakes."""
import json

from support import Case, main, run_az

WORKSPACE = "--resource-group g --workspace w"
EXPERIMENT = f"{WORKSPACE} --experiment e"
MOUNT = "--storage-account-name acct --afs-name sss --afs-mount-path out"
PROVIDER = "/subscriptions/{subscriptionId}/resourceGroups/g/providers/Microsoft.BatchAI"


class Batchai(Case):
    """On a clock that jumps to what a client waits for."""

    @classmethod
    def prepare(cls):
        cls.az("group create --name g --location eastus")
        cls.az("storage account create --name acct --resource-group g --location eastus --sku Standard_LRS")
        cls.az("storage share create --name sss --account-name acct")

    def cluster(self, name, options, **expected):
        return self.az(f"batchai cluster create {WORKSPACE} --name {name} --user-name me --password Secret-1 {options}", **expected)

    def job(self, name, command, nodes=1):
        """A job of a command line, whose output goes to the share."""
        (self.folder / "job.json").write_text(json.dumps({"properties": {
            "nodeCount": nodes, "customToolkitSettings": {"commandLine": command},
            "stdOutErrPathPrefix": "$AZ_BATCHAI_JOB_MOUNT_ROOT/out"}}))
        return self.az(f"batchai job create {EXPERIMENT} --name {name} --cluster c --config-file job.json {MOUNT}").json

    def rest(self, method, path, body=None):
        """az rest: what az itself has no command for, or one that fails."""
        more = ["--body", json.dumps(body)] if body else []
        return self.az(["rest", "--method", method, "--uri", f"{PROVIDER}{path}?api-version=2018-05-01", *more])

    # --- Workspaces and experiments

    def test_workspaces_and_experiments_are_made_shown_and_listed(self):
        workspace = self.az("batchai workspace create --resource-group g --workspace w").json
        self.assertHas(workspace, {"name": "w", "location": "eastus", "provisioningState": "succeeded", "resourceGroup": "g",
                                   "type": "Microsoft.BatchAI/workspaces"})
        experiment = self.az(f"batchai experiment create {WORKSPACE} --name e").json
        self.assertHas(experiment, {"name": "e", "provisioningState": "succeeded", "type": "Microsoft.BatchAI/workspaces/experiments"})
        row = {"Name": "w", "Resource Group": "g", "Location": "eastus", "State": "succeeded"}
        self.assertEqual(self.az("batchai workspace show --resource-group g --workspace w --output table").rows, [row])
        self.assertEqual(self.az("batchai workspace list --output table").rows, [row])
        self.assertEqual(self.az("batchai workspace list --resource-group g").json, [workspace])
        row = {"Name": "e", "Resource Group": "g", "Workspace": "w", "State": "succeeded"}
        self.assertEqual(self.az(f"batchai experiment show {WORKSPACE} --name e --output table").rows, [row])
        self.assertEqual(self.az(f"batchai experiment list {WORKSPACE} --output table").rows, [row])

    def test_mistakes_with_workspaces_and_experiments_are_told(self):
        self.missing("batchai workspace create --resource-group none --workspace w", "(ResourceGroupNotFound)")
        self.fails("batchai workspace create --resource-group g --workspace w --location westus2",
                   "The resource 'w' already exists in location 'eastus' in resource group 'g'.")
        self.fails("batchai workspace create --resource-group g --workspace bad.name", "'bad.name' is invalid")
        self.missing("batchai workspace show --resource-group g --workspace none", "The specified workspace none is not found")
        self.missing("batchai experiment create --resource-group g --workspace none --name e", "The specified workspace none is not found")
        self.missing(f"batchai experiment show {WORKSPACE} --name none", "The specified experiment none is not found")

    # --- Clusters

    def row(self, name, **counts):
        return {"Name": name, "Resource Group": "g", "Workspace": "w", "VM Size": "STANDARD_NC6", "State": "steady", "Idle": "0",
                "Running": "0", "Preparing": "0", "Leaving": "0", "Unusable": "0", **counts}

    def test_a_cluster_is_made_with_mounts_and_a_task_and_is_ready_when_asked_for(self):
        made = self.cluster("c", f"--vm-size standard_nc6 --target 2 {MOUNT} --image UbuntuLTS --setup-task 'echo ready' "
                            "--setup-task-output $AZ_BATCHAI_MOUNT_ROOT/out")
        self.assertHas(made.json, {
            "name": "c", "vmSize": "STANDARD_NC6", "vmPriority": "dedicated", "provisioningState": "succeeded",
            "scaleSettings": {"manual": {"targetNodeCount": 2, "nodeDeallocationOption": "requeue"}},
            "userAccountSettings": {"adminUserName": "me", "adminUserPassword": None},
            "virtualMachineConfiguration": {"imageReference": {"publisher": "Canonical", "offer": "UbuntuServer", "version": "latest"}},
            "nodeSetup": {"mountVolumes": {"azureFileShares": [{
                "accountName": "acct", "azureFileUrl": "https://acct.file.core.windows.net/sss", "relativeMountPath": "out",
                "fileMode": "0777", "directoryMode": "0777"}]}}})
        self.assertNotIn("Secret-1", made.stdout + self.emulator.log())
        for _ in range(6):  # each look is at what comes next
            row = self.az(f"batchai cluster show {WORKSPACE} --name c --output table").rows[0]
            if row["Idle"] == "2":
                break
        self.assertEqual(row, self.row("c", Idle="2"))
        self.assertEqual(self.az(f"batchai cluster list {WORKSPACE} --output table").rows, [row])
        nodes = self.az(f"batchai cluster node list {WORKSPACE} --cluster c --output table").rows
        self.assertEqual([(node["IP"], node["SSH Port"]) for node in nodes], [("127.0.0.1", "50000"), ("127.0.0.1", "50001")])
        files = self.az(f"batchai cluster file list {WORKSPACE} --cluster c --output table").rows
        self.assertEqual({file["Name"]: file["Size"] for file in files},
                         {f"{stream}-{node['ID']}.txt": size for node in nodes for stream, size in (("stdout", "6"), ("stderr", "0"))})

    def test_a_cluster_is_resized(self):
        self.az(f"batchai cluster resize {WORKSPACE} --name c --target 3")
        self.emulator.run_until("cluster c ready")
        self.assertEqual(self.az(f"batchai cluster show {WORKSPACE} --name c --query currentNodeCount").json, 3)
        self.az(f"batchai cluster resize {WORKSPACE} --name c --target 2")
        self.emulator.run_until("cluster c steady")
        self.assertEqual(self.az(f"batchai cluster show {WORKSPACE} --name c --output table").rows, [self.row("c", Idle="2")])

    def test_a_cluster_scales_by_itself(self):
        made = self.cluster("auto", "--vm-size Standard_NC6 --vm-priority lowpriority --min 0 --max 1").json
        auto = {"minimumNodeCount": 0, "maximumNodeCount": 1, "initialNodeCount": 0}
        self.assertHas(made, {"vmPriority": "lowpriority", "scaleSettings": {"autoScale": auto, "manual": None}})
        # `cluster auto-scale` of az 2.45 calls its library with arguments of an older version, and fails before it sends a
        # request.
        self.emulator.run_until("cluster auto steady")
        result = run_az(f"batchai cluster auto-scale {WORKSPACE} --name auto --min 0 --max 2", self.folder, self.environment)
        self.assertEqual((result.status, self.requests("PATCH.*clusters/auto")), (1, []), result)
        auto["maximumNodeCount"] = 2
        self.rest("patch", "/workspaces/w/clusters/auto", {"properties": {"scaleSettings": {"autoScale": auto}}})
        self.assertHas(self.az(f"batchai cluster show {WORKSPACE} --name auto --query scaleSettings").json, {"autoScale": auto})
        told = self.rest("get", "/workspaces/w/clusters/auto").json
        self.assertEqual(self.rest("put", "/workspaces/w/clusters/auto", told).json, told)
        self.assertEqual(self.rest("patch", "/workspaces/w/clusters/auto", told).json, told)
        self.az(f"batchai cluster delete {WORKSPACE} --name auto --yes")
        self.missing(f"batchai cluster show {WORKSPACE} --name auto", "The specified cluster auto is not found")

    def test_a_configuration_file_says_what_options_do_not(self):
        (self.folder / "cluster.json").write_text(json.dumps({"properties": {
            "vmSize": "STANDARD_D1", "scaleSettings": {"manual": {"targetNodeCount": 0, "nodeDeallocationOption": "terminate"}},
            "nodeSetup": {"setupTask": {"commandLine": "true", "stdOutErrPathPrefix": "$AZ_BATCHAI_MOUNT_ROOT/out",
                                        "environmentVariables": [{"name": "A", "value": "b"}],
                                        "secrets": [{"name": "KEY", "value": "do-not-tell"}]}}}}))
        made = self.cluster("file", f"--config-file cluster.json {MOUNT}")
        self.assertHas(made.json, {"vmSize": "STANDARD_D1", "scaleSettings": {"manual": {"nodeDeallocationOption": "terminate"}},
                                   "nodeSetup": {"setupTask": {"environmentVariables": [{"name": "A", "value": "b"}],
                                                               "secrets": [{"name": "KEY", "value": None}]}}})
        self.assertNotIn("do-not-tell", self.emulator.log())
        self.az(f"batchai cluster delete {WORKSPACE} --name file --yes --no-wait")

    def test_a_quota_that_is_reached_leaves_a_cluster_that_says_so(self):
        self.cluster("quota", "--vm-size Standard_NC6 --target 4")  # 2 of 4 fit into 24 cores with the other cluster
        self.emulator.run_until("cluster quota steady")
        errors = self.az(f"batchai cluster show {WORKSPACE} --name quota --query errors").json
        self.assertEqual([error["code"] for error in errors], ["AccountCoreQuotaReached"])
        self.assertIn("24 of 24 dedicated cores", errors[0]["message"])
        usages = {row["Value"]: row for row in self.az("batchai list-usages --location eastus --output table").rows}
        self.assertEqual(usages["Standard NC Family Cluster Dedicated vCPUs"],
                         {"Value": "Standard NC Family Cluster Dedicated vCPUs", "Usage": "24", "Limit": "24"})
        self.az(f"batchai cluster delete {WORKSPACE} --name quota --yes")

    def test_mistakes_with_clusters_are_told(self):
        create = f"batchai cluster create {WORKSPACE} --user-name me --password Secret-1"
        self.fails(f"{create} --name c --vm-size Standard_NC6 --target 1", '"c" already exists in "g"')
        self.fails(f"{create} --name new --vm-size Standard_NC7 --target 1", 'unknown VM size "Standard_NC7"; did you mean "Standard_NC6"?')
        self.fails(f"{create} --name new --vm-size Standard_NC6 --target 200", "200 nodes, but a cluster has at most 100")
        self.fails(f"{create} --name bad.name --vm-size Standard_NC6 --target 1", "The name 'bad.name' is invalid")
        self.missing("batchai cluster create --resource-group g --workspace none --name new --user-name me --password Secret-1 "
                     "--vm-size Standard_NC6 --target 1", "The specified workspace none is not found")
        self.missing(f"batchai cluster resize {WORKSPACE} --name none --target 1", "The specified cluster none is not found")
        self.missing(f"batchai cluster node list {WORKSPACE} --cluster none", "The specified cluster none is not found")
        self.assertEqual(self.az(f"batchai cluster list {WORKSPACE} --query [].name").json, ["c"])

    # --- Jobs

    def test_a_job_runs_and_its_output_can_be_read(self):
        self.assertHas(self.job("j", "echo hello; sleep 60; echo you"), {
            "name": "j", "nodeCount": 1, "toolType": "custom", "schedulingPriority": "normal", "provisioningState": "succeeded",
            "constraints": {"maxWallClockTime": "7 days, 0:00:00"},
            "mountVolumes": {"azureFileShares": [{"accountName": "acct", "relativeMountPath": "out"}]}})
        self.emulator.run_until("job j completed")
        result = self.az(f"batchai job wait {EXPERIMENT} --name j")
        self.assertIn("Job state: succeeded", result.stderr)
        row = {"Name": "j", "Cluster": "c", "Cluster RG": "g", "Cluster Workspace": "w", "Tool": "custom", "Nodes": "1",
               "State": "succeeded", "Exit code": "0"}
        self.assertEqual(self.az(f"batchai job show {EXPERIMENT} --name j --output table").rows, [row])
        self.assertEqual(self.az(f"batchai job list {EXPERIMENT} --output table").rows, [row])
        files = self.az(f"batchai job file list {EXPERIMENT} --job j --output table").rows
        self.assertEqual([(file["Name"], file["Type"]) for file in files],
                         [("execution.log", "file"), ("stderr.txt", "file"), ("stdout.txt", "file")])
        self.assertEqual(files[2]["Size"], "10")
        self.assertEqual(self.az(f"batchai job file stream {EXPERIMENT} --job j --file-name stdout.txt").stdout, "hello\nyou\n")
        self.assertIn("not found for the completed job",
                      self.az(f"batchai job file stream {EXPERIMENT} --job j --file-name none").stderr)
        self.assertEqual(self.az(f"batchai job node list {EXPERIMENT} --job j").json, [])

    def test_a_stream_has_all_of_a_job_however_time_jumps(self):
        self.job("jump", "echo begin; sleep 90000; echo end")
        self.assertEqual(self.az(f"batchai job file stream {EXPERIMENT} --job jump --file-name stdout.txt").stdout, "begin\nend\n")

    def test_a_job_that_fails_gives_its_exit_code_to_whoever_waits(self):
        self.job("bad", "echo oh; exit 3")
        self.emulator.run_until("job bad completed")
        result = self.az(f"batchai job wait {EXPERIMENT} --name bad", status=3)
        self.assertIn("Job failed with exit code 3", result.stderr)
        self.assertIn("Job failed with non-zero exit code", result.stderr)

    def test_jobs_wait_for_nodes_and_can_be_ended(self):
        self.emulator.rate("x60")
        self.job("long", "sleep 100000", nodes=2)
        self.job("next", "true", nodes=2)
        self.emulator.run_until("job long started")
        self.assertEqual(len(self.az(f"batchai job node list {EXPERIMENT} --job long --output table").rows), 2)
        self.assertEqual(self.az(f"batchai cluster show {WORKSPACE} --name c --output table").rows, [self.row("c", Running="2")])
        self.assertHas(self.az(f"batchai job show {EXPERIMENT} --name next").json, {"executionState": "queued", "executionInfo": None})
        self.emulator.rate("auto")
        self.az(f"batchai job terminate {EXPERIMENT} --name next --yes")
        self.az(f"batchai job terminate {EXPERIMENT} --name long --yes")
        for name in ("next", "long"):
            # The service returns no exit code for such a job. az fails on that, and then ends with 0.
            self.assertIn("The specified job has been terminated by the user", 
                          self.az(f"batchai job wait {EXPERIMENT} --name {name}", may_warn=True).stderr)
            ended = self.az(f"batchai job show {EXPERIMENT} --name {name}").json["executionInfo"]
            self.assertIsNone(ended["exitCode"])
            self.assertEqual(ended["errors"][0]["code"], "JobTerminated")

    def test_mistakes_with_jobs_are_told(self):
        create = f"batchai job create {EXPERIMENT} --config-file job.json"
        self.fails(f"{create} --name j --cluster c {MOUNT}", "A job with given name, experiment, workspace and resource group already exists.")
        self.missing(f"{create} --name new --cluster none", "The specified cluster none is not found")
        self.fails(f"{create} --name bad.name --cluster c {MOUNT}", "The name 'bad.name' is invalid")
        self.missing(f"batchai job create {WORKSPACE} --experiment none --name new --cluster c --config-file job.json {MOUNT}",
                     "The specified experiment none is not found")
        (self.folder / "two.json").write_text(json.dumps({"properties": {
            "nodeCount": 1, "customToolkitSettings": {"commandLine": "true"}, "horovodSettings": {"pythonScriptFilePath": "x.py"},
            "stdOutErrPathPrefix": "$AZ_BATCHAI_JOB_MOUNT_ROOT/out"}}))
        self.fails(f"batchai job create {EXPERIMENT} --config-file two.json --name new --cluster c {MOUNT}", "a job has one toolkit")
        self.missing(f"batchai job show {EXPERIMENT} --name none", "The specified job none is not found")
        self.missing(f"batchai job terminate {EXPERIMENT} --name none --yes", "The specified job none is not found")
        self.missing(f"batchai job file list {EXPERIMENT} --job j --output-directory-id none",
                     "The specified outputDirectoryId none is not found")

    # --- File servers

    def test_file_servers_are_listed(self):
        self.rest("put", "/workspaces/w/fileServers/nfs", {"properties": {
            "vmSize": "Standard_D1", "sshConfiguration": {"userAccountSettings": {"adminUserName": "me", "adminUserPassword": "Secret-1"}},
            "dataDisks": {"diskSizeInGB": 10, "diskCount": 2, "storageAccountType": "Standard_LRS"}}})
        self.emulator.advance("30m")
        self.assertHas(self.az(f"batchai file-server list {WORKSPACE}").json, [{
            "name": "nfs", "vmSize": "STANDARD_D1", "provisioningState": "succeeded", "mountSettings": {"mountPoint": "/data"},
            "dataDisks": {"diskSizeInGb": 10, "diskCount": 2, "storageAccountType": "Standard_LRS"}}])
        rows = self.az(f"batchai file-server list {WORKSPACE} --output table").rows
        self.assertEqual((rows[0]["Name"], rows[0]["Disks"]), ("nfs", "2 x 10 Gb"))
        self.rest("delete", "/workspaces/w/fileServers/nfs")
        self.emulator.advance("30m")
        self.assertEqual(self.az(f"batchai file-server list {WORKSPACE}").json, [])

    # --- The end

    def test_what_is_deleted_takes_with_it_what_it_holds(self):
        self.az(f"batchai job delete {EXPERIMENT} --name bad --yes")
        self.assertEqual(sorted(self.az(f"batchai job list {EXPERIMENT} --query [].name").json), ["j", "jump", "long", "next"])
        self.az(f"batchai experiment delete {WORKSPACE} --name e --yes")
        self.missing(f"batchai job list {EXPERIMENT}", "The specified experiment e is not found")
        self.az("batchai workspace delete --resource-group g --workspace w --yes")
        self.az("batchai workspace delete --resource-group g --workspace w --yes")
        self.assertEqual(self.az("batchai workspace list").json, [])
        self.assertTrue(self.az("storage file list --share-name sss --account-name acct").json, "files stay")


if __name__ == "__main__":
    main()

"""The Resource Manager and Batch AI with Microsoft's clients for Python, unmodified: azure.mgmt.resource, azure.mgmt.storage and
azure.mgmt.batchai with its sibling for asyncio (Debian package python3-azure), logged in as their users are: by
DefaultAzureCredential. Azure Files are in test_python_files.py.
"""
import asyncio
import logging
import os
import time
import urllib.request
from datetime import timedelta

from support import Case, main

try:
    import aiohttp  # noqa: F401, what azure.core's transport for asyncio needs
    from azure.core.credentials import AccessToken
    from azure.core.exceptions import (ClientAuthenticationError, HttpResponseError, ResourceExistsError,
                                       ResourceNotFoundError)
    from azure.identity import DefaultAzureCredential
    from azure.mgmt.batchai import BatchAI
    from azure.mgmt.batchai import models as ai
    from azure.mgmt.batchai.aio import BatchAI as AsyncBatchAI
    from azure.mgmt.resource import ResourceManagementClient, SubscriptionClient
    from azure.mgmt.storage import StorageManagementClient
    from azure.storage.fileshare import ShareServiceClient
except ImportError as missing:
    print(f"skipped: {missing} (Debian packages python3-azure, python3-azure-storage)")
    raise SystemExit(77) from None  # the exit code of a skipped test for CTest

GROUP, WORKSPACE, EXPERIMENT = "SdkGroup", "dev", "cifar"
PLACE = GROUP, WORKSPACE
MOUNT = "$AZ_BATCHAI_JOB_MOUNT_ROOT/myshare"
USER = ai.UserAccountSettings(admin_user_name="me", admin_user_password="a Secret 4 tests")
# Each toolkit: its member of a job, its word in the answer, its settings.
TOOLKITS = [
    ("cntk_settings", "cntk", ai.CNTKsettings(language_type="BrainScript", config_file_path=f"{MOUNT}/a.cntk", process_count=1)),
    ("py_torch_settings", "pytorch", ai.PyTorchSettings(python_script_file_path=f"{MOUNT}/a.py", communication_backend="gloo")),
    ("tensor_flow_settings", "tensorflow",
     ai.TensorFlowSettings(python_script_file_path=f"{MOUNT}/a.py", master_command_line_args="--master")),
    ("caffe_settings", "caffe", ai.CaffeSettings(python_script_file_path=f"{MOUNT}/a.py")),
    ("caffe2_settings", "caffe2", ai.Caffe2Settings(python_script_file_path=f"{MOUNT}/a.py", command_line_args="-x")),
    ("chainer_settings", "chainer", ai.ChainerSettings(python_script_file_path=f"{MOUNT}/a.py")),
    ("custom_toolkit_settings", "custom", ai.CustomToolkitSettings(command_line="echo a line; sleep 60")),
    ("custom_mpi_settings", "custommpi", ai.CustomMpiSettings(command_line="echo mpi", process_count=1)),
    ("horovod_settings", "horovod", ai.HorovodSettings(python_script_file_path=f"{MOUNT}/a.py", process_count=1)),
]


class AnyToken:
    """The emulator takes any; this one says nothing."""

    def get_token(self, *_scopes, **_options):
        return AccessToken("some.bearer.token", int(time.time()) + 3600)


class Management(Case):
    """From an empty subscription to an empty subscription."""

    @classmethod
    def prepare(cls):
        cls.saved_environment = dict(os.environ)
        os.environ.update(cls.environment)
        logging.getLogger("azure.identity").setLevel(logging.ERROR)
        cls.url = f"https://{cls.emulator.ready['tls']}"
        cls.subscription = cls.emulator.ready["subscription"]
        # Of its many ways to log in, the managed identity alone leads somewhere here.
        where = DefaultAzureCredential(exclude_cli_credential=True, exclude_powershell_credential=True), cls.subscription
        cls.groups = ResourceManagementClient(*where, base_url=cls.url).resource_groups
        cls.resources = ResourceManagementClient(*where, base_url=cls.url)
        cls.accounts = StorageManagementClient(*where, base_url=cls.url).storage_accounts
        cls.ai = BatchAI(*where, base_url=cls.url)

    @classmethod
    def tearDownClass(cls):
        os.environ.clear()
        os.environ.update(cls.saved_environment)
        super().tearDownClass()

    def refused(self, kind, code, call, *arguments, **options):
        """The SDK's exception, with the service's code."""
        with self.assertRaises(kind) as caught:
            call(*arguments, **options)
        self.assertEqual(caught.exception.error.code, code, caught.exception)
        return caught.exception

    def names(self, listed):
        return [one.name for one in listed]

    # --- Around Batch AI ---

    def test_the_subscription_is_there(self):
        client = SubscriptionClient(AnyToken(), base_url=self.url)
        self.assertEqual([one.subscription_id for one in client.subscriptions.list()], [self.subscription])
        self.assertEqual(client.subscriptions.get(self.subscription).state, "Enabled")
        self.assertIn("eastus", self.names(client.subscriptions.list_locations(self.subscription)))
        self.assertEqual([one.tenant_id for one in client.tenants.list()], [self.emulator.ready["tenant"]])
        self.refused(ResourceNotFoundError, "SubscriptionNotFound", client.subscriptions.get,
                     "11111111-1111-1111-1111-111111111111")
        self.assertEqual(self.resources.providers.register("Microsoft.BatchAI").registration_state, "Registered")
        self.assertIn("Microsoft.BatchAI", [one.namespace for one in self.resources.providers.list()])
        self.assertEqual(self.resources.providers.get("Microsoft.BatchAI").registration_state, "Registered")

    def test_a_group_is_created_tagged_and_listed(self):
        group = self.groups.create_or_update(GROUP, {"location": "eastus", "tags": {"a": "b"}})
        self.assertEqual((group.name, group.location, group.tags), (GROUP, "eastus", {"a": "b"}))
        self.assertEqual(self.groups.get(GROUP.lower()).id, group.id)
        self.assertEqual(self.groups.update(GROUP, {"tags": {"c": "d"}}).tags, {"c": "d"})
        self.assertTrue(self.groups.check_existence(GROUP))
        self.assertFalse(self.groups.check_existence("nosuch"))
        self.assertEqual(self.names(self.groups.list()), [GROUP])
        self.assertEqual(self.names(self.groups.list(filter="tagName eq 'c' and tagValue eq 'd'")), [GROUP])
        self.refused(ResourceNotFoundError, "ResourceGroupNotFound", self.groups.get, "nosuch")
        self.refused(ResourceExistsError, "InvalidResourceGroupLocation", self.groups.create_or_update, GROUP,
                     {"location": "westus2"})

    def test_a_storage_account_and_its_keys(self):
        wanted = {"sku": {"name": "Standard_LRS"}, "kind": "StorageV2", "location": "eastus"}
        account = self.accounts.begin_create(GROUP, "sdkaccount", wanted).result()
        self.assertEqual((account.name, account.sku.name, account.provisioning_state), ("sdkaccount", "Standard_LRS", "Succeeded"))
        taken = self.accounts.check_name_availability({"name": "sdkaccount", "type": "Microsoft.Storage/storageAccounts"})
        self.assertEqual((taken.name_available, taken.reason), (False, "AlreadyExists"))
        free = self.accounts.check_name_availability({"name": "another", "type": "Microsoft.Storage/storageAccounts"})
        self.assertTrue(free.name_available)
        self.assertEqual(self.accounts.get_properties(GROUP, "sdkaccount").id, account.id)
        self.assertEqual(self.accounts.update(GROUP, "sdkaccount", {"tags": {"x": "y"}}).tags, {"x": "y"})
        self.assertEqual(self.names(self.accounts.list()), ["sdkaccount"])
        self.assertEqual(self.names(self.accounts.list_by_resource_group(GROUP)), ["sdkaccount"])
        before = [key.value for key in self.accounts.list_keys(GROUP, "sdkaccount").keys]
        after = [key.value for key in self.accounts.regenerate_key(GROUP, "sdkaccount", {"key_name": "key1"}).keys]
        self.assertNotEqual(before[0], after[0])
        self.assertEqual(before[1], after[1])
        url = account.primary_endpoints.file
        with self.assertRaises(ClientAuthenticationError):
            ShareServiceClient(url, {"account_name": "sdkaccount", "account_key": before[0]}).create_share("myshare")
        type(self).key = after[0]
        type(self).files = ShareServiceClient(url, {"account_name": "sdkaccount", "account_key": after[0]})
        self.files.create_share("myshare").get_file_client("a.py").upload_file(b"print('hello')\n")
        wrong = self.accounts.check_name_availability({"name": "No-Account", "type": "Microsoft.Storage/storageAccounts"})
        self.assertEqual((wrong.name_available, wrong.reason), (False, "AccountNameInvalid"))
        self.refused(ResourceNotFoundError, "ResourceNotFound", self.accounts.get_properties, GROUP, "nosuch")
        self.assertEqual({one.type for one in self.resources.resources.list_by_resource_group(GROUP)},
                         {"Microsoft.Storage/storageAccounts"})

    def test_workspaces(self):
        create = self.ai.workspaces.begin_create
        workspace = create(*PLACE, ai.WorkspaceCreateParameters(location="eastus", tags={"a": "b"})).result()
        self.assertEqual((workspace.name, workspace.type, workspace.location, workspace.tags),
                         (WORKSPACE, "Microsoft.BatchAI/workspaces", "eastus", {"a": "b"}))
        self.assertEqual(workspace.provisioning_state, "succeeded")
        for number in range(3):
            create(GROUP, f"more-{number}", ai.WorkspaceCreateParameters(location="eastus")).result()
        all_names = [WORKSPACE, "more-0", "more-1", "more-2"]
        self.assertEqual(sorted(self.names(self.ai.workspaces.list())), all_names)
        pages = self.ai.workspaces.list_by_resource_group(GROUP, ai.WorkspacesListByResourceGroupOptions(max_results=3)).by_page()
        self.assertEqual([len(list(page)) for page in pages], [3, 1])
        self.assertEqual(self.ai.workspaces.update(*PLACE, ai.WorkspaceUpdateParameters(tags={"c": "d"})).tags, {"c": "d"})
        self.assertEqual(self.ai.workspaces.get(*PLACE).tags, {"c": "d"})
        for number in range(3):
            self.ai.workspaces.begin_delete(GROUP, f"more-{number}").result()
        self.assertEqual(self.names(self.ai.workspaces.list()), [WORKSPACE])
        self.refused(ResourceNotFoundError, "WorkspaceNotFound", self.ai.workspaces.get, GROUP, "more-0")
        self.refused(ResourceNotFoundError, "ResourceGroupNotFound", create, "nosuch", WORKSPACE,
                     ai.WorkspaceCreateParameters(location="eastus"))

    def test_experiments(self):
        experiment = self.ai.experiments.begin_create(*PLACE, EXPERIMENT).result()
        self.assertEqual((experiment.name, experiment.type), (EXPERIMENT, "Microsoft.BatchAI/workspaces/experiments"))
        self.ai.experiments.begin_create(*PLACE, "second").result()
        self.assertEqual(sorted(self.names(self.ai.experiments.list_by_workspace(*PLACE))), [EXPERIMENT, "second"])
        self.assertEqual(self.ai.experiments.get(*PLACE, "second").provisioning_state, "succeeded")
        self.ai.experiments.begin_delete(*PLACE, "second").result()
        self.refused(ResourceNotFoundError, "ExperimentNotFound", self.ai.experiments.get, *PLACE, "second")

    # --- Clusters ---

    def cluster(self, name, **members):
        wanted = ai.ClusterCreateParameters(vm_size="STANDARD_NC6", user_account_settings=USER, **members)
        return self.ai.clusters.begin_create(*PLACE, name, wanted).result()

    def ready(self, name):
        self.emulator.run_until(f"cluster {name} ready")
        return self.ai.clusters.get(*PLACE, name)

    def test_a_cluster_is_created_and_its_nodes_come(self):
        setup = ai.NodeSetup(
            setup_task=ai.SetupTask(command_line="echo set up", std_out_err_path_prefix="$AZ_BATCHAI_MOUNT_ROOT/share",
                                    environment_variables=[ai.EnvironmentVariable(name="A", value="b")],
                                    secrets=[ai.EnvironmentVariableWithSecretValue(name="S", value="secret value")]),
            mount_volumes=ai.MountVolumes(azure_file_shares=[self.share("share")]))
        cluster = self.cluster("gpu", vm_priority="dedicated", node_setup=setup,
                               scale_settings=ai.ScaleSettings(manual=ai.ManualScaleSettings(target_node_count=2)))
        self.assertEqual((cluster.vm_size, cluster.vm_priority, cluster.provisioning_state),
                         ("STANDARD_NC6", "dedicated", "succeeded"))
        self.assertIsNone(cluster.user_account_settings.admin_user_password)
        self.assertIsNone(cluster.node_setup.mount_volumes.azure_file_shares[0].credentials.account_key)
        self.assertEqual([(one.name, one.value) for one in cluster.node_setup.setup_task.secrets], [("S", None)])
        self.assertEqual([(one.name, one.value) for one in cluster.node_setup.setup_task.environment_variables], [("A", "b")])
        cluster = self.ready("gpu")
        counts = cluster.node_state_counts
        self.assertEqual((cluster.allocation_state, cluster.current_node_count, counts.idle_node_count), ("steady", 2, 2))
        self.assertEqual((counts.running_node_count, counts.preparing_node_count, counts.unusable_node_count,
                          counts.leaving_node_count), (0, 0, 0, 0))
        logins = list(self.ai.clusters.list_remote_login_information(*PLACE, "gpu"))
        self.assertEqual(len({one.node_id for one in logins}), 2)
        self.assertTrue(all(one.ip_address and one.port for one in logins))

    def test_a_cluster_is_resized_and_scaled(self):
        def update(**settings):
            return self.ai.clusters.update(*PLACE, "gpu", ai.ClusterUpdateParameters(scale_settings=ai.ScaleSettings(**settings)))
        resized = update(manual=ai.ManualScaleSettings(target_node_count=3, node_deallocation_option="terminate"))
        # As the service did: the new settings with the old state, and the new state to the next request.
        self.assertEqual((resized.allocation_state, resized.scale_settings.manual.target_node_count), ("steady", 3))
        self.assertEqual(self.ai.clusters.get(*PLACE, "gpu").allocation_state, "resizing")
        self.assertEqual(self.ready("gpu").current_node_count, 3)
        scaled = update(auto_scale=ai.AutoScaleSettings(minimum_node_count=1, maximum_node_count=2))
        self.assertIsNone(scaled.scale_settings.manual)
        self.assertEqual((scaled.scale_settings.auto_scale.minimum_node_count, scaled.scale_settings.auto_scale.maximum_node_count),
                         (1, 2))
        self.emulator.advance("2h")
        self.assertEqual(self.ai.clusters.get(*PLACE, "gpu").current_node_count, 1)
        update(manual=ai.ManualScaleSettings(target_node_count=2))
        self.assertEqual(self.ready("gpu").node_state_counts.idle_node_count, 2)

    def test_clusters_are_listed_and_deleted(self):
        low = self.cluster("low", vm_priority="lowpriority",
                           scale_settings=ai.ScaleSettings(auto_scale=ai.AutoScaleSettings(minimum_node_count=0, maximum_node_count=1)))
        self.assertEqual(low.vm_priority, "lowpriority")
        self.assertEqual(sorted(self.names(self.ai.clusters.list_by_workspace(*PLACE))), ["gpu", "low"])
        usages = {one.name.value: one for one in self.ai.usages.list("eastus")}
        self.assertEqual(usages["Clusters"].current_value, 2)
        self.assertTrue(all(one.limit >= one.current_value and one.name.localized_value for one in usages.values()))
        self.ai.clusters.begin_delete(*PLACE, "low").result()
        self.refused(ResourceNotFoundError, "ClusterNotFound", self.ai.clusters.get, *PLACE, "low")
        self.ai.clusters.begin_delete(*PLACE, "low").result()  # what is not there is deleted already

    def test_clusters_that_cannot_be_are_refused(self):
        manual = ai.ScaleSettings(manual=ai.ManualScaleSettings(target_node_count=1))
        both = ai.ScaleSettings(manual=manual.manual, auto_scale=ai.AutoScaleSettings(minimum_node_count=0, maximum_node_count=1))
        for members in ({"vm_size": "STANDARD_NOTHING", "scale_settings": manual}, {"vm_size": "STANDARD_NC6", "scale_settings": both},
                        {"vm_size": "STANDARD_NC6", "scale_settings": ai.ScaleSettings()},
                        {"vm_size": "STANDARD_NC6", "scale_settings": manual, "vm_priority": "urgent"}):
            wanted = ai.ClusterCreateParameters(user_account_settings=USER, **members)
            with self.subTest(members=members), self.assertRaises(HttpResponseError) as caught:
                self.ai.clusters.begin_create(*PLACE, "never", wanted)
            self.assertEqual(caught.exception.status_code, 400)
            self.assertTrue(caught.exception.error.code and caught.exception.error.message)
        self.refused(ResourceNotFoundError, "WorkspaceNotFound", self.ai.clusters.begin_create, GROUP, "nosuch", "never",
                     ai.ClusterCreateParameters(vm_size="STANDARD_NC6", scale_settings=manual, user_account_settings=USER))

    # --- Jobs ---

    def share(self, mounted):
        return ai.AzureFileShareReference(
            account_name="sdkaccount", azure_file_url="https://sdkaccount.file.core.windows.net/myshare",
            credentials=ai.AzureStorageCredentialsInfo(account_key=self.key), relative_mount_path=mounted)

    def wanted(self, **members):
        wanted = {"node_count": 1, "std_out_err_path_prefix": MOUNT,
                  "cluster": ai.ResourceId(id=self.ai.clusters.get(*PLACE, "gpu").id),
                  "mount_volumes": ai.MountVolumes(azure_file_shares=[self.share("myshare")])}
        wanted.update(members)
        return ai.JobCreateParameters(**wanted)

    def job(self, name, **members):
        return self.ai.jobs.begin_create(*PLACE, EXPERIMENT, name, self.wanted(**members)).result()

    def get(self, name):
        return self.ai.jobs.get(*PLACE, EXPERIMENT, name)

    def output(self, name, **options):
        options = ai.JobsListOutputFilesOptions(**{"outputdirectoryid": "stdouterr", **options})
        return self.ai.jobs.list_output_files(*PLACE, EXPERIMENT, name, options)

    def fetch(self, url):
        return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url).read()

    def test_a_job_runs_and_its_files_are_listed(self):
        job = self.job("first", node_count=2, scheduling_priority="high",
                       custom_toolkit_settings=ai.CustomToolkitSettings(
                           command_line="echo $GREETING; echo model > $AZ_BATCHAI_OUTPUT_MODEL/m.txt; sleep 600"),
                       environment_variables=[ai.EnvironmentVariable(name="GREETING", value="hello")],
                       secrets=[ai.EnvironmentVariableWithSecretValue(name="TOKEN", value="secret value")],
                       input_directories=[ai.InputDirectory(id="DATA", path=f"{MOUNT}/data")],
                       output_directories=[ai.OutputDirectory(id="MODEL", path_prefix=MOUNT, path_suffix="Models")],
                       job_preparation=ai.JobPreparation(command_line="echo prepared"),
                       container_settings=ai.ContainerSettings(
                           image_source_registry=ai.ImageSourceRegistry(image="tensorflow/tensorflow:1.8.0-gpu")),
                       constraints=ai.JobBasePropertiesConstraints(max_wall_clock_time=timedelta(hours=3)))
        self.assertEqual((job.tool_type, job.node_count, job.scheduling_priority, job.provisioning_state),
                         ("custom", 2, "high", "succeeded"))
        self.assertEqual(job.constraints.max_wall_clock_time, timedelta(hours=3))
        self.assertEqual([(one.name, one.value) for one in job.secrets], [("TOKEN", None)])
        self.emulator.run_until("job first running")
        self.assertEqual(self.ai.clusters.get(*PLACE, "gpu").node_state_counts.running_node_count, 2)
        logins = list(self.ai.jobs.list_remote_login_information(*PLACE, EXPERIMENT, "first"))
        self.assertEqual(len(logins), 2)
        running = self.get("first")  # moves time to the job's next change, its end
        self.assertEqual((running.execution_state, running.execution_info.exit_code), ("running", None))
        self.emulator.run_until("job first completed")
        done = self.get("first")
        self.assertEqual((done.execution_state, done.execution_info.exit_code, done.execution_info.errors), ("succeeded", 0, None))
        self.assertGreaterEqual(done.execution_info.end_time - done.execution_info.start_time, timedelta(minutes=10))
        files = {one.name: one for one in self.output("first")}
        self.assertLess({"stdout.txt", "stderr.txt"}, set(files))
        self.assertEqual(files["stdout.txt"].file_type, "file")
        self.assertEqual(files["stdout.txt"].content_length, 6)
        self.assertEqual(self.fetch(files["stdout.txt"].download_url), b"hello\n")
        self.assertEqual([(one.name, self.fetch(one.download_url)) for one in self.output("first", outputdirectoryid="MODEL")],
                         [("m.txt", b"model\n")])
        pages = list(map(list, self.output("first", max_results=1).by_page()))
        self.assertEqual([one.name for page in pages for one in page], list(files))
        self.assertTrue(all(len(page) == 1 for page in pages))
        path = f"{done.job_output_directory_path_segment}/stdouterr/stdout.txt"
        self.assertEqual(self.files.get_share_client("myshare").get_file_client(path).download_file().readall(), b"hello\n")
        self.refused(ResourceNotFoundError, "OutputDirectoryNotFound", list, self.output("first", outputdirectoryid="nosuch"))

    def test_a_job_of_each_toolkit(self):
        for member, word, settings in TOOLKITS:
            job = self.job(f"with-{word}", **{member: settings})
            self.assertEqual(job.tool_type, word)
            sent, kept = settings.as_dict(), getattr(job, member).as_dict()
            self.assertEqual({name: kept.get(name) for name in sent}, sent, word)
        for _, word, _ in TOOLKITS:
            self.emulator.run_until(f"job with-{word} completed")
            job = self.get(f"with-{word}")
            self.assertEqual((job.execution_state, job.execution_info.exit_code), ("succeeded", 0), word)
        listed = self.ai.jobs.list_by_experiment(*PLACE, EXPERIMENT, ai.JobsListByExperimentOptions(max_results=4)).by_page()
        pages = [self.names(page) for page in listed]
        self.assertEqual([len(page) for page in pages], [4, 4, 2])
        self.assertEqual(sorted(sum(pages, [])), sorted(["first", *(f"with-{word}" for _, word, _ in TOOLKITS)]))

    def test_a_job_that_fails_says_why(self):
        self.job("fails", custom_toolkit_settings=ai.CustomToolkitSettings(command_line="echo oh no >&2; exit 3"))
        self.emulator.run_until("job fails completed")
        failed = self.get("fails")
        self.assertEqual((failed.execution_state, failed.execution_info.exit_code), ("failed", 3))
        self.assertTrue(failed.execution_info.errors[0].code and failed.execution_info.errors[0].message)

    def test_a_job_is_terminated_and_deleted(self):
        self.job("long", custom_toolkit_settings=ai.CustomToolkitSettings(command_line="sleep 100000"))
        self.emulator.run_until("job long running")
        self.ai.jobs.begin_terminate(*PLACE, EXPERIMENT, "long").result()
        self.emulator.run_until("job long completed")
        ended = self.get("long")
        self.assertEqual(ended.execution_state, "failed")
        self.assertIsNotNone(ended.execution_info.end_time)
        self.ai.jobs.begin_delete(*PLACE, EXPERIMENT, "long").result()
        self.refused(ResourceNotFoundError, "JobNotFound", self.get, "long")

    def test_jobs_that_cannot_be_are_refused(self):
        echo = ai.CustomToolkitSettings(command_line="echo")
        no_cluster = self.ai.clusters.get(*PLACE, "gpu").id + "-not"
        for wanted in (self.wanted(), self.wanted(custom_toolkit_settings=echo, chainer_settings=TOOLKITS[5][2]),
                       self.wanted(custom_toolkit_settings=echo, node_count=0),
                       self.wanted(custom_toolkit_settings=echo, cluster=ai.ResourceId(id=no_cluster))):
            with self.subTest(wanted=wanted), self.assertRaises(HttpResponseError) as caught:
                self.ai.jobs.begin_create(*PLACE, EXPERIMENT, "never", wanted)
            self.assertIn(caught.exception.status_code, (400, 404))
            self.assertTrue(caught.exception.error.code and caught.exception.error.message)
        self.refused(ResourceExistsError, "Conflict", self.ai.jobs.begin_create, *PLACE, EXPERIMENT, "first",
                     self.wanted(custom_toolkit_settings=echo))
        self.refused(ResourceNotFoundError, "ExperimentNotFound", self.ai.jobs.begin_create, *PLACE, "nosuch", "never",
                     self.wanted(custom_toolkit_settings=echo))

    # --- The rest ---

    def test_file_servers(self):
        wanted = ai.FileServerCreateParameters(
            vm_size="STANDARD_D1", ssh_configuration=ai.SshConfiguration(user_account_settings=USER),
            data_disks=ai.DataDisks(disk_size_in_gb=100, disk_count=2, storage_account_type="Standard_LRS"))
        server = self.ai.file_servers.begin_create(*PLACE, "nfs", wanted).result()
        self.assertEqual((server.name, server.provisioning_state), ("nfs", "succeeded"))
        self.assertEqual((server.data_disks.disk_count, server.data_disks.caching_type), (2, "none"))
        self.assertTrue(server.mount_settings.mount_point and server.mount_settings.file_server_internal_ip)
        self.assertIsNone(server.ssh_configuration.user_account_settings.admin_user_password)
        self.assertEqual(self.names(self.ai.file_servers.list_by_workspace(*PLACE)), ["nfs"])

    def test_the_operations_of_the_provider(self):
        names = self.names(self.ai.operations.list())
        self.assertIn("Microsoft.BatchAI/workspaces/clusters/read", names)
        self.assertTrue(all(one.display.operation for one in self.ai.operations.list()))

    def test_a_service_that_is_busy_is_asked_again(self):
        for rule in ({"do": "api.error", "status": 429, "retry_after": "1s"}, {"do": "api.error", "status": 503}, {"do": "api.reset"}):
            self.emulator.ask("faults", {**rule, "path": "*workspaces*", "method": "GET", "count": 1})
            self.assertEqual(self.ai.workspaces.get(*PLACE).name, WORKSPACE)
            self.assertEqual(self.emulator.ask("faults")["rules"][-1]["struck"], 1, rule)

    def test_the_client_for_asyncio(self):
        class Token:
            async def get_token(self, *_scopes, **_options):
                return AccessToken("some.bearer.token", int(time.time()) + 3600)

        async def story():
            async with AsyncBatchAI(Token(), self.subscription, base_url=self.url) as client:
                poller = await client.workspaces.begin_create(GROUP, "async", ai.WorkspaceCreateParameters(location="eastus"))
                self.assertEqual((await poller.result()).name, "async")
                self.assertIn("async", [one.name async for one in client.workspaces.list()])
                await (await client.workspaces.begin_delete(GROUP, "async")).result()
                with self.assertRaises(ResourceNotFoundError) as caught:
                    await client.workspaces.get(GROUP, "async")
                self.assertEqual(caught.exception.error.code, "WorkspaceNotFound")
        asyncio.run(story())

    def test_all_goes_with_the_group(self):
        self.ai.clusters.begin_delete(*PLACE, "gpu").result()
        self.groups.begin_delete(GROUP).result()
        self.assertFalse(self.groups.check_existence(GROUP))
        self.assertEqual(list(self.ai.workspaces.list()), [])
        self.assertEqual(list(self.accounts.list()), [])
        self.refused(ResourceNotFoundError, "ResourceGroupNotFound", self.groups.begin_delete, GROUP)
        for secret in (self.key, "a Secret 4 tests", "secret value", "some.bearer.token"):
            self.assertNotIn(secret, self.emulator.log())


if __name__ == "__main__":
    main()

"""A user's test of a training on Batch AI with Microsoft's SDK. In a shell of `trainyard az-env` the emulator answers; an hour of
training takes milliseconds."""
import json
import subprocess

import pytest
from azure.identity import DefaultAzureCredential
from azure.mgmt.batchai import BatchAI, models
from azure.mgmt.resource import ResourceManagementClient

GROUP, WORKSPACE, EXPERIMENT = "ci", "dev", "nightly"


@pytest.fixture(scope="module")
def clients():
    """The clients of the account that az-env shows, with the emulator as their cloud."""
    account = json.loads(subprocess.check_output(["az", "account", "show"]))
    cloud = json.loads(subprocess.check_output(["az", "cloud", "show"]))
    url = cloud["endpoints"]["resourceManager"]
    where = {"base_url": url, "credential_scopes": [url.rstrip("/") + "/.default"]}
    credential = DefaultAzureCredential()
    resources = ResourceManagementClient(credential, account["id"], **where)
    resources.resource_groups.create_or_update(GROUP, {"location": "eastus"})
    batchai = BatchAI(credential, account["id"], **where)
    batchai.workspaces.begin_create(GROUP, WORKSPACE, models.WorkspaceCreateParameters(location="eastus")).result()
    batchai.experiments.begin_create(GROUP, WORKSPACE, EXPERIMENT).result()
    batchai.clusters.begin_create(GROUP, WORKSPACE, "gpu", models.ClusterCreateParameters(
        vm_size="STANDARD_NC6",
        scale_settings=models.ScaleSettings(manual=models.ManualScaleSettings(target_node_count=2)),
        user_account_settings=models.UserAccountSettings(admin_user_name="me", admin_user_password="a Secret 4 tests"))).result()
    yield batchai
    resources.resource_groups.begin_delete(GROUP).result()


def run(batchai, name, command_line):
    cluster = batchai.clusters.get(GROUP, WORKSPACE, "gpu")
    return batchai.jobs.begin_create(GROUP, WORKSPACE, EXPERIMENT, name, models.JobCreateParameters(
        cluster=models.ResourceId(id=cluster.id), node_count=2, std_out_err_path_prefix="$AZ_BATCHAI_MOUNT_ROOT",
        custom_toolkit_settings=models.CustomToolkitSettings(command_line=command_line))).result()


def wait(batchai, name):
    while True:
        job = batchai.jobs.get(GROUP, WORKSPACE, EXPERIMENT, name)
        if job.execution_state in ("succeeded", "failed"):
            return job


def test_a_training_succeeds(clients):
    run(clients, "train", "sleep 3600; echo done")
    job = wait(clients, "train")
    assert job.execution_state == "succeeded"
    info = job.execution_info
    assert 3600 <= (info.end_time - info.start_time).total_seconds() < 4200


def test_a_training_that_fails_is_noticed(clients):
    run(clients, "broken", "sleep 60; exit 3")
    job = wait(clients, "broken")
    assert job.execution_state == "failed"
    assert job.execution_info.exit_code == 3

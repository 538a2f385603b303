"""A user's tests of code that meets failures of the cloud. Each test has its own emulator (conftest.py)."""
import json
import urllib.request

import pytest
from azure.core.exceptions import HttpResponseError
from azure.identity import DefaultAzureCredential
from azure.mgmt.batchai import BatchAI, models
from azure.mgmt.resource import ResourceManagementClient

GROUP, WORKSPACE, EXPERIMENT = "ci", "dev", "nightly"


class Cloud:
    def __init__(self, emulator):
        self.plain, url = f"http://{emulator['plain']}", f"https://{emulator['tls']}"
        where = {"base_url": url, "credential_scopes": [url + "/.default"]}
        credential, subscription = DefaultAzureCredential(), emulator["subscription"]
        ResourceManagementClient(credential, subscription, **where).resource_groups.create_or_update(GROUP, {"location": "eastus"})
        self.batchai = BatchAI(credential, subscription, **where)
        self.batchai.workspaces.begin_create(GROUP, WORKSPACE, models.WorkspaceCreateParameters(location="eastus")).result()
        self.batchai.experiments.begin_create(GROUP, WORKSPACE, EXPERIMENT).result()

    def control(self, what, **body):
        """The emulator's own API; without a body it only asks, which moves no time."""
        data = json.dumps(body).encode() if body else None
        with urllib.request.urlopen(f"{self.plain}/trainyard/{what}", data, timeout=60) as answer:
            return json.load(answer)

    def make_cluster(self, nodes, priority="dedicated"):
        self.batchai.clusters.begin_create(GROUP, WORKSPACE, "gpu", models.ClusterCreateParameters(
            vm_size="STANDARD_NC6", vm_priority=priority,
            scale_settings=models.ScaleSettings(manual=models.ManualScaleSettings(target_node_count=nodes)),
            user_account_settings=models.UserAccountSettings(admin_user_name="me", admin_user_password="a Secret 4 tests"))).result()
        while True:
            cluster = self.batchai.clusters.get(GROUP, WORKSPACE, "gpu")
            if cluster.allocation_state == "steady":
                return cluster

    def submit(self, name):
        cluster = self.batchai.clusters.get(GROUP, WORKSPACE, "gpu")
        return self.batchai.jobs.begin_create(GROUP, WORKSPACE, EXPERIMENT, name, models.JobCreateParameters(
            cluster=models.ResourceId(id=cluster.id), node_count=2, std_out_err_path_prefix="$AZ_BATCHAI_MOUNT_ROOT",
            custom_toolkit_settings=models.CustomToolkitSettings(command_line="sleep 3600; echo done"))).result()

    def ended(self, name):
        while True:
            job = self.batchai.jobs.get(GROUP, WORKSPACE, EXPERIMENT, name)
            if job.execution_state in ("succeeded", "failed"):
                return job


@pytest.fixture
def cloud(emulator):
    return Cloud(emulator)


@pytest.mark.parametrize("fault, priority", [({"do": "node.crash", "recovery": "reboot", "duration": "10m"}, "dedicated"),
                                             ({"do": "node.preempt"}, "lowpriority")])
def test_a_job_that_loses_a_node_runs_again(cloud, fault, priority):
    cloud.make_cluster(2, priority)
    cloud.submit("train")
    cloud.control("clock", **{"do": "run-until", "until": "job train started + 20m"})
    cloud.control("faults", job="train", node=1, **fault)
    assert cloud.ended("train").execution_state == "succeeded"
    state = cloud.control("state")
    [job] = state["jobs"]
    assert job["attempts"] == 2
    assert job["ended_s"] - job["created_s"] > 4800  # the 20 minutes are lost
    assert 0.3 < state["cost"]["total_usd"] < 5


def test_a_cluster_beyond_the_quota_stays_smaller(cloud):
    cloud.control("faults", **{"do": "quota.change", "family": "NC", "vcpus": 6})
    cluster = cloud.make_cluster(2)
    assert cluster.current_node_count == 1
    assert cluster.errors[0].code == "AccountCoreQuotaReached"


def test_a_lost_answer_makes_no_second_job(cloud):
    cloud.make_cluster(2)
    cloud.control("faults", **{"do": "api.lost", "method": "PUT", "path": "*/jobs/*", "count": 1})
    cloud.submit("train")  # the SDK sends it again
    assert cloud.control("faults")["rules"][0]["struck"] == 1
    assert cloud.ended("train").execution_state == "succeeded"
    assert len(cloud.control("state")["jobs"]) == 1


def test_throttling_is_survived_once_and_reported_when_it_stays(cloud):
    cloud.control("faults", **{"do": "api.error", "status": 429, "retry_after": "1s", "path": "*/clusters*", "count": 1})
    assert list(cloud.batchai.clusters.list_by_workspace(GROUP, WORKSPACE)) == []
    cloud.control("faults", **{"do": "api.error", "status": 403, "code": "Forbidden", "path": "*/clusters*"})
    with pytest.raises(HttpResponseError) as raised:
        list(cloud.batchai.clusters.list_by_workspace(GROUP, WORKSPACE))
    assert raised.value.error.code == "Forbidden"

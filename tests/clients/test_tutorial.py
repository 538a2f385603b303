"""Microsoft's tutorial "Train a distributed model with Horovod", every command unchanged and in its order, and the
tables and texts that it shows (MicrosoftDocs/azure-docs, articles/batch-ai/tutorial-horovod-tensorflow.md; CC BY 4.0).

There are two editions. Those of July and September 2018 make a storage account by hand and mount it into the job; that of
August lets `--use-auto-storage` do it and mounts it into the cluster.
"""
import json
import re
import shutil
import threading
import time

from support import SOURCES, Case, main, skip

try:
    import h5py
except ImportError:
    skip("no h5py (package: python3-h5py)")

SCENARIO = SOURCES / "scenarios/cifar10-horovod"
LIST_FILES = "batchai job file list --experiment cifar --job cifar_distributed --resource-group batchai.horovod --workspace batchaidev --output table"
# "The cluster is ready to run the training job when the state is `steady` and the nodes are `idle`."
READY = """
Name        Resource Group    Workspace    VM Size       State      Idle    Running    Preparing    Leaving    Unusable
----------  ----------------  -----------  ------------  -------  ------  ---------  -----------  ---------  ----------
nc6cluster  batchai.horovod  batchaidev   STANDARD_NC6  steady        4          0            0          0           0
"""
# "shows all four in a running state"
RUNNING = """{
  "idleNodeCount": 0,
  "leavingNodeCount": 0,
  "preparingNodeCount": 0,
  "runningNodeCount": 4,
  "unusableNodeCount": 0
}
"""
# "the output should be similar to the following": sizes and times are those of another day, and -p was a low-priority node's.
FILES = """
execution-tvm-676767296_1-20180718t174802z-p.log        file       8801  2018-07-18T22:41:28+00:00
execution-tvm-676767296_2-20180718t174802z-p.log        file      15094  2018-07-18T22:41:55+00:00
execution-tvm-676767296_3-20180718t174802z-p.log        file       8801  2018-07-18T22:41:28+00:00
execution-tvm-676767296_4-20180718t174802z-p.log        file       8801  2018-07-18T22:41:28+00:00
stderr-job_prep-tvm-676767296_1-20180718t174802z-p.txt  file        238  2018-07-18T22:41:50+00:00
stderr-job_prep-tvm-676767296_2-20180718t174802z-p.txt  file        238  2018-07-18T22:41:50+00:00
stderr-job_prep-tvm-676767296_3-20180718t174802z-p.txt  file        238  2018-07-18T22:41:50+00:00
stderr-job_prep-tvm-676767296_4-20180718t174802z-p.txt  file        238  2018-07-18T22:41:50+00:00
stderr.txt                                              file       7653  2018-07-18T22:46:32+00:00
stdout-job_prep-tvm-676767296_1-20180718t174802z-p.txt  file      13651  2018-07-18T22:41:55+00:00
stdout-job_prep-tvm-676767296_2-20180718t174802z-p.txt  file      13651  2018-07-18T22:41:54+00:00
stdout-job_prep-tvm-676767296_3-20180718t174802z-p.txt  file      13651  2018-07-18T22:41:54+00:00
stdout-job_prep-tvm-676767296_4-20180718t174802z-p.txt  file      13651  2018-07-18T22:41:55+00:00
stdout.txt                                              file    2316480  2018-07-18T22:46:32+00:00
"""
SHOW_CLUSTER = "batchai cluster show --name nc6cluster --workspace batchaidev --resource-group batchai.horovod"


def weights(path):
    """How many numbers a Keras model has."""
    total = 0

    def count(_, item):
        nonlocal total
        total += item.size if isinstance(item, h5py.Dataset) else 0

    with h5py.File(path, "r") as model:
        model["model_weights"].visititems(count)
    return total


class Edition(Case):
    """What both have in common."""

    options = ("--clock", "x5")

    @classmethod
    def prepare(cls):
        shutil.copy(SCENARIO / "cifar_cnn_distributed.py", cls.folder)

    def az(self, command, **expected):
        """Runs in a separate process."""
        return super().az(command, starts_anew=True, **expected)

    def check_cluster(self, **counts):
        result = self.az(f"{SHOW_CLUSTER} --output table")
        row = {"Name": "nc6cluster", "Resource Group": "batchai.horovod", "Workspace": "batchaidev", "VM Size": "STANDARD_NC6",
               "State": "steady", "Idle": "0", "Running": "0", "Preparing": "0", "Leaving": "0", "Unusable": "0"}
        row.update(counts)
        self.assertEqual(result.rows, [row])
        self.assertEqual(list(result.rows[0]), list(row))

    def check_running(self):
        self.assertEqual(self.az(["batchai", "job", "show", "--experiment", "cifar", "--name", "cifar_distributed",
                                  "--resource-group", "batchai.horovod", "--workspace", "batchaidev", "--query",
                                  "executionState"]).stdout, '"running"\n')
        self.assertEqual(self.az(SHOW_CLUSTER + ' --query "nodeStateCounts"').stdout, RUNNING)

    def check_ready(self):
        """The tutorial's table, but for the blanks between its columns."""
        words = [line.split() for line in self.az(f"{SHOW_CLUSTER} --output table").stdout.splitlines()]
        head, _, row = [line.split() for line in READY.strip().splitlines()]
        self.assertEqual([words[0], *words[2:]], [head, row])

    def check_files(self):
        """The tutorial's 14 rows."""
        def known(name):
            return re.sub(r"tvm-\d+_(\d)-\d{8}t\d{6}z(-p)?", r"NODE-\1", name)

        rows = self.az(LIST_FILES).rows
        self.assertEqual(list(rows[0]), ["Name", "Type", "Size", "Modified"])
        self.assertEqual([(known(row["Name"]), row["Type"]) for row in rows],
                         [(known(name), kind) for name, kind, *_ in map(str.split, FILES.strip().splitlines())])
        for row in rows:
            self.assertRegex(row["Size"], r"^\d+$")
            self.assertRegex(row["Modified"], r"^2018-07-\d\dT\d\d:\d\d:\d\d\+00:00$")

    def polls(self):
        """How often the stream has found something new."""
        return len(re.findall(r"request=GET path=\S*/stdout\.txt status=206", self.emulator.log()))

    def hurry_when_streamed(self):
        """An hour of training in eight seconds, once the client is there."""
        while self.polls() == 0:
            time.sleep(0.1)
        self.emulator.rate("x400")

    def check_stream(self, share, account):
        """It follows the log as it grows, to its end, and has then printed all of it and nothing twice."""
        hurry = threading.Thread(target=self.hurry_when_streamed)
        hurry.start()
        result = self.az("batchai job file stream --experiment cifar --file-name stdout.txt --job cifar_distributed "
                         "--resource-group batchai.horovod --workspace batchaidev")
        hurry.join()
        self.emulator.rate("x5")
        self.assertGreater(self.polls(), 3, "it was there at once")
        self.assertIn('Start streaming', result.stderr)
        job = json.loads(self.az("batchai job show --experiment cifar --name cifar_distributed --resource-group batchai.horovod "
                                 "--workspace batchaidev").stdout)
        self.assertEqual(job["executionState"], "succeeded")
        self.assertEqual(job["executionInfo"]["exitCode"], 0)
        path = f"cifar/{job['jobOutputDirectoryPathSegment']}/stdouterr/stdout.txt"
        self.az(f"storage file download --path {path} --share-name {share} --account-name {account}")
        self.assertEqual(result.stdout, (self.folder / "stdout.txt").read_bytes().decode())
        for line in ("50000 train samples", "10000 test samples", "Epoch 1/25", "Epoch 25/25", "Test accuracy: 0.7"):
            self.assertIn(line, result.stdout)

    def check_model(self, share, account):
        self.az(f"storage file download --path cifar/saved_models/keras_cifar10_trained_model.h5 --share-name {share} "
                f"--account-name {account}")
        self.assertEqual(weights(self.folder / "keras_cifar10_trained_model.h5"), 1250858)

    def check_resize(self):
        self.az("batchai cluster resize --name nc6cluster --resource-group batchai.horovod --target 0 --workspace batchaidev")
        self.emulator.run_until("cluster nc6cluster empty")
        self.check_cluster(Idle="0")


class ByHand(Edition):
    """July and September 2018."""

    @classmethod
    def prepare(cls):
        super().prepare()
        shutil.copy(SCENARIO / "job.json", cls.folder)

    def test_the_tutorial_of_july_and_september(self):
        group = self.az("group create --name batchai.horovod --location eastus").json
        self.assertHas(group, {"name": "batchai.horovod", "location": "eastus", "properties": {"provisioningState": "Succeeded"}})
        self.az("batchai workspace create --resource-group batchai.horovod --workspace batchaidev ")
        self.az("batchai experiment create --resource-group batchai.horovod --workspace batchaidev --name cifar ")
        self.az("batchai cluster create --resource-group batchai.horovod --workspace batchaidev --name nc6cluster "
                "--vm-priority dedicated  --vm-size Standard_NC6 --target 4 --generate-ssh-keys")
        self.assertTrue((self.folder / "home/.ssh/id_rsa").exists())
        self.emulator.rate("manual")
        self.check_cluster(State="resizing")  # "early in cluster creation, the cluster is in the `resizing` state"
        self.emulator.rate("x5")
        self.emulator.run_until("cluster nc6cluster ready")
        self.check_ready()
        self.az("storage account create --resource-group batchai.horovod --name mystorageaccount --location eastus --sku Standard_LRS")
        self.az("storage share create --name myshare --account-name mystorageaccount")
        self.az("storage directory create --name cifar --share-name myshare --account-name mystorageaccount")
        self.az("storage file upload --path cifar --share-name myshare --source cifar_cnn_distributed.py --account-name mystorageaccount")
        self.az("batchai job create --cluster nc6cluster --name cifar_distributed --resource-group batchai.horovod "
                "--workspace batchaidev --experiment cifar --config-file job.json --storage-account-name mystorageaccount")
        self.emulator.run_until("job cifar_distributed training")
        self.check_running()
        self.check_files()
        self.check_stream("myshare", "mystorageaccount")
        self.check_model("myshare", "mystorageaccount")
        self.check_resize()
        self.emulator.rate("x400")
        self.az("group delete --name batchai.horovod", answer="y\n")
        self.assertEqual(self.az("group exists --name batchai.horovod").json, False)


class AutoStorage(Edition):
    """August 2018."""

    def test_the_tutorial_of_august(self):
        job = json.loads((SCENARIO / "job.json").read_text().replace("$AZ_BATCHAI_JOB_MOUNT_ROOT/myshare", "$AZ_BATCHAI_MOUNT_ROOT/autoafs"))
        del job["properties"]["mountVolumes"]
        (self.folder / "job.json").write_text(json.dumps(job))
        self.az("group create --name batchai.horovod --location eastus")
        self.az("batchai workspace create --resource-group batchai.horovod --workspace batchaidev ")
        self.az("batchai experiment create --resource-group batchai.horovod --workspace batchaidev --name cifar ")
        # az 2.45 fails to make the account itself (it calls an older storage SDK): it looks for one, and that is here.
        self.az("group create --name batchaiautostorage --location eastus")
        self.az("storage account create --resource-group batchaiautostorage --name baiabc --location eastus --sku Standard_LRS")
        self.az("batchai cluster create --resource-group batchai.horovod --workspace batchaidev --name nc6cluster "
                "--vm-priority dedicated  --vm-size Standard_NC6 --target 4 --use-auto-storage --generate-ssh-keys")
        self.emulator.run_until("cluster nc6cluster ready")
        self.check_ready()
        account = self.az([*SHOW_CLUSTER.split(), "--query",
                           "nodeSetup.mountVolumes.azureFileShares[0].{storageAccountName:accountName}"]).json
        self.assertEqual(account, {"storageAccountName": "baiabc"})
        self.az("storage directory create --name cifar --share-name batchaishare --account-name baiabc")
        self.az("storage file upload --path cifar --share-name batchaishare --source cifar_cnn_distributed.py --account-name baiabc")
        self.az("batchai job create --cluster nc6cluster --name cifar_distributed --resource-group batchai.horovod "
                "--workspace batchaidev --experiment cifar --config-file job.json --storage-account-name baiabc")
        self.emulator.run_until("job cifar_distributed training")
        self.check_running()
        self.check_files()
        self.emulator.run_until("job cifar_distributed completed")
        self.check_model("batchaishare", "baiabc")
        self.check_resize()
        self.emulator.rate("x400")
        self.az("group delete --name batchai.horovod", answer="y\n")
        self.az("group delete --name batchaiautostorage", answer="y\n")
        self.assertEqual(self.az("group list").json, [])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A state folder that an older trainyard wrote opens, and the emulator answers about it what that trainyard answered.

    test_older_state.py                 opens older_state/state.tar.gz and compares with older_state/answers.txt
    TRAINYARD=OLD test_older_state.py --make     writes both anew with the program OLD; to be done with a released program only
"""
import json
import sys
import tarfile
import urllib.parse

import siege

FOLDER = siege.SOURCES / "tests/siege/older_state"
ACCOUNT = "/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/acct"
WORKSPACE = "/resourceGroups/g/providers/Microsoft.BatchAI/workspaces/w"


def key(connection):
    return connection.arm("POST", f"{ACCOUNT}/listKeys").json["keys"][0]["value"]


def advance(connection, by):
    siege.expect(connection.ask("POST", "/trainyard/clock", {"do": "advance", "by": by}), 200)


def job(emulator, account_key, **changes):
    return {"properties": {
        "cluster": {"id": f"/subscriptions/{emulator.ready['subscription']}{WORKSPACE.lower()}/clusters/C"}, "nodeCount": 1,
        "stdOutErrPathPrefix": "$AZ_BATCHAI_JOB_MOUNT_ROOT/logs",
        "mountVolumes": {
            "azureFileShares": [{"accountName": "acct", "azureFileUrl": "https://acct.file.core.windows.net/logs",
                                 "relativeMountPath": "logs", "credentials": {"accountKey": account_key}}],
            "fileServers": [{"fileServer": {"id": f"/subscriptions/{emulator.ready['subscription']}{WORKSPACE}/fileServers/nfs"},
                             "relativeMountPath": "nfs"}]},
        "inputDirectories": [{"id": "IN", "path": "$AZ_BATCHAI_JOB_MOUNT_ROOT/logs/in"}],
        "outputDirectories": [{"id": "MODEL", "pathPrefix": "$AZ_BATCHAI_JOB_MOUNT_ROOT/logs"}],
        "environmentVariables": [{"name": "A", "value": "1"}], "secrets": [{"name": "S", "value": "hidden"}],
        "jobPreparation": {"commandLine": "echo hello"}, **changes}}


def make(emulator):
    """Every kind of entry: groups, accounts, files, workspaces, clusters, jobs, deletions, faults and notes."""
    plain = emulator.connect()
    siege.expect(plain.arm("PUT", "/resourceGroups/g", {"location": "eastus", "tags": {"a": "b"}}), 201)
    siege.expect(plain.arm("PUT", ACCOUNT, {"location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2"}), 200)
    share = emulator.connect(account="acct", key=key(plain))
    siege.expect(share.files("PUT", "logs", {"restype": "share"}), 201)
    siege.expect(share.files("PUT", "logs/in", {"restype": "directory"}), 201)
    siege.expect(share.files("PUT", "logs/in/train.py", headers={"x-ms-type": "file", "x-ms-content-length": "11"}), 201)
    siege.expect(share.files("PUT", "logs/in/train.py", {"comp": "range"}, b"hello world", {"x-ms-range": "bytes=0-10", "x-ms-write": "update"}), 201)
    siege.expect(plain.arm("PUT", WORKSPACE, {"location": "eastus", "tags": {"team": "x"}}), 200)
    siege.expect(plain.arm("PUT", f"{WORKSPACE}/experiments/e", {}), 200)
    user = {"adminUserName": "u", "adminUserPassword": "secret"}
    siege.expect(plain.arm("PUT", f"{WORKSPACE}/fileServers/nfs", {"properties": {
        "vmSize": "STANDARD_D2", "sshConfiguration": {"userAccountSettings": user},
        "dataDisks": {"diskSizeInGB": 10, "diskCount": 1, "storageAccountType": "Standard_LRS"}}}), 202)
    siege.expect(plain.arm("PUT", f"{WORKSPACE}/clusters/c", {"properties": {
        "vmSize": "STANDARD_NC6", "scaleSettings": {"autoScale": {"minimumNodeCount": 1, "maximumNodeCount": 3}},
        "userAccountSettings": user}}), 202)
    advance(plain, "10m")
    jobs = f"{WORKSPACE}/experiments/e/jobs"
    custom = {"customToolkitSettings": {"commandLine": "sleep 120"}}
    horovod = {"horovodSettings": {"pythonScriptFilePath": "$AZ_BATCHAI_INPUT_IN/train.py"}}
    siege.expect(plain.arm("PUT", f"{jobs}/one", job(emulator, share.key, nodeCount=2, **custom)), 202)
    siege.expect(plain.arm("PUT", f"{jobs}/two", job(emulator, share.key, **horovod)), 202)
    siege.expect(plain.arm("PUT", f"{jobs}/three", job(emulator, share.key, constraints={"maxWallClockTime": "PT1M"}, **custom)), 202)
    advance(plain, "2m")
    siege.expect(plain.ask("POST", "/trainyard/faults", {"do": "node.crash", "cluster": "c", "node": 1}), 200)
    advance(plain, "30m")
    siege.expect(plain.arm("PATCH", f"{WORKSPACE}/clusters/c", {"properties": {"scaleSettings": {"manual": {"targetNodeCount": 2}}}}), 200)
    siege.expect(plain.arm("PATCH", WORKSPACE, {"tags": {"team": "y"}}), 200)
    siege.expect(plain.arm("DELETE", f"{jobs}/three"), 202)
    advance(plain, "1h")
    siege.expect(plain.arm("POST", f"{ACCOUNT}/regenerateKey", {"keyName": "key2"}), 200)
    siege.expect(share.files("PUT", "logs/in/later.txt", headers={"x-ms-type": "file", "x-ms-content-length": "3"}), 201)


def answers(emulator):
    """What it answers, without what changes from start to start: ports, and links that expire."""
    plain = emulator.connect()
    share = emulator.connect(account="acct", key=key(plain))
    told = []

    def tell(name, answer, body=None):
        text = (body if body is not None else answer.body.decode()).replace(emulator.ready["plain"], "HOST:PORT")
        told.append(f"== {name}\n{answer.status} {answer.headers.get('ETag')} {answer.headers.get('Last-Modified')}\n{text}\n")

    tell("keys", plain.arm("POST", f"{ACCOUNT}/listKeys"))
    for path in ("/resourceGroups/g", ACCOUNT, "/resources", WORKSPACE, f"{WORKSPACE}/experiments/e", f"{WORKSPACE}/fileServers/nfs",
                 f"{WORKSPACE}/clusters/c", f"{WORKSPACE}/experiments/e/jobs",
                 *(f"{WORKSPACE}/experiments/e/jobs/{name}" for name in ("one", "two", "three")),
                 "/providers/Microsoft.BatchAI/locations/eastus/usages"):
        tell(path, plain.arm("GET", path))
    tell("file", share.files("GET", "logs/in/train.py"))
    tell("files", share.files("GET", "logs/in", {"restype": "directory", "comp": "list"}))
    query = urllib.parse.urlencode({"api-version": "2018-05-01", "outputdirectoryid": "stdouterr"})
    outputs = plain.ask("POST", f"/subscriptions/{emulator.ready['subscription']}{WORKSPACE}/experiments/e/jobs/one/listOutputFiles?{query}",
                        headers={"Authorization": "Bearer x"})
    tell("outputs", outputs, json.dumps([(entry["name"], entry.get("properties")) for entry in outputs.json["value"]]))
    session = plain.ask("GET", "/trainyard/session")
    tell("session", session, json.dumps(session.json["session"], indent=1))
    tell("state", plain.ask("GET", "/trainyard/state"))
    return "".join(told)


def write_fixture():
    emulator = siege.Emulator("--clock", "manual")
    try:
        emulator.start()
        make(emulator)
        text = answers(emulator)
        assert emulator.end() == 0
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / "answers.txt").write_text(text)
        with tarfile.open(FOLDER / "state.tar.gz", "w:gz") as archive:
            for name in ("state.sqlite", "contents"):
                archive.add(emulator.state / name, f"state/{name}")
    finally:
        emulator.remove()


def an_older_state_opens_and_answers_the_same():
    emulator = siege.Emulator("--clock", "manual")
    try:
        with tarfile.open(FOLDER / "state.tar.gz") as archive:
            archive.extractall(emulator.folder)
        emulator.start()
        expected, told = (FOLDER / "answers.txt").read_text(), answers(emulator)
        for old, new in zip(expected.split("== "), told.split("== ")):
            assert old == new, f"then: {old}\nnow: {new}"
        assert expected == told
        assert emulator.end() == 0
    finally:
        emulator.remove()


if __name__ == "__main__":
    if "--make" in sys.argv:
        write_fixture()
    else:
        siege.main(an_older_state_opens_and_answers_the_same)

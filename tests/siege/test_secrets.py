#!/usr/bin/env python3
"""Secrets are never returned: every password, key, token and signature of a session carries a mark, which is looked for in all that
the emulator answers, prints and keeps. Keys of storage accounts are made of one secret, which is in one file that belongs to the user."""
import email.utils
import sqlite3
import stat
import time

import siege

MARK = "m4rkedAsS3cret"
MARKED_NUMBER = 1928374655647382  # held exactly
OWN = "0wnSecretOfJobs"  # of a job or a set-up task: the state keeps it, since they may print it after a restart
BATCHAI = "/resourceGroups/g/providers/Microsoft.BatchAI"
WORKSPACE = f"{BATCHAI}/workspaces/w"
CREDENTIALS = {"accountKey": MARK + "Key"}


def cluster(**changes):
    properties = {
        "vmSize": "STANDARD_D1", "scaleSettings": {"manual": {"targetNodeCount": 1}},
        "userAccountSettings": {"adminUserName": "admin", "adminUserPassword": MARK + "Password", "adminUserSshPublicKey": "ssh-rsa AAAA"},
        "nodeSetup": {
            "setupTask": {"commandLine": "echo hello", "stdOutErrPathPrefix": "$AZ_BATCHAI_MOUNT_ROOT/afs",
                          "environmentVariables": [{"name": "PLAIN", "value": "seen"}],
                          "secrets": [{"name": "SETUP", "value": OWN + "Setup"}]},
            "performanceCountersSettings": {"appInsightsReference": {
                "component": {"id": "/subscriptions/x/components/y"}, "instrumentationKey": MARK + "Instrumentation"}},
            "mountVolumes": {
                "azureFileShares": [{"accountName": "acct", "azureFileUrl": "https://acct.file.core.windows.net/share",
                                     "relativeMountPath": "afs", "credentials": CREDENTIALS}]}},
        **changes}
    return {"properties": properties}


def job(emulator, **changes):
    return {"properties": {
        "cluster": {"id": f"/subscriptions/{emulator.ready['subscription']}{WORKSPACE}/clusters/c"}, "nodeCount": 1,
        "stdOutErrPathPrefix": "$AZ_BATCHAI_MOUNT_ROOT/afs", "customToolkitSettings": {"commandLine": "echo $HIDDEN"},
        "environmentVariables": [{"name": "PLAIN", "value": "seen"}], "secrets": [{"name": "HIDDEN", "value": OWN + "Env"}],
        "containerSettings": {"imageSourceRegistry": {"serverUrl": "example.azurecr.io", "image": "i", "credentials": {
            "username": "u", "password": MARK + "Registry"}}},
        "mountVolumes": {"azureFileShares": [{"accountName": "acct", "azureFileUrl": "https://acct.file.core.windows.net/share",
                                              "relativeMountPath": "jobs", "credentials": CREDENTIALS}]},
        **changes}}


class Witness:
    """Everything that was answered."""

    def __init__(self, connection):
        self.connection, self.answers = connection, []

    def keep(self, answer):
        self.answers.append(f"{answer.status} {answer.headers}".encode() + answer.body)
        return answer

    def arm(self, *words):
        return self.keep(self.connection.arm(*words, headers={"Authorization": f"Bearer {MARK}Token"}) if len(words) > 2
                         else self.connection.arm(*words, b"", {"Authorization": f"Bearer {MARK}Token"}))

    def ask(self, *words, **more):
        return self.keep(self.connection.ask(*words, **more))


def made_a_session(emulator, witness):
    """Good requests and bad ones, each with secrets."""
    siege.expect(witness.connection.files("PUT", "share", {"restype": "share"}), 201)
    siege.expect(witness.arm("PUT", WORKSPACE, {"location": "eastus"}), 200, 201)
    siege.expect(witness.arm("PUT", f"{WORKSPACE}/experiments/e", b""), 200, 201, 202)
    siege.expect(witness.arm("PUT", f"{WORKSPACE}/clusters/c", cluster()), 200, 201, 202)
    siege.expect(witness.arm("PUT", f"{WORKSPACE}/experiments/e/jobs/j", job(emulator)), 200, 201, 202)
    siege.expect(witness.arm("PUT", f"{WORKSPACE}/fileServers/f", {"properties": {
        "vmSize": "STANDARD_D1", "sshConfiguration": {"userAccountSettings": {"adminUserName": "a", "adminUserPassword": MARK + "Nfs"}},
        "dataDisks": {"diskSizeInGB": 1, "diskCount": 1, "storageAccountType": "Standard_LRS"}}}), 200, 201, 202)
    # Refusals quote what is wrong: never a value in a secret's place.
    wrong = MARK + "Wrong"
    for body in (cluster(vmSize="NO_SUCH_SIZE"), cluster(userAccountSettings={"adminUserName": "a", "adminUserPassword": [wrong]}),
                 cluster(userAccountSettings={"adminUserName": "a", "adminUserPassword": {"value": wrong}}),
                 cluster(nodeSetup={"mountVolumes": {"azureFileShares": [{"accountName": "acct", "azureFileUrl": "https://none/x",
                                                                          "relativeMountPath": "x", "credentials": {"accountKey": wrong}}]}}),
                 cluster(nodeSetup={"mountVolumes": {"azureFileShares": [{"credentials": {"accountKey": wrong, "accountKeys": wrong}}]}}),
                 cluster(userAccountSettings={"adminUserName": "a", "adminUserPassword": MARKED_NUMBER}), cluster(userAccountSettings=wrong),
                 cluster(nodeSetup=wrong), cluster(nodeSetup={"mountVolumes": {"azureFileShares": [{"credentials": wrong}]}}),
                 siege.json.dumps(cluster()).encode() + b"}", siege.json.dumps(cluster()).encode()[:300],
                 b'{"properties": {"userAccountSettings": {"adminUserPassword": "%s' % wrong.encode(),
                 b'{"properties": {"userAccountSettings": {"adminUserPassword": "%s\x01"}}}' % wrong.encode()):
        answer = witness.arm("PUT", f"{WORKSPACE}/clusters/bad", body)
        assert answer.status == 400, answer
    for body in (job(emulator, nodeCount=-1), job(emulator, secrets=[{"name": "A", "value": [wrong]}]), job(emulator, secrets=[wrong]),
                 job(emulator, secrets=[{"name": "A", "value": MARKED_NUMBER}]), job(emulator, secrets=wrong),
                 job(emulator, secrets=[{"name": "A", "value": wrong, "values": wrong}]), job(emulator, secrets={"A": wrong})):
        answer = witness.arm("PUT", f"{WORKSPACE}/experiments/e/jobs/bad", body)
        assert answer.status == 400, answer
    witness.ask("POST", f"/{emulator.ready['tenant']}/oauth2/token",
                f"grant_type=password&username=u&password={MARK}&client_secret={MARK}&refresh_token={MARK}".encode(),
                headers={"Content-Type": "application/x-www-form-urlencoded"})
    witness.ask("POST", "/trainyard/faults", {"do": "api.error", "status": 503, "count": 1, "path": "/nothing", "password": MARK})
    date = email.utils.formatdate(usegmt=True)
    for target, headers in (
            (f"/acct/share/f?sv=2018-03-28&sr=f&sp=r&se=2030-01-01&sig={MARK}", {}),
            (f"/acct/share/f?sv=2018-03-28&sr=f&sp=%ff&se=x&sig={MARK}%2B", {}),
            ("/acct/share/f", {"Authorization": f"SharedKey acct:{MARK}", "x-ms-date": date}),
            ("/acct/share/f", {"Authorization": f"SharedKeyLite acct:{MARK}", "x-ms-date": date}),
            ("/acct/share/f", {"Authorization": f"Bearer {MARK}"}), ("/acct/share/f", {"Authorization": MARK})):
        answer = witness.ask("GET", target, headers=headers)
        assert answer.status in (400, 401, 403, 501), answer
    # The source of a copy may be signed as well.
    for source in (f"http://{emulator.ready['plain']}/acct/share/none?sv=2018-03-28&sr=f&sp=r&se=2030-01-01&sig={MARK}",
                   f"https://example.com/f?sig={MARK}"):
        witness.keep(witness.connection.files("PUT", "share/copy", headers={"x-ms-copy-source": source}))


def looked_at_everything(emulator, witness):
    for path in ("/resourceGroups", "/resources", WORKSPACE, f"{BATCHAI}/workspaces", f"{WORKSPACE}/clusters", f"{WORKSPACE}/clusters/c",
                 f"{WORKSPACE}/experiments", f"{WORKSPACE}/experiments/e/jobs", f"{WORKSPACE}/experiments/e/jobs/j", f"{WORKSPACE}/fileServers",
                 f"{WORKSPACE}/fileServers/f", "/resourceGroups/g/providers/Microsoft.Storage/storageAccounts"):
        witness.arm("GET", path)
    witness.arm("POST", f"{WORKSPACE}/experiments/e/jobs/j/listOutputFiles", b"")
    siege.expect(witness.ask("POST", "/trainyard/clock", {"do": "advance", "by": "2h"}), 200)
    for target in ("/", "/trainyard/clock", "/trainyard/state", "/trainyard/faults", "/trainyard/session", "/trainyard/files"):
        witness.ask("GET", target)
    connection = emulator.connect()
    connection.http.request("GET", "/trainyard/events?since=0")
    connection.http.sock.settimeout(0.3)
    stream, text = connection.http.getresponse(), b""
    try:
        while True:
            text += stream.readline()
    except TimeoutError:
        pass
    connection.close()
    assert b"data: " in text, "no event was sent"
    witness.answers.append(text)
    walk(witness, "")


def walk(witness, directory):
    """All files that jobs have written."""
    listing = witness.keep(witness.connection.files("GET", ("share/" + directory).rstrip("/"), {"restype": "directory", "comp": "list"}))
    for kind, name in siege.re.findall("<(File|Directory)>.*?<Name>(.*?)</Name>", listing.body.decode()):
        if kind == "File":
            witness.keep(witness.connection.files("GET", f"share/{directory}{name}"))
        else:
            walk(witness, f"{directory}{name}/")


def assert_nowhere(words, texts):
    for word in words:
        for where, text in texts:
            at = text.find(word.encode())
            assert at < 0, f"{word} in {where}: {text[max(0, at - 200):at + 200]!r}"


def kept(emulator):
    """The contents of all files in its folder."""
    return [(path, path.read_bytes()) for path in emulator.folder.rglob("*") if path.is_file()]


def without_database(texts):
    return [(path, text) for path, text in texts if not path.name.startswith("state.sqlite")]


def secrets_are_neither_told_nor_kept():
    emulator = siege.Emulator("--clock", "manual", "--verbose")
    emulator.start()
    connection = emulator.connect(account="acct")
    connection.key = siege.prepare(connection)
    witness = Witness(connection)
    made_a_session(emulator, witness)
    looked_at_everything(emulator, witness)
    assert any(b"seen" in answer for answer in witness.answers), "a value that is not secret is returned"
    keys = connection.arm("POST", "/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/acct/listKeys").json["keys"]
    words = [MARK, str(MARKED_NUMBER), siege.urllib.parse.quote(MARK), siege.base64.b64encode(MARK.encode()).decode()[:-2], *(key["value"] for key in keys)]
    answers = [("an answer", text) for text in witness.answers]
    # While it runs, with its log of transactions; after a kill, which leaves that log; after an orderly end; and in what is made of it.
    for end in (lambda: None, emulator.kill, emulator.start, emulator.end, lambda: emulator.run("az-env", "--state", emulator.state)
                if emulator.process else None):
        end()
        assert_nowhere(words, kept(emulator))
        assert_nowhere([OWN], without_database(kept(emulator)))
    exported = emulator.run("export", "--state", emulator.state).encode()
    assert b"cluster.create" in exported
    log = emulator.log().encode()
    assert b"path=/acct/share/f status=403" in log, "the log has a line for each request"
    assert_nowhere(words, [*answers, ("the log", log), ("the export", exported)])
    assert_nowhere([OWN], [("the log", log), ("the export", exported)])
    one_secret_in_one_place(emulator)
    emulator.remove()


def one_secret_in_one_place(emulator):
    """The secret from which all keys are made; the private key of the certificate is next to it."""
    with sqlite3.connect(emulator.state / "state.sqlite") as database:
        ((secret,),) = database.execute("SELECT value FROM settings WHERE name = 'storage_secret'").fetchall()
    holders = [path.name for path, text in kept(emulator) if secret.encode() in text]
    assert holders == ["state.sqlite"], holders
    assert stat.S_IMODE(emulator.state.stat().st_mode) == 0o700
    for path in emulator.state.rglob("*"):
        if path.name.startswith(("state.sqlite", "tls-key.pem")) or path.parent.name == "contents":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert secret not in emulator.log() and secret not in emulator.run("export", "--state", emulator.state)


def the_key_of_files_alone_is_printed_once_and_kept_nowhere():
    emulator = siege.Emulator("--files", "--verbose")
    emulator.start()
    connection = emulator.connect(account="devstoreaccount1", key=siege.base64.b64encode(MARK.encode()).decode())
    answer = siege.expect(connection.files("PUT", "share", {"restype": "share"}), 403)
    assert connection.key.encode() not in answer.body
    time.sleep(0.05)
    emulator.end()
    assert_nowhere([connection.key], [("the log", emulator.log().encode()), *kept(emulator)])
    emulator.remove()


if __name__ == "__main__":
    siege.main(secrets_are_neither_told_nor_kept, the_key_of_files_alone_is_printed_once_and_kept_nowhere)
